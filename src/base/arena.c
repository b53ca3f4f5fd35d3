/* Arena: a chain of blocks, each twice as large as the last, that small requests are cut from;
 * large requests have a block each, which can grow. */
#include "config.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/format.h"
#include "base/vec.h"

typedef struct ArenaBlock {
    struct ArenaBlock *next, *previous; /* previous: of large requests only */
    size_t used, room; /* multiples of ALIGN; what follows the used bytes is zero as far as there is
                        * room */
    size_t whole;      /* what room can become, in blocks of small requests */
    bool is_mapped;    /* a block of MOST bytes */
    _Alignas(max_align_t) char data[];
} ArenaBlock;

enum {
    ALIGN = _Alignof(max_align_t),
    FIRST = 16384,
    LARGE = 65536,
    MOST = 4 << 20,
    HUGE = 2 << 20,
    PART = 16384,
    SPARE = 32,
    SPARE_LISTS = 11
};

struct Arena {
    ArenaBlock *block; /* that the next small request is cut from; the full ones follow */
    ArenaBlock *large;
    ArenaBlock *handed_on;     /* by other arenas */
    void **spare[SPARE_LISTS]; /* released requests of SPARE << k bytes: each points to the next */
    size_t total;
};

void
arena_out_of_memory(void)
{
    fputs("snlc: out of memory\n", stderr);
    exit(71);
}

/* For large blocks a few huge pages are cheaper than a page fault for each page. All pages of a
 * block are treated alike, else it could not be moved as a whole when it grows. */
static void
ask_huge(ArenaBlock *b, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)b / page * page;
    if (bytes >= MOST)
        madvise((void *)from, ((uintptr_t)b + bytes + page - 1) / page * page - from,
                MADV_HUGEPAGE);
#else
    (void)b, (void)bytes;
#endif
}

static ArenaBlock *
block_new(size_t room)
{
    ArenaBlock *b = calloc(1, sizeof(ArenaBlock) + room);
    if (!b)
        arena_out_of_memory();
    ask_huge(b, sizeof(ArenaBlock) + room);
    b->room = b->whole = room;
    return b;
}

/* Of the largest blocks a compilation of a large program has many, and fills them from end to
 * end. */
static ArenaBlock *
block_map(void)
{
    char *p = mmap(NULL, MOST + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        arena_out_of_memory();
    size_t before = (HUGE - (uintptr_t)p % HUGE) % HUGE;
    if (before)
        munmap(p, before);
    if (before < HUGE)
        munmap(p + before + MOST, HUGE - before);
    ArenaBlock *b = (ArenaBlock *)(void *)(p + before);
    ask_huge(b, MOST);
    b->room = b->whole = (MOST - sizeof(ArenaBlock)) / ALIGN * ALIGN;
    b->is_mapped = true;
    return b;
}

static void
block_free(ArenaBlock *b)
{
    if (b->is_mapped)
        munmap(b, MOST);
    else
        free(b);
}

Arena *
arena_new(void)
{
    Arena *a = calloc(1, sizeof *a);
    if (!a)
        arena_out_of_memory();
    return a;
}

static void
free_blocks(ArenaBlock *b)
{
    for (ArenaBlock *next; b; b = next) {
        next = b->next;
        block_free(b);
    }
}

void
arena_free(Arena *a)
{
    free_blocks(a->block);
    free_blocks(a->large);
    free_blocks(a->handed_on);
    free(a);
}

void
arena_reset(Arena *a)
{
    free_blocks(a->large);
    free_blocks(a->handed_on);
    if (a->block) {
        free_blocks(a->block->next);
        memset(a->block->data, 0, a->block->used);
        a->block->next = NULL;
        a->block->used = 0;
    }
    *a = (Arena){.block = a->block};
}

void
arena_hand_on(Arena *from, Arena *to)
{
    ArenaBlock **last = &to->handed_on;
#ifdef __SANITIZE_ADDRESS__ /* uses of what has ended are to be found */
    free_blocks(from->block);
    from->block = NULL;
#endif
    while (*last)
        last = &(*last)->next;
    *last = from->block;
    free_blocks(from->large);
    free_blocks(from->handed_on);
    *from = (Arena){0};
}

static size_t
round_up(size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        arena_out_of_memory();
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static void
link_large(Arena *a, ArenaBlock *b)
{
    b->previous = NULL;
    b->next = a->large;
    if (b->next)
        b->next->previous = b;
    a->large = b;
}

static void
unlink_large(Arena *a, ArenaBlock *b)
{
    if (b->next)
        b->next->previous = b->previous;
    *(b->previous ? &b->previous->next : &a->large) = b->next;
}

static ArenaBlock *
block_of(void *large)
{
    return (ArenaBlock *)((char *)large - offsetof(ArenaBlock, data));
}

/* More room for small requests: the next part of a block that was handed on, such a block, or a new
 * one. Memory is zeroed just before it is used, which is kind to caches. */
static void
make_room(Arena *a)
{
    ArenaBlock *b = a->block;
    if (b && b->room < b->whole) {
        size_t more = b->whole - b->room < PART ? b->whole - b->room : PART;
        memset(b->data + b->room, 0, more);
        b->room += more;
        return;
    }
    if (a->handed_on) {
        b = a->handed_on;
        a->handed_on = b->next;
        b->used = b->room = 0;
    } else
        b = !b ? block_new(FIRST) : b->whole < MOST / 2 ? block_new(b->whole * 2) : block_map();
    b->next = a->block;
    a->block = b;
}

static size_t
room_left(const Arena *a)
{
    return a->block ? a->block->room - a->block->used : 0;
}

void *
arena_alloc(Arena *a, size_t bytes)
{
    bool is_large = bytes >= LARGE;
    bytes = round_up(bytes ? bytes : 1);
    a->total += bytes;
    if (is_large) {
        ArenaBlock *b = block_new(bytes);
        link_large(a, b);
        return b->data;
    }
    while (room_left(a) < bytes)
        make_room(a);
    void *p = a->block->data + a->block->used;
    a->block->used += bytes;
    return p;
}

static void *
resize_large(Arena *a, void *p, size_t bytes)
{
    ArenaBlock *b = block_of(p);
    unlink_large(a, b);
    a->total += round_up(bytes) - b->room;
    b = realloc(b, sizeof(ArenaBlock) + round_up(bytes));
    if (!b)
        arena_out_of_memory();
    b->room = round_up(bytes);
    link_large(a, b);
    ask_huge(b, sizeof(ArenaBlock) + b->room);
    return b->data;
}

/* Makes the last small request larger where it stands. */
static bool
extend(Arena *a, const void *p, size_t old_bytes, size_t bytes)
{
    size_t old = round_up(old_bytes), more = round_up(bytes) - old;
    if (!old || bytes >= LARGE || (const char *)p + old != a->block->data + a->block->used ||
        more > room_left(a))
        return false;
    a->block->used += more;
    a->total += more;
    return true;
}

/* The list that spare memory of this size is on, or NULL. */
static void ***
spare_list(Arena *a, size_t bytes)
{
    if (bytes < SPARE || bytes >= LARGE || (bytes & (bytes - 1)))
        return NULL;
    return &a->spare[__builtin_ctzll(bytes / SPARE)];
}

void *
arena_resize(Arena *a, void *p, size_t old_bytes, size_t bytes)
{
    if (old_bytes >= LARGE)
        return resize_large(a, p, bytes);
    if (extend(a, p, old_bytes, bytes))
        return p;
    void ***spare = spare_list(a, bytes), *to;
    if (spare && *spare) {
        to = *spare;
        *spare = **spare;
    } else
        to = arena_alloc(a, bytes);
    if (old_bytes)
        memcpy(to, p, old_bytes);
    arena_release(a, p, old_bytes);
    return to;
}

void
arena_release(Arena *a, void *p, size_t bytes)
{
    void ***spare = spare_list(a, bytes);
    if (spare) {
        *(void **)p = *spare;
        *spare = p;
    } else if (bytes >= LARGE) {
        ArenaBlock *b = block_of(p);
        unlink_large(a, b);
        a->total -= b->room;
        free(b);
    }
}

char *
arena_strndup(Arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

/* Written straight into what is left of the block, and only when that is too short, elsewhere. */
char *
arena_printf(Arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    size_t room = room_left(a);
    char *to = room ? a->block->data + a->block->used : NULL;
    size_t n = format_text(to, room, fmt, ap);
    bool fits = n < room && n + 1 < LARGE;
    va_end(ap);
    if (room && !fits) /* what follows must find zeros here */
        memset(to, 0, n < room ? n + 1 : room);
    char *p = arena_alloc(a, n + 1);
    if (!fits)
        format_text(p, n + 1, fmt, again);
    va_end(again);
    return p;
}

size_t
arena_bytes(const Arena *a)
{
    return a->total;
}

static int
more_items(int count, size_t item_bytes)
{
    return count ? count * 2 : item_bytes < 64 ? 4 : 1;
}

void *
vec_grow_own(Arena *a, void *items, int count, int *room, size_t item_bytes)
{
    *room = more_items(count, item_bytes);
    return arena_resize(a, items, (size_t)count * item_bytes, (size_t)*room * item_bytes);
}

void *
vec_grow(Arena *a, void *items, int count, int *room, size_t item_bytes)
{
    *room = more_items(count, item_bytes);
    size_t old_bytes = (size_t)count * item_bytes, bytes = (size_t)*room * item_bytes;
    if (extend(a, items, old_bytes, bytes))
        return items;
    void *p = arena_alloc(a, bytes);
    if (count)
        memcpy(p, items, old_bytes);
    return p;
}
