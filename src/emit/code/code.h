/* Inside of the C emitter: the program being written and what its files offer each other.
 *   names.c         identifiers                        inline_plan.c   values as expressions
 *   value.c         values as C expressions            scalar.c        operations on scalars
 *   helper.c        functions for vectors, matrices    place.c         places, cells, look-ups
 *   type.c          types, cells of nodes              func.c          functions, calls
 *   stmt.c          statements                         declarations.c  declarations of functions
 *   activity.c      activity and whole trees
 * ../loop/loops.h is about what iterations of loops go through, ../loop/parallel.h about the
 * functions of parallel loops, ../file/file.h about the source file as a whole.
 * C expressions are text in the arena; `need` is the precedence that the place they go to asks
 * for. */
#ifndef SNL_EMIT_CODE_CODE_H
#define SNL_EMIT_CODE_CODE_H

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
    Map looked_up;          /* names: does C have them? */
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
    bool *defined, *defined_again; /* by variable id: it is defined in one place, in several, as
                                    * derivatives do; not each of these need be read */
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
    struct ListRuns *runs;      /* in loops that note where the cells of lists lie, or NULL */
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
    struct OuterVector *abreast; /* inside of it: those that do */
    bool packs_own;              /* it reads its own cells where lists are in line */
    bool quads;             /* it keeps vectors of three or four f32 in registers */
    bool fast_floats;       /* what it reads of Task.fast_floats is no NaN and no -0 */
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
    struct PrefetchTarget *coming;  /* the block that is fetched row by row; NULL: none is */
    const char *touched;    /* which blocks around sums lie in, by direction; NULL: no matter */

    /* loops over cells */
    struct Nest *nest;      /* or NULL */
    Block *nest_body;
    bool inside_block;      /* all neighbours lie in the block of the loop's own cell */
    struct MaskVector *word;      /* in a loop over all cells of a word of a mask, or NULL */
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
    struct Peel *peel;      /* the inside of the innermost loop, which goes by strips, or NULL */
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

/* What a trace tells of a kernel, or of the C function of a loop. */
typedef struct {
    const char *name, *title; /* quoted */
    Span span;
} EventPlace;

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
    VEC(EventPlace) event_places; /* of kernels and loops */
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

/* names.c */
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
/* The name of what the runtime knows of a field, or of a member of one. */
const char *name_field_desc(Emit *e, const Field *f);
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

/* type.c */
/* C type of a value; declares it where it is a vector, matrix or struct. */
const char *type_c(Emit *e, const Type *t);
/* "float x[3][4]": declares a variable of any type. */
const char *type_decl(Emit *e, const Type *t, const char *name);
/* The same for a variable: what an array of C's points to is const where nobody writes it. */
const char *type_var_decl(Emit *e, const Var *v, const char *name);
/* Ends in the name of a vector's or matrix's helper functions: "f32x3". */
const char *type_suffix(Emit *e, const Type *t);
/* C type of the cells of a node. */
const char *type_cell(Emit *e, const Node *n);
/* C type of the root cell of a layout, with its 0-D fields. */
const char *type_root(Emit *e, const Layout *l);
/* Name of the member for a run of a field, or for a child container. */
const char *type_place_member(Emit *e, const Field *f, int leaf);
const char *type_child_member(Emit *e, const Node *n);
/* Name of the variable for the container of a top node, of a tree. */
const char *type_top_name(Emit *e, const Node *n);
const char *type_tree_name(Emit *e, const Layout *l);
/* Declares vector and matrix types into a text with guards. */
void type_define(Emit *e, const Type *t, Text *out);

/* float4.c */
/* Is a value of the type an SnlQuad here? */
bool float4_has(const Emit *e, const Type *t);
/* The function of the runtime that does it with these; NULL: there is none. */
const char *float4_binary(Op op);
/* On a GPU: such a vector in a cell of a container at the top, which the loop only reads, by one
 * instruction; NULL: it is none. */
const char *float4_read(const Emit *e, const Inst *place, const char *text);
/* A vector in memory, from the place that has this text, as a value. */
const char *float4_load(Emit *e, const Inst *place, const char *text);
/* Writes it there. */
void float4_store(Emit *e, const Inst *place, const char *text, const char *value);
/* Adds a vector to scalars side by side. */
void float4_update(Emit *e, const Inst *sum);

/* scalar.c: operations on scalars, operands as text that binds as closely as needed. */
/* "SNL_F32": the tag of a scalar type in the runtime. */
const char *scalar_tag(Scalar s);
const char *scalar_constant(Emit *e, Scalar s, Leaf v);
/* text of precedence `prec`, in parentheses when `need` is higher. */
const char *scalar_enclose(Emit *e, const char *text, int prec, int need);
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
CText scalar_row_invariant(Emit *e, const Inst *i, const CText *args);

/* helper.c: names of functions on vectors and matrices, made when first asked for. */
const char *helper_binary(Emit *e, Op op, const Type *t, const Type *count);
const char *helper_unary(Emit *e, Op op, const Type *t, bool sign_flip);
const char *helper_cast(Emit *e, const Type *from, const Type *to, bool bits);
const char *helper_splat(Emit *e, const Type *t);
const char *helper_select(Emit *e, const Type *t);
const char *helper_fma(Emit *e, const Type *t);
const char *helper_builtin(Emit *e, const Inst *i);
const char *helper_matmul(Emit *e, const Type *a, const Type *b, const Type *result);

/* inline_plan.c */
void inline_plan_func(Emit *e, IrFunc *f);
Plan *inline_plan_of(Emit *e, const Inst *i);

/* value.c */
/* The value as an expression. */
const char *value_text(Emit *e, const Inst *i, int need);
/* The value in 64-bit index arithmetic. */
const char *value_index(Emit *e, const Inst *i, int need);
/* Is it, where it numbers cells, a plain stride of which more bits than the user's are kept? */
bool value_is_wide(Emit *e, const Inst *i);
/* May a loop that begins there begin at any number, not only near zero? */
bool value_begins_far(const Inst *from);
/* The value in these bits. */
const char *value_wide(Emit *e, const Inst *i);
/* A list of arguments for print-like calls: "2, (SnlArg[]){…}". */
const char *value_print_args(Emit *e, const Insts *args);
/* A pointer to the value. */
const char *value_pointer(Emit *e, const Inst *v);
/* A C string literal. */
const char *value_string(Emit *e, const char *s, size_t bytes);

/* place.c */
/* The place as an lvalue. */
const char *place_text(Emit *e, const Inst *i);
/* Where an lvalue lies: the pointer itself where it is what one points to. */
const char *place_address(Emit *e, const char *lvalue);
/* The cell as an lvalue; a container as the pointer to its first cell, or to what it is. */
const char *place_cell(Emit *e, const Inst *i);
const char *place_container(Emit *e, const Inst *i);
/* The run of a field that starts with a leaf, in a cell given as an lvalue. */
const char *place_in_cell(Emit *e, const char *at, const Field *f, int leaf);
/* Name of the pointer to the cell of a node that the loop is at, or NULL. */
const char *place_cell_at_hand(Emit *e, const Node *n);
/* The mask words of a bitmasked container. */
const char *place_mask(Emit *e, const Inst *container);
/* The indices of a cell of a hash node, operands from 1 on, as the runtime takes them. */
const char *place_hash_keys(Emit *e, const Inst *i);
/* The expression of a look-up that is no plain element. */
const char *place_look_up(Emit *e, const Inst *i);
/* Number of a cell in its container, by its digits along the node's axes up to the k-th, whose
 * digit is given; `number`: by those before. */
const char *place_number(Emit *e, const Node *n, int k, const char *number, const char *digit);
/* A run of a field in a cell, or the part of it that has the type. */
const char *place_part_in_cell(Emit *e, const char *at, const Field *f, int leaf, const Type *type);
/* Declares the tree and the top container that the way to a node starts with. */
void place_cache_path(Emit *e, const Node *n);
/* Keeps the names of what functions declare at their start. */
void place_names(Emit *e);
/* What the verbs to read of a node end in: on a GPU, where the loop leaves activity as it is, they
 * order nothing. */
const char *place_still_verb(const Emit *e, const Node *n);
/* The count of parallel loops started so far. */
const char *place_launch_number(Emit *e);
/* Expressions of a tree, the container of a top node, its run-time size, a run-time extent of a
 * field. */
const char *place_tree(Emit *e, const Layout *l);
const char *place_top(Emit *e, const Node *n);
/* The container itself, of any type; loops on a GPU have it among their arguments. */
const char *place_top_container(Emit *e, const Node *n);
const char *place_size(Emit *e, const Node *n, int k);
const char *place_extent(Emit *e, const Field *f, int k);
const char *place_param(Emit *e, const Param *p);
const char *place_root_cell(Emit *e, const Layout *l);
/* True if nothing in the block may deactivate a cell. */
bool place_cells_stay(Emit *e, Block *b);
/* Declares the trees, sizes and params that the blocks use at the start of the function. `loop` is
 * the node of a loop over cells there, `listed` the one whose list it goes through (NULL: none). */
void place_cache_begin(Emit *e, Block *const *blocks, int count, const Node *loop,
                       const Node *listed);

/* declarations.c */
/* Starts and ends the statements of a function. */
void declarations_begin(Emit *e, Body *b);
void declarations_end(Emit *e, Body *b);
/* The function starts with this declaration if its statements, or later declarations, mention the
 * name. */
void declarations_add(Emit *e, const char *name, const char *line);
/* The name is declared so, or a parameter. */
bool declarations_has(const Emit *e, const char *name);
/* A line that declares a variable here, if the function mentions it elsewhere. */
void declarations_maybe(Emit *e, const char *name, const char *line);
/* A parameter that may be unused. */
void declarations_parameter(Emit *e, const char *name);

/* stmt.c */
void stmt_write(Emit *e, Block *b);
/* The block has no statements: all is in the expression of its result. */
bool stmt_block_is_expression(Emit *e, const Block *b);
void stmt_line(Emit *e, Span span);
/* The lines up to the next mark belong to no statement of the program. */
void stmt_line_of_none(Emit *e);
/* The same for the head of a function, whose name stands in the second line. */
void stmt_line_of_head(Emit *e, Span span);
/* A path as -ffile-prefix-map changes it. */
const char *stmt_mapped_path(Emit *e, const char *path);
/* "file", line as arguments of the run-time functions that report errors. */
const char *stmt_where(Emit *e, Span span);
/* "file:line" for comments, which no path ends. */
const char *stmt_comment_place(Emit *e, Span span);
/* Notes what a trace tells of a kernel, of this title, in quotes; of the C function of a loop. */
void stmt_note_kernel(Emit *e, Span span, const char *title);
void stmt_note_loop(Emit *e, Span span, const char *function);
/* After a statement that may have failed. */
void stmt_check(Emit *e);
/* An error that an operation may have noted gets its place. Sequential code ends there; iterations
 * of loops go on. */
void activity_place_error(Emit *e, Span span);
/* Leaves the function, or the loop, after an error. */
const char *stmt_leave(Emit *e);
/* Ends a function that returns a status, after its body. */
void stmt_last_return(Emit *e, const Block *b);

/* gpu_sync.c */
/* Waits for the GPU, where there is one and something may run on it. */
void gpu_sync_wait(Emit *e, Text *out);
/* Does the statement or expression of the CPU touch what loops on the GPU may be using? */
bool gpu_sync_waits_for(Emit *e, const Inst *i);
/* Waits before it does, if it has not. */
void gpu_sync_wait_for(Emit *e, const Inst *i);
/* True if functions of loops may call themselves. */
bool gpu_sync_recurses(const Emit *e);
/* A scope around a loop of host code whose iterations may start the same each time: its variable,
 * NULL around any other loop; then what stands at the start of an iteration, and the end. */
const char *gpu_sync_graph_open(Emit *e, const Inst *loop);
void gpu_sync_graph_next(Emit *e, const char *name);
void gpu_sync_graph_close(Emit *e, const char *name);

/* parallel.c */
void parallel_loop(Emit *e, Task *t);

/* task.c */
void task_kernel(Emit *e, IrFunc *f);

/* activity.c */
void activity_change(Emit *e, const Inst *i);
/* Recycles what was deactivated in a layout. */
void activity_collect(Emit *e, const Layout *l);
const char *activity_value(Emit *e, const Inst *i);
void activity_host(Emit *e, const Inst *i);

/* func.c */
void func_all(Emit *e);
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
void func_head(Emit *e, const IrFunc *code);
/* Forgets the error of the call before; a call from C must give a place for the result. */
void func_begin_errors(Emit *e, const Func *f);
const char *func_call(Emit *e, const Inst *i);

/* table.c */
/* Interned C name of a table; those that `made` holds are written. */
const char *table_name(Emit *e, const Table *t);
/* Elements of an initialiser for a value of the type. */
const char *value_braces(Emit *e, const Type *t, const Leaf *leaves);

#endif
