/* Copies of blocks with the cells around them that a loop reads (pass stage):
 *
 *     // the blocks around, each looked up once
 *     x_cell *const before_i = (x_cell *)snl_pointer_lookup(…);
 *     float x_near[10][10];
 *     // the block, then what is needed of those around
 *     for (…) x_near[i + 1][j + 1] = cell_1->x_cells[i * 8 + j].x;
 *     for (…) x_near[0][j + 1] = before_i->x_cells[7 * 8 + j].x;
 *
 * A block outside of the field is never read. The nearest block inside stands for it, or the block
 * at the other end. If cells outside have values by a boundary mode, those cells of the copy are
 * written over at the ends of the field:
 *     if (i_1 == 0)
 *         for (…) x_near[0][j] = x_near[1][j];
 * The lanes of a GPU choose the cell that they copy instead. */
#include "config.h"

#include "analysis/affine.h"
#include "emit/loop/loops.h"

int
stage_halo_directions(const Node *n)
{
    int directions = 1;
    for (int k = 0; k < n->axis_count; k++)
        directions *= 3;
    return directions;
}

int
stage_halo_step(const Node *n, int code, int k)
{
    for (int i = n->axis_count - 1; i > k; i--)
        code /= 3;
    return code % 3 - 1;
}

static bool
is_block_itself(const Node *n, int code)
{
    for (int k = 0; k < n->axis_count; k++)
        if (stage_halo_step(n, code, k))
            return false;
    return true;
}

/* ---- the blocks around ---- */

static bool
is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* Index along the k-th axis of the cell of n, on the way to `block`, by the coordinates of a cell
 * of `block`. */
static const char *
digit_on_path(Emit *e, const Node *n, const Node *block, const char *const *coord, int k)
{
    Arena *a = e->c->arena;
    const int axis = n->axes[k];
    const int64_t span = affine_node_span(n, block, axis), size = n->sizes[k];
    const char *digit = coord[axis];
    if (span > 1)
        digit = is_power(span) ? arena_printf(a, "(%s >> %d)", digit,
                                              __builtin_ctzll((unsigned long long)span))
                               : arena_printf(a, "%s / %lld", digit, (long long)span);
    if (n->parent && (n->parent->path_axes & 1 << axis))
        digit = is_power(size) ? arena_printf(a, "(%s & %lld)", digit, (long long)size - 1)
                               : arena_printf(a, "%s %% %lld", digit, (long long)size);
    return digit;
}

/* What a look-up in n on that way takes: the number of the cell, or its indices. */
static const char *
key_on_path(Emit *e, const Node *n, const Node *block, const char *const *coord)
{
    const bool hash = n->kind == NODE_HASH;
    const char *text = "";
    for (int k = 0; k < n->axis_count; k++) {
        const char *digit = digit_on_path(e, n, block, coord, k);
        text = hash ? arena_printf(e->c->arena, "%s%s%s", text, k ? ", " : "", digit)
                    : place_number(e, n, k, text, digit);
    }
    return hash ? arena_printf(e->c->arena, "SNL_ARRAY(int64_t, %s), %d", text, n->axis_count)
                : text;
}

const char *
stage_halo_block(Emit *e, const Node *block, const char *const *coord, const char *name,
                 bool activate)
{
    int depth;
    Node **path = node_path(e->c->scratch, NULL, block, &depth);
    const char *where = place_top(e, path[0]), *variable = name;
    for (int i = 0; i < depth; i++) {
        const Node *n = path[i];
        const char *type = type_cell(e, n), *key = key_on_path(e, n, block, coord);
        variable =
            name_new(e, i + 1 < depth ? arena_printf(e->c->arena, "%s_%d", name, n->id) : name);
        if (n->kind == NODE_DENSE)
            text_line(e->out, "%s *const %s = &%s[%s];", type, variable, where, key);
        else
            text_line(e->out, "%s *const %s = (%s *)snl_%s_%s%s(%s, %d, %s, %s);", type, variable,
                      type, node_kind_name(n->kind), activate ? "activate" : "lookup",
                      activate ? "" : place_still_verb(e, n), place_tree(e, n->layout), n->id - 1,
                      where, key);
        if (i + 1 < depth)
            where = arena_printf(e->c->arena, path[i + 1]->kind == NODE_HASH ? "&%s->%s" : "%s->%s",
                                 variable, type_child_member(e, path[i + 1]));
    }
    return variable;
}

/* Does the field go on at its other end along an axis? */
static bool
wraps(const Emit *e, int axis)
{
    for (int i = 0; i < e->par.halo_count; i++)
        if (e->par.halos[i].halo->beyond[axis] == BOUNDARY_PERIODIC)
            return true;
    return false;
}

const char *
stage_halo_last_coordinate(Emit *e, const Node *block, int axis)
{
    const Node *top = node_top(block);
    if (block->coord_extent[axis] > 0)
        return arena_printf(e->c->arena, "%lld", (long long)block->coord_extent[axis] - 1);
    int k = 0;
    while (top->axes[k] != axis)
        k++;
    const char *size = place_size(e, top, k);
    const int64_t span = affine_node_span(top, block, axis);
    return span > 1 ? arena_printf(e->c->arena, "%s * %lld - 1", size, (long long)span)
                    : arena_printf(e->c->arena, "%s - 1", size);
}

/* The coordinate of the block that the loop is at, in a tree that may have fewer. */
static const char *
coordinate_in(Emit *e, const Nest *nest, const Node *block, const char *of, int axis)
{
    const char *at = nest->coord[axis];
    if (!(block->path_axes & 1 << axis) || !block->coord_extent[axis] ||
        block->coord_extent[axis] >= nest->to->parent->coord_extent[axis])
        return at;
    const char *name = name_new(e, arena_printf(e->c->arena, "%s%c_same", of, 'i' + axis));
    text_line(e->out, "const int64_t %s = snl_min_i64(%s, %s);", name, at,
              stage_halo_last_coordinate(e, block, axis));
    return name;
}

/* Declares the coordinates of blocks one step before and after `at` along an axis; all names begin
 * with `of`. */
static const char *
declare_step(Emit *e, const char *at, const Node *block, const char *of, int axis, int step)
{
    const char *name = name_new(e, arena_printf(e->c->arena, "%s%c_%s", of, 'i' + axis,
                                                step < 0 ? "before" : "after")),
               *last = stage_halo_last_coordinate(e, block, axis);
    if (wraps(e, axis) && step < 0)
        text_line(e->out, "const int64_t %s = %s > 0 ? %s - 1 : %s;", name, at, at, last);
    else if (wraps(e, axis))
        text_line(e->out, "const int64_t %s = %s < %s ? %s + 1 : 0;", name, at, last, at);
    else if (step < 0)
        text_line(e->out, "const int64_t %s = snl_max_i64(%s - 1, 0);", name, at);
    else
        text_line(e->out, "const int64_t %s = snl_min_i64(%s + 1, %s);", name, at, last);
    return name;
}

void
stage_halo_blocks(Emit *e, const Nest *nest, const Node *n, unsigned directions, const char *of,
            const char **blocks)
{
    const char *steps[AXIS_MAX][2] = {{NULL}}, *own[AXIS_MAX] = {NULL};
    for (int a = 0; a < AXIS_MAX; a++)
        if (n->path_axes & 1 << a)
            own[a] = n->parent == nest->to->parent ? nest->coord[a]
                                                   : coordinate_in(e, nest, n->parent, of, a);
    for (int code = 0; code < HALO_CODES; code++) {
        const char *coord[AXIS_MAX], *name = of, *between = "";
        const bool same = is_block_itself(n, code);
        if (!(directions >> code & 1) || (same && n->parent == nest->to->parent))
            continue;
        for (int a = 0; a < AXIS_MAX; a++)
            coord[a] = own[a];
        for (int k = 0; k < n->axis_count; k++) {
            int axis = n->axes[k], step = stage_halo_step(n, code, k);
            if (!step)
                continue;
            const char **text = &steps[axis][step > 0];
            if (!*text)
                *text = declare_step(e, own[axis], n->parent, of, axis, step);
            coord[axis] = *text;
            name = arena_printf(e->c->arena, "%s%s%s_%c", name, between,
                                step < 0 ? "before" : "after", 'i' + axis);
            between = "_";
        }
        if (same)
            name = arena_printf(e->c->arena, "%sblock", of);
        blocks[code] = stage_halo_block(e, n->parent, coord, name, false);
    }
}

/* ---- the copies ---- */

const char *
stage_halo_plus(Emit *e, const char *i, int64_t n)
{
    return n ? arena_printf(e->c->arena, "%s %c %lld", i, n < 0 ? '-' : '+',
                            (long long)(n < 0 ? -n : n))
             : i;
}

const char *
stage_halo_next_index(Emit *e, const char **rest, const char *size, bool outermost)
{
    const char *number = *rest;
    if (outermost)
        return number;
    *rest = arena_printf(e->c->arena, "%s / %s", number, size);
    return arena_printf(e->c->arena, "%s %% %s", number, size);
}

/* The cells that a halo has along the k-th axis of its node in a direction: from the first to
 * before the end, by the digits of the block that the loop is at. */
static void
part_range(const Halo *h, int code, int k, int64_t *first, int64_t *end)
{
    int axis = h->node->axes[k], step = stage_halo_step(h->node, code, k);
    int64_t size = h->node->sizes[k];
    *first = step < 0 ? -h->low[axis] : step ? size : 0;
    *end = step < 0 ? 0 : step ? size + h->high[axis] : size;
}

/* Cells of the copy before the block along the k-th axis: those of rows are moved there. */
static int64_t
low_of(const Halo *h, int k)
{
    return h->by_rows && k == h->node->axis_count - 1 ? 0 : h->low[h->node->axes[k]];
}

/* The number of an index in the other block, `shift` cells on. */
static const char *
shifted(Emit *e, const char *i, int64_t shift)
{
    return shift ? arena_printf(e->c->arena, "(%s)", stage_halo_plus(e, i, shift)) : i;
}

/* The index along the k-th axis, in the block in a direction, of what the copy has at a digit, one
 * of the block that the loop is at, or (NULL) at the only one. Blocks by which lanes copy are the
 * nearest ones at the ends of a field: `nest` is the loop, where they are not written over later,
 * or NULL. */
static const char *
index_there(Emit *e, const Halo *h, int code, int k, const char *digit, const Nest *nest)
{
    const Node *n = h->node;
    Arena *a = e->c->arena;
    const int axis = n->axes[k], step = stage_halo_step(n, code, k);
    const int64_t size = n->sizes[k], end = step < 0 ? -1 : 2 * size - 1;
    const Boundary beyond = h->beyond[axis];
    int64_t first, last;
    part_range(h, code, k, &first, &last);
    const char *there = digit ? shifted(e, digit, -step * size)
                              : arena_printf(a, "%lld", (long long)(first - step * size)),
               *outside;
    if (!nest || !step || (beyond != BOUNDARY_CLAMP && beyond != BOUNDARY_MIRROR))
        return there;
    if (beyond == BOUNDARY_CLAMP)
        outside = arena_printf(a, "%lld", step < 0 ? 0 : (long long)size - 1);
    else if (digit)
        outside = arena_printf(a, "%lld - %s", (long long)end, digit);
    else
        outside = arena_printf(a, "%lld", (long long)(end - first));
    return arena_printf(a, "(%s == %s ? %s : %s)", nest->coord[axis],
                        step < 0 ? "0" : stage_halo_last_coordinate(e, n->parent, axis), outside,
                        there);
}

/* Copies the cell at these digits, which may be numbers, from the container `cells` in a direction;
 * or a row of so many pairs that begins there. `nest`: see index_there. */
static void
copy_cell(Emit *e, const Halo *h, const char *name, int code, const char *cells,
          const char *const *digits, int64_t row, const Nest *nest)
{
    const Node *n = h->node;
    Arena *a = e->c->arena;
    const char *from = NULL, *to = name;
    for (int k = 0; k < n->axis_count; k++) {
        int64_t first, end, low = low_of(h, k);
        part_range(h, code, k, &first, &end);
        bool one = end - first == 1;
        const char *here = one ? arena_printf(a, "%lld", (long long)(first + low))
                               : stage_halo_plus(e, digits[k], low);
        to = arena_printf(a, "%s[%s]", to, here);
        from = place_number(e, n, k, from,
                           index_there(e, h, code, k, one ? NULL : digits[k], nest));
    }
    if (row) {
        text_line(e->out, "snl_pairs_get(&%s, &%s[%s], %lld, %d);", to, cells, from, (long long)row,
                  h->field->leaves[h->leaf].cell_offset ? 1 : 0);
        return;
    }
    const Inst place = {.kind = INST_IN_CELL, .field = h->field, .type = h->type};
    const char *element =
        place_part_in_cell(e, arena_printf(a, "%s[%s]", cells, from), h->field, h->leaf, h->type);
    text_line(e->out,
              e->par.task && gpu_tiles_only_reads(e->par.task, &place) ? "%s = SNL_READ(%s);"
                                                                  : "%s = %s;",
              to, element);
}

/* Do its elements lie beside those of another field, two in a cell? Such rows are read by
 * vectors. */
static bool
is_in_pairs(const Halo *h)
{
    return h->type->kind == TYPE_SCALAR && h->type->bytes == 4 && h->node->cell_bytes == 8;
}

/* Copies the part of a halo that lies in one direction; `cells` is the container there, `names`
 * those of indices by axis. */
static void
copy_part(Emit *e, const Halo *h, const char *name, const char *const *names, int code,
          const char *cells)
{
    const Node *n = h->node;
    const char *digits[AXIS_MAX];
    int64_t row = 0;
    int loops = 0;
    for (int k = 0; k < n->axis_count; k++) {
        int64_t first, end;
        const char *i = digits[k] = names[n->axes[k]];
        part_range(h, code, k, &first, &end);
        if (end - first == 1)
            continue;
        if (k == n->axis_count - 1 && is_in_pairs(h)) {
            row = end - first;
            digits[k] = arena_printf(e->c->arena, "%lld", (long long)first);
            continue;
        }
        if (k == n->axis_count - 1)
            text_line(e->out, "SNL_SIMD");
        text_open(e->out, "for (int64_t %s = %lld; %s < %lld; %s++) {", i, (long long)first, i,
                  (long long)end, i);
        loops++;
    }
    copy_cell(e, h, name, code, cells, digits, row, NULL);
    while (loops-- > 0)
        text_close(e->out, "}");
}

void
stage_halo_begin(Emit *e, const Task *t)
{
    e->par.halos = ARENA_ARRAY(e->c->arena, HaloName, t->halos.count);
    e->par.halo_count = t->halos.count;
    if (t->halos.count)
        place_cache_path(e, t->node);
    for (int i = 0; i < t->halos.count; i++) {
        e->par.halos[i].halo = t->halos.items[i];
        if (t->halos.items[i]->in_box || t->halos.items[i]->node->layout != t->node->layout)
            place_cache_path(e, t->halos.items[i]->node);
    }
}

/* A name for the array of a halo, and its extents: "[10][10]". */
static const char *
name_array(Emit *e, const Halo *h, const char **extents)
{
    *extents = "";
    for (int k = 0; k < h->node->axis_count; k++)
        *extents = arena_printf(e->c->arena, "%s[%lld]", *extents, (long long)h->extent[k]);
    return name_new(e, arena_printf(e->c->arena, "%s_near", name_plain(e, h->field->name)));
}

const char *
stage_halo_array(Emit *e, const Halo *h, const char *value)
{
    const char *extents, *name = name_array(e, h, &extents);
    text_line(e->out, "%s%s;",
              type_decl(e, h->type, arena_printf(e->c->arena, "%s%s", name, extents)), value);
    return name;
}

const char *
stage_halo_cells(Emit *e, const Halo *h, const char *block)
{
    Inst at = {.kind = INST_LOOP_CELL, .node = h->node->parent}, *arg = &at,
         child = {.kind = INST_CHILD, .node = h->node};
    child.args.items = &arg;
    child.args.count = 1;
    return block ? arena_printf(e->c->arena, "%s->%s", block, type_child_member(e, h->node))
                 : place_container(e, &child);
}

static void
name_digits(Emit *e, const Nest *nest, const char **names)
{
    for (int k = 0; k < nest->to->axis_count; k++)
        names[nest->to->axes[k]] =
            name_new(e, arena_printf(e->c->arena, "%c_near", 'i' + nest->to->axes[k]));
}

/* That the loop reads in, of the blocks that are cells of one node; NULL: of a box. */
static unsigned
directions_in(const Task *t, const Node *block)
{
    unsigned directions = 0;
    for (int i = 0; i < t->halos.count; i++)
        if (t->halos.items[i]->node->parent == block)
            directions |= t->halos.items[i]->sums ? 0 : t->halos.items[i]->directions;
    return directions;
}

/* Does the loop read any copy? */
static bool
has_copies(const Task *t)
{
    for (int i = 0; i < t->halos.count; i++)
        if (!t->halos.items[i]->sums)
            return true;
    return false;
}

/* Is all of the copy looked at, and does no block fill some of it? */
static bool
is_asked_with_gaps(const Emit *e, const Halo *h)
{
    const Task *t = e->par.loop;
    bool asked = false;
    for (int n = 0; t->has_fast_floats && n < t->fast_floats.count; n++)
        asked |= t->fast_floats.items[n].halo == h;
    return asked && h->directions != (1u << stage_halo_directions(h->node)) - 1;
}

/* Declares the copy and fills it. */
static void
copy(Emit *e, HaloName *made, const char *const *names)
{
    const int last = made->halo->node->axis_count - 1;
    made->name = stage_halo_array(e, made->halo, is_asked_with_gaps(e, made->halo) ? " = {0}" : "");
    for (int code = 0; code < HALO_CODES; code++)
        if (made->cells[code] &&
            !(made->halo->by_rows && stage_halo_step(made->halo->node, code, last)))
            copy_part(e, made->halo, made->name, names, code, made->cells[code]);
}

/* Is there a block that is read in this direction along the k-th axis, and in that along
 * another? */
static bool
reads_corner(const Halo *h, int k, int step, int other, int other_step)
{
    for (int code = 0; code < HALO_CODES; code++)
        if (h->directions >> code & 1 && stage_halo_step(h->node, code, k) == step &&
            stage_halo_step(h->node, code, other) == other_step)
            return true;
    return false;
}

/* The indices in the copy, along the k-th axis, of cell number `i` beyond an end of the field, NULL
 * for the only one, and of that which stands for it. */
static void
name_beyond(Emit *e, const Halo *h, int k, int step, const char *i, const char **here,
            const char **there)
{
    Arena *a = e->c->arena;
    const int axis = h->node->axes[k];
    const int64_t low = h->low[axis], end = low + h->node->sizes[k];
    bool mirror = h->beyond[axis] == BOUNDARY_MIRROR;
    if (!i) {
        *here = arena_printf(a, "%lld", (long long)(step > 0 ? end : low - 1));
        *there = arena_printf(a, "%lld", (long long)(step > 0 ? end - 1 : low));
    } else {
        *here = step > 0 ? stage_halo_plus(e, i, end)
                         : arena_printf(a, "%lld - %s", (long long)low - 1, i);
        *there = !mirror    ? arena_printf(a, "%lld", (long long)(step > 0 ? end - 1 : low))
                 : step > 0 ? arena_printf(a, "%lld - %s", (long long)end - 1, i)
                            : stage_halo_plus(e, i, low);
    }
}

/* Cells of the copy beyond an end of the field along the k-th axis: each gets what lies as far
 * inside, or the last one inside. */
static void
write_beyond(Emit *e, const HaloName *made, const char *const *names, int k, int step,
             const char *block)
{
    const Halo *h = made->halo;
    const Node *n = h->node;
    Arena *a = e->c->arena;
    const int axis = n->axes[k];
    const int64_t count = step < 0 ? h->low[axis] : h->high[axis];
    const char *to = made->name, *from = made->name;
    int loops = 0;
    text_open(e->out, "if (%s == %s) {", block,
              step < 0 ? "0" : stage_halo_last_coordinate(e, n->parent, axis));
    for (int o = 0; o < n->axis_count; o++) {
        const int other = n->axes[o];
        const int64_t first = o == k || reads_corner(h, k, step, o, -1) ? 0 : h->low[other];
        const int64_t end = o == k ? count
                                   : h->low[other] + n->sizes[o] +
                                         (reads_corner(h, k, step, o, 1) ? h->high[other] : 0);
        const bool one = end - first == 1;
        const char *i = one ? arena_printf(a, "%lld", (long long)first) : names[other], *here = i,
                   *there = i;
        if (o == k)
            name_beyond(e, h, k, step, one ? NULL : i, &here, &there);
        if (o == n->axis_count - 1 && !one)
            text_line(e->out, "SNL_SIMD");
        if (!one)
            text_open(e->out, "for (int64_t %s = %lld; %s < %lld; %s++) {", i, (long long)first, i,
                      (long long)end, i);
        loops += !one;
        to = arena_printf(a, "%s[%s]", to, here);
        from = arena_printf(a, "%s[%s]", from, there);
    }
    text_line(e->out, "%s = %s;", to, from);
    while (loops-- > 0)
        text_close(e->out, "}");
    text_close(e->out, "}");
}

static void
write_all_beyond(Emit *e, const HaloName *made, const char *const *names, const Nest *nest)
{
    const Halo *h = made->halo;
    for (int k = 0; k < h->node->axis_count; k++) {
        const int axis = h->node->axes[k];
        if (h->beyond[axis] != BOUNDARY_CLAMP && h->beyond[axis] != BOUNDARY_MIRROR)
            continue;
        if (h->low[axis])
            write_beyond(e, made, names, k, -1, nest->coord[axis]);
        if (h->high[axis])
            write_beyond(e, made, names, k, 1, nest->coord[axis]);
    }
}

/* The first of those that copy from the same blocks. */
static int
first_of_block(const Task *t, int halo)
{
    int first = 0;
    while (t->halos.items[first]->node->parent != t->halos.items[halo]->node->parent)
        first++;
    return first;
}

static bool
is_first_of_block(const Task *t, int halo)
{
    return first_of_block(t, halo) == halo;
}

/* Looks the blocks up that a halo copies from, for all halos of these. */
static void
find_cells(Emit *e, const Task *t, const Nest *nest, const Halo *first)
{
    const Node *block = first->node->parent;
    const bool own = block == t->node->parent;
    const char *blocks[HALO_CODES] = {NULL},
               *of = own ? "" : arena_printf(e->c->arena, "%s_", name_plain(e, first->field->name));
    stage_halo_blocks(e, nest, first->node, directions_in(t, block), of, blocks);
    for (int i = 0; i < t->halos.count; i++) {
        const Halo *h = t->halos.items[i];
        for (int code = 0; h->node->parent == block && code < HALO_CODES; code++)
            if (h->directions >> code & 1)
                e->par.halos[i].cells[code] = stage_halo_cells(e, h, blocks[code]);
    }
}

void
stage_halo_make(Emit *e, const Task *t, const Nest *nest)
{
    const char *names[AXIS_MAX] = {NULL};
    name_digits(e, nest, names);
    for (int i = 0; i < t->halos.count; i++)
        e->par.halos[i] = (HaloName){.halo = t->halos.items[i]};
    for (int i = 0; i < t->halos.count; i++)
        if (is_first_of_block(t, i))
            find_cells(e, t, nest, t->halos.items[i]);
    for (int i = 0; i < t->halos.count; i++) {
        const Halo *h = t->halos.items[i];
        HaloName *made = &e->par.halos[i];
        if (!h->in_place) {
            copy(e, made, names);
            write_all_beyond(e, made, names, nest);
        }
    }
}

/* ---- on a GPU ---- */

/* A coordinate that is at most one extent beyond 0 or `last`, kept inside. */
static const char *
kept_inside(Emit *e, const char *at, const char *last, Boundary beyond)
{
    Arena *a = e->c->arena;
    switch (beyond) {
    case BOUNDARY_PERIODIC:
        return arena_printf(a, "snl_gpu_wrapped(%s, %s)", at, last);
    case BOUNDARY_MIRROR:
        return arena_printf(a, "snl_gpu_mirrored(%s, %s)", at, last);
    case BOUNDARY_NONE: case BOUNDARY_AMBIENT: case BOUNDARY_CLAMP: break;
    }
    return arena_printf(a, "snl_min_i64(snl_max_i64(%s, 0), %s)", at, last);
}

/* The blocks around that the halos of a node copy from, each looked up by a lane, in an array by
 * their direction; of those of another tree also the one at the loop's own coordinates. NULL: the
 * loop has them all. */
static const char *
share_blocks(Emit *e, const Task *t, const Nest *nest, const Node *n, int lanes)
{
    const int codes = stage_halo_directions(n);
    const unsigned own = n->parent == t->node->parent ? 1u << codes / 2 : 0,
                   wanted = directions_in(t, n->parent) & ~own;
    const char *around, *code, *coord[AXIS_MAX] = {NULL};
    if (!wanted)
        return NULL;
    around = name_new(e, "around");
    code = name_new(e, "direction");
    text_line(e->out, "SNL_SHARED(%s, [%d], %s *);", around, codes, type_cell(e, n->parent));
    text_open(e->out, "for (int %s = snl_lane_thread(); %s < %d; %s += %d) {", code, code, codes,
              code, lanes);
    text_line(e->out, "if (!(%uu >> %s & 1))", wanted, code);
    text_line(e->out, "    continue;");
    for (int a = 0; a < AXIS_MAX; a++)
        if (n->path_axes & 1 << a)
            coord[a] = own ? nest->coord[a] : coordinate_in(e, nest, n->parent, "", a);
    for (int k = n->axis_count - 1, unit = 1; k >= 0; k--, unit *= 3) {
        int axis = n->axes[k];
        const char *digit = unit == 1 ? code : arena_printf(e->c->arena, "%s / %d", code, unit);
        const char *at = arena_printf(e->c->arena, "%s + %s %% 3 - 1", coord[axis], digit),
                   *last = stage_halo_last_coordinate(e, n->parent, axis);
        coord[axis] = name_new(e, arena_printf(e->c->arena, "%c_around", 'i' + axis));
        text_line(e->out, "const int64_t %s = %s;", coord[axis],
                  kept_inside(e, at, last, wraps(e, axis) ? BOUNDARY_PERIODIC : BOUNDARY_CLAMP));
    }
    text_line(e->out, "%s[%s] = %s;", around, code,
              stage_halo_block(e, n->parent, coord, "block", false));
    text_close(e->out, "}");
    return around;
}

/* Copies a part of a halo: the cells whose numbers, among all that are copied, begin with
 * `*begin`. */
static void
share_part(Emit *e, const Halo *h, const char *name, const char *const *names, int code,
           const char *cells, const char *number, int64_t *begin, const Nest *nest)
{
    const Node *n = h->node;
    Arena *a = e->c->arena;
    const char *digits[AXIS_MAX],
        *rest = *begin ? arena_printf(a, "(%s - %lld)", number, (long long)*begin) : number;
    int64_t first[AXIS_MAX], end[AXIS_MAX], count = 1;
    for (int k = 0; k < n->axis_count; k++) {
        part_range(h, code, k, &first[k], &end[k]);
        count *= end[k] - first[k];
    }
    text_open(e->out, *begin ? "} else if (%s < %lld) {" : "if (%s < %lld) {", number,
              (long long)(*begin + count));
    int64_t unit = 1;
    for (int k = n->axis_count - 1; k >= 0; k--) {
        int64_t size = end[k] - first[k];
        if (size > 1) {
            const char *digit =
                unit > 1 ? arena_printf(a, "%s / %lld", rest, (long long)unit) : rest;
            digit =
                unit * size < count ? arena_printf(a, "%s %% %lld", digit, (long long)size) : digit;
            digits[k] = names[n->axes[k]];
            text_line(e->out, "const int32_t %s = (int32_t)(%s)%s;", digits[k], digit,
                      first[k] ? stage_halo_plus(e, "", first[k]) : "");
        }
        unit *= size;
    }
    copy_cell(e, h, name, code, cells, digits, 0, nest);
    e->out->indent--;
    *begin += count;
}

/* Cells of all halos together. */
static int64_t
copied_cells(const Task *t)
{
    int64_t cells = 0;
    for (int i = 0; i < t->halos.count; i++)
        for (int code = 0; code < HALO_CODES; code++) {
            const Halo *h = t->halos.items[i];
            int64_t count = !h->sums && (h->directions >> code & 1), first, end;
            for (int k = 0; count && k < h->node->axis_count; k++) {
                part_range(h, code, k, &first, &end);
                count *= end - first;
            }
            cells += count;
        }
    return cells;
}

static void
share_all(Emit *e, const Task *t, const Nest *nest, int lanes)
{
    const char **around = ARENA_ARRAY(e->c->scratch, const char *, t->halos.count),
               *number = name_new(e, "copied"), *names[AXIS_MAX] = {NULL};
    int64_t copied = 0;
    for (int i = 0; i < t->halos.count; i++)
        around[i] = is_first_of_block(t, i)
                        ? share_blocks(e, t, nest, t->halos.items[i]->node, lanes)
                        : around[first_of_block(t, i)];
    text_line(e->out, "snl_lane_barrier();"); /* and the block before is done */
    name_digits(e, nest, names);
    text_open(e->out, "for (uint32_t %s = (uint32_t)snl_lane_thread(); %s < %lld; %s += %d) {",
              number, number, (long long)copied_cells(t), number, lanes);
    for (int i = 0; i < t->halos.count; i++) {
        const Halo *h = t->halos.items[i];
        for (int code = 0; code < HALO_CODES; code++) {
            if (h->sums || !(h->directions >> code & 1))
                continue;
            const bool own =
                is_block_itself(h->node, code) && h->node->parent == t->node->parent;
            const char *block =
                own ? NULL : arena_printf(e->c->arena, "%s[%d]", around[i], code);
            share_part(e, h, e->par.halos[i].name, names, code, stage_halo_cells(e, h, block),
                       number, &copied, nest);
        }
    }
    e->out->indent++;
    text_close(e->out, "}");
    text_close(e->out, "}");
    text_line(e->out, "snl_lane_barrier();");
}

/* Declares the arrays of all, which the lanes of a block share. */
static void
share_arrays(Emit *e, const Task *t, const char **first)
{
    for (int i = 0; i < t->halos.count; i++) {
        const Halo *h = t->halos.items[i];
        const char *extents, *name = name_array(e, h, &extents);
        e->par.halos[i] = (HaloName){.halo = h, .name = name, .first = first};
        text_line(e->out, "SNL_SHARED(%s, %s, %s);", name, extents, type_c(e, h->type));
    }
}

void
stage_halo_share(Emit *e, const Task *t, const Nest *nest, int lanes)
{
    share_arrays(e, t, NULL);
    if (has_copies(t))
        share_all(e, t, nest, lanes);
    gpu_stage_sums_begin(e, t, lanes);
}

/* Copies the cells of a box with those around; those outside of the container are replaced by what
 * stands for them, or the nearest ones. */
static void
share_box(Emit *e, const HaloName *made, int lanes)
{
    const Halo *h = made->halo;
    const Node *n = h->node;
    Arena *a = e->c->arena;
    const char *number = name_new(e, "copied"), *rest = number, *at[AXIS_MAX], *from = NULL,
               *to = made->name;
    int64_t cells = 1;
    for (int k = 0; k < n->axis_count; k++)
        cells *= h->extent[k];
    text_open(e->out, "for (uint32_t %s = (uint32_t)snl_lane_thread(); %s < %lld; %s += %d) {",
              number, number, (long long)cells, number, lanes);
    for (int k = n->axis_count - 1; k >= 0; k--) {
        char letter = (char)('i' + n->axes[k]);
        const char *own = name_new(e, arena_printf(a, "%c_copy", letter));
        const char *extent = arena_printf(a, "%lld", (long long)h->extent[k]);
        text_line(e->out, "const int32_t %s = (int32_t)(%s);", own,
                  stage_halo_next_index(e, &rest, extent, k == 0));
        at[k] = own;
        const char *near = name_new(e, arena_printf(a, "%c_near", letter));
        const char *index = stage_halo_plus(
            e, arena_printf(a, "(int64_t)%s + %s", made->first[k], own), -h->low[n->axes[k]]);
        text_line(e->out, "const int64_t %s = %s;", near,
                  kept_inside(e, index, arena_printf(a, "%lld", (long long)n->sizes[k] - 1),
                              h->beyond[n->axes[k]]));
        at[k + n->axis_count] = near;
    }
    for (int k = 0; k < n->axis_count; k++) {
        const char *near = at[k + n->axis_count];
        to = arena_printf(a, "%s[%s]", to, at[k]);
        from = place_number(e, n, k, from, near);
    }
    const Inst place = {.kind = INST_IN_CELL, .field = h->field, .type = h->type};
    const char *element = place_part_in_cell(e, arena_printf(a, "%s[%s]", place_top(e, n), from),
                                             h->field, h->leaf, h->type);
    text_line(e->out, gpu_tiles_only_reads(e->par.task, &place) ? "%s = SNL_READ(%s);" : "%s = %s;",
              to, element);
    text_close(e->out, "}");
}

void
stage_halo_share_box(Emit *e, const Task *t, const char **first, int lanes)
{
    share_arrays(e, t, first);
    if (has_copies(t)) {
        text_line(e->out, "snl_lane_barrier();"); /* the box before is done */
        for (int i = 0; i < t->halos.count; i++)
            if (!t->halos.items[i]->sums)
                share_box(e, &e->par.halos[i], lanes);
        text_line(e->out, "snl_lane_barrier();");
    }
    gpu_stage_sums_begin(e, t, lanes);
}

const char *
stage_halo_place(Emit *e, const HaloPlace *p)
{
    const Node *n = p->halo->node;
    const HaloName *made = e->par.halos;
    while (made->halo != p->halo)
        made++;
    if (p->halo->by_rows)
        return stage_rows_place(e, made, p->offset);
    const char *text = made->name;
    for (int k = 0; k < n->axis_count; k++) {
        int axis = n->axes[k];
        const char *digit = e->par.nest->digit[e->par.nest->count - n->axis_count + k];
        if (made->first)
            digit = arena_printf(e->c->arena, "%s - %s", digit, made->first[k]);
        text = arena_printf(e->c->arena, "%s[%s]", text,
                            stage_halo_plus(e, digit, p->halo->low[axis] + p->offset[axis]));
    }
    return text;
}
