/* snl_meta.c - what a C program can ask about the layouts, nodes and fields of an SNL program. */
#include "../snl_meta.h"

#include "program.h"

static const SnlInstance *
instance_of(const void *program)
{
    return (const SnlInstance *)program;
}

/* The description of a layout, or NULL. */
static const SnlTreeDesc *
layout_of(const void *program, int layout)
{
    const SnlProgramDesc *desc = instance_of(program)->program;
    return desc && layout >= 0 && layout < desc->layout_count ? desc->layouts[layout] : NULL;
}

/* The tree of a layout, or NULL: it does not exist. */
static SnlTree *
tree_of(const void *program, int layout)
{
    return layout_of(program, layout) ? instance_of(program)->trees[layout] : NULL;
}

static bool
is_node(const SnlTreeDesc *desc, int node)
{
    return desc && node >= 0 && node < desc->node_count;
}

static bool
is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

int
snl_meta_layouts(const void *program)
{
    const SnlProgramDesc *desc = instance_of(program)->program;
    return desc ? desc->layout_count : 0;
}

int
snl_meta_fields(const void *program)
{
    const SnlProgramDesc *desc = instance_of(program)->program;
    return desc ? desc->field_count : 0;
}

snl_status
snl_meta_get_layout(const void *program, int layout, snl_meta_layout *out)
{
    const SnlTreeDesc *desc = layout_of(program, layout);
    const SnlTree *tree = tree_of(program, layout);
    memset(out, 0, sizeof *out);
    if (!desc)
        return SNL_EINVAL;
    out->name = desc->name;
    out->nodes = desc->node_count;
    out->exists = tree != NULL;
    out->bytes = tree ? snl_tree_memory(tree) : 0;
    return SNL_OK;
}

snl_status
snl_meta_get_node(const void *program, int layout, int node, snl_meta_node *out)
{
    static const char *const kinds[] = { "dense", "bitmasked", "pointer", "dynamic", "hash" };
    const SnlTreeDesc *desc = layout_of(program, layout);
    const SnlTree *tree = tree_of(program, layout);
    const SnlNodeDesc *n;
    memset(out, 0, sizeof *out);
    if (!is_node(desc, node))
        return SNL_EINVAL;
    n = tree ? &tree->nodes[node].desc : &desc->nodes[node];
    out->kind = kinds[n->kind];
    out->name = n->name;
    out->label = n->label;
    out->parent = n->parent;
    out->axes = n->axis_count;
    for (int a = 0; a < n->axis_count && a < SNL_META_AXES; a++) {
        out->letter[a] = (char)('i' + n->axes[a]);
        out->size[a] = n->sizes[a];
        out->stored[a] = n->stored[a];
    }
    out->cell_bytes = n->cell_bytes;
    out->container_bytes = n->container_bytes;
    out->container_offset = n->container_offset;
    out->chunk = n->kind == SNL_DYNAMIC ? n->chunk : 0;
    out->bytes = tree ? snl_tree_node_memory(tree, node) : 0;
    return SNL_OK;
}

snl_status
snl_meta_get_field(const void *program, int field, snl_meta_field *out)
{
    const SnlInstance *rt = instance_of(program);
    const SnlFieldDesc *f;
    memset(out, 0, sizeof *out);
    if (field < 0 || field >= snl_meta_fields(program))
        return SNL_EINVAL;
    f = rt->program->fields[field];
    out->name = f->name;
    out->scalar = f->tag >= 0 ? snl_scalar_name(f->tag) : NULL;
    out->rows = f->rows;
    out->columns = f->cols;
    out->indices = f->axis_count;
    for (int k = 0; k < f->axis_count; k++) {
        out->first[k] = f->offsets[k];
        out->extent[k] = snl_field_extent(rt->trees, f, k);
    }
    out->element_bytes = f->element_bytes;
    out->layout = f->node_tree;
    out->node = f->node;
    return SNL_OK;
}

snl_status
snl_meta_view(const void *program, int field, int number, void **first, size_t *strides)
{
    const SnlInstance *rt = instance_of(program);
    SnlFieldDesc one;
    SnlFieldLeaf leaf;
    int64_t steps[SNL_AXES];
    *first = NULL;
    if (field < 0 || field >= snl_meta_fields(program))
        return SNL_EINVAL;
    one = *rt->program->fields[field];
    if (number < 0 || number >= one.leaf_count)
        return SNL_EINVAL;
    leaf = one.leaves[number];
    leaf.at = 0;
    if (!rt->trees[leaf.tree])
        return SNL_ENOTREE;
    one.leaves = &leaf;
    one.leaf_count = 1;
    one.tag = leaf.tag;
    one.rows = one.cols = 0;
    one.element_bytes = snl_scalar_bytes(leaf.tag);
    if (snl_field_view(rt->trees, &one, first, steps) != SNL_OK)
        return SNL_EINVAL;
    for (int k = 0; k < one.axis_count; k++)
        strides[k] = (size_t)steps[k];
    return SNL_OK;
}

int
snl_meta_find_layout(const void *program, const char *name)
{
    for (int k = 0; k < snl_meta_layouts(program); k++)
        if (is_same(layout_of(program, k)->name, name))
            return k;
    return -1;
}

int
snl_meta_find_node(const void *program, int layout, const char *label)
{
    const SnlTreeDesc *desc = layout_of(program, layout);
    for (int k = 0; desc && k < desc->node_count; k++)
        if (is_same(desc->nodes[k].label, label))
            return k;
    return -1;
}

int
snl_meta_find_field(const void *program, const char *name)
{
    for (int k = 0; k < snl_meta_fields(program); k++)
        if (is_same(instance_of(program)->program->fields[k]->name, name))
            return k;
    return -1;
}

int64_t
snl_meta_active(void *program, int layout, int node)
{
    SnlTree *tree = tree_of(program, layout);
    SnlInstance *rt = program;
    bool failed = snl_failed(rt);
    int64_t count = tree && is_node(tree->desc, node) ? snl_tree_active(tree, node) : -1;
    if (failed || !snl_failed(rt))
        return count;
    snl_forget_error(rt);       /* the message is not ours to change */
    return -1;
}

int
snl_meta_is_active(void *program, int layout, int node, const int64_t *coord)
{
    SnlTree *tree = tree_of(program, layout);
    int64_t by_letter[SNL_AXES] = { 0 };
    int next = 0;
    if (!tree || !is_node(tree->desc, node))
        return 0;
    for (int a = 0; a < SNL_AXES; a++)
        if (tree->nodes[node].path_axes >> a & 1)
            by_letter[a] = coord[next++];
    return snl_cell_is_active(tree, node, by_letter);
}

uint64_t
snl_meta_bytes(const void *program)
{
    return SNL_LOAD_RELAXED(&instance_of(program)->bytes_used);
}

uint64_t
snl_meta_limit(const void *program)
{
    return instance_of(program)->memory_limit;
}
