/* shapes.h - kernels of the shapes that passes look for: what shapes.c and the files shapes_*.c
 * share. Each adds fields of its own to the program, and a kernel that fills them, works on them
 * and gives a checksum. */
#ifndef DIFF_SHAPES_H
#define DIFF_SHAPES_H

#include "snlsmith.h"

/* Opens the next kernel, which gives a checksum. */
void open_kernel(Gen *g);
/* One of several texts. */
const char *one_of(Gen *g, const char *const *texts, int count);
#define ONE_OF(g, ...)                            \
    one_of(g, (const char *const[]){__VA_ARGS__}, \
           (int)(sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *)))
/* The same, where it does not matter which. */
const char *any_of(Gen *g, const char *const *texts, int count);
#define ANY_OF(g, ...)                            \
    any_of(g, (const char *const[]){__VA_ARGS__}, \
           (int)(sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *)))
/* A layout of any nodes that hold these fields, of `size` cells, a power of two above 15, along
 * i. */
void put_any_layout(Gen *g, const char *fields, int size);
/* An i32 field and one of two floats in sparse cells of sparse blocks, so many of each. */
void put_sparse_blocks(Gen *g, const char *block, int blocks, const char *cell, int cells,
                       const char *value, const char *pair);

/* ---- functions that change fields and nodes: shapes_calls.c ---- */
void put_called_shape(Gen *g);

/* ---- all elements but those at the ends, and around the ends: shapes_inner.c ---- */
void put_inner_shape(Gen *g);

/* ---- cells that loops change: shapes_cells.c ---- */
/* Lists, so many that the caches may not hold them, that iterations look up before they append. */
void put_home_shape(Gen *g);
/* One number of cells of two or three, which lie in rows. */
void put_woven_shape(Gen *g);
/* Cells that are deactivated, and activated again, by loops over something else. */
void put_revival_shape(Gen *g);
/* Structs around an element, beyond the ends of the field too. */
void put_boundary_shape(Gen *g);

/* ---- indices that are computed: shapes_index.c ---- */
/* Indices made of small integers that wrap. */
void put_wrapped_shape(Gen *g);
/* Elements that an iteration has for itself, found in several ways. */
void put_group_shape(Gen *g);
/* Elements at constant distances from one that is looked up. */
void put_distance_shape(Gen *g);
/* Multiples of indices of ranges whose ends are known at run time only, some of which wrap. */
void put_multiples_shape(Gen *g);

/* ---- cells, active one by one, that change nothing but themselves: shapes_masks.c ---- */
void put_masked_cells_shape(Gen *g);

/* ---- arrays that loops change by rows and columns: shapes_rows.c ---- */
/* Rows, one element after another, and an element of them that is read. */
void put_row_element_shape(Gen *g);
/* Columns, each from one end to the other. */
void put_columns_shape(Gen *g);
/* All but a row and a column, by what lies in these. */
void put_cross_shape(Gen *g);

/* ---- cells of other trees: shapes_reach.c ---- */
/* Cells around particles, which they add to and read. */
void put_reach_shape(Gen *g);
/* Blocks of other trees at the indices of the loop. */
void put_blocks_at_index_shape(Gen *g);
/* Cells of hash nodes that some iterations ask for or change. */
void put_found_shape(Gen *g);

/* ---- a fine grid and a coarse one: shapes_grids.c ---- */
void put_grids_shape(Gen *g);

/* ---- sums and reads around each cell, in arrays and blocks: shapes_spread.c ---- */
void put_spread_shape(Gen *g);

/* ---- cells of blocks before and after ranges of indices: shapes_block_ranges.c ---- */
void put_block_ranges_shape(Gen *g);

/* ---- lists that many iterations in a row append to: shapes_runs.c ---- */
void put_appends_shape(Gen *g);

/* ---- cells around places in no order: shapes_particles.c ---- */
void put_particles_shape(Gen *g);

/* ---- products of matrices: shapes_products.c ---- */
void put_product_shape(Gen *g);

/* ---- indices that are local vectors: shapes_parts.c ---- */
void put_parts_shape(Gen *g);

/* ---- more than one element at a time: shapes_whole.c ---- */
/* Rows of numbers of one and two bytes that end within a vector. */
void put_small_rows_shape(Gen *g);
/* Cells of a mask that another tree of the same shape has too. */
void put_same_cells_shape(Gen *g);
/* Many components that lie in one cell. */
void put_together_shape(Gen *g);

/* ---- sums of floats: shapes_sums.c; what lies around in fields of run-time extents: shapes_rims.c
 * ---- */
void put_sums_shape(Gen *g);
void put_rim_shape(Gen *g);
void put_cut_shape(Gen *g);

/* ---- masks that the loops over them change: shapes_grow.c ---- */
void put_grow_shape(Gen *g);

/* ---- elements around each one in trees of several levels: shapes_nested.c ---- */
void put_nested_shape(Gen *g);

/* ---- rows in steps, and blocks from a number on: shapes_ranges.c ---- */
/* Sums of rows. */
void put_steps_shape(Gen *g);
/* Elements at which a sum of indices leaves a certain rest. */
void put_some_shape(Gen *g);
/* Sequential loops through the cells of blocks. */
void put_block_start_shape(Gen *g);

/* ---- cells of lists: shapes_lists.c ---- */
/* Cells whose iterations go through sequential loops together. */
void put_inner_loops_shape(Gen *g);
/* Lists that sequential loops go through. */
void put_list_cells_shape(Gen *g);
/* Lists that are filled one after another. */
void put_runs_shape(Gen *g);

/* ---- least and greatest of unusual floats: shapes_limits.c ---- */
void put_limits_shape(Gen *g);

/* ---- cells that their own iterations deactivate: shapes_deactivation.c ---- */
void put_deactivation_shape(Gen *g);

/* ---- elements of their own that iterations change where these say so: shapes_stores.c ---- */
void put_conditional_stores_shape(Gen *g);

/* ---- what is active around: shapes_counts.c ---- */
void put_counts_shape(Gen *g);

/* ---- iterations that go ways of their own: shapes_flow.c ---- */
void put_flow_shape(Gen *g);

/* ---- derivatives, and functions that are given functions: shapes_derivatives.c ---- */
void put_derivatives_shape(Gen *g);

/* ---- functions of matrices and local arrays, in parallel loops: locals.c ---- */
void put_local_shape(Gen *g);

/* ---- fields of more than 2^32 elements along an axis: shapes_vast.c ---- */
void put_vast_shape(Gen *g);

#endif
