/* The indenting output buffer. */
#include "config.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"

enum { DRAINED = 1 << 20 };

void
text_init(Text *t, Arena *a)
{
    *t = (Text){.arena = a};
}

void
text_free(Text *t)
{
    if (t->room)
        arena_release(t->arena, t->data, t->room);
    text_init(t, t->arena);
}

char *
text_end(Text *t)
{
    char *s = arena_strndup(t->arena, t->count ? t->data : "", t->count);
    text_free(t);
    return s;
}

static int
count_breaks(const char *s, const char *end)
{
    int n = 0;
    for (; (s = memchr(s, '\n', (size_t)(end - s))); s++)
        n++;
    return n;
}

static void
drain_lines(Text *t)
{
    const char *last = memrchr(t->data, '\n', t->count);
    size_t n = last ? (size_t)(last + 1 - t->data) : 0;
    if (!n)
        return;
    text_line_number(t); /* counts the breaks */
    t->drain(t->to, t->data, n);
    t->count = t->counted -= n;
    memmove(t->data, t->data + n, t->count + 1);
}

static void
reserve(Text *t, size_t more)
{
    if (t->drain && t->count >= DRAINED)
        drain_lines(t);
    if (t->room - t->count > more)
        return;
    size_t room = t->room ? t->room * 2 : 256;
    while (room - t->count <= more)
        room *= 2;
    t->data = arena_resize(t->arena, t->data, t->room, room);
    t->room = room;
}

void
text_raw(Text *t, const char *s, size_t n)
{
    size_t part;
    do {
        part = t->drain && n > DRAINED ? DRAINED : n;
        reserve(t, part);
        memcpy(t->data + t->count, s, part);
        t->count += part;
        t->data[t->count] = 0;
        s += part;
    } while (n -= part);
}

static void
add_char(Text *t, char c, size_t n)
{
    reserve(t, n);
    memset(t->data + t->count, c, n);
    t->count += n;
    t->data[t->count] = 0;
}

static void
add_format(Text *t, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    reserve(t, 1);
    size_t room = t->room - t->count, n = format_text(t->data + t->count, room, fmt, ap);
    if (n >= room) {
        reserve(t, n);
        format_text(t->data + t->count, n + 1, fmt, again);
    }
    t->count += n;
    va_end(again);
}

static void
start_line(Text *t)
{
    if (t->indent && (!t->count || t->data[t->count - 1] == '\n'))
        add_char(t, ' ', 4 * (size_t)t->indent);
}

void
text_add(Text *t, const char *fmt, ...)
{
    if (fmt[0] != '\n')
        start_line(t);
    va_list ap;
    va_start(ap, fmt);
    add_format(t, fmt, ap);
    va_end(ap);
}

void
text_line(Text *t, const char *fmt, ...)
{
    start_line(t);
    va_list ap;
    va_start(ap, fmt);
    add_format(t, fmt, ap);
    va_end(ap);
    add_char(t, '\n', 1);
}

void
text_flush_left(Text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_format(t, fmt, ap);
    va_end(ap);
    add_char(t, '\n', 1);
}

void
text_open(Text *t, const char *fmt, ...)
{
    start_line(t);
    va_list ap;
    va_start(ap, fmt);
    add_format(t, fmt, ap);
    va_end(ap);
    add_char(t, '\n', 1);
    t->indent++;
}

void
text_close(Text *t, const char *fmt, ...)
{
    t->indent--;
    start_line(t);
    va_list ap;
    va_start(ap, fmt);
    add_format(t, fmt, ap);
    va_end(ap);
    add_char(t, '\n', 1);
}

void
text_newline(Text *t)
{
    add_char(t, '\n', 1);
}

int
text_line_number(Text *t)
{
    if (t->counted < t->count)
        t->breaks += count_breaks(t->data + t->counted, t->data + t->count);
    t->counted = t->count;
    return t->breaks + 1;
}

void
text_cut(Text *t, size_t n)
{
    if (n < t->counted) {
        t->breaks -= count_breaks(t->data + n, t->data + t->counted);
        t->counted = n;
    }
    t->count = n;
    if (t->data)
        t->data[n] = 0;
}

/* Length of the valid UTF-8 sequence at s, 0 when there is none: no code has two, and surrogates
 * have none. */
static size_t
utf8_length(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    const size_t n = u[0] < 0x80                   ? 1
                     : u[0] >= 0xc2 && u[0] < 0xe0 ? 2
                     : u[0] >= 0xe0 && u[0] < 0xf0 ? 3
                     : u[0] >= 0xf0 && u[0] < 0xf5 ? 4
                                                   : 0;
    for (size_t i = 1; i < n; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    const bool is_wrong = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] >= 0xa0) ||
                          (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] >= 0x90);
    return is_wrong ? 0 : n;
}

void
text_json(Text *t, const char *s)
{
    text_add(t, "\"");
    for (size_t n; *s; s += n ? n : 1) {
        char code[8];
        n = utf8_length(s);
        if (!n) {
            text_raw(t, "\\ufffd", 6);
        } else if ((unsigned char)*s < 0x20) {
            snprintf(code, sizeof code, "\\u%04x", (unsigned)*s);
            text_raw(t, code, 6);
        } else {
            if (*s == '"' || *s == '\\')
                text_raw(t, "\\", 1);
            text_raw(t, s, n);
        }
    }
    text_raw(t, "\"", 1);
}

void
text_xml(Text *t, const char *s)
{
    for (size_t n; *s; s += n ? n : 1) {
        n = utf8_length(s);
        /* U+FFFE and U+FFFF are no characters of XML */
        const bool is_none = !n || !strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3);
        const char *word = *s == '<'   ? "&lt;"
                           : *s == '>' ? "&gt;"
                           : *s == '&' ? "&amp;"
                           : *s == '"' ? "&quot;"
                           : is_none   ? "\xef\xbf\xbd"
                                       : NULL;
        if (word)
            text_raw(t, word, strlen(word));
        else if ((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t')
            text_raw(t, s, n);
    }
}
