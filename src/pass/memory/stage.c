/* Halo staging. A loop goes over the cells of a dense node in blocks, and reads a field of these
 * blocks at its own indices plus constants. It reads from a copy of the block with a halo: the
 * cells of the blocks around that it needs. Each block around is looked up once for a block, not
 * once for a cell, and the copy has plain strides.
 *
 *   $0 = offloaded struct_for(S2dense) {        $0 = offloaded struct_for(S2dense) halo(x[-1..1]) {
 *       <f32> $1 = var i.0                          ...
 *       <i32> $2 = load $1                  →
 *       <i32> $3 = const 1
 *       <i32> $4 = $2 + $3
 *       $5 = cell S2dense of x[$4] read
 *       <f32> $6 = in cell $5 x                     <f32> $6 = halo x[+1]
 *       <f32> $7 = load $6                          <f32> $7 = load $6
 *
 * The block may be one of another tree at the same coordinates, as of two fields that take turns in
 * two trees.
 *
 * Nothing else in the loop may change what the copy holds, or what is active in this layout. The
 * copy must take no more than a small part of the cache. A boundary mode or the program may keep an
 * index inside of the field. The copy then holds beyond the ends what the index means there:
 * `halo(x, i clamp)`. If the innermost rows of the block are vectors of the field alone, there is
 * no copy. Rows are read in the blocks. A row that is read at an offset along itself is moved by a
 * lane or two, and cells of the next row come in. If other fields lie between the elements, the
 * copy holds the rows of the block and the rows beside it, and rows are moved likewise.
 *
 * On a GPU, the lanes of a block add to a shared copy of a block with its halo what a loop adds at
 * its own indices plus constants. The copy is added to the field when the block is done, and blocks
 * around are activated then (gpu_stage_sums.c):
 *
 *         $5 = cell S2dense of y[$4] activate               $5 = cell S2dense of y[$4] read
 *         <f32> $6 = in cell $5 y                       →   <f32> $6 = halo y[+1]
 *         <f32> $7 = atomic add $6 <- $2                    <f32> $7 = atomic add $6 <- $2
 */
#include "config.h"

#include "pass/pass.h"

#include "analysis/boundary_index.h"
#include "ir/inst_info.h"

enum { BYTES_MOST = 32 << 10, AXES_MOST = 3, ROW_MOST = 64, MOVED_MOST = 2, ROWS_AROUND_MOST = 20 };

/* What lanes of a GPU share besides copies and sums, of 48 KiB: blocks around, by direction, for
 * each tree. */
enum { AROUND_BYTES = 512 };

typedef struct {
    Compile *c;
    const Ir *ir;
    Task *t;
    AffineFacts *indices;
    bool in_box, fails;
    Insts sums;         /* places in cells that the loop adds to */
    Insts others;       /* all others in cells */
    Insts cells;        /* that more than sums use */
} Search;

/* Does @block_local ask for a copy of the field? On a CPU the cache keeps it anyway. */
static bool
is_asked_for(const Compile *c, const Task *t, const Field *f)
{
    return c->options.gpu && fields_have(t->block_local.items, t->block_local.count, f);
}

/* Where the field is written, it is at the loop's own indices: what other iterations read is not
 * that. */
static bool
stays_the_same(const Task *t, const Field *f)
{
    const Footprint *written = footprint_of(&t->effects.writes, f),
                    *added = footprint_of(&t->effects.accumulates, f);
    return (!written || footprint_is_at_indices(written)) &&
           (!added || footprint_is_at_indices(added));
}

/* Do the cells of two nodes mean the same elements? */
static bool
same_cells(const Node *a, const Node *b)
{
    bool same = a->kind == b->kind && a->axis_count == b->axis_count &&
                a->path_axes == b->path_axes;
    for (int k = 0; same && k < a->axis_count; k++)
        same = a->axes[k] == b->axes[k] && a->sizes[k] == b->sizes[k];
    for (int k = 0; same && k < AXIS_MAX; k++)
        same = a->cell_extent[k] == b->cell_extent[k] && a->offset[k] == b->offset[k];
    return same;
}

/* Are blocks of the node, and those around them, found without more than a few look-ups? */
static bool
has_simple_path(const Node *n)
{
    for (; n; n = n->parent)
        if (n->kind == NODE_DYNAMIC)
            return false;
    return true;
}

/* Does the activity of a layout stay as it is? On a GPU that of all: lanes that meet at a barrier
 * must not leave the loop. */
static bool
keeps_activity(const Compile *c, const Task *t, const Layout *layout)
{
    const Nodes *changed[] = {&t->effects.may_activate, &t->effects.may_deactivate};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < changed[k]->count; i++)
            if (c->options.gpu || changed[k]->items[i]->layout == layout)
                return false;
    return true;
}

/* Do the blocks of another tree lie at the same coordinates as those of the loop? They are looked
 * up as well. There may be fewer or more of them, if that is known: no program reads what is not
 * there, but boundary modes say what stands there. */
static bool
is_twin(const Compile *c, const Task *t, const Inst *place, bool is_beyond)
{
    const Node *n = place->args.items[0]->node, *block = n->parent, *own = t->node->parent;
    if (n->layout == t->node->layout || !block || !own ||
        block->path_axes != own->path_axes || !has_simple_path(block) ||
        !keeps_activity(c, t, n->layout))
        return false;
    for (int a = 0; a < AXIS_MAX; a++)
        if (block->coord_extent[a] != own->coord_extent[a] &&
            (is_beyond || !block->coord_extent[a] || !own->coord_extent[a]))
            return false;
    for (int k = 0; k < place->field->axis_count; k++)
        if (place->field->extents[k] < 1 &&
            !(t->field && field_extents_are_same(place->field, k, t->field, k)))
            return false;
    return true;
}

/* Blocks of dense cells, or of cells under a mask, whose rows have no more than a word of it:
 * memory of cells that are not active holds what they are read as. */
static bool
has_blocks(const Compile *c, const Task *t)
{
    const Node *n = t->node;
    if (t->kind != TASK_STRUCT_FOR || !n || !n->parent || t->use_list || n->axis_count > AXES_MOST)
        return false;
    if (n->kind == NODE_BITMASKED ? c->options.gpu || n->sizes[n->axis_count - 1] > ROW_MOST
                                  : n->kind != NODE_DENSE)
        return false;
    for (int k = 0; k < n->axis_count; k++)
        if (n->sizes[k] < 2 || n->cell_extent[n->axes[k]] != 1 ||
            !(n->parent->path_axes & 1 << n->axes[k]))
            return false;
    return n->path_axes == n->parent->path_axes && has_simple_path(n->parent);
}

/* On a GPU lanes go through a large container without blocks by boxes, of which copies can be
 * made. */
static bool
has_boxes(const Compile *c, const Task *t)
{
    int64_t box[AXIS_MAX];
    const Node *n = t->node;
    if (!c->options.gpu || t->kind != TASK_STRUCT_FOR || !n || !node_box(n, box))
        return false;
    for (int k = 0; k < n->axis_count; k++)
        if (n->cell_extent[n->axes[k]] != 1)
            return false;
    return true;
}

/* Where an element lies from the loop's own cell, by axis, and what stands for it outside of the
 * field. */
typedef struct {
    int64_t offset[AXIS_MAX];
    Boundary beyond[AXIS_MAX];
} Near;

/* What is read beyond the ends of a field may be what the iteration itself writes: such a field
 * must not change. */
static Affine
index_at(const Search *s, const Inst *place, int k, Boundary *beyond)
{
    const Inst *i = place->args.items[0]->args.items[k];
    *beyond = BOUNDARY_NONE;
    if (task_changes(s->t, place->field))
        return affine_of(s->indices, s->t, i);
    return boundary_index_unbounded(s->indices, s->t, i, place->field, k, beyond);
}

/* False when the element is none of a block with a halo. */
static bool
offsets_of(const Search *s, const Inst *place, Near *near)
{
    const Inst *at = place->args.items[0];
    const Node *n = s->t->node;
    int64_t *offset = near->offset;
    *near = (Near){{0}, {BOUNDARY_NONE}};
    bool is_beyond = false;
    if (at->kind != INST_CELL || !same_cells(at->node, n))
        return false;
    for (int axis = 0, k = 0; axis < AXIS_MAX; axis++) {
        if (!(n->path_axes & 1 << axis))
            continue;
        Affine x = index_at(s, place, k, &near->beyond[axis]);
        if (!x.known || x.var != s->t->vars.items[k] || x.min != x.max)
            return false;
        offset[axis] = x.min;
        is_beyond |= near->beyond[axis] != BOUNDARY_NONE;
        k++;
    }
    if (at->node->parent != n->parent && !is_twin(s->c, s->t, place, is_beyond))
        return false;
    for (int k = 0; k < n->axis_count; k++)
        if (offset[n->axes[k]] > n->sizes[k] || -offset[n->axes[k]] > n->sizes[k])
            return false;
    for (int axis = 0; axis < AXIS_MAX; axis++) {
        bool in_block = false;
        for (int k = 0; k < n->axis_count; k++)
            in_block |= n->axes[k] == axis;
        if ((n->path_axes & 1 << axis) && !in_block && offset[axis])
            return false;
    }
    return true;
}

/* Is it an element that the loop only reads there? */
static bool
is_read(const Inst *i)
{
    return i->kind == INST_IN_CELL && i->args.items[0]->access == ACCESS_READ;
}

/* Has the copy what is wanted beyond the ends of the field? Where nothing keeps an index inside, no
 * program reads that. */
static bool
agrees(const Halo *h, const Near *near)
{
    for (int a = 0; a < AXIS_MAX; a++)
        if (near->offset[a] && near->beyond[a] && h->beyond[a] && near->beyond[a] != h->beyond[a])
            return false;
    return true;
}

/* The same of all copies, on a GPU: those of one tree share the blocks around, which lie at the
 * other end of the field where it goes on there. */
static bool
agrees_with_all(const Search *s, const Near *near)
{
    const bool shares = s->c->options.gpu && !s->in_box;
    for (int i = 0; shares && i < s->t->halos.count; i++)
        for (int a = 0; a < AXIS_MAX; a++) {
            const Boundary other = s->t->halos.items[i]->beyond[a];
            if (near->offset[a] && near->beyond[a] && other &&
                (near->beyond[a] == BOUNDARY_PERIODIC) != (other == BOUNDARY_PERIODIC))
                return false;
        }
    return true;
}

/* Is the element not the loop's own? */
static bool
is_away(const Near *near)
{
    for (int a = 0; a < AXIS_MAX; a++)
        if (near->offset[a])
            return true;
    return false;
}

static Halo *
halo_of(const Task *t, const Inst *place)
{
    for (int i = 0; i < t->halos.count; i++)
        if (t->halos.items[i]->field == place->field && t->halos.items[i]->leaf == place->leaf &&
            t->halos.items[i]->type == place->type)
            return t->halos.items[i];
    return NULL;
}

/* The directions of the blocks that cells at these offsets lie in: combinations of none and one
 * step along each axis. */
static void
add_directions(Halo *h, const int64_t *offset)
{
    const Node *n = h->node;
    for (int set = 0; set < 1 << n->axis_count; set++) {
        int code = 0;
        bool none = false;
        for (int k = 0; k < n->axis_count; k++) {
            int64_t o = offset[n->axes[k]];
            bool step = set >> k & 1;
            none |= step && !o;
            code = 3 * code + (!step ? 1 : o < 0 ? 0 : 2);
        }
        if (!none)
            h->directions |= 1u << code;
    }
}

/* Has the copy the element? */
static bool
covers(const Halo *h, const Near *near)
{
    Halo own = {.node = h->node};
    add_directions(&own, near->offset);
    for (int a = 0; a < AXIS_MAX; a++) {
        const int64_t offset = near->offset[a];
        if (offset < -h->low[a] || offset > h->high[a] ||
            (offset && near->beyond[a] && near->beyond[a] != h->beyond[a]))
            return false;
    }
    return (own.directions & ~h->directions) == 0;
}

/* The halo of the place, which is made where there is none. */
static Halo *
halo_for(const Search *s, const Inst *i)
{
    Halo *h = halo_of(s->t, i);
    if (h)
        return h;
    h = ARENA_NEW(s->c->arena, Halo);
    *h = (Halo){.field = i->field,
                .leaf = i->leaf,
                .type = i->type,
                .node = i->args.items[0]->node,
                .in_box = s->in_box};
    vec_push(s->c->arena, &s->t->halos, h);
    return h;
}

/* Lets it reach as far as an element. */
static void
extend(Halo *h, const Near *near)
{
    const int64_t *offset = near->offset;
    for (int a = 0; a < AXIS_MAX; a++) {
        if (offset[a] && near->beyond[a])
            h->beyond[a] = near->beyond[a];
        if (-offset[a] > h->low[a])
            h->low[a] = -offset[a];
        if (offset[a] > h->high[a])
            h->high[a] = offset[a];
    }
    add_directions(h, offset);
}

/* Does an instruction make its loop unfit, for it may leave it, or use cells in ways that are not
 * seen here? */
static bool
is_unfit(const Search *s, const Inst *i)
{
    /* what cells may be activated is known */
    return (inst_may_fail(i) && i->kind != INST_CELL) ||
           (i->kind == INST_CALL && !ir_is_arithmetic(s->ir, i->func));
}

static void
note_neighbour(Inst *i, void *arg)
{
    Search *s = arg;
    Near near;
    s->fails |= is_unfit(s, i);
    if (!is_read(i) || !offsets_of(s, i, &near))
        return;
    bool asked = is_asked_for(s->c, s->t, i->field);
    if ((!is_away(&near) && (!asked || task_changes(s->t, i->field))) || (s->in_box && !asked) ||
        !stays_the_same(s->t, i->field) || !agrees_with_all(s, &near))
        return;
    Halo *h = halo_for(s, i);
    if (agrees(h, &near))
        extend(h, &near);
}

/* Can rows be moved along as vectors? They must not be moved far, nor be written by the loop;
 * beyond the ends of the field there are no rows. Where cells of all blocks around are read, of
 * three axes, those rows are more than the processor has registers for: the copy takes 0.7 to 0.9
 * of the time. */
static bool
has_rows(const Task *t, const Halo *h)
{
    const Node *n = h->node;
    int last = n->axis_count - 1;
    for (int a = 0; a < AXIS_MAX; a++)
        if (h->beyond[a] == BOUNDARY_CLAMP || h->beyond[a] == BOUNDARY_MIRROR)
            return false;
    if (__builtin_popcount(h->directions) > ROWS_AROUND_MOST)
        return false;
    int64_t row = n->sizes[last] * h->type->bytes;
    return h->type->kind == TYPE_SCALAR && (h->type->bytes == 4 || h->type->bytes == 8) &&
           (row == 16 || row == 32) && h->low[n->axes[last]] <= MOVED_MOST &&
           h->high[n->axes[last]] <= MOVED_MOST && !task_changes(t, h->field);
}

/* Can they be read where they are? That needs vectors without anything between their elements. */
static bool
has_rows_in_place(const Halo *h)
{
    return h->by_rows && h->node->cell_bytes == h->type->bytes;
}

/* Elements of the copy along the k-th axis of the node; on a CPU a short row does not cross lines
 * of the cache. */
static int64_t
extent_of(const Compile *c, const Halo *h, int k)
{
    enum { LINE = 64 };
    int axis = h->node->axes[k];
    int64_t box[AXIS_MAX], padded = 1;
    if (h->in_box)
        node_box(h->node, box);
    if (h->by_rows && k == h->node->axis_count - 1)
        return h->node->sizes[k];
    int64_t extent = (h->in_box ? box[k] : h->node->sizes[k]) + h->low[axis] + h->high[axis];
    if (c->options.gpu || k < h->node->axis_count - 1 || extent * h->type->bytes > LINE)
        return extent;
    while (padded < extent)
        padded *= 2;
    return padded * h->type->bytes <= LINE ? padded : extent;
}

/* What @block_local asks for comes first. */
static void
sort_asked(const Compile *c, Task *t)
{
    int first = 0;
    for (int i = 0; i < t->halos.count; i++) {
        Halo *h = t->halos.items[i];
        if (!is_asked_for(c, t, h->field))
            continue;
        for (int k = i; k > first; k--)
            t->halos.items[k] = t->halos.items[k - 1];
        t->halos.items[first++] = h;
    }
}

/* Do the first halos of a task copy from other blocks than this one? */
static bool
has_new_blocks(const Task *t, int count, const Halo *h)
{
    for (int i = 0; i < count; i++)
        if (t->halos.items[i]->node->parent == h->node->parent)
            return false;
    return true;
}

/* Keeps the halos that are small. */
static void
drop_large(const Compile *c, Task *t)
{
    int64_t all = 0;
    int kept = 0;
    sort_asked(c, t);
    for (int i = 0; i < t->halos.count; i++) {
        Halo *h = t->halos.items[i];
        int64_t bytes = h->type->bytes;
        h->by_rows = !c->options.gpu && has_rows(t, h);
        h->in_place = has_rows_in_place(h);
        for (int k = 0; k < h->node->axis_count; k++) {
            h->extent[k] = extent_of(c, h, k);
            bytes = bytes <= BYTES_MOST ? bytes * h->extent[k] : bytes;
        }
        if (h->in_place)
            bytes = 0;
        if (c->options.gpu && has_new_blocks(t, kept, h))
            bytes += AROUND_BYTES;
        if (all + bytes > BYTES_MOST)
            continue;
        all += bytes;
        t->halos.items[kept++] = t->halos.items[i];
    }
    t->halos.count = kept;
}

/* ---- sums, on a GPU ---- */

static bool
insts_have(const Insts *list, const Inst *i)
{
    for (int k = 0; k < list->count; k++)
        if (list->items[k] == i)
            return true;
    return false;
}

static bool
is_sum(const Inst *i)
{
    bool adds =
        i->kind == INST_ATOMIC && (i->atomic_op == ATOMIC_ADD || i->atomic_op == ATOMIC_SUB);
    return adds && !i->plain && !i->uses && i->type->kind == TYPE_SCALAR &&
           scalar_can_be_summed(i->type->scalar);
}

/* Collects the places that the loop adds to; activity is told as it is before the sums, so a loop
 * that asks for it is unfit, and so is one whose lanes may leave it: they meet at barriers. */
static void
note_sum(Inst *i, void *arg)
{
    Search *s = arg;
    s->fails |= is_unfit(s, i) || i->kind == INST_IS_ACTIVE || i->kind == INST_ACTIVE ||
                i->kind == INST_FOR_CELLS || i->kind == INST_APPEND || i->kind == INST_LENGTH ||
                i->kind == INST_DEACTIVATE || i->kind == INST_DEACTIVATE_ALL || i->in_row;
    Inst *base = is_sum(i) ? affine_place_base(i->args.items[0]) : NULL;
    if (base && base->kind == INST_IN_CELL && !insts_have(&s->sums, base))
        vec_push(s->c->arena, &s->sums, base);
}

static void
note_other(Inst *i, void *arg)
{
    Search *s = arg;
    if (i->kind == INST_IN_CELL && insts_have(&s->sums, i))
        return;
    if (i->kind == INST_IN_CELL)
        vec_push(s->c->arena, &s->others, i);
    for (int a = 0; a < i->args.count; a++)
        if (i->args.items[a]->kind == INST_CELL)
            vec_push(s->c->arena, &s->cells, i->args.items[a]);
}

/* Is all that the loop does to the field to add to two elements or more, its own and others, that
 * cells of blocks hold whole? */
static bool
is_added_around(const Search *s, const Field *f)
{
    int sums = 0;
    bool any_away = false;
    for (int k = 0; k < s->others.count; k++)
        if (s->others.items[k]->field == f)
            return false;
    for (int k = 0; k < s->sums.count; k++) {
        const Inst *i = s->sums.items[k];
        Near near;
        if (i->field != f)
            continue;
        if (i->leaf || i->type != f->type || !type_is_arith(i->type) ||
            i->args.items[0]->access == ACCESS_READ || !offsets_of(s, i, &near) ||
            i->args.items[0]->node->parent != s->t->node->parent)
            return false;
        any_away |= is_away(&near);
        sums++;
    }
    return any_away && sums > 1;
}

static void
find_sums(Search *s)
{
    s->fails = s->t->effects.may_deactivate.count > 0;
    block_walk(s->t->body, note_sum, s);
    block_walk(s->t->body, note_other, s);
    for (int k = 0; k < s->sums.count && !s->fails; k++) {
        const Inst *i = s->sums.items[k];
        Near near;
        if (!is_added_around(s, i->field) || !offsets_of(s, i, &near))
            continue;
        Halo *h = halo_for(s, i);
        extend(h, &near);
        h->sums++;
    }
}

static void
use_halo(Inst *i, void *arg)
{
    Search *s = arg;
    Near near;
    Halo *h = i->kind == INST_IN_CELL ? halo_of(s->t, i) : NULL;
    if (!h || !(h->sums || is_read(i)) || !offsets_of(s, i, &near) || !covers(h, &near))
        return;
    if (!is_away(&near) && !h->sums && task_changes(s->t, i->field))
        return; /* its own element is where it writes it */
    if (h->sums && !insts_have(&s->cells, i->args.items[0]))
        i->args.items[0]->access = ACCESS_READ; /* nobody needs the cell */
    HaloPlace *place = ARENA_NEW(s->c->arena, HaloPlace);
    place->halo = h;
    for (int a = 0; a < AXIS_MAX; a++)
        place->offset[a] = near.offset[a];
    i->kind = INST_HALO;
    i->args = (Insts){0};
    i->halo = place;
}

static void
find_halos(Compile *c, const Ir *ir, IrFunc *f, AffineFacts **indices, Task *t)
{
    Search s = {.c = c, .ir = ir, .t = t, .in_box = has_boxes(c, t)};
    bool fits = s.in_box || has_blocks(c, t);
    if (!fits || !keeps_activity(c, t, t->node->layout))
        t->unstaged =
            "the loop does not go over the cells of dense blocks, or may change what is active";
    if (!fits || (!c->options.gpu && t->unstaged))
        return;
    if (!*indices)
        *indices = affine_new(c, f);
    s.indices = *indices;
    if (!t->unstaged)
        block_walk(t->body, note_neighbour, &s);
    if (s.fails) {
        t->halos.count = 0;
        t->unstaged = "the loop calls functions that do more than arithmetic, or may fail";
    }
    if (c->options.gpu)
        find_sums(&s);
    drop_large(c, t);
    block_walk(t->body, use_halo, &s);
}

void
pass_stage(Compile *c, Ir *ir, IrFunc *f)
{
    AffineFacts *indices = NULL;
    if (c->options.gpu && f->tasks.count)
        ir_number(f);
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        find_halos(c, ir, f, &indices, loops.items[n]);
}
