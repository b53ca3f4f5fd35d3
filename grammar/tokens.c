/* Tokens with the comments between them: the scanner gives the tokens, the gaps hold the rest. */
#include "config.h"

#include "grammar/tokens.h"

#include <string.h>

#include "parse.h"
#include "scan_state.h"

int snl_yylex(SNL_YYSTYPE *value, Span *at, void *scanner);

/* Adds the comment at p, which ends before `end`. Returns the byte after it. */
static const char *
add_comment(Arena *a, const Source *source, Token *token, const char *p, const char *end,
            int newlines)
{
    bool is_line = p[1] == '/';
    const char *stop = p + 2, *from = p;
    while (stop < end && (is_line ? *stop != '\n' : stop[0] != '*' || stop[1] != '/'))
        stop++;
    const char *next = is_line || stop + 2 > end ? stop : stop + 2, *last = next;
    while (last > from && strchr(" \t\r\f\v", last[-1]))
        last--;
    uint32_t at = source->base + (uint32_t)(from - source->text);
    vec_push(a, &token->comments,
             (Comment){.text = from,
                       .bytes = (int)(last - from),
                       .span = {at, at + (uint32_t)(last - from)},
                       .newlines = newlines,
                       .is_line = is_line});
    return next;
}

/* Reads what stands between two tokens. */
static void
read_gap(Arena *a, const Source *source, Token *token, const char *p, const char *end)
{
    int newlines = 0;
    while (p < end) {
        if (p + 1 < end && p[0] == '/' && (p[1] == '/' || p[1] == '*')) {
            p = add_comment(a, source, token, p, end, newlines);
            newlines = 0;
            continue;
        }
        newlines += *p++ == '\n';
    }
    token->newlines = newlines;
}

static bool
is_opening(int kind)
{
    return kind == '(' || kind == '[' || kind == '{';
}

static int
closing_of(int kind)
{
    return kind == '(' ? ')' : kind == '[' ? ']' : '}';
}

/* Brings brackets together; those that do not fit stay alone. */
static void
match_brackets(Arena *a, Tokens *t)
{
    VEC(int) open = {0};
    for (int i = 0; i < t->count; i++) {
        Token *token = &t->items[i];
        token->match = -1;
        if (is_opening(token->kind))
            vec_push(a, &open, i);
        else if (token->kind == ')' || token->kind == ']' || token->kind == '}') {
            int depth = open.count;
            while (depth > 0 && closing_of(t->items[open.items[depth - 1]].kind) != token->kind)
                depth--;
            if (!depth)
                continue;
            open.count = depth - 1;
            token->match = open.items[open.count];
            t->items[token->match].match = i;
        }
    }
}

Tokens
tokens_read(Compile *c, const Source *source)
{
    Tokens t = {0};
    int diags = c->diags.count, errors = c->error_count, warnings = c->warning_count;
    bool too_many = c->too_many;
    ScanState s = {.c = c, .source = source};
    yyscan_t scanner = scan_start(&s);
    const char *before = source->text;
    for (int kind = -1; kind != END;) {
        SNL_YYSTYPE value;
        Span at = {0, 0};
        kind = scanner ? snl_yylex(&value, &at, scanner) : END;
        if (kind == END)
            at.from = at.to = source->base + source->bytes;
        if (kind == GRADIENT || kind == VJP || kind == JVP)
            kind = IDENT; /* as which each of them may stand anywhere */
        Token token = {.kind = kind, .text = source->text + (at.from - source->base),
                       .bytes = (int)(at.to - at.from), .span = at};
        read_gap(c->syntax, source, &token, before, token.text);
        before = token.text + token.bytes;
        vec_push(c->syntax, &t, token);
    }
    if (scanner)
        scan_end(scanner);
    c->diags.count = diags;
    c->error_count = errors;
    c->warning_count = warnings;
    c->too_many = too_many;
    match_brackets(c->syntax, &t);
    return t;
}

int
tokens_at(const Tokens *t, uint32_t position)
{
    int low = 0, high = t->count - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (t->items[mid].span.to <= position)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool
token_is(const Token *t, const char *text)
{
    return (int)strlen(text) == t->bytes && !memcmp(t->text, text, (size_t)t->bytes);
}
