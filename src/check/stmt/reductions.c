/* Variables of a kernel that a parallel loop shares: which of them it only accumulates in, and what
 * of the others is atomic or gets lost. */
#include "config.h"

#include "check/check_func.h"
#include "check/suggest.h"

/* True for variables of the kernel that live outside its loops. */
static bool
is_kernel_variable(const Checker *k, const Var *v)
{
    bool argument =
        v->kind == VAR_ARG && v->type->kind != TYPE_EXTERN && k->func->func->kind == FUNC_KERNEL;
    return v->kernel_level || argument;
}

void
use_var(Checker *k, Var *v)
{
    if (k->func && k->func->parallel && is_kernel_variable(k, v))
        vec_push(k->c->arena, &k->func->uses, (Use){.var = v});
}

int
use_count(const Checker *k)
{
    return k->func ? k->func->uses.count : 0;
}

/* The vector or matrix that a place is a component of; else the place itself. */
static TExpr *
whole_place(TExpr *place)
{
    bool component = place->kind == TX_ELEM && !place->is_value && type_is_arith(place->a->type);
    return component ? place->a : place;
}

/* The place of which this is a member, or one of a member. */
static TExpr *
without_members(TExpr *place)
{
    while (place->kind == TX_MEMBER && !place->is_value)
        place = place->a;
    return place;
}

Use *
use_of_place(Checker *k, TExpr *place, int before)
{
    const TExpr *root = without_members(whole_place(place));
    FuncState *fs = k->func;
    if (root->kind != TX_VAR || !fs || !fs->parallel || before >= fs->uses.count)
        return NULL;
    Use *first = &fs->uses.items[before]; /* those behind it are of indices */
    return first->var == root->var ? first : NULL;
}

bool
reduction_of(Op op, AtomicOp *out)
{
    switch (op) {
    case OP_ADD: case OP_SUB: *out = ATOMIC_ADD; return true;
    case OP_AND: *out = ATOMIC_AND; return true;
    case OP_OR: *out = ATOMIC_OR; return true;
    case OP_XOR: *out = ATOMIC_XOR; return true;
    default: return false;
    }
}

void
use_unused_atomic(Checker *k, const TExpr *atomic)
{
    FuncState *fs = k->func;
    if (atomic->atomic == ATOMIC_EXCHANGE || atomic->atomic == ATOMIC_CAS)
        return;
    for (int i = 0; i < fs->uses.count; i++)
        if (fs->uses.items[i].atomic == atomic) {
            fs->uses.items[i].accumulates = true;
            fs->uses.items[i].op = atomic->atomic == ATOMIC_SUB ? ATOMIC_ADD : atomic->atomic;
        }
}

bool
place_is_shared(const Checker *k, const TExpr *place)
{
    const TExpr *root = place_root(place);
    const FuncState *fs = k->func;
    if (!fs || !root)
        return false;
    bool concurrent = fs->parallel || fs->func->kind == FUNC_DEVICE;
    if (root->kind == TX_FIELD || root->var->type->kind == TYPE_EXTERN ||
        root->var->mode == PARAM_INOUT)
        return concurrent;
    return fs->parallel && is_kernel_variable(k, root->var);
}

void
note_reached(Checker *k, const Func *f, const TExprs *args)
{
    for (int i = 0; i < args->count; i++) {
        Var *p = f->params.items[i];
        if (p->mode != PARAM_INOUT)
            continue;
        const TExpr *root = place_root(args->items[i]);
        if (root->kind == TX_VAR && root->var->mode == PARAM_INOUT)
            vec_push(k->c->arena, &root->var->given_to, p);
        else
            p->is_reached = p->is_reached || place_is_shared(k, args->items[i]);
    }
}

void
prog_spread_reached(Compile *c, const Prog *p)
{
    VEC(Var *) found = {0};
    for (int i = 0; i < p->funcs.count; i++) {
        const Func *f = p->funcs.items[i];
        for (int n = 0; n < f->params.count; n++)
            if (f->params.items[n]->is_reached)
                vec_push(c->scratch, &found, f->params.items[n]);
    }
    for (int i = 0; i < found.count; i++)
        for (int n = 0; n < found.items[i]->given_to.count; n++) {
            Var *to = found.items[i]->given_to.items[n];
            if (!to->is_reached)
                vec_push(c->scratch, &found, to);
            to->is_reached = true;
        }
}

/* True when all uses of the variable accumulate with one operation. */
static bool
is_reduction(const FuncState *fs, const Var *v, AtomicOp *op)
{
    bool first = true;
    if (!type_is_arith(v->type))
        return false;
    for (int i = 0; i < fs->uses.count; i++) {
        const Use *u = &fs->uses.items[i];
        if (u->var != v)
            continue;
        if (!u->accumulates || (!first && u->op != *op))
            return false;
        *op = u->op;
        first = false;
    }
    return true;
}

static bool
known_reduction(const TStmt *loop, const Var *v)
{
    for (int i = 0; i < loop->reductions.count; i++)
        if (loop->reductions.items[i].var == v)
            return true;
    return false;
}

/* Is the variable read, other than by this assignment to it? */
static bool
is_read(const FuncState *fs, const Use *assigned)
{
    if (assigned->assign->op != OP_NONE)
        return true;
    for (int i = 0; i < fs->uses.count; i++)
        if (fs->uses.items[i].var == assigned->var && !fs->uses.items[i].assign)
            return true;
    return false;
}

/* True for the assignment of a constant: a flag that is set, not p *= 3. */
static bool
sets_flag(const TStmt *assign)
{
    return assign->op == OP_NONE && assign->value->kind == TX_CONST;
}

/* Says where what iterations make of a variable goes lost: they read it while others assign to
 * it. */
static bool
warn_lost(Checker *k)
{
    const FuncState *fs = k->func;
    for (int i = 0; i < fs->uses.count; i++) {
        const Use *u = &fs->uses.items[i];
        if (!u->assign || !u->assign->value || sets_flag(u->assign) ||
            !type_is_arith(u->var->type) || !is_read(fs, u))
            continue;
        Diag *d = diag(k->c, W0502, u->assign->span,
                       "iterations run in parallel, and may miss what others assign to '%s'",
                       u->var->name);
        suggest_reduction(k, u->source, d);
        return true;
    }
    return false;
}

/* The variable, the member or the component of it, that accumulates. */
static TExpr *
accumulated(const Use *u)
{
    return u->stmt ? u->stmt->target : u->atomic->a;
}

/* Are two places within one variable, no components, the same member of it? */
static bool
is_same_member(const TExpr *a, const TExpr *b)
{
    for (; a->kind == TX_MEMBER && b->kind == TX_MEMBER; a = a->a, b = b->a)
        if (a->member != b->member)
            return false;
    return a->kind == b->kind;
}

/* False for two different members or components of one variable. */
static bool
may_be_same(TExpr *a, TExpr *b)
{
    if (!is_same_member(whole_place(a), whole_place(b)))
        return false;
    if (a->kind != TX_ELEM || b->kind != TX_ELEM || a->args.count != b->args.count)
        return true;
    for (int i = 0; i < a->args.count; i++) {
        const TExpr *m = a->args.items[i], *n = b->args.items[i];
        if (m->kind == TX_CONST && n->kind == TX_CONST &&
            m->value.leaves[0].i != n->value.leaves[0].i)
            return false;
    }
    return true;
}

/* Do two uses accumulate, one with another operation, in what may be the same place? */
static bool
mix(const Use *a, const Use *b)
{
    return a && a->op != b->op && may_be_same(accumulated(a), accumulated(b));
}

/* The first use that accumulates in a variable, the first with another operation, and the first
 * that adds to it; or NULL. */
typedef struct {
    const Use *first, *other, *added;
    bool read;
} Accumulated;

static Accumulated *
find_accumulated(Checker *k, Map *known, const Var *v)
{
    const void *key = v;
    Accumulated *found = map_get(known, key);
    if (!found)
        map_put(known, key, found = ARENA_NEW(k->c->scratch, Accumulated));
    return found;
}

/* A variable or a member of one as the program names it. */
static const char *
place_name(Checker *k, const TExpr *e)
{
    if (e->kind == TX_VAR)
        return e->var->name;
    return intern_str(k->c->intern, arena_printf(k->c->arena, "%s.%s", place_name(k, e->a),
                                                 e->a->type->members[e->member].name));
}

/* Says where iterations read a variable to which others add. That they may is right for what only
 * grows, or only gets more bits: they ask whether they need to change it. */
static void
warn_added(Checker *k, const Use *added)
{
    Diag *d = diag(k->c, W0502, accumulated(added)->span,
                   "iterations run in parallel: what they read of '%s' depends on how many have "
                   "added to it",
                   added->var->name);
    diag_fix(d, "atomic_add(%s, …) gives what is there before it, or @serial before the loop",
             added->var->name);
}

/* Says where iterations accumulate in one variable with two operations, such as += and ^=: what
 * that gives depends on which comes first; and where they also read it. */
static void
warn_accumulated(Checker *k)
{
    const FuncState *fs = k->func;
    Map known;
    map_init(&known, k->c->scratch);
    for (int i = 0; i < fs->uses.count; i++) {
        const Use *u = &fs->uses.items[i];
        if (!type_is_arith(u->var->type) && !u->accumulates)
            continue;
        Accumulated *a = find_accumulated(k, &known, u->var);
        a->read |= !u->accumulates && !u->assign && !u->atomic;
        if (!a->added && u->accumulates && u->op == ATOMIC_ADD && accumulated(u)->kind == TX_VAR)
            a->added = u;
        if (a->read && a->added) {
            warn_added(k, a->added);
            return;
        }
        if (!u->accumulates)
            continue;
        const Use *other = mix(a->first, u) ? a->first : mix(a->other, u) ? a->other : NULL;
        if (other) {
            Diag *d = diag(k->c, W0502, accumulated(u)->span,
                           "iterations run in parallel: what this and another operation make of "
                           "'%s' depends on their order",
                           place_name(k, whole_place(accumulated(u))));
            diag_note(d, accumulated(other)->span, "the other one");
            diag_fix(d, "a variable for each of the two, or @serial before the loop");
            return;
        }
        if (!a->first)
            a->first = u;
        else if (!a->other && a->first->op != u->op)
            a->other = u;
    }
}

/* Are members of a struct all that the loop uses of it, and does it only accumulate in them? */
static bool
only_members(const FuncState *fs, const Var *v)
{
    bool only = v->type->kind == TYPE_STRUCT;
    for (int i = 0; i < fs->uses.count && only; i++)
        only = fs->uses.items[i].var != v || fs->uses.items[i].accumulates;
    return only;
}

/* What the loop accumulates in one member of a struct it accumulates in a variable instead, which
 * has the value of the member before the loop, and gives it back behind it. */
static void
take_out_member(Checker *k, const Use *use)
{
    FuncState *fs = k->func;
    const Var *v = use->var;
    TExpr *member = ARENA_NEW(k->checked, TExpr);
    *member = *whole_place(accumulated(use));
    Var *part = func_var(k, VAR_LOCAL, place_name(k, member), member->type, member->span);
    part->is_mutable = part->kernel_level = true;
    TStmt *before = stmt_new(k, TS_DECL, member->span),
          *behind = stmt_new(k, TS_ASSIGN, member->span);
    before->var = part;
    before->value = behind->target = member;
    behind->value = tx_var(k, part, member->span);
    stmt_add(k, before);
    vec_push(k->c->arena, &fs->behind, behind);
    for (int i = 0; i < fs->uses.count; i++) {
        Use *u = &fs->uses.items[i];
        if (u->var != v || !is_same_member(whole_place(accumulated(u)), member))
            continue;
        TExpr *place = whole_place(accumulated(u));
        *place = *tx_var(k, part, place->span);
        u->var = part;
    }
}

/* The bounds of a loop are computed before the statements that will be added before it. */
static void
keep_bounds(Checker *k, TStmt *loop)
{
    TExprs *bounds[] = {&loop->from, &loop->to, &loop->step};
    for (int i = 0; i < loop->from.count; i++)
        for (int b = 0; b < 3; b++) {
            TExpr **bound = &bounds[b]->items[i];
            if (*bound && !is_uniform(*bound))
                *bound = tx_stable(k, *bound);
        }
}

static void
take_out_members(Checker *k, TStmt *loop)
{
    FuncState *fs = k->func;
    bool kept = false;
    for (int i = 0; i < fs->uses.count; i++) {
        if (!only_members(fs, fs->uses.items[i].var))
            continue;
        if (!kept)
            keep_bounds(k, loop);
        kept = true;
        take_out_member(k, &fs->uses.items[i]);
    }
}

void
finish_uses(Checker *k, TStmt *loop)
{
    FuncState *fs = k->func;
    if (!loop_runs_once(loop) && !warn_lost(k))
        warn_accumulated(k);
    take_out_members(k, loop);
    for (int i = 0; i < fs->uses.count; i++) {
        Var *v = fs->uses.items[i].var;
        AtomicOp op = ATOMIC_ADD;
        v->shared = true;
        if (!known_reduction(loop, v) && is_reduction(fs, v, &op))
            vec_push(k->c->arena, &loop->reductions, (Reduction){v, op});
    }
    for (int i = 0; i < fs->uses.count; i++) {
        const Use *u = &fs->uses.items[i];
        bool reduction = known_reduction(loop, u->var);
        if (u->stmt) {
            u->stmt->is_reduction = reduction;
            u->stmt->is_atomic = !reduction;
        } else if (u->atomic && reduction) {
            u->atomic->reduction = true;
            u->atomic->is_shared = false;
        } else if (u->atomic && u->atomic->type->kind != TYPE_SCALAR) {
            TExpr *whole = ARENA_NEW(k->checked, TExpr);
            *whole = *u->atomic;
            *u->atomic = *split_atomic(k, whole);
        }
    }
    fs->uses.count = 0;
}
