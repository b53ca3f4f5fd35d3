/* Index-set splitting. A sequential loop along a row changes the row and reads one element of it.
 * It is cut before and after that element. In both long pieces C compilers see that the element
 * does not change, and vectorise them.
 *
 *     for j from $1 to $2 {                          $9 = max($1, min($3, $2))
 *         $5 = load d[i, $3]                         $10 = $9 < $2 ? $9 + 1 : $9
 *         $6 = load d[$3, j]                 →       for j from $1 to $9 { ... }
 *         store d[i, j] <- $5 + $6                   for j.1 from $9 to $10 { ... }
 *     }                                              for j.2 from $10 to $2 { ... }
 *
 * The loop may compare its index with the element's index. Both long pieces know the answer. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "analysis/cost.h"
#include "ir/inst_info.h"
#include "pass/clone.h"

enum { TIMES_LEAST = 32, INSTS_MOST = 60 };

typedef struct {
    Compile *c;
    const Ir *ir;
    Clone copy;
    /* the loop at hand */
    Inst *loop;
    const Var *along;    /* its variable */
    int insts, axis;     /* axis: of the row */
    Field *field;        /* changed along the row; NULL: none, or more than one */
    const Inst *element; /* index of the element of the row that is read; NULL: none yet */
    bool *own;           /* by variable: declared in the loop */
    bool simple;
    /* the piece at hand, and whether any of them knew an answer */
    Block *to;
    int side;            /* -1, 1: before or after the element; 0: of one iteration */
    bool settled;
} Pieces;

/* ---- which loops ---- */

static bool
is_load_of(const Inst *i, const Var *v)
{
    return i->kind == INST_LOAD && i->args.items[0]->kind == INST_VAR && i->args.items[0]->var == v;
}

/* The cell of an array at the top of a layout, or NULL. */
static const Inst *
cell_of(Inst *access)
{
    const Inst *base = affine_place_base(access->args.items[0]),
               *cell = base->kind == INST_IN_CELL ? base->args.items[0] : NULL;
    return cell && cell->kind == INST_CELL && cell->node->kind == NODE_DENSE && !cell->node->parent
               ? cell
               : NULL;
}

/* The number of the only index that is the loop's variable, or -1. */
static int
row_axis(const Pieces *k, const Inst *cell)
{
    int axis = -1;
    for (int a = 0; a < cell->args.count; a++)
        if (is_load_of(cell->args.items[a], k->along))
            axis = axis < 0 ? a : cell->args.count;
    return axis < cell->args.count ? axis : -1;
}

static void
look_at_change(Pieces *k, Inst *i)
{
    const Inst *root = inst_place_root(i->args.items[0]), *cell = cell_of(i);
    if (root->kind == INST_VAR) {
        if (i->kind == INST_STORE && i->defines)
            k->own[root->var->id] = true;
        return;
    }
    const int axis = cell ? row_axis(k, cell) : -1;
    k->simple &= axis >= 0 && (!k->field || (k->field == cell->field && k->axis == axis));
    k->axis = axis;
    k->field = cell ? cell->field : NULL;
}

static void
look_at(Inst *i, void *arg)
{
    Pieces *k = arg;
    const char effects = inst_info(i->kind)->effects;
    k->insts++;
    if (i->kind == INST_STORE || i->kind == INST_ATOMIC)
        look_at_change(k, i);
    else if (i->kind == INST_FOR || i->kind == INST_WHILE || i->kind == INST_BREAK)
        k->simple = false;
    else
        k->simple &= effects == 'P' || effects == 'R' || effects == 'F';
}

/* The same index: a constant, or a variable that keeps its value. */
static bool
is_same_index(const Inst *a, const Inst *b)
{
    if (a->kind == INST_CONST && b->kind == INST_CONST)
        return a->value.leaves[0].i == b->value.leaves[0].i;
    return b->kind == INST_LOAD && b->args.items[0]->kind == INST_VAR &&
           is_load_of(a, b->args.items[0]->var);
}

static bool
is_row_invariant(const Pieces *k, const Inst *index)
{
    return index->type == k->along->type &&
           (index->kind == INST_CONST ||
            (inst_is_fixed_load(index) && !k->own[index->args.items[0]->var->id]));
}

/* What is read of the field that is changed lies in the same column, or in one column for all. */
static void
look_at_read(Inst *i, void *arg)
{
    Pieces *k = arg;
    const Inst *cell = i->kind == INST_LOAD ? cell_of(i) : NULL;
    if (!cell || cell->field != k->field)
        return;
    const Inst *index = cell->args.items[k->axis];
    if (is_load_of(index, k->along))
        return;
    k->simple &= is_row_invariant(k, index) && (!k->element || is_same_index(k->element, index));
    k->element = index;
}

static bool
is_worth_it(Pieces *k, Inst *loop)
{
    if (loop->args.count != 3 || loop->vars.count != 1)
        return false;
    Inst *const *range = loop->args.items;
    const int64_t count = cost_trip_count(range[0], range[1], range[2]);
    if (range[2]->kind != INST_CONST || range[2]->value.leaves[0].i != 1 ||
        (count >= 0 && count < TIMES_LEAST))
        return false;
    k->loop = loop;
    k->along = loop->vars.items[0];
    k->field = NULL;
    k->element = NULL;
    k->insts = 0;
    k->simple = true;
    k->own[k->along->id] = true;
    block_walk(loop->blocks[0], look_at, k);
    if (!k->simple || !k->field || k->insts > INSTS_MOST)
        return false;
    block_walk(loop->blocks[0], look_at_read, k);
    return k->simple && k->element;
}

/* ---- the pieces ---- */

static Inst *
add(Pieces *k, Block *to, InstKind kind, const Type *type, Inst *const *operands, int count)
{
    Inst *i = ir_new(k->c, kind, type, k->loop->span);
    for (int a = 0; a < count; a++)
        ir_arg(k->c, i, operands[a]);
    block_add(k->c, to, i);
    return i;
}

static Inst *
add_limit(Pieces *k, Block *to, Builtin which, Inst *a, Inst *b)
{
    Inst *i = add(k, to, INST_BUILTIN, a->type, (Inst *[]){a, b}, 2);
    i->builtin = which;
    return i;
}

static Inst *
add_binary(Pieces *k, Block *to, Op op, const Type *type, Inst *a, Inst *b)
{
    Inst *i = ir_binary(k->c, op, type, k->loop->span, a, b);
    block_add(k->c, to, i);
    return i;
}

/* The index of the element again, before the loop. */
static Inst *
add_element(Pieces *k, Block *to)
{
    if (k->element->kind == INST_CONST) {
        Inst *number =
            ir_integer(k->c, k->along->type, k->loop->span, k->element->value.leaves[0].i);
        block_add(k->c, to, number);
        return number;
    }
    Inst *place = add(k, to, INST_VAR, k->along->type, NULL, 0);
    place->var = k->element->args.items[0]->var;
    return add(k, to, INST_LOAD, k->along->type, &place, 1);
}

/* The answer to a comparison of two numbers of which the first is less, -1, or greater, 1. */
static bool
answer(Op op, int sign)
{
    return op == OP_NE || (sign < 0 ? op == OP_LT || op == OP_LE : op == OP_GT || op == OP_GE);
}

/* Is it a comparison of the loop's variable with the element's index? 1; the other way round: -1;
 * else 0. */
static int
compares(const Pieces *k, const Inst *i)
{
    if (i->kind != INST_BINARY || i->op < OP_EQ || i->op > OP_GE)
        return 0;
    const Inst *a = i->args.items[0], *b = i->args.items[1];
    return is_load_of(a, k->along) && is_same_index(k->element, b)   ? 1
           : is_load_of(b, k->along) && is_same_index(k->element, a) ? -1
                                                                     : 0;
}

/* Forgets the piece before; what a piece has of its own, and what it knows. */
static void
begin_piece(Inst *i, void *arg)
{
    Pieces *k = arg;
    Clone *copy = &k->copy;
    const int sign = k->side * compares(k, i);
    copy->insts[i->id] = NULL;
    if (i->kind == INST_STORE && i->defines)
        copy->vars[i->args.items[0]->var->id] = clone_var(copy, i->args.items[0]->var);
    if (!sign)
        return;
    copy->insts[i->id] = ir_integer(k->c, i->type, i->span, answer(i->op, sign));
    block_add(k->c, k->to, copy->insts[i->id]);
    k->settled = true;
}

static void
add_piece(Pieces *k, int side, Block *to, Inst *from, Inst *end)
{
    Inst *const loop = k->loop;
    k->side = side;
    k->to = to;
    k->copy.vars[k->along->id] = clone_var(&k->copy, k->along);
    k->copy.insts[loop->id] = NULL;
    block_walk(loop->blocks[0], begin_piece, k);
    clone_inst(&k->copy, loop, to);
    Inst *piece = clone_of(&k->copy, loop);
    piece->args.items[0] = from;
    piece->args.items[1] = end;
}

static void
take_in_pieces(Pieces *k, Block *to)
{
    const Type *type = k->along->type, *boolean = type_scalar(k->ir->prog->types, SCALAR_BOOL);
    Inst *const *range = k->loop->args.items;
    Inst *from = range[0], *end = range[1], *one = ir_integer(k->c, type, k->loop->span, 1),
         *low = add_limit(k, to, BUILTIN_MIN, add_element(k, to), end),
         *first = add_limit(k, to, BUILTIN_MAX, from, low),
         *has = add_binary(k, to, OP_LT, boolean, first, end);
    block_add(k->c, to, one);
    Inst *next = add_binary(k, to, OP_ADD, type, first, one),
         *second = add(k, to, INST_SELECT, type, (Inst *[]){has, next, first}, 3);
    add_piece(k, -1, to, from, first);
    add_piece(k, 0, to, first, second);
    add_piece(k, 1, to, second, end);
}

/* ---- all loops ---- */

static void
look_at_block(Pieces *k, Block *b)
{
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        for (int s = 0; s < 2; s++)
            if (i->blocks[s])
                look_at_block(k, i->blocks[s]);
        if (i->kind == INST_FOR && is_worth_it(k, i))
            take_in_pieces(k, b);
        else
            block_add(k->c, b, i);
    }
    insts_free(k->c, &old);
}

static void
note_loop(Inst *i, void *arg)
{
    *(bool *)arg |= i->kind == INST_FOR;
}

static void
note_loop_in(Block *b, void *arg)
{
    block_walk(b, note_loop, arg);
}

void
pass_index_split(Compile *c, Ir *ir, IrFunc *f)
{
    Pieces k = {.c = c, .ir = ir, .copy = {.c = c, .f = f}};
    bool has_loop = false;
    ir_walk_blocks(f, note_loop_in, &has_loop);
    if (!has_loop || !f->tasks.count)
        return;
    const int vars = ir_var_limit(f);
    k.own = ARENA_ARRAY(c->scratch, bool, vars);
    k.copy.insts = ARENA_ARRAY(c->scratch, Inst *, ir_number(f));
    k.copy.vars = ARENA_ARRAY(c->scratch, Var *, vars);
    const Tasks tasks = ir_tasks(c, f);
    for (int n = 0; n < tasks.count; n++)
        if (tasks.items[n]->body)
            look_at_block(&k, tasks.items[n]->body);
    if (!k.settled)
        return;
    pass_dce(c, ir, f); /* leaves nothing but the answer in a condition */
    pass_fold(c, ir, f);
    pass_dce(c, ir, f);
}
