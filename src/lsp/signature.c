/* The call that is being written: what its function takes, and at which argument it is. */
#include "config.h"

#include "lsp/session.h"

#include <string.h>

#include "parse.h"

/* What stands before a call, "f(a, g(b), |": the name of the function, and how many commas its
 * arguments have so far. */
typedef struct {
    int name; /* token */
    int commas;
} Call;

/* The word that the declaration of a function begins with. */
static bool
begins_function(const Token *t)
{
    return t->kind == FUNC || t->kind == KERNEL || t->kind == HOST || t->kind == EXTERN;
}

/* True for a call, false for the declaration of a function or what is none. */
static bool
is_called(const Tokens *t, int name)
{
    if (name < 0 || t->items[name].kind != IDENT)
        return false;
    for (int i = name - 1; i >= 0; i--)
        switch (t->items[i].kind) {
        case ';': case '{': case '}': return true;
        default:
            if (begins_function(&t->items[i]))
                return false;
        }
    return true;
}

/* The innermost call around the cursor. */
static bool
find_call(const Cursor *k, Call *call)
{
    const Tokens *t = &k->tokens;
    call->commas = 0;
    for (int i = k->word - 1; i >= 0; i--)
        switch (t->items[i].kind) {
        case ')': case ']': case '}':
            if (t->items[i].match < 0 || t->items[i].match > i)
                return false;
            i = t->items[i].match;
            break;
        case '(':
            call->name = i - 1;
            if (is_called(t, i - 1))
                return true;
            call->commas = 0; /* of what stands in these */
            break;
        case '[': call->commas = 0; break;
        case ',': call->commas++; break;
        case ';': case '{': return false;
        default: break;
        }
    return false;
}

/* Where what is opened there ends, or the text does. */
static const char *
closing(const char *s)
{
    int depth = 0;
    for (; *s; s++) {
        depth += strchr("([", *s) ? 1 : strchr(")]", *s) ? -1 : 0;
        if (depth == 0)
            break;
    }
    return s;
}

/* One for each argument between the parentheses that open at `s`. */
static json_t *
list_arguments(const char *s)
{
    json_t *list = json_array();
    const char *end = closing(s), *from = ++s;
    for (; s <= end && *from; s++) {
        if (*s == '(' || *s == '[')
            s = closing(s);
        if (*s != ',' && s != end)
            continue;
        from += strspn(from, " ");
        if (s > from)
            json_array_append_new(list, json_pack("{s:s%}", "label", from, (size_t)(s - from)));
        from = s + 1;
    }
    return list;
}

/* The declaration of a function in one line, without attributes and comments. */
static const char *
function_text(Program *p, const Decl *d)
{
    const Tokens t = program_tokens(p, source_find(&p->c.sources, d->whole.from));
    uint32_t end = 0; /* of the token before */
    Text out;
    text_init(&out, p->c.scratch);
    for (int i = 0; t.items[i].kind != END; i++) {
        const Token *token = &t.items[i];
        if (token->span.from < d->whole.from || token->span.to > d->whole.to ||
            (!end && !begins_function(token)))
            continue;
        text_add(&out, "%s%.*s", end && token->span.from > end ? " " : "", (int)token->bytes,
                 token->text);
        end = token->span.to;
    }
    return out.data;
}

/* The call of a function that is declared like that, with what a comment says of it. */
static json_t *
describe_call(const char *label, const char *comment, int commas)
{
    json_t *arguments = list_arguments(strchr(label, '('));
    const int last = (int)json_array_size(arguments) - 1;
    json_t *signature = json_pack("{s:s, s:o}", "label", label, "parameters", arguments);
    if (comment)
        json_object_set_new(signature, "documentation", json_string(comment));
    return json_pack("{s:[o], s:i, s:i}", "signatures", signature, "activeSignature", 0,
                     "activeParameter", commas < last ? commas : last < 0 ? 0 : last);
}

json_t *
signature_help(Server *s, const json_t *params)
{
    Cursor k;
    Call call;
    json_t *found = json_null();
    Text comment;
    if (!cursor_find(s, params, &k))
        return NULL;
    text_init(&comment, s->arena);
    if (find_call(&k, &call)) {
        const Token *name = &k.tokens.items[call.name];
        const Decl *d = cursor_decl(&k, name);
        const char *label =
            d ? NULL : built_in_call(arena_strndup(s->arena, name->text, (size_t)name->bytes));
        if (d && d->kind == NAME_FUNC) {
            label = function_text(k.program, d);
            program_comment(k.program, d->whole, &comment);
        }
        if (label && strchr(label, '('))
            found = describe_call(label, comment.data, call.commas);
    }
    cursor_end(&k);
    return found;
}
