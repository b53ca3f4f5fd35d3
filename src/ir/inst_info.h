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
/* Calls fn for every outermost block of a function: its body, or setup and body of every task. */
void ir_walk_blocks(IrFunc *f, void (*fn)(Block *b, void *arg), void *arg);

#endif
