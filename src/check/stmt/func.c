/* Functions: their parameters and results, instances of generic ones, calls, bodies. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/c_words.h"
#include "base/diag_data.h"
#include "check/check_func.h"

enum { DEPTH_MAX = 200, NOTES_MAX = 8 };

/* ---- variables ---- */

/* ---- names ---- */

/* A name no other function has: the text as it is, or with a number. */
static const char *
unique_name(Checker *k, const char *text)
{
    char *name = arena_strndup(k->c->arena, text, strlen(text));
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    return unique_take(&k->unique, k->c->intern, name);
}

static bool
is_of_library(const Checker *k, Span span)
{
    const Source *f = source_find(&k->c->sources, span.from);
    return f && f->library;
}

static FuncInfo *
new_info(Checker *k, const Item *item, const char *name)
{
    FuncInfo *info = ARENA_NEW(k->c->arena, FuncInfo);
    info->item = item;
    info->func.kind = item->func;
    info->func.name = name;
    info->func.span = item->name.span;
    info->func.is_library = is_of_library(k, item->name.span);
    info->func.result = type_void(k->prog->types);
    return info;
}

/* Puts a function among those of the program, its body to be checked. */
static void
add_func(Checker *k, FuncInfo *info, const char *unique)
{
    Func *f = &info->func;
    f->unique = unique_name(k, unique);
    f->id = k->prog->funcs.count;
    vec_push(k->c->arena, &k->prog->funcs, f);
    vec_push(k->c->arena, &k->pending, f);
}

/* ---- parameters ---- */

static bool
is_auto(const TypeExpr *t)
{
    return t && t->kind == TE_AUTO;
}

/* Does the parameter stand for something of the program, not for a value? */
static bool
param_is_bound(const ParamDecl *p)
{
    return p->kind == PARAM_FIELD || p->kind == PARAM_NODE || p->kind == PARAM_FUNC;
}

bool
func_is_generic(const Item *item)
{
    for (int i = 0; i < item->params.count; i++) {
        const ParamDecl *p = &item->params.items[i];
        if (param_is_bound(p) || is_auto(p->type))
            return true;
    }
    return false;
}

/* Declares a value or inout parameter of the function in its scope. */
static Var *
add_param(Checker *k, FuncInfo *info, const ParamDecl *p, const Type *type)
{
    Symbol *sym = scope_declare(k, info->scope, SYM_VAR, p->name.text, p->name.span);
    Var *v = sym->var = func_new_var(k, VAR_ARG, p->name.text, type, p->name.span);
    sym->state = SYM_DONE;
    v->mode = p->kind;
    func_add_var(k, &info->func, v);
    vec_push(k->c->arena, &info->func.params, v);
    return v;
}

/* The type of a parameter that is not auto. */
static const Type *
param_type(Checker *k, Scope *s, const ParamDecl *p)
{
    const Type *type = check_local_type(k, s, p->type);
    if (p->type->array_dims && type->kind != TYPE_ERROR)
        return type_extern(k->prog->types, type, p->type->array_dims);
    return type;
}

/* Kinds of parameters that a kind of function cannot have. */
static void
check_param_kind(Checker *k, const Item *item, const ParamDecl *p)
{
    if (p->kind == PARAM_INOUT && item->func == FUNC_KERNEL)
        diag(k->c, E0313, p->span,
             "a kernel has no inout parameters; an array or a field can be written");
    else if (p->kind == PARAM_INOUT && p->type->array_dims)
        diag(k->c, E0313, p->span, "an array parameter is writable without inout");
}

void
check_extern_types(Checker *k, const Item *item)
{
    for (int i = 0; i < item->params.count; i++) {
        const ParamDecl *p = &item->params.items[i];
        if (param_is_bound(p) || is_auto(p->type))
            diag(k->c, E0313, p->span, "an extern function takes values and arrays");
    }
    if (item->type && is_auto(item->type))
        diag(k->c, E0315, item->type->span,
             "the result type of an extern function is not 'auto': what it is in C cannot be seen");
}

/* An extern function has no other name in C. Those that the program's own C has are known only when
 * that is written (emit_check_names). */
static void
check_extern_name(Checker *k, const Name *name)
{
    const bool runtime = c_is_of_runtime(name->text);
    if (runtime || c_has(name->text))
        diag_fix(diag(k->c, E0207, name->span,
                      "'%s' is a name of %s, which no extern function can have", name->text,
                      runtime ? "snlc's runtime" : "C, C++ or their headers"),
                 "another name");
}

static void
set_result(Checker *k, FuncInfo *info)
{
    const TypeExpr *t = info->item->type;
    if (!t)
        return;
    if (!is_auto(t))
        info->func.result = check_local_type(k, info->scope, t);
    else if (info->item->func == FUNC_EXTERN) /* check_extern_types has said so */
        info->func.result = type_error(k->prog->types);
    else
        info->auto_result = true;
}

Func *
func_of_symbol(Checker *k, Symbol *sym)
{
    if (sym->func || !sym->item || func_is_generic(sym->item))
        return sym->func;
    const Item *item = sym->item;
    FuncInfo *info = new_info(k, item, sym->name);
    sym->func = &info->func;
    info->scope = scope_new(k, sym->scope);
    if (item->func == FUNC_EXTERN)
        check_extern_name(k, &item->name);
    for (int i = 0; i < item->params.count; i++) {
        const ParamDecl *p = &item->params.items[i];
        check_param_kind(k, item, p);
        add_param(k, info, p, param_type(k, info->scope, p));
    }
    set_result(k, info);
    add_func(k, info, sym->name);
    return sym->func;
}

/* ---- bodies ---- */

/* Arguments that a kernel assigns are variables of the kernel; others are only read. */
static void
settle_arguments(Func *f)
{
    for (int i = 0; i < f->params.count; i++) {
        Var *v = f->params.items[i];
        v->kernel_level = f->kind == FUNC_KERNEL && v->is_mutable && v->type->kind != TYPE_EXTERN;
        v->shared = v->shared && v->kernel_level;
    }
}

static void
check_end(Checker *k, FuncInfo *info)
{
    Func *f = &info->func;
    if (info->auto_result && !info->auto_known) {
        f->result = type_error(k->prog->types);
        diag(k->c, E0315, f->span, "'%s' has the result type auto, but returns nothing", f->name);
    } else if (k->c->syntax_errors || info->return_lost) { /* a return may have been skipped */
    } else if (f->result->kind != TYPE_VOID && f->result->kind != TYPE_ERROR &&
               !stmts_end(&f->body->stmts)) {
        diag(k->c, E0310, f->span, "'%s' must return %s on every path", f->name, f->result->name);
    }
}

/* Uses in a branch that a static if left out are not known. */
static void
warn_unused(Checker *k, const FuncState *fs)
{
    for (int i = 0; !fs->left_out && !k->c->syntax_errors && i < fs->locals.count; i++) {
        const Symbol *sym = fs->locals.items[i];
        if (!sym->used && sym->name[0] != '_')
            diag(k->c, W0201, sym->span, "'%s' is never used", sym->name);
    }
}

/* Says for what an instance was made that has errors; `first` is the first of them. Of a long chain
 * of callers the nearest are told, and the one that began it. */
static void
note_caller(Checker *k, const FuncInfo *info, int first)
{
    for (int n = first; info->func.is_generic && n < k->c->diags.count; n++) {
        Diag *d = k->c->diags.items[n];
        if (d->severity != DIAG_ERROR)
            continue;
        if (d->notes.count >= NOTES_MAX)
            d->notes.count = NOTES_MAX - 1;
        diag_note(d, info->caller, "in '%s' with %s, called here", info->func.name,
                  info->func.doc_args);
    }
}

static void
check_func_body(Checker *k, FuncInfo *info)
{
    if (info->state != SYM_NEW || is_too_large(k, info->func.span))
        return;
    const Stmt *body = info->item->body;
    info->state = SYM_BUSY;
    if (body) {
        FuncState *outer = k->func;
        FuncState fs = {.info = info, .func = &info->func, .top = info->func.kind == FUNC_KERNEL};
        TStmts list = {0};
        int errors = k->c->error_count, first = k->c->diags.count;
        k->func = &fs;
        fs.out = &list;
        check_stmts(k, info->scope, body, &list);
        info->func.body = stmt_block(k, body->span, list);
        if (info->func.kind == FUNC_BENCHMARK && !fs.measure && k->c->error_count == errors)
            diag(k->c, E0509, info->func.span,
                 "this benchmark measures nothing; what is timed stands in while (measure()) { ... "
                 "}");
        if (k->c->error_count == errors) { /* what was left out may have returned */
            check_end(k, info);
            warn_unused(k, &fs);
        } else if (info->auto_result && !info->auto_known) {
            info->func.result = type_error(k->prog->types);
        }
        settle_arguments(&info->func);
        note_caller(k, info, first);
        k->func = outer;
    }
    info->state = SYM_DONE;
}

/* ---- instances ---- */

/* An instance in the making: what its parameters are bound to. */
typedef struct {
    FuncInfo *info;
    Text key, suffix, note;
} Instance;

static void
bind(Checker *k, Instance *in, const ParamDecl *p, SymKind kind, void *thing, const char *name)
{
    Symbol *sym = scope_declare(k, in->info->scope, kind, p->name.text, p->name.span);
    sym->state = SYM_DONE;
    vec_push(k->c->arena, &sym->members, (SymMember){-1, thing});
    text_add(&in->key, " %p", thing);
    text_add(&in->suffix, "_%s", name);
    text_add(&in->note, "%s%s = %s", in->note.count ? ", " : "", p->name.text, name);
}

/* Does the field have as many axes as the parameter asks for? */
static bool
has_axes(Checker *k, const ParamDecl *p, const Expr *arg, const Field *f)
{
    const int axes = p->type->array_dims;
    if (axes == ANY_AXES ? f->axis_count > 0 : f->axis_count == axes)
        return true;
    Diag *d = diag(k->c, E0313, arg->span, "parameter '%s' takes a field with %s, '%s' has %d",
                   p->name.text,
                   axes == ANY_AXES ? "axes"
                   : axes == 1      ? "1 axis"
                                    : arena_printf(k->c->arena, "%d axes", axes),
                   f->name, f->axis_count);
    diag_note(d, p->span, "the parameter is declared here");
    return false;
}

static bool
bind_field(Checker *k, Scope *s, Instance *in, const ParamDecl *p, const Expr *arg)
{
    bool failed;
    Field *f = named_field(k, s, arg, &failed);
    if (failed)
        return false;
    if (!f) {
        diag(k->c, E0313, arg->span, "parameter '%s' takes the name of a field", p->name.text);
        return false;
    }
    if (!is_auto(p->type)) {
        const Type *type = check_local_type(k, in->info->scope, p->type);
        if (type != f->type && type->kind != TYPE_ERROR) {
            Diag *d = diag(k->c, E0313, arg->span,
                           "parameter '%s' takes a field of %s, '%s' is one of %s", p->name.text,
                           type->name, f->name, f->type->name);
            diag_note(d, p->span, "the parameter is declared here");
            return false;
        }
    }
    if (!has_axes(k, p, arg, f))
        return false;
    bind(k, in, p, SYM_FIELD_ARG, f, f->name);
    return true;
}

static bool
bind_node(Checker *k, Scope *s, Instance *in, const ParamDecl *p, const Expr *arg)
{
    bool failed;
    Node *n = named_node(k, s, arg, &failed);
    if (failed)
        return false;
    if (!n) {
        if (arg->kind == EXPR_NAME && map_get(&k->c->lost, arg->name.text))
            return false;
        diag(k->c, E0313, arg->span, "parameter '%s' takes the label of a node", p->name.text);
        return false;
    }
    bind(k, in, p, SYM_NODE_ARG, n, n->label);
    return true;
}

static const char *
callable_word(FuncKind kind)
{
    return kind == FUNC_KERNEL ? "kernel" : kind == FUNC_HOST ? "host function" : "func";
}

/* The function that an argument names; NULL after a report. */
static Symbol *
given_func(Checker *k, Scope *s, const ParamDecl *p, const Expr *arg)
{
    const char *name = arg->kind == EXPR_NAME && !arg->name.number ? arg->name.text : NULL;
    Symbol *sym = name ? scope_find(s, name) : NULL;
    const FuncKind kind = sym && sym->kind == SYM_FUNC ? sym->item->func : FUNC_MAIN;
    if (kind == p->func || (kind == FUNC_EXTERN && p->func == FUNC_DEVICE))
        return sym;
    if (name && !sym && !built_in_call(name)) {
        scope_report_unknown(k, s, name, arg->span, callable_word(p->func));
        return NULL;
    }
    Diag *d = diag(k->c, E0313, arg->span, "parameter '%s' takes the name of a %s", p->name.text,
                   callable_word(p->func));
    diag_note(d, p->span, "the parameter is declared here");
    if (sym)
        diag_note(d, sym->span, "'%s' is declared here", name);
    else if (name && p->func == FUNC_DEVICE)
        diag_fix(d, "a func that calls the built-in '%s'", name);
    return NULL;
}

static const char *
result_text(Checker *k, const Type *t)
{
    return t->kind == TYPE_VOID ? "no result" : arena_printf(k->c->arena, "the result %s", t->name);
}

/* Reports a result that the parameter does not take. The one of a generic function is known only
 * where it is called. */
static bool
takes_result(Checker *k, const ParamDecl *p, const Expr *arg, Symbol *given, const Type *wanted)
{
    const Func *f = func_of_symbol(k, given);
    const TypeExpr *written = given->item->type;
    const Type *has = !written ? type_void(k->prog->types)
                      : f && !is_auto(written) ? f->result
                                               : NULL;
    if (!has || has->kind == TYPE_ERROR || (wanted ? has == wanted : has->kind != TYPE_VOID))
        return true;
    Diag *d = diag(k->c, E0313, arg->span, "parameter '%s' takes a %s with %s, '%s' has %s",
                   p->name.text, callable_word(p->func),
                   wanted ? result_text(k, wanted) : "a result", given->name, result_text(k, has));
    diag_note(d, p->span, "the parameter is declared here");
    return false;
}

/* The name of the parameter means the function, whose name messages about its calls tell. */
static bool
bind_func(Checker *k, Scope *s, Instance *in, const ParamDecl *p, const Expr *arg)
{
    Symbol *given = given_func(k, s, p, arg);
    if (!given)
        return false;
    const Type *wanted = !p->type           ? type_void(k->prog->types)
                         : is_auto(p->type) ? given->wanted
                                            : check_local_type(k, in->info->scope, p->type);
    if ((wanted && wanted->kind == TYPE_ERROR) || !takes_result(k, p, arg, given, wanted))
        return false;
    Symbol *sym = scope_declare(k, in->info->scope, SYM_FUNC, p->name.text, p->name.span);
    *sym = *given;
    sym->wanted = wanted;
    text_add(&in->key, " %p %p", (const void *)given->item, (const void *)given->scope);
    text_add(&in->suffix, "_%s", given->name);
    text_add(&in->note, "%s%s = %s", in->note.count ? ", " : "", p->name.text, given->name);
    return true;
}

/* The type an auto parameter gets from its argument; NULL after a report. */
static const Type *
auto_type(Checker *k, const ParamDecl *p, const TExpr *a)
{
    const Type *t = a->type;
    if (p->type->array_dims) {
        bool array = (t->kind == TYPE_EXTERN || t->kind == TYPE_ARRAY) &&
                     t->dim_count == p->type->array_dims;
        if (array)
            return type_extern(k->prog->types, t->elem, t->dim_count);
    } else if (type_is_arith(t) || t->kind == TYPE_STRUCT) {
        return t;
    }
    if (has_value(k, a))
        diag(k->c, E0313, a->span, "parameter '%s' cannot take %s", p->name.text, t->name);
    return NULL;
}

/* ---- arguments ---- */

static TExpr *
array_argument(Checker *k, TExpr *a, const Type *type, const char *what)
{
    const Type *t = a->type;
    if (tx_is_error(a))
        return a;
    bool array = (t->kind == TYPE_EXTERN || t->kind == TYPE_ARRAY) && a->kind == TX_VAR;
    if (!array || t->elem != type->elem || t->dim_count != type->dim_count) {
        diag(k->c, E0313, a->span, "%s takes an array %s, not %s", what, type->name, t->name);
        return tx_error(k, a->span);
    }
    if (t->kind == TYPE_ARRAY)
        a->var->is_mutable = true;
    return a;
}

static TExpr *
inout_argument(Checker *k, TExpr *a, const Type *type, const char *what)
{
    if (!check_assignable(k, a, what))
        return tx_error(k, a->span);
    if (a->type == type || type->kind == TYPE_ERROR)
        return a;
    diag(k->c, E0313, a->span, "%s is inout and takes a variable of type %s, not %s", what,
         type->name, a->type->name);
    return tx_error(k, a->span);
}

static TExpr *
argument(Checker *k, Scope *s, const Expr *arg, TExpr *checked, ParamKind mode, const Type *type,
         const char *what)
{
    TExpr *a = checked ? checked : check_expr(k, s, arg, type);
    if (mode == PARAM_INOUT)
        return inout_argument(k, a, type, what);
    if (type->kind == TYPE_EXTERN)
        return array_argument(k, a, type, what);
    return convert(k, a, type, what);
}

/* Binds one argument of a generic call; value arguments are pushed to args. */
static bool
bind_argument(Checker *k, Scope *s, Instance *in, const ParamDecl *p, const Expr *arg,
              const char *what, TExprs *args)
{
    if (p->kind == PARAM_FIELD)
        return bind_field(k, s, in, p, arg);
    if (p->kind == PARAM_NODE)
        return bind_node(k, s, in, p, arg);
    if (p->kind == PARAM_FUNC)
        return bind_func(k, s, in, p, arg);
    TExpr *checked = NULL;
    const Type *type;
    if (is_auto(p->type)) {
        checked = check_expr(k, s, arg, NULL);
        type = auto_type(k, p, checked);
        if (!type)
            return false;
        text_add(&in->key, " %p", (const void *)type);
        text_add(&in->suffix, "_%s", type->name);
        text_add(&in->note, "%s%s: %s", in->note.count ? ", " : "", p->name.text, type->name);
    } else {
        type = param_type(k, in->info->scope, p);
    }
    add_param(k, in->info, p, type);
    TExpr *a = argument(k, s, arg, checked, p->kind, type, what);
    vec_push(k->c->arena, args, a);
    return !tx_is_error(a);
}

static const char *
argument_text(Checker *k, int i, const char *name)
{
    return arena_printf(k->c->arena, "argument %d of '%s'", i + 1, name);
}

/* The instance for these arguments: an older one, or the one just made. */
static Func *
settle_instance(Checker *k, const Expr *call, Symbol *sym, Instance *in)
{
    const char *key = intern_str(k->c->intern, in->key.data);
    Func *known = map_get(&k->instances, key);
    if (known)
        return known;
    FuncInfo *info = in->info;
    info->depth = k->func ? k->func->info->depth + 1 : 1;
    if (info->depth > DEPTH_MAX) {
        diag(k->c, E0603, sym->span, "'%s' needs more than %d instances inside of each other",
             sym->name, DEPTH_MAX);
        return NULL;
    }
    info->caller = call->span;
    info->func.is_generic = true;
    info->func.doc_args = in->note.data;
    map_put(&k->instances, key, &info->func);
    set_result(k, info);
    add_func(k, info, arena_printf(k->c->arena, "%s_%s", sym->name, in->suffix.data));
    return &info->func;
}

static Func *
find_instance(Checker *k, Scope *s, const Expr *e, Symbol *sym, TExprs *args)
{
    const Item *item = sym->item;
    Instance in = {.info = new_info(k, item, sym->name)};
    bool fine = true;
    text_init(&in.key, k->c->arena);
    text_init(&in.suffix, k->c->arena);
    text_init(&in.note, k->c->arena);
    text_add(&in.key, "%p %p", (const void *)item, (const void *)sym->scope);
    in.info->scope = scope_new(k, sym->scope);
    for (int i = 0; i < item->params.count; i++) {
        check_param_kind(k, item, &item->params.items[i]);
        fine = bind_argument(k, s, &in, &item->params.items[i], e->args.items[i],
                             argument_text(k, i, sym->name), args) &&
               fine;
    }
    return fine ? settle_instance(k, e, sym, &in) : NULL;
}

/* ---- calls ---- */

/* E0503 for kernels and host functions called from a kernel or function. */
static bool
may_call(Checker *k, const Expr *e, const Symbol *sym)
{
    FuncKind kind = sym->item->func;
    if ((kind != FUNC_KERNEL && kind != FUNC_HOST) || in_host(k))
        return true;
    Diag *d = diag(k->c, E0503, e->span, "%s '%s' can be called from host code only",
                   callable_word(kind), sym->name);
    diag_note(d, sym->span, "'%s' is declared here", sym->name);
    diag_fix(d, "a func, which both can call; or a host function that calls one after the other");
    return false;
}

/* The type of the result; for auto the body must be known. */
static const Type *
known_result(Checker *k, const Expr *e, Func *f)
{
    FuncInfo *info = (FuncInfo *)f;
    if (!info->auto_result || info->auto_known)
        return f->result;
    if (info->state == SYM_NEW)
        check_func_body(k, info);
    if (info->auto_known || f->result->kind == TYPE_ERROR)
        return f->result;
    Diag *d =
        diag(k->c, E0315, e->span,
             "the result type of '%s' depends on itself here; write it instead of auto", f->name);
    diag_note(d, f->span, "'%s' is declared here", f->name);
    return type_error(k->prog->types);
}

/* Has the call of a function parameter the result that this asks for? */
static bool
gives_wanted(Checker *k, const Expr *e, const Symbol *sym, const Type *result)
{
    if (!sym->wanted || result == sym->wanted)
        return true;
    diag(k->c, E0313, e->span, "the parameter asks for %s, '%s' gives %s here",
         result_text(k, sym->wanted), sym->name, result_text(k, result));
    return false;
}

/* A whole field as argument i, which is an array: true after a report, which tells how a parameter
 * takes fields. */
static bool
is_whole_field(Checker *k, Scope *s, const Expr *call, const Symbol *sym, int i)
{
    const ParamDecl *p = &sym->item->params.items[i];
    const Expr *arg = call->args.items[i];
    bool failed, array = p->kind == PARAM_VALUE && p->type->array_dims;
    const Field *f = array && arg->kind == EXPR_NAME ? named_field(k, s, arg, &failed) : NULL;
    if (!f || !f->axis_count)
        return false;
    Diag *d = diag(k->c, E0313, arg->span, "%s takes an array, and '%s' is a field",
                   argument_text(k, i, sym->name), f->name);
    diag_note(d, p->span, "the parameter is declared here");
    if (sym->item->func != FUNC_EXTERN)
        diag_fix(d, "declare the parameter as 'field %s %s'",
                 type_extern(k->prog->types, f->type, f->axis_count)->name, p->name.text);
    return true;
}

TExpr *
check_user_call(Checker *k, Scope *s, const Expr *e, Symbol *sym)
{
    int count = sym->item->params.count;
    TExprs args = {0};
    if (!may_call(k, e, sym) ||
        !check_count(k, e, arena_printf(k->c->arena, "'%s'", sym->name), count, count))
        return tx_error(k, e->span);
    bool fine = true;
    for (int i = 0; i < count; i++)
        fine = !is_whole_field(k, s, e, sym, i) && fine;
    if (!fine)
        return tx_error(k, e->span);
    Func *f = func_of_symbol(k, sym);
    if (!f)
        f = find_instance(k, s, e, sym, &args);
    else
        for (int i = 0; i < count; i++) {
            Var *p = f->params.items[i];
            TExpr *a = argument(k, s, e->args.items[i], NULL, p->mode, p->type,
                                argument_text(k, i, sym->name));
            fine = fine && !tx_is_error(a);
            vec_push(k->c->arena, &args, a);
        }
    if (!f || !fine)
        return tx_error(k, e->span);
    const Type *result = known_result(k, e, f);
    if (result->kind == TYPE_ERROR || !gives_wanted(k, e, sym, result))
        return tx_error(k, e->span);
    TExpr *t = tx_new(k, TX_CALL, result, e->span);
    t->func = f;
    t->args = args;
    note_reached(k, f, &args);
    note_host_call(k, t);
    return t;
}

/* ---- all of them ---- */

static void
add_block(Checker *k, Scope *s, const Item *item)
{
    bool is_main = item->func == FUNC_MAIN;
    FuncInfo *info = new_info(k, item, item->name.text);
    Func *f = &info->func;
    info->scope = scope_new(k, s);
    if (!is_main) {
        const Attribute *fails = find_attribute(&item->attrs, "fails");
        f->title = item->title;
        f->check_build = find_attribute(&item->attrs, "check") != NULL;
        if (fails && fails->args.count == 1 && fails->args.items[0]->kind == EXPR_STRING)
            f->fails = fails->args.items[0]->string;
        else if (fails && fails->args.count == 1 && fails->args.items[0]->kind != EXPR_ERROR)
            diag(k->c, E0109, fails->span, "@fails takes a text in quotes");
        f->unique = unique_name(
            k, arena_printf(k->c->arena, "%s_%d", item->name.text, k->prog->tests.count + 1));
        f->id = k->prog->tests.count;
        vec_push(k->c->arena, &k->prog->tests, f);
    } else {
        f->unique = unique_name(k, "main");
        if (!k->prog->main)
            k->prog->main = f;
    }
    vec_push(k->c->arena, &k->pending, f);
}

/* Functions of the standard library are made when a body calls them. */
void
check_functions(Checker *k)
{
    for (int i = 0; i < k->symbols.count; i++) {
        Symbol *sym = k->symbols.items[i];
        if (sym->kind == SYM_FUNC && sym->item && !is_of_library(k, sym->span) &&
            !is_too_large(k, sym->span))
            func_of_symbol(k, sym);
    }
    for (int i = 0; i < k->blocks.count && !is_too_large(k, k->blocks.items[i]->span); i++)
        add_block(k, k->block_scopes.items[i], k->blocks.items[i]);
    for (int i = 0; i < k->pending.count; i++) /* grows by the instances that bodies need */
        check_func_body(k, (FuncInfo *)k->pending.items[i]);
}
