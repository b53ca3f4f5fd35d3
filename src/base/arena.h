/* Arena: all memory of one compilation. Blocks are zero-filled; nothing small is freed one by one.
 * Allocation never returns NULL: out of memory prints a message and ends the process with status
 * 71, in one place. */
#ifndef SNL_BASE_ARENA_H
#define SNL_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct Arena Arena;

/* Prints a message and ends the process with status 71, for what has no arena. */
_Noreturn void arena_out_of_memory(void);
/* Makes an empty arena; the caller ends it with arena_free. */
Arena *arena_new(void);
/* Frees the arena and everything allocated from it. */
void arena_free(Arena *a);
/* Frees everything allocated from it; the arena goes on with the memory of its last block. */
void arena_reset(Arena *a);
/* Frees everything allocated from it; its memory serves another arena. */
void arena_hand_on(Arena *from, Arena *to);
/* Returns `bytes` zero-filled bytes aligned for any type. */
void *arena_alloc(Arena *a, size_t bytes);
/* Makes an allocation of `old_bytes` (0: none, p is NULL) larger: it is extended, or moved and
 * released. What is beyond the old bytes is undefined. */
void *arena_resize(Arena *a, void *p, size_t old_bytes, size_t bytes);
/* Gives an allocation back before the arena ends. */
void arena_release(Arena *a, void *p, size_t bytes);
/* Copies `n` bytes of `s` and appends a NUL. */
char *arena_strndup(Arena *a, const char *s, size_t n);
/* printf into the arena. */
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Bytes handed out so far. */
size_t arena_bytes(const Arena *a);

/* Room for an array, for one item at least. */
static inline void *
arena_array(Arena *a, size_t item_bytes, int64_t count)
{
    return arena_alloc(a, item_bytes * (size_t)(count > 0 ? count : 1));
}

#define ARENA_NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_array((a), sizeof(T), (n)))

#endif
