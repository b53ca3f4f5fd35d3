/* Builds statements, variables and layouts, and asks where the code being checked stands. */
#include "config.h"

#include "check/check_func.h"

TStmt *
stmt_new(Checker *k, TStmtKind kind, Span span)
{
    TStmt *st = ARENA_NEW(k->checked, TStmt);
    st->kind = kind;
    st->span = span;
    st->op = OP_NONE;
    return st;
}

void
stmt_add(Checker *k, TStmt *st)
{
    vec_push(k->c->arena, k->func->out, st);
    note_moves(k, st);
}

TStmt *
stmt_block(Checker *k, Span span, TStmts stmts)
{
    TStmt *st = stmt_new(k, TS_BLOCK, span);
    st->stmts = stmts;
    return st;
}

bool
is_too_large(Checker *k, Span span)
{
    enum { MIB = 1 << 20, MOST = 256 * MIB, FOR_BYTE = 256 };
    const size_t made =
        arena_bytes(k->c->arena) + arena_bytes(k->c->bodies) + arena_bytes(k->c->syntax);
    if (k->too_large || made <= MOST + FOR_BYTE * k->source_bytes)
        return k->too_large;
    Diag *d = diag(k->c, E0603, span, "the program gets too large: it takes %d MiB to check",
                   (int)(made / MIB));
    diag_fix(d, "fewer rounds of static for, members of families or instances of functions");
    return k->too_large = true;
}

/* Does the file of a span begin with @packed; ? */
static bool
file_is_packed(const Checker *k, Span span)
{
    const Source *f = source_find(&k->c->sources, span.from);
    for (int i = 0; f && i < k->defaults.count; i++) {
        const Item *item = k->defaults.items[i];
        if (source_find(&k->c->sources, item->span.from) == f)
            return find_attribute(&item->attrs, "packed") != NULL;
    }
    return false;
}

Layout *
layout_new(Checker *k, const char *name, Span span)
{
    Layout *l = ARENA_NEW(k->c->arena, Layout);
    l->name = name;
    l->id = k->prog->layouts.count;
    l->span = span;
    l->packed = k->c->options.packed || file_is_packed(k, span);
    vec_push(k->c->arena, &k->prog->layouts, l);
    return l;
}

bool
in_host(const Checker *k)
{
    if (!k->func)
        return false;
    FuncKind kind = k->func->func->kind;
    return kind == FUNC_HOST || func_is_block(kind);
}

bool
require_host(Checker *k, Span at, const char *what)
{
    if (in_host(k))
        return true;
    diag(k->c, E0503, at, "%s is for host code: host functions, main, tests and benchmarks", what);
    return false;
}

bool
check_count(Checker *k, const Expr *call, const char *name, int least, int most)
{
    int n = call->args.count;
    if (n >= least && n <= most)
        return true;
    if (least == most)
        diag(k->c, E0305, call->span, "%s takes %d %s, not %d", name, least,
             least == 1 ? "argument" : "arguments", n);
    else if (n < least)
        diag(k->c, E0305, call->span, "%s takes at least %d %s, not %d", name, least,
             least == 1 ? "argument" : "arguments", n);
    else
        diag(k->c, E0305, call->span, "%s takes at most %d %s, not %d", name, most,
             most == 1 ? "argument" : "arguments", n);
    return false;
}

void
func_add_var(Checker *k, Func *f, Var *v)
{
    v->id = f->vars.count;
    vec_push(k->c->arena, &f->vars, v);
}

Var *
func_new_var(Checker *k, VarKind kind, const char *name, const Type *type, Span span)
{
    Var *v = ARENA_NEW(k->c->arena, Var);
    v->kind = kind;
    v->name = name;
    v->type = type;
    v->span = span;
    v->mode = PARAM_VALUE;
    return v;
}

Var *
func_var(Checker *k, VarKind kind, const char *name, const Type *type, Span span)
{
    Var *v = func_new_var(k, kind, name, type, span);
    func_add_var(k, k->func->func, v);
    return v;
}
