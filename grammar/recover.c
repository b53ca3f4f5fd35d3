/* Finds, from the tokens around a syntax error, where the broken statement or item ends. */
#include "config.h"

#include "grammar/recover.h"

#include "parse.h"

static int
kind(const Tokens *t, int i)
{
    return t->items[i < 0 ? t->count - 1 : i < t->count ? i : t->count - 1].kind;
}

/* The last token of the brackets that open at i, or i. */
static int
skip(const Tokens *t, int i)
{
    return t->items[i].match > i ? t->items[i].match : i;
}

static bool
starts_function(int kind)
{
    return kind == FUNC || kind == KERNEL || kind == HOST || kind == MAIN || kind == TEST ||
           kind == BENCHMARK;
}

bool
opens_item(int kind)
{
    return starts_function(kind) || kind == IMPORT || kind == PARAM || kind == STRUCT ||
           kind == FIELD || kind == LAYOUT || kind == EXTERN;
}

static bool
is_at_edge(const Tokens *t, int i)
{
    return i == 0 || t->items[i].text[-1] == '\n';
}

/* Does token i stand at the left edge, where only an item begins so? */
static bool
begins_item(const Tokens *t, int i)
{
    int k = kind(t, i);
    return is_at_edge(t, i) && (opens_item(k) || k == CONST || k == STATIC_ASSERT);
}

/* Does an item begin there, if lines of functions have an indentation? */
static bool
may_begin_item(const Tokens *t, int i)
{
    return begins_item(t, i) || (is_at_edge(t, i) && kind(t, i) == STATIC);
}

/* The brace around token i in its item, -1 when there is none. */
static int
brace_around(const Tokens *t, int i)
{
    for (i--; i >= 0; i--) {
        int match = t->items[i].match;
        if (match >= 0 && match < i)
            i = match;
        else if (kind(t, i) == '{')
            return i;
        if (begins_item(t, i))
            return -1;
    }
    return -1;
}

int
recover_item_start(const Tokens *t, int i)
{
    while (i > 0 && !may_begin_item(t, i))
        i--;
    return i;
}

/* The last token of the item of token i, as far as its lines tell. */
static int
item_end(const Tokens *t, int i)
{
    while (i + 2 < t->count && !may_begin_item(t, i + 1))
        i++;
    return i;
}

/* The last closing brace from token i on that nothing of its item opens, -1 for none. */
static int
stray_brace(const Tokens *t, int i)
{
    int start = recover_item_start(t, i), end = item_end(t, i);
    while (end >= i && !(kind(t, end) == '}' && t->items[end].match < start))
        end--;
    return end >= i ? end : -1;
}

/* The first token of the statement or item that token i, in the block that opens at `brace`, is
 * part of. */
static int
part_start(const Tokens *t, int brace, int i)
{
    for (i--; i > brace; i--) {
        int match = t->items[i].match;
        bool closed = match >= 0 && match < i;
        if (kind(t, i) == ';' || (kind(t, i) == '}' && (!closed || kind(t, match - 1) != '=')))
            break;
        if (closed)
            i = match;
    }
    for (i++; kind(t, i) == '@' && i + 2 < t->count; i++)
        i = kind(t, i + 2) == '(' ? skip(t, i + 2) : i + 1;
    return i;
}

/* Does nothing else but a statement start at token i? Not where its word is taken for a name. */
static bool
starts_statement(const Tokens *t, int i)
{
    const int k = kind(t, i);
    return kind(t, i + 1) != '=' && (k == IF || k == WHILE || k == FOR || k == RETURN ||
                                     k == BREAK || k == CONTINUE || k == LET || k == VAR);
}

/* Does the block that opens at `brace` hold statements? */
static bool
is_in_function(const Tokens *t, int brace)
{
    for (; brace >= 0; brace = brace_around(t, brace))
        if (starts_function(kind(t, part_start(t, brace_around(t, brace), brace))))
            return true;
    return false;
}

/* Does token i go on with a statement, here or elsewhere, of which a block or something that ends
 * in a semicolon stands before it? (An else behind the latter lacks a brace of its own.) */
static bool
goes_on(const Tokens *t, int i, bool is_do)
{
    static const char *const words[] = {"until", "catch",  "except", "finally",
                                        "elif",  "elseif", "elsif"};
    bool does = (kind(t, i) == ELSE && kind(t, i - 1) == '}') || (kind(t, i) == WHILE && is_do);
    for (size_t w = 0; w < sizeof words / sizeof *words && i < t->count; w++)
        does = does || (kind(t, i) == IDENT && token_is(&t->items[i], words[w]));
    return does;
}

/* The last token of the statement or item that starts at `start`, seen from token i of it; -1: its
 * block ends first. */
static int
part_end(const Tokens *t, int start, int i)
{
    bool is_do = kind(t, start) == IDENT && token_is(&t->items[start], "do");
    for (; i < t->count - 1; i++) {
        int k = kind(t, i);
        if (k == ';' || (k == '{' && t->items[i].match > i)) {
            i = skip(t, i);
            if (k == '{' && kind(t, i + 1) == ';')
                return i + 1;
            if (!goes_on(t, i + 1, is_do))
                return i;
            i++;
        } else if (k == '{' || (k == '}' && t->items[i].match < start))
            return -1;
        else
            i = skip(t, i);
    }
    return -1;
}

/* The brace of a block after the head of a statement, -1 when it has none. */
static int
block_of(const Tokens *t, int i)
{
    for (; i < t->count - 1 && kind(t, i) != ';' && kind(t, i) != '}'; i++) {
        if (kind(t, i) == '{')
            return i;
        i = skip(t, i);
    }
    return -1;
}

/* The grammar has rules for errors in the heads of statements with blocks, which are then read. */
static bool
is_in_head(const Tokens *t, int start, int i)
{
    int k = kind(t, start), block = block_of(t, start);
    if (block < i)
        return false;
    if (k == FOR)
        return true;
    bool closed =
        kind(t, start + 1) == '(' && t->items[start + 1].match > 0 && t->items[start + 1].match < i;
    return (k == IF || k == WHILE) && !closed;
}

/* Does another item begin at i, which no bracket of the one that starts at `start` holds? */
static bool
is_next_item(const Tokens *t, int start, int i)
{
    int k = kind(t, i);
    if (start >= i || !t->items[i].newlines ||
        !(opens_item(k) || k == CONST || k == STATIC || k == STATIC_ASSERT))
        return false;
    while (start < i)
        start = skip(t, start) + 1;
    return start == i;
}

static Recover
recover_item(const Tokens *t, int i)
{
    int start = part_start(t, -1, i);
    if (is_next_item(t, start, i))
        return (Recover){.kind = RECOVER_NEXT_ITEM};
    int next = kind(t, start + 1);
    bool is_static = kind(t, start) == STATIC && (next == FOR || next == IF);
    if (opens_item(kind(t, start)) || is_static || kind(t, start) == CONST)
        return (Recover){.kind = RECOVER_NOT};
    int end = part_end(t, start, i);
    return end < 0 ? (Recover){.kind = RECOVER_NOT}
                   : (Recover){.kind = RECOVER_ITEM, .end = t->items[end].span.from};
}

/* A choice of Python, `a if c else b`, is part of its statement. */
static bool
is_choice(const Tokens *t, int i)
{
    if (kind(t, i) != IF || t->items[i].newlines || kind(t, i - 1) == ELSE ||
        kind(t, i - 1) == '}' || kind(t, i - 1) == ';')
        return false;
    for (i++; i < t->count - 1 && kind(t, i) != ';' && kind(t, i) != '{' && kind(t, i) != '}';
         i++) {
        if (kind(t, i) == ELSE)
            return true;
        i = skip(t, i);
    }
    return false;
}

/* Outside of functions, as it seems: up to a brace that nothing opens, where there is one. */
static Recover
recover_stray(const Tokens *t, int i)
{
    int stray = stray_brace(t, i), braces = 0;
    for (int b = brace_around(t, i); b >= 0; b = brace_around(t, b), braces++)
        if (kind(t, part_start(t, brace_around(t, b), b)) != STATIC)
            return (Recover){.kind = RECOVER_NOT};
    return stray < 0 ? (Recover){.kind = RECOVER_NOT}
                     : (Recover){.kind = RECOVER_ITEM,
                                 .end = t->items[stray].span.from,
                                 .braces = braces,
                                 .is_stray = true};
}

/* At a word that begins an item, in braces: are they what is not closed? */
static Recover
recover_close(const Tokens *t, int i)
{
    int braces = 0, brace = brace_around(t, i);
    bool unclosed = begins_item(t, i) && brace >= 0;
    for (int b = brace; b >= 0; b = brace_around(t, b)) {
        unclosed = unclosed || t->items[b].match < 0;
        braces += kind(t, b - 1) != '=';
    }
    bool opens = begins_item(t, i) || (opens_item(kind(t, i)) && part_start(t, brace, i) == i);
    return unclosed && opens ? (Recover){.kind = RECOVER_CLOSE, .braces = braces}
                             : (Recover){.kind = RECOVER_NOT};
}

static Recover
recover_at(const Tokens *t, int i)
{
    Recover close = recover_close(t, i), stray = recover_stray(t, i);
    if (close.kind == RECOVER_CLOSE)
        return close;
    if (stray.is_stray)
        return stray;
    for (int b = brace_around(t, i); b >= 0 && kind(t, b - 1) == '='; b = brace_around(t, b))
        i = b; /* a list of values is part of its statement */
    int brace = brace_around(t, i);
    if (brace < 0)
        return recover_item(t, i);
    if (!is_in_function(t, brace))
        return (Recover){.kind = RECOVER_NOT};
    int start = part_start(t, brace, i);
    if (start < i && starts_statement(t, i) && !is_choice(t, i))
        return (Recover){.kind = RECOVER_BEFORE};
    if (is_in_head(t, start, i))
        return (Recover){.kind = RECOVER_NOT};
    int end = part_end(t, start, i);
    return end < 0 ? (Recover){.kind = RECOVER_NOT}
                   : (Recover){.kind = RECOVER_STATEMENT, .end = t->items[end].span.from};
}

Recover
recover_from(const Tokens *t, Span at)
{
    int i = tokens_at(t, at.from), brace = brace_around(t, i);
    Recover r = recover_at(t, i);
    while (
        brace >= 0 &&
        !is_in_function(
            t, brace)) { /* a struct or layout: all of it, for names that are declared farther on */
        i = brace;
        brace = brace_around(t, brace);
        r.last = t->items[i].match > i ? t->items[i].match : item_end(t, i);
    }
    r.first = part_start(t, brace, i);
    if (r.last > i)
        return r;
    bool ended = r.kind == RECOVER_BEFORE || r.kind == RECOVER_NEXT_ITEM || r.kind == RECOVER_CLOSE;
    r.last = ended ? i - 1 : i;
    while (r.last >= i && r.last < t->count - 1 && kind(t, r.last) != ';' &&
           (kind(t, r.last) != '{' || r.kind == RECOVER_ITEM) && kind(t, r.last) != '}')
        r.last++;
    return r;
}

bool
recover_declares(const Tokens *t, const Recover *r, int i)
{
    int first = kind(t, r->first), before = kind(t, i - 1), next = kind(t, i + 1);
    bool is_label = next == ':' && (before == '{' || before == '}' || before == ';');
    bool listed = first == FIELD || first == LET || first == VAR || first == CONST ||
                  first == PARAM || first == FOR || first == TYPE ||
                  (first == IDENT &&
                   (kind(t, r->first + 1) == IDENT || token_is(&t->items[r->first], "enum")));
    if (kind(t, i) != IDENT || i <= r->first)
        return false;
    if (next == ':' && kind(t, i + 2) == NODE)
        return true; /* a label, also behind attributes */
    switch (before) {
    case IDENT:
        return i <= r->first + 2 || kind(t, i - 2) == '(' ||
               kind(t, i - 2) == ','; /* a type of the user's before it */
    case TYPE:
    case LET:
    case VAR:
    case CONST:
    case PARAM:
    case FIELD:
    case STRUCT:
    case LAYOUT:
    case FUNC:
    case KERNEL:
    case HOST:
    case FOR: return next != '.';
    case '*':
        return kind(t, i - 2) == TYPE ||
               (kind(t, i - 2) == IDENT && kind(t, i - 3) != '=' && next != ';');
    case '}': case ';': return is_label;
    case ',':
    case '(':
    case '{':
        return next == ':' || (listed && before != '(' && next != '.' && next != ')') ||
               before == '{';
    default: return false;
    }
}
