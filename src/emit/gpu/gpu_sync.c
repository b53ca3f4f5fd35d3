/* Programs for a GPU: the CPU goes on while loops run, and waits before it touches what they use.
 */
#include "config.h"

#include "emit/loop/parallel.h"
#include "ir/inst_info.h"

void
gpu_sync_wait(Emit *e, Text *out)
{
    if (e->o->gpu)
        text_line(out, "snl_gpu_wait(&self->rt);");
}

/* A function that only computes, or a kernel, which waits by itself. */
static bool
call_touches(Emit *e, const Inst *i)
{
    return i->func->kind == FUNC_EXTERN ||
           (i->func->kind == FUNC_DEVICE && e->needs_self[i->func->id]);
}

static bool touches(Emit *e, const Inst *i);

/* Do expressions in its blocks that are written before these begin: parts of && || ?:, conditions
 * of `else if`? */
static bool
touches_inside(Emit *e, const Inst *i)
{
    bool choice = i->kind == INST_LOGIC || i->kind == INST_COND;
    for (int b = choice ? 0 : 1; b < 2 && (choice || i->kind == INST_IF); b++)
        for (int n = 0; i->blocks[b] && n < i->blocks[b]->insts.count; n++) {
            const Inst *part = i->blocks[b]->insts.items[n];
            if ((choice || part->kind == INST_IF) && touches(e, part))
                return true;
        }
    return false;
}

/* Does the statement, with the expressions written in it, touch trees, print, or the like? */
static bool
touches(Emit *e, const Inst *i)
{
    switch (i->kind) {
    case INST_IN_CELL: case INST_ROOT_PLACE: case INST_ROOT: case INST_LOOKUP:
    case INST_LOOKUP_HASH: case INST_ACTIVATE: case INST_DEACTIVATE:
    case INST_IS_ACTIVE: case INST_LENGTH: case INST_APPEND: case INST_ACTIVE: case INST_MEMORY:
    case INST_FILL: case INST_COPY: case INST_KEEP: case INST_GIVE: case INST_TAKE:
    case INST_SAVE: case INST_LOADFILE: case INST_IMAGE: case INST_PRINT: case INST_REQUIRE:
    case INST_CREATE: case INST_DESTROY: case INST_TRIM:
    case INST_SWAP: case INST_CLOCK: case INST_MEASURE: case INST_FOR_CELLS: return true;
    case INST_CALL:
        if (call_touches(e, i))
            return true;
        break;
    default: break;
    }
    for (int a = 0; a < i->args.count; a++)
        if (touches(e, i->args.items[a]))
            return true;
    for (int a = 0; i->kind == INST_ASSERT && a < i->assert_args.count; a++)
        if (touches(e, i->assert_args.items[a]))
            return true;
    return touches_inside(e, i);
}

bool
gpu_sync_waits_for(Emit *e, const Inst *i)
{
    return e->o->gpu && !e->fn.on_gpu && touches(e, i);
}

void
gpu_sync_wait_for(Emit *e, const Inst *i)
{
    if (e->fn.waited || !gpu_sync_waits_for(e, i))
        return;
    gpu_sync_wait(e, e->out);
    stmt_check(e); /* the GPU may have stopped: nothing is right in memory then */
    e->fn.waited = true;
}

bool
gpu_sync_recurses(const Emit *e)
{
    for (int i = 0; i < e->p->funcs.count; i++) {
        const IrFunc *f = e->ir->by_id[i];
        if (f->func->kind == FUNC_DEVICE && ir_stack_check(f))
            return true;
    }
    return false;
}

/* ---- before a loop ---- */

/* What a loop needs of a layout. */
struct GpuNeeds {
    int64_t activations;    /* of an iteration, one for each cell that it goes through */
    int64_t around;         /* the same where what it writes lies around these cells */
    int64_t tries;          /* of lanes to activate these */
    bool by_name;           /* it activates cells that it does not write */
    bool many;              /* that number is not known */
    bool deactivates;
};

typedef struct {
    Emit *e;
    const Task *t;
    int64_t cells;          /* that an iteration goes through, -1: not known */
    int64_t along[AXIS_MAX]; /* elements of these along each axis */
    GpuNeeds *layouts;      /* by layout id */
    bool *seen;             /* by function id */
    bool inside;            /* of a loop or another function: done more than once */
} Preparation;

/* Cells of a node, along an axis, that lie under elements next to each other. */
static int64_t
cells_under(const Node *n, int axis, int64_t elements)
{
    return n->cell_extent[axis] > 0 ? (elements - 1) / n->cell_extent[axis] + 2 : elements;
}

/* The axis that a loop variable is the index of. */
static int
axis_of(const Task *t, int var)
{
    int axis = 0;
    for (int left = var; axis < AXIS_MAX; axis++)
        if ((t->node->path_axes & 1 << axis) && left-- == 0)
            break;
    return axis;
}

/* How many cells of a node a tile activates at most, by one instruction, where it writes the fields
 * below around its own cells; -1: not known. */
static int64_t
activated_around(const Preparation *p, const Node *n)
{
    const Footprints *did[] = {&p->t->effects.writes, &p->t->effects.accumulates};
    int64_t low[AXIS_MAX] = {0}, high[AXIS_MAX] = {0}, count = 1;
    if (p->t->kind != TASK_STRUCT_FOR || !p->t->node)
        return -1;
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < did[d]->count; i++) {
            const Footprint *f = &did[d]->items[i];
            bool below = layout_field_lies_in(f->field, n->layout);
            for (int k = 0; below && k < f->field->axis_count; k++) {
                int axis = f->field->axes[k];
                if (!f->own_index || axis_of(p->t, f->var[k]) != axis)
                    return -1;
                low[axis] = f->offset_min[k] < low[axis] ? f->offset_min[k] : low[axis];
                high[axis] = f->offset_max[k] > high[axis] ? f->offset_max[k] : high[axis];
            }
        }
    for (int axis = 0; axis < AXIS_MAX && count < p->cells; axis++)
        if (n->path_axes & 1 << axis)
            count *= cells_under(n, axis, p->along[axis] + high[axis] - low[axis]);
    return count;
}

static void note_needs(Inst *i, void *arg);

static void
note_block(Preparation *p, Block *b)
{
    bool before = p->inside;
    p->inside = true;
    if (b)
        block_walk(b, note_needs, p);
    p->inside = before;
}

static void
note_needs(Inst *i, void *arg)
{
    Preparation *p = arg;
    bool activates = i->kind == INST_ACTIVATE || i->kind == INST_APPEND ||
                     (inst_is_lookup(i) && i->access == ACCESS_ACTIVATE);
    if (activates) {
        GpuNeeds *n = &p->layouts[i->node->layout->id];
        int64_t around = i->kind == INST_LOOKUP ? activated_around(p, i->node) : -1;
        n->activations += p->cells;
        n->around += around < 0 || around > p->cells ? p->cells : around;
        n->by_name = n->by_name || i->kind != INST_LOOKUP;
        n->many = n->many || p->inside || p->cells < 0;
    }
    if (i->kind == INST_DEACTIVATE)
        p->layouts[i->node->layout->id].deactivates = true;
    if (inst_is_loop(i))
        for (int b = 0; b < 2; b++)
            note_block(p, i->blocks[b]);
    if (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE && !p->seen[i->func->id]) {
        p->seen[i->func->id] = true;
        note_block(p, ir_func(p->e->ir, i->func)->body);
    }
}

const GpuNeeds *
gpu_sync_needs(const LoopOut *k)
{
    Emit *e = k->e;
    int count = e->p->layouts.count;
    Preparation p = {.e = e,
                     .t = k->t,
                     .layouts = ARENA_ARRAY(e->c->arena, GpuNeeds, count),
                     .seen = ARENA_ARRAY(e->c->arena, bool, e->p->funcs.count)};
    p.cells = gpu_tiles_cells(k, p.along);
    block_walk(k->t->body, note_needs, &p);
    for (int l = 0; l < count; l++) {
        GpuNeeds *n = &p.layouts[l];
        n->tries = n->activations;
        if (!n->by_name)
            n->activations = n->around;
    }
    if (gpu_stage_sums_activate(k->t)) {  /* in all blocks around a block */
        GpuNeeds *n = &p.layouts[k->t->node->layout->id];
        n->activations += HALO_CODES;
        n->tries += HALO_CODES;
    }
    return p.layouts;
}

bool
gpu_sync_activates(const LoopOut *k)
{
    for (int l = 0; l < k->e->p->layouts.count; l++)
        if (k->needs[l].activations)
            return true;
    return false;
}

/* The memory that a loop may need to activate cells, as one statement: all its trees share what
 * there is. */
static void
prepare_trees(Emit *e, const GpuNeeds *needs, int count)
{
    Text list;
    int trees = 0;
    text_init(&list, e->arena);
    for (int l = 0; l < count; l++) {
        const GpuNeeds *n = &needs[l];
        const char *deactivates = n->deactivates ? "true" : "false", *comma = trees ? ", " : "";
        if (!n->activations)
            continue;
        trees++;
        if (n->many)
            text_add(&list, "%s{self->trees[%d], INT64_MAX, INT64_MAX, %s}", comma, l, deactivates);
        else
            text_add(&list, "%s{self->trees[%d], iterations * %lld, iterations * %lld, %s}", comma,
                     l, (long long)n->activations, (long long)n->tries, deactivates);
    }
    if (trees > 0) {
        const char *name = name_new(e, "needs");
        text_line(e->out, "const SnlNeed %s[] = {%s};", name, text_end(&list));
        text_line(e->out, "snl_gpu_prepare(&self->rt, %s, %d);", name, trees);
    }
}

void
gpu_sync_prepare(const LoopOut *k)
{
    Emit *e = k->e;
    int count = e->p->layouts.count;
    for (int l = 0; l < count; l++)
        if (k->needs[l].deactivates && !k->needs[l].activations)
            text_line(e->out, "snl_gpu_room(&self->rt, self->trees[%d]);", l);
    prepare_trees(e, k->needs, count);
}

/* ---- loops of host code ---- */

const char *
gpu_sync_graph_open(Emit *e, const Inst *loop)
{
    if (!loop->graph)
        return NULL;
    const char *name = name_new(e, "repeat");
    text_open(e->out, "{");
    text_line(e->out, "const SnlGpuRepeat %s(&self->rt, %d);", name, e->graph_count++);
    return name;
}

void
gpu_sync_graph_next(Emit *e, const char *name)
{
    if (!name)
        return;
    text_line(e->out, "%s.next();", name);
    stmt_check(e);
}

void
gpu_sync_graph_close(Emit *e, const char *name)
{
    if (!name)
        return;
    text_close(e->out, "}");
    stmt_check(e);
}
