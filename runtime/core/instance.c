/* instance.c - memory and the error record of an instance. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE     /* madvise, MAP_ANONYMOUS */
#endif
#include "instance.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <time.h>

#include "parallel.h"
#include "../loop/races.h"
#include "../loop/packed_lists.h"
#include "../loop/reorder.h"
#include "../loop/privatize.h"
#include "../field/tape.h"
#include "../program/snl_main.h"
#include "../program/stats.h"

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

/* What the machine, or the group of processes this one runs in, can hold; 0 where that is not
 * known.  The system promises memory it does not have: without this, a program that asks for too
 * much would be killed later instead of getting an error now. */
static uint64_t
machine_bytes(void)
{
    struct sysinfo info;
    uint64_t bytes = 0, limit = 0;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    if (sysinfo(&info) == 0)
        bytes = ((uint64_t)info.totalram + info.totalswap) * info.mem_unit;
    if (file) {
        char text[32] = "";
        if (fgets(text, sizeof text, file))
            limit = strtoull(text, NULL, 10);   /* "max" is none */
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
    do {        /* what is refused is never counted: it would be in the way of others */
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

SnlLocal
snl_local_get(SnlInstance *rt, const char *name, size_t bytes)
{
    SnlLocal local = {.rt = rt, .at = snl_memory_get(rt, bytes), .bytes = bytes};
    char what[80];
    snprintf(what, sizeof what, "local array '%.50s'", name);
    if (!local.at)
        snl_fail_memory(rt, what, bytes);
    return local;
}

void
snl_local_put(SnlLocal *local)
{
    snl_memory_put(local->rt, local->at, local->bytes);
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

void
snl_instance_init(SnlInstance *rt, const SnlAllocator *allocator, int threads, uint64_t seed,
                  uint64_t memory_limit)
{
    memset(rt, 0, sizeof *rt);
    if (allocator)
        rt->allocator = *allocator;
    rt->machine_bytes = rt->allocator.alloc ? 0 : machine_bytes();
    rt->alone = true;
    snl_threads_start(rt, threads);
    rt->memory_limit = memory_limit;
    snl_instance_seed(rt, seed);
}

void
snl_copies_free(SnlInstance *rt)
{
    snl_lock(&rt->copies_lock);
    if (snl_scatter_free(rt))
        SNL_ADD(&rt->copies_freed, 1);
    if (snl_line_free(rt))
        SNL_ADD(&rt->copies_freed, 1);
    if (snl_order_free(rt))
        SNL_ADD(&rt->copies_freed, 1);
    snl_unlock(&rt->copies_lock);
}

void
snl_instance_free(SnlInstance *rt)
{
    snl_races_free(rt);
    snl_copies_free(rt);
    snl_tape_clear(rt);
    snl_stats_free(rt);
    snl_clear_error(rt);
    if (rt->mapped.left > 0)
        munmap(rt->mapped.next, rt->mapped.left);
    rt->mapped.left = 0;
}

void
snl_instance_seed(SnlInstance *rt, uint64_t seed)
{
    rt->seed = seed;
    rt->launch = 0;
    snl_random_init(&rt->random, seed, 0, UINT64_MAX);
}

/* Puts place and text of the record together. */
static void
compose(SnlErrorRecord *e)
{
    if (e->file)
        snprintf(e->message, sizeof e->message, "%.200s:%d: %s", e->file, e->line, e->text);
    else
        snprintf(e->message, sizeof e->message, "%s", e->text);
}

snl_status
snl_fail(SnlInstance *rt, snl_status status, const char *file, int line, const char *format, ...)
{
    SnlErrorRecord *e = &rt->error;
    int none = SNL_OK;
    va_list values;
    SNL_CAS(&e->status, &none, (int)status);
    if (SNL_EXCHANGE(&e->taken, 1))
        return snl_status_of(rt);
    SNL_STORE_RELAXED(&e->thread, snl_thread_number() + 1);
    e->file = file;
    e->line = line;
    va_start(values, format);
    snl_format_message(e->text, sizeof e->text, format, values);
    va_end(values);
    compose(e);
    SNL_STORE(&e->status, (int)status);     /* another one may have set it */
    return status;
}

void *
snl_instance_new(size_t bytes, const SnlAllocator *allocator)
{
    void *program = allocator->alloc ? allocator->alloc(allocator->ctx, bytes, SNL_ALIGN)
                                     : malloc(bytes);
    if (program)
        memset(program, 0, bytes);
    return program;
}

void
snl_instance_delete(void *program, size_t bytes, const SnlAllocator *allocator)
{
    const SnlAllocator a = *allocator;
    if (a.alloc)
        a.release(a.ctx, program, bytes);
    else
        free(program);
}

snl_status
snl_fail_format(SnlInstance *rt, snl_status status, const char *file, int line, const char *format,
                int count, const SnlArg *args)
{
    SnlText text = SNL_TEXT_EMPTY;
    snl_format_text(&text, format, count, args);
    snl_text_end_in_zero(&text);
    status = snl_fail(rt, status, file, line, "%s", snl_text_chars(&text));
    snl_text_free(&text);
    return status;
}

snl_status
snl_fail_memory(SnlInstance *rt, const char *what, uint64_t bytes)
{
    unsigned long long used = (unsigned long long)SNL_LOAD_RELAXED(&rt->bytes_used);
    if (rt->memory_limit)
        return snl_fail(rt, SNL_ENOMEM, NULL, 0,
                        "out of memory: %s needs %llu bytes, %llu of the limit of %llu are in use",
                        what, (unsigned long long)bytes, used,
                        (unsigned long long)rt->memory_limit);
    if (rt->gpu && rt->machine_bytes)
        return snl_fail(
            rt, SNL_ENOMEM, NULL, 0,
            "out of memory: %s needs %llu bytes, %llu of the %llu of the GPU are in use", what,
            (unsigned long long)bytes, used, (unsigned long long)rt->machine_bytes);
    return snl_fail(rt, SNL_ENOMEM, NULL, 0,
                    "out of memory: %s needs %llu bytes, %llu are in use", what,
                    (unsigned long long)bytes, used);
}

snl_status
snl_check_array(SnlInstance *rt, const char *name, const void *array, int64_t most, int axes, ...)
{
    int64_t least = 0, largest = 0;
    bool empty = false;
    va_list extents;
    va_start(extents, axes);
    for (int k = 0; k < axes; k++) {
        int64_t n = va_arg(extents, int64_t);
        least = n < least ? n : least;
        largest = n > largest ? n : largest;
        empty = empty || n == 0;
    }
    va_end(extents);
    if (least < 0)
        return snl_fail(rt, SNL_EINVAL, NULL, 0, "array '%s' has an extent of %lld", name,
                        (long long)least);
    if (largest > most)
        return snl_fail(rt, SNL_EINVAL, NULL, 0,
                        "array '%s' has an extent of %lld; where extent() is used, at most %lld",
                        name, (long long)largest, (long long)most);
    if (!array && !empty)
        return snl_fail(rt, SNL_EINVAL, NULL, 0, "array '%s' is NULL", name);
    return SNL_OK;
}

void
snl_error_place(SnlInstance *rt, const char *file, int line)
{
    SnlErrorRecord *e = &rt->error;
    const bool own = SNL_LOAD_RELAXED(&e->thread) == snl_thread_number() + 1;
    if (!snl_failed(rt) || (snl_in_loop(rt) && !own) || e->file)
        return;
    e->file = file;
    e->line = line;
    compose(e);
}

void
snl_forget_error(SnlInstance *rt)
{
    SnlErrorRecord *e = &rt->error;
    e->file = NULL;
    e->line = e->thread = 0;
    e->text[0] = e->message[0] = '\0';
    SNL_STORE(&e->status, (int)SNL_OK);
    SNL_STORE(&e->taken, 0);
}

double
snl_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *
snl_message(const void *program)
{
    const SnlInstance *rt = program;
    return rt && snl_failed(rt) ? rt->error.message : "";
}

/* Hands a line to the function of the options, while no other thread does. */
static void
print_in_turn(void *instance, const char *text, size_t bytes)
{
    SnlInstance *rt = (SnlInstance *)instance;
    snl_lock(&rt->print_lock);
    rt->print(rt->print_context, text, bytes);
    snl_unlock(&rt->print_lock);
}

void
snl_print_line(SnlInstance *rt, const char *format, int count, const SnlArg *args)
{
    SnlPrintSink sink = rt->print;
    void *context = rt->print_context;
    if (sink && snl_in_loop(rt)) { /* elsewhere it may call functions that print */
        sink = print_in_turn;
        context = rt;
    } else if (!sink && rt->bar) {
        sink = snl_progress_print;
        context = rt->bar;
    }
    if (!snl_print_to(sink, context, format, count, args))
        snl_fail_memory(rt, "a line of text", strlen(format));
}
