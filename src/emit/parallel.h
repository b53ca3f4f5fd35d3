/* parallel.h - a parallel loop while it is written: its function (emit_version.c, emit_range.c,
 * emit_cells.c, emit_split.c), what that is given (emit_parallel.c), and the call of it
 * (emit_launch.c).
 *
 * A LoopOut lives as long as its task is written; what it points to belongs to the arena. */
#ifndef SNLC_EMIT_PARALLEL_H
#define SNLC_EMIT_PARALLEL_H

#include "emit/loops.h"
#include "ir/inst_info.h"

/* A kernel-level variable that the body of a loop uses. */
typedef struct {
    const Var *var;
    bool by_pointer;
    const char *outer;      /* its text in the kernel */
    const char *name;       /* of the member and of the variable in the loop */
} Capture;

/* What a variable is called in the kernel. */
typedef struct {
    int id;
    const char *text;
} OuterText;

typedef struct GpuNeeds GpuNeeds;

/* Of the array that a loop streams, where it has versions for both. */
typedef enum { SIZE_ANY, SIZE_LARGE, SIZE_SMALL } ArraySize;

typedef struct {
    Emit *e;
    Task *t;
    Block *body;            /* what iterations do */
    const char *function, *args_type;
    bool *local;            /* by variable id: declared in the body */
    bool *written;
    VEC(Capture) captures;
    VEC(OuterText) outer_texts; /* of all variables that it mentions */
    const ReduceVar *reductions;
    int reduction_count;
    int64_t reduction_bytes;    /* on a GPU: of the results of a block */
    const Node *listed;     /* loop over a list of this node's cells, or NULL */
    bool random, races, may_fail, atomic;
    bool placing;           /* the version of the loop whose appends have their place is being
                             * written */
    bool in_order;          /* the version whose iterations go in the order of Task.order is being
                             * written */
    bool ordering;          /* the function that finds the cells that iterations reach is */
    ArraySize size;         /* the version for arrays of this size is being written */
    bool batching;          /* the version of the loop in batches is being written */
    bool in_bands;          /* what is being written runs for a band of iterations: another function
                             * is the one that the kernel calls */
    int weight;             /* instructions of its body, where loops and calls count for many */
    int64_t work;           /* those that an iteration runs, roughly */
    Nest nest;
    int flat;               /* outermost levels that make one loop */
    bool tiled;             /* on a GPU: the levels below these are gone through by a block of lanes
                             * together */
    int lanes;              /* of a block */
    int64_t box[AXIS_MAX];  /* cells of a tile along each level, where tiles are boxes of one large
                             * container; else 0 */
    const Inst *placed;     /* append whose place follows from the number of the iteration, or
                             * NULL */
    const Inst *appends;    /* the append, where the loop has Task.fetches */
    const Inst *owned;      /* append to one of many lists, which the loop does nothing but, or
                             * NULL */
    Nodes tops;             /* on a GPU: nodes whose containers its arguments name */
    const char **own;       /* on a GPU: by number in `scatter`, what the lanes of a block share to
                             * add to */
    const GpuNeeds *needs;  /* on a GPU: by layout id, what is to be there before it starts */
    bool one_mask;          /* the threads share the words of the mask at the top */
} LoopOut;

/* Writes a C loop over the iterations `from` to `to`. */
typedef void LoopFn(LoopOut *k, const char *from, const char *to);

/* Writes the call of the loop's function, in the kernel. */
void loop_launch(LoopOut *k);

/* How a C loop over iterations goes on: each lane of a GPU does every step-th. */
const char *loop_next_iteration(const LoopOut *k, const char *i);
/* Declares what belongs to the iteration of this number. */
void loop_start_iteration(LoopOut *k, const char *number);
/* Leaves a loop that can fail when it has. */
void loop_stop_when_failed(LoopOut *k);

/* Captured variables become variables of the loop's function. */
void loop_unpack_args(LoopOut *k);

/* emit_version.c: all functions that the loop has. */
void loop_functions(LoopOut *k, const char *title);

/* emit_range.c: the loops of a task over ranges, with the body: on a CPU; on a GPU, where all
 * ranges are one. */
void range_body(LoopOut *k);
void range_body_flat(LoopOut *k);

/* emit_cells.c: the loops of a task over cells, with the body. */
void loop_cells(LoopOut *k);

/* Of what a container is made, which a loop only adds to: it holds one type of scalars. */
Scalar scatter_scalar(const Node *n);

/* Cells of the outermost levels, which make one loop: of each entry where that is over a list. */
const char *loop_cells_below(LoopOut *k);

/* A loop over the cells of one list at the top of a layout: the threads share its chunks. */
bool loop_is_one_list(const LoopOut *k);

/* The body, for the cell that the nest is at. */
void loop_cell_body(LoopOut *k);

/* emit_split.c: the loop along the last axis of dense cells, from `low` to `high`, with a body of
 * its own for the inside. */
void split_cells(LoopOut *k, const char *digit, const char *low, const char *high);
/* The loop along a row of a block, if it is inside as a whole with a body of its own; leaves the
 * nest open. */
void split_row(LoopOut *k);
/* Opens the loop over the last range, and writes in it the one over the inside. In C `ordinal`
 * counts from `low` to `high`; the index counts from `base` on (NULL: it is the ordinal), and is
 * called `index` outside of the inside. */
void split_range(LoopOut *k, const char *index, const char *ordinal, const char *base,
                 const char *low, const char *high);

/* emit_usual.c: has the loop a version for usual floats? The function that chooses between the two,
 * band by band. */
bool usual_has_version(const LoopOut *k);
void usual_choice(LoopOut *k);
/* Are the elements of the copies that a loop over blocks reads usual? NULL: it has no version for
 * that. */
const char *usual_copies_test(Emit *e, const Task *t);

/* emit_parts.c: notes a loop whose function may be in any part of the program. */
void part_note(Emit *e, const char *function, size_t bytes);
/* May it? What stands around the function then. */
bool loop_is_parted(const LoopOut *k);
void loop_part_open(const LoopOut *k, Text *code);
void loop_part_close(const LoopOut *k, Text *code);

/* emit_strips.c: does the loop, whose innermost is the one that threads share, go through whole
 * strips first? Writes it so, from `from` to `to`. */
bool strips_go_first(const LoopOut *k);
void strips_then_rest(LoopOut *k, const char *from, const char *to, LoopFn *iterations);

/* emit_fetch.c: the loop by strips, whose lists are fetched before each runs. */
void fetch_strips(LoopOut *k, const char *from, const char *to, LoopFn *iterations);

/* emit_order.c: are there two versions of the loop, since that in order has no vectors? */
bool order_has_version(const Task *t);
/* In the kernel, before the loop: its iterations get their order. */
void order_begin(const LoopOut *k);

/* emit_patch.c: declares the patch of a loop that has one; after the loop, sums are given to the
 * blocks. */
void patch_begin(LoopOut *k);
void patch_end(LoopOut *k);

/* emit_apart.c: on a GPU, declares what the lanes of a block add to instead of small arrays; adds
 * it to these. */
void apart_begin(LoopOut *k);
void apart_end(LoopOut *k);

/* emit_gpu.c: finds what the loop needs. */
const GpuNeeds *emit_gpu_needs(const LoopOut *k);
/* May the loop activate cells? Then the CPU has to know how many iterations there are. */
bool emit_gpu_activates(const LoopOut *k);
/* What the CPU does before a loop starts on a GPU: memory for what it activates, lists that it goes
 * through. */
void emit_gpu_prepare(const LoopOut *k);

/* emit_tile.c: on a GPU, finds how many lanes a block has and what they share; writes the loop over
 * the cells of a tile. */
void tile_choose(LoopOut *k);
/* The cells that an iteration of the loop goes through, which are so many along each axis; -1: not
 * known. */
int64_t tile_cells(const LoopOut *k, int64_t *along);
/* How many tiles there are that are boxes, or NULL. */
const char *tile_box_count(LoopOut *k);
void tile_body(LoopOut *k);

#endif
