/* Layout trees: nodes with their containers, cells and components; where every scalar of every
 * field lies.
 *
 * Words: a *container* is an instance of a node (one in each cell of its parent; one in all for a
 * node at the top of a layout), a *cell* is an element of a container, a *component* is a child
 * container or a run of field scalars in a cell. All child containers lie inline in the parent's
 * cell; what a container is made of, for each kind (mirrors runtime/tree/tree.h):
 *   dense      cells                              bitmasked  cells, then 64-bit mask words
 *   pointer    slots of 8 bytes, then mask words  dynamic, hash   a header of fixed size
 *
 * Coordinates of a node's cells are counted for each axis over the whole path:
 *   coord = parent's coord * size + index in the container
 * Sizes are as declared; `stored` sizes (padded to powers of two unless packed) decide strides: the
 * linear number of a cell in its container is the mixed-radix number of its indices in storage
 * order over `stored`.
 *
 * Run-time sizes (params) appear only in nodes at the top of a layout; there `sizes` is 0 and
 * `size_expr` is set. A chunk of a dynamic node is as many cells as fit in about 64 KiB, from 16
 * to 1024 and at most its size, unless @chunk says so.
 * Memory belongs to the arena. */
#ifndef SNL_LAYOUT_LAYOUT_H
#define SNL_LAYOUT_LAYOUT_H

#include "ast/ast.h"

/* Bytes of a pointer node's slot and of the containers of dynamic and hash nodes, as
 * runtime/tree/tree.h has them. */
enum { LAYOUT_SLOT_BYTES = 8, LAYOUT_DYNAMIC_BYTES = 32, LAYOUT_HASH_BYTES = 16 };

#define AXIS_MAX 8
#define AXIS_LETTERS "ijklmnop" /* of axes 0 … 7 */

typedef struct Node Node;
typedef struct Layout Layout;
typedef struct Field Field;
struct TExpr; /* checked expression, src/check/prog.h */

typedef enum {
    BOUNDARY_NONE, BOUNDARY_AMBIENT, BOUNDARY_CLAMP, BOUNDARY_PERIODIC, BOUNDARY_MIRROR
} Boundary;
enum { BOUNDARY_COUNT = BOUNDARY_MIRROR + 1 };
/* The word for it in a program; NULL for none. */
const char *layout_boundary_word(Boundary b);

/* A run of consecutive leaves of one field, placed in a cell with its natural C layout. */
typedef struct {
    Field *field;
    int first_leaf, leaf_count;
    const Type *type;    /* of the run: the field's when placed whole, else of its component */
    int64_t cell_offset; /* bytes from the start of the cell */
    Span span;
} Place;

struct Node {
    NodeKind kind;
    int id;               /* in order of creation in its layout, from 1 (0: root): S1pointer */
    const char *label;    /* as written with family number ("b", "blk#2"), or NULL */
    Span span;
    Layout *layout;
    Node *parent;         /* NULL at the top of the layout */
    int axis_count;
    int axes[AXIS_MAX];   /* in storage order: first is outermost */
    int64_t sizes[AXIS_MAX];             /* declared, storage order; 0: run-time */
    struct TExpr *size_expr[AXIS_MAX];   /* run-time size, or NULL */
    const char *size_text[AXIS_MAX];     /* the same as the user wrote it */
    bool size_is_wide[AXIS_MAX];         /* it may pass 2^31 - 1 */
    int64_t stored[AXIS_MAX];            /* padded; equal to sizes when packed or run-time */
    bool packed;
    int64_t chunk;        /* dynamic: cells of one allocation */
    VEC(Node *) children; /* child nodes, in order */
    VEC(Place) places;
    /* computed */
    int64_t cell_count;       /* product of stored; 0: run-time */
    int64_t cell_bytes, cell_align;
    int64_t container_bytes;  /* 0: run-time */
    int64_t container_offset; /* of this node's container in the parent's cell; top nodes: 0 */
    int root_index;           /* top nodes: number among the layout's top nodes */
    int path_axes;            /* bit set of axes used from the root to here */
    /* by axis: cells over the whole path (declared sizes); 1 for unused axes; 0: run-time */
    int64_t coord_extent[AXIS_MAX];
    /* by axis: field indices that one cell spans (first path below; all are equal under @offset) */
    int64_t cell_extent[AXIS_MAX];
    /* by axis: first index of the fields below; node coordinates start at offset / cell_extent */
    int64_t offset[AXIS_MAX];
    bool has_offset;
    int depth;                       /* 0 at the top */
};

/* What snlc tune may change of a layout marked @tune. */
typedef struct {
    const Item *item;
    bool order, soa, packed;
    VEC(int64_t) blocks;
} Tune;

struct Layout {
    const char *name;    /* as written with family number, or NULL */
    int id;              /* number in the program */
    Span span;
    bool packed, manual;
    bool offset_refused; /* an error was reported: nobody knows where its indices begin */
    const Tune *tune;    /* or NULL */
    const double *units; /* @spacing along the first 3 axes, then @origin; NULL: neither is given */
    Layout *twin;        /* that swap exchanges it with, maybe through others; the first of them has
                          * none */
    bool changes_size;   /* of the first: swap may give one of them a tree of other run-time
                          * sizes */
    VEC(Node *) tops;    /* nodes at the top */
    VEC(Node *) nodes;   /* all nodes, by id - 1 */
    VEC(Place) places;   /* 0-D fields, in the root cell */
    VEC(Field *) fields; /* fields with at least one leaf here */
    int64_t root_bytes, root_align; /* of the root cell holding the 0-D places */
};

typedef struct {
    Node *node;          /* NULL: in the root cell of `layout` (0-D) */
    Layout *layout;      /* NULL: not placed (an error was reported) */
    int64_t cell_offset; /* byte offset in the node's cell */
    int place;           /* the run it is in: number among the places of the node or root cell */
} LeafPlace;

struct Field {
    const char *name;    /* "x", "r#2" */
    int id;              /* number in the program, in order of declaration */
    const Type *type;    /* of an element */
    Span span;
    Boundary boundary;
    Value *ambient;      /* NULL: zero */
    Field *adjoint;      /* or NULL */
    Field *primal;       /* of an adjoint of a field: that field */
    Field *member_of;    /* of a member of a field of structs, as files have it: that field, */
    int first_leaf;      /* and where in its elements the member is */
    bool by_hand;        /* of an adjoint: the program places it */
    bool short_form;     /* declared with its own sizes */
    bool misplaced;      /* a part of it is in a place that is wrong: what is missing is known */
    /* set when placed */
    LeafPlace *leaves;   /* type->leaf_count entries */
    const Layout *listed_in; /* the last one that has it in `fields` */
    Node *node;          /* node that holds leaf 0 (NULL: 0-D): loops over the field run over it */
    bool whole;          /* one place holds all leaves as the C struct, at leaves[0].cell_offset */
    int axis_count;      /* number of indices */
    int axes[AXIS_MAX];  /* axis of each index: ascending letters */
    int64_t extents[AXIS_MAX]; /* by index; 0: run-time (product of the path's sizes) */
    int64_t offsets[AXIS_MAX]; /* by index: first valid index */
};

/* The first of the layouts that swap exchanges with each other, this one among them. */
Layout *layout_first_twin(Layout *l);
/* Computes ids, padding, cell and container sizes, offsets, coordinates, and the `leaves` of the
 * fields placed. The declared part must be set. Reports what is too large or placed twice. */
void layout_build(Compile *c, Layout *l);
/* The type of adjoints of values of a type: the same, of f16 that of f32. */
const Type *layout_adjoint_type(Types *types, const Type *t);
/* Places adjoints that have no place yet; before layout_build. */
void layout_place_adjoints(Compile *c, Types *types, Layout *l);
/* The same again, of a layout that has got more places. */
void layout_rebuild(Compile *c, Layout *l);
/* Warns once where padding more than doubles the memory of a node; the `first` warning of a program
 * says what it costs. True when it did. */
bool layout_check_padding(Compile *c, const Layout *l, bool first);
/* The place that holds a leaf of a field, which is placed. Leaves of other places are no struct
 * with it, even where they lie so: they are members of their own in C, and something else may lie
 * in the padding between them. */
const Place *layout_place(const Field *f, int leaf);
/* Checks that every leaf of a field is placed and with one shape; derives its node, `whole`, axes
 * and extents. To be called once, when all layouts are built. False when some leaf has no place. */
bool layout_check_field(Compile *c, Field *f);
/* No tree may span more bytes or cells than this; leaves room for sums. */
#define LAYOUT_LARGEST ((int64_t)1 << 60)
/* Product that stays at LAYOUT_LARGEST once it gets there. */
int64_t node_limited_product(int64_t a, int64_t b);

/* "S2dense", the name used in dumps. */
const char *node_name(Compile *c, const Node *n);
/* True when n is `top` or lies below it; n may be NULL. */
bool node_is_within(const Node *n, const Node *top);
/* True when some node from n to the root (n included) has activity. */
bool node_is_sparse(const Node *n);
/* True when a loop finds the active cells of a container in place: dense, bitmasked and dynamic. */
bool node_is_walked(const Node *n);
/* Lowest node from n up (n included) whose cells are listed: pointer or hash; NULL when loops walk
 * the whole path. */
const Node *node_list_ancestor(const Node *n);
/* True when an extent or size on the path of n is only known at run time. */
bool node_has_runtime_size(const Node *n);
/* True when an extent along the axis that is known at run time may have 64 bits. */
bool node_is_wide(const Node *n, int axis);
/* The first coordinate of the cells of n along an axis, which @offset sets. */
int64_t node_first(const Node *n, int axis);
/* Largest run-time size number k of a node with which all indices below fit the type that they
 * have. */
int64_t node_size_max(const Node *n, int k);
/* The nodes below `from` (NULL: the top) down to `to`, outermost first; in the arena. `to` may be
 * NULL. */
Node **node_path(Arena *a, const Node *from, const Node *to, int *count);
/* The node at the top of the tree; NULL for NULL. */
const Node *node_top(const Node *n);
/* Does a field lie in that layout? One without axes may lie in none. */
bool layout_field_lies_in(const Field *f, const Layout *l);
/* The axes of the path to the node that come before an axis: where its index stands in a list of
 * indices by axis. */
int node_axis_rank(const Node *n, int axis);
/* Byte offset of the mask words in a bitmasked or pointer container. */
int64_t layout_mask_offset(NodeKind kind, int64_t cell_count, int64_t cell_bytes);

/* Bytes of a container if no size were padded; 0 for run-time sizes. */
int64_t layout_tight_bytes(const Node *n);

/* ---- printing: layout_print.c, layout_json.c, layout_draw.c, layout_at.c ---- */

typedef enum { LAYOUT_TEXT, LAYOUT_JSON, LAYOUT_SVG, LAYOUT_DOT } LayoutFormat;
/* The trees of a program. */
typedef struct {
    Layout *const *items;
    int count;
} LayoutList;
/* All trees: nodes, containers, cells, bytes, bits, strides, index map, padding. */
void layout_print(Compile *c, LayoutList trees, LayoutFormat format, Text *out);
/* Place of a field element: "x[1, 2]" -> text with the path of nodes, cell numbers and the byte
 * offset in the tree (dense) or in its block (sparse); or the same as JSON. False after an
 * error. */
bool layout_print_at(Compile *c, LayoutList trees, const char *element, LayoutFormat format,
                     Text *out);

#endif
