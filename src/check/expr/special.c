/* Special operations: calls whose arguments are places, nodes, fields, layouts or formats rather
 * than values. */
#include "config.h"

#include <string.h>

#include "check/check_func.h"

TExpr *
tx_void(Checker *k, Span span)
{
    return tx_new(k, TX_ERROR, type_void(k->prog->types), span);
}

/* ---- print and assert ---- */

/* Arguments of a format, from number `first` on; false after a report. */
static bool
format_arguments(Checker *k, Scope *s, const Expr *e, int first, TExprs *out)
{
    bool fine = true;
    for (int i = first; i < e->args.count; i++) {
        TExpr *a = check_expr(k, s, e->args.items[i], NULL);
        if (!has_value(k, a)) {
            fine = false;
        } else if (!type_is_arith(a->type) && a->type->kind != TYPE_STRING) {
            Diag *d = diag(k->c, E0314, a->span, "%s cannot be printed as a whole", a->type->name);
            diag_fix(d, "print its %s, one after the other",
                     a->type->kind == TYPE_STRUCT ? "members" : "elements");
            fine = false;
        }
        vec_push(k->c->arena, out, a);
    }
    return fine;
}

static bool
is_format(Checker *k, const Expr *e, const char *what)
{
    if (e->kind == EXPR_STRING)
        return true;
    if (e->kind != EXPR_ERROR)
        diag(k->c, E0314, e->span, "%s needs its format as a string in quotes", what);
    return false;
}

/* The format of a print; values alone get one. */
static bool
has_print_format(Checker *k, const Expr *e)
{
    const Expr *first = e->args.items[0];
    if (first->kind == EXPR_STRING || first->kind == EXPR_ERROR || e->args.count > 3 ||
        strchr(source_text(k, first->span), '"'))
        return is_format(k, first, "'print'");
    static const char *const places[] = {"{}", "{} {}", "{} {} {}"};
    Diag *d = diag(k->c, E0314, first->span, "'print' needs its format as a string in quotes");
    diag_edit(d, (Span){first->span.from, first->span.from}, "\"%s\", ", places[e->args.count - 1]);
    return false;
}

static TExpr *
check_print(Checker *k, Scope *s, const Expr *e)
{
    TStmt *st = stmt_new(k, TS_PRINT, e->span);
    if (!check_count(k, e, "'print'", 1, 10000) || !has_print_format(k, e) ||
        !format_arguments(k, s, e, 1, &st->args) || !check_format(k, e->args.items[0], &st->args))
        return tx_error(k, e->span);
    st->string = e->args.items[0]->string;
    st->string_bytes = e->args.items[0]->string_bytes;
    stmt_add(k, st);
    return tx_void(k, e->span);
}

/* Adds a text to a format. */
static void
add_literally(Text *format, const char *text)
{
    for (; *text; text++)
        text_add(format, *text == '{' || *text == '}' ? "%c%c" : "%c", *text, *text);
}

/* Makes the message of a comparison in host code tell what was compared: "assertion failed: n == 3,
 * where n is 2". */
static void
tell_operands(Checker *k, TStmt *st)
{
    TExpr *v = st->value, **const sides[] = {&v->a, &v->b};
    if (!in_host(k) || k->c->options.no_assert || v->kind != TX_BINARY ||
        !op_is_comparison(v->op) || v->a->type->kind != TYPE_SCALAR)
        return;
    Text format;
    text_init(&format, k->c->arena);
    add_literally(&format, "assertion failed: ");
    add_literally(&format, st->string);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        TExpr *side = *sides[i];
        const char *text = source_text(k, side->span);
        if (side->kind == TX_CONST || strchr(text, '\n'))
            continue;
        if (!tx_is_cheap(side))
            side = *sides[i] = tx_temporary(k, side);
        add_literally(&format, st->args.count ? " and " : ", where ");
        add_literally(&format, text);
        add_literally(&format, " is ");
        text_add(&format, "{}");
        vec_push(k->c->arena, &st->args, side);
    }
    if (!st->args.count)
        return;
    st->has_format = true;
    st->string = format.data;
    st->string_bytes = format.count;
}

static TExpr *
check_assert(Checker *k, Scope *s, const Expr *e)
{
    TStmt *st = stmt_new(k, TS_ASSERT, e->span);
    if (!check_count(k, e, "'assert'", 1, 10000))
        return tx_error(k, e->span);
    st->value = check_condition(k, s, e->args.items[0]);
    if (e->args.count > 1) {
        if (!is_format(k, e->args.items[1], "'assert'") ||
            !format_arguments(k, s, e, 2, &st->args) ||
            !check_format(k, e->args.items[1], &st->args))
            return tx_error(k, e->span);
        st->has_format = true;
        st->string = e->args.items[1]->string;
        st->string_bytes = e->args.items[1]->string_bytes;
    } else {
        st->string = source_text(k, e->args.items[0]->span);
        st->string_bytes = strlen(st->string);
    }
    if (tx_is_error(st->value))
        return tx_error(k, e->span);
    if (!st->has_format)
        tell_operands(k, st);
    stmt_add(k, st);
    return tx_void(k, e->span);
}

/* ---- atomics ---- */

static TExpr *
atomic_of_scalar(Checker *k, const TExpr *model, TExpr *place, TExprs values)
{
    TExpr *t = tx_new(k, TX_ATOMIC, place->type, model->span);
    t->atomic = model->atomic;
    t->is_shared = model->is_shared;
    t->a = place;
    t->args = values;
    return t;
}

/* A place whose indices may be evaluated again. */
static void
fix_indices(Checker *k, TExpr *place)
{
    for (TExpr *e = place; e && (e->kind == TX_ELEM || e->kind == TX_MEMBER || e->kind == TX_FIELD);
         e = e->a)
        for (int i = 0; i < e->args.count; i++)
            if (!tx_is_cheap(e->args.items[i]))
                e->args.items[i] = tx_temporary(k, e->args.items[i]);
}

TExpr *
split_atomic(Checker *k, TExpr *t)
{
    TExprs parts = {0};
    fix_indices(k, t->a);
    for (int n = 0; n < t->type->leaf_count; n++) {
        TExprs values = {0};
        for (int i = 0; i < t->args.count; i++)
            vec_push(k->c->arena, &values, tx_component(k, t->args.items[i], n));
        vec_push(k->c->arena, &parts, atomic_of_scalar(k, t, tx_component(k, t->a, n), values));
    }
    return tx_make(k, t->type, parts, t->span);
}

static bool
atomic_takes(AtomicOp op, const Type *t)
{
    switch (op) {
    case ATOMIC_AND: case ATOMIC_OR: case ATOMIC_XOR: return type_is_integer(t) || type_is_bool(t);
    case ATOMIC_EXCHANGE: case ATOMIC_CAS: return type_is_arith(t);
    case ATOMIC_ADD: case ATOMIC_SUB: case ATOMIC_MIN: case ATOMIC_MAX:
        return type_is_arith(t) && !type_is_bool(t);
    }
    return false;
}

static TExpr *
check_atomic(Checker *k, Scope *s, const Expr *e, AtomicOp op)
{
    const char *name = arena_printf(k->c->arena, "'%s'", e->a->name.text);
    int count = op == ATOMIC_CAS ? 3 : 2;
    if (!check_count(k, e, name, count, count))
        return tx_error(k, e->span);
    int uses = use_count(k);
    TExpr *place = check_expr(k, s, e->args.items[0], NULL);
    if (!check_assignable(k, place, name))
        return tx_error(k, e->span);
    if (!atomic_takes(op, place->type) || (op == ATOMIC_CAS && place->type->kind != TYPE_SCALAR)) {
        diag(k->c, E0313, e->span, "%s does not work on %s", name, place->type->name);
        return tx_error(k, e->span);
    }
    TExpr *t = tx_new(k, TX_ATOMIC, place->type, e->span);
    t->atomic = op;
    t->a = place;
    t->is_shared = place_is_shared(k, place);
    Use *use = use_of_place(k, place, uses);
    if (use)
        use->atomic = t;
    for (int i = 1; i < count; i++) {
        TExpr *v = check_expr(k, s, e->args.items[i], place->type);
        if (has_value(k, v) && v->type->kind == TYPE_SCALAR && type_is_arith(place->type)) {
            v = convert(k, v, type_scalar(k->prog->types, place->type->scalar), "the operand");
            v = tx_is_error(v) || place->type->kind == TYPE_SCALAR ? v
                                                                   : tx_splat(k, v, place->type);
        } else {
            v = convert(k, v, place->type, "the operand");
        }
        if (tx_is_error(v))
            return tx_error(k, e->span);
        vec_push(k->c->arena, &t->args, v);
    }
    for (int i = 0; i < t->args.count; i++)
        t->args.items[i] = tx_stable(k, t->args.items[i]);
    /* A vector variable of the kernel may turn out to be a reduction: it is taken apart after the
     * loop if not. */
    return place->type->kind == TYPE_SCALAR || use ? t : split_atomic(k, t);
}

#define ATOMIC(name, OP)                                                   \
    static TExpr *check_atomic_##name(Checker *k, Scope *s, const Expr *e) \
    {                                                                      \
        return check_atomic(k, s, e, ATOMIC_##OP);                         \
    }
ATOMIC(add, ADD)
ATOMIC(sub, SUB)
ATOMIC(min, MIN)
ATOMIC(max, MAX)
ATOMIC(and, AND)
ATOMIC(or, OR)
ATOMIC(xor, XOR)
ATOMIC(exchange, EXCHANGE)
ATOMIC(cas, CAS)

/* ---- address, progress ---- */

static TExpr *
check_address(Checker *k, Scope *s, const Expr *e)
{
    if (!check_count(k, e, "'address'", 1, 1))
        return tx_error(k, e->span);
    TExpr *place = check_expr(k, s, e->args.items[0], NULL);
    if (!has_value(k, place))
        return tx_error(k, e->span);
    const TExpr *root = place_root(place);
    if (!root || root->kind != TX_FIELD) {
        diag(k->c, E0313, place->span, "'address' takes an element of a field");
        return tx_error(k, e->span);
    }
    TExpr *t = tx_new(k, TX_ADDRESS, type_scalar(k->prog->types, SCALAR_I64), e->span);
    t->a = place;
    return t;
}

static TExpr *
check_progress(Checker *k, Scope *s, const Expr *e)
{
    (void)s;
    diag(k->c, E0508, e->span, "'progress' stands only around the range of a loop in host code");
    return tx_error(k, e->span);
}

/* ---- the table ---- */

static const struct {
    const char *name;
    TExpr *(*check)(Checker *k, Scope *s, const Expr *e);
} specials[] = {
#define SPECIAL(name, function, arguments) {name, function},
#include "check/specials.def"
#undef SPECIAL
};

TExpr *
check_special(Checker *k, Scope *s, const Expr *e, const char *name)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (specials[i].name[0] != name[0] || strcmp(specials[i].name, name))
            continue;
        if (k->func)
            return specials[i].check(k, s, e);
        bool at_compile_time =
            specials[i].check == check_extent || specials[i].check == check_offset ||
            specials[i].check == check_axes || specials[i].check == check_rescale;
        if (at_compile_time)
            return specials[i].check(k, s, e);
        diag(k->c, E0601, e->span, "'%s' is not possible at compile time", name);
        return tx_error(k, e->span);
    }
    return NULL;
}
