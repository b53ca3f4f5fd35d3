/* Text: an indenting output buffer. Everything that is printed for people or compilers (C, IR,
 * trees) is written through it. */
#ifndef SNL_BASE_TEXT_H
#define SNL_BASE_TEXT_H

#include "base/arena.h"

typedef struct {
    Arena *arena;
    char *data; /* NUL-terminated */
    size_t count, room;
    int indent;     /* levels of four spaces */
    size_t counted; /* the first bytes, whose line breaks are counted, */
    int breaks;     /* and their number */
    void (*drain)(void *to, const char *s, size_t n); /* takes whole lines of a long text from its
                                                       * start; NULL: all stay */
    void *to;
} Text;

/* Initialises an empty buffer. */
void text_init(Text *t, Arena *a);
/* Gives its memory back to the arena; it is empty then. */
void text_free(Text *t);
/* Ends a buffer: its text as a string, the rest of its memory given back. */
char *text_end(Text *t);
/* Appends formatted text to the current line; indentation is written at the start of a line. */
void text_add(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One whole line, indented. */
void text_line(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One whole line at column 0 (preprocessor lines, labels). */
void text_flush_left(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One line, then one level deeper. */
void text_open(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One level up, then one line. */
void text_close(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Ends the current line. */
void text_newline(Text *t);
/* Number of the line that is being written, from 1. */
int text_line_number(Text *t);
/* Takes back all but the first n bytes. */
void text_cut(Text *t, size_t n);
/* Appends a string as JSON writes it, in quotes; as XML writes it, without control characters.
 * Bytes that are no UTF-8 become U+FFFD. */
void text_json(Text *t, const char *s);
void text_xml(Text *t, const char *s);
/* Appends raw bytes as they are, no indentation. */
void text_raw(Text *t, const char *s, size_t n);

#endif
