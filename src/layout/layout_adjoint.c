/* Where adjoints lie: beside the dense node that places a field, in a dense node of the same sizes;
 * of a field in another node, behind all others in its cells. So an adjoint is active with its
 * field. Components that are placed apart have their adjoints apart. */
#include "config.h"

#include "layout/layout.h"

const Type *
layout_adjoint_type(Types *types, const Type *t)
{
    return type_is_arith(t) && t->scalar == SCALAR_F16 ? type_with_scalar(types, t, SCALAR_F32) : t;
}

/* Adds the places of adjoints that have none yet. Places that are added have no adjoints. */
static int
add_places(Compile *c, Types *types, Layout *l, const Place *from, int count, Node *to)
{
    int added = 0;
    for (int i = 0; i < count; i++) {
        Field *adjoint = from[i].field->adjoint;
        if (!adjoint || adjoint->by_hand || adjoint->leaves[from[i].first_leaf].layout)
            continue;
        Place p = from[i];
        p.field = adjoint;
        p.type = layout_adjoint_type(types, p.type);
        if (adjoint->listed_in != l)
            vec_push(c->arena, &l->fields, adjoint);
        adjoint->listed_in = l;
        if (to)
            vec_push(c->arena, &to->places, p);
        else
            vec_push(c->arena, &l->places, p);
        added++;
    }
    return added;
}

/* A dense node of the same sizes for the adjoints of what a node places; NULL where there are
 * none. */
static Node *
node_beside(Compile *c, Types *types, Layout *l, const Node *n)
{
    Node *made = ARENA_NEW(c->arena, Node);
    *made = *n;
    made->label = NULL;
    made->children.items = NULL;
    made->children.count = made->children.room = 0;
    made->places.items = NULL;
    made->places.count = made->places.room = 0;
    return add_places(c, types, l, n->places.items, n->places.count, made) ? made : NULL;
}

static void
place_below(Compile *c, Types *types, Layout *l, Node *n)
{
    const int count = n->children.count;
    if (n->kind != NODE_DENSE)
        add_places(c, types, l, n->places.items, n->places.count, n);
    for (int i = 0; i < count; i++) {
        Node *child = n->children.items[i],
             *beside = child->kind == NODE_DENSE ? node_beside(c, types, l, child) : NULL;
        if (beside)
            vec_push(c->arena, &n->children, beside);
        place_below(c, types, l, child);
    }
}

void
layout_place_adjoints(Compile *c, Types *types, Layout *l)
{
    const int count = l->tops.count;
    add_places(c, types, l, l->places.items, l->places.count, NULL);
    for (int i = 0; i < count; i++) {
        Node *top = l->tops.items[i],
             *beside = top->kind == NODE_DENSE ? node_beside(c, types, l, top) : NULL;
        if (beside)
            vec_push(c->arena, &l->tops, beside);
        place_below(c, types, l, top);
    }
}
