/* What C compilers are told of parallel loops, whose iterations depend on nothing of each other:
 *   lanes  floats are accumulated in several places at once, by the number of the iteration in the
 *          innermost loop, so that neither compilers nor processors wait for one sum after another.
 *          The order is the same on every machine.
 *   quads  keeps vectors of three or four f32 in one register each, where loops read or add to such
 *          at computed indices and compute with little else (pass_quads.c).
 *   gather allows elements at indices that are computed, which vectors are gathered of one by one,
 *          where there is so much arithmetic that this is the smaller part. Whole vectors and
 *          matrices are then loaded and stored by component, for C compilers do not make vectors of
 *          structs.
 *   batch  loops that add to elements of arrays, with so much arithmetic, compute what several
 *          iterations add before it is added (pass_batch.c).
 *   simd   the innermost loop may be vectorised whatever memory its pointers name, and across
 *          sequential loops in its body.
 *
 *   $0 = offloaded struct_for(S1dense) {            $0 = offloaded struct_for(S1dense) lanes simd {
 *       <f32> $1 = var i.0                    →         (the same)
 *       ...
 *
 * A loop is `simd` where an iteration is nothing but arithmetic, elements at indices that follow
 * from loop variables, or are gathered, and sequential loops whose bounds are the same for all
 * iterations, and does not reach what it changes by indices of which a C compiler does not know
 * whether they are the same (overlap.h). */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/batch.h"
#include "pass/leaves.h"
#include "pass/overlap.h"
#include "pass/pass.h"
#include "pass/quads.h"
#include "pass/vectors.h"

enum { WORK_LEAST = 4 };   /* operations for each scalar that is gathered */
enum { NUMBERS = 8 };      /* operations that the numbers of cells may take */
enum { PART_OF_QUADS = 2 };  /* operations on vectors of three or four f32 for each other one of
                              * floats */
enum { LEAVES_MOST = 16 }; /* of a variable that is accumulated in lanes: more would not stay in
                            * registers or near */

/* Why a loop is not simple, as -Wperf says it, and what to do about it; NULL: nothing, so nothing
 * is said. */
typedef struct {
    const char *text, *advice;
} Why;

typedef struct {
    Compile *c;
    Ir *ir;
    IrFunc *f;
    const Task *t;
    int *local, loop; /* by variable id: number of the last loop whose body declares it; number of
                       * this one */
    int vars, ids;  /* variables of the function that were counted, room for their ids */
    Indices *indices; /* of the function; NULL: not needed yet */
    int quads, others, rows; /* operations on components of such vectors, and on other floats; those
                              * at computed indices */
    int gathered, work;     /* scalars at computed indices, and operations on scalars */
    bool odd;               /* what is gathered is written, or it is not only read */
    bool fails, simple;
    const Why *why;     /* it is not simple: the first reason */
    Span where;         /* of that */
} Look;

static void
not_simple(Look *k, const Inst *i, const Why *why)
{
    /* where nothing can be done about one reason, others do not matter */
    if (k->simple || !why->advice) {
        k->why = why;
        k->where = i->span;
    }
    k->simple = false;
}

static bool
is_local(const Look *k, const Var *v)
{
    return k->local[v->id] == k->loop;
}

static void
note_local(Inst *i, void *arg)
{
    Look *k = arg;
    if (i->kind == INST_STORE && i->declares)
        k->local[i->args.items[0]->var->id] = k->loop;
    for (int v = 0; i->kind == INST_FOR && v < i->vars.count; v++)
        k->local[i->vars.items[v]->id] = k->loop;
    k->fails |= inst_may_fail(i);
    if (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE)
        k->fails |= ir_func(k->ir, i->func)->may_fail;
}

/* Does the value follow from what all iterations share? */
static bool
is_uniform(const Look *k, const Inst *i)
{
    if (i->kind == INST_LOAD) {
        const Inst *place = i->args.items[0];
        return place->kind == INST_VAR && !is_local(k, place->var) &&
               !task_has_var(k->t, place->var);
    }
    if (inst_info(i->kind)->effects != 'P')
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!is_uniform(k, i->args.items[a]))
            return false;
    return true;
}

static const Indices *
known_indices(Look *k)
{
    if (!k->indices)
        k->indices = indices_new(k->c, k->f);
    return k->indices;
}

/* Does an index follow from loop variables, without what is read from memory or changes from time
 * to time? */
static bool
is_plain_index(Look *k, const Inst *i)
{
    if (i->kind == INST_LOAD) {
        const Inst *place = i->args.items[0];
        if (place->kind == INST_ELEM && constant_component(place) >= 0)
            place = place->args.items[0];
        if (place->kind != INST_VAR || place->var->kind == VAR_INDEX || !is_local(k, place->var))
            return place->kind == INST_VAR;
        const Inst *value = indices_let(known_indices(k), place->var);
        return value && is_plain_index(k, value);
    }
    if (inst_info(i->kind)->effects != 'P')
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!is_plain_index(k, i->args.items[a]))
            return false;
    return true;
}

static bool
has_plain_indices(Look *k, const Inst *i)
{
    for (int a = 1; a < i->args.count; a++)
        if (!is_plain_index(k, i->args.items[a]))
            return false;
    return true;
}

/* Sequential loops have bounds that all iterations share. */
static bool
is_even(const Look *k, const Inst *loop)
{
    for (int a = 0; a < loop->args.count; a++)
        if (!is_uniform(k, loop->args.items[a]))
            return false;
    return true;
}

/* A store to what other iterations have too. */
static bool
is_shared(const Look *k, const Inst *place)
{
    const Inst *root = inst_place_root(place);
    return root->kind == INST_ROOT_PLACE || (root->kind == INST_VAR && !is_local(k, root->var) &&
                                             root->var->type->kind != TYPE_EXTERN);
}

static void
note_callee(Inst *i, void *arg)
{
    bool *simple = arg;
    switch (i->kind) {
    case INST_LOAD: case INST_STORE:
        *simple &= inst_place_root(i->args.items[0])->kind == INST_VAR;
        break;
    case INST_IF: case INST_LOGIC: case INST_COND: case INST_RETURN:
        break;
    default:
        *simple &= inst_info(i->kind)->effects == 'P';
    }
}

/* A call of a function that is arithmetic alone. */
static bool
is_simple_call(const Look *k, const Inst *call)
{
    const IrFunc *f = call->func->kind == FUNC_DEVICE ? ir_func(k->ir, call->func) : NULL;
    bool simple = f && f->body;
    if (simple)
        block_walk(f->body, note_callee, &simple);
    return simple;
}

/* What keeps a loop from being simple. */
static const Why inactive = {
    "it looks up a cell that may not be active",
    "loop over the cells of a field of that tree: each block is then looked up once"};
static const Why activates = {"it activates cells", NULL};
static const Why indirect = {"an index follows from a value that is read or changes",
                             "index by loop variables, or keep what is used together in one cell"};
static const Why shared = {"it writes what all iterations share",
                           "add it up in a variable of the kernel, or write it after the loop"};
static const Why contended = {
    "several iterations may change this element",
    "loop over the elements that are changed, and read what each is made of"};
static const Why uneven = {"the bounds of this loop differ between iterations",
                           "give it constant bounds, and a condition inside"};
static const Why calls = {"it calls a function that does not become part of it",
                          "one with a single return at its end becomes part of the loop, if it "
                          "calls no other and draws no random numbers"};
static const Why endless = {
    "how often this loop runs differs between iterations",
    "a constant number of rounds that choose values (c ? a : b) can be vectorised"};
static const Why draws = {"it draws random numbers",
                          "draw them in a loop of its own, into a field"};
static const Why library = {"pow of f64 and % of floats are calls of the C library",
                            "exp(y * log(x)) for pow(x, y), x - trunc(x / y) * y for x % y, if the "
                            "last bits do not matter"};
static const Why overlaps = {"it may reach an element that it changes by another index too",
                             "keep the new value in a variable, and use that"};
static const Why fails = {"it may end with an error",
                          "check in a loop of its own, or leave it out with --no-assert"};
static const Why other = {"it does more than arithmetic", NULL};

/* What keeps an instruction from being one of a simple loop; NULL: nothing. */
static const Why *
reason(Look *k, const Inst *i)
{
    switch (i->kind) {
    case INST_LOOKUP:
        if (i->node->kind != NODE_DENSE && i->access != ACCESS_ADDRESS)
            return i->access == ACCESS_ACTIVATE ? &activates : &inactive;
        return has_plain_indices(k, i) || k->t->gathers ||
                       (k->t->batch.count && nodes_have(&k->t->scatter, i->node))
                   ? NULL
                   : &indirect;
    case INST_ELEM:
        return has_plain_indices(k, i) ? NULL : &indirect;
    case INST_STORE:
        return is_shared(k, i->args.items[0]) ? &shared : NULL;
    case INST_ATOMIC:
        if (k->t->batch.count && !i->plain)
            return NULL;
        return !i->plain || is_shared(k, i->args.items[0]) ? &contended : NULL;
    case INST_FOR:
        return is_even(k, i) ? NULL : &uneven;
    case INST_CALL:
        return is_simple_call(k, i) ? NULL : &calls;
    case INST_LOAD: case INST_REDUCE: case INST_LOOP_CELL: case INST_IF: case INST_LOGIC:
    case INST_COND: case INST_CONTINUE:
        return NULL;
    case INST_WHILE: case INST_BREAK:
        return &endless;
    case INST_ACTIVATE: case INST_APPEND: case INST_LOOKUP_HASH:
        return i->kind != INST_LOOKUP_HASH || i->access == ACCESS_ACTIVATE ? &activates : &inactive;
    case INST_RANDOM:
        return &draws;
    default:
        if (vectors_lack(i))
            return &library;
        return inst_may_fail(i) ? &fails : inst_info(i->kind)->effects == 'P' ? NULL : &other;
    }
}

static void
note_simple(Inst *i, void *arg)
{
    Look *k = arg;
    const Why *why = reason(k, i);
    if (why)
        not_simple(k, i, why);
}

/* The loop ends in one of consecutive indices: not in a list of cells. */
static bool
ends_in_range(const Task *t)
{
    return t->kind == TASK_RANGE_FOR ||
           (t->kind == TASK_STRUCT_FOR && t->node && t->node->kind == NODE_DENSE && !t->use_list);
}

/* Room for variables that passes have added. */
static void
count_variables(Look *k)
{
    int ids = k->ids;
    for (; k->vars < k->f->vars.count; k->vars++)
        ids = k->f->vars.items[k->vars]->id >= ids ? k->f->vars.items[k->vars]->id + 1 : ids;
    if (ids <= k->ids)
        return;
    k->ids = 2 * ids;
    k->local = ARENA_ARRAY(k->c->scratch, int, k->ids);
}

static void
look_at_tasks(Look *k, const Tasks *tasks, bool lists, void (*fn)(Look *k, Task *t))
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        look_at_tasks(k, &t->tasks, lists, fn);
        look_at_tasks(k, &t->orelse, lists, fn);
        if (!t->body || t->kind == TASK_SERIAL || ends_in_range(t) == lists)
            continue;
        count_variables(k);
        k->t = t;
        k->loop++;
        k->gathered = k->work = k->quads = k->others = k->rows = 0;
        k->odd = k->fails = false;
        k->simple = true;
        block_walk(t->body, note_local, k);
        fn(k, t);
    }
}

static void
each_loop(Compile *c, Ir *ir, IrFunc *f, void (*fn)(Look *k, Task *t))
{
    Look k = {.c = c, .ir = ir, .f = f};
    look_at_tasks(&k, &f->tasks, false, fn);
}

static void
find_lanes(Look *k, Task *t)
{
    bool floats = false, fits = !k->fails;
    for (int r = 0; r < t->reductions.count; r++) {
        const Type *type = t->reductions.items[r].var->type;
        floats |= type_is_float(type);
        fits &= type->leaf_count <= LEAVES_MOST;
    }
    t->lanes = floats && fits;
}

/* Is the place in a cell of a dense node that has a computed number? */
static bool
is_computed(Look *k, const Inst *place)
{
    for (;;) {
        switch (place->kind) {
        case INST_LOOKUP:
            if (place->node->kind == NODE_DENSE && !has_plain_indices(k, place))
                return true;
            break;
        case INST_ELEM: case INST_MEMBER: case INST_IN_CELL: case INST_CHILD: break;
        default: return false;
        }
        place = place->args.items[0];
    }
}

static void
weigh(Inst *i, void *arg)
{
    Look *k = arg;
    switch (i->kind) {
    case INST_UNARY: case INST_BINARY: case INST_FMA: case INST_CAST: case INST_SELECT:
    case INST_BUILTIN:
        k->work += inst_operations(i);
        break;
    case INST_LOAD:
        if (is_computed(k, i->args.items[0])) {
            const Field *f = place_base(i->args.items[0])->field;
            k->gathered += i->type->leaf_count;
            k->odd |= !f || task_changes(k->t, f);
        }
        break;
    case INST_STORE: case INST_ATOMIC: case INST_ADDRESS:
        k->odd |= is_computed(k, i->args.items[0]);
        break;
    default: break;
    }
}

/* Counts what pass_quads compares. */
static void
weigh_quads(Inst *i, void *arg)
{
    Look *k = arg;
    k->fails |= !quads_fit(i, i->kind == INST_VAR && is_local(k, i->var));
    switch (i->kind) {
    case INST_UNARY: case INST_BINARY: case INST_FMA: case INST_SELECT: case INST_BUILTIN:
        if (quads_are(i->type) && i->op != OP_MATMUL && i->kind != INST_BUILTIN)
            k->quads += i->type->leaf_count;
        else if (type_is_float(i->type))
            k->others += inst_operations(i);
        break;
    case INST_LOAD:
        if (is_computed(k, i->args.items[0])) {
            k->rows += quads_are(i->type);
            k->gathered += quads_are(i->type) ? 0 : i->type->leaf_count;
        }
        break;
    case INST_ATOMIC: k->gathered += !i->plain; break;
    default: break;
    }
}

/* Does another pass say how the loop is written? */
static bool
is_taken(const Task *t)
{
    return t->reductions.count || t->halos.count || t->inside || t->stream || t->rows;
}

static void
find_quads(Look *k, Task *t)
{
    QuadSums sums = {0};
    if (is_taken(t))
        return;
    k->fails = false;   /* errors do no harm */
    block_walk(t->body, weigh_quads, k);
    quads_find_sums(k->c, t, t->body, &sums);
    for (int n = 0; n < sums.count; n++) {
        k->rows++;
        k->gathered -= sums.items[n].count;
    }
    t->quads = !k->fails && k->rows > k->gathered && k->quads >= PART_OF_QUADS * k->others;
    if (!t->quads)
        return;
    quads_join_sums(k->c, k->ir, t->body, &sums);
    gather_share_numbers(k->c, k->ir, k->f, known_indices(k), t);
}

/* A GPU adds four floats side by side at once where they begin at a multiple of 16 bytes, and needs
 * no vectors for that. */
static void
find_sums_of_four(Look *k, Task *t)
{
    QuadSums sums = {0}, four = {0};
    if (t->scatter.count)
        return;
    quads_find_sums(k->c, t, t->body, &sums);
    for (int n = 0; n < sums.count; n++)
        if (sums.items[n].count == 4 && quads_are_aligned(sums.items[n].sums[0]->args.items[0]))
            vec_push(k->c->arena, &four, sums.items[n]);
    if (four.count)
        quads_join_sums(k->c, k->ir, t->body, &four);
}

static void
find_gathers(Look *k, Task *t)
{
    if (t->quads)
        return;
    block_walk(t->body, weigh, k);
    t->gathers = k->gathered && !k->odd && k->work >= WORK_LEAST * k->gathered;
    if (t->gathers)
        block_walk(t->body, note_simple, k);
    if (t->gathers && k->simple) {
        leaves_apart(k->c, k->ir, k->f, t->body);
        gather_share_numbers(k->c, k->ir, k->f, known_indices(k), t);
    }
}

/* Do C compilers lack vectors of what lies side by side in the loop's own cells? */
static bool
has_odd_cells(const Task *t)
{
    return t->node && !t->node->children.count && (t->node->cell_bytes & (t->node->cell_bytes - 1));
}

static void
find_batch(Look *k, Task *t)
{
    bool one_loop = t->kind == TASK_RANGE_FOR
                        ? t->vars.count == 1
                        : t->node && !t->node->parent && t->node->axis_count == 1;
    if (!one_loop || is_taken(t) || t->quads || k->fails)
        return;
    if (t->scatter.count)
        batch_find(k->c, known_indices(k), t);
    block_walk(t->body, weigh, k);
    block_walk(t->body, note_simple, k);
    t->batches = k->simple && (t->scatter.count ? k->work >= WORK_LEAST * t->batch.count + NUMBERS
                                                : t->gathers && has_odd_cells(t));
    if (!t->batches) {
        t->batch.count = 0;
        return;
    }
    if (!t->gathers)
        leaves_apart(k->c, k->ir, k->f, t->body);
    batch_share_numbers(k->c, k->ir, k->f, t);
}

/* With -Wperf: why a loop is not simple, if its author may change that and it is not over in a
 * moment. */
static void
say_why(Look *k, const Task *t)
{
    if (k->simple || !k->c->options.perf || !k->why->advice || t->tiny)
        return;
    Diag *d = diag(k->c, W0601, t->span, "this loop is not vectorised: %s", k->why->text);
    diag_note(d, k->where, "here");
    diag_fix(d, "%s", k->why->advice);
}

/* Is a field reached at the last index of the loop alone, which is the one along its rows? */
static bool
is_column(const Task *t, const Field *f)
{
    const Footprints *lists[] = {&t->effects.reads, &t->effects.writes, &t->effects.accumulates};
    const Node *n = f->leaves[0].node;
    if (!f->axis_count || n->kind != NODE_DENSE || n->parent)
        return false;
    const int row = node_axis_rank(n, n->axes[n->axis_count - 1]), last = task_last_index(t);
    for (int k = 0; k < 3; k++) {
        const Footprint *p = footprint_of(lists[k], f);
        if (p && (!p->own[row] || p->var[row] != last || p->offset_min[row] ||
                  p->offset_max[row]))
            return false;
    }
    return true;
}

/* Is everything that the loop changes? */
static bool
has_columns(const Task *t)
{
    const Footprints *lists[] = {&t->effects.writes, &t->effects.accumulates};
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < lists[k]->count; n++)
            if (!is_column(t, lists[k]->items[n].field))
                return false;
    return true;
}

static void
find_simd(Look *k, Task *t)
{
    if (t->quads)
        return;
    block_walk(t->body, note_simple, k);
    const Inst *overlap = k->simple ? overlap_find(k->c, known_indices(k), t) : NULL;
    t->columns = overlap && !k->fails && task_is_plain(t) && has_columns(t);
    if (overlap && !t->columns)
        not_simple(k, overlap, &overlaps);
    t->simd = k->simple && !t->columns && !k->fails && (t->lanes || !t->reductions.count);
    say_why(k, t);
}

/* Loops that end in a list of cells or in a mask are not told to C compilers, but what keeps them
 * slow is the same. */
static void
look_at_list(Look *k, Task *t)
{
    if (!t->goes_abreast && !t->rows) {
        block_walk(t->body, note_simple, k);
        say_why(k, t);
    }
}

void
pass_quads(Compile *c, Ir *ir, IrFunc *f)
{
    each_loop(c, ir, f, c->options.gpu ? find_sums_of_four : find_quads);
}

void
pass_lanes(Compile *c, Ir *ir, IrFunc *f)
{
    each_loop(c, ir, f, find_lanes);
}

void
pass_gather(Compile *c, Ir *ir, IrFunc *f)
{
    if (!c->options.gpu)
        each_loop(c, ir, f, find_gathers);
}

void
pass_batch(Compile *c, Ir *ir, IrFunc *f)
{
    if (!c->options.gpu)
        each_loop(c, ir, f, find_batch);
}

void
pass_simd(Compile *c, Ir *ir, IrFunc *f)
{
    each_loop(c, ir, f, find_simd);
    Look k = {.c = c, .ir = ir, .f = f};
    if (c->options.perf)
        look_at_tasks(&k, &f->tasks, true, look_at_list);
}
