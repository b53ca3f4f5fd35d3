/* Data races under --check=race: two iterations of one parallel loop that store different values in one element. The interpreter runs
 * iterations one after another, so it notes which of them stored last in each element, until the loop ends. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "interp/inside.h"

struct Races {
    KeyMap by_field; /* field, leaf and number of the element -> iteration */
    KeyMap by_place; /* address in an array or variable -> iteration */
};

/* Row-major number of the element, with the numbers of field and leaf in front. */
static Key
element_key(Interp *in, const Where *p)
{
    const Field *f = p->field;
    Key number = 0;
    for (int i = 0; i < f->axis_count; i++)
        number = number * (Key)field_extent(in, f, i) + (Key)(p->index[i] - f->offsets[i]);
    return ((Key)(unsigned)f->id << 16 | (unsigned)p->leaf) << 80 | number;
}

static void
add_value(SnlText *t, Scalar type, Leaf v)
{
    char memory[16];
    leaf_store(type, memory, v);
    SnlArg arg = {.tag = (int)type, .data = memory};
    snl_format_text(t, "{}", 1, &arg);
}

/* "x[3]", as far as it has indices. */
static void
add_place(SnlText *t, const Where *p, const char *name)
{
    snl_text_string(t, name);
    for (int i = 0; p->field && i < p->field->axis_count; i++) {
        snl_text_string(t, i ? ", " : "[");
        add_value(t, SCALAR_I64, (Leaf){.i = p->index[i]});
    }
    snl_text_string(t, p->field && p->field->axis_count ? "]" : "");
}

/* Fails when the element holds other values than those that this iteration stores. */
static void
compare(Interp *in, const Where *p, const char *name, const Leaf *v, Span at)
{
    int n = p->type->leaf_count;
    Leaf *old = interp_take(in, n);
    place_load(in, p, old, at);
    for (int i = 0; i < n; i++) {
        if (!memcmp(&old[i], &v[i], sizeof *v))
            continue;
        char text[500];
        SnlText t = SNL_TEXT_EMPTY;
        Scalar type = type_leaf(p->type, i, &(int64_t){0});
        snl_text_string(&t, "data race: two iterations store to ");
        add_place(&t, p, name);
        snl_text_string(&t, ": ");
        add_value(&t, type, old[i]);
        snl_text_string(&t, " and ");
        add_value(&t, type, v[i]);
        snprintf(text, sizeof text, "%s", snl_text_chars(&t));
        snl_text_free(&t);
        interp_fail(in, at, "%s", text);
    }
}

void
race_start(Interp *in)
{
    if (in->c->options.check & CHECK_RACE)
        in->races = calloc(1, sizeof *in->races);
}

void
race_end(Interp *in)
{
    if (!in->races)
        return;
    keymap_free(&in->races->by_field);
    keymap_free(&in->races->by_place);
    free(in->races);
    in->races = NULL;
}

/* The variable or field that a place lies in. */
static const TExpr *
root_of(const TExpr *place)
{
    while (place->kind == TX_ELEM || place->kind == TX_MEMBER)
        place = place->a;
    return place;
}

void
race_store(Interp *in, const TExpr *target, const Where *p, const Leaf *v, Span at)
{
    const TExpr *root = root_of(target);
    const Var *var = root->kind == TX_VAR ? root->var : NULL;
    if (!in->races || (var && !var->shared && var->type->kind != TYPE_EXTERN))
        return;
    KeyMap *map = p->field ? &in->races->by_field : &in->races->by_place;
    Key key = p->field ? element_key(in, p) : (Key)(uintptr_t)(p->leaves + p->leaf);
    Leaf now = {.u = in->iteration}, *last = keymap_find(map, key);
    if (last && last->u != now.u)
        compare(in, p, var ? var->name : p->field->name, v, at);
    *keymap_add(map, key, now) = now;
}
