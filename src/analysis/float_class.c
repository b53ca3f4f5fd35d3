/* Finds what floats may be. Starts from nothing, and adds what instructions can give until nothing
 * is new. A variable that only ever gets numbers is then known to be a number, in loops too. */
#include "config.h"

#include "analysis/float_class.h"

#include <math.h>

#include "analysis/equal_values.h"
#include "ir/inst_info.h"

enum {
    NEGATIVE = MAY_BE_NEGATIVE,
    POSITIVE = MAY_BE_POSITIVE,
    BELOW = MAY_BE_NEGATIVE | MAY_BE_NEGATIVE_ZERO, /* with the sign of negative numbers */
    ABOVE = MAY_BE_POSITIVE | MAY_BE_ZERO,
    ZEROS = MAY_BE_ZERO | MAY_BE_NEGATIVE_ZERO,
    NUMBERS = BELOW | ABOVE,
    NOT_NEGATIVE = MAY_BE_NAN | ABOVE
};

enum { ROUNDS_MOST = 8 };

typedef struct {
    unsigned char *of;   /* by number of an instruction */
    unsigned char *vars; /* by id of a variable */
    const int *changes;  /* equal_values_changes */
    Assume assume;
    bool grew;
} Floats;

static int
negated(int a)
{
    return (a & MAY_BE_NAN) | (a & NEGATIVE ? POSITIVE : 0) | (a & POSITIVE ? NEGATIVE : 0) |
           (a & MAY_BE_ZERO ? MAY_BE_NEGATIVE_ZERO : 0) |
           (a & MAY_BE_NEGATIVE_ZERO ? MAY_BE_ZERO : 0);
}

/* Sums of what has few bits are exact: they are no zero by rounding. Infinities are numbers of
 * their sign here. */
static int
sum(int a, int b)
{
    const bool may_be_nan = ((a | b) & MAY_BE_NAN) || (a & POSITIVE && b & NEGATIVE) ||
                            (a & NEGATIVE && b & POSITIVE);
    return (may_be_nan ? MAY_BE_NAN : 0) | (a & b & MAY_BE_NEGATIVE_ZERO) | MAY_BE_ZERO |
           ((a | b) & (NEGATIVE | POSITIVE));
}

/* The product of numbers near zero is a zero of their sign. */
static int
product(int a, int b)
{
    const bool above = (a & ABOVE && b & ABOVE) || (a & BELOW && b & BELOW),
               below = (a & ABOVE && b & BELOW) || (a & BELOW && b & ABOVE);
    return MAY_BE_NAN | (above ? ABOVE : 0) | (below ? BELOW : 0);
}

/* Rounded once: a sum below zero may be a zero then. */
static int
product_sum(int ab, int c)
{
    const int all = sum(ab, c) | MAY_BE_NAN;
    return (ab | c) & NEGATIVE ? all | BELOW : all;
}

int
float_class_max(int a, int b)
{
    int all = ((a | b) & NUMBERS) | (a & b & MAY_BE_NAN);
    if (!(a & (MAY_BE_NAN | BELOW)) || !(b & (MAY_BE_NAN | BELOW)))
        all &= ~BELOW; /* it is no less than a number above */
    return all;
}

int
float_class_min(int a, int b)
{
    return negated(float_class_max(negated(a), negated(b)));
}

/* A product of a value with itself is never negative. */
static int
multiplied(const Floats *k, const Inst *a, const Inst *b)
{
    const int both = product(k->of[a->id], k->of[b->id]);
    return equal_values(k->changes, a, b) ? both & NOT_NEGATIVE : both;
}

static int
binary(const Floats *k, const Inst *i)
{
    const Inst *a = i->args.items[0], *b = i->args.items[1];
    switch (i->op) {
    case OP_ADD: return sum(k->of[a->id], k->of[b->id]);
    case OP_SUB:
        return equal_values(k->changes, a, b) ? MAY_BE_NAN | MAY_BE_ZERO
                             : sum(k->of[a->id], negated(k->of[b->id]));
    case OP_MUL: return multiplied(k, a, b);
    case OP_DIV: return product(k->of[a->id], k->of[b->id]);
    default: return MAY_BE_ANY;
    }
}

static int
builtin(const Floats *k, const Inst *i)
{
    int of[3] = {0};
    for (int a = 0; a < i->args.count && a < 3; a++)
        of[a] = k->of[i->args.items[a]->id];
    switch ((int)i->builtin) {
    case BUILTIN_MIN: return float_class_min(of[0], of[1]);
    case BUILTIN_MAX: return float_class_max(of[0], of[1]);
    case BUILTIN_CLAMP: return float_class_min(float_class_max(of[0], of[1]), of[2]);
    case BUILTIN_ABS: return (of[0] & MAY_BE_NAN) | ABOVE;
    case BUILTIN_SQRT: return NOT_NEGATIVE | (of[0] & MAY_BE_NEGATIVE_ZERO);
    case BUILTIN_EXP: case BUILTIN_EXP2: case BUILTIN_FRACT: case BUILTIN_NORM:
    case BUILTIN_NORM_SQR:
        return NOT_NEGATIVE;
    case BUILTIN_DOT:
        return equal_values(k->changes, i->args.items[0], i->args.items[1]) ? NOT_NEGATIVE
                                                                            : MAY_BE_ANY;
    default: return MAY_BE_ANY;
    }
}

static int
constant(const Inst *i)
{
    int all = 0;
    for (int n = 0; n < i->type->leaf_count; n++) {
        const double x = i->value.leaves[n].f;
        all |= x != x               ? MAY_BE_NAN
               : x == 0             ? signbit(x) ? MAY_BE_NEGATIVE_ZERO : MAY_BE_ZERO
               : x < 0              ? NEGATIVE
                                    : POSITIVE;
    }
    return all;
}

/* Of casts between floats, numbers near zero become zeros of their sign. */
static int
cast(const Floats *k, const Inst *i)
{
    const Inst *from = i->args.items[0];
    const int of = k->of[from->id];
    if (!type_is_float(from->type))
        return NEGATIVE | ABOVE;
    return (of & MAY_BE_NAN) | (of & BELOW ? BELOW : 0) | (of & ABOVE ? ABOVE : 0);
}

static int
given(const Floats *k, const Inst *i)
{
    int all = 0;
    switch ((int)i->kind) {
    case INST_CONST: return type_is_float(i->type) ? constant(i) : MAY_BE_ANY;
    case INST_UNARY: return i->op == OP_NEG ? negated(k->of[i->args.items[0]->id]) : MAY_BE_ANY;
    case INST_BINARY: return binary(k, i);
    case INST_CAST: return cast(k, i);
    case INST_BUILTIN: return builtin(k, i);
    case INST_FMA:
        return product_sum(multiplied(k, i->args.items[0], i->args.items[1]),
                           k->of[i->args.items[2]->id]);
    case INST_SELECT: return k->of[i->args.items[1]->id] | k->of[i->args.items[2]->id];
    case INST_COND: return k->of[i->blocks[0]->result->id] | k->of[i->blocks[1]->result->id];
    case INST_SPLAT: case INST_GET: case INST_GET_AT: return k->of[i->args.items[0]->id];
    case INST_MAKE:
        for (int a = 0; a < i->args.count; a++)
            all |= k->of[i->args.items[a]->id];
        return all;
    case INST_RANDOM: return i->builtin == BUILTIN_RANDN ? NUMBERS : ABOVE;
    case INST_LOAD: {
        const Inst *root = inst_place_root(i->args.items[0]);
        return root->kind == INST_VAR                       ? k->vars[root->var->id]
               : k->assume == ASSUME_USUAL && i->fast_float ? MAY_BE_USUAL
                                                            : MAY_BE_ANY;
    }
    default: return MAY_BE_ANY;
    }
}

static void
grow(Floats *k, unsigned char *known, int more)
{
    k->grew |= more & ~*known;
    *known |= (unsigned char)more;
}

/* Variables that anything but a plain assignment changes may hold anything. */
static void
change_vars(Floats *k, const Inst *i)
{
    if (i->kind == INST_LOAD || i->kind == INST_ELEM || i->kind == INST_MEMBER)
        return;
    for (int a = 0; a < i->args.count; a++) {
        if (inst_info(i->args.items[a]->kind)->result != 'P')
            continue;
        const Inst *root = inst_place_root(i->args.items[a]);
        if (root->kind == INST_VAR)
            grow(k, &k->vars[root->var->id],
                 i->kind == INST_STORE && a == 0 ? k->of[i->args.items[1]->id] : MAY_BE_ANY);
    }
}

static void
look_at(Inst *i, void *arg)
{
    Floats *k = arg;
    if (inst_info(i->kind)->result == 'V' && i->type)
        grow(k, &k->of[i->id], given(k, i));
    change_vars(k, i);
}

static void
look_at_block(Block *b, void *arg)
{
    block_walk(b, look_at, arg);
}

static void
begin_vars(Floats *k, const IrFunc *f)
{
    for (int n = 0; n < f->vars.count; n++) {
        const Var *v = f->vars.items[n];
        /* another loop may have set it, of which nothing is assumed */
        const bool is_shared = k->assume == ASSUME_USUAL && v->kernel_level;
        k->vars[v->id] = v->kind != VAR_LOCAL || is_shared ? MAY_BE_ANY
                         : v->no_init                      ? MAY_BE_ZERO
                                                           : 0;
    }
}

bool
float_class_takes_limit(const Inst *i)
{
    const Builtin b = i->builtin;
    return i->kind == INST_BUILTIN && type_is_float(i->type) && i->type->scalar != SCALAR_F16 &&
           (b == BUILTIN_MIN || b == BUILTIN_MAX || b == BUILTIN_CLAMP);
}

unsigned char *
float_class_find(Compile *c, IrFunc *f, Assume assume)
{
    Floats k = {.assume = assume,
                .of = ARENA_ARRAY(c->scratch, unsigned char, ir_number(f) + 1),
                .changes = equal_values_changes(c, f),
                .vars = ARENA_ARRAY(c->scratch, unsigned char, ir_var_limit(f) + 1)};
    begin_vars(&k, f);
    for (int round = 0; round < ROUNDS_MOST; round++) {
        k.grew = false;
        ir_walk_blocks(f, look_at_block, &k);
        if (!k.grew)
            return k.of;
    }
    return NULL;
}
