/* field_inside.h - what the files of field.h share: units, nests of loops, walks over cells.
 *
 * Private to the library; everything lives on the stack of the function that moves a field.
 *
 * A *unit* is a run of bytes that lies in one piece in the cell and in the element.  A *side* says
 * where it lies for all elements of one cell of an ancestor (or of the whole field), as loops from
 * the innermost out.  A *nest* is made of two sides, or of one and a constant, and copies all units
 * from one to the other.  Every loop has at least two iterations and their product is the number of
 * cells of a container in memory, so there are never more than SNL_LOOPS.
 */
#ifndef SNL_FIELD_FIELD_INSIDE_H
#define SNL_FIELD_FIELD_INSIDE_H

#include "field.h"
#include "copy_nest.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    SnlTree *tree;
    int node;                   /* -1: in the root cell */
    int64_t offset;             /* in the cell */
    int64_t at;                 /* in the element */
    int64_t bytes;
} SnlUnit;

typedef struct {
    int count;
    struct {
        int index;              /* of the field */
        int64_t count, step;    /* bytes from one iteration to the next */
    } loops[SNL_LOOPS];
    int64_t offset;             /* of the first unit */
    int64_t spans[SNL_AXES];    /* by index: elements */
} SnlSide;

/* Visits a cell, coordinates by letter; false ends the walk. */
typedef bool (*SnlVisit)(void *args, char *cell, const int64_t *coord);

/* ---- field.c ---- */

/* Checks that all trees of the field exist, else records the error. */
snl_status snl_field_ready(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f);

/* True if the index is in range, else the error is recorded. */
bool snl_field_in_range(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f,
                        const int64_t *index);

/* The unit that starts with leaf *k; *k becomes the leaf after it. */
SnlUnit snl_unit_next(SnlTree *const *trees, const SnlFieldDesc *f, int *k);

/* The status of the instance after something that may have failed. */
snl_status snl_field_status(const SnlInstance *rt);

/* ---- field_nest.c ---- */

/* The lowest node from `node` up whose kind is at least `kind`, or -1. */
int snl_lowest_kind(const SnlTree *tree, int node, int kind);

/* Where a unit lies in a cell of the node `above`, or from the container at the top for -1. */
void snl_side_of_tree(SnlSide *side, const SnlFieldDesc *f, const SnlUnit *u, int above);

/* Where it lies in an array whose elements are `steps` bytes apart, over the same elements. */
void snl_side_of_array(SnlSide *side, const SnlSide *tree, const SnlFieldDesc *f,
                       const int64_t *steps, int64_t at);

/* Makes the nest that copies one side to the other; false where the loops of the sides have no
 * common parts.  A constant is a side whose steps are 0. */
bool snl_nest_make(SnlNest *n, const SnlSide *to, const SnlSide *from, int64_t bytes);

/* Copies; the offsets of the sides are added to the addresses. */
void snl_nest_run(const SnlNest *n, char *to, const char *from);

/* The same, on threads, or by a GPU where the trees lie there. */
void snl_nest_run_parallel(SnlInstance *rt, const SnlNest *n, char *to, const char *from,
                           SnlOutside outside);

/* Copies a constant to n places, step bytes apart, on threads. */
void snl_nest_fill(SnlInstance *rt, char *to, int64_t step, int64_t n, const char *value,
                   int64_t bytes);

/* The container at the top of the path of a node. */
char *snl_path_root(const SnlTree *tree, int node);

/* ---- field_walk.c ---- */

/* Visits all active cells of a node, on threads in any order. */
void snl_walk(SnlTree *tree, int node, SnlVisit visit, void *args);

/* Visits them one after the other in memory order. */
void snl_walk_in_order(SnlTree *tree, int node, SnlVisit visit, void *args);

/* Activates all cells of a node. */
void snl_walk_activate_all(SnlTree *tree, int node);

/* Number of cells of a node, at most INT64_MAX. */
int64_t snl_cell_total(const SnlTree *tree, int node);

/* Number of active cells of a node. */
int64_t snl_cell_active(SnlTree *tree, int node);

#ifdef __cplusplus
}
#endif

#endif
