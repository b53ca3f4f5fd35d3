/* The AST as indented text: one line for each item, statement and layout node, expressions in full
 * parentheses. */
#include "config.h"

#include "ast/ast.h"

#include <string.h>

static void print_expr(const Expr *e, Text *out);

static void
print_list(const Exprs *list, Text *out)
{
    for (int i = 0; i < list->count; i++) {
        text_add(out, "%s", i ? ", " : "");
        print_expr(list->items[i], out);
    }
}

static void
print_name(const Name *n, Text *out)
{
    text_add(out, "%s", n->text ? n->text : "");
    if (n->number) {
        text_add(out, "#");
        print_expr(n->number, out);
    }
}

static void
print_type(const TypeExpr *t, Text *out)
{
    switch (t->kind) {
    case TE_BUILTIN:
        text_add(out, "%s", scalar_info(t->scalar)->name);
        if (t->rows)
            text_add(out, "x%d", t->rows);
        if (t->cols)
            text_add(out, "x%d", t->cols);
        break;
    case TE_NAME: print_name(&t->name, out); break;
    case TE_AUTO: text_add(out, "auto"); break;
    case TE_TYPEOF:
        text_add(out, "typeof(");
        print_expr(t->of, out);
        text_add(out, ")");
        break;
    }
    if (t->array_dims == ANY_AXES)
        text_add(out, "[*]");
    else if (t->array_dims)
        text_add(out, "[%.*s]", t->array_dims - 1, ",,,,,,,,,,,,,,,,");
}

/* In quotes, with the escapes of the language. */
static void
print_string(const char *s, size_t bytes, Text *out)
{
    static const char letters[] = "ntr0abfv\\\"", values[] = "\n\t\r\0\a\b\f\v\\\"";
    text_add(out, "\"");
    for (size_t i = 0; i < bytes; i++) {
        const char *known = memchr(values, s[i], sizeof values - 1);
        if (known)
            text_add(out, "\\%c", letters[known - values]);
        else if ((unsigned char)s[i] < 0x20)
            text_add(out, "\\x%02x", (unsigned)s[i]);
        else
            text_raw(out, s + i, 1);
    }
    text_add(out, "\"");
}

static void
print_number(const Expr *e, Text *out)
{
    const char *suffix = e->suffix >= 0 ? scalar_info((Scalar)e->suffix)->name : "";
    if (e->kind == EXPR_FLOAT)
        text_add(out, "%.17g%s", e->number, suffix);
    else
        text_add(out, "%llu%s", (unsigned long long)e->integer, suffix);
}

static void
print_expr(const Expr *e, Text *out)
{
    switch (e->kind) {
    case EXPR_ERROR: text_add(out, "<error>"); break;
    case EXPR_INT: case EXPR_FLOAT: print_number(e, out); break;
    case EXPR_BOOL: text_add(out, e->integer ? "true" : "false"); break;
    case EXPR_STRING: print_string(e->string, e->string_bytes, out); break;
    case EXPR_NAME: print_name(&e->name, out); break;
    case EXPR_TYPE: print_type(e->type, out); break;
    case EXPR_UNARY:
        text_add(out, "(%s", op_text(e->op));
        print_expr(e->a, out);
        text_add(out, ")");
        break;
    case EXPR_BINARY:
        text_add(out, "(");
        print_expr(e->a, out);
        text_add(out, " %s ", op_text(e->op));
        print_expr(e->b, out);
        text_add(out, ")");
        break;
    case EXPR_COND:
        text_add(out, "(");
        print_expr(e->a, out);
        text_add(out, " ? ");
        print_expr(e->b, out);
        text_add(out, " : ");
        print_expr(e->c, out);
        text_add(out, ")");
        break;
    case EXPR_CALL: case EXPR_INDEX:
        print_expr(e->a, out);
        text_add(out, e->kind == EXPR_CALL ? "(" : "[");
        print_list(&e->args, out);
        text_add(out, e->kind == EXPR_CALL ? ")" : "]");
        break;
    case EXPR_MEMBER:
        print_expr(e->a, out);
        text_add(out, ".%s", e->name.text);
        break;
    case EXPR_RANGE:
        print_expr(e->a, out);
        text_add(out, "..");
        print_expr(e->b, out);
        if (e->c) {
            text_add(out, " step ");
            print_expr(e->c, out);
        }
        break;
    }
}

static void
print_attributes(const Attributes *list, Text *out)
{
    for (int i = 0; i < list->count; i++) {
        text_add(out, "@%s", list->items[i].name);
        if (list->items[i].args.count) {
            text_add(out, "(");
            print_list(&list->items[i].args, out);
            text_add(out, ")");
        }
        text_add(out, " ");
    }
}

static void print_stmt(const Stmt *s, Text *out);

static void
print_nested(const Stmt *s, Text *out)
{
    if (!s)
        return;
    out->indent++;
    print_stmt(s, out);
    out->indent--;
}

/* Sizes in brackets, nothing where there are none. */
static void
print_dims(const Exprs *dims, Text *out)
{
    if (!dims->count)
        return;
    text_add(out, "[");
    print_list(dims, out);
    text_add(out, "]");
}

/* What stands behind the name of a constant or variable: an expression, a list, or nothing. */
static void
print_init(const Expr *e, bool has_list, const Exprs *list, Text *out)
{
    if (e) {
        text_add(out, " = ");
        print_expr(e, out);
    }
    if (has_list) {
        text_add(out, " = { ");
        print_list(list, out);
        text_add(out, " }");
    }
    text_newline(out);
}

static void
print_decl(const Stmt *s, Text *out)
{
    text_add(out, "declare ");
    if (s->decl == DECL_TYPED)
        print_type(s->type, out);
    else
        text_add(out, s->decl == DECL_LET ? "let" : "var");
    text_add(out, " %s", s->name.text);
    print_dims(&s->dims, out);
    print_init(s->expr, s->has_list, &s->list, out);
}

static void
print_for(const Stmt *s, Text *out)
{
    print_attributes(&s->attrs, out);
    text_add(out, s->is_static ? "static for " : "for ");
    for (int i = 0; i < s->names.count; i++) {
        text_add(out, "%s", i ? ", " : "");
        print_name(&s->names.items[i], out);
    }
    text_add(out, " in ");
    print_list(&s->iters, out);
    text_newline(out);
    print_nested(s->body, out);
}

/* A word and, after it, an expression that may be missing. */
static void
print_word(const char *word, const Expr *e, Text *out)
{
    text_add(out, "%s", word);
    if (e) {
        text_add(out, " ");
        print_expr(e, out);
    }
    text_newline(out);
}

static void
print_layout_stmt(const char *word, const Stmt *s, Text *out)
{
    text_add(out, "%s ", word);
    print_name(&s->name, out);
    text_newline(out);
}

static void
print_stmt(const Stmt *s, Text *out)
{
    switch (s->kind) {
    case STMT_ERROR: text_line(out, "<error>"); break;
    case STMT_DECL: print_decl(s, out); break;
    case STMT_ASSIGN:
        print_expr(s->target, out);
        text_add(out, " %s%s ", s->op == OP_NONE ? "" : op_text(s->op), "=");
        print_expr(s->expr, out);
        text_newline(out);
        break;
    case STMT_EXPR: print_word("do", s->expr, out); break;
    case STMT_IF:
        print_word(s->is_static ? "static if" : "if", s->expr, out);
        print_nested(s->body, out);
        if (s->orelse)
            text_line(out, "else");
        print_nested(s->orelse, out);
        break;
    case STMT_WHILE:
        print_word("while", s->expr, out);
        print_nested(s->body, out);
        break;
    case STMT_FOR: print_for(s, out); break;
    case STMT_BREAK: text_line(out, "break"); break;
    case STMT_CONTINUE: text_line(out, "continue"); break;
    case STMT_RETURN: print_word("return", s->expr, out); break;
    case STMT_BLOCK:
        text_line(out, "block");
        for (int i = 0; i < s->stmts.count; i++)
            print_nested(s->stmts.items[i], out);
        break;
    case STMT_CREATE: print_layout_stmt("create", s, out); break;
    case STMT_DESTROY: print_layout_stmt("destroy", s, out); break;
    case STMT_TRIM: print_layout_stmt("trim", s, out); break;
    case STMT_DERIVE:
        print_attributes(&s->attrs, out);
        print_word(derive_word(s->derive), s->target, out);
        print_nested(s->body, out);
        break;
    }
}

static void
print_node(const LayoutNode *n, Text *out)
{
    print_attributes(&n->attrs, out);
    if (n->is_place) {
        text_add(out, "place ");
        print_list(&n->places, out);
        text_newline(out);
        return;
    }
    if (n->label.text) {
        print_name(&n->label, out);
        text_add(out, ": ");
    }
    text_add(out, "%s %s[", node_kind_name(n->kind), n->axes);
    print_list(&n->sizes, out);
    text_add(out, "]\n");
    out->indent++;
    for (int i = 0; i < n->children.count; i++)
        print_node(n->children.items[i], out);
    out->indent--;
}

static void print_items(const Items *items, Text *out);

static void
print_func(const Item *f, Text *out)
{
    static const char *const kinds[] = {"func", "extern func", "kernel",   "host",
                                        "main", "test",        "benchmark"};
    text_add(out, "%s", kinds[f->func]);
    if (func_is_block(f->func)) {
        text_add(out, "%s", f->func != FUNC_MAIN ? " " : "");
        if (f->func != FUNC_MAIN)
            print_string(f->title, strlen(f->title), out);
        text_newline(out);
        print_nested(f->body, out);
        return;
    }
    text_add(out, " ");
    if (f->type) {
        print_type(f->type, out);
        text_add(out, " ");
    }
    text_add(out, "%s(", f->name.text);
    for (int i = 0; i < f->params.count; i++) {
        static const char *const modes[] = {"", "inout ", "field ", "", ""};
        const ParamDecl *p = &f->params.items[i];
        text_add(out, "%s%s", i ? ", " : "", modes[p->kind]);
        if (p->kind == PARAM_FUNC)
            text_add(out, "%s%s", kinds[p->func], p->type ? " " : "");
        if (p->type)
            print_type(p->type, out);
        text_add(out, " %s", p->name.text);
    }
    text_add(out, ")\n");
    print_nested(f->body, out);
}

static void
print_fields(const Item *item, Text *out)
{
    text_add(out, "field ");
    print_type(item->type, out);
    for (int i = 0; i < item->fields.count; i++) {
        text_add(out, "%s", i ? ", " : " ");
        print_name(&item->fields.items[i].name, out);
        if (item->fields.items[i].has_dims) {
            text_add(out, "[");
            print_list(&item->fields.items[i].dims, out);
            text_add(out, "]");
        }
    }
    text_newline(out);
}

static void
print_item(const Item *item, Text *out)
{
    print_attributes(&item->attrs, out);
    switch (item->kind) {
    case ITEM_ERROR: text_line(out, "<error>"); break;
    case ITEM_DEFAULTS: text_newline(out); break;
    case ITEM_IMPORT:
        text_add(out, "import ");
        print_string(item->path ? item->path : "", item->path ? strlen(item->path) : 0, out);
        text_newline(out);
        break;
    case ITEM_CONST: case ITEM_PARAM:
        text_add(out, item->kind == ITEM_CONST ? "const " : "param ");
        if (item->type) {
            print_type(item->type, out);
            text_add(out, " ");
        }
        text_add(out, "%s", item->name.text);
        print_dims(&item->dims, out);
        print_init(item->expr, item->has_list, &item->list, out);
        break;
    case ITEM_STRUCT:
        text_line(out, "struct %s", item->name.text);
        for (int i = 0; i < item->members.count; i++) {
            text_add(out, "    ");
            print_type(item->members.items[i].type, out);
            text_add(out, " %s\n", item->members.items[i].name.text);
        }
        break;
    case ITEM_FIELD: print_fields(item, out); break;
    case ITEM_LAYOUT:
        text_add(out, item->name.text ? "layout " : "layout");
        print_name(&item->name, out);
        text_newline(out);
        out->indent++;
        for (int i = 0; i < item->nodes.count; i++)
            print_node(item->nodes.items[i], out);
        out->indent--;
        break;
    case ITEM_FUNC: print_func(item, out); break;
    case ITEM_STATIC_ASSERT:
        text_add(out, "static_assert ");
        print_expr(item->expr, out);
        if (item->message) {
            text_add(out, ", ");
            print_expr(item->message, out);
        }
        text_newline(out);
        break;
    case ITEM_STATIC_FOR:
        text_add(out, "static for %s in ", item->name.text);
        print_expr(item->expr, out);
        text_newline(out);
        print_items(&item->items, out);
        break;
    case ITEM_STATIC_IF:
        print_word("static if", item->expr, out);
        print_items(&item->items, out);
        if (item->orelse.count)
            text_line(out, "else");
        print_items(&item->orelse, out);
        break;
    }
}

static void
print_items(const Items *items, Text *out)
{
    out->indent++;
    for (int i = 0; i < items->count; i++)
        print_item(items->items[i], out);
    out->indent--;
}

void
ast_print(const Module *m, Text *out)
{
    for (int i = 0; i < m->items.count; i++)
        print_item(m->items.items[i], out);
}
