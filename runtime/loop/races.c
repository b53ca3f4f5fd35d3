/* races.c - the table of stores, and the text of races. */
#include "races.h"

/* On a GPU the table cannot grow: its parts get their room at once. */
static void
make_all_room(SnlInstance *rt)
{
    for (int p = 0; p < SNL_RACE_PARTS; p++) {
        SnlRacePart *part = &rt->races->parts[p];
        part->stores = (SnlStored *)snl_memory_lazy(rt, SNL_RACE_ROOM_GPU * sizeof(SnlStored));
        part->room = part->stores ? SNL_RACE_ROOM_GPU : 0;
    }
}

static void
races_free(SnlInstance *rt)
{
    if (!rt->races)
        return;
    for (int p = 0; p < SNL_RACE_PARTS; p++) {
        const SnlRacePart *part = &rt->races->parts[p];
        snl_memory_lazy_put(rt, part->stores, (size_t)part->room * sizeof(SnlStored));
    }
    snl_memory_lazy_put(rt, rt->races, sizeof(SnlRaces));
    rt->races = NULL;
}

void
snl_races_begin(SnlInstance *rt)
{
    static const SnlOwner owner = {NULL, races_free};
    if (!rt->races) {
        snl_own(rt, &owner);
        rt->races = (SnlRaces *)snl_memory_lazy(rt, sizeof(SnlRaces));
        if (rt->races && rt->gpu)
            make_all_room(rt);
    }
    if (rt->races)
        rt->races->loop++;
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

