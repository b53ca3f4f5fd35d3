/* List packing. A loop over cells reads the lists of many cells, as particles do that look at the
 * ones around them, and changes nothing that it reads there. Before the loop the cells of all lists
 * are copied into one array, one list after the other.
 *
 *   struct_for(S2dynamic) {                      struct_for(...) packed with own (S2dynamic) {
 *       for a.1 in $3..$4 {                          for a.1 in $3..$4 collects runs {
 *           $8 = length S2dynamic[$7]        →           $8 = length S2dynamic[$7] packed
 *           for n.2 in 0..$8 cells of $7 {               for n.2 in 0..$8 cells of $7 packed {
 *               ...                                          ...
 *
 * Lists lie in memory that was free when they were made, in chunks that are looked up. Packed,
 * neighbours lie side by side. If the loops around do nothing but look up lists (`runs`), they run
 * first. Then one loop goes through all cells that lie side by side. The task must go through the
 * lists itself, so that each list is read at least as often as it is copied. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

enum { CELL_BYTES_MOST = 64 }; /* of which a loop may read a part alone */

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f;
    Task *t;
    bool fails;
    const Inst *walk;     /* the only loop through a list in some loops */
    bool *in_walk;        /* by instruction: in that loop */
    bool *around;         /* by instruction: in the loops around it */
    bool *walk_vars;      /* by variable: mentioned in that loop */
} Lineup;

/* ---- which lists ---- */

static bool
is_walk(const Inst *i)
{
    return i->kind == INST_FOR && i->args.count == 4;
}

/* Lists in dense cells, of which each has its place in the order of memory. */
static bool
node_fits(const Task *t, const Node *n)
{
    if ((t->node != n && t->node != n->parent) || !n->parent || n->children.count ||
        n->cell_bytes > CELL_BYTES_MOST)
        return false;
    for (const Node *above = n->parent;
         above && above->kind != NODE_POINTER && above->kind != NODE_HASH; above = above->parent)
        if (above->kind != NODE_DENSE)
            return false;
    return true;
}

typedef struct {
    const Task *t;
    const Var *index;
    bool fits;
} Reads;

static void
note_read(Inst *i, void *arg)
{
    Reads *r = arg;
    const Inst *cell = i->kind == INST_IN_CELL ? i->args.items[0] : NULL;
    if (cell && cell->kind == INST_LOOP_CELL && cell->var == r->index)
        r->fits &= !task_changes(r->t, i->field);
}

/* Does the task leave what the loop reads in the cells as it is? */
static bool
walk_fits(const Task *t, const Inst *walk)
{
    Reads r = {t, walk->vars.items[0], true};
    block_walk(walk->blocks[0], note_read, &r);
    return r.fits;
}

static void
mark_walks(Task *t, Block *b, bool in_loop)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        const Node *list = is_walk(i) ? i->args.items[3]->node : NULL;
        if (list && in_loop && (t->packed ? t->packed == list : node_fits(t, list)) &&
            walk_fits(t, i)) {
            t->packed = list;
            i->packed = true;
        }
        for (int s = 0; s < 2; s++)
            mark_walks(t, i->blocks[s], in_loop || i->kind == INST_FOR || i->kind == INST_WHILE);
    }
}

static void
mark_length(Inst *i, void *arg)
{
    const Task *t = arg;
    i->packed |= i->kind == INST_LENGTH && i->node == t->packed && inst_has_container(i);
}

static bool
changes_cells(const Task *t, const Node *n)
{
    for (int k = 0; k < n->places.count; k++)
        if (task_changes(t, n->places.items[k].field))
            return true;
    return false;
}

/* ---- runs ---- */

static void
note_in_walk(Inst *i, void *arg)
{
    Lineup *k = arg;
    k->in_walk[i->id] = true;
    if (i->kind == INST_VAR)
        k->walk_vars[i->var->id] = true;
    k->fails |= i->kind == INST_RETURN || i->kind == INST_CALL;
}

/* Jumps that leave the loop through the list, or go to its next cell. */
static void
note_jumps(Lineup *k, const Block *b)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        k->fails |= i->kind == INST_BREAK || i->kind == INST_CONTINUE;
        for (int s = 0; s < 2; s++)
            if (!inst_is_loop(i))
                note_jumps(k, i->blocks[s]);
    }
}

static void
note_around(Lineup *k, const Block *b)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        k->around[i->id] = true;
        if (is_walk(i)) {
            k->fails |= k->walk || !i->packed;
            k->walk = i;
            block_walk(i->blocks[0], note_in_walk, k);
            note_jumps(k, i->blocks[0]);
            continue;
        }
        for (int s = 0; s < 2; s++)
            note_around(k, i->blocks[s]);
    }
}

/* Gives what the loops around do the same when all of it is done before the loop through the
 * list? */
static bool
may_go_first(const Lineup *k, const Inst *i)
{
    const Inst *root;
    switch (i->kind) {
    case INST_VAR:
        return !k->walk_vars[i->var->id] || var_is_fixed(i->var) || task_has_var(k->t, i->var);
    case INST_LOAD:
        root = inst_place_root(i->args.items[0]);
        return root->kind == INST_VAR || root->kind == INST_TABLE ||
               (root->kind == INST_IN_CELL && !task_changes(k->t, root->field));
    case INST_LOOKUP: case INST_LOOKUP_HASH:
        return i->access != ACCESS_ACTIVATE && task_leaves(k->t, i->node);
    case INST_LENGTH: case INST_IS_ACTIVE: return task_leaves(k->t, i->node);
    case INST_FOR: case INST_IF: case INST_LOGIC: case INST_COND: return true;
    default: return inst_info(i->kind)->effects == 'P';
    }
}

static void
check_around(Inst *i, void *arg)
{
    Lineup *k = arg;
    if (k->around[i->id]) {
        k->fails |= !may_go_first(k, i);
        return;
    }
    for (int a = 0; a < i->args.count; a++) /* of the loop through the list */
        k->fails |= k->around[i->args.items[a]->id] && i->args.items[a]->kind != INST_CONST;
}

static void
check_loop_vars(Inst *i, void *arg)
{
    Lineup *k = arg;
    for (int v = 0; i->kind == INST_FOR && !k->in_walk[i->id] && v < i->vars.count; v++)
        k->fails |= k->walk_vars[i->vars.items[v]->id];
}

/* A loop that does nothing but look up lists for one loop through them, which needs to know nothing
 * but the cell that it is at. */
static bool
has_runs(Lineup *k, Inst *loop)
{
    int count = ir_number(k->f);
    k->fails = false;
    k->walk = NULL;
    k->in_walk = ARENA_ARRAY(k->c->scratch, bool, count);
    k->around = ARENA_ARRAY(k->c->scratch, bool, count);
    k->walk_vars = ARENA_ARRAY(k->c->scratch, bool, k->f->vars.count);
    note_around(k, loop->blocks[0]);
    if (!k->walk || k->fails)
        return false;
    block_walk(loop->blocks[0], check_around, k);
    block_walk(loop->blocks[0], check_loop_vars, k);
    for (int v = 0; v < loop->vars.count; v++)
        k->fails |= k->walk_vars[loop->vars.items[v]->id];
    return !k->fails;
}

static void
mark_runs(Lineup *k, Block *b)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        if (i->kind == INST_FOR && !is_walk(i) && has_runs(k, i)) {
            i->collects_runs = true;
            continue;
        }
        for (int s = 0; s < 2; s++)
            mark_runs(k, i->blocks[s]);
    }
}

/* ---- the pass ---- */

static void
line_up(Compile *c, const Ir *ir, IrFunc *f, Task *t)
{
    if (t->kind != TASK_STRUCT_FOR || !t->node || t->use_list)
        return;
    mark_walks(t, t->body, false);
    if (!t->packed)
        return;
    t->packs_own = t->node == t->packed && !changes_cells(t, t->packed);
    t->ahead_lists &= !t->packs_own; /* in line nothing has to be asked for */
    block_walk(t->body, mark_length, t);
    Lineup k = {.c = c, .ir = ir, .f = f, .t = t};
    mark_runs(&k, t->body);
}

void
pass_pack_lists(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        line_up(c, ir, f, loops.items[n]);
}
