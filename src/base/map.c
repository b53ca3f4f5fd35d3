/* Hash table over interned strings. */
#include "config.h"

#include "base/map.h"

#include <stdint.h>

#include "base/vec.h"

void
map_init(Map *m, Arena *a)
{
    *m = (Map){.arena = a};
}

/* Interned strings never move, so their address is the hash; the order of slots is never seen. */
static int
first_slot(const Map *m, const char *key)
{
    uint64_t h = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
    return (int)(h >> 40) & (m->slot_count - 1);
}

static int
find_slot(const Map *m, const char *key)
{
    int k = first_slot(m, key);
    while (m->slots[k] && m->entries[m->slots[k] - 1].key != key)
        k = (k + 1) & (m->slot_count - 1);
    return k;
}

void *
map_get(const Map *m, const char *key)
{
    if (!m->slot_count)
        return NULL;
    int k = find_slot(m, key);
    return m->slots[k] ? m->entries[m->slots[k] - 1].value : NULL;
}

static void
grow_slots(Map *m)
{
    arena_release(m->arena, m->slots, (size_t)m->slot_count * sizeof *m->slots);
    m->slot_count = m->slot_count ? m->slot_count * 2 : 16;
    m->slots = ARENA_ARRAY(m->arena, int, m->slot_count);
    for (int i = 0; i < m->count; i++)
        m->slots[find_slot(m, m->entries[i].key)] = i + 1;
}

void
map_put(Map *m, const char *key, void *value)
{
    if (m->count * 2 >= m->slot_count)
        grow_slots(m);
    int k = find_slot(m, key);
    if (m->slots[k]) {
        m->entries[m->slots[k] - 1].value = value;
        return;
    }
    if (m->count == m->room)
        m->entries = vec_grow_own(m->arena, m->entries, m->count, &m->room, sizeof *m->entries);
    m->entries[m->count++] = (MapEntry){key, value};
    m->slots[k] = m->count;
}
