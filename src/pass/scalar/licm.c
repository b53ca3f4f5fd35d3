/* Loop-invariant code motion of look-ups and of functions of values, out of sequential loops:
 *     for k in 0..4 {                                $5 = lookup S1pointer $4 [$3 >> 3]
 *         $5 = lookup S1pointer $4 [$3 >> 3]    →    for k in 0..4 {
 *         $9 = load in cell x (child $5)[k]              $9 = load in cell x (child $5)[k]
 *     }                                              }
 * A look-up leaves a loop only if the loop certainly reaches it: under a condition its index may be
 * out of range. It stays if the loop may change what is active. A look-up that activates stays if
 * the loop may deactivate, asks what is active, or may fail before it. Functions such as exp leave
 * loops over ranges even if these may have no iterations. Plain arithmetic is left to the C
 * compiler. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"
#include "pass/code_motion.h"

typedef struct {
    CodeMotion motion;
    bool *own_vars;     /* by variable id: declared in the loop */
    Access access;      /* of the look-ups that are to move */
    bool stay;          /* the loop may change what they find, or sees what they change */
    bool looks, computes;   /* look-ups may leave; functions of values may */
} Hoist;

/* Of an access, and of a node where it leaves the loop: a list grows by a look-up that
 * activates. */
static bool
is_hoistable(const Inst *i, Access access)
{
    return inst_is_lookup(i) && i->node->kind != NODE_DENSE && i->access == access &&
           (access == ACCESS_READ || i->node->kind != NODE_DYNAMIC);
}

static void
look_at_loop(Inst *i, void *arg)
{
    Hoist *h = arg;
    h->motion.inside[i->id] = true;
    if (i->kind == INST_STORE && i->defines)
        h->own_vars[i->args.items[0]->var->id] = true;
    bool loop = i->kind == INST_FOR || i->kind == INST_FOR_CELLS;
    for (int v = 0; loop && v < i->vars.count; v++)
        h->own_vars[i->vars.items[v]->id] = true;
    bool activates = inst_is_lookup(i) && i->access == ACCESS_ACTIVATE &&
                     !is_hoistable(i, h->access) && i->node->kind != NODE_DENSE;
    bool other = i->kind == INST_ACTIVATE || i->kind == INST_DEACTIVATE ||
                 i->kind == INST_DEACTIVATE_ALL || i->kind == INST_APPEND ||
                 i->kind == INST_REQUIRE || (i->kind >= INST_CREATE && i->kind <= INST_IMAGE) ||
                 (i->kind == INST_CALL && i->func->kind != FUNC_EXTERN);
    bool asks = i->kind == INST_IS_ACTIVE || i->kind == INST_LENGTH || i->kind == INST_ACTIVE ||
                i->kind == INST_MEMORY ||
                (i->kind == INST_FOR_CELLS && (!i->node || node_is_sparse(i->node)));
    h->stay = h->stay || activates || other || (asks && h->access == ACCESS_ACTIVATE);
}

static bool
stays(const Inst *i, const void *arg)
{
    const Hoist *h = arg;
    if (i->kind == INST_VAR)
        return var_is_fixed(i->var) && !h->own_vars[i->var->id];
    return (i->access == ACCESS_KNOWN || is_hoistable(i, h->access)) && !i->neighbour;
}

static void
find_jump(Inst *i, void *arg)
{
    bool *found = arg;
    *found = *found || i->kind == INST_BREAK || i->kind == INST_CONTINUE || i->kind == INST_RETURN;
}

/* What may end the loop with an error, or show that it came this far. */
static void
find_failure(Inst *i, void *arg)
{
    bool *found = arg;
    find_jump(i, arg);
    *found = *found || inst_info(i->kind)->effects == 'X';
}

/* Chooses among what the block does whenever it runs. */
static void
choose(Hoist *h, Block *b)
{
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        void (*find_end)(Inst *, void *) = h->access == ACCESS_READ ? find_jump : find_failure;
        bool ends = false;
        find_end(i, &ends);
        for (int k = 0; k < 2 && i->blocks[k]; k++)
            block_walk(i->blocks[k], find_end, &ends);
        if (ends)
            return;
        const bool may_leave = (h->looks && is_hoistable(i, h->access)) ||
                               (h->computes && code_motion_pays(i));
        if (may_leave && code_motion_is_invariant(&h->motion, i))
            code_motion_take(&h->motion, i);
    }
}

/* Does the loop run its body at least once? */
static bool
surely_runs(const Inst *loop)
{
    if (loop->kind == INST_FOR_CELLS)
        return loop->node && !node_is_sparse(loop->node);
    for (int v = 0; v < loop->vars.count; v++) {
        const Inst *from = loop->args.items[3 * v], *to = loop->args.items[3 * v + 1],
                   *step = loop->args.items[3 * v + 2];
        if (from->kind != INST_CONST || to->kind != INST_CONST || step->kind != INST_CONST)
            return false;
        int64_t a = from->value.leaves[0].i, b = to->value.leaves[0].i,
                by = step->value.leaves[0].i;
        if (by > 0 ? a >= b : by == 0 || a <= b)
            return false;
    }
    return true;
}

typedef struct {
    Compile *c;
    const IrFunc *f;
    int ids;
    int reads, activations, loops;  /* look-ups and sequential loops of the function */
    int values;                     /* functions of values */
} Walk;

/* Moves look-ups of one access out of the loop, to the end of `out`. */
static void
hoist_from(Walk *w, Inst *loop, Access access, Insts *out)
{
    Hoist h = {.access = access};
    h.motion = code_motion_new(w->c, w->ids, stays, &h);
    h.motion.out = *out;
    h.own_vars = ARENA_ARRAY(w->c->scratch, bool, w->f->vars.count);
    for (int v = 0; v < loop->vars.count; v++)
        h.own_vars[loop->vars.items[v]->id] = true;
    block_walk(loop->blocks[0], look_at_loop, &h);
    block_walk(loop->blocks[1], look_at_loop, &h);
    const bool sure = loop->kind == INST_WHILE || surely_runs(loop);
    const bool ranges = loop->kind == INST_FOR && loop->args.count == 3 * loop->vars.count;
    h.looks = sure && !h.stay;
    h.computes = access == ACCESS_READ && (sure || ranges);
    if (h.looks || h.computes) {
        choose(&h, loop->blocks[0]);    /* of WHILE the condition */
        code_motion_drop(&h.motion, loop->blocks[0]);
        code_motion_drop(&h.motion, loop->blocks[1]);
    }
    *out = h.motion.out;
    code_motion_free(&h.motion);
    arena_release(w->c->scratch, h.own_vars, (size_t)w->f->vars.count);
}

/* Inner loops first: what leaves them may leave the outer one too. */
static void
hoist_in_block(Walk *w, Block *b)
{
    Insts out = {0};
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                hoist_in_block(w, i->blocks[k]);
        Insts moved = {0};
        bool loop = inst_is_loop(i);
        if (loop && w->activations)
            hoist_from(w, i, ACCESS_ACTIVATE, &moved);
        if (loop && (w->reads || w->values))    /* after those, which change what is found */
            hoist_from(w, i, ACCESS_READ, &moved);
        if (!moved.count && !out.count)
            continue;
        for (int k = out.count ? n : 0; k < n; k++)
            vec_push(w->c->arena, &out, b->insts.items[k]);
        for (int k = 0; k < moved.count; k++)
            vec_push(w->c->arena, &out, moved.items[k]);
        vec_push(w->c->arena, &out, i);
    }
    if (out.count)
        b->insts = out;
}

static void
hoist_outer(Block *b, void *arg)
{
    hoist_in_block(arg, b);
}

static void
count_inst(Inst *i, void *arg)
{
    Walk *w = arg;
    w->reads += is_hoistable(i, ACCESS_READ);
    w->activations += is_hoistable(i, ACCESS_ACTIVATE);
    w->values += code_motion_pays(i);
    w->loops += inst_is_loop(i);
}

static void
count_outer(Block *b, void *arg)
{
    block_walk(b, count_inst, arg);
}

void
pass_licm(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    Walk w = {.c = c, .f = f};
    ir_walk_blocks(f, count_outer, &w);
    if ((!w.reads && !w.activations && !w.values) || !w.loops)
        return;
    w.ids = ir_number(f) + 1;
    ir_walk_blocks(f, hoist_outer, &w);
}
