/* main() of an executable: what snl_main asks of the program, its params and its tests. */
#include "config.h"

#include <string.h>

#include "base/comment.h"
#include "emit/file/file.h"
#include "layout/layout_info.h"

/* Functions with the signatures that snl_main wants. */
static void
emit_adapters(Emit *e, Text *out)
{
    const char *p = e->prefix;
    text_line(out, "static void");
    text_line(out, "%s(void *params)", name_part(e, "main_defaults"));
    text_open(out, "{");
    text_line(out, "*(%s_params *)params = %s_params_default();", p, p);
    text_close(out, "}");
    text_newline(out);
    text_line(out, "static int");
    text_line(out, "%s(const void *params, const SnlMainOptions *options, void **program)",
              name_part(e, "main_create"));
    text_open(out, "{");
    text_open(out, "const snl_options o = {");
    text_line(out, ".threads = options->threads, .seed = options->seed,");
    text_line(out, e->o->gpu ? ".memory_limit = options->memory_limit, .device = options->device"
                             : ".memory_limit = options->memory_limit");
    text_close(out, "};");
    text_line(out, "%s *self;", p);
    text_line(out,
              "const snl_status status = %s_create_with((const %s_params *)params, &o, &self);", p,
              p);
    text_open(out, "if (self) {");
    text_line(out, "self->progress = options->progress;");
    text_line(out, "self->rt.measure = options->measure;");
    text_line(out, "snl_crash_watch(&self->rt, \"%s\", %s);", e->p->name,
              e->c->options.check ? "true" : "false");
    text_close(out, "}");
    text_line(out, "if (self && (options->stats || options->trace))");
    text_line(out, "    snl_stats_begin(&self->rt, options->trace);");
    text_line(out, "*program = self;");
    text_line(out, "return (int)status;");
    text_close(out, "}");
    text_newline(out);
    text_line(out, "static void");
    text_line(out, "%s(void *program)", name_part(e, "main_destroy"));
    text_open(out, "{");
    text_line(out, "snl_crash_watch(NULL, \"%s\", false);", e->p->name);
    text_line(out, "%s_destroy((%s *)program);", p, p);
    text_close(out, "}");
    text_newline(out);
    text_line(out, "static const char *");
    text_line(out, "%s(const void *program)", name_part(e, "main_message"));
    text_open(out, "{");
    text_line(out, "return %s_message((const %s *)program);", p, p);
    text_close(out, "}");
    text_newline(out);
}

/* Titles of layouts as snlc layout has them. */
static void
emit_layout_titles(Emit *e, Text *out)
{
    text_open(out, "static const char *const titles[] = {");
    for (int i = 0; i < e->p->layouts.count; i++) {
        const Layout *l = e->p->layouts.items[i];
        const char *title = arena_printf(e->c->arena, "%s (%s)", layout_title(e->c, l),
                                         stmt_comment_place(e, l->span));
        text_line(out, "%s,", value_string(e, title, strlen(title)));
    }
    if (!e->p->layouts.count)
        text_line(out, "NULL,");
    text_close(out, "};");
}

/* Where kernels and loops stand in the program. */
static void
emit_event_places(Emit *e, Text *out)
{
    text_open(out, "static const SnlEventPlace places[] = {");
    for (int i = 0; i < e->event_places.count; i++) {
        const EventPlace *place = &e->event_places.items[i];
        text_line(out, "{%s, %s, %s},", place->name, place->title, stmt_where(e, place->span));
    }
    if (!e->event_places.count)
        text_line(out, "{0},");
    text_close(out, "};");
}

/* What --stats and --trace write. */
static void
emit_reports(Emit *e, Text *out)
{
    text_line(out, "static void");
    text_line(out, "%s(void *program, FILE *out)", name_part(e, "main_stats"));
    text_open(out, "{");
    text_line(out, "%s *const self = (%s *)program;", e->prefix, e->prefix);
    emit_layout_titles(e, out);
    text_line(out, "snl_stats_write(&self->rt, self->trees, titles, %d, out);",
              e->p->layouts.count);
    text_close(out, "}");
    text_newline(out);
    text_line(out, "static void");
    text_line(out, "%s(void *program, FILE *out)", name_part(e, "main_trace"));
    text_open(out, "{");
    text_line(out, "%s *const self = (%s *)program;", e->prefix, e->prefix);
    emit_event_places(e, out);
    text_line(out, "snl_trace_write(&self->rt, \"%s\", places, %d, out);", e->p->name,
              e->event_places.count);
    text_close(out, "}");
    text_newline(out);
}

static void
emit_main_params(Emit *e, Text *out)
{
    text_open(out, "static const SnlMainParam params[] = {");
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *p = e->p->params.items[i];
        const char *text = param_default_text(e->p, p),
                   *doc = comment_of(e->c->arena, &e->c->sources, p->span),
                   *words = param_words_text(e->p, p);
        text_line(out, "{\"%s\", %s, %d, %d, offsetof(%s_params, %s), %s, %s, %s},", p->name,
                  p->text ? "SNL_STRING" : scalar_tag(p->type->scalar), p->type->rows,
                  p->type->cols, e->prefix, name_param(e, p), value_string(e, text, strlen(text)),
                  doc ? value_string(e, doc, strlen(doc)) : "NULL",
                  words ? value_string(e, words, strlen(words)) : "NULL");
    }
    if (!e->p->params.count)
        text_line(out, "{0},");
    text_close(out, "};");
}

static int
emit_main_tests(Emit *e, Text *out)
{
    int count = 0;
    if (!e->o->with_tests && !e->o->with_benchmarks)
        return 0;
    text_open(out, "static const SnlMainTest tests[] = {");
    for (int i = 0; i < e->p->tests.count; i++) {
        const Func *f = e->p->tests.items[i];
        if (!func_is_root(e, f))
            continue;
        text_line(out, "{%s, %s, %s},", value_string(e, f->title, strlen(f->title)),
                  f->fails ? value_string(e, f->fails, strlen(f->fails)) : "NULL", name_func(e, f));
        count++;
    }
    if (!count)
        text_line(out, "{0},");
    text_close(out, "};");
    return count;
}

void
main_write(Emit *e, Text *out)
{
    emit_adapters(e, out);
    emit_reports(e, out);
    text_line(out, "int");
    text_line(out, "main(int argc, char **argv)");
    text_open(out, "{");
    emit_main_params(e, out);
    int tests = emit_main_tests(e, out);
    text_open(out, "static const SnlProgram program = {");
    text_line(out, ".name = \"%s\", .version = \"%s\",", e->p->name, e->p->name);
    text_line(out, ".params = params, .param_count = %d, .params_bytes = sizeof(%s_params),",
              e->p->params.count, e->prefix);
    text_line(out, ".params_default = %s,", name_part(e, "main_defaults"));
    text_line(out, ".create = %s,", name_part(e, "main_create"));
    text_line(out, ".destroy = %s,", name_part(e, "main_destroy"));
    text_line(out, ".message = %s,", name_part(e, "main_message"));
    if (e->o->with_main && e->p->main)
        text_line(out, ".run = %s,", name_func(e, e->p->main));
    text_line(out, ".write_stats = %s, .write_trace = %s,", name_part(e, "main_stats"),
              name_part(e, "main_trace"));
    if (e->o->with_tests || e->o->with_benchmarks)
        text_line(out, ".tests = tests, .test_count = %d,", tests);
    if (e->o->gpu)
        text_line(out, ".gpu = true,");
    text_close(out, "};");
    text_line(out, "return snl_main(argc, argv, &program);");
    text_close(out, "}");
}
