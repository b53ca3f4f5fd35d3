/* snlc layout --active: the runtime loads the file into a tree of its own, whose lists of active
 * cells are drawn. */
#include "config.h"

#include "cli/tool/draw_active.h"

#include <string.h>

#include "base/svg.h"
#include "check/layout/tree_desc.h"
#include "layout/layout_info.h"

enum { BINS = 256, PIXELS = 512, MARGIN = 20, LINE = 20 };

/* ---- the drawing ---- */

/* Along one axis of a picture: cells of the node, and how many of them are one bin. */
typedef struct {
    int axis;
    int64_t extent, each;
    int bins;
} Side;

static Side
side_of(const SnlNode *n, int axis)
{
    Side s = {.axis = axis, .extent = axis < 0 ? 1 : n->extent[axis]};
    s.each = (s.extent + BINS - 1) / BINS;
    s.bins = (int)((s.extent + s.each - 1) / s.each);
    return s;
}

/* Draws the cells of a node: bins are the darker the more of their cells are active. */
static void
draw_node(Compile *c, SnlTree *tree, const Node *node, Text *out, int *y)
{
    const SnlNode *n = &tree->nodes[node->id - 1];
    const SnlList *list = snl_tree_list(tree, node->id - 1);
    int axes[2] = {-1, -1};
    double all = 1;
    for (int a = 0; a < SNL_AXES; a++)
        if (n->path_axes & 1 << a) {
            axes[0] = axes[1];
            axes[1] = a;
            all *= (double)n->extent[a];
        }
    Side down = side_of(n, axes[0]), across = side_of(n, axes[1]);
    int pixel = PIXELS / (down.bins > across.bins ? down.bins : across.bins);
    int64_t *counts = ARENA_ARRAY(c->arena, int64_t, down.bins * across.bins), most = 1;
    for (int64_t k = 0; k < list->count; k++) {
        const int64_t *coord = list->entries[k].coord;
        int64_t row = down.axis < 0 ? 0 : coord[down.axis] / down.each,
                column = across.axis < 0 ? 0 : coord[across.axis] / across.each;
        int64_t now = ++counts[row * across.bins + column];
        most = now > most ? now : most;
    }
    text_line(out,
              "<text class=\"page\" x=\"%d\" y=\"%d\">%s%s%s: %lld of %.15g cells are active%s"
              "</text>",
              MARGIN, *y, node_name(c, node), node->label ? " " : "",
              node->label ? node->label : "", (long long)list->count, all,
              axes[0] < 0 ? ""
                          : arena_printf(c->arena, "; %c down, %c to the right",
                                         AXIS_LETTERS[axes[0]], AXIS_LETTERS[axes[1]]));
    *y += LINE / 2;
    text_line(
        out,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f4f4f4\" stroke=\"#888\"/>",
        MARGIN, *y, across.bins * pixel, down.bins * pixel);
    for (int k = 0; k < down.bins * across.bins; k++)
        if (counts[k])
            text_line(out,
                      "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#1d5fa8\" "
                      "fill-opacity=\"%.2f\"/>",
                      MARGIN + k % across.bins * pixel, *y + k / across.bins * pixel, pixel, pixel,
                      0.3 + 0.7 * (double)counts[k] / (double)most);
    *y += down.bins * pixel + 2 * LINE;
}

static void
draw_tree(Compile *c, SnlTree *tree, const Layout *l, const char *title, Text *out)
{
    Text body;
    int y = MARGIN + 2 * LINE;
    text_init(&body, c->arena);
    text_raw(&body, "", 0);
    for (int i = 0; i < l->nodes.count; i++)
        if (node_has_activity(l->nodes.items[i]->kind))
            draw_node(c, tree, l->nodes.items[i], &body, &y);
    svg_begin(out, PIXELS + 10 * MARGIN, y);
    text_line(out,
              "<text class=\"page\" x=\"%d\" y=\"%d\" font-size=\"14\">%s: %lld bytes</text>",
              MARGIN, MARGIN, title, (long long)snl_tree_memory(tree));
    text_raw(out, body.data, body.count);
    text_line(out, "</svg>");
}

static bool
has_static_sizes(const Layout *l)
{
    for (int i = 0; i < l->nodes.count; i++)
        if (!l->nodes.items[i]->cell_count)
            return false;
    return true;
}

/* True if the layout has nodes whose cells may be inactive. */
static bool
is_sparse(const Layout *l)
{
    for (int i = 0; i < l->nodes.count; i++)
        if (node_has_activity(l->nodes.items[i]->kind))
            return true;
    return false;
}

/* Why a file fits no layout: all were others, or cannot be drawn. */
static const char *
no_layout_text(Cli *cli, Compile *c, LayoutList trees, const char *path)
{
    const Layout *unknown = NULL;
    bool drawable = false;
    for (int i = 0; i < trees.count; i++) {
        const Layout *l = trees.items[i];
        drawable = drawable || (is_sparse(l) && has_static_sizes(l));
        unknown = is_sparse(l) && !has_static_sizes(l) ? l : unknown;
    }
    if (!drawable)
        return "the program has no sparse layout whose sizes are constants";
    const char *text = arena_printf(
        cli->arena, "cannot draw '%s': it was saved from no sparse layout of constant sizes", path);
    return !unknown ? text
                    : arena_printf(cli->arena, "%s; those of %s are known at run time only", text,
                                   layout_title(c, unknown));
}

/* Draws the first layout that the file fits. Returns NULL, or what is wrong: of a file that is
 * damaged or cannot be read what the first layout says that may be its own. */
static const char *
draw_first(Cli *cli, Compile *c, SnlInstance *rt, LayoutList trees, const char *path, Text *out)
{
    SnlIoError error;
    const char *why = NULL;
    bool over = false;
    for (int i = 0; i < trees.count && !over; i++) {
        const Layout *l = trees.items[i];
        SnlTree *tree = NULL;
        if (!has_static_sizes(l) || !is_sparse(l))
            continue;
        if (snl_tree_create(rt, tree_desc_make(c, l), NULL, &tree) == SNL_OK) {
            const bool loaded = snl_tree_load(tree, path, &error);
            over = loaded || !error.other_layout;
            if (over)
                why = loaded ? NULL : arena_printf(cli->arena, "%s", error.text);
            if (loaded)
                draw_tree(c, tree, l, layout_title(c, l), out);
        }
        if (snl_failed(rt)) /* there was no tree, or there were no lists of cells */
            why = arena_printf(cli->arena, "%s", snl_message(rt));
        snl_clear_error(rt);
        snl_tree_destroy(tree);
    }
    return over || why ? why : no_layout_text(cli, c, trees, path);
}

int
draw_active(Cli *cli, Compile *c, LayoutList trees, const char *path, Text *out)
{
    SnlInstance rt;
    snl_instance_init(&rt, NULL, 1, 0, 0);
    const char *why = draw_first(cli, c, &rt, trees, path, out);
    snl_instance_free(&rt);
    if (!why)
        return 0;
    cli_error(cli, E0801, "%s", why);
    return EXIT_NOINPUT;
}
