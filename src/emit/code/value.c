/* Values as C expressions. */
#include "config.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/leaf.h"
#include "emit/loop/loops.h"

static CText
postfix(const char *text)
{
    return (CText){text, PREC_POSTFIX};
}

static CText raw_value(Emit *e, const Inst *i);

static CText
operand(Emit *e, const Inst *i)
{
    Plan *p = inline_plan_of(e, i);
    return p->is_inline ? raw_value(e, i)
                        : postfix(p->name ? p->name : "/* value without name */ 0");
}

const char *
value_text(Emit *e, const Inst *i, int need)
{
    CText t = operand(e, i);
    return scalar_enclose(e, t.text, t.prec, need);
}

/* ---- constants ---- */

static bool
is_zero(const Leaf *leaves, int count)
{
    for (int i = 0; i < count; i++)
        if (leaves[i].u)
            return false;
    return true;
}

const char *
value_braces(Emit *e, const Type *t, const Leaf *leaves)
{
    const char *text = "";
    if (t->kind == TYPE_SCALAR)
        return scalar_constant(e, t->scalar, leaves[0]);
    if (t->kind == TYPE_STRUCT) {
        for (int i = 0; i < t->member_count; i++)
            text = arena_printf(e->c->arena, "%s%s%s", text, i ? ", " : "",
                                value_braces(e, t->members[i].type, leaves + t->members[i].leaf));
        return arena_printf(e->c->arena, "{%s}", text);
    }
    if (is_zero(leaves, t->leaf_count))
        return "{{0}}";
    for (int i = 0; i < t->leaf_count; i++)
        text = arena_printf(e->c->arena, "%s%s%s", text, i ? ", " : "",
                            scalar_constant(e, t->scalar, leaves[i]));
    return arena_printf(e->c->arena, "{{%s}}", text);
}

static CText
constant(Emit *e, const Inst *i)
{
    const Type *t = i->type;
    if (t->kind == TYPE_SCALAR) {
        const char *text = scalar_constant(e, t->scalar, i->value.leaves[0]);
        return (CText){text, text[0] == '-' || text[0] == '(' ? PREC_UNARY : PREC_POSTFIX};
    }
    if (t->kind == TYPE_ARRAY) /* the initialiser of a local array of zeros */
        return postfix("{0}");
    return postfix(
        arena_printf(e->c->arena, "(%s)%s", type_c(e, t), value_braces(e, t, i->value.leaves)));
}

/* ---- lists of operands ---- */

static const char *
list(Emit *e, const Inst *i, int from)
{
    Text t;
    text_init(&t, e->c->arena);
    for (int k = from; k < i->args.count; k++) {
        const char *s = value_text(e, i->args.items[k], PREC_ASSIGN);
        if (k > from)
            text_raw(&t, ", ", 2);
        text_raw(&t, s, strlen(s));
    }
    return text_end(&t);
}

static CText
call_of(Emit *e, const char *helper, const Inst *i)
{
    return postfix(arena_printf(e->c->arena, "%s(%s)", helper, list(e, i, 0)));
}

/* Elements of an array, one pair of braces a dimension. */
static const char *
array_braces(Emit *e, const Inst *i, int dim, int *at)
{
    const Type *t = i->type;
    if (dim == t->dim_count)
        return value_text(e, i->args.items[(*at)++], PREC_ASSIGN);
    Text out;
    text_init(&out, e->c->arena);
    text_raw(&out, "{", 1);
    for (int64_t k = 0; k < t->dims[dim]; k++) {
        const char *s = array_braces(e, i, dim + 1, at);
        if (k)
            text_raw(&out, ", ", 2);
        text_raw(&out, s, strlen(s));
    }
    text_raw(&out, "}", 1);
    return text_end(&out);
}

static CText
make(Emit *e, const Inst *i)
{
    int at = 0;
    if (i->type->kind == TYPE_ARRAY)
        return postfix(array_braces(e, i, 0, &at));
    const char *type = type_c(e, i->type);
    return postfix(arena_printf(e->c->arena,
                                i->type->kind == TYPE_STRUCT ? "(%s){%s}" : "(%s){{%s}}", type,
                                list(e, i, 0)));
}

/* ---- operations ---- */

static bool
is_scalar(const Inst *i)
{
    return i->type->kind == TYPE_SCALAR;
}

/* An integer compared with itself: compilers warn of that, so its difference from itself is
 * compared with 0. */
static bool
is_same(Emit *e, const Inst *a, const Inst *b)
{
    return a->kind == INST_LOAD && b->kind == INST_LOAD &&
           scalar_info(a->type->scalar)->kind != KIND_FLOAT &&
           !strcmp(operand(e, a).text, operand(e, b).text);
}

/* Has C 32 bits for the text of an integer of 64? */
static bool
is_short(Emit *e, const Inst *i)
{
    bool has_64 =
        is_scalar(i) && (i->type->scalar == SCALAR_I64 || i->type->scalar == SCALAR_U64);
    if (!has_64 || !inline_plan_of(e, i)->is_inline)
        return false;
    switch (i->kind) {
    case INST_CONST: return !strstr(operand(e, i).text, "INT64");
    case INST_EXTENT: return isdigit((unsigned char)*operand(e, i).text);
    case INST_CAST: case INST_BITCAST: {
        const Inst *from = i->args.items[0];
        return is_scalar(from) && from->type->scalar == i->type->scalar && is_short(e, from);
    }
    default: return false;
    }
}

static CText
with_type(Emit *e, Scalar s, CText t)
{
    return (CText){arena_printf(e->c->arena, "(%s)%s", scalar_info(s)->ctype,
                                scalar_enclose(e, t.text, t.prec, PREC_UNARY)),
                   PREC_UNARY};
}

/* An operand that alone says which type an operator has. */
static CText
typed_operand(Emit *e, const Inst *i)
{
    CText t = operand(e, i);
    return is_short(e, i) ? with_type(e, i->type->scalar, t) : t;
}

/* What is subtracted. gcc from 12 on takes 0 - x for -x where x cannot be -0, as an integer that is
 * cast (fold_real_zero_addition_p in fold-const.cc), and so 0 - 0 for -0; not if a function casts
 * it. */
static CText
subtrahend(Emit *e, const Inst *b)
{
    const Inst *from =
        b->kind == INST_CAST && inline_plan_of(e, b)->is_inline ? b->args.items[0] : NULL;
    if (!from || scalar_info(b->type->scalar)->kind != KIND_FLOAT ||
        scalar_info(from->type->scalar)->kind == KIND_FLOAT)
        return operand(e, b);
    return postfix(
        arena_printf(e->c->arena, "snl_cast_%s_%s(%s)", scalar_info(from->type->scalar)->name,
                     scalar_info(b->type->scalar)->name, value_text(e, from, PREC_ASSIGN)));
}

static CText
binary(Emit *e, const Inst *i)
{
    const Inst *a = i->args.items[0], *b = i->args.items[1];
    if (i->op == OP_MATMUL)
        return call_of(e, helper_matmul(e, a->type, b->type, i->type), i);
    if (!is_scalar(a))
        return call_of(e, helper_binary(e, i->op, a->type, b->type), i);
    const bool compares_same = i->op >= OP_EQ && i->op <= OP_GE && is_same(e, a, b);
    const bool typed =
        !compares_same && !i->row_invariant && (b->kind == INST_CONST || is_short(e, b));
    CText args[2];
    args[0] = typed ? typed_operand(e, a) : operand(e, a);
    args[1] = i->op == OP_SUB ? subtrahend(e, b) : operand(e, b);
    if (compares_same)
        return (CText){
            arena_printf(e->c->arena, "%s - %s %s 0", args[0].text, args[1].text,
                         i->op == OP_EQ || i->op == OP_LE || i->op == OP_GE ? "==" : "!="),
            PREC_EQUAL};
    if (i->row_invariant)
        return scalar_row_invariant(e, i, args);
    return scalar_binary(e, i->op, a->type->scalar, args[0], args[1], b, b->type->scalar);
}

static CText
unary(Emit *e, const Inst *i)
{
    const Inst *a = i->args.items[0];
    if (!is_scalar(i))
        return call_of(e, helper_unary(e, i->op, i->type, i->sign_flip), i);
    return i->sign_flip ? scalar_negate(e, i->type->scalar, operand(e, a))
                        : scalar_unary(e, i->op, i->type->scalar, typed_operand(e, a));
}

/* Does it load an index that C has in a variable of 64 bits? It is the same number there. */
static bool
is_wide_load(Emit *e, const Inst *i)
{
    const Inst *place = i->kind == INST_LOAD ? i->args.items[0] : NULL;
    return place && place->kind == INST_VAR && place->var->kind == VAR_INDEX &&
           e->fn.wide[place->var->id] && inline_plan_of(e, i)->is_inline;
}

static CText
cast(Emit *e, const Inst *i)
{
    const Inst *a = i->args.items[0];
    if (i->kind == INST_CAST && is_scalar(i) && i->type->scalar == SCALAR_I64 && is_wide_load(e, a))
        return postfix(place_text(e, a->args.items[0]));
    if (!is_scalar(i))
        return call_of(e, helper_cast(e, a->type, i->type, i->kind == INST_BITCAST), i);
    Scalar from = a->type->scalar, to = i->type->scalar;
    if (i->kind == INST_CAST)
        return scalar_cast(e, from, to, operand(e, a));
    if (from == to)
        return operand(e, a);
    return postfix(arena_printf(e->c->arena, "snl_bitcast_%s_%s(%s)", scalar_info(from)->name,
                                scalar_info(to)->name, value_text(e, a, PREC_ASSIGN)));
}

static CText
fma_value(Emit *e, const Inst *i)
{
    if (!is_scalar(i))
        return call_of(e, helper_fma(e, i->type), i);
    const CText a = operand(e, i->args.items[0]), b = operand(e, i->args.items[1]),
                c = operand(e, i->args.items[2]);
    return scalar_fma(e, i->type->scalar, a, b, c);
}

/* Does a loop on the CPU compute the same for each iteration, what is not folded because not every
 * machine has the same bits for it? */
static bool
is_of_constants(const Emit *e, const Inst *i)
{
    bool constant = e->par.loop && !e->o->gpu && i->args.count && type_is_float(i->type);
    for (int k = 0; k < i->args.count && constant; k++)
        constant = i->args.items[k]->kind == INST_CONST;
    return constant;
}

static CText
builtin(Emit *e, const Inst *i)
{
    CText args[3];
    if (!is_scalar(i) || !is_scalar(i->args.items[0]) || !builtin_is_componentwise(i->builtin))
        return call_of(e, helper_builtin(e, i), i);
    for (int k = 0; k < i->args.count; k++)
        args[k] = operand(e, i->args.items[k]);
    const Scalar s = i->args.items[0]->type->scalar;
    if (scalar_limit(e, i))
        return scalar_limited(e, i, args);
    if (is_of_constants(e, i))
        return scalar_of_constants(e, i, args);
    return i->row_invariant ? scalar_row_invariant(e, i, args)
                            : scalar_builtin(e, i->builtin, s, args, i->args.count);
}

static CText
get(Emit *e, const Inst *i)
{
    const Inst *a = i->args.items[0];
    const char *text = value_text(e, a, PREC_POSTFIX);
    if (a->type->kind == TYPE_STRUCT)
        return postfix(
            arena_printf(e->c->arena, "%s.%s", text, name_member(e, a->type, i->index)));
    return postfix(arena_printf(e->c->arena, "%s.v[%d]", text, i->index));
}

static CText
get_at(Emit *e, const Inst *i)
{
    const Inst *a = i->args.items[0];
    const char *text = value_text(e, a, PREC_POSTFIX);
    if (i->args.count == 2)
        return postfix(arena_printf(e->c->arena, "%s.v[%s]", text,
                                    value_index(e, i->args.items[1], PREC_ANY)));
    const char *row = value_index(e, i->args.items[1], PREC_MUL);
    return postfix(arena_printf(e->c->arena, "%s.v[%s * %d + %s]", text, row, a->type->cols,
                                value_index(e, i->args.items[2], PREC_MUL)));
}

/* Nested blocks that are plain expressions. */
static CText
logic(Emit *e, const Inst *i)
{
    CText a = operand(e, i->args.items[0]), b = operand(e, i->blocks[0]->result);
    return scalar_binary(e, i->op, SCALAR_BOOL, a, b, NULL, SCALAR_BOOL);
}

/* One of two values. In C++ a number beside a small integer, or one of f16, makes an int of both,
 * which stands for none of these between braces. */
static CText
chosen(Emit *e, const Inst *i, CText t)
{
    const bool is_int = i->kind == INST_CONST && is_scalar(i) && i->type->scalar != SCALAR_BOOL &&
                        scalar_info(i->type->scalar)->bytes < 4;
    return is_int ? with_type(e, i->type->scalar, t) : t;
}

/* Bit operations in the condition stand in parentheses, as compilers advise. */
static CText
choice(Emit *e, const Inst *condition, const Inst *yes, const Inst *no)
{
    CText c = operand(e, condition), first = chosen(e, yes, typed_operand(e, yes)),
          last = chosen(e, no, operand(e, no));
    const char *test = c.prec == PREC_OR || c.prec == PREC_XOR || c.prec == PREC_AND
                           ? arena_printf(e->c->arena, "(%s)", c.text)
                           : scalar_enclose(e, c.text, c.prec, PREC_LOR);
    return (CText){arena_printf(e->c->arena, "%s ? %s : %s", test,
                                scalar_enclose(e, first.text, first.prec, PREC_LOR),
                                scalar_enclose(e, last.text, last.prec, PREC_COND)),
                   PREC_COND};
}

static CText
random_value(Emit *e, const Inst *i)
{
    const char *what = i->builtin == BUILTIN_RANDOM       ? "f32"
                       : i->builtin == BUILTIN_RANDOM_F64 ? "f64"
                       : i->builtin == BUILTIN_RANDOM_I32 ? "i32"
                       : i->builtin == BUILTIN_RANDOM_U32 ? "u32"
                                                          : "randn";
    return postfix(arena_printf(e->c->arena, "snl_random_%s(%s)", what, e->fn.random_ref));
}

static CText
load(Emit *e, const Inst *i)
{
    const Inst *p = i->args.items[0];
    const char *text = place_text(e, p);
    if (float4_has(e, i->type) && inst_place_root(p)->kind != INST_VAR)
        return postfix(float4_load(e, p, text));
    const char *whole = float4_read(e, p, text);
    if (whole)
        return postfix(whole);
    if (e->par.task && gpu_tiles_only_reads(e->par.task, p))
        return postfix(arena_printf(e->c->arena, "SNL_READ(%s)", text));
    if (p->kind == INST_VAR && e->fn.wide[p->var->id] && p->type->scalar != SCALAR_I64)
        return (CText){
            arena_printf(e->c->arena, "(%s)%s", scalar_info(p->type->scalar)->ctype, text),
            PREC_UNARY};
    return (CText){text, text[0] == '*' ? PREC_UNARY : PREC_POSTFIX};
}

/* The number of the cell that the loop is at in its container, plus a constant. */
static CText
loop_number(Emit *e, const Inst *i)
{
    const CellAt *at = e->fn.cells;
    while (at->node != i->node || at->var)
        at = at->outer;
    if (!i->index)
        return (CText){at->number, PREC_ADD};
    return (CText){arena_printf(e->c->arena, "%s %c %d", at->number, i->index < 0 ? '-' : '+',
                                i->index < 0 ? -i->index : i->index),
                   PREC_ADD};
}

/* What the kernel gives the function of the loop. */
static CText
bound(Emit *e, const Inst *i)
{
    static const char *const members[] = {"from", "step", "count"};
    return postfix(arena_printf(e->c->arena, "in->%s%d", members[i->bound], i->index));
}

static CText
raw_value(Emit *e, const Inst *i)
{
    switch (i->kind) {
    case INST_CONST: return constant(e, i);
    case INST_PARAM: return postfix(place_param(e, i->param));
    case INST_LOOP_NUMBER: return loop_number(e, i);
    case INST_CHUNK: return postfix(i->index ? "to" : "from");
    case INST_BOUND: return bound(e, i);
    case INST_EXTENT:
        if (i->node)
            return postfix(place_size(e, i->node, i->axis));
        if (i->field)
            return postfix(place_extent(e, i->field, i->axis));
        if (i->args.items[0]->type->kind == TYPE_ARRAY)
            return postfix(arena_printf(e->c->arena, "%lld",
                                        (long long)i->args.items[0]->type->dims[i->axis]));
        return postfix(arena_printf(e->c->arena, "%s_n%d",
                                    e->fn.var_text[i->args.items[0]->var->id], i->axis));
    case INST_UNARY: return unary(e, i);
    case INST_BINARY: return binary(e, i);
    case INST_CAST: case INST_BITCAST: return cast(e, i);
    case INST_SPLAT: return call_of(e, helper_splat(e, i->type), i);
    case INST_MAKE: return make(e, i);
    case INST_GET: return get(e, i);
    case INST_GET_AT: return get_at(e, i);
    case INST_FMA: return fma_value(e, i);
    case INST_BUILTIN: return builtin(e, i);
    case INST_SELECT: return choice(e, i->args.items[0], i->args.items[1], i->args.items[2]);
    case INST_LOGIC: return logic(e, i);
    case INST_COND: return choice(e, i->args.items[0], i->blocks[0]->result, i->blocks[1]->result);
    case INST_RANDOM: return random_value(e, i);
    case INST_CALL: return postfix(func_call(e, i));
    case INST_LOAD: return load(e, i);
    case INST_ADDRESS:
        return (CText){
            arena_printf(e->c->arena, "(int64_t)(uintptr_t)%s",
                         place_address(e, place_text(e, i->args.items[0]))),
            PREC_UNARY};
    case INST_PATCH_AT: return postfix(block_cache_at(e, i));
    case INST_STRING: return postfix(value_string(e, i->string, i->string_bytes));
    case INST_SAME_TEXT:
        return postfix(arena_printf(e->c->arena, "snl_same_text(%s, %s)",
                                    value_text(e, i->args.items[0], PREC_ASSIGN),
                                    value_text(e, i->args.items[1], PREC_ASSIGN)));
    case INST_IS_ACTIVE: case INST_LENGTH: case INST_MEMORY: case INST_ACTIVE: case INST_CLOCK:
    case INST_TAKE:
    case INST_MEASURE: return postfix(activity_value(e, i));
    default: return postfix("/* no value */ 0");
    }
}

/* ---- index arithmetic ---- */

/* Is it a variable of the parallel loop that is known to be small? */
static bool
is_small_variable(const Emit *e, const Inst *i)
{
    const int64_t most = 1 << 24;
    const Task *t = e->par.loop;
    const int k = t && i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR
                      ? task_var_number(t, i->args.items[0]->var)
                      : -1;
    if (k < 0)
        return false;
    if (t->kind == TASK_RANGE_FOR) {
        const Inst *from = t->from.items[k], *to = t->to.items[k];
        return from->kind == INST_CONST && to->kind == INST_CONST &&
               llabs(from->value.leaves[0].i) <= most && llabs(to->value.leaves[0].i) <= most;
    }
    for (int a = 0, rank = 0; t->node && a < AXIS_MAX; a++)
        if ((t->node->path_axes & 1 << a) && rank++ == k)
            return t->node->coord_extent[a] > 0 && t->node->coord_extent[a] <= most &&
                   llabs(t->node->offset[a]) <= most;
    return false;
}

/* Is it a multiple of such a variable, which 32 bits hold? */
static bool
is_small_multiple(const Emit *e, const Inst *i)
{
    const int64_t times_most = 64;
    if (e->c->options.gpu || i->kind != INST_BINARY || i->op != OP_MUL)
        return false;
    for (int a = 0; a < 2; a++) {
        const Inst *times = i->args.items[a];
        if (times->kind == INST_CONST && llabs(times->value.leaves[0].i) <= times_most)
            return is_small_variable(e, i->args.items[1 - a]);
    }
    return false;
}

/* Has C 64 bits for the text of this index? */
static bool
is_wide_index(Emit *e, const Inst *i)
{
    CText near;
    if (i->type->scalar == SCALAR_I64 || neighbour_index(e, i, &near))
        return true;
    if (!inline_plan_of(e, i)->is_inline)
        return false;
    if (i->kind == INST_LOAD)
        return i->args.items[0]->kind == INST_VAR && e->fn.wide[i->args.items[0]->var->id];
    bool adds = i->kind == INST_BINARY &&
                (i->op == OP_ADD || i->op == OP_SUB || is_small_multiple(e, i)) &&
                scalar_info(i->type->scalar)->kind == KIND_INT;
    return adds && (is_wide_index(e, i->args.items[0]) || is_wide_index(e, i->args.items[1]));
}

/* Is it a sum of variables with more bits than the user's, of constants, and of one number at most
 * that the kernel or the program is given? Where 32 bits do not hold such a sum they hold a
 * negative number, so no cell is meant by either. */
static bool
is_stride(Emit *e, const Inst *i, int *given)
{
    if (i->kind == INST_CONST)
        return true;
    if (i->kind == INST_BINARY && (i->op == OP_ADD || i->op == OP_SUB))
        return inline_plan_of(e, i)->is_inline && is_stride(e, i->args.items[0], given) &&
               is_stride(e, i->args.items[1], given);
    const Inst *place = i->kind == INST_LOAD ? i->args.items[0] : NULL;
    const Var *v = place && place->kind == INST_VAR ? place->var : NULL;
    if (v && e->fn.wide[v->id])
        return true;
    if (i->kind == INST_PARAM || (v && v->kind == VAR_ARG && var_is_fixed(v)))
        return ++*given == 1;
    return is_small_multiple(e, i);
}

bool
value_is_wide(Emit *e, const Inst *i)
{
    int given = 0;
    if (e->c->options.gpu || e->c->options.check || i->type->kind != TYPE_SCALAR)
        return false;
    return i->kind == INST_BINARY && i->type->scalar == SCALAR_I32 && is_stride(e, i, &given) &&
           is_wide_index(e, i);
}

static bool
is_widening(const Inst *i)
{
    return i->kind == INST_CAST && i->type->scalar == SCALAR_I64 &&
           scalar_info(i->args.items[0]->type->scalar)->kind == KIND_INT;
}

static CText index_part(Emit *e, const Inst *i);

enum { SUM_TERMS_MOST = 16, SUM_NUMBER_MOST = 1 << 24 };

/* A sum of 32 bits, some terms of which have 64 in C. */
typedef struct {
    const Inst *terms[SUM_TERMS_MOST];
    bool minus[SUM_TERMS_MOST]; /* is subtracted; not the first */
    bool wraps[SUM_TERMS_MOST]; /* any value of 32 bits */
    int count, wrapping;
} IndexSum;

static void
term_wraps(IndexSum *s, int term)
{
    s->wrapping += !s->wraps[term];
    s->wraps[term] = true;
}

bool
value_begins_far(const Inst *from)
{
    return from->kind != INST_CONST || llabs(from->value.leaves[0].i) > SUM_NUMBER_MOST;
}

/* Is it a variable, or a number, whose sum with another one may wrap, although the index is within
 * its field? A loop that begins near zero, and reaches such numbers, was outside of the field
 * before. */
static bool
is_far(const Emit *e, const Inst *i)
{
    const Inst *place = i->kind == INST_LOAD ? i->args.items[0] : NULL;
    if (i->kind == INST_CONST)
        return value_begins_far(i);
    return place && place->kind == INST_VAR && e->fn.far[place->var->id];
}

/* Two of them count as any value. */
static void
find_far(const Emit *e, IndexSum *s)
{
    const int last = s->count - 1;
    if (!is_far(e, s->terms[last]))
        return;
    for (int k = 0; k < last; k++)
        if (is_far(e, s->terms[k])) {
            term_wraps(s, k);
            term_wraps(s, last);
        }
}

/* False where it has too many terms. */
static bool
find_terms(Emit *e, const Inst *i, bool minus, IndexSum *s)
{
    CText near;
    const bool adds = i->kind == INST_BINARY && (i->op == OP_ADD || i->op == OP_SUB) &&
                      is_wide_index(e, i) && !neighbour_index(e, i, &near);
    if (adds)
        return find_terms(e, i->args.items[0], minus, s) &&
               find_terms(e, i->args.items[1], minus != (i->op == OP_SUB), s);
    if (s->count == SUM_TERMS_MOST)
        return false;
    const bool wraps = i->kind == INST_CONST ? value_begins_far(i) : !is_wide_index(e, i);
    s->minus[s->count] = minus;
    s->terms[s->count++] = i;
    if (wraps)
        term_wraps(s, s->count - 1);
    find_far(e, s);
    return true;
}

/* The sum of those terms that may be any number, as the program computes it; *minus: the rest is
 * less by it. */
static CText
wrapping_terms(Emit *e, const IndexSum *s, bool *minus)
{
    int first = -1;
    for (int k = s->count - 1; k >= 0; k--)
        if (s->wraps[k] && (first < 0 || s->minus[first] || !s->minus[k]))
            first = k;
    assert(first >= 0);
    CText sum = operand(e, s->terms[first]);
    *minus = s->minus[first];
    for (int k = 0; k < s->count; k++)
        if (s->wraps[k] && k != first)
            sum = scalar_binary(e, s->minus[k] == *minus ? OP_ADD : OP_SUB, SCALAR_I32, sum,
                                operand(e, s->terms[k]), s->terms[k], SCALAR_I32);
    return sum;
}

/* Several terms that may be any number: their sum wraps as the program says, so that what is added
 * to it does not pass 32 bits where the index is within its field. */
static CText
index_sum(Emit *e, const IndexSum *s)
{
    bool minus;
    const CText wrapping = wrapping_terms(e, s, &minus);
    CText sum = wrapping;
    for (int k = 0, begun = !minus; k < s->count; k++) {
        if (s->wraps[k])
            continue;
        const CText term = index_part(e, s->terms[k]);
        sum = begun ? scalar_exact(e, s->minus[k] ? OP_SUB : OP_ADD, SCALAR_I64, sum, term) : term;
        begun = true;
    }
    return minus ? scalar_exact(e, OP_SUB, SCALAR_I64, sum, wrapping) : sum;
}

/* An index is within its field, so its arithmetic may be wider than the user's: C compilers then
 * see plain strides. It is never narrower: what is between may need more bits than the index. */
static CText
index_part(Emit *e, const Inst *i)
{
    IndexSum sum = {0};
    Plan *p = inline_plan_of(e, i);
    CText near;
    if (neighbour_index(e, i, &near))
        return near;
    if (!p->is_inline)
        return postfix(p->name);
    if (is_widening(i) && is_wide_index(e, i->args.items[0]))
        return index_part(e, i->args.items[0]);
    if (i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR &&
        e->fn.wide[i->args.items[0]->var->id])
        return postfix(place_text(e, i->args.items[0]));
    if (i->kind == INST_BINARY && scalar_info(i->type->scalar)->kind == KIND_INT) {
        const Inst *a = i->args.items[0], *b = i->args.items[1];
        bool fits = i->op == OP_ADD || i->op == OP_SUB ||
                    (i->type->scalar == SCALAR_I32 && is_small_multiple(e, i));
        if (i->type->scalar == SCALAR_I32 && is_wide_index(e, i)) {
            if (!find_terms(e, i, false, &sum))
                return raw_value(e, i);
            if (sum.wrapping > 1)
                return index_sum(e, &sum);
        }
        if (fits || i->type->scalar == SCALAR_I64) {
            CText right = index_part(e, b);
            if (i->op == OP_MUL && b->kind == INST_CONST && b->value.leaves[0].i == 1)
                return index_part(e, a);
            bool alone = is_short(e, a) && is_short(e, b);
            CText left = alone ? typed_operand(e, a) : index_part(e, a);
            const Scalar s = i->type->scalar; /* a sum of 32 bits in C may wrap on the way */
            return s == SCALAR_I64 || !is_wide_index(e, i)
                       ? scalar_binary(e, i->op, s, left, right, b, s)
                       : scalar_exact(e, i->op, SCALAR_I64, left, right);
        }
    }
    return raw_value(e, i);
}

const char *
value_wide(Emit *e, const Inst *i)
{
    return index_part(e, i).text;
}

/* A whole index. Where numbers of cells need no more than 32 bits, neither does it. */
static CText
index_text(Emit *e, const Inst *i)
{
    CText near;
    while (!e->has_large && is_widening(i) && inline_plan_of(e, i)->is_inline &&
           !neighbour_index(e, i, &near))
        i = i->args.items[0];
    return index_part(e, i);
}

const char *
value_index(Emit *e, const Inst *i, int need)
{
    CText t = index_text(e, i);
    return scalar_enclose(e, t.text, t.prec, need);
}

/* ---- text ---- */

const char *
value_string(Emit *e, const char *s, size_t bytes)
{
    Text t;
    text_init(&t, e->c->arena);
    text_raw(&t, "\"", 1);
    for (size_t i = 0; i < bytes; i++) {
        unsigned char ch = (unsigned char)s[i];
        char out[8];
        if (ch == '\n')
            text_raw(&t, "\\n", 2);
        else if (ch < 32 || ch == 127 || (ch == '?' && i && s[i - 1] == '?')) {
            snprintf(out, sizeof out, "\\%03o", ch);
            text_raw(&t, out, strlen(out));
        } else {
            if (ch == '"' || ch == '\\')
                text_raw(&t, "\\", 1);
            text_raw(&t, s + i, 1);
        }
    }
    text_raw(&t, "\"", 1);
    return text_end(&t);
}

const char *
value_pointer(Emit *e, const Inst *v)
{
    const char *type = type_c(e, v->type);
    return arena_printf(e->c->arena, "SNL_ARRAY(%s, %s)", type, value_text(e, v, PREC_ASSIGN));
}

const char *
value_print_args(Emit *e, const Insts *args)
{
    Text t;
    if (!args->count)
        return "0, NULL";
    text_init(&t, e->c->arena);
    const char *head = arena_printf(e->c->arena, "%d, SNL_ARRAY(SnlArg, ", args->count);
    text_raw(&t, head, strlen(head));
    for (int i = 0; i < args->count; i++) {
        const Inst *v = args->items[i];
        const char *text = value_text(e, v, PREC_ASSIGN);
        if (v->type->kind == TYPE_STRING)
            text = arena_printf(e->c->arena, "(SnlArg){SNL_STRING, 0, 0, %s}", text);
        else
            text =
                arena_printf(e->c->arena, "(SnlArg){%s, %d, %d, %s}", scalar_tag(v->type->scalar),
                             v->type->rows, v->type->cols, value_pointer(e, v));
        if (i)
            text_raw(&t, ", ", 2);
        text_raw(&t, text, strlen(text));
    }
    text_raw(&t, ")", 1);
    return text_end(&t);
}
