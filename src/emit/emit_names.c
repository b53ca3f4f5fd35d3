/* Identifiers: the user's own wherever C allows. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "emit/inside.h"

/* Keywords of C and C++, and macros that stand in every file. */
static const char *const keywords[] = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for", "goto",
    "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
    "typedef", "union", "unsigned", "void", "volatile", "while", "asm", "typeof", "bool", "true", "false", "NULL", "INFINITY", "NAN",
    "alignas", "alignof", "and", "and_eq", "bitand", "bitor", "catch", "class", "compl", "concept", "constexpr", "const_cast",
    "decltype", "delete", "dynamic_cast", "explicit", "export", "friend", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
    "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "reinterpret_cast", "requires", "static_assert",
    "static_cast", "template", "this", "thread_local", "throw", "try", "typeid", "typename", "using", "virtual", "wchar_t", "xor",
    "xor_eq", "unix", "linux", "i386", "errno", "assert", "stdin", "stdout", "stderr", "EOF", "I", "NDEBUG"};

/* Names that the emitted code uses itself. */
static const char *const own[] = {
    "main", "self", "alone", "args", "chunk", "from", "to", "rng", "result", "status", "entries", "a", "options", "out", "values", "coords", "iterations", "chunks", "list", "sum",
    "component"};

static bool
is_among(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static bool
is_reserved(const char *name)
{
    size_t n = strlen(name);
    if (!strncmp(name, "snl", 3) || !strncmp(name, "Snl", 3) || !strncmp(name, "SNL", 3) || !strncmp(name, "__", 2))
        return true;
    if (n > 2 && !strcmp(name + n - 2, "_t"))
        return true;
    return is_among(own, sizeof own / sizeof *own, name) || is_among(keywords, sizeof keywords / sizeof *keywords, name);
}

/* Functions that the headers of C programs declare: a type of the same name would not compile beside them. */
static const char *const library[] = {
    "abort", "abs", "acos", "asin", "atan", "atan2", "calloc", "cbrt", "ceil", "clock", "copysign", "cos", "cosh", "div", "erf", "exp",
    "exp2", "exit", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "free", "frexp", "gamma", "getenv", "hypot", "index", "j0",
    "j1", "jn", "labs", "ldexp", "link", "log", "log10", "log2", "malloc", "memcpy", "modf", "nan", "open", "pipe", "pow", "printf",
    "putc", "puts", "qsort", "raise", "rand", "random", "read", "remainder", "remove", "rename", "rint", "round", "scanf", "select",
    "signal", "sin", "sinh", "sleep", "sqrt", "srand", "strlen", "sync", "system", "tan", "tanh", "time", "tgamma", "trunc", "wait",
    "write", "y0", "y1", "yn", "std", "div_t"};

const char *
name_prefix(Emit *e, const char *name)
{
    return is_among(library, sizeof library / sizeof *library, name) ? arena_printf(e->c->arena, "%s_", name) : name_clean(e, name);
}

const char *
name_plain(Emit *e, const char *name)
{
    char *clean = arena_printf(e->c->arena, "%s", name);
    for (char *s = clean; *s; s++)
        if (!isalnum((unsigned char)*s))
            *s = '_';
    return clean;
}

const char *
name_clean(Emit *e, const char *name)
{
    const char *plain = name_plain(e, name);
    return is_reserved(plain) ? arena_printf(e->c->arena, "%s_", plain) : plain;
}

const char *
name_member(Emit *e, const char *name)
{
    const char *plain = name_plain(e, name);
    bool taken = is_among(keywords, sizeof keywords / sizeof *keywords, plain) || !strncmp(plain, "__", 2);
    return taken ? arena_printf(e->c->arena, "%s_", plain) : plain;
}

const char *
name_field(Emit *e, const Field *f)
{
    return e->field_names[f->id];
}

/* Names of fields in C are told apart: r#2 is r_2, unless there is a field r_2. */
void
name_fields(Emit *e)
{
    Map taken;
    map_init(&taken, e->c->arena);
    e->field_names = ARENA_ARRAY(e->c->arena, const char *, e->p->fields.count);
    for (int pass = 0; pass < 2; pass++) /* those that are names as they stand come first */
        for (int i = 0; i < e->p->fields.count; i++) {
            const Field *f = e->p->fields.items[i];
            const char *plain = name_plain(e, f->name), *key = intern_str(e->c->intern, plain);
            if (strcmp(plain, f->name) ? pass == 0 : pass == 1)
                continue;
            for (int n = 2; map_get(&taken, key); n++)
                key = intern_str(e->c->intern, arena_printf(e->c->arena, "%s_%d", plain, n));
            map_put(&taken, key, e);
            e->field_names[f->id] = key;
        }
}

const char *
name_new(Emit *e, const char *name)
{
    const char *clean = name_clean(e, name), *key = intern_str(e->c->intern, clean);
    for (int n = 2; map_get(&e->taken, key); n++)
        key = intern_str(e->c->intern, arena_printf(e->c->arena, "%s_%d", clean, n));
    map_put(&e->taken, key, e);
    return key;
}

const char *
name_temp(Emit *e)
{
    return name_new(e, arena_printf(e->c->arena, "t%d", ++e->temp_count));
}

const char *
name_func(Emit *e, const Func *f)
{
    if (f->kind == FUNC_EXTERN)
        return f->name;
    return arena_printf(e->c->arena, "%s_%s", e->prefix, f->unique);
}
