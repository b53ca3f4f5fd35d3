/* in_process.h - comes before io_h5.c, which then reads in the process itself instead of a child of
 * it: see child.h. */
#ifndef FUZZ_IN_PROCESS_H
#define FUZZ_IN_PROCESS_H

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/io_stream.h"

static jmp_buf fuzz_place;
static SnlIoError *fuzz_error;

/* Both stand where `h` is the open file, whose error the child has for itself alone. */
#define fork() (fuzz_error = h->error, setjmp(fuzz_place))
#define _exit(status) (h->error = fuzz_error, longjmp(fuzz_place, 1))
#define waitpid(child, status, options) (errno = ECHILD, -1)
#define tmpfile() NULL /* no second reading to find the place */
#define signal(number, action) ((void)0) /* the sanitizer says whose crash it is: child.c */

#endif
