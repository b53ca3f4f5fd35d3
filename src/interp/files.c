/* Files: fields through the formats of the runtime, layouts in the interpreter's own form. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"
#include "snl_io.h"

/* ---- fields ---- */

static int64_t
element_count(Interp *in, const Field *f)
{
    int64_t count = 1;
    for (int i = 0; i < f->axis_count; i++)
        count *= field_extent(in, f, i);
    return count;
}

/* What goes to a file or came from one: all elements, or those of `cells` cells. */
typedef struct {
    Field *f;
    SnlIoArray a;
    char *ambient;
    int64_t *coords; /* axis_count for each cell; NULL: all elements */
    char *data;
} Array;

/* A leaf of an element in memory. */
static char *
leaf_place(const Array *item, int64_t element, int leaf)
{
    const Type *t = item->f->type;
    return item->data + element * t->bytes + leaf * scalar_info(t->scalar)->bytes;
}

/* The index of element n of the array or list. */
static void
item_index(const Array *item, int64_t n, int64_t *index)
{
    int axes = item->a.index_axes;
    for (int i = axes - 1; i >= 0; i--) {
        if (item->coords) {
            index[i] = item->coords[n * axes + i];
            continue;
        }
        index[i] = item->a.offset[i] + n % item->a.shape[i];
        n /= item->a.shape[i];
    }
}

static int64_t
item_count(Interp *in, const Array *item)
{
    return item->coords ? item->a.cells : element_count(in, item->f);
}

static Array
describe(Interp *in, Field *f)
{
    const Type *t = f->type;
    Array item = {.f = f, .a = {.name = f->name, .tag = (int)t->scalar, .axes = f->axis_count, .index_axes = f->axis_count}};
    for (int i = 0; i < f->axis_count; i++) {
        item.a.shape[i] = field_extent(in, f, i);
        item.a.offset[i] = f->offsets[i];
    }
    if (t->rows)
        item.a.shape[item.a.axes++] = t->rows;
    if (t->cols)
        item.a.shape[item.a.axes++] = t->cols;
    item.a.sparse = f->node && node_is_sparse(f->node);
    if (f->ambient) {
        item.ambient = arena_alloc(in->c->arena, (size_t)t->bytes);
        for (int leaf = 0; leaf < t->leaf_count; leaf++)
            leaf_store(t->scalar, item.ambient + leaf * scalar_info(t->scalar)->bytes, f->ambient->leaves[leaf]);
        item.a.ambient = item.ambient;
    }
    return item;
}

/* Makes room for so many cells, or for all elements for -1. */
static void
item_room(Interp *in, Array *item, int64_t cells, Span at)
{
    int64_t count = cells < 0 ? element_count(in, item->f) : cells;
    item->data = malloc((size_t)(count * item->f->type->bytes) + 1);
    if (cells >= 0) {
        item->a.coords = item->coords = malloc((size_t)(cells * item->a.index_axes) * sizeof(int64_t) + 1);
        item->a.cells = cells;
    }
    if (!item->data || (cells >= 0 && !item->coords))
        interp_fail(in, at, "out of memory: field '%s' has %lld elements", item->f->name, (long long)count);
}

static void
item_free(Array *item)
{
    free(item->data);
    free(item->coords);
}

/* Lists the active cells of a field. */
static void
item_cells(Interp *in, Array *item, Span at)
{
    int axes = item->a.index_axes;
    int64_t *coords = NULL, count = item->f->node ? tree_cells(in, item->f->node, &coords, at) : 1;
    item_room(in, item, count, at);
    for (int64_t n = 0; n < count; n++)
        for (int i = 0; i < axes; i++)
            item->coords[n * axes + i] = coords[n * AXIS_MAX + i];
    free(coords);
}

/* Copies elements out of the field, or into it. */
static void
item_read(Interp *in, Array *item, Span at)
{
    int64_t count = item_count(in, item), index[AXIS_MAX] = {0};
    for (int64_t n = 0; n < count; n++) {
        item_index(item, n, index);
        for (int leaf = 0; leaf < item->f->type->leaf_count; leaf++)
            leaf_store(item->f->type->scalar, leaf_place(item, n, leaf), tree_read(in, item->f, leaf, index, at));
    }
}

static void
item_write(Interp *in, Array *item, Span at)
{
    int64_t count = item_count(in, item), index[AXIS_MAX] = {0};
    for (int64_t n = 0; n < count; n++) {
        item_index(item, n, index);
        for (int leaf = 0; leaf < item->f->type->leaf_count; leaf++)
            tree_write(in, item->f, leaf, index, leaf_load(item->f->type->scalar, leaf_place(item, n, leaf)), at);
    }
}

static void
save_fields(Interp *in, const TStmt *s, const char *path)
{
    int count = s->fields.count;
    Array *items = ARENA_ARRAY(in->c->arena, Array, count);
    SnlIoArray *arrays = ARENA_ARRAY(in->c->arena, SnlIoArray, count);
    const void **data = ARENA_ARRAY(in->c->arena, const void *, count);
    SnlIoError error;
    for (int i = 0; i < count; i++) {
        items[i] = describe(in, s->fields.items[i]);
        if (s->kind == TS_SAVE && snl_io_takes_cells(path, &items[i].a))
            item_cells(in, &items[i], s->span);
        else
            item_room(in, &items[i], -1, s->span);
        item_read(in, &items[i], s->span);
        arrays[i] = items[i].a;
        data[i] = items[i].data;
    }
    bool fine = s->kind == TS_IMAGE ? true : snl_io_save(path, count, arrays, data, &error);
    if (s->kind == TS_IMAGE) {
        Leaf low, high;
        eval(in, s->from.items[0], &low);
        eval(in, s->to.items[0], &high);
        low = leaf_cast(s->from.items[0]->type->scalar, SCALAR_F64, low);
        high = leaf_cast(s->to.items[0]->type->scalar, SCALAR_F64, high);
        fine = snl_image_save(path, &arrays[0], data[0], low.f, high.f, &error);
    }
    for (int i = 0; i < count; i++)
        item_free(&items[i]);
    if (!fine)
        interp_fail(in, s->span, "%s", error.text);
}

/* Active cells that a file of cells lacks become ambient; they stay active, because other fields may share them. */
static void
clear_field(Interp *in, Field *f, Span at)
{
    int64_t *coords = NULL, count = f->node ? tree_cells(in, f->node, &coords, at) : 0;
    for (int64_t n = 0; n < count; n++)
        for (int leaf = 0; leaf < f->type->leaf_count; leaf++)
            tree_write(in, f, leaf, coords + n * AXIS_MAX, f->ambient ? f->ambient->leaves[leaf] : (Leaf){.i = 0}, at);
    free(coords);
}

static void
load_field(Interp *in, const TStmt *s, const char *path)
{
    Array item = describe(in, s->fields.items[0]);
    SnlIoError error;
    int64_t cells;
    if (!snl_io_find_cells(path, &item.a, &cells, &error))
        interp_fail(in, s->span, "%s", error.text);
    item_room(in, &item, cells, s->span);
    bool fine = cells < 0 ? snl_io_load(path, &item.a, item.data, &error) : snl_io_load_cells(path, &item.a, item.coords, item.data, &error);
    if (fine && cells >= 0)
        clear_field(in, item.f, s->span);
    if (fine)
        item_write(in, &item, s->span);
    item_free(&item);
    if (!fine)
        interp_fail(in, s->span, "%s", error.text);
}

/* ---- whole layouts: the interpreter's own form of .snlt ---- */

static const char layout_magic[8] = "SNLTi1\n";

/* What a layout holds: the active cells of its nodes, the values of its leaves in order of the fields. */
typedef struct {
    int node_count, leaf_count;
    KeyMap **active;
    LeafState **leaves;
    int64_t *counts; /* of each leaf: elements */
} Contents;

/* The parts of a layout as they are now. */
static Contents
contents_of(Interp *in, const Layout *l)
{
    Contents c = {.node_count = l->nodes.count};
    for (int i = 0; i < in->p->fields.count; i++)
        c.leaf_count += in->p->fields.items[i]->type->leaf_count;
    c.active = ARENA_ARRAY(in->c->arena, KeyMap *, c.node_count);
    c.leaves = ARENA_ARRAY(in->c->arena, LeafState *, c.leaf_count);
    c.counts = ARENA_ARRAY(in->c->arena, int64_t, c.leaf_count);
    c.leaf_count = 0;
    for (int i = 0; i < c.node_count; i++)
        c.active[i] = &in->trees[l->id].nodes[i].active;
    for (int i = 0; i < in->p->fields.count; i++) {
        const Field *f = in->p->fields.items[i];
        for (int leaf = 0; leaf < f->type->leaf_count; leaf++)
            if (f->leaves[leaf].layout == l) {
                c.counts[c.leaf_count] = element_count(in, f);
                c.leaves[c.leaf_count++] = &in->fields[i][leaf];
            }
    }
    return c;
}

static void
write_map(FILE *f, const KeyMap *m)
{
    fwrite(&m->used, sizeof m->used, 1, f);
    for (int64_t i = 0; i < m->room; i++)
        if (m->state[i] == 1) {
            fwrite(&m->keys[i], sizeof m->keys[i], 1, f);
            fwrite(&m->words[i], sizeof m->words[i], 1, f);
        }
}

static void
save_layout(Interp *in, const TStmt *s, const char *path)
{
    tree_require(in, s->layout, s->span);
    Contents c = contents_of(in, s->layout);
    FILE *f = fopen(path, "wb");
    if (!f)
        interp_fail(in, s->span, "cannot write '%s': %s", path, strerror(errno));
    fwrite(layout_magic, sizeof layout_magic, 1, f);
    for (int i = 0; i < c.node_count; i++)
        write_map(f, c.active[i]);
    for (int i = 0; i < c.leaf_count; i++) {
        if (c.leaves[i]->flat)
            fwrite(c.leaves[i]->flat, sizeof(Leaf), (size_t)c.counts[i], f);
        else
            write_map(f, &c.leaves[i]->some);
    }
    bool fine = !ferror(f);
    if (fclose(f) || !fine)
        interp_fail(in, s->span, "cannot write '%s': %s", path, strerror(errno));
}

/* Reads a map whose keys are below a limit, and whose words lie in 0 ... `most`; for -1 they are any. */
static bool
read_map(FILE *f, KeyMap *m, Key limit, int64_t most)
{
    int64_t count;
    if (fread(&count, sizeof count, 1, f) != 1 || count < 0)
        return false;
    for (int64_t i = 0; i < count; i++) {
        Key key;
        Leaf word;
        if (fread(&key, sizeof key, 1, f) != 1 || fread(&word, sizeof word, 1, f) != 1)
            return false;
        if (key >= limit || (most >= 0 && (word.i < 0 || word.i > most)))
            return false;
        *keymap_add(m, key, word) = word;
    }
    return true;
}

/* Cells of a node over its whole path. */
static Key
cell_limit(Interp *in, const Node *n)
{
    Key limit = 1;
    for (int a = 0; a < AXIS_MAX; a++)
        if (n->path_axes & 1 << a)
            limit *= (Key)node_extent(in, n, a);
    return limit;
}

/* Reads everything into `nodes` and `leaves`, which are as those of `now` but empty. */
static bool
read_contents(Interp *in, const Layout *l, const Contents *now, FILE *f, KeyMap *nodes, LeafState *leaves)
{
    char magic[sizeof layout_magic];
    if (fread(magic, sizeof magic, 1, f) != 1 || memcmp(magic, layout_magic, sizeof magic))
        return false;
    for (int i = 0; i < now->node_count; i++) {
        const Node *n = l->nodes.items[i];
        if (!read_map(f, &nodes[i], cell_limit(in, n), n->kind == NODE_DYNAMIC ? in->trees[l->id].stored[n->id - 1][0] : -1))
            return false;
    }
    for (int i = 0; i < now->leaf_count; i++) {
        size_t count = (size_t)now->counts[i];
        if (!now->leaves[i]->flat) {
            if (!read_map(f, &leaves[i].some, (Key)now->counts[i], -1))
                return false;
            continue;
        }
        leaves[i].flat = malloc(count * sizeof(Leaf) + 1);
        if (!leaves[i].flat || fread(leaves[i].flat, sizeof(Leaf), count, f) != count)
            return false;
    }
    return getc(f) == EOF;
}

static void
load_layout(Interp *in, const TStmt *s, const char *path)
{
    tree_require(in, s->layout, s->span);
    Contents now = contents_of(in, s->layout);
    KeyMap *nodes = ARENA_ARRAY(in->c->arena, KeyMap, now.node_count);
    LeafState *leaves = ARENA_ARRAY(in->c->arena, LeafState, now.leaf_count);
    FILE *f = fopen(path, "rb");
    if (!f)
        interp_fail(in, s->span, "cannot read '%s': %s", path, strerror(errno));
    bool fine = read_contents(in, s->layout, &now, f, nodes, leaves);
    long long at = (long long)ftell(f);
    fclose(f);
    /* what is not needed ends up in nodes and leaves */
    for (int i = 0; i < now.node_count; i++) {
        KeyMap old = *now.active[i];
        if (fine) {
            *now.active[i] = nodes[i];
            nodes[i] = old;
        }
        keymap_free(&nodes[i]);
    }
    for (int i = 0; i < now.leaf_count; i++) {
        LeafState old = *now.leaves[i];
        if (fine) {
            *now.leaves[i] = leaves[i];
            leaves[i] = old;
        }
        free(leaves[i].flat);
        keymap_free(&leaves[i].some);
    }
    if (!fine)
        interp_fail(in, s->span, "'%s' was not saved from this layout by the interpreter, or is damaged, before offset %lld", path, at);
}

void
exec_file(Interp *in, const TStmt *s)
{
    const char *path = eval_string(in, s->path);
    if (s->kind == TS_IMAGE || (s->kind == TS_SAVE && !s->layout))
        save_fields(in, s, path);
    else if (s->kind == TS_SAVE)
        save_layout(in, s, path);
    else if (s->layout)
        load_layout(in, s, path);
    else
        load_field(in, s, path);
}
