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

/* Counts the run that ends now. */
static void
end_run(SnlMeasure *m, double seconds)
{
    bool slow;
    bool full = m->count == m->repeats;         /* this was the run that tells the kernels apart */
    if (m->runs++ >= m->warmup && !full)
        m->samples[m->count++] = seconds;
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
    if (m->begun && !m->ended)
        end_run(m, now - m->start);
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
