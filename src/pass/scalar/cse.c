/* Value numbering of look-ups and linear algebra:
 *     $5 = lookup S1pointer $4 [$3 >> 3]             $5 = lookup S1pointer $4 [$3 >> 3]
 *     $8 = load in cell x (child $5)           →     $8 = load in cell x (child $5)
 *     $9 = lookup S1pointer $4 [$3 >> 3]             $12 = load in cell y (child $5)
 *     $12 = load in cell y (child $9)
 * Equal values are found by numbering them (Alpern, Wegman, Zadeck, "Detecting equality of
 * variables in programs", POPL 1988), restricted to what dominates by nesting. Plain arithmetic is
 * left to the C compiler, which does it as well. Look-ups are calls that it cannot merge. An
 * address in an active cell stays valid until the loop ends. Therefore only a change of activity
 * separates two look-ups. After an activation a cell that was read as ambient has another address.
 * A deactivation separates all look-ups. */
#include "config.h"

#include "pass/pass.h"
#include "pass/replace.h"

#include "ir/inst_info.h"

/* A value that is known at some point of the walk. */
typedef struct {
    Inst *inst;
    int number;
    unsigned hash;
    int next;           /* the one before in its bucket, or -1 */
    bool gone;          /* a look-up that is not valid here */
} Known;

typedef VEC(int) Numbers;

typedef struct {
    Compile *c;
    const Ir *ir;
    VEC(Known) known;   /* those in scope; cut back where a block ends */
    int *buckets;       /* by hash: the last in `known`, or -1 */
    unsigned bucket_mask;
    Numbers reading, others; /* numbers in `known` of the look-ups that are valid, in order; those
                              * that only read */
    Numbers gone;       /* of those that were valid before, in the order in which they went */
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
    return i->kind == INST_BUILTIN && i->builtin >= BUILTIN_DETERMINANT &&
           i->builtin <= BUILTIN_EIG_SYM;
}

static bool
equal(const Sharing *s, const Inst *a, const Inst *b)
{
    if (!inst_is_alike(a, b))
        return false;
    for (int k = 0; k < a->args.count; k++)
        if (number_of(s, a->args.items[k]) != number_of(s, b->args.items[k]))
            return false;
    return true;
}

/* May b take the place of a later look-up of the same cell? One that only reads is no answer for
 * one that activates, and where an inactive cell lies is an answer of its own. */
static bool
covers(const Inst *earlier, const Inst *later)
{
    if (inst_is_lookup(later) &&
        (earlier->access == ACCESS_ADDRESS) != (later->access == ACCESS_ADDRESS))
        return false;
    return !inst_is_lookup(later) || later->access != ACCESS_ACTIVATE ||
           earlier->access != ACCESS_READ;
}

/* Equal values have equal ones. */
static unsigned
hash_of(const Sharing *s, const Inst *i)
{
    uint64_t h = (uint64_t)i->kind * 31 + (unsigned)i->op;
    for (int k = 0; k < i->args.count; k++)
        h = h * 0x9e3779b97f4a7c15u + (unsigned)number_of(s, i->args.items[k]);
    if (i->kind == INST_CONST)
        h += i->value.leaves[0].u;
    if (i->kind == INST_VAR)
        h += (unsigned)i->var->id;
    h = (h + (unsigned)i->leaf) * 0x9e3779b97f4a7c15u;
    return (unsigned)(h >> 32);
}

/* Look-ups whose validity may end. */
static bool
is_passing(const Inst *i)
{
    return inst_is_lookup(i) && i->node->kind != NODE_DENSE;
}

static Numbers *
list_of(Sharing *s, const Inst *i)
{
    return i->access == ACCESS_READ ? &s->reading : &s->others;
}

static void
add_known(Sharing *s, Inst *i, unsigned hash)
{
    int *bucket = &s->buckets[hash & s->bucket_mask];
    Known new = {.inst = i, .number = s->number[i->id], .hash = hash, .next = *bucket};
    *bucket = s->known.count;
    if (is_passing(i))
        vec_push(s->c->scratch, list_of(s, i), s->known.count);
    vec_push(s->c->scratch, &s->known, new);
}

static void
cut_back(Numbers *list, int scope)
{
    while (list->count && vec_last(list) >= scope)
        list->count--;
}

/* Ends a block: what was known before it is known again, less what share_nested finds changed. */
static void
end_scope(Sharing *s, int scope, int gone)
{
    for (int n = s->known.count - 1; n >= scope; n--)
        s->buckets[s->known.items[n].hash & s->bucket_mask] = s->known.items[n].next;
    s->known.count = scope;
    cut_back(&s->reading, scope);
    cut_back(&s->others, scope);
    while (s->gone.count > gone) {
        int n = s->gone.items[--s->gone.count];
        if (n >= scope)
            continue;
        s->known.items[n].gone = false;
        vec_push(s->c->scratch, list_of(s, s->known.items[n].inst), n);
    }
}

static void
number_inst(Sharing *s, Inst *i)
{
    replace_put(s->instead, &i->args);
    s->number[i->id] = s->next++;
    if (!can_be_equal(i))
        return;
    unsigned hash = hash_of(s, i);
    for (int n = s->buckets[hash & s->bucket_mask]; n >= 0; n = s->known.items[n].next) {
        Inst *other = s->known.items[n].inst;
        if (s->known.items[n].gone || s->known.items[n].hash != hash || !equal(s, other, i) ||
            !covers(other, i))
            continue;
        s->number[i->id] = s->known.items[n].number;
        if (is_worth_sharing(i))
            s->instead[i->id] = other;
        return;
    }
    add_known(s, i, hash);
}

/* ---- what ends a look-up's validity ---- */

static bool
may_deactivate(const Sharing *s, const Inst *i)
{
    return i->kind == INST_DEACTIVATE || i->kind == INST_DEACTIVATE_ALL || inst_moves_trees(i) ||
           (i->kind == INST_CALL && ir_func(s->ir, i->func)->collect.count);
}

static bool
may_activate(const Inst *i)
{
    return (inst_is_lookup(i) && i->access == ACCESS_ACTIVATE && i->node->kind != NODE_DENSE) ||
           i->kind == INST_ACTIVATE || i->kind == INST_APPEND || i->kind == INST_CALL ||
           i->kind == INST_FILL || i->kind == INST_COPY;
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

static void
forget_list(Sharing *s, Numbers *list, const Inst *but)
{
    int kept = -1;
    for (int k = 0; k < list->count; k++) {
        int n = list->items[k];
        if (s->known.items[n].inst == but) {
            kept = n;
            continue;
        }
        s->known.items[n].gone = true;
        vec_push(s->c->scratch, &s->gone, n);
    }
    list->count = 0;
    if (kept >= 0)
        vec_push(s->c->scratch, list, kept);
}

/* Forgets look-ups that the changes part from later ones. */
static void
forget(Sharing *s, const Changes *c, const Inst *but)
{
    if (c->activates || c->deactivates)
        forget_list(s, &s->reading, but);
    if (c->deactivates)
        forget_list(s, &s->others, but);
}

static void share_in_block(Block *b, void *arg);

static void
share_nested(Sharing *s, Inst *i)
{
    Changes c = {.s = s};
    block_walk(i->blocks[0], note_changes, &c);
    block_walk(i->blocks[1], note_changes, &c);
    if (inst_is_loop(i)) /* an earlier round has done all of it already */
        forget(s, &c, NULL);
    replace_in_blocks(s->instead, i, share_in_block, s);
    forget(s, &c, NULL);
}

static void
share_in_block(Block *b, void *arg)
{
    Sharing *s = arg;
    int scope = s->known.count, gone = s->gone.count, kept = 0;
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        Changes c = {.s = s};
        number_inst(s, i);
        if (i->blocks[0] || i->blocks[1] || i->kind == INST_ASSERT)
            share_nested(s, i);
        note_changes(i, &c);
        if (c.activates || c.deactivates)
            forget(s, &c, i);
        if (!s->instead[i->id])
            b->insts.items[kept++] = i;
    }
    b->insts.count = kept;
    b->result = replace_find(s->instead, b->result);
    end_scope(s, scope, gone);
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
    s.bucket_mask = 63;
    while (s.bucket_mask < (unsigned)ids)
        s.bucket_mask = 2 * s.bucket_mask + 1;
    s.buckets = ARENA_ARRAY(c->scratch, int, s.bucket_mask + 1);
    for (unsigned k = 0; k <= s.bucket_mask; k++)
        s.buckets[k] = -1;
    ir_walk_blocks(f, share_in_block, &s);
}
