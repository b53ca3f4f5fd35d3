/* The indenting output buffer. */
#include "config.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
text_init(Text *t, Arena *a)
{
    *t = (Text){.arena = a, .line_number = 1};
}

static void
reserve(Text *t, size_t more)
{
    if (t->room - t->count > more)
        return;
    size_t room = t->room ? t->room * 2 : 256;
    while (room - t->count <= more)
        room *= 2;
    char *data = arena_alloc(t->arena, room);
    if (t->count)
        memcpy(data, t->data, t->count);
    t->data = data;
    t->room = room;
}

void
text_raw(Text *t, const char *s, size_t n)
{
    reserve(t, n);
    memcpy(t->data + t->count, s, n);
    t->count += n;
    t->data[t->count] = 0;
    for (size_t i = 0; i < n; i++)
        t->line_number += s[i] == '\n';
}

static void
add_format(Text *t, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    char small[512];
    int n = vsnprintf(small, sizeof small, fmt, ap);
    if (n < (int)sizeof small)
        text_raw(t, small, n < 0 ? 0 : (size_t)n);
    else {
        char *big = arena_alloc(t->arena, (size_t)n + 1);
        vsnprintf(big, (size_t)n + 1, fmt, again);
        text_raw(t, big, (size_t)n);
    }
    va_end(again);
}

static void
start_line(Text *t)
{
    if (t->count && t->data[t->count - 1] != '\n')
        return;
    for (int i = 0; i < t->indent; i++)
        text_raw(t, "    ", 4);
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
    text_raw(t, "\n", 1);
}

void
text_flush_left(Text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_format(t, fmt, ap);
    va_end(ap);
    text_raw(t, "\n", 1);
}

void
text_open(Text *t, const char *fmt, ...)
{
    start_line(t);
    va_list ap;
    va_start(ap, fmt);
    add_format(t, fmt, ap);
    va_end(ap);
    text_raw(t, "\n", 1);
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
    text_raw(t, "\n", 1);
}

void
text_newline(Text *t)
{
    text_raw(t, "\n", 1);
}
