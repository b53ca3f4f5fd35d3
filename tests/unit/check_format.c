/* check_format.c - format strings and the text of values. */
#include <stdio.h>
#include <stdlib.h>

#include "program/snl_format.h"
#include "suite.h"

/* The text of a format with one argument. */
static const char *
text_of(const char *format, int tag, int rows, int cols, const void *data)
{
    static char out[4096];
    SnlText t = SNL_TEXT_EMPTY;
    SnlArg arg = { tag, rows, cols, data };
    snl_format_text(&t, format, 1, &arg);
    snprintf(out, sizeof out, "%s", snl_text_chars(&t));
    snl_text_free(&t);
    return out;
}

static const char *
text_f64(const char *format, double value)
{
    return text_of(format, SNL_F64, 0, 0, &value);
}

static const char *
text_i64(const char *format, int64_t value)
{
    return text_of(format, SNL_I64, 0, 0, &value);
}

START_TEST(floats_are_shortest)
{
    static const struct {
        double value;
        const char *f64, *f32;
    } cases[] = {
        { 0.1, "0.1", "0.1" },
        { 2.5, "2.5", "2.5" },
        { 1, "1.0", "1.0" },
        { 0, "0.0", "0.0" },
        { -0.0, "-0.0", "-0.0" },
        { 1e20, "1e+20", "1e+20" },
        { 1.5e-7, "1.5e-07", "1.5e-07" },
        { 0.0001, "0.0001", "0.0001" },
        { 0.00001, "1e-05", "1e-05" },
        { 1e15, "1000000000000000.0", "1000000000000000.0" },
        { 123456.789, "123456.789", "123456.79" },
        { 3.141592653589793, "3.141592653589793", "3.1415927" },
        { 16777216, "16777216.0", "16777216.0" },
        { 0.3, "0.3", "0.3" },
        { 100, "100.0", "100.0" },
        { INFINITY, "inf", "inf" },
        { -INFINITY, "-inf", "-inf" },
        { NAN, "nan", "nan" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        float f = (float)cases[k].value;
        ck_assert_str_eq(text_f64("{}", cases[k].value), cases[k].f64);
        ck_assert_str_eq(text_of("{}", SNL_F32, 0, 0, &f), cases[k].f32);
    }
    ck_assert_str_eq(text_f64("{}", 0.1 + 0.2), "0.30000000000000004");
    ck_assert_str_eq(text_f64("{}", 0x1p-24), "5.960464477539063e-08");
    ck_assert_str_eq(text_f64("{}", 0x1p-44), "5.684341886080802e-14");
    ck_assert_str_eq(text_f64("{}", 5e-324), "5e-324");
    ck_assert_str_eq(text_f64("{}", 1.7976931348623157e308), "1.7976931348623157e+308");
    float tiny = 1e-45f;
    snl_f16 half = snl_f64_to_f16(0.1);
    ck_assert_str_eq(text_of("{}", SNL_F32, 0, 0, &tiny), "1e-45");
    ck_assert_str_eq(text_of("{}", SNL_F16, 0, 0, &half), "0.1");
}
END_TEST

START_TEST(float_conversions)
{
    ck_assert_str_eq(text_f64("{:.3f}", 3.14159), "3.142");
    ck_assert_str_eq(text_f64("{:.0f}", 3.14159), "3");
    ck_assert_str_eq(text_f64("{:.6e}", 12345), "1.234500e+04");
    ck_assert_str_eq(text_f64("{:E}", 12345), "1.234500E+04");
    ck_assert_str_eq(text_f64("{:g}", 1e-10), "1e-10");
    ck_assert_str_eq(text_f64("{:8.2f}|", -1.5), "   -1.50|");
    ck_assert_str_eq(text_f64("{:<8.2f}|", -1.5), "-1.50   |");
    ck_assert_str_eq(text_f64("{:^9.2f}|", -1.5), "  -1.50  |");
    ck_assert_str_eq(text_f64("{:*^9.2f}|", 1.5), "**1.50***|");
    ck_assert_str_eq(text_f64("{:08.2f}", -1.5), "-0001.50");
    ck_assert_str_eq(text_f64("{:+.1f}", 1.5), "+1.5");
    ck_assert_str_eq(text_f64("{: .1f}", 1.5), " 1.5");
    ck_assert_str_eq(text_f64("{:.1%}", 0.256), "25.6%");
    ck_assert_str_eq(text_f64("{:.3}", 1234.5), "1.23e+03");
    ck_assert_str_eq(text_f64("{:.3}", 2), "2.0");
    ck_assert_str_eq(text_f64("{:.2}", 80), "8e+01");
    ck_assert_str_eq(text_f64("{:10}|", 1.5), "       1.5|");
    ck_assert_str_eq(text_f64("{:F}", INFINITY), "INF");
    ck_assert_str_eq(text_f64("{:#}", 1e22), "1.e+22");
    ck_assert_str_eq(text_f64("{:#}", 1.5e22), "1.5e+22");
    ck_assert_str_eq(text_f64("{:#}", 1), "1.0");
    ck_assert_str_eq(text_f64("{:#.1}", 1), "1.e+00");
    ck_assert_str_eq(text_f64("{:#.2}", 1), "1.0");
    ck_assert_str_eq(text_f64("{:#.0}", 0), "0.e+00");
    ck_assert_str_eq(text_f64("{:#.2}", 12), "1.2e+01");
    ck_assert_str_eq(text_f64("{:#.4}", 12), "12.00");
    ck_assert_str_eq(text_f64("{:#.2g}", 12), "12.");
    ck_assert_str_eq(text_f64("{:#.2g}", 99.5), "1.0e+02");
    ck_assert_str_eq(text_f64("{:#.3G}", 1e-5), "1.00E-05");
    ck_assert_str_eq(text_f64("{:#.0f}", 2), "2.");
    ck_assert_str_eq(text_f64("{:#.0%}", 0.5), "50.%");
    ck_assert_int_eq((int)strlen(text_f64("{:.999f}", 1.7e308)), 309 + 1 + 999);
}
END_TEST

START_TEST(integer_conversions)
{
    uint64_t top = UINT64_MAX;
    uint8_t byte = 200;
    ck_assert_str_eq(text_i64("{}", INT64_MIN), "-9223372036854775808");
    ck_assert_str_eq(text_of("{}", SNL_U64, 0, 0, &top), "18446744073709551615");
    ck_assert_str_eq(text_of("{:b}", SNL_U8, 0, 0, &byte), "11001000");
    ck_assert_str_eq(text_i64("[{:5}]", 42), "[   42]");
    ck_assert_str_eq(text_i64("[{:<5}]", 42), "[42   ]");
    ck_assert_str_eq(text_i64("[{:05}]", 42), "[00042]");
    ck_assert_str_eq(text_i64("[{:05}]", -42), "[-0042]");
    ck_assert_str_eq(text_i64("{:x}", 255), "ff");
    ck_assert_str_eq(text_i64("{:#x}", 255), "0xff");
    ck_assert_str_eq(text_i64("{:#06X}", 255), "0X00FF");
    ck_assert_str_eq(text_i64("{:x}", -255), "-ff");
    ck_assert_str_eq(text_i64("{:o}", 15), "17");
    ck_assert_str_eq(text_i64("{:+d}", 7), "+7");
    ck_assert_str_eq(text_i64("{:c}", 0x20ac), "\xe2\x82\xac");
    ck_assert_str_eq(text_i64("[{:5c}]", 'A'), "[    A]");
    ck_assert_str_eq(text_i64("[{:05c}]", 'A'), "[0000A]");
    ck_assert_str_eq(text_i64("[{:*^5c}]", 0x20ac), "[**\xe2\x82\xac**]");
    ck_assert_str_eq(text_i64("{:\xe2\x82\xac>4}", 7), "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac" "7");
    ck_assert_str_eq(text_i64("{{}} %d {}%", 7), "{} %d 7%");
}
END_TEST

START_TEST(shapes_bools_and_strings)
{
    int32_t v[4] = { 1, -2, 3, 4 };
    float f[2] = { 1.5f, -2.25f };
    bool b[2] = { true, false };
    ck_assert_str_eq(text_of("{}", SNL_I32, 3, 0, v), "[1, -2, 3]");
    ck_assert_str_eq(text_of("{}", SNL_I32, 2, 2, v), "[[1, -2], [3, 4]]");
    ck_assert_str_eq(text_of("{:.2f}", SNL_F32, 2, 0, f), "[1.50, -2.25]");
    ck_assert_str_eq(text_of("{:3}", SNL_I32, 2, 0, v), "[  1,  -2]");
    ck_assert_str_eq(text_of("{}", SNL_BOOL, 2, 0, b), "[true, false]");
    ck_assert_str_eq(text_of("{:6}|", SNL_BOOL, 0, 0, b), "true  |");
    ck_assert_str_eq(text_of("{:d}", SNL_BOOL, 0, 0, b), "1");
    ck_assert_str_eq(text_of("{:>6.2}|", SNL_STRING, 0, 0, "abc"), "    ab|");
    ck_assert_str_eq(text_of("{}", SNL_STRING, 0, 0, ""), "");
}
END_TEST

START_TEST(several_arguments)
{
    SnlText t = SNL_TEXT_EMPTY;
    int32_t one = 1;
    double two = 2.5;
    SnlArg args[2] = { { SNL_I32, 0, 0, &one }, { SNL_F64, 0, 0, &two } };
    snl_format_text(&t, "{1} {0} {1:.2f}", 2, args);
    ck_assert_str_eq(snl_text_chars(&t), "2.5 1 2.50");
    snl_text_free(&t);
    snl_format_text(&t, "{}{}|{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{", 2, args);
    ck_assert_str_eq(snl_text_chars(&t), "12.5|{{{{{{{{{{{{{{{{{");
    snl_text_free(&t);
    ck_assert_str_eq(snl_text_chars(&t), "");
}
END_TEST

/* Counts calls and keeps the last line. */
typedef struct {
    int calls;
    char line[64];
} Sink;

static void
take_line(void *context, const char *text, size_t bytes)
{
    Sink *sink = context;
    sink->calls++;
    snprintf(sink->line, sizeof sink->line, "%.*s", (int)bytes, text);
}

START_TEST(a_line_is_one_call)
{
    Sink sink = { 0, "" };
    int32_t one = 1;
    SnlArg arg = { SNL_I32, 0, 0, &one };
    snl_print_to(take_line, &sink, "a {}\nb {0}", 1, &arg);
    ck_assert_int_eq(sink.calls, 1);
    snl_print_to(take_line, &sink, "a {0}\nb {0}", 1, &arg);
    ck_assert_str_eq(sink.line, "a 1\nb 1\n");
}
END_TEST

START_TEST(pieces_of_a_format)
{
    SnlFormatPiece pieces[8];
    SnlFormatError error;
    const char *format = "x {} {{y}} {:>8.3f}{:#x}";
    int n = snl_format_parse(format, strlen(format), pieces, 8, &error);
    ck_assert_int_eq(n, 7);
    ck_assert_int_eq(pieces[0].argument, -1);
    ck_assert_uint_eq(pieces[0].bytes, 2);
    ck_assert_int_eq(pieces[1].argument, 0);
    ck_assert(pieces[2].bytes == 2 && memcmp(pieces[2].text, " {", 2) == 0);
    ck_assert(pieces[3].bytes == 2 && memcmp(pieces[3].text, "y}", 2) == 0);
    ck_assert_int_eq(pieces[5].argument, 1);
    ck_assert(pieces[5].spec.align == '>' && pieces[5].spec.width == 8);
    ck_assert(pieces[5].spec.precision == 3 && pieces[5].spec.type == 'f');
    ck_assert(pieces[6].spec.alternate && pieces[6].argument == 2);
    ck_assert_int_eq(snl_format_parse(format, strlen(format), NULL, 0, NULL), 7);
    ck_assert_int_eq(snl_format_parse("", 0, pieces, 8, &error), 0);
}
END_TEST

START_TEST(bad_formats)
{
    static const struct {
        const char *format;
        size_t at;
    } cases[] = {
        { "{", 0 }, { "ab {", 3 }, { "}", 0 }, { "a}b", 1 }, { "{0} {}", 5 }, { "{} {0}", 4 },
        { "{:.f}", 3 }, { "{:q}", 2 }, { "{:5", 0 }, { "{x}", 1 }, { "{:99999}", 2 },
        { "{:.99999f}", 3 }, { "{99999}", 1 }, { "{:dd}", 3 }, { "{0", 0 }, { "{:", 0 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SnlFormatError error = { .at = 99 };
        const char *f = cases[k].format;
        ck_assert_int_eq(snl_format_parse(f, strlen(f), NULL, 0, &error), -1);
        ck_assert_msg(error.at == cases[k].at, "%s: %zu", f, error.at);
        ck_assert_ptr_nonnull(error.message);
    }
}
END_TEST

/* True if a conversion takes values of the type. */
static bool
accepts(const char *format, int tag)
{
    SnlFormatPiece piece;
    ck_assert_int_eq(snl_format_parse(format, strlen(format), &piece, 1, NULL), 1);
    return snl_format_spec_accepts(&piece.spec, tag);
}

START_TEST(types_of_conversions)
{
    ck_assert(accepts("{}", SNL_I32) && accepts("{}", SNL_F32) && accepts("{}", SNL_BOOL));
    ck_assert(accepts("{}", SNL_STRING) && accepts("{:s}", SNL_STRING));
    ck_assert(accepts("{:d}", SNL_U8) && !accepts("{:d}", SNL_F64) && !accepts("{:x}", SNL_F32));
    ck_assert(accepts("{:.2e}", SNL_F16) && !accepts("{:.2e}", SNL_I32));
    ck_assert(!accepts("{:.2d}", SNL_F32) && !accepts("{:.2d}", SNL_I32));
    ck_assert(!accepts("{:.2}", SNL_I32) && accepts("{:.2}", SNL_F32));
    ck_assert(!accepts("{:s}", SNL_I32) && !accepts("{:d}", SNL_STRING));
    ck_assert(!accepts("{:+}", SNL_STRING) && !accepts("{:=5}", SNL_STRING));
    ck_assert(accepts("{:3d}", SNL_I32) && accepts("{:c}", SNL_I32) && !accepts("{:+c}", SNL_I32));
    ck_assert(accepts("{:d}", SNL_BOOL) && !accepts("{:f}", SNL_BOOL));
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("format");
    TCase *group = tcase_create("all");
    tcase_add_test(group, floats_are_shortest);
    tcase_add_test(group, float_conversions);
    tcase_add_test(group, integer_conversions);
    tcase_add_test(group, shapes_bools_and_strings);
    tcase_add_test(group, several_arguments);
    tcase_add_test(group, a_line_is_one_call);
    tcase_add_test(group, pieces_of_a_format);
    tcase_add_test(group, bad_formats);
    tcase_add_test(group, types_of_conversions);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
