/* A layout as the runtime wants it described: for programs, whose text the emitter makes of it, and
 * for trees that the compiler itself makes, to load and save files. What is returned belongs to the
 * arena. */
#ifndef SNL_CHECK_LAYOUT_TREE_DESC_H
#define SNL_CHECK_LAYOUT_TREE_DESC_H

#include "check/prog.h"
#include "tree/tree.h"

/* Scalars of one type side by side: a part of a placed run. */
typedef struct {
    const Place *place;
    int first, count;
    int64_t at;
    Scalar scalar;
} Scalars;

/* Those that start with leaf number `first` of the run. */
Scalars scalars_from(const Place *p, int first);
/* The description; sizes that are known at run time only are 0. */
SnlTreeDesc *tree_desc_make(Compile *c, const Layout *l);

#endif
