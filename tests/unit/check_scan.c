/* check_scan.c - characters to tokens: words, numbers, strings, comments, and what is none of them.
 */
#include "program.h"

/* The tokens of a text, one a line, as --emit=tokens prints them. */
static const char *
tokens(Compile *c, const char *text)
{
    compile_init(c);
    Text out;
    text_init(&out, c->arena);
    tokens_print(c, source_add(&c->sources, "test.snl", text, strlen(text)), &out);
    return out.data ? out.data : "";
}

static const struct {
    const char *text, *tokens;
} tokens_have_places_table[] = {
    {"", ""},
    {"  \t\r\n\f\v ", ""},
    {"field f32 x[4];", "1:1 field\n1:7 f32\n1:11 x\n1:12 [\n1:13 4\n1:14 ]\n1:15 ;\n"},
    {"a // b\nc", "1:1 a\n2:1 c\n"},
    {"a /* b\n * c ** / */ d", "1:1 a\n2:14 d\n"},
    {"/**/a/***/b/*/ */c", "1:5 a\n1:11 b\n1:18 c\n"},
    {"0..n", "1:1 0\n1:2 ..\n1:4 n\n"},
    {"0..1", "1:1 0\n1:2 ..\n1:4 1\n"},
    {"1...5", "1:1 1\n1:2 ..\n1:4 .5\n"},
    {"a<<=b<<c<=d<e", "1:1 a\n1:2 <<=\n1:5 b\n1:6 <<\n1:8 c\n1:9 <=\n1:11 d\n1:12 <\n1:13 e\n"},
    {"a>>=b>>c>=d>e", "1:1 a\n1:2 >>=\n1:5 b\n1:6 >>\n1:8 c\n1:9 >=\n1:11 d\n1:12 >\n1:13 e\n"},
    {"a&&b&c&=d", "1:1 a\n1:2 &&\n1:4 b\n1:5 &\n1:6 c\n1:7 &=\n1:9 d\n"},
    {"a||b|c|=d", "1:1 a\n1:2 ||\n1:4 b\n1:5 |\n1:6 c\n1:7 |=\n1:9 d\n"},
    {"a==b=c!=!d", "1:1 a\n1:2 ==\n1:4 b\n1:5 =\n1:6 c\n1:7 !=\n1:9 !\n1:10 d\n"},
    {"+=-=*=/=%=^=", "1:1 +=\n1:3 -=\n1:5 *=\n1:7 /=\n1:9 %=\n1:11 ^=\n"},
    {"r#(l+1)[i]", "1:1 r\n1:2 #\n1:3 (\n1:4 l\n1:5 +\n1:6 1\n1:7 )\n1:8 [\n1:9 i\n1:10 ]\n"},
    {"@soa a@b", "1:1 @\n1:2 soa\n1:6 a\n1:7 @\n1:8 b\n"},
    {"v.xy.z", "1:1 v\n1:2 .\n1:3 xy\n1:5 .\n1:6 z\n"},
    {"\"a // b\" \"\"", "1:1 \"a // b\"\n1:10 \"\"\n"},
    {"_a1 A_ __", "1:1 _a1\n1:5 A_\n1:8 __\n"},
    {"\xef\xbb\xbf"
     "a",
     "1:4 a\n"},
};

START_TEST(tokens_have_places)
{
    Compile c;
    ck_assert_str_eq(tokens(&c, tokens_have_places_table[_i].text),
                     tokens_have_places_table[_i].tokens);
    ck_assert_int_eq(diag_error_count(&c), 0);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *text;
    uint64_t value;
    int suffix;
} integers_table[] = {{"0", 0, -1},
                      {"42", 42, -1},
                      {"007", 7, -1},
                      {"1_000_000", 1000000, -1},
                      {"0xff", 255, -1},
                      {"0XfF_00", 0xff00, -1},
                      {"0b1010", 10, -1},
                      {"0b1111_0000", 240, -1},
                      {"18446744073709551615", UINT64_MAX, -1},
                      {"0xffffffffffffffff", UINT64_MAX, -1},
                      {"7u8", 7, SCALAR_U8},
                      {"1i64", 1, SCALAR_I64},
                      {"0x10i16", 16, SCALAR_I16},
                      {"0b1u32", 1, SCALAR_U32},
                      {"1_0u64", 10, SCALAR_U64}};

START_TEST(integers)
{
    Compile c;
    Expr *e = parse_expr(&c, integers_table[_i].text);
    ck_assert_int_eq(diag_error_count(&c), 0);
    ck_assert_int_eq(e->kind, EXPR_INT);
    ck_assert_uint_eq((uint64_t)e->integer, integers_table[_i].value);
    ck_assert_int_eq(e->suffix, integers_table[_i].suffix);
    ck_assert_str_eq(span_text(&c, e->span), integers_table[_i].text);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *text;
    double value;
    int suffix;
} floats_table[] = {{"1.0", 1.0, -1},
                    {".5", 0.5, -1},
                    {"1.", 1.0, -1},
                    {"1e3", 1000.0, -1},
                    {"1e-3", 1e-3, -1},
                    {"2.5E+2", 250.0, -1},
                    {"1_0.2_5", 10.25, -1},
                    {"1.0f64", 1.0, SCALAR_F64},
                    {"2f32", 2.0, SCALAR_F32},
                    {".5f16", 0.5, SCALAR_F16},
                    {"1e3f64", 1000.0, SCALAR_F64},
                    {"1.7976931348623157e308", 1.7976931348623157e308, -1},
                    {"5e-324", 5e-324, -1},
                    {"0.1", 0.1, -1}};

START_TEST(floats)
{
    Compile c;
    Expr *e = parse_expr(&c, floats_table[_i].text);
    ck_assert_int_eq(diag_error_count(&c), 0);
    ck_assert_int_eq(e->kind, EXPR_FLOAT);
    ck_assert(e->number == floats_table[_i].value);
    ck_assert_int_eq(e->suffix, floats_table[_i].suffix);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *text;
    DiagCode code;
} numbers_that_are_none_table[] = {{"12abc", E0103},
                                   {"0x", E0103},
                                   {"0xzz", E0103},
                                   {"0b2", E0103},
                                   {"0b", E0103},
                                   {"1e", E0103},
                                   {"1e+", E0103},
                                   {"1_", E0103},
                                   {"1.0u8", E0103},
                                   {"0x1f64z", E0103},
                                   {"7u7", E0103},
                                   {"1.5i32", E0103},
                                   {"1__", E0103},
                                   {"0b1f32", E0103},
                                   {"0xg", E0103},
                                   {"18446744073709551616", E0107},
                                   {"0x1_0000_0000_0000_0000", E0107},
                                   {"99999999999999999999999", E0107}};

START_TEST(numbers_that_are_none)
{
    Compile c;
    char program[100];
    snprintf(program, sizeof program, "const A = %s;", numbers_that_are_none_table[_i].text);
    parse_text(&c, program);
    ck_assert_msg(count_code(&c, numbers_that_are_none_table[_i].code) >= 1, "%s gave '%s'",
                  numbers_that_are_none_table[_i].text, codes_said(&c));
    compile_free(&c);
}
END_TEST

static const struct {
    const char *text;
    size_t bytes;
    const char *value;
} strings_and_escapes_table[] = {{"\"\"", 0, ""},
                                 {"\"plain\"", 5, "plain"},
                                 {"\"\\n\\t\\r\\a\\b\\f\\v\"", 7, "\n\t\r\a\b\f\v"},
                                 {"\"\\\\ \\\" \\'\"", 5, "\\ \" '"},
                                 {"\"\\x41\\x7e\"", 2, "A~"},
                                 {"\"\\x4\"", 1, "\x04"},
                                 {"\"\\x414\"", 2, "A4"},
                                 {"\"\xc3\xa9\"", 2, "\xc3\xa9"},
                                 {"\"// /* \"", 6, "// /* "}};

START_TEST(strings_and_escapes)
{
    Compile c;
    Expr *e = parse_expr(&c, strings_and_escapes_table[_i].text);
    ck_assert_int_eq(diag_error_count(&c), 0);
    ck_assert_int_eq(e->kind, EXPR_STRING);
    ck_assert_uint_eq(e->string_bytes, strings_and_escapes_table[_i].bytes);
    ck_assert_mem_eq(e->string, strings_and_escapes_table[_i].value,
                     strings_and_escapes_table[_i].bytes + 1);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *text, *codes;
    int bytes;
} bad_text_table[] = {{"const A = \"\\q\";", "E0108", 0},
                      {"const A = \"\\x\";", "E0108", 0},
                      {"const A = \"a\\0b\";", "E0108", 0},
                      {"const A = \"open;\n;", "E0104", 0},
                      {"const A = \"open\\", "E0104", 0},
                      {"const A = 1; /* open", "E0104", 0},
                      {"const A = 1$;", "E0102", 0},
                      {"const A = 1\xe2\x82\xac;", "E0102", 0},
                      {"const A = 1`;", "E0102", 0},
                      {"const A = 1\xff;", "E0101", 0},
                      {"const A = 1; // \xc3(", "E0101", 0},
                      {"const A = 1; // \xed\xa0\x80", "E0101", 0},
                      {"const A = 1; // \xf4\x90\x80\x80", "E0101", 0},
                      {"const A = 1; // \xe0\x80\x80", "E0101", 0},
                      {"const A = 1\0;", "E0101", 13},
                      {"const A = 1; \xef\xbb\xbf", "E0102", 0},
                      {"kernel k(f32x1 a) { }", "E0312", 0},
                      {"kernel k(f32x17 a) { }", "E0312", 0},
                      {"kernel k(f32x2x17 a) { }", "E0312", 0}};

START_TEST(bad_text)
{
    Compile c;
    size_t bytes = bad_text_table[_i].bytes ? (size_t)bad_text_table[_i].bytes
                                            : strlen(bad_text_table[_i].text);
    parse_bytes(&c, bad_text_table[_i].text, bytes);
    ck_assert_str_eq(codes_said(&c), bad_text_table[_i].codes);
    compile_free(&c);
}
END_TEST

static const struct {
    const char *text;
    Scalar scalar;
    int rows, cols; /* -1: no type but a name */
} words_of_types_table[] = {{"f32", SCALAR_F32, 0, 0},       {"bool", SCALAR_BOOL, 0, 0},
                            {"u64", SCALAR_U64, 0, 0},       {"f32x3", SCALAR_F32, 3, 0},
                            {"boolx16", SCALAR_BOOL, 16, 0}, {"i8x2", SCALAR_I8, 2, 0},
                            {"f64x2x3", SCALAR_F64, 2, 3},   {"f16x16x16", SCALAR_F16, 16, 16},
                            {"f32x", SCALAR_F32, -1, 0},     {"f32y", SCALAR_F32, -1, 0},
                            {"f32x2x", SCALAR_F32, -1, 0},   {"f32x2x2x2", SCALAR_F32, -1, 0},
                            {"f32x02", SCALAR_F32, -1, 0},   {"f128", SCALAR_F32, -1, 0},
                            {"i", SCALAR_F32, -1, 0},        {"boolean", SCALAR_F32, -1, 0},
                            {"F32", SCALAR_F32, -1, 0}};

START_TEST(words_of_types)
{
    Compile c;
    Expr *e = parse_expr(&c, words_of_types_table[_i].text);
    ck_assert_int_eq(diag_error_count(&c), 0);
    if (words_of_types_table[_i].rows < 0) {
        ck_assert_int_eq(e->kind, EXPR_NAME);
        ck_assert_str_eq(e->name.text, words_of_types_table[_i].text);
    } else {
        ck_assert_int_eq(e->kind, EXPR_TYPE);
        ck_assert_int_eq(e->type->scalar, words_of_types_table[_i].scalar);
        ck_assert_int_eq(e->type->rows, words_of_types_table[_i].rows);
        ck_assert_int_eq(e->type->cols, words_of_types_table[_i].cols);
    }
    compile_free(&c);
}
END_TEST

static const char *const words_that_are_not_reserved_table[] = {
    "step",   "node", "progress", "packed",  "serial",    "min",    "append",
    "dense",  "hash", "pointer",  "dynamic", "bitmasked", "fill",   "print",
    "assert", "x",    "i",        "PI",      "soa",       "random", "extent"};

START_TEST(words_that_are_not_reserved)
{
    Compile c;
    Expr *e = parse_expr(&c, words_that_are_not_reserved_table[_i]);
    ck_assert_int_eq(diag_error_count(&c), 0);
    ck_assert_int_eq(e->kind, EXPR_NAME);
    ck_assert_ptr_eq(e->name.text, intern_str(c.intern, words_that_are_not_reserved_table[_i]));
    compile_free(&c);
}
END_TEST

START_TEST(names_are_interned)
{
    Compile c;
    Module *m = parse_text(&c, "const A = width; const B = width; const C = widths;");
    const char *a = m->items.items[0]->expr->name.text;
    ck_assert_ptr_eq(a, m->items.items[1]->expr->name.text);
    ck_assert_ptr_ne(a, m->items.items[2]->expr->name.text);
    compile_free(&c);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("scan");
    TCase *group = tcase_create("all");
    tcase_add_loop_test(group, tokens_have_places, 0, COUNT(tokens_have_places_table));
    tcase_add_loop_test(group, integers, 0, COUNT(integers_table));
    tcase_add_loop_test(group, floats, 0, COUNT(floats_table));
    tcase_add_loop_test(group, numbers_that_are_none, 0, COUNT(numbers_that_are_none_table));
    tcase_add_loop_test(group, strings_and_escapes, 0, COUNT(strings_and_escapes_table));
    tcase_add_loop_test(group, bad_text, 0, COUNT(bad_text_table));
    tcase_add_loop_test(group, words_of_types, 0, COUNT(words_of_types_table));
    tcase_add_loop_test(group, words_that_are_not_reserved, 0,
                        COUNT(words_that_are_not_reserved_table));
    tcase_add_test(group, names_are_interned);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
