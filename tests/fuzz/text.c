/* text.c - what libFuzzer and AFL++ hand to the stages of the compiler: FUZZ_TARGET says how far a
 * text goes.
 *
 *   0 scan: the scanner            1 parse: the parser, too
 *   2 format: the formatter        3 check: the checker, the layouts and derivatives
 *   4 layout: reports of layouts   5 emit: intermediate code, passes and C
 * Built by tests/fuzz/run. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ad/ad.h"
#include "check/check.h"
#include "check/prog.h"
#include "emit/emit.h"
#include "fmt/format.h"
#include "fuzz.h"
#include "grammar/tokens.h"
#include "ir/ir.h"
#include "pass/pass.h"

#if FUZZ_TARGET <= 2
static void
try_text(Compile *c, const char *text, size_t bytes)
{
    Source *source = source_add(&c->sources, "fuzz.snl", text, bytes);
#if FUZZ_TARGET == 0
    Tokens tokens = tokens_read(c, source);
    uint32_t from = 0;
    for (int i = 0; i < tokens.count; i++) {
        if (tokens.items[i].span.from < from || tokens.items[i].match >= tokens.count)
            abort(); /* out of order, or a partner that is not there */
        from = tokens.items[i].span.from;
    }
#else
    parse_source(c, source);
#endif
#if FUZZ_TARGET == 2
    Text out;
    text_init(&out, c->arena);
    if (!diag_error_count(c) && !format_source(c, source, &out))
        abort(); /* formatting would change it */
#endif
}
#else
static void
try_text(Compile *c, const char *text, size_t bytes)
{
#if FUZZ_TARGET == 5 /* what is compiled for GPUs, and with checks, follows from the length */
    c->options.gpu = bytes % 3 == 1;
    c->options.check = bytes % 3 == 2 ? CHECK_BOUNDS | CHECK_OVERFLOW | CHECK_RACE : 0;
#endif
    source_overlay(&c->sources, "fuzz.snl", text, bytes);
    Prog *p = check_program(c, "fuzz.snl");
    if (!p || diag_error_count(c))
        return;
    ad_expand(c, p);
    if (diag_error_count(c))
        return;
    Text out;
    text_init(&out, c->arena);
#if FUZZ_TARGET == 4
    LayoutList trees = {p->layouts.items, p->layouts.count};
    layout_print(c, trees, LAYOUT_TEXT, &out);
    layout_print(c, trees, LAYOUT_JSON, &out);
    layout_print_at(c, trees, "x[1, 2]", LAYOUT_TEXT, &out);
    layout_print_at(c, trees, "x[1, 2]", LAYOUT_JSON, &out);
#elif FUZZ_TARGET == 5
    EmitOptions options = {.gpu = c->options.gpu};
    options.prefix = "fuzz";
    options.source_name = "fuzz.c";
    options.header_name = "fuzz.h";
    Ir *ir = ir_lower(c, p);
    passes_run(c, ir, NULL, &out);
    Text header;
    text_init(&header, c->arena);
    if (!diag_error_count(c))
        emit_files(c, ir, &options, &header, &out);
#endif
}
#endif

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    char *text = bytes <= FUZZ_BYTES_MAX ? malloc(bytes + 1) : NULL;
    if (!text)
        return 0;
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    Compile c;
    fuzz_limit(FUZZ_SECONDS_MAX);
    compile_init(&c);
    try_text(&c, text, bytes);
    compile_free(&c);
    fuzz_limit(0);
    free(text);
    return 0;
}
