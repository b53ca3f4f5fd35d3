/* Params in the C interface: the words of enums, and the functions of @live ones. */
#include "config.h"

#include "emit/file/file.h"

/* The name of a function of a @live param, or of a word: none that another function of the
 * interface has. */
static const char *
public_name(Emit *e, const void *what, const char *part, const char *name)
{
    return name_given(e, NAME_FUNC, what,
                      arena_printf(e->c->arena, "%s_%s_%s", e->prefix, part, name));
}

const char *
param_word_name(Emit *e, const Param *p, int i)
{
    return public_name(e, &p->words[i], name_plain(e, p->name), p->words[i]);
}

const char *
param_setter_name(Emit *e, const Param *p)
{
    return public_name(e, &p->is_live, "set", name_plain(e, p->name));
}

const char *
param_getter_name(Emit *e, const Param *p)
{
    return public_name(e, &p->value, "get", name_plain(e, p->name));
}

void
param_names(Emit *e)
{
    bool any = false;
    for (int i = 0; i < e->p->params.count; i++)
        any |= e->p->params.items[i]->words || e->p->params.items[i]->is_live;
    for (int i = 0; any && i < e->p->funcs.count; i++) /* these keep their names */
        if (func_is_exported(e->p->funcs.items[i]))
            name_func(e, e->p->funcs.items[i]);
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *p = e->p->params.items[i];
        for (int k = 0; k < p->word_count; k++)
            param_word_name(e, p, k);
        if (p->is_live) {
            param_setter_name(e, p);
            param_getter_name(e, p);
        }
    }
}

void
declare_param_words(Emit *e, Text *out)
{
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *p = e->p->params.items[i];
        if (!p->words)
            continue;
        text_line(out, "/* The values of %s. */", p->name);
        text_open(out, "enum {");
        for (int k = 0; k < p->word_count; k++)
            text_line(out, "%s = %d%s", param_word_name(e, p, k), k,
                      k + 1 < p->word_count ? "," : "");
        text_close(out, "};");
        text_newline(out);
    }
}

/* "snl_status wave_set_g(wave *program, float value)". */
static const char *
setter_signature(Emit *e, const Param *p, const char *program)
{
    return arena_printf(e->c->arena, "%s(%s *%s, %s value)", param_setter_name(e, p), e->prefix,
                        program, type_c(e, p->type));
}

static const char *
getter_signature(Emit *e, const Param *p, const char *program)
{
    return arena_printf(e->c->arena, "%s(const %s *%s, %s *value)", param_getter_name(e, p),
                        e->prefix, program, type_c(e, p->type));
}

void
declare_live_params(Emit *e, Text *out)
{
    bool any = false;
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *p = e->p->params.items[i];
        if (!p->is_live)
            continue;
        if (!any)
            text_line(out, "/* @live params: what is set counts for the kernels that are called "
                           "next. */");
        any = true;
        text_line(out, "snl_status %s;", setter_signature(e, p, "program"));
        text_line(out, "snl_status %s;", getter_signature(e, p, "program"));
    }
    if (any)
        text_newline(out);
}

void
emit_word_check(const Param *p, const char *value, Text *out)
{
    if (!p->words)
        return;
    text_line(out, "if (snl_fail_word(&self->rt, \"%s\", %s, %d))", p->name, value, p->word_count);
    text_line(out, "    return snl_status_of(&self->rt);");
}

void
emit_live_params(Emit *e, Text *out)
{
    for (int i = 0; i < e->p->params.count; i++) {
        const Param *p = e->p->params.items[i];
        if (!p->is_live)
            continue;
        text_line(out, "snl_status");
        text_line(out, "%s", setter_signature(e, p, "self"));
        text_open(out, "{");
        text_line(out, "snl_clear_error(&self->rt);");
        emit_word_check(p, "value", out);
        text_line(out, "self->params.%s = value;", name_param(e, p));
        text_line(out, "return SNL_OK;");
        text_close(out, "}");
        text_newline(out);
        text_line(out, "snl_status");
        text_line(out, "%s", getter_signature(e, p, "self"));
        text_open(out, "{");
        text_line(out, "*value = self->params.%s;", name_param(e, p));
        text_line(out, "return SNL_OK;");
        text_close(out, "}");
        text_newline(out);
    }
}
