/* Diagnostics as the protocol has them, and their fixes as actions. */
#include "config.h"

#include "lsp/session.h"

#include <string.h>

#include "base/diag_data.h"

static const char *
code_name(const Diag *d)
{
    return diag_info(d->code)->name;
}

static json_t *
diagnostic_json(const Program *p, const Source *f, const Diag *d)
{
    json_t *related = json_array();
    for (int i = 0; i < d->notes.count; i++) {
        json_t *location =
            document_location_json(p, d->notes.items[i].at.from ? d->notes.items[i].at : d->at);
        if (location)
            json_array_append_new(related, json_pack("{s:o, s:s}", "location", location, "message",
                                                     d->notes.items[i].text));
    }
    Text t;
    text_init(&t, p->c.scratch);
    text_add(&t, "%s", d->text);
    for (int i = 0; i < d->fixes.count; i++)
        text_add(&t, "\nfix: %s", diag_fix_text(&p->c, d, &d->fixes.items[i]));
    json_t *json = json_pack("{s:o, s:i, s:s, s:s, s:s%}", "range", document_range_json(f, d->at),
                             "severity", d->severity == DIAG_ERROR ? 1 : 2, "code", code_name(d),
                             "source", "snlc", "message", t.data, t.count);
    if (!json) /* the program's text is not UTF-8 */
        json = json_pack("{s:o, s:i, s:s, s:s, s:s}", "range", document_range_json(f, d->at),
                         "severity", 1, "code", code_name(d), "source", "snlc", "message",
                         diag_info(d->code)->title);
    if (d->code == W0201)
        json_object_set_new(json, "tags", json_pack("[i]", 1)); /* shown faint */
    json_object_set_new(json, "relatedInformation", related);
    return json;
}

/* The diagnostics of a file in a program; those of no place stand at the start of its main file. */
static json_t *
diagnostics_of(const Program *p, const Source *f)
{
    json_t *list = json_array();
    for (int i = 0; i < p->c.diags.count; i++) {
        const Diag *d = p->c.diags.items[i];
        const Source *at = d->at.from ? source_find(&p->c.sources, d->at.from) : p->prog->source;
        Diag placed = *d;
        if (!d->at.from)
            placed.at = (Span){f->base, f->base};
        if (at == f)
            json_array_append_new(list, diagnostic_json(p, f, &placed));
    }
    return list;
}

/* Sends what is wrong with a file; `d`: its document, or NULL where it is not open. */
static void
publish(Server *s, const char *uri, const Document *d, json_t *list)
{
    int known = 0;
    while (known < s->published.count && strcmp(s->published.items[known], uri))
        known++;
    if (json_array_size(list) && known == s->published.count)
        vec_push(s->lasting, &s->published,
                 (const char *)arena_strndup(s->lasting, uri, strlen(uri)));
    else if (!json_array_size(list) && known < s->published.count)
        s->published.items[known] = s->published.items[--s->published.count];
    json_t *params = json_pack("{s:s, s:o}", "uri", uri, "diagnostics", list);
    if (d)
        json_object_set_new(params, "version", json_integer(d->version));
    session_notify("textDocument/publishDiagnostics", params);
}

static const Document *
document_with_path(const Server *s, const char *path)
{
    for (int i = 0; i < s->documents.count; i++)
        if (!strcmp(s->documents.items[i]->path, path))
            return s->documents.items[i];
    return NULL;
}

static bool
is_listed(const char *const *list, int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(list[i], text))
            return true;
    return false;
}

void
diagnose_publish(Server *s)
{
    document_refresh_all(s);
    s->unpublished = false;
    VEC(const char *) said = {0}, before = {0};
    for (int i = 0; i < s->published.count; i++)
        vec_push(s->arena, &before, s->published.items[i]);
    for (int i = 0; i < s->documents.count; i++) {
        const Document *d = s->documents.items[i];
        const Source *f = document_source(d);
        vec_push(s->arena, &said, d->uri);
        publish(s, d->uri, d, f ? diagnostics_of(d->program, f) : json_array());
    }
    for (int i = 0; i < s->documents.count; i++) { /* and of what they import */
        const Document *d = s->documents.items[i];
        const Program *p = d->own;
        for (int k = 0; document_is_root(d) && k < p->prog->imports.count; k++) {
            const Source *f = p->prog->imports.items[k];
            const char *uri = document_uri_of_path(s->arena, f->real ? f->real : f->path);
            if (document_with_path(s, f->real ? f->real : f->path) ||
                is_listed(said.items, said.count, uri))
                continue;
            json_t *list = diagnostics_of(p, f);
            bool silent = !json_array_size(list) && !is_listed(before.items, before.count, uri);
            vec_push(s->arena, &said, uri);
            if (silent)
                json_decref(list);
            else
                publish(s, uri, NULL, list);
        }
    }
    for (int i = 0; i < before.count; i++)
        if (!is_listed(said.items, said.count, before.items[i]))
            publish(s, before.items[i], NULL, json_array());
}

/* ---- fixes ---- */

/* The edit that the k-th fix of a diagnostic makes. */
static json_t *
action_json(Server *s, const Document *d, const Diag *g, int k)
{
    const Program *p = d->program;
    const Source *f = document_source(d);
    const DiagFix *fix = &g->fixes.items[k];
    const char *text = diag_fix_text(&p->c, g, fix);
    const char *title = text == fix->text ? arena_printf(s->arena, "replace by '%s'", text) : text;
    json_t *edit =
        json_pack("{s:o, s:s}", "range", document_range_json(f, fix->at), "newText", fix->text);
    return json_pack("{s:s, s:s, s:[o], s:b, s:{s:{s:[o]}}}", "title", title, "kind", "quickfix",
                     "diagnostics", diagnostic_json(p, f, g), "isPreferred", fix->is_edit && k == 0,
                     "edit", "changes", d->uri, edit);
}

json_t *
diagnose_actions(Server *s, const json_t *params)
{
    Document *d = document_of(s, params);
    const json_t *range = json_object_get(params, "range");
    if (!d)
        return NULL;
    json_t *at = json_pack("{s:O, s:O}", "textDocument", json_object_get(params, "textDocument"),
                           "position", json_object_get(range, "start"));
    json_t *to = json_pack("{s:O, s:O}", "textDocument", json_object_get(params, "textDocument"),
                           "position", json_object_get(range, "end"));
    uint32_t from_position = 0, to_position = 0;
    bool fine = document_at(s, at, &from_position) && document_at(s, to, &to_position);
    json_decref(at);
    json_decref(to);
    if (!fine)
        return s->error ? NULL
                        : session_fail(s, RPC_INVALID_PARAMS,
                                       "params.range must have a start and an end");
    const Program *p = d->program;
    const Source *f = document_source(d);
    json_t *actions = json_array();
    for (int i = 0; i < p->c.diags.count; i++) {
        const Diag *g = p->c.diags.items[i];
        for (int k = 0; k < g->fixes.count; k++) {
            const DiagFix *fix = &g->fixes.items[k];
            if ((fix->is_edit || fix->is_guess) &&
                source_find(&p->c.sources, fix->at.from) == f && g->at.from <= to_position &&
                g->at.to >= from_position)
                json_array_append_new(actions, action_json(s, d, g, k));
        }
    }
    return actions;
}
