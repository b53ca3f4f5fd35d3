/* IR: every function as blocks of instructions, every kernel as a list of tasks. Structured:
 * control flow is nesting, there are no jumps. Values are computed once and used by pointer;
 * variables are places with LOAD and STORE. Emitters turn single-use values back into expressions.
 * Passes may rewrite anything as long as ir_verify holds. Memory belongs to the arena.
 *
 * Random streams: instance counter `launch`: +1 at each kernel call, +1 at the start of each
 * parallel loop. A parallel iteration draws from (seed, launch, n), n = its row-major number
 * (range_for: ordinal of the iteration; struct_for: number of the coordinates, offset removed,
 * within the node's coordinate extents, by ascending axis). Serial kernel code: (seed, launch of
 * the kernel, UINT64_MAX). Host code: (seed, 0, UINT64_MAX), continued over the life of the
 * instance. Sum reductions of f16 and f32 are kept in f64, of f64 in double-double, in chunks that
 * depend on the iteration count alone, combined in order. */
#ifndef SNL_IR_IR_H
#define SNL_IR_IR_H

#include "check/prog.h"

typedef enum {
#define INST(name, text, operands, result, effects) INST_##name,
#include "ir/insts.def"
#undef INST
    INST_COUNT
} InstKind;

typedef enum {
#define TASK(name, text) TASK_##name,
#include "ir/tasks.def"
#undef TASK
    TASK_COUNT
} TaskKind;

typedef enum {
    ACCESS_READ,     /* inactive: the ambient cell */
    ACCESS_ACTIVATE, /* inactive: activated, with all parents */
    ACCESS_KNOWN,    /* known to be active: no test */
    /* where it lies: bitmasked nodes have memory for inactive cells too, which is ambient; others
     * as ACCESS_READ */
    ACCESS_ADDRESS
} Access;

/* Who asks for the number of an iteration: random numbers, checks of races. */
enum { ITERATION_RANDOM = 1, ITERATION_RACES = 2 };
/* What the kernel finds of a range: its first index, its step, how many indices it has. */
typedef enum { BOUND_FROM, BOUND_STEP, BOUND_COUNT } BoundKind;

typedef struct Inst Inst;
typedef struct Block Block;
typedef struct Task Task;
typedef VEC(Inst *) Insts;
typedef VEC(Task *) Tasks;

struct Block {
    Insts insts;
    Inst *result; /* value the block yields (LOGIC, COND, WHILE condition), or NULL */
};

/* What makes a min, max or clamp of floats one comparison with one of its operands. */
typedef struct {
    unsigned char operand; /* 1 + the number of that which it gives where the other is a NaN, or
                            * both are equal; clamp: 2, both limits are such; 0: none is known */
    bool gives_other;      /* the other operand where both are equal */
    bool alone;            /* none is known, and C compilers make no vectors here: a jump to what is
                            * rare, a NaN or zeros, takes less */
} Limit;

/* Most programs are mostly instructions: what no kind has together shares its place. */
struct Inst {
    InstKind kind : 8;
    Op op : 8;
    Builtin builtin : 8;
    AtomicOp atomic_op : 8;
    Scalar to : 8;       /* CHECK_CAST, CHECK_SHIFT, CHECK_INDEX */
    Access access : 4;   /* CELL, LOOKUP… */
    BoundKind bound : 2; /* BOUND */
    bool vector : 1;     /* LOOP, INSIDE: C compilers may make vectors of its iterations */
    bool strips : 1;     /* LOOP: goes by strips, for lanes of sums and lines that are fetched */
    bool plain : 1;      /* ATOMIC: no other iteration can touch the place */
    bool joined : 1;     /* ATOMIC: adds a vector to scalars side by side in a cell, from the place
                          * on */
    bool neighbour : 1;  /* LOOKUP in a loop over cells: of a neighbour; the loop's own cell, when
                          * that lies in the same block */
    bool opaque_stride : 1; /* LOOKUP of strips: neighbouring iterations reach cells a power of two
                             * apart. C compilers must not know this stride */
    bool placed : 1;     /* APPEND: iteration number n of the loop gets index length + n */
    bool relaxed : 1;    /* IS_ACTIVE in a container: nothing in the task changes the activity of
                          * its cells, or of the cells above */
    bool in_row : 1;     /* IS_ACTIVE, ACTIVATE, DEACTIVATE: of the cell `row`, `column` away from
                          * the loop's own */
    bool owned : 1;      /* APPEND: the loop does nothing else; each list can be left to one
                          * thread */
    bool in_runs : 1;    /* APPEND: iterations that follow each other mostly append to the same
                          * list */
    bool packed : 1;     /* LENGTH, FOR through a list: of a list of Task.packed; the loop reads the
                          * packed copy */
    bool collects_runs : 1; /* FOR: looks up lists and does nothing but one loop through each. Lists
                             * that lie side by side are one run, with one loop */
    bool speculative : 1; /* ABREAST: needs no cells. Iterations that do not exist are computed too,
                           * with no harm: the number of iterations may be a constant */
    bool defines : 1;    /* STORE: to a variable whose scope begins here */
    bool row_invariant : 1; /* BUILTIN floormod, BINARY %: the operands do not change in the
                             * innermost loop */
    bool sign_flip : 1;  /* UNARY - of floats: flips the sign bit, since C compilers may fuse the
                          * operand with a negation */
    bool progress : 1;   /* FOR in host code */
    bool graph : 1;      /* FOR, WHILE in host code: what iterations start on a GPU may be the same
                          * each time */
    unsigned char fast_float; /* LOAD: of an element of Task.fast_floats, 1 + its number there; 0:
                               * of none */
    Limit limit;         /* BUILTIN min, max, clamp of floats */
    Limit fast_limit;    /* the same, where elements of Task.fast_floats are fast */
    bool in_scope : 1;   /* scratch of walks: false between them */
    int id;              /* printed $id; unique in its function after ir_number */
    int uses;            /* number of operands that refer to it, after ir_number */
    Span span;
    union {
        int arg_split;   /* APPEND: number of coordinates */
        int leaf;        /* IN_CELL, ROOT_PLACE */
        int index;       /* GET, MEMBER, LOOP_NUMBER, CHUNK, BOUND, ITERATION, CHECK_SHIFT: width */
        int axis;        /* EXTENT, CHECK_INDEX */
        int most;        /* BINARY +, Task.planes: the largest sum */
        struct {
            int row, column;    /* in_row */
        };
    };
    const Type *type;    /* of the value, or of the thing at a place; NULL when neither */
    Insts args;
    Block *blocks[2];
    union {
        Value value;     /* CONST */
        struct {         /* PRINT, ASSERT, FORMAT, STRING, CHECK_INDEX, CHECK_RACE, CHECK_INIT */
            const char *string;
            size_t string_bytes;
        };
        int64_t stack_bytes; /* CHECK_STACK: of local arrays, see ir_count_stack */
    };
    union {
        Var *var;        /* VAR, LOOP, INSIDE, INDEX */
        Param *param;
        Table *table;
        Func *func;      /* CALL */
        Field *field2;   /* COPY: source */
        Layout *layout2; /* SWAP */
        const struct HaloPlace *halo; /* HALO */
        const struct WindowPlace *window; /* WINDOW, WINDOW_COPY */
        Node *like;          /* ACTIVATE_AS; CELL: the loop's node, whose own cell has the same
                              * number in its container; NULL: that is not known */
    };
    Field *field;
    union {
        Node *node;
        Layout *layout;      /* REQUIRE, MEMORY, CREATE, DESTROY, TRIM, SWAP, SAVE, LOADFILE */
    };
    union {
        VEC(Var *) vars;     /* FOR, FOR_CELLS */
        VEC(Field *) fields; /* SAVE, LOADFILE, IMAGE */
        Insts assert_args;   /* ASSERT: what it prints, computed in its block */
    };
};

/* How a task uses a field. Index k, where `own[k]`, is loop variable number var[k] + something from
 * offset_min[k] to offset_max[k]. */
typedef struct {
    Field *field;
    bool own_index;               /* every index is such a one */
    bool spreads;                 /* an access has more than one offset, as in a sequential loop */
    bool own[AXIS_MAX];
    int var[AXIS_MAX];
    int64_t offset_min[AXIS_MAX], offset_max[AXIS_MAX];
} Footprint;
typedef VEC(Footprint) Footprints;
typedef VEC(Node *) Nodes;

/* A field's element in a halo: by axis, how far it is from the loop's own. */
typedef struct HaloPlace {
    struct Halo *halo;
    int64_t offset[AXIS_MAX];
} HaloPlace;

/* The copy that a loop over blocks makes of a run of a field: of a block and the cells around it
 * that are needed. */
typedef struct Halo {
    Field *field;
    int leaf;
    const Type *type;      /* of the run */
    Node *node;            /* its cells are those of the block */
    int64_t low[AXIS_MAX], high[AXIS_MAX]; /* by axis: cells before and after the block */
    int64_t extent[AXIS_MAX]; /* of the copy, along the axes of the node */
    unsigned directions;   /* bit set of blocks that are read: number of three digits, 0 before, 1
                            * same, 2 after, one an axis of the node */
    Boundary beyond[AXIS_MAX]; /* by axis: what stands for cells outside of the field; NONE: they
                                * are never read */
    bool in_box;           /* the cells are those of a box of one large container, not of a block */
    bool by_rows;          /* rows of cells are moved along where they are read at an offset along
                            * the row; so the copy has none of the blocks beside these */
    bool in_place;         /* by rows: there is no copy, rows are read where they are */
    int sums;              /* places where the loop adds to the copy, which is added to the field in
                            * the end; 0: it reads */
} Halo;

/* The cells of a node that a loop over blocks reaches at twice, or half, of its own indices, from
 * one part of a block: along each axis, relative to the first cell of the part, times so much, and
 * >> shift. They are those of one block, or a copy is made of them. */
typedef struct Window {
    Node *node;
    int64_t times[AXIS_MAX];
    int shift[AXIS_MAX];
    int64_t low[AXIS_MAX], high[AXIS_MAX]; /* by axis: the least and greatest offset of an element,
                                            * before >> */
    int64_t size[AXIS_MAX]; /* by axis: cells that a part is for: (part x times) >> shift */
    bool activates;        /* the block, which all iterations reach; else it is read */
    bool outside;          /* some of it may lie outside of the tree, where no program reads */
    Field *field;          /* of which a run is copied; NULL: none, the cells are reached where they
                            * are */
    int leaf;
    const Type *type;
} Window;

/* An element, or cell, of a window: by axis, what is added to the loop's own index in the part,
 * times so much. */
typedef struct WindowPlace {
    Window *window;
    int64_t offset[AXIS_MAX];
} WindowPlace;

/* A copy of a block and the cells after it, for iterations that follow each other: of cells of
 * dense blocks under a pointer node at the top. The body asks whether an iteration is in it. */
typedef struct {
    Node *node;
    int64_t extent[AXIS_MAX]; /* along the axes of the node */
    bool adds;             /* the loop adds to the cells, else it reads them */
} Patch;

/* What a task does to memory, after pass effects; printed by --print-ir. */
typedef struct {
    Footprints reads, writes, accumulates;
    Nodes may_activate, may_deactivate; /* in trees whose cells are listed or masked */
    Nodes walks;           /* sparse nodes whose cells an iteration goes through */
    bool prints, asserts, random;
} Effects;

/* What a loop reads of an array at the top of a layout: elements of the slices, each of what lies
 * at one index of the outermost axis, from `low` to `high` away from the iteration's own. Or the
 * copy that it makes of a block with the cells around it. */
typedef struct {
    const Node *node;
    Scalar scalar;         /* all that its cells, or the copy, are made of */
    int64_t low, high;
    const Halo *halo;      /* the copy, or NULL */
} FastFloats;

enum { TASK_ROWS_MOST = 32 }; /* rows that an iteration of Task.rows reads, of all masks */
/* An addition of a loop to an element of a dense array. */
typedef struct {
    Inst *sum, *lookup;    /* the ATOMIC; its cell */
    int base;              /* those of one base differ by constants */
    int64_t cells, byte;   /* from the same cell: number of this one, place of the element */
} BatchSum;

/* What a strip is that goes between elements of other fields: a row of a block, or a part of a row
 * of an array, whose cells nothing but their own iterations use where they are WHOLE. */
typedef enum { WEAVE_NONE, WEAVE_ROWS, WEAVE_CELLS, WEAVE_WHOLE } Weave;

/* Where a loop does something: where a sum of its indices leaves a rest when it is divided by `by`.
 * From one last index to the next the sum grows by `growth`, which is 1 or -1 but for multiples of
 * `by`. */
typedef struct {
    int64_t by, growth;
    bool floors;            /* a negative sum leaves no negative rest */
    Block *sum, *rest;      /* with these results, integers; `sum` loads the last index */
} Stride;

struct Task {
    TaskKind kind;
    int id;
    Span span;
    Block *setup;          /* loops: computes from, to, step; IF: condition = setup->result */
    Insts from, to, step;  /* RANGE_FOR; step entries may be NULL (1). STRUCT_FOR: cells before and
                            * after are left out; none: all are visited */
    VEC(Var *) vars;       /* loop variables */
    Node *node;            /* STRUCT_FOR (NULL: 0-D), CLEAR_LIST, LISTGEN, GC */
    Field *field;          /* STRUCT_FOR over a field, or NULL */
    bool drops_own;        /* STRUCT_FOR over a mask: deactivates no cells but its own
                            * (analysis/self_deactivate.h) */
    bool use_list;         /* STRUCT_FOR: iterate a snapshot list of node's cells (its activity may
                            * change in the loop), else list of the ancestor + inline loops */
    Node *masks;           /* `use_list`: of this bitmasked node, right below a list or the top,
                            * there are copies of the masks instead of the list; or NULL */
    VEC(Halo *) halos;     /* STRUCT_FOR: copies of what neighbours in blocks are read from */
    VEC(Window *) windows; /* STRUCT_FOR: what is reached in blocks at twice or half of the loop's
                            * own indices */
    int64_t part[AXIS_MAX]; /* `windows`: cells of the parts of a block, which is gone through part
                             * by part, along the axes of the node; 0: it is one part */
    const char *unstaged;  /* why the loop has no halos, or NULL: @block_local asked for some */
    Nodes ahead;           /* STRUCT_FOR over a list: containers in its cells that are fetched
                            * early, `ahead_by` entries ahead */
    int ahead_by;
    bool ahead_in_mask;    /* they are in cells of a mask below the list: so many of these ahead */
    bool ahead_in_array;   /* they are in cells of a large array: so many of these ahead */
    bool ahead_by_rows;    /* they are fetched in parts, by the first axis of the block that the
                            * loop is at */
    bool ahead_lists;      /* STRUCT_FOR over a dynamic node: the first cells of lists further on in
                            * the same container are fetched early */
    bool ahead_words;      /* STRUCT_FOR over masks in a large array: the cells of words further on
                            * are fetched early, where many of a word are active */
    Nodes ahead_strips;    /* large arrays of which lines further on are fetched early, strip by
                            * strip of the innermost loop */
    unsigned ahead_around; /* directions, as those of a halo, of the blocks around each of which the
                            * face is fetched too */
    const Field *stream;   /* is written in strips, and not read; NULL: none */
    bool stream_by_size;   /* `stream`: its array may be small, which is known at run time only */
    Weave weaves;          /* `stream`: its strips go between elements of other fields instead */
    const Node *rows;      /* RANGE_FOR: reads masks and sets that of this node by rows of a block,
                            * or NULL */
    bool planes;           /* `rows`: does so with a bit for each cell of a row */
    bool goes_abreast;     /* several iterations go together: through the body, where it is a
                            * STRUCT_FOR over a list, else through `inside` */
    VEC(Var *) abreast;    /* variables that each of these has for itself */
    const Node *packed;    /* STRUCT_FOR: the cells of all lists of this node are packed into one
                            * array first, for the loop to read; NULL: none */
    bool packs_own;        /* its own cells too */
    Nodes scatter;         /* top nodes whose containers the loop only adds to: each thread may add
                            * to a copy of its own */
    int updates;           /* scatter: additions of an iteration */
    bool batches;          /* several iterations may be computed at once */
    VEC(BatchSum) batch;   /* these additions, by address, may be put off to the end of each
                            * iteration, and go on for several iterations at once */
    bool lanes;            /* accumulators have a place for each of neighbouring iterations */
    bool adds_rows;        /* does nothing but add f32 to a sum, which lie side by side in memory */
    bool quads;            /* vectors of three or four f32 are kept in one register each */
    bool gathers;          /* elements at computed indices may be read as vectors */
    bool simd;             /* the innermost loop may be vectorised */
    int words;             /* STRUCT_FOR over a mask: all cells of a word may be computed, as
                            * vectors of numbers of at most so many bytes; else 0 */
    int64_t words_first, words_last; /* where the numbers of the neighbours that they read, counted
                                      * from the own cell's, are those of cells */
    bool columns;          /* iterations may go abreast, each of them once: no two of different last
                            * indices reach an element that one of them changes */
    bool large;            /* so much code that C compilers do less with it */
    bool wide;             /* computes so much that the widest vectors pay */
    int strip;             /* `simd`: rows may go by strips of so many iterations, some of which are
                            * done again; 0: they go one by one */
    VEC(FastFloats) fast_floats; /* arrays that may hold mostly fast floats: no NaN, no -0 */
    bool has_fast_floats;  /* has a version for that */
    bool tiny;             /* is one chunk in any case: the kernel runs it itself */
    Block *body;           /* SERIAL, RANGE_FOR, STRUCT_FOR */
    Block *code;           /* the loops with the body in them, as pass lower_loops makes them; NULL:
                            * the emitter makes them */
    Block *inside;         /* a simpler one, for values of the last index from `inside_from` to
                            * before `inside_to`, or NULL */
    Block *inside_from, *inside_to; /* with these results, i64; NULL: where the loop begins, or
                                     * ends */
    const Stride *stride;  /* the last index goes by it through `inside`, if there is one */
    Block *entry;          /* STRUCT_FOR over a list: what is looked up once for each entry; or
                            * NULL */
    Block *before;         /* what the body reads in one place for a whole row: runs before the
                            * innermost loop, and not where that has no iterations; or NULL */
    Block *fetches;        /* finds the list that an iteration appends to, or a hash cell that it
                            * changes or reads, for FETCH: runs for a strip of iterations before
                            * `body`; or NULL */
    const Node *order;     /* iterations go in the order of the cells of this node that `fetches`
                            * finds, for KEY; NULL: in their own */
    Nodes order_own;       /* `order`: arrays with what iterations use at their own index */
    const Patch *patch;    /* `order`: iterations that follow each other have it, or NULL */
    Tasks tasks, orelse;   /* IF */
    int block_dim;
    VEC(Field *) block_local;
    VEC(Reduction) reductions;
    Effects effects;
};

/* How much work a call of a function is, and what looking at it takes: instructions, those of the
 * functions that it calls among them, and calls in calls. */
typedef struct {
    int64_t all;
    int visits, deepest;
    bool known;
} FuncWork;

/* A function in IR: kernels have tasks, all others a body. */
typedef struct {
    Func *func;
    Block *body;
    Tasks tasks;
    bool large;            /* so much code, but for parallel loops, that C compilers do less with
                            * it */
    bool uses_random;      /* itself or through calls */
    bool may_fail;         /* records errors: assert, checks, activation, calls of such */
    bool checks_races;     /* holds CHECK_RACE, itself or through calls: has to know the
                            * iteration */
    VEC(Func *) calls;     /* functions that it calls itself, each once; as of lowering, then of the
                            * last pass */
    VEC(Layout *) manual;  /* @manual layouts used, itself or through calls */
    VEC(Layout *) collect; /* layouts with cells that it may deactivate, itself or through calls */
    VEC(Var *) vars;       /* func->vars plus temporaries */
    FuncWork work;         /* analysis/cost.c, not known since ir_number where nobody asked */
    int inst_count;        /* as of ir_number */
    bool in_vectors;       /* loops of which C compilers make vectors call it (Ir.knows_vectors) */
    signed char arithmetic; /* does it arithmetic itself? 1: yes, -1: no, 0: nobody asked since
                             * ir_number */
    Effects *own_effects, *effects; /* pass effects: what it does itself, and through calls too;
                                     * NULL: nobody asked */
} IrFunc;
typedef VEC(IrFunc *) IrFuncs;

typedef struct {
    Prog *prog;
    IrFuncs funcs;         /* by Func order, then main, tests */
    bool knows_reached;    /* pass demote_atomics has set Var.is_reached */
    IrFunc **by_id;        /* by Func id: functions that can be called */
    bool uses_random;      /* a function of the program does */
    bool knows_vectors;    /* pass minmax has found which functions loops with vectors call */
    bool needs_indices;    /* a node of the program has activity, or divides an axis of the one
                            * around it */
} Ir;

/* lower.c: the whole program to IR. Call only when no error was reported. */
Ir *ir_lower(Compile *c, Prog *p);
/* The IR of a function. */
IrFunc *ir_func(const Ir *ir, const Func *func);
/* Does a function do arithmetic alone, with its arguments, variables of its own, and tables? It has
 * no loops, and few levels of calls. */
bool ir_is_arithmetic(const Ir *ir, const Func *func);
/* True when a block may deactivate cells of a layout, itself or through calls. */
bool ir_deactivates(Compile *c, const Ir *ir, Block *b, const Layout *layout);
/* check_arrays.c: for a GPU, reports arrays too large for what runs there. */
void ir_check_arrays(Compile *c, const Ir *ir);
/* lower_stack_checks.c: CHECK_STACK at the start of functions that may call themselves; `funcs`:
 * all, those that others call before these. */
void ir_check_recursion(Compile *c, Ir *ir, const IrFuncs *funcs);
/* The CHECK_STACK of a function, or NULL. */
Inst *ir_stack_check(const IrFunc *f);
/* Behind the passes: sets how many bytes each CHECK_STACK asks for: those of local arrays of its
 * function, of those that this calls, and of the next one that asks. */
void ir_count_stack(Compile *c, const Ir *ir);
/* ir_print.c */
void ir_print(const Ir *ir, Text *out);
void ir_print_func(const Ir *ir, const IrFunc *f, Text *out);
/* ir_verify.c: NULL, or what is broken (with numbers that ir_number gives). */
const char *ir_verify(Compile *c, const IrFunc *f);
/* Finds the functions that it calls. */
void ir_note_calls(Compile *c, IrFunc *f);
/* Numbers instructions and counts uses; gives a number above all. */
int ir_number(IrFunc *f);
/* The same for one block, whose instructions then have numbers that others of the function have
 * too. */
int block_number(Block *b);
/* More than any id of its variables. */
int ir_var_limit(const IrFunc *f);
/* ir.c: constructors and helpers */
Inst *ir_new(Compile *c, InstKind kind, const Type *type, Span span);
void ir_arg(Compile *c, Inst *i, Inst *operand);
/* An integer constant. */
Inst *ir_integer(Compile *c, const Type *type, Span span, int64_t value);
Inst *ir_binary(Compile *c, Op op, const Type *type, Span span, Inst *a, Inst *b);
void block_add(Compile *c, Block *b, Inst *i);
/* A new instruction with these operands, of which may be NULL, at the end of a block. */
Inst *ir_add(Compile *c, Block *to, InstKind kind, const Type *type, Span span, Inst *a, Inst *b);
/* The operator of an atomic operation, OP_NONE for those that have none. */
Op atomic_operator(AtomicOp op);
/* Empties a block that is to be filled again; what was in it is given back with insts_free. */
Insts block_take(Block *b);
void insts_free(Compile *c, Insts *list);
bool nodes_have(const Nodes *nodes, const Node *n);
/* A new variable of a function, whose name need not be unique. */
Var *ir_new_var(Compile *c, IrFunc *f, const char *name, const Type *type, Span span);
/* The footprint of a field in a list, or NULL. */
const Footprint *footprint_of(const Footprints *list, const Field *f);
/* Are its indices those of the loop, without anything added? */
bool footprint_is_at_indices(const Footprint *p);
/* In a loop with one index: is it the element at this index alone? */
bool footprint_is_own(const Footprint *p);
/* Is it a parallel loop: RANGE_FOR, STRUCT_FOR? */
bool task_is_loop(const Task *t);
/* Calls fn for each task of a list, tasks under conditions too; before those in it. */
void tasks_walk(const Tasks *tasks, void (*fn)(Task *t, void *arg), void *arg);
/* All tasks of a function, or its parallel loops, under conditions too, in order. The list belongs
 * to the scratch arena. */
Tasks ir_tasks(Compile *c, const IrFunc *f);
Tasks ir_loops(Compile *c, const IrFunc *f);
/* Is it a variable of the loop? */
bool task_has_var(const Task *t, const Var *v);
/* The number of a loop variable of a task, or -1. */
int task_var_number(const Task *t, const Var *v);
/* Is it a loop over one range, or over all cells of an array at the top of a layout? */
bool task_has_one_index(const Task *t);
/* The array at the top of a layout whose cells the loop goes through by rows, or NULL. */
const Node *task_rows(const Task *t);
/* The number of the variable that the innermost loop goes through one by one, in a range or along
 * the rows of an array; -1: there is none. */
int task_last_index(const Task *t);
/* The same along the rows of blocks, in a loop that reads neighbours in them (pass stage). */
int task_row_index(const Task *t);
/* Does it accumulate floats? Neighbouring iterations then have accumulators of their own, which one
 * loop through a row counts (pass split_reductions). */
bool task_sums_floats(const Task *t);
/* Does it have such a variable, and no halos or anything else that says how the innermost loop is
 * written? It may have reductions. */
bool task_is_plain(const Task *t);
/* Is it written block by block, for what it has at each of them? */
bool task_is_by_blocks(const Task *t);
/* Is it a loop over cells that leaves out those before and after ranges of indices? */
bool task_is_bounded(const Task *t);
/* The node that a loop over sparse cells has a list of; NULL: it has none. */
const Node *task_listed(const Task *t);
/* May a task write to a field, or add to it? */
bool task_changes(const Task *t, const Field *f);
/* The set of the variables of a loop, by number. */
unsigned task_variables(const Task *t);
/* Do two iterations of a loop that changes a field always change two elements? */
bool task_owns(const Task *t, const Field *f);
/* Does a task leave the activity of a node, and of those above, as it is? */
bool task_leaves(const Task *t, const Node *n);
bool fields_have(Field *const *list, int count, const Field *f);
/* Can sums of the type be added up apart and joined? */
bool scalar_can_be_summed(Scalar s);
/* The box of cells of a large dense container without blocks that lanes of a GPU go through
 * together, along each axis of the node; false where there is none. */
bool node_box(const Node *n, int64_t *box);
/* The variable, table or field place that a part of it lies in. */
const Inst *inst_place_root(const Inst *place);
/* The f32 that a value is, or that it is an f64 of; NULL: it is neither. */
const Inst *inst_as_f32(const Inst *value);
/* The field that a place lies in, or NULL. */
Field *inst_place_field(const Inst *place);
/* True for variables that keep the value they are declared with. */
bool var_is_fixed(const Var *v);
/* True for variables that the iteration, or the call of the function, has for itself. */
bool var_is_own(const Var *v);
/* Loads a variable that keeps its value. */
bool inst_is_fixed_load(const Inst *i);
/* A look-up of any kind of node. */
bool inst_is_lookup(const Inst *i);
/* An operation on activity that names its container, as pass lower_access makes it, not
 * coordinates. */
bool inst_has_container(const Inst *i);
/* What Task.fetches asks for, or NULL. */
const Inst *task_fetch(const Task *t);
/* The container that an append of a loop names, also where Task.fetches finds it. */
const Inst *task_list(const Task *t, const Inst *append);
/* Larger local arrays have memory of their own: no stack need have room for them. */
enum { STACK_ARRAY_BYTES = 256 * 1024 };
/* Does it declare one of these? */
bool inst_takes_memory(const Inst *i);
/* Records an error when something is wrong, other than by what it calls. */
bool inst_may_fail(const Inst *i);
/* Are two instructions one but for their operands? The field of a look-up says whose cell it is,
 * which holds other fields too. */
bool inst_is_alike(const Inst *a, const Inst *b);
bool inst_is_loop(const Inst *i);       /* a sequential one: FOR, WHILE, FOR_CELLS */
/* May it exchange, load, make, end or trim trees? Cells lie elsewhere then. For host code. */
bool inst_moves_trees(const Inst *i);
bool inst_is_pure(const Inst *i);       /* no effects at all, nested blocks included */
bool inst_writes(const Inst *i);        /* writes memory or activity, or calls something that may */
/* Calls fn for each instruction of a block, nested blocks included, in order. */
void block_walk(Block *b, void (*fn)(Inst *i, void *arg), void *arg);
/* Notes, by id, the variables that a block declares, those of its loops over ranges too. */
void block_note_declared(Block *b, bool *declared);

#endif
