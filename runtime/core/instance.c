/* instance.c - beginning and end of an instance, and its error record. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include "instance.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "parallel.h"
#include "../program/snl_main.h"

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

void
snl_instance_init(SnlInstance *rt, const SnlAllocator *allocator, int threads, uint64_t seed,
                  uint64_t memory_limit)
{
    memset(rt, 0, sizeof *rt);
    if (allocator)
        rt->allocator = *allocator;
    rt->machine_bytes = rt->allocator.alloc ? 0 : snl_memory_of_machine();
    rt->alone = true;
    snl_threads_start(rt, threads);
    rt->memory_limit = memory_limit;
    snl_instance_seed(rt, seed);
}

void
snl_instance_free(SnlInstance *rt)
{
    snl_copies_free(rt);
    for (int k = 0; k < SNL_OWNERS && rt->owned[k]; k++)
        if (rt->owned[k]->end)
            rt->owned[k]->end(rt);
    memset(rt->owned, 0, sizeof rt->owned);
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
