/* Diagnostics as text for people, as JSON Lines, and as SARIF 2.1.0. */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/char_width.h"
#include "base/compile.h"
#include "base/diag_data.h"
#include "base/text.h"

enum { LINE_SHOWN = 160 }; /* bytes of a source line that are shown */

typedef struct {
    const char *path;
    int line, column, end_line, end_column;
    const Source *source;
} Place;

static Place
find_place(const Compile *c, Span at)
{
    Place p = {.path = ""};
    p.source = at.from ? source_find(&c->sources, at.from) : NULL;
    if (!p.source)
        return p;
    p.path = p.source->path;
    source_position(p.source, at.from, &p.line, &p.column);
    source_position(p.source, at.to > at.from ? at.to : at.from, &p.end_line, &p.end_column);
    return p;
}

/* ---- text ---- */

static bool
is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The source line with a caret under the place. Long lines are cut to a window around it. */
static void
print_quote(const Place *p, Text *to, const char *color, const char *off)
{
    int bytes, from = 0;
    const char *line = source_line(p->source, p->line, &bytes);
    if (p->column - 1 > LINE_SHOWN / 2)
        from = p->column - 1 - LINE_SHOWN / 2;
    while (from > 0 && from < bytes && is_continuation(line[from]))
        from--;
    int to_byte = bytes - from > LINE_SHOWN ? from + LINE_SHOWN : bytes;
    int end = p->end_line == p->line ? p->end_column - 1 : bytes;
    text_add(to, "%5d | %s", p->line, from ? "..." : "");
    for (int i = from; i < to_byte; i++)
        text_add(to, "%c", (unsigned char)line[i] < 0x20 && line[i] != '\t' ? ' ' : line[i]);
    text_add(to, "%s\n      | %s", to_byte < bytes ? "..." : "", from ? "   " : "");
    for (int i = from; i < p->column - 1 && i < bytes; i++)
        if (line[i] == '\t')
            text_add(to, "\t");
        else
            text_add(to, "%*s", char_width_at(line + i, bytes - i), "");
    text_add(to, "%s^", color);
    for (int i = p->column - 1; i < end && i < to_byte; i++)
        for (int n = char_width_at(line + i, bytes - i); n > (i == p->column - 1); n--)
            text_add(to, "~");
    text_add(to, "%s\n", off);
}

static void
print_head(const Place *p, Text *to)
{
    if (p->source)
        text_add(to, "%s:%d:%d: ", p->path, p->line, p->column);
    else
        text_add(to, "snlc: ");
}

static void
print_text(const Compile *c, const Diag *d, Text *to, bool colour)
{
    const char *red = colour ? d->severity == DIAG_ERROR ? "\033[1;31m" : "\033[1;35m" : "";
    const char *cyan = colour ? "\033[1;36m" : "", *green = colour ? "\033[32m" : "",
               *off = colour ? "\033[0m" : "";
    Place p = find_place(c, d->at);
    print_head(&p, to);
    text_add(to, "%s%s:%s %s [%s]\n", red, d->severity == DIAG_ERROR ? "error" : "warning", off,
             d->text, diag_info(d->code)->name);
    if (p.source)
        print_quote(&p, to, green, off);
    for (int i = 0; i < d->notes.count; i++) {
        Place n = find_place(c, d->notes.items[i].at);
        if (n.source)
            print_head(&n, to);
        text_add(to, "%s%snote:%s %s\n", n.source ? "" : "  ", cyan, off, d->notes.items[i].text);
        if (n.source && n.line != p.line)
            print_quote(&n, to, green, off);
    }
    for (int i = 0; i < d->fixes.count; i++)
        text_add(to, "  %sfix:%s %s\n", green, off, diag_fix_text(c, d, &d->fixes.items[i]));
}

/* ---- JSON ---- */

static void
print_json_place(Text *to, const Place *p)
{
    text_add(to, "\"file\": ");
    text_json(to, p->path);
    text_add(to, ", \"line\": %d, \"column\": %d, \"end_line\": %d, \"end_column\": %d", p->line,
             p->column, p->end_line, p->end_column);
}

static void
print_json(const Compile *c, const Diag *d, Text *to)
{
    Place p = find_place(c, d->at);
    text_add(to, "{");
    print_json_place(to, &p);
    text_add(to, ", \"severity\": \"%s\", \"code\": \"%s\", \"message\": ",
             d->severity == DIAG_ERROR ? "error" : "warning", diag_info(d->code)->name);
    text_json(to, d->text);
    text_add(to, ", \"notes\": [");
    for (int i = 0; i < d->notes.count; i++) {
        Place n = find_place(c, d->notes.items[i].at);
        text_add(to, "%s", i ? ", {" : "{");
        print_json_place(to, &n);
        text_add(to, ", \"message\": ");
        text_json(to, d->notes.items[i].text);
        text_add(to, "}");
    }
    text_add(to, "], \"fixes\": [");
    for (int i = 0; i < d->fixes.count; i++) {
        text_add(to, "%s", i ? ", " : "");
        text_json(to, diag_fix_text(c, d, &d->fixes.items[i]));
    }
    text_add(to, "], \"edits\": [");
    const char *comma = "";
    for (int i = 0; i < d->fixes.count; i++) {
        const DiagFix *fix = &d->fixes.items[i];
        if (!fix->is_edit)
            continue;
        Place at = find_place(c, fix->at);
        text_add(to, "%s{", comma);
        print_json_place(to, &at);
        text_add(to, ", \"text\": ");
        text_json(to, fix->text);
        text_add(to, "}");
        comma = ", ";
    }
    text_add(to, "]}\n");
}

/* ---- SARIF ---- */

/* The column counted in characters, as the document says. */
static int
character_column(const Place *p, int line, int column)
{
    int bytes, characters = 0;
    const char *text = source_line(p->source, line, &bytes);
    for (int i = 0; i < column - 1; i++)
        characters += i >= bytes || !is_continuation(text[i]);
    return characters + 1;
}

static void
print_sarif_region(Text *to, const Place *p)
{
    text_add(to, "{\"startLine\": %d, \"startColumn\": %d, \"endLine\": %d, \"endColumn\": %d}",
             p->line, character_column(p, p->line, p->column), p->end_line,
             character_column(p, p->end_line, p->end_column));
}

/* A path as a URI reference: what URIs have no place for is written as %20. */
static void
print_uri(Text *to, const char *path)
{
    text_add(to, "\"");
    for (const unsigned char *s = (const unsigned char *)path; *s; s++)
        if (isalnum(*s) || strchr("/-._~!$&()*+,;=@", *s))
            text_add(to, "%c", *s);
        else
            text_add(to, "%%%02X", *s);
    text_add(to, "\"");
}

/* The members that say where, without the braces around them. */
static void
print_sarif_place(Text *to, const Place *p)
{
    text_add(to, "\"physicalLocation\": {\"artifactLocation\": {\"uri\": ");
    print_uri(to, p->path);
    text_add(to, "}, \"region\": ");
    print_sarif_region(to, p);
    text_add(to, "}");
}

/* One fix, as a change of one place in one file. */
static void
print_sarif_fix(const Compile *c, const Diag *d, const DiagFix *fix, Text *to)
{
    Place at = find_place(c, fix->at);
    text_add(to, "{\"description\": {\"text\": ");
    text_json(to, diag_fix_text(c, d, fix));
    text_add(to, "}, \"artifactChanges\": [{\"artifactLocation\": {\"uri\": ");
    print_uri(to, at.path);
    text_add(to, "}, \"replacements\": [{\"deletedRegion\": ");
    print_sarif_region(to, &at);
    text_add(to, ", \"insertedContent\": {\"text\": ");
    text_json(to, fix->text);
    text_add(to, "}}]}]}");
}

static void
print_sarif_result(const Compile *c, const Diag *d, Text *to)
{
    Place p = find_place(c, d->at);
    text_add(to, "\n    {\"ruleId\": \"%s\", \"level\": \"%s\", \"message\": {\"text\": ",
             diag_info(d->code)->name, d->severity == DIAG_ERROR ? "error" : "warning");
    text_json(to, d->text);
    text_add(to, "}");
    if (p.source) {
        text_add(to, ", \"locations\": [{");
        print_sarif_place(to, &p);
        text_add(to, "}]");
    }
    const char *comma = "";
    text_add(to, ", \"relatedLocations\": [");
    for (int i = 0; i < d->notes.count; i++) {
        Place n = find_place(c, d->notes.items[i].at);
        text_add(to, "%s{", comma);
        if (n.source) {
            print_sarif_place(to, &n);
            text_add(to, ", ");
        }
        text_add(to, "\"message\": {\"text\": ");
        text_json(to, d->notes.items[i].text);
        text_add(to, "}}");
        comma = ", ";
    }
    for (int i = 0; i < d->fixes.count; i++) {
        if (d->fixes.items[i].is_edit)
            continue;
        text_add(to, "%s{\"message\": {\"text\": ", comma); /* a fix of SARIF is one that a tool can
                                                             * make */
        text_json(to, arena_printf(c->arena, "fix: %s", diag_fix_text(c, d, &d->fixes.items[i])));
        text_add(to, "}}");
        comma = ", ";
    }
    comma = "";
    text_add(to, "], \"fixes\": [");
    for (int i = 0; i < d->fixes.count; i++) {
        if (!d->fixes.items[i].is_edit)
            continue;
        text_add(to, "%s", comma);
        print_sarif_fix(c, d, &d->fixes.items[i], to);
        comma = ", ";
    }
    text_add(to, "]}");
}

static void
begin_sarif(Sarif *sarif, Text *to)
{
    if (!sarif->begun)
        text_add(to,
                 "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": "
                 "\"2.1.0\", \"runs\": [{\n"
                 "  \"tool\": {\"driver\": {\"name\": \"snlc\", \"version\": \"" PACKAGE_VERSION
                 "\"}},\n"
                 "  \"columnKind\": \"unicodeCodePoints\",\n  \"results\": [");
    sarif->begun = true;
}

void
diag_end_sarif(Sarif *sarif, Arena *a, FILE *to)
{
    Text t;
    text_init(&t, a);
    begin_sarif(sarif, &t);
    text_add(&t, "]\n}]}\n");
    fwrite(t.data, 1, t.count, to);
}

static int
compare_places(const void *a, const void *b)
{
    const Diag *x = *(Diag *const *)a, *y = *(Diag *const *)b;
    if (x->at.from != y->at.from)
        return x->at.from < y->at.from ? -1 : 1;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return x->at.to < y->at.to ? -1 : x->at.to > y->at.to;
}

static int
count_errors(const Compile *c)
{
    int count = 0;
    for (int i = 0; i < c->diags.count; i++)
        count += c->diags.items[i]->severity == DIAG_ERROR;
    return count;
}

/* The last line of a text with errors: "2 errors, 1 warning". */
static void
print_count(const Compile *c, Text *to)
{
    const int warnings = c->diags.count - count_errors(c);
    text_add(to, "%d error%s", c->error_count, c->error_count == 1 ? "" : "s");
    if (c->too_many)
        text_add(to, ", of which %d are shown", count_errors(c));
    if (warnings)
        text_add(to, ", %d warning%s", warnings, warnings == 1 ? "" : "s");
    text_add(to, "\n");
}

void
diag_print_all(const Compile *c, FILE *to, DiagFormat format, bool colour, Sarif *sarif)
{
    Text t;
    text_init(&t, c->arena);
    if (c->diags.count)
        qsort(c->diags.items, (size_t)c->diags.count, sizeof *c->diags.items, compare_places);
    if (format == DIAGS_SARIF)
        begin_sarif(sarif, &t);
    for (int i = 0; i < c->diags.count; i++) {
        if (format == DIAGS_SARIF) {
            text_add(&t, "%s", sarif->results++ ? "," : "");
            print_sarif_result(c, c->diags.items[i], &t);
        } else if (format == DIAGS_JSON)
            print_json(c, c->diags.items[i], &t);
        else
            print_text(c, c->diags.items[i], &t, colour);
    }
    if (format == DIAGS_TEXT && c->error_count)
        print_count(c, &t);
    size_t bytes = t.count; /* text_end empties it */
    fwrite(text_end(&t), 1, bytes, to);
}
