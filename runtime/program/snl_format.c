/* snl_format.c - growing texts and the values written into them. */
#include "snl_format.h"

#include <stdio.h>
#include <stdlib.h>

#include "../core/locale_inside.h"

/* Holds every number: 309 digits before the point, 999 after it, sign, point, exponent. */
enum { NUMBER_BYTES = 1400 };

/* A number before padding. */
typedef struct {
    char sign[4];               /* sign and 0x */
    char digits[NUMBER_BYTES];
} Number;

/* ---- growing texts ---- */

void
snl_text_free(SnlText *t)
{
    free(t->data);
    memset(t, 0, sizeof *t);
}

const char *
snl_text_chars(const SnlText *t)
{
    return t->data ? t->data : "";
}

bool
snl_same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

void
snl_text_bytes(SnlText *t, const char *s, size_t n)
{
    if (t->failed)
        return;
    if (n >= SIZE_MAX / 4 - t->bytes) {
        t->failed = true;
        return;
    }
    if (t->bytes + n + 1 > t->capacity) {
        size_t capacity = t->bytes + n + 1 < 64 ? 64 : 2 * (t->bytes + n + 1);
        char *data = (char *)realloc(t->data, capacity);
        if (!data) {
            t->failed = true;
            return;
        }
        t->data = data;
        t->capacity = capacity;
    }
    memcpy(t->data + t->bytes, s, n);
    t->bytes += n;
    t->data[t->bytes] = '\0';
}

void
snl_text_string(SnlText *t, const char *s)
{
    snl_text_bytes(t, s, strlen(s));
}

void
snl_text_end_in_zero(SnlText *t)
{
    const char *s = snl_text_chars(t);
    SnlText plain = SNL_TEXT_EMPTY;
    size_t n = strlen(s);
    if (n == t->bytes)
        return;
    for (size_t at = 0;; at += n + 1, n = strlen(s + at)) {
        snl_text_bytes(&plain, s + at, n);
        if (at + n == t->bytes)
            break;
        snl_text_string(&plain, "\xef\xbf\xbd");
    }
    plain.failed = plain.failed || t->failed;
    snl_text_free(t);
    *t = plain;
}

/* ---- padding ---- */

/* Appends the fill character count times. */
static void
put_fill(SnlText *t, const SnlSpec *spec, size_t count)
{
    const char *fill = spec->fill[0] ? spec->fill : spec->zero ? "0" : " ";
    for (size_t k = 0; k < count; k++)
        snl_text_string(t, fill);
}

/* Characters of UTF-8 text. */
static size_t
count_chars(const char *s, size_t n)
{
    size_t count = 0;
    for (size_t k = 0; k < n; k++)
        count += ((unsigned char)s[k] & 0xc0) != 0x80;
    return count;
}

/* Appends prefix and text, padded to the width; otherwise says where it goes without an align. */
static void
put_padded(SnlText *t, const SnlSpec *spec, char otherwise, const char *prefix, const char *s,
           size_t n)
{
    size_t wide = strlen(prefix) + count_chars(s, n);
    size_t pad = (size_t)spec->width > wide ? (size_t)spec->width - wide : 0;
    char align = spec->align ? spec->align : otherwise;
    size_t before = align == '>' ? pad : align == '^' ? pad / 2 : 0;
    put_fill(t, spec, before);
    snl_text_string(t, prefix);
    if (align == '=')
        put_fill(t, spec, pad);
    snl_text_bytes(t, s, n);
    if (align != '=')
        put_fill(t, spec, pad - before);
}

static void
put_number(SnlText *t, const SnlSpec *spec, const Number *n)
{
    put_padded(t, spec, spec->zero ? '=' : '>', n->sign, n->digits, strlen(n->digits));
}

static void
put_string(SnlText *t, const SnlSpec *spec, const char *s)
{
    size_t n = strlen(s);
    if (spec->precision >= 0) {
        size_t chars = 0, k = 0;
        while (k < n) {
            chars += ((unsigned char)s[k] & 0xc0) != 0x80;
            if (chars > (size_t)spec->precision)
                break;
            k++;
        }
        n = k;
    }
    put_padded(t, spec, '<', "", s, n);
}

/* ---- integers ---- */

static void
set_sign(Number *n, const SnlSpec *spec, bool negative)
{
    n->sign[0] = negative ? '-' : spec->sign == '+' || spec->sign == ' ' ? spec->sign : '\0';
    n->sign[1] = '\0';
}

/* Appends the character of a code point, the replacement character where there is none. */
static void
put_code_point(SnlText *t, const SnlSpec *spec, bool negative, uint64_t code)
{
    char s[5] = { 0 };
    if (negative || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        code = 0xfffd;
    if (code < 0x80) {
        s[0] = (char)code;
    } else if (code < 0x800) {
        s[0] = (char)(0xc0 | code >> 6);
        s[1] = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        s[0] = (char)(0xe0 | code >> 12);
        s[1] = (char)(0x80 | (code >> 6 & 0x3f));
        s[2] = (char)(0x80 | (code & 0x3f));
    } else {
        s[0] = (char)(0xf0 | code >> 18);
        s[1] = (char)(0x80 | (code >> 12 & 0x3f));
        s[2] = (char)(0x80 | (code >> 6 & 0x3f));
        s[3] = (char)(0x80 | (code & 0x3f));
    }
    put_padded(t, spec, spec->zero ? '=' : '>', "", s, code ? strlen(s) : 1);
}

static void
put_integer(SnlText *t, const SnlSpec *spec, bool negative, uint64_t magnitude)
{
    Number n;
    const char *letters = spec->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char reversed[65];
    unsigned base = 10;
    int count = 0;
    if (spec->type == 'c') {
        put_code_point(t, spec, negative, magnitude);
        return;
    }
    if (spec->type == 'x' || spec->type == 'X')
        base = 16;
    else if (spec->type == 'o')
        base = 8;
    else if (spec->type == 'b')
        base = 2;
    do {
        reversed[count++] = letters[magnitude % base];
        magnitude /= base;
    } while (magnitude);
    for (int k = 0; k < count; k++)
        n.digits[k] = reversed[count - 1 - k];
    n.digits[count] = '\0';
    set_sign(&n, spec, negative);
    if (spec->alternate && base != 10) {
        size_t at = strlen(n.sign);
        n.sign[at] = '0';
        n.sign[at + 1] = spec->type;
        n.sign[at + 2] = '\0';
    }
    put_number(t, spec, &n);
}

/* ---- floats ---- */

/* True if the text reads back as value in its own type. */
static bool
reads_back(int tag, double value, const char *s)
{
    if (tag == SNL_F64)
        return strtod(s, NULL) == value;
    if (tag == SNL_F32)
        return (double)strtof(s, NULL) == value;
    return snl_f16_to_f64(snl_f64_to_f16(strtod(s, NULL))) == value;
}

/* Adds one to the last digit of a number with an exponent; false where all are nines. */
static bool
add_unit(char *s)
{
    for (char *p = strchr(s, 'e'); p-- > s;) {
        if (*p >= '0' && *p < '9') {
            ++*p;
            return true;
        }
        if (*p == '9')
            *p = '0';
    }
    return false;
}

/* Writes value, which is positive, with an exponent and the fewest digits that read back. The
 * nearest number of so many digits does if any does, but for powers of two: the numbers below them
 * are nearer than those above, so the next one up may where it does not. */
static void
print_fewest(char *s, size_t size, int tag, double value)
{
    int sure = tag == SNL_F64 ? 15 : tag == SNL_F32 ? 6 : 1;
    int most = tag == SNL_F64 ? 17 : tag == SNL_F32 ? 9 : 5, exponent;
    double normal = tag == SNL_F64 ? 2.3e-308 : 1.2e-38;
    const bool power = frexp(value, &exponent) == 0.5;
    /* Any number of so many digits survives, so zeros at its end can be dropped; not so below the
     * normal range. */
    for (int precision = value < normal ? 1 : sure;; precision++) {
        snprintf(s, size, "%.*e", precision - 1, value);
        if (precision >= most || reads_back(tag, value, s) ||
            (power && add_unit(s) && reads_back(tag, value, s)))
            return;
    }
}

/* Writes value, positive and finite, as Python's repr does; a point is kept where # asks for it. */
static void
print_shortest(char *out, const SnlSpec *spec, int tag, double value)
{
    char s[64], digits[32];
    int count = 0, exponent;
    if (value == 0) {
        strcpy(out, "0.0");
        return;
    }
    print_fewest(s, sizeof s, tag, value);
    exponent = atoi(strchr(s, 'e') + 1);
    for (const char *p = s; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            digits[count++] = *p;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    if (exponent < -4 || exponent >= 16) {
        *out++ = digits[0];
        if (count > 1 || spec->alternate)
            *out++ = '.';
        for (int k = 1; k < count; k++)
            *out++ = digits[k];
        sprintf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        return;
    }
    for (int k = exponent < 0 ? exponent : 0; k < count || k <= exponent + 1; k++) {
        if (k == exponent + 1)
            *out++ = '.';
        *out++ = (char)(k >= 0 && k < count ? digits[k] : '0');
    }
    *out = '\0';
}

/* Drops zeros at the end of the mantissa of a number with an exponent. */
static void
drop_zeros(char *s)
{
    char *exponent = strchr(s, 'e');
    char *end = exponent;
    if (!strchr(s, '.'))
        return;
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    memmove(end, exponent, strlen(exponent) + 1);
}

/* Writes value with no type: as g, but never as an integer. */
static void
print_digits(char *out, int precision, double value)
{
    snprintf(out, NUMBER_BYTES - 4, "%.*g", precision, value);
    if (strpbrk(out, ".e"))
        return;
    if (strlen(out) < (size_t)precision) {
        strcat(out, ".0");
    } else {
        snprintf(out, NUMBER_BYTES - 4, "%.*e", precision - 1, value);
        drop_zeros(out);
    }
}

/* Writes value with # and no type, g or G: with a point and the zeros at its end; without a type
 * there is always a digit behind the point or an exponent. (glibc's %#.2g of 99.5 lacks a zero.) */
static void
print_all_digits(char *out, int precision, char type, double value)
{
    int exponent, most = type ? precision : precision - 1;
    snprintf(out, NUMBER_BYTES - 4, "%.*e", precision - 1, value);
    exponent = atoi(strchr(out, 'e') + 1);
    if (exponent >= -4 && exponent < most)
        snprintf(out, NUMBER_BYTES - 4, "%#.*f", precision - 1 - exponent, value);
    else
        snprintf(out, NUMBER_BYTES - 4, type == 'G' ? "%#.*E" : "%#.*e", precision - 1, value);
}

/* Writes value, positive and finite, by the type and precision of the conversion. */
static void
print_by_spec(char *out, const SnlSpec *spec, double value)
{
    char how[8];
    char type = spec->type == '%' ? 'f' : spec->type;
    int precision = spec->precision >= 0 ? spec->precision : 6;
    int digits = precision > 0 ? precision : 1;
    if (spec->alternate && (!type || type == 'g' || type == 'G')) {
        print_all_digits(out, digits, type, value);
    } else if (!type) {
        print_digits(out, digits, value);
    } else {
        snprintf(how, sizeof how, spec->alternate ? "%%#.*%c" : "%%.*%c", type);
        snprintf(out, NUMBER_BYTES - 4, how, precision, spec->type == '%' ? value * 100 : value);
    }
}

static void
put_float(SnlText *t, const SnlSpec *spec, int tag, double value)
{
    const SnlCLocale locale = snl_c_locale();
    Number n;
    bool large = spec->type == 'E' || spec->type == 'F' || spec->type == 'G';
    set_sign(&n, spec, value == value && signbit(value));
    value = fabs(value);
    if (value != value)
        strcpy(n.digits, large ? "NAN" : "nan");
    else if (value > 1.7976931348623157e308)
        strcpy(n.digits, large ? "INF" : "inf");
    else if (!spec->type && spec->precision < 0)
        print_shortest(n.digits, spec, tag, value);
    else
        print_by_spec(n.digits, spec, value);
    if (spec->type == '%')
        strcat(n.digits, "%");
    snl_c_locale_end(&locale);
    put_number(t, spec, &n);
}

/* ---- values of any type ---- */

static void
put_bool(SnlText *t, const SnlSpec *spec, bool value)
{
    if (spec->type && spec->type != 's')
        put_integer(t, spec, false, value);
    else
        put_string(t, spec, value ? "true" : "false");
}

/* Appends component number at of an array. */
static void
put_scalar(SnlText *t, const SnlSpec *spec, int tag, const void *data, int at)
{
    const char *p = (const char *)data + (size_t)at * (size_t)snl_scalar_bytes(tag);
#define PUT_SIGNED(type) do { \
        type v; \
        memcpy(&v, p, sizeof v); \
        put_integer(t, spec, v < 0, v < 0 ? 0 - (uint64_t)(int64_t)v : (uint64_t)v); \
    } while (0)
#define PUT_UNSIGNED(type) do { \
        type v; \
        memcpy(&v, p, sizeof v); \
        put_integer(t, spec, false, v); \
    } while (0)
#define PUT_FLOAT(type, convert) do { \
        type v; \
        memcpy(&v, p, sizeof v); \
        put_float(t, spec, tag, convert(v)); \
    } while (0)
    switch (tag) {
    case SNL_BOOL: put_bool(t, spec, *p != 0); break;
    case SNL_I8: PUT_SIGNED(int8_t); break;
    case SNL_I16: PUT_SIGNED(int16_t); break;
    case SNL_I32: PUT_SIGNED(int32_t); break;
    case SNL_I64: PUT_SIGNED(int64_t); break;
    case SNL_U8: PUT_UNSIGNED(uint8_t); break;
    case SNL_U16: PUT_UNSIGNED(uint16_t); break;
    case SNL_U32: PUT_UNSIGNED(uint32_t); break;
    case SNL_U64: PUT_UNSIGNED(uint64_t); break;
    case SNL_F16: PUT_FLOAT(snl_f16, snl_f16_to_f64); break;
    case SNL_F32: PUT_FLOAT(float, (double)); break;
    case SNL_F64: PUT_FLOAT(double, (double)); break;
    default: break;
    }
#undef PUT_SIGNED
#undef PUT_UNSIGNED
#undef PUT_FLOAT
}

/* Appends count components from number first on, in brackets. */
static void
put_row(SnlText *t, const SnlSpec *spec, int tag, const void *data, int first, int count)
{
    snl_text_string(t, "[");
    for (int k = 0; k < count; k++) {
        if (k)
            snl_text_string(t, ", ");
        put_scalar(t, spec, tag, data, first + k);
    }
    snl_text_string(t, "]");
}

void
snl_format_value(SnlText *t, const SnlSpec *spec, int tag, int rows, int cols, const void *data)
{
    static const SnlSpec plain = { "", 0, 0, false, false, 0, -1, 0 };
    const SnlSpec *how = spec ? spec : &plain;
    if (tag == SNL_STRING) {
        put_string(t, how, data ? (const char *)data : "");
    } else if (rows == 0) {
        put_scalar(t, how, tag, data, 0);
    } else if (cols == 0) {
        put_row(t, how, tag, data, 0, rows);
    } else {
        snl_text_string(t, "[");
        for (int r = 0; r < rows; r++) {
            if (r)
                snl_text_string(t, ", ");
            put_row(t, how, tag, data, r * cols, cols);
        }
        snl_text_string(t, "]");
    }
}

void
snl_format_message(char *text, size_t room, const char *format, va_list values)
{
    static const char sign[] = "...";
    const SnlCLocale locale = snl_c_locale();
    const int bytes = vsnprintf(text, room, format, values);
    snl_c_locale_end(&locale);
    if (bytes < (int)room)
        return;
    size_t end = room - sizeof sign;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)    /* UTF-8 goes on here */
        end--;
    memcpy(text + end, sign, sizeof sign);
}

void
snl_format_text(SnlText *t, const char *format, int count, const SnlArg *args)
{
    enum { AT_HAND = 16 };
    SnlFormatPiece hand[AT_HAND], *pieces = hand;
    size_t bytes = strlen(format);
    int n = snl_format_parse(format, bytes, hand, AT_HAND, NULL);
    if (n > AT_HAND) {
        pieces = (SnlFormatPiece *)malloc((size_t)n * sizeof *pieces);
        if (!pieces) {
            t->failed = true;
            return;
        }
        snl_format_parse(format, bytes, pieces, n, NULL);
    }
    if (n < 0)                  /* the compiler lets no such format through */
        snl_text_string(t, format);
    for (int k = 0; k < n; k++) {
        const SnlFormatPiece *p = &pieces[k];
        const SnlArg *a = p->argument >= 0 && p->argument < count ? &args[p->argument] : NULL;
        if (a)
            snl_format_value(t, &p->spec, a->tag, a->rows, a->cols, a->data);
        else
            snl_text_bytes(t, p->text, p->bytes);
    }
    if (pieces != hand)
        free(pieces);
}

bool
snl_print_to(SnlPrintSink sink, void *context, const char *format, int count, const SnlArg *args)
{
    SnlText t = SNL_TEXT_EMPTY;
    snl_format_text(&t, format, count, args);
    snl_text_string(&t, "\n");
    bool whole = !t.failed;
    if (whole && sink)
        sink(context, snl_text_chars(&t), t.bytes);
    else if (whole)
        fwrite(snl_text_chars(&t), 1, t.bytes, stdout);
    snl_text_free(&t);
    return whole;
}
