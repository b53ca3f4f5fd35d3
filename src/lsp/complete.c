/* What could be written at the cursor, by what stands before it. */
#include "config.h"

#include "lsp/server.h"

#include <string.h>

#include "check/leaf.h"
#include "grammar/recover.h"
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
    const Program *p; /* of the document, or a mended one */
    const Source *f;
    Tokens t;
    int word;    /* the token being written, or the one behind the cursor */
    uint32_t at;
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

static const Token *
before(const Completer *k, int n)
{
    static const Token none = {.kind = END, .text = "", .match = -1};
    return k->word - n >= 0 ? &k->t.items[k->word - n] : &none;
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
        offer(k, *word, ITEM_FUNCTION, "built-in");
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
    const Source *f = span.from ? source_find(&k->p->c.sources, span.from) : NULL;
    if (!f)
        return words[d->kind];
    const char *text =
        arena_strndup(k->p->c.scratch, f->text + (span.from - f->base), span.to - span.from);
    return d->kind == NAME_FUNC ? text
                                : arena_printf(k->p->c.scratch, "%s %s", words[d->kind], text);
}

/* Offers the visible names of the kinds whose bits are set. */
static void
offer_names(Completer *k, unsigned kinds)
{
    for (int i = 0; i < k->p->names->decls.count; i++) {
        const Decl *d = k->p->names->decls.items[i];
        if (kinds >> d->kind & 1 && decl_is_visible(d, k->at))
            offer(k, d->name, item_kind(d->kind), detail_of(k, d));
    }
}

#define BIT(kind) (1u << (kind))

static void
offer_manual_layouts(Completer *k)
{
    for (int i = 0; i < k->p->names->decls.count; i++) {
        const Decl *d = k->p->names->decls.items[i];
        if (d->kind == NAME_LAYOUT && find_attribute(&d->item->attrs, "manual"))
            offer(k, d->name, item_kind(d->kind), detail_of(k, d));
    }
}

static const Decl *
visible_decl(const Completer *k, const Token *name)
{
    const Decl *found = NULL;
    for (int i = 0; i < k->p->names->decls.count; i++) {
        const Decl *d = k->p->names->decls.items[i];
        if (d->kind != NAME_MEMBER && token_is(name, d->name) && decl_is_visible(d, k->at) &&
            (!found || d->scope.from > found->scope.from))
            found = d; /* the innermost one */
    }
    return found;
}

/* The checked type of a declared value, NULL when it is not known. */
static const Type *
type_of_decl(const Completer *k, const Decl *d)
{
    if (d->kind == NAME_FIELD) {
        const Field *f = program_field(k->p, d->span, NULL);
        return f ? f->type : NULL;
    }
    const Var *v = program_var(k->p, d->span, 0);
    for (int i = 0; !v && d->kind == NAME_PARAM && i < k->p->prog->params.count; i++)
        if (!strcmp(k->p->prog->params.items[i]->name, d->name))
            return k->p->prog->params.items[i]->type;
    return v ? v->type : NULL;
}

static void
offer_struct(Completer *k, const Decl *owner)
{
    for (int i = 0; i < k->p->names->decls.count; i++) {
        const Decl *d = k->p->names->decls.items[i];
        if (d->kind == NAME_MEMBER && d->owner == owner)
            offer(k, d->name, ITEM_PROPERTY, detail_of(k, d));
    }
}

static const Decl *
member_named(const Completer *k, const Decl *owner, const Token *name)
{
    for (int i = 0; i < k->p->names->decls.count; i++) {
        const Decl *d = k->p->names->decls.items[i];
        if (d->kind == NAME_MEMBER && d->owner == owner && token_is(name, d->name))
            return d;
    }
    return NULL;
}

/* The name of what is called by the call that ends at token i, -1 for none. */
static int
callee_before(const Completer *k, int i)
{
    bool call = i > 0 && k->t.items[i].kind == ')' && k->t.items[i].match > 0;
    int name = call ? k->t.items[i].match - 1 : -1;
    return name >= 0 && k->t.items[name].kind == IDENT ? name : -1;
}

/* The declaration that the operand which ends at token i is a value of: x, x[i], p.m, p[i].m;
 * f(x), by its result. */
static const Decl *
decl_before(const Completer *k, int i)
{
    int callee = callee_before(k, i);
    if (callee >= 0)
        return visible_decl(k, &k->t.items[callee]);
    while (i > 0 && k->t.items[i].kind == ']' && k->t.items[i].match > 0)
        i = k->t.items[i].match - 1;
    if (i < 0 || (k->t.items[i].kind != IDENT && k->t.items[i].kind != NODE))
        return NULL;
    if (i < 2 || k->t.items[i - 1].kind != '.')
        return visible_decl(k, &k->t.items[i]);
    const Decl *base = decl_before(k, i - 2), *owner = base ? decl_struct(k->p->names, base) : NULL;
    return owner ? member_named(k, owner, &k->t.items[i]) : NULL;
}

/* After a type and a dot. */
static void
offer_limits(Completer *k, Scalar s)
{
    static const char *const names[] = {"min", "max", "epsilon"};
    Leaf limit;
    for (size_t i = 0; s != SCALAR_COUNT && i < sizeof names / sizeof *names; i++)
        if (leaf_limit(s, names[i], &limit))
            offer(k, names[i], ITEM_CONSTANT, NULL);
}

/* After a call of a function of the language and a dot. */
static void
offer_built_in_members(Completer *k, const Token *callee)
{
    const char *name = arena_strndup(k->p->c.scratch, callee->text, (size_t)callee->bytes);
    for (const char *const *m = built_in_members(name); m && *m; m++)
        offer(k, *m, ITEM_PROPERTY, "member");
}

/* After a dot. */
static void
offer_members(Completer *k)
{
    static const char *const letters[] = {"x", "y", "z", "w"};
    if (before(k, 2)->kind == TYPE) {
        offer_limits(k, token_scalar(before(k, 2)));
        return;
    }
    const Decl *d = decl_before(k, k->word - 2), *owner = d ? decl_struct(k->p->names, d) : NULL;
    int callee = d ? -1 : callee_before(k, k->word - 2);
    if (callee >= 0)
        offer_built_in_members(k, &k->t.items[callee]);
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
           !strchr(";{}", k->t.items[from - 1].kind < 128 ? k->t.items[from - 1].kind : 'x'))
        from = k->t.items[from - 1].match >= 0 && k->t.items[from - 1].match < from - 1
                   ? k->t.items[from - 1].match
                   : from - 1;
    for (int n = from; n < i; n++)
        switch (k->t.items[n].kind) {
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
    for (int i = 0; i < k->word; i++) {
        if (k->t.items[i].kind == '{' && depth < 199) {
            stack[depth + 1] = context_of_block(k, i, stack[depth]);
            depth++;
        } else if (k->t.items[i].kind == '}' && depth > 0)
            depth--;
    }
    return stack[depth];
}

/* True when the statement around the cursor starts with `place`. */
static bool
is_placing(const Completer *k)
{
    for (int i = k->word - 1; i >= 0 && k->t.items[i].kind != ';' && k->t.items[i].kind != '{' &&
                              k->t.items[i].kind != '}';
         i--)
        if (k->t.items[i].kind == PLACE)
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
    switch (before(k, 1)->kind) {
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

/* True inside of a comment or string that starts before the cursor. */
static bool
is_in_text(const Completer *k)
{
    const Token *token = &k->t.items[k->word];
    if (token->kind == STRING && token->span.from < k->at && k->at < token->span.to)
        return true;
    for (int i = 0; i < token->comments.count; i++)
        if (token->comments.items[i].span.from < k->at && k->at <= token->comments.items[i].span.to)
            return true;
    return false;
}

/* ---- while a statement is being written ---- */

/* True for what starts an item at the beginning of a line. */
static bool
starts_item(const Completer *k, int i)
{
    const Token *token = &k->t.items[i];
    if (!opens_item(token->kind) && token->kind != CONST && token->kind != STATIC &&
        token->kind != '@')
        return false;
    return token->text > k->f->text && token->text[-1] == '\n';
}

/* The program without the statement around the cursor, with all blocks closed before the next item:
 * a statement that is not finished may take the whole function with it. Names are looked up at the
 * place where it starts, which k->at becomes. */
static Program *
mended_program(Server *s, const Document *d, Completer *k)
{
    int from = k->word, next = k->word, open = 0;
    while (from > 0 && k->t.items[from - 1].kind != ';' && k->t.items[from - 1].kind != '{' &&
           k->t.items[from - 1].kind != '}')
        from--;
    for (int i = 0; i < from; i++)
        open += k->t.items[i].kind == '{' ? 1 : k->t.items[i].kind == '}' && open > 0 ? -1 : 0;
    while (k->t.items[next].kind != END && !starts_item(k, next))
        next++;
    k->at = from > 0 ? k->t.items[from - 1].span.to : k->f->base;
    uint32_t rest = k->t.items[next].span.from - k->f->base;
    Text t;
    text_init(&t, s->arena);
    text_raw(&t, k->f->text, k->at - k->f->base);
    for (; open > 0; open--)
        text_add(&t, " }");
    text_add(&t, "\n");
    text_raw(&t, k->f->text + rest, k->f->bytes - rest);
    VEC(Overlay) overlays = {0};
    vec_push(s->arena, &overlays, (Overlay){d->path, t.data, t.count});
    for (int i = 0; i < s->documents.count; i++)
        vec_push(s->arena, &overlays,
                 (Overlay){s->documents.items[i]->path, s->documents.items[i]->text,
                           s->documents.items[i]->bytes});
    return program_new(s->options, d->program->prog->source->real, overlays.items, overlays.count);
}

json_t *
complete(Server *s, const json_t *params)
{
    Completer k = {.items = NULL};
    Document *d = document_at(s, params, &k.at);
    if (!d)
        return NULL;
    k.p = d->program;
    k.f = document_source(d);
    k.t = program_tokens(d->program, k.f);
    k.items = json_array();
    k.word = tokens_at(&k.t, k.at);
    const Token *last = before(&k, 1); /* a word that ends at the cursor is being written */
    if (last->span.to == k.at && (last->kind == IDENT || last->kind == NODE || last->kind == TYPE ||
                                  (last->kind >= IMPORT && last->kind <= TRIM)))
        k.word--;
    bool in_text = is_in_text(&k);
    Program *mended = d->program->c.syntax_errors && d->program->prog->source->real
                          ? mended_program(s, d, &k)
                          : NULL;
    if (mended && program_source(mended, d->path)) {
        uint32_t at = k.at - k.f->base;
        k.p = mended;
        k.at = program_source(mended, d->path)->base + at;
    }
    if (!in_text)
        offer_here(&k);
    program_free(mended);
    return json_pack("{s:b, s:o}", "isIncomplete", 0, "items", k.items);
}
