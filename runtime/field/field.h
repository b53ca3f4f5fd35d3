/* field.h - whole fields: arrays, fill, copy, files, lists of cells, views, single elements.
 *
 * The compiler writes an SnlFieldDesc for each field as static data.  All functions take the trees
 * of the program by number, NULL for a layout that does not exist now.  An array of a field is
 * dense and row-major, owned by the caller, with elements as C has them: the scalar, the components
 * of a vector or matrix in order, or the struct.
 * What fails is recorded in the instance, without a place, and returned; the field is then as it
 * was, except that memory may have run out while cells were being activated.  Where an error is
 * recorded already, nothing is done but to return its status.
 * No function of this header may run beside others that write the field.
 */
#ifndef SNL_FIELD_FIELD_H
#define SNL_FIELD_FIELD_H

#include "../tree/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One scalar of an element. */
typedef struct {
    int tree;                   /* number of its tree */
    int node;                   /* -1: in the root cell */
    int64_t offset;             /* in the cell */
    int tag;
    int64_t at;                 /* in the C element */
} SnlFieldLeaf;

typedef struct {
    const char *name;
    int axis_count;             /* number of indices */
    int axes[SNL_AXES];         /* letter of each index, ascending */
    int64_t extents[SNL_AXES];  /* by index; 0: known at run time */
    int64_t offsets[SNL_AXES];  /* by index: first valid one */
    int tag;                    /* of all scalars; -1: a struct */
    int rows, cols;             /* as in SnlArg */
    int64_t element_bytes;      /* of the C element */
    int leaf_count;
    const SnlFieldLeaf *leaves;
    int node_tree, node;        /* whose cells a loop over the field visits; node -1: 0-D */
    const char *const *layouts; /* names of the trees by number, for messages; may be NULL */
    const double *units;        /* as in SnlIoArray */
} SnlFieldDesc;

/* Number of elements along index k; 0 while the layout does not exist. */
int64_t snl_field_extent(SnlTree *const *trees, const SnlFieldDesc *f, int k);

/* Number of elements, at most INT64_MAX. */
int64_t snl_field_count(SnlTree *const *trees, const SnlFieldDesc *f);

/* Copies all elements into an array of n, which must be their number; inactive cells read as
 * ambient. */
snl_status snl_field_get(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, void *out,
                         int64_t n);

/* Writes all elements, and so activates all cells, from an array of n, their number. */
snl_status snl_field_set(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f,
                         const void *in, int64_t n);

/* Writes one element into all cells of dense nodes and the active cells of sparse ones. */
snl_status snl_field_fill(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f,
                          const void *element);

/* Copies a field of the same type and extents, first element to first element; of sparse ones only
 * the active cells, which become active. */
snl_status snl_field_copy(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *to,
                          const SnlFieldDesc *from);

/* Saves fields by the extension of the path. */
snl_status snl_field_save(SnlInstance *rt, SnlTree *const *trees, const char *path, int count,
                          const SnlFieldDesc *const *fs);

/* Loads a field by the extension of the path. */
snl_status snl_field_load(SnlInstance *rt, SnlTree *const *trees, const char *path,
                          const SnlFieldDesc *f);

/* Saves a field as a picture: lo is black, hi white. */
snl_status snl_field_image(SnlInstance *rt, SnlTree *const *trees, const char *path,
                           const SnlFieldDesc *f, double lo, double hi);

/* Lists active cells in memory order: the first max of them into coords, axis_count indices for
 * each, and values, one element for each; both may be NULL.  *count is how many there are. */
snl_status snl_field_cells(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f,
                           int64_t *coords, void *values, int64_t max, int64_t *count);

/* Writes n elements in order, and activates their cells; nothing is written where an index is out
 * of range. */
snl_status snl_field_set_cells(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f,
                               const int64_t *coords, const void *values, int64_t n);

/* Records what a function for files said. */
snl_status snl_io_failed(SnlInstance *rt, const SnlIoError *error);

/* Address of the first element and bytes from one to the next along each index, or SNL_EINVAL
 * where the elements do not lie so; records no error. */
snl_status snl_field_view(SnlTree *const *trees, const SnlFieldDesc *f, void **first,
                          int64_t strides[SNL_AXES]);

/* The same for the C interface, with as many strides as there are indices; records the error. */
snl_status snl_field_strides(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f,
                             void **first, size_t *strides);

/* Address of a scalar of the element at index; mode is SNL_READ, when it may be read only, or
 * SNL_ACTIVATE.  NULL after an error. */
void *snl_field_at(SnlInstance *rt, SnlTree *const *trees, const SnlFieldDesc *f, int leaf,
                   const int64_t *index, int mode);

#ifdef __cplusplus
}
#endif

#endif
