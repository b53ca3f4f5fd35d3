/* packed_lists.c - the cells of all lists of a node, one list after the other. */
#include "packed_lists.h"

#include "../core/parallel.h"

#include <string.h>

/* What the threads share: containers are numbered in the order of memory. */
typedef struct {
    const SnlTree *tree;
    const SnlNode *node;
    const SnlListEntry *entries;        /* cells that the containers lie in, or NULL: the tree's
                                         * own */
    int64_t below;                      /* containers in each of these */
    int64_t step;                       /* bytes from one to the next in the innermost node above */
    int64_t containers;
    int64_t *bytes;                     /* by chunk of the loop: of the cells of its lists, then
                                         * where they go */
    bool *failed;                       /* by chunk: a list has cells without memory */
    char *line;
} LineUp;

/* The container of this number; *count becomes how many follow it at the same distance, with it, of
 * those before `end`. */
static char *
containers_at(const LineUp *w, int64_t number, int64_t end, int64_t *count)
{
    const int *path = w->node->path;
    int64_t rest = number % w->below, cells = w->below;
    char *at = w->entries ? w->entries[number / w->below].cell +
                                w->tree->nodes[path[0]].desc.container_offset
                          : w->tree->root[path[0]];
    *count = 1;
    for (int k = 1; k < w->node->path_length; k++) {
        const SnlNodeDesc *above = &w->tree->nodes[path[k - 1]].desc;
        cells /= above->cell_count;
        at += rest / cells * above->cell_bytes + w->tree->nodes[path[k]].desc.container_offset;
        *count = above->cell_count - rest / cells;
        rest %= cells;
    }
    if (*count > end - number)
        *count = end - number;
    return at;
}

/* Cells of a list; -1 where some have no memory. */
static int64_t
length_of(const LineUp *w, const SnlDynamic *list)
{
    const SnlNodeDesc *d = &w->node->desc;
    const SnlDynamicBlock *block = list->block;
    int64_t length = block ? block->length : 0;
    if (length > d->sizes[0])
        length = d->sizes[0];
    for (int64_t k = 0; k * d->chunk < length; k++)
        if (!block->chunks[k])
            return -1;
    return length;
}

static void
measure(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const LineUp *w = (const LineUp *)args;
    for (int64_t number = from, count; number < to; number += count) {
        char *at = containers_at(w, number, to, &count);
        for (int64_t k = 0; k < count; k++, at += w->step) {
            SnlDynamic *list = (SnlDynamic *)(void *)at;
            list->line_length = length_of(w, list);
            w->failed[chunk] |= list->line_length < 0;
            w->bytes[chunk] += list->line_length * w->node->desc.cell_bytes;
        }
    }
}

/* Copies the cells of a list; gives where the next one goes. */
static char *
copy_list(const LineUp *w, SnlDynamic *list, char *to)
{
    const int64_t bytes_of_chunk = w->node->desc.chunk * w->node->desc.cell_bytes;
    int64_t bytes = list->line_length * w->node->desc.cell_bytes;
    list->line = to;
    for (int64_t k = 0; bytes > 0; k++) {
        int64_t part = bytes < bytes_of_chunk ? bytes : bytes_of_chunk;
        memcpy(to, list->block->chunks[k], (size_t)part);
        to += part;
        bytes -= part;
    }
    return to;
}

static void
fill(void *args, int64_t chunk, int64_t from, int64_t to)
{
    const LineUp *w = (const LineUp *)args;
    char *cells = w->line + w->bytes[chunk];
    for (int64_t number = from, count; number < to; number += count) {
        char *at = containers_at(w, number, to, &count);
        for (int64_t k = 0; k < count; k++, at += w->step)
            cells = copy_list(w, (SnlDynamic *)(void *)at, cells);
    }
}

/* Gives the memory back unless a loop has it; true if there was any. */
static bool
give_back(SnlInstance *rt)
{
    if (!rt->line || rt->line->taken)
        return false;
    snl_memory_put(rt, rt->line->cells, (size_t)rt->line->bytes);
    snl_memory_put(rt, rt->line, sizeof *rt->line);
    rt->line = NULL;
    return true;
}

/* Memory of so many bytes, with some more for the next time. */
static char *
room(SnlInstance *rt, int64_t bytes)
{
    static const SnlOwner owner = {give_back, NULL};
    SnlLine *l = rt->line;
    if (!l)
        l = rt->line = (SnlLine *)snl_memory_get(rt, sizeof *l);
    if (!l)
        return NULL;
    snl_own(rt, &owner);
    l->taken = true;    /* it stays while memory is looked for */
    if (l->bytes < bytes) {
        snl_memory_put(rt, l->cells, (size_t)l->bytes);
        *l = (SnlLine){ NULL, 0, true };
        bytes += bytes / 4 + 64;
        if (snl_can_spare(rt, (double)bytes))
            l->cells = (char *)snl_memory_get(rt, (size_t)bytes);
        l->bytes = l->cells ? bytes : 0;
    }
    l->taken = l->cells != NULL;
    return l->cells;
}

/* Lengths of all lists, then their cells; false where they stay where they are. */
static bool
line_up(SnlInstance *rt, LineUp *w, int64_t chunks)
{
    int64_t all = 0;
    bool failed = false;
    snl_parallel_for_named(rt, 0, w->containers, chunks, measure, w, "line up");
    for (int64_t k = 0; k < chunks; k++) {
        int64_t bytes = w->bytes[k];
        w->bytes[k] = all;
        all += bytes;
        failed |= w->failed[k];
    }
    w->line = failed ? NULL : room(rt, all);
    if (w->line)
        snl_parallel_for_named(rt, 0, w->containers, chunks, fill, w, "line up");
    return w->line != NULL;
}

bool
snl_line_up(SnlTree *tree, int node)
{
    enum { LEAST = 64 };        /* containers for a thread */
    SnlInstance *rt = tree->rt;
    const SnlNode *n = &tree->nodes[node];
    LineUp w = { tree, n, NULL, 1, 0, 1, NULL, NULL, NULL };
    int64_t bytes[SNL_CHUNKS_MAX] = {0}, chunks;
    bool failed[SNL_CHUNKS_MAX] = {0};
    if (n->list_ancestor >= 0) {
        const SnlList *list = snl_tree_list(tree, n->list_ancestor);
        w.entries = list->entries;
        w.containers = list->count;
    }
    for (int k = 0; k + 1 < n->path_length; k++) {
        w.below *= tree->nodes[n->path[k]].desc.cell_count;
        w.step = tree->nodes[n->path[k]].desc.cell_bytes;
    }
    w.containers *= w.below;
    w.bytes = bytes;
    w.failed = failed;
    chunks = snl_chunk_count(w.containers, LEAST);
    return w.containers > 0 && !snl_failed(rt) && line_up(rt, &w, chunks);
}

void
snl_line_end(SnlInstance *rt, bool lined)
{
    if (lined)
        rt->line->taken = false;
}
