/* snl_format_parse.c - format strings: splitting them and checking their conversions. */
#include "snl_format.h"

enum { WIDTH_MAX = 9999, PRECISION_MAX = 999, ARGUMENT_MAX = 9999 };

/* A format string being read. */
typedef struct {
    const char *text;
    size_t at, end;
    int next;                   /* argument of the next "{}"; -1 once a numbered one was seen */
    bool automatic;             /* a "{}" was seen */
    SnlFormatError *error;
} Reader;

/* Notes an error at a byte; returns false. */
static bool
fail(Reader *r, size_t at, const char *message)
{
    if (r->error) {
        r->error->at = at;
        r->error->message = message;
        r->error->bytes = 0;
    }
    return false;
}

/* The character at a distance from where the reader is, 0 past the end. */
static char
peek(const Reader *r, size_t ahead)
{
    return r->at + ahead < r->end ? r->text[r->at + ahead] : '\0';
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_align(char c)
{
    return c == '<' || c == '>' || c == '^' || c == '=';
}

/* Reads digits into *value. */
static bool
read_number(Reader *r, int max, int *value, const char *too_large)
{
    size_t start = r->at;
    int v = 0;
    for (; is_digit(peek(r, 0)); r->at++) {
        v = v * 10 + (peek(r, 0) - '0');
        if (v > max)
            return fail(r, start, too_large);
    }
    *value = v;
    return true;
}

/* Bytes of the UTF-8 character that starts with c. */
static size_t
char_bytes(char c)
{
    unsigned char u = (unsigned char)c;
    return u < 0x80 ? 1 : u < 0xe0 ? 2 : u < 0xf0 ? 3 : 4;
}

/* Notes an error about the next character; returns false. */
static bool
fail_character(Reader *r, const char *message)
{
    size_t bytes = char_bytes(peek(r, 0));
    fail(r, r->at, message);
    if (r->error)
        r->error->bytes = bytes < r->end - r->at ? bytes : r->end - r->at;
    return false;
}

static void
read_align(Reader *r, SnlSpec *spec)
{
    size_t n = char_bytes(peek(r, 0));
    if (r->at + n < r->end && is_align(peek(r, n))) {
        for (size_t k = 0; k < n; k++)
            spec->fill[k] = peek(r, k);
        spec->align = peek(r, n);
        r->at += n + 1;
    } else if (is_align(peek(r, 0))) {
        spec->align = peek(r, 0);
        r->at++;
    }
}

/* Reads what stands between the colon and the closing brace. */
static bool
read_spec(Reader *r, SnlSpec *spec)
{
    read_align(r, spec);
    if (peek(r, 0) == '+' || peek(r, 0) == '-' || peek(r, 0) == ' ')
        spec->sign = r->text[r->at++];
    if (peek(r, 0) == '#') {
        spec->alternate = true;
        r->at++;
    }
    if (peek(r, 0) == '0') {
        spec->zero = true;
        r->at++;
    }
    if (!read_number(r, WIDTH_MAX, &spec->width, "the width is too large"))
        return false;
    if (peek(r, 0) == '.') {
        r->at++;
        if (!is_digit(peek(r, 0)))
            return fail(r, r->at, "digits are expected after '.'");
        if (!read_number(r, PRECISION_MAX, &spec->precision, "the precision is too large"))
            return false;
    }
    if (r->at < r->end && peek(r, 0) != '}') {
        if (!strchr("dxXobceEfFgG%s", peek(r, 0)))
            return fail_character(r, "unknown conversion");
        spec->type = r->text[r->at++];
    }
    return true;
}

/* Reads the argument number, or takes the next one. */
static bool
read_argument(Reader *r, int *argument)
{
    static const char mixed[] = "numbered and unnumbered conversions do not mix";
    if (is_digit(peek(r, 0))) {
        if (r->automatic)
            return fail(r, r->at, mixed);
        r->next = -1;
        return read_number(r, ARGUMENT_MAX, argument, "the argument number is too large");
    }
    if (r->next < 0)
        return fail(r, r->at, mixed);
    r->automatic = true;
    *argument = r->next++;
    return true;
}

/* Reads a conversion; the reader stands after its opening brace. */
static bool
read_conversion(Reader *r, SnlFormatPiece *piece)
{
    size_t open = r->at - 1;
    memset(piece, 0, sizeof *piece);
    piece->text = r->text + open;
    piece->spec.precision = -1;
    if (!read_argument(r, &piece->argument))
        return false;
    if (peek(r, 0) == ':') {
        r->at++;
        if (!read_spec(r, &piece->spec))
            return false;
    }
    if (r->at >= r->end)
        return fail(r, open, "'{' is not closed; write '{{' for a brace");
    if (peek(r, 0) != '}')
        return fail(r, r->at,
                    "'}' is expected: braces hold the number of a value and its format, as in {} "
                    "or {0:.3f}");
    r->at++;
    piece->bytes = r->at - open;
    return true;
}

/* Reads literal text; of a doubled brace the first belongs to it, the second is skipped. */
static bool
read_literal(Reader *r, SnlFormatPiece *piece)
{
    size_t start = r->at;
    memset(piece, 0, sizeof *piece);
    piece->argument = -1;
    piece->text = r->text + start;
    while (r->at < r->end && peek(r, 0) != '{' && peek(r, 0) != '}')
        r->at++;
    piece->bytes = r->at - start;
    if (r->at < r->end && peek(r, 0) == peek(r, 1)) {
        piece->bytes++;
        r->at += 2;
    } else if (peek(r, 0) == '}') {
        return fail(r, r->at, "'}' without '{'; write '}}' for a brace");
    }
    return true;
}

int
snl_format_parse(const char *format, size_t n, SnlFormatPiece *pieces, int max,
                 SnlFormatError *error)
{
    Reader r = { format, 0, n, 0, false, error };
    int count = 0;
    while (r.at < r.end) {
        SnlFormatPiece piece;
        bool good;
        if (peek(&r, 0) == '{' && peek(&r, 1) != '{') {
            r.at++;
            good = read_conversion(&r, &piece);
        } else {
            good = read_literal(&r, &piece);
        }
        if (!good)
            return -1;
        if (count < max)
            pieces[count] = piece;
        count++;
    }
    return count;
}

static const char *
string_error(const SnlSpec *spec)
{
    if (spec->type && spec->type != 's')
        return "a string takes '{}' or '{:s}'";
    if (spec->sign || spec->alternate || spec->align == '=')
        return "a sign, '#' or '=' is for numbers";
    return NULL;
}

const char *
snl_format_spec_error(const SnlSpec *spec, int tag)
{
    if (tag == SNL_STRING || (tag == SNL_BOOL && (!spec->type || spec->type == 's')))
        return string_error(spec);
    if (spec->type == 's')
        return "'s' is for strings";
    if (snl_scalar_is_float(tag)) {
        if (spec->type && !strchr("eEfFgG%", spec->type))
            return "this conversion is for integers; a float takes e, f, g or %";
        return NULL;
    }
    if (spec->type && !strchr("dxXobc", spec->type))
        return "this conversion is for floats; an integer takes d, x, o, b or c";
    if (spec->precision >= 0)
        return "an integer has no precision";
    if (spec->type == 'c' && (spec->sign || spec->alternate))
        return "a sign or '#' is for numbers";
    return NULL;
}

bool
snl_format_spec_accepts(const SnlSpec *spec, int tag)
{
    return snl_format_spec_error(spec, tag) == NULL;
}
