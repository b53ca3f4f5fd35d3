/* Parallel loops over ranges: writes the body of their function. */
#include "config.h"

#include "emit/loop/parallel.h"

static bool
step_is_one(const Inst *step)
{
    return !step || (step->kind == INST_CONST && step->value.leaves[0].i == 1);
}

/* "in->fromK", or the number itself. */
static const char *
bound(LoopOut *k, const Inst *i, const char *member, int v)
{
    if (i->kind == INST_CONST)
        return scalar_constant(k->e, SCALAR_I64, i->value.leaves[0]);
    return arena_printf(k->e->c->arena, "in->%s%d", member, v);
}

/* The number of indices of a range whose bounds are constants, else -1. */
static int64_t
known_count(const Task *t, int v)
{
    const Inst *from = t->from.items[v], *to = t->to.items[v], *step = t->step.items[v];
    int64_t low, high, by;
    if (from->kind != INST_CONST || to->kind != INST_CONST || step->kind != INST_CONST)
        return -1;
    low = from->value.leaves[0].i;
    high = to->value.leaves[0].i;
    by = step->value.leaves[0].i;
    if (by < 1 || low < -INT32_MAX || high > INT32_MAX)
        return -1;
    return low < high ? (high - low + by - 1) / by : 0;
}

/* The index of a range from its number: `from + ordinal * step`. The sum wraps where the range is
 * longer than i64 can tell, which nvcc, unlike compilers of C here, takes for impossible. */
static const char *
index_of(LoopOut *k, int v, const char *ordinal)
{
    const Inst *from = k->t->from.items[v], *step = k->t->step.items[v];
    Arena *a = k->e->c->arena;
    const char *by = step_is_one(step) ? NULL : bound(k, step, "step", v);
    const char *first = bound(k, from, "from", v);
    bool from_zero = from->kind == INST_CONST && !from->value.leaves[0].i;
    if (by && k->e->c->options.gpu && known_count(k->t, v) < 0)
        return arena_printf(a, "snl_add_i64(%s, snl_mul_i64(%s, %s))", first, by, ordinal);
    const char *times = by ? arena_printf(a, "%s * %s", ordinal, by) : ordinal;
    return from_zero ? times : arena_printf(a, "%s + %s", first, times);
}

/* On a GPU each iteration of a loop over several ranges has a number, of 32 bits where these are
 * known to be enough. */
void
range_loops_body_flat(LoopOut *k)
{
    Emit *e = k->e;
    Arena *a = e->c->arena;
    Task *t = k->t;
    const char *n = name_new(e, "n"), *rest = n;
    int64_t all = 1;
    for (int v = 0; v < t->vars.count && all >= 0; v++) {
        int64_t count = known_count(t, v);
        all = count < 0 || (count > 0 && all > INT32_MAX / count) ? -1 : all * count;
    }
    if (all >= 0 && t->vars.count > 1)
        text_open(e->out,
                  "for (uint32_t %s = (uint32_t)from; %s < (uint32_t)to; %s += (uint32_t)step) {",
                  n, n, n);
    else
        text_open(e->out, "for (int64_t %s = from; %s < to; %s) {", n, n,
                  parallel_next_iteration(k, n));
    parallel_stop_when_failed(k);
    for (int v = t->vars.count - 1; v >= 0; v--) {
        const Var *var = t->vars.items[v];
        const char *count = known_count(t, v) > 0
                                ? arena_printf(a, "%lld", (long long)known_count(t, v))
                                : arena_printf(a, "in->count%d", v);
        const char *ordinal =
            arena_printf(a, "(int64_t)(%s)", stage_halo_next_index(e, &rest, count, v == 0));
        const char *i = e->fn.var_text[var->id] = name_new(e, var->name);
        e->fn.wide[var->id] = true;
        e->fn.far[var->id] = value_begins_far(t->from.items[v]);
        declarations_maybe(e, i,
                   arena_printf(a, "const int64_t %s = %s;", i, index_of(k, v, ordinal)));
    }
    parallel_start_iteration(k, n);
    stmt_write(e, t->body);
    text_close(e->out, "}");
}

/* Appended cells lie side by side within a chunk of the list: a loop for each part, as far as
 * `end`. */
static void
open_placed(LoopOut *k, const char *begin, const char *end)
{
    Emit *e = k->e;
    const Node *n = k->placed->node;
    const char *type = type_cell(e, n), *cells = e->par.placed = name_new(e, "placed");
    text_open(e->out, "for (int64_t %s = from, %s; %s < to; %s = %s) {", begin, end, begin, begin,
              end);
    text_line(e->out,
              "%s *const %s = (%s *)snl_dynamic_run(%s, %d, %s, %lld, sizeof(%s), in->first + %s, "
              "to - %s, &%s);",
              type, cells, type, place_tree(e, n->layout), n->id - 1,
              place_container(e, k->placed->args.items[0]), (long long)n->chunk, type, begin, begin,
              end);
    text_line(e->out, "%s += %s;", end, begin);
}

static void
range_loops(LoopOut *k, const char *begin, const char *end)
{
    Emit *e = k->e;
    Task *t = k->t;
    const char *number = NULL;
    int loops = t->vars.count;
    for (int v = 0; v < t->vars.count; v++) {
        const Var *var = t->vars.items[v];
        const char *from = bound(k, t->from.items[v], "from", v);
        if (v && t->rows) {
            mask_rows_loop(e, t, e->fn.var_text[t->vars.items[0]->id]);
            loop_close(e, 1);
            return;
        }
        const char *i = e->fn.var_text[var->id] = name_new(e, var->name), *ordinal = i;
        bool from_zero =
            t->from.items[v]->kind == INST_CONST && !t->from.items[v]->value.leaves[0].i;
        const char *low = v ? "0" : begin,
                   *high = v ? arena_printf(e->c->arena, "in->count%d", v) : end;
        e->fn.wide[var->id] = true;
        e->fn.far[var->id] = value_begins_far(t->from.items[v]);
        bool by_ones = step_is_one(t->step.items[v]), direct = by_ones && from_zero;
        if (v && by_ones && !t->inside && !e->par.batch_task &&
            t->from.items[v]->kind == INST_CONST && t->to.items[v]->kind == INST_CONST)
            low = from, high = bound(k, t->to.items[v], "to", v), direct = true;
        if (!direct)
            ordinal = name_new(e, arena_printf(e->c->arena, "n%d", v));
        if (v == t->vars.count - 1 && t->inside)
            partition_range(k, i, ordinal, direct ? NULL : from, low, high);
        else if (v == t->vars.count - 1)
            loops += loop_open_inner(e, ordinal, direct ? NULL : from, low, high,
                                     v ? known_count(t, v) : 0) - 1;
        else
            text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", ordinal, low, ordinal, high,
                      ordinal);
        if (!direct) {
            const char *text = index_of(k, v, ordinal);
            declarations_maybe(e, i, arena_printf(e->c->arena, "const int64_t %s = %s;", i, text));
        }
        if (!v)
            parallel_stop_when_failed(k);
        const char *from_first = from_zero || !direct
                                     ? ordinal
                                     : arena_printf(e->c->arena, "(%s - (%s))", ordinal, from);
        number = number
                     ? arena_printf(e->c->arena, "(%s) * in->count%d + %s", number, v, from_first)
                     : ordinal;
    }
    parallel_start_iteration(k, number);
    if (k->placing) {
        e->par.placed = arena_printf(e->c->arena, "%s[%s - %s]", e->par.placed, number, begin);
        e->par.placed_index = arena_printf(e->c->arena, "in->first + %s", number);
    }
    stmt_write(e, k->body);
    loop_close(e, loops);
}

void
range_loops_body(LoopOut *k)
{
    Emit *e = k->e;
    const char *begin = e->par.owning ? "0" : "from", *end = e->par.owning ? "in->count0" : "to";
    if (k->t->planes) {
        bit_slice_loop(e, k->t);
    } else if (k->placing) {
        begin = name_new(e, "begin"), end = name_new(e, "end");
        open_placed(k, begin, end);
        range_loops(k, begin, end);
        e->par.placed = NULL;
        text_close(e->out, "}");
    } else if (k->t->fetches && !k->t->order) {
        prefetch_indirect_strips(k, begin, end, range_loops);
    } else if (k->t->vars.count == 1 && strip_tails_go_first(k)) {
        strip_tails_then_rest(k, begin, end, range_loops);
    } else {
        range_loops(k, begin, end);
    }
}
