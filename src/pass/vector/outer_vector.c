/* Gathers in blocks the instructions that differ between the iterations of a strip.
 *
 * An instruction *differs* if it follows from the loop's own cell or last index. All others are
 * done once for the strip. Instructions that differ are gathered in blocks `abreast`, which run for
 * each iteration in turn. A variable that two such blocks use becomes an array with an element an
 * iteration, for each of its leaves. */
#include "config.h"

#include "pass/vector/outer_vector.h"

#include "analysis/affine.h"
#include "ir/inst_info.h"

enum { LEAVES_MOST = 16 }; /* of a variable that becomes arrays */

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f;
    Task *t;
    Block *body;
    const Var *last;     /* the index that differs between neighbouring iterations */
    bool fails, changed;
    int worth;           /* sequential loops in which iterations go abreast */
    bool *differs;       /* by instruction */
    bool *var_differs, *declared; /* by variable */
    Inst **group;        /* by instruction: the block `abreast` that it is in, or NULL */
    Var **kept;          /* by instruction: keeps its value for other blocks, or NULL */
    int inst_count, var_count;
    Inst **var_group;    /* by variable: a block that uses it */
    bool *var_crosses;   /* by variable: two blocks use it */
    bool *var_stored, *leaf_loaded; /* by variable; by variable and leaf: in such blocks */
    Var **leaves;        /* by variable and leaf: the arrays */
} Abreast;

/* ---- what differs ---- */

static bool
is_own_cell(const Abreast *k, const Inst *i)
{
    return i->kind == INST_LOOP_CELL && !i->var && i->node == k->t->node;
}

static bool
root_differs(const Abreast *k, const Inst *place)
{
    const Inst *root = inst_place_root(place);
    return root->kind == INST_VAR && (root->var == k->last || k->var_differs[root->var->id]);
}

static bool block_differs(const Abreast *k, const Block *b);

/* Does the instruction itself, not what its blocks hold? */
static bool
inst_differs(const Abreast *k, const Inst *i, bool under)
{
    bool differs = is_own_cell(k, i) || i->kind == INST_ATOMIC;
    for (int a = 0; a < i->args.count; a++)
        differs |= k->differs[i->args.items[a]->id];
    if (i->kind == INST_VAR)
        return root_differs(k, i);
    if (i->kind == INST_STORE) {
        const Inst *root = inst_place_root(i->args.items[0]);
        differs |= under || root->kind != INST_VAR;
    }
    if (i->kind == INST_LOGIC || i->kind == INST_COND)
        differs |=
            block_differs(k, i->blocks[0]) || (i->blocks[1] && block_differs(k, i->blocks[1]));
    return differs;
}

static bool
block_differs(const Abreast *k, const Block *b)
{
    for (int n = 0; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        if (k->differs[i->id])
            return true;
        for (int s = 0; s < 2; s++)
            if (i->blocks[s] && block_differs(k, i->blocks[s]))
                return true;
    }
    return false;
}

/* Finds what differs, once; `under`: in a branch that not all iterations take. */
static void
spread(Abreast *k, const Block *b, bool under)
{
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        bool first = i->args.count && k->differs[i->args.items[0]->id];
        for (int s = 0; s < 2; s++)
            if (i->blocks[s])
                spread(k, i->blocks[s], under || (i->kind == INST_IF && first));
        if (!k->differs[i->id] && inst_differs(k, i, under)) {
            k->differs[i->id] = true;
            k->changed = true;
        }
        const Inst *root = i->kind == INST_STORE ? inst_place_root(i->args.items[0]) : NULL;
        if (root && root->kind == INST_VAR && k->differs[i->id] && !k->var_differs[root->var->id]) {
            k->var_differs[root->var->id] = true;
            k->changed = true;
        }
    }
}

static void
find_differing(Abreast *k)
{
    k->inst_count = ir_number(k->f);
    k->var_count = k->f->vars.count;
    k->differs = ARENA_ARRAY(k->c->scratch, bool, k->inst_count);
    k->var_differs = ARENA_ARRAY(k->c->scratch, bool, k->var_count);
    do {
        k->changed = false;
        spread(k, k->body, false);
    } while (k->changed);
}

/* ---- which loops ---- */

/* A place in a variable that becomes arrays must name one leaf, or all. */
static bool
place_fits(const Abreast *k, const Inst *place)
{
    const Inst *root = inst_place_root(place);
    if (root->kind != INST_VAR || root->var == k->last || !k->var_differs[root->var->id])
        return true;
    const Type *t = root->var->type;
    if (!type_is_arith(t) || t->leaf_count > LEAVES_MOST)
        return false;
    return place == root || (place->kind == INST_ELEM && affine_component(place) >= 0);
}

static bool
load_fits(const Abreast *k, const Inst *i)
{
    const Inst *root = inst_place_root(i->args.items[0]);
    if (root->kind == INST_IN_CELL)
        return k->t->columns || !task_changes(k->t, root->field);
    return (root->kind == INST_VAR || root->kind == INST_TABLE) && place_fits(k, i->args.items[0]);
}

static bool
store_fits(const Abreast *k, const Inst *i)
{
    const Inst *root = inst_place_root(i->args.items[0]);
    if (root->kind == INST_IN_CELL)
        return true;
    return i->kind == INST_STORE && root->kind == INST_VAR && k->declared[root->var->id] &&
           root->var->type->kind != TYPE_ARRAY && place_fits(k, i->args.items[0]);
}

static bool
inst_fits(const Abreast *k, const Inst *i)
{
    switch (i->kind) {
    case INST_LOAD: return load_fits(k, i);
    case INST_STORE: case INST_ATOMIC: return store_fits(k, i);
    case INST_LOOKUP: case INST_LOOKUP_HASH: return i->access != ACCESS_ACTIVATE;
    case INST_IS_ACTIVE: case INST_LENGTH: case INST_LOGIC: case INST_COND: case INST_IF:
        return true;
    case INST_FOR: case INST_WHILE: case INST_BREAK: case INST_CONTINUE:
        /* see shape_fits */
        return true;
    case INST_ROOT_PLACE: case INST_HALO: case INST_WINDOW_COPY: case INST_WINDOW: case INST_STREAM:
    case INST_ADDRESS:
        return false;
    default: return inst_info(i->kind)->effects == 'P';
    }
}

/* A value that another block could need. */
static bool
type_fits(const Abreast *k, const Inst *i)
{
    bool is_value = inst_info(i->kind)->result == 'V' && i->type->kind != TYPE_VOID;
    return !is_value || !k->differs[i->id] ||
           (type_is_arith(i->type) && i->type->leaf_count <= LEAVES_MOST);
}

static void
note_fit(Inst *i, void *arg)
{
    Abreast *k = arg;
    k->fails |= !inst_fits(k, i) || !type_fits(k, i) || inst_may_fail(i);
}

/* Can be read at any time: a variable, or something in a cell that a loop is at. */
static bool
is_at_hand(const Inst *place)
{
    const Inst *root = inst_place_root(place);
    return root->kind == INST_VAR ||
           (root->kind == INST_IN_CELL && root->args.items[0]->kind == INST_LOOP_CELL);
}

/* A branch that becomes a choice of values: arithmetic, variables, what is at hand. */
static bool
is_choice(const Block *b)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        if (i->kind == INST_LOAD) {
            if (!is_at_hand(i->args.items[0]))
                return false;
        } else if (i->kind == INST_STORE) {
            if (inst_place_root(i->args.items[0])->kind != INST_VAR)
                return false;
        } else if (i->kind == INST_IF || i->kind == INST_LOGIC || i->kind == INST_COND) {
            if (!is_choice(i->blocks[0]) || !is_choice(i->blocks[1]))
                return false;
        } else if (inst_info(i->kind)->effects != 'P')
            return false;
    }
    return true;
}

/* Loops run alike, jumps are taken alike; in sequential loops, branches can become choices. */
static void
note_shape(Abreast *k, const Block *b, bool in_loop)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        bool loop = i->kind == INST_FOR || i->kind == INST_WHILE, differs = k->differs[i->id];
        if (i->kind == INST_WHILE)
            differs = block_differs(k, i->blocks[0]);
        if (i->kind == INST_IF && differs)
            k->fails |= in_loop ? !is_choice(i->blocks[0]) || !is_choice(i->blocks[1]) : false;
        k->fails |= loop && differs;
        k->worth += loop && block_differs(k, i->blocks[i->kind == INST_WHILE]);
        for (int s = 0; s < 2; s++)
            note_shape(k, i->blocks[s], in_loop || loop);
    }
}

static void
note_jump(Inst *i, void *arg)
{
    Abreast *k = arg;
    k->fails |= i->kind == INST_BREAK || i->kind == INST_CONTINUE || i->kind == INST_FOR ||
                i->kind == INST_WHILE;
}

static void
note_jumps(Inst *i, void *arg)
{
    Abreast *k = arg;
    for (int s = 0; i->kind == INST_IF && k->differs[i->id] && s < 2; s++)
        block_walk(i->blocks[s], note_jump, k);
}

static bool
fits(Abreast *k)
{
    k->declared = ARENA_ARRAY(k->c->scratch, bool, k->f->vars.count);
    block_note_declared(k->body, k->declared);
    find_differing(k);
    block_walk(k->body, note_fit, k);
    block_walk(k->body, note_jumps, k);
    note_shape(k, k->body, false);
    return !k->fails && k->worth;
}

/* ---- branches become choices ---- */

static Inst *
add(Abreast *k, Block *b, InstKind kind, const Type *type, Span span)
{
    Inst *i = ir_new(k->c, kind, type, span);
    i->id = k->inst_count; /* of none that was there before */
    block_add(k->c, b, i);
    return i;
}

/* A value for a place that holds it only where the condition is as `when` says. */
static Inst *
choose(Abreast *k, Block *to, Inst *condition, bool when, const Inst *store)
{
    Inst *value = store->args.items[1];
    Inst *old = add(k, to, INST_LOAD, value->type, store->span);
    ir_arg(k->c, old, store->args.items[0]);
    Inst *choice = add(k, to, INST_SELECT, value->type, store->span);
    ir_arg(k->c, choice, condition);
    ir_arg(k->c, choice, when ? value : old);
    ir_arg(k->c, choice, when ? old : value);
    return choice;
}

static void
flatten(Abreast *k, Block *to, const Inst *branch)
{
    Inst *condition = branch->args.items[0];
    for (int s = 0; s < 2; s++) {
        const Block *from = branch->blocks[s];
        for (int n = 0; from && n < from->insts.count; n++) {
            Inst *i = from->insts.items[n];
            if (i->kind == INST_STORE && !i->defines)
                i->args.items[1] = choose(k, to, condition, s == 0, i);
            block_add(k->c, to, i);
        }
    }
}

/* `flat`: in a branch that becomes a choice. */
static void
choices_in(Abreast *k, Block *b, bool in_loop, bool flat)
{
    Block out = {.result = b->result};
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        bool loop = i->kind == INST_FOR || i->kind == INST_WHILE;
        bool choice = i->kind == INST_IF && (flat || (in_loop && k->differs[i->id]));
        for (int s = 0; s < 2; s++)
            if (i->blocks[s])
                choices_in(k, i->blocks[s], in_loop || loop, choice);
        if (choice)
            flatten(k, &out, i);
        else
            block_add(k->c, &out, i);
    }
    *b = out;
}

/* ---- blocks of what differs ---- */

static void
note_group(Abreast *k, Inst *i, Inst *group)
{
    k->group[i->id] = group;
    for (int s = 0; s < 2; s++)
        for (int n = 0; i->blocks[s] && n < i->blocks[s]->insts.count; n++)
            note_group(k, i->blocks[s]->insts.items[n], group);
}

/* Iterations that do not exist have no cells, and no index that is inside of anything. They change
 * nothing but variables. */
static void
note_memory(Inst *i, void *arg)
{
    bool *all = arg;
    switch (i->kind) {
    case INST_LOOP_CELL: case INST_IN_CELL: case INST_LOOKUP: case INST_LOOKUP_HASH:
    case INST_IS_ACTIVE: case INST_LENGTH: case INST_GET_AT:
        *all = false;
        break;
    case INST_ELEM:
        for (int a = 1; a < i->args.count; a++)
            *all &= i->args.items[a]->kind == INST_CONST;
        break;
    case INST_STORE:
        *all &= inst_place_root(i->args.items[0])->kind == INST_VAR;
        break;
    default:
        *all &= inst_info(i->kind)->effects != 'W' && inst_info(i->kind)->effects != 'X';
    }
}

static void
close_group(Abreast *k, Block *out, Inst **group)
{
    if (*group)
        block_add(k->c, out, *group);
    *group = NULL;
}

static void
gather(Abreast *k, Block *b)
{
    Block out = {.result = b->result};
    Inst *group = NULL;
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        bool control = (i->blocks[0] && i->kind != INST_LOGIC && i->kind != INST_COND) ||
                       i->kind == INST_BREAK || i->kind == INST_CONTINUE;
        if (k->differs[i->id]) {
            if (!group) {
                group = ir_new(k->c, INST_ABREAST, NULL, i->span);
                group->blocks[0] = ARENA_NEW(k->c->arena, Block);
            }
            block_add(k->c, group->blocks[0], i);
            note_group(k, i, group);
            continue;
        }
        if (control || i->kind == INST_STORE)
            close_group(k, &out, &group);
        for (int s = 0; control && s < 2; s++)
            if (i->blocks[s])
                gather(k, i->blocks[s]);
        block_add(k->c, &out, i);
    }
    close_group(k, &out, &group);
    *b = out;
}

/* ---- values that two blocks use ---- */

typedef struct {
    Abreast *k;
    Inst *group;
    Block before;          /* goes to the start of the group */
    Inst **copies;         /* by instruction: what stands for it in this group */
    VEC(Inst *) made;      /* those that have a copy */
} Copies;

/* Followed by every iteration from what it knows itself. */
static bool
is_cheap(const Abreast *k, const Inst *i)
{
    if (i->kind == INST_CONST)
        return true;
    if (i->kind == INST_LOAD)
        return i->args.items[0]->kind == INST_VAR && i->args.items[0]->var == k->last;
    return i->kind == INST_CAST && is_cheap(k, i->args.items[0]);
}

static Inst *
var_place(Abreast *k, Block *b, Var *v, Span span)
{
    Inst *i = add(k, b, INST_VAR, v->type, span);
    i->var = v;
    return i;
}

/* Keeps a value in a variable from where it is computed on. */
static Var *
keep(Abreast *k, Inst *i)
{
    Block *b = k->group[i->id]->blocks[0], out = {.result = b->result};
    Var *v = k->kept[i->id];
    if (v)
        return v;
    v = k->kept[i->id] = ir_new_var(k->c, k->f, "kept", i->type, (Span){0});
    for (int n = 0; n < b->insts.count; n++) {
        block_add(k->c, &out, b->insts.items[n]);
        if (b->insts.items[n] != i)
            continue;
        Inst *place = var_place(k, &out, v, i->span),
             *store = add(k, &out, INST_STORE, NULL, i->span);
        ir_arg(k->c, store, place);
        ir_arg(k->c, store, i);
        store->defines = true;
    }
    *b = out;
    return v;
}

static Inst *
clone_of(Copies *w, Inst *i)
{
    Abreast *k = w->k;
    if (i->id >= k->inst_count || !k->differs[i->id] || k->group[i->id] == w->group)
        return i;
    if (w->copies[i->id])
        return w->copies[i->id];
    Inst *copy;
    bool again = inst_info(i->kind)->result != 'V' || is_cheap(k, i);
    if (again) {
        copy = ARENA_NEW(k->c->arena, Inst);
        *copy = *i;
        copy->args = (Insts){0};
        for (int a = 0; a < i->args.count; a++)
            ir_arg(k->c, copy, clone_of(w, i->args.items[a]));
        block_add(k->c, &w->before, copy);
    } else {
        Var *v = keep(k, i);
        Inst *place = var_place(k, &w->before, v, i->span);
        copy = add(k, &w->before, INST_LOAD, i->type, i->span);
        ir_arg(k->c, copy, place);
    }
    w->copies[i->id] = copy;
    vec_push(k->c->scratch, &w->made, i);
    return copy;
}

static void
copy_args(Inst *i, void *arg)
{
    Copies *w = arg;
    for (int a = 0; a < i->args.count; a++)
        i->args.items[a] = clone_of(w, i->args.items[a]);
    for (int s = 0; s < 2; s++)
        if (i->blocks[s] && i->blocks[s]->result)
            i->blocks[s]->result = clone_of(w, i->blocks[s]->result);
}

static void
copy_into_group(Inst *i, void *arg)
{
    Copies *w = arg;
    if (i->kind != INST_ABREAST)
        return;
    w->group = i;
    w->before = (Block){0};
    block_walk(i->blocks[0], copy_args, w);
    for (int n = 0; n < i->blocks[0]->insts.count; n++)
        block_add(w->k->c, &w->before, i->blocks[0]->insts.items[n]);
    i->blocks[0]->insts = w->before.insts;
    for (int n = 0; n < w->made.count; n++)
        w->copies[w->made.items[n]->id] = NULL;
    w->made.count = 0;
}

/* ---- variables that two blocks use ---- */

typedef struct {
    Abreast *k;
    Inst *group;
} InGroup;

static void
note_use(Inst *i, void *arg)
{
    InGroup *in = arg;
    Abreast *k = in->k;
    if (i->kind != INST_VAR || i->var == k->last)
        return;
    Inst **one = &k->var_group[i->var->id];
    if (*one && *one != in->group)
        k->var_crosses[i->var->id] = true;
    *one = in->group;
}

static void
note_uses(Inst *i, void *arg)
{
    if (i->kind == INST_ABREAST)
        block_walk(i->blocks[0], note_use, &(InGroup){arg, i});
}

/* The leaves that a place in a variable names: from the first on, as many as it has. Negative where
 * that is not known: in variables that are the same for all iterations. */
static int
first_leaf(const Inst *place)
{
    return place->kind == INST_ELEM ? affine_component(place) : 0;
}

static void
note_leaves(Inst *i, void *arg)
{
    Abreast *k = arg;
    const Inst *place = i->kind == INST_LOAD || i->kind == INST_STORE ? i->args.items[0] : NULL;
    const Inst *root = place ? inst_place_root(place) : NULL;
    const int first = root && root->kind == INST_VAR ? first_leaf(place) : -1;
    if (first < 0 || !k->var_crosses[root->var->id])
        return;
    k->var_stored[root->var->id] |= i->kind == INST_STORE;
    for (int l = 0; i->kind == INST_LOAD && l < i->type->leaf_count; l++)
        k->leaf_loaded[root->var->id * LEAVES_MOST + first + l] = true;
}

static void
note_loads(Inst *i, void *arg)
{
    if (i->kind == INST_ABREAST)
        block_walk(i->blocks[0], note_leaves, arg);
}

/* Variables that cross and differ get arrays, one a leaf. */
static void
make_arrays(Abreast *k)
{
    static const char xyzw[] = "xyzw";
    int count = k->f->vars.count;
    k->var_stored = ARENA_ARRAY(k->c->scratch, bool, count);
    k->leaf_loaded = ARENA_ARRAY(k->c->scratch, bool, count * LEAVES_MOST);
    k->var_group = ARENA_ARRAY(k->c->scratch, Inst *, count);
    k->var_crosses = ARENA_ARRAY(k->c->scratch, bool, count);
    k->leaves = ARENA_ARRAY(k->c->scratch, Var *, count * LEAVES_MOST);
    k->var_count = count;
    block_walk(k->body, note_uses, k);
    block_walk(k->body, note_loads, k);
    for (int n = 0; n < count; n++) {
        Var *v = k->f->vars.items[n];
        if (!k->var_crosses[v->id] || !k->var_stored[v->id])
            continue;
        const Type *leaf = type_scalar(k->ir->prog->types, v->type->scalar);
        for (int l = 0; l < v->type->leaf_count; l++) {
            const char *name = v->name;
            if (v->type->leaf_count > 1)
                name = v->type->cols || v->type->rows > 4
                           ? arena_printf(k->c->arena, "%s_%d", v->name, l)
                           : arena_printf(k->c->arena, "%s_%c", v->name, xyzw[l]);
            Var *array = k->leaves[v->id * LEAVES_MOST + l] =
                ir_new_var(k->c, k->f, name, leaf, (Span){0});
            if (k->leaf_loaded[v->id * LEAVES_MOST + l])
                vec_push(k->c->arena, &k->t->abreast, array);
        }
    }
}

static Var *
leaf_of(const Abreast *k, const Var *v, int leaf)
{
    return v->id < k->var_count ? k->leaves[v->id * LEAVES_MOST + leaf] : NULL;
}

/* The variable of a place that arrays stand for, and the first of them. */
static const Var *
arrays_of(const Abreast *k, const Inst *place, int *first)
{
    const Inst *root = inst_place_root(place);
    if (root->kind != INST_VAR || root->var == k->last || !leaf_of(k, root->var, 0))
        return NULL;
    *first = first_leaf(place);
    return root->var;
}

static void
load_arrays(Abreast *k, Block *out, Inst *i, const Var *v, int first)
{
    Insts parts = {0};
    for (int l = 0; l < i->type->leaf_count; l++) {
        Inst *place = var_place(k, out, leaf_of(k, v, first + l), i->span), *load = i;
        if (i->type->leaf_count > 1)
            load = ir_new(k->c, INST_LOAD, place->type, i->span);
        load->args = (Insts){0};
        ir_arg(k->c, load, place);
        block_add(k->c, out, load);
        vec_push(k->c->arena, &parts, load);
    }
    if (i->type->leaf_count == 1)
        return;
    i->kind = INST_MAKE;
    i->args = parts;
    block_add(k->c, out, i);
}

static void
store_arrays(Abreast *k, Block *out, const Inst *i, const Var *v, int first)
{
    Inst *value = i->args.items[1];
    for (int l = 0; l < value->type->leaf_count; l++) {
        Inst *part = value;
        if (!k->leaf_loaded[v->id * LEAVES_MOST + first + l])
            continue;
        if (value->type->leaf_count > 1) {
            part = add(k, out, INST_GET, leaf_of(k, v, 0)->type, i->span);
            part->index = l;
            ir_arg(k->c, part, value);
        }
        Inst *place = var_place(k, out, leaf_of(k, v, first + l), i->span),
             *store = add(k, out, INST_STORE, NULL, i->span);
        ir_arg(k->c, store, place);
        ir_arg(k->c, store, part);
    }
}

static void
use_arrays(Abreast *k, Block *b)
{
    Block out = {.result = b->result};
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        int first = 0;
        const Var *v = i->kind == INST_LOAD || i->kind == INST_STORE
                           ? arrays_of(k, i->args.items[0], &first)
                           : NULL;
        for (int s = 0; s < 2; s++)
            if (i->blocks[s])
                use_arrays(k, i->blocks[s]);
        if (v && i->kind == INST_LOAD)
            load_arrays(k, &out, i, v, first);
        else if (v)
            store_arrays(k, &out, i, v, first);
        else if (inst_info(i->kind)->result != 'P' || !arrays_of(k, i, &first))
            block_add(k->c, &out, i);
    }
    *b = out;
}

/* ---- the whole ---- */

static void
note_all(Inst *i, void *arg)
{
    (void)arg;
    if (i->kind != INST_ABREAST)
        return;
    bool all = true;
    block_walk(i->blocks[0], note_memory, &all);
    i->speculative = all;
}

static void
go_abreast(Abreast *k)
{
    choices_in(k, k->body, false, false);
    find_differing(k);
    k->group = ARENA_ARRAY(k->c->scratch, Inst *, k->inst_count);
    k->kept = ARENA_ARRAY(k->c->scratch, Var *, k->inst_count);
    gather(k, k->body);
    Copies w = {.k = k, .copies = ARENA_ARRAY(k->c->scratch, Inst *, k->inst_count)};
    block_walk(k->body, copy_into_group, &w);
    make_arrays(k);
    use_arrays(k, k->body);
    block_walk(k->body, note_all, NULL);
    k->t->goes_abreast = true;
}

bool
outer_vector_make(Compile *c, const Ir *ir, IrFunc *f, Task *t, Block *body, const Var *last)
{
    Abreast k = {.c = c, .ir = ir, .f = f, .t = t, .body = body, .last = last};
    const bool can = fits(&k);
    if (can) {
        go_abreast(&k);
    } else { /* a function may have thousands of such loops */
        arena_release(c->scratch, k.differs, (size_t)k.inst_count);
        arena_release(c->scratch, k.var_differs, (size_t)k.var_count);
        arena_release(c->scratch, k.declared, (size_t)f->vars.count);
    }
    return can;
}
