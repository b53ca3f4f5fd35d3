/* From IR to C text: source, header, manifest. */
#ifndef SNL_EMIT_EMIT_H
#define SNL_EMIT_EMIT_H

#include "ir/ir.h"

/* How sources and headers begin. */
#define EMIT_MADE_BY "/* Made by snlc "

typedef struct {
    const char *prefix;      /* of all C names: program name or --prefix */
    const char *source_name; /* for #line */
    const char *header_name; /* for #include */
    const char *const *extern_headers; /* have the extern functions; else these are linked */
    int extern_header_count;
    bool gpu;                /* write C++ for CUDA */
    bool closed;             /* nothing but its own main, tests and benchmarks calls the program: it
                              * has no C interface */
    int parts;               /* closed: in how many parts it may be compiled */
    bool with_main;          /* main of an executable */
    bool with_tests;         /* test blocks: those that are not @check */
    bool check_tests_only;   /* with_tests: those that are @check instead */
    bool with_benchmarks;    /* benchmark blocks; after the tests */
} EmitOptions;

enum { PARTS_MAX = 4 };

/* Reports extern functions whose name the program's own C has. */
void emit_check_names(Compile *c, const Ir *ir, const EmitOptions *options);
/* The header of the program, for C11 and C++17, and its C source. Returns the number of parts that
 * the C compiler can be asked for by SNL_PART, from 1 on; with 1 of them it is not. */
int emit_files(Compile *c, const Ir *ir, const EmitOptions *options, Text *header, Text *out);
/* The interface for C++17, which includes the header. */
void emit_cpp(Compile *c, const Ir *ir, const EmitOptions *options, Text *out);
/* Kernels, arguments, fields, layouts and sizes as JSON. */
void emit_manifest(Compile *c, const Ir *ir, const EmitOptions *options, Text *out);

#endif
