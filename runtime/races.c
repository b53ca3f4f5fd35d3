/* races.c - the table of stores, in parts that each have a lock: several threads look at once. */
#include "races.h"

enum {
    PARTS = 64,
    ROOM_START = 64,            /* stores that a part has room for at first, and at most */
    ROOM_MAX = 65536
};

/* A place that was stored to. */
typedef struct {
    uint64_t loop;              /* 0: free; what an earlier loop left is as good as free */
    uint64_t address;
    uint64_t iteration;         /* that stored first, */
    uint64_t bits;              /* this */
    bool shared;                /* other iterations stored the same */
    bool changed;               /* the iteration then stored something else */
} Store;

typedef struct {
    int lock;
    uint64_t loop;              /* that `used` counts for */
    int64_t room, used;
    Store *stores;              /* open addressing, linear probing; room is a power of two */
} Part;

typedef struct SnlRaces {
    uint64_t loop;              /* number of the loop that runs */
    Part parts[PARTS];
} Races;

void
snl_races_begin(SnlInstance *rt)
{
    if (!rt->races)
        rt->races = snl_memory_lazy(rt, sizeof(Races));
    if (rt->races)
        rt->races->loop++;
}

void
snl_races_free(SnlInstance *rt)
{
    if (!rt->races)
        return;
    for (int p = 0; p < PARTS; p++) {
        const Part *part = &rt->races->parts[p];
        snl_memory_lazy_put(rt, part->stores, (size_t)part->room * sizeof(Store));
    }
    snl_memory_lazy_put(rt, rt->races, sizeof(Races));
    rt->races = NULL;
}

static uint64_t
hash_of(uint64_t address)
{
    return address * 0x9e3779b97f4a7c15u;
}

/* The store to an address, or the free place for it. */
static Store *
find(const Part *part, uint64_t address)
{
    uint64_t mask = (uint64_t)part->room - 1;
    for (uint64_t at = hash_of(address) >> 24; ; at++) {
        Store *s = &part->stores[at & mask];
        if (s->loop != part->loop || s->address == address)
            return s;
    }
}

/* Makes room for one store more; false where there is none. */
static bool
make_room(SnlInstance *rt, Part *part)
{
    Part larger = *part;
    if ((part->used + 1) * 4 <= part->room * 3)
        return true;
    larger.room = part->room ? part->room * 2 : ROOM_START;
    if (larger.room > ROOM_MAX)
        return false;
    larger.stores = snl_memory_lazy(rt, (size_t)larger.room * sizeof(Store));
    if (!larger.stores)
        return false;
    for (int64_t k = 0; k < part->room; k++)
        if (part->stores[k].loop == part->loop)
            *find(&larger, part->stores[k].address) = part->stores[k];
    snl_memory_lazy_put(rt, part->stores, (size_t)part->room * sizeof(Store));
    *part = larger;
    return true;
}

/* Notes a store to a place where something was stored before. */
static bool
note_again(Store *s, uint64_t iteration, uint64_t bits)
{
    bool other = s->iteration != iteration, differs = s->bits != bits;
    s->shared |= other;
    s->changed |= differs;
    return s->shared && s->changed;
}

bool
snl_races_note(SnlInstance *rt, uint64_t address, uint64_t iteration, uint64_t bits,
               uint64_t *other)
{
    Races *races = rt->races;
    Part *part = races ? &races->parts[hash_of(address) >> 58] : NULL;
    Store *s;
    bool found = false;
    if (!part)
        return false;
    snl_lock(&part->lock);
    if (part->loop != races->loop) {
        part->loop = races->loop;
        part->used = 0;
    }
    s = part->room ? find(part, address) : NULL;
    if (s && s->loop == part->loop) {
        found = note_again(s, iteration, bits);
        *other = s->bits;
    } else if (make_room(rt, part)) {
        Store first = { part->loop, address, iteration, bits, false, false };
        *find(part, address) = first;
        part->used++;
    }
    snl_unlock(&part->lock);
    return found;
}

/* Appends one value of a type. */
static void
append_value(SnlText *t, int tag, const void *value)
{
    SnlArg arg = { tag, 0, 0, value };
    snl_format_text(t, "{}", 1, &arg);
}

void
snl_race_text(SnlText *t, const char *what, int axes, const int64_t *index, int tag,
              const void *a, const void *b)
{
    snl_text_string(t, "data race: two iterations store to ");
    snl_text_string(t, what);
    for (int k = 0; k < axes; k++) {
        snl_text_string(t, k ? ", " : "[");
        append_value(t, SNL_I64, &index[k]);
    }
    snl_text_string(t, axes ? "]" : "");
    if (memcmp(a, b, (size_t)snl_scalar_bytes(tag)) == 0)
        return;
    snl_text_string(t, ": ");
    append_value(t, tag, a);
    snl_text_string(t, " and ");
    append_value(t, tag, b);
}

void
snl_check_store(SnlInstance *rt, const char *file, int line, uint64_t iteration,
                const void *place, const void *values, int tag, int count, const char *what,
                int axes, const int64_t *index)
{
    size_t bytes = (size_t)snl_scalar_bytes(tag);
    if (iteration == SNL_SEQUENTIAL)
        return;
    for (int k = 0; k < count; k++) {
        const char *value = (const char *)values + (size_t)k * bytes;
        uint64_t address = (uint64_t)(uintptr_t)place + (uint64_t)k * bytes;
        uint64_t bits = 0, other;
        memcpy(&bits, value, bytes);
        if (snl_races_note(rt, address, iteration, bits, &other)) {
            SnlText text = SNL_TEXT_EMPTY;
            snl_race_text(&text, what, axes, index, tag, &other, value);
            snl_fail(rt, SNL_EINVAL, file, line, "%s", snl_text_chars(&text));
            snl_text_free(&text);
            return;
        }
    }
}
