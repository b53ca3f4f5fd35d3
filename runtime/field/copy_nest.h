/* copy_nest.h - loops that copy the units of a dense field to or from an array, a constant or
 * another field.
 *
 * field_nest.c makes and runs them on the CPU, gpu_field_copy.h on a GPU.  A nest owns nothing.
 */
#ifndef SNL_FIELD_COPY_NEST_H
#define SNL_FIELD_COPY_NEST_H

#include <stdbool.h>
#include <stdint.h>

enum { SNL_LOOPS = 64 };

/* Bytes between iterations on both sides. */
typedef struct {
    int64_t count, to, from;
} SnlLoop;

typedef struct {
    int64_t bytes;              /* of a unit */
    int64_t to, from;           /* offset of the first one */
    int outer_count;
    SnlLoop outer[SNL_LOOPS];
    SnlLoop row, run;           /* the two innermost */
    int64_t row_length, run_length;     /* of what is copied at a time, an item */
    int64_t row_items, run_items;
    int64_t items;
    bool single;                /* one unit: no loop has more than one iteration */
} SnlNest;

/* Which side of a nest is not in a tree: an array of the caller, or a constant. */
typedef enum { SNL_NO_SIDE, SNL_TO_SIDE, SNL_FROM_SIDE } SnlOutside;

#endif
