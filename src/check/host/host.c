/* Operations of host code: whole fields and layouts, files, the clock. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "check/check_func.h"
#include "program/snl_io.h"

static const char *
quoted_name(Checker *k, const Expr *e)
{
    return arena_printf(k->c->arena, "'%s'", e->a->name.text);
}

/* True in host code with a fitting number of arguments. */
static bool
begin(Checker *k, const Expr *e, int least, int most)
{
    const char *name = quoted_name(k, e);
    return require_host(k, e->span, name) && check_count(k, e, name, least, most);
}

/* The field an argument names; NULL after a report. */
static Field *
field_argument(Checker *k, Scope *s, const Expr *e)
{
    bool failed;
    Field *f = named_field(k, s, e, &failed);
    if (f || failed)
        return f;
    const Expr *base = e->kind == EXPR_INDEX && !e->args.count ? e->a : e;
    if (base->kind == EXPR_NAME)
        return check_field_name(k, s, base->name); /* reports */
    if (base->kind != EXPR_ERROR)
        diag(k->c, E0313, e->span, "a field is needed here");
    return NULL;
}

static Layout *
layout_argument(Checker *k, Scope *s, const Expr *e)
{
    if (e->kind == EXPR_NAME)
        return check_layout_name(k, s, e->name);
    if (e->kind != EXPR_ERROR)
        diag(k->c, E0313, e->span, "the name of a layout is needed here");
    return NULL;
}

static bool
is_layout(Checker *k, Scope *s, const Expr *e)
{
    Symbol *sym = named_symbol(k, s, e);
    return sym && sym->kind == SYM_LAYOUT;
}

/* A path like "r{}.npy", which is taken as it stands. */
static void
warn_braces(Checker *k, const Expr *e)
{
    const char *open = e->kind == EXPR_STRING ? strchr(e->string, '{') : NULL;
    if (!open || !strchr(open, '}'))
        return;
    Diag *d = diag(k->c, W0305, e->span, "braces in a path are part of the name of the file");
    diag_fix(d, "format(\"x{}.npy\", i) makes a path with a number");
}

/* save(x, "x.npy") instead of save("x.npy", x); true after a report. */
static bool
is_path_behind(Checker *k, Scope *s, const Expr *e)
{
    const Expr *first = e->args.items[0], *path = NULL;
    const Symbol *sym = named_symbol(k, s, first);
    for (int i = 1; i < e->args.count && !path; i++)
        path = e->args.items[i]->kind == EXPR_STRING ? e->args.items[i] : NULL;
    if (!path || !sym || (sym->kind != SYM_FIELD && sym->kind != SYM_LAYOUT))
        return false;
    Diag *d = diag(k->c, E0313, path->span, "the path of a file stands first");
    const char *rest = source_text(k, (Span){first->span.from, path->span.from});
    size_t bytes = strlen(rest);
    while (bytes && strchr(", \t\r\n", rest[bytes - 1]))
        bytes--;
    diag_edit(d, span_join(first->span, path->span), "%s, %.*s", source_text(k, path->span),
              (int)bytes, rest);
    return true;
}

static TExpr *
path_argument(Checker *k, Scope *s, const Expr *e)
{
    TExpr *path = check_expr(k, s, e, NULL);
    if (!has_value(k, path))
        return tx_error(k, e->span);
    warn_braces(k, e);
    if (path->type->kind == TYPE_STRING)
        return path;
    diag(k->c, E0313, e->span, "the path of a file is a string, not %s", path->type->name);
    return tx_error(k, e->span);
}

static TExpr *
finish(Checker *k, TStmt *st)
{
    stmt_add(k, st);
    return tx_void(k, st->span);
}

/* ---- fields ---- */

/* The message just given that fill is for host code gets the loop that does it in a kernel. */
static void
suggest_fill_loop(Checker *k, const Expr *e)
{
    if (in_host(k) || k->func->loop || e->args.count != 2 ||
        e->args.items[0]->kind != EXPR_NAME)
        return;
    const char *field = source_text(k, e->args.items[0]->span);
    diag_fix(vec_last(&k->c->diags), "for I in %s { %s[I] = %s; }", field, field,
             source_text(k, e->args.items[1]->span));
}

TExpr *
check_fill(Checker *k, Scope *s, const Expr *e)
{
    if (!begin(k, e, 2, 2)) {
        suggest_fill_loop(k, e);
        return tx_error(k, e->span);
    }
    TStmt *st = stmt_new(k, TS_FILL, e->span);
    st->field = field_argument(k, s, e->args.items[0]);
    if (!st->field)
        return tx_error(k, e->span);
    const Type *t = st->field->type;
    TExpr *v = check_expr(k, s, e->args.items[1], t);
    if (has_value(k, v) && v->type->kind == TYPE_SCALAR && type_is_arith(t) &&
        t->kind != TYPE_SCALAR) {
        v = convert(k, v, type_scalar(k->prog->types, t->scalar), "the value");
        v = tx_is_error(v) ? v : tx_splat(k, v, t);
    } else {
        v = convert(k, v, t, "the value");
    }
    st->value = v;
    return tx_is_error(v) ? v : finish(k, st);
}

/* "8 x 8", or 1 where there is no axis; an extent that is known at run time is a question mark. */
static const char *
shape_text(Checker *k, const Field *f)
{
    Text t;
    text_init(&t, k->c->arena);
    text_add(&t, "%s", f->axis_count ? "" : "1");
    for (int i = 0; i < f->axis_count; i++) {
        const char *between = i ? " x " : "";
        if (f->extents[i])
            text_add(&t, "%s%lld", between, (long long)f->extents[i]);
        else
            text_add(&t, "%s?", between);
    }
    return text_end(&t);
}

TExpr *
check_copy(Checker *k, Scope *s, const Expr *e)
{
    if (!begin(k, e, 2, 2))
        return tx_error(k, e->span);
    TStmt *st = stmt_new(k, TS_COPY, e->span);
    Field *to = st->field = field_argument(k, s, e->args.items[0]),
          *from = st->field2 = field_argument(k, s, e->args.items[1]);
    if (!to || !from)
        return tx_error(k, e->span);
    if (to->type != from->type) {
        diag(k->c, E0301, e->span, "'%s' has elements of type %s, '%s' of %s", to->name,
             to->type->name, from->name, from->type->name);
        return tx_error(k, e->span);
    }
    bool same = to->axis_count == from->axis_count;
    for (int i = 0; same && i < to->axis_count; i++)
        same = !to->extents[i] || !from->extents[i] || to->extents[i] == from->extents[i];
    if (!same) {
        Diag *d = diag(k->c, E0508, e->span, "'copy' needs fields of one shape");
        diag_note(d, to->span, "'%s' has the shape %s", to->name, shape_text(k, to));
        diag_note(d, from->span, "'%s' has the shape %s", from->name, shape_text(k, from));
        return tx_error(k, e->span);
    }
    return finish(k, st);
}

/* ---- layouts ---- */

/* Where two layouts are not of one structure, and how they differ there. */
typedef struct {
    Span a, b;
    const char *what; /* NULL: they are of one structure */
} Difference;

static bool
same_ambient(const Place *a, const Place *b)
{
    for (int i = 0; i < a->leaf_count; i++) {
        const Value *x = a->field->ambient, *y = b->field->ambient;
        Leaf zero = {0}, p = x ? x->leaves[a->first_leaf + i] : zero,
             q = y ? y->leaves[b->first_leaf + i] : zero;
        if (memcmp(&p, &q, sizeof p) != 0)
            return false;
    }
    return true;
}

/* Cells that are not active read as ambient, whichever layout they came with. */
static Difference
compare_places(const Place *a, const Place *b, int count, bool may_be_inactive)
{
    for (int i = 0; i < count; i++) {
        const char *what = a[i].type != b[i].type                 ? "types of elements"
                           : a[i].cell_offset != b[i].cell_offset ? "places of fields in a cell"
                           : may_be_inactive && !same_ambient(&a[i], &b[i]) ? "ambient values"
                                                                            : NULL;
        if (what)
            return (Difference){a[i].span, b[i].span, what};
    }
    return (Difference){0};
}

static const char *
shape_difference(const Node *a, const Node *b)
{
    if (a->kind != b->kind)
        return "kinds of nodes";
    if (a->axis_count != b->axis_count)
        return "numbers of axes";
    for (int i = 0; i < a->axis_count; i++) {
        if (a->axes[i] != b->axes[i])
            return "axes";
        if (a->sizes[i] != b->sizes[i])
            return "sizes";
        if (a->stored[i] != b->stored[i])
            return "padding of sizes";
    }
    return a->chunk != b->chunk                     ? "chunks"
           : a->places.count != b->places.count     ? "numbers of fields in a cell"
           : a->children.count != b->children.count ? "numbers of nodes in a cell"
                                                    : NULL;
}

static Difference
compare_nodes(const Node *a, const Node *b, bool may_be_inactive)
{
    const char *what = shape_difference(a, b);
    if (what)
        return (Difference){a->span, b->span, what};
    may_be_inactive = may_be_inactive || node_has_activity(a->kind);
    Difference d =
        compare_places(a->places.items, b->places.items, a->places.count, may_be_inactive);
    for (int i = 0; !d.what && i < a->children.count; i++)
        d = compare_nodes(a->children.items[i], b->children.items[i], may_be_inactive);
    return d;
}

static Difference
compare_layouts(const Layout *a, const Layout *b)
{
    if (a->tops.count != b->tops.count)
        return (Difference){a->span, b->span, "numbers of nodes at the top"};
    if (a->places.count != b->places.count)
        return (Difference){a->span, b->span, "numbers of fields without axes"};
    Difference d = compare_places(a->places.items, b->places.items, a->places.count, false);
    for (int i = 0; !d.what && i < a->tops.count; i++)
        d = compare_nodes(a->tops.items[i], b->tops.items[i], false);
    return d;
}

TExpr *
check_swap(Checker *k, Scope *s, const Expr *e)
{
    if (!begin(k, e, 2, 2))
        return tx_error(k, e->span);
    TStmt *st = stmt_new(k, TS_SWAP, e->span);
    st->layout = layout_argument(k, s, e->args.items[0]);
    st->layout2 = layout_argument(k, s, e->args.items[1]);
    if (!st->layout || !st->layout2 || k->c->syntax_errors) /* a part of one may be left out */
        return tx_error(k, e->span);
    Difference difference = compare_layouts(st->layout, st->layout2);
    if (difference.what) {
        Diag *d = diag(k->c, E0508, e->span,
                       "'swap' needs two layouts of one structure; the %s of "
                       "'%s' and '%s' differ",
                       difference.what, st->layout->name, st->layout2->name);
        diag_note(d, difference.a, "this is of '%s'", st->layout->name);
        diag_note(d, difference.b, "this is of '%s'", st->layout2->name);
        return tx_error(k, e->span);
    }
    Layout *a = layout_first_twin(st->layout), *b = layout_first_twin(st->layout2);
    a->changes_size = b->changes_size =
        a->changes_size || b->changes_size || !layouts_have_same_sizes(st->layout, st->layout2);
    if (a != b)
        *(a->id < b->id ? &b->twin : &a->twin) = a->id < b->id ? a : b;
    return finish(k, st);
}

/* ---- files ---- */

/* Can a file hold the field, beside those before it? */
static bool
check_saved_field(Checker *k, const TStmt *st, const Field *f, Span at)
{
    bool twice = false;
    for (int i = 0; i < st->fields.count; i++)
        twice = twice || st->fields.items[i] == f;
    if (twice)
        diag(k->c, E0313, at, "field '%s' stands here twice; a file holds it once", f->name);
    else if (f->type->kind == TYPE_STRUCT)
        diag(k->c, E0313, at,
             "field '%s' holds structs, which files do not; they hold members: %s.%s", f->name,
             f->name, f->type->members[0].name);
    return !twice && f->type->kind != TYPE_STRUCT;
}

/* The member of a field of structs as a field of its own: the same one each time. */
static Field *
member_of_field(Checker *k, Field *f, const Member *m, Span at)
{
    Field *whole = f->member_of ? f->member_of : f;
    const int first = f->first_leaf + m->leaf;
    for (int i = 0; i < k->prog->members.count; i++) {
        Field *known = k->prog->members.items[i];
        if (known->member_of == whole && known->first_leaf == first && known->type == m->type)
            return known;
    }
    Field *one = ARENA_NEW(k->c->arena, Field);
    *one = *f;
    one->name = intern_str(k->c->intern, arena_printf(k->c->arena, "%s.%s", f->name, m->name));
    one->type = m->type;
    one->span = at;
    one->ambient = NULL;
    if (f->ambient) {
        one->ambient = ARENA_NEW(k->c->arena, Value);
        *one->ambient = (Value){m->type, f->ambient->leaves + m->leaf};
    }
    one->adjoint = one->primal = NULL;
    one->member_of = whole;
    one->first_leaf = first;
    one->leaves = f->leaves + m->leaf;
    if (m->type->kind != TYPE_STRUCT) /* or it is a step to another */
        vec_push(k->c->arena, &k->prog->members, one);
    return one;
}

/* A field, or the member of a field of structs: g.mass. NULL after a report. */
static Field *
saved_argument(Checker *k, Scope *s, const Expr *e)
{
    if (e->kind != EXPR_MEMBER)
        return field_argument(k, s, e);
    Field *f = saved_argument(k, s, e->a);
    if (!f)
        return NULL;
    const Member *m = f->type->kind == TYPE_STRUCT ? type_member(f->type, e->name.text) : NULL;
    if (f->type->kind != TYPE_STRUCT)
        diag(k->c, E0313, e->span, "field '%s' holds no structs; a file holds all of an element",
             f->name);
    else if (!m)
        diag(k->c, E0313, e->span, "the structs of field '%s' have no member '%s'", f->name,
             e->name.text);
    return m ? member_of_field(k, f, m, e->span) : NULL;
}

/* Can a member be loaded? Derivatives are kept of whole structs. */
static bool
check_loaded_member(Checker *k, const TStmt *st, const Field *f, Span at)
{
    if (st->kind != TS_LOAD || !f->member_of || !f->member_of->adjoint)
        return true;
    diag(k->c, E0313, at, "a member of a @grad field cannot be loaded alone");
    return false;
}

/* What is saved or loaded: fields, or one layout. */
static bool
file_contents(Checker *k, Scope *s, const Expr *e, TStmt *st)
{
    if (e->args.count == 2 && is_layout(k, s, e->args.items[1])) {
        st->layout = layout_argument(k, s, e->args.items[1]);
        return st->layout != NULL;
    }
    for (int i = 1; i < e->args.count; i++) {
        const Span at = e->args.items[i]->span;
        Field *f = saved_argument(k, s, e->args.items[i]);
        if (!f || !check_saved_field(k, st, f, at) || !check_loaded_member(k, st, f, at))
            return false;
        vec_push(k->c->arena, &st->fields, f);
    }
    return true;
}

/* The kind of a file whose name, or the end of it, is in the program: an error at run time comes
 * late. */
static bool
known_kind(Checker *k, const TExpr *path, SnlFileKind *kind)
{
    if (path->kind != TX_STRING && path->kind != TX_FORMAT)
        return false;
    const char *name = arena_strndup(k->c->arena, path->string, (size_t)path->string_bytes),
               *dot = strrchr(name, '.');
    *kind = snl_file_kind(name);
    return path->kind == TX_STRING || !strchr(dot ? dot : name, '}');
}

/* Can such a file hold all of the fields? */
static bool
check_file_types(Checker *k, const TStmt *st, SnlFileKind kind)
{
    SnlIoError why;
    for (int i = 0; i < st->fields.count; i++) {
        const Field *f = st->fields.items[i];
        assert(f);
        const Type *t = f->type;
        SnlIoArray a = {.name = arena_printf(k->c->arena, "'%s'", f->name),
                        .tag = (int)t->scalar,
                        .axes = f->axis_count,
                        .index_axes = f->axis_count};
        if (t->rows)
            a.shape[a.axes++] = t->rows;
        if (t->cols)
            a.shape[a.axes++] = t->cols;
        if (!snl_io_fits(kind, &a, &why) ||
            (st->kind == TS_SAVE && i == 0 && !snl_io_fits_first(kind, &a, &why))) {
            diag(k->c, E0313, st->path->span, "%s", why.text);
            return false;
        }
    }
    return true;
}

/* Can these things be in such a file? */
static bool
check_file_name(Checker *k, const TStmt *st)
{
    SnlFileKind kind;
    const Span at = st->path->span;
    const Field *f = st->fields.count ? st->fields.items[0] : NULL;
    if (!known_kind(k, st->path, &kind))
        return true;
    if (!f && kind != SNL_FILE_SNLT)
        diag(k->c, E0313, at, "a layout with what is active in it is kept in a file .snlt");
    else if (f && kind == SNL_FILE_SNLT)
        diag(k->c, E0313, at, "a file .snlt holds a layout, not single fields");
    else if (kind == SNL_FILE_OTHER)
        diag(k->c, E0313, at,
             "this kind of file is not known; fields go to .npy, .npz, .png, .h5, .vti, .vtu, "
             ".nvdb, .vtp, .ply and .csv");
    else if (st->kind == TS_SAVE && st->fields.count > 1 &&
             (kind == SNL_FILE_NPY || kind == SNL_FILE_PNG))
        diag(k->c, E0313, at, "this kind of file holds one field; several go to a .npz or .h5");
    else if (kind == SNL_FILE_PNG &&
             f->type->scalar != SCALAR_U8 && f->type->scalar != SCALAR_U16)
        diag_fix(diag(k->c, E0313, at, "a .png holds u8 or u16, field '%s' is %s", f->name,
                      f->type->name),
                 "image(path, %s, low, high) makes a picture of any numbers", f->name);
    else
        return check_file_types(k, st, kind);
    return false;
}

static TExpr *
check_file(Checker *k, Scope *s, const Expr *e, TStmtKind kind, int most)
{
    if (!begin(k, e, 2, most) || is_path_behind(k, s, e))
        return tx_error(k, e->span);
    TStmt *st = stmt_new(k, kind, e->span);
    st->path = path_argument(k, s, e->args.items[0]);
    if (!file_contents(k, s, e, st) || tx_is_error(st->path) || !check_file_name(k, st))
        return tx_error(k, e->span);
    return finish(k, st);
}

TExpr *
check_save(Checker *k, Scope *s, const Expr *e)
{
    return check_file(k, s, e, TS_SAVE, 1000);
}

/* load("a.npz", x, y): a call for each. */
static TExpr *
several_loads(Checker *k, const Expr *e)
{
    const char *path = source_text(k, e->args.items[0]->span), *calls = "";
    for (int i = 1; i < e->args.count; i++)
        calls = arena_printf(k->c->arena, "%s%sload(%s, %s)", calls, i > 1 ? "; " : "", path,
                             source_text(k, e->args.items[i]->span));
    Diag *d = diag(k->c, E0305, e->span, "'load' takes one field, or layout, at a time");
    diag_edit(d, e->span, "%s", calls);
    return tx_error(k, e->span);
}

TExpr *
check_load(Checker *k, Scope *s, const Expr *e)
{
    return e->args.count > 2 ? several_loads(k, e) : check_file(k, s, e, TS_LOAD, 2);
}

TExpr *
check_image(Checker *k, Scope *s, const Expr *e)
{
    if (!begin(k, e, 4, 4) || is_path_behind(k, s, e))
        return tx_error(k, e->span);
    const Type *wide = type_scalar(k->prog->types, SCALAR_F64);
    TStmt *st = stmt_new(k, TS_IMAGE, e->span);
    st->path = path_argument(k, s, e->args.items[0]);
    Field *f = field_argument(k, s, e->args.items[1]);
    TExpr *lo = check_expr_as(k, s, e->args.items[2], wide),
          *hi = check_expr_as(k, s, e->args.items[3], wide);
    SnlFileKind kind;
    if (!tx_is_error(st->path) && known_kind(k, st->path, &kind) && kind != SNL_FILE_PNG) {
        diag(k->c, E0313, st->path->span, "an image is a .png");
        return tx_error(k, e->span);
    }
    if (!f || tx_is_error(st->path) || tx_is_error(lo) || tx_is_error(hi))
        return tx_error(k, e->span);
    if (!type_is_arith(f->type) || f->type->kind == TYPE_MATRIX || f->axis_count != 2) {
        diag(k->c, E0508, e->args.items[1]->span,
             "an image is made of a field of numbers or vectors with 2 axes");
        return tx_error(k, e->span);
    }
    vec_push(k->c->arena, &st->fields, f);
    vec_push(k->c->arena, &st->from, lo);
    vec_push(k->c->arena, &st->to, hi);
    return finish(k, st);
}

TExpr *
check_format_call(Checker *k, Scope *s, const Expr *e)
{
    if (!begin(k, e, 1, 10000))
        return tx_error(k, e->span);
    TExpr *t = tx_new(k, TX_FORMAT, type_string(k->prog->types), e->span);
    if (e->args.items[0]->kind != EXPR_STRING) {
        diag(k->c, E0314, e->args.items[0]->span,
             "'format' needs its format as a string in quotes");
        return tx_error(k, e->span);
    }
    for (int i = 1; i < e->args.count; i++) {
        TExpr *a = check_expr(k, s, e->args.items[i], NULL);
        if (!has_value(k, a))
            return tx_error(k, e->span);
        vec_push(k->c->arena, &t->args, a);
    }
    t->string = e->args.items[0]->string;
    t->string_bytes = e->args.items[0]->string_bytes;
    return check_format(k, e->args.items[0], &t->args) ? t : tx_error(k, e->span);
}

/* ---- values of the host ---- */

TExpr *
check_clock(Checker *k, Scope *s, const Expr *e)
{
    (void)s;
    if (!begin(k, e, 0, 0))
        return tx_error(k, e->span);
    return tx_new(k, TX_CLOCK, type_scalar(k->prog->types, SCALAR_F64), e->span);
}

TExpr *
check_measure(Checker *k, Scope *s, const Expr *e)
{
    if (!k->func || !k->func->may_measure || k->func->measure != e) {
        Diag *d =
            diag(k->c, E0509, e->span, "'measure' is the condition of one while of a benchmark");
        if (k->func && k->func->measure)
            diag_note(d, k->func->measure->span, "this one measures already");
        return tx_error(k, e->span);
    }
    if (!begin(k, e, 0, 1))
        return tx_error(k, e->span);
    TExpr *t = tx_new(k, TX_MEASURE, type_scalar(k->prog->types, SCALAR_BOOL), e->span);
    const Type *wide = type_scalar(k->prog->types, SCALAR_F64);
    t->a = e->args.count ? check_expr_as(k, s, e->args.items[0], wide)
                         : tx_cast(k, tx_integer(k, e->span, SCALAR_I32, 0), wide, e->span);
    return tx_is_error(t->a) ? t->a : t;
}

TExpr *
check_memory(Checker *k, Scope *s, const Expr *e)
{
    if (!begin(k, e, 1, 1))
        return tx_error(k, e->span);
    TExpr *t = tx_new(k, TX_MEMORY, type_scalar(k->prog->types, SCALAR_I64), e->span);
    t->layout = layout_argument(k, s, e->args.items[0]);
    return t->layout ? t : tx_error(k, e->span);
}

TExpr *
check_active(Checker *k, Scope *s, const Expr *e)
{
    if (!begin(k, e, 1, 1))
        return tx_error(k, e->span);
    Node *n = check_label(k, s, e->args.items[0]);
    if (!n)
        return tx_error(k, e->span);
    int axes[AXIS_MAX], count = node_path_axes(n, axes);
    __int128 cells = 1;
    for (int i = 0; i < count && cells <= INT32_MAX; i++)
        cells *= n->coord_extent[axes[i]]   ? n->coord_extent[axes[i]]
                 : node_is_wide(n, axes[i]) ? INT64_MAX
                                            : INT32_MAX;
    TExpr *t =
        tx_new(k, TX_ACTIVE,
               type_scalar(k->prog->types, cells > INT32_MAX ? SCALAR_I64 : SCALAR_I32), e->span);
    t->node = n;
    return t;
}
