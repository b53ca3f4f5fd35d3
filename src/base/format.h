/* Formatting: printf for program text. What programs are made of (%s %.*s %c %d %ld %lld %p %%) is
 * written here, several times faster than the C library does; formats with anything else are left
 * to the C library. */
#ifndef SNL_BASE_FORMAT_H
#define SNL_BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* Writes at most `room` bytes, the NUL included, as vsnprintf does. Returns the length of the whole
 * text. */
size_t format_text(char *to, size_t room, const char *fmt, va_list ap);

#endif
