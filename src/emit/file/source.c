/* The source file and the header as a whole. */
#include "config.h"

#include <string.h>

#include "emit/file/file.h"

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* All that stands before the functions; returns the number of parts. */
static int
start_source(Emit *e, const Text *instance, const Text *tables, Text *out)
{
    text_line(out, EMIT_MADE_BY "from %s. */", base_name(e->p->source->path));
    text_line(out, "#include \"%s\"", e->o->header_name);
    text_newline(out);
    if (e->o->gpu)
        text_line(out, "#define SNL_GPU");
    if (e->c->options.fast)
        text_line(out, "#define SNL_FAST");
    text_line(out, "#include <snl/snlrt.h>");
    for (int i = 0; i < e->o->extern_header_count; i++)
        text_line(out, "#include %s",
                  value_string(e, e->o->extern_headers[i], strlen(e->o->extern_headers[i])));
    text_newline(out);
    const int parts = parts_share(e, out);
    wrap_lines(out, &e->types);
    wrap_lines(out, instance);
    wrap_lines(out, tables);
    wrap_lines(out, &e->prototypes);
    if (e->prototypes.count)
        text_newline(out);
    wrap_lines(out, &e->helpers);
    return parts;
}

static void
emit_header(Emit *e, Text *out)
{
    Arena *arena = e->c->arena;
    Text interface;
    text_line(out, EMIT_MADE_BY "from %s. */", base_name(e->p->source->path));
    text_line(out, "#ifndef SNL_PROGRAM_%s", e->prefix);
    text_line(out, "#define SNL_PROGRAM_%s", e->prefix);
    text_newline(out);
    text_line(out, "#include <stdbool.h>");
    text_line(out, "#include <snl/snl_api.h>");
    text_newline(out);
    text_line(out, "#ifdef __cplusplus");
    if (interface_declares_extern(
            e)) { /* of the C library, perhaps: its noexcept must come first */
        text_line(out, "#include <math.h>");
        text_line(out, "#include <stdlib.h>");
        text_line(out, "#include <string.h>");
    }
    text_line(out, "extern \"C\" {");
    text_line(out, "#endif");
    text_newline(out);
    text_init(&interface, arena);
    interface_declare(e, &interface);
    wrap_lines(out, &interface);
    text_newline(out);
    text_line(out, "#ifdef __cplusplus");
    text_line(out, "}");
    text_line(out, "#endif");
    text_newline(out);
    text_line(out, "#endif");
}

static void
write_main(Emit *e, Text *out)
{
    const bool parted = e->parted.count > 0;
    if (parted)
        text_flush_left(out, "#if SNL_IN_PART(1)");
    main_write(e, out);
    if (parted)
        text_flush_left(out, "#endif");
}

void
emit_check_names(Compile *c, const Ir *ir, const EmitOptions *options)
{
    Emit e;
    interface_start(&e, c, ir, options);
    for (int i = 0; i < e.p->funcs.count; i++) {
        const Func *f = e.p->funcs.items[i];
        if (f->kind == FUNC_EXTERN && name_clashes(&e, f))
            diag_fix(diag(c, E0207, f->span,
                          "'%s' is a name of the C that is made of this program, which no extern "
                          "function can have",
                          f->name),
                     "another name");
    }
}

int
emit_files(Compile *c, const Ir *ir, const EmitOptions *options, Text *header, Text *out)
{
    Emit e;
    Text head, tables, interface, instance, program;
    interface_start(&e, c, ir, options);
    text_init(&head, c->arena);
    text_init(&tables, c->arena);
    text_init(&interface, c->arena);
    text_init(&instance, c->arena);
    text_init(&program, c->arena);
    emit_header(&e, header); /* the source uses its types */
    interface_instance(&e, &instance);
    func_all(&e);
    table_all(&e, &tables);
    interface_functions(&e, &interface);
    if (options->with_main || options->with_tests || options->with_benchmarks)
        write_main(&e, &program);
    const int parts = start_source(&e, &instance, &tables, &head);
    if (c->options.no_line) {
        text_raw(out, head.data, head.count);
        wrap_lines(out, &e.code);
    } else { /* its lines are counted: none can be added */
        text_raw(out, head.data, head.count);
        const char *source = stmt_mapped_path(&e, options->source_name);
        lines_number(out, &e.code, value_string(&e, source, strlen(source)));
        text_free(&e.code);
    }
    wrap_lines(out, &interface);
    wrap_lines(out, &program);
    return parts;
}
