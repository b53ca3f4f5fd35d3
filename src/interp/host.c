/* Statements of host code: whole fields, formats. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"

/* ---- fill, copy ---- */

static void
fill_field(Interp *in, const TStmt *s)
{
    Field *f = s->field;
    int64_t index[AXIS_MAX] = {0};
    Leaf *v = interp_take(in, f->type->leaf_count);
    eval(in, s->value, v);
    tree_require_field(in, f, s->span);
    for (int leaf = 0; leaf < f->type->leaf_count; leaf++) {
        if (!f->node) {
            tree_write(in, f, leaf, index, v[leaf], s->span);
            continue;
        }
        Cells cells = tree_cells(in, f->leaves[leaf].node, s->span);
        for (int64_t i = 0; i < cells.count; i++) {
            tree_cells_at(in, &cells, i, index);
            tree_write(in, f, leaf, index, v[leaf], s->span);
        }
        tree_cells_free(&cells);
    }
}

/* Extents that the checker did not know are compared here. */
static void
require_one_shape(Interp *in, const Field *to, const Field *from, Span at)
{
    for (int k = 0; k < to->axis_count; k++) {
        const int64_t a = shape_field_extent(in, to, k), b = shape_field_extent(in, from, k);
        if (a != b)
            interp_fail(in, at, "field '%s' has %lld elements along axis %d, field '%s' has %lld",
                        to->name, (long long)a, k, from->name, (long long)b);
    }
}

/* Element by element; sparse sources copy their active cells only, so that nothing else becomes
 * active. */
static void
copy_field(Interp *in, const TStmt *s)
{
    Field *to = s->field, *from = s->field2;
    int64_t a[AXIS_MAX] = {0}, b[AXIS_MAX] = {0};
    tree_require_field(in, to, s->span);
    tree_require_field(in, from, s->span);
    require_one_shape(in, to, from, s->span);
    if (!from->node) {
        for (int leaf = 0; leaf < to->type->leaf_count; leaf++)
            tree_write(in, to, leaf, a, tree_read(in, from, leaf, a, s->span), s->span);
        return;
    }
    Cells cells = tree_cells(in, from->node, s->span);
    for (int64_t i = 0; i < cells.count; i++) {
        tree_cells_at(in, &cells, i, b);
        for (int k = 0; k < from->axis_count; k++)
            a[k] = b[k] - from->offsets[k] + to->offsets[k];
        for (int leaf = 0; leaf < to->type->leaf_count; leaf++)
            tree_write(in, to, leaf, a, tree_read(in, from, leaf, b, s->span), s->span);
    }
    tree_cells_free(&cells);
}

void
host_exec(Interp *in, const TStmt *s)
{
    switch (s->kind) {
    case TS_CREATE: tree_create(in, s->layout, s->span); break;
    case TS_DESTROY: tree_destroy(in, s->layout, s->span); break;
    case TS_TRIM: tree_trim(in, s->layout, s->span); break;
    case TS_FILL: fill_field(in, s); break;
    case TS_COPY: copy_field(in, s); break;
    case TS_SWAP:
        tree_require(in, s->layout, s->span);
        tree_require(in, s->layout2, s->span);
        tree_swap(in, s->layout, s->layout2);
        break;
    case TS_SAVE:
    case TS_LOAD:
    case TS_IMAGE: files_exec(in, s); break;
    default: break;
    }
}
