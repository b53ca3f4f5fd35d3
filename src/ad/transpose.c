/* Reverse mode of expressions: forward mode computes a tangent by statements that are linear in
 * tangents; here they are transposed. Each variable that held a tangent holds an adjoint instead:
 * `t = a * dx` becomes `dx += a * t`, from the last statement to the first. So every rule is
 * written once, in forward mode. */
#include "config.h"

#include "ad/inside.h"

static void transpose_expr(Reverse *r, const TExpr *e, TExpr *adjoint);

/* ---- what is a tangent ---- */

static bool
any_tangent(const Ad *ad, const TExprs *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i] && has_tangent_in(ad, list->items[i]))
            return true;
    return false;
}

bool
has_tangent_in(const Ad *ad, const TExpr *e)
{
    if (!e)
        return false;
    switch (e->kind) {
    case TX_VAR: return e->var->is_tangent;
    case TX_FIELD: return field_is_adjoint(ad, e->field);
    case TX_CALL: return any_tangent(ad, &e->values);
    case TX_CONST: return false;
    default:
        return has_tangent_in(ad, e->a) || has_tangent_in(ad, e->b) || has_tangent_in(ad, e->c) ||
               any_tangent(ad, &e->args);
    }
}

/* Marks variables that hold tangents; true when one was not marked before. */
static bool
mark_tangents(const Ad *ad, const TStmts *stmts)
{
    bool changed = false;
    for (int i = 0; i < stmts->count; i++) {
        const TStmt *st = stmts->items[i];
        Var *v = st->kind == TS_DECL     ? st->var
                 : st->kind == TS_ASSIGN ? root_of(st->target)->var
                                         : NULL;
        if (v && !v->is_tangent && has_tangent_in(ad, st->value))
            changed = v->is_tangent = true;
        if (st->body)
            changed |= mark_tangents(ad, &st->body->stmts);
        if (st->orelse)
            changed |= mark_tangents(ad, &st->orelse->stmts);
    }
    return changed;
}

static bool
sets_tangent(const TStmt *st)
{
    return st->kind == TS_DECL     ? st->var->is_tangent
           : st->kind == TS_ASSIGN ? root_of(st->target)->var->is_tangent
                                   : false;
}

static bool
holds(const TStmts *stmts, bool tangents)
{
    for (int i = 0; i < stmts->count; i++) {
        const TStmt *st = stmts->items[i];
        if (st->kind == TS_IF
                ? holds(&st->body->stmts, tangents) || holds(&st->orelse->stmts, tangents)
                : sets_tangent(st) == tangents)
            return true;
    }
    return false;
}

/* ---- adding ---- */

static TExpr *
keep(Reverse *r, TExpr *e)
{
    return forward_keep(&r->forward, e);
}

static TExpr *
scale(Reverse *r, TExpr *adjoint, TExpr *by)
{
    return keep(r, new_product(r->forward.ad, adjoint, by));
}

static TExpr *
transposed_matrix(Ad *ad, TExpr *m)
{
    const Type *t = m->type;
    return new_call(ad, BUILTIN_TRANSPOSE, type_matrix(ad->p->types, t->scalar, t->cols, t->rows),
                    m, NULL);
}

static TExpr *
product_of(Ad *ad, const Type *type, TExpr *a, TExpr *b)
{
    TExpr *e = new_binary(ad, OP_MATMUL, a, b);
    e->type = type;
    return e;
}

static TExpr *
outer_product(Ad *ad, const Type *type, TExpr *a, TExpr *b)
{
    return new_call(ad, BUILTIN_OUTER, type, a, b);
}

/* ---- parts ---- */

/* Adds to a part of something that is no place: by a variable that holds the adjoint of all. */
static void
transpose_part(Reverse *r, const TExpr *e, TExpr *adjoint)
{
    Ad *ad = r->forward.ad;
    Var *whole = forward_var(&r->forward, VAR_LOCAL, "w", e->a->type, e->span);
    whole->is_mutable = true;
    forward_declare(&r->forward, whole, new_zero(ad, whole->type, e->span), e->span);
    TExpr *part = ARENA_NEW(ad->c->bodies, TExpr);
    *part = *e;
    part->a = new_use(ad, whole, e->span);
    reverse_add(r, part, adjoint);
    transpose_expr(r, e->a, new_use(ad, whole, e->span));
}

static void
transpose_make(Reverse *r, const TExpr *e, TExpr *adjoint)
{
    Ad *ad = r->forward.ad;
    for (int i = 0; i < e->args.count; i++) {
        TExpr *part = e->type->kind == TYPE_STRUCT  ? new_member(ad, adjoint, i)
                      : e->type->kind == TYPE_ARRAY ? element_number(ad, adjoint, i)
                                                    : new_component(ad, adjoint, i);
        transpose_expr(r, e->args.items[i], part);
    }
}

/* ---- operators ---- */

/* Of a matrix times a matrix or vector: to the one that is a tangent. */
static void
transpose_matmul(Reverse *r, const TExpr *e, TExpr *g)
{
    Ad *ad = r->forward.ad;
    const bool is_left = has_tangent_in(ad, e->a);
    TExpr *to = is_left ? e->a : e->b, *other = is_left ? e->b : e->a, *add;
    if (is_left && g->type->kind == TYPE_VECTOR)
        add = outer_product(ad, to->type, g, other);
    else if (is_left)
        add = product_of(ad, to->type, g, transposed_matrix(ad, other));
    else if (other->type->kind == TYPE_VECTOR)
        add = outer_product(ad, to->type, other, g);
    else
        add = product_of(ad, to->type, transposed_matrix(ad, other), g);
    transpose_expr(r, to, keep(r, add));
}

static void
transpose_binary(Reverse *r, const TExpr *e, TExpr *g)
{
    Ad *ad = r->forward.ad;
    const bool is_left = has_tangent_in(ad, e->a);
    switch ((int)e->op) {
    case OP_ADD:
        transpose_expr(r, e->a, g);
        transpose_expr(r, e->b, g);
        break;
    case OP_SUB:
        transpose_expr(r, e->a, g);
        if (has_tangent_in(ad, e->b))
            transpose_expr(r, e->b, keep(r, new_unary(ad, OP_NEG, g)));
        break;
    case OP_MUL:
        transpose_expr(r, is_left ? e->a : e->b, scale(r, g, is_left ? e->b : e->a));
        break;
    case OP_DIV: transpose_expr(r, e->a, keep(r, new_binary(ad, OP_DIV, g, e->b))); break;
    default: transpose_matmul(r, e, g); break;
    }
}

static void
transpose_fma(Reverse *r, const TExpr *e, TExpr *g)
{
    Ad *ad = r->forward.ad;
    if (has_tangent_in(ad, e->a))
        transpose_expr(r, e->a, scale(r, g, e->b));
    else if (has_tangent_in(ad, e->b))
        transpose_expr(r, e->b, scale(r, g, e->a));
    transpose_expr(r, e->c, g);
}

static TStmt *
transposed_block(Reverse *r, const TExpr *e, TExpr *adjoint)
{
    TStmt *block = new_stmt(r->forward.ad, TS_BLOCK, e->span);
    TStmts *outer = r->forward.out;
    r->forward.out = &block->stmts;
    transpose_expr(r, e, adjoint);
    r->forward.out = outer;
    return block;
}

/* Only the side that was taken: what the other is divided by may be 0. */
static void
transpose_cond(Reverse *r, const TExpr *e, TExpr *g)
{
    TStmt *st = new_stmt(r->forward.ad, TS_IF, e->span);
    st->value = e->a;
    st->body = transposed_block(r, e->b, g);
    st->orelse = transposed_block(r, e->c, g);
    forward_emit(&r->forward, st);
}

/* The sum of all components. */
static TExpr *
component_sum(Ad *ad, TExpr *v)
{
    TExpr *sum = new_component(ad, v, 0);
    for (int i = 1; i < v->type->leaf_count; i++)
        sum = new_sum(ad, sum, new_component(ad, v, i));
    return sum;
}

/* ---- functions that are linear in an argument ---- */

static void
transpose_cross(Reverse *r, const TExpr *e, bool is_first, TExpr *g)
{
    Ad *ad = r->forward.ad;
    TExpr *to = e->args.items[is_first ? 0 : 1], *other = e->args.items[is_first ? 1 : 0], *add;
    add = is_first ? new_call(ad, BUILTIN_CROSS, to->type, other, g)
                   : new_call(ad, BUILTIN_CROSS, to->type, g, other);
    transpose_expr(r, to, keep(r, add));
}

static void
transpose_outer(Reverse *r, const TExpr *e, bool is_first, TExpr *g)
{
    Ad *ad = r->forward.ad;
    TExpr *to = e->args.items[is_first ? 0 : 1], *other = e->args.items[is_first ? 1 : 0];
    TExpr *m = is_first ? g : keep(r, transposed_matrix(ad, g));
    transpose_expr(r, to, keep(r, product_of(ad, to->type, m, other)));
}

static void
transpose_trace(Reverse *r, const TExpr *e, TExpr *g)
{
    Ad *ad = r->forward.ad;
    const Type *t = e->args.items[0]->type;
    TExprs parts = {0};
    for (int i = 0; i < t->leaf_count; i++)
        vec_push(ad->c->arena, &parts,
                 i % (t->cols + 1) ? new_zero(ad, scalar_of(ad, t), e->span) : g);
    transpose_expr(r, e->args.items[0], keep(r, new_make(ad, t, parts, e->span)));
}

static void
transpose_builtin(Reverse *r, const TExpr *e, TExpr *g)
{
    Ad *ad = r->forward.ad;
    const bool is_first = has_tangent_in(ad, e->args.items[0]);
    TExpr *to = e->args.items[is_first ? 0 : 1],
          *other = e->args.items[is_first ? e->args.count - 1 : 0];
    switch ((int)e->builtin) {
    case BUILTIN_DOT: transpose_expr(r, to, scale(r, new_splat(ad, to->type, g), other)); break;
    case BUILTIN_CROSS: transpose_cross(r, e, is_first, g); break;
    case BUILTIN_OUTER: transpose_outer(r, e, is_first, g); break;
    case BUILTIN_TRANSPOSE: transpose_expr(r, to, keep(r, transposed_matrix(ad, g))); break;
    case BUILTIN_TRACE: transpose_trace(r, e, g); break;
    case BUILTIN_SOLVE:
        transpose_expr(
            r, to, keep(r, new_call(ad, BUILTIN_SOLVE, to->type, transposed_matrix(ad, other), g)));
        break;
    default: reverse_refuse(r, e->span, "a tangent that is not linear", NULL);
    }
}

/* ---- all of them ---- */

/* Adds to everything that a tangent depends on the adjoint of the tangent, which may be used
 * several times. */
static void
transpose_expr(Reverse *r, const TExpr *e, TExpr *g)
{
    Ad *ad = r->forward.ad;
    if (!has_tangent_in(ad, e))
        return;
    switch ((int)e->kind) {
    case TX_VAR:
    case TX_FIELD: reverse_add(r, e, g); break;
    case TX_ELEM:
    case TX_MEMBER:
    case TX_SWIZZLE:
        if (root_of(e))
            reverse_add(r, e, g);
        else
            transpose_part(r, e, g);
        break;
    case TX_UNARY: transpose_expr(r, e->a, keep(r, new_unary(ad, OP_NEG, g))); break;
    case TX_CAST: transpose_expr(r, e->a, keep(r, new_cast(ad, e->a->type, g))); break;
    case TX_SPLAT: transpose_expr(r, e->a, keep(r, component_sum(ad, g))); break;
    case TX_BINARY: transpose_binary(r, e, g); break;
    case TX_FMA: transpose_fma(r, e, g); break;
    case TX_COND: transpose_cond(r, e, g); break;
    case TX_MAKE: transpose_make(r, e, g); break;
    case TX_BUILTIN: transpose_builtin(r, e, g); break;
    default: reverse_refuse(r, e->span, "a tangent that is not linear", NULL);
    }
}

/* ---- statements ---- */

static void transpose_list(Reverse *r, const TStmts *list);

/* The values that a list computes, without its tangents. */
static void
emit_values(Reverse *r, const TStmts *list)
{
    Ad *ad = r->forward.ad;
    for (int i = 0; i < list->count; i++) {
        TStmt *st = list->items[i];
        if (st->kind != TS_IF) {
            if (!sets_tangent(st))
                forward_emit(&r->forward, st);
            continue;
        }
        if (!holds(&st->body->stmts, false) && !holds(&st->orelse->stmts, false))
            continue;
        TStmt *made = new_stmt(ad, TS_IF, st->span), **sides[] = {&made->body, &made->orelse};
        TStmts *outer = r->forward.out;
        made->value = st->value;
        for (int side = 0; side < 2; side++) {
            *sides[side] = new_stmt(ad, TS_BLOCK, st->span);
            r->forward.out = &(*sides[side])->stmts;
            emit_values(r, side ? &st->orelse->stmts : &st->body->stmts);
        }
        r->forward.out = outer;
        forward_emit(&r->forward, made);
    }
}

/* What held tangents holds adjoints, which are 0 at first. */
static void
declare_adjoints(Reverse *r, const TStmts *list)
{
    for (int i = 0; i < list->count; i++) {
        const TStmt *st = list->items[i];
        if (st->kind != TS_DECL || !st->var->is_tangent)
            continue;
        st->var->is_let = false;
        st->var->is_mutable = true;
        forward_declare(&r->forward, st->var, new_zero(r->forward.ad, st->var->type, st->span),
                        st->span);
    }
}

static void
transpose_if(Reverse *r, const TStmt *st)
{
    Ad *ad = r->forward.ad;
    if (!holds(&st->body->stmts, true) && !holds(&st->orelse->stmts, true))
        return;
    TStmt *made = new_stmt(ad, TS_IF, st->span), **sides[] = {&made->body, &made->orelse};
    TStmts *outer = r->forward.out;
    made->value = st->value;
    for (int side = 0; side < 2; side++) {
        const TStmts *list = side ? &st->orelse->stmts : &st->body->stmts;
        *sides[side] = new_stmt(ad, TS_BLOCK, st->span);
        r->forward.out = &(*sides[side])->stmts;
        transpose_list(r, list);
    }
    r->forward.out = outer;
    forward_emit(&r->forward, made);
}

static void
transpose_stmt(Reverse *r, const TStmt *st)
{
    Ad *ad = r->forward.ad;
    if (st->kind == TS_IF) {
        transpose_if(r, st);
    } else if (sets_tangent(st) && st->kind == TS_DECL && st->value->kind == TX_CALL) {
        reverse_call(r, st);
    } else if (sets_tangent(st) && st->kind == TS_DECL) {
        transpose_expr(r, st->value, new_use(ad, st->var, st->span));
    } else if (sets_tangent(st)) {
        transpose_expr(r, st->value, reverse_take(r, st->target));
    }
}

static void
transpose_list(Reverse *r, const TStmts *list)
{
    emit_values(r, list);
    declare_adjoints(r, list);
    for (int i = list->count - 1; i >= 0; i--)
        transpose_stmt(r, list->items[i]);
}

void
transpose_begin(Reverse *r, const TStmts *list)
{
    while (mark_tangents(r->forward.ad, list)) {
    }
    emit_values(r, list);
    declare_adjoints(r, list);
}

void
transpose_end(Reverse *r, const TStmts *list, const TExpr *tangent, TExpr *adjoint)
{
    if (tangent)
        transpose_expr(r, tangent, keep(r, adjoint));
    for (int i = list->count - 1; i >= 0; i--)
        transpose_stmt(r, list->items[i]);
}

void
transpose_tangent(Reverse *r, const TExpr *tangent, TExpr *adjoint)
{
    transpose_expr(r, tangent, adjoint);
}
