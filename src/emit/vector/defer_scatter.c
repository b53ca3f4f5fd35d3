/* Loops in batches (pass defer_scatter). Several iterations are computed at once. Then what they
 * add to arrays is added, one iteration after the other.
 *     for (; strip + SNL_BATCH <= to; strip += SNL_BATCH) {
 *         float own_1[SNL_BATCH];
 *         for (int64_t lane = 0; lane < SNL_BATCH; lane++)
 *             // elements of cells that C compilers have no vectors of
 *             own_1[lane] = x_cells[strip + lane].x.v[0];
 *         SNL_SIMD
 *         for (int64_t lane = 0; lane < SNL_BATCH; lane++) {
 *             const int64_t p = strip + lane;
 *             ...
 *             at_1[lane] = number of a cell;
 *             sums[0][lane] = value;
 *         }
 *         snl_batch_turn(rows, sums, 1);
 *         for (int64_t lane = 0; lane < SNL_BATCH; lane++) {
 *             y_cell *const cell_1 = &y_cells[at_1[lane]];
 *             // four floats side by side
 *             snl_batch_add(&cell_1[128].y.v[0], rows[0][lane]);
 *             cell_1[130].y.v[0] += sums[4][lane];
 *         }
 *     } */
#include "config.h"

#include <string.h>

#include "emit/loop/loops.h"
#include "pass/vector/deferred_sums.h"

enum { ROW = 4 };

/* An element of the loop's own cell that is read before the batch is computed, and written after
 * it. */
typedef struct {
    const Field *field;
    int leaf;
    bool written;
    const char *name, *place;
} Own;

/* How a batch is written. */
struct Batch {
    const Task *t;
    const char *sums, *rows, *lane;     /* arrays; the number of the iteration in the batch */
    int *slot;          /* by sum: its line in `sums`; those of rows come first */
    int row_count;
    const char **at;    /* by base: array of numbers of cells */
    VEC(Own) own;
    VEC(Field *) elsewhere; /* fields with other elements in the loop than those of own cells, one
                             * by one */
    size_t begin;       /* where the loop over the batch stands in the text */
    const char *cell;   /* while the place of an element is written that is read before, or added to
                         * after: its cell */
};

/* Do four sums from this one on go to floats side by side? */
static bool
is_row(const Task *t, int first)
{
    const BatchSum *s = &t->batch.items[first];
    if (s->sum->type->scalar != SCALAR_F32 || first + ROW > t->batch.count)
        return false;
    for (int k = 1; k < ROW; k++)
        if (s[k].base != s->base || s[k].byte != s->byte + k * 4)
            return false;
    return true;
}

/* Gives each sum its line. */
static void
find_rows(Batch *b)
{
    const Task *t = b->t;
    for (int k = 0; k < t->batch.count; k++)
        if (is_row(t, k)) {
            for (int n = 0; n < ROW; n++)
                b->slot[k + n] = b->row_count * ROW + n;
            b->row_count++;
            k += ROW - 1;
        } else
            b->slot[k] = -1;
    int next = b->row_count * ROW;
    for (int k = 0; k < t->batch.count; k++)
        if (b->slot[k] < 0)
            b->slot[k] = next++;
}

static int
base_count(const Task *t)
{
    return !t->batch.count ? 0 : t->batch.items[t->batch.count - 1].base + 1;
}

static const char *
number_type(const Task *t, int base)
{
    const Node *n = deferred_sums_first(t, base)->lookup->node;
    return n->cell_count && n->cell_count <= INT32_MAX ? "int32_t" : "int64_t";
}

/* ---- elements of the loop's own cells ---- */

/* Is a place one element of the loop's own cell? */
static bool
is_in_own_cell(const Inst *place, const Inst *in_cell)
{
    const Inst *at = in_cell->args.items[0];
    return place->type->kind == TYPE_SCALAR && affine_place_leaf(place) >= 0 &&
           at->kind == INST_LOOP_CELL && !at->var;
}

static void
note_elsewhere(Inst *i, void *arg)
{
    Emit *e = arg;
    for (int a = 0; a < i->args.count && i->kind != INST_ELEM && i->kind != INST_MEMBER; a++) {
        const Inst *place = i->args.items[a], *in_cell = affine_place_base(i->args.items[a]);
        bool simple = !a && (i->kind == INST_LOAD || i->kind == INST_STORE ||
                             (i->kind == INST_ATOMIC && i->plain));
        if (in_cell->kind == INST_IN_CELL && !(simple && is_in_own_cell(place, in_cell)))
            vec_push(e->c->arena, &e->par.batch->elsewhere, in_cell->field);
    }
}

/* Vectors of elements that lie side by side in cells can be made where a cell has a power of two of
 * them. What is written must not be used in another way as well. */
static bool
is_own(const Batch *b, const Inst *place, const Inst *in_cell)
{
    if (in_cell->kind != INST_IN_CELL || !is_in_own_cell(place, in_cell))
        return false;
    const Node *n = in_cell->args.items[0]->node;
    bool fits = (n->cell_bytes & (n->cell_bytes - 1)) && !n->parent && !n->children.count;
    return fits && !(task_changes(b->t, in_cell->field) &&
                     fields_have(b->elsewhere.items, b->elsewhere.count, in_cell->field));
}

const char *
defer_scatter_own(Emit *e, const Inst *i)
{
    Batch *b = e->par.batch;
    const Inst *in_cell = affine_place_base((Inst *)i);
    if (!b || b->cell || !is_own(b, i, in_cell))
        return NULL;
    int leaf = affine_place_leaf(i), k = 0;
    while (k < b->own.count &&
           (b->own.items[k].field != in_cell->field || b->own.items[k].leaf != leaf))
        k++;
    if (k == b->own.count) {
        Own own = {in_cell->field, leaf, task_changes(b->t, in_cell->field),
                   name_new(e, arena_printf(e->c->arena, "own_%d", k + 1)), NULL};
        b->cell =
            arena_printf(e->c->arena, "%s[%s + %s]", place_top(e, in_cell->args.items[0]->node),
                         e->par.batch_strip, b->lane);
        own.place = place_text(e, i);
        b->cell = NULL;
        vec_push(e->c->arena, &b->own, own);
    }
    return arena_printf(e->c->arena, "%s[%s]", b->own.items[k].name, b->lane);
}

/* Writes the loop that reads them before the one that uses them. */
static void
read_own(Emit *e)
{
    Batch *b = e->par.batch;
    if (!b->own.count)
        return;
    size_t bytes = e->out->count - b->begin;
    char *uses = arena_alloc(e->c->arena, bytes);
    memcpy(uses, e->out->data + b->begin, bytes);
    text_cut(e->out, b->begin);
    for (int k = 0; k < b->own.count; k++) {
        const Own *own = &b->own.items[k];
        text_line(e->out, "%s %s[SNL_BATCH];",
                  scalar_info(type_leaf(own->field->type, own->leaf, NULL))->ctype, own->name);
    }
    text_open(e->out, "for (int64_t %s = 0; %s < SNL_BATCH; %s++) {", b->lane, b->lane, b->lane);
    for (int k = 0; k < b->own.count; k++)
        text_line(e->out, "%s[%s] = %s;", b->own.items[k].name, b->lane, b->own.items[k].place);
    text_close(e->out, "}");
    text_raw(e->out, uses, bytes);
}

/* ---- the batch ---- */

static void
declare_sums(Emit *e)
{
    Batch *b = e->par.batch;
    if (!b->t->batch.count)
        return;
    const char *type = scalar_info(b->t->batch.items[0].sum->type->scalar)->ctype;
    b->sums = name_new(e, "sums");
    text_line(e->out, "%s %s[%d][SNL_BATCH];", type, b->sums, b->t->batch.count);
    if (b->row_count) {
        b->rows = name_new(e, "rows");
        text_line(e->out, "%s %s[%d][SNL_BATCH][%d];", type, b->rows, b->row_count, ROW);
    }
}

void
defer_scatter_open(Emit *e, const char *i, const char *from, const char *to)
{
    Arena *arena = e->c->arena;
    Batch *b = e->par.batch = ARENA_NEW(arena, Batch);
    b->t = e->par.batch_task;
    b->slot = ARENA_ARRAY(arena, int, b->t->batch.count);
    b->at = ARENA_ARRAY(arena, const char *, base_count(b->t));
    find_rows(b);
    block_walk(b->t->body, note_elsewhere, e);
    b->lane = name_new(e, "lane");
    const char *strip = e->par.batch_strip = name_new(e, "strip");
    text_line(e->out, "int64_t %s = %s;", strip, from);
    declare_sums(e);
    for (int k = 0; k < base_count(b->t); k++) {
        b->at[k] = name_new(e, arena_printf(arena, "at_%d", k + 1));
        text_line(e->out, "%s %s[SNL_BATCH];", number_type(b->t, k), b->at[k]);
    }
    text_open(e->out, "for (; %s + SNL_BATCH <= %s; %s += SNL_BATCH) {", strip, to, strip);
    b->begin = e->out->count;
    loop_simd(e);
    text_open(e->out, "for (int64_t %s = 0; %s < SNL_BATCH; %s++) {", b->lane, b->lane, b->lane);
    declarations_maybe(e, i, arena_printf(arena, "const int64_t %s = %s + %s;", i, strip, b->lane));
}

void
defer_scatter_sum(Emit *e, const Inst *sum)
{
    const Batch *b = e->par.batch;
    int k = 0;
    while (b->t->batch.items[k].sum != sum)
        k++;
    const BatchSum *s = &b->t->batch.items[k];
    if (deferred_sums_first(b->t, s->base) == s)
        text_line(e->out, "%s[%s] = (%s)%s;", b->at[s->base], b->lane, number_type(b->t, s->base),
                  value_text(e, s->lookup->args.items[1], PREC_UNARY));
    bool minus = sum->atomic_op == ATOMIC_SUB;
    const char *text = value_text(e, sum->args.items[1], minus ? PREC_UNARY : PREC_ASSIGN);
    const char *form = !minus         ? "%s[%d][%s] = %s;"
                       : *text == '-' ? "%s[%d][%s] = -(%s);"
                                      : "%s[%d][%s] = -%s;";
    text_line(e->out, form, b->sums, b->slot[k], b->lane, text);
}

/* The place that a sum is added to, in words of C. */
static const char *
element(Emit *e, const BatchSum *s, const char *cell)
{
    int64_t cells = s->cells - deferred_sums_first(e->par.batch->t, s->base)->cells;
    e->par.batch->cell = arena_printf(e->c->arena, "%s[%lld]", cell, (long long)cells);
    const char *text = place_text(e, s->sum->args.items[0]);
    e->par.batch->cell = NULL;
    return text;
}

const char *
defer_scatter_cell(const Emit *e)
{
    return e->par.batch ? e->par.batch->cell : NULL;
}

static void
write_own(Emit *e)
{
    const Batch *b = e->par.batch;
    bool any = false;
    for (int k = 0; k < b->own.count; k++)
        any |= b->own.items[k].written;
    if (!any)
        return;
    text_open(e->out, "for (int64_t %s = 0; %s < SNL_BATCH; %s++) {", b->lane, b->lane, b->lane);
    for (int k = 0; k < b->own.count; k++)
        if (b->own.items[k].written)
            text_line(e->out, "%s = %s[%s];", b->own.items[k].place, b->own.items[k].name, b->lane);
    text_close(e->out, "}");
}

static void
add_sums(Emit *e)
{
    Batch *b = e->par.batch;
    const Task *t = b->t;
    if (b->rows)
        text_line(e->out, "snl_batch_turn(%s, %s, %d);", b->rows, b->sums, b->row_count);
    text_open(e->out, "for (int64_t %s = 0; %s < SNL_BATCH; %s++) {", b->lane, b->lane, b->lane);
    const char *cell = NULL;
    for (int k = 0, base = -1; k < t->batch.count; k++) {
        const BatchSum *s = &t->batch.items[k];
        if (s->base != base) {
            const Node *n = s->lookup->node;
            base = s->base;
            cell = name_new(e, arena_printf(e->c->arena, "cell_%d", base + 1));
            text_line(e->out, "%s *const %s = &%s[%s[%s]];", type_cell(e, n), cell,
                      place_container(e, s->lookup->args.items[0]), b->at[base], b->lane);
        }
        const char *to = element(e, s, cell);
        if (b->slot[k] < ROW * b->row_count) {
            text_line(e->out, "snl_batch_add(&%s, %s[%d][%s]);", to, b->rows, b->slot[k] / ROW,
                      b->lane);
            k += ROW - 1;
        } else
            text_line(e->out, "%s += %s[%d][%s];", to, b->sums, b->slot[k], b->lane);
    }
    text_close(e->out, "}");
}

void
defer_scatter_close(Emit *e)
{
    text_close(e->out, "}");
    read_own(e);
    write_own(e);
    if (e->par.batch->t->batch.count)
        add_sums(e);
    text_close(e->out, "}");
    e->par.batch = NULL;
}
