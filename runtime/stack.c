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

/* The end of the thread's stack, which does not move; it is the thread's alone. */
static __thread struct {
    bool known;
    uintptr_t low;
    uintptr_t reserve;          /* 0: not known */
} stack;

static SNL_COLD void
find_stack(void)
{
    pthread_attr_t attr;
    void *low;
    size_t bytes;
    stack.known = true;
    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return;
    if (pthread_attr_getstack(&attr, &low, &bytes) == 0) {
        stack.low = (uintptr_t)low;
        stack.reserve = bytes / 4 < RESERVE_BYTES ? bytes / 4 : RESERVE_BYTES;
    }
    pthread_attr_destroy(&attr);
}

bool
snl_stack_is_low(void)
{
    if (SNL_UNLIKELY(!stack.known))
        find_stack();
    /* far away where the caller has brought a stack of its own */
    return (uintptr_t)__builtin_frame_address(0) - stack.low < stack.reserve;
}
