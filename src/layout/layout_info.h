/* Facts of a tree as the printers show them: index maps, strides, sizes as text. Text belongs to
 * the arena. For src/layout only. */
#ifndef SNL_LAYOUT_LAYOUT_INFO_H
#define SNL_LAYOUT_LAYOUT_INFO_H

#include "layout/layout.h"

/* How the k-th axis (in storage order) of a node takes part in its cell numbers. */
typedef struct {
    char letter;
    int axis;
    int64_t size, stored; /* 0: run-time */
    int64_t below;        /* indices of the fields below that one step spans */
    int64_t offset;       /* first index of the fields below */
    bool first;           /* no node above has this axis: the index needs no modulo */
    bool shifts;          /* shift and mask instead of division and remainder */
    int64_t stride;       /* cells between neighbours along the axis; 0: run-time */
    int number_bit;       /* lowest bit of the cell number it decides, -1: not whole bits */
    int index_bit, bits;  /* lowest bit of the index it takes, and how many; -1: not whole bits */
} AxisInfo;
AxisInfo node_axis_info(const Node *n, int k);

/* "i >> 2 & 3": the index in the container, from the index of a field below. */
const char *layout_axis_map_text(Compile *c, const AxisInfo *a);
/* A size, "n" for a run-time one. */
const char *node_size_text(Compile *c, const Node *n, int k);
/* "b: pointer ij[4, n]". */
const char *node_title(Compile *c, const Node *n);
/* Cells between neighbours along the k-th axis: "16", "4 * n". */
const char *node_stride_text(Compile *c, const Node *n, int k);
/* ".pos", "" for all: the members of a type down to the run that starts at a leaf and has that many
 * leaves. */
const char *layout_run_name(Compile *c, const Type *t, int leaf, int count);
/* "x", "v.y", "p.pos". */
const char *layout_place_name(Compile *c, const Place *p);
/* "layout 'grid'"; without a name "layout 3"; "field 'x'" of one that a field has by its sizes. */
const char *layout_title(Compile *c, const Layout *l);
/* Cells as declared in a container; 0 for run-time sizes. */
int64_t node_used_cells(const Node *n);
/* Containers of a node, or their cells, in the whole tree if every cell above is active, as they
 * are stored; 0 for run-time sizes, -1 where that passes 2^63. */
int64_t node_all_containers(const Node *n);
int64_t node_all_cells(const Node *n);
/* By axis of the fields: which axis of storage it is, counted from the outermost node of the path;
 * -1: no node of the path has it. Returns one more than the last axis of the path. */
int node_index_positions(const Node *n, int position[AXIS_MAX]);
/* The same as text, "0: 1, 1: 0", with each axis between two texts. */
const char *layout_index_positions_text(Compile *c, const Node *n, const char *quote);
/* "4096 bytes (4.0 KiB)". */
const char *layout_bytes_text(Compile *c, int64_t bytes);
/* "x[0..31, -4..3]", "e" for no axes: the valid indices of a field. */
const char *layout_field_shape_text(Compile *c, const Field *f);
/* Bytes between neighbours along the k-th index of a field where one node has the axis; 0 where it
 * depends. */
int64_t layout_field_stride(const Field *f, int k);
/* Bytes that exist as soon as the tree does, and how many fewer it would be without padding; -1
 * when sizes are known at run time. */
int64_t layout_fixed_bytes(const Layout *l, int64_t *padding);

/* The way to an element: one node of it, */
typedef struct {
    const Node *node;
    const char *cell; /* indices of the cell in its container: "1, 2" */
    int64_t number;   /* of the cell there; -1: depends on params, or is found by its indices */
    int64_t slot;     /* byte of its pointer; -1: it has none, or that depends on params */
    const char *of;   /* what that byte is counted from */
} ElementStep;
/* and all nodes, to what lies together. */
typedef struct {
    const char *name, *type;
    int64_t bytes, byte_in_cell;
    int64_t byte;   /* -1: depends on params */
    const char *of; /* what that is counted from */
    ElementStep *steps;
    int step_count;
} ElementPart;
void layout_print_json_parts(Compile *c, const ElementPart *parts, int count, Text *out);

/* The three other forms and their entry, layout_print in layout_print.c. */
void layout_print_json(Compile *c, LayoutList trees, Text *out);
void layout_print_svg(Compile *c, LayoutList trees, Text *out);
void layout_print_dot(Compile *c, LayoutList trees, Text *out);

#endif
