/* Fixes of diagnostics, made in a file. */
#include "config.h"

#include "cli/tool/fix.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag_data.h"
#include "check/prog.h"
#include "cli/tool/output.h"

enum { ROUNDS = 10 }; /* a fix may show what else is wrong */

typedef VEC(DiagFix) Edits;

/* A text between two rounds. */
typedef struct {
    const char *text; /* in the arena of the command line */
    size_t bytes;
    bool syntax_errors;
} Version;

static int
compare_edits(const void *a, const void *b)
{
    const DiagFix *x = a, *y = b;
    if (x->at.from != y->at.from)
        return x->at.from < y->at.from ? -1 : 1;
    return x->at.to < y->at.to ? -1 : x->at.to > y->at.to;
}

/* The first edit of each error or warning in the file, in order of their places. */
static Edits
find_edits(const Compile *c, const Source *source)
{
    Edits edits = {0};
    for (int i = 0; i < c->diags.count; i++) {
        const Diag *d = c->diags.items[i];
        for (int k = 0; k < d->fixes.count; k++) {
            const DiagFix *fix = &d->fixes.items[k];
            if (!fix->is_edit || source_find(&c->sources, fix->at.from) != source)
                continue;
            vec_push(c->arena, &edits, *fix);
            break;
        }
    }
    if (edits.count)
        qsort(edits.items, (size_t)edits.count, sizeof *edits.items, compare_edits);
    return edits;
}

/* The text with the edits made, but for those that touch one before; *made counts them. */
static Version
apply_edits(Arena *a, const Source *source, const Edits *edits, int *made)
{
    Text t;
    uint32_t at = source->base;
    text_init(&t, a);
    *made = 0;
    for (int i = 0; i < edits->count; i++) {
        const DiagFix *e = &edits->items[i];
        if (*made && e->at.from <= at)
            continue;
        text_raw(&t, source->text + (at - source->base), e->at.from - at);
        text_raw(&t, e->text, strlen(e->text));
        at = e->at.to;
        ++*made;
    }
    text_raw(&t, source->text + (at - source->base), source->base + source->bytes - at);
    return (Version){.text = t.data ? t.data : "", .bytes = t.count};
}

/* One round: checks the text `now` and puts it with the fixes made into `next`. Returns their
 * number; -1 when the file cannot be read or the last round has broken its syntax. */
static int
fix_round(Cli *cli, const char *file, const char **real, const Version *now, Version *next)
{
    Compile c;
    compile_init(&c);
    c.options = cli->options;
    if (now->text)
        source_overlay(&c.sources, *real ? *real : file, now->text, now->bytes);
    const Prog *p = check_program(&c, file);
    int made = -1;
    if (p && !(now->text && c.syntax_errors && !now->syntax_errors)) {
        if (!*real && p->source->real)
            *real = arena_strndup(cli->arena, p->source->real, strlen(p->source->real));
        Edits edits = find_edits(&c, p->source);
        *next = apply_edits(cli->arena, p->source, &edits, &made);
        next->syntax_errors = c.syntax_errors;
    }
    compile_free(&c);
    return made;
}

int
fix_file(Cli *cli, const char *file)
{
    const char *real = NULL;
    Version now = {0}, last = {0};
    int total = 0, made = 0;
    for (int i = 0; i < ROUNDS; i++) {
        Version next;
        int count = fix_round(cli, file, &real, &now, &next);
        if (count < 0) { /* the last round goes */
            now = last;
            total -= made;
        }
        if (count <= 0)
            break;
        last = now;
        now = next;
        made = count;
        total += count;
    }
    if (!total)
        return EXIT_OK; /* also when it cannot be read: the check says so */
    int status = output_write(cli, real ? real : file, now.text, now.bytes);
    if (!status && !cli->options.quiet)
        printf("%s: %d %s\n", file, total, total == 1 ? "fix" : "fixes");
    return status;
}
