/* fuzz.c - what libFuzzer and AFL++ hand to the stages of the compiler: FUZZ_TARGET says how far the text goes.
 *
 *   0 parse: scanner and parser    1 format: the formatter    2 check: the checker and the layouts    3 layout: reports of layouts
 *   4 emit: intermediate code, passes and C
 * Built by `make fuzz`. With FUZZ_MAIN the program takes the names of files instead, to try finds again.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "check/prog.h"
#include "emit/emit.h"
#include "fmt/format.h"
#include "ir/ir.h"
#include "pass/pass.h"

enum { BYTES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

#if FUZZ_TARGET == 0 || FUZZ_TARGET == 1
static void
try_text(Compile *c, const char *text, size_t bytes)
{
    Source *source = source_add(&c->sources, "fuzz.snl", text, bytes);
    parse_source(c, source);
#if FUZZ_TARGET == 1
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
    source_overlay(&c->sources, "fuzz.snl", text, bytes);
    Prog *p = check_program(c, "fuzz.snl");
    if (!p || diag_error_count(c))
        return;
    Text out;
    text_init(&out, c->arena);
#if FUZZ_TARGET == 3
    LayoutList trees = {p->layouts.items, p->layouts.count};
    layout_print(c, trees, LAYOUT_TEXT, &out);
    layout_print(c, trees, LAYOUT_JSON, &out);
    layout_print_at(c, trees, "x[1, 2]", &out);
#elif FUZZ_TARGET == 4
    EmitOptions options = {0};
    options.prefix = "fuzz";
    options.source_name = "fuzz.c";
    options.header_name = "fuzz.h";
    Ir *ir = ir_lower(c, p);
    passes_run(c, ir, NULL, &out);
    if (!diag_error_count(c))
        emit_source(c, ir, &options, &out);
#endif
}
#endif

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    if (bytes > BYTES_MAX)
        return 0;
    char *text = malloc(bytes + 1);
    if (!text)
        return 0;
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    Compile c;
    compile_init(&c);
    try_text(&c, text, bytes);
    compile_free(&c);
    free(text);
    return 0;
}

#ifdef FUZZ_MAIN
int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        static unsigned char data[BYTES_MAX];
        FILE *in = fopen(argv[i], "rb");
        if (!in)
            continue;
        LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof data, in));
        fclose(in);
    }
    return 0;
}
#endif
