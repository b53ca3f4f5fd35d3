/* model_short.h - what may be left of a batch of operations when memory ran out in the middle.
 *
 * Each operation was done or not: values, and what is active, are as before the batch or as after
 * it, and nothing else has changed.  Where cells were appended, those that were behind the end may
 * be anything.
 */
#ifndef MODEL_SHORT_H
#define MODEL_SHORT_H

#include <stdio.h>

#include "model_batch.h"

/* Makes a model with the contents of another, of the same layout. */
static inline void
model_copy(Model *to, const Model *from, const char *layout)
{
    model_init(to, layout);
    to->random = from->random;
    for (int k = 0; k < from->desc.node_count; k++)
        memcpy(to->active[k], from->active[k], (size_t)from->cells[k] * sizeof(bool));
    for (int k = 0; k < from->desc.leaf_count; k++)
        memcpy(to->value[k], from->value[k],
               (size_t)from->cells[from->leaves[k].node] * sizeof(int32_t));
}

/* Does to the model what a batch does whose appends went as far as there was memory: where there
 * was none, the cell that the list lies in may be active. */
static inline void
batch_apply_short(const Batch *b, Model *m)
{
    for (int k = 0; k < b->count; k++) {
        const Op *op = &b->ops[k];
        int parent = m->nodes[op->node].parent;
        if (op->kind != OP_APPEND || op->seen >= 0)
            op_apply(m, op);
        else if (parent >= 0)
            model_activate(m, parent, model_above(m, op->node, op->at, parent));
    }
}

/* True for a cell behind the end of a list that was appended to. */
static inline bool
may_be_anything(const Batch *b, const Model *before, int node, int64_t number)
{
    for (int n = node; n >= 0; n = before->nodes[n].parent) {
        int64_t at = model_above(before, node, number, n);
        if (before->nodes[n].kind == SNL_DYNAMIC &&
            b->appended[n][model_list_cell(before, n, at, 0)] > 0 && is_behind(before, n, at))
            return true;
    }
    return false;
}

static inline void
check_values_between(const Batch *b, const Model *before, const Model *after, SnlTree *tree)
{
    int64_t coord[SNL_AXES];
    for (int leaf = 0; leaf < before->desc.leaf_count; leaf++) {
        int node = before->leaves[leaf].node;
        for (int64_t at = 0; at < before->cells[node]; at++) {
            const char *cell;
            int32_t value;
            model_coord(before, node, at, coord);
            cell = (const char *)snl_cell_at(tree, node, coord, SNL_READ);
            value = *(const int32_t *)(const void *)(cell + before->leaves[leaf].offset);
            ck_assert(value == before->value[leaf][at] || value == after->value[leaf][at] ||
                      may_be_anything(b, before, node, at));
        }
    }
}

/* Also the list has the active cells, as far as these have memory. */
static inline void
check_activity_between(const Batch *b, const Model *before, const Model *after, SnlTree *tree,
                       int node)
{
    const SnlList *list = snl_tree_list(tree, node);
    int64_t coord[SNL_AXES], count = 0;
    bool any = false;
    for (int64_t at = 0; at < before->cells[node]; at++) {
        bool active;
        model_coord(before, node, at, coord);
        active = snl_cell_is_active(tree, node, coord);
        count += active;
        if (may_be_anything(b, before, node, at))
            any = true;
        else
            ck_assert(active == model_is_active(before, node, at) ||
                      active == model_is_active(after, node, at));
    }
    ck_assert(list->count == count || (any && list->count < count));
    for (int64_t k = 0; k < list->count; k++) {
        ck_assert(snl_cell_is_active(tree, node, list->entries[k].coord));
        ck_assert_ptr_eq(list->entries[k].cell,
                         snl_cell_at(tree, node, list->entries[k].coord, SNL_READ));
    }
}

/* The tree is as before the batch, or after it, in each place. */
static inline void
check_between(const Batch *b, const Model *before, const Model *after, SnlTree *tree)
{
    check_values_between(b, before, after, tree);
    for (int node = 0; node < before->desc.node_count; node++)
        check_activity_between(b, before, after, tree, node);
}

/* The error is that memory is out, for so many bytes; it names a node, or something else that is
 * not made for one of them. */
static inline void
check_short(const SnlInstance *rt, const Model *m)
{
    static const char *const others[] = { "layout 'model'", "a layout", "a loop", "the GPU" };
    const char *message = snl_message(rt), *needs = strstr(message, " needs ");
    bool named = false;
    for (int node = 0; node < m->desc.node_count; node++) {
        char name[32];
        snprintf(name, sizeof name, "'%s'", m->nodes[node].name);
        named = named || strstr(message, name);
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        named = named || strstr(message, others[k]);
    ck_assert_int_eq(snl_status_of(rt), SNL_ENOMEM);
    ck_assert_msg(named && strstr(message, "out of memory: ") && needs && atoll(needs + 7) > 0,
                  "%s", message);
}

/* Nothing is active any more. */
static inline void
model_reset_all(Model *m)
{
    for (int node = 0; node < m->desc.node_count; node++)
        if (m->nodes[node].parent < 0)
            model_reset(m, node, -1);
}

#endif
