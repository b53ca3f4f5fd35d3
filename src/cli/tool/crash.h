/* What is said when the compiler itself breaks. No memory but what is lent. */
#ifndef SNL_CLI_TOOL_CRASH_H
#define SNL_CLI_TOOL_CRASH_H

#include <stddef.h>

enum { CRASH_STACK_BYTES = 1 << 16 };
/* From now on a signal for a broken program says how to report it and ends the process with
 * EXIT_INTERNAL; `stack`, of CRASH_STACK_BYTES and there until the end, serves where the other one
 * is used up. */
void crash_catch(void *stack);

#endif
