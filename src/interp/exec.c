/* Execution of statements. Parallel loops run one iteration after another. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"

/* ---- assignment ---- */

static void
exec_assign(Interp *in, const TStmt *s)
{
    int n = s->target->type->leaf_count;
    Leaf *v = interp_take(in, s->value->type->leaf_count > n ? s->value->type->leaf_count : n),
         *old = interp_take(in, n);
    Where where;
    eval(in, s->value, v);
    if (s->is_reduction && (s->op == OP_ADD || s->op == OP_SUB) &&
        sums_add(in, s->target, v, s->op == OP_SUB))
        return;
    place_find(in, s->target, USE_WRITE, &where);
    if (s->op != OP_NONE) {
        place_load(in, &where, old, s->span);
        for (int i = 0; i < n; i++)
            v[i] = eval_operation(in, s->span, s->op, s->target->type->scalar, old[i], v[i],
                                  s->value->type->scalar);
    }
    if (!s->is_atomic && !s->is_reduction)
        race_store(in, s->target, &where, v, s->span);
    place_store(in, &where, v, s->span);
}

static void
exec_decl(Interp *in, const TStmt *s)
{
    Slot *slot = place_slot(in, s->var);
    slot->set = s->value || !s->var->no_init;
    if (slot->flags)
        memset(slot->flags, 0, (size_t)type_flag_count(s->var->type));
    if (s->value)
        eval(in, s->value, slot->leaves);
    else
        memset(slot->leaves, 0, sizeof(Leaf) * (size_t)s->var->type->leaf_count);
}

static void
exec_assert(Interp *in, const TStmt *s)
{
    if (in->c->options.no_assert || eval_bool(in, s->value))
        return;
    if (!s->args.count && s->string && s->string_bytes == 0)
        interp_fail(in, s->span, "assertion failed");
    SnlText t = SNL_TEXT_EMPTY;
    if (s->has_format)
        eval_format_string(in, s->string, &s->args, &t);
    else {
        snl_text_string(&t, "assertion failed: ");
        snl_text_string(&t, s->string ? s->string : "");
    }
    char text[SNL_MESSAGE + 1]; /* more than an error has room for, which so ends in "..." */
    snprintf(text, sizeof text, "%s", snl_text_chars(&t));
    snl_text_free(&t);
    interp_fail(in, s->span, "%s", text);
}

static void
exec_print(Interp *in, const TStmt *s)
{
    SnlText t = SNL_TEXT_EMPTY;
    eval_format(in, s->string, &s->args, &t);
    snl_text_string(&t, "\n");
    fwrite(snl_text_chars(&t), 1, t.bytes, stdout);
    snl_text_free(&t);
}

/* ---- loops ---- */

static void
set_index(Interp *in, const Var *v, int64_t value)
{
    Slot *slot = place_slot(in, v);
    slot->leaves[0] = (Leaf){.i = value};
    slot->set = true;
}

/* Around a parallel loop. */
static void
loop_start(Interp *in, Sums *sums, const TStmt *loop)
{
    require_named(in, loop);
    sums_start(in, sums, loop);
    race_start(in);
}

static void
loop_end(Interp *in, Sums *sums, Span at)
{
    race_end(in);
    sums_end(in, sums, at);
    ledger_collect(in);
}

/* One iteration of a parallel loop draws from its own stream. */
static Flow
exec_iteration(Interp *in, const TStmt *s, uint64_t launch, uint64_t number)
{
    SnlRandom own, *outer = in->frame->random;
    if (s->parallel) {
        snl_random_init(&own, in->seed, launch, number);
        in->frame->random = &own;
        in->iteration = number;
    }
    Flow flow = exec(in, s->body);
    in->frame->random = outer;
    return flow == FLOW_CONTINUE ? FLOW_NEXT : flow;
}

static Flow
exec_range_from(Interp *in, const TStmt *s, int axis, const int64_t (*bounds)[3], uint64_t launch,
                uint64_t *number)
{
    if (axis == s->vars.count)
        return exec_iteration(in, s, launch, (*number)++);
    int64_t step = bounds[axis][2];
    for (int64_t i = bounds[axis][0]; step > 0 ? i < bounds[axis][1] : i > bounds[axis][1];
         i += step) {
        set_index(in, s->vars.items[axis], i);
        Flow flow = exec_range_from(in, s, axis + 1, bounds, launch, number);
        if (flow != FLOW_NEXT)
            return flow;
        if (step > 0 ? i > INT64_MAX - step : i < INT64_MIN - step)
            break;
    }
    return FLOW_NEXT;
}

static Flow
exec_range(Interp *in, const TStmt *s)
{
    int64_t bounds[AXIS_MAX][3];
    for (int a = 0; a < s->vars.count; a++) {
        bounds[a][0] = eval_integer(in, s->from.items[a]);
        bounds[a][1] = eval_integer(in, s->to.items[a]);
        const TExpr *step = a < s->step.count ? s->step.items[a] : NULL;
        bounds[a][2] = step ? eval_integer(in, step) : 1;
        if (!bounds[a][2])
            interp_fail(in, s->span, "the step of a range is 0");
    }
    Sums sums;
    uint64_t number = 0, launch = s->parallel ? ++in->launch : 0;
    if (s->parallel)
        loop_start(in, &sums, s);
    Flow flow = exec_range_from(in, s, 0, (const int64_t (*)[3])bounds, launch, &number);
    if (s->parallel)
        loop_end(in, &sums, s->span);
    return flow == FLOW_BREAK ? FLOW_NEXT : flow;
}

/* Row-major number of a cell within the extents of its node. */
static uint64_t
cell_number(Interp *in, const Node *n, const int64_t *coord)
{
    uint64_t number = 0;
    for (int a = 0, i = 0; a < AXIS_MAX; a++)
        if (n->path_axes & 1 << a) {
            const int64_t from_zero = coord[i++] - node_first(n, a);
            number = number * (uint64_t)shape_node_extent(in, n, a) + (uint64_t)from_zero;
        }
    return number;
}

static Flow
exec_cells(Interp *in, const TStmt *s)
{
    uint64_t launch = s->parallel ? ++in->launch : 0;
    Sums sums;
    Flow flow = FLOW_NEXT;
    if (s->parallel)
        loop_start(in, &sums, s);
    if (!s->node)
        flow = exec_iteration(in, s, launch, 0);
    else {
        int64_t coord[AXIS_MAX];
        Cells cells = tree_cells(in, s->node, s->span);
        for (int64_t i = 0; i < cells.count && flow == FLOW_NEXT; i++) {
            tree_cells_at(in, &cells, i, coord);
            for (int a = 0; a < s->vars.count; a++)
                set_index(in, s->vars.items[a], coord[a]);
            flow = exec_iteration(in, s, launch, cell_number(in, s->node, coord));
        }
        tree_cells_free(&cells);
    }
    if (s->parallel)
        loop_end(in, &sums, s->span);
    return flow == FLOW_BREAK ? FLOW_NEXT : flow;
}

static Flow
exec_while(Interp *in, const TStmt *s)
{
    while (eval_bool(in, s->value)) {
        Flow flow = exec(in, s->body);
        if (flow == FLOW_BREAK)
            break;
        if (flow == FLOW_RETURN)
            return flow;
    }
    return FLOW_NEXT;
}

static Flow
exec_block(Interp *in, const TStmt *s)
{
    for (int i = 0; i < s->stmts.count; i++) {
        Flow flow = exec(in, s->stmts.items[i]);
        if (flow != FLOW_NEXT)
            return flow;
    }
    return FLOW_NEXT;
}

static void
exec_activity(Interp *in, const TStmt *s)
{
    int64_t coord[AXIS_MAX] = {0};
    for (int i = 0; i < s->args.count; i++)
        coord[i] = eval_integer(in, s->args.items[i]);
    if (s->kind == TS_ACTIVATE)
        tree_activate(in, s->node, coord, &s->args, s->span);
    else if (s->kind == TS_DEACTIVATE)
        tree_deactivate(in, s->node, coord, &s->args, s->span);
    else
        tree_deactivate_all(in, s->node, s->span);
}

static Flow
exec_kind(Interp *in, const TStmt *s)
{
    switch (s->kind) {
    case TS_BLOCK: return exec_block(in, s);
    case TS_DECL: exec_decl(in, s); break;
    case TS_ASSIGN: exec_assign(in, s); break;
    case TS_EXPR: eval(in, s->value, interp_take(in, s->value->type->leaf_count + 1)); break;
    case TS_IF:
        if (eval_bool(in, s->value))
            return exec(in, s->body);
        return s->orelse ? exec(in, s->orelse) : FLOW_NEXT;
    case TS_WHILE: return exec_while(in, s);
    case TS_RANGE: return exec_range(in, s);
    case TS_CELLS: return exec_cells(in, s);
    case TS_BREAK: return FLOW_BREAK;
    case TS_CONTINUE: return FLOW_CONTINUE;
    case TS_RETURN:
        if (s->value)
            eval(in, s->value, in->frame->result);
        return FLOW_RETURN;
    case TS_PRINT: exec_print(in, s); break;
    case TS_ASSERT: exec_assert(in, s); break;
    case TS_ACTIVATE: case TS_DEACTIVATE: case TS_DEACTIVATE_ALL: exec_activity(in, s); break;
    case TS_DIFF: case TS_DERIVE: break; /* taken apart before */
    case TS_CREATE: case TS_DESTROY: case TS_TRIM: case TS_FILL: case TS_COPY: case TS_SWAP:
    case TS_SAVE:
    case TS_LOAD:
    case TS_IMAGE: host_exec(in, s); break;
    case TS_KEEP: case TS_TAKE: tape_exec(in, s); break;
    }
    return FLOW_NEXT;
}

Flow
exec(Interp *in, const TStmt *s)
{
    int64_t mark = in->stack_used;
    Flow flow = exec_kind(in, s);
    in->stack_used = mark;
    return flow;
}
