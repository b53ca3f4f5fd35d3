/* Blocks of derivatives in host code: gradient, vjp and jvp. */
#include "config.h"

#include "check/check_func.h"

void
check_derive(Checker *k, Scope *s, const Stmt *st)
{
    FuncState *fs = k->func;
    const char *word = derive_word(st->derive);
    const Stmt *outer = fs->derive;
    Loop *loop = fs->loop;
    TStmt *t = stmt_new(k, TS_DERIVE, st->span);
    check_attributes(k, &st->attrs, "", "a block of derivatives");
    if (!require_host(k, st->span, arena_printf(k->c->arena, "'%s'", word)))
        return;
    if (outer)
        diag_note(diag(k->c, E0705, st->span, "blocks of derivatives do not stand in each other"),
                  outer->span, "this one is around it");
    else if (st->derive != DERIVE_JVP)
        diag_fix(diag(k->c, E0706, st->span, "'%s' is not there yet: it needs reverse mode", word),
                 "jvp { … } takes a derivative in one direction, diff(e, v) that of an expression");
    fs->derive = st;
    fs->loop = NULL; /* that break could leave */
    t->derive = st->derive;
    t->body = check_branch(k, s, st->body);
    fs->loop = loop;
    fs->derive = outer;
    stmt_add(k, t);
}
