/* The canonical form: statements from tokens, lines from statements, comments under each other. */
#include "config.h"

#include "fmt/format.h"

#include <string.h>

#include "fmt/space.h"
#include "parse.h"

typedef struct {
    char *code;    /* without blanks around; NULL: an empty line */
    int indent;    /* columns */
    char *comment; /* behind the code, or NULL */
    bool closed;   /* nothing can stand behind it: it ends in a comment that does */
} Line;

/* A bracket that is open in the statement being written. */
typedef struct {
    int column; /* where a line inside of it starts */
    int indent; /* of the line it stands in */
} Open;

typedef struct {
    Compile *c;
    Arena *arena;
    const Source *source;
    Tokens t;
    const Space *spaces;
    VEC(Line) lines;
    Text line;      /* being written */
    int indent, column;
    VEC(Open) open; /* in the statement being written */
    int statement;  /* its indentation */
    int further;    /* of its further lines */
    bool first;     /* nothing stands in the block yet */
} Printer;

/* ---- lines ---- */

/* Columns of a text: characters, as far as UTF-8 tells. */
static int
columns_of(const char *text, int bytes)
{
    int n = 0;
    for (int i = 0; i < bytes; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

static void
start_line(Printer *p, int indent)
{
    text_init(&p->line, p->arena);
    p->indent = p->column = indent;
}

static void
end_line(Printer *p)
{
    if (p->line.count)
        vec_push(p->arena, &p->lines, (Line){.code = p->line.data, .indent = p->indent});
    text_init(&p->line, p->arena);
}

static void
write_text(Printer *p, const char *text, int bytes)
{
    text_raw(&p->line, text, (size_t)bytes);
    p->column += columns_of(text, bytes);
}

static void
empty_line(Printer *p)
{
    if (p->lines.count && !p->first)
        vec_push(p->arena, &p->lines, (Line){.code = NULL});
}

/* ---- comments ---- */

static bool
has_newline(const Comment *comment)
{
    return memchr(comment->text, '\n', (size_t)comment->bytes) != NULL;
}

/* Ends of lines between comment k of a token and what follows it. */
static int
newlines_after(const Token *token, int k)
{
    return k + 1 < token->comments.count ? token->comments.items[k + 1].newlines : token->newlines;
}

/* True when the comment may stand inside a line. */
static bool
is_inline(const Token *token, int k)
{
    const Comment *comment = &token->comments.items[k];
    return !comment->is_line && !has_newline(comment) && !newlines_after(token, k);
}

static bool
all_inline(const Token *token)
{
    for (int k = 0; k < token->comments.count; k++)
        if (!is_inline(token, k))
            return false;
    return true;
}

/* Columns of the blanks that a line starts with. */
static int
leading_columns(const char *line, int bytes, int *used)
{
    int column = 0, i = 0;
    for (; i < bytes && (line[i] == ' ' || line[i] == '\t'); i++)
        column = line[i] == '\t' ? column / 8 * 8 + 8 : column + 1;
    *used = i;
    return column;
}

/* The further lines of a comment keep their place relative to its start. */
static void
further_comment_lines(Printer *p, const Comment *comment, const char *rest, int shift)
{
    const char *end = comment->text + comment->bytes;
    while (rest < end) {
        const char *stop = memchr(rest, '\n', (size_t)(end - rest));
        stop = stop ? stop : end;
        int bytes = (int)(stop - rest), used;
        int column = leading_columns(rest, bytes, &used) + shift;
        while (bytes > used && strchr(" \t\r\f\v", rest[bytes - 1]))
            bytes--;
        vec_push(p->arena, &p->lines,
                 (Line){.code = arena_strndup(p->arena, rest + used, (size_t)(bytes - used)),
                        .indent = column < 0 || bytes == used ? 0 : column,
                        .closed = true});
        rest = stop + 1;
    }
}

/* A comment on lines of its own. */
static void
own_comment(Printer *p, const Comment *comment, int indent)
{
    const char *newline = memchr(comment->text, '\n', (size_t)comment->bytes);
    int bytes = newline ? (int)(newline - comment->text) : comment->bytes;
    while (bytes && strchr(" \t\r\f\v", comment->text[bytes - 1]))
        bytes--;
    vec_push(p->arena, &p->lines,
             (Line){.code = arena_strndup(p->arena, comment->text, (size_t)bytes),
                    .indent = indent,
                    .closed = true});
    if (!newline)
        return;
    const char *start = comment->text;
    while (start > p->source->text && start[-1] != '\n')
        start--;
    int blanks, column = leading_columns(start, comment->bytes, &blanks);
    if (start + blanks < comment->text) /* code stands before it */
        column = (int)(comment->text - start);
    further_comment_lines(p, comment, newline + 1, indent - column);
}

/* Puts a comment behind the last line. */
static void
attach_comment(Printer *p, const Comment *comment)
{
    Line *line = &vec_last(&p->lines);
    line->comment = arena_printf(p->arena, "%s%s%.*s", line->comment ? line->comment : "",
                                 line->comment ? " " : "", comment->bytes, comment->text);
    line->closed = comment->is_line;
}

/* Comments of a token that stand behind what came before it: returns how many. */
static int
trailing_comments(Printer *p, const Token *token)
{
    int k = 0;
    for (; k < token->comments.count; k++) {
        const Comment *comment = &token->comments.items[k];
        if (comment->newlines || has_newline(comment) || is_inline(token, k) || !p->lines.count ||
            vec_last(&p->lines).closed)
            break;
        attach_comment(p, comment);
    }
    return k;
}

/* Comments before a statement or a closing brace, from number k on; returns the first that stands
 * inside of its line. */
static int
comments_before(Printer *p, const Token *token, int k, int indent)
{
    for (; k < token->comments.count; k++) {
        bool rest_inline = true;
        for (int j = k; j < token->comments.count; j++)
            rest_inline = rest_inline && is_inline(token, j);
        if (rest_inline && token->kind != '}' && token->kind != END)
            break;
        if (token->comments.items[k].newlines > 1)
            empty_line(p);
        own_comment(p, &token->comments.items[k], indent);
        p->first = false;
    }
    return k;
}

/* ---- tokens in a line ---- */

/* Comments of token i that stand in its line, from number k on. */
static void
write_inline_comments(Printer *p, int i, int k)
{
    const Token *token = &p->t.items[i];
    for (; k < token->comments.count; k++) {
        const Comment *comment = &token->comments.items[k];
        char last = p->line.count ? p->line.data[p->line.count - 1] : '(';
        if (last != '(' && last != '[')
            write_text(p, " ", 1);
        write_text(p, comment->text, comment->bytes);
    }
}

static void
write_token(Printer *p, int i, int first_comment)
{
    const Token *token = &p->t.items[i];
    bool commented = first_comment < token->comments.count,
         clings = token->bytes == 1 && strchr(",;)]", token->text[0]);
    bool blank = p->spaces[i].blank || (commented && !clings);
    write_inline_comments(p, i, first_comment);
    if (p->line.count && blank)
        write_text(p, " ", 1);
    write_text(p, token->text, token->bytes);
    if (token->match > i && p->spaces[i].role != ROLE_BLOCK) {
        int inside = p->column + (p->spaces[i].role == ROLE_LIST);
        vec_push(p->arena, &p->open, (Open){inside, p->indent});
    } else if (token->match >= 0 && token->match < i && p->open.count)
        p->open.count--;
}

/* Columns of token i with a blank before it, or at the start of a line, and its comments from
 * number k on. */
static int
token_columns(const Printer *p, int i, int k)
{
    const Token *token = &p->t.items[i];
    int n =
        columns_of(token->text, token->bytes) + (p->spaces[i].blank || k < token->comments.count);
    for (; k < token->comments.count; k++)
        n += 1 + columns_of(token->comments.items[k].text, token->comments.items[k].bytes);
    return n;
}

/* Columns of the tokens [from, to) in one line that starts with comment k of the first; not counted
 * on where they are too many. */
static int
flat_columns(const Printer *p, int from, int to, int k)
{
    int n = 0;
    for (int i = from; i < to && n <= FORMAT_COLUMNS + 1; i++)
        n += token_columns(p, i, i == from ? k : 0);
    return n - (p->spaces[from].blank || k < p->t.items[from].comments.count);
}

/* ---- statements over several lines ---- */

/* True when the line must end before token i of a statement: after a comment, and where rows of
 * lists end. */
static bool
must_break(const Printer *p, int i)
{
    const Token *token = &p->t.items[i];
    if (!all_inline(token))
        return true;
    if (!token->newlines)
        return false;
    if (p->spaces[i].role == ROLE_LIST && token->kind == '}')
        return true;
    int before = p->t.items[i - 1].kind, around = p->spaces[i].around;
    return (before == '{' || before == ',') && around >= 0 && p->spaces[around].role == ROLE_LIST;
}

/* Where the line ends that starts with comment k of token `from`: at `to`, before a token that
 * starts a new line in any case, or at the best place, when it would be too long. */
static int
line_end(const Printer *p, int from, int to, int k)
{
    int best = to, best_cost = 0, column = p->column;
    for (int i = from + 1; i <= to; i++) {
        column += i - 1 == from ? flat_columns(p, from, i, k) : token_columns(p, i - 1, 0);
        if (column > FORMAT_COLUMNS && best < to)
            return best;
        if (i == to || must_break(p, i))
            return column > FORMAT_COLUMNS && best < to ? best : i;
        if (!p->spaces[i].cost)
            continue;
        int unused = FORMAT_COLUMNS - column,
            cost = p->spaces[i].cost + (unused > 0 ? unused / 6 : -unused);
        if (best == to || cost <= best_cost) {
            best = i;
            best_cost = cost;
        }
    }
    return to;
}

/* Where the line before token i continues. */
static int
continuation(Printer *p, int i)
{
    const Token *token = &p->t.items[i];
    bool closes_list = token->kind == '}' && p->spaces[i].role == ROLE_LIST;
    if (!p->open.count)
        return p->spaces[i].starts ? p->statement : p->statement + p->further;
    Open *open = &vec_last(&p->open);
    if (closes_list)
        return open->indent;
    const Token *before = &p->t.items[i - 1];
    if (before->match > i - 1)
        open->column = open->indent + FORMAT_INDENT;
    else if (open->column > FORMAT_COLUMNS * 2 / 3)
        open->column = p->statement + 2 * FORMAT_INDENT;
    return open->column;
}

/* Ends the line before token i: its comments, then the start of the next line. Returns the first
 * comment of that line. */
static int
break_line(Printer *p, int i)
{
    int at = continuation(p, i);
    end_line(p);
    const Token *token = &p->t.items[i];
    int k = 0;
    if (!all_inline(token))
        for (k = trailing_comments(p, token); k < token->comments.count; k++)
            own_comment(p, &token->comments.items[k], at);
    start_line(p, at);
    return k;
}

/* Writes the tokens [from, to) from the current line on, which stays open; `k` is the first comment
 * of the first token that is not written yet. */
static void
write_wrapped(Printer *p, int from, int to, int k)
{
    p->open.count = 0;
    while (from < to) {
        int stop = line_end(p, from, to, k);
        for (int i = from; i < stop; i++)
            write_token(p, i, i == from ? k : 0);
        from = stop;
        if (from < to)
            k = break_line(p, from);
    }
}

/* ---- statements ---- */

/* The token after the statement that starts at i. */
static int
statement_end(const Printer *p, int i, int to)
{
    while (i < to) {
        const Token *token = &p->t.items[i];
        bool block = p->spaces[i].role == ROLE_BLOCK;
        i = token->match > i ? token->match + 1 : i + 1;
        if ((block && (i >= to || p->t.items[i].kind != ELSE)) || token->kind == ';')
            break;
    }
    while (i < to && p->t.items[i].kind == ';' && !p->t.items[i].comments.count)
        i++;
    return i < to ? i : to;
}

/* True when the tokens [from, to) may stand in one line, as the author wrote its blocks. */
static bool
may_be_flat(const Printer *p, int from, int to)
{
    for (int i = from; i < to; i++) {
        if (i > from && must_break(p, i))
            return false;
        if (p->spaces[i].role != ROLE_BLOCK || p->t.items[i].match < i)
            continue;
        for (int k = i + 1; k <= p->t.items[i].match; k++) {
            if (p->t.items[k].newlines)
                return false;
            for (int n = 0; n < p->t.items[k].comments.count; n++)
                if (p->t.items[k].comments.items[n].newlines)
                    return false;
        }
    }
    return true;
}

static void write_statements(Printer *p, int from, int to, int indent);

/* A statement with its blocks over several lines; `k` is the first comment that stands in its
 * line. */
static void
write_long(Printer *p, int from, int to, int indent, int k)
{
    start_line(p, indent);
    for (int i = from; i < to;) {
        int head = i;
        while (i < to && !(p->spaces[i].role == ROLE_BLOCK && p->t.items[i].match > i))
            i++;
        bool block = i < to;
        p->statement = indent;
        p->further = block ? 2 * FORMAT_INDENT : FORMAT_INDENT;
        write_wrapped(p, head, block ? i + 1 : to, head == from ? k : 0);
        if (!block)
            break;
        int close = p->t.items[i].match;
        if (close > i + 1 || p->t.items[close].comments.count) {
            end_line(p);
            write_statements(p, i + 1, close, indent + FORMAT_INDENT);
            start_line(p, indent);
        }
        write_text(p, "}", 1);
        for (i = close + 1; i < to && p->t.items[i].kind == ';'; i++)
            write_text(p, ";", 1);
    }
    end_line(p);
}

static void
write_flat(Printer *p, int from, int to, int indent, int k)
{
    start_line(p, indent);
    p->open.count = 0;
    for (int i = from; i < to; i++)
        write_token(p, i, i == from ? k : 0);
    end_line(p);
}

/* One statement with the comments before it, from number k on. */
static void
write_statement(Printer *p, int from, int to, int indent, int k)
{
    const Token *token = &p->t.items[from];
    k = comments_before(p, token, k, indent);
    int newlines = k < token->comments.count ? token->comments.items[k].newlines : token->newlines;
    if (newlines > 1)
        empty_line(p);
    p->first = false;
    if (indent + flat_columns(p, from, to, k) <= FORMAT_COLUMNS && may_be_flat(p, from, to))
        write_flat(p, from, to, indent, k);
    else
        write_long(p, from, to, indent, k);
}

/* The statements or items [from, to); token `to` closes the block or is END. */
static void
write_statements(Printer *p, int from, int to, int indent)
{
    int trailing = trailing_comments(p, &p->t.items[from]);
    p->first = true;
    while (from < to) {
        int end = statement_end(p, from, to);
        write_statement(p, from, end, indent, trailing);
        trailing = trailing_comments(p, &p->t.items[end]);
        from = end;
    }
    comments_before(p, &p->t.items[to], trailing, indent);
}

/* ---- the whole file ---- */

/* Comments before the brace of a block, or before else, move into the block, so that they can stand
 * on lines of their own. */
static void
move_comments(Printer *p)
{
    for (int i = 0; i + 1 < p->t.count; i++) {
        Token *token = &p->t.items[i];
        bool block = p->spaces[i].role == ROLE_BLOCK && token->match > i;
        if ((!block && token->kind != ELSE) || all_inline(token))
            continue;
        int into = i;
        while (p->spaces[into].role != ROLE_BLOCK)
            into++;
        Token *to = &p->t.items[into + 1], old = *to;
        to->comments = token->comments;
        for (int k = 0; k < old.comments.count; k++)
            vec_push(p->arena, &to->comments, old.comments.items[k]);
        /* the block is not in one line any more */
        to->newlines += !to->newlines && !old.comments.count;
        token->comments.count = 0;
        token->newlines = 0;
    }
}

static int
line_columns(const Line *line)
{
    return line->indent + columns_of(line->code, (int)strlen(line->code));
}

/* The lines from `from` on whose comments stand under each other; *column gets where. */
static int
comment_group(const Printer *p, int from, int *column)
{
    int to = from, widest_code = 0, widest_comment = 0;
    for (; to < p->lines.count && p->lines.items[to].comment; to++) {
        const char *comment = p->lines.items[to].comment;
        int code = line_columns(&p->lines.items[to]),
            bytes = columns_of(comment, (int)strlen(comment));
        int wider_code = code > widest_code ? code : widest_code,
            wider = bytes > widest_comment ? bytes : widest_comment;
        if (to > from && wider_code + 2 + wider > FORMAT_COLUMNS)
            break;
        widest_code = wider_code;
        widest_comment = wider;
    }
    *column = widest_code + 2;
    return to;
}

static void
join_lines(const Printer *p, Text *out)
{
    int column = 0, group = 0;
    for (int i = 0; i < p->lines.count; i++) {
        const Line *line = &p->lines.items[i];
        if (line->code && *line->code) {
            text_add(out, "%*s%s", line->indent, "", line->code);
            if (line->comment && i >= group)
                group = comment_group(p, i, &column);
            if (line->comment)
                text_add(out, "%*s%s", column - line_columns(line), "", line->comment);
        }
        text_newline(out);
    }
}

static void
format_once(Compile *c, const Source *source, Text *out)
{
    Printer p = {.c = c, .arena = c->syntax, .source = source, .t = tokens_read(c, source)};
    p.spaces = space_find(c, &p.t);
    move_comments(&p);
    write_statements(&p, 0, p.t.count - 1, 0);
    while (p.lines.count && !vec_last(&p.lines).code)
        p.lines.count--;
    join_lines(&p, out);
}

static bool
same_tokens(Compile *c, const Source *a, const Source *b)
{
    Tokens x = tokens_read(c, a), y = tokens_read(c, b);
    int comments[2] = {0};
    for (int i = 0; x.count == y.count && i < x.count; i++) {
        if (x.items[i].bytes != y.items[i].bytes ||
            memcmp(x.items[i].text, y.items[i].text, (size_t)x.items[i].bytes))
            return false;
        comments[0] += x.items[i].comments.count;
        comments[1] += y.items[i].comments.count;
    }
    return x.count == y.count && comments[0] == comments[1];
}

bool
format_source(Compile *c, const Source *source, Text *out)
{
    enum { ROUNDS = 8 }; /* a second one is rarely needed: where lines of a list were broken anew */
    const Source *from = source;
    for (int i = 0; i < ROUNDS; i++) {
        Text t;
        text_init(&t, c->syntax);
        format_once(c, from, &t);
        const Source *to = source_add(&c->sources, source->path, t.data ? t.data : "", t.count);
        bool settled = to->bytes == from->bytes && !memcmp(to->text, from->text, to->bytes);
        from = to;
        if (settled)
            break;
    }
    text_raw(out, from->text, from->bytes);
    return same_tokens(c, source, from);
}
