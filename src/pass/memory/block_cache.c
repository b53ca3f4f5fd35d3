/* A copy of one block for particles and the cells around them. Iterations that go in the order of
 * the cells they reach (pass reorder) mostly reach the same block as the iteration before. The
 * blocks are dense and lie under a pointer node at the top. If the loop only reads their cells, or
 * only adds to them, it keeps a copy of a block and the cells after it. In the copy no block is
 * looked up, and additions are plain. The body exists twice: for iterations in the copy, and for
 * all others.
 *
 *     struct_for(x) quads ordered {             struct_for(x) quads ordered patch(S2dense[9]) {
 *         $12 = lookup S1pointer $10[$9 >> 3]       $41 = patch at $40
 *         $13 = child S2dense in $12                if $41 {
 *         $14 = lookup S2dense $13[$9 & 7]   →          $43 = patch S2dense
 *         <f32> $15 = load in cell $14 x                $44 = lookup S2dense $43[$39]
 *         ...                                           <f32> $45 = load in cell $44 x
 *                                                       ...
 *                                                   } else { as before }
 *
 * The cells of an iteration differ from a first cell by constants in their indices. Other cells are
 * looked up in both bodies. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/linear.h"
#include "pass/clone.h"
#include "pass/memory/slice.h"

enum { AXES_MOST = 3, CELLS_LEAST = 8, BYTES_MOST = 32 << 10 };

/* A cell that is looked up. */
typedef struct {
    Inst *lookup;
    Linear index[AXES_MOST]; /* along the axes of its node */
    bool certain;            /* every iteration does so */
} Reached;

typedef struct {
    Compile *c;
    Types *types;
    const Task *t;
    const Node *node;
    AffineFacts *indices;
    VEC(Reached) reached;
    int64_t low[AXES_MOST], high[AXES_MOST]; /* constants of their indices */
    bool leaves;                             /* iterations may end before they are through */
} Search;

/* ---- numbers of cells ---- */

/* The operand of a digit of a number, or NULL. */
static Inst *
operand_of(const Inst *digit, Op op, int64_t by)
{
    const bool fits = digit->kind == INST_BINARY && digit->op == op &&
                      digit->args.items[1]->kind == INST_CONST &&
                      digit->args.items[1]->value.leaves[0].i == by;
    return fits ? digit->args.items[0] : NULL;
}

/* Takes the number of a cell apart, the digits of which have places `stored`. */
static bool
find_digits(Inst *number, const Node *n, Inst **digit)
{
    for (int k = n->axis_count - 1; k > 0; k--) {
        if (number->kind != INST_BINARY || number->op != OP_ADD)
            return false;
        digit[k] = number->args.items[1];
        number = operand_of(number->args.items[0], OP_MUL, n->stored[k]);
        if (!number)
            return false;
    }
    digit[0] = number;
    return true;
}

/* What an operand of a digit is made of. */
static Linear
linear_of_operand(const Search *s, const Inst *digit, Op op, int64_t by)
{
    const Inst *x = operand_of(digit, op, by);
    return x ? linear_of(s->indices, s->t, x) : (Linear){.fits = false};
}

/* The indices of a cell that its number, and that of its block, are made of. */
static bool
find_indices(const Search *s, const Inst *lookup, Linear *index)
{
    const Node *n = s->node;
    const Inst *child = lookup->args.items[0],
               *block = child->args.count ? child->args.items[0] : NULL;
    Inst *low[AXES_MOST], *high[AXES_MOST];
    if (child->kind != INST_CHILD || block->kind != INST_LOOKUP || block->node != n->parent ||
        !find_digits(lookup->args.items[1], n, low) ||
        !find_digits(block->args.items[1], n->parent, high))
        return false;
    for (int k = 0; k < n->axis_count; k++) {
        const int64_t size = n->stored[k];
        const Linear above = linear_of_operand(s, high[k], OP_SHR, __builtin_ctzll((uint64_t)size));
        index[k] = linear_of_operand(s, low[k], OP_AND, size - 1);
        if (!index[k].fits || !above.fits || index[k].constant != above.constant ||
            !linear_has_same_terms(&index[k], &above))
            return false;
    }
    return true;
}

/* ---- what is reached ---- */

/* Are its cells those of dense blocks under a pointer node at the top? */
static bool
has_blocks(const Node *n)
{
    const Node *top = n->parent;
    if (n->kind != NODE_DENSE || n->axis_count > AXES_MOST || n->children.count || !top ||
        top->kind != NODE_POINTER || top->parent || top->axis_count != n->axis_count)
        return false;
    for (int k = 0; k < n->axis_count; k++)
        if (n->axes[k] != top->axes[k] || n->stored[k] < 2 || n->sizes[k] != n->stored[k] ||
            (n->stored[k] & (n->stored[k] - 1)) || !top->stored[k])
            return false;
    return true;
}

static void
look_at_lookup(Search *s, Inst *i, bool certain)
{
    Reached r = {.lookup = i, .certain = certain};
    if (i->kind != INST_LOOKUP || i->node != s->node || !find_indices(s, i, r.index))
        return;
    for (int k = 0; s->reached.count && k < s->node->axis_count; k++)
        if (!linear_has_same_terms(&r.index[k], &s->reached.items[0].index[k]))
            return;
    vec_push(s->c->scratch, &s->reached, r);
}

static void
look_at_block(Search *s, const Block *b, bool certain)
{
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        s->leaves |= i->kind == INST_CONTINUE || i->kind == INST_RETURN || i->kind == INST_ASSERT;
        look_at_lookup(s, i, certain);
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                look_at_block(s, i->blocks[k], false);
    }
}

static void
find_bounds(Search *s)
{
    for (int n = 0; n < s->reached.count; n++)
        for (int k = 0; k < s->node->axis_count; k++) {
            const int64_t c = s->reached.items[n].index[k].constant;
            s->low[k] = n && s->low[k] < c ? s->low[k] : c;
            s->high[k] = n && s->high[k] > c ? s->high[k] : c;
        }
}

/* The cell that every iteration reaches first, or last, along the axes of a set, or NULL. */
static Inst *
find_corner(const Search *s, int last)
{
    for (int n = 0; n < s->reached.count; n++) {
        const Reached *r = &s->reached.items[n];
        bool fits = r->certain;
        for (int k = 0; k < s->node->axis_count; k++)
            fits = fits && r->index[k].constant == (last >> k & 1 ? s->high[k] : s->low[k]);
        if (fits)
            return r->lookup;
    }
    return NULL;
}

/* Does every iteration reach all blocks that the cells from the first to the last lie in? */
static bool
reaches_all(const Search *s)
{
    bool all = !s->leaves;
    for (int last = 0; last < 1 << s->node->axis_count; last++)
        all = all && find_corner(s, last);
    return all;
}

/* Are the cells only read, and as they were before the loop? */
static bool
only_reads(const Search *s)
{
    const Footprints *changed[] = {&s->t->effects.writes, &s->t->effects.accumulates};
    for (int l = 0; l < 2; l++)
        for (int n = 0; n < changed[l]->count; n++) {
            const Field *f = changed[l]->items[n].field;
            for (int leaf = 0; leaf < f->type->leaf_count; leaf++)
                if (f->leaves[leaf].layout == s->node->layout)
                    return false;
        }
    return task_leaves(s->t, s->node->parent);
}

/* ---- the two bodies ---- */

/* Extents of the patch; false where it would be too large. */
static bool
find_extent(const Search *s, Patch *patch)
{
    int64_t bytes = s->node->cell_bytes;
    for (int k = 0; k < s->node->axis_count; k++) {
        const int64_t size = s->node->stored[k], more = s->high[k] - s->low[k];
        patch->extent[k] = size + more;
        if (more > size || bytes > BYTES_MOST)
            return false;
        bytes *= patch->extent[k];
    }
    return bytes <= BYTES_MOST;
}

static Inst *
add(Search *s, Block *b, Inst *i)
{
    block_add(s->c, b, i);
    return i;
}

static Inst *
add_binary(Search *s, Block *b, Op op, Inst *x, int64_t y)
{
    const Type *i64 = type_scalar(s->types, SCALAR_I64);
    if (op == OP_ADD && !y)
        return x;
    Inst *number = add(s, b, ir_integer(s->c, i64, x->span, y));
    return add(s, b, ir_binary(s->c, op, i64, x->span, x, number));
}

/* The number in the patch of the first cell that an iteration reaches. */
static Inst *
first_number(Search *s, Block *b, const Patch *patch, Inst *const *digit)
{
    Inst *number = digit[0];
    for (int k = 1; k < s->node->axis_count; k++) {
        Inst *rows = add_binary(s, b, OP_MUL, number, patch->extent[k]);
        number = ir_binary(s->c, OP_ADD, rows->type, rows->span, rows, digit[k]);
        block_add(s->c, b, number);
    }
    return number;
}

/* How many cells of the patch lie between the first and that cell. */
static int64_t
number_after(const Search *s, const Patch *patch, const Reached *r)
{
    int64_t number = 0;
    for (int k = 0; k < s->node->axis_count; k++)
        number = number * patch->extent[k] + r->index[k].constant - s->low[k];
    return number;
}

static void
make_plain(Inst *i, void *arg)
{
    const Inst *base = i->kind == INST_ATOMIC ? affine_place_base(i->args.items[0]) : NULL;
    const Inst *cell = base && base->kind == INST_IN_CELL ? base->args.items[0] : NULL;
    (void)arg;
    if (cell && cell->kind == INST_LOOKUP && cell->args.items[0]->kind == INST_PATCH)
        i->plain = true;
}

/* Nothing else asks for the block, or the container in it, of a cell that lies in the patch now. */
static void
leave_out(Clone *k, Inst *i, Inst *patch, int *users)
{
    if (++users[i->id] < i->uses)
        return;
    k->insts[i->id] = patch;
    if (i->kind == INST_CHILD)
        leave_out(k, i->args.items[0], patch, users);
}

/* The body for iterations in the patch. */
static Block *
body_in_patch(Search *s, IrFunc *f, const Patch *patch, Inst *const *digit)
{
    Compile *c = s->c;
    Block *b = ARENA_NEW(c->arena, Block);
    Clone k = clone_begin(c, f);
    int *users = ARENA_ARRAY(c->scratch, int, ir_number(f));
    Inst *container = add(s, b, ir_new(c, INST_PATCH, NULL, s->t->span));
    container->node = patch->node;
    Inst *first = first_number(s, b, patch, digit);
    if (patch->adds)
        ir_arg(c, add(s, b, ir_new(c, INST_PATCH_NOTE, NULL, s->t->span)), first);
    for (int n = 0; n < s->reached.count; n++) {
        const Reached *r = &s->reached.items[n];
        Inst *cell = ir_new(c, INST_LOOKUP, NULL, r->lookup->span);
        cell->node = r->lookup->node;
        cell->field = r->lookup->field;
        cell->access = ACCESS_KNOWN;
        ir_arg(c, cell, container);
        ir_arg(c, cell, add_binary(s, b, OP_ADD, first, number_after(s, patch, r)));
        k.insts[r->lookup->id] = add(s, b, cell);
        leave_out(&k, r->lookup->args.items[0], container, users);
    }
    for (int n = 0; n < s->t->body->insts.count; n++)
        clone_inst(&k, s->t->body->insts.items[n], b);
    block_walk(b, make_plain, NULL);
    return b;
}

/* Asks for the patch, after what finds the first cell (Task.fetches). */
static void
make_bodies(Search *s, IrFunc *f, Task *t, const Patch *patch)
{
    Compile *c = s->c;
    Block *body = clone_block(c, f, t->fetches), *plain = t->body;
    const Inst *key = body->insts.items[--body->insts.count];
    Inst *at = ir_new(c, INST_PATCH_AT, type_scalar(s->types, SCALAR_BOOL), t->span);
    Inst *digit[AXES_MOST];
    find_digits(key->args.items[0], s->node, digit);
    ir_arg(c, at, key->args.items[1]);
    block_add(c, body, at);
    Inst *choice = ir_new(c, INST_IF, NULL, t->span);
    ir_arg(c, choice, at);
    choice->blocks[0] = body_in_patch(s, f, patch, digit);
    choice->blocks[1] = plain;
    block_add(c, body, choice);
    t->body = body;
    t->patch = patch;
}

/* Loops with vectors across iterations have the version for their order beside it. */
static bool
fits(const Task *t)
{
    return t->order && has_blocks(t->order) && !t->simd && !t->batches && !t->stream;
}

static void
look_at_task(Compile *c, Ir *ir, IrFunc *f, Task *t)
{
    Search s = {.c = c, .types = ir->prog->types, .t = t, .node = t->order};
    Patch *patch = ARENA_NEW(c->arena, Patch);
    s.indices = affine_new(c, f);
    look_at_block(&s, t->body, true);
    find_bounds(&s);
    Inst *corner = find_corner(&s, 0);
    *patch = (Patch){.node = (Node *)s.node, .adds = nodes_have(&t->scatter, s.node->parent)};
    if (s.reached.count < CELLS_LEAST || !corner || !find_extent(&s, patch) ||
        !(patch->adds ? reaches_all(&s) : only_reads(&s)) || !slice_target(c, ir, f, t, corner))
        return;
    make_bodies(&s, f, t, patch);
    dce_block(c, f, t->body);
}

void
pass_block_cache(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        if (fits(loops.items[n]))
            look_at_task(c, ir, f, loops.items[n]);
}
