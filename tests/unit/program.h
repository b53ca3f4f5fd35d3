/* program.h - small programs for the tests of the scanner, parser, checker and interpreter: parsed
 * from text, or checked from a file in the folder of the test. Memory belongs to the Compile. */
#ifndef SNL_TESTS_PROGRAM_H
#define SNL_TESTS_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_data.h"
#include "check/prog.h"
#include "suite.h"

/* Rows of a table, for tests that run once a row. */
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

/* Parses a text; c is initialised here. */
static inline Module *
parse_bytes(Compile *c, const char *text, size_t bytes)
{
    compile_init(c);
    return parse_source(c, source_add(&c->sources, "test.snl", text, bytes));
}

/* Parses a text that ends with a NUL. */
static inline Module *
parse_text(Compile *c, const char *text)
{
    return parse_bytes(c, text, strlen(text));
}

/* Parses one expression. */
static inline Expr *
parse_expr(Compile *c, const char *text)
{
    static char program[100000];
    snprintf(program, sizeof program, "const A = %s;", text);
    Module *m = parse_text(c, program);
    ck_assert_int_eq(m->items.count, 1);
    return m->items.items[0]->expr;
}

/* Checks a program; c is initialised here. */
static inline Prog *
check_text(Compile *c, const char *text)
{
    FILE *f = fopen("test.snl", "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
    compile_init(c);
    Prog *p = check_program(c, "test.snl");
    ck_assert_ptr_nonnull(p);
    return p;
}

/* How often a code was reported. */
static inline int
count_code(const Compile *c, DiagCode code)
{
    int count = 0;
    for (int i = 0; i < c->diags.count; i++)
        count += c->diags.items[i]->code == code;
    return count;
}

/* The codes reported, in order, separated by blanks. */
static inline const char *
codes_said(Compile *c)
{
    Text t;
    text_init(&t, c->arena);
    for (int i = 0; i < c->diags.count; i++)
        text_add(&t, "%s%s", i ? " " : "", diag_info(c->diags.items[i]->code)->name);
    return t.data ? t.data : "";
}

/* The text that a span covers. */
static inline const char *
span_text(Compile *c, Span s)
{
    const Source *f = source_find(&c->sources, s.from);
    return f ? arena_strndup(c->arena, f->text + (s.from - f->base), s.to - s.from) : "";
}

#endif
