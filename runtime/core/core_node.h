/* core_node.h - verbs of bitmasked and pointer nodes that are not on the fast path, and resetting
 * cells, on either side; see core.h.
 */
#ifndef SNL_CORE_CORE_NODE_H
#define SNL_CORE_CORE_NODE_H

#include "core_pool.h"
#include "../tree/tree.h"

SNL_CORE void *
snl_node_out_of_memory(SnlTree *tree, int node, uint64_t missing)
{
    const SnlNode *n = &tree->nodes[node];
    const char *name = n->desc.label ? n->desc.label : n->desc.name;
    unsigned long long bytes = (unsigned long long)missing;
    unsigned long long used = (unsigned long long)SNL_LOAD_RELAXED(&tree->rt->bytes_used);
    unsigned long long limit = (unsigned long long)tree->rt->memory_limit;
    if (limit)
        snl_fail(tree->rt, SNL_ENOMEM, NULL, 0,
                 "out of memory: activating a cell of '%s' in %s needs %llu bytes, %llu of the "
                 "limit of %llu are in use", name, tree->title, bytes, used, limit);
    else if (tree->rt->gpu && tree->rt->machine_bytes)
        snl_fail(
            tree->rt, SNL_ENOMEM, NULL, 0,
            "out of memory: activating a cell of '%s' in %s needs %llu bytes, %llu of the %llu "
            "of the GPU are in use",
            name, tree->title, bytes, used, (unsigned long long)tree->rt->machine_bytes);
    else
        snl_fail(tree->rt, SNL_ENOMEM, NULL, 0,
                 "out of memory: activating a cell of '%s' in %s needs %llu bytes, %llu are in use",
                 name, tree->title, bytes, used);
    return n->scratch;
}

/* Has an error come up? It may not be told yet, by the thread that writes it down. */
SNL_FN bool
is_failing(const SnlInstance *rt)
{
    return SNL_SPLIT(SNL_LOAD_RELAXED(&rt->notes->taken), SNL_LOAD_RELAXED(&rt->error.taken)) != 0;
}

/* Is it part of a scratch cell of a node above, since memory could not be had for the cell that it
 * should be in? What is made for it would not be found again. */
SNL_FN bool
is_scratch(const SnlTree *tree, int node, const void *part)
{
    if (!is_failing(tree->rt))
        return false;
    for (int up = tree->nodes[node].desc.parent; up >= 0; up = tree->nodes[up].desc.parent) {
        const SnlNode *n = &tree->nodes[up];
        if (n->scratch &&
            (uintptr_t)part - (uintptr_t)n->scratch < (uintptr_t)n->desc.cell_bytes)
            return true;
    }
    return false;
}

/* Says that memory waits for the collector. */
SNL_FN void
set_pending(SnlTree *tree)
{
    if (!SNL_LOAD_RELAXED(&tree->pending))
        SNL_STORE_RELAXED(&tree->pending, 1);
}

/* Does no other thread change the tree now? Then memory is published without atomics, which wait
 * for all that was written to it. */
SNL_FN bool
is_alone(const SnlTree *tree)
{
    (void)tree;
    return SNL_SPLIT(false, snl_alone(tree->rt));
}

/* Puts an element of a node aside. */
SNL_FN void
recycle(SnlTree *tree, SnlPool *pool, void *element)
{
    pool_recycle_one(tree->rt, pool, element, is_alone(tree));
    set_pending(tree);
}

/* Elements of a node that are put aside together; on a GPU lanes do so one by one, which meet. */
typedef struct {
    SnlTree *tree;
    SnlPool *pool;
#ifndef SNL_GPU
    int count;
    void *elements[512];
#endif
} Aside;

/* Puts aside what is left; called after the last. */
SNL_FN void
aside_end(Aside *a)
{
#ifdef SNL_GPU
    (void)a;
#else
    if (a->count == 0)
        return;
    snl_pool_recycle(a->tree->rt, a->pool, a->elements, a->count);
    set_pending(a->tree);
    a->count = 0;
#endif
}

SNL_FN void
aside_put(Aside *a, void *element)
{
#ifdef SNL_GPU
    recycle(a->tree, a->pool, element);
#else
    if (a->count == sizeof a->elements / sizeof *a->elements)
        aside_end(a);
    a->elements[a->count++] = element;
#endif
}

/* Starts with none; the elements are not initialised. */
SNL_FN void
aside_begin(Aside *a, SnlTree *tree, SnlPool *pool)
{
    a->tree = tree;
    a->pool = pool;
#ifndef SNL_GPU
    a->count = 0;
#endif
}

/* ---- bitmasked ---- */

/* Notes that the collection has to reset a cell again; in one of the newest notes, if that is of
 * the same word. */
SNL_FN void
note_reset(SnlTree *tree, SnlStore *resets, void *container, int64_t cell)
{
    enum { NEWEST = 4 };        /* about as many threads take turns */
    int64_t count = SNL_LOAD_RELAXED(&resets->count), index;
    SnlReset *note = NULL;
    for (int64_t k = count - 1; !note && k >= 0 && k >= count - NEWEST; k--) {
        SnlReset *r = snl_reset_note(resets, k);
        if (r && SNL_LOAD(&r->container) == container && r->word == cell >> 6)
            note = r;
    }
    if (!note) {
        index = snl_store_reserve(tree->rt, resets, 1);
        if (index < 0)
            return;
        note = (SnlReset *)snl_store_at(resets, index);
        note->word = cell >> 6;
        SNL_STORE(&note->container, container);
    }
    SNL_OR(&note->bits, (uint64_t)1 << (cell & 63));
}

SNL_CORE void
snl_bitmasked_deactivate(SnlTree *tree, int node, void *container, int64_t cell)
{
    SnlNode *n = &tree->nodes[node];
    uint64_t *word = &snl_bitmasked_mask(tree, node, container)[cell >> 6];
    uint64_t bit = (uint64_t)1 << (cell & 63);
    if (!(SNL_LOAD(word) & bit) || !(SNL_AND(word, ~bit) & bit))
        return;
    snl_node_changed(n);
    snl_cell_reset(tree, node, (char *)container + cell * n->desc.cell_bytes);
    if (tree->rt->threads > 1 || tree->rt->gpu) {   /* another thread may be about to write to it */
        note_reset(tree, &n->resets, container, cell);
        set_pending(tree);
    }
}

/* Empties a word of a mask; gives its bits. */
SNL_FN uint64_t
take_bits(uint64_t *word, bool shared)
{
    uint64_t bits = SNL_LOAD(word);
    if (bits && shared)
        return SNL_EXCHANGE(word, (uint64_t)0);
    if (bits)
        *word = 0;
    return bits;
}

/* Deactivates the cells of a word of the mask; gives those that were active. */
SNL_FN uint64_t
take_word(SnlTree *tree, int node, void *container, int64_t word)
{
    uint64_t bits = take_bits(&snl_bitmasked_mask(tree, node, container)[word], true);
    if (bits)
        snl_node_changed(&tree->nodes[node]);
    return bits;
}

/* ---- pointer ---- */

/* Notes that cells of a pointer container come or go, for the list of the node. */
SNL_FN void
note_touched(SnlNode *n, void *container)
{
    SnlTouched *t = &n->touched;
    int count = SNL_LOAD_RELAXED(&t->count);
    if (count > SNL_TOUCHED ||
        (count > 0 && SNL_LOAD_RELAXED(&t->container[count - 1]) == container))
        return;
    count = SNL_ADD(&t->count, 1);
    if (count < SNL_TOUCHED)
        SNL_STORE_RELAXED(&t->container[count], container);
}

/* Publishes an element that was taken for an empty slot; gives what is there then. */
SNL_FN void *
slot_publish(SnlTree *tree, int node, SnlPool *p, void **slot, void *made)
{
    void *found = NULL;
    if (is_alone(tree)) {
        *slot = made;
    } else if (!SNL_CAS(slot, &found, made)) {
        snl_pool_untake(tree->rt, p, made);
        return found;
    }
    snl_node_changed(&tree->nodes[node]);
    return made;
}

#ifdef SNL_GPU
/* The lock of a slot. */
SNL_ON_GPU static inline int *
maker_of(SnlTree *tree, void **slot)
{
    const uint64_t hash = (uint64_t)(uintptr_t)slot * 0x9e3779b97f4a7c15u;
    return &tree->makers[(hash >> 32) % SNL_MAKERS];
}

/* On a GPU one lane makes the element for all that want one in the same slot: lanes of a warp agree
 * on it, and of those of other warps one has the lock, while the rest look whether it is there. One
 * lane takes from the pool for all of the warp, and all set what was taken to the image. */
SNL_ON_GPU static inline void *
slot_make_together(SnlTree *tree, int node, SnlPool *p, void **slot)
{
    const uint32_t pool = snl_warp_match(snl_warp_active(), (uint64_t)(uintptr_t)p);
    const uint32_t same = snl_warp_match(pool, (uint64_t)(uintptr_t)slot);
    const int first = snl_warp_first(same);
    int *const lock = maker_of(tree, slot);
    bool wants = snl_warp_lane() == first;
    void *made = NULL;
    while (snl_warp_vote(pool, wants)) {
        bool takes = false;
        void *taken;
        made = wants ? SNL_LOAD(slot) : made;
        wants = wants && !made;
        if (wants && SNL_LOAD_RELAXED(lock) == 0 && snl_try_lock(lock)) {
            made = SNL_LOAD(slot);      /* by who had the lock before */
            takes = !made;
            wants = false;
            if (made)
                snl_unlock(lock);
        }
        taken = take_together(p, pool, snl_warp_vote(pool, takes));
        if (takes) {
            made = taken ? slot_publish(tree, node, p, slot, taken) : NULL;
            snl_unlock(lock);
        }
    }
    snl_warp_meet(same);        /* its first values are there */
    return (void *)(uintptr_t)snl_warp_get(same, (uint64_t)(uintptr_t)made, first);
}
#endif

/* The same for a thread of the CPU. */
SNL_FN void *
slot_make_alone(SnlTree *tree, int node, SnlPool *p, void **slot)
{
    void *const made = snl_pool_take(tree->rt, p);
    return made ? slot_publish(tree, node, p, slot, made) : NULL;
}

/* The element of a slot that was empty, or NULL without memory, which is recorded. */
SNL_FN void *
slot_make(SnlTree *tree, int node, SnlPool *p, void **slot)
{
    void *const made = SNL_SPLIT(slot_make_together(tree, node, p, slot),
                                 slot_make_alone(tree, node, p, slot));
    if (!made)
        snl_node_out_of_memory(tree, node, snl_pool_block_bytes(p));
    return made;
}

SNL_CORE void *
snl_pointer_make(SnlTree *tree, int node, void **slot)
{
    SnlNode *n = &tree->nodes[node];
    void *const made = slot_make(tree, node, &n->cells, slot);
    return made ? made : n->scratch;
}

SNL_CORE void *
snl_pointer_fill(SnlTree *tree, int node, void *container, int64_t cell)
{
    SnlNode *n = &tree->nodes[node];
    uint64_t *word = &snl_node_mask(n, container)[cell >> 6];
    const uint64_t bit = (uint64_t)1 << (cell & 63);
    void *made;
    if (is_scratch(tree, node, container))
        return n->scratch;
    made = snl_pointer_make(tree, node, &((void **)container)[cell]);
    note_touched(n, container);
    if (made == n->scratch)
        return made;
    if (is_alone(tree))
        *word |= bit;
    else
        SNL_OR(word, bit);
    return made;
}

/* Empties a slot; gives what it had, or NULL. */
SNL_FN void *
take_slot(void **slot, bool shared)
{
    void *element;
    if (shared)
        return SNL_EXCHANGE(slot, (void *)NULL);
    element = *slot;
    *slot = NULL;
    return element;
}

SNL_CORE void
snl_pointer_deactivate(SnlTree *tree, int node, void *container, int64_t cell)
{
    SnlNode *n = &tree->nodes[node];
    void **slot = &((void **)container)[cell];
    uint64_t *word = &snl_node_mask(n, container)[cell >> 6];
    const uint64_t others = ~((uint64_t)1 << (cell & 63));
    const bool alone = is_alone(tree);
    void *taken;
    if (!SNL_LOAD(slot))
        return;
    if (alone)
        *word &= others;
    else
        SNL_AND(word, others);
    taken = take_slot(slot, !alone);
    if (!taken)
        return;
    snl_node_changed(n);
    note_touched(n, container);
    recycle(tree, &n->cells, taken);
}

/* Deactivates the cells from ... to-1 of a pointer container, which other threads may change too if
 * it is `shared`; from is a multiple of 64. */
#ifdef SNL_GPU
SNL_FN void
pointer_clear(SnlTree *tree, int node, void *container, int64_t from, int64_t to, bool shared)
{
    uint64_t *mask = snl_node_mask(&tree->nodes[node], container);
    (void)shared;
    for (int64_t w = from / 64; w * 64 < to; w++)
        for (uint64_t bits = SNL_LOAD(&mask[w]); bits; bits &= bits - 1)
            snl_pointer_deactivate(tree, node, container, w * 64 + snl_bits_ctz(bits));
}
#else
SNL_FN void
pointer_clear(SnlTree *tree, int node, void *container, int64_t from, int64_t to, bool shared)
{
    SnlNode *n = &tree->nodes[node];
    void **slots = (void **)container;
    uint64_t *mask = snl_node_mask(n, container);
    bool any = false;
    Aside aside;
    aside_begin(&aside, tree, &n->cells);
    for (int64_t w = from / 64; w * 64 < to; w++)
        for (uint64_t bits = take_bits(&mask[w], shared); bits; bits &= bits - 1) {
            void *taken = take_slot(&slots[w * 64 + snl_bits_ctz(bits)], shared);
            if (taken)
                aside_put(&aside, taken);
            any = true;
        }
    if (any) {
        snl_node_changed(n);
        note_touched(n, container);
    }
    aside_end(&aside);
}
#endif

/* ---- all kinds ---- */

/* How many containers of a node lie in the memory of a container of one above it, where what is
 * allocated apart has to be recycled; 0 where they lie elsewhere. */
SNL_FN int64_t
inner_count(const SnlTree *tree, int node, int above)
{
    int64_t count = 1;
    for (int up = tree->nodes[node].desc.parent; up >= above; up = tree->nodes[up].desc.parent) {
        const SnlNode *n = &tree->nodes[up];
        if (n->flat || n->desc.kind > SNL_BITMASKED)
            return 0;
        count *= n->desc.cell_count;
        if (up == above)
            return count;
    }
    return 0;
}

/* One of them. */
SNL_FN char *
inner_container(const SnlTree *tree, int node, int above, char *container, int64_t number)
{
    for (int up; node != above; node = up) {
        const SnlNodeDesc *d;
        up = tree->nodes[node].desc.parent;
        d = &tree->nodes[up].desc;
        container +=
            tree->nodes[node].desc.container_offset + number % d->cell_count * d->cell_bytes;
        number /= d->cell_count;
    }
    return container;
}

/* Sets a cell to ambient, but for the containers below it where something is allocated apart from
 * them. */
SNL_FN void
reset_own(SnlTree *tree, int node, void *cell)
{
    const SnlNode *n = &tree->nodes[node];
    const SnlTreeDesc *desc = tree->desc;
    if (n->flat && n->zero)
        snl_bytes_zero(cell, (size_t)n->desc.cell_bytes);
    else if (n->flat)
        snl_bytes_copy(cell, n->ambient, (size_t)n->desc.cell_bytes);
    for (int k = 0; !n->flat && k < desc->leaf_count; k++) {
        const SnlLeafDesc *leaf = &desc->leaves[k];
        if (leaf->node == node)
            snl_bytes_copy((char *)cell + leaf->offset, n->ambient + leaf->offset,
                           (size_t)(leaf->count * snl_scalar_bytes(leaf->tag)));
    }
}

/* Empties a container, but for the containers below its cells where something is allocated apart
 * from them. */
SNL_FN void
clear_own(SnlTree *tree, int node, void *container)
{
    const SnlNode *n = &tree->nodes[node];
    const SnlNodeDesc *d = &n->desc;
    switch (d->kind) {
    case SNL_DENSE:
        if (n->flat && n->zero)
            snl_bytes_zero(container, (size_t)d->container_bytes);
        else
            for (int64_t cell = 0; cell < d->cell_count; cell++)
                reset_own(tree, node, (char *)container + cell * d->cell_bytes);
        break;
    case SNL_BITMASKED:
        for (int64_t w = 0; w * 64 < d->cell_count; w++)
            for (uint64_t bits = take_word(tree, node, container, w); bits; bits &= bits - 1)
                reset_own(tree, node,
                          (char *)container + (w * 64 + snl_bits_ctz(bits)) * d->cell_bytes);
        break;
    case SNL_POINTER: pointer_clear(tree, node, container, 0, d->cell_count, true); break;
    case SNL_DYNAMIC: snl_dynamic_deactivate(tree, node, container); break;
    default: snl_hash_clear(tree, node, container); break;
    }
}

/* Empties a container and all that lies in its cells: nodes below others come first. Cells that are
 * not active are emptied too: lanes may be activating what lies in them. */
SNL_FN void
clear_with_inner(SnlTree *tree, int node, char *container)
{
    for (int inner = tree->nodes[node].flat ? node : tree->node_count - 1; inner > node; inner--) {
        int64_t count = inner_count(tree, inner, node);
        for (int64_t k = 0; k < count; k++)
            clear_own(tree, inner, inner_container(tree, inner, node, container, k));
    }
    clear_own(tree, node, container);
}

SNL_CORE_ONCE void
snl_cell_reset(SnlTree *tree, int node, void *cell)
{
    const SnlNode *n = &tree->nodes[node];
    reset_own(tree, node, cell);
    for (int child = n->flat ? -1 : n->first_child; child >= 0;
         child = tree->nodes[child].next_sibling)
        clear_with_inner(tree, child, (char *)cell + tree->nodes[child].desc.container_offset);
}

SNL_CORE_ONCE void
snl_container_clear_part(SnlTree *tree, int node, void *container, int64_t from, int64_t to)
{
    const SnlNodeDesc *d = &tree->nodes[node].desc;
    if (d->kind == SNL_POINTER) {
        pointer_clear(tree, node, container, from, to, false);
        return;
    }
    for (int64_t w = from / 64; w * 64 < to; w++)
        for (uint64_t bits = take_word(tree, node, container, w); bits; bits &= bits - 1)
            snl_cell_reset(tree, node,
                           (char *)container + (w * 64 + snl_bits_ctz(bits)) * d->cell_bytes);
}

SNL_CORE_ONCE void
snl_container_clear(SnlTree *tree, int node, void *container)
{
    const SnlNodeDesc *d = &tree->nodes[node].desc;
    if (d->kind == SNL_BITMASKED)
        snl_container_clear_part(tree, node, container, 0, d->cell_count);
    else
        clear_with_inner(tree, node, (char *)container);
}

#endif
