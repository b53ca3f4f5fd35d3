/* Versions of the function of a parallel loop. Each version is the whole loop, written once more.
 */
#include "config.h"

#include "emit/loop/parallel.h"

/* The head of what the kernel calls, or of a function for that alone. */
static void
head_line(const LoopOut *k, bool called)
{
    const bool parted = called && !k->in_bands && parts_has(k);
    text_line(k->e->out, "%s void%s%s", parted ? "SNL_PARTED" : "static",
              k->t->wide && !k->in_order ? " SNL_WIDE" : "", k->t->large ? " SNL_LARGE" : "");
}

/* Is there a version in batches beside the one that is written? */
static bool
goes_in_batches(const LoopOut *k)
{
    return k->t->batches && !k->in_order;
}

/* The function that the kernel calls, where there are two versions: `test` tells which, of the
 * arguments `in`, after `before`; each is the end of a call, from what follows the function's
 * name. */
static void
choice_function(const LoopOut *k, const char *before, const char *test, const char *first,
                const char *second)
{
    Text *t = k->e->out;
    head_line(k, true);
    text_line(t, "%s(void *args, int64_t chunk, int64_t from, int64_t to)", k->function);
    text_open(t, "{");
    text_line(t, "const %s *const in = (const %s *)args;", k->args_type, k->args_type);
    if (before)
        text_line(t, "%s", before);
    text_line(t, "if (%s)", test);
    text_line(t, "    %s%s;", k->function, first);
    text_line(t, "else");
    text_line(t, "    %s%s;", k->function, second);
    text_close(t, "}");
    text_newline(t);
}

/* Loops with atomics exist twice, for several threads and for one, which needs none and may go in
 * batches. */
static void
loop_versions(LoopOut *k)
{
    choice_function(
        k, NULL,
        k->t->scatter.count ? "snl_alone(&in->self->rt) || in->apart" : "snl_alone(&in->self->rt)",
        goes_in_batches(k) ? "_batch(args, chunk, from, to)" : "_body(args, chunk, from, to, true)",
        "_body(args, chunk, from, to, false)");
}

/* So do loops that read lists in line; that which reads them where they are is rarely run. */
static void
packed_versions(LoopOut *k)
{
    Text *t = k->e->out;
    text_line(t, "static void SNL_COLD");
    text_line(t, "%s_unlined(void *args, int64_t chunk, int64_t from, int64_t to)", k->function);
    text_open(t, "{");
    text_line(t, "%s_body(args, chunk, from, to, false);", k->function);
    text_close(t, "}");
    text_newline(t);
    choice_function(k, NULL, "in->lined", "_body(args, chunk, from, to, true)",
                    "_unlined(args, chunk, from, to)");
}

static void loop_function(LoopOut *k, const char *title);

/* Does the loop run in two versions, by the size of the array that it streams? */
static bool
has_sized_versions(const LoopOut *k)
{
    return k->t->stream_by_size && !k->size && !k->placing && !k->in_order && !k->atomic &&
           !k->t->packed && !k->e->par.owning && !goes_in_batches(k);
}

static void
sized_versions(LoopOut *k, const char *title)
{
    Emit *e = k->e;
    const Node *n = k->t->stream->leaves[0].node;
    const ParState par = e->par;
    k->size = SIZE_LARGE;
    loop_function(k, title);
    e->par = par;
    k->size = SIZE_SMALL;
    loop_function(k, title);
    k->size = SIZE_ANY;
    const char *array = arena_printf(
        e->c->arena, "const SnlNodeDesc *const array = &in->self->trees[%d]->nodes[%d].desc;",
        n->layout->id, n->id - 1);
    const char *is_large = "array->container_bytes >= SNL_LARGE_ARRAY";
    if (n->axis_count > 1 && !n->sizes[n->axis_count - 1])
        is_large = arena_printf(e->c->arena, "%s && array->sizes[%d] >= SNL_LONG_ROW", is_large,
                                n->axis_count - 1);
    choice_function(k, array, is_large, "_streamed(args, chunk, from, to)",
                    "_direct(args, chunk, from, to)");
}

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
has_packed_version(const LoopOut *k)
{
    return k->t->packed && !has_versions(k) && !k->placing && !k->e->par.owning &&
           !goes_in_batches(k);
}

/* Comment and head of the function of a loop. */
static void
loop_head(LoopOut *k, const char *title)
{
    const Emit *e = k->e;
    const bool versions = has_versions(k), packed = has_packed_version(k);
    const char *how = "", *suffix = "", *more = "";
    if (k->placing)
        how = ": room for what it appends is there", suffix = "_placed";
    else if (k->ordering)
        how = ": the cell that each of them reaches", suffix = "_keys";
    else if (k->size == SIZE_LARGE)
        how = ": the array that it writes is large", suffix = "_streamed";
    else if (k->size == SIZE_SMALL)
        how = ": the array that it writes is small", suffix = "_direct";
    else if (k->batching)
        how = ": several iterations are computed at once", suffix = k->atomic ? "_batch" : "";
    else if (e->par.owning)
        how = ": what is for the lists of the cells from ... to-1", suffix = "_owned";
    else if (goes_in_batches(k) && !versions)
        suffix = "_rest";
    else if (versions)
        suffix = "_body", more = ", const bool alone";
    else if (packed)
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
    else if (versions || packed)
        text_line(e->out, "SNL_INLINE void");
    else
        head_line(k, called);
    text_line(e->out, "%s%s(void *args,%s int64_t from, int64_t to%s)", k->function, suffix,
              e->o->gpu ? "" : " int64_t chunk,", more);
}

/* Is it a variable that each iteration has for itself? */
static bool
is_own_var(const Inst *root)
{
    return root->kind == INST_VAR && !root->var->kernel_level &&
           root->var->type->kind != TYPE_EXTERN;
}

static void
find_indexed(Inst *i, void *arg)
{
    bool *found = arg;
    const bool element = i->kind == INST_ELEM && is_own_var(inst_place_root(i));
    for (int k = 1; element && k < i->args.count; k++)
        *found |= i->args.items[k]->kind != INST_CONST;
    *found |= i->kind == INST_GET_AT;
}

/* Has a loop vectors, matrices or arrays of its own that are indexed by what is known at run time
 * only? */
static bool
has_indexed_values(const Task *t)
{
    bool found = false;
    block_walk(t->body, find_indexed, &found);
    return found;
}

/* How this version of the loop goes through its iterations. */
static void
choose_ways(LoopOut *k)
{
    Emit *e = k->e;
    e->par.simd = k->t->simd && !e->o->gpu && !k->t->batches && !k->in_order;
    e->par.indexes = has_indexed_values(k->t);
    e->par.hides_limits = e->par.simd;
    e->par.quads = k->t->quads;
    e->par.batch_task = k->batching ? k->t : NULL;
    e->par.finding = k->ordering;
    if (k->size == SIZE_LARGE)
        e->par.stream = k->t, e->par.direct = NULL;
    if (k->size == SIZE_SMALL)
        e->par.strips = NULL;
    if (k->in_order) {
        e->par.order = k->t;
        e->par.stream = e->par.strips = NULL;
    }
}

/* Lanes that meet when the loop is through leave it alone when something failed: all have to come
 * to each barrier. Where they meet inside of it, in halos, nothing in it fails so. */
static void
begin_leaving(LoopOut *k)
{
    Emit *e = k->e;
    const Task *t = k->t;
    if (!e->o->gpu || !(e->par.reduce_count || t->scatter.count))
        return;
    e->fn.leave = LEAVE_LOOP;
    e->fn.loop_end = name_new(e, "left");
    e->fn.loop_left = false;
}

static void
end_leaving(Emit *e)
{
    if (e->fn.leave == LEAVE_LOOP && e->fn.loop_left)
        text_flush_left(e->out, "%s:;", e->fn.loop_end);
    e->fn.leave = LEAVE_VOID;
}

static void
loop_function(LoopOut *k, const char *title)
{
    Emit *e = k->e;
    Body body;
    if (has_sized_versions(k)) {
        sized_versions(k, title);
        return;
    }
    const bool versions = has_versions(k), packed = has_packed_version(k);
    const Nest nest = nest_copy(e, &k->nest); /* each version starts at its top */
    loop_head(k, title);
    text_open(e->out, "{");
    declarations_begin(e, &body);
    parallel_unpack_args(k);
    if (k->t->packed && !packed)
        declarations_add(e, "lined", "const bool lined = in->lined;");
    e->par.alone_known = versions;
    choose_ways(k);
    e->fn.on_gpu = true;
    gpu_privatize_begin(k);
    e->par.keeps_cells = !e->o->gpu && place_cells_stay(e, k->t->body);
    place_cache_begin(e, (Block *[]){k->t->entry, k->t->before, k->t->body, k->t->fetches}, 4,
                k->t->kind == TASK_STRUCT_FOR ? k->t->node : NULL, k->listed);
    stage_halo_begin(e, k->t);
    stage_scaled_begin(e, k->t);
    block_cache_begin(k);
    if (k->t->stream && k->t->weaves != WEAVE_ROWS)
        place_cache_path(e, k->t->stream->node);
    for (int n = 0; n < k->t->ahead_strips.count; n++) /* whether the body still uses them or not */
        place_cache_path(e, k->t->ahead_strips.items[n]);
    for (int n = 0; n < k->t->order_own.count; n++)
        place_cache_path(e, k->t->order_own.items[n]);
    reductions_declare(e);
    e->par.list_end = k->owned && k->owned->in_runs ? name_new(e, "last") : NULL;
    if (e->par.list_end)
        text_line(e->out, "SnlDynamicEnd %s = {0};", e->par.list_end);
    e->par.stores = e->par.stream && !k->t->weaves ? name_new(e, "stores") : NULL;
    if (e->par.stores)
        text_line(e->out, "SnlStream %s = snl_stream_begin(&self->rt, %d);", e->par.stores,
                  e->stream_count++);
    begin_leaving(k);
    if (k->t->code)
        stmt_write(e, k->t->code);
    else if (k->t->kind != TASK_RANGE_FOR)
        cell_loops(k);
    else if (e->o->gpu)
        range_loops_body_flat(k);
    else
        range_loops_body(k);
    end_leaving(e);
    if (e->par.stores)
        text_line(e->out, "snl_stream_end(&%s);", e->par.stores);
    gpu_privatize_end(k);
    block_cache_end(k);
    if (k->batching)
        text_line(e->out,
                  k->atomic ? "%s_body(args, chunk, %s, to, true);"
                            : "%s_rest(args, chunk, %s, to);",
                  k->function, e->par.batch_strip);
    reductions_store(e, k->lanes);
    declarations_end(e, &body);
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
    if (packed)
        packed_versions(k);
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
    if (!reorder_has_version(k->t))
        return;
    const char *function = k->function;
    k->function = arena_printf(k->e->c->arena, "%s_ordered", function);
    loop_function(k, title);
    k->function = function;
}

/* The loop for mostly fast floats, and for whatever there is. */
static void
fast_float_versions(LoopOut *k, const char *title)
{
    Emit *e = k->e;
    const char *function = k->function;
    const ParState par = e->par;
    k->in_bands = true;
    k->function = arena_printf(e->c->arena, "%s_usual", function);
    e->par.fast_floats = true;
    loop_function(k, title);
    e->par = par;
    k->function = arena_printf(e->c->arena, "%s_any", function);
    loop_function(k, title);
    k->function = function;
    k->in_bands = false;
    version_floats_choice(k);
}

void
versions_write(LoopOut *k, const char *title)
{
    Emit *e = k->e;
    if (k->placed)
        placed_function(k, title);
    if (k->owned) {
        e->par.owning = true;
        loop_function(k, title);
        e->par.owning = false;
    }
    k->in_order = k->t->order && !reorder_has_version(k->t);
    if (version_floats_has_version(k))
        fast_float_versions(k, title);
    else
        loop_function(k, title);
    if (k->t->order)
        order_functions(k, title);
}
