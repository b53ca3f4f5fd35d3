/* core_races.h - the table of stores, in parts that each have a lock, on either side; see core.h.
 */
#ifndef SNL_CORE_CORE_RACES_H
#define SNL_CORE_CORE_RACES_H

#include "core.h"
#include "../loop/races.h"

SNL_FN uint64_t
race_hash(uint64_t address)
{
    return address * 0x9e3779b97f4a7c15u;
}

/* The store to an address, or the free place for it. */
SNL_FN SnlStored *
race_find(const SnlRacePart *part, uint64_t address)
{
    uint64_t mask = (uint64_t)part->room - 1;
    for (uint64_t at = race_hash(address) >> 24; ; at++) {
        SnlStored *s = &part->stores[at & mask];
        if (s->loop != part->loop || s->address == address)
            return s;
    }
}

/* Makes room for one store more; false where there is none. */
SNL_FN bool
race_make_room(SnlInstance *rt, SnlRacePart *part)
{
    SnlRacePart larger = *part;
    if ((part->used + 1) * 4 <= part->room * 3)
        return true;
    larger.room = part->room ? part->room * 2 : SNL_RACE_ROOM;
    if (larger.room > SNL_RACE_ROOM_MAX)
        return false;
    larger.stores =
        SNL_SPLIT((SnlStored *)NULL,
                  (SnlStored *)snl_memory_lazy(rt, (size_t)larger.room * sizeof(SnlStored)));
    if (!larger.stores)
        return false;
    for (int64_t k = 0; k < part->room; k++)
        if (part->stores[k].loop == part->loop)
            *race_find(&larger, part->stores[k].address) = part->stores[k];
    SNL_SPLIT((void)rt,
              snl_memory_lazy_put(rt, part->stores, (size_t)part->room * sizeof(SnlStored)));
    part->room = larger.room;   /* the lock is others' to look at */
    part->stores = larger.stores;
    return true;
}

/* Notes a store to a place where something was stored before. */
SNL_FN bool
race_note_again(SnlStored *s, uint64_t iteration, uint64_t bits)
{
    bool other = s->iteration != iteration, differs = s->bits != bits;
    s->shared |= other;
    s->changed |= differs;
    return s->shared && s->changed;
}

SNL_CORE bool
snl_races_note(SnlInstance *rt, uint64_t address, uint64_t iteration, uint64_t bits,
               uint64_t *other)
{
    SnlRaces *races = rt->races;
    SnlRacePart *part = races ? &races->parts[race_hash(address) >> 58] : NULL;
    SnlStored *s;
    bool found = false;
    if (!part)
        return false;
    snl_lock(&part->lock);
    if (part->loop != races->loop) {
        part->loop = races->loop;
        part->used = 0;
    }
    s = part->room ? race_find(part, address) : NULL;
    if (s && s->loop == part->loop) {
        found = race_note_again(s, iteration, bits);
        *other = s->bits;
    } else if (race_make_room(rt, part)) {
        SnlStored first = { part->loop, address, iteration, bits, false, false };
        *race_find(part, address) = first;
        part->used++;
    }
    snl_unlock(&part->lock);
    return found;
}

/* The text of a race, for places with so many indices. */
SNL_FN const char *
race_format(int axes, bool differs)
{
#define SNL_RACE(indices) "data race: two iterations store to {}" indices
    const char *const same[] = {
        SNL_RACE(""), SNL_RACE("[{}]"), SNL_RACE("[{}, {}]"), SNL_RACE("[{}, {}, {}]"),
        SNL_RACE("[{}, {}, {}, {}]"), SNL_RACE("[{}, {}, {}, {}, {}]"),
        SNL_RACE("[{}, {}, {}, {}, {}, {}]"), SNL_RACE("[{}, {}, {}, {}, {}, {}, {}]"),
        SNL_RACE("[{}, {}, {}, {}, {}, {}, {}, {}]")
    };
    const char *const two[] = {SNL_RACE(": {} and {}"),
                               SNL_RACE("[{}]: {} and {}"),
                               SNL_RACE("[{}, {}]: {} and {}"),
                               SNL_RACE("[{}, {}, {}]: {} and {}"),
                               SNL_RACE("[{}, {}, {}, {}]: {} and {}"),
                               SNL_RACE("[{}, {}, {}, {}, {}]: {} and {}"),
                               SNL_RACE("[{}, {}, {}, {}, {}, {}]: {} and {}"),
                               SNL_RACE("[{}, {}, {}, {}, {}, {}, {}]: {} and {}"),
                               SNL_RACE("[{}, {}, {}, {}, {}, {}, {}, {}]: {} and {}")};
#undef SNL_RACE
    return differs ? two[axes] : same[axes];
}

SNL_CORE void
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
            SnlArg args[SNL_RACE_AXES + 3] = { { SNL_STRING, 0, 0, what } };
            bool differs = !snl_same(&other, value, bytes);
            for (int a = 0; a < axes; a++)
                args[1 + a] = (SnlArg){ SNL_I64, 0, 0, &index[a] };
            args[1 + axes] = (SnlArg){ tag, 0, 0, &other };
            args[2 + axes] = (SnlArg){ tag, 0, 0, value };
            snl_fail_format(rt, SNL_EINVAL, file, line, race_format(axes, differs),
                            1 + axes + (differs ? 2 : 0), args);
            return;
        }
    }
}

#endif
