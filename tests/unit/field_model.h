/* field_model.h - fields of many layouts, each with a plain array of what it holds.
 *
 * A Shape says where the components of a field lie: for each of up to three paths, in one tree or
 * in trees of their own, the nodes from the top down. A Rig is such a field with its trees, and the
 * model: a value for every component of every element, and for every path which elements are
 * active, all of it activated by writing only. Values are small integers in every type. A Rig owns
 * its trees and arrays; rig_end releases them.
 */
#ifndef FIELD_MODEL_H
#define FIELD_MODEL_H

#include <stdio.h>
#include <stdlib.h>

#include "snlrt.h"
#include "suite.h"

enum { CHAINS = 3, LEVELS = 4, COMPONENTS = 4, NODES = CHAINS * LEVELS };

/* A node of a path; axes in storage order. */
typedef struct {
    int kind;
    const char *axes;           /* NULL: the path ends */
    int64_t sizes[3];
    bool packed;
    int64_t chunk;
} Level;

/* A field: the paths to its components, and what they are. */
typedef struct {
    const char *name;
    const char *axes;
    Level chain[CHAINS][LEVELS];
    struct {
        int tag, chain;
    } component[COMPONENTS];
    int components;
    int tag, rows, cols;
    int64_t first[3];           /* index */
    bool affine;                /* has a view */
    bool apart;                 /* each path is a tree of its own */
    bool known;                 /* extents are in the descriptor */
    int ambient;
} Shape;

#define F32 { { SNL_F32, 0 } }, 1, SNL_F32, 0, 0
#define D SNL_DENSE
#define B SNL_BITMASKED
#define P SNL_POINTER
#define H SNL_HASH
#define L SNL_DYNAMIC

static const Shape shapes[] = {
    {"row major", "ij", {{{D, "ij", {24, 40}, true, 0}}}, F32, {0}, true, false, true, 0},
    {"padded", "ij", {{{D, "ij", {24, 40}, false, 0}}}, F32, {0}, true, false, true, 0},
    {"column major", "ij", {{{D, "ji", {40, 24}, true, 0}}}, F32, {0}, true, false, false, 3},
    {"blocks",
     "ij",
     {{{D, "ij", {3, 10}, true, 0}, {D, "ij", {8, 4}, true, 0}}},
     F32,
     {0},
     false,
     false,
     true,
     0},
    {"other blocks",
     "ij",
     {{{D, "ji", {20, 2}, true, 0}, {D, "ij", {6, 2}, false, 0}, {D, "i", {2}, true, 0}}},
     F32,
     {0},
     false,
     false,
     true,
     2},
    {"one axis a node",
     "ij",
     {{{D, "i", {24}, true, 0}, {D, "j", {40}, false, 0}}},
     F32,
     {0},
     true,
     false,
     true,
     0},
    {"offset", "ij", {{{D, "ij", {24, 40}, true, 0}}}, F32, {-32, 7}, true, false, true, 0},
    {"pointer",
     "ij",
     {{{P, "ij", {6, 4}, false, 0}, {D, "ij", {4, 10}, false, 0}}},
     F32,
     {0},
     false,
     false,
     true,
     5},
    {"pointers at the end",
     "ij",
     {{{D, "ij", {3, 5}, false, 0}, {P, "ji", {8, 8}, true, 0}}},
     F32,
     {-4, 0},
     false,
     false,
     true,
     0},
    {"bitmasked", "ij", {{{B, "ij", {24, 40}, false, 0}}}, F32, {0}, false, false, true, 0},
    {"pointer of bitmasked",
     "ij",
     {{{P, "ij", {3, 2}, false, 0}, {P, "ij", {2, 5}, false, 0}, {B, "ij", {4, 4}, false, 0}}},
     F32,
     {0, -8},
     false,
     false,
     false,
     1},
    {"bitmasked of pointer of dense",
     "ij",
     {{{B, "ij", {3, 5}, false, 0}, {P, "ij", {4, 4}, false, 0}, {D, "ji", {2, 2}, false, 0}}},
     F32,
     {0},
     false,
     false,
     true,
     4},
    {"pointer of dense of bitmasked of dense",
     "ij",
     {{{P, "ij", {2, 5}, false, 0},
       {D, "ij", {3, 2}, false, 0},
       {B, "ij", {2, 2}, false, 0},
       {D, "ij", {2, 2}, true, 0}}},
     F32,
     {0},
     false,
     false,
     true,
     7},
    {"hash", "ij", {{{H, "ij", {24, 40}, false, 0}}}, F32, {0}, false, false, true, 3},
    {"hash of dense",
     "ij",
     {{{H, "ij", {8, 10}, false, 0}, {D, "ij", {3, 4}, false, 0}}},
     F32,
     {-3, 0},
     false,
     false,
     true,
     0},
    {"dynamic",
     "ij",
     {{{D, "i", {24}, false, 0}, {L, "j", {40}, false, 16}}},
     F32,
     {0},
     false,
     false,
     true,
     6},
    {"dynamic below pointer",
     "ij",
     {{{P, "i", {6}, false, 0}, {D, "i", {4}, false, 0}, {L, "j", {40}, false, 7}}},
     F32,
     {0},
     false,
     false,
     true,
     0},
    {"list", "i", {{{L, "i", {700}, false, 32}}}, F32, {0}, false, false, true, 2},
    {"one index", "i", {{{D, "i", {700}, true, 0}}}, F32, {0}, true, false, false, 0},
    {"vector",
     "ijk",
     {{{D, "ijk", {6, 5, 7}, false, 0}}},
     {{SNL_F64, 0}, {SNL_F64, 0}, {SNL_F64, 0}},
     3,
     SNL_F64,
     3,
     0,
     {0, -2, 1},
     true,
     false,
     true,
     0},
    {"vector by component",
     "ijk",
     {{{D, "ijk", {6, 5, 7}, true, 0}},
      {{D, "kji", {7, 5, 6}, false, 0}},
      {{D, "ijk", {3, 5, 7}, false, 0}, {D, "i", {2}, true, 0}}},
     {{SNL_F64, 0}, {SNL_F64, 1}, {SNL_F64, 2}},
     3,
     SNL_F64,
     3,
     0,
     {0},
     false,
     false,
     true,
     1},
    {"vector in three trees",
     "ijk",
     {{{D, "ijk", {6, 5, 7}, true, 0}},
      {{B, "ij", {6, 5}, false, 0}, {D, "k", {7}, true, 0}},
      {{P, "jk", {5, 7}, false, 0}, {D, "i", {6}, true, 0}}},
     {{SNL_F64, 0}, {SNL_F64, 1}, {SNL_F64, 2}},
     3,
     SNL_F64,
     3,
     0,
     {4, 0, 0},
     false,
     true,
     true,
     9},
    {"sparse vector, swapped in the cell",
     "ijk",
     {{{P, "ijk", {3, 5, 7}, false, 0}, {D, "i", {2}, true, 0}},
      {{H, "k", {7}, false, 0}, {D, "ij", {6, 5}, true, 0}}},
     {{SNL_F64, 0}, {SNL_F64, 1}, {SNL_F64, 0}},
     3,
     SNL_F64,
     3,
     0,
     {0},
     false,
     false,
     true,
     2},
    {"struct",
     "ij",
     {{{D, "ij", {9, 11}, false, 0}}},
     {{SNL_I8, 0}, {SNL_F64, 0}, {SNL_U16, 0}, {SNL_BOOL, 0}},
     4,
     -1,
     0,
     0,
     {0},
     true,
     false,
     true,
     1},
    {"struct in parts",
     "ij",
     {{{D, "ij", {9, 11}, false, 0}}, {{P, "i", {9}, false, 0}, {B, "j", {11}, false, 0}}},
     {{SNL_I8, 1}, {SNL_F64, 0}, {SNL_U16, 1}, {SNL_BOOL, 0}},
     4,
     -1,
     0,
     0,
     {0, -1},
     false,
     true,
     true,
     1},
    {"matrix of halves",
     "i",
     {{{P, "i", {9}, false, 0}}},
     {{SNL_F16, 0}, {SNL_F16, 0}, {SNL_F16, 0}, {SNL_F16, 0}},
     4,
     SNL_F16,
     2,
     2,
     {0},
     false,
     false,
     true,
     1},
    {"no index",
     "",
     {{{0}}},
     {{SNL_I32, 0}, {SNL_I32, 0}},
     2,
     SNL_I32,
     2,
     0,
     {0},
     true,
     false,
     true,
     8},
    {"large", "ij", {{{D, "ij", {300, 700}, true, 0}}}, F32, {0}, true, false, true, 0},
    {"large and padded", "ij", {{{D, "ij", {300, 700}, false, 0}}}, F32, {0}, true, false, true, 1},
    {"large column major",
     "ij",
     {{{D, "ji", {700, 300}, false, 0}}},
     F32,
     {0},
     true,
     false,
     true,
     0},
    {"large blocks",
     "ij",
     {{{D, "ij", {75, 70}, false, 0}, {D, "ij", {4, 10}, true, 0}}},
     F32,
     {0},
     false,
     false,
     true,
     0},
    {"large tree",
     "ij",
     {{{P, "ij", {3, 7}, false, 0}, {D, "ij", {100, 100}, true, 0}}},
     F32,
     {0},
     false,
     false,
     true,
     1},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* A field with its trees, and a plain copy of what it holds. */
typedef struct {
    const Shape *shape;
    SnlNodeDesc nodes[NODES];
    SnlLeafDesc leaves[COMPONENTS];
    SnlTreeDesc trees[CHAINS];
    SnlFieldLeaf parts[COMPONENTS];
    SnlFieldDesc field;
    double ambient_memory[COMPONENTS];
    SnlTree *tree[CHAINS];
    int64_t extents[3];
    int64_t count;
    int *values[COMPONENTS];    /* by element */
    bool *active[CHAINS];
} Rig;

static const char *const layout_names[CHAINS] = { "first", "second", "third" };

/* ---- values of all types are small integers ---- */

static void
put(int tag, void *to, int value)
{
    switch (tag) {
    case SNL_BOOL: { bool v = value & 1; memcpy(to, &v, 1); break; }
    case SNL_I8: { int8_t v = (int8_t)value; memcpy(to, &v, 1); break; }
    case SNL_U16: { uint16_t v = (uint16_t)value; memcpy(to, &v, 2); break; }
    case SNL_I32: memcpy(to, &value, 4); break;
    case SNL_F16: { snl_f16 v = snl_f32_to_f16((float)value); memcpy(to, &v, 2); break; }
    case SNL_F32: { float v = (float)value; memcpy(to, &v, 4); break; }
    default: { double v = value; memcpy(to, &v, 8); break; }
    }
}

static int
take(int tag, const void *from)
{
    switch (tag) {
    case SNL_BOOL: { bool v; memcpy(&v, from, 1); return v; }
    case SNL_I8: { int8_t v; memcpy(&v, from, 1); return v; }
    case SNL_U16: { uint16_t v; memcpy(&v, from, 2); return v; }
    case SNL_I32: { int v; memcpy(&v, from, 4); return v; }
    case SNL_F16: { snl_f16 v; memcpy(&v, from, 2); return (int)snl_f16_to_f32(v); }
    case SNL_F32: { float v; memcpy(&v, from, 4); return (int)v; }
    default: { double v; memcpy(&v, from, 8); return (int)v; }
    }
}

/* What a component holds of a value. */
static int
narrow(int tag, int value)
{
    return tag == SNL_BOOL ? value & 1 : value;
}

/* ---- descriptors ---- */

static int64_t
up_to(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int
level_count(const Level *chain)
{
    int n = 0;
    while (n < LEVELS && chain[n].axes)
        n++;
    return n;
}

/* Fills in a node whose cell_bytes are set. */
static void
describe_node(SnlNodeDesc *d, const Level *level, int parent, bool at_run_time)
{
    d->kind = level->kind;
    d->parent = parent;
    d->name = "S";
    d->axis_count = (int)strlen(level->axes);
    d->chunk = level->chunk;
    d->cell_count = 1;
    for (int a = 0; a < d->axis_count; a++) {
        d->axes[a] = level->axes[a] - 'i';
        d->sizes[a] = d->stored[a] = level->sizes[a];
        while (!level->packed && level->kind != SNL_DYNAMIC && d->stored[a] & (d->stored[a] - 1))
            d->stored[a]++;
        if (at_run_time && parent < 0)
            d->sizes[a] = d->stored[a] = 0;
        d->cell_count *= d->stored[a];
    }
    d->container_bytes = d->cell_count * d->cell_bytes;
    if (d->kind == SNL_POINTER)
        d->container_bytes = d->cell_count * 8 + (d->cell_count + 63) / 64 * 8;
    if (d->kind == SNL_BITMASKED)
        d->container_bytes = up_to(d->container_bytes, 8) + (d->cell_count + 63) / 64 * 8;
    if (d->kind == SNL_DYNAMIC)
        d->container_bytes = SNL_DYNAMIC_BYTES;
    if (d->kind == SNL_HASH)
        d->container_bytes = SNL_HASH_BYTES;
}

/* Places the components of a path in its last cell, not in order where that must not matter;
 * returns the bytes of the cell. */
static int64_t
place(Rig *r, int chain, int tree, int node)
{
    const Shape *s = r->shape;
    int64_t bytes = 0, align = 1;
    for (int n = 0; n < s->components; n++) {
        int k = s->affine ? n : s->components - 1 - n;
        int tag = s->component[k].tag, size = snl_scalar_bytes(tag);
        if (s->component[k].chain != chain)
            continue;
        bytes = up_to(bytes, size);
        align = size > align ? size : align;
        put(tag, &r->ambient_memory[k], s->ambient);
        r->leaves[k] = (SnlLeafDesc){ node, bytes, tag, 1, "x", k, &r->ambient_memory[k] };
        r->parts[k].tree = tree;
        r->parts[k].node = node;
        r->parts[k].offset = bytes;
        bytes += size;
    }
    return up_to(bytes, align);
}

/* Describes a tree of some of the paths. */
static void
describe_tree(Rig *r, int tree, int from, int to)
{
    const Shape *s = r->shape;
    SnlNodeDesc *nodes = &r->nodes[tree * LEVELS];
    SnlTreeDesc *t = &r->trees[tree];
    int node = 0;
    for (int chain = from; chain < to; chain++) {
        int levels = level_count(s->chain[chain]);
        int64_t bytes = place(r, chain, tree, levels ? node + levels - 1 : -1);
        for (int k = levels - 1; k >= 0; k--) {
            SnlNodeDesc *d = &nodes[node + k];
            d->cell_bytes = bytes;
            describe_node(d, &s->chain[chain][k], k ? node + k - 1 : -1, !s->known);
            bytes = up_to(d->container_bytes, 8);
        }
        if (levels == 0)
            t->root_bytes = bytes;
        node += levels;
    }
    t->name = layout_names[tree];
    t->nodes = nodes;
    t->node_count = node;
}

static int
chain_count(const Shape *s)
{
    int n = 1;
    for (int k = 0; k < s->components; k++)
        n = s->component[k].chain >= n ? s->component[k].chain + 1 : n;
    return n;
}

/* The C element, and what else the field needs. */
static void
describe_field(Rig *r)
{
    const Shape *s = r->shape;
    SnlFieldDesc *f = &r->field;
    int64_t bytes = 0, align = 1;
    for (int k = 0; k < s->components; k++) {
        int size = snl_scalar_bytes(s->component[k].tag);
        align = size > align ? size : align;
        r->parts[k].tag = s->component[k].tag;
        r->parts[k].at = up_to(bytes, size);
        bytes = r->parts[k].at + size;
    }
    f->name = "x";
    f->axis_count = (int)strlen(s->axes);
    r->count = 1;
    for (int k = 0; k < f->axis_count; k++) {
        const Level *chain = s->chain[0];
        int64_t extent = 1;
        f->axes[k] = s->axes[k] - 'i';
        for (int n = 0; n < level_count(chain); n++)
            for (int a = 0; chain[n].axes[a]; a++)
                extent *= chain[n].axes[a] == s->axes[k] ? chain[n].sizes[a] : 1;
        f->extents[k] = s->known ? extent : 0;
        f->offsets[k] = s->first[k];
        r->extents[k] = extent;
        r->count *= extent;
    }
    f->tag = s->tag;
    f->rows = s->rows;
    f->cols = s->cols;
    f->element_bytes = up_to(bytes, align);
    f->leaf_count = s->components;
    f->leaves = r->parts;
    f->node_tree = r->parts[0].tree;
    f->node = r->parts[0].node;
    f->layouts = layout_names;
}

/* ---- life ---- */

static void
create(Rig *r, SnlInstance *rt, int tree)
{
    int64_t sizes[LEVELS * SNL_AXES] = { 0 };
    for (int a = 0; a < 3; a++)
        sizes[a] = r->shape->chain[0][0].sizes[a];
    ck_assert_int_eq(snl_tree_create(rt, &r->trees[tree], r->shape->known ? NULL : sizes,
                                     &r->tree[tree]), SNL_OK);
}

static void
rig_start(Rig *r, SnlInstance *rt, const Shape *shape)
{
    int chains = chain_count(shape);
    memset(r, 0, sizeof *r);
    r->shape = shape;
    if (shape->apart)
        for (int k = 0; k < chains; k++)
            describe_tree(r, k, k, k + 1);
    else
        describe_tree(r, 0, 0, chains);
    for (int k = 0; k < CHAINS; k++) {
        r->trees[k].leaves = r->leaves;
        r->trees[k].leaf_count = shape->apart ? 0 : shape->components;
    }
    describe_field(r);
    if (shape->apart) {         /* the leaves of each tree have to be side by side */
        SnlLeafDesc kept[COMPONENTS];
        int n = 0;
        memcpy(kept, r->leaves, sizeof kept);
        for (int k = 0; k < chains; k++) {
            r->trees[k].leaves = &r->leaves[n];
            for (int m = 0; m < shape->components; m++)
                if (shape->component[m].chain == k) {
                    r->leaves[n++] = kept[m];
                    r->trees[k].leaf_count++;
                }
        }
    }
    for (int k = 0; k < (shape->apart ? chains : 1); k++)
        create(r, rt, k);
    for (int k = 0; k < COMPONENTS; k++) {
        r->values[k] = malloc((size_t)r->count * sizeof(int));
        for (int64_t e = 0; k < shape->components && e < r->count; e++)
            r->values[k][e] = narrow(shape->component[k].tag, shape->ambient);
    }
    for (int k = 0; k < CHAINS; k++)
        r->active[k] = calloc((size_t)r->count, sizeof(bool));
}

static void
rig_end(Rig *r)
{
    for (int k = 0; k < CHAINS; k++) {
        snl_tree_destroy(r->tree[k]);
        free(r->active[k]);
    }
    for (int k = 0; k < COMPONENTS; k++)
        free(r->values[k]);
}

static void
end_instance(SnlInstance *rt)
{
    ck_assert_str_eq(snl_message(rt), "");
    ck_assert_uint_eq(rt->bytes_used, 0);
    snl_instance_free(rt);
}

/* ---- the model ---- */

/* Index of an element, from 0. */
static void
split(const Rig *r, int64_t element, int64_t *index)
{
    for (int k = r->field.axis_count - 1; k >= 0; k--) {
        index[k] = element % r->extents[k];
        element /= r->extents[k];
    }
}

/* True if two elements are activated together in a path: their indices lie in the same cell of the
 * lowest sparse node, or for a list, `other` is before. */
static bool
together(const Rig *r, int chain, const int64_t *one, const int64_t *other)
{
    const Level *levels = r->shape->chain[chain];
    int lowest = level_count(levels) - 1;
    while (lowest >= 0 && levels[lowest].kind == SNL_DENSE)
        lowest--;
    for (int k = 0; k < r->field.axis_count; k++) {
        int64_t below = 1;
        for (int n = lowest + 1; n < level_count(levels); n++)
            for (int a = 0; levels[n].axes[a]; a++)
                below *= levels[n].axes[a] == r->shape->axes[k] ? levels[n].sizes[a] : 1;
        if (lowest >= 0 && levels[lowest].kind == SNL_DYNAMIC
            && levels[lowest].axes[0] == r->shape->axes[k]) {
            if (other[k] > one[k])
                return false;
        } else if (one[k] / below != other[k] / below) {
            return false;
        }
    }
    return true;
}

/* True if all nodes of a path are dense. */
static bool
is_dense(const Rig *r, int chain)
{
    for (int k = 0; k < level_count(r->shape->chain[chain]); k++)
        if (r->shape->chain[chain][k].kind != SNL_DENSE)
            return false;
    return true;
}

static bool
model_active(const Rig *r, int chain, int64_t element)
{
    return is_dense(r, chain) || r->active[chain][element];
}

static void
model_activate(Rig *r, int chain, int64_t element)
{
    int64_t one[3], other[3];
    if (model_active(r, chain, element))
        return;
    split(r, element, one);
    for (int64_t e = 0; e < r->count; e++) {
        split(r, e, other);
        if (together(r, chain, one, other))
            r->active[chain][e] = true;
    }
}

/* Writes an element of the components value, value + 1 ... */
static void
model_write(Rig *r, int64_t element, int value)
{
    for (int k = 0; k < r->shape->components; k++) {
        model_activate(r, r->shape->component[k].chain, element);
        r->values[k][element] = narrow(r->shape->component[k].tag, value + k);
    }
}

static void
put_element(const Rig *r, char *to, int value)
{
    for (int k = 0; k < r->shape->components; k++)
        put(r->parts[k].tag, to + r->parts[k].at, value + k);
}

/* ---- comparing; Check writes a record for every assertion, which takes long in loops ---- */

/* An element in memory is what the model says. */
static void
compare_element(const Rig *r, const char *memory, int64_t element)
{
    for (int k = 0; k < r->shape->components; k++) {
        int value = take(r->parts[k].tag, memory + r->parts[k].at);
        if (value != r->values[k][element])
            ck_abort_msg("%s: element %lld.%d is %d, not %d", r->shape->name, (long long)element,
                         k, value, r->values[k][element]);
    }
}

static void
compare_cells(Rig *r, SnlInstance *rt)
{
    int64_t active = 0, count, *coords;
    int chain = r->shape->component[0].chain, indices = r->field.axis_count;
    char *values = malloc((size_t)(r->count * r->field.element_bytes));
    bool *seen = calloc((size_t)r->count + 1, sizeof *seen);
    for (int64_t e = 0; e < r->count; e++)
        active += model_active(r, chain, e);
    coords = malloc((size_t)(r->count * 3) * sizeof *coords);
    ck_assert_int_eq(snl_field_cells(rt, r->tree, &r->field, NULL, NULL, 0, &count), SNL_OK);
    ck_assert_int_eq(count, active);
    ck_assert_int_eq(snl_field_cells(rt, r->tree, &r->field, coords, values, count, &count),
                     SNL_OK);
    for (int64_t n = 0; n < count; n++) {
        int64_t e = 0;
        for (int k = 0; k < indices; k++)
            e = e * r->extents[k] + coords[n * indices + k] - r->field.offsets[k];
        if (e < 0 || e >= r->count || seen[e] || !model_active(r, chain, e))
            ck_abort_msg("%s: cell %lld is listed", r->shape->name, (long long)e);
        seen[e] = true;
        compare_element(r, values + n * r->field.element_bytes, e);
    }
    free(coords);
    free(values);
    free(seen);
}

/* Everything that can be read. */
static void
compare(Rig *r, SnlInstance *rt)
{
    char *array = malloc((size_t)(r->count * r->field.element_bytes));
    int64_t strides[SNL_AXES], index[3] = { 0 };
    void *first;
    snl_status status = snl_field_view(r->tree, &r->field, &first, strides);
    ck_assert_int_eq(snl_field_get(rt, r->tree, &r->field, array, r->count), SNL_OK);
    for (int64_t e = 0; e < r->count; e++)
        compare_element(r, array + e * r->field.element_bytes, e);
    compare_cells(r, rt);
    ck_assert_int_eq(status, r->shape->affine ? SNL_OK : SNL_EINVAL);
    for (int64_t e = 0; e < r->count; e += r->count > 2000 ? 97 : 1) {
        char *seen = first;
        split(r, e, index);
        for (int k = 0; k < r->field.axis_count; k++) {
            seen += status == SNL_OK ? index[k] * strides[k] : 0;
            index[k] += r->field.offsets[k];
        }
        for (int k = 0; k < r->shape->components; k++) {
            char *at = snl_field_at(rt, r->tree, &r->field, k, index, SNL_READ);
            if (take(r->parts[k].tag, at) != r->values[k][e]
                || (status == SNL_OK && at != seen + r->parts[k].at))
                ck_abort_msg("%s: %lld.%d is not found", r->shape->name, (long long)e, k);
        }
    }
    free(array);
}

/* ---- writing ---- */

static void
write_all(Rig *r, SnlInstance *rt, int seed)
{
    char *array = calloc((size_t)r->count, (size_t)r->field.element_bytes);
    for (int64_t e = 0; e < r->count; e++) {
        int value = (int)((e * 7 + seed) % 101);
        put_element(r, array + e * r->field.element_bytes, value);
        for (int k = 0; k < CHAINS; k++)
            r->active[k][e] = true;
        model_write(r, e, value);
    }
    ck_assert_int_eq(snl_field_set(rt, r->tree, &r->field, array, r->count), SNL_OK);
    free(array);
}

static void
write_some(Rig *r, SnlInstance *rt, SnlRandom *random)
{
    enum { SOME = 9 };
    int64_t coords[SOME * 3], index[3];
    char *values = calloc(SOME, (size_t)r->field.element_bytes);
    int64_t *next = coords;
    for (int n = 0; n < SOME; n++) {
        int64_t e = snl_random_u32(random) % (uint64_t)r->count;
        int value = (int)(snl_random_u32(random) % 90);
        split(r, e, index);
        for (int k = 0; k < r->field.axis_count; k++)
            *next++ = index[k] + r->field.offsets[k];
        put_element(r, values + n * r->field.element_bytes, value);
        model_write(r, e, value);
    }
    ck_assert_int_eq(snl_field_set_cells(rt, r->tree, &r->field, coords, values, SOME), SNL_OK);
    free(values);
}

static void
write_constant(Rig *r, SnlInstance *rt, int value)
{
    char element[64] = { 0 };
    put_element(r, element, value);
    ck_assert_int_eq(snl_field_fill(rt, r->tree, &r->field, element), SNL_OK);
    for (int64_t e = 0; e < r->count; e++)
        for (int k = 0; k < r->shape->components; k++)
            if (model_active(r, r->shape->component[k].chain, e))
                r->values[k][e] = narrow(r->shape->component[k].tag, value + k);
}

#endif
