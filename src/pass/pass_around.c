/* Cells around a computed one that come into the caches early. Particles in no order reach a dozen
 * lines of a grid each, and no processor looks so far ahead that it waits for those of the next
 * particle meanwhile. So a loop that keeps vectors in registers (pass quads) gets a second body as
 * in pass fetch, which finds the first of these cells alone; the lines around it are known.
 *
 *     struct_for(x) quads {                          struct_for(x) quads around(0, 48, 2048) {
 *         $9 = lookup S1dense $1[$7] known      →        (the same)
 *         $15 = lookup S1dense $1[$14] known         } fetches {
 *         ...                                            $40 = lookup S1dense $1[$38] known
 *     }                                                  fetch $40
 *                                                    }
 * Loops of passes gather and batch have the addresses of many iterations at hand in any case. */
#include "config.h"

#include "pass/fetch.h"
#include "pass/linear.h"
#include "pass/pass.h"

enum { CELLS_LEAST = 8, CONTAINER_LEAST = 1 << 20, LINE = 64 };

/* The cells of an array that an iteration reaches, by their distance from the first. */
typedef struct {
    Compile *c;
    Inst *first;
    Linear number;              /* of the first */
    VEC(int64_t) cells;         /* the others' distance, in order */
} Around;

static bool
is_large(const Inst *lookup)
{
    const Node *n = lookup->node;
    return lookup->kind == INST_LOOKUP && n->kind == NODE_DENSE && !n->parent && n->cell_count &&
           n->container_bytes >= CONTAINER_LEAST;
}

static void
note_cell(Around *a, int64_t distance)
{
    int at = a->cells.count;
    vec_push(a->c->scratch, &a->cells, distance);
    for (; at > 0 && a->cells.items[at - 1] > distance; at--)
        a->cells.items[at] = a->cells.items[at - 1];
    a->cells.items[at] = distance;
}

/* The cells that every iteration reaches, in the array of the first one. */
static void
find_cells(Around *a, const Indices *x, const Task *t)
{
    for (int n = 0; n < t->body->insts.count; n++) {
        Inst *i = t->body->insts.items[n];
        if (!is_large(i) || (a->first && i->node != a->first->node))
            continue;
        const Linear number = linear_of(x, t, i->args.items[1]);
        if (!number.fits || (a->first && !linear_has_same_terms(&number, &a->number)))
            continue;
        if (!a->first) {
            a->first = i;
            a->number = number;
        }
        note_cell(a, number.constant - a->number.constant);
    }
}

static int64_t
note_byte(Compile *c, Task *t, int64_t byte)
{
    vec_push(c->arena, &t->around, byte);
    return byte;
}

/* Lists bytes, counted from the first cell, that lie in all lines that hold a part of a cell,
 * wherever lines begin: no byte of a cell lies between two that are more than a line apart. */
static void
note_lines(const Around *a, Task *t)
{
    const int64_t last = a->first->node->cell_bytes - 1;
    int64_t noted = note_byte(a->c, t, a->cells.items[0] * (last + 1)), before = noted;
    for (int k = 1; k < 2 * a->cells.count; k++) {
        const int64_t byte = a->cells.items[k / 2] * (last + 1) + (k % 2 ? last : 0);
        if (byte - noted > LINE && before > noted)
            noted = note_byte(a->c, t, before);
        if (byte - noted > LINE)
            noted = note_byte(a->c, t, byte);
        before = byte;
    }
    if (before > noted)
        note_byte(a->c, t, before);
}

static void
look_at_tasks(Compile *c, Ir *ir, IrFunc *f, const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        look_at_tasks(c, ir, f, &t->tasks);
        look_at_tasks(c, ir, f, &t->orelse);
        if (!t->quads || t->fetches || !fetch_fits(t))
            continue;
        Around a = {.c = c};
        find_cells(&a, indices_new(c, f), t);
        if (a.cells.count >= CELLS_LEAST && fetch_target(c, ir, f, t, a.first))
            note_lines(&a, t);
    }
}

void
pass_around(Compile *c, Ir *ir, IrFunc *f)
{
    if (!c->options.gpu)
        look_at_tasks(c, ir, f, &f->tasks);
}
