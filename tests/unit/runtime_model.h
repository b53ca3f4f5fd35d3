/* runtime_model.h - a plain model of a layout tree, to compare the runtime with.
 *
 * A layout is written as a string of nodes: kind letter (d b p y h: dense, bitmasked, pointer,
 * dynamic, hash), axis letters, sizes, and in braces what a cell holds: nodes, and dots that each
 * place an i32 field, with its ambient value behind it.  "~" before a node pads its sizes to powers
 * of two; "/n" behind the sizes is the chunk. Example: "p i[4] { ~b ij[3,5] { .7 } y k[9]/2 { . }
 * }".
 *
 * The model keeps, for every node, one flag for each cell of the whole extent, for every dynamic
 * node a length for each list, for every field the value of each element.  Nothing is shared with
 * the runtime but the descriptors.  A Model owns its arrays; model_free releases them.
 */
#ifndef RUNTIME_MODEL_H
#define RUNTIME_MODEL_H

#include <ctype.h>

#include "suite.h"
#include "tree/tree.h"

enum { MODEL_NODES = 12, MODEL_LEAVES = 12 };

typedef struct {
    SnlNodeDesc nodes[MODEL_NODES];
    SnlLeafDesc leaves[MODEL_LEAVES];
    int32_t ambient[MODEL_LEAVES];
    SnlTreeDesc desc;
    int64_t extent[MODEL_NODES][SNL_AXES];  /* by letter, 1 where the path lacks it */
    int64_t cells[MODEL_NODES];             /* product of the extents */
    bool *active[MODEL_NODES];
    int32_t *value[MODEL_LEAVES];
    uint64_t random;                        /* state of model_pick */
} Model;

/* ---- the layout ---- */

static inline int64_t
model_align(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static inline const char *
model_space(const char *s)
{
    while (*s == ' ')
        s++;
    return s;
}

/* Reads sizes "[3,5]" and chunk "/2". */
static inline const char *
model_sizes(const char *s, SnlNodeDesc *n, bool padded)
{
    n->cell_count = 1;
    for (int a = 0; a < n->axis_count; a++) {
        char *end;
        n->sizes[a] = strtoll(s + 1, &end, 10);
        n->stored[a] = n->sizes[a];
        for (int64_t power = 1; padded && power / 2 < n->sizes[a]; power *= 2)
            n->stored[a] = power;
        n->cell_count *= n->stored[a];
        s = end;
    }
    s++;
    if (*s == '/') {
        char *end;
        n->chunk = strtoll(s + 1, &end, 10);
        s = end;
    }
    return model_space(s);
}

static inline void
model_container(SnlNodeDesc *n)
{
    int64_t bytes = n->cell_count * n->cell_bytes;
    switch (n->kind) {
    case SNL_DENSE: n->container_bytes = bytes; break;
    case SNL_BITMASKED:
        n->container_bytes = model_align(bytes, 8) + (n->cell_count + 63) / 64 * 8;
        break;
    case SNL_POINTER:
        n->container_bytes = n->cell_count * 8 + (n->cell_count + 63) / 64 * 8;
        break;
    case SNL_DYNAMIC: n->container_bytes = SNL_DYNAMIC_BYTES; break;
    default: n->container_bytes = SNL_HASH_BYTES; break;
    }
}

/* Reads one node and what it holds. */
static inline const char *
model_node(Model *m, const char *s, int parent)
{
    static const char kinds[] = "dbpyh";
    static const char *const names[] = { "dense", "bitmasked", "pointer", "dynamic", "hash" };
    int node = m->desc.node_count++;
    SnlNodeDesc *n = &m->nodes[node];
    bool padded = *s == '~';
    int64_t align = 4;
    s += padded;
    n->kind = (int)(strchr(kinds, *s) - kinds);
    n->name = names[n->kind];
    n->label = names[n->kind];
    n->parent = parent;
    n->chunk = n->kind == SNL_DYNAMIC ? 4 : 0;
    for (s = model_space(s + 1); *s != '['; s++)
        n->axes[n->axis_count++] = *s - 'i';
    s = model_sizes(s, n, padded);
    for (s = model_space(s + 1); *s != '}'; s = model_space(s)) {
        if (*s == '.') {
            int leaf = m->desc.leaf_count++;
            char *end;
            m->ambient[leaf] = (int32_t)strtol(s + 1, &end, 10);
            n->cell_bytes = model_align(n->cell_bytes, 4);
            m->leaves[leaf] = (SnlLeafDesc){ node, n->cell_bytes, SNL_I32, 1, "f", 0,
                                             &m->ambient[leaf] };
            n->cell_bytes += 4;
            s = end == s + 1 ? s + 1 : end;
        } else {
            int child = m->desc.node_count;
            s = model_node(m, s, node);
            align = 8;
            n->cell_bytes = model_align(n->cell_bytes, 8);
            m->nodes[child].container_offset = n->cell_bytes;
            n->cell_bytes += m->nodes[child].container_bytes;
        }
    }
    n->cell_bytes = model_align(n->cell_bytes, align);
    model_container(n);
    return s + 1;
}

/* Fills in a model of that layout; everything is ambient. */
static inline void
model_init(Model *m, const char *layout)
{
    memset(m, 0, sizeof *m);
    for (const char *s = model_space(layout); *s; s = model_space(s))
        s = model_node(m, s, -1);
    m->desc.name = "model";
    m->desc.nodes = m->nodes;
    m->desc.leaves = m->leaves;
    for (int k = 0; k < m->desc.node_count; k++) {
        const SnlNodeDesc *n = &m->nodes[k];
        m->cells[k] = 1;
        for (int a = 0; a < SNL_AXES; a++)
            m->extent[k][a] = n->parent < 0 ? 1 : m->extent[n->parent][a];
        for (int a = 0; a < n->axis_count; a++)
            m->extent[k][n->axes[a]] *= n->sizes[a];
        for (int a = 0; a < SNL_AXES; a++)
            m->cells[k] *= m->extent[k][a];
        m->active[k] = (bool *)calloc((size_t)m->cells[k], sizeof(bool));
    }
    for (int k = 0; k < m->desc.leaf_count; k++) {
        int64_t count = m->cells[m->leaves[k].node];
        m->value[k] = (int32_t *)malloc((size_t)count * sizeof(int32_t));
        for (int64_t i = 0; i < count; i++)
            m->value[k][i] = m->ambient[k];
    }
}

static inline void
model_free(Model *m)
{
    for (int k = 0; k < m->desc.node_count; k++)
        free(m->active[k]);
    for (int k = 0; k < m->desc.leaf_count; k++)
        free(m->value[k]);
}

/* A model, and an instance with such a tree. */
static inline void
model_open(Model *m, SnlInstance *rt, SnlTree **tree, const char *layout, int threads)
{
    model_init(m, layout);
    snl_instance_init(rt, NULL, threads, 1, 0);
    ck_assert_int_eq(snl_tree_create(rt, &m->desc, NULL, tree), SNL_OK);
}

/* Ends what model_open began: nothing has failed, and no memory is lost. */
static inline void
model_close(Model *m, SnlInstance *rt, SnlTree *tree)
{
    ck_assert_str_eq(snl_message(rt), "");
    snl_tree_destroy(tree);
    ck_assert_int_eq(rt->bytes_used, 0);
    snl_instance_free(rt);
    model_free(m);
}

/* ---- random choices ---- */

static inline int64_t
model_pick(Model *m, int64_t below)
{
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((m->random >> 33) % (uint64_t)below);
}

/* A node that cells can be deactivated of, or -1. */
static inline int
model_sparse_node(Model *m)
{
    for (int tries = 0; tries < 20; tries++) {
        int node = (int)model_pick(m, m->desc.node_count);
        if (m->nodes[node].kind != SNL_DENSE)
            return node;
    }
    return -1;
}

/* ---- numbers of cells ---- */

/* Number of the cell of a node at coord, by letter. */
static inline int64_t
model_number(const Model *m, int node, const int64_t *coord)
{
    int64_t number = 0;
    for (int a = 0; a < SNL_AXES; a++)
        number = number * m->extent[node][a] + (m->extent[node][a] > 1 ? coord[a] : 0);
    return number;
}

/* The coordinates of that number. */
static inline void
model_coord(const Model *m, int node, int64_t number, int64_t *coord)
{
    for (int a = SNL_AXES - 1; a >= 0; a--) {
        coord[a] = number % m->extent[node][a];
        number /= m->extent[node][a];
    }
}

/* Number of the cell of `above`, an ancestor, that a cell of the node lies in. */
static inline int64_t
model_above(const Model *m, int node, int64_t number, int above)
{
    int64_t coord[SNL_AXES];
    model_coord(m, node, number, coord);
    for (; node != above; node = m->nodes[node].parent)
        for (int a = 0; a < m->nodes[node].axis_count; a++)
            coord[m->nodes[node].axes[a]] /= m->nodes[node].sizes[a];
    return model_number(m, above, coord);
}

static inline bool
model_is_below(const Model *m, int node, int above)
{
    while (node >= 0 && node != above)
        node = m->nodes[node].parent;
    return node >= 0;
}

/* ---- what the language says ---- */

static inline bool
model_is_active(const Model *m, int node, int64_t number)
{
    for (int n = node; n >= 0; n = m->nodes[n].parent)
        if (m->nodes[n].kind != SNL_DENSE && !m->active[n][model_above(m, node, number, n)])
            return false;
    return true;
}

/* Cells of one list: those with the coordinates of `number` but along its own axis. */
static inline int64_t
model_list_cell(const Model *m, int node, int64_t number, int64_t k)
{
    int64_t coord[SNL_AXES];
    model_coord(m, node, number, coord);
    coord[m->nodes[node].axes[0]] = k;
    return model_number(m, node, coord);
}

static inline int64_t
model_length(const Model *m, int node, int64_t number)
{
    int64_t k = 0;
    while (k < m->nodes[node].sizes[0] && m->active[node][model_list_cell(m, node, number, k)])
        k++;
    return k;
}

static inline void
model_activate(Model *m, int node, int64_t number)
{
    for (int n = node; n >= 0; n = m->nodes[n].parent) {
        int64_t at = model_above(m, node, number, n);
        m->active[n][at] = true;
        if (m->nodes[n].kind == SNL_DYNAMIC)
            for (int64_t k = 0; k < m->nodes[n].sizes[0]; k++) {
                int64_t cell = model_list_cell(m, n, at, k);
                if (cell == at)
                    break;
                m->active[n][cell] = true;
            }
    }
}

/* Makes a cell of `node` and all below it ambient; number -1: every cell. */
static inline void
model_reset(Model *m, int node, int64_t number)
{
    for (int n = node; n < m->desc.node_count; n++) {
        if (!model_is_below(m, n, node))
            continue;
        for (int64_t at = 0; at < m->cells[n]; at++) {
            if (number >= 0 && model_above(m, n, at, node) != number)
                continue;
            m->active[n][at] = false;
            for (int leaf = 0; leaf < m->desc.leaf_count; leaf++)
                if (m->leaves[leaf].node == n)
                    m->value[leaf][at] = m->ambient[leaf];
        }
    }
}

static inline void
model_deactivate(Model *m, int node, int64_t number)
{
    if (m->nodes[node].kind == SNL_DYNAMIC)
        for (int64_t k = 0; k < m->nodes[node].sizes[0]; k++)
            model_reset(m, node, model_list_cell(m, node, number, k));
    else
        model_reset(m, node, number);
}

/* Deactivates all cells of some node. */
static inline void
model_deactivate_all(Model *m, SnlTree *tree)
{
    int node = model_sparse_node(m);
    if (node < 0)
        return;
    snl_tree_deactivate_all(tree, node);
    model_reset(m, node, -1);
}

static inline int64_t
model_count(const Model *m, int node)
{
    int64_t count = 0;
    for (int64_t at = 0; at < m->cells[node]; at++)
        count += model_is_active(m, node, at);
    return count;
}

/* Next coordinates of a node in memory order; starts from zeros, false after the last. */
static inline bool
model_next(const Model *m, int node, int64_t *coord)
{
    const SnlNodeDesc *n;
    int64_t parent[SNL_AXES], index[SNL_AXES];
    if (node < 0)
        return false;
    n = &m->nodes[node];
    memcpy(parent, coord, sizeof parent);
    for (int a = n->axis_count - 1; a >= 0; a--) {
        index[a] = parent[n->axes[a]] % n->sizes[a];
        parent[n->axes[a]] /= n->sizes[a];
    }
    for (int a = n->axis_count - 1; a >= 0; a--) {
        if (++index[a] < n->sizes[a])
            break;
        index[a] = 0;
        if (a == 0 && !model_next(m, n->parent, parent))
            return false;
    }
    memcpy(coord, parent, sizeof parent);
    for (int a = 0; a < n->axis_count; a++)
        coord[n->axes[a]] = coord[n->axes[a]] * n->sizes[a] + index[a];
    return true;
}

/* ---- comparing ---- */

static inline void
model_check_values(const Model *m, SnlTree *tree)
{
    int64_t coord[SNL_AXES];
    for (int leaf = 0; leaf < m->desc.leaf_count; leaf++) {
        int node = m->leaves[leaf].node;
        for (int64_t at = 0; at < m->cells[node]; at++) {
            model_coord(m, node, at, coord);
            const char *cell = (const char *)snl_cell_at(tree, node, coord, SNL_READ);
            ck_assert_int_eq(*(const int32_t *)(cell + m->leaves[leaf].offset),
                             m->value[leaf][at]);
        }
    }
}

static inline void
model_check_activity(const Model *m, SnlTree *tree, int node)
{
    int64_t coord[SNL_AXES];
    for (int64_t at = 0; at < m->cells[node]; at++) {
        model_coord(m, node, at, coord);
        ck_assert_int_eq(snl_cell_is_active(tree, node, coord), model_is_active(m, node, at));
        if (m->nodes[node].kind == SNL_DYNAMIC && coord[m->nodes[node].axes[0]] == 0) {
            void *list = snl_container_at(tree, node, coord, SNL_READ);
            ck_assert_int_eq(snl_dynamic_length(tree, node, list), model_length(m, node, at));
        }
    }
}

/* The list has the active cells, each once, with its address, in memory order. */
static inline void
model_check_list(const Model *m, SnlTree *tree, int node)
{
    const SnlList *list = snl_tree_list(tree, node);
    int64_t coord[SNL_AXES] = { 0 }, count = model_count(m, node), at = 0;
    bool *seen = (bool *)calloc((size_t)m->cells[node], sizeof *seen);
    ck_assert_int_eq(list->count, count);
    ck_assert_int_eq(snl_tree_active(tree, node), count);
    for (int64_t k = 0; k < count; k++) {
        const SnlListEntry *e = &list->entries[k];
        int64_t number = model_number(m, node, e->coord);
        ck_assert(number >= 0 && number < m->cells[node] && !seen[number]);
        ck_assert(model_is_active(m, node, number));
        ck_assert_ptr_eq(e->cell, snl_cell_at(tree, node, e->coord, SNL_ACTIVATE));
        seen[number] = true;
    }
    if (count > 0)
        do {
            int64_t number = model_number(m, node, coord);
            if (model_is_active(m, node, number))
                ck_assert_int_eq(model_number(m, node, list->entries[at++].coord), number);
        } while (model_next(m, node, coord));
    free(seen);
}

static inline void
model_check(const Model *m, SnlTree *tree)
{
    model_check_values(m, tree);
    for (int node = 0; node < m->desc.node_count; node++)
        model_check_activity(m, tree, node);
    for (int node = 0; node < m->desc.node_count; node++)
        model_check_list(m, tree, node);
}

/* The layouts that the tests run on. */
static const char *const model_layouts[] = {
    "d i[7] { .3 }",
    "b i[70] { .5 }",
    "~b ij[3,5] { . ~b i[3] { .2 . } }",
    "p i[9] { .1 }",
    "p ij[3,4] { d ji[2,3] { . .9 } d k[3] { .4 } }",
    "~p ij[3,5] { ~b ij[3,2] { .8 } }",
    "d j[3] { p i[5] { p i[3] { ~d i[3] { .6 } } } }",
    "y i[40]/8 { . }",
    "d ij[2,3] { .1 y k[9]/2 { .7 . } }",
    "p i[4] { y j[10]/3 { .2 } . }",
    "h ij[20,30] { . }",
    "h i[6] { b i[10] { .5 } y j[5]/2 { .3 } }",
    "p i[3] { h j[40] { p i[2] { . } .2 } }",
    "b i[5] { p i[3] { . } y k[6]/4 { .1 } h j[7] { .2 b i[2] { . } } }",
    "d i[4] { .1 d j[3] { b k[2] { .2 p i[2] { .3 y l[3]/1 { .4 } } } } } p i[6] { .9 }",
};
enum { MODEL_LAYOUTS = sizeof model_layouts / sizeof model_layouts[0] };

#endif
