/* What could be written at the cursor, by what stands before it. */
#include "config.h"

#include "lsp/session.h"

#include <string.h>

#include "check/leaf.h"
#include "parse.h"

/* Kinds of the protocol. */
enum {
    ITEM_FUNCTION = 3,
    ITEM_PROPERTY = 10,
    ITEM_VARIABLE = 6,
    ITEM_MODULE = 9,
    ITEM_KEYWORD = 14,
    ITEM_NODE = 20,
    ITEM_CONSTANT = 21,
    ITEM_TYPE = 22,
    ITEM_ATTRIBUTE = 25
};

/* Where in a program the cursor is. */
typedef enum { IN_FILE, IN_LAYOUT, IN_STRUCT, IN_BODY } Context;

typedef struct {
    Cursor at;
    const Token *tokens;    /* of the document */
    const NameTable *names; /* of the program */
    Arena *scratch;
    json_t *items;
} Completer;

static void
offer(Completer *k, const char *label, int kind, const char *detail)
{
    json_t *item = json_pack("{s:s, s:i}", "label", label, "kind", kind);
    if (detail)
        json_object_set_new(item, "detail", json_string(detail));
    json_array_append_new(k->items, item);
}

static void
offer_all(Completer *k, const char *const *labels, int kind)
{
    for (; *labels; labels++)
        offer(k, *labels, kind, NULL);
}

/* ---- words of the language ---- */

static void
offer_types(Completer *k)
{
    for (int i = 0; i < SCALAR_COUNT; i++)
        offer(k, scalar_info((Scalar)i)->name, ITEM_TYPE, "type");
    static const char *const vectors[] = {"f32x2", "f32x3", "f32x4", "f32x2x2", "f32x3x3",
                                          "f64x2", "f64x3", "i32x2", "i32x3",   NULL};
    offer_all(k, vectors, ITEM_TYPE);
}

static void
offer_attributes(Completer *k)
{
    static const char *const names[] = {
#define ATTRIBUTE(name, values, place) name,
#include "check/attributes.def"
#undef ATTRIBUTE
        NULL};
    offer_all(k, names, ITEM_ATTRIBUTE);
}

static void
offer_built_in(Completer *k)
{
    static const char *const constants[] = {"PI", "E", "INF", "NAN", NULL};
    for (const char *const *word = built_in_words(); *word; word++)
        offer(k, *word, ITEM_FUNCTION, built_in_call(*word));
    offer_all(k, constants, ITEM_CONSTANT);
}

/* ---- names of the program ---- */

static int
item_kind(NameKind kind)
{
    switch (kind) {
    case NAME_FUNC: return ITEM_FUNCTION;
    case NAME_FIELD: case NAME_MEMBER: return ITEM_PROPERTY;
    case NAME_LAYOUT: return ITEM_MODULE;
    case NAME_LABEL: return ITEM_NODE;
    case NAME_STRUCT: return ITEM_TYPE;
    case NAME_CONST: case NAME_TABLE: case NAME_STATIC: return ITEM_CONSTANT;
    case NAME_PARAM: case NAME_LOCAL: case NAME_ARG: case NAME_INDEX: return ITEM_VARIABLE;
    }
    return ITEM_VARIABLE;
}

static const char *
detail_of(const Completer *k, const Decl *d)
{
    static const char *const words[] = {
        [NAME_CONST] = "const",    [NAME_TABLE] = "const table", [NAME_PARAM] = "param",
        [NAME_STRUCT] = "struct",  [NAME_MEMBER] = "member",     [NAME_FIELD] = "field",
        [NAME_LAYOUT] = "layout",  [NAME_LABEL] = "node",        [NAME_FUNC] = "function",
        [NAME_LOCAL] = "variable", [NAME_ARG] = "parameter",     [NAME_INDEX] = "loop variable",
        [NAME_STATIC] = "static"};
    Span span = d->kind == NAME_FUNC ? d->whole : d->type ? d->type->span : (Span){0, 0};
    const char *text = program_span_text(k->at.program, span);
    return !*text                 ? words[d->kind]
           : d->kind == NAME_FUNC ? text
                                  : arena_printf(k->scratch, "%s %s", words[d->kind], text);
}

/* Offers the visible names of the kinds whose bits are set. */
static void
offer_names(Completer *k, unsigned kinds)
{
    for (int i = 0; i < k->names->decls.count; i++) {
        const Decl *d = k->names->decls.items[i];
        if (kinds >> d->kind & 1 && names_decl_is_visible(d, k->at.position))
            offer(k, d->name, item_kind(d->kind), detail_of(k, d));
    }
}

#define BIT(kind) (1u << (kind))

static void
offer_manual_layouts(Completer *k)
{
    for (int i = 0; i < k->names->decls.count; i++) {
        const Decl *d = k->names->decls.items[i];
        if (d->kind == NAME_LAYOUT && find_attribute(&d->item->attrs, "manual"))
            offer(k, d->name, item_kind(d->kind), detail_of(k, d));
    }
}

/* The checked type of a declared value, NULL when it is not known. */
static const Type *
type_of_decl(const Completer *k, const Decl *d)
{
    if (d->kind == NAME_FIELD) {
        const Field *f = program_field(k->at.program, d->span, NULL);
        return f ? f->type : NULL;
    }
    const Var *v = program_var(k->at.program, d->span, 0);
    for (int i = 0; !v && d->kind == NAME_PARAM && i < k->at.program->prog->params.count; i++)
        if (!strcmp(k->at.program->prog->params.items[i]->name, d->name))
            return k->at.program->prog->params.items[i]->type;
    return v ? v->type : NULL;
}

static void
offer_struct(Completer *k, const Decl *owner)
{
    for (int i = 0; i < k->names->decls.count; i++) {
        const Decl *d = k->names->decls.items[i];
        if (d->kind == NAME_MEMBER && d->owner == owner)
            offer(k, d->name, ITEM_PROPERTY, detail_of(k, d));
    }
}

static const Decl *
member_named(const Completer *k, const Decl *owner, const Token *name)
{
    for (int i = 0; i < k->names->decls.count; i++) {
        const Decl *d = k->names->decls.items[i];
        if (d->kind == NAME_MEMBER && d->owner == owner && token_is(name, d->name))
            return d;
    }
    return NULL;
}

/* The name of what is called by the call that ends at token i, -1 for none. */
static int
callee_before(const Completer *k, int i)
{
    bool call = i > 0 && k->tokens[i].kind == ')' && k->tokens[i].match > 0;
    int name = call ? k->tokens[i].match - 1 : -1;
    return name >= 0 && k->tokens[name].kind == IDENT ? name : -1;
}

/* The declaration that the operand which ends at token i is a value of: x, x[i], p.m, p[i].m;
 * f(x), by its result. */
static const Decl *
decl_before(const Completer *k, int i)
{
    int callee = callee_before(k, i);
    if (callee >= 0)
        return cursor_decl(&k->at, &k->tokens[callee]);
    while (i > 0 && k->tokens[i].kind == ']' && k->tokens[i].match > 0)
        i = k->tokens[i].match - 1;
    if (i < 0 || (k->tokens[i].kind != IDENT && k->tokens[i].kind != NODE))
        return NULL;
    if (i < 2 || k->tokens[i - 1].kind != '.')
        return cursor_decl(&k->at, &k->tokens[i]);
    const Decl *base = decl_before(k, i - 2),
               *owner = base ? names_decl_struct(k->names, base) : NULL;
    return owner ? member_named(k, owner, &k->tokens[i]) : NULL;
}

/* After a type and a dot. */
static void
offer_limits(Completer *k, Scalar s)
{
    static const char *const names[] = {"min",        "max",      "epsilon",  "bits",
                                        "components", "is_float", "is_signed"};
    Leaf limit;
    Scalar of;
    for (size_t i = 0; s != SCALAR_COUNT && i < sizeof names / sizeof *names; i++)
        if (leaf_limit(s, names[i], &of, &limit))
            offer(k, names[i], ITEM_CONSTANT, NULL);
}

/* After a call of a function of the language and a dot. */
static void
offer_built_in_members(Completer *k, const Token *callee)
{
    const char *name = arena_strndup(k->scratch, callee->text, (size_t)callee->bytes);
    for (const char *const *m = built_in_members(name); m && *m; m++)
        offer(k, *m, ITEM_PROPERTY, "member");
}

/* After a dot. */
static void
offer_members(Completer *k)
{
    static const char *const letters[] = {"x", "y", "z", "w"};
    if (cursor_before(&k->at, 2)->kind == TYPE) {
        offer_limits(k, program_token_scalar(cursor_before(&k->at, 2)));
        return;
    }
    const Decl *d = decl_before(k, k->at.word - 2),
               *owner = d ? names_decl_struct(k->names, d) : NULL;
    int callee = d ? -1 : callee_before(k, k->at.word - 2);
    if (callee >= 0)
        offer_built_in_members(k, &k->tokens[callee]);
    const Type *t = d ? type_of_decl(k, d) : NULL;
    if (owner) {
        offer_struct(k, owner);
        return;
    }
    while (t && (t->kind == TYPE_ARRAY || t->kind == TYPE_EXTERN))
        t = t->elem;
    if (t && t->kind == TYPE_STRUCT)
        for (int i = 0; i < t->member_count; i++)
            offer(k, t->members[i].name, ITEM_PROPERTY, t->members[i].type->name);
    int components = t && t->kind == TYPE_VECTOR                                     ? t->rows
                     : d && d->type && d->type->kind == TE_BUILTIN && !d->type->cols ? d->type->rows
                                                                                     : 0;
    for (int i = 0; i < 4 && i < components; i++)
        offer(k, letters[i], ITEM_PROPERTY, "component");
}

/* ---- the place ---- */

/* What the block that opens at token i is, inside of another. */
static Context
context_of_block(const Completer *k, int i, Context outer)
{
    int from = i;
    while (from > 0 &&
           !strchr(";{}", k->tokens[from - 1].kind < 128 ? k->tokens[from - 1].kind : 'x'))
        from = k->tokens[from - 1].match >= 0 && k->tokens[from - 1].match < from - 1
                   ? k->tokens[from - 1].match
                   : from - 1;
    for (int n = from; n < i; n++)
        switch (k->tokens[n].kind) {
        case LAYOUT: return IN_LAYOUT;
        case STRUCT: return IN_STRUCT;
        case FUNC: case KERNEL: case HOST: case MAIN: case TEST: case BENCHMARK: return IN_BODY;
        default: break;
        }
    return outer; /* a node in a layout, a branch in a body, static for among items */
}

static Context
context_at(const Completer *k)
{
    Context stack[200] = {IN_FILE};
    int depth = 0;
    for (int i = 0; i < k->at.word; i++) {
        if (k->tokens[i].kind == '{' && depth < 199) {
            stack[depth + 1] = context_of_block(k, i, stack[depth]);
            depth++;
        } else if (k->tokens[i].kind == '}' && depth > 0)
            depth--;
    }
    return stack[depth];
}

/* True when the statement around the cursor starts with `place`. */
static bool
is_placing(const Completer *k)
{
    for (int i = k->at.word - 1; i >= 0 && k->tokens[i].kind != ';' && k->tokens[i].kind != '{' &&
                              k->tokens[i].kind != '}';
         i--)
        if (k->tokens[i].kind == PLACE)
            return true;
    return false;
}

static void
offer_in_body(Completer *k)
{
    static const char *const words[] = {"let",   "var",    "if",       "else",   "while",  "for",
                                        "in",    "break",  "continue", "return", "static", "true",
                                        "false", "create", "destroy",  "trim",   "typeof", NULL};
    offer_names(k, ~BIT(NAME_MEMBER));
    offer_all(k, words, ITEM_KEYWORD);
    offer_types(k);
    offer_built_in(k);
}

static void
offer_in_layout(Completer *k)
{
    for (int i = 0; i < NODE_KIND_COUNT; i++)
        offer(k, node_kind_name((NodeKind)i), ITEM_NODE, "node");
    offer(k, "place", ITEM_KEYWORD, NULL);
    offer_names(k, BIT(NAME_CONST) | BIT(NAME_PARAM) | BIT(NAME_STATIC)); /* for sizes */
}

static void
offer_in_file(Completer *k)
{
    static const char *const words[] = {
        "import",        "const",  "param", "struct", "field", "layout",    "func",
        "extern",        "kernel", "host",  "main",   "test",  "benchmark", "static",
        "static_assert", "if",     "for",   "inout",  "auto",  "in",        NULL};
    offer_all(k, words, ITEM_KEYWORD);
    offer_types(k);
    offer_names(k, BIT(NAME_STRUCT) | BIT(NAME_CONST) | BIT(NAME_TABLE) | BIT(NAME_PARAM) |
                       BIT(NAME_STATIC));
}

static void
offer_here(Completer *k)
{
    Context context = context_at(k);
    switch (cursor_before(&k->at, 1)->kind) {
    case '@': offer_attributes(k); return;
    case '.': offer_members(k); return;
    case CREATE: case DESTROY: offer_manual_layouts(k); return;
    case TRIM: offer_names(k, BIT(NAME_LAYOUT)); return;
    case FIELD: offer_types(k); offer_names(k, BIT(NAME_STRUCT)); return;
    case NUMBER: case STRING: return; /* 1. is a number, and no member of one */
    default: break;
    }
    if (context == IN_LAYOUT && is_placing(k)) {
        offer_names(k, BIT(NAME_FIELD));
        return;
    }
    switch (context) {
    case IN_FILE: offer_in_file(k); break;
    case IN_LAYOUT: offer_in_layout(k); break;
    case IN_STRUCT: offer_types(k); offer_names(k, BIT(NAME_STRUCT)); break;
    case IN_BODY: offer_in_body(k); break;
    }
}

json_t *
complete(Server *s, const json_t *params)
{
    Completer k;
    uint32_t at;
    const Document *d = document_at(s, params, &at);
    if (!d)
        return NULL;
    json_t *paths = import_paths(s, d, document_source(d), at);
    const char *typed = json_string_value(
        json_object_get(json_object_get(params, "context"), "triggerCharacter"));
    if (!paths && typed && (*typed == '/' || *typed == '"')) /* a division, a string */
        paths = json_array();
    if (paths)
        return json_pack("{s:b, s:o}", "isIncomplete", 0, "items", paths);
    if (!cursor_find(s, params, &k.at))
        return NULL;
    k.tokens = k.at.tokens.items;
    k.names = k.at.program->names;
    k.scratch = k.at.program->c.scratch;
    k.items = json_array();
    if (!k.at.in_text)
        offer_here(&k);
    cursor_end(&k.at);
    return json_pack("{s:b, s:o}", "isIncomplete", 0, "items", k.items);
}
