/* io_nvdb.h - what writing and reading .nvdb share: the head of a file, types of grids.
 *
 * Private to the library; empty where the headers of NanoVDB were missing when it was built.
 * Everything inside a grid is laid out as PNanoVDB.h says, in the byte order of this machine, which
 * must be the little-endian one of the format.
 *
 *     head; for each grid: its entry, name; for each grid: the grid
 *     grid = head, tree, root with tiles, upper nodes (32^3), lower nodes (16^3), leaves (8^3)
 */
#ifndef SNL_IO_IO_NVDB_H
#define SNL_IO_IO_NVDB_H

#include "io_stream.h"

#ifdef SNL_HAVE_NANOVDB

#define PNANOVDB_C
#define PNANOVDB_ADDRESS_64
#include <nanovdb/PNanoVDB.h>

enum { SNL_NVDB_NONE, SNL_NVDB_ZIP, SNL_NVDB_BLOSC };
enum { SNL_NVDB_UPPER = 4096, SNL_NVDB_LOWER = 128, SNL_NVDB_LEAF = 8 };   /* along an axis */

typedef pnanovdb_grid_type_constants_t SnlNvdbType;

/* The head of a file. */
typedef struct {
    uint64_t magic;
    uint32_t version;
    uint16_t grid_count, codec;
} SnlNvdbHead;

/* The entry of a grid, followed by its name. */
typedef struct {
    uint64_t grid_bytes, file_bytes, name_key, voxel_count;
    uint32_t type, grid_class;
    double world_box[6];
    int32_t box[6];
    double voxel_size[3];
    uint32_t name_bytes, node_count[4], tile_count[3];
    uint16_t codec, unused;
    uint32_t version;
} SnlNvdbEntry;

/* The nodes of one level, one after the other. */
typedef struct {
    uint64_t at, count;         /* offset in the grid */
    size_t bytes;               /* of one */
} SnlNvdbNodes;

/* In place of a checksum: there is none. */
#define SNL_NVDB_NO_SUM UINT64_MAX

/* Whether the checksum of a grid of this version is made of the two below. */
bool snl_nvdb_has_sums(uint32_t version);

/* The sum of all heads, which are the first bytes of a grid. */
uint32_t snl_nvdb_head_sum(const unsigned char *grid, size_t heads_bytes);

/* The sum of upper nodes, lower nodes and leaves, whose CRCs are numbers of so many bytes. */
uint32_t snl_nvdb_node_sum(const unsigned char *grid, const SnlNvdbNodes nodes[3],
                           size_t number_bytes);

/* Where the values lie in a leaf: those of bool are a second mask behind the first, and not where
 * the table of PNanoVDB.h has them. */
static inline uint32_t snl_nvdb_leaf_values(unsigned type)
{
    return type == PNANOVDB_GRID_TYPE_BOOLEAN
           ? PNANOVDB_LEAF_OFF_VALUE_MASK + PNANOVDB_LEAF_TABLE_COUNT / 8
           : pnanovdb_grid_type_constants[type].leaf_off_table;
}

#endif

#endif
