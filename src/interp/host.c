/* Statements of host code: files, whole fields, formats. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"
#include "snl_io.h"

/* The C representation of one value. */
static void
to_memory(const Type *t, const Leaf *v, char *out)
{
    for (int i = 0; i < t->leaf_count; i++) {
        int64_t at;
        Scalar s = type_leaf(t, i, &at);
        leaf_store(s, out + at, v[i]);
    }
}

void
format_args(Interp *in, const char *format, const TExprs *args, SnlText *out)
{
    SnlArg *list = ARENA_ARRAY(in->c->arena, SnlArg, args->count);
    for (int i = 0; i < args->count; i++) {
        const TExpr *e = args->items[i];
        if (e->type->kind == TYPE_STRING) {
            list[i] = (SnlArg){.tag = SNL_STRING, .data = eval_string(in, e)};
            continue;
        }
        Leaf *v = interp_take(in, e->type->leaf_count);
        char *data = arena_alloc(in->c->arena, (size_t)e->type->bytes);
        eval(in, e, v);
        to_memory(e->type, v, data);
        list[i] = (SnlArg){.tag = (int)e->type->scalar, .rows = e->type->rows, .cols = e->type->cols, .data = data};
    }
    snl_format_text(out, format, args->count, list);
}

/* ---- whole fields ---- */

/* Index of element n in row-major order. */
static void
element_index(Interp *in, const Field *f, int64_t n, int64_t *index)
{
    for (int i = f->axis_count - 1; i >= 0; i--) {
        int64_t extent = field_extent(in, f, i);
        index[i] = f->offsets[i] + n % extent;
        n /= extent;
    }
}

static int64_t
element_count(Interp *in, const Field *f)
{
    int64_t count = 1;
    for (int i = 0; i < f->axis_count; i++)
        count *= field_extent(in, f, i);
    return count;
}

static SnlIoArray
describe(Interp *in, const Field *f)
{
    SnlIoArray a = {.name = f->name, .tag = (int)f->type->scalar, .axes = f->axis_count};
    for (int i = 0; i < f->axis_count; i++)
        a.shape[i] = field_extent(in, f, i);
    if (f->type->rows)
        a.shape[a.axes++] = f->type->rows;
    if (f->type->cols)
        a.shape[a.axes++] = f->type->cols;
    return a;
}

static char *
read_field(Interp *in, Field *f, Span at)
{
    int64_t count = element_count(in, f), index[AXIS_MAX] = {0};
    char *data = malloc((size_t)(count * f->type->bytes) + 1);
    if (!data)
        interp_fail(in, at, "out of memory: field '%s' has %lld elements", f->name, (long long)count);
    for (int64_t n = 0; n < count; n++) {
        element_index(in, f, n, index);
        for (int leaf = 0; leaf < f->type->leaf_count; leaf++)
            leaf_store(f->type->scalar, data + n * f->type->bytes + leaf * scalar_info(f->type->scalar)->bytes, tree_read(in, f, leaf, index, at));
    }
    return data;
}

static void
write_field(Interp *in, Field *f, const char *data, Span at)
{
    int64_t count = element_count(in, f), index[AXIS_MAX] = {0};
    for (int64_t n = 0; n < count; n++) {
        element_index(in, f, n, index);
        for (int leaf = 0; leaf < f->type->leaf_count; leaf++)
            tree_write(in, f, leaf, index, leaf_load(f->type->scalar, data + n * f->type->bytes + leaf * scalar_info(f->type->scalar)->bytes), at);
    }
}

static void
save_fields(Interp *in, const TStmt *s, const char *path)
{
    int count = s->fields.count;
    SnlIoArray *arrays = ARENA_ARRAY(in->c->arena, SnlIoArray, count);
    const void **data = ARENA_ARRAY(in->c->arena, const void *, count);
    SnlIoError error;
    for (int i = 0; i < count; i++) {
        arrays[i] = describe(in, s->fields.items[i]);
        data[i] = read_field(in, s->fields.items[i], s->span);
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
        free((void *)data[i]);
    if (!fine)
        interp_fail(in, s->span, "%s", error.text);
}

static void
load_field(Interp *in, const TStmt *s, const char *path)
{
    Field *f = s->fields.items[0];
    SnlIoArray a = describe(in, f);
    SnlIoError error;
    char *data = malloc((size_t)(element_count(in, f) * f->type->bytes) + 1);
    if (!data)
        interp_fail(in, s->span, "out of memory");
    bool fine = snl_io_load(path, &a, data, &error);
    if (fine)
        write_field(in, f, data, s->span);
    free(data);
    if (!fine)
        interp_fail(in, s->span, "%s", error.text);
}

/* ---- whole layouts: the interpreter's own form of .snlt ---- */

static const char layout_magic[8] = "SNLTi1\n";

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

static bool
read_map(FILE *f, KeyMap *m)
{
    int64_t count;
    keymap_free(m);
    if (fread(&count, sizeof count, 1, f) != 1)
        return false;
    for (int64_t i = 0; i < count; i++) {
        Key key;
        Leaf word;
        if (fread(&key, sizeof key, 1, f) != 1 || fread(&word, sizeof word, 1, f) != 1)
            return false;
        *keymap_add(m, key, word) = word;
    }
    return true;
}

typedef bool (*LeafVisit)(Interp *in, FILE *f, LeafState *state, int64_t count);

static bool
write_leaf(Interp *in, FILE *f, LeafState *state, int64_t count)
{
    (void)in;
    if (state->flat)
        return fwrite(state->flat, sizeof(Leaf), (size_t)count, f) == (size_t)count;
    write_map(f, &state->some);
    return true;
}

static bool
read_leaf(Interp *in, FILE *f, LeafState *state, int64_t count)
{
    (void)in;
    if (state->flat)
        return fread(state->flat, sizeof(Leaf), (size_t)count, f) == (size_t)count;
    return read_map(f, &state->some);
}

static bool
visit_leaves(Interp *in, const Layout *l, FILE *f, LeafVisit visit)
{
    for (int i = 0; i < in->p->fields.count; i++) {
        const Field *field = in->p->fields.items[i];
        for (int leaf = 0; leaf < field->type->leaf_count; leaf++)
            if (field->leaves[leaf].layout == l && !visit(in, f, &in->fields[i][leaf], element_count(in, field)))
                return false;
    }
    return true;
}

static void
save_layout(Interp *in, const TStmt *s, const char *path)
{
    tree_require(in, s->layout, s->span);
    FILE *f = fopen(path, "wb");
    if (!f)
        interp_fail(in, s->span, "cannot write '%s': %s", path, strerror(errno));
    fwrite(layout_magic, sizeof layout_magic, 1, f);
    for (int i = 0; i < s->layout->nodes.count; i++)
        write_map(f, &in->trees[s->layout->id].nodes[i].active);
    bool fine = visit_leaves(in, s->layout, f, write_leaf) && !ferror(f);
    if (fclose(f) || !fine)
        interp_fail(in, s->span, "cannot write '%s': %s", path, strerror(errno));
}

static void
load_layout(Interp *in, const TStmt *s, const char *path)
{
    char magic[sizeof layout_magic];
    tree_require(in, s->layout, s->span);
    FILE *f = fopen(path, "rb");
    if (!f)
        interp_fail(in, s->span, "cannot read '%s': %s", path, strerror(errno));
    bool fine = fread(magic, sizeof magic, 1, f) == 1 && !memcmp(magic, layout_magic, sizeof magic);
    for (int i = 0; fine && i < s->layout->nodes.count; i++)
        fine = read_map(f, &in->trees[s->layout->id].nodes[i].active);
    fine = fine && visit_leaves(in, s->layout, f, read_leaf);
    fclose(f);
    if (!fine)
        interp_fail(in, s->span, "'%s' was not saved from this layout by the interpreter, or is damaged", path);
}

/* ---- fill, copy ---- */

static void
fill_field(Interp *in, const TStmt *s)
{
    Field *f = s->field;
    int64_t index[AXIS_MAX] = {0}, *coords;
    Leaf *v = interp_take(in, f->type->leaf_count);
    eval(in, s->value, v);
    for (int leaf = 0; leaf < f->type->leaf_count; leaf++) {
        if (!f->node) {
            tree_write(in, f, leaf, index, v[leaf], s->span);
            continue;
        }
        int64_t count = tree_cells(in, f->leaves[leaf].node, &coords, s->span);
        for (int64_t i = 0; i < count; i++)
            tree_write(in, f, leaf, coords + i * AXIS_MAX, v[leaf], s->span);
        free(coords);
    }
}

/* Element by element; sparse sources copy their active cells only, so that nothing else becomes active. */
static void
copy_field(Interp *in, const TStmt *s)
{
    Field *to = s->field, *from = s->field2;
    int64_t a[AXIS_MAX] = {0}, *coords;
    if (!from->node) {
        for (int leaf = 0; leaf < to->type->leaf_count; leaf++)
            tree_write(in, to, leaf, a, tree_read(in, from, leaf, a, s->span), s->span);
        return;
    }
    int64_t count = tree_cells(in, from->node, &coords, s->span);
    for (int64_t i = 0; i < count; i++) {
        for (int k = 0; k < from->axis_count; k++)
            a[k] = coords[i * AXIS_MAX + k] - from->offsets[k] + to->offsets[k];
        for (int leaf = 0; leaf < to->type->leaf_count; leaf++)
            tree_write(in, to, leaf, a, tree_read(in, from, leaf, coords + i * AXIS_MAX, s->span), s->span);
    }
    free(coords);
}

void
exec_host(Interp *in, const TStmt *s)
{
    switch (s->kind) {
    case TS_CREATE: tree_create(in, s->layout, s->span); break;
    case TS_DESTROY: tree_destroy(in, s->layout, s->span); break;
    case TS_TRIM: tree_require(in, s->layout, s->span); break;
    case TS_FILL: fill_field(in, s); break;
    case TS_COPY: copy_field(in, s); break;
    case TS_SWAP: tree_swap(in, s->layout, s->layout2); break;
    case TS_SAVE:
        if (s->layout)
            save_layout(in, s, eval_string(in, s->path));
        else
            save_fields(in, s, eval_string(in, s->path));
        break;
    case TS_LOAD:
        if (s->layout)
            load_layout(in, s, eval_string(in, s->path));
        else
            load_field(in, s, eval_string(in, s->path));
        break;
    case TS_IMAGE: save_fields(in, s, eval_string(in, s->path)); break;
    default: break;
    }
}
