/* How the iterations of a parallel loop use fields: which elements an iteration has for itself, and
 * to which adjoints several of them may add. */
#include "config.h"

#include "ad/inside.h"

typedef struct {
    Ad *ad;
    const TStmt *loop;
    FieldUse *uses;
    VEC(const Func *) seen;
    bool is_called;             /* inside of a function */
    const TStmt *topology;      /* what changes which cells are active */
    int (*positions)[AXIS_MAX]; /* by field: number of the index that each loop variable is */
} Survey;

static void survey_stmt(Survey *s, const TStmt *st);

static const TExpr *
without_cast(const TExpr *e)
{
    while (e->kind == TX_CAST && type_is_integer(e->a->type))
        e = e->a;
    return e;
}

static bool
is_variable(const TExpr *index, const Var *v)
{
    index = without_cast(index);
    return index->kind == TX_VAR && index->var == v;
}

/* Does no other iteration use the element? Each variable of the loop must be an index, in all
 * elements the same one. */
static bool
is_own(Survey *s, const TExpr *e)
{
    const FieldUse *u = &s->uses[e->field->id];
    if (s->is_called || s->loop->vars.count > AXIS_MAX)
        return false;
    for (int v = 0; v < s->loop->vars.count; v++) {
        int at = -1;
        for (int i = 0; i < e->args.count && at < 0; i++)
            if (is_variable(e->args.items[i], s->loop->vars.items[v]))
                at = i;
        int *known = &s->positions[e->field->id][v];
        if (at < 0 || (u->element && *known != at))
            return false;
        *known = at;
    }
    return s->loop->kind != TS_CELLS || s->loop->node;
}

/* Are the indices of an element those of the iteration alone? */
static bool
is_fixed(const Survey *s, const TExpr *e)
{
    for (int i = 0; i < e->args.count; i++) {
        const TExpr *index = without_cast(e->args.items[i]);
        bool is_known = index->kind == TX_CONST;
        for (int v = 0; v < s->loop->vars.count; v++)
            is_known = is_known || is_variable(index, s->loop->vars.items[v]);
        if (!is_known)
            return false;
    }
    return true;
}

static FieldUse *
use_element(Survey *s, const TExpr *e)
{
    FieldUse *u = &s->uses[e->field->id];
    u->is_far = !is_own(s, e) || u->is_far;
    u->is_called = u->is_called || s->is_called;
    if (!u->element)
        u->element = e;
    return u;
}

static void
survey_store(Survey *s, const TExpr *place, bool adds)
{
    const TExpr *root = root_of(place);
    if (root->kind != TX_FIELD)
        return;
    FieldUse *u = use_element(s, root);
    if (adds)
        u->is_added = true;
    else
        u->is_stored = true;
    if (!is_fixed(s, root) || (u->stored && !is_same_element(root, u->stored)))
        u->is_moving = true;
    if (!u->stored)
        u->stored = root;
}

static void
survey_func(Survey *s, const Func *f)
{
    for (int i = 0; i < s->seen.count; i++)
        if (s->seen.items[i] == f)
            return;
    vec_push(s->ad->c->scratch, &s->seen, f);
    const bool outer = s->is_called;
    s->is_called = true;
    survey_stmt(s, f->body);
    s->is_called = outer;
}

static void
survey_expr(Survey *s, const TExpr *e)
{
    if (!e)
        return;
    if (e->kind == TX_FIELD)
        use_element(s, e)->is_read = true;
    if (e->kind == TX_ATOMIC) {
        survey_store(s, e->a, e->atomic == ATOMIC_ADD || e->atomic == ATOMIC_SUB);
        for (int i = 0; i < root_of(e->a)->args.count; i++)
            survey_expr(s, root_of(e->a)->args.items[i]);
    } else {
        survey_expr(s, e->a);
    }
    survey_expr(s, e->b);
    survey_expr(s, e->c);
    for (int i = 0; i < e->args.count; i++) {
        if (e->kind == TX_CALL && e->func->params.items[i]->mode == PARAM_INOUT)
            survey_store(s, e->args.items[i], false);
        survey_expr(s, e->args.items[i]);
    }
    if (e->kind == TX_CALL)
        survey_func(s, e->func);
}

static void
survey_target(Survey *s, const TStmt *st)
{
    const TExpr *e = st->target;
    survey_store(s, e, st->op == OP_ADD || st->op == OP_SUB);
    for (; e->kind == TX_ELEM || e->kind == TX_MEMBER || e->kind == TX_SWIZZLE; e = e->a)
        for (int i = 0; i < e->args.count; i++)
            survey_expr(s, e->args.items[i]);
    for (int i = 0; i < e->args.count; i++)
        survey_expr(s, e->args.items[i]);
}

static void
survey_stmt(Survey *s, const TStmt *st)
{
    if (!st)
        return;
    const bool is_append = st->value && st->value->kind == TX_APPEND;
    if (st->kind == TS_ACTIVATE || st->kind == TS_DEACTIVATE || st->kind == TS_DEACTIVATE_ALL ||
        is_append)
        s->topology = st;
    if (st->kind == TS_ASSIGN)
        survey_target(s, st);
    for (int i = 0; i < st->stmts.count; i++)
        survey_stmt(s, st->stmts.items[i]);
    survey_expr(s, st->value);
    for (int i = 0; i < st->from.count; i++) {
        survey_expr(s, st->from.items[i]);
        survey_expr(s, st->to.items[i]);
        survey_expr(s, st->step.items[i]);
    }
    survey_stmt(s, st->body);
    survey_stmt(s, st->orelse);
}

void
func_fields(Ad *ad, const Func *f, bool *is_read, bool *is_stored)
{
    const TStmt none = {.kind = TS_RANGE};
    const int count = ad->p->fields.count;
    Survey s = {.ad = ad, .loop = &none, .uses = ARENA_ARRAY(ad->c->scratch, FieldUse, count)};
    s.positions = (int(*)[AXIS_MAX])ARENA_ARRAY(ad->c->scratch, int, count *AXIS_MAX);
    survey_func(&s, f);
    for (int i = 0; i < count; i++) {
        is_read[i] = is_read[i] || s.uses[i].is_read;
        is_stored[i] = is_stored[i] || s.uses[i].is_stored || s.uses[i].is_added;
    }
}

/* Is what the loop does with a field something that reverse mode takes back? */
static void
check_use(Reverse *r, const Field *f, FieldUse *u, Span at)
{
    Ad *ad = r->forward.ad;
    const bool changes = u->is_added || u->is_stored;
    if (changes && !field_is_dense(f) &&
        (u->is_far || r->loop->kind != TS_CELLS || r->loop->node != f->node))
        reverse_refuse(r, at,
                       arena_printf(ad->c->arena,
                                    "a loop that stores to '%s', which lies in a "
                                    "sparse node, elsewhere than in its own cells",
                                    f->name),
                       "a dense layout, or jvp { … }");
    if (!f->adjoint || !u->is_far || !changes)
        return;
    if (u->is_added && (u->is_read || u->is_stored))
        reverse_refuse(r, at,
                       arena_printf(ad->c->arena,
                                    "a loop that adds to '%s' and also reads or "
                                    "stores it, where iterations meet",
                                    f->name),
                       "a loop of its own for each");
    else if (!f->axis_count && u->is_read)
        reverse_refuse(r, at,
                       arena_printf(ad->c->arena,
                                    "a loop whose iterations store and read "
                                    "'%s'",
                                    f->name),
                       "a sum");
}

void
field_uses(Reverse *r, const TStmt *loop)
{
    Ad *ad = r->forward.ad;
    const int count = ad->p->fields.count;
    Survey s = {.ad = ad, .loop = loop, .uses = ARENA_ARRAY(ad->c->scratch, FieldUse, count)};
    s.positions = (int(*)[AXIS_MAX])ARENA_ARRAY(ad->c->scratch, int, count *AXIS_MAX);
    survey_stmt(&s, loop->body);
    if (s.topology)
        reverse_refuse(r, s.topology->span, "what changes which cells are active", "jvp { … }");
    for (int i = 0; i < count; i++) {
        FieldUse *u = &s.uses[i];
        if (u->is_added && !u->is_far) {
            u->is_added = false;
            u->is_stored = true;
        }
        check_use(r, ad->p->fields.items[i], u, loop->span);
    }
    r->uses = s.uses;
}
