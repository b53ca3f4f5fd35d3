/* What host code keeps to take derivatives back, and gives back in the opposite order. */
#include "config.h"

#include <stdlib.h>

#include "interp/inside.h"

/* A word, or the elements of a field. */
typedef struct Kept {
    struct Kept *before;
    int64_t count;
    Leaf leaves[];
} Kept;

struct Tape {
    Kept *words, *fields[2];
};

static struct Tape *
tape_of(Interp *in)
{
    if (!in->tape)
        in->tape = interp_memory(1, sizeof *in->tape);
    return in->tape;
}

static Kept *
push(Kept **last, int64_t count)
{
    Kept *k = interp_memory(1, sizeof(Kept) + (size_t)count * sizeof(Leaf));
    k->before = *last;
    k->count = count;
    return *last = k;
}

static void
pop(Kept **last)
{
    Kept *k = *last;
    *last = k->before;
    free(k);
}

void
tape_free(Interp *in)
{
    struct Tape *t = in->tape;
    if (!t)
        return;
    while (t->words)
        pop(&t->words);
    for (int i = 0; i < 2; i++)
        while (t->fields[i])
            pop(&t->fields[i]);
    free(t);
    in->tape = NULL;
}

int64_t
tape_take_word(Interp *in)
{
    struct Tape *t = tape_of(in);
    if (!t->words)
        return 0;
    const int64_t word = t->words->leaves[0].i;
    pop(&t->words);
    return word;
}

/* Keeps all elements of a field, or gives them back. */
static void
each_element(Interp *in, const TStmt *s, bool keeps)
{
    Field *f = s->field;
    Kept **last = &tape_of(in)->fields[s->tape];
    const int leaves = f->type->leaf_count;
    Cells cells = {.count = 1};
    tree_require_field(in, f, s->span);
    if (f->node)
        cells = tree_cells(in, f->node, s->span);
    Kept *k = keeps ? push(last, cells.count * leaves) : *last;
    for (int64_t i = 0; i < cells.count; i++) {
        int64_t index[AXIS_MAX] = {0};
        if (f->node)
            tree_cells_at(in, &cells, i, index);
        for (int leaf = 0; leaf < leaves; leaf++) {
            Leaf *v = &k->leaves[i * leaves + leaf];
            if (keeps)
                *v = tree_read(in, f, leaf, index, s->span);
            else
                tree_write(in, f, leaf, index, *v, s->span);
        }
    }
    if (f->node)
        tree_cells_free(&cells);
    if (!keeps)
        pop(last);
}

void
tape_exec(Interp *in, const TStmt *s)
{
    if (s->value) {
        Leaf v;
        eval(in, s->value, &v);
        push(&tape_of(in)->words, 1)->leaves[0] = v;
    } else if (s->field) {
        each_element(in, s, s->kind == TS_KEEP);
    } else {
        tape_free(in);
    }
}
