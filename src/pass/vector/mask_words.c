/* Predicated vectorisation over masks. A loop over bitmasked cells computes all cells of a word of
 * the mask, as vectors, and keeps what it computed for the active ones.
 *
 *   $0 = offloaded struct_for(S2bitmasked) {  →  $0 = offloaded struct_for(S2bitmasked) words(4) {
 *       $5 = loop cell S2bitmasked                   (the same)
 *
 * Cells that are not active have memory, which holds the ambient value. Computing them does no harm
 * if the body cannot fail and changes nothing but its own cell and its own variables. It reads
 * these, values that all iterations share, and elements and neighbours that lie side by side as the
 * cells do. C compilers must be able to vectorise all of it, or inactive cells would be computed
 * one by one. Words with few active cells go bit by bit. The bytes of the widest number say how
 * many are few: `words(8)`. Words whose neighbours would lie outside of the array go bit by bit
 * too, because inactive cells there have no neighbours. `words(4 near -16 16)` gives the numbers of
 * the first and last neighbour, counted from the own cell.
 *
 * Floats are accumulated in lanes, by the number of the cell in its word. */
#include "config.h"

#include "pass/pass.h"

#include <limits.h>

#include "analysis/linear.h"
#include "analysis/vector_ops.h"
#include "ir/inst_info.h"

/* The number of another cell that is read, and what it is more than that of the loop's own. */
typedef struct {
    Inst *number;
    int offset;
} Neighbour;

typedef struct {
    Compile *c;
    IrFunc *f;
    const Task *t;
    AffineFacts *indices; /* of the function; NULL: not needed yet */
    bool *local; /* by variable id: declared in the body */
    bool fits;
    int bytes;   /* of the widest numbers */
    VEC(Neighbour) near;
    int64_t first, last; /* of their offsets */
} LoopSurvey;

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

static bool
is_in_own_cell(const LoopSurvey *k, const Inst *place)
{
    const Inst *cell = place->kind == INST_IN_CELL ? place->args.items[0] : NULL;
    return cell && cell->kind == INST_LOOP_CELL && cell->node == k->t->node;
}

/* Do the cells of both lie in the same order in their containers? */
static bool
has_shape_of(const Node *a, const Node *b)
{
    if (a->axis_count != b->axis_count)
        return false;
    for (int k = 0; k < a->axis_count; k++)
        if (a->axes[k] != b->axes[k] || a->stored[k] != b->stored[k])
            return false;
    return true;
}

/* Cells along an axis, with those that only padding has. */
static int64_t
stored_extent(const Node *n, int axis)
{
    int64_t extent = 1;
    for (; n; n = n->parent)
        for (int k = 0; k < n->axis_count; k++)
            if (n->axes[k] == axis)
                extent *= n->stored[k];
    return extent;
}

/* Is the field only read at the loop's own index, which it has for all cells of the loop's words,
 * those that are not active too? */
static bool
is_at_own_index(const Task *t, const Field *f)
{
    const Footprint *p = footprint_of(&t->effects.reads, f);
    bool own = p && p->own_index;
    for (int k = 0; own && k < f->axis_count; k++)
        own = p->var[k] == node_axis_rank(t->node, f->axes[k]) && !p->offset_min[k] &&
              !p->offset_max[k] && f->extents[k] >= stored_extent(t->node, f->axes[k]);
    return own;
}

static bool
has_term(const Linear *sum, const Var *v, int64_t times)
{
    for (int k = 0; k < sum->count; k++)
        if (sum->terms[k].var == v && sum->terms[k].times == times)
            return true;
    return false;
}

/* Is the number of a cell at the top that of the loop's own cell plus a constant, the offset? */
static bool
counts_from_own(LoopSurvey *k, const Inst *number, int64_t *offset)
{
    const Task *t = k->t;
    const Node *n = t->node;
    if (t->vars.count != n->axis_count)
        return false;
    if (!k->indices)
        k->indices = affine_new(k->c, k->f);
    const Linear sum = linear_of(k->indices, t, number);
    int64_t stride = 1;
    bool is = sum.fits && sum.count == n->axis_count && sum.constant > INT_MIN / 2 &&
              sum.constant < INT_MAX / 2;
    for (int a = n->axis_count - 1; is && a >= 0; a--) {
        is = has_term(&sum, t->vars.items[node_axis_rank(n, n->axes[a])], stride);
        stride *= n->stored[a];
    }
    *offset = sum.constant;
    return is;
}

/* An element of another array, or of a neighbour: those of all cells of a word lie side by side. */
static bool
is_in_line(LoopSurvey *k, const Inst *place)
{
    Inst *cell = place->kind == INST_IN_CELL ? place->args.items[0] : NULL;
    int64_t offset = 0;
    if (!cell || cell->kind != INST_LOOKUP || task_changes(k->t, place->field) ||
        cell->node->has_offset || k->t->node->has_offset ||
        !has_shape_of(cell->node, k->t->node))
        return false;
    bool at_top = !k->t->node->parent && !cell->node->parent;
    if (at_top ? !counts_from_own(k, cell->args.items[1], &offset)
               : !is_at_own_index(k->t, place->field))
        return false;
    k->first = offset < k->first ? offset : k->first;
    k->last = offset > k->last ? offset : k->last;
    const Neighbour near = {cell->args.items[1], (int)offset};
    vec_push(k->c->scratch, &k->near, near);
    return true;
}

static bool
can_store(const LoopSurvey *k, const Inst *place)
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
fits(LoopSurvey *k, const Inst *i)
{
    if ((i->type && i->type->kind != TYPE_VOID && !is_number(i->type)) || !uses_places_plainly(i))
        return false;
    switch ((int)i->kind) {
    case INST_CONST: case INST_PARAM: case INST_LOGIC: case INST_COND: case INST_IF: case INST_VAR:
    case INST_LOOP_CELL: case INST_IN_CELL: case INST_ROOT: case INST_CHILD:
        return true;
    case INST_LOOKUP: return i->access == ACCESS_KNOWN || i->access == ACCESS_ADDRESS;
    case INST_LOAD:
        return i->args.items[0]->kind == INST_VAR || is_in_own_cell(k, i->args.items[0]) ||
               is_in_line(k, i->args.items[0]);
    case INST_STORE: return can_store(k, i->args.items[0]);
    case INST_REDUCE: return i->args.items[0]->kind == INST_VAR;
    case INST_ATOMIC: return i->plain && can_store(k, i->args.items[0]);
    default: return vector_ops_have(i);
    }
}

static void
note_local(Inst *i, void *arg)
{
    LoopSurvey *k = arg;
    if (i->kind == INST_STORE && i->defines)
        k->local[i->args.items[0]->var->id] = true;
}

/* Functions such as sin are computed in f64. Integers of 64 bits that are not read from memory are
 * mostly numbers of cells. */
static int
bytes_of(const Inst *i)
{
    if (!i->type || i->type->kind != TYPE_SCALAR ||
        (i->kind != INST_LOAD && is_wide_integer(i->type)))
        return 0;
    return i->kind == INST_BUILTIN && i->builtin <= BUILTIN_POW ? 8 : (int)i->type->bytes;
}

static void
check(Inst *i, void *arg)
{
    LoopSurvey *k = arg;
    k->fits = k->fits && fits(k, i);
    k->bytes = bytes_of(i) > k->bytes ? bytes_of(i) : k->bytes;
}

/* Are all cells of each word in the container? */
static bool
has_whole_words(const Node *n)
{
    return n->cell_count > 0 && (n->cell_count <= 64 || n->cell_count % 64 == 0);
}

/* Cells of other arrays and neighbours are known by the loop's own number, which C compilers cannot
 * see where it is taken apart into indices. */
static void
count_from_own(const LoopSurvey *k)
{
    for (int n = 0; n < k->near.count; n++) {
        Inst *i = k->near.items[n].number;
        i->kind = INST_LOOP_NUMBER;
        i->args = (Insts){0};
        i->node = k->t->node;
        i->index = k->near.items[n].offset;
    }
}

static void
find_words(Compile *c, IrFunc *f, Task *t)
{
    if (t->kind != TASK_STRUCT_FOR || !t->node || t->node->kind != NODE_BITMASKED ||
        t->use_list || !has_whole_words(t->node))
        return;
    LoopSurvey k = {.c = c, .f = f, .t = t, .fits = true};
    k.local = ARENA_ARRAY(c->scratch, bool, ir_var_limit(f));
    block_walk(t->body, note_local, &k);
    block_walk(t->body, check, &k);
    if (!k.fits || ((k.first || k.last) && t->node->cell_count <= 64))
        return;
    count_from_own(&k);
    t->words_first = k.first;
    t->words_last = k.last;
    t->lanes = task_sums_floats(t); /* they are kept in f64 */
    t->words = t->lanes ? 8 : k.bytes;
}

void
pass_mask_words(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        find_words(c, f, loops.items[n]);
}
