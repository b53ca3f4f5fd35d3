/* Statements: declarations, assignments, conditions, returns. */
#include "config.h"

#include <string.h>

#include "ast/foreign_words.h"
#include "base/diag_data.h"
#include "check/check_func.h"
#include "check/suggest.h"

/* ---- making ---- */

/* ---- where control ends ---- */

/* True when a break inside of the statement leaves the loop around it. */
static bool
has_break(const TStmt *st)
{
    if (!st)
        return false;
    if (st->kind == TS_BREAK)
        return true;
    if (st->kind == TS_WHILE || st->kind == TS_RANGE || st->kind == TS_CELLS)
        return false;
    for (int i = 0; i < st->stmts.count; i++)
        if (has_break(st->stmts.items[i]))
            return true;
    return has_break(st->body) || has_break(st->orelse);
}

static bool
stmt_ends(const TStmt *st)
{
    switch (st->kind) {
    case TS_RETURN: return true;
    case TS_BLOCK: return stmts_end(&st->stmts);
    case TS_IF: return st->orelse && stmt_ends(st->body) && stmt_ends(st->orelse);
    case TS_WHILE:
        return st->value->kind == TX_CONST && st->value->value.leaves[0].i && !has_break(st->body);
    default: return false;
    }
}

bool
stmts_end(const TStmts *stmts)
{
    for (int i = 0; i < stmts->count; i++)
        if (stmt_ends(stmts->items[i]))
            return true;
    return false;
}

/* ---- declarations ---- */

const Type *
check_local_type(Checker *k, Scope *s, const TypeExpr *t)
{
    TStmts unused = {0}, *out = k->func ? k->func->out : NULL;
    if (t->kind == TE_AUTO) {
        diag_edit(diag(k->c, E0315, t->span,
                       "the type of a variable is not 'auto': 'var' takes that of its value, 'let' "
                       "keeps it"),
                  t->span, "var");
        return type_error(k->prog->types);
    }
    if (k->func)
        k->func->out = &unused;
    const Type *type = check_type(k, s, t);
    if (k->func)
        k->func->out = out;
    if (type->kind != TYPE_VOID && type->kind != TYPE_STRING)
        return type;
    diag(k->c, E0203, t->span, "%s is no type of a variable",
         type->kind == TYPE_VOID ? "that of what has no value" : type->name);
    return type_error(k->prog->types);
}

Var *
declare_var(Checker *k, Scope *s, VarKind kind, Name name, const Type *type)
{
    Symbol *sym = scope_declare(k, s, SYM_VAR, name.text, name.span);
    sym->state = SYM_DONE;
    sym->var = func_var(k, kind, name.text, type, name.span);
    if (kind == VAR_LOCAL)
        vec_push(k->c->arena, &k->func->locals, sym);
    return sym->var;
}

/* The array type of declared sizes; the type itself when there are none. */
static const Type *
array_type(Checker *k, Scope *s, const Stmt *st, const Type *elem)
{
    int64_t dims[AXIS_MAX], total = 1;
    const int64_t most = (1 << 28) / (elem->leaf_count > 0 ? elem->leaf_count : 1);
    if (!st->dims.count || elem->kind == TYPE_ERROR)
        return elem;
    if (st->dims.count > AXIS_MAX || (elem->kind != TYPE_STRUCT && !type_is_arith(elem))) {
        diag(k->c, E0402, st->span,
             "an array has 1 to %d sizes, and elements that are numbers, vectors, matrices or "
             "structs",
             AXIS_MAX);
        return type_error(k->prog->types);
    }
    for (int i = 0; i < st->dims.count; i++) {
        if (!check_const_int(k, s, st->dims.items[i], &dims[i]))
            return type_error(k->prog->types);
        if (dims[i] < 1 || dims[i] > most / total) {
            diag(k->c, E0402, st->dims.items[i]->span, "an array cannot have %lld elements",
                 (long long)dims[i]);
            return type_error(k->prog->types);
        }
        total *= dims[i];
    }
    return type_array(k->prog->types, elem, st->dims.count, dims);
}

static TExpr *
array_values(Checker *k, Scope *s, const Stmt *st, const Type *type)
{
    TExprs values = {0};
    bool fine = true;
    if (type->kind == TYPE_ERROR)
        return tx_error(k, st->span);
    if (type->kind != TYPE_ARRAY) {
        diag_fix(
            diag(k->c, E0301, st->span, "a list of values is for arrays, not for %s", type->name),
            "%s(…)", type->name);
        return tx_error(k, st->span);
    }
    int needed = type->leaf_count / type->elem->leaf_count;
    if (st->list.count != needed) {
        report_element_count(k, st->span, st->name.text, type->elem, needed, st->list.count);
        return tx_error(k, st->span);
    }
    for (int i = 0; i < needed; i++) {
        TExpr *v = check_expr_as(k, s, st->list.items[i], type->elem);
        fine = fine && !tx_is_error(v);
        vec_push(k->c->arena, &values, v);
    }
    if (!fine)
        return tx_error(k, st->span);
    TExpr *t = tx_new(k, TX_MAKE, type, st->span);
    t->args = values;
    return t;
}

/* The value of let or var, which decides the type. */
static TExpr *
inferred_value(Checker *k, Scope *s, const Stmt *st)
{
    TExpr *v = check_expr(k, s, st->expr, NULL);
    if (!has_value(k, v))
        return tx_error(k, st->span);
    if (type_is_arith(v->type) || v->type->kind == TYPE_STRUCT)
        return v;
    diag(k->c, E0301, v->span, "a variable cannot hold %s as a whole", v->type->name);
    return tx_error(k, st->span);
}

static void
check_decl(Checker *k, Scope *s, const Stmt *st)
{
    TExpr *value = NULL;
    const Type *type;
    if (st->decl == DECL_TYPED) {
        type = array_type(k, s, st, check_local_type(k, s, st->type));
        if (st->has_list)
            value = array_values(k, s, st, type);
        else if (st->expr && type->kind == TYPE_ARRAY)
            diag(k->c, E0301, st->expr->span, "an array starts with a list of values: { a, b, … }");
        else if (st->expr)
            value = check_expr_as(k, s, st->expr, type);
    } else {
        value = inferred_value(k, s, st);
        type = value->type;
    }
    /* retrun a; is no second declaration */
    if (type->kind == TYPE_ERROR && map_get(&s->names, st->name.text))
        return;
    Var *v = declare_var(k, s, VAR_LOCAL, st->name, type);
    v->is_let = st->decl == DECL_LET;
    v->no_init = !value;
    v->kernel_level = k->func->func->kind == FUNC_KERNEL && !k->func->loop;
    TStmt *decl = stmt_new(k, TS_DECL, st->span);
    decl->var = v;
    decl->value = value;
    stmt_add(k, decl);
}

/* float *w; P *p = …; T *q: the product of a type and an unknown name is a pointer elsewhere. True
 * after a report; the name is known from then on, so that its uses are not reported too. */
static bool
declares_pointer(Checker *k, Scope *s, const Expr *e)
{
    if (e->kind != EXPR_BINARY || e->op != OP_MUL || e->b->kind != EXPR_NAME ||
        scope_find(s, e->b->name.text))
        return false;
    const char *word = e->a->kind == EXPR_NAME ? e->a->name.text : NULL;
    const Symbol *sym = word ? scope_find(s, word) : NULL;
    bool is_struct = sym && sym->kind == SYM_STRUCT;
    const char *scalar = e->a->kind == EXPR_TYPE   ? source_text(k, e->a->span)
                         : word && !sym            ? foreign_type(word)
                                                   : NULL;
    if (!scalar && !is_struct)
        return false;
    Diag *d = diag(k->c, E0205, e->span, "there are no pointers");
    if (scalar)
        diag_fix(d, "an array of its own is %s %s[8]; values of the caller are an inout argument",
                 scalar, e->b->name.text);
    else
        diag_fix(d, "a struct of its own is %s %s; one of the caller is an inout argument", word,
                 e->b->name.text);
    declare_var(k, s, VAR_LOCAL, e->b->name, type_error(k->prog->types));
    return true;
}

/* ---- assignments ---- */

/* The value of a compound assignment in the type of the target. */
static TExpr *
operand_for(Checker *k, Scope *s, const Stmt *st, const TExpr *target)
{
    const Type *type = target->type;
    bool shift = st->op == OP_SHL || st->op == OP_SHR;
    TExpr *v = check_expr(k, s, st->expr, shift ? NULL : type);
    if (!has_value(k, v) || !operator_takes(k, st->op, v))
        return tx_error(k, v->span);
    const Type *needed = shift ? type_with_scalar(k->prog->types, type, v->type->scalar) : type;
    if (v->type->kind == TYPE_SCALAR && type->kind != TYPE_SCALAR) {
        v = convert(k, v, type_scalar(k->prog->types, needed->scalar), "the value");
        return tx_is_error(v) ? v : tx_splat(k, v, needed);
    }
    return suggest_float_variable(k, target, v) ? tx_error(k, v->span)
                                                : convert(k, v, needed, "the value");
}

/* True for a variable of one iteration, function or sequential code. */
static bool
is_own_variable(const Checker *k, const TExpr *target)
{
    return target->kind == TX_VAR && target->var->mode == PARAM_VALUE &&
           !place_is_shared(k, target);
}

/* Notes that a whole variable of the kernel is assigned. */
static void
note_assignment(Use *use, TStmt *assign, const Stmt *st)
{
    if (!use || assign->target->kind != TX_VAR)
        return;
    use->assign = assign;
    use->source = st;
}

static void
drop_edits(Diag *d)
{
    if (d->fixes.count && d->fixes.items[0].is_edit)
        d->fixes.count = 0;
}

static void
check_compound(Checker *k, Scope *s, const Stmt *st, TStmt *assign, Use *use)
{
    TExpr *target = assign->target;
    AtomicOp reduction;
    assign->op = st->op;
    int told = k->c->diags.count;
    if (!operator_takes(k, st->op, target)) {
        if (k->c->diags.count > told)
            drop_edits(vec_last(&k->c->diags)); /* which would make a value of what is assigned */
        return;
    }
    if (reduction_of(st->op, &reduction)) {
        assign->is_atomic = place_is_shared(k, target);
        if (use) {
            use->accumulates = true;
            use->op = reduction;
            use->stmt = assign;
        }
    } else {
        note_assignment(use, assign, st);
    }
    TExpr *value = operand_for(k, s, st, target);
    if (tx_is_error(value))
        return;
    check_second_operand(k, st->op, target->type, value);
    TExpr *fused = is_own_variable(k, target) ? fuse_update(k, st->op, target, value) : NULL;
    assign->op = fused ? OP_NONE : st->op;
    assign->value = fused ? fused : value;
    stmt_add(k, assign);
}

static void
check_assign(Checker *k, Scope *s, const Stmt *st)
{
    if (declares_pointer(k, s, st->target) || suggest_whole_field(k, s, st) ||
        suggest_declaration(k, s, st))
        return;
    TStmt *assign = stmt_new(k, TS_ASSIGN, st->span);
    int uses = use_count(k);
    TExpr *target = assign->target = check_expr(k, s, st->target, NULL);
    if (!check_assignable(k, target, "assignment")) {
        check_expr(k, s, st->expr, NULL); /* for its own errors */
        return;
    }
    if (target->type->kind == TYPE_ARRAY || target->type->kind == TYPE_EXTERN) {
        diag(k->c, E0308, target->span, "an array is assigned element by element");
        return;
    }
    Use *use = use_of_place(k, target, uses);
    if (st->op != OP_NONE) {
        check_compound(k, s, st, assign, use);
        return;
    }
    note_assignment(use, assign, st);
    TExpr *value = check_expr(k, s, st->expr, target->type);
    if (suggest_float_variable(k, target, value))
        return;
    assign->value = convert(k, value, target->type, "the value");
    if (!tx_is_error(assign->value))
        stmt_add(k, assign);
}

/* ++n; which is two signs before n. */
static bool
is_increment(Checker *k, const Expr *e)
{
    if (e->kind != EXPR_UNARY || (e->op != OP_PLUS && e->op != OP_NEG) ||
        e->a->kind != EXPR_UNARY || e->a->op != e->op || e->span.from + 1 != e->a->span.from)
        return false;
    Diag *d =
        diag(k->c, E0105, e->span, "there is no operator '%s%s'", op_text(e->op), op_text(e->op));
    diag_edit(d, e->span, "%s %s= 1", source_text(k, e->a->a->span), op_text(e->op));
    return true;
}

/* Does computing it change anything? Calls may; of the built-in functions those of random numbers
 * do. */
static bool
has_effect(const TExpr *e)
{
    if (!e)
        return false;
    switch (e->kind) {
    case TX_CALL: case TX_ATOMIC: case TX_APPEND: case TX_MEASURE: return true;
    case TX_BUILTIN:
        if (e->builtin >= BUILTIN_RANDOM && e->builtin <= BUILTIN_RANDN)
            return true;
        break;
    default: break;
    }
    for (int i = 0; i < e->args.count; i++)
        if (has_effect(e->args.items[i]))
            return true;
    return has_effect(e->a) || has_effect(e->b) || has_effect(e->c);
}

static bool
could_be_assigned(const TExpr *e)
{
    return e->kind == TX_FIELD || e->kind == TX_ELEM || e->kind == TX_MEMBER ||
           (e->kind == TX_VAR && !e->var->is_let && e->var->kind != VAR_INDEX);
}

/* x[i] == 1; which is C's favourite slip, and other values that nothing takes. */
static void
warn_no_effect(Checker *k, const Stmt *st, const TExpr *e)
{
    const Expr *x = st->expr;
    bool compares = x->kind == EXPR_BINARY && x->op == OP_EQ;
    if (e->type->kind == TYPE_VOID || (!compares && has_effect(e)))
        return;
    Diag *d = diag(k->c, W0504, x->span, "this statement changes nothing: nothing takes its value");
    if (!compares || e->kind != TX_BINARY || !could_be_assigned(e->a))
        return;
    Span between = {x->a->span.to, x->b->span.from};
    if (strspn(source_text(k, between), " =") == between.to - between.from)
        diag_guess(d, between, " = ");
}

static void
check_expr_stmt(Checker *k, Scope *s, const Stmt *st)
{
    if (is_increment(k, st->expr) || suggest_jump(k, s, st->expr) ||
        declares_pointer(k, s, st->expr))
        return;
    TExpr *e = check_expr(k, s, st->expr, NULL);
    if (e->kind == TX_ERROR)
        return;
    if (e->kind == TX_ATOMIC)
        use_unused_atomic(k, e);
    warn_no_effect(k, st, e);
    TStmt *t = stmt_new(k, TS_EXPR, st->span);
    t->value = e;
    stmt_add(k, t);
}

/* ---- control ---- */

void
check_stmts(Checker *k, Scope *s, const Stmt *block, TStmts *out)
{
    TStmts *outer = k->func->out;
    k->func->out = out;
    if (block->kind == STMT_BLOCK)
        for (int i = 0; i < block->stmts.count; i++)
            check_stmt(k, s, block->stmts.items[i]);
    else
        check_stmt(k, s, block);
    k->func->out = outer;
}

TStmt *
check_branch(Checker *k, Scope *s, const Stmt *branch)
{
    TStmts list = {0};
    check_stmts(k, scope_new(k, s), branch, &list);
    return stmt_block(k, branch->span, list);
}

static void
check_static_if(Checker *k, Scope *s, const Stmt *st)
{
    bool yes;
    if (!check_const_bool(k, s, st->expr, &yes))
        return;
    const Stmt *branch = yes ? st->body : st->orelse;
    k->func->left_out = k->func->left_out || !yes || st->orelse;
    if (branch)
        stmt_add(k, check_branch(k, s, branch));
}

static void
check_if(Checker *k, Scope *s, const Stmt *st)
{
    FuncState *fs = k->func;
    bool top = fs->top, never = fs->never;
    const Expr *blocking = fs->blocking;
    TStmt *t = stmt_new(k, TS_IF, st->span);
    t->value = check_condition(k, s, st->expr);
    fs->top = top && !tx_is_error(t->value) && is_uniform(t->value);
    if (tx_is_error(t->value))
        fs->top = top; /* nothing is known; loops inside are not to be blamed */
    else if (top && !fs->top)
        fs->blocking = st->expr;
    fs->never = never || is_never(t->value, true);
    t->body = check_branch(k, s, st->body);
    fs->never = never || is_never(t->value, false);
    t->orelse = st->orelse ? check_branch(k, s, st->orelse) : NULL;
    fs->never = never;
    fs->top = top;
    fs->blocking = blocking;
    if (!tx_is_error(t->value))
        stmt_add(k, t);
}

static bool
may_return(Checker *k, const Stmt *st)
{
    if (k->func->derive) {
        diag_note(diag(k->c, E0705, st->span, "'return' cannot leave a block of derivatives"),
                  k->func->derive->span, "the block begins here");
        return false;
    }
    if (!k->func->parallel)
        return true;
    Diag *d = diag(k->c, E0501, st->span, "'return' cannot leave a parallel loop");
    bool ends_iteration = !st->expr && k->func->loop && k->func->loop->stmt == k->func->parallel;
    diag_note(d, k->func->parallel->span, "the loop runs in parallel%s",
              ends_iteration ? "; 'continue' ends an iteration" : "");
    if (ends_iteration)
        diag_edit(d, st->span, "continue;");
    else
        diag_edit(d, span_before(k->func->parallel->span), "@serial ");
    return false;
}

/* The type a return converts to; the first return of an `auto` function decides. */
static const Type *
result_type(Checker *k, const TExpr *value)
{
    FuncInfo *info = k->func->info;
    if (info->auto_result && !info->auto_known) {
        bool fits = type_is_arith(value->type) || value->type->kind == TYPE_STRUCT;
        info->func.result = fits ? value->type : type_error(k->prog->types);
        if (!fits && has_value(k, value))
            diag(k->c, E0310, value->span, "a function cannot give %s", value->type->name);
        info->auto_known = true;
    }
    return info->func.result;
}

/* A function that returns a value without saying so in its head. */
static void
report_result(Checker *k, const FuncInfo *info, const Stmt *st, const TExpr *value)
{
    const Func *f = &info->func;
    Diag *d = diag(k->c, E0310, st->span, "'%s' has no result type, but returns a value", f->name);
    bool named = f->kind == FUNC_KERNEL || f->kind == FUNC_DEVICE || f->kind == FUNC_HOST;
    if (named && (type_is_arith(value->type) || value->type->kind == TYPE_STRUCT))
        diag_edit(d, span_before(f->span), "%s ", value->type->name);
    else if (!named)
        diag_edit(d, st->span, "return;");
}

static void
check_return(Checker *k, Scope *s, const Stmt *st)
{
    FuncInfo *info = k->func->info;
    TStmt *t = stmt_new(k, TS_RETURN, st->span);
    bool open = info->auto_result && !info->auto_known,
         none = !open && info->func.result->kind == TYPE_VOID;
    if (st->expr) {
        TExpr *v = check_expr(k, s, st->expr, open || none ? NULL : info->func.result);
        if (none) {
            if (!info->return_lost)
                report_result(k, info, st, v);
            info->return_lost = true;
            return;
        }
        t->value = convert(k, v, result_type(k, v), "the result");
    } else if (!none && info->func.result->kind == TYPE_ERROR && !open) {
        info->return_lost = true;
        return;
    } else if (!none) {
        diag(k->c, E0310, st->span, "'%s' must return %s", info->func.name,
             open ? "a value" : info->func.result->name);
        info->return_lost = true;
        return;
    }
    if (may_return(k, st) && !(t->value && tx_is_error(t->value)))
        stmt_add(k, t);
    else
        info->return_lost = true;
}

static void
check_layout_stmt(Checker *k, Scope *s, const Stmt *st, TStmtKind kind, const char *what)
{
    TStmt *t = stmt_new(k, kind, st->span);
    if (!require_host(k, st->span, what))
        return;
    t->layout = check_layout_name(k, s, st->name);
    if (!t->layout)
        return;
    if (kind != TS_TRIM && !t->layout->manual) {
        Diag *d = diag(k->c, E0507, st->name.span,
                       "%s is for @manual layouts; '%s' lives as long as the program", what,
                       t->layout->name);
        diag_note(d, t->layout->span, "'%s' is declared here", t->layout->name);
        return;
    }
    stmt_add(k, t);
}

void
check_stmt(Checker *k, Scope *s, const Stmt *st)
{
    switch (st->kind) {
    case STMT_DECL: check_decl(k, s, st); break;
    case STMT_ASSIGN: check_assign(k, s, st); break;
    case STMT_EXPR: check_expr_stmt(k, s, st); break;
    case STMT_IF:
        if (st->is_static)
            check_static_if(k, s, st);
        else
            check_if(k, s, st);
        break;
    case STMT_WHILE: check_while(k, s, st); break;
    case STMT_FOR: check_for(k, s, st); break;
    case STMT_BREAK: case STMT_CONTINUE: check_break(k, st); break;
    case STMT_RETURN: check_return(k, s, st); break;
    case STMT_BLOCK: stmt_add(k, check_branch(k, s, st)); break;
    case STMT_CREATE: check_layout_stmt(k, s, st, TS_CREATE, "'create'"); break;
    case STMT_DESTROY: check_layout_stmt(k, s, st, TS_DESTROY, "'destroy'"); break;
    case STMT_TRIM: check_layout_stmt(k, s, st, TS_TRIM, "'trim'"); break;
    case STMT_DERIVE: check_derive(k, s, st); break;
    case STMT_ERROR: break;
    }
}
