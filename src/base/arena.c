/* Arena: a chain of blocks, each twice as large as the last. */
#include "config.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t used, room;
    _Alignas(max_align_t) char data[];
} ArenaBlock;

struct Arena {
    ArenaBlock *block;
    size_t total;
};

static _Noreturn void
out_of_memory(void)
{
    fputs("snlc: out of memory\n", stderr);
    exit(71);
}

static ArenaBlock *
block_new(size_t room)
{
    ArenaBlock *b = calloc(1, sizeof(ArenaBlock) + room);
    if (!b)
        out_of_memory();
    b->room = room;
    return b;
}

Arena *
arena_new(void)
{
    Arena *a = calloc(1, sizeof *a);
    if (!a)
        out_of_memory();
    return a;
}

void
arena_free(Arena *a)
{
    for (ArenaBlock *b = a->block, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

void *
arena_alloc(Arena *a, size_t bytes)
{
    const size_t align = sizeof(max_align_t);
    if (bytes > SIZE_MAX / 2)
        out_of_memory();
    bytes = (bytes + align - 1) / align * align;
    ArenaBlock *b = a->block;
    if (!b || b->room - b->used < bytes) {
        size_t room = b ? b->room * 2 : 16384;
        if (room > (size_t)4 << 20)
            room = (size_t)4 << 20;
        b = block_new(room < bytes ? bytes : room);
        b->next = a->block;
        a->block = b;
    }
    void *p = b->data + b->used;
    b->used += bytes;
    a->total += bytes;
    return p;
}

char *
arena_strndup(Arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

char *
arena_printf(Arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1);
    vsnprintf(p, (size_t)(n < 0 ? 0 : n) + 1, fmt, again);
    va_end(again);
    return p;
}

size_t
arena_bytes(const Arena *a)
{
    return a->total;
}

void *
vec_grow(Arena *a, void *items, int count, int *room, size_t item_bytes)
{
    int more = count < 4 ? 4 : count * 2;
    void *p = arena_alloc(a, (size_t)more * item_bytes);
    if (count)
        memcpy(p, items, (size_t)count * item_bytes);
    *room = more;
    return p;
}
