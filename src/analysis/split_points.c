/* Finds where to split a loop so that each question about its last index has one answer. */
#include "config.h"

#include "analysis/split_points.h"

#include "analysis/kernel_invariant.h"
#include "ir/inst_info.h"

enum { DEPTH_MOST = 16 };          /* rounds at an end of a loop, where that is a number */
enum { TIMES_MOST = 1 << 10 };
static const int64_t number_most = (int64_t)1 << 40;
static const int64_t index_most = (int64_t)1 << 50; /* of 64 bits: no sum of an index up to here and
                                                     * of numbers of 32 bits wraps */

/* ---- sums ---- */

static bool
add_term(InvariantSum *s, const Inst *what, int64_t times)
{
    int n = 0;
    while (n < s->count && !kernel_invariant_is_same(s->terms[n].what, what))
        n++;
    if (n == INVARIANT_TERMS_MOST)
        return false;
    if (n == s->count)
        s->terms[s->count++] = (InvariantTerm){what, 0};
    s->terms[n].times += times;
    if (s->terms[n].times < -TIMES_MOST || s->terms[n].times > TIMES_MOST)
        return false;
    if (!s->terms[n].times)
        s->terms[n] = s->terms[--s->count];
    return true;
}

/* a += times b */
static bool
add(InvariantSum *a, const InvariantSum *b, int64_t times)
{
    a->number += times * b->number;
    bool fits = a->number >= -number_most && a->number <= number_most;
    for (int n = 0; n < b->count && fits; n++)
        fits = add_term(a, b->terms[n].what, times * b->terms[n].times);
    return fits;
}

SplitRange
split_range_number(int64_t number)
{
    bool known = number >= -number_most && number <= number_most;
    return (SplitRange){.known = known, .exact = true, .low.number = number, .high.number = number};
}

SplitRange
split_range_invariant(const Inst *i)
{
    const InvariantSum one = {.count = 1, .terms = {{i, 1}}};
    return (SplitRange){.known = true, .exact = true, .low = one, .high = one};
}

SplitRange
split_range_index(void)
{
    return (SplitRange){.known = true, .exact = true, .times = 1};
}

SplitRange
split_range_between(const SplitRange *from, const SplitRange *to)
{
    SplitRange x = {.known = from->known && to->known && !from->times && !to->times,
               .exact = from->exact && to->exact,
               .low = from->low,
               .high = to->high};
    x.high.number--;
    return x;
}

SplitRange
split_range_add(const SplitRange *a, const SplitRange *b, int64_t times)
{
    SplitRange x = *a;
    x.exact = false;
    x.times += times * b->times;
    x.known = a->known && b->known && times >= -TIMES_MOST && times <= TIMES_MOST &&
              x.times >= -TIMES_MOST && x.times <= TIMES_MOST &&
              add(&x.low, times < 0 ? &b->high : &b->low, times) &&
              add(&x.high, times < 0 ? &b->low : &b->high, times);
    return x;
}

SplitRange
split_range_times(const SplitRange *a, int64_t times)
{
    const SplitRange zero = split_range_number(0);
    return split_range_add(&zero, a, times);
}

/* ---- cuts ---- */

static void
note_end(Inst *i, SplitPoints *s)
{
    if (i->kind == INST_PARAM)
        vec_push(s->c->scratch, &s->ends, i->param);
    if (i->kind == INST_VAR)
        vec_push(s->c->scratch, &s->ends, i->var);
    for (int a = 0; a < i->args.count; a++)
        note_end(i->args.items[a], s);
}

static void
note_size(const TExpr *e, SplitPoints *s)
{
    if (!e)
        return;
    if (e->kind == TX_PARAM)
        vec_push(s->c->scratch, &s->ends, e->param);
    note_size(e->a, s);
    note_size(e->b, s);
    note_size(e->c, s);
    for (int a = 0; a < e->args.count; a++)
        note_size(e->args.items[a], s);
}

void
split_points_begin(SplitPoints *s, Compile *c, const Task *t, int last)
{
    const Node *n = t->node;
    *s = (SplitPoints){.c = c,
                       .is_wide = scalar_info(t->vars.items[last]->type->scalar)->bytes == 8};
    if (t->kind == TASK_RANGE_FOR) {
        const Inst *from = t->from.items[last], *to = t->to.items[last];
        s->has_from = from->kind == INST_CONST, s->has_to = to->kind == INST_CONST;
        s->from = s->has_from ? from->value.leaves[0].i : 0,
        s->to = s->has_to ? to->value.leaves[0].i : 0;
        note_end(t->to.items[last], s);
    } else {
        const int axis = n->axis_count - 1, a = n->axes[axis];
        s->has_from = true;
        if (n->parent) {
            s->has_to = true;
            s->from = n->offset[a] / n->cell_extent[a], s->to = s->from + n->coord_extent[a];
        } else {
            s->has_to = !n->size_expr[axis], s->to = n->sizes[axis];
            note_size(n->size_expr[axis], s);
        }
    }
    s->low = s->from, s->has_low = s->has_from;
    s->high = s->to - 1, s->has_high = s->has_to;
}

static bool
is_of_end(const SplitPoints *s, const Inst *i)
{
    bool found = i->kind == INST_EXTENT;
    for (int n = 0; n < s->ends.count && !found; n++)
        found = (i->kind == INST_PARAM && s->ends.items[n] == i->param) ||
                (i->kind == INST_VAR && s->ends.items[n] == i->var);
    for (int a = 0; a < i->args.count && !found; a++)
        found = is_of_end(s, i->args.items[a]);
    return found;
}

/* Is it near the end of the loop, by what it is made of? */
static bool
has_end(const SplitPoints *s, const InvariantSum *at)
{
    for (int n = 0; n < at->count; n++)
        if (at->terms[n].times > 0 && is_of_end(s, at->terms[n].what))
            return true;
    return false;
}

static int64_t
divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The cut at which times x index + x <= 0. */
static SplitPoint
cut_at(int64_t times, const InvariantSum *x)
{
    SplitPoint cut = {.upper = times > 0, .times = times > 0 ? times : -times};
    add(&cut.at, x, times > 0 ? -1 : 1);
    if (!cut.at.count) {
        cut.at.number = cut.upper ? divide_down(cut.at.number, cut.times)
                                  : -divide_down(-cut.at.number, cut.times);
        cut.times = 1;
    }
    return cut;
}

bool
split_points_may_wrap(const Inst *i)
{
    const ScalarInfo *info = scalar_info(i->type->scalar);
    if (i->kind == INST_EXTENT || (info->bytes < 8 && info->kind != KIND_FLOAT))
        return false;
    bool wide = i->kind != INST_CAST &&
                (i->kind != INST_BINARY || (i->op != OP_ADD && i->op != OP_SUB));
    if (i->kind == INST_CONST)
        wide = i->value.leaves[0].i < -number_most || i->value.leaves[0].i > number_most;
    for (int a = 0; a < i->args.count && !wide; a++)
        wide = split_points_may_wrap(i->args.items[a]);
    return wide;
}

static bool
has_wide(const InvariantSum *x)
{
    bool has = false;
    for (int n = 0; n < x->count && !has; n++)
        has = split_points_may_wrap(x->terms[n].what);
    return has;
}

static bool
has_same_terms(const InvariantSum *a, const InvariantSum *b)
{
    bool same = a->count == b->count;
    for (int n = 0; n < a->count && same; n++) {
        int k = 0;
        while (k < b->count && !kernel_invariant_is_same(a->terms[n].what, b->terms[k].what))
            k++;
        same = k < b->count && a->terms[n].times == b->terms[k].times;
    }
    return same;
}

/* The cut at the same place but for a number, or NULL. */
static SplitPoint *
similar(const SplitPoints *s, const SplitPoint *cut)
{
    for (int n = 0; n < s->list.count; n++) {
        SplitPoint *other = &s->list.items[n];
        if (other->upper == cut->upper && other->times == cut->times &&
            has_same_terms(&other->at, &cut->at))
            return other;
    }
    return NULL;
}

/* Do the cuts made hold the index inside of this one? */
static bool
is_implied(const SplitPoints *s, const SplitPoint *cut)
{
    if (!cut->at.count)
        return cut->upper ? s->has_high && s->high <= cut->at.number
                          : s->has_low && s->low >= cut->at.number;
    const SplitPoint *other = similar(s, cut);
    return other &&
           (cut->upper ? other->at.number <= cut->at.number : other->at.number >= cut->at.number);
}

static bool
is_near(bool known, int64_t end, int64_t number)
{
    return known && number >= end - DEPTH_MOST && number <= end + DEPTH_MOST;
}

/* Does the cut leave most of the loop inside, as far as one can guess? */
static bool
is_small(const SplitPoints *s, const SplitPoint *cut)
{
    const bool ends = has_end(s, &cut->at);
    if (cut->upper)
        return s->has_to ? is_near(true, s->to, cut->at.number) : ends;
    return !ends && (s->has_from ? is_near(true, s->from, cut->at.number) : cut->at.count > 0);
}

/* Holds the index below and above, if it has 64 bits. */
static void
hold_index(SplitPoints *s)
{
    if (!s->is_wide)
        return;
    s->high = s->has_high && s->high < index_most ? s->high : index_most, s->has_high = true;
    s->low = s->has_low && s->low > -index_most ? s->low : -index_most, s->has_low = true;
}

/* Of a cut that is not implied: it is nearer than those that were made. */
static void
make(SplitPoints *s, const SplitPoint *cut)
{
    SplitPoint *other = cut->at.count ? similar(s, cut) : NULL;
    const int64_t number = cut->at.number;
    if (other)
        other->at.number = number;
    else if (cut->at.count)
        vec_push(s->c->scratch, &s->list, *cut);
    else if (cut->upper)
        s->high = number, s->has_high = true;
    else
        s->low = number, s->has_low = true;
    if (has_wide(&cut->at))
        hold_index(s);
}

/* What must not be above 0 for a + by <= b. */
static SplitRange
difference(const SplitRange *a, const SplitRange *b, int64_t by)
{
    SplitRange d = split_range_add(a, b, -1);
    d.high.number += by;
    return d;
}

/* Is times x index + high <= 0 inside? Says by *cut what makes it so, if that may. */
static bool
holds(const SplitPoints *s, const SplitRange *d, SplitPoint *cut)
{
    *cut = (SplitPoint){0};
    if (!d->times)
        return !d->high.count && d->high.number <= 0;
    *cut = cut_at(d->times, &d->high);
    return is_implied(s, cut);
}

bool
split_points_fit(SplitPoints *s, const SplitRange *a, const Type *type)
{
    if (a->exact)
        return true;
    if (scalar_info(type->scalar)->bytes == 8) {
        if (a->times)
            hold_index(s);
        return !has_wide(&a->low) && !has_wide(&a->high);
    }
    const int64_t top = INT32_MAX;
    const SplitRange least = {.known = true, .low.number = -top - 1, .high.number = -top - 1},
                most = {.known = true, .low.number = top, .high.number = top};
    const SplitRange above = difference(a, &most, 0), below = difference(&least, a, 0);
    SplitPoint high, low;
    bool high_holds = holds(s, &above, &high), low_holds = holds(s, &below, &low);
    if ((!high_holds && !high.times) || (!low_holds && !low.times))
        return false;
    if (!high_holds)
        make(s, &high);
    if (!low_holds)
        make(s, &low);
    return true;
}

/* Is it a bound that the index may reach anywhere? */
static bool
is_anywhere(const SplitPoints *s, const SplitRange *a)
{
    return !a->times && a->low.count && !has_end(s, &a->low);
}

int
split_points_compare(SplitPoints *s, const SplitRange *a, const SplitRange *b)
{
    const SplitRange below = difference(a, b, 0), above = difference(b, a, 1);
    SplitPoint yes, no;
    if (!below.known || !above.known)
        return -1;
    if (holds(s, &below, &yes))
        return 1;
    if (holds(s, &above, &no))
        return 0;
    if (is_anywhere(s, a) || is_anywhere(s, b))
        return -1;
    if (yes.times && is_small(s, &yes)) {
        make(s, &yes);
        return 1;
    }
    if (no.times && is_small(s, &no)) {
        make(s, &no);
        return 0;
    }
    return -1;
}

bool
split_points_differ(SplitPoints *s, const SplitRange *a, const SplitRange *b)
{
    SplitPoint less, more;
    const SplitRange below = difference(a, b, 1), above = difference(b, a, 1);
    if (!below.known || !above.known)
        return false;
    bool known = holds(s, &below, &less) || holds(s, &above, &more);
    if (known || is_anywhere(s, a) || is_anywhere(s, b))
        return known;
    SplitPoint *cut = less.times && is_small(s, &less)   ? &less
               : more.times && is_small(s, &more) ? &more
                                                  : NULL;
    if (cut)
        make(s, cut);
    return cut != NULL;
}

bool
split_points_leave_most(const SplitPoints *s)
{
    return !s->has_from || !s->has_to || 2 * (s->high - s->low + 1) >= s->to - s->from;
}
