/* io_nvdb_write.c - .nvdb: the active cells of fields as grids of NanoVDB. */
#include "io_nvdb.h"

#ifdef SNL_HAVE_NANOVDB

#include <stdlib.h>

/* The place of a leaf: the key of its root tile, then its number in the upper and lower node. */
typedef struct {
    uint64_t key;
    uint32_t path;              /* 15 bits in the upper node, 12 in the lower */
} Place;

/* A grid that is being made. */
typedef struct {
    const SnlIoArray *a;
    const char *path;
    SnlIoError *error;
    unsigned type;
    const SnlNvdbType *t;
    size_t value_bytes;
    unsigned char ambient[32];  /* the value of what is not active */
    Place *leaves;              /* ascending, each once */
    int64_t leaf_count, lower_count, upper_count;
    unsigned char *bytes;
    size_t size, root, uppers, lowers, first_leaf;      /* offsets */
} Grid;

static bool
no_memory(const Grid *g)
{
    return snl_io_fail_memory(g->error, "writing", g->path);
}

/* Are all coordinates of cells numbers of 32 bits? */
static bool
coords_fit(const Grid *g)
{
    const SnlIoArray *a = g->a;
    for (int64_t n = 0; n < a->cells * a->index_axes; n++)
        if (a->coords[n] != (int32_t)a->coords[n])
            return snl_io_fail(g->error,
                               "'%s': index %lld of field %s along axis %d does not fit into 32 "
                               "bits", g->path, (long long)a->coords[n], a->name,
                               (int)(n % a->index_axes));
    return true;
}

/* The coordinates of a cell; axes the field lacks are 0. */
static void
coord_of(const SnlIoArray *a, int64_t cell, int32_t coord[3])
{
    for (int k = 0; k < 3; k++)
        coord[k] = k < a->index_axes ? (int32_t)a->coords[cell * a->index_axes + k] : 0;
}

/* The number of a child in a node whose children are 1 << low wide, in a grid of 1 << bits. */
static uint32_t
child_number(const int32_t coord[3], int low, int bits)
{
    uint32_t mask = (1u << bits) - 1, number = 0;
    for (int k = 0; k < 3; k++)
        number = number << bits | ((uint32_t)coord[k] >> low & mask);
    return number;
}

static Place
place_of(const int32_t coord[3])
{
    pnanovdb_coord_t at = { coord[0], coord[1], coord[2] };
    Place p = { pnanovdb_coord_to_key(&at), child_number(coord, 7, 5) << 12
                                            | child_number(coord, 3, 4) };
    return p;
}

static int
compare_places(const void *a, const void *b)
{
    const Place *x = (const Place *)a, *y = (const Place *)b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->path < y->path ? -1 : x->path > y->path;
}

/* Lists the leaves, and counts the nodes above them. */
static bool
find_leaves(Grid *g)
{
    const SnlIoArray *a = g->a;
    int64_t count = 0, room = 0;
    for (int64_t n = 0; n < a->cells; n++) {
        int32_t coord[3];
        Place p;
        coord_of(a, n, coord);
        p = place_of(coord);
        if (count > 0 && compare_places(&p, &g->leaves[count - 1]) == 0)
            continue;
        if (count == room) {
            Place *more = (Place *)realloc(g->leaves, (size_t)(room = 2 * room + 64) * sizeof p);
            if (!more)
                return no_memory(g);
            g->leaves = more;
        }
        g->leaves[count++] = p;
    }
    if (count > 0)
        qsort(g->leaves, (size_t)count, sizeof *g->leaves, compare_places);
    for (int64_t n = 0; n < count; n++) {
        const Place *p = &g->leaves[n], *last = &g->leaves[g->leaf_count - 1];
        bool first = n == 0;
        if (!first && compare_places(p, last) == 0)
            continue;
        g->upper_count += first || p->key != last->key;
        g->lower_count += first || p->key != last->key || p->path >> 12 != last->path >> 12;
        g->leaves[g->leaf_count++] = *p;
    }
    return g->leaf_count <= UINT32_MAX || snl_io_fail(g->error, "'%s': too many cells", g->path);
}

/* Which of the leaves is at a place. */
static int64_t
leaf_at(const Grid *g, const Place *p)
{
    int64_t from = 0, to = g->leaf_count;
    while (to - from > 1) {
        int64_t middle = from + (to - from) / 2;
        if (compare_places(&g->leaves[middle], p) <= 0)
            from = middle;
        else
            to = middle;
    }
    return from;
}

static void
set_bit(unsigned char *mask, uint32_t bit)
{
    mask[bit / 8] = (unsigned char)(mask[bit / 8] | 1u << bit % 8);
}

/* Writes `count` times the ambient value, every `stride` bytes. */
static void
put_ambient(const Grid *g, unsigned char *at, uint32_t count, uint32_t stride)
{
    for (uint32_t k = 0; k < count; k++)
        memcpy(at + (size_t)k * stride, g->ambient, g->value_bytes);
}

/* A box of coordinates, that grows. */
typedef struct {
    int32_t low[3], high[3];
} Box;

static void
box_add(Box *box, bool first, const int32_t low[3], const int32_t high[3])
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = first || low[k] < box->low[k] ? low[k] : box->low[k];
        box->high[k] = first || high[k] > box->high[k] ? high[k] : box->high[k];
    }
}

/* Allocates the grid and writes what does not depend on the cells. */
static bool
make_nodes(Grid *g)
{
    const SnlNvdbType *t = g->t;
    size_t tiles = (size_t)g->upper_count * t->root_tile_size;
    g->root = PNANOVDB_GRID_SIZE + PNANOVDB_TREE_SIZE;
    g->uppers = g->root + t->root_size + tiles;
    g->lowers = g->uppers + (size_t)g->upper_count * t->upper_size;
    g->first_leaf = g->lowers + (size_t)g->lower_count * t->lower_size;
    g->size = g->first_leaf + (size_t)g->leaf_count * t->leaf_size;
    g->bytes = (unsigned char *)calloc(1, g->size);
    if (!g->bytes)
        return no_memory(g);
    put_ambient(g, g->bytes + g->root + t->root_off_background, 1, 0);
    for (int64_t n = 0; n < g->upper_count; n++)
        put_ambient(g, g->bytes + g->uppers + (size_t)n * t->upper_size + t->upper_off_table,
                    PNANOVDB_UPPER_TABLE_COUNT, t->table_stride);
    for (int64_t n = 0; n < g->lower_count; n++)
        put_ambient(g, g->bytes + g->lowers + (size_t)n * t->lower_size + t->lower_off_table,
                    PNANOVDB_LOWER_TABLE_COUNT, t->table_stride);
    for (int64_t n = 0; n < g->leaf_count; n++) {
        unsigned char *table = g->bytes + g->first_leaf + (size_t)n * t->leaf_size
                               + snl_nvdb_leaf_values(g->type);
        if (g->type == PNANOVDB_GRID_TYPE_BOOLEAN)
            memset(table, g->ambient[0] ? 0xff : 0, PNANOVDB_LEAF_TABLE_COUNT / 8);
        else
            put_ambient(g, table, PNANOVDB_LEAF_TABLE_COUNT, (uint32_t)g->value_bytes);
    }
    return true;
}

/* Writes the value of a cell into its leaf. */
static void
put_value(const Grid *g, unsigned char *leaf, uint32_t voxel, const unsigned char *value)
{
    unsigned char *table = leaf + snl_nvdb_leaf_values(g->type);
    set_bit(leaf + PNANOVDB_LEAF_OFF_VALUE_MASK, voxel);
    if (g->type != PNANOVDB_GRID_TYPE_BOOLEAN)
        memcpy(table + voxel * g->value_bytes, value, g->value_bytes);
    else if (*value)
        set_bit(table, voxel);
    else
        table[voxel / 8] = (unsigned char)(table[voxel / 8] & ~(1u << voxel % 8));
}

/* Writes the values of all cells, and the boxes of the leaves. */
static void
put_cells(const Grid *g, const unsigned char *values)
{
    const SnlIoArray *a = g->a;
    int64_t leaf = -1;
    for (int64_t n = 0; n < a->cells; n++) {
        int32_t coord[3], low[3], high[3];
        unsigned char *at;
        uint32_t dif;
        Box box;
        Place p;
        coord_of(a, n, coord);
        p = place_of(coord);
        if (leaf < 0 || compare_places(&p, &g->leaves[leaf]) != 0)
            leaf = leaf_at(g, &p);
        at = g->bytes + g->first_leaf + (size_t)leaf * g->t->leaf_size;
        memcpy(low, at + PNANOVDB_LEAF_OFF_BBOX_MIN, sizeof low);
        memcpy(&dif, at + PNANOVDB_LEAF_OFF_BBOX_DIF_AND_FLAGS, sizeof dif);
        for (int k = 0; k < 3; k++) {
            box.low[k] = low[k];
            box.high[k] = high[k] = low[k] + (int32_t)(dif >> 8 * k & 255);
        }
        box_add(&box, dif == 0, coord, coord);
        dif = 2u << 24;         /* there is a box */
        for (int k = 0; k < 3; k++)
            dif |= (uint32_t)(box.high[k] - box.low[k]) << 8 * k;
        memcpy(at + PNANOVDB_LEAF_OFF_BBOX_MIN, box.low, sizeof box.low);
        memcpy(at + PNANOVDB_LEAF_OFF_BBOX_DIF_AND_FLAGS, &dif, sizeof dif);
        put_value(g, at, child_number(coord, 0, 3), values + (size_t)n * g->value_bytes);
    }
}

/* Widens the box of a node; both kinds of nodes begin alike. */
static void
widen(unsigned char *node, const Box *by)
{
    static const uint64_t has_box = 2;
    uint64_t flags;
    Box box;
    memcpy(&flags, node + PNANOVDB_UPPER_OFF_FLAGS, sizeof flags);
    memcpy(&box, node, sizeof box);
    box_add(&box, flags == 0, by->low, by->high);
    memcpy(node, &box, sizeof box);
    memcpy(node + PNANOVDB_UPPER_OFF_FLAGS, &has_box, sizeof has_box);
}

static void
put_offset(unsigned char *at, size_t from, size_t to)
{
    int64_t offset = (int64_t)(to - from);
    memcpy(at, &offset, sizeof offset);
}

/* Joins the nodes: leaves to lower nodes, these to upper nodes, these to the root. */
static Box
join_nodes(const Grid *g)
{
    const SnlNvdbType *t = g->t;
    int64_t upper = -1, lower = -1;
    Box all = { { 0, 0, 0 }, { -1, -1, -1 } };
    for (int64_t n = 0; n < g->leaf_count; n++) {
        const Place *p = &g->leaves[n], *last = p - 1;
        size_t leaf = g->first_leaf + (size_t)n * t->leaf_size, up, down;
        unsigned char *node;
        uint32_t dif, number = p->path >> 12;
        Box box;
        if (n == 0 || p->key != last->key) {
            unsigned char *tile = g->bytes + g->root + t->root_size
                                  + (size_t)++upper * t->root_tile_size;
            memcpy(tile + PNANOVDB_ROOT_TILE_OFF_KEY, &p->key, sizeof p->key);
            put_offset(tile + PNANOVDB_ROOT_TILE_OFF_CHILD, g->root,
                       g->uppers + (size_t)upper * t->upper_size);
        }
        lower += n == 0 || p->key != last->key || p->path >> 12 != last->path >> 12;
        up = g->uppers + (size_t)upper * t->upper_size;
        down = g->lowers + (size_t)lower * t->lower_size;
        node = g->bytes + up;
        set_bit(node + PNANOVDB_UPPER_OFF_CHILD_MASK, number);
        put_offset(node + t->upper_off_table + (size_t)number * t->table_stride, up, down);
        number = p->path & 4095;
        node = g->bytes + down;
        set_bit(node + PNANOVDB_LOWER_OFF_CHILD_MASK, number);
        put_offset(node + t->lower_off_table + (size_t)number * t->table_stride, down, leaf);
        memcpy(box.low, g->bytes + leaf, sizeof box.low);
        memcpy(&dif, g->bytes + leaf + PNANOVDB_LEAF_OFF_BBOX_DIF_AND_FLAGS, sizeof dif);
        for (int k = 0; k < 3; k++)
            box.high[k] = box.low[k] + (int32_t)(dif >> 8 * k & 255);
        widen(g->bytes + up, &box);
        widen(g->bytes + down, &box);
        box_add(&all, n == 0, box.low, box.high);
    }
    return all;
}

static uint32_t
this_version(void)
{
    return (uint32_t)PNANOVDB_MAJOR_VERSION_NUMBER << 21
           | (uint32_t)PNANOVDB_MINOR_VERSION_NUMBER << 10 | PNANOVDB_PATCH_VERSION_NUMBER;
}

/* Writes the heads of grid, tree and root. */
static void
put_heads(const Grid *g, const Box *box)
{
    pnanovdb_grid_t head;
    pnanovdb_tree_t tree;
    unsigned char *root = g->bytes + g->root;
    uint32_t tiles = (uint32_t)g->upper_count;
    size_t at = PNANOVDB_GRID_SIZE;
    memset(&head, 0, sizeof head);
    memset(&tree, 0, sizeof tree);
    head.magic = PNANOVDB_MAGIC_NUMBER;
    head.checksum = SNL_NVDB_NO_SUM;
    head.version = this_version();
    head.flags = PNANOVDB_GRID_FLAGS_HAS_BBOX | PNANOVDB_GRID_FLAGS_IS_BREADTH_FIRST;
    head.grid_count = 1;
    head.grid_size = g->size;
    memcpy(head.grid_name, g->a->name, strlen(g->a->name));
    for (int k = 0; k < 3; k++) {
        const double spacing = snl_io_spacing(g->a, k);
        head.map.matd[4 * k] = head.voxel_size[k] = spacing;
        head.map.invmatd[4 * k] = 1 / spacing;
        head.map.vecd[k] = snl_io_place(g->a, k, 0);
        head.map.matf[4 * k] = (float)spacing;
        head.map.invmatf[4 * k] = (float)(1 / spacing);
        head.map.vecf[k] = (float)head.map.vecd[k];
        head.world_bbox[k] = snl_io_place(g->a, k, box->low[k]);
        head.world_bbox[3 + k] = snl_io_place(g->a, k, (double)box->high[k] + 1);
    }
    head.map.taperf = 1;
    head.map.taperd = 1;
    head.grid_type = g->type;
    tree.node_offset_leaf = g->first_leaf - at;
    tree.node_offset_lower = g->lowers - at;
    tree.node_offset_upper = g->uppers - at;
    tree.node_offset_root = g->root - at;
    tree.node_count_leaf = (uint32_t)g->leaf_count;
    tree.node_count_lower = (uint32_t)g->lower_count;
    tree.node_count_upper = tiles;
    tree.voxel_count = (uint64_t)g->a->cells;
    memcpy(g->bytes, &head, sizeof head);
    memcpy(g->bytes + at, &tree, sizeof tree);
    memcpy(root, box, sizeof *box);
    memcpy(root + PNANOVDB_ROOT_OFF_TABLE_SIZE, &tiles, sizeof tiles);
}

/* Writes the checksum of the grid, which is complete. */
static void
put_sum(const Grid *g)
{
    const SnlNvdbNodes nodes[3] = {
        { g->uppers, (uint64_t)g->upper_count, g->t->upper_size },
        { g->lowers, (uint64_t)g->lower_count, g->t->lower_size },
        { g->first_leaf, (uint64_t)g->leaf_count, g->t->leaf_size }
    };
    uint64_t sum = snl_nvdb_head_sum(g->bytes, g->uppers);
    uint32_t of_nodes = g->leaf_count > 0
                        ? snl_nvdb_node_sum(g->bytes, nodes, sizeof(uint_fast32_t)) : UINT32_MAX;
    sum |= (uint64_t)of_nodes << 32;
    if (snl_nvdb_has_sums(this_version()))
        memcpy(g->bytes + PNANOVDB_GRID_OFF_CHECKSUM, &sum, sizeof sum);
}

/* Makes the grid of a field. */
static bool
make_grid(Grid *g, const char *path, const SnlIoArray *a, const void *data, SnlNvdbEntry *entry,
          SnlIoError *error)
{
    Box box;
    memset(g, 0, sizeof *g);
    g->a = a;
    g->path = path;
    g->error = error;
    g->type = snl_nvdb_type(a);
    g->t = &pnanovdb_grid_type_constants[g->type];
    g->value_bytes = (size_t)(snl_scalar_bytes(a->tag) * snl_io_components(a));
    if (strlen(a->name) > 255)
        return snl_io_fail(error, "'%s': the name of field %s is too long", path, a->name);
    if (a->ambient)
        memcpy(g->ambient, a->ambient, g->value_bytes);
    if (!coords_fit(g) || !find_leaves(g) || !make_nodes(g))
        return false;
    put_cells(g, (const unsigned char *)data);
    box = join_nodes(g);
    put_heads(g, &box);
    put_sum(g);
    memset(entry, 0, sizeof *entry);
    entry->grid_bytes = entry->file_bytes = g->size;
    for (const unsigned char *c = (const unsigned char *)a->name; *c; c++)
        entry->name_key = entry->name_key * 67 + *c + (entry->name_key >> 56);
    entry->voxel_count = (uint64_t)a->cells;
    entry->type = g->type;
    memcpy(entry->world_box, g->bytes + PNANOVDB_GRID_OFF_WORLD_BBOX, sizeof entry->world_box);
    memcpy(entry->box, &box, sizeof box);
    for (int k = 0; k < 3; k++)
        entry->voxel_size[k] = snl_io_spacing(a, k);
    entry->name_bytes = (uint32_t)strlen(a->name) + 1;
    entry->node_count[0] = (uint32_t)g->leaf_count;
    entry->node_count[1] = (uint32_t)g->lower_count;
    entry->node_count[2] = (uint32_t)g->upper_count;
    entry->node_count[3] = 1;
    entry->version = this_version();
    return true;
}

/* Writes the file: uncompressed, so that every reader takes it and can map it. */
static bool
write_file(const char *path, int count, const Grid *grids, const SnlNvdbEntry *entries,
           SnlIoError *error)
{
    SnlNvdbHead head = { PNANOVDB_MAGIC_NUMBER, this_version(), (uint16_t)count, SNL_NVDB_NONE };
    SnlIoWriter w;
    if (!snl_io_create(&w, path, error))
        return false;
    fwrite(&head, 1, sizeof head, w.file);
    for (int k = 0; k < count; k++) {
        fwrite(&entries[k], 1, sizeof entries[k], w.file);
        fwrite(grids[k].a->name, 1, entries[k].name_bytes, w.file);
    }
    for (int k = 0; k < count; k++)
        fwrite(grids[k].bytes, 1, grids[k].size, w.file);
    return snl_io_finish(&w, error);
}

bool
snl_nvdb_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
              SnlIoError *error)
{
    Grid *grids;
    SnlNvdbEntry *entries;
    bool good = true;
    if (!snl_io_little_endian() || count > UINT16_MAX)
        return snl_io_unsupported(path, error);
    grids = (Grid *)calloc((size_t)count, sizeof *grids);
    entries = (SnlNvdbEntry *)calloc((size_t)count, sizeof *entries);
    if (!grids || !entries)
        good = snl_io_fail_memory(error, "writing", path);
    for (int k = 0; good && k < count; k++)
        good = make_grid(&grids[k], path, &arrays[k], data[k], &entries[k], error);
    good = good && write_file(path, count, grids, entries, error);
    for (int k = 0; grids && k < count; k++) {
        free(grids[k].leaves);
        free(grids[k].bytes);
    }
    free(grids);
    free(entries);
    return good;
}

#else

bool
snl_nvdb_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
              SnlIoError *error)
{
    (void)count;
    (void)arrays;
    (void)data;
    return snl_io_unsupported(path, error);
}

#endif
