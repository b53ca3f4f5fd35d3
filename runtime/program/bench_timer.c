/* bench_timer.c - times the runs of a benchmark's loop. */
#include "bench_timer.h"

static void
write_measure(SnlInstance *rt, const SnlMeasure *m, double items)
{
    fprintf(m->out, "items %.17g\nbytes %llu\n", items, (unsigned long long)rt->bytes_used);
    for (int k = 0; k < m->count; k++)
        fprintf(m->out, "sample %.9f\n", m->samples[k]);
    if (m->profile)
        snl_stats_lines(rt, m->out);
}

/* Decides of how many runs a sample is the mean, from those that were not counted. */
static void
choose_batch(SnlMeasure *m)
{
    enum { BATCH_MOST = 1000000 };
    const double each = m->least / m->repeats;
    m->batch = 1;
    if (m->warmup > 0 && each > m->quickest)
        m->batch = each < BATCH_MOST * m->quickest ? (int)(each / m->quickest) + 1 : BATCH_MOST;
}

/* How many runs the sample has: those that are not counted, and the last, are alone. */
static int
sample_runs(const SnlMeasure *m)
{
    return m->batch > 1 && m->runs >= m->warmup && m->count < m->repeats ? m->batch : 1;
}

/* Counts the sample that ends now. */
static void
end_sample(SnlMeasure *m, double seconds)
{
    bool slow;
    bool full = m->count == m->repeats;         /* this was the run that tells the kernels apart */
    if (m->runs < m->warmup && (m->runs == 0 || seconds < m->quickest))
        m->quickest = seconds;
    else if (m->runs >= m->warmup && !full)
        m->samples[m->count++] = seconds / sample_runs(m);
    m->runs++;
    m->in_batch = 0;
    if (m->runs == m->warmup)
        choose_batch(m);
    slow = m->limit > 0 && m->count == 2 && m->samples[0] > m->limit && m->samples[1] > m->limit;
    m->ended = slow || full || (m->count == m->repeats && !m->profile);
}

bool
snl_measure(SnlInstance *rt, double items)
{
    SnlMeasure *m = rt->measure;
    double now = snl_clock();
    bool once = !rt->measured;
    rt->measured = true;
    if (!m)
        return once;
    if (m->begun && !m->ended && ++m->in_batch < sample_runs(m))
        return true;
    if (m->begun && !m->ended)
        end_sample(m, now - m->start);
    m->begun = true;
    if (m->ended) {
        write_measure(rt, m, items);
        return false;
    }
    if (m->count == m->repeats)
        snl_stats_restart(rt);
    m->start = snl_clock();
    return true;
}
