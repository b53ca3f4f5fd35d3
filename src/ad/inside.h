/* Inside of derivatives. Only src/ad includes this.
 *   ad.c            the entry: finds what a program differentiates
 *   diff.c          diff(e, v)
 *   jvp.c           blocks of derivatives of host code, forward
 *   reach.c         which fields a block differentiates, and what it cannot hold
 *   hidden.c        adjoints of fields that the program gives none
 *   active.c        which variables a derivative goes through
 *   effects.c       what an expression changes
 *   build.c         expressions and statements, made
 *   forward.c       the value and the tangent of an expression
 *   forward_stmt.c  the same of statements
 *   forward_host.c  the same of statements of host code
 *   forward_func.c  the same of functions
 *   rules.c         the tangent of operators and of functions of components
 *   rules_matrix.c  the tangent of functions of vectors and matrices
 * Words: an expression is *active* when it depends on the variable that derivatives are taken with
 * respect to; the *tangent* of an active value is its derivative in the direction at hand, of the
 * value's type (what is no float in a struct is 0). A value that is not active has no tangent
 * (NULL). */
#ifndef SNL_AD_INSIDE_H
#define SNL_AD_INSIDE_H

#include "ad/ad.h"

typedef VEC(Var *) Vars;
typedef VEC(Func *) Funcs;

typedef struct {
    Compile *c;
    Prog *p;
    Unique names;   /* of functions */
    Map expanded;   /* functions whose derivatives are taken apart, or being so: STATE_… */
    Map forwards;   /* tangent functions by what they are of, as text */
    Map duals;      /* the structs that they return, by the type of the value */
    Map touching;   /* functions, by whether they touch_fields: TOUCHES_… */
    VEC(Field *) hidden; /* adjoints that the program does not have */
} Ad;

/* ---- active.c ---- */

/* Active variables of a function, by id. */
typedef struct {
    Ad *ad;
    bool *is_active;
    int count;
    bool with_fields; /* fields and params with adjoints are active */
} Active;

/* Has a value of the type a part that is a float? */
bool type_has_float(const Type *t);
/* Goes on from the variables that are active, through statements and then an expression (NULL:
 * none), until no more become so. */
void active_spread(Active *a, const TStmts *stmts, const TExpr *value);
/* May the value depend on active variables? */
bool expr_is_active(const Active *a, const TExpr *e);
/* The variable or field that a place is a part of; NULL: none. */
const TExpr *root_of(const TExpr *place);

/* Does a function, or one that it calls, read or change a field or param that has an adjoint? */
bool func_touches_fields(Ad *ad, const Func *f);
/* Adjoints have come: what was found is forgotten. */
void touching_reset(Ad *ad);
/* Is a call one through which a derivative goes? */
bool call_is_active(const Active *a, const TExpr *call);

/* ---- effects.c ---- */

/* What an expression changes that others see. */
typedef struct {
    Span at;          /* where */
    const char *what; /* "stores to a field"; NULL: nothing */
} Effect;
/* Of an expression and the statements that come before it, which declare temporaries of it. */
Effect expr_effect(Ad *ad, const TStmts *before, const TExpr *value);
/* Does an expression change variables, or fields that count, so that what is computed before it
 * must be kept? */
bool expr_changes(const Active *a, const TExpr *e);

/* ---- build.c ---- */

TExpr *new_expr(Ad *ad, TExprKind kind, const Type *type, Span span);
TStmt *new_stmt(Ad *ad, TStmtKind kind, Span span);
/* The number in every component; 0 in every leaf. */
TExpr *new_number(Ad *ad, const Type *type, double value, Span span);
TExpr *new_zero(Ad *ad, const Type *type, Span span);
TExpr *new_integer(Ad *ad, int64_t value, Span span);
TExpr *new_use(Ad *ad, Var *v, Span span);
TExpr *new_unary(Ad *ad, Op op, TExpr *a);
/* Of one type, as the result; a comparison gives bools. */
TExpr *new_binary(Ad *ad, Op op, TExpr *a, TExpr *b);
/* a * b + c: rounded once where the program's own are. */
TExpr *new_fma(Ad *ad, TExpr *a, TExpr *b, TExpr *c);
TExpr *new_product(Ad *ad, TExpr *a, TExpr *b);
TExpr *new_choice(Ad *ad, TExpr *cond, TExpr *a, TExpr *b);
TExpr *new_cast(Ad *ad, const Type *type, TExpr *a);
TExpr *new_splat(Ad *ad, const Type *type, TExpr *a);
TExpr *new_make(Ad *ad, const Type *type, TExprs parts, Span span);
TExpr *new_call(Ad *ad, Builtin b, const Type *type, TExpr *x, TExpr *y);
TExpr *new_member(Ad *ad, TExpr *a, int member);
TExpr *new_element(Ad *ad, TExpr *a, TExpr *i, TExpr *j);
/* Leaf number i of a vector or matrix, or a scalar itself. */
TExpr *new_component(Ad *ad, TExpr *a, int i);
/* Of tangents, of which either may be missing. */
TExpr *new_sum(Ad *ad, TExpr *a, TExpr *b);
TExpr *new_difference(Ad *ad, TExpr *a, TExpr *b);
const Type *scalar_of(Ad *ad, const Type *type);

/* ---- forward.c ---- */

/* A value, and its tangent or NULL. */
typedef struct {
    TExpr *value, *tangent;
} Dual;

/* What is being differentiated, and where that goes. */
typedef struct {
    Ad *ad;
    Func *to;        /* that statements are written for */
    const Active *active;
    Var **values;    /* by id in the function that is read: what stands for a variable */
    Var **tangents;  /* its tangent, or NULL */
    int count;
    TStmts *out;
    int loops;       /* around */
    bool is_careful; /* the statement at hand changes what it computes with */
    bool only_values; /* no tangent is needed */
    bool is_stopped;  /* inside of stop(…) */
    const Type *dual; /* what `to` returns: NULL: what it returned before */
} Forward;

Dual forward_expr(Forward *f, const TExpr *e);
/* The value alone. */
TExpr *forward_value(Forward *f, const TExpr *e);
/* The place of a value and that of its tangent. */
Dual forward_place(Forward *f, const TExpr *e);
/* e, or a temporary that holds it: what may be used several times. */
TExpr *forward_keep(Forward *f, TExpr *e);
/* A new variable of the function that is written. */
Var *forward_var(Forward *f, VarKind kind, const char *name, const Type *type, Span span);
/* What stands for a variable of the function that is read. */
Var *forward_var_of(Forward *f, const Var *v);
void forward_emit(Forward *f, TStmt *st);
void forward_assign(Forward *f, TExpr *target, TExpr *value, Span span);

/* An atomic operation whose value nothing takes, as statements. */
void forward_atomic_stmt(Forward *f, const TStmt *st);

/* ---- forward_stmt.c ---- */

void forward_stmts(Forward *f, const TStmts *stmts);
/* The variables that stand for one of the function that is read. */
Var *forward_make_var(Forward *f, const Var *v);
void forward_declare(Forward *f, Var *v, TExpr *value, Span span);
/* A copy of a statement with the values of its expressions. */
TStmt *forward_copy(Forward *f, const TStmt *st);

/* ---- forward_host.c ---- */

/* Fill, copy, swap and files. */
void forward_host(Forward *f, const TStmt *st);
/* fill(field, value) */
TStmt *new_fill(Ad *ad, Field *field, TExpr *value, Span span);

/* ---- forward_func.c ---- */

/* The function that computes the value and the tangent of `f`, whose parameters with a '1' in
 * `mask` are active; behind each of these stands its tangent. NULL after a report. */
Func *forward_func(const Active *from, Func *f, const char *mask, Span at);
/* The struct of a value and its tangent. */
const Type *dual_type(Ad *ad, const Type *type);

/* ---- diff.c, jvp.c ---- */

/* Takes apart each `diff` in a function; false when it is being done: it needs its own. */
bool expand_func(Ad *ad, Func *f);
/* In place of a block of derivatives: statements. */
TStmt *expand_jvp(Ad *ad, Func *f, const TStmt *st);

/* ---- reach.c, hidden.c ---- */

/* Gives an adjoint to each field that a block differentiates; reports what the block cannot hold.
 * True when one has come: what is active has changed. */
bool reach_block(Ad *ad, const Func *f, const TStmt *block);
/* Gives a field an adjoint, unless it has one; true when it did. */
bool hidden_adjoint(Ad *ad, Field *f, Span at);
/* Lays out again what has got adjoints. */
void hidden_place(Ad *ad);
/* Statements that set the hidden adjoints which a block uses to 0. */
void reach_hidden(Ad *ad, const Func *f, const TStmt *block, TStmts *fills);

/* ---- rules.c, rules_matrix.c ---- */

/* What is known of a built-in function whose result is active: arguments that may be used several
 * times, their tangents, and the result. */
typedef struct {
    Forward *f;
    const TExpr *e;
    TExpr *x[3], *dx[3];
    TExpr *value;
} Rule;
/* The result, as something that may be used several times. */
TExpr *rule_result(Rule *r);
TExpr *rule_binary(Forward *f, const TExpr *e, Dual *a, Dual *b, TExpr **value);
TExpr *rule_builtin(Rule *r);
TExpr *rule_matrix(Rule *r);
/* a where the condition, one bool for each component, holds, else b; NULL is 0. */
TExpr *rule_choose(Forward *f, TExpr *cond, TExpr *a, TExpr *b);

#endif
