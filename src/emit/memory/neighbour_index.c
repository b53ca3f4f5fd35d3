/* Neighbours in blocks. In a loop over the cells of nested nodes, an index such as i + 1 of the
 * loop's own i need not be taken apart again. Its digits are those of the loop, as long as the
 * neighbour lies in the same block. The rim of a block, where it may not, has a loop of its own
 * beside that of the inside (cell_loops.c). This file writes the index expressions of both. */
#include "config.h"

#include "emit/loop/loops.h"
#include "ir/inst_info.h"

/* Takes a loop variable plus a constant apart. */
static bool
loop_plus(const Nest *nest, const Inst *x, int *axis, int64_t *c)
{
    *c = 0;
    for (;;) {
        if (x->kind == INST_CAST && x->type->kind == TYPE_SCALAR &&
            scalar_info(x->type->scalar)->kind == KIND_INT)
            x = x->args.items[0];
        else if (x->kind == INST_BINARY && (x->op == OP_ADD || x->op == OP_SUB) &&
                 x->type->kind == TYPE_SCALAR && x->args.items[1]->kind == INST_CONST &&
                 scalar_info(x->type->scalar)->kind == KIND_INT) {
            int64_t k = x->args.items[1]->value.leaves[0].i;
            *c += x->op == OP_ADD ? k : -k;
            x = x->args.items[0];
        } else
            break;
    }
    if (x->kind != INST_LOAD || x->args.items[0]->kind != INST_VAR)
        return false;
    for (*axis = 0; *axis < AXIS_MAX; ++*axis)
        if (nest->vars[*axis] == x->args.items[0]->var)
            return true;
    return false;
}

/* x / divisor, or x % modulus with the modulus not 0. */
typedef struct {
    const Inst *x;
    int64_t divisor, modulus;
} Part;

static bool
constant_operand(const Inst *i, int64_t *n)
{
    if (i->kind != INST_BINARY || i->args.items[1]->kind != INST_CONST ||
        i->type->kind != TYPE_SCALAR)
        return false;
    *n = i->args.items[1]->value.leaves[0].i;
    return true;
}

static bool
part_of_index(const Inst *i, Part *out)
{
    int64_t n;
    *out = (Part){i, 1, 0};
    if (!constant_operand(i, &n))
        return false;
    if (i->op == OP_AND || i->op == OP_MOD) {
        out->modulus = i->op == OP_AND ? n + 1 : n;
        out->x = i = i->args.items[0];
        if (!constant_operand(i, &n))
            return true;
    }
    if (i->op == OP_SHR || i->op == OP_DIV) {
        out->divisor = i->op == OP_SHR ? (int64_t)1 << n : n;
        out->x = i->args.items[0];
    }
    return out->modulus || out->divisor > 1;
}

/* The levels of an axis, outermost first, with how many indices one step of each spans. */
typedef struct {
    const char **digit;
    int64_t *size, *span;
    int count;
} Levels;

static void
levels_of(Arena *arena, const Nest *nest, int axis, Levels *out)
{
    int room = nest->count + 1;
    *out = (Levels){ARENA_ARRAY(arena, const char *, room), ARENA_ARRAY(arena, int64_t, room),
                    ARENA_ARRAY(arena, int64_t, room), 0};
    if (nest->from && (nest->from->path_axes & 1 << axis)) {
        out->digit[0] = nest->listed_coord[axis];
        out->size[out->count++] = 0; /* any */
    }
    for (int l = 0; l < nest->count; l++) {
        const Node *n = nest->node[l];
        if (n->axes[nest->axis_at[l]] != axis)
            continue;
        out->digit[out->count] = nest->digit[l];
        out->size[out->count++] = n->sizes[nest->axis_at[l]];
    }
    int64_t span = 1;
    for (int k = out->count - 1; k >= 0; k--) {
        out->span[k] = span;
        span *= out->size[k];
    }
}

bool
neighbour_index(Emit *e, const Inst *i, CText *out)
{
    Part part;
    Levels levels;
    int axis, last, first = 0;
    int64_t c;
    if (!e->par.nest || !part_of_index(i, &part) || !loop_plus(e->par.nest, part.x, &axis, &c))
        return false;
    levels_of(e->c->scratch, e->par.nest, axis, &levels);
    c += node_first(e->par.nest->to, axis);
    for (last = 0; last < levels.count && levels.span[last] != part.divisor; last++)
        ;
    bool lowest = last == levels.count - 1;
    if (last == levels.count || (c && !e->par.inside_block))
        return false;
    /* in another block: the inside does not keep it out */
    if (c < -e->par.nest->reach_low[axis] || c > e->par.nest->reach_high[axis])
        return false;
    if (part.modulus) {
        int64_t product = levels.size[last];
        for (first = last; product && product != part.modulus && first > 0;
             product *= levels.size[first])
            first--;
        if (product != part.modulus)
            return false;
    }
    const char *text = "";
    int terms = 0;
    for (int k = first; k <= last; k++) {
        int64_t times = levels.span[k] / levels.span[last];
        if (!levels.digit[k])
            return false;
        text = arena_printf(e->c->arena, "%s%s%s", text, terms++ ? " + " : "", levels.digit[k]);
        if (times > 1)
            text = arena_printf(e->c->arena, "%s * %lld", text, (long long)times);
    }
    if (lowest && c)
        text = arena_printf(e->c->arena, "%s %c %lld", text, c < 0 ? '-' : '+',
                            (long long)(c < 0 ? -c : c));
    *out = (CText){text, terms > 1 || (lowest && c) ? PREC_ADD : PREC_POSTFIX};
    return true;
}

/* ---- look-ups that the inside needs no more ---- */

/* Is part of the index a neighbour's that lies farther than the inside keeps clear of? Where blocks
 * have one cell along an axis, or lack it, the index is taken as it is. */
static bool
is_far(const Emit *e, const Inst *index)
{
    Part part;
    int axis;
    int64_t c;
    if (!part_of_index(index, &part))
        part.x = index;
    if (loop_plus(e->par.nest, part.x, &axis, &c)) {
        c += node_first(e->par.nest->to, axis);
        return c < -e->par.nest->reach_low[axis] || c > e->par.nest->reach_high[axis];
    }
    for (int a = 0;
         (index->kind == INST_BINARY || index->kind == INST_CAST) && a < index->args.count; a++)
        if (is_far(e, index->args.items[a]))
            return true;
    return false;
}

/* Is the cell, or one that it lies in, that of such a neighbour? */
static bool
is_far_away(const Emit *e, const Inst *lookup)
{
    for (int a = 1; a < lookup->args.count; a++)
        if (is_far(e, lookup->args.items[a]))
            return true;
    const Inst *container = lookup->args.items[0];
    return container->kind == INST_CHILD && inst_is_lookup(container->args.items[0]) &&
           is_far_away(e, container->args.items[0]);
}

bool
neighbour_index_stays(const Emit *e, const Inst *lookup)
{
    return lookup->neighbour && e->par.inside_block && !is_far_away(e, lookup);
}

typedef struct {
    Emit *e;
    const Inst *cell;   /* the look-up in question */
    bool needed;
} Need;

/* Is a look-up that stays in the loop's own block not written at all? */
static bool
is_spared(Emit *e, const Inst *lookup)
{
    return neighbour_index_stays(e, lookup) &&
           (place_cell_at_hand(e, lookup->node) || !neighbour_index_needs(e, lookup));
}

/* Uses of a cell are places in it, and containers in it; those lead to look-ups in turn. */
static void
note_need(Inst *i, void *arg)
{
    Need *need = arg;
    const Inst *from = i->args.count ? i->args.items[0] : NULL;
    if ((i->kind == INST_LOOKUP || i->kind == INST_LOOKUP_HASH) && from->kind == INST_CHILD &&
        from->args.items[0] == need->cell)
        need->needed = need->needed || !is_spared(need->e, i);
    else if (i->kind == INST_IN_CELL && from == need->cell)
        need->needed = true;
}

bool
neighbour_index_needs(Emit *e, const Inst *lookup)
{
    Need need = {e, lookup, false};
    block_walk(e->par.nest_body, note_need, &need);
    return need.needed;
}

/* ---- how far neighbours reach ---- */

typedef struct {
    Emit *e;
    Nest *nest;
} Reach;

static bool
has_axis(const Node *n, int axis)
{
    for (int k = 0; k < n->axis_count; k++)
        if (n->axes[k] == axis)
            return true;
    return false;
}

static void
note_reach(Inst *i, void *arg)
{
    Emit *e = ((Reach *)arg)->e;
    Nest *nest = ((Reach *)arg)->nest;
    Part part;
    Levels levels;
    int axis;
    int64_t c;
    /* the inside is that of `to` */
    if (!part_of_index(i, &part) || !loop_plus(nest, part.x, &axis, &c) ||
        !has_axis(nest->to, axis))
        return;
    levels_of(e->c->scratch, nest, axis, &levels);
    c += node_first(nest->to, axis);
    int64_t size = levels.count > 1 ? levels.size[levels.count - 1] : 0;
    if (c <= -size || c >= size) /* never in the same block */
        return;
    if (-c > nest->reach_low[axis])
        nest->reach_low[axis] = -c;
    if (c > nest->reach_high[axis])
        nest->reach_high[axis] = c;
}

void
neighbour_index_reach(Emit *e, Nest *nest, Block *body)
{
    Reach r = {e, nest};
    block_walk(body, note_reach, &r);
}

/* Index of the level that a node's innermost loop is, and whether neighbours make a rim there. */
bool
neighbour_index_has_rim(const Nest *nest)
{
    if (!nest->count || nest->to->kind == NODE_DYNAMIC)
        return false;
    const Node *n = nest->to;
    bool reaches = false;
    for (int k = 0; k < n->axis_count; k++) {
        int axis = n->axes[k];
        int64_t both = nest->reach_low[axis] + nest->reach_high[axis];
        if (both >= n->sizes[k] && both > 0)
            return false;
        reaches = reaches || both > 0;
    }
    return reaches;
}

/* "i_2 >= 1 && i_2 < 15": all axes of the innermost node but the last are inside the block; NULL:
 * always. */
const char *
neighbour_index_outer_test(Emit *e, const Nest *nest)
{
    const Node *n = nest->to;
    const char *text = NULL;
    for (int k = 0; k < n->axis_count - 1; k++) {
        int axis = n->axes[k];
        const char *d = nest->digit[nest->count - n->axis_count + k];
        long long low = (long long)nest->reach_low[axis],
                  high = (long long)(n->sizes[k] - nest->reach_high[axis]);
        if (low)
            text = arena_printf(e->c->arena, "%s%s%s >= %lld", text ? text : "", text ? " && " : "",
                                d, low);
        if (nest->reach_high[axis])
            text = arena_printf(e->c->arena, "%s%s%s < %lld", text ? text : "", text ? " && " : "",
                                d, high);
    }
    return text;
}
