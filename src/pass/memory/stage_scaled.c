/* Staging of coarser and finer grids in blocks. A loop goes over the cells of a dense node in
 * blocks, and reaches such a node at twice or half of its own indices. Each block then reaches few
 * others. They are looked up once for a block, or once for each part of a block, and no index is
 * split for a cell.
 *
 *   $0 = offloaded struct_for(S2dense) {        $0 = offloaded struct_for(S2dense)
 *       $4 = $3 / 2                                     windows(L1.S2dense) {
 *       $5 = cell L1.S2dense of c[$4] activate  →
 *       <f32> $6 = in cell $5 c                     $5 = window L1.S2dense[(i)>>1]
 *       $7 = atomic add $6 <- $2                    <f32> $6 = in cell $5 c
 *
 * Along each axis, cell d of a part that begins at cell P reaches cell (P * times >> shift) + (d *
 * times + offset >> shift). If these cells lie in one block for the whole part, they are reached
 * there. With times 2 in blocks of 8 x 8 a part is 4 x 4 cells, where the order of iterations does
 * not matter. Other cells, which are only read, come from a copy that the loop makes for each part.
 * Its rows hold side by side what neighbouring iterations read. Values at half of the indices are
 * always copied, because C compilers then vectorise.
 *
 * Activity of the cells that are read must not change. Every iteration activates what one of them
 * activates. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "analysis/window.h"
#include "ir/inst_info.h"

enum { AXES_MOST = 3, PART_LEAST = 3, PIECES_MOST = 6, BYTES_MOST = 32 << 10 };

/* A cell that is reached so. */
typedef struct {
    Inst *cell;
    Window form;   /* its node, times and shift; offsets in `low` */
    bool certain;  /* all iterations reach it */
    bool in_place; /* it lies in the block that belongs to the part */
} Reached;

typedef struct {
    Compile *c;
    const Ir *ir;
    Task *t;
    AffineFacts *indices;
    VEC(Reached) reached;
    bool fails, certain, asks; /* asks: for activity */
    bool reorders;             /* parts are allowed */
} Search;

/* ---- which loops, and which nodes ---- */

/* Are the cells of a node those of dense blocks that have all its axes? */
static bool
is_in_blocks(const Node *n)
{
    int axes = 0;
    if (!n || n->kind != NODE_DENSE || !n->parent || n->axis_count > AXES_MOST)
        return false;
    for (int k = 0; k < n->axis_count; k++) {
        axes |= 1 << n->axes[k];
        if (n->sizes[k] < 2 || n->cell_extent[n->axes[k]] != 1)
            return false;
    }
    for (const Node *p = n->parent; p; p = p->parent)
        if (p->kind == NODE_DYNAMIC)
            return false;
    return axes == n->path_axes && axes == n->parent->path_axes;
}

static int64_t
size_along(const Node *n, int axis)
{
    int k = 0;
    while (n->axes[k] != axis)
        k++;
    return n->sizes[k];
}

/* Could a product of the index be more than its type holds, and mean another cell? Numbers below
 * zero do not. */
static bool
may_wrap(const Node *loop, int axis, const Affine *x)
{
    enum { TIMES_MOST = 1 << 8, OFFSET_MOST = 3 };
    const int64_t extent = loop->coord_extent[axis], most = (int64_t)1 << 29;
    if (x->times < 1 || x->times > TIMES_MOST || x->min < -TIMES_MOST || x->min > TIMES_MOST)
        return true;
    if (loop->offset[axis] > most / x->times || loop->offset[axis] < -most / x->times)
        return true;
    return extent > 0 ? extent >= most / x->times
                      : x->times > 2 || x->min > OFFSET_MOST || x->min < -OFFSET_MOST;
}

/* Finds what the cell is to the loop; false where it is none of a window. */
static bool
find_form(const Search *s, const Inst *cell, Window *form)
{
    const Node *n = cell->node, *loop = s->t->node;
    bool plain = true;
    *form = (Window){.node = cell->node};
    if (!is_in_blocks(n) || n->path_axes != loop->path_axes || cell->args.count != s->t->vars.count)
        return false;
    for (int k = 0; k < n->axis_count; k++)
        if (n->axes[k] != loop->axes[k])
            return false;
    for (int axis = 0, k = 0; axis < AXIS_MAX; axis++) {
        if (!(n->path_axes & 1 << axis))
            continue;
        const Affine x = affine_scaled(s->indices, s->t, cell->args.items[k]);
        if (!x.known || x.var != s->t->vars.items[k] || x.min != x.max ||
            may_wrap(loop, axis, &x) || (x.times > 1 && x.shift) ||
            (x.truncates && loop->offset[axis] < 0))
            return false;
        form->times[axis] = x.times;
        form->shift[axis] = x.shift;
        form->low[axis] = form->high[axis] =
            x.min + loop->offset[axis] * x.times - n->offset[axis] * ((int64_t)1 << x.shift);
        plain &= x.times == 1 && !x.shift;
        k++;
    }
    return !plain;
}

/* ---- what is reached ---- */

/* False where the loop does what it could not see here. */
static bool
is_fit(const Search *s, const Inst *i)
{
    return (!inst_may_fail(i) || i->kind == INST_CELL) &&
           (i->kind != INST_CALL || ir_is_arithmetic(s->ir, i->func));
}

static void
look_at_block(Search *s, const Block *b, bool certain)
{
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        Reached r = {.cell = i, .certain = certain && s->certain};
        s->fails |= !is_fit(s, i);
        s->certain &= i->kind != INST_CONTINUE && i->kind != INST_ASSERT;
        s->asks |= i->kind == INST_IS_ACTIVE || i->kind == INST_LENGTH ||
                   i->kind == INST_FOR_CELLS || i->kind == INST_ACTIVATE;
        if (i->kind == INST_CELL && find_form(s, i, &r.form))
            vec_push(s->c->scratch, &s->reached, r);
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                look_at_block(s, i->blocks[k], false);
    }
}

static bool
is_one_form(const Window *a, const Window *b)
{
    bool same = a->node == b->node;
    for (int axis = 0; same && axis < AXIS_MAX; axis++)
        same = a->times[axis] == b->times[axis] && a->shift[axis] == b->shift[axis];
    return same;
}

/* Does the cell lie beside the others that a part is for, whatever that is? */
static bool
is_beside(const Window *form)
{
    for (int axis = 0; axis < AXIS_MAX; axis++)
        if (form->node->path_axes & 1 << axis &&
            (form->low[axis] < 0 || form->low[axis] >= (form->shift[axis] ? 1 : form->times[axis])))
            return true;
    return false;
}

/* What a loop has of cells of a field. */
typedef struct {
    const Field *field;
    int cells;
} Counted;

static void
count_cells(Inst *i, void *arg)
{
    Counted *k = arg;
    k->cells += i->kind == INST_CELL && i->field == k->field;
}

/* Does each iteration reach elements of the field that no other does, at twice its indices? */
static bool
is_apart(const Search *s, const Field *f)
{
    Counted all = {.field = f};
    const Window *first = NULL;
    block_walk(s->t->body, count_cells, &all);
    for (int n = 0; n < s->reached.count; n++) {
        const Window *form = &s->reached.items[n].form;
        if (s->reached.items[n].cell->field != f)
            continue;
        if ((first && !is_one_form(first, form)) || is_beside(form))
            return false;
        for (int axis = 0; axis < AXIS_MAX; axis++)
            if (form->shift[axis])
                return false;
        first = form;
        all.cells--;
    }
    return first && all.cells == 0;
}

/* Does it matter nothing which iteration is first? */
static bool
has_no_order(const Search *s)
{
    const Task *t = s->t;
    const Effects *does = &t->effects;
    const Footprints *changed[] = {&does->writes, &does->accumulates};
    for (int l = 0; l < 2; l++)
        for (int n = 0; n < changed[l]->count; n++) {
            const Field *f = changed[l]->items[n].field;
            const Footprint *read = footprint_of(&does->reads, f);
            if ((!footprint_is_at_indices(&changed[l]->items[n]) ||
                 (read && !footprint_is_at_indices(read))) &&
                !is_apart(s, f))
                return false;
        }
    return !t->reductions.count && !does->prints && !does->asserts && !does->random &&
           !t->halos.count;
}

/* Cells of a window that a part of so many cells is for; 0 where they are no whole number. */
static int64_t
cells_for(const Window *form, int axis, int64_t part)
{
    const int64_t times = part * form->times[axis], by = (int64_t)1 << form->shift[axis];
    return times % by ? 0 : times / by;
}

/* Do they lie in one block, along an axis? */
static bool
fits_block(const Window *form, int axis, int64_t part)
{
    const int64_t cells = cells_for(form, axis, part);
    return cells && size_along(form->node, axis) % cells == 0;
}

/* Is it only read, and may it be copied? */
static bool
may_be_copied(const Search *s, const Inst *cell)
{
    return cell->access == ACCESS_READ && !task_changes(s->t, cell->field) &&
           task_leaves(s->t, cell->node);
}

/* Are its rows those at half of the indices? */
static bool
has_long_rows(const Search *s, const Window *form)
{
    const Node *n = s->t->node;
    return form->shift[n->axes[n->axis_count - 1]] > 0;
}

/* Another cell of the field, in a window of that form, does not lie in it. */
static bool
has_others_beside(const Search *s, const Reached *r)
{
    for (int n = 0; n < s->reached.count; n++) {
        const Reached *other = &s->reached.items[n];
        if (other->cell->field == r->cell->field && is_one_form(&other->form, &r->form) &&
            is_beside(&other->form))
            return true;
    }
    return false;
}

/* Tells which cells are reached where they are: those that cannot be copied, or need not be. */
static void
find_in_place(Search *s)
{
    for (int n = 0; n < s->reached.count; n++) {
        Reached *r = &s->reached.items[n];
        r->in_place =
            !is_beside(&r->form) && (!may_be_copied(s, r->cell) ||
                                     (!has_long_rows(s, &r->form) && !has_others_beside(s, r)));
    }
}

/* Does all that is reached in place lie in one block, for a part of so many cells along an axis?
 * `all`: also what may be copied instead. */
static bool
part_fits(const Search *s, int axis, int64_t part, bool all)
{
    if (size_along(s->t->node, axis) % part)
        return false;
    for (int n = 0; n < s->reached.count; n++) {
        const Reached *r = &s->reached.items[n];
        if (r->in_place && (all || !may_be_copied(s, r->cell)) && !fits_block(&r->form, axis, part))
            return false;
    }
    return true;
}

/* Cells of the parts along an axis: as many as can be. */
static int64_t
find_part(const Search *s, int axis)
{
    const int64_t size = size_along(s->t->node, axis);
    for (int all = 1; s->reorders && all >= 0; all--)
        for (int64_t part = size; part >= (all ? PART_LEAST : 2); part /= 2)
            if (part_fits(s, axis, part, all))
                return part;
    return size;
}

/* ---- windows ---- */

/* Can a copy be made by pieces of blocks that begin and end where those of the window do? */
static bool
has_pieces(const Window *w)
{
    for (int k = 0; k < w->node->axis_count; k++) {
        const int axis = w->node->axes[k];
        const int64_t piece = window_piece(w, k);
        int64_t first, end;
        if (!piece || w->size[axis] % piece || w->node->sizes[k] % piece || piece % w->times[axis])
            return false;
        window_pieces(w, k, &first, &end);
        if (end - first > PIECES_MOST)
            return false;
    }
    return true;
}

static void
extend(Window *w, const Window *by)
{
    for (int axis = 0; axis < AXIS_MAX; axis++) {
        if (by->low[axis] < w->low[axis])
            w->low[axis] = by->low[axis];
        if (by->high[axis] > w->high[axis])
            w->high[axis] = by->high[axis];
    }
}

/* The window of that form for a run of a field that is copied, or for none; NULL: there is none. */
static Window *
window_of(const Search *s, const Window *form, const Inst *run)
{
    for (int n = 0; n < s->t->windows.count; n++) {
        Window *w = s->t->windows.items[n];
        if (is_one_form(w, form) && w->field == (run ? run->field : NULL) &&
            (!run || (w->leaf == run->leaf && w->type == run->type)))
            return w;
    }
    return NULL;
}

/* The same, with room for the form; it is made where there is none. */
static Window *
window_for(Search *s, const Window *form, const Inst *run)
{
    Window *w = window_of(s, form, run);
    if (w) {
        extend(w, form);
        return w;
    }
    w = ARENA_NEW(s->c->arena, Window);
    *w = *form;
    for (int k = 0; k < s->t->node->axis_count; k++) {
        const int axis = s->t->node->axes[k];
        w->size[axis] = cells_for(w, axis, s->t->part[k] ? s->t->part[k] : s->t->node->sizes[k]);
    }
    if (run) {
        w->field = run->field;
        w->leaf = run->leaf;
        w->type = run->type;
    }
    vec_push(s->c->arena, &s->t->windows, w);
    return w;
}

/* May some of it lie outside of its tree? */
static bool
is_outside(const Search *s, const Window *w)
{
    for (int axis = 0; axis < AXIS_MAX; axis++) {
        const int64_t loop = s->t->node->coord_extent[axis], own = w->node->coord_extent[axis];
        if (!(w->node->path_axes & 1 << axis))
            continue;
        if (!loop || !own || w->low[axis] < 0 ||
            ((loop - 1) * w->times[axis] + w->high[axis]) >> w->shift[axis] >= own)
            return true;
    }
    return false;
}

/* Is there a cell in the window of that form that all iterations activate? */
static bool
is_activated(const Search *s, const Window *form)
{
    for (int n = 0; n < s->reached.count; n++) {
        const Reached *r = &s->reached.items[n];
        if (r->in_place && r->certain && r->cell->access == ACCESS_ACTIVATE &&
            is_one_form(&r->form, form))
            return true;
    }
    return false;
}

/* Drops those that cannot be reached in place after all. */
static void
keep_in_place(Search *s)
{
    int kept = 0;
    for (int n = 0; n < s->reached.count; n++) {
        Reached *r = &s->reached.items[n];
        bool fits = true;
        for (int k = 0; k < s->t->node->axis_count; k++)
            fits &= fits_block(&r->form, s->t->node->axes[k],
                               s->t->part[k] ? s->t->part[k] : s->t->node->sizes[k]);
        if (r->in_place && !fits && may_be_copied(s, r->cell))
            r->in_place = false;
        if (r->in_place && node_is_sparse(r->cell->node) && !is_activated(s, &r->form))
            fits &= r->cell->access != ACCESS_ACTIVATE && task_leaves(s->t, r->cell->node);
        if (r->in_place && node_is_sparse(r->cell->node) && is_activated(s, &r->form))
            fits &= !s->asks;
        if (r->in_place ? fits : may_be_copied(s, r->cell))
            s->reached.items[kept++] = *r;
    }
    s->reached.count = kept;
}

/* ---- what becomes of them ---- */

static WindowPlace *
place_in(const Search *s, Window *w, const Window *form)
{
    WindowPlace *place = ARENA_NEW(s->c->arena, WindowPlace);
    place->window = w;
    for (int axis = 0; axis < AXIS_MAX; axis++)
        place->offset[axis] = form->low[axis];
    return place;
}

/* The loop variables, as operands of what is found from them. */
static void
load_variables(const Search *s, Insts *loads)
{
    Block *b = s->t->body;
    Insts rest = block_take(b);
    for (int k = 0; k < s->t->vars.count; k++) {
        Var *v = s->t->vars.items[k];
        Inst *place = ir_new(s->c, INST_VAR, v->type, s->t->span),
             *load = ir_new(s->c, INST_LOAD, v->type, s->t->span);
        place->var = v;
        ir_arg(s->c, load, place);
        block_add(s->c, b, place);
        block_add(s->c, b, load);
        vec_push(s->c->scratch, loads, load);
    }
    for (int n = 0; n < rest.count; n++)
        block_add(s->c, b, rest.items[n]);
    insts_free(s->c, &rest);
}

typedef struct {
    Search *s;
    const Insts *loads;
    const Reached *at;
    int64_t bytes;
} Change;

static void
become(const Change *k, Inst *i, InstKind kind, Window *w)
{
    i->kind = kind;
    i->args = (Insts){0};
    if (kind == INST_WINDOW) /* of all fields of the cell */
        i->field = NULL;
    for (int n = 0; n < k->loads->count; n++)
        ir_arg(k->s->c, i, k->loads->items[n]);
    i->window = place_in(k->s, w, &k->at->form);
}

static void
use_copy(Inst *i, void *arg)
{
    const Change *k = arg;
    const bool reads = i->kind == INST_IN_CELL && i->args.items[0] == k->at->cell;
    Window *w = reads ? window_of(k->s, &k->at->form, i) : NULL;
    if (w)
        become(k, i, INST_WINDOW_COPY, w);
}

static void
note_copy(Inst *i, void *arg)
{
    Change *k = arg;
    if (i->kind == INST_IN_CELL && i->args.items[0] == k->at->cell)
        window_for(k->s, &k->at->form, i);
}

/* Bytes of a copy; 0 where it cannot be made, or is too large. */
static int64_t
copied_bytes(const Window *w)
{
    int64_t extent[AXIS_MAX + 1], bytes = w->type->bytes;
    if (!has_pieces(w))
        return 0;
    const int count = window_extents(w, extent);
    for (int a = 0; a < count; a++)
        bytes = bytes <= BYTES_MOST ? bytes * extent[a] : bytes;
    return bytes <= BYTES_MOST ? bytes : 0;
}

/* Makes the windows that can be; false where copies are too large for all of them. */
static bool
make_windows(Search *s, Change *k)
{
    int64_t bytes = 0;
    int kept = 0;
    bool all = true;
    s->t->windows.count = 0;
    for (int n = 0; n < s->reached.count; n++) {
        const Reached *r = k->at = &s->reached.items[n];
        if (!r->in_place)
            block_walk(s->t->body, note_copy, k);
        else if (is_activated(s, &r->form))
            window_for(s, &r->form, NULL)->activates = node_is_sparse(r->cell->node);
        else
            window_for(s, &r->form, NULL);
    }
    for (int n = 0; n < s->t->windows.count; n++) {
        Window *w = s->t->windows.items[n];
        const int64_t own = w->field ? copied_bytes(w) : 0;
        w->outside = is_outside(s, w);
        if (w->field && (!own || bytes + own > BYTES_MOST)) {
            all = all && !has_pieces(w);
            continue;
        }
        bytes += own;
        s->t->windows.items[kept++] = w;
    }
    s->t->windows.count = kept;
    return all;
}

/* Makes parts half as large along the first axis along which they are largest, rows last; false
 * where they cannot be smaller. */
static bool
halve_parts(const Search *s)
{
    const Node *n = s->t->node;
    int64_t most = 2 * PART_LEAST - 1;
    int largest = -1;
    for (int k = 0; k < n->axis_count; k++) {
        const int64_t part = s->t->part[k] ? s->t->part[k] : n->sizes[k];
        if (part <= most || part % 2 || (largest >= 0 && k == n->axis_count - 1))
            continue;
        largest = k;
        most = part;
    }
    if (largest >= 0)
        s->t->part[largest] = most / 2;
    return largest >= 0;
}

/* Do all places of a field that the loop names lie in one window? */
typedef struct {
    const Field *field;
    const Window *window;
    bool others;
} Sole;

static void
find_others(Inst *i, void *arg)
{
    Sole *s = arg;
    if (i->kind == INST_IN_CELL && i->field == s->field)
        s->others |=
            i->args.items[0]->kind != INST_WINDOW || i->args.items[0]->window->window != s->window;
}

/* No two blocks reach one element of it: what is changed there needs no atomics. */
static void
make_plain(Inst *i, void *arg)
{
    const Search *s = arg;
    const Inst *base = i->kind == INST_ATOMIC ? affine_place_base(i->args.items[0]) : NULL;
    if (!base || base->kind != INST_IN_CELL || base->args.items[0]->kind != INST_WINDOW)
        return;
    Sole sole = {.field = base->field, .window = base->args.items[0]->window->window};
    block_walk(s->t->body, find_others, &sole);
    i->plain |= !sole.others;
}

static bool
is_loop(const Task *t)
{
    return t->kind == TASK_STRUCT_FOR && !t->use_list && !t->effects.may_deactivate.count &&
           is_in_blocks(t->node);
}

static void
look_at_loop(Search *s)
{
    Task *t = s->t;
    Insts loads = {0};
    Change k = {.s = s, .loads = &loads};
    s->certain = !task_is_bounded(t);
    look_at_block(s, t->body, true);
    if (s->fails || !s->reached.count)
        return;
    s->reorders = has_no_order(s);
    find_in_place(s);
    for (int a = 0; a < t->node->axis_count; a++) {
        const int64_t part = find_part(s, t->node->axes[a]);
        t->part[a] = part < t->node->sizes[a] ? part : 0;
    }
    keep_in_place(s);
    while (!make_windows(s, &k) && s->reorders && halve_parts(s))
        ;
    if (!t->windows.count)
        return;
    load_variables(s, &loads);
    for (int n = 0; n < s->reached.count; n++) {
        k.at = &s->reached.items[n];
        if (k.at->in_place)
            become(&k, k.at->cell, INST_WINDOW, window_of(s, &k.at->form, NULL));
        else
            block_walk(t->body, use_copy, &k);
    }
    block_walk(t->body, make_plain, s);
}

static void
look_at_task(Compile *c, const Ir *ir, IrFunc *f, AffineFacts **indices, Task *t)
{
    if (!is_loop(t))
        return;
    if (!*indices)
        *indices = affine_new(c, f);
    Search s = {.c = c, .ir = ir, .t = t, .indices = *indices};
    look_at_loop(&s);
}

void
pass_stage_scaled(Compile *c, Ir *ir, IrFunc *f)
{
    AffineFacts *indices = NULL;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_task(c, ir, f, &indices, loops.items[n]);
}
