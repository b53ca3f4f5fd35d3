/* Names, elements, members, and what can be assigned. */
#include "config.h"

#include <string.h>

#include "base/edit_distance.h"
#include "check/check_func.h"
#include "check/leaf.h"
#include "check/suggest.h"

/* ---- names ---- */

static TExpr *
field_place(Checker *k, Field *f, TExprs indices, Span span)
{
    TExpr *t = tx_new(k, TX_FIELD, f->type, span);
    t->field = f;
    t->args = indices;
    return t;
}

/* True when indices of the field can be counted: it was laid out, and all of it. */
static bool
is_placed(const Field *f)
{
    return f->type->kind != TYPE_ERROR && (f->node || (f->leaves && f->leaves[0].layout));
}

TExpr *
field_without_index(Checker *k, const Expr *e, Field *f)
{
    if (!is_placed(f))
        return tx_error(k, e->span);
    if (f->axis_count) {
        Diag *d = diag(k->c, E0307, e->span, "field '%s' has %d %s, but no index is given", f->name,
                       f->axis_count, f->axis_count == 1 ? "axis" : "axes");
        diag_note(d, f->span, "'%s' is declared here", f->name);
        return tx_error(k, e->span);
    }
    return field_place(k, f, (TExprs){0}, e->span);
}

static TExpr *
report_kind(Checker *k, const Expr *e, const Symbol *sym, const char *what)
{
    Diag *d = diag(k->c, E0205, e->span, "'%s' is %s, not a value", e->name.text, what);
    diag_note(d, sym->span, "'%s' is declared here", e->name.text);
    return tx_error(k, e->span);
}

static TExpr *
check_var(Checker *k, const Expr *e, Symbol *sym)
{
    if (!sym->var)
        return tx_error(k, e->span);
    use_var(k, sym->var);
    return tx_var(k, sym->var, e->span);
}

TExpr *
check_name(Checker *k, Scope *s, const Expr *e, const Type *want)
{
    (void)want;
    Symbol *sym = scope_find(s, e->name.text);
    if (!sym) {
        scope_report_unknown(k, s, e->name.text, e->span, "name");
        return tx_error(k, e->span);
    }
    symbol_resolve(k, sym);
    if (e->name.number && sym->kind != SYM_FIELD && sym->kind != SYM_FIELD_ARG)
        return report_kind(k, e, sym, "no family of fields");
    switch (sym->kind) {
    case SYM_CONST:
        if (sym->constant.kind == CONST_TYPED && sym->constant.value.type &&
            sym->constant.value.type->kind != TYPE_ERROR && sym->constant.value.leaves)
            return tx_value(k, e->span, sym->constant.value);
        return tx_error(k, e->span);
    case SYM_PARAM: {
        if (!sym->param)
            return tx_error(k, e->span);
        TExpr *t = tx_new(k, TX_PARAM, sym->param->type, e->span);
        t->param = sym->param;
        return t;
    }
    case SYM_TABLE: return report_kind(k, e, sym, "a table");
    case SYM_FIELD: case SYM_FIELD_ARG: {
        Field *f = check_field_name(k, s, e->name);
        return f ? field_without_index(k, e, f) : tx_error(k, e->span);
    }
    case SYM_VAR: return check_var(k, e, sym);
    case SYM_STRUCT: case SYM_TYPE: return report_kind(k, e, sym, "a type");
    case SYM_LAYOUT: return report_kind(k, e, sym, "a layout");
    case SYM_LABEL: case SYM_NODE_ARG: return report_kind(k, e, sym, "the label of a node");
    case SYM_FUNC: return report_kind(k, e, sym, "a function");
    }
    return tx_error(k, e->span);
}

Symbol *
named_symbol(Checker *k, Scope *s, const Expr *e)
{
    if (e->kind == EXPR_INDEX && e->args.count == 0)
        e = e->a;
    if (e->kind != EXPR_NAME)
        return NULL;
    Symbol *sym = scope_find(s, e->name.text);
    if (sym)
        symbol_resolve(k, sym);
    return sym;
}

Field *
named_field(Checker *k, Scope *s, const Expr *e, bool *failed)
{
    const Expr *base = e->kind == EXPR_INDEX && e->args.count == 0 ? e->a : e;
    if (is_grad_call(s, base))
        return field_of_grad(k, s, base, failed);
    Symbol *sym = named_symbol(k, s, e);
    *failed = false;
    if (!sym || (sym->kind != SYM_FIELD && sym->kind != SYM_FIELD_ARG))
        return NULL;
    Field *f = check_field_name(k, s, (e->kind == EXPR_INDEX ? e->a : e)->name);
    *failed = !f || !is_placed(f);
    return *failed ? NULL : f;
}

Node *
named_node(Checker *k, Scope *s, const Expr *e, bool *failed)
{
    Symbol *sym = named_symbol(k, s, e);
    *failed = false;
    if (!sym || (sym->kind != SYM_LABEL && sym->kind != SYM_NODE_ARG))
        return NULL;
    Node *n = check_node_name(k, s, (e->kind == EXPR_INDEX ? e->a : e)->name);
    *failed = !n;
    return n;
}

/* ---- indices ---- */

/* An index as i32, or i64 where its type may hold more. */
static TExpr *
index_value(Checker *k, TExpr *e)
{
    if (e->kind == TX_CONST && e->type->scalar == SCALAR_U64 && e->value.leaves[0].i < 0) {
        diag(k->c, E0309, e->span, "index %llu does not fit in i64",
             (unsigned long long)e->value.leaves[0].u);
        return tx_error(k, e->span);
    }
    const ScalarInfo *t = scalar_info(e->type->scalar);
    bool wide = t->bytes > 4 || (t->bytes == 4 && t->kind == KIND_UINT);
    return tx_cast(k, e, type_scalar(k->prog->types, wide ? SCALAR_I64 : SCALAR_I32), e->span);
}

bool
check_indices(Checker *k, Scope *s, const Exprs *args, TExprs *out)
{
    bool fine = true;
    for (int i = 0; i < args->count; i++) {
        TExpr *e = check_expr(k, s, args->items[i], NULL);
        if (!has_value(k, e)) {
            fine = false;
        } else if (!type_is_integer(e->type) || e->type->kind == TYPE_MATRIX) {
            Diag *d = diag(k->c, E0306, e->span, "an index must be an integer, this is %s",
                           e->type->name);
            if (type_is_float(e->type) && e->type->kind == TYPE_SCALAR)
                diag_edit(d, e->span, "i32(%s)", source_text(k, e->span));
            fine = false;
        } else if (e->type->kind == TYPE_SCALAR) {
            vec_push(k->c->arena, out, index_value(k, e));
        } else {
            e = tx_stable(k, e);
            for (int c = 0; c < e->type->rows; c++)
                vec_push(k->c->arena, out, index_value(k, tx_component(k, e, c)));
        }
    }
    for (int i = 0; i < out->count; i++)
        fine = fine && !tx_is_error(out->items[i]);
    return fine;
}

/* x[i][j]; false where it is something else. */
static bool
suggest_one_pair(Checker *k, const Expr *e, Diag *d)
{
    Span between = {e->span.to - 1, e->span.to + 1};
    if (strcmp(source_text(k, between), "][") || !e->args.count)
        return false;
    diag_note(d, (Span){0, 0}, "all indices stand in one pair of brackets");
    diag_edit(d, between, ", ");
    return true;
}

/* m[r], where m is a matrix: other languages read a row so. */
static void
suggest_row(Checker *k, const Expr *e, const Type *matrix, Diag *d)
{
    const char *m = source_text(k, e->a->span), *r = source_text(k, e->args.items[0]->span);
    Text row;
    text_init(&row, k->c->arena);
    for (int j = 0; j < matrix->cols; j++)
        text_add(&row, j ? ", %s[%s, %d]" : "%s[%s, %d]", m, r, j);
    diag_note(d, (Span){0, 0}, "the indices of a matrix are a row and a column");
    diag_fix(d, "a row is made of its elements: %s(%s)",
             type_vector(k->prog->types, matrix->scalar, matrix->cols)->name, text_end(&row));
}

static void
report_index_count(Checker *k, const Expr *e, const Type *type, int needed, int given)
{
    Diag *d = diag(k->c, E0307, e->span, "%s takes %d %s, not %d", type->name, needed,
                   needed == 1 ? "index" : "indices", given);
    if (!suggest_one_pair(k, e, d) && type->kind == TYPE_MATRIX && given == 1)
        suggest_row(k, e, type, d);
}

/* Code that never runs may have such, and tests that are to fail. */
bool
check_constant_index(Checker *k, const TExpr *index, const char *name, int64_t first, int64_t count,
                     int axis)
{
    int64_t n = index->kind == TX_CONST ? index->value.leaves[0].i : first;
    const int64_t refused = (int64_t)1 << 60; /* as an extent, which is told already */
    if (!count || count >= refused || (n >= first && n < first + count))
        return true;
    if (!k->func || (!k->func->never && !k->func->func->fails))
        diag(k->c, E0320, index->span,
             "index %lld is out of range: %s has %lld to %lld along axis %d", (long long)n, name,
             (long long)first, (long long)(first + count - 1), axis);
    return k->func != NULL;
}

static void
check_field_range(Checker *k, const Field *f, const TExprs *indices)
{
    if (f->node && (f->node->layout->offset_refused || k->c->syntax_errors))
        return; /* an offset may be missing */
    for (int i = 0; i < f->axis_count && k->layouts_done; i++)
        check_constant_index(k, indices->items[i], f->name, f->offsets[i], f->extents[i], i);
}

static TExpr *
index_field(Checker *k, Scope *s, const Expr *e, Field *f)
{
    TExprs indices = {0};
    if (!check_indices(k, s, &e->args, &indices))
        return tx_error(k, e->span);
    /* before it, only the type is asked for */
    if (indices.count != f->axis_count && k->layouts_done) {
        Diag *d = diag(k->c, E0307, e->span, "field '%s' has %d %s, but %d %s given", f->name,
                       f->axis_count, f->axis_count == 1 ? "axis" : "axes", indices.count,
                       indices.count == 1 ? "index is" : "indices are");
        diag_note(d, f->span, "'%s' is declared here", f->name);
        suggest_one_pair(k, e, d);
        return tx_error(k, e->span);
    }
    if (f->boundary == BOUNDARY_NONE)
        check_field_range(k, f, &indices);
    return field_place(k, f, indices, e->span);
}

/* Number of indices that elements of a type are found by; 0 when there are none. */
static int
index_count(const Type *t)
{
    switch (t->kind) {
    case TYPE_ARRAY: case TYPE_EXTERN: return t->dim_count;
    case TYPE_VECTOR: return 1;
    case TYPE_MATRIX: return 2;
    default: return 0;
    }
}

/* How many such indices there are along an axis; 0: that is known when the program runs. */
static int64_t
index_extent(const Type *t, int axis)
{
    return t->kind == TYPE_EXTERN  ? 0
           : t->kind == TYPE_ARRAY ? t->dims[axis]
           : axis                  ? t->cols
                                   : t->rows;
}

static TExpr *
index_value_of(Checker *k, Scope *s, const Expr *e, TExpr *base)
{
    TExprs indices = {0};
    bool fine = check_indices(k, s, &e->args, &indices);
    if (!has_value(k, base) || !fine)
        return tx_error(k, e->span);
    int needed = index_count(base->type);
    if (!needed) {
        diag(k->c, E0307, e->span, "%s has no elements to index", base->type->name);
        return tx_error(k, e->span);
    }
    if (indices.count != needed) {
        report_index_count(k, e, base->type, needed, indices.count);
        return tx_error(k, e->span);
    }
    const char *name = texpr_indexed_name(base);
    for (int i = 0; i < needed; i++)
        if (!check_constant_index(k, indices.items[i], name, 0, index_extent(base->type, i), i))
            return tx_error(k, e->span);
    const Type *elem =
        base->type->elem ? base->type->elem : type_scalar(k->prog->types, base->type->scalar);
    TExpr *t = tx_new(k, TX_ELEM, elem, e->span);
    t->a = base;
    t->args = indices;
    return fold(k, t);
}

/* x.shape[0] of other languages; the index is that of an axis. */
static bool
is_shape(Checker *k, Scope *s, const Expr *e)
{
    const Expr *base = e->a;
    Symbol *sym =
        base->kind == EXPR_MEMBER && base->a->kind == EXPR_NAME && !strcmp(base->name.text, "shape")
            ? scope_find(s, base->a->name.text)
            : NULL;
    if (!sym || (sym->kind != SYM_FIELD && sym->kind != SYM_FIELD_ARG) || e->args.count != 1)
        return false;
    Diag *d = diag(k->c, E0204, base->name.span,
                   "the size of a field along an axis is extent(field, axis)");
    diag_edit(d, e->span, "extent(%s, %s)", source_text(k, base->a->span),
              source_text(k, e->args.items[0]->span));
    return true;
}

TExpr *
check_index(Checker *k, Scope *s, const Expr *e)
{
    if (is_shape(k, s, e))
        return tx_error(k, e->span);
    Symbol *sym = e->a->kind == EXPR_NAME ? scope_find(s, e->a->name.text) : NULL;
    if (sym)
        symbol_resolve(k, sym);
    if (is_grad_call(s, e->a) || (sym && (sym->kind == SYM_FIELD || sym->kind == SYM_FIELD_ARG))) {
        bool failed;
        Field *f = sym ? check_field_name(k, s, e->a->name) : field_of_grad(k, s, e->a, &failed);
        if (!f || !is_placed(f)) {
            TExprs ignored = {0};
            check_indices(k, s, &e->args, &ignored);
            return tx_error(k, e->span);
        }
        bool scalar = !index_count(f->type);
        /* its axes may not be known yet */
        if (f->axis_count || !e->args.count || (scalar && !k->layouts_done))
            return index_field(k, s, e, f);
        if (scalar) {
            TExprs indices = {0};
            if (!check_indices(k, s, &e->args, &indices))
                return tx_error(k, e->span);
            Diag *d =
                diag(k->c, E0307, e->span, "field '%s' has no axes: its one element is %s or %s[]",
                     f->name, f->name, f->name);
            diag_edit(d, e->span, "%s", f->name);
            return tx_error(k, e->span);
        }
    }
    if (sym && sym->kind == SYM_TABLE && sym->table) {
        TExpr *table = tx_new(k, TX_TABLE, sym->table->type, e->a->span);
        table->table = sym->table;
        return index_value_of(k, s, e, table);
    }
    return index_value_of(k, s, e, check_expr(k, s, e->a, NULL));
}

/* ---- members ---- */

/* T.name of a scalar type; a vector or matrix has T.components alone. */
static bool
find_limit(const Type *t, const char *name, Scalar *of, Leaf *v)
{
    if (t->kind == TYPE_SCALAR)
        return leaf_limit(t->scalar, name, of, v);
    *of = SCALAR_I32;
    *v = (Leaf){.i = t->leaf_count};
    return (t->kind == TYPE_VECTOR || t->kind == TYPE_MATRIX) && !strcmp(name, "components");
}

static TExpr *
limit_of_type(Checker *k, const Expr *e, const Type *t)
{
    Leaf limit;
    Scalar of;
    if (!find_limit(t, e->name.text, &of, &limit)) {
        if (t->kind != TYPE_ERROR)
            suggest_limit(diag(k->c, E0204, e->name.span, "%s has no '%s'", t->name, e->name.text),
                          e, t);
        return tx_error(k, e->span);
    }
    Value v = {type_scalar(k->prog->types, of), ARENA_NEW(k->c->arena, Leaf)};
    v.leaves[0] = limit;
    return tx_value(k, e->span, v);
}

static TExpr *
struct_member(Checker *k, const Expr *e, TExpr *base)
{
    const Member *m = type_member(base->type, e->name.text);
    if (!m) {
        Diag *d = diag(k->c, E0204, e->name.span, "struct '%s' has no member '%s'",
                       base->type->name, e->name.text);
        for (int i = 0; i < base->type->member_count; i++)
            diag_note(d, base->type->members[i].span, "member '%s'", base->type->members[i].name);
        Nearest near = nearest_to(e->name.text);
        for (int i = 0; i < base->type->member_count; i++)
            nearest_try(&near, base->type->members[i].name);
        nearest_suggest(&near, d, e->name.span);
        return tx_error(k, e->span);
    }
    TExpr *t = tx_new(k, TX_MEMBER, m->type, e->span);
    t->a = base;
    t->member = (int)(m - base->type->members);
    return fold(k, t);
}

/* "xyz" for "rgb", the letters of a colour; NULL for others, or where the vector has no such
 * component. */
static const char *
colour_components(Checker *k, const char *name, int rows)
{
    static const char colours[] = "rgba";
    char *text = arena_strndup(k->c->arena, name, strlen(name));
    for (char *letter = text; *letter; letter++) {
        const char *at = strchr(colours, *letter);
        if (!at || at - colours >= rows || letter - text >= 4)
            return NULL;
        *letter = "xyzw"[at - colours];
    }
    return text;
}

static TExpr *
swizzle(Checker *k, const Expr *e, TExpr *base)
{
    const char *name = e->name.text;
    int n = (int)strlen(name), picks[4];
    bool fine = n <= 4;
    for (int i = 0; i < n && fine; i++) {
        const char *at = strchr("xyzw", name[i]);
        fine = at && at - "xyzw" < base->type->rows;
        picks[i] = at ? (int)(at - "xyzw") : 0;
    }
    if (!fine) {
        Diag *d =
            diag(k->c, E0204, e->name.span, "%s has no component '%s'", base->type->name, name);
        const char *fix = colour_components(k, name, base->type->rows);
        if (fix)
            diag_edit(d, e->name.span, "%s", fix);
        else
            diag_fix(d, "one of %.*s, or an index in brackets",
                     base->type->rows < 4 ? base->type->rows : 4, "xyzw");
        return tx_error(k, e->span);
    }
    TExpr *t = tx_new(k, n == 1 ? TX_ELEM : TX_SWIZZLE,
                      type_shape(k->prog->types, base->type->scalar, n == 1 ? 0 : n, 0), e->span);
    t->a = base;
    if (n == 1)
        vec_push(k->c->arena, &t->args, tx_integer(k, e->name.span, SCALAR_I32, picks[0]));
    for (int i = 0; n > 1 && i < n; i++)
        t->swizzle[t->swizzle_count++] = (unsigned char)picks[i];
    return fold(k, t);
}

/* 2.f and 2.F, read as the member f of 2. */
static bool
is_suffix_of_c(Checker *k, const Expr *e)
{
    if (e->a->kind != EXPR_INT || (strcmp(e->name.text, "f") && strcmp(e->name.text, "F")) ||
        e->a->span.to + 1 != e->name.span.from)
        return false;
    diag_edit(diag(k->c, E0103, e->span, "'%s' is not a number", source_text(k, e->span)), e->span,
              "%s.0f32", source_text(k, e->a->span));
    return true;
}

TExpr *
check_member(Checker *k, Scope *s, const Expr *e)
{
    if (is_suffix_of_c(k, e))
        return tx_error(k, e->span);
    if (e->a->kind == EXPR_TYPE)
        return limit_of_type(k, e, check_type(k, s, e->a->type));
    Symbol *sym = e->a->kind == EXPR_NAME ? scope_find(s, e->a->name.text) : NULL;
    if (sym && sym->kind == SYM_TYPE && sym->type)
        return limit_of_type(k, e, sym->type);
    if (suggest_module_member(k, s, e))
        return tx_error(k, e->span);
    TExpr *base = check_expr(k, s, e->a, NULL);
    if (!has_value(k, base))
        return tx_error(k, e->span);
    if (base->type->kind == TYPE_STRUCT)
        return struct_member(k, e, base);
    if (base->type->kind == TYPE_VECTOR)
        return swizzle(k, e, base);
    diag(k->c, E0204, e->name.span, "%s has no member '%s'", base->type->name, e->name.text);
    return tx_error(k, e->span);
}

/* ---- places ---- */

/* What an expression that is no place is, for the message. */
static const char *
describe(Checker *k, const TExpr *e)
{
    while (e->kind == TX_ELEM || e->kind == TX_MEMBER)
        e = e->a;
    switch (e->kind) {
    case TX_CONST: return "a constant";
    case TX_PARAM: return arena_printf(k->c->arena, "param '%s'", e->param->name);
    case TX_TABLE: return arena_printf(k->c->arena, "table '%s'", e->table->name);
    case TX_SWIZZLE: return "several components at once";
    default: return "a computed value";
    }
}

bool
check_assignable(Checker *k, TExpr *e, const char *what)
{
    const TExpr *root = place_root(e);
    if (!has_value(k, e))
        return false;
    if (!root) {
        Diag *d = diag(k->c, E0308, e->span, "%s: %s cannot be assigned", what, describe(k, e));
        if (e->kind == TX_SWIZZLE)
            diag_fix(d, "one after the other: v.x = …; v.y = …;");
        else if (e->kind == TX_PARAM && e->type->kind == TYPE_STRING)
            diag_fix(d, "a param has the value that --%s gives it at the start", e->param->name);
        else if (e->kind == TX_PARAM)
            diag_fix(d,
                     "field %s %s[]; for a value that changes; a param has the one that --%s gives "
                     "it at the start",
                     e->type->name, e->param->name, e->param->name);
        return false;
    }
    if (root->kind == TX_FIELD) {
        if (root->field->boundary != BOUNDARY_NONE) /* which is for reading */
            check_field_range(k, root->field, &root->args);
        return true;
    }
    Var *v = root->var;
    if (v->kind == VAR_INDEX || v->is_let) {
        Diag *d = diag(k->c, E0308, e->span, "%s: %s '%s' cannot be assigned", what,
                       v->kind == VAR_INDEX ? "the loop variable" : "the constant", v->name);
        diag_note(d, v->span, "'%s' is declared here", v->name);
        Span let = {v->span.from - 4, v->span.from - 1};
        if (v->kind != VAR_INDEX && v->span.from > 4 && !strcmp(source_text(k, let), "let"))
            diag_edit(d, let, "var");
        else if (v->kind == VAR_INDEX)
            diag_fix(d, "while (…) { … } with a variable of its own");
        else
            diag_fix(d, "var %s", v->name);
        return false;
    }
    if (v->type->kind == TYPE_EXTERN)
        v->is_stored = true;
    else
        v->is_mutable = true;
    return true;
}
