/* crash.h - what an executable says when a signal ends it: which, in which kernel, what to do.
 *
 * A signal reaches the process and not an instance, so the one that is watched is noted for the
 * whole process.  Only the command line of executables does so; libraries leave signals alone.
 */
#ifndef SNL_PROGRAM_CRASH_H
#define SNL_PROGRAM_CRASH_H

#include "../core/instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Watches an instance of the program from now on, in place of another one; NULL: none.  Signals
 * that someone else handles, such as a sanitizer, are left alone.  `checked`: it is a build of
 * --check. */
void snl_crash_watch(const SnlInstance *rt, const char *program, bool checked);

#ifdef __cplusplus
}
#endif

#endif
