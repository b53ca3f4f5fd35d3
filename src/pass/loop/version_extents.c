/* Loop versioning on extents. Indices of a loop over blocks may wrap by, or end at, a number that
 * equals the extent of the field at run time. The kernel asks whether it does, and has a loop for
 * this case. Pass stage sees there what the indices mean.
 *
 *     $0 = offloaded struct_for(S2dense) {          if $1 == extent x axis 0 {
 *         $4 = $3 + $1                                  $0 = offloaded struct_for(S2dense) {
 *         $5 = $4 - 1                                       $4 = $3 - 1
 *         $6 = $5 % $1                        →             $5 = floormod $4, extent x axis 0
 *         $7 = cell S2dense of x[$6]                        $7 = cell S2dense of x[$5]
 *     }                                             } else { (the loop as it was) }
 *
 * An index is the loop variable plus a constant, and perhaps plus the number. It is bounded by
 * min(.., number - 1), max(.., 0), floormod(.., number), or by % where the sum is not negative. The
 * kernel also asks that no such sum wraps. Fields that the loop changes have no halos. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "analysis/kernel_invariant.h"
#include "ir/inst_info.h"
#include "pass/clone.h"
#include "pass/runtime_check.h"

enum { INSTS_MOST = 400 };
static const int64_t extent_most = 1 << 29;    /* sums of two, and of a block, have 32 bits */

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f;
    AffineFacts *indices;
    const Task *t;
    RuntimeCheck q;
    int insts, found;
} Extents;

/* What is asked for an index of a field. */
typedef struct {
    const Inst *number; /* is it the extent? */
    int64_t offset;     /* from the loop variable; the number itself is left out */
} Kept;

static const Inst *
plain(const Extents *e, const Inst *i)
{
    return affine_plain(e->indices, i, NULL, true);
}

static bool
is_constant(const Inst *i, int64_t n)
{
    return i->kind == INST_CONST && i->value.leaves[0].i == n;
}

/* Takes a sum apart, that of the k-th loop variable, constants, and the number: how often each is
 * in it. */
typedef struct {
    int variables, numbers;
    int64_t constant;
} Terms;

static bool
add_terms(const Extents *e, const Inst *i, int k, const Inst *number, int sign, Terms *sum)
{
    enum { CONSTANT_MOST = 1 << 20 };
    i = plain(e, i);
    if (number && kernel_invariant_is_same(i, number)) {
        sum->numbers += sign;
        return true;
    }
    if (i->kind == INST_CONST) {
        const int64_t n = i->value.leaves[0].i;
        sum->constant += n <= CONSTANT_MOST && n >= -CONSTANT_MOST ? sign * n : 0;
        return n <= CONSTANT_MOST && n >= -CONSTANT_MOST;
    }
    if (affine_loop_variable(e->t, i) == k) {
        sum->variables += sign;
        return true;
    }
    if (i->kind != INST_BINARY || (i->op != OP_ADD && i->op != OP_SUB))
        return false;
    return add_terms(e, i->args.items[0], k, number, sign, sum) &&
           add_terms(e, i->args.items[1], k, number, i->op == OP_SUB ? -sign : sign, sum);
}

/* The least that the sum may be along an axis is a block before the field, the largest one after
 * it. */
static bool
is_near(const Node *n, int axis, int64_t offset)
{
    for (int k = 0; k < n->axis_count; k++)
        if (n->axes[k] == axis)
            return offset >= -n->sizes[k] && offset <= n->sizes[k];
    return false;
}

/* A number that may be the extent, known when the program runs, or when neither is. */
static bool
may_be_extent(const Inst *number, const Field *f, int k)
{
    const ScalarInfo *type = scalar_info(number->type->scalar);
    return type->kind == KIND_INT && type->bytes >= 4 && kernel_invariant(number) &&
           (number->kind != INST_CONST || !f->extents[k]);
}

static bool
is_extent(const Inst *number, const Field *f, int k)
{
    return number->kind == INST_EXTENT && number->field == f && number->axis == k;
}

/* An index that wraps: false where it is of another kind. */
static bool
find_wrapped(const Extents *e, const Inst *i, const Inst *cell, int k, Kept *kept)
{
    const bool floors = i->kind == INST_BUILTIN && i->builtin == BUILTIN_FLOORMOD;
    if (!floors && (i->kind != INST_BINARY || i->op != OP_MOD))
        return false;
    Terms sum = {0};
    kept->number = plain(e, i->args.items[1]);
    if (!may_be_extent(kept->number, cell->field, k) ||
        !add_terms(e, i->args.items[0], k, kept->number, 1, &sum) || sum.variables != 1 ||
        sum.numbers < 0 || sum.numbers > 1 || (!floors && !sum.numbers && sum.constant < 0))
        return false;
    kept->offset = sum.constant;
    /* pass stage knows it */
    return sum.numbers || !is_extent(kept->number, cell->field, k);
}

/* n of min(n, number - 1) and max(n, 0), or NULL. */
static const Inst *
limited(const Extents *e, const Inst *i, const Inst **number)
{
    if (i->kind != INST_BUILTIN || (i->builtin != BUILTIN_MAX && i->builtin != BUILTIN_MIN))
        return NULL;
    for (int a = 1; a >= 0; a--) {
        const Inst *limit = plain(e, i->args.items[a]), *of = NULL;
        if (i->builtin == BUILTIN_MAX && is_constant(limit, 0))
            return i->args.items[1 - a];
        if (i->builtin == BUILTIN_MIN && limit->kind == INST_BINARY && limit->op == OP_SUB &&
            is_constant(limit->args.items[1], 1))
            of = plain(e, limit->args.items[0]);
        if (!of || !kernel_invariant(of) ||
            (*number && !kernel_invariant_is_same(*number, of)))
            continue;
        *number = of;
        return i->args.items[1 - a];
    }
    return NULL;
}

static bool
find_limited(const Extents *e, const Inst *i, const Inst *cell, int k, Kept *kept)
{
    Terms sum = {0};
    const Inst *next;
    *kept = (Kept){0};
    while ((next = limited(e, i, &kept->number)))
        i = plain(e, next);
    if (!kept->number || !may_be_extent(kept->number, cell->field, k) ||
        is_extent(kept->number, cell->field, k) || !add_terms(e, i, k, NULL, 1, &sum))
        return false;
    kept->offset = sum.constant;
    return sum.variables == 1;
}

/* Is the k-th index of a cell kept inside by a number that the kernel has to ask for? */
static bool
is_kept(const Extents *e, const Inst *cell, int k, Kept *kept)
{
    const Node *n = cell->node;
    const Inst *i = plain(e, cell->args.items[k]);
    return i->type->kind == TYPE_SCALAR && !cell->field->offsets[k] &&
           (find_wrapped(e, i, cell, k, kept) || find_limited(e, i, cell, k, kept)) &&
           is_near(n, cell->field->axes[k], kept->offset);
}

/* Is it a look-up of a field in blocks that the loop only reads? */
static bool
reads_blocks(const Extents *e, const Inst *i)
{
    return i->kind == INST_CELL && i->access == ACCESS_READ && i->field && i->node &&
           i->node->kind == NODE_DENSE && i->node->parent && i->args.count == e->t->vars.count &&
           i->args.count == i->field->axis_count && !task_changes(e->t, i->field);
}

static void
ask_for(Inst *i, void *arg)
{
    Extents *e = arg;
    e->insts++;
    for (int k = 0; reads_blocks(e, i) && k < i->args.count; k++) {
        Kept kept;
        if (!is_kept(e, i, k, &kept))
            continue;
        Inst *number = runtime_check_widen(&e->q, runtime_check_repeat(&e->q, kept.number)),
             *extent = runtime_check_extent(&e->q, i->field, k);
        runtime_check_ask(&e->q, OP_EQ, number, extent);
        runtime_check_ask(&e->q, OP_LE, extent, runtime_check_number(&e->q, extent_most));
        e->found++;
    }
}

/* ---- the loop for extents ---- */

typedef struct {
    Extents *e;
    Block *b;
    const Type *type;
    Span span;
} Builder;

static Inst *
build(const Builder *k, InstKind kind, const Type *type, Inst *a, Inst *b)
{
    Inst *i = ir_new(k->e->c, kind, type, k->span);
    if (a)
        ir_arg(k->e->c, i, a);
    if (b)
        ir_arg(k->e->c, i, b);
    block_add(k->e->c, k->b, i);
    return i;
}

static Inst *
build_number(const Builder *k, int64_t n)
{
    Inst *i = ir_integer(k->e->c, k->type, k->span, n);
    block_add(k->e->c, k->b, i);
    return i;
}

static Inst *
build_extent(const Builder *k, Field *f, int axis)
{
    if (f->extents[axis])
        return build_number(k, f->extents[axis]);
    Inst *i = build(k, INST_EXTENT, k->e->q.number, NULL, NULL);
    i->field = f;
    i->axis = axis;
    return i->type == k->type ? i : build(k, INST_CAST, k->type, i, NULL);
}

static Inst *
build_builtin(const Builder *k, Builtin name, Inst *a, Inst *b)
{
    Inst *i = build(k, INST_BUILTIN, k->type, a, b);
    i->builtin = name;
    return i;
}

static Inst *
build_binary(const Builder *k, Op op, Inst *a, Inst *b)
{
    Inst *i = build(k, INST_BINARY, k->type, a, b);
    i->op = op;
    return i;
}

/* The loop variable plus a constant. */
static Inst *
build_index(const Builder *k, Var *v, int64_t offset)
{
    Inst *place = build(k, INST_VAR, v->type, NULL, NULL);
    place->var = v;
    Inst *i = build(k, INST_LOAD, v->type, place, NULL);
    if (v->type != k->type)
        i = build(k, INST_CAST, k->type, i, NULL);
    return offset ? build_binary(k, OP_ADD, i, build_number(k, offset)) : i;
}

/* min and max as they were, around the index, with the extent. */
static Inst *
build_limits(const Builder *k, const Inst *i, const Inst *cell, int axis, int64_t offset)
{
    const Inst *number = NULL, *inner = limited(k->e, i, &number);
    if (!inner)
        return build_index(k, k->e->t->vars.items[axis], offset);
    Inst *below = build_limits(k, plain(k->e, inner), cell, axis, offset);
    if (i->builtin == BUILTIN_MAX)
        return build_builtin(k, BUILTIN_MAX, below, build_number(k, 0));
    Inst *extent = build_extent(k, cell->field, axis);
    return build_builtin(k, BUILTIN_MIN, below,
                         build_binary(k, OP_SUB, extent, build_number(k, 1)));
}

/* Gives the cell indices that name the extent. */
static void
rewrite(Extents *e, Block *b, Inst *cell)
{
    for (int k = 0; reads_blocks(e, cell) && k < cell->args.count; k++) {
        Kept kept;
        if (!is_kept(e, cell, k, &kept))
            continue;
        const Inst *i = plain(e, cell->args.items[k]);
        const Builder at = {e, b, cell->args.items[k]->type, cell->span};
        if (limited(e, i, &(const Inst *){NULL})) {
            cell->args.items[k] = build_limits(&at, i, cell, k, kept.offset);
            continue;
        }
        Inst *extent = build_extent(&at, cell->field, k);
        cell->args.items[k] =
            build_builtin(&at, BUILTIN_FLOORMOD,
                          build_index(&at, e->t->vars.items[k], kept.offset), extent);
    }
}

static void
rewrite_block(Extents *e, Block *b)
{
    Insts old = block_take(b);
    for (int n = 0; n < old.count; n++) {
        Inst *i = old.items[n];
        for (int k = 0; k < 2; k++)
            if (i->blocks[k])
                rewrite_block(e, i->blocks[k]);
        rewrite(e, b, i);
        block_add(e->c, b, i);
    }
    insts_free(e->c, &old);
}

static void
look_at_loop(Extents *e, Task *t)
{
    const Node *n = t->kind == TASK_STRUCT_FOR && !t->use_list ? t->node : NULL;
    if (!n || n->kind != NODE_DENSE || !n->parent)
        return;
    e->t = t;
    e->insts = e->found = 0;
    if (!e->indices)
        e->indices = affine_new(e->c, e->f);
    e->q = runtime_check_new(e->c, e->ir, ARENA_NEW(e->c->arena, Block), t->span);
    block_walk(t->body, ask_for, e);
    if (!e->found || e->insts > INSTS_MOST || e->q.never)
        return;
    Task *known = t;
    if (e->q.b->result) {
        known = clone_loop(e->c, e->f, t);
        Task *other = ARENA_NEW(e->c->arena, Task);
        *other = *t;
        *t = (Task){.kind = TASK_IF, .id = t->id, .span = t->span, .setup = e->q.b};
        vec_push(e->c->arena, &t->tasks, known);
        vec_push(e->c->arena, &t->orelse, other);
    }
    e->t = known;
    e->indices = affine_new(e->c, e->f);
    rewrite_block(e, known->body);
    e->indices = NULL;
}

void
pass_version_extents(Compile *c, Ir *ir, IrFunc *f)
{
    Extents e = {.c = c, .ir = ir, .f = f};
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_loop(&e, loops.items[n]);
}
