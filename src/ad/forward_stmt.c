/* Forward mode of statements and functions: before each statement the one that computes the tangent
 * of what it changes; beside each active parameter its tangent; with a float result a struct of the
 * result and its tangent. */
#include "config.h"

#include <string.h>

#include "ad/inside.h"

static void forward_stmt(Forward *f, const TStmt *st);

/* ---- variables ---- */

/* Makes the variables that stand for one of the function that is read. */
static Var *
make_var(Forward *f, const Var *v)
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

static void
declare(Forward *f, Var *v, TExpr *value, Span span)
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
    Var *v = make_var(f, st->var), *tangent = f->tangents[st->var->id];
    if (tangent)
        declare(f, tangent, d.tangent ? d.tangent : new_zero(ad, tangent->type, st->span),
                st->span);
    declare(f, v, d.value, st->span);
}

/* The tangent of what `place op= operand` makes; `*operand` is what may be used again. */
static TExpr *
compound_tangent(Forward *f, Op op, Dual place, Dual *operand)
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
    made->value = value;
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
        emit_like(f, st, place.tangent, compound_tangent(f, st->op, place, &d), OP_NONE);
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

static TStmt *
copy_stmt(Forward *f, const TStmt *st)
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

static void
forward_loop(Forward *f, const TStmt *st)
{
    TStmt *made = copy_stmt(f, st);
    f->loops++;
    made->vars.items = NULL;
    made->vars.count = made->vars.room = 0;
    for (int i = 0; i < st->vars.count; i++)
        vec_push(f->ad->c->arena, &made->vars, make_var(f, st->vars.items[i]));
    made->body = forward_block(f, st->body);
    f->loops--;
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
    f->is_careful = expr_changes_variables(st->value) || expr_changes_variables(st->target);
    switch (st->kind) {
    case TS_BLOCK: forward_emit(f, forward_block(f, st)); break;
    case TS_DECL: forward_decl(f, st); break;
    case TS_ASSIGN: forward_assignment(f, st); break;
    case TS_EXPR: {
        TStmt *made = new_stmt(f->ad, TS_EXPR, st->span);
        made->value = forward_expr(f, st->value).value;
        forward_emit(f, made);
        break;
    }
    case TS_IF: forward_if(f, st); break;
    case TS_WHILE: forward_while(f, st); break;
    case TS_RANGE: case TS_CELLS: forward_loop(f, st); break;
    case TS_RETURN: forward_return(f, st); break;
    case TS_BREAK: case TS_CONTINUE: case TS_PRINT: case TS_ASSERT: case TS_ACTIVATE:
    case TS_DEACTIVATE: case TS_DEACTIVATE_ALL:
        forward_emit(f, copy_stmt(f, st));
        break;
    case TS_DIFF: /* taken apart before */
    case TS_CREATE: case TS_DESTROY: case TS_TRIM: case TS_FILL: case TS_COPY: case TS_SWAP:
    case TS_SAVE: case TS_LOAD: case TS_IMAGE: /* of host code */
        break;
    }
}

void
forward_stmts(Forward *f, const TStmts *stmts)
{
    for (int i = 0; i < stmts->count; i++)
        forward_stmt(f, stmts->items[i]);
}

/* ---- functions ---- */

const Type *
dual_type(Ad *ad, const Type *type)
{
    Type *known = map_get(&ad->duals, (const char *)type);
    if (known)
        return known;
    Member *members = ARENA_ARRAY(ad->c->arena, Member, 2);
    members[0] = (Member){.name = intern_str(ad->c->intern, "value"), .type = type};
    members[1] = (Member){.name = intern_str(ad->c->intern, "tangent"), .type = type};
    const Type *made = type_struct(
        ad->p->types, intern_str(ad->c->intern, arena_printf(ad->c->arena, "dual_%s", type->name)),
        members, 2);
    map_put(&ad->duals, (const char *)type, (void *)made);
    return made;
}

/* The function without its body. */
static Func *
new_func(Ad *ad, const Func *f)
{
    Func *g = ARENA_NEW(ad->c->arena, Func);
    g->kind = FUNC_DEVICE;
    g->name = f->name;
    g->unique = unique_take(&ad->names, ad->c->intern,
                            arena_printf(ad->c->arena, "%s_tangent", f->unique));
    g->id = ad->p->funcs.count;
    g->span = f->span;
    g->is_generic = true;
    g->doc_args = "with tangents";
    vec_push(ad->c->arena, &ad->p->funcs, g);
    return g;
}

/* Parameters, and behind each active one its tangent. One that only the function makes active has
 * a variable for it, which is 0 at first. */
static void
add_params(Forward *f, const Func *from, const char *mask)
{
    for (int i = 0; i < from->params.count; i++) {
        const Var *p = from->params.items[i];
        vec_push(f->ad->c->arena, &f->to->params, make_var(f, p));
        if (mask[i] == '1')
            vec_push(f->ad->c->arena, &f->to->params, f->tangents[p->id]);
    }
    for (int i = 0; i < from->params.count; i++) {
        Var *tangent = f->tangents[from->params.items[i]->id];
        if (!tangent || mask[i] == '1')
            continue;
        tangent->kind = VAR_LOCAL;
        declare(f, tangent, new_zero(f->ad, tangent->type, tangent->span), tangent->span);
    }
}

Func *
forward_func(Ad *ad, Func *f, const char *mask, Span at)
{
    const char *key = intern_str(ad->c->intern,
                                 arena_printf(ad->c->arena, "%p %s", (const void *)f, mask));
    Func *known = map_get(&ad->forwards, key);
    if (known)
        return known;
    if (!f->body) {
        Diag *d = diag(ad->c, E0703, at,
                       "'%s' is an extern function: its derivative is not known", f->name);
        diag_note(d, f->span, "'%s' is declared here", f->name);
        diag_fix(d, "a func of the same values; or stop(…) around what is constant");
        return NULL;
    }
    if (!expand_func(ad, f)) {
        Diag *d = diag(ad->c, E0703, at,
                       "'%s' takes a derivative of itself, which would never end", f->name);
        diag_note(d, f->span, "'%s' is declared here", f->name);
        return NULL;
    }
    Func *g = new_func(ad, f);
    map_put(&ad->forwards, key, g);
    Active active = {ARENA_ARRAY(ad->c->arena, bool, f->vars.count), f->vars.count};
    for (int i = 0; i < f->params.count; i++)
        active.is_active[f->params.items[i]->id] = mask[i] == '1';
    active_spread(&active, &f->body->stmts, NULL);
    Forward forward = {.ad = ad, .to = g, .active = &active, .count = f->vars.count};
    forward.values = ARENA_ARRAY(ad->c->arena, Var *, f->vars.count);
    forward.tangents = ARENA_ARRAY(ad->c->arena, Var *, f->vars.count);
    g->body = new_stmt(ad, TS_BLOCK, f->body->span);
    forward.out = &g->body->stmts;
    add_params(&forward, f, mask);
    g->result = f->result;
    if (type_has_float(f->result))
        g->result = forward.dual = dual_type(ad, f->result);
    forward_stmts(&forward, &f->body->stmts);
    return g;
}
