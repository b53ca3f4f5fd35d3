/* io_snlt.c - files of trees: what is active, and the values; little-endian on every machine.
 *
 *   "SNLT", u32 version, the structure, the root cell, the containers at the top, u32 CRC
 *   structure   u32 nodes; each: u32 kind, u32 parent + 1, u32 axes; each axis: u32 letter,
 *               i64 size, i64 first index of the fields below (from version 2 on)
 *               u32 leaves; each: u32 node + 1, u32 type, u32 count, u32 component, u32 n, n bytes
 *   cell        the leaves of the node in their order, then the containers of its children
 *   container   dense      all cells               bitmasked  a byte of 8 bits for 8 cells, then
 *               pointer    as bitmasked                       the active cells
 *               dynamic    i64 length, cells       hash       i64 count; each: indices, cell
 * Cells are numbered over the declared sizes, so that padding does not matter; a file does not
 * depend on the order in which cells were activated.  A file is loaded into a second tree, which
 * takes the place of the first only when the file was right to its end.
 */
#include "../tree/tree.h"

#include <stdarg.h>

#include "io_stream.h"

enum { SNLT_VERSION = 2, BUFFER = 65536 };

/* A file being written or read, with the tree. */
typedef struct {
    SnlTree *tree;
    const char *path;
    SnlIoError *error;
    SnlIoWriter writer;
    SnlIoReader reader;
    bool saving;
    bool good;                  /* no error so far */
    uint32_t version;           /* of the format */
    uint32_t crc;               /* of what was written */
    size_t at, filled;          /* in the buffer */
    unsigned char buffer[BUFFER];
} File;

/* How far the file was read. */
static uint64_t
read_offset(const File *f)
{
    return f->reader.at - (f->filled - f->at);
}

/* Says that the file cannot be used. */
static void
damaged(File *f, const char *what)
{
    if (f->good)
        snl_io_fail(f->error, "cannot load '%s': %s, before offset %llu", f->path, what,
                    (unsigned long long)read_offset(f));
    f->good = false;
}

static void
flush(File *f)
{
    f->crc = snl_io_crc(f->crc, f->buffer, f->at);
    fwrite(f->buffer, 1, f->at, f->writer.file);
    f->at = 0;
}

/* Fills the buffer with what comes next. */
static void
refill(File *f)
{
    size_t n = f->reader.left < BUFFER ? (size_t)f->reader.left : BUFFER;
    f->at = f->filled = 0;
    if (n == 0) {
        damaged(f, "it ends too early");
        return;
    }
    f->good = f->good && snl_io_read(&f->reader, f->buffer, n);
    f->filled = f->good ? n : 0;
}

/* Writes or reads n bytes. */
static void
transfer(File *f, void *data, size_t n)
{
    unsigned char *bytes = (unsigned char *)data;
    while (n > 0 && f->good) {
        size_t part;
        if (f->saving && f->at == BUFFER)
            flush(f);
        if (!f->saving && f->at == f->filled)
            refill(f);
        part = (f->saving ? (size_t)BUFFER : f->filled) - f->at;
        part = part < n ? part : n;
        if (f->saving)
            memcpy(f->buffer + f->at, bytes, part);
        else if (f->good)
            memcpy(bytes, f->buffer + f->at, part);
        f->at += part;
        bytes += part;
        n -= part;
    }
    if (!f->good && !f->saving)
        memset(bytes, 0, n);
}

/* Writes or reads an integer of so many bytes; gives what it is. */
static uint64_t
integer(File *f, uint64_t value, int bytes)
{
    unsigned char text[8] = { 0 };
    for (int k = 0; f->saving && k < bytes; k++)
        text[k] = (unsigned char)(value >> 8 * k);
    transfer(f, text, (size_t)bytes);
    if (f->saving)
        return value;
    value = 0;
    for (int k = bytes - 1; k >= 0; k--)
        value = value << 8 | text[k];
    return value;
}

/* Says how the layout that was saved differs from that of the tree. */
static void differ(File *f, const char *format, ...) SNL_IO_PRINTF(2, 3);

static void
differ(File *f, const char *format, ...)
{
    char how[SNL_IO_MESSAGE], what[SNL_IO_MESSAGE + 64];
    va_list args;
    va_start(args, format);
    vsnprintf(how, sizeof how, format, args);
    va_end(args);
    snprintf(what, sizeof what, "it was saved from another layout, %s", how);
    if (!f->good)
        return;
    damaged(f, what);
    f->error->other_layout = true;
}

/* Writes an integer of the structure, or reads it; false, with it in *there, if it differs. */
static bool
is_same(File *f, int64_t here, int bytes, int64_t *there)
{
    uint64_t mask = bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1;
    *there = (int64_t)integer(f, (uint64_t)here & mask, bytes);
    return !f->good || *there == (int64_t)((uint64_t)here & mask);
}

/* Names in messages are no longer. */
enum { NAME_SHOWN = 100 };

static void
axis_structure(File *f, const SnlNodeDesc *d, const char *name, int a)
{
    const char letter = (char)('i' + d->axes[a]);
    int64_t there;
    if (!is_same(f, d->axes[a], 4, &there))
        differ(f, "whose node '%.*s' has other axes, or in another order", NAME_SHOWN, name);
    if (!is_same(f, d->sizes[a], 8, &there))
        differ(f, "whose node '%.*s' has size %lld along %c, not %lld", NAME_SHOWN, name,
               (long long)there, letter, (long long)d->sizes[a]);
    if (f->version > 1 && !is_same(f, d->offsets[a], 8, &there))
        differ(f, "whose indices along %c begin at %lld, not at %lld", letter, (long long)there,
               (long long)d->offsets[a]);
}

static void
node_structure(File *f, const SnlNodeDesc *d)
{
    const char *name = d->label ? d->label : d->name;
    int64_t there;
    if (!is_same(f, d->kind, 4, &there))
        differ(f, "whose node '%.*s' is of another kind", NAME_SHOWN, name);
    if (!is_same(f, d->parent + 1, 4, &there))
        differ(f, "whose node '%.*s' lies elsewhere", NAME_SHOWN, name);
    if (!is_same(f, d->axis_count, 4, &there))
        differ(f, "whose number of axes of '%.*s' is %lld, not %d", NAME_SHOWN, name,
               (long long)there, d->axis_count);
    for (int a = 0; a < d->axis_count && f->good; a++)
        axis_structure(f, d, name, a);
}

/* Writes the name of a field, or reads one, of which `there` gets as much as can be shown; false if
 * it differs. */
static bool
is_same_name(File *f, const char *here, char there[NAME_SHOWN + 1])
{
    const size_t length = strlen(here), count = (size_t)integer(f, length, 4);
    bool same = count == length;
    size_t shown = 0;
    for (size_t c = 0; c < count && f->good; c++) {
        const unsigned char byte =
            (unsigned char)integer(f, c < length ? (unsigned char)here[c] : 0, 1);
        same = same && byte == (unsigned char)here[c];
        if (shown < NAME_SHOWN)
            there[shown++] = byte > ' ' && byte < 127 ? (char)byte : '?';
    }
    there[shown] = '\0';
    return same;
}

static void
leaf_structure(File *f, const SnlLeafDesc *leaf)
{
    const char *name = leaf->field ? leaf->field : "";
    char name_there[NAME_SHOWN + 1];
    int64_t node, tag, count, first;
    const bool same_node = is_same(f, leaf->node + 1, 4, &node),
               same_tag = is_same(f, leaf->tag, 4, &tag),
               same_part = (is_same(f, leaf->count, 4, &count)
                            & is_same(f, leaf->first_component, 4, &first));
    if (!is_same_name(f, name, name_there))
        differ(f, "which has field '%s' in the place of '%.*s'", name_there, NAME_SHOWN, name);
    else if (!same_tag)
        differ(f, "whose field '%s' is of %s, not %s", name_there,
               snl_scalar_name((int)tag), snl_scalar_name(leaf->tag));
    else if (!same_node)
        differ(f, "whose field '%s' lies in another node", name_there);
    else if (!same_part)
        differ(f, "whose field '%s' has other components, or in another order", name_there);
}

/* The part of the file that says what the tree looks like. */
static void
structure(File *f)
{
    const SnlTree *tree = f->tree;
    const int leaves = tree->desc->leaf_count;
    int64_t there;
    if (!is_same(f, tree->node_count, 4, &there))
        differ(f, "whose number of nodes is %lld, not %d", (long long)there, tree->node_count);
    for (int node = 0; node < tree->node_count && f->good; node++)
        node_structure(f, &tree->nodes[node].desc);
    const bool same_count = is_same(f, leaves, 4, &there);
    for (int k = 0; k < leaves && k < there && f->good; k++)
        leaf_structure(f, &tree->desc->leaves[k]);
    if (f->good && !same_count)
        differ(f, there < leaves ? "which has fewer fields" : "which has more fields");
}

/* The values of one leaf in a cell. */
static void
values(File *f, const SnlLeafDesc *leaf, char *data)
{
    size_t bytes = (size_t)snl_scalar_bytes(leaf->tag), n = bytes * (size_t)leaf->count;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t at = 0; at < n; at += bytes) {
        unsigned char turned[8];
        for (size_t k = 0; k < bytes; k++)
            turned[k] = (unsigned char)data[at + bytes - 1 - k];
        transfer(f, turned, bytes);
        for (size_t k = 0; !f->saving && k < bytes; k++)
            data[at + k] = (char)turned[bytes - 1 - k];
    }
#else
    transfer(f, data, n);
#endif
    for (size_t k = 0; leaf->tag == SNL_BOOL && !f->saving && k < n; k++)
        if ((unsigned char)data[k] > 1) {
            data[k] = 1;
            damaged(f, "a bool is neither true nor false");
        }
}

static void container(File *f, int node, char *at);

/* A cell: its leaves and what lies below.  node -1 is the root cell, which has leaves only. */
static void
cell(File *f, int node, char *at)
{
    const SnlTree *tree = f->tree;
    for (int k = 0; k < tree->desc->leaf_count && f->good; k++)
        if (tree->desc->leaves[k].node == node)
            values(f, &tree->desc->leaves[k], at + tree->desc->leaves[k].offset);
    for (int child = node < 0 ? -1 : tree->nodes[node].first_child; child >= 0 && f->good;
         child = tree->nodes[child].next_sibling)
        container(f, child, at + tree->nodes[child].desc.container_offset);
}

/* The linear number as stored of the cell with that number over the declared sizes. */
static int64_t
stored_number(const SnlNodeDesc *d, int64_t number)
{
    int64_t index[SNL_AXES], result = 0;
    for (int a = d->axis_count - 1; a >= 0; a--) {
        index[a] = number % d->sizes[a];
        number /= d->sizes[a];
    }
    for (int a = 0; a < d->axis_count; a++)
        result = result * d->stored[a] + index[a];
    return result;
}

/* Number of cells over the declared sizes. */
static int64_t
declared_count(const SnlNodeDesc *d)
{
    int64_t count = 1;
    for (int a = 0; a < d->axis_count; a++)
        count *= d->sizes[a];
    return count;
}

static void
dense_container(File *f, int node, char *at)
{
    const SnlNodeDesc *d = &f->tree->nodes[node].desc;
    int64_t count = declared_count(d);
    for (int64_t k = 0; k < count && f->good; k++)
        cell(f, node, at + stored_number(d, k) * d->cell_bytes);
}

/* True if the cell of a bitmasked or pointer container is active. */
static bool
is_active(const File *f, int node, char *at, int64_t number)
{
    return f->tree->nodes[node].desc.kind == SNL_BITMASKED
           ? snl_bitmasked_is_active(f->tree, node, at, number)
           : snl_pointer_is_active(f->tree, node, at, number);
}

/* Activates a cell of a bitmasked or pointer container. */
static void
activate(File *f, int node, char *at, int64_t number)
{
    if (f->tree->nodes[node].desc.kind == SNL_BITMASKED)
        snl_bitmasked_activate(f->tree, node, at, number);
    else
        snl_pointer_activate(f->tree, node, at, number);
    f->good = f->good && !snl_failed(f->tree->rt);
}

/* A container of a bitmasked or pointer node. */
static void
masked_container(File *f, int node, char *at)
{
    const SnlNodeDesc *d = &f->tree->nodes[node].desc;
    int64_t count = declared_count(d);
    for (int64_t k = 0; k < count && f->good; k += 8) {
        uint64_t bits = 0;
        for (int64_t b = 0; f->saving && b < 8 && k + b < count; b++)
            bits |= (uint64_t)is_active(f, node, at, stored_number(d, k + b)) << b;
        bits = integer(f, bits, 1);
        if (k + 8 > count && bits >> (count - k))
            damaged(f, "it is damaged");
        for (int64_t b = 0; !f->saving && f->good && b < 8 && k + b < count; b++)
            if (bits >> b & 1)
                activate(f, node, at, stored_number(d, k + b));
    }
    for (int64_t k = 0; k < count && f->good; k++) {
        int64_t number = stored_number(d, k);
        if (!is_active(f, node, at, number))
            continue;
        cell(f, node, d->kind == SNL_BITMASKED ? at + number * d->cell_bytes
                                               : ((char **)(void *)at)[number]);
    }
}

static void
dynamic_container(File *f, int node, char *at)
{
    SnlTree *tree = f->tree;
    int64_t length = snl_dynamic_length(tree, node, at);
    length = (int64_t)integer(f, (uint64_t)length, 8);
    if (length < 0 || length > tree->nodes[node].desc.sizes[0])
        damaged(f, "it is damaged");
    for (int64_t k = 0; k < length && f->good; k++) {
        char *data = f->saving ? (char *)snl_dynamic_lookup(tree, node, at, k)
                               : (char *)snl_dynamic_activate(tree, node, at, k);
        f->good = f->good && !snl_failed(tree->rt);
        cell(f, node, data);
    }
}

static void
save_hash(File *f, int node, const SnlHashTable *table)
{
    const SnlNode *n = &f->tree->nodes[node];
    int64_t live = snl_hash_live(table), count = 0;
    size_t bytes = (size_t)live * sizeof(SnlListEntry);
    SnlListEntry *sorted = live > 0 ? (SnlListEntry *)snl_memory_get(f->tree->rt, bytes) : NULL;
    integer(f, (uint64_t)live, 8);
    if (live > 0 && !sorted)
        f->good = snl_io_fail_memory(f->error, "writing", f->path);
    for (int64_t k = 0; sorted && k < table->capacity; k++) {
        char *element = snl_hash_element(table->entries[k]);
        if (!element)
            continue;
        memcpy(sorted[count].coord, element, (size_t)n->key_bytes);
        sorted[count++].cell = element + n->key_bytes;
    }
    if (sorted)
        snl_entries_sort(f->tree->rt, sorted, count, n->desc.axis_count);
    for (int64_t k = 0; k < count && f->good; k++) {
        for (int a = 0; a < n->desc.axis_count; a++)
            integer(f, (uint64_t)sorted[k].coord[a], 8);
        cell(f, node, sorted[k].cell);
    }
    snl_memory_put(f->tree->rt, sorted, bytes);
}

static void
load_hash(File *f, int node, char *at)
{
    const SnlNodeDesc *d = &f->tree->nodes[node].desc;
    int64_t count = (int64_t)integer(f, 0, 8);
    if (count < 0)
        damaged(f, "it is damaged");
    for (int64_t k = 0; k < count && f->good; k++) {
        int64_t index[SNL_AXES] = { 0 };
        void *data;
        for (int a = 0; a < d->axis_count; a++) {
            index[a] = (int64_t)integer(f, 0, 8);
            if (index[a] < 0 || index[a] >= d->sizes[a])
                damaged(f, "it is damaged");
        }
        if (!f->good)
            return;
        data = snl_hash_activate(f->tree, node, at, index, d->axis_count);
        f->good = !snl_failed(f->tree->rt);
        cell(f, node, (char *)data);
    }
}

static void
container(File *f, int node, char *at)
{
    switch (f->tree->nodes[node].desc.kind) {
    case SNL_DENSE: dense_container(f, node, at); break;
    case SNL_BITMASKED:
    case SNL_POINTER: masked_container(f, node, at); break;
    case SNL_DYNAMIC: dynamic_container(f, node, at); break;
    default:
        if (f->saving)
            save_hash(f, node, ((SnlHash *)(void *)at)->table);
        else
            load_hash(f, node, at);
    }
}

/* What comes before the values. */
static void
header(File *f)
{
    static const char magic[4] = { 'S', 'N', 'L', 'T' };
    for (int k = 0; k < 4; k++)
        if (f->good && integer(f, (unsigned char)magic[k], 1) != (unsigned char)magic[k])
            damaged(f, "it is not a .snlt file");
    if (f->good)
        f->version = (uint32_t)integer(f, SNLT_VERSION, 4);
    if (f->good && (f->version < 1 || f->version > SNLT_VERSION))
        damaged(f, "its version is not known");
    if (f->good)
        structure(f);
}

/* Everything before the CRC. */
static void
contents(File *f)
{
    header(f);
    cell(f, -1, f->tree->root_cell);
    for (int node = 0; node < f->tree->node_count && f->good; node++)
        if (f->tree->root[node])
            container(f, node, f->tree->root[node]);
}

/* A file to work on, or NULL with the error set. */
static File *
file_new(SnlTree *tree, const char *path, SnlIoError *error, bool saving)
{
    File *f = (File *)snl_memory_get(tree->rt, sizeof *f);
    if (!f) {
        snl_io_fail_memory(error, saving ? "writing" : "reading", path);
        return NULL;
    }
    f->tree = tree;
    f->path = path;
    f->error = error;
    f->saving = saving;
    f->good = true;
    return f;
}

bool
snl_tree_save(SnlTree *tree, const char *path, SnlIoError *error)
{
    File *f = file_new(tree, path, error, true);
    bool good;
    if (!f)
        return false;
    if (!snl_io_create(&f->writer, path, error)) {
        snl_memory_put(tree->rt, f, sizeof *f);
        return false;
    }
    contents(f);
    flush(f);
    integer(f, f->crc, 4);
    flush(f);
    good = f->good;
    if (good)
        good = snl_io_finish(&f->writer, error);
    else
        snl_io_abandon(&f->writer);
    snl_memory_put(tree->rt, f, sizeof *f);
    return good;
}

/* Goes to the start of the file, of which so many bytes are to be read. */
static void
restart(File *f, uint64_t bytes)
{
    f->at = f->filled = 0;
    f->good = f->good && snl_io_seek(&f->reader, 0, bytes);
}

/* Reads the file into an empty tree, once it is known to be whole and of this layout. */
static void
load_into(File *f, SnlTree *fresh)
{
    uint64_t bytes = f->reader.left;
    uint32_t crc;
    header(f);
    if (f->good && bytes < 12)
        damaged(f, "it ends too early");
    restart(f, bytes - 4);
    while (f->good && f->reader.left > 0)
        refill(f);
    crc = f->reader.crc;
    f->at = f->filled = 0;
    f->reader.left = 4;
    if (f->good && integer(f, 0, 4) != crc)
        damaged(f, "it is damaged");
    restart(f, bytes - 4);
    f->tree = fresh;
    contents(f);
    if (f->good && (f->reader.left > 0 || f->at < f->filled))
        damaged(f, "it has more than the layout");
}

bool
snl_tree_load(SnlTree *tree, const char *path, SnlIoError *error)
{
    SnlInstance *rt = tree->rt;
    int64_t *sizes = (int64_t *)snl_memory_get(rt, (size_t)(tree->node_count + 1) * SNL_AXES * 8);
    File *f = sizes ? file_new(tree, path, error, false) : NULL;
    SnlTree *fresh = NULL;
    bool good = false, failed_before = snl_failed(rt);
    for (int node = 0; sizes && node < tree->node_count; node++)
        memcpy(sizes + node * SNL_AXES, tree->nodes[node].desc.sizes, SNL_AXES * sizeof *sizes);
    if (!sizes)
        snl_io_fail_memory(error, "reading", path);
    if (f && snl_io_open(&f->reader, path, error)) {
        if (failed_before || snl_tree_create(rt, tree->desc, sizes, &fresh) == SNL_OK)
            good = !failed_before;
        if (good)
            load_into(f, fresh);
        good = good && f->good;
        snl_io_close(&f->reader);
    }
    if (snl_failed(rt)) {       /* activating or the second tree ran out of memory */
        snl_io_fail(error, "cannot load '%s': %s, before offset %llu", path, snl_message(rt),
                    (unsigned long long)(f ? read_offset(f) : 0));
        error->no_memory = snl_status_of(rt) == SNL_ENOMEM;
        if (!failed_before)
            snl_clear_error(rt);
        good = false;
    }
    if (good)
        snl_tree_swap(tree, fresh);
    snl_tree_destroy(fresh);
    snl_memory_put(rt, f, sizeof *f);
    snl_memory_put(rt, sizes, (size_t)(tree->node_count + 1) * SNL_AXES * 8);
    return good;
}
