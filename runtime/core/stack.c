/* stack.c - whether the stack of the calling thread is nearly full, for functions that call
 * themselves. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE     /* pthread_getattr_np */
#endif
#include <pthread.h>

#include "instance.h"

/* What is kept free at the end of a stack: for the functions of the library, and for those of a
 * program that do not ask.  A quarter of a stack at most. */
enum { RESERVE_BYTES = 256 * 1024 };

__thread SnlStack snl_stack = {0, SNL_STACK_UNKNOWN};

/* Where the system does not tell there is no reserve. */
static SNL_COLD void
find_stack(void)
{
    pthread_attr_t attr;
    void *low;
    size_t bytes;
    snl_stack.reserve = 0;
    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return;
    if (pthread_attr_getstack(&attr, &low, &bytes) == 0) {
        snl_stack.low = (uintptr_t)low; /* it does not move, and is the thread's alone */
        snl_stack.reserve = bytes / 4 < RESERVE_BYTES ? bytes / 4 : RESERVE_BYTES;
    }
    pthread_attr_destroy(&attr);
}

bool
snl_stack_is_low(size_t bytes)
{
    if (SNL_UNLIKELY(snl_stack.reserve == SNL_STACK_UNKNOWN))
        find_stack();
    /* far away where the caller has brought a stack of its own */
    return (uintptr_t)__builtin_frame_address(0) - snl_stack.low < snl_stack.reserve + bytes;
}
