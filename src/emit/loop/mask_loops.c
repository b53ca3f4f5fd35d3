/* Loops over bitmasked cells read whole words of the mask:
 *     for (int64_t w_2 = 0; w_2 < 4; w_2++) {
 *         const uint64_t word_2 = cell_1->snl_mask2[w_2];
 *         if (word_2 == UINT64_MAX) {
 *             for (int64_t n_2 = w_2 * 64; n_2 < w_2 * 64 + 64; n_2++) { ... }
 *         } else {
 *             for (uint64_t bits_2 = word_2; bits_2; bits_2 &= bits_2 - 1) {
 *                 const int64_t n_2 = w_2 * 64 + snl_first_bit(bits_2);
 *                 ...
 *             }
 *         }
 *     }
 * A word of zeros costs a test, and a word of ones is a plain loop that C compilers vectorise. The
 * body is written twice only if it is short. */
#include "config.h"

#include "emit/loop/loops.h"

bool
mask_loops_in_words(const Nest *nest, int level)
{
    const Node *n = nest->node[level];
    if (n->kind != NODE_BITMASKED || nest->axis_at[level] || !n->cell_count ||
        level + n->axis_count > nest->count)
        return false;
    for (int k = 0; k < n->axis_count; k++)
        if (nest->digit[level + k])
            return false;
    return true;
}

int64_t
mask_loops_words(const Node *n)
{
    return (n->cell_count + 63) / 64;
}

static const char *
named(Emit *e, const char *what, const Node *n)
{
    return name_new(e, arena_printf(e->c->arena, "%s_%d", what, n->id));
}

const char *
mask_loops_here(Emit *e, const Nest *nest, const Node *n)
{
    if (nest->masks)
        return nest->masks;
    if (n->parent) {
        Inst at = {.kind = INST_LOOP_CELL, .node = n->parent}, *arg = &at,
             child = {.kind = INST_CHILD, .node = (Node *)n};
        child.args.items = &arg;
        child.args.count = 1;
        return place_mask(e, &child);
    }
    Inst root = {.kind = INST_ROOT, .node = (Node *)n};
    const char *name = arena_printf(e->c->arena, "mask_%d", n->id);
    declarations_add(
        e, name,
        arena_printf(e->c->arena, "const uint64_t *const %s = %s;", name, place_mask(e, &root)));
    return name;
}

void
mask_loops_open_words(Emit *e, Nest *nest, int level)
{
    const Node *n = nest->node[level];
    if (!nest->word_number && mask_loops_words(n) == 1)
        nest->word_number = "0";
    if (!nest->word_number) {
        const char *w = nest->word_number = named(e, "w", n);
        text_open(e->out, "for (int64_t %s = 0; %s < %lld; %s++) {", w, w,
                  (long long)mask_loops_words(n), w);
        nest->opened++;
    }
    nest->word = named(e, "word", n);
    text_line(e->out, "const uint64_t %s = %s[%s];", nest->word, mask_loops_here(e, nest, n),
              nest->word_number);
}

/* A name for the number of a cell: that of its index where it has but one. */
static const char *
name_of_number(Emit *e, Nest *nest, int level)
{
    if (nest->node[level]->axis_count > 1)
        return named(e, "n", nest->node[level]);
    return nest->digit[level] = nest_digit(e, nest, level);
}

/* The indices of the cell with that number in its container. */
static void
define_digits(Emit *e, Nest *nest, int level, const char *number)
{
    const Node *n = nest->node[level];
    int64_t below = n->cell_count;
    for (int k = 0; k < n->axis_count && n->axis_count > 1; k++) {
        int64_t size = n->stored[k];
        const char *text = number;
        below /= size;
        if (below > 1)
            text = arena_printf(
                e->c->arena, (below & (below - 1)) ? "%s / %lld" : "%s >> %lld", text,
                (below & (below - 1)) ? (long long)below
                                      : (long long)__builtin_ctzll((unsigned long long)below));
        if (k > 0 && below > 1)
            text = arena_printf(e->c->arena, "(%s)", text);
        if (k > 0)
            text = arena_printf(e->c->arena, (size & (size - 1)) ? "%s %% %lld" : "%s & %lld", text,
                                (long long)((size & (size - 1)) ? size : size - 1));
        const char *d = nest->digit[level + k] = nest_digit(e, nest, level + k);
        declarations_maybe(e, d, arena_printf(e->c->arena, "const int64_t %s = %s;", d, text));
    }
    nest_enter(e, nest, level, number);
    nest->word_number = nest->word = NULL;
}

const char *
mask_loops_full_test(Emit *e, const Nest *nest, int level)
{
    const int64_t count = nest->node[level]->cell_count;
    const char *all = count >= 64 ? "UINT64_MAX"
                                  : arena_printf(e->c->arena, "%lluu",
                                                 ((unsigned long long)1 << count) - 1);
    return arena_printf(e->c->arena, "%s == %s", nest->word, all);
}

void
mask_loops_open_full(Emit *e, Nest *nest, int level)
{
    const Node *n = nest->node[level];
    const char *number = name_of_number(e, nest, level), *w = nest->word_number;
    if (n->cell_count <= 64)
        text_open(e->out, "for (int64_t %s = 0; %s < %lld; %s++) {", number, number,
                  (long long)n->cell_count, number);
    else
        text_open(e->out, "for (int64_t %s = %s * 64; %s < %s * 64 + 64; %s++) {", number, w,
                  number, w, number);
    nest->opened++;
    define_digits(e, nest, level, number);
}

void
mask_loops_at_lane(Emit *e, Nest *nest, int level, const char *lane)
{
    const char *number = lane;
    if (mask_loops_words(nest->node[level]) > 1) {
        number = name_of_number(e, nest, level);
        declarations_maybe(e, number,
                   arena_printf(e->c->arena, "const int64_t %s = %s * 64 + %s;", number,
                                nest->word_number, lane));
    } else if (nest->node[level]->axis_count == 1) {
        nest->digit[level] = lane;
    }
    define_digits(e, nest, level, number);
}

const char *
mask_loops_first(Emit *e, const Nest *nest, const Node *n)
{
    const char *cells = nest_container(e, n);
    if (mask_loops_words(n) == 1)
        return cells;
    return arena_printf(e->c->arena, "&%s[%s * 64]", cells, nest->word_number);
}

void
mask_loops_open_bits(Emit *e, Nest *nest, int level)
{
    const Node *n = nest->node[level];
    const char *number = name_of_number(e, nest, level), *bits = named(e, "bits", n), *before = "";
    if (mask_loops_words(n) > 1)
        before = arena_printf(e->c->arena, "%s * 64 + ", nest->word_number);
    text_open(e->out, "for (uint64_t %s = %s; %s; %s &= %s - 1) {", bits, nest->word, bits, bits,
              bits);
    nest->opened++;
    nest->bits = bits;
    nest->bits_of = arena_printf(e->c->arena, "%s, %lld, %s", mask_loops_here(e, nest, n),
                                 (long long)mask_loops_words(n), nest->word_number);
    declarations_maybe(
        e, number,
        arena_printf(e->c->arena, "const int64_t %s = %ssnl_first_bit(%s);", number, before, bits));
    define_digits(e, nest, level, number);
}

bool
mask_loops_may_be_full(const Node *n)
{
    for (int k = 0; k < n->axis_count; k++)
        if (n->sizes[k] != n->stored[k])
            return false;
    return true;
}
