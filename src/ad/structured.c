/* Functions without jumps: `break`, `continue` and `return` set variables that say what is left
 * out. What is made is read by reverse mode only. */
#include "config.h"

#include "ad/inside.h"

typedef struct Level Level;
struct Level { /* a loop, or the function */
    Level *outer;
    Var *skips;  /* the rest of the iteration, or of the function, is left out */
    Var *leaves; /* the rest of the loop */
};

typedef struct {
    Ad *ad;
    Func *to;
    Var *result;
    Level *level;
} Structure;

static bool
has_jump(const TStmt *st)
{
    if (!st)
        return false;
    if (st->kind == TS_BREAK || st->kind == TS_CONTINUE || st->kind == TS_RETURN)
        return true;
    for (int i = 0; i < st->stmts.count; i++)
        if (has_jump(st->stmts.items[i]))
            return true;
    return has_jump(st->body) || has_jump(st->orelse);
}

static Var *
new_var(Structure *s, const char *name, const Type *type, Span span)
{
    Var *v = ARENA_NEW(s->ad->c->arena, Var);
    *v = (Var){.kind = VAR_LOCAL,
               .name = intern_str(s->ad->c->intern, name),
               .type = type,
               .id = s->to->vars.count,
               .span = span,
               .is_mutable = true};
    vec_push(s->ad->c->arena, &s->to->vars, v);
    return v;
}

static Var *
new_flag(Structure *s, const char *name, Span span)
{
    return new_var(s, name, type_scalar(s->ad->p->types, SCALAR_BOOL), span);
}

static void
emit(Structure *s, TStmts *out, TStmt *st)
{
    vec_push(s->ad->c->arena, out, st);
}

static TExpr *
truth(Structure *s, bool value, Span span)
{
    TExpr *e = new_zero(s->ad, type_scalar(s->ad->p->types, SCALAR_BOOL), span);
    e->value.leaves[0].i = value;
    return e;
}

static void
declare(Structure *s, TStmts *out, Var *v, TExpr *value)
{
    TStmt *st = new_stmt(s->ad, TS_DECL, v->span);
    st->var = v;
    st->value = value;
    emit(s, out, st);
}

static void
set(Structure *s, TStmts *out, Var *v, TExpr *value)
{
    TStmt *st = new_stmt(s->ad, TS_ASSIGN, value->span);
    st->target = new_use(s->ad, v, value->span);
    st->value = value;
    emit(s, out, st);
}

static TExpr *
is_not(Structure *s, Var *v, Span span)
{
    return new_unary(s->ad, OP_NOT, new_use(s->ad, v, span));
}

static void write_list(Structure *s, const TStmts *from, int first, TStmts *out);

static TStmt *
write_block(Structure *s, const TStmt *body)
{
    TStmt *block = new_stmt(s->ad, TS_BLOCK, body->span);
    TStmts alone = {0};
    if (body->kind != TS_BLOCK)
        vec_push(s->ad->c->arena, &alone, (TStmt *)body);
    write_list(s, body->kind == TS_BLOCK ? &body->stmts : &alone, 0, &block->stmts);
    return block;
}

/* A jump sets the flags of what it leaves. */
static void
write_jump(Structure *s, const TStmt *st, TStmts *out)
{
    if (st->kind == TS_RETURN && st->value)
        set(s, out, s->result, (TExpr *)st->value);
    for (Level *l = s->level; l; l = l->outer) {
        set(s, out, l->skips, truth(s, true, st->span));
        if (l->leaves && st->kind != TS_CONTINUE)
            set(s, out, l->leaves, truth(s, true, st->span));
        if (st->kind != TS_RETURN)
            return;
    }
}

static void
write_loop(Structure *s, const TStmt *st, TStmts *out)
{
    Ad *ad = s->ad;
    const Span span = st->span;
    Level own = {s->level, new_flag(s, "skips", span), NULL};
    TStmt *made = ARENA_NEW(ad->c->bodies, TStmt);
    *made = *st;
    if (st->kind != TS_CELLS && !(st->kind == TS_RANGE && st->parallel)) {
        own.leaves = new_flag(s, "leaves", span);
        declare(s, out, own.leaves, truth(s, false, span));
    }
    s->level = &own;
    TStmt *inner = write_block(s, st->body), *body = new_stmt(ad, TS_BLOCK, span);
    s->level = own.outer;
    declare(s, &body->stmts, own.skips, truth(s, false, span));
    for (int i = 0; i < inner->stmts.count; i++)
        vec_push(ad->c->arena, &body->stmts, inner->stmts.items[i]);
    made->body = body;
    if (own.leaves && st->kind == TS_WHILE) {
        TExpr *goes_on = is_not(s, own.leaves, span);
        made->value = new_binary(ad, OP_LAND, goes_on, st->value);
        made->value->type = goes_on->type;
    } else if (own.leaves) {
        TStmt *unless = new_stmt(ad, TS_IF, span);
        unless->value = is_not(s, own.leaves, span);
        unless->body = body;
        made->body = new_stmt(ad, TS_BLOCK, span);
        vec_push(ad->c->arena, &made->body->stmts, unless);
    }
    emit(s, out, made);
}

static void
write_stmt(Structure *s, const TStmt *st, TStmts *out)
{
    Ad *ad = s->ad;
    if (!has_jump(st)) {
        emit(s, out, (TStmt *)st);
        return;
    }
    switch ((int)st->kind) {
    case TS_BLOCK: emit(s, out, write_block(s, st)); break;
    case TS_IF: {
        TStmt *made = ARENA_NEW(ad->c->bodies, TStmt);
        *made = *st;
        made->body = write_block(s, st->body);
        made->orelse = st->orelse ? write_block(s, st->orelse) : NULL;
        emit(s, out, made);
        break;
    }
    case TS_WHILE:
    case TS_RANGE:
    case TS_CELLS: write_loop(s, st, out); break;
    default: write_jump(s, st, out); break;
    }
}

/* What follows a statement that may jump is under a condition. */
static void
write_list(Structure *s, const TStmts *from, int first, TStmts *out)
{
    for (int i = first; i < from->count; i++) {
        const TStmt *st = from->items[i];
        write_stmt(s, st, out);
        if (!has_jump(st) || i + 1 == from->count)
            continue;
        TStmt *rest = new_stmt(s->ad, TS_IF, st->span);
        rest->value = is_not(s, s->level->skips, st->span);
        rest->body = new_stmt(s->ad, TS_BLOCK, st->span);
        write_list(s, from, i + 1, &rest->body->stmts);
        emit(s, out, rest);
        return;
    }
}

/* Is there a return only at the end, and no other jump? */
static bool
is_structured(const Func *f)
{
    const TStmts *stmts = &f->body->stmts;
    for (int i = 0; i < stmts->count; i++)
        if (has_jump(stmts->items[i]) &&
            !(i + 1 == stmts->count && stmts->items[i]->kind == TS_RETURN))
            return false;
    return true;
}

Func *
structured(Ad *ad, Func *f)
{
    if (is_structured(f))
        return f;
    Func *made = ARENA_NEW(ad->c->arena, Func);
    *made = *f;
    made->vars.items = NULL;
    made->vars.count = made->vars.room = 0;
    for (int i = 0; i < f->vars.count; i++)
        vec_push(ad->c->arena, &made->vars, f->vars.items[i]);
    Structure s = {.ad = ad, .to = made};
    const Span span = f->body->span;
    Level whole = {NULL, new_flag(&s, "skips", span), NULL};
    s.level = &whole;
    made->body = new_stmt(ad, TS_BLOCK, span);
    declare(&s, &made->body->stmts, whole.skips, truth(&s, false, span));
    if (f->result->kind != TYPE_VOID) {
        s.result = new_var(&s, "result", f->result, span);
        declare(&s, &made->body->stmts, s.result, NULL);
    }
    write_list(&s, &f->body->stmts, 0, &made->body->stmts);
    if (s.result) {
        TStmt *end = new_stmt(ad, TS_RETURN, span);
        end->value = new_use(ad, s.result, span);
        emit(&s, &made->body->stmts, end);
    }
    return made;
}
