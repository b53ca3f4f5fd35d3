/* model_sweep.h - every allocation of a tree that is changed by batches fails, alone or with all
 * that follow.
 *
 * What was done before stays, an error says what memory was short for, and all works again when
 * there is some; nothing is lost.  Who includes it tells by a SweepSide how things are done on its
 * side.
 */
#ifndef MODEL_SWEEP_H
#define MODEL_SWEEP_H

#include "budget.h"
#include "model_short.h"

enum { SWEEP_ROUNDS = 3, SWEEP_POINTS_MOST = 3000 };

typedef struct SweepSide SweepSide;

typedef struct {
    const SweepSide *side;
    const char *layout;
    Budget budget;
    bool watched;               /* what is allocated now is the runtime's */
    Model m, before;
    SnlInstance rt;
    SnlTree *tree;
    Batch batch;
} Sweep;

struct SweepSide {
    /* Starts the instance, with memory of the budget: false where there is none for it. */
    bool (*open)(Sweep *s);
    void (*close)(Sweep *s);            /* what was opened, or not */
    void (*run)(Sweep *s);              /* the batch */
    void (*list)(Sweep *s, int node);
    void (*gc)(Sweep *s);
    void (*deactivate_all)(Sweep *s, int node);
};

static inline bool
sweep_create(Sweep *s)
{
    snl_status status;
    s->watched = true;
    status = snl_tree_create(&s->rt, &s->m.desc, NULL, &s->tree);
    s->watched = false;
    return status == SNL_OK;
}

static inline void
sweep_trim(Sweep *s)
{
    s->watched = true;
    snl_tree_trim(s->tree);
    s->watched = false;
}

/* What follows is compared with the model as it is now. */
static inline void
sweep_remember(Sweep *s)
{
    model_free(&s->before);
    model_copy(&s->before, &s->m, s->layout);
}

/* Makes all lists, collects, and deactivates the cells of a node, until memory is short. */
static inline void
sweep_between(Sweep *s, int node)
{
    for (int k = 0; k < s->m.desc.node_count && !snl_failed(&s->rt); k++)
        s->side->list(s, k);
    if (snl_failed(&s->rt))
        return;
    s->side->gc(s);
    if (s->m.nodes[node].kind == SNL_DENSE || snl_failed(&s->rt))
        return;
    s->side->deactivate_all(s, node);
    model_reset(&s->m, node, -1);
}

/* Changes the tree, until memory is short; gives whether it was. */
static inline bool
sweep_change(Sweep *s)
{
    for (int round = 0; round < SWEEP_ROUNDS; round++) {
        sweep_remember(s);
        batch_make(&s->batch, &s->m, BATCH_MOST);
        s->side->run(s);
        if (snl_failed(&s->rt)) {
            batch_apply_short(&s->batch, &s->m);
            return true;
        }
        batch_apply(&s->batch, &s->m);
        sweep_remember(s);
        sweep_between(s, round % s->m.desc.node_count);
        if (snl_failed(&s->rt))
            return true;
        if (round == 1)
            sweep_trim(s);
    }
    return false;
}

/* As long as memory is short, lists may be wanted in vain, and what was deactivated is collected or
 * waits. */
static inline void
sweep_go_on(Sweep *s)
{
    for (int node = 0; node < s->m.desc.node_count; node++) {
        snl_clear_error(&s->rt);
        s->side->list(s, node);
    }
    snl_clear_error(&s->rt);
    s->side->gc(s);
    sweep_trim(s);
    snl_clear_error(&s->rt);
}

/* There is memory again: nothing was lost, and everything works. */
static inline void
sweep_recover(Sweep *s)
{
    s->budget.left = INT64_MAX;
    check_between(&s->batch, &s->before, &s->m, s->tree);
    snl_tree_reset(s->tree);
    model_reset_all(&s->m);
    model_check(&s->m, s->tree);
    batch_make(&s->batch, &s->m, BATCH_MOST);
    s->side->run(s);
    ck_assert_str_eq(snl_message(&s->rt), "");
    batch_apply(&s->batch, &s->m);
    model_check(&s->m, s->tree);
    s->tree->pending = 1;
    s->side->gc(s);
    model_check_pools(&s->m, s->tree);
}

/* Everything, where an allocation fails after so many, alone or with all that follow; gives whether
 * there was one. */
static inline bool
sweep_fails_at(Sweep *s, const SweepSide *side, const char *layout, int64_t left, bool once)
{
    memset((void *)s, 0, sizeof *s);
    s->side = side;
    s->layout = layout;
    s->budget.left = left;
    s->budget.once = once;
    model_init(&s->m, layout);
    model_init(&s->before, layout);
    batch_init(&s->batch, &s->m);
    s->m.random = 7;
    if (!side->open(s) || !sweep_create(s)) {
        ck_assert_ptr_null(s->tree);
        check_short(&s->rt, &s->m);
    } else {
        if (sweep_change(s))
            check_short(&s->rt, &s->m);
        sweep_go_on(s);
        sweep_recover(s);
    }
    snl_tree_destroy(s->tree);
    side->close(s);
    ck_assert_uint_eq(s->rt.bytes_used, 0);
    ck_assert_int_eq(s->budget.blocks, 0);
    ck_assert_int_eq(s->budget.bytes, 0);
    batch_free(&s->batch);
    model_free(&s->before);
    model_free(&s->m);
    return s->budget.refused > 0;
}

/* Each allocation in turn, or one of `step` of them, others in each run. */
static inline void
sweep_all(const SweepSide *side, const char *layout, bool once, int step, int run)
{
    static Sweep s;
    int64_t left;
    step = fault_step(step);
    for (left = run % step; sweep_fails_at(&s, side, layout, left, once); left += step)
        ck_assert_int_lt(left, SWEEP_POINTS_MOST);
    ck_assert_int_gt(left, 3);
}

/* Test number i of all layouts, on each of the sides, from each point on and there alone. */
static inline void
sweep_numbered(const SweepSide *sides, int count, int i, int step)
{
    sweep_all(&sides[i % count], model_layouts[i / count / 2], i / count % 2, step,
              i / count / 2 + i % (2 * count));
}

#endif
