/* The entry of the checker: reads files, follows imports, runs the parts in order. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "check/check.h"

typedef struct {
    Checker *k;
    VEC(const Source *) open; /* files being read: a cycle of imports */
    VEC(Module *) modules;
} Reader;

static const Source *
find_source(const Compile *c, const Source *same)
{
    for (int i = 0; i < c->sources.files.count; i++) {
        const Source *f = c->sources.files.items[i];
        if (f != same && f->real && same->real && !strcmp(f->real, same->real))
            return f;
    }
    return NULL;
}

/* Reads a file of a module. Pipes and devices may keep a reader waiting for ever, and give a text
 * once only: errno is ENOTSUP for them. */
static Source *
read_import(Compile *c, const char *path)
{
    struct stat st;
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return source_read(&c->sources, path);
    errno = ENOTSUP;
    return NULL;
}

/* Looks for an imported file beside the importing one, in the -I folders, in the installation. */
static Source *
find_import(Reader *r, const Source *from, const char *name)
{
    static const char library[] = "std/";
    Compile *c = r->k->c;
    const char *slash = strrchr(from->path, '/');
    const bool is_whole = name[0] == '/';
    Source *s = read_import(c, is_whole || !slash
                                   ? name
                                   : arena_printf(c->arena, "%.*s/%s", (int)(slash - from->path),
                                                  from->path, name));
    if (s) {
        s->library = from->library ? s->path + strlen(c->options.library) + 1 : NULL;
        return s;
    }
    r->k->prog->searched = true;
    for (int i = 0; !s && !is_whole && i < c->options.import_dirs.count; i++)
        s = read_import(c, arena_printf(c->arena, "%s/%s", c->options.import_dirs.items[i], name));
    if (s || !c->options.library || strncmp(name, library, sizeof library - 1))
        return s;
    s = read_import(c, arena_printf(c->arena, "%s/%s", c->options.library, name));
    if (s)
        s->library = s->path + strlen(c->options.library) + 1;
    return s;
}

static Source *
open_import(Reader *r, const Source *from, const Item *item)
{
    Compile *c = r->k->c;
    Source *s = find_import(r, from, item->path);
    if (!s)
        diag(c, errno == EFBIG ? E0111 : E0110, item->path_span, "cannot read '%s': %s", item->path,
             errno == ENOTSUP ? "it is no regular file" : strerror(errno));
    return s;
}

static void read_module(Reader *r, Source *source);

static void
follow_import(Reader *r, const Source *from, const Item *item)
{
    Compile *c = r->k->c;
    enum { DEPTH_MAX = 1000 };
    if (r->open.count >= DEPTH_MAX) {
        diag(c, E0110, item->path_span, "modules import each other %d deep here", DEPTH_MAX);
        return;
    }
    Source *s = open_import(r, from, item);
    if (!s)
        return;
    const Source *known = find_source(c, s);
    for (int i = 0; i < r->open.count; i++)
        if (r->open.items[i] == known) {
            Diag *d = diag(c, E0110, item->path_span, "'%s' imports itself", known->path);
            for (int j = i; j < r->open.count; j++)
                diag_note(d, (Span){0, 0}, "%s imports the next", r->open.items[j]->path);
            return;
        }
    if (known)
        return;
    vec_push(c->arena, &r->k->prog->imports, s);
    read_module(r, s);
}

static void
read_module(Reader *r, Source *source)
{
    Compile *c = r->k->c;
    Module *m = parse_source(c, source);
    vec_push(c->arena, &r->open, (const Source *)source);
    for (int i = 0; i < m->items.count; i++)
        if (m->items.items[i]->kind == ITEM_IMPORT && m->items.items[i]->path)
            follow_import(r, source, m->items.items[i]);
    r->open.count--;
    vec_push(c->arena, &r->modules, m);
}

/* The layouts that snlc tune tries, as a file that everything could be imported from. */
static const Source *
read_tuned(Reader *r)
{
    Compile *c = r->k->c;
    Source *s = source_add(&c->sources, "<tune>", c->options.tuned, strlen(c->options.tuned));
    read_module(r, s);
    return s;
}

/* The stem of the file as a C identifier. */
static const char *
program_name(Compile *c, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path,
               *dot = strrchr(base, '.');
    size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    char *name =
        arena_printf(c->arena, "%s%.*s", isdigit((unsigned char)base[0]) ? "p_" : "", (int)n, base);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    return *name ? name : "program";
}

/* The value of an untyped or typed constant as text. */
static const char *
const_text(Checker *k, const Const *v)
{
    if (v->kind == CONST_INT)
        return integer_text(k, v->integer);
    Leaf leaf = {.f = v->number};
    Value value =
        v->kind == CONST_TYPED ? v->value : (Value){type_scalar(k->prog->types, SCALAR_F64), &leaf};
    Text t;
    text_init(&t, k->c->arena);
    value_print(&value, &t);
    return t.data;
}

/* What both sides of a comparison that does not hold are. */
static void
note_operands(Checker *k, Scope *s, const Expr *e, Diag *d)
{
    if (e->kind != EXPR_BINARY || !op_is_comparison(e->op))
        return;
    const Expr *const sides[] = {e->a, e->b};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        Const v;
        bool literal = sides[i]->kind == EXPR_INT || sides[i]->kind == EXPR_FLOAT;
        if (!literal && check_const(k, s, sides[i], &v))
            diag_note(d, sides[i]->span, "this is %s", const_text(k, &v));
    }
}

static void
check_static_asserts(Checker *k)
{
    for (int i = 0; i < k->static_asserts.count; i++) {
        const Item *item = k->static_asserts.items[i];
        if (is_too_large(k, item->expr->span))
            return;
        bool holds;
        Scope *s = k->static_assert_scopes.items[i];
        if (!check_const_bool(k, s, item->expr, &holds) || holds)
            continue;
        Diag *d = diag(k->c, E0602, item->expr->span, "%s",
                       item->message && item->message->kind == EXPR_STRING ? item->message->string
                                                                           : "this does not hold");
        note_operands(k, s, item->expr, d);
    }
}

/* A param in a static for, or beside one, may have the name of another: it is known elsewhere only,
 * but both would be the same option. */
static void
check_param_names(Checker *k)
{
    Map first;
    map_init(&first, k->c->arena);
    for (int i = 0; i < k->prog->params.count; i++) {
        const Param *p = k->prog->params.items[i], *other = map_get(&first, p->name);
        if (!other) {
            map_put(&first, p->name, (void *)p);
            continue;
        }
        Diag *d = diag(k->c, E0202, p->span, "there would be two params for --%s", p->name);
        if (other->span.from != p->span.from)
            diag_note(d, other->span, "the first is here");
        else
            diag_fix(d, "the param before the static for");
    }
}

/* A param with one, which is a field. */
static bool
has_adjoint(const Symbol *s)
{
    return s->kind == SYM_PARAM && find_attribute(&s->item->attrs, "grad");
}

/* Resolves what nothing has needed yet: fields before the layouts are made, the rest after it,
 * because constants may ask for extents. Params and tables are then numbered in order of
 * declaration. */
static void
resolve_symbols(Checker *k)
{
    for (int i = 0; i < k->symbols.count; i++)
        if (k->symbols.items[i]->kind == SYM_FIELD || has_adjoint(k->symbols.items[i]))
            symbol_resolve(k, k->symbols.items[i]);
    check_layouts(k);
    for (int i = 0; i < k->symbols.count; i++)
        symbol_resolve(k, k->symbols.items[i]);
    k->prog->params.count = k->prog->tables.count = 0;
    for (int i = 0; i < k->symbols.count; i++) {
        Symbol *s = k->symbols.items[i];
        if (s->kind == SYM_PARAM) {
            s->param->id = k->prog->params.count;
            vec_push(k->c->arena, &k->prog->params, s->param);
        } else if (s->kind == SYM_TABLE && s->table) {
            s->table->id = k->prog->tables.count;
            vec_push(k->c->arena, &k->prog->tables, s->table);
        }
    }
    check_param_names(k);
}

Prog *
check_program(Compile *c, const char *path)
{
    Source *source = source_read(&c->sources, path);
    if (!source)
        return NULL;
    Checker k = {.c = c, .prog = ARENA_NEW(c->arena, Prog), .checked = c->arena};
    k.prog->c = c;
    map_init(&k.prog->part_types, c->arena);
    k.prog->types = types_new(c);
    k.prog->source = source;
    k.prog->name = program_name(c, path);
    k.library = scope_new(&k, NULL);
    k.globals = scope_new(&k, k.library);
    map_init(&k.instances, c->arena);
    unique_init(&k.unique, c->arena);
    Reader r = {.k = &k};
    read_module(&r, source);
    if (c->options.tuned)
        k.tuned = read_tuned(&r);
    for (int i = 0; i < r.modules.count; i++) {
        const Items *items = &r.modules.items[i]->items;
        if (items->count && items->items[0]->kind == ITEM_DEFAULTS)
            vec_push(c->arena, &k.defaults, (const Item *)items->items[0]);
    }
    for (int i = 0; i < r.modules.count; i++)
        declare_items(&k, r.modules.items[i]->source->library ? k.library : k.globals,
                      &r.modules.items[i]->items);
    for (int i = 0; i < c->sources.files.count; i++)
        k.source_bytes += c->sources.files.items[i]->bytes;
    declare_static_items(&k);
    check_tuned(&k);
    resolve_symbols(&k);
    check_static_asserts(&k);
    k.checked = c->bodies;
    check_functions(&k);
    check_moved_arguments(&k);
    prog_spread_reached(c, k.prog);
    for (int i = 0; c->options.keep_syntax && i < r.modules.count; i++)
        vec_push(c->arena, &k.prog->modules, r.modules.items[i]);
    if (!c->options.keep_syntax)
        arena_hand_on(c->syntax, c->arena);
    return k.prog;
}
