/* Names that are told apart by numbers. Thousands may be alike: each goes on where the last one
 * ended. */
#include "config.h"

#include "base/unique_names.h"

void
unique_init(Unique *u, Arena *a)
{
    map_init(&u->taken, a);
    map_init(&u->numbers, a);
}

bool
unique_has(const Unique *u, const char *name)
{
    return map_get(&u->taken, name) != NULL;
}

const char *
unique_take(Unique *u, Intern *t, const char *name)
{
    const char *first = intern_str(t, name), *key = first;
    if (unique_has(u, key)) {
        int *last = map_get(&u->numbers, first);
        if (!last) {
            last = ARENA_NEW(u->taken.arena, int);
            *last = 1;
            map_put(&u->numbers, first, last);
        }
        while (unique_has(u, key))
            key = intern_str(t, arena_printf(u->taken.arena, "%s_%d", first, ++*last));
    }
    map_put(&u->taken, key, u);
    return key;
}
