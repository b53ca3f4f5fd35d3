/* Host functions that move the memory of layouts: an inout argument is a place in memory, so it
 * may not lie in one that the function, or what it calls, moves. */
#include "config.h"

#include "check/check_func.h"

/* What a statement does to the memory of layouts, for messages; NULL: nothing. */
static const char *
moving_word(const TStmt *st)
{
    switch (st->kind) {
    case TS_CREATE: return "created";
    case TS_DESTROY: return "destroyed";
    case TS_TRIM: return "trimmed";
    case TS_SWAP: return "swapped";
    case TS_LOAD: return "loaded";
    default: return NULL;
    }
}

static const Move *
find_move(const Func *f, const Layout *l)
{
    for (int i = 0; i < f->moves.count; i++)
        if (f->moves.items[i].layout == l)
            return &f->moves.items[i];
    return NULL;
}

/* True if the function was not known to move the layout; NULL is that of fields not placed. */
static bool
add_move(Checker *k, Func *f, Move move)
{
    if (!move.layout || find_move(f, move.layout))
        return false;
    vec_push(k->c->arena, &f->moves, move);
    return true;
}

void
note_moves(Checker *k, const TStmt *st)
{
    const char *how = moving_word(st);
    Func *f = k->func->func;
    if (!how)
        return;
    if (st->layout)
        add_move(k, f, (Move){st->layout, st->span, how});
    if (st->layout2)
        add_move(k, f, (Move){st->layout2, st->span, how});
    for (int i = 0; i < st->fields.count; i++)
        for (int leaf = 0; leaf < st->fields.items[i]->type->leaf_count; leaf++)
            add_move(k, f, (Move){st->fields.items[i]->leaves[leaf].layout, st->span, how});
}

void
note_host_call(Checker *k, const TExpr *call)
{
    if (call->func->kind == FUNC_HOST)
        vec_push(k->c->arena, &k->host_calls, ((HostCall){k->func->func, call}));
}

/* Gives functions what those that they call move. */
static void
spread_moves(Checker *k)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < k->host_calls.count; i++) {
            const HostCall *h = &k->host_calls.items[i];
            for (int m = 0; m < h->call->func->moves.count; m++)
                more |= add_move(k, h->caller, h->call->func->moves.items[m]);
        }
    }
}

/* The first move by a function of what holds a part of a field, or NULL. */
static const Move *
move_of_field(const Func *f, const Field *field)
{
    const Move *found = NULL;
    for (int leaf = 0; !found && leaf < field->type->leaf_count; leaf++)
        found = find_move(f, field->leaves[leaf].layout);
    return found;
}

static void
check_moved_argument(Checker *k, const Func *f, const TExpr *argument)
{
    const TExpr *root = place_root(argument);
    const Move *move = root && root->kind == TX_FIELD ? move_of_field(f, root->field) : NULL;
    if (!move)
        return;
    Diag *d = diag(k->c, E0508, argument->span,
                   "an element of '%s' cannot be an inout argument of '%s': its layout is %s "
                   "meanwhile",
                   root->field->name, f->name, move->how);
    diag_note(d, move->span, "it is %s here", move->how);
    diag_fix(d, "a variable can, and be assigned to the element after the call");
}

void
check_moved_arguments(Checker *k)
{
    spread_moves(k);
    for (int i = 0; i < k->host_calls.count; i++) {
        const TExpr *call = k->host_calls.items[i].call;
        for (int n = 0; n < call->args.count; n++)
            if (call->func->params.items[n]->mode == PARAM_INOUT)
                check_moved_argument(k, call->func, call->args.items[n]);
    }
}
