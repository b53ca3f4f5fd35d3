/* Forward mode of statements: before each statement the one that computes the tangent of what it
 * changes. */
#include "config.h"

#include "ad/inside.h"

static void forward_stmt(Forward *f, const TStmt *st);

/* ---- variables ---- */

Var *
forward_make_var(Forward *f, const Var *v)
{
    Ad *ad = f->ad;
    Var *made = ARENA_NEW(ad->c->arena, Var);
    *made = *v;
    made->id = f->to->vars.count;
    made->given_to.items = NULL;
    made->given_to.count = made->given_to.room = 0;
    vec_push(ad->c->arena, &f->to->vars, made);
    f->values[v->id] = made;
    if (!f->active->is_active[v->id] || v->is_stopped)
        return made;
    Var *tangent = ARENA_NEW(ad->c->arena, Var);
    *tangent = *made;
    tangent->id = f->to->vars.count;
    tangent->name = intern_str(ad->c->intern, arena_printf(ad->c->arena, "d%s", v->name));
    tangent->no_init = false;
    vec_push(ad->c->arena, &f->to->vars, tangent);
    f->tangents[v->id] = tangent;
    return made;
}

/* ---- statements ---- */

void
forward_declare(Forward *f, Var *v, TExpr *value, Span span)
{
    TStmt *st = new_stmt(f->ad, TS_DECL, span);
    st->var = v;
    st->value = value;
    forward_emit(f, st);
}

static void
forward_decl(Forward *f, const TStmt *st)
{
    Ad *ad = f->ad;
    Dual d = {NULL, NULL};
    f->is_stopped = st->var->is_stopped;
    if (st->value)
        d = f->is_stopped ? (Dual){forward_value(f, st->value), NULL} : forward_expr(f, st->value);
    f->is_stopped = false;
    Var *v = forward_make_var(f, st->var), *tangent = f->tangents[st->var->id];
    if (tangent)
        forward_declare(f, tangent,
                        d.tangent ? d.tangent : new_zero(ad, tangent->type, st->span), st->span);
    forward_declare(f, v, d.value, st->span);
}

/* The tangent of what `place op= operand` makes; `*operand` is what may be used again. */
TExpr *
forward_compound(Forward *f, Op op, Dual place, Dual *operand)
{
    Ad *ad = f->ad;
    operand->value = forward_keep(f, operand->value);
    TExpr *b = operand->value, *db = operand->tangent, *a = place.value;
    switch (op) {
    case OP_MUL: {
        TExpr *product = new_product(ad, place.tangent, b);
        return db ? new_fma(ad, db, a, product) : product;
    }
    case OP_DIV: {
        TExpr *q = new_binary(ad, OP_DIV, a, b);
        return new_binary(
            ad, OP_DIV, db ? new_difference(ad, place.tangent, new_product(ad, db, q))
                           : place.tangent, b);
    }
    case OP_MOD: {
        TExpr *q = new_binary(ad, OP_DIV, a, b);
        TExpr *times = new_call(ad, BUILTIN_TRUNC, q->type, q, NULL);
        return db ? new_difference(ad, place.tangent, new_product(ad, db, times)) : place.tangent;
    }
    default: return place.tangent;
    }
}

/* An assignment as the one that is read, of other things. */
static void
emit_like(Forward *f, const TStmt *st, TExpr *target, TExpr *value, Op op)
{
    TStmt *made = new_stmt(f->ad, TS_ASSIGN, st->span);
    made->target = target;
    made->value = op == OP_SHL || op == OP_SHR ? value : new_cast(f->ad, target->type, value);
    made->op = op;
    made->is_atomic = st->is_atomic;
    made->is_reduction = st->is_reduction;
    forward_emit(f, made);
}

static void
forward_assignment(Forward *f, const TStmt *st)
{
    Ad *ad = f->ad;
    Dual d = forward_expr(f, st->value), place = forward_place(f, st->target);
    if (place.tangent && (st->op == OP_ADD || st->op == OP_SUB)) {
        if (d.tangent)
            emit_like(f, st, place.tangent, d.tangent, st->op);
    } else if (place.tangent && st->op != OP_NONE) {
        emit_like(f, st, place.tangent, forward_compound(f, st->op, place, &d), OP_NONE);
    } else if (place.tangent) {
        emit_like(f, st, place.tangent,
                  d.tangent ? d.tangent : new_zero(ad, st->target->type, st->span), OP_NONE);
    }
    emit_like(f, st, place.value, d.value, st->op);
}

static TStmt *
forward_block(Forward *f, const TStmt *body)
{
    if (!body)
        return NULL;
    TStmts *outer = f->out;
    TStmt *block = new_stmt(f->ad, TS_BLOCK, body->span);
    f->out = &block->stmts;
    if (body->kind == TS_BLOCK)
        forward_stmts(f, &body->stmts);
    else
        forward_stmt(f, body);
    f->out = outer;
    return block;
}

static void
forward_if(Forward *f, const TStmt *st)
{
    TStmt *made = new_stmt(f->ad, TS_IF, st->span);
    made->value = forward_value(f, st->value);
    made->body = forward_block(f, st->body);
    made->orelse = forward_block(f, st->orelse);
    forward_emit(f, made);
}

/* if (!cond) break; */
static TStmt *
leave_unless(Ad *ad, TExpr *cond)
{
    TStmt *leave = new_stmt(ad, TS_IF, cond->span), *block = new_stmt(ad, TS_BLOCK, cond->span);
    vec_push(ad->c->arena, &block->stmts, new_stmt(ad, TS_BREAK, cond->span));
    leave->value = new_unary(ad, OP_NOT, cond);
    leave->body = block;
    return leave;
}

/* What the condition needs to be computed runs in the loop. */
static void
forward_while(Forward *f, const TStmt *st)
{
    Ad *ad = f->ad;
    TStmts own = {0}, *outer = f->out;
    TStmt *made = new_stmt(ad, TS_WHILE, st->span);
    f->loops++;
    f->out = &own;
    made->value = forward_value(f, st->value);
    f->out = outer;
    TStmt *body = forward_block(f, st->body);
    f->loops--;
    if (own.count) {
        vec_push(ad->c->arena, &own, leave_unless(ad, made->value));
        for (int i = 0; i < body->stmts.count; i++)
            vec_push(ad->c->arena, &own, body->stmts.items[i]);
        body->stmts = own;
        made->value = new_zero(ad, type_scalar(ad->p->types, SCALAR_BOOL), st->span);
        made->value->value.leaves[0].i = 1;
    }
    made->body = body;
    forward_emit(f, made);
}

static void
copy_list(Forward *f, const TExprs *from, TExprs *to)
{
    to->items = NULL;
    to->count = to->room = 0;
    for (int i = 0; i < from->count; i++)
        vec_push(f->ad->c->arena, to,
                 from->items[i] ? forward_value(f, from->items[i]) : NULL);
}

TStmt *
forward_copy(Forward *f, const TStmt *st)
{
    TStmt *made = ARENA_NEW(f->ad->c->bodies, TStmt);
    *made = *st;
    copy_list(f, &st->from, &made->from);
    copy_list(f, &st->to, &made->to);
    copy_list(f, &st->step, &made->step);
    copy_list(f, &st->args, &made->args);
    made->value = st->value ? forward_value(f, st->value) : NULL;
    return made;
}

/* What the loop accumulates, and the tangents of that. */
static void
forward_reductions(Forward *f, const TStmt *st, TStmt *made)
{
    made->reductions.items = NULL;
    made->reductions.count = made->reductions.room = 0;
    for (int i = 0; i < st->reductions.count; i++) {
        const Reduction *r = &st->reductions.items[i];
        Var *tangent = f->tangents[r->var->id];
        vec_push(f->ad->c->arena, &made->reductions,
                 ((Reduction){forward_var_of(f, r->var), r->op}));
        if (tangent && r->op == ATOMIC_ADD)
            vec_push(f->ad->c->arena, &made->reductions, ((Reduction){tangent, ATOMIC_ADD}));
    }
}

static void
forward_loop(Forward *f, const TStmt *st)
{
    TStmt *made = forward_copy(f, st);
    forward_reductions(f, st, made);
    f->loops++;
    made->vars.items = NULL;
    made->vars.count = made->vars.room = 0;
    for (int i = 0; i < st->vars.count; i++)
        vec_push(f->ad->c->arena, &made->vars, forward_make_var(f, st->vars.items[i]));
    made->body = forward_block(f, st->body);
    f->loops--;
    forward_emit(f, made);
}

/* An expression for what it does. */
static void
forward_effect(Forward *f, const TStmt *st)
{
    if (st->value->kind == TX_ATOMIC) {
        forward_atomic_stmt(f, st);
        return;
    }
    TStmt *made = new_stmt(f->ad, TS_EXPR, st->span);
    made->value = forward_expr(f, st->value).value;
    forward_emit(f, made);
}

static void
forward_return(Forward *f, const TStmt *st)
{
    Ad *ad = f->ad;
    TStmt *made = new_stmt(ad, TS_RETURN, st->span);
    if (st->value && f->dual) {
        Dual d = forward_expr(f, st->value);
        TExprs parts = {0};
        vec_push(ad->c->arena, &parts, d.value);
        vec_push(ad->c->arena, &parts,
                 d.tangent ? d.tangent : new_zero(ad, st->value->type, st->span));
        made->value = new_make(ad, f->dual, parts, st->span);
    } else if (st->value) {
        made->value = forward_value(f, st->value);
    }
    forward_emit(f, made);
}

static void
forward_stmt(Forward *f, const TStmt *st)
{
    f->is_careful = expr_changes(f->active, st->value) || expr_changes(f->active, st->target);
    switch (st->kind) {
    case TS_BLOCK: forward_emit(f, forward_block(f, st)); break;
    case TS_DECL: forward_decl(f, st); break;
    case TS_ASSIGN: forward_assignment(f, st); break;
    case TS_EXPR: forward_effect(f, st); break;
    case TS_IF: forward_if(f, st); break;
    case TS_WHILE: forward_while(f, st); break;
    case TS_RANGE: case TS_CELLS: forward_loop(f, st); break;
    case TS_RETURN: forward_return(f, st); break;
    case TS_BREAK: case TS_CONTINUE: case TS_PRINT: case TS_ASSERT: case TS_ACTIVATE:
    case TS_DEACTIVATE: case TS_DEACTIVATE_ALL:
        forward_emit(f, forward_copy(f, st));
        break;
    case TS_DIFF: case TS_DERIVE: break; /* taken apart before, or refused */
    case TS_CREATE: case TS_DESTROY: case TS_TRIM: case TS_FILL: case TS_COPY: case TS_SWAP:
    case TS_SAVE: case TS_LOAD: case TS_IMAGE: case TS_KEEP: case TS_TAKE:
        forward_host(f, st);
        break;
    }
}

void
forward_stmts(Forward *f, const TStmts *stmts)
{
    for (int i = 0; i < stmts->count; i++)
        forward_stmt(f, stmts->items[i]);
}
