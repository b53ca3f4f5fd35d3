/* Evaluation of expressions. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interp/inside.h"

int64_t
eval_integer(Interp *in, const TExpr *e)
{
    Leaf v;
    eval(in, e, &v);
    return v.i;
}

bool
eval_bool(Interp *in, const TExpr *e)
{
    return eval_integer(in, e) != 0;
}

const char *
eval_string(Interp *in, const TExpr *e)
{
    if (e->kind == TX_PARAM)
        return in->texts[e->param->id];
    if (e->kind != TX_FORMAT)
        return e->string ? e->string : "";
    SnlText t = SNL_TEXT_EMPTY;
    eval_format_string(in, e->string, &e->args, &t);
    const char *s = arena_strndup(in->c->arena, snl_text_chars(&t), strlen(snl_text_chars(&t)));
    snl_text_free(&t);
    return s;
}

void
eval_check(Interp *in, Span at, Op op, Scalar s, Leaf a, Leaf b)
{
    const ScalarInfo *info = scalar_info(s);
    if ((op == OP_DIV || op == OP_MOD) && info->kind != KIND_FLOAT && !b.i)
        interp_fail(in, at, "division by zero");
    if ((op == OP_SHL || op == OP_SHR) && (b.i < 0 || b.i >= 8 * info->bytes))
        interp_fail(in, at, "shift count %lld is out of range for %s", (long long)b.i, info->name);
    if ((in->c->options.check & CHECK_OVERFLOW) && leaf_overflows(op, s, a, b))
        interp_fail(in, at, "signed overflow: %lld %s %lld does not fit in %s", (long long)a.i,
                    op_text(op), (long long)b.i, info->name);
}

Leaf
eval_operation(Interp *in, Span at, Op op, Scalar s, Leaf a, Leaf b, Scalar count_type)
{
    if (in->c->options.check)
        eval_check(in, at, op, s, a, b);
    return leaf_binary(op, s, a, b, count_type);
}

static void
eval_binary(Interp *in, const TExpr *e, Leaf *out)
{
    if (e->a->type->kind == TYPE_STRING) {
        const bool same = !strcmp(eval_string(in, e->a), eval_string(in, e->b));
        out->i = same == (e->op == OP_EQ);
        return;
    }
    if (e->op == OP_MATMUL) {
        builtin_matmul(in, e, out);
        return;
    }
    if ((e->op == OP_LAND || e->op == OP_LOR) && e->type->kind == TYPE_SCALAR) {
        bool first = eval_bool(in, e->a);
        out->i = e->op == OP_LAND ? first && eval_bool(in, e->b) : first || eval_bool(in, e->b);
        return;
    }
    int n = e->type->leaf_count;
    Leaf *a = interp_take(in, n), *b = interp_take(in, n);
    eval(in, e->a, a);
    eval(in, e->b, b);
    for (int i = 0; i < n; i++)
        out[i] =
            eval_operation(in, e->span, e->op, e->a->type->scalar, a[i], b[i], e->b->type->scalar);
}

static void
eval_cast(Interp *in, const TExpr *e, Leaf *out)
{
    int n = e->type->leaf_count;
    Leaf *a = interp_take(in, n);
    Scalar from = e->a->type->scalar, to = e->type->scalar;
    eval(in, e->a, a);
    for (int i = 0; i < n; i++) {
        out[i] = leaf_cast(from, to, a[i]);
        if ((in->c->options.check & CHECK_BOUNDS) && !leaf_cast_fits(from, a[i], to))
            interp_fail(in, e->span, "%g does not fit in %s", a[i].f, scalar_info(to)->name);
    }
}

static void
eval_fma(Interp *in, const TExpr *e, Leaf *out)
{
    int n = e->type->leaf_count;
    Leaf *a = interp_take(in, n), *b = interp_take(in, n), *c = interp_take(in, n);
    eval(in, e->a, a);
    eval(in, e->b, b);
    eval(in, e->c, c);
    for (int i = 0; i < n; i++)
        out[i] = leaf_fma(e->type->scalar, a[i], b[i], c[i]);
}

static Leaf
atomic_result(AtomicOp op, Scalar s, Leaf old, Leaf v)
{
    Leaf pair[2] = {old, v};
    switch (op) {
    case ATOMIC_ADD: return leaf_binary(OP_ADD, s, old, v, s);
    case ATOMIC_SUB: return leaf_binary(OP_SUB, s, old, v, s);
    case ATOMIC_AND: return leaf_binary(OP_AND, s, old, v, s);
    case ATOMIC_OR: return leaf_binary(OP_OR, s, old, v, s);
    case ATOMIC_XOR: return leaf_binary(OP_XOR, s, old, v, s);
    case ATOMIC_MIN: return leaf_builtin(BUILTIN_MIN, s, pair);
    case ATOMIC_MAX: return leaf_builtin(BUILTIN_MAX, s, pair);
    case ATOMIC_EXCHANGE:
    case ATOMIC_CAS: return v;
    }
    return old;
}

static void
eval_atomic(Interp *in, const TExpr *e, Leaf *out)
{
    int n = e->type->leaf_count;
    Leaf *v = interp_take(in, n), *next = interp_take(in, n), *fresh = interp_take(in, n);
    Where where;
    place_find(in, e->a, USE_WRITE, &where);
    eval(in, e->args.items[0], v);
    if (e->reduction && (e->atomic == ATOMIC_ADD || e->atomic == ATOMIC_SUB) &&
        sums_add(in, e->a, v, e->atomic == ATOMIC_SUB))
        return;
    if (e->atomic == ATOMIC_CAS)
        eval(in, e->args.items[1], next);
    place_load(in, &where, out, e->span);
    for (int i = 0; i < n; i++) {
        bool equal = leaf_binary(OP_EQ, e->type->scalar, out[i], v[i], e->type->scalar).i;
        if (in->c->options.check && (e->atomic == ATOMIC_ADD || e->atomic == ATOMIC_SUB))
            eval_check(in, e->span, e->atomic == ATOMIC_ADD ? OP_ADD : OP_SUB, e->type->scalar,
                       out[i], v[i]);
        fresh[i] = e->atomic == ATOMIC_CAS
                       ? equal ? next[i] : out[i]
                       : atomic_result(e->atomic, e->type->scalar, out[i], v[i]);
    }
    place_store(in, &where, fresh, e->span);
}

/* Coordinates of a node or list. */
static void
eval_coords(Interp *in, const TExprs *args, int64_t *coord)
{
    for (int i = 0; i < args->count; i++)
        coord[i] = eval_integer(in, args->items[i]);
}

static void
eval_append(Interp *in, const TExpr *e, Leaf *out)
{
    int64_t coord[AXIS_MAX];
    Leaf **values = (Leaf **)interp_take(in, e->values.count);
    eval_coords(in, &e->args, coord);
    for (int i = 0; i < e->values.count; i++) {
        values[i] = interp_take(in, e->values.items[i]->type->leaf_count);
        eval(in, e->values.items[i], values[i]);
    }
    int64_t index[AXIS_MAX], at = tree_append(in, e->node, coord, &e->args, e->span);
    for (int v = 0; v < e->values.count; v++) {
        const Field *f = e->node->places.items[v].field;
        for (int i = 0, k = 0; i < f->axis_count; i++)
            index[i] = f->axes[i] == e->node->axes[0] ? at + f->offsets[i] : coord[k++];
        for (int leaf = 0; leaf < e->node->places.items[v].leaf_count; leaf++)
            tree_write(in, e->node->places.items[v].field,
                       e->node->places.items[v].first_leaf + leaf, index, values[v][leaf], e->span);
    }
    out->i = at;
}

static void
eval_address(Interp *in, const TExpr *e, Leaf *out)
{
    Where where;
    place_find(in, e->a, USE_READ, &where);
    out->i = where.field ? tree_cells_address(in, where.field, where.leaf, where.index) : 0;
}

static void
eval_extent(Interp *in, const TExpr *e, Leaf *out)
{
    if (e->field)
        out->i = shape_field_extent(in, e->field, e->axis);
    else if (e->node) {
        tree_require(in, e->node->layout, e->span);
        out->i = shape_node_extent(in, e->node, e->axis);
    } else
        out->i = place_slot(in, e->a->var)->type->dims[e->axis];
}

static void
eval_measure(Interp *in, const TExpr *e, Leaf *out)
{
    Leaf items;
    eval(in, e->a, &items);
    out->i = snl_measure(&in->memory, items.f);
}

static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
eval_place(Interp *in, const TExpr *e, Leaf *out)
{
    Where where;
    place_find(in, e, USE_READ, &where);
    place_load(in, &where, out, e->span);
}

static void
eval_variable(Interp *in, const TExpr *e, Leaf *out)
{
    const Slot *s = place_slot(in, e->var);
    if (s->place || !s->set)
        eval_place(in, e, out);
    else
        leaves_copy(out, s->leaves, e->type->leaf_count);
}

/* The expressions that ask a tree something. */
static void
eval_tree(Interp *in, const TExpr *e, Leaf *out)
{
    int64_t coord[AXIS_MAX] = {0};
    Cells cells;
    eval_coords(in, &e->args, coord);
    switch (e->kind) {
    case TX_IS_ACTIVE: out->i = tree_is_active(in, e->node, coord, &e->args, e->span); break;
    case TX_LENGTH: out->i = tree_length(in, e->node, coord, &e->args, e->span); break;
    case TX_ACTIVE:
        cells = tree_cells(in, e->node, e->span);
        out->i = cells.count;
        tree_cells_free(&cells);
        break;
    default: break;
    }
}

static void
eval_parts(Interp *in, const TExpr *e, Leaf *out)
{
    int at = 0;
    for (int i = 0; i < e->args.count; i++) {
        eval(in, e->args.items[i], out + at);
        at += e->args.items[i]->type->leaf_count;
    }
}

static void
eval_swizzle(Interp *in, const TExpr *e, Leaf *out)
{
    Leaf *a = interp_take(in, e->a->type->leaf_count);
    eval(in, e->a, a);
    for (int i = 0; i < e->swizzle_count; i++)
        out[i] = a[e->swizzle[i]];
}

static void
eval_unary(Interp *in, const TExpr *e, Leaf *out)
{
    int n = e->type->leaf_count;
    eval(in, e->a, out);
    bool negates = e->kind == TX_UNARY && e->op == OP_NEG && in->c->options.check;
    for (int i = 0; i < n && negates; i++)
        eval_check(in, e->span, OP_SUB, e->type->scalar, (Leaf){0}, out[i]);
    for (int i = 0; i < n; i++)
        out[i] = e->kind == TX_BITCAST ? leaf_bitcast(e->a->type->scalar, e->type->scalar, out[i])
                                       : leaf_unary(e->op, e->type->scalar, out[i]);
}

static void
eval_kind(Interp *in, const TExpr *e, Leaf *out)
{
    switch (e->kind) {
    case TX_PARAM: leaves_copy(out, in->params[e->param->id], e->type->leaf_count); break;
    case TX_TABLE: case TX_FIELD: case TX_ELEM: case TX_MEMBER: eval_place(in, e, out); break;
    case TX_SWIZZLE: eval_swizzle(in, e, out); break;
    case TX_UNARY: case TX_BITCAST: eval_unary(in, e, out); break;
    case TX_BINARY: eval_binary(in, e, out); break;
    case TX_COND: eval(in, eval_bool(in, e->a) ? e->b : e->c, out); break;
    case TX_CAST: eval_cast(in, e, out); break;
    case TX_SPLAT: {
        Leaf v;
        eval(in, e->a, &v);
        for (int i = 0; i < e->type->leaf_count; i++)
            out[i] = v;
        break;
    }
    case TX_MAKE: eval_parts(in, e, out); break;
    case TX_FMA: eval_fma(in, e, out); break;
    case TX_BUILTIN: builtin_eval(in, e, out); break;
    case TX_CALL: call_eval(in, e, out); break;
    case TX_ATOMIC: eval_atomic(in, e, out); break;
    case TX_IS_ACTIVE: case TX_LENGTH: case TX_ACTIVE: eval_tree(in, e, out); break;
    case TX_APPEND: eval_append(in, e, out); break;
    case TX_EXTENT: eval_extent(in, e, out); break;
    case TX_ADDRESS: eval_address(in, e, out); break;
    case TX_CLOCK: out->f = seconds(); break;
    case TX_TAKE: out->i = tape_take_word(in); break;
    case TX_MEASURE: eval_measure(in, e, out); break;
    case TX_MEMORY: out->i = tree_copy_memory(in, e->layout, e->span); break;
    case TX_CONST: case TX_VAR: case TX_ERROR: case TX_STRING: case TX_FORMAT: break;
    }
}

void
eval(Interp *in, const TExpr *e, Leaf *out)
{
    int64_t mark = in->stack_used;
    if (e->kind == TX_CONST)
        leaves_copy(out, e->value.leaves, e->type->leaf_count);
    else if (e->kind == TX_VAR)
        eval_variable(in, e, out);
    else
        eval_kind(in, e, out);
    in->stack_used = mark;
}

/* The C representation of one value. */
static void
to_memory(const Type *t, const Leaf *v, char *out)
{
    for (int i = 0; i < t->leaf_count; i++) {
        int64_t at;
        Scalar s = type_leaf(t, i, &at);
        leaf_store(s, out + at, v[i]);
    }
}

void
eval_format(Interp *in, const char *format, const TExprs *args, SnlText *out)
{
    SnlArg *list = ARENA_ARRAY(in->c->arena, SnlArg, args->count);
    for (int i = 0; i < args->count; i++) {
        const TExpr *e = args->items[i];
        if (e->type->kind == TYPE_STRING) {
            list[i] = (SnlArg){.tag = SNL_STRING, .data = eval_string(in, e)};
            continue;
        }
        Leaf *v = interp_take(in, e->type->leaf_count);
        char *data = arena_alloc(in->c->arena, (size_t)e->type->bytes);
        eval(in, e, v);
        to_memory(e->type, v, data);
        list[i] = (SnlArg){.tag = (int)e->type->scalar,
                           .rows = e->type->rows,
                           .cols = e->type->cols,
                           .data = data};
    }
    snl_format_text(out, format, args->count, list);
    if (out->failed)
        arena_out_of_memory();
}

void
eval_format_string(Interp *in, const char *format, const TExprs *args, SnlText *out)
{
    eval_format(in, format, args, out);
    snl_text_end_in_zero(out);
    if (out->failed)
        arena_out_of_memory();
}
