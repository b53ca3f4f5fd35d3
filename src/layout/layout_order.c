/* The order of elements in memory as a drawing: for every node with fields a grid of the first
 * elements, darker the later they lie, joined by a line from one to the next; and under it their
 * bytes as they follow each other, with what pads them. */
#include "config.h"

#include "layout/drawing.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 16,       /* elements along an axis of a grid, or two blocks */
    SQUARES = 32,     /* along an axis of a grid; where there are more elements, each is several */
    GRID_WIDTH = 352, /* pixels of a grid */
    CELL = 22,        /* at most, of a square */
    STRIP_WIDTH = 640,
    PIECE_HEIGHT = 22,
    ROW_OF_CELLS = 10 /* cells of a container that a strip begins with */
};

/* An element of a grid. */
typedef struct {
    int row, column;
    int64_t number[AXIS_MAX * 8]; /* of the cell at each level, from the top */
    int depth;
} Spot;

static int
compare_spots(const void *a, const void *b)
{
    const Spot *x = a, *y = b;
    int i = 0;
    while (i + 1 < x->depth && x->number[i] == y->number[i])
        i++;
    return (x->number[i] > y->number[i]) - (x->number[i] < y->number[i]);
}

/* Numbers of the cells on the way down to the element at coord, by axis and from 0. */
static void
find_numbers(const Node *n, const int64_t *coord, Spot *spot)
{
    if (n->parent)
        find_numbers(n->parent, coord, spot);
    int64_t number = 0;
    for (int k = 0; k < n->axis_count; k++) {
        AxisInfo a = node_axis_info(n, k);
        number = number * a.stored + coord[a.axis] / a.below % a.size;
    }
    if (spot->depth < AXIS_MAX * 8)
        spot->number[spot->depth++] = number;
}

/* One side of a grid. */
typedef struct {
    int axis;       /* -1: none */
    int64_t extent; /* elements of the field */
    int64_t block;  /* of them one cell of the node's parent spans; the extent where it has none */
    int64_t step;   /* elements that a square stands for */
    int squares;
} Side;

/* The least divisor of a block that is no less than n. */
static int64_t
divisor_from(int64_t block, int64_t n)
{
    while (n < block && block % n)
        n++;
    return n < block ? n : block;
}

/* The side of a grid along an axis of a node: two blocks, or at least so many elements. */
static Side
side_of(const Node *n, int axis)
{
    Side s = {.axis = axis, .extent = 1};
    for (const Node *m = n; m && axis >= 0; m = m->parent) {
        for (int k = 0; k < m->axis_count; k++)
            if (m->axes[k] == axis)
                s.extent *= node_axis_info(m, k).size;
        if (m == n)
            s.block = s.extent;
    }
    const bool has_blocks = s.block && s.block < s.extent;
    if (!has_blocks)
        s.block = s.extent;
    int64_t shown = has_blocks && 2 * s.block > SHOWN ? 2 * s.block : SHOWN;
    shown = shown < s.extent ? shown : s.extent;
    s.step = has_blocks ? divisor_from(s.block, (shown + SQUARES - 1) / SQUARES) : 1;
    s.squares = (int)(shown / s.step);
    return s;
}

/* False for a path with sizes of run time. */
static bool
has_sizes(const Node *n)
{
    for (; n; n = n->parent)
        for (int k = 0; k < n->axis_count; k++)
            if (!node_axis_info(n, k).size)
                return false;
    return true;
}

/* Light for the first, dark for the last. */
static const char *
shade(Compile *c, int rank, int count)
{
    double part = count > 1 ? (double)rank / (count - 1) : 0;
    return arena_printf(c->arena, "#%02x%02x%02x", (int)(235 - 150 * part), (int)(243 - 110 * part),
                        (int)(250 - 50 * part));
}

/* The squares of a grid in the order of their first elements in memory. */
static Spot *
sort_spots(Drawing *d, const Node *n, const Side *down, const Side *across)
{
    const int count = down->squares * across->squares;
    Spot *spots = ARENA_ARRAY(d->c->arena, Spot, count);
    for (int k = 0; k < count; k++) {
        int64_t coord[AXIS_MAX] = {0};
        spots[k].row = k / across->squares;
        spots[k].column = k % across->squares;
        if (down->axis >= 0)
            coord[down->axis] = spots[k].row * down->step;
        if (across->axis >= 0)
            coord[across->axis] = spots[k].column * across->step;
        find_numbers(n, coord, &spots[k]);
    }
    qsort(spots, (size_t)count, sizeof *spots, compare_spots);
    return spots;
}

/* The lines between blocks. */
static void
draw_block_lines(Drawing *d, double x, int cell, const Side *down, const Side *across)
{
    const int height = down->squares, width = across->squares;
    for (int64_t k = 0; k <= height; k += down->block / down->step)
        text_line(d->out, "<path d=\"M %.1f %d h %d\" stroke=\"#222\" stroke-width=\"2\"/>", x,
                  d->y + cell * (int)k, cell * width);
    for (int64_t k = 0; k <= width; k += across->block / across->step)
        text_line(d->out, "<path d=\"M %.1f %d v %d\" stroke=\"#222\" stroke-width=\"2\"/>",
                  x + cell * (double)k, d->y, cell * height);
}

/* "of 256 x 256, a square is 2 x 2", "" where the grid shows each element. */
static const char *
extent_note(Drawing *d, const Side *down, const Side *across)
{
    const bool all = down->squares * down->step == down->extent &&
                     across->squares * across->step == across->extent;
    const char *note = "";
    if (!all)
        note = arena_printf(d->c->arena, "of %lld x %lld", (long long)down->extent,
                            (long long)across->extent);
    if (down->step > 1 || across->step > 1)
        note = arena_printf(d->c->arena, "%s%sa square is %lld x %lld", note, *note ? ", " : "",
                            (long long)down->step, (long long)across->step);
    return note;
}

/* The grid of a node: rows are the axis `down`, columns `across`; -1: there is none. */
static void
draw_grid(Drawing *d, double x, const Node *n, int down_axis, int across_axis)
{
    const Side down = side_of(n, down_axis), across = side_of(n, across_axis);
    const int height = down.squares, width = across.squares, count = height * width,
              most = height > width ? height : width,
              cell = GRID_WIDTH / most < CELL ? GRID_WIDTH / most : CELL;
    const Spot *spots = sort_spots(d, n, &down, &across);
    Text path;
    text_init(&path, d->c->arena);
    for (int k = 0; k < count; k++) {
        double left = x + cell * spots[k].column;
        int top = d->y + cell * spots[k].row;
        text_line(d->out,
                  "<rect x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" "
                  "stroke=\"#999\"><title>number %d in memory</title></rect>",
                  left, top, cell, cell, shade(d->c, k, count), k);
        text_add(&path, "%s%.1f,%d", k ? " " : "", left + cell / 2.0, top + cell / 2);
    }
    text_line(d->out,
              "<polyline points=\"%s\" fill=\"none\" stroke=\"#c33\" stroke-width=\"1.2\"/>",
              path.data);
    draw_block_lines(d, x, cell, &down, &across);
    drawing_reaches(d, x + cell * width);
    const char *note = extent_note(d, &down, &across);
    if (*note)
        drawing_text(d, x + cell * width + 6, d->y + cell * height - 6, note);
    d->y += cell * height;
}

/* ---- bytes ---- */

/* A strip of bytes that is being drawn. */
typedef struct {
    Drawing *d;
    double x, end;   /* where the next piece goes, and where the strip must end */
    bool is_full;
    int64_t padding; /* bytes that come before the next piece */
} Strip;

static void
draw_piece(Strip *s, double width, const char *color, const char *text, const char *note)
{
    s->is_full |= s->x + width > s->end;
    if (s->is_full)
        return;
    text_line(s->d->out,
              "<g><title>%s</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
              "fill=\"%s\" stroke=\"#555\"/>",
              drawing_escape(s->d->c, note), s->x, s->d->y, width, PIECE_HEIGHT, color);
    if ((double)strlen(text) * 5.2 < width)
        drawing_label(s->d, s->x + width / 2, s->d->y + 15, " font-size=\"9\"", text);
    text_line(s->d->out, "</g>");
    s->x += width;
    drawing_reaches(s->d, s->x);
}

static void
end_padding(Strip *s)
{
    if (s->padding > 0)
        draw_piece(s, 18, "#bbb", "",
                   arena_printf(s->d->c->arena, "%lld bytes of padding", (long long)s->padding));
    s->padding = 0;
}

/* Color of a field, by its number in the program. */
static const char *
field_color(const Field *f)
{
    static const char *const colors[] = {"#fff2a8", "#a8d8ff", "#c4f0b0", "#ffc9b8",
                                         "#dcc8ff", "#b8f0ea", "#ffd0ec", "#e0e0c0"};
    return colors[f->id % 8];
}

static void draw_container(Strip *s, const Node *n, const int64_t *base);

/* The bytes of a cell whose first element has these coordinates. */
static void
draw_cell(Strip *s, const Node *n, const int64_t *coord)
{
    int64_t at = 0;
    for (int i = 0; i < n->places.count; i++) {
        const Place *p = &n->places.items[i];
        const char *index = "";
        s->padding += p->cell_offset - at;
        end_padding(s);
        for (int k = 0; k < p->field->axis_count; k++)
            index = arena_printf(s->d->c->arena, "%s%s%lld", index, k ? "," : " ",
                                 (long long)(coord[p->field->axes[k]] + p->field->offsets[k]));
        const char *text =
            arena_printf(s->d->c->arena, "%s%s", layout_place_name(s->d->c, p), index);
        double width = (double)strlen(text) * 5.2 + 8;
        draw_piece(s, width > 30 ? width : 30, field_color(p->field), text,
                   arena_printf(s->d->c->arena, "%s: %s, %lld bytes", text, p->type->name,
                                (long long)p->type->bytes));
        at = p->cell_offset + p->type->bytes;
    }
    for (int i = 0; i < n->children.count; i++) {
        const Node *child = n->children.items[i];
        s->padding += child->container_offset - at;
        draw_container(s, child, coord);
        at = child->container_offset + child->container_bytes;
    }
    s->padding += n->cell_bytes - at;
}

/* The first cells of a container: of one whose cells are allocated apart, where these are noted. */
static void
draw_container(Strip *s, const Node *n, const int64_t *base)
{
    static const char *const apart[] = {"", "", "pointer", "list", "table"};
    int64_t shown = n->cell_count < ROW_OF_CELLS ? n->cell_count : ROW_OF_CELLS;
    if (n->children.count && n->kind < NODE_POINTER)
        shown = shown < 3 ? shown : 3;
    if (n->kind >= NODE_DYNAMIC)
        shown = 1;
    for (int64_t cell = 0; cell < shown && !s->is_full; cell++) {
        int64_t coord[AXIS_MAX], left = cell;
        bool pads = false;
        memcpy(coord, base, sizeof coord);
        for (int k = n->axis_count - 1; k >= 0; k--) {
            AxisInfo a = node_axis_info(n, k);
            coord[a.axis] += left % a.stored * a.below;
            pads = pads || left % a.stored >= a.size;
            left /= a.stored;
        }
        if (n->kind >= NODE_POINTER) {
            end_padding(s);
            draw_piece(s, 44, "#fbe3c8", apart[n->kind],
                       arena_printf(s->d->c->arena, "%s to cells of %s", apart[n->kind],
                                    node_title(s->d->c, n)));
        } else if (pads) {
            s->padding += n->cell_bytes;
        } else {
            draw_cell(s, n, coord);
        }
    }
    end_padding(s);
    if (shown < n->cell_count)
        draw_piece(
            s, 22, "#fff", "...",
            arena_printf(s->d->c->arena, "%lld more cells", (long long)(n->cell_count - shown)));
    if (n->kind == NODE_BITMASKED)
        draw_piece(s, 34, "#d5f0dd", "mask", "a bit for each cell");
}

/* A strip with a title. */
static Strip
start_strip(Drawing *d, double x, const char *title)
{
    drawing_text(d, x, d->y + 12, title);
    d->y += 18;
    return (Strip){.d = d, .x = x, .end = x + STRIP_WIDTH};
}

static void
draw_strips(Drawing *d, double x, const Node *n)
{
    static const int64_t origin[AXIS_MAX] = {0};
    if (n->kind >= NODE_POINTER) {
        Strip s = start_strip(
            d, x, arena_printf(d->c->arena, "bytes of a cell of %s", node_title(d->c, n)));
        draw_cell(&s, n, origin);
        end_padding(&s);
        d->y += PIECE_HEIGHT + 8;
    }
    for (int i = 0; i < n->children.count; i++)
        draw_strips(d, x, n->children.items[i]);
}

/* ---- layouts ---- */

static void
draw_grids(Drawing *d, double x, const Node *n)
{
    if (n->places.count) {
        const Field *f = n->places.items[0].field;
        int down = f->axis_count > 1 ? f->axes[f->axis_count - 2] : -1,
            across = f->axis_count ? f->axes[f->axis_count - 1] : -1;
        const char *names = "";
        for (int i = 0; i < n->places.count; i++)
            names = arena_printf(d->c->arena, "%s%s%s", names, i ? ", " : "",
                                 layout_place_name(d->c, &n->places.items[i]));
        const char *axes = down < 0
                               ? arena_printf(d->c->arena, "%c to the right", AXIS_LETTERS[across])
                               : arena_printf(d->c->arena, "%c down, %c to the right",
                                              AXIS_LETTERS[down], AXIS_LETTERS[across]);
        drawing_text(d, x, d->y + 12,
                     arena_printf(d->c->arena, "order in memory of %s: %s%s", names, axes,
                                  f->axis_count > 2 ? ", other indices 0" : ""));
        d->y += 18;
        draw_grid(d, x, n, down, across);
        d->y += 10;
    }
    for (int i = 0; i < n->children.count; i++)
        draw_grids(d, x, n->children.items[i]);
}

void
layout_order_draw(Drawing *d, double x, const Layout *l)
{
    static const int64_t origin[AXIS_MAX] = {0};
    for (int i = 0; i < l->nodes.count; i++)
        if (!has_sizes(l->nodes.items[i])) {
            drawing_text(d, x, d->y + 12, "the order in memory depends on the params");
            d->y += 18;
            return;
        }
    for (int i = 0; i < l->tops.count; i++)
        draw_grids(d, x, l->tops.items[i]);
    Strip s = start_strip(d, x, "bytes from the first on");
    for (int i = 0; i < l->tops.count; i++)
        draw_container(&s, l->tops.items[i], origin);
    d->y += PIECE_HEIGHT + 8;
    for (int i = 0; i < l->tops.count; i++)
        draw_strips(d, x, l->tops.items[i]);
}
