/* Format strings of print, assert and format(), checked with the parser the run time uses. */
#include "config.h"

#include "ast/foreign_words.h"
#include "check/check_func.h"
#include "grammar/tokens.h"
#include "program/snl_format.h"

static int
format_tag(const TExpr *a)
{
    return a->type->kind == TYPE_STRING ? SNL_STRING : (int)a->type->scalar;
}

/* Where bytes of a format stand in the source. */
static Span
place_in_format(Checker *k, const Expr *format, size_t at, size_t bytes)
{
    const char *text = source_text(k, format->span);
    uint32_t from = 1;
    if (*text != '"') /* behind a bracket */
        return format->span;
    for (; at; at--)
        from += (uint32_t)tokens_string_byte(text + from);
    uint32_t to = from;
    for (; bytes; bytes--)
        to += (uint32_t)tokens_string_byte(text + to);
    return (Span){format->span.from + from, format->span.from + to};
}

static Span
place_of_piece(Checker *k, const Expr *format, const SnlFormatPiece *piece)
{
    return place_in_format(k, format, (size_t)(piece->text - format->string), piece->bytes);
}

static void
report_format(Checker *k, const Expr *format, const SnlFormatError *error, int count)
{
    Span place = place_in_format(k, format, error->at, error->bytes ? error->bytes : 1);
    const char *text = source_text(k, format->span),
               *here = *text == '"' && !count ? format_elsewhere(k->c->arena, text) : NULL;
    if (here) {
        diag_edit(diag(k->c, E0314, place,
                       "values stand behind the format; {} is the place of one"),
                  format->span, "%s", here);
        return;
    }
    if (!error->bytes) {
        diag(k->c, E0314, place, "in this format: %s", error->message);
        return;
    }
    Diag *d =
        diag(k->c, E0314, place, "in this format: %s '%s'", error->message, source_text(k, place));
    diag_fix(d, "d, x, o, b or c for integers, e, f, g or %% for floats, s for strings");
}

static bool
check_piece(Checker *k, const Expr *format, const SnlFormatPiece *piece, const TExprs *args,
            bool *used)
{
    if (piece->argument < 0)
        return true;
    if (piece->argument >= args->count) {
        diag(k->c, E0314, place_of_piece(k, format, piece),
             "the format uses %d %s, but %d %s given", piece->argument + 1,
             piece->argument ? "values" : "value", args->count, args->count == 1 ? "is" : "are");
        return false;
    }
    used[piece->argument] = true;
    const TExpr *a = args->items[piece->argument];
    if (tx_is_error(a))
        return true;
    const char *wrong = snl_format_spec_error(&piece->spec, format_tag(a));
    if (!wrong)
        return true;
    Diag *d = diag(k->c, E0314, place_of_piece(k, format, piece), "the format of argument %d: %s",
                   piece->argument, wrong);
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

/* The conversion of C at a '%', as one of ours: its bytes are read, 0 for those that are harder. */
static size_t
add_conversion(Text *t, const char *s)
{
    size_t zero = s[1] == '0', width = zero + strspn(s + 1 + zero, "123456789");
    size_t digits = width + (s[1 + width] == '.' ? 1 + strspn(s + 2 + width, "0123456789") : 0);
    size_t flags = strspn(s + 1 + digits, "hlzj"), all = 1 + digits + flags;
    if (s[all] == '%' && all == 1)
        text_add(t, "%%");
    else if (s[all] && strchr("diu", s[all]) && digits == width)
        text_add(t, digits ? "{:%.*sd}" : "{%.*s}", (int)digits, s + 1);
    else if (s[all] && strchr("fegx", s[all]))
        text_add(t, "{:%.*s%c}", (int)digits, s + 1, s[all]);
    else if (s[all] == 's' && !digits)
        text_add(t, "{}");
    else
        return 0;
    return all + 1;
}

const char *
format_of_c(Checker *k, const Expr *format, int *found)
{
    Text t;
    text_init(&t, k->c->arena);
    *found = 0;
    for (const char *s = source_text(k, format->span); *s;) {
        size_t bytes = *s == '%' ? add_conversion(&t, s) : 1;
        if (!bytes)
            return NULL;
        if (*s == '%')
            *found += s[1] != '%';
        else
            text_raw(&t, s, 1);
        if (*s == '{' || *s == '}')
            text_raw(&t, s, 1);
        s += bytes;
    }
    return t.data;
}

/* "%d" of C becomes "{}"; formats that are harder stay. */
static void
offer_braces(Checker *k, Diag *d, const Expr *format, int count)
{
    int found;
    if (!strpbrk(source_text(k, format->span), "%\\") && count <= 2) {
        offer_places(d, format, count);
        return;
    }
    const char *here = format_of_c(k, format, &found);
    if (here && found)
        diag_edit(d, format->span, "%s", here);
}

bool
check_format(Checker *k, const Expr *format, const TExprs *args)
{
    SnlFormatError error;
    int count = snl_format_parse(format->string, format->string_bytes, NULL, 0, &error);
    if (count < 0) {
        report_format(k, format, &error, args->count);
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
        if (count == 0 || (count == 1 && pieces[0].argument < 0)) /* nothing but text */
            offer_braces(k, d, format, args->count);
        fine = false;
    }
    return fine;
}
