/* The checked program: everything resolved. Types are known, conversions are explicit, constants
 * folded, generic functions instantiated, static if/for unrolled, fused multiply-adds formed, loops
 * classified. The interpreter and the lowering to IR read it; nothing reads the AST after it.
 * Memory belongs to the arena. Lists are in order of declaration or first use, so output is
 * reproducible. */
#ifndef SNL_CHECK_PROG_H
#define SNL_CHECK_PROG_H

#include "layout/layout.h"

typedef struct TExpr TExpr;
typedef struct TStmt TStmt;
typedef struct Func Func;
typedef struct Var Var;
typedef VEC(TExpr *) TExprs;
typedef VEC(TStmt *) TStmts;

typedef enum {
#define BUILTIN(name, spelling, class, arguments) BUILTIN_##name,
#include "check/builtins.def"
#undef BUILTIN
    BUILTIN_COUNT
} Builtin;

/* A run-time parameter of the program. */
typedef struct {
    const char *name;
    const Type *type; /* scalar, vector, matrix or string */
    int id;
    Value value;      /* default; no leaves for a string */
    const char *text; /* default of a string */
    Field *adjoint;   /* of @grad, or NULL */
    const char *const *words; /* of an enum: what its numbers are called; else NULL */
    int word_count;
    bool is_live;     /* it may change between kernels */
    Span span;
} Param;

/* A constant table: `const i32 PRIME[5] = …` used with a run-time index. */
typedef struct {
    const char *name;
    const Type *type; /* TYPE_ARRAY */
    int id;
    Value value;
    Span span;
} Table;

/* A constant of the program, which need not be used: for debuggers and editors. */
typedef struct {
    const char *name;
    Value value;
    Span span;
} NamedConst;

typedef enum { VAR_LOCAL, VAR_ARG, VAR_INDEX } VarKind; /* INDEX: loop variable */
struct Var {
    VarKind kind;
    const char *name;  /* the user's; not unique */
    const Type *type;
    int id;            /* number in its function, unique */
    Span span;
    ParamKind mode;    /* ARG: PARAM_VALUE or PARAM_INOUT */
    bool is_let;       /* may not be assigned: let, loop variable */
    bool is_mutable;   /* is ever assigned (after its declaration) */
    bool no_init;      /* declared without a value (holds zeros; its use before a store is an error
                        * under --check) */
    bool kernel_level; /* declared at the top level of a kernel, outside its loops */
    bool shared;       /* kernel_level and used inside a parallel loop */
    bool is_stopped;   /* the value of stop(e): a constant of differentiation */
    bool is_tangent;   /* written by src/ad: holds a tangent or an adjoint */
    bool is_reached;   /* inout: may be a place that other iterations reach */
    VEC(Var *) given_to; /* inout: the parameters that its function gives it to */
    /* of an array of C's; from ir_lower on also if a function does so that it is given to */
    bool is_stored;    /* elements are written */
    bool is_measured;  /* its extents are asked for */
    Var *set, *parts_set; /* --check, from ir_lower on: of an inout parameter of a device function,
                           * the hidden ones that say what of it was set, or NULL
                           * (lower_init_flags.c) */
};

typedef enum {
    TX_ERROR,
    TX_CONST,    /* value */
    TX_STRING,   /* string: literal; only as file name, format() argument or value of print */
    TX_VAR,      /* var: a place */
    TX_PARAM,    /* param */
    TX_TABLE,    /* table: only as a of TX_ELEM */
    TX_FIELD,    /* field element: args = one scalar integer index for each axis (grouped vectors
                  * are already split): a place */
    TX_ELEM,     /* a[args]: local array, table or external array (one index a dimension), vector
                  * (1) or matrix (2): a place when a is */
    TX_MEMBER,   /* a.member of a struct (member: number): a place when a is */
    TX_SWIZZLE,  /* a.yx: several components (a single one is TX_ELEM with a constant index) */
    TX_UNARY,    /* op a, operand and result of one type (NOT: bool) */
    TX_BINARY,   /* a op b. Operands have one type, the result the same, or bool of that shape for
                  * comparisons. SHL, SHR: b may have another integer type of the same shape. LAND,
                  * LOR: scalar bool, short circuit (vectors of bool: per component, both
                  * evaluated). MATMUL: @ */
    TX_COND,     /* a ? b : c, only one evaluated; a scalar bool */
    TX_CAST,     /* to `type`, per component; a has the same shape */
    TX_BITCAST,  /* bits of a as `type`, per component */
    TX_SPLAT,    /* scalar a in every component of `type` */
    TX_MAKE,     /* vector or matrix from one scalar a component (args); struct from one value a
                  * member; local array from one value an element */
    TX_FMA,      /* a * b + c rounded once, per component, all of one float type (f32, f64) */
    TX_BUILTIN,  /* builtin(args). Per-component ones have args of one common type. */
    TX_CALL,     /* func(args): device, extern, kernel, host. inout arguments are places;
                  * TYPE_EXTERN arguments are TX_VAR of an extern or local-array variable */
    TX_ATOMIC,   /* atomic on place a: old value is the result. atomic_op; args: value (CAS:
                  * expected, new) of a's type */
    TX_IS_ACTIVE,/* node, args = cell coordinates by ascending axis letter */
    TX_LENGTH,   /* node (dynamic), args = coordinates without the list's own axis */
    TX_APPEND,   /* node (dynamic), args = coordinates without the list's own axis; values = one a
                  * placed run (node->places order) or empty */
    TX_EXTENT,   /* run-time extent: of field (axis = number of the index) or of extern array
                  * variable a */
    TX_ADDRESS,  /* i64 address of place a (a TX_FIELD, possibly with TX_ELEM / TX_MEMBER around
                  * it) */
    TX_CLOCK,    /* f64 seconds. host */
    TX_TAKE,     /* i64: the last word of the tape, which goes. host, written by src/ad */
    TX_MEASURE,  /* bool: the body of the loop is to run once more; a: items that one run works on,
                  * f64. benchmarks */
    TX_MEMORY,   /* i64 bytes of layout. host */
    TX_ACTIVE,   /* number of active cells of node: i32, i64 where the extent needs it. host */
    TX_FORMAT    /* string: format (pieces in `format`), args. host */
} TExprKind;

typedef enum {
    ATOMIC_ADD,
    ATOMIC_SUB,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCHANGE,
    ATOMIC_CAS
} AtomicOp;

/* Programs are mostly expressions: what no kind has together shares its place. */
struct TExpr {
    TExprKind kind : 8;
    Op op : 8;
    Builtin builtin : 8;
    AtomicOp atomic : 8;
    bool reduction : 1;  /* ATOMIC whose value is unused, on a reduction variable of the loop around
                          * it */
    bool is_value : 1;   /* VAR, FIELD, ELEM, MEMBER: cast to its own type, and so no place that
                          * could be assigned */
    bool is_shared : 1;  /* ATOMIC inside a parallel loop on something other iterations can reach
                          * (else a plain update) */
    unsigned char swizzle[4], swizzle_count;
    int member, axis;
    const Type *type;
    Span span;
    TExpr *a, *b, *c;
    TExprs args;
    union {
        Value value;     /* CONST */
        TExprs values;   /* APPEND */
        struct {         /* STRING, FORMAT: the format text */
            const char *string;
            size_t string_bytes;
        };
    };
    union {
        Var *var;
        Param *param;
        Table *table;
        Func *func;
        const TExpr *product; /* CONST: the product of constants that it is the value of, or NULL; a
                               * scalar one may be spread */
    };
    Field *field;
    union {
        Node *node;
        Layout *layout;  /* MEMORY */
    };
};

typedef enum {
    TS_BLOCK,      /* stmts, a scope */
    TS_DECL,       /* var = value (or zeros when value is NULL) */
    TS_ASSIGN,     /* target op= value; op OP_NONE: plain. value has target's type (shift counts:
                    * any integer type) */
    TS_EXPR,       /* value for its effects */
    TS_IF,         /* value ? body : orelse */
    TS_WHILE,
    TS_RANGE,      /* for vars in ranges: vars, from, to, step (each a list, evaluated once, in
                    * order, before the loop; step NULL = 1), last index fastest */
    TS_CELLS,      /* for vars in node: active cells; vars = coordinates by ascending axis letter,
                    * scalars. Of a 0-D field: node NULL, one iteration */
    TS_BREAK, TS_CONTINUE,
    TS_RETURN,     /* value or NULL */
    TS_PRINT,      /* format string, args */
    TS_ASSERT,     /* value; optional format string + args; `string` is the text of the condition
                    * when there is no format */
    TS_ACTIVATE, TS_DEACTIVATE,  /* node, args: coordinates by ascending axis letter (dynamic:
                                  * DEACTIVATE takes the list's indices, ACTIVATE all) */
    TS_DEACTIVATE_ALL,           /* node */
    TS_DIFF,       /* target, a variable that is 0 = the derivative of `value`, which `stmts` come
                    * before, with respect to var; src/ad takes it apart */
    /* host only */
    TS_DERIVE,     /* body, and what `derive` says of it; src/ad takes it apart */
    TS_CREATE, TS_DESTROY, TS_TRIM,  /* layout */
    TS_FILL,       /* field = value in all cells of dense nodes, active cells of sparse ones */
    TS_COPY,       /* field <- field2, by position */
    TS_SWAP,       /* layout, layout2 */
    TS_SAVE,       /* path; fields, or layout */
    TS_LOAD,       /* path; fields (one), or layout */
    TS_KEEP,       /* puts on the tape: field, or else value (i64; `field`, then, is what it is of);
                    * without both empties the tapes. Written by src/ad, as */
    TS_TAKE,       /* field <- the last that is on the tape, which goes */
    TS_IMAGE       /* path, fields (one), from = lo, to = hi in from[0], to[0] */
} TStmtKind;

typedef struct {
    Var *var;
    AtomicOp op;   /* ADD (also for SUB: the value is negated by the statement), MIN, MAX, AND, OR,
                    * XOR */
} Reduction;

struct TStmt {
    TStmtKind kind;
    Span span;
    TStmts stmts;
    Var *var;
    TExpr *target, *value;
    Derive derive;
    Op op;
    bool is_atomic;      /* ASSIGN with op in a parallel loop on a place other iterations can
                          * reach */
    bool is_reduction;   /* ASSIGN with op on a reduction variable of the parallel loop around it */
    TStmt *body, *orelse;
    /* loops */
    VEC(Var *) vars;
    TExprs from, to, step;
    Node *node;
    Field *field;        /* CELLS: the field named in the source, or NULL for a label; FILL, COPY
                          * destination */
    Field *field2;       /* COPY source */
    bool parallel;       /* top-level loop of a kernel that runs in parallel */
    bool progress;       /* host: for … in progress(…) */
    int block_dim;       /* @block_dim, 0 = none */
    VEC(Field *) block_local;
    VEC(Reduction) reductions;
    /* print, assert, files */
    bool has_format;     /* ASSERT: string is a format; else the text of the condition */
    const char *string;
    size_t string_bytes;
    TExprs args;
    TExpr *path;
    VEC(Field *) fields;
    Layout *layout, *layout2;
    int tape;            /* KEEP, TAKE: 0 or 1 */
};

/* Where host code moves a layout to other memory. */
typedef struct {
    const Layout *layout;
    Span span;
    const char *how;       /* "swapped" ... */
} Move;

struct Func {
    FuncKind kind;
    const char *name;      /* the user's */
    const char *unique;    /* name + suffix of the instance, a C identifier part, unique in the
                            * program */
    int id;
    Span span;
    const Type *result;    /* TYPE_VOID: none */
    VEC(Var *) params;     /* value and inout parameters that remain (fields and nodes are
                            * resolved) */
    VEC(Var *) vars;       /* every variable, params first, by id */
    TStmt *body;           /* NULL: extern */
    bool is_generic;       /* an instance: not exported to C */
    bool is_library;       /* of the standard library: not exported either */
    const char *title;     /* TEST, BENCHMARK */
    const char *fails;     /* TEST: @fails text, or NULL */
    bool check_build;      /* TEST: @check */
    VEC(Move) moves;       /* of layouts, in its calls too once all functions are checked */
    const char *doc_args;  /* description of field/node/auto arguments of an instance, for messages
                            * and C comments, or NULL */
    Func *whole;           /* from ir_lower on: made of that function … */
    uint64_t apart;        /* … for arguments that lie apart: of these parameters, by bit, each
                            * scalar is a parameter of its own (lower_soa_inout.c) */
};

typedef struct Prog {
    Compile *c;
    Types *types;
    const char *name;      /* program name from the file: C identifier */
    const Source *source;  /* main file */
    VEC(Source *) imports; /* every other file read, in order (depfile) */
    bool searched;         /* one of them was found in an -I folder: a new file may come before
                            * it */
    VEC(Module *) modules; /* the AST of each file; only with keep_syntax */
    VEC(Param *) params;
    VEC(Table *) tables;
    VEC(NamedConst) consts; /* not those in functions */
    VEC(Field *) fields;
    VEC(Field *) members;  /* of structs, which are saved and loaded as fields are; not in fields */
    VEC(Layout *) layouts;
    VEC(Func *) funcs;     /* kernels, hosts, device functions and their instances, in order of
                            * first use or declaration */
    Map part_types;        /* results of svd, polar, eig_sym by name and type of argument */
    Func *main;            /* NULL: none */
    VEC(Func *) tests;     /* and benchmarks */
} Prog;

/* Reads `path`, follows imports, checks everything. NULL only when the file cannot be read; after
 * errors the program is incomplete: ask diag_error_count before using it. All kernels, hosts and
 * tests are checked even if nothing calls them; generic ones are checked at use. */
Prog *check_program(Compile *c, const char *path);
/* Marks the inout parameters too that others which are reached are given to. */
void prog_spread_reached(Compile *c, const Prog *p);
/* Names of the built-in functions and operations, NULL at the end. */
const char *const *built_in_words(void);
/* How a built-in function is called, "clamp(x, lo, hi)"; NULL where that is the name of none. */
const char *built_in_call(const char *name);
/* Names of the members of what a built-in function gives, NULL at the end; NULL where it has none.
 */
const char *const *built_in_members(const char *name);
/* Spelling of a built-in function. */
const char *builtin_name(Builtin b);
/* What --check says of the use of a variable, or a part of one, that was not set. */
const char *var_unset_text(Arena *arena, const Var *v);
/* The result of a built-in function of several parts: a struct that is made once for each type of
 * argument. */
const Type *prog_parts_type(Compile *c, Prog *p, Builtin b, const Type *argument);
/* What a message calls something whose elements or components are found by indices: its name, or
 * its type. */
const char *texpr_indexed_name(const TExpr *base);
/* Is an index a u64 that became an i64 by itself, not by a cast that stands there? */
static inline bool
texpr_is_from_u64(const TExpr *index)
{
    return index->kind == TX_CAST && index->a->type->scalar == SCALAR_U64 &&
           index->span.from == index->a->span.from && index->span.to == index->a->span.to;
}
/* Are all of them TX_CONST? */
bool texprs_are_constant(const TExprs *args);
/* Are two expressions of a size one? */
bool texpr_is_same(const TExpr *a, const TExpr *b);
/* Run-time size along an axis on the way to a node, or NULL, and the product of the other sizes. */
const TExpr *node_runtime_size(const Node *n, int axis, int64_t *product);
/* Have two layouts of one structure the same run-time sizes by their expressions? */
bool layouts_have_same_sizes(const Layout *a, const Layout *b);
/* Have two fields, along these indices, one extent that is known at run time only? False where
 * nothing is known. */
bool field_extents_are_same(const Field *f, int i, const Field *g, int k);
/* Is an integer never more than such an extent of a field, which has no offset? */
bool texpr_is_within_extent(const TExpr *e, const Field *f, int i);
/* The checked program as text (--emit=layout prints trees; this is --print-ir=check). */
void prog_print(const Prog *p, Text *out);
/* The default of a param as it is typed on a command line. */
const char *param_default_text(const Prog *p, const Param *param);
/* "sand|water": the words of an enum; NULL for others. */
const char *param_words_text(const Prog *p, const Param *param);
/* A constant value, and bytes in quotes, as prog_print writes them. */
void value_print(const Value *v, Text *out);
void string_print(const char *s, size_t n, Text *out);
/* "add", "min"... */
const char *atomic_name(AtomicOp op);

#endif
