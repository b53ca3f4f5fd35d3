/* Loops over cells on a GPU in tiles: cells that lie side by side, all of a leaf block where it is not too large. A block of lanes
 * goes through a tile together, neighbouring lanes through neighbouring cells; what holds for the tile is computed once:
 *
 *     for (int64_t tile = from; tile < to; tile += step) {
 *         S1pointer *const cell_1 = (S1pointer *)in->entries[tile].cell;
 *         for (uint32_t inside = (uint32_t)snl_lane_thread(); inside < 64; inside += 256) {
 *             const int32_t j_2 = (int32_t)(inside % 8);
 *             const int32_t i_2 = (int32_t)(inside / 8);
 *             cell_1->y_cells[i_2 * 8 + j_2].y = ...
 *
 * Copies of blocks with their halos are made by all lanes in memory that they share (emit_halo.c). */
#include "config.h"

#include "emit/parallel.h"

/* Cells of a tile; fewer are gone through by lanes of their own, several tiles by a block of lanes. */
enum { TILE_LEAST = 64, TILE_MOST = 1024 };

/* Lanes of a block unless the program says otherwise. */
enum { BLOCK_LANES = 256, WARP = 32 };

/* Memory that the lanes of a block share, for reductions; halos take as much again. */
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
    while (level > least && level_size(nest, level - 1) && cells * level_size(nest, level - 1) <= TILE_MOST)
        cells *= level_size(nest, --level);
    return level;
}

void
tile_choose(LoopOut *k)
{
    const Nest *nest = &k->nest;
    int level;
    k->lanes = k->t->block_dim ? k->t->block_dim : BLOCK_LANES;
    while (k->lanes > WARP && k->lanes * reduce_bytes(k->e) > SHARED_BYTES)
        k->lanes /= 2;
    if (k->t->kind != TASK_STRUCT_FOR || !k->t->node)
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

/* Is the digit of the level the user's index, whose arithmetic has 64 bits? */
static bool
is_index(const Emit *e, const Nest *nest, int level)
{
    const Var *v = nest->vars[nest->node[level]->axes[nest->axis_at[level]]];
    return nest->digit[level] == e->var_text[v->id];
}

void
tile_body(LoopOut *k)
{
    Emit *e = k->e;
    Nest *nest = &k->nest;
    const char *inside = name_new(e, "inside"), *rest = inside;
    nest_open_outer(e, nest, nest->count - k->flat);
    if (k->t->halos.count)
        halo_share(e, k->t, nest, k->lanes);
    text_open(e->out, "for (uint32_t %s = (uint32_t)snl_lane_thread(); %s < %lld; %s += %d) {", inside, inside,
              (long long)cells_from(nest, k->flat), inside, k->lanes);
    nest->opened++;
    for (int l = nest->count - 1; l >= k->flat; l--) {
        long long size = (long long)level_size(nest, l);
        const char *d = nest->digit[l] = nest_digit(e, nest, l);
        const char *type = is_index(e, nest, l) ? "int64_t" : "int32_t";
        const char *part = l == k->flat ? rest : arena_printf(e->c->arena, "%s %% %lld", rest, size);
        body_maybe(e, d, arena_printf(e->c->arena, part == inside ? "const %s %s = (%s)%s;" : "const %s %s = (%s)(%s);", type, d, type, part));
        rest = arena_printf(e->c->arena, rest == inside ? "%s / %lld" : "(%s) / %lld", rest, size);
    }
    nest_open(e, nest);
    loop_cell_body(k);
    nest_close(e, nest);
}

static bool
has_field(const Footprints *list, const Field *f)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i].field == f)
            return true;
    return false;
}

bool
tile_only_reads(const Task *t, const Inst *place)
{
    const Inst *root = inst_place_root(place);
    const Effects *did = &t->effects;
    if (root->kind != INST_IN_CELL && root->kind != INST_ROOT_PLACE)
        return false;
    return place->type->kind == TYPE_SCALAR && place->type->scalar != SCALAR_BOOL && place->type->scalar != SCALAR_F16 &&
           !has_field(&did->writes, root->field) && !has_field(&did->accumulates, root->field) && !did->may_activate.count &&
           !did->may_deactivate.count;
}
