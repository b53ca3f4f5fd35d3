/* snl_random.h - counter-based random numbers: the same for any number of threads and every target.
 *
 * Generator: Philox4x32-10 of J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3", SC 2011.  The stream of an iteration is fixed by (seed, launch, iteration); its
 * numbers by their position in the stream.  The map of (launch, iteration, block) to the counter is
 * one to one, so different iterations and launches never share numbers.  An SnlRandom is a value
 * that its user owns; starting one costs nothing before the first number is drawn.
 */
#ifndef SNL_MATH_SNL_RANDOM_H
#define SNL_MATH_SNL_RANDOM_H

#include "snl_math.h"

/* A stream of random numbers. */
typedef struct {
    uint64_t seed;
    uint64_t launch;            /* number of the parallel loop, counted over the instance's life */
    uint64_t iteration;         /* number of the iteration in that loop */
    uint32_t draw;              /* 32-bit numbers drawn so far */
    uint32_t block[4];          /* the numbers draw & ~3 ... draw | 3 */
} SnlRandom;

/* The ten rounds: four counter words and the key, in place. */
SNL_FN void snl_random_philox(uint32_t word[4], uint32_t key0, uint32_t key1)
{
    uint32_t c0 = word[0], c1 = word[1], c2 = word[2], c3 = word[3];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xd2511f53u * c0;
        uint64_t p1 = (uint64_t)0xcd9e8d57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ key0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ key1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    word[0] = c0;
    word[1] = c1;
    word[2] = c2;
    word[3] = c3;
}

/* Starts the stream of one iteration. */
SNL_FN void snl_random_init(SnlRandom *r, uint64_t seed, uint64_t launch, uint64_t iteration)
{
    r->seed = seed;
    r->launch = launch;
    r->iteration = iteration;
    r->draw = 0;
}

/* 32 random bits. */
SNL_FN uint32_t snl_random_u32(SnlRandom *r)
{
    uint32_t at = r->draw & 3u;
    if (at == 0) {
        r->block[0] = (uint32_t)r->iteration;
        r->block[1] = (uint32_t)(r->iteration >> 32);
        r->block[2] = r->draw >> 2;
        r->block[3] = (uint32_t)r->launch;
        snl_random_philox(r->block, (uint32_t)r->seed,
                          (uint32_t)(r->seed >> 32) ^ (uint32_t)(r->launch >> 32));
    }
    r->draw++;
    return r->block[at];
}

/* A random i32 of the whole range. */
SNL_FN int32_t snl_random_i32(SnlRandom *r) { return (int32_t)snl_random_u32(r); }

/* A uniform f32 in [0, 1), a multiple of 2^-24. */
SNL_FN float snl_random_f32(SnlRandom *r)
{
    return (float)(int32_t)(snl_random_u32(r) >> 8) * 5.9604644775390625e-8f;
}

/* A uniform f64 in [0, 1), a multiple of 2^-53. */
SNL_FN double snl_random_f64(SnlRandom *r)
{
    uint64_t high = snl_random_u32(r) >> 5;
    uint64_t low = snl_random_u32(r) >> 6;
    return (double)(int64_t)(high << 26 | low) * 1.1102230246251565e-16;
}

/* A normal f32 of mean 0 and variance 1, by the method of Box and Muller. */
SNL_FN float snl_random_randn(SnlRandom *r)
{
    float above_zero = (float)snl_random_u32(r) * 2.3283064365386963e-10f + 1.1641532e-10f;
    float turn = snl_random_f32(r);
    return sqrtf(-2.0f * snl_log_f32(above_zero)) * snl_cos_f32(6.2831853071795865f * turn);
}

#endif
