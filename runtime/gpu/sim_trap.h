/* sim_trap.h - traps of the stand-in for either side that touches the other side's memory; included
 * by sim_host.h.
 *
 * Loops of the stand-in have ended when they were started, so a missing wait does not show; and
 * lanes see the whole process. With SNL_SIM_TRAP set, the memory of cells and lists is closed from
 * the start of a loop until the CPU waits (snl_gpu_wait). Only lanes reach it. Unless SNL_SIM_TRAP
 * is "wait", stack and heap of the process are closed while lanes run, which is for programs of one
 * thread (SNL_NUM_THREADS=1). A touch of closed memory ends the program by SIGSEGV. An SnlGpu owns
 * its trap. A thread opens and closes all pages of a key at once, but for itself alone. With more
 * threads or no keys, pages are closed one by one.
 */
#ifndef SNL_GPU_SIM_TRAP_H
#define SNL_GPU_SIM_TRAP_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SNL_SIM_PAGE = 4096 };

/* Pages that can be closed. */
typedef struct {
    char *start;
    size_t bytes;
} SnlSimArea;

typedef struct SnlSimTrap {
    bool closed;
    int key;                    /* of all areas; 0: none */
    int64_t count, room;
    SnlSimArea *areas;
} SnlSimTrap;

static inline bool snl_sim_traps(void) { return getenv("SNL_SIM_TRAP") != NULL; }

/* Shall lanes see memory of the device alone? */
static inline bool
snl_sim_alone(void)
{
    return snl_sim_traps() && strcmp(getenv("SNL_SIM_TRAP"), "wait") != 0;
}

static inline size_t
snl_sim_pages(size_t bytes)
{
    return (bytes + SNL_SIM_PAGE - 1) / SNL_SIM_PAGE * SNL_SIM_PAGE;
}

static inline void snl_sim_protect(const SnlSimArea *a, bool closed)
{
    mprotect(a->start, a->bytes, closed ? PROT_NONE : PROT_READ | PROT_WRITE);
}

#ifdef PKEY_DISABLE_ACCESS
static inline int
snl_sim_key_new(void)
{
    int key = pkey_alloc(0, 0);
    return key > 0 ? key : 0;
}

static inline void snl_sim_key_set(int key, bool closed)
{
    pkey_set(key, closed ? PKEY_DISABLE_ACCESS : 0);
}

static inline void snl_sim_give_key(const SnlSimArea *a, int key)
{
    pkey_mprotect(a->start, a->bytes, PROT_READ | PROT_WRITE, key);
}

static inline void snl_sim_key_free(int key) { pkey_free(key); }
#else
static inline int snl_sim_key_new(void) { return 0; }
static inline void snl_sim_key_set(int, bool) {}
static inline void snl_sim_give_key(const SnlSimArea *, int) {}
static inline void snl_sim_key_free(int) {}
#endif

/* Pages become those of a trap. */
static inline void snl_sim_area_add(const SnlSimTrap *t, const SnlSimArea *a)
{
    if (t->key)
        snl_sim_give_key(a, t->key);
    else
        snl_sim_protect(a, t->closed);
}

/* Pages are open from now on. */
static inline void snl_sim_area_remove(const SnlSimTrap *t, const SnlSimArea *a)
{
    if (t->key)
        snl_sim_give_key(a, 0);
    else
        snl_sim_protect(a, false);
}

/* Closes all blocks, or opens them. */
static inline void snl_sim_trap_set(SnlGpu *gpu, bool closed)
{
    SnlSimTrap *t = gpu->trap;
    if (!t || t->closed == closed)
        return;
    t->closed = closed;
    if (t->key)
        snl_sim_key_set(t->key, closed);
    for (int64_t k = 0; k < t->count && !t->key; k++)
        snl_sim_protect(&t->areas[k], closed);
}

/* Pages that are the loops'; those that follow a block belong to it. */
static inline void snl_sim_trap_add(SnlSimTrap *t, void *start, size_t bytes)
{
    SnlSimArea added = {(char *)start, bytes};
    snl_sim_area_add(t, &added);
    for (int64_t k = 0; k < t->count; k++)
        if (t->areas[k].start + t->areas[k].bytes == added.start) {
            t->areas[k].bytes += bytes;
            return;
        }
    if (t->count == t->room) {
        int64_t room = t->room ? 2 * t->room : 64;
        SnlSimArea *areas = (SnlSimArea *)realloc(t->areas, (size_t)room * sizeof *areas);
        if (!areas) {           /* this one is not watched */
            snl_sim_area_remove(t, &added);
            return;
        }
        t->areas = areas;
        t->room = room;
    }
    t->areas[t->count++] = added;
}

/* Pages that are not the loops' any more, and may have been. */
static inline void snl_sim_trap_remove(SnlSimTrap *t, void *start, size_t bytes)
{
    for (int64_t k = 0; k < t->count; k++) {
        SnlSimArea *a = &t->areas[k], gone = {(char *)start, bytes};
        char *end = a->start + a->bytes, *after = gone.start + bytes;
        if (gone.start < a->start || gone.start >= end)
            continue;
        snl_sim_area_remove(t, &gone);
        a->bytes = (size_t)(gone.start - a->start);
        if (!a->bytes)
            *a = t->areas[--t->count];
        if (after < end)
            snl_sim_trap_add(t, after, (size_t)(end - after));
        return;
    }
}

/* The marker of an instance. */
static inline void snl_sim_trap_mark(SnlInstance *rt, void *block, size_t bytes, bool of_loops)
{
    if (of_loops)
        snl_sim_trap_add(rt->gpu->trap, block, snl_sim_pages(bytes));
    else
        snl_sim_trap_remove(rt->gpu->trap, block, snl_sim_pages(bytes));
}

/* Sets the trap of an instance, if there shall be one. */
static inline void snl_gpu_watch(SnlInstance *rt)
{
    if (!snl_sim_traps())
        return;
    rt->gpu->trap = (SnlSimTrap *)calloc(1, sizeof *rt->gpu->trap);
    if (!rt->gpu->trap)
        return;
    if (snl_sim_alone())
        rt->gpu->trap->key = snl_sim_key_new();
    rt->marker = snl_sim_trap_mark;
}

/* A loop is started, or waits to be. */
static inline void snl_gpu_watch_on(SnlGpu *gpu) { snl_sim_trap_set(gpu, true); }

static inline void snl_gpu_unwatch(SnlInstance *rt)
{
    SnlSimTrap *t = rt->gpu->trap;
    snl_sim_trap_set(rt->gpu, false);
    rt->marker = NULL;
    if (!t)
        return;
    for (int64_t k = 0; k < t->count && t->key; k++)
        snl_sim_give_key(&t->areas[k], 0);
    if (t->key)
        snl_sim_key_free(t->key);
    free(t->areas);
    free(t);
}

#endif
