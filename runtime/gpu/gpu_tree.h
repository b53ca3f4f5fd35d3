/* gpu_tree.h - lists of active cells, deactivate_all and collections on the GPU.
 *
 * Included by gpu.h. All of it is queued: the CPU waits only where memory has to be made. The code
 * for an item of work is that of the CPU (core_listgen.h, core_gc.h).
 *
 * A list is made in four steps. One lane looks whether activity has changed, the lanes count the
 * cells of their parts, a block sums the counts up, and the lanes fill. The order is that of memory
 * for any number of lanes. Cells of a hash node are sorted after that. The CPU does not know what
 * is active. SnlGpu.version changes whenever activity may have changed, and a list that was queued
 * under the same version is not queued again. Functions that queue are templates, so that programs
 * that do not call them have none of their code for the GPU.
 */
#ifndef SNL_GPU_GPU_TREE_H
#define SNL_GPU_GPU_TREE_H

/* Lanes that go through a tree at most, and of a block. */
enum { SNL_TREE_LANES = 1 << 16, SNL_TREE_BLOCK = 256 };

/* Runs step.run(lane, lanes) on blocks of SNL_TREE_BLOCK lanes. */
template <typename Step>
struct SnlGpuStep {
    enum { THREADS = SNL_TREE_BLOCK };
    Step step;
    int64_t iterations;
    int64_t blocks() const { return (iterations + THREADS - 1) / THREADS; }
    SNL_ON_GPU void operator()()
    {
        step.run(snl_lane_block() * THREADS + snl_lane_thread(), snl_lane_blocks() * THREADS);
    }
};

template <typename Step>
static inline void snl_gpu_step(SnlInstance *rt, int64_t lanes, const Step &step)
{
    snl_gpu_run(rt, SnlGpuStep<Step>{step, lanes < SNL_TREE_LANES ? lanes : SNL_TREE_LANES});
}

/* ---- lists ---- */

/* What the steps of a list tell each other; the entries that hash nodes are sorted in follow. */
typedef struct {
    int64_t needed;             /* the list has to be made */
    int64_t stamp, slices, items;
    int64_t total;              /* entries, which may be more than there is room for */
    int64_t sums[SNL_TREE_BLOCK];
    int64_t counts[SNL_TREE_LANES];
} SnlListWork;

/* How many slices the first container can be cut into; a hash node may have any number of cells. */
SNL_FN int64_t snl_gather_units(const SnlGather *g)
{
    const int64_t cells = g->tree->nodes[g->path[0]].desc.cell_count;
    return cells / g->unit + (cells % g->unit != 0);
}

/* The list of a node and how it is made; a step of its own for each of the functions. */
struct SnlListMaking {
    SnlGather g;
    int node;
    int64_t lanes;              /* that count and fill */
    SnlListWork *work;

    SNL_ON_GPU SnlList *list() const { return &g.tree->nodes[node].list; }

    /* The number of items, and slices of the first container. */
    SNL_ON_GPU int64_t share_out(bool clear, int64_t *slices) const
    {
        const SnlNode *first = &g.tree->nodes[g.path[0]];
        int above = g.tree->nodes[node].list_ancestor;
        int64_t units = snl_gather_units(&g);
        int64_t parents = above < 0 ? 1 : g.tree->nodes[above].list.count;
        *slices = parents ? (lanes + parents - 1) / parents : 1;
        if (first->desc.kind != SNL_HASH && *slices > units)
            *slices = units;
        if (clear && first->desc.kind > SNL_POINTER)
            *slices = 1;
        return parents * *slices;
    }

    SNL_ON_GPU void begin() const
    {
        work->stamp = path_stamp(g.tree, node);
        work->needed = list()->stamp < work->stamp;
        if (!work->needed)
            return;
        list()->count = list()->stamp = 0;
        work->items = share_out(false, &work->slices);
    }

    /* What a lane counts or fills. */
    SNL_ON_GPU void part(int64_t lane, int64_t *from, int64_t *to) const
    {
        *from = snl_chunk_start(work->items, lanes, lane);
        *to = snl_chunk_start(work->items, lanes, lane + 1);
    }

    SNL_ON_GPU void count(int64_t lane) const
    {
        int64_t from, to, sum = 0;
        if (!work->needed || lane >= lanes)
            return;
        for (part(lane, &from, &to); from < to; from++)
            sum += gather_item(&g, work->slices, from, NULL, INT64_MAX, false);
        work->counts[lane] = sum;
    }

    /* By one block. */
    SNL_ON_GPU void sum_up(int lane) const
    {
        int64_t from = snl_chunk_start(lanes, SNL_TREE_BLOCK, lane), before = 0, sum = 0;
        int64_t to = snl_chunk_start(lanes, SNL_TREE_BLOCK, lane + 1);
        if (!work->needed)
            return;
        for (int64_t k = from; k < to; k++)
            sum += work->counts[k];
        work->sums[lane] = sum;
        snl_lane_barrier();
        for (int k = 0; k < lane; k++)
            before += work->sums[k];
        for (int64_t k = from; k < to; k++) {
            int64_t count = work->counts[k];
            work->counts[k] = before;
            before += count;
        }
        if (lane == SNL_TREE_BLOCK - 1)
            end(before);
    }

    SNL_ON_GPU void end(int64_t total) const
    {
        work->total = total;
        if (total > list()->capacity) {
            work->needed = 0;
            return;
        }
        list()->count = total;
        list()->stamp = work->stamp;
    }

    SNL_ON_GPU void fill(int64_t lane) const
    {
        int64_t from, to;
        SnlListEntry *out;
        if (!work->needed || lane >= lanes)
            return;
        out = list()->entries + work->counts[lane];
        for (part(lane, &from, &to); from < to; from++)
            out += gather_item(&g, work->slices, from, out, INT64_MAX, false);
    }
};

struct SnlListBegin {
    SnlListMaking m;
    SNL_ON_GPU void run(int64_t lane, int64_t)
    {
        if (lane == 0)
            m.begin();
    }
};

struct SnlListCount {
    SnlListMaking m;
    SNL_ON_GPU void run(int64_t lane, int64_t) { m.count(lane); }
};

struct SnlListSum {
    SnlListMaking m;
    SNL_ON_GPU void run(int64_t lane, int64_t) { m.sum_up((int)lane); }
};

struct SnlListFill {
    SnlListMaking m;
    SNL_ON_GPU void run(int64_t lane, int64_t) { m.fill(lane); }
};

/* ---- sorting the cells of hash nodes ---- */

/* The order of two cells of a node in memory: less than 0, or more. Of the nodes on the path the
 * topmost decides whose indices differ. */
SNL_ON_GPU static inline int64_t
order_cells(const SnlTree *tree, int node, const int64_t *a, const int64_t *b)
{
    int64_t left[SNL_AXES], right[SNL_AXES], order = 0;
    snl_coord_copy(left, a);
    snl_coord_copy(right, b);
    for (; node >= 0; node = tree->nodes[node].desc.parent) {
        const SnlNodeDesc *d = &tree->nodes[node].desc;
        int64_t here = 0;
        for (int k = 0; k < d->axis_count; k++) {
            int64_t l = axis_get(left, d->axes[k]), r = axis_get(right, d->axes[k]);
            here = here ? here : l % d->sizes[k] - r % d->sizes[k];
            axis_set(left, d->axes[k], l / d->sizes[k]);
            axis_set(right, d->axes[k], r / d->sizes[k]);
        }
        order = here ? here : order;
    }
    return order;
}

/* Sorting by merging runs, first of a block of lanes, from one array to another and back. */
struct SnlListSort {
    SnlListMaking m;
    SnlListEntry *from, *to;
    int64_t run_length;         /* SNL_TREE_BLOCK / 2: none are sorted yet */

    /* How many of a run stand before an entry. */
    SNL_ON_GPU int64_t before(const SnlListEntry *e, int64_t start, int64_t end) const
    {
        int64_t low = start;
        while (low < end) {
            int64_t middle = low + (end - low) / 2;
            if (order_cells(m.g.tree, m.node, from[middle].coord, e->coord) < 0)
                low = middle + 1;
            else
                end = middle;
        }
        return low - start;
    }

    /* The same of entries in any order. */
    SNL_ON_GPU int64_t smaller(const SnlListEntry *e, int64_t start, int64_t end) const
    {
        int64_t count = 0;
        for (int64_t k = start; k < end; k++)
            count += order_cells(m.g.tree, m.node, from[k].coord, e->coord) < 0;
        return count;
    }

    SNL_ON_GPU void run(int64_t lane, int64_t lanes)
    {
        int64_t count = m.list()->count, length = 2 * run_length;
        if (!m.work->needed || (run_length >= SNL_TREE_BLOCK && run_length >= count))
            return;
        for (int64_t k = lane; k < count; k += lanes) {
            int64_t start = k / length * length, middle = start + run_length, end = start + length,
                    at;
            end = end < count ? end : count;
            middle = middle < count ? middle : count;
            if (run_length < SNL_TREE_BLOCK)
                at = smaller(&from[k], start, end);
            else if (k < middle)
                at = k - start + before(&from[k], middle, end);
            else
                at = k - middle + before(&from[k], start, middle);
            to[start + at] = from[k];
        }
    }
};

/* The sorted entries into the list, where an odd number of passes left them in the other array. */
struct SnlListSorted {
    SnlListMaking m;
    SnlListEntry *to;
    const SnlListEntry *from;
    SNL_ON_GPU void run(int64_t lane, int64_t lanes)
    {
        int64_t count = m.list()->count, passes = 1;
        for (int64_t length = SNL_TREE_BLOCK; length < count; length *= 2)
            passes++;
        for (int64_t k = lane; m.work->needed && passes % 2 && k < count; k += lanes)
            to[k] = from[k];
    }
};

template <typename List>
static inline void snl_gpu_sort(SnlInstance *rt, const SnlListMaking &m, List *list, int64_t most)
{
    SnlListEntry *from = list->entries, *to = (SnlListEntry *)(void *)(m.work + 1);
    for (int64_t length = SNL_TREE_BLOCK / 2; length == SNL_TREE_BLOCK / 2 || length < most;
         length *= 2) {
        SnlListEntry *kept = from;
        snl_gpu_step(rt, most, SnlListSort{m, from, to, length});
        from = to;
        to = kept;
    }
    snl_gpu_step(rt, most, SnlListSorted{m, list->entries, (SnlListEntry *)(void *)(m.work + 1)});
}

/* ---- making lists ---- */

template <typename Tree>
static inline void snl_gpu_list(SnlInstance *rt, Tree *tree, int node);

/* Gives the list of a node the memory to make it; where that is short, what is free in pools may
 * do. False without. */
static inline bool snl_gpu_list_work(SnlInstance *rt, SnlTree *tree, int node, size_t bytes)
{
    SnlList *list = &tree->nodes[node].list;
    if (list->work_bytes >= bytes)
        return true;
    snl_gpu_wait(rt);
    snl_memory_put(rt, list->work, list->work_bytes);
    list->work = snl_memory_of_loops(rt, bytes, true);
    if (!list->work && snl_find_memory(rt, NULL))
        list->work = snl_memory_of_loops(rt, bytes, true);
    list->work_bytes = list->work ? bytes : 0;
    if (!list->work)
        snl_list_out_of_memory(tree, node, bytes);
    return list->work != NULL;
}

/* Gives the list of a node room for entries, and the memory to make it; false without. */
static inline bool snl_gpu_list_room(SnlInstance *rt, SnlTree *tree, int node, int64_t most)
{
    SnlList *list = &tree->nodes[node].list;
    size_t bytes = sizeof(SnlListWork);
    if (list->capacity < most) {
        snl_gpu_wait(rt);
        if (!snl_list_room(tree, node, most, 0))
            return false;
        list->count = list->stamp = 0;
    }
    if (tree->nodes[node].desc.kind == SNL_HASH)
        bytes += (size_t)list->capacity * sizeof *list->entries;
    return snl_gpu_list_work(rt, tree, node, bytes);
}

/* What the steps work on; lists of the nodes above are queued. */
template <typename Tree>
static inline SnlListMaking snl_gpu_making(SnlInstance *rt, Tree *tree, int node)
{
    const SnlNode *n = &tree->nodes[node];
    int above = n->list_ancestor;
    SnlListMaking m;
    int64_t parents = 1, units;
    if (above >= 0) {
        snl_gpu_list(rt, tree, above);
        parents = snl_gpu_peek(rt->gpu, &tree->nodes[above].list.count, snl_tree_most(tree, above));
    }
    gather_init(tree, node, &m.g);
    m.g.parents = above >= 0 ? tree->nodes[above].list.entries : NULL;
    m.node = node;
    if (n->path_length > 1)     /* each cell of the first has containers of its own */
        m.g.unit = 1;
    units = tree->nodes[n->path[0]].desc.kind == SNL_HASH ? 64 : snl_gather_units(&m.g);
    m.lanes = parents < SNL_TREE_LANES / units ? parents * units : SNL_TREE_LANES;
    if (m.lanes < 1)
        m.lanes = 1;
    m.work = (SnlListWork *)n->list.work;
    return m;
}

/* Queues the steps that make a list of so many cells at most. */
template <typename Tree>
static inline void snl_gpu_make_list(SnlInstance *rt, Tree *tree, int node, int64_t most)
{
    SnlList *list = &tree->nodes[node].list;
    SnlListMaking m = snl_gpu_making(rt, tree, node);
    snl_gpu_step(rt, 1, SnlListBegin{m});
    snl_gpu_step(rt, m.lanes, SnlListCount{m});
    snl_gpu_step(rt, SNL_TREE_BLOCK, SnlListSum{m});
    snl_gpu_step(rt, m.lanes, SnlListFill{m});
    if (tree->nodes[node].desc.kind == SNL_HASH)
        snl_gpu_sort(rt, m, list, snl_gpu_peek(rt->gpu, &list->count, most));
}

/* Has a list brought up to date, before the loops that are queued next. */
template <typename Tree>
static inline void snl_gpu_list(SnlInstance *rt, Tree *tree, int node)
{
    SnlGpu *gpu = rt->gpu;
    SnlNode *n = &tree->nodes[node];
    SnlList *list = &n->list;
    int64_t *queued_at = &tree->known[node].queued_at, most;
    if (snl_failed(rt) || (gpu->busy && *queued_at == gpu->version))
        return;
    if (!gpu->busy && list->stamp >= path_stamp(tree, node)) {
        *queued_at = gpu->version;
        return;
    }
    if (n->list_ancestor >= 0)
        snl_gpu_list(rt, tree, n->list_ancestor);
    if (snl_failed(rt))         /* there is no memory for that list */
        return;
    most = snl_tree_most(tree, node);
    if (!snl_gpu_list_room(rt, tree, node, snl_smaller(most, snl_gpu_entries())))
        return;
    snl_gpu_make_list(rt, tree, node, most);
    if (list->capacity < most) {        /* they may have been too many */
        int64_t total;
        snl_gpu_wait(rt);
        total = ((const SnlListWork *)list->work)->total;
        if (!snl_failed(rt) && total > list->capacity
            && snl_gpu_list_room(rt, tree, node, total + total / 4))
            snl_gpu_make_list(rt, tree, node, most);
    }
    *queued_at = gpu->version;
}

/* Runs a part of a loop on each lane of blocks of N; how many iterations there are, the GPU
 * knows. */
template <SnlGpuLoop loop, SnlGpuWork WORK, int N, int LANES, typename Args>
struct SnlGpuForList {
    enum { THREADS = N };
    Args args;
    const SnlList *list;
    int64_t below;              /* iterations of an entry */
    int64_t most;
    int64_t blocks() const { return snl_gpu_blocks(WORK, N, LANES, most); }
    SNL_ON_GPU void operator()()
    {
        int64_t block = snl_lane_block(), iterations = list->count * below;
        int64_t blocks = snl_gpu_blocks(WORK, N, LANES, iterations);
        if (block >= blocks)
            return;
        snl_gpu_part<loop, WORK, N>(&args, block, blocks, iterations);
    }
};

/* Starts a loop over a list that was brought up to date, without waiting for it. */
template <SnlGpuLoop loop, SnlGpuWork WORK, int N, int LANES, typename Args>
static inline void snl_gpu_for_list(SnlInstance *rt, const SnlTree *tree, int node, int64_t below,
                                    const Args &args)
{
    const SnlList *list = &tree->nodes[node].list;
    if (!rt->gpu->busy) {       /* its length is known */
        snl_gpu_for<loop, WORK, N, LANES>(rt, list->count * below, args);
        return;
    }
    int64_t most = snl_gpu_peek(rt->gpu, &list->count, snl_tree_most(tree, node));
    most = most < ((int64_t)1 << 40) / below ? most * below : (int64_t)1 << 40;
    snl_gpu_run(rt, SnlGpuForList<loop, WORK, N, LANES, Args>{args, list, below, most});
}

/* Places for cells in the chunks of a list at the top: the CPU waits to count them where they may
 * have changed since it did. */
static inline int64_t snl_gpu_places(SnlInstance *rt, SnlTree *tree, int node, int64_t chunk)
{
    SnlKnown *known = &tree->known[node];
    if (!rt->gpu->busy || known->chunks_at != rt->gpu->version) {
        if (rt->gpu->busy)
            snl_gpu_wait(rt);
        known->chunks_at = rt->gpu->version;
        known->chunks = snl_dynamic_chunks(tree, node, chunk);
    }
    return known->chunks * chunk;
}

/* Before a loop that may deactivate: makes the memory to collect. */
static inline void snl_gpu_room(SnlInstance *rt, SnlTree *tree)
{
    rt->gpu->version++;
    snl_tree_room(tree);
}

/* ---- deactivate_all ---- */

struct SnlClear {
    SnlListMaking m;
    SNL_ON_GPU void run(int64_t lane, int64_t lanes)
    {
        int64_t slices, items = m.share_out(true, &slices);
        for (int64_t item = lane; item < items; item += lanes)
            gather_item(&m.g, slices, item, NULL, INT64_MAX, true);
    }
};

template <typename Tree>
static inline void snl_gpu_deactivate_all(SnlInstance *rt, Tree *tree, int node)
{
    SnlListMaking m;
    if (snl_failed(rt))
        return;
    snl_gpu_room(rt, tree);
    m = snl_gpu_making(rt, tree, node);
    snl_gpu_step(rt, m.lanes, SnlClear{m});
    rt->gpu->version++;
}

/* ---- collections ---- */

/* Each of the three stages of a pool is a step. */
struct SnlGcBegin {
    SnlTree *tree;
    SNL_ON_GPU void run(int64_t lane, int64_t)
    {
        if (lane == 0 && (tree->pending || tree->collecting)) {     /* no page wanders in vain */
            tree->collecting = tree->pending;
            tree->pending = 0;
        }
    }
};

/* By one block: what is free moves together, room for what is recycled. */
struct SnlGcRoom {
    SnlTree *tree;
    SnlPool *pool;
    SNL_ON_GPU void run(int64_t lane, int64_t)
    {
        if (!tree->collecting)
            return;
        return_runs(pool, (int)lane, SNL_TREE_BLOCK);
        if (lane != 0)
            return;
        pool->collected = pool->recycled.count ? pool_make_room(tree->rt, pool) : 0;
        pool->rewinds = pool->collected > 0 && can_rewind(pool, pool->collected);
    }
};

/* Recycled elements are reset where something hangs below them, and go to the free list. */
struct SnlGcMove {
    SnlTree *tree;
    int node;
    SnlPool *pool;
    bool cells, blocks;         /* to be reset */
    SNL_ON_GPU void run(int64_t lane, int64_t lanes)
    {
        if (!tree->collecting)
            return;
        for (int64_t k = lane; k < pool->collected; k += lanes) {
            if (cells)
                reset_element_of(tree, node, snl_store_pointer(&pool->recycled, k));
            if (blocks)
                reset_block(tree, node, snl_store_pointer(&pool->recycled, k));
            if (!pool->rewinds && pool->free_count > 0)
                move_recycled(pool, k, k + 1);
        }
    }
};

struct SnlGcEnd {
    SnlTree *tree;
    SnlPool *pool;
    SNL_ON_GPU void run(int64_t lane, int64_t)
    {
        if (lane != 0 || !tree->collecting)
            return;
        if (pool->collected > 0)
            pool_adopt(pool, pool->collected, pool->rewinds);
        else if (pool->collected < 0)
            set_pending(tree);
    }
};

/* Bitmasked cells that lanes may have written after they were deactivated. */
struct SnlGcMasked {
    SnlTree *tree;
    int node;
    SNL_ON_GPU void run(int64_t lane, int64_t lanes)
    {
        int64_t count = tree->collecting ? tree->nodes[node].resets.count : 0;
        for (int64_t k = lane; k < count; k += lanes)
            reset_masked(tree, node, k);
    }
};

struct SnlGcMaskedEnd {
    SnlTree *tree;
    int node;
    SNL_ON_GPU void run(int64_t lane, int64_t)
    {
        if (lane == 0 && tree->collecting)
            tree->nodes[node].resets.count = 0;
    }
};

template <typename Tree>
static inline void snl_gpu_collect(SnlInstance *rt, Tree *tree, int node, SnlPool *pool, bool cells,
                                   bool blocks)
{
    int64_t most = snl_gpu_peek(rt->gpu, &pool->recycled.count, snl_pool_elements(pool));
    snl_gpu_step(rt, SNL_TREE_BLOCK, SnlGcRoom{tree, pool});
    snl_gpu_step(rt, most, SnlGcMove{tree, node, pool, cells, blocks});
    snl_gpu_step(rt, 1, SnlGcEnd{tree, pool});
}

/* Recycles what was deactivated; parents come before their children, because resetting a cell
 * recycles what hangs below it. Tables that were put aside wait for the CPU. */
template <typename Tree>
static inline void snl_gpu_gc(SnlInstance *rt, Tree *tree)
{
    if (snl_failed(rt) || (!rt->gpu->busy && !tree->pending))
        return;
    snl_tree_room(tree);
    snl_gpu_step(rt, 1, SnlGcBegin{tree});
    for (int node = 0; node < tree->node_count; node++) {
        SnlNode *n = &tree->nodes[node];
        switch (n->desc.kind) {
        case SNL_BITMASKED:
            snl_gpu_step(rt, snl_gpu_peek(rt->gpu, &n->resets.count, SNL_TREE_LANES),
                         SnlGcMasked{tree, node});
            snl_gpu_step(rt, 1, SnlGcMaskedEnd{tree, node});
            break;
        case SNL_POINTER:
        case SNL_HASH: snl_gpu_collect(rt, tree, node, &n->cells, !n->flat, false); break;
        case SNL_DYNAMIC:
            snl_gpu_collect(rt, tree, node, &n->blocks, false, true);
            snl_gpu_collect(rt, tree, node, &n->cells, false, false);
            break;
        default: break;
        }
    }
    rt->gpu->version++;         /* emptying what hung below a cell counts as a change */
}

/* ---- before a loop that activates ---- */

/* Elements that wait for the collector, as those do that several lanes took for one place. */
static inline bool snl_gpu_has_recycled(const SnlTree *tree)
{
    for (int node = 0; node < tree->node_count; node++)
        if (tree->nodes[node].cells.recycled.count || tree->nodes[node].blocks.recycled.count)
            return true;
    return false;
}

/* Makes the memory that a loop may need, before it starts. What waits for the collector is
 * collected on the GPU: there it lies. */
template <typename Need>
static inline void snl_gpu_prepare(SnlInstance *rt, const Need *needs, int count)
{
    snl_gpu_wait(rt);
    for (int k = 0; k < count; k++)
        if (needs[k].tree && snl_gpu_has_recycled(needs[k].tree)) {
            needs[k].tree->pending = 1;
            snl_gpu_gc(rt, needs[k].tree);
        }
    snl_gpu_wait(rt);
    snl_trees_prepare(rt, needs, count);
}

#endif
