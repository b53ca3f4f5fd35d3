/* Loops over the cells of a list in which several iterations go abreast (pass abreast):
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
 *     } */
#include "config.h"

#include "emit/inside.h"

/* Where the iterations that go abreast are. */
struct Abreast {
    const char *begin, *cells;      /* index of the first cell of the chunk; the chunk */
    const char *strip, *live, *lane;
    const Var *index;               /* the loop's, in the list */
    CellAt *at;                     /* the loop's own cell */
};

void
abreast_open(Emit *e, const Var *index, const char *begin, const char *cells, const char *count)
{
    Abreast *a = e->abreast = ARENA_NEW(e->c->arena, Abreast);
    const Task *t = e->abreast_task;
    *a = (Abreast){.begin = begin, .cells = cells, .index = index};
    a->strip = name_new(e, "strip"), a->live = name_new(e, "live"), a->lane = name_new(e, "lane");
    text_open(e->out, "for (int64_t %s = 0; %s < %s; %s += SNL_ABREAST) {", a->strip, a->strip,
              count, a->strip);
    body_maybe(e, a->live,
               arena_printf(e->c->arena, "const int64_t %s = snl_abreast(%s, %s);", a->live,
                            a->strip, count));
    for (int n = 0; n < t->abreast.count; n++) {
        const Var *v = t->abreast.items[n];
        const char *name = name_new(e, v->name);
        body_maybe(
            e, name,
            arena_printf(e->c->arena, "%s %s[SNL_ABREAST] = {0};", type_c(e, v->type), name));
        e->var_text[v->id] = arena_printf(e->c->arena, "%s[%s]", name, a->lane);
    }
}

void
abreast_at(Emit *e, CellAt *at)
{
    e->abreast->at = at;
}

void
emit_abreast(Emit *e, const Inst *i)
{
    const Abreast *a = e->abreast;
    const char *number = arena_printf(e->c->arena, "%s + %s", a->strip, a->lane);
    if (i->all)
        text_line(e->out, "SNL_SIMD");
    text_open(e->out, "for (int64_t %s = 0; %s < %s; %s++) {", a->lane, a->lane,
              i->all ? "SNL_ABREAST" : a->live, a->lane);
    /* of this block alone */
    const char *index = e->var_text[a->index->id] = name_new(e, a->index->name);
    body_maybe(e, index,
               arena_printf(e->c->arena, "const int64_t %s = %s + %s;", index, a->begin, number));
    a->at->text = arena_printf(e->c->arena, "%s[%s]", a->cells, number);
    emit_block(e, i->blocks[0]);
    text_close(e->out, "}");
}
