/* Trees as JSON. Run-time sizes are null, with their text beside them. */
#include "config.h"

#include "layout/layout_info.h"

/* A string in quotes. */
static const char *
quote(Compile *c, const char *s)
{
    Text t;
    text_init(&t, c->arena);
    text_json(&t, s);
    return t.data;
}

static const char *
quote_or_null(Compile *c, const char *s)
{
    return s ? quote(c, s) : "null";
}

/* A number, null for 0: known at run time. */
static const char *
known(Compile *c, int64_t n)
{
    return n ? arena_printf(c->arena, "%lld", (long long)n) : "null";
}

/* A count, 0 where it passes what a number holds. */
static int64_t
not_too_many(int64_t count)
{
    return count < 0 ? 0 : count;
}

/* A number, null for -1. */
static const char *
not_negative(Compile *c, int64_t n)
{
    return n < 0 ? "null" : arena_printf(c->arena, "%lld", (long long)n);
}

static const char *
truth(bool b)
{
    return b ? "true" : "false";
}

static const char *
comma(int i, int count)
{
    return i + 1 < count ? "," : "";
}

static void
json_places(Compile *c, const Place *places, int count, Text *out)
{
    text_open(out, "\"places\": [");
    for (int i = 0; i < count; i++) {
        const Place *p = &places[i];
        text_line(
            out, "{\"name\": %s, \"field\": %s, \"type\": %s, \"offset\": %lld, \"bytes\": %lld}%s",
            quote(c, layout_place_name(c, p)), quote(c, p->field->name), quote(c, p->type->name),
            (long long)p->cell_offset, (long long)p->type->bytes, comma(i, count));
    }
    text_close(out, "],");
}

static void
json_axes(Compile *c, const Node *n, Text *out)
{
    text_open(out, "\"axes\": [");
    for (int k = 0; k < n->axis_count; k++) {
        AxisInfo a = node_axis_info(n, k);
        text_line(out,
                  "{\"axis\": \"%c\", \"size\": %s, \"size_text\": %s, \"stored\": %s, "
                  "\"stride_cells\": %s,",
                  a.letter, known(c, a.size), quote(c, node_size_text(c, n, k)), known(c, a.stored),
                  known(c, a.stride));
        text_line(out,
                  " \"index\": %s, \"index_bit\": %d, \"number_bit\": %d, \"bits\": %d, "
                  "\"offset\": %lld, \"below\": %lld}%s",
                  quote(c, layout_axis_map_text(c, &a)), a.index_bit, a.number_bit, a.bits,
                  (long long)a.offset, (long long)a.below, comma(k, n->axis_count));
    }
    text_close(out, "],");
}

static void
json_node(Compile *c, const Node *n, const char *end, Text *out)
{
    text_open(out, "{");
    text_line(out, "\"name\": %s, \"kind\": \"%s\", \"label\": %s, \"parent\": %s,",
              quote(c, node_name(c, n)), node_kind_name(n->kind), quote_or_null(c, n->label),
              n->parent ? quote(c, node_name(c, n->parent)) : "\"S0root\"");
    text_line(out,
              "\"packed\": %s, \"cells\": %s, \"used_cells\": %s, \"cell_bytes\": %lld, "
              "\"cell_alignment\": %lld,",
              truth(n->packed), known(c, n->cell_count), known(c, node_used_cells(n)),
              (long long)n->cell_bytes, (long long)n->cell_align);
    text_line(out,
              "\"containers_in_all\": %s, \"cells_in_all\": %s, "
              "\"physical_index_position\": {%s},",
              known(c, not_too_many(node_all_containers(n))),
              known(c, not_too_many(node_all_cells(n))), layout_index_positions_text(c, n, "\""));
    text_line(out,
              "\"container_bytes\": %s, \"container_bytes_without_padding\": %s, "
              "\"container_offset\": %lld,",
              known(c, n->container_bytes),
              known(c, n->container_bytes ? layout_tight_bytes(n) : 0),
              (long long)n->container_offset);
    if (n->kind == NODE_DYNAMIC)
        text_line(out, "\"chunk_cells\": %lld,", (long long)n->chunk);
    if (n->kind == NODE_BITMASKED || n->kind == NODE_POINTER)
        text_line(out, "\"mask_offset\": %s,",
                  known(c, layout_mask_offset(n->kind, n->cell_count, n->cell_bytes)));
    json_axes(c, n, out);
    json_places(c, n->places.items, n->places.count, out);
    text_open(out, "\"children\": [");
    for (int i = 0; i < n->children.count; i++)
        text_line(out, "%s%s", quote(c, node_name(c, n->children.items[i])),
                  comma(i, n->children.count));
    text_close(out, "]");
    text_close(out, "}%s", end);
}

static void
json_field(Compile *c, const Field *f, const char *end, Text *out)
{
    text_open(out, "{");
    text_line(out, "\"name\": %s, \"type\": %s, \"node\": %s, \"whole\": %s,", quote(c, f->name),
              quote(c, f->type->name), f->node ? quote(c, node_name(c, f->node)) : "\"S0root\"",
              truth(f->whole));
    text_open(out, "\"indices\": [");
    for (int k = 0; k < f->axis_count; k++)
        text_line(out,
                  "{\"axis\": \"%c\", \"first\": %lld, \"extent\": %s, \"stride_bytes\": %s}%s",
                  AXIS_LETTERS[f->axes[k]], (long long)f->offsets[k], known(c, f->extents[k]),
                  known(c, f->whole ? layout_field_stride(f, k) : 0), comma(k, f->axis_count));
    text_close(out, "]");
    text_close(out, "}%s", end);
}

static void
json_layout(Compile *c, const Layout *l, const char *end, Text *out)
{
    int64_t padding, bytes = layout_fixed_bytes(l, &padding);
    text_open(out, "{");
    text_line(out, "\"name\": %s, \"file\": %s, \"line\": %d, \"packed\": %s, \"manual\": %s,",
              quote_or_null(c, l->name), quote(c, span_path(&c->sources, l->span)),
              span_line(&c->sources, l->span), truth(l->packed), truth(l->manual));
    if (bytes < 0)
        text_line(out, "\"storage_bytes\": null, \"padding_bytes\": null,");
    else
        text_line(out, "\"storage_bytes\": %lld, \"padding_bytes\": %lld,", (long long)bytes,
                  (long long)padding);
    text_open(out, "\"root\": {");
    json_places(c, l->places.items, l->places.count, out);
    text_line(out, "\"cell_bytes\": %lld", (long long)l->root_bytes);
    text_close(out, "},");
    text_open(out, "\"nodes\": [");
    for (int i = 0; i < l->nodes.count; i++)
        json_node(c, l->nodes.items[i], comma(i, l->nodes.count), out);
    text_close(out, "],");
    text_open(out, "\"fields\": [");
    for (int i = 0; i < l->fields.count; i++)
        json_field(c, l->fields.items[i], comma(i, l->fields.count), out);
    text_close(out, "]");
    text_close(out, "}%s", end);
}

void
layout_print_json(Compile *c, LayoutList trees, Text *out)
{
    text_open(out, "{\"layouts\": [");
    for (int i = 0; i < trees.count; i++)
        json_layout(c, trees.items[i], comma(i, trees.count), out);
    text_close(out, "]}");
}

static void
json_part(Compile *c, const ElementPart *part, const char *end, Text *out)
{
    text_open(out, "{");
    text_line(out, "\"name\": %s, \"type\": %s, \"bytes\": %lld,", quote(c, part->name),
              quote(c, part->type), (long long)part->bytes);
    text_line(out, "\"byte\": %s, \"of\": %s, \"byte_in_cell\": %lld,", not_negative(c, part->byte),
              quote(c, part->of), (long long)part->byte_in_cell);
    text_open(out, "\"path\": [");
    for (int i = 0; i < part->step_count; i++) {
        const ElementStep *s = &part->steps[i];
        text_line(out,
                  "{\"node\": %s, \"kind\": \"%s\", \"cell\": [%s], \"number\": %s, "
                  "\"slot\": %s}%s",
                  quote(c, node_name(c, s->node)), node_kind_name(s->node->kind), s->cell,
                  not_negative(c, s->number), not_negative(c, s->slot), comma(i, part->step_count));
    }
    text_close(out, "]");
    text_close(out, "}%s", end);
}

void
layout_print_json_parts(Compile *c, const ElementPart *parts, int count, Text *out)
{
    text_open(out, "{\"parts\": [");
    for (int i = 0; i < count; i++)
        json_part(c, &parts[i], comma(i, count), out);
    text_close(out, "]}");
}
