/* C types: vectors, matrices, structs, the cells of nodes. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "emit/code/code.h"

/* ---- values ---- */

const char *
type_suffix(Emit *e, const Type *t)
{
    const char *s = scalar_info(t->scalar)->name;
    if (!t->rows)
        return s;
    return t->cols ? arena_printf(e->c->arena, "%sx%dx%d", s, t->rows, t->cols)
                   : arena_printf(e->c->arena, float4_has(e, t) ? "%sx%dq" : "%sx%d", s, t->rows);
}

/* Name of a struct type: those of one name (results of built-in functions) are told apart. */
static const char *
struct_name(Emit *e, const Type *t)
{
    const char *known = name_known(e, NAME_STRUCT, t);
    return known
               ? known
               : name_given(e, NAME_STRUCT, t,
                            arena_printf(e->c->arena, "%s_%s", e->prefix, name_plain(e, t->name)));
}

static void
define_struct(Emit *e, const Type *t, Text *out)
{
    for (int i = 0; i < t->member_count; i++)
        type_define(e, t->members[i].type, out);
    text_open(out, "typedef struct {");
    for (int i = 0; i < t->member_count; i++)
        text_line(out, "%s;", type_decl(e, t->members[i].type, name_member(e, t, i)));
    text_close(out, "} %s;", struct_name(e, t));
    text_newline(out);
}

static void
define_type(Emit *e, const Type *t, Text *out)
{
    if (t->kind == TYPE_ARRAY || t->kind == TYPE_EXTERN)
        type_define(e, t->elem, out);
    if (t->kind == TYPE_STRUCT && name_is_new(e, struct_name(e, t)))
        define_struct(e, t, out);
    if (t->kind != TYPE_VECTOR && t->kind != TYPE_MATRIX)
        return;
    const char *suffix = type_suffix(e, t);
    if (!name_is_new(e, arena_printf(e->c->arena, "snl_%s", suffix)))
        return;
    text_flush_left(out, "#ifndef SNL_TYPE_%s", suffix);
    text_flush_left(out, "#define SNL_TYPE_%s", suffix);
    text_line(out, "typedef struct { %s v[%d]; } snl_%s;", scalar_info(t->scalar)->ctype,
              t->leaf_count, suffix);
    text_flush_left(out, "#endif");
}

void
type_define(Emit *e, const Type *t, Text *out)
{
    const bool quads = e->par.quads;
    e->par.quads = false;
    define_type(e, t, out);
    e->par.quads = quads;
}

const char *
type_c(Emit *e, const Type *t)
{
    switch (t->kind) {
    case TYPE_VOID: return "void";
    case TYPE_SCALAR: return scalar_info(t->scalar)->ctype;
    case TYPE_VECTOR: case TYPE_MATRIX:
        if (float4_has(e, t))
            return "SnlQuad";
        type_define(e, t, &e->types);
        return arena_printf(e->c->arena, "snl_%s", type_suffix(e, t));
    case TYPE_STRUCT:
        type_define(e, t, &e->types);
        return struct_name(e, t);
    case TYPE_STRING: return "const char *";
    case TYPE_ARRAY: case TYPE_EXTERN: return type_c(e, t->elem);
    case TYPE_ERROR: break;
    }
    return "int";
}

const char *
type_decl(Emit *e, const Type *t, const char *name)
{
    const char *base = type_c(e, t);
    if (t->kind == TYPE_STRING)
        return arena_printf(e->c->arena, "%s%s", base, name);
    if (t->kind == TYPE_EXTERN)
        return arena_printf(e->c->arena, "%s *%s", base, name);
    const char *text = arena_printf(e->c->arena, "%s %s", base, name);
    for (int i = 0; t->kind == TYPE_ARRAY && i < t->dim_count; i++)
        text = arena_printf(e->c->arena, "%s[%lld]", text, (long long)t->dims[i]);
    return text;
}

const char *
type_var_decl(Emit *e, const Var *v, const char *name)
{
    const char *text = type_decl(e, v->type, name);
    return v->type->kind == TYPE_EXTERN && !v->is_stored
               ? arena_printf(e->c->arena, "const %s", text)
               : text;
}

/* ---- cells ---- */

/* C identifier of a run of leaves after the field's name: "", "_x", "_pos". */
static const char *
run_name(Emit *e, const Field *f, int leaf, const Type *run)
{
    if (run->leaf_count == f->type->leaf_count)
        return "";
    const char *text = type_leaf_name(e->c, f->type, leaf);
    if (f->type->kind == TYPE_STRUCT)
        for (int i = 0; i < f->type->member_count; i++)
            if (f->type->members[i].leaf == leaf && f->type->members[i].type == run)
                text = arena_printf(e->c->arena, ".%s", f->type->members[i].name);
    return name_plain(e, text);
}

const char *
type_place_member(Emit *e, const Field *f, int leaf)
{
    const Place *p = layout_place(f, leaf);
    const LeafPlace *at = &f->leaves[leaf];
    const char *known = name_known(e, NAME_MEMBER, p);
    if (known)
        return known;
    const char *name = arena_printf(e->c->arena, "%s%s", name_field(e, f),
                                    p ? run_name(e, f, p->first_leaf, p->type) : "");
    return name_in_cell(e, at->node ? (const void *)at->node : at->layout, p, name);
}

/* What a node is called: its label, or the first field in it; NULL for one that holds nothing but
 * nodes. */
static const char *
node_title(Emit *e, const Node *n)
{
    if (n->label)
        return name_plain(e, n->label);
    if (!n->places.count)
        return NULL;
    const Place *p = &n->places.items[0];
    return arena_printf(e->c->arena, "%s%s", name_field(e, p->field),
                        run_name(e, p->field, p->first_leaf, p->type));
}

/* What a layout is called: its name, or its first node or field that has one. */
static const char *
layout_title(Emit *e, const Layout *l)
{
    const char *title = l->name           ? name_plain(e, l->name)
                        : l->places.count ? name_field(e, l->places.items[0].field)
                                          : NULL;
    for (int i = 0; i < l->nodes.count && !title; i++)
        title = node_title(e, l->nodes.items[i]);
    return title ? title : arena_printf(e->c->arena, "t%d", l->id);
}

/* Says which tree a name belongs to, where there are several. */
static const char *
tree_prefix(Emit *e, const Layout *l)
{
    return e->p->layouts.count == 1 ? "" : arena_printf(e->c->arena, "%s_", layout_title(e, l));
}

const char *
type_tree_name(Emit *e, const Layout *l)
{
    const char *known = name_known(e, NAME_TREE, l);
    return known ? known
                 : name_given(e, NAME_TREE, l,
                              arena_printf(e->c->arena, "%stree", tree_prefix(e, l)));
}

/* Name of the cells of a node. */
static const char *
cells_name(Emit *e, const Node *n)
{
    const char *title = node_title(e, n);
    return title ? arena_printf(e->c->arena, "%s_cells", title)
                 : arena_printf(e->c->arena, "s%d", n->id);
}

const char *
type_top_name(Emit *e, const Node *n)
{
    const char *known = name_known(e, NAME_CELLS, n);
    if (known)
        return known;
    const char *prefix = node_title(e, n) ? "" : tree_prefix(e, n->layout);
    return name_given(e, NAME_CELLS, n,
                      arena_printf(e->c->arena, "%s%s", prefix, cells_name(e, n)));
}

const char *
type_child_member(Emit *e, const Node *n)
{
    const char *known = name_known(e, NAME_MEMBER, n);
    return known ? known : name_in_cell(e, n->parent, n, cells_name(e, n));
}

static int64_t
align_up(int64_t n, int64_t by)
{
    return (n + by - 1) / by * by;
}

/* Bytes that nothing lies in; the C compiler would leave `natural` as the next offset. */
static void
pad_to(Text *out, int64_t natural, int64_t offset, int *pads)
{
    if (natural < offset)
        text_line(out, "char snl_pad%d[%lld];", (*pads)++, (long long)(offset - natural));
}

static void
define_child(Emit *e, const Node *n, Text *out)
{
    const char *member = type_child_member(e, n);
    long long count = (long long)n->cell_count;
    switch (n->kind) {
    case NODE_DENSE: text_line(out, "%s %s[%lld];", type_cell(e, n), member, count); break;
    case NODE_BITMASKED:
        text_line(out, "%s %s[%lld];", type_cell(e, n), member, count);
        text_line(out, "uint64_t snl_mask%d[%lld];", n->id, (count + 63) / 64);
        break;
    case NODE_POINTER:
        text_line(out, "void *%s[%lld];    /* %s */", member, count, type_cell(e, n));
        text_line(out, "uint64_t snl_mask%d[%lld];", n->id, (count + 63) / 64);
        break;
    case NODE_DYNAMIC: text_line(out, "SnlDynamic %s;    /* %s */", member, type_cell(e, n)); break;
    case NODE_HASH: text_line(out, "SnlHash %s;    /* %s */", member, type_cell(e, n)); break;
    case NODE_KIND_COUNT: break;
    }
}

/* Of the first member of a container; the mask behind the cells of a bitmasked node asks for more
 * than they do. */
static int64_t
child_align(const Node *n)
{
    return n->kind == NODE_DENSE || n->kind == NODE_BITMASKED ? n->cell_align : 8;
}

/* The struct of a cell with what lies in it, where the layout says. */
static void
define_cell(Emit *e, const char *name, const char *title, const Place *places, int place_count,
            Node *const *children, int child_count, int64_t bytes)
{
    Text out;
    int64_t at = 0;
    int pads = 0;
    const bool quads = e->par.quads;
    e->par.quads = false; /* in memory they are as in C */
    text_init(&out, e->c->arena);
    text_line(&out, "/* %s */", title);
    text_open(&out, "typedef struct {");
    for (int i = 0; i < place_count; i++) {
        const Place *p = &places[i];
        pad_to(&out, align_up(at, p->type->align), p->cell_offset, &pads);
        text_line(&out, "%s;",
                  type_decl(e, p->type, type_place_member(e, p->field, p->first_leaf)));
        at = p->cell_offset + p->type->bytes;
    }
    for (int i = 0; i < child_count; i++) {
        const Node *n = children[i];
        pad_to(&out, align_up(at, child_align(n)), n->container_offset, &pads);
        define_child(e, n, &out);
        at = n->container_offset + n->container_bytes;
    }
    if (!place_count && !child_count)
        text_line(&out, "char none[%lld];", (long long)bytes);
    text_close(&out, "} %s;", name);
    if (bytes)
        text_line(&out, "SNL_ASSERT_SIZE(%s, %lld);", name, (long long)bytes);
    text_newline(&out);
    text_raw(&e->types, out.data, out.count);
    text_free(&out);
    e->par.quads = quads;
}

/* "cell of block: pointer ij[64, 64]" */
static const char *
node_text(Emit *e, const Node *n)
{
    const char *text = arena_printf(e->c->arena, n->label ? "cell of %s: %s " : "cell of %s%s ",
                                    n->label ? n->label : "", node_kind_name(n->kind));
    for (int k = 0; k < n->axis_count; k++)
        text = arena_printf(e->c->arena, "%s%c", text, 'i' + n->axes[k]);
    for (int k = 0; k < n->axis_count; k++)
        text = arena_printf(e->c->arena, n->sizes[k] ? "%s%s%lld" : "%s%s?", text, k ? ", " : "[",
                            (long long)n->sizes[k]);
    return arena_printf(e->c->arena, "%s]", text);
}

const char *
type_cell(Emit *e, const Node *n)
{
    const char *name = name_known(e, NAME_CELL, n);
    if (name)
        return name;
    const char *title = node_title(e, n);
    const char *plain = title ? arena_printf(e->c->arena, "%s_cell", title)
                              : arena_printf(e->c->arena, "%s%s", tree_prefix(e, n->layout),
                                             name_plain(e, node_name(e->c, n)));
    name = name_given(e, NAME_CELL, n, plain);
    for (int i = 0; i < n->children.count; i++)
        type_cell(e, n->children.items[i]);
    define_cell(e, name, node_text(e, n), n->places.items, n->places.count, n->children.items,
                n->children.count, n->cell_bytes);
    return name;
}

const char *
type_root(Emit *e, const Layout *l)
{
    const char *name = name_known(e, NAME_ROOT, l);
    if (name)
        return name;
    name = name_given(e, NAME_ROOT, l, arena_printf(e->c->arena, "%sS0root", tree_prefix(e, l)));
    define_cell(e, name, "fields without indices", l->places.items, l->places.count, NULL, 0,
                l->root_bytes);
    return name;
}
