/* stats_report.c - reports of the calls of kernels: the table of --stats, the events of --trace. */
#include "stats_records.h"

#include <stdlib.h>

#include "program.h"

/* ---- the table ---- */

static int
by_total(const void *a, const void *b)
{
    double x = ((const SnlKernelRecord *)a)->total, y = ((const SnlKernelRecord *)b)->total;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void
write_kernels(SnlStats *s, FILE *out)
{
    double all = 0, run = snl_clock() - s->start;
    int width = 13;
    for (int64_t k = 0; k < s->kernel_count; k++) {
        int n = (int)strlen(s->kernels[k].name);
        width = n > width ? n : width;
        all += s->kernels[k].total;
    }
    qsort(s->kernels, (size_t)s->kernel_count, sizeof(SnlKernelRecord), by_total);
    fprintf(out, "%-*s %10s %12s %7s %12s %12s %12s\n", width, "kernel", "calls", "seconds",
            "of run", "mean us", "least us", "most us");
    for (int64_t k = 0; k < s->kernel_count; k++) {
        const SnlKernelRecord *n = &s->kernels[k];
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
    SnlStats *s = rt->stats;
    if (!s)
        return;
    qsort(s->kernels, (size_t)s->kernel_count, sizeof(SnlKernelRecord), by_total);
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
        rt->stats->keeps_events = false; /* counting active cells is no part of the run */
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
write_event(Places *places, const SnlEvent *e, FILE *out)
{
    static const char *const kinds[] = {"kernel", "loop", "list", "gc", "thread"};
    static const char *const counts[] = {NULL, "iterations", "cells", NULL, NULL};
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
    const SnlEvent *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->seconds > y->seconds ? -1 : x->seconds < y->seconds;
}

static int
by_end(const void *a, const void *b)
{
    double x = ((const SnlEvent *)a)->start + ((const SnlEvent *)a)->seconds;
    double y = ((const SnlEvent *)b)->start + ((const SnlEvent *)b)->seconds;
    return x < y ? -1 : x > y;
}

static void
write_name(const char *what, int thread, const char *name, FILE *out)
{
    fprintf(out, "{\"ph\": \"M\", \"name\": \"%s\", \"pid\": 1, \"tid\": %d, \"args\": {\"name\": ",
            what, thread + 1);
    write_string(name, out);
    fputs("}}", out);
}

/* Names the tracks: that of the host, and those of the other threads. */
static void
write_tracks(const SnlStats *s, const char *program, FILE *out)
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
write_memory(SnlStats *s, FILE *out)
{
    uint64_t bytes = UINT64_MAX;
    if (s->event_count)
        qsort(s->events, (size_t)s->event_count, sizeof(SnlEvent), by_end);
    for (int64_t k = 0; k < s->event_count; k++) {
        const SnlEvent *e = &s->events[k];
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
    SnlStats *s = rt->stats;
    Places known = {.places = places, .count = place_count};
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", out);
    write_tracks(s, program, out);
    if (s && s->event_count)
        qsort(s->events, (size_t)s->event_count, sizeof(SnlEvent), by_start);
    for (int64_t k = 0; s && k < s->event_count; k++)
        write_event(&known, &s->events[k], out);
    if (s)
        write_memory(s, out);
    fprintf(out, "\n], \"otherData\": {\"events not in the trace\": %lld}}\n",
            s ? (long long)s->events_lost : 0LL);
}
