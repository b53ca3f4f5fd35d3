/* What is wrong with every iteration of a parallel loop: races that can be seen, where iterations
 * read an element which another one stores to, such as `for i in x { x[i] = x[i + 1]; }`; indices
 * that leave the field, also those such as `(i - 1) % N`, which are negative at the edge; and
 * quotients of integers that are the same float in all of them.
 *
 * Only what every iteration does is looked at: neither what stands under a condition, as in updates
 * of every second cell, nor what comes after an iteration may have ended. Elements are told apart
 * by their distance from the loop variables, or by what % and its like make of that. */
#include "config.h"

#include "check/check_func.h"

enum { NEAR = 4 }; /* cells that a range whose ends are not known is taken to have */

/* An index: a loop variable, or NULL, and what is added to it, which may differ; and what is made
 * of the sum, such as i % 8 and i / 8, by which iterations so far apart have one element. */
typedef struct {
    const Var *var;
    int64_t low, high;
    Op fold;
    int64_t by;    /* 0: nothing is made of it */
    bool is_minus; /* the variable is taken from the number */
} Index;

/* An element that every iteration reads or stores to. */
typedef struct {
    const TExpr *place; /* TX_FIELD, or TX_ELEM of a variable that iterations share */
    Index index[AXIS_MAX];
    int after; /* that many reads */
} Touch;

/* The value that a variable has in the whole body: that of a `let`, or the numbers of a range. */
typedef struct {
    const Var *var;
    const TExpr *value; /* NULL: low to high */
    int64_t low, high;
} Known;

typedef struct {
    Checker *k;
    const TStmt *loop;
    VEC(Touch) reads, stores;
    VEC(Known) known;
    bool ended;   /* the iteration may be over, or have a lock */
    bool outside; /* an index that leaves its field is told */
} Search;

/* ---- indices ---- */

static bool find_index(const Search *s, const TExpr *e, int part, Index *out);

static bool
is_loop_variable(const TStmt *loop, const Var *v)
{
    for (int n = 0; n < loop->vars.count; n++)
        if (loop->vars.items[n] == v)
            return true;
    return false;
}

/* What is known of a variable that is not one of the loop's; NULL: nothing. */
static const Known *
find_known(const Search *s, const Var *v)
{
    for (int n = 0; n < s->known.count; n++)
        if (s->known.items[n].var == v)
            return &s->known.items[n];
    return NULL;
}

/* Numbers too large to be a distance are left alone, so that nothing overflows. */
static bool
is_small(int64_t n)
{
    return n > -((int64_t)1 << 40) && n < (int64_t)1 << 40;
}

static bool
find_sum(const Search *s, const TExpr *e, int part, Index *out)
{
    Index a, b;
    if (!find_index(s, e->a, part, &a) || !find_index(s, e->b, part, &b) || !is_small(a.low) ||
        !is_small(a.high) || !is_small(b.low) || !is_small(b.high))
        return false;
    if (e->op == OP_SUB && !b.var)
        *out = (Index){.var = a.var, .low = a.low - b.high, .high = a.high - b.low};
    else if (e->op == OP_ADD && !(a.var && b.var))
        *out = (Index){.var = a.var ? a.var : b.var, .low = a.low + b.low, .high = a.high + b.high};
    else
        return false;
    return true;
}

/* Where an index, or the component `*part` of a vector of indices, is computed: behind casts,
 * vectors and `let`. */
static const TExpr *
find_origin(const Search *s, const TExpr *e, int *part)
{
    for (;;) {
        const TExpr *from = NULL, *at = e->args.count == 1 ? e->args.items[0] : NULL;
        const Known *known = e->kind == TX_VAR ? find_known(s, e->var) : NULL;
        int component = *part;
        if (known)
            from = known->value;
        else if (e->kind == TX_CAST && type_is_integer(e->type) && type_is_integer(e->a->type) &&
                 scalar_info(e->type->scalar)->bytes >= 4)
            from = e->a;
        else if (e->kind == TX_SPLAT) {
            from = e->a;
            component = 0;
        } else if (e->kind == TX_MAKE && *part < e->args.count) {
            from = e->args.items[*part];
            component = 0;
        } else if (e->kind == TX_ELEM && e->a->type->kind == TYPE_VECTOR && at &&
                   at->kind == TX_CONST) {
            from = e->a;
            component = (int)at->value.leaves[0].i;
        }
        if (!from)
            return e;
        e = from;
        *part = component;
    }
}

/* What an index, or one component of a vector of indices, is made of; false: something else. */
static bool
find_index(const Search *s, const TExpr *e, int part, Index *out)
{
    e = find_origin(s, e, &part);
    if (e->kind == TX_CONST) {
        const int64_t n = e->value.leaves[part].i;
        *out = (Index){.low = n, .high = n};
        return true;
    }
    if (e->kind == TX_VAR) {
        const Known *known = find_known(s, e->var);
        *out = known ? (Index){.low = known->low, .high = known->high} : (Index){.var = e->var};
        return known || is_loop_variable(s->loop, e->var);
    }
    return e->kind == TX_BINARY && type_is_integer(e->type) && find_sum(s, e, part, out);
}

/* How far apart variables are that surely have one element by `i op n`; 0: not known. */
static int64_t
fold_distance(Op op, int64_t n)
{
    int64_t above = 1;
    while (op == OP_AND && is_small(n) && above <= n)
        above *= 2;
    switch ((int)op) {
    case OP_MOD: return n > 0 && is_small(n) ? n : 0;
    case OP_DIV: return n > 1 && is_small(n) ? n : 0;
    case OP_AND: return n >= 0 && is_small(n) ? above : 0;
    case OP_SHR: return n > 0 && n < 32 ? (int64_t)1 << n : 0;
    default: return 0;
    }
}

/* An index, or what `op` makes of one and a constant. */
static bool
find_folded(const Search *s, const TExpr *e, Index *out)
{
    int part = 0;
    Index by;
    if (find_index(s, e, 0, out))
        return true;
    e = find_origin(s, e, &part);
    if (e->kind != TX_BINARY || !type_is_integer(e->type) || !find_index(s, e->a, part, out) ||
        !find_index(s, e->b, part, &by) || !out->var || by.var || by.low != by.high)
        return false;
    out->fold = e->op;
    out->by = fold_distance(e->op, by.low);
    return out->by > 0;
}

/* An index such as 63 - i. */
static bool
find_mirrored(const Search *s, const TExpr *e, Index *out)
{
    int part = 0;
    Index from, by;
    e = find_origin(s, e, &part);
    if (e->kind != TX_BINARY || e->op != OP_SUB || !type_is_integer(e->type) ||
        !find_index(s, e->a, part, &from) || !find_index(s, e->b, part, &by) || from.var ||
        !by.var || from.low != from.high || by.low != by.high || !is_small(from.low) ||
        !is_small(by.low))
        return false;
    *out = (Index){.var = by.var, .low = from.low - by.low, .high = from.low - by.low,
                   .is_minus = true};
    return true;
}

/* ---- numbers of loop variables ---- */

static int
number_of_variable(const TStmt *loop, const Var *v)
{
    int n = 0;
    while (loop->vars.items[n] != v)
        n++;
    return n;
}

/* Loop variables go by axis. */
static int
axis_of_variable(const Node *node, int n)
{
    for (int axis = 0;; axis++)
        if ((node->path_axes >> axis & 1) && n-- == 0)
            return axis;
}

/* Are all nodes on the way to it dense, so that each of its cells is visited? */
static bool
is_all_dense(const Node *node)
{
    for (; node; node = node->parent)
        if (node->kind != NODE_DENSE)
            return false;
    return true;
}

/* The first and the last number of a loop variable, which has all between them; false: they are not
 * known, or there are none. */
static bool
find_numbers(const TStmt *loop, const Var *v, int64_t *first, int64_t *last)
{
    const int n = number_of_variable(loop, v);
    if (loop->kind == TS_RANGE) {
        const TExpr *from = loop->from.items[n], *to = loop->to.items[n];
        if (from->kind != TX_CONST || to->kind != TX_CONST || loop->step.items[n])
            return false;
        *first = from->value.leaves[0].i;
        *last = to->value.leaves[0].i - 1;
    } else {
        if (!loop->node || !is_all_dense(loop->node))
            return false;
        const int axis = axis_of_variable(loop->node, n);
        *first = loop->node->offset[axis];
        *last = *first + loop->node->coord_extent[axis] - 1;
    }
    return *first <= *last && is_small(*first) && is_small(*last);
}

/* The least and the greatest number that an index has, in some iterations. */
static bool
find_extremes(const Search *s, const TExpr *e, int part, int64_t *least, int64_t *greatest)
{
    Index index;
    if (!find_index(s, e, part, &index) || !is_small(index.low) || !is_small(index.high))
        return false;
    *least = *greatest = 0;
    if (index.var && !find_numbers(s->loop, index.var, least, greatest))
        return false;
    *least += index.low;
    *greatest += index.high;
    return true;
}

/* ---- indices outside ---- */

/* The index of a field that some iteration surely has beyond its edge; constant ones are told
 * elsewhere. */
static void
warn_outside(Search *s, const TExpr *place, int axis)
{
    const Field *f = place->field;
    const TExpr *e = place->args.items[axis];
    int64_t least, greatest, first = f->offsets[axis], last = first + f->extents[axis] - 1;
    const FuncState *fs = s->k->func;
    if (s->outside || f->boundary != BOUNDARY_NONE || !f->extents[axis] || fs->never ||
        fs->func->fails || f->node->layout->offset_refused || e->kind == TX_CONST ||
        e->type->kind != TYPE_SCALAR || !find_extremes(s, e, 0, &least, &greatest) ||
        least == greatest || (least >= first && greatest <= last))
        return;
    s->outside = true;
    Diag *d = diag(s->k->c, W0301, e->span,
                   "this index is also %lld, which is out of range: %s has %lld to %lld along axis "
                   "%d",
                   (long long)(least < first ? least : greatest), f->name, (long long)first,
                   (long long)last, axis);
    if (s->loop->kind == TS_CELLS)
        diag_fix(d, "an if around it, or @boundary(clamp) before the field");
}

/* ---- quotients ---- */

/* 2.0 * (i / N), where i < N: the quotient of integers is the same number for all i. */
static void
warn_quotient(const Search *s, const TExpr *e)
{
    int64_t least, greatest, by, same;
    const TExpr *q = e->a;
    if (e->kind != TX_CAST || !type_is_float(e->type) || q->kind != TX_BINARY || q->op != OP_DIV ||
        e->type->kind != TYPE_SCALAR || !type_is_integer(q->type) ||
        e->span.from != q->span.from || e->span.to != q->span.to)
        return; /* a cast that is written is meant */
    if (!find_extremes(s, q->a, 0, &least, &greatest) || !find_extremes(s, q->b, 0, &by, &same) ||
        by != same || by <= 0 || least == greatest || least / by != greatest / by)
        return;
    Diag *d = diag(s->k->c, W0303, e->span,
                   "this is a division of integers, which is %lld in each iteration; a float keeps "
                   "the fraction",
                   (long long)(least / by));
    diag_guess(d, q->a->span, "%s(%s)", e->type->name, source_text(s->k, q->a->span));
}

/* ---- negative remainders ---- */

/* The first number of a loop variable, which some iteration has. */
static bool
find_first(const TStmt *loop, const Var *v, int64_t *first)
{
    const Node *top = loop->node;
    const int n = number_of_variable(loop, v);
    if (loop->kind == TS_RANGE) {
        const TExpr *from = loop->from.items[n], *step = loop->step.items[n];
        *first = from->value.leaves ? from->value.leaves[0].i : 0;
        return from->kind == TX_CONST && is_small(*first) &&
               (!step || (step->kind == TX_CONST && step->value.leaves[0].i > 0));
    }
    while (top && top->parent)
        top = top->parent;
    *first = 0;
    return top && !top->has_offset && !node_is_sparse(loop->node);
}

/* A difference such as i - s, where i may be 0 and of s nothing is known. */
static bool
is_open_difference(const Search *s, const TExpr *e, int part)
{
    Index from, taken;
    int64_t first = 0;
    e = find_origin(s, e, &part);
    if (e->kind != TX_BINARY || e->op != OP_SUB || !find_index(s, e->a, part, &from) ||
        find_index(s, e->b, part, &taken))
        return false;
    e = find_origin(s, e->b, &part);
    return from.low <= 0 && (!from.var || (find_first(s->loop, from.var, &first) && first <= 0)) &&
           (e->kind == TX_VAR || e->kind == TX_PARAM || e->kind == TX_FIELD ||
            e->kind == TX_ELEM);
}

/* The index `(i - 1) % N` or `(i - s) % N` of a field that has none below 0. */
static void
warn_negative(const Search *s, const TExpr *place, int axis)
{
    int part = 0;
    Index divided;
    int64_t first = 0;
    const TExpr *e = find_origin(s, place->args.items[axis], &part);
    if (e->kind != TX_BINARY || e->op != OP_MOD || scalar_info(e->type->scalar)->kind != KIND_INT ||
        place->field->boundary != BOUNDARY_NONE || place->field->offsets[axis] < 0)
        return;
    Diag *d;
    if (is_open_difference(s, e->a, part)) {
        d = diag(s->k->c, W0304, e->span,
                 "this index may be negative, as the remainder of a negative number is, and "
                 "indices of '%s' begin at %lld",
                 place->field->name, (long long)place->field->offsets[axis]);
    } else {
        if (!find_index(s, e->a, part, &divided) ||
            (divided.var && !find_first(s->loop, divided.var, &first)))
            return;
        const int64_t divisor = e->b->kind == TX_CONST ? e->b->value.leaves[part].i : 0;
        first += divided.low;
        if (first >= 0 || (divisor && first % divisor == 0))
            return;
        d = diag(s->k->c, W0304, e->span,
                 "this index is negative at the edge: the remainder of %lld is, and indices of "
                 "'%s' begin at %lld",
                 (long long)first, place->field->name, (long long)place->field->offsets[axis]);
    }
    diag_edit(d, e->span, "floormod(%s, %s)", source_text(s->k, e->a->span),
              source_text(s->k, e->b->span));
}

/* ---- what every iteration does ---- */

static void look_at_expr(Search *s, const TExpr *e);
static void look_at_stmt(Search *s, const TStmt *st);

static void
warn_indices(Search *s, const TExpr *place)
{
    for (int a = 0; a < place->args.count; a++) {
        warn_negative(s, place, a);
        warn_outside(s, place, a);
    }
}

/* An element of a field, or of an array or a vector that is not the iteration's own. */
static bool
is_shared_element(const TExpr *e)
{
    const Var *v = e->kind == TX_ELEM && e->a->kind == TX_VAR ? e->a->var : NULL;
    return e->kind == TX_FIELD ||
           (v && (v->kernel_level || v->kind == VAR_ARG) && e->args.count <= AXIS_MAX);
}

static bool
find_touch(const Search *s, const TExpr *place, Touch *out)
{
    if (!is_shared_element(place))
        return false;
    *out = (Touch){.place = place, .after = s->reads.count};
    for (int a = 0; a < place->args.count; a++)
        if (!find_folded(s, place->args.items[a], &out->index[a]) &&
            !find_mirrored(s, place->args.items[a], &out->index[a]))
            return false;
    return true;
}

static void
note_read(Search *s, const TExpr *e)
{
    Touch touch;
    if (find_touch(s, e, &touch))
        vec_push(s->k->c->scratch, &s->reads, touch);
}

static void
look_at_all(Search *s, const TExprs *list)
{
    for (int n = 0; n < list->count; n++)
        look_at_expr(s, list->items[n]);
}

/* What a function reads is not known, what it is given is. */
static void
look_at_call(Search *s, const TExpr *e)
{
    for (int n = 0; n < e->args.count; n++)
        if (e->func->params.items[n]->mode != PARAM_INOUT)
            look_at_expr(s, e->args.items[n]);
}

static void
look_at_expr(Search *s, const TExpr *e)
{
    if (!e || e->kind == TX_ATOMIC || e->kind == TX_ADDRESS)
        return;
    if (e->kind == TX_CALL) {
        look_at_call(s, e);
        return;
    }
    if (e->kind == TX_FIELD)
        warn_indices(s, e);
    warn_quotient(s, e);
    note_read(s, e);
    look_at_expr(s, e->a);
    if (e->kind == TX_COND || (e->kind == TX_BINARY && (e->op == OP_LAND || e->op == OP_LOR)))
        return; /* the rest is for some iterations */
    look_at_expr(s, e->b);
    look_at_expr(s, e->c);
    look_at_all(s, &e->args);
}

static void
look_at_assignment(Search *s, const TStmt *st)
{
    Touch touch;
    look_at_expr(s, st->value);
    if (!is_shared_element(st->target))
        return; /* a part of an element may be one that nobody reads */
    look_at_all(s, &st->target->args);
    if (st->target->kind == TX_FIELD)
        warn_indices(s, st->target);
    if (st->op != OP_NONE && !st->is_atomic && !st->is_reduction)
        note_read(s, st->target);
    if (find_touch(s, st->target, &touch))
        vec_push(s->k->c->scratch, &s->stores, touch);
}

/* May an iteration end in the statement, or leave the loop in it? */
static bool
may_end(const TStmt *st)
{
    if (!st)
        return false;
    bool ends = st->kind == TS_CONTINUE || st->kind == TS_RETURN || st->kind == TS_BREAK;
    for (int n = 0; n < st->stmts.count && !ends; n++)
        ends = may_end(st->stmts.items[n]);
    return ends || may_end(st->body) || may_end(st->orelse);
}

/* Does the iteration take a lock, as far as one can tell: what follows is done by one at a time. */
static bool
takes_lock(const TExpr *e)
{
    if (!e)
        return false;
    const bool swaps = e->kind == TX_ATOMIC && !e->reduction &&
                       (e->atomic == ATOMIC_CAS || e->atomic == ATOMIC_EXCHANGE);
    return swaps || takes_lock(e->a) || takes_lock(e->b) || takes_lock(e->c);
}

/* A sequential loop over constant ranges that are not empty runs in every iteration. */
static void
look_at_range(Search *s, const TStmt *st)
{
    const int before = s->known.count;
    bool runs = true;
    for (int n = 0; n < st->vars.count && runs; n++) {
        const TExpr *from = st->from.items[n], *to = st->to.items[n];
        runs = from->kind == TX_CONST && to->kind == TX_CONST && !st->step.items[n] &&
               from->value.leaves[0].i < to->value.leaves[0].i;
        if (runs)
            vec_push(s->k->c->scratch, &s->known,
                     (Known){.var = st->vars.items[n],
                             .low = from->value.leaves[0].i,
                             .high = to->value.leaves[0].i - 1});
    }
    if (runs && !may_end(st->body))
        look_at_stmt(s, st->body);
    s->known.count = before;
}

static void
look_at_stmt(Search *s, const TStmt *st)
{
    s->ended |= takes_lock(st->value);
    if (s->ended)
        return;
    switch ((int)st->kind) {
    case TS_BLOCK:
        for (int n = 0; n < st->stmts.count; n++)
            look_at_stmt(s, st->stmts.items[n]);
        return;
    case TS_DECL:
        look_at_expr(s, st->value);
        if (st->value && st->var->is_let)
            vec_push(s->k->c->scratch, &s->known, (Known){.var = st->var, .value = st->value});
        return;
    case TS_ASSIGN: look_at_assignment(s, st); return;
    case TS_EXPR: look_at_expr(s, st->value); return;
    case TS_IF: look_at_expr(s, st->value); break;
    case TS_RANGE: look_at_range(s, st); break;
    default: break;
    }
    s->ended |= may_end(st);
}

/* ---- do they meet? ---- */

/* Does some iteration have another one so many cells on along a variable of a range? */
static bool
range_reaches(const TStmt *loop, int n, int64_t distance)
{
    const TExpr *from = loop->from.items[n], *to = loop->to.items[n], *step = loop->step.items[n];
    if (step)
        return false;
    if (from->kind != TX_CONST || to->kind != TX_CONST)
        return distance <= NEAR;
    return distance < to->value.leaves[0].i - from->value.leaves[0].i;
}

/* The same of active cells: those of a dense node come together. */
static bool
cells_reach(const TStmt *loop, int n, int64_t distance)
{
    const Node *node = loop->node;
    if (!node || node->kind != NODE_DENSE)
        return false;
    const int axis = axis_of_variable(node, n);
    for (int a = 0; a < node->axis_count; a++)
        if (node->axes[a] == axis)
            return node->sizes[a] == 0 ? distance <= NEAR : distance < node->sizes[a];
    return false;
}

static bool
reaches(const TStmt *loop, const Var *v, int64_t distance)
{
    const int n = number_of_variable(loop, v);
    distance = distance < 0 ? -distance : distance;
    return loop->kind == TS_RANGE ? range_reaches(loop, n, distance)
                                  : cells_reach(loop, n, distance);
}

/* The distance between these two that is nearest to 0, and 0 only if there is no other. */
static int64_t
nearest_other(int64_t low, int64_t high)
{
    if (low > 0 || high < 0)
        return low > 0 ? low : high;
    return high > 0 ? 1 : low < 0 ? -1 : 0;
}

/* A range from a constant to a number that is not known; whoever writes i % 8 there has more than
 * 8 in mind. */
static bool
is_open_range(const TStmt *loop, const Var *v)
{
    const int n = number_of_variable(loop, v);
    return loop->kind == TS_RANGE && !loop->step.items[n] &&
           loop->from.items[n]->kind == TX_CONST && loop->to.items[n]->kind != TX_CONST;
}

/* Do the indices of an element leave open which number the variable has? Of several that are made
 * of it, such as x[i / 8, i % 8], that is not known. */
static bool
leaves_open(const TStmt *loop, const Touch *store, const Var *v)
{
    const Index *only = NULL;
    for (int a = 0; a < store->place->args.count; a++) {
        if (store->index[a].var != v)
            continue;
        if (only || !store->index[a].by)
            return false;
        only = &store->index[a];
    }
    return only ? is_open_range(loop, v) || reaches(loop, v, only->by) : reaches(loop, v, 1);
}

/* Do several iterations store to the same element? */
static bool
is_stored_by_all(const TStmt *loop, const Touch *store)
{
    for (int n = 0; n < loop->vars.count; n++)
        if (leaves_open(loop, store, loop->vars.items[n]))
            return true;
    return false;
}

static bool
are_of_one(const TExpr *a, const TExpr *b)
{
    return a->kind == b->kind &&
           (a->kind == TX_FIELD ? a->field == b->field : a->a->var == b->a->var);
}

/* x[j, i] beside x[i, j]: indices are the loop variables, in another order, and these have the same
 * numbers. */
static bool
meet_transposed(const TStmt *loop, const Touch *store, const Touch *read)
{
    int64_t first = 0, last = 0, other_first, other_last;
    bool other = false;
    for (int a = 0; a < store->place->args.count; a++) {
        const Index *to = &store->index[a], *from = &read->index[a];
        if (!to->var || !from->var || to->low || to->high || from->low || from->high || to->by ||
            from->by || !find_numbers(loop, to->var, &first, &last) ||
            !find_numbers(loop, from->var, &other_first, &other_last) || first != other_first ||
            last != other_last || first == last)
            return false;
        other |= to->var != from->var;
        for (int b = 0; b < a; b++)
            if (store->index[b].var == to->var || read->index[b].var == from->var)
                return false;
    }
    return other;
}

/* v[63 - i] beside v[i]: does some number have another one on the other side? */
static bool
meet_mirrored(const TStmt *loop, const Index *to, const Index *from)
{
    int64_t first, last;
    if (to->is_minus == from->is_minus || to->by || from->by || from->low != from->high ||
        !find_numbers(loop, to->var, &first, &last))
        return false;
    const int64_t sum = to->is_minus ? to->low - from->low : from->low - to->low;
    const int64_t low = sum - last > first ? sum - last : first,
                  high = sum - first < last ? sum - first : last;
    return low < high;
}

/* Does an iteration read the element that another one stores to? What an iteration stored before
 * is the same for all, or they race by that alone. */
static bool
meet(const TStmt *loop, const Touch *store, const Touch *read)
{
    bool other = read->after < store->after && is_stored_by_all(loop, store);
    if (!are_of_one(store->place, read->place))
        return false;
    if (meet_transposed(loop, store, read))
        return true;
    for (int a = 0; a < store->place->args.count; a++) {
        const Index *to = &store->index[a], *from = &read->index[a];
        if (to->var != from->var || to->low != to->high || to->fold != from->fold ||
            to->by != from->by)
            return false;
        if (to->is_minus != from->is_minus) {
            if (!meet_mirrored(loop, to, from))
                return false;
            other = true;
            continue;
        }
        int64_t low = from->low - to->low, high = from->high - to->low;
        if ((!to->var || to->by) && (low || high))
            return false;
        const int64_t nearest = nearest_other(low, high);
        if (nearest && !reaches(loop, to->var, nearest))
            return false;
        other |= nearest != 0;
    }
    return other;
}

static void
report_race(Checker *k, const TStmt *loop, const Touch *store, const Touch *read)
{
    Diag *d = diag(k->c, W0503, read->place->span,
                   "iterations run in parallel: another one may store to this element "
                   "before this one reads it, or after");
    if (read->place != store->place)
        diag_note(d, store->place->span, "each stores here");
    if (is_stored_by_all(loop, store))
        diag_fix(d, "+=, atomic_min, atomic_max or their like, or @serial before the loop");
    else
        diag_fix(d, "store to another %s, or @serial before the loop",
                 read->place->kind == TX_FIELD ? "field" : "array");
}

bool
loop_runs_once(const TStmt *loop)
{
    for (int n = 0; n < loop->from.count; n++) {
        const TExpr *from = loop->from.items[n], *to = loop->to.items[n];
        if (!from || !to || from->kind != TX_CONST || to->kind != TX_CONST ||
            loop->step.items[n] ||
            to->value.leaves[0].i > from->value.leaves[0].i + 1)
            return false;
    }
    return loop->kind == TS_RANGE;
}

void
warn_iteration(Checker *k, const TStmt *loop)
{
    Search s = {.k = k, .loop = loop};
    if (k->c->error_count || (loop->kind != TS_RANGE && loop->kind != TS_CELLS))
        return;
    look_at_stmt(&s, loop->body);
    for (int n = 0; n < s.stores.count && !loop_runs_once(loop); n++)
        for (int r = 0; r < s.reads.count; r++)
            if (meet(loop, &s.stores.items[n], &s.reads.items[r])) {
                report_race(k, loop, &s.stores.items[n], &s.reads.items[r]);
                return;
            }
}
