/* Functions: signatures, calls, and the bodies of all functions but kernels. */
#include "config.h"

#include <string.h>

#include "emit/code/code.h"
#include "ir/inst_info.h"

/* ---- which functions are there ---- */

bool
func_is_exported(const Func *f)
{
    return (f->kind == FUNC_KERNEL || f->kind == FUNC_HOST) && !f->is_generic && !f->is_library;
}

bool
func_is_public(const Emit *e, const Func *f)
{
    return func_is_exported(f) && !e->o->closed;
}

bool
func_is_root(Emit *e, const Func *f)
{
    if (f->kind == FUNC_MAIN)
        return e->o->with_main;
    if (f->kind == FUNC_TEST)
        return e->o->with_tests && f->check_build == e->o->check_tests_only;
    if (f->kind == FUNC_BENCHMARK)
        return e->o->with_benchmarks;
    return func_is_public(e, f);
}

static bool
is_callable(const Func *f)
{
    return !func_is_block(f->kind);
}

/* What exported functions, main, tests and benchmarks may call. */
static bool *
reachable(Emit *e)
{
    bool *reached = ARENA_ARRAY(e->c->arena, bool, e->p->funcs.count);
    VEC(const IrFunc *) work = {0};
    for (int i = 0; i < e->ir->funcs.count; i++) {
        const IrFunc *f = e->ir->funcs.items[i];
        if (!func_is_root(e, f->func))
            continue;
        if (is_callable(f->func))
            reached[f->func->id] = true;
        vec_push(e->c->arena, &work, f);
    }
    while (work.count) {
        const IrFunc *f = work.items[--work.count];
        for (int i = 0; i < f->calls.count; i++) {
            const Func *g = f->calls.items[i];
            if (!reached[g->id])
                vec_push(e->c->arena, &work, ir_func(e->ir, g));
            reached[g->id] = true;
        }
    }
    return reached;
}

/* ---- who needs the instance ---- */

typedef struct {
    Emit *e;
    bool needs;
} Need;

static void
note_need(Inst *i, void *arg)
{
    Need *need = arg;
    switch (i->kind) {
    case INST_CONST: case INST_STRING: case INST_SAME_TEXT:
    case INST_UNARY: case INST_BINARY: case INST_CAST:
    case INST_BITCAST: case INST_SPLAT: case INST_MAKE:
    case INST_GET: case INST_GET_AT: case INST_FMA: case INST_BUILTIN: case INST_SELECT:
    case INST_LOGIC: case INST_COND: case INST_RANDOM:
    case INST_VAR: case INST_TABLE: case INST_ELEM: case INST_MEMBER: case INST_LOAD:
    case INST_IF: case INST_WHILE:
    case INST_FOR: case INST_BREAK: case INST_CONTINUE: case INST_RETURN:
        return;
    case INST_STORE: need->needs = need->needs || inst_takes_memory(i); return;
    case INST_EXTENT: need->needs = need->needs || i->field || i->node; return;
    case INST_CALL: /* after a call that may fail the instance is asked */
        if (i->func->kind == FUNC_DEVICE)
            need->needs = need->needs || need->e->needs_self[i->func->id] ||
                          ir_func(need->e->ir, i->func)->may_fail;
        else
            need->needs = need->needs || i->func->kind != FUNC_EXTERN;
        return;
    default: need->needs = true;
    }
}

/* Functions that only compute do not take the program as an argument, nor do those that call
 * nothing else. */
static void
find_needs(Emit *e)
{
    e->needs_self = ARENA_ARRAY(e->c->arena, bool, e->p->funcs.count);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < e->ir->funcs.count; i++) {
            IrFunc *f = e->ir->funcs.items[i];
            Need need = {.e = e};
            if (f->func->kind != FUNC_DEVICE || e->needs_self[f->func->id])
                continue;
            block_walk(f->body, note_need, &need);
            more = more || need.needs;
            e->needs_self[f->func->id] = need.needs;
        }
    }
}

static bool
takes_self(Emit *e, const Func *f)
{
    return f->kind != FUNC_EXTERN && (f->kind != FUNC_DEVICE || e->needs_self[f->id]);
}

/* ---- signatures ---- */

/* One more in a list. */
static const char *
and_also(Emit *e, const char *list, const char *item)
{
    return *list ? arena_printf(e->c->arena, "%s, %s", list, item) : item;
}

static const char *
parameter_text(Emit *e, const Func *f, const Var *v, bool header)
{
    const char *name = name_argument(e, f, v, header);
    if (v->type->kind == TYPE_EXTERN) {
        const char *text = type_var_decl(e, v, name);
        for (int d = 0; d < v->type->dim_count; d++)
            text = arena_printf(e->c->arena, "%s, int64_t %s_n%d", text, name, d);
        return text;
    }
    return type_decl(e, v->type,
                     v->mode == PARAM_INOUT ? arena_printf(e->c->arena, "*%s", name) : name);
}

bool
func_returns_status(const Func *f)
{
    return f->kind == FUNC_KERNEL || f->kind == FUNC_HOST;
}

/* The parameters in C. */
static const char *
parameters(Emit *e, const Func *f, bool header)
{
    const char *text = "";
    if (func_is_block(f->kind))
        return "void *program";
    if (takes_self(e, f))
        text = arena_printf(e->c->arena, "%s *%s", e->prefix, header ? "program" : "self");
    if (f->kind == FUNC_DEVICE && ir_func(e->ir, f)->uses_random)
        text = and_also(e, text, "SnlRandom *rng");
    if (f->kind == FUNC_DEVICE && ir_func(e->ir, f)->checks_races)
        text = and_also(e, text, "uint64_t iteration");
    for (int i = 0; i < f->params.count; i++)
        text = and_also(e, text, parameter_text(e, f, f->params.items[i], header));
    if (func_returns_status(f) && f->result->kind != TYPE_VOID)
        text = and_also(e, text, type_decl(e, f->result, "*result"));
    return *text ? text : "void";
}

static const char *
return_type(Emit *e, const Func *f)
{
    if (func_is_block(f->kind))
        return "int";
    return func_returns_status(f) ? "snl_status" : type_c(e, f->result);
}

/* Does a function that calls itself ask for much of the stack? */
static bool
has_large_frames(const Emit *e, const Func *f)
{
    enum { LARGE = 4096 };
    const Inst *check = func_is_block(f->kind) ? NULL : ir_stack_check(e->ir->by_id[f->id]);
    return check && check->stack_bytes >= LARGE;
}

/* What stands before the type of a function that no other file sees. */
static const char *
storage(Emit *e, const Func *f)
{
    return arena_printf(e->c->arena, "%sstatic %s",
                        f->kind == FUNC_DEVICE && e->o->gpu ? "SNL_BOTH " : "",
                        has_large_frames(e, f) ? "SNL_FRAME " : "");
}

const char *
func_signature(Emit *e, const Func *f, bool header)
{
    return arena_printf(e->c->arena, "%s %s(%s)", return_type(e, f), name_func(e, f),
                        parameters(e, f, header));
}

void
func_head(Emit *e, const IrFunc *code)
{
    const Func *f = code->func;
    stmt_line_of_head(e, f->span);
    text_line(e->out, "%s%s%s", func_is_public(e, f) ? "" : storage(e, f),
              code->large ? "SNL_LARGE " : "", return_type(e, f));
    text_line(e->out, "%s(%s)", name_func(e, f), parameters(e, f, false));
    text_open(e->out, "{");
}

/* An array comes from C. */
static void
check_array(Emit *e, const Func *f, const Var *v)
{
    if (v->type->kind != TYPE_EXTERN)
        return;
    const char *name = name_argument(e, f, v, false), *extents = "";
    for (int d = 0; d < v->type->dim_count; d++)
        extents = arena_printf(e->c->arena, "%s, %s_n%d", extents, name, d);
    text_line(e->out, "if (snl_check_array(&self->rt, \"%s\", %s, %s, %d%s) != SNL_OK)", v->name,
              name, v->is_measured ? "INT32_MAX" : "INT64_MAX", v->type->dim_count, extents);
    text_line(e->out, "    return SNL_EINVAL;");
}

void
func_begin_errors(Emit *e, const Func *f)
{
    text_line(e->out, "snl_clear_error(&self->rt);");
    if (!func_is_public(e, f) || !func_returns_status(f))
        return;
    for (int i = 0; i < f->params.count; i++)
        check_array(e, f, f->params.items[i]);
    if (f->result->kind == TYPE_VOID)
        return;
    text_line(e->out, "if (!result)");
    text_line(e->out,
              "    return snl_fail(&self->rt, SNL_EINVAL, NULL, 0, \"%s is given no place for its "
              "result\");",
              f->unique);
}

/* ---- calls ---- */

static const char *
array_argument(Emit *e, const Inst *a)
{
    const Type *t = a->type;
    const char *text = e->fn.var_text[a->var->id];
    if (t->kind == TYPE_EXTERN) {
        const char *name = text;
        for (int d = 0; d < t->dim_count; d++)
            text = arena_printf(e->c->arena, "%s, %s_n%d", text, name, d);
        return text;
    }
    text = arena_printf(e->c->arena, "&%s", text);
    for (int d = 0; d < t->dim_count; d++)
        text = arena_printf(e->c->arena, "%s[0]", text);
    for (int d = 0; d < t->dim_count; d++)
        text = arena_printf(e->c->arena, "%s, %lld", text, (long long)t->dims[d]);
    return text;
}

static const char *
argument(Emit *e, const Var *v, const Inst *a)
{
    if (v->type->kind == TYPE_EXTERN)
        return array_argument(e, a);
    return v->mode == PARAM_INOUT ? place_address(e, place_text(e, a))
                                  : value_text(e, a, PREC_ASSIGN);
}

const char *
func_call(Emit *e, const Inst *i)
{
    const Func *f = i->func;
    const char *text = takes_self(e, f) ? "self" : "";
    if (f->kind == FUNC_DEVICE && ir_func(e->ir, f)->uses_random)
        text = and_also(e, text, e->fn.random_ref);
    if (f->kind == FUNC_DEVICE && ir_func(e->ir, f)->checks_races)
        text = and_also(e, text, e->fn.iteration_ref);
    for (int k = 0; k < i->args.count; k++)
        text = and_also(e, text, argument(e, f->params.items[k], i->args.items[k]));
    if (func_returns_status(f) && f->result->kind != TYPE_VOID)
        text = and_also(e, text, arena_printf(e->c->arena, "&%s", inline_plan_of(e, i)->name));
    return arena_printf(e->c->arena, "%s(%s)", name_func(e, f), text);
}

/* ---- bodies ---- */

static void
note_used(Inst *i, void *arg)
{
    Emit *e = arg;
    if (i->kind == INST_STORE && i->defines) {
        const int id = i->args.items[0]->var->id;
        e->fn.defined_again[id] |= e->fn.defined[id];
        e->fn.defined[id] = true;
    }
    bool reads = i->kind == INST_LOAD || i->kind == INST_ATOMIC || i->kind == INST_ADDRESS ||
                 i->kind == INST_CALL || i->kind == INST_EXTENT || i->kind == INST_REDUCE;
    for (int a = 0; reads && a < i->args.count; a++) {
        const Inst *p = i->args.items[a];
        while (p->kind == INST_ELEM || p->kind == INST_MEMBER)
            p = p->args.items[0];
        if (p->kind == INST_VAR)
            e->fn.used[p->var->id] = true;
    }
}

static void
note_used_in(Block *b, void *arg)
{
    block_walk(b, note_used, arg);
}

/* What host code does itself and records errors of. */
static void
note_failure(Inst *i, void *arg)
{
    bool *fails = arg;
    switch (i->kind) {
    case INST_ACTIVATE: case INST_DEACTIVATE: case INST_DEACTIVATE_ALL: case INST_APPEND:
    case INST_ACTIVATE_AS:
    case INST_FOR_CELLS: case INST_PRINT:
        *fails = true;
        break;
    case INST_LOOKUP: case INST_LOOKUP_HASH: *fails = *fails || i->access == ACCESS_ACTIVATE; break;
    default: break;
    }
}

void
func_begin(Emit *e, IrFunc *f)
{
    int n = f->vars.count;
    e->fn = (FuncState){.f = f,
                   .name = name_func(e, f->func),
                   .plans = e->fn.plans,
                   .plan_room = e->fn.plan_room};
    e->fn.numbers = ARENA_ARRAY(e->c->arena, bool, n);
    inline_plan_func(e, f);
    e->fn.var_text = ARENA_ARRAY(e->c->arena, const char *, n);
    e->fn.wide = ARENA_ARRAY(e->c->arena, bool, n);
    e->fn.far = ARENA_ARRAY(e->c->arena, bool, n);
    e->fn.used = ARENA_ARRAY(e->c->arena, bool, n);
    e->fn.defined = ARENA_ARRAY(e->c->arena, bool, n);
    e->fn.defined_again = ARENA_ARRAY(e->c->arena, bool, n);
    e->fn.loop_local = ARENA_ARRAY(e->c->arena, bool, n);
    e->fn.loop_written = ARENA_ARRAY(e->c->arena, bool, n);
    ir_walk_blocks(f, note_used_in, e);
    unique_init(&e->fn.taken, e->c->arena);
    for (int i = 0; i < n; i++)
        e->fn.var_text[i] = name_clean(e, f->vars.items[i]->name);
    for (int i = 0; i < f->func->params.count; i++) {
        const Var *v = f->func->params.items[i];
        const char *name = name_argument(e, f->func, v, false);
        unique_take(&e->fn.taken, e->c->intern, name);
        e->fn.var_text[v->id] = v->mode == PARAM_INOUT && v->type->kind != TYPE_EXTERN
                                    ? arena_printf(e->c->arena, "(*%s)", name)
                                    : name;
    }
    e->fn.iteration_ref =
        f->func->kind == FUNC_DEVICE && f->checks_races ? "iteration" : "SNL_SEQUENTIAL";
    e->temp_count = e->label_count = e->loop_count = 0;
    if (f->func->kind != FUNC_DEVICE && f->func->kind != FUNC_KERNEL)
        block_walk(f->body, note_failure, &e->fn.may_have_failed);
}

void
func_parameters(Emit *e, const IrFunc *f)
{
    if (takes_self(e, f->func))
        declarations_parameter(e, "self");
    if (f->func->kind == FUNC_DEVICE && f->uses_random)
        declarations_parameter(e, "rng");
    if (f->func->kind == FUNC_DEVICE && f->checks_races)
        declarations_parameter(e, "iteration");
    for (int i = 0; i < f->func->params.count; i++) {
        const Var *v = f->func->params.items[i];
        const char *name = name_argument(e, f->func, v, false);
        declarations_parameter(e, name);
        for (int d = 0; v->type->kind == TYPE_EXTERN && d < v->type->dim_count; d++)
            declarations_parameter(e, arena_printf(e->c->arena, "%s_n%d", name, d));
    }
}

static void
emit_body(Emit *e, IrFunc *f)
{
    Func *func = f->func;
    Body body;
    bool program = func_is_block(func->kind);
    func_begin(e, f);
    e->out = &e->code;
    e->fn.on_gpu = func->kind == FUNC_DEVICE;
    e->fn.leave = func->kind != FUNC_DEVICE         ? LEAVE_STATUS
                  : func->result->kind == TYPE_VOID ? LEAVE_VOID
                                                    : LEAVE_VALUE;
    e->fn.random_ref = func->kind == FUNC_DEVICE ? "rng" : "&self->rt.random";
    func_head(e, f);
    if (program)
        text_line(e->out, "%s *const self = (%s *)program;", e->prefix, e->prefix);
    declarations_begin(e, &body);
    func_parameters(e, f);
    if (func->kind != FUNC_DEVICE)
        func_begin_errors(e, func);
    else
        place_cache_begin(e, &f->body, 1, NULL, NULL);
    stmt_write(e, f->body);
    if (func->kind != FUNC_DEVICE)
        stmt_last_return(e, f->body);
    declarations_end(e, &body);
    text_close(e->out, "}");
    text_newline(e->out);
}

void
func_all(Emit *e)
{
    bool *reached = reachable(e);
    find_needs(e);
    for (int i = 0; i < e->ir->funcs.count; i++) {
        IrFunc *f = e->ir->funcs.items[i];
        if (is_callable(f->func) ? !reached[f->func->id] : !func_is_root(e, f->func))
            continue;
        if (f->func->kind != FUNC_EXTERN && !func_is_public(e, f->func))
            text_line(&e->prototypes, "%s%s;", storage(e, f->func),
                      func_signature(e, f->func, false));
    }
    for (int i = 0; i < e->ir->funcs.count; i++) {
        IrFunc *f = e->ir->funcs.items[i];
        if (is_callable(f->func) ? !reached[f->func->id] : !func_is_root(e, f->func))
            continue;
        Arena *arena = e->c->arena;
        e->c->arena = e->c->scratch; /* the text of expressions ends with the function */
        if (f->func->kind == FUNC_KERNEL)
            task_kernel(e, f);
        else if (f->func->kind != FUNC_EXTERN)
            emit_body(e, f);
        e->c->arena = arena;
        arena_reset(e->c->scratch);
    }
}
