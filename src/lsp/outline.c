/* What an editor shows of a whole file: symbols, colours, hints, the canonical form. */
#include "config.h"

#include "lsp/session.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fmt/format.h"
#include "parse.h"

Document *
outline_document(Server *s, const json_t *params, const Source **f)
{
    Document *d = document_of(s, params);
    if (!d)
        return NULL;
    document_refresh_all(s);
    *f = document_source(d);
    if (*f)
        return d;
    session_fail(s, RPC_REQUEST_FAILED, "'%s' cannot be read", d->uri);
    return NULL;
}

/* ---- symbols ---- */

/* The end of the item that starts at token i: its semicolon, or the brace of its last block. */
static uint32_t
item_end(const Tokens *t, int i)
{
    for (; t->items[i].kind != END; i++) {
        const Token *token = &t->items[i];
        if (token->kind == ';')
            return token->span.to;
        if (token->match <= i)
            continue;
        bool block = token->kind == '{' && (i == 0 || t->items[i - 1].kind != '=');
        i = token->match;
        if (block && t->items[i + 1].kind != ELSE)
            return t->items[i].span.to;
    }
    return t->items[i].span.from;
}

static json_t *
symbol_json(const Source *f, const char *name, int kind, Span range, Span selection,
            json_t *children)
{
    return json_pack("{s:s, s:i, s:o, s:o, s:o}", "name", *name ? name : "?", "kind", kind, "range",
                     document_range_json(f, range), "selectionRange",
                     document_range_json(f, selection), "children", children);
}

enum { HINT_TYPE = 1 };

enum {
    SYMBOL_MODULE = 2,
    SYMBOL_PROPERTY = 7,
    SYMBOL_FIELD = 8,
    SYMBOL_ENUM = 10,
    SYMBOL_FUNCTION = 12,
    SYMBOL_VARIABLE = 13,
    SYMBOL_CONSTANT = 14,
    SYMBOL_STRUCT = 23,
    SYMBOL_OBJECT = 19,
    SYMBOL_EVENT = 24
};

static Span
name_span(Name name)
{
    return (Span){name.span.from, name.span.from + (uint32_t)strlen(name.text)};
}

/* A node from its label to the end of its block. */
static Span
node_range(const Tokens *t, const LayoutNode *n)
{
    return (Span){n->span.from, item_end(t, tokens_at(t, n->span.from))};
}

static json_t *
node_symbols(const Source *f, const Tokens *t, const LayoutNodes *nodes)
{
    json_t *list = json_array();
    for (int i = 0; i < nodes->count; i++) {
        const LayoutNode *n = nodes->items[i];
        for (int k = 0; k < n->places.count; k++) {
            Span s = n->places.items[k]->span;
            char text[200];
            int bytes = (int)(s.to - s.from) < 199 ? (int)(s.to - s.from) : 199;
            memcpy(text, f->text + (s.from - f->base), (size_t)bytes);
            text[bytes] = 0;
            json_array_append_new(list, symbol_json(f, text, SYMBOL_FIELD, s, s, json_array()));
        }
        if (!n->is_place)
            json_array_append_new(
                list, symbol_json(f, n->label.text ? n->label.text : node_kind_name(n->kind),
                                  SYMBOL_OBJECT, node_range(t, n),
                                  n->label.text ? name_span(n->label) : n->kind_span,
                                  node_symbols(f, t, &n->children)));
    }
    return list;
}

static void add_items(const Source *f, const Tokens *t, const Items *items, json_t *list);

static void
add_item(const Source *f, const Tokens *t, const Item *item, json_t *list)
{
    static const int kinds[] = {[ITEM_CONST] = SYMBOL_CONSTANT,
                                [ITEM_PARAM] = SYMBOL_VARIABLE,
                                [ITEM_STRUCT] = SYMBOL_STRUCT,
                                [ITEM_LAYOUT] = SYMBOL_MODULE,
                                [ITEM_FUNC] = SYMBOL_FUNCTION};
    Span range = {item->span.from, item_end(t, tokens_at(t, item->span.from))};
    json_t *children = json_array();
    switch (item->kind) {
    case ITEM_FIELD:
        json_decref(children);
        for (int i = 0; i < item->fields.count; i++)
            json_array_append_new(
                list, symbol_json(f, item->fields.items[i].name.text, SYMBOL_PROPERTY, range,
                                  name_span(item->fields.items[i].name), json_array()));
        return;
    case ITEM_STATIC_FOR: case ITEM_STATIC_IF:
        json_decref(children);
        add_items(f, t, &item->items, list);
        add_items(f, t, &item->orelse, list);
        return;
    case ITEM_IMPORT: case ITEM_STATIC_ASSERT: case ITEM_ERROR: case ITEM_DEFAULTS:
        json_decref(children);
        return;
    case ITEM_LAYOUT:
        json_decref(children);
        children = node_symbols(f, t, &item->nodes);
        break;
    case ITEM_STRUCT:
        for (int i = 0; i < item->members.count; i++) {
            Span at = name_span(item->members.items[i].name);
            json_array_append_new(children, symbol_json(f, item->members.items[i].name.text,
                                                        SYMBOL_FIELD, at, at, json_array()));
        }
        break;
    case ITEM_CONST: case ITEM_PARAM: case ITEM_FUNC: break;
    }
    bool test = item->kind == ITEM_FUNC && func_is_block(item->func) && item->func != FUNC_MAIN;
    const char *name = test ? item->title : item->name.text ? item->name.text : "layout";
    Span selection = item->name.text ? item->name.span : (Span){item->span.from, item->span.to};
    json_array_append_new(list, symbol_json(f, name, test ? SYMBOL_EVENT : kinds[item->kind], range,
                                            selection, children));
}

static void
add_items(const Source *f, const Tokens *t, const Items *items, json_t *list)
{
    for (int i = 0; i < items->count; i++)
        add_item(f, t, items->items[i], list);
}

const Module *
outline_module(const Program *p, const Source *f)
{
    for (int i = 0; i < p->prog->modules.count; i++)
        if (p->prog->modules.items[i]->source == f)
            return p->prog->modules.items[i];
    return NULL;
}

json_t *
outline_symbols(Server *s, const json_t *params)
{
    const Source *f;
    Document *d = outline_document(s, params, &f);
    if (!d)
        return NULL;
    Tokens t = program_tokens(d->program, f);
    const Module *m = outline_module(d->program, f);
    json_t *list = json_array();
    if (m)
        add_items(f, &t, &m->items, list);
    return list;
}

/* Do the letters of a query stand in a name, in this order? */
static bool
is_like(const char *name, const char *query)
{
    for (; *name && *query; name++)
        query += tolower((unsigned char)*name) == tolower((unsigned char)*query);
    return !*query;
}

/* The kind of a global name, 0 for others. */
static int
global_kind(const Decl *d)
{
    switch (d->kind) {
    case NAME_CONST: case NAME_TABLE: return SYMBOL_CONSTANT;
    case NAME_PARAM: return SYMBOL_VARIABLE;
    case NAME_STRUCT: return SYMBOL_STRUCT;
    case NAME_FIELD: return SYMBOL_PROPERTY;
    case NAME_LAYOUT: return SYMBOL_MODULE;
    case NAME_LABEL: return SYMBOL_OBJECT;
    case NAME_FUNC: return SYMBOL_FUNCTION;
    case NAME_MEMBER: case NAME_LOCAL: case NAME_ARG: case NAME_INDEX: case NAME_STATIC: return 0;
    }
    return 0;
}

/* Adds a global name that is not among those seen. */
static void
add_global(const Program *p, const Decl *d, json_t *seen, json_t *list)
{
    json_t *place = document_location_json(p, d->span);
    char *key = place ? json_dumps(place, JSON_SORT_KEYS) : NULL;
    if (key && !json_object_get(seen, key)) {
        json_object_set_new(seen, key, json_true());
        json_array_append_new(list, json_pack("{s:s, s:i, s:O}", "name", d->name, "kind",
                                              global_kind(d), "location", place));
    }
    free(key);
    json_decref(place);
}

/* Global names of all open programs and what they import; each once. */
json_t *
outline_workspace(Server *s, const json_t *params)
{
    const char *query = json_string_value(json_object_get(params, "query"));
    if (!query)
        return session_fail(s, RPC_INVALID_PARAMS, "params have no query");
    document_refresh_all(s);
    json_t *list = json_array();
    json_t *seen = json_object();
    for (int i = 0; i < s->documents.count; i++) {
        const Program *p = s->documents.items[i]->program;
        for (int k = 0; p && k < p->names->decls.count; k++) {
            const Decl *d = p->names->decls.items[k];
            if (global_kind(d) && is_like(d->name, query))
                add_global(p, d, seen, list);
        }
    }
    json_decref(seen);
    return list;
}

/* ---- colours ---- */

typedef enum {
    COLOR_KEYWORD,
    COLOR_TYPE,
    COLOR_STRUCT,
    COLOR_FUNCTION,
    COLOR_VARIABLE,
    COLOR_PARAMETER,
    COLOR_PROPERTY,
    COLOR_NAMESPACE,
    COLOR_CLASS,
    COLOR_ENUM_MEMBER,
    COLOR_NUMBER,
    COLOR_STRING,
    COLOR_COMMENT,
    COLOR_DECORATOR,
    COLOR_NONE
} Color;

enum { IS_DECLARATION = 1, IS_READONLY = 2, IS_BUILT_IN = 4 };

json_t *
outline_legend(void)
{
    static const char *const types[] = {
        "keyword",   "type",  "struct",     "function", "variable", "parameter", "property",
        "namespace", "class", "enumMember", "number",   "string",   "comment",   "decorator"};
    json_t *list = json_array();
    for (int i = 0; i < COLOR_NONE; i++)
        json_array_append_new(list, json_string(types[i]));
    return json_pack("{s:o, s:[s, s, s]}", "tokenTypes", list, "tokenModifiers", "declaration",
                     "readonly", "defaultLibrary");
}

/* Writes colours in order of their places; each is told relative to the last. */
typedef struct {
    const Source *f;
    json_t *data;
    uint32_t at;      /* where the column is known */
    int line, column; /* of `at` */
    int last_line, last_column;
} Painter;

/* Moves on to a place, counting lines and UTF-16 units. */
static void
move_to(Painter *p, uint32_t place)
{
    for (; p->at < place; p->at++) {
        unsigned char byte = (unsigned char)p->f->text[p->at - p->f->base];
        if (document_ends_line(p->f->text, p->at - p->f->base)) {
            p->line++;
            p->column = 0;
        } else if ((byte & 0xc0) != 0x80)
            p->column += byte >= 0xf0 ? 2 : 1;
    }
}

/* One piece, which does not go over the end of a line. */
static void
paint_piece(Painter *p, Span at, Color color, int modifiers)
{
    move_to(p, at.from);
    int line = p->line, column = p->column;
    move_to(p, at.to);
    int values[] = {line - p->last_line, line == p->last_line ? column - p->last_column : column,
                    p->column - column, (int)color, modifiers};
    for (int i = 0; i < 5; i++)
        json_array_append_new(p->data, json_integer(values[i]));
    p->last_line = line;
    p->last_column = column;
}

static void
paint(Painter *p, Span at, Color color, int modifiers)
{
    while (at.from < at.to) {
        uint32_t stop = at.from;
        while (stop < at.to && !strchr("\r\n", p->f->text[stop - p->f->base]))
            stop++;
        if (stop > at.from)
            paint_piece(p, (Span){at.from, stop}, color, modifiers);
        at.from = stop + 1;
    }
}

static Color
color_of_use(const Use *use, int *modifiers)
{
    const Decl *d = use->decl;
    *modifiers = use->declares ? IS_DECLARATION : 0;
    switch (d->kind) {
    case NAME_CONST: case NAME_TABLE: case NAME_PARAM: case NAME_INDEX: case NAME_STATIC:
        *modifiers |= IS_READONLY;
        return COLOR_VARIABLE;
    case NAME_LOCAL:
        *modifiers |= d->stmt->decl == DECL_LET ? IS_READONLY : 0;
        return COLOR_VARIABLE;
    case NAME_STRUCT: return COLOR_STRUCT;
    case NAME_MEMBER: case NAME_FIELD: return COLOR_PROPERTY;
    case NAME_LAYOUT: return COLOR_NAMESPACE;
    case NAME_LABEL: return COLOR_CLASS;
    case NAME_FUNC: return COLOR_FUNCTION;
    case NAME_ARG: return COLOR_PARAMETER;
    }
    return COLOR_NONE;
}

static bool
is_built_in(const Token *token)
{
    for (const char *const *word = built_in_words(); *word; word++)
        if (token_is(token, *word))
            return true;
    return false;
}

static Color
color_of(const NameTable *names, const Tokens *t, int i, int *modifiers)
{
    const Token *token = &t->items[i];
    const Use *use;
    *modifiers = 0;
    switch (token->kind) {
    case TYPE: return COLOR_TYPE;
    case NUMBER: return COLOR_NUMBER;
    case STRING: return COLOR_STRING;
    case IDENT: case NODE:
        use = names_at(names, token->span.to);
        if (use && use->at.from == token->span.from)
            return color_of_use(use, modifiers);
        if (i > 0 && t->items[i - 1].kind == '@' && t->items[i - 1].span.to == token->span.from)
            return COLOR_DECORATOR;
        *modifiers = IS_BUILT_IN;
        if (token->kind == NODE)
            return COLOR_ENUM_MEMBER;
        return t->items[i + 1].kind == '(' && is_built_in(token) ? COLOR_FUNCTION : COLOR_NONE;
    default: return token->kind >= IMPORT && token->kind <= TRIM ? COLOR_KEYWORD : COLOR_NONE;
    }
}

json_t *
outline_tokens(Server *s, const json_t *params)
{
    const Source *f;
    Document *d = outline_document(s, params, &f);
    if (!d)
        return NULL;
    Tokens t = program_tokens(d->program, f);
    Painter p = {.f = f, .data = json_array(), .at = f->base};
    for (int i = 0; i < t.count; i++) {
        for (int k = 0; k < t.items[i].comments.count; k++)
            paint(&p, t.items[i].comments.items[k].span, COLOR_COMMENT, 0);
        int modifiers;
        Color color = i + 1 < t.count ? color_of(d->program->names, &t, i, &modifiers) : COLOR_NONE;
        if (color != COLOR_NONE)
            paint(&p, t.items[i].span, color, modifiers);
    }
    return json_pack("{s:o}", "data", p.data);
}

/* ---- hints ---- */

/* Bytes in a cell that hold nothing. */
static int64_t
cell_padding(const Node *n)
{
    int64_t used = 0;
    for (int i = 0; i < n->places.count; i++)
        used += n->places.items[i].type->bytes;
    for (int i = 0; i < n->children.count; i++)
        used += n->children.items[i]->container_bytes;
    return n->cell_bytes - used;
}

/* What is padded in a node, NULL when nothing is. */
static const char *
padding_text(Arena *a, const Node *n)
{
    Text t;
    bool padded = false;
    text_init(&t, a);
    for (int k = 0; k < n->axis_count; k++)
        padded = padded || n->stored[k] != n->sizes[k];
    for (int k = 0; padded && k < n->axis_count; k++)
        text_add(&t, "%s%lld", k ? ", " : "stored ", (long long)n->stored[k]);
    int64_t holes = cell_padding(n);
    if (holes > 0)
        text_add(&t, "%s%lld of %lld bytes of a cell are padding", padded ? "; " : "",
                 (long long)holes, (long long)n->cell_bytes);
    return t.data;
}

/* Where the sizes of a node end. */
static uint32_t
sizes_end(const Tokens *t, uint32_t kind)
{
    int i = tokens_at(t, kind);
    while (t->items[i].kind != END && t->items[i].kind != ';' && t->items[i].kind != '{')
        if (t->items[i].kind == '[' && t->items[i].match > i)
            return t->items[t->items[i].match].span.to;
        else
            i++;
    return 0;
}

/* The types of variables that are declared without one; of generic functions, where all instances
 * agree. */
static void
add_types(const Program *p, const Source *f, json_t *list)
{
    for (int i = 0; i < p->names->decls.count; i++) {
        const Decl *d = p->names->decls.items[i];
        const bool here = d->span.from >= f->base && d->span.to <= f->base + f->bytes;
        const Var *v = here && d->kind == NAME_LOCAL && d->stmt && d->stmt->decl != DECL_TYPED
                           ? program_var(p, d->span, 0)
                           : NULL;
        const Var *other = v;
        for (int k = 1; v && (other = program_var(p, d->span, k)); k++)
            if (other->type != v->type)
                break;
        if (v && !other)
            json_array_append_new(
                list,
                json_pack("{s:o, s:s, s:i}", "position", document_position_json(f, d->span.to),
                          "label", arena_printf(p->c.scratch, ": %s", v->type->name), "kind",
                          HINT_TYPE));
    }
}

json_t *
outline_hints(Server *s, const json_t *params)
{
    const Source *f;
    Document *d = outline_document(s, params, &f);
    if (!d)
        return NULL;
    Tokens t = program_tokens(d->program, f);
    json_t *list = json_array();
    for (int i = 0; i < d->program->prog->layouts.count; i++) {
        const Layout *l = d->program->prog->layouts.items[i];
        for (int k = 0; k < l->nodes.count; k++) {
            const Node *n = l->nodes.items[k];
            bool here = n->span.from >= f->base && n->span.to <= f->base + f->bytes;
            const char *text = here ? padding_text(s->arena, n) : NULL;
            uint32_t at = text ? sizes_end(&t, n->span.from) : 0;
            if (!at)
                continue;
            int64_t tight = layout_tight_bytes(n);
            const char *tip = arena_printf(
                s->arena, "container: %lld bytes%s", (long long)n->container_bytes,
                tight > 0 ? arena_printf(s->arena, ", %lld without padded sizes", (long long)tight)
                          : "");
            json_array_append_new(list, json_pack("{s:o, s:s, s:b, s:s}", "position",
                                                  document_position_json(f, at), "label", text,
                                                  "paddingLeft", 1, "tooltip", tip));
        }
    }
    add_types(d->program, f, list);
    return list;
}

/* ---- the canonical form ---- */

json_t *
outline_format(Server *s, const json_t *params)
{
    Document *d = document_of(s, params);
    if (!d)
        return NULL;
    Compile c;
    compile_init(&c);
    const Source *f = source_add(&c.sources, d->path, d->text, d->bytes);
    Text t;
    text_init(&t, c.arena);
    json_t *edits = NULL;
    parse_source(&c, f);
    if (diag_error_count(&c))
        session_fail(s, RPC_REQUEST_FAILED, "what has syntax errors cannot be formatted");
    else if (!format_source(&c, f, &t))
        session_fail(s, RPC_REQUEST_FAILED, "internal error: formatting would change the program");
    else {
        const char *text = t.data ? t.data : "";
        edits = json_array();
        if (t.count != f->bytes || memcmp(text, f->text, t.count))
            json_array_append_new(
                edits, json_pack("{s:o, s:s}", "range",
                                 document_range_json(f, (Span){f->base, f->base + f->bytes}),
                                 "newText", text));
    }
    compile_free(&c);
    return edits;
}
