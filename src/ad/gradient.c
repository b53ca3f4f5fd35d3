/* gradient E { … } and vjp { … } become the way ahead, which runs the block and keeps what the way
 * back needs, and the way back. */
#include "config.h"

#include "ad/inside.h"

static void
push(Ad *ad, TStmts *to, TStmt *st)
{
    vec_push(ad->c->arena, to, st);
}

static void
append(Ad *ad, TStmts *to, const TStmts *from)
{
    for (int i = 0; i < from->count; i++)
        push(ad, to, from->items[i]);
}

/* The function as it is before the block is taken apart, which gives it more variables. */
static Func *
frozen(Ad *ad, const Func *f)
{
    Func *made = ARENA_NEW(ad->c->arena, Func);
    *made = *f;
    made->vars.items = NULL;
    made->vars.count = made->vars.room = 0;
    for (int i = 0; i < f->vars.count; i++)
        vec_push(ad->c->arena, &made->vars, f->vars.items[i]);
    return made;
}

static void
find_declared(const TStmt *st, bool *is_declared, bool *is_set)
{
    if (!st)
        return;
    if (st->kind == TS_DECL)
        is_declared[st->var->id] = true;
    if (st->kind == TS_ASSIGN && root_of(st->target)->kind == TX_VAR)
        is_set[root_of(st->target)->var->id] = true;
    for (int i = 0; i < st->vars.count; i++)
        is_declared[st->vars.items[i]->id] = true;
    for (int i = 0; i < st->stmts.count; i++)
        find_declared(st->stmts.items[i], is_declared, is_set);
    find_declared(st->body, is_declared, is_set);
    find_declared(st->orelse, is_declared, is_set);
}

/* Variables from outside of the block stand for themselves; what the block leaves in them is given
 * back at its end. */
static void
use_outer(Reverse *r, const TStmt *st, TStmts *ahead, TStmts *behind)
{
    Forward *f = &r->forward;
    Ad *ad = f->ad;
    const int count = r->from->vars.count;
    bool *is_declared = ARENA_ARRAY(ad->c->scratch, bool, count),
         *is_set = ARENA_ARRAY(ad->c->scratch, bool, count);
    find_declared(st->body, is_declared, is_set);
    for (int i = 0; i < count; i++) {
        Var *v = r->from->vars.items[i];
        if (is_declared[i])
            continue;
        f->values[i] = v;
        const bool is_value = v->type->kind != TYPE_EXTERN && v->type->kind != TYPE_STRING;
        if (is_value && f->active->is_active[i] && !v->is_stopped) {
            f->tangents[i] = reverse_declare(r, v->name, v->type, v->span);
            f->tangents[i]->is_tangent = true;
        }
        if (!is_set[i])
            continue;
        Var *left = reverse_declare(r, v->name, v->type, v->span);
        f->out = ahead;
        copy_value(r, new_use(ad, left, v->span), new_use(ad, v, v->span));
        f->out = behind;
        copy_value(r, new_use(ad, v, v->span), new_use(ad, left, v->span));
    }
}

/* The fields of layouts that are exchanged with each other. */
static void
find_swapped(const Ad *ad, const TStmts *stmts, bool *is_swapped)
{
    for (int i = 0; i < stmts->count; i++) {
        const TStmt *st = stmts->items[i];
        const Layout *layouts[] = {st->layout, st->layout2};
        for (int k = 0; k < 2 && st->kind == TS_SWAP; k++)
            for (int n = 0; n < layouts[k]->fields.count; n++)
                is_swapped[layouts[k]->fields.items[n]->id] = true;
        find_swapped(ad, &st->stmts, is_swapped);
        if (st->body)
            find_swapped(ad, &st->body->stmts, is_swapped);
        if (st->orelse)
            find_swapped(ad, &st->orelse->stmts, is_swapped);
    }
}

/* What is read of a layout may have been in the other one when it was overwritten. */
static bool
read_partners(const TStmts *stmts, bool *is_read)
{
    bool changed = false;
    for (int i = 0; i < stmts->count; i++) {
        const TStmt *st = stmts->items[i];
        const Layout *layouts[] = {st->layout, st->layout2};
        for (int k = 0; k < 2 && st->kind == TS_SWAP; k++)
            for (int n = 0; n < layouts[k]->fields.count; n++) {
                const Field *f = layouts[k]->fields.items[n];
                for (int leaf = 0; leaf < f->type->leaf_count; leaf++) {
                    if (!is_read[f->id] || f->leaves[leaf].layout != layouts[k])
                        continue;
                    const Field *partner = partner_in(layouts[!k], &f->leaves[leaf]);
                    changed = changed || !is_read[partner->id];
                    is_read[partner->id] = true;
                }
            }
        changed |= read_partners(&st->stmts, is_read);
        changed |= st->body && read_partners(&st->body->stmts, is_read);
        changed |= st->orelse && read_partners(&st->orelse->stmts, is_read);
    }
    return changed;
}

/* Fields that go on the tape whole must be dense. */
static void
require_dense(Reverse *r, const bool *is_kept, Span span)
{
    Ad *ad = r->forward.ad;
    for (int i = 0; i < ad->p->fields.count; i++)
        if (is_kept[i] && !field_is_dense(ad->p->fields.items[i]))
            reverse_refuse(r, span,
                           arena_printf(ad->c->arena,
                                        "a block that overwrites '%s', which lies in "
                                        "a sparse node and is needed on the way back",
                                        ad->p->fields.items[i]->name),
                           "a dense layout, or jvp { … }");
}

static void
each_field(Ad *ad, const bool *which, bool adjoints, TStmtKind kind, TStmts *to, Span span)
{
    const int count = ad->p->fields.count;
    for (int n = 0; n < count; n++) {
        const int i = kind == TS_TAKE ? count - 1 - n : n;
        Field *f = ad->p->fields.items[i];
        if (which[i] && field_is_adjoint(ad, f) == adjoints)
            push(ad, to, tape_field(ad, kind, f, 1, span));
    }
}

/* May a field be without memory while the block runs? */
static bool
may_be_missing(const Field *adjoint, const bool *is_mentioned)
{
    for (int leaf = 0; leaf < adjoint->type->leaf_count; leaf++)
        if (adjoint->leaves[leaf].layout->manual)
            return !adjoint->primal || !is_mentioned[adjoint->primal->id];
    return false;
}

/* Sets adjoints to 0; of layouts that are made by hand only those that the block names. */
static void
clear_adjoints(Ad *ad, TStmts *to, const bool *is_mentioned, bool only_hidden, Span span)
{
    for (int i = 0; i < ad->p->fields.count; i++) {
        Field *f = ad->p->fields.items[i];
        bool is_hidden = false;
        for (int k = 0; k < ad->hidden.count; k++)
            is_hidden = is_hidden || ad->hidden.items[k] == f;
        if (field_is_adjoint(ad, f) && (is_hidden || !only_hidden) &&
            !may_be_missing(f, is_mentioned))
            push(ad, to, new_fill(ad, f, NULL, span));
    }
}

/* The element that the gradient is of: its indices are computed before the block. */
static TExpr *
adjoint_of_target(Forward *f, const TExpr *e)
{
    Ad *ad = f->ad;
    TExpr *copy = ARENA_NEW(ad->c->bodies, TExpr);
    *copy = *e;
    if (e->kind == TX_FIELD) {
        copy->field = e->field->adjoint;
        copy->type = copy->field->type;
    } else {
        copy->a = adjoint_of_target(f, e->a);
        if (copy->a->type != e->a->type)
            copy->type = type_scalar(ad->p->types, copy->a->type->scalar);
    }
    copy->args = (TExprs){0};
    for (int i = 0; i < e->args.count; i++)
        vec_push(ad->c->arena, &copy->args, forward_keep(f, e->args.items[i]));
    return copy;
}

static void
seed(Reverse *r, const TStmt *st, TExpr *adjoint, TStmts *to)
{
    Forward *f = &r->forward;
    f->out = to;
    TExpr *one = new_number(f->ad, adjoint->type, 1, st->span);
    forward_assign(f, adjoint, one, st->span);
}

TStmt *
expand_reverse(Ad *ad, Func *f, const TStmt *st)
{
    const Span span = st->span;
    TStmt *block = new_stmt(ad, TS_BLOCK, span);
    TStmts top = {0}, ahead = {0}, back = {0}, leaves = {0}, behind = {0}, start = {0};
    Reverse r = {.block = st, .top = &top};
    Active active;
    host_begin(&r, ad, frozen(ad, f), f, &active, st->body);
    active_spread(&active, &st->body->stmts, NULL);
    r.forward.out = &start;
    TExpr *adjoint = NULL;
    if (st->derive == DERIVE_GRADIENT && st->target->kind != TX_ERROR)
        adjoint = adjoint_of_target(&r.forward, st->target);
    use_outer(&r, st, &leaves, &behind);
    r.forward.out = &ahead;
    reverse_stmts(&r, &st->body->stmts, &ahead, &back);

    bool *is_read = tape_reads(ad, &back);
    bool *is_kept = ARENA_ARRAY(ad->c->scratch, bool, ad->p->fields.count);
    bool *is_swapped = ARENA_ARRAY(ad->c->scratch, bool, ad->p->fields.count);
    while (read_partners(&ahead, is_read)) {
    }
    tape_drop(is_read, &ahead, is_kept);
    tape_drop(is_read, &back, is_kept);
    find_swapped(ad, &ahead, is_swapped);
    for (int i = 0; i < ad->p->fields.count; i++)
        is_kept[i] = is_kept[i] || (is_swapped[i] && !field_is_adjoint(ad, ad->p->fields.items[i]));
    require_dense(&r, is_kept, span);

    clear_adjoints(ad, &start, reach_mentioned(ad, f, st), st->derive == DERIVE_VJP, span);
    push(ad, &block->stmts, new_stmt(ad, TS_KEEP, span)); /* empties the tape */
    append(ad, &block->stmts, &start);
    append(ad, &block->stmts, &top);
    if (st->derive == DERIVE_VJP)
        each_field(ad, is_swapped, true, TS_KEEP, &block->stmts, span);
    append(ad, &block->stmts, &ahead);
    append(ad, &block->stmts, &leaves);
    if (st->derive == DERIVE_VJP)
        each_field(ad, is_swapped, true, TS_TAKE, &block->stmts, span);
    each_field(ad, is_kept, false, TS_KEEP, &block->stmts, span);
    if (adjoint)
        seed(&r, st, adjoint, &block->stmts);
    append(ad, &block->stmts, &back);
    each_field(ad, is_kept, false, TS_TAKE, &block->stmts, span);
    append(ad, &block->stmts, &behind);
    return block;
}
