/* Loops with a version for fast floats, no NaN and no -0 (pass version_floats), in C:
 *     const SnlNodeDesc *const array = &in->self->trees[0]->nodes[0].desc;
 *     const int64_t band = snl_usual_band(array);
 *     for (int64_t begin = from, end; begin < to; begin = end) {
 *         end = snl_smaller(to, (begin / band + 1) * band);
 *         if (snl_usual_slices_f32(array, in->self->trees[0]->root[0], begin - 1, end + 1))
 *             step_loop1_usual(args, chunk, begin, end);
 *         else
 *             step_loop1_any(args, chunk, begin, end);
 *     }
 * If the loop has sums, which each chunk keeps once, the band is the chunk. */
#include "config.h"

#include "emit/loop/parallel.h"

bool
version_floats_has_version(const LoopOut *k)
{
    const Task *t = k->t;
    return t->has_fast_floats && !t->fast_floats.items[0].halo && !k->e->o->gpu && !t->order &&
           !t->packed && !t->batches && !t->tiny && !t->rows && !k->atomic && !k->placed &&
           !k->owned && !k->listed && !k->one_mask;
}

const char *
version_floats_copies_test(Emit *e, const Task *t)
{
    const char *text = NULL;
    for (int n = 0; t->has_fast_floats && t->fast_floats.items[0].halo && n < t->fast_floats.count;
         n++) {
        const HaloName *made = e->par.halos;
        while (made->halo != t->fast_floats.items[n].halo)
            made++;
        const char *scalar = scalar_info(t->fast_floats.items[n].scalar)->name;
        text = arena_printf(e->c->arena, "%s%ssnl_usual_%s(%s, (int64_t)(sizeof %s / sizeof(%s)))",
                            text ? text : "", text ? " && " : "", scalar, made->name, made->name,
                            scalar_info(t->fast_floats.items[n].scalar)->ctype);
    }
    return text;
}

/* Iterations that have the same index of the outermost axis, as a factor; NULL: one. */
static const char *
iterations_of_slice(LoopOut *k)
{
    const char *text = NULL;
    for (int l = 1; k->t->kind == TASK_STRUCT_FOR && l < k->flat; l++) {
        const char *size = nest_size(k->e, &k->nest, l);
        text = text ? arena_printf(k->e->c->arena, "%s * %s", text, size) : size;
    }
    return text;
}

/* A number of an iteration as the index of the outermost axis, plus an offset. */
static const char *
slice_of(LoopOut *k, const char *number, int64_t offset)
{
    Arena *a = k->e->c->arena;
    const Inst *from = k->t->kind == TASK_RANGE_FOR ? k->t->from.items[0] : NULL;
    if (from && from->kind == INST_CONST)
        offset += from->value.leaves[0].i;
    else if (from)
        number = arena_printf(a, "in->from0 + %s", number);
    return offset ? arena_printf(a, "%s %c %lld", number, offset < 0 ? '-' : '+',
                                 (long long)(offset < 0 ? -offset : offset))
                  : number;
}

/* Are all slices that the band may read fast? */
static const char *
band_test(LoopOut *k, const char *each)
{
    const Task *t = k->t;
    Arena *a = k->e->c->arena;
    const char *text = "";
    const char *first = each ? arena_printf(a, "begin / (%s)", each) : "begin",
               *last = each ? arena_printf(a, "(end - 1) / (%s)", each) : "end";
    for (int n = 0; n < t->fast_floats.count; n++) {
        const FastFloats *s = &t->fast_floats.items[n];
        const Node *node = s->node;
        text = arena_printf(
            a, "%s%ssnl_usual_slices_%s(&in->self->trees[%d]->nodes[%d].desc, %s, %s, %s)", text,
            n ? " && " : "", scalar_info(s->scalar)->name, node->layout->id, node->id - 1,
            arena_printf(a, "in->self->trees[%d]->root[%d]", node->layout->id, node->id - 1),
            slice_of(k, first, s->low), slice_of(k, last, s->high + (each ? 1 : 0)));
    }
    return text;
}

void
version_floats_choice(LoopOut *k)
{
    Emit *e = k->e;
    Text *t = e->out;
    const Node *n = k->t->fast_floats.items[0].node;
    const char *each = iterations_of_slice(k);
    text_line(t, parts_has(k) ? "SNL_PARTED void" : "static void");
    text_line(t, "%s(void *args, int64_t chunk, int64_t from, int64_t to)", k->function);
    text_open(t, "{");
    text_line(t, "const %s *const in = (const %s *)args;", k->args_type, k->args_type);
    if (!k->reduction_count)
        text_line(t,
                  "const int64_t band = %s%ssnl_usual_band(&in->self->trees[%d]->nodes[%d].desc);",
                  each ? each : "", each ? " * " : "", n->layout->id, n->id - 1);
    text_open(t, "for (int64_t begin = from, end; begin < to; begin = end) {");
    text_line(t, k->reduction_count ? "end = to;"
                                    : "end = snl_smaller(to, (begin / band + 1) * band);");
    text_line(t, "if (%s)", band_test(k, each));
    text_line(t, "    %s_usual(args, chunk, begin, end);", k->function);
    text_line(t, "else");
    text_line(t, "    %s_any(args, chunk, begin, end);", k->function);
    text_close(t, "}");
    text_close(t, "}");
    text_newline(t);
}
