/* The manifest: what a program offers, as JSON for build systems and for bindings to other
 * languages. doc/manifest.schema.json describes it; a number that is known at run time is null. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comment.h"
#include "emit/file/file.h"

enum { MANIFEST_VERSION = 1 };

/* A JSON text that is being written; objects and lists open and close in pairs. */
typedef struct {
    Emit *e;
    Text *out;
    bool first; /* nothing stands in the innermost one yet */
    int flat;   /* depth inside one that is written on a single line */
} Json;

/* ---- JSON ---- */

/* What comes before a value; key is NULL in lists. */
static void
begin(Json *j, const char *key)
{
    if (!j->first)
        text_add(j->out, j->flat ? ", " : ",");
    if (!j->flat)
        text_newline(j->out);
    j->first = false;
    if (!key)
        return;
    text_json(j->out, key);
    text_add(j->out, ": ");
}

static void
open_value(Json *j, const char *key, char bracket)
{
    begin(j, key);
    text_add(j->out, "%c", bracket);
    j->out->indent++;
    j->flat += j->flat > 0;
    j->first = true;
}

/* The same on one line. */
static void
open_flat(Json *j, const char *key, char bracket)
{
    open_value(j, key, bracket);
    j->flat += !j->flat;
}

static void
close_value(Json *j, char bracket)
{
    j->out->indent--;
    if (!j->flat && !j->first)
        text_newline(j->out);
    j->flat -= j->flat > 0;
    text_add(j->out, "%c", bracket);
    j->first = false;
}

static void
put_string(Json *j, const char *key, const char *s)
{
    begin(j, key);
    if (s)
        text_json(j->out, s);
    else
        text_add(j->out, "null");
}

static void
put_integer(Json *j, const char *key, int64_t n)
{
    begin(j, key);
    text_add(j->out, "%lld", (long long)n);
}

/* A size or extent: 0 stands for one that is known at run time. */
static void
put_size(Json *j, const char *key, int64_t n)
{
    if (n)
        put_integer(j, key, n);
    else
        put_string(j, key, NULL);
}

static void
put_sizes(Json *j, const char *key, const int64_t *sizes, int count)
{
    open_flat(j, key, '[');
    for (int i = 0; i < count; i++)
        put_size(j, NULL, sizes[i]);
    close_value(j, ']');
}

static void
put_bool(Json *j, const char *key, bool b)
{
    begin(j, key);
    text_add(j->out, b ? "true" : "false");
}

/* ---- places in the source, types, values ---- */

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void
put_place(Json *j, Span span)
{
    const Sources *s = &j->e->c->sources;
    put_string(j, "file", base_name(span_path(s, span)));
    put_integer(j, "line", span_line(s, span));
    const char *doc = comment_of(j->e->c->arena, s, span);
    if (doc)
        put_string(j, "doc", doc);
}

/* Members "type" and "c_type"; arrays of the caller have "dimensions" and the type of an
 * element. */
static void
put_type(Json *j, const Type *t)
{
    put_string(j, "type", t->kind == TYPE_STRING ? "string" : t->name);
    put_string(j, "c_type", type_c(j->e, t));
    if (t->kind == TYPE_EXTERN)
        put_integer(j, "dimensions", t->dim_count);
}

/* The shortest number that is read back as the same value. */
static void
put_float(Json *j, bool wide, double d)
{
    char text[32];
    int digits = 5;
    if (!isfinite(d)) { /* JSON has no such numbers */
        put_string(j, NULL, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    do
        snprintf(text, sizeof text, "%.*g", ++digits, d);
    while (digits < 17 && (wide ? strtod(text, NULL) != d : strtof(text, NULL) != (float)d));
    begin(j, NULL);
    text_add(j->out, "%s", text);
}

static void
put_leaf(Json *j, Scalar s, Leaf v)
{
    switch (scalar_info(s)->kind) {
    case KIND_BOOL: put_bool(j, NULL, v.i != 0); break;
    case KIND_INT: put_integer(j, NULL, v.i); break;
    case KIND_UINT:
        begin(j, NULL);
        text_add(j->out, "%llu", (unsigned long long)v.u);
        break;
    case KIND_FLOAT: put_float(j, s == SCALAR_F64, v.f); break;
    }
}

/* The components of a value, in order; a scalar is a list of one. */
static void
put_value(Json *j, const char *key, const Value *v)
{
    open_flat(j, key, '[');
    for (int i = 0; i < v->type->leaf_count; i++) {
        int64_t at;
        put_leaf(j, type_leaf(v->type, i, &at), v->leaves[i]);
    }
    close_value(j, ']');
}

/* ---- parameters, structs ---- */

static void
put_params(Json *j)
{
    const Prog *p = j->e->p;
    open_value(j, "params", '[');
    for (int i = 0; i < p->params.count; i++) {
        const Param *param = p->params.items[i];
        open_value(j, NULL, '{');
        put_string(j, "name", param->name);
        put_string(j, "c_name", name_param(j->e, param));
        put_type(j, param->type);
        if (param->text)
            put_string(j, "default", param->text);
        else
            put_value(j, "default", &param->value);
        if (param->words) {
            open_flat(j, "words", '[');
            for (int k = 0; k < param->word_count; k++)
                put_string(j, NULL, param->words[k]);
            close_value(j, ']');
        }
        if (param->is_live) {
            put_string(j, "set", param_setter_name(j->e, param));
            put_string(j, "get", param_getter_name(j->e, param));
        }
        put_place(j, param->span);
        close_value(j, '}');
    }
    close_value(j, ']');
}

/* Lists a struct once, after those that it is made of. */
static void
put_struct(Json *j, const Type *t, Map *seen)
{
    if (t->kind == TYPE_ARRAY || t->kind == TYPE_EXTERN)
        t = t->elem;
    if (t->kind != TYPE_STRUCT)
        return;
    const char *c_name = intern_str(j->e->c->intern, type_c(j->e, t));
    if (map_get(seen, c_name))
        return;
    map_put(seen, c_name, j);
    for (int i = 0; i < t->member_count; i++)
        put_struct(j, t->members[i].type, seen);
    open_value(j, NULL, '{');
    put_string(j, "name", t->name);
    put_string(j, "c_name", c_name);
    put_integer(j, "bytes", t->bytes);
    open_value(j, "members", '[');
    for (int i = 0; i < t->member_count; i++) {
        const Member *m = &t->members[i];
        open_flat(j, NULL, '{');
        put_string(j, "name", m->name);
        put_string(j, "c_name", name_member(j->e, t, i));
        put_type(j, m->type);
        put_integer(j, "offset", m->bytes_offset);
        close_value(j, '}');
    }
    close_value(j, ']');
    close_value(j, '}');
}

static void
put_structs(Json *j)
{
    const Prog *p = j->e->p;
    Map seen;
    map_init(&seen, j->e->c->arena);
    open_value(j, "structs", '[');
    for (int i = 0; i < p->fields.count; i++)
        put_struct(j, p->fields.items[i]->type, &seen);
    for (int i = 0; i < p->funcs.count; i++) {
        const Func *f = p->funcs.items[i];
        if (!func_is_exported(f))
            continue;
        put_struct(j, f->result, &seen);
        for (int k = 0; k < f->params.count; k++)
            put_struct(j, f->params.items[k]->type, &seen);
    }
    close_value(j, ']');
}

/* ---- kernels and host functions ---- */

static void
put_fields_used(Json *j, const char *key, const Footprint *list, int count)
{
    open_flat(j, key, '[');
    for (int i = 0; i < count; i++)
        put_string(j, NULL, list[i].field->name);
    close_value(j, ']');
}

static void
put_nodes_used(Json *j, const char *key, Node *const *nodes, int count)
{
    if (!count)
        return;
    open_flat(j, key, '[');
    for (int i = 0; i < count; i++) {
        open_flat(j, NULL, '{');
        put_integer(j, "layout", nodes[i]->layout->id);
        put_string(j, "node", node_name(j->e->c, nodes[i]));
        close_value(j, '}');
    }
    close_value(j, ']');
}

/* What a loop runs over, accumulates, reads and writes. */
static void
put_loop(Json *j, const Task *t)
{
    open_flat(j, "indices", '[');
    for (int i = 0; i < t->vars.count; i++)
        put_string(j, NULL, t->vars.items[i]->name);
    close_value(j, ']');
    if (t->field)
        put_string(j, "field", t->field->name);
    if (t->block_dim)
        put_integer(j, "block_dim", t->block_dim);
    if (!t->reductions.count)
        return;
    open_flat(j, "reductions", '[');
    for (int i = 0; i < t->reductions.count; i++) {
        open_flat(j, NULL, '{');
        put_string(j, "variable", t->reductions.items[i].var->name);
        put_string(j, "operation", atomic_name(t->reductions.items[i].op));
        close_value(j, '}');
    }
    close_value(j, ']');
}

static void put_tasks(Json *j, const char *key, const Tasks *tasks);

static void
put_task(Json *j, const Task *t)
{
    static const char *const words[] = {
#define TASK(name, text) text,
#include "ir/tasks.def"
#undef TASK
    };
    open_value(j, NULL, '{');
    put_string(j, "kind", words[t->kind]);
    put_integer(j, "line", span_line(&j->e->c->sources, t->span));
    if (t->node) {
        put_integer(j, "layout", t->node->layout->id);
        put_string(j, "node", node_name(j->e->c, t->node));
    }
    if (task_is_loop(t))
        put_loop(j, t);
    if (t->kind == TASK_IF) {
        put_tasks(j, "then", &t->tasks);
        put_tasks(j, "else", &t->orelse);
    } else if (t->body) {
        const Effects *f = &t->effects;
        put_fields_used(j, "reads", f->reads.items, f->reads.count);
        put_fields_used(j, "writes", f->writes.items, f->writes.count);
        put_fields_used(j, "accumulates", f->accumulates.items, f->accumulates.count);
        put_nodes_used(j, "may_activate", f->may_activate.items, f->may_activate.count);
        put_nodes_used(j, "may_deactivate", f->may_deactivate.items, f->may_deactivate.count);
    }
    close_value(j, '}');
}

static void
put_tasks(Json *j, const char *key, const Tasks *tasks)
{
    open_value(j, key, '[');
    for (int i = 0; i < tasks->count; i++)
        put_task(j, tasks->items[i]);
    close_value(j, ']');
}

static void
put_arguments(Json *j, const Func *f)
{
    open_value(j, "arguments", '[');
    for (int i = 0; i < f->params.count; i++) {
        open_flat(j, NULL, '{');
        put_string(j, "name", f->params.items[i]->name);
        put_type(j, f->params.items[i]->type);
        if (f->params.items[i]->type->kind == TYPE_EXTERN)
            put_bool(j, "written", f->params.items[i]->is_stored);
        close_value(j, '}');
    }
    close_value(j, ']');
}

static void
put_function(Json *j, const IrFunc *f)
{
    const Func *fn = f->func;
    bool exported = func_is_exported(fn);
    open_value(j, NULL, '{');
    put_string(j, "name", fn->name);
    put_string(j, "c_name", exported ? name_func(j->e, fn) : NULL);
    put_string(j, "prototype", exported ? func_signature(j->e, fn, true) : NULL);
    if (fn->doc_args)
        put_string(j, "instance", fn->doc_args);
    put_place(j, fn->span);
    put_arguments(j, fn);
    if (fn->result->kind == TYPE_VOID) {
        put_string(j, "result", NULL);
    } else {
        open_flat(j, "result", '{');
        put_type(j, fn->result);
        close_value(j, '}');
    }
    if (fn->kind == FUNC_KERNEL)
        put_tasks(j, "tasks", &f->tasks);
    close_value(j, '}');
}

/* All functions of a kind; generic ones are listed by instance, and have no C name. */
static void
put_functions(Json *j, const char *key, FuncKind kind)
{
    open_value(j, key, '[');
    for (int i = 0; i < j->e->ir->funcs.count; i++)
        if (j->e->ir->funcs.items[i]->func->kind == kind)
            put_function(j, j->e->ir->funcs.items[i]);
    close_value(j, ']');
}

/* ---- fields and layouts ---- */

static const char *
axis_letters(Json *j, const int *axes, int count)
{
    char *text = arena_alloc(j->e->c->arena, (size_t)count + 1);
    for (int i = 0; i < count; i++)
        text[i] = AXIS_LETTERS[axes[i]];
    text[count] = 0;
    return text;
}

static void
put_field(Json *j, const Field *f)
{
    open_value(j, NULL, '{');
    put_string(j, "name", f->name);
    put_string(j, "c_name", name_field(j->e, f));
    put_type(j, f->type);
    put_integer(j, "bytes", f->type->bytes);
    put_string(j, "axes", axis_letters(j, f->axes, f->axis_count));
    put_sizes(j, "extents", f->extents, f->axis_count);
    open_flat(j, "offsets", '[');
    for (int i = 0; i < f->axis_count; i++)
        put_integer(j, NULL, f->offsets[i]);
    close_value(j, ']');
    put_integer(j, "layout", f->leaves[0].layout->id);
    put_string(j, "node", f->node ? node_name(j->e->c, f->node) : NULL);
    put_bool(j, "whole", f->whole);
    put_bool(j, "sparse", f->node && node_is_sparse(f->node));
    put_string(j, "boundary", layout_boundary_word(f->boundary));
    if (f->ambient)
        put_value(j, "ambient", f->ambient);
    put_place(j, f->span);
    close_value(j, '}');
}

static void
put_places(Json *j, const Place *places, int count)
{
    open_value(j, "places", '[');
    for (int i = 0; i < count; i++) {
        const Place *p = &places[i];
        open_flat(j, NULL, '{');
        put_string(j, "field", p->field->name);
        put_integer(j, "first_scalar", p->first_leaf);
        put_integer(j, "scalars", p->leaf_count);
        put_string(j, "type", p->type->name);
        put_integer(j, "offset", p->cell_offset);
        put_integer(j, "bytes", p->type->bytes);
        close_value(j, '}');
    }
    close_value(j, ']');
}

static void
put_node(Json *j, const Node *n)
{
    open_value(j, NULL, '{');
    put_string(j, "name", node_name(j->e->c, n));
    put_string(j, "kind", node_kind_name(n->kind));
    put_string(j, "label", n->label);
    put_string(j, "parent", n->parent ? node_name(j->e->c, n->parent) : NULL);
    put_string(j, "axes", axis_letters(j, n->axes, n->axis_count));
    put_sizes(j, "sizes", n->sizes, n->axis_count);
    put_sizes(j, "stored", n->stored, n->axis_count);
    put_size(j, "cells", n->cell_count);
    put_integer(j, "cell_bytes", n->cell_bytes);
    put_size(j, "container_bytes", n->container_bytes);
    put_integer(j, "container_offset", n->container_offset);
    if (n->kind == NODE_DYNAMIC)
        put_integer(j, "chunk", n->chunk);
    put_places(j, n->places.items, n->places.count);
    close_value(j, '}');
}

static void
put_layout(Json *j, const Layout *l)
{
    open_value(j, NULL, '{');
    put_integer(j, "number", l->id);
    put_string(j, "name", l->name);
    put_bool(j, "manual", l->manual);
    put_bool(j, "packed", l->packed);
    put_place(j, l->span);
    put_integer(j, "root_bytes", l->root_bytes);
    put_places(j, l->places.items, l->places.count);
    open_value(j, "nodes", '[');
    for (int i = 0; i < l->nodes.count; i++)
        put_node(j, l->nodes.items[i]);
    close_value(j, ']');
    close_value(j, '}');
}

/* ---- the whole ---- */

static void
put_files(Json *j)
{
    const Prog *p = j->e->p;
    put_string(j, "source", base_name(p->source->path));
    open_flat(j, "imports", '[');
    for (int i = 0; i < p->imports.count; i++)
        put_string(j, NULL, base_name(p->imports.items[i]->path));
    close_value(j, ']');
}

void
emit_manifest(Compile *c, const Ir *ir, const EmitOptions *options, Text *out)
{
    Emit e;
    Text unused;
    interface_start(&e, c, ir, options);
    text_init(&unused, c->arena);
    interface_types(&e, &unused); /* the names that structs have in the header */
    Json j = {.e = &e, .out = out, .first = true};
    text_add(out, "{");
    out->indent++;
    put_integer(&j, "manifest", MANIFEST_VERSION);
    put_string(&j, "program", ir->prog->name);
    put_string(&j, "prefix", e.prefix);
    put_string(&j, "header", options->header_name);
    put_files(&j);
    put_params(&j);
    put_structs(&j);
    put_functions(&j, "kernels", FUNC_KERNEL);
    put_functions(&j, "hosts", FUNC_HOST);
    open_value(&j, "fields", '[');
    for (int i = 0; i < ir->prog->fields.count; i++)
        put_field(&j, ir->prog->fields.items[i]);
    close_value(&j, ']');
    open_value(&j, "layouts", '[');
    for (int i = 0; i < ir->prog->layouts.count; i++)
        put_layout(&j, ir->prog->layouts.items[i]);
    close_value(&j, ']');
    close_value(&j, '}');
    text_newline(out);
}
