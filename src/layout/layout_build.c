/* Numbers of a layout tree: padding, cell and container sizes, offsets of components, coordinates,
 * and where each leaf of a field lies. */
#include "config.h"

#include <string.h>

#include "layout/layout.h"

enum { CONTAINER_ALIGN = 8, PARTS_MAX = 16 /* that a fix places */ };

static int64_t
align_up(int64_t n, int64_t align)
{
    return (n + align - 1) / align * align;
}

static int64_t
power_of_two_above(int64_t n)
{
    int64_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

int64_t
layout_mask_offset(NodeKind kind, int64_t cell_count, int64_t cell_bytes)
{
    return align_up(
        node_limited_product(cell_count, kind == NODE_POINTER ? LAYOUT_SLOT_BYTES : cell_bytes), 8);
}

static bool
is_padded(const Node *n)
{
    return !n->packed && n->kind != NODE_DYNAMIC && n->kind != NODE_HASH;
}

/* Bytes of a container of `cells` cells of `bytes` each, as this kind of node keeps them. */
static int64_t
bytes_of_cells(NodeKind kind, int64_t cells, int64_t bytes)
{
    switch (kind) {
    case NODE_DENSE: return node_limited_product(cells, bytes);
    case NODE_BITMASKED:
    case NODE_POINTER: return layout_mask_offset(kind, cells, bytes) + (cells + 63) / 64 * 8;
    case NODE_DYNAMIC: return LAYOUT_DYNAMIC_BYTES;
    case NODE_HASH: case NODE_KIND_COUNT: break;
    }
    return LAYOUT_HASH_BYTES;
}

static int64_t
component_align(const Node *child)
{
    bool strict = child->kind != NODE_DENSE && child->cell_align < CONTAINER_ALIGN;
    return strict ? CONTAINER_ALIGN : child->cell_align;
}

/* Places and child containers one after another, each aligned. Returns the end; *align gets the
 * strictest. */
static int64_t
place_components(Place *places, int place_count, Node **children, int child_count, int64_t *align)
{
    int64_t at = 0;
    *align = 1;
    for (int i = 0; i < place_count; i++) {
        at = align_up(at, places[i].type->align);
        places[i].cell_offset = at;
        at += places[i].type->bytes;
        *align = places[i].type->align > *align ? places[i].type->align : *align;
    }
    for (int i = 0; i < child_count; i++) {
        int64_t own = component_align(children[i]);
        at = align_up(at, own);
        children[i]->container_offset = at;
        at = at + children[i]->container_bytes > LAYOUT_LARGEST ? LAYOUT_LARGEST
                                                                : at + children[i]->container_bytes;
        *align = own > *align ? own : *align;
    }
    return at;
}

/* Cells a dynamic node allocates at a time unless @chunk says so: about 64 KiB, at most 1024 cells.
 */
static int64_t
default_chunk(const Node *n)
{
    int64_t cells = n->cell_bytes ? 65536 / n->cell_bytes : 1024;
    cells = cells < 16 ? 16 : cells > 1024 ? 1024 : cells;
    return n->sizes[0] && n->sizes[0] < cells ? n->sizes[0] : cells;
}

static void
build_sizes(Node *n)
{
    int64_t align;
    n->cell_count = 1;
    bool runtime = false;
    for (int i = 0; i < n->axis_count; i++) {
        n->stored[i] = n->sizes[i] && is_padded(n) && n->sizes[i] <= LAYOUT_LARGEST
                           ? power_of_two_above(n->sizes[i])
                           : n->sizes[i];
        runtime = runtime || !n->sizes[i];
        n->cell_count = node_limited_product(n->cell_count, n->stored[i]);
    }
    n->cell_bytes = place_components(n->places.items, n->places.count, n->children.items,
                                     n->children.count, &align);
    n->cell_align = align;
    n->cell_bytes = align_up(n->cell_bytes, align);
    if (!n->cell_bytes && !node_is_inline(n->kind))
        n->cell_bytes = 1; /* so that an active cell has an address */
    if (runtime)
        n->cell_count = 0;
    bool is_header = n->kind == NODE_DYNAMIC || n->kind == NODE_HASH;
    n->container_bytes =
        runtime && !is_header ? 0 : bytes_of_cells(n->kind, n->cell_count, n->cell_bytes);
    if (n->kind != NODE_DYNAMIC)
        return;
    if (!n->chunk)
        n->chunk = default_chunk(n);
    if (n->sizes[0] && n->chunk > n->sizes[0])
        n->chunk = n->sizes[0];
}

/* Top-down: parents, numbers, coordinates. */
static void
build_down(Compile *c, Layout *l, Node *n, Node *parent)
{
    n->layout = l;
    n->parent = parent;
    n->depth = parent ? parent->depth + 1 : 0;
    vec_push(c->arena, &l->nodes, n);
    n->id = l->nodes.count;
    n->path_axes = parent ? parent->path_axes : 0;
    for (int a = 0; a < AXIS_MAX; a++) {
        n->coord_extent[a] = parent ? parent->coord_extent[a] : 1;
        n->cell_extent[a] = 1;
        if (parent) {
            n->offset[a] = parent->offset[a];
            n->has_offset = parent->has_offset;
        }
    }
    for (int i = 0; i < n->axis_count; i++) {
        n->path_axes |= 1 << n->axes[i];
        n->coord_extent[n->axes[i]] =
            node_limited_product(n->coord_extent[n->axes[i]], n->sizes[i]);
    }
    for (int i = 0; i < n->children.count; i++)
        build_down(c, l, n->children.items[i], n);
}

const Place *
layout_place(const Field *f, int leaf)
{
    const LeafPlace *at = &f->leaves[leaf];
    return at->node ? &at->node->places.items[at->place] : &at->layout->places.items[at->place];
}

/* Bottom-up: what a cell spans and how large it is. */
static void
build_up(Node *n)
{
    for (int i = 0; i < n->children.count; i++)
        build_up(n->children.items[i]);
    if (n->children.count) {
        const Node *first = n->children.items[0];
        for (int a = 0; a < AXIS_MAX; a++)
            n->cell_extent[a] = first->cell_extent[a];
        for (int i = 0; i < first->axis_count; i++)
            n->cell_extent[first->axes[i]] =
                node_limited_product(n->cell_extent[first->axes[i]], first->sizes[i]);
    }
    build_sizes(n);
}

static void
report_placed_twice(Compile *c, const Place *p, int leaf)
{
    const Field *f = p->field;
    Diag *d = diag(c, E0405, p->span, "'%s%s' is placed already", f->name,
                   type_leaf_name(c, f->type, leaf));
    if (f->short_form) {
        diag_note(d, f->span, "its sizes give '%s' a layout of its own", f->name);
        diag_fix(d, "field %s %s; its sizes are those of the layout", f->type->name, f->name);
    } else
        diag_note(d, layout_place(f, leaf)->span, "'%s' is placed here", f->name);
}

static void
record_places(Compile *c, Layout *l, Node *n, const Place *places, int count)
{
    for (int i = 0; i < count; i++) {
        const Place *p = &places[i];
        for (int leaf = 0; leaf < p->leaf_count; leaf++) {
            LeafPlace *to = &p->field->leaves[p->first_leaf + leaf];
            if (to->layout) {
                report_placed_twice(c, p, p->first_leaf + leaf);
                break;
            }
            int64_t inside;
            type_leaf(p->type, leaf, &inside);
            *to = (LeafPlace){
                .node = n, .layout = l, .cell_offset = p->cell_offset + inside, .place = i};
        }
    }
}

int64_t
layout_tight_bytes(const Node *n)
{
    int64_t cells = 1, cell = 0;
    for (int i = 0; i < n->axis_count; i++)
        cells = node_limited_product(cells, n->sizes[i]);
    for (int i = 0; i < n->places.count; i++)
        cell = align_up(cell, n->places.items[i].type->align) + n->places.items[i].type->bytes;
    for (int i = 0; i < n->children.count; i++) {
        const Node *child = n->children.items[i];
        int64_t bytes = layout_tight_bytes(child);
        cell = align_up(cell, component_align(child));
        cell = cell + bytes > LAYOUT_LARGEST ? LAYOUT_LARGEST : cell + bytes;
    }
    return bytes_of_cells(n->kind, cells, align_up(cell, n->cell_align));
}

static void
check_too_large(Compile *c, const Node *n)
{
    double cells = 1;
    for (int i = 0; n->kind != NODE_HASH && i < n->axis_count; i++)
        cells *= (double)n->sizes[i];
    for (int a = 0; a < AXIS_MAX; a++)
        if (n->coord_extent[a] >= LAYOUT_LARGEST || cells >= (double)LAYOUT_LARGEST) {
            diag(c, E0411, n->span,
                 "a node has fewer than 2^60 cells along each axis, and in all unless it is a hash "
                 "node");
            return;
        }
    if (n->container_bytes >= LAYOUT_LARGEST || n->cell_bytes >= LAYOUT_LARGEST ||
        node_limited_product(n->chunk, n->cell_bytes) >= LAYOUT_LARGEST) {
        Diag *d = diag(c, E0411, n->span, "this node would take 2^60 bytes or more");
        diag_fix(d, "a hash node takes memory for active cells only");
    }
}

/* Warns at the first innermost node whose padding more than doubles what is stored from it on; the
 * `first` warning says what it costs and what helps. True when one was warned of. */
static bool
check_padding(Compile *c, const Node *n, bool first)
{
    for (int i = 0; i < n->children.count; i++)
        if (check_padding(c, n->children.items[i], first))
            return true;
    int64_t tight = layout_tight_bytes(n);
    if (!tight || n->container_bytes <= 2 * tight)
        return false;
    Diag *d =
        diag(c, W0401, n->span, "padding of the sizes to powers of two takes %.1f times the memory",
             (double)n->container_bytes / (double)tight);
    if (!first)
        return true;
    diag_note(d, (Span){0, 0}, "%lld bytes are stored for %lld bytes of cells",
              (long long)n->container_bytes, (long long)tight);
    diag_fix(d, "@packed before the layout or field, '@packed;' as the first line of the file, or "
                "--packed, stores the sizes as written");
    return true;
}

bool
layout_check_padding(Compile *c, const Layout *l, bool first)
{
    for (int i = 0; i < l->tops.count; i++)
        if (check_padding(c, l->tops.items[i], first))
            return true;
    return false;
}

void
layout_build(Compile *c, Layout *l)
{
    int64_t align;
    for (int i = 0; i < l->tops.count; i++) {
        l->tops.items[i]->root_index = i;
        build_down(c, l, l->tops.items[i], NULL);
    }
    for (int i = 0; i < l->tops.count; i++)
        build_up(l->tops.items[i]);
    l->root_bytes = place_components(l->places.items, l->places.count, NULL, 0, &align);
    l->root_bytes = align_up(l->root_bytes, align);
    l->root_align = align;
    record_places(c, l, NULL, l->places.items, l->places.count);
    for (int i = 0; i < l->nodes.count; i++) {
        Node *n = l->nodes.items[i];
        check_too_large(c, n);
        record_places(c, l, n, n->places.items, n->places.count);
    }
}

void
layout_rebuild(Compile *c, Layout *l)
{
    l->nodes.count = 0;
    for (int i = 0; i < l->fields.count; i++) {
        Field *f = l->fields.items[i];
        for (int leaf = 0; leaf < f->type->leaf_count; leaf++)
            if (f->leaves[leaf].layout == l)
                f->leaves[leaf] = (LeafPlace){0};
    }
    layout_build(c, l);
}

static bool
same_shape(const Node *a, const Node *b)
{
    if (!a || !b)
        return a == b;
    if (a->path_axes != b->path_axes)
        return false;
    for (int i = 0; i < AXIS_MAX; i++)
        if (a->coord_extent[i] != b->coord_extent[i] || a->offset[i] != b->offset[i])
            return false;
    return true;
}

/* The first leaf that is placed, or not placed; -1: none. */
static int
find_leaf(const Field *f, bool placed)
{
    for (int i = 0; i < f->type->leaf_count; i++)
        if ((f->leaves[i].layout != NULL) == placed)
            return i;
    return -1;
}

/* Parts that are missing are placed beside one that is placed, unless they are many, or one place
 * may be for all fields of a family. */
static void
suggest_parts(Compile *c, const Field *f, Diag *d)
{
    const uint32_t end = layout_place(f, find_leaf(f, true))->span.to;
    const char *parts = "";
    int count = 0;
    for (int i = 0; i < f->type->leaf_count && count <= PARTS_MAX; i++) {
        if (f->leaves[i].layout)
            continue;
        parts = arena_printf(c->arena, "%s, %s%s", parts, f->name, type_leaf_name(c, f->type, i));
        count++;
    }
    if (count <= PARTS_MAX && !strchr(f->name, '#'))
        diag_edit(d, (Span){end, end}, "%s", parts);
}

static void
report_not_placed(Compile *c, const Field *f)
{
    const int missing = find_leaf(f, false);
    if (find_leaf(f, true) < 0)
        diag_fix(diag(c, E0404, f->span, "field '%s' is not placed", f->name),
                 "layout { dense i[64] { place %s; } }", f->name);
    else
        suggest_parts(c, f,
                      diag(c, E0404, f->span, "a part of field '%s' is not placed: '%s%s'", f->name,
                           f->name, type_leaf_name(c, f->type, missing)));
}

bool
layout_check_field(Compile *c, Field *f)
{
    if (f->type->kind == TYPE_ERROR)
        return true;
    if (find_leaf(f, false) >= 0) {
        /* its sizes were wrong, or a layout may have been skipped */
        if (!f->short_form && !f->misplaced && !c->syntax_errors)
            report_not_placed(c, f);
        return false;
    }
    f->node = f->leaves[0].node;
    for (int i = 1; i < f->type->leaf_count; i++)
        if (!same_shape(f->node, f->leaves[i].node)) {
            Diag *d = diag(c, E0406, layout_place(f, i)->span,
                           "the components of '%s' are placed with different shapes", f->name);
            diag_note(d, layout_place(f, 0)->span, "the first component is placed here");
            return true;
        }
    f->whole = layout_place(f, 0)->leaf_count == f->type->leaf_count;
    for (int a = 0; f->node && a < AXIS_MAX; a++)
        if (f->node->path_axes & 1 << a) {
            f->axes[f->axis_count] = a;
            f->offsets[f->axis_count] = f->node->offset[a];
            f->extents[f->axis_count++] = f->node->coord_extent[a];
        }
    return true;
}

Layout *
layout_first_twin(Layout *l)
{
    while (l->twin)
        l = l->twin;
    return l;
}

bool
layout_field_lies_in(const Field *f, const Layout *l)
{
    const Node *n = f->leaves[0].node;
    return n && n->layout == l;
}
