/* Layouts as the runtime wants them described. */
#include "config.h"

#include "check/layout/tree_desc.h"

#include "check/leaf.h"

Scalars
scalars_from(const Place *p, int first)
{
    Scalars s = {.place = p, .first = first, .count = 1};
    int64_t next;
    s.scalar = type_leaf(p->type, first, &s.at);
    while (first + s.count < p->leaf_count &&
           type_leaf(p->type, first + s.count, &next) == s.scalar &&
           next == s.at + s.count * scalar_info(s.scalar)->bytes)
        s.count++;
    return s;
}

static SnlNodeDesc
describe_node(Compile *c, const Node *n)
{
    SnlNodeDesc d = {.kind = (int)n->kind,
                     .parent = n->parent ? n->parent->id - 1 : -1,
                     .name = node_name(c, n),
                     .label = n->label,
                     .axis_count = n->axis_count,
                     .cell_count = n->cell_count,
                     .cell_bytes = n->cell_bytes,
                     .container_bytes = n->container_bytes,
                     .container_offset = n->container_offset,
                     .chunk = n->chunk};
    for (int k = 0; k < n->axis_count; k++) {
        d.axes[k] = n->axes[k];
        d.sizes[k] = n->sizes[k];
        d.stored[k] = n->stored[k];
        d.offsets[k] = n->offset[n->axes[k]];
    }
    return d;
}

/* The ambient values of some scalars, or NULL for zeros. */
static const void *
describe_ambient(Compile *c, const Scalars *s)
{
    const Place *p = s->place;
    int bytes = scalar_info(s->scalar)->bytes;
    if (!p->field->ambient)
        return NULL;
    char *values = arena_alloc(c->arena, (size_t)(s->count * bytes));
    for (int i = 0; i < s->count; i++)
        leaf_store(s->scalar, values + i * bytes,
                   p->field->ambient->leaves[p->first_leaf + s->first + i]);
    return values;
}

typedef VEC(SnlLeafDesc) Leaves;

static void
describe_place(Compile *c, const Place *p, int node, Leaves *out)
{
    for (Scalars s = {0}; s.first < p->leaf_count; s.first += s.count) {
        s = scalars_from(p, s.first);
        SnlLeafDesc leaf = {.node = node,
                            .offset = p->cell_offset + s.at,
                            .tag = (int)s.scalar,
                            .count = s.count,
                            .field = p->field->name,
                            .first_component = p->first_leaf + s.first,
                            .ambient = describe_ambient(c, &s)};
        vec_push(c->arena, out, leaf);
    }
}

SnlTreeDesc *
tree_desc_make(Compile *c, const Layout *l)
{
    SnlTreeDesc *d = ARENA_NEW(c->arena, SnlTreeDesc);
    SnlNodeDesc *nodes = ARENA_ARRAY(c->arena, SnlNodeDesc, l->nodes.count);
    Leaves leaves = {0};
    for (int i = 0; i < l->nodes.count; i++) {
        nodes[i] = describe_node(c, l->nodes.items[i]);
        for (int k = 0; k < l->nodes.items[i]->places.count; k++)
            describe_place(c, &l->nodes.items[i]->places.items[k], i, &leaves);
    }
    for (int k = 0; k < l->places.count; k++)
        describe_place(c, &l->places.items[k], -1, &leaves);
    d->name = l->name;
    d->nodes = nodes;
    d->node_count = l->nodes.count;
    d->leaves = leaves.items;
    d->leaf_count = leaves.count;
    d->root_bytes = l->root_bytes;
    return d;
}
