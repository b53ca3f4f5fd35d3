/* list.c - the store of elements that never move. */
#include "list.h"

void
snl_store_init(SnlStore *s, int64_t element_bytes)
{
    memset(s, 0, sizeof *s);
    s->element_bytes = element_bytes;
}

/* Bytes of a chunk. */
static size_t
chunk_bytes(const SnlStore *s, int chunk)
{
    return (size_t)s->element_bytes << (chunk + SNL_STORE_FIRST_BITS);
}

/* Number of the chunk of an element. */
static int
chunk_of(int64_t index)
{
    uint64_t shifted = (uint64_t)index + (1u << SNL_STORE_FIRST_BITS);
    return 63 - __builtin_clzll(shifted) - SNL_STORE_FIRST_BITS;
}

/* Makes a chunk unless it is there; false without memory. */
static bool
make_chunk(SnlInstance *rt, SnlStore *s, int chunk)
{
    char *found = NULL, *made;
    if (SNL_LOAD(&s->chunks[chunk]))
        return true;
    made = (char *)snl_memory_get(rt, chunk_bytes(s, chunk));
    if (made && SNL_CAS(&s->chunks[chunk], &found, made))
        return true;
    if (made)
        snl_memory_put(rt, made, chunk_bytes(s, chunk));
    else
        found = SNL_LOAD(&s->chunks[chunk]);
    return found != NULL;
}

int64_t
snl_store_reserve(SnlInstance *rt, SnlStore *s, int64_t count)
{
    int64_t index = SNL_ADD(&s->count, count);
    bool made = true;
    for (int chunk = chunk_of(index); made && chunk <= chunk_of(index + count - 1); chunk++)
        made = make_chunk(rt, s, chunk);
    if (made)
        return index;
    for (int64_t k = index; k < index + count; k++)     /* what was there before must not be seen */
        if (SNL_LOAD(&s->chunks[chunk_of(k)]))
            memset(snl_store_at(s, k), 0, (size_t)s->element_bytes);
    return -1;
}

bool
snl_store_push(SnlInstance *rt, SnlStore *s, void *pointer)
{
    int64_t index = snl_store_reserve(rt, s, 1);
    if (index < 0)
        return false;
    *(void **)snl_store_at(s, index) = pointer;
    return true;
}

int64_t
snl_store_held(const SnlStore *s)
{
    for (int chunk = 0; chunk < SNL_STORE_CHUNKS; chunk++) {
        int64_t start = (((int64_t)1 << chunk) - 1) << SNL_STORE_FIRST_BITS;
        if (start >= s->count)
            return s->count;
        if (!s->chunks[chunk])
            return start;
    }
    return s->count;
}

void
snl_store_clear(SnlStore *s)
{
    s->count = 0;
}

void
snl_store_free(SnlInstance *rt, SnlStore *s)
{
    for (int chunk = 0; chunk < SNL_STORE_CHUNKS; chunk++) {
        if (s->chunks[chunk])
            snl_memory_put(rt, s->chunks[chunk], chunk_bytes(s, chunk));
        s->chunks[chunk] = NULL;
    }
    s->count = 0;
}
