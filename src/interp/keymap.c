/* Hash tables from Key to one word. */
#include "config.h"

#include <stdlib.h>

#include "interp/inside.h"

static int64_t
slot_of_key(const KeyMap *m, Key key)
{
    uint64_t h =
        ((uint64_t)key ^ (uint64_t)(key >> 64) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return (int64_t)(h >> 20) & (m->room - 1);
}

Leaf *
keymap_find(const KeyMap *m, Key key)
{
    if (!m->room)
        return NULL;
    int64_t i = slot_of_key(m, key);
    for (; m->state[i]; i = (i + 1) & (m->room - 1))
        if (m->state[i] == 1 && m->keys[i] == key)
            return &m->words[i];
    return NULL;
}

static void
keymap_resize(KeyMap *m)
{
    KeyMap old = *m;
    *m = (KeyMap){.room = old.used * 4 < 16 ? 16 : 1};
    while (m->room < old.used * 4)
        m->room *= 2;
    m->keys = interp_memory((size_t)m->room, sizeof *m->keys);
    m->words = interp_memory((size_t)m->room, sizeof *m->words);
    m->state = interp_memory((size_t)m->room, 1);
    for (int64_t i = 0; i < old.room; i++)
        if (old.state[i] == 1)
            keymap_add(m, old.keys[i], old.words[i]);
    keymap_free(&old);
}

Leaf *
keymap_add(KeyMap *m, Key key, Leaf fresh)
{
    Leaf *found = keymap_find(m, key);
    if (found)
        return found;
    if ((m->filled + 1) * 2 > m->room)
        keymap_resize(m);
    int64_t i = slot_of_key(m, key);
    while (m->state[i])
        i = (i + 1) & (m->room - 1);
    m->state[i] = 1;
    m->keys[i] = key;
    m->words[i] = fresh;
    m->used++;
    m->filled++;
    return &m->words[i];
}

void
keymap_remove(KeyMap *m, Key key)
{
    Leaf *found = keymap_find(m, key);
    if (!found)
        return;
    m->state[found - m->words] = 2;
    m->used--;
}

void
keymap_free(KeyMap *m)
{
    free(m->keys);
    free(m->words);
    free(m->state);
    *m = (KeyMap){0};
}
