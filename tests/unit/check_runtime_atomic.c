/* check_runtime_atomic.c - atomic operations: what they give, what they leave, and that none of
 * them gets lost between threads. */
#include <stdlib.h>

#include "core/parallel.h"
#include "math/snl_atomic.h"
#include "suite.h"

/* An integer type: every operation from 12 with 10, and wrapping at the ends. */
#define INTEGER(S, T, U, W, BITS) \
    static void \
    integer_##S(void) \
    { \
        T x = 12; \
        ck_assert_int_eq(snl_atomic_add_##S(&x, 10), 12); \
        ck_assert_int_eq(snl_atomic_sub_##S(&x, 12), 22); \
        ck_assert_int_eq(snl_atomic_and_##S(&x, 12), 10); \
        ck_assert_int_eq(snl_atomic_or_##S(&x, 3), 8); \
        ck_assert_int_eq(snl_atomic_xor_##S(&x, 1), 11); \
        ck_assert_int_eq(snl_atomic_min_##S(&x, 20), 10); \
        ck_assert_int_eq(snl_atomic_max_##S(&x, 20), 10); \
        ck_assert_int_eq(snl_atomic_min_##S(&x, 7), 20); \
        ck_assert_int_eq(snl_atomic_max_##S(&x, 6), 7); \
        ck_assert_int_eq(snl_atomic_exchange_##S(&x, 5), 7); \
        ck_assert_int_eq(snl_atomic_cas_##S(&x, 4, 9), 5); \
        ck_assert_int_eq(x, 5); \
        ck_assert_int_eq(snl_atomic_cas_##S(&x, 5, 9), 5); \
        ck_assert_int_eq(x, 9); \
        x = (T)((U)~(U)0 >> ((T)-1 < (T)1)); \
        snl_atomic_add_##S(&x, 1); \
        ck_assert(x < (T)1); \
        snl_atomic_sub_##S(&x, 1); \
        ck_assert(x == (T)((U)~(U)0 >> ((T)-1 < (T)1))); \
    }
SNL_SIGNED_INTEGERS(INTEGER)
SNL_UNSIGNED_INTEGERS(INTEGER)

START_TEST(integers)
{
#define CALL(S, T, U, W, BITS) integer_##S();
    SNL_SIGNED_INTEGERS(CALL)
    SNL_UNSIGNED_INTEGERS(CALL)
}
END_TEST

START_TEST(floats)
{
    float f = 1.5f;
    double d = 1e300;
    snl_f16 h = snl_f32_to_f16(2.0f);
    ck_assert_float_eq(snl_atomic_add_f32(&f, 2.0f), 1.5f);
    ck_assert_float_eq(snl_atomic_sub_f32(&f, 0.5f), 3.5f);
    ck_assert_float_eq(snl_atomic_min_f32(&f, NAN), 3.0f);
    ck_assert_float_eq(f, 3.0f);
    f = NAN;
    snl_atomic_max_f32(&f, 4.0f);
    ck_assert_float_eq(f, 4.0f);
    ck_assert_float_eq(snl_atomic_exchange_f32(&f, 8.0f), 4.0f);
    ck_assert_float_eq(snl_atomic_cas_f32(&f, 8.0f, 9.0f), 8.0f);
    ck_assert_float_eq(f, 9.0f);
    snl_atomic_max_f64(&d, 1e301);
    ck_assert_double_eq(d, 1e301);
    snl_atomic_add_f16(&h, snl_f32_to_f16(0.5f));
    ck_assert_float_eq(snl_f16_to_f32(h), 2.5f);
}
END_TEST

START_TEST(bools)
{
    bool b = false;
    ck_assert(!snl_atomic_or_bool(&b, true) && b);
    ck_assert(snl_atomic_and_bool(&b, true) && b);
    ck_assert(snl_atomic_xor_bool(&b, true) && !b);
    ck_assert(!snl_atomic_exchange_bool(&b, true) && b);
    ck_assert(snl_atomic_cas_bool(&b, true, false) && !b);
}
END_TEST

typedef struct {
    int32_t sum, most;
    float f;
    uint8_t bits;
    snl_f16 half;
} Shared;

static void
change_shared(void *args, int64_t chunk, int64_t from, int64_t to)
{
    Shared *s = (Shared *)args;
    (void)chunk;
    for (int64_t i = from; i < to; i++) {
        snl_atomic_add_i32(&s->sum, (int32_t)i);
        snl_atomic_add_f32(&s->f, 1.0f);
        snl_atomic_max_i32(&s->most, (int32_t)i);
        snl_atomic_or_u8(&s->bits, (uint8_t)(1 << i % 8));
        if (i % 20 == 0)
            snl_atomic_add_f16(&s->half, snl_f32_to_f16(1.0f));
    }
}

START_TEST(nothing_is_lost)
{
    enum { N = 20000 };
    Shared s = { 0 };
    SnlInstance rt;
    snl_instance_init(&rt, NULL, 4, 1, 0);
    snl_parallel_for(&rt, N, snl_chunk_count(N, 1), change_shared, &s);
    snl_instance_free(&rt);
    ck_assert_int_eq(s.sum, N / 2 * (N - 1));
    ck_assert_int_eq(s.most, N - 1);
    ck_assert_float_eq(s.f, N);
    ck_assert_int_eq(s.bits, 255);
    ck_assert_float_eq(snl_f16_to_f32(s.half), 1000.0f);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("runtime atomic");
    TCase *t = tcase_create("all");
    tcase_add_test(t, integers);
    tcase_add_test(t, floats);
    tcase_add_test(t, bools);
    tcase_add_test(t, nothing_is_lost);
    suite_add_tcase(s, t);
    return run_suite(s);
}
