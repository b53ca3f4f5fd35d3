/* stats.h - what --stats and --trace tell: calls of kernels and their times, memory of nodes.
 *
 * Kernels mark their calls; without records, which the command line of executables asks for, that
 * is one test.  The records belong to the instance.  Calls of one instance come one after another.
 */
#ifndef SNL_PROGRAM_STATS_H
#define SNL_PROGRAM_STATS_H

#include <stdio.h>

#include "../tree/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts records of the calls that follow, with every single one where `events`.  Without memory
 * there are none, and the reports say so. */
void snl_stats_begin(SnlInstance *rt, bool events);

/* Starts records of kernels anew: those of calls so far are forgotten. */
void snl_stats_restart(SnlInstance *rt);

/* Releases the records; nothing happens where there are none. */
void snl_stats_free(SnlInstance *rt);

/* Notes that a call of a kernel begins; and that it ends.  Kernels are told apart by the address of
 * the name. */
void snl_stats_call_begin(SnlInstance *rt);
void snl_stats_call_end(SnlInstance *rt, const char *kernel);

/* What a call of a kernel is made of, in the trace; PART is a thread's part of a loop. */
typedef enum {
    SNL_EVENT_KERNEL, SNL_EVENT_LOOP, SNL_EVENT_LIST, SNL_EVENT_GC, SNL_EVENT_PART
} SnlEventKind;

/* What an event is in the program. */
typedef struct {
    const char *name;           /* of the event: a kernel, or the C function of a loop */
    const char *title;          /* "for i, j in x"; NULL: the name */
    const char *path;
    int line;
} SnlEventPlace;

/* Adds something that began at a time of snl_event_begin and ends now: a loop of so many
 * iterations, a list of so many cells, a collection. */
void snl_event_end(SnlInstance *rt, SnlEventKind kind, const char *name, int64_t count,
                   double start);

/* Adds what a thread did for a loop, from one time to another. */
void snl_event_part(SnlInstance *rt, const char *loop, int thread, double from, double to);

/* Time of the beginning, or 0 where nothing is recorded. */
SNL_FN double snl_event_begin(const SnlInstance *rt)
{
    return SNL_UNLIKELY(rt->stats != NULL) ? snl_clock() : 0;
}

/* Writes a table of kernels, by total time, and the memory of the trees that exist, by node; each
 * tree has a title. */
void snl_stats_write(SnlInstance *rt, SnlTree *const *trees, const char *const *titles,
                     int tree_count, FILE *out);

/* Writes "kernel CALLS SECONDS NAME" for each kernel, by total time. */
void snl_stats_lines(SnlInstance *rt, FILE *out);

/* Writes calls, loops, lists and collections as events for the trace viewers of Chrome and
 * Perfetto, a track for each thread, and how much memory was in use. Events that have a place are
 * called by its title. */
void snl_trace_write(SnlInstance *rt, const char *program, const SnlEventPlace *places,
                     int place_count, FILE *out);

/* A call of a kernel. */
typedef struct {
    SnlInstance *rt;
    const char *kernel;
    const char *outer;          /* that calls it, or NULL */
} SnlCall;

static inline SnlCall snl_call_begin(SnlInstance *rt, const char *kernel)
{
    SnlCall call = { rt, kernel, rt->kernel };
    rt->kernel = kernel;
    if (SNL_UNLIKELY(rt->stats != NULL))
        snl_stats_call_begin(rt);
    return call;
}

static inline void snl_call_end(SnlCall *call)
{
    call->rt->kernel = call->outer;
    if (SNL_UNLIKELY(call->rt->stats != NULL))
        snl_stats_call_end(call->rt, call->kernel);
}

/* Marks a call that ends where the scope is left, in whatever way. */
#define SNL_KERNEL(rt, name) \
    SnlCall snl_call __attribute__((cleanup(snl_call_end), unused)) = snl_call_begin(rt, name)

#ifdef __cplusplus
}
#endif

#endif
