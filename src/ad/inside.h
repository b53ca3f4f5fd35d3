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
 *   structured.c    functions without jumps
 *   transpose.c     expressions taken back
 *   reverse.c       adjoints, and values that are needed
 *   reverse_need.c  which these are
 *   reverse_stmt.c  statements taken back
 *   reverse_loop.c  loops in kernels and functions taken back
 *   reverse_func.c  functions taken back
 *   field_use.c     how a parallel loop uses fields
 *   reverse_task.c  parallel loops taken back
 *   reverse_host.c  host code taken back
 *   tape.c          what host code keeps for that
 *   gradient.c      blocks of derivatives of host code, in reverse
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
/* What a call of a function changes but its arguments. */
Effect func_effect(Ad *ad, const Func *f);
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
/* Element number i of an array. */
TExpr *element_number(Ad *ad, TExpr *a, int64_t i);
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
typedef struct Reverse Reverse;
typedef struct {
    Ad *ad;
    Reverse *reverse; /* what the tangents are for, or NULL */
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
/* The tangent of what `place op= operand` makes. */
TExpr *forward_compound(Forward *f, Op op, Dual place, Dual *operand);
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

/* ---- transpose.c ---- */

/* Has it a part that is a tangent, or an adjoint? */
bool has_tangent_in(const Ad *ad, const TExpr *e);
/* Takes a list of statements back: first the values that it computes, then what adds the adjoint of
 * a tangent (or NULL: none) to what that depends on. */
void transpose_begin(Reverse *r, const TStmts *list);
void transpose_end(Reverse *r, const TStmts *list, const TExpr *tangent, TExpr *adjoint);
void transpose_tangent(Reverse *r, const TExpr *tangent, TExpr *adjoint);

/* ---- reverse.c ---- */

/* How the iterations of a parallel loop use a field. */
typedef struct {
    bool is_read, is_stored, is_added;
    bool is_far;           /* some use may be of an element that another iteration uses */
    bool is_called;        /* used by a function that is called */
    bool is_moving;        /* stored at indices that change within an iteration */
    const TExpr *element;  /* one that is used */
    const TExpr *stored;   /* one that is stored */
} FieldUse;

/* What is reversed, and where that goes. A statement becomes two: one for the way ahead, which
 * computes the values that the way back needs, and one for the way back, which begins with the
 * values as the statement found them. */
struct Reverse {
    Forward forward;
    const Func *from;      /* that is read */
    TStmts *top;           /* declarations of what both ways use */
    Map origins;           /* variables that are written: what they stand for */
    bool *is_needed;       /* by id of variables, then of fields: the way back needs the value */
    bool *is_used;         /* the same, of what was seen */
    bool is_trial;         /* only to see what is used */
    bool is_task;          /* an iteration of a parallel loop */
    const TExpr *target;   /* an element that is only stored to */
    bool on_host;
    const TStmt *loop;     /* the parallel one */
    FieldUse *uses;        /* by field */
    Var **held;            /* by field: holds the element that an iteration stores */
    Var **sums;            /* by adjoint: what the iterations add to one that is 0-D */
    bool *has_stored;      /* by field: before the statement at hand */
    Var *result;           /* adjoint of the result */
    const TStmt *block;    /* of the program */
    int extra;             /* variables that stand for results of calls, of host code */
    Reverse *caller;       /* of host code */
    Var *returned;         /* of the caller: what stands for the result */
};

/* Sets where statements go; gives the list before. */
TStmts *reverse_into(Reverse *r, TStmts *list);
void reverse_append(Reverse *r, TStmts *to, const TStmts *from);
/* Adds to a place of an adjoint. */
void reverse_add(Reverse *r, const TExpr *place, TExpr *value);
/* The value of a place of an adjoint, which becomes 0. */
TExpr *reverse_take(Reverse *r, const TExpr *place);
/* Calls the adjoint of a function for a tangent that is a call. */
void reverse_call(Reverse *r, const TStmt *tangent);
/* Refuses a call that reads what was stored before; marks the fields that it stores to. */
void reverse_enter(Reverse *r, const TExpr *call, bool *is_stored);
/* The tangent of a call, and its value. */
Dual reverse_of_call(Reverse *r, const TExpr *e);
/* The element that is held, or NULL. */
TExpr *reverse_held(Reverse *r, const TExpr *e);
void reverse_refuse(Reverse *r, Span at, const char *what, const char *instead);
/* A copy of the value at a place. */
TExpr *reverse_read(Reverse *r, const TExpr *place);
/* Notes the variables that are used. */
void reverse_use(Reverse *r, const TStmts *stmts);
/* Notes what an expression reads, of the function that is read. */
void reverse_use_source(Reverse *r, const TExpr *e);
void reverse_origin(Reverse *r, const Var *made, int id);
bool reverse_needs(const Reverse *r, int id);
/* The number of a field in `is_needed`. */
int field_number(const Reverse *r, const Field *f);
Var *reverse_declare(Reverse *r, const char *name, const Type *type, Span span);
Var *reverse_var(Reverse *r, const Var *v);
bool is_same_index(const TExpr *a, const TExpr *b);
bool is_same_element(const TExpr *a, const TExpr *b);
bool field_is_dense(const Field *f);

/* ---- reverse_stmt.c ---- */

/* Both ways of statements; `back` is NULL for the way ahead alone. */
void reverse_stmts(Reverse *r, const TStmts *stmts, TStmts *ahead, TStmts *back);
void reverse_statement(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back);
/* Copies a value of any type. */
void copy_value(Reverse *r, TExpr *to, TExpr *from);
void keep_place(Reverse *r, TExpr *place, TStmts *ahead, TStmts *back);
void back_assignment(Reverse *r, const TStmt *st, const TExpr *target, Op op, TStmts *back);

/* ---- reverse_loop.c ---- */

void reverse_loop(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back);

/* ---- reverse_need.c ---- */

/* Spreads what is needed to what it is computed from. */
void reverse_spread_needs(Reverse *r, const TStmts *stmts);
/* What is written twice: first to see what the way back uses. */
void reverse_twice(Reverse *r, const TStmts *stmts, void (*write)(Reverse *, const TStmts *));

/* ---- reverse_func.c ---- */

/* The adjoint of a function: its parameters are the values of those of `f`, the adjoint of the
 * result, and the adjoints of the parameters with a '1' in the mask, to which it adds. NULL after a
 * report. */
Func *reverse_func(const Active *from, Func *f, const char *mask, Span at);

/* ---- field_use.c ---- */

/* Fills r->uses for the iterations of a loop; reports what reverse mode does not take back. */
void field_uses(Reverse *r, const TStmt *loop);
/* Marks the fields, by id, that a function reads, and those that it stores or adds to. */
void func_fields(Ad *ad, const Func *f, bool *is_read, bool *is_stored);

/* ---- reverse_task.c ---- */

/* A parallel loop: what it uses from outside, and its kernels. */
typedef struct {
    VEC(const Var *) outer, sums; /* read; accumulated in */
    Func *ahead;                  /* of `outer`, then `sums`; gives sums */
    Func *back;                   /* of `outer`, then adjoints of active sums; gives adjoints of
                                   * active `outer` */
    bool is_idle;                 /* there is nothing to take back */
    const FieldUse *uses;
} TaskLoop;
void task_make(Reverse *host, const TStmt *loop, TaskLoop *t);

/* ---- tape.c, reverse_host.c ---- */

void tape_keep(Reverse *r, TExpr *place);
void tape_take(Reverse *r, TExpr *place);
/* TS_KEEP or TS_TAKE of a whole field. */
TStmt *tape_field(Ad *ad, TStmtKind kind, Field *field, int tape, Span span);
/* The fields whose values the way back reads, by id. */
bool *tape_reads(Ad *ad, const TStmts *back);
/* Leaves out what keeps or gives back other fields; marks those that are kept. */
void tape_drop(const bool *is_read, TStmts *stmts, bool *is_kept);
/* Begins to read host code. */
void host_begin(Reverse *r, Ad *ad, const Func *from, Func *to, Active *active, const TStmt *body);
void host_store(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back);
void host_stmt(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *back);

/* ---- structured.c ---- */

/* The function without break, continue, and return but at its end. */
Func *structured(Ad *ad, Func *f);

/* ---- diff.c, jvp.c ---- */

/* Takes apart each `diff` in a function; false when it is being done: it needs its own. */
bool expand_func(Ad *ad, Func *f);
/* In place of a block of derivatives: statements. */
TStmt *expand_jvp(Ad *ad, Func *f, const TStmt *st);
/* The same of gradient and vjp (gradient.c). */
TStmt *expand_reverse(Ad *ad, Func *f, const TStmt *st);

/* ---- reach.c, hidden.c ---- */

/* Gives an adjoint to each field that a block differentiates; reports what the block cannot hold.
 * True when one has come: what is active has changed. */
/* Is a field the adjoint of one, or of a param? */
bool field_is_adjoint(const Ad *ad, const Field *f);
bool reach_block(Ad *ad, const Func *f, const TStmt *block);
/* The field that lies in another layout where a leaf lies in its own. */
Field *partner_in(const Layout *other, const LeafPlace *leaf);
/* Gives a field an adjoint, unless it has one; true when it did. */
bool hidden_adjoint(Ad *ad, Field *f, Span at);
/* Lays out again what has got adjoints. */
void hidden_place(Ad *ad);
/* The fields that a block names, by id. */
bool *reach_mentioned(Ad *ad, const Func *f, const TStmt *block);
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
