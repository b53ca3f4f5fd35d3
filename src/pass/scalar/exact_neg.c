/* Negation of fused products. gcc makes one instruction, -(a * b) - c, of a fused product and its
 * negation. That gives 0 where the value of the program, -(a * b + c), is -0. A value that may be a
 * fused product is therefore negated by its sign bit. The same holds where a C compiler may see a
 * negation in another operation because it knows the other operand:
 *
 *     - (a * b + c)           →    negate (a * b + c)
 *     -0.0 - (a * b + c)      →    -0.0 + negate (a * b + c)
 *     -1.0 * (a * b + c)      →    negate (a * b + c)
 *     x * (a * b + c)         →    -x * negate (a * b + c)         (x may be -1.0)
 */
#include "config.h"

#include "pass/pass.h"

#include "check/leaf.h"
#include "ir/inst_info.h"

#include <math.h>
#include <string.h>

/* What C compilers may see a float, or a part of it, to be: a product that is fused with a sum, or
 * one of these numbers. */
enum {
    SEEN_FUSED = 1,
    SEEN_ZERO = 2,
    SEEN_MINUS_ZERO = 4,
    SEEN_ONE = 8,
    SEEN_MINUS_ONE = 16,
    SEEN_INTEGER = SEEN_ZERO | SEEN_ONE | SEEN_MINUS_ONE,
    SEEN_NUMBER = SEEN_INTEGER | SEEN_MINUS_ZERO,
    SEEN_ANY = SEEN_FUSED | SEEN_NUMBER
};

enum { ROUNDS = 8 }; /* after these all variables are taken for anything */

typedef struct {
    Compile *c;
    const IrFunc *f;
    unsigned char *value;   /* by instruction */
    unsigned char *held;    /* by variable */
    bool *counted;          /* by instruction: see is_counted */
    bool *looped;           /* by variable: of a sequential loop */
    unsigned char stored;   /* in memory; no product, because what is stored has another use, and
                             * gcc leaves it then */
    bool more, any_fused;
} Signs;

/* ---- what is seen ---- */

static unsigned
seen_at(const Signs *s, const Inst *place)
{
    const Inst *root = inst_place_root(place);
    if (root->kind != INST_VAR)
        return root->kind == INST_TABLE ? SEEN_NUMBER : s->stored;
    const bool is_passed = root->var->kind == VAR_ARG && s->f->func->kind == FUNC_DEVICE;
    return s->held[root->var->id] | (is_passed ? SEEN_FUSED : 0);
}

static unsigned
seen_constant(const Inst *i)
{
    unsigned seen = 0;
    for (int k = 0; k < i->type->leaf_count && seen != SEEN_NUMBER; k++) {
        if (scalar_info(type_leaf(i->type, k, NULL))->kind != KIND_FLOAT)
            continue;
        const double x = i->value.leaves[k].f;
        seen |= x == 0      ? (signbit(x) ? SEEN_MINUS_ZERO : SEEN_ZERO)
                : x == 1.0  ? SEEN_ONE
                : x == -1.0 ? SEEN_MINUS_ONE
                            : 0;
    }
    return seen;
}

static unsigned
with_other_sign(unsigned seen)
{
    return (seen & SEEN_ZERO ? SEEN_MINUS_ZERO : 0) | (seen & SEEN_MINUS_ZERO ? SEEN_ZERO : 0) |
           (seen & SEEN_ONE ? SEEN_MINUS_ONE : 0) | (seen & SEEN_MINUS_ONE ? SEEN_ONE : 0);
}

static unsigned
seen_builtin(const Inst *i)
{
    if (!builtin_is_componentwise(i->builtin) || i->builtin == BUILTIN_FMA ||
        i->builtin == BUILTIN_MIX)
        return SEEN_FUSED;
    /* of choices that compilers may take apart */
    return i->builtin == BUILTIN_SIGN ? SEEN_NUMBER : 0;
}

/* Any of the operands from the first on. */
static unsigned
seen_operands(const Signs *s, const Inst *i, int first)
{
    unsigned seen = 0;
    for (int a = first; a < i->args.count; a++)
        seen |= s->value[i->args.items[a]->id];
    return seen;
}

/* Is it computed of nothing but variables of sequential loops, which may be unrolled, and
 * constants? */
static bool
is_counted(const Signs *s, const Inst *i)
{
    bool counted = i->kind == INST_CONST || i->kind == INST_BINARY || i->kind == INST_UNARY ||
                   i->kind == INST_CAST || i->kind == INST_SPLAT || i->kind == INST_MAKE;
    for (int a = 0; a < i->args.count && counted; a++)
        counted = s->counted[i->args.items[a]->id];
    if (i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR)
        counted = s->looped[i->args.items[0]->var->id];
    return counted;
}

static unsigned
seen_in(const Signs *s, const Inst *i)
{
    switch (i->kind) {
    case INST_CONST: return seen_constant(i);
    case INST_FMA: case INST_CALL: return SEEN_FUSED;
    case INST_BUILTIN: return seen_builtin(i);
    case INST_LOAD: return seen_at(s, i->args.items[0]);
    case INST_CAST:
        return type_is_float(i->args.items[0]->type) ? seen_operands(s, i, 0) & SEEN_NUMBER
               : s->counted[i->args.items[0]->id]    ? SEEN_INTEGER
                                                     : 0;
    case INST_UNARY: return with_other_sign(seen_operands(s, i, 0));
    case INST_COND:
        return s->value[i->blocks[0]->result->id] | s->value[i->blocks[1]->result->id];
    case INST_SELECT: return seen_operands(s, i, 1);
    case INST_MAKE: case INST_SPLAT: case INST_GET: case INST_GET_AT:
        return seen_operands(s, i, 0);
    default: return 0;
    }
}

/* ---- everywhere in a function ---- */

static void
note(Signs *s, unsigned char *to, unsigned seen)
{
    s->more |= (*to | seen) != *to;
    *to |= (unsigned char)seen;
}

/* What a store writes; a sum or difference in place may be a product. */
static void
note_written(Signs *s, const Inst *i)
{
    const unsigned seen = i->kind == INST_STORE ? s->value[i->args.items[1]->id] : SEEN_FUSED;
    bool is_in_variable = false;
    for (int a = 0; a < i->args.count; a++) {
        const Inst *root = inst_place_root(i->args.items[a]);
        is_in_variable |= root->kind == INST_VAR && a == 0;
        if (root->kind == INST_VAR)
            note(s, &s->held[root->var->id], seen);
    }
    if (!is_in_variable)
        note(s, &s->stored, seen & SEEN_NUMBER);
}

static void
note_block(Block *b, void *arg)
{
    Signs *s = arg;
    for (int n = 0; b && n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        for (int k = 0; i->kind == INST_FOR && k < i->vars.count; k++)
            s->looped[i->vars.items[k]->id] = true;
        s->counted[i->id] = is_counted(s, i);
        note_block(i->blocks[0], s);
        note_block(i->blocks[1], s);
        const unsigned seen = seen_in(s, i);
        note(s, &s->value[i->id], seen);
        s->any_fused |= (seen & SEEN_FUSED) != 0;
        if (inst_writes(i))
            note_written(s, i);
    }
}

/* ---- what is changed ---- */

static bool
may_be(const Signs *s, const Inst *i, unsigned what)
{
    return s->value[i->id] & what;
}

static bool
has_signs(const Type *t)
{
    return type_is_float(t) && t->scalar != SCALAR_F16;
}

/* A constant with the other sign. */
static Inst *
new_negated(Signs *s, const Inst *i)
{
    Inst *n = ir_new(s->c, INST_CONST, i->type, i->span);
    n->value = i->value;
    n->value.leaves = ARENA_ARRAY(s->c->arena, Leaf, i->type->leaf_count);
    for (int k = 0; k < i->type->leaf_count; k++)
        n->value.leaves[k].f = -i->value.leaves[k].f;
    return n;
}

static void
make_negation(Signs *s, Inst *i, Inst *of)
{
    i->op = OP_NEG;
    i->sign_flip = may_be(s, of, SEEN_FUSED);
    ir_arg(s->c, i, of);
}

/* -i, in the block. */
static Inst *
add_negated(Signs *s, Block *b, Inst *i)
{
    Inst *n;
    if (i->kind == INST_CONST)
        n = new_negated(s, i);
    else
        make_negation(s, n = ir_new(s->c, INST_UNARY, i->type, i->span), i);
    block_add(s->c, b, n);
    return n;
}

/* a - b, where a may be -0 and b a product: a + -b. */
static void
change_difference(Signs *s, Block *b, Inst *i)
{
    Inst **a = i->args.items;
    if (has_signs(i->type) && may_be(s, a[0], SEEN_MINUS_ZERO) && may_be(s, a[1], SEEN_FUSED)) {
        a[1] = add_negated(s, b, a[1]);
        i->op = OP_ADD;
    }
}

/* A product, or a quotient, of which one factor may be -1 and the other a product. */
static void
change_product(Signs *s, Block *b, Inst *i)
{
    Inst **a = i->args.items;
    for (int k = 0; has_signs(i->type) && k < (i->op == OP_MUL ? 2 : 1); k++) {
        if (!may_be(s, a[k], SEEN_FUSED) || !may_be(s, a[1 - k], SEEN_MINUS_ONE))
            continue;
        if (a[1 - k]->kind == INST_CONST && a[1 - k]->type->kind == TYPE_SCALAR) {
            Inst *of = a[k];
            i->kind = INST_UNARY;
            i->args = (Insts){0};
            make_negation(s, i, of);
            return;
        }
        Inst *first = add_negated(s, b, a[0]), *second = add_negated(s, b, a[1]);
        a[0] = first, a[1] = second;
        return;
    }
}

/* A difference in memory that no other iteration changes. */
static void
change_update(Signs *s, Block *b, Inst *i)
{
    if (i->plain && i->atomic_op == ATOMIC_SUB && has_signs(i->type) &&
        may_be(s, i->args.items[1], SEEN_FUSED) &&
        seen_at(s, i->args.items[0]) & SEEN_MINUS_ZERO) {
        i->args.items[1] = add_negated(s, b, i->args.items[1]);
        i->atomic_op = ATOMIC_ADD;
    }
}

static void
change_block(Block *b, void *arg)
{
    Signs *s = arg;
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                change_block(i->blocks[k], s);
        if (i->kind == INST_ATOMIC)
            change_update(s, b, i);
        else if (i->kind == INST_UNARY && i->op == OP_NEG)
            i->sign_flip = has_signs(i->type) && may_be(s, i->args.items[0], SEEN_FUSED);
        else if (i->kind == INST_BINARY && i->op == OP_SUB)
            change_difference(s, b, i);
        else if (i->kind == INST_BINARY && (i->op == OP_MUL || i->op == OP_DIV))
            change_product(s, b, i);
        block_add(s->c, b, i);
    }
    insts_free(s->c, &old);
}

void
pass_exact_neg(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    const int insts = ir_number(f), vars = ir_var_limit(f);
    Signs s = {.c = c, .f = f, .more = true};
    s.value = ARENA_ARRAY(c->scratch, unsigned char, insts);
    s.held = ARENA_ARRAY(c->scratch, unsigned char, vars);
    s.counted = ARENA_ARRAY(c->scratch, bool, insts);
    s.looped = ARENA_ARRAY(c->scratch, bool, vars);
    for (int round = 0; s.more; round++) {
        s.more = false;
        if (round == ROUNDS)
            memset(s.held, SEEN_ANY, (size_t)vars);
        ir_walk_blocks(f, note_block, &s);
        s.more &= s.any_fused;
    }
    if (s.any_fused)
        ir_walk_blocks(f, change_block, &s);
}
