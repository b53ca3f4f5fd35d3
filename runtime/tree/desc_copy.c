/* desc_copy.c - a copy of the description of a layout with all that it points to, in one block. */
#include "tree.h"

/* Memory of one block, handed out in parts; with at NULL they are only counted. */
typedef struct {
    char *at;
    size_t bytes;
} Part;

static void *
part(Part *p, const void *from, size_t bytes)
{
    char *to = p->at;
    size_t whole = (bytes + 7) / 8 * 8;
    if (!from)
        return NULL;
    p->bytes += whole;
    if (!to)
        return NULL;
    memcpy(to, from, bytes);
    p->at += whole;
    return to;
}

static char *
part_text(Part *p, const char *s)
{
    return (char *)part(p, s, s ? strlen(s) + 1 : 0);
}

/* Copies a description into the part, or counts its bytes. */
static SnlTreeDesc *
copy_desc(Part *p, const SnlTreeDesc *desc)
{
    SnlTreeDesc *d = (SnlTreeDesc *)part(p, desc, sizeof *desc);
    SnlNodeDesc *nodes =
        (SnlNodeDesc *)part(p, desc->nodes, (size_t)desc->node_count * sizeof *nodes);
    SnlLeafDesc *leaves =
        (SnlLeafDesc *)part(p, desc->leaves, (size_t)desc->leaf_count * sizeof *leaves);
    char *name = part_text(p, desc->name);
    for (int k = 0; k < desc->node_count; k++) {
        char *node = part_text(p, desc->nodes[k].name), *label = part_text(p, desc->nodes[k].label);
        if (nodes) {
            nodes[k].name = node;
            nodes[k].label = label;
        }
    }
    for (int k = 0; k < desc->leaf_count; k++) {
        const SnlLeafDesc *l = &desc->leaves[k];
        char *field = part_text(p, l->field);
        void *ambient = part(p, l->ambient, (size_t)(l->count * snl_scalar_bytes(l->tag)));
        if (leaves) {
            leaves[k].field = field;
            leaves[k].ambient = ambient;
        }
    }
    if (d) {
        d->name = name;
        d->nodes = nodes;
        d->leaves = leaves;
    }
    return d;
}

SnlTreeDesc *
snl_tree_desc_copy(SnlInstance *rt, const SnlTreeDesc *desc, size_t *bytes)
{
    Part p = {NULL, 0};
    copy_desc(&p, desc);
    *bytes = p.bytes;
    p.at = (char *)snl_memory_get(rt, p.bytes);
    if (!p.at) {
        snl_fail_memory(rt, "a layout", p.bytes);
        return NULL;
    }
    return copy_desc(&p, desc);
}
