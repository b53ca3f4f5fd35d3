/* Copies of blocks with the cells around them that a loop reads (pass halo):
 *
 *     x_cell *const before_i = (x_cell *)snl_pointer_lookup(…);       the blocks around, each looked up once
 *     float x_near[10][10];
 *     for (…) x_near[i + 1][j + 1] = cell_1->x_cells[i * 8 + j].x;    the block, then what is needed of those around
 *     for (…) x_near[0][j + 1] = before_i->x_cells[7 * 8 + j].x;
 *
 * A block outside of the field is never read from: the nearest one inside stands for it. */
#include "config.h"

#include "emit/inside.h"
#include "pass/index.h"

enum { CODES = 27 }; /* directions along three axes */

/* Step along the k-th axis of a node: -1, 0 or 1. */
static int
step_of(const Node *n, int code, int k)
{
    for (int i = n->axis_count - 1; i > k; i--)
        code /= 3;
    return code % 3 - 1;
}

static bool
is_block_itself(const Node *n, int code)
{
    for (int k = 0; k < n->axis_count; k++)
        if (step_of(n, code, k))
            return false;
    return true;
}

/* ---- the blocks around ---- */

static bool
is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* Number of the cell of n, on the way to `block`, by the coordinates of a cell of `block`. */
static const char *
number_on_path(Emit *e, const Node *n, const Node *block, const char *const *coord)
{
    Arena *a = e->c->arena;
    const char *text = NULL;
    for (int k = 0; k < n->axis_count; k++) {
        int axis = n->axes[k];
        int64_t span = node_span(n, block, axis), size = n->sizes[k];
        const char *digit = coord[axis];
        if (span > 1)
            digit = is_power(span) ? arena_printf(a, "(%s >> %d)", digit, __builtin_ctzll((unsigned long long)span))
                                   : arena_printf(a, "%s / %lld", digit, (long long)span);
        if (n->parent && (n->parent->path_axes & 1 << axis))
            digit = is_power(size) ? arena_printf(a, "(%s & %lld)", digit, (long long)size - 1) : arena_printf(a, "%s %% %lld", digit, (long long)size);
        text = text ? arena_printf(a, k > 1 ? "(%s) * %lld + %s" : "%s * %lld + %s", text, (long long)n->stored[k], digit) : digit;
    }
    return text;
}

/* Declares the cell of `block` at the coordinates, by a name like `name`. */
static const char *
declare_block(Emit *e, const Node *block, const char *const *coord, const char *name)
{
    const Node *path[64];
    int depth = 0;
    for (const Node *n = block; n && depth < 64; n = n->parent)
        path[depth++] = n;
    const char *where = top_ref(e, path[depth - 1]), *variable = name;
    while (depth > 0) {
        const Node *n = path[--depth];
        const char *type = cell_type(e, n), *number = number_on_path(e, n, block, coord);
        variable = name_new(e, depth ? arena_printf(e->c->arena, "%s_%d", name, n->id) : name);
        if (n->kind == NODE_DENSE)
            text_line(e->out, "%s *const %s = &%s[%s];", type, variable, where, number);
        else
            text_line(e->out, "%s *const %s = (%s *)snl_%s_lookup(%s, %d, %s, %s);", type, variable, type,
                      n->kind == NODE_POINTER ? "pointer" : "bitmasked", tree_ref(e, n->layout), n->id - 1, where, number);
        if (depth)
            where = arena_printf(e->c->arena, "%s->%s", variable, child_member(e, path[depth - 1]));
    }
    return variable;
}

/* Declares the coordinates of blocks one step before and after along an axis. */
static const char *
declare_step(Emit *e, const Nest *nest, const Node *block, int axis, int step)
{
    const char *name = name_new(e, arena_printf(e->c->arena, "%c_%s", 'i' + axis, step < 0 ? "before" : "after"));
    if (step < 0)
        text_line(e->out, "const int64_t %s = snl_max_i64(%s - 1, 0);", name, nest->coord[axis]);
    else
        text_line(e->out, "const int64_t %s = snl_min_i64(%s + 1, %lld);", name, nest->coord[axis], (long long)block->coord_extent[axis] - 1);
    return name;
}

static void
declare_blocks(Emit *e, const Nest *nest, unsigned directions, const char **blocks)
{
    const Node *n = nest->to;
    const char *steps[AXIS_MAX][2] = {{NULL}};
    for (int code = 0; code < CODES; code++) {
        const char *coord[AXIS_MAX], *name = "";
        if (!(directions >> code & 1) || is_block_itself(n, code))
            continue;
        for (int a = 0; a < AXIS_MAX; a++)
            coord[a] = nest->coord[a];
        for (int k = 0; k < n->axis_count; k++) {
            int axis = n->axes[k], step = step_of(n, code, k);
            if (!step)
                continue;
            const char **text = &steps[axis][step > 0];
            if (!*text)
                *text = declare_step(e, nest, n->parent, axis, step);
            coord[axis] = *text;
            name = arena_printf(e->c->arena, "%s%s%s_%c", name, *name ? "_" : "", step < 0 ? "before" : "after", 'i' + axis);
        }
        blocks[code] = declare_block(e, n->parent, coord, name);
    }
}

/* ---- the copies ---- */

/* "i + 1" */
static const char *
plus(Emit *e, const char *i, int64_t n)
{
    return n ? arena_printf(e->c->arena, "%s %c %lld", i, n < 0 ? '-' : '+', (long long)(n < 0 ? -n : n)) : i;
}

/* Copies the part of a halo that lies in one direction; `cells` is the container there, `names` those of indices by axis. */
static void
copy_part(Emit *e, const Halo *h, const char *name, const char *const *names, int code, const char *cells)
{
    const Node *n = h->node;
    Arena *a = e->c->arena;
    const char *from = "", *to = name;
    int loops = 0;
    for (int k = 0; k < n->axis_count; k++) {
        int axis = n->axes[k], step = step_of(n, code, k);
        int64_t size = n->sizes[k], first = step < 0 ? -h->low[axis] : step ? size : 0, end = step < 0 ? 0 : step ? size + h->high[axis] : size;
        const char *here, *there;
        if (end - first == 1) {
            here = arena_printf(a, "%lld", (long long)(first + h->low[axis]));
            there = arena_printf(a, "%lld", (long long)(first - step * size));
        } else {
            const char *i = names[axis];
            if (k == n->axis_count - 1)
                text_line(e->out, "SNL_SIMD");
            text_open(e->out, "for (int64_t %s = %lld; %s < %lld; %s++) {", i, (long long)first, i, (long long)end, i);
            loops++;
            here = plus(e, i, h->low[axis]);
            there = plus(e, i, -step * size);
            there = there == i ? i : arena_printf(a, "(%s)", there);
        }
        to = arena_printf(a, "%s[%s]", to, here);
        from = k ? arena_printf(a, k > 1 ? "(%s) * %lld + %s" : "%s * %lld + %s", from, (long long)n->stored[k], there) : there;
    }
    const char *element = part_in_cell(e, arena_printf(a, "%s[%s]", cells, from), h->field, h->leaf, h->type);
    text_line(e->out, "%s = %s;", to, element);
    while (loops-- > 0)
        text_close(e->out, "}");
}

static const char *
halo_name(const Emit *e, const Halo *h)
{
    for (int i = 0; i < e->halo_count; i++)
        if (e->halos[i].halo == h)
            return e->halos[i].name;
    return "/* no such halo */ 0";
}

void
halo_begin(Emit *e, const Task *t)
{
    e->halos = ARENA_ARRAY(e->c->arena, HaloName, t->halos.count);
    e->halo_count = t->halos.count;
    if (t->halos.count)
        cache_path(e, t->node);
}

void
halo_make(Emit *e, const Task *t, const Nest *nest)
{
    const char *blocks[CODES] = {NULL}, *names[AXIS_MAX] = {NULL};
    unsigned directions = 0;
    for (int k = 0; k < nest->to->axis_count; k++)
        names[nest->to->axes[k]] = name_new(e, arena_printf(e->c->arena, "%c_near", 'i' + nest->to->axes[k]));
    for (int i = 0; i < t->halos.count; i++)
        directions |= t->halos.items[i]->directions;
    declare_blocks(e, nest, directions, blocks);
    for (int i = 0; i < t->halos.count; i++) {
        const Halo *h = t->halos.items[i];
        Inst at = {.kind = INST_LOOP_CELL, .node = h->node->parent}, *arg = &at, child = {.kind = INST_CHILD, .node = h->node};
        const char *name = name_new(e, arena_printf(e->c->arena, "%s_near", name_plain(e, h->field->name))), *array = name;
        child.args.items = &arg;
        child.args.count = 1;
        for (int k = 0; k < h->node->axis_count; k++) {
            int axis = h->node->axes[k];
            array = arena_printf(e->c->arena, "%s[%lld]", array, (long long)(h->node->sizes[k] + h->low[axis] + h->high[axis]));
        }
        text_line(e->out, "%s;", type_decl(e, h->type, array));
        e->halos[i] = (HaloName){h, name};
        for (int code = 0; code < CODES; code++)
            if (h->directions >> code & 1)
                copy_part(e, h, name, names, code, blocks[code] ? arena_printf(e->c->arena, "%s->%s", blocks[code], child_member(e, h->node))
                                                         : container(e, &child));
    }
}

const char *
halo_place(Emit *e, const HaloPlace *p)
{
    const Node *n = p->halo->node;
    const char *text = halo_name(e, p->halo);
    for (int k = 0; k < n->axis_count; k++) {
        int axis = n->axes[k];
        const char *digit = e->nest->digit[e->nest->count - n->axis_count + k];
        text = arena_printf(e->c->arena, "%s[%s]", text, plus(e, digit, p->halo->low[axis] + p->offset[axis]));
    }
    return text;
}
