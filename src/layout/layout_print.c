/* Trees as text for people. */
#include "config.h"

#include "layout/layout_info.h"

#include <string.h>

typedef struct {
    Compile *c;
    Text *out;
} Printer;

/* A table of a few columns, printed when its widths are known. */
enum { COLUMNS = 6, ROWS = AXIS_MAX + 1 };
typedef struct {
    const char *cells[ROWS][COLUMNS];
    int rows;
} Table;

static void
print_table(Printer *p, const Table *t)
{
    for (int r = 0; r < t->rows; r++) {
        Text line;
        text_init(&line, p->c->arena);
        for (int i = 0; i < COLUMNS; i++) {
            size_t width = 0;
            for (int q = 0; q < t->rows; q++)
                width = strlen(t->cells[q][i]) > width ? strlen(t->cells[q][i]) : width;
            text_add(&line, i + 1 < COLUMNS ? "%-*s  " : "%*.0s%s",
                     i + 1 < COLUMNS ? (int)width : 0, t->cells[r][i], t->cells[r][i]);
        }
        text_line(p->out, "%s", line.data);
    }
}

static const char *
bits_text(Compile *c, int low, int count)
{
    if (count <= 0)
        return "-";
    if (count == 1)
        return arena_printf(c->arena, "%d", low);
    return arena_printf(c->arena, "%d..%d", low + count - 1, low);
}

static const char *
stride_text(Compile *c, const Node *n, int k)
{
    const char *cells = node_stride_text(c, n, k);
    int64_t each = node_is_inline(n->kind)   ? n->cell_bytes
                   : n->kind == NODE_POINTER ? LAYOUT_SLOT_BYTES
                                             : 0;
    int64_t stride = node_axis_info(n, k).stride;
    if (!each)
        return arena_printf(c->arena, "%s", cells);
    if (!stride)
        return arena_printf(c->arena, "%s (%lld * %s bytes)", cells, (long long)each, cells);
    return arena_printf(c->arena, "%s (%lld byte%s)", cells, (long long)(stride * each),
                        stride * each == 1 ? "" : "s");
}

static void
print_axes(Printer *p, const Node *n)
{
    Table t = {
        .rows = 1,
        .cells = {{"axis", "size", "stored", "index in container", "bits", "stride in cells"}}};
    for (int k = 0; k < n->axis_count; k++) {
        AxisInfo a = node_axis_info(n, k);
        const char **row = t.cells[t.rows++];
        row[0] = arena_printf(p->c->arena, "%c", a.letter);
        row[1] = node_size_text(p->c, n, k);
        row[2] = a.stored ? arena_printf(p->c->arena, "%lld", (long long)a.stored) : row[1];
        row[3] = layout_axis_map_text(p->c, &a);
        row[4] = bits_text(p->c, a.index_bit, a.bits);
        row[5] = stride_text(p->c, n, k);
    }
    print_table(p, &t);
}

/* "4 containers", "as many containers as the params say". */
static const char *
count_text(Compile *c, int64_t count, const char *what)
{
    if (!count)
        return arena_printf(c->arena, "as many %ss as the params say", what);
    if (count < 0)
        return arena_printf(c->arena, "more than 2^63 %ss", what);
    return arena_printf(c->arena, "%lld %s%s", (long long)count, what, count == 1 ? "" : "s");
}

/* Are all cells from n up to the root there as soon as the tree is? */
static bool
is_all_inline(const Node *n)
{
    for (; n; n = n->parent)
        if (!node_is_inline(n->kind))
            return false;
    return true;
}

/* What there is of a node in the whole tree, and which axis of storage each index is. */
static void
print_counts(Printer *p, const Node *n)
{
    text_line(p->out, "in all     %s%s, %s%s", is_all_inline(n->parent) ? "" : "at most ",
              count_text(p->c, node_all_containers(n), "container"),
              is_all_inline(n) ? "" : "at most ", count_text(p->c, node_all_cells(n), "cell"));
    text_line(p->out, "index map  physical_index_position {%s}",
              layout_index_positions_text(p->c, n, ""));
}

static void
print_container(Printer *p, const Node *n)
{
    Compile *c = p->c;
    const char *size = n->cell_count || n->container_bytes
                           ? layout_bytes_text(c, n->container_bytes)
                           : "size known at run time";
    long long cells = (long long)n->cell_count, used = (long long)node_used_cells(n);
    const char *where =
        n->parent ? arena_printf(c->arena, "one in each cell of %s", node_name(c, n->parent))
                  : "one";
    const char *count =
        !n->cell_count ? ""
                       : arena_printf(c->arena, " for %lld cell%s", cells, cells == 1 ? "" : "s");
    const char *bits =
        !n->cell_count
            ? "behind the cells"
            : arena_printf(c->arena, "at +%lld",
                           (long long)layout_mask_offset(n->kind, n->cell_count, n->cell_bytes));
    switch (n->kind) {
    case NODE_DENSE: text_line(p->out, "container  %s%s; %s", size, count, where); break;
    case NODE_BITMASKED:
        text_line(p->out, "container  %s%s; %s; activity bits %s", size, count, where, bits);
        break;
    case NODE_POINTER:
        text_line(p->out, "container  %s%s, a slot of 8 bytes each; %s; activity bits %s", size,
                  count, where, bits);
        break;
    case NODE_DYNAMIC:
        text_line(p->out, "container  %s, a list of up to %s cells, %lld allocated at a time; %s",
                  size, node_size_text(c, n, 0), (long long)n->chunk, where);
        break;
    case NODE_HASH: case NODE_KIND_COUNT:
        text_line(p->out, "container  %s, a table of the active cells; %s", size, where);
        break;
    }
    print_counts(p, n);
    if (n->cell_count && used < cells)
        text_line(p->out, "padding    %lld of %lld cells are never used (%.0f%%)", cells - used,
                  cells, 100.0 * (double)(cells - used) / (double)cells);
}

static void
print_components(Printer *p, const Place *places, int place_count, Node *const *children,
                 int child_count)
{
    Compile *c = p->c;
    for (int i = 0; i < place_count; i++)
        text_line(p->out, "+%-8lld %s %s", (long long)places[i].cell_offset, places[i].type->name,
                  layout_place_name(c, &places[i]));
    for (int i = 0; i < child_count; i++)
        text_line(p->out, "+%-8lld container of %s", (long long)children[i]->container_offset,
                  node_name(c, children[i]));
}

static void
print_node(Printer *p, const Node *n)
{
    Compile *c = p->c;
    text_open(p->out, "%s  %s", node_name(c, n), node_title(c, n));
    print_container(p, n);
    text_line(p->out, "cell       %s, alignment %lld%s", layout_bytes_text(c, n->cell_bytes),
              (long long)n->cell_align,
              node_is_inline(n->kind) ? "" : ", allocated when it is activated");
    p->out->indent++;
    print_components(p, n->places.items, n->places.count, n->children.items, n->children.count);
    p->out->indent--;
    print_axes(p, n);
    for (int i = 0; i < n->children.count; i++)
        print_node(p, n->children.items[i]);
    p->out->indent--;
}

static void
print_field(Printer *p, const Field *f)
{
    Compile *c = p->c;
    Text t;
    text_init(&t, c->arena);
    text_add(&t, "%s %s", f->type->name, layout_field_shape_text(c, f));
    if (f->whole) {
        text_add(&t, "  at +%lld in a cell of %s", (long long)f->leaves[0].cell_offset,
                 f->node ? node_name(c, f->node) : "S0root");
    } else
        text_add(&t, "  in parts");
    const char *comma = "  strides in bytes:";
    for (int k = 0; f->whole && k < f->axis_count; k++)
        if (layout_field_stride(f, k)) {
            text_add(&t, "%s %c +%lld", comma, AXIS_LETTERS[f->axes[k]],
                     (long long)layout_field_stride(f, k));
            comma = ",";
        }
    text_line(p->out, "%s", t.data);
}

static void
print_layout(Printer *p, const Layout *l)
{
    Compile *c = p->c;
    int64_t padding, bytes = layout_fixed_bytes(l, &padding);
    text_open(p->out, "%s  (%s:%d)%s%s", layout_title(c, l), span_path(&c->sources, l->span),
              span_line(&c->sources, l->span), l->packed ? ", packed" : "",
              l->manual ? ", made and freed by create and destroy" : "");
    if (bytes < 0)
        text_line(p->out, "storage    depends on params");
    else if (padding > 0)
        text_line(p->out, "storage    %s from the start, %s of it padding",
                  layout_bytes_text(c, bytes), layout_bytes_text(c, padding));
    else
        text_line(p->out, "storage    %s from the start, no padding of sizes",
                  layout_bytes_text(c, bytes));
    if (l->places.count) {
        text_open(p->out, "S0root  one cell of %s", layout_bytes_text(c, l->root_bytes));
        print_components(p, l->places.items, l->places.count, NULL, 0);
        p->out->indent--;
    }
    for (int i = 0; i < l->tops.count; i++)
        print_node(p, l->tops.items[i]);
    for (int i = 0; i < l->fields.count; i++)
        print_field(p, l->fields.items[i]);
    p->out->indent--;
}

void
layout_print(Compile *c, LayoutList trees, LayoutFormat format, Text *out)
{
    Printer p = {c, out};
    switch (format) {
    case LAYOUT_JSON: layout_print_json(c, trees, out); return;
    case LAYOUT_SVG: layout_print_svg(c, trees, out); return;
    case LAYOUT_DOT: layout_print_dot(c, trees, out); return;
    case LAYOUT_TEXT: break;
    }
    for (int i = 0; i < trees.count; i++) {
        if (i)
            text_newline(out);
        print_layout(&p, trees.items[i]);
    }
}
