/* Functions and parallel loops whose code is so large that C compilers take minutes over it at
 * levels above -O1. Some of their work grows by the square of the size of a function.
 *
 *     $0 = offloaded range_for(i32 i in 0..64) {     →     $0 = offloaded range_for(...) large {
 *
 * Such a function is compiled as with -O1, whose time grows by its size. Results keep their bits,
 * because levels change no arithmetic. A warning names the line from which most of the code comes,
 * usually in a `static for`. */
#include "config.h"

#include <stdlib.h>

#include "ir/inst_info.h"
#include "pass/pass.h"

/* gcc 12 at -O3 takes 1 to 3 s for a function of so many instructions, and minutes for ten times as
 * many where branches follow each other. */
enum { INSTS_MOST = 16000 };

/* The code of one function of C. */
typedef struct {
    Compile *c;
    int count;
    VEC(Span) spans; /* of its instructions; none are noted the first time */
    bool notes;
} Code;

static void
count_inst(Inst *i, void *arg)
{
    Code *k = arg;
    k->count++;
    if (k->notes && i->span.from)
        vec_push(k->c->scratch, &k->spans, i->span);
}

static void
count_block(Block *b, void *arg)
{
    block_walk(b, count_inst, arg);
}

/* What the function of a parallel loop has. */
static void
count_loop(const Task *t, Code *k)
{
    Block *const blocks[] = {t->entry, t->before, t->body, t->inside, t->fetches};
    for (size_t n = 0; n < sizeof blocks / sizeof *blocks; n++)
        count_block(blocks[n], k);
}

/* What the function of a kernel has: all but its loops. */
static void
count_task(Task *t, void *arg)
{
    count_block(t->setup, arg);
    if (!task_is_loop(t))
        count_block(t->body, arg);
}

static void
count_func(const IrFunc *f, Code *k)
{
    count_block(f->body, k);
    tasks_walk(&f->tasks, count_task, k);
}

/* ---- where it comes from ---- */

static int
compare_spans(const void *a, const void *b)
{
    const Span *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* The position behind the line of one. */
static uint32_t
end_of_line(const Compile *c, uint32_t at)
{
    const Source *s = source_find(&c->sources, at);
    uint32_t end = at;
    while (s && end - s->base < s->bytes && s->text[end - s->base] != '\n')
        end++;
    return end;
}

/* What most instructions come from that stand on one line. */
static Span
find_source(const Code *k)
{
    const Span *spans = k->spans.items;
    Span most = {0, 0};
    int largest = 0;
    if (k->spans.count)
        qsort(k->spans.items, (size_t)k->spans.count, sizeof *spans, compare_spans);
    for (int n = 0, next; n < k->spans.count; n = next) {
        const uint32_t end = end_of_line(k->c, spans[n].from);
        Span all = spans[n];
        for (next = n + 1; next < k->spans.count && spans[next].from <= end; next++)
            all.to = spans[next].to > all.to && spans[next].to <= end ? spans[next].to : all.to;
        if (next - n > largest) {
            largest = next - n;
            most = all;
        }
    }
    return most;
}

static void
warn(const Code *k, const Func *f)
{
    Diag *d = diag(k->c, W0604, find_source(k),
                   "'%s' becomes so much code that C compilers take long over it: it is compiled "
                   "as with -O1",
                   f->name ? f->name : "main");
    diag_note(d, (Span){0, 0}, "most of it comes from this line: %d instructions in all", k->count);
    diag_fix(d, "'for' in place of 'static for', several functions, or -fno-large");
}

/* ---- the pass ---- */

/* Counts, and where it is too much, notes where it comes from, too. */
static bool
is_large(Code *k, const IrFunc *f, const Task *t)
{
    for (int round = 0; round < 2; round++) {
        k->count = k->spans.count = 0;
        k->notes = round > 0;
        if (t)
            count_loop(t, k);
        else
            count_func(f, k);
        if (k->count <= INSTS_MOST)
            return false;
    }
    warn(k, f->func);
    return true;
}

void
pass_large(Compile *c, Ir *ir, IrFunc *f)
{
    Code k = {.c = c};
    (void)ir;
    if (c->options.optimize < 2)
        return;
    f->large = is_large(&k, f, NULL);
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        loops.items[n]->large = is_large(&k, f, loops.items[n]);
}
