/* The tape of host code: what the way back needs of values that host code overwrites is put on it,
 * and taken from it in the opposite order. There are two: one for the steps of a block, one for
 * what the block leaves. */
#include "config.h"

#include "ad/inside.h"

static const Type *
i64_of(Ad *ad)
{
    return type_scalar(ad->p->types, SCALAR_I64);
}

/* A scalar as a word of the tape. */
static TExpr *
to_word(Ad *ad, TExpr *e)
{
    if (type_is_float(e->type)) {
        TExpr *bits = new_expr(ad, TX_BITCAST, i64_of(ad), e->span);
        bits->a = new_cast(ad, type_scalar(ad->p->types, SCALAR_F64), e);
        return bits;
    }
    return new_cast(ad, i64_of(ad), e);
}

static TExpr *
from_word(Ad *ad, const Type *type, TExpr *word)
{
    if (type_is_bool(type)) {
        TExpr *zero = new_zero(ad, word->type, word->span);
        return new_binary(ad, OP_NE, word, zero);
    }
    if (!type_is_float(type))
        return new_cast(ad, type, word);
    TExpr *number = new_expr(ad, TX_BITCAST, type_scalar(ad->p->types, SCALAR_F64), word->span);
    number->a = word;
    return new_cast(ad, type, number);
}

/* Calls fn for each scalar of a place, in order or in the opposite one. */
static void
each_scalar(Reverse *r, TExpr *place, bool is_down, void (*fn)(Reverse *, TExpr *))
{
    Ad *ad = r->forward.ad;
    const Type *t = place->type;
    int64_t count = t->kind == TYPE_STRUCT ? t->member_count : t->leaf_count;
    if (t->kind == TYPE_SCALAR) {
        fn(r, place);
        return;
    }
    if (t->kind == TYPE_ARRAY) {
        count = 1;
        for (int d = 0; d < t->dim_count; d++)
            count *= t->dims[d];
    }
    for (int64_t n = 0; n < count; n++) {
        const int64_t i = is_down ? count - 1 - n : n;
        each_scalar(r,
                    t->kind == TYPE_STRUCT  ? new_member(ad, place, (int)i)
                    : t->kind == TYPE_ARRAY ? element_number(ad, place, i)
                                            : new_component(ad, place, (int)i),
                    is_down, fn);
    }
}

static Field *
field_of(const TExpr *place)
{
    const TExpr *root = root_of(place);
    return root->kind == TX_FIELD ? root->field : NULL;
}

static void
keep_scalar(Reverse *r, TExpr *place)
{
    TStmt *st = new_stmt(r->forward.ad, TS_KEEP, place->span);
    st->value = to_word(r->forward.ad, place);
    st->field = field_of(place);
    forward_emit(&r->forward, st);
}

static void
take_scalar(Reverse *r, TExpr *place)
{
    Ad *ad = r->forward.ad;
    TStmt *st = new_stmt(ad, TS_ASSIGN, place->span);
    st->target = place;
    st->value = from_word(ad, place->type, new_expr(ad, TX_TAKE, i64_of(ad), place->span));
    st->field = field_of(place); /* so that it goes with what keeps it */
    forward_emit(&r->forward, st);
}

void
tape_keep(Reverse *r, TExpr *place)
{
    each_scalar(r, place, false, keep_scalar);
}

void
tape_take(Reverse *r, TExpr *place)
{
    each_scalar(r, place, true, take_scalar);
}

TStmt *
tape_field(Ad *ad, TStmtKind kind, Field *field, int tape, Span span)
{
    TStmt *st = new_stmt(ad, kind, span);
    st->field = field;
    st->tape = tape;
    return st;
}

/* ---- what of it is needed ---- */

typedef struct {
    bool *is_read; /* fields by id */
    VEC(const Func *) seen;
    Arena *arena;
} Reads;

static void reads_of_stmt(Reads *r, const TStmt *st);

static void
reads_of_func(Reads *r, const Func *f)
{
    for (int i = 0; i < r->seen.count; i++)
        if (r->seen.items[i] == f)
            return;
    vec_push(r->arena, &r->seen, f);
    reads_of_stmt(r, f->body);
}

static void
reads_of_expr(Reads *r, const TExpr *e)
{
    if (!e)
        return;
    if (e->kind == TX_FIELD)
        r->is_read[e->field->id] = true;
    reads_of_expr(r, e->a);
    reads_of_expr(r, e->b);
    reads_of_expr(r, e->c);
    for (int i = 0; i < e->args.count; i++)
        reads_of_expr(r, e->args.items[i]);
    if (e->kind == TX_CALL)
        reads_of_func(r, e->func);
}

static void
reads_of_list(Reads *r, const TExprs *list)
{
    for (int i = 0; i < list->count; i++)
        reads_of_expr(r, list->items[i]);
}

static void
reads_of_stmt(Reads *r, const TStmt *st)
{
    if (!st)
        return;
    const bool gives_back = st->kind == TS_ASSIGN && st->field;
    reads_of_expr(r, st->value);
    if (!gives_back)
        reads_of_expr(r, st->target);
    reads_of_list(r, &st->from);
    reads_of_list(r, &st->to);
    reads_of_list(r, &st->step);
    reads_of_list(r, &st->args);
    for (int i = 0; i < st->stmts.count; i++)
        reads_of_stmt(r, st->stmts.items[i]);
    reads_of_stmt(r, st->body);
    reads_of_stmt(r, st->orelse);
}

bool *
tape_reads(Ad *ad, const TStmts *back)
{
    Reads r = {.is_read = ARENA_ARRAY(ad->c->scratch, bool, ad->p->fields.count),
               .arena = ad->c->scratch};
    for (int i = 0; i < back->count; i++)
        reads_of_stmt(&r, back->items[i]);
    return r.is_read;
}

static bool
is_on_tape(const TStmt *st)
{
    return st->field && (st->kind == TS_KEEP || st->kind == TS_TAKE || st->kind == TS_ASSIGN);
}

void
tape_drop(const bool *is_read, TStmts *stmts, bool *is_kept)
{
    int count = 0;
    for (int i = 0; i < stmts->count; i++) {
        TStmt *st = stmts->items[i];
        if (is_on_tape(st) && !is_read[st->field->id])
            continue;
        if (is_on_tape(st))
            is_kept[st->field->id] = true;
        tape_drop(is_read, &st->stmts, is_kept);
        if (st->body)
            tape_drop(is_read, &st->body->stmts, is_kept);
        if (st->orelse)
            tape_drop(is_read, &st->orelse->stmts, is_kept);
        stmts->items[count++] = st;
    }
    stmts->count = count;
}
