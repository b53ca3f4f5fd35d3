/* Parallel loops: a function of its own for each, which the runtime calls for parts of the
 * iterations; its body, where it goes over ranges. */
#include "config.h"

#include <string.h>

#include "emit/parallel.h"
#include "ir/inst_info.h"

/* ---- what the body needs ---- */

static void
note_locals(Inst *i, void *arg)
{
    LoopOut *k = arg;
    if (i->kind == INST_STORE && i->declares)
        k->local[i->args.items[0]->var->id] = true;
    bool loop = i->kind == INST_FOR || i->kind == INST_FOR_CELLS;
    for (int v = 0; loop && v < i->vars.count; v++)
        k->local[i->vars.items[v]->id] = true;
    if (i->kind == INST_STORE || i->kind == INST_ATOMIC) {
        const Inst *root = inst_place_root(i->args.items[0]);
        if (root->kind == INST_VAR)
            k->written[root->var->id] = true;
    }
    for (int a = 0; i->kind == INST_CALL && a < i->args.count; a++) {
        const Inst *root = inst_place_root(i->args.items[a]);
        if (root->kind == INST_VAR)
            k->written[root->var->id] = true;
    }
    if (i->kind == INST_RANDOM || (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE &&
                                   ir_func(k->e->ir, i->func)->uses_random))
        k->random = true;
    if (i->kind == INST_CHECK_RACE || (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE &&
                                       ir_func(k->e->ir, i->func)->checks_races))
        k->races = true;
    bool calls = i->kind == INST_CALL && i->func->kind == FUNC_DEVICE &&
                 ir_func(k->e->ir, i->func)->may_fail;
    if (calls || inst_may_fail(i))
        k->may_fail = true;
    k->atomic = k->atomic || (i->kind == INST_ATOMIC && !i->plain) ||
                (i->kind == INST_APPEND && inst_has_container(i));
    if (i->kind == INST_APPEND && i->placed && !k->e->o->gpu)
        k->placed = i;
    k->atomic = k->atomic || (i->in_row && i->kind != INST_IS_ACTIVE && !k->t->planes);
    if (i->kind == INST_APPEND && k->t->fetches)
        k->appends = i;
    if (i->kind == INST_APPEND && i->owned && !k->e->o->gpu)
        k->owned = i;
    k->weight += i->kind == INST_CALL || i->kind == INST_BUILTIN ? 20 : 1;
    if (i->kind == INST_FOR || i->kind == INST_WHILE)
        k->weight += 100;
}

static bool
is_reduction(const LoopOut *k, const Var *v)
{
    for (int i = 0; i < k->t->reductions.count; i++)
        if (k->t->reductions.items[i].var == v)
            return true;
    return false;
}

static void
note_capture(Inst *i, void *arg)
{
    LoopOut *k = arg;
    if (i->kind != INST_VAR || k->local[i->var->id] || is_reduction(k, i->var))
        return;
    for (int n = 0; n < k->captures.count; n++)
        if (k->captures.items[n].var == i->var)
            return;
    Capture c = {.var = i->var, .outer = k->e->fn.var_text[i->var->id]};
    c.by_pointer = k->written[i->var->id] || i->var->type->kind == TYPE_ARRAY;
    if (i->var->type->kind == TYPE_EXTERN)
        c.by_pointer = false;
    vec_push(k->e->c->arena, &k->captures, c);
}

static void
analyse(LoopOut *k)
{
    Emit *e = k->e;
    k->local = e->fn.loop_local;
    k->written = e->fn.loop_written;
    for (int v = 0; v < k->t->vars.count; v++)
        k->local[k->t->vars.items[v]->id] = true;
    for (int v = 0; v < k->t->abreast.count; v++)
        k->local[k->t->abreast.items[v]->id] = true;
    block_walk(k->t->entry, note_locals, k);
    block_walk(k->t->before, note_locals, k);
    block_walk(k->t->body, note_locals, k);
    block_walk(k->t->fetches, note_locals, k);
    k->may_fail |= sums_activate(k->t);
    k->work = block_work(e->ir, k->t->body);
    block_walk(k->t->entry, note_capture, k);
    block_walk(k->t->before, note_capture, k);
    block_walk(k->t->body, note_capture, k);
    block_walk(k->t->fetches, note_capture, k);
    if (k->t->kind == TASK_STRUCT_FOR && k->t->node && node_is_sparse(k->t->node))
        k->listed = k->t->use_list ? k->t->node : node_list_ancestor(k->t->node);
}

/* The loop's function has names of its own for its variables. */
static void
save_text(LoopOut *k, const Var *v)
{
    vec_push(k->e->c->arena, &k->outer_texts, (OuterText){v->id, k->e->fn.var_text[v->id]});
}

static void
save_mentioned(Inst *i, void *arg)
{
    if (i->kind == INST_VAR)
        save_text(arg, i->var);
    for (int v = 0; (i->kind == INST_FOR || i->kind == INST_FOR_CELLS) && v < i->vars.count; v++)
        save_text(arg, i->vars.items[v]);
}

static void
save_texts(LoopOut *k)
{
    const Task *t = k->t;
    for (int v = 0; v < t->vars.count; v++)
        save_text(k, t->vars.items[v]);
    for (int v = 0; v < t->abreast.count; v++)
        save_text(k, t->abreast.items[v]);
    for (int r = 0; r < t->reductions.count; r++)
        save_text(k, t->reductions.items[r].var);
    block_walk(t->entry, save_mentioned, k);
    block_walk(t->before, save_mentioned, k);
    block_walk(t->body, save_mentioned, k);
    block_walk(t->inside, save_mentioned, k);
    block_walk(t->fetches, save_mentioned, k);
}

static void
restore_texts(LoopOut *k)
{
    for (int n = 0; n < k->outer_texts.count; n++)
        k->e->fn.var_text[k->outer_texts.items[n].id] = k->outer_texts.items[n].text;
}

/* The tables by variable serve the next loop. */
static void
end_analysis(LoopOut *k)
{
    for (int n = 0; n < k->outer_texts.count; n++)
        k->local[k->outer_texts.items[n].id] = k->written[k->outer_texts.items[n].id] = false;
}

/* ---- arguments of the loop's function ---- */

static bool
step_is_one(const Inst *step)
{
    return !step || (step->kind == INST_CONST && step->value.leaves[0].i == 1);
}

/* "*name", in parentheses where a pointer to an array is declared. */
static const char *
pointer_declarator(Emit *e, const Type *t, const char *star, const char *name)
{
    return arena_printf(e->c->arena, t->kind == TYPE_ARRAY ? "(%s%s)" : "%s%s", star, name);
}

static void
declare_args(LoopOut *k, Text *t)
{
    Emit *e = k->e;
    text_open(t, "typedef struct {");
    /* in C++ a member may have the name of the program */
    text_line(t, e->o->gpu ? "struct %s *self;" : "%s *self;", e->prefix);
    if (k->listed)
        text_line(t, "const SnlListEntry *entries;");
    if (k->random)
        text_line(t, "uint64_t launch;");
    for (int v = 0; k->t->kind == TASK_RANGE_FOR && v < k->t->vars.count; v++) {
        if (k->t->from.items[v]->kind != INST_CONST)
            text_line(t, "int64_t from%d;", v);
        if (k->t->step.items[v]->kind != INST_CONST)
            text_line(t, "int64_t step%d;", v);
        text_line(t, "int64_t count%d;", v);
    }
    for (int i = 0; i < k->captures.count; i++) {
        Capture *c = &k->captures.items[i];
        const Type *type = c->var->type;
        c->name = name_new(e, c->var->name);
        if (c->by_pointer)
            text_line(t, "%s;", type_decl(e, type, pointer_declarator(e, type, "*", c->name)));
        else
            text_line(t, "%s;", var_decl(e, c->var, c->name));
        for (int d = 0; type->kind == TYPE_EXTERN && d < type->dim_count; d++)
            text_line(t, "int64_t %s_n%d;", c->name, d);
    }
    if (k->placed)
        text_line(t, "int64_t first;    /* index of what the first iteration appends */");
    if (k->t->scatter.count && !e->o->gpu)
        text_line(t, "SnlScatter *apart;    /* copies that the threads add to, or NULL */");
    if (k->t->order)
        text_line(t, "SnlOrder order;    /* of the iterations */");
    if (k->t->lined)
        text_line(t, "bool lined;    /* the cells of the lists lie in line */");
    reduce_members(e, t);
}

/* Behind the members, now that the body is known: the containers that it names. */
static void
end_args(LoopOut *k, Text *t)
{
    for (int i = 0; i < k->tops.count; i++)
        text_line(t, "void *top_%d_%d;", k->tops.items[i]->layout->id, k->tops.items[i]->id - 1);
    text_close(t, "} %s;", k->args_type);
    text_newline(t);
}

const char *
loop_next_iteration(const LoopOut *k, const char *i)
{
    return arena_printf(k->e->c->arena, k->e->o->gpu ? "%s += step" : "%s++", i);
}

/* Captured variables become variables of the loop's function. */
static void
unpack_args(LoopOut *k)
{
    Emit *e = k->e;
    Arena *arena = e->c->arena;
    body_parameter(e, "args");
    if (!e->o->gpu)
        body_parameter(e, "chunk");
    body_declare(
        e, "in",
        arena_printf(arena, "const %s *const in = (const %s *)args;", k->args_type, k->args_type));
    body_declare(e, "self", arena_printf(arena, "%s *const self = in->self;", e->prefix));
    for (int i = 0; i < k->captures.count; i++) {
        const Capture *c = &k->captures.items[i];
        const Type *type = c->var->type;
        if (c->by_pointer) {
            const char *pointer =
                type_decl(e, type, pointer_declarator(e, type, "*const ", c->name));
            body_declare(e, c->name, arena_printf(arena, "%s = in->%s;", pointer, c->name));
            e->fn.var_text[c->var->id] = arena_printf(arena, "(*%s)", c->name);
        } else {
            const char *plain = type->kind == TYPE_EXTERN
                                    ? var_decl(e, c->var, arena_printf(arena, "const %s", c->name))
                                    : arena_printf(arena, "const %s", type_decl(e, type, c->name));
            body_declare(e, c->name, arena_printf(arena, "%s = in->%s;", plain, c->name));
            e->fn.var_text[c->var->id] = c->name;
        }
        for (int d = 0; type->kind == TYPE_EXTERN && d < type->dim_count; d++) {
            const char *extent = arena_printf(arena, "%s_n%d", c->name, d);
            body_declare(e, extent,
                         arena_printf(arena, "const int64_t %s = in->%s;", extent, extent));
        }
    }
}

/* ---- the loop's function ---- */

void
loop_start_iteration(LoopOut *k, const char *number)
{
    Emit *e = k->e;
    if (k->races) {
        text_line(e->out, "const uint64_t iteration = (uint64_t)(%s);", number);
        e->fn.iteration_ref = "iteration";
    }
    if (!k->random)
        return;
    text_line(e->out, "SnlRandom rng;");
    text_line(e->out, "snl_random_init(&rng, self->rt.seed, in->launch, (uint64_t)(%s));", number);
    e->fn.random_ref = "&rng";
}

void
loop_stop_when_failed(LoopOut *k)
{
    if (k->may_fail && !k->e->par.list_end) /* else each run asks */
        emit_check(k->e);
}

/* "in->fromK", or the number itself. */
static const char *
bound(LoopOut *k, const Inst *i, const char *member, int v)
{
    if (i->kind == INST_CONST)
        return arena_printf(k->e->c->arena, "%lld", (long long)i->value.leaves[0].i);
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

/* On a GPU each iteration of a loop over several ranges has a number, of 32 bits where these are
 * known to be enough. */
static void
range_body_flat(LoopOut *k)
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
                  loop_next_iteration(k, n));
    loop_stop_when_failed(k);
    for (int v = t->vars.count - 1; v >= 0; v--) {
        const Var *var = t->vars.items[v];
        const char *from = bound(k, t->from.items[v], "from", v),
                   *step = bound(k, t->step.items[v], "step", v);
        const char *count = known_count(t, v) > 0
                                ? arena_printf(a, "%lld", (long long)known_count(t, v))
                                : arena_printf(a, "in->count%d", v);
        const char *ordinal = v ? arena_printf(a, "(int64_t)((%s) %% %s)", rest, count)
                                : arena_printf(a, "(int64_t)(%s)", rest);
        const char *i = e->fn.var_text[var->id] = name_new(e, var->name);
        e->fn.wide[var->id] = true;
        body_maybe(e, i,
                   arena_printf(a, "const int64_t %s = %s + %s * %s;", i, from, step, ordinal));
        rest = arena_printf(a, rest == n ? "%s / %s" : "(%s) / %s", rest, count);
    }
    loop_start_iteration(k, n);
    emit_block(e, t->body);
    text_close(e->out, "}");
}

/* Appended cells lie side by side within a chunk of the list: a loop for each part, as far as
 * `end`. */
static void
open_placed(LoopOut *k, const char *begin, const char *end)
{
    Emit *e = k->e;
    const Node *n = k->placed->node;
    const char *type = cell_type(e, n), *cells = e->par.placed = name_new(e, "placed");
    text_open(e->out, "for (int64_t %s = from, %s; %s < to; %s = %s) {", begin, end, begin, begin,
              end);
    text_line(e->out,
              "%s *const %s = (%s *)snl_dynamic_run(%s, %d, %s, %lld, sizeof(%s), in->first + %s, "
              "to - %s, &%s);",
              type, cells, type, tree_ref(e, n->layout), n->id - 1,
              container(e, k->placed->args.items[0]), (long long)n->chunk, type, begin, begin, end);
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
        const char *from = bound(k, t->from.items[v], "from", v),
                   *step = bound(k, t->step.items[v], "step", v);
        if (v && t->rows) {
            rows_loop(e, t, e->fn.var_text[t->vars.items[0]->id]);
            loop_close(e, 1);
            return;
        }
        const char *i = e->fn.var_text[var->id] = name_new(e, var->name), *ordinal = i;
        bool from_zero =
            t->from.items[v]->kind == INST_CONST && !t->from.items[v]->value.leaves[0].i;
        const char *low = v ? "0" : begin,
                   *high = v ? arena_printf(e->c->arena, "in->count%d", v) : end;
        e->fn.wide[var->id] = true;
        bool by_ones = step_is_one(t->step.items[v]), direct = by_ones && from_zero;
        if (v && by_ones && !t->inside && !e->par.batch_task &&
            t->from.items[v]->kind == INST_CONST && t->to.items[v]->kind == INST_CONST)
            low = from, high = bound(k, t->to.items[v], "to", v), direct = true;
        if (!direct)
            ordinal = name_new(e, arena_printf(e->c->arena, "n%d", v));
        if (v == t->vars.count - 1 && t->inside)
            split_range(k, i, ordinal, direct ? NULL : from, low, high);
        else if (v == t->vars.count - 1)
            loops += loop_open_inner(e, ordinal, direct ? NULL : from, low, high,
                                     v ? known_count(t, v) : 0) - 1;
        else
            text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", ordinal, low, ordinal, high,
                      ordinal);
        if (!direct) {
            const char *times = step_is_one(t->step.items[v])
                                    ? ordinal
                                    : arena_printf(e->c->arena, "%s * %s", ordinal, step);
            const char *text =
                from_zero ? times : arena_printf(e->c->arena, "%s + %s", from, times);
            body_maybe(e, i, arena_printf(e->c->arena, "const int64_t %s = %s;", i, text));
        }
        if (!v)
            loop_stop_when_failed(k);
        const char *from_first = from_zero || !direct
                                     ? ordinal
                                     : arena_printf(e->c->arena, "(%s - (%s))", ordinal, from);
        number = number
                     ? arena_printf(e->c->arena, "(%s) * in->count%d + %s", number, v, from_first)
                     : ordinal;
    }
    loop_start_iteration(k, number);
    if (k->placing) {
        e->par.placed = arena_printf(e->c->arena, "%s[%s - %s]", e->par.placed, number, begin);
        e->par.placed_index = arena_printf(e->c->arena, "in->first + %s", number);
    }
    emit_block(e, k->body);
    loop_close(e, loops);
}

static void
range_body(LoopOut *k)
{
    Emit *e = k->e;
    const char *begin = e->par.owning ? "0" : "from", *end = e->par.owning ? "in->count0" : "to";
    if (k->t->planes) {
        planes_loop(e, k->t);
    } else if (k->placing) {
        begin = name_new(e, "begin"), end = name_new(e, "end");
        open_placed(k, begin, end);
        range_loops(k, begin, end);
        e->par.placed = NULL;
        text_close(e->out, "}");
    } else if (k->t->fetches && !k->t->order) {
        fetch_strips(k, begin, end, range_loops);
    } else if (k->t->vars.count == 1 && strips_go_first(k)) {
        strips_then_rest(k, begin, end, range_loops);
    } else {
        range_loops(k, begin, end);
    }
}

/* The head of what the kernel calls, or of a function for that alone. */
static void
head_line(const LoopOut *k, bool called)
{
    text_line(k->e->out, "%s void%s", called && loop_is_parted(k) ? "SNL_PARTED" : "static",
              k->t->wide && !k->in_order ? " SNL_WIDE" : "");
}

/* Is there a version in batches beside the one that is written? */
static bool
goes_in_batches(const LoopOut *k)
{
    return k->t->batches && !k->in_order;
}

/* Loops with atomics exist twice, for several threads and for one, which needs none and may go in
 * batches. */
static void
loop_versions(LoopOut *k)
{
    bool batch = goes_in_batches(k);
    Text *t = k->e->out;
    head_line(k, true);
    text_line(t, "%s(void *args, int64_t chunk, int64_t from, int64_t to)", k->function);
    text_open(t, "{");
    text_line(t, "const %s *const in = (const %s *)args;", k->args_type, k->args_type);
    text_line(t, "if (snl_alone(&in->self->rt)%s)", k->t->scatter.count ? " || in->apart" : "");
    text_line(t,
              batch ? "    %s_batch(args, chunk, from, to);"
                    : "    %s_body(args, chunk, from, to, true);",
              k->function);
    text_line(t, "else");
    text_line(t, "    %s_body(args, chunk, from, to, false);", k->function);
    text_close(t, "}");
    text_newline(t);
}

/* So do loops that read lists in line; that which reads them where they are is rarely run. */
static void
lined_versions(LoopOut *k)
{
    Text *t = k->e->out;
    text_line(t, "static void SNL_COLD");
    text_line(t, "%s_unlined(void *args, int64_t chunk, int64_t from, int64_t to)", k->function);
    text_open(t, "{");
    text_line(t, "%s_body(args, chunk, from, to, false);", k->function);
    text_close(t, "}");
    text_newline(t);
    head_line(k, true);
    text_line(t, "%s(void *args, int64_t chunk, int64_t from, int64_t to)", k->function);
    text_open(t, "{");
    text_line(t, "if (((const %s *)args)->lined)", k->args_type);
    text_line(t, "    %s_body(args, chunk, from, to, true);", k->function);
    text_line(t, "else");
    text_line(t, "    %s_unlined(args, chunk, from, to);", k->function);
    text_close(t, "}");
    text_newline(t);
}

static void loop_function(LoopOut *k, const char *title);

/* The loop in batches of iterations; those that are left over go one by one. */
static void
batch_function(LoopOut *k, const char *title)
{
    k->batching = true;
    loop_function(k, title);
    k->batching = false;
}

/* Does the loop run in two versions, by whether other threads run as well? */
static bool
has_versions(const LoopOut *k)
{
    return k->atomic && !k->placing && !k->batching && !k->ordering && !k->e->par.owning &&
           !k->e->o->gpu;
}

/* Does it, by whether the lists that it reads are in line? */
static bool
has_lined_version(const LoopOut *k)
{
    return k->t->lined && !has_versions(k) && !k->placing && !k->e->par.owning &&
           !goes_in_batches(k);
}

/* Comment and head of the function of a loop. */
static void
loop_head(LoopOut *k, const char *title)
{
    const Emit *e = k->e;
    const bool versions = has_versions(k), lined = has_lined_version(k);
    const char *how = "", *suffix = "", *more = "";
    if (k->placing)
        how = ": room for what it appends is there", suffix = "_placed";
    else if (k->ordering)
        how = ": the cell that each of them reaches", suffix = "_keys";
    else if (k->batching)
        how = ": several iterations are computed at once", suffix = k->atomic ? "_batch" : "";
    else if (e->par.owning)
        how = ": what is for the lists of the cells from ... to-1", suffix = "_owned";
    else if (goes_in_batches(k) && !versions)
        suffix = "_rest";
    else if (versions)
        suffix = "_body", more = ", const bool alone";
    else if (lined)
        suffix = "_body", more = ", const bool lined";
    else if (e->o->gpu)
        more = ", int64_t step";
    text_line(e->out, "/* %s%s */", title, how);
    /* What batches leave over is few iterations, or waits for atomics: C compilers need not take
     * long over it. */
    const bool leftover =
        goes_in_batches(k) && !k->batching && !k->placing && !e->par.owning && !e->o->gpu;
    const bool called = !*suffix || k->placing || k->ordering || e->par.owning;
    if (e->o->gpu)
        text_line(e->out, "SNL_ON_GPU static void");
    else if (leftover)
        text_line(e->out, "static void SNL_COLD");
    else if (versions || lined)
        text_line(e->out, "SNL_INLINE void");
    else
        head_line(k, called);
    text_line(e->out, "%s%s(void *args,%s int64_t from, int64_t to%s)", k->function, suffix,
              e->o->gpu ? "" : " int64_t chunk,", more);
}

static void
loop_function(LoopOut *k, const char *title)
{
    Emit *e = k->e;
    Body body;
    const bool versions = has_versions(k), lined = has_lined_version(k);
    const Nest nest = nest_copy(e, &k->nest); /* each version starts at its top */
    loop_head(k, title);
    text_open(e->out, "{");
    body_begin(e, &body);
    unpack_args(k);
    if (k->t->lined && !lined)
        body_declare(e, "lined", "const bool lined = in->lined;");
    e->par.alone_known = versions;
    e->par.simd = k->t->simd && !e->o->gpu && !k->t->batches && !k->in_order;
    e->par.hides_limits = e->par.simd;
    e->par.quads = k->t->quads;
    e->par.batch_task = k->batching ? k->t : NULL;
    e->par.finding = k->ordering;
    if (k->in_order) {
        e->par.order = k->t;
        e->par.stream = e->par.strips = NULL;
    }
    e->fn.on_gpu = true;
    apart_begin(k);
    e->par.keeps_cells = !e->o->gpu && cells_stay(e, k->t->body);
    cache_begin(e, (Block *[]){k->t->entry, k->t->before, k->t->body, k->t->fetches}, 4,
                k->t->kind == TASK_STRUCT_FOR ? k->t->node : NULL, k->listed);
    halo_begin(e, k->t);
    if (k->t->stream && k->t->weaves != WEAVE_ROWS)
        cache_path(e, k->t->stream->node);
    for (int n = 0; n < k->t->ahead_strips.count; n++) /* whether the body still uses them or not */
        cache_path(e, k->t->ahead_strips.items[n]);
    for (int n = 0; n < k->t->order_own.count; n++)
        cache_path(e, k->t->order_own.items[n]);
    reduce_declare(e);
    e->par.list_end = k->owned && k->owned->in_runs ? name_new(e, "last") : NULL;
    if (e->par.list_end)
        text_line(e->out, "SnlDynamicEnd %s = {0};", e->par.list_end);
    e->par.stores = e->par.stream && !k->t->weaves ? name_new(e, "stores") : NULL;
    if (e->par.stores)
        text_line(e->out, "SnlStream %s = snl_stream_begin(&self->rt);", e->par.stores);
    if (k->t->kind != TASK_RANGE_FOR)
        loop_cells(k);
    else if (e->o->gpu)
        range_body_flat(k);
    else
        range_body(k);
    if (e->par.stores)
        text_line(e->out, "snl_stream_end(&self->rt, &%s);", e->par.stores);
    apart_end(k);
    if (k->batching)
        text_line(e->out,
                  k->atomic ? "%s_body(args, chunk, %s, to, true);"
                            : "%s_rest(args, chunk, %s, to);",
                  k->function, e->par.batch_strip);
    reduce_store(e, k->lanes);
    body_end(e, &body);
    e->par.list_end = NULL;
    e->par.hides_limits = false;
    e->par.keeps_cells = false;
    e->par.quads = false;
    text_close(e->out, "}");
    text_newline(e->out);
    k->nest = nest;
    e->fn.cells = NULL;
    if (goes_in_batches(k) && !k->batching)
        batch_function(k, title);
    if (versions)
        loop_versions(k);
    if (lined)
        lined_versions(k);
}

/* The loop with its appends in places that are known, which cannot fail. */
static void
placed_function(LoopOut *k, const char *title)
{
    bool may_fail = k->may_fail;
    k->placing = true;
    k->may_fail = false;
    loop_function(k, title);
    k->placing = false;
    k->may_fail = may_fail;
}

/* The function that finds the cells that the iterations reach, and the version in their order. */
static void
order_functions(LoopOut *k, const char *title)
{
    const bool may_fail = k->may_fail;
    k->in_order = k->ordering = true;
    k->may_fail = false;
    k->body = k->t->fetches;
    loop_function(k, title);
    k->body = k->t->body;
    k->may_fail = may_fail;
    k->ordering = false;
    if (!order_has_version(k->t))
        return;
    const char *function = k->function;
    k->function = arena_printf(k->e->c->arena, "%s_ordered", function);
    loop_function(k, title);
    k->function = function;
}

/* ---- the loop as a whole ---- */

/* How many of the outermost levels make up the parallel loop: enough iterations for the threads,
 * inner loops, lists and blocks left whole. */
static int
flat_levels(const Nest *nest, bool has_halos)
{
    int64_t product = 1;
    int levels = 0, most = nest->count;
    if (nest->to->kind == NODE_DYNAMIC)
        most--;
    if (has_halos)
        most -= nest->to->axis_count;
    if (most == 0)
        return 0;
    do {
        if (levels && product >= 4 && mask_in_words(nest, levels))
            return levels;
        const Node *n = nest->node[levels];
        int64_t size = n->sizes[nest->axis_at[levels]];
        if (!size)
            return levels + 1;
        product *= size;
        levels++;
    } while (levels < most && (product < 4 || (product < 64 && levels < nest->count - 1)));
    return levels;
}

static const char *
title_of(Emit *e, const Task *t)
{
    const char *names = "";
    for (int i = 0; i < t->vars.count; i++)
        names = arena_printf(e->c->arena, "%s%s%s", names, i ? ", " : " ", t->vars.items[i]->name);
    const char *over = t->kind == TASK_RANGE_FOR   ? "range"
                       : t->field                  ? t->field->name
                       : t->node && t->node->label ? t->node->label
                                                   : "cells";
    return arena_printf(e->c->arena, "%s:%d  for%s in %s", path_of(e, t->span),
                        span_line(&e->c->sources, t->span), names, over);
}

/* Words of a mask at the top that make enough work for the threads. */
enum { WORDS_LEAST = 16 };

void
emit_loop_task(Emit *e, Task *t)
{
    LoopOut k = {.e = e, .t = t, .body = t->body};
    Text body, *const out = e->out;
    k.function =
        name_global(e, arena_printf(e->c->arena, "%s_loop%d", e->fn.name, ++e->loop_count));
    k.args_type = name_global(e, arena_printf(e->c->arena, "%s_args", k.function));
    analyse(&k);
    /* the loop's function has names of its own */
    const FuncState kernel = e->fn;
    save_texts(&k);
    map_init(&e->fn.taken, e->c->arena);
    e->fn.leave = LEAVE_VOID;
    e->fn.loop = NULL;
    e->fn.cells = NULL;
    e->par = (ParState){
        .task = e->o->gpu ? t : NULL,
        .lanes = t->lanes && !e->o->gpu,
        .stream = t->stream ? t : NULL,
        .strips = t->ahead_strips.count ? t : NULL,
        .before = t->before,
        .abreast_task = t->goes_abreast ? t : NULL,
        .own_lined = t->own_lined,
        .scatter = t->scatter.count ? t : NULL,
        .tops = e->o->gpu ? &k.tops : NULL,
    };
    reduce_start(e, t);
    e->par.lanes &= !t->words; /* those of a word */
    k.reductions = e->par.reduce;
    k.reduction_count = e->par.reduce_count;
    declare_args(&k, &e->code);
    text_init(&body, e->c->arena);
    e->out = &body;
    if (t->kind == TASK_STRUCT_FOR && t->node) {
        nest_start(e, &k.nest, k.listed, t->node, t->vars.items);
        k.one_mask = !e->o->gpu && !k.listed && mask_in_words(&k.nest, 0) &&
                     mask_words(k.nest.node[0]) >= WORDS_LEAST;
        k.flat = k.listed || k.one_mask ? 0 : flat_levels(&k.nest, t->halos.count > 0);
    }
    if (e->o->gpu)
        tile_choose(&k);
    if (k.placed)
        placed_function(&k, title_of(e, t));
    if (k.owned) {
        e->par.owning = true;
        loop_function(&k, title_of(e, t));
        e->par.owning = false;
    }
    k.in_order = t->order && !order_has_version(t);
    loop_function(&k, title_of(e, t));
    if (t->order)
        order_functions(&k, title_of(e, t));
    end_args(&k, &e->code);
    if (loop_is_parted(&k))
        loop_part_open(&k, &e->code);
    text_raw(&e->code, body.data, body.count);
    if (loop_is_parted(&k))
        loop_part_close(&k, &e->code);
    const size_t bytes = body.count;
    text_free(&body);
    e->fn = kernel;
    e->par = (ParState){0};
    e->out = out;
    if (loop_is_parted(&k))
        part_note(e, k.function, bytes);
    restore_texts(&k);
    loop_launch(&k);
    end_analysis(&k);
}
