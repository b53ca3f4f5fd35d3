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
          double start, double seconds)
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
    s->events[s->event_count++] = (Event){ kind, name, count, start - s->start, seconds,
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
        add_event(rt, s, SNL_EVENT_KERNEL, kernel, 0, s->call_start, seconds);
}

void
snl_event_end(SnlInstance *rt, SnlEventKind kind, const char *name, int64_t count, double start)
{
    Stats *s = rt->stats;
    if (s && s->keeps_events && start > 0)
        add_event(rt, s, kind, name, count, start, snl_clock() - start);
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

/* The field that is alone in a layout, NULL when there are others. */
static const char *
only_field(const SnlTreeDesc *d)
{
    for (int i = 1; i < d->leaf_count; i++)
        if (strcmp(d->leaves[i].field, d->leaves[0].field))
            return NULL;
    return d->leaf_count ? d->leaves[0].field : NULL;
}

/* Nodes are indented under those they lie in. Layouts have the titles that snlc layout gives. */
static void
write_tree(SnlTree *tree, int number, FILE *out)
{
    char name[160];
    const char *field = only_field(tree->desc);
    if (tree->desc->name)
        snprintf(name, sizeof name, "layout '%.100s'", tree->desc->name);
    else if (field)
        snprintf(name, sizeof name, "layout %d of field '%.100s'", number + 1, field);
    else
        snprintf(name, sizeof name, "layout %d", number + 1);
    fprintf(out, "%-36s %14s %16lld\n", name, "", (long long)snl_tree_memory(tree));
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
snl_stats_write(SnlInstance *rt, SnlTree *const *trees, int tree_count, FILE *out)
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
            write_tree(trees[k], k, out);
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

static void
write_event(const Event *e, FILE *out)
{
    static const char *const kinds[] = { "kernel", "loop", "list", "gc" };
    static const char *const counts[] = { NULL, "iterations", "cells", NULL };
    fprintf(out, ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": ", kinds[e->kind]);
    write_string(e->name, out);
    fprintf(out, ", \"pid\": 1, \"tid\": 1, \"ts\": %.3f, \"dur\": %.3f", 1e6 * e->start,
            1e6 * e->seconds);
    if (counts[e->kind])
        fprintf(out, ", \"args\": {\"%s\": %lld}", counts[e->kind], (long long)e->count);
    putc('}', out);
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
write_name(const char *what, const char *name, FILE *out)
{
    fprintf(out, "{\"ph\": \"M\", \"name\": \"%s\", \"pid\": 1, \"tid\": 1, \"args\": {\"name\": ",
            what);
    write_string(name, out);
    fputs("}}", out);
}

/* Times rise along each of the two tracks: what ran, and memory. */
void
snl_trace_write(SnlInstance *rt, const char *program, FILE *out)
{
    const Stats *s = rt->stats;
    uint64_t bytes = 0;
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", out);
    write_name("process_name", program, out);
    fputs(",\n", out);
    write_name("thread_name", "kernels", out);
    if (s && s->event_count)
        qsort(s->events, (size_t)s->event_count, sizeof(Event), by_start);
    for (int64_t k = 0; s && k < s->event_count; k++)
        write_event(&s->events[k], out);
    if (s && s->event_count)
        qsort(s->events, (size_t)s->event_count, sizeof(Event), by_end);
    for (int64_t k = 0; s && k < s->event_count; k++) {
        const Event *e = &s->events[k];
        if (k == 0 || e->bytes != bytes)
            fprintf(
                out,
                ",\n{\"ph\": \"C\", \"name\": \"memory\", \"pid\": 1, \"tid\": 1, \"ts\": %.3f, "
                "\"args\": {\"bytes\": %llu}}",
                1e6 * (e->start + e->seconds), (unsigned long long)e->bytes);
        bytes = e->bytes;
    }
    fprintf(out, "\n], \"otherData\": {\"events not in the trace\": %lld}}\n",
            s ? (long long)s->events_lost : 0LL);
}
