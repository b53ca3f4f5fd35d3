/* world.h - a tree of the runtime with an allocator that a test can tell to fail.
 *
 * A World owns the instance, the tree and its model; end releases them, and checks that no memory
 * is lost.
 */
#ifndef WORLD_H
#define WORLD_H

#include "budget.h"
#include "runtime_model.h"

/* A tree with an allocator that can be told to fail. */
typedef struct {
    Budget budget;
    SnlInstance rt;
    SnlTree *tree;
    Model m;
} World;

static inline void
start(World *w, const char *layout)
{
    SnlAllocator allocator;
    w->budget = (Budget){ INT64_MAX, false, 0, 0, 0 };
    allocator = budget_allocator(&w->budget);
    snl_instance_init(&w->rt, &allocator, 1, 1, 0);
    model_init(&w->m, layout);
    ck_assert_int_eq(snl_tree_create(&w->rt, &w->m.desc, NULL, &w->tree), SNL_OK);
}

static inline void
end(World *w)
{
    snl_tree_destroy(w->tree);
    snl_instance_free(&w->rt);
    model_free(&w->m);
    ck_assert_int_eq(w->budget.blocks, 0);
    ck_assert_int_eq(w->budget.bytes, 0);
    ck_assert_uint_eq(w->rt.bytes_used, 0);
}

static inline char *
cell(World *w, int node, int64_t i, int mode)
{
    int64_t coord[SNL_AXES] = { i };
    return (char *)snl_cell_at(w->tree, node, coord, mode);
}

static inline void
deactivate(World *w, int node, int64_t i)
{
    int64_t coord[SNL_AXES] = { i };
    snl_cell_deactivate(w->tree, node, coord);
}

#endif
