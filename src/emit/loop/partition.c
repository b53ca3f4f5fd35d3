/* Loops with a simpler body for the inside of their last index (pass partition), in C:
 *     const int64_t begin = snl_larger(1, from), end = snl_smaller(63, to);
 *     for (int64_t j = from; j < to; j++) {
 *         if (j == begin && begin < end) {
 *             for (int64_t j_2 = begin; j_2 < end; j_2++) { inside }
 *             j = end;
 *             if (j == to)
 *                 break;
 *         }
 *         body
 *     }
 * If the bounds are constants, so are `begin` and `end`. Loops that go by strides (pass
 * stride_guard) do so inside, unless there is no first index:
 *         if (j == begin && begin < end) {
 *             const int64_t first = snl_stride_first(begin, end, sum, ...);
 *             if (first >= 0) {
 *                 for (int64_t j_2 = first; j_2 < end; j_2 += 2) { inside }
 *                 ...
 *             }
 *         }
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "emit/loop/parallel.h"

/* The loop that both share: `ordinal` goes from `low` to `high`, `inner` through the inside; the
 * index is theirs plus `first`. */
typedef struct {
    const char *ordinal, *low, *high;
    const char *begin, *end, *inner;
    bool by_strips; /* there are two loops through the inside */
} Split;

/* The number of the first iteration that is inside, or of the one after the last, as an operand;
 * `base` is the index of the first one, NULL: 0. */
static const char *
bound_of(LoopOut *k, Block *b, const char *base)
{
    Arena *a = k->e->c->arena;
    if (b->result->kind == INST_CONST &&
        (!base || k->t->from.items[k->t->vars.count - 1]->kind == INST_CONST)) {
        const int64_t first = base ? k->t->from.items[k->t->vars.count - 1]->value.leaves[0].i : 0;
        return scalar_constant(k->e, SCALAR_I64, (Leaf){.i = b->result->value.leaves[0].i - first});
    }
    stmt_write(k->e, b);
    const char *text = value_text(k->e, b->result, PREC_ADD);
    return base ? arena_printf(a, "%s - (%s)", text, base) : text;
}

/* The larger, or the smaller, of a bound of the loop and one of the inside, if that has one. */
static const char *
bound_between(LoopOut *k, const char *outer, Block *b, const char *base, const char *function,
              const char *name)
{
    Emit *e = k->e;
    const char *inner = b ? bound_of(k, b, base) : NULL;
    const char *text =
        inner ? arena_printf(e->c->arena, "%s(%s, %s)", function, inner, outer) : outer;
    if (inner && loop_bound_is_number(outer) && loop_bound_is_number(inner)) {
        const long long x = strtoll(inner, NULL, 10), y = strtoll(outer, NULL, 10);
        return (x > y) == (strcmp(name, "begin") == 0) ? inner : outer;
    }
    if (!inner)
        return outer;
    name = name_new(e, name);
    text_line(e->out, "const int64_t %s = %s;", name, text);
    return name;
}

/* The numbers that a sum must not leave, so that it neither wraps nor leaves negative rests. */
static const char *
limits_of(Emit *e, const Stride *s)
{
    const ScalarInfo *type = scalar_info(s->sum->result->type->scalar);
    const int bits = 8 * type->bytes;
    if (type->kind != KIND_INT)
        return bits == 32 ? "0, UINT32_MAX" : "0, INT64_MAX";
    return s->floors ? arena_printf(e->c->arena, "INT%d_MIN, INT%d_MAX", bits, bits)
                     : arena_printf(e->c->arena, "0, INT%d_MAX", bits);
}

/* Opens the loop by strides through the inside, where the sum does as it should. */
static void
stride_open(LoopOut *k, const Split *s, const char *base)
{
    Emit *e = k->e;
    const Stride *stride = k->t->stride;
    const Var *v = k->t->vars.items[task_last_index(k->t)];
    const char *first = name_new(e, "first"), *start = e->fn.var_text[v->id] = name_new(e, "start");
    declarations_maybe(e, start, arena_printf(e->c->arena, "const int64_t %s = %s%s%s;", start,
                                      base ? base : "", base ? " + " : "", s->begin));
    stmt_write(e, stride->sum);
    stmt_write(e, stride->rest);
    const char *sum = value_text(e, stride->sum->result, PREC_ASSIGN),
               *rest = value_text(e, stride->rest->result, PREC_ASSIGN);
    text_line(e->out, "const int64_t %s = snl_stride_first(%s, %s, %s, %lld, %s, %lld, %s);",
              first, s->begin, s->end, sum, (long long)stride->growth, rest,
              (long long)stride->by, limits_of(e, stride));
    text_open(e->out, "if (%s >= 0) {", first);
    if (e->par.simd)
        loop_simd(e);
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s += %lld) {", s->inner, first, s->inner,
              s->end, s->inner, (long long)stride->by);
}

/* Opens the loop and the one over the inside, whose index is named. */
static void
inside_open(LoopOut *k, Split *s, const char *base, const char *name)
{
    Emit *e = k->e;
    const Task *t = k->t;
    s->inner = t->goes_abreast ? NULL : name_new(e, name);
    s->begin = bound_between(k, s->low, t->inside_from, base, "snl_larger", "begin");
    s->end = bound_between(k, s->high, t->inside_to, base, "snl_smaller", "end");
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", s->ordinal, s->low, s->ordinal,
              s->high, s->ordinal);
    if (t->goes_abreast)
        text_open(e->out, "if (%s == %s && %s - %s >= SNL_STRIP) {    /* inside */", s->ordinal,
                  s->begin, s->end, s->begin);
    else if (loop_bound_is_number(s->begin) && loop_bound_is_number(s->end))
        text_open(e->out, "if (%s == %s) {    /* inside */", s->ordinal, s->begin);
    else
        text_open(e->out, "if (%s == %s && %s < %s) {    /* inside */", s->ordinal, s->begin,
                  s->begin, s->end);
    if (t->stride) {
        stride_open(k, s, base);
    } else if (!t->goes_abreast &&
               !(s->by_strips = strip_tails_to_the_end(e, s->inner, s->begin, s->end))) {
        if (e->par.simd)
            loop_simd(e);
        text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", s->inner, s->begin, s->inner,
                  s->end, s->inner);
    }
    e->par.lanes = e->par.simd = false;
}

/* Closes the loop over the inside: the other goes on behind it. */
static void
inside_close(LoopOut *k, const Split *s)
{
    Text *out = k->e->out;
    text_close(out, "}");
    if (s->by_strips)
        text_close(out, "}");
    text_line(out, "%s = %s;", s->ordinal, s->end);
    if (!loop_bound_is_number(s->end) || strcmp(s->end, s->high) == 0) {
        text_line(out, "if (%s == %s)", s->ordinal, s->high);
        text_line(out, "    break;");
    }
    if (k->t->stride)
        text_close(out, "}");
    text_close(out, "}");
}

void
partition_cells(LoopOut *k, const char *digit, const char *low, const char *high)
{
    Emit *e = k->e;
    Nest *nest = &k->nest;
    int last = nest->count - 1;
    const Var *v = nest->vars[nest->node[last]->axes[nest->axis_at[last]]];
    Split s = {.ordinal = digit, .low = low, .high = high};
    inside_open(k, &s, NULL, v->name);
    Nest saved = nest_copy(e, nest);
    CellAt *cells = e->fn.cells;
    if (k->t->goes_abreast) {
        outer_vector_open_strip(e, k->t, s.begin, s.end, NULL, nest);
    } else {
        e->fn.var_text[v->id] = nest->digit[last] = s.inner;
        nest_open(e, nest);
    }
    stmt_write(e, k->t->inside);
    inside_close(k, &s);
    *nest = saved;
    e->fn.cells = cells;
    e->fn.var_text[v->id] = nest->digit[last] = digit;
    nest_open(e, nest);
    stmt_write(e, k->t->body);
    text_close(e->out, "}");
}

void
partition_row(LoopOut *k)
{
    Emit *e = k->e;
    Nest *nest = &k->nest;
    const Task *t = k->t;
    const ParState par = e->par;
    const int last = nest->count - 1;
    const Var *v = nest->vars[nest->node[last]->axes[nest->axis_at[last]]];
    const char *start = name_new(e, "start"), *size = nest_row_size(e, nest);
    text_line(e->out, "const int64_t %s = %s;", start, nest_row_start(e, nest));
    const char *test = nest_row_test(e, nest, start);
    nest->whole_row = true;
    if (t->inside_from)
        test = arena_printf(e->c->arena, "%s%s%s >= %s", test ? test : "", test ? " && " : "",
                            start, bound_of(k, t->inside_from, NULL));
    if (t->inside_to)
        test = arena_printf(e->c->arena, "%s%s%s + %s <= %s", test ? test : "", test ? " && " : "",
                            start, size, bound_of(k, t->inside_to, NULL));
    text_open(e->out, "if (%s) {", test ? test : "true");
    Nest saved = nest_copy(e, nest);
    CellAt *cells = e->fn.cells;
    nest->opened = 0;
    nest_open(e, nest);
    stmt_write(e, t->inside ? t->inside : t->body);
    loop_close(e, nest->opened);
    e->out->indent--;
    text_open(e->out, "} else {");
    *nest = saved;
    nest->whole_row = false;
    e->fn.cells = cells;
    e->fn.var_text[v->id] = name_new(e, v->name);
    e->par.simd = par.simd;
    e->par.stream = par.stream;
    nest_open(e, nest);
    cell_loops_body(k);
    nest->opened++;
}

void
partition_range(LoopOut *k, const char *index, const char *ordinal, const char *base,
                const char *low, const char *high)
{
    Emit *e = k->e;
    const Task *t = k->t;
    int last = t->vars.count - 1;
    const Var *v = t->vars.items[last];
    Split s = {.ordinal = ordinal, .low = low, .high = high};
    inside_open(k, &s, base, base ? "n" : v->name);
    if (!t->goes_abreast)
        e->fn.var_text[v->id] = base ? name_new(e, v->name) : s.inner;
    if (t->goes_abreast)
        outer_vector_open_strip(e, t, s.begin, s.end, base, NULL);
    else if (base)
        declarations_maybe(e, e->fn.var_text[v->id],
                   arena_printf(e->c->arena, "const int64_t %s = %s + %s;", e->fn.var_text[v->id],
                                base, s.inner));
    stmt_write(e, t->inside);
    inside_close(k, &s);
    e->fn.var_text[v->id] = index;
}
