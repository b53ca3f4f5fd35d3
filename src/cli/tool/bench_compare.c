/* Times of two programs, or of one before and after, beside each other: their ratio, an interval
 * that the ratio lies in, and a word that is no more certain than the interval.
 *
 * Processes that take turns share what the machine does meanwhile: each round gives a ratio, and
 * the interval is that of the sign test. Files were written at different times. Their interval is
 * that of Mann and Whitney's test, which knows nothing of the time between, so more is asked of
 * them. */
#include "config.h"

#include "cli/tool/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ratios that differ from 1 by less are called the same: by turns; in two files. */
static const double SAME_BY_TURNS = 0.02, SAME_IN_FILES = 0.05;

/* 99 of 100 lie so many deviations from the mean. */
static const double DEVIATIONS = 2.5758;

typedef struct {
    double low, ratio, high;
} Interval;

static int
by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The interval of Hodges and Lehmann: of the ratios of all pairs, those between which the median
 * lies. */
static Interval
files_interval(Arena *a, const Samples *x, const Samples *y)
{
    const double n = x->count, m = y->count;
    const int count = x->count * y->count;
    double *ratios = ARENA_ARRAY(a, double, count);
    int k = 0;
    for (int i = 0; i < x->count; i++)
        for (int j = 0; j < y->count; j++)
            ratios[k++] = x->items[i] > 0 ? y->items[j] / x->items[i] : 1;
    qsort(ratios, (size_t)count, sizeof *ratios, by_size);
    const double away = floor(n * m / 2 - DEVIATIONS * sqrt(n * m * (n + m + 1) / 12));
    const int cut = away > 0 ? (int)away : 0;
    return (Interval){ratios[cut], (ratios[(count - 1) / 2] + ratios[count / 2]) / 2,
                      ratios[count - 1 - cut]};
}

/* The interval of the sign test: without so many rounds at either end that it misses the ratio in
 * less than one of a hundred comparisons. */
static Interval
turns_interval(Arena *a, const BenchPair *pair)
{
    const int count = pair->before.count;
    double *ratios = ARENA_ARRAY(a, double, count), chance = pow(0.5, count), below = chance;
    int cut = 0;
    for (int i = 0; i < count; i++)
        ratios[i] = pair->after.items[i] / pair->before.items[i];
    qsort(ratios, (size_t)count, sizeof *ratios, by_size);
    while (cut < count / 2) {
        chance *= (double)(count - cut) / (cut + 1);
        if (2 * (below + chance) > 0.01)
            break;
        below += chance;
        cut++;
    }
    return (Interval){ratios[cut], (ratios[(count - 1) / 2] + ratios[count / 2]) / 2,
                      ratios[count - 1 - cut]};
}

/* What an interval says; `same` is how far from 1 is no difference. */
static const char *
word_of(Interval i, double same)
{
    if (fabs(i.ratio - 1) < same || (i.low <= 1 && i.high >= 1))
        return "the same";
    return i.ratio < 1 ? "faster" : "slower";
}

static void
write_head(int width, Text *out)
{
    text_line(out, "%-*s  threads  %10s  %10s  time ratio  interval", width, "benchmark", "before",
              "after");
}

static void
write_row(Arena *a, int width, const char *title, int threads, double before, double after,
          Interval i, const char *word, Text *out)
{
    text_line(out, "%-*s  %7s  %10s  %10s  %10.3f  %.3f to %.3f  %s", width, title,
              bench_threads_text(a, threads), bench_time_text(a, before),
              bench_time_text(a, after), i.ratio, i.low, i.high, word);
}

static int
wider(int width, const char *title)
{
    return (int)strlen(title) > width ? (int)strlen(title) : width;
}

static const BenchResult *
find_result(const BenchResults *all, const BenchResult *like)
{
    for (int i = 0; i < all->count; i++)
        if (all->items[i].threads == like->threads && !strcmp(all->items[i].title, like->title))
            return &all->items[i];
    return NULL;
}

int
bench_compare(Arena *a, const BenchResults *before, const BenchResults *after, Text *out)
{
    int width = 9, count = 0;
    for (int i = 0; i < before->count; i++)
        width = wider(width, before->items[i].title);
    write_head(width, out);
    for (int i = 0; i < before->count; i++) {
        const BenchResult *x = &before->items[i], *y = find_result(after, x);
        if (!y)
            continue;
        const Interval interval = files_interval(a, &x->samples, &y->samples);
        const char *word = word_of(interval, SAME_IN_FILES);
        if (!bench_can_tell(x->samples.count, y->samples.count))
            word = "too few samples";
        else if (bench_chance(a, &x->samples, &y->samples) > BENCH_CHANCE)
            word = "the same";
        write_row(a, width, x->title, x->threads, bench_summary(a, &x->samples).median,
                  bench_summary(a, &y->samples).median, interval, word, out);
        count++;
    }
    return count;
}

void
bench_compare_pairs(Arena *a, const BenchPairs *pairs, Text *out)
{
    int width = 9;
    for (int i = 0; i < pairs->count; i++)
        width = wider(width, pairs->items[i].title);
    write_head(width, out);
    for (int i = 0; i < pairs->count; i++) {
        const BenchPair *p = &pairs->items[i];
        const Interval interval = turns_interval(a, p);
        write_row(a, width, p->title, p->threads, bench_summary(a, &p->before).median,
                  bench_summary(a, &p->after).median, interval, word_of(interval, SAME_BY_TURNS),
                  out);
    }
}
