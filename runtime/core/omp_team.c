/* omp_team.c - what the library of OpenMP does not do itself before it makes threads.
 *
 * libgomp ends the process where a thread cannot be made, for instance in a container that may have
 * no more. So before a thread of the host starts a team that is larger than earlier ones, as many
 * threads are made here and end again. If some cannot be made, the team is smaller by so many.
 *
 * The threads of a team sleep in the library until the next team. The library must not be unmapped
 * below them, as it would be with a plugin that brought it along. After fork the child has none of
 * the threads, and libgomp would wait for them. The child therefore goes on with one thread.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE     /* dladdr, RTLD_NOLOAD */
#endif
#include "omp_team.h"

#ifdef _OPENMP
#include "parallel.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread that is made to see whether it can be. */
typedef struct {
    pthread_t thread;
    long id;                    /* that the system gave it */
    pthread_mutex_t *end;       /* not to be had before it may end */
} Trial;

static void *
run_trial(void *arg)
{
    Trial *t = (Trial *)arg;
    t->id = syscall(SYS_gettid);
    pthread_mutex_lock(t->end);
    pthread_mutex_unlock(t->end);
    return NULL;
}

/* Waits for the end of a thread, and, where that is soon, until the system does not count it any
 * more: it can be joined a moment before. */
static void
await(const Trial *t)
{
    enum { MOMENTS = 10000 };
    pthread_join(t->thread, NULL);
    for (int k = 0; k < MOMENTS && syscall(SYS_tgkill, getpid(), t->id, 0) == 0; k++)
        sched_yield();
}

/* Makes up to `wanted` threads that are there at once; returns how many were. */
static int
try_threads(int wanted)
{
    Trial trials[SNL_CHUNKS_MAX];
    pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;
    int made = 0;
    pthread_mutex_lock(&end);
    while (made < wanted) {
        trials[made].end = &end;
        if (pthread_create(&trials[made].thread, NULL, run_trial, &trials[made]) != 0)
            break;
        made++;
    }
    pthread_mutex_unlock(&end);
    for (int t = 0; t < made; t++)
        await(&trials[t]);
    pthread_mutex_destroy(&end);
    return made;
}

/* Keeps the library of OpenMP in the process for good. */
static void
keep_library(void)
{
    Dl_info info;
    void *library = NULL;
    if (dladdr((void *)(uintptr_t)omp_get_thread_num, &info) && info.dli_fname)
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (library)
        dlclose(library);
}

/* The largest team that the calling thread asked for, and has had at most. */
static __thread struct {
    int asked, had;
} teams;

/* A team has been started; and the process is the child of one that had started one. */
static bool has_team, is_alone;

static void
start_child(void)
{
    is_alone = SNL_LOAD_RELAXED(&has_team);
}

static void
watch_forks(void)
{
    pthread_atfork(NULL, NULL, start_child);
}

int
snl_team_threads(int wanted)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (SNL_UNLIKELY(is_alone))
        return 1;
    if (SNL_UNLIKELY(wanted > teams.asked)) {
        const int before = teams.had > 0 ? teams.had : 1;
        pthread_once(&once, watch_forks);
        SNL_STORE_RELAXED(&has_team, true);
        keep_library();
        teams.asked = wanted;
        teams.had = before + try_threads(wanted - before);
    }
    return wanted < teams.had ? wanted : teams.had;
}
#endif
