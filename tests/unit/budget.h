/* budget.h - an allocator that fails when a test wants it to, and counts what it gave. */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdlib.h>
#include <string.h>

#include "core/instance.h"

/* An allocator that fails once, or from a certain allocation on, and counts what is out. */
typedef struct {
    int64_t left;               /* allocations that succeed */
    bool once;
    int64_t blocks, bytes;      /* not yet released */
    int64_t refused;            /* allocations that failed */
} Budget;

/* Counts an allocation; false where it shall fail. */
static inline bool
budget_grants(Budget *b)
{
    if (SNL_LOAD(&b->left) <= 0) {
        SNL_ADD(&b->refused, 1);
        SNL_STORE(&b->left, b->once ? INT64_MAX : 0);
        return false;
    }
    SNL_SUB(&b->left, 1);
    return true;
}

static inline void *
budget_alloc(void *ctx, size_t bytes, size_t align)
{
    Budget *b = (Budget *)ctx;
    void *block;
    if (!budget_grants(b))
        return NULL;
    block = aligned_alloc(align, (bytes + align - 1) / align * align);
    memset(block, 0xcd, bytes);
    SNL_ADD(&b->blocks, 1);
    SNL_ADD(&b->bytes, (int64_t)bytes);
    return block;
}

static inline void
budget_release(void *ctx, void *ptr, size_t bytes)
{
    Budget *b = (Budget *)ctx;
    memset(ptr, 0xdd, bytes);
    free(ptr);
    SNL_SUB(&b->blocks, 1);
    SNL_SUB(&b->bytes, (int64_t)bytes);
}

/* One of so many allocations fails, as FAULT_STEP says, if it is set. */
static inline int
fault_step(int usual)
{
    const char *text = getenv("FAULT_STEP");
    return text ? atoi(text) : usual;
}

static inline SnlAllocator
budget_allocator(Budget *b)
{
    return (SnlAllocator){ budget_alloc, budget_release, b };
}

#endif
