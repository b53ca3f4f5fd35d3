/* Reverse mode of parallel loops. A kernel is taken apart: each of its loops becomes a kernel that
 * gets what it uses from outside and gives what it adds up, and one that takes it back, whose
 * iterations compute again what they need. */
#include "config.h"

#include "ad/inside.h"

/* ---- what a loop uses from outside ---- */

static void collect_stmt(const Reverse *r, const TStmt *st, bool *is_used, bool *is_own);

static void
collect_expr(const Reverse *r, const TExpr *e, bool *is_used)
{
    if (!e)
        return;
    if (e->kind == TX_VAR)
        is_used[e->var->id] = true;
    collect_expr(r, e->a, is_used);
    collect_expr(r, e->b, is_used);
    collect_expr(r, e->c, is_used);
    for (int i = 0; i < e->args.count; i++)
        collect_expr(r, e->args.items[i], is_used);
    if (e->kind == TX_APPEND)
        for (int i = 0; i < e->values.count; i++)
            collect_expr(r, e->values.items[i], is_used);
}

static void
collect_list(const Reverse *r, const TExprs *list, bool *is_used)
{
    for (int i = 0; i < list->count; i++)
        collect_expr(r, list->items[i], is_used);
}

static void
collect_stmt(const Reverse *r, const TStmt *st, bool *is_used, bool *is_own)
{
    if (!st)
        return;
    if (st->kind == TS_DECL)
        is_own[st->var->id] = true;
    for (int i = 0; i < st->vars.count; i++)
        is_own[st->vars.items[i]->id] = true;
    collect_expr(r, st->value, is_used);
    collect_expr(r, st->target, is_used);
    collect_list(r, &st->from, is_used);
    collect_list(r, &st->to, is_used);
    collect_list(r, &st->step, is_used);
    collect_list(r, &st->args, is_used);
    for (int i = 0; i < st->stmts.count; i++)
        collect_stmt(r, st->stmts.items[i], is_used, is_own);
    collect_stmt(r, st->body, is_used, is_own);
    collect_stmt(r, st->orelse, is_used, is_own);
}

static bool
is_reduced(const TStmt *loop, const Var *v)
{
    for (int i = 0; i < loop->reductions.count; i++)
        if (loop->reductions.items[i].var == v)
            return true;
    return false;
}

static void
refuse_outer(Reverse *host, const TStmt *loop, const Var *v)
{
    const bool is_sum = is_reduced(loop, v);
    if (v->type->kind == TYPE_EXTERN || v->type->kind == TYPE_ARRAY)
        reverse_refuse(host, loop->span,
                       arena_printf(host->forward.ad->c->arena,
                                    "a loop that uses the array '%s' "
                                    "from outside of it",
                                    v->name),
                       "a field");
    else if (v->type->kind == TYPE_STRUCT && is_sum)
        reverse_refuse(host, loop->span, "a sum of structs", "a variable for each member");
}

/* Variables from outside, in order: those that the loop reads, and those that it accumulates in. */
static void
find_outer(Reverse *host, const TStmt *loop, TaskLoop *t)
{
    Ad *ad = host->forward.ad;
    const int count = host->from->vars.count;
    bool *is_used = ARENA_ARRAY(ad->c->scratch, bool, count + host->extra),
         *is_own = ARENA_ARRAY(ad->c->scratch, bool, count + host->extra);
    collect_stmt(host, loop, is_used, is_own);
    for (int i = 0; i < count; i++) {
        const Var *v = host->from->vars.items[i];
        if (!is_used[i] || is_own[i])
            continue;
        refuse_outer(host, loop, v);
        if (is_reduced(loop, v))
            vec_push(ad->c->scratch, &t->sums, v);
        else
            vec_push(ad->c->scratch, &t->outer, v);
    }
}

/* ---- kernels ---- */

static Func *
new_kernel(Reverse *host, const char *suffix, Span span)
{
    Ad *ad = host->forward.ad;
    const Func *f = host->from;
    Func *g = ARENA_NEW(ad->c->arena, Func);
    g->kind = FUNC_KERNEL;
    g->name = f->name;
    g->unique = unique_take(&ad->names, ad->c->intern,
                            arena_printf(ad->c->arena, "%s_%s", f->unique, suffix));
    g->id = ad->p->funcs.count;
    g->span = span;
    g->is_generic = true;
    g->doc_args = suffix;
    g->result = type_void(ad->p->types);
    g->body = new_stmt(ad, TS_BLOCK, span);
    vec_push(ad->c->arena, &ad->p->funcs, g);
    return g;
}

static Var *
add_param(Reverse *r, const char *name, const Type *type, Span span)
{
    Var *v = forward_var(&r->forward, VAR_ARG, name, type, span);
    vec_push(r->forward.ad->c->arena, &r->forward.to->params, v);
    return v;
}

static Var *
add_sum(Reverse *r, const char *name, const Type *type, Span span)
{
    Var *v = forward_var(&r->forward, VAR_LOCAL, name, type, span);
    v->is_mutable = v->kernel_level = v->shared = true;
    return v;
}

/* What the kernel gives: one value, or a struct of several. */
static const Type *
result_type(Ad *ad, const Vars *vars)
{
    if (!vars->count)
        return type_void(ad->p->types);
    if (vars->count == 1)
        return vars->items[0]->type;
    Member *members = ARENA_ARRAY(ad->c->arena, Member, vars->count);
    for (int i = 0; i < vars->count; i++) {
        const char *name = intern_str(ad->c->intern, arena_printf(ad->c->arena, "m%d", i));
        members[i] = (Member){.name = name, .type = vars->items[i]->type};
    }
    const char *name = arena_printf(ad->c->arena, "sums_%d", ad->p->funcs.count);
    return type_struct(ad->p->types, intern_str(ad->c->intern, name), members, vars->count);
}

static void
emit_result(Reverse *r, const Vars *vars, Span span)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    if (!vars->count)
        return;
    TStmt *st = new_stmt(ad, TS_RETURN, span);
    TExprs parts = {0};
    for (int i = 0; i < vars->count; i++)
        vec_push(ad->c->arena, &parts, new_use(ad, vars->items[i], span));
    st->value = vars->count == 1 ? parts.items[0] : new_make(ad, f->to->result, parts, span);
    forward_emit(f, st);
}

/* The loop on the way ahead, as a kernel. */
static Func *
ahead_kernel(Reverse *host, const TStmt *loop, TaskLoop *t)
{
    Ad *ad = host->forward.ad;
    const int count = host->from->vars.count;
    Func *g = new_kernel(host, "ahead", loop->span);
    Active none = {ad, ARENA_ARRAY(ad->c->scratch, bool, count), count, false};
    Reverse own = {
        .forward = {.ad = ad, .to = g, .active = &none, .count = count, .out = &g->body->stmts}};
    Forward *f = &own.forward;
    Vars given = {0}, sums = {0};
    f->values = ARENA_ARRAY(ad->c->scratch, Var *, count);
    f->tangents = ARENA_ARRAY(ad->c->scratch, Var *, count);
    for (int i = 0; i < t->outer.count; i++) {
        const Var *v = t->outer.items[i];
        f->values[v->id] = add_param(&own, v->name, v->type, v->span);
    }
    for (int i = 0; i < t->sums.count; i++)
        vec_push(ad->c->scratch, &given,
                 add_param(&own, t->sums.items[i]->name, t->sums.items[i]->type, loop->span));
    for (int i = 0; i < t->sums.count; i++) {
        const Var *v = t->sums.items[i];
        Var *sum = add_sum(&own, v->name, v->type, v->span);
        f->values[v->id] = sum;
        forward_declare(f, sum, new_use(ad, given.items[i], v->span), v->span);
        vec_push(ad->c->scratch, &sums, sum);
    }
    TStmts one = {0};
    vec_push(ad->c->scratch, &one, (TStmt *)loop);
    g->result = result_type(ad, &sums);
    forward_stmts(f, &one);
    emit_result(&own, &sums, loop->span);
    return g;
}

/* ---- the way back ---- */

typedef struct {
    Reverse reverse;
    TaskLoop *task;
} TaskReverse;

/* The element that an iteration holds is what it finds, where there is one. */
static void
load_held(Reverse *r, TStmts *loads)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    for (int i = 0; i < ad->p->fields.count; i++) {
        if (!r->held[i])
            continue;
        Field *field = ad->p->fields.items[i];
        const TExpr *stored = r->uses[i].stored;
        const bool is_here = r->loop->kind == TS_CELLS && r->loop->node == field->node;
        TStmts *outer = f->out;
        f->out = loads;
        r->has_stored[i] = false;
        TExpr *value = forward_value(f, stored), *inside = NULL;
        const Type *i64 = type_scalar(ad->p->types, SCALAR_I64);
        for (int k = 0; k < stored->args.count && !is_here; k++) {
            TExpr *at = new_cast(ad, i64, forward_value(f, stored->args.items[k]));
            TExpr *lo = new_zero(ad, i64, at->span), *end;
            lo->value.leaves[0].i = field->offsets[k];
            if (field->extents[k]) {
                end = new_zero(ad, i64, at->span);
                end->value.leaves[0].i = field->offsets[k] + field->extents[k];
            } else {
                end = new_expr(ad, TX_EXTENT, i64, at->span);
                end->field = field;
                end->axis = k;
                end = new_binary(ad, OP_ADD, end, lo);
            }
            TExpr *test = new_binary(ad, OP_LAND, new_binary(ad, OP_GE, at, lo),
                                     new_binary(ad, OP_LT, at, end));
            inside = inside ? new_binary(ad, OP_LAND, inside, test) : test;
        }
        TExpr *held = new_use(ad, r->held[i], stored->span);
        if (inside) {
            TStmt *st = new_stmt(ad, TS_IF, stored->span);
            st->value = inside;
            st->body = new_stmt(ad, TS_BLOCK, stored->span);
            f->out = &st->body->stmts;
            forward_assign(f, held, value, stored->span);
            f->out = loads;
            forward_emit(f, st);
        } else {
            forward_assign(f, held, value, stored->span);
        }
        f->out = outer;
    }
}

/* The loop again, around what takes an iteration back. */
static TStmt *
new_loop(Reverse *r, const TStmt *loop)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TStmt *made = forward_copy(f, loop);
    made->vars.items = NULL;
    made->vars.count = made->vars.room = 0;
    made->reductions.items = NULL;
    made->reductions.count = made->reductions.room = 0;
    made->block_local.count = 0;
    made->body = new_stmt(ad, TS_BLOCK, loop->span);
    for (int i = 0; i < loop->vars.count; i++) {
        const Var *v = loop->vars.items[i];
        Var *index = forward_var(f, VAR_INDEX, v->name, v->type, v->span);
        index->is_let = true;
        f->values[v->id] = index;
        reverse_origin(r, index, v->id);
        vec_push(ad->c->arena, &made->vars, index);
    }
    return made;
}

static void
reduce(Reverse *r, TStmt *loop, TStmts *before, Var *sum)
{
    Forward *f = &r->forward;
    TStmts *outer = f->out;
    f->out = before;
    forward_declare(f, sum, new_zero(f->ad, sum->type, sum->span), sum->span);
    f->out = outer;
    vec_push(f->ad->c->arena, &loop->reductions, ((Reduction){sum, ATOMIC_ADD}));
}

/* Adjoints of params and of fields without indices get the sums. */
static void
add_sums(Reverse *r, TStmt *loop, TStmts *before, TStmts *behind)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    for (int i = 0; i < ad->p->fields.count; i++) {
        Var *sum = r->sums[i];
        if (!sum)
            continue;
        reduce(r, loop, before, sum);
        TStmt *st = new_stmt(ad, TS_ASSIGN, sum->span);
        st->target = new_expr(ad, TX_FIELD, sum->type, sum->span);
        st->target->field = ad->p->fields.items[i];
        st->value = new_use(ad, sum, sum->span);
        st->op = OP_ADD;
        vec_push(ad->c->arena, behind, st);
    }
}

static void
write_task(Reverse *r, const TStmts *stmts)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    TaskLoop *t = ((TaskReverse *)r)->task;
    Func *g = f->to;
    const TStmt *loop = r->loop;
    TStmts top = {0}, ahead = {0}, back = {0}, behind = {0};
    Vars results = {0};
    g->params.count = 0;
    g->body = new_stmt(ad, TS_BLOCK, loop->span);
    f->out = &g->body->stmts;
    for (int i = 0; i < t->outer.count; i++) {
        const Var *v = t->outer.items[i];
        f->values[v->id] = add_param(r, v->name, v->type, v->span);
        reverse_origin(r, f->values[v->id], v->id);
    }
    for (int i = 0; i < t->sums.count; i++) {
        const Var *v = t->sums.items[i];
        if (f->active->is_active[v->id]) {
            f->tangents[v->id] = add_param(r, v->name, v->type, v->span);
            f->tangents[v->id]->is_tangent = true;
        }
    }
    for (int i = 0; i < t->outer.count; i++) {
        const Var *v = t->outer.items[i];
        if (!f->active->is_active[v->id] || v->is_stopped)
            continue;
        Var *sum = f->tangents[v->id] =
            add_sum(r, arena_printf(ad->c->arena, "d%s", v->name), v->type, v->span);
        sum->is_tangent = true;
        vec_push(ad->c->scratch, &results, sum);
    }
    TStmt *made = new_loop(r, loop);
    for (int i = 0; i < results.count; i++)
        reduce(r, made, &g->body->stmts, results.items[i]);
    f->loops = 1;
    r->top = &top;
    f->out = &top;
    reverse_stmts(r, stmts, &ahead, &back);
    load_held(r, &top);
    f->loops = 0;
    const TStmts *parts[] = {&top, &ahead, &back};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < parts[k]->count; i++)
            vec_push(ad->c->arena, &made->body->stmts, parts[k]->items[i]);
    add_sums(r, made, &g->body->stmts, &behind);
    vec_push(ad->c->arena, &g->body->stmts, made);
    for (int i = 0; i < behind.count; i++)
        vec_push(ad->c->arena, &g->body->stmts, behind.items[i]);
    f->out = &g->body->stmts;
    g->result = result_type(ad, &results);
    emit_result(r, &results, loop->span);
    t->is_idle = !back.count;
}

static Func *
back_kernel(Reverse *host, const TStmt *loop, TaskLoop *t)
{
    Ad *ad = host->forward.ad;
    TaskReverse own = {.task = t};
    Reverse *r = &own.reverse;
    r->from = host->from;
    r->block = host->block;
    r->is_task = true;
    r->loop = loop;
    r->forward = (Forward){
        .ad = ad, .reverse = r, .active = host->forward.active, .count = host->from->vars.count};
    field_uses(r, loop);
    t->uses = r->uses;
    r->forward.to = new_kernel(host, "back", loop->span);
    TStmts body = {0};
    vec_push(ad->c->scratch, &body, loop->body);
    reverse_twice(r, &body, write_task);
    return r->forward.to;
}

void
task_make(Reverse *host, const TStmt *loop, TaskLoop *t)
{
    find_outer(host, loop, t);
    t->ahead = ahead_kernel(host, loop, t);
    t->back = back_kernel(host, loop, t);
}
