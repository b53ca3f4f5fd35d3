/* Model of changing the table of a hash container, for spin: tests/scripts/model.sh runs it.
 *
 * Threads insert, look up and erase cells of one container, or empty it, in any order; every stripe holds at most ROOM entries, so that
 * tables are made anew, by all threads that wait for it. The steps are those of runtime/core/core_hash.h and node_hash.h (hash_insert,
 * table_grow, table_fill_parts, snl_hash_find, snl_hash_deactivate, snl_hash_clear); what happens there in one atomic instruction is one
 * step here. The claims:
 *   - a cell is in the table of the container at most once, with one element, and never gets lost;
 *   - who looks a cell up finds one that was inserted and is complete;
 *   - each element that was handed out is at the end in the table, recycled, or given back by its thread;
 *   - no thread waits for ever (spin finds the end states that are none).
 * With -DBROKEN_CHECK, where who has locked a stripe does not look whether the table is still that of the container, -DBROKEN_GROW,
 * where the stripes are not locked while a table is copied, or -DBROKEN_HELP, where a table is published before those who help have put
 * their parts into it, the model has a mistake, which spin must find.
 */
#ifndef THREADS
#define THREADS 2
#endif
#ifndef STEPS
#define STEPS 2                 /* verbs that a thread calls */
#endif
#define CELLS 3
#define STRIPES 2               /* cell c lies in stripe c % 2 */
#define ROOM 1                  /* used entries of a stripe of the first table; each next one has one more */
#define TABLES (THREADS * STEPS + 2)   /* each verb makes one at most, or lets another make one more */
#define ELEMENTS (THREADS * STEPS)

typedef Table {
    byte element[CELLS];        /* 0: none */
    bool lock[STRIPES];
    byte used[STRIPES];         /* with erased ones */
    byte room;
    byte larger;                /* 0: none is made */
    byte from;
    byte begun, done            /* parts of `from`, which are its stripes */
};
Table tables[TABLES];           /* number 0: no table */
byte table_count = 1;
byte current = 0;               /* SnlHash.table */
bool map_lock = false;
byte element_count = 0;
bool ready[ELEMENTS + 1];       /* the indices are written */
byte places[ELEMENTS + 1];
byte done = 0;

#define stripe_of(cell) (cell % STRIPES)
#define live_in(t, stripe) (stripe == 0 -> (tables[t].element[0] != 0) + (tables[t].element[2] != 0) : tables[t].element[1] != 0)

/* table_fill_parts: a part is moved in one step, as nobody else looks at what it changes. */
inline fill_parts(to)
{
    do
    :: atomic { k = tables[to].begun; tables[to].begun++ };
       if
       :: k >= STRIPES -> break
       :: else -> skip
       fi;
       atomic {
           for (moved : 0 .. CELLS - 1) {
               if
               :: stripe_of(moved) == k && tables[tables[to].from].element[moved] != 0 ->
                   tables[to].element[moved] = tables[tables[to].from].element[moved];
                   tables[to].used[k]++
               :: else -> skip
               fi
           };
           moved = 0
       };
       tables[to].done++
    od;
    k = 0
}

/* table_lock: whether that is so is seen in one step, which stands for the last of those that look. */
inline table_lock(the_table, the_lock)
{
    do
    :: atomic { !the_lock -> the_lock = true }; break
    :: atomic { the_lock && tables[the_table].larger != 0 && tables[tables[the_table].larger].begun < STRIPES ->
           larger = tables[the_table].larger };
       fill_parts(larger);
       larger = 0
    od
}

/* stripe_lock: `table` is 0 where there is none. */
inline stripe_lock(cell)
{
    do
    :: table = current;
       if
       :: table == 0 -> break
       :: else -> skip
       fi;
       table_lock(table, tables[table].lock[stripe_of(cell)]);
#ifdef BROKEN_CHECK
       break
#else
       if
       :: current == table -> break
       :: else -> tables[table].lock[stripe_of(cell)] = false
       fi
#endif
    od
}

/* table_grow, with the table that was seen. */
inline table_grow()
{
    table_lock(table, map_lock);
    if
    :: current == table ->
#ifndef BROKEN_GROW
        if
        :: table != 0 ->
            atomic { !tables[table].lock[0] -> tables[table].lock[0] = true };
            atomic { !tables[table].lock[1] -> tables[table].lock[1] = true }
        :: else -> skip
        fi;
#endif
        atomic {
            larger = table_count;
            table_count++;
            assert(larger < TABLES);
            tables[larger].room = tables[table].room + 1;
            tables[larger].from = table
        };
        if
        :: table != 0 ->
            tables[table].larger = larger;
            fill_parts(larger);
#ifndef BROKEN_HELP
            tables[larger].done == STRIPES
#endif
        :: else -> skip
        fi;
        current = larger;
#ifndef BROKEN_GROW
        if
        :: table != 0 -> tables[table].lock[0] = false; tables[table].lock[1] = false
        :: else -> skip
        fi
#endif
    :: else -> skip
    fi;
    map_lock = false;
    larger = 0;
    k = 0
}

/* snl_hash_find */
inline hash_find(cell)
{
    table = current;
    if
    :: table != 0 -> found = tables[table].element[cell]
    :: else -> found = 0
    fi;
    assert(found == 0 || ready[found])
}

/* snl_hash_activate, snl_hash_make and hash_insert */
inline hash_activate(cell)
{
    hash_find(cell);
    if
    :: found != 0 -> skip
    :: else ->
        atomic { element_count++; made = element_count };
        ready[made] = true;
        do
        :: stripe_lock(cell);
           if
           :: table != 0 ->
               found = tables[table].element[cell];
               if
               :: found == 0 && tables[table].used[stripe_of(cell)] > live_in(table, stripe_of(cell)) ->
                   tables[table].element[cell] = made;         /* in an erased entry */
                   found = made
               :: found == 0 && tables[table].used[stripe_of(cell)] == live_in(table, stripe_of(cell)) &&
                  tables[table].used[stripe_of(cell)] < tables[table].room ->
                   tables[table].used[stripe_of(cell)]++;
                   tables[table].element[cell] = made;
                   found = made
               :: else -> skip
               fi;
               tables[table].lock[stripe_of(cell)] = false;
               if
               :: found != 0 -> break
               :: else -> skip
               fi
           :: else -> skip
           fi;
           table_grow()
        od;
        assert(ready[found]);
        atomic {
            if
            :: found != made -> places[made]++      /* given back */
            :: else -> skip
            fi;
            made = 0
        }
    fi
}

/* snl_hash_deactivate */
inline hash_deactivate(cell)
{
    stripe_lock(cell);
    if
    :: table != 0 ->
        atomic { found = tables[table].element[cell]; tables[table].element[cell] = 0 };
        tables[table].lock[stripe_of(cell)] = false;
        atomic {
            if
            :: found != 0 -> places[found]++        /* recycled */
            :: else -> skip
            fi
        }
    :: else -> skip
    fi
}

/* snl_hash_clear */
inline hash_clear()
{
    atomic { !map_lock -> map_lock = true };
    table = current;
    if
    :: table != 0 ->
        atomic { !tables[table].lock[0] -> tables[table].lock[0] = true };
        atomic { !tables[table].lock[1] -> tables[table].lock[1] = true };
        current = 0;
        tables[table].lock[0] = false;
        tables[table].lock[1] = false
    :: else -> skip
    fi;
    map_lock = false;
    k = 0;
    do
    :: table != 0 && k < CELLS ->
        atomic {
            if
            :: tables[table].element[k] != 0 -> places[tables[table].element[k]]++
            :: else -> skip
            fi
        };
        k++
    :: else -> break
    od;
    k = 0
}

active [THREADS] proctype thread()
{
    byte made = 0, found = 0, table = 0, larger = 0, k = 0, moved = 0, step = 0;
    do
    :: step < STEPS ->
        if
        :: hash_activate(0)
        :: hash_activate(1)
        :: hash_activate(2)
        :: hash_deactivate(0)
        :: hash_clear()
        fi;
        found = 0;
        table = 0;
        step++
    :: else -> break
    od;
    done++
}

active proctype end()
{
    byte i;
    done == THREADS;
    atomic {
        assert(!map_lock);
        if
        :: current != 0 ->
            assert(!tables[current].lock[0] && !tables[current].lock[1]);
            for (i : 0 .. CELLS - 1) {
                if
                :: tables[current].element[i] != 0 -> places[tables[current].element[i]]++
                :: else -> skip
                fi
            }
        :: else -> skip
        fi;
        i = 1;
        do
        :: i <= element_count -> assert(places[i] == 1); i++
        :: else -> break
        od
    }
}
