/* tree_gpu.c - what the CPU does for trees that a GPU works on: there is no memory to be had there. */
#include "tree.h"

/* Bytes of spare memory for each cell, which may need a table of its own, and at least. */
enum { SPARE_CELL = 384, SPARE_LEAST = 1 << 20 };

enum { LANES_MOST = 1 << 18, RESETS_MOST = 1 << 20 };

/* Memory of one block, handed out in parts; with at NULL they are only counted. */
typedef struct {
    char *at;
    size_t bytes;
} Part;

static void *
part(Part *p, const void *from, size_t bytes)
{
    char *to = p->at;
    size_t whole = (bytes + 7) / 8 * 8;
    if (!from)
        return NULL;
    p->bytes += whole;
    if (!to)
        return NULL;
    memcpy(to, from, bytes);
    p->at += whole;
    return to;
}

static char *
part_text(Part *p, const char *s)
{
    return (char *)part(p, s, s ? strlen(s) + 1 : 0);
}

/* Copies a description into the part, or counts its bytes. */
static SnlTreeDesc *
copy_desc(Part *p, const SnlTreeDesc *desc)
{
    SnlTreeDesc *d = (SnlTreeDesc *)part(p, desc, sizeof *desc);
    SnlNodeDesc *nodes = (SnlNodeDesc *)part(p, desc->nodes, (size_t)desc->node_count * sizeof *nodes);
    SnlLeafDesc *leaves = (SnlLeafDesc *)part(p, desc->leaves, (size_t)desc->leaf_count * sizeof *leaves);
    char *name = part_text(p, desc->name);
    for (int k = 0; k < desc->node_count; k++) {
        char *node = part_text(p, desc->nodes[k].name), *label = part_text(p, desc->nodes[k].label);
        if (nodes) {
            nodes[k].name = node;
            nodes[k].label = label;
        }
    }
    for (int k = 0; k < desc->leaf_count; k++) {
        const SnlLeafDesc *l = &desc->leaves[k];
        char *field = part_text(p, l->field);
        void *ambient = part(p, l->ambient, (size_t)(l->count * snl_scalar_bytes(l->tag)));
        if (leaves) {
            leaves[k].field = field;
            leaves[k].ambient = ambient;
        }
    }
    if (d) {
        d->name = name;
        d->nodes = nodes;
        d->leaves = leaves;
    }
    return d;
}

SnlTreeDesc *
snl_tree_desc_copy(SnlInstance *rt, const SnlTreeDesc *desc, size_t *bytes)
{
    Part p = { NULL, 0 };
    copy_desc(&p, desc);
    *bytes = p.bytes;
    p.at = (char *)snl_memory_get(rt, p.bytes);
    if (!p.at) {
        snl_fail_memory(rt, "a layout", p.bytes);
        return NULL;
    }
    return copy_desc(&p, desc);
}

/* The product, or INT64_MAX where it is larger. */
static int64_t
capped(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* How many cells of a node there can be. */
static int64_t
possible_cells(const SnlTree *tree, int node)
{
    int64_t count = 1;
    for (; node >= 0; node = tree->nodes[node].desc.parent)
        for (int a = 0; a < tree->nodes[node].desc.axis_count; a++)
            count = capped(count, tree->nodes[node].desc.sizes[a]);
    return count;
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What one pool may take of the memory that is left. */
static int64_t
affordable(const SnlTree *tree, const SnlPool *p)
{
    const SnlInstance *rt = tree->rt;
    uint64_t limit = rt->machine_bytes ? rt->machine_bytes : (uint64_t)1 << 36;
    if (rt->memory_limit && (rt->memory_limit < limit || !rt->machine_bytes))
        limit = rt->memory_limit;
    uint64_t left = limit > rt->bytes_used ? limit - rt->bytes_used : 0;
    return (int64_t)(left / (uint64_t)(2 * tree->node_count)) / p->element_bytes + 1;
}

/* Memory for so many elements, and for those that lanes take at once for one place: all but one of these wait for the
 * collector.  False if there is none at all. */
static bool
reserve(SnlTree *tree, SnlPool *p, int64_t count, int64_t activations)
{
    int64_t lost = least(activations, LANES_MOST);
    int64_t want = count > INT64_MAX - lost ? INT64_MAX : count + lost;
    snl_pool_reserve(tree->rt, p, least(want, affordable(tree, p)));
    return want == 0 || p->free_count > 0 || p->fresh < snl_pool_elements(p);
}

/* Spare memory for tables of hash nodes below others; false without. */
static bool
make_spare(SnlTree *tree, int64_t want)
{
    SnlSpare *spare = tree->spare;
    if (spare && spare->bytes - spare->used >= want)
        return true;
    spare = (SnlSpare *)snl_memory_raw(tree->rt, (size_t)want);
    if (!spare)
        return false;
    *spare = (SnlSpare){ tree->spare, want, SNL_SPARE_HEAD, 0 };
    tree->spare = spare;
    return true;
}

/* Makes the memory for the tables of a hash node, of which there may be one in each cell of its parent; that at the top has
 * room at once.  Where memory is short, less will often do; false if there is hardly any. */
static bool
prepare_tables(SnlTree *tree, int node, int64_t activations)
{
    int64_t want = SPARE_LEAST + capped(least(activations, affordable(tree, &tree->nodes[node].cells)), SPARE_CELL);
    bool made = false;
    for (; !made && want > SPARE_CELL; want /= 2)
        made = tree->nodes[node].desc.parent < 0
               ? snl_hash_make_room(tree, node, (SnlHash *)(void *)tree->root[node], want / SPARE_CELL)
               : make_spare(tree, want);
    return made;
}

int64_t
snl_tree_most(const SnlTree *tree, int node)
{
    const SnlNode *n = &tree->nodes[node];
    int64_t cells = possible_cells(tree, node);
    switch (n->desc.kind) {
    case SNL_POINTER:
    case SNL_HASH: return least(cells, snl_pool_elements(&n->cells));
    case SNL_DYNAMIC: return least(cells, capped(snl_pool_elements(&n->cells), n->desc.chunk));
    default:
        return n->desc.parent < 0 ? cells
                                  : least(cells, capped(snl_tree_most(tree, n->desc.parent), n->desc.cell_count));
    }
}

void
snl_tree_room(SnlTree *tree)
{
    if (!tree)
        return;
    for (int node = 0; node < tree->node_count; node++) {
        SnlNode *n = &tree->nodes[node];
        if (n->desc.kind == SNL_BITMASKED)
            snl_store_room(tree->rt, &n->resets, least(possible_cells(tree, node), RESETS_MOST));
    }
}

/* Makes the memory to activate cells of a node; false if there is hardly any. */
static bool
prepare_node(SnlTree *tree, int node, int64_t activations)
{
    SnlNode *n = &tree->nodes[node];
    int64_t cells = possible_cells(tree, node), lists, chunks;
    bool made = true;
    switch (n->desc.kind) {
    case SNL_DENSE:
    case SNL_BITMASKED: return true;
    case SNL_POINTER: return reserve(tree, &n->cells, least(cells, activations), activations);
    case SNL_DYNAMIC:
        lists = cells / n->desc.sizes[0];
        chunks = (n->desc.sizes[0] + n->desc.chunk - 1) / n->desc.chunk;
        made = reserve(tree, &n->blocks, least(lists, activations), activations);
        return reserve(tree, &n->cells, least(capped(lists, chunks), capped(activations, chunks)), activations) && made;
    default:
        made = prepare_tables(tree, node, least(cells, activations));
        return reserve(tree, &n->cells, least(cells, activations), activations) && made;
    }
}

void
snl_tree_prepare(SnlTree *tree, int64_t activations)
{
    bool made = false;
    if (!tree)
        return;
    snl_hash_tables_drop(tree);
    for (int attempt = 0; !made && attempt < 2; attempt++) {
        if (attempt > 0) {
            tree->pending = 1;
            snl_tree_gc(tree);
            snl_find_memory(tree->rt, NULL);
        }
        made = true;
        for (int node = 0; node < tree->node_count; node++)
            made = prepare_node(tree, node, activations) && made;
    }
    snl_tree_room(tree);
}
