/* Loops over whole blocks of bitmasked cells, all cells of a row in one step (pass bit_slice;
 * runtime/loop/mask_bits.h):
 *     for (int64_t i_block = ...; i_block < ...; i_block += 16) {
 *         for (int64_t j_strip = 0; j_strip < 63; j_strip += SNL_BLOCK_STRIP * 16) {
 *             // rows of some blocks and those around each
 *             uint32_t a_rows[SNL_BLOCK_STRIP][18];
 *             for (int64_t b = 0; b < blocks; b++) { snl_mask_block(a_rows[b], -1, 1, ...); }
 *             uint32_t on_rows[SNL_BLOCK_STRIP][16], off_rows[SNL_BLOCK_STRIP][16];
 *             // a bit a cell
 *             for (int64_t b = 0; b < blocks; b++) { for (int n = 0; n < 16; n++) { ... } }
 *             for (int64_t b = 0; b < blocks; b++) { snl_mask_put_block(...); }
 *         }
 *     }
 * An iteration of the parallel loop is a row of blocks, so no two threads share a block. A strip
 * has several blocks, because a processor waits where it reads as a vector what it has just written
 * in parts. */
#include "config.h"

#include "emit/loop/loops.h"
#include "analysis/cell_use.h"

/* The rows of a mask that are read. */
typedef struct {
    const Node *node;
    const char *name;
    int low, high;
} Mask;

typedef struct {
    Emit *e;
    Mask masks[TASK_ROWS_MOST];
    int mask_count;
    const char *row, *on, *off; /* number of the row; the bits of it that are set */
    const char *block, *blocks; /* number of the block in its strip, of how many */
} Planes;

static Mask *
mask_of_node(Planes *p, const Node *n)
{
    for (int k = 0; k < p->mask_count; k++)
        if (p->masks[k].node == n)
            return &p->masks[k];
    Mask *m = &p->masks[p->mask_count++];
    *m = (Mask){.node = n,
                .name = name_new(p->e, n->label ? arena_printf(p->e->c->arena, "%s_rows",
                                                               name_plain(p->e, n->label))
                                                : "rows")};
    return m;
}

static void
note_mask(Inst *i, void *arg)
{
    if (i->kind != INST_IS_ACTIVE || !i->in_row)
        return;
    Mask *m = mask_of_node(arg, i->node);
    m->low = i->row < m->low ? i->row : m->low;
    m->high = i->row > m->high ? i->row : m->high;
}

/* ---- values: text of a word with a bit a cell, or of an SnlPlanes ---- */

static const char *bits(Planes *p, const Inst *i);

static bool
is_bits(const Inst *i)
{
    return type_is_bool(i->type);
}

static const char *
active_bits(Planes *p, const Inst *i)
{
    const Mask *m = mask_of_node(p, i->node);
    int column = i->column + 1, above = i->row - m->low; /* rows begin with the cell before them */
    const char *at = above ? arena_printf(p->e->c->arena, "%s + %d", p->row, above) : p->row;
    return arena_printf(p->e->c->arena, column ? "%s[%s][%s] >> %d" : "%s[%s][%s]", m->name,
                        p->block, at, column);
}

/* Bits of a number. */
static int
bit_count(int number)
{
    int count = 0;
    for (; number; number /= 2)
        count++;
    return count;
}

static const char *
binary_bits(Planes *p, const Inst *i)
{
    Arena *arena = p->e->c->arena;
    const bool turned = i->op == OP_GT || i->op == OP_LE; /* b < a, b >= a */
    const Inst *x = i->args.items[turned], *y = i->args.items[!turned];
    const char *a = bits(p, x), *b = bits(p, y);
    bool words = is_bits(x);
    switch (i->op) {
    case OP_ADD: return arena_printf(arena, "snl_planes_add(%s, %s, %d)", a, b, bit_count(i->most));
    case OP_EQ:
        return arena_printf(arena, words ? "~((%s) ^ (%s))" : "snl_planes_equal(%s, %s)", a, b);
    case OP_NE:
        return arena_printf(arena, words ? "(%s) ^ (%s)" : "~snl_planes_equal(%s, %s)", a, b);
    case OP_LT: case OP_GT:
        return arena_printf(arena, words ? "~(%s) & (%s)" : "snl_planes_less(%s, %s)", a, b);
    case OP_GE: case OP_LE:
        return arena_printf(arena, words ? "(%s) | ~(%s)" : "~snl_planes_less(%s, %s)", a, b);
    case OP_AND: case OP_LAND: return arena_printf(arena, "(%s) & (%s)", a, b);
    case OP_OR: case OP_LOR: return arena_printf(arena, "(%s) | (%s)", a, b);
    default: return arena_printf(arena, "(%s) ^ (%s)", a, b);
    }
}

static const char *
choice_bits(Planes *p, const Inst *i, const Inst *which, const Inst *yes, const Inst *no)
{
    return arena_printf(p->e->c->arena,
                        is_bits(i) ? "snl_bits_select(%s, %s, %s)"
                                   : "snl_planes_select(%s, %s, %s)",
                        bits(p, which), bits(p, yes), bits(p, no));
}

static const char *
raw_bits(Planes *p, const Inst *i)
{
    Arena *arena = p->e->c->arena;
    const Inst *a = i->args.count ? i->args.items[0] : NULL;
    switch (i->kind) {
    case INST_CONST:
        if (is_bits(i))
            return i->value.leaves[0].i ? "UINT32_MAX" : "0";
        return arena_printf(arena, "snl_planes_of(%d)", (int)i->value.leaves[0].i);
    case INST_LOAD: return p->e->fn.var_text[a->var->id];
    case INST_IS_ACTIVE: return active_bits(p, i);
    case INST_BINARY: return binary_bits(p, i);
    case INST_UNARY: return arena_printf(arena, "~(%s)", bits(p, a));
    case INST_CAST:
        if (is_bits(a) == is_bits(i))
            return bits(p, a);
        return arena_printf(
            arena, is_bits(a) ? "snl_planes_bit(%s)" : "~snl_planes_equal(%s, snl_planes_of(0))",
            bits(p, a));
    case INST_SELECT: return choice_bits(p, i, a, i->args.items[1], i->args.items[2]);
    case INST_LOGIC:
        return arena_printf(arena, i->op == OP_LAND ? "(%s) & (%s)" : "(%s) | (%s)", bits(p, a),
                            bits(p, i->blocks[0]->result));
    case INST_COND: return choice_bits(p, i, a, i->blocks[0]->result, i->blocks[1]->result);
    default: return "/* no bits */ 0";
    }
}

static const char *
bits(Planes *p, const Inst *i)
{
    const Plan *plan = inline_plan_of(p->e, i);
    return plan->is_inline || !plan->name ? raw_bits(p, i) : plan->name;
}

static const char *
type_of_bits(const Inst *value)
{
    return is_bits(value) ? "uint32_t" : "SnlPlanes";
}

/* ---- statements ---- */

/* `under`: the cells that the block is done for, or NULL for all. */
static void
store_bits(Planes *p, const Inst *i, const char *under)
{
    Emit *e = p->e;
    const Inst *x = i->args.items[1];
    const Var *v = i->args.items[0]->var;
    const char *text = bits(p, x);
    if (i->defines) {
        e->fn.var_text[v->id] = name_new(e, v->name);
        text_line(e->out, "%s %s = %s;", type_of_bits(x), e->fn.var_text[v->id], text);
        if (!e->fn.used[v->id])
            text_line(e->out, "(void)%s;", e->fn.var_text[v->id]);
        return;
    }
    const char *to = e->fn.var_text[v->id];
    if (under)
        text = arena_printf(e->c->arena,
                            is_bits(x) ? "snl_bits_select(%s, %s, %s)"
                                       : "snl_planes_select(%s, %s, %s)",
                            under, text, to);
    text_line(e->out, "%s = %s;", to, text);
}

static void block_bits(Planes *p, const Block *b, const char *under);

static void
if_bits(Planes *p, const Inst *i, const char *under)
{
    Emit *e = p->e;
    const char *which = name_temp(e);
    text_line(e->out, "const uint32_t %s = %s;", which, bits(p, i->args.items[0]));
    block_bits(p, i->blocks[0],
               under ? arena_printf(e->c->arena, "(%s & %s)", under, which) : which);
    if (i->blocks[1])
        block_bits(
            p, i->blocks[1],
            arena_printf(e->c->arena, under ? "(%s & ~%s)" : "%.0s~%s", under ? under : "", which));
}

/* A value that several use, or whose blocks have such. */
static void
value_bits(Planes *p, const Inst *i)
{
    Emit *e = p->e;
    for (int s = 0; s < 2; s++)
        if (i->blocks[s])
            block_bits(p, i->blocks[s], NULL);
    const char *text = raw_bits(p, i), *name = name_temp(e);
    declarations_maybe(e, name,
               arena_printf(e->c->arena, "const %s %s = %s;", type_of_bits(i), name, text));
    inline_plan_of(e, i)->name = name;
}

/* Indices of cells are no bits: they are not written. */
static bool
has_bits(const Inst *i)
{
    switch (i->kind) {
    case INST_LOAD:
        return i->args.items[0]->kind == INST_VAR && i->args.items[0]->var->kind != VAR_INDEX;
    case INST_IS_ACTIVE: case INST_SELECT: case INST_LOGIC: case INST_COND: return true;
    case INST_BINARY: return has_bits(i->args.items[0]) && (i->op != OP_SUB);
    case INST_UNARY: case INST_CAST: return has_bits(i->args.items[0]);
    default: return false;
    }
}

static void
block_bits(Planes *p, const Block *b, const char *under)
{
    Emit *e = p->e;
    for (int n = 0; n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        if (inline_plan_of(e, i)->is_inline)
            continue;
        stmt_line(e, i->span);
        switch (i->kind) {
        case INST_STORE: store_bits(p, i, under); break;
        case INST_IF: if_bits(p, i, under); break;
        case INST_ACTIVATE: case INST_DEACTIVATE:
            text_line(e->out, "%s |= %s;", i->kind == INST_ACTIVATE ? p->on : p->off,
                      under ? under : "UINT32_MAX");
            break;
        default:
            if (has_bits(i))
                value_bits(p, i);
        }
    }
}

/* ---- the loop ---- */

static long long
bound_of(const Insts *bounds, int k)
{
    return (long long)bounds->items[k]->value.leaves[0].i;
}

int64_t
bit_slice_block_rows(const Task *t)
{
    int64_t rows = t->rows->sizes[0], from = bound_of(&t->from, 0), to = bound_of(&t->to, 0);
    return from < to ? (to - 1) / rows - from / rows + 1 : 0;
}

static void
open_blocks(Planes *p)
{
    text_open(p->e->out, "for (int64_t %s = 0; %s < %s; %s++) {", p->block, p->block, p->blocks,
              p->block);
}

static void
load_masks(Planes *p, const char *i, const char *j)
{
    Emit *e = p->e;
    for (int k = 0; k < p->mask_count; k++) {
        const Mask *m = &p->masks[k];
        text_line(e->out, "uint32_t %s[SNL_BLOCK_STRIP][%d];", m->name,
                  (int)m->node->sizes[0] + m->high - m->low);
    }
    open_blocks(p);
    for (int k = 0; k < p->mask_count; k++) {
        const Mask *m = &p->masks[k];
        const Node *n = m->node;
        text_line(e->out, "snl_mask_block(%s[%s], %d, %d, %s, %lld, %lld, %s, %s);", m->name,
                  p->block, m->low, m->high, mask_rows_shape(e, n),
                  (long long)n->coord_extent[n->axes[0]], (long long)n->coord_extent[n->axes[1]], i,
                  j);
    }
    text_close(e->out, "}");
}

/* The body, for the rows of some blocks. */
static void
compute_blocks(Planes *p, const Task *t, const char *ons, const char *offs)
{
    Emit *e = p->e;
    long long rows = (long long)t->rows->sizes[0];
    text_line(e->out, "uint32_t %s[SNL_BLOCK_STRIP][%lld], %s[SNL_BLOCK_STRIP][%lld];", ons, rows,
              offs, rows);
    open_blocks(p);
    text_line(e->out, "SNL_SIMD");
    text_open(e->out, "for (int32_t %s = 0; %s < %lld; %s++) {", p->row, p->row, rows, p->row);
    text_line(e->out, "uint32_t %s = 0, %s = 0;", p->on, p->off);
    block_bits(p, t->body, NULL);
    text_line(e->out, "%s[%s][%s] = %s;", ons, p->block, p->row, p->on);
    text_line(e->out, "%s[%s][%s] = %s;", offs, p->block, p->row, p->off);
    text_close(e->out, "}");
    text_close(e->out, "}");
}

void
bit_slice_loop(Emit *e, const Task *t)
{
    const Node *n = t->rows;
    Planes p = {.e = e};
    long long rows = (long long)n->sizes[0], size = (long long)n->sizes[1];
    long long from = bound_of(&t->from, 0), to = bound_of(&t->to, 0), left = bound_of(&t->from, 1),
              right = bound_of(&t->to, 1);
    const char *i = name_new(e, arena_printf(e->c->arena, "%s_block", t->vars.items[0]->name)),
               *in_rows = name_new(e, "in_rows");
    const char *strip = name_new(e, arena_printf(e->c->arena, "%s_strip", t->vars.items[1]->name));
    const char *j = name_new(e, arena_printf(e->c->arena, "%s_block", t->vars.items[1]->name));
    const char *ons = name_new(e, "on_rows"), *offs = name_new(e, "off_rows");
    block_walk(t->body, note_mask, &p);
    p.row = name_new(e, "n"), p.on = name_new(e, "on"), p.off = name_new(e, "off"),
    p.block = name_new(e, "b"), p.blocks = name_new(e, "blocks");
    const char *above = from < rows ? "" : arena_printf(e->c->arena, "%lld + ", from / rows * rows);
    text_open(e->out, "for (int64_t %s = %sfrom * %lld; %s < %sto * %lld; %s += %lld) {", i, above,
              rows, i, above, rows, i, rows);
    text_line(e->out, "const uint32_t %s = snl_row_part(%s, %lld, %lld, %lld);", in_rows, i, rows,
              from, to);
    text_open(e->out, "for (int64_t %s = %lld; %s < %lld; %s += SNL_BLOCK_STRIP * %lld) {", strip,
              left / size * size, strip, right, strip, size);
    text_line(e->out, "const int64_t %s = snl_min_i64(SNL_BLOCK_STRIP, (%lld - %s) / %lld);",
              p.blocks, right + size - 1, strip, size);
    const char *at = arena_printf(e->c->arena, "%s + %s * %lld", strip, p.block, size);
    load_masks(&p, i, at);
    compute_blocks(&p, t, ons, offs);
    open_blocks(&p);
    text_line(e->out, "const int64_t %s = %s;", j, at);
    text_line(e->out,
              "snl_mask_put_block(%s, %d, %s, %s, %s, %s[%s], %s[%s], %s, snl_row_part(%s, %lld, "
              "%lld, %lld), %s);",
              place_tree(e, n->layout), n->id - 1, mask_rows_shape(e, n), i, j, ons, p.block, offs,
              p.block, in_rows, j, size, left, right,
              e->o->closed && !cell_use_writes(e->ir, n) ? "SNL_CELLS_AMBIENT"
                                                         : "SNL_CELLS_WRITTEN");
    text_close(e->out, "}");
    text_close(e->out, "}");
    text_close(e->out, "}");
}
