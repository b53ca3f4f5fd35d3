/* Programs for a GPU: the CPU goes on while loops run, and waits before it touches what they use. */
#include "config.h"

#include "emit/inside.h"
#include "ir/inst_info.h"

void
emit_gpu_wait(Emit *e, Text *out)
{
    if (e->o->gpu)
        text_line(out, "snl_gpu_wait(&self->rt);");
}

/* A function that only computes, or a kernel, which waits by itself. */
static bool
call_touches(Emit *e, const Inst *i)
{
    return i->func->kind == FUNC_EXTERN || (i->func->kind == FUNC_DEVICE && e->needs_self[i->func->id]);
}

static bool touches(Emit *e, const Inst *i);

/* Do expressions in its blocks that are written before these begin: parts of && || ?:, conditions of `else if`? */
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
    case INST_IN_CELL: case INST_ROOT_PLACE: case INST_ROOT: case INST_LOOKUP: case INST_LOOKUP_HASH: case INST_ACTIVATE: case INST_DEACTIVATE:
    case INST_IS_ACTIVE: case INST_LENGTH: case INST_APPEND: case INST_ACTIVE: case INST_MEMORY: case INST_FILL: case INST_COPY:
    case INST_SAVE: case INST_LOADFILE: case INST_IMAGE: case INST_PRINT: case INST_REQUIRE: case INST_CREATE: case INST_DESTROY: case INST_TRIM:
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
emit_gpu_waits_for(Emit *e, const Inst *i)
{
    return e->o->gpu && !e->on_gpu && touches(e, i);
}

void
emit_gpu_wait_for(Emit *e, const Inst *i)
{
    if (e->waited || !emit_gpu_waits_for(e, i))
        return;
    emit_gpu_wait(e, e->out);
    emit_check(e); /* the GPU may have stopped: nothing is right in memory then */
    e->waited = true;
}

bool
emit_gpu_recurses(const Emit *e)
{
    for (int i = 0; i < e->p->funcs.count; i++) {
        const IrFunc *f = e->ir->by_id[i];
        if (f->func->kind == FUNC_DEVICE && f->body && f->body->insts.count > 0 && f->body->insts.items[0]->kind == INST_CHECK_STACK)
            return true;
    }
    return false;
}

/* ---- before a loop ---- */

/* What a loop needs of a layout. */
typedef struct {
    int activations;        /* of an iteration */
    bool many;              /* that number is not known */
    bool deactivates;
    bool *listed;           /* by node id: its cells are gone through */
} Needs;

typedef struct {
    Emit *e;
    Needs *layouts;         /* by layout id */
    bool *seen;             /* by function id */
    bool inside;            /* of a loop or another function: done more than once */
} Preparation;

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
    bool activates = i->kind == INST_ACTIVATE || i->kind == INST_APPEND || (inst_is_lookup(i) && i->access == ACCESS_ACTIVATE);
    if (activates) {
        Needs *n = &p->layouts[i->node->layout->id];
        n->activations++;
        n->many = n->many || p->inside;
    }
    if (i->kind == INST_DEACTIVATE)
        p->layouts[i->node->layout->id].deactivates = true;
    if (((i->kind == INST_FOR_CELLS && i->node && node_is_sparse(i->node)) || i->kind == INST_ACTIVE) && i->node->id > 0)
        p->layouts[i->node->layout->id].listed[i->node->id] = true;
    if (i->kind == INST_FOR || i->kind == INST_WHILE || i->kind == INST_FOR_CELLS)
        for (int b = 0; b < 2; b++)
            note_block(p, i->blocks[b]);
    if (i->kind == INST_CALL && i->func->kind == FUNC_DEVICE && !p->seen[i->func->id]) {
        p->seen[i->func->id] = true;
        note_block(p, ir_func(p->e->ir, i->func)->body);
    }
}

/* What the loop needs, by layout id. */
static const Needs *
find_needs(Emit *e, Block *body)
{
    int count = e->p->layouts.count;
    Preparation p = {.e = e, .layouts = ARENA_ARRAY(e->c->arena, Needs, count), .seen = ARENA_ARRAY(e->c->arena, bool, e->p->funcs.count)};
    for (int l = 0; l < count; l++)
        p.layouts[l].listed = ARENA_ARRAY(e->c->arena, bool, e->p->layouts.items[l]->nodes.count + 1);
    block_walk(body, note_needs, &p);
    return p.layouts;
}

bool
emit_gpu_activates(Emit *e, Block *body)
{
    const Needs *needs = find_needs(e, body);
    for (int l = 0; l < e->p->layouts.count; l++)
        if (needs[l].activations)
            return true;
    return false;
}

/* The memory that a loop may need to activate cells, as one statement: all its trees share what there is. */
static void
prepare_trees(Emit *e, const Needs *needs, int count)
{
    Text list;
    int trees = 0;
    text_init(&list, e->arena);
    for (int l = 0; l < count; l++) {
        const Needs *n = &needs[l];
        const char *deactivates = n->deactivates ? "true" : "false", *comma = trees ? ", " : "";
        if (!n->activations)
            continue;
        trees++;
        if (n->many)
            text_add(&list, "%s{self->trees[%d], INT64_MAX, %s}", comma, l, deactivates);
        else
            text_add(&list, "%s{self->trees[%d], iterations * %d, %s}", comma, l, n->activations, deactivates);
    }
    if (trees > 0) {
        const char *name = name_new(e, "needs");
        text_line(e->out, "const SnlNeed %s[] = {%s};", name, text_end(&list));
        text_line(e->out, "snl_gpu_prepare(&self->rt, %s, %d);", name, trees);
    }
}

void
emit_gpu_prepare(Emit *e, Block *body)
{
    int count = e->p->layouts.count;
    const Needs *needs = find_needs(e, body);
    for (int l = 0; l < count; l++) {
        const Needs *n = &needs[l];
        for (int k = 1; k <= e->p->layouts.items[l]->nodes.count; k++)
            if (n->listed[k])
                text_line(e->out, "snl_gpu_list(&self->rt, self->trees[%d], %d);", l, k - 1);
        if (n->deactivates && !n->activations)
            text_line(e->out, "snl_gpu_room(&self->rt, self->trees[%d]);", l);
    }
    prepare_trees(e, needs, count);
}

/* ---- loops of host code ---- */

const char *
gpu_graph_open(Emit *e, const Inst *loop)
{
    if (!loop->graph)
        return NULL;
    const char *name = name_new(e, "repeat");
    text_open(e->out, "{");
    text_line(e->out, "const SnlGpuRepeat %s(&self->rt, %d);", name, e->graph_count++);
    return name;
}

void
gpu_graph_next(Emit *e, const char *name)
{
    if (!name)
        return;
    text_line(e->out, "%s.next();", name);
    emit_check(e);
}

void
gpu_graph_close(Emit *e, const char *name)
{
    if (!name)
        return;
    text_close(e->out, "}");
    emit_check(e);
}
