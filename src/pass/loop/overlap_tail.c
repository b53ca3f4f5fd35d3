/* Tail folding by overlap, for loops along rows of numbers of one or two bytes. A vector holds many
 * of these, so many iterations are left over behind the last whole vector: 62 of 510. A loop that
 * reads nothing it changes may do iterations twice. Its rows go in strips as long as a vector, and
 * the last strip begins where it ends with the row.
 *
 *     range_for(i32 i in 1..511, i32 j in 1..511) simd {          range_for(...) simd strips(64) {
 *         ...                                                         (the same)
 *         <u8> $9 = in cell $8 x                              →
 *         <u8> $10 = load $9
 *
 * Which rows have iterations left over is known when the loop is written (strip_tails.c). */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

enum { VECTOR_BYTES = 64, BYTES_MOST = 2 };

typedef struct {
    const Task *t;
    bool *declared;     /* by variable id: in the body, or in that of another loop */
    bool fails;         /* something must not be done again */
    int least;          /* bytes of the smallest number in a cell; 0: there is none */
} Tails;

/* May it be read or stored again? */
static bool
access_fits(const Tails *k, const Inst *i)
{
    const Inst *root = inst_place_root(i->args.items[0]);
    const bool loads = i->kind == INST_LOAD;
    switch ((int)root->kind) {
    case INST_IN_CELL: return !loads || !task_changes(k->t, root->field);
    case INST_VAR: return loads || k->declared[root->var->id];
    case INST_TABLE: return true;
    default: return false;
    }
}

static bool
inst_fits(const Tails *k, const Inst *i)
{
    switch ((int)i->kind) {
    case INST_LOAD: case INST_STORE: return access_fits(k, i);
    case INST_LOOKUP: return i->access != ACCESS_ACTIVATE;
    case INST_IF: case INST_FOR: case INST_LOGIC: case INST_COND: return true;
    default: return inst_info(i->kind)->effects == 'P';
    }
}

static void
note_inst(Inst *i, void *arg)
{
    Tails *k = arg;
    k->fails |= !inst_fits(k, i) || inst_may_fail(i);
    if ((i->kind != INST_LOAD && i->kind != INST_STORE) ||
        inst_place_root(i->args.items[0])->kind != INST_IN_CELL)
        return;
    const Type *type = i->args.items[0]->type;
    if (type->kind != TYPE_SCALAR)
        k->fails = true;
    else if (!k->least || type->bytes < k->least)
        k->least = (int)type->bytes;
}

/* How many iterations a strip has; 0: the loop has none. */
static int
strip_of(bool *declared, const Task *t)
{
    Tails k = {.t = t, .declared = declared};
    if (!task_is_plain(t) || !t->simd || t->lanes || t->goes_abreast || t->stride || t->batches ||
        t->before || t->ahead_strips.count)
        return 0;
    block_note_declared(t->body, k.declared);
    block_walk(t->body, note_inst, &k);
    block_note_declared(t->inside, k.declared);
    block_walk(t->inside, note_inst, &k);
    return k.fails || !k.least || k.least > BYTES_MOST ? 0 : VECTOR_BYTES / k.least;
}

void
pass_overlap_tail(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    bool *declared = ARENA_ARRAY(c->scratch, bool, f->vars.count);
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        loops.items[n]->strip = strip_of(declared, loops.items[n]);
}
