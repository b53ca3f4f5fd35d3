/* checkpoint.h - A copy of this process, made before the passes begin, that waits. Where a pass
 * breaks, memory may be damaged, so the copy goes on instead, and leaves that pass out; the process
 * itself waits for it and ends as it does. Needs neither to be told what was done nor to undo it:
 * passes change memory alone. */
#ifndef SNL_CLI_TOOL_CHECKPOINT_H
#define SNL_CLI_TOOL_CHECKPOINT_H

#include <stdbool.h>

/* What broke. */
typedef struct {
    char pass[32];
    char error[256];
    char report[512]; /* the file that says all of it, or "" */
} Broken;

/* Makes the copy, where there can be one. False, and later true in the copy: the pass that `b`
 * names broke. It may set another checkpoint. */
bool checkpoint_set(Broken *b);
/* Ends the copy: the passes are done. */
void checkpoint_clear(void);
/* Lets the copy go on and ends this process as it ends; comes back only where there is none. May be
 * called by a handler of signals. */
void checkpoint_go_back(const Broken *b);

#endif
