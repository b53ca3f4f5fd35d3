/* Loops: ranges, cells of nodes, static ones; which run in parallel. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "check/check_func.h"
#include "check/leaf.h"
#include "check/suggest.h"

enum { UNROLL_MAX = 65536 };

/* ---- uniform conditions ---- */

bool
is_uniform(const TExpr *e)
{
    if (!e)
        return true;
    switch (e->kind) {
    case TX_CONST: case TX_PARAM: case TX_TABLE: return true;
    case TX_VAR:
        return e->var->kind == VAR_ARG && !e->var->is_mutable && e->var->type->kind != TYPE_EXTERN;
    case TX_EXTENT: return true;
    case TX_BUILTIN:
        if (!builtin_is_componentwise(e->builtin) && !e->args.count)
            return false; /* random numbers */
        break;
    case TX_ELEM: case TX_MEMBER: case TX_SWIZZLE: case TX_UNARY: case TX_BINARY: case TX_COND:
    case TX_CAST: case TX_BITCAST:
    case TX_SPLAT: case TX_MAKE: case TX_FMA: break;
    case TX_ERROR: case TX_STRING: case TX_FIELD: case TX_CALL: case TX_ATOMIC: case TX_IS_ACTIVE:
    case TX_LENGTH: case TX_APPEND: case TX_ADDRESS: case TX_CLOCK: case TX_TAKE: case TX_MEASURE:
    case TX_MEMORY: case TX_ACTIVE: case TX_FORMAT:
        return false;
    }
    bool uniform = is_uniform(e->a) && is_uniform(e->b) && is_uniform(e->c);
    for (int i = 0; i < e->args.count && uniform; i++)
        uniform = is_uniform(e->args.items[i]);
    return uniform;
}

/* ---- bodies ---- */

/* Statements that open the body, before those of the user. */
static void
check_body(Checker *k, Scope *s, const Stmt *st, TStmt *loop, TStmts start)
{
    FuncState *fs = k->func;
    Loop frame = {.outer = fs->loop, .stmt = loop};
    bool top = fs->top;
    const Expr *blocking = fs->blocking;
    fs->loop = &frame;
    fs->top = false;
    fs->blocking = NULL;
    if (loop->parallel)
        fs->parallel = loop;
    check_stmts(k, s, st->body, &start);
    loop->body = stmt_block(k, st->body->span, start);
    if (loop->parallel) {
        finish_uses(k, loop);
        warn_iteration(k, loop);
        fs->parallel = NULL;
    }
    fs->loop = frame.outer;
    fs->top = top;
    fs->blocking = blocking;
}

/* True when the condition is the one that measures: the first of a benchmark, in no other loop. */
static bool
takes_measure(Checker *k, Scope *s, const Expr *e)
{
    FuncState *fs = k->func;
    bool fits = fs->func->kind == FUNC_BENCHMARK && !fs->loop && !fs->measure;
    if (!fits || e->kind != EXPR_CALL || e->a->kind != EXPR_NAME ||
        strcmp(e->a->name.text, "measure") || scope_find(s, e->a->name.text))
        return false;
    fs->measure = e;
    return true;
}

void
check_while(Checker *k, Scope *s, const Stmt *st)
{
    TStmts own = {0};
    TStmt *loop = stmt_new(k, TS_WHILE, st->span), *leave = NULL;
    FuncState *fs = k->func;
    TStmts *out = fs->out;
    Loop frame = {.outer = fs->loop, .stmt = loop};
    fs->may_measure = takes_measure(k, s, st->expr);
    fs->out = &own;
    fs->loop = &frame;
    loop->value = check_condition(k, s, st->expr);
    fs->may_measure = false;
    fs->loop = frame.outer;
    fs->out = out;
    /* the condition needs statements: they run in the loop */
    if (own.count && !tx_is_error(loop->value)) {
        TStmts only = {0};
        vec_push(k->c->arena, &only, stmt_new(k, TS_BREAK, st->expr->span));
        leave = stmt_new(k, TS_IF, st->expr->span);
        leave->value = tx_unary(k, OP_NOT, loop->value);
        leave->body = stmt_block(k, st->expr->span, only);
        vec_push(k->c->arena, &own, leave);
        loop->value = tx_integer(k, st->expr->span, SCALAR_BOOL, 1);
    }
    check_body(k, scope_new(k, s), st, loop, own);
    if (!tx_is_error(loop->value))
        stmt_add(k, loop);
}

void
check_break(Checker *k, const Stmt *st)
{
    const char *word = st->kind == STMT_BREAK ? "break" : "continue";
    Loop *loop = k->func->loop;
    if (!loop && k->func->derive) {
        diag_note(diag(k->c, E0705, st->span, "'%s' cannot leave a block of derivatives", word),
                  k->func->derive->span, "the block begins here");
        return;
    }
    if (!loop) {
        diag(k->c, E0501, st->span, "'%s' stands outside a loop", word);
        return;
    }
    if (st->kind == STMT_BREAK && loop->stmt->parallel) {
        Diag *d = diag(k->c, E0501, st->span, "'break' cannot leave a parallel loop");
        diag_note(d, loop->stmt->span, "the loop runs in parallel");
        diag_edit(d, span_before(loop->stmt->span), "@serial ");
        return;
    }
    stmt_add(k, stmt_new(k, st->kind == STMT_BREAK ? TS_BREAK : TS_CONTINUE, st->span));
}

/* ---- static loops ---- */

static void
check_static_for(Checker *k, Scope *s, const Stmt *st)
{
    int64_t from, to, step = 1;
    const Expr *range = st->iters.items[0];
    assert(range->kind == EXPR_RANGE);
    if (!check_const_int(k, s, range->a, &from) || !check_const_int(k, s, range->b, &to) ||
        (range->c && !check_const_int(k, s, range->c, &step)))
        return;
    __int128 count = step ? ((__int128)to - from) / step : 0;
    if (step == 0 || count > UNROLL_MAX) {
        diag(k->c, E0603, range->span,
             step ? "a static for has at most %d steps" : "a step of 0 never ends", UNROLL_MAX);
        return;
    }
    for (int64_t i = from; step > 0 ? i < to : i > to; i += step) {
        if (is_too_large(k, range->span))
            break;
        TStmts list = {0};
        Scope *inner = scope_new(k, s);
        Symbol *sym =
            scope_declare(k, inner, SYM_CONST, st->names.items[0].text, st->names.items[0].span);
        sym->state = SYM_DONE;
        sym->constant = (Const){.kind = CONST_INT, .integer = i};
        int errors = k->c->error_count;
        check_stmts(k, scope_new(k, inner), st->body, &list);
        stmt_add(k, stmt_block(k, st->body->span, list));
        if (k->c->error_count > errors)
            break; /* the same errors again */
    }
}

/* ---- attributes ---- */

typedef struct {
    bool serial;
    int block_dim;
    VEC(Field *) block_local;
} Hints;

static void
check_block_local(Checker *k, Scope *s, const Attribute *a, Hints *h)
{
    for (int i = 0; i < a->args.count; i++) {
        bool failed;
        const Expr *e = a->args.items[i];
        Field *f = named_field(k, s, e, &failed);
        if (f)
            vec_push(k->c->arena, &h->block_local, f);
        else if (!failed && e->kind == EXPR_NAME)
            check_field_name(k, s, e->name); /* reports */
        else if (!failed)
            diag(k->c, E0109, e->span, "@block_local takes the names of fields");
    }
}

static void
check_hints(Checker *k, Scope *s, const Stmt *st, Hints *h)
{
    check_attributes(k, &st->attrs, "serial block_dim block_local", "a loop");
    for (int i = 0; i < st->attrs.count; i++) {
        const Attribute *a = &st->attrs.items[i];
        int64_t n = 0;
        if (!strcmp(a->name, "serial"))
            h->serial = true;
        else if (!strcmp(a->name, "block_local"))
            check_block_local(k, s, a, h);
        else if (!strcmp(a->name, "block_dim") && a->args.count == 1 &&
                 check_const_int(k, s, a->args.items[0], &n)) {
            if (n < 1 || n > 1024)
                diag(k->c, E0109, a->span, "@block_dim is 1 to 1024 threads, not %lld",
                     (long long)n);
            else
                h->block_dim = (int)n;
        }
    }
}

static TStmt *
new_loop(Checker *k, const Stmt *st, TStmtKind kind, const Hints *h)
{
    TStmt *loop = stmt_new(k, kind, st->span);
    loop->parallel = k->func->func->kind == FUNC_KERNEL && k->func->top && !h->serial;
    loop->block_dim = h->block_dim;
    loop->block_local.items = h->block_local.items;
    loop->block_local.count = h->block_local.count;
    return loop;
}

/* Index variables of a grouped loop, and the vector the user sees, made of them at the start of the
 * body. */
static void
declare_group(Checker *k, Scope *s, Name name, TStmt *loop, int count, const Scalar *scalars,
              TStmts *start)
{
    Types *types = k->prog->types;
    TExprs parts = {0};
    Scalar common = SCALAR_I32;
    for (int i = 0; i < count; i++)
        common = scalars[i] == SCALAR_I64 ? SCALAR_I64 : common;
    for (int i = 0; i < count; i++) {
        const char *part = intern_str(
            k->c->intern, arena_printf(k->c->arena, "%s_%c", name.text, AXIS_LETTERS[i]));
        Var *v = func_var(k, VAR_INDEX, part, type_scalar(types, scalars[i]), name.span);
        vec_push(k->c->arena, &loop->vars, v);
        vec_push(k->c->arena, &parts,
                 tx_cast(k, tx_var(k, v, name.span), type_scalar(types, common), name.span));
    }
    Var *group =
        declare_var(k, s, VAR_LOCAL, name,
                    count ? type_vector(types, common, count) : type_scalar(types, SCALAR_I32));
    group->is_let = true;
    scope_find(s, name.text)->used = true; /* as little as other indices it has to be used */
    TStmt *decl = stmt_new(k, TS_DECL, name.span);
    decl->var = group;
    decl->value =
        count ? tx_make(k, group->type, parts, name.span) : tx_integer(k, name.span, SCALAR_I32, 0);
    vec_push(k->c->arena, start, decl);
}

/* Loop variables of a loop that is wrong: their uses are not. */
static void
declare_unknown(Checker *k, Scope *s, const Names *names)
{
    for (int i = 0; i < names->count; i++)
        declare_var(k, s, VAR_INDEX, names->items[i], type_error(k->prog->types));
}

/* Loop variables: one for each index, or one for all. False after E0505. */
static bool
declare_indices(Checker *k, Scope *s, const Stmt *st, TStmt *loop, int count, const Scalar *scalars,
                const char *what, TStmts *start)
{
    if (st->names.count == count) {
        for (int i = 0; i < count; i++) {
            Var *v = declare_var(k, s, VAR_INDEX, st->names.items[i],
                                 type_scalar(k->prog->types, scalars[i]));
            vec_push(k->c->arena, &loop->vars, v);
        }
        return true;
    }
    if (st->names.count == 1) {
        declare_group(k, s, st->names.items[0], loop, count, scalars, start);
        return true;
    }
    diag(k->c, E0505, span_join(st->names.items[0].span, st->names.items[st->names.count - 1].span),
         "%d loop variables, but %s; name one for each, or one for all", st->names.count, what);
    declare_unknown(k, s, &st->names);
    return false;
}

/* ---- loops over ranges ---- */

/* Bounds of one range in one index type, i64 when one of them needs it. */
static bool
check_range(Checker *k, Scope *s, const Expr *range, TStmt *loop, Scalar *scalar)
{
    Expr *parts[3] = {range->a, range->b, range->c};
    TExpr *out[3] = {NULL, NULL, NULL};
    const int count = range->c ? 3 : 2;
    bool fine = true;
    *scalar = SCALAR_I32;
    for (int i = 0; i < count; i++) {
        out[i] = check_expr(k, s, parts[i], NULL);
        if (!has_value(k, out[i])) {
            fine = false;
        } else if (!type_is_integer(out[i]->type) || out[i]->type->kind != TYPE_SCALAR) {
            Diag *d = diag(k->c, E0306, out[i]->span,
                           "the bounds of a range are integers, this is %s", out[i]->type->name);
            Span dots = {out[i]->span.from - 2, out[i]->span.from + 1}; /* 0...8 */
            if (!strcmp(source_text(k, dots), "..."))
                diag_edit(d, dots, "..");
            if (out[i]->type->kind == TYPE_VECTOR && i == 0)
                diag_fix(d, "a range for each index: for i, j in a.x..b.x, a.y..b.y { … }");
            fine = false;
        } else {
            const ScalarInfo *t = scalar_info(out[i]->type->scalar);
            if (t->bytes == 8 || (t->bytes == 4 && t->kind == KIND_UINT))
                *scalar = SCALAR_I64;
        }
    }
    if (fine && out[2] && out[2]->kind == TX_CONST && out[2]->value.leaves[0].i == 0) {
        diag(k->c, E0508, out[2]->span, "a step of 0 never ends");
        fine = false;
    }
    const Type *type = type_scalar(k->prog->types, *scalar);
    for (int i = 0; fine && i < count; i++)
        out[i] = tx_cast(k, out[i], type, out[i]->span);
    vec_push(k->c->arena, &loop->from, out[0]);
    vec_push(k->c->arena, &loop->to, out[1]);
    vec_push(k->c->arena, &loop->step, out[2]);
    return fine;
}

static bool
is_progress(Scope *s, const Expr *e)
{
    return e->kind == EXPR_CALL && e->a->kind == EXPR_NAME &&
           !strcmp(e->a->name.text, "progress") && !scope_find(s, e->a->name.text);
}

/* Why a loop under a condition is not parallel. */
#define BLOCKING_NOTE \
    "a condition made of arguments, params and constants would let it run in parallel"

/* A loop that looks like one at the top level, but stays sequential, is rarely meant. */
static void
warn_sequential(Checker *k, const Stmt *st, const Hints *h)
{
    if (!k->func->blocking || h->serial)
        return;
    Diag *d =
        diag(k->c, W0501, st->span, "this loop is sequential, because of the condition around it");
    diag_note(d, k->func->blocking->span, BLOCKING_NOTE);
    diag_edit(d, span_before(st->span), "@serial ");
}

/* range(a, b, c), ndrange(a, b), grouped(x) of Taichi, with `ti.` or without; false for anything
 * else. */
static bool
report_range_call(Checker *k, const Expr *e)
{
    if (e->kind != EXPR_CALL || (e->a->kind != EXPR_NAME && e->a->kind != EXPR_MEMBER) ||
        !e->args.count)
        return false;
    const char *name = e->a->name.text;
    Text t;
    text_init(&t, k->c->arena);
    const Exprs *args = &e->args;
    if (!strcmp(name, "range") && args->count > 1) {
        text_add(&t, "%s..%s", source_text(k, args->items[0]->span),
                 source_text(k, args->items[1]->span));
        if (args->count > 2)
            text_add(&t, " step %s", source_text(k, args->items[2]->span));
    } else if (!strcmp(name, "reversed") && args->items[0]->kind == EXPR_RANGE &&
               !args->items[0]->c) {
        const Expr *range = args->items[0];
        bool from_zero = !strcmp(source_text(k, range->a->span), "0");
        text_add(&t, "%s - 1..%s step -1", source_text(k, range->b->span),
                 from_zero ? "-1"
                           : arena_printf(k->c->arena, "%s - 1", source_text(k, range->a->span)));
    } else if (!strcmp(name, "grouped")) {
        text_add(&t, "%s", source_text(k, args->items[0]->span));
    } else if (!strcmp(name, "range") || !strcmp(name, "ndrange")) {
        for (int i = 0; i < args->count; i++)
            text_add(&t, "%s0..%s", i ? ", " : "", source_text(k, args->items[i]->span));
    } else
        return false;
    diag_edit(diag(k->c, E0205, e->span, "a loop runs over a range, a field or a label"), e->span,
              "%s", t.data);
    return true;
}

/* Says that one of several ranges is none; so it is for x, y, which are two fields. */
static void
report_no_range(Checker *k, Scope *s, const Exprs *ranges, int i)
{
    const Expr *first = ranges->items[0], *last = ranges->items[ranges->count - 1];
    bool fields = true;
    for (int r = 0; r < ranges->count; r++) {
        const Expr *e = ranges->items[r];
        const Symbol *sym = e->kind == EXPR_NAME ? scope_find(s, e->name.text) : NULL;
        fields = fields && sym && sym->kind == SYM_FIELD;
    }
    if (!fields) {
        diag(k->c, E0205, ranges->items[i]->span, "a range is needed here: from..to");
        return;
    }
    Diag *d = diag(k->c, E0205, span_join(first->span, last->span),
                   "a loop visits the cells of one field, and indexes others");
    diag_edit(d, span_join(first->span, last->span), "%s", source_text(k, first->span));
}

static void
check_range_loop(Checker *k, Scope *s, const Stmt *st, const Hints *h)
{
    TStmt *loop = new_loop(k, st, TS_RANGE, h);
    Scalar scalars[AXIS_MAX] = {SCALAR_I32};
    TStmts start = {0};
    const Exprs *ranges = &st->iters;
    bool fine = true;
    if (is_progress(s, ranges->items[0])) {
        const Expr *call = ranges->items[0];
        loop->progress = true;
        fine = require_host(k, call->span, "'progress'") &&
               check_count(k, call, "'progress'", 1, 1) && ranges->count == 1;
        ranges = &call->args;
    }
    if (ranges->count > AXIS_MAX) {
        diag(k->c, E0505, st->span, "a loop runs over at most %d ranges", AXIS_MAX);
        return;
    }
    k->func->bounding = &st->names;
    for (int i = 0; i < ranges->count; i++) {
        if (ranges->items[i]->kind == EXPR_RANGE) {
            fine = check_range(k, s, ranges->items[i], loop, &scalars[i]) && fine;
            continue;
        }
        if (ranges->items[i]->kind != EXPR_ERROR && !report_range_call(k, ranges->items[i]) && fine)
            report_no_range(k, s, ranges, i);
        fine = false;
    }
    k->func->bounding = NULL;
    Scope *inner = scope_new(k, s);
    const char *what =
        arena_printf(k->c->arena, "%d %s", ranges->count, ranges->count == 1 ? "range" : "ranges");
    if (fine)
        fine = declare_indices(k, inner, st, loop, ranges->count, scalars, what, &start);
    else
        declare_unknown(k, inner, &st->names);
    check_body(k, inner, st, loop, start);
    if (fine)
        stmt_add(k, loop);
}

/* ---- loops over cells ---- */

static bool
may_visit_cells(Checker *k, const Stmt *st, const TStmt *loop, const Hints *h)
{
    FuncKind kind = k->func->func->kind;
    if (loop->parallel || h->serial || (kind != FUNC_KERNEL && kind != FUNC_DEVICE))
        return true;
    Diag *d = diag(k->c, E0502, st->span,
                   "a loop over cells is parallel only at the top level of a kernel; elsewhere it "
                   "must be @serial");
    if (k->func->blocking)
        diag_note(d, k->func->blocking->span, BLOCKING_NOTE);
    diag_edit(d, span_before(st->span), "@serial ");
    return false;
}

/* The name of the field that e is a member of, as p of p.x; NULL for anything else. */
static const Expr *
field_of_member(const Scope *s, const Expr *e)
{
    if (e->kind != EXPR_MEMBER)
        return NULL;
    while (e->kind == EXPR_MEMBER)
        e = e->a;
    const Symbol *sym = e->kind == EXPR_NAME ? scope_find(s, e->name.text) : NULL;
    return sym && sym->kind == SYM_FIELD ? e : NULL;
}

/* Says that there are no cells of e, and what was perhaps meant: a range up to a number, or the
 * field that e is a member of. */
static void
report_no_cells(Checker *k, Scope *s, const Expr *e, const Symbol *sym)
{
    const Expr *field = field_of_member(s, e);
    bool array = sym && sym->kind == SYM_VAR &&
                 (sym->var->type->kind == TYPE_EXTERN || sym->var->type->kind == TYPE_ARRAY);
    bool value = !field && !array && e->kind != EXPR_CALL &&
                 !(sym && sym->kind != SYM_VAR && sym->kind != SYM_CONST && sym->kind != SYM_PARAM);
    if (report_range_call(k, e))
        return;
    const TExpr *end = value ? check_expr(k, s, e, NULL) : NULL;
    if (end && tx_is_error(end))
        return;
    Diag *d = diag(k->c, E0205, e->span, "a loop runs over a range, a field or a label");
    if (field)
        diag_edit(d, e->span, "%s", source_text(k, field->span));
    else if (array)
        diag_edit(d, e->span, "0..extent(%s, 0)", source_text(k, e->span));
    else if (end && end->type->kind == TYPE_SCALAR && type_is_integer(end->type))
        diag_edit(d, e->span, "0..%s", source_text(k, e->span));
}

/* What a loop over cells runs over: a field or a label; false after a report. */
static bool
find_cells(Checker *k, Scope *s, const Expr *e, TStmt *loop)
{
    bool failed;
    loop->field = named_field(k, s, e, &failed);
    if (loop->field) {
        loop->node = loop->field->node;
        return true;
    }
    if (!failed)
        loop->node = named_node(k, s, e, &failed);
    if (loop->node)
        return check_label_offset(k, loop->node, e->span);
    if (failed || e->kind == EXPR_ERROR)
        return false;
    const Expr *base = e->kind == EXPR_INDEX ? e->a : e;
    Symbol *sym = base->kind == EXPR_NAME ? scope_find(s, base->name.text) : NULL;
    if (base->kind == EXPR_NAME && !sym)
        scope_report_unknown(k, s, base->name.text, base->span, "field or label");
    else
        report_no_cells(k, s, e, sym);
    return false;
}

static void
check_cell_loop(Checker *k, Scope *s, const Stmt *st, const Hints *h)
{
    TStmt *loop = new_loop(k, st, TS_CELLS, h);
    Scalar scalars[AXIS_MAX] = {SCALAR_I32};
    TStmts start = {0};
    int axes[AXIS_MAX], count = 0;
    bool fine = find_cells(k, s, st->iters.items[0], loop);
    Scope *inner = scope_new(k, s);
    if (!fine) {
        for (int i = 0; i < st->names.count; i++)
            declare_var(k, inner, VAR_INDEX, st->names.items[i], type_error(k->prog->types));
    } else {
        fine = may_visit_cells(k, st, loop, h);
        count = loop->field ? loop->field->axis_count : node_path_axes(loop->node, axes);
        for (int i = 0; i < count; i++)
            scalars[i] = loop->field ? field_axis_scalar(loop->field, i)
                                     : node_axis_scalar(loop->node, axes[i]);
        const char *name = loop->field ? loop->field->name : loop->node->label;
        const char *what =
            arena_printf(k->c->arena, "'%s' has %d %s", name, count, count == 1 ? "axis" : "axes");
        fine = declare_indices(k, inner, st, loop, count, scalars, what, &start) && fine;
    }
    check_body(k, inner, st, loop, start);
    if (fine)
        stmt_add(k, loop);
}

void
check_for(Checker *k, Scope *s, const Stmt *st)
{
    Hints hints = {0};
    if (st->is_static) {
        check_static_for(k, s, st);
        return;
    }
    check_hints(k, s, st, &hints);
    const Expr *first = st->iters.items[0];
    bool ranges = st->iters.count > 1 || first->kind == EXPR_RANGE || is_progress(s, first);
    if (ranges) {
        warn_sequential(k, st, &hints);
        check_range_loop(k, s, st, &hints);
    } else
        check_cell_loop(k, s, st, &hints);
    TStmts *behind = &k->func->behind;
    for (int i = 0; i < behind->count; i++)
        stmt_add(k, behind->items[i]);
    behind->count = 0;
}
