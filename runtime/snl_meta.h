/* snl_meta.h - what a C program can ask about the layouts, nodes and fields of an SNL program while
 * it runs; for C11 and C++17.
 *
 * `program` is an object of any compiled program, as for snl_message.  Layouts, the nodes of a
 * layout and fields have numbers from 0 on, in the order of the program; a parent comes before its
 * children.  Strings and what else is given belong to the program and live as long as its code.
 * Nothing here changes a value or what is active.  Where a number does not exist, the functions
 * return SNL_EINVAL or -1; they do not touch the message of the program.
 */
#ifndef SNL_META_H
#define SNL_META_H

#include "snl_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_META_AXES = 8 };

/* A layout. */
typedef struct snl_meta_layout {
    const char *name;           /* NULL: it has none */
    int nodes;
    int exists;                 /* 0: a @manual layout that is not there now */
    int64_t bytes;              /* that it holds now */
} snl_meta_layout;

/* A node; arrays are in storage order.  Sizes known at run time only are 0 while the layout does
 * not exist. */
typedef struct snl_meta_node {
    const char *kind;           /* "dense", "bitmasked", "pointer", "dynamic", "hash" */
    const char *name;           /* as `snlc layout` has it: "S1pointer" */
    const char *label;          /* NULL: it has none */
    int parent;                 /* number of a node of the layout; -1: it is at the top */
    int axes;
    char letter[SNL_META_AXES]; /* 'i' ... 'p' */
    int64_t size[SNL_META_AXES];
    int64_t stored[SNL_META_AXES];      /* with padding */
    int64_t cell_bytes;
    int64_t container_bytes;
    int64_t container_offset;   /* in the cell of the parent */
    int64_t chunk;              /* dynamic: cells of one allocation; else 0 */
    int64_t bytes;              /* that it holds now, apart from the container it lies in */
} snl_meta_node;

/* A field. */
typedef struct snl_meta_field {
    const char *name;
    const char *scalar;         /* "f32"; NULL: a struct */
    int rows, columns;          /* of a vector: its components and 0; of a scalar: 0 and 0 */
    int indices;                /* how many; 0: one value */
    int64_t first[SNL_META_AXES];       /* valid value of each index */
    int64_t extent[SNL_META_AXES];      /* how many values each index has; 0 as for sizes */
    int64_t element_bytes;      /* of the type in C */
    int layout;                 /* where its first component is placed */
    int node;                   /* of the layout; -1: it is placed at the top, without a node */
} snl_meta_field;

/* How many layouts the program has, @manual ones that do not exist now among them. */
SNL_API int snl_meta_layouts(const void *program);

/* How many fields the program has. */
SNL_API int snl_meta_fields(const void *program);

/* Describes a layout in *out; SNL_EINVAL, and zeros there, where it has no such number. */
SNL_API snl_status snl_meta_get_layout(const void *program, int layout, snl_meta_layout *out);

/* Describes a node of a layout, which need not exist now, in *out; SNL_EINVAL, and zeros there,
 * where there is no such layout or node. */
SNL_API snl_status snl_meta_get_node(const void *program, int layout, int node, snl_meta_node *out);

/* Describes a field in *out; SNL_EINVAL, and zeros there, where it has no such number. */
SNL_API snl_status snl_meta_get_field(const void *program, int field, snl_meta_field *out);

/* The number of the layout with that name, or -1. */
SNL_API int snl_meta_find_layout(const void *program, const char *name);

/* The number of the node of a layout with that label, or -1. */
SNL_API int snl_meta_find_node(const void *program, int layout, const char *label);

/* The number of the field with that name, or -1. */
SNL_API int snl_meta_find_field(const void *program, const char *name);

/* Where one number of a field lies: its address in the first element, and for each index the bytes
 * to it in the next; numbers count by rows, and in structs member by member.  SNL_EINVAL where they
 * do not lie at constant strides, SNL_ENOTREE where the layout does not exist. */
SNL_API snl_status snl_meta_view(const void *program, int field, int number, void **first,
                                 size_t *strides);

/* How many cells of a node are active in all its containers; -1 without such a node, its layout, or
 * memory to count them.  It may take time, for it looks at all of them where activity has changed,
 * and must not run beside a call of the program. */
SNL_API int64_t snl_meta_active(void *program, int layout, int node);

/* 1 if a cell of a node is active, else 0, also where there is no such cell or node.  The
 * coordinates, one for each axis of the node and the nodes above, go by ascending letter and are
 * counted from 0.  It must not run beside a call of the program. */
SNL_API int snl_meta_is_active(void *program, int layout, int node, const int64_t *coord);

/* Bytes that the program holds in all. */
SNL_API uint64_t snl_meta_bytes(const void *program);

/* Bytes that the program may hold at most; 0: no limit. */
SNL_API uint64_t snl_meta_limit(const void *program);

#ifdef __cplusplus
}
#endif

#endif
