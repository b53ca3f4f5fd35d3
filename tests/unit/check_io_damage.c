/* check_io_damage.c - files that are damaged where no checksum tells: sizes and places that lie,
 * and contents that cannot be, with checksums that are right.
 */
#include "config.h"

#include "io_folder.h"
#include "io/io_nvdb.h"
#include "world.h"

static SnlIoError error;

static uint64_t
number_at(const unsigned char *p)
{
    uint64_t value = 0;
    for (int k = 0; k < 8; k++)
        value |= (uint64_t)p[k] << 8 * k;
    return value;
}

/* ---- .npy and .npz ---- */

enum { ELEMENTS = 16, LOCAL_CRC = 14, CENTRAL_CRC = 16, CENTRAL_PACKED = 20 };

/* An array of so many floats. */
static SnlIoArray
floats(int64_t count)
{
    return (SnlIoArray){ .name = "a", .tag = SNL_F32, .axes = 1, .shape = { count } };
}

/* The first place of a text in a file, which has to have it. */
static unsigned char *
find(unsigned char *file, size_t n, const char *text, size_t bytes)
{
    for (size_t at = 0; at + bytes <= n; at++)
        if (memcmp(file + at, text, bytes) == 0)
            return file + at;
    ck_abort_msg("it is not there");
    return NULL;
}

/* Saves 16 floats; gives the bytes of the file. */
static unsigned char *
save_floats(const char *path, size_t *n)
{
    static const float x[ELEMENTS] = { 1, 2, 3 };
    const SnlIoArray a = floats(ELEMENTS);
    ck_assert(snl_io_save(path, 1, &a, (const void *const[]){ x }, &error));
    return get_file(path, n);
}

/* The file as it is now is neither loaded into so many floats, nor found in memory. */
static void
assert_refused(const char *path, const unsigned char *file, size_t n, int64_t count,
               const char *message)
{
    float back[10 * ELEMENTS];
    const SnlIoArray a = floats(count);
    SnlIoMap map;
    const void *data;
    put_file(path, file, n);
    ck_assert(!snl_io_load(path, &a, back, &error));
    ck_assert_msg(strstr(error.text, message) != NULL, "%s", error.text);
    ck_assert(!snl_io_map_array(path, &a, &map, &data));
}

/* A header that tells of more elements than there are, in a file that ends behind them or in a
 * member that others follow. */
START_TEST(headers_that_promise_too_much)
{
    static const int64_t counts[] = { 17, 50, 99 };
    for (int packed = 0; packed < 2; packed++) {
        const char *path = packed ? "a.npz" : "a.npy";
        size_t n;
        unsigned char *file = save_floats(path, &n), *npy = find(file, n, "\x93NUMPY", 6);
        unsigned char *central = packed ? find(file, n, "PK\x01\x02", 4) : file + n;
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            char shape[16];
            snprintf(shape, sizeof shape, "(%d,)", (int)counts[k]);
            memcpy(find(file, n, "'shape': ", 9) + 9, shape, 5);
            if (packed) {
                const uint32_t crc = snl_io_crc(0, npy, (size_t)(central - npy));
                put_number(file + LOCAL_CRC, crc, 4);
                put_number(central + CENTRAL_CRC, crc, 4);
            }
            assert_refused(path, file, n, counts[k], "is cut short");
        }
        free(file);
    }
}
END_TEST

/* Sizes and places in the heads of an archive that cannot be. */
START_TEST(heads_of_archives_that_lie)
{
    enum { LOCAL, CENTRAL, END };
    static const struct {
        int head, at, bytes;
        uint64_t value;
        const char *message;
    } cases[] = {
        { CENTRAL, 8, 2, 1, "an encrypted member" },
        { CENTRAL, 10, 2, 99, "compressed in an unknown way" },
        { CENTRAL, 20, 4, 193, "sizes of a member differ" },
        { CENTRAL, 24, 4, 191, "sizes of a member differ" },
        { CENTRAL, 20, 4, 1000, "bad member" },
        { CENTRAL, 20, 4, 0xfffffffe, "bad member" },
        { CENTRAL, 20, 4, 0xffffffff, "bad member" },
        { CENTRAL, 28, 2, 1025, "name too long" },
        { CENTRAL, 28, 2, 1000, "is cut short" },
        { CENTRAL, 30, 2, 1000, "is cut short" },
        { CENTRAL, 32, 2, 1, "bad directory entry" },
        { CENTRAL, 42, 4, 1, "bad member" },
        { CENTRAL, 42, 4, 1000, "member outside the file" },
        { CENTRAL, 42, 4, 0xfffffff0, "member outside the file" },
        { LOCAL, 26, 2, 0xffff, "bad member" },
        { LOCAL, 28, 2, 200, "bad member" },
        { END, 10, 2, 0, "has no array 'a'" },
        { END, 12, 4, 1000, "directory outside the file" },
        { END, 12, 4, 0xfffffff0, "directory outside the file" },
        { END, 16, 4, 1000, "directory outside the file" },
        { END, 16, 4, 0, "bad directory entry" },
        { END, 10, 2, 0xffff, "bad zip64 locator" },
    };
    size_t n;
    unsigned char *file = save_floats("a.npz", &n), *changed = malloc(n);
    ck_assert_ptr_nonnull(changed);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        memcpy(changed, file, n);
        put_number(find(changed, n, cases[k].head == LOCAL ? "PK\x03\x04"
                                    : cases[k].head == CENTRAL ? "PK\x01\x02" : "PK\x05\x06", 4)
                   + cases[k].at, cases[k].value, cases[k].bytes);
        assert_refused("a.npz", changed, n, ELEMENTS, cases[k].message);
    }
    free(changed);
    free(file);
}
END_TEST

/* Both sizes of a member lie alike: it is shorter or longer than its array. */
START_TEST(members_of_another_size)
{
    static const uint64_t sizes[] = { 0, 127, 191, 193, 250 };
    size_t n;
    unsigned char *file = save_floats("a.npz", &n), *npy = find(file, n, "\x93NUMPY", 6);
    unsigned char *central = find(file, n, "PK\x01\x02", 4);
    ck_assert_int_eq(central - npy, 192);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        put_number(put_number(central + CENTRAL_PACKED, sizes[k], 4), sizes[k], 4);
        put_number(central + CENTRAL_CRC, snl_io_crc(0, npy, (size_t)sizes[k]), 4);
        assert_refused("a.npz", file, n, ELEMENTS, sizes[k] < 192 ? "is cut short"
                                                         : "is longer than its array");
    }
    free(file);
}
END_TEST

/* A checksum that does not fit, and one element that does not. */
START_TEST(checksums_of_members)
{
    size_t n;
    unsigned char *file = save_floats("a.npz", &n), *central = find(file, n, "PK\x01\x02", 4);
    unsigned char *const places[] = { central + CENTRAL_CRC, central - 1 };
    for (int k = 0; k < 2; k++) {
        *places[k] ^= 1;
        assert_refused("a.npz", file, n, ELEMENTS, "checksum of a member is wrong");
        *places[k] ^= 1;
    }
    free(file);
}
END_TEST

/* Archives whose end is that of large ones, which lies somewhere else. */
START_TEST(ends_of_large_archives)
{
    enum { END64 = 56, LOCATOR = 20, END = 22 };
    size_t n;
    unsigned char *file = save_floats("a.npz", &n), *end = find(file, n, "PK\x05\x06", 4), *p;
    const uint64_t at = (uint64_t)(end - file), bytes = number_at(end + 12) & UINT32_MAX,
                   from = number_at(end + 16) & UINT32_MAX, size = at + END64 + LOCATOR + END;
    const uint64_t wrong[] = { at, at + 1, at - 1, 0, size - END64 + 1, size, size + 1, UINT64_MAX,
                               UINT64_MAX - END64 };
    p = put_number(put_number(end, 0x06064b50, 4), END64 - 12, 8);
    p = put_number(put_number(put_number(p, 45 * 65537, 4), 0, 8), 1, 8);
    p = put_number(put_number(put_number(p, 1, 8), bytes, 8), from, 8);
    unsigned char *locator = p;
    p = put_number(put_number(put_number(put_number(p, 0x07064b50, 4), 0, 4), at, 8), 1, 4);
    p = put_number(put_number(put_number(p, 0x06054b50, 4), 0, 4), UINT32_MAX, 4);
    p = put_number(put_number(p, UINT64_MAX, 8), 0, 2);
    ck_assert_uint_eq((uint64_t)(p - file), size);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        put_number(locator + 8, wrong[k], 8);
        put_file("a.npz", file, size);
        const SnlIoArray a = floats(ELEMENTS);
        float back[ELEMENTS];
        ck_assert_int_eq(snl_npz_load("a.npz", &a, back, &error), k == 0);
        if (k > 0)
            ck_assert_ptr_nonnull(strstr(error.text, k > 3 ? "bad zip64 locator"
                                                           : "bad zip64 end record"));
    }
    free(file);
}
END_TEST

/* A header that is there, but longer than any. */
START_TEST(headers_that_are_too_long)
{
    enum { LENGTH = 70000 };
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (16,)}";
    static unsigned char file[12 + LENGTH + 4 * ELEMENTS];
    for (size_t length = 60000; length <= LENGTH; length += 10000) {
        memset(file, ' ', sizeof file);
        memcpy(file, "\x93NUMPY\x02\x00", 8);
        put_number(file + 8, length, 4);
        memcpy(file + 12, text, strlen(text));
        if (length == LENGTH) {
            assert_refused("a.npy", file, sizeof file, ELEMENTS, "which is too long");
            continue;
        }
        const SnlIoArray a = floats(ELEMENTS);
        float back[ELEMENTS];
        put_file("a.npy", file, 12 + length + sizeof back);
        ck_assert(snl_io_load("a.npy", &a, back, &error));
    }
}
END_TEST

/* ---- .nvdb ---- */

#ifdef SNL_HAVE_NANOVDB

/* A file with one grid, of two leaves: where its nodes lie in the file, and the numbers that say
 * where. */
typedef struct {
    unsigned char *file, *grid;
    size_t n, size;             /* of the file, of the grid */
    SnlIoArray x;
    const SnlNvdbType *t;
    unsigned char *to_root, *to_upper, *to_lower, *to_leaf;
    unsigned char *root, *upper, *lower;
} Nvdb;

/* The offset of child 0 in a table. */
static unsigned char *
nvdb_child(unsigned char *node, uint32_t mask, uint32_t table)
{
    ck_assert(node[mask] & 1);
    return node + table;
}

static void
nvdb_open(Nvdb *v)
{
    static const int64_t coords[2][3] = { { 1, 2, 3 }, { 9, 9, 9 } };
    static const float values[2] = { 5, 6 };
    SnlNvdbEntry entry;
    v->x = (SnlIoArray){ .name = "x", .tag = SNL_F32, .axes = 3, .shape = { 16, 16, 16 },
                         .index_axes = 3, .sparse = true, .coords = coords[0], .cells = 2 };
    ck_assert_msg(snl_io_save("x.nvdb", 1, &v->x, (const void *const[]){ values }, &error), "%s",
                  error.text);
    v->file = get_file("x.nvdb", &v->n);
    memcpy(&entry, v->file + sizeof(SnlNvdbHead), sizeof entry);
    v->grid = v->file + sizeof(SnlNvdbHead) + sizeof entry + entry.name_bytes;
    v->size = (size_t)entry.file_bytes;
    ck_assert_ptr_eq(v->grid + v->size, v->file + v->n);
    v->t = &pnanovdb_grid_type_constants[snl_nvdb_type(&v->x)];
    v->to_root = v->grid + PNANOVDB_GRID_SIZE + PNANOVDB_TREE_OFF_NODE_OFFSET_ROOT;
    v->root = v->grid + PNANOVDB_GRID_SIZE + number_at(v->to_root);
    v->to_upper = v->root + v->t->root_size + PNANOVDB_ROOT_TILE_OFF_CHILD;
    v->upper = v->root + number_at(v->to_upper);
    v->to_lower = nvdb_child(v->upper, PNANOVDB_UPPER_OFF_CHILD_MASK, v->t->upper_off_table);
    v->lower = v->upper + number_at(v->to_lower);
    v->to_leaf = nvdb_child(v->lower, PNANOVDB_LOWER_OFF_CHILD_MASK, v->t->lower_off_table);
    memset(v->grid + PNANOVDB_GRID_OFF_CHECKSUM, 0xff, 8);      /* there is none */
}

/* The grid as it is now has cells that can be loaded, or is refused with that message. */
static void
nvdb_check(const Nvdb *v, const char *message)
{
    int64_t coords[3 * 4096], cells = 0;
    float values[4096];
    SnlIoArray x = v->x;
    put_file("x.nvdb", v->file, v->n);
    if (!message) {
        ck_assert_msg(snl_io_find_cells("x.nvdb", &x, &cells, &error), "%s", error.text);
        x.cells = cells;
        ck_assert(snl_io_load_cells("x.nvdb", &x, coords, values, &error));
        return;
    }
    ck_assert_msg(!snl_io_find_cells("x.nvdb", &x, &cells, &error), "it is not '%s'", message);
    ck_assert_msg(strstr(error.text, message) != NULL, "'%s' is not '%s'", error.text, message);
}

/* Offsets of nodes that lead out of the grid, by a byte or by far, before the node that has them,
 * or to itself. */
START_TEST(nvdb_nodes_elsewhere)
{
    static const char message[] = "a node outside of its grid";
    Nvdb v;
    nvdb_open(&v);
    nvdb_check(&v, NULL);
    const struct {
        unsigned char *from, *offset;
        size_t bytes;           /* of what it leads to */
    } links[] = { { v.grid + PNANOVDB_GRID_SIZE, v.to_root, v.t->root_size },
                  { v.root, v.to_upper, v.t->upper_size }, { v.upper, v.to_lower, v.t->lower_size },
                  { v.lower, v.to_leaf, v.t->leaf_size } };
    for (size_t k = 0; k < sizeof links / sizeof links[0]; k++) {
        const uint64_t right = number_at(links[k].offset),
                       end = (uint64_t)(v.grid + v.size - links[k].from);
        const uint64_t wrong[] = { end - links[k].bytes + 1, end - 1, end, end + 1, end + 4096,
                                   INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, UINT64_MAX - 31,
                                   (uint64_t)0 - (uint64_t)(links[k].from - v.grid) };
        for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
            put_number(links[k].offset, wrong[w], 8);
            nvdb_check(&v, message);
        }
        if (k != 1) {           /* there, it stands for no node */
            put_number(links[k].offset, 0, 8);
            nvdb_check(&v, message);
        }
        put_number(links[k].offset, right, 8);
    }
    nvdb_check(&v, NULL);
    put_number(v.to_leaf, number_at(v.to_leaf) + v.t->leaf_size - 1, 8);        /* not aligned */
    put_file("x.nvdb", v.file, v.n);
    int64_t cells;
    snl_io_find_cells("x.nvdb", &v.x, &cells, &error);
    free(v.file);
}
END_TEST

/* A root that has more tiles than there is room for, and children that are the same node again and
 * again. */
START_TEST(nvdb_grids_without_end)
{
    Nvdb v;
    nvdb_open(&v);
    const size_t room = v.size - (size_t)(v.root - v.grid) - v.t->root_size;
    const uint64_t tiles[] = { room / v.t->root_tile_size + 1, UINT32_MAX };
    for (int k = 0; k < 2; k++) {
        put_number(v.root + PNANOVDB_ROOT_OFF_TABLE_SIZE, tiles[k], 4);
        nvdb_check(&v, "more tiles than there can be");
    }
    put_number(v.root + PNANOVDB_ROOT_OFF_TABLE_SIZE, 1, 4);
    nvdb_check(&v, NULL);
    unsigned char *leaf = v.lower + number_at(v.to_leaf);
    memset(leaf + PNANOVDB_LEAF_OFF_VALUE_MASK, 0, 64);         /* without cells, but for two */
    for (uint32_t n = 0; n < PNANOVDB_LOWER_TABLE_COUNT; n++)
        put_number(v.lower + v.t->lower_off_table + (size_t)n * v.t->table_stride,
                   number_at(v.to_leaf), 8);
    memset(v.lower + PNANOVDB_LOWER_OFF_CHILD_MASK, 0xff, PNANOVDB_LOWER_TABLE_COUNT / 8);
    nvdb_check(&v, "more nodes than there can be");
    free(v.file);
}
END_TEST

/* Gives the grid the checksums that are right, of heads of so many bytes, and of the nodes if
 * these are known. */
static void
nvdb_sum(const Nvdb *v, size_t heads, const SnlNvdbNodes *nodes)
{
    unsigned char *sum = v->grid + PNANOVDB_GRID_OFF_CHECKSUM;
    put_number(sum + 4, nodes ? snl_nvdb_node_sum(v->grid, nodes, 8) : UINT32_MAX, 4);
    put_number(sum, snl_nvdb_head_sum(v->grid, heads), 4);
}

/* Checksums of heads and of nodes that would be right if bytes behind the grid were its own. */
START_TEST(nvdb_sums_of_what_lies_outside)
{
    static const int counts[] = { PNANOVDB_TREE_OFF_NODE_COUNT_UPPER,
                                  PNANOVDB_TREE_OFF_NODE_COUNT_LOWER,
                                  PNANOVDB_TREE_OFF_NODE_COUNT_LEAF };
    static const int offsets[] = { PNANOVDB_TREE_OFF_NODE_OFFSET_UPPER,
                                   PNANOVDB_TREE_OFF_NODE_OFFSET_LOWER,
                                   PNANOVDB_TREE_OFF_NODE_OFFSET_LEAF };
    Nvdb v;
    nvdb_open(&v);
    unsigned char *tree = v.grid + PNANOVDB_GRID_SIZE;
    const size_t heads = PNANOVDB_GRID_SIZE + PNANOVDB_TREE_SIZE + v.t->root_size
                         + v.t->root_tile_size;
    const size_t bytes[] = { v.t->upper_size, v.t->lower_size, v.t->leaf_size };
    SnlNvdbNodes nodes[3];
    for (int k = 0; k < 3; k++)
        nodes[k] = (SnlNvdbNodes){ PNANOVDB_GRID_SIZE + number_at(tree + offsets[k]),
                                   number_at(tree + counts[k]) & UINT32_MAX, bytes[k] };
    ck_assert_uint_eq(nodes[2].count, 2);
    nvdb_sum(&v, heads, nodes);
    nvdb_check(&v, NULL);
    for (int k = 0; k < 3; k++) {
        const uint64_t right = number_at(tree + offsets[k]);
        put_number(tree + offsets[k], v.size, 8);
        nvdb_sum(&v, heads, NULL);
        nvdb_check(&v, NULL);           /* who reads from the root does not need it */
        put_number(v.grid + PNANOVDB_GRID_OFF_CHECKSUM + 4, 0, 4);
        nvdb_check(&v, "nodes outside of their grid");
        put_number(tree + offsets[k], right, 8);
        put_number(tree + counts[k], UINT32_MAX, 4);
        nvdb_sum(&v, heads, NULL);
        put_number(v.grid + PNANOVDB_GRID_OFF_CHECKSUM + 4, 0, 4);
        nvdb_check(&v, "nodes outside of their grid");
        put_number(tree + counts[k], nodes[k].count, 4);
    }
    /* a root within the tree, and a grid that ends with it */
    SnlNvdbEntry *entry = (SnlNvdbEntry *)(void *)(v.file + sizeof(SnlNvdbHead));
    const size_t short_size = PNANOVDB_GRID_SIZE + PNANOVDB_TREE_SIZE + v.t->root_size - 1;
    put_number((unsigned char *)&entry->file_bytes, short_size, 8);
    put_number(v.to_root, PNANOVDB_TREE_SIZE - 1, 8);
    put_number(v.grid + PNANOVDB_GRID_SIZE + PNANOVDB_TREE_SIZE - 1 + PNANOVDB_ROOT_OFF_TABLE_SIZE,
               0, 4);
    nvdb_sum(&v, short_size + 1, NULL);
    nvdb_check(&v, "the heads of a grid differ from its checksum");
    free(v.file);
}
END_TEST

/* Files that end too early, grids that are too small, and cells that the field does not have. */
START_TEST(nvdb_files_that_are_too_short)
{
    Nvdb v;
    nvdb_open(&v);
    SnlNvdbEntry *entry = (SnlNvdbEntry *)(void *)(v.file + sizeof(SnlNvdbHead));
    const size_t whole = v.n, begin = (size_t)(v.grid - v.file);
    for (v.n = 0; v.n < whole; v.n += v.n < begin + 2 || v.n + 2 > whole ? 1 : whole / 3)
        nvdb_check(&v, "is cut short");
    char message[64];
    snprintf(message, sizeof message, "is cut short: %zu bytes", sizeof *entry);
    v.n = begin;
    put_number((unsigned char *)&entry->file_bytes, 0, 8);
    put_number(v.file + offsetof(SnlNvdbHead, grid_count), 2, 2);
    nvdb_check(&v, message);            /* of the second entry */
    put_number(v.file + offsetof(SnlNvdbHead, grid_count), 1, 2);
    v.n = whole;
    put_number((unsigned char *)&entry->name_bytes, INT32_MAX, 4);
    nvdb_check(&v, "is cut short");
    put_number((unsigned char *)&entry->name_bytes, 2, 4);
    put_number((unsigned char *)&entry->file_bytes, PNANOVDB_GRID_SIZE + PNANOVDB_TREE_SIZE - 1, 8);
    nvdb_check(&v, "a grid that is too small");
    v.x.name = "y";
    put_number((unsigned char *)&entry->file_bytes, UINT64_MAX - 100, 8);
    nvdb_check(&v, "is cut short");
    v.x.name = "x";
    put_number((unsigned char *)&entry->file_bytes, v.size, 8);
    nvdb_check(&v, NULL);
    int64_t coords[3 * 2], cells;
    float values[2];
    v.x.cells = 1;
    ck_assert(!snl_io_load_cells("x.nvdb", &v.x, coords, values, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "more cells than there can be"));
    v.x.axes = v.x.index_axes = 2;
    ck_assert(!snl_io_find_cells("x.nvdb", &v.x, &cells, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "a cell outside of the indices of the field"));
    free(v.file);
}
END_TEST

#ifdef SNL_HAVE_ZLIB
/* Sizes of a grid that is packed. */
START_TEST(nvdb_sizes_of_what_is_packed)
{
    Nvdb v;
    nvdb_open(&v);
    SnlNvdbEntry *entry = (SnlNvdbEntry *)(void *)(v.file + sizeof(SnlNvdbHead));
    uLongf packed = compressBound((uLong)v.size);
    unsigned char *text = malloc(packed);
    ck_assert_int_eq(compress(text, &packed, v.grid, (uLong)v.size), Z_OK);
    ck_assert_uint_lt(packed + 8, v.size);
    memcpy(v.grid + 8, text, packed);
    v.n = (size_t)(v.grid - v.file) + 8 + packed;
    put_number(v.file + offsetof(SnlNvdbHead, codec), SNL_NVDB_ZIP, 2);
    const struct {
        uint64_t file_bytes, packed, grid_bytes;
        const char *message;
    } cases[] = {
        { 8 + packed, packed, v.size, NULL },
        { 7, packed, v.size, "damaged sizes of a compressed grid" },
        { 8, packed, v.size, "damaged sizes of a compressed grid" },
        { 8 + packed, packed + 1, v.size, "damaged sizes of a compressed grid" },
        { 8 + packed, UINT64_MAX, v.size, "damaged sizes of a compressed grid" },
        { 8 + packed, packed, 1200 * packed, "damaged sizes of a compressed grid" },
        { 8 + packed, packed, (uint64_t)1 << 62, "damaged sizes of a compressed grid" },
        { 8 + packed, packed, v.size + 1, "damaged compressed data" },
        { 8 + packed, packed, v.size - 1, "damaged compressed data" },
        { 8 + packed, packed - 1, v.size, "damaged compressed data" },
        { 9 + packed, packed, v.size, "is cut short" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        put_number((unsigned char *)&entry->file_bytes, cases[k].file_bytes, 8);
        put_number((unsigned char *)&entry->grid_bytes, cases[k].grid_bytes, 8);
        put_number(v.grid, cases[k].packed, 8);
        nvdb_check(&v, cases[k].message);
    }
    free(text);
    free(v.file);
}
END_TEST
#endif
#endif

/* ---- .snlt ---- */

/* What a saved tree has in place of what was saved, so many bytes before its checksum. */
typedef struct {
    const char *layout;
    int64_t active[3];          /* cells of the only node, up to -1 */
    int64_t back;
    int bytes;
    uint64_t value;
    const char *message;
} Damage;

/* Sets the checksum of a .snlt file, which are its last bytes. */
static void
mend_snlt(unsigned char *file, size_t n)
{
    put_number(file + n - 4, snl_io_crc(0, file, n - 4), 4);
}

/* A tree of which the saved cells are active; each field has the number of its cell. */
static void
fill(World *w, const int64_t *active)
{
    for (int k = 0; k < 3 && active[k] >= 0; k++) {
        int64_t coord[SNL_AXES];
        model_coord(&w->m, 0, active[k], coord);
        *(int32_t *)snl_cell_at(w->tree, 0, coord, SNL_ACTIVATE) = (int32_t)active[k];
        model_activate(&w->m, 0, active[k]);
        w->m.value[0][active[k]] = (int32_t)active[k];
    }
}

static const Damage damages[] = {
    { "b i[70] { . }", { 1, 69, -1 }, 9, 1, 0x60, "it is damaged" },      /* bits of no cells */
    { "b i[70] { . }", { 1, 69, -1 }, 9, 1, 0xa0, "it is damaged" },
    { "b i[1] { . }", { -1 }, 1, 1, 2, "it is damaged" },
    { "~b ij[3,5] { . }", { 14, -1 }, 5, 1, 0xc0, "it is damaged" },
    { "p i[9] { . }", { 8, -1 }, 5, 1, 3, "it is damaged" },
    { "p i[9] { . }", { -1 }, 1, 1, 0x80, "it is damaged" },
    { "b i[70] { . }", { 1, 69, -1 }, 17, 1, 6, "it ends too early" },    /* a cell more */
    { "b i[70] { . }", { 1, 69, -1 }, 17, 1, 0, "it has more than the layout" },
    { "y i[40]/8 { . }", { 1, -1 }, 16, 8, 41, "it is damaged" },
    { "y i[40]/8 { . }", { 1, -1 }, 16, 8, INT64_MAX, "it is damaged" },
    { "y i[40]/8 { . }", { 1, -1 }, 16, 8, UINT64_MAX, "it is damaged" },
    { "y i[40]/8 { . }", { -1 }, 8, 8, UINT64_MAX, "it is damaged" },     /* no cells follow */
    { "y i[40]/8 { . }", { -1 }, 8, 8, (uint64_t)INT64_MIN, "it is damaged" },
    { "y i[40]/8 { . }", { 1, -1 }, 16, 8, 40, "it ends too early" },
    { "y i[40]/8 { . }", { 1, -1 }, 16, 8, 1, "it has more than the layout" },
    { "h ij[20,30] { . }", { 65, 599, -1 }, 20, 8, 20, "it is damaged" }, /* indices out of range */
    { "h ij[20,30] { . }", { 65, 599, -1 }, 20, 8, UINT64_MAX, "it is damaged" },
    { "h ij[20,30] { . }", { 65, 599, -1 }, 20, 8, INT64_MAX, "it is damaged" },
    { "h ij[20,30] { . }", { 65, 599, -1 }, 12, 8, 30, "it is damaged" },
    { "h ij[20,30] { . }", { 65, 599, -1 }, 12, 8, (uint64_t)INT64_MIN, "it is damaged" },
    { "h ij[20,30] { . }", { 65, 599, -1 }, 32, 8, (uint64_t)0 - 2, "it is damaged" },
    { "h ij[20,30] { . }", { 65, 599, -1 }, 48, 8, UINT64_MAX, "it is damaged" },
    { "h ij[20,30] { . }", { -1 }, 8, 8, UINT64_MAX, "it is damaged" },
    { "h ij[20,30] { . }", { 65, 599, -1 }, 48, 8, 3, "it ends too early" },
    { "h ij[20,30] { . }", { 65, 599, -1 }, 48, 8, INT64_MAX, "it ends too early" },
    { "h ij[20,30] { . }", { 65, 599, -1 }, 48, 8, 1, "it has more than the layout" },
};

/* Contents that cannot be are found behind a checksum that is right, and change nothing. */
START_TEST(snlt_contents_that_cannot_be)
{
    const Damage *d = &damages[_i];
    const int64_t before[3] = { 0, -1 };
    World w;
    size_t n;
    start(&w, d->layout);
    fill(&w, d->active);
    ck_assert_msg(snl_tree_save(w.tree, "a.snlt", &error), "%s", error.text);
    end(&w);
    start(&w, d->layout);
    fill(&w, before);
    unsigned char *file = get_file("a.snlt", &n);
    put_number(file + n - 4 - d->back, d->value, d->bytes);
    mend_snlt(file, n);
    put_file("bad.snlt", file, n);
    ck_assert(!snl_tree_load(w.tree, "bad.snlt", &error));
    ck_assert_msg(strstr(error.text, d->message) != NULL, "%s", error.text);
    ck_assert(strstr(error.text, "before offset") && !error.other_layout && !error.no_memory);
    ck_assert_str_eq(snl_message(&w.rt), "");
    model_check(&w.m, w.tree);
    ck_assert(snl_tree_load(w.tree, "a.snlt", &error));
    model_reset(&w.m, 0, -1);
    fill(&w, d->active);
    model_check(&w.m, w.tree);
    end(&w);
    free(file);
}
END_TEST

/* A byte that changed while the checksum did not, and a bool that is none. */
START_TEST(snlt_bytes_that_changed)
{
    const int64_t active[3] = { 1, -1 };
    World w;
    size_t n;
    start(&w, "b i[9] { . }");
    w.m.leaves[0].tag = SNL_BOOL;
    fill(&w, active);
    ck_assert(snl_tree_save(w.tree, "a.snlt", &error));
    unsigned char *file = get_file("a.snlt", &n);
    file[n - 5] ^= 1;
    put_file("bad.snlt", file, n);
    ck_assert(!snl_tree_load(w.tree, "bad.snlt", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "it is damaged"));
    mend_snlt(file, n);
    put_file("bad.snlt", file, n);
    ck_assert(snl_tree_load(w.tree, "bad.snlt", &error));
    file[n - 5] = 2;
    mend_snlt(file, n);
    put_file("bad.snlt", file, n);
    ck_assert(!snl_tree_load(w.tree, "bad.snlt", &error));
    ck_assert_ptr_nonnull(strstr(error.text, "a bool is neither true nor false"));
    free(file);
    end(&w);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("damaged files");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 120);
    tcase_add_checked_fixture(group, enter_folder, leave_folder);
    tcase_add_test(group, headers_that_promise_too_much);
    tcase_add_test(group, heads_of_archives_that_lie);
    tcase_add_test(group, members_of_another_size);
    tcase_add_test(group, checksums_of_members);
    tcase_add_test(group, ends_of_large_archives);
    tcase_add_test(group, headers_that_are_too_long);
#ifdef SNL_HAVE_NANOVDB
    tcase_add_test(group, nvdb_nodes_elsewhere);
    tcase_add_test(group, nvdb_grids_without_end);
    tcase_add_test(group, nvdb_sums_of_what_lies_outside);
    tcase_add_test(group, nvdb_files_that_are_too_short);
#ifdef SNL_HAVE_ZLIB
    tcase_add_test(group, nvdb_sizes_of_what_is_packed);
#endif
#endif
    tcase_add_test(group, snlt_bytes_that_changed);
    tcase_add_loop_test(group, snlt_contents_that_cannot_be, 0,
                        (int)(sizeof damages / sizeof damages[0]));
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
