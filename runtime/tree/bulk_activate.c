/* bulk_activate.c - activates bitmasked cells because cells of another tree are active. */
#include "../core/core.h"
#include "tree.h"

/* Nodes of two trees of one shape, and the blocks that the second one has. */
typedef struct {
    SnlTree *tree;
    const SnlTree *like;
    int node, like_node;
    const SnlListEntry *entries;
} Twins;

static void
activate_words(const Twins *t, void *container, const uint64_t *like, int64_t from, int64_t to)
{
    SnlNode *n = &t->tree->nodes[t->node];
    uint64_t *mask = snl_bitmasked_mask(t->tree, t->node, container);
    for (int64_t w = from; w < to; w++)
        if (like[w] & ~SNL_LOAD(&mask[w])) {
            SNL_OR(&mask[w], like[w]);
            snl_node_changed(n);
        }
}

/* The container in the cell of the same indices as that of a list, which is activated; without
 * memory any other, and the error is recorded. */
static void *
container_at(const Twins *t, const SnlListEntry *entry)
{
    const SnlNode *n = &t->tree->nodes[t->node], *above = &t->tree->nodes[n->desc.parent];
    int64_t coord[SNL_AXES], cell = 0;
    if (above->desc.parent < 0 && above->desc.kind == SNL_POINTER) {
        for (int k = 0; k < above->desc.axis_count; k++)
            cell = cell * above->desc.stored[k] + entry->coord[above->desc.axes[k]];
        return (char *)snl_pointer_activate(t->tree, n->desc.parent,
                                            t->tree->root[n->desc.parent], cell) +
               n->desc.container_offset;
    }
    memcpy(coord, entry->coord, sizeof coord);
    for (int k = 0; k < n->desc.axis_count; k++)
        coord[n->desc.axes[k]] *= n->desc.sizes[k];
    return snl_container_at(t->tree, t->node, coord, SNL_ACTIVATE);
}

static void
activate_blocks(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Twins *t = (const Twins *)args;
    const SnlNode *like = &t->like->nodes[t->like_node];
    (void)chunk;
    for (int64_t e = from; e < to && !snl_failed(t->tree->rt); e++) {
        const uint64_t *mask = snl_bitmasked_mask(t->like, t->like_node,
                                                  t->entries[e].cell + like->desc.container_offset);
        uint64_t any = 0;
        for (int64_t w = 0; w < like->mask_words; w++)
            any |= mask[w];
        void *container = any ? container_at(t, &t->entries[e]) : NULL;
        if (container && !snl_failed(t->tree->rt))
            activate_words(t, container, mask, 0, like->mask_words);
    }
}

static void
activate_top(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Twins *t = (const Twins *)args;
    (void)chunk;
    const uint64_t *mask = snl_bitmasked_mask(t->like, t->like_node, t->like->root[t->like_node]);
    activate_words(t, t->tree->root[t->node], mask, from, to);
}

void
snl_tree_activate_as(SnlTree *tree, int node, SnlTree *like, int like_node)
{
    enum { BLOCKS_LEAST = 512, WORDS_LEAST = 16384 };
    Twins t = { tree, like, node, like_node, NULL };
    const int above = like->nodes[like_node].desc.parent;
    if (above < 0) {
        const int64_t words = like->nodes[like_node].mask_words;
        snl_parallel_for(tree->rt, words, snl_chunk_count(words, WORDS_LEAST), activate_top, &t);
        return;
    }
    const SnlList *list = snl_tree_list(like, above);
    t.entries = list->entries;
    snl_parallel_for(tree->rt, list->count, snl_chunk_count(list->count, BLOCKS_LEAST),
                     activate_blocks, &t);
}
