/* Inside of the checks of function bodies: the state of the body being checked, and what its files
 * offer each other.
 *   check/stmt/func.c      functions, instances of generic ones, their bodies
 *   check/stmt/stmt.c      statements          check/stmt/loop.c     loops
 *   check/stmt/reductions.c    variables that a parallel loop shares: reductions
 *   check/stmt/races.c iterations that read what others store, or have negative indices
 *   check/expr/expr.c      expressions         check/expr/index.c    elements, members, places
 *   check/expr/call.c      calls of functions, constructors, casts
 *   check/expr/builtin.c   built-in functions of values
 *   check/expr/special.c   built-in operations on nodes, layouts, files; print and assert
 *   check/expr/convert.c   types of operands, conversions, taking vectors apart
 * Invariant: every expression these return has a type; one of the error type was reported
 * already. */
#ifndef SNL_CHECK_CHECK_FUNC_H
#define SNL_CHECK_CHECK_FUNC_H

#include "check/check.h"

/* A function and what only the checker knows of it. `func` is first: a Func * made by the checker
 * is a FuncInfo *. */
typedef struct {
    Func func;
    const Item *item;
    Scope *scope;      /* of the parameters */
    SymState state;    /* of the body */
    bool auto_result;  /* the first return decides */
    bool auto_known;
    bool return_lost;  /* one with an error was left out: what the body returns is not known */
    int depth;         /* of instantiation */
    Span caller;       /* of an instance: the call that it was made for */
} FuncInfo;

typedef struct Loop {
    struct Loop *outer;
    TStmt *stmt;
} Loop;

/* One use of a kernel-level variable inside the parallel loop being checked. */
typedef struct {
    Var *var;
    bool accumulates;
    AtomicOp op;
    TStmt *stmt;       /* the compound assignment, or NULL */
    TStmt *assign;     /* any other assignment to the whole variable, or NULL */
    const Stmt *source; /* of that */
    TExpr *atomic;     /* the atomic operation whose value is not used, or NULL */
} Use;

typedef struct FuncState {
    FuncInfo *info;
    Func *func;
    TStmts *out;       /* where statements go; temporaries of an expression go here before its
                        * statement */
    Loop *loop;        /* innermost run-time loop */
    TStmt *parallel;   /* parallel loop around, or NULL */
    bool top;          /* at the top level of a kernel: loops here are parallel */
    const Names *bounding; /* variables of the loop whose ranges are looked at, or NULL */
    const Expr *blocking; /* the condition because of which loops here are not, or NULL */
    VEC(Use) uses;     /* of kernel-level variables in `parallel` */
    TStmts behind;     /* to be added after that loop */
    VEC(Symbol *) locals; /* declared by statements, for W0201 */
    bool left_out;     /* a branch of a static if was not looked at */
    bool never;        /* in code that a constant condition keeps from running */
    const Stmt *derive; /* block of derivatives around, or NULL */
    const Expr *measure; /* in a benchmark: the condition of the while that measures */
    bool may_measure;  /* that condition is being checked */
} FuncState;

/* tx.c: typed expressions; what makes them of others is in check/expr/convert.c. */
TExpr *tx_new(Checker *k, TExprKind kind, const Type *type, Span span);
TExpr *tx_error(Checker *k, Span span);
TExpr *tx_value(Checker *k, Span span, Value v);
TExpr *tx_var(Checker *k, Var *v, Span span);
bool tx_is_error(const TExpr *e);
/* Reports a value that a function without result does not give. */
bool has_value(Checker *k, const TExpr *e);
/* The variable, field … at the root of a place; NULL when e is no place. */
const TExpr *place_root(const TExpr *e);

/* build.c */
/* True in host functions, main, tests and benchmarks. */
bool in_host(const Checker *k);
/* E0503 in kernels and functions: `what` belongs to host code. False after the report. */
bool require_host(Checker *k, Span at, const char *what);
/* E0305 unless the number of arguments is in the range. */
bool check_count(Checker *k, const Expr *call, const char *name, int least, int most);
/* A new variable; the same of the function being checked. */
Var *func_new_var(Checker *k, VarKind kind, const char *name, const Type *type, Span span);
Var *func_var(Checker *k, VarKind kind, const char *name, const Type *type, Span span);
/* Adds a variable to a function. */
void func_add_var(Checker *k, Func *f, Var *v);
/* A new statement; stmt_add appends it to the current list. */
TStmt *stmt_new(Checker *k, TStmtKind kind, Span span);
void stmt_add(Checker *k, TStmt *st);
/* A block statement around a list. */
TStmt *stmt_block(Checker *k, Span span, TStmts stmts);

/* check/stmt/func.c */
/* The function a symbol means when nothing of it is generic; NULL for a generic one. */
Func *func_of_symbol(Checker *k, Symbol *sym);
/* True when a parameter takes a field, a node or any type. */
bool func_is_generic(const Item *item);
/* E0313 and E0315 for parameters and the result of an extern function that C has not. */
void check_extern_types(Checker *k, const Item *item);
/* A call of a user's function: finds or makes the instance, converts the arguments. */
TExpr *check_user_call(Checker *k, Scope *s, const Expr *e, Symbol *sym);

/* check/stmt/stmt.c */
/* A block, or a single statement, in a scope of its own. */
TStmt *check_branch(Checker *k, Scope *s, const Stmt *branch);
/* The statements of a block or a single statement into `out`; the scope is the one to declare
 * in. */
void check_stmts(Checker *k, Scope *s, const Stmt *block, TStmts *out);
/* The type of a declaration; computing nothing for typeof. */
const Type *check_local_type(Checker *k, Scope *s, const TypeExpr *t);
/* Declares a variable of the function being checked. */
Var *declare_var(Checker *k, Scope *s, VarKind kind, Name name, const Type *type);
/* One statement into the current list. */
void check_stmt(Checker *k, Scope *s, const Stmt *st);
/* True when control cannot reach the end of the list. */
bool stmts_end(const TStmts *stmts);

/* host/derive.c */
void check_derive(Checker *k, Scope *s, const Stmt *st);

/* check/stmt/loop.c */
void check_for(Checker *k, Scope *s, const Stmt *st);
void check_while(Checker *k, Scope *s, const Stmt *st);
void check_break(Checker *k, const Stmt *st);
/* True when the condition is the same for the whole kernel: only arguments never assigned so far,
 * params, constants. */
bool is_uniform(const TExpr *e);

/* check/stmt/reductions.c */
/* Notes a use of a variable, when it is one that a parallel loop shares. */
void use_var(Checker *k, Var *v);
/* How many uses have been noted. */
int use_count(const Checker *k);
/* The use of the variable that `place` is, or whose member or component it is, else NULL; `before`:
 * how many had been noted when the check of it began. Stays valid until the next one. */
Use *use_of_place(Checker *k, TExpr *place, int before);
/* The value of an atomic operation is not used: it may be an accumulation. */
void use_unused_atomic(Checker *k, const TExpr *atomic);
/* The operation of a reduction by op=, false when there is none. */
bool reduction_of(Op op, AtomicOp *out);
/* True when other iterations of the parallel loop around may reach the place. */
bool place_is_shared(const Checker *k, const TExpr *place);
/* Notes which inout parameters get, by a call, what other iterations reach. */
void note_reached(Checker *k, const Func *f, const TExprs *args);
/* After a parallel loop: its reductions, and what else it shares. */
void finish_uses(Checker *k, TStmt *loop);

/* check/stmt/inout_moves.c */
/* Notes which layouts a statement moves to other memory. */
void note_moves(Checker *k, const TStmt *st);
/* Notes a call, if it is of a host function. */
void note_host_call(Checker *k, const TExpr *call);

/* check/stmt/races.c */
/* Warns where iterations of a parallel loop read an element that another one stores to, or have an
 * index that is negative at the edge. */
void warn_iteration(Checker *k, const TStmt *loop);
/* A loop over constant ranges of one number: no other iteration runs beside it. */
bool loop_runs_once(const TStmt *loop);

/* check/expr/index.c */
TExpr *check_name(Checker *k, Scope *s, const Expr *e, const Type *want);
TExpr *check_index(Checker *k, Scope *s, const Expr *e);
TExpr *check_member(Checker *k, Scope *s, const Expr *e);
/* Checks index expressions: vectors taken apart, all i32 or i64. False after a report. */
bool check_indices(Checker *k, Scope *s, const Exprs *args, TExprs *out);
/* Reports E0308 when e cannot be assigned; marks the variable as assigned. */
bool check_assignable(Checker *k, TExpr *e, const char *what);
/* The symbol a plain or numbered name, possibly followed by [], means; NULL when e is none. */
Symbol *named_symbol(Checker *k, Scope *s, const Expr *e);
/* The element of a field without axes. */
TExpr *field_without_index(Checker *k, const Expr *e, Field *f);
/* The field e names, with or without []; NULL and no report when it names none. */
Field *named_field(Checker *k, Scope *s, const Expr *e, bool *failed);
/* The node e names, the same way. */
Node *named_node(Checker *k, Scope *s, const Expr *e, bool *failed);

/* check/expr/expr.c */
/* How far the type of e is open: 0 fixed, 1 takes the type asked for, 2 an untyped constant. */
int expr_openness(Checker *k, Scope *s, const Expr *e);
/* Checks operands of which each may take its type from the others; `want` as in check_expr. */
void check_together(Checker *k, Scope *s, const Exprs *es, const Type *want, TExpr **out);
/* True when the operator takes the operand, else E0302. */
bool operator_takes(Checker *k, Op op, const TExpr *e);
/* Says so where a constant index of something with `count` elements along an axis (0: not known
 * yet) is no index of it; false for an error. */
bool check_constant_index(Checker *k, const TExpr *index, const char *name, int64_t first,
                          int64_t count, int axis);
/* Warns of a second operand of something of `type` that is a constant which --check would
 * refuse. */
void check_second_operand(Checker *k, Op op, const Type *type, const TExpr *b);
/* True when a condition is a constant other than `value`. */
bool is_never(const TExpr *cond, bool value);
/* Checks an expression whose temporaries must not be computed unless it is: they go to `own`;
 * never: it never is. */
TExpr *check_aside(Checker *k, Scope *s, const Expr *e, const Type *want, TStmts *own, bool never);
/* A condition: scalar bool, else E0304. */
TExpr *check_condition(Checker *k, Scope *s, const Expr *e);

/* check/expr/convert.c */
TExpr *tx_integer(Checker *k, Span span, Scalar s, int64_t i);
TExpr *tx_binary(Checker *k, Op op, const Type *type, TExpr *a, TExpr *b);
TExpr *tx_unary(Checker *k, Op op, TExpr *a);
TExpr *tx_cast(Checker *k, TExpr *e, const Type *type, Span span);
/* A cast that the program asks for: where it changes nothing, e itself, with the span of the cast
 * and no place any more. */
TExpr *tx_explicit_cast(Checker *k, TExpr *e, const Type *type, Span span);
TExpr *tx_splat(Checker *k, TExpr *e, const Type *type);
TExpr *tx_make(Checker *k, const Type *type, TExprs args, Span span);
/* Component number i of a vector or matrix that is stable. */
TExpr *tx_component(Checker *k, TExpr *v, int i);
/* v itself when its components can be taken apart at no cost and without repeating an effect, else
 * a temporary that holds it. */
TExpr *tx_stable(Checker *k, TExpr *v);
/* A temporary variable that holds e, declared before the statement. */
TExpr *tx_temporary(Checker *k, TExpr *e);

/* check/expr/products.c: is what so many products of components of that type make looked at for
 * overflow? Then these take it apart. */
bool products_are_checked(const Checker *k, const Type *t, int products);
/* b NULL: of a with itself; of all elements of matrices. */
TExpr *tx_dot(Checker *k, TExpr *a, TExpr *b);
TExpr *tx_cross(Checker *k, TExpr *a, TExpr *b);
TExpr *tx_outer(Checker *k, const Type *type, TExpr *a, TExpr *b);
TExpr *tx_trace(Checker *k, TExpr *a);
/* a @ b */
TExpr *tx_product(Checker *k, const Type *type, TExpr *a, TExpr *b);
/* True when evaluating e twice does nothing and costs little. */
bool tx_is_cheap(const TExpr *e);
/* The common scalar type of two, false when they do not mix. */
bool promote_scalars(Scalar a, Scalar b, Scalar *out);
/* Brings both to one type, scalars spread. Reports E0302, E0303; `want` as in check_expr. */
bool promote(Checker *k, Span at, const char *op, const Type *want, TExpr **a, TExpr **b);
/* Brings both to one shape, component types stay. */
bool spread(Checker *k, Span at, const char *op, TExpr **a, TExpr **b);

/* check/expr/call.c */
TExpr *check_call(Checker *k, Scope *s, const Expr *e, const Type *want);
/* check/expr/builtin.c: NULL when the name is no built-in function of values. */
TExpr *check_builtin(Checker *k, Scope *s, const Expr *e, const char *name, const Type *want);
/* The class letter of a built-in by name ('F', 'N' …), 0 when there is none. */
char builtin_class(const char *name);
/* The built-in of a name, BUILTIN_COUNT when there is none. */
Builtin builtin_find(const char *name);
/* bitcast_TYPE and identity_TYPE: the type the name ends in, NULL when it has not that form. */
const Type *type_after(Checker *k, const char *name, const char *prefix);

/* check/expr/special.c: NULL when the name is no special operation. What has no value adds its
 * statement and gives a void expression. */
TExpr *check_special(Checker *k, Scope *s, const Expr *e, const char *name);
/* An atomic on a vector as one on each component. Its values come apart. */
TExpr *split_atomic(Checker *k, TExpr *t);
/* check/host/host.c: operations of host code, called through the table of check/expr/special.c. */
TExpr *check_fill(Checker *k, Scope *s, const Expr *e);
TExpr *check_copy(Checker *k, Scope *s, const Expr *e);
TExpr *check_swap(Checker *k, Scope *s, const Expr *e);
TExpr *check_save(Checker *k, Scope *s, const Expr *e);
TExpr *check_load(Checker *k, Scope *s, const Expr *e);
TExpr *check_image(Checker *k, Scope *s, const Expr *e);
TExpr *check_clock(Checker *k, Scope *s, const Expr *e);
TExpr *check_measure(Checker *k, Scope *s, const Expr *e);
TExpr *check_memory(Checker *k, Scope *s, const Expr *e);
TExpr *check_active(Checker *k, Scope *s, const Expr *e);
TExpr *check_format_call(Checker *k, Scope *s, const Expr *e);
/* An expression without value, after its statement was added. */
TExpr *tx_void(Checker *k, Span span);
/* layout/adjoint.c: grad(x), the adjoint of a field or param; failed after a report. */
bool is_grad_call(const Scope *s, const Expr *e);
Field *field_of_grad(Checker *k, Scope *s, const Expr *e, bool *failed);
TExpr *check_grad(Checker *k, Scope *s, const Expr *e);
/* expr/diff.c: derivatives */
TExpr *check_diff(Checker *k, Scope *s, const Expr *e);
TExpr *check_stop(Checker *k, Scope *s, const Expr *e);
/* check/layout/node.c: operations on cells */
TExpr *check_activate(Checker *k, Scope *s, const Expr *e);
TExpr *check_deactivate(Checker *k, Scope *s, const Expr *e);
TExpr *check_deactivate_all(Checker *k, Scope *s, const Expr *e);
TExpr *check_is_active(Checker *k, Scope *s, const Expr *e);
TExpr *check_length(Checker *k, Scope *s, const Expr *e);
TExpr *check_append(Checker *k, Scope *s, const Expr *e);
TExpr *check_extent(Checker *k, Scope *s, const Expr *e);
TExpr *check_axes(Checker *k, Scope *s, const Expr *e);
TExpr *check_offset(Checker *k, Scope *s, const Expr *e);
TExpr *check_rescale(Checker *k, Scope *s, const Expr *e);
/* A label without coordinates, `b` or `b[]`; NULL after a report. */
Node *check_label(Checker *k, Scope *s, const Expr *e);
/* A label with coordinates: `b[i, j]`, or `b` where there are none. own_axis: false leaves out the
 * axis of a dynamic node itself. */
Node *check_cell(Checker *k, Scope *s, const Expr *e, bool own_axis, TExprs *coords);
/* Axes of the path of a node in ascending order; returns their number. */
int node_path_axes(const Node *n, int axes[AXIS_MAX]);
/* E0408 when the offset of the fields below does not fit the cells of a node that is used by its
 * label. */
bool check_label_offset(Checker *k, const Node *n, Span at);
/* i64 when coordinates of the axis need it, else i32. */
Scalar node_axis_scalar(const Node *n, int axis);
Scalar field_axis_scalar(const Field *f, int index);

/* check/expr/format.c */
/* The source of a format of C ("%d") as one of ours, *found its conversions; NULL where that is not
 * sure. */
const char *format_of_c(Checker *k, const Expr *format, int *found);
/* Checks a format string against its arguments (E0314). */
bool check_format(Checker *k, const Expr *format, const TExprs *args);

/* fma.c */
/* True if a + or - of these operands is a fused multiply-add. */
bool is_fused(const Checker *k, Op op, const Type *type, const TExpr *a, const TExpr *b);
/* a * b + c as one operation, when that is asked for; else the sum or difference. */
TExpr *fuse(Checker *k, Op op, const Type *type, TExpr *a, TExpr *b);
/* The value that makes `v op= value` with a product one fused assignment, or NULL. */
TExpr *fuse_update(Checker *k, Op op, TExpr *target, TExpr *value);

#endif
