/* The formats of program text. */
#include "config.h"

#include "base/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char *to;
    size_t room, length; /* length of the whole text, which may be more than there is room for */
} Sink;

static void
put(Sink *s, const char *text, size_t n)
{
    if (s->length < s->room) {
        size_t left = s->room - s->length;
        memcpy(s->to + s->length, text, n < left ? n : left);
    }
    s->length += n;
}

static void
put_integer(Sink *s, long long value)
{
    char digits[24], *d = digits + sizeof digits;
    unsigned long long left = value < 0 ? -(unsigned long long)value : (unsigned long long)value;
    do
        *--d = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--d = '-';
    put(s, d, (size_t)(digits + sizeof digits - d));
}

static void
put_pointer(Sink *s, const void *p)
{
    char digits[24], *d = digits + sizeof digits;
    uintptr_t left = (uintptr_t)p;
    do
        *--d = "0123456789abcdef"[left % 16];
    while (left /= 16);
    put(s, "0x", 2);
    put(s, d, (size_t)(digits + sizeof digits - d));
}

static size_t
end_text(Sink *s)
{
    if (s->room)
        s->to[s->length < s->room ? s->length : s->room - 1] = 0;
    return s->length;
}

static size_t
by_library(char *to, size_t room, const char *fmt, va_list ap)
{
    int n = vsnprintf(to, room, fmt, ap);
    return n < 0 ? 0 : (size_t)n;
}

/* Writes all conversions, or returns false at one that it does not know. */
static bool
put_all(Sink *s, const char *fmt, va_list ap)
{
    for (const char *next; *fmt; fmt = next) {
        const char *text;
        char one;
        int most;
        if (*fmt != '%') {
            next = strchrnul(fmt, '%');
            put(s, fmt, (size_t)(next - fmt));
            continue;
        }
        next = fmt + 2;
        if (fmt[1] == 's') {
            text = va_arg(ap, const char *);
            put(s, text, strlen(text));
        } else if (fmt[1] == 'd')
            put_integer(s, va_arg(ap, int));
        else if (fmt[1] == 'p')
            put_pointer(s, va_arg(ap, const void *));
        else if (fmt[1] == '%')
            put(s, "%", 1);
        else if (fmt[1] == 'c') {
            one = (char)va_arg(ap, int);
            put(s, &one, 1);
        } else if (!strncmp(fmt, "%ld", 3)) {
            put_integer(s, va_arg(ap, long));
            next = fmt + 3;
        } else if (!strncmp(fmt, "%lld", 4)) {
            put_integer(s, va_arg(ap, long long));
            next = fmt + 4;
        } else if (!strncmp(fmt, "%.*s", 4)) {
            most = va_arg(ap, int);
            text = va_arg(ap, const char *);
            put(s, text, most < 0 ? strlen(text) : strnlen(text, (size_t)most));
            next = fmt + 4;
        } else
            return false;
    }
    return true;
}

size_t
format_text(char *to, size_t room, const char *fmt, va_list ap)
{
    Sink s = {.to = to, .room = room};
    va_list again;
    va_copy(again, ap);
    size_t n = put_all(&s, fmt, ap) ? end_text(&s) : by_library(to, room, fmt, again);
    va_end(again);
    return n;
}
