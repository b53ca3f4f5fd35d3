/* Static data: the descriptions of trees and fields for the runtime, and tables of constants. */
#include "config.h"

#include <string.h>

#include "check/layout/tree_desc.h"
#include "emit/file/file.h"

static const char *
kind_name(NodeKind k)
{
    static const char *const names[] = {[NODE_DENSE] = "SNL_DENSE",
                                        [NODE_BITMASKED] = "SNL_BITMASKED",
                                        [NODE_POINTER] = "SNL_POINTER",
                                        [NODE_DYNAMIC] = "SNL_DYNAMIC",
                                        [NODE_HASH] = "SNL_HASH"};
    return names[k];
}

static const char *
integers(Emit *e, const int64_t *values, int n)
{
    const char *text = "";
    for (int i = 0; i < n; i++)
        text = arena_printf(e->c->arena, "%s%s%lld", text, i ? ", " : "", (long long)values[i]);
    return arena_printf(e->c->arena, "{%s}", n ? text : "0");
}

static const char *
axes_text(Emit *e, const int *axes, int n)
{
    int64_t wide[AXIS_MAX];
    for (int i = 0; i < n; i++)
        wide[i] = axes[i];
    return integers(e, wide, n);
}

static const char *
string_or_null(Emit *e, const char *s)
{
    return s ? value_string(e, s, strlen(s)) : "NULL";
}

/* ---- trees ---- */

static void
emit_nodes(Emit *e, const Layout *l, Text *out)
{
    if (!l->nodes.count)
        return;
    text_open(out, "static const SnlNodeDesc snl_nodes_%d[] = {", l->id);
    for (int i = 0; i < l->nodes.count; i++) {
        const Node *n = l->nodes.items[i];
        int64_t offsets[AXIS_MAX] = {0};
        for (int a = 0; a < n->axis_count; a++)
            offsets[a] = n->offset[n->axes[a]];
        text_line(out, "{%s, %d, %s, %s, %d, %s, %s, %s, %lld, %lld, %lld, %lld, %lld, %s},",
                  kind_name(n->kind), n->parent ? n->parent->id - 1 : -1,
                  string_or_null(e, node_name(e->c, n)), string_or_null(e, n->label), n->axis_count,
                  axes_text(e, n->axes, n->axis_count), integers(e, n->sizes, n->axis_count),
                  integers(e, n->stored, n->axis_count), (long long)n->cell_count,
                  (long long)n->cell_bytes, (long long)n->container_bytes,
                  (long long)n->container_offset, (long long)n->chunk,
                  integers(e, offsets, n->axis_count));
    }
    text_close(out, "};");
}

/* The name of the array of their ambient values; NULL when these are zeros. */
static const char *
ambient_name(Emit *e, const Scalars *s)
{
    const Field *f = s->place->field;
    bool zero = true;
    for (int i = 0; f->ambient && i < s->count; i++)
        zero = zero && !f->ambient->leaves[s->place->first_leaf + s->first + i].u;
    return zero ? NULL
                : arena_printf(e->c->arena, "snl_ambient_%d_of_%s", s->place->first_leaf + s->first,
                               name_field(e, f));
}

static void
emit_ambient(Emit *e, const Place *p, Text *out)
{
    for (Scalars s = {0}; s.first < p->leaf_count; s.first += s.count) {
        s = scalars_from(p, s.first);
        const char *name = ambient_name(e, &s), *text = "";
        if (!name)
            continue;
        for (int i = 0; i < s.count; i++)
            text = arena_printf(
                e->c->arena, "%s%s%s", text, i ? ", " : "",
                scalar_constant(e, s.scalar,
                                p->field->ambient->leaves[p->first_leaf + s.first + i]));
        text_line(out, "static const %s %s[] = {%s};", scalar_info(s.scalar)->ctype, name, text);
    }
}

static int
emit_run(Emit *e, const Place *p, int node, Text *out)
{
    int entries = 0;
    for (Scalars s = {0}; s.first < p->leaf_count; s.first += s.count, entries++) {
        s = scalars_from(p, s.first);
        const char *ambient = ambient_name(e, &s);
        text_line(out, "{%d, %lld, %s, %d, %s, %d, %s},", node, (long long)(p->cell_offset + s.at),
                  scalar_tag(s.scalar), s.count, string_or_null(e, p->field->name),
                  p->first_leaf + s.first, ambient ? ambient : "NULL");
    }
    return entries;
}

static int
emit_leaves(Emit *e, const Layout *l, Text *out)
{
    int count = 0;
    for (int i = 0; i < l->nodes.count; i++)
        for (int k = 0; k < l->nodes.items[i]->places.count; k++)
            emit_ambient(e, &l->nodes.items[i]->places.items[k], out);
    for (int k = 0; k < l->places.count; k++)
        emit_ambient(e, &l->places.items[k], out);
    text_open(out, "static const SnlLeafDesc snl_leaves_%d[] = {", l->id);
    for (int i = 0; i < l->nodes.count; i++)
        for (int k = 0; k < l->nodes.items[i]->places.count; k++)
            count += emit_run(e, &l->nodes.items[i]->places.items[k], i, out);
    for (int k = 0; k < l->places.count; k++)
        count += emit_run(e, &l->places.items[k], -1, out);
    if (!count)
        text_line(out, "{0},");
    text_close(out, "};");
    return count;
}

static void
emit_tree_desc(Emit *e, const Layout *l, Text *out)
{
    emit_nodes(e, l, out);
    int leaves = emit_leaves(e, l, out);
    text_line(out, "static const SnlTreeDesc snl_tree_%d = {%s, %s, %d, snl_leaves_%d, %d, %lld};",
              l->id, string_or_null(e, l->name),
              l->nodes.count ? arena_printf(e->c->arena, "snl_nodes_%d", l->id) : "NULL",
              l->nodes.count, l->id, leaves, (long long)l->root_bytes);
}

/* ---- fields ---- */

static const char *
unit_text(Emit *e, double v)
{
    return arena_printf(e->c->arena, "%.17g", v);
}

/* A field, or the member of one. */
static void
emit_field(Emit *e, const Field *f, Text *out)
{
    const Type *t = f->type;
    const Field *whole = f->member_of ? f->member_of : f;
    const LeafPlace *leaves = whole->leaves + f->first_leaf;
    const char *name = name_field_desc(e, f);
    text_open(out, "static const SnlFieldLeaf %s_leaves[] = {", name);
    for (int i = 0; i < t->leaf_count; i++) {
        int64_t at;
        Scalar s = type_leaf(t, i, &at);
        const LeafPlace *p = &leaves[i];
        text_line(out, "{%d, %d, %lld, %s, %lld},", p->layout->id, p->node ? p->node->id - 1 : -1,
                  (long long)p->cell_offset, scalar_tag(s), (long long)at);
    }
    text_close(out, "};");
    const double *units = whole->leaves[0].layout->units;
    if (units)
        text_line(out, "static const double %s_units[] = {%s, %s, %s, %s, %s, %s};", name,
                  unit_text(e, units[0]), unit_text(e, units[1]), unit_text(e, units[2]),
                  unit_text(e, units[3]), unit_text(e, units[4]), unit_text(e, units[5]));
    text_open(out, "static const SnlFieldDesc %s = {", name);
    text_line(out, "%s, %d, %s, %s, %s,", string_or_null(e, f->name), whole->axis_count,
              axes_text(e, whole->axes, whole->axis_count),
              integers(e, whole->extents, whole->axis_count),
              integers(e, whole->offsets, whole->axis_count));
    text_line(out, "%s, %d, %d, %lld, %d, %s_leaves, %d, %d, snl_layout_names, %s",
              t->kind == TYPE_STRUCT ? "-1" : scalar_tag(t->scalar),
              t->kind == TYPE_STRUCT ? 0 : t->rows, t->kind == TYPE_STRUCT ? 0 : t->cols,
              (long long)t->bytes, t->leaf_count, name, whole->leaves[0].layout->id,
              whole->node ? whole->node->id - 1 : -1,
              units ? arena_printf(e->c->arena, "%s_units", name) : "NULL");
    text_close(out, "};");
}

/* ---- tables of constants ---- */

static const char *
table_braces(Emit *e, const Type *t, const Leaf *leaves, int dim, int *at)
{
    if (dim == t->dim_count) {
        const char *one = value_braces(e, t->elem, leaves + *at);
        *at += t->elem->leaf_count;
        return one;
    }
    Text text;
    text_init(&text, e->c->arena);
    text_raw(&text, "{", 1);
    for (int64_t i = 0; i < t->dims[dim]; i++) {
        const char *one = table_braces(e, t, leaves, dim + 1, at);
        if (i)
            text_raw(&text, ", ", 2);
        text_raw(&text, one, strlen(one));
    }
    text_raw(&text, "}", 1);
    return text_end(&text);
}

const char *
table_name(Emit *e, const Table *t)
{
    return intern_str(e->c->intern,
                      arena_printf(e->c->arena, "snl_table_%s", name_plain(e, t->name)));
}

static void
emit_table(Emit *e, const Table *t, Text *out)
{
    int at = 0;
    const char *name = table_name(e, t);
    const char *values = table_braces(e, t->type, t->value.leaves, 0, &at);
    if (e->o->gpu)
        text_line(out, "SNL_TABLE(%s, %s, %s);", type_decl(e, t->type, name),
                  type_decl(e, t->type, arena_printf(e->c->arena, "%s_gpu", name)), values);
    else
        text_line(out, "static const %s = %s;", type_decl(e, t->type, name), values);
}

/* Constants of the program, which nothing but a debugger reads. */
static void
emit_consts(Emit *e, Text *out)
{
    for (int i = 0; i < e->p->consts.count; i++) {
        const NamedConst *c = &e->p->consts.items[i];
        if (type_is_arith(c->value.type))
            text_line(out, "static const %s __attribute__((used)) = %s;",
                      type_decl(e, c->value.type,
                                arena_printf(e->c->arena, "snl_const_%s", name_plain(e, c->name))),
                      value_braces(e, c->value.type, c->value.leaves));
    }
}

/* ---- all of them ---- */

/* What the program is made of, for those who ask when it runs. */
static void
emit_program(Emit *e, Text *out)
{
    const Prog *p = e->p;
    const char *layouts = p->layouts.count ? "snl_layouts" : "NULL",
               *fields = p->fields.count ? "snl_fields" : "NULL";
    if (p->layouts.count) {
        text_open(out, "static const SnlTreeDesc *const snl_layouts[] = {");
        for (int i = 0; i < p->layouts.count; i++)
            text_line(out, "&snl_tree_%d,", p->layouts.items[i]->id);
        text_close(out, "};");
    }
    if (p->fields.count) {
        text_open(out, "static const SnlFieldDesc *const snl_fields[] = {");
        for (int i = 0; i < p->fields.count; i++)
            text_line(out, "&snl_desc_%s,", name_field(e, p->fields.items[i]));
        text_close(out, "};");
    }
    text_line(out, "static const SnlProgramDesc snl_program = {%d, %s, %d, %s};", p->layouts.count,
              layouts, p->fields.count, fields);
}

void
table_all(Emit *e, Text *out)
{
    Prog *p = e->p;
    if (p->fields.count) {
        text_open(out, "static const char *const snl_layout_names[] = {");
        for (int i = 0; i < p->layouts.count; i++)
            text_line(out, "%s,", string_or_null(e, p->layouts.items[i]->name));
        text_close(out, "};");
    }
    for (int i = 0; i < p->layouts.count; i++)
        emit_tree_desc(e, p->layouts.items[i], out);
    for (int i = 0; i < p->fields.count; i++)
        emit_field(e, p->fields.items[i], out);
    for (int i = 0; i < p->members.count; i++)
        if (map_get(&e->made, intern_str(e->c->intern, name_field_desc(e, p->members.items[i]))))
            emit_field(e, p->members.items[i], out);
    emit_program(e, out);
    for (int i = 0; i < p->tables.count; i++)
        if (map_get(&e->made, table_name(e, p->tables.items[i])))
            emit_table(e, p->tables.items[i], out);
    if (e->c->options.debug && !e->c->options.optimize && !e->o->gpu)
        emit_consts(e, out);
    text_newline(out);
}
