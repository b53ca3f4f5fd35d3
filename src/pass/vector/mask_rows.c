/* Masks by rows. A loop over two ranges may only ask which bitmasked cells are active and set
 * others. It reads and writes the masks by rows of a block:
 *     range_for(i in 1..63, j in 1..63) {          range_for(i in 1..63, j in 1..63) rows {
 *         $9 = is active a[$7, $8]           →         $9 = is active a[$7, $8] in row
 *         if $9 { activate b[$3, $4] }                 if $9 { activate b[$3, $4] in row }
 *     }                                            }
 * The emitter goes through the inner range by as many cells as a row of a block has. The bits of
 * these cells and of their neighbours come from a few words, and one word takes the result. C
 * compilers can vectorise the code between. Cells lie at the indices of the loop, and cells that
 * are read may be 1 away along the row. The mask that is read must not be the mask that is set, and
 * must have rows as long. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "ir/inst_info.h"

enum { ROW_MOST = 16, SHIFT_MOST = 64 };

typedef struct {
    const AffineFacts *indices;
    const Task *task;
    const bool *own;    /* by variable id: declared in the loop */
    bool fits;
    const Node *set;    /* whose cells are set */
    Inst *activate, *deactivate;
    struct {
        const Node *node;
        int64_t shift;
    } read[TASK_ROWS_MOST];
    int reads;          /* rows that are read */
    bool mark;
} Rows;

/* A bitmasked node below a dense one at the top, rows first, with rows that words hold whole. */
static bool
has_rows(const Node *n)
{
    const Node *up = n->parent;
    if (n->kind != NODE_BITMASKED || !up || up->kind != NODE_DENSE || up->parent ||
        n->axis_count != 2 || up->axis_count != 2 || n->has_offset)
        return false;
    for (int k = 0; k < 2; k++)
        if (n->axes[k] != up->axes[k] || !n->sizes[k] || n->sizes[k] != n->stored[k] ||
            !up->stored[k] || n->offset[n->axes[k]])
            return false;
    return n->axes[0] < n->axes[1] && n->sizes[1] <= ROW_MOST && 64 % n->sizes[1] == 0 &&
           n->cell_count % 64 == 0;
}

static int64_t
number(const Inst *i)
{
    return i->value.leaves[0].i;
}

/* Is index k of a cell the loop's k-th variable plus a constant, and always inside of the node? */
static bool
is_shifted(const Rows *r, const Inst *i, int k, int64_t *shift)
{
    const Task *t = r->task;
    Affine x = affine_of(r->indices, t, i->args.items[k]);
    int64_t from = number(t->from.items[k]), to = number(t->to.items[k]);
    *shift = x.min;
    return x.known && x.var == t->vars.items[k] && x.min == x.max && x.min >= -SHIFT_MOST &&
           x.min <= SHIFT_MOST && from + x.min >= 0 &&
           /* blocks at the loop's own cells exist too */
           to - 1 + (x.min > 0 ? x.min : 0) < i->node->coord_extent[i->node->axes[k]];
}

/* Notes a row of a mask that is read; false: there are too many. */
static bool
note_read(Rows *r, const Node *n, int64_t shift)
{
    for (int k = 0; k < r->reads; k++)
        if (r->read[k].node == n && r->read[k].shift == shift)
            return true;
    if (r->reads == TASK_ROWS_MOST)
        return false;
    r->read[r->reads].node = n;
    r->read[r->reads++].shift = shift;
    return true;
}

static void
look_at_cell(Rows *r, Inst *i)
{
    int64_t row = 0, column = 0;
    bool reads = i->kind == INST_IS_ACTIVE;
    r->fits = has_rows(i->node) && i->args.count == 2 && is_shifted(r, i, 0, &row) &&
              is_shifted(r, i, 1, &column);
    r->fits = r->fits && (reads ? column >= -1 && column <= 1 && note_read(r, i->node, row)
                                : column == 0 && row == 0);
    if (!reads) {
        Inst **one = i->kind == INST_ACTIVATE ? &r->activate : &r->deactivate;
        r->fits = r->fits && !*one && (!r->set || r->set == i->node);
        r->set = i->node;
        *one = i;
    }
    if (r->mark) {
        i->in_row = true;
        i->row = (int)row;
        i->column = (int)column;
    }
}

static void
look_at_inst(Inst *i, void *arg)
{
    Rows *r = arg;
    const InstInfo *info = inst_info(i->kind);
    if (!r->fits)
        return;
    switch (i->kind) {
    case INST_IS_ACTIVE: case INST_ACTIVATE: case INST_DEACTIVATE: look_at_cell(r, i); break;
    case INST_LOAD: r->fits = inst_place_root(i->args.items[0])->kind == INST_VAR; break;
    case INST_STORE: {
        const Inst *root = inst_place_root(i->args.items[0]);
        r->fits = root->kind == INST_VAR && r->own[root->var->id];
        break;
    }
    case INST_IF: case INST_LOGIC: case INST_COND: break;
    default: r->fits = info->effects == 'P' && i->kind != INST_ROOT_PLACE; break;
    }
}

/* Are all masks that are read others than the one that is set, with rows as long as its own? */
static bool
has_fitting_reads(const Rows *r)
{
    for (int k = 0; k < r->reads; k++)
        if (r->read[k].node == r->set || r->read[k].node->sizes[1] != r->set->sizes[1])
            return false;
    return true;
}

static bool
holds(const Block *b, const Inst *i)
{
    for (int n = 0; b && n < b->insts.count; n++)
        if (b->insts.items[n] == i)
            return true;
    return false;
}

/* Does no iteration both activate and deactivate? */
static bool
is_either(const Rows *r, const Block *b)
{
    if (!r->activate || !r->deactivate)
        return true;
    for (int n = 0; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        for (int k = 0; k < 2; k++)
            if (i->kind == INST_IF && holds(i->blocks[k], r->activate) &&
                holds(i->blocks[1 - k], r->deactivate))
                return true;
    }
    return false;
}

static bool
has_known_ranges(const Task *t)
{
    for (int k = 0; k < t->vars.count; k++) {
        const Inst *step = t->step.items[k];
        if (t->from.items[k]->kind != INST_CONST || t->to.items[k]->kind != INST_CONST ||
            (step && (step->kind != INST_CONST || number(step) != 1)))
            return false;
    }
    return true;
}

static void
note_own(Inst *i, void *arg)
{
    bool *own = arg;
    if (i->kind == INST_STORE && i->defines)
        own[i->args.items[0]->var->id] = true;
}

static void
find_rows(Compile *c, const IrFunc *f, Task *t, AffineFacts **indices)
{
    if (t->kind != TASK_RANGE_FOR || t->vars.count != 2 || t->reductions.count ||
        !has_known_ranges(t))
        return;
    if (!t->effects.may_activate.count && !t->effects.may_deactivate.count)
        return;
    if (!*indices)
        *indices = affine_new(c, (IrFunc *)f);
    bool *own = ARENA_ARRAY(c->scratch, bool, f->vars.count);
    Rows r = {.indices = *indices, .task = t, .own = own, .fits = true};
    block_walk(t->body, note_own, own);
    block_walk(t->body, look_at_inst, &r);
    if (!r.fits || !r.reads || !r.set || !has_fitting_reads(&r) || !is_either(&r, t->body))
        return;
    r = (Rows){.indices = *indices, .task = t, .own = own, .fits = true, .mark = true};
    block_walk(t->body, look_at_inst, &r);
    t->rows = r.set;
}

void
pass_mask_rows(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    AffineFacts *indices = NULL;
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        find_rows(c, f, loops.items[n], &indices);
}
