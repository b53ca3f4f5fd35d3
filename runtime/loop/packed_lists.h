/* packed_lists.h - the cells of all lists of a node in one array: one list after the other, in the
 * order of memory of the lists.
 *
 * A loop that reads many lists again and again, and changes none, runs with such a copy. Its cells
 * lie side by side, and no chunk has to be looked for. The containers of the lists say where their
 * cells lie in the copy. The copy belongs to the instance, is useful but not needed, and is good
 * until the next one is made.
 *
 * SnlRuns collects the cells that a loop is going to read of several lists. Cells that lie side by
 * side are one run.
 */
#ifndef SNL_LOOP_PACKED_LISTS_H
#define SNL_LOOP_PACKED_LISTS_H

#include "../tree/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The memory of an instance for it. */
typedef struct SnlLine {
    char *cells;
    int64_t bytes;
    bool taken;                 /* by the loop that runs */
} SnlLine;

/* Copies the cells of all lists of a dynamic node, above which there are dense nodes only, at least
 * up to the nearest whose cells have memory of their own. False where the lists are to be read
 * where they are: there is no memory to spare. */
bool snl_line_up(SnlTree *tree, int node);

/* Ends the loop that had them; `lined`: what snl_line_up said. */
void snl_line_end(SnlInstance *rt, bool lined);

/* Number of cells of a list; `lined`: what snl_line_up said. */
SNL_FN int64_t snl_line_length(const SnlTree *tree, int node, void *container, bool lined)
{
    return lined ? ((const SnlDynamic *)container)->line_length
                 : snl_dynamic_length(tree, node, container);
}

/* The first of the cells that lie side by side from `begin` on, and how many these are. */
SNL_FN void *
snl_line_cells(const SnlTree *tree, int node, void *container, bool lined, int64_t begin,
               int64_t chunk)
{
    return lined ? ((const SnlDynamic *)container)->line
                 : (char *)snl_dynamic_chunk(tree, node, container, begin / chunk);
}
SNL_FN int64_t
snl_line_count(const void *cells, bool lined, int64_t length, int64_t begin, int64_t chunk)
{
    return lined ? length : snl_dynamic_count(cells, length, begin, chunk);
}

/* Where those after them begin. */
SNL_FN int64_t snl_line_next(bool lined, int64_t length, int64_t begin, int64_t chunk)
{
    return lined ? length : begin + chunk;
}

enum { SNL_RUNS = 64 };

/* Runs of cells, from number 0 to `last`; the first may be empty. */
typedef struct {
    int64_t last;
    const void *from[SNL_RUNS], *to[SNL_RUNS];
} SnlRuns;

SNL_FN void snl_runs_clear(SnlRuns *r)
{
    r->last = 0;
    r->from[0] = r->to[0] = NULL;
}

/* Adds cells of so many bytes, which become part of the last run where they lie beside it. */
SNL_FN void snl_runs_add(SnlRuns *r, const void *cells, int64_t bytes)
{
    const bool apart = cells != r->to[r->last];
    r->last += apart;
    r->from[r->last] = apart ? cells : r->from[r->last];
    r->to[r->last] = (const char *)cells + bytes;
}

/* True if there is no room for another. */
SNL_FN bool snl_runs_full(const SnlRuns *r)
{
    return r->last == SNL_RUNS - 1;
}

#ifdef __cplusplus
}
#endif

#endif
