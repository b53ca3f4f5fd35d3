/* The start of a function depends on what its statements mention: they are written first, into a text of their own. What is declared
 * at the start and mentioned nowhere is left out, and parameters that are mentioned nowhere are cast to void. */
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
note_words(Emit *e, Map *words, const char *text)
{
    for (const char *s = text; s && *s;) {
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

void
body_end(Emit *e, Body *b)
{
    Map words;
    map_init(&words, e->c->arena);
    note_words(e, &words, b->text.data);
    for (int i = b->starts.count - 1; i >= 0; i--) { /* one declaration may need those before it */
        Start *s = &b->starts.items[i];
        s->mentioned = map_get(&words, s->name);
        if (s->mentioned && s->line)
            note_words(e, &words, s->line);
    }
    e->out = b->outer;
    for (int i = 0; i < b->starts.count; i++) {
        const Start *s = &b->starts.items[i];
        if (s->line && s->mentioned)
            text_line(e->out, "%s", s->line);
        else if (!s->line && !s->mentioned)
            text_line(e->out, "(void)%s;", s->name);
    }
    if (b->text.count)
        text_raw(e->out, b->text.data, b->text.count);
    e->file = NULL;
    e->body = NULL;
}
