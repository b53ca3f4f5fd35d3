/* Diagnostics: collected here, printed by diag_print.c. */
#include "config.h"

#include "base/diag.h"

#include <stdarg.h>
#include <string.h>

#include "base/compile.h"
#include "base/diag_data.h"

enum { ERRORS_KEPT = 100 };

static const DiagInfo diag_table[] = {
#define DIAG(code, severity, title) {#code, severity, title},
#include "base/diags.def"
#undef DIAG
};

const DiagInfo *
diag_info(DiagCode code)
{
    return &diag_table[code];
}

DiagCode
diag_find(const char *name)
{
    for (int i = 0; i < DIAG_COUNT; i++)
        if (!strcmp(diag_table[i].name, name))
            return (DiagCode)i;
    return DIAG_COUNT;
}

static bool
is_listed(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

static bool
said_already(const Compile *c, DiagCode code, Span at)
{
    for (int i = c->diags.count - 1; i >= 0 && i >= c->diags.count - 200; i--) {
        const Diag *d = c->diags.items[i];
        if (d->code == code && d->at.from == at.from && d->at.to == at.to && at.from)
            return true;
    }
    return false;
}

bool
diag_is_error(const Compile *c, DiagCode code)
{
    const Options *o = &c->options;
    return diag_table[code].severity == DIAG_ERROR || o->werror ||
           is_listed(o->warnings_error.items, o->warnings_error.count, diag_table[code].name);
}

static bool
is_switched_off(const Options *o, DiagCode code)
{
    return diag_table[code].severity == DIAG_WARNING &&
           (o->no_warnings ||
            is_listed(o->warnings_off.items, o->warnings_off.count, diag_table[code].name));
}

/* Counts a diagnostic; false when it is not to be kept. */
static bool
count_diag(Compile *c, DiagCode code, Severity severity, Span at)
{
    bool hidden = c->options.quiet && severity == DIAG_WARNING;
    if (hidden || is_switched_off(&c->options, code) || said_already(c, code, at))
        return false;
    *(severity == DIAG_ERROR ? &c->error_count : &c->warning_count) += 1;
    c->syntax_errors = c->syntax_errors || code == E0105;
    if (severity != DIAG_ERROR || c->error_count <= ERRORS_KEPT)
        return true;
    c->too_many = true;
    return false;
}

/* printf into the arena. */
static char *
print_text(Arena *a, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *text = arena_alloc(a, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

Diag *
diag(Compile *c, DiagCode code, Span at, const char *fmt, ...)
{
    Severity severity = diag_is_error(c, code) ? DIAG_ERROR : DIAG_WARNING;
    if (!count_diag(c, code, severity, at)) {
        if (!c->dropped)
            c->dropped = ARENA_NEW(c->arena, Diag);
        return c->dropped; /* has no arena: notes and fixes are dropped too */
    }
    Diag *d = ARENA_NEW(c->arena, Diag);
    *d = (Diag){.arena = c->arena, .code = code, .severity = severity, .at = at};
    va_list ap;
    va_start(ap, fmt);
    d->text = print_text(c->arena, fmt, ap);
    va_end(ap);
    vec_push(c->arena, &c->diags, d);
    return d;
}

void
diag_note(Diag *d, Span at, const char *fmt, ...)
{
    if (!d->arena)
        return;
    va_list ap;
    va_start(ap, fmt);
    vec_push(d->arena, &d->notes, (DiagNote){at, print_text(d->arena, fmt, ap)});
    va_end(ap);
}

/* Adds a fix with that text; nothing to a diagnostic that is not kept. */
static void
add_fix(Diag *d, DiagFix fix, const char *fmt, va_list ap)
{
    if (!d->arena)
        return;
    fix.text = print_text(d->arena, fmt, ap);
    vec_push(d->arena, &d->fixes, fix);
}

void
diag_fix(Diag *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_fix(d, (DiagFix){0}, fmt, ap);
    va_end(ap);
}

void
diag_edit(Diag *d, Span at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_fix(d, (DiagFix){.is_edit = true, .at = at}, fmt, ap);
    va_end(ap);
}

void
diag_guess(Diag *d, Span at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_fix(d, (DiagFix){.is_guess = true, .at = at}, fmt, ap);
    va_end(ap);
}

const char *
diag_fix_text(const Compile *c, const Diag *d, const DiagFix *fix)
{
    enum { SHOWN = 60 };
    const Source *source =
        fix->is_edit || fix->is_guess ? source_find(&c->sources, fix->at.from) : NULL;
    bool inserts = fix->at.to == fix->at.from,
         same_place = fix->at.from == d->at.from && fix->at.to == d->at.to;
    if (!source || (*fix->text && !inserts && same_place))
        return fix->text;
    if (inserts)
        return arena_printf(d->arena, "insert '%s'", fix->text);
    const char *old = source->text + (fix->at.from - source->base);
    int bytes = (int)(fix->at.to - fix->at.from);
    if (!*fix->text)
        return arena_printf(d->arena, "remove '%.*s'", bytes, old);
    if (bytes > SHOWN || memchr(old, '\n', (size_t)bytes))
        return fix->text;
    return arena_printf(d->arena, "replace '%.*s' by '%s'", bytes, old, fix->text);
}

int
diag_error_count(const Compile *c)
{
    return c->error_count;
}
