/* memory.c - memory of an instance, who keeps it, and the time. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise, MAP_ANONYMOUS */
#endif
#include "instance.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <time.h>

/* Blocks from MAP_BYTES on are mapped, so that pages appear when touched; those from HUGE_BYTES
 * on start at a huge page and ask for such. */
enum { MAP_BYTES = 128 * 1024, HUGE_BYTES = 2 * 1024 * 1024, AHEAD_BYTES = 16 * HUGE_BYTES };

/* Blocks that are not expected to be written are mapped from so many bytes on. */
enum { LAZY_BYTES = 16 * 1024, PAGE_BYTES = 4096 };

/* Bytes that a block takes: whole pages where it is mapped. */
static size_t
block_bytes(size_t bytes)
{
    size_t unit = bytes >= MAP_BYTES ? PAGE_BYTES : SNL_ALIGN;
    if (bytes == 0)
        bytes = 1;
    return bytes > SIZE_MAX - unit ? 0 : (bytes + unit - 1) / unit * unit;
}

/* Bytes of the pages that a block of snl_memory_lazy takes; 0 if there are too many. */
static size_t
whole_pages(size_t bytes)
{
    return bytes > SIZE_MAX - PAGE_BYTES ? 0 : (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

uint64_t
snl_memory_of_machine(void)
{
    struct sysinfo info;
    uint64_t bytes = 0, limit = 0;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (sysinfo(&info) == 0)
        bytes = ((uint64_t)info.totalram + info.totalswap) * info.mem_unit;
    if (file) {
        char text[32] = "";
        if (fgets(text, sizeof text, file))
            limit = strtoull(text, NULL, 10); /* "max" is none */
        fclose(file);
    }
    return limit && (limit < bytes || !bytes) ? limit : bytes;
}

/* Pages that get memory when they are touched, or NULL. */
static void *
map_pages(size_t bytes)
{
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static void *
map_block(size_t bytes)
{
    size_t slack = bytes >= HUGE_BYTES ? HUGE_BYTES : 0;
    char *start, *aligned;
    void *mapped;
    if (bytes > SIZE_MAX - slack)
        return NULL;
    mapped = map_pages(bytes + slack);
    if (!mapped || slack == 0)
        return mapped;
    start = (char *)mapped;
    aligned = (char *)(((uintptr_t)start + slack - 1) / slack * slack);
    if (aligned != start)
        munmap(start, (size_t)(aligned - start));
    if (start + slack != aligned)
        munmap(aligned + bytes, (size_t)(start + slack - aligned));
#ifdef MADV_HUGEPAGE
    madvise(aligned, bytes, MADV_HUGEPAGE);
#endif
    return aligned;
}

/* A block of one huge page, of which many are mapped at once: that takes less time, and the rest
 * costs addresses only. */
static void *
cut_block(SnlInstance *rt)
{
    SnlMapped *m = &rt->mapped;
    char *block = NULL;
    snl_lock(&m->lock);
    if (m->left == 0) {
        m->next = (char *)map_block(AHEAD_BYTES);
        m->left = m->next ? AHEAD_BYTES : 0;
    }
    if (m->left > 0) {
        block = m->next;
        m->next += HUGE_BYTES;
        m->left -= HUGE_BYTES;
    }
    snl_unlock(&m->lock);
    return block ? block : map_block(HUGE_BYTES);
}

/* True if so many more bytes are above a limit, where 0 is none. */
static bool
is_above(uint64_t limit, uint64_t before, uint64_t bytes)
{
    return limit && (before > limit || bytes > limit - before);
}

bool
snl_memory_claim(SnlInstance *rt, size_t bytes)
{
    uint64_t before = SNL_LOAD_RELAXED(&rt->bytes_used);
    do { /* what is refused is never counted: it would be in the way of others */
        if (is_above(rt->memory_limit, before, bytes) || is_above(rt->machine_bytes, before, bytes))
            return false;
    } while (!SNL_CAS(&rt->bytes_used, &before, before + bytes));
    return true;
}

void
snl_memory_unclaim(SnlInstance *rt, size_t bytes)
{
    SNL_SUB(&rt->bytes_used, (uint64_t)bytes);
}

/* Memory that is counted already, but not if there is none. */
static void *
get_block(SnlInstance *rt, size_t bytes, bool zeroed)
{
    size_t taken = block_bytes(bytes);
    void *block;
    if (rt->allocator.alloc) {
        block = rt->allocator.alloc(rt->allocator.ctx, taken, SNL_ALIGN);
        if (block && zeroed && (!rt->zeroer || !rt->zeroer(rt, block, taken)))
            memset(block, 0, taken);
    } else if (bytes >= MAP_BYTES) {
        block = taken == HUGE_BYTES ? cut_block(rt) : map_block(taken);
    } else {
        block = aligned_alloc(SNL_ALIGN, taken);
        if (block)
            memset(block, 0, taken);
    }
    if (!block)
        SNL_SUB(&rt->bytes_used, (uint64_t)taken);
    return block;
}

/* Counts a block; false where that is above a limit. */
static bool
claim_block(SnlInstance *rt, size_t bytes)
{
    size_t taken = block_bytes(bytes);
    return taken > 0 && snl_memory_claim(rt, taken);
}

/* A block, or NULL where there is no memory. Copies that loops made for speed are given back
 * first. */
static void *
find_block(SnlInstance *rt, size_t bytes, bool zeroed)
{
    const int freed = SNL_LOAD(&rt->copies_freed);
    void *block = claim_block(rt, bytes) ? get_block(rt, bytes, zeroed) : NULL;
    if (block)
        return block;
    snl_copies_free(rt);
    if (SNL_LOAD(&rt->copies_freed) == freed)
        return NULL;
    return claim_block(rt, bytes) ? get_block(rt, bytes, zeroed) : NULL;
}

void *
snl_memory_get(SnlInstance *rt, size_t bytes)
{
    return find_block(rt, bytes, true);
}

void *
snl_memory_above(SnlInstance *rt, size_t bytes)
{
    if (block_bytes(bytes) == 0)
        return NULL;
    SNL_ADD(&rt->bytes_used, (uint64_t)block_bytes(bytes));
    return get_block(rt, bytes, true);
}

void *
snl_memory_raw(SnlInstance *rt, size_t bytes)
{
    return find_block(rt, bytes, false);
}

void *
snl_memory_of_loops(SnlInstance *rt, size_t bytes, bool zeroed)
{
    void *block = zeroed ? snl_memory_get(rt, bytes) : snl_memory_raw(rt, bytes);
    if (block && rt->marker)
        rt->marker(rt, block, bytes, true);
    return block;
}

void
snl_yield(void)
{
    sched_yield();
}

bool
snl_can_spare(const SnlInstance *rt, double bytes)
{
    enum { MEGABYTES_MOST = 1024 };
    double room = bytes + (double)rt->bytes_used;
    if (bytes > MEGABYTES_MOST * 1048576.0)
        return false;
    return (!rt->memory_limit || 2 * room <= (double)rt->memory_limit) &&
           (!rt->machine_bytes || 2 * room <= (double)rt->machine_bytes);
}

void
snl_memory_populate(const SnlInstance *rt, void *block, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    if (!rt->allocator.alloc && bytes >= MAP_BYTES)
        madvise(block, bytes, MADV_POPULATE_WRITE);
#else
    (void)rt;
    (void)block;
    (void)bytes;
#endif
}

void
snl_memory_put(SnlInstance *rt, void *ptr, size_t bytes)
{
    size_t taken = block_bytes(bytes);
    if (!ptr)
        return;
    if (rt->marker)
        rt->marker(rt, ptr, bytes, false);
    if (rt->allocator.alloc)
        rt->allocator.release(rt->allocator.ctx, ptr, taken);
    else if (bytes >= MAP_BYTES)
        munmap(ptr, taken);
    else
        free(ptr);
    SNL_SUB(&rt->bytes_used, (uint64_t)taken);
}

/* True for blocks of snl_memory_lazy that take no memory until they are touched. */
static bool
is_lazy(const SnlInstance *rt, size_t bytes)
{
    return !rt->allocator.alloc && bytes >= LAZY_BYTES;
}

void *
snl_memory_lazy(SnlInstance *rt, size_t bytes)
{
    return is_lazy(rt, bytes) ? map_pages(whole_pages(bytes)) : snl_memory_get(rt, bytes);
}

void
snl_memory_lazy_put(SnlInstance *rt, void *ptr, size_t bytes)
{
    if (!ptr)
        return;
    if (is_lazy(rt, bytes))
        munmap(ptr, whole_pages(bytes));
    else
        snl_memory_put(rt, ptr, bytes);
}

/* True for blocks of snl_memory_idle that take addresses alone. */
static bool
is_idle(const SnlInstance *rt, size_t bytes)
{
    return !rt->gpu && bytes >= LAZY_BYTES;
}

void *
snl_memory_idle(SnlInstance *rt, size_t bytes)
{
    return is_idle(rt, bytes) ? map_pages(whole_pages(bytes)) : snl_memory_get(rt, bytes);
}

void
snl_memory_idle_put(SnlInstance *rt, void *ptr, size_t bytes)
{
    if (ptr && is_idle(rt, bytes))
        munmap(ptr, whole_pages(bytes));
    else
        snl_memory_put(rt, ptr, bytes);
}

double
snl_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
snl_own(SnlInstance *rt, const SnlOwner *owner)
{
    int k = 0;
    snl_lock(&rt->copies_lock);
    while (k < SNL_OWNERS && rt->owned[k] && rt->owned[k] != owner)
        k++;
    assert(k < SNL_OWNERS);
    rt->owned[k] = owner;
    snl_unlock(&rt->copies_lock);
}

void
snl_copies_free(SnlInstance *rt)
{
    snl_lock(&rt->copies_lock);
    for (int k = 0; k < SNL_OWNERS && rt->owned[k]; k++)
        if (rt->owned[k]->give_back && rt->owned[k]->give_back(rt))
            SNL_ADD(&rt->copies_freed, 1);
    snl_unlock(&rt->copies_lock);
}
