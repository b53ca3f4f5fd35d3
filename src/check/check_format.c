/* Format strings of print, assert and format(), checked with the parser the run time uses. */
#include "config.h"

#include "check/check_func.h"
#include "snl_format.h"

static int
format_tag(const TExpr *a)
{
    return a->type->kind == TYPE_STRING ? SNL_STRING : (int)a->type->scalar;
}

static bool
check_piece(Checker *k, const Expr *format, const SnlFormatPiece *piece, const TExprs *args,
            bool *used)
{
    if (piece->argument < 0)
        return true;
    if (piece->argument >= args->count) {
        diag(k->c, E0314, format->span, "the format uses %d %s, but %d %s given",
             piece->argument + 1, piece->argument ? "values" : "value", args->count,
             args->count == 1 ? "is" : "are");
        return false;
    }
    used[piece->argument] = true;
    const TExpr *a = args->items[piece->argument];
    if (tx_is_error(a))
        return true;
    const char *wrong = snl_format_spec_error(&piece->spec, format_tag(a));
    if (!wrong)
        return true;
    Diag *d =
        diag(k->c, E0314, format->span, "the format of argument %d: %s", piece->argument, wrong);
    diag_note(d, a->span, "argument %d is %s", piece->argument, a->type->name);
    return false;
}

/* A text without a place for values gets one for each behind it, as print has it elsewhere. */
static void
offer_places(Diag *d, const Expr *format, int count)
{
    bool blank = format->string_bytes && format->string[format->string_bytes - 1] != ' ';
    Span quote = {format->span.to - 1, format->span.to - 1};
    diag_edit(d, quote, "%s{}%s", blank ? " " : "", count > 1 ? " {}" : "");
}

/* "%d\n" of C becomes "{}"; formats that are harder stay. */
static void
offer_braces(Checker *k, Diag *d, const Expr *format, int count)
{
    Text t;
    text_init(&t, k->c->arena);
    int found = 0;
    const char *s = source_text(k, format->span);
    if (!strpbrk(s, "%\\") && count <= 2) {
        offer_places(d, format, count);
        return;
    }
    for (; *s; s++) {
        size_t flags = *s == '%' ? strspn(s + 1, "hlzj") : 0;
        if (*s == '%' && s[1] == '%') {
            text_raw(&t, s++, 1);
        } else if (*s == '%' && strchr("diufgegsx", s[1 + flags])) {
            text_raw(&t, "{}", 2);
            s += 1 + flags;
            found++;
        } else if (*s == '%') {
            return;
        } else if (strcmp(s, "\\n\"")) /* print ends the line itself */
            text_raw(&t, s, 1);
        else
            s++;
    }
    if (found && t.data[t.count - 1] != '"')
        text_raw(&t, "\"", 1);
    if (found)
        diag_edit(d, format->span, "%s", t.data);
}

bool
check_format(Checker *k, const Expr *format, const TExprs *args)
{
    SnlFormatError error;
    int count = snl_format_parse(format->string, format->string_bytes, NULL, 0, &error);
    if (count < 0) {
        diag(k->c, E0314, format->span, "in this format: %s", error.message);
        return false;
    }
    SnlFormatPiece *pieces = ARENA_ARRAY(k->c->arena, SnlFormatPiece, count);
    bool *used = ARENA_ARRAY(k->c->arena, bool, args->count), fine = true;
    snl_format_parse(format->string, format->string_bytes, pieces, count, &error);
    for (int i = 0; i < count && fine; i++)
        fine = check_piece(k, format, &pieces[i], args, used);
    for (int i = 0; i < args->count && fine; i++) {
        if (used[i])
            continue;
        Diag *d = diag(k->c, E0314, args->items[i]->span,
                       "the format does not use this value: there is no {} for it");
        if (count <= 1) /* nothing but text */
            offer_braces(k, d, format, args->count);
        fine = false;
    }
    return fine;
}
