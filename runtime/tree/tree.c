/* tree.c - making and ending trees; ambient images; walking to a cell. */
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>

/* True for the nodes whose cells are allocated apart from their container. */
static bool
is_apart(const SnlNode *n)
{
    return n->desc.kind >= SNL_POINTER;
}

/* Product of two counts that are not negative, or -1 if it is too large. */
static int64_t
product(int64_t a, int64_t b)
{
    int64_t result;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &result) ? -1 : result;
}

/* Bytes of a container with the sizes filled in, or -1. */
static int64_t
container_bytes(SnlNode *n)
{
    const SnlNodeDesc *d = &n->desc;
    int64_t bytes;
    switch (d->kind) {
    case SNL_DYNAMIC: return SNL_DYNAMIC_BYTES;
    case SNL_HASH: return SNL_HASH_BYTES;
    default: break;
    }
    bytes = d->kind == SNL_POINTER ? (int64_t)sizeof(void *) : d->cell_bytes;
    bytes = product(d->cell_count, bytes);
    if (d->kind == SNL_DENSE || bytes < 0 || bytes > INT64_MAX / 2)
        return bytes;
    n->mask_offset = (bytes + 7) / 8 * 8;
    n->mask_words = (d->cell_count + 63) / 64;
    return n->mask_offset + n->mask_words * 8;
}

/* Fills in the bits of the indices in the number of a cell. */
static void
init_bits(SnlNode *n)
{
    const SnlNodeDesc *d = &n->desc;
    int bit = 0;
    for (int a = d->axis_count - 1; a >= 0; a--) {
        n->low_bit[a] = bit;
        bit += __builtin_ctzll((uint64_t)d->stored[a]);
    }
    for (int a = 0; a < d->axis_count; a++)
        if (d->stored[a] & (d->stored[a] - 1))
            n->low_bit[0] = -1;
}

/* Fills in the sizes of a node; false if they are not possible. */
static bool
init_sizes(SnlNode *n, const int64_t *sizes)
{
    SnlNodeDesc *d = &n->desc;
    int64_t count = 1;
    for (int a = 0; a < d->axis_count; a++) {
        if (d->sizes[a] == 0)
            d->sizes[a] = d->stored[a] = sizes ? sizes[a] : 0;
        if (d->sizes[a] < 1)
            return false;
        count = product(count, d->stored[a]);
    }
    if (d->kind == SNL_HASH)
        count = count < 0 ? INT64_MAX : count;  /* never addressed by number */
    d->cell_count = count;
    init_bits(n);
    if (d->kind == SNL_DYNAMIC && d->chunk < 1)
        d->chunk = 1;
    d->container_bytes = count < 0 ? -1 : container_bytes(n);
    return d->container_bytes >= 0;
}

const char *
snl_layout_title(const SnlTreeDesc *desc, char *text, size_t room)
{
    if (desc->name)
        snprintf(text, room, "layout '%.100s'", desc->name);
    else if (desc->leaf_count > 0 && desc->leaves[0].field)
        snprintf(text, room, "the layout of field '%.100s'", desc->leaves[0].field);
    else
        snprintf(text, room, "a layout");
    return text;
}

/* Says what is wrong with the sizes of a node. */
static void
fail_sizes(SnlInstance *rt, const SnlTreeDesc *desc, const SnlNodeDesc *d)
{
    char what[160];
    const char *layout = snl_layout_title(desc, what, sizeof what);
    for (int a = 0; a < d->axis_count; a++)
        if (d->sizes[a] < 1) {
            snl_fail(rt, SNL_EINVAL, NULL, 0,
                     "%s: the size of a node must be positive, not %lld", layout,
                     (long long)d->sizes[a]);
            return;
        }
    snl_fail(rt, SNL_EINVAL, NULL, 0, "%s: a node of this size is too large", layout);
}

/* Links a node to its parent and sets what depends on it. */
static void
init_links(SnlTree *tree, int node)
{
    SnlNode *n = &tree->nodes[node], *parent = NULL;
    int *link;
    n->first_child = n->next_sibling = -1;
    if (n->desc.parent >= 0) {
        parent = &tree->nodes[n->desc.parent];
        link = &parent->first_child;
        while (*link >= 0)
            link = &tree->nodes[*link].next_sibling;
        *link = node;
    }
    for (int a = 0; a < SNL_AXES; a++)
        n->extent[a] = parent ? parent->extent[a] : 1;
    n->path_axes = parent ? parent->path_axes : 0;
    for (int a = 0; a < n->desc.axis_count; a++) {
        int axis = n->desc.axes[a];
        int64_t extent = product(n->extent[axis], n->desc.sizes[a]);
        n->extent[axis] = extent < 0 ? INT64_MAX : extent;
        n->path_axes |= 1 << axis;
    }
    n->key_bytes = n->desc.kind == SNL_HASH ? 8 * n->desc.axis_count : 0;
    n->stamp = 1;
    n->touched.count = SNL_TOUCHED + 1;
    snl_store_init(&n->resets, sizeof(SnlReset));
}

/* True if the bytes are all zero. */
static bool
all_zero(const char *bytes, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (bytes[k])
            return false;
    return true;
}

/* Sets flat and zero; children come after their parents, so nodes are visited backwards. */
static void
init_kinds(SnlTree *tree)
{
    for (int node = 0; node < tree->node_count; node++)
        tree->nodes[node].flat = tree->nodes[node].zero = true;
    for (int k = 0; k < tree->desc->leaf_count; k++) {
        const SnlLeafDesc *leaf = &tree->desc->leaves[k];
        int64_t bytes = (int64_t)leaf->count * snl_scalar_bytes(leaf->tag);
        if (leaf->node >= 0 && leaf->ambient && !all_zero((const char *)leaf->ambient, bytes))
            tree->nodes[leaf->node].zero = false;
    }
    for (int node = tree->node_count - 1; node >= 0; node--) {
        const SnlNode *n = &tree->nodes[node];
        SnlNode *parent = n->desc.parent >= 0 ? &tree->nodes[n->desc.parent] : NULL;
        if (!parent)
            continue;
        if (is_apart(n) || !n->flat)
            parent->flat = false;
        if (!is_apart(n) && !n->zero)
            parent->zero = false;
    }
}

/* Writes the ambient values of the fields placed in a node, or in the root cell for -1. */
static void
write_leaves(const SnlTree *tree, int node, char *cell)
{
    for (int k = 0; k < tree->desc->leaf_count; k++) {
        const SnlLeafDesc *leaf = &tree->desc->leaves[k];
        size_t bytes = (size_t)(leaf->count * snl_scalar_bytes(leaf->tag));
        if (leaf->node != node)
            continue;
        if (leaf->ambient)
            memcpy(cell + leaf->offset, leaf->ambient, bytes);
        else
            memset(cell + leaf->offset, 0, bytes);
    }
}

/* Writes a number of ambient cells one after the other. */
static void
write_cells(const SnlNode *n, char *cells, int64_t count)
{
    size_t bytes = (size_t)n->desc.cell_bytes;
    for (int64_t k = 0; k < count; k++)
        memcpy(cells + (size_t)k * bytes, n->ambient, bytes);
}

/* Makes the image of a node whose ambient values are not all zero. */
static bool
make_image(SnlTree *tree, int node)
{
    SnlNode *n = &tree->nodes[node];
    char *image = (char *)snl_memory_get(tree->rt, (size_t)n->desc.cell_bytes);
    if (!image)
        return false;
    n->ambient = image;
    write_leaves(tree, node, image);
    for (int child = n->first_child; child >= 0; child = tree->nodes[child].next_sibling) {
        const SnlNode *c = &tree->nodes[child];
        if (!is_apart(c) && !c->zero)
            write_cells(c, image + c->desc.container_offset, c->desc.cell_count);
    }
    return true;
}

/* Bytes of an element of a pool that holds so many. What one loop uses of each element, such as
 * the same cell of every block, or the ends of lists that grow together, shall not meet in a few
 * sets of the cache; GPUs choose sets otherwise, and read lines that begin where elements of a
 * power of two do. */
static int64_t
spread_bytes(const SnlTree *tree, int64_t bytes)
{
    const bool even = bytes % 512 == 0 && bytes <= 65536;
    return bytes + (even && !tree->rt->gpu ? 64 : 0);
}

/* Makes scratch cell and pools of a node. */
static bool
make_pools(SnlTree *tree, int node)
{
    SnlNode *n = &tree->nodes[node];
    const SnlNodeDesc *d = &n->desc;
    const char *image = n->zero ? NULL : n->ambient;
    int64_t chunk_bytes = d->kind == SNL_DYNAMIC ? d->chunk * d->cell_bytes : 0, block_bytes;
    if (!is_apart(n))
        return true;
    n->scratch = n->flat ? tree->scratch : (char *)snl_memory_idle(tree->rt, (size_t)d->cell_bytes);
    if (!n->scratch)
        return false;
    if (d->kind != SNL_DYNAMIC) {
        snl_pool_init(&n->cells, spread_bytes(tree, n->key_bytes + d->cell_bytes), image,
                      n->key_bytes, d->cell_bytes, n->flat);
        return true;
    }
    if (image) {
        n->chunk_image = (char *)snl_memory_get(tree->rt, (size_t)chunk_bytes);
        if (!n->chunk_image)
            return false;
        write_cells(n, n->chunk_image, d->chunk);
    }
    snl_pool_init(&n->cells, spread_bytes(tree, chunk_bytes), n->chunk_image, 0, chunk_bytes, true);
    block_bytes = (int64_t)sizeof(SnlDynamicBlock)
                  + (d->cell_count + d->chunk - 1) / d->chunk * (int64_t)sizeof(void *);
    /* lists that threads append to shall not share lines of the cache */
    if (block_bytes > 32)
        block_bytes = (block_bytes + 63) / 64 * 64;
    snl_pool_init(&n->blocks, block_bytes, NULL, 0, 0, false);
    return true;
}

/* Makes scratch cell and pools of a node, for its side. */
static bool
make_memory(SnlTree *tree, int node)
{
    if (!make_pools(tree, node))
        return false;
    if (tree->rt->gpu) {
        snl_pool_start_raw(&tree->nodes[node].cells);
        snl_pool_start_raw(&tree->nodes[node].blocks);
    }
    return true;
}

/* Makes the scratch cell that nodes share where nothing hangs below a cell. */
static bool
make_shared_scratch(SnlTree *tree)
{
    for (int node = 0; node < tree->node_count; node++) {
        const SnlNode *n = &tree->nodes[node];
        if (is_apart(n) && n->flat && n->desc.cell_bytes > tree->scratch_bytes)
            tree->scratch_bytes = n->desc.cell_bytes;
    }
    if (tree->scratch_bytes > 0)
        tree->scratch = (char *)snl_memory_idle(tree->rt, (size_t)tree->scratch_bytes);
    return tree->scratch || tree->scratch_bytes == 0;
}

/* Makes the images of all nodes; those of zeros share one. */
static bool
make_images(SnlTree *tree)
{
    for (int k = 0; k < tree->desc->leaf_count; k++) {
        int node = tree->desc->leaves[k].node;
        if (node >= 0 && tree->nodes[node].zero
            && tree->nodes[node].desc.cell_bytes > tree->zeros_bytes)
            tree->zeros_bytes = tree->nodes[node].desc.cell_bytes;
    }
    for (int node = 0; node < tree->node_count; node++) {
        const SnlNode *n = &tree->nodes[node];
        if (n->zero && n->desc.kind != SNL_DENSE && n->desc.cell_bytes > tree->zeros_bytes)
            tree->zeros_bytes = n->desc.cell_bytes;
    }
    tree->zeros = (char *)snl_memory_idle(tree->rt, (size_t)tree->zeros_bytes);
    if (!tree->zeros || !make_shared_scratch(tree))
        return false;
    for (int node = tree->node_count - 1; node >= 0; node--) {
        SnlNode *n = &tree->nodes[node];
        if (n->zero)
            n->ambient = tree->zeros;
        else if (!make_image(tree, node))
            return false;
    }
    for (int node = 0; node < tree->node_count; node++)
        if (!make_memory(tree, node))
            return false;
    return true;
}

/* Arguments of fill_chunk. */
typedef struct {
    const SnlNode *n;
    char *cells;
} Fill;

static void
fill_chunk(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Fill *f = (const Fill *)args;
    (void)chunk;
    write_cells(f->n, f->cells + from * f->n->desc.cell_bytes, to - from);
}

/* Makes the containers at the top and the root cell. */
static bool
make_roots(SnlTree *tree)
{
    if (tree->desc->root_bytes > 0) {
        tree->root_cell =
            (char *)snl_memory_of_loops(tree->rt, (size_t)tree->desc->root_bytes, true);
        if (!tree->root_cell)
            return false;
        write_leaves(tree, -1, tree->root_cell);
    }
    for (int node = 0; node < tree->node_count; node++) {
        SnlNode *n = &tree->nodes[node];
        if (n->desc.parent >= 0)
            continue;
        tree->root[node] =
            (char *)snl_memory_of_loops(tree->rt, (size_t)n->desc.container_bytes, true);
        if (!tree->root[node])
            return false;
        if (!is_apart(n) && !n->zero) {
            Fill fill = { n, tree->root[node] };
            snl_parallel_for(tree->rt, n->desc.cell_count,
                             snl_chunk_count(n->desc.cell_count, 4096), fill_chunk, &fill);
        }
    }
    return true;
}

/* Fills in where the lists of nodes start from. */
static bool
make_paths(SnlTree *tree)
{
    int *at;
    for (int node = 0; node < tree->node_count; node++) {
        SnlNode *n = &tree->nodes[node];
        n->list_ancestor = n->desc.parent;
        for (n->path_length = 1; n->list_ancestor >= 0 && !is_apart(&tree->nodes[n->list_ancestor]);
             n->path_length++)
            n->list_ancestor = tree->nodes[n->list_ancestor].desc.parent;
        tree->path_bytes += (size_t)n->path_length * sizeof *at;
    }
    if (tree->path_bytes == 0)
        return true;
    at = tree->path = (int *)snl_memory_get(tree->rt, tree->path_bytes);
    for (int node = 0; at && node < tree->node_count; node++) {
        SnlNode *n = &tree->nodes[node];
        n->path = at;
        for (int k = n->path_length - 1, up = node; k >= 0; k--, up = tree->nodes[up].desc.parent)
            at[k] = up;
        at += n->path_length;
    }
    return tree->path != NULL;
}

/* Bytes that a tree needs at once, for messages: containers at the top, images, scratch cells. */
static uint64_t
bytes_needed(const SnlTree *tree)
{
    uint64_t bytes = (uint64_t)(tree->desc->root_bytes + tree->zeros_bytes + tree->scratch_bytes);
    for (int node = 0; node < tree->node_count; node++) {
        const SnlNode *n = &tree->nodes[node];
        if (n->desc.parent < 0)
            bytes += (uint64_t)n->desc.container_bytes;
        bytes += (uint64_t)n->desc.cell_bytes * (uint64_t)((is_apart(n) && !n->flat) + !n->zero);
    }
    return bytes;
}

/* Frees a tree that could not be made; records the error unless there is one. */
static snl_status
give_up(SnlTree *tree, const SnlTreeDesc *desc, uint64_t bytes)
{
    SnlInstance *rt = tree->rt;
    char what[160];
    const char *title = snl_layout_title(desc, what, sizeof what);      /* desc may be the tree's */
    snl_tree_destroy(tree);
    if (snl_failed(rt))
        return snl_status_of(rt);
    return snl_fail_memory(rt, title, bytes);
}

snl_status
snl_tree_create(SnlInstance *rt, const SnlTreeDesc *desc, const int64_t *top_sizes, SnlTree **out)
{
    size_t count = (size_t)(desc->node_count > 0 ? desc->node_count : 1);
    SnlTree *tree = (SnlTree *)snl_memory_get(rt, sizeof *tree);
    *out = NULL;
    if (!tree)
        return snl_fail_memory(rt, "a layout", sizeof *tree);
    tree->rt = rt;
    tree->desc = desc;
    rt->finder = snl_find_memory;
    if (rt->gpu && !(tree->own_desc = snl_tree_desc_copy(rt, desc, &tree->desc_bytes)))
        return give_up(tree, desc, 0);
    if (tree->own_desc)
        tree->desc = desc = tree->own_desc;
    snl_layout_title(desc, tree->title, sizeof tree->title);
    tree->stamp = 1;
    tree->root = (char **)snl_memory_get(rt, count * sizeof *tree->root);
    tree->nodes = (SnlNode *)snl_memory_get(rt, count * sizeof *tree->nodes);
    if (rt->gpu)
        tree->known = (SnlKnown *)calloc(count, sizeof *tree->known);
    if (!tree->root || !tree->nodes || (rt->gpu && !tree->known))
        return give_up(tree, desc, count * sizeof *tree->nodes);
    tree->node_count = desc->node_count;
    for (int node = 0; node < desc->node_count; node++) {
        tree->nodes[node].desc = desc->nodes[node];
        if (!init_sizes(&tree->nodes[node], top_sizes ? top_sizes + node * SNL_AXES : NULL)) {
            fail_sizes(rt, desc, &tree->nodes[node].desc);
            tree->node_count = node;
            return give_up(tree, desc, 0);
        }
        init_links(tree, node);
    }
    init_kinds(tree);
    if (!make_paths(tree) || !make_images(tree) || !make_roots(tree))
        return give_up(tree, desc, bytes_needed(tree));
    *out = tree;
    return SNL_OK;
}

/* Releases what a node owns. */
static void
free_node(SnlTree *tree, int node)
{
    SnlInstance *rt = tree->rt;
    SnlNode *n = &tree->nodes[node];
    snl_memory_put(rt, tree->root[node], (size_t)n->desc.container_bytes);
    if (!n->zero && n->ambient)
        snl_memory_put(rt, (void *)(uintptr_t)n->ambient, (size_t)n->desc.cell_bytes);
    if (!n->flat)
        snl_memory_idle_put(rt, n->scratch, (size_t)n->desc.cell_bytes);
    snl_memory_put(rt, n->chunk_image, (size_t)(n->desc.chunk * n->desc.cell_bytes));
    snl_pool_free(rt, &n->cells);
    snl_pool_free(rt, &n->blocks);
    snl_store_free(rt, &n->resets);
    snl_list_free(rt, &n->list);
}

void
snl_tree_destroy(SnlTree *tree)
{
    SnlInstance *rt;
    size_t count;
    if (!tree)
        return;
    rt = tree->rt;
    count = (size_t)(tree->desc->node_count > 0 ? tree->desc->node_count : 1);
    snl_copies_free(rt);
    while (tree->tables)
        snl_hash_table_free(tree, tree->tables);
    for (int node = 0; node < tree->node_count; node++)
        free_node(tree, node);
    snl_memory_idle_put(rt, tree->zeros, (size_t)tree->zeros_bytes);
    snl_memory_idle_put(rt, tree->scratch, (size_t)tree->scratch_bytes);
    snl_memory_put(rt, tree->root_cell, (size_t)tree->desc->root_bytes);
    snl_memory_put(rt, tree->path, tree->path_bytes);
    snl_memory_put(rt, tree->nodes, count * sizeof *tree->nodes);
    snl_memory_put(rt, tree->root, count * sizeof *tree->root);
    while (tree->spare) {
        SnlSpare *spare = tree->spare;
        tree->spare = spare->next;
        snl_memory_put(rt, spare, (size_t)spare->bytes);
    }
    snl_memory_put(rt, (void *)(uintptr_t)tree->own_desc, tree->desc_bytes);
    free(tree->known);
    snl_memory_put(rt, tree, sizeof *tree);
}

/* Gives a tree the description and the names of another, which belong together. */
static void
take_names(SnlTree *tree, const SnlTree *from)
{
    tree->desc = from->desc;
    tree->own_desc = from->own_desc;
    tree->desc_bytes = from->desc_bytes;
    memcpy(tree->title, from->title, sizeof tree->title);
    for (int node = 0; node < tree->node_count; node++) {
        tree->nodes[node].desc.name = tree->desc->nodes[node].name;
        tree->nodes[node].desc.label = tree->desc->nodes[node].label;
    }
}

void
snl_tree_swap(SnlTree *a, SnlTree *b)
{
    const SnlTree kept_a = *a, kept_b = *b;
    *a = kept_b;
    *b = kept_a;
    take_names(a, &kept_a);
    take_names(b, &kept_b);
}
