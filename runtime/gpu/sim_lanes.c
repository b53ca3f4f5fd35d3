/* sim_lanes.c - lanes of a simulated GPU as coroutines.
 *
 * A fiber is a stack.  It runs lanes to their end, one after another, until one has to wait; that
 * lane keeps the fiber, and the scheduler, which has a stack too, goes on with another. Where stack
 * and heap of the process are closed meanwhile, all of it lies in pages of its own.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE     /* MAP_ANONYMOUS */
#endif
#undef _FORTIFY_SOURCE  /* takes a jump to another stack for a mistake */
#include "sim_lanes.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK_BYTES = 512 * 1024, STACK_RESERVE = 64 * 1024, CLOSED = 2 };

/* One time in so many others run before an atomic operation, or a warp divides. */
enum { POINT_CHANCE = 16, DIVIDE_CHANCE = 4 };

typedef enum { NEW, READY, AT_BARRIER, AT_ACTIVE, AT_EXCHANGE, ENDED } State;

/* Where a coroutine goes on: by a jump, which calls no system, once it has begun. */
typedef struct {
    ucontext_t start;
    sigjmp_buf here;
    bool begun;
} Context;

/* The lower end of its stack. */
typedef struct Fiber {
    Context context;
    struct Fiber *next;         /* of those that are free */
} Fiber;

typedef struct {
    State state;
    Fiber *fiber;               /* while it waits */
    uint32_t mask;              /* of the exchange; answer of snl_sim_active */
    uint64_t value;
    uint64_t *out;
    int barrier;                /* its number, while the lane waits there */
} Lane;

typedef struct Sim {
    SnlSimPlace place;
    void (*code)(void *);
    void *arg;
    uint64_t random;
    Context caller, scheduler;
    bool good, alone;
    int closed_count;
    struct {
        void *start;
        size_t bytes;
    } closed[CLOSED];           /* memory of the process that lanes cannot touch */
    Lane lanes[SNL_SIM_BLOCK_MAX];
    Fiber *running, *free, *all[SNL_SIM_BLOCK_MAX];
    int fiber_count;
    int order[SNL_SIM_BLOCK_MAX];       /* of the lanes */
    int begun;                  /* of these */
    int ready[SNL_SIM_BLOCK_MAX];       /* lanes that wait for nothing, in any order */
    int ready_count;
    size_t shared;              /* bytes of the block */
} Sim;

/* The simulation whose lane runs on this thread: lanes have no other way to know. */
static _Thread_local Sim *current;

/* Blocks that the thread has begun, from 1 on. */
static _Thread_local uint64_t blocks_begun;

/* Fibers in pages of their own, for the next grid. */
static _Thread_local Fiber *kept;

/* SplitMix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators (2014). */
static uint64_t
next_random(Sim *s)
{
    uint64_t x = s->random += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A random number from 0 to n - 1. */
static int
random_below(Sim *s, int n)
{
    return (int)((next_random(s) >> 32) * (uint64_t)n >> 32);
}

static void
shuffle(Sim *s, int *list, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int k = random_below(s, i + 1), t = list[i];
        list[i] = list[k];
        list[k] = t;
    }
}

/* The next lane, in the order of the block, that has not begun; -1: none. */
static int
next_new(const Sim *s)
{
    return s->begun < s->place.threads ? s->order[s->begun] : -1;
}

static void
switch_to(Context *from, Context *to)
{
    if (sigsetjmp(from->here, 0))
        return;
    from->begun = true;
    if (to->begun)
        siglongjmp(to->here, 1);
    setcontext(&to->start);
}

/* What a fiber does: lanes from the start to the end. */
static void
run_lanes(void)
{
    for (;;) {
        Sim *s = current;
        Fiber *self = s->running;
        for (int lane; (lane = next_new(s)) >= 0;) {
            s->place.thread = lane;
            s->begun++;
            s->lanes[lane].state = READY;
            s->code(s->arg);
            s->lanes[s->place.thread].state = ENDED;
        }
        self->next = s->free;
        s->free = self;
        switch_to(&self->context, &s->scheduler);
    }
}

/* Memory that stays open when the heap is closed, or NULL; other memory is had faster. */
static void *
get_memory(bool alone, size_t bytes)
{
    void *pages =
        alone ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
              : malloc(bytes);
    return pages == MAP_FAILED ? NULL : pages;
}

static void
put_memory(bool alone, void *memory, size_t bytes)
{
    if (alone)
        munmap(memory, bytes);
    else
        free(memory);
}

/* Lets a context begin with a function, on a stack. */
static void
start_on(Context *context, void *stack, size_t bytes, void (*function)(void))
{
    getcontext(&context->start);
    context->start.uc_stack.ss_sp = stack;
    context->start.uc_stack.ss_size = bytes;
    makecontext(&context->start, function, 0);
    context->begun = false;
}

static Fiber *
new_fiber(Sim *s)
{
    Fiber *f = s->free;
    if (f) {
        s->free = f->next;
        return f;
    }
    f = s->alone ? kept : NULL;
    if (f) {
        kept = f->next;
    } else {
        f = get_memory(s->alone, STACK_BYTES);
        if (!f)
            return NULL;
        start_on(&f->context, f + 1, STACK_BYTES - sizeof *f, run_lanes);
    }
    s->all[s->fiber_count++] = f;
    return f;
}

/* What has ended its lanes can begin others. */
static void
put_fiber(const Sim *s, Fiber *f)
{
    if (s->alone && s->good) {
        f->next = kept;
        kept = f;
    } else {
        put_memory(s->alone, f, STACK_BYTES);
    }
}

/* Lets a lane go on that waited. */
static void
make_ready(Sim *s, int lane)
{
    s->lanes[lane].state = READY;
    s->ready[s->ready_count++] = lane;
}

/* Leaves the lane that runs in a state, until the scheduler comes back to it. */
static void
wait_as(Sim *s, State state)
{
    Lane *lane = &s->lanes[s->place.thread];
    int thread = s->place.thread;
    lane->state = state;
    lane->fiber = s->running;
    if (state == READY)
        make_ready(s, thread);
    switch_to(&lane->fiber->context, &s->scheduler);
    s->place.thread = thread;
}

static void
run_fiber(Sim *s, Fiber *f)
{
    s->running = f;
    switch_to(&s->scheduler, &f->context);
    s->running = NULL;
}

/* Lanes of a warp that are in a state, as bits. */
static uint32_t
lanes_in(const Sim *s, int warp, State state)
{
    uint32_t bits = 0;
    for (int l = 0; l < SNL_SIM_WARP && warp * SNL_SIM_WARP + l < s->place.threads; l++)
        if (s->lanes[warp * SNL_SIM_WARP + l].state == state)
            bits |= (uint32_t)1 << l;
    return bits;
}

/* Those at an exchange with the same mask have met when nobody of the mask is missing. */
static bool
exchange_meets(Sim *s, int warp)
{
    uint32_t waiting = lanes_in(s, warp, AT_EXCHANGE);
    for (int l = 0; l < SNL_SIM_WARP; l++) {
        Lane *lanes = &s->lanes[warp * SNL_SIM_WARP];
        uint32_t mask = waiting >> l & 1 ? lanes[l].mask : 0, same = 0;
        for (int k = 0; mask && k < SNL_SIM_WARP; k++)
            if ((waiting >> k & 1) && lanes[k].mask == mask)
                same |= (uint32_t)1 << k;
        if (!mask || (mask & same) != mask)
            continue;
        for (int k = 0; k < SNL_SIM_WARP; k++)
            for (int from = 0; (mask >> k & 1) && from < SNL_SIM_WARP; from++)
                lanes[k].out[from] = mask >> from & 1 ? lanes[from].value : 0;
        for (int k = 0; k < SNL_SIM_WARP; k++)
            if (mask >> k & 1)
                make_ready(s, warp * SNL_SIM_WARP + k);
        return true;
    }
    return false;
}

/* Some of the lanes, as a GPU may keep apart those that a branch divided; mostly all. */
static uint32_t
that_meet(Sim *s, uint32_t lanes)
{
    uint64_t chance = next_random(s);
    uint32_t some = lanes & (uint32_t)(chance >> 32);
    return chance % DIVIDE_CHANCE == 0 && some ? some : lanes;
}

/* Lets those lanes go that wait for others of the warp, when no lane of it can run. */
static bool
release_warp(Sim *s, int warp)
{
    uint32_t active = that_meet(s, lanes_in(s, warp, AT_ACTIVE));
    if (lanes_in(s, warp, READY) || lanes_in(s, warp, NEW))
        return false;
    if (exchange_meets(s, warp))
        return true;
    for (int l = 0; l < SNL_SIM_WARP && active; l++)
        if (active >> l & 1) {
            s->lanes[warp * SNL_SIM_WARP + l].mask = active;
            make_ready(s, warp * SNL_SIM_WARP + l);
        }
    return active != 0;
}

/* Lets the lanes go where all of the block are at one barrier, when no lane can run. */
static bool
release_barrier(Sim *s)
{
    for (int i = 0; i < s->place.threads; i++)
        if (s->lanes[i].state != AT_BARRIER || s->lanes[i].barrier != s->lanes[0].barrier)
            return false;
    for (int i = 0; i < s->place.threads; i++)
        make_ready(s, i);
    return true;
}

/* Lets a lane run that can, or starts one, by chance; false where there is none, or no memory. */
static bool
run_one(Sim *s)
{
    int at, chosen;
    if (next_new(s) >= 0 && (s->ready_count == 0 || next_random(s) % 2)) {
        Fiber *f = new_fiber(s);
        if (f)
            run_fiber(s, f);
        return f != NULL;
    }
    if (s->ready_count == 0)
        return false;
    at = random_below(s, s->ready_count);
    chosen = s->ready[at];
    s->ready[at] = s->ready[--s->ready_count];
    s->place.thread = chosen;
    run_fiber(s, s->lanes[chosen].fiber);
    return true;
}

/* Runs the lanes of a block to their end; false where all that are left wait for ever. */
static bool
run_block(Sim *s)
{
    int warps = (s->place.threads + SNL_SIM_WARP - 1) / SNL_SIM_WARP;
    for (int i = 0; i < s->place.threads; i++) {
        s->lanes[i].state = NEW;
        s->order[i] = i;
    }
    s->begun = s->ready_count = 0;
    s->shared = 0;
    blocks_begun++;
    shuffle(s, s->order, s->place.threads);
    for (;;) {
        bool released = false, ended = true;
        while (run_one(s))
            ;
        for (int i = 0; i < s->place.threads; i++)
            ended = ended && s->lanes[i].state == ENDED;
        if (ended)
            return s->shared <= SNL_SIM_SHARED;
        for (int w = 0; w < warps; w++)
            released = release_warp(s, w) || released;
        if (!released && !release_barrier(s))
            return false;
    }
}

/* ---- grids ---- */

/* Notes where stack and heap of the process lie. */
static void
find_memory(Sim *s)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], name[32];
    unsigned long from, to;
    while (maps && s->closed_count < CLOSED && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %31s", &from, &to, name) == 3
            && (!strcmp(name, "[heap]") || !strcmp(name, "[stack]"))) {
            s->closed[s->closed_count].start = (void *)from;
            s->closed[s->closed_count++].bytes = to - from;
        }
    if (maps)
        fclose(maps);
}

static void
close_memory(const Sim *s, bool closed)
{
    for (int k = 0; k < s->closed_count; k++)
        mprotect(s->closed[k].start, s->closed[k].bytes,
                 closed ? PROT_NONE : PROT_READ | PROT_WRITE);
}

/* Every block once, from a random one on, forwards or backwards. */
static void
run_grid(void)
{
    Sim *s = current;
    uint64_t seed = s->random;
    int64_t blocks = s->place.blocks,
            start = blocks ? (int64_t)(next_random(s) % (uint64_t)blocks) : 0;
    close_memory(s, true);
    for (int64_t i = 0; i < blocks && s->good; i++) {
        s->place.block = seed & 1 ? (start + i) % blocks : (start + blocks - i) % blocks;
        s->good = run_block(s);
    }
    close_memory(s, false);
    switch_to(&s->scheduler, &s->caller);
}

/* Runs the grid on a stack of its own; false without memory, too. */
static bool
run_apart(Sim *s)
{
    char *stack = get_memory(s->alone, STACK_BYTES);
    if (!stack)
        return false;
    start_on(&s->scheduler, stack, STACK_BYTES, run_grid);
    s->good = true;
    switch_to(&s->caller, &s->scheduler);
    put_memory(s->alone, stack, STACK_BYTES);
    return s->good;
}

static bool
run(uint64_t seed, int64_t blocks, int threads, void (*code)(void *), void *arg, size_t alone)
{
    size_t before = (sizeof(Sim) + 63) / 64 * 64, bytes = before + alone;
    Sim *s = get_memory(alone > 0, bytes), *outer = current;
    bool good;
    if (!s)
        return false;
    memset(s, 0, sizeof *s);
    s->alone = alone > 0;
    s->place.blocks = blocks;
    s->place.threads = threads;
    s->code = code;
    s->arg = arg;
    s->random = seed;
    if (alone) {
        s->arg = memcpy((char *)s + before, arg, alone);
        find_memory(s);
    }
    current = s;
    good = run_apart(s);
    current = outer;
    for (int i = 0; i < s->fiber_count; i++)
        put_fiber(s, s->all[i]);
    put_memory(s->alone, s, bytes);
    return good;
}

bool
snl_sim_run(uint64_t seed, int64_t blocks, int threads, void (*lane)(void *), void *arg)
{
    return run(seed, blocks, threads, lane, arg, 0);
}

bool
snl_sim_run_alone(uint64_t seed, int64_t blocks, int threads, void (*lane)(void *), const void *arg,
                  size_t bytes)
{
    return run(seed, blocks, threads, lane, (void *)(uintptr_t)arg, bytes);
}

const SnlSimPlace *
snl_sim_place(void)
{
    return current ? &current->place : NULL;
}

bool
snl_sim_share(uint64_t *block, size_t bytes)
{
    if (*block == blocks_begun)
        return false;
    *block = blocks_begun;
    current->shared += bytes;
    return true;
}

bool
snl_sim_is_local(const void *place)
{
    const Sim *s = current;
    return s && s->running && (const char *)place >= (const char *)s->running &&
           (const char *)place < (const char *)s->running + STACK_BYTES;
}

void
snl_sim_point(const void *place)
{
    Sim *s = current;
    if (snl_sim_is_local(place)) {
        fprintf(stderr, "snl: an atomic operation on a variable of one lane: GPUs have none\n");
        abort();
    }
    if (s && s->running && next_random(s) % POINT_CHANCE == 0)
        wait_as(s, READY);
}

bool
snl_sim_stack_is_low(size_t bytes)
{
    const Sim *s = current;
    const char *here = (const char *)__builtin_frame_address(0);
    return s && s->running && (size_t)(here - (const char *)s->running) < STACK_RESERVE + bytes;
}

void
snl_sim_barrier(int number)
{
    current->lanes[current->place.thread].barrier = number;
    wait_as(current, AT_BARRIER);
}

uint32_t
snl_sim_active(void)
{
    Sim *s = current;
    wait_as(s, AT_ACTIVE);
    return s->lanes[s->place.thread].mask;
}

void
snl_sim_exchange(uint32_t mask, uint64_t value, uint64_t out[SNL_SIM_WARP])
{
    Lane *lane = &current->lanes[current->place.thread];
    lane->mask = mask;
    lane->value = value;
    lane->out = out;
    wait_as(current, AT_EXCHANGE);
}
