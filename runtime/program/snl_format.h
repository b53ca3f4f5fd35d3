/* snl_format.h - the text of print, assert and format(): format strings and the values in them.
 *
 * Format strings are Python's: literal text, "{{" and "}}", and conversions
 *     { [argument] [: [[fill]align][sign][#][0][width][.precision][type]] }
 * with align one of < > ^ =, sign one of + - space, type one of d x X o b c (integers),
 * e E f F g G % (floats), s (strings).  The compiler checks them with snl_format_parse and
 * snl_format_spec_error; the run-time functions parse the same string again.
 *
 * An SnlText owns its characters: start it with SNL_TEXT_EMPTY, end it with snl_text_free.  When
 * memory runs out it keeps what it holds, sets failed and ignores what follows.
 */
#ifndef SNL_PROGRAM_SNL_FORMAT_H
#define SNL_PROGRAM_SNL_FORMAT_H

#include <stdarg.h>

#include "../snl_api.h"
#include "../math/snl_scalar.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tag of an argument that is a string (const char *, ends in 0). */
enum { SNL_STRING = SNL_SCALAR_COUNT };

/* One argument: rows = cols = 0 is a scalar, rows = n, cols = 0 a vector, else a matrix; data are
 * its components in order, for a string its characters. */
typedef struct {
    int tag;
    int rows, cols;
    const void *data;
} SnlArg;

/* What stands after the colon of a conversion. */
typedef struct {
    char fill[5];               /* one UTF-8 character, ends in 0; "" is a space */
    char align;                 /* < > ^ = or 0 */
    char sign;                  /* + space - or 0 */
    bool alternate;             /* # */
    bool zero;                  /* 0 before the width */
    int width;                  /* 0: none */
    int precision;              /* -1: none */
    char type;                  /* the letter, or 0 */
} SnlSpec;

/* A piece of a format string: literal text where argument is -1, else a conversion. */
typedef struct {
    const char *text;           /* points into the format string */
    size_t bytes;
    int argument;
    SnlSpec spec;
} SnlFormatPiece;

/* What is wrong with a format string, and the byte where. */
typedef struct {
    size_t at;
    const char *message;
    size_t bytes;               /* of the character there, for messages that end with it; else 0 */
} SnlFormatError;

/* A growing text. */
typedef struct {
    char *data;                 /* ends in 0; NULL while nothing was written */
    size_t bytes, capacity;
    bool failed;                /* out of memory */
} SnlText;

#define SNL_TEXT_EMPTY { NULL, 0, 0, false }

/* Splits a format string of n bytes into pieces.  Returns how many there are, of which the first
 * max are written, or -1 with *error set. */
int snl_format_parse(const char *format, size_t n, SnlFormatPiece *pieces, int max,
                     SnlFormatError *error);

/* NULL if values of the type (a scalar tag or SNL_STRING) can be written so, else what is wrong. */
const char *snl_format_spec_error(const SnlSpec *spec, int tag);

/* True if values of the type can be written so. */
bool snl_format_spec_accepts(const SnlSpec *spec, int tag);

/* Releases the characters; the text is empty after it. */
void snl_text_free(SnlText *t);

/* The characters written so far, never NULL. */
const char *snl_text_chars(const SnlText *t);

/* Are two strings equal? */
bool snl_same_text(const char *a, const char *b);

/* Appends n bytes. */
void snl_text_bytes(SnlText *t, const char *s, size_t n);

/* Appends a string. */
void snl_text_string(SnlText *t, const char *s);

/* Makes it a text that can end in 0: the replacement character stands where it has a NUL. */
void snl_text_end_in_zero(SnlText *t);

/* Appends a value: a scalar, vector, matrix or string as in SnlArg. */
void snl_format_value(SnlText *t, const SnlSpec *spec, int tag, int rows, int cols,
                      const void *data);

/* Appends the format string with its arguments put in. */
void snl_format_text(SnlText *t, const char *format, int count, const SnlArg *args);

/* As vsnprintf; a text that is too long ends in "...", and in no part of a character. */
void snl_format_message(char *text, size_t room, const char *format, va_list values);

/* Hands one line to the sink in one call, so that lines of threads do not mix. False without
 * memory: then nothing is printed. */
bool snl_print_to(SnlPrintSink sink, void *context, const char *format, int count,
                  const SnlArg *args);

#ifdef __cplusplus
}
#endif

#endif
