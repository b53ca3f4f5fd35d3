/* core_listgen.h - going through the active cells of a node, on either side; see core.h.
 *
 * The cells of a node are found from those of its nearest ancestor whose cells are allocated one by
 * one (pointer, hash, dynamic), or from the root. Only dense and bitmasked nodes lie between the
 * two, and they are walked. An item of work is a cell of the ancestor, or a slice of its first
 * container where there are few. Items stand in order of memory. listgen.c and gpu_tree.h make
 * lists with it. Nothing here calls itself, and tables of coordinates are read and written by
 * axis_get and axis_set, so a lane of a GPU needs no memory of its own.
 */
#ifndef SNL_CORE_CORE_LISTGEN_H
#define SNL_CORE_CORE_LISTGEN_H

/* Words are looked at together; not where threads are watched: others may change one meanwhile, of
 * which it is enough to know it before or after. */
#if defined __SSE2__ && defined __GNUC__ && !defined SNL_GPU && !defined __SANITIZE_THREAD__
#define SNL_WORDS_TOGETHER
#include <emmintrin.h>
#endif

#include "parallel.h"
#include "../tree/tree.h"

typedef enum { SNL_COUNT, SNL_FILL, SNL_CLEAR } SnlGatherMode;

/* How the coordinates of a cell of a node come about, where sizes are powers of two: by axis of the
 * path, size * coordinate of the cell above + some bits of the cell's number. */
typedef struct {
    int count;                  /* of axes; 0: sizes are others */
    int axis[SNL_AXES];
    int low[SNL_AXES];
    int64_t mask[SNL_AXES], size[SNL_AXES];
} SnlDigits;

/* What the threads work on. */
typedef struct {
    SnlTree *tree;
    const int *path;            /* nodes below the ancestor, down to the one that is listed */
    int length;
    const SnlListEntry *parents;        /* cells of the ancestor, or NULL for the root */
    int64_t slices;             /* of the first container of each */
    int64_t unit;               /* cells of it that stay together: a word of the mask, or 1 */
    int64_t *counts;            /* by item; before filling, the index of its first entry */
    SnlListEntry *entries;
    bool pointers;              /* the first container is a pointer one, and thus the last */
    SnlDigits digits;           /* of the node that is listed, where it is a pointer one */
    SnlGatherMode mode;
} SnlGather;

#ifdef SNL_GPU
/* There a small table lies in registers, which have no numbers to compute with. */
SNL_ON_GPU static inline int64_t
axis_pick(const int64_t *coord, int axis)
{
    int64_t found = 0;
    SNL_UNROLL
    for (int a = 0; a < SNL_AXES; a++)
        found = a == axis ? coord[a] : found;
    return found;
}

SNL_ON_GPU static inline void
axis_put(int64_t *coord, int axis, int64_t value)
{
    SNL_UNROLL
    for (int a = 0; a < SNL_AXES; a++)
        coord[a] = a == axis ? value : coord[a];
}
#endif

/* The coordinate along an axis, from a table of a function. */
SNL_FN int64_t
axis_get(const int64_t *coord, int axis)
{
    return SNL_SPLIT(axis_pick(coord, axis), coord[axis]);
}

SNL_FN void
axis_set(int64_t *coord, int axis, int64_t value)
{
    SNL_SPLIT(axis_put(coord, axis, value), (void)(coord[axis] = value));
}

/* Coordinates of the first cell of a container from those of the cell it lies in. */
SNL_FN void
first_coord(const SnlNode *n, const int64_t *parent, int64_t *coord)
{
    const SnlNodeDesc *d = &n->desc;
    snl_coord_copy(coord, parent);
    for (int a = 0; a < d->axis_count; a++)
        axis_set(coord, d->axes[a], axis_get(coord, d->axes[a]) * d->sizes[a]);
}

/* The index along the a-th axis of a cell by its number, of which the axes before it are left. */
SNL_FN int64_t
take_index(const SnlNode *n, int a, int64_t *cell)
{
    const SnlNodeDesc *d = &n->desc;
    int64_t index;
    if (n->low_bit[0] >= 0)
        return *cell >> n->low_bit[a] & (d->stored[a] - 1);
    index = *cell % d->stored[a];
    *cell /= d->stored[a];
    return index;
}

/* Coordinates of a cell from those of the first; false for padding. */
SNL_FN bool
cell_coord(const SnlNode *n, int64_t cell, const int64_t *first, int64_t *coord)
{
    const SnlNodeDesc *d = &n->desc;
    snl_coord_copy(coord, first);
    for (int a = d->axis_count - 1; a >= 0; a--) {
        int64_t index = take_index(n, a, &cell);
        if (index >= d->sizes[a])
            return false;
        axis_set(coord, d->axes[a], axis_get(coord, d->axes[a]) + index);
    }
    return true;
}

/* Coordinates of a cell in place of those of the cell that its container lies in; false for
 * padding. */
SNL_FN bool
step_coord(const SnlNode *n, int64_t cell, int64_t *coord)
{
    const SnlNodeDesc *d = &n->desc;
    for (int a = d->axis_count - 1; a >= 0; a--) {
        int64_t index = take_index(n, a, &cell);
        if (index >= d->sizes[a])
            return false;
        axis_set(coord, d->axes[a], axis_get(coord, d->axes[a]) * d->sizes[a] + index);
    }
    return true;
}

/* Fills in the digits of a node. */
SNL_FN void
init_digits(const SnlNode *n, SnlDigits *d)
{
    memset(d, 0, sizeof *d);
    for (int axis = 0; n->low_bit[0] >= 0 && axis < SNL_AXES; axis++) {
        if (!(n->path_axes >> axis & 1))
            continue;
        d->axis[d->count] = axis;
        d->size[d->count] = 1;
        for (int a = 0; a < n->desc.axis_count; a++)
            if (n->desc.axes[a] == axis) {
                d->low[d->count] = n->low_bit[a];
                d->mask[d->count] = n->desc.stored[a] - 1;
                d->size[d->count] = n->desc.sizes[a];
            }
        d->count++;
    }
}

/* The functions below go through active cells and give their number. Where out is not NULL, their
 * entries are written, at most `room` of them: other iterations of a loop may activate cells
 * between the counting and the writing.
 *
 * Cells from ... to-1 of the table of a hash container.  On the CPU they are put in order of their
 * indices as stored, which coord holds until then.  On a GPU the whole list is sorted later. */
SNL_FN int64_t
hash_entries(SnlInstance *rt, const SnlNode *n, void *container, const int64_t *parent,
             int64_t from, int64_t to, SnlListEntry *out, int64_t room)
{
    const SnlHashTable *table = SNL_LOAD_MEANWHILE(&((const SnlHash *)container)->table);
    const SnlNodeDesc *d = &n->desc;
    int64_t count = 0;
    if (!table)
        return 0;
    if (!out && from == 0 && to >= table->capacity)
        return snl_hash_live(table);
    to = to < table->capacity ? to : table->capacity;
    for (int64_t k = from; k < to; k += SNL_HASH_STRIP) {
        char *elements[SNL_HASH_STRIP];
        int64_t found = snl_hash_elements(table, k, snl_smaller(k + SNL_HASH_STRIP, to), elements);
        if (out)
            found = snl_smaller(found, room - count);
        for (int e = 0; out && e < found; e++)
            SNL_SPLIT((void)0, SNL_PREFETCH(elements[e], 0, 3));
        for (int e = 0; out && e < found; e++) {
            SnlListEntry *entry = &out[count + e];
            *entry = (SnlListEntry){ 0 };
            for (int a = 0; a < d->axis_count; a++)
                axis_set(entry->coord, a, ((const int64_t *)(const void *)elements[e])[a]);
            entry->cell = elements[e] + n->key_bytes;
        }
        count += found;
    }
    if (out)
        SNL_SPLIT((void)0, snl_entries_sort(rt, out, count, d->axis_count));
    for (int64_t k = 0; out && k < count; k++) {
        int64_t coord[SNL_AXES];
        snl_coord_copy(coord, parent);
        for (int a = 0; a < d->axis_count; a++)
            axis_set(coord, d->axes[a],
                     axis_get(parent, d->axes[a]) * d->sizes[a] + out[k].coord[a]);
        snl_coord_copy(out[k].coord, coord);
    }
    return count;
}

/* Writes the entry of a cell, where out is not NULL, from the coordinates of the first of its
 * container; false for padding. */
SNL_FN bool
put_entry(const SnlNode *n, int64_t cell, const int64_t *first, char *at, SnlListEntry *out)
{
    int64_t coord[SNL_AXES];
    if (!cell_coord(n, cell, first, coord))
        return false;
    if (out) {
        out->cell = at;
        snl_coord_copy(out->coord, coord);
    }
    return true;
}

/* Cells from ... to-1 of a dynamic container. */
SNL_FN int64_t
dynamic_entries(const SnlNode *n, void *container, const int64_t *parent, int64_t from, int64_t to,
                SnlListEntry *out, int64_t room)
{
    const SnlDynamicBlock *block = SNL_LOAD_MEANWHILE(&((const SnlDynamic *)container)->block);
    const SnlNodeDesc *d = &n->desc;
    int64_t first[SNL_AXES], count = 0;
    if (!block)
        return 0;
    to = snl_smaller(to, SNL_LOAD_RELAXED_MEANWHILE(&block->length));
    first_coord(n, parent, first);
    for (int64_t k = from; k < to && count < room; k++) {
        char *chunk = (char *)SNL_LOAD_RELAXED_MEANWHILE(&block->chunks[k / d->chunk]);
        if (!chunk) {
            k = (k / d->chunk + 1) * d->chunk - 1;      /* memory could not be had */
            continue;
        }
        if (out)
            put_entry(n, k, first, chunk + k % d->chunk * d->cell_bytes, &out[count]);
        count++;
    }
    return count;
}

/* The end of all places of a container: cells, or entries of a table, in whose place a larger one
 * may come before they are gone through. */
SNL_FN int64_t
places_end(const SnlNode *n)
{
    return n->desc.kind == SNL_HASH ? INT64_MAX : n->desc.cell_count;
}

/* Places of a container that nobody changes meanwhile. */
SNL_FN int64_t
places_in(const SnlNode *n, const char *container)
{
    const bool is_hash = n->desc.kind == SNL_HASH;
    const SnlHashTable *table = is_hash ? ((const SnlHash *)(const void *)container)->table : NULL;
    return table ? table->capacity : is_hash ? 0 : n->desc.cell_count;
}

/* Mask words that are looked at together. */
enum { SNL_WORDS = 8 };

/* Those of SNL_WORDS mask words that are not zero: bit 2 * w for word w. */
SNL_FN unsigned
used_words(const uint64_t *mask)
{
    unsigned used = 0;
#ifdef SNL_WORDS_TOGETHER
    const __m128i *at = (const __m128i *)(const void *)mask, none = _mm_setzero_si128();
    __m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(none, _mm_loadu_si128(at)),
                                  _mm_cmpeq_epi32(none, _mm_loadu_si128(at + 1)));
    __m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(none, _mm_loadu_si128(at + 2)),
                                   _mm_cmpeq_epi32(none, _mm_loadu_si128(at + 3)));
    used = ~(unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
    return (used | used >> 1) & 0x5555;
#else
    SNL_UNROLL
    for (int w = 0; w < SNL_WORDS; w++)
        used |= (unsigned)(SNL_LOAD_RELAXED_MEANWHILE(&mask[w]) != 0) << 2 * w;
    return used;
#endif
}

/* The cells of a pointer container in the mask words from ... to-1; first[] is of the first
 * cell. */
SNL_FN int64_t
pointer_walk(const SnlNode *n, char *container, const int64_t *first, int64_t from, int64_t to,
             SnlListEntry *out, int64_t room)
{
    char *const *slots = (char *const *)(void *)container;
    const uint64_t *mask = snl_node_mask(n, container);
    int64_t count = 0;
    for (int64_t w = from; w < to; w++)
        for (uint64_t bits = SNL_LOAD_RELAXED_MEANWHILE(&mask[w]); bits; bits &= bits - 1) {
            const int64_t k = w * 64 + snl_bits_ctz(bits);
            char *const cell = SNL_LOAD_RELAXED_MEANWHILE(&slots[k]);
            if (!cell)
                continue;
            if (out && count == room)
                return count;
            if (out)
                put_entry(n, k, first, cell, &out[count]);
            count++;
        }
    return count;
}

/* Writes the entries of the cells in a word of a mask by their digits, which are along so many
 * axes; number is that of the word's first cell, first[] is of the container's. Of an entry only
 * the axes of the path are written then: the others stay zero. Where `late`, cells are not looked
 * up: entries get their slots. Gives where the next entry goes. */
SNL_INLINE SnlListEntry *
pointer_word(const SnlDigits *d, int axes, char *const *slots, const int64_t *first, uint64_t bits,
             int64_t number, bool late, SnlListEntry *out)
{
    for (; bits; bits &= bits - 1) {
        const int64_t k = number + snl_bits_ctz(bits);
        char *cell = late ? (char *)(uintptr_t)&slots[k] : SNL_LOAD_RELAXED_MEANWHILE(&slots[k]);
        if (late)
            SNL_PREFETCH(cell, 0, 3);
        if (!cell)
            continue;
        out->cell = cell;
        SNL_UNROLL
        for (int a = 0; a < axes; a++)
            out->coord[d->axis[a]] = first[a] + (k >> d->low[a] & d->mask[a]);
        out++;
    }
    return out;
}

/* The same for the words from ... to-1. */
SNL_INLINE SnlListEntry *
pointer_words(const SnlDigits *d, int axes, char *const *slots, const int64_t *first,
              const uint64_t *mask, int64_t from, int64_t to, bool late, SnlListEntry *out)
{
    int64_t word = from;
    for (; word + SNL_WORDS <= to; word += SNL_WORDS)
        for (unsigned used = used_words(mask + word); used; used &= used - 1) {
            const int64_t w = word + snl_bits_ctz(used) / 2;
            const uint64_t bits = SNL_LOAD_RELAXED_MEANWHILE(&mask[w]);
            out = pointer_word(d, axes, slots, first, bits, w * 64, late, out);
        }
    for (; word < to; word++) {
        const uint64_t bits = SNL_LOAD_RELAXED_MEANWHILE(&mask[word]);
        out = pointer_word(d, axes, slots, first, bits, word * 64, late, out);
    }
    return out;
}

/* Cells from ... to-1 of a pointer container, which is always the last; from is a multiple of
 * 64. */
SNL_FN int64_t
pointer_entries(const SnlNode *n, const SnlDigits *d, char *container, const int64_t *parent,
                int64_t from, int64_t to, SnlListEntry *out, int64_t room)
{
    const int axes = SNL_SPLIT(0, d->count);    /* a GPU's tables are none for registers */
    int64_t first[SNL_AXES];
    first_coord(n, parent, first);
    if (!out || axes == 0 || room < to - from)
        return pointer_walk(n, container, first, from / 64, (to + 63) / 64, out, room);
    for (int a = 0; a < axes; a++)
        first[a] = parent[d->axis[a]] * d->size[a];
    return pointer_words(d, axes, (char *const *)(void *)container, first,
                         snl_node_mask(n, container), from / 64, (to + 63) / 64, false, out) -
           out;
}

/* Active cells from ... to-1 of a bitmasked container; from is a multiple of 64. */
SNL_FN int64_t
bitmasked_entries(const SnlNode *n, char *container, const int64_t *parent, int64_t from,
                  int64_t to, SnlListEntry *out, int64_t room)
{
    const uint64_t *mask = snl_node_mask(n, container);
    int64_t first[SNL_AXES], count = 0;
    first_coord(n, parent, first);
    for (int64_t w = from / 64; !out && w * 64 < to; w++)
        count += snl_bits_popcount(SNL_LOAD_RELAXED_MEANWHILE(&mask[w]));
    for (int64_t w = from / 64; out && w * 64 < to; w++)
        for (uint64_t bits = SNL_LOAD_RELAXED_MEANWHILE(&mask[w]); bits && count < room;
             bits &= bits - 1) {
            int64_t cell = w * 64 + snl_bits_ctz(bits);
            count += put_entry(n, cell, first, container + cell * n->desc.cell_bytes, &out[count]);
        }
    return count;
}

/* Cells from ... to-1 of a dense container. */
SNL_FN int64_t
dense_entries(const SnlNode *n, char *container, const int64_t *parent, int64_t from, int64_t to,
              SnlListEntry *out, int64_t room)
{
    int64_t first[SNL_AXES], count = 0;
    first_coord(n, parent, first);
    for (int64_t cell = from; cell < to && count < room; cell++)
        count += put_entry(n, cell, first, container + cell * n->desc.cell_bytes,
                           out ? &out[count] : NULL);
    return count;
}

/* Cells from ... to-1 of a container of the node that is listed. */
SNL_FN int64_t
list_container(const SnlGather *g, char *container, const int64_t *parent, int64_t from, int64_t to,
               SnlListEntry *out, int64_t room, bool clear)
{
    int node = g->path[g->length - 1];
    const SnlNode *n = &g->tree->nodes[node];
    if (clear) {
        if (n->desc.kind == SNL_BITMASKED || n->desc.kind == SNL_POINTER)
            snl_container_clear_part(g->tree, node, container, from, to);
        else
            snl_container_clear(g->tree, node, container);
        return 0;
    }
    switch (n->desc.kind) {
    case SNL_HASH: return hash_entries(g->tree->rt, n, container, parent, from, to, out, room);
    case SNL_DYNAMIC: return dynamic_entries(n, container, parent, from, to, out, room);
    case SNL_POINTER: return pointer_entries(n, &g->digits, container, parent, from, to, out, room);
    case SNL_BITMASKED: return bitmasked_entries(n, container, parent, from, to, out, room);
    default: return dense_entries(n, container, parent, from, to, out, room);
    }
}

/* Cells of a bitmasked container that are not active, from one of them on, as far as one word
 * tells. */
SNL_FN int64_t
inactive_from(const SnlNode *n, char *container, int64_t cell)
{
    const uint64_t *word = &snl_node_mask(n, container)[cell / 64];
    uint64_t bits = SNL_LOAD_RELAXED_MEANWHILE(word) >> cell % 64;
    int64_t left = n->desc.cell_count - cell, found = bits ? snl_bits_ctz(bits) : 64 - cell % 64;
    return found < left ? found : left;
}

/* The container of the node that is listed, by its number among those in a container of the first
 * node, and the coordinates of the cell it lies in; each cell of the first has so many. NULL in
 * cells that are not active: *number is that of the next to be looked at. */
SNL_FN char *
inner_at(const SnlGather *g, char *container, int64_t each, int64_t *number, int64_t *coord)
{
    int64_t rest = *number;
    for (int level = 0; level < g->length - 1; level++) {
        const SnlNode *n = &g->tree->nodes[g->path[level]],
                      *below = &g->tree->nodes[g->path[level + 1]];
        int64_t cell = each > 1 ? rest / each : rest, skipped = 0;
        rest -= cell * each;
        if (n->desc.kind == SNL_BITMASKED)
            skipped = inactive_from(n, container, cell);
        if (skipped || !step_coord(n, cell, coord)) {
            *number += (skipped ? skipped : 1) * each - rest;
            return NULL;
        }
        container += cell * n->desc.cell_bytes + below->desc.container_offset;
        if (each > 1)
            each /= below->desc.cell_count;
    }
    return container;
}

/* The same for the containers of the node in the cells from ... to-1 of a container of the first
 * node. */
SNL_FN int64_t
list_inner(const SnlGather *g, char *container, const int64_t *parent, int64_t from, int64_t to,
           SnlListEntry *out, int64_t room, bool clear)
{
    const SnlNode *last = &g->tree->nodes[g->path[g->length - 1]];
    int64_t count = 0, each = 1;
    for (int level = 1; level < g->length - 1; level++)
        each *= g->tree->nodes[g->path[level]].desc.cell_count;
    for (int64_t number = from * each; number < to * each;) {
        int64_t coord[SNL_AXES];
        char *inner;
        snl_coord_copy(coord, parent);
        inner = inner_at(g, container, each, &number, coord);
        if (!inner)
            continue;
        count += list_container(g, inner, coord, 0, places_end(last),
                                out ? out + count : NULL, room - count, clear);
        number++;
    }
    return count;
}

/* The container that an item lies in. */
SNL_FN char *
item_container(const SnlGather *g, int64_t slices, int64_t item)
{
    if (!g->parents)
        return g->tree->root[g->path[0]];
    return g->parents[slices == 1 ? item : item / slices].cell +
           g->tree->nodes[g->path[0]].desc.container_offset;
}

/* Goes through an item of so many slices a container, or empties what would be listed. */
SNL_FN int64_t
gather_item(const SnlGather *g, int64_t slices, int64_t item, SnlListEntry *out, int64_t room,
            bool clear)
{
    char *container = item_container(g, slices, item);
    const SnlNode *first = &g->tree->nodes[g->path[0]];
    int64_t from = 0, to = places_end(first), coord[SNL_AXES] = { 0 };
    if (g->parents)
        snl_coord_copy(coord, g->parents[slices == 1 ? item : item / slices].coord);
    if (slices > 1) {
        const int64_t places = places_in(first, container),
                      units = (places + g->unit - 1) / g->unit;
        from = snl_chunk_start(units, slices, item % slices) * g->unit;
        to = snl_chunk_start(units, slices, item % slices + 1) * g->unit;
        to = to < places ? to : places;
    }
    return g->length > 1 ? list_inner(g, container, coord, from, to, out, room, clear)
                         : list_container(g, container, coord, from, to, out, room, clear);
}

/* Stamp of the last change on the path of a node. */
SNL_FN int64_t
path_stamp(SnlTree *tree, int node)
{
    int64_t stamp = 0;
    for (; node >= 0; node = tree->nodes[node].desc.parent) {
        SnlNode *n = &tree->nodes[node];
        if (n->changed) {
            n->changed = 0;
            n->stamp = ++tree->stamp;
        }
        if (n->stamp > stamp)
            stamp = n->stamp;
    }
    return stamp;
}

/* What a node is listed by; parents and slices are filled in by the caller. */
SNL_FN void
gather_init(SnlTree *tree, int node, SnlGather *g)
{
    const SnlNode *n = &tree->nodes[node];
    memset(g, 0, sizeof *g);
    g->tree = tree;
    g->path = n->path;
    g->length = n->path_length;
    g->slices = 1;
    g->unit = 64;
    g->pointers = tree->nodes[n->path[0]].desc.kind == SNL_POINTER;
    if (n->desc.kind == SNL_POINTER)
        init_digits(n, &g->digits);
}

#endif
