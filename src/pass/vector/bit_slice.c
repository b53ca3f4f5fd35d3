/* Bit slicing. Loops by rows of a block (pass mask_rows) may only count and compare what is active.
 * They do so for all cells of a row at once, and for whole blocks. A truth value is a word with a
 * bit a cell, and a small number is a few such words, its planes.
 *
 *     range_for(i in 1..63, j in 1..63) rows {  →  range_for(i in 1..63, j in 1..63) rows planes {
 *
 * Numbers must stay from 0 to 15, which follows from constants, sums and choices. Branches become
 * choices. */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"

enum { LARGEST = 15, NEVER = LARGEST + 1 }; /* SNL_PLANES_LARGEST; more than fits */
enum { ROWS_MOST = 32, SHIFT_MOST = 8 };    /* rows of a block, SNL_BLOCK_ROWS; rows above and below
                                             * it that are read */

typedef struct {
    const Task *t;
    int *most;    /* by variable: the largest number that it holds; bool: 1 */
    bool fits;
} Planes;

static int most_of(const Planes *p, Inst *i);

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

static int
most_of_binary(const Planes *p, Inst *i)
{
    Inst *a = i->args.items[0], *b = i->args.items[1];
    int x = most_of(p, a), y = most_of(p, b);
    if (x >= NEVER || y >= NEVER)
        return NEVER;
    switch (i->op) {
    case OP_ADD:
        i->most = larger(i->most, x + y);
        return type_is_bool(a->type) ? NEVER : i->most;
    case OP_EQ: case OP_NE: case OP_LT: case OP_LE: case OP_GT: case OP_GE: return 1;
    case OP_AND: case OP_OR: case OP_XOR: case OP_LAND: case OP_LOR:
        return type_is_bool(a->type) ? 1 : NEVER;
    default: return NEVER;
    }
}

/* The largest number that a value can be; NEVER where it is none that planes hold, or may be
 * negative. */
static int
most_of(const Planes *p, Inst *i)
{
    if (!i->type || i->type->kind != TYPE_SCALAR ||
        scalar_info(i->type->scalar)->kind == KIND_FLOAT)
        return NEVER;
    switch (i->kind) {
    case INST_CONST: {
        int64_t n = i->value.leaves[0].i;
        return n >= 0 && n <= LARGEST ? (int)n : NEVER;
    }
    case INST_LOAD:
        return i->args.items[0]->kind == INST_VAR ? p->most[i->args.items[0]->var->id] : NEVER;
    case INST_IS_ACTIVE: return i->in_row ? 1 : NEVER;
    case INST_BINARY: return most_of_binary(p, i);
    case INST_UNARY:
        return i->op == OP_NOT && type_is_bool(i->type) ? most_of(p, i->args.items[0]) : NEVER;
    case INST_CAST: {
        int most = most_of(p, i->args.items[0]);
        return most < NEVER && type_is_bool(i->type) ? 1 : most;
    }
    case INST_SELECT:
        return larger(most_of(p, i->args.items[0]),
                      larger(most_of(p, i->args.items[1]), most_of(p, i->args.items[2])));
    case INST_LOGIC: return larger(most_of(p, i->args.items[0]), most_of(p, i->blocks[0]->result));
    case INST_COND:
        return larger(most_of(p, i->args.items[0]),
                      larger(most_of(p, i->blocks[0]->result), most_of(p, i->blocks[1]->result)));
    default: return NEVER;
    }
}

static void
look_at_block(Planes *p, const Block *b, bool always)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        most_of(p, i); /* now, before the variables in it change */
        if (i->kind == INST_STORE) {
            const Inst *place = i->args.items[0];
            int most = most_of(p, i->args.items[1]);
            if (place->kind != INST_VAR || most > LARGEST) {
                p->fits = false;
                return;
            }
            int *now = &p->most[place->var->id];
            *now = always || i->defines ? most : larger(*now, most);
        } else if (i->kind == INST_IF) {
            p->fits &= most_of(p, i->args.items[0]) <= 1;
            look_at_block(p, i->blocks[0], false);
            look_at_block(p, i->blocks[1], false);
        }
    }
}

static void
look_at_cell(Inst *i, void *arg)
{
    Planes *p = arg;
    const Node *set = p->t->rows;
    if (!i->in_row)
        return;
    for (int k = 0; k < 2; k++)
        p->fits &= i->node->sizes[k] == set->sizes[k];
    p->fits &= i->row >= -SHIFT_MOST && i->row <= SHIFT_MOST;
}

static void
find_planes(Compile *c, const IrFunc *f, Task *t)
{
    if (!t->rows || t->rows->sizes[0] > ROWS_MOST || t->rows->sizes[0] < SHIFT_MOST)
        return;
    Planes p = {.t = t, .most = ARENA_ARRAY(c->scratch, int, f->vars.count), .fits = true};
    for (int v = 0; v < f->vars.count; v++)
        p.most[f->vars.items[v]->id] = NEVER;
    block_walk(t->body, look_at_cell, &p);
    look_at_block(&p, t->body, true);
    t->planes = p.fits;
}

void
pass_bit_slice(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        find_planes(c, f, loops.items[n]);
}
