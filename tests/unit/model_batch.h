/* model_batch.h - operations on a tree that may come in any order, or all at once, and the model
 * that is left after them.
 *
 * The operations of a batch are chosen at random, but so that none undoes what another one does:
 * where a cell is deactivated, nothing is activated in it, and a list that grows by appends does
 * not grow by an index as well.  Many are the same, so that threads or lanes meet at cells. A
 * question that is asked meanwhile may have the answer of before or that of after the batch, where
 * these differ. A batch belongs to whoever makes it; batch_free releases its marks.
 */
#ifndef MODEL_BATCH_H
#define MODEL_BATCH_H

#include "runtime_model.h"

enum { BATCH_MOST = 192, BATCH_NEAR = 6 };

typedef enum {
    OP_WRITE, OP_ACTIVATE, OP_APPEND, OP_DEACTIVATE, OP_READ, OP_ASK, OP_LENGTH, OP_KINDS
} OpKind;

/* An operation; who runs it changes `seen` alone. */
typedef struct {
    int kind, node;
    int leaf;                   /* what is written or read, or -1 */
    int32_t value;              /* to be written */
    int64_t at;                 /* number of the cell */
    int64_t coord[SNL_AXES];
    int64_t offset;             /* of the leaf */
    int64_t before;             /* the answer, from the model before the batch */
    int64_t seen;               /* the answer; the index of an append */
} Op;

typedef struct {
    Op ops[BATCH_MOST];
    int count;
    uint64_t serial;            /* counts batches: their values differ */
    int weights[OP_KINDS];
    bool *needed[MODEL_NODES];  /* by cell: it is on the path of what is activated */
    bool *gone[MODEL_NODES];    /* it is deactivated */
    int *appended[MODEL_NODES]; /* by first cell of a list: how many appends; -1: it grows by an
                                   index */
} Batch;

static inline void
batch_init(Batch *b, const Model *m)
{
    memset((void *)b, 0, sizeof *b);
    for (int node = 0; node < m->desc.node_count; node++) {
        b->needed[node] = (bool *)calloc((size_t)m->cells[node], sizeof(bool));
        b->gone[node] = (bool *)calloc((size_t)m->cells[node], sizeof(bool));
        b->appended[node] = (int *)calloc((size_t)m->cells[node], sizeof(int));
    }
}

static inline void
batch_free(Batch *b)
{
    for (int node = 0; node < MODEL_NODES; node++) {
        free(b->needed[node]);
        free(b->gone[node]);
        free(b->appended[node]);
    }
}

/* ---- choosing ---- */

/* Appends to the list around a cell of a dynamic node, or -1; see Batch. */
static inline int *
batch_appended(Batch *b, const Model *m, int node, int64_t at)
{
    return &b->appended[node][model_list_cell(m, node, at, 0)];
}

/* True if the cell of a dynamic node lies behind the end of its list. */
static inline bool
is_behind(const Model *m, int node, int64_t at)
{
    int64_t coord[SNL_AXES];
    model_coord(m, node, at, coord);
    return coord[m->nodes[node].axes[0]] >= model_length(m, node, at);
}

/* True if a cell can be activated, with all above it. */
static inline bool
can_activate(Batch *b, const Model *m, int node, int64_t number)
{
    for (int n = node; n >= 0; n = m->nodes[n].parent) {
        int64_t at = model_above(m, node, number, n);
        if (b->gone[n][at])
            return false;
        if (m->nodes[n].kind == SNL_DYNAMIC && *batch_appended(b, m, n, at) > 0 &&
            is_behind(m, n, at))
            return false;
    }
    return true;
}

/* Notes that a cell is needed, with all above it. */
static inline void
need_path(Batch *b, const Model *m, int node, int64_t number)
{
    for (int n = node; n >= 0; n = m->nodes[n].parent) {
        int64_t at = model_above(m, node, number, n);
        b->needed[n][at] = true;
        if (m->nodes[n].kind == SNL_DYNAMIC && is_behind(m, n, at))
            *batch_appended(b, m, n, at) = -1;
    }
}

/* Notes one append to a list, if it may get one. */
static inline bool
choose_append(Batch *b, const Model *m, Op *op)
{
    const SnlNodeDesc *d = &m->nodes[op->node];
    int64_t first = model_list_cell(m, op->node, op->at, 0);
    int *appended = &b->appended[op->node][first];
    if (d->kind != SNL_DYNAMIC || *appended < 0 || b->gone[op->node][first] ||
        model_length(m, op->node, first) + *appended >= d->sizes[0])
        return false;
    if (d->parent >= 0) {
        int64_t above = model_above(m, op->node, first, d->parent);
        if (!can_activate(b, m, d->parent, above))
            return false;
        need_path(b, m, d->parent, above);
    }
    b->needed[op->node][first] = true;
    ++*appended;
    return true;
}

/* Notes that a cell, or the list around it, goes, if nobody needs it. */
static inline bool
choose_deactivate(Batch *b, const Model *m, const Op *op)
{
    const SnlNodeDesc *d = &m->nodes[op->node];
    int64_t cells = d->kind == SNL_DYNAMIC ? d->sizes[0] : 1;
    if (d->kind == SNL_DENSE)
        return false;
    for (int64_t k = 0; k < cells; k++)
        if (b->needed[op->node][cells > 1 ? model_list_cell(m, op->node, op->at, k) : op->at])
            return false;
    for (int64_t k = 0; k < cells; k++)
        b->gone[op->node][cells > 1 ? model_list_cell(m, op->node, op->at, k) : op->at] = true;
    return true;
}

static inline bool
choose_activate(Batch *b, const Model *m, const Op *op)
{
    if (!can_activate(b, m, op->node, op->at))
        return false;
    need_path(b, m, op->node, op->at);
    return true;
}

/* The answer to a question, as the model is now. */
static inline int64_t
op_answer(const Model *m, const Op *op)
{
    switch (op->kind) {
    case OP_READ: return m->value[op->leaf][op->at];
    case OP_ASK: return model_is_active(m, op->node, op->at);
    case OP_LENGTH: return model_length(m, op->node, op->at);
    default: return 0;
    }
}

/* Fills in an operation on a cell near `near`, or on any one; false where it would be in the way of
 * others. */
static inline bool
choose_op(Batch *b, Model *m, Op *op, int64_t near)
{
    int64_t weight = 0, cells;
    for (int kind = 0; kind < OP_KINDS; kind++)
        weight += b->weights[kind];
    weight = model_pick(m, weight);
    for (op->kind = 0; weight >= b->weights[op->kind]; op->kind++)
        weight -= b->weights[op->kind];
    op->leaf = (int)model_pick(m, m->desc.leaf_count);
    op->node = m->leaves[op->leaf].node;
    if (op->kind != OP_WRITE && op->kind != OP_READ && model_pick(m, 2))
        op->node = (int)model_pick(m, m->desc.node_count);
    if (m->leaves[op->leaf].node != op->node || op->kind == OP_ACTIVATE)
        op->leaf = -1;
    cells = m->cells[op->node];
    op->at = near >= 0 ? (near + model_pick(m, BATCH_NEAR)) % cells : model_pick(m, cells);
    model_coord(m, op->node, op->at, op->coord);
    op->offset = op->leaf < 0 ? 0 : m->leaves[op->leaf].offset;
    /* the same for all that write to an element */
    op->value = op->kind == OP_APPEND ? (int32_t)model_pick(m, 1000)
                                      : (int32_t)((b->serial * 31 + (uint64_t)op->at) % 997);
    op->before = op_answer(m, op);
    op->seen = -1;
    switch (op->kind) {
    case OP_WRITE:
    case OP_ACTIVATE: return choose_activate(b, m, op);
    case OP_APPEND: return choose_append(b, m, op);
    case OP_DEACTIVATE: return choose_deactivate(b, m, op);
    case OP_LENGTH: return m->nodes[op->node].kind == SNL_DYNAMIC;
    default: return true;
    }
}

/* Makes a batch of at most so many operations: mostly of all kinds, else nearly all of them of one.
 */
static inline void
batch_make(Batch *b, Model *m, int most)
{
    static const int usual[OP_KINDS] = { 30, 10, 15, 15, 15, 10, 5 };
    int64_t only = model_pick(m, 3) ? -1 : model_pick(m, OP_LENGTH);
    int tries = (int)(1 + model_pick(m, most));
    for (int node = 0; node < m->desc.node_count; node++) {
        memset(b->needed[node], 0, (size_t)m->cells[node] * sizeof(bool));
        memset(b->gone[node], 0, (size_t)m->cells[node] * sizeof(bool));
        memset(b->appended[node], 0, (size_t)m->cells[node] * sizeof(int));
    }
    for (int kind = 0; kind < OP_KINDS; kind++)
        b->weights[kind] = only < 0 ? usual[kind] : 1 + 60 * (kind == only);
    b->count = 0;
    b->serial++;
    for (int64_t near = 0; tries > 0; tries--) {
        if (model_pick(m, 16) == 0) /* none, half of the time */
            near = model_pick(m, 2) ? model_pick(m, m->cells[m->desc.node_count - 1]) : -1;
        b->count += choose_op(b, m, &b->ops[b->count], near);
    }
}

/* ---- running ---- */

/* Appends a cell, and writes to it. */
SNL_FN void
op_append(SnlTree *tree, Op *op)
{
    const SnlNodeDesc *d = &tree->nodes[op->node].desc;
    void *cell, *list = snl_container_at(tree, op->node, op->coord, SNL_ACTIVATE);
    op->seen = snl_dynamic_push(tree, op->node, list, d->chunk, d->cell_bytes, false, &cell);
    if (op->leaf >= 0)
        SNL_STORE_RELAXED((int32_t *)(void *)((char *)cell + op->offset), op->value);
}

/* Runs an operation, on either side. */
SNL_FN void
op_run(SnlTree *tree, Op *op)
{
    char *cell;
    switch (op->kind) {
    case OP_WRITE:
        cell = (char *)snl_cell_at(tree, op->node, op->coord, SNL_ACTIVATE);
        SNL_STORE_RELAXED((int32_t *)(void *)(cell + op->offset), op->value);
        break;
    case OP_ACTIVATE: snl_cell_at(tree, op->node, op->coord, SNL_ACTIVATE); break;
    case OP_APPEND: op_append(tree, op); break;
    case OP_DEACTIVATE: snl_cell_deactivate(tree, op->node, op->coord); break;
    case OP_READ:
        cell = (char *)snl_cell_at(tree, op->node, op->coord, SNL_READ);
        op->seen = SNL_LOAD_RELAXED((const int32_t *)(const void *)(cell + op->offset));
        break;
    case OP_ASK: op->seen = snl_cell_is_active(tree, op->node, op->coord); break;
    default:
        op->seen = snl_dynamic_length(tree, op->node,
                                      snl_container_at(tree, op->node, op->coord, SNL_READ));
        break;
    }
}

/* ---- what has become of it ---- */

/* Does to the model what an operation has done to the tree; each append got an index that was not
 * in use. */
static inline void
op_apply(Model *m, const Op *op)
{
    int64_t at = op->at;
    switch (op->kind) {
    case OP_APPEND:
        ck_assert_int_ge(op->seen, 0);
        ck_assert_int_lt(op->seen, m->nodes[op->node].sizes[0]);
        at = model_list_cell(m, op->node, op->at, op->seen);
        ck_assert(op->leaf < 0 || m->value[op->leaf][at] == m->ambient[op->leaf]);
        model_activate(m, op->node, at);
        break;
    case OP_WRITE:
    case OP_ACTIVATE: model_activate(m, op->node, at); break;
    case OP_DEACTIVATE: model_deactivate(m, op->node, at); return;
    default: return;
    }
    if (op->leaf >= 0)
        m->value[op->leaf][at] = op->value;
}

/* Each list is longer by its appends, which thus got different indices. */
static inline void
check_append(const Model *m, Batch *b, const Op *op)
{
    int64_t length = model_length(m, op->node, op->at);
    ck_assert_int_eq(length, op->before + *batch_appended(b, m, op->node, op->at));
    ck_assert_int_ge(op->seen, op->before);
}

/* An answer is that of before or after, a length one between these. */
static inline void
check_answer(const Model *m, const Op *op)
{
    int64_t after = op_answer(m, op), low = snl_smaller(op->before, after),
            high = snl_larger(op->before, after);
    if (op->kind == OP_LENGTH)
        ck_assert_msg(op->seen >= low && op->seen <= high,
                      "a length of %lld was seen, not %lld to %lld", (long long)op->seen,
                      (long long)low, (long long)high);
    else
        ck_assert_msg(op->seen == op->before || op->seen == after,
                      "%lld was seen, neither %lld nor %lld", (long long)op->seen,
                      (long long)op->before, (long long)after);
}

/* Does to the model what a batch that was run has done, and checks what was seen meanwhile. */
static inline void
batch_apply(Batch *b, Model *m)
{
    for (int k = 0; k < b->count; k++)
        if (b->ops[k].kind == OP_APPEND)
            b->ops[k].before = model_length(m, b->ops[k].node, b->ops[k].at);
    for (int k = 0; k < b->count; k++)
        op_apply(m, &b->ops[k]);
    for (int k = 0; k < b->count; k++)
        if (b->ops[k].kind == OP_APPEND)
            check_append(m, b, &b->ops[k]);
        else if (b->ops[k].kind >= OP_READ)
            check_answer(m, &b->ops[k]);
}

/* Chunks that the lists of a dynamic node take, and blocks. */
static inline int64_t
model_chunks(const Model *m, int node, int64_t *blocks)
{
    const SnlNodeDesc *d = &m->nodes[node];
    int64_t chunks = 0;
    *blocks = 0;
    for (int64_t at = 0; at < m->cells[node]; at++)
        if (at == model_list_cell(m, node, at, 0)) {
            int64_t length = model_length(m, node, at);
            *blocks += length > 0;
            chunks += (length + d->chunk - 1) / d->chunk;
        }
    return chunks;
}

/* Elements of a pool that are neither free nor recycled. */
static inline int64_t
pool_held(const SnlPool *p)
{
    return snl_pool_used(p) - p->recycled.count;
}

/* After a collection as many elements are in use as there have to be: each cell was allocated once,
 * and none is lost. */
static inline void
model_check_pools(const Model *m, const SnlTree *tree)
{
    for (int node = 0; node < m->desc.node_count; node++) {
        const SnlNode *n = &tree->nodes[node];
        int64_t blocks;
        if (m->nodes[node].kind == SNL_POINTER || m->nodes[node].kind == SNL_HASH)
            ck_assert_int_eq(pool_held(&n->cells), model_count(m, node));
        if (m->nodes[node].kind == SNL_DYNAMIC) {
            ck_assert_int_eq(pool_held(&n->cells), model_chunks(m, node, &blocks));
            ck_assert_int_eq(pool_held(&n->blocks), blocks);
        }
    }
}

/* Everything is as in the model, and nothing is lost. */
static inline void
model_check_whole(const Model *m, SnlTree *tree)
{
    model_check(m, tree);
    tree->pending = 1;
    snl_tree_gc(tree);
    model_check_pools(m, tree);
}

/* ---- how long ---- */

/* The first of the seeds, which SNL_TEST_SEED says, and the operations of one of so many runs, of
 * which SNL_TEST_OPERATIONS says how many there are in all. */
static inline uint64_t
first_seed(void)
{
    const char *text = getenv("SNL_TEST_SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

static inline int64_t
operations_of_run(int64_t usual, int runs)
{
    const char *text = getenv("SNL_TEST_OPERATIONS");
    return (text ? strtoll(text, NULL, 10) : usual) / runs;
}

#endif
