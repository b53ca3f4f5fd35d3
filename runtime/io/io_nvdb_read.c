/* io_nvdb_read.c - the active cells of a grid of a .nvdb file.
 *
 * Nothing in a file is believed: every node must lie in its grid, and no more nodes are visited
 * than the grid has room for, so a grid that refers to itself ends.
 */
#include "io_nvdb.h"

#ifdef SNL_HAVE_NANOVDB

#include <stddef.h>
#include <stdlib.h>

/* A grid in memory. */
typedef struct {
    const SnlIoArray *a;
    const char *path;
    SnlIoError *error;
    const unsigned char *bytes;
    size_t size;
    uint64_t at;                /* offset in the file, for messages */
    unsigned char *owned;       /* where it was unpacked, or NULL */
    unsigned type;
    const SnlNvdbType *t;
    size_t value_bytes;
    int64_t limit, count;       /* cells: the most there can be, and there are */
    uint64_t node_limit, nodes;
    uint64_t heads_bytes;       /* of grid, tree and root with its tiles */
    char others[256];           /* names of the grids before it, for messages */
    int64_t *coords;            /* NULL while cells are counted */
    unsigned char *values;
} Grid;

/* The offset in the file of a byte of the grid; of what was unpacked, that of the grid. */
static uint64_t
place(const Grid *g, uint64_t at)
{
    return g->at + (g->owned ? 0 : at);
}

static bool
damaged(const Grid *g, uint64_t at, const char *what)
{
    return snl_io_fail_at(g->error, g->path, place(g, at), "%s", what);
}

static uint32_t
get32(const unsigned char *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static uint64_t
get64(const unsigned char *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static bool
bit(const unsigned char *mask, uint32_t number)
{
    return mask[number / 8] >> number % 8 & 1;
}

/* ---- cells ---- */

/* Takes the cells of a cube of side `side` with one value; one cell for side 1. */
static bool
take_cube(Grid *g, const int32_t low[3], int side, const unsigned char *value, uint64_t at)
{
    const SnlIoArray *a = g->a;
    int64_t n = a->index_axes, cells = 1;
    int64_t first[3], last[3], index[3];
    for (int k = 0; k < 3; k++) {
        first[k] = low[k];
        last[k] = (int64_t)low[k] + side - 1;
        if (k >= n && (first[k] != 0 || last[k] != 0))
            return damaged(g, at, "a cell outside of the indices of the field");
        cells *= side;
    }
    if (!snl_io_check_cell(g->path, a, first, place(g, at), g->error)
        || !snl_io_check_cell(g->path, a, last, place(g, at), g->error))
        return false;
    if (cells > g->limit - g->count)
        return damaged(g, at, "more cells than there can be");
    for (index[0] = first[0]; g->coords && index[0] <= last[0]; index[0]++)
        for (index[1] = first[1]; index[1] <= last[1]; index[1]++)
            for (index[2] = first[2]; index[2] <= last[2]; index[2]++, g->count++) {
                memcpy(g->coords + g->count * n, index, (size_t)n * sizeof *index);
                memcpy(g->values + (size_t)g->count * g->value_bytes, value, g->value_bytes);
                if (a->tag == SNL_BOOL)
                    g->values[g->count] = *value != 0;
            }
    if (!g->coords)
        g->count += cells;
    return true;
}

/* The node that lies `offset` bytes behind `from`, of so many bytes. */
static bool
find_node(Grid *g, uint64_t from, int64_t offset, size_t bytes, uint64_t *at)
{
    *at = from + (uint64_t)offset;
    if (offset <= 0 || *at > g->size || g->size - *at < bytes)
        return damaged(g, from, "a node outside of its grid");
    if (++g->nodes > g->node_limit)
        return damaged(g, from, "more nodes than there can be");
    return true;
}

/* Child `number` of a node whose children are `side` wide, 1 << bits along an axis. */
static void
corner_of(const int32_t low[3], uint32_t number, int bits, int side, int32_t child[3])
{
    for (int k = 0; k < 3; k++) {
        uint32_t index = number >> bits * (2 - k) & ((1u << bits) - 1);
        child[k] = (int32_t)((uint32_t)low[k] + index * (uint32_t)side);
    }
}

static bool
take_leaf(Grid *g, uint64_t at, const int32_t low[3])
{
    const unsigned char *leaf = g->bytes + at, *table = leaf + snl_nvdb_leaf_values(g->type);
    for (uint32_t n = 0; n < PNANOVDB_LEAF_TABLE_COUNT; n++) {
        unsigned char is_set = bit(table, n);
        int32_t cell[3];
        if (!bit(leaf + PNANOVDB_LEAF_OFF_VALUE_MASK, n))
            continue;
        corner_of(low, n, 3, 1, cell);
        if (!take_cube(g, cell, 1, g->type == PNANOVDB_GRID_TYPE_BOOLEAN
                                       ? &is_set : table + n * g->value_bytes, at))
            return false;
    }
    return true;
}

/* What the two kinds of inner nodes differ in. */
typedef struct {
    uint32_t child_mask, value_mask, table, count;
    size_t child_bytes;
    int bits, side;             /* children along an axis: 1 << bits, each of so many voxels */
} Inner;

/* Takes a lower node, or an upper one with the lower ones in it. */
static bool
take_inner(Grid *g, uint64_t at, const int32_t low[3], bool is_upper)
{
    const SnlNvdbType *t = g->t;
    const Inner upper = { PNANOVDB_UPPER_OFF_CHILD_MASK, PNANOVDB_UPPER_OFF_VALUE_MASK,
                          t->upper_off_table, PNANOVDB_UPPER_TABLE_COUNT, t->lower_size, 5,
                          SNL_NVDB_LOWER };
    const Inner lower = { PNANOVDB_LOWER_OFF_CHILD_MASK, PNANOVDB_LOWER_OFF_VALUE_MASK,
                          t->lower_off_table, PNANOVDB_LOWER_TABLE_COUNT, t->leaf_size, 4,
                          SNL_NVDB_LEAF };
    const Inner *k = is_upper ? &upper : &lower;
    const unsigned char *node = g->bytes + at;
    for (uint32_t n = 0; n < k->count; n++) {
        const unsigned char *entry = node + k->table + (size_t)n * t->table_stride;
        int32_t corner[3];
        uint64_t child;
        corner_of(low, n, k->bits, k->side, corner);
        if (bit(node + k->child_mask, n)) {
            if (!find_node(g, at, (int64_t)get64(entry), k->child_bytes, &child)
                || !(is_upper ? take_inner(g, child, corner, false) : take_leaf(g, child, corner)))
                return false;
        } else if (bit(node + k->value_mask, n) && !take_cube(g, corner, k->side, entry, at)) {
            return false;
        }
    }
    return true;
}

/* Takes all cells of the grid. */
static bool
take_grid(Grid *g)
{
    uint64_t root, upper, offset;
    uint32_t tiles;
    g->count = 0;
    g->nodes = 0;
    g->node_limit = g->size / g->t->leaf_size + 1;
    offset = get64(g->bytes + PNANOVDB_GRID_SIZE + PNANOVDB_TREE_OFF_NODE_OFFSET_ROOT);
    if (!find_node(g, PNANOVDB_GRID_SIZE, (int64_t)offset, g->t->root_size, &root))
        return false;
    tiles = get32(g->bytes + root + PNANOVDB_ROOT_OFF_TABLE_SIZE);
    if (tiles > (g->size - root - g->t->root_size) / g->t->root_tile_size)
        return damaged(g, root, "more tiles than there can be");
    g->heads_bytes = PNANOVDB_GRID_SIZE + PNANOVDB_TREE_SIZE + g->t->root_size
                     + (uint64_t)tiles * g->t->root_tile_size;
    for (uint32_t n = 0; n < tiles; n++) {
        uint64_t at = root + g->t->root_size + (uint64_t)n * g->t->root_tile_size;
        const unsigned char *tile = g->bytes + at;
        uint64_t key = get64(tile + PNANOVDB_ROOT_TILE_OFF_KEY);
        int64_t child = (int64_t)get64(tile + PNANOVDB_ROOT_TILE_OFF_CHILD);
        int32_t low[3];
        for (int k = 0; k < 3; k++)
            low[k] = (int32_t)((uint32_t)(key >> 21 * (2 - k)) << 12);
        if (child) {
            if (!find_node(g, root, child, g->t->upper_size, &upper)
                || !take_inner(g, upper, low, true))
                return false;
        } else if (get32(tile + PNANOVDB_ROOT_TILE_OFF_STATE)
                   && !take_cube(g, low, SNL_NVDB_UPPER, tile + g->t->root_tile_off_value, at)) {
            return false;
        }
    }
    return true;
}

/* ---- checksums ---- */

/* Finds the nodes of each level; false, with a message, where they lie outside of the grid. */
static bool
find_levels(const Grid *g, SnlNvdbNodes nodes[3])
{
    static const int offsets[3] = { PNANOVDB_TREE_OFF_NODE_OFFSET_UPPER,
                                    PNANOVDB_TREE_OFF_NODE_OFFSET_LOWER,
                                    PNANOVDB_TREE_OFF_NODE_OFFSET_LEAF };
    static const int counts[3] = { PNANOVDB_TREE_OFF_NODE_COUNT_UPPER,
                                   PNANOVDB_TREE_OFF_NODE_COUNT_LOWER,
                                   PNANOVDB_TREE_OFF_NODE_COUNT_LEAF };
    const size_t bytes[3] = { g->t->upper_size, g->t->lower_size, g->t->leaf_size };
    for (int k = 0; k < 3; k++) {
        uint64_t from = get64(g->bytes + PNANOVDB_GRID_SIZE + offsets[k]);
        nodes[k].count = get32(g->bytes + PNANOVDB_GRID_SIZE + counts[k]);
        nodes[k].at = PNANOVDB_GRID_SIZE + from;
        nodes[k].bytes = bytes[k];
        if (nodes[k].count > 0 && (from > g->size || nodes[k].at > g->size
                                   || nodes[k].count > (g->size - nodes[k].at) / bytes[k]))
            return damaged(g, (uint64_t)(PNANOVDB_GRID_SIZE + offsets[k]),
                           "nodes outside of their grid");
    }
    return true;
}

/* Compares the checksum of a grid whose cells were counted.  That of nodes is left out where these
 * do not lie in the order in which it was made. */
static bool
check_sum(const Grid *g)
{
    uint64_t sum = get64(g->bytes + PNANOVDB_GRID_OFF_CHECKSUM);
    uint32_t of_nodes = (uint32_t)(sum >> 32);
    bool ordered = get32(g->bytes + PNANOVDB_GRID_OFF_FLAGS) & PNANOVDB_GRID_FLAGS_IS_BREADTH_FIRST;
    SnlNvdbNodes nodes[3];
    if (sum == SNL_NVDB_NO_SUM || !snl_nvdb_has_sums(get32(g->bytes + PNANOVDB_GRID_OFF_VERSION)))
        return true;
    if (g->heads_bytes > g->size
        || snl_nvdb_head_sum(g->bytes, (size_t)g->heads_bytes) != (uint32_t)sum)
        return damaged(g, PNANOVDB_GRID_OFF_CHECKSUM,
                       "the heads of a grid differ from its checksum");
    if (of_nodes == UINT32_MAX || !ordered)
        return true;
    return find_levels(g, nodes) &&
           (snl_nvdb_node_sum(g->bytes, nodes, 8) == of_nodes ||
            snl_nvdb_node_sum(g->bytes, nodes, 4) == of_nodes ||
            damaged(g, PNANOVDB_GRID_OFF_CHECKSUM, "the nodes of a grid differ from its checksum"));
}

/* ---- the file ---- */

/* False, with a message, unless so many bytes of the file lie at that offset. */
static bool
has(const SnlIoMap *m, uint64_t at, uint64_t bytes, SnlIoError *error)
{
    if (at <= m->bytes && bytes <= m->bytes - at)
        return true;
    return snl_io_fail(error, "'%s' is cut short: %llu bytes expected at offset %llu", m->path,
                       (unsigned long long)bytes, (unsigned long long)at);
}

#ifdef SNL_HAVE_ZLIB

/* Unpacks a grid. */
static bool
unpack(Grid *g, const SnlIoMap *m, const SnlNvdbEntry *entry)
{
    uint64_t packed;
    uLongf n = (uLongf)entry->grid_bytes;
    if (entry->file_bytes < 8 || (packed = get64(m->data + g->at)) > entry->file_bytes - 8
        || entry->grid_bytes / 1100 > packed)       /* zlib packs to a thousandth at best */
        return damaged(g, 0, "damaged sizes of a compressed grid");
    g->owned = (unsigned char *)malloc((size_t)entry->grid_bytes + 1);
    if (!g->owned)
        return snl_io_fail_memory(g->error, "reading", g->path);
    if (uncompress(g->owned, &n, m->data + g->at + 8, (uLong)packed) != Z_OK
        || n != entry->grid_bytes)
        return damaged(g, 8, "damaged compressed data");
    g->bytes = g->owned;
    return true;
}

#else

static bool
unpack(Grid *g, const SnlIoMap *m, const SnlNvdbEntry *entry)
{
    (void)m;
    (void)entry;
    return damaged(g, 0, "this build of the runtime has no zlib for the compressed grid");
}

#endif

/* Prepares the grid whose entry and offset in the file are given. */
static bool
open_grid(Grid *g, const SnlIoMap *m, const SnlNvdbEntry *entry, unsigned codec)
{
    uint32_t type;
    if (!has(m, g->at, entry->file_bytes, g->error))
        return false;
    if (codec > SNL_NVDB_ZIP)
        return damaged(g, 0, "a codec other than zip, which cannot be read, for the grid");
    g->bytes = m->data + g->at;
    g->size = (size_t)entry->file_bytes;
    if (codec == SNL_NVDB_ZIP) {
        if (!unpack(g, m, entry))
            return false;
        g->size = (size_t)entry->grid_bytes;
    }
    if (g->size < PNANOVDB_GRID_SIZE + PNANOVDB_TREE_SIZE)
        return damaged(g, 0, "a grid that is too small");
    type = get32(g->bytes + PNANOVDB_GRID_OFF_GRID_TYPE);
    if (get64(g->bytes) != PNANOVDB_MAGIC_NUMBER)
        return damaged(g, 0, "bad signature of a grid");
    if (type != g->type || type == 0)
        return snl_io_fail(g->error, "'%s' holds a grid of type %u at offset %llu, which does not "
                           "fit field %s", g->path, type,
                           (unsigned long long)place(g, PNANOVDB_GRID_OFF_GRID_TYPE), g->a->name);
    return true;
}

/* Reads the entries of a segment; true, and the grid is prepared, if it is among them. *at becomes
 * the end of the segment. */
static bool
search_segment(Grid *g, const SnlIoMap *m, uint64_t *at, bool *found)
{
    SnlNvdbHead head;
    SnlNvdbEntry entry, wanted;
    uint64_t data = 0;
    memset(&wanted, 0, sizeof wanted);
    *found = false;
    if (!has(m, *at, sizeof head, g->error))
        return false;
    memcpy(&head, m->data + *at, sizeof head);
    if (head.magic != PNANOVDB_MAGIC_NUMBER)
        return snl_io_fail(g->error, "'%s' is no .nvdb file: bad signature at offset %llu", g->path,
                           (unsigned long long)*at);
    if (head.version >> 21 != PNANOVDB_MAJOR_VERSION_NUMBER)
        return snl_io_fail_at(g->error, g->path, *at + offsetof(SnlNvdbHead, version),
                              "version %u of NanoVDB, while %u is needed,", head.version >> 21,
                              PNANOVDB_MAJOR_VERSION_NUMBER);
    *at += sizeof head;
    for (unsigned k = 0; k < head.grid_count; k++) {
        if (!has(m, *at, sizeof entry, g->error))
            return false;
        memcpy(&entry, m->data + *at, sizeof entry);
        if (!has(m, *at + sizeof entry, entry.name_bytes, g->error))
            return false;
        if (!*found && entry.name_bytes == strlen(g->a->name) + 1
            && memcmp(m->data + *at + sizeof entry, g->a->name, entry.name_bytes) == 0) {
            *found = true;
            wanted = entry;
            g->at = data;       /* from the end of the entries */
        } else
            snl_io_list(g->others, sizeof g->others, (const char *)m->data + *at + sizeof entry,
                        entry.name_bytes);
        *at += sizeof entry + entry.name_bytes;
        if (entry.file_bytes > m->bytes || data > m->bytes)
            return has(m, *at + data, entry.file_bytes, g->error);
        data += entry.file_bytes;
    }
    g->at += *at;
    *at += data;
    return !*found || open_grid(g, m, &wanted, head.codec);
}

/* Prepares the grid of the field. */
static bool
find_grid(Grid *g, const SnlIoMap *m, const SnlIoArray *a, SnlIoError *error)
{
    uint64_t at = 0;
    bool found;
    memset(g, 0, sizeof *g);
    g->a = a;
    g->path = m->path;
    g->error = error;
    g->type = snl_nvdb_type(a);
    g->t = &pnanovdb_grid_type_constants[g->type];
    g->value_bytes = (size_t)(snl_scalar_bytes(a->tag) * snl_io_components(a));
    g->limit = snl_io_elements(a);
    do {
        g->at = 0;
        if (!search_segment(g, m, &at, &found))
            return false;
    } while (!found && at < m->bytes);
    return found ||
           snl_io_fail(error, "'%s' has no grid '%s' up to its end at offset %llu; it has %s",
                       m->path, a->name, (unsigned long long)at, *g->others ? g->others : "none");
}

/* Counts the cells and compares the checksum, or takes them where coords is not NULL. */
static bool
read_cells(const char *path, const SnlIoArray *a, int64_t *cells, int64_t *coords, void *data,
           SnlIoError *error)
{
    SnlIoMap m;
    Grid g;
    bool good;
    if (!snl_io_little_endian())
        return snl_io_unsupported(path, error);
    if (!snl_io_map(&m, path, error))
        return false;
    good = find_grid(&g, &m, a, error);
    if (coords)
        g.limit = *cells;
    g.coords = coords;
    g.values = (unsigned char *)data;
    good = good && take_grid(&g) && (coords || check_sum(&g));
    if (good && coords && g.count != *cells)
        good = snl_io_fail(error, "'%s' was changed while it was read", path);
    *cells = g.count;
    free(g.owned);
    snl_io_unmap(&m);
    return good;
}

bool
snl_nvdb_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error)
{
    return read_cells(path, a, cells, NULL, NULL, error);
}

bool
snl_nvdb_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                    SnlIoError *error)
{
    int64_t cells = a->cells;
    return cells == 0 || read_cells(path, a, &cells, coords, data, error);
}

#else

bool
snl_nvdb_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error)
{
    (void)a;
    (void)cells;
    return snl_io_unsupported(path, error);
}

bool
snl_nvdb_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                    SnlIoError *error)
{
    (void)a;
    (void)coords;
    (void)data;
    return snl_io_unsupported(path, error);
}

#endif
