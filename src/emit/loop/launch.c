/* Parallel loops: writes what the kernel does to start the function of a loop. */
#include "config.h"

#include "emit/loop/parallel.h"
#include "analysis/cost.h"

/* Iterations of one step of the parallel loop, to weigh it: a known number times an expression, or
 * NULL. */
static const char *
inner_count(LoopOut *k, int64_t *known)
{
    Emit *e = k->e;
    const char *text = NULL;
    *known = k->t->planes ? k->t->rows->sizes[0] : 1;
    for (int v = 1; k->t->kind == TASK_RANGE_FOR && v < k->t->vars.count; v++)
        text = arena_printf(e->c->arena, text ? "%s * args.count%d" : "%sargs.count%d",
                            text ? text : "", v);
    int first = k->flat;
    if (k->one_mask) {
        *known = 64;
        first = k->nest.node[0]->axis_count;
    }
    for (int l = first; k->t->kind == TASK_STRUCT_FOR && k->t->node && l < k->nest.count; l++) {
        const Node *n = k->nest.node[l];
        int64_t size = n->kind == NODE_DYNAMIC ? n->chunk : n->sizes[k->nest.axis_at[l]];
        if (size && *known < INT32_MAX)
            *known *= size < INT32_MAX ? size : INT32_MAX;
        else if (!size)
            text = arena_printf(e->c->arena, text ? "%s * %s" : "%s%s", text ? text : "",
                                nest_size(e, &k->nest, l));
    }
    return text;
}

static const char *
iteration_count(LoopOut *k)
{
    Emit *e = k->e;
    if (k->t->planes)
        return arena_printf(e->c->arena, "%lld", (long long)bit_slice_block_rows(k->t));
    if (k->t->kind == TASK_RANGE_FOR) {
        const char *all = "args.count0";
        for (int v = 1; e->o->gpu && v < k->t->vars.count; v++)
            all = arena_printf(e->c->arena, "%s * args.count%d", all, v);
        return all;
    }
    if (!k->t->node)
        return "1";
    if (k->listed)
        return k->flat ? arena_printf(e->c->arena, "list->count * (%s)", cell_loops_below(k))
                       : "list->count";
    if (cell_loops_of_one_list(k)) {
        const Node *n = k->t->node;
        const char *list = arena_printf(e->c->arena, "self->trees[%d], %d, %lld", n->layout->id,
                                        n->id - 1, (long long)n->chunk);
        return e->o->gpu ? arena_printf(e->c->arena, "snl_gpu_places(&self->rt, %s)", list)
                         : arena_printf(e->c->arena, "snl_dynamic_chunks(%s)", list);
    }
    if (k->one_mask)
        return arena_printf(e->c->arena, "%lld", (long long)mask_loops_words(k->nest.node[0]));
    if (gpu_tiles_box_count(k))
        return gpu_tiles_box_count(k);
    return cell_loops_below(k);
}

/* What the loop uses by its address has to be where the GPU sees it. */
static bool
is_shared(const LoopOut *k, const Capture *c)
{
    return k->e->o->gpu && (c->by_pointer || c->var->type->kind == TYPE_EXTERN);
}

static const char *
shared_bytes(LoopOut *k, const Capture *c)
{
    const Type *t = c->var->type;
    if (t->kind != TYPE_EXTERN)
        return arena_printf(k->e->c->arena, "sizeof %s", c->outer);
    const char *text = arena_printf(k->e->c->arena, "sizeof *%s", c->outer);
    for (int d = 0; d < t->dim_count; d++)
        text = arena_printf(k->e->c->arena, "%s * (uint64_t)%s_n%d", text, c->outer, d);
    return text;
}

static void
share(LoopOut *k, const Capture *c)
{
    Emit *e = k->e;
    const char *to = arena_printf(e->c->arena, "args.%s", c->name),
               *address = c->by_pointer ? "&" : "";
    text_line(e->out, "%s = (decltype(%s))snl_gpu_share(&self->rt, %s%s, %s);", to, to, address,
              c->outer, shared_bytes(k, c));
}

/* Takes back what the loop may have changed. */
static void
take_back(LoopOut *k)
{
    Emit *e = k->e;
    for (int i = 0; i < k->captures.count; i++) {
        const Capture *c = &k->captures.items[i];
        if (is_shared(k, c) && k->written[c->var->id])
            text_line(e->out, "snl_gpu_unshare(&self->rt, %s%s, args.%s, %s);",
                      c->by_pointer ? "&" : "", c->outer, c->name, shared_bytes(k, c));
    }
}

/* A loop over a list that only the GPU knows the length of: the CPU need not wait. */
static bool
is_queued(const LoopOut *k)
{
    return k->e->o->gpu && k->listed && !k->reduction_count && !gpu_sync_activates(k);
}

static void
pack_args(LoopOut *k)
{
    Emit *e = k->e;
    Task *t = k->t;
    text_line(e->out, "%s args = {.self = self};", k->args_type);
    for (int i = 0; i < k->tops.count; i++)
        text_line(e->out, "args.top_%d_%d = %s;", k->tops.items[i]->layout->id,
                  k->tops.items[i]->id - 1, place_top_container(e, k->tops.items[i]));
    if (k->races)
        text_line(e->out, "snl_races_begin(&self->rt);");
    if (k->listed) {
        int layout = k->listed->layout->id, node = k->listed->id - 1;
        if (e->o->gpu) {
            text_line(e->out, "snl_gpu_list(&self->rt, self->trees[%d], %d);", layout, node);
            if (!is_queued(k))
                gpu_sync_wait(e, e->out);
            text_line(e->out, "const SnlList *const list = &self->trees[%d]->nodes[%d].list;",
                      layout, node);
            text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, t->span));
        } else
            text_line(e->out, "const SnlList *const list = snl_tree_list(self->trees[%d], %d);",
                      layout, node);
        text_line(e->out, "args.entries = list->entries;");
        if (prefetch_by_size(k->t))
            text_line(e->out, "args.far = list->count * %lld >= SNL_LARGE_LIST;",
                      (long long)prefetch_bytes(k->t));
    }
    if (e->random)
        text_line(e->out, k->random ? "args.launch = ++%s;" : "%s++;", place_launch_number(e));
    for (int v = 0; task_is_bounded(t) && v < t->vars.count; v++) {
        if (t->from.items[v]->kind != INST_CONST)
            text_line(e->out, "args.from%d = %s;", v, value_text(e, t->from.items[v], PREC_ASSIGN));
        if (t->to.items[v]->kind != INST_CONST)
            text_line(e->out, "args.to%d = %s;", v, value_text(e, t->to.items[v], PREC_ASSIGN));
    }
    for (int v = 0; t->kind == TASK_RANGE_FOR && v < t->vars.count; v++) {
        const char *from = value_text(e, t->from.items[v], PREC_ASSIGN),
                   *to = value_text(e, t->to.items[v], PREC_ASSIGN);
        const char *step = value_text(e, t->step.items[v], PREC_ASSIGN);
        if (t->from.items[v]->kind != INST_CONST)
            text_line(e->out, "args.from%d = %s;", v, from);
        if (t->step.items[v]->kind != INST_CONST)
            text_line(e->out, "args.step%d = %s;", v, step);
        text_line(e->out, "args.count%d = snl_range_count(%s, %s, %s);", v, from, to, step);
    }
}

/* Brings the lists that iterations go through up to date: on a CPU each iteration would have to
 * make one of its own. */
static void
update_inner_lists(const LoopOut *k)
{
    const Nodes *walks = &k->t->effects.walks;
    for (int n = 0; n < walks->count; n++)
        text_line(k->e->out,
                  k->e->o->gpu ? "snl_gpu_list(&self->rt, self->trees[%d], %d);"
                               : "(void)snl_tree_list(self->trees[%d], %d);",
                  walks->items[n]->layout->id, walks->items[n]->id - 1);
}

/* The masks that the loop goes through: copies, as it may change those in the tree. */
static void
copy_masks(const LoopOut *k)
{
    const Node *n = k->t->masks;
    text_line(k->e->out, "args.masks = snl_masks_copy(self->trees[%d], %d, %s);", n->layout->id,
              n->id - 1, k->listed ? "list" : "NULL");
}

static void
drop_masks(const LoopOut *k)
{
    const Node *n = k->t->masks;
    text_line(k->e->out, "snl_masks_drop(self->trees[%d], %d, args.masks, %s);", n->layout->id,
              n->id - 1, k->listed ? "iterations" : "1");
}

/* What the loop uses of the kernel. Waiting for a GPU ends the copies that it has. */
static void
pack_captures(LoopOut *k)
{
    Emit *e = k->e;
    for (int i = 0; i < k->captures.count; i++) {
        const Capture *c = &k->captures.items[i];
        if (is_shared(k, c))
            share(k, c);
        else
            text_line(e->out, "args.%s = %s%s;", c->name, c->by_pointer ? "&" : "", c->outer);
        for (int d = 0; c->var->type->kind == TYPE_EXTERN && d < c->var->type->dim_count; d++)
            text_line(e->out, "args.%s_n%d = %s_n%d;", c->name, d, c->outer, d);
    }
}

/* May the body of the loop, or a sum of it, have recorded an error? */
static bool
may_have_failed(const LoopOut *k)
{
    for (int i = 0; i < k->reduction_count; i++)
        if (k->reductions[i].checked)
            return true;
    return k->may_fail;
}

/* How many lanes the loop has at most: fewer where each block of few gives large results, which the
 * CPU joins. */
static const char *
lanes_most(const LoopOut *k)
{
    enum { LANES = 1 << 18 /* SNL_GPU_LANES */, RESULT_BYTES = 32 << 20 };
    int part = 1;
    if (!k->reduction_count && !k->t->scatter.count && !gpu_sync_activates(k))
        return "SNL_GPU_LANES_FREE";
    while (k->reduction_count && LANES / part / k->lanes * k->reduction_bytes > RESULT_BYTES)
        part *= 2;
    return part == 1 ? "SNL_GPU_LANES"
                     : arena_printf(k->e->c->arena, "SNL_GPU_LANES / %d", part);
}

static void
run_on_gpu(LoopOut *k)
{
    Emit *e = k->e;
    k->needs = gpu_sync_needs(k);
    text_open(e->out, "{");
    pack_args(k);
    if (!is_queued(k))
        text_line(e->out, "const int64_t iterations = %s;", iteration_count(k));
    update_inner_lists(k);
    gpu_sync_prepare(k);
    pack_captures(k);
    const char *work =
        arena_printf(e->c->arena, "%s, %d, %s", k->tiled ? "SNL_EACH_BLOCK" : "SNL_EACH_LANE",
                     k->lanes, lanes_most(k));
    if (k->reduction_count)
        text_line(e->out, "const int64_t chunks = snl_gpu_blocks(%s, iterations);", work);
    reductions_arrays(e, k->reductions, k->reduction_count);
    if (is_queued(k))
        text_line(e->out, "snl_gpu_for_list<%s, %s>(&self->rt, self->trees[%d], %d, %s, args);",
                  k->function, work, k->listed->layout->id, k->listed->id - 1,
                  k->flat ? cell_loops_below(k) : "1");
    else
        text_line(e->out, "snl_gpu_for<%s, %s>(&self->rt, iterations, args);", k->function, work);
    if (k->reduction_count) {
        text_line(e->out, "snl_gpu_finish(&self->rt);");
        stmt_check(e); /* without memory there are no results */
    }
    reductions_combine(e, k->reductions, k->reduction_count);
    take_back(k);
    text_close(e->out, "}");
    e->fn.waited = false;
    if (may_have_failed(k)) {
        gpu_sync_wait(e, e->out);
        activity_place_error(e, k->t->span);
    } else if (k->listed)
        stmt_check(e);
}

Scalar
launch_scatter_scalar(const Node *n)
{
    while (!n->places.count)
        n = n->children.items[0];
    return type_leaf(n->places.items[0].type, 0, NULL);
}

/* Copies for what the threads add to. */
static void
begin_scatter(LoopOut *k, int64_t known, const char *inner)
{
    Emit *e = k->e;
    const Nodes *tops = &k->t->scatter;
    if (!tops->count)
        return;
    text_open(e->out, "const SnlScatterArray arrays[] = {");
    for (int i = 0; i < tops->count; i++) {
        const Node *n = tops->items[i];
        const char *tree = arena_printf(e->c->arena, "self->trees[%d]", n->layout->id);
        const char *blocks = n->kind == NODE_POINTER
                                 ? arena_printf(e->c->arena, "%s, %d", tree, n->id - 1)
                                 : "NULL, 0";
        text_line(e->out, "{%s->root[%d], %s->nodes[%d].desc.container_bytes, %s, %s},", tree,
                  n->id - 1, tree, n->id - 1, scalar_tag(launch_scatter_scalar(n)), blocks);
    }
    text_close(e->out, "};");
    text_line(
        e->out,
        "args.apart = snl_scatter_begin(&self->rt, arrays, %d, %lld.0 * (double)iterations%s%s%s);",
        tops->count, (long long)(known * k->t->updates), inner ? " * (double)(" : "",
        inner ? inner : "", inner ? ")" : "");
}

/* The same as CHUNK_WORK for loops that are vectorised. */
enum { VECTOR_CHUNK_WORK = 64 * CHUNK_WORK, STRIP = 32 /* SNL_STRIP */ };

/* Does the kernel run the loop itself? Where memory is asked for, the runtime has to know of the
 * loop. */
static bool
runs_itself(const LoopOut *k)
{
    return k->t->tiny && !k->may_fail;
}

/* Does the loop go over so many cells as the C says, in order? */
static bool
has_constant_count(LoopOut *k)
{
    return k->t->kind == TASK_STRUCT_FOR && loop_bound_is_number(iteration_count(k));
}

/* Runs a tiny loop. Where it will be vectors it is a function of its own, of all iterations, that
 * calls nothing: in the kernel, which calls the runtime, C compilers would align the stack for
 * vectors in memory, of which there are none, and that takes longer than the loop. */
static void
run_tiny(LoopOut *k)
{
    Emit *e = k->e;
    if (k->t->simd && !k->reduction_count && has_constant_count(k)) {
        const char *whole = arena_printf(e->c->arena, "%s_whole", k->function);
        text_line(&e->code, "SNL_SELDOM void");
        text_line(&e->code, "%s(void *args)", whole);
        text_open(&e->code, "{");
        text_line(&e->code, "%s(args, 0, 0, %s);", k->function, iteration_count(k));
        text_close(&e->code, "}");
        text_newline(&e->code);
        text_line(e->out, "snl_whole_for(&self->rt, iterations, %s, %s, &args);", k->function,
                  whole);
        return;
    }
    text_line(e->out, "snl_tiny_for(&self->rt, iterations, %s, &args);", k->function);
}

/* How many chunks there are; tiny loops are one. */
static void
count_chunks(LoopOut *k, int64_t known, const char *inner)
{
    Emit *e = k->e;
    /* sums depend on the number of chunks, time alone shall not change them */
    bool vectors = (k->t->simd || k->t->columns) && !k->reduction_count && !e->o->gpu;
    int64_t least = (vectors ? VECTOR_CHUNK_WORK : CHUNK_WORK) / (k->work + 1) + 1;
    if (k->t->columns && least < STRIP)
        least = STRIP;
    const char *count = vectors ? "snl_even_chunk_count" : "snl_chunk_count";
    if (runs_itself(k) && !k->reduction_count)
        return;
    if (k->t->tiny)
        text_line(e->out, "const int64_t chunks = 1;");
    else if (k->t->columns && vectors && k->t->vars.count == 1)
        text_line(e->out,
                  "const int64_t chunks = snl_column_chunk_count(&self->rt, iterations, %lld);",
                  (long long)least);
    else if (inner)
        text_line(e->out, "const int64_t chunks = %s(iterations, 1 + %lld / (1 + %s));", count,
                  (long long)(least / known), inner);
    else
        text_line(e->out, "const int64_t chunks = %s(iterations, %lld);", count,
                  (long long)(known > 1 ? 1 + least / (1 + known) : least));
}

/* The number of the first iteration of a loop over one range along arrays; NULL: 0. */
static const char *
first_number(LoopOut *k)
{
    const Task *t = k->t;
    if (t->kind != TASK_RANGE_FOR || t->vars.count != 1 || !t->simd || task_last_index(t) != 0)
        return NULL;
    const Inst *from = t->from.items[0];
    if (from->kind != INST_CONST)
        return "args.from0";
    const Leaf first = from->value.leaves[0];
    return first.i ? scalar_constant(k->e, SCALAR_I64, first) : NULL;
}

static void
run_loop(LoopOut *k)
{
    Emit *e = k->e;
    int64_t known;
    const char *inner = inner_count(k, &known);
    text_open(e->out, "{");
    update_inner_lists(k);
    pack_args(k);
    pack_captures(k);
    reductions_arrays(e, k->reductions, k->reduction_count);
    if (k->t->masks)
        copy_masks(k);
    text_line(e->out, k->t->masks ? "const int64_t iterations = args.masks ? %s : 0;"
                                      : "const int64_t iterations = %s;",
              iteration_count(k));
    count_chunks(k, known, inner);
    const char *function = k->function, *first = first_number(k);
    if (k->placed) {
        const Node *n = k->placed->node;
        text_line(e->out,
                  "args.first = snl_dynamic_reserve(self->trees[%d], %d, "
                  "self->trees[%d]->root[%d], iterations);",
                  n->layout->id, n->id - 1, n->layout->id, n->id - 1);
        function = arena_printf(e->c->arena, "args.first < 0 ? %s : %s_placed", function, function);
    }
    if (reorder_has_version(k->t))
        function =
            arena_printf(e->c->arena, "args.order.of ? %s_ordered : %s", function, function);
    if (k->owned) {
        const Node *n = k->owned->node->parent;
        text_line(e->out, "const int64_t owners = snl_owner_count(&self->rt, chunks);");
        text_line(e->out, "if (owners > 1)");
        text_line(e->out, "    snl_parallel_for(&self->rt, %lld, owners, %s_owned, &args);",
                  (long long)n->cell_count, function);
        text_line(e->out, "else");
        e->out->indent++;
    }
    if (k->t->order)
        reorder_begin(k);
    begin_scatter(k, known, inner);
    if (k->t->packed)
        text_line(e->out, "args.lined = snl_line_up(self->trees[%d], %d);",
                  k->t->packed->layout->id, k->t->packed->id - 1);
    if (runs_itself(k))
        run_tiny(k);
    else if (function != k->function)
        text_line(e->out,
                  "snl_parallel_for_named(&self->rt, 0, iterations, chunks, %s, &args, \"%s\");",
                  function, k->function);
    else if (first)
        text_line(e->out, "snl_parallel_for_from(&self->rt, %s, iterations, chunks, %s, &args);",
                  first, function);
    else
        text_line(e->out, "snl_parallel_for(&self->rt, iterations, chunks, %s, &args);", function);
    if (k->t->scatter.count)
        text_line(e->out, "snl_scatter_end(&self->rt, args.apart);");
    if (k->t->order)
        text_line(e->out, "snl_order_end(&self->rt, &args.order);");
    if (k->t->packed)
        text_line(e->out, "snl_line_end(&self->rt, args.lined);");
    if (k->owned)
        e->out->indent--;
    if (k->t->masks)
        drop_masks(k);
    reductions_combine(e, k->reductions, k->reduction_count);
    text_close(e->out, "}");
    if (may_have_failed(k) || k->listed || k->t->masks)
        activity_place_error(e, k->t->span);
}

void
launch_loop(LoopOut *k)
{
    stmt_line_of_none(k->e);
    if (k->e->o->gpu)
        run_on_gpu(k);
    else
        run_loop(k);
}
