/* Loads the library of host.snl that is named, runs kernels on several threads and closes it, again
 * and again: it has to be gone then, and nothing may still run in it. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "host.h"

typedef snl_status (*Create)(const host_params *, const snl_options *, host **);
typedef snl_status (*Count)(host *);
typedef void (*Destroy)(host *);

int
main(int count, char **words)
{
    const snl_options o = {.threads = 2};
    for (int k = 0; k < 20 && count == 2; k++) {
        void *library = dlopen(words[1], RTLD_NOW);
        host *w = NULL;
        if (!library)
            return printf("%s\n", dlerror()) > 0;
        if (((Create)dlsym(library, "host_create_with"))(NULL, &o, &w) != SNL_OK ||
            ((Count)dlsym(library, "host_count"))(w) != SNL_OK)
            return printf("round %d failed\n", k) > 0;
        ((Destroy)dlsym(library, "host_destroy"))(w);
        dlclose(library);
        if (dlopen(words[1], RTLD_NOW | RTLD_NOLOAD))
            return printf("the library stayed\n") > 0;
        usleep(1000); /* what still ran there would end the process */
    }
    return 0;
}
