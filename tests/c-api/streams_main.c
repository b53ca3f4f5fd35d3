/* Instances of one program at once, each on a thread and a stream of its own. */
#include <pthread.h>
#include <stdio.h>
#include "streams.h"

/* The third part of the blocks, from 0 on, is active. */
enum { INSTANCES = 4, STEPS = 20, SUM_OF_INDICES = 196416 };

typedef struct {
    int number;
    char stream;                /* the stand-in takes any address for one */
    int64_t sum;
    snl_status status;
} Work;

static void *
work(void *arg)
{
    Work *w = arg;
    streams *instance;
    snl_options options = {0};
    options.stream = w->number % 2 ? &w->stream : NULL;
    w->status = streams_create_with(NULL, &options, &instance);
    for (int s = 0; s < STEPS && !w->status; s++)
        w->status = streams_step(instance, w->number + 1, &w->sum);
    streams_destroy(instance);
    return NULL;
}

int
main(void)
{
    pthread_t threads[INSTANCES];
    Work all[INSTANCES] = {{0}};
    for (int i = 0; i < INSTANCES; i++) {
        all[i].number = i;
        if (pthread_create(&threads[i], NULL, work, &all[i]))
            return 1;
    }
    for (int i = 0; i < INSTANCES; i++)
        pthread_join(threads[i], NULL);
    int failures = 0;
    for (int i = 0; i < INSTANCES; i++)
        failures +=
            all[i].status != SNL_OK || all[i].sum != (int64_t)STEPS * (i + 1) * SUM_OF_INDICES;
    printf("%d failures\n", failures);
    return failures > 0;
}
