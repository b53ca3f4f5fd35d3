/* Loops in which a strip of iterations goes through sequential loops together. Over the cells of a
 * list (pass outer_lists):
 *     for (int64_t strip = 0; strip < count_2; strip += SNL_ABREAST) {
 *         const int64_t live = snl_abreast(strip, count_2);
 *         float s[SNL_ABREAST] = {0};
 *         // what needs the cell of the iteration
 *         for (int64_t lane = 0; lane < live; lane++) { ... }
 *         for (...) {
 *             // arithmetic: at no harm for iterations that do not exist
 *             SNL_SIMD
 *             for (int64_t lane = 0; lane < SNL_ABREAST; lane++) { ... }
 *         }
 *     }
 * Over ranges and arrays (pass outer), where the inside is at least as long as a strip:
 *     for (int64_t strip = begin; strip < end; strip += SNL_STRIP) {
 *         const int64_t first = snl_smaller(strip, end - SNL_STRIP);
 *         float s[SNL_STRIP] = {0};
 *         for (...) {
 *             SNL_SIMD
 *             for (int64_t lane = 0; lane < SNL_STRIP; lane++) { ... }
 *         }
 *     }
 * If iterations change what they read, each in its own column, a strip has SNL_COLUMNS iterations
 * or what is left, because none may run twice. */
#include "config.h"

#include "emit/loop/loops.h"

/* Where the iterations that go abreast are. */
struct OuterVector {
    const char *begin, *cells;      /* index of the first cell of the chunk; the chunk */
    const char *strip, *live, *lane;
    const Var *index;               /* the loop's, in the list */
    CellAt *at;                     /* the loop's own cell */
    const char *first;              /* of a strip: the number of its first iteration; else NULL */
    const char *base;               /* of a strip: the index of number 0; NULL: 0 */
    Nest *nest;                     /* of a strip of cells: without their last digit; else NULL */
    const char *more;               /* of a strip: what is added to strides that C compilers must
                                     * not know */
    const char *lane_index;         /* of a strip: the index, in what is done for each; else NULL */
    bool simd;                      /* C compilers may be told that iterations do not meet */
};

/* What each of `count` iterations has for itself. */
static void
declare_arrays(Emit *e, const Task *t, const char *count)
{
    for (int n = 0; n < t->abreast.count; n++) {
        const Var *v = t->abreast.items[n];
        const char *name = name_new(e, v->name);
        declarations_maybe(e, name,
                   arena_printf(e->c->arena, "%s %s[%s] = {0};", type_c(e, v->type), name, count));
        e->fn.var_text[v->id] = arena_printf(e->c->arena, "%s[%s]", name, e->par.abreast->lane);
    }
}

void
outer_vector_open(Emit *e, const Var *index, const char *begin, const char *cells,
                  const char *count)
{
    OuterVector *a = e->par.abreast = ARENA_NEW(e->c->arena, OuterVector);
    const Task *t = e->par.abreast_task;
    *a = (OuterVector){.begin = begin, .cells = cells, .index = index};
    a->strip = name_new(e, "strip"), a->live = name_new(e, "live"), a->lane = name_new(e, "lane");
    text_open(e->out, "for (int64_t %s = 0; %s < %s; %s += SNL_ABREAST) {", a->strip, a->strip,
              count, a->strip);
    declarations_maybe(e, a->live,
               arena_printf(e->c->arena, "const int64_t %s = snl_abreast(%s, %s);", a->live,
                            a->strip, count));
    declare_arrays(e, t, "SNL_ABREAST");
}

void
outer_vector_at(Emit *e, CellAt *at)
{
    e->par.abreast->at = at;
}

void
outer_vector_open_strip(Emit *e, const Task *t, const char *begin, const char *end,
                        const char *base, Nest *nest)
{
    OuterVector *a = e->par.abreast = ARENA_NEW(e->c->arena, OuterVector);
    *a = (OuterVector){
        .base = base, .nest = nest, .index = t->vars.items[task_last_index(t)], .simd = t->simd};
    a->strip = name_new(e, "strip"), a->lane = name_new(e, "lane"), a->first = name_new(e, "first");
    a->live = t->columns ? name_new(e, "live") : "SNL_STRIP";
    a->more = name_new(e, "apart");
    declarations_maybe(e, a->more,
               arena_printf(e->c->arena, "const int64_t %s = snl_unknown_stride();", a->more));
    const char *most = t->columns ? "SNL_COLUMNS" : "SNL_STRIP";
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s += %s) {", a->strip, begin, a->strip, end,
              a->strip, most);
    if (t->columns) {
        a->first = a->strip;
        text_line(e->out, "const int64_t %s = snl_smaller(SNL_COLUMNS, %s - %s);", a->live, end,
                  a->strip);
    } else
        text_line(e->out, "const int64_t %s = snl_smaller(%s, %s - SNL_STRIP);", a->first, a->strip,
                  end);
    declare_arrays(e, t, most);
}

const char *
outer_vector_more(Emit *e)
{
    const OuterVector *a = e->par.abreast;
    if (!a || !a->lane_index)
        return "";
    return arena_printf(e->c->arena, " + %s * %s", a->lane_index, a->more);
}

/* A block that is done for each element of a strip. */
static void
emit_strip(Emit *e, const Inst *i)
{
    OuterVector *const a = e->par.abreast;
    Nest *nest = a->nest;
    CellAt *const cells = e->fn.cells;
    const Nest saved = nest ? nest_copy(e, nest) : (Nest){0};
    const char *index = a->lane_index = e->fn.var_text[a->index->id] =
        name_new(e, a->index->name);
    if (a->simd)
        loop_simd(e);
    text_open(e->out, "for (int64_t %s = 0; %s < %s; %s++) {", a->lane, a->lane, a->live, a->lane);
    declarations_maybe(e, index,
               arena_printf(e->c->arena, "const int64_t %s = %s%s%s + %s;", index,
                            a->base ? a->base : "", a->base ? " + " : "", a->first, a->lane));
    if (nest) {
        nest->digit[nest->count - 1] = index;
        nest_open(e, nest);
    }
    stmt_write(e, i->blocks[0]);
    text_close(e->out, "}");
    if (nest)
        *nest = saved;
    e->fn.cells = cells;
    a->lane_index = NULL;
}

void
outer_vector_block(Emit *e, const Inst *i)
{
    const OuterVector *a = e->par.abreast;
    if (a->first) {
        emit_strip(e, i);
        return;
    }
    const char *number = arena_printf(e->c->arena, "%s + %s", a->strip, a->lane);
    if (i->speculative)
        loop_simd(e);
    text_open(e->out, "for (int64_t %s = 0; %s < %s; %s++) {", a->lane, a->lane,
              i->speculative ? "SNL_ABREAST" : a->live, a->lane);
    /* of this block alone */
    const char *index = e->fn.var_text[a->index->id] = name_new(e, a->index->name);
    declarations_maybe(e, index,
               arena_printf(e->c->arena, "const int64_t %s = %s + %s;", index, a->begin, number));
    a->at->text = arena_printf(e->c->arena, "%s[%s]", a->cells, number);
    stmt_write(e, i->blocks[0]);
    text_close(e->out, "}");
}
