/* Trees as sets and maps: for every node the set of active cells, for every field leaf its
 * values. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"

/* ---- KeyMap ---- */

static int64_t
slot_of_key(const KeyMap *m, Key key)
{
    uint64_t h =
        ((uint64_t)key ^ (uint64_t)(key >> 64) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return (int64_t)(h >> 20) & (m->room - 1);
}

Leaf *
keymap_find(const KeyMap *m, Key key)
{
    if (!m->room)
        return NULL;
    int64_t i = slot_of_key(m, key);
    for (; m->state[i]; i = (i + 1) & (m->room - 1))
        if (m->state[i] == 1 && m->keys[i] == key)
            return &m->words[i];
    return NULL;
}

static void
keymap_resize(KeyMap *m)
{
    KeyMap old = *m;
    *m = (KeyMap){.room = old.used * 4 < 16 ? 16 : 1};
    while (m->room < old.used * 4)
        m->room *= 2;
    m->keys = interp_memory((size_t)m->room, sizeof *m->keys);
    m->words = interp_memory((size_t)m->room, sizeof *m->words);
    m->state = interp_memory((size_t)m->room, 1);
    for (int64_t i = 0; i < old.room; i++)
        if (old.state[i] == 1)
            keymap_add(m, old.keys[i], old.words[i]);
    keymap_free(&old);
}

Leaf *
keymap_add(KeyMap *m, Key key, Leaf fresh)
{
    Leaf *found = keymap_find(m, key);
    if (found)
        return found;
    if ((m->filled + 1) * 2 > m->room)
        keymap_resize(m);
    int64_t i = slot_of_key(m, key);
    while (m->state[i])
        i = (i + 1) & (m->room - 1);
    m->state[i] = 1;
    m->keys[i] = key;
    m->words[i] = fresh;
    m->used++;
    m->filled++;
    return &m->words[i];
}

void
keymap_remove(KeyMap *m, Key key)
{
    Leaf *found = keymap_find(m, key);
    if (!found)
        return;
    m->state[found - m->words] = 2;
    m->used--;
}

void
keymap_free(KeyMap *m)
{
    free(m->keys);
    free(m->words);
    free(m->state);
    *m = (KeyMap){0};
}

/* ---- sizes ---- */

static const int64_t *
sizes_of(const Interp *in, const Node *n)
{
    return in->trees[n->layout->id].stored[n->id - 1];
}

int64_t
node_extent(Interp *in, const Node *n, int axis)
{
    return in->trees[n->layout->id].extents[n->id - 1][axis];
}

int64_t
field_extent(Interp *in, const Field *f, int index)
{
    return f->extents[index] ? f->extents[index] : node_extent(in, f->node, f->axes[index]);
}

/* The extents of a node, whose sizes are known. */
static void
multiply_sizes(Interp *in, const Node *n)
{
    TreeState *t = &in->trees[n->layout->id];
    int64_t *extents = t->extents[n->id - 1];
    for (int a = 0; a < AXIS_MAX; a++)
        extents[a] = n->parent ? node_extent(in, n->parent, a) : 1;
    for (int i = 0; i < n->axis_count; i++)
        extents[n->axes[i]] *= t->stored[n->id - 1][i];
}

/* The size of a node along an axis, which may not wrap. */
static int64_t
evaluate_size(Interp *in, const Node *n, int a)
{
    const unsigned check = in->c->options.check;
    in->c->options.check |= CHECK_SIZES;
    const int64_t size = n->size_expr[a] ? eval_integer(in, n->size_expr[a]) : n->sizes[a];
    in->c->options.check = check;
    return size;
}

static void
evaluate_sizes(Interp *in, const Layout *l)
{
    TreeState *t = &in->trees[l->id];
    for (int i = 0; i < l->nodes.count; i++) {
        const Node *n = l->nodes.items[i];
        for (int a = 0; a < n->axis_count; a++) {
            t->stored[i][a] = evaluate_size(in, n, a);
            if (t->stored[i][a] < 1)
                interp_fail(in, n->span, "the size '%s' of a node must be positive, not %lld",
                            n->size_text[a], (long long)t->stored[i][a]);
            if (n->size_expr[a] && t->stored[i][a] > node_size_max(n, a))
                interp_fail(in, n->span,
                            "the size '%s' is %lld, at most %lld where indices are i32; a param of "
                            "type i64 makes them i64",
                            n->size_text[a], (long long)t->stored[i][a],
                            (long long)node_size_max(n, a));
        }
        multiply_sizes(in, n);
        Key cells = 1;
        for (int a = 0; a < AXIS_MAX; a++)
            if (__builtin_mul_overflow(cells, (Key)node_extent(in, n, a), &cells))
                interp_fail(in, n->span,
                            "the interpreter can number at most 2^128 cells of a node");
    }
}

/* ---- keys ---- */

int
tree_own_axis(const Node *n)
{
    return n->kind == NODE_DYNAMIC ? n->axes[0] : -1;
}

/* Coordinates (from 0, by axis) of the cell of `up` that holds the cell of n with coordinates `c`
 * (from 0, by axis). */
static void
coords_above(Interp *in, const Node *n, const int64_t *c, const Node *up, int64_t *out)
{
    for (int a = 0; a < AXIS_MAX; a++) {
        int64_t cells = node_extent(in, n, a), cells_above = node_extent(in, up, a);
        out[a] = cells == cells_above ? c[a] : c[a] / (cells / cells_above);
    }
}

Key
tree_key(Interp *in, const Node *n, const int64_t *c, int skip)
{
    Key key = 0;
    for (int a = 0; a < AXIS_MAX; a++)
        if ((n->path_axes & 1 << a) && a != skip)
            key = key * (Key)node_extent(in, n, a) + (Key)c[a];
    return key;
}

void
tree_coords(Interp *in, const Node *n, Key key, int skip, int64_t *c)
{
    for (int a = AXIS_MAX - 1; a >= 0; a--) {
        c[a] = 0;
        if (!(n->path_axes & 1 << a) || a == skip)
            continue;
        Key extent = (Key)node_extent(in, n, a);
        c[a] = (int64_t)(key % extent);
        key /= extent;
    }
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
        coords_above(in, n, c, m, up);
        const KeyMap *set = &in->trees[m->layout->id].nodes[m->id - 1].active;
        const Leaf *found = keymap_find(set, tree_key(in, m, up, tree_own_axis(m)));
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
        coords_above(in, n, c, m, up);
        KeyMap *set = &in->trees[m->layout->id].nodes[m->id - 1].active;
        Leaf *word = keymap_add(set, tree_key(in, m, up, tree_own_axis(m)),
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
                       extent = (uint64_t)node_extent(in, n, a);
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
        box.count[a] = node_extent(in, m, a);
        if (a != tree_own_axis(n)) {
            box.count[a] /= node_extent(in, n, a);
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
            keymap_remove(map, tree_key(in, m, c, m_skip));
        }
        return;
    }
    for (int64_t i = 0; i < map->room; i++) {
        if (map->state[i] != 1)
            continue;
        tree_coords(in, m, map->keys[i], m_skip, c);
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
            remove_below(in, &in->trees[l->id].nodes[i].active, m, tree_own_axis(m), n, c);
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
    to_zero(n, coord, tree_own_axis(n), c);
    check_coords(in, n, c, args, tree_own_axis(n), at);
    Key key = tree_key(in, n, c, tree_own_axis(n));
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
    to_zero(n, coord, tree_own_axis(n), c);
    check_coords(in, n, c, args, tree_own_axis(n), at);
    const Leaf *length = keymap_find(&in->trees[n->layout->id].nodes[n->id - 1].active,
                                     tree_key(in, n, c, tree_own_axis(n)));
    return length ? length->i : 0;
}

int64_t
tree_append(Interp *in, const Node *n, const int64_t *coord, const TExprs *args, Span at)
{
    int64_t length = tree_length(in, n, coord, args, at), c[AXIS_MAX];
    to_zero(n, coord, tree_own_axis(n), c);
    check_coords(in, n, c, args, tree_own_axis(n), at);
    if (length >= sizes_of(in, n)[0])
        interp_fail(in, at, "list '%s' is full: it holds at most %lld cells",
                    n->label ? n->label : "list", (long long)sizes_of(in, n)[0]);
    c[n->axes[0]] = length;
    activate_at(in, n, c, at);
    return length;
}

/* ---- values ---- */

static Leaf
ambient_of(const Field *f, int leaf)
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

uint64_t
tree_number(Interp *in, const Field *f, const int64_t *index)
{
    uint64_t number = 0;
    for (int i = 0; i < f->axis_count; i++)
        number = number * (uint64_t)field_extent(in, f, i) + (uint64_t)(index[i] - f->offsets[i]);
    return number;
}

/* Where an element of a dense field lies in the memory of all. */
static uint64_t
flat_place(Interp *in, const Field *f, const LeafState *state, const int64_t *index)
{
    return tree_number(in, f, index) * (uint64_t)state->bytes;
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
        return ambient_of(f, leaf);
    const Leaf *found = keymap_find(&state->some, tree_key(in, where->node, c, -1));
    return found ? *found : ambient_of(f, leaf);
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
    *keymap_add(&state->some, tree_key(in, where->node, c, -1), v) = v;
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

static void
make_values(Interp *in, const Layout *l)
{
    for (int f = 0; f < in->p->fields.count; f++) {
        const Field *field = in->p->fields.items[f];
        for (int leaf = 0; leaf < field->type->leaf_count; leaf++) {
            const LeafPlace *where = &field->leaves[leaf];
            if (where->layout != l || (where->node && node_is_sparse(where->node)))
                continue;
            int64_t count = 1;
            for (int i = 0; i < field->axis_count; i++)
                count *= field_extent(in, field, i);
            LeafState *state = &in->fields[f][leaf];
            state->flat = calloc((size_t)count, (size_t)state->bytes);
            if (!state->flat)
                interp_fail(in, l->span, "out of memory: field '%s' has %lld elements", field->name,
                            (long long)count);
            for (int64_t i = 0; field->ambient && i < count; i++)
                leaf_store(state->scalar, state->flat + i * state->bytes, ambient_of(field, leaf));
        }
    }
}

void
tree_create(Interp *in, Layout *l, Span at)
{
    TreeState *t = &in->trees[l->id];
    if (t->exists)
        interp_fail(in, at, "layout '%s' exists already", l->name ? l->name : "layout");
    t->base = (uint64_t)(l->id + 1) << 44;
    evaluate_sizes(in, l);
    ledger_renew(in, l, at);
    t->exists = true;
    make_values(in, l);
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

/* States of a field without values. */
static LeafState *
leaf_states(const Type *t)
{
    LeafState *states = interp_memory((size_t)t->leaf_count + 1, sizeof *states);
    for (int leaf = 0; leaf < t->leaf_count; leaf++) {
        int64_t at;
        states[leaf].scalar = type_leaf(t, leaf, &at);
        states[leaf].bytes = scalar_info(states[leaf].scalar)->bytes;
    }
    return states;
}

void
tree_start(Interp *in)
{
    const Prog *p = in->p;
    in->trees = interp_memory((size_t)p->layouts.count + 1, sizeof *in->trees);
    in->fields = interp_memory((size_t)p->fields.count + 1, sizeof *in->fields);
    for (int i = 0; i < p->fields.count; i++)
        in->fields[i] = leaf_states(p->fields.items[i]->type);
    for (int i = 0; i < p->layouts.count; i++) {
        int count = p->layouts.items[i]->nodes.count;
        in->trees[i].nodes = interp_memory((size_t)count + 1, sizeof(NodeState));
        in->trees[i].stored = interp_memory((size_t)count + 1, sizeof(int64_t[AXIS_MAX]));
        in->trees[i].extents = interp_memory((size_t)count + 1, sizeof(int64_t[AXIS_MAX]));
    }
    for (int i = 0; i < p->layouts.count; i++)
        if (!p->layouts.items[i]->manual)
            tree_create(in, p->layouts.items[i], p->layouts.items[i]->span);
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
