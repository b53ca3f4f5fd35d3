/* tree.h - trees: nodes, their containers and cells, activity, lists, files.
 *
 * The compiler writes the SnlTreeDesc of a layout as static data; snl_tree_create makes a tree of
 * it.  The tree belongs to the instance it was made with and owns all containers and cells.
 *
 * A child container lies inline in the cell of its parent, at container_offset, aligned to 8:
 *   dense      cells                                  cell c at c * cell_bytes
 *   bitmasked  cells | mask words of 64 bits          words at cell_count * cell_bytes up to 8
 *   pointer    slots | mask words of 64 bits          a slot is NULL while its cell is not active
 *   dynamic    SnlDynamic, SNL_DYNAMIC_BYTES          cells in chunks
 *   hash       SnlHash, SNL_HASH_BYTES                cells found by their indices
 * The linear number of a cell is the mixed-radix number of its indices in storage order over
 * `stored`.  Memory of a cell that is not active always holds the ambient value, so activating
 * needs no write to it.  A look-up of a cell that is not active gives the read-only ambient image
 * of the node, in which every container below is an ambient one too: walking down needs no test.
 *
 * Activating is safe from any thread.  What is deactivated reads as ambient at once; its memory is
 * reset and reused by snl_tree_gc, which runs after the loop, so no address goes bad inside it.
 * Where memory runs out, the error is recorded and a writable scratch cell is given.
 * Functions of this header that are not verbs of cells must not run beside them.
 */
#ifndef SNL_TREE_TREE_H
#define SNL_TREE_TREE_H

#include "../core/list.h"
#include "../core/parallel.h"
#include "../core/pool.h"
#include "../program/snl_io.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_DENSE, SNL_BITMASKED, SNL_POINTER, SNL_DYNAMIC, SNL_HASH };
enum { SNL_DYNAMIC_BYTES = 32, SNL_HASH_BYTES = 16 };

/* A node, as the compiler lays it out; arrays are in storage order. */
typedef struct {
    int kind;
    int parent;                 /* number of a node before this one, -1 at the top */
    const char *name;           /* "S1pointer" */
    const char *label;          /* or NULL */
    int axis_count;
    int axes[SNL_AXES];         /* letters i ... p are 0 ... 7 */
    int64_t sizes[SNL_AXES];    /* declared; 0: given to snl_tree_create */
    int64_t stored[SNL_AXES];
    int64_t cell_count;         /* product of stored */
    int64_t cell_bytes;
    int64_t container_bytes;
    int64_t container_offset;   /* in the cell of the parent */
    int64_t chunk;              /* dynamic: cells of one allocation */
    int64_t offsets[SNL_AXES];  /* first indices of the fields below, which files keep */
} SnlNodeDesc;

/* A run of scalars in the cells of a node. */
typedef struct {
    int node;                   /* -1: the root cell */
    int64_t offset;             /* in the cell */
    int tag;
    int count;                  /* consecutive scalars */
    const char *field;
    int first_component;        /* of the field, that the run starts with */
    const void *ambient;        /* count scalars, or NULL for zeros */
} SnlLeafDesc;

typedef struct {
    const char *name;
    const SnlNodeDesc *nodes;
    int node_count;
    const SnlLeafDesc *leaves;
    int leaf_count;
    int64_t root_bytes;         /* of the root cell with 0-D fields; 0: none */
} SnlTreeDesc;

/* The cells of a dynamic container; one is made when the first is appended and goes to the
 * collector, with its chunks, when the list is emptied. */
typedef struct {
    int64_t length;
    void *chunks[];             /* ceil(size / chunk) */
} SnlDynamicBlock;

/* Container of a dynamic node. */
typedef struct {
    SnlDynamicBlock *block;     /* NULL: empty */
    char *line;                 /* its cells in a copy of all lists, while that is good; see
                                 * packed_lists.h */
    int64_t line_length;
    void *unused;
} SnlDynamic;

/* 0: never used, SNL_HASH_ERASED, or an element: its indices, then the cell. Above its address is a
 * part of the hash of the indices, which is not 0. */
typedef uint64_t SnlHashEntry;
enum { SNL_HASH_ERASED = 1, SNL_ADDRESS_BITS = 48 };

/* A part of a table, which one thread changes at a time; in a line of the cache of its own. */
typedef struct {
    int lock;
    int unused;
    int64_t live;               /* cells */
    int64_t used;               /* entries that are not empty, with erased ones */
    char pad[40];
} SnlHashStripe;

/* Table of a hash container: open addressing, linear probing inside of a stripe, a power of two of
 * entries. */
typedef struct SnlHashTable {
    struct SnlHashTable *prev, *next;   /* all tables of the tree */
    struct SnlSpare *spare;     /* memory that it lies in, or NULL: its own */
    struct SnlHashTable *next_retired;
    int node;
    int stripe_shift;           /* entries of each stripe, as a power of two */
    int64_t capacity;
    int64_t stripe_count;
    SnlHashEntry *entries;      /* behind the stripes */
    struct SnlHashTable *larger;        /* the one that takes its place; NULL: none is made */
    const struct SnlHashTable *from;    /* the one whose cells are put into this one, in parts: */
    int64_t parts_begun, parts_done;    /* so many by now */
    struct SnlHash *map;        /* the container that it is the table of, or was */
    bool crowded;               /* a stripe is too full for its part */
    bool is_thin;               /* a stripe has lost its last cell */
    char pad[22];
    SnlHashStripe stripes[];    /* each in one line of the cache */
} SnlHashTable;

/* Container of a hash node. */
typedef struct SnlHash {
    SnlHashTable *table;        /* NULL: empty */
    int lock;                   /* of those who put another table in its place */
    int past_bits;              /* capacity of the table before the container was emptied last, or
                                 * nearly, as a power of two */
} SnlHash;

/* Cells of a word of the mask of a container that were deactivated while another thread may have
 * been about to write to them. */
typedef struct {
    void *container;            /* NULL: none, or not written yet */
    int64_t word;
    uint64_t bits;
} SnlReset;

/* Pointer containers in which cells came or went since the list of their node was made, as long as
 * they are few. */
enum { SNL_TOUCHED = 512 };
typedef struct {
    int count;                  /* more than SNL_TOUCHED: many, or there is no list */
    void *container[SNL_TOUCHED];       /* one may stand here twice; NULL: not noted yet */
} SnlTouched;

/* A node of a tree. */
typedef struct {
    SnlNodeDesc desc;           /* sizes filled in */
    const char *ambient;        /* image of a cell that is not active */
    char *scratch;              /* cell for those that memory could not be had for, zeros until one
                                 * is, or NULL; the tree's where nothing hangs below a cell */
    int changed;                /* activity changed since the stamp */
    int64_t stamp;              /* of the last change of activity */
    SnlTouched touched;
    int low_bit[SNL_AXES];      /* of the index in the number of a cell; [0] is -1 where there are
                                 * sizes that are no powers of two */
    int64_t mask_offset;        /* bitmasked, pointer: of the mask words */
    int64_t mask_words;
    int64_t key_bytes;          /* hash: of the indices before the cell */
    int64_t extent[SNL_AXES];   /* by letter: cells over the whole path */
    int path_axes;              /* bit set of the letters on the path */
    bool flat;                  /* nothing below a cell is allocated apart from it */
    bool zero;                  /* the ambient image is all zeros */
    int first_child, next_sibling;      /* -1: none */
    int list_ancestor;          /* the nearest whose cells are allocated apart, -1: the root */
    const int *path;            /* nodes below that ancestor, down to this one */
    int path_length;
    SnlPool cells;              /* pointer, hash: cells; dynamic: chunks */
    SnlPool blocks;             /* dynamic */
    char *chunk_image;          /* dynamic: ambient cells of a chunk, or NULL for zeros */
    SnlStore resets;            /* bitmasked: SnlReset, deactivated beside other threads */
    SnlList list;
} SnlNode;

/* What the CPU of a program for a GPU knows of a node, each with the SnlGpu.version it is of; in
 * memory that lanes do not use. */
typedef struct {
    int64_t queued_at;          /* the list: its making was started */
    int64_t chunks, chunks_at;  /* of a list of cells at the top */
} SnlKnown;

/* Memory for the tables that code on a GPU makes. */
typedef struct SnlSpare {
    struct SnlSpare *next;      /* older ones, with tables that are in use */
    int64_t bytes, used;        /* with this head */
    int64_t tables;             /* of the tree that lie here */
} SnlSpare;

/* Where tables begin in it, with a line of the cache. */
enum { SNL_SPARE_HEAD = 64 };

/* Locks of the slots of a tree, of which thousands of lanes of a GPU may want the same one at
 * once. */
enum { SNL_MAKERS = 256 };

typedef struct SnlTree {
    SnlInstance *rt;
    const SnlTreeDesc *desc;
    const SnlTreeDesc *own_desc;        /* a copy that a GPU sees, or NULL */
    size_t desc_bytes;
    SnlNode *nodes;
    int node_count;
    SnlKnown *known;            /* by node, in a program for a GPU */
    char **root;                /* by node: the container of a node at the top, else NULL */
    char *root_cell;            /* 0-D fields, or NULL */
    char title[160];            /* of the layout, in messages */
    int *path;                  /* those of all nodes */
    size_t path_bytes;
    int64_t stamp;
    int pending;                /* something waits for the collector */
    int collecting;             /* and a GPU is collecting it */
    SnlHashTable *retired;      /* those that a loop may still read */
    SnlHashTable *tables;
    int table_lock;
    bool has_thin;              /* one of these is much too large, maybe */
    SnlSpare *spare;
    char *zeros;                /* image that nodes without ambient values share */
    int64_t zeros_bytes;
    char *scratch;              /* cell that nodes share where nothing hangs below theirs, or NULL:
                                 * whatever one writes there is no address for another */
    int64_t scratch_bytes;
    int makers[SNL_MAKERS];     /* locks of slots that lanes make elements for, by their hashes */
} SnlTree;

/* Makes a tree.  top_sizes has SNL_AXES sizes for each node in storage order, 0 where it is
 * static; it may be NULL.  Where it fails, *out is NULL and the error is recorded. */
snl_status snl_tree_create(SnlInstance *rt, const SnlTreeDesc *desc, const int64_t *top_sizes,
                           SnlTree **out);

/* A copy of a description with all that it points to, in one block; NULL without memory. */
SnlTreeDesc *snl_tree_desc_copy(SnlInstance *rt, const SnlTreeDesc *desc, size_t *bytes);

/* Makes the memory that a GPU may need to deactivate and collect what there is; it may be at
 * work. */
void snl_tree_room(SnlTree *tree);

/* Cells that a node can have, with the memory that there is. */
int64_t snl_tree_most(const SnlTree *tree, int node);

/* What code on a GPU may do to a tree, which may be NULL. */
typedef struct {
    SnlTree *tree;
    int64_t activations;        /* at most */
    int64_t tries;              /* of lanes: several may want one cell, where warps divide each of a
                                 * warp too */
    bool deactivates;           /* besides */
} SnlNeed;

/* Makes the memory that it may need, for several trees at once: where there is too little for all,
 * small needs are met and large ones share the rest. */
void snl_trees_prepare(SnlInstance *rt, const SnlNeed *needs, int count);

/* Releases a tree; NULL is ignored. */
void snl_tree_destroy(SnlTree *tree);

/* Exchanges the contents of two trees of one shape; addresses go with the contents. */
void snl_tree_swap(SnlTree *a, SnlTree *b);

/* The active cells of a node in memory order; valid until activity changes or the tree goes. */
const SnlList *snl_tree_list(SnlTree *tree, int node);

/* Copies of the masks of a bitmasked node, one behind the other: of those in the cells of a list,
 * or, where that is NULL, of the one at the top. NULL: there are none, or no memory, which is
 * reported. snl_masks_drop gives so many copies back. */
const uint64_t *snl_masks_copy(SnlTree *tree, int node, const SnlList *above);
void snl_masks_drop(SnlTree *tree, int node, const uint64_t *masks, int64_t count);

/* Gives the list of a node room for `capacity` entries, of which it keeps the first, if need be
 * from what is free in pools; false without memory, which is recorded. */
bool snl_list_room(SnlTree *tree, int node, int64_t capacity, int64_t kept);

/* Records that the memory for a list of the cells of a node could not be had. */
void snl_list_out_of_memory(SnlTree *tree, int node, uint64_t bytes);

/* Releases the lists of a tree that are out of date. */
void snl_lists_drop(SnlTree *tree);

/* A copy of the list of active cells of a node, for loops whose body may change activity. */
typedef struct {
    SnlInstance *rt;
    int64_t count;
    SnlListEntry *entries;
    int64_t capacity;           /* of these entries; 0: they belong to something else */
} SnlSnapshot;

/* Makes a snapshot; without memory it is empty and the error is recorded. */
SnlSnapshot snl_snapshot(SnlTree *tree, int node);

/* Releases it. */
void snl_snapshot_end(SnlSnapshot *s);

/* Declares a snapshot that is released where its scope is left, in whatever way. */
#define SNL_SNAPSHOT(name, tree, node) \
    SnlSnapshot name __attribute__((cleanup(snl_snapshot_end))) = snl_snapshot(tree, node)

/* Number of active cells of a node. */
int64_t snl_tree_active(SnlTree *tree, int node);

#ifdef SNL_GPU
/* The same on either side: on a GPU lists are as the CPU has made them before the loop. */
SNL_FN SnlSnapshot snl_both_snapshot(SnlTree *tree, int node)
{
    SnlList *list = &tree->nodes[node].list;
    return SNL_SPLIT((SnlSnapshot{tree->rt, list->count, list->entries, 0}),
                     snl_snapshot(tree, node));
}
SNL_FN void snl_both_snapshot_end(SnlSnapshot *s)
{
    SNL_SPLIT((void)s, snl_snapshot_end(s));
}
SNL_FN int64_t snl_both_active(SnlTree *tree, int node)
{
    return SNL_SPLIT(tree->nodes[node].list.count, snl_tree_active(tree, node));
}
#define snl_snapshot snl_both_snapshot
#define snl_snapshot_end snl_both_snapshot_end
#define snl_tree_active snl_both_active
#endif

/* Bytes the tree holds. */
int64_t snl_tree_memory(const SnlTree *tree);

/* Bytes that a node holds apart from the containers it lies in. */
int64_t snl_tree_node_memory(const SnlTree *tree, int node);

/* Deactivates all cells of a node; run snl_tree_gc after it. */
void snl_tree_deactivate_all(SnlTree *tree, int node);

/* Activates the cells of a bitmasked node that are active in one of another tree of the same shape,
 * which lies at the top, or below a node whose cells are allocated apart.  Without memory the error
 * is recorded. */
void snl_tree_activate_as(SnlTree *tree, int node, SnlTree *like, int like_node);

/* Recycles what was deactivated. */
void snl_tree_gc(SnlTree *tree);

/* Where memory is short outside of parallel loops: returns what is free in the pools of the
 * program, but for one, which may be NULL, and outside of any loop lists of cells that are out of
 * date and old hash tables; true if that was anything. */
bool snl_find_memory(SnlInstance *rt, const SnlPool *but);

/* Collects, then returns memory that is not used to the system. */
void snl_tree_trim(SnlTree *tree);

/* Sets everything to ambient, and nothing is active. */
void snl_tree_reset(SnlTree *tree);

/* Saves activity and values as .snlt. */
bool snl_tree_save(SnlTree *tree, const char *path, SnlIoError *error);

/* Loads a .snlt of the same structure; where it fails, the tree is as before.  Where it succeeds,
 * all containers have new addresses. */
bool snl_tree_load(SnlTree *tree, const char *path, SnlIoError *error);

enum { SNL_READ, SNL_ACTIVATE };

/* The cell of a node at coord, by letter in the node's own cells over the whole path.  Out of
 * range: ambient to read; to activate, an error and the scratch cell. */
SNL_CORE void *snl_cell_at(SnlTree *tree, int node, const int64_t *coord, int mode);

/* A cell in a container, by its indices there, which are in range. */
SNL_CORE void *snl_cell_in(SnlTree *tree, int node, void *container, const int64_t *index,
                           int mode);

/* True if the cell is active, and all its parents. */
SNL_CORE bool snl_cell_is_active(SnlTree *tree, int node, const int64_t *coord);

/* Deactivates a cell and everything below it; nothing happens where it is not active. */
SNL_CORE void snl_cell_deactivate(SnlTree *tree, int node, const int64_t *coord);

/* Empties a list; coord as in snl_cell_at, without the list's own axis. */
SNL_CORE void snl_list_empty(SnlTree *tree, int node, const int64_t *coord);

/* The container of a node that holds the cell at coord. */
SNL_CORE void *snl_container_at(SnlTree *tree, int node, const int64_t *coord, int mode);

/* Deactivates every cell of a container, outside of loops. */
SNL_CORE void snl_container_clear(SnlTree *tree, int node, void *container);

/* The same for cells from ... to-1 of a bitmasked or pointer container; from is a multiple of
 * 64. */
SNL_CORE void snl_container_clear_part(SnlTree *tree, int node, void *container, int64_t from,
                                       int64_t to);

/* Sets a cell, and everything below it, to ambient. */
SNL_CORE void snl_cell_reset(SnlTree *tree, int node, void *cell);

/* A layout in messages: by its name, or else by its first field. */
const char *snl_layout_title(const SnlTreeDesc *desc, char *text, size_t room);

/* Records that so many bytes for a cell of a node could not be had; gives its scratch cell. */
SNL_CORE void *snl_node_out_of_memory(SnlTree *tree, int node, uint64_t missing) SNL_COLD;

/* Releases a hash table that nobody reads. */
void snl_hash_table_free(SnlTree *tree, SnlHashTable *table);

/* Releases those that were put aside. */
void snl_hash_tables_drop(SnlTree *tree);

/* Returns spare memory for tables that holds none. */
void snl_spare_trim(SnlTree *tree);

/* Stripes of a table: of 1024 entries each, or more in very large ones. Many, so that one that was
 * fetched to be changed seldom goes to another thread before it is. */
SNL_FN int64_t snl_hash_stripe_count(int64_t capacity)
{
    return capacity < 2048 ? 1 : capacity < 1 << 20 ? capacity / 1024 : 1024;
}

/* Note number k of cells to be reset, or NULL where there was no memory for it. */
SNL_FN SnlReset *snl_reset_note(const SnlStore *notes, int64_t k)
{
    return SNL_LOAD(&notes->chunks[snl_store_chunk_of(k)]) ? (SnlReset *)snl_store_at(notes, k)
                                                           : NULL;
}

/* The address of an entry: up to SNL_HASH_ERASED there is no element. */
SNL_FN uint64_t snl_hash_address(SnlHashEntry entry)
{
    return entry & (((uint64_t)1 << SNL_ADDRESS_BITS) - 1);
}

/* The element of an entry, or NULL. */
SNL_FN char *snl_hash_element(SnlHashEntry entry)
{
    uint64_t address = snl_hash_address(entry);
    return address > SNL_HASH_ERASED ? (char *)(uintptr_t)address : NULL;
}

/* Entries of a table that are looked at together. */
#ifdef SNL_GPU
enum { SNL_HASH_STRIP = 1 };
#else
enum { SNL_HASH_STRIP = 64 };
#endif

/* Collects the elements of at most SNL_HASH_STRIP entries of a table, without a branch for each,
 * which nobody could foresee; gives their number. */
SNL_FN int snl_hash_elements(const SnlHashTable *table, int64_t begin, int64_t end, char **elements)
{
    int64_t count = 0;
    for (int64_t k = begin; k < end; k++) {
        const uint64_t address = snl_hash_address(SNL_LOAD_MEANWHILE(&table->entries[k]));
        elements[count] = (char *)(uintptr_t)address;
        count += address > SNL_HASH_ERASED;
    }
    return (int)count;
}

/* Bytes of a table. */
SNL_FN size_t snl_hash_table_bytes(int64_t capacity)
{
    return sizeof(SnlHashTable) + (size_t)snl_hash_stripe_count(capacity) * sizeof(SnlHashStripe)
           + (size_t)capacity * sizeof(SnlHashEntry);
}

/* Cells of a table, more or less while others change it; 0 for NULL. */
SNL_FN int64_t snl_hash_live(const SnlHashTable *table)
{
    int64_t live = 0;
    for (int64_t s = 0; table && s < table->stripe_count; s++)
        live += SNL_LOAD_RELAXED_MEANWHILE(&table->stripes[s].live);
    return live;
}

/* Says that activity of a node changed. */
SNL_FN void snl_node_changed(SnlNode *n)
{
    if (!SNL_LOAD_RELAXED(&n->changed))
        SNL_STORE_RELAXED(&n->changed, 1);
}

/* Cells of a node along an axis, 0 where the tree does not exist. */
SNL_FN int64_t snl_tree_extent(const SnlTree *tree, int node, int axis)
{
    return tree ? tree->nodes[node].extent[axis] : 0;
}

/* The linear number of a cell from its indices in the container, in storage order. */
SNL_FN int64_t snl_node_linear(const SnlNode *n, const int64_t *index)
{
    int64_t cell = 0;
    for (int a = 0; a < n->desc.axis_count; a++)
        cell = cell * n->desc.stored[a] + index[a];
    return cell;
}

/* The mask words of a bitmasked or pointer container. */
SNL_FN uint64_t *snl_node_mask(const SnlNode *n, void *container)
{
    return (uint64_t *)(void *)((char *)container + n->mask_offset);
}

/* The cell of a dense container. */
SNL_FN void *snl_dense_lookup(const SnlTree *tree, int node, void *container, int64_t cell)
{
    return (char *)container + cell * tree->nodes[node].desc.cell_bytes;
}

#ifdef __cplusplus
}
#endif

#include "node_bitmasked.h"
#include "../loop/mask_bits.h"
#include "node_dynamic.h"
#include "node_hash.h"
#include "node_pointer.h"

#endif
