/* Hash table from interned strings (compared by pointer) to pointers, iterated in insertion
 * order. */
#ifndef SNL_BASE_MAP_H
#define SNL_BASE_MAP_H

#include "base/arena.h"

typedef struct {
    const char *key;
    void *value;
} MapEntry;

typedef struct {
    Arena *arena;
    MapEntry *entries; /* insertion order */
    int count, room;
    int *slots;        /* index into entries + 1, or 0 */
    int slot_count;
} Map;

/* Initialises an empty map. */
void map_init(Map *m, Arena *a);
/* The value of `key`, or NULL. */
void *map_get(const Map *m, const char *key);
/* Sets the value of `key`, replacing an older one. */
void map_put(Map *m, const char *key, void *value);

#endif
