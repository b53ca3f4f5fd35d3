/* Declares at the start of a function what its statements mention. The statements are written
 * first, into a text of their own. What they mention nowhere is left out, and parameters that they
 * mention nowhere are cast to void. All variables of a function have names of their own, so to be
 * mentioned is to be used. */
#include "config.h"

#include <string.h>

#include "emit/code/code.h"

void
declarations_begin(Emit *e, Body *b)
{
    *b = (Body){.outer = e->out};
    map_init(&b->watched, e->c->arena);
    map_init(&b->values, e->c->arena);
    text_init(&b->text, e->c->arena);
    text_raw(&b->text, "", 0);
    b->text.indent = e->out->indent;
    e->out = &b->text;
    e->fn.check_to = 0;
    e->fn.body = b;
}

/* Tells most words from most others by a look at both ends. */
static unsigned char
word_hash(const char *word, size_t n)
{
    return (unsigned char)(word[0] * 5u + word[n - 1] * 33u + n * 129u);
}

/* The flag of a name that is asked for: set when it is mentioned. */
static bool *
watch(Emit *e, Body *b, const char *name)
{
    bool *mentioned = map_get(&b->watched, name);
    if (!mentioned) {
        mentioned = ARENA_NEW(e->c->arena, bool);
        b->likely[word_hash(name, strlen(name))] = true;
        map_put(&b->watched, name, mentioned);
    }
    return mentioned;
}

bool
declarations_has(const Emit *e, const char *name)
{
    const char *key = intern_find(e->c->intern, name, strlen(name));
    return key && map_get(&e->fn.body->watched, key);
}

void
declarations_add(Emit *e, const char *name, const char *line)
{
    Body *b = e->fn.body;
    const char *key = intern_str(e->c->intern, name);
    if (!map_get(&b->watched, key))
        vec_push(e->c->arena, &b->starts,
                 ((Start){.name = key, .line = line, .mentioned = watch(e, b, key)}));
}

void
declarations_parameter(Emit *e, const char *name)
{
    declarations_add(e, name, NULL);
}

/* The end of the literal or comment that starts at s, or s. */
static const char *
skip_text(const char *s)
{
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? end + 2 : s + strlen(s);
    }
    if (*s != '"')
        return s;
    for (s++; *s && *s != '"'; s++)
        if (*s == '\\' && s[1])
            s++;
    return *s ? s + 1 : s;
}

static bool
is_member(const char *text, const char *word)
{
    return (word - text >= 1 && word[-1] == '.') ||
           (word - text >= 2 && word[-2] == '-' && word[-1] == '>');
}

/* Sets the flags of the identifiers of C text that are no members. */
static void
note_words(Emit *e, const Body *b, const char *text, const char *end)
{
    const bool *in_words = e->names->in_words;
    for (const char *s = text; s < end;) {
        if (!in_words[(unsigned char)*s]) {
            const char *next = skip_text(s);
            s = next == s ? s + 1 : next;
            continue;
        }
        const char *word = s++;
        while (in_words[(unsigned char)*s])
            s++;
        size_t n = (size_t)(s - word);
        if (!b->likely[word_hash(word, n)] || is_member(text, word))
            continue;
        const char *name = intern_find(e->c->intern, word, n);
        bool *mentioned = name ? map_get(&b->watched, name) : NULL;
        if (mentioned)
            *mentioned = true;
    }
}

enum { MARK = 1 };

void
declarations_maybe(Emit *e, const char *name, const char *line)
{
    Text *t = e->out;
    int indent = t->indent;
    t->indent = 0;
    text_add(t, "%c%s%c", MARK, name, MARK);
    for (int i = 0; i < indent; i++)
        text_add(t, "    ");
    text_add(t, "%s\n", line);
    t->indent = indent;
}

/* A line of declarations_maybe: from its first mark to the next line. */
typedef struct {
    const char *from, *text, *to;
    bool *mentioned, stays;
} Line;
typedef VEC(Line) Lines;

static Lines
marked_lines(Emit *e, Body *b)
{
    Lines lines = {0};
    for (const char *s = b->text.data; s && (s = strchr(s, MARK));) {
        Line line = {.from = s, .text = strchr(s + 1, MARK) + 1};
        line.mentioned = watch(e, b, intern_strn(e->c->intern, s + 1, (size_t)(line.text - s - 2)));
        s = line.to = strchr(line.text, '\n') + 1;
        vec_push(e->c->arena, &lines, line);
    }
    return lines;
}

/* Finds out what stays: what is mentioned in what stays. One declaration may need those before
 * it. */
static void
find_mentioned(Emit *e, Body *b, Lines *lines)
{
    const char *s = b->text.data;
    for (int i = 0; i < lines->count; s = lines->items[i++].to)
        note_words(e, b, s, lines->items[i].from);
    note_words(e, b, s, b->text.data + b->text.count);
    for (int i = lines->count - 1; i >= 0; i--) {
        Line *line = &lines->items[i];
        line->stays = *line->mentioned;
        if (line->stays)
            note_words(e, b, line->text, line->to);
    }
    for (int i = b->starts.count - 1; i >= 0; i--) {
        const Start *start = &b->starts.items[i];
        if (start->line && *start->mentioned)
            note_words(e, b, start->line, start->line + strlen(start->line));
    }
}

static void
append(Text *out, const char *from, const char *to)
{
    if (from < to)
        text_raw(out, from, (size_t)(to - from));
}

void
declarations_end(Emit *e, Body *b)
{
    Lines lines = marked_lines(e, b);
    const char *s = b->text.data;
    find_mentioned(e, b, &lines);
    e->out = b->outer;
    for (int i = 0; i < b->starts.count; i++) {
        const Start *start = &b->starts.items[i];
        if (start->line && *start->mentioned)
            text_line(e->out, "%s", start->line);
        else if (!start->line && !*start->mentioned)
            text_line(e->out, "(void)%s;", start->name);
    }
    for (int i = 0; i < lines.count; i++) {
        const Line *line = &lines.items[i];
        append(e->out, s, line->from);
        if (line->stays)
            append(e->out, line->text, line->to);
        s = line->to;
    }
    append(e->out, s, b->text.data + b->text.count);
    text_free(&b->text);
    e->fn.check_to = 0;
    e->fn.body = NULL;
}
