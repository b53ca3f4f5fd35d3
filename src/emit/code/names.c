/* Identifiers: the user's own wherever C allows. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/c_words.h"
#include "emit/code/code.h"

/* Variables that the emitted code has itself, besides those of name_keep. */
static const char *const own[] = {
    "alone",     "apart",  "args",    "arrays",  "chunk",    "chunks", "component",
    "entries",   "first",  "from",    "in",      "iteration", "iterations", "launch",
    "lined",     "list",   "main",    "memcpy",  "offsetof", "order",  "program",
    "result",    "rng",    "self",    "to"};

/* Is it none that a member can have? Each name is looked up once. */
static bool
is_taken(Emit *e, const char *name)
{
    const char *key = intern_str(e->c->intern, name);
    const void *known = map_get(&e->names->looked_up, key);
    if (!known) {
        const bool taken = c_is_of_runtime(key) || c_is_of_compilers(key) ||
                           c_is_of_headers(key) || c_is_word(key);
        known = taken ? (const void *)e : key;
        map_put(&e->names->looked_up, key, (void *)known);
    }
    return known == e;
}

static bool
is_reserved(Emit *e, const char *name)
{
    size_t n = strlen(name);
    if (n > 2 && !strcmp(name + n - 2, "_t"))
        return true;
    return !strcmp(name, "snl") || !strcmp(name, "SNL") || is_taken(e, name);
}

/* A name like one that C has. Compilers keep all that begin like _SIZE_T: _SIZE_T_ is one of their
 * macros, too. */
static const char *
changed(Emit *e, const char *name)
{
    return arena_printf(e->c->arena, c_is_of_compilers(name) ? "x%s" : "%s_", name);
}

const char *
name_plain(Emit *e, const char *name)
{
    const bool *in_words = e->names->in_words;
    size_t n = 0;
    while (in_words[(unsigned char)name[n]])
        n++;
    if (!name[n])
        return name;
    char *clean = arena_strndup(e->c->arena, name, strlen(name));
    for (char *s = clean + n; *s; s++)
        if (!in_words[(unsigned char)*s])
            *s = '_';
    return clean;
}

const char *
name_clean(Emit *e, const char *name)
{
    const char *plain = name_plain(e, name);
    return is_reserved(e, plain) ? changed(e, plain) : plain;
}

/* The name, changed where C forbids it for a member. */
static const char *
member_word(Emit *e, const char *name)
{
    const char *plain = name_plain(e, name);
    return is_taken(e, plain) ? changed(e, plain) : plain;
}

/* ---- variables ---- */

/* The name, changed where it could be that of an extent of an array of the caller's: ARRAY_n0
 * ... */
static const char *
off_extents(Emit *e, const char *name)
{
    size_t n = strlen(name);
    bool taken = n > 3 && name[n - 3] == '_' && name[n - 2] == 'n' && name[n - 1] >= '0' &&
                 name[n - 1] < '0' + AXIS_MAX;
    return taken ? arena_printf(e->c->arena, "%s_", name) : name;
}

/* A name that no variable of the emitted code has, like `name`. */
static const char *
name_local(Emit *e, const char *name)
{
    const char *clean = off_extents(e, name_clean(e, name)),
               *key = intern_str(e->c->intern, clean);
    for (int n = 2; map_get(&e->names->local, key); n++)
        key = intern_str(e->c->intern, arena_printf(e->c->arena, "%s_%d", clean, n));
    return key;
}

bool
name_is_new(Emit *e, const char *name)
{
    const char *key = intern_str(e->c->intern, name);
    if (map_get(&e->made, key))
        return false;
    map_put(&e->made, key, e);
    return true;
}

/* The same, and new among those that are taken. */
static const char *
new_among(Emit *e, Unique *taken, const char *name)
{
    const char *local = name_local(e, name), *key;
    do
        key = unique_take(taken, e->c->intern, local);
    while (key != local && map_get(&e->names->local, key));
    return key;
}

const char *
name_new(Emit *e, const char *name)
{
    return new_among(e, &e->fn.taken, name);
}

const char *
name_temp(Emit *e)
{
    return name_new(e, arena_printf(e->c->arena, "t%d", ++e->temp_count));
}

void
name_keep(Emit *e, const char *name)
{
    map_put(&e->names->local, intern_str(e->c->intern, name), e);
}

/* The name, with "_" behind it as long as it is taken, then with a number. */
static const char *
unlike(Emit *e, Unique *taken, const char *name)
{
    enum { MOST = 4 };
    for (int k = 0; k < MOST && unique_has(taken, intern_str(e->c->intern, name)); k++)
        name = arena_printf(e->c->arena, "%s_", name);
    return unique_take(taken, e->c->intern, name);
}

/* ---- members and parameters ---- */

const char *
name_known(const Emit *e, NameKind kind, const void *what)
{
    return map_get(&e->names->given[kind], what);
}

const char *
name_in_cell(Emit *e, const void *cell, const void *part, const char *name)
{
    const char *wanted = arena_printf(e->c->arena, "%p %s", cell, member_word(e, name)),
               *given = strchr(unlike(e, &e->names->in_cells, wanted), ' ') + 1;
    map_put(&e->names->given[NAME_MEMBER], part, (void *)given);
    return given;
}

/* A part of a scope: its name in the program, and the one that C allows. */
typedef struct {
    const void *part;
    const char *name, *allowed;
} Named;

/* Tells the parts of a scope apart. Callers know them by these names: those that C allows as they
 * stand are kept, wherever in the scope they are declared. */
static void
name_scope(Emit *e, NameKind kind, const Named *all, int count)
{
    Unique taken;
    unique_init(&taken, e->c->arena);
    for (int changed = 0; changed < 2; changed++)
        for (int i = 0; i < count; i++)
            if ((strcmp(all[i].name, all[i].allowed) != 0) == changed)
                map_put(&e->names->given[kind], all[i].part,
                        (void *)unlike(e, &taken, all[i].allowed));
}

const char *
name_member(Emit *e, const Type *t, int index)
{
    if (!name_known(e, NAME_MEMBER, &t->members[index])) {
        Named *all = ARENA_ARRAY(e->c->arena, Named, t->member_count);
        for (int i = 0; i < t->member_count; i++)
            all[i] = (Named){&t->members[i], t->members[i].name,
                             member_word(e, t->members[i].name)};
        name_scope(e, NAME_MEMBER, all, t->member_count);
    }
    return name_known(e, NAME_MEMBER, &t->members[index]);
}

static void
name_params(Emit *e)
{
    const int count = e->p->params.count;
    Named *all = ARENA_ARRAY(e->c->arena, Named, count);
    for (int i = 0; i < count; i++) {
        const Param *p = e->p->params.items[i];
        all[i] = (Named){p, p->name, member_word(e, p->name)};
    }
    name_scope(e, NAME_MEMBER, all, count);
}

const char *
name_param(Emit *e, const Param *p)
{
    return name_known(e, NAME_MEMBER, p);
}

/* The parameter in the header; two have names of the interface. */
static const char *
argument_word(Emit *e, const Var *v)
{
    const char *name = off_extents(e, member_word(e, v->name));
    return !strcmp(name, "program") || !strcmp(name, "result")
               ? arena_printf(e->c->arena, "%s_", name)
               : name;
}

static void
name_arguments(Emit *e, const Func *f)
{
    const int count = f->params.count;
    Named *all = ARENA_ARRAY(e->c->arena, Named, count);
    Unique taken;
    unique_init(&taken, e->c->arena);
    for (int i = 0; i < count; i++) {
        const Var *v = f->params.items[i];
        all[i] = (Named){v, v->name, argument_word(e, v)};
        const char *variable = new_among(e, &taken, v->name);
        map_put(&e->names->given[NAME_VARIABLE], all[i].part, (void *)variable);
    }
    name_scope(e, NAME_ARGUMENT, all, count);
}

const char *
name_argument(Emit *e, const Func *f, const Var *v, bool header)
{
    if (!name_known(e, NAME_ARGUMENT, v))
        name_arguments(e, f);
    return name_known(e, header ? NAME_ARGUMENT : NAME_VARIABLE, v);
}

/* ---- names of the whole file ---- */

const char *
name_field(Emit *e, const Field *f)
{
    return e->field_names[f->id];
}

const char *
name_field_desc(Emit *e, const Field *f)
{
    return f->member_of ? arena_printf(e->c->arena, "snl_member_%s_%d", name_field(e, f),
                                       f->first_leaf)
                        : arena_printf(e->c->arena, "snl_desc_%s", name_field(e, f));
}

/* The name, changed where its parts together are one of C: va_start. */
static const char *
whole_word(Emit *e, const char *name)
{
    return c_is_of_headers(name) ? changed(e, name) : name;
}

const char *
name_global(Emit *e, const char *name)
{
    return unlike(e, &e->names->global, whole_word(e, name));
}

const char *
name_given(Emit *e, NameKind kind, const void *what, const char *name)
{
    const char *given = name_known(e, kind, what);
    if (!given) {
        given = name_global(e, name);
        map_put(&e->names->given[kind], what, (void *)given);
    }
    return given;
}

/* The name that a function has where nothing else has it. */
static const char *
func_word(Emit *e, const Func *f)
{
    return intern_str(e->c->intern, arena_printf(e->c->arena, "%s_%s", e->prefix, f->unique));
}

const char *
name_func(Emit *e, const Func *f)
{
    if (f->kind == FUNC_EXTERN)
        return f->name;
    const char *known = name_known(e, NAME_FUNC, f);
    return known ? known : name_given(e, NAME_FUNC, f, func_word(e, f));
}

const char *
name_part(Emit *e, const char *part)
{
    return name_given(e, NAME_PART, intern_str(e->c->intern, part),
                      arena_printf(e->c->arena, "%s_%s", e->prefix, part));
}

const char *
name_layout_function(Emit *e, NameKind kind, const Layout *l)
{
    const char *verb = kind == NAME_CREATE ? "create" : "destroy";
    return name_given(
        e, kind, l, arena_printf(e->c->arena, "%s_%s_%s", e->prefix, verb, name_plain(e, l->name)));
}

const char *
name_field_function(Emit *e, int number, const char *verb, const Field *f)
{
    const char *known = name_known(e, NAME_FIELD + number, f);
    return known ? known
                 : name_given(
                       e, NAME_FIELD + number, f,
                       arena_printf(e->c->arena, "%s_%s_%s", e->prefix, verb, name_field(e, f)));
}

/* Names of fields in C are told apart: r#2 is r_2, unless there is a field r_2. */
static void
name_fields(Emit *e)
{
    Unique taken;
    unique_init(&taken, e->c->arena);
    e->field_names = ARENA_ARRAY(e->c->arena, const char *, e->p->fields.count);
    for (int pass = 0; pass < 2; pass++) /* those that are names as they stand come first */
        for (int i = 0; i < e->p->fields.count; i++) {
            const Field *f = e->p->fields.items[i];
            const char *plain = name_plain(e, f->name);
            if (strcmp(plain, f->name) ? pass == 1 : pass == 0)
                e->field_names[f->id] = unique_take(&taken, e->c->intern, plain);
        }
}

/* The prefix of a program's C names, which is also the name of its type. */
static const char *
name_prefix(Emit *e, const char *name)
{
    if (c_is_of_library(name))
        return arena_printf(e->c->arena, "%s_", name);
    for (int i = 0; i < e->p->funcs.count; i++)
        if (e->p->funcs.items[i]->kind == FUNC_EXTERN && !strcmp(e->p->funcs.items[i]->name, name))
            return arena_printf(e->c->arena, "%s_", name);
    return name_clean(e, name);
}

/* Can something of the whole file have the name as it stands? */
static bool
is_free(Emit *e, const char *name)
{
    return !unique_has(&e->names->global, name) && whole_word(e, name) == name;
}

/* Names that the interface has for every program. */
static const char *const interface[] = {"params",  "params_default", "create",      "create_with",
                                        "destroy", "message",        "set_threads", "set_seed"};

void
names_start(Emit *e, const char *prefix)
{
    e->names = ARENA_NEW(e->c->arena, NameTable);
    unique_init(&e->names->global, e->c->arena);
    for (int kind = 0; kind < NAME_KIND_COUNT; kind++)
        map_init(&e->names->given[kind], e->arena);
    unique_init(&e->names->in_cells, e->c->arena);
    map_init(&e->names->local, e->c->arena);
    map_init(&e->names->looked_up, e->c->arena);
    for (int c = 0; c < 256; c++)
        e->names->in_words[c] = isalnum(c) || c == '_';
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        name_keep(e, own[i]);
    if (e->o->gpu)
        name_keep(e, "step");
    e->prefix = name_prefix(e, prefix);
    name_fields(e);
    name_params(e);
    name_global(e, e->prefix);
    for (size_t i = 0; i < sizeof interface / sizeof *interface; i++)
        name_part(e, interface[i]);
    for (int i = 0; i < e->p->funcs.count; i++) {
        const Func *f = e->p->funcs.items[i];
        if (f->kind == FUNC_EXTERN)
            map_put(&e->names->given[NAME_FUNC], (const void *)f,
                    (void *)unlike(e, &e->names->global, f->name));
    }
    for (int pass = 0; pass < 2; pass++) /* those whose name is free come first */
        for (int i = 0; i < e->p->funcs.count; i++) {
            const Func *f = e->p->funcs.items[i];
            if (func_is_exported(f) && (pass || is_free(e, func_word(e, f))))
                name_func(e, f);
        }
}

void
names_keep_externs(Emit *e)
{
    for (int i = 0; i < e->p->funcs.count; i++) {
        const Func *f = e->p->funcs.items[i];
        if (f->kind == FUNC_EXTERN && !map_get(&e->names->local, f->name))
            map_put(&e->names->local, f->name, (void *)f);
    }
}

bool
name_clashes(const Emit *e, const Func *f)
{
    return map_get(&e->names->local, f->name) != f ||
           strcmp(name_known(e, NAME_FUNC, f), f->name) != 0;
}
