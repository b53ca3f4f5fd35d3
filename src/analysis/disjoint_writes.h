/* What an iteration of a parallel loop writes that no other iteration writes. Wherever the loop
 * writes a field or array, some indices must be loop variables plus one and the same constant. All
 * loop variables must be among these indices. Elements of two fields are never the same memory.
 * External arrays may be the same memory, so a loop that writes two of them has neither for its
 * own. */
#ifndef SNL_ANALYSIS_DISJOINT_WRITES_H
#define SNL_ANALYSIS_DISJOINT_WRITES_H

#include "analysis/affine.h"

/* How a task writes an array: index k, where `own[k]`, is always the same. */
typedef struct {
    const Var *var;
    bool own[AXIS_MAX];
    Affine at[AXIS_MAX];
} ArrayUse;

typedef struct {
    Compile *c;
    const AffineFacts *indices;
    const Task *task;
    VEC(ArrayUse) arrays;
    int external; /* external arrays written */
} DisjointWrites;

DisjointWrites disjoint_writes_of(Compile *c, const AffineFacts *indices, const Task *t);
/* Do no two iterations write the same element of what a place begins with (affine_place_base)? */
bool disjoint_writes_has(DisjointWrites *o, const Inst *base);

#endif
