/* Model of appending to a list without locks, for spin: tests/scripts/model.sh runs it.
 *
 * Threads append to one list, which may have too little room, or too little memory. The steps are those of core_dynamic.h
 * (dynamic_block, dynamic_cell, snl_dynamic_append, snl_dynamic_append_at) and snl_pointer_make of core_node.h. The claims:
 *   - the block and each chunk are published once, and only when they are complete;
 *   - two appends never get the same cell, and what is written to a cell stays there;
 *   - at the end the indices given are 0 ... length-1 without a gap, unless memory was short, which is reported;
 *   - a list that is full holds as many cells as it may, and the appends beyond are reported.
 * With -DBROKEN_LENGTH the model has a mistake, which spin must find.
 */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef STEPS
#define STEPS 1                 /* appends of a thread */
#endif
#ifndef ROOM
#define ROOM 3                  /* cells that the list may have */
#endif
#ifndef MEMORY
#define MEMORY 9                /* chunks that there is memory for */
#endif
#define CHUNK 2                 /* cells of a chunk */
#define CHUNKS 2

byte block = 0;                 /* SnlDynamic.block: the number of the block, 0 for none */
byte blocks = 0;                /* taken so far */
bool block_ready[THREADS * STEPS + 1];
byte length = 0;                /* SnlDynamicBlock.length */
byte chunks[CHUNKS];            /* SnlDynamicBlock.chunks: numbers of elements, 0 for none */
byte fresh = 0;                 /* elements handed out */
bool ready[MEMORY + 1];
byte written[(MEMORY + 1) * CHUNK]; /* what the cells hold: the thread, from 1 on */
byte given[ROOM];               /* how often an index was given */
byte successes = 0, beyond = 0, short_of_memory = 0, done = 0;

/* dynamic_block: `made` is the block that the thread works with. */
inline dynamic_block()
{
    made = block;
    if
    :: made != 0 -> skip
    :: else ->
        atomic { blocks++; made = blocks };
        block_ready[made] = true;
        atomic {
            if
            :: block == 0 -> block = made
            :: else -> made = block     /* its own goes back: snl_pool_untake */
            fi
        }
    fi;
    assert(block_ready[made] && made == block);
    made = 0
}

/* snl_pool_take: an element with the image, or 0. */
inline pool_take(made)
{
    atomic {
        if
        :: fresh < MEMORY -> fresh++; made = fresh
        :: else -> made = 0
        fi
    };
    ready[made] = made != 0
}

/* dynamic_cell: `chunk` becomes the element, or 0 without memory. */
inline dynamic_cell(cell)
{
    chunk = chunks[cell / CHUNK];
    if
    :: chunk != 0 -> skip
    :: else ->                  /* snl_pointer_make */
        pool_take(made);
        if
        :: made == 0 -> skip    /* no memory, although another thread may have some by now */
        :: else ->
            atomic {
                chunk = chunks[cell / CHUNK];
                if
                :: chunk == 0 -> chunks[cell / CHUNK] = made; chunk = made
                :: else -> skip /* the other one stays with the thread: snl_pool_untake */
                fi
            }
        fi;
        made = 0
    fi
}

/* snl_dynamic_append and snl_dynamic_append_at */
inline dynamic_append()
{
    dynamic_block();
#ifdef BROKEN_LENGTH
    at = length;
    length = at + 1;
#else
    atomic { at = length; length++ };
#endif
    if
    :: at >= ROOM ->
        atomic { length--; beyond++ }
    :: else ->
        dynamic_cell(at);
        if
        :: chunk == 0 ->
            atomic {
                short_of_memory++;
                if
                :: length == at + 1 -> length = at
                :: else -> skip
                fi
            }
        :: else ->
            assert(ready[chunk]);
            assert(written[chunk * CHUNK + at % CHUNK] == 0);
            written[chunk * CHUNK + at % CHUNK] = _pid + 1;
            atomic { given[at]++; successes++ };
            assert(written[chunk * CHUNK + at % CHUNK] == _pid + 1)
        fi
    fi;
    chunk = 0;
    at = 0
}

active [THREADS] proctype thread()
{
    byte at = 0, chunk = 0, made = 0, step = 0;
    do
    :: step < STEPS -> dynamic_append(); step++
    :: else -> break
    od;
    done++
}

active proctype end()
{
    byte i;
    done == THREADS;
    atomic {
        assert(successes + beyond + short_of_memory == THREADS * STEPS);
        assert(length <= ROOM);
        for (i : 0 .. ROOM - 1) {
            assert(given[i] <= 1);
            assert(short_of_memory > 0 || given[i] == (i < length));
            assert(given[i] == 0 || (i < length && chunks[i / CHUNK] != 0 && written[chunks[i / CHUNK] * CHUNK + i % CHUNK] != 0))
        };
        assert(short_of_memory > 0 || length == successes);
        assert(beyond == 0 || short_of_memory > 0 || length == ROOM)
    }
}
