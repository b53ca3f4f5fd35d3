/* Which kinds of files a program saves and loads, by the names of the files in its host code. */
#include "config.h"

#include "cli/tool/file_kinds.h"

#include <string.h>

const FileKindInfo *
file_kind_info(FileKind kind)
{
    static const FileKindInfo table[] = {
#define FILE_KIND(id, extension, files, flags) {#id, extension, files, flags},
#include "cli/tool/file_kinds.def"
#undef FILE_KIND
    };
    return &table[kind];
}

void
file_kinds_add_all(FileKinds *kinds)
{
    for (int k = 0; k < FILE_KIND_COUNT; k++)
        kinds->has[k] = true;
}

/* Do the texts agree but for capitals? */
static bool
is_same_word(const char *s, const char *lower)
{
    for (; *lower; s++, lower++)
        if (*s != *lower && !(*s >= 'A' && *s <= 'Z' && *s - 'A' + 'a' == *lower))
            return false;
    return !*s;
}

/* The kind of a file whose name, or the format of its name, is this text. A name without an
 * extension, which no kind has, is an error when the program runs. */
static void
add_name(FileKinds *kinds, const TExpr *path)
{
    const char *text = path->string;
    const char *dot = strrchr(text, '.');
    if (path->kind == TX_FORMAT && (!dot || strpbrk(dot, "{}"))) {
        file_kinds_add_all(kinds); /* an argument may be the extension */
        return;
    }
    for (int k = 0; k < FILE_KIND_COUNT && dot; k++)
        kinds->has[k] |= is_same_word(dot, file_kind_info((FileKind)k)->extension);
}

static void
add_statement(FileKinds *kinds, const TStmt *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->stmts.count; i++)
        add_statement(kinds, s->stmts.items[i]);
    add_statement(kinds, s->body);
    add_statement(kinds, s->orelse);
    if (!s->path)
        return;
    kinds->has[FILE_KIND_PNG] |= s->kind == TS_IMAGE;
    if (s->path->kind == TX_STRING || s->path->kind == TX_FORMAT)
        add_name(kinds, s->path);
    else
        file_kinds_add_all(kinds);
}

void
file_kinds_add(FileKinds *kinds, const Prog *p)
{
    for (int i = 0; i < p->funcs.count; i++)
        add_statement(kinds, p->funcs.items[i]->body);
    if (p->main)
        add_statement(kinds, p->main->body);
}
