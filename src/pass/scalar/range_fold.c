/* Value-range folding. Comparisons, minima, maxima and remainders are replaced where the bounds of
 * indices give the outcome. In cells of blocks, as e[I * 8 + x] with x from 0 to 7, the boundary
 * mode of a field then has nothing to do:
 *
 *     $5 = I * 8 + x                                 $5 = I * 8 + x
 *     $6 = max $5, 0                                 $9 = cell S2dense of e[$5]
 *     $7 = min $6, 127                          →
 *     $8 = $7 == $5
 *     ... if $8 { $9 = cell S2dense of e[$7] }
 */
#include "config.h"

#include "pass/pass.h"

#include "pass/replace.h"
#include "pass/delinearize.h"

typedef struct {
    Compile *c;
    Delinearizer digits;      /* of the parallel loop at hand */
    Inst **replaced;    /* by id: what stands in its place */
    bool any;
} Settle;

/* ---- outcomes ---- */

/* Bounds of two numbers of one type; false where one of them is not known. */
typedef struct {
    int64_t min[2], max[2];
} Bounds;

static bool
find_bounds(const Settle *s, const Inst *i, Bounds *b)
{
    for (int k = 0; k < 2; k++) {
        const Inst *a = i->args.items[k];
        if (a->kind == INST_CONST && a->type->kind == TYPE_SCALAR)
            b->min[k] = b->max[k] = a->value.leaves[0].i;
        else if (!delinearize_bounds(&s->digits, a, &b->min[k], &b->max[k]))
            return false;
    }
    return true;
}

static bool
is_signed(const Type *t)
{
    return t->kind == TYPE_SCALAR && scalar_info(t->scalar)->kind == KIND_INT;
}

/* The operand that min, max, floormod or % gives, or NULL. */
static Inst *
operand_of(const Settle *s, const Inst *i)
{
    Inst *const *a = i->args.items;
    Bounds b;
    if (!find_bounds(s, i, &b))
        return NULL;
    if (i->kind == INST_BINARY)
        return i->op == OP_MOD && b.min[0] >= 0 && b.max[0] < b.min[1] ? a[0] : NULL;
    switch (i->builtin) {
    case BUILTIN_MIN: return b.max[0] <= b.min[1] ? a[0] : b.max[1] <= b.min[0] ? a[1] : NULL;
    case BUILTIN_MAX: return b.min[0] >= b.max[1] ? a[0] : b.min[1] >= b.max[0] ? a[1] : NULL;
    case BUILTIN_FLOORMOD: return b.min[0] >= 0 && b.max[0] < b.min[1] ? a[0] : NULL;
    default: return NULL;
    }
}

/* 1 or 0: the answer to a comparison; -1 where it is not known. */
static int
answer_of(const Settle *s, const Inst *i)
{
    Inst *const *a = i->args.items;
    Bounds b;
    if (i->op == OP_EQ && a[0] == a[1])
        return 1;
    if (!find_bounds(s, i, &b))
        return -1;
    const bool below = b.max[0] < b.min[1], not_above = b.max[0] <= b.min[1],
               above = b.min[0] > b.max[1], not_below = b.min[0] >= b.max[1];
    switch (i->op) {
    case OP_LT: return below ? 1 : not_below ? 0 : -1;
    case OP_LE: return not_above ? 1 : above ? 0 : -1;
    case OP_GT: return above ? 1 : not_above ? 0 : -1;
    case OP_GE: return not_below ? 1 : below ? 0 : -1;
    case OP_EQ: return below || above ? 0 : -1;
    default: return -1;
    }
}

static void
settle(Settle *s, Inst *i)
{
    if ((i->kind != INST_BUILTIN && i->kind != INST_BINARY) || i->args.count != 2 ||
        !is_signed(i->args.items[0]->type) || !is_signed(i->args.items[1]->type))
        return;
    const bool gives = i->kind == INST_BUILTIN || i->op == OP_MOD;
    if (gives && (s->replaced[i->id] = operand_of(s, i)))
        s->any = true;
    const int answer = i->kind == INST_BINARY ? answer_of(s, i) : -1;
    if (answer < 0)
        return;
    const Inst *number = ir_integer(s->c, i->type, i->span, answer);
    i->kind = INST_CONST;
    i->args = (Insts){0};
    i->value = number->value;
    s->any = true;
}

/* ---- loops ---- */

static void
settle_block(Block *b, void *arg)
{
    Settle *s = arg;
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        replace_put(s->replaced, &i->args);
        replace_in_blocks(s->replaced, i, settle_block, s);
        settle(s, i);
    }
    b->result = replace_find(s->replaced, b->result);
}

static void
settle_in(Settle *s, Task *t)
{
    s->digits.task = t;
    s->digits.home = t->body;
    settle_block(t->body, s);
}

void
pass_range_fold(Compile *c, Ir *ir, IrFunc *f)
{
    if (!f->tasks.count)
        return;
    Settle s = {.c = c};
    s.replaced = ARENA_ARRAY(c->scratch, Inst *, ir_number(f));
    s.digits.indices = affine_new(c, f);
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        settle_in(&s, loops.items[n]);
    if (!s.any)
        return;
    pass_fold(c, ir, f);
    pass_dce(c, ir, f);
}
