/* scatter.c - sums that several threads add up in the same places of an array. */
#include "scatter.h"

#include "snl_math.h"

#include <string.h>

/* A copy is made where it has at most so many elements for each addition, and so many bytes. */
enum { ELEMENTS_MOST = 8, MEGABYTES_MOST = 1024 };

/* Elements that are looked at together: those that nothing was added to are only read. */
enum { GROUP = 64, GROUPS_LEAST = 64 };

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

static void
make_neutral(void *copy, int64_t bytes, int tag)
{
    uint32_t *four = (uint32_t *)copy;
    uint64_t *eight = (uint64_t *)copy;
    if (!snl_scalar_is_float(tag))      /* new memory is zeroed */
        return;
    if (tag == SNL_F32)
        for (int64_t k = 0; k < bytes / 4; k++)
            four[k] = neutral_32(tag);
    else
        for (int64_t k = 0; k < bytes / 8; k++)
            eight[k] = neutral_64(tag);
}

/* ---- joining ---- */

/* Adds `count` elements of a copy to the array and makes them neutral; elements that nothing was added to keep their bits. */
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
            char *array = (char *)j->array->array + first * size, *copy = (char *)j->copies->of[t] + first * size;
            if (!j->copies->used[t])
                continue;
            switch (j->array->tag) {
            case SNL_F32: add_copy_f32((float *)array, (float *)copy, count, neutral_32(SNL_F32)); break;
            case SNL_F64: add_copy_f64((double *)array, (double *)copy, count, neutral_64(SNL_F64)); break;
            case SNL_I32: case SNL_U32: add_copy_u32((uint32_t *)array, (uint32_t *)copy, count, 0); break;
            default: add_copy_u64((uint64_t *)array, (uint64_t *)copy, count, 0); break;
            }
        }
}

void
snl_scatter_end(SnlInstance *rt, SnlScatter *s)
{
    if (!s)
        return;
    for (int k = 0; k < s->count; k++) {
        Join join = { &s->arrays[k], s->copies[k], 0 };
        for (int t = 1; t < SNL_CHUNKS_MAX; t++)
            if (s->copies[k]->used[t])
                join.threads = t + 1;
        int64_t elements = join.array->bytes / snl_scalar_bytes(join.array->tag);
        int64_t groups = join.threads ? (elements + GROUP - 1) / GROUP : 0;
        snl_parallel_for_named(rt, groups, snl_chunk_count(groups, GROUPS_LEAST), join_groups, &join, "join");
        memset(s->copies[k]->used, 0, sizeof s->copies[k]->used);
        s->copies[k]->taken = false;
    }
    s->count = 0;
}

/* ---- copies ---- */

/* Is there memory for copies, which are of use but not needed? Half of a limit is left to the program. */
static bool
is_affordable(const SnlInstance *rt, double bytes)
{
    double room = bytes + (double)rt->bytes_used;
    if (bytes > MEGABYTES_MOST * 1048576.0)
        return false;
    return (!rt->memory_limit || 2 * room <= (double)rt->memory_limit) && (!rt->machine_bytes || 2 * room <= (double)rt->machine_bytes);
}

/* Copies of an array of this kind that no loop has, or NULL. */
static SnlCopies *
take_copies(SnlInstance *rt, SnlScatter *s, const SnlScatterArray *a)
{
    SnlCopies *c = s->all;
    while (c && (c->taken || c->bytes != a->bytes || c->tag != a->tag))
        c = c->next;
    if (!c) {
        c = (SnlCopies *)snl_memory_get(rt, sizeof *c);
        if (!c)
            return NULL;
        c->bytes = a->bytes;
        c->tag = a->tag;
        c->next = s->all;
        s->all = c;
    }
    for (int t = 1; t < rt->threads; t++) {
        if (c->of[t])
            continue;
        c->of[t] = is_affordable(rt, (double)c->bytes) ? snl_memory_get(rt, (size_t)c->bytes) : NULL;
        if (!c->of[t])
            return NULL;
        make_neutral(c->of[t], c->bytes, c->tag);
    }
    c->taken = true;
    return c;
}

SnlScatter *
snl_scatter_begin(SnlInstance *rt, const SnlScatterArray *arrays, int count, double additions)
{
    double elements = 0, bytes = 0;
    SnlScatter *s;
    if (rt->threads <= 1 || rt->threads > SNL_CHUNKS_MAX || !snl_has_team(rt))
        return NULL;
    for (int k = 0; k < count; k++) {
        elements += (double)arrays[k].bytes / snl_scalar_bytes(arrays[k].tag);
        bytes += (double)arrays[k].bytes;
    }
    if (elements * (rt->threads - 1) > ELEMENTS_MOST * additions || bytes * (rt->threads - 1) > MEGABYTES_MOST * 1048576.0)
        return NULL;
    s = rt->scatter ? rt->scatter : (SnlScatter *)snl_memory_get(rt, sizeof *s);
    if (!s)
        return NULL;
    rt->scatter = s;
    for (int k = 0; k < count; k++) {
        s->arrays[k] = arrays[k];
        s->copies[k] = take_copies(rt, s, &arrays[k]);
        if (s->copies[k])
            continue;
        while (k-- > 0)
            s->copies[k]->taken = false;
        return NULL;
    }
    s->count = count;
    return s;
}

void
snl_scatter_free(SnlInstance *rt)
{
    SnlCopies *next;
    if (!rt->scatter)
        return;
    for (SnlCopies *c = rt->scatter->all; c; c = next) {
        next = c->next;
        for (int t = 1; t < SNL_CHUNKS_MAX; t++)
            snl_memory_put(rt, c->of[t], (size_t)c->bytes);
        snl_memory_put(rt, c, sizeof *c);
    }
    snl_memory_put(rt, rt->scatter, sizeof *rt->scatter);
    rt->scatter = NULL;
}
