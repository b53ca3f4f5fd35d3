/* stats.c - records of the calls of kernels, and the reports made of them. */
#include "stats.h"

#include <stdlib.h>

#include "program.h"

enum {
    KERNELS_START = 16,
    EVENTS_START = 4096,
    EVENTS_MAX = 1 << 22        /* later ones are not in the trace */
};

typedef struct {
    const char *name;
    int64_t calls;
    double total, least, most;
} Kernel;

typedef struct {
    SnlEventKind kind;
    const char *name;
    int64_t count;              /* iterations of a loop, cells of a list */
    int thread;
    double start, seconds;
    uint64_t bytes;             /* of the instance, at the end */
} Event;

typedef struct SnlStats {
    double start, call_start;   /* of the call of a kernel that runs */
    bool keeps_events;
    Kernel *kernels;            /* by first call */
    int64_t kernel_count, kernel_room;
    Event *events;
    int64_t event_count, event_room, events_lost;
} Stats;

/* ---- records ---- */

void
snl_stats_begin(SnlInstance *rt, bool events)
{
    if (!rt->stats)
        rt->stats = snl_memory_lazy(rt, sizeof(Stats));
    if (!rt->stats)
        return;
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

void
snl_stats_free(SnlInstance *rt)
{
    Stats *s = rt->stats;
    if (!s)
        return;
    snl_memory_lazy_put(rt, s->kernels, (size_t)s->kernel_room * sizeof(Kernel));
    snl_memory_lazy_put(rt, s->events, (size_t)s->event_room * sizeof(Event));
    snl_memory_lazy_put(rt, s, sizeof(Stats));
    rt->stats = NULL;
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

static Kernel *
find_kernel(SnlInstance *rt, Stats *s, const char *name)
{
    for (int64_t k = 0; k < s->kernel_count; k++)
        if (s->kernels[k].name == name)
            return &s->kernels[k];
    if (s->kernel_count == s->kernel_room) {
        Kernel *larger = grow(rt, s->kernels, &s->kernel_room, KERNELS_START, sizeof(Kernel));
        if (!larger)
            return NULL;
        s->kernels = larger;
    }
    s->kernels[s->kernel_count] = (Kernel){ .name = name };
    return &s->kernels[s->kernel_count++];
}

static void
add_event(SnlInstance *rt, Stats *s, SnlEventKind kind, const char *name, int64_t count,
          int thread, double start, double seconds)
{
    if (s->event_count == s->event_room) {
        Event *larger = s->event_room < EVENTS_MAX
                            ? grow(rt, s->events, &s->event_room, EVENTS_START, sizeof(Event))
                            : NULL;
        if (!larger) {
            s->events_lost++;
            return;
        }
        s->events = larger;
    }
    s->events[s->event_count++] = (Event){ kind, name, count, thread, start - s->start, seconds,
                                         rt->bytes_used };
}

void
snl_stats_call_begin(SnlInstance *rt)
{
    Stats *s = rt->stats;
    s->call_start = snl_clock();
}

void
snl_stats_call_end(SnlInstance *rt, const char *kernel)
{
    Stats *s = rt->stats;
    double seconds = snl_clock() - s->call_start;
    Kernel *k = find_kernel(rt, s, kernel);
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
    Stats *s = rt->stats;
    if (s && s->keeps_events && start > 0)
        add_event(rt, s, kind, name, count, 0, start, snl_clock() - start);
}

void
snl_event_part(SnlInstance *rt, const char *loop, int thread, double from, double to)
{
    Stats *s = rt->stats;
    if (s && s->keeps_events)
        add_event(rt, s, SNL_EVENT_PART, loop, 0, thread, from, to - from);
}

/* ---- the table ---- */

static int
by_total(const void *a, const void *b)
{
    double x = ((const Kernel *)a)->total, y = ((const Kernel *)b)->total;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void
write_kernels(Stats *s, FILE *out)
{
    double all = 0, run = snl_clock() - s->start;
    int width = 13;
    for (int64_t k = 0; k < s->kernel_count; k++) {
        int n = (int)strlen(s->kernels[k].name);
        width = n > width ? n : width;
        all += s->kernels[k].total;
    }
    qsort(s->kernels, (size_t)s->kernel_count, sizeof(Kernel), by_total);
    fprintf(out, "%-*s %10s %12s %7s %12s %12s %12s\n", width, "kernel", "calls", "seconds",
            "of run", "mean us", "least us", "most us");
    for (int64_t k = 0; k < s->kernel_count; k++) {
        const Kernel *n = &s->kernels[k];
        fprintf(out, "%-*s %10lld %12.6f %6.1f%% %12.2f %12.2f %12.2f\n", width, n->name,
                (long long)n->calls, n->total, run > 0 ? 100 * n->total / run : 0,
                1e6 * n->total / (double)n->calls, 1e6 * n->least, 1e6 * n->most);
    }
    fprintf(out, "%-*s %10s %12.6f %6.1f%%\n", width, "(all kernels)", "", all,
            run > 0 ? 100 * all / run : 0);
    fprintf(out, "%-*s %10s %12.6f\n", width, "(run)", "", run);
}

void
snl_stats_lines(SnlInstance *rt, FILE *out)
{
    Stats *s = rt->stats;
    if (!s)
        return;
    qsort(s->kernels, (size_t)s->kernel_count, sizeof(Kernel), by_total);
    for (int64_t k = 0; k < s->kernel_count; k++)
        fprintf(out, "kernel %lld %.9f %s\n", (long long)s->kernels[k].calls, s->kernels[k].total,
                s->kernels[k].name);
}

/* Nodes are indented under those they lie in. */
static void
write_tree(SnlTree *tree, const char *title, FILE *out)
{
    char name[160];
    fprintf(out, "%-36s %14s %16lld\n", title, "", (long long)snl_tree_memory(tree));
    for (int k = 0; k < tree->node_count; k++) {
        const SnlNodeDesc *n = &tree->nodes[k].desc;
        long long bytes = (long long)snl_tree_node_memory(tree, k);
        int depth = 1;
        for (int up = n->parent; up >= 0; up = tree->nodes[up].desc.parent)
            depth++;
        snprintf(name, sizeof name, "%*s%s%s%s", 2 * depth, "", n->name, n->label ? " " : "",
                 n->label ? n->label : "");
        fprintf(out, "%-36s %14lld %16lld\n", name, (long long)snl_tree_active(tree, k), bytes);
    }
}

void
snl_stats_write(SnlInstance *rt, SnlTree *const *trees, const char *const *titles, int tree_count,
                FILE *out)
{
    if (rt->stats) {
        rt->stats->keeps_events = false;        /* counting active cells is no part of the run */
        write_kernels(rt->stats, out);
    } else
        fputs("there was no memory for records of the kernels\n", out);
    if (rt->graph_starts && *rt->graph_starts)
        fprintf(out, "%lld iterations of loops around kernels were started as graphs\n",
                (long long)*rt->graph_starts);
    if (tree_count)
        fprintf(out, "\n%-36s %14s %16s\n", "node", "active cells", "bytes");
    for (int k = 0; k < tree_count; k++)
        if (trees[k])
            write_tree(trees[k], titles[k], out);
}

/* ---- the trace ---- */

/* Writes a string in quotes. */
static void
write_string(const char *s, FILE *out)
{
    putc('"', out);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            putc('\\', out);
        if ((unsigned char)*s < 0x20)
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*s);
        else
            putc(*s, out);
    }
    putc('"', out);
}

/* The places of events; those asked for last are kept, for loops come again and again. */
typedef struct {
    const SnlEventPlace *places;
    int count;
    struct {
        const char *name;
        const SnlEventPlace *place;
    } last[64];
} Places;

/* Is the place that of an event?  A version of a loop has the name of the loop and a word; kernels
 * have no title. */
static bool
place_has(const SnlEventPlace *place, const char *name)
{
    const size_t n = strlen(place->name);
    return !strncmp(place->name, name, n) && (!name[n] || (place->title && name[n] == '_'));
}

/* The place of an event, or NULL. */
static const SnlEventPlace *
find_place(Places *p, const char *name)
{
    const size_t slot = (uintptr_t)name / 8 % (sizeof p->last / sizeof p->last[0]);
    if (p->last[slot].name != name) {
        p->last[slot].name = name;
        p->last[slot].place = NULL;
        for (int k = 0; k < p->count && !p->last[slot].place; k++)
            if (place_has(&p->places[k], name))
                p->last[slot].place = &p->places[k];
    }
    return p->last[slot].place;
}

static void
write_event(Places *places, const Event *e, FILE *out)
{
    static const char *const kinds[] = { "kernel", "loop", "list", "gc", "thread" };
    static const char *const counts[] = { NULL, "iterations", "cells", NULL, NULL };
    const SnlEventPlace *place = find_place(places, e->name);
    fprintf(out, ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": ", kinds[e->kind]);
    write_string(place && place->title ? place->title : e->name, out);
    fprintf(out, ", \"pid\": 1, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f, \"args\": {",
            e->thread + 1, 1e6 * e->start, 1e6 * e->seconds);
    if (counts[e->kind])
        fprintf(out, "\"%s\": %lld%s", counts[e->kind], (long long)e->count, place ? ", " : "");
    if (place) {
        fputs("\"path\": ", out);
        write_string(place->path, out);
        fprintf(out, ", \"line\": %d", place->line);
    }
    fputs("}}", out);
}

/* By their start; what lies inside of another comes after it. */
static int
by_start(const void *a, const void *b)
{
    const Event *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->seconds > y->seconds ? -1 : x->seconds < y->seconds;
}

static int
by_end(const void *a, const void *b)
{
    double x = ((const Event *)a)->start + ((const Event *)a)->seconds;
    double y = ((const Event *)b)->start + ((const Event *)b)->seconds;
    return x < y ? -1 : x > y;
}

static void
write_name(const char *what, int thread, const char *name, FILE *out)
{
    fprintf(out,
            "{\"ph\": \"M\", \"name\": \"%s\", \"pid\": 1, \"tid\": %d, \"args\": {\"name\": ",
            what, thread + 1);
    write_string(name, out);
    fputs("}}", out);
}

/* Names the tracks: that of the host, and those of the other threads. */
static void
write_tracks(const Stats *s, const char *program, FILE *out)
{
    char name[32];
    int threads = 1;
    for (int64_t k = 0; s && k < s->event_count; k++)
        if (s->events[k].thread >= threads)
            threads = s->events[k].thread + 1;
    write_name("process_name", 0, program, out);
    fputs(",\n", out);
    write_name("thread_name", 0, "kernels", out);
    for (int t = 1; t < threads; t++) {
        snprintf(name, sizeof name, "thread %d", t);
        fputs(",\n", out);
        write_name("thread_name", t, name, out);
    }
}

/* How much memory was in use at the end of events. */
static void
write_memory(Stats *s, FILE *out)
{
    uint64_t bytes = UINT64_MAX;
    if (s->event_count)
        qsort(s->events, (size_t)s->event_count, sizeof(Event), by_end);
    for (int64_t k = 0; k < s->event_count; k++) {
        const Event *e = &s->events[k];
        if (e->kind != SNL_EVENT_PART && e->bytes != bytes) {
            fprintf(out,
                    ",\n{\"ph\": \"C\", \"name\": \"memory\", \"pid\": 1, \"tid\": 1, "
                    "\"ts\": %.3f, \"args\": {\"bytes\": %llu}}",
                    1e6 * (e->start + e->seconds), (unsigned long long)e->bytes);
            bytes = e->bytes;
        }
    }
}

/* Times rise along each track. */
void
snl_trace_write(SnlInstance *rt, const char *program, const SnlEventPlace *places, int place_count,
                FILE *out)
{
    Stats *s = rt->stats;
    Places known = { .places = places, .count = place_count };
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", out);
    write_tracks(s, program, out);
    if (s && s->event_count)
        qsort(s->events, (size_t)s->event_count, sizeof(Event), by_start);
    for (int64_t k = 0; s && k < s->event_count; k++)
        write_event(&known, &s->events[k], out);
    if (s)
        write_memory(s, out);
    fprintf(out, "\n], \"otherData\": {\"events not in the trace\": %lld}}\n",
            s ? (long long)s->events_lost : 0LL);
}
