/* Instructions that are statements. */
#include "config.h"

#include <string.h>

#include "emit/loop/loops.h"
#include "ir/inst_info.h"

/* ---- places in the .snl file ---- */

const char *
stmt_mapped_path(Emit *e, const char *path)
{
    for (int i = e->c->options.prefix_maps.count - 1; i >= 0; i--) {
        const char *map = e->c->options.prefix_maps.items[i], *equals = strchr(map, '=');
        size_t n = equals ? (size_t)(equals - map) : 0;
        if (equals && !strncmp(path, map, n))
            return intern_str(e->c->intern,
                              arena_printf(e->c->arena, "%s%s", equals + 1, path + n));
    }
    return path;
}

/* The path of a span. */
static const char *
path_of(Emit *e, Span span)
{
    return stmt_mapped_path(e, span_path(&e->c->sources, span));
}

static const char *
quoted_path(Emit *e, const char *path)
{
    if (path != e->quoted_path)
        e->quoted = intern_str(e->c->intern, value_string(e, path, strlen(path)));
    e->quoted_path = path;
    return e->quoted;
}

const char *
stmt_where(Emit *e, Span span)
{
    return arena_printf(e->c->arena, "%s, %d", quoted_path(e, path_of(e, span)),
                        span_line(&e->c->sources, span));
}

const char *
stmt_comment_place(Emit *e, Span span)
{
    char *text = arena_printf(e->c->arena, "%s:%d", path_of(e, span),
                              span_line(&e->c->sources, span));
    for (char *s = text; *s; s++)
        if ((*s == '*' && (s[1] == '/' || (s > text && s[-1] == '/'))) || *s == '\n' || *s == '\r')
            *s = '?';
    return text;
}

void
stmt_note_kernel(Emit *e, Span span, const char *title)
{
    const EventPlace place = {intern_str(e->c->intern, title), "NULL", span};
    vec_push(e->arena, &e->event_places, place);
}

void
stmt_note_loop(Emit *e, Span span, const char *function)
{
    const Source *f = source_find(&e->c->sources, span.from);
    const char *text = f->text + (span.from - f->base);
    size_t bytes = strcspn(text, "{;\r\n");
    while (bytes > 0 && text[bytes - 1] == ' ')
        bytes--;
    const EventPlace place = {
        intern_str(e->c->intern, value_string(e, function, strlen(function))),
        intern_str(e->c->intern, value_string(e, text, bytes)), span};
    vec_push(e->arena, &e->event_places, place);
}

/* The next line but `before` is that of the span; lines_number drops the marks that are not
 * needed. */
static void
emit_line_before(Emit *e, Span span, int before)
{
    int line = span_line(&e->c->sources, span);
    line = line > before ? line - before : line;
    if (!e->c->options.no_line && line)
        text_flush_left(e->out, "#line %d %s", line, quoted_path(e, path_of(e, span)));
}

void
stmt_line(Emit *e, Span span)
{
    emit_line_before(e, span, 0);
}

void
stmt_line_of_none(Emit *e)
{
    if (!e->c->options.no_line)
        text_flush_left(e->out, "#line 0 \"\"");
}

void
stmt_line_of_head(Emit *e, Span span)
{
    emit_line_before(e, span, 1);
}

/* ---- errors ---- */

const char *
stmt_leave(Emit *e)
{
    const Type *t = e->fn.f->func->result;
    switch (e->fn.leave) {
    case LEAVE_STATUS: return "return snl_status_of(&self->rt);";
    case LEAVE_VALUE:
        if (t->kind == TYPE_SCALAR)
            return "return 0;";
        return arena_printf(e->c->arena, "return (%s){0};", type_c(e, t));
    case LEAVE_LOOP:
        e->fn.loop_left = true;
        return arena_printf(e->c->arena, "goto %s;", e->fn.loop_end);
    case LEAVE_VOID: break;
    }
    return "return;";
}

void
stmt_check(Emit *e)
{
    e->fn.check_from = e->out->count;
    text_line(e->out, "if (snl_failed(&self->rt))");
    text_line(e->out, "    %s", stmt_leave(e));
    e->fn.check_to = e->out->count;
}

/* What fails on the CPU is checked at once, except where that is said of the function. */
static void
emit_return_status(Emit *e)
{
    const bool certain = !e->c->options.gpu && !e->fn.may_have_failed;
    text_line(e->out, certain ? "return SNL_OK;" : "return snl_status_of(&self->rt);");
}

/* The last instruction that is written as a statement, or NULL. */
static const Inst *
last_statement(Emit *e, const Block *b)
{
    for (int n = b ? b->insts.count - 1 : -1; n >= 0; n--)
        if (!inline_plan_of(e, b->insts.items[n])->is_inline)
            return b->insts.items[n];
    return NULL;
}

void
stmt_last_return(Emit *e, const Block *b)
{
    const Inst *last = last_statement(e, b);
    if (last && last->kind == INST_RETURN)
        return;
    if (e->fn.check_to && e->fn.check_to == e->out->count) {
        text_cut(e->out, e->fn.check_from); /* just before the return it is of no use */
        text_line(e->out, "return snl_status_of(&self->rt);");
    } else
        emit_return_status(e);
}

/* Reports an error when the condition holds, and leaves. */
static void
fail_if(Emit *e, const Inst *i, const char *condition, const char *status, const char *message)
{
    text_open(e->out, "if (%s) {", condition);
    text_line(e->out, "snl_fail(&self->rt, %s, %s, %s);", status, stmt_where(e, i->span), message);
    text_line(e->out, "%s", stmt_leave(e));
    text_close(e->out, "}");
}

/* A component of the value with a name, or all of a scalar. */
static const char *
component_of(Emit *e, const Type *t, const char *name, int k)
{
    return t->kind == TYPE_SCALAR ? name : arena_printf(e->c->arena, "%s.v[%d]", name, k);
}

/* Gives the value of an instruction a name, with this text. */
static const char *
define(Emit *e, const Inst *i, const Type *t, const char *text)
{
    Plan *p = inline_plan_of(e, i);
    p->name = name_temp(e);
    const char *line = arena_printf(e->c->arena, "const %s = %s;", type_decl(e, t, p->name), text);
    /* a part of an index: the loop may have a name for it already */
    if (e->fn.cells && t->kind == TYPE_SCALAR && t->scalar == SCALAR_I64 && inst_is_pure(i))
        declarations_maybe(e, p->name, line);
    else
        text_line(e->out, "%s", line);
    return p->name;
}

/* The same, when something uses it. */
static void
define_used(Emit *e, const Inst *i, const char *text)
{
    if (inline_plan_of(e, i)->uses)
        define(e, i, i->type, text);
    else
        text_line(e->out, "%s;", text);
}

/* A check of each component of its operand. */
static void
emit_check_components(Emit *e, const Inst *i)
{
    const Inst *a = i->args.items[0];
    const bool is_unsigned = scalar_info(a->type->scalar)->kind == KIND_UINT;
    const char *name = define(e, i, i->type, value_text(e, a, PREC_ASSIGN)), *test, *message,
               *to = scalar_info(i->to)->name, *from = scalar_info(a->type->scalar)->name;
    for (int k = 0; k < i->type->leaf_count; k++) {
        const char *at = component_of(e, i->type, name, k);
        if (i->kind == INST_CHECK_DIV) {
            test = arena_printf(e->c->arena, "%s == 0", at);
            message = "\"division by zero\"";
        } else if (i->kind == INST_CHECK_SHIFT) {
            test = arena_printf(e->c->arena, "%s >= %d", at, i->index);
            if (!is_unsigned)
                test = arena_printf(e->c->arena, "%s < 0 || %s", at, test);
            message = arena_printf(
                e->c->arena, "\"shift count %%lld is out of range for %s\", (long long)%s", to, at);
        } else {
            test = arena_printf(e->c->arena, "!snl_cast_fits_%s_%s(%s)", from, to, at);
            message = arena_printf(e->c->arena, "\"%%g does not fit in %s\", snl_cast_%s_f64(%s)",
                                   to, from, at);
        }
        fail_if(e, i, test, "SNL_ERANGE", message);
    }
}

static void
emit_check_inst(Emit *e, const Inst *i)
{
    const Inst *a = i->args.count ? i->args.items[0] : NULL;
    switch (i->kind) {
    case INST_CHECK_INDEX:
        define_used(e, i,
                    arena_printf(
                        e->c->arena, "snl_check_index%s(&self->rt, %s, %s, %d, %s, %s, %s)",
                        i->to == SCALAR_U64 ? "_u64" : "", stmt_where(e, i->span),
                        value_string(e, i->string, strlen(i->string)), i->axis,
                        value_text(e, a, PREC_ASSIGN), value_text(e, i->args.items[1], PREC_ASSIGN),
                        value_text(e, i->args.items[2], PREC_ASSIGN)));
        stmt_check(e);
        break;
    case INST_CHECK_DIV: case INST_CHECK_SHIFT: case INST_CHECK_CAST:
        emit_check_components(e, i);
        break;
    case INST_CHECK_INIT:
        fail_if(
            e, i,
            scalar_unary(e, OP_NOT, SCALAR_BOOL, (CText){value_text(e, a, PREC_UNARY), PREC_UNARY})
                .text,
            "SNL_EINVAL", arena_printf(e->c->arena, "\"%s\"", i->string));
        break;
    case INST_CHECK_STACK:
        fail_if(e, i,
                arena_printf(e->c->arena, "SNL_STACK_IS_LOW(&self->rt, %lld)",
                             (long long)i->stack_bytes),
                "SNL_ENOMEM",
                arena_printf(e->c->arena,
                             "\"the stack is full: recursion in '%s' is too deep, or its "
                             "variables are too large\"",
                             e->fn.f->func->name));
        break;
    default: break;
    }
}

static void
emit_overflow(Emit *e, const Inst *i)
{
    const char *a = name_temp(e), *b = name_temp(e), *s = scalar_info(i->type->scalar)->name;
    const char *what = i->op == OP_ADD   ? "add"
                       : i->op == OP_SUB ? "sub"
                       : i->op == OP_MUL ? "mul"
                                         : "div";
    text_line(e->out, "const %s = %s;", type_decl(e, i->type, a),
              value_text(e, i->args.items[0], PREC_ASSIGN));
    text_line(e->out, "const %s = %s;", type_decl(e, i->type, b),
              value_text(e, i->args.items[1], PREC_ASSIGN));
    bool scalar = i->type->kind == TYPE_SCALAR;
    for (int k = 0; k < i->type->leaf_count; k++) {
        const char *x = component_of(e, i->type, a, k), *y = component_of(e, i->type, b, k);
        fail_if(e, i, arena_printf(e->c->arena, "snl_%s_overflows_%s(%s, %s)", what, s, x, y),
                "SNL_ERANGE",
                arena_printf(e->c->arena,
                             "\"signed overflow: %%lld %s %%lld does not fit in %s\", (long "
                             "long)%s, (long long)%s",
                             i->op == OP_MOD ? "%%" : op_text(i->op), s, x, y));
    }
    CText left = {a, PREC_POSTFIX}, right = {b, PREC_POSTFIX};
    if (!inline_plan_of(e, i)->uses)
        return;
    /* C compilers would warn of an operator where both are constants */
    const bool by_call = scalar && (i->op == OP_ADD || i->op == OP_SUB || i->op == OP_MUL);
    define(e, i, i->type,
           by_call  ? arena_printf(e->c->arena, "snl_%s_%s(%s, %s)", what, s, a, b)
           : scalar
               ? scalar_binary(e, i->op, i->type->scalar, left, right, NULL, i->type->scalar).text
               : arena_printf(e->c->arena, "%s(%s, %s)", helper_binary(e, i->op, i->type, i->type),
                              a, b));
}

static void
emit_assert(Emit *e, const Inst *i)
{
    const Inst *c = i->args.items[0];
    CText no =
        scalar_unary(e, OP_NOT, SCALAR_BOOL, (CText){value_text(e, c, PREC_UNARY), PREC_UNARY});
    text_open(e->out, "if (%s) {", no.text);
    stmt_write(e, i->blocks[0]);
    text_line(e->out, "snl_fail_format(&self->rt, SNL_EASSERT, %s, %s, %s);",
              stmt_where(e, i->span), value_string(e, i->string, i->string_bytes),
              value_print_args(e, &i->assert_args));
    text_line(e->out, "%s", stmt_leave(e));
    text_close(e->out, "}");
}

/* ---- stores ---- */

static bool
call_may_fail(Emit *e, const Inst *i)
{
    return i->kind == INST_CALL && (i->func->kind == FUNC_DEVICE) &&
           ir_func(e->ir, i->func)->may_fail;
}

/* A local array in memory of its own, which is given back where its block is left:
 *     SnlLocal w_memory SNL_AT_END(snl_local_put) = snl_local_get(&self->rt, "w", 8000000);
 *     double (*const w)[1000000] = (double (*)[1000000])w_memory.at;
 */
static void
declare_large(Emit *e, const Inst *i)
{
    const Var *v = i->args.items[0]->var;
    const char *memory = name_new(e, arena_printf(e->c->arena, "%s_memory", v->name)),
               *name = name_new(e, v->name);
    text_line(e->out, "SnlLocal %s SNL_AT_END(snl_local_put) =", memory);
    text_line(e->out, "    snl_local_get(&self->rt, %s, %lld);",
              value_string(e, v->name, strlen(v->name)), (long long)v->type->bytes);
    text_line(e->out, "%s = (%s)%s.at;",
              type_decl(e, v->type, arena_printf(e->c->arena, "(*const %s)", name)),
              type_decl(e, v->type, "(*)"), memory);
    text_open(e->out, "if (!%s) {", name);
    text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, i->span));
    text_line(e->out, "%s", stmt_leave(e));
    text_close(e->out, "}");
    e->fn.var_text[v->id] = arena_printf(e->c->arena, "(*%s)", name);
}

static void
emit_declaration(Emit *e, const Inst *i)
{
    const Var *v = i->args.items[0]->var;
    const Inst *x = i->args.items[1];
    bool of_zeros = x->kind == INST_CONST || !inline_plan_of(e, x)->is_inline;
    if (inst_takes_memory(i) && of_zeros && !(e->o->gpu && e->fn.on_gpu)) {
        declare_large(e, i);
        return;
    }
    bool fixed = var_is_fixed(v);
    e->fn.wide[v->id] = e->fn.far[v->id] = fixed && e->fn.numbers[v->id] && value_is_wide(e, x);
    const char *text = e->fn.wide[v->id] ? value_wide(e, x) : value_text(e, x, PREC_ASSIGN);
    const Type *type = e->fn.wide[v->id] ? type_scalar(e->p->types, SCALAR_I64) : v->type;
    e->fn.var_text[v->id] = name_new(e, v->name);
    if (v->type->kind == TYPE_ARRAY && !inline_plan_of(e, x)->is_inline)
        text_line(e->out, "%s;", type_decl(e, v->type, e->fn.var_text[v->id]));
    else if (fixed && (!e->fn.used[v->id] || e->fn.defined_again[v->id]) &&
             !(inline_plan_of(e, x)->is_inline &&
               (x->kind == INST_CALL || x->kind == INST_RANDOM))) {
        declarations_maybe(e, e->fn.var_text[v->id],
                   arena_printf(e->c->arena, "const %s = %s;",
                                type_decl(e, type, e->fn.var_text[v->id]), text));
        return;
    } else
        text_line(e->out, "%s%s = %s;", fixed ? "const " : "",
                  type_decl(e, type, e->fn.var_text[v->id]), text);
    if (!e->fn.used[v->id])
        text_line(e->out, "(void)%s;", e->fn.var_text[v->id]);
}

static void
emit_store(Emit *e, const Inst *i)
{
    const Inst *x = i->args.items[1];
    if (i->defines)
        emit_declaration(e, i);
    else {
        const Inst *p = i->args.items[0];
        const char *to = place_text(e, p);
        /* of a variable, which may hold a product, see SNL_ROUNDED */
        const bool rounds = x->op == OP_SUB && type_is_float(x->type) &&
                            inst_place_root(p)->kind == INST_VAR;
        bool plain = x->op == OP_ADD || (x->op == OP_SUB && !rounds) || x->op == OP_MUL ||
                     x->op == OP_AND || x->op == OP_OR || x->op == OP_XOR;
        if (x->kind == INST_BINARY && inline_plan_of(e, x)->is_inline &&
            x->type->kind == TYPE_SCALAR && scalar_has_compound(e, x->op, x->type->scalar) &&
            plain) {
            const Inst *old = x->args.items[0];
            if (old->kind == INST_LOAD && inline_plan_of(e, old)->is_inline &&
                !strcmp(place_text(e, old->args.items[0]), to)) {
                text_line(e->out, "%s %s= %s;", to, op_text(x->op),
                          value_text(e, x->args.items[1], PREC_ASSIGN));
                return;
            }
        }
        const char *text = value_text(e, x, PREC_ASSIGN);
        if (float4_has(e, x->type) && inst_place_root(p)->kind != INST_VAR)
            float4_store(e, p, to, text);
        else if (strcmp(text, to) || p->kind != INST_VAR)
            text_line(e->out, "%s = %s;", to, text);
    }
    if (inline_plan_of(e, x)->is_inline && call_may_fail(e, x))
        stmt_check(e);
}

static void
emit_plain_atomic(Emit *e, const Inst *i)
{
    Scalar s = i->type->scalar;
    const char *to = place_text(e, i->args.items[0]), *old = to;
    if (inline_plan_of(e, i)->uses)
        old = define(e, i, i->type, to);
    if (i->atomic_op == ATOMIC_CAS) {
        CText a = {to, PREC_POSTFIX},
              b = {value_text(e, i->args.items[1], PREC_ASSIGN), PREC_ASSIGN};
        text_line(e->out, "if (%s)", scalar_binary(e, OP_EQ, s, a, b, NULL, s).text);
        text_line(e->out, "    %s = %s;", to, value_text(e, i->args.items[2], PREC_ASSIGN));
        return;
    }
    const Inst *v = i->args.items[1];
    Op op = atomic_operator(i->atomic_op);
    if (op != OP_NONE && scalar_has_compound(e, op, s))
        text_line(e->out, "%s %s= %s;", to, op_text(op), value_text(e, v, PREC_ASSIGN));
    else if (op != OP_NONE)
        text_line(e->out, "%s = %s;", to,
                  scalar_binary(e, op, s, (CText){old, PREC_POSTFIX},
                                (CText){value_text(e, v, PREC_UNARY), PREC_UNARY}, NULL, s)
                      .text);
    else if (i->atomic_op == ATOMIC_EXCHANGE)
        text_line(e->out, "%s = %s;", to, value_text(e, v, PREC_ASSIGN));
    else {
        CText args[2] = {{old, PREC_POSTFIX}, {value_text(e, v, PREC_ASSIGN), PREC_ASSIGN}};
        text_line(
            e->out, "%s = %s;", to,
            scalar_builtin(e, i->atomic_op == ATOMIC_MIN ? BUILTIN_MIN : BUILTIN_MAX, s, args, 2)
                .text);
    }
}

/* Whether the thread is alone with the place of an atomic operation, as text, where that is not
 * known before; else NULL. A GPU has no such operations on variables of one lane, which functions
 * are given beside others. */
static const char *
alone_with(Emit *e, const Inst *root, const char *address)
{
    if (e->par.alone_known)
        return "alone";
    if (!e->o->gpu || root->kind != INST_VAR || root->var->kind != VAR_ARG)
        return NULL;
    return arena_printf(e->c->arena, "SNL_IS_LOCAL(%s)", address);
}

static void
emit_atomic(Emit *e, const Inst *i)
{
    if (i->joined) {
        float4_update(e, i);
        return;
    }
    if (i->type->kind != TYPE_SCALAR) { /* never shared: the checker takes vectors apart */
        const char *to = place_text(e, i->args.items[0]);
        text_line(e->out, "%s = %s;", to, value_text(e, i->args.items[1], PREC_ASSIGN));
        return;
    }
    if (i->plain) {
        emit_plain_atomic(e, i);
        return;
    }
    if (e->par.batch) {
        defer_scatter_sum(e, i);
        return;
    }
    const Inst *root = inst_place_root(i->args.items[0]);
    if (root->kind == INST_HALO)
        gpu_stage_sums_touch(e, root->halo);
    const char *address = place_address(e, place_text(e, i->args.items[0])),
               *alone = alone_with(e, root, address);
    const char *text =
        arena_printf(e->c->arena, "snl_%s_%s_%s(%s%s%s, %s", alone ? "update" : "atomic",
                     atomic_name(i->atomic_op), scalar_info(i->type->scalar)->name,
                     alone ? alone : "", alone ? ", " : "", address,
                     value_text(e, i->args.items[1], PREC_ASSIGN));
    if (i->args.count > 2)
        text =
            arena_printf(e->c->arena, "%s, %s", text, value_text(e, i->args.items[2], PREC_ASSIGN));
    define_used(e, i, arena_printf(e->c->arena, "%s)", text));
}

/* ---- control flow ---- */

/* The block's only statement, when that is an if. */
static const Inst *
only_if(Emit *e, const Block *b)
{
    const Inst *found = NULL;
    for (int n = 0; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        if (inline_plan_of(e, i)->is_inline)
            continue;
        if (found || i->kind != INST_IF)
            return NULL;
        found = i;
    }
    return found;
}

static void
emit_if(Emit *e, const Inst *i)
{
    text_open(e->out, "if (%s) {", value_text(e, i->args.items[0], PREC_ANY));
    stmt_write(e, i->blocks[0]);
    while (i->blocks[1] && i->blocks[1]->insts.count) {
        const Inst *more = only_if(e, i->blocks[1]);
        e->out->indent--;
        if (!more) {
            text_open(e->out, "} else {");
            stmt_write(e, i->blocks[1]);
            break;
        }
        text_open(e->out, "} else if (%s) {", value_text(e, more->args.items[0], PREC_ANY));
        stmt_write(e, more->blocks[0]);
        i = more;
    }
    text_close(e->out, "}");
}

bool
stmt_block_is_expression(Emit *e, const Block *b)
{
    for (int n = 0; n < b->insts.count; n++)
        if (!inline_plan_of(e, b->insts.items[n])->is_inline)
            return false;
    return true;
}

static void
emit_while(Emit *e, const Inst *i)
{
    CLoop loop;
    const char *graph = gpu_sync_graph_open(e, i);
    loop_begin(e, &loop, false);
    if (stmt_block_is_expression(e, i->blocks[0]) && !gpu_sync_waits_for(e, i->blocks[0]->result))
        text_open(e->out, "while (%s) {", value_text(e, i->blocks[0]->result, PREC_ANY));
    else {
        text_open(e->out, "while (1) {");
        stmt_write(e, i->blocks[0]);
        CText no =
            scalar_unary(e, OP_NOT, SCALAR_BOOL,
                         (CText){value_text(e, i->blocks[0]->result, PREC_UNARY), PREC_UNARY});
        text_line(e->out, "if (%s)", no.text);
        text_line(e->out, "    break;");
    }
    gpu_sync_graph_next(e, graph);
    stmt_write(e, i->blocks[1]);
    text_close(e->out, "}");
    loop_end(e, &loop);
    gpu_sync_graph_close(e, graph);
}

/* && || ?: whose parts need statements of their own. */
static void
emit_choice(Emit *e, const Inst *i)
{
    Plan *p = inline_plan_of(e, i);
    const char *first = value_text(e, i->args.items[0], PREC_ANY);
    p->name = name_temp(e);
    text_line(e->out, "%s;", type_decl(e, i->type, p->name));
    const char *no = scalar_unary(e, OP_NOT, SCALAR_BOOL,
                                  (CText){value_text(e, i->args.items[0], PREC_UNARY), PREC_UNARY})
                         .text;
    text_open(e->out, "if (%s) {", i->kind == INST_LOGIC && i->op == OP_LOR ? no : first);
    stmt_write(e, i->blocks[0]);
    text_line(e->out, "%s = %s;", p->name, value_text(e, i->blocks[0]->result, PREC_ASSIGN));
    e->out->indent--;
    text_open(e->out, "} else {");
    if (i->kind == INST_COND) {
        stmt_write(e, i->blocks[1]);
        text_line(e->out, "%s = %s;", p->name, value_text(e, i->blocks[1]->result, PREC_ASSIGN));
    } else
        text_line(e->out, "%s = %s;", p->name, i->op == OP_LOR ? "true" : "false");
    text_close(e->out, "}");
    if (!i->uses)
        text_line(e->out, "(void)%s;", p->name);
}

/* Collects what the part of a kernel deactivates that a return ends: the task that would do so does
 * not come. */
static void
collect_early(Emit *e)
{
    for (int k = 0; e->fn.serial && k < e->fn.f->collect.count; k++)
        if (ir_deactivates(e->c, e->ir, e->fn.serial, e->fn.f->collect.items[k]))
            activity_collect(e, e->fn.f->collect.items[k]);
}

static void
emit_return(Emit *e, const Inst *i)
{
    const char *text = i->args.count ? value_text(e, i->args.items[0], PREC_ASSIGN) : NULL;
    if (e->fn.leave == LEAVE_STATUS) {
        if (text)
            text_line(e->out, "*result = %s;", text);
        collect_early(e);
        text_line(e->out, "%s", stmt_leave(e)); /* a function in the result may have failed */
    } else
        text_line(e->out, text ? "return %s;" : "return;", text);
}

static void
emit_break(Emit *e)
{
    if (!e->fn.loop || !e->fn.loop->nested) {
        text_line(e->out, "break;");
        return;
    }
    e->fn.loop->used = true;
    text_line(e->out, "goto %s;", e->fn.loop->label);
}

/* ---- calls, look-ups ---- */

static void
emit_call(Emit *e, const Inst *i)
{
    Plan *p = inline_plan_of(e, i);
    bool status = i->func->kind != FUNC_DEVICE && i->func->kind != FUNC_EXTERN;
    if (status) {
        if (i->type->kind != TYPE_VOID) {
            p->name = name_temp(e);
            text_line(e->out, i->type->kind == TYPE_SCALAR ? "%s = 0;" : "%s = {0};",
                      type_decl(e, i->type, p->name));
        }
        text_line(e->out, e->fn.may_have_failed ? "if (snl_failed(&self->rt) || %s)" : "if (%s)",
                  func_call(e, i));
        text_line(e->out, "    %s", stmt_leave(e));
        return;
    }
    define_used(e, i, func_call(e, i));
    if (!call_may_fail(e, i))
        return;
    if (e->fn.leave == LEAVE_STATUS)
        text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, i->span));
    stmt_check(e);
}

/* Sequential code ends where there is no memory for a cell; iterations of loops go on. */
static void
check_memory(Emit *e, const Inst *i)
{
    if (e->fn.leave != LEAVE_STATUS || !inst_may_fail(i))
        return;
    text_open(e->out, "if (snl_failed(&self->rt)) {");
    text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, i->span));
    text_line(e->out, "%s", stmt_leave(e));
    text_close(e->out, "}");
}

static void
emit_lookup(Emit *e, const Inst *i)
{
    Plan *p = inline_plan_of(e, i);
    if (neighbour_index_stays(e, i) && place_cell_at_hand(e, i->node)) {
        p->name = place_cell_at_hand(e, i->node);
        return;
    }
    if (neighbour_index_stays(e, i) && !neighbour_index_needs(e, i))
        return;
    const char *text = place_look_up(e, i);
    if (!p->uses && i->access == ACCESS_ACTIVATE && i->node->kind == NODE_BITMASKED) {
        text_line(e->out, "snl_mask_set(%s, %d, %s, %s);", place_tree(e, i->node->layout),
                  i->node->id - 1, place_mask(e, i->args.items[0]),
                  value_index(e, i->args.items[1], PREC_ASSIGN));
        return;
    }
    if (!p->uses) {
        if (i->access == ACCESS_ACTIVATE) {
            text_line(e->out, "%s;", text);
            text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, i->span));
        }
        return;
    }
    p->name = name_new(e, arena_printf(e->c->arena, "cell%d", ++e->temp_count));
    const char *type = type_cell(e, i->node),
               *cast = text[0] == '&' ? "" : arena_printf(e->c->arena, "(%s *)", type);
    text_line(e->out, "%s *const %s = %s%s;", type, p->name, cast, text);
    check_memory(e, i);
}

static void
emit_inst(Emit *e, const Inst *i)
{
    switch (i->kind) {
    case INST_STORE: emit_store(e, i); break;
    case INST_ATOMIC: emit_atomic(e, i); break;
    case INST_REDUCE: reductions_add(e, i); break;
    case INST_LOOKUP: case INST_LOOKUP_HASH: emit_lookup(e, i); break;
    case INST_CALL: emit_call(e, i); break;
    case INST_FETCH: prefetch_indirect_note(e, i); break;
    case INST_KEY: reorder_key(e, i); break;
    case INST_PATCH_NOTE: block_cache_note(e, i); break;
    case INST_IF: emit_if(e, i); break;
    case INST_WHILE: emit_while(e, i); break;
    case INST_FOR: loop_for(e, i); break;
    case INST_FOR_CELLS: loop_for_cells(e, i); break;
    case INST_LOOP: loop_write(e, i); break;
    case INST_INSIDE: loop_inside(e, i); break;
    case INST_INDEX: loop_index(e, i); break;
    case INST_AT_CELL: loop_at_cell(e, i); break;
    case INST_ITERATION:
        loop_start_iteration(e, i->index, value_text(e, i->args.items[0], PREC_ANY));
        break;
    case INST_STOP: stmt_check(e); break;
    case INST_ABREAST: outer_vector_block(e, i); break;
    case INST_BREAK: emit_break(e); break;
    case INST_CONTINUE: text_line(e->out, "continue;"); break;
    case INST_RETURN: emit_return(e, i); break;
    case INST_LOGIC: case INST_COND: emit_choice(e, i); break;
    case INST_CHECK_INDEX: case INST_CHECK_DIV: case INST_CHECK_SHIFT: case INST_CHECK_CAST:
    case INST_CHECK_INIT: case INST_CHECK_STACK:
        emit_check_inst(e, i);
        break;
    case INST_CHECK_OVERFLOW: emit_overflow(e, i); break;
    case INST_CHECK_RACE: races_check(e, i); break;
    case INST_PRINT:
        text_line(e->out, "snl_print(&self->rt, %s, %s);",
                  value_string(e, i->string, i->string_bytes), value_print_args(e, &i->args));
        break;
    case INST_ASSERT: emit_assert(e, i); break;
    case INST_ACTIVATE: case INST_DEACTIVATE: case INST_DEACTIVATE_ALL: case INST_APPEND:
    case INST_ACTIVATE_AS:
        activity_change(e, i);
        break;
    case INST_REQUIRE: case INST_FORMAT: case INST_CREATE: case INST_DESTROY: case INST_TRIM:
    case INST_FILL: case INST_COPY: case INST_KEEP: case INST_GIVE: case INST_SWAP:
    case INST_SAVE: case INST_LOADFILE: case INST_IMAGE:
        activity_host(e, i);
        break;
    default: { /* a value of its own */
        Plan *p = inline_plan_of(e, i);
        p->is_inline = true;
        const char *text = value_text(e, i, PREC_ASSIGN);
        p->is_inline = false;
        if (p->uses)
            define(e, i, i->type, text);
        else
            text_line(e->out, "(void)%s;", text);
        if (i->kind == INST_ACTIVE) {
            text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, i->span));
            stmt_check(e);
        }
        break;
    }
    }
}

void
stmt_write(Emit *e, Block *b)
{
    e->fn.waited = false;
    for (int n = 0; n < b->insts.count; n++) {
        Inst *i = b->insts.items[n];
        if (inline_plan_of(e, i)->is_inline)
            continue;
        gpu_sync_wait_for(e, i);
        stmt_line(e, i->span);
        emit_inst(e, i);
        if (i->kind == INST_CALL || i->blocks[0])
            e->fn.waited = false; /* it may have started something */
    }
    if (b->result)
        gpu_sync_wait_for(e, b->result);
}
