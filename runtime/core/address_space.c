/* address_space.c - memory that is reserved as addresses and made piece by piece. */
#include "address_space.h"

static int64_t
granules(const SnlRangeMaker *m)
{
    return m->range_bytes / m->granule;
}

/* Reserves the addresses, once; false where there are none to be had. */
static bool
reserve(SnlInstance *rt, SnlRange *r)
{
    const SnlRangeMaker *m = rt->ranges;
    if (r->start || r->tried || !m)
        return r->start != NULL;
    r->tried = true;
    r->made = (uint8_t *)snl_memory_get(rt, (size_t)granules(m));
    if (!r->made)
        return false;
    r->start = (char *)m->reserve(m->ctx, (size_t)m->range_bytes);
    if (!r->start) {
        snl_memory_put(rt, r->made, (size_t)granules(m));
        r->made = NULL;
    }
    return r->start != NULL;
}

static bool
make_granule(SnlInstance *rt, SnlRange *r, int64_t k)
{
    const SnlRangeMaker *m = rt->ranges;
    if (r->made[k])
        return true;
    if (!snl_memory_claim(rt, (size_t)m->granule))
        return false;
    if (!m->make(m->ctx, r->start + k * m->granule, (size_t)m->granule)) {
        snl_memory_unclaim(rt, (size_t)m->granule);
        return false;
    }
    r->made[k] = 1;
    return true;
}

void *
snl_range_make(SnlInstance *rt, SnlRange *r, int64_t from, int64_t to, bool *short_of)
{
    *short_of = false;
    if (!reserve(rt, r) || to > rt->ranges->range_bytes)
        return NULL;
    for (int64_t k = from / rt->ranges->granule; k * rt->ranges->granule < to; k++)
        if (!make_granule(rt, r, k)) {
            *short_of = true;
            snl_range_give_back(rt, r, from, k * rt->ranges->granule);
            return NULL;
        }
    return r->start + from;
}

bool
snl_range_has(const SnlInstance *rt, const SnlRange *r, const void *at)
{
    return r->start && (uintptr_t)at - (uintptr_t)r->start < (uintptr_t)rt->ranges->range_bytes;
}

void
snl_range_give_back(SnlInstance *rt, SnlRange *r, int64_t from, int64_t to)
{
    const SnlRangeMaker *m = rt->ranges;
    for (int64_t k = (from + m->granule - 1) / m->granule; (k + 1) * m->granule <= to; k++) {
        if (!r->made[k])
            continue;
        m->give_back(m->ctx, r->start + k * m->granule, (size_t)m->granule);
        snl_memory_unclaim(rt, (size_t)m->granule);
        r->made[k] = 0;
    }
}

void
snl_range_free(SnlInstance *rt, SnlRange *r)
{
    const SnlRangeMaker *m = rt->ranges;
    if (r->start) {
        snl_range_give_back(rt, r, 0, m->range_bytes);
        m->release(m->ctx, r->start, (size_t)m->range_bytes);
        snl_memory_put(rt, r->made, (size_t)granules(m));
    }
    memset(r, 0, sizeof *r);
}
