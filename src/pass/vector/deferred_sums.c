/* Deferred sums into elements of arrays. A loop that adds to elements at computed indices cannot be
 * vectorised, because two iterations may add to one element. If the loop does nothing else to the
 * array, several iterations compute at once what they add. Then it is added, one iteration after
 * the other. Elements that lie side by side are added to as a vector.
 *
 *     struct_for(x) scatter(S1dense) {       struct_for(x) batch(27) scatter(S1dense) {
 *         $9 = lookup $1[$7]             →       $9 = lookup $1[$7]
 *         $20 = lookup $1[$18]                   $20 = lookup $1[$7 + 129]
 *         $21 = atomic add $20 <- $15            $21 = atomic add $20 <- $15
 *
 * defer_scatter.c decides which loops are worth it. */
#include "config.h"

#include "pass/vector/deferred_sums.h"

#include <assert.h>

#include "analysis/linear.h"
#include "ir/lower.h"

enum { SUMS_MOST = 512, BASES_MOST = 8 };

/* ---- the list ---- */

/* The look-up in a dense node at the top that a place begins with, or NULL. */
static Inst *
lookup_of(Inst *place)
{
    const Inst *in_cell = affine_place_base(place);
    Inst *lookup = in_cell->kind == INST_IN_CELL ? in_cell->args.items[0] : NULL;
    bool top = lookup && lookup->kind == INST_LOOKUP && lookup->node->kind == NODE_DENSE &&
               lookup->args.items[0]->kind == INST_ROOT;
    return top ? lookup : NULL;
}

/* What stands after it is not done by all iterations. */
static void
note_continue(Inst *i, void *arg)
{
    bool *fits = arg;
    if (i->kind == INST_CONTINUE)
        *fits = false;
}

/* What cells are counted from: the number that was found first of those with these terms. */
typedef struct {
    const Node *node;
    Linear number;
} Base;

typedef struct {
    Compile *c;
    Base bases[BASES_MOST];
    int base_count;
} Bases;

/* The base of a number of a cell; -1 when there are too many. */
static int
base_of(Bases *b, const Node *n, const Linear *number)
{
    for (int k = 0; k < b->base_count; k++)
        if (b->bases[k].node == n && linear_has_same_terms(&b->bases[k].number, number))
            return k;
    if (b->base_count == BASES_MOST)
        return -1;
    b->bases[b->base_count] = (Base){n, *number};
    return b->base_count++;
}

/* Puts a sum on the list behind those with addresses that are not higher. */
static bool
note_sum(Bases *b, const AffineFacts *x, Task *t, Inst *sum)
{
    Inst *lookup = lookup_of(sum->args.items[0]);
    int leaf = affine_place_leaf(sum->args.items[0]);
    if (!lookup || leaf < 0 || sum->type->kind != TYPE_SCALAR)
        return false;
    const Linear number = linear_of(x, t, lookup->args.items[1]);
    int base = number.fits ? base_of(b, lookup->node, &number) : -1;
    if (base < 0)
        return false;
    int64_t cells = number.constant - b->bases[base].number.constant;
    const Field *f = affine_place_base(sum->args.items[0])->field;
    BatchSum new = {sum, lookup, base, cells,
                    cells * lookup->node->cell_bytes + f->leaves[leaf].cell_offset};
    int at = t->batch.count;
    vec_push(b->c->arena, &t->batch, new);
    for (; at > 0 &&
           (t->batch.items[at - 1].base > base ||
            (t->batch.items[at - 1].base == base && t->batch.items[at - 1].byte > new.byte));
         at--)
        t->batch.items[at] = t->batch.items[at - 1];
    t->batch.items[at] = new;
    return true;
}

void
deferred_sums_find(Compile *c, const AffineFacts *x, Task *t)
{
    Bases *b = ARENA_NEW(c->scratch, Bases);
    bool fits = t->updates <= SUMS_MOST;
    b->c = c;
    block_walk(t->body, note_continue, &fits);
    for (int n = 0; n < t->body->insts.count && fits; n++) {
        Inst *i = t->body->insts.items[n];
        if (i->kind == INST_ATOMIC && !i->plain)
            fits = note_sum(b, x, t, i) && i->type->scalar == t->batch.items[0].sum->type->scalar;
    }
    if (!fits || t->batch.count != t->updates) /* some stand inside of branches or loops */
        t->batch.count = 0;
}

/* ---- numbers ---- */

const BatchSum *
deferred_sums_first(const Task *t, int base)
{
    const BatchSum *first = NULL;
    for (int k = 0; k < t->batch.count; k++)
        if (t->batch.items[k].base == base &&
            (!first || t->batch.items[k].sum->id < first->sum->id))
            first = &t->batch.items[k];
    return first;
}

/* The number of a cell becomes that of another one and a constant. */
static void
count_from(Lower *l, const Inst *first, Inst *lookup, int64_t cells)
{
    lookup->args.items[1] = first->args.items[1];
    if (!cells)
        return;
    l->span = lookup->span;
    Inst *by = lower_integer(l, SCALAR_I64, cells < 0 ? -cells : cells);
    lookup->args.items[1] = lower_binary(l, cells < 0 ? OP_SUB : OP_ADD, first->args.items[1], by);
}

void
deferred_sums_share_numbers(Compile *c, Ir *ir, IrFunc *f, Task *t)
{
    Lower l = {.c = c, .p = ir->prog, .f = f};
    Block *b = t->body;
    ir_number(f);
    Insts old = block_take(b);
    l.block = b;
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        for (int k = 0; i->kind == INST_LOOKUP && k < t->batch.count; k++) {
            const BatchSum *s = &t->batch.items[k];
            if (s->lookup != i)
                continue;
            const BatchSum *first = deferred_sums_first(t, s->base);
            assert(first); /* s is one of them */
            count_from(&l, first->lookup, i, s->cells - first->cells);
            break;
        }
        block_add(c, b, i);
    }
    insts_free(c, &old);
}

/* ---- numbers of gathers ---- */

/* The number of a cell before it was made one of 32 bits (scalarize.c). Where both differ, there is
 * no such cell. */
static Inst *
wide_number(const Inst *lookup)
{
    Inst *number = lookup->args.items[1],
         *narrow = number->kind == INST_CAST ? number->args.items[0] : NULL;
    bool narrowed = narrow && narrow->kind == INST_CAST && narrow->type->scalar == SCALAR_I32 &&
                    narrow->args.items[0]->type->scalar == SCALAR_I64;
    return narrowed ? narrow->args.items[0] : number;
}

void
deferred_sums_share_gathered(Compile *c, Ir *ir, IrFunc *f, const AffineFacts *x, Task *t)
{
    Lower l = {.c = c, .p = ir->prog, .f = f, .block = t->body};
    Bases *b = ARENA_NEW(c->scratch, Bases);
    const Inst *first[BASES_MOST] = {NULL};
    Insts old = block_take(t->body);
    b->c = c;
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        bool top = i->kind == INST_LOOKUP && i->node->kind == NODE_DENSE &&
                   i->args.items[0]->kind == INST_ROOT;
        const Linear number = top ? linear_of(x, t, wide_number(i)) : (Linear){0};
        int base = number.fits ? base_of(b, i->node, &number) : -1;
        if (base >= 0 && !first[base])
            first[base] = i;
        if (base >= 0)
            count_from(&l, first[base], i, number.constant - b->bases[base].number.constant);
        block_add(c, t->body, i);
    }
    insts_free(c, &old);
}
