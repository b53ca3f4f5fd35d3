/* Loops over cells on a GPU in tiles: cells that lie side by side, or all of a leaf block that is
 * not too large. A block of lanes goes through a tile together, and neighbouring lanes take
 * neighbouring cells. What holds for the tile is computed once:
 *
 *     for (int64_t tile = from; tile < to; tile += step) {
 *         S1pointer *const cell_1 = (S1pointer *)in->entries[tile].cell;
 *         for (uint32_t inside = (uint32_t)snl_lane_thread(); inside < 64; inside += 256) {
 *             const int32_t j_2 = (int32_t)(inside % 8);
 *             const int32_t i_2 = (int32_t)(inside / 8);
 *             cell_1->y_cells[i_2 * 8 + j_2].y = ...
 *
 * All lanes copy blocks with their halos to shared memory (stage_halo.c). */
#include "config.h"

#include "emit/loop/parallel.h"

/* Cells of a tile; fewer are gone through by lanes of their own, several tiles by a block of
 * lanes. */
enum { TILE_LEAST = 64, TILE_MOST = 1024 };

/* Cells of a container that is gone through in boxes. */
enum { BOXED_LEAST = 1 << 16 };

/* Lanes of a block unless the program says otherwise. */
enum { BLOCK_LANES = 256, WARP = 32 };

/* Memory that the lanes of a block share, for reductions, of 48 KB that there are: halos take 32 KB
 * at most. Reductions of large matrices have fewer lanes. */
enum { SHARED_BYTES = 16 << 10 };

static int64_t
level_size(const Nest *nest, int level)
{
    return nest->node[level]->sizes[nest->axis_at[level]];
}

/* Cells of the levels from this one on, which all have fixed sizes. */
static int64_t
cells_from(const Nest *nest, int level)
{
    int64_t cells = 1;
    for (int l = level; l < nest->count; l++)
        cells *= level_size(nest, l);
    return cells;
}

/* Levels that have a number of cells. */
static int
fixed_levels(const Nest *nest)
{
    int levels = 0;
    while (levels < nest->count && nest->node[levels]->kind != NODE_DYNAMIC)
        levels++;
    return levels;
}

/* The first level of the tiles: as many levels as fit. */
static int
tile_level(const LoopOut *k)
{
    const Nest *nest = &k->nest;
    int level = nest->count, least = k->listed ? 0 : 1;
    int64_t cells = 1;
    if (k->t->halos.count)
        return nest->count - nest->to->axis_count;
    while (level > least && level_size(nest, level - 1) &&
           cells * level_size(nest, level - 1) <= TILE_MOST)
        cells *= level_size(nest, --level);
    return level;
}

/* Does the loop read fields at its own indices plus constants? */
static bool
reads_neighbours(const Task *t)
{
    for (int i = 0; i < t->effects.reads.count; i++) {
        const Footprint *f = &t->effects.reads.items[i];
        for (int a = 0; a < f->field->axis_count && f->own_index; a++)
            if (f->offset_min[a] || f->offset_max[a])
                return true;
    }
    return false;
}

/* Boxes of a large dense container: what neighbours read is still in the cache of the block then,
 * or in a copy that it shares. */
static bool
choose_boxes(LoopOut *k)
{
    const Nest *nest = &k->nest;
    bool copied = k->t->halos.count && k->t->halos.items[0]->in_box;
    if (!copied && (k->listed || nest->count < 2 || cells_from(nest, 0) < BOXED_LEAST ||
                    !reads_neighbours(k->t)))
        return false;
    if (!node_box(nest->to, k->box)) {
        k->box[0] = 0;
        return false;
    }
    k->tiled = true;
    k->flat = 0;
    return true;
}

void
gpu_tiles_choose(LoopOut *k)
{
    const Nest *nest = &k->nest;
    int level;
    k->lanes = k->t->block_dim ? k->t->block_dim : BLOCK_LANES;
    k->reduction_bytes = reductions_bytes(k->e);
    while (k->lanes > 1 && k->lanes * k->reduction_bytes > SHARED_BYTES)
        k->lanes /= 2;
    if (k->t->kind != TASK_STRUCT_FOR || !k->t->node)
        return;
    if (choose_boxes(k))
        return;
    k->flat = fixed_levels(nest);
    if (k->flat < nest->count)
        return;
    level = tile_level(k);
    int64_t cells = cells_from(nest, level);
    if (!k->t->halos.count && (level == nest->count || cells < TILE_LEAST))
        return;
    k->tiled = true;
    k->flat = level;
    if (!k->t->block_dim && cells < k->lanes)
        k->lanes = (int)(cells + WARP - 1) / WARP * WARP;
}

int64_t
gpu_tiles_cells(const LoopOut *k, int64_t *along)
{
    const Nest *nest = &k->nest;
    int64_t cells = 1;
    for (int a = 0; a < AXIS_MAX; a++)
        along[a] = nest->to ? nest->to->cell_extent[a] : 1;
    const int first =
        cell_loops_of_one_list(k) ? 1 : k->flat; /* a lane goes through one of its cells */
    for (int l = first; k->t->kind == TASK_STRUCT_FOR && l < nest->count; l++) {
        int64_t size = k->box[0] ? k->box[l] : level_size(nest, l);
        if (nest->node[l]->kind == NODE_DYNAMIC || size < 1)
            return -1;
        cells *= size;
        along[nest->node[l]->axes[nest->axis_at[l]]] *= size;
    }
    return cells;
}

/* Is the digit of the level the user's index, whose arithmetic has 64 bits? */
static bool
is_index(const Emit *e, const Nest *nest, int level)
{
    const Var *v = nest->vars[nest->node[level]->axes[nest->axis_at[level]]];
    return nest->digit[level] == e->fn.var_text[v->id];
}

/* Opens the loop of a lane over the cells of the tile. */
static const char *
open_cells(LoopOut *k, int64_t cells)
{
    Emit *e = k->e;
    const char *inside = name_new(e, "inside");
    text_open(e->out, "for (uint32_t %s = (uint32_t)snl_lane_thread(); %s < %lld; %s += %d) {",
              inside, inside, (long long)cells, inside, k->lanes);
    k->nest.opened++;
    return inside;
}

/* The body, in the cell whose digits are known, and what is done when all cells of the block that
 * the nest was at before are through. */
static void
finish_cells(LoopOut *k, const Nest *block)
{
    nest_open(k->e, &k->nest);
    cell_loops_body(k);
    for (; k->nest.opened > block->opened; k->nest.opened--)
        text_close(k->e->out, "}");
    gpu_stage_sums_end(k->e, k->t, block, k->lanes);
    nest_close(k->e, &k->nest);
}

/* ---- boxes ---- */

/* Boxes along a level. */
static int64_t
boxes_along(const LoopOut *k, int level)
{
    return (level_size(&k->nest, level) + k->box[level] - 1) / k->box[level];
}

const char *
gpu_tiles_box_count(LoopOut *k)
{
    const char *text = NULL;
    for (int l = 0; l < k->nest.count && k->box[l]; l++)
        text = arena_printf(k->e->c->arena, text ? "%s * %lld" : "%.0s%lld", text ? text : "",
                            (long long)boxes_along(k, l));
    return text;
}

static void
boxes_body(LoopOut *k)
{
    Emit *e = k->e;
    Arena *a = e->c->arena;
    Nest *nest = &k->nest;
    const char *tile = name_new(e, "tile"), *rest = tile,
               **first = ARENA_ARRAY(a, const char *, AXIS_MAX);
    int64_t cells = 1;
    text_open(e->out,
              "for (uint32_t %s = (uint32_t)from; %s < (uint32_t)to; %s += (uint32_t)step) {", tile,
              tile, tile);
    for (int l = nest->count - 1; l >= 0; l--) {
        const char *count = arena_printf(a, "%lld", (long long)boxes_along(k, l));
        first[l] = name_new(e, arena_printf(a, "first_%c", 'i' + nest->to->axes[nest->axis_at[l]]));
        const char *number = stage_halo_next_index(e, &rest, count, l == 0);
        declarations_maybe(e, first[l],
                   arena_printf(a, "const uint32_t %s = %s * %lld;", first[l], number,
                                (long long)k->box[l]));
        cells *= k->box[l];
    }
    parallel_stop_when_failed(k);
    if (k->t->halos.count)
        stage_halo_share_box(e, k->t, first, k->lanes);
    const Nest block = nest_copy(e, nest);
    const char *part = open_cells(k, cells);
    for (int l = nest->count - 1; l >= 0; l--) {
        long long size = (long long)level_size(nest, l), box = (long long)k->box[l];
        const char *d = nest->digit[l] = nest_digit(e, nest, l);
        const char *number =
            stage_halo_next_index(e, &part, arena_printf(a, "%lld", (long long)box), l == 0);
        text_line(e->out, "const int64_t %s = (int64_t)(%s + %s);", d, first[l], number);
        if (size % box) {
            text_line(e->out, "if (%s >= %lld)", d, size);
            text_line(e->out, "    continue;");
        }
    }
    finish_cells(k, &block);
    text_close(e->out, "}");
}

/* ---- all tiles ---- */

void
gpu_tiles_body(LoopOut *k)
{
    Emit *e = k->e;
    Nest *nest = &k->nest;
    if (k->box[0]) {
        boxes_body(k);
        return;
    }
    nest_open_outer(e, nest, nest->count - k->flat);
    if (k->t->halos.count)
        stage_halo_share(e, k->t, nest, k->lanes);
    const Nest block = nest_copy(e, nest);
    const char *inside = open_cells(k, cells_from(nest, k->flat)), *rest = inside;
    for (int l = nest->count - 1; l >= k->flat; l--) {
        const char *d = nest->digit[l] = nest_digit(e, nest, l),
                   *type = is_index(e, nest, l) ? "int64_t" : "int32_t",
                   *size = arena_printf(e->c->arena, "%lld", (long long)level_size(nest, l));
        const char *part = stage_halo_next_index(e, &rest, size, l == k->flat);
        declarations_maybe(
            e, d,
            arena_printf(e->c->arena,
                         part == inside ? "const %s %s = (%s)%s;" : "const %s %s = (%s)(%s);", type,
                         d, type, part));
    }
    finish_cells(k, &block);
}

bool
gpu_tiles_only_reads(const Task *t, const Inst *place)
{
    const Inst *root = inst_place_root(place);
    const Effects *did = &t->effects;
    if (root->kind != INST_IN_CELL && root->kind != INST_ROOT_PLACE)
        return false;
    return place->type->kind == TYPE_SCALAR && place->type->scalar != SCALAR_BOOL &&
           place->type->scalar != SCALAR_F16 && !task_changes(t, root->field) &&
           !did->may_activate.count && !did->may_deactivate.count;
}
