/* Trees as sets and maps: for every node the set of active cells, for every field leaf its
 * values. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"

static const int64_t *
sizes_of(const Interp *in, const Node *n)
{
    return in->trees[n->layout->id].stored[n->id - 1];
}

/* From ascending-axis coordinates with offset to coordinates from 0 by axis. */
static void
to_zero(const Node *n, const int64_t *coord, int skip, int64_t *c)
{
    for (int a = 0, i = 0; a < AXIS_MAX; a++) {
        c[a] = 0;
        if ((n->path_axes & 1 << a) && a != skip)
            c[a] = (int64_t)((uint64_t)coord[i++] - (uint64_t)node_first(n, a));
    }
}

/* ---- activity ---- */

/* Is the cell of n at c (from 0, by axis) active, with everything above? */
static bool
is_active_at(Interp *in, const Node *n, const int64_t *c)
{
    for (const Node *m = n; m; m = m->parent) {
        if (!node_has_activity(m->kind))
            continue;
        int64_t up[AXIS_MAX];
        shape_coords_above(in, n, c, m, up);
        const KeyMap *set = &in->trees[m->layout->id].nodes[m->id - 1].active;
        const Leaf *found = keymap_find(set, shape_key(in, m, up, shape_own_axis(m)));
        if (!found || (m->kind == NODE_DYNAMIC && up[m->axes[0]] >= found->i))
            return false;
    }
    return true;
}

static void
activate_at(Interp *in, const Node *n, const int64_t *c, Span at)
{
    ledger_activate(in, n, c, at);
    for (const Node *m = n; m; m = m->parent) {
        if (!node_has_activity(m->kind))
            continue;
        int64_t up[AXIS_MAX];
        shape_coords_above(in, n, c, m, up);
        KeyMap *set = &in->trees[m->layout->id].nodes[m->id - 1].active;
        Leaf *word = keymap_add(set, shape_key(in, m, up, shape_own_axis(m)),
                                (Leaf){.i = m->kind == NODE_DYNAMIC ? 0 : 1});
        if (m->kind == NODE_DYNAMIC && up[m->axes[0]] >= word->i)
            word->i = up[m->axes[0]] + 1;
    }
}

static void
check_coords(Interp *in, const Node *n, const int64_t *c, const TExprs *args, int skip, Span at)
{
    for (int a = 0, i = 0; a < AXIS_MAX; a++) {
        if (!(n->path_axes & 1 << a) || a == skip)
            continue;
        const uint64_t first = (uint64_t)node_first(n, a),
                       extent = (uint64_t)shape_node_extent(in, n, a);
        const int64_t index = (int64_t)((uint64_t)c[a] + first);
        if (c[a] < 0 || (uint64_t)c[a] >= extent || interp_index_is_far(args->items[i], index))
            interp_fail_index(in, at, args->items[i], index, n->label ? n->label : "node",
                              (int64_t)first, (int64_t)(first + extent - 1), i);
        i++;
    }
}

bool
tree_is_active(Interp *in, const Node *n, const int64_t *coord, const TExprs *args, Span at)
{
    int64_t c[AXIS_MAX];
    tree_require(in, n->layout, at);
    to_zero(n, coord, -1, c);
    check_coords(in, n, c, args, -1, at);
    return is_active_at(in, n, c);
}

void
tree_activate(Interp *in, const Node *n, const int64_t *coord, const TExprs *args, Span at)
{
    int64_t c[AXIS_MAX];
    tree_require(in, n->layout, at);
    to_zero(n, coord, -1, c);
    check_coords(in, n, c, args, -1, at);
    activate_at(in, n, c, at);
}

/* The cells of a node m that lie in one cell of a node above it: a box, by axis from 0. */
typedef struct {
    int64_t from[AXIS_MAX], count[AXIS_MAX];
    Key cells;
} Box;

/* The box of the cell `c` of n; without the axis m_skip, which keys of m leave out. */
static Box
box_below(Interp *in, const Node *m, int m_skip, const Node *n, const int64_t *c)
{
    Box box = {.cells = 1};
    for (int a = 0; a < AXIS_MAX; a++) {
        box.count[a] = 1;
        if (!(m->path_axes & 1 << a) || a == m_skip)
            continue;
        box.count[a] = shape_node_extent(in, m, a);
        if (a != shape_own_axis(n)) {
            box.count[a] /= shape_node_extent(in, n, a);
            box.from[a] = c[a] * box.count[a];
        }
        box.cells *= (Key)box.count[a];
    }
    return box;
}

static bool
is_in_box(const Box *box, const int64_t *c)
{
    for (int a = 0; a < AXIS_MAX; a++)
        if (c[a] < box->from[a] || c[a] - box->from[a] >= box->count[a])
            return false;
    return true;
}

/* Removes every entry of a map whose cell (of node m) lies in the box: looks at the cells or at the
 * entries, whatever is less. */
static void
remove_box(Interp *in, KeyMap *map, const Node *m, int m_skip, const Box *box)
{
    int64_t c[AXIS_MAX];
    if (box->cells < (Key)map->room) {
        for (Key k = 0; k < box->cells; k++) {
            Key rest = k;
            for (int a = 0; a < AXIS_MAX; a++, rest /= (Key)box->count[a - 1])
                c[a] = box->from[a] + (int64_t)(rest % (Key)box->count[a]);
            keymap_remove(map, shape_key(in, m, c, m_skip));
        }
        return;
    }
    for (int64_t i = 0; i < map->room; i++) {
        if (map->state[i] != 1)
            continue;
        shape_coords(in, m, map->keys[i], m_skip, c);
        if (is_in_box(box, c)) {
            map->state[i] = 2;
            map->used--;
        }
    }
}

/* Removes what a map has in the cell `c` of n, or in all cells when that is NULL. */
static void
remove_below(Interp *in, KeyMap *map, const Node *m, int m_skip, const Node *n, const int64_t *c)
{
    if (!map->used)
        return;
    if (!c) {
        keymap_free(map);
        return;
    }
    Box box = box_below(in, m, m_skip, n, c);
    remove_box(in, map, m, m_skip, &box);
}

static void
deactivate_below(Interp *in, const Node *n, const int64_t *c)
{
    const Layout *l = n->layout;
    ledger_deactivate(in, n, c);
    for (int i = 0; i < l->nodes.count; i++) {
        const Node *m = l->nodes.items[i];
        if (node_is_within(m, n) && node_has_activity(m->kind))
            remove_below(in, &in->trees[l->id].nodes[i].active, m, shape_own_axis(m), n, c);
    }
    for (int f = 0; f < in->p->fields.count; f++) {
        const Field *field = in->p->fields.items[f];
        for (int leaf = 0; leaf < field->type->leaf_count; leaf++) {
            const Node *m = field->leaves[leaf].node;
            if (m && m->layout == l && node_is_within(m, n))
                remove_below(in, &in->fields[f][leaf].some, m, -1, n, c);
        }
    }
}

void
tree_deactivate(Interp *in, const Node *n, const int64_t *coord, const TExprs *args, Span at)
{
    int64_t c[AXIS_MAX];
    tree_require(in, n->layout, at);
    to_zero(n, coord, shape_own_axis(n), c);
    check_coords(in, n, c, args, shape_own_axis(n), at);
    Key key = shape_key(in, n, c, shape_own_axis(n));
    if (keymap_find(&in->trees[n->layout->id].nodes[n->id - 1].active, key))
        deactivate_below(in, n, c);
}

void
tree_deactivate_all(Interp *in, const Node *n, Span at)
{
    tree_require(in, n->layout, at);
    deactivate_below(in, n, NULL);
}

int64_t
tree_length(Interp *in, const Node *n, const int64_t *coord, const TExprs *args, Span at)
{
    int64_t c[AXIS_MAX];
    tree_require(in, n->layout, at);
    to_zero(n, coord, shape_own_axis(n), c);
    check_coords(in, n, c, args, shape_own_axis(n), at);
    const Leaf *length = keymap_find(&in->trees[n->layout->id].nodes[n->id - 1].active,
                                     shape_key(in, n, c, shape_own_axis(n)));
    return length ? length->i : 0;
}

int64_t
tree_append(Interp *in, const Node *n, const int64_t *coord, const TExprs *args, Span at)
{
    int64_t length = tree_length(in, n, coord, args, at), c[AXIS_MAX];
    to_zero(n, coord, shape_own_axis(n), c);
    check_coords(in, n, c, args, shape_own_axis(n), at);
    if (length >= sizes_of(in, n)[0])
        interp_fail(in, at, "list '%s' is full: it holds at most %lld cells",
                    n->label ? n->label : "list", (long long)sizes_of(in, n)[0]);
    c[n->axes[0]] = length;
    activate_at(in, n, c, at);
    return length;
}

/* ---- values ---- */

Leaf
tree_ambient(const Field *f, int leaf)
{
    return f->ambient ? f->ambient->leaves[leaf] : (Leaf){.i = 0};
}

static void
field_coords(const Field *f, const int64_t *index, int64_t *c)
{
    memset(c, 0, sizeof(int64_t) * AXIS_MAX);
    for (int i = 0; i < f->axis_count; i++)
        c[f->axes[i]] = index[i] - f->offsets[i];
}

/* Where an element of a dense field lies in the memory of all. */
static uint64_t
flat_place(Interp *in, const Field *f, const LeafState *state, const int64_t *index)
{
    return shape_number(in, f, index) * (uint64_t)state->bytes;
}

Leaf
tree_read(Interp *in, Field *f, int leaf, const int64_t *index, Span at)
{
    const LeafPlace *where = &f->leaves[leaf];
    const LeafState *state = &in->fields[f->id][leaf];
    tree_require(in, where->layout, at);
    if (state->flat)
        return leaf_load(state->scalar, state->flat + flat_place(in, f, state, index));
    int64_t c[AXIS_MAX];
    field_coords(f, index, c);
    if (!is_active_at(in, where->node, c))
        return tree_ambient(f, leaf);
    const Leaf *found = keymap_find(&state->some, shape_key(in, where->node, c, -1));
    return found ? *found : tree_ambient(f, leaf);
}

void
tree_write(Interp *in, Field *f, int leaf, const int64_t *index, Leaf v, Span at)
{
    const LeafPlace *where = &f->leaves[leaf];
    LeafState *state = &in->fields[f->id][leaf];
    tree_require(in, where->layout, at);
    if (state->flat) {
        leaf_store(state->scalar, state->flat + flat_place(in, f, state, index), v);
        return;
    }
    int64_t c[AXIS_MAX];
    field_coords(f, index, c);
    activate_at(in, where->node, c, at);
    *keymap_add(&state->some, shape_key(in, where->node, c, -1), v) = v;
}

/* ---- life ---- */

void
tree_require(Interp *in, const Layout *l, Span at)
{
    if (!in->trees[l->id].exists)
        interp_fail(in, at, "layout '%s' does not exist; it must be made by create first",
                    l->name ? l->name : "layout");
}

void
tree_require_field(Interp *in, const Field *f, Span at)
{
    for (int leaf = 0; leaf < f->type->leaf_count; leaf++) {
        const Layout *l = f->leaves[leaf].layout;
        if (!in->trees[l->id].exists)
            interp_fail(in, at,
                        "layout '%s' of field '%s' does not exist; it must be made by create first",
                        l->name, f->name);
    }
}

static void
free_values(Interp *in, const Layout *l)
{
    for (int f = 0; f < in->p->fields.count; f++) {
        const Field *field = in->p->fields.items[f];
        for (int leaf = 0; leaf < field->type->leaf_count; leaf++)
            if (field->leaves[leaf].layout == l) {
                free(in->fields[f][leaf].flat);
                in->fields[f][leaf].flat = NULL;
                keymap_free(&in->fields[f][leaf].some);
            }
    }
    for (int i = 0; i < l->nodes.count; i++)
        keymap_free(&in->trees[l->id].nodes[i].active);
}

void
tree_destroy(Interp *in, Layout *l, Span at)
{
    tree_require(in, l, at);
    free_values(in, l);
    snl_tree_destroy(in->trees[l->id].ledger);
    in->trees[l->id].ledger = NULL;
    in->trees[l->id].exists = false;
    memset(in->trees[l->id].extents, 0, (size_t)l->nodes.count * sizeof(int64_t[AXIS_MAX]));
}

void
tree_trim(Interp *in, Layout *l, Span at)
{
    tree_require(in, l, at);
    if (in->trees[l->id].ledger)
        snl_tree_trim(in->trees[l->id].ledger);
}

void
tree_end(Interp *in)
{
    for (int i = 0; i < in->p->layouts.count; i++) {
        free_values(in, in->p->layouts.items[i]);
        snl_tree_destroy(in->trees[i].ledger);
        free(in->trees[i].nodes);
        free(in->trees[i].stored);
        free(in->trees[i].extents);
    }
    for (int i = 0; i < in->p->fields.count; i++)
        free(in->fields[i]);
    free(in->trees);
    free(in->fields);
}

static void
swap_values(Interp *in, const Place *a, const Place *b)
{
    for (int leaf = 0; leaf < a->leaf_count; leaf++) {
        LeafState *x = &in->fields[a->field->id][a->first_leaf + leaf];
        LeafState *y = &in->fields[b->field->id][b->first_leaf + leaf], t = *x;
        *x = *y;
        *y = t;
    }
}

/* Fields are exchanged in order of their placement. Sizes that are known at run time go with what
 * they are the sizes of. */
void
tree_swap(Interp *in, Layout *a, Layout *b)
{
    TreeState *x = &in->trees[a->id], *y = &in->trees[b->id], t = *x;
    if (x->ledger)
        snl_tree_swap(x->ledger, y->ledger);
    *x = *y;
    *y = t;
    y->ledger = x->ledger; /* has its own name */
    x->ledger = t.ledger;
    for (int i = 0; i < a->nodes.count; i++)
        for (int p = 0; p < a->nodes.items[i]->places.count; p++)
            swap_values(in, &a->nodes.items[i]->places.items[p],
                        &b->nodes.items[i]->places.items[p]);
    for (int p = 0; p < a->places.count; p++)
        swap_values(in, &a->places.items[p], &b->places.items[p]);
}
