/* Data races under --check=race: iterations of one parallel loop that store different values in one
 * place. The table of stores is that of the runtime, so that the interpreter finds what executables
 * find; elements have numbers here in place of addresses. */
#include "config.h"

#include "interp/inside.h"
#include "loop/races.h"

/* Different for all leaves of all elements, as far as 64 bits go. */
static uint64_t
leaf_key(Interp *in, const Where *p, int leaf)
{
    const Field *f = p->field;
    if (!f)
        return (uint64_t)(uintptr_t)(p->leaves + leaf) | (uint64_t)1 << 63;
    return shape_number(in, f, p->index) + (((uint64_t)f->id << 12 | (uint64_t)leaf) << 40);
}

void
race_start(Interp *in)
{
    if (!(in->c->options.check & CHECK_RACE))
        return;
    snl_races_begin(&in->memory);
    in->notes_stores = true;
}

void
race_end(Interp *in)
{
    in->notes_stores = false;
}

/* The variable or field that a place lies in; what is taken of it first. */
static const TExpr *
root_of(const TExpr *place, const TExpr **part)
{
    for (*part = NULL; place->kind == TX_ELEM || place->kind == TX_MEMBER; place = place->a)
        *part = place;
    return place;
}

/* Indices of the element of an array, vector or matrix that a leaf lies in. */
static int
element_indices(const Type *t, int leaf, int64_t *index)
{
    bool array = t->kind == TYPE_ARRAY;
    int count = array ? t->dim_count : t->cols ? 2 : 1;
    int64_t number = array ? leaf / t->elem->leaf_count : leaf;
    for (int k = count - 1; k >= 0; k--) {
        int64_t size = array ? t->dims[k] : k ? t->cols : t->rows;
        index[k] = k ? number % size : number;
        number /= size;
    }
    return count;
}

_Noreturn static void
report(Interp *in, const TExpr *target, const Where *p, int i, uint64_t other, Leaf v, Span at)
{
    const TExpr *part, *root = root_of(target, &part);
    const int64_t *index = p->index;
    int64_t own[AXIS_MAX], unused;
    int count = p->field ? p->field->axis_count : 0;
    Scalar type = type_leaf(p->type, i, &unused);
    char a[16], b[16], text[500];
    SnlText t = SNL_TEXT_EMPTY;
    if (part && part->kind == TX_ELEM && !p->field) {
        count = element_indices(p->slot->type, p->leaf, own);
        index = own;
    }
    leaf_store(type, a, (Leaf){.u = other});
    leaf_store(type, b, v);
    snl_race_text(&t, p->field ? p->field->name : root->var->name, count, index, (int)type, a, b);
    snprintf(text, sizeof text, "%s", snl_text_chars(&t));
    snl_text_free(&t);
    interp_fail(in, at, "%s", text);
}

/* Can other iterations reach it? What a function gets as an array may be an array of the
 * iteration. */
static bool
is_reachable(const Interp *in, const TExpr *root)
{
    if (root->kind != TX_VAR)
        return root->kind == TX_FIELD;
    return root->var->shared ||
           (root->var->type->kind == TYPE_EXTERN && in->frame->func->kind == FUNC_KERNEL);
}

void
race_store(Interp *in, const TExpr *target, const Where *p, const Leaf *v, Span at)
{
    const TExpr *part;
    uint64_t other;
    if (!in->notes_stores || !is_reachable(in, root_of(target, &part)))
        return;
    for (int i = 0; i < p->type->leaf_count; i++)
        if (snl_races_note(&in->memory, leaf_key(in, p, p->leaf + i), in->iteration, v[i].u,
                           &other))
            report(in, target, p, i, other, v[i], at);
}
