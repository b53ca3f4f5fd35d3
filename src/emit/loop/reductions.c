/* Reductions. Each part of a parallel loop accumulates for itself, and the kernel combines the
 * parts in order. The result is the same for any number of threads. Sums of floats are kept to
 * twice the precision of double, so they are the same in any other order too. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "emit/loop/loops.h"

/* Components of a value that lanes take one by one: C compilers vectorise no loop around a loop. */
enum { WRITTEN_OUT = 16 };

/* ---- accumulators ---- */

typedef struct {
    const Var *sum;
    int *count;
} CountSums;

static void
count_sum(Inst *i, void *arg)
{
    const CountSums *all = arg;
    if (i->kind == INST_REDUCE && inst_place_root(i->args.items[0])->var == all->sum)
        ++*all->count;
}

/* Is it a sum to which an iteration adds nothing but one f32, at most once? */
static bool
takes_floats(const Task *t, const Var *sum)
{
    const Inst *added = NULL;
    int count = 0;
    for (int n = 0; t->body && n < t->body->insts.count; n++) {
        const Inst *i = t->body->insts.items[n];
        if (i->kind == INST_REDUCE && i->args.items[0]->kind == INST_VAR &&
            i->args.items[0]->var == sum)
            added = i->args.items[1];
    }
    if (!added || !inst_as_f32(added))
        return false;
    CountSums all = {sum, &count};
    block_walk(t->body, count_sum, &all);
    return count == 1;
}

static void
find_jump(Inst *i, void *arg)
{
    if (i->kind == INST_CONTINUE || i->kind == INST_BREAK || i->kind == INST_RETURN)
        *(bool *)arg = true;
}

static ReduceVar
reduce_var(Emit *e, const Task *t, const Reduction *r)
{
    ReduceVar v = {.var = r->var, .op = r->op, .wide = r->var->type->scalar, .span = t->span};
    v.pair = r->op == ATOMIC_ADD && type_is_float(r->var->type);
    if (v.pair)
        v.wide = SCALAR_F64;
    v.checked = r->op == ATOMIC_ADD && (e->c->options.check & CHECK_OVERFLOW) &&
                scalar_info(v.wide)->kind == KIND_INT;
    if (v.checked)
        v.wide = SCALAR_I64;
    v.lanes = e->par.lanes;
    v.floats = v.pair && v.lanes && !t->words && !e->o->gpu && v.var->type->kind == TYPE_SCALAR &&
               takes_floats(t, v.var);
    if (v.floats)
        block_walk(t->body, find_jump, &v.skips);
    v.ranked = v.lanes && !t->words && !e->o->gpu && !e->c->options.fast &&
               (r->op == ATOMIC_MIN || r->op == ATOMIC_MAX) && type_is_float(r->var->type) &&
               v.wide != SCALAR_F16;
    v.text = name_new(e, r->var->name);
    if (v.lanes && t->words)
        v.few = name_new(e, arena_printf(e->c->arena, "%s_few", r->var->name));
    v.parts = name_new(e, arena_printf(e->c->arena, "%s_parts", r->var->name));
    v.shared = e->o->gpu ? name_new(e, arena_printf(e->c->arena, "%s_lanes", r->var->name)) : NULL;
    return v;
}

void
reductions_start(Emit *e, const Task *t)
{
    ReduceVar *list = ARENA_ARRAY(e->c->arena, ReduceVar, t->reductions.count);
    for (int i = 0; i < t->reductions.count; i++)
        list[i] = reduce_var(e, t, &t->reductions.items[i]);
    e->par.reduce = list;
    e->par.reduce_count = t->reductions.count;
}

static const char *
accumulator_type(const ReduceVar *r)
{
    return r->pair ? "SnlSum" : scalar_info(r->wide)->ctype;
}

int64_t
reductions_bytes(const Emit *e)
{
    int64_t bytes = 0;
    for (int i = 0; i < e->par.reduce_count; i++)
        bytes += (e->par.reduce[i].pair ? 16 : scalar_info(e->par.reduce[i].wide)->bytes) *
                 e->par.reduce[i].var->type->leaf_count;
    return bytes;
}

static const char *
identity(Emit *e, const ReduceVar *r)
{
    Scalar s = r->wide;
    const ScalarInfo *info = scalar_info(s);
    int bits = 8 * info->bytes;
    if (r->pair)
        return "{0, 0}";
    if (r->op == ATOMIC_AND)
        return s == SCALAR_BOOL ? "true" : arena_printf(e->c->arena, "(%s)-1", info->ctype);
    if (r->op != ATOMIC_MIN && r->op != ATOMIC_MAX)
        return s == SCALAR_BOOL ? "false" : "0";
    if (info->kind == KIND_FLOAT) /* any number wins against it, and without one it stays */
        return scalar_constant(e, s, (Leaf){.f = (double)NAN});
    if (info->kind == KIND_INT)
        return arena_printf(e->c->arena, "INT%d_%s", bits, r->op == ATOMIC_MIN ? "MAX" : "MIN");
    return r->op == ATOMIC_MIN ? arena_printf(e->c->arena, "UINT%d_MAX", bits) : "0";
}

static bool
is_vector(const ReduceVar *r)
{
    return r->var->type->kind != TYPE_SCALAR;
}

void
reductions_members(Emit *e, Text *out)
{
    for (int i = 0; i < e->par.reduce_count; i++) {
        const ReduceVar *r = &e->par.reduce[i];
        if (is_vector(r))
            text_line(out, "%s (*%s)[%d];", accumulator_type(r), r->parts,
                      r->var->type->leaf_count);
        else
            text_line(out, "%s *%s;", accumulator_type(r), r->parts);
    }
}

void
reductions_arrays(Emit *e, const ReduceVar *list, int count)
{
    for (int i = 0; i < count; i++) {
        const ReduceVar *r = &list[i];
        if (e->o->gpu) {
            text_line(e->out,
                      "args.%s = (decltype(args.%s))snl_gpu_results(&self->rt, (uint64_t)chunks * "
                      "sizeof *args.%s);",
                      r->parts, r->parts, r->parts);
            continue;
        }
        const char *array = name_new(e, r->parts);
        if (is_vector(r))
            text_line(e->out, "%s %s[SNL_CHUNKS_MAX][%d];", accumulator_type(r), array,
                      r->var->type->leaf_count);
        else
            text_line(e->out, "%s %s[SNL_CHUNKS_MAX];", accumulator_type(r), array);
        text_line(e->out, "args.%s = %s;", r->parts, array);
    }
}

/* The integers that stand for floats in lanes. */
static Scalar
rank_type(const ReduceVar *r)
{
    return r->wide == SCALAR_F32 ? SCALAR_I32 : SCALAR_I64;
}

/* "snl_rank_max_f32", of a float, or with "ranked" the float of such. */
static const char *
rank_function(Emit *e, const ReduceVar *r, const char *verb)
{
    return arena_printf(e->c->arena, "snl_%s_%s_%s", verb, r->op == ATOMIC_MIN ? "min" : "max",
                        scalar_info(r->wide)->name);
}

/* Accumulators in lanes: SnlSums, or arrays of SNL_LANES. */
static void
declare_lanes(Emit *e, const ReduceVar *r)
{
    const char *zero = r->pair ? "{{0}, {0}, 0}" : "{0}", *start = identity(e, r),
               *type = scalar_info(r->ranked ? rank_type(r) : r->wide)->ctype;
    if (r->ranked)
        start = arena_printf(e->c->arena, "%s(%s)", rank_function(e, r, "rank"), start);
    const char *name = is_vector(r)
                           ? arena_printf(e->c->arena, "%s[%d]", r->text, r->var->type->leaf_count)
                           : r->text;
    if (is_vector(r))
        zero = arena_printf(e->c->arena, "{%s}", zero);
    if (r->pair)
        text_line(e->out, "SnlSums %s = %s;", name, zero);
    else
        text_line(e->out, "%s %s[SNL_LANES] = %s;", type, name, zero);
    if (r->pair || r->op == ATOMIC_ADD)
        return;
    const char *element = is_vector(r) ? "[component]" : "";
    if (is_vector(r))
        text_line(e->out, "for (int component = 0; component < %d; component++)",
                  r->var->type->leaf_count);
    text_line(e->out, "%sfor (int lane = 0; lane < SNL_LANES; lane++)", is_vector(r) ? "    " : "");
    text_line(e->out, "%s%s%s[lane] = %s;", is_vector(r) ? "        " : "    ", r->text, element,
              start);
}

void
reductions_declare(Emit *e)
{
    for (int i = 0; i < e->par.reduce_count; i++) {
        const ReduceVar *r = &e->par.reduce[i];
        if (r->few)
            text_line(e->out, "%s %s = %s;", accumulator_type(r), r->few, identity(e, r));
        if (r->lanes)
            declare_lanes(e, r);
        else if (is_vector(r)) {
            text_line(e->out, "%s %s[%d];", accumulator_type(r), r->text, r->var->type->leaf_count);
            text_line(e->out, "for (int component = 0; component < %d; component++)",
                      r->var->type->leaf_count);
            text_line(e->out,
                      r->pair ? "    %s[component] = (SnlSum)%s;" : "    %s[component] = %s;",
                      r->text, identity(e, r));
        } else
            text_line(e->out, "%s %s = %s;", accumulator_type(r), r->text, identity(e, r));
    }
}

bool
reductions_only_floats(const Emit *e)
{
    bool only = true;
    for (int n = 0; n < e->par.reduce_count; n++)
        only = only && (e->par.reduce[n].floats || !e->par.reduce[n].lanes);
    return only && e->par.reduce_count;
}

void
reductions_open_strip(Emit *e)
{
    for (int n = 0; n < e->par.reduce_count; n++)
        if (e->par.reduce[n].floats) {
            e->par.reduce[n].terms =
                name_new(e, arena_printf(e->c->arena, "%s_terms", e->par.reduce[n].var->name));
            text_line(e->out,
                      e->par.reduce[n].skips ? "float %s[SNL_TERMS] = {0};"
                                             : "float %s[SNL_TERMS];",
                      e->par.reduce[n].terms);
        }
}

void
reductions_turn(Emit *e, int64_t count)
{
    const ReduceVar *r = NULL;
    int64_t by = 1;
    for (int n = e->par.reduce_count - 1; n >= 0; n--)
        if (e->par.reduce[n].pair && e->par.reduce[n].lanes)
            r = &e->par.reduce[n];
    while (by < count)
        by *= 2;
    if (!r || count < 2 || by > SUM_LANES / 2)
        return;
    const char *turn = name_new(e, "turn"),
               *sums = arena_printf(e->c->arena, is_vector(r) ? "%s[0]" : "%s", r->text);
    text_line(e->out, "const int64_t %s = %s.turn;", turn, sums);
    e->par.lane = arena_printf(e->c->arena, "%s + %s", turn, e->par.lane);
    e->par.strip_end = arena_printf(e->c->arena, "%s.turn = (%s + %lld) %% SNL_LANES;", sums, turn,
                                    (long long)by);
}

void
reductions_close_strip(Emit *e)
{
    for (int n = 0; n < e->par.reduce_count; n++) {
        if (e->par.reduce[n].terms)
            text_line(e->out, "snl_sums_add_floats(&%s, %s, %s);", e->par.reduce[n].text,
                      e->par.reduce[n].terms, e->par.strip_count);
        e->par.reduce[n].terms = NULL;
    }
}

static void accumulate(Emit *e, const ReduceVar *r, const char *to, const char *x, Scalar s);

/* The larger or smaller of two integers that stand for floats. */
static void
accumulate_rank(Emit *e, const ReduceVar *r, const char *to, const char *rank)
{
    CText args[2] = {{to, PREC_POSTFIX}, {rank, PREC_POSTFIX}};
    const Builtin b = r->op == ATOMIC_MIN ? BUILTIN_MIN : BUILTIN_MAX;
    text_line(e->out, "%s = %s;", to, scalar_builtin(e, b, rank_type(r), args, 2).text);
}

/* The result of a part from all lanes, in order. */
static void
store_lanes(Emit *e, const ReduceVar *r)
{
    const char *element = is_vector(r) ? "[component]" : "";
    const char *part = arena_printf(e->c->arena, "in->%s[chunk]%s", r->parts, element),
               *lanes = arena_printf(e->c->arena, "%s%s", r->text, element);
    if (is_vector(r))
        text_open(e->out, "for (int component = 0; component < %d; component++) {",
                  r->var->type->leaf_count);
    if (r->pair) {
        text_line(e->out, "%s = snl_sums_total(&%s);", part, lanes);
        if (r->few) {
            text_line(e->out, "snl_sum_add(&%s, %s.high);", part, r->few);
            text_line(e->out, "%s.low += %s.low;", part, r->few);
        }
    } else {
        const char *all = name_new(e, arena_printf(e->c->arena, "all_%s", r->text));
        const char *lane = arena_printf(e->c->arena, "%s[lane]", lanes);
        text_line(e->out, "%s %s = %s[0];",
                  r->ranked ? scalar_info(rank_type(r))->ctype : accumulator_type(r), all, lanes);
        text_open(e->out, "for (int lane = 1; lane < SNL_LANES; lane++) {");
        if (r->ranked)
            accumulate_rank(e, r, all, lane);
        else
            accumulate(e, r, all, lane, r->wide);
        text_close(e->out, "}");
        if (r->ranked)
            all = arena_printf(e->c->arena, "%s(%s)", rank_function(e, r, "ranked"), all);
        if (r->few)
            accumulate(e, r, all, r->few, r->wide);
        text_line(e->out, "%s = %s;", part, all);
    }
    if (is_vector(r))
        text_close(e->out, "}");
}

/* The operation of the reduction on two operands. */
static const char *
operation(Emit *e, const ReduceVar *r, Scalar s, const char *a, const char *b)
{
    CText args[2] = {{a, PREC_POSTFIX}, {b, PREC_POSTFIX}};
    Op op = r->op == ATOMIC_AND   ? OP_AND
            : r->op == ATOMIC_OR  ? OP_OR
            : r->op == ATOMIC_XOR ? OP_XOR
                                  : OP_ADD;
    if (r->op == ATOMIC_MIN || r->op == ATOMIC_MAX)
        return scalar_builtin(e, r->op == ATOMIC_MIN ? BUILTIN_MIN : BUILTIN_MAX, s, args, 2).text;
    return scalar_binary(e, op, s, args[0], args[1], NULL, s).text;
}

/* Adds to a sum of i64; only parts of i64 can overflow there. */
static void
add_checked(Emit *e, const ReduceVar *r, const char *to, const char *x, Scalar s)
{
    if (s == SCALAR_I64) {
        text_line(e->out, "if (snl_add_overflows_i64(%s, %s))", to, x);
        text_line(e->out,
                  "    snl_fail(&self->rt, SNL_ERANGE, %s, \"signed overflow: the sum %s does not "
                  "fit in i64\");",
                  stmt_where(e, r->span), r->var->name);
    }
    text_line(e->out, "%s = snl_add_i64(%s, %s);", to, to, x);
}

/* The results of a lane with those of another, in the memory that the lanes of a block share. */
static void
join_lanes(Emit *e, const ReduceVar *r, const char *own, const char *from)
{
    const char *component = is_vector(r) ? "[component]" : "";
    const char *to = arena_printf(e->c->arena, "%s[%s]%s", r->shared, own, component);
    const char *other = arena_printf(e->c->arena, "%s[%s]%s", r->shared, from, component);
    if (is_vector(r))
        text_open(e->out, "for (int component = 0; component < %d; component++) {",
                  r->var->type->leaf_count);
    if (r->pair) {
        text_line(e->out, "snl_sum_add(&%s, %s.high);", to, other);
        text_line(e->out, "%s.low += %s.low;", to, other);
    } else if (r->checked)
        add_checked(e, r, to, other, r->var->type->scalar);
    else
        text_line(e->out, "%s = %s;", to, operation(e, r, r->wide, to, other));
    if (is_vector(r))
        text_close(e->out, "}");
}

/* On a GPU: the result of a block from those of its lanes, joined as a tree. */
static void
store_blocks(Emit *e, int lanes)
{
    int half = 1;
    while (2 * half < lanes)
        half *= 2;
    for (int i = 0; i < e->par.reduce_count; i++) {
        const ReduceVar *r = &e->par.reduce[i];
        if (is_vector(r)) {
            text_line(e->out, "SNL_SHARED(%s, [%d][%d], %s);", r->shared, lanes,
                      r->var->type->leaf_count, accumulator_type(r));
            text_line(e->out, "memcpy(%s[snl_lane_thread()], %s, sizeof %s);", r->shared, r->text,
                      r->text);
        } else {
            text_line(e->out, "SNL_SHARED(%s, [%d], %s);", r->shared, lanes, accumulator_type(r));
            text_line(e->out, "%s[snl_lane_thread()] = %s;", r->shared, r->text);
        }
    }
    const char *distance = name_new(e, "distance"), *own = name_new(e, "own"),
               *other = name_new(e, "other");
    text_open(e->out, "for (int %s = %d; %s > 0; %s /= 2) {", distance, half, distance, distance);
    text_line(e->out, "const int %s = snl_lane_thread(), %s = %s + %s;", own, other, own, distance);
    text_line(e->out, "snl_lane_barrier();");
    text_line(e->out, half * 2 == lanes ? "if (%s >= %s)" : "if (%s >= %s || %s >= %d)", own,
              distance, other, lanes);
    text_line(e->out, "    continue;");
    for (int i = 0; i < e->par.reduce_count; i++)
        join_lanes(e, &e->par.reduce[i], own, other);
    text_close(e->out, "}");
    text_open(e->out, "if (snl_lane_thread() == 0) {");
    for (int i = 0; i < e->par.reduce_count; i++) {
        const ReduceVar *r = &e->par.reduce[i];
        if (is_vector(r))
            text_line(e->out, "memcpy(in->%s[snl_lane_block()], %s[0], sizeof %s[0]);", r->parts,
                      r->shared, r->shared);
        else
            text_line(e->out, "in->%s[snl_lane_block()] = %s[0];", r->parts, r->shared);
    }
    text_close(e->out, "}");
}

void
reductions_store(Emit *e, int lanes)
{
    if (e->o->gpu && e->par.reduce_count)
        store_blocks(e, lanes);
    for (int i = 0; i < e->par.reduce_count && !e->o->gpu; i++) {
        const ReduceVar *r = &e->par.reduce[i];
        if (r->lanes)
            store_lanes(e, r);
        else if (is_vector(r))
            text_line(e->out, "memcpy(in->%s[chunk], %s, sizeof %s);", r->parts, r->text, r->text);
        else
            text_line(e->out, "in->%s[chunk] = %s;", r->parts, r->text);
    }
}

/* Combines parts, with the test that the sum fits. */
static void
combine_checked(Emit *e, const ReduceVar *r, const char *to, const char *part)
{
    const char *sum = name_new(e, "sum"), *fits = name_new(e, "fits");
    Scalar s = r->var->type->scalar;
    text_line(e->out, "int64_t %s = %s;", sum, to);
    text_line(e->out, "bool %s = true;", fits);
    text_open(e->out, "for (int64_t chunk = 0; chunk < chunks; chunk++) {");
    text_line(e->out, "%s = %s && !snl_add_overflows_i64(%s, %s);", fits, fits, sum, part);
    text_line(e->out, "%s = snl_add_i64(%s, %s);", sum, sum, part);
    text_close(e->out, "}");
    text_line(e->out, "%s = %s;", to,
              scalar_cast(e, SCALAR_I64, s, (CText){sum, PREC_POSTFIX}).text);
    text_open(e->out, "if (!%s || %s != %s) {", fits, to, sum);
    text_line(
        e->out,
        "snl_fail(&self->rt, SNL_ERANGE, %s, \"signed overflow: the sum %s does not fit in %s\");",
        stmt_where(e, r->span), r->var->name, scalar_info(s)->name);
    text_close(e->out, "}");
}

/* One component of a variable from its partial results, in the order of the chunks; the old value
 * comes last in sums. */
static void
combine_component(Emit *e, const ReduceVar *r, const char *to, const char *part)
{
    Scalar s = r->var->type->scalar;
    CText old = {to, PREC_POSTFIX};
    if (r->checked)
        combine_checked(e, r, to, part);
    else if (r->pair) {
        const char *sum = name_new(e, "sum");
        text_line(e->out, "SnlSum %s = {0, 0};", sum);
        text_open(e->out, "for (int64_t chunk = 0; chunk < chunks; chunk++) {");
        text_line(e->out, "snl_sum_add(&%s, %s.high);", sum, part);
        text_line(e->out, "%s.low += %s.low;", sum, part);
        text_close(e->out, "}");
        text_line(e->out, "snl_sum_add(&%s, %s);", sum, scalar_cast(e, s, SCALAR_F64, old).text);
        const char *all = arena_printf(e->c->arena, "snl_sum_value(&%s)", sum);
        text_line(e->out, "%s = %s;", to,
                  scalar_cast(e, SCALAR_F64, s, (CText){all, PREC_POSTFIX}).text);
    } else {
        const char *text = operation(e, r, s, to, part);
        text_line(e->out, "for (int64_t chunk = 0; chunk < chunks; chunk++)");
        text_line(e->out, "    %s = %s;", to, text);
    }
}

void
reductions_combine(Emit *e, const ReduceVar *list, int count)
{
    for (int i = 0; i < count; i++) {
        const ReduceVar *r = &list[i];
        const char *to = e->fn.var_text[r->var->id], *part = r->parts;
        if (!is_vector(r)) {
            combine_component(e, r, to, arena_printf(e->c->arena, "args.%s[chunk]", part));
            continue;
        }
        text_open(e->out, "for (int component = 0; component < %d; component++) {",
                  r->var->type->leaf_count);
        combine_component(e, r, arena_printf(e->c->arena, "%s.v[component]", to),
                          arena_printf(e->c->arena, "args.%s[chunk][component]", part));
        text_close(e->out, "}");
    }
}

/* ---- in the loop ---- */

/* The accumulator that a place in a reduction variable means. */
static const ReduceVar *
accumulator(Emit *e, const Inst *p, const char **index)
{
    *index = NULL;
    if (p->kind == INST_ELEM) {
        const Type *t = p->args.items[0]->type;
        *index = value_index(e, p->args.items[1], PREC_ANY);
        if (t->cols)
            *index = arena_printf(e->c->arena, "(%s) * %d + %s", *index, t->cols,
                                  value_index(e, p->args.items[2], PREC_MUL));
        p = p->args.items[0];
    }
    for (int n = 0; n < e->par.reduce_count; n++)
        if (e->par.reduce[n].var == p->var)
            return &e->par.reduce[n];
    return NULL;
}

static void
accumulate(Emit *e, const ReduceVar *r, const char *to, const char *x, Scalar s)
{
    CText v = {x, PREC_POSTFIX};
    if (r->pair && s == SCALAR_F16)
        x = scalar_cast(e, s, r->wide, v).text;
    if (r->pair && r->lanes)
        text_line(e->out, "snl_sums_add(&%s, %s, %s);", to, e->par.lane, x);
    else if (r->pair)
        text_line(e->out, "snl_sum_add(&%s, %s);", to, x);
    else if (r->checked)
        add_checked(e, r, to, x, s);
    else if (r->ranked)
        accumulate_rank(e, r, to,
                        arena_printf(e->c->arena, "%s(%s)", rank_function(e, r, "rank"), x));
    else
        text_line(e->out, "%s = %s;", to, operation(e, r, s, to, x));
}

/* The accumulator of words with few active cells. */
static const ReduceVar *
few_of(const ReduceVar *r, ReduceVar *few)
{
    *few = *r;
    few->text = r->few;
    few->lanes = false;
    return few;
}

void
reductions_add(Emit *e, const Inst *i)
{
    const Inst *x = i->args.items[1];
    const char *index;
    const ReduceVar *r = accumulator(e, i->args.items[0], &index);
    ReduceVar few;
    if (!r)
        return;
    if (r->few && !e->par.word)
        r = few_of(r, &few);
    if (e->par.adds_rows) {
        text_line(e->out, "snl_sums_add_row(&%s, &%s, %s);", r->text,
                  place_text(e, inst_as_f32(x)->args.items[0]), e->par.strip_count);
        return;
    }
    if (r->terms) {
        const char *term = value_text(e, x, PREC_UNARY), *cast = "(double)";
        bool is_cast = !strncmp(term, cast, strlen(cast)); /* or a variable, which was converted
                                                            * before */
        text_line(e->out, "%s[%s] = %s%s;", r->terms, e->par.lane, is_cast ? "" : "(float)",
                  is_cast ? term + strlen(cast) : term);
        return;
    }
    const char *lane = r->lanes && !r->pair ? arena_printf(e->c->arena, "[%s]", e->par.lane) : "";
    if (x->type->kind == TYPE_SCALAR) {
        const char *to = arena_printf(e->c->arena, index ? "%s[%s]%s" : "%s%.0s%s", r->text,
                                      index ? index : "", lane);
        const char *neutral = r->pair ? scalar_constant(e, x->type->scalar, (Leaf){.f = 0})
                                      : identity(e, r);
        accumulate(e, r, to, mask_vector_choose(e, x->type, value_text(e, x, PREC_UNARY), neutral),
                   x->type->scalar);
        return;
    }
    const char *v = name_temp(e);
    text_line(e->out, "const %s = %s;", type_decl(e, x->type, v), value_text(e, x, PREC_ASSIGN));
    if (r->lanes && x->type->leaf_count <= WRITTEN_OUT) {
        for (int c = 0; c < x->type->leaf_count; c++)
            accumulate(e, r, arena_printf(e->c->arena, "%s[%d]%s", r->text, c, lane),
                       arena_printf(e->c->arena, "%s.v[%d]", v, c), x->type->scalar);
        return;
    }
    text_open(e->out, "for (int component = 0; component < %d; component++) {",
              x->type->leaf_count);
    accumulate(e, r, arena_printf(e->c->arena, "%s[component]%s", r->text, lane),
               arena_printf(e->c->arena, "%s.v[component]", v), x->type->scalar);
    text_close(e->out, "}");
}
