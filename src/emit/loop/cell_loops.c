/* Parallel loops over cells: writes the body of the function of such a loop, by its kind of nest.
 */
#include "config.h"

#include "emit/loop/parallel.h"

/* Row-major number of the coordinates within the extents of the node, offset removed. */
static const char *
cell_number(LoopOut *k)
{
    Emit *e = k->e;
    const Node *n = k->t->node;
    const char *text = "0";
    int rank = 0;
    for (int a = 0; a < AXIS_MAX; a++) {
        if (!(n->path_axes & 1 << a))
            continue;
        const char *name = e->fn.var_text[k->t->vars.items[rank]->id];
        const long long first = (long long)node_first(n, a);
        const char *extent =
            n->coord_extent[a] ? arena_printf(e->c->arena, "%lld", (long long)n->coord_extent[a])
                               : arena_printf(e->c->arena, "self->trees[%d]->nodes[%d].extent[%d]",
                                              n->layout->id, n->id - 1, a);
        const char *digit = first ? arena_printf(e->c->arena, "(%s - (%lld))", name, first) : name;
        text = rank ? arena_printf(e->c->arena, "(%s) * %s + %s", text, extent, digit) : digit;
        rank++;
    }
    return text;
}

void
cell_loops_body(LoopOut *k)
{
    parallel_start_iteration(k, cell_number(k));
    stmt_write(k->e, k->body);
}

/* The loop along the last axis of blocks: where all neighbours lie in the block, a loop of its own
 * that C compilers can vectorise. */
static void
rim_and_inside(LoopOut *k)
{
    Emit *e = k->e;
    Nest *nest = &k->nest;
    const Node *n = nest->to;
    int last = nest->count - 1, axis = n->axes[n->axis_count - 1];
    nest_open_outer(e, nest, 1);
    const char *test = neighbour_index_outer_test(e, nest), *begin = name_new(e, "begin"),
               *d = nest_digit(e, nest, last);
    long long size = (long long)n->sizes[n->axis_count - 1], low = (long long)nest->reach_low[axis],
              high = size - (long long)nest->reach_high[axis];
    if (test)
        text_line(e->out, "const int64_t %s = %s ? %lld : -1;    /* inside of the block */", begin,
                  test, low);
    else
        text_line(e->out, "const int64_t %s = %lld;    /* inside of the block */", begin, low);
    text_open(e->out, "for (int64_t %s = 0; %s < %lld; %s++) {", d, d, size, d);
    e->par.lane = arena_printf(e->c->arena, "%s %% SNL_LANES", d);
    e->par.lanes = e->par.simd = false;
    nest->digit[last] = d;
    nest->opened++;
    Nest saved = nest_copy(e, nest);
    CellAt *cells = e->fn.cells;
    text_open(e->out, "if (%s == %s) {", d, begin);
    text_open(e->out, "for (; %s < %lld; %s++) {", d, high, d);
    e->par.inside_block = true;
    nest_open(e, nest);
    cell_loops_body(k);
    e->par.inside_block = false;
    text_close(e->out, "}");
    if (high == size)
        text_line(e->out, "break;");
    text_close(e->out, "}");
    *nest = saved;
    e->fn.cells = cells;
    const Var *v = nest->vars[nest->node[last]->axes[nest->axis_at[last]]];
    if (d != e->fn.var_text[v->id]) /* each of the two has its own */
        e->fn.var_text[v->id] = name_new(e, v->name);
    nest_open(e, nest);
    cell_loops_body(k);
    nest_close(e, nest);
}

bool
cell_loops_of_one_list(const LoopOut *k)
{
    const Node *n = k->t->kind == TASK_STRUCT_FOR ? k->t->node : NULL;
    return n && !k->listed && n->kind == NODE_DYNAMIC && !n->parent;
}

/* How the cells of a word are gone through. */
typedef enum { WORD_FULL, WORD_DENSE, WORD_BITS } WordWay;

/* The loop over the cells of a word in one way; the nest is as before after it. */
static void
word_loop(LoopOut *k, WordWay way)
{
    Emit *e = k->e;
    Nest *nest = &k->nest;
    const Node *n = nest->to;
    const int level = nest->count - n->axis_count;
    const Nest saved = nest_copy(e, nest);
    CellAt *cells = e->fn.cells;
    nest->opened = 0;
    switch (way) {
    case WORD_FULL: mask_loops_open_full(e, nest, level); break;
    case WORD_DENSE: mask_vector_open(e, k->t, nest, level); break;
    case WORD_BITS: mask_loops_open_bits(e, nest, level); break;
    }
    cell_loops_body(k);
    loop_close(e, nest->opened);
    *nest = saved;
    e->fn.cells = cells;
    if (way == WORD_DENSE)
        mask_vector_close(e, nest);
    for (int v = 0; v < n->axis_count; v++) { /* each has its own */
        const Var *var = nest->vars[n->axes[v]];
        e->fn.var_text[var->id] = name_new(e, var->name);
    }
}

/* Are loops for all cells of a word short enough to be written as well? Sums want lanes. */
static bool
has_full_words(const LoopOut *k)
{
    enum { WEIGHT_MOST = 60 };
    return mask_loops_may_be_full(k->nest.to) && k->weight < WEIGHT_MOST && !k->t->lanes;
}

static bool
has_dense_words(const LoopOut *k)
{
    enum { WEIGHT_MOST = 400 };
    return k->t->words && k->weight < WEIGHT_MOST;
}

static bool
goes_by_words(const LoopOut *k)
{
    const int level = k->nest.count - k->nest.to->axis_count;
    return level >= 0 && mask_loops_in_words(&k->nest, level) &&
           (has_full_words(k) || has_dense_words(k));
}

/* Bitmasked cells, with loops of their own for words of ones, and for those that are computed as a
 * whole. */
static void
words_body(LoopOut *k)
{
    Emit *e = k->e;
    Nest *nest = &k->nest;
    const int level = nest->count - nest->to->axis_count;
    const bool dense = has_dense_words(k);
    nest_open_outer(e, nest, nest->to->axis_count);
    mask_loops_open_words(e, nest, level);
    if (k->t->ahead_words)
        mask_vector_prefetch(e, nest, level);
    if (has_full_words(k)) {
        text_open(e->out, "if (%s) {",
                  dense ? mask_vector_full_test(e, k->t, nest)
                        : mask_loops_full_test(e, nest, level));
        word_loop(k, WORD_FULL);
        e->out->indent--;
    }
    if (dense) {
        text_open(e->out, has_full_words(k) ? "} else if (%s) {" : "if (%s) {",
                  mask_vector_dense_test(e, k->t, nest));
        word_loop(k, WORD_DENSE);
        e->out->indent--;
    }
    text_open(e->out, "} else {");
    word_loop(k, WORD_BITS);
    nest->opened++;
    nest_close(e, nest);
}

/* Where neighbours are read by rows, which block each is in depends on the loop around the
 * innermost one. */
static bool
unrolls(const LoopOut *k)
{
    enum { LOOPS_MOST = 8, WEIGHT_MOST = 200 };
    const Node *n = k->nest.to;
    bool by_rows = false;
    for (int i = 0; i < k->t->halos.count; i++)
        by_rows |= k->t->halos.items[i]->by_rows;
    return by_rows && n->axis_count > 1 && n->sizes[n->axis_count - 2] <= LOOPS_MOST &&
           k->weight < WEIGHT_MOST;
}

/* A bound of the cells that the loop visits, as an operand. */
static const char *
bound_text(LoopOut *k, const Inst *bound, const char *member, int v)
{
    Emit *e = k->e;
    if (bound->kind == INST_CONST)
        return scalar_constant(e, SCALAR_I64, bound->value.leaves[0]);
    const char *name = name_new(
        e, arena_printf(e->c->arena, "%s_%s", k->t->vars.items[v]->name, member));
    declarations_add(e, name,
                 arena_printf(e->c->arena, "const int64_t %s = in->%s%d;", name, member, v));
    return name;
}

/* Which cells are left out, along each axis. */
static void
find_bounds(LoopOut *k)
{
    const int64_t most = (int64_t)1 << 60;  /* elements along an axis */
    const Task *t = k->t;
    const Node *n = t->node;
    for (int a = 0, v = 0; a < AXIS_MAX && task_is_bounded(t); a++) {
        if (!(n->path_axes & 1 << a))
            continue;
        const Inst *from = t->from.items[v], *to = t->to.items[v];
        const int64_t first = node_first(n, a);
        if (from->kind != INST_CONST || from->value.leaves[0].i > first)
            k->nest.low[a] = bound_text(k, from, "from", v);
        if (to->kind != INST_CONST || to->value.leaves[0].i < (n->coord_extent[a]
                                                                    ? first + n->coord_extent[a]
                                                                    : most))
            k->nest.high[a] = bound_text(k, to, "to", v);
        v++;
    }
}

/* May it leave out cells of a row? */
static bool
leaves_out_in_rows(LoopOut *k)
{
    return task_is_bounded(k->t) && nest_row_test(k->e, &k->nest, "0");
}

/* The rows of a block, whose copies are there. */
static void
copied_rows(LoopOut *k)
{
    nest_open_outer(k->e, &k->nest, 1);
    stage_rows(k->e, k->t, &k->nest);
    if (k->t->inside || leaves_out_in_rows(k)) {
        partition_row(k);
    } else {
        nest_open(k->e, &k->nest);
        cell_loops_body(k);
    }
}

/* The same in two versions, where there is one for fast floats. */
static void
versions_of_rows(LoopOut *k)
{
    Emit *e = k->e;
    const char *test = version_floats_copies_test(e, k->t);
    if (!test) {
        copied_rows(k);
        return;
    }
    const Nest nest = nest_copy(e, &k->nest);
    const ParState par = e->par;
    CellAt *const cells = e->fn.cells;
    const int opened = k->nest.opened;
    text_open(e->out, "if (%s) {", test);
    for (int fast = 1; fast >= 0; fast--) {
        k->nest = nest_copy(e, &nest);
        k->nest.opened = 0;
        e->par = par;
        e->par.fast_floats = fast;
        e->fn.cells = cells;
        copied_rows(k);
        loop_close(e, k->nest.opened);
        if (fast) {
            e->out->indent--;
            text_open(e->out, "} else {");
        }
    }
    text_close(e->out, "}");
    k->nest.opened = opened;
}

static void
nest_body(LoopOut *k)
{
    find_bounds(k);
    k->e->par.nest = &k->nest;
    k->e->par.nest_body = k->t->body;
    k->nest.ahead_lists = k->t->ahead_lists;
    neighbour_index_reach(k->e, &k->nest, k->t->body);
    if (k->t->ahead_in_array) {
        nest_open_outer(k->e, &k->nest, k->nest.to->axis_count);
        prefetch_in_array(k->e, k->t, &k->nest);
        if (!k->t->halos.count)
            prefetch_rows(k->e, k->t, &k->nest);
    }
    if (k->tiled) {
        gpu_tiles_body(k);
    } else if (task_is_by_blocks(k->t)) {
        nest_open_outer(k->e, &k->nest, k->nest.to->axis_count);
        prefetch_in_mask(k->e, k->t, &k->nest);
        stage_halo_make(k->e, k->t, &k->nest);
        stage_scaled_open_parts(k->e, k->t, &k->nest);
        stage_scaled_make(k->e, k->t, &k->nest);
        k->nest.unrolls = unrolls(k);
        if (k->t->halos.count)
            prefetch_rows(k->e, k->t, &k->nest);
        versions_of_rows(k);
        nest_close(k->e, &k->nest);
    } else if (k->t->inside && k->nest.count > k->flat) {
        int last = k->nest.count - 1;
        nest_open_outer(k->e, &k->nest, 1);
        partition_cells(k, nest_digit(k->e, &k->nest, last), "0", nest_size(k->e, &k->nest, last));
        nest_close(k->e, &k->nest);
    } else if (leaves_out_in_rows(k) && k->nest.count > k->flat) {
        nest_open_outer(k->e, &k->nest, 1);
        partition_row(k);
        nest_close(k->e, &k->nest);
    } else if (!k->nest.masks && neighbour_index_has_rim(&k->nest) && k->nest.count > k->flat) {
        rim_and_inside(k);
    } else if (goes_by_words(k)) {
        words_body(k);
    } else {
        nest_open(k->e, &k->nest);
        cell_loops_body(k);
        nest_close(k->e, &k->nest);
    }
    k->e->par.nest = NULL;
}

const char *
cell_loops_below(LoopOut *k)
{
    Arena *a = k->e->c->arena;
    const char *text = NULL;
    int64_t known = 1;
    for (int l = 0; l == 0 || l < k->flat; l++) {
        const int64_t size = k->nest.node[l]->sizes[k->nest.axis_at[l]];
        const char *factor = nest_size(k->e, &k->nest, l);
        if (size)
            known *= size;
        else
            text = text ? arena_printf(a, "%s * %s", text, factor) : factor;
    }
    const char *number = arena_printf(a, "%lld", (long long)known);
    return !text ? number : known == 1 ? text : arena_printf(a, "%s * %s", text, number);
}

/* The indices of the outermost levels from the number that they make together. Levels of one cell
 * take nothing from it: gcc's sanitizer for overflows needs twice the time for each division of a
 * quotient. */
static void
indices_of_number(LoopOut *k, const char *number)
{
    Emit *e = k->e;
    Arena *a = e->c->arena;
    Nest *nest = &k->nest;
    const char *rest = number;
    for (int l = k->flat - 1; l > 0; l--) {
        const char *size = nest_size(e, nest, l), *part = "0";
        if (nest->node[l]->sizes[nest->axis_at[l]] != 1)
            part = stage_halo_next_index(e, &rest, size, false);
        nest->digit[l] = nest_digit(e, nest, l);
        declarations_maybe(e, nest->digit[l],
                   arena_printf(a, "const int64_t %s = %s;", nest->digit[l], part));
    }
    nest->digit[0] = k->flat == 1 ? number : nest_digit(e, nest, 0);
    if (k->flat > 1)
        declarations_maybe(e, nest->digit[0],
                   arena_printf(a, "const int64_t %s = %s;", nest->digit[0], rest));
}

/* Blocks of other trees, each once. */
static void
look_up_blocks(LoopOut *k)
{
    if (!k->t->entry)
        return;
    k->e->par.nest = &k->nest;
    stmt_write(k->e, k->t->entry);
    stmt_line_of_none(k->e);
    k->e->par.nest = NULL;
}

/* The copy of the mask in a cell of the list. */
static void
masks_of_entry(LoopOut *k, const char *n)
{
    const int64_t words = mask_loops_words(k->t->masks);
    const char *name = k->nest.masks = name_new(k->e, "masks");
    text_line(k->e->out, "const uint64_t *const %s = &in->masks[%s * %lld];", name, n,
              (long long)words);
}

/* A list has an entry for each active cell of a node; the loop goes on below it. */
static void
listed_body(LoopOut *k)
{
    Emit *e = k->e;
    Nest *nest = &k->nest;
    const char *n = name_new(e, k->tiled ? "tile" : "n"), *at = n;
    text_open(e->out, "for (int64_t %s = from; %s < to; %s) {", n, n,
              parallel_next_iteration(k, n));
    parallel_stop_when_failed(k);
    if (k->flat) { /* on a GPU: a lane, or a block of them, for each cell below */
        const char *inside = name_new(e, "below"), *below = cell_loops_below(k);
        at = name_new(e, "entry");
        declarations_maybe(
            e, at,
            arena_printf(e->c->arena, "const uint64_t %s = (uint64_t)%s / (%s);", at, n, below));
        declarations_maybe(e, inside,
                   arena_printf(e->c->arena, "const uint64_t %s = (uint64_t)%s %% (%s);", inside, n,
                                below));
        indices_of_number(k, inside);
    }
    nest_from_entry(e, nest, arena_printf(e->c->arena, "in->entries[%s]", at));
    const char *c = name_new(e, arena_printf(e->c->arena, "cell_%d", k->listed->id)),
               *type = type_cell(e, k->listed);
    declarations_maybe(
        e, c,
        arena_printf(e->c->arena, "%s *const %s = (%s *)in->entries[%s].cell;", type, c, type, at));
    CellAt here = {
        .outer = e->fn.cells, .node = k->listed, .text = arena_printf(e->c->arena, "(*%s)", c)};
    e->fn.cells = &here;
    prefetch_block(e, k->t, nest, n);
    look_up_blocks(k);
    if (k->t->masks)
        masks_of_entry(k, n);
    nest_body(k);
    e->fn.cells = here.outer;
    text_close(e->out, "}");
}

/* On a GPU a loop over the outermost levels; by numbers of 32 bits where these are enough, whose
 * division is cheap. */
static void
iterations_body(LoopOut *k)
{
    Emit *e = k->e;
    int64_t count = 1;
    if (k->box[0]) {
        nest_body(k);
        return;
    }
    for (int l = 0; l < k->flat && count; l++) {
        int64_t size = k->nest.node[l]->sizes[k->nest.axis_at[l]];
        count = size < INT32_MAX && count * size < INT32_MAX ? count * size : 0;
    }
    const char *n =
                   k->flat == 1 ? nest_digit(e, &k->nest, 0) : name_new(e, k->tiled ? "tile" : "n"),
               *type = count && k->flat > 1 ? "uint32_t" : "int64_t";
    const char *cast = count && k->flat > 1 ? "(uint32_t)" : "";
    text_open(e->out, "for (%s %s = %sfrom; %s < %sto; %s += %sstep) {", type, n, cast, n, cast, n,
              cast);
    parallel_stop_when_failed(k);
    indices_of_number(k, n);
    nest_body(k);
    text_close(e->out, "}");
}

/* The outermost levels, which make one loop. */
static void
outer_cells(LoopOut *k, const char *from, const char *to)
{
    Emit *e = k->e;
    const char *n = k->flat == 1 ? nest_digit(e, &k->nest, 0) : name_new(e, "n");
    int loops = 1;
    if (k->flat == k->nest.count)
        loops = loop_open_inner(e, n, NULL, from, to, 0);
    else
        text_open(e->out, "for (int64_t %s = %s; %s < %s; %s++) {", n, from, n, to, n);
    parallel_stop_when_failed(k);
    indices_of_number(k, n);
    nest_body(k);
    loop_close(e, loops);
}

/* The cells of a list at the top: an iteration is a chunk, on a GPU a place for a cell of one. */
static void
one_list(LoopOut *k)
{
    Emit *e = k->e;
    const char *part = name_new(e, e->o->gpu ? "place" : "part");
    const long long chunk = k->t->node->chunk;
    text_open(e->out, "for (int64_t %s = from; %s < to; %s) {", part, part,
              parallel_next_iteration(k, part));
    parallel_stop_when_failed(k);
    k->nest.list_begin = name_new(e, arena_printf(e->c->arena, "begin_%d", k->t->node->id));
    text_line(e->out, "const int64_t %s = %s%s * %lld;", k->nest.list_begin, part,
              e->o->gpu ? arena_printf(e->c->arena, " / %lld", chunk) : "", chunk);
    if (e->o->gpu)
        k->nest.list_place = arena_printf(e->c->arena, "%s - %s", part, k->nest.list_begin);
    nest_body(k);
    text_close(e->out, "}");
}

void
cell_loops(LoopOut *k)
{
    Emit *e = k->e;
    if (!k->t->node) {
        text_open(e->out, "for (int64_t n = from; n < to; %s) {", parallel_next_iteration(k, "n"));
        parallel_start_iteration(k, "n");
        stmt_write(e, k->t->body);
        text_close(e->out, "}");
        return;
    }
    if (k->listed) {
        listed_body(k);
        return;
    }
    if (cell_loops_of_one_list(k)) {
        one_list(k);
        return;
    }
    if (k->one_mask) {
        k->nest.word_number = name_new(e, "word");
        text_open(e->out, "for (int64_t %s = from; %s < to; %s) {", k->nest.word_number,
                  k->nest.word_number, parallel_next_iteration(k, k->nest.word_number));
        k->nest.masks = k->t->masks ? "in->masks" : NULL;
        parallel_stop_when_failed(k);
        nest_body(k);
        text_close(e->out, "}");
        return;
    }
    if (e->o->gpu) {
        iterations_body(k);
        return;
    }
    /* each thread goes through all */
    const char *from = e->par.owning ? "0" : "from",
               *to = e->par.owning ? nest_size(e, &k->nest, 0) : "to";
    if (k->t->inside && k->nest.count == 1)
        partition_cells(k, nest_digit(e, &k->nest, 0), "from", "to");
    else if (k->t->fetches && !k->t->order)
        prefetch_indirect_strips(k, from, to, outer_cells);
    else if (k->flat == k->nest.count && strip_tails_go_first(k))
        strip_tails_then_rest(k, from, to, outer_cells);
    else
        outer_cells(k, from, to);
}
