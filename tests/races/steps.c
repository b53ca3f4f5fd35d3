/* steps.c - waiting at random before atomic operations, in builds for tests of threads.
 *
 * SNL_STEP_SEED in the environment chooses where; without it, or with 0, nothing waits. Some steps
 * wait for moments, fewer let another thread run, and a few sleep for longer than any critical
 * section takes, so that orders of steps come about that hardly ever do otherwise.
 */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "core/platform.h"

/* Read once; every thread then goes on with a sequence of its own. */
static uint64_t
first_of_thread(void)
{
    static int threads;
    const char *text = getenv("SNL_STEP_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 10) : 0;
    const int thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    if (seed == 0)
        return 0;
    return seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)thread * UINT64_C(0xda942042e4dd58b5);
}

void
snl_test_step(void)
{
    enum { MOMENTS = 8, YIELD = 256, SLEEP = 4096, NANOSECONDS_MOST = 1 << 17 };
    static __thread struct {
        bool begun;
        uint64_t state;
    } self;
    if (!self.begun) {
        self.begun = true;
        self.state = first_of_thread();
    }
    if (self.state == 0)
        return;
    self.state = self.state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t number = self.state >> 33;
    if (number % SLEEP == 0) {
        const struct timespec length = {0, (long)(number / SLEEP % NANOSECONDS_MOST)};
        nanosleep(&length, NULL);
    } else if (number % YIELD == 0) {
        sched_yield();
    } else if (number % MOMENTS == 0) {
        for (uint64_t k = number / MOMENTS % 256; k > 0; k--)
            SNL_PAUSE();
    }
}

void
snl_test_wait(void)
{
}
