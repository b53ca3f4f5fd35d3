/* If-conversion of stores. An iteration may store under a condition in an element of its own that
 * it has read. It stores in any case: the new value or the old one. C compilers select between two
 * values, and need no stores under a mask, around which they branch.
 *
 *     $5 = load d[i, j]                                $5 = load d[i, j]
 *     $6 = $3 < $5                                     $6 = $3 < $5
 *     if $6 {                                          declare kept <- $5
 *         store d[i, j] <- $3                  →       if $6 {
 *     }                                                    store kept <- $3
 *                                                      }
 *                                                      store d[i, j] <- load kept
 *
 * No other iteration stores there. Elements of other arrays at the same place go along, such as the
 * number of the nearest. Arrays that caches do not hold stay, because each store moves a line. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "analysis/equal_values.h"
#include "ir/inst_info.h"
#include "pass/clone.h"

enum { BYTES_MOST = 1 << 20, STORES_MOST = 4, INSTS_MOST = 100 };

typedef struct {
    Compile *c;
    IrFunc *f;
    const Task *t;
} Keep;

/* ---- which conditions ---- */

/* Changes no memory but local variables, and goes nowhere. */
static bool
is_quiet(const Inst *i)
{
    const char effects = inst_info(i->kind)->effects;
    return effects == 'P' || effects == 'R' || inst_is_pure(i) ||
           (i->kind == INST_STORE && inst_place_root(i->args.items[0])->kind == INST_VAR);
}

/* The cell of a scalar in a dense array at the top of a layout, or NULL. */
static const Inst *
cell_of(Inst *place)
{
    if (place->type->kind != TYPE_SCALAR || affine_place_leaf(place) < 0)
        return NULL;
    const Inst *base = affine_place_base(place),
               *cell = base->kind == INST_IN_CELL ? base->args.items[0] : NULL;
    if (!cell || (cell->kind != INST_LOOP_CELL && cell->kind != INST_LOOKUP))
        return NULL;
    const Node *n = cell->node;
    return n->kind == NODE_DENSE && n == node_top(n) && n->container_bytes ? cell : NULL;
}

/* Is there such a cell where there is the other one? */
static bool
goes_along(const Inst *cell, const Inst *other)
{
    if (cell->kind != other->kind || cell->node->cell_count != other->node->cell_count)
        return false;
    return cell->kind == INST_LOOP_CELL ? cell->node == other->node
                                        : equal_values(NULL, cell->args.items[1],
                                                       other->args.items[1]);
}

/* An instruction before number `at` of a block that loads the element (or, unless `itself`, one at
 * the same place), with no change between; or NULL. */
static Inst *
find_load(const Block *b, int at, Inst *place, bool itself)
{
    for (int n = at - 1; n >= 0 && is_quiet(b->insts.items[n]); n--) {
        Inst *i = b->insts.items[n];
        if (i->kind != INST_LOAD)
            continue;
        const Inst *cell = cell_of(i->args.items[0]);
        if (itself ? equal_values(NULL, i->args.items[0], place)
                   : cell && goes_along(cell_of(place), cell))
            return i;
    }
    return NULL;
}

static bool
is_own(const Keep *k, Inst *place)
{
    const Inst *cell = cell_of(place);
    return cell && cell->node->container_bytes <= BYTES_MOST &&
           task_owns(k->t, affine_place_base(place)->field);
}

/* What a condition stores. */
typedef struct {
    Inst *stores[STORES_MOST];
    int count;
    bool reads_own; /* one of the elements has been read */
} Stored;

static bool
is_read_after(const Block *b, int at, const Field *field)
{
    for (int n = at + 1; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        if (i->kind == INST_IN_CELL && i->field == field)
            return true;
    }
    return false;
}

/* Finds them; false where not all can be kept. */
static bool
find_stores(const Keep *k, const Block *b, int at, const Block *then, Stored *s)
{
    if (then->insts.count > INSTS_MOST)
        return false;
    for (int n = 0; n < then->insts.count; n++) {
        Inst *i = then->insts.items[n], *place = i->kind == INST_STORE ? i->args.items[0] : NULL;
        if (is_quiet(i))
            continue;
        if (!place || s->count == STORES_MOST || !is_own(k, place) ||
            !find_load(b, at, place, false) ||
            is_read_after(then, n, affine_place_base(place)->field))
            return false;
        s->reads_own |= find_load(b, at, place, true) != NULL;
        s->stores[s->count++] = i;
    }
    return s->reads_own;
}

/* ---- what becomes of them ---- */

static Inst *
add(Keep *k, Block *to, InstKind kind, const Type *type, Inst *a, Inst *b)
{
    return ir_add(k->c, to, kind, type, a ? a->span : (Span){0}, a, b);
}

static Inst *
add_var(Keep *k, Block *to, Var *v)
{
    Inst *i = add(k, to, INST_VAR, v->type, NULL, NULL);
    i->span = v->span;
    i->var = v;
    return i;
}

/* The variable with the element, declared before the condition. */
static Var *
begin_kept(Keep *k, const Block *old, int at, Block *b, Inst *place)
{
    Inst *load = find_load(old, at, place, true);
    if (!load)
        load = add(k, b, INST_LOAD, place->type, clone_value(k->c, b, place), NULL);
    Var *v =
        ir_new_var(k->c, k->f, affine_place_base(place)->field->name, place->type, place->span);
    v->is_mutable = true;
    add(k, b, INST_STORE, NULL, add_var(k, b, v), load)->defines = true;
    return v;
}

static void
store_kept(Keep *k, Block *then, const Stored *s, Var *const *vars)
{
    Insts insts = block_take(then);
    for (int m = 0; m < insts.count; m++) {
        for (int n = 0; n < s->count; n++)
            if (insts.items[m] == s->stores[n])
                s->stores[n]->args.items[0] = add_var(k, then, vars[n]);
        block_add(k->c, then, insts.items[m]);
    }
    insts_free(k->c, &insts);
}

/* Writes the condition, which is instruction `at` of the old block, to the end of the new one. */
static void
keep(Keep *k, const Block *old, int at, Block *b, const Stored *s)
{
    Inst *condition = old->insts.items[at], *places[STORES_MOST];
    Var *vars[STORES_MOST];
    for (int n = 0; n < s->count; n++) {
        places[n] = s->stores[n]->args.items[0];
        vars[n] = begin_kept(k, old, at, b, places[n]);
    }
    store_kept(k, condition->blocks[0], s, vars);
    block_add(k->c, b, condition);
    for (int n = 0; n < s->count; n++) {
        Inst *place = clone_value(k->c, b, places[n]),
             *value = add(k, b, INST_LOAD, vars[n]->type, add_var(k, b, vars[n]), NULL);
        add(k, b, INST_STORE, NULL, place, value);
    }
}

/* ---- all loops ---- */

static void
look_at_block(Keep *k, Block *b)
{
    Block old = {.insts = block_take(b)};
    for (int n = 0; n < old.insts.count; n++) {
        Inst *i = old.insts.items[n];
        Stored s = {0};
        if (i->kind == INST_IF && !i->blocks[1] && find_stores(k, &old, n, i->blocks[0], &s)) {
            keep(k, &old, n, b, &s);
            continue;
        }
        for (int m = 0; m < 2; m++)
            if (i->blocks[m] && (i->kind == INST_IF || i->kind == INST_FOR))
                look_at_block(k, i->blocks[m]);
        block_add(k->c, b, i);
    }
    insts_free(k->c, &old.insts);
}

static void
look_at_loop(Keep *k, Task *t)
{
    if (t->batches || t->goes_abreast || t->quads)
        return;
    k->t = t;
    look_at_block(k, t->body);
    if (t->inside)
        look_at_block(k, t->inside);
}

void
pass_if_convert_stores(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    if (!f->tasks.count)
        return;
    Keep k = {.c = c, .f = f};
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_loop(&k, loops.items[n]);
}
