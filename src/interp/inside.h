/* Inside of the interpreter: its own model of trees, and the evaluator. A run-time error leaves by
 * longjmp to the entry. */
#ifndef SNL_INTERP_INSIDE_H
#define SNL_INTERP_INSIDE_H

#include <setjmp.h>
#include <string.h>

#include "check/leaf.h"
#include "core/instance.h"
#include "program/bench_timer.h"
#include "interp/interp.h"
#include "program/snl_format.h"
#include "math/snl_random.h"
#include "program/stats.h"
#include "tree/tree.h"

typedef unsigned __int128 Key; /* row-major number of coordinates */

/* Hash table from Key to one word, open addressing, malloc memory. */
typedef struct {
    Key *keys;
    Leaf *words;
    unsigned char *state; /* 0 free, 1 used, 2 deleted */
    int64_t room, used, filled;
} KeyMap;

/* One tree: of each node the set of its active cells (dynamic: length of each list), of each leaf
 * of a field its values. */
typedef struct {
    KeyMap active;
} NodeState;
typedef struct {
    Scalar scalar;
    int64_t bytes; /* of one */
    char *flat;    /* dense paths: every element, as C has it */
    KeyMap some;   /* sparse paths: elements that were written */
} LeafState;
typedef struct {
    bool exists;
    NodeState *nodes;             /* by node id - 1 */
    int64_t (*stored)[AXIS_MAX];  /* sizes with run-time ones filled in, storage order, by node id -
                                   * 1 */
    int64_t (*extents)[AXIS_MAX]; /* by axis: their product on the way from the top, by node id -
                                   * 1 */
    uint64_t base;                /* pretended address of the tree */
    SnlTree *ledger;              /* where memory is limited: a tree of the runtime in which the
                                   * same is active, as in a compiled program; else NULL */
} TreeState;

/* Active cells of a node in memory order: those of the nearest node at or above it that has
 * activity, in each of which lie all of the dense cells below. */
typedef struct {
    Key order; /* number of the cell in memory order */
    int64_t coord[AXIS_MAX]; /* from 0, by axis */
} ListedCell;
typedef struct {
    const Node *node, *listed; /* listed: NULL where all are dense */
    ListedCell *cells;         /* of `listed`, malloc memory */
    int64_t below;             /* cells of the node in each of these */
    int64_t count;             /* in all */
} Cells;

/* A local variable: its leaves; extern arrays borrow those of the caller. */
typedef struct {
    Leaf *leaves;
    const struct Where *place; /* of the caller: an inout argument; else NULL */
    const Type *type;  /* of the storage: for extern arrays the caller's array type */
    bool borrowed, set;
    unsigned char *flags; /* --check: where type_flag_count > 1, these; `set`: all of it was */
} Slot;

typedef struct Frame {
    struct Frame *caller;
    const Func *func;
    Slot *slots;       /* by Var id */
    Leaf *result;
    SnlRandom *random;
} Frame;

/* A sum of a parallel loop (sums.c). */
typedef struct {
    const Var *var;
    double *high, *low; /* by component, of a sum of floats */
    Leaf *whole;        /* of integers */
    int64_t *wraps;
} Sum;
typedef struct Sums {
    struct Sums *outer;
    Sum *items;
    int count;
} Sums;

typedef struct Interp {
    Compile *c;
    Prog *p;
    TreeState *trees;     /* by layout id */
    LeafState **fields;   /* by field id, then leaf */
    Leaf **params;        /* by param id; NULL for strings */
    const char **texts;   /* by param id: strings */
    Frame *frame;
    Leaf *stack;          /* scratch for values */
    int64_t stack_used, stack_room;
    jmp_buf on_error;
    char error[2048];
    uint64_t seed, launch, address_count;
    SnlRandom host_random;
    struct Tape *tape;    /* what derivatives need, or NULL */
    const char *c_stack; /* where the C stack began, and how much of it may be used */
    size_t c_stack_bytes;
    Sums *sums;           /* sums of the parallel loop being run, or NULL */
    SnlInstance memory;   /* what the runtime keeps for the interpreter: stores of a parallel loop,
                           * calls of kernels */
    SnlInstance ledgers;  /* whose memory is limited as the program's */
    SnlCall call;         /* of the kernel that runs; rt is NULL outside */
    bool notes_stores;    /* in a parallel loop, under --check=race */
    uint64_t iteration;   /* of that loop */
} Interp;

typedef enum { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN } Flow;

/* Copies the `n` leaves of a value, mostly one, which may overlap. */
static inline void
leaves_copy(Leaf *to, const Leaf *from, int n)
{
    if (n == 1)
        *to = *from;
    else
        memmove(to, from, sizeof(Leaf) * (size_t)n);
}

/* state.c */
/* Zero-filled memory for what the interpreter itself needs: there is always enough, or the process
 * ends. The caller frees it. */
void *interp_memory(size_t count, size_t bytes);
/* Scratch memory for `n` leaves, given back by setting in->stack_used to an earlier value. */
Leaf *interp_take(Interp *in, int64_t n);
/* Ends the run with "file:line: text". */
_Noreturn void interp_fail(Interp *in, Span at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Is the value of an index that was a u64 2^63 or more? */
bool interp_index_is_far(const TExpr *index, int64_t n);
/* Ends the run because of an index that was computed of an expression and is not among first to
 * last of what is called so. */
_Noreturn void interp_fail_index(Interp *in, Span at, const TExpr *index, int64_t n,
                                 const char *what, int64_t first, int64_t last, int axis);
/* Ends the run because of a function. */
void interp_stack_is_full(Interp *in, const Func *func);
/* Does so when the C stack is nearly used up. */
void interp_check_stack(Interp *in, const Func *func);
/* The kernel that runs, if one does, has ended. */
void interp_end_call(Interp *in);

/* keymap.c */
Leaf *keymap_find(const KeyMap *m, Key key);
Leaf *keymap_add(KeyMap *m, Key key, Leaf fresh);
void keymap_remove(KeyMap *m, Key key);
void keymap_free(KeyMap *m);

/* shape.c: sizes, which are known once a tree exists; numbers of cells and elements. */
int64_t shape_field_extent(Interp *in, const Field *f, int index);
int64_t shape_node_extent(Interp *in, const Node *n, int axis);
/* Row-major number of an element within the extents of its field. */
uint64_t shape_number(Interp *in, const Field *f, const int64_t *index);
/* The row-major number over the path of a node of coordinates by axis, from 0 on; the axis `skip`
 * is left out. */
Key shape_key(Interp *in, const Node *n, const int64_t *c, int skip);
/* The axis that the keys of a node's activity leave out: a list has one key, whose word is its
 * length; -1: none. */
int shape_own_axis(const Node *n);
/* Coordinates by axis, from 0 on, of a row-major number over the path of a node; the axis `skip` is
 * left out. */
void shape_coords(Interp *in, const Node *n, Key key, int skip, int64_t *c);
/* Coordinates of the cell of `up` that holds the cell of n with coordinates `c`; both by axis, from
 * 0 on. */
void shape_coords_above(Interp *in, const Node *n, const int64_t *c, const Node *up, int64_t *out);

/* ledger.c: trees of the runtime. */
/* An empty tree of that layout, in the sizes it has now, with the memory of an instance. */
SnlTree *ledger_make_tree(Interp *in, SnlInstance *rt, const Layout *l, Span at);
/* A tree in which the same is active; its values are ambient. */
SnlTree *ledger_copy_tree(Interp *in, SnlInstance *rt, const Layout *l, Span at);
/* Ends the run with the error that the runtime or `error` has, after the tree was released. */
_Noreturn void ledger_give_up(Interp *in, SnlInstance *rt, SnlTree *tree, const SnlIoError *error,
                              Span at);
/* What the ledgers of trees are told, where there are any: that a tree was made or loaded; that a
 * cell, at coordinates by axis from 0 on, is active now, or no longer, or all of a node for NULL;
 * that the outermost loop has ended. */
void ledger_renew(Interp *in, const Layout *l, Span at);
void ledger_activate(Interp *in, const Node *n, const int64_t *c, Span at);
void ledger_deactivate(Interp *in, const Node *n, const int64_t *c);
void ledger_collect(Interp *in);

/* tree.c: coordinates are those of the node's or field's own indices, offset included, by ascending
 * axis letter. */
void tree_destroy(Interp *in, Layout *l, Span at);
void tree_trim(Interp *in, Layout *l, Span at);
void tree_require(Interp *in, const Layout *l, Span at);
/* All layouts that hold a part of the field. */
void tree_require_field(Interp *in, const Field *f, Span at);
Leaf tree_read(Interp *in, Field *f, int leaf, const int64_t *index, Span at);
void tree_write(Interp *in, Field *f, int leaf, const int64_t *index, Leaf v, Span at);
/* args: what the coordinates were computed of, for messages. */
bool tree_is_active(Interp *in, const Node *n, const int64_t *coord, const TExprs *args,
                    Span at);
void tree_activate(Interp *in, const Node *n, const int64_t *coord, const TExprs *args,
                   Span at);
void tree_deactivate(Interp *in, const Node *n, const int64_t *coord, const TExprs *args,
                     Span at);
void tree_deactivate_all(Interp *in, const Node *n, Span at);
int64_t tree_length(Interp *in, const Node *n, const int64_t *coord, const TExprs *args,
                    Span at);
/* Index of the new last cell, or a run-time error when the list is full. */
int64_t tree_append(Interp *in, const Node *n, const int64_t *coord, const TExprs *args,
                    Span at);
void tree_swap(Interp *in, Layout *a, Layout *b);
/* The value of an element that is not active. */
Leaf tree_ambient(const Field *f, int leaf);
/* Frees all. */
void tree_end(Interp *in);

/* tree_cells.c */
/* The cells that are active now. */
Cells tree_cells(Interp *in, const Node *n, Span at);
/* Coordinates of number i of them. */
void tree_cells_at(Interp *in, const Cells *cells, int64_t i, int64_t *coord);
void tree_cells_free(Cells *cells);
/* The pretended address of an element. */
int64_t tree_cells_address(Interp *in, const Field *f, int leaf, const int64_t *index);

/* tape.c */
void tape_exec(Interp *in, const TStmt *s);
int64_t tape_take_word(Interp *in);
void tape_free(Interp *in);

/* tree_copy.c: files of a layout, the same as those of compiled programs, and the bytes that a
 * compiled program needs for what is active. Where a file cannot be used, or memory is short, the
 * run ends. */
int64_t tree_copy_memory(Interp *in, const Layout *l, Span at);
void tree_copy_save(Interp *in, const Layout *l, const char *path, Span at);
void tree_copy_load(Interp *in, const Layout *l, const char *path, Span at);

/* tree_create.c */
void tree_create(Interp *in, Layout *l, Span at);
/* Allocates the states of a fresh instance. Makes the trees that no program makes. */
void tree_create_all(Interp *in);

/* sums.c: the sums of a parallel loop begin; end with their variables set. */
void sums_start(Interp *in, Sums *sums, const TStmt *loop);
void sums_end(Interp *in, Sums *sums, Span at);
/* Adds to a sum of the running loop, or to a component of one; false when the variable is not
 * one. */
bool sums_add(Interp *in, const TExpr *place, const Leaf *by, bool negate);

/* eval.c */
void eval(Interp *in, const TExpr *e, Leaf *out);
int64_t eval_integer(Interp *in, const TExpr *e);
bool eval_bool(Interp *in, const TExpr *e);
const char *eval_string(Interp *in, const TExpr *e);
/* The checks of --check before a op b of one component. */
void eval_check(Interp *in, Span at, Op op, Scalar s, Leaf a, Leaf b);
/* a op b of one component, with these checks. */
Leaf eval_operation(Interp *in, Span at, Op op, Scalar s, Leaf a, Leaf b, Scalar count_type);
/* A format with the values of its arguments. */
void eval_format(Interp *in, const char *format, const TExprs *args, SnlText *out);
/* The same for a text that ends in 0: a path, a message. */
void eval_format_string(Interp *in, const char *format, const TExprs *args, SnlText *out);

/* place.c: where a place lies. */
typedef struct Where {
    Leaf *leaves;      /* local storage, or NULL */
    Slot *slot;
    const Var *var;    /* of the running function: with a slot */
    Field *field;
    int64_t index[AXIS_MAX]; /* of the element of the field */
    bool outside;      /* read outside of a field with an ambient boundary */
    int leaf;
    const Type *type;
} Where;
typedef enum { USE_READ, USE_WRITE } PlaceUse;
void place_find(Interp *in, const TExpr *e, PlaceUse use, Where *out);
void place_load(Interp *in, const Where *p, Leaf *out, Span at);
/* The same without the check that it was set. */
void place_load_any(Interp *in, const Where *p, Leaf *out, Span at);
void place_store(Interp *in, const Where *p, const Leaf *v, Span at);
/* The slot of a variable of the running function. */
Slot *place_slot(Interp *in, const Var *v);

/* race.c: around a parallel loop, and before each plain store in it; does nothing without
 * --check=race. */
void race_start(Interp *in);
void race_end(Interp *in);
void race_store(Interp *in, const TExpr *target, const Where *p, const Leaf *v, Span at);

/* require.c: fails where a layout that a parallel loop names does not exist. */
void require_named(Interp *in, const TStmt *loop);

/* builtin.c */
void builtin_eval(Interp *in, const TExpr *e, Leaf *out);
void builtin_matmul(Interp *in, const TExpr *e, Leaf *out);

/* call.c */
void call_eval(Interp *in, const TExpr *e, Leaf *out);
void call_run(Interp *in, const Func *f);

/* exec.c */
Flow exec(Interp *in, const TStmt *s);

/* host.c */
void host_exec(Interp *in, const TStmt *s);

/* files.c: save, load and image. */
void files_exec(Interp *in, const TStmt *s);

#endif
