/* list.c - memory of lists, and the store of elements that never move. */
#include "list.h"

void
snl_store_init(SnlStore *s, int64_t element_bytes)
{
    memset(s, 0, sizeof *s);
    s->element_bytes = element_bytes;
}

bool
snl_store_room(SnlInstance *rt, SnlStore *s, int64_t count)
{
    int last = count > 0 ? snl_store_chunk_of(count - 1) : -1;
    for (int chunk = 0; chunk <= last; chunk++) {
        if (!s->chunks[chunk])
            s->chunks[chunk] =
                (char *)snl_memory_of_loops(rt, snl_store_chunk_bytes(s, chunk), true);
        if (!s->chunks[chunk])
            return false;
    }
    return true;
}

int64_t
snl_store_bytes(const SnlStore *s)
{
    int64_t bytes = 0;
    for (int chunk = 0; chunk < SNL_STORE_CHUNKS; chunk++)
        if (s->chunks[chunk])
            bytes += (int64_t)snl_store_chunk_bytes(s, chunk);
    return bytes;
}

void
snl_store_clear(SnlStore *s)
{
    s->count = 0;
}

void
snl_store_trim(SnlInstance *rt, SnlStore *s)
{
    for (int chunk = 0; chunk < SNL_STORE_CHUNKS; chunk++) {
        if (snl_store_chunk_begin(chunk) < s->count)
            continue;
        if (s->chunks[chunk])
            snl_memory_put(rt, s->chunks[chunk], snl_store_chunk_bytes(s, chunk));
        s->chunks[chunk] = NULL;
    }
}

void
snl_store_free(SnlInstance *rt, SnlStore *s)
{
    s->count = 0;
    snl_store_trim(rt, s);
}

bool
snl_list_resize(SnlInstance *rt, SnlList *list, int64_t capacity, int64_t kept)
{
    SnlListEntry *entries = NULL;
    if (capacity > 0) {
        entries = (SnlListEntry *)snl_memory_of_loops(rt, (size_t)capacity * sizeof *entries, true);
        if (!entries)
            return false;
    }
    if (kept > 0)
        memcpy(entries, list->entries, (size_t)kept * sizeof *entries);
    snl_memory_put(rt, list->entries, (size_t)list->capacity * sizeof *entries);
    list->entries = entries;
    list->capacity = capacity;
    return true;
}

int64_t *
snl_list_firsts(SnlInstance *rt, SnlList *list, int64_t cells)
{
    if (cells < list->firsts_room)
        return list->firsts;
    snl_memory_put(rt, list->firsts, (size_t)list->firsts_room * sizeof *list->firsts);
    list->firsts_room = cells + 1;
    list->firsts = (int64_t *)snl_memory_get(rt, (size_t)list->firsts_room * sizeof *list->firsts);
    if (!list->firsts)
        list->firsts_room = 0;
    return list->firsts;
}

void
snl_list_free(SnlInstance *rt, SnlList *list)
{
    snl_memory_put(rt, list->firsts, (size_t)list->firsts_room * sizeof *list->firsts);
    snl_memory_put(rt, list->entries, (size_t)list->capacity * sizeof *list->entries);
    snl_memory_put(rt, list->work, list->work_bytes);
    memset(list, 0, sizeof *list);
}
