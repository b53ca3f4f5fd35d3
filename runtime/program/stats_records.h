/* stats_records.h - the records of the calls of kernels: stats.c makes them, stats_report.c writes
 * reports of them.  Private to the library.
 */
#ifndef SNL_PROGRAM_STATS_RECORDS_H
#define SNL_PROGRAM_STATS_RECORDS_H

#include "stats.h"

typedef struct {
    const char *name;
    int64_t calls;
    double total, least, most;
} SnlKernelRecord;

typedef struct {
    SnlEventKind kind;
    const char *name;
    int64_t count; /* iterations of a loop, cells of a list */
    int thread;
    double start, seconds;
    uint64_t bytes; /* of the instance, at the end */
} SnlEvent;

typedef struct SnlStats {
    double start, call_start; /* of the call of a kernel that runs */
    bool keeps_events;
    SnlKernelRecord *kernels; /* by first call */
    int64_t kernel_count, kernel_room;
    SnlEvent *events;
    int64_t event_count, event_room, events_lost;
} SnlStats;

#endif
