/* Inside of the checker: names, scopes and the entry of each part. Only src/check includes this.
 *   check.c, scope.c, check/stmt/item.c, check/expr/const.c, check/layout/type.c,
 * check/layout/layout.c names, imports, items, constants, types, trees check/expr/expr.c,
 * check/expr/call.c, check/expr/builtin.c, check/stmt/stmt.c, check/stmt/loop.c, check/stmt/func.c,
 * fold.c … bodies, generics, loops Global names are declared first, from all files; each is
 * resolved when first needed (state finds cycles). */
#ifndef SNL_CHECK_CHECK_H
#define SNL_CHECK_CHECK_H

#include "check/prog.h"

typedef enum {
    SYM_CONST,   /* compile-time value: const, static-for variable */
    SYM_TABLE, SYM_PARAM, SYM_STRUCT,
    SYM_FIELD,   /* one field, or a family: members has one entry a number */
    SYM_LAYOUT,  /* named layout, or numbered family of them: members in any order */
    SYM_LABEL,   /* node label, or numbered family */
    SYM_FUNC,    /* func, extern, kernel, host item */
    SYM_VAR,     /* local variable, argument, loop variable */
    SYM_FIELD_ARG, SYM_NODE_ARG, /* field / node parameter of an instance: bound to field, node */
    SYM_TYPE     /* a name bound to a type inside an instance */
} SymKind;

typedef enum { SYM_NEW, SYM_BUSY, SYM_DONE } SymState;

/* A constant: a typed value, or an untyped literal value that takes the type of its context. */
typedef enum { CONST_TYPED, CONST_INT, CONST_FLOAT } ConstKind;
typedef struct {
    ConstKind kind;
    __int128 integer;  /* CONST_INT */
    double number;     /* CONST_FLOAT */
    Value value;       /* CONST_TYPED */
    const Expr *inexact; /* division of integers in it that drops a fraction, or NULL */
    const Expr *lost;  /* operation on untyped integers in it that has no exact value, or NULL */
    const char *lost_why;
    bool is_bits;      /* CONST_INT: of bits that ~ made: below 0, the ones on the left have no
                        * end */
} Const;

typedef struct {
    int64_t number;    /* of the family member, -1 for a plain symbol */
    void *thing;       /* Field *, Layout *, Node * */
} SymMember;

typedef struct Symbol {
    SymKind kind;
    SymState state;
    const char *name;
    Span span;
    Item *item;            /* declaration, or NULL */
    struct Scope *scope;   /* scope the item was declared in (static for at top level binds
                            * constants around items) */
    Const constant;        /* CONST */
    Table *table;
    Param *param;
    const Type *type;      /* STRUCT, TYPE, and FIELD element type */
    bool is_family;        /* FIELD, LAYOUT, LABEL with # */
    VEC(SymMember) members;
    Var *var;              /* VAR; FIELD_ARG and NODE_ARG keep their field or node in
                            * members[0].thing */
    Func *func;            /* FUNC that is not generic: the checked function, once asked for */
    const Type *wanted;    /* FUNC bound to a parameter: the result that this names, NULL for any */
    const Item *word_of;   /* CONST: the param enum that it is a word of, or NULL */
    bool used;
} Symbol;

typedef struct Scope {
    struct Scope *parent;
    Map names;             /* name -> Symbol * */
} Scope;

/* A call of a host function. */
typedef struct {
    Func *caller;
    const TExpr *call;
} HostCall;

typedef struct Checker {
    Compile *c;
    Prog *prog;
    Arena *checked;             /* that expressions and statements are in */
    Scope *library;             /* names of the standard library, outside of the globals */
    Scope *globals;
    VEC(Symbol *) symbols;      /* global, in order */
    VEC(Item *) static_asserts; /* with the scope they stand in */
    VEC(Scope *) static_assert_scopes;
    VEC(Item *) layout_items;
    VEC(Scope *) layout_scopes;
    const Source *tuned;        /* of options.tuned */
    VEC(Item *) static_items;   /* top-level static for / if not expanded yet */
    VEC(Scope *) static_scopes;
    VEC(Item *) blocks;         /* main, tests and benchmarks, with the scope they stand in */
    VEC(Scope *) block_scopes;
    const Item *main;           /* the first one */
    const Item *padded;         /* the declaration of fields whose padding was last warned of */
    VEC(const Item *) defaults; /* what files begin with that holds for all of them */
    bool padding_told;          /* it was said what padding costs */
    bool layouts_done;          /* labels and shapes of fields are known */
    struct FuncState *func;     /* body being checked, or NULL; defined in check_func.h */
    Map instances;              /* generic instances by key text */
    Unique unique;              /* names given to functions */
    VEC(HostCall) host_calls;
    VEC(Func *) pending;        /* instances whose body is still to be checked */
    int depth;                  /* instantiation depth, for the limit */
    int resolved;               /* how many symbols wait for each other in symbol_resolve */
    size_t source_bytes;        /* of all files */
    bool too_large;             /* is_too_large has reported it */
} Checker;

/* build.c: has what few words make a lot of, such as static for, made more than is reasonable?
 * Reports that at `span`, once; nothing more of it shall be made then. */
bool is_too_large(Checker *k, Span span);
/* Field or family of the short form, fields without layout: made by symbol_resolve. */
Layout *layout_new(Checker *k, const char *name, Span span);

/* scope.c */
Scope *scope_new(Checker *k, Scope *parent);
/* Declares a name; E0202 with a note when it stands in the same scope already (then returns the
 * new, undeclared symbol). */
Symbol *scope_declare(Checker *k, Scope *s, SymKind kind, const char *name, Span span);
/* Finds a name from s outwards; NULL when unknown (nothing reported). */
Symbol *scope_find(const Scope *s, const char *name);
/* Reports E0201 for an unknown name, with the nearest known spelling as fix. */
void scope_report_unknown(Checker *k, const Scope *s, const char *name, Span span,
                          const char *what);

/* tx.c: the text of a place in the source, for fixes and assert messages; the empty
 * place before it. */
const char *source_text(Checker *k, Span span);
Span span_before(Span span);

/* check/stmt/item.c, check/layout/type.c, check/expr/const.c */
/* Makes sure a global symbol is resolved (E0311/E0603 on cycles). */
void symbol_resolve(Checker *k, Symbol *s);
/* Resolves a type as written; type_error after a report. Array dims are not part of it. */
const Type *check_type(Checker *k, Scope *s, const TypeExpr *t);
/* True for `string`, the type of params that hold text; a type of the user's with that name hides
 * it. */
bool type_is_string(const Scope *s, const TypeExpr *t);
/* The field, layout or node a possibly numbered name means; NULL after a report. */
Field *check_field_name(Checker *k, Scope *s, Name name);
Layout *check_layout_name(Checker *k, Scope *s, Name name);
Node *check_node_name(Checker *k, Scope *s, Name name);
/* True when e is made of literals without suffix, untyped constants and operators on them alone:
 * its value, which takes the type of its context. Reports nothing. */
bool const_eval_untyped(Checker *k, Scope *s, const Expr *e, Const *out);
/* Has it a value? Else E0603. */
bool const_is_exact(Checker *k, const Const *v);
/* Declares items in a scope; static for and static if are kept for declare_static_items. */
void declare_items(Checker *k, Scope *s, const Items *items);
void declare_static_items(Checker *k);
/* Reports attributes that do not belong (allowed: names separated by blanks). */
void check_attributes(Checker *k, const Attributes *list, const char *allowed, const char *what);
/* Reports E0305 for an array or table of `needed` elements to which `given` values are given. */
void report_element_count(Checker *k, Span at, const char *name, const Type *elem, int64_t needed,
                          int given);
/* Sets the size of a node along one of its axes, which may be known at run time only. */
void layout_check_size(Checker *k, Scope *s, Node *n, int axis, const Expr *e);
/* True when an integer constant can be held by the type. */
bool integer_fits(Scalar s, __int128 v);
/* The same of an untyped one: of bits that ~ made, an unsigned type takes as many as it has. */
bool const_fits(Scalar s, const Const *v);
/* An integer in decimal. */
const char *integer_text(Checker *k, __int128 v);
/* Evaluates at compile time. Report E0601 when the value is not known then; return false after any
 * report. */
bool check_const(Checker *k, Scope *s, const Expr *e, Const *out);
bool check_const_as(Checker *k, Scope *s, const Expr *e, const Type *type, Value *out);
bool check_const_int(Checker *k, Scope *s, const Expr *e, int64_t *out);
bool check_const_bool(Checker *k, Scope *s, const Expr *e, bool *out);
/* Converts a constant to a type by the implicit rules (E0309, E0301). */
bool const_to_type(Checker *k, Span at, const Const *from, const Type *type, Value *out);
/* Default type of a constant: typed ones keep theirs; i32 / i64 / u64 by magnitude; f32. */
const Type *const_default_type(Checker *k, const Const *v);

/* layout/adjoint.c: what @grad before a field or param makes. */
void declare_adjoint(Checker *k, const Symbol *s, Field *f);
void declare_param_adjoint(Checker *k, const Symbol *s, Param *p);
/* The adjoint that `place grad(x)` names; NULL after a report. */
Field *placed_adjoint(Checker *k, Scope *s, const Expr *e);
/* Reports an adjoint that a program places where it is not active with its field. */
void check_adjoint_place(Checker *k, const Field *adjoint);

/* check/layout/tune.c: leaves out layouts marked @tune in whose place there is a @tuned one. */
void check_tuned(Checker *k);
/* What @tune allows to change, NULL without the mark. */
const Tune *check_tune(Checker *k, Scope *s, const Item *item);

/* check/layout/layout.c: all layouts of the program, then every field (E0404, E0405, E0406). */
void check_layouts(Checker *k);

/* check/expr/expr.c: an expression with the type its context asks for (want: literals take it;
 * NULL: none). Conversion to want is NOT done. */
TExpr *check_expr(Checker *k, Scope *s, const Expr *e, const Type *want);
/* The same, then converted implicitly to `type` (E0301, E0309 …): initialisers, assignments,
 * arguments, results. */
TExpr *check_expr_as(Checker *k, Scope *s, const Expr *e, const Type *type);
/* Implicit conversion of a checked expression, with the report that names the cast; `what` says
 * what is converted ("argument 2 of 'f'"). */
TExpr *convert(Checker *k, TExpr *e, const Type *type, const char *what);
/* True when a value of `from` may become `to` without a cast. */
bool converts_implicitly(const Type *from, const Type *to);

/* fold.c: a TX_CONST when every operand is constant (same arithmetic as at run time:
 * runtime/math/snl_math.h), else e itself. */
TExpr *fold(Checker *k, TExpr *e);

/* check/stmt/func.c: bodies of all functions that are not generic, main, tests; then pending
 * instances until none is left. */
void check_functions(Checker *k);

/* check/stmt/inout_moves.c: reports inout arguments in layouts that the function called moves, once
 * all are checked. */
void check_moved_arguments(Checker *k);

#endif
