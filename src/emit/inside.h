/* Inside of the C emitter: the program being written and what its files offer each other.
 *   emit.c          source file and header as a whole   emit_type.c     types, cells of nodes
 *   emit_names.c    identifiers                         emit_plan.c     values as expressions
 *   emit_value.c    values as C expressions             emit_scalar.c   operations on scalars
 *   emit_helper.c   functions for vectors and matrices  emit_place.c    places, cells, look-ups
 *   emit_stmt.c     statements                          emit_loop.c     loops in one thread
 *   emit_task.c     kernels and their tasks             emit_tree.c     activity and whole trees
 *   emit_parallel.c parallel loops, what they are given emit_version.c  the functions of each
 *   emit_range.c    parallel loops over ranges          emit_cells.c    parallel loops over cells
 *   emit_split.c    inside and rim of loops             emit_reduce.c   reductions
 *   emit_near.c     neighbours in blocks                emit_race.c     checks of stores
 *   emit_halo.c     copies of blocks with what lies around them
 *   emit_apart.c    small arrays that loops on a GPU only add to
 *   emit_sums.c     copies of blocks with what lies around them, that loops on a GPU add to
 *   emit_tile.c     loops over cells by blocks of lanes of a GPU
 *   emit_fetch.c    lists fetched early that loops append to
 *   emit_order.c    loops in the order of the cells that they reach
 *   emit_patch.c    copies of blocks that iterations in this order have
 *   emit_strips.c   whole strips of loops that sum up
 *   emit_window.c   what a loop over blocks reaches at twice or half of its indices
 *   emit_halo_row.c the same without a copy, by rows
 *   emit_quad.c     vectors of three or four f32 in registers
 *   emit_mask.c     loops over bitmasked cells          emit_ahead.c    blocks fetched early
 *   emit_rows.c     loops that read and set masks by rows
 *   emit_word.c     loops over bitmasked cells, a word of the mask at a time
 *   emit_planes.c   loops over blocks of masks, a bit a cell
 *   emit_lineup.c   sequential loops through lists      emit_func.c     functions, calls
 *   emit_abreast.c  several cells of a list at once     emit_gpu.c      waiting for the GPU
 *   emit_body.c     what functions declare at their start
 *   emit_table.c    static descriptions of trees and fields
 *   emit_interface.c the C interface                    emit_main.c     main
 *   emit_manifest.c the manifest                        emit_wrap.c     long lines
 * C expressions are text in the arena; `need` is the precedence that the place they go to asks
 * for. */
#ifndef SNL_EMIT_INSIDE_H
#define SNL_EMIT_INSIDE_H

#include "emit/emit.h"

/* Precedence of C operators: a higher one binds closer. */
enum {
    PREC_ANY = 0,
    PREC_COMMA = 1,
    PREC_ASSIGN = 2,
    PREC_COND = 3,
    PREC_LOR = 4,
    PREC_LAND = 5,
    PREC_OR = 6,
    PREC_XOR = 7,
    PREC_AND = 8,
    PREC_EQUAL = 9,
    PREC_COMPARE = 10,
    PREC_SHIFT = 11,
    PREC_ADD = 12,
    PREC_MUL = 13,
    PREC_UNARY = 14,
    PREC_POSTFIX = 15
};

/* What becomes of the value of an instruction. */
typedef struct {
    const Block *home;  /* block it stands in */
    int at;             /* position there */
    int uses;           /* times its text is written when all is put into one expression */
    int root;           /* position of the statement it is written in */
    const Inst *user;   /* the only user, or any of several; NULL: none, the result of a block */
    const Block *used_in; /* the block with all users, or NULL */
    bool is_inline;     /* written where it is used, else a variable `name` */
    bool numbers;       /* is part of the number of a cell */
    const char *name;
} Plan;

/* How code leaves when something failed; lanes that meet behind a loop leave that alone. */
typedef enum { LEAVE_VOID, LEAVE_VALUE, LEAVE_STATUS, LEAVE_LOOP } Leave;

/* A C loop around the code. */
typedef struct CLoop {
    struct CLoop *outer;
    bool nested;        /* several C loops stand for one: break needs a label */
    const char *label;  /* after the loop, when `break` was written */
    bool used;
} CLoop;

/* A cell that a loop is at. */
typedef struct CellAt {
    struct CellAt *outer;
    const Node *node;
    const Var *var;     /* of a sequential loop through a list, or NULL */
    const char *text;   /* C expression of the cell, an lvalue */
    const char *number; /* of the cell in its container; NULL: of a list */
} CellAt;

/* What stands at the start of a function: a declaration where the name is mentioned; without `line`
 * a parameter, cast to void where not. */
typedef struct {
    const char *name, *line;
    bool *mentioned;
} Start;

/* The statements of the function being written. */
typedef struct {
    Text text, *outer;
    VEC(Start) starts;
    Map watched;            /* name -> bool *: it is mentioned */
    Map values;             /* text -> the variable that has its value from the start */
    bool likely[256];       /* by word_hash: some watched name has it */
} Body;

/* Names by what they belong to: functions, types, variables of the whole file; members of cells and
 * structs, parameters in the header and in the source; functions of the interface. */
typedef enum {
    NAME_FUNC,
    NAME_STRUCT,
    NAME_TREE,
    NAME_CELLS,
    NAME_CELL,
    NAME_ROOT,
    NAME_MEMBER,
    NAME_ARGUMENT,
    NAME_VARIABLE,
    NAME_PART,
    NAME_CREATE,
    NAME_DESTROY,
    NAME_FIELD,
    NAME_FIELD_FUNCTIONS = 5,
    NAME_KIND_COUNT = NAME_FIELD + NAME_FIELD_FUNCTIONS
} NameKind;

/* Names in use. */
typedef struct {
    Unique global;          /* in the whole file */
    Map given[NAME_KIND_COUNT]; /* by kind and owner: the name it got */
    Unique in_cells;        /* "cell name" of the members of cells */
    Map local;              /* variables of the emitted code that functions may declare */
    Map keywords;           /* of C and C++ */
    bool in_words[256];     /* by character: identifiers may have it */
} NameTable;

/* The function of a loop that may be compiled apart from the rest. */
typedef struct {
    const char *function;
    size_t bytes;           /* of its text */
    int number;             /* in order of the text */
} Parted;

/* The function being written. */
typedef struct {
    const IrFunc *f;
    const char *name;       /* of its C function */
    Body *body;
    Plan *plans;            /* by instruction id */
    int plan_count, plan_room;
    const char **var_text;  /* by variable id: C expression */
    bool *used;             /* by variable id: it is read */
    bool *wide;             /* by variable id: an index kept as int64_t */
    bool *far;              /* by variable id: that of a loop which may begin at any number */
    bool *numbers;          /* by variable id: is part of the number of a cell */
    bool *loop_local, *loop_written; /* by variable id: declared, written in the parallel loop that
                                      * is written; else false */
    Unique taken;           /* names in use */
    Leave leave;
    const char *loop_end;   /* LEAVE_LOOP: the label behind the loop */
    bool loop_left;         /* there is a jump to it */
    const char *random_ref; /* SnlRandom * expression */
    const char *iteration_ref; /* --check=race: number of the iteration */
    bool on_gpu;            /* it may run on the GPU */
    Block *serial;          /* what a kernel does between loops, while it is written */
    bool waited;            /* nothing was started on the GPU since it was waited for */
    bool may_have_failed;   /* host code that leaves an error in the instance, which the next kernel
                             * would clear */
    bool cached;            /* tops of trees, params and sizes are in variables */
    CLoop *loop;
    CellAt *cells;
    struct Runs *runs;      /* in loops that note where the cells of lists lie, or NULL */
    size_t check_from, check_to; /* where the last check of errors stands in `out` */
} FuncState;

/* The parallel loop being written; all zero outside of these. */
typedef struct {
    /* what holds until the innermost loop is open */
    bool lanes, simd;       /* what the task says of that loop */
    const Task *batch_task; /* the loop, if it goes in batches */
    const Task *stream;     /* the loop, if it writes a field in strips */
    const Task *strips;     /* the loop, if it asks for lines of arrays further on, strip by
                             * strip */
    Block *before;          /* what runs before it, or NULL */

    /* what holds in all of it */
    const Task *loop;           /* the parallel loop */
    const Task *task;       /* the loop on a GPU, or NULL */
    const Task *scatter;    /* the loop, if it adds to copies of containers, or NULL */
    const Task *abreast_task; /* the loop, if its iterations go abreast, or NULL */
    struct Abreast *abreast; /* inside of it: those that do */
    bool own_lined;         /* it reads its own cells where lists are in line */
    bool quads;             /* it keeps vectors of three or four f32 in registers */
    bool usual;             /* what it reads of Task.usual is no NaN and no -0 */
    bool hides_limits;      /* C compilers shall not know the limits of snl_at_most and at_least */
    bool alone_known;       /* a variable `alone` says whether one thread runs, so that atomics are
                             * not needed */
    bool keeps_cells;       /* the cells of hash nodes that were found last are in variables:
                             * nothing here deactivates any */
    Nodes *tops;            /* on a GPU: nodes whose containers its arguments name, or NULL */
    struct ReduceVar *reduce;
    int reduce_count;
    struct HaloName *halos;
    int halo_count;
    struct WindowName *windows;
    int window_count;
    struct Coming *coming;  /* the block that is fetched row by row; NULL: none is */
    const char *touched;    /* which blocks around sums lie in, by direction; NULL: no matter */

    /* loops over cells */
    struct Nest *nest;      /* or NULL */
    Block *nest_body;
    bool inside_block;      /* all neighbours lie in the block of the loop's own cell */
    struct Word *word;      /* in a loop over all cells of a word of a mask, or NULL */
    struct Row *rows;       /* rows of masks that are at hand, in a loop by rows, or NULL */
    int row_count;
    const char *row_number, *row_on, *row_off; /* number of the cell in the row; bits of the cells
                                                * that are activated, deactivated */

    /* loops that append */
    bool owning;            /* to the lists of cells `from` to `to` only */
    const char *list_end;   /* in runs, by one thread to each list: where the next cell is; or
                             * NULL */
    struct Fetched *fetched; /* the lists are fetched, or NULL */
    bool finding;           /* these are being found, or the cells that iterations reach */
    const Task *order;      /* its iterations go in the order of these cells; NULL: in their own */
    const char *position;   /* in that order */
    const char *patch, *patch_cells, *patch_firsts; /* the variables that hold Task.patch */
    const char *placed, *placed_index; /* the append has its place: the cell and its index, else
                                        * NULL */

    /* strips, lanes and batches of iterations */
    bool whole_strips;      /* all strips are whole */
    const char *strip_count; /* iterations in the strip */
    bool adds_rows;         /* the strip's elements are added where they lie */
    bool indexes;           /* has vectors or arrays of its own that are indexed at run time */
    const Task *direct;     /* the field that it streams is stored where it belongs, or NULL */
    const char *strip;      /* array that holds the strip of the field that is streamed */
    const char *strip_end;  /* statement after the innermost loop, or NULL */
    const char *stores;     /* variable: how these strips are stored, or NULL */
    const char *lane;       /* the lane that the iteration accumulates in */
    struct Batch *batch;
    const char *batch_strip; /* variable: the iteration that is not yet done */
} ParState;

/* The program being written. */
typedef struct {
    /* c->arena is the scratch arena while a function is written: what stays must be interned, or
     * belong to `arena`. */
    Compile *c;
    Arena *arena;
    const Ir *ir;
    Prog *p;
    const EmitOptions *o;
    const char *prefix;
    bool casts_back;        /* it has casts of floats to integers, and of integers to floats */
    bool random;            /* the program draws random numbers: launches are counted */
    bool has_large;         /* numbers of cells may need more than 32 bits */
    Text types, helpers, prototypes, code;
    VEC(Parted) parted;
    Text *out;              /* where lines go */
    Map made;               /* helper functions and types that exist */
    const char **field_names; /* by field id */
    const char *quoted_path, *quoted; /* the path asked for last, as a C string */
    Map exported;           /* names of exported functions, after the prefix */
    NameTable *names;
    bool *needs_self;       /* by Func id: a device function that must know the instance */
    int stream_count;       /* loops that store strips */
    int graph_count;        /* loops of host code whose iterations may start the same each time */
    int temp_count, label_count, loop_count; /* of the function and its loops */
    FuncState fn;
    ParState par;
} Emit;

typedef struct Abreast Abreast;
typedef struct Word Word;

/* Where cells of lists lie that a loop goes through next. */
typedef struct Runs {
    const char *name;       /* of the variable */
    const Inst *walk;       /* the loop through them */
} Runs;

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
typedef struct Coming {
    const char *cell, *around[HALO_CODES];
    const char *all;    /* says whether all of it is fetched, see ahead_by_size */
} Coming;

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

/* emit_names.c */
/* An identifier that no C or C++ compiler, header or emitted code claims. */
const char *name_clean(Emit *e, const char *name);
/* Members of structs of the C interface: only what C forbids is changed. */
const char *name_member(Emit *e, const Type *t, int index);
const char *name_param(Emit *e, const Param *p);
/* A parameter: named as in the program in the header, like no other variable in the source. */
const char *name_argument(Emit *e, const Func *f, const Var *v, bool header);
/* The member of a cell for a part of it, a place or a node, like `name` and unique in the cell. */
const char *name_in_cell(Emit *e, const void *cell, const void *part, const char *name);
/* With underscores for what no identifier has: "r_2". */
const char *name_plain(Emit *e, const char *name);
/* Prepares all names of a program; decides the prefix. */
void names_start(Emit *e, const char *prefix);
/* No variable gets the name of an extern function from now on; has something else that name? */
void names_keep_externs(Emit *e);
bool name_clashes(const Emit *e, const Func *f);
/* C name of a field, unique. */
const char *name_field(Emit *e, const Field *f);
/* A name that is new in the whole file, like `name`. */
const char *name_global(Emit *e, const char *name);
/* The name that something got, or NULL. */
const char *name_known(const Emit *e, NameKind kind, const void *what);
/* The same; a new one, like `name`, when it has none. */
const char *name_given(Emit *e, NameKind kind, const void *what, const char *name);
/* C names of functions, of a part that every program has ("create_tree"), of functions for a layout
 * and for a field (by number). */
const char *name_func(Emit *e, const Func *f);
const char *name_part(Emit *e, const char *part);
const char *name_layout_function(Emit *e, NameKind kind, const Layout *l);
const char *name_field_function(Emit *e, int number, const char *verb, const Field *f);
/* No variable of the program is called that. */
void name_keep(Emit *e, const char *name);
/* True the first time that it is asked for a helper function or type: its text has to be
 * written. */
bool name_is_new(Emit *e, const char *name);
/* A variable that is new in the function, like `name`. */
const char *name_new(Emit *e, const char *name);
/* A new name for a temporary. */
const char *name_temp(Emit *e);

/* emit_type.c */
/* C type of a value; declares it where it is a vector, matrix or struct. */
const char *type_c(Emit *e, const Type *t);
/* "float x[3][4]": declares a variable of any type. */
const char *type_decl(Emit *e, const Type *t, const char *name);
/* The same for a variable: what an array of C's points to is const where nobody writes it. */
const char *var_decl(Emit *e, const Var *v, const char *name);
/* Ends in the name of a vector's or matrix's helper functions: "f32x3". */
const char *type_suffix(Emit *e, const Type *t);
/* C type of the cells of a node. */
const char *cell_type(Emit *e, const Node *n);
/* C type of the root cell of a layout, with its 0-D fields. */
const char *root_type(Emit *e, const Layout *l);
/* Name of the member for a run of a field, or for a child container. */
const char *place_member(Emit *e, const Field *f, int leaf);
const char *child_member(Emit *e, const Node *n);
/* Name of the variable for the container of a top node, of a tree. */
const char *top_name(Emit *e, const Node *n);
const char *tree_name(Emit *e, const Layout *l);
/* Declares vector and matrix types into a text with guards. */
void type_define(Emit *e, const Type *t, Text *out);

/* emit_quad.c */
/* Is a value of the type an SnlQuad here? */
bool is_quad(const Emit *e, const Type *t);
/* The function of the runtime that does it with these; NULL: there is none. */
const char *quad_binary(Op op);
/* On a GPU: such a vector in a cell of a container at the top, which the loop only reads, by one
 * instruction; NULL: it is none. */
const char *quad_read(const Emit *e, const Inst *place, const char *text);
/* A vector in memory, from the place that has this text, as a value. */
const char *quad_load(Emit *e, const Inst *place, const char *text);
/* Writes it there. */
void quad_store(Emit *e, const Inst *place, const char *text, const char *value);
/* Adds a vector to scalars side by side. */
void quad_update(Emit *e, const Inst *sum);

/* emit_scalar.c: operations on scalars, operands as text that binds as closely as needed. */
/* "SNL_F32": the tag of a scalar type in the runtime. */
const char *scalar_tag(Scalar s);
const char *scalar_constant(Emit *e, Scalar s, Leaf v);
/* text of precedence `prec`, in parentheses when `need` is higher. */
const char *enclose(Emit *e, const char *text, int prec, int need);
typedef struct {
    const char *text;
    int prec;
} CText;
CText scalar_binary(Emit *e, Op op, Scalar s, CText a, CText b, const Inst *right,
                    Scalar count_type);
/* A sum, difference or product that is known not to overflow. */
CText scalar_exact(Emit *e, Op op, Scalar s, CText a, CText b);
/* Does C's compound assignment do what the language says? */
bool scalar_has_compound(const Emit *e, Op op, Scalar s);
CText scalar_unary(Emit *e, Op op, Scalar s, CText a);
/* -a by its bits. */
CText scalar_negate(Emit *e, Scalar s, CText a);
CText scalar_cast(Emit *e, Scalar from, Scalar to, CText a);
CText scalar_fma(Emit *e, Scalar s, CText a, CText b, CText c);
CText scalar_builtin(Emit *e, Builtin b, Scalar s, const CText *args, int n);
/* A function of constants in a loop: computed once. */
CText scalar_of_constants(Emit *e, const Inst *i, const CText *args);
/* min, max or clamp of floats with a limit (Inst.limit). */
CText scalar_limited(Emit *e, const Inst *i, const CText *args);
/* How it is one comparison, in the version of the loop that is being written; NULL: it is not. */
const Limit *scalar_limit(const Emit *e, const Inst *i);
/* A remainder, or floormod, of what does not change in the innermost loop. */
CText scalar_steady(Emit *e, const Inst *i, const CText *args);

/* emit_helper.c: names of functions on vectors and matrices, made when first asked for. */
const char *helper_binary(Emit *e, Op op, const Type *t, const Type *count);
const char *helper_unary(Emit *e, Op op, const Type *t, bool by_bits);
const char *helper_cast(Emit *e, const Type *from, const Type *to, bool bits);
const char *helper_splat(Emit *e, const Type *t);
const char *helper_select(Emit *e, const Type *t);
const char *helper_fma(Emit *e, const Type *t);
const char *helper_builtin(Emit *e, const Inst *i);
const char *helper_matmul(Emit *e, const Type *a, const Type *b, const Type *result);

/* emit_plan.c */
void plan_func(Emit *e, IrFunc *f);
Plan *plan_of(Emit *e, const Inst *i);

/* emit_value.c */
/* The value as an expression. */
const char *value(Emit *e, const Inst *i, int need);
/* The value in 64-bit index arithmetic. */
const char *index_value(Emit *e, const Inst *i, int need);
/* Is it, where it numbers cells, a plain stride of which more bits than the user's are kept? */
bool is_wide_value(Emit *e, const Inst *i);
/* May a loop that begins there begin at any number, not only near zero? */
bool begins_far(const Inst *from);
/* The value in these bits. */
const char *wide_value(Emit *e, const Inst *i);
/* A list of arguments for print-like calls: "2, (SnlArg[]){…}". */
const char *print_args(Emit *e, const Insts *args);
/* A pointer to the value. */
const char *pointer_to_value(Emit *e, const Inst *v);
/* A C string literal. */
const char *c_string(Emit *e, const char *s, size_t bytes);

/* emit_place.c */
/* The place as an lvalue. */
const char *place(Emit *e, const Inst *i);
/* The cell as an lvalue; a container as the pointer to its first cell, or to what it is. */
const char *cell(Emit *e, const Inst *i);
const char *container(Emit *e, const Inst *i);
/* The run of a field that starts with a leaf, in a cell given as an lvalue. */
const char *place_in_cell(Emit *e, const char *at, const Field *f, int leaf);
/* Name of the pointer to the cell of a node that the loop is at, or NULL. */
const char *cell_at_hand(Emit *e, const Node *n);
/* The mask words of a bitmasked container. */
const char *mask_of(Emit *e, const Inst *container);
/* The indices of a cell of a hash node, operands from 1 on, as the runtime takes them. */
const char *hash_keys(Emit *e, const Inst *i);
/* The expression of a look-up that is no plain element. */
const char *look_up(Emit *e, const Inst *i);
/* Number of a cell in its container, by its digits along the node's axes up to the k-th, whose
 * digit is given; `number`: by those before. */
const char *number_with(Emit *e, const Node *n, int k, const char *number, const char *digit);
/* A run of a field in a cell, or the part of it that has the type. */
const char *part_in_cell(Emit *e, const char *at, const Field *f, int leaf, const Type *type);
/* Declares the tree and the top container that the way to a node starts with. */
void cache_path(Emit *e, const Node *n);
/* Keeps the names of what functions declare at their start. */
void place_names(Emit *e);
/* What the verbs to read of a node end in: on a GPU, where the loop leaves activity as it is, they
 * order nothing. */
const char *still_verb(const Emit *e, const Node *n);
/* The count of parallel loops started so far. */
const char *launch_number(Emit *e);
/* Expressions of a tree, the container of a top node, its run-time size, a run-time extent of a
 * field. */
const char *tree_ref(Emit *e, const Layout *l);
const char *top_ref(Emit *e, const Node *n);
/* The container itself, of any type; loops on a GPU have it among their arguments. */
const char *top_container(Emit *e, const Node *n);
const char *size_ref(Emit *e, const Node *n, int k);
const char *extent_ref(Emit *e, const Field *f, int k);
const char *param_ref(Emit *e, const Param *p);
const char *root_ref(Emit *e, const Layout *l);
/* True if nothing in the block may deactivate a cell. */
bool cells_stay(Emit *e, Block *b);
/* Declares the trees, sizes and params that the blocks use at the start of the function. `loop` is
 * the node of a loop over cells there, `listed` the one whose list it goes through (NULL: none). */
void cache_begin(Emit *e, Block *const *blocks, int count, const Node *loop, const Node *listed);

/* emit_body.c */
/* Starts and ends the statements of a function. */
void body_begin(Emit *e, Body *b);
void body_end(Emit *e, Body *b);
/* The function starts with this declaration if its statements, or later declarations, mention the
 * name. */
void body_declare(Emit *e, const char *name, const char *line);
/* The name is declared so, or a parameter. */
bool body_has(const Emit *e, const char *name);
/* A line that declares a variable here, if the function mentions it elsewhere. */
void body_maybe(Emit *e, const char *name, const char *line);
/* A parameter that may be unused. */
void body_parameter(Emit *e, const char *name);

/* emit_stmt.c */
void emit_block(Emit *e, Block *b);
/* The block has no statements: all is in the expression of its result. */
bool block_is_expression(Emit *e, const Block *b);
void emit_line(Emit *e, Span span);
/* The lines up to the next mark belong to no statement of the program. */
void emit_line_of_none(Emit *e);
/* The same for the head of a function, whose name stands in the second line. */
void emit_line_of_head(Emit *e, Span span);
/* A path as -ffile-prefix-map changes it. */
const char *mapped_path(Emit *e, const char *path);
/* "file", line as arguments of the run-time functions that report errors. */
const char *where_text(Emit *e, Span span);
/* "file:line" for comments, which no path ends. */
const char *comment_place(Emit *e, Span span);
/* After a statement that may have failed. */
void emit_check(Emit *e);
/* An error that an operation may have noted gets its place. Sequential code ends there; iterations
 * of loops go on. */
void emit_place_error(Emit *e, Span span);
/* Leaves the function, or the loop, after an error. */
const char *leave_text(Emit *e);
/* Ends a function that returns a status, after its body. */
void emit_last_return(Emit *e, const Block *b);

/* emit_gpu.c */
/* Waits for the GPU, where there is one and something may run on it. */
void emit_gpu_wait(Emit *e, Text *out);
/* Does the statement or expression of the CPU touch what loops on the GPU may be using? */
bool emit_gpu_waits_for(Emit *e, const Inst *i);
/* Waits before it does, if it has not. */
void emit_gpu_wait_for(Emit *e, const Inst *i);
/* True if functions of loops may call themselves. */
bool emit_gpu_recurses(const Emit *e);
/* A scope around a loop of host code whose iterations may start the same each time: its variable,
 * NULL around any other loop; then what stands at the start of an iteration, and the end. */
const char *gpu_graph_open(Emit *e, const Inst *loop);
void gpu_graph_next(Emit *e, const char *name);
void gpu_graph_close(Emit *e, const char *name);

/* emit_loop.c */
void emit_for(Emit *e, const Inst *i);
void emit_for_cells(Emit *e, const Inst *i);
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
const char *cell_at_index(Emit *e, const Task *t, const Node *n, const char *last);
/* The line before a loop whose iterations may go side by side. */
void emit_simd(Emit *e);
/* emit_strips.c: opens two loops for the innermost one, whose variable is `i`, where its row has
 * something left over behind whole strips (Task.strip); else false. */
bool strips_to_the_end(Emit *e, const char *i, const char *from, const char *to);
/* How long strips are: its name in C, and the function that gives the end of one. */
typedef struct {
    int length;
    const char *name, *end;
} StripKind;
const StripKind *strip_kind(const Emit *e);
/* Is the bound of a loop a number, and not the name of one? */
bool bound_is_number(const char *text);
/* Opens the innermost of parallel loops, over `i` from `from` to `to`; `count`: so many iterations
 * from 0 on, 0 where not known; the program's index is `base` + i (NULL: i). Gives the number of C
 * loops. */
int loop_open_inner(Emit *e, const char *i, const char *base, const char *from, const char *to,
                    int64_t count);
/* Closes so many C loops; the first may be the innermost one. */
void loop_close(Emit *e, int loops);
/* Finds the levels; names the loop variables. */
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
/* The number of a cell of the node that begins at `level` is known: its indices, which have names,
 * and the cell are. */
void nest_enter(Emit *e, Nest *nest, int level, const char *number);
/* Closes them. */
void nest_close(Emit *e, Nest *nest);
/* Defines the variables of a loop over a list from its entry. */
void nest_from_entry(Emit *e, Nest *nest, const char *entry);

/* emit_mask.c */
/* Does the loop go through the mask of the node that begins at this level by words? */
bool mask_in_words(const Nest *nest, int level);
/* Words of the mask of a container. */
int64_t mask_words(const Node *n);
/* Can all bits of a word be set? */
bool mask_may_be_full(const Node *n);
/* The mask words of the container that the loop is at. */
const char *mask_here(Emit *e, const Nest *nest, const Node *n);
/* Opens the loop over the words, if no name of their number is given; in it, one over all cells of
 * a word, or over its bits. */
void mask_open_words(Emit *e, Nest *nest, int level);
void mask_open_full(Emit *e, Nest *nest, int level);
void mask_open_bits(Emit *e, Nest *nest, int level);
/* Is it a word of ones? */
const char *mask_full_test(Emit *e, const Nest *nest, int level);
/* The loop is at that cell of a word. */
void mask_at_lane(Emit *e, Nest *nest, int level, const char *lane);
/* The address of the first cell of a word of the container that the loop is at. */
const char *mask_first(Emit *e, const Nest *nest, const Node *n);

/* emit_word.c */
/* Fetches the cells of a word further on. */
void word_fetch_ahead(Emit *e, const Nest *nest, int level);
/* Shall a word have a plain loop over all cells? Shall all be computed, and the active ones kept?
 */
const char *word_full_test(Emit *e, const Task *t, const Nest *nest);
const char *word_dense_test(Emit *e, const Task *t, const Nest *nest);
/* Opens the loop that computes all cells of a word; after it, keeps the active ones. */
void word_open(Emit *e, const Task *t, Nest *nest, int level);
void word_close(Emit *e, const Nest *nest);
/* What the cell accumulates: in such a loop those that are not active do what is neutral. */
const char *word_choose(Emit *e, const Type *type, const char *value, const char *neutral);
/* Where such a loop has what a place in its own cell means; NULL: there. */
const char *word_place(Emit *e, const Inst *place);

/* emit_rows.c */
/* The loop over the inner range of a task by rows of a block; `row` is the index of the outer
 * one. */
void rows_loop(Emit *e, const Task *t, const char *row);
/* The bit of a cell of a row, and the statement that sets one. */
const char *row_bit(Emit *e, const Inst *i);
void row_set(Emit *e, const Inst *i);

/* emit_abreast.c */
/* Opens the loop over the cells of a chunk of a list, some at a time: `index` is the loop's index
 * in the list, `begin` that of the first cell of the chunk `cells`, which has `count`. */
void abreast_open(Emit *e, const Var *index, const char *begin, const char *cells,
                  const char *count);
/* Opens the loop over strips from `begin` to `end`, at least as many as a strip has. The index of
 * number n is `base` + n (NULL: n); `nest` is that of a loop over cells, without their last digit,
 * else NULL. */
void abreast_open_strip(Emit *e, const Task *t, const char *begin, const char *end,
                        const char *base, Nest *nest);
/* The loop's own cell, whose text each block gives. */
void abreast_at(Emit *e, CellAt *at);
/* What is added to the number of a cell that is `far`; nothing outside of strips. */
const char *abreast_more(Emit *e);
/* A block that is done for each iteration. */
void emit_abreast(Emit *e, const Inst *i);

/* emit_lineup.c */
/* Of a list of a node with this container: its length; the cells that lie side by side from `begin`
 * on, and their count; the step to those after them. `lined`: where all lists are in line. */
const char *list_length(Emit *e, const Node *n, bool lined, const char *where);
const char *list_cells(Emit *e, const Node *n, bool lined, const char *where, const char *begin);
const char *list_count(Emit *e, const Node *n, bool lined, const char *cells, const char *length,
                       const char *begin);
const char *list_next(Emit *e, const Node *n, bool lined, const char *length, const char *begin);
/* A sequential loop through the cells of a list. */
void emit_walk(Emit *e, const Inst *i);
/* From here on loops through lists note where the cells lie, until that is closed: then one loop
 * goes through them. */
Runs *runs_open(Emit *e);
void runs_close(Emit *e, Runs *r);

/* emit_batch.c: loops in batches. */
/* Opens the loops over the iterations `from` to before `to`, as far as they make whole batches. */
void batch_open(Emit *e, const char *i, const char *from, const char *to);
/* The place of an element of the loop's own cell that is read before, or NULL. */
const char *batch_own(Emit *e, const Inst *i);
/* An addition that is put off. */
void batch_sum(Emit *e, const Inst *sum);
/* Ends the iterations of the batch, writes and adds. */
void batch_close(Emit *e);
/* The cell that an element is in which is read before, written or added to after, while its place
 * is written; else NULL. */
const char *batch_cell(const Emit *e);

/* "cells, sizeof(cell), offset of the mask, blocks along a row, rows of a block, columns" of the
 * masks of a node. */
const char *mask_shape(Emit *e, const Node *n);

/* emit_planes.c */
/* The loop over both ranges of a task by whole blocks, in which every cell of a row has a bit. */
void planes_loop(Emit *e, const Task *t);
/* Rows of blocks of such a loop, which are its iterations. */
int64_t planes_block_rows(const Task *t);

/* emit_near.c */
/* The part of a neighbour's index that a level needs, from the digits of the loop; false when they
 * do not give it. */
bool near_index(Emit *e, const Inst *i, CText *out);
/* On the inside of blocks: does this look-up of a neighbour lead to the loop's own cell? */
bool near_stays(const Emit *e, const Inst *lookup);
/* Inside of a block: is the cell of a look-up above the one at hand used? */
bool near_needs(Emit *e, const Inst *lookup);
/* Finds how far the neighbours in the body reach. */
void near_reach(Emit *e, Nest *nest, Block *body);
/* Is there an inside of the blocks that is worth a loop of its own? */
bool near_has_rim(const Nest *nest);
/* The test that all axes of the innermost node but the last are inside; NULL: always. */
const char *near_outer_test(Emit *e, const Nest *nest);

/* emit_halo.c, emit_halo_row.c */
/* At the start of a loop's function: the halos of its task, none of which is made. */
void halo_begin(Emit *e, const Task *t);
/* Where the loop is at a block: makes the copies. */
void halo_make(Emit *e, const Task *t, const Nest *nest);
/* The same on a GPU, by a block of so many lanes, for all of them. */
void halo_share(Emit *e, const Task *t, const Nest *nest, int lanes);
/* The same for a box of a large container, which begins at these indices. */
void halo_share_box(Emit *e, const Task *t, const char **first, int lanes);
/* An element of a copy, as an lvalue. */
const char *halo_place(Emit *e, const HaloPlace *p);
/* Where only the innermost loop is left to open: the rows that it reads. */
void halo_rows(Emit *e, const Task *t, const Nest *nest);
/* The element at an offset from the loop's own, in its row. */
const char *halo_row_place(Emit *e, const HaloName *h, const int64_t *offset);

/* "i + 1" */
const char *plus(Emit *e, const char *i, int64_t n);
/* In how many directions a block of the node has others around it, with itself. */
int halo_directions(const Node *n);
/* The last coordinate of blocks along an axis; sizes of run time are those of a node at the top. */
const char *halo_last_coordinate(Emit *e, const Node *block, int axis);
/* Step along the k-th axis of a node in a direction, which is a bit of Halo.directions: -1, 0 or
 * 1. */
int halo_step(const Node *n, int code, int k);
/* Declares the blocks of a node in these directions from the one whose coordinates the nest has,
 * and that one where it is in another tree; blocks[code] is the name, which begins with `of`. */
void halo_blocks(Emit *e, const Nest *nest, const Node *n, unsigned directions, const char *of,
                 const char **blocks);

/* A halo's array, declared with this value; the name of it. */
const char *halo_array(Emit *e, const Halo *h, const char *value);
/* The container of a halo's cells in a block around, or NULL, that is the one that the loop is
 * at. */
const char *halo_cells(Emit *e, const Halo *h, const char *block);
/* Declares the cell of `block` at the coordinates, by a name like `name`, which may be activated;
 * gives its name. */
const char *halo_block(Emit *e, const Node *block, const char *const *coord, const char *name,
                       bool activate);

/* emit_window.c */
typedef struct WindowName WindowName;
/* At the start of a loop's function: the windows of its task, none of which is made. */
void windows_begin(Emit *e, const Task *t);
/* Do they activate blocks? */
bool windows_activate(const Task *t);
/* Where the loop is at a block: opens loops over its parts, if there are any. */
void windows_open_parts(Emit *e, const Task *t, Nest *nest);
/* Where it is at a part: finds the blocks, and makes the copies. */
void windows_make(Emit *e, const Task *t, const Nest *nest);
/* A cell that is reached where it is, and an element of a copy, as lvalues. */
const char *window_cell(Emit *e, const WindowPlace *p);
const char *window_copied(Emit *e, const WindowPlace *p);

/* emit_sums.c: on a GPU, by a block of so many lanes, for all of them. */
/* May sums of the loop be in blocks that are activated for them? */
bool sums_activate(const Task *t);
/* Before the cells of a block or a box: the copies that sums are added to, which the halos of the
 * loop name. */
void sums_begin(Emit *e, const Task *t, int lanes);
/* Before an addition to an element of such a copy: the block that it lies in is noted. */
void sums_touch(Emit *e, const HaloPlace *p);
/* Behind the cells: adds the copies to the fields. */
void sums_end(Emit *e, const Task *t, const Nest *nest, int lanes);

/* emit_fetch.c */
/* Notes a list that is to be fetched. */
void emit_fetch(Emit *e, const Inst *i);
/* The list that was found for the append of this iteration. */
const char *fetched_list(Emit *e);
/* Is the loop that comes next one over the iterations that append to the thread's own lists? Opens
 * it, with the number called `i`. */
bool fetch_has_mine(const Emit *e);
void fetch_open_mine(Emit *e, const char *i);

/* emit_order.c */
/* Notes the cell that the iteration reaches. */
void order_key(Emit *e, const Inst *key);
/* Opens the loop over the positions from ... to-1; `i`: the iteration there, which counts from
 * `base` on, or NULL. */
void order_open(Emit *e, const char *i, const char *base, const char *from, const char *to);
/* The iteration's own element of a field that is written in strips in the other version. */
const char *order_own(Emit *e, const Field *f);

/* Number of the copies that the loop adds to instead of the containers of a top node, or -1. */
int copies_of(const Emit *e, const Node *n);

/* emit_patch.c */
/* Is the iteration in the patch? */
const char *patch_at(Emit *e, const Inst *i);
/* Notes where it adds. */
void patch_note(Emit *e, const Inst *i);

/* emit_ahead.c */
/* Does it depend on the size of the list how much of a block is fetched? The kernel says so in
 * `far` of the loop's arguments, by the bytes of the parts of one block. */
bool ahead_by_size(const Task *t);
int64_t ahead_bytes(const Task *t);
/* Asks for a list ahead, where the loop is at the one of a cell of a dense node; the number of that
 * cell is given. */
void emit_ahead_list(Emit *e, const Node *list, const char *container, const char *number);
/* Asks for a block ahead, in iteration n over a list. */
void emit_ahead(Emit *e, const Task *t, const Nest *nest, const char *n);
/* Asks for a block ahead in a mask, at the start of an iteration over its bits. */
void emit_ahead_in_mask(Emit *e, const Task *t, const Nest *nest);
/* Names a block ahead in an array; the loop is at one of its cells, and has blocks to go through
 * there. */
void emit_ahead_in_array(Emit *e, const Task *t, const Nest *nest);
/* Asks for a part of it, in the loop over the first axis of the block that the loop is at; opens
 * that. */
void emit_ahead_rows(Emit *e, const Task *t, Nest *nest);

/* emit_tile.c */
/* Is this a number in a field that the loop does nothing but read? */
bool tile_only_reads(const Task *t, const Inst *place);

/* emit_race.c */
void emit_check_race(Emit *e, const Inst *i);

/* emit_reduce.c; in the loop's function e->reduce holds the variables */
/* Names the variables of a loop. */
void reduce_start(Emit *e, const Task *t);
/* Members of the loop's arguments for partial results; the arrays in the kernel. */
void reduce_members(Emit *e, Text *out);
void reduce_arrays(Emit *e, const ReduceVar *list, int count);
/* Declares the accumulators; stores them at the end of a part, which on a GPU is that of a block of
 * lanes. */
void reduce_declare(Emit *e);
void reduce_store(Emit *e, int lanes);
/* Do all sums collect floats, so that strips may be longer? */
bool reduce_only_floats(const Emit *e);
/* In a strip of iterations: declares what collects its terms; after its loop: adds them. */
void reduce_open_strip(Emit *e);
/* Lets a loop of few iterations, which comes again and again, take other lanes each time. */
void reduce_turn(Emit *e, int64_t count);
void reduce_close_strip(Emit *e);
/* Bytes that the accumulators of a lane take. */
int64_t reduce_bytes(const Emit *e);
/* Combines the parts into the kernel's variables, in order. */
void reduce_combine(Emit *e, const ReduceVar *list, int count);
/* The instruction that accumulates. */
void emit_reduce(Emit *e, const Inst *i);

/* emit_parallel.c */
void emit_loop_task(Emit *e, Task *t);

/* emit_task.c */
void emit_kernel(Emit *e, IrFunc *f);

/* emit_tree.c */
void emit_activity(Emit *e, const Inst *i);
/* Recycles what was deactivated in a layout. */
void emit_gc(Emit *e, const Layout *l);
const char *activity_value(Emit *e, const Inst *i);
void emit_host_inst(Emit *e, const Inst *i);

/* emit_func.c */
void emit_functions(Emit *e);
/* True for kernels and host functions that are part of the C interface. */
bool func_is_exported(const Func *f);
/* True for those that C may call, because the program is not closed. */
bool func_is_public(const Emit *e, const Func *f);
/* True for what the file is written for: main, tests, benchmarks as asked for, and what is
 * exported. */
bool func_is_root(Emit *e, const Func *f);
bool func_returns_status(const Func *f);
void func_begin(Emit *e, IrFunc *f);
/* The parameters of its C function may be unused. */
void func_parameters(Emit *e, const IrFunc *f);
const char *func_signature(Emit *e, const Func *f, bool header);
/* The first lines of its definition. */
void func_head(Emit *e, const Func *f);
/* Forgets the error of the call before; a call from C must give a place for the result. */
void func_begin_errors(Emit *e, const Func *f);
const char *call_text(Emit *e, const Inst *i);

/* emit_table.c: static data that describes trees and fields, tables of constants */
void emit_tables(Emit *e, Text *out);
/* Interned C name of a table; those that `made` holds are written. */
const char *table_name(Emit *e, const Table *t);

/* emit_wrap.c */
/* Appends lines; those that are long become several. */
void wrap_lines(Text *out, const Text *part);

/* ---- emit_lines.c ---- */

/* Adds the code of functions, in which every statement follows a #line; `source` is the quoted name
 * of the C source. */
void emit_numbered(Text *out, const Text *code, const char *source);

/* emit_main.c */
/* main() and the description of the program for it. */
void emit_main(Emit *e, Text *out);

/* emit_interface.c */
/* The instance, its life, access to fields. */
void emit_instance(Emit *e, Text *out);
void emit_interface(Emit *e, Text *out);
/* Declarations of all that in the header. */
void declare_interface(Emit *e, Text *out);
/* Does the header declare extern functions? Not where headers of the user do. */
bool declares_extern(const Emit *e);
/* Types that the header declares. */
void interface_types(Emit *e, Text *out);
/* Prepares for writing a program. */
void emit_start(Emit *e, Compile *c, const Ir *ir, const EmitOptions *options);
/* Elements of an initialiser for a value of the type. */
const char *value_braces(Emit *e, const Type *t, const Leaf *leaves);

/* emit_parts.c */
/* Notes a loop whose function may be in any part. */
void part_note(Emit *e, const char *function, size_t bytes);
/* Gives each such loop a part, and writes the definitions of that; returns how many parts there
 * are. */
int parts_share(Emit *e, Text *out);

#endif
