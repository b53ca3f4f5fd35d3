/* Programs of the server. */
#include "config.h"

#include "lsp/program.h"

#include <string.h>

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

const Field *
program_field(const Program *p, Span declaration)
{
    for (int i = 0; i < p->prog->fields.count; i++)
        if (is_at(p->prog->fields.items[i]->span, declaration))
            return p->prog->fields.items[i];
    return NULL;
}

const Layout *
program_layout(const Program *p, Span declaration)
{
    for (int i = 0; i < p->prog->layouts.count; i++) {
        const Span *s = &p->prog->layouts.items[i]->span;
        if (s->from <= declaration.from && declaration.to <= s->to)
            return p->prog->layouts.items[i];
    }
    return NULL;
}

const Node *
program_node(const Program *p, const Decl *label)
{
    for (int i = 0; i < p->prog->layouts.count; i++) {
        const Layout *l = p->prog->layouts.items[i];
        for (int k = 0; k < l->nodes.count; k++)
            if (l->nodes.items[k]->label &&
                l->nodes.items[k]->span.from == label->node->kind_span.from)
                return l->nodes.items[k];
    }
    return NULL;
}
