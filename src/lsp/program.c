/* Programs of the server. */
#include "config.h"

#include "lsp/program.h"

#include <string.h>

#include "base/comment.h"

Program *
program_new(const Options *options, const char *path, const Overlay *overlays, int count)
{
    Compile c;
    compile_init(&c);
    Program *p = ARENA_NEW(c.arena, Program);
    p->c = c;
    p->c.options = *options;
    p->c.options.keep_syntax = true;
    for (int i = 0; i < count; i++)
        source_overlay(&p->c.sources, overlays[i].path, overlays[i].text, overlays[i].bytes);
    p->prog = check_program(&p->c, path);
    if (!p->prog) {
        program_free(p);
        return NULL;
    }
    p->names = names_find(&p->c, p->prog->modules.items, p->prog->modules.count);
    return p;
}

void
program_free(Program *p)
{
    if (!p)
        return;
    Compile c = p->c; /* the program lies in its own arena */
    compile_free(&c);
}

const Source *
program_source(const Program *p, const char *path)
{
    for (int i = 0; i < p->c.sources.files.count; i++) {
        const Source *s = p->c.sources.files.items[i];
        if (s->real && !strcmp(s->real, path))
            return s;
    }
    return NULL;
}

Tokens
program_tokens(Program *p, const Source *f)
{
    for (int i = 0; i < p->scanned.count; i++)
        if (p->scanned.items[i].source == f)
            return p->scanned.items[i].tokens;
    vec_push(p->c.arena, &p->scanned, (SourceTokens){f, tokens_read(&p->c, f)});
    return vec_last(&p->scanned).tokens;
}

Scalar
program_token_scalar(const Token *t)
{
    int s = 0;
    while (s < SCALAR_COUNT && !token_is(t, scalar_info((Scalar)s)->name))
        s++;
    return (Scalar)s;
}

static const Var *
find_var(const Func *f, Span at, int *k)
{
    for (int i = 0; f && i < f->vars.count; i++)
        if (f->vars.items[i]->span.from == at.from && f->vars.items[i]->span.to == at.to &&
            (*k)-- == 0)
            return f->vars.items[i];
    return NULL;
}

const Var *
program_var(const Program *p, Span declaration, int k)
{
    const Var *v = NULL;
    for (int i = 0; i < p->prog->funcs.count && !v; i++)
        v = find_var(p->prog->funcs.items[i], declaration, &k);
    for (int i = 0; i < p->prog->tests.count && !v; i++)
        v = find_var(p->prog->tests.items[i], declaration, &k);
    return v ? v : find_var(p->prog->main, declaration, &k);
}

/* Things of a family lie at the same name, with or without its number. */
static bool
is_at(Span span, Span name)
{
    return span.from == name.from;
}

static bool
is_named(const char *name, const char *member)
{
    return name && !strcmp(name, member);
}

const Field *
program_field(const Program *p, Span declaration, const char *member)
{
    for (int i = 0; i < p->prog->fields.count; i++) {
        const Field *f = p->prog->fields.items[i];
        if (member ? is_named(f->name, member) : is_at(f->span, declaration))
            return f;
    }
    return NULL;
}

const Layout *
program_layout(const Program *p, Span declaration, const char *member)
{
    for (int i = 0; i < p->prog->layouts.count; i++) {
        const Layout *l = p->prog->layouts.items[i];
        if (member ? is_named(l->name, member)
                   : l->span.from <= declaration.from && declaration.to <= l->span.to)
            return l;
    }
    return NULL;
}

const Node *
program_node(const Program *p, const Decl *label, const char *member)
{
    for (int i = 0; i < p->prog->layouts.count; i++) {
        const Layout *l = p->prog->layouts.items[i];
        for (int k = 0; k < l->nodes.count; k++) {
            const Node *n = l->nodes.items[k];
            if (member ? is_named(n->label, member)
                       : n->label && is_at(n->span, label->node->kind_span))
                return n;
        }
    }
    return NULL;
}

const char *
program_span_text(const Program *p, Span span)
{
    const Source *f = source_find(&p->c.sources, span.from);
    return f && span.to > span.from
               ? arena_strndup(p->c.scratch, f->text + (span.from - f->base), span.to - span.from)
               : "";
}

void
program_comment(const Program *p, Span at, Text *out)
{
    const char *text = comment_of(p->c.scratch, &p->c.sources, at);
    if (text)
        text_add(out, "%s\n", text);
}
