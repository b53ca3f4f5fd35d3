/* child.h - inputs that are tried in a child process each: see child.c. */
#ifndef FUZZ_CHILD_H
#define FUZZ_CHILD_H

/* Called once, before; calls what is tried, with an input that is right. */
void child_begin(void (*try_input)(void));
/* Calls it in a child process, and takes over what the child covers. */
void in_child(void (*try_input)(void));

#endif
