/* The slice of a loop's body that finds early where an iteration goes: the list it appends to, the
 * cell of a hash node it reaches, or the numbers of a cell. The slice becomes a second body of the
 * loop (Task.fetches). It holds only the instructions from which the place follows. */
#include "config.h"

#include "pass/memory/slice.h"

#include "ir/inst_info.h"

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f;
    Task *t;
    Inst *target;       /* the append, what reaches a hash cell, or a look-up */
    Insts found;        /* what says which it is: these values are computed early */
    int vars;
    Inst **parent;      /* by instruction: whose block it stands in, or NULL */
    Block *home;        /* of the target */
    Inst **copy;        /* by instruction */
    bool *needed;       /* by instruction: the list, or the indices of the cell, follow from it */
    bool *around;       /* by instruction: the target stands in a block of it */
    bool *own, *read;   /* by variable: declared in the body; the list follows from its value */
    Var **other;        /* by variable: what it is in the second body, or NULL */
    VEC(const Field *) changed; /* on the way to the target: the second body does not do so */
    bool passed;        /* the target was met on the way through the body */
    bool more;          /* another variable is read */
    bool fits, in_order;
    bool hint;          /* it is a look-up: nothing depends on what is found */
    bool slow;          /* the number of the list is divided, and so stays for a while */
} Slice;

/* ---- what the list follows from ---- */

bool
slice_changes_hash_cell(const Inst *i)
{
    if (i->kind == INST_LOOKUP_HASH)
        return i->access == ACCESS_ACTIVATE;
    return (i->kind == INST_ACTIVATE || i->kind == INST_DEACTIVATE) &&
           i->node->kind == NODE_HASH && inst_has_container(i);
}

bool
slice_reads_hash_cell(const Inst *i)
{
    if (i->kind == INST_LOOKUP_HASH)
        return i->access == ACCESS_READ;
    return i->kind == INST_IS_ACTIVE && i->node->kind == NODE_HASH && inst_has_container(i);
}

static void
note_own(Inst *i, void *arg)
{
    Slice *s = arg;
    if (i->kind == INST_STORE && i->defines)
        s->own[i->args.items[0]->var->id] = true;
}

static void
note_changed(Inst *i, void *arg)
{
    Slice *s = arg;
    s->passed |= i == s->target;
    const Field *f = !s->passed && (i->kind == INST_STORE || i->kind == INST_ATOMIC)
                         ? inst_place_field(i->args.items[0])
                         : NULL;
    if (f)
        vec_push(s->c->scratch, &s->changed, f);
}

static void
note_parents(Slice *s, Block *b, Inst *parent)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        s->parent[i->id] = parent;
        if (i == s->target)
            s->home = b;
        note_parents(s, i->blocks[0], i);
        note_parents(s, i->blocks[1], i);
    }
}

static void
note_around(Slice *s)
{
    for (const Inst *i = s->parent[s->target->id]; i; i = s->parent[i->id])
        s->around[i->id] = true;
}

static void
note_found(Slice *s)
{
    Inst *i = s->target;
    if (i->kind == INST_APPEND)
        vec_push(s->c->scratch, &s->found, i->args.items[0]);
    else if (i->kind != INST_LOOKUP)
        for (int a = 0; a < i->args.count; a++)
            vec_push(s->c->scratch, &s->found, i->args.items[a]);
    else
        for (; i; i = i->args.items[0]->kind == INST_CHILD ? i->args.items[0]->args.items[0] : NULL)
            vec_push(s->c->scratch, &s->found, i->args.items[1]);
}

/* Of what stands around the target, nobody asks for the value. */
static void
need(Slice *s, Inst *i)
{
    if (!i || s->needed[i->id])
        return;
    s->needed[i->id] = true;
    need(s, s->parent[i->id]);
    for (int a = 0; a < i->args.count; a++)
        need(s, i->args.items[a]);
    for (int k = 0; k < 2; k++)
        if (i->blocks[k] && !s->around[i->id])
            need(s, i->blocks[k]->result);
    const Inst *root = i->kind == INST_LOAD ? inst_place_root(i->args.items[0]) : NULL;
    if (root && root->kind == INST_VAR && !s->read[root->var->id])
        s->read[root->var->id] = s->more = true;
}

/* The variable that an instruction changes, or NULL. */
static const Var *
changed_var(const Inst *i)
{
    const Inst *root =
        i->kind == INST_STORE || i->kind == INST_ATOMIC ? inst_place_root(i->args.items[0]) : NULL;
    return root && root->kind == INST_VAR ? root->var : NULL;
}

static bool
takes_read(const Slice *s, const Inst *call)
{
    for (int a = 0; call->kind == INST_CALL && a < call->args.count; a++) {
        const Inst *root = inst_place_root(call->args.items[a]);
        if (root->kind == INST_VAR && s->read[root->var->id])
            return true;
    }
    return false;
}

/* What stands before the target: changes of variables that are read, and the ends of iterations
 * that do not get there. */
static void
need_changes(Inst *i, void *arg)
{
    Slice *s = arg;
    const Var *v = changed_var(i);
    s->passed |= i == s->target;
    if (v && s->read[v->id] && !s->own[v->id])
        s->fits = false;
    if (s->passed)
        return;
    s->fits &= i->kind != INST_ASSERT && i->kind != INST_RETURN && !takes_read(s, i);
    if ((v && s->read[v->id]) || i->kind == INST_CONTINUE)
        need(s, i);
}

/* ---- may it be found early? ---- */

/* Does the loop change elements of the field only at its own index, and after the target? */
static bool
changes_own_later(const Slice *s, const Field *f)
{
    const Footprint *all[] = {footprint_of(&s->t->effects.writes, f),
                              footprint_of(&s->t->effects.accumulates, f)};
    for (int k = 0; k < 2; k++)
        if (all[k] && !footprint_is_own(all[k]))
            return false;
    for (int n = 0; n < s->changed.count; n++)
        if (s->changed.items[n] == f)
            return false;
    return true;
}

static bool
is_kept(const Slice *s, const Inst *place)
{
    const Inst *root = inst_place_root(place);
    if (root->kind == INST_VAR)
        return true;
    const Field *f = inst_place_field(place);
    return root->kind == INST_TABLE ||
           (f && (!task_changes(s->t, f) || (s->hint && changes_own_later(s, f))));
}

bool
slice_is_arithmetic(const Ir *ir, const Func *f)
{
    for (int k = 0; k < f->params.count; k++)
        if (f->params.items[k]->mode == PARAM_INOUT)
            return false;
    return ir_is_arithmetic(ir, f);
}

static bool
may_come_early(const Slice *s, const Inst *i)
{
    const Var *v = changed_var(i);
    switch (i->kind) {
    case INST_LOAD: return is_kept(s, i->args.items[0]);
    case INST_STORE: case INST_ATOMIC: return v && s->own[v->id];
    case INST_LOOKUP:
        return i->node->kind == NODE_DENSE ||
               (i->access != ACCESS_ACTIVATE && i->node->kind != NODE_DYNAMIC);
    case INST_IF: case INST_LOGIC: case INST_COND: case INST_CONTINUE: return true;
    case INST_CALL: return slice_is_arithmetic(s->ir, i->func);
    default: return inst_info(i->kind)->effects == 'P';
    }
}

/* Numbers of cells that grow with the index of the loop have no other instructions. */
static bool
keeps_order(const Inst *i)
{
    switch (i->kind) {
    case INST_LOAD: return inst_place_root(i->args.items[0])->kind == INST_VAR;
    case INST_BINARY:
        return i->op == OP_ADD || i->op == OP_SUB || i->op == OP_DIV || i->op == OP_SHR;
    case INST_VAR: case INST_CONST: case INST_CAST: case INST_ROOT: case INST_CHILD:
    case INST_LOOKUP: return true;
    default: return false;
    }
}

static void
look_at_needed(Inst *i, void *arg)
{
    Slice *s = arg;
    if (!s->needed[i->id])
        return;
    s->fits &= may_come_early(s, i);
    s->in_order &= keeps_order(i);
    s->slow |= i->kind == INST_BINARY && (i->op == OP_DIV || i->op == OP_SHR);
}

/* ---- the second body ---- */

/* The variable that stands for one of the loop's own. */
static Var *
other_var(Slice *s, Var *v)
{
    if (v->id >= s->vars || !s->own[v->id])
        return v;
    if (!s->other[v->id])
        s->other[v->id] = ir_new_var(s->c, s->f, v->name, v->type, v->span);
    return s->other[v->id];
}

static Inst *
copy_inst(Slice *s, const Inst *i)
{
    Inst *copy = s->copy[i->id] = ARENA_NEW(s->c->arena, Inst);
    *copy = *i;
    copy->args = (Insts){0};
    for (int a = 0; a < i->args.count; a++)
        ir_arg(s->c, copy, s->copy[i->args.items[a]->id]);
    if (i->kind == INST_VAR)
        copy->var = other_var(s, i->var);
    return copy;
}

/* What asks for the target in the second body. */
static Inst *
fetch_of(const Slice *s, const Inst *target)
{
    Inst *fetch = ir_new(s->c, s->hint ? INST_KEY : INST_FETCH, NULL, target->span);
    fetch->node = target->node;
    fetch->access = slice_reads_hash_cell(target)           ? ACCESS_READ
                    : target->kind == INST_DEACTIVATE ? ACCESS_KNOWN
                                                      : ACCESS_ACTIVATE;
    for (int n = 0; n < s->found.count; n++)
        ir_arg(s->c, fetch, s->copy[s->found.items[n]->id]);
    return fetch;
}

static bool copy_needed(Slice *s, Block *out, const Block *b);

/* Copies the blocks of an instruction. `c ? a : b`, `c && a` and `c || b` around the target become
 * branches, as they have no value then. */
static bool
copy_blocks(Slice *s, Inst *copy, const Inst *i)
{
    bool on = true;
    for (int k = 0; k < 2 && i->blocks[k]; k++) {
        copy->blocks[k] = ARENA_NEW(s->c->arena, Block);
        on &= copy_needed(s, copy->blocks[k], i->blocks[k]);
        if (i->blocks[k]->result && !s->around[i->id])
            copy->blocks[k]->result = s->copy[i->blocks[k]->result->id];
    }
    if (s->around[i->id] && (i->kind == INST_COND || i->kind == INST_LOGIC)) {
        copy->kind = INST_IF;
        copy->type = NULL;
        if (i->kind == INST_LOGIC && i->op == OP_LOR) {
            copy->blocks[1] = copy->blocks[0];
            copy->blocks[0] = ARENA_NEW(s->c->arena, Block);
        }
    }
    return on;
}

/* Copies what is needed up to the target, which becomes the fetching; false from there on. */
static bool
copy_needed(Slice *s, Block *out, const Block *b)
{
    bool on = true;
    for (int n = 0; on && n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        if (i == s->target) {
            block_add(s->c, out, fetch_of(s, i));
            return false;
        }
        if (!s->needed[i->id])
            continue;
        Inst *copy = copy_inst(s, i);
        block_add(s->c, out, copy);
        on = copy_blocks(s, copy, i);
    }
    return on;
}

/* The append takes the list that was found. */
static void
take_found(Slice *s)
{
    Block *b = s->home;
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        if (i == s->target) {
            Inst *found = ir_new(s->c, INST_FETCHED, NULL, i->span);
            found->node = i->node;
            block_add(s->c, b, found);
            i->args.items[0] = found;
        }
        block_add(s->c, b, i);
    }
    insts_free(s->c, &old);
}

/* ---- both ---- */

bool
slice_fits(const Task *t)
{
    return task_has_one_index(t) && !t->stream && !t->rows && !t->inside;
}

bool
slice_target(Compile *c, const Ir *ir, IrFunc *f, Task *t, Inst *target)
{
    Slice s = {
        .c = c, .ir = ir, .f = f, .t = t, .target = target, .fits = true, .in_order = true,
        .hint = target->kind == INST_LOOKUP};
    const int insts = ir_number(f);
    s.vars = ir_var_limit(f);
    s.own = ARENA_ARRAY(c->scratch, bool, s.vars);
    s.read = ARENA_ARRAY(c->scratch, bool, s.vars);
    s.other = ARENA_ARRAY(c->scratch, Var *, s.vars);
    s.parent = ARENA_ARRAY(c->scratch, Inst *, insts);
    s.copy = ARENA_ARRAY(c->scratch, Inst *, insts);
    s.needed = ARENA_ARRAY(c->scratch, bool, insts);
    s.around = ARENA_ARRAY(c->scratch, bool, insts);
    block_walk(t->body, note_own, &s);
    block_walk(t->body, note_changed, &s);
    note_parents(&s, t->body, NULL);
    note_around(&s);
    need(&s, s.parent[target->id]);
    note_found(&s);
    for (int n = 0; n < s.found.count; n++)
        need(&s, s.found.items[n]);
    do {
        s.more = s.passed = false;
        block_walk(t->body, need_changes, &s);
    } while (s.more);
    block_walk(t->body, look_at_needed, &s);
    target->in_runs = target->kind == INST_APPEND && s.in_order && s.slow;
    if (!s.fits || s.in_order)
        return false;
    t->fetches = ARENA_NEW(c->arena, Block);
    copy_needed(&s, t->fetches, t->body);
    if (target->kind == INST_APPEND)
        take_found(&s);
    return true;
}
