/* list.c - the store of elements that never move. */
#include "list.h"

void
snl_store_init(SnlStore *s, int64_t element_bytes)
{
    memset(s, 0, sizeof *s);
    s->element_bytes = element_bytes;
}

void
snl_store_room(SnlInstance *rt, SnlStore *s, int64_t count)
{
    int64_t kept = s->count;
    s->count = 0;
    if (count > 0)
        snl_store_reserve(rt, s, count);
    s->count = kept;
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
            snl_memory_put(rt, s->chunks[chunk], snl_store_chunk_bytes(s, chunk));
        s->chunks[chunk] = NULL;
    }
    s->count = 0;
}
