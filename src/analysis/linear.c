/* Takes the numbers of cells apart into terms. */
#include "config.h"

#include "analysis/linear.h"

#include "analysis/equal_values.h"
#include "ir/inst_info.h"

enum { DEPTH_MOST = 32, CONSTANT_MOST = 1 << 20 };

typedef struct {
    const AffineFacts *x;
    const Task *t;
    Linear sum;
} Reader;

/* Is it an element of a field, at an index that follows from those of the task's loop alone? */
static bool
is_element(const Task *t, const Inst *i, int depth)
{
    if (i->kind == INST_VAR)
        return task_has_var(t, i->var);
    if (depth > DEPTH_MOST || (i->kind == INST_LOOP_CELL && i->var) || i->blocks[0] ||
        (inst_info(i->kind)->effects != 'P' && i->kind != INST_LOAD && i->kind != INST_LOOKUP))
        return false;
    for (int k = 0; k < i->args.count; k++)
        if (!is_element(t, i->args.items[k], depth + 1))
            return false;
    return true;
}

/* Are they one thing, however many times? */
static bool
is_same_term(const Task *t, const LinearTerm *a, const LinearTerm *b)
{
    return a->component == b->component && a->var == b->var &&
           (a->var || a->inst == b->inst ||
            (t && a->inst->kind == INST_LOAD && is_element(t, a->inst, 0) &&
             equal_values_in(t, a->inst, b->inst)));
}

static void
add_term(Reader *r, LinearTerm term)
{
    Linear *sum = &r->sum;
    for (int k = 0; k < sum->count; k++)
        if (is_same_term(sum->task, &sum->terms[k], &term)) {
            sum->terms[k].times += term.times;
            return;
        }
    if (sum->count == LINEAR_TERMS_MOST)
        sum->fits = false;
    else
        sum->terms[sum->count++] = term;
}

/* Does the value hold a constant that could be found in it? */
static bool
is_made_of_parts(const Inst *i)
{
    if (i->kind == INST_LOAD) /* of another variable */
        return inst_place_root(i->args.items[0])->kind == INST_VAR;
    return i->kind == INST_MAKE || i->kind == INST_SPLAT ||
           (i->kind == INST_BINARY && (i->op == OP_ADD || i->op == OP_SUB));
}

/* A number of more bits that is the same. */
static bool
widens(const Inst *cast)
{
    const Type *from = cast->args.items[0]->type;
    return type_is_integer(from) && scalar_info(from->scalar)->kind == KIND_INT &&
           scalar_info(from->scalar)->bytes <= scalar_info(cast->type->scalar)->bytes;
}

static void read_number(Reader *r, const Inst *i, int component, int64_t times, int depth);

/* A sum, a difference, or a product with a small constant; false: something else. Those of fewer
 * than 32 bits wrap where the number may still be one of a cell. */
static bool
read_operation(Reader *r, const Inst *i, int component, int64_t times, int depth)
{
    const Inst *a = i->args.items[0], *b = i->args.items[1];
    if (scalar_info(i->type->scalar)->bytes < 4)
        return false;
    if ((i->op == OP_ADD || i->op == OP_SUB) && scalar_info(i->type->scalar)->kind == KIND_INT) {
        read_number(r, a, component, times, depth);
        read_number(r, b, component, i->op == OP_ADD ? times : -times, depth);
        return true;
    }
    if (i->op != OP_MUL || i->type->kind != TYPE_SCALAR || b->kind != INST_CONST)
        return false;
    const int64_t factor = b->value.leaves[0].i;
    if (factor <= 0 || factor >= INT32_MAX || times <= 0 || times > CONSTANT_MOST)
        return false;
    read_number(r, a, 0, times * factor, depth);
    return true;
}

/* A variable of the loop, or one that is set once; false: something else. */
static bool
read_variable(Reader *r, const Inst *place, int component, int64_t times, int depth)
{
    const bool part = place->kind == INST_ELEM && place->args.items[0]->kind == INST_VAR &&
                      affine_component(place) >= 0;
    const Inst *whole = part ? place->args.items[0] : place;
    const Var *v = whole->kind == INST_VAR ? whole->var : NULL;
    const Inst *let = v ? affine_let(r->x, v) : NULL;
    const int which = part ? affine_component(place) : component;
    if (let && is_made_of_parts(let))
        read_number(r, let, which, times, depth);
    else if (let || (v && task_has_var(r->t, v)))
        add_term(r, (LinearTerm){.var = v, .component = which, .times = times});
    else
        return false;
    return true;
}

/* Adds `times` times a component of a value. Sums of 32 bits may overflow where those here do not,
 * but then the number is outside of the array either way: constants are small. */
static void
read_number(Reader *r, const Inst *i, int component, int64_t times, int depth)
{
    Inst *const *a = i->args.items;
    if (depth > DEPTH_MOST || !i->type || !type_is_integer(i->type)) {
        add_term(r, (LinearTerm){.inst = i, .component = component, .times = times});
        return;
    }
    depth++;
    switch (i->kind) {
    case INST_CONST: {
        int64_t value = i->value.leaves[component].i;
        r->sum.fits &= value >= -CONSTANT_MOST && value <= CONSTANT_MOST;
        r->sum.constant += times * value;
        return;
    }
    case INST_BINARY:
        if (read_operation(r, i, component, times, depth))
            return;
        break;
    case INST_CAST:
        if (!widens(i))
            break;
        read_number(r, a[0], component, times, depth);
        return;
    case INST_SPLAT: read_number(r, a[0], 0, times, depth); return;
    case INST_MAKE: read_number(r, a[component], 0, times, depth); return;
    case INST_GET: read_number(r, a[0], i->index, times, depth); return;
    case INST_LOAD:
        if (read_variable(r, a[0], component, times, depth))
            return;
        break;
    default: break;
    }
    add_term(r, (LinearTerm){.inst = i, .component = component, .times = times});
}

static Linear
read_linear(const AffineFacts *x, const Task *t, const Inst *number, const Task *kept)
{
    Reader r = {.x = x, .t = t, .sum = {.task = kept, .fits = true}};
    read_number(&r, number, 0, 1, 0);
    return r.sum;
}

Linear
linear_of(const AffineFacts *x, const Task *t, const Inst *number)
{
    return read_linear(x, t, number, t);
}

Linear
linear_as_seen(const AffineFacts *x, const Task *t, const Inst *number)
{
    return read_linear(x, t, number, NULL);
}

bool
linear_has_same_terms(const Linear *a, const Linear *b)
{
    for (int k = 0; k < a->count; k++) {
        int n = 0;
        while (n < b->count && !is_same_term(a->task, &a->terms[k], &b->terms[n]))
            n++;
        if (n == b->count || a->terms[k].times != b->terms[n].times)
            return false;
    }
    return a->count == b->count;
}
