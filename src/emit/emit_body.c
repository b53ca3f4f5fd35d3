/* The start of a function depends on what its statements mention: they are written first, into a text of their own. What is declared
 * and mentioned nowhere else is left out, and parameters that are mentioned nowhere are cast to void. All variables of a function have
 * names of their own, so to be mentioned is to be used. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "emit/inside.h"

void
body_begin(Emit *e, Body *b)
{
    *b = (Body){.outer = e->out};
    map_init(&b->seen, e->c->arena);
    text_init(&b->text, e->c->arena);
    b->text.indent = e->out->indent;
    e->out = &b->text;
    e->file = NULL;
    e->body = b;
}

void
body_declare(Emit *e, const char *name, const char *line)
{
    Body *b = e->body;
    const char *key = intern_str(e->c->intern, name);
    if (map_get(&b->seen, key))
        return;
    map_put(&b->seen, key, b);
    vec_push(e->c->arena, &b->starts, ((Start){.name = key, .line = line}));
}

void
body_parameter(Emit *e, const char *name)
{
    body_declare(e, name, NULL);
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
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

/* Notes the identifiers of C text that are no members. */
static void
note_words(Emit *e, Map *words, const char *text, const char *end)
{
    for (const char *s = text; s < end;) {
        const char *next = skip_text(s);
        if (next != s) {
            s = next;
            continue;
        }
        bool member = *s == '.' || (*s == '-' && s[1] == '>');
        if (member)
            s += *s == '.' ? 1 : 2;
        const char *word = s;
        while (is_word(*s))
            s++;
        if (s > word && !member)
            map_put(words, intern_strn(e->c->intern, word, (size_t)(s - word)), e);
        else if (s == word && !member)
            s++;
    }
}

/* A line of the statements; those of body_maybe start with MARK, name, MARK. */
typedef struct {
    const char *name, *from, *to; /* name: NULL for a line that stays */
} Line;

enum { MARK = 1 };

void
body_maybe(Emit *e, const char *name, const char *line)
{
    Text *t = e->out;
    int indent = t->indent;
    t->indent = 0;
    text_add(t, "%c%s%c", MARK, name, MARK);
    for (int i = 0; i < indent; i++)
        text_add(t, "    ");
    text_add(t, "%s\n", line);
    t->indent = indent;
    e->file = NULL; /* the numbers of the lines that follow are not known */
}

static Line
line_at(Emit *e, const char *s)
{
    const char *end = strchr(s, '\n'), *name = NULL;
    end = end ? end + 1 : s + strlen(s);
    if (*s == MARK) {
        const char *mark = strchr(s + 1, MARK);
        name = intern_strn(e->c->intern, s + 1, (size_t)(mark - s - 1));
        s = mark + 1;
    }
    return (Line){name, s, end};
}

void
body_end(Emit *e, Body *b)
{
    Map words;
    VEC(Line) lines = {0};
    map_init(&words, e->c->arena);
    for (const char *s = b->text.data; s && *s;) {
        Line line = line_at(e, s);
        vec_push(e->c->arena, &lines, line);
        if (!line.name)
            note_words(e, &words, line.from, line.to);
        s = line.to;
    }
    for (int i = lines.count - 1; i >= 0; i--) { /* one declaration may need those before it */
        Line *line = &lines.items[i];
        if (line->name && map_get(&words, line->name))
            note_words(e, &words, line->from, line->to);
        else if (line->name)
            line->to = line->from;
    }
    for (int i = b->starts.count - 1; i >= 0; i--) {
        Start *s = &b->starts.items[i];
        s->mentioned = map_get(&words, s->name);
        if (s->mentioned && s->line)
            note_words(e, &words, s->line, s->line + strlen(s->line));
    }
    e->out = b->outer;
    for (int i = 0; i < b->starts.count; i++) {
        const Start *s = &b->starts.items[i];
        if (s->line && s->mentioned)
            text_line(e->out, "%s", s->line);
        else if (!s->line && !s->mentioned)
            text_line(e->out, "(void)%s;", s->name);
    }
    for (int i = 0; i < lines.count; i++)
        text_raw(e->out, lines.items[i].from, (size_t)(lines.items[i].to - lines.items[i].from));
    e->file = NULL;
    e->body = NULL;
}
