/* subnormals.h - whether the processor computes with numbers below the least normal one. */
#ifndef SNL_CORE_SUBNORMALS_H
#define SNL_CORE_SUBNORMALS_H

#include "platform.h"

/* From here on the calling thread, and those that it starts, take subnormal operands for 0 and give
 * 0 for subnormal results. False: the processor has no such mode that is known here. */
SNL_FN bool snl_flush_subnormals(void)
{
#if defined __SSE2__ && defined __GNUC__
    enum { OPERANDS = 0x0040, RESULTS = 0x8000 };
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | OPERANDS | RESULTS);
    return true;
#elif defined __aarch64__ && defined __GNUC__
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    control |= (uint64_t)1 << 24; /* FZ */
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
    return true;
#else
    return false;
#endif
}

#endif
