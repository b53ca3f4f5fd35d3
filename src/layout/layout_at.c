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
                                        (long long)e->index[i], field_shape_text(e->c, f)));
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

/* One node of the path. Returns the byte offset of the component after it, from the start of what
 * `*base` names; -1: depends on params. */
static int64_t
print_step(const Element *e, const Node *leaf, const Node *n, int64_t bytes, const char **base,
           Text *out)
{
    Compile *c = e->c;
    Text index;
    text_init(&index, c->arena);
    int64_t number = cell_number(e, leaf, n, &index);
    const char *of = number < 0 ? "" : arena_printf(c->arena, ", number %lld", (long long)number);
    const char *name = node_name(c, n), *title = node_title(c, n);
    switch (n->kind) {
    case NODE_DENSE:
    case NODE_BITMASKED:
        text_line(out, "%-12s cell (%s)%s   %s", name, index.data, of, title);
        return number < 0 || bytes < 0 ? -1 : bytes + number * n->cell_bytes;
    case NODE_POINTER:
        if (number >= 0 && bytes >= 0)
            text_line(out, "%-12s cell (%s)%s, slot at byte %lld of %s   %s", name, index.data, of,
                      (long long)(bytes + LAYOUT_SLOT_BYTES * number), *base, title);
        else
            text_line(out, "%-12s cell (%s)%s   %s", name, index.data, of, title);
        break;
    case NODE_DYNAMIC:
        *base = arena_printf(c->arena, "allocation %lld of the list of %s",
                             (long long)(number / n->chunk), name);
        text_line(out, "%-12s cell (%s), %lld in allocation %lld of the list   %s", name,
                  index.data, (long long)(number % n->chunk), (long long)(number / n->chunk),
                  title);
        return number % n->chunk * n->cell_bytes;
    case NODE_HASH: case NODE_KIND_COUNT:
        text_line(out, "%-12s cell (%s), found by its indices   %s", name, index.data, title);
        break;
    }
    *base = arena_printf(c->arena, "the memory of that cell of %s, allocated when it is activated",
                         name);
    return 0;
}

/* The path to one run of leaves that lie together. */
static void
print_path(const Element *e, int leaf, const char *what, int64_t run_bytes, Text *out)
{
    Compile *c = e->c;
    const LeafPlace *place = &e->field->leaves[leaf];
    int depth;
    Node **path = node_path(c->arena, NULL, place->node, &depth);
    text_open(out, "%s", what);
    const char *base =
        depth ? arena_printf(c->arena, "the container of %s", node_name(c, path[0]))
              : "the root cell";
    int64_t bytes = 0;
    for (int i = 0; i < depth; i++) {
        if (path[i]->parent && bytes >= 0)
            bytes += path[i]->container_offset;
        bytes = print_step(e, place->node, path[i], bytes, &base, out);
    }
    if (bytes >= 0)
        text_line(out, "byte %lld of %s, %lld byte%s long", (long long)(bytes + place->cell_offset),
                  base, (long long)run_bytes, run_bytes == 1 ? "" : "s");
    else
        text_line(out, "the byte depends on sizes known at run time; it is %lld in its cell",
                  (long long)place->cell_offset);
    out->indent--;
}

bool
layout_print_at(Compile *c, LayoutList trees, const char *element, Text *out)
{
    Element e = {.c = c, .text = element, .at = element};
    if (!read_field(&e, trees) || !read_indices(&e) || !read_members(&e)) {
        diag(c, E0804, (Span){0, 0}, "'%s' is not the element of a field: %s", element, e.bad);
        return false;
    }
    const Field *f = e.field;
    if (f->whole) {
        print_path(&e, e.first_leaf, arena_printf(c->arena, "%s  %s", element, e.type->name),
                   e.type->bytes, out);
        return true;
    }
    for (int i = e.first_leaf; i < e.first_leaf + e.type->leaf_count; i++) {
        const char *scalar = scalar_info(type_leaf(f->type, i, NULL))->name;
        const char *part = e.type->leaf_count == 1 ? "" : type_leaf_name(c, f->type, i);
        print_path(&e, i, arena_printf(c->arena, "%s%s  %s", element, part, scalar),
                   scalar_info(type_leaf(f->type, i, NULL))->bytes, out);
    }
    return true;
}
