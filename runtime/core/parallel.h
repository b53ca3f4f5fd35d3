/* parallel.h - loops over threads; the only module that knows OpenMP.
 *
 * A loop over 0 ... n-1 is cut into chunks whose borders depend on n and the number of chunks
 * only, so that what is accumulated per chunk and combined in order of the chunks is the same for
 * any number of threads.
 *
 * An instance that was told how many threads to use always uses them.  One that was not, takes as
 * many as there are processors, or OMP_NUM_THREADS says, where that pays: on a busy machine the
 * threads of a loop wait for each other longer than one would work. Now and then a loop is timed:
 * threads win what all of them together worked, less what the loop took. Once they have lost more
 * than they may, the following loops run on one thread, for longer each time.
 */
#ifndef SNL_CORE_PARALLEL_H
#define SNL_CORE_PARALLEL_H

#include "instance.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_CHUNKS_MAX = 64 };

/* Runs the iterations from ... to-1, which are chunk number `chunk`. */
typedef void (*SnlLoopFn)(void *args, int64_t chunk, int64_t from, int64_t to);

/* Number of chunks for n iterations with at least so many in each; at most SNL_CHUNKS_MAX. */
int64_t snl_chunk_count(int64_t n, int64_t minimum);

/* The same for a loop whose iterations cost alike: a power of two, so that the threads' shares of a
 * few chunks are equal. */
int64_t snl_even_chunk_count(int64_t n, int64_t minimum);

/* The same for a loop of n columns, without sums: each thread has chunks of SNL_COLUMNS where there
 * are as many for it. */
int64_t snl_column_chunk_count(const SnlInstance *rt, int64_t n, int64_t minimum);

/* First iteration of a chunk; that of chunk number chunk_count is n. */
SNL_FN int64_t snl_chunk_start(int64_t n, int64_t chunk_count, int64_t chunk)
{
    int64_t length = n / chunk_count, rest = n % chunk_count;
    return length * chunk + (chunk < rest ? chunk : rest);
}

/* Runs all chunks, on the threads of the instance; in the caller where it is inside another loop,
 * or where there is one thread or one chunk.  Long chunks begin where the number of an iteration is
 * a multiple of 64, which in arrays begins a line of the cache.  Traces show the loop under the
 * name of the function. */
#define snl_parallel_for(rt, n, chunk_count, fn, args) \
    snl_parallel_for_named(rt, 0, n, chunk_count, fn, args, #fn)
/* The same for a loop whose first iteration has the number `first`; its chunks count from 0. */
#define snl_parallel_for_from(rt, first, n, chunk_count, fn, args) \
    snl_parallel_for_named(rt, first, n, chunk_count, fn, args, #fn)
void snl_parallel_for_named(SnlInstance *rt, int64_t first, int64_t n, int64_t chunk_count,
                            SnlLoopFn fn, void *args, const char *name);

/* Runs a loop that is one chunk, and asks for no memory, in the caller, who is in no other loop. */
#define snl_tiny_for(rt, n, fn, args) snl_one_chunk(rt, n, fn, args, fn(args, 0, 0, n))
/* The same, where `whole` is the function of all iterations. */
#define snl_whole_for(rt, n, fn, whole, args) snl_one_chunk(rt, n, fn, args, whole(args))
#define snl_one_chunk(rt, n, fn, args, call)               \
    do {                                                   \
        if (SNL_UNLIKELY((rt)->stats != NULL))             \
            snl_parallel_for(rt, n, 1, fn, args);          \
        else                                               \
            call;                                          \
    } while (0)

/* Number of threads among which the lists of a loop of so many chunks are dealt out, where each
 * runs all iterations for the lists that it owns; 1 where that does not pay. */
int64_t snl_owner_count(const SnlInstance *rt, int64_t chunk_count);

/* How many threads loops have from now on; 0: as many as pay. */
void snl_threads_start(SnlInstance *rt, int threads);

/* True while a loop of the instance runs on several threads; those of others, and of the host's own
 * OpenMP, do not count. */
bool snl_in_loop(const SnlInstance *rt);

/* True where the next loop that is started here would have several threads. */
bool snl_has_team(const SnlInstance *rt);

/* True if loops run on several threads now. */
SNL_FN bool snl_threads_pay(const SnlInstance *rt)
{
    return rt->threads > 1 && rt->pace.rest <= 0;
}

/* True while no loop runs on several threads: updates need no atomics. */
SNL_FN bool snl_alone(const SnlInstance *rt)
{
    return rt->alone;
}

/* Number of iterations of a range; 0 where it is empty, reversed, or the step is 0. */
SNL_FN int64_t snl_range_count(int64_t from, int64_t to, int64_t step)
{
    if (step > 0 && from < to)
        return (int64_t)(((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step) + 1;
    if (step < 0 && from > to)
        return (int64_t)(((uint64_t)from - (uint64_t)to - 1) / (0 - (uint64_t)step)) + 1;
    return 0;
}

/* The number after i in a range; `to` where it would lie behind that. */
SNL_FN int64_t snl_range_next(int64_t i, int64_t to, int64_t step)
{
    uint64_t left = step > 0 ? (uint64_t)to - (uint64_t)i : (uint64_t)i - (uint64_t)to;
    uint64_t by = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    return left > by ? i + step : to;
}

/* A sum of doubles kept to twice their precision: high + low. */
typedef struct {
    double high, low;
} SnlSum;

/* Adds a number; the two-sum of Knuth, The Art of Computer Programming 2, section 4.2.2. */
SNL_FN void snl_sum_add(SnlSum *sum, double x)
{
    double t = sum->high + x, back = t - sum->high;
    sum->low += (sum->high - (t - back)) + (x - back);
    sum->high = t;
}

/* The nearest double; that of infinity leaves over a NaN. */
SNL_FN double snl_sum_value(const SnlSum *sum)
{
    return sum->low == sum->low ? sum->high + sum->low : sum->high;
}

/* Places that floats are accumulated in by turns, so that no addition waits for the one before. */
enum { SNL_LANES = 64 };

/* Cells of a list that go through a loop together: lists are often short, and wider vectors no
 * faster. */
enum { SNL_ABREAST = 8 };

/* How many they are from cell `from` on. */
SNL_FN int64_t snl_abreast(int64_t from, int64_t to)
{
    return to - from < SNL_ABREAST ? to - from : (int64_t)SNL_ABREAST;
}

/* Neighbouring elements that go through sequential loops together. */
enum { SNL_STRIP = 32 };

/* 0, which is added to the stride at which such elements reach memory, so that C compilers do not
 * know it: of what lies a power of two apart gcc loads all that is between, for its vectors. */
SNL_FN int64_t snl_unknown_stride(void)
{
    int64_t more = 0;
    SNL_UNKNOWN(more);
    return more;
}

/* Such elements where each goes along its own column: rows of so many are long enough that lines
 * that share a few sets of the cache, as in arrays of powers of two, are used before they leave. */
enum { SNL_COLUMNS = 128 };

SNL_FN int64_t snl_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

SNL_FN int64_t snl_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The first of the iterations from `low` to `high` - 1 for which a sum leaves `rest` when it is
 * divided by `by`; `high`: there is none. The sum is `sum` for `low`, and grows by `growth` each
 * time, which is 1 or -1 but for multiples of `by`. -1: it gets below `least` or above `most`. */
SNL_FN int64_t snl_stride_first(int64_t low, int64_t high, int64_t sum, int64_t growth,
                                int64_t rest, int64_t by, int64_t least, int64_t most)
{
    const int64_t rounds = high - low - 1;
    if (rounds < 0)
        return high;
    if (rounds > INT32_MAX || sum < least || sum > most ||
        sum > most - snl_larger(growth, 0) * rounds ||
        sum < least - snl_smaller(growth, 0) * rounds)
        return -1;
    if (rest < 0 || rest >= by)
        return high;
    const int64_t away = rest - sum % by, steps = ((growth - 1) % by ? -away : away) % by;
    return snl_smaller(low + (steps < 0 ? steps + by : steps), high);
}

/* End of the strip of at most SNL_LANES iterations that starts at `from`. */
SNL_FN int64_t snl_strip_end(int64_t from, int64_t to)
{
    return to - from < SNL_LANES ? to : from + SNL_LANES;
}

/* Lets memory come into the second cache while the thread goes on. */
SNL_FN void snl_fetch(const void *at, uint64_t bytes)
{
    for (uint64_t k = 0; k < bytes; k += 64)
        SNL_PREFETCH((const char *)at + k, 0, 2);
}

/* The same for one of `parts` parts of it, which an iteration over as many asks for: all at once
 * would keep other lines waiting. */
SNL_INLINE void snl_fetch_part(const void *at, uint64_t bytes, int64_t part, int64_t parts)
{
    const int64_t lines = (int64_t)((bytes + 63) / 64), each = (lines + parts - 1) / parts;
    for (int64_t k = 0; k < each; k++)
        if (lines % parts == 0 || part * each + k < lines)
            SNL_PREFETCH((const char *)at + (part * each + k) * 64, 0, 2);
}

/* Lets the line of an address, which may be any, come into the caches to be written. */
SNL_FN void snl_fetch_to_write(const void *at)
{
    SNL_PREFETCH(at, 1, 3);
}

/* Sums to twice the precision of double, one a lane. Loops of few iterations, which come again and
 * again, begin at the lane `turn`, each time another: none waits for the one before. */
typedef struct {
    double high[SNL_LANES], low[SNL_LANES];
    int64_t turn;
} SnlSums;

SNL_FN void snl_sums_add(SnlSums *sums, int64_t lane, double x)
{
    double t = sums->high[lane] + x, back = t - sums->high[lane];
    sums->low[lane] += (sums->high[lane] - (t - back)) + (x - back);
    sums->high[lane] = t;
}

/* Floats that are collected before they are added to sums, and those of a row that are added at
 * once; they are taken by SNL_TERM_LANES. */
enum { SNL_TERMS = 128, SNL_ROW_TERMS = 256, SNL_TERM_LANES = 16 };

/* End of the strip of at most SNL_TERMS iterations that starts at `from`; of SNL_ROW_TERMS. */
SNL_FN int64_t snl_terms_end(int64_t from, int64_t to)
{
    return to - from < SNL_TERMS ? to : from + SNL_TERMS;
}

SNL_FN int64_t snl_row_terms_end(int64_t from, int64_t to)
{
    return to - from < SNL_ROW_TERMS ? to : from + SNL_ROW_TERMS;
}

/* Adds `count` floats one by one: best where they are fewer than SNL_FEW_TERMS. */
enum { SNL_FEW_TERMS = 32 };
void snl_sums_add_few(SnlSums *sums, const float *x, int64_t count);

/* Adds `count` floats, a multiple of SNL_TERM_LANES, at most SNL_ROW_TERMS. If the largest of a
 * lane is less than 2^23 of its smallest that is not 0, as is usual, the sums of up to 32 of it
 * have less than 53 bits from the first to the last and are exact; then only the sums of the lanes
 * need twice the precision. Bits without their sign compare as the numbers do; negated, that of 0
 * is the least. */
SNL_INLINE void snl_sums_add_terms(SnlSums *sums, const float *x, int count)
{
    uint32_t most[SNL_TERM_LANES] = {0}, least[SNL_TERM_LANES] = {0}, wide[SNL_TERM_LANES];
    const uint32_t none[SNL_TERM_LANES] = {0};
    double part[SNL_TERM_LANES] = {0};
    for (int i = 0; i < count; i += SNL_TERM_LANES) {
        SNL_SIMD
        for (int lane = 0; lane < SNL_TERM_LANES; lane++) {
            uint32_t bits;
            memcpy(&bits, &x[i + lane], sizeof bits);
            bits += bits;
            most[lane] = bits > most[lane] ? bits : most[lane];
            bits = 0u - bits;
            least[lane] = bits > least[lane] ? bits : least[lane];
            part[lane] += (double)x[i + lane];
        }
    }
    SNL_SIMD
    for (int lane = 0; lane < SNL_TERM_LANES; lane++)
        wide[lane] = most[lane] + least[lane] < 23u << 24 && most[lane] < 0xff000000u ? 0u : 1u;
    if (SNL_LIKELY(memcmp(wide, none, sizeof wide) == 0)) {
        SNL_SIMD
        for (int lane = 0; lane < SNL_TERM_LANES; lane++)
            snl_sums_add(sums, lane, part[lane]);
        return;
    }
    for (int i = 0; i < count; i += SNL_TERM_LANES) {
        SNL_SIMD
        for (int lane = 0; lane < SNL_TERM_LANES; lane++)
            snl_sums_add(sums, i % SNL_LANES + lane, (double)x[i + lane]);
    }
}

/* Adds `count` floats; what the array of SNL_TERMS has behind them becomes zero. */
SNL_FN void snl_sums_add_floats(SnlSums *sums, float *x, int64_t count)
{
    if (count < SNL_FEW_TERMS) {
        snl_sums_add_few(sums, x, count);
        return;
    }
    if (count < SNL_TERMS)
        memset(&x[count], 0, (size_t)(SNL_TERMS - count) * sizeof *x);
    snl_sums_add_terms(sums, x, SNL_TERMS);
}

/* Adds up to SNL_ROW_TERMS floats of a row, where they lie. */
SNL_FN void snl_sums_add_row(SnlSums *sums, const float *x, int64_t count)
{
    const int64_t some = count < SNL_FEW_TERMS ? 0 : count - count % SNL_TERM_LANES;
    if (some > 0)
        snl_sums_add_terms(sums, x, (int)some);
    if (some < count)
        snl_sums_add_few(sums, x + some, count - some);
}

/* The sum of all lanes. */
SNL_FN SnlSum snl_sums_total(const SnlSums *sums)
{
    SnlSum all = {0, 0};
    for (int lane = 0; lane < SNL_LANES; lane++) {
        snl_sum_add(&all, sums->high[lane]);
        all.low += sums->low[lane];
    }
    return all;
}

/* Number of the calling thread in the loop that runs, from 0 on. */
int snl_thread_number(void);

/* Number of threads that OpenMP would use: of processors, or OMP_NUM_THREADS. */
int snl_most_threads(void);

#ifdef __cplusplus
}
#endif

#endif
