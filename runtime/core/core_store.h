/* core_store.h - the store of elements that never move, on either side; see core.h.
 */
#ifndef SNL_CORE_CORE_STORE_H
#define SNL_CORE_CORE_STORE_H

#include "core.h"
#include "list.h"

/* Makes a chunk that is not there, on the CPU; false without memory. One thread does: two blocks
 * might be more than there is memory for. */
SNL_FN bool
store_add_chunk(SnlInstance *rt, SnlStore *s, int chunk)
{
    bool made;
    snl_lock(&s->lock);
    if (!s->chunks[chunk])
        SNL_STORE(&s->chunks[chunk], (char *)snl_core_above(rt, snl_store_chunk_bytes(s, chunk)));
    made = s->chunks[chunk] != NULL;
    snl_unlock(&s->lock);
    return made;
}

/* Makes a chunk unless it is there; false without memory. */
SNL_FN bool
store_make_chunk(SnlInstance *rt, SnlStore *s, int chunk)
{
    return SNL_LOAD(&s->chunks[chunk]) || SNL_SPLIT(false, store_add_chunk(rt, s, chunk));
}

/* Makes the chunks of elements that were reserved; false without memory. */
SNL_FN bool
store_has_room(SnlInstance *rt, SnlStore *s, int64_t index, int64_t count)
{
    bool made = true;
    for (int chunk = snl_store_chunk_of(index);
         made && chunk <= snl_store_chunk_of(index + count - 1); chunk++)
        made = store_make_chunk(rt, s, chunk);
    /* what was there before must not be seen */
    for (int64_t k = index; !made && k < index + count; k++)
        if (SNL_LOAD(&s->chunks[snl_store_chunk_of(k)]))
            memset(snl_store_at(s, k), 0, (size_t)s->element_bytes);
    return made;
}

SNL_CORE int64_t
snl_store_reserve(SnlInstance *rt, SnlStore *s, int64_t count)
{
    int64_t index = SNL_ADD(&s->count, count);
    return store_has_room(rt, s, index, count) ? index : -1;
}

SNL_CORE bool
snl_store_push(SnlInstance *rt, SnlStore *s, void *pointer)
{
    int64_t index = snl_store_reserve(rt, s, 1);
    if (index < 0)
        return false;
    *(void **)snl_store_at(s, index) = pointer;
    return true;
}

#endif
