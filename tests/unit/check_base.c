/* check_base.c - what every stage stands on: memory, strings, tables, text, sources, diagnostics.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/c_words.h"
#include "base/compile.h"
#include "base/diag_data.h"
#include "suite.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

/* True when all bytes are the same; one assertion a byte would take minutes. */
static bool
is_all(const char *p, size_t bytes, int value)
{
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != (char)value)
            return false;
    return true;
}

START_TEST(arena_gives_zeroed_aligned_memory)
{
    Arena *a = arena_new();
    for (size_t bytes = 0; bytes < 20000; bytes += 1 + bytes / 3) {
        char *p = arena_alloc(a, bytes);
        ck_assert_ptr_nonnull(p);
        ck_assert_int_eq((int)((uintptr_t)p % _Alignof(max_align_t)), 0);
        ck_assert(is_all(p, bytes, 0));
        memset(p, 0xff, bytes); /* must not show in what comes next */
    }
    char *large = arena_alloc(a, (size_t)30 << 20);
    large[((size_t)30 << 20) - 1] = 1;
    ck_assert_int_ge((int64_t)arena_bytes(a), (int64_t)30 << 20);
    arena_free(a);
}
END_TEST

START_TEST(arena_strings)
{
    Arena *a = arena_new();
    char *s = arena_strndup(a, "layout tree", 6);
    ck_assert_str_eq(s, "layout");
    ck_assert_str_eq(arena_printf(a, "%s[%d] %c", s, 42, 'x'), "layout[42] x");
    char *long_text = arena_printf(a, "%*d", 100000, 7);
    ck_assert_int_eq(strlen(long_text), 100000);
    ck_assert_int_eq(long_text[99999], '7');
    ck_assert_str_eq(arena_printf(a, "%s", ""), "");
    arena_free(a);
}
END_TEST

/* Long texts are written before it is known how long they are; what follows must still be zero. */
START_TEST(arena_memory_is_zero_after_texts)
{
    Arena *a = arena_new();
    static const int lengths[] = {10, 3000, 20000, 70000, 100000, 60000, 500000, 5};
    for (int round = 0; round < 60; round++) {
        int length = lengths[round % COUNT(lengths)];
        char *s = arena_printf(a, "%*d", length, round);
        ck_assert_int_eq((int)strlen(s), length);
        ck_assert(is_all(arena_alloc(a, 50000), 50000, 0));
    }
    arena_free(a);
}
END_TEST

/* Memory that another arena has filled is zeroed part by part; texts that end behind a part must be
 * whole. */
START_TEST(arena_memory_is_handed_on)
{
    static const size_t sizes[] = {1, 100, 5000, 40000};
    Arena *first = arena_new(), *a = arena_new();
    for (int i = 0; i < 20000; i++)
        memset(arena_alloc(first, 1000), 0xff, 1000);
    arena_hand_on(first, a);
    for (int i = 0; i < 2000; i++) {
        size_t bytes = sizes[i % COUNT(sizes)];
        char *p = arena_alloc(a, bytes), *s = arena_printf(a, "%s %*d", "text", i, i);
        ck_assert(is_all(p, bytes, 0));
        memset(p, 0xff, bytes);
        ck_assert(!strncmp(s, "text ", 5) && atoi(s + 5) == i);
    }
    arena_free(first);
    arena_free(a);
}
END_TEST

START_TEST(arena_texts_fill_blocks)
{
    Arena *a = arena_new();
    for (int i = 0; i < 600000; i++) {
        const char *s = arena_printf(a, "%d", i);
        ck_assert_int_eq(atoi(s), i);
    }
    ck_assert_int_gt((int64_t)arena_bytes(a), (int64_t)8 << 20);
    arena_free(a);
}
END_TEST

START_TEST(arena_resizes)
{
    static const size_t sizes[] = {0, 16, 100, 256, 512, 5000, 60000, 70000, 80000, 1000000};
    Arena *a = arena_new();
    for (int other = 0; other < 6; other++) {
        char *p = NULL;
        for (int i = 1; i < COUNT(sizes); i++) {
            p = arena_resize(a, p, sizes[i - 1], sizes[i]);
            ck_assert(is_all(p, sizes[i - 1], 'a' + (i - 1) % 26));
            memset(p, 'a' + i % 26, sizes[i]);
            if (other % 2) /* something behind it: it cannot grow where it stands */
                memset(arena_alloc(a, 40), 'z', 40);
        }
        arena_release(a, p, sizes[COUNT(sizes) - 1]);
    }
    ck_assert(is_all(arena_alloc(a, 50000), 50000, 0));
    arena_free(a);
}
END_TEST

START_TEST(vectors_grow)
{
    Arena *a = arena_new();
    VEC(int) v = {0};
    for (int i = 0; i < 10000; i++)
        vec_push(a, &v, 3 * i);
    ck_assert_int_eq(v.count, 10000);
    for (int i = 0; i < v.count; i++)
        ck_assert_int_eq(v.items[i], 3 * i);
    ck_assert_int_eq(vec_last(&v), 29997);
    arena_free(a);
}
END_TEST

START_TEST(interned_strings_are_one)
{
    Arena *a = arena_new();
    Intern *t = intern_new(a);
    const char *x = intern_str(t, "position");
    char copy[] = "position and more";
    ck_assert_ptr_eq(intern_strn(t, copy, 8), x);
    ck_assert_ptr_ne(intern_strn(t, copy, 7), x);
    ck_assert_str_eq(intern_strn(t, copy, 7), "positio");
    ck_assert_ptr_eq(intern_str(t, ""), intern_strn(t, copy, 0));
    const char *first[3000];
    for (int i = 0; i < 3000; i++)
        first[i] = intern_str(t, arena_printf(a, "name%d", i));
    for (int i = 0; i < 3000; i++)
        ck_assert_ptr_eq(intern_str(t, arena_printf(a, "name%d", i)), first[i]);
    ck_assert_ptr_eq(intern_str(t, "position"), x);
    arena_free(a);
}
END_TEST

START_TEST(maps_keep_the_order)
{
    Arena *a = arena_new();
    Intern *t = intern_new(a);
    Map m;
    int values[1000];
    map_init(&m, a);
    ck_assert_ptr_null(map_get(&m, intern_str(t, "nothing")));
    for (int i = 0; i < 1000; i++)
        map_put(&m, intern_str(t, arena_printf(a, "key%d", i)), &values[i]);
    map_put(&m, intern_str(t, "key7"), &values[999]);
    ck_assert_int_eq(m.count, 1000);
    for (int i = 0; i < 1000; i++) {
        const char *key = intern_str(t, arena_printf(a, "key%d", i));
        ck_assert_ptr_eq(m.entries[i].key, key);
        ck_assert_ptr_eq(map_get(&m, key), &values[i == 7 ? 999 : i]);
    }
    ck_assert_ptr_null(map_get(&m, intern_str(t, "key1000")));
    arena_free(a);
}
END_TEST

START_TEST(text_indents_lines)
{
    Arena *a = arena_new();
    Text t;
    text_init(&t, a);
    text_open(&t, "kernel %s {", "k");
    text_line(&t, "x = %d;", 1);
    text_add(&t, "y");
    text_add(&t, " = %d;", 2);
    text_newline(&t);
    text_flush_left(&t, "#line %d", 3);
    text_open(&t, "for {");
    text_line(&t, "z;");
    text_close(&t, "}");
    text_close(&t, "}");
    ck_assert_str_eq(
        t.data, "kernel k {\n    x = 1;\n    y = 2;\n#line 3\n    for {\n        z;\n    }\n}\n");
    ck_assert_int_eq(t.count, strlen(t.data));
    ck_assert_int_eq(text_line_number(&t), 9);
    for (int i = 0; i < 100000; i++)
        text_raw(&t, "ab", 2);
    ck_assert_int_eq(strlen(t.data), t.count);
    arena_free(a);
}
END_TEST

START_TEST(text_takes_long_pieces)
{
    Arena *a = arena_new();
    Text t;
    text_init(&t, a);
    char *piece = arena_alloc(a, 5001);
    memset(piece, 'p', 5000);
    text_add(&t, "%s|", piece);
    text_raw(&t, "a\0b", 3);
    ck_assert_int_eq(t.count, 5004);
    ck_assert_int_eq(t.data[5000], '|');
    ck_assert_mem_eq(t.data + 5001, "a\0b", 4);
    arena_free(a);
}
END_TEST

/* ---- sources ---- */

START_TEST(positions_in_sources)
{
    static const char text[] = "ab\n\ncde\r\nf";
    static const struct {
        int offset, line, column;
    } table[] = {{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {3, 2, 1},
                 {4, 3, 1}, {6, 3, 3}, {9, 4, 1}, {10, 4, 2}};
    Arena *a = arena_new();
    Sources all;
    sources_init(&all, a);
    source_add(&all, "first.snl", "x", 1);
    const Source *f = source_add(&all, "second.snl", text, sizeof text - 1);
    ck_assert_int_eq(f->line_count, 4);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int line, column;
        uint32_t pos = f->base + (uint32_t)table[i].offset;
        ck_assert_ptr_eq(source_find(&all, pos), f);
        source_position(f, pos, &line, &column);
        ck_assert_int_eq(line, table[i].line);
        ck_assert_int_eq(column, table[i].column);
        ck_assert_int_eq(span_line(&all, (Span){pos, pos + 1}), table[i].line);
    }
    arena_free(a);
}
END_TEST

START_TEST(lines_of_sources)
{
    static const char *const lines[] = {"ab", "", "cde", "f"};
    Arena *a = arena_new();
    Sources all;
    sources_init(&all, a);
    const Source *f = source_add(&all, "x.snl", "ab\n\ncde\r\nf", 10);
    for (int n = 1; n <= 4; n++) {
        int bytes;
        const char *line = source_line(f, n, &bytes);
        ck_assert_int_eq(bytes, (int)strlen(lines[n - 1]));
        ck_assert_int_eq(strncmp(line, lines[n - 1], (size_t)bytes), 0);
    }
    arena_free(a);
}
END_TEST

START_TEST(files_lie_end_to_end)
{
    Arena *a = arena_new();
    Sources all;
    sources_init(&all, a);
    const Source *files[50];
    for (int i = 0; i < 50; i++)
        files[i] = source_add(&all, arena_printf(a, "f%d.snl", i), "01234567890123456789",
                              (size_t)(i % 20));
    ck_assert_ptr_null(source_find(&all, 0));
    for (int i = 0; i < 50; i++) {
        ck_assert_ptr_eq(source_find(&all, files[i]->base), files[i]);
        ck_assert_ptr_eq(source_find(&all, files[i]->base + files[i]->bytes), files[i]);
        ck_assert_str_eq(span_path(&all, (Span){files[i]->base, files[i]->base}),
                         arena_printf(a, "f%d.snl", i));
    }
    ck_assert_ptr_null(source_find(&all, all.next_base + 10));
    ck_assert_str_eq(span_path(&all, (Span){0, 0}), "");
    ck_assert_int_eq(span_line(&all, (Span){0, 0}), 0);
    arena_free(a);
}
END_TEST

START_TEST(spans_are_joined)
{
    Span a = {10, 20}, b = {15, 40}, none = {0, 0}, j = span_join(b, a);
    ck_assert_int_eq(j.from, 10);
    ck_assert_int_eq(j.to, 40);
    j = span_join(none, a);
    ck_assert_int_eq(j.from, 10);
    j = span_join(a, none);
    ck_assert_int_eq(j.to, 20);
}
END_TEST

START_TEST(files_are_read_whole)
{
    Arena *a = arena_new();
    Sources all;
    sources_init(&all, a);
    FILE *out = fopen("large.snl", "w");
    ck_assert_ptr_nonnull(out);
    for (int i = 0; i < 200000; i++)
        ck_assert_int_gt(fprintf(out, "%d\n", i % 10), 0);
    ck_assert_int_eq(fclose(out), 0);
    const Source *f = source_read(&all, "large.snl");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(f->bytes, 400000);
    ck_assert_int_eq(f->line_count, 200001);
    ck_assert_int_eq(f->text[f->bytes], 0);
    ck_assert_int_eq(f->text[f->bytes - 2], '9');
    ck_assert_ptr_nonnull(f->real);
    errno = 0;
    ck_assert_ptr_null(source_read(&all, "missing.snl"));
    ck_assert_int_eq(errno, ENOENT);
    mkdir("folder", 0777);
    ck_assert_ptr_null(source_read(&all, "folder"));
    ck_assert_int_eq(errno, EISDIR);
    arena_free(a);
}
END_TEST

/* ---- diagnostics ---- */

/* Everything that was said, as text. */
static const char *
printed(Compile *c, DiagFormat format)
{
    static char text[200000];
    FILE *f = tmpfile();
    ck_assert_ptr_nonnull(f);
    Sarif sarif = {0};
    diag_print_all(c, f, format, false, &sarif);
    if (format == DIAGS_SARIF)
        diag_end_sarif(&sarif, c->arena, f);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

START_TEST(diagnostics_are_sorted_by_place)
{
    Compile c;
    compile_init(&c);
    const Source *f = source_add(&c.sources, "a.snl", "one two three\nfour\n", 19);
    diag(&c, E0201, (Span){f->base + 14, f->base + 18}, "third");
    diag(&c, E0301, (Span){f->base + 4, f->base + 7}, "second");
    Diag *d = diag(&c, E0201, (Span){f->base, f->base + 3}, "first");
    diag_note(d, (Span){f->base + 14, f->base + 15}, "see here");
    diag_fix(d, "ones");
    diag(&c, E0804, (Span){0, 0}, "nowhere");
    ck_assert_int_eq(diag_error_count(&c), 4);
    ck_assert_str_eq(printed(&c, DIAGS_TEXT), "snlc: error: nowhere [E0804]\n"
                                              "a.snl:1:1: error: first [E0201]\n"
                                              "    1 | one two three\n"
                                              "      | ^~~\n"
                                              "a.snl:2:1: note: see here\n"
                                              "    2 | four\n"
                                              "      | ^\n"
                                              "  fix: ones\n"
                                              "a.snl:1:5: error: second [E0301]\n"
                                              "    1 | one two three\n"
                                              "      |     ^~~\n"
                                              "a.snl:2:1: error: third [E0201]\n"
                                              "    2 | four\n"
                                              "      | ^~~~\n"
                     "4 errors\n");
    compile_free(&c);
}
END_TEST

START_TEST(the_same_is_said_once)
{
    Compile c;
    compile_init(&c);
    const Source *f = source_add(&c.sources, "a.snl", "one two", 7);
    Span one = {f->base, f->base + 3}, two = {f->base + 4, f->base + 7};
    diag(&c, E0201, one, "said");
    Diag *again = diag(&c, E0201, one, "said again");
    diag_note(again, two, "and a note of it");
    diag_fix(again, "and a fix");
    diag(&c, E0202, one, "another code");
    diag(&c, E0201, two, "another place");
    ck_assert_int_eq(diag_error_count(&c), 3);
    ck_assert_ptr_null(strstr(printed(&c, DIAGS_TEXT), "again"));
    ck_assert_ptr_null(strstr(printed(&c, DIAGS_TEXT), "and a"));
    compile_free(&c);
}
END_TEST

START_TEST(a_hundred_errors_are_shown)
{
    Compile c;
    compile_init(&c);
    char *text = arena_alloc(c.arena, 1000);
    memset(text, 'x', 999);
    const Source *f = source_add(&c.sources, "a.snl", text, 999);
    for (uint32_t i = 0; i < 250; i++) {
        diag(&c, E0201, (Span){f->base + i, f->base + i + 1}, "error %d", (int)i);
        if (i % 50 == 0)
            diag(&c, W0201, (Span){f->base + i, f->base + i + 1}, "warning %d", (int)i);
    }
    ck_assert_int_eq(diag_error_count(&c), 250);
    ck_assert_int_eq(c.warning_count, 5);
    ck_assert(c.too_many);
    const char *all = printed(&c, DIAGS_TEXT);
    ck_assert_ptr_nonnull(strstr(all, "error: error 99 "));
    ck_assert_ptr_null(strstr(all, "error: error 100 "));
    ck_assert_ptr_nonnull(strstr(all, "warning 200"));
    ck_assert_ptr_nonnull(strstr(all, "250 errors, of which 100 are shown"));
    compile_free(&c);
}
END_TEST

START_TEST(words_of_c)
{
    static const char list[] = "A AB B Ba a_b b";
    static const char *const in[] = {"A", "AB", "B", "Ba", "a_b", "b"}, *const out[] = {
                                                                            "",     "0", "AA",
                                                                            "ABC",  "a", "a_",
                                                                            "a_bb", "c"};
    for (int i = 0; i < COUNT(in); i++)
        ck_assert(c_is_among(list, sizeof list, in[i]));
    for (int i = 0; i < COUNT(out); i++)
        ck_assert(!c_is_among(list, sizeof list, out[i]));
    static const char *const macros[] = {"ACCESSPERMS", "EINVAL",  "va_start",  "M_PI",
                                         "PRId64",      "DBL_MAX", "LC_NUMERIC"},
                             *const others[] = {"SIGMA", "M_total",    "E1",  "FE_create",
                                                "cuda",  "DBL_change", "va_", "va_start_"};
    for (int i = 0; i < COUNT(macros); i++)
        ck_assert(c_is_macro(macros[i]));
    for (int i = 0; i < COUNT(others); i++)
        ck_assert(!c_is_macro(others[i]));
    ck_assert(c_is_word("and") && c_is_word("xor_eq") && !c_is_word("EOF"));
    ck_assert(c_has("EOF") && c_has("_Bool") && c_has("__func__") && !c_has("__func"));
    ck_assert(!c_has("si_int"));
}
END_TEST

static const struct {
    bool werror;
    const char *off, *error;
    int errors, warnings;
} warnings_follow_the_options_table[] = {{false, NULL, NULL, 0, 1},    {true, NULL, NULL, 1, 0},
                                         {false, "W0401", NULL, 0, 0}, {true, "W0401", NULL, 0, 0},
                                         {false, NULL, "W0401", 1, 0}, {false, NULL, "W0201", 0, 1},
                                         {false, "W0201", NULL, 0, 1}};

START_TEST(warnings_follow_the_options)
{
    Compile c;
    compile_init(&c);
    c.options.werror = warnings_follow_the_options_table[_i].werror;
    if (warnings_follow_the_options_table[_i].off)
        vec_push(c.arena, &c.options.warnings_off, warnings_follow_the_options_table[_i].off);
    if (warnings_follow_the_options_table[_i].error)
        vec_push(c.arena, &c.options.warnings_error, warnings_follow_the_options_table[_i].error);
    diag(&c, W0401, (Span){0, 0}, "padded");
    ck_assert_int_eq(diag_error_count(&c), warnings_follow_the_options_table[_i].errors);
    ck_assert_int_eq(c.warning_count, warnings_follow_the_options_table[_i].warnings);
    compile_free(&c);
}
END_TEST

START_TEST(long_lines_are_cut)
{
    Compile c;
    compile_init(&c);
    char *text = arena_alloc(c.arena, 100001);
    memset(text, ' ', 100000);
    memcpy(text + 50000, "here", 4);
    const Source *f = source_add(&c.sources, "a.snl", text, 100000);
    diag(&c, E0201, (Span){f->base + 50000, f->base + 50004}, "found");
    const char *all = printed(&c, DIAGS_TEXT);
    ck_assert_int_lt((int)strlen(all), 700);
    ck_assert_ptr_nonnull(strstr(all, "a.snl:1:50001: error: found"));
    /* The caret stands below the word. */
    const char *word = strstr(all, "here"), *line = word, *mark = strstr(all, "^~~~"),
               *below = mark;
    ck_assert_ptr_nonnull(word);
    ck_assert_ptr_nonnull(mark);
    while (line[-1] != '\n')
        line--;
    while (below[-1] != '\n')
        below--;
    ck_assert_int_eq(word - line, mark - below);
    compile_free(&c);
}
END_TEST

START_TEST(carets_count_characters)
{
    Compile c;
    compile_init(&c);
    static const char text[] = "\t\"\xc3\xa9\xe2\x82\xac\" bad";
    const Source *f = source_add(&c.sources, "a.snl", text, sizeof text - 1);
    diag(&c, E0201, (Span){f->base + 9, f->base + 12}, "found");
    ck_assert_str_eq(printed(&c, DIAGS_TEXT), "a.snl:1:10: error: found [E0201]\n"
                                              "    1 | \t\"\xc3\xa9\xe2\x82\xac\" bad\n"
                                              "      | \t     ^~~\n"
                     "1 error\n");
    compile_free(&c);
}
END_TEST

START_TEST(json_is_escaped)
{
    Compile c;
    compile_init(&c);
    const Source *f = source_add(&c.sources, "a\"b.snl", "word", 4);
    Diag *d = diag(&c, E0201, (Span){f->base, f->base + 4},
                   "a \"quote\", a \\, a tab\t, \xff and \xc3\xa9");
    diag_fix(d, "line\nbreak");
    ck_assert_str_eq(printed(&c, DIAGS_JSON),
                     "{\"file\": \"a\\\"b.snl\", \"line\": 1, \"column\": 1, \"end_line\": 1, "
                     "\"end_column\": 5, "
                     "\"severity\": \"error\", \"code\": \"E0201\", \"message\": \"a "
                     "\\\"quote\\\", a \\\\, a tab\\u0009, "
                     "\\ufffd and \xc3\xa9\", \"notes\": [], \"fixes\": [\"line\\u000abreak\"], "
                     "\"edits\": []}\n");
    compile_free(&c);
}
END_TEST

START_TEST(sarif_is_one_object)
{
    Compile c;
    compile_init(&c);
    const Source *f = source_add(&c.sources, "a.snl", "word", 4);
    Diag *d = diag(&c, E0201, (Span){f->base, f->base + 4}, "unknown");
    diag_note(d, (Span){f->base, f->base + 1}, "here");
    diag(&c, W0201, (Span){0, 0}, "nowhere");
    const char *all = printed(&c, DIAGS_SARIF);
    int depth = 0, lists = 0;
    for (const char *p = all; *p; p++) {
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
        lists += *p == '[' ? 1 : *p == ']' ? -1 : 0;
        ck_assert_int_ge(depth, 0);
    }
    ck_assert_int_eq(depth, 0);
    ck_assert_int_eq(lists, 0);
    ck_assert_ptr_nonnull(strstr(all, "\"ruleId\": \"E0201\", \"level\": \"error\""));
    ck_assert_ptr_nonnull(
        strstr(all, "\"startLine\": 1, \"startColumn\": 1, \"endLine\": 1, \"endColumn\": 5"));
    compile_free(&c);
}
END_TEST

START_TEST(codes_are_found_by_name)
{
    for (int i = 0; i < DIAG_COUNT; i++) {
        const DiagInfo *d = diag_info((DiagCode)i);
        ck_assert_int_eq(diag_find(d->name), i);
        ck_assert_int_eq(d->severity, d->name[0] == 'W' ? DIAG_WARNING : DIAG_ERROR);
        ck_assert_int_gt((int)strlen(d->title), 10);
    }
    ck_assert_int_eq(diag_find("E9999"), DIAG_COUNT);
    ck_assert_int_eq(diag_find(""), DIAG_COUNT);
    ck_assert_int_eq(diag_find("e0201"), DIAG_COUNT);
}
END_TEST

START_TEST(counters_add_up)
{
    Compile c;
    compile_init(&c);
    stat_add(&c, "tasks", 2);
    stat_add(&c, "loops", 1);
    stat_add(&c, "tasks", 3);
    ck_assert_int_eq(c.stats.count, 2);
    ck_assert_str_eq(c.stats.entries[0].key, "tasks");
    ck_assert(*(double *)c.stats.entries[0].value == 5);
    compile_free(&c);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("base");
    TCase *group = tcase_create("all");
    tcase_add_test(group, arena_gives_zeroed_aligned_memory);
    tcase_add_test(group, arena_strings);
    tcase_add_test(group, arena_memory_is_zero_after_texts);
    tcase_add_test(group, arena_memory_is_handed_on);
    tcase_add_test(group, arena_texts_fill_blocks);
    tcase_add_test(group, arena_resizes);
    tcase_add_test(group, vectors_grow);
    tcase_add_test(group, interned_strings_are_one);
    tcase_add_test(group, maps_keep_the_order);
    tcase_add_test(group, text_indents_lines);
    tcase_add_test(group, text_takes_long_pieces);
    tcase_add_test(group, positions_in_sources);
    tcase_add_test(group, lines_of_sources);
    tcase_add_test(group, files_lie_end_to_end);
    tcase_add_test(group, spans_are_joined);
    tcase_add_test(group, files_are_read_whole);
    tcase_add_test(group, diagnostics_are_sorted_by_place);
    tcase_add_test(group, the_same_is_said_once);
    tcase_add_test(group, a_hundred_errors_are_shown);
    tcase_add_loop_test(group, warnings_follow_the_options, 0,
                        COUNT(warnings_follow_the_options_table));
    tcase_add_test(group, words_of_c);
    tcase_add_test(group, long_lines_are_cut);
    tcase_add_test(group, carets_count_characters);
    tcase_add_test(group, json_is_escaped);
    tcase_add_test(group, sarif_is_one_object);
    tcase_add_test(group, codes_are_found_by_name);
    tcase_add_test(group, counters_add_up);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
