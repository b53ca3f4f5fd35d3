/* Layout declarations to trees; then every field. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/edit_distance.h"
#include "check/check.h"

/* Adds a member to a global symbol that may be a numbered family: layout names and labels. */
static void
declare_numbered(Checker *k, Scope *s, SymKind kind, Name name, void *thing)
{
    int64_t number = -1;
    if (name.number && !check_const_int(k, s, name.number, &number))
        return;
    Symbol *sym = map_get(&k->globals->names, name.text);
    if (!sym || sym->kind != kind || !sym->is_family || !name.number)
        sym = scope_declare(k, k->globals, kind, name.text, name.span);
    sym->state = SYM_DONE;
    sym->is_family = name.number != NULL;
    for (int i = 0; i < sym->members.count; i++)
        if (sym->members.items[i].number == number) {
            diag(k->c, E0202, name.span, "'%s#%lld' is declared twice", name.text,
                 (long long)number);
            return;
        }
    vec_push(k->c->arena, &sym->members, (SymMember){number, thing});
}

static const char *
numbered_text(Checker *k, Scope *s, Name name)
{
    int64_t number;
    if (!name.text || !name.number || !check_const_int(k, s, name.number, &number))
        return name.text;
    return arena_printf(k->c->arena, "%s#%lld", name.text, (long long)number);
}

/* True when an expression is made of params and constants alone. */
static bool
only_params(const TExpr *e)
{
    if (!e)
        return true;
    switch (e->kind) {
    case TX_CONST:
    case TX_PARAM: break;
    case TX_UNARY:
    case TX_BINARY:
    case TX_CAST:
    case TX_COND:
    case TX_BUILTIN:
    case TX_ELEM:
    case TX_SPLAT: break;
    default: return false;
    }
    for (int i = 0; i < e->args.count; i++)
        if (!only_params(e->args.items[i]))
            return false;
    return only_params(e->a) && only_params(e->b) && only_params(e->c);
}

/* A @live param that an expression of params uses, or NULL. */
static const Param *
live_param(const TExpr *e)
{
    const Param *found = e && e->kind == TX_PARAM && e->param->is_live ? e->param : NULL;
    if (!e)
        return NULL;
    for (int i = 0; i < e->args.count && !found; i++)
        found = live_param(e->args.items[i]);
    found = found ? found : live_param(e->a);
    found = found ? found : live_param(e->b);
    return found ? found : live_param(e->c);
}

/* An expression as reports show it: without comments and line breaks. */
static const char *
text_on_a_line(Checker *k, Span span)
{
    Text t;
    bool blank = false;
    text_init(&t, k->c->arena);
    for (const char *s = source_text(k, span); *s;) {
        const char *end = s + strspn(s, " \t\r\n\f\v");
        if (strncmp(s, "//", 2) == 0)
            end = s + strcspn(s, "\n");
        else if (strncmp(s, "/*", 2) == 0)
            end = strstr(s, "*/") + 2;
        if (end > s) {
            blank = true;
            s = end;
            continue;
        }
        text_raw(&t, " ", blank && t.count);
        text_raw(&t, s++, 1);
        blank = false;
    }
    return t.data;
}

void
layout_check_size(Checker *k, Scope *s, Node *n, int axis, const Expr *e)
{
    Const v;
    int64_t size;
    n->sizes[axis] = 1;
    if (const_eval_untyped(k, s, e, &v) && v.kind == CONST_INT) {
        if (!const_is_exact(k, &v))
            return;
        size = integer_fits(SCALAR_I64, v.integer) ? (int64_t)v.integer : INT64_MAX;
    } else {
        TExpr *t = check_expr(k, s, e, NULL);
        if (t->type->kind == TYPE_ERROR)
            return;
        if (t->type->kind != TYPE_SCALAR || !type_is_integer(t->type)) {
            diag(k->c, E0402, e->span, "a size is an integer, not %s", t->type->name);
            return;
        }
        t = fold(k, t);
        const Param *live;
        if (t->kind != TX_CONST) {
            if (n->depth > 0)
                diag(k->c, E0409, e->span,
                     "only the outermost node may have a size that is known at run time");
            else if (!only_params(t))
                diag(k->c, E0409, e->span, "a size may use constants and params only");
            else if ((live = live_param(t))) {
                Diag *d = diag(k->c, E0409, e->span,
                               "a size cannot use @live param '%s', which may change", live->name);
                diag_note(d, live->span, "'%s' is declared here", live->name);
            }
            else {
                n->sizes[axis] = 0;
                n->size_text[axis] = text_on_a_line(k, e->span);
                n->size_is_wide[axis] =
                    scalar_info(t->type->scalar)->bytes == 8 || t->type->scalar == SCALAR_U32;
                n->size_expr[axis] =
                    convert(k, t, type_scalar(k->prog->types, SCALAR_I64), "a size");
                n->packed = true;
            }
            return;
        }
        size = t->value.leaves[0].i;
    }
    if (size < 1)
        diag(k->c, E0402, e->span, "a size must be positive, not %lld", (long long)size);
    else
        n->sizes[axis] = size;
}

/* Elsewhere one size may stand for all axes, and that of a chunk behind the size of a list. */
static void
report_size_count(Checker *k, const LayoutNode *from, const Node *n)
{
    const int axes = n->axis_count, sizes = from->sizes.count;
    const Expr *const *size = (const Expr *const *)from->sizes.items;
    Diag *d = diag(k->c, E0403, from->axes_span, "'%s' has %d %s but %d %s",
                   node_kind_name(from->kind), axes, axes == 1 ? "axis" : "axes", sizes,
                   sizes == 1 ? "size" : "sizes");
    if (from->kind == NODE_DYNAMIC && axes == 1 && sizes == 2) {
        diag_fix(d, "how many cells are allocated at once is said before the node: @chunk(%s)",
                 source_text(k, size[1]->span));
    } else if (sizes == 1 && axes > 1 && size[0]->kind == EXPR_INT) {
        const char *one = source_text(k, size[0]->span), *all = one;
        for (int a = 1; a < axes; a++)
            all = arena_printf(k->c->arena, "%s, %s", all, one);
        diag_fix(d, "each axis has a size: %s[%s]", from->axes, all);
    }
}

static void
check_axes(Checker *k, Scope *s, const LayoutNode *from, Node *n)
{
    static const char axis_letters[] = AXIS_LETTERS;
    for (const char *p = from->axes; *p; p++) {
        const char *letter = strchr(axis_letters, *p);
        if (!letter) {
            diag(k->c, E0401, from->axes_span, "'%c' is not an axis; axes are letters from i to p",
                 *p);
            return;
        }
        if (strchr(p + 1, *p)) {
            diag(k->c, E0401, from->axes_span, "the axis '%c' stands here twice", *p);
            return;
        }
        if (n->axis_count < AXIS_MAX)
            n->axes[n->axis_count++] = (int)(letter - axis_letters);
    }
    if (from->sizes.count != n->axis_count) {
        report_size_count(k, from, n);
        n->axis_count = n->axis_count < from->sizes.count ? n->axis_count : from->sizes.count;
    }
    for (int i = 0; i < n->axis_count; i++)
        layout_check_size(k, s, n, i, from->sizes.items[i]);
}

static void
check_dynamic(Checker *k, const LayoutNode *from, const Node *n, int axes_above)
{
    if (n->axis_count != 1)
        diag(k->c, E0407, from->axes_span, "a dynamic node has one axis");
    else if (axes_above & 1 << n->axes[0])
        diag(k->c, E0407, from->axes_span, "the axis of a dynamic node may not be used above it");
    for (int i = 0; i < from->children.count; i++)
        if (!from->children.items[i]->is_place)
            diag(k->c, E0407, from->children.items[i]->span,
                 "a dynamic node must be the last node on its path");
}

/* v[5], m[0, 2]: narrows the place of a vector or matrix to one component. */
static bool
find_component(Checker *k, Scope *s, const Expr *e, Place *p)
{
    const Type *t = p->type;
    int64_t sizes[2] = {t->rows, t->cols}, number = 0;
    int count = t->kind == TYPE_VECTOR ? 1 : t->kind == TYPE_MATRIX ? 2 : 0;
    if (e->args.count != count) {
        if (count)
            diag(k->c, E0410, e->span, "a component of %s has %d %s, not %d", t->name, count,
                 count == 1 ? "index" : "indices", e->args.count);
        else
            diag(k->c, E0410, e->span, "%s has no components; what is placed whole has no index",
                 t->name);
        return false;
    }
    for (int i = 0; i < count; i++) {
        int64_t index;
        if (!check_const_int(k, s, e->args.items[i], &index))
            return false;
        if (index < 0 || index >= sizes[i]) {
            diag(k->c, E0410, e->args.items[i]->span,
                 "%s has no component %lld: they are 0 to %lld", t->name, (long long)index,
                 (long long)sizes[i] - 1);
            return false;
        }
        number = number * sizes[i] + index;
    }
    p->first_leaf += (int)number;
    p->type = type_scalar(k->prog->types, t->scalar);
    return true;
}

/* The run of leaves a place expression means: a field, component or member. */
static bool
find_place(Checker *k, Scope *s, const Expr *e, Place *p)
{
    if (e->kind == EXPR_NAME) {
        Symbol *sym = e->name.number ? NULL : scope_find(s, e->name.text);
        if (sym && sym->kind != SYM_FIELD) {
            diag(k->c, E0410, e->span, "'%s' is not a field; only fields are placed", e->name.text);
            return false;
        }
        p->field = check_field_name(k, s, e->name);
        if (!p->field || p->field->type->kind == TYPE_ERROR)
            return false;
        p->type = p->field->type;
        return true;
    }
    if (e->kind == EXPR_CALL) {
        p->field = placed_adjoint(k, s, e);
        p->type = p->field ? p->field->type : NULL;
        return p->field != NULL;
    }
    if (!find_place(k, s, e->a, p))
        return false;
    if (e->kind == EXPR_INDEX)
        return find_component(k, s, e, p);
    const Member *m = type_member(p->type, e->name.text);
    const char *letter = strlen(e->name.text) == 1 ? strchr("xyzw", e->name.text[0]) : NULL;
    if (m) {
        p->first_leaf += m->leaf;
        p->type = m->type;
    } else if (p->type->kind == TYPE_VECTOR && letter && letter - "xyzw" < p->type->rows &&
               *letter) {
        p->first_leaf += (int)(letter - "xyzw");
        p->type = type_scalar(k->prog->types, p->type->scalar);
    } else {
        Diag *d = diag(k->c, E0410, e->name.span, "%s has no component '%s'", p->type->name,
                       e->name.text);
        Nearest nearest = nearest_to(e->name.text);
        for (int i = 0; i < p->type->member_count; i++)
            nearest_try(&nearest, p->type->members[i].name);
        nearest_suggest(&nearest, d, e->name.span);
        return false;
    }
    return true;
}

static void
add_places(Checker *k, Scope *s, Layout *l, Node *n, const LayoutNode *from)
{
    check_attributes(k, &from->attrs, "", "place");
    for (int i = 0; i < from->places.count; i++) {
        Place p = {.span = from->places.items[i]->span};
        if (!find_place(k, s, from->places.items[i], &p)) {
            if (p.field)
                p.field->misplaced = true;
            continue;
        }
        p.leaf_count = p.type->leaf_count;
        if (p.field->listed_in != l)
            vec_push(k->c->arena, &l->fields, p.field);
        p.field->listed_in = l;
        if (n)
            vec_push(k->c->arena, &n->places, p);
        else
            vec_push(k->c->arena, &l->places, p);
    }
}

/* Axes used by the first place below a node, that of its path included. */
static int
axes_below(const Node *n, int above)
{
    for (int i = 0; i < n->axis_count; i++)
        above |= 1 << n->axes[i];
    return n->places.count || !n->children.count ? above : axes_below(n->children.items[0], above);
}

static void
check_offset(Checker *k, Scope *s, const LayoutNode *from, Node *n)
{
    const Attribute *a = find_attribute(&from->attrs, "offset");
    if (!a)
        return;
    int axes = axes_below(n, 0);
    if (a->args.count != __builtin_popcount((unsigned)axes)) {
        int count = __builtin_popcount((unsigned)axes);
        Diag *d = diag(
            k->c, E0408, a->span, "the fields below have %d %s, but the offset has %d %s", count,
            count == 1 ? "axis" : "axes", a->args.count, a->args.count == 1 ? "number" : "numbers");
        diag_note(
            d, (Span){0, 0},
            "one for each axis on the way to them, lists included, in the order of the alphabet");
        n->layout->offset_refused = true;
        return;
    }
    n->has_offset = true;
    for (int axis = 0, i = 0; axis < AXIS_MAX; axis++) {
        if (!(axes & 1 << axis))
            continue;
        const Expr *e = a->args.items[i++];
        int64_t limit = (int64_t)1 << 60;
        if (check_const_int(k, s, e, &n->offset[axis]) &&
            (n->offset[axis] > limit || n->offset[axis] < -limit)) {
            diag(k->c, E0408, e->span, "an offset must lie between -2^60 and 2^60");
            n->offset[axis] = 0;
            n->layout->offset_refused = true;
        }
    }
}

static Node *
build_node(Checker *k, Scope *s, Layout *l, const LayoutNode *from, int depth, int axes_above)
{
    Node *n = ARENA_NEW(k->c->arena, Node);
    n->kind = from->kind;
    n->span = from->kind_span;
    n->layout = l;
    n->depth = depth;
    n->packed = l->packed;
    check_attributes(k, &from->attrs,
                     from->kind == NODE_DYNAMIC ? depth ? "chunk" : "chunk offset"
                     : depth                    ? ""
                                                : "offset",
                     arena_printf(k->c->arena, "a %s node%s", node_kind_name(from->kind),
                                  depth ? " inside another" : ""));
    check_axes(k, s, from, n);
    if (from->kind == NODE_DYNAMIC)
        check_dynamic(k, from, n, axes_above);
    const Attribute *chunk = find_attribute(&from->attrs, "chunk");
    if (chunk && chunk->args.count == 1 && check_const_int(k, s, chunk->args.items[0], &n->chunk) &&
        n->chunk < 1) {
        diag(k->c, E0402, chunk->span, "a chunk has at least one cell");
        n->chunk = 1;
    }
    for (int i = 0; i < n->axis_count; i++)
        axes_above |= 1 << n->axes[i];
    for (int i = 0; i < from->children.count; i++) {
        const LayoutNode *child = from->children.items[i];
        if (child->is_place)
            add_places(k, s, l, n, child);
        else
            vec_push(k->c->arena, &n->children, build_node(k, s, l, child, depth + 1, axes_above));
    }
    if (from->label.text) {
        n->label = numbered_text(k, s, from->label);
        declare_numbered(k, s, SYM_LABEL, from->label, n);
    }
    if (!depth)
        check_offset(k, s, from, n);
    return n;
}

/* The numbers of @spacing or @origin, for up to 3 axes: one @spacing stands for all. */
static void
check_unit(Checker *k, Scope *s, const Attribute *a, bool is_spacing, double *out)
{
    const Type *wide = type_scalar(k->prog->types, SCALAR_F64);
    if (a->args.count > 3) {
        diag(k->c, E0305, a->span, "'@%s' takes one value for each of up to 3 axes", a->name);
        return;
    }
    for (int i = 0; i < a->args.count; i++) {
        Value v;
        if (!check_const_as(k, s, a->args.items[i], wide, &v))
            continue;
        out[i] = v.leaves[0].f;
        if (!isfinite(out[i]) || (is_spacing && out[i] <= 0))
            diag(k->c, E0402, a->args.items[i]->span, "%s, not %g",
                 is_spacing ? "a spacing must be positive" : "an origin is a number", out[i]);
    }
    for (int i = 1; is_spacing && a->args.count == 1 && i < 3; i++)
        out[i] = out[0];
}

/* What files that have units are told of a layout. */
static const double *
check_units(Checker *k, Scope *s, const Item *item)
{
    const Attribute *spacing = find_attribute(&item->attrs, "spacing"),
                    *origin = find_attribute(&item->attrs, "origin");
    if (!spacing && !origin)
        return NULL;
    double *units = ARENA_ARRAY(k->c->arena, double, 6);
    units[0] = units[1] = units[2] = 1;
    if (spacing && spacing->args.count)
        check_unit(k, s, spacing, true, units);
    if (origin && origin->args.count)
        check_unit(k, s, origin, false, units + 3);
    return units;
}

static void
build_layout(Checker *k, Scope *s, const Item *item)
{
    if (is_too_large(k, item->span))
        return;
    Layout *l = layout_new(k, numbered_text(k, s, item->name),
                           item->name.text ? item->name.span : item->span);
    l->packed |= find_attribute(&item->attrs, "packed") != NULL;
    l->manual = find_attribute(&item->attrs, "manual") != NULL;
    l->offset_refused = find_attribute(&item->attrs, "offset") != NULL; /* it belongs to a node */
    l->tune = check_tune(k, s, item);
    l->units = check_units(k, s, item);
    if (l->manual && !l->name)
        diag(k->c, E0507, item->span, "a @manual layout needs a name for create and destroy");
    if (item->name.text)
        declare_numbered(k, s, SYM_LAYOUT, item->name, l);
    for (int i = 0; i < item->nodes.count; i++) {
        const LayoutNode *n = item->nodes.items[i];
        if (n->is_place)
            add_places(k, s, l, NULL, n);
        else
            vec_push(k->c->arena, &l->tops, build_node(k, s, l, n, 0, 0));
    }
    layout_place_adjoints(k->c, k->prog->types, l);
    layout_build(k->c, l);
    k->padding_told |= layout_check_padding(k->c, l, !k->padding_told);
}

/* All fields below an outermost node with an offset must have the same extents. */
static void
check_offset_extents(Checker *k, Layout *l)
{
    for (int i = 0; i < l->nodes.count; i++) {
        const Node *n = l->nodes.items[i], *first = NULL;
        if (!n->has_offset || !n->places.count)
            continue;
        for (int j = 0; j < i && !first; j++) {
            const Node *m = l->nodes.items[j];
            first = m->places.count && node_top(m) == node_top(n) ? m : NULL;
        }
        for (int a = 0; first && a < AXIS_MAX; a++)
            if (first->coord_extent[a] != n->coord_extent[a]) {
                Diag *d = diag(k->c, E0408, n->span,
                               "the fields below an offset must all have the same extents");
                l->offset_refused = true;
                diag_note(d, first->span, "along %c '%s' has %lld, '%s' %lld", AXIS_LETTERS[a],
                          first->places.items[0].field->name, (long long)first->coord_extent[a],
                          n->places.items[0].field->name, (long long)n->coord_extent[a]);
                break;
            }
    }
}

/* Components of one field placed apart under run-time sizes must have the same ones. */
static void
check_runtime_shapes(Checker *k, const Field *f)
{
    int64_t first, other;
    for (int i = 0; i < f->type->leaf_count; i++)
        for (int n = 0; n < f->axis_count; n++) {
            const TExpr *a = node_runtime_size(f->node, f->axes[n], &first);
            const TExpr *b = node_runtime_size(f->leaves[i].node, f->axes[n], &other);
            if (!texpr_is_same(a, b) || first != other) {
                diag(k->c, E0406, f->span, "the components of '%s' are placed with different sizes",
                     f->name);
                return;
            }
        }
}

void
check_layouts(Checker *k)
{
    for (int i = 0; i < k->layout_items.count; i++)
        build_layout(k, k->layout_scopes.items[i], k->layout_items.items[i]);
    for (int i = 0; i < k->prog->fields.count; i++) {
        Field *f = k->prog->fields.items[i];
        if (layout_check_field(k->c, f)) {
            check_runtime_shapes(k, f);
            check_adjoint_place(k, f);
        }
        else
            f->type = type_error(k->prog->types); /* nothing more is said of it */
    }
    for (int i = 0; i < k->prog->layouts.count; i++)
        check_offset_extents(k, k->prog->layouts.items[i]);
    k->layouts_done = true;
}
