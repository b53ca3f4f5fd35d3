/* block_cache.c - copies of blocks with the cells after them; see block_cache.h. */
#include "block_cache.h"

#include <string.h>

enum { CORNERS = 1 << SNL_PATCH_AXES };

/* ---- parts of a patch: each lies in one block, beyond the first along a set of axes ---- */

typedef struct {
    int64_t block;              /* its number, -1: it would lie outside of the tree */
    int64_t from[SNL_PATCH_AXES], to[SNL_PATCH_AXES];   /* cells of the patch */
} Part;

/* False where the patch has no such part. */
static bool
find_part(const SnlPatch *p, int corner, Part *part)
{
    int64_t rest = p->block, stride = 1;
    part->block = p->block;
    for (int axis = SNL_PATCH_AXES - 1; axis >= 0; axis--) {
        const bool beyond = corner >> axis & 1;
        const int64_t at = rest % p->blocks[axis];
        part->from[axis] = beyond ? p->size[axis] : 0;
        part->to[axis] = beyond ? p->extent[axis] : p->size[axis];
        if (part->from[axis] >= part->to[axis])
            return false;
        if (beyond && part->block >= 0)
            part->block = at + 1 < p->blocks[axis] ? part->block + stride : -1;
        rest /= p->blocks[axis];
        stride *= p->blocks[axis];
    }
    return true;
}

/* What is done with rows of a part: those of the patch are the copy. */
typedef void Move(const SnlPatch *p, const SnlRows *r);

static void
move_part(const SnlPatch *p, const Part *part, char *container, Move *move)
{
    const int64_t bytes = p->tree->nodes[p->node].desc.cell_bytes;
    SnlRows r = {.rows = part->to[1] - part->from[1],
                 .bytes = (part->to[2] - part->from[2]) * bytes,
                 .array_step = p->size[2] * bytes,
                 .copy_step = p->extent[2] * bytes};
    for (int64_t i = part->from[0]; i < part->to[0]; i++) {
        r.copy = p->cells + (i * p->extent[1] + part->from[1]) * r.copy_step +
                 part->from[2] * bytes;
        r.array = container + (i % p->size[0] * p->size[1] + part->from[1] % p->size[1]) *
                                  r.array_step;
        move(p, &r);
    }
}

/* ---- reading ---- */

static void
copy_rows(const SnlPatch *p, const SnlRows *r)
{
    (void)p;
    for (int64_t n = 0; n < r->rows; n++)
        memcpy(r->copy + n * r->copy_step, r->array + n * r->array_step, (size_t)r->bytes);
}

static void
fill(const SnlPatch *p)
{
    const SnlNodeDesc *n = &p->tree->nodes[p->node].desc;
    Part part;
    for (int corner = 0; corner < CORNERS; corner++) {
        if (!find_part(p, corner, &part))
            continue;
        const char *cell =
            part.block < 0
                ? p->tree->nodes[n->parent].ambient
                : (const char *)snl_pointer_lookup(p->tree, n->parent, p->slots, part.block);
        move_part(p, &part, (char *)(uintptr_t)cell + n->container_offset, copy_rows);
    }
}

/* ---- sums ---- */

static void
add_rows(const SnlPatch *p, const SnlRows *r)
{
    snl_scatter_add(p->tag, p->apart || snl_alone(p->tree->rt), r);
}

/* The sets of axes along which iterations went on to other blocks, as a bit set; nothing is noted
 * after it. */
static unsigned
take_sets(SnlPatch *p)
{
    unsigned sets = 0;
    for (int64_t i = 0; i < p->size[0]; i++)
        for (int64_t j = 0; j < p->size[1]; j++) {
            char *row = p->firsts + (i * p->extent[1] + j) * p->extent[2];
            for (int64_t k = 0; k < p->size[2]; k++)
                if (row[k])
                    sets |= 1u << ((i + p->extent[0] >= 2 * p->size[0]) |
                                   (j + p->extent[1] >= 2 * p->size[1]) << 1 |
                                   (k + p->extent[2] >= 2 * p->size[2]) << 2);
            memset(row, 0, (size_t)p->size[2]);
        }
    return sets;
}

/* Is the part in one of the sets? */
static bool
is_reached(unsigned sets, int corner)
{
    for (int set = 0; set < CORNERS; set++)
        if (sets >> set & 1 && (set & corner) == corner)
            return true;
    return false;
}

/* The patch is neutral after it. */
static void
give_sums(SnlPatch *p)
{
    const SnlNodeDesc *n = &p->tree->nodes[p->node].desc;
    const unsigned sets = take_sets(p);
    Part part;
    for (int corner = 0; corner < CORNERS; corner++) {
        if (!is_reached(sets, corner) || !find_part(p, corner, &part) || part.block < 0)
            continue;
        char *cell = (char *)snl_scatter_cell(p->apart, p->array, p->tree, n->parent, p->slots,
                                              part.block);
        move_part(p, &part, cell + n->container_offset, add_rows);
    }
}

/* ---- both ---- */

SnlPatch
snl_patch_begin(SnlTree *tree, int node, void **slots, const int64_t *extent, void *cells)
{
    SnlPatch p = {-1, -1, 0, tree, node, slots, (char *)cells,
                  {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, NULL, NULL, 0, 0};
    const SnlNodeDesc *n = &tree->nodes[node].desc;
    const int first = SNL_PATCH_AXES - n->axis_count;
    for (int k = 0; k < n->axis_count; k++) {
        p.size[first + k] = n->stored[k];
        p.extent[first + k] = extent[k];
        p.blocks[first + k] = tree->nodes[n->parent].desc.stored[k];
    }
    return p;
}

void
snl_patch_sums(SnlPatch *p, const SnlScatter *apart, int array, int tag, char *firsts)
{
    p->firsts = firsts;
    p->apart = apart;
    p->array = array;
    p->tag = tag;
}

/* Before the first sum: loops of few iterations never get there. */
static void
begin_sums(SnlPatch *p)
{
    const int64_t count = p->extent[0] * p->extent[1] * p->extent[2];
    memset(p->firsts, 0, (size_t)count);
    snl_scatter_make_neutral(p->tag, p->cells, count * p->tree->nodes[p->node].desc.cell_bytes);
}

bool
snl_patch_elsewhere(SnlPatch *p, int64_t block)
{
    if (block != p->next) {
        p->next = block;
        p->times = 0;
    }
    if (++p->times < SNL_PATCH_PATIENCE || block < 0 ||
        block >= p->tree->nodes[p->tree->nodes[p->node].desc.parent].desc.cell_count)
        return false;
    if (p->firsts && p->block < 0)
        begin_sums(p);
    snl_patch_end(p);
    p->block = block;
    p->times = 0;
    if (!p->firsts)
        fill(p);
    return true;
}

void
snl_patch_end(SnlPatch *p)
{
    if (p->firsts && p->block >= 0)
        give_sums(p);
}
