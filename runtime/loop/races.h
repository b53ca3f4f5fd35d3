/* races.h - finds iterations of one parallel loop that store different values in one place.
 *
 * Generated code calls this with --check=race only. For each address that the loop stores to, a
 * table keeps the iteration that came first and the value that it stored. Several iterations may
 * store the same value. Whether there is a race does not depend on the order of the iterations. The
 * table belongs to the instance, starts anew with each loop, and grows to a fixed size. Stores to
 * addresses for which it has no room are not checked.
 */
#ifndef SNL_LOOP_RACES_H
#define SNL_LOOP_RACES_H

#include "../core/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The "iteration" of code outside of parallel loops, whose stores cannot race. */
#define SNL_SEQUENTIAL UINT64_MAX

enum {
    SNL_RACE_AXES = 8,          /* indices of a place at most */
    SNL_RACE_PARTS = 64,
    SNL_RACE_ROOM = 64,            /* stores that a part has room for at first, and at most */
    SNL_RACE_ROOM_MAX = 65536,
    SNL_RACE_ROOM_GPU = 4096
};

/* A place that was stored to. */
typedef struct {
    uint64_t loop;              /* 0: free; what an earlier loop left is as good as free */
    uint64_t address;
    uint64_t iteration;         /* that stored first, */
    uint64_t bits;              /* this */
    bool shared;                /* other iterations stored the same */
    bool changed;               /* the iteration then stored something else */
} SnlStored;

typedef struct {
    int lock;
    uint64_t loop;              /* that `used` counts for */
    int64_t room, used;
    SnlStored *stores;              /* open addressing, linear probing; room is a power of two */
} SnlRacePart;

struct SnlRaces {
    uint64_t loop;              /* number of the loop that runs */
    SnlRacePart parts[SNL_RACE_PARTS];
};
typedef struct SnlRaces SnlRaces;

/* Forgets the stores of earlier loops; called before the iterations start. */
void snl_races_begin(SnlInstance *rt);

/* Notes that an iteration stores these bits at an address; true where that races with another
 * store, whose bits are put into *other. */
SNL_CORE bool snl_races_note(SnlInstance *rt, uint64_t address, uint64_t iteration, uint64_t bits,
                    uint64_t *other);

/* Notes that an iteration stores `count` scalars of a type; an error where that is a race.  what
 * and its indices name the place. */
SNL_CORE void snl_check_store(SnlInstance *rt, const char *file, int line, uint64_t iteration,
                     const void *place, const void *values, int tag, int count, const char *what,
                     int axes, const int64_t *index);

/* Appends "data race: ..." for two values of a type. */
void snl_race_text(SnlText *t, const char *what, int axes, const int64_t *index, int tag,
                   const void *a, const void *b);

#ifdef __cplusplus
}
#endif

#endif
