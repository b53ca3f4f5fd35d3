/* tree_gpu.c - what the CPU does for trees that a GPU works on, because a GPU cannot allocate
 * memory. */
#include "../program/program.h"
#include "tree.h"

/* Bytes of spare memory for each cell, which may need a table of its own, and at least. */
enum { SPARE_CELL = 384, SPARE_LEAST = 1 << 20 };

enum { LANES_MOST = 1 << 18, RESETS_MOST = 1 << 20 };

/* The product, or INT64_MAX where it is larger. */
static int64_t
capped(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* How many cells of a node there can be. */
static int64_t
possible_cells(const SnlTree *tree, int node)
{
    int64_t count = 1;
    for (; node >= 0; node = tree->nodes[node].desc.parent)
        for (int a = 0; a < tree->nodes[node].desc.axis_count; a++)
            count = capped(count, tree->nodes[node].desc.sizes[a]);
    return count;
}

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t
snl_tree_most(const SnlTree *tree, int node)
{
    const SnlNode *n = &tree->nodes[node];
    int64_t cells = possible_cells(tree, node);
    switch (n->desc.kind) {
    case SNL_POINTER:
    case SNL_HASH: return least(cells, snl_pool_elements(&n->cells));
    case SNL_DYNAMIC: return least(cells, capped(snl_pool_elements(&n->cells), n->desc.chunk));
    default:
        return n->desc.parent < 0
                   ? cells
                   : least(cells, capped(snl_tree_most(tree, n->desc.parent), n->desc.cell_count));
    }
}

void
snl_tree_room(SnlTree *tree)
{
    if (!tree)
        return;
    for (int node = 0; node < tree->node_count; node++) {
        SnlNode *n = &tree->nodes[node];
        if (n->desc.kind == SNL_BITMASKED)
            snl_store_room(tree->rt, &n->resets, least(possible_cells(tree, node), RESETS_MOST));
    }
}

/* ---- what loops may need ---- */

/* Spare memory for tables of hash nodes below others; false without. */
static bool
make_spare(SnlTree *tree, int64_t want)
{
    SnlSpare *spare = tree->spare;
    if (spare && spare->bytes - spare->used >= want)
        return true;
    spare = (SnlSpare *)snl_memory_of_loops(tree->rt, (size_t)want, false);
    if (!spare)
        return false;
    *spare = (SnlSpare){ tree->spare, want, SNL_SPARE_HEAD, 0 };
    tree->spare = spare;
    return true;
}

/* Elements of a pool, or memory for the tables of a hash node. */
typedef struct {
    SnlTree *tree;
    int node;
    SnlPool *pool;              /* NULL: tables */
    int64_t missing;            /* elements, or bytes */
    int64_t bytes;              /* of each */
} Claim;

/* A node has so many claims at most. */
enum { CLAIMS = 2 };

/* What an element takes besides its own bytes: its places on two lists. */
enum { ELEMENT_LISTED = 24 };

/* Elements that can be taken without more memory. */
static int64_t
idle(const SnlPool *p)
{
    return p->free_count + snl_pool_elements(p) - p->fresh;
}

/* Elements that are taken besides: by lanes at once for one cell of a hash node, all but one of
 * which wait for the collector; those of other nodes have locks for that, and take one again only
 * for a cell that was deactivated in between. */
static int64_t
taken_besides(const SnlNeed *need, int node, int64_t inactive, int64_t wanted)
{
    const SnlInstance *rt = need->tree->rt;
    const int64_t lanes = rt->lanes ? rt->lanes : LANES_MOST;
    if (need->tree->nodes[node].desc.kind == SNL_HASH)
        return least(least(need->tries, LANES_MOST), capped(inactive, lanes - 1));
    return need->deactivates && need->tries > wanted ? least(need->tries - wanted, LANES_MOST) : 0;
}

/* A claim on elements: as many as there may be cells, or lists or chunks of them, that are not
 * active, but no more than are activated; and those that are taken besides. */
static Claim
pool_claim(const SnlNeed *need, int node, SnlPool *p, int64_t cells, int64_t activations)
{
    int64_t inactive, wanted, more;
    inactive = need->deactivates ? cells : cells - (snl_pool_used(p) - p->recycled.count - p->lost);
    wanted = least(inactive, activations);
    more = wanted > 0 ? taken_besides(need, node, inactive, wanted) : 0;
    wanted = wanted > INT64_MAX - more ? INT64_MAX : wanted + more;
    return (Claim){need->tree, node, p, wanted > idle(p) ? wanted - idle(p) : 0,
                   p->element_bytes + ELEMENT_LISTED};
}

/* True where there is room for so many cells more in the table of a hash node at the top. */
static bool
has_room(const SnlHash *map, int64_t more)
{
    int64_t used = 0;
    for (int64_t s = 0; map->table && s < map->table->stripe_count; s++)
        used += map->table->stripes[s].used;
    return map->table && more <= map->table->capacity / 2 - used;
}

/* A claim on memory for the tables of a hash node, of which there may be one in each cell of its
 * parent. */
static Claim
table_claim(const SnlNeed *need, int node, int64_t cells)
{
    SnlTree *tree = need->tree;
    int64_t bytes = capped(cells, SPARE_CELL), most = INT64_MAX - SPARE_LEAST;
    bool there = tree->nodes[node].desc.parent < 0
                 ? has_room((const SnlHash *)(const void *)tree->root[node], cells)
                 : tree->spare && tree->spare->bytes - tree->spare->used >= bytes;
    return (Claim){ tree, node, NULL, there ? 0 : SPARE_LEAST + least(bytes, most), 1 };
}

/* The claims of a node; gives how many. */
static int
claims_of(const SnlNeed *need, int node, Claim *claims)
{
    SnlTree *tree = need->tree;
    SnlNode *n = &tree->nodes[node];
    int64_t cells = possible_cells(tree, node), chunks, lists;
    int count = 0;
    switch (n->desc.kind) {
    case SNL_DENSE:
    case SNL_BITMASKED: return 0;
    case SNL_DYNAMIC:
        lists = cells / n->desc.sizes[0];
        chunks = (n->desc.sizes[0] + n->desc.chunk - 1) / n->desc.chunk;
        claims[count++] = pool_claim(need, node, &n->blocks, lists, need->activations);
        claims[count++] = pool_claim(need, node, &n->cells, capped(lists, chunks),
                                     capped(need->activations, chunks));
        return count;
    case SNL_HASH:
        claims[count++] = table_claim(need, node, least(cells, need->activations));
        break;
    default: break;
    }
    claims[count++] = pool_claim(need, node, &n->cells, cells, need->activations);
    return count;
}

/* Bytes that tables get of the memory at a level; false if that is hardly any. */
static bool
make_tables(const Claim *c, int64_t level)
{
    SnlNode *n = &c->tree->nodes[c->node];
    bool made = false;
    for (int64_t want = least(c->missing, level); !made && want > SPARE_CELL; want /= 2)
        made = n->desc.parent < 0
                   ? snl_hash_make_room(c->tree, c->node, (SnlHash *)(void *)c->tree->root[c->node],
                                        want / SPARE_CELL)
                   : make_spare(c->tree, want);
    return made;
}

/* Makes what is claimed, up to so many bytes; false if there is hardly any. */
static bool
meet_claim(const Claim *c, int64_t level)
{
    int64_t count = least(c->missing, level / c->bytes + 1);
    if (c->missing == 0)
        return true;
    if (!c->pool)
        return make_tables(c, level);
    snl_pool_reserve(c->tree->rt, c->pool, idle(c->pool) + count);
    return idle(c->pool) > 0;
}

/* The sum of all claims where none counts for more than so many bytes. */
static int64_t
sum_claims(const SnlNeed *needs, int count, int64_t level)
{
    int64_t sum = 0;
    for (int k = 0; k < count; k++)
        for (int node = 0; needs[k].tree && node < needs[k].tree->node_count; node++) {
            Claim claims[CLAIMS];
            for (int c = claims_of(&needs[k], node, claims) - 1; c >= 0; c--) {
                int64_t bytes = least(capped(claims[c].missing, claims[c].bytes), level);
                sum = sum > INT64_MAX - bytes ? INT64_MAX : sum + bytes;
            }
        }
    return sum;
}

/* What pools and tables may take of the memory that is left: a part stays for lists and what else
 * loops need. */
static int64_t
affordable(const SnlInstance *rt)
{
    uint64_t limit = rt->machine_bytes ? rt->machine_bytes : (uint64_t)1 << 36;
    if (rt->memory_limit && (rt->memory_limit < limit || !rt->machine_bytes))
        limit = rt->memory_limit;
    return limit > rt->bytes_used ? (int64_t)((limit - rt->bytes_used) / 4 * 3) : 0;
}

/* How many bytes each claim can have: small ones are met as a whole, large ones share what is
 * left. */
static int64_t
find_level(const SnlNeed *needs, int count, int64_t most)
{
    int64_t low = 0, high = most;
    if (sum_claims(needs, count, INT64_MAX) <= most)
        return INT64_MAX;
    while (high - low > high / 64) {
        int64_t middle = low + (high - low) / 2;
        if (sum_claims(needs, count, middle) <= most)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Has what lanes took in vain collected. */
static void
collect_idle(SnlTree *tree)
{
    for (int node = 0; node < tree->node_count; node++)
        if (tree->nodes[node].cells.recycled.count || tree->nodes[node].blocks.recycled.count)
            tree->pending = 1;
    snl_tree_gc(tree);
}

/* Bytes that trees which need nothing now could give back, besides those claims are met from. */
static int64_t
idle_bytes(const SnlInstance *rt, const SnlNeed *needs, int count)
{
    int64_t sum = 0;
    for (int t = 0; rt->program && t < rt->program->layout_count; t++) {
        const SnlTree *tree = rt->trees[t];
        for (int k = 0; tree && k < count; k++)
            if (needs[k].tree == tree)
                tree = NULL;
        for (int node = 0; tree && node < tree->node_count; node++) {
            const SnlNode *n = &tree->nodes[node];
            sum += idle(&n->cells) * n->cells.element_bytes +
                   idle(&n->blocks) * n->blocks.element_bytes;
        }
    }
    return sum;
}

/* Makes what is needed; false if something has hardly any, or could have more of what other trees
 * do not use. */
static bool
meet_needs(SnlInstance *rt, const SnlNeed *needs, int count)
{
    int64_t most = affordable(rt), level = find_level(needs, count, most);
    bool made = level == INT64_MAX ||
                sum_claims(needs, count, INT64_MAX) > most + idle_bytes(rt, needs, count) / 4 * 3;
    for (int k = 0; k < count; k++)
        for (int node = 0; needs[k].tree && node < needs[k].tree->node_count; node++) {
            Claim claims[CLAIMS];
            for (int c = claims_of(&needs[k], node, claims) - 1; c >= 0; c--)
                made = meet_claim(&claims[c], level) && made;
        }
    return made;
}

void
snl_trees_prepare(SnlInstance *rt, const SnlNeed *needs, int count)
{
    for (int k = 0; k < count; k++)
        if (needs[k].tree) {
            snl_hash_tables_drop(needs[k].tree);
            collect_idle(needs[k].tree);
        }
    if (!meet_needs(rt, needs, count) && snl_find_memory(rt, NULL))
        meet_needs(rt, needs, count);
    for (int k = 0; k < count; k++)
        snl_tree_room(needs[k].tree);
}
