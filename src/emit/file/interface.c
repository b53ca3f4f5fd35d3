/* The C interface: the instance of a program, its life, whole fields. */
#include "config.h"

#include <string.h>

#include "base/comment.h"
#include "emit/file/file.h"
#include "ir/inst_info.h"
#include "ir/lower.h"

/* The functions of a field: what they do and their parameters after the program; NAME is the
 * field's. */
static const struct {
    const char *verb, *parameters;
} field_functions[NAME_FIELD_FUNCTIONS] = {
    {"get", "%s *values, int64_t n"},
    {"set", "const %s *values, int64_t n"},
    {"view", "%s **first, size_t *strides"},
    {"cells", "int64_t *coords, %s *values, int64_t max, int64_t *count"},
    {"set_cells", "const int64_t *coords, const %s *values, int64_t n"},
};
static const char *const fields_comment[] = {
    "/* Whole fields.",
    " * get, set    copy all elements, row-major; n is their number",
    " * view        gives the first element's address, and the bytes to the next along each index",
    " * cells       lists indices and values of at most max active elements, either may be NULL;",
    " *             count is set to how many there are",
    " * set_cells   writes n elements by their indices, and activates their cells",
    " * Index a of element n is coords[n * axes + a]. */",
};

/* Name and parameters. */
static const char *
field_signature(Emit *e, const Field *f, int k, const char *program)
{
    const char *parameters =
        arena_printf(e->c->arena, field_functions[k].parameters, type_c(e, f->type));
    return arena_printf(e->c->arena, "%s(%s *%s, %s)",
                        name_field_function(e, k, field_functions[k].verb, f), e->prefix, program,
                        parameters);
}

/* A function of the program may have the name. */
static bool
name_is_free(Emit *e, const Field *f, int k)
{
    const char *name =
        arena_printf(e->c->arena, "%s_%s", field_functions[k].verb, name_field(e, f));
    return !map_get(&e->exported, intern_str(e->c->intern, name));
}

/* After name_interface. */
static bool
field_function_exists(Emit *e, const Field *f, int k)
{
    return name_known(e, NAME_FIELD + k, f);
}

const char *
interface_field_function(Emit *e, const Field *f, const char *verb)
{
    for (int k = 0; k < NAME_FIELD_FUNCTIONS; k++)
        if (!strcmp(field_functions[k].verb, verb) && field_function_exists(e, f, k))
            return name_field_function(e, k, verb, f);
    return NULL;
}

/* Gives the functions of layouts and fields their names, which the header and the source must agree
 * on, before any other. */
static void
name_interface(Emit *e)
{
    for (int i = 0; i < e->p->layouts.count; i++) {
        const Layout *l = e->p->layouts.items[i];
        if (!l->manual || !l->name)
            continue;
        name_layout_function(e, NAME_CREATE, l);
        name_layout_function(e, NAME_DESTROY, l);
    }
    for (int i = 0; i < e->p->fields.count; i++)
        for (int k = 0; k < NAME_FIELD_FUNCTIONS; k++)
            if (name_is_free(e, e->p->fields.items[i], k))
                name_field_function(e, k, field_functions[k].verb, e->p->fields.items[i]);
    param_names(e);
}

/* Kinds of casts. */
typedef struct {
    bool to_integer, to_float;
} Casts;

static void
note_cast(Inst *i, void *arg)
{
    Casts *k = arg;
    if (i->kind != INST_CAST)
        return;
    const bool from_float = type_is_float(i->args.items[0]->type),
               is_float = type_is_float(i->type);
    k->to_integer |= from_float && !is_float;
    k->to_float |= !from_float && is_float;
}

static void
note_casts(Block *b, void *arg)
{
    block_walk(b, note_cast, arg);
}

static bool
casts_back(const Ir *ir)
{
    Casts k = {0};
    for (int i = 0; i < ir->funcs.count && !(k.to_integer && k.to_float); i++)
        ir_walk_blocks(ir->funcs.items[i], note_casts, &k);
    return k.to_integer && k.to_float;
}

void
interface_start(Emit *e, Compile *c, const Ir *ir, const EmitOptions *options)
{
    *e = (Emit){.c = c, .arena = c->arena, .ir = ir, .p = ir->prog, .o = options};
    text_init(&e->types, c->arena);
    text_init(&e->helpers, c->arena);
    text_init(&e->prototypes, c->arena);
    text_init(&e->code, c->arena);
    map_init(&e->made, c->arena);
    e->random = ir->uses_random;
    e->casts_back = casts_back(ir);
    for (int i = 0; i < e->p->layouts.count; i++)
        for (int n = 0; n < e->p->layouts.items[i]->nodes.count; n++) {
            /* 0: known when the program runs */
            int64_t cells = e->p->layouts.items[i]->nodes.items[n]->cell_count;
            e->has_large = e->has_large || cells < 1 || cells > INT32_MAX;
        }
    map_init(&e->exported, c->arena);
    for (int i = 0; i < e->p->funcs.count; i++)
        if (func_is_exported(e->p->funcs.items[i]))
            map_put(&e->exported, intern_str(c->intern, e->p->funcs.items[i]->unique), e);
    names_start(e, options->prefix);
    name_interface(e);
    place_names(e);
    names_keep_externs(e);
}

/* True when the program has string params. */
static bool
has_texts(Emit *e)
{
    bool found = false;
    for (int i = 0; i < e->p->params.count; i++)
        found = found || e->p->params.items[i]->text;
    return found;
}

/* ---- the header ---- */

void
interface_types(Emit *e, Text *out)
{
    for (int i = 0; i < e->p->params.count; i++)
        type_define(e, e->p->params.items[i]->type, out);
    for (int i = 0; i < e->p->fields.count; i++)
        type_define(e, e->p->fields.items[i]->type, out);
    for (int i = 0; i < e->p->funcs.count; i++) {
        const Func *f = e->p->funcs.items[i];
        if (!func_is_exported(f) && f->kind != FUNC_EXTERN)
            continue;
        type_define(e, f->result, out);
        for (int k = 0; k < f->params.count; k++)
            type_define(e, f->params.items[k]->type, out);
    }
}

/* A comment in C: what something is, then what the comment of the program says of it. */
void
interface_comment(Emit *e, Text *out, const char *what, Span span)
{
    const char *doc = comment_of(e->c->arena, &e->c->sources, span);
    text_add(out, "/* %s", what);
    for (const char *s = doc ? doc : ""; *s; s += strcspn(s, "\n"), s += *s == '\n') {
        if (*what || s > doc) {
            text_newline(out);
            text_add(out, s[0] == '\n' ? " *" : " * ");
        }
        for (const char *c = s; *c && *c != '\n'; c++) /* neither ends nor begins another comment */
            text_add(out, "%c%s", (unsigned char)*c < ' ' ? ' ' : *c,
                     (*c == '*' && c[1] == '/') || (*c == '/' && c[1] == '*') ? " " : "");
    }
    text_add(out, " */");
    text_newline(out);
}

static void
declare_params(Emit *e, Text *out)
{
    text_line(out, "/* The parameters of the program.%s */",
              has_texts(e) ? " An instance keeps a copy of the strings." : "");
    text_open(out, "typedef struct %s_params {", e->prefix);
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *p = e->p->params.items[i];
        if (comment_of(e->c->arena, &e->c->sources, p->span))
            interface_comment(e, out, "", p->span);
        text_line(out, "%s;", type_decl(e, p->type, name_param(e, p)));
    }
    if (!e->p->params.count)
        text_line(out, "char none;");
    text_close(out, "} %s_params;", e->prefix);
    text_newline(out);
}

static void
declare_life(Emit *e, Text *out)
{
    const char *p = e->prefix;
    text_line(out, "/* The values that the program gives its parameters. */");
    text_line(out, "%s_params %s_params_default(void);", p, p);
    text_newline(out);
    text_line(out, "/* Makes an instance of the program; params and options may be NULL. After an "
                   "error *out is NULL,");
    text_line(out, " * or an instance that knows the message; destroy it in any case. */");
    text_line(out, "snl_status %s_create(const %s_params *params, %s **out);", p, p, p);
    text_line(
        out,
        "snl_status %s_create_with(const %s_params *params, const snl_options *options, %s **out);",
        p, p, p);
    text_newline(out);
    text_line(out, "/* Ends an instance and frees all it holds; NULL is ignored. */");
    text_line(out, "void %s_destroy(%s *program);", p, p);
    text_newline(out);
    text_line(out, "/* \"file:line: text\" of the last error, \"\" without one. */");
    text_line(out, "const char *%s_message(const %s *program);", p, p);
    text_newline(out);
    text_line(out, "/* Number of threads of later calls, at least 1; seed of all random numbers "
                   "that follow. */");
    text_line(out, "void %s_set_threads(%s *program, int threads);", p, p);
    text_line(out, "void %s_set_seed(%s *program, uint64_t seed);", p, p);
    text_newline(out);
}

static void
declare_functions(Emit *e, Text *out)
{
    for (int i = 0; i < e->p->funcs.count; i++) {
        const Func *f = e->p->funcs.items[i];
        if (!func_is_exported(f))
            continue;
        interface_comment(e, out,
                    arena_printf(e->c->arena, "%s, %s",
                                 f->kind == FUNC_KERNEL ? "kernel" : "host function",
                                 stmt_comment_place(e, f->span)),
                    f->span);
        text_line(out, "%s;", func_signature(e, f, true));
    }
    text_newline(out);
}

bool
interface_declares_extern(const Emit *e)
{
    for (int i = 0; i < e->p->funcs.count; i++)
        if (e->p->funcs.items[i]->kind == FUNC_EXTERN)
            return !e->o->extern_header_count;
    return false;
}

static void
declare_extern_functions(Emit *e, Text *out)
{
    if (!interface_declares_extern(e))
        return;
    for (int i = 0; i < e->p->funcs.count; i++) {
        const Func *f = e->p->funcs.items[i];
        if (f->kind != FUNC_EXTERN)
            continue;
        text_line(out, "/* extern function, %s */", stmt_comment_place(e, f->span));
        text_line(out, "%s;", func_signature(e, f, true));
    }
    text_newline(out);
}

/* "f32 x[128, ?], first index -64, 0": a field with its extents; those that are known at run time
 * only are question marks. */
static const char *
field_text(Emit *e, const Field *f)
{
    bool has_offset = false;
    const char *text = arena_printf(e->c->arena, "%s %s[", f->type->name, f->name);
    for (int k = 0; k < f->axis_count; k++) {
        text = arena_printf(e->c->arena, f->extents[k] ? "%s%s%lld" : "%s%s?", text, k ? ", " : "",
                            (long long)f->extents[k]);
        has_offset = has_offset || f->offsets[k];
    }
    text = arena_printf(e->c->arena, "%s]", text);
    for (int k = 0; has_offset && k < f->axis_count; k++)
        text = arena_printf(e->c->arena, "%s, %s%lld", text, k ? "" : "first index ",
                            (long long)f->offsets[k]);
    return text;
}

void
interface_declare(Emit *e, Text *out)
{
    text_line(out, "typedef struct %s %s;", e->prefix, e->prefix);
    text_newline(out);
    interface_types(e, out);
    declare_param_words(e, out);
    declare_params(e, out);
    if (e->o->closed)
        return;
    declare_life(e, out);
    declare_live_params(e, out);
    for (int i = 0; i < e->p->layouts.count; i++) {
        const Layout *l = e->p->layouts.items[i];
        if (!l->manual || !l->name)
            continue;
        text_line(out, "/* Makes and frees the fields of layout '%s'. */", l->name);
        text_line(out, "snl_status %s(%s *program);", name_layout_function(e, NAME_CREATE, l),
                  e->prefix);
        text_line(out, "snl_status %s(%s *program);", name_layout_function(e, NAME_DESTROY, l),
                  e->prefix);
        text_newline(out);
    }
    declare_functions(e, out);
    declare_extern_functions(e, out);
    for (size_t i = 0; e->p->fields.count && i < sizeof fields_comment / sizeof *fields_comment;
         i++)
        text_line(out, "%s", fields_comment[i]);
    for (int i = 0; i < e->p->fields.count; i++) {
        const Field *f = e->p->fields.items[i];
        text_newline(out);
        interface_comment(e, out, arena_printf(e->c->arena, "field %s", field_text(e, f)), f->span);
        for (int k = 0; k < NAME_FIELD_FUNCTIONS; k++)
            if (field_function_exists(e, f, k))
                text_line(out, "snl_status %s;", field_signature(e, f, k, "program"));
    }
}

/* ---- the instance ---- */

void
interface_instance(Emit *e, Text *out)
{
    text_open(out, "struct %s {", e->prefix);
    text_line(out, "SnlInstance rt;");
    text_line(out, "SnlAllocator allocator;    /* of this struct */");
    text_line(out, "%s_params params;", e->prefix);
    if (has_texts(e))
        text_line(out, "void *texts;               /* what the strings in params point into */");
    text_line(out, "SnlTree *trees[%d];", e->p->layouts.count ? e->p->layouts.count : 1);
    text_line(out, "bool progress;");
    text_close(out, "};");
    text_newline(out);
}

/* What stands before the type of a function of the interface that main uses as well. */
static const char *
interface_storage(const Emit *e)
{
    return e->o->closed ? "static " : "";
}

static void
emit_params_default(Emit *e, Text *out)
{
    text_line(out, "%s%s_params", interface_storage(e), e->prefix);
    text_line(out, "%s_params_default(void)", e->prefix);
    text_open(out, "{");
    text_line(out, "%s_params p = {0};", e->prefix);
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *p = e->p->params.items[i];
        if (p->text) {
            text_line(out, "p.%s = %s;", name_param(e, p),
                      value_string(e, p->text, strlen(p->text)));
            continue;
        }
        const char *text = value_braces(e, p->type, p->value.leaves);
        text_line(out, p->type->kind == TYPE_SCALAR ? "p.%s = %s;" : "p.%s = (%s)%s;",
                  name_param(e, p), p->type->kind == TYPE_SCALAR ? text : type_c(e, p->type),
                  text);
    }
    text_line(out, "return p;");
    text_close(out, "}");
    text_newline(out);
}

/* The sizes of a layout that depend on parameters. */
static void
emit_sizes(Emit *e, Layout *l)
{
    for (int i = 0; i < l->nodes.count; i++)
        for (int k = 0; k < l->nodes.items[i]->axis_count; k++) {
            const Node *n = l->nodes.items[i];
            if (!n->size_expr[k])
                continue;
            Func func = {.kind = FUNC_HOST,
                         .name = "sizes",
                         .unique = "sizes",
                         .result = type_void(e->p->types)};
            IrFunc f = {.func = &func, .body = ARENA_NEW(e->c->arena, Block)};
            Lower lower = {.c = e->c, .p = e->p, .f = &f, .block = f.body, .span = n->span};
            const unsigned check = e->c->options.check;
            e->c->options.check |= CHECK_SIZES;
            f.body->result = lower_cast(&lower, lower_expr(&lower, n->size_expr[k]), SCALAR_I64);
            e->c->options.check = check;
            Text *out = e->out;
            func_begin(e, &f);
            e->out = out;
            e->fn.leave = LEAVE_STATUS;
            bool plain = stmt_block_is_expression(e, f.body);
            if (!plain)
                text_open(out, "{");
            stmt_write(e, f.body);
            text_line(out, "sizes[%d] = %s;", i * AXIS_MAX + k,
                      value_text(e, f.body->result, PREC_ASSIGN));
            int64_t most = node_size_max(n, k);
            text_line(out, "if (snl_fail_size(&self->rt, %s, %s, sizes[%d], %s))",
                      stmt_where(e, n->span),
                      value_string(e, n->size_text[k], strlen(n->size_text[k])), i * AXIS_MAX + k,
                      most == INT64_MAX ? "INT64_MAX"
                                        : arena_printf(e->c->arena, "%lld", (long long)most));
            text_line(out, "    return snl_status_of(&self->rt);");
            if (!plain)
                text_close(out, "}");
        }
}

static void
emit_create_tree(Emit *e, Text *out)
{
    int most = 1;
    bool made = false;
    for (int i = 0; i < e->p->layouts.count; i++) {
        const Layout *l = e->p->layouts.items[i];
        most = l->nodes.count > most ? l->nodes.count : most;
        made = made || !l->manual || l->name;
    }
    if (!made)
        return;
    const char *name = name_part(e, "create_tree");
    text_line(&e->prototypes, "static snl_status %s(%s *self, int number);", name, e->prefix);
    text_line(out, "/* Makes the tree of a layout. */");
    text_line(out, "static snl_status");
    text_line(out, "%s(%s *self, int number)", name, e->prefix);
    text_open(out, "{");
    text_line(out, "int64_t sizes[%d * SNL_AXES] = {0};", most);
    text_open(out, "switch (number) {");
    e->out = out;
    for (int i = 0; i < e->p->layouts.count; i++) {
        out->indent--;
        text_open(out, "case %d:", i);
        emit_sizes(e, e->p->layouts.items[i]);
        text_line(out,
                  "return snl_program_create(&self->rt, self->trees, %d, &snl_tree_%d, sizes);", i,
                  i);
    }
    text_close(out, "}");
    text_line(out, "return SNL_OK;");
    text_close(out, "}");
    text_newline(out);
}

/* Lists the strings among the params and copies them. */
static void
emit_texts(Emit *e, Text *out)
{
    int count = 0;
    text_open(out, "static const SnlTextParam texts[] = {");
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *p = e->p->params.items[i];
        if (!p->text)
            continue;
        text_line(out, "{\"%s\", offsetof(%s_params, %s)},", p->name, e->prefix,
                  name_param(e, p));
        count++;
    }
    text_close(out, "};");
    text_line(out, "self->texts = snl_texts_copy(&self->rt, &self->params, %d, texts);", count);
    text_line(out, "if (!self->texts)");
    text_line(out, "    return snl_status_of(&self->rt);");
}

/* Where the layouts stand that are made at once. */
static void
emit_places(Emit *e, Text *out)
{
    text_open(out, "static const struct { const char *file; int line; } places[] = {");
    for (int i = 0; i < e->p->layouts.count; i++) {
        const Layout *l = e->p->layouts.items[i];
        text_line(out, "{%s},", l->manual ? "NULL, 0" : stmt_where(e, l->span));
    }
    text_close(out, "};");
}

static void
emit_create(Emit *e, Text *out)
{
    const char *p = e->prefix;
    bool automatic = false;
    text_line(out, "%ssnl_status", interface_storage(e));
    text_line(out, "%s_create_with(const %s_params *params, const snl_options *options, %s **out)",
              p, p, p);
    text_open(out, "{");
    text_line(out, "const snl_options none = {0}, *const o = options ? options : &none;");
    text_line(out, "if (!out)");
    text_line(out, "    return SNL_EINVAL;");
    if (e->o->gpu) {
        text_line(out, "SnlAllocator memory = o->allocator;");
        text_line(out, "const char *const trouble = snl_gpu_memory(&memory, o->device);");
    }
    const char *memory = e->o->gpu ? "memory" : "o->allocator";
    text_line(out, "%s *const self = (%s *)snl_instance_new(sizeof *self, &%s);", p, p, memory);
    text_line(out, "*out = self;");
    text_line(out, "if (!self)");
    text_line(out, "    return SNL_ENOMEM;");
    text_line(out, "self->allocator = %s;", memory);
    text_line(out, "self->params = params ? *params : %s_params_default();", p);
    text_line(out, "snl_instance_init(&self->rt, &%s, o->threads, o->seed, o->memory_limit);",
              memory);
    if (e->o->gpu) {
        text_line(out, "if (snl_gpu_open(&self->rt, o->device, o->stream, trouble)%s)",
                  gpu_sync_recurses(e) ? " || snl_gpu_recurse(&self->rt)" : "");
        text_line(out, "    return snl_status_of(&self->rt);");
    }
    text_line(out, "self->rt.program = &snl_program;");
    text_line(out, "self->rt.trees = self->trees;");
    text_line(out, "self->rt.print = o->print;");
    text_line(out, "self->rt.print_context = o->print_context;");
    if (has_texts(e))
        emit_texts(e, out);
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *param = e->p->params.items[i];
        emit_word_check(
            param, arena_printf(e->c->arena, "self->params.%s", name_param(e, param)), out);
    }
    for (int i = 0; i < e->p->layouts.count; i++)
        automatic = automatic || !e->p->layouts.items[i]->manual;
    if (automatic) {
        emit_places(e, out);
        text_line(out, "for (int i = 0; i < %d; i++)", e->p->layouts.count);
        text_open(out, "    if (places[i].file && %s(self, i)) {", name_part(e, "create_tree"));
        text_line(out, "    snl_error_at(&self->rt, places[i].file, places[i].line);");
        text_line(out, "    return snl_status_of(&self->rt);");
        text_close(out, "    }");
    }
    text_line(out, "return SNL_OK;");
    text_close(out, "}");
    text_newline(out);
}

/* The end of an instance and its message. */
static void
emit_destroy(Emit *e, Text *out)
{
    const char *p = e->prefix;
    text_line(out, "%svoid", interface_storage(e));
    text_line(out, "%s_destroy(%s *self)", p, p);
    text_open(out, "{");
    text_line(out, "if (!self)");
    text_line(out, "    return;");
    gpu_sync_wait(e, out);
    text_line(out, "for (int i = 0; i < %d; i++)", e->p->layouts.count);
    text_line(out, "    snl_tree_destroy(self->trees[i]);");
    if (has_texts(e))
        text_line(out, "snl_texts_free(&self->rt, self->texts);");
    if (e->o->gpu)
        text_line(out, "snl_gpu_close(&self->rt);");
    text_line(out, "snl_instance_free(&self->rt);");
    text_line(out, "snl_instance_delete(self, sizeof *self, &self->allocator);");
    text_close(out, "}");
    text_newline(out);
    text_line(out, "%sconst char *", interface_storage(e));
    text_line(out, "%s_message(const %s *self)", p, p);
    text_open(out, "{");
    text_line(out, "return snl_message(self);");
    text_close(out, "}");
    text_newline(out);
}

/* What only C that calls the program asks for. */
static void
emit_life(Emit *e, Text *out)
{
    const char *p = e->prefix;
    text_line(out, "snl_status");
    text_line(out, "%s_create(const %s_params *params, %s **out)", p, p, p);
    text_open(out, "{");
    text_line(out, "return %s_create_with(params, NULL, out);", p);
    text_close(out, "}");
    text_newline(out);
    text_line(out, "void");
    text_line(out, "%s_set_threads(%s *self, int threads)", p, p);
    text_open(out, "{");
    text_line(out, "snl_threads_start(&self->rt, threads > 1 ? threads : 1);");
    text_close(out, "}");
    text_newline(out);
    text_line(out, "void");
    text_line(out, "%s_set_seed(%s *self, uint64_t seed)", p, p);
    text_open(out, "{");
    gpu_sync_wait(e, out);
    text_line(out, "%s(&self->rt, seed);", e->o->gpu ? "snl_gpu_seed" : "snl_instance_seed");
    text_close(out, "}");
    text_newline(out);
}

static void
emit_manual(Emit *e, Text *out)
{
    for (int i = 0; i < e->p->layouts.count; i++) {
        const Layout *l = e->p->layouts.items[i];
        if (!l->manual || !l->name)
            continue;
        text_line(out, "snl_status");
        text_line(out, "%s(%s *self)", name_layout_function(e, NAME_CREATE, l), e->prefix);
        text_open(out, "{");
        text_line(out, "snl_clear_error(&self->rt);");
        text_line(out, "return %s(self, %d);", name_part(e, "create_tree"), i);
        text_close(out, "}");
        text_newline(out);
        text_line(out, "snl_status");
        text_line(out, "%s(%s *self)", name_layout_function(e, NAME_DESTROY, l), e->prefix);
        text_open(out, "{");
        text_line(out, "snl_clear_error(&self->rt);");
        gpu_sync_wait(e, out);
        text_line(out, "return snl_program_destroy(&self->rt, self->trees, %d, %s);", i,
                  value_string(e, l->name, strlen(l->name)));
        text_close(out, "}");
        text_newline(out);
    }
}

/* ---- fields ---- */

static void
emit_field_body(Emit *e, const Field *f, int k, Text *out)
{
    const char *desc = arena_printf(e->c->arena, "&%s", name_field_desc(e, f));
    const char *verb = field_functions[k].verb;
    if (!strcmp(verb, "view")) {
        text_line(out, "void *at;");
        text_line(out,
                  "const snl_status status = snl_field_strides(&self->rt, self->trees, %s, &at, "
                  "strides);",
                  desc);
        text_line(out, "if (first)");
        text_line(out, "    *first = (%s *)at;", type_c(e, f->type));
        text_line(out, "return status;");
        return;
    }
    const char *args = !strcmp(verb, "cells")       ? "coords, values, max, count"
                       : !strcmp(verb, "set_cells") ? "coords, values, n"
                                                    : "values, n";
    text_line(out, "return snl_field_%s(&self->rt, self->trees, %s, %s);", verb, desc, args);
}

static void
emit_field_functions(Emit *e, const Field *f, Text *out)
{
    for (int k = 0; k < NAME_FIELD_FUNCTIONS; k++) {
        if (!field_function_exists(e, f, k))
            continue;
        text_line(out, "snl_status");
        text_line(out, "%s", field_signature(e, f, k, "self"));
        text_open(out, "{");
        text_line(out, "snl_clear_error(&self->rt);");
        gpu_sync_wait(e, out);
        emit_field_body(e, f, k, out);
        text_close(out, "}");
        text_newline(out);
    }
}

void
interface_functions(Emit *e, Text *out)
{
    emit_params_default(e, out);
    emit_create_tree(e, out);
    emit_create(e, out);
    emit_destroy(e, out);
    if (e->o->closed)
        return;
    emit_life(e, out);
    emit_live_params(e, out);
    emit_manual(e, out);
    for (int i = 0; i < e->p->fields.count; i++)
        emit_field_functions(e, e->p->fields.items[i], out);
}
