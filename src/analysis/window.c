/* What lies in a window (ir.h): which pieces of blocks it is made of, and how its copy is laid
 * out. */
#include "config.h"

#include "analysis/window.h"

/* n / by, rounded down. */
static int64_t
floor_div(int64_t n, int64_t by)
{
    return n / by - (n % by < 0);
}

int64_t
window_part(const Window *w, int axis)
{
    return (w->size[axis] << w->shift[axis]) / w->times[axis];
}

void
window_range(const Window *w, int axis, int64_t *first, int64_t *last)
{
    *first = w->low[axis] >> w->shift[axis];
    *last = ((window_part(w, axis) - 1) * w->times[axis] + w->high[axis]) >> w->shift[axis];
}

int64_t
window_piece(const Window *w, int k)
{
    const int64_t cells = w->size[w->node->axes[k]], block = w->node->sizes[k];
    return cells < block ? cells : block;
}

void
window_pieces(const Window *w, int k, int64_t *first, int64_t *end)
{
    const int64_t piece = window_piece(w, k);
    int64_t low, high;
    window_range(w, w->node->axes[k], &low, &high);
    *first = floor_div(low, piece);
    *end = floor_div(high, piece) + 1;
}

int64_t
window_row_first(const Window *w)
{
    const int axis = w->node->axes[w->node->axis_count - 1];
    return w->shift[axis] ? w->low[axis] : floor_div(w->low[axis], w->times[axis]);
}

int
window_extents(const Window *w, int64_t *extent)
{
    const int last = w->node->axis_count - 1, axis = w->node->axes[last];
    const int64_t highest =
        w->shift[axis] ? w->high[axis] : floor_div(w->high[axis], w->times[axis]);
    for (int k = 0; k < last; k++) {
        int64_t first, end;
        window_range(w, w->node->axes[k], &first, &end);
        extent[k] = end - first + 1;
    }
    extent[last] = w->times[axis];
    extent[last + 1] = window_part(w, axis) + highest - window_row_first(w);
    return last + 2;
}

void
window_element(const Window *w, int64_t offset, int64_t *row, int64_t *shift)
{
    const int axis = w->node->axes[w->node->axis_count - 1];
    const int64_t times = w->times[axis], first = window_row_first(w);
    *row = w->shift[axis] ? 0 : offset - floor_div(offset, times) * times;
    *shift = (w->shift[axis] ? offset : floor_div(offset, times)) - first;
}
