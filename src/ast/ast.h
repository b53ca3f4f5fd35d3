/* AST: what the parser saw, nothing decided. Made only through the constructors below
 * (grammar/parse.y calls nothing else); memory belongs to the syntax arena of the compilation and
 * ends when the program is checked; strings stay. Names are interned. */
#ifndef SNL_AST_AST_H
#define SNL_AST_AST_H

#include "ast/type.h"

typedef enum {
#define UNARY(name, text, operands) OP_##name,
#define BINARY(name, text, operands) OP_##name,
#include "ast/ops.def"
#undef UNARY
#undef BINARY
    OP_COUNT,
    OP_NONE = OP_COUNT
} Op;

typedef enum {
#define NODE(name, spelling, activity, last, prefix, inline_cells) NODE_##name,
#include "ast/nodes.def"
#undef NODE
    NODE_KIND_COUNT
} NodeKind;

typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct Item Item;
typedef VEC(Expr *) Exprs;
typedef VEC(Stmt *) Stmts;
typedef VEC(Item *) Items;

/* A name as written: `x`, or `r#expr` with number set. In declarations of families the number is
 * the count. */
typedef struct {
    const char *text;
    Expr *number; /* NULL when there is no # */
    Span span;
} Name;
typedef VEC(Name) Names;

typedef struct {
    const char *name; /* without @ */
    Exprs args;
    Span span;
} Attribute;
typedef VEC(Attribute) Attributes;

enum { ANY_AXES = -1 }; /* TYPE[*] */

typedef enum { TE_BUILTIN, TE_NAME, TE_AUTO, TE_TYPEOF } TypeExprKind;
typedef struct {
    TypeExprKind kind;
    Scalar scalar;   /* BUILTIN, with rows and cols (0 = none) */
    int rows, cols;
    Name name;       /* NAME */
    Expr *of;        /* TYPEOF */
    int array_dims;  /* parameters: 0 none, n for TYPE[,,] with n - 1 commas, or ANY_AXES */
    Span span;
} TypeExpr;

typedef enum {
    EXPR_ERROR,
    EXPR_INT,
    EXPR_FLOAT,
    EXPR_BOOL,
    EXPR_STRING,
    EXPR_NAME,
    EXPR_TYPE,
    EXPR_UNARY,
    EXPR_BINARY,
    EXPR_COND,
    EXPR_CALL,   /* callee(args): callee a NAME or a TYPE */
    EXPR_INDEX,  /* base[args], args may be none */
    EXPR_MEMBER, /* base.member */
    EXPR_RANGE   /* from..to [step]: only as loop range or argument of progress() */
} ExprKind;

struct Expr {
    ExprKind kind;
    Span span;
    int depth;           /* 1 + depth of the deepest part */
    Op op;               /* UNARY, BINARY */
    int suffix;          /* INT, FLOAT: Scalar, or -1 */
    Expr *a, *b, *c;     /* operands; CALL, INDEX, MEMBER: a = base; RANGE: a, b, c = step or
                          * NULL */
    Exprs args;          /* CALL, INDEX */
    union {
        Name name;           /* NAME, MEMBER */
        TypeExpr *type;      /* TYPE */
        uint64_t integer;    /* INT (magnitude), BOOL */
        double number;       /* FLOAT */
        struct {             /* STRING: bytes after escapes, NUL-terminated */
            const char *string;
            size_t string_bytes;
        };
    };
};

typedef enum {
    STMT_ERROR,
    STMT_DECL,
    STMT_ASSIGN,
    STMT_EXPR,
    STMT_IF,
    STMT_WHILE,
    STMT_FOR,
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_RETURN,
    STMT_BLOCK,
    STMT_CREATE,
    STMT_DESTROY,
    STMT_TRIM,
    STMT_DERIVE
} StmtKind;

/* What a block of derivatives computes; ORDER derive. */
typedef enum { DERIVE_GRADIENT, DERIVE_VJP, DERIVE_JVP } Derive;
/* The word that it begins with. */
const char *derive_word(Derive d);

typedef enum { DECL_TYPED, DECL_LET, DECL_VAR } DeclKind;

struct Stmt {
    StmtKind kind;
    Span span;
    bool is_static;      /* static if, static for */
    Attributes attrs;    /* FOR, DERIVE */
    /* DECL */
    DeclKind decl;
    TypeExpr *type;      /* DECL_TYPED */
    Name name;           /* DECL; CREATE, DESTROY, TRIM: the layout */
    Exprs dims;          /* DECL: local array sizes */
    bool has_list;       /* DECL: init list { … } in `list` */
    Exprs list;
    /* the rest */
    Expr *expr;          /* DECL init, ASSIGN right side, EXPR, IF/WHILE condition, RETURN value; or
                          * NULL */
    Expr *target;        /* ASSIGN; DERIVE: what a gradient is of, or NULL */
    Derive derive;       /* DERIVE: its block is `body` */
    Op op;               /* ASSIGN: OP_NONE for '=', else the binary operator */
    Stmt *body, *orelse; /* IF, WHILE, FOR: blocks (else may be another IF) */
    Names names;         /* FOR: loop variables */
    Exprs iters;         /* FOR: ranges (RANGE), or one expression naming a field or label, or a
                          * call of progress */
    Stmts stmts;         /* BLOCK */
};

typedef enum {
    FUNC_DEVICE,
    FUNC_EXTERN,
    FUNC_KERNEL,
    FUNC_HOST,
    FUNC_MAIN,
    FUNC_TEST,
    FUNC_BENCHMARK
} FuncKind;
/* True for main, tests and benchmarks: blocks that have no parameters and no name in the
 * program. */
bool func_is_block(FuncKind kind);

typedef enum { PARAM_VALUE, PARAM_INOUT, PARAM_FIELD, PARAM_NODE, PARAM_FUNC } ParamKind;
typedef struct {
    ParamKind kind;   /* `node b` arrives as PARAM_NODE */
    FuncKind func;    /* FUNC: DEVICE, KERNEL or HOST */
    TypeExpr *type;   /* FIELD: element type; type->array_dims = axes (0: 0-D, ANY_AXES: 1 or more)
                       * FUNC: of the result, or NULL */
    Name name;
    Span span;
} ParamDecl;
typedef VEC(ParamDecl) ParamDecls;

typedef struct LayoutNode LayoutNode;
typedef VEC(LayoutNode *) LayoutNodes;
struct LayoutNode {
    bool is_place;        /* place of `places`, else a node */
    Span span;
    Attributes attrs;
    Name label;           /* text NULL when none */
    NodeKind kind;
    Span kind_span;
    const char *axes;     /* letters as written, interned */
    Span axes_span;
    Exprs sizes;
    LayoutNodes children;
    Exprs places;         /* NAME or MEMBER expressions: x, v.x, p.mass, r#2 */
};

typedef enum {
    ITEM_ERROR,
    ITEM_DEFAULTS,               /* attributes and a semicolon: they hold for the file */
    ITEM_IMPORT,
    ITEM_CONST,
    ITEM_PARAM,
    ITEM_STRUCT,
    ITEM_FIELD,
    ITEM_LAYOUT,
    ITEM_FUNC,
    ITEM_STATIC_ASSERT,
    ITEM_STATIC_FOR,
    ITEM_STATIC_IF
} ItemKind;

typedef struct { TypeExpr *type; Name name; } MemberDecl;
/* name.number: size of the family */
typedef struct { Name name; bool has_dims; Exprs dims; } FieldDecl;

struct Item {
    ItemKind kind;
    Span span;
    Attributes attrs;
    const char *path;            /* IMPORT: as written */
    Span path_span;
    Name name;                   /* CONST, PARAM, STRUCT, LAYOUT (text NULL when none), FUNC;
                                  * STATIC_FOR: the variable */
    TypeExpr *type;              /* CONST (or NULL), PARAM, FIELD, FUNC result (or NULL) */
    Exprs dims;                  /* CONST table sizes */
    bool has_list;               /* CONST: init list */
    Exprs list;
    Expr *expr;                  /* CONST, PARAM value; STATIC_ASSERT, STATIC_IF condition;
                                  * STATIC_FOR range (RANGE) */
    Expr *message;               /* STATIC_ASSERT */
    VEC(MemberDecl) members;     /* STRUCT */
    VEC(FieldDecl) fields;       /* FIELD */
    LayoutNodes nodes;           /* LAYOUT */
    FuncKind func;               /* FUNC */
    ParamDecls params;
    Stmt *body;                  /* FUNC (NULL for extern) */
    const char *title;           /* TEST: its name */
    Items items, orelse;         /* STATIC_FOR, STATIC_IF */
};

/* One parsed file. */
typedef struct {
    const Source *source;
    Items items;
} Module;

/* Parses one file into items (imports are not followed). Reports errors and recovers; never fails.
 * grammar/parse.y defines it. */
Module *parse_source(Compile *c, const Source *source);

/* Constructors. Each sets span and depth; too deep an expression (over EXPR_DEPTH_MAX) is reported
 * once as E0106 and becomes EXPR_ERROR. */
#define EXPR_DEPTH_MAX 1000
Expr *ast_int(Compile *c, Span s, uint64_t value, int suffix);
Expr *ast_float(Compile *c, Span s, double value, int suffix);
Expr *ast_bool(Compile *c, Span s, bool value);
Expr *ast_string(Compile *c, Span s, const char *bytes, size_t n);
Expr *ast_name(Compile *c, Name name);
Expr *ast_type_expr(Compile *c, TypeExpr *type);
Expr *ast_unary(Compile *c, Span s, Op op, Expr *a);
Expr *ast_binary(Compile *c, Span s, Op op, Expr *a, Expr *b);
Expr *ast_cond(Compile *c, Span s, Expr *cond, Expr *then, Expr *orelse);
Expr *ast_call(Compile *c, Span s, Expr *callee, Exprs args);
Expr *ast_index(Compile *c, Span s, Expr *base, Exprs args);
Expr *ast_member(Compile *c, Span s, Expr *base, Name name);
Expr *ast_range(Compile *c, Expr *from, Expr *to, Expr *step);
Expr *ast_error(Compile *c, Span s);
/* Statements and items have too many parts for one constructor each: these make an empty one; ast.c
 * adds constructors as needed. */
Stmt *ast_stmt(Compile *c, StmtKind kind, Span s);
Item *ast_item(Compile *c, ItemKind kind, Span s);

/* The attribute of that name, or NULL. */
const Attribute *find_attribute(const Attributes *list, const char *name);
/* The text of an operator, the spelling of a node kind. */
const char *op_text(Op op);
/* ==, !=, <, <=, > or >=. */
bool op_is_comparison(Op op);
/* The comparison that holds where this one does not, of numbers that compare. */
Op op_negated(Op op);
/* The same comparison with its operands the other way round. */
Op op_swapped(Op op);
const char *node_kind_name(NodeKind kind);
/* Finds a node kind by spelling; NODE_KIND_COUNT when unknown. */
NodeKind node_kind_find(const char *spelling);
/* True for kinds with activate/deactivate (all but dense). */
bool node_has_activity(NodeKind kind);
/* True for kinds whose cells lie inside the parent's cell (dense, bitmasked). */
bool node_is_inline(NodeKind kind);

/* The AST as text (--emit=ast), and the tokens (--emit=tokens). */
void ast_print(const Module *m, Text *out);
void tokens_print(Compile *c, const Source *source, Text *out);

#endif
