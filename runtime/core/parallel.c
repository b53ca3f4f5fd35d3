/* parallel.c - loops over threads, by OpenMP where the compiler has it; else each loop starts
 * threads of its own, which costs more but needs nothing. */
#include "parallel.h"

#include "../program/stats.h"

#include <time.h>

#ifdef _OPENMP
#include "omp_team.h"

#include <omp.h>
#else
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#endif

bool
snl_in_loop(const SnlInstance *rt)
{
    return !rt->alone;
}

#ifdef _OPENMP
/* Is the caller one of several threads: of a loop of any instance, or of the host's own? */
static bool
in_team(void)
{
    return omp_in_parallel();
}

int
snl_most_threads(void)
{
    int count = omp_get_max_threads();
    return count > 0 ? count : 1;
}

int
snl_thread_number(void)
{
    return omp_get_thread_num();
}
#else
/* What the calling thread is to the loop that runs. */
static __thread struct {
    bool in_loop;
    int number;
} self;

static bool
in_team(void)
{
    return self.in_loop;
}

int
snl_most_threads(void)
{
    const char *wanted = getenv("OMP_NUM_THREADS");
    long count = wanted ? strtol(wanted, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count < SNL_CHUNKS_MAX ? (int)count : SNL_CHUNKS_MAX;
}

int
snl_thread_number(void)
{
    return self.number;
}
#endif

int64_t
snl_chunk_count(int64_t n, int64_t minimum)
{
    int64_t count;
#ifdef SNL_TEST_THREADS
    minimum = 1; /* tests have short loops */
#endif
    if (n <= 0)
        return 0;
    if (n / 2 < minimum) /* small loops wait for no division */
        return 1;
    count = minimum > 1 ? n / minimum : n;
    return count < 1 ? 1 : count > SNL_CHUNKS_MAX ? SNL_CHUNKS_MAX : count;
}

void
snl_sums_add_few(SnlSums *sums, const float *x, int64_t count)
{
    const int64_t whole = count - count % SNL_TERM_LANES;
    for (int64_t i = 0; i < whole; i += SNL_TERM_LANES) {
        SNL_SIMD
        for (int lane = 0; lane < SNL_TERM_LANES; lane++)
            snl_sums_add(sums, i % SNL_LANES + lane, (double)x[i + lane]);
    }
    for (int64_t i = whole; i < count; i++)
        snl_sums_add(sums, i % SNL_LANES, (double)x[i]);
}

int64_t
snl_even_chunk_count(int64_t n, int64_t minimum)
{
    int64_t most = snl_chunk_count(n, minimum), count = most > 0 ? 1 : 0;
    while (2 * count <= most && count > 0)
        count *= 2;
    return count;
}

int64_t
snl_column_chunk_count(const SnlInstance *rt, int64_t n, int64_t minimum)
{
    const int64_t share = snl_smaller(n / rt->threads, SNL_COLUMNS);
    return snl_even_chunk_count(n, snl_larger(minimum, share));
}

int64_t
snl_owner_count(const SnlInstance *rt, int64_t chunk_count)
{
    enum { OWNERS_MOST = 8 };
    return rt->threads <= OWNERS_MOST && chunk_count >= rt->threads ? rt->threads : 1;
}

enum { THREADS_MAX = SNL_CHUNKS_MAX };

/* A loop that runs: thread t owns the chunks from t * chunk_count / threads on. */
typedef struct {
    uint64_t first;
    int64_t n, chunk_count;
    SnlLoopFn fn;
    void *args;
    int threads;
    struct {
        int64_t next, end;
        double worked;          /* seconds of processor time, of a loop that is timed */
        double from, to;        /* when it began and ended, of a loop that is traced */
        char pad[24];           /* a line of the cache for each thread */
    } part[THREADS_MAX];
    bool timed, traced;
} Loop;

/* First iteration of a chunk. */
static int64_t
chunk_start(const Loop *loop, int64_t chunk)
{
    enum { ALIGNED = 64, LENGTH_LEAST = 16 * ALIGNED };
    const int64_t start = snl_chunk_start(loop->n, loop->chunk_count, chunk);
    if (chunk == 0 || chunk == loop->chunk_count || loop->n / loop->chunk_count < LENGTH_LEAST)
        return start;
    return start + (int64_t)(-(loop->first + (uint64_t)start) % ALIGNED);
}

/* Runs one chunk. */
static void
run_chunk(const Loop *loop, int64_t chunk)
{
    int64_t from = chunk_start(loop, chunk), to = chunk_start(loop, chunk + 1);
    if (from < to)
        loop->fn(loop->args, chunk, from, to);
}

static double
seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs the part of a thread; then helps the others, for chunks may differ in cost.  That a thread
 * starts with the same chunks every time keeps them in its cache. */
static void
run_thread(Loop *loop, int thread)
{
    if (SNL_UNLIKELY(loop->traced))
        loop->part[thread].from = snl_clock();
    double start = loop->timed ? seconds(CLOCK_THREAD_CPUTIME_ID) : 0;
    for (int k = 0; k < loop->threads; k++) {
        int part = (thread + k) % loop->threads;
        for (;;) {
            int64_t chunk = SNL_ADD(&loop->part[part].next, 1);
            if (chunk >= loop->part[part].end)
                break;
            run_chunk(loop, chunk);
        }
    }
    if (loop->timed)
        loop->part[thread].worked = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    if (SNL_UNLIKELY(loop->traced))
        loop->part[thread].to = snl_clock();
}

/* What threads may lose at first: starting them takes long, and they may share a processor for some
 * milliseconds. Later they may lose again what they won, up to as much. */
static const double CREDIT_MOST = 0.03;

/* Seconds; and how many times what was lost. */
static const double REST_FIRST = 0.1, REST_MOST = 3, REST_FOR_LOST = 8;

void
snl_threads_start(SnlInstance *rt, int threads)
{
    SnlPace *pace = &rt->pace;
    rt->threads = threads > 0 ? threads : snl_most_threads();
    memset(pace, 0, sizeof *pace);
    pace->automatic = threads <= 0;
    pace->credit = CREDIT_MOST;
    pace->rest_length = REST_FIRST;
}

/* Lets loops run on one thread for a while, longer each time. */
static void
begin_rest(SnlPace *pace, double worked)
{
    pace->rest = pace->rest_length - REST_FOR_LOST * pace->credit;
    pace->rest_length = pace->rest_length < REST_MOST / 2 ? 2 * pace->rest_length : REST_MOST;
    pace->credit = 0;
    pace->worked = worked;
}

/* Decides from a loop that was timed how the next ones run. After one that took too long more of
 * them are timed: on a busy machine some are fast and others lose a time slice. */
static void
keep_pace(SnlPace *pace, const Loop *loop, double took)
{
    enum { CALM_MOST = 15 };
    double worked = 0;
    for (int t = 0; t < loop->threads; t++)
        worked += loop->part[t].worked;
    pace->calm = took > 1.2 * worked + 20e-6 ? 0
                 : pace->calm < CALM_MOST    ? 2 * pace->calm + 1
                                             : CALM_MOST;
    pace->until_look = pace->calm;
    pace->credit += worked - took;
    if (pace->credit >= CREDIT_MOST) {
        pace->credit = CREDIT_MOST;
        pace->rest_length = REST_FIRST;
    } else if (pace->credit < 0) {
        begin_rest(pace, worked);
    }
}

#ifdef _OPENMP
/* Runs a loop on its threads; where there are fewer, these do all parts. */
static void
run_team(Loop *loop)
{
#pragma omp parallel num_threads(snl_team_threads(loop->threads))
    run_thread(loop, omp_get_thread_num());
}
#else
/* A thread of a loop. */
typedef struct {
    pthread_t id;
    Loop *loop;
    int number;
} Member;

static void *
run_member(void *arg)
{
    const Member *m = (const Member *)arg;
    self.in_loop = true;
    self.number = m->number;
    run_thread(m->loop, m->number);
    return NULL;
}

/* Runs a loop on its threads; where one cannot be started, the others do its part. */
static void
run_team(Loop *loop)
{
    Member team[THREADS_MAX];
    int started = 1;
    while (started < loop->threads) {
        team[started].loop = loop;
        team[started].number = started;
        if (pthread_create(&team[started].id, NULL, run_member, &team[started]) != 0)
            break;
        started++;
    }
    self.in_loop = true;
    run_thread(loop, 0);
    self.in_loop = false;
    for (int t = 1; t < started; t++)
        pthread_join(team[t].id, NULL);
}
#endif

/* Records what each thread did; where a team was smaller than wanted, some did nothing. */
static void __attribute__((noinline))
trace_threads(SnlInstance *rt, const Loop *loop, const char *name)
{
    for (int t = 0; t < loop->threads; t++)
        if (loop->part[t].to > 0)
            snl_event_part(rt, name, t, loop->part[t].from, loop->part[t].to);
}

/* Runs the chunks on threads. */
static void
run_threads(SnlInstance *rt, Loop *loop, const char *name)
{
    int wanted = rt->threads < THREADS_MAX ? rt->threads : THREADS_MAX;
    double start;
    loop->threads = wanted < loop->chunk_count ? wanted : (int)loop->chunk_count;
    loop->timed = rt->pace.automatic && rt->pace.until_look-- <= 0;
    loop->traced = rt->stats != NULL;
    start = loop->timed ? seconds(CLOCK_MONOTONIC) : 0;
    for (int t = 0; t < loop->threads; t++) {
        loop->part[t].next = snl_chunk_start(loop->chunk_count, loop->threads, t);
        loop->part[t].end = snl_chunk_start(loop->chunk_count, loop->threads, t + 1);
        loop->part[t].worked = loop->part[t].to = 0;
    }
    rt->alone = false;
    run_team(loop);
    rt->alone = true;
    if (loop->timed)
        keep_pace(&rt->pace, loop, seconds(CLOCK_MONOTONIC) - start);
    if (SNL_UNLIKELY(loop->traced))
        trace_threads(rt, loop, name);
}

/* Runs the chunks one after another in the caller, who may be inside another loop. */
static void
run_serial(const Loop *loop)
{
    for (int64_t chunk = 0; chunk < loop->chunk_count; chunk++)
        run_chunk(loop, chunk);
}

bool
snl_has_team(const SnlInstance *rt)
{
    return rt->threads > 1 && rt->pace.rest <= 0 && !in_team();
}

/* Runs the chunks on one thread for now. */
static void
run_resting(SnlPace *pace, const Loop *loop)
{
    const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    run_serial(loop);
    const double worked = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    pace->rest -= worked;
    if (worked > 8 * pace->worked + 1e-3)
        pace->rest = 0; /* what holds for short loops does not for this one */
}

/* Runs the chunks of a loop that is in no other of the instance. */
static void
run_outermost(SnlInstance *rt, Loop *loop, const char *name)
{
    if (rt->threads <= 1 || in_team())
        run_serial(loop);
    else if (rt->pace.rest <= 0)
        run_threads(rt, loop, name);
    else
        run_resting(&rt->pace, loop);
}

/* Runs a loop of several chunks. What is for threads alone is not cleared. */
static void __attribute__((noinline))
run_chunks(SnlInstance *rt, bool nested, int64_t first, int64_t n, int64_t chunk_count,
           SnlLoopFn fn, void *args, const char *name)
{
    Loop loop;
    loop.first = (uint64_t)first;
    loop.n = n;
    loop.chunk_count = chunk_count;
    loop.fn = fn;
    loop.args = args;
    if (nested)
        run_serial(&loop);
    else
        run_outermost(rt, &loop, name);
}

void
snl_parallel_for_named(SnlInstance *rt, int64_t first, int64_t n, int64_t chunk_count, SnlLoopFn fn,
                       void *args, const char *name)
{
    const bool nested = snl_in_loop(rt);
    double start = 0;
    if (n <= 0 || chunk_count <= 0)
        return;
    if (!nested) {
        start = snl_event_begin(rt);
        rt->loops++;
    }
    if (chunk_count == 1)
        fn(args, 0, 0, n);
    else
        run_chunks(rt, nested, first, n, chunk_count, fn, args, name);
    if (!nested) {
        rt->loops--;
        snl_event_end(rt, SNL_EVENT_LOOP, name, n, start);
    }
}
