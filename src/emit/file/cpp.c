/* The interface for C++17: a class that owns an object of the program, throws where a call fails,
 * and shows fields where they lie. Its methods have the names of the functions in C, without the
 * prefix. */
#include "config.h"

#include <string.h>

#include "base/c_words.h"
#include "emit/file/file.h"

/* What a function of the interface is called as a method. */
static const char *
method_name(Emit *e, const char *function)
{
    const char *name = function + strlen(e->prefix) + 1;
    const bool is_own = !strcmp(name, "handle") || !strcmp(name, "defaults") ||
                        !strcmp(name, "check") || !strcmp(name, e->prefix);
    return is_own || c_is_word(intern_str(e->c->intern, name))
               ? arena_printf(e->c->arena, "%s_", name)
               : name;
}

/* "a, a_n0": an argument as it is handed on, behind a comma. */
static void
add_argument(Emit *e, const Func *f, const Var *v, Text *out)
{
    const char *name = name_argument(e, f, v, true);
    text_add(out, ", %s", name);
    for (int d = 0; v->type->kind == TYPE_EXTERN && d < v->type->dim_count; d++)
        text_add(out, ", %s_n%d", name, d);
}

static void
add_parameter(Emit *e, const Func *f, const Var *v, Text *out)
{
    const char *name = name_argument(e, f, v, true);
    if (v->type->kind != TYPE_EXTERN) {
        text_add(out, "%s",
                 type_decl(e, v->type,
                           v->mode == PARAM_INOUT ? arena_printf(e->c->arena, "*%s", name) : name));
        return;
    }
    text_add(out, "%s", type_var_decl(e, v, name));
    for (int d = 0; d < v->type->dim_count; d++)
        text_add(out, ", int64_t %s_n%d", name, d);
}

/* A kernel or host function. */
static void
add_call(Emit *e, const Func *f, Text *out)
{
    const bool has_result = f->result->kind != TYPE_VOID;
    Text line;
    text_init(&line, e->c->arena);
    text_add(&line, "%s %s(", has_result ? type_c(e, f->result) : "void",
             method_name(e, name_func(e, f)));
    for (int i = 0; i < f->params.count; i++) {
        text_add(&line, "%s", i ? ", " : "");
        add_parameter(e, f, f->params.items[i], &line);
    }
    interface_comment(e, out,
                      arena_printf(e->c->arena, "%s, %s",
                                   f->kind == FUNC_KERNEL ? "kernel" : "host function",
                                   stmt_comment_place(e, f->span)),
                      f->span);
    text_line(out, "%s)", text_end(&line));
    text_open(out, "{");
    if (has_result)
        text_line(out, "%s result_;", type_c(e, f->result));
    text_init(&line, e->c->arena);
    for (int i = 0; i < f->params.count; i++)
        add_argument(e, f, f->params.items[i], &line);
    text_line(out, "check(::%s(handle_%s%s));", name_func(e, f), line.count ? line.data : "",
              has_result ? ", &result_" : "");
    if (has_result)
        text_line(out, "return result_;");
    text_close(out, "}");
}

/* Copies of all elements. */
static void
add_whole(Emit *e, const Field *f, Text *out)
{
    const char *type = type_c(e, f->type), *get = interface_field_function(e, f, "get"),
               *set = interface_field_function(e, f, "set");
    if (get) {
        text_line(out, "std::vector<%s> %s()", type, method_name(e, get));
        text_open(out, "{");
        text_line(out, "std::size_t n_ = 1;");
        text_line(out, "for (std::size_t extent : ::snl::extents<%d>(handle_, %d))",
                  f->axis_count, f->id);
        text_line(out, "    n_ *= extent;");
        text_line(out, "std::vector<%s> values_(n_);", type);
        text_line(out, "check(::%s(handle_, values_.data(), static_cast<int64_t>(n_)));", get);
        text_line(out, "return values_;");
        text_close(out, "}");
    }
    if (set) {
        text_line(out, "void %s(const std::vector<%s> &values_)", method_name(e, set), type);
        text_open(out, "{");
        text_line(out,
                  "check(::%s(handle_, values_.data(), static_cast<int64_t>(values_.size())));",
                  set);
        text_close(out, "}");
    }
}

/* Active elements with their indices. */
static void
add_cells(Emit *e, const Field *f, Text *out)
{
    const char *type = type_c(e, f->type), *cells = interface_field_function(e, f, "cells"),
               *set_cells = interface_field_function(e, f, "set_cells");
    if (cells) {
        text_line(out, "::snl::cells<%s> %s()", type, method_name(e, cells));
        text_open(out, "{");
        text_line(out, "int64_t n_ = 0;");
        text_line(out, "check(::%s(handle_, nullptr, nullptr, 0, &n_));", cells);
        text_line(out, "const std::size_t count_ = static_cast<std::size_t>(n_);");
        text_line(out, "::snl::cells<%s> all_;", type);
        text_line(out, "all_.coords.resize(count_ * %d);", f->axis_count);
        text_line(out, "all_.values.resize(count_);");
        text_line(out, "check(::%s(handle_, all_.coords.data(), all_.values.data(), n_, &n_));",
                  cells);
        text_line(out, "return all_;");
        text_close(out, "}");
    }
    if (set_cells) {
        text_line(out, "void %s(const ::snl::cells<%s> &all_)", method_name(e, set_cells), type);
        text_open(out, "{");
        text_line(out, "check(::%s(handle_, all_.coords.data(), all_.values.data(),", set_cells);
        text_line(out, "    static_cast<int64_t>(all_.values.size())));");
        text_close(out, "}");
    }
}

static void
add_field(Emit *e, const Field *f, Text *out)
{
    const char *type = type_c(e, f->type), *view = interface_field_function(e, f, "view");
    interface_comment(e, out, arena_printf(e->c->arena, "field %s %s", f->type->name, f->name),
                      f->span);
    if (view) {
        text_line(out, "::snl::view<%s, %d> %s()", type, f->axis_count, method_name(e, view));
        text_open(out, "{");
        text_line(out, "%s *first_;", type);
        text_line(out, "std::array<std::size_t, %d> strides_{};", f->axis_count);
        text_line(out, "check(::%s(handle_, &first_, strides_.data()));", view);
        text_line(out, "return {first_, ::snl::extents<%d>(handle_, %d), strides_};", f->axis_count,
                  f->id);
        text_close(out, "}");
    }
    if (f->type->scalar != SCALAR_BOOL || f->type->kind != TYPE_SCALAR) { /* vector<bool> is none */
        add_whole(e, f, out);
        add_cells(e, f, out);
    }
    text_newline(out);
}

static void
add_params(Emit *e, Text *out)
{
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *p = e->p->params.items[i];
        if (!p->is_live)
            continue;
        const char *type = type_c(e, p->type), *set = param_setter_name(e, p),
                   *get = param_getter_name(e, p);
        interface_comment(e, out, arena_printf(e->c->arena, "@live param %s", p->name), p->span);
        text_line(out, "void %s(%s value) { check(::%s(handle_, value)); }", method_name(e, set),
                  type, set);
        text_line(out, "%s %s() const", type, method_name(e, get));
        text_open(out, "{");
        text_line(out, "%s value_;", type);
        text_line(out, "check(::%s(handle_, &value_));", get);
        text_line(out, "return value_;");
        text_close(out, "}");
        text_newline(out);
    }
}

static void
add_layouts(Emit *e, Text *out)
{
    for (int i = 0; i < e->p->layouts.count; i++) {
        const Layout *l = e->p->layouts.items[i];
        if (!l->manual || !l->name)
            continue;
        for (int k = NAME_CREATE; k <= NAME_DESTROY; k++) {
            const char *name = name_layout_function(e, k, l);
            text_line(out, "void %s() { check(::%s(handle_)); }", method_name(e, name), name);
        }
        text_newline(out);
    }
}

/* Making, moving, ending. */
static void
add_life(const char *name, const char *p, Text *out)
{
    text_line(out, "using params = ::%s_params;", p);
    text_line(out, "static params defaults() { return ::%s_params_default(); }", p);
    text_newline(out);
    text_line(out, "explicit %s(const params &params_ = defaults(),", name);
    text_line(out, "    const snl_options &options = snl_options())");
    text_open(out, "{");
    text_line(out, "const snl_status status = ::%s_create_with(&params_, &options, &handle_);", p);
    text_open(out, "if (status != SNL_OK) {");
    text_line(out, "const std::string text = handle_ ? ::%s_message(handle_) : \"\";", p);
    text_line(out, "::%s_destroy(handle_);", p);
    text_line(out, "::snl::fail(status, text.c_str());");
    text_close(out, "}");
    text_close(out, "}");
    text_line(out, "%s(%s &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}",
              name, name);
    text_line(out, "%s &operator=(%s &&other) noexcept", name, name);
    text_open(out, "{");
    text_line(out, "std::swap(handle_, other.handle_);");
    text_line(out, "return *this;");
    text_close(out, "}");
    text_line(out, "%s(const %s &) = delete;", name, name);
    text_line(out, "%s &operator=(const %s &) = delete;", name, name);
    text_line(out, "~%s() { ::%s_destroy(handle_); }", name, p);
    text_newline(out);
    text_line(out, "/* The object for the functions of C. */");
    text_line(out, "::%s *handle() const noexcept { return handle_; }", p);
    text_line(out, "void set_threads(int threads) { ::%s_set_threads(handle_, threads); }", p);
    text_line(out, "void set_seed(uint64_t seed) { ::%s_set_seed(handle_, seed); }", p);
    text_newline(out);
}

/* The class of the program; one of these has the name of what all programs share. */
static const char *
class_name(Emit *e)
{
    static const char *const shared[] = {"error", "view", "cells", "extents", "fail"};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (!strcmp(e->prefix, shared[i]))
            return arena_printf(e->c->arena, "%s_", e->prefix);
    return e->prefix;
}

void
emit_cpp(Compile *c, const Ir *ir, const EmitOptions *options, Text *out)
{
    Emit e;
    Text unused;
    interface_start(&e, c, ir, options);
    text_init(&unused, c->arena);
    interface_types(&e, &unused); /* the names that structs have in the header */
    const char *name = class_name(&e);
    const char *path = ir->prog->source->path, *slash = strrchr(path, '/');
    text_line(out, EMIT_MADE_BY "from %s. */", slash ? slash + 1 : path);
    text_line(out, "#ifndef SNL_PROGRAM_%s_HPP", e.prefix);
    text_line(out, "#define SNL_PROGRAM_%s_HPP", e.prefix);
    text_newline(out);
    text_line(out, "#include <snl/snl_cpp.h>");
    text_line(out, "#include \"%s\"", options->header_name);
    text_newline(out);
    text_line(out, "namespace snl {");
    text_newline(out);
    text_line(out, "/* An object of the program; a call that fails throws snl::error. */");
    text_line(out, "class %s {", name);
    text_line(out, "public:");
    out->indent++;
    add_life(name, e.prefix, out);
    add_params(&e, out);
    add_layouts(&e, out);
    for (int i = 0; i < e.p->funcs.count; i++)
        if (func_is_exported(e.p->funcs.items[i]))
            add_call(&e, e.p->funcs.items[i], out);
    text_newline(out);
    for (int i = 0; i < e.p->fields.count; i++)
        add_field(&e, e.p->fields.items[i], out);
    text_flush_left(out, "private:");
    text_line(out, "void check(snl_status status) const");
    text_open(out, "{");
    text_line(out, "if (status != SNL_OK)");
    text_line(out, "    ::snl::fail(status, ::%s_message(handle_));", e.prefix);
    text_close(out, "}");
    text_line(out, "::%s *handle_ = nullptr;", e.prefix);
    text_close(out, "};");
    text_newline(out);
    text_line(out, "}");
    text_newline(out);
    text_line(out, "#endif");
}
