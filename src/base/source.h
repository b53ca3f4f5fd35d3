/* Sources: the text of every file read, laid end to end in one position space. A Span is two
 * positions; file, line and column are computed only when something is printed. */
#ifndef SNL_BASE_SOURCE_H
#define SNL_BASE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

typedef struct {
    uint32_t from, to; /* half open; 0,0 = nowhere */
} Span;

typedef struct {
    const char *path;     /* as shown to the user */
    const char *real;     /* canonical path, identity of the file for imports; NULL for text from
                           * memory */
    const char *text;     /* NUL-terminated copy */
    uint32_t base, bytes; /* position of the first byte */
    uint32_t *line_from;  /* offset of the first byte of each line */
    int line_count;
    const char *library;  /* of the standard library: the name that imports have; else NULL */
    bool lone_returns;    /* it has carriage returns without a newline, blanks here, but ends of
                           * lines for editors */
} Source;

/* Text that stands for a file which an editor has changed and not saved. */
typedef struct {
    const char *path; /* canonical, or as the file is asked for */
    const char *text;
    size_t bytes;
} Overlay;

typedef struct {
    Arena *arena;
    VEC(Source *) files;
    VEC(Overlay) overlays;
    uint32_t next_base;
} Sources;

/* Initialises; position 0 is no file. */
void sources_init(Sources *s, Arena *a);
/* Reads a file whole. NULL with errno set when it cannot be read (EFBIG over 1 GiB). */
Source *source_read(Sources *s, const char *path);
/* From now on, reading the file gives this text, which must live as long as the sources. */
void source_overlay(Sources *s, const char *path, const char *text, size_t bytes);
/* Adds text from memory under a name. */
Source *source_add(Sources *s, const char *path, const char *text, size_t bytes);
/* The file a position lies in, or NULL for no position. */
const Source *source_find(const Sources *s, uint32_t pos);
/* 1-based line and column (in bytes) of a position. */
void source_position(const Source *f, uint32_t pos, int *line, int *column);
/* Line `n` (1-based) without its end; *bytes gets its length. */
const char *source_line(const Source *f, int n, int *bytes);
/* The span from the start of a to the end of b. */
static inline Span
span_join(Span a, Span b)
{
    if (!a.from)
        return b;
    if (!b.from)
        return a;
    return (Span){a.from < b.from ? a.from : b.from, a.to > b.to ? a.to : b.to};
}

/* 1-based line of the start of a span, 0 for nowhere. */
int span_line(const Sources *s, Span span);
/* Path of the file of a span, "" for nowhere; of the library, the name that imports have. */
const char *span_path(const Sources *s, Span span);

#endif
