/* privatize.c - sums that several threads add up in the same places of an array. */
#include "privatize.h"

#include "../math/snl_atomic.h"
#include "../math/snl_math.h"

#include <string.h>

/* A copy is made where it has at most so many elements for each addition, and so many bytes. */
enum { ELEMENTS_MOST = 8, MEGABYTES_MOST = 1024 };

/* Elements that are looked at together: those that nothing was added to are only read. */
enum { GROUP = 64, GROUPS_LEAST = 64 };

/* Blocks that are made at a time; loops that are run without after one that had few additions for
 * each block. */
enum { BLOCKS = 16, REST = 15 };

/* ---- neutral elements ---- */

static uint32_t
neutral_32(int tag)
{
    return tag == SNL_F32 ? UINT32_C(1) << 31 : 0;
}

static uint64_t
neutral_64(int tag)
{
    return tag == SNL_F64 ? UINT64_C(1) << 63 : 0;
}

void
snl_scatter_make_neutral(int tag, void *copy, int64_t bytes)
{
    uint32_t *four = (uint32_t *)copy;
    uint64_t *eight = (uint64_t *)copy;
    if (snl_scalar_bytes(tag) == 4)
        for (int64_t k = 0; k < bytes / 4; k++)
            four[k] = neutral_32(tag);
    else
        for (int64_t k = 0; k < bytes / 8; k++)
            eight[k] = neutral_64(tag);
}

/* The same for new memory, which is zeroed. */
static void
make_new_neutral(void *copy, int64_t bytes, int tag)
{
    if (snl_scalar_is_float(tag))
        snl_scatter_make_neutral(tag, copy, bytes);
}

/* ---- joining ---- */

/* Adds `count` elements of a copy to the array and makes them neutral; elements that nothing was
 * added to keep their bits. */
#define ADD_COPY(S, T, U) \
    static void add_copy_##S(T *array, T *copy, int64_t count, U neutral) \
    { \
        U differ = 0; \
        for (int64_t k = 0; k < count; k++) { \
            U bits; \
            memcpy(&bits, &copy[k], sizeof bits); \
            differ |= bits ^ neutral; \
        } \
        if (!differ) \
            return; \
        for (int64_t k = 0; k < count; k++) { \
            U bits; \
            T sum = snl_add_##S(array[k], copy[k]); \
            memcpy(&bits, &copy[k], sizeof bits); \
            array[k] = bits == neutral ? array[k] : sum; \
            memcpy(&copy[k], &neutral, sizeof neutral); \
        } \
    }
ADD_COPY(f32, float, uint32_t)
ADD_COPY(f64, double, uint64_t)
ADD_COPY(u32, uint32_t, uint32_t)
ADD_COPY(u64, uint64_t, uint64_t)

/* What the threads of a join share. */
typedef struct {
    const SnlScatterArray *array;
    SnlCopies *copies;
    int threads;
} Join;

/* Adds up to a group of elements of a copy. */
static void
add_group(int tag, char *array, char *copy, int64_t count)
{
    switch (tag) {
    case SNL_F32: add_copy_f32((float *)array, (float *)copy, count, neutral_32(SNL_F32)); break;
    case SNL_F64: add_copy_f64((double *)array, (double *)copy, count, neutral_64(SNL_F64)); break;
    case SNL_I32: case SNL_U32: add_copy_u32((uint32_t *)array, (uint32_t *)copy, count, 0); break;
    default: add_copy_u64((uint64_t *)array, (uint64_t *)copy, count, 0); break;
    }
}

/* Joins the groups from ... to-1. */
static void
join_groups(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Join *j = (const Join *)args;
    const int size = snl_scalar_bytes(j->array->tag);
    const int64_t all = j->array->bytes / size;
    (void)chunk;
    for (int64_t group = from; group < to; group++)
        for (int t = 1; t < j->threads; t++) {
            int64_t first = group * GROUP, count = all - first < GROUP ? all - first : GROUP;
            if (j->copies->used[t])
                add_group(j->array->tag, (char *)j->array->array + first * size,
                          (char *)j->copies->of[t] + first * size, count);
        }
}

/* Joins the blocks from ... to-1 of thread number `threads`. */
static void
join_blocks(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const Join *j = (const Join *)args;
    const SnlScatterArray *a = j->array;
    const SnlScatterBlocks *b = j->copies->blocks[j->threads];
    const int64_t bytes = j->copies->block_bytes, group = GROUP * snl_scalar_bytes(a->tag);
    (void)chunk;
    for (int64_t n = from; n < to; n++) {
        char *copy = (char *)b->blocks[n],
             *cell = (char *)snl_pointer_activate(a->tree, a->node, a->array, b->cells[n]);
        for (int64_t at = 0; at < bytes; at += group)
            add_group(a->tag, cell + at, copy + at,
                      (bytes - at < group ? bytes - at : group) / snl_scalar_bytes(a->tag));
        ((void **)j->copies->of[j->threads])[b->cells[n]] = NULL;
    }
}

static void
join_array(SnlInstance *rt, Join *j)
{
    for (int t = 1; t < SNL_CHUNKS_MAX; t++)
        if (j->copies->used[t])
            j->threads = t + 1;
    int64_t elements = j->array->bytes / snl_scalar_bytes(j->array->tag);
    int64_t groups = j->threads ? (elements + GROUP - 1) / GROUP : 0;
    snl_parallel_for_named(rt, 0, groups, snl_chunk_count(groups, GROUPS_LEAST), join_groups, j,
                           "join");
}

static void
join_array_in_blocks(SnlInstance *rt, const SnlScatter *s, Join *j)
{
    double elements = 0;
    for (int t = 1; t < SNL_CHUNKS_MAX; t++) {
        SnlScatterBlocks *b = j->copies->blocks[t];
        if (!b || !b->used)
            continue;
        j->threads = t;
        snl_parallel_for_named(rt, 0, b->used, snl_chunk_count(b->used, 1), join_blocks, j, "join");
        elements +=
            (double)b->used * (double)j->copies->block_bytes / snl_scalar_bytes(j->array->tag);
        b->used = 0;
    }
    if (elements > ELEMENTS_MOST * s->additions)
        j->copies->rest = REST;
}

void
snl_scatter_end(SnlInstance *rt, SnlScatter *s)
{
    if (!s)
        return;
    for (int k = 0; k < s->count; k++) {
        Join join = { &s->arrays[k], s->copies[k], 0 };
        if (s->copies[k]->block_bytes)
            join_array_in_blocks(rt, s, &join);
        else
            join_array(rt, &join);
        memset(s->copies[k]->used, 0, sizeof s->copies[k]->used);
        s->copies[k]->taken = false;
    }
    s->count = 0;
    s->taken = false;
}

/* ---- rows ---- */

/* Adds rows of elements and makes them neutral; one that is neutral leaves the sum as it is. */
#define ADD_ROWS(S, T, neutral) \
    static void add_rows_##S(bool alone, const SnlRows *r) \
    { \
        const T none = neutral; \
        for (int64_t n = 0; n < r->rows; n++) { \
            T *SNL_RESTRICT const array = (T *)(r->array + n * r->array_step); \
            T *SNL_RESTRICT const copy = (T *)(r->copy + n * r->copy_step); \
            const int64_t count = r->bytes / (int64_t)sizeof(T); \
            for (int64_t k = 0; alone && k < count; k++) { \
                array[k] = snl_add_##S(array[k], copy[k]); \
                copy[k] = none; \
            } \
            for (int64_t k = 0; !alone && k < count; k++) { \
                if (memcmp(&copy[k], &none, sizeof none)) \
                    (void)snl_atomic_add_##S(&array[k], copy[k]); \
                copy[k] = none; \
            } \
        } \
    }
ADD_ROWS(f32, float, -0.0f)
ADD_ROWS(f64, double, -0.0)
ADD_ROWS(u32, uint32_t, 0)
ADD_ROWS(u64, uint64_t, 0)

void
snl_scatter_add(int tag, bool alone, const SnlRows *r)
{
    switch (tag) {
    case SNL_F32: add_rows_f32(alone, r); break;
    case SNL_F64: add_rows_f64(alone, r); break;
    case SNL_I32: case SNL_U32: add_rows_u32(alone, r); break;
    default: add_rows_u64(alone, r); break;
    }
}

/* ---- copies ---- */

static const SnlNodeDesc *
desc_of(const SnlScatterArray *a)
{
    return &a->tree->nodes[a->node].desc;
}

/* What a thread may need for its copy at most; in blocks: if it adds to all of them. */
static double
most_bytes(const SnlScatterArray *a)
{
    return a->tree ? (double)desc_of(a)->cell_count *
                         (double)(desc_of(a)->cell_bytes + (int64_t)sizeof(void *))
                   : (double)a->bytes;
}

/* Memory of a copy, all neutral, or NULL. */
static void *
make_copy(SnlInstance *rt, SnlCopies *c, int thread)
{
    if (c->block_bytes && !c->blocks[thread]) {
        c->blocks[thread] = (SnlScatterBlocks *)snl_memory_get(rt, sizeof *c->blocks[thread]);
        if (!c->blocks[thread])
            return NULL;
    }
    void *copy = snl_memory_get(rt, (size_t)c->bytes);
    if (copy && !c->block_bytes)
        make_new_neutral(copy, c->bytes, c->tag);
    return copy;
}

/* Copies of an array of this kind that no loop has, or NULL. */
static SnlCopies *
take_copies(SnlInstance *rt, SnlScatter *s, const SnlScatterArray *a)
{
    SnlCopies *c = s->all;
    const int64_t bytes = a->tree ? desc_of(a)->cell_count * (int64_t)sizeof(void *) : a->bytes;
    const int64_t block_bytes = a->tree ? desc_of(a)->cell_bytes : 0;
    while (c &&
           (c->taken || c->bytes != bytes || c->block_bytes != block_bytes || c->tag != a->tag))
        c = c->next;
    if (!c) {
        c = (SnlCopies *)snl_memory_get(rt, sizeof *c);
        if (!c)
            return NULL;
        c->bytes = bytes;
        c->block_bytes = block_bytes;
        c->tag = a->tag;
        c->next = s->all;
        s->all = c;
    }
    if (c->rest > 0) {
        c->rest--;
        return NULL;
    }
    /* blocks are made as they are needed, in the tree too */
    if (a->tree && !snl_can_spare(rt, most_bytes(a) * rt->threads))
        return NULL;
    for (int t = 1; t < rt->threads; t++) {
        if (!c->of[t] && (a->tree || snl_can_spare(rt, most_bytes(a))))
            c->of[t] = make_copy(rt, c, t);
        if (!c->of[t])
            return NULL;
    }
    c->taken = true;
    return c;
}

static bool give_back(SnlInstance *rt);

SnlScatter *
snl_scatter_begin(SnlInstance *rt, const SnlScatterArray *arrays, int count, double additions)
{
    static const SnlOwner owner = {give_back, NULL};
    double elements = 0, bytes = 0;
    SnlScatter *s;
    if (rt->threads <= 1 || rt->threads > SNL_CHUNKS_MAX || !snl_has_team(rt))
        return NULL;
    for (int k = 0; k < count; k++) {
        elements += arrays[k].tree ? (double)desc_of(&arrays[k])->cell_count
                                   : (double)arrays[k].bytes / snl_scalar_bytes(arrays[k].tag);
        bytes += most_bytes(&arrays[k]);
    }
    if (elements * (rt->threads - 1) > ELEMENTS_MOST * additions ||
        bytes * (rt->threads - 1) > MEGABYTES_MOST * 1048576.0)
        return NULL;
    s = rt->scatter ? rt->scatter : (SnlScatter *)snl_memory_get(rt, sizeof *s);
    if (!s)
        return NULL;
    snl_own(rt, &owner);
    rt->scatter = s;
    s->taken = true;
    s->additions = additions;
    for (int k = 0; k < count; k++) {
        s->arrays[k] = arrays[k];
        s->copies[k] = take_copies(rt, s, &arrays[k]);
        if (s->copies[k])
            continue;
        while (k-- > 0)
            s->copies[k]->taken = false;
        s->taken = false;
        return NULL;
    }
    s->count = count;
    return s;
}

/* ---- blocks ---- */

/* Room for more blocks in the lists. */
static bool
grow_lists(SnlInstance *rt, SnlScatterBlocks *b)
{
    int64_t room = 2 * b->room + BLOCKS;
    void **blocks = (void **)snl_memory_get(rt, (size_t)room * sizeof *blocks);
    int64_t *cells = (int64_t *)snl_memory_get(rt, (size_t)room * sizeof *cells);
    if (!blocks || !cells) {
        snl_memory_put(rt, blocks, (size_t)room * sizeof *blocks);
        snl_memory_put(rt, cells, (size_t)room * sizeof *cells);
        return false;
    }
    if (b->room) {
        memcpy(blocks, b->blocks, (size_t)b->made * sizeof *blocks);
        memcpy(cells, b->cells, (size_t)b->made * sizeof *cells);
    }
    snl_memory_put(rt, b->blocks, (size_t)b->room * sizeof *blocks);
    snl_memory_put(rt, b->cells, (size_t)b->room * sizeof *cells);
    b->blocks = blocks;
    b->cells = cells;
    b->room = room;
    return true;
}

static bool
make_blocks(SnlInstance *rt, const SnlCopies *c, SnlScatterBlocks *b)
{
    if (b->made + BLOCKS > b->room && !grow_lists(rt, b))
        return false;
    char *made = (char *)snl_memory_get(rt, (size_t)(BLOCKS * c->block_bytes));
    if (!made)
        return false;
    make_new_neutral(made, BLOCKS * c->block_bytes, c->tag);
    for (int k = 0; k < BLOCKS; k++)
        b->blocks[b->made++] = made + k * c->block_bytes;
    return true;
}

void *
snl_scatter_fill(const SnlScatter *s, int k, SnlTree *tree, int node, void **slots, int64_t cell)
{
    int thread = s ? snl_thread_number() : 0;
    if (thread <= 0)
        return snl_pointer_fill(tree, node, slots, cell);
    SnlScatterBlocks *b = s->copies[k]->blocks[thread];
    if (b->used == b->made && !make_blocks(tree->rt, s->copies[k], b))
        return snl_node_out_of_memory(tree, node, (uint64_t)(BLOCKS * s->copies[k]->block_bytes));
    b->cells[b->used] = cell;
    slots[cell] = b->blocks[b->used++];
    return slots[cell];
}

static void
free_blocks(SnlInstance *rt, const SnlCopies *c, SnlScatterBlocks *b)
{
    if (!b)
        return;
    for (int64_t k = 0; k < b->made; k += BLOCKS)
        snl_memory_put(rt, b->blocks[k], (size_t)(BLOCKS * c->block_bytes));
    snl_memory_put(rt, b->blocks, (size_t)b->room * sizeof *b->blocks);
    snl_memory_put(rt, b->cells, (size_t)b->room * sizeof *b->cells);
    snl_memory_put(rt, b, sizeof *b);
}

/* Gives back all copies unless a loop runs with some; true if there were any. */
static bool
give_back(SnlInstance *rt)
{
    SnlCopies *next;
    if (!rt->scatter || rt->scatter->taken)
        return false;
    for (SnlCopies *c = rt->scatter->all; c; c = next) {
        next = c->next;
        for (int t = 1; t < SNL_CHUNKS_MAX; t++) {
            free_blocks(rt, c, c->blocks[t]);
            snl_memory_put(rt, c->of[t], (size_t)c->bytes);
        }
        snl_memory_put(rt, c, sizeof *c);
    }
    snl_memory_put(rt, rt->scatter, sizeof *rt->scatter);
    rt->scatter = NULL;
    return true;
}
