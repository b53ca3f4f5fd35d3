/* tape.c - words and fields that are taken back in the opposite order. */
#include "tape.h"

#include <stdlib.h>

/* A field that was kept. */
typedef struct Kept {
    struct Kept *before;
    int64_t count;              /* elements */
    uint64_t bytes;
} Kept;

typedef struct SnlTape {
    int64_t *words, word_count, word_room;
    Kept *last[SNL_TAPES];
} SnlTape;

/* Where the elements of a kept field begin. */
enum { HEAD = (sizeof(Kept) + SNL_ALIGN - 1) / SNL_ALIGN * SNL_ALIGN };

static void *
elements(Kept *k)
{
    return (char *)k + HEAD;
}

/* The tape of an instance, or NULL after an error. */
static SnlTape *
tape_of(SnlInstance *rt)
{
    static const SnlOwner owner = { NULL, snl_tape_clear };
    if (snl_failed(rt))
        return NULL;
    if (rt->tape)
        return rt->tape;
    rt->tape = calloc(1, sizeof(SnlTape));
    if (rt->tape)
        snl_own(rt, &owner);
    else
        snl_fail_memory(rt, "the tape of a derivative", sizeof(SnlTape));
    return rt->tape;
}

static void
drop_last(SnlInstance *rt, SnlTape *t, int tape)
{
    Kept *k = t->last[tape];
    t->last[tape] = k->before;
    snl_memory_put(rt, k, k->bytes);
}

void
snl_tape_clear(SnlInstance *rt)
{
    SnlTape *t = rt->tape;
    if (!t)
        return;
    for (int i = 0; i < SNL_TAPES; i++)
        while (t->last[i])
            drop_last(rt, t, i);
    free(t->words);
    free(t);
    rt->tape = NULL;
}

snl_status
snl_tape_keep_word(SnlInstance *rt, int64_t word)
{
    SnlTape *t = tape_of(rt);
    if (!t)
        return snl_status_of(rt);
    if (t->word_count == t->word_room) {
        const int64_t room = t->word_room ? 2 * t->word_room : 256;
        int64_t *words = realloc(t->words, (size_t)room * sizeof *words);
        if (!words)
            return snl_fail_memory(rt, "the tape of a derivative", (uint64_t)room * sizeof *words);
        t->words = words;
        t->word_room = room;
    }
    t->words[t->word_count++] = word;
    return SNL_OK;
}

int64_t
snl_tape_take_word(SnlInstance *rt)
{
    SnlTape *t = rt->tape;
    return t && t->word_count && !snl_failed(rt) ? t->words[--t->word_count] : 0;
}

snl_status
snl_tape_keep(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, int tape)
{
    SnlTape *t = tape_of(rt);
    if (!t)
        return snl_status_of(rt);
    const int64_t count = snl_field_count(trees, f);
    const uint64_t bytes = HEAD + (uint64_t)count * (uint64_t)f->element_bytes;
    Kept *k = snl_memory_raw(rt, bytes);
    if (!k)
        return snl_fail_memory(rt, "the tape of a derivative", bytes);
    *k = (Kept){t->last[tape], count, bytes};
    t->last[tape] = k;
    return snl_field_get(rt, trees, f, elements(k), count);
}

snl_status
snl_tape_take(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, int tape)
{
    SnlTape *t = tape_of(rt);
    if (!t || !t->last[tape])
        return snl_status_of(rt);
    Kept *k = t->last[tape];
    snl_status status = snl_field_set(rt, trees, f, elements(k), k->count);
    drop_last(rt, t, tape);
    return status;
}
