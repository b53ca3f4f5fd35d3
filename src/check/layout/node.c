/* Operations on cells of nodes: activity, lists, extents, conversion of indices. */
#include "config.h"

#include <string.h>

#include "check/check_func.h"
#include "check/suggest.h"

int
node_path_axes(const Node *n, int axes[AXIS_MAX])
{
    int count = 0;
    for (int a = 0; a < AXIS_MAX; a++)
        if (n->path_axes & 1 << a)
            axes[count++] = a;
    return count;
}

static Scalar
scalar_for(int64_t first, int64_t count)
{
    return count > INT32_MAX || first < INT32_MIN || first + count - 1 > INT32_MAX ? SCALAR_I64
                                                                                   : SCALAR_I32;
}

/* Of indices from `first`; a count of 0 is known at run time. */
static Scalar
scalar_on_path(const Node *n, int axis, int64_t first, int64_t count)
{
    return !count && node_is_wide(n, axis) ? SCALAR_I64 : scalar_for(first, count);
}

Scalar
node_axis_scalar(const Node *n, int axis)
{
    int64_t cell = n->cell_extent[axis] > 0 ? n->cell_extent[axis] : 1;
    return scalar_on_path(n, axis, n->has_offset ? n->offset[axis] / cell : 0,
                          n->coord_extent[axis]);
}

Scalar
field_axis_scalar(const Field *f, int index)
{
    return scalar_on_path(f->node, f->axes[index], f->offsets[index], f->extents[index]);
}

bool
check_label_offset(Checker *k, const Node *n, Span at)
{
    for (int a = 0; n->has_offset && a < AXIS_MAX; a++) {
        if (!(n->path_axes & 1 << a))
            continue;
        if (n->cell_extent[a] < 1) /* of a layout with an error */
            return false;
        if (n->offset[a] % n->cell_extent[a] == 0)
            continue;
        Diag *d = diag(
            k->c, E0408, at,
            "the offset %lld of the fields below '%s' is no multiple of its cells' extent %lld",
            (long long)n->offset[a], n->label, (long long)n->cell_extent[a]);
        diag_note(d, n->span, "'%s' is declared here", n->label);
        return false;
    }
    return true;
}

/* ---- labels ---- */

/* The node of a label without coordinates; NULL after a report. */
static Node *
label_of(Checker *k, Scope *s, const Expr *e)
{
    const Expr *base = e->kind == EXPR_INDEX ? e->a : e;
    if (base->kind == EXPR_NAME)
        return check_node_name(k, s, base->name);
    if (base->kind != EXPR_ERROR)
        diag(k->c, E0205, e->span, "the label of a node is needed here");
    return NULL;
}

Node *
check_label(Checker *k, Scope *s, const Expr *e)
{
    if (e->kind != EXPR_INDEX || !e->args.count)
        return label_of(k, s, e);
    if (label_of(k, s, e))
        diag(k->c, E0205, e->span, "the label of a node is needed here, without indices");
    return NULL;
}

/* Warns of constant coordinates that no cell has; those of lists may leave out their own axis. */
static void
check_coords_range(Checker *k, const Node *n, const TExprs *coords, bool own_axis)
{
    int axes[AXIS_MAX], count = node_path_axes(n, axes);
    if (n->layout->offset_refused)
        return;
    for (int i = 0, at = 0; i < count; i++) {
        int a = axes[i];
        int64_t cell = n->cell_extent[a] > 0 ? n->cell_extent[a] : 1;
        if (own_axis || a != n->axes[0])
            check_constant_index(k, coords->items[at++], n->label, n->offset[a] / cell,
                                 n->coord_extent[a], i);
    }
}

Node *
check_cell(Checker *k, Scope *s, const Expr *e, bool own_axis, TExprs *coords)
{
    int axes[AXIS_MAX];
    Node *n = label_of(k, s, e);
    if (!n)
        return NULL;
    int needed = node_path_axes(n, axes) - (own_axis ? 0 : 1);
    if (e->kind == EXPR_INDEX && !check_indices(k, s, &e->args, coords))
        return NULL;
    if (coords->count != needed) {
        Diag *d = diag(k->c, E0307, e->span, "'%s' takes %d %s here, not %d", n->label, needed,
                       needed == 1 ? "index" : "indices", coords->count);
        diag_note(d, n->span, "'%s' is declared here", n->label);
        return NULL;
    }
    if (!check_label_offset(k, n, e->span))
        return NULL;
    check_coords_range(k, n, coords, own_axis);
    return n;
}

static bool
is_list(NodeKind kind)
{
    return kind == NODE_DYNAMIC;
}

/* True when the node of the label is of a kind that has the operation; else E0504, which names
 * those that have. */
static bool
has_operation(Checker *k, const Node *n, Span at, const char *what, bool (*has)(NodeKind kind))
{
    Text kinds;
    if (has(n->kind))
        return true;
    text_init(&kinds, k->c->arena);
    for (int i = 0; i < NODE_KIND_COUNT; i++)
        if (has((NodeKind)i))
            text_add(&kinds, "%s%s", kinds.count ? ", " : "", node_kind_name((NodeKind)i));
    Diag *d = diag(k->c, E0504, at, "'%s' is a %s node, which has no %s", n->label,
                   node_kind_name(n->kind), what);
    diag_note(d, n->span, "'%s' is declared here; with %s: %s", n->label, what, kinds.data);
    return false;
}

/* ---- activity ---- */

static TExpr *
change_activity(Checker *k, Scope *s, const Expr *e, TStmtKind kind, const char *name)
{
    if (suggest_cell(k, e, name) ||
        !check_count(k, e, arena_printf(k->c->arena, "'%s'", name), 1, 1))
        return tx_error(k, e->span);
    TStmt *st = stmt_new(k, kind, e->span);
    Node *n = label_of(k, s, e->args.items[0]);
    if (!n || !has_operation(k, n, e->args.items[0]->span, name, node_has_activity))
        return tx_error(k, e->span);
    bool whole_list = n->kind == NODE_DYNAMIC && kind == TS_DEACTIVATE;
    st->node = check_cell(k, s, e->args.items[0], !whole_list, &st->args);
    if (!st->node)
        return tx_error(k, e->span);
    stmt_add(k, st);
    return tx_void(k, e->span);
}

TExpr *
check_activate(Checker *k, Scope *s, const Expr *e)
{
    return change_activity(k, s, e, TS_ACTIVATE, "activate");
}

TExpr *
check_deactivate(Checker *k, Scope *s, const Expr *e)
{
    return change_activity(k, s, e, TS_DEACTIVATE, "deactivate");
}

TExpr *
check_deactivate_all(Checker *k, Scope *s, const Expr *e)
{
    if (!check_count(k, e, "'deactivate_all'", 1, 1))
        return tx_error(k, e->span);
    Node *n = check_label(k, s, e->args.items[0]);
    if (!n || !has_operation(k, n, e->args.items[0]->span, "deactivate_all", node_has_activity))
        return tx_error(k, e->span);
    bool allowed = in_host(k) || (k->func->func->kind == FUNC_KERNEL && !k->func->loop);
    if (!allowed) {
        diag(k->c, E0506, e->span,
             "'deactivate_all' stands in host code or at the top level of a kernel");
        return tx_error(k, e->span);
    }
    TStmt *st = stmt_new(k, TS_DEACTIVATE_ALL, e->span);
    st->node = n;
    stmt_add(k, st);
    return tx_void(k, e->span);
}

TExpr *
check_is_active(Checker *k, Scope *s, const Expr *e)
{
    TExpr *t = tx_new(k, TX_IS_ACTIVE, type_scalar(k->prog->types, SCALAR_BOOL), e->span);
    if (suggest_cell(k, e, "is_active") || !check_count(k, e, "'is_active'", 1, 1))
        return tx_error(k, e->span);
    Node *n = label_of(k, s, e->args.items[0]);
    if (!n ||
        !has_operation(k, n, e->args.items[0]->span, "activity of its own", node_has_activity))
        return tx_error(k, e->span);
    t->node = check_cell(k, s, e->args.items[0], true, &t->args);
    return t->node ? t : tx_error(k, e->span);
}

/* ---- lists ---- */

/* i32 or i64 by the maximum length. */
static const Type *
length_type(Checker *k, const Node *n)
{
    return type_scalar(k->prog->types, scalar_on_path(n, n->axes[0], 0, n->sizes[0]));
}

TExpr *
check_length(Checker *k, Scope *s, const Expr *e)
{
    if (!check_count(k, e, "'length'", 1, 1) || suggest_norm(k, s, e))
        return tx_error(k, e->span);
    Node *n = label_of(k, s, e->args.items[0]);
    if (!n || !has_operation(k, n, e->args.items[0]->span, "length", is_list))
        return tx_error(k, e->span);
    TExpr *t = tx_new(k, TX_LENGTH, length_type(k, n), e->span);
    t->node = check_cell(k, s, e->args.items[0], false, &t->args);
    return t->node ? t : tx_error(k, e->span);
}

/* The number of the first place of a field in a node. */
static int
first_of_field(const Node *n, const Field *f)
{
    int i = 0;
    while (n->places.items[i].field != f)
        i++;
    return i;
}

/* How many places of a node are not of adjoints. */
static int
own_places(const Node *n)
{
    int count = 0;
    for (int i = 0; i < n->places.count; i++)
        count += !n->places.items[i].field->primal;
    return count;
}

/* How many fields lie in a node; 0 where a part of one lies elsewhere. */
static int
fields_in(const Node *n)
{
    int count = 0;
    for (int i = 0; i < n->places.count; i++) {
        const Field *f = n->places.items[i].field;
        int leaves = 0;
        if (f->primal || first_of_field(n, f) < i)
            continue;
        for (int p = i; p < n->places.count; p++)
            leaves += n->places.items[p].field == f ? n->places.items[p].leaf_count : 0;
        if (leaves < f->type->leaf_count)
            return 0;
        count++;
    }
    return count;
}

/* What of the value of a field, or of the value of the place, goes to a place. */
static TExpr *
part_of(Checker *k, TExpr *v, const Place *p)
{
    for (int leaf = p->first_leaf; v->type != p->type;) {
        if (v->type->kind != TYPE_STRUCT)
            return tx_component(k, v, leaf);
        int m = v->type->member_count - 1;
        while (v->type->members[m].leaf > leaf)
            m--;
        const Member *member = &v->type->members[m];
        TExpr *part = tx_new(k, TX_MEMBER, member->type, v->span);
        part->a = v;
        part->member = m;
        v = part;
        leaf -= member->leaf;
    }
    return v;
}

static TExpr *
zero_of(Checker *k, const Type *type, Span span)
{
    return tx_value(k, span, (Value){type, ARENA_ARRAY(k->c->arena, Leaf, type->leaf_count)});
}

/* The values stand in the order of the places; or one for each field that is placed in parts, so
 * that these do not change what the program says. */
TExpr *
check_append(Checker *k, Scope *s, const Expr *e)
{
    if (!check_count(k, e, "'append'", 1, 10000))
        return tx_error(k, e->span);
    Node *n = label_of(k, s, e->args.items[0]);
    if (!n || !has_operation(k, n, e->args.items[0]->span, "append", is_list))
        return tx_error(k, e->span);
    const int given = e->args.count - 1, places = own_places(n);
    int fields = fields_in(n);
    bool by_field = given && given != places && given == fields;
    if (given && given != places && !by_field) {
        const char *whole = fields && fields != places
                                ? arena_printf(k->c->arena, ", or %d for whole fields", fields)
                                : "";
        Diag *d =
            diag(k->c, E0305, e->span, "'append' to '%s' takes %d %s%s, or none, not %d", n->label,
                 places, places == 1 ? "value" : "values", whole, given);
        for (int i = 0; i < n->places.count; i++)
            if (!n->places.items[i].field->primal)
                diag_note(d, n->places.items[i].span, "one for '%s'",
                          n->places.items[i].field->name);
        return tx_error(k, e->span);
    }
    TExpr *t = tx_new(k, TX_APPEND, length_type(k, n), e->span);
    t->node = check_cell(k, s, e->args.items[0], false, &t->args);
    bool fine = t->node != NULL;
    TExprs values = {0};
    for (int i = 0, at = 0; fine && i < n->places.count; i++) {
        const Place *p = &n->places.items[i];
        int first = first_of_field(n, p->field);
        if (given && p->field->primal) {
            vec_push(k->c->arena, &values, zero_of(k, p->type, e->span));
            continue;
        }
        if (!given || (by_field && first < i)) {
            vec_push(k->c->arena, &values, given ? values.items[first] : NULL);
            continue;
        }
        const Type *want = by_field ? p->field->type : p->type;
        TExpr *v = convert(k, check_expr(k, s, e->args.items[++at], want), want,
                           arena_printf(k->c->arena, "the value of '%s'", p->field->name));
        fine = !tx_is_error(v);
        vec_push(k->c->arena, &values,
                 fine && by_field && !tx_is_cheap(v) ? tx_temporary(k, v) : v);
    }
    for (int i = 0; fine && given && i < n->places.count; i++)
        vec_push(k->c->arena, &t->values, part_of(k, values.items[i], &n->places.items[i]));
    return fine ? t : tx_error(k, e->span);
}

/* ---- extents ---- */

static TExpr *
constant_extent(Checker *k, const Expr *e, int64_t extent)
{
    return tx_integer(k, e->span, extent > INT32_MAX ? SCALAR_I64 : SCALAR_I32, extent);
}

static bool
check_axis(Checker *k, Scope *s, const Expr *e, int count, const char *what, int64_t *axis)
{
    if (!check_const_int(k, s, e, axis))
        return false;
    if (*axis >= 0 && *axis < count)
        return true;
    diag(k->c, E0401, e->span, "%s has axes 0 to %d, not %lld", what, count - 1, (long long)*axis);
    return false;
}

static TExpr *
field_extent(Checker *k, Scope *s, const Expr *e, Field *f)
{
    int64_t axis;
    if (!k->layouts_done) {
        diag(k->c, E0601, e->span,
             "the extents of '%s' are not known yet where layouts and static items are made",
             f->name);
        return tx_error(k, e->span);
    }
    if (!check_axis(k, s, e->args.items[1], f->axis_count,
                    arena_printf(k->c->arena, "field '%s'", f->name), &axis))
        return tx_error(k, e->span);
    if (f->extents[axis])
        return constant_extent(k, e, f->extents[axis]);
    TExpr *t =
        tx_new(k, TX_EXTENT, type_scalar(k->prog->types, field_axis_scalar(f, (int)axis)), e->span);
    t->field = f;
    t->axis = (int)axis;
    return t;
}

static TExpr *
label_extent(Checker *k, Scope *s, const Expr *e, Node *n)
{
    int axes[AXIS_MAX], count = node_path_axes(n, axes);
    int64_t axis;
    if (!check_axis(k, s, e->args.items[1], count, arena_printf(k->c->arena, "node '%s'", n->label),
                    &axis))
        return tx_error(k, e->span);
    if (n->coord_extent[axes[axis]])
        return constant_extent(k, e, n->coord_extent[axes[axis]]);
    TExpr *t =
        tx_new(k, TX_EXTENT, type_scalar(k->prog->types, node_axis_scalar(n, axes[axis])), e->span);
    t->node = n;
    t->axis = axes[axis];
    return t;
}

/* extent(x) */
static TExpr *
report_no_axis(Checker *k, Scope *s, const Expr *e)
{
    bool failed;
    const Expr *of = e->args.items[0];
    Diag *d = diag(k->c, E0305, e->span, "'extent' takes an axis too");
    const Field *f = of->kind == EXPR_NAME ? named_field(k, s, of, &failed) : NULL;
    const char *name = source_text(k, of->span);
    if (f && f->axis_count == 1)
        diag_edit(d, e->span, "extent(%s, 0)", name);
    else if (f && f->axis_count > 1)
        diag_fix(d, "extent(%s, 0) to extent(%s, %d), one for each axis", name, name,
                 f->axis_count - 1);
    else
        diag_fix(d, "extent(%s, 0)", name);
    return tx_error(k, e->span);
}

TExpr *
check_extent(Checker *k, Scope *s, const Expr *e)
{
    bool failed;
    int64_t axis;
    if (e->args.count == 1)
        return report_no_axis(k, s, e);
    if (!check_count(k, e, "'extent'", 2, 2))
        return tx_error(k, e->span);
    const Expr *of = e->args.items[0];
    Field *f = named_field(k, s, of, &failed);
    if (f)
        return field_extent(k, s, e, f);
    Node *n = failed ? NULL : named_node(k, s, of, &failed);
    if (n)
        return label_extent(k, s, e, n);
    TExpr *a = failed ? tx_error(k, e->span) : check_expr(k, s, of, NULL);
    if (!has_value(k, a))
        return tx_error(k, e->span);
    if (a->type->kind != TYPE_EXTERN && a->type->kind != TYPE_ARRAY) {
        diag(k->c, E0313, of->span, "'extent' takes a field, a label or an array, not %s",
             a->type->name);
        return tx_error(k, e->span);
    }
    if (!check_axis(k, s, e->args.items[1], a->type->dim_count, "the array", &axis))
        return tx_error(k, e->span);
    if (a->type->kind == TYPE_ARRAY)
        return constant_extent(k, e, a->type->dims[axis]);
    TExpr *t = tx_new(k, TX_EXTENT, type_scalar(k->prog->types, SCALAR_I32), e->span);
    a->var->is_measured = true;
    t->a = a;
    t->axis = (int)axis;
    return t;
}

/* The field or node that an argument names; neither, after a report. */
typedef struct {
    Field *field;
    Node *node;
} Shaped;

static Shaped
named_shape(Checker *k, Scope *s, const Expr *e, const char *function)
{
    bool failed;
    Shaped of = {.field = named_field(k, s, e, &failed)};
    if (!of.field && !failed)
        of.node = named_node(k, s, e, &failed);
    if (!of.field && !of.node && !failed)
        diag(k->c, E0313, e->span, "'%s' takes a field or a label", function);
    if ((of.field || of.node) && !k->layouts_done) {
        diag(k->c, E0601, e->span,
             "the axes of '%s' are not known yet where layouts and static items are made",
             of.field ? of.field->name : of.node->label);
        return (Shaped){0};
    }
    return of;
}

TExpr *
check_axes(Checker *k, Scope *s, const Expr *e)
{
    if (!check_count(k, e, "'axes'", 1, 1))
        return tx_error(k, e->span);
    const Shaped of = named_shape(k, s, e->args.items[0], "axes");
    int axes[AXIS_MAX];
    if (!of.field && !of.node)
        return tx_error(k, e->span);
    return tx_integer(k, e->span, SCALAR_I32,
                      of.field ? of.field->axis_count : node_path_axes(of.node, axes));
}

TExpr *
check_offset(Checker *k, Scope *s, const Expr *e)
{
    if (!check_count(k, e, "'offset'", 2, 2))
        return tx_error(k, e->span);
    const Shaped of = named_shape(k, s, e->args.items[0], "offset");
    if (!of.field && !of.node)
        return tx_error(k, e->span);
    int axes[AXIS_MAX];
    const int count = of.field ? of.field->axis_count : node_path_axes(of.node, axes);
    const char *what = of.field ? arena_printf(k->c->arena, "field '%s'", of.field->name)
                                : arena_printf(k->c->arena, "node '%s'", of.node->label);
    int64_t axis;
    if (!check_axis(k, s, e->args.items[1], count, what, &axis))
        return tx_error(k, e->span);
    if (of.field)
        return tx_integer(k, e->span, field_axis_scalar(of.field, (int)axis),
                          of.field->offsets[axis]);
    if (!check_label_offset(k, of.node, e->args.items[0]->span))
        return tx_error(k, e->span);
    const int a = axes[axis];
    return tx_integer(k, e->span, node_axis_scalar(of.node, a),
                      of.node->has_offset ? of.node->offset[a] / of.node->cell_extent[a] : 0);
}

/* ---- rescale ---- */

/* The index space of a field or of a node's cells. */
typedef struct {
    const char *name;
    int axes[AXIS_MAX], count;
    int64_t extent[AXIS_MAX]; /* by axis; 0: run-time */
    int64_t steps[AXIS_MAX];  /* of it, in one cell of a node at the top with a run-time size */
    int64_t first[AXIS_MAX];
} Space;

/* Cells of a node along an axis, without the run-time sizes of nodes at the top. */
static int64_t
known_extent(const Node *n, int axis)
{
    int64_t product = 1;
    for (; n; n = n->parent)
        for (int i = 0; i < n->axis_count; i++)
            if (n->axes[i] == axis && n->sizes[i] > 0)
                product *= n->sizes[i];
    return product;
}

static bool
find_space(Checker *k, Scope *s, const Expr *e, Space *out)
{
    bool failed;
    memset(out, 0, sizeof *out);
    Field *f = named_field(k, s, e, &failed);
    if (f) {
        out->name = f->name;
        out->count = f->axis_count;
        for (int i = 0; i < f->axis_count; i++) {
            int a = out->axes[i] = f->axes[i];
            out->extent[a] = f->extents[i];
            out->first[a] = f->offsets[i];
            out->steps[a] = known_extent(f->node, a);
        }
        return true;
    }
    Node *n = failed ? NULL : check_label(k, s, e);
    if (!n || !check_label_offset(k, n, e->span))
        return false;
    out->name = n->label;
    out->count = node_path_axes(n, out->axes);
    for (int i = 0; i < out->count; i++) {
        int a = out->axes[i];
        out->extent[a] = n->coord_extent[a];
        out->steps[a] = known_extent(n, a);
        out->first[a] = n->has_offset ? n->offset[a] / n->cell_extent[a] : 0;
    }
    return true;
}

static TExpr *
add_constant(Checker *k, TExpr *e, int64_t by)
{
    return by ? tx_binary(k, OP_ADD, e->type, e, tx_integer(k, e->span, e->type->scalar, by)) : e;
}

/* Index i along an axis of one space as an index of the other: by the ratio of the extents. */
static TExpr *
rescale_axis(Checker *k, TExpr *i, const Space *from, const Space *to, int a)
{
    bool known = from->extent[a] > 0 && to->extent[a] > 0;
    int64_t big = known ? from->extent[a] : from->steps[a],
            small = known ? to->extent[a] : to->steps[a];
    if (big < small) {
        int64_t ratio = small / big;
        TExpr *base = add_constant(k, i, -from->first[a]);
        TExpr *factor = tx_integer(k, i->span, i->type->scalar, ratio);
        if (from->first[a] * ratio == to->first[a])
            return tx_binary(k, OP_MUL, i->type, i, factor);
        return add_constant(k, tx_binary(k, OP_MUL, i->type, base, factor), to->first[a]);
    }
    int64_t ratio = big / small;
    bool aligned = to->first[a] * ratio == from->first[a];
    TExpr *base = aligned ? i : add_constant(k, i, -from->first[a]);
    if (ratio > 1) {
        TExpr *div = tx_new(k, TX_BUILTIN, i->type, i->span);
        div->builtin = BUILTIN_FLOORDIV;
        vec_push(k->c->arena, &div->args, base);
        vec_push(k->c->arena, &div->args, tx_integer(k, i->span, i->type->scalar, ratio));
        base = fold(k, div);
    }
    return aligned ? base : add_constant(k, base, to->first[a]);
}

/* The axes of a space: i, j */
static const char *
letters_of(Checker *k, const Space *space)
{
    const char *text = space->count ? "" : "none";
    for (int i = 0; i < space->count; i++)
        text =
            arena_printf(k->c->arena, "%s%s%c", text, i ? ", " : "", AXIS_LETTERS[space->axes[i]]);
    return text;
}

TExpr *
check_rescale(Checker *k, Scope *s, const Expr *e)
{
    Space from, to;
    TExprs parts = {0};
    if (!check_count(k, e, "'rescale'", 3, 3) || !find_space(k, s, e->args.items[0], &from) ||
        !find_space(k, s, e->args.items[1], &to))
        return tx_error(k, e->span);
    TExpr *index = check_expr(k, s, e->args.items[2], NULL);
    if (!has_value(k, index))
        return tx_error(k, e->span);
    if (!type_is_integer(index->type) || index->type->kind == TYPE_MATRIX) {
        diag(k->c, E0306, index->span, "an index must be an integer, this is %s",
             index->type->name);
        return tx_error(k, e->span);
    }
    bool same_axes =
        from.count == to.count && !memcmp(from.axes, to.axes, sizeof(int) * (size_t)from.count);
    if (!same_axes) {
        diag(k->c, E0505, e->span, "'%s' has the axes %s, '%s' has %s", from.name,
             letters_of(k, &from), to.name, letters_of(k, &to));
        return tx_error(k, e->span);
    }
    if (index->type->leaf_count != from.count) {
        diag(k->c, E0307, e->span, "'%s' and '%s' have %d ax%s, the index %d component%s",
             from.name, to.name, from.count, from.count == 1 ? "is" : "es", index->type->leaf_count,
             index->type->leaf_count == 1 ? "" : "s");
        return tx_error(k, e->span);
    }
    index = tx_stable(k, index);
    for (int i = 0; i < from.count; i++)
        vec_push(k->c->arena, &parts,
                 rescale_axis(k, tx_component(k, index, i), &from, &to, from.axes[i]));
    return index->type->kind == TYPE_SCALAR ? parts.items[0]
                                            : tx_make(k, index->type, parts, e->span);
}
