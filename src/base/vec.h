/* Growable array in an arena. `VEC(T)` is the type; items move when it grows, so keep indices, not
 * pointers, while pushing. */
#ifndef SNL_BASE_VEC_H
#define SNL_BASE_VEC_H

#include "base/arena.h"

#define VEC(T)     \
    struct {       \
        T *items;  \
        int count; \
        int room;  \
    }

/* Returns `items` with room for at least one more, updating *room. */
void *vec_grow(Arena *a, void *items, int count, int *room, size_t item_bytes);
/* The same for items that no copy of the array shares: memory that they outgrow is used again. */
void *vec_grow_own(Arena *a, void *items, int count, int *room, size_t item_bytes);

/* The same, if there is none left. */
static inline void *
vec_room(Arena *a, void *items, int count, int *room, size_t item_bytes)
{
    return count == *room ? vec_grow(a, items, count, room, item_bytes) : items;
}

#define vec_push(arena, v, ...)                                                              \
    ((v)->items = vec_room((arena), (v)->items, (v)->count, &(v)->room, sizeof *(v)->items), \
     (void)((v)->items[(v)->count++] = (__VA_ARGS__)))
#define vec_last(v) ((v)->items[(v)->count - 1])

#endif
