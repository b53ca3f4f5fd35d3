/* reduce.c - makes a failing program smaller.
 *
 * The program is a text of lines. A candidate is the text without some lines, without the head and
 * the end of a block, or with one expression replaced by a part of it. It is kept if the
 * interpreter still runs it without an error, indices and races included, and the trial still fails
 * in the same way. This goes on until no candidate is kept.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

enum { PIECES_MAX = 24, TESTS_MAX = 6000 };

typedef struct {
    const Tools *tools;
    const Trial *trial;
    const Verdict *verdict;
    char path[COMMAND_MAX];     /* of the candidate */
    const char *checks;         /* options of the interpreter under which candidates must run */
    char *text;                 /* the smallest program so far */
    int tests;
} Reduction;

/* ---- candidates ---- */

/* Takes over `text`: keeps it if it fails in the same way, else frees it. */
static bool
keep(Reduction *r, char *text)
{
    bool same = false;
    if (r->tests++ < TESTS_MAX && strcmp(text, r->text) != 0 && file_write(r->path, text)) {
        Verdict v = oracle_interpret(r->tools, r->path, r->checks, "reduced.want");
        if (r->trial->way == WAY_INTERPRET && !r->trial->options[0])
            same = v.failed && strcmp(v.what, r->verdict->what) == 0;
        else if (!v.failed) {
            v = oracle_try(r->tools, r->path, r->trial, "reduced.want");
            same = v.failed && strcmp(v.what, r->verdict->what) == 0;
        }
    }
    free(same ? r->text : text);
    if (same)
        r->text = text;
    return same;
}

/* The text with the bytes from `from` to `to` replaced by others. */
static char *
replaced(const char *text, size_t from, size_t to, const char *by, size_t bytes)
{
    size_t rest = strlen(text + to);
    char *made = malloc(from + bytes + rest + 1);
    if (!made) {
        perror("snlsmith");
        exit(EXIT_FAILURE);
    }
    memcpy(made, text, from);
    memcpy(made + from, by, bytes);
    memcpy(made + from + bytes, text + to, rest + 1);
    return made;
}

/* ---- lines ---- */

static int
count_lines(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* Where a line starts, or the end of the text. */
static size_t
line_start(const char *text, int number)
{
    const char *at = text;
    while (number-- > 0) {
        const char *end = strchr(at, '\n');
        if (!end)
            return strlen(text);
        at = end + 1;
    }
    return (size_t)(at - text);
}

/* Braces that are open after these bytes; -1 if one is closed that was not opened. */
static int
open_braces(const char *text, size_t from, size_t to)
{
    int depth = 0;
    for (size_t i = from; i < to; i++) {
        depth += text[i] == '{';
        depth -= text[i] == '}';
        if (depth < 0)
            return -1;
    }
    return depth;
}

/* Drops `count` lines wherever that works. */
static bool
drop_lines(Reduction *r, int count)
{
    bool changed = false;
    for (int at = count_lines(r->text) - count; at >= 0; at--) {
        size_t from = line_start(r->text, at), to = line_start(r->text, at + count);
        if (to > from && open_braces(r->text, from, to) == 0 &&
            keep(r, replaced(r->text, from, to, "", 0))) {
            changed = true;
            at -= count - 1;
        }
    }
    return changed;
}

/* Drops blocks, or only their first and last lines. */
static bool
drop_blocks(Reduction *r)
{
    bool changed = false;
    for (int at = 0; at < count_lines(r->text); at++) {
        size_t from = line_start(r->text, at), inside = line_start(r->text, at + 1), end = inside;
        if (open_braces(r->text, from, inside) <= 0)
            continue;
        int line = at + 1, lines = count_lines(r->text);
        while (line < lines && open_braces(r->text, from, end = line_start(r->text, line + 1)) > 0)
            line++;
        size_t last = line_start(r->text, line);
        if (keep(r, replaced(r->text, from, end, "", 0))) {
            changed = true;
        } else if (last >= inside) {
            char *body = replaced(r->text, last, end, "", 0);
            char *bare = replaced(body, from, inside, "", 0);
            free(body);
            changed |= keep(r, bare);
        }
    }
    return changed;
}

/* ---- expressions ---- */

/* The end of a group that starts with a bracket at `at`: the place of its partner, or 0. */
static size_t
group_end(const char *text, size_t at)
{
    int depth = 0;
    for (size_t i = at; text[i] && text[i] != '\n'; i++) {
        depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
        depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
        if (depth == 0)
            return i;
    }
    return 0;
}

/* The operands or elements between two brackets. */
static int
find_pieces(const char *text, size_t from, size_t to, size_t *start, size_t *end)
{
    int count = 0, depth = 0;
    start[0] = from;
    for (size_t i = from; i < to && count + 1 < PIECES_MAX; i++) {
        depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
        depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
        if (depth == 0 && (text[i] == ' ' || text[i] == ',')) {
            end[count++] = i;
            while (i + 1 < to && (text[i + 1] == ' ' || !strchr("(-!~.\"_", text[i + 1])) &&
                   !isalnum((unsigned char)text[i + 1]))
                i++;
            start[count] = i + 1;
        }
    }
    end[count] = to;
    return count + 1;
}

/* Puts a part of the group at `at` in its place. */
static bool
simplify_group(Reduction *r, size_t at)
{
    size_t start[PIECES_MAX], end[PIECES_MAX], from = at, close = group_end(r->text, at);
    if (!close)
        return false;
    int count = find_pieces(r->text, at + 1, close, start, end);
    while (from > 0 && (isalnum((unsigned char)r->text[from - 1]) || r->text[from - 1] == '_'))
        from--;
    for (int i = 0; i < count; i++) {
        if (start[i] >= end[i])
            continue;
        if (r->text[at] == '(' &&
            keep(r, replaced(r->text, from, close + 1, r->text + start[i], end[i] - start[i])))
            return true;
        if (r->text[at] == '(' && from < at &&
            keep(r, replaced(r->text, at + 1, close, r->text + start[i], end[i] - start[i])))
            return true;
        size_t rest = i + 1 < count ? start[i + 1] : end[i],
               before = i + 1 == count && i > 0 ? end[i - 1] : start[i];
        if (count > 1 && keep(r, replaced(r->text, before, rest, "", 0)))
            return true;
    }
    for (const char *const *number = (const char *const[]){"0", "1", "true", NULL};
         r->text[at] == '(' && *number; number++)
        if (close + 1 - from > 6 &&
            keep(r, replaced(r->text, from, close + 1, *number, strlen(*number))))
            return true;
    return false;
}

static bool
simplify_groups(Reduction *r)
{
    bool changed = false;
    for (size_t at = 0; r->text[at] && r->tests < TESTS_MAX; at++)
        while ((r->text[at] == '(' || r->text[at] == '[' ||
                (r->text[at] == '{' && group_end(r->text, at))) &&
               simplify_group(r, at))
            changed = true;
    return changed;
}

void
reduce(const Tools *t, const char *path, const Trial *trial, const Verdict *verdict)
{
    Reduction r = { .tools = t, .trial = trial, .verdict = verdict, .text = file_text(path) };
    if (!r.text ||
        snprintf(r.path, sizeof r.path, "%s/reduced.snl", t->folder) >= (int)sizeof r.path)
        return;
    r.checks =
        oracle_interpret(t, path, "--check=race", "reduced.want").failed ? "" : "--check=race";
    bool changed = true;
    while (changed && r.tests < TESTS_MAX) {
        changed = false;
        for (int count = count_lines(r.text) / 2; count > 0;
             count = count > 8 ? count / 2 : count - 1)
            changed |= drop_lines(&r, count);
        changed |= drop_blocks(&r);
        changed |= simplify_groups(&r);
        if (changed && !file_write(path, r.text))
            break;
    }
    remove(r.path);
    free(r.text);
}
