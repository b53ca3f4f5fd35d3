/* stats.c - records of the calls of kernels. */
#include "stats_records.h"

enum {
    KERNELS_START = 16,
    EVENTS_START = 4096,
    EVENTS_MAX = 1 << 22 /* later ones are not in the trace */
};

void
snl_stats_free(SnlInstance *rt)
{
    SnlStats *s = rt->stats;
    if (!s)
        return;
    snl_memory_lazy_put(rt, s->kernels, (size_t)s->kernel_room * sizeof(SnlKernelRecord));
    snl_memory_lazy_put(rt, s->events, (size_t)s->event_room * sizeof(SnlEvent));
    snl_memory_lazy_put(rt, s, sizeof(SnlStats));
    rt->stats = NULL;
}

void
snl_stats_begin(SnlInstance *rt, bool events)
{
    static const SnlOwner owner = {NULL, snl_stats_free};
    if (!rt->stats)
        rt->stats = snl_memory_lazy(rt, sizeof(SnlStats));
    if (!rt->stats)
        return;
    snl_own(rt, &owner);
    rt->stats->start = snl_clock();
    rt->stats->keeps_events = events;
}

void
snl_stats_restart(SnlInstance *rt)
{
    snl_stats_begin(rt, false);
    if (rt->stats)
        rt->stats->kernel_count = 0;
}

/* The items with room for one more than *room, or NULL. */
static void *
grow(SnlInstance *rt, void *items, int64_t *room, int64_t start, size_t bytes)
{
    int64_t wanted = *room ? 2 * *room : start;
    void *larger = snl_memory_lazy(rt, (size_t)wanted * bytes);
    if (!larger)
        return NULL;
    if (items)
        memcpy(larger, items, (size_t)*room * bytes);
    snl_memory_lazy_put(rt, items, (size_t)*room * bytes);
    *room = wanted;
    return larger;
}

static SnlKernelRecord *
find_kernel(SnlInstance *rt, SnlStats *s, const char *name)
{
    for (int64_t k = 0; k < s->kernel_count; k++)
        if (s->kernels[k].name == name)
            return &s->kernels[k];
    if (s->kernel_count == s->kernel_room) {
        SnlKernelRecord *larger =
            grow(rt, s->kernels, &s->kernel_room, KERNELS_START, sizeof(SnlKernelRecord));
        if (!larger)
            return NULL;
        s->kernels = larger;
    }
    s->kernels[s->kernel_count] = (SnlKernelRecord){.name = name};
    return &s->kernels[s->kernel_count++];
}

static void
add_event(SnlInstance *rt, SnlStats *s, SnlEventKind kind, const char *name, int64_t count,
          int thread, double start, double seconds)
{
    if (s->event_count == s->event_room) {
        SnlEvent *larger = s->event_room < EVENTS_MAX
                               ? grow(rt, s->events, &s->event_room, EVENTS_START, sizeof(SnlEvent))
                               : NULL;
        if (!larger) {
            s->events_lost++;
            return;
        }
        s->events = larger;
    }
    s->events[s->event_count++] =
        (SnlEvent){kind, name, count, thread, start - s->start, seconds, rt->bytes_used};
}

void
snl_stats_call_begin(SnlInstance *rt)
{
    SnlStats *s = rt->stats;
    s->call_start = snl_clock();
}

void
snl_stats_call_end(SnlInstance *rt, const char *kernel)
{
    SnlStats *s = rt->stats;
    double seconds = snl_clock() - s->call_start;
    SnlKernelRecord *k = find_kernel(rt, s, kernel);
    if (k) {
        k->least = k->calls == 0 || seconds < k->least ? seconds : k->least;
        k->most = seconds > k->most ? seconds : k->most;
        k->total += seconds;
        k->calls++;
    }
    if (s->keeps_events)
        add_event(rt, s, SNL_EVENT_KERNEL, kernel, 0, 0, s->call_start, seconds);
}

void
snl_event_end(SnlInstance *rt, SnlEventKind kind, const char *name, int64_t count, double start)
{
    SnlStats *s = rt->stats;
    if (s && s->keeps_events && start > 0)
        add_event(rt, s, kind, name, count, 0, start, snl_clock() - start);
}

void
snl_event_part(SnlInstance *rt, const char *loop, int thread, double from, double to)
{
    SnlStats *s = rt->stats;
    if (s && s->keeps_events)
        add_event(rt, s, SNL_EVENT_PART, loop, 0, thread, from, to - from);
}
