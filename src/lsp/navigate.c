/* From a name to its declaration, to all its places, and to another name. */
#include "config.h"

#include "lsp/session.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "grammar/tokens.h"

/* The use at the position that params give; NULL when there is none, or after session_fail. */
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
                    return document_location_json(p, (Span){f->base, f->base});
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
        use ? document_location_json(d->program, use->decl->span) : imported_file(d->program, at);
    return location ? location : json_null();
}

/* ---- all mentions of a name ---- */

/* A use in a file, whatever program it was found in. */
typedef struct {
    const char *real;  /* of the file */
    uint32_t from, to; /* in its text */
    const Program *p;  /* one that has the file */
    Use use;           /* there */
} Mention;

typedef VEC(Mention) Mentions;

static int
compare_mentions(const void *a, const void *b)
{
    const Mention *x = a, *y = b;
    int files = strcmp(x->real, y->real);
    return files ? files : x->from < y->from ? -1 : x->from > y->from;
}

/* The declaration at a place of a file in a program, NULL when it has none there. */
static const Decl *
decl_in(const Program *p, const char *real, uint32_t offset)
{
    const Source *f = program_source(p, real);
    const Use *use = f ? names_at(p->names, f->base + offset) : NULL;
    return use && use->decl->span.from == f->base + offset ? use->decl : NULL;
}

static void
add_mentions(Server *s, const Program *p, const Decl *decl, Mentions *mentions)
{
    for (int i = 0; decl && i < p->names->uses.count; i++) {
        const Use *u = &p->names->uses.items[i];
        const Source *f = u->decl == decl ? source_find(&p->c.sources, u->at.from) : NULL;
        if (f && f->real)
            vec_push(s->arena, mentions,
                     (Mention){f->real, u->at.from - f->base, u->at.to - f->base, p, *u});
    }
}

/* The mentions of a declaration of p in all open programs, each once, by file and position. */
static Mentions
find_mentions(Server *s, const Program *p, const Decl *decl)
{
    Mentions mentions = {0};
    const Source *home = source_find(&p->c.sources, decl->span.from);
    for (int i = 0; home && home->real && i < s->documents.count; i++) {
        const Document *d = s->documents.items[i];
        if (document_is_root(d))
            add_mentions(s, d->own, decl_in(d->own, home->real, decl->span.from - home->base),
                       &mentions);
    }
    int kept = 0;
    if (mentions.count)
        qsort(mentions.items, (size_t)mentions.count, sizeof *mentions.items, compare_mentions);
    for (int i = 0; i < mentions.count; i++)
        if (!kept || compare_mentions(&mentions.items[kept - 1], &mentions.items[i]))
            mentions.items[kept++] = mentions.items[i];
    mentions.count = kept;
    return mentions;
}

json_t *
navigate_references(Server *s, const json_t *params)
{
    Document *d;
    const Use *use = use_at(s, params, &d);
    bool with_declaration =
        json_is_true(json_object_get(json_object_get(params, "context"), "includeDeclaration"));
    json_t *list = json_array();
    const Mentions mentions = use ? find_mentions(s, d->program, use->decl) : (Mentions){0};
    for (int i = 0; i < mentions.count; i++) {
        const Mention *at = &mentions.items[i];
        if (with_declaration || !at->use.declares)
            json_array_append_new(list, document_location_json(at->p, at->use.at));
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
            json_array_append_new(list,
                                  json_pack("{s:o, s:i}", "range", document_range_json(f, u->at),
                                            "kind", u->declares ? 3 : 2));
    }
    return list;
}

/* ---- rename ---- */

/* What is installed with snlc keeps its names. */
static bool
is_of_library(const Document *d, const Use *use)
{
    const Source *f = source_find(&d->program->c.sources, use->decl->span.from);
    return f && f->library;
}

json_t *
navigate_prepare_rename(Server *s, const json_t *params)
{
    Document *d;
    const Use *use = use_at(s, params, &d);
    if (!use || is_of_library(d, use))
        return json_null();
    return json_pack("{s:o, s:s}", "range", document_range_json(document_source(d), use->at),
                     "placeholder", use->decl->name);
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

/* The text of a file with another name at all mentions. */
static Overlay
renamed_file(Server *s, const Source *f, const Mentions *mentions, const char *name)
{
    Text t;
    uint32_t at = 0;
    text_init(&t, s->arena);
    for (int i = 0; i < mentions->count; i++) {
        const Mention *m = &mentions->items[i];
        if (strcmp(m->real, f->real))
            continue;
        text_raw(&t, f->text + at, m->from - at);
        text_raw(&t, name, strlen(name));
        at = m->to;
    }
    text_raw(&t, f->text + at, f->bytes - at);
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

/* True when a program has a file with one of the mentions. */
static bool
has_mention(const Program *p, const Mentions *mentions)
{
    for (int i = 0; i < mentions->count; i++)
        if (program_source(p, mentions->items[i].real))
            return true;
    return false;
}

/* Checks a program with the new name: nothing else may be hidden, doubled or meant by it. */
static bool
can_rename_in(Server *s, const Program *p, const Mentions *mentions, const char *name)
{
    VEC(Overlay) overlays = {0};
    for (int i = 0; i < p->c.sources.files.count; i++)
        if (p->c.sources.files.items[i]->real)
            vec_push(s->arena, &overlays,
                     renamed_file(s, p->c.sources.files.items[i], mentions, name));
    Program *renamed =
        program_new(s->options, p->prog->source->real, overlays.items, overlays.count);
    bool same = renamed && means_the_same(p, renamed);
    program_free(renamed);
    return same;
}

/* The first document whose program would mean something else with the new name, NULL: none. */
static const Document *
find_against(Server *s, const Mentions *mentions, const char *name)
{
    for (int i = 0; i < s->documents.count; i++) {
        const Document *d = s->documents.items[i];
        if (document_is_root(d) && has_mention(d->own, mentions) &&
            !can_rename_in(s, d->own, mentions, name))
            return d;
    }
    return NULL;
}

static json_t *
rename_edits(Server *s, const Mentions *mentions, const char *name)
{
    json_t *changes = json_object();
    for (int i = 0; i < mentions->count; i++) {
        const Mention *m = &mentions->items[i];
        const Source *f = source_find(&m->p->c.sources, m->use.at.from);
        const char *uri = document_uri_of_path(s->arena, m->real);
        json_t *edits = json_object_get(changes, uri);
        if (!edits) {
            edits = json_array();
            json_object_set_new(changes, uri, edits);
        }
        json_array_append_new(edits, json_pack("{s:o, s:s}", "range",
                                               document_range_json(f, m->use.at), "newText", name));
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
        return session_fail(s, RPC_INVALID_PARAMS, "params.newName must be a string");
    if (!use)
        return session_fail(s, RPC_REQUEST_FAILED, "there is no name of the program here");
    if (is_of_library(d, use))
        return session_fail(s, RPC_REQUEST_FAILED, "'%s' is a name of the standard library",
                            use->decl->name);
    if (!is_name(s->arena, name))
        return session_fail(s, RPC_REQUEST_FAILED, "'%.100s' cannot be a name", name);
    const Mentions mentions = find_mentions(s, d->program, use->decl);
    if (!mentions.count)
        return session_fail(s, RPC_REQUEST_FAILED, "the file has no place on disk");
    const Document *against =
        strcmp(use->decl->name, name) ? find_against(s, &mentions, name) : NULL;
    if (against)
        return session_fail(s, RPC_REQUEST_FAILED,
                            "'%s' cannot become '%.100s': that name would mean, hide or double "
                            "something else in %.200s",
                            use->decl->name, name, against->path);
    return rename_edits(s, &mentions, name);
}
