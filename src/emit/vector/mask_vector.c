/* Loops over bitmasked cells that compute whole words (pass mask_words). What the loop changes is
 * computed for all cells of a word in small arrays. Then each active cell gets its element.
 *     if (snl_word_is_dense(word_2, 4, true)) {
 *         float y_word[64];
 *         SNL_SIMD
 *         for (int64_t lane = 0; lane < 64; lane++) {
 *             const int64_t n_2 = w_2 * 64 + lane;
 *             x_cell *const cell_2 = &cell_1->x_cells[n_2];
 *             y_word[lane] = cell_2->y;
 *             ...                            the body, with y_word[lane] for cell_2->y
 *         }
 *         snl_word_put_4(&cell_1->x_cells[w_2 * 64], y_word, 2, 1, 64, word_2);
 *     } else { bit by bit } */
#include "config.h"

#include "emit/loop/loops.h"

enum { DENSE_SUM = 24 };

typedef struct {
    const Field *field;
    const char *name;
} WordArray;

/* A word while it is written. */
struct MaskVector {
    const Node *node;
    const char *lane, *word;
    VEC(WordArray) arrays;
};

static void
add_arrays(Emit *e, MaskVector *w, const Footprints *changed)
{
    for (int n = 0; n < changed->count; n++) {
        const Field *f = changed->items[n].field;
        bool known = false;
        for (int k = 0; k < w->arrays.count; k++)
            known |= w->arrays.items[k].field == f;
        if (known)
            continue;
        WordArray array = {
            f, name_new(e, arena_printf(e->c->arena, "%s_word", name_plain(e, f->name)))};
        vec_push(e->c->arena, &w->arrays, array);
    }
}

/* How many cells a word has. */
static int
cells_of_word(const Node *n)
{
    return n->cell_count < 64 ? (int)n->cell_count : 64;
}

void
mask_vector_prefetch(Emit *e, const Nest *nest, int level)
{
    const Node *n = nest->node[level];
    text_line(e->out, "snl_word_fetch_ahead(%s, %s, %d * sizeof(%s));", nest->word,
              mask_loops_first(e, nest, n), cells_of_word(n), type_cell(e, n));
}

/* Does the loop change an array that lies between others? */
static const char *
is_mixed(const Task *t)
{
    const Footprints *changed[2] = {&t->effects.writes, &t->effects.accumulates};
    for (int l = 0; l < 2; l++)
        for (int n = 0; n < changed[l]->count; n++)
            if (changed[l]->items[n].field->type->bytes < t->node->cell_bytes)
                return "true";
    return "false";
}

const char *
mask_vector_full_test(Emit *e, const Task *t, const Nest *nest)
{
    return arena_printf(e->c->arena, "snl_word_is_full(%s, %d, %s)", nest->word,
                        cells_of_word(t->node), is_mixed(t));
}

/* Do all cells of the word have the neighbours that are read? A condition that follows others. */
static const char *
and_has_neighbours(Emit *e, const Task *t, const Nest *nest)
{
    Arena *a = e->c->arena;
    const char *w = nest->word_number, *after = "";
    if (t->words_last > 0)
        after = arena_printf(a, " && %s * 64 < %lld", w,
                             (long long)(t->node->cell_count - 63 - t->words_last));
    if (t->words_first < 0)
        return arena_printf(a, " && %s * 64 >= %lld%s", w, (long long)-t->words_first, after);
    return after;
}

const char *
mask_vector_dense_test(Emit *e, const Task *t, const Nest *nest)
{
    const char *neighbours = and_has_neighbours(e, t, nest);
    if (t->lanes) /* the order of sums is the same on every machine */
        return arena_printf(e->c->arena, "snl_word_count(%s) > %d%s", nest->word, DENSE_SUM,
                            neighbours);
    return arena_printf(e->c->arena, "snl_word_is_dense(%s, %d, %s)%s", nest->word, t->words,
                        is_mixed(t), neighbours);
}

void
mask_vector_open(Emit *e, const Task *t, Nest *nest, int level)
{
    Arena *a = e->c->arena;
    const Node *n = nest->node[level];
    MaskVector *w = e->par.word = ARENA_NEW(a, MaskVector);
    w->node = n;
    w->lane = e->par.lane = name_new(e, "lane");
    w->word = nest->word;
    add_arrays(e, w, &t->effects.writes);
    add_arrays(e, w, &t->effects.accumulates);
    for (int k = 0; k < w->arrays.count; k++)
        text_line(e->out, "%s %s[64];", type_c(e, w->arrays.items[k].field->type),
                  w->arrays.items[k].name);
    if (t->lanes || !t->reductions.count)
        loop_simd(e);
    text_open(e->out, "for (int64_t %s = 0; %s < %d; %s++) {", w->lane, w->lane, cells_of_word(n),
              w->lane);
    nest->opened++;
    mask_loops_at_lane(e, nest, level, w->lane);
    for (int k = 0; k < w->arrays.count; k++) {
        const WordArray *array = &w->arrays.items[k];
        text_line(e->out, "%s[%s] = %s;", array->name, w->lane,
                  place_part_in_cell(e, e->fn.cells->text, array->field, 0, array->field->type));
    }
}

void
mask_vector_close(Emit *e, const Nest *nest)
{
    const MaskVector *w = e->par.word;
    const Node *n = w->node;
    for (int k = 0; k < w->arrays.count; k++) {
        const Field *f = w->arrays.items[k].field;
        const int bytes = f->type->bytes;
        text_line(e->out, "snl_word_put_%d(%s, %s, %d, %d, %d, %s);", bytes,
                  mask_loops_first(e, nest, n), w->arrays.items[k].name,
                  (int)(n->cell_bytes / bytes), (int)(f->leaves[0].cell_offset / bytes),
                  cells_of_word(n), nest->word);
    }
    e->par.word = NULL;
}

const char *
mask_vector_place(Emit *e, const Inst *place)
{
    const MaskVector *w = e->par.word;
    if (!w || place->kind != INST_IN_CELL || place->args.items[0]->kind != INST_LOOP_CELL)
        return NULL;
    for (int k = 0; k < w->arrays.count; k++)
        if (w->arrays.items[k].field == place->field)
            return arena_printf(e->c->arena, "%s[%s]", w->arrays.items[k].name, w->lane);
    return NULL;
}

const char *
mask_vector_choose(Emit *e, const Type *type, const char *value, const char *neutral)
{
    const MaskVector *w = e->par.word;
    if (!w)
        return value;
    const char *term = name_temp(e); /* read in any case, for vectors of cells */
    text_line(e->out, "const %s = %s;", type_decl(e, type, term), value);
    return arena_printf(e->c->arena, "(%s >> %s & 1 ? %s : %s)", w->word, w->lane, term, neutral);
}
