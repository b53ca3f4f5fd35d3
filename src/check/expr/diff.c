/* diff(e, v) and stop(e). What derivatives are made of is decided in src/ad, when the bodies of all
 * functions are known. */
#include "config.h"

#include "check/check_func.h"

/* ---- diff ---- */

static bool
expr_names(const TExpr *e, const Var *v)
{
    if (!e)
        return false;
    if (e->kind == TX_VAR && e->var == v)
        return true;
    for (int i = 0; i < e->args.count; i++)
        if (expr_names(e->args.items[i], v))
            return true;
    return expr_names(e->a, v) || expr_names(e->b, v) || expr_names(e->c, v);
}

/* Does a statement that computes a part of an expression name the variable? */
static bool
stmt_names(const TStmt *st, const Var *v)
{
    if (!st)
        return false;
    for (int i = 0; i < st->stmts.count; i++)
        if (stmt_names(st->stmts.items[i], v))
            return true;
    return expr_names(st->value, v) || expr_names(st->target, v) || stmt_names(st->body, v) ||
           stmt_names(st->orelse, v) || (st->kind == TS_DIFF && st->var == v);
}

/* The variable that is the second argument; NULL after a report. */
static Var *
diff_variable(Checker *k, Scope *s, const Expr *e)
{
    const TExpr *t = check_expr(k, s, e, NULL);
    if (!has_value(k, t))
        return NULL;
    const Var *v = t->kind == TX_VAR && !t->is_value ? t->var : NULL;
    if (!v || v->kind == VAR_INDEX || v->mode != PARAM_VALUE) {
        Diag *d = diag(k->c, E0701, e->span,
                       "'diff' takes a derivative with respect to a variable or a value parameter");
        if (place_root(t) && place_root(t)->kind == TX_FIELD)
            diag_fix(d, "let v = %s; diff(…, v)", source_text(k, e->span));
        return NULL;
    }
    if (type_is_float(v->type))
        return t->var;
    diag(k->c, E0701, e->span,
         "'diff' is with respect to a float, or a vector or matrix of floats; '%s' is %s", v->name,
         v->type->name);
    return NULL;
}

static bool
is_differentiable(Checker *k, const TExpr *e)
{
    if (!has_value(k, e))
        return false;
    if (type_is_float(e->type) && e->type->kind == TYPE_SCALAR)
        return true;
    Diag *d = diag(k->c, E0701, e->span, "'diff' takes the derivative of one float, this is %s",
                   e->type->name);
    if (type_is_float(e->type))
        diag_fix(d, "one component after the other");
    return false;
}

TExpr *
check_diff(Checker *k, Scope *s, const Expr *e)
{
    if (!check_count(k, e, "'diff'", 2, 2))
        return tx_error(k, e->span);
    TStmt *st = stmt_new(k, TS_DIFF, e->span);
    st->value = check_aside(k, s, e->args.items[0], NULL, &st->stmts, false);
    st->var = diff_variable(k, s, e->args.items[1]);
    if (!is_differentiable(k, st->value) || !st->var)
        return tx_error(k, e->span);
    bool is_named = expr_names(st->value, st->var);
    for (int i = 0; i < st->stmts.count; i++)
        is_named = is_named || stmt_names(st->stmts.items[i], st->var);
    if (!is_named) {
        diag(k->c, E0701, st->value->span,
             "this does not name '%s': its derivative would be 0 everywhere", st->var->name);
        return tx_error(k, e->span);
    }
    Value zero = {st->var->type, ARENA_ARRAY(k->c->arena, Leaf, st->var->type->leaf_count)};
    TExpr *result = tx_temporary(k, tx_value(k, e->span, zero));
    result->var->is_let = false;
    result->var->is_mutable = true;
    st->target = result;
    stmt_add(k, st);
    return tx_var(k, result->var, e->span);
}

/* ---- stop ---- */

TExpr *
check_stop(Checker *k, Scope *s, const Expr *e)
{
    if (!check_count(k, e, "'stop'", 1, 1))
        return tx_error(k, e->span);
    TExpr *value = check_expr(k, s, e->args.items[0], NULL);
    if (!has_value(k, value))
        return tx_error(k, e->span);
    if (!type_is_arith(value->type) && value->type->kind != TYPE_STRUCT) {
        diag(k->c, E0313, e->span, "'stop' takes a value, not %s", value->type->name);
        return tx_error(k, e->span);
    }
    TExpr *result = tx_temporary(k, value);
    result->var->is_stopped = true;
    return result;
}
