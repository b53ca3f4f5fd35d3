/* Open files and places in them. */
#include "config.h"

#include "lsp/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- URIs ---- */

static int
hex_digit(char c)
{
    return c >= '0' && c <= '9'         ? c - '0'
           : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                        : -1;
}

/* The canonical path of a URI; the URI itself when it does not name a file. */
static const char *
path_of_uri(Arena *a, const char *uri)
{
    if (strncmp(uri, "file://", 7))
        return arena_strndup(a, uri, strlen(uri));
    const char *p = uri + 7 + strcspn(uri + 7, "/");
    char *path = arena_alloc(a, strlen(p) + 1), *to = path;
    for (; *p; p++) {
        int high = *p == '%' ? hex_digit(p[1]) : -1, low = high >= 0 ? hex_digit(p[2]) : -1;
        if (low >= 0 && high * 16 + low > 0) {
            *to++ = (char)(high * 16 + low);
            p += 2;
        } else
            *to++ = *p;
    }
    char *real = realpath(path, NULL);
    if (real)
        path = arena_strndup(a, real, strlen(real));
    free(real);
    return path;
}

const char *
document_uri_of_path(Arena *a, const char *path)
{
    if (path[0] != '/')
        return path;
    Text t;
    text_init(&t, a);
    text_add(&t, "file://");
    for (; *path; path++)
        text_add(&t, isalnum((unsigned char)*path) || strchr("/-_.~", *path) ? "%c" : "%%%02X",
                 (unsigned char)*path);
    return t.data;
}

/* ---- places ---- */

static bool
is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* UTF-16 units of the character at p. */
static int
units(const char *p)
{
    return is_continuation(*p) ? 0 : (unsigned char)*p >= 0xf0 ? 2 : 1;
}

bool
document_ends_line(const char *text, size_t at)
{
    return text[at] == '\n' || (text[at] == '\r' && text[at + 1] != '\n');
}

json_t *
document_position_json(const Source *f, uint32_t position)
{
    int line, column, character = 0;
    source_position(f, position, &line, &column);
    const uint32_t to = position - f->base;
    uint32_t from = f->line_from[line - 1];
    if (f->lone_returns) { /* there are more lines than those of the source */
        from = 0, line = 1;
        for (uint32_t i = 0; i < to; i++)
            if (document_ends_line(f->text, i))
                from = i + 1, line++;
    }
    for (; from < to; from++)
        character += units(f->text + from);
    return json_pack("{s:i, s:i}", "line", line - 1, "character", character);
}

json_t *
document_range_json(const Source *f, Span span)
{
    return json_pack("{s:o, s:o}", "start", document_position_json(f, span.from), "end",
                     document_position_json(f, span.to));
}

json_t *
document_location_json(const Program *p, Span span)
{
    const Source *f = span.from ? source_find(&p->c.sources, span.from) : NULL;
    if (!f)
        return NULL;
    return json_pack("{s:s, s:o}", "uri",
                     document_uri_of_path(p->c.scratch, f->real ? f->real : f->path), "range",
                     document_range_json(f, span));
}

size_t
document_text_offset(const char *text, size_t bytes, json_int_t line, json_int_t column)
{
    size_t at = 0;
    for (; line > 0 && at < bytes; at++)
        line -= document_ends_line(text, at);
    for (; at < bytes && text[at] != '\n' && text[at] != '\r' &&
           (column > 0 || is_continuation(text[at]));
         at++)
        column -= units(text + at);
    return at;
}

/* ---- documents ---- */

static Document *
find_document(const Server *s, const char *uri)
{
    for (int i = 0; i < s->documents.count; i++)
        if (!strcmp(s->documents.items[i]->uri, uri))
            return s->documents.items[i];
    return NULL;
}

Document *
document_of(Server *s, const json_t *params)
{
    const char *uri =
        json_string_value(json_object_get(json_object_get(params, "textDocument"), "uri"));
    if (!uri) {
        session_fail(s, RPC_INVALID_PARAMS, "params.textDocument.uri must be a string");
        return NULL;
    }
    Document *d = find_document(s, uri);
    if (!d)
        session_fail(s, RPC_INVALID_PARAMS, "'%s' is not open", uri);
    return d;
}

const Source *
document_source(const Document *d)
{
    return d->program ? program_source(d->program, d->path) : NULL;
}

/* Reads {line, character}. */
static bool
read_position(Server *s, const json_t *position, json_int_t *line, json_int_t *character)
{
    const json_t *l = json_object_get(position, "line"),
                 *c = json_object_get(position, "character");
    *line = json_integer_value(l);
    *character = json_integer_value(c);
    if (json_is_integer(l) && json_is_integer(c) && *line >= 0 && *character >= 0)
        return true;
    session_fail(s, RPC_INVALID_PARAMS,
                 "a position has line and character, which are numbers from 0 on");
    return false;
}

Document *
document_at(Server *s, const json_t *params, uint32_t *position)
{
    json_int_t line, character;
    Document *d = document_of(s, params);
    if (!d || !read_position(s, json_object_get(params, "position"), &line, &character))
        return NULL;
    document_refresh_all(s);
    const Source *f = document_source(d);
    if (!f) {
        session_fail(s, RPC_REQUEST_FAILED, "'%s' cannot be read", d->uri);
        return NULL;
    }
    *position = f->base + (uint32_t)document_text_offset(f->text, f->bytes, line, character);
    return d;
}

static void
drop_program(Document *d)
{
    program_free(d->own);
    d->own = d->program = NULL;
    d->seen = false;
}

/* Drops every program that has the file in it, and those that could not be made. */
static void
file_changed(Server *s, const char *path)
{
    for (int i = 0; i < s->documents.count; i++) {
        Document *d = s->documents.items[i];
        /* perhaps an import that was missing */
        bool errors = d->own && diag_error_count(&d->own->c);
        if (!d->own || errors || program_source(d->own, path))
            drop_program(d);
    }
    s->stale = s->unpublished = true;
}

/* A copy of a text becomes that of the document. */
static void
set_text(Document *d, const char *text, size_t bytes)
{
    Arena *memory = arena_new();
    char *copy = arena_strndup(memory, text, bytes);
    if (d->memory)
        arena_free(d->memory);
    d->memory = memory;
    d->text = copy;
    d->bytes = bytes;
}

void
document_did_open(Server *s, const json_t *params)
{
    const json_t *item = json_object_get(params, "textDocument"),
                 *text = json_object_get(item, "text");
    const char *uri = json_string_value(json_object_get(item, "uri"));
    if (!uri || !json_is_string(text))
        return;
    Document *d = find_document(s, uri);
    if (!d) {
        d = ARENA_NEW(s->lasting, Document);
        d->uri = arena_strndup(s->lasting, uri, strlen(uri));
        d->path = path_of_uri(s->lasting, uri);
        vec_push(s->lasting, &s->documents, d);
    }
    set_text(d, json_string_value(text), json_string_length(text));
    d->version = json_integer_value(json_object_get(item, "version"));
    file_changed(s, d->path);
}

/* Replaces a range of the document, or all of it. */
static void
change_text(Server *s, Document *d, const json_t *change)
{
    const json_t *range = json_object_get(change, "range"), *text = json_object_get(change, "text");
    json_int_t line[2], character[2];
    if (!json_is_string(text))
        return;
    if (!range) {
        set_text(d, json_string_value(text), json_string_length(text));
        return;
    }
    if (!read_position(s, json_object_get(range, "start"), &line[0], &character[0]) ||
        !read_position(s, json_object_get(range, "end"), &line[1], &character[1]))
        return;
    size_t from = document_text_offset(d->text, d->bytes, line[0], character[0]),
           to = document_text_offset(d->text, d->bytes, line[1], character[1]);
    Text t;
    text_init(&t, s->arena);
    text_raw(&t, d->text, from);
    text_raw(&t, json_string_value(text), json_string_length(text));
    text_raw(&t, d->text + (to > from ? to : from), d->bytes - (to > from ? to : from));
    set_text(d, t.data ? t.data : "", t.count);
}

void
document_did_change(Server *s, const json_t *params)
{
    Document *d = document_of(s, params);
    const json_t *changes = json_object_get(params, "contentChanges");
    if (!d)
        return;
    for (size_t i = 0; i < json_array_size(changes); i++)
        change_text(s, d, json_array_get(changes, i));
    d->version = json_integer_value(
        json_object_get(json_object_get(params, "textDocument"), "version"));
    file_changed(s, d->path);
}

void
document_did_close(Server *s, const json_t *params)
{
    Document *d = document_of(s, params);
    if (!d)
        return;
    file_changed(s, d->path);
    int kept = 0;
    for (int i = 0; i < s->documents.count; i++)
        if (s->documents.items[i] != d)
            s->documents.items[kept++] = s->documents.items[i];
    s->documents.count = kept;
    drop_program(d);
    arena_free(d->memory);
}

void
document_files_changed(Server *s, const json_t *params)
{
    (void)params;
    for (int i = 0; i < s->documents.count; i++)
        drop_program(s->documents.items[i]);
    s->stale = s->unpublished = true;
}

/* True when document i is part of the program of document k, as it is imported there. In a circle
 * of imports all are parts of the one that was opened first. */
static bool
is_part_of(const Server *s, int i, int k)
{
    const Document *d = s->documents.items[i], *other = s->documents.items[k];
    if (i == k || !other->own || !program_source(other->own, d->path))
        return false;
    return k < i || !d->own || !program_source(d->own, other->path);
}

/* The document whose program document i is looked at in: the one that imports it and that no other
 * one imports. */
static int
root_of(const Server *s, int i)
{
    for (int steps = s->documents.count; steps > 0; steps--) {
        int k = s->documents.count - 1;
        while (k >= 0 && !is_part_of(s, i, k))
            k--;
        if (k < 0)
            break;
        i = k;
    }
    return i;
}

void
document_refresh_all(Server *s)
{
    if (!s->stale)
        return;
    s->stale = false;
    VEC(Overlay) overlays = {0};
    for (int i = 0; i < s->documents.count; i++) {
        const Document *d = s->documents.items[i];
        vec_push(s->arena, &overlays, (Overlay){d->path, d->text, d->bytes});
    }
    for (int i = 0; i < s->documents.count; i++) {
        Document *d = s->documents.items[i];
        if (!d->seen)
            d->own = program_new(s->options, d->path, overlays.items, overlays.count);
        d->seen = true;
    }
    for (int i = 0; i < s->documents.count; i++)
        s->documents.items[i]->program = s->documents.items[root_of(s, i)]->own;
}

bool
document_is_root(const Document *d)
{
    return d->own && d->program == d->own;
}

void
document_free_all(Server *s)
{
    for (int i = 0; i < s->documents.count; i++) {
        drop_program(s->documents.items[i]);
        arena_free(s->documents.items[i]->memory);
    }
    s->documents.count = 0;
}
