/* Facts of a tree as the printers show them. */
#include "config.h"

#include "layout/layout_info.h"

#include <string.h>

static int
log2_of(int64_t n)
{
    return n > 0 && !(n & (n - 1)) ? __builtin_ctzll((unsigned long long)n) : -1;
}

AxisInfo
node_axis_info(const Node *n, int k)
{
    AxisInfo a = {.axis = n->axes[k], .letter = AXIS_LETTERS[n->axes[k]]};
    a.size = n->sizes[k];
    a.stored = n->stored[k];
    a.below = n->cell_extent[a.axis];
    a.offset = n->offset[a.axis];
    a.first = !n->parent || !(n->parent->path_axes & 1 << a.axis);
    a.stride = 1;
    for (int i = k + 1; i < n->axis_count; i++)
        a.stride *= n->stored[i];
    a.index_bit = log2_of(a.below);
    a.shifts = a.index_bit >= 0 && (a.first || log2_of(a.size) >= 0);
    a.bits = a.shifts ? log2_of(a.stored) : -1;
    a.number_bit = a.bits >= 0 ? log2_of(a.stride) : -1;
    return a;
}

const char *
layout_axis_map_text(Compile *c, const AxisInfo *a)
{
    char text[128] = {a->letter, 0};
    const char *index = text;
    if (a->offset)
        snprintf(text, sizeof text, "(%c %c %lld)", a->letter, a->offset < 0 ? '+' : '-',
                 (long long)(a->offset < 0 ? -a->offset : a->offset));
    if (a->size == 1)
        return "0";
    if (a->below > 1)
        index = a->shifts ? arena_printf(c->arena, "%s >> %d", text, a->index_bit)
                          : arena_printf(c->arena, "%s / %lld", text, (long long)a->below);
    if (a->first)
        return arena_strndup(c->arena, index, strlen(index));
    return a->shifts ? arena_printf(c->arena, "%s & %lld", index, (long long)a->size - 1)
                     : arena_printf(c->arena, "%s %% %lld", index, (long long)a->size);
}

const char *
node_size_text(Compile *c, const Node *n, int k)
{
    if (n->sizes[k])
        return arena_printf(c->arena, "%lld", (long long)n->sizes[k]);
    return n->size_text[k] ? n->size_text[k] : "?";
}

const char *
node_title(Compile *c, const Node *n)
{
    Text t;
    text_init(&t, c->arena);
    if (n->label)
        text_add(&t, "%s: ", n->label);
    text_add(&t, "%s ", node_kind_name(n->kind));
    for (int i = 0; i < n->axis_count; i++)
        text_add(&t, "%c", AXIS_LETTERS[n->axes[i]]);
    for (int i = 0; i < n->axis_count; i++)
        text_add(&t, "%s%s", i ? ", " : "[", node_size_text(c, n, i));
    text_add(&t, "]");
    return t.data;
}

static bool
is_word(const char *s)
{
    return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] == 0;
}

const char *
node_stride_text(Compile *c, const Node *n, int k)
{
    const char *text = NULL;
    int64_t known = 1;
    for (int i = k + 1; i < n->axis_count; i++) {
        if (n->stored[i]) {
            known *= n->stored[i];
            continue;
        }
        const char *size = node_size_text(c, n, i);
        size = is_word(size) ? size : arena_printf(c->arena, "(%s)", size);
        text = text ? arena_printf(c->arena, "%s * %s", text, size) : size;
    }
    if (!text)
        return arena_printf(c->arena, "%lld", (long long)known);
    return known == 1 ? text : arena_printf(c->arena, "%lld * %s", (long long)known, text);
}

const char *
layout_run_name(Compile *c, const Type *t, int leaf, int count)
{
    if (leaf == 0 && t->leaf_count == count)
        return "";
    if (t->kind == TYPE_STRUCT) {
        int m = 0;
        while (m + 1 < t->member_count && t->members[m + 1].leaf <= leaf)
            m++;
        const Member *member = &t->members[m];
        return arena_printf(c->arena, ".%s%s", member->name,
                            layout_run_name(c, member->type, leaf - member->leaf, count));
    }
    return type_leaf_name(c, t, leaf);
}

const char *
layout_place_name(Compile *c, const Place *p)
{
    const char *part = layout_run_name(c, p->field->type, p->first_leaf, p->leaf_count);
    return arena_printf(c->arena, "%s%s", p->field->name, part);
}

const char *
layout_title(Compile *c, const Layout *l)
{
    if (l->name)
        return arena_printf(c->arena, "layout '%s'", l->name);
    if (l->fields.count == 1 && l->fields.items[0]->short_form)
        return arena_printf(c->arena, "field '%s'", l->fields.items[0]->name);
    return arena_printf(c->arena, "layout %d", l->id + 1);
}

int64_t
node_used_cells(const Node *n)
{
    int64_t cells = 1;
    for (int i = 0; i < n->axis_count; i++)
        if (__builtin_mul_overflow(cells, n->sizes[i], &cells))
            return (int64_t)1 << 62;
    return cells;
}

/* A product of counts, where 0 is one that is not known. */
static int64_t
times(int64_t a, int64_t b)
{
    int64_t product;
    if (!a || !b)
        return 0;
    return a < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}

int64_t
node_all_containers(const Node *n)
{
    return n->parent ? times(node_all_containers(n->parent), n->parent->cell_count) : 1;
}

int64_t
node_all_cells(const Node *n)
{
    return times(node_all_containers(n), n->cell_count);
}

/* Counts the axes of storage on the way down to n. */
static int
count_positions(const Node *n, int position[AXIS_MAX])
{
    int count = n->parent ? count_positions(n->parent, position) : 0;
    for (int k = 0; k < n->axis_count; k++)
        if (position[n->axes[k]] < 0)
            position[n->axes[k]] = count++;
    return count;
}

int
node_index_positions(const Node *n, int position[AXIS_MAX])
{
    int last = 0;
    for (int axis = 0; axis < AXIS_MAX; axis++)
        position[axis] = -1;
    count_positions(n, position);
    for (int axis = 0; axis < AXIS_MAX; axis++)
        if (position[axis] >= 0)
            last = axis + 1;
    return last;
}

const char *
layout_index_positions_text(Compile *c, const Node *n, const char *quote)
{
    int position[AXIS_MAX];
    const int count = node_index_positions(n, position);
    const char *text = "";
    for (int axis = 0; axis < count; axis++)
        text = arena_printf(c->arena, "%s%s%s%d%s: %d", text, axis ? ", " : "", quote, axis, quote,
                            position[axis]);
    return text;
}

const char *
layout_bytes_text(Compile *c, int64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)bytes / 1024;
    int unit = 0;
    for (; v >= 1024 && unit < 5; unit++)
        v /= 1024;
    if (bytes < 1024)
        return arena_printf(c->arena, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
    return arena_printf(c->arena, "%lld bytes (%.1f %s)", (long long)bytes, v, units[unit]);
}

const char *
layout_field_shape_text(Compile *c, const Field *f)
{
    Text t;
    text_init(&t, c->arena);
    text_add(&t, "%s", f->name);
    for (int i = 0; i < f->axis_count; i++) {
        text_add(&t, "%s", i ? ", " : "[");
        if (f->extents[i])
            text_add(&t, "%lld..%lld", (long long)f->offsets[i],
                     (long long)(f->offsets[i] + f->extents[i] - 1));
        else
            text_add(&t, "%lld...", (long long)f->offsets[i]);
    }
    text_add(&t, "%s", f->axis_count ? "]" : "");
    return t.data;
}

int64_t
layout_field_stride(const Field *f, int k)
{
    const Node *found = NULL;
    int at = 0;
    for (const Node *n = f->node; n; n = n->parent)
        for (int i = 0; i < n->axis_count; i++)
            if (n->axes[i] == f->axes[k] && n->sizes[i] != 1) {
                if (found)
                    return 0;
                found = n;
                at = i;
            }
    if (!found || !node_is_inline(found->kind))
        return 0;
    for (const Node *n = f->node; n != found; n = n->parent)
        if (!node_is_inline(n->kind))
            return 0;
    return node_axis_info(found, at).stride * found->cell_bytes;
}

int64_t
layout_fixed_bytes(const Layout *l, int64_t *padding)
{
    int64_t bytes = l->root_bytes;
    *padding = 0;
    for (int i = 0; i < l->tops.count; i++) {
        const Node *n = l->tops.items[i];
        if (node_has_runtime_size(n))
            return -1;
        bytes += n->container_bytes;
        *padding += n->container_bytes - layout_tight_bytes(n);
    }
    return bytes;
}

const char *
layout_boundary_word(Boundary b)
{
    static const char *const words[BOUNDARY_COUNT] = {NULL, "ambient", "clamp", "periodic",
                                                      "mirror"};
    return words[b];
}
