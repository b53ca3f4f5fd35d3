/* From a name to its declaration, to all its places, and to another name. */
#include "config.h"

#include "lsp/server.h"

#include <ctype.h>
#include <string.h>

#include "grammar/tokens.h"

/* The use at the position that params give; NULL when there is none, or after server_fail. */
static const Use *
use_at(Server *s, const json_t *params, Document **document)
{
    uint32_t at;
    *document = document_at(s, params, &at);
    return *document ? names_at((*document)->program->names, at) : NULL;
}

/* The file that an import at the position names. */
static json_t *
imported_file(const Program *p, uint32_t at)
{
    for (int i = 0; i < p->prog->modules.count; i++) {
        const Module *m = p->prog->modules.items[i];
        for (int k = 0; k < m->items.count; k++) {
            const Item *item = m->items.items[k];
            if (item->kind != ITEM_IMPORT || !item->path || at < item->path_span.from ||
                at > item->path_span.to)
                continue;
            for (int n = 0; n < p->c.sources.files.count; n++) {
                const Source *f = p->c.sources.files.items[n];
                size_t length = strlen(f->path), tail = strlen(item->path);
                if (length >= tail && !strcmp(f->path + length - tail, item->path))
                    return location_json(p, (Span){f->base, f->base});
            }
        }
    }
    return NULL;
}

json_t *
navigate_definition(Server *s, const json_t *params)
{
    uint32_t at;
    Document *d = document_at(s, params, &at);
    if (!d)
        return NULL;
    const Use *use = names_at(d->program->names, at);
    json_t *location =
        use ? location_json(d->program, use->decl->span) : imported_file(d->program, at);
    return location ? location : json_null();
}

json_t *
navigate_references(Server *s, const json_t *params)
{
    Document *d;
    const Use *use = use_at(s, params, &d);
    bool with_declaration =
        json_is_true(json_object_get(json_object_get(params, "context"), "includeDeclaration"));
    json_t *list = json_array();
    const NameTable *names = d ? d->program->names : NULL;
    for (int i = 0; use && i < names->uses.count; i++) {
        const Use *u = &names->uses.items[i];
        if (u->decl == use->decl && (with_declaration || !u->declares))
            json_array_append_new(list, location_json(d->program, u->at));
    }
    return list;
}

json_t *
navigate_highlight(Server *s, const json_t *params)
{
    Document *d;
    const Use *use = use_at(s, params, &d);
    json_t *list = json_array();
    const Source *f = d ? document_source(d) : NULL;
    for (int i = 0; use && i < d->program->names->uses.count; i++) {
        const Use *u = &d->program->names->uses.items[i];
        if (u->decl == use->decl && source_find(&d->program->c.sources, u->at.from) == f)
            json_array_append_new(list, json_pack("{s:o, s:i}", "range", range_json(f, u->at),
                                                  "kind", u->declares ? 3 : 2));
    }
    return list;
}

/* ---- rename ---- */

json_t *
navigate_prepare_rename(Server *s, const json_t *params)
{
    Document *d;
    const Use *use = use_at(s, params, &d);
    if (!use)
        return json_null();
    return json_pack("{s:o, s:s}", "range", range_json(document_source(d), use->at), "placeholder",
                     use->decl->name);
}

/* True for a word that can name something. */
static bool
is_name(Arena *a, const char *text)
{
    Compile c;
    compile_init(&c);
    const Source *f = source_add(&c.sources, "name", text, strlen(text));
    Tokens t = tokens_read(&c, f);
    bool word = t.count == 2 && t.items[0].bytes == (int)strlen(text) &&
                (isalpha((unsigned char)*text) || *text == '_');
    /* a keyword or type cannot be a constant */
    const char *declaration = arena_printf(a, "const %s = 1;", text);
    parse_source(&c, source_add(&c.sources, "declaration", declaration, strlen(declaration)));
    bool fine = word && !diag_error_count(&c);
    compile_free(&c);
    return fine;
}

/* The text of a file with a declaration renamed. */
static Overlay
renamed_file(Server *s, const Program *p, const Source *f, const Decl *decl, const char *name)
{
    Text t;
    uint32_t at = f->base;
    text_init(&t, s->arena);
    for (int i = 0; i < p->names->uses.count; i++) {
        const Use *u = &p->names->uses.items[i];
        if (u->decl != decl || u->at.from < at || u->at.to > f->base + f->bytes)
            continue;
        text_raw(&t, f->text + (at - f->base), u->at.from - at);
        text_raw(&t, name, strlen(name));
        at = u->at.to;
    }
    text_raw(&t, f->text + (at - f->base), f->base + f->bytes - at);
    return (Overlay){f->real, t.data ? t.data : "", t.count};
}

static int
index_of(const NameTable *names, const Decl *d)
{
    for (int i = 0; i < names->decls.count; i++)
        if (names->decls.items[i] == d)
            return i;
    return -1;
}

/* True when every name means the same in both programs. */
static bool
means_the_same(const Program *a, const Program *b)
{
    const NameTable *x = a->names, *y = b->names;
    if (x->uses.count != y->uses.count || x->decls.count != y->decls.count ||
        diag_error_count(&b->c) > diag_error_count(&a->c))
        return false;
    for (int i = 0; i < x->uses.count; i++)
        if (index_of(x, x->uses.items[i].decl) != index_of(y, y->uses.items[i].decl))
            return false;
    return true;
}

/* Checks the program with the new name: nothing else may be hidden, doubled or meant by it. */
static bool
can_rename(Server *s, const Document *d, const Decl *decl, const char *name)
{
    const Program *p = d->program;
    VEC(Overlay) overlays = {0};
    for (int i = 0; i < p->c.sources.files.count; i++)
        if (p->c.sources.files.items[i]->real)
            vec_push(s->arena, &overlays,
                     renamed_file(s, p, p->c.sources.files.items[i], decl, name));
    Program *renamed =
        program_new(s->options, p->prog->source->real, overlays.items, overlays.count);
    bool same = renamed && means_the_same(p, renamed);
    program_free(renamed);
    return same;
}

static json_t *
rename_edits(Server *s, const Program *p, const Decl *decl, const char *name)
{
    json_t *changes = json_object();
    for (int i = 0; i < p->names->uses.count; i++) {
        const Use *u = &p->names->uses.items[i];
        const Source *f = source_find(&p->c.sources, u->at.from);
        if (u->decl != decl || !f || !f->real)
            continue;
        const char *uri = uri_of_path(s->arena, f->real);
        json_t *edits = json_object_get(changes, uri);
        if (!edits) {
            edits = json_array();
            json_object_set_new(changes, uri, edits);
        }
        json_array_append_new(
            edits, json_pack("{s:o, s:s}", "range", range_json(f, u->at), "newText", name));
    }
    return json_pack("{s:o}", "changes", changes);
}

json_t *
navigate_rename(Server *s, const json_t *params)
{
    Document *d;
    const Use *use = use_at(s, params, &d);
    const char *name = json_string_value(json_object_get(params, "newName"));
    if (!d)
        return NULL;
    if (!name)
        return server_fail(s, RPC_INVALID_PARAMS, "params.newName must be a string");
    if (!use)
        return server_fail(s, RPC_REQUEST_FAILED, "there is no name of the program here");
    if (!is_name(s->arena, name))
        return server_fail(s, RPC_REQUEST_FAILED, "'%.100s' cannot be a name", name);
    if (!d->program->prog->source->real)
        return server_fail(s, RPC_REQUEST_FAILED, "the file has no place on disk");
    if (strcmp(use->decl->name, name) && !can_rename(s, d, use->decl, name))
        return server_fail(
            s, RPC_REQUEST_FAILED,
            "'%s' cannot become '%.100s': that name would mean, hide or double something else",
            use->decl->name, name);
    return rename_edits(s, d->program, use->decl, name);
}
