/* What stands under the cursor: declarations with types, trees with cells and index maps, addresses
 * of elements. */
#include "config.h"

#include "lsp/session.h"

#include <string.h>

#include "check/leaf.h"

enum { TREE_LINES = 80 }; /* of a layout are shown */

/* ```snl … ``` */
static void
add_code(Text *out, const char *code)
{
    text_add(out, "```snl\n%s\n```\n", code);
}

/* A whole tree, as snlc layout prints it. */
static void
add_tree(Program *p, const Layout *l, Text *out)
{
    Layout *one = (Layout *)l;
    Text t;
    text_init(&t, p->c.scratch);
    layout_print(&p->c, (LayoutList){&one, 1}, LAYOUT_TEXT, &t);
    int lines = 0;
    for (size_t i = 0; i < t.count; i++)
        if (t.data[i] == '\n' && ++lines == TREE_LINES) {
            text_cut(&t, i + 1);
            text_add(&t, "...\n");
            break;
        }
    text_add(out, "```text\n%s```\n", t.data ? t.data : "");
}

/* Bytes of the number of a family that stands behind a name, with its #; 0 where none is written
 * out. */
static size_t
number_bytes(const Source *f, Span name)
{
    const char *s = f->text + (name.to - f->base);
    const size_t digits = *s == '#' ? strspn(s + 1, "0123456789") : 0;
    return digits ? digits + 1 : 0;
}

/* The name of the member of a family that a use means, such as r#2; NULL for all others. At the
 * declaration of a field the number says how many there are. */
static const char *
member_of_family(const Program *p, const Source *f, const Use *use)
{
    const size_t bytes = number_bytes(f, use->at);
    if (!bytes || (use->declares && use->decl->kind == NAME_FIELD))
        return NULL;
    return arena_strndup(p->c.scratch, f->text + (use->at.from - f->base),
                         use->at.to - use->at.from + bytes);
}

/* Says that what is shown stands for others too. */
static void
add_family(const char *name, const char *member, Text *out)
{
    if (name && strchr(name, '#') && !member)
        text_add(out, "%s, the first of its family:\n\n", name);
}

/* Where x[3, 4] lies, when that stands at the name with numbers for indices. */
static void
add_address(Program *p, const Source *f, Span name, Text *out)
{
    const char *start = f->text + (name.from - f->base),
               *s = f->text + (name.to - f->base) + number_bytes(f, name);
    size_t n = *s == '[' ? strspn(s + 1, "0123456789-, ") : 0;
    if (!n || s[1 + n] != ']')
        return;
    Text t;
    text_init(&t, p->c.scratch);
    int diags = p->c.diags.count, errors = p->c.error_count;
    const char *element = arena_strndup(p->c.scratch, start, (size_t)(s + n + 2 - start));
    if (layout_print_at(&p->c, (LayoutList){p->prog->layouts.items, p->prog->layouts.count},
                        element, LAYOUT_TEXT, &t))
        text_add(out, "```text\n%s```\n", t.data);
    p->c.diags.count = diags; /* an index out of range is no error of the program */
    p->c.error_count = errors;
}

static void
describe_field(Program *p, const Source *f, const Use *use, Text *out)
{
    const char *member = member_of_family(p, f, use);
    const Field *field = program_field(p, use->decl->span, member);
    const char *type = field             ? field->type->name
                       : use->decl->type ? program_span_text(p, use->decl->type->span)
                                         : "?";
    Text code;
    text_init(&code, p->c.scratch);
    if (field && field->boundary)
        text_add(&code, "@boundary(%s) ", layout_boundary_word(field->boundary));
    if (field && field->ambient) {
        text_add(&code, "@ambient(");
        value_print(field->ambient, &code);
        text_add(&code, ") ");
    }
    text_add(&code, "field %s %s", type, member ? member : program_span_text(p, use->decl->span));
    add_code(out, code.data);
    if (!field || !field->leaves || !field->leaves[0].layout)
        return;
    add_family(field->name, member, out);
    if (field->node) {
        text_add(out, "%lld bytes an element, in cells of %s (%lld bytes each)",
                 (long long)field->type->bytes, node_name(&p->c, field->node),
                 (long long)field->node->cell_bytes);
        text_add(out, "%s\n\n", node_is_sparse(field->node) ? "; sparse" : "");
    }
    add_address(p, f, use->at, out);
    add_tree(p, field->leaves[0].layout, out);
}

/* The types that a variable has: one in each instance of a generic function. */
static void
describe_var(const Program *p, const Decl *d, Text *out)
{
    static const char *const words[] = {
        [NAME_LOCAL] = "variable", [NAME_ARG] = "parameter", [NAME_INDEX] = "loop variable"};
    const char *word = d->stmt && d->stmt->decl == DECL_LET ? "let" : words[d->kind];
    Text types;
    text_init(&types, p->c.scratch);
    const Var *v;
    for (int k = 0; k < 8 && (v = program_var(p, d->span, k)); k++)
        if (!types.count || !strstr(types.data, v->type->name))
            text_add(&types, "%s%s", types.count ? ", " : "", v->type->name);
    const char *type = types.count ? types.data
                       : d->type   ? program_span_text(p, d->type->span)
                                   : NULL;
    add_code(out, d->kind == NAME_ARG
                      ? program_span_text(p, d->whole)
                      : arena_printf(p->c.scratch, "%s %s", type ? type : "?", d->name));
    v = program_var(p, d->span, 0);
    text_add(out, "%s%s%s\n", word, d->kind == NAME_ARG && type ? ": " : "",
             d->kind == NAME_ARG && type ? type : "");
    if (v && v->shared)
        text_add(out, "\nshared by the iterations of a parallel loop\n");
}

static void
describe_struct(const Program *p, const Decl *d, Text *out)
{
    add_code(out, program_span_text(p, d->item->span));
    for (int i = 0; i < p->prog->fields.count; i++) {
        const Type *t = p->prog->fields.items[i]->type;
        if (t->kind == TYPE_STRUCT && !strcmp(t->name, d->name)) {
            text_add(out, "%lld bytes, alignment %lld\n", (long long)t->bytes, (long long)t->align);
            return;
        }
    }
}

static void
describe_layout(Program *p, const Source *f, const Use *use, Text *out)
{
    const char *member = member_of_family(p, f, use);
    const Layout *l = program_layout(p, use->decl->span, member);
    add_code(out, program_span_text(p, use->decl->whole));
    if (!l)
        return;
    add_family(l->name, member, out);
    add_tree(p, l, out);
}

static void
describe_label(Program *p, const Source *f, const Use *use, Text *out)
{
    const char *member = member_of_family(p, f, use);
    const Node *n = program_node(p, use->decl, member);
    add_code(out, program_span_text(p, use->decl->whole));
    if (!n)
        return;
    add_family(n->label, member, out);
    text_add(out, "%s: cells of %lld bytes\n\n", node_name(&p->c, n), (long long)n->cell_bytes);
    add_tree(p, n->layout, out);
}

/* A constant with its value and type. */
static void
describe_const(const Program *p, const Decl *d, Text *out)
{
    add_code(out, program_span_text(p, d->whole));
    for (int i = 0; i < p->prog->consts.count; i++) {
        const NamedConst *n = &p->prog->consts.items[i];
        if (n->span.from != d->span.from)
            continue;
        text_add(out, "%s = ", d->name);
        value_print(&n->value, out);
        text_add(out, ", %s\n\n", n->value.type->name);
        return;
    }
}

static void
describe(Program *p, const Source *f, const Use *use, Text *out)
{
    const Decl *d = use->decl;
    switch (d->kind) {
    case NAME_FIELD: describe_field(p, f, use, out); break;
    case NAME_LAYOUT: describe_layout(p, f, use, out); break;
    case NAME_LABEL: describe_label(p, f, use, out); break;
    case NAME_LOCAL: case NAME_ARG: case NAME_INDEX: describe_var(p, d, out); break;
    case NAME_STRUCT: describe_struct(p, d, out); break;
    case NAME_MEMBER:
        add_code(out,
                 arena_printf(p->c.scratch, "%s %s", program_span_text(p, d->type->span), d->name));
        text_add(out, "member of %s\n", d->owner->name);
        break;
    case NAME_STATIC: add_code(out, program_span_text(p, d->whole)); break;
    case NAME_CONST: describe_const(p, d, out); break;
    case NAME_TABLE: case NAME_PARAM: case NAME_FUNC:
        add_code(out, program_span_text(p, d->whole));
        break;
    }
    if (d->kind != NAME_MEMBER)
        program_comment(p, d->whole, out);
}

/* Words of the language: built-in functions and kinds of nodes. */
static bool
describe_word(const char *word, Text *out)
{
    static const struct {
        const char *name, *text;
    } docs[] = {
#define DOC(spelling, text) {spelling, text},
#include "lsp/built_in_docs.def"
#undef DOC
    };
    static const char *const kinds[] = {
        [NODE_DENSE] = "all cells exist and are active",
        [NODE_BITMASKED] = "all cells have memory; a bit for each says whether it is active",
        [NODE_POINTER] = "a cell gets its memory when it is first activated",
        [NODE_DYNAMIC] = "a list of cells that grows by append",
        [NODE_HASH] = "as pointer, for extents too large for a table; memory for active cells only",
    };
    NodeKind kind = node_kind_find(word);
    if (kind < NODE_KIND_COUNT) {
        text_add(out, "**%s** node: %s.\n", word, kinds[kind]);
        return true;
    }
    const char *call = built_in_call(word);
    for (size_t i = 0; call && i < sizeof docs / sizeof *docs; i++)
        if (!strcmp(docs[i].name, word)) {
            add_code(out, call);
            text_add(out, "%s\n", docs[i].text);
            return true;
        }
    return false;
}

/* i32.max: the value. */
static bool
describe_limit(const Program *p, Scalar s, const char *name, Text *out)
{
    Leaf limit;
    Scalar of;
    if (s == SCALAR_COUNT || !leaf_limit(s, name, &of, &limit))
        return false;
    const Value v = {type_scalar(p->prog->types, of), &limit};
    text_add(out, "**%s.%s** is ", scalar_info(s)->name, name);
    value_print(&v, out);
    text_add(out, ".\n");
    return true;
}

/* A token that is no name of the program; after a dot only limits of types are known. */
static bool
describe_token(const Program *p, const Tokens *t, int i, Text *out)
{
    const Token *token = &t->items[i];
    const char *word = arena_strndup(p->c.scratch, token->text, (size_t)token->bytes);
    if (i > 1 && t->items[i - 1].kind == '.')
        return describe_limit(p, program_token_scalar(&t->items[i - 2]), word, out);
    return describe_word(word, out);
}

json_t *
hover(Server *s, const json_t *params)
{
    uint32_t at;
    Document *d = document_at(s, params, &at);
    if (!d)
        return NULL;
    Program *p = d->program;
    const Source *f = document_source(d);
    const Use *use = names_at(p->names, at);
    Span span;
    Text t;
    text_init(&t, s->arena);
    if (use) {
        span = use->at;
        describe(p, f, use, &t);
    } else {
        Tokens tokens = program_tokens(p, f);
        int i = tokens_at(&tokens, at);
        if (tokens.items[i].span.from > at && i > 0 && tokens.items[i - 1].span.to == at)
            i--;
        span = tokens.items[i].span;
        if (span.from > at || !describe_token(p, &tokens, i, &t))
            return json_null();
    }
    return json_pack("{s:{s:s, s:s}, s:o}", "contents", "kind", "markdown", "value", t.data,
                     "range", document_range_json(f, span));
}
