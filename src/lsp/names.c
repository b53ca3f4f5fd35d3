/* Names and scopes, as the checker has them, without its types. */
#include "config.h"

#include "lsp/names.h"

#include <stdlib.h>
#include <string.h>

typedef struct Scope {
    struct Scope *parent;
    Map names; /* Decl * */
    Span span;
} Scope;

typedef struct {
    Compile *c;
    NameTable *names;
    Scope *library, *globals; /* names of the standard library are outside of the globals */
    Map structs;             /* Decl * of structs, by name; members by "struct.member" */
    VEC(Scope *) item_scopes; /* of top-level static for, in order of the items */
    int next_scope;
} Finder;

static Scope *
scope_new(Finder *f, Scope *parent, Span span)
{
    Scope *s = ARENA_NEW(f->c->arena, Scope);
    *s = (Scope){.parent = parent, .span = span};
    map_init(&s->names, f->c->arena);
    return s;
}

static Decl *
find(const Scope *s, const char *name)
{
    for (; s; s = s->parent) {
        Decl *d = map_get(&s->names, name);
        if (d)
            return d;
    }
    return NULL;
}

static Span
ident_span(Name name)
{
    return (Span){name.span.from, name.span.from + (uint32_t)strlen(name.text)};
}

static void
add_use(Finder *f, Span at, Decl *d, bool declares)
{
    vec_push(f->c->arena, &f->names->uses, (Use){at, d, declares});
}

static Decl *
declare(Finder *f, Scope *s, NameKind kind, Name name, Span whole)
{
    Decl *d = ARENA_NEW(f->c->arena, Decl);
    *d = (Decl){.kind = kind, .name = name.text, .span = ident_span(name), .whole = whole};
    if (s != f->globals && s != f->library)
        d->scope = s->span;
    vec_push(f->c->arena, &f->names->decls, d);
    Decl *first = map_get(&s->names, name.text);
    if (!first)
        map_put(&s->names, name.text, d);
    /* numbered ones may be declared in parts */
    add_use(f, d->span, first && first->kind == kind && name.number ? first : d, true);
    return d;
}

/* ---- members ---- */

static const char *
member_key(Compile *c, const char *owner, const char *member)
{
    const char *key = arena_printf(c->arena, "%s.%s", owner, member);
    return intern_str(c->intern, key);
}

static Decl *
struct_of_type(const Finder *f, const TypeExpr *t)
{
    return t && t->kind == TE_NAME ? map_get(&f->structs, t->name.text) : NULL;
}

static Decl *
member_of(Finder *f, const Decl *owner, const char *name)
{
    return owner ? map_get(&f->structs, member_key(f->c, owner->name, name)) : NULL;
}

enum { TYPE_DEPTH = 50 };

/* The struct of which an expression is a value, as far as the program says it. */
static Decl *
struct_of(Finder *f, const Scope *s, const Expr *e, int depth)
{
    if (!e || depth == 0)
        return NULL;
    const Decl *d;
    switch (e->kind) {
    case EXPR_NAME:
        d = find(s, e->name.text);
        if (!d)
            return NULL;
        return d->type ? struct_of_type(f, d->type) : d->value;
    case EXPR_INDEX: return struct_of(f, s, e->a, depth - 1);
    case EXPR_COND: return struct_of(f, s, e->b, depth - 1);
    case EXPR_MEMBER:
        d = member_of(f, struct_of(f, s, e->a, depth - 1), e->name.text);
        return d ? struct_of_type(f, d->type) : NULL;
    case EXPR_CALL:
        d = e->a->kind == EXPR_NAME ? find(s, e->a->name.text) : NULL;
        if (d && d->kind == NAME_STRUCT)
            return (Decl *)d;
        return d && d->kind == NAME_FUNC ? struct_of_type(f, d->type) : NULL;
    default: return NULL;
    }
}

/* ---- uses ---- */

static void use_expr(Finder *f, Scope *s, const Expr *e);

static void
use_exprs(Finder *f, Scope *s, const Exprs *list)
{
    for (int i = 0; i < list->count; i++)
        use_expr(f, s, list->items[i]);
}

static void
use_name(Finder *f, Scope *s, Name name)
{
    Decl *d = name.text ? find(s, name.text) : NULL;
    if (d)
        add_use(f, ident_span(name), d, false);
    use_expr(f, s, name.number);
}

static void
use_type(Finder *f, Scope *s, const TypeExpr *t)
{
    if (t && t->kind == TE_NAME)
        use_name(f, s, t->name);
    else if (t && t->kind == TE_TYPEOF)
        use_expr(f, s, t->of);
}

static void
use_expr(Finder *f, Scope *s, const Expr *e)
{
    if (!e)
        return;
    if (e->kind == EXPR_NAME) {
        use_name(f, s, e->name);
        return;
    }
    if (e->kind == EXPR_TYPE)
        use_type(f, s, e->type);
    use_expr(f, s, e->a);
    use_expr(f, s, e->b);
    use_expr(f, s, e->c);
    use_exprs(f, s, &e->args);
    Decl *member = e->kind == EXPR_MEMBER
                       ? member_of(f, struct_of(f, s, e->a, TYPE_DEPTH), e->name.text)
                       : NULL;
    if (member)
        add_use(f, ident_span(e->name), member, false);
}

static void
use_attributes(Finder *f, Scope *s, const Attributes *list)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, "boundary")) /* its word is no name */
            use_exprs(f, s, &list->items[i].args);
}

/* ---- statements ---- */

static void use_stmt(Finder *f, Scope *s, const Stmt *st);

static void
use_decl(Finder *f, Scope *s, const Stmt *st)
{
    use_type(f, s, st->type);
    use_exprs(f, s, &st->dims);
    use_expr(f, s, st->expr);
    use_exprs(f, s, &st->list);
    Decl *value = st->type ? NULL : struct_of(f, s, st->expr, TYPE_DEPTH);
    Decl *d = declare(f, s, NAME_LOCAL, st->name, st->span);
    d->stmt = st;
    d->type = st->type;
    d->value = value;
    d->scope.from = d->span.to;
}

static void
use_loop(Finder *f, Scope *s, const Stmt *st)
{
    use_attributes(f, s, &st->attrs);
    use_exprs(f, s, &st->iters);
    Scope *inner = scope_new(f, s, st->body ? st->body->span : st->span);
    for (int i = 0; i < st->names.count; i++)
        declare(f, inner, st->is_static ? NAME_STATIC : NAME_INDEX, st->names.items[i], st->span);
    use_stmt(f, inner, st->body);
}

static void
use_stmt(Finder *f, Scope *s, const Stmt *st)
{
    for (; st; st = st->kind == STMT_IF ? st->orelse : NULL) { /* chains of else if may be long */
        if (st->kind == STMT_DECL) {
            use_decl(f, s, st);
            return;
        }
        if (st->kind == STMT_FOR) {
            use_loop(f, s, st);
            return;
        }
        if (st->kind == STMT_CREATE || st->kind == STMT_DESTROY || st->kind == STMT_TRIM)
            use_name(f, s, st->name);
        use_expr(f, s, st->target);
        use_expr(f, s, st->expr);
        Scope *inner = st->kind == STMT_BLOCK ? scope_new(f, s, st->span) : s;
        for (int i = 0; i < st->stmts.count; i++)
            use_stmt(f, inner, st->stmts.items[i]);
        use_stmt(f, s, st->body);
    }
}

/* ---- items ---- */

static void
use_params(Finder *f, Scope *s, const Item *item)
{
    for (int i = 0; i < item->params.count; i++) {
        const ParamDecl *p = &item->params.items[i];
        if (p->kind != PARAM_NODE)
            use_type(f, s, p->type);
        Decl *d = declare(f, s, NAME_ARG, p->name, p->span);
        d->type = p->kind == PARAM_NODE ? NULL : p->type;
    }
}

static void
use_func(Finder *f, Scope *s, const Item *item)
{
    use_type(f, s, item->type);
    Span span = item->body ? span_join(item->span, item->body->span) : item->span;
    Scope *inner = scope_new(f, s, span);
    use_params(f, inner, item);
    use_stmt(f, inner, item->body);
}

static void
use_node(Finder *f, Scope *s, const LayoutNode *n)
{
    use_attributes(f, s, &n->attrs);
    use_expr(f, s, n->label.number);
    use_exprs(f, s, &n->sizes);
    use_exprs(f, s, &n->places);
    for (int i = 0; i < n->children.count; i++)
        use_node(f, s, n->children.items[i]);
}

static void
use_items(Finder *f, Scope *s, const Items *items)
{
    for (int i = 0; i < items->count; i++) {
        const Item *item = items->items[i];
        use_attributes(f, s, &item->attrs);
        Scope *inner = s;
        if (item->kind == ITEM_STATIC_FOR)
            inner = f->item_scopes.items[f->next_scope++];
        if (item->kind == ITEM_FUNC) {
            use_func(f, s, item);
            continue;
        }
        use_type(f, s, item->type);
        use_exprs(f, s, &item->dims);
        use_exprs(f, s, &item->list);
        use_expr(f, s, item->expr);
        use_expr(f, s, item->name.number);
        for (int k = 0; k < item->members.count; k++)
            if (!k || item->members.items[k].type != item->members.items[k - 1].type)
                use_type(f, s, item->members.items[k].type);
        for (int k = 0; k < item->fields.count; k++) {
            use_expr(f, s, item->fields.items[k].name.number);
            use_exprs(f, s, &item->fields.items[k].dims);
        }
        for (int k = 0; k < item->nodes.count; k++)
            use_node(f, s, item->nodes.items[k]);
        use_items(f, inner, &item->items);
        use_items(f, s, &item->orelse);
    }
}

static void
declare_labels(Finder *f, const LayoutNode *n)
{
    if (n->label.text) {
        Decl *d = declare(f, f->globals, NAME_LABEL, n->label, n->span);
        d->node = n;
    }
    for (int i = 0; i < n->children.count; i++)
        declare_labels(f, n->children.items[i]);
}

static void
declare_struct(Finder *f, Scope *s, const Item *item)
{
    Decl *owner = declare(f, s, NAME_STRUCT, item->name, item->span);
    owner->item = item;
    map_put(&f->structs, owner->name, owner);
    for (int i = 0; i < item->members.count; i++) {
        Name name = item->members.items[i].name;
        Decl *d = ARENA_NEW(f->c->arena, Decl);
        *d = (Decl){.kind = NAME_MEMBER,
                    .name = name.text,
                    .span = ident_span(name),
                    .whole = ident_span(name),
                    .item = item,
                    .type = item->members.items[i].type,
                    .owner = owner};
        vec_push(f->c->arena, &f->names->decls, d);
        map_put(&f->structs, member_key(f->c, owner->name, name.text), d);
        add_use(f, d->span, d, true);
    }
}

/* The words of a param enum are constants. */
static void
declare_words(Finder *f, Scope *s, const Item *item, const Expr *e)
{
    if (e->kind == EXPR_BINARY) {
        declare_words(f, s, item, e->a);
        declare_words(f, s, item, e->b);
    } else if (e->kind == EXPR_NAME)
        declare(f, s, NAME_CONST, e->name, item->span)->item = item;
}

static void
declare_items(Finder *f, Scope *s, const Items *items)
{
    for (int i = 0; i < items->count; i++) {
        const Item *item = items->items[i];
        Decl *d = NULL;
        switch (item->kind) {
        case ITEM_CONST:
            d = declare(f, s, item->dims.count ? NAME_TABLE : NAME_CONST, item->name, item->span);
            break;
        case ITEM_PARAM:
            d = declare(f, s, NAME_PARAM, item->name, item->span);
            if (!strcmp(item->type->name.text ? item->type->name.text : "", "enum"))
                declare_words(f, s, item, item->expr);
            break;
        case ITEM_STRUCT: declare_struct(f, s, item); break;
        case ITEM_LAYOUT:
            if (item->name.text)
                d = declare(f, f->globals, NAME_LAYOUT, item->name, item->span);
            for (int k = 0; k < item->nodes.count; k++)
                declare_labels(f, item->nodes.items[k]);
            break;
        case ITEM_FUNC:
            if (!func_is_block(item->func))
                d = declare(f, s, NAME_FUNC, item->name, item->span);
            break;
        case ITEM_FIELD:
            for (int k = 0; k < item->fields.count; k++) {
                Decl *field = declare(f, s, NAME_FIELD, item->fields.items[k].name, item->span);
                field->item = item;
                field->type = item->type;
            }
            break;
        case ITEM_STATIC_FOR: {
            Scope *inner = scope_new(f, s, item->span);
            vec_push(f->c->arena, &f->item_scopes, inner);
            declare(f, inner, NAME_STATIC, item->name, item->span);
            declare_items(f, inner, &item->items);
            break;
        }
        case ITEM_STATIC_IF:
            declare_items(f, s, &item->items);
            declare_items(f, s, &item->orelse);
            break;
        case ITEM_ERROR: case ITEM_DEFAULTS: case ITEM_IMPORT: case ITEM_STATIC_ASSERT: break;
        }
        if (d) {
            d->item = item;
            d->type = item->type;
        }
    }
}

static int
compare_uses(const void *a, const void *b)
{
    const Use *x = a, *y = b;
    if (x->at.from != y->at.from)
        return x->at.from < y->at.from ? -1 : 1;
    return y->declares - x->declares;
}

static Scope *
module_scope(const Finder *f, const Module *m)
{
    return m->source->library ? f->library : f->globals;
}

NameTable *
names_find(Compile *c, Module *const *modules, int count)
{
    Finder f = {.c = c, .names = ARENA_NEW(c->arena, NameTable)};
    map_init(&f.structs, c->arena);
    f.library = scope_new(&f, NULL, (Span){0, 0});
    f.globals = scope_new(&f, f.library, (Span){0, 0});
    for (int i = 0; i < count; i++)
        declare_items(&f, module_scope(&f, modules[i]), &modules[i]->items);
    for (int i = 0; i < count; i++)
        use_items(&f, module_scope(&f, modules[i]), &modules[i]->items);
    if (f.names->uses.count)
        qsort(f.names->uses.items, (size_t)f.names->uses.count, sizeof *f.names->uses.items,
              compare_uses);
    return f.names;
}

const Use *
names_at(const NameTable *names, uint32_t position)
{
    int low = 0, high = names->uses.count;
    while (low < high) {
        int mid = (low + high) / 2;
        if (names->uses.items[mid].at.to < position)
            low = mid + 1;
        else
            high = mid;
    }
    const Use *use = low < names->uses.count ? &names->uses.items[low] : NULL;
    return use && use->at.from <= position ? use : NULL;
}

bool
names_decl_is_visible(const Decl *d, uint32_t position)
{
    return !d->scope.from || (d->scope.from <= position && position <= d->scope.to);
}

Decl *
names_decl_struct(const NameTable *names, const Decl *d)
{
    if (!d->type || d->type->kind != TE_NAME)
        return d->kind == NAME_STRUCT ? (Decl *)d : d->value;
    for (int i = 0; i < names->decls.count; i++)
        if (names->decls.items[i]->kind == NAME_STRUCT &&
            names->decls.items[i]->name == d->type->name.text)
            return names->decls.items[i];
    return NULL;
}
