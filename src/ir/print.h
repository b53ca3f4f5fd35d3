/* print.h - the IR as text: what print_inst.c, print_task.c and ir_print.c share. */
#ifndef SNL_IR_PRINT_H
#define SNL_IR_PRINT_H

#include "ir/ir.h"

typedef struct {
    const Ir *ir;
    Text *out;
} Printer;

/* print_inst.c */
void print_layout(Printer *p, const Layout *l);
/* The node; NULL is the root of the layout. */
void print_node(Printer *p, const Layout *l, const Node *n);
/* A variable; the same with its type. */
void print_var(Printer *p, const Var *v);
void print_typed_var(Printer *p, const Var *v);
/* Variables with their types, between commas. */
void print_vars(Printer *p, Var *const *vars, int count);
/* Names of fields between commas. */
void print_fields(Printer *p, Field *const *fields, int count);
/* "i32 i.0, i32 j.1 in field x": the variables of a loop over cells. */
void print_cells(Printer *p, Var *const *vars, int count, const Field *f, const Node *n);
/* The instructions of a block, which may be NULL. */
void print_block(Printer *p, const Block *b);

/* print_task.c */
/* A list of tasks with all that is in them. */
void print_tasks(Printer *p, const Tasks *tasks);

#endif
