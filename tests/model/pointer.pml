/* Model of activation of pointer cells without locks, for spin: tests/scripts/model.sh runs it.
 *
 * Threads activate, look up and deactivate the cells of one container in any order. The steps are those of runtime/tree/node_pointer.h,
 * core_node.h (snl_pointer_make, snl_pointer_fill, snl_pointer_deactivate) and core_pool.h (snl_pool_take, snl_pool_untake,
 * snl_pool_recycle); what is atomic there is atomic here. The claims:
 *   - each element is published at most once between two collections, and only after it holds the ambient image;
 *   - whoever finds a cell finds one that is complete, and that no other cell has;
 *   - at the end each element that was handed out is in one place: a slot, the recycled, or what its thread keeps;
 *   - while no verb runs, a slot that is not empty has its bit set.
 * With -DBROKEN_PUBLISH or -DBROKEN_ORDER the model has a mistake, which spin must find.
 */
#ifndef THREADS
#define THREADS 2
#endif
#ifndef STEPS
#define STEPS 2                 /* verbs that a thread calls */
#endif
#define CELLS 2
#define RUN 2                   /* elements that a thread claims at once */
#define ELEMENTS (THREADS * (STEPS * RUN))

byte fresh = 1;                 /* SnlPool.fresh; element 0 is no element */
byte slots[CELLS];              /* of the container */
bool mask[CELLS];
byte recycled_count = 0;        /* SnlPool.recycled, a store */
byte recycled[ELEMENTS + 1];
bool ready[ELEMENTS + 1];       /* the element holds the image */
bool published[ELEMENTS + 1];
byte places[ELEMENTS + 1];      /* counted at the end */
byte done = 0;

/* snl_pool_take: what was given back, the run of the thread, or a new run by compare-and-swap (claim_fresh). */
inline pool_take(made)
{
    if
    :: returned != 0 -> made = returned; returned = 0
    :: else ->
        if
        :: run_left > 0 -> skip
        :: else ->
            do
            :: seen = fresh;
               atomic {
                   if
                   :: fresh == seen -> fresh = seen + RUN; run_next = seen; run_left = RUN; break
                   :: else -> skip
                   fi
               }
            od
        fi;
        made = run_next;
        run_next++;
        run_left--;
        assert(made <= ELEMENTS && !ready[made]);
#ifndef BROKEN_ORDER
        ready[made] = true      /* reset_element */
#endif
    fi
}

/* snl_pool_recycle: a place by one addition, then the element. */
inline pool_recycle(element)
{
    atomic { index = recycled_count; recycled_count++ };
    recycled[index] = element
}

/* snl_pool_untake */
inline pool_untake(element)
{
    if
    :: returned == 0 -> returned = element
    :: else -> pool_recycle(element)
    fi
}

/* snl_pointer_make: gives `found`. */
inline pointer_make(cell)
{
    pool_take(made);
#ifdef BROKEN_PUBLISH
    if
    :: slots[cell] == 0 -> slots[cell] = made; found = 0
    :: else -> found = slots[cell]
    fi;
#else
    atomic {
        found = slots[cell];
        if
        :: found == 0 -> slots[cell] = made
        :: else -> skip
        fi
    };
#endif
    if
    :: found == 0 ->
        atomic { assert(!published[made]); published[made] = true };
        found = made
    :: else -> pool_untake(made)
    fi;
#ifdef BROKEN_ORDER
    ready[found] = true;
#endif
    made = 0
}

/* snl_pointer_activate and snl_pointer_fill */
inline pointer_activate(cell)
{
    found = slots[cell];
    if
    :: found != 0 -> skip
    :: else ->
        pointer_make(cell);
        mask[cell] = true
    fi;
    assert(found != 0 && ready[found]);
    found = 0
}

/* snl_pointer_lookup */
inline pointer_lookup(cell)
{
    found = slots[cell];
    assert(found == 0 || ready[found]);
    found = 0
}

/* snl_pointer_deactivate */
inline pointer_deactivate(cell)
{
    if
    :: slots[cell] == 0 -> skip
    :: else ->
        mask[cell] = false;
        atomic { found = slots[cell]; slots[cell] = 0 };
        if
        :: found == 0 -> skip
        :: else -> pool_recycle(found)
        fi
    fi;
    found = 0
}

active [THREADS] proctype thread()
{
    byte returned = 0, run_next = 0, run_left = 0;      /* SnlPoolRun */
    byte made = 0, found = 0, seen = 0, index = 0, step = 0;
    do
    :: step < STEPS ->
        if
        :: pointer_activate(0)
        :: pointer_activate(1)
        :: pointer_deactivate(0)
        :: pointer_lookup(0)
        fi;
        seen = 0;
        index = 0;
        step++
    :: else -> break
    od;
    /* What the thread keeps: the element that it gave back, and the rest of its run. */
    atomic {
        if
        :: returned != 0 -> places[returned]++
        :: else -> skip
        fi;
        do
        :: run_left > 0 -> places[run_next]++; run_next++; run_left--
        :: else -> break
        od;
        done++
    }
}

active proctype end()
{
    byte i;
    done == THREADS;
    atomic {
        for (i : 0 .. CELLS - 1) {
            assert(slots[i] == 0 || mask[i]);
            if
            :: slots[i] != 0 -> places[slots[i]]++
            :: else -> skip
            fi
        };
        i = 0;
        do
        :: i < recycled_count -> places[recycled[i]]++; i++
        :: else -> break
        od;
        i = 1;
        do
        :: i < fresh -> assert(places[i] == 1); i++
        :: else -> break
        od
    }
}
