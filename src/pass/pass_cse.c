/* Shares look-ups of the same cell, and linear algebra of the same values:
 *     $5 = lookup S1pointer $4 [$3 >> 3]             $5 = lookup S1pointer $4 [$3 >> 3]
 *     $8 = load in cell x (child $5)           →     $8 = load in cell x (child $5)
 *     $9 = lookup S1pointer $4 [$3 >> 3]             $12 = load in cell y (child $5)
 *     $12 = load in cell y (child $9)
 * Equal values are found by numbering them (Alpern, Wegman, Zadeck, "Detecting equality of variables in programs", POPL 1988, restricted
 * to what dominates by nesting). Plain arithmetic is left to the C compiler, which does it as well; look-ups are calls that it cannot
 * merge. An address in an active cell stays valid until the loop ends, so only activity can part two look-ups: activation makes
 * a cell that was read as ambient another one; deactivation both. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/pass.h"

/* A value that is known at some point of the walk. */
typedef struct {
    Inst *inst;
    int number;
} Known;

typedef struct {
    Compile *c;
    const Ir *ir;
    VEC(Known) known;   /* those in scope; cut back where a block ends */
    int *number;        /* by instruction id: equal values have equal numbers */
    Inst **instead;     /* by instruction id: the earlier equal one, or NULL */
    int next;
} Sharing;

static int
number_of(const Sharing *s, const Inst *i)
{
    return s->number[i->id];
}

/* A variable that keeps its value, or a part of it. */
static bool
is_fixed(const Inst *i)
{
    const Inst *root = i->kind == INST_LOAD ? inst_place_root(i->args.items[0]) : NULL;
    return root && root->kind == INST_VAR && var_is_fixed(root->var);
}

/* Values that are the same whenever their operands are. */
static bool
can_be_equal(const Inst *i)
{
    if (i->blocks[0] || i->blocks[1])
        return false;
    return inst_is_lookup(i) || is_fixed(i) || inst_info(i->kind)->effects == 'P';
}

/* Worth a variable of its own when there are two. */
static bool
is_worth_sharing(const Inst *i)
{
    if (inst_is_lookup(i))
        return i->node->kind != NODE_DENSE;
    return i->kind == INST_BUILTIN && i->builtin >= BUILTIN_DETERMINANT && i->builtin <= BUILTIN_EIG_SYM;
}

static bool
same_constant(const Inst *a, const Inst *b)
{
    if (a->type != b->type)
        return false;
    for (int i = 0; i < a->type->leaf_count; i++)
        if (a->value.leaves[i].u != b->value.leaves[i].u)
            return false;
    return true;
}

static bool
equal(const Sharing *s, const Inst *a, const Inst *b)
{
    if (a->kind != b->kind || a->args.count != b->args.count || a->type != b->type)
        return false;
    for (int k = 0; k < a->args.count; k++)
        if (number_of(s, a->args.items[k]) != number_of(s, b->args.items[k]))
            return false;
    if (a->kind == INST_CONST)
        return same_constant(a, b);
    return a->op == b->op && a->builtin == b->builtin && a->var == b->var && (a->field == b->field || inst_is_lookup(a)) && a->node == b->node && a->leaf == b->leaf &&
           a->to == b->to && (a->kind != INST_STRING || a->string == b->string);
}

/* May b take the place of a later look-up of the same cell? One that only reads is no answer for one that activates. */
static bool
covers(const Inst *earlier, const Inst *later)
{
    return !inst_is_lookup(later) || later->access != ACCESS_ACTIVATE || earlier->access != ACCESS_READ;
}

static void
number_inst(Sharing *s, Inst *i)
{
    for (int k = 0; k < i->args.count; k++)
        if (s->instead[i->args.items[k]->id])
            i->args.items[k] = s->instead[i->args.items[k]->id];
    for (int k = 0; i->kind == INST_ASSERT && k < i->assert_args.count; k++)
        if (s->instead[i->assert_args.items[k]->id])
            i->assert_args.items[k] = s->instead[i->assert_args.items[k]->id];
    s->number[i->id] = s->next++;
    if (!can_be_equal(i))
        return;
    for (int n = s->known.count - 1; n >= 0; n--) {
        Inst *other = s->known.items[n].inst;
        if (!equal(s, other, i) || !covers(other, i))
            continue;
        s->number[i->id] = s->known.items[n].number;
        if (is_worth_sharing(i))
            s->instead[i->id] = other;
        return;
    }
    vec_push(s->c->scratch, &s->known, (Known){i, s->number[i->id]});
}

/* ---- what ends a look-up's validity ---- */

static bool
may_deactivate(const Sharing *s, const Inst *i)
{
    if (i->kind == INST_CALL)
        return i->func->kind != FUNC_EXTERN && (i->func->kind != FUNC_DEVICE || ir_func(s->ir, i->func)->collect.count);
    return i->kind == INST_DEACTIVATE || i->kind == INST_DEACTIVATE_ALL || i->kind == INST_CREATE || i->kind == INST_DESTROY || i->kind == INST_SWAP ||
           i->kind == INST_TRIM || i->kind == INST_LOADFILE;
}

static bool
may_activate(const Inst *i)
{
    return (inst_is_lookup(i) && i->access == ACCESS_ACTIVATE && i->node->kind != NODE_DENSE) || i->kind == INST_ACTIVATE || i->kind == INST_APPEND ||
           i->kind == INST_CALL || i->kind == INST_FILL || i->kind == INST_COPY;
}

typedef struct {
    const Sharing *s;
    bool activates, deactivates;
} Changes;

static void
note_changes(Inst *i, void *arg)
{
    Changes *c = arg;
    c->activates = c->activates || may_activate(i);
    c->deactivates = c->deactivates || may_deactivate(c->s, i);
}

/* Forgets look-ups that the changes part from later ones. */
static void
forget(Sharing *s, const Changes *c, const Inst *but)
{
    int kept = 0;
    for (int n = 0; n < s->known.count; n++) {
        const Inst *i = s->known.items[n].inst;
        bool gone = inst_is_lookup(i) && i != but && i->node->kind != NODE_DENSE && (c->deactivates || (c->activates && i->access == ACCESS_READ));
        if (!gone)
            s->known.items[kept++] = s->known.items[n];
    }
    s->known.count = kept;
}

static void share_in_block(Sharing *s, Block *b);

static bool
is_loop(const Inst *i)
{
    return i->kind == INST_FOR || i->kind == INST_WHILE || i->kind == INST_FOR_CELLS;
}

static void
share_nested(Sharing *s, Inst *i)
{
    Changes c = {.s = s};
    block_walk(i->blocks[0], note_changes, &c);
    block_walk(i->blocks[1], note_changes, &c);
    if (is_loop(i)) /* an earlier round has done all of it already */
        forget(s, &c, NULL);
    for (int k = 0; k < 2; k++)
        if (i->blocks[k])
            share_in_block(s, i->blocks[k]);
    forget(s, &c, NULL);
}

static void
share_in_block(Sharing *s, Block *b)
{
    int scope = s->known.count, kept = 0;
    VEC(Known) outer = {0};
    for (int n = 0; n < scope; n++)
        vec_push(s->c->scratch, &outer, s->known.items[n]);
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        Changes c = {.s = s};
        number_inst(s, i);
        if (i->blocks[0] || i->blocks[1])
            share_nested(s, i);
        note_changes(i, &c);
        if (c.activates || c.deactivates)
            forget(s, &c, i);
        if (!s->instead[i->id])
            b->insts.items[kept++] = i;
    }
    b->insts.count = kept;
    if (b->result && s->instead[b->result->id])
        b->result = s->instead[b->result->id];
    s->known.count = 0; /* what was known before the block, less what share_nested finds changed */
    for (int n = 0; n < outer.count; n++)
        vec_push(s->c->scratch, &s->known, outer.items[n]);
}

static void
share_outer(Block *b, void *arg)
{
    Sharing *s = arg;
    s->known.count = 0;
    share_in_block(s, b);
}

static void
count_shareable(Inst *i, void *arg)
{
    *(int *)arg += is_worth_sharing(i);
}

static void
count_in(Block *b, void *arg)
{
    block_walk(b, count_shareable, arg);
}

/* Most functions have nothing to share. */
static bool
has_shareable(IrFunc *f)
{
    int count = 0;
    ir_walk_blocks(f, count_in, &count);
    return count > 1;
}

void
pass_cse(Compile *c, Ir *ir, IrFunc *f)
{
    Sharing s = {.c = c, .ir = ir};
    if (!has_shareable(f))
        return;
    int ids = ir_number(f);
    s.number = ARENA_ARRAY(c->scratch, int, ids);
    s.instead = ARENA_ARRAY(c->scratch, Inst *, ids);
    ir_walk_blocks(f, share_outer, &s);
}
