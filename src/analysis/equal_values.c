/* Compares trees of instructions. */
#include "config.h"

#include "analysis/equal_values.h"

#include "analysis/affine.h"
#include "ir/inst_info.h"

enum { DEPTH_MOST = 12 };

typedef struct {
    int *changes;
    int changed;
} Count;

static void
count_change(Inst *i, void *arg)
{
    Count *k = arg;
    const char effects = inst_info(i->kind)->effects;
    k->changes[i->id] = k->changed += effects != 'P' && effects != 'R';
}

static void
count_changes(Block *b, void *arg)
{
    block_walk(b, count_change, arg);
}

const int *
equal_values_changes(Compile *c, IrFunc *f)
{
    Count k = {.changes = ARENA_ARRAY(c->scratch, int, ir_number(f) + 1)};
    ir_walk_blocks(f, count_changes, &k);
    return k.changes;
}

/* What says that two instructions read the same. */
typedef struct {
    const int *changes;
    const Task *t;      /* both are in its body, or NULL */
} Reads;

/* Is it an element of a field that the task does not change? */
static bool
is_kept(const Task *t, const Inst *load)
{
    const Inst *base = load->kind == INST_LOAD ? affine_place_base(load->args.items[0]) : NULL;
    return base && base->kind == INST_IN_CELL && !task_changes(t, base->field);
}

static bool
reads_same(const Reads *r, const Inst *a, const Inst *b)
{
    return inst_is_fixed_load(a) ||
           (a->kind == INST_LOOKUP && a->node->kind == NODE_DENSE) ||
           (r->t && is_kept(r->t, a)) ||
           (r->changes && r->changes[a->id] == r->changes[b->id]);
}

static bool
is_same(const Reads *r, const Inst *a, const Inst *b, int depth)
{
    if (a == b)
        return true;
    if (depth == DEPTH_MOST || !inst_is_alike(a, b) || a->blocks[0])
        return false;
    const char effects = inst_info(a->kind)->effects;
    if (effects != 'P' && (effects != 'R' || !reads_same(r, a, b)))
        return false;
    for (int n = 0; n < a->args.count; n++)
        if (!is_same(r, a->args.items[n], b->args.items[n], depth + 1))
            return false;
    return true;
}

bool
equal_values(const int *changes, const Inst *a, const Inst *b)
{
    return is_same(&(Reads){.changes = changes}, a, b, 0);
}

bool
equal_values_in(const Task *t, const Inst *a, const Inst *b)
{
    return is_same(&(Reads){.t = t}, a, b, 0);
}
