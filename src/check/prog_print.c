/* The checked program as text. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "check/leaf.h"
#include "check/prog.h"
#include "program/snl_format.h"

static void print_expr(const TExpr *e, Text *out);

/* ---- values ---- */

static void
print_leaf(Scalar s, Leaf x, Text *out)
{
    switch (scalar_info(s)->kind) {
    case KIND_BOOL: text_add(out, "%s", x.i ? "true" : "false"); break;
    case KIND_INT: text_add(out, "%" PRId64, x.i); break;
    case KIND_UINT: text_add(out, "%" PRIu64, x.u); break;
    case KIND_FLOAT:
        if (isfinite(x.f) && x.f == trunc(x.f) && fabs(x.f) < 1e9)
            text_add(out, "%.1f", x.f);
        else
            text_add(out, s == SCALAR_F64 ? "%.17g" : "%.9g", x.f);
        break;
    }
}

void
value_print(const Value *v, Text *out)
{
    if (v->type->kind == TYPE_SCALAR) {
        print_leaf(v->type->scalar, v->leaves[0], out);
        return;
    }
    text_add(out, "%s(", v->type->name);
    for (int i = 0; i < v->type->leaf_count; i++) {
        text_add(out, "%s", i ? ", " : "");
        print_leaf(type_leaf(v->type, i, NULL), v->leaves[i], out);
    }
    text_add(out, ")");
}

const char *
param_words_text(const Prog *p, const Param *param)
{
    Text t;
    if (!param->words)
        return NULL;
    text_init(&t, p->c->arena);
    for (int i = 0; i < param->word_count; i++)
        text_add(&t, "%s%s", i ? "|" : "", param->words[i]);
    return text_end(&t);
}

const char *
param_default_text(const Prog *p, const Param *param)
{
    static const SnlSpec plain = {.precision = -1};
    Scalar s = param->type->scalar;
    SnlText t = SNL_TEXT_EMPTY;
    if (param->text)
        return param->text;
    if (param->words)
        return param->word_count ? param->words[param->value.leaves[0].i] : "";
    for (int i = 0; i < param->type->leaf_count; i++) {
        int64_t memory;
        leaf_store(s, &memory, param->value.leaves[i]);
        snl_text_string(&t, i ? "," : "");
        snl_format_value(&t, &plain, (int)s, 0, 0, &memory);
    }
    const char *text = arena_strndup(p->c->arena, snl_text_chars(&t), strlen(snl_text_chars(&t)));
    snl_text_free(&t);
    return text;
}

void
string_print(const char *s, size_t n, Text *out)
{
    text_add(out, "\"");
    for (size_t i = 0; i < n; i++) {
        unsigned char ch = (unsigned char)s[i];
        if (ch == '"' || ch == '\\')
            text_add(out, "\\%c", ch);
        else if (ch < 0x20)
            text_add(out, "\\x%02x", ch);
        else
            text_add(out, "%c", ch);
    }
    text_add(out, "\"");
}

/* ---- expressions ---- */

static void
print_list(const TExprs *list, Text *out)
{
    for (int i = 0; i < list->count; i++) {
        text_add(out, "%s", i ? ", " : "");
        print_expr(list->items[i], out);
    }
}

static void
print_call(const char *name, const TExprs *args, Text *out)
{
    text_add(out, "%s(", name);
    print_list(args, out);
    text_add(out, ")");
}

static void
print_var(const Var *v, Text *out)
{
    text_add(out, "%s.%d", v->name, v->id);
}

const char *
atomic_name(AtomicOp op)
{
    static const char *const names[] = {"add", "sub", "min",      "max", "and",
                                        "or",  "xor", "exchange", "cas"};
    return names[op];
}

static void
print_node(const char *name, const Node *n, const TExprs *args, Text *out)
{
    text_add(out, "%s(%s", name, n->label ? n->label : "node");
    text_add(out, "[");
    print_list(args, out);
    text_add(out, "])");
}

static void
print_atomic(const TExpr *e, Text *out)
{
    text_add(out, "%s_%s(",
             e->reduction   ? "reduce"
             : e->is_shared ? "atomic"
                            : "plain",
             atomic_name(e->atomic));
    print_expr(e->a, out);
    text_add(out, ", ");
    print_list(&e->args, out);
    text_add(out, ")");
}

static void
print_operation(const TExpr *e, Text *out)
{
    text_add(out, "(");
    if (e->kind == TX_UNARY) {
        text_add(out, "%s", op_text(e->op));
        print_expr(e->a, out);
    } else {
        print_expr(e->a, out);
        text_add(out, " %s ", e->kind == TX_COND ? "?" : op_text(e->op));
        print_expr(e->b, out);
        if (e->kind == TX_COND) {
            text_add(out, " : ");
            print_expr(e->c, out);
        }
    }
    text_add(out, ")");
}

/* One operand and a type: cast, bits, splat. */
static void
print_typed(const char *word, const TExpr *e, Text *out)
{
    text_add(out, "%s%s(", word, e->type->name);
    print_expr(e->a, out);
    text_add(out, ")");
}

static void
print_swizzle(const TExpr *e, Text *out)
{
    print_expr(e->a, out);
    text_add(out, ".");
    for (int i = 0; i < e->swizzle_count; i++)
        text_add(out, "%c", "xyzw"[e->swizzle[i]]);
}

static void
print_extent(const TExpr *e, Text *out)
{
    text_add(out, "extent(");
    if (e->field)
        text_add(out, "%s", e->field->name);
    else if (e->node)
        text_add(out, "%s", e->node->label);
    else
        print_expr(e->a, out);
    text_add(out, ", %d)", e->axis);
}

static void
print_expr(const TExpr *e, Text *out)
{
    switch (e->kind) {
    case TX_ERROR: text_add(out, "<error>"); break;
    case TX_CONST: value_print(&e->value, out); break;
    case TX_STRING: string_print(e->string, e->string_bytes, out); break;
    case TX_VAR: print_var(e->var, out); break;
    case TX_PARAM: text_add(out, "%s", e->param->name); break;
    case TX_TABLE: text_add(out, "%s", e->table->name); break;
    case TX_FIELD:
        text_add(out, "%s[", e->field->name);
        print_list(&e->args, out);
        text_add(out, "]");
        break;
    case TX_ELEM:
        print_expr(e->a, out);
        text_add(out, "[");
        print_list(&e->args, out);
        text_add(out, "]");
        break;
    case TX_MEMBER:
        print_expr(e->a, out);
        text_add(out, ".%s", e->a->type->members[e->member].name);
        break;
    case TX_SWIZZLE: print_swizzle(e, out); break;
    case TX_UNARY: case TX_BINARY: case TX_COND: print_operation(e, out); break;
    case TX_CAST: print_typed("", e, out); break;
    case TX_BITCAST: print_typed("bitcast_", e, out); break;
    case TX_SPLAT: print_typed("splat_", e, out); break;
    case TX_MAKE: print_call(e->type->name, &e->args, out); break;
    case TX_FMA: {
        TExpr *parts[3] = {e->a, e->b, e->c};
        print_call("fma", &(TExprs){.items = parts, .count = 3, .room = 3}, out);
        break;
    }
    case TX_BUILTIN: print_call(builtin_name(e->builtin), &e->args, out); break;
    case TX_CALL: print_call(e->func->unique, &e->args, out); break;
    case TX_ATOMIC: print_atomic(e, out); break;
    case TX_IS_ACTIVE: print_node("is_active", e->node, &e->args, out); break;
    case TX_LENGTH: print_node("length", e->node, &e->args, out); break;
    case TX_APPEND:
        print_node("append", e->node, &e->args, out);
        text_add(out, " <- (");
        print_list(&e->values, out);
        text_add(out, ")");
        break;
    case TX_EXTENT: print_extent(e, out); break;
    case TX_ADDRESS:
        text_add(out, "address(");
        print_expr(e->a, out);
        text_add(out, ")");
        break;
    case TX_CLOCK: text_add(out, "clock()"); break;
    case TX_TAKE: text_add(out, "take()"); break;
    case TX_MEASURE: text_add(out, "measure("); print_expr(e->a, out); text_add(out, ")"); break;
    case TX_MEMORY: text_add(out, "memory(%s)", e->layout->name); break;
    case TX_ACTIVE: text_add(out, "active(%s)", e->node->label); break;
    case TX_FORMAT:
        text_add(out, "format(");
        string_print(e->string, e->string_bytes, out);
        text_add(out, "%s", e->args.count ? ", " : "");
        print_list(&e->args, out);
        text_add(out, ")");
        break;
    }
}

/* ---- statements ---- */

static void print_stmt(const TStmt *st, Text *out);

static void
print_body(const TStmt *body, Text *out)
{
    if (!body)
        return;
    if (body->kind != TS_BLOCK) {
        print_stmt(body, out);
        return;
    }
    for (int i = 0; i < body->stmts.count; i++)
        print_stmt(body->stmts.items[i], out);
}

static void
print_loop_hints(const TStmt *st, Text *out)
{
    text_add(out, "%s", st->parallel ? " parallel" : "");
    text_add(out, "%s", st->progress ? " progress" : "");
    if (st->block_dim)
        text_add(out, " block_dim %d", st->block_dim);
    for (int i = 0; i < st->block_local.count; i++)
        text_add(out, " block_local %s", st->block_local.items[i]->name);
    for (int i = 0; i < st->reductions.count; i++) {
        text_add(out, " reduce %s ", atomic_name(st->reductions.items[i].op));
        print_var(st->reductions.items[i].var, out);
    }
}

static void
print_loop(const TStmt *st, Text *out)
{
    text_add(out, "for ");
    for (int i = 0; i < st->vars.count; i++) {
        text_add(out, "%s%s ", i ? ", " : "", st->vars.items[i]->type->name);
        print_var(st->vars.items[i], out);
    }
    text_add(out, " in ");
    for (int i = 0; st->kind == TS_RANGE && i < st->from.count; i++) {
        text_add(out, "%s", i ? ", " : "");
        print_expr(st->from.items[i], out);
        text_add(out, "..");
        print_expr(st->to.items[i], out);
        if (st->step.items[i]) {
            text_add(out, " step ");
            print_expr(st->step.items[i], out);
        }
    }
    if (st->kind == TS_CELLS && st->field)
        text_add(out, "field %s", st->field->name);
    else if (st->kind == TS_CELLS)
        text_add(out, "node %s", st->node->label);
    print_loop_hints(st, out);
    text_open(out, " {");
    print_body(st->body, out);
    text_close(out, "}");
}

static void
print_assign(const TStmt *st, Text *out)
{
    if (st->is_reduction || st->is_atomic)
        text_add(out, "%s ", st->is_reduction ? "reduce" : "atomic");
    print_expr(st->target, out);
    text_add(out, " %s= ", st->op == OP_NONE ? "" : op_text(st->op));
    print_expr(st->value, out);
    text_line(out, ";");
}

static void
print_decl(const TStmt *st, Text *out)
{
    const Var *v = st->var;
    text_add(out, "%s%s",
             v->shared         ? "shared "
             : v->kernel_level ? "kernel_level "
                               : "",
             v->is_let ? "let " : "");
    text_add(out, "%s ", v->type->name);
    print_var(v, out);
    if (st->value) {
        text_add(out, " = ");
        print_expr(st->value, out);
    }
    text_line(out, ";");
}

/* `word(parts…);` of statements about nodes, layouts and files. */
static void
print_operation_stmt(const char *word, const TStmt *st, Text *out)
{
    text_add(out, "%s(", word);
    if (st->path)
        print_expr(st->path, out);
    if (st->string)
        string_print(st->string, st->string_bytes, out);
    if (st->field)
        text_add(out, "%s", st->field->name);
    if (st->field2)
        text_add(out, ", %s", st->field2->name);
    if (st->node)
        text_add(out, "%s", st->node->label ? st->node->label : "node");
    if (st->layout)
        text_add(out, "%s%s", st->path ? ", " : "", st->layout->name);
    if (st->layout2)
        text_add(out, ", %s", st->layout2->name);
    for (int i = 0; i < st->fields.count; i++)
        text_add(out, ", %s", st->fields.items[i]->name);
    for (int i = 0; i < st->args.count; i++) {
        text_add(out, ", ");
        print_expr(st->args.items[i], out);
    }
    if (st->value) {
        text_add(out, ", ");
        print_expr(st->value, out);
    }
    text_line(out, ");");
}

static void
print_if(const TStmt *st, Text *out)
{
    text_add(out, "%s (", st->kind == TS_IF ? "if" : "while");
    print_expr(st->value, out);
    text_open(out, ") {");
    print_body(st->body, out);
    if (st->orelse) {
        text_close(out, "} else {");
        out->indent++;
        print_body(st->orelse, out);
    }
    text_close(out, "}");
}

static void
print_diff(const TStmt *st, Text *out)
{
    text_open(out, "diff {");
    print_body(&(TStmt){.kind = TS_BLOCK, .stmts = st->stmts}, out);
    print_expr(st->target, out);
    text_add(out, " = diff(");
    print_expr(st->value, out);
    text_add(out, ", ");
    print_var(st->var, out);
    text_line(out, ");");
    text_close(out, "}");
}

static void
print_stmt(const TStmt *st, Text *out)
{
    switch (st->kind) {
    case TS_BLOCK:
        text_open(out, "{");
        print_body(st, out);
        text_close(out, "}");
        break;
    case TS_DECL: print_decl(st, out); break;
    case TS_ASSIGN: print_assign(st, out); break;
    case TS_EXPR:
        print_expr(st->value, out);
        text_line(out, ";");
        break;
    case TS_IF: case TS_WHILE: print_if(st, out); break;
    case TS_RANGE: case TS_CELLS: print_loop(st, out); break;
    case TS_BREAK: text_line(out, "break;"); break;
    case TS_CONTINUE: text_line(out, "continue;"); break;
    case TS_RETURN:
        text_add(out, "return%s", st->value ? " " : "");
        if (st->value)
            print_expr(st->value, out);
        text_line(out, ";");
        break;
    case TS_PRINT: print_operation_stmt("print", st, out); break;
    case TS_ASSERT: print_operation_stmt("assert", st, out); break;
    case TS_ACTIVATE: print_operation_stmt("activate", st, out); break;
    case TS_DEACTIVATE: print_operation_stmt("deactivate", st, out); break;
    case TS_DEACTIVATE_ALL: print_operation_stmt("deactivate_all", st, out); break;
    case TS_DIFF: print_diff(st, out); break;
    case TS_DERIVE:
        text_open(out, "%s {", derive_word(st->derive));
        print_body(st->body, out);
        text_close(out, "}");
        break;
    case TS_CREATE: print_operation_stmt("create", st, out); break;
    case TS_DESTROY: print_operation_stmt("destroy", st, out); break;
    case TS_TRIM: print_operation_stmt("trim", st, out); break;
    case TS_FILL: print_operation_stmt("fill", st, out); break;
    case TS_COPY: print_operation_stmt("copy", st, out); break;
    case TS_SWAP: print_operation_stmt("swap", st, out); break;
    case TS_SAVE: print_operation_stmt("save", st, out); break;
    case TS_LOAD: print_operation_stmt("load", st, out); break;
    case TS_IMAGE: print_operation_stmt("image", st, out); break;
    case TS_KEEP: print_operation_stmt("keep", st, out); break;
    case TS_TAKE: print_operation_stmt("take", st, out); break;
    }
}

/* ---- functions ---- */

static const char *
func_word(const Func *f)
{
    static const char *const words[] = {"func", "extern func", "kernel",   "host",
                                        "main", "test",        "benchmark"};
    return words[f->kind];
}

static void
print_func(const Func *f, Text *out)
{
    text_add(out, "%s %s %s(", func_word(f),
             f->result->kind == TYPE_VOID ? "void" : f->result->name, f->unique);
    for (int i = 0; i < f->params.count; i++) {
        const Var *v = f->params.items[i];
        text_add(out, "%s%s%s ", i ? ", " : "", v->mode == PARAM_INOUT ? "inout " : "",
                 v->type->name);
        print_var(v, out);
    }
    text_add(out, ")");
    if (f->title) {
        text_add(out, " ");
        string_print(f->title, strlen(f->title), out);
    }
    if (f->doc_args)
        text_add(out, " /* %s */", f->doc_args);
    if (!f->body) {
        text_line(out, ";");
        return;
    }
    text_open(out, " {");
    print_body(f->body, out);
    text_close(out, "}");
}

void
prog_print(const Prog *p, Text *out)
{
    for (int i = 0; i < p->params.count; i++) {
        const Param *param = p->params.items[i];
        text_add(out, "param %s %s = ", param->text    ? "string"
                                       : param->words ? "enum"
                                                      : param->type->name,
                 param->name);
        if (param->text)
            string_print(param->text, strlen(param->text), out);
        else
            value_print(&param->value, out);
        text_line(out, ";");
    }
    for (int i = 0; i < p->tables.count; i++) {
        text_add(out, "table %s = ", p->tables.items[i]->name);
        value_print(&p->tables.items[i]->value, out);
        text_line(out, ";");
    }
    for (int i = 0; i < p->fields.count; i++)
        text_line(out, "field %s %s;", p->fields.items[i]->type->name, p->fields.items[i]->name);
    for (int i = 0; i < p->funcs.count; i++)
        print_func(p->funcs.items[i], out);
    if (p->main)
        print_func(p->main, out);
    for (int i = 0; i < p->tests.count; i++)
        print_func(p->tests.items[i], out);
}
