/* Constructors of the AST. */
#include "config.h"

#include "ast/ast.h"

#include <string.h>

static const char *const op_texts[] = {
#define UNARY(name, text, operands) text,
#define BINARY(name, text, operands) text,
#include "ast/ops.def"
#undef UNARY
#undef BINARY
    "="};

typedef enum { NO, YES } YesNo;

static const struct {
    const char *spelling;
    YesNo activity, last, inline_cells;
} node_table[] = {
#define NODE(name, spelling, activity, last, prefix, inline_cells) \
    {spelling, activity, last, inline_cells},
#include "ast/nodes.def"
#undef NODE
};

const char *
op_text(Op op)
{
    return op_texts[op];
}

bool
op_is_comparison(Op op)
{
    return op == OP_EQ || op == OP_NE || op == OP_LT || op == OP_LE || op == OP_GT || op == OP_GE;
}

Op
op_negated(Op op)
{
    switch (op) {
    case OP_LT: return OP_GE;
    case OP_GE: return OP_LT;
    case OP_GT: return OP_LE;
    case OP_LE: return OP_GT;
    case OP_EQ: return OP_NE;
    default: return OP_EQ;
    }
}

Op
op_swapped(Op op)
{
    switch (op) {
    case OP_LT: return OP_GT;
    case OP_LE: return OP_GE;
    case OP_GT: return OP_LT;
    case OP_GE: return OP_LE;
    default: return op;
    }
}

const char *
node_kind_name(NodeKind kind)
{
    return node_table[kind].spelling;
}

NodeKind
node_kind_find(const char *spelling)
{
    for (int i = 0; i < NODE_KIND_COUNT; i++)
        if (!strcmp(node_table[i].spelling, spelling))
            return (NodeKind)i;
    return NODE_KIND_COUNT;
}

bool
node_has_activity(NodeKind kind)
{
    return node_table[kind].activity == YES;
}

bool
node_is_inline(NodeKind kind)
{
    return node_table[kind].inline_cells == YES;
}

static Expr *
new_expr(Compile *c, ExprKind kind, Span s)
{
    Expr *e = ARENA_NEW(c->syntax, Expr);
    e->kind = kind;
    e->span = s;
    e->depth = 1;
    e->suffix = -1;
    return e;
}

/* Takes the depth of a part into account; too deep an expression becomes an error. */
static void
add_part(Compile *c, Expr *e, const Expr *part)
{
    if (!part)
        return;
    e->depth = part->depth >= e->depth ? part->depth + 1 : e->depth;
    e->span = span_join(e->span, part->span);
    if (e->depth <= EXPR_DEPTH_MAX)
        return;
    diag(c, E0106, (Span){e->span.from, e->span.from + 1},
         "this expression is nested more than %d levels deep", EXPR_DEPTH_MAX);
    e->kind = EXPR_ERROR;
    e->depth = 1;
    e->a = e->b = e->c = NULL;
    e->args.count = 0;
}

Expr *
ast_int(Compile *c, Span s, uint64_t value, int suffix)
{
    Expr *e = new_expr(c, EXPR_INT, s);
    e->integer = value;
    e->suffix = suffix;
    return e;
}

Expr *
ast_float(Compile *c, Span s, double value, int suffix)
{
    Expr *e = new_expr(c, EXPR_FLOAT, s);
    e->number = value;
    e->suffix = suffix;
    return e;
}

Expr *
ast_bool(Compile *c, Span s, bool value)
{
    Expr *e = new_expr(c, EXPR_BOOL, s);
    e->integer = value;
    return e;
}

Expr *
ast_string(Compile *c, Span s, const char *bytes, size_t n)
{
    Expr *e = new_expr(c, EXPR_STRING, s);
    e->string = bytes;
    e->string_bytes = n;
    return e;
}

Expr *
ast_name(Compile *c, Name name)
{
    Expr *e = new_expr(c, EXPR_NAME, name.span);
    e->name = name;
    add_part(c, e, name.number);
    return e;
}

Expr *
ast_type_expr(Compile *c, TypeExpr *type)
{
    Expr *e = new_expr(c, EXPR_TYPE, type->span);
    e->type = type;
    return e;
}

Expr *
ast_unary(Compile *c, Span s, Op op, Expr *a)
{
    Expr *e = new_expr(c, EXPR_UNARY, s);
    e->op = op;
    e->a = a;
    add_part(c, e, a);
    return e;
}

Expr *
ast_binary(Compile *c, Span s, Op op, Expr *a, Expr *b)
{
    Expr *e = new_expr(c, EXPR_BINARY, s);
    e->op = op;
    e->a = a;
    e->b = b;
    add_part(c, e, a);
    add_part(c, e, b);
    return e;
}

Expr *
ast_cond(Compile *c, Span s, Expr *cond, Expr *then, Expr *orelse)
{
    Expr *e = new_expr(c, EXPR_COND, s);
    e->a = cond;
    e->b = then;
    e->c = orelse;
    add_part(c, e, cond);
    add_part(c, e, then);
    add_part(c, e, orelse);
    return e;
}

static Expr *
with_args(Compile *c, ExprKind kind, Span s, Expr *base, Exprs args)
{
    Expr *e = new_expr(c, kind, span_join(base->span, s));
    e->a = base;
    e->args = args;
    add_part(c, e, base);
    for (int i = 0; i < e->args.count; i++)
        add_part(c, e, args.items[i]);
    return e;
}

Expr *
ast_call(Compile *c, Span s, Expr *callee, Exprs args)
{
    return with_args(c, EXPR_CALL, s, callee, args);
}

Expr *
ast_index(Compile *c, Span s, Expr *base, Exprs args)
{
    return with_args(c, EXPR_INDEX, s, base, args);
}

Expr *
ast_member(Compile *c, Span s, Expr *base, Name name)
{
    Expr *e = new_expr(c, EXPR_MEMBER, span_join(base->span, s));
    e->a = base;
    e->name = name;
    add_part(c, e, base);
    return e;
}

Expr *
ast_range(Compile *c, Expr *from, Expr *to, Expr *step)
{
    Expr *e = new_expr(c, EXPR_RANGE, span_join(from->span, to->span));
    e->a = from;
    e->b = to;
    e->c = step;
    add_part(c, e, from);
    add_part(c, e, to);
    add_part(c, e, step);
    return e;
}

Expr *
ast_error(Compile *c, Span s)
{
    return new_expr(c, EXPR_ERROR, s);
}

Stmt *
ast_stmt(Compile *c, StmtKind kind, Span s)
{
    Stmt *stmt = ARENA_NEW(c->syntax, Stmt);
    stmt->kind = kind;
    stmt->span = s;
    stmt->op = OP_NONE;
    return stmt;
}

bool
func_is_block(FuncKind kind)
{
    return kind == FUNC_MAIN || kind == FUNC_TEST || kind == FUNC_BENCHMARK;
}

const Attribute *
find_attribute(const Attributes *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].name, name))
            return &list->items[i];
    return NULL;
}

Item *
ast_item(Compile *c, ItemKind kind, Span s)
{
    Item *item = ARENA_NEW(c->syntax, Item);
    item->kind = kind;
    item->span = s;
    return item;
}

const char *
derive_word(Derive d)
{
    static const char *const words[] = {"gradient", "vjp", "jvp"};
    return words[d];
}
