/* Loops on a GPU that do nothing to small arrays but add to them (pass scatter): the lanes of a
 * block add to a copy in the memory that they share, which is added to the array at the end
 * (runtime/gpu_scatter.h):
 *
 *     SNL_SHARED(counts_own, [64], int32_t);
 *     counts_cell *const counts_cells =
 *         (counts_cell *)snl_gpu_apart(counts_own, 64, in->top_1_0, ..., 256);
 *     ...
 *     snl_gpu_join(counts_own, 64, counts_cells, in->top_1_0, 256);
 *
 * And those that add to fields at computed indices (pass meet): the additions meet in a table of
 * parts of the fields' memory (runtime/gpu_meet.h), one for each type of scalars:
 *
 *     SNL_SHARED(f32_met, , SnlGpuMeet<float, 1024>);
 *     snl_gpu_meet_begin(&f32_met, 256);
 *     ...
 *         snl_gpu_meet_add(&f32_met, &y_cells[…].y, …);
 *     ...
 *     snl_gpu_meet_end(&f32_met, 256); */
#include "config.h"

#include "emit/parallel.h"

static int
scalars_in(const Node *n)
{
    return (int)(n->container_bytes / scalar_info(scatter_scalar(n))->bytes);
}

/* Bytes of tables where sums meet, and where there are copies of arrays too. */
enum { MEET_BYTES = 24 << 10, MEET_BYTES_LESS = 12 << 10, LINE_BYTES = 24 };

/* Collects the types of what meets, by scalar. */
static void
find_meeting(Inst *i, void *arg)
{
    bool *types = arg;
    if (i->kind == INST_ATOMIC && i->meets)
        types[i->type->scalar] = true;
}

static void
meet_begin(LoopOut *k)
{
    Emit *e = k->e;
    Arena *a = e->c->arena;
    bool types[SCALAR_COUNT] = {false};
    int tables = 0, lines = 1;
    block_walk(k->t->body, find_meeting, types);
    for (int s = 0; s < SCALAR_COUNT; s++)
        tables += types[s];
    const int most = k->t->scatter.count ? MEET_BYTES_LESS : MEET_BYTES;
    while (tables && 2 * lines * LINE_BYTES * tables <= most)
        lines *= 2;
    e->par.meets = ARENA_ARRAY(a, const char *, SCALAR_COUNT);
    for (int s = 0; s < SCALAR_COUNT; s++) {
        const ScalarInfo *info = scalar_info((Scalar)s);
        if (!types[s])
            continue;
        e->par.meets[s] = name_new(e, arena_printf(a, "%s_met", info->name));
        text_line(e->out, "SNL_SHARED(%s, , SnlGpuMeet<%s, %d>);", e->par.meets[s], info->ctype,
                  lines);
        text_line(e->out, "snl_gpu_meet_begin(&%s, %d);", e->par.meets[s], k->lanes);
    }
}

static void
meet_end(LoopOut *k)
{
    Emit *e = k->e;
    for (int s = 0; s < SCALAR_COUNT; s++)
        if (e->par.meets[s])
            text_line(e->out, "snl_gpu_meet_end(&%s, %d);", e->par.meets[s], k->lanes);
    e->par.meets = NULL;
}

void
apart_begin(LoopOut *k)
{
    Emit *e = k->e;
    Arena *a = e->c->arena;
    const Nodes *tops = &k->t->scatter;
    k->own = ARENA_ARRAY(a, const char *, tops->count);
    for (int i = 0; e->o->gpu && i < tops->count; i++) {
        const Node *n = tops->items[i];
        const char *type = cell_type(e, n), *top = top_name(e, n),
                   *own = k->own[i] = name_new(e, arena_printf(a, "%s_own", top));
        body_declare(e, own,
                     arena_printf(a, "SNL_SHARED(%s, [%d], %s);", own, scalars_in(n),
                                  scalar_info(scatter_scalar(n))->ctype));
        body_declare(
            e, top,
            arena_printf(
                a,
                "%s *const %s = (%s *)snl_gpu_apart(%s, %d, %s, (to + step - 1) / step * %d, %d);",
                type, top, type, own, scalars_in(n), top_container(e, n), k->lanes * k->t->updates,
                k->lanes));
    }
    if (k->t->meets.count)
        meet_begin(k);
}

void
apart_end(LoopOut *k)
{
    const Nodes *tops = &k->t->scatter;
    for (int i = 0; k->e->o->gpu && i < tops->count; i++)
        text_line(k->e->out, "snl_gpu_join(%s, %d, %s, %s, %d);", k->own[i],
                  scalars_in(tops->items[i]), top_name(k->e, tops->items[i]),
                  top_container(k->e, tops->items[i]), k->lanes);
    if (k->t->meets.count)
        meet_end(k);
}

void
apart_add(Emit *e, const Inst *sum)
{
    const char *to = place(e, sum->args.items[0]), *table = e->par.meets[sum->type->scalar],
               *value_text = value(e, sum->args.items[1], PREC_ASSIGN);
    text_line(e->out, "snl_gpu_meet_%s(&%s, &%s, %s);",
              sum->atomic_op == ATOMIC_SUB ? "sub" : "add", table, to, value_text);
}
