/* Loops while they are written: the nest that goes through the cells of a node, and what is at hand
 * in it.
 *   loop.c, nest.c                 loops; nests over the cells of a node
 *   mask_loops.c                   loops over bitmasked cells
 *   list_loops.c                   sequential loops through lists
 *   reductions.c, races.c          reductions; checks of stores
 *   strip_tails.c                  whole strips of loops that sum up
 *   ../memory/neighbour_index.c    neighbours in blocks
 *   ../memory/stage_halo.c         copies of blocks with what lies around them
 *   ../memory/stage_rows.c         the same without a copy, by rows
 *   ../memory/stage_scaled.c       what is reached at twice or half of the loop's indices
 *   ../memory/prefetch.c           blocks fetched early
 *   ../memory/prefetch_indirect.c  lists fetched early that loops append to
 *   ../memory/reorder.c            loops in the order of the cells that they reach
 *   ../memory/block_cache.c        copies of blocks that iterations in this order have
 *   ../vector/mask_vector.c        bitmasked cells, a word of the mask at a time
 *   ../vector/mask_rows.c          loops that read and set masks by rows
 *   ../vector/bit_slice.c          loops over blocks of masks, a bit a cell
 *   ../vector/outer_vector.c       several cells of a list at once
 *   ../vector/defer_scatter.c      loops in batches of iterations
 *   ../vector/float4.c             vectors of f32 in registers
 *   ../gpu/gpu_stage_sums.c        copies of blocks that loops on a GPU add to */
#ifndef SNL_EMIT_LOOP_LOOPS_H
#define SNL_EMIT_LOOP_LOOPS_H

#include "emit/code/code.h"

typedef struct OuterVector OuterVector;
typedef struct MaskVector MaskVector;

/* Where cells of lists lie that a loop goes through next. */
typedef struct ListRuns {
    const char *name;       /* of the variable */
    const Inst *walk;       /* the loop through them */
} ListRuns;

typedef struct Batch Batch;

/* A row of a halo, by its offset from the loop's own: a pointer to cells, or an array where it was
 * moved along. */
typedef struct {
    int64_t offset[AXIS_MAX];
    const char *name;
} HaloRow;

enum { HALO_CODES = 27 }; /* directions along three axes */

/* How the loop reads a halo. */
typedef struct HaloName {
    const Halo *halo;
    const char *name;               /* of the array that holds the copy */
    const char *cells[HALO_CODES];  /* the cells of the block and of those around it, by
                                     * direction */
    VEC(HaloRow) rows;              /* those of the innermost loop */
    const char **first;             /* in a box: the first index along each axis of the node, else
                                     * NULL */
} HaloName;

/* A block further on, and those around it, by direction. */
typedef struct PrefetchTarget {
    const char *cell, *around[HALO_CODES];
    const char *all;    /* says whether all of it is fetched, see prefetch_by_size */
} PrefetchTarget;

enum { SUM_LANES = 64 }; /* SNL_LANES */

/* A reduction variable inside the loop. */
typedef struct ReduceVar {
    const Var *var;
    AtomicOp op;
    const char *text;       /* accumulator */
    const char *parts;      /* array of the partial results */
    Span span;              /* of the loop */
    const char *shared;     /* on a GPU: those of the lanes of a block */
    Scalar wide;            /* its scalar type: f64 for f16 and f32 sums */
    bool pair;              /* f64 sum: SnlSum */
    bool lanes;             /* accumulated in SNL_LANES places */
    bool checked;           /* --check=overflow: integers, of i64 until the sum is complete */
    bool floats;            /* a pair in lanes, to which each iteration adds at most one f32 */
    bool skips;             /* some iterations may add none */
    bool ranked;            /* lanes hold integers of the same order as floats (snl_rank_max_f32) */
    const char *few;        /* accumulator of words of a mask that have few active cells, or NULL */
    const char *terms;      /* array of these of a strip, where there are strips */
} ReduceVar;

/* loop.c */
void loop_write(Emit *e, const Inst *i);
void loop_inside(Emit *e, const Inst *i);
void loop_index(Emit *e, const Inst *i);
void loop_at_cell(Emit *e, const Inst *i);
/* Declares what belongs to the iteration of this number; `asks`: a set of ITERATION_…. */
void loop_start_iteration(Emit *e, int asks, const char *number);
void loop_for(Emit *e, const Inst *i);
void loop_for_cells(Emit *e, const Inst *i);
void loop_begin(Emit *e, CLoop *loop, bool nested);
void loop_end(Emit *e, CLoop *loop);
/* The nest of C loops over the cells of a node: one level for each axis of each node on the way. */
typedef struct Nest {
    const Node *from, *to;      /* from below `from` (NULL: from the top) down to `to` */
    int count;
    const Node **node;          /* by level */
    int *axis_at;               /* number of the axis in its node */
    const char **digit;         /* C name of each level's index */
    const char *bits, *bits_of; /* of the cells of a mask that are still to come, the one that the
                                 * loop is at first; "mask, words, number of the word" */
    const char *word_number, *word; /* of the mask that is gone through by words; the number may be
                                     * given, as that of a parallel loop */
    const char *masks;          /* copies of the masks, which are gone through instead; or NULL */
    const char *row;            /* the bits of the cells of a row, where a mask is gone through by
                                 * rows; or NULL */
    bool ahead_lists;           /* lists further on are fetched */
    const char *low[AXIS_MAX], *high[AXIS_MAX]; /* by axis: cells before and from there on are left
                                                 * out; NULL: there are none */
    bool whole_row;             /* no cell of the row is left out */
    const char *list_begin;     /* number of the first cell of the chunk, in a parallel loop over
                                 * the chunks of one list, or NULL */
    const char *list_place;     /* number of the only cell of the chunk that is gone through, as by
                                 * a lane of a GPU, or NULL */
    const char *coord[AXIS_MAX]; /* by axis: the coordinate as far as it is known, or NULL */
    const Var *vars[AXIS_MAX];  /* by axis: the user's loop variable */
    const char *listed_coord[AXIS_MAX]; /* by axis: the coordinate of the cell `from` */
    int64_t reach_low[AXIS_MAX], reach_high[AXIS_MAX]; /* by axis: how far neighbours within blocks
                                                        * are at most */
    CellAt *cells;              /* room for one a node on the way */
    int cell_count, opened;
    int reached;                /* levels that are open */
    bool unrolls;               /* the loop around the innermost one is written out */
    const char *part[AXIS_MAX], *in_part[AXIS_MAX]; /* along the axes of `to`: the first cell of the
                                                     * part of a block that the loop is at, and the
                                                     * index from there on; NULL: it is one part */
    int64_t part_size[AXIS_MAX];
} Nest;
/* The cell of an array at the loop's indices, the last of which is given. */
const char *loop_cell_at_index(Emit *e, const Task *t, const Node *n, const char *last);
/* The line before a loop whose iterations may go side by side. */
void loop_simd(Emit *e);
/* strip_tails.c: opens two loops for the innermost one, whose variable is `i`, where its row has
 * something left over behind whole strips (Task.strip); else false. */
bool strip_tails_to_the_end(Emit *e, const char *i, const char *from, const char *to);
/* How long strips are: its name in C, and the function that gives the end of one. */
typedef struct {
    int length;
    const char *name, *end;
} StripKind;
const StripKind *loop_strip_kind(const Emit *e);
/* Is the bound of a loop a number, and not the name of one? */
bool loop_bound_is_number(const char *text);
/* Opens the innermost of parallel loops, over `i` from `from` to `to`; `count`: so many iterations
 * from 0 on, 0 where not known; the program's index is `base` + i (NULL: i). Gives the number of C
 * loops. */
int loop_open_inner(Emit *e, const char *i, const char *base, const char *from, const char *to,
                    int64_t count);
/* Closes so many C loops; the first may be the innermost one. */
void loop_close(Emit *e, int loops);
/* Finds the levels. */
void nest_levels(Emit *e, Nest *nest, const Node *from, const Node *to);
/* The same; names the loop variables. */
void nest_start(Emit *e, Nest *nest, const Node *from, const Node *to, Var *const *vars);
/* One that names indices of its own. */
Nest nest_copy(Emit *e, const Nest *nest);
/* C text of the size of a level. */
const char *nest_size(Emit *e, const Nest *nest, int level);
/* The name for the index of a level: the user's variable when it is just that. */
const char *nest_digit(Emit *e, Nest *nest, int level);
/* Opens loops for the levels whose digit has no name yet; inside, coordinates and the cell are
 * known. */
void nest_open(Emit *e, Nest *nest);
/* The same, but for the loops of the last levels; nest_open then opens these. */
void nest_open_outer(Emit *e, Nest *nest, int levels);
/* Where only the innermost loop is left to open: the index of its first cell. */
const char *nest_row_start(Emit *e, const Nest *nest);
/* There too: the cells of the row, or of the part of it that the loop is at. */
const char *nest_row_size(Emit *e, const Nest *nest);
/* There too: is no cell of the row left out, which begins at `start`? NULL: none ever is. */
const char *nest_row_test(Emit *e, const Nest *nest, const char *start);
/* The container of a node in the cell that the loop is at. */
const char *nest_container(Emit *e, const Node *n);
/* The cell with a number in that container; what others lie in gets a name. */
const char *nest_cell(Emit *e, const Node *n, const char *number);
/* The number of a cell of the row that the loop is at. */
const char *nest_number_in_row(Emit *e, const Nest *nest, const char *in_row);
/* The number of a cell of the node that begins at `level` is known: its indices, which have names,
 * and the cell are. */
void nest_enter(Emit *e, Nest *nest, int level, const char *number);
/* Closes them. */
void nest_close(Emit *e, Nest *nest);
/* Defines the variables of a loop over a list from its entry. */
void nest_from_entry(Emit *e, Nest *nest, const char *entry);

/* mask_loops.c */
/* Does the loop go through the mask of the node that begins at this level by words? */
bool mask_loops_in_words(const Nest *nest, int level);
/* Words of the mask of a container. */
int64_t mask_loops_words(const Node *n);
/* Can all bits of a word be set? */
bool mask_loops_may_be_full(const Node *n);
/* The mask words of the container that the loop is at. */
const char *mask_loops_here(Emit *e, const Nest *nest, const Node *n);
/* Opens the loop over the words, if no name of their number is given; in it, one over all cells of
 * a word, or over its bits. */
void mask_loops_open_words(Emit *e, Nest *nest, int level);
void mask_loops_open_full(Emit *e, Nest *nest, int level);
void mask_loops_open_bits(Emit *e, Nest *nest, int level);
/* Is it a word of ones? */
const char *mask_loops_full_test(Emit *e, const Nest *nest, int level);
/* The loop is at that cell of a word. */
void mask_loops_at_lane(Emit *e, Nest *nest, int level, const char *lane);
/* The address of the first cell of a word of the container that the loop is at. */
const char *mask_loops_first(Emit *e, const Nest *nest, const Node *n);

/* mask_vector.c */
/* Fetches the cells of a word further on. */
void mask_vector_prefetch(Emit *e, const Nest *nest, int level);
/* Shall a word have a plain loop over all cells? Shall all be computed, and the active ones kept?
 */
const char *mask_vector_full_test(Emit *e, const Task *t, const Nest *nest);
const char *mask_vector_dense_test(Emit *e, const Task *t, const Nest *nest);
/* Opens the loop that computes all cells of a word; after it, keeps the active ones. */
void mask_vector_open(Emit *e, const Task *t, Nest *nest, int level);
void mask_vector_close(Emit *e, const Nest *nest);
/* What the cell accumulates: in such a loop those that are not active do what is neutral. */
const char *mask_vector_choose(Emit *e, const Type *type, const char *value, const char *neutral);
/* Where such a loop has what a place in its own cell means; NULL: there. */
const char *mask_vector_place(Emit *e, const Inst *place);

/* mask_rows.c */
/* The loop over the inner range of a task by rows of a block; `row` is the index of the outer
 * one. */
void mask_rows_loop(Emit *e, const Task *t, const char *row);
/* The bit of a cell of a row, and the statement that sets one. */
const char *mask_rows_bit(Emit *e, const Inst *i);
void mask_rows_set(Emit *e, const Inst *i);

/* outer_vector.c */
/* Opens the loop over the cells of a chunk of a list, some at a time: `index` is the loop's index
 * in the list, `begin` that of the first cell of the chunk `cells`, which has `count`. */
void outer_vector_open(Emit *e, const Var *index, const char *begin, const char *cells,
                  const char *count);
/* Opens the loop over strips from `begin` to `end`, at least as many as a strip has. The index of
 * number n is `base` + n (NULL: n); `nest` is that of a loop over cells, without their last digit,
 * else NULL. */
void outer_vector_open_strip(Emit *e, const Task *t, const char *begin, const char *end,
                        const char *base, Nest *nest);
/* The loop's own cell, whose text each block gives. */
void outer_vector_at(Emit *e, CellAt *at);
/* What is added to the number of a cell of an opaque stride; nothing outside of strips. */
const char *outer_vector_more(Emit *e);
/* A block that is done for each iteration. */
void outer_vector_block(Emit *e, const Inst *i);

/* list_loops.c */
/* Of a list of a node with this container: its length; the cells that lie side by side from `begin`
 * on, and their count; the step to those after them. `packed`: lists lie in one array. */
const char *list_loops_length(Emit *e, const Node *n, bool packed, const char *where);
const char *list_loops_cells(Emit *e, const Node *n, bool packed, const char *where,
                             const char *begin);
const char *list_loops_count(Emit *e, const Node *n, bool packed, const char *cells,
                             const char *length, const char *begin);
const char *list_loops_next(Emit *e, const Node *n, bool packed, const char *length,
                            const char *begin);
/* A sequential loop through the cells of a list. */
void list_loops_walk(Emit *e, const Inst *i);
/* From here on loops through lists note where the cells lie, until that is closed: then one loop
 * goes through them. */
ListRuns *list_loops_open_runs(Emit *e);
void list_loops_close_runs(Emit *e, ListRuns *r);

/* defer_scatter.c: loops in batches. */
/* Opens the loops over the iterations `from` to before `to`, as far as they make whole batches. */
void defer_scatter_open(Emit *e, const char *i, const char *from, const char *to);
/* The place of an element of the loop's own cell that is read before, or NULL. */
const char *defer_scatter_own(Emit *e, const Inst *i);
/* An addition that is put off. */
void defer_scatter_sum(Emit *e, const Inst *sum);
/* Ends the iterations of the batch, writes and adds. */
void defer_scatter_close(Emit *e);
/* The cell that an element is in which is read before, written or added to after, while its place
 * is written; else NULL. */
const char *defer_scatter_cell(const Emit *e);

/* "cells, sizeof(cell), offset of the mask, blocks along a row, rows of a block, columns" of the
 * masks of a node. */
const char *mask_rows_shape(Emit *e, const Node *n);

/* bit_slice.c */
/* The loop over both ranges of a task by whole blocks, in which every cell of a row has a bit. */
void bit_slice_loop(Emit *e, const Task *t);
/* Rows of blocks of such a loop, which are its iterations. */
int64_t bit_slice_block_rows(const Task *t);

/* neighbour_index.c */
/* The part of a neighbour's index that a level needs, from the digits of the loop; false when they
 * do not give it. */
bool neighbour_index(Emit *e, const Inst *i, CText *out);
/* On the inside of blocks: does this look-up of a neighbour lead to the loop's own cell? */
bool neighbour_index_stays(const Emit *e, const Inst *lookup);
/* Inside of a block: is the cell of a look-up above the one at hand used? */
bool neighbour_index_needs(Emit *e, const Inst *lookup);
/* Finds how far the neighbours in the body reach. */
void neighbour_index_reach(Emit *e, Nest *nest, Block *body);
/* Is there an inside of the blocks that is worth a loop of its own? */
bool neighbour_index_has_rim(const Nest *nest);
/* The test that all axes of the innermost node but the last are inside; NULL: always. */
const char *neighbour_index_outer_test(Emit *e, const Nest *nest);

/* stage_halo.c, stage_rows.c */
/* At the start of a loop's function: the halos of its task, none of which is made. */
void stage_halo_begin(Emit *e, const Task *t);
/* Where the loop is at a block: makes the copies. */
void stage_halo_make(Emit *e, const Task *t, const Nest *nest);
/* The same on a GPU, by a block of so many lanes, for all of them. */
void stage_halo_share(Emit *e, const Task *t, const Nest *nest, int lanes);
/* The same for a box of a large container, which begins at these indices. */
void stage_halo_share_box(Emit *e, const Task *t, const char **first, int lanes);
/* An element of a copy, as an lvalue. */
const char *stage_halo_place(Emit *e, const HaloPlace *p);
/* Where only the innermost loop is left to open: the rows that it reads. */
void stage_rows(Emit *e, const Task *t, const Nest *nest);
/* The element at an offset from the loop's own, in its row. */
const char *stage_rows_place(Emit *e, const HaloName *h, const int64_t *offset);

/* "i + 1" */
const char *stage_halo_plus(Emit *e, const char *i, int64_t n);
/* The next of the indices that a number is made of, from the innermost, which has `size` values,
 * to the outermost, which is all that is left. *rest is the number, and loses the index. */
const char *stage_halo_next_index(Emit *e, const char **rest, const char *size, bool outermost);
/* In how many directions a block of the node has others around it, with itself. */
int stage_halo_directions(const Node *n);
/* The last coordinate of blocks along an axis; sizes of run time are those of a node at the top. */
const char *stage_halo_last_coordinate(Emit *e, const Node *block, int axis);
/* Step along the k-th axis of a node in a direction, which is a bit of Halo.directions: -1, 0 or
 * 1. */
int stage_halo_step(const Node *n, int code, int k);
/* Declares the blocks of a node in these directions from the one whose coordinates the nest has,
 * and that one where it is in another tree; blocks[code] is the name, which begins with `of`. */
void stage_halo_blocks(Emit *e, const Nest *nest, const Node *n, unsigned directions,
                       const char *of, const char **blocks);

/* A halo's array, declared with this value; the name of it. */
const char *stage_halo_array(Emit *e, const Halo *h, const char *value);
/* The container of a halo's cells in a block around, or NULL, that is the one that the loop is
 * at. */
const char *stage_halo_cells(Emit *e, const Halo *h, const char *block);
/* Declares the cell of `block` at the coordinates, by a name like `name`, which may be activated;
 * gives its name. */
const char *stage_halo_block(Emit *e, const Node *block, const char *const *coord, const char *name,
                       bool activate);

/* stage_scaled.c */
typedef struct WindowName WindowName;
/* At the start of a loop's function: the windows of its task, none of which is made. */
void stage_scaled_begin(Emit *e, const Task *t);
/* Do they activate blocks? */
bool stage_scaled_activates(const Task *t);
/* Where the loop is at a block: opens loops over its parts, if there are any. */
void stage_scaled_open_parts(Emit *e, const Task *t, Nest *nest);
/* Where it is at a part: finds the blocks, and makes the copies. */
void stage_scaled_make(Emit *e, const Task *t, const Nest *nest);
/* A cell that is reached where it is, and an element of a copy, as lvalues. */
const char *stage_scaled_cell(Emit *e, const WindowPlace *p);
const char *stage_scaled_copied(Emit *e, const WindowPlace *p);

/* gpu_stage_sums.c: on a GPU, by a block of so many lanes, for all of them. */
/* May sums of the loop be in blocks that are activated for them? */
bool gpu_stage_sums_activate(const Task *t);
/* Before the cells of a block or a box: the copies that sums are added to, which the halos of the
 * loop name. */
void gpu_stage_sums_begin(Emit *e, const Task *t, int lanes);
/* Before an addition to an element of such a copy: the block that it lies in is noted. */
void gpu_stage_sums_touch(Emit *e, const HaloPlace *p);
/* Behind the cells: adds the copies to the fields. */
void gpu_stage_sums_end(Emit *e, const Task *t, const Nest *nest, int lanes);

/* prefetch_indirect.c */
/* Notes a list that is to be fetched. */
void prefetch_indirect_note(Emit *e, const Inst *i);
/* The list that was found for the append of this iteration. */
const char *prefetch_indirect_list(Emit *e);
/* Is the loop that comes next one over the iterations that append to the thread's own lists? Opens
 * it, with the number called `i`. */
bool prefetch_indirect_has_mine(const Emit *e);
void prefetch_indirect_open_mine(Emit *e, const char *i);

/* reorder.c */
/* Notes the cell that the iteration reaches. */
void reorder_key(Emit *e, const Inst *key);
/* Opens the loop over the positions from ... to-1; `i`: the iteration there, which counts from
 * `base` on, or NULL. */
void reorder_open(Emit *e, const char *i, const char *base, const char *from, const char *to);
/* The iteration's own element of a field that is written in strips in the other version. */
const char *reorder_own(Emit *e, const Field *f);

/* Number of the copies that the loop adds to instead of the containers of a top node, or -1. */
int place_copies(const Emit *e, const Node *n);

/* block_cache.c */
/* Is the iteration in the patch? */
const char *block_cache_at(Emit *e, const Inst *i);
/* Notes where it adds. */
void block_cache_note(Emit *e, const Inst *i);

/* prefetch.c */
/* Does it depend on the size of the list how much of a block is fetched? The kernel says so in
 * `far` of the loop's arguments, by the bytes of the parts of one block. */
bool prefetch_by_size(const Task *t);
int64_t prefetch_bytes(const Task *t);
/* Asks for a list ahead, where the loop is at the one of a cell of a dense node; the number of that
 * cell is given. */
void prefetch_list(Emit *e, const Node *list, const char *container, const char *number);
/* Asks for a block ahead, in iteration n over a list. */
void prefetch_block(Emit *e, const Task *t, const Nest *nest, const char *n);
/* Asks for a block ahead in a mask, at the start of an iteration over its bits. */
void prefetch_in_mask(Emit *e, const Task *t, const Nest *nest);
/* Names a block ahead in an array; the loop is at one of its cells, and has blocks to go through
 * there. */
void prefetch_in_array(Emit *e, const Task *t, const Nest *nest);
/* Asks for a part of it, in the loop over the first axis of the block that the loop is at; opens
 * that. */
void prefetch_rows(Emit *e, const Task *t, Nest *nest);

/* gpu_tiles.c */
/* Is this a number in a field that the loop does nothing but read? */
bool gpu_tiles_only_reads(const Task *t, const Inst *place);

/* races.c */
void races_check(Emit *e, const Inst *i);

/* reductions.c; in the loop's function e->reduce holds the variables */
/* Names the variables of a loop. */
void reductions_start(Emit *e, const Task *t);
/* Members of the loop's arguments for partial results; the arrays in the kernel. */
void reductions_members(Emit *e, Text *out);
void reductions_arrays(Emit *e, const ReduceVar *list, int count);
/* Declares the accumulators; stores them at the end of a part, which on a GPU is that of a block of
 * lanes. */
void reductions_declare(Emit *e);
void reductions_store(Emit *e, int lanes);
/* Do all sums collect floats, so that strips may be longer? */
bool reductions_only_floats(const Emit *e);
/* In a strip of iterations: declares what collects its terms; after its loop: adds them. */
void reductions_open_strip(Emit *e);
/* Lets a loop of few iterations, which comes again and again, take other lanes each time. */
void reductions_turn(Emit *e, int64_t count);
void reductions_close_strip(Emit *e);
/* Bytes that the accumulators of a lane take. */
int64_t reductions_bytes(const Emit *e);
/* Combines the parts into the kernel's variables, in order. */
void reductions_combine(Emit *e, const ReduceVar *list, int count);
/* The instruction that accumulates. */
void reductions_add(Emit *e, const Inst *i);

#endif
