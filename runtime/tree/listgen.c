/* listgen.c - lists of active cells, level by level.
 *
 * The list of a node is made from the list of its nearest ancestor whose cells are allocated one by
 * one (pointer, hash, dynamic), or from the root. Only dense and bitmasked nodes lie between the
 * two, and they are walked. An item of work is a cell of the ancestor, or a slice of its first
 * container where there are few. One thread goes through the items once. Several threads go through
 * all of them twice, counting and filling, so the order is that in memory for any number of
 * threads. If pointer cells came and went in few containers since the last list, only the entries
 * of these containers are renewed.
 */
#include "../core/core_listgen.h"

#include <stdio.h>

#include "../program/stats.h"

/* Lists that are made by one thread: from so many cells at most, of which so many are active. */
enum { SERIAL_CELLS = 1 << 22, SERIAL_ENTRIES = 1 << 14 };

/* A thread goes through so many cells at least, active or not. */
enum { THREAD_CELLS = 1 << 14 };

/* As good as infinitely many. */
enum { MANY_CELLS = 1 << 30 };

/* How many items ahead of their use masks are fetched. */
enum { FETCH_AHEAD = 16 };

/* Has the masks of an item fetched that comes later: they lie apart, so that the cache has no other
 * hint. */
static void
fetch_item(const SnlGather *g, int64_t item, int64_t items)
{
    if (g->pointers && g->slices == 1 && item + FETCH_AHEAD < items)
        SNL_PREFETCH(snl_node_mask(&g->tree->nodes[g->path[0]],
                                   item_container(g, 1, item + FETCH_AHEAD)),
                     0, 3);
}

/* Items of work from ... to-1. */
static void
gather_items(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const SnlGather *g = (const SnlGather *)args;
    (void)chunk;
    for (int64_t item = from; item < to; item++) {
        int64_t count;
        fetch_item(g, item, to);
        count = gather_item(g, g->slices, item,
                            g->mode == SNL_FILL ? g->entries + g->counts[item] : NULL,
                            INT64_MAX, g->mode == SNL_CLEAR);
        if (g->mode == SNL_COUNT)
            g->counts[item] = count;
    }
}

/* True for nodes whose containers are gone through in parts. */
static bool
is_sliced(const SnlNode *n)
{
    return n->desc.kind <= SNL_POINTER;
}

/* Slices of the first container, so that there is work for all threads. */
static int64_t
slice_count(const SnlTree *tree, const SnlGather *g, int64_t parents)
{
    const SnlNode *first = &tree->nodes[g->path[0]];
    int64_t words = (first->desc.cell_count + 63) / 64, wanted;
    if (!is_sliced(first) || parents <= 0)
        return 1;
    wanted = (SNL_CHUNKS_MAX + parents - 1) / parents;
    return wanted < words ? wanted : words;
}

/* At most so many cells are below a cell of the ancestor, at the level that is listed. */
static int64_t
cells_below(const SnlTree *tree, const SnlGather *g)
{
    int64_t cells = 1;
    for (int k = 0; k < g->length; k++) {
        const SnlNodeDesc *d = &tree->nodes[g->path[k]].desc;
        int64_t count = d->kind == SNL_HASH ? MANY_CELLS : d->cell_count;
        cells = cells < MANY_CELLS / count ? cells * count : MANY_CELLS;
    }
    return cells;
}

/* Runs a pass over all items; a thread is not started for few cells. */
static void
gather_run(SnlGather *g, int64_t items, SnlGatherMode mode)
{
    const int64_t cells = cells_below(g->tree, g) / g->slices;
    const int64_t least = cells > 0 ? THREAD_CELLS / cells : THREAD_CELLS;
    g->mode = mode;
    snl_parallel_for(g->tree->rt, items, snl_chunk_count(items, least), gather_items, g);
}

/* Starts the listing of a node; returns the number of the ancestor's cells, 1 for the root, or -1
 * without memory for their list. */
static int64_t
gather_begin(SnlTree *tree, int node, SnlGather *g)
{
    int ancestor = tree->nodes[node].list_ancestor;
    const SnlList *list = ancestor >= 0 ? snl_tree_list(tree, ancestor) : NULL;
    gather_init(tree, node, g);
    g->parents = list ? list->entries : NULL;
    return !list ? 1 : list->stamp > 0 ? list->count : -1;
}

void
snl_list_out_of_memory(SnlTree *tree, int node, uint64_t bytes)
{
    const SnlNodeDesc *d = &tree->nodes[node].desc;
    char what[320];
    snprintf(what, sizeof what, "a list of the cells of '%.100s' in %s",
             d->label ? d->label : d->name, tree->title);
    snl_fail_memory(tree->rt, what, bytes);
}

/* Counts the entries of each item, sums them up; returns the total, or -1 without memory for the
 * counts, which the caller releases. */
static int64_t
gather_count(SnlTree *tree, SnlGather *g, int64_t items)
{
    int64_t total = 0;
    g->counts = (int64_t *)snl_memory_get(tree->rt, (size_t)items * sizeof *g->counts);
    if (!g->counts) {
        snl_list_out_of_memory(tree, g->path[g->length - 1], (uint64_t)items * sizeof *g->counts);
        return -1;
    }
    gather_run(g, items, SNL_COUNT);
    for (int64_t k = 0; k < items; k++) {
        int64_t count = g->counts[k];
        g->counts[k] = total;
        total += count;
    }
    return total;
}

bool
snl_list_room(SnlTree *tree, int node, int64_t capacity, int64_t kept)
{
    SnlInstance *rt = tree->rt;
    SnlList *list = &tree->nodes[node].list;
    if (snl_list_resize(rt, list, capacity, kept) ||
        (rt->finder(rt, NULL) && snl_list_resize(rt, list, capacity, kept)))
        return true;
    snl_list_out_of_memory(tree, node, (uint64_t)capacity * sizeof *list->entries);
    return false;
}

/* Makes the list with all threads; gives the number of entries, or -1 without memory. */
static int64_t
list_parallel(SnlTree *tree, SnlGather *g, SnlList *list, int64_t parents)
{
    int64_t items, total;
    g->slices = slice_count(tree, g, parents);
    items = parents * g->slices;
    total = gather_count(tree, g, items);
    if (total > list->capacity)
        total = snl_list_room(tree, g->path[g->length - 1], total, 0) ? total : -1;
    else if (total >= 0 && total < list->capacity / 8)
        snl_list_resize(tree->rt, list, total, 0);      /* else it stays large */
    g->entries = list->entries;
    if (total > 0)
        gather_run(g, items, SNL_FILL);
    if (total >= 0 && list->firsts && g->slices == 1)
        memcpy(list->firsts, g->counts, (size_t)items * sizeof *g->counts);
    snl_memory_put(tree->rt, g->counts, (size_t)items * sizeof *g->counts);
    return total;
}

/* What the containers of a list's parents are gone through for; see pointers_serial. */
typedef struct {
    SnlListEntry *entries;
    int64_t *firsts;            /* or NULL */
    int64_t item, parents;
    int64_t done, most;         /* entries */
} Pointers;

/* Entries that are written before their cells are looked up, and cells of the ancestor that they
 * are below at most: the slots, which lie apart, are fetched at once. */
enum { LATE_ENTRIES = 64, LATE_ITEMS = 32 };

/* Goes through items before `to` for digits of so many axes, until there are so many entries. */
static inline __attribute__((always_inline)) void
pointers_part(const SnlGather *g, Pointers *p, int axes, int64_t to, int64_t most, bool late)
{
    const SnlNode *n = &g->tree->nodes[g->path[0]];
    const SnlDigits d = g->digits;
    const int64_t offset = n->desc.container_offset, mask = offset + n->mask_offset;
    const int64_t parents = p->parents, words = n->mask_words;
    const SnlListEntry *const last = &p->entries[most];
    SnlListEntry *out = &p->entries[p->done];
    int64_t item = p->item;
    for (; item < to && out <= last; item++) {
        const SnlListEntry *parent = &g->parents[item];
        int64_t first[SNL_AXES] = {0};
        if (p->firsts)
            p->firsts[item] = out - p->entries;
        if (item + FETCH_AHEAD < parents)
            SNL_PREFETCH(parent[FETCH_AHEAD].cell + mask, 0, 3);
        SNL_UNROLL
        for (int a = 0; a < axes; a++)
            first[a] = parent->coord[d.axis[a]] * d.size[a];
        out = pointer_words(&d, axes, (char *const *)(void *)(parent->cell + offset), first,
                            (const uint64_t *)(void *)(parent->cell + mask), 0, words, late, out);
    }
    p->item = item;
    p->done = out - p->entries;
}

/* Looks the cells of entries up that have their slots; false where one is not there. */
static bool
look_up_cells(SnlListEntry *from, const SnlListEntry *to)
{
    bool all = true;
    for (; from < to; from++) {
        from->cell = *(char **)(void *)from->cell;
        all &= from->cell != NULL;
    }
    return all;
}

/* Goes through the items for digits of so many axes, which is a constant where this is called. */
static inline __attribute__((always_inline)) void
pointers_of(const SnlGather *g, Pointers *p, int axes)
{
    while (p->item < p->parents && p->done <= p->most) {
        const Pointers before = *p;
        const int64_t to = snl_smaller(p->item + LATE_ITEMS, p->parents);
        pointers_part(g, p, axes, to, snl_smaller(p->done + LATE_ENTRIES, p->most), true);
        if (look_up_cells(&p->entries[before.done], &p->entries[p->done]))
            continue;
        *p = before;
        pointers_part(g, p, axes, to, p->most, false);
    }
}

/* The same as list_serial for pointer containers right below the cells of the ancestor, as long as
 * there is room without asking; gives the item where it stopped. */
static int64_t
pointers_serial(const SnlGather *g, SnlList *list, int64_t item, int64_t parents, int64_t below,
                int64_t most, int64_t *total)
{
    Pointers p = {list->entries, list->firsts, item,
                  parents,       *total,       snl_smaller(most, list->capacity - below)};
    switch (g->digits.count) {
    case 1: pointers_of(g, &p, 1); break;
    case 2: pointers_of(g, &p, 2); break;
    case 3: pointers_of(g, &p, 3); break;
    default: pointers_of(g, &p, g->digits.count); break;
    }
    *total = p.done;
    return p.item;
}

/* Makes the list with one thread, unless it gets longer than `most`; gives the number of entries,
 * more than `most` where it stopped, or -1 without memory. */
static int64_t
list_serial(SnlTree *tree, SnlGather *g, SnlList *list, int64_t parents, int64_t most)
{
    int64_t below = cells_below(tree, g), total = 0;
    for (int64_t item = 0; item < parents && total <= most; item++) {
        if (g->pointers && g->digits.count > 0 && g->parents && list->capacity - total >= below) {
            item = pointers_serial(g, list, item, parents, below, most, &total) - 1;
            continue;
        }
        if (list->firsts)
            list->firsts[item] = total;
        if (list->capacity - total < below) {
            int64_t count = gather_item(g, 1, item, NULL, INT64_MAX, false);
            if (list->capacity - total < count
                && !snl_list_room(tree, g->path[g->length - 1], 2 * (total + count), total))
                return -1;
        }
        total += gather_item(g, 1, item, list->entries + total, INT64_MAX, false);
    }
    if (total < list->capacity / 8)
        snl_list_resize(tree->rt, list, total, total);  /* else it stays large */
    return total;
}

/* Gives a list that is made anew room for as many entries as it had and a container more, so that
 * the last ones need not be counted first; where there is no memory, they are. */
static void
list_spare(SnlInstance *rt, SnlList *list, int64_t below)
{
    if (below <= list->count && list->capacity - list->count < below)
        snl_list_resize(rt, list, list->count + list->count / 2 + below, 0);
}

/* Nothing was touched since the list of a node was made. */
static void
forget_touched(SnlTouched *touched)
{
    memset(touched->container, 0,
           (size_t)snl_smaller(touched->count, SNL_TOUCHED) * sizeof *touched->container);
    touched->count = 0;
}

/* Makes a list from the start; false without memory. */
static bool
list_make(SnlTree *tree, int node, SnlGather *g, int64_t parents)
{
    SnlNode *n = &tree->nodes[node];
    SnlList *list = &n->list;
    int64_t most = snl_threads_pay(tree->rt) ? SERIAL_ENTRIES : INT64_MAX, total = most + 1;
    list_spare(tree->rt, list, cells_below(tree, g));
    list->count = 0;
    n->touched.count = SNL_TOUCHED + 1;
    if (g->pointers && g->parents && !tree->rt->gpu)
        snl_list_firsts(tree->rt, list, parents);
    if (most == INT64_MAX || parents < SERIAL_CELLS / cells_below(tree, g))
        total = list_serial(tree, g, list, parents, most);
    if (total > most)
        total = list_parallel(tree, g, list, parents);
    if (total < 0)
        return false;
    list->count = total;
    if (list->firsts && g->slices == 1) {
        list->firsts[parents] = total;
        forget_touched(&n->touched);
    }
    return true;
}

/* A set of containers: open addressing, nearly empty, as most that are sought are not in it. */
enum { SET_SIZE = 8 * SNL_TOUCHED, SET_SIZE_LEAST = 128, SET_SPARSE = 16 };
typedef struct {
    uint64_t mask;              /* of places; its size - 1 */
    const void *container[SET_SIZE];
} ContainerSet;

/* Starts an empty set of so many containers at most. */
static void
set_begin(ContainerSet *set, int count)
{
    int size = SET_SIZE_LEAST;
    while (size < SET_SIZE && size < SET_SPARSE * count)
        size *= 2;
    set->mask = (uint64_t)size - 1;
    memset(set->container, 0, (size_t)size * sizeof *set->container);
}

/* Where a container stands in a set, or may stand. */
static const void **
set_place(ContainerSet *set, const void *container)
{
    uint64_t at = ((uint64_t)(uintptr_t)container * 0x9e3779b97f4a7c15u >> 32) & set->mask;
    while (set->container[at] && set->container[at] != container)
        at = (at + 1) & set->mask;
    return &set->container[at];
}

/* Containers that may be looked at again for a list to be renewed: so many, and a share of all, for
 * each takes several times as long as in a list that is made from the start. */
enum { RENEWED_AT_LEAST = 8, RENEWED_SHARE = 4 };

/* An item whose entries are looked up again. */
typedef struct {
    int64_t item;
    int64_t first, end;         /* its entries so far */
    int64_t shift;              /* of all entries behind it */
} Renewed;

/* The items whose containers were touched, in order; gives how many. */
static int
find_renewed(const SnlGather *g, const SnlTouched *touched, const SnlList *list, int64_t parents,
             Renewed *renewed)
{
    ContainerSet set;
    int64_t shift = 0;
    int count = 0;
    set_begin(&set, touched->count);
    for (int k = 0; k < touched->count; k++)
        *set_place(&set, touched->container[k]) = touched->container[k];
    for (int64_t item = 0; item < parents; item++) {
        int64_t first = list->firsts[item], end = list->firsts[item + 1];
        if (!*set_place(&set, item_container(g, 1, item)))
            continue;
        shift += gather_item(g, 1, item, NULL, INT64_MAX, false) - (end - first);
        renewed[count++] = (Renewed){item, first, end, shift};
    }
    return count;
}

/* Moves the entries between one that is renewed and the next to where they belong. */
static void
move_behind(SnlList *list, const Renewed *r, int64_t end)
{
    memmove(&list->entries[r->end + r->shift], &list->entries[r->end],
            (size_t)(end - r->end) * sizeof *list->entries);
}

/* Makes room for more entries of the items that are renewed, or closes up. What moves up goes last
 * to first, what moves down first to last, so that nothing is overwritten before it has moved. */
static void
make_way(SnlList *list, const Renewed *renewed, int count, int64_t parents)
{
    for (int k = count - 1; k >= 0; k--)
        if (renewed[k].shift > 0)
            move_behind(list, &renewed[k], k + 1 < count ? renewed[k + 1].first : list->count);
    for (int k = 0; k < count; k++)
        if (renewed[k].shift < 0)
            move_behind(list, &renewed[k], k + 1 < count ? renewed[k + 1].first : list->count);
    for (int k = 0; k < count; k++) {
        int64_t end = k + 1 < count ? renewed[k + 1].item : parents;
        for (int64_t item = renewed[k].item + 1; renewed[k].shift && item <= end; item++)
            list->firsts[item] += renewed[k].shift;
    }
    list->count += count > 0 ? renewed[count - 1].shift : 0;
}

/* Brings a list up to date that was right when it had that stamp, if cells came and went in few
 * containers since and the list of the ancestor is the same; false if it has to be made. */
static bool
list_renew(SnlTree *tree, int node, const SnlGather *g, int64_t stamp, int64_t parents)
{
    SnlNode *n = &tree->nodes[node];
    SnlList *list = &n->list;
    Renewed renewed[SNL_TOUCHED];
    int64_t total;
    int count;
    if (stamp <= 0 || n->touched.count > SNL_TOUCHED ||
        n->touched.count > RENEWED_AT_LEAST + parents / RENEWED_SHARE ||
        tree->nodes[n->list_ancestor].list.stamp > stamp)
        return false;
    count = find_renewed(g, &n->touched, list, parents, renewed);
    total = list->count + (count > 0 ? renewed[count - 1].shift : 0);
    if (total > list->capacity && !snl_list_resize(tree->rt, list, 2 * total, list->count))
        return false;
    forget_touched(&n->touched);
    make_way(list, renewed, count, parents);
    for (int k = 0; k < count; k++)
        gather_item(g, 1, renewed[k].item, list->entries + list->firsts[renewed[k].item], INT64_MAX,
                    false);
    return true;
}

/* Makes the list of a node anew, for changes up to a stamp, or brings it up to date. */
static const SnlList *__attribute__((noinline))
list_update(SnlTree *tree, int node, int64_t stamp)
{
    SnlList *list = &tree->nodes[node].list;
    const int64_t before = list->stamp;
    double start = snl_event_begin(tree->rt);
    SnlGather g;
    list->stamp = 0;
    int64_t parents = gather_begin(tree, node, &g);
    if (parents < 0 ||
        !(list_renew(tree, node, &g, before, parents) || list_make(tree, node, &g, parents))) {
        list->count = 0;
        return list;
    }
    list->stamp = stamp;
    const SnlNodeDesc *desc = &tree->nodes[node].desc;
    snl_event_end(tree->rt, SNL_EVENT_LIST, desc->label ? desc->label : desc->name, list->count,
                  start);
    return list;
}

const SnlList *
snl_tree_list(SnlTree *tree, int node)
{
    const SnlList *list = &tree->nodes[node].list;
    const int64_t stamp = path_stamp(tree, node);
    return list->stamp >= stamp ? list : list_update(tree, node, stamp);
}

void
snl_lists_drop(SnlTree *tree)
{
    for (int node = 0; node < tree->node_count; node++) {
        SnlList *list = &tree->nodes[node].list;
        /* 0: it may be in the making */
        if (list->stamp > 0 && list->stamp < path_stamp(tree, node))
            snl_list_free(tree->rt, list);
    }
}

/* ---- lists in iterations of a loop ----
 * A loop may go through a list, and its iterations may change what is active meanwhile. So they
 * leave the lists of the tree as they are, and make their own. */

/* Is the list of a node right as it is? */
static bool
list_is_current(const SnlTree *tree, int node)
{
    const int64_t stamp = tree->nodes[node].list.stamp;
    for (; node >= 0; node = tree->nodes[node].desc.parent)
        if (SNL_LOAD_RELAXED(&tree->nodes[node].changed) || tree->nodes[node].stamp > stamp)
            return false;
    return stamp > 0;
}

/* Writes the entries of so many items into a list with that room, or as many as fit; false without
 * memory. */
static bool
fill_own_list(const SnlGather *g, int64_t items, SnlList *own, int64_t room)
{
    const int node = g->path[g->length - 1];
    own->count = 0;
    if (!snl_list_resize(g->tree->rt, own, room, 0)) {
        snl_list_out_of_memory(g->tree, node, (uint64_t)room * sizeof *own->entries);
        return false;
    }
    for (int64_t item = 0; item < items && own->count < room; item++)
        own->count += gather_item(g, 1, item, own->entries + own->count, room - own->count, false);
    return true;
}

/* Makes a list of the cells of a node that are active now; false without memory. Other iterations
 * may activate more between the counting and the writing: a list that got full is made again, since
 * it may lack cells behind those. */
static bool
make_own_list(SnlTree *tree, int node, SnlList *own)
{
    const int ancestor = tree->nodes[node].list_ancestor;
    const SnlList *parents = ancestor < 0 ? NULL : &tree->nodes[ancestor].list;
    enum { MORE_AT_LEAST = 16, MORE_SHARE = 8 };    /* room for those that come meanwhile */
    SnlList above = {0};
    SnlGather g;
    int64_t room = 0;
    bool made;
    if (parents && !list_is_current(tree, ancestor)) {
        if (!make_own_list(tree, ancestor, &above))
            return false;
        parents = &above;
    }
    gather_init(tree, node, &g);
    g.parents = parents ? parents->entries : NULL;
    const int64_t items = parents ? parents->count : 1;
    for (int64_t item = 0; item < items; item++)
        room += gather_item(&g, 1, item, NULL, INT64_MAX, false);
    do
        room += room / MORE_SHARE + MORE_AT_LEAST;
    while ((made = fill_own_list(&g, items, own, room)) && own->count == room);
    SNL_FENCE;
    snl_list_free(tree->rt, &above);
    return made;
}

/* The cells in an iteration of a loop. */
static SnlSnapshot
snapshot_in_loop(SnlTree *tree, int node)
{
    const SnlList *list = &tree->nodes[node].list;
    SnlList own = {0};
    if (list_is_current(tree, node))
        return (SnlSnapshot){tree->rt, list->count, list->entries, 0};
    make_own_list(tree, node, &own);
    return (SnlSnapshot){tree->rt, own.count, own.entries, own.capacity};
}

SnlSnapshot
snl_snapshot(SnlTree *tree, int node)
{
    if (tree->rt->loops > 0)
        return snapshot_in_loop(tree, node);
    const SnlList *list = snl_tree_list(tree, node);
    SnlSnapshot s = {tree->rt, 0, NULL, 0};
    const size_t bytes = (size_t)list->count * sizeof *list->entries;
    if (list->count == 0)
        return s;
    s.entries = (SnlListEntry *)snl_memory_get(tree->rt, bytes);
    if (!s.entries) {
        snl_list_out_of_memory(tree, node, bytes);
        return s;
    }
    memcpy(s.entries, list->entries, bytes);
    s.count = s.capacity = list->count;
    return s;
}

void
snl_snapshot_end(SnlSnapshot *s)
{
    if (s->capacity > 0)
        snl_memory_put(s->rt, s->entries, (size_t)s->capacity * sizeof *s->entries);
}

int64_t
snl_tree_active(SnlTree *tree, int node)
{
    const SnlList *list = &tree->nodes[node].list;
    int64_t parents, items, total;
    SnlGather g;
    if (list->stamp >= path_stamp(tree, node))
        return list->count;
    parents = gather_begin(tree, node, &g);
    g.slices = slice_count(tree, &g, parents);
    items = parents * g.slices;
    if (items <= 0)
        return 0;
    total = gather_count(tree, &g, items);
    snl_memory_put(tree->rt, g.counts, (size_t)items * sizeof *g.counts);
    return total < 0 ? 0 : total;
}

void
snl_tree_deactivate_all(SnlTree *tree, int node)
{
    SnlGather g;
    int64_t parents = gather_begin(tree, node, &g);
    if (parents < 0)
        return;
    g.slices = slice_count(tree, &g, parents);
    gather_run(&g, parents * g.slices, SNL_CLEAR);
}

/* Masks that are copied. */
typedef struct {
    const SnlNode *node;
    char *root;                 /* the container, where it is at the top */
    const SnlListEntry *cells;  /* else those that the containers are in */
    uint64_t *masks;
} MaskCopies;

static void
copy_masks(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const MaskCopies *m = (const MaskCopies *)args;
    const SnlNode *n = m->node;
    (void)chunk;
    for (int64_t k = from; k < to; k++) {
        char *container = m->cells ? m->cells[k].cell + n->desc.container_offset : m->root;
        memcpy(m->masks + k * n->mask_words, snl_node_mask(n, container),
               (size_t)n->mask_words * sizeof *m->masks);
    }
}

/* Bytes of so many copies of the masks of a node. */
static size_t
mask_copies_bytes(const SnlTree *tree, int node, int64_t count)
{
    return (size_t)(count * tree->nodes[node].mask_words) * sizeof(uint64_t);
}

const uint64_t *
snl_masks_copy(SnlTree *tree, int node, const SnlList *above)
{
    enum { MASKS_LEAST = 64 };  /* of a thread */
    const int64_t count = above ? above->count : 1;
    MaskCopies m = {&tree->nodes[node], tree->root[node], above ? above->entries : NULL, NULL};
    const size_t bytes = mask_copies_bytes(tree, node, count);
    if (count == 0)
        return NULL;
    m.masks = (uint64_t *)snl_memory_get(tree->rt, bytes);
    if (m.masks)
        snl_parallel_for(tree->rt, count, snl_chunk_count(count, MASKS_LEAST), copy_masks, &m);
    else
        snl_list_out_of_memory(tree, node, bytes);
    return m.masks;
}

void
snl_masks_drop(SnlTree *tree, int node, const uint64_t *masks, int64_t count)
{
    snl_memory_put(tree->rt, (void *)(uintptr_t)masks, mask_copies_bytes(tree, node, count));
}
