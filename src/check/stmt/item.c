/* Items: declaration of global names, and what each is when it is first needed. */
#include "config.h"

#include <string.h>

#include "base/edit_distance.h"
#include "check/check_func.h"
#include "check/stmt/param.h"
#include "check/suggest.h"

/* Steps of a static for, and static items in all; elements of a table; numbers in a struct. */
enum { STATIC_STEPS = 100000, TABLE_ELEMENTS = 1 << 24, STRUCT_NUMBERS = 1024 };

/* ---- attributes ---- */

static bool
is_allowed(const char *allowed, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = allowed; (p = strstr(p, name)); p += n)
        if ((p == allowed || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}

static const struct {
    const char *name;
    int args;
    const char *place;
} attributes[] = {
#define ATTRIBUTE(name, values, place) {name, values, place},
#include "check/attributes.def"
#undef ATTRIBUTE
};

/* The row of an attribute, -1 for a word that is none. */
static int
attribute_row(const char *name)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (!strcmp(attributes[i].name, name))
            return (int)i;
    return -1;
}

static void
report_attribute(Checker *k, const Attribute *a)
{
    Diag *d = diag(k->c, E0109, a->span, "there is no attribute '@%s'", a->name);
    Nearest near = nearest_to(a->name);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        nearest_try(&near, attributes[i].name);
    Span name = {a->span.from, a->span.from + 1 + (uint32_t)strlen(a->name)};
    if (near.found && !near.other)
        diag_edit(d, name, "@%s", near.found);
    else if (!strcmp(a->name, "parallel"))
        /* loops are that at the top of kernels */
        diag_edit(d, (Span){name.from, name.to + 1}, "%s", "");
}

void
check_attributes(Checker *k, const Attributes *list, const char *allowed, const char *what)
{
    for (int i = 0; i < list->count; i++) {
        const Attribute *a = &list->items[i];
        int row = attribute_row(a->name), args = row >= 0 ? attributes[row].args : 0;
        if (row < 0)
            report_attribute(k, a);
        else if (!is_allowed(allowed, a->name))
            diag_note(diag(k->c, E0109, a->span, "'@%s' cannot stand before %s", a->name, what),
                      (Span){0, 0}, "it stands before %s", attributes[row].place);
        else if ((args >= 0 && a->args.count != args) || (args == -1 && !a->args.count))
            diag(k->c, E0305, a->span, "'@%s' takes %s", a->name,
                 args == 0   ? "no value"
                 : args == 1 ? "one value"
                             : "values");
        if (find_attribute(list, a->name) != a)
            diag(k->c, E0109, a->span, "'@%s' stands here twice", a->name);
    }
}

void
report_element_count(Checker *k, Span at, const char *name, const Type *elem, int64_t needed,
                     int given)
{
    Diag *d = diag(k->c, E0305, at, "'%s' has %lld elements, but %d values are given", name,
                   (long long)needed, given);
    if (elem->leaf_count > 1 && given == needed * elem->leaf_count)
        diag_fix(d, "%s(…) around the %d values of each element", elem->name, elem->leaf_count);
}

/* ---- declaration ---- */

static Symbol *
declare_item(Checker *k, Scope *s, SymKind kind, Item *item, Name name)
{
    Symbol *sym = scope_declare(k, s, kind, name.text, name.span);
    sym->item = item;
    vec_push(k->c->arena, &k->symbols, sym);
    return sym;
}

/* @offset(-8) layout { dense i[16] { … } } */
static void
report_offset_of_layout(Checker *k, const Item *item, const Attribute *offset)
{
    Diag *d = diag(k->c, E0109, offset->span,
                   "'@offset' stands before an outermost node, not before a layout");
    const LayoutNode *node = item->nodes.count == 1 ? item->nodes.items[0] : NULL;
    if (!node || node->is_place || node->attrs.count)
        return;
    Span between = {offset->span.to, node->span.from}, all = {offset->span.from, node->span.from};
    const char *text = source_text(k, between);
    diag_edit(d, all, "%s%s ", text + strspn(text, " "), source_text(k, offset->span));
}

/* @offset(-8) field f32 x[16]; */
static void
report_offset_of_field(Checker *k, const Item *item, const Attribute *offset)
{
    Diag *d = diag(k->c, E0109, offset->span,
                   "'@offset' stands before an outermost node of a layout, not before a field");
    const FieldDecl *f = &item->fields.items[0];
    if (item->fields.count != 1 || !f->dims.count || f->dims.count > AXIS_MAX || f->name.number ||
        find_attribute(&item->attrs, "soa") || find_attribute(&item->attrs, "packed"))
        return;
    Span declaration = {offset->span.to, f->name.span.to},
         sizes = {f->name.span.to, item->span.to - 1}, all = {offset->span.from, item->span.to};
    const char *text = source_text(k, declaration);
    diag_edit(d, all, "%s; layout { %s dense %.*s%s { place %s; } }",
              text + strspn(text, " \t\r\n"), source_text(k, offset->span), f->dims.count,
              AXIS_LETTERS, source_text(k, sizes), f->name.text);
}

/* @packed; holds for a file, which it begins. */
static void
check_defaults(Checker *k, const Item *item)
{
    bool first = false;
    check_attributes(k, &item->attrs, "packed", "a semicolon");
    for (int i = 0; i < k->defaults.count; i++)
        first |= k->defaults.items[i] == item;
    if (!first)
        diag_fix(diag(k->c, E0109, item->span, "what holds for a file stands first in it"),
                 "attributes before the layout or field they are for");
}

static void
declare_layout(Checker *k, Scope *s, Item *item)
{
    check_attributes(k, &item->attrs, "packed manual tune tuned offset spacing origin",
                     "a layout");
    const Attribute *offset = find_attribute(&item->attrs, "offset");
    if (offset)
        report_offset_of_layout(k, item, offset);
    vec_push(k->c->arena, &k->layout_items, item);
    vec_push(k->c->arena, &k->layout_scopes, s);
}

static void
declare_func(Checker *k, Scope *s, Item *item)
{
    if (func_is_block(item->func)) {
        check_attributes(k, &item->attrs, item->func == FUNC_TEST ? "fails check" : "",
                         item->func == FUNC_TEST        ? "a test"
                         : item->func == FUNC_BENCHMARK ? "a benchmark"
                                                        : "main");
        if (item->func == FUNC_MAIN && k->main)
            diag_note(diag(k->c, E0202, item->span, "there are two mains"), k->main->span,
                      "the first is here");
        else if (item->func == FUNC_MAIN)
            k->main = item;
        vec_push(k->c->arena, &k->blocks, item);
        vec_push(k->c->arena, &k->block_scopes, s);
        return;
    }
    check_attributes(k, &item->attrs, "", "a function");
    if (item->func == FUNC_EXTERN)
        check_extern_types(k, item);
    declare_item(k, s, SYM_FUNC, item, item->name);
}

static void
check_field_attributes(Checker *k, const Item *item)
{
    check_attributes(k, &item->attrs, "soa ambient boundary packed grad offset", "a field");
    const Attribute *offset = find_attribute(&item->attrs, "offset");
    if (offset)
        report_offset_of_field(k, item, offset);
    /* @soa and @packed say how the layout of the short form is made. */
    for (int i = 0; i < item->attrs.count; i++) {
        const Attribute *a = &item->attrs.items[i];
        bool misplaced = !strcmp(a->name, "soa") || !strcmp(a->name, "packed");
        for (int f = 0; f < item->fields.count; f++)
            misplaced = misplaced && !item->fields.items[f].has_dims;
        if (misplaced)
            diag(k->c, E0109, a->span,
                 "'@%s' is for fields declared with sizes; this one is placed by a layout",
                 a->name);
    }
}

void
declare_items(Checker *k, Scope *s, const Items *items)
{
    for (int i = 0; i < items->count; i++) {
        Item *item = items->items[i];
        switch (item->kind) {
        case ITEM_CONST:
            check_attributes(k, &item->attrs, "", "a const");
            declare_item(k, s, item->dims.count ? SYM_TABLE : SYM_CONST, item, item->name);
            break;
        case ITEM_PARAM:
            check_attributes(k, &item->attrs, "grad live", "a param");
            declare_item(k, s, SYM_PARAM, item, item->name);
            if (param_is_enum(item))
                declare_enum_words(k, s, item);
            break;
        case ITEM_STRUCT:
            check_attributes(k, &item->attrs, "", "a struct");
            declare_item(k, s, SYM_STRUCT, item, item->name);
            break;
        case ITEM_FIELD:
            check_field_attributes(k, item);
            for (int f = 0; f < item->fields.count; f++)
                declare_item(k, s, SYM_FIELD, item, item->fields.items[f].name);
            break;
        case ITEM_LAYOUT: declare_layout(k, s, item); break;
        case ITEM_FUNC: declare_func(k, s, item); break;
        case ITEM_STATIC_ASSERT:
            vec_push(k->c->arena, &k->static_asserts, item);
            vec_push(k->c->arena, &k->static_assert_scopes, s);
            break;
        case ITEM_STATIC_FOR:
        case ITEM_STATIC_IF:
            vec_push(k->c->arena, &k->static_items, item);
            vec_push(k->c->arena, &k->static_scopes, s);
            break;
        case ITEM_DEFAULTS: check_defaults(k, item); break;
        case ITEM_ERROR:
        case ITEM_IMPORT: break;
        }
    }
}

static void
expand_static_for(Checker *k, Scope *s, const Item *item)
{
    int64_t from, to, step = 1;
    if (!check_const_int(k, s, item->expr->a, &from) ||
        !check_const_int(k, s, item->expr->b, &to) ||
        (item->expr->c && !check_const_int(k, s, item->expr->c, &step)))
        return;
    if (step == 0 || ((__int128)to - from) / step > STATIC_STEPS ||
        k->static_items.count > STATIC_STEPS) {
        diag(k->c, E0603, item->expr->span, "this static for does not end in %d steps",
             STATIC_STEPS);
        return;
    }
    for (int64_t i = from; step > 0 ? i < to : i > to; i += step) {
        if (is_too_large(k, item->expr->span))
            break;
        Scope *inner = scope_new(k, s);
        Symbol *sym = scope_declare(k, inner, SYM_CONST, item->name.text, item->name.span);
        sym->state = SYM_DONE;
        sym->constant = (Const){.kind = CONST_INT, .integer = i};
        declare_items(k, inner, &item->items);
    }
}

void
declare_static_items(Checker *k)
{
    for (int i = 0; i < k->static_items.count; i++) { /* grows while it is read */
        const Item *item = k->static_items.items[i];
        Scope *s = k->static_scopes.items[i];
        bool yes;
        if (item->kind == ITEM_STATIC_FOR)
            expand_static_for(k, s, item);
        else if (check_const_bool(k, s, item->expr, &yes))
            declare_items(k, s, yes ? &item->items : &item->orelse);
    }
}

/* ---- resolution ---- */

/* -D NAME=value: the value is parsed as if it stood in the program. */
static const Expr *
defined_value(Checker *k, const char *name)
{
    for (int i = 0; i < k->c->options.defines.count; i++) {
        Define *d = &k->c->options.defines.items[i];
        if (strcmp(d->name, name))
            continue;
        d->used = true;
        const char *text = arena_printf(k->c->arena, "const %s = %s;", name, d->value);
        const Source *source = source_add(&k->c->sources, "<command line>", text, strlen(text));
        Module *m = parse_source(k->c, source);
        const uint32_t end = source->base + (uint32_t)source->bytes;
        if (m->items.count && m->items.items[0]->span.to < end)
            diag(k->c, E0105, (Span){m->items.items[0]->span.to - 1, end},
                 "-D %s: one value is needed, nothing after it", name);
        else if (m->items.count == 1 && m->items.items[0]->kind == ITEM_CONST)
            return m->items.items[0]->expr;
    }
    return NULL;
}

/* Keeps a constant of the program; one without a type as i32, i64 or u64, if it fits, or f64. */
static void
note_const(Checker *k, const Symbol *s)
{
    NamedConst c = {.name = s->name, .span = s->span};
    const Const *v = &s->constant;
    const Type *type = v->kind == CONST_FLOAT ? type_scalar(k->prog->types, SCALAR_F64)
                                              : const_default_type(k, v);
    if (s->scope != k->globals || v->lost ||
        (v->kind == CONST_INT && !integer_fits(type->scalar, v->integer)) ||
        !const_to_type(k, s->span, v, type, &c.value))
        return;
    vec_push(k->c->arena, &k->prog->consts, c);
}

static void
resolve_const(Checker *k, Symbol *s)
{
    const Item *item = s->item;
    const Expr *given = s->scope == k->globals ? defined_value(k, s->name) : NULL,
               *e = given ? given : item->expr;
    bool fine;
    if (item->has_list) {
        diag(k->c, E0308, item->span, "a const with a list of values needs sizes: %s[%d]", s->name,
             item->list.count);
        fine = false;
    } else if (item->type) {
        const Type *t = check_type(k, s->scope, item->type);
        s->constant.kind = CONST_TYPED;
        fine = t->kind != TYPE_ERROR && check_const_as(k, s->scope, e, t, &s->constant.value);
    } else
        fine = check_const(k, s->scope, e, &s->constant);
    if (!fine) {
        s->constant.kind = CONST_TYPED;
        s->constant.value = (Value){type_error(k->prog->types), NULL};
    } else {
        note_const(k, s);
    }
}

static void
resolve_table(Checker *k, Symbol *s)
{
    const Item *item = s->item;
    const Type *elem = check_type(k, s->scope, item->type);
    int64_t dims[8], count = 1;
    s->table = ARENA_NEW(k->c->arena, Table);
    *s->table = (Table){.name = s->name,
                        .type = type_error(k->prog->types),
                        .id = k->prog->tables.count,
                        .span = s->span};
    if (elem->kind == TYPE_ERROR)
        return;
    if (item->dims.count > 8 || !type_is_arith(elem)) {
        diag(k->c, E0312, item->type->span,
             "a table has 1 to 8 dimensions of scalars, vectors or matrices");
        return;
    }
    for (int i = 0; i < item->dims.count; i++) {
        if (!check_const_int(k, s->scope, item->dims.items[i], &dims[i]))
            return;
        if (dims[i] < 1 || dims[i] > TABLE_ELEMENTS || (count *= dims[i]) > TABLE_ELEMENTS) {
            diag(k->c, E0402, item->dims.items[i]->span, "the size of a table must be from 1 to %d",
                 TABLE_ELEMENTS);
            return;
        }
    }
    if (!item->has_list) {
        diag(k->c, E0301, item->expr->span, "a table is a list of values: { a, b, … }");
        return;
    }
    if (item->list.count != count) {
        report_element_count(k, s->span, s->name, elem, count, item->list.count);
        return;
    }
    const Type *type = type_array(k->prog->types, elem, item->dims.count, dims);
    Leaf *leaves = ARENA_ARRAY(k->c->arena, Leaf, type->leaf_count);
    for (int64_t i = 0; i < count; i++) {
        Value v;
        if (check_const_as(k, s->scope, item->list.items[i], elem, &v))
            memcpy(leaves + i * elem->leaf_count, v.leaves,
                   sizeof(Leaf) * (size_t)elem->leaf_count);
    }
    s->table->type = type;
    s->table->value = (Value){type, leaves};
    vec_push(k->c->arena, &k->prog->tables, s->table);
}

/* The default of a string param. */
static void
resolve_text(Checker *k, const Expr *e, Param *p)
{
    p->text = "";
    if (e->kind == EXPR_STRING)
        p->text = e->string;
    else if (e->kind != EXPR_ERROR)
        diag(k->c, E0313, e->span, "the default of a string param is a string in quotes");
}

static void
resolve_param(Checker *k, Symbol *s)
{
    const Item *item = s->item;
    Param *p = ARENA_NEW(k->c->arena, Param);
    bool is_string = type_is_string(s->scope, item->type);
    *p = (Param){.name = s->name, .id = k->prog->params.count, .span = s->span};
    p->is_live = find_attribute(&item->attrs, "live") != NULL;
    if (param_is_enum(item)) {
        resolve_enum(k, item, p);
        s->param = p;
        vec_push(k->c->arena, &k->prog->params, p);
        return;
    }
    p->type = is_string ? type_string(k->prog->types) : check_type(k, s->scope, item->type);
    s->param = p;
    if (is_string) {
        if (p->is_live)
            diag(k->c, E0313, item->type->span, "a @live param is no string: it holds numbers");
        resolve_text(k, item->expr, p);
    } else if (p->type->kind != TYPE_ERROR && !type_is_arith(p->type)) {
        diag(k->c, E0313, item->type->span, "a param is a scalar, vector, matrix or string, not %s",
             p->type->name);
        p->type = type_error(k->prog->types);
    }
    if (!type_is_arith(p->type) || !check_const_as(k, s->scope, item->expr, p->type, &p->value))
        p->value = (Value){p->type, ARENA_ARRAY(k->c->arena, Leaf, p->type->leaf_count)};
    vec_push(k->c->arena, &k->prog->params, p);
    declare_param_adjoint(k, s, p);
}

static void
resolve_struct(Checker *k, Symbol *s)
{
    const Item *item = s->item;
    Member *members = ARENA_ARRAY(k->c->arena, Member, item->members.count);
    int count = 0;
    int64_t numbers = 0;
    s->type = type_error(k->prog->types);
    for (int i = 0; i < item->members.count; i++) {
        const MemberDecl *m = &item->members.items[i];
        bool twice = false;
        for (int j = 0; j < count; j++)
            twice = twice || members[j].name == m->name.text;
        if (twice) {
            diag(k->c, E0202, m->name.span, "'%s' has two members '%s'", s->name, m->name.text);
            continue;
        }
        const Type *t = check_type(k, s->scope, m->type);
        numbers += t->leaf_count;
        if (t->kind == TYPE_ERROR || numbers > STRUCT_NUMBERS)
            t = type_scalar(k->prog->types, SCALAR_I32);
        members[count++] = (Member){.name = m->name.text, .type = t, .span = m->name.span};
    }
    if (numbers > STRUCT_NUMBERS)
        diag(k->c, E0312, s->span, "a struct has at most %d numbers, not %lld", STRUCT_NUMBERS,
             (long long)numbers);
    if (count)
        s->type = type_struct(k->prog->types, s->name, members, count);
    else if (!map_get(&k->c->lost, s->name))
        diag(k->c, E0313, s->span, "a struct needs a member");
}

static Boundary
check_boundary(Checker *k, const Item *item)
{
    const Attribute *a = find_attribute(&item->attrs, "boundary");
    if (!a || a->args.count != 1)
        return BOUNDARY_NONE;
    const Expr *e = a->args.items[0];
    for (int b = BOUNDARY_AMBIENT; b < BOUNDARY_COUNT; b++)
        if (e->kind == EXPR_NAME && !strcmp(e->name.text, layout_boundary_word((Boundary)b)))
            return (Boundary)b;
    static const char *const elsewhere[][2] = {{"repeat", "periodic"}, {"wrap", "periodic"},
                                               {"reflect", "mirror"},  {"edge", "clamp"},
                                               {"zero", "ambient"},    {"constant", "ambient"}};
    Diag *d = diag(k->c, E0109, e->span, "a boundary is ambient, clamp, periodic or mirror");
    Nearest near = nearest_to(e->kind == EXPR_NAME ? e->name.text : "");
    for (int b = BOUNDARY_AMBIENT; b < BOUNDARY_COUNT; b++)
        nearest_try(&near, layout_boundary_word((Boundary)b));
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (!strcmp(near.wanted, elsewhere[i][0]))
            near = (Nearest){.wanted = near.wanted, .found = elsewhere[i][1]};
    nearest_suggest(&near, d, e->span);
    return BOUNDARY_NONE;
}

static Value *
check_ambient(Checker *k, Scope *s, const Item *item, const Type *type)
{
    const Attribute *a = find_attribute(&item->attrs, "ambient");
    if (!a || a->args.count != 1 || type->kind == TYPE_ERROR)
        return NULL;
    Value *v = ARENA_NEW(k->c->arena, Value);
    return check_const_as(k, s, a->args.items[0], type, v) ? v : NULL;
}

/* A dense node for `count` leaves of the field, sizes as in the declaration, first axis outermost.
 */
static void
add_short_node(Checker *k, Scope *s, Layout *l, const FieldDecl *decl, Place place)
{
    Node *n = ARENA_NEW(k->c->arena, Node);
    n->kind = NODE_DENSE;
    n->span = decl->name.span;
    n->layout = l;
    n->packed = l->packed;
    n->axis_count = decl->dims.count;
    for (int i = 0; i < decl->dims.count; i++) {
        n->axes[i] = i;
        layout_check_size(k, s, n, i, decl->dims.items[i]);
    }
    vec_push(k->c->arena, &n->places, place);
    vec_push(k->c->arena, &l->tops, n);
}

/* `field T x[4, 8];`: a layout of its own. */
static void
build_short_form(Checker *k, Scope *s, const Item *item, const FieldDecl *decl, Field *f)
{
    Layout *l = layout_new(k, NULL, decl->name.span);
    l->packed |= find_attribute(&item->attrs, "packed") != NULL;
    l->offset_refused = find_attribute(&item->attrs, "offset") != NULL;
    f->short_form = true;
    if (f->adjoint)
        f->adjoint->short_form = true;
    if (f->type->kind == TYPE_ERROR)
        return;
    if (decl->dims.count > AXIS_MAX) {
        diag(k->c, E0401, decl->name.span, "a field has at most %d axes, not %d", AXIS_MAX,
             decl->dims.count);
        return;
    }
    bool soa = find_attribute(&item->attrs, "soa") && decl->dims.count;
    Place whole = {
        .field = f, .leaf_count = f->type->leaf_count, .type = f->type, .span = decl->name.span};
    if (!decl->dims.count)
        vec_push(k->c->arena, &l->places, whole);
    else if (!soa)
        add_short_node(k, s, l, decl, whole);
    for (int i = 0; soa && i < f->type->leaf_count; i++) {
        Place one = {.field = f, .first_leaf = i, .leaf_count = 1, .span = decl->name.span};
        one.type = type_scalar(k->prog->types, type_leaf(f->type, i, NULL));
        add_short_node(k, s, l, decl, one);
    }
    vec_push(k->c->arena, &l->fields, f);
    layout_place_adjoints(k->c, k->prog->types, l);
    layout_build(k->c, l);
    if (k->padded != item && layout_check_padding(k->c, l, !k->padding_told)) {
        k->padded = item;
        k->padding_told = true;
    }
}

static const FieldDecl *
field_decl_of(const Symbol *s)
{
    for (int i = 0; i < s->item->fields.count; i++)
        if (s->item->fields.items[i].name.span.from == s->span.from)
            return &s->item->fields.items[i];
    return &s->item->fields.items[0];
}

static void
resolve_field(Checker *k, Symbol *s)
{
    const FieldDecl *decl = field_decl_of(s);
    const Item *item = s->item;
    int64_t count = 1;
    s->is_family = decl->name.number != NULL;
    if (k->prog->fields.count && is_too_large(k, decl->name.span)) { /* any other one will do */
        Field *other = k->prog->fields.items[k->prog->fields.count - 1];
        s->type = other->type;
        vec_push(k->c->arena, &s->members, (SymMember){s->is_family ? 0 : -1, other});
        return;
    }
    s->type = check_type(k, s->scope, item->type);
    if (s->is_family && check_const_int(k, s->scope, decl->name.number, &count) &&
        (count < 1 || count > 10000)) {
        diag(k->c, E0402, decl->name.span, "a family has 1 to 10000 members, not %lld",
             (long long)count);
        count = 1;
    }
    for (int64_t i = 0; i < count && !(i && is_too_large(k, decl->name.span)); i++) {
        Field *f = ARENA_NEW(k->c->arena, Field);
        f->name =
            s->is_family ? arena_printf(k->c->arena, "%s#%lld", s->name, (long long)i) : s->name;
        f->id = k->prog->fields.count;
        f->type = s->type;
        f->span = decl->name.span;
        f->boundary = check_boundary(k, item);
        f->ambient = check_ambient(k, s->scope, item, s->type);
        f->leaves = ARENA_ARRAY(k->c->arena, LeafPlace, s->type->leaf_count);
        vec_push(k->c->arena, &k->prog->fields, f);
        vec_push(k->c->arena, &s->members, (SymMember){s->is_family ? i : -1, f});
        declare_adjoint(k, s, f);
        if (decl->has_dims)
            build_short_form(k, s->scope, item, decl, f);
    }
}

/* What is wrong with a symbol has been said. */
static void
make_wrong(Checker *k, Symbol *s)
{
    if (s->kind == SYM_PARAM && !s->param) {
        s->param = ARENA_NEW(k->c->arena, Param);
        *s->param = (Param){.name = s->name, .type = type_error(k->prog->types), .span = s->span};
    }
    s->constant = (Const){.kind = CONST_TYPED, .value = {type_error(k->prog->types), NULL}};
    if (!s->type)
        s->type = type_error(k->prog->types);
}

void
symbol_resolve(Checker *k, Symbol *s)
{
    enum { DEPTH_MAX = 1000 };
    if (s->state == SYM_DONE || !s->item)
        return;
    if (s->state == SYM_BUSY) {
        if (s->kind == SYM_STRUCT)
            diag(k->c, E0311, s->span, "struct '%s' contains itself", s->name);
        else
            diag(k->c, E0603, s->span, "the value of '%s' depends on itself", s->name);
        make_wrong(k, s);
        return;
    }
    /* Other kinds have one of these between them. */
    if (k->resolved >= DEPTH_MAX &&
        (s->kind == SYM_CONST || s->kind == SYM_PARAM || s->kind == SYM_STRUCT)) {
        diag(k->c, E0106, s->span, "'%s' is wanted by a chain of %d others, each for the next",
             s->name, DEPTH_MAX);
        s->state = SYM_DONE;
        make_wrong(k, s);
        return;
    }
    if ((s->kind == SYM_CONST || s->kind == SYM_TABLE || s->kind == SYM_STRUCT) &&
        is_too_large(k, s->span)) {
        s->state = SYM_DONE;
        make_wrong(k, s);
        return;
    }
    k->resolved++;
    s->state = SYM_BUSY;
    switch (s->kind) {
    case SYM_CONST: resolve_const(k, s); break;
    case SYM_TABLE: resolve_table(k, s); break;
    case SYM_PARAM: resolve_param(k, s); break;
    case SYM_STRUCT: resolve_struct(k, s); break;
    case SYM_FIELD: resolve_field(k, s); break;
    case SYM_LAYOUT:
    case SYM_LABEL:
    case SYM_FUNC:
    case SYM_VAR:
    case SYM_FIELD_ARG:
    case SYM_NODE_ARG:
    case SYM_TYPE: break;
    }
    s->state = SYM_DONE;
    k->resolved--;
}
