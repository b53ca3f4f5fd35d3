/* The place where something is being written. */
#include "config.h"

#include "lsp/session.h"

#include <string.h>

#include "grammar/recover.h"
#include "parse.h"

const Token *
cursor_before(const Cursor *k, int n)
{
    static const Token none = {.kind = END, .text = "", .match = -1};
    return k->word - n >= 0 ? &k->tokens.items[k->word - n] : &none;
}

const Decl *
cursor_decl(const Cursor *k, const Token *name)
{
    const Decl *found = NULL;
    for (int i = 0; i < k->program->names->decls.count; i++) {
        const Decl *d = k->program->names->decls.items[i];
        if (d->kind != NAME_MEMBER && token_is(name, d->name) &&
            names_decl_is_visible(d, k->position) && (!found || d->scope.from > found->scope.from))
            found = d; /* the innermost one */
    }
    return found;
}

/* True inside of a comment or string that starts before the cursor. */
static bool
is_in_text(const Cursor *k)
{
    const Token *token = &k->tokens.items[k->word];
    if (token->kind == STRING && token->span.from < k->position && k->position < token->span.to)
        return true;
    for (int i = 0; i < token->comments.count; i++) {
        const Span span = token->comments.items[i].span;
        if (span.from < k->position && k->position <= span.to)
            return true;
    }
    return false;
}

/* True for what starts an item at the beginning of a line. */
static bool
starts_item(const Cursor *k, int i)
{
    const Token *token = &k->tokens.items[i];
    if (!opens_item(token->kind) && token->kind != CONST && token->kind != STATIC &&
        token->kind != '@')
        return false;
    return token->text > k->source->text && token->text[-1] == '\n';
}

/* The program without the statement around the cursor, with all blocks closed before the next item:
 * a statement that is not finished may take the whole function with it. Names are looked up at the
 * place where it starts, which k->position becomes. */
static Program *
mended_program(Server *s, const Document *d, Cursor *k)
{
    const Token *t = k->tokens.items;
    int from = k->word, next = from, open = 0;
    while (from > 0 && t[from - 1].kind != ';' && t[from - 1].kind != '{' &&
           t[from - 1].kind != '}')
        from--;
    for (int i = 0; i < from; i++)
        open += t[i].kind == '{' ? 1 : t[i].kind == '}' && open > 0 ? -1 : 0;
    while (t[next].kind != END && !starts_item(k, next))
        next++;
    k->position = from > 0 ? t[from - 1].span.to : k->source->base;
    const uint32_t rest = t[next].span.from - k->source->base;
    Text text;
    text_init(&text, s->arena);
    text_raw(&text, k->source->text, k->position - k->source->base);
    for (; open > 0; open--)
        text_add(&text, " }");
    text_add(&text, "\n");
    text_raw(&text, k->source->text + rest, k->source->bytes - rest);
    VEC(Overlay) overlays = {0};
    vec_push(s->arena, &overlays, (Overlay){d->path, text.data, text.count});
    for (int i = 0; i < s->documents.count; i++)
        vec_push(s->arena, &overlays,
                 (Overlay){s->documents.items[i]->path, s->documents.items[i]->text,
                           s->documents.items[i]->bytes});
    return program_new(s->options, d->program->prog->source->real, overlays.items, overlays.count);
}

bool
cursor_find(Server *s, const json_t *params, Cursor *k)
{
    Document *d = document_at(s, params, &k->position);
    if (!d)
        return false;
    k->program = d->program;
    k->source = document_source(d);
    k->tokens = program_tokens(d->program, k->source);
    k->word = tokens_at(&k->tokens, k->position);
    const Token *last = cursor_before(k, 1); /* a word that ends here is being written */
    if (last->span.to == k->position &&
        (last->kind == IDENT || last->kind == NODE || last->kind == TYPE ||
         (last->kind >= IMPORT && last->kind <= TRIM)))
        k->word--;
    k->in_text = is_in_text(k);
    k->mended = d->program->c.syntax_errors && d->program->prog->source->real
                    ? mended_program(s, d, k)
                    : NULL;
    if (k->mended && program_source(k->mended, d->path)) {
        const uint32_t at = k->position - k->source->base;
        k->program = k->mended;
        k->position = program_source(k->mended, d->path)->base + at;
    }
    return true;
}

void
cursor_end(Cursor *k)
{
    program_free(k->mended);
}
