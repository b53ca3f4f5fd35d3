/* Trees as drawings: SVG (each node as a strip of its cells, children below, then layout_order.c)
 * and Graphviz. */
#include "config.h"

#include "layout/drawing.h"

#include <string.h>

#include "base/svg.h"

enum {
    MARGIN = 20,
    INDENT = 36, /* a level of the tree */
    TITLE_HEIGHT = 18,
    STRIP_HEIGHT = 26,
    ROW_GAP = 20,
    STRIP_WIDTH = 640, /* of all cells drawn of a container */
    CELLS_SHOWN = 8
};

/* Fill of a kind of node, from light to strong by how much is decided at run time. */
static const char *
kind_color(NodeKind kind)
{
    switch (kind) {
    case NODE_DENSE: return "#dbe9f6";
    case NODE_BITMASKED: return "#d5f0dd";
    case NODE_POINTER: return "#fbe3c8";
    case NODE_DYNAMIC: return "#f3d9ee";
    case NODE_HASH: case NODE_KIND_COUNT: break;
    }
    return "#f9d5d3";
}

/* One component of a cell: a box with its name when there is room. */
static void
svg_component(Drawing *d, double x, double width, const char *color, const char *name,
              const char *note)
{
    text_line(d->out,
              "<g><title>%s</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
              "fill=\"%s\" stroke=\"#555\"/>",
              drawing_escape(d->c, note), x, d->y, width, STRIP_HEIGHT, color);
    if ((double)strlen(name) * DRAWING_LETTER_WIDTH + 4 < width)
        drawing_label(d, x + width / 2, d->y + 17, "", name);
    text_line(d->out, "</g>");
}

/* Components of a cell, as wide as their bytes. */
static void
svg_cell(Drawing *d, double x, double width, int64_t cell_bytes, const Place *places,
         int place_count, Node *const *children, int child_count)
{
    double each = cell_bytes ? width / (double)cell_bytes : 0;
    for (int i = 0; i < place_count; i++) {
        const char *name = layout_place_name(d->c, &places[i]);
        const char *note =
            arena_printf(d->c->arena, "%s %s, %lld bytes at +%lld", places[i].type->name, name,
                         (long long)places[i].type->bytes, (long long)places[i].cell_offset);
        svg_component(d, x + each * (double)places[i].cell_offset,
                      each * (double)places[i].type->bytes, "#fff7c2", name, note);
    }
    for (int i = 0; i < child_count; i++) {
        const Node *n = children[i];
        const char *note = arena_printf(
            d->c->arena, "container of %s, %s at +%lld", node_name(d->c, n),
            layout_bytes_text(d->c, n->container_bytes), (long long)n->container_offset);
        svg_component(d, x + each * (double)n->container_offset, each * (double)n->container_bytes,
                      kind_color(n->kind), node_name(d->c, n), note);
    }
}

/* The first cells of a container, and how many more follow. */
static void
svg_strip(Drawing *d, double x, const Node *n)
{
    int64_t count = n->cell_count ? n->cell_count : CELLS_SHOWN;
    int shown = count < CELLS_SHOWN ? (int)count : CELLS_SHOWN;
    double width = (double)STRIP_WIDTH / shown;
    drawing_reaches(d, x + STRIP_WIDTH);
    for (int i = 0; i < shown; i++) {
        text_line(
            d->out,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" stroke=\"#000\"/>",
            x + width * i, d->y, width, STRIP_HEIGHT, kind_color(n->kind));
        svg_cell(d, x + width * i + 2, width - 4, n->cell_bytes, n->places.items, n->places.count,
                 n->children.items, n->children.count);
    }
    if (!n->cell_count)
        drawing_text(d, x + STRIP_WIDTH + 6, d->y + 17, "as many cells as the params say");
    else if (count > shown)
        drawing_text(d, x + STRIP_WIDTH + 6, d->y + 17,
                     arena_printf(d->c->arena, "%lld more cells", (long long)(count - shown)));
}

static void
svg_title(Drawing *d, double x, const char *name, const char *rest)
{
    drawing_text(d, x, d->y + 13, arena_printf(d->c->arena, "%s   %s", name, rest));
    d->y += TITLE_HEIGHT;
}

static void
svg_node(Drawing *d, const Node *n)
{
    double x = MARGIN + INDENT * (n->depth + 1);
    Compile *c = d->c;
    int from = d->y;
    const char *container = n->cell_count || n->container_bytes
                                ? layout_bytes_text(c, n->container_bytes)
                                : "a run-time size";
    svg_title(d, x, node_name(c, n),
              arena_printf(c->arena, "%s   cell %s, container %s", node_title(c, n),
                           layout_bytes_text(c, n->cell_bytes), container));
    svg_strip(d, x, n);
    text_line(d->out, "<path d=\"M %.1f %d V %d H %.1f\" fill=\"none\" stroke=\"#888\"/>",
              x - INDENT / 2.0, from - ROW_GAP / 2, d->y + STRIP_HEIGHT / 2, x);
    d->y += STRIP_HEIGHT + ROW_GAP;
    for (int i = 0; i < n->children.count; i++)
        svg_node(d, n->children.items[i]);
}

static void
svg_layout(Drawing *d, const Layout *l)
{
    int64_t padding, bytes = layout_fixed_bytes(l, &padding);
    const char *size = bytes < 0 ? "size known at run time"
                                 : arena_printf(d->c->arena, "%s, padding %lld",
                                                layout_bytes_text(d->c, bytes), (long long)padding);
    svg_title(d, MARGIN, layout_title(d->c, l), size);
    if (l->places.count) {
        svg_cell(d, MARGIN + INDENT, STRIP_WIDTH, l->root_bytes, l->places.items, l->places.count,
                 NULL, 0);
        d->y += STRIP_HEIGHT;
    }
    d->y += ROW_GAP;
    for (int i = 0; i < l->tops.count; i++)
        svg_node(d, l->tops.items[i]);
    if (l->tops.count)
        layout_order_draw(d, MARGIN + INDENT, l);
    d->y += ROW_GAP;
}

void
layout_print_svg(Compile *c, LayoutList trees, Text *out)
{
    Text body;
    text_init(&body, c->arena);
    text_raw(&body, "", 0);
    Drawing d = {.c = c, .out = &body, .y = MARGIN};
    for (int i = 0; i < trees.count; i++)
        svg_layout(&d, trees.items[i]);
    svg_begin(out, (int)d.right + MARGIN, d.y + MARGIN);
    text_raw(out, body.data, body.count);
    text_line(out, "</svg>");
}

static void
dot_places(Drawing *d, int layout, const char *node, const Place *places, int count)
{
    for (int i = 0; i < count; i++) {
        const char *name = arena_printf(d->c->arena, "L%d_%s_place%d", layout, node, i);
        text_line(
            d->out,
            "%s [shape=ellipse, style=filled, fillcolor=\"#fff7c2\", label=\"%s\\n%s at +%lld\"];",
            name, layout_place_name(d->c, &places[i]), places[i].type->name,
            (long long)places[i].cell_offset);
        text_line(d->out, "L%d_%s -> %s;", layout, node, name);
    }
}

static void
dot_node(Drawing *d, int layout, const Node *n)
{
    const char *name = node_name(d->c, n),
               *parent = n->parent ? node_name(d->c, n->parent) : "S0root";
    text_line(d->out,
              "L%d_%s [shape=box, style=filled, fillcolor=\"%s\", label=\"%s\\n%s\\ncell %s\"];",
              layout, name, kind_color(n->kind), name, node_title(d->c, n),
              layout_bytes_text(d->c, n->cell_bytes));
    text_line(d->out, "L%d_%s -> L%d_%s;", layout, parent, layout, name);
    dot_places(d, layout, name, n->places.items, n->places.count);
}

void
layout_print_dot(Compile *c, LayoutList trees, Text *out)
{
    Drawing d = {.c = c, .out = out};
    text_open(out, "digraph layouts {");
    text_line(out, "node [fontname=\"sans-serif\", fontsize=11];");
    for (int i = 0; i < trees.count; i++) {
        const Layout *l = trees.items[i];
        text_line(out, "L%d_S0root [shape=box, label=\"S0root\\n%s\"];", l->id,
                  layout_title(c, l));
        dot_places(&d, l->id, "S0root", l->places.items, l->places.count);
        for (int j = 0; j < l->nodes.count; j++)
            dot_node(&d, l->id, l->nodes.items[j]);
    }
    text_close(out, "}");
}
