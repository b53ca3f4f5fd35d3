/* Loops over bitmasked cells that compute all cells of a word of the mask, as vectors, and keep
 * what they computed for the active ones.
 *
 *   $0 = offloaded struct_for(S2bitmasked) {  →  $0 = offloaded struct_for(S2bitmasked) words(4) {
 *       $5 = loop cell S2bitmasked                   (the same)
 *
 * Cells that are not active have memory, which holds the ambient value, so computing them does no
 * harm where the body cannot fail, changes nothing but its own cell and its own variables, and
 * reads nothing but these and what all iterations share: no other address follows from the
 * number of the cell. And all of it must be what C compilers make vectors of, else the
 * cells that are not active would be computed one by one. Words with few active cells go bit by
 * bit: how many are few follows from the bytes of the widest numbers, `words(8)`.
 *
 * Floats are accumulated in lanes, by the number of the cell in its word. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/pass.h"

typedef struct {
    const Task *t;
    bool *local; /* by variable id: declared in the body */
    bool fits;
    int bytes;   /* of the widest numbers */
} Look;

/* Numbers that vectors have on all processors. */
static bool
is_number(const Type *type)
{
    return type->kind == TYPE_SCALAR && type->scalar != SCALAR_F16;
}

static bool
is_wide_integer(const Type *type)
{
    return type_is_integer(type) && type->bytes == 8;
}

/* Casts of floats to integers saturate, and the first vectors have none between floats and integers
 * of 64 bits. */
static bool
is_vector_cast(const Type *from, const Type *to)
{
    if (type_is_float(from))
        return type_is_float(to);
    return !type_is_float(to) || !is_wide_integer(from);
}

static bool
is_vector_builtin(const Inst *i)
{
    if (i->builtin <= BUILTIN_POW)
        return i->builtin != BUILTIN_POW || i->type->scalar == SCALAR_F32;
    switch ((int)i->builtin) {
    case BUILTIN_SQRT: case BUILTIN_RSQRT: case BUILTIN_FMA: case BUILTIN_MIX: case BUILTIN_STEP:
    case BUILTIN_ABS: case BUILTIN_SIGN: case BUILTIN_MIN: case BUILTIN_MAX: case BUILTIN_CLAMP:
        return true;
    default: return false;
    }
}

static bool
is_vector_operation(const Inst *i)
{
    switch ((int)i->op) {
    case OP_DIV: return type_is_float(i->type);
    case OP_MOD: return false;
    case OP_SHL: case OP_SHR: return i->type->bytes >= 4;
    default: return true;
    }
}

static bool
is_in_own_cell(const Look *k, const Inst *place)
{
    const Inst *cell = place->kind == INST_IN_CELL ? place->args.items[0] : NULL;
    return cell && cell->kind == INST_LOOP_CELL && !cell->var && cell->node == k->t->node;
}

static bool
can_store(const Look *k, const Inst *place)
{
    if (place->kind == INST_VAR)
        return k->local[place->var->id];
    return is_in_own_cell(k, place) && place->field->type->kind == TYPE_SCALAR;
}

/* Does a place serve to load, store and add up only? */
static bool
uses_places_plainly(const Inst *i)
{
    for (int a = 0; a < i->args.count; a++)
        if (inst_info(i->args.items[a]->kind)->result == 'P' &&
            (a || (i->kind != INST_LOAD && i->kind != INST_STORE && i->kind != INST_ATOMIC &&
                   i->kind != INST_REDUCE)))
            return false;
    return true;
}

static bool
fits(const Look *k, const Inst *i)
{
    if ((i->type && i->type->kind != TYPE_VOID && !is_number(i->type)) || !uses_places_plainly(i))
        return false;
    switch ((int)i->kind) {
    case INST_CONST: case INST_PARAM: case INST_UNARY: case INST_FMA: case INST_SELECT:
    case INST_LOGIC: case INST_COND: case INST_IF: case INST_VAR: case INST_LOOP_CELL:
    case INST_IN_CELL:
        return true;
    case INST_BINARY: return is_vector_operation(i);
    case INST_CAST: return is_vector_cast(i->args.items[0]->type, i->type);
    case INST_BUILTIN: return is_vector_builtin(i);
    case INST_LOAD:
        return i->args.items[0]->kind == INST_VAR || is_in_own_cell(k, i->args.items[0]);
    case INST_STORE: return can_store(k, i->args.items[0]);
    case INST_REDUCE: return i->args.items[0]->kind == INST_VAR;
    case INST_ATOMIC: return i->plain && can_store(k, i->args.items[0]);
    default: return false;
    }
}

static void
note_local(Inst *i, void *arg)
{
    Look *k = arg;
    if (i->kind == INST_STORE && i->declares)
        k->local[i->args.items[0]->var->id] = true;
}

/* Functions such as sin are computed in f64. */
static int
bytes_of(const Inst *i)
{
    if (!i->type || i->type->kind != TYPE_SCALAR)
        return 0;
    return i->kind == INST_BUILTIN && i->builtin <= BUILTIN_POW ? 8 : (int)i->type->bytes;
}

static void
check(Inst *i, void *arg)
{
    Look *k = arg;
    k->fits = k->fits && fits(k, i);
    k->bytes = bytes_of(i) > k->bytes ? bytes_of(i) : k->bytes;
}

/* Are floats accumulated? They are kept in f64. */
static bool
sums_floats(const Task *t)
{
    bool floats = false;
    for (int r = 0; r < t->reductions.count; r++)
        floats |= type_is_float(t->reductions.items[r].var->type);
    return floats;
}

/* Are all cells of each word in the container? */
static bool
has_whole_words(const Node *n)
{
    return n->cell_count > 0 && (n->cell_count <= 64 || n->cell_count % 64 == 0);
}

static void
find_words(Compile *c, const IrFunc *f, const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        find_words(c, f, &t->tasks);
        find_words(c, f, &t->orelse);
        if (t->kind != TASK_STRUCT_FOR || !t->node || t->node->kind != NODE_BITMASKED ||
            t->use_list || t->inside || t->within || !has_whole_words(t->node))
            continue;
        Look k = {.t = t, .fits = true};
        k.local = ARENA_ARRAY(c->scratch, bool, ir_var_limit(f));
        block_walk(t->body, note_local, &k);
        block_walk(t->body, check, &k);
        if (!k.fits)
            continue;
        t->lanes = sums_floats(t);
        t->words = t->lanes ? 8 : k.bytes;
    }
}

void
pass_words(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    if (!c->options.gpu)
        find_words(c, f, &f->tasks);
}
