/* The properties of instructions, from insts.def. */
#ifndef SNL_IR_INST_INFO_H
#define SNL_IR_INST_INFO_H

#include "ir/ir.h"

typedef struct {
    const char *text;
    int operands; /* -1: any number */
    char result;  /* V value, P place, C cell or container, - none */
    char effects; /* P pure, R reads, W writes, F control flow, X other */
} InstInfo;

/* The row of a kind. */
const InstInfo *inst_info(InstKind kind);
typedef void (*BlockFn)(Block *b, void *arg);

/* Calls fn for every outermost block of a task, not of the tasks in it. */
void task_each_block(const Task *t, BlockFn fn, void *arg);
/* Calls fn for every outermost block of a function: its body, or those of all its tasks. */
void ir_walk_blocks(IrFunc *f, BlockFn fn, void *arg);

#endif
