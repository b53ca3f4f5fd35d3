/* A parallel loop while it is written: its function (versions.c, range_loops.c,
 * cell_loops.c, partition.c), what that is given (parallel.c), and the call of it
 * (launch.c).
 *
 * A LoopOut lives as long as its task is written; what it points to belongs to the arena. */
#ifndef SNL_EMIT_LOOP_PARALLEL_H
#define SNL_EMIT_LOOP_PARALLEL_H

#include "emit/loop/loops.h"
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
void launch_loop(LoopOut *k);

/* How a C loop over iterations goes on: each lane of a GPU does every step-th. */
const char *parallel_next_iteration(const LoopOut *k, const char *i);
/* Declares what belongs to the iteration of this number. */
void parallel_start_iteration(LoopOut *k, const char *number);
/* Leaves a loop that can fail when it has. */
void parallel_stop_when_failed(LoopOut *k);

/* Captured variables become variables of the loop's function. */
void parallel_unpack_args(LoopOut *k);

/* versions.c: all functions that the loop has. */
void versions_write(LoopOut *k, const char *title);

/* range_loops.c: the loops of a task over ranges, with the body: on a CPU; on a GPU, where all
 * ranges are one. */
void range_loops_body(LoopOut *k);
void range_loops_body_flat(LoopOut *k);

/* cell_loops.c: the loops of a task over cells, with the body. */
void cell_loops(LoopOut *k);

/* Of what a container is made, which a loop only adds to: it holds one type of scalars. */
Scalar launch_scatter_scalar(const Node *n);

/* Cells of the outermost levels, which make one loop: of each entry where that is over a list. */
const char *cell_loops_below(LoopOut *k);

/* A loop over the cells of one list at the top of a layout: the threads share its chunks. */
bool cell_loops_of_one_list(const LoopOut *k);

/* The body, for the cell that the nest is at. */
void cell_loops_body(LoopOut *k);

/* partition.c: the loop along the last axis of dense cells, from `low` to `high`, with a body of
 * its own for the inside. */
void partition_cells(LoopOut *k, const char *digit, const char *low, const char *high);
/* The loop along a row of a block, if it is inside as a whole with a body of its own; leaves the
 * nest open. */
void partition_row(LoopOut *k);
/* Opens the loop over the last range, and writes in it the one over the inside. In C `ordinal`
 * counts from `low` to `high`; the index counts from `base` on (NULL: it is the ordinal), and is
 * called `index` outside of the inside. */
void partition_range(LoopOut *k, const char *index, const char *ordinal, const char *base,
                 const char *low, const char *high);

/* version_floats.c: has the loop a version for fast floats? The function that chooses between the
 * two, band by band. */
bool version_floats_has_version(const LoopOut *k);
void version_floats_choice(LoopOut *k);
/* Are the elements of the copies that a loop over blocks reads fast? NULL: it has no version for
 * that. */
const char *version_floats_copies_test(Emit *e, const Task *t);

/* parts.c: notes a loop whose function may be in any part of the program. */
void parts_note(Emit *e, const char *function, size_t bytes);
/* May it? What stands around the function then. */
bool parts_has(const LoopOut *k);
void parts_open(const LoopOut *k, Text *code);
void parts_close(const LoopOut *k, Text *code);

/* strip_tails.c: does the loop, whose innermost is the one that threads share, go through whole
 * strips first? Writes it so, from `from` to `to`. */
bool strip_tails_go_first(const LoopOut *k);
void strip_tails_then_rest(LoopOut *k, const char *from, const char *to, LoopFn *iterations);

/* prefetch_indirect.c: the loop by strips, whose lists are fetched before each runs. */
void prefetch_indirect_strips(LoopOut *k, const char *from, const char *to, LoopFn *iterations);

/* reorder.c: are there two versions of the loop, since that in order has no vectors? */
bool reorder_has_version(const Task *t);
/* In the kernel, before the loop: its iterations get their order. */
void reorder_begin(const LoopOut *k);

/* block_cache.c: declares the patch of a loop that has one; after the loop, sums are given to the
 * blocks. */
void block_cache_begin(LoopOut *k);
void block_cache_end(LoopOut *k);

/* gpu_privatize.c: on a GPU, declares what the lanes of a block add to instead of small arrays;
 * adds it to these. */
void gpu_privatize_begin(LoopOut *k);
void gpu_privatize_end(LoopOut *k);

/* gpu_sync.c: finds what the loop needs. */
const GpuNeeds *gpu_sync_needs(const LoopOut *k);
/* May the loop activate cells? Then the CPU has to know how many iterations there are. */
bool gpu_sync_activates(const LoopOut *k);
/* What the CPU does before a loop starts on a GPU: memory for what it activates, lists that it goes
 * through. */
void gpu_sync_prepare(const LoopOut *k);

/* gpu_tiles.c: on a GPU, finds how many lanes a block has and what they share; writes the loop over
 * the cells of a tile. */
void gpu_tiles_choose(LoopOut *k);
/* The cells that an iteration of the loop goes through, which are so many along each axis; -1: not
 * known. */
int64_t gpu_tiles_cells(const LoopOut *k, int64_t *along);
/* How many tiles there are that are boxes, or NULL. */
const char *gpu_tiles_box_count(LoopOut *k);
void gpu_tiles_body(LoopOut *k);

#endif
