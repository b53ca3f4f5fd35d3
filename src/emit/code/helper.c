/* Functions on vectors and matrices, written into the source when first used. Small ones go
 * component by component, so that C compilers keep them in registers. Larger ones loop. */
#include "config.h"

#include <string.h>

#include "check/leaf.h"
#include "emit/code/code.h"

enum { UNROLLED = 16 }; /* components */

typedef struct {
    const char *name;
    const Type *result;
    const Type *args[3];
    int arg_count;
} Signature;

/* Is it small enough to be a part of each caller? C compilers give up on inlining where a loop
 * calls hundreds of such. */
static bool
is_short(const Signature *s)
{
    return s->result->leaf_count <= UNROLLED && s->args[0]->leaf_count <= UNROLLED;
}

static void
begin(Emit *e, const Signature *s, bool part_of_caller)
{
    static const char *const names[] = {"a", "b", "c"};
    Text *t = &e->helpers;
    const char *result = type_c(e, s->result);
    text_line(t, "%s %s",
              e->o->gpu        ? "SNL_FN"
              : part_of_caller ? "SNL_INLINE"
                               : "static inline",
              result);
    text_add(t, "%s(", s->name);
    for (int i = 0; i < s->arg_count; i++)
        text_add(t, "%s%s", i ? ", " : "", type_decl(e, s->args[i], names[i]));
    text_add(t, ")");
    text_newline(t);
    text_open(t, "{");
}

static void
end(Emit *e)
{
    text_close(&e->helpers, "}");
    text_newline(&e->helpers);
}

/* Component k of argument i, the scalar itself where it is one. */
static CText
component(Emit *e, const Signature *s, int i, const char *k)
{
    static const char *const names[] = {"a", "b", "c"};
    if (s->args[i]->kind == TYPE_SCALAR)
        return (CText){names[i], PREC_POSTFIX};
    return (CText){arena_printf(e->c->arena, "%s.v[%s]", names[i], k), PREC_POSTFIX};
}

typedef CText (*ComponentFn)(Emit *e, const Signature *s, const char *k, const void *what);

/* A function whose result has in each component what `fn` says. */
static const char *
per_component(Emit *e, const Signature *s, ComponentFn fn, const void *what)
{
    if (!name_is_new(e, s->name))
        return s->name;
    Text *t = &e->helpers;
    begin(e, s, is_short(s));
    int n = s->result->leaf_count;
    if (n > UNROLLED) {
        text_line(t, "%s r;", type_c(e, s->result));
        text_line(t, "for (int k = 0; k < %d; k++)", n);
        text_line(t, "    r.v[k] = %s;", fn(e, s, "k", what).text);
        text_line(t, "return r;");
    } else {
        text_add(t, "return (%s){{", type_c(e, s->result));
        for (int k = 0; k < n; k++)
            text_add(t, "%s%s", k ? ", " : "",
                     scalar_enclose(e, fn(e, s, arena_printf(e->c->arena, "%d", k), what).text,
                             PREC_ASSIGN, PREC_ASSIGN));
        text_add(t, "}};");
        text_newline(t);
    }
    end(e);
    return s->name;
}

/* ---- operators ---- */

typedef struct {
    Op op;
    Scalar scalar, count;
    bool sign_flip;
} Operation;

static CText
binary_component(Emit *e, const Signature *s, const char *k, const void *what)
{
    const Operation *o = what;
    return scalar_binary(e, o->op, o->scalar, component(e, s, 0, k), component(e, s, 1, k), NULL,
                         o->count);
}

static CText
unary_component(Emit *e, const Signature *s, const char *k, const void *what)
{
    const Operation *o = what;
    const CText a = component(e, s, 0, k);
    return o->sign_flip ? scalar_negate(e, o->scalar, a) : scalar_unary(e, o->op, o->scalar, a);
}

static const char *
op_word(Op op)
{
    static const char *const words[OP_COUNT] = {
        [OP_ADD] = "add",    [OP_SUB] = "sub",   [OP_MUL] = "mul",      [OP_DIV] = "div",
        [OP_MOD] = "mod",    [OP_AND] = "and",   [OP_OR] = "or",        [OP_XOR] = "xor",
        [OP_SHL] = "shl",    [OP_SHR] = "shr",   [OP_EQ] = "eq",        [OP_NE] = "ne",
        [OP_LT] = "lt",      [OP_LE] = "le",     [OP_GT] = "gt",        [OP_GE] = "ge",
        [OP_NEG] = "neg",    [OP_NOT] = "not",   [OP_COMPL] = "compl",  [OP_LAND] = "both",
        [OP_LOR] = "either", [OP_PLUS] = "plus", [OP_MATMUL] = "matmul"};
    return words[op];
}

static const Type *
bools(Emit *e, const Type *t)
{
    return type_with_scalar(e->p->types, t, SCALAR_BOOL);
}

const char *
helper_binary(Emit *e, Op op, const Type *t, const Type *count)
{
    bool compares = op >= OP_EQ && op <= OP_GE;
    Operation o = {op, t->scalar, count->scalar, false};
    if (float4_has(e, t) && float4_binary(op))
        return float4_binary(op);
    const char *extra = count->scalar != t->scalar
                            ? arena_printf(e->c->arena, "_%s", scalar_info(count->scalar)->name)
                            : "";
    Signature s = {arena_printf(e->c->arena, "snl_%s_%s%s", op_word(op), type_suffix(e, t), extra),
                   compares ? bools(e, t) : t,
                   {t, count},
                   2};
    return per_component(e, &s, binary_component, &o);
}

const char *
helper_unary(Emit *e, Op op, const Type *t, bool sign_flip)
{
    Operation o = {op, t->scalar, t->scalar, sign_flip};
    if (float4_has(e, t) && op == OP_NEG)
        return "snl_quad_neg";
    Signature s = {arena_printf(e->c->arena, "snl_%s_%s", sign_flip ? "negate" : op_word(op),
                                type_suffix(e, t)),
                   t,
                   {t},
                   1};
    return per_component(e, &s, unary_component, &o);
}

typedef struct {
    Scalar from, to;
    bool bits;
} Conversion;

static CText
cast_component(Emit *e, const Signature *s, const char *k, const void *what)
{
    const Conversion *c = what;
    CText a = component(e, s, 0, k);
    if (!c->bits)
        return scalar_cast(e, c->from, c->to, a);
    return (CText){arena_printf(e->c->arena, "snl_bitcast_%s_%s(%s)", scalar_info(c->from)->name,
                                scalar_info(c->to)->name, a.text),
                   PREC_POSTFIX};
}

const char *
helper_cast(Emit *e, const Type *from, const Type *to, bool bits)
{
    Conversion c = {from->scalar, to->scalar, bits};
    Signature s = {arena_printf(e->c->arena, "snl_%s_%s_%s", bits ? "bitcast" : "cast",
                                type_suffix(e, from), type_suffix(e, to)),
                   to,
                   {from},
                   1};
    return per_component(e, &s, cast_component, &c);
}

static CText
splat_component(Emit *e, const Signature *s, const char *k, const void *what)
{
    (void)what;
    return component(e, s, 0, k);
}

const char *
helper_splat(Emit *e, const Type *t)
{
    if (float4_has(e, t))
        return "snl_quad_splat";
    Signature s = {arena_printf(e->c->arena, "snl_splat_%s", type_suffix(e, t)),
                   t,
                   {type_scalar(e->p->types, t->scalar)},
                   1};
    return per_component(e, &s, splat_component, NULL);
}

static CText
fma_component(Emit *e, const Signature *s, const char *k, const void *what)
{
    (void)what;
    return scalar_fma(e, s->result->scalar, component(e, s, 0, k), component(e, s, 1, k),
                      component(e, s, 2, k));
}

const char *
helper_fma(Emit *e, const Type *t)
{
    if (float4_has(e, t))
        return "snl_quad_muladd";
    Signature s = {arena_printf(e->c->arena, "snl_muladd_%s", type_suffix(e, t)), t, {t, t, t}, 3};
    return per_component(e, &s, fma_component, NULL);
}

/* ---- matrix products ---- */

/* sum over k of a[…] * b[…], in ascending order, written out. */
static const char *
sum_of_products(Emit *e, Scalar s, int n, const char *a, int a_from, int a_step, const char *b,
                int b_from, int b_step)
{
    CText sum = {NULL, PREC_ANY};
    for (int k = 0; k < n; k++) {
        CText x = {arena_printf(e->c->arena, "%s.v[%d]", a, a_from + k * a_step), PREC_POSTFIX};
        CText y = {arena_printf(e->c->arena, "%s.v[%d]", b, b_from + k * b_step), PREC_POSTFIX};
        CText product = scalar_binary(e, OP_MUL, s, x, y, NULL, s);
        sum = k ? scalar_binary(e, OP_ADD, s, sum, product, NULL, s) : product;
    }
    return sum.text;
}

const char *
helper_matmul(Emit *e, const Type *a, const Type *b, const Type *result)
{
    int rows = a->kind == TYPE_VECTOR ? 1 : a->rows,
        inner = a->kind == TYPE_VECTOR ? a->rows : a->cols;
    int cols = b->kind == TYPE_VECTOR ? 1 : b->cols;
    Signature s = {
        arena_printf(e->c->arena, "snl_matmul_%s_%s", type_suffix(e, a), type_suffix(e, b)),
        result,
        {a, b},
        2};
    if (!name_is_new(e, s.name))
        return s.name;
    Text *t = &e->helpers;
    const bool small = rows * cols <= UNROLLED && inner <= 4;
    begin(e, &s, small);
    if (small) {
        text_line(t, "return (%s){{", type_c(e, result));
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++)
                text_line(t, "    %s%s",
                          sum_of_products(e, a->scalar, inner, "a", r * inner, 1, "b", c, cols),
                          r * cols + c + 1 < rows * cols ? "," : "");
        text_line(t, "}};");
    } else {
        text_line(t, "%s r;", type_c(e, result));
        text_line(t, "snl_matmul_%s(%d, %d, %d, a.v, b.v, %sr.v);", scalar_info(a->scalar)->name,
                  rows, inner, cols, result->kind == TYPE_SCALAR ? "&" : "");
        text_line(t, "return r;");
    }
    end(e);
    return s.name;
}

/* ---- built-in functions ---- */

static CText
builtin_component(Emit *e, const Signature *s, const char *k, const void *what)
{
    CText args[3];
    for (int i = 0; i < s->arg_count; i++)
        args[i] = component(e, s, i, k);
    return scalar_builtin(e, *(const Builtin *)what, s->args[0]->scalar, args, s->arg_count);
}

/* The same of a min, max or clamp with limits. */
static CText
limited_component(Emit *e, const Signature *s, const char *k, const void *what)
{
    CText args[3];
    const bool hides = e->par.hides_limits;
    for (int i = 0; i < s->arg_count; i++)
        args[i] = component(e, s, i, k);
    e->par.hides_limits = false; /* they are arguments */
    const CText text = scalar_limited(e, what, args);
    e->par.hides_limits = hides;
    return text;
}

static const char *
builtin_per_component(Emit *e, const Inst *i, Signature *s)
{
    const Builtin what = i->builtin;
    const Limit *l = scalar_limit(e, i);
    if (!l)
        return per_component(e, s, builtin_component, &what);
    s->name = l->alone ? arena_printf(e->c->arena, "%s_alone", s->name)
                       : arena_printf(e->c->arena, "%s_limit%d%s", s->name, l->operand - 1,
                                      l->gives_other ? "_or_other" : "");
    return per_component(e, s, limited_component, i);
}

/* true if any, or all, components are. */
static void
any_all(Emit *e, const Signature *s, bool all)
{
    Text *t = &e->helpers;
    int n = s->args[0]->leaf_count;
    text_line(t, "bool r = %s;", all ? "true" : "false");
    text_line(t, "for (int k = 0; k < %d; k++)", n);
    text_line(t, "    r = r %s a.v[k];", all ? "&&" : "||");
    text_line(t, "return r;");
}

/* Each component of a column with each of a row, written out. */
static void
outer_product(Emit *e, const Signature *s)
{
    Text *t = &e->helpers;
    int cols = s->args[1]->leaf_count;
    text_line(t, "return (%s){{", type_c(e, s->result));
    for (int r = 0; r < s->args[0]->leaf_count; r++)
        for (int c = 0; c < cols; c++)
            text_line(t, "    %s,",
                      sum_of_products(e, s->args[0]->scalar, 1, "a", r, 1, "b", c, 1));
    text_line(t, "}};");
}

/* Functions with a result of several members. */
static void
decomposition(Emit *e, const Signature *s, const char *what)
{
    Text *t = &e->helpers;
    text_line(t, "%s r;", type_c(e, s->result));
    text_add(t, "snl_%s_%s(%d, a.v", what, scalar_info(s->args[0]->scalar)->name, s->args[0]->rows);
    for (int i = 0; i < s->result->member_count; i++)
        text_add(t, ", r.%s.v", name_member(e, s->result, i));
    text_add(t, ");");
    text_newline(t);
    text_line(t, "return r;");
}

/* A call of the runtime's function with these sizes before the arguments. */
static void
by_runtime(Emit *e, const Signature *s, const char *what, const char *sizes)
{
    Text *t = &e->helpers;
    const char *suffix = scalar_info(s->args[0]->scalar)->name,
               *more = s->arg_count > 1 ? ", b.v" : "";
    if (s->result->kind == TYPE_SCALAR)
        text_line(t, "return snl_%s_%s(%sa.v%s);", what, suffix, sizes, more);
    else {
        text_line(t, "%s r;", type_c(e, s->result));
        text_line(t, "snl_%s_%s(%sa.v%s, r.v);", what, suffix, sizes, more);
        text_line(t, "return r;");
    }
}

/* Built-in functions that are a few products or sums. */
static bool
is_plain_algebra(Builtin b)
{
    return b == BUILTIN_DOT || b == BUILTIN_NORM_SQR || b == BUILTIN_CROSS || b == BUILTIN_OUTER ||
           b == BUILTIN_TRANSPOSE || b == BUILTIN_TRACE || b == BUILTIN_ANY || b == BUILTIN_ALL;
}

static void
linear_algebra(Emit *e, const Signature *s, Builtin b)
{
    const Type *a = s->args[0];
    int n = a->leaf_count;
    const char *one = arena_printf(e->c->arena, "%d, ", n),
               *rows = arena_printf(e->c->arena, "%d, ", a->rows);
    switch (b) {
    case BUILTIN_DOT: case BUILTIN_NORM_SQR:
        if (n <= UNROLLED)
            text_line(
                &e->helpers, "return %s;",
                sum_of_products(e, a->scalar, n, "a", 0, 1, b == BUILTIN_DOT ? "b" : "a", 0, 1));
        else
            by_runtime(e, s, builtin_name(b), one);
        break;
    case BUILTIN_NORM: case BUILTIN_NORMALIZE: by_runtime(e, s, builtin_name(b), one); break;
    case BUILTIN_CROSS: by_runtime(e, s, "cross", ""); break;
    case BUILTIN_OUTER:
        if (s->result->leaf_count <= UNROLLED)
            outer_product(e, s);
        else
            by_runtime(e, s, "outer",
                       arena_printf(e->c->arena, "%d, %d, ", n, s->args[1]->leaf_count));
        break;
    case BUILTIN_TRANSPOSE:
        by_runtime(e, s, "transpose", arena_printf(e->c->arena, "%d, %d, ", a->rows, a->cols));
        break;
    case BUILTIN_TRACE: case BUILTIN_DETERMINANT: case BUILTIN_INVERSE: case BUILTIN_SOLVE:
        by_runtime(e, s, builtin_name(b), rows);
        break;
    case BUILTIN_ANY: case BUILTIN_ALL: any_all(e, s, b == BUILTIN_ALL); break;
    default: decomposition(e, s, builtin_name(b)); break;
    }
}

const char *
helper_builtin(Emit *e, const Inst *i)
{
    Signature s = {.result = i->type, .arg_count = i->args.count};
    const char *name = arena_printf(e->c->arena, "snl_%s", builtin_name(i->builtin));
    bool same = true;
    for (int k = 0; k < s.arg_count; k++) {
        s.args[k] = i->args.items[k]->type;
        same = same && s.args[k] == s.args[0];
    }
    for (int k = 0; k < (same ? 1 : s.arg_count); k++)
        name = arena_printf(e->c->arena, "%s_%s", name, type_suffix(e, s.args[k]));
    s.name = name;
    if (i->type->kind != TYPE_SCALAR && i->type->leaf_count == s.args[0]->leaf_count &&
        builtin_is_componentwise(i->builtin))
        return builtin_per_component(e, i, &s);
    if (!name_is_new(e, s.name))
        return s.name;
    begin(e, &s, is_short(&s) && is_plain_algebra(i->builtin));
    linear_algebra(e, &s, i->builtin);
    end(e);
    return s.name;
}
