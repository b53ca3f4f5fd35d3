/* Interned strings: open addressing on a multiplicative hash of eight bytes at a time. */
#include "config.h"

#include "base/intern.h"

#include <stdint.h>
#include <string.h>

typedef struct {
    const char *text;
    size_t bytes;
    uint64_t hash;
} InternSlot;

struct Intern {
    Arena *arena;
    InternSlot *slots;
    size_t room, count; /* room is a power of two */
};

static uint64_t
mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

static uint64_t
hash_bytes(const char *s, size_t n)
{
    uint64_t h = n, word;
    for (; n >= sizeof word; s += sizeof word, n -= sizeof word) {
        memcpy(&word, s, sizeof word);
        h = mix(h, word);
    }
    word = 0;
    memcpy(&word, s, n);
    return mix(h, word);
}

Intern *
intern_new(Arena *a)
{
    Intern *t = ARENA_NEW(a, Intern);
    t->arena = a;
    t->room = 1024;
    t->slots = ARENA_ARRAY(a, InternSlot, t->room);
    return t;
}

static void
intern_double(Intern *t)
{
    InternSlot *old = t->slots;
    size_t room = t->room;
    t->room *= 2;
    t->slots = ARENA_ARRAY(t->arena, InternSlot, t->room);
    for (size_t i = 0; i < room; i++) {
        if (!old[i].text)
            continue;
        size_t k = old[i].hash & (t->room - 1);
        while (t->slots[k].text)
            k = (k + 1) & (t->room - 1);
        t->slots[k] = old[i];
    }
    arena_release(t->arena, old, room * sizeof *old);
}

/* The slot of a string, or the empty one where it would go. */
static InternSlot *
find_slot(const Intern *t, const char *s, size_t n, uint64_t h)
{
    size_t k = h & (t->room - 1);
    for (; t->slots[k].text; k = (k + 1) & (t->room - 1))
        if (t->slots[k].hash == h && t->slots[k].bytes == n && !memcmp(t->slots[k].text, s, n))
            break;
    return &t->slots[k];
}

const char *
intern_find(const Intern *t, const char *s, size_t n)
{
    return find_slot(t, s, n, hash_bytes(s, n))->text;
}

const char *
intern_strn(Intern *t, const char *s, size_t n)
{
    uint64_t h = hash_bytes(s, n);
    InternSlot *slot = find_slot(t, s, n, h);
    if (slot->text)
        return slot->text;
    const char *text = arena_strndup(t->arena, s, n);
    *slot = (InternSlot){text, n, h};
    if (++t->count * 2 > t->room)
        intern_double(t);
    return text;
}

const char *
intern_str(Intern *t, const char *s)
{
    return intern_strn(t, s, strlen(s));
}
