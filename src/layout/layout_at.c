/* The place of one field element: "x[1, 2]", "r#2[0]", "v[3].y". */
#include "config.h"

#include "layout/layout_info.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An element as asked for. */
typedef struct {
    Compile *c;
    const char *text, *at; /* what is still to be read */
    const Field *field;
    int64_t index[AXIS_MAX]; /* by number of the index */
    int index_count;
    int first_leaf; /* run of leaves asked for */
    const Type *type;
    const char *bad; /* why it cannot be shown, or NULL */
} Element;

static const char nowhere_hint[] = "write it as in a program, with numbers: x[1, 2]";

static void
skip_blanks(Element *e)
{
    while (isspace((unsigned char)*e->at))
        e->at++;
}

static bool
skip_char(Element *e, char want)
{
    skip_blanks(e);
    if (*e->at != want)
        return false;
    e->at++;
    return true;
}

static bool
fail(Element *e, const char *why)
{
    if (!e->bad)
        e->bad = why;
    return false;
}

/* A word of letters, digits and _, "" when there is none. */
static const char *
read_word(Element *e)
{
    skip_blanks(e);
    const char *from = e->at;
    while (isalnum((unsigned char)*e->at) || *e->at == '_')
        e->at++;
    return arena_strndup(e->c->arena, from, (size_t)(e->at - from));
}

static bool
read_number(Element *e, int64_t *n)
{
    char *end;
    skip_blanks(e);
    errno = 0;
    *n = strtoll(e->at, &end, 0);
    if (end == e->at || errno)
        return fail(e, nowhere_hint);
    e->at = end;
    return true;
}

static bool
read_field(Element *e, LayoutList trees)
{
    const char *name = read_word(e);
    int64_t number;
    if (skip_char(e, '#')) {
        if (!read_number(e, &number))
            return false;
        name = arena_printf(e->c->arena, "%s#%lld", name, (long long)number);
    }
    for (int i = 0; i < trees.count; i++)
        for (int f = 0; f < trees.items[i]->fields.count; f++)
            if (!strcmp(trees.items[i]->fields.items[f]->name, name))
                e->field = trees.items[i]->fields.items[f];
    if (!e->field)
        return fail(e, arena_printf(e->c->arena, "there is no field '%s'", name));
    e->type = e->field->type;
    return true;
}

static bool
read_indices(Element *e)
{
    const Field *f = e->field;
    if (skip_char(e, '[')) {
        while (!skip_char(e, ']')) {
            if (e->index_count == AXIS_MAX || (e->index_count && !skip_char(e, ',')))
                return fail(e, nowhere_hint);
            if (!read_number(e, &e->index[e->index_count]))
                return false;
            e->index_count++;
        }
    }
    if (e->index_count != f->axis_count)
        return fail(e, arena_printf(e->c->arena, "'%s' takes %d indices, not %d", f->name,
                                    f->axis_count, e->index_count));
    for (int i = 0; i < f->axis_count; i++)
        if (e->index[i] < f->offsets[i] ||
            (f->extents[i] && e->index[i] >= f->offsets[i] + f->extents[i]))
            return fail(e, arena_printf(e->c->arena, "index %lld is outside %s",
                                        (long long)e->index[i], layout_field_shape_text(e->c, f)));
    return true;
}

/* The scalar type of a component; types are made once, so any table of them gives the same size and
 * name. */
static const Type *
component_type(const Element *e)
{
    Type *t = ARENA_NEW(e->c->arena, Type);
    const ScalarInfo *scalar = scalar_info(e->type->scalar);
    *t = (Type){
        .kind = TYPE_SCALAR, .scalar = e->type->scalar, .name = scalar->name, .leaf_count = 1};
    t->bytes = t->align = scalar->bytes;
    return t;
}

/* .y, .pos.y: the run of leaves. */
static bool
read_members(Element *e)
{
    while (skip_char(e, '.')) {
        const char *name = read_word(e);
        const char *letter = strlen(name) == 1 ? strchr("xyzw", name[0]) : NULL;
        const Member *m = NULL;
        for (int i = 0; e->type->kind == TYPE_STRUCT && i < e->type->member_count; i++)
            if (!strcmp(e->type->members[i].name, name))
                m = &e->type->members[i];
        if (m) {
            e->first_leaf += m->leaf;
            e->type = m->type;
        } else if (e->type->kind == TYPE_VECTOR && letter && letter - "xyzw" < e->type->rows) {
            e->first_leaf += (int)(letter - "xyzw");
            e->type = component_type(e);
        } else
            return fail(e,
                        arena_printf(e->c->arena, "%s has no component '%s'", e->type->name, name));
    }
    skip_blanks(e);
    return !*e->at || fail(e, nowhere_hint);
}

/* Indices of the fields below that one cell of n spans along an axis, on the way to the element's
 * node. */
static int64_t
span_below(const Node *leaf, const Node *n, int axis)
{
    int64_t span = 1;
    for (; leaf != n; leaf = leaf->parent)
        for (int k = 0; k < leaf->axis_count; k++)
            if (leaf->axes[k] == axis && leaf->sizes[k]) /* 0: not known, which was an error */
                span *= leaf->sizes[k];
    return span;
}

/* Number of the element's cell in a container of n; -1 when it depends on params. Adds the indices
 * to `shown`. */
static int64_t
cell_number(const Element *e, const Node *leaf, const Node *n, Text *shown)
{
    int64_t number = 0;
    for (int k = 0; k < n->axis_count; k++) {
        AxisInfo a = node_axis_info(n, k);
        int64_t at = 0;
        for (int i = 0; i < e->field->axis_count; i++)
            if (e->field->axes[i] == a.axis)
                at = (e->index[i] - e->field->offsets[i]) / span_below(leaf, n, a.axis);
        at = a.first || !a.size ? at : at % a.size;
        text_add(shown, "%s%lld", k ? ", " : "", (long long)at);
        if (number >= 0 && (a.stride || !at))
            number += at * a.stride;
        else
            number = -1;
    }
    return number;
}

/* Goes on by one node of the path. Returns the byte offset of the component after it, from the
 * start of what `*base` names; -1: depends on params. */
static int64_t
take_step(const Element *e, const Node *leaf, const Node *n, int64_t bytes, const char **base,
          ElementStep *step)
{
    Compile *c = e->c;
    Text index;
    text_init(&index, c->arena);
    const int64_t number = cell_number(e, leaf, n, &index);
    const char *name = node_name(c, n);
    *step = (ElementStep){.node = n, .cell = index.data, .of = *base, .number = number, .slot = -1};
    switch (n->kind) {
    case NODE_DENSE:
    case NODE_BITMASKED: return number < 0 || bytes < 0 ? -1 : bytes + number * n->cell_bytes;
    case NODE_POINTER:
        if (number >= 0 && bytes >= 0)
            step->slot = bytes + LAYOUT_SLOT_BYTES * number;
        break;
    case NODE_DYNAMIC:
        *base = arena_printf(c->arena, "allocation %lld of the list of %s",
                             (long long)(number / n->chunk), name);
        return number % n->chunk * n->cell_bytes;
    case NODE_HASH: case NODE_KIND_COUNT: step->number = -1; break;
    }
    *base = arena_printf(c->arena, "the memory of that cell of %s, allocated when it is activated",
                         name);
    return 0;
}

/* The path to one run of leaves that lie together. */
static ElementPart
find_part(const Element *e, int leaf, const char *name, const char *type, int64_t run_bytes)
{
    Compile *c = e->c;
    const LeafPlace *place = &e->field->leaves[leaf];
    ElementPart part = {.name = name, .type = type, .bytes = run_bytes};
    Node **path = node_path(c->arena, NULL, place->node, &part.step_count);
    part.steps = ARENA_ARRAY(c->arena, ElementStep, part.step_count + 1);
    part.of = part.step_count ? arena_printf(c->arena, "the container of %s", node_name(c, path[0]))
                              : "the root cell";
    int64_t bytes = 0;
    for (int i = 0; i < part.step_count; i++) {
        if (path[i]->parent && bytes >= 0)
            bytes += path[i]->container_offset;
        bytes = take_step(e, place->node, path[i], bytes, &part.of, &part.steps[i]);
    }
    part.byte_in_cell = place->cell_offset;
    part.byte = bytes < 0 ? -1 : bytes + place->cell_offset;
    return part;
}

static void
print_step(Compile *c, const ElementStep *step, Text *out)
{
    const Node *n = step->node;
    const long long number = (long long)step->number, chunk = n->chunk;
    Text t;
    text_init(&t, c->arena);
    text_add(&t, "%-12s cell (%s)", node_name(c, n), step->cell);
    if (n->kind == NODE_DYNAMIC)
        text_add(&t, ", %lld in allocation %lld of the list", number % chunk, number / chunk);
    else if (n->kind == NODE_HASH)
        text_add(&t, ", found by its indices");
    else if (number >= 0)
        text_add(&t, ", number %lld", number);
    if (step->slot >= 0)
        text_add(&t, ", slot at byte %lld of %s", (long long)step->slot, step->of);
    text_line(out, "%s   %s", t.data, node_title(c, n));
}

static void
print_part(Compile *c, const ElementPart *part, Text *out)
{
    text_open(out, "%s  %s", part->name, part->type);
    for (int i = 0; i < part->step_count; i++)
        print_step(c, &part->steps[i], out);
    if (part->byte >= 0)
        text_line(out, "byte %lld of %s, %lld byte%s long", (long long)part->byte, part->of,
                  (long long)part->bytes, part->bytes == 1 ? "" : "s");
    else
        text_line(out, "the byte depends on sizes known at run time; it is %lld in its cell",
                  (long long)part->byte_in_cell);
    out->indent--;
}

bool
layout_print_at(Compile *c, LayoutList trees, const char *element, LayoutFormat format, Text *out)
{
    Element e = {.c = c, .text = element, .at = element};
    if (!read_field(&e, trees) || !read_indices(&e) || !read_members(&e)) {
        diag(c, E0804, (Span){0, 0}, "'%s' is not the element of a field: %s", element, e.bad);
        return false;
    }
    VEC(ElementPart) parts = {0};
    const int end = e.first_leaf + e.type->leaf_count;
    for (int leaf = e.first_leaf; leaf < end;) {
        const Place *p = layout_place(e.field, leaf);
        const int run_end = p->first_leaf + p->leaf_count;
        const bool all = p->first_leaf <= e.first_leaf && run_end >= end;
        const char *run = all ? "" : layout_run_name(c, e.type, leaf - e.first_leaf, p->leaf_count);
        const Type *type = all ? e.type : p->type;
        vec_push(c->arena, &parts,
                 find_part(&e, leaf, arena_printf(c->arena, "%s%s", element, run), type->name,
                           type->bytes));
        leaf = run_end;
    }
    if (format == LAYOUT_JSON)
        layout_print_json_parts(c, parts.items, parts.count, out);
    for (int i = 0; i < parts.count && format != LAYOUT_JSON; i++)
        print_part(c, &parts.items[i], out);
    return true;
}
