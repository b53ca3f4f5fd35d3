/* Adjoints of fields that have none in the program: values go through them in a block of
 * derivatives. They lie where @grad would have put them; where two layouts are exchanged by swap,
 * the partner gets one too. */
#include "config.h"

#include <string.h>

#include "ad/inside.h"

static const char *
free_name(Ad *ad, const Field *f)
{
    const char *name =
        intern_str(ad->c->intern, arena_printf(ad->c->arena, "grad_%s", f->name));
    for (int i = 0; i < ad->p->fields.count; i++)
        if (!strcmp(ad->p->fields.items[i]->name, name)) {
            name = intern_str(ad->c->intern, arena_printf(ad->c->arena, "%s_", name));
            i = -1;
        }
    return name;
}

/* Can it have one? False after a report. */
static bool
may_have_adjoint(Ad *ad, const Field *f, Span at)
{
    const Node *n = f->leaves[0].node;
    bool is_list = n && n->kind == NODE_DYNAMIC, has_f16 = false;
    for (int i = 0; f->type->kind == TYPE_STRUCT && i < f->type->leaf_count; i++)
        has_f16 = has_f16 || type_leaf(f->type, i, NULL) == SCALAR_F16;
    if (!is_list && !has_f16)
        return true;
    Diag *d = diag(ad->c, E0705, at,
                   "a derivative goes through '%s', which %s, and has no adjoint", f->name,
                   is_list ? "lies in a list" : "holds f16 in a struct");
    diag_note(d, f->span, "'%s' is declared here", f->name);
    diag_fix(d, is_list ? "@grad before its declaration" : "f32 instead of f16");
    return false;
}

static void
give_adjoint(Ad *ad, Field *f)
{
    Field *g = ARENA_NEW(ad->c->arena, Field);
    g->name = free_name(ad, f);
    g->id = ad->p->fields.count;
    g->type = layout_adjoint_type(ad->p->types, f->type);
    g->span = f->span;
    g->boundary = f->boundary;
    g->leaves = ARENA_ARRAY(ad->c->arena, LeafPlace, g->type->leaf_count);
    g->primal = f;
    f->adjoint = g;
    vec_push(ad->c->arena, &ad->p->fields, g);
    vec_push(ad->c->arena, &ad->hidden, g);
}

Field *
partner_in(const Layout *other, const LeafPlace *leaf)
{
    if (!leaf->node)
        return other->places.items[leaf->place].field;
    return other->nodes.items[leaf->node->id - 1]->places.items[leaf->place].field;
}

static void
give_to_partners(Ad *ad, const Field *f, Span at)
{
    for (int k = 0; k < f->type->leaf_count; k++) {
        Layout *own = f->leaves[k].layout;
        for (int i = 0; i < ad->p->layouts.count; i++) {
            Layout *other = ad->p->layouts.items[i];
            if (other != own && layout_first_twin(other) == layout_first_twin(own))
                hidden_adjoint(ad, partner_in(other, &f->leaves[k]), at);
        }
    }
}

bool
hidden_adjoint(Ad *ad, Field *f, Span at)
{
    if (f->adjoint || f->primal || !may_have_adjoint(ad, f, at))
        return false;
    give_adjoint(ad, f);
    touching_reset(ad);
    give_to_partners(ad, f, at);
    return true;
}

void
hidden_place(Ad *ad)
{
    for (int i = 0; i < ad->p->layouts.count; i++) {
        Layout *l = ad->p->layouts.items[i];
        bool has_changed = false;
        for (int k = 0; k < ad->hidden.count && !has_changed; k++)
            for (int leaf = 0; leaf < ad->hidden.items[k]->type->leaf_count; leaf++)
                has_changed = has_changed || ad->hidden.items[k]->primal->leaves[leaf].layout == l;
        if (!has_changed)
            continue;
        layout_place_adjoints(ad->c, ad->p->types, l);
        layout_rebuild(ad->c, l);
    }
    for (int k = 0; k < ad->hidden.count; k++)
        layout_check_field(ad->c, ad->hidden.items[k]);
}
