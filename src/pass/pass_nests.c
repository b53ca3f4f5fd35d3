/* Loops over ranges and arrays in which sequential loops lie inside each other, or follow each
 * other, or choose values by conditions: C compilers make vectors across one such loop at most, and
 * across none with conditions, or that may have no rounds. So a strip of iterations goes through
 * them together (abreast.h), inside of what conditions ask (pass split), or everywhere.
 *
 *     range_for(i32 i in 0..64, i32 j in 8..56) {     range_for(...) abreast {
 *         declare s <- 0                                  (the same)
 *         for di in $1..$2 {                          } inside from..to {
 *             for dj in $1..$2 {                          abreast { store s.0 <- 0 }
 *                 store s <- $8                  →        for di in $1..$2 {
 *             }                                               for dj in $1..$2 {
 *         }                                                       abreast { store s.0 <- $38 }
 *         store y[i, j] <- $9                                 }
 *     }                                                   }
 *                                                         abreast { store y[i, j] <- $39 }
 *                                                     }
 *
 * The last strip begins where it ends with the range, and does a few iterations again: the loop
 * does not read what it writes. Where it does, but each iteration in its own column alone, as sums
 * along columns, strips are longer and the last one shorter; one sequential loop is enough then,
 * for C compilers make no vectors across it. */
#include "config.h"

#include "ir/inst_info.h"
#include "pass/abreast.h"
#include "pass/copy.h"
#include "pass/overlap.h"
#include "pass/pass.h"

enum { LOOPS_LEAST = 2 };
enum { ROUNDS_MOST = 8, CHOICES_MOST = 16 }; /* C compilers unroll loops of so few rounds */

typedef struct {
    int loops;   /* of more than a few rounds */
    int open;    /* of rounds that are known at run time only, none perhaps */
    int choices; /* conditions that choose values in loops of more than CHOICES_MOST rounds */
    bool adds;   /* what is done again would be added again */
} Nests;

/* Does nothing but choose values of variables? */
static void
note_choice(Inst *i, void *arg)
{
    bool *chooses = arg;
    const bool moves = i->kind == INST_LOAD || i->kind == INST_STORE;
    *chooses &= moves ? inst_place_root(i->args.items[0])->kind == INST_VAR
                      : inst_info(i->kind)->effects == 'P';
}

/* Counts the conditions that choose values. */
static void
note_if(Inst *i, void *arg)
{
    int *count = arg;
    if (i->kind != INST_IF)
        return;
    bool chooses = true;
    for (int b = 0; b < 2 && i->blocks[b]; b++)
        block_walk(i->blocks[b], note_choice, &chooses);
    *count += chooses;
}

static void
look_at(Inst *i, void *arg)
{
    Nests *n = arg;
    n->adds |= i->kind == INST_ATOMIC;
    for (int v = 0; i->kind == INST_FOR && i->args.count == 3 * i->vars.count && v < i->vars.count;
         v++) {
        Inst *const *range = &i->args.items[3 * v];
        const int64_t count = range_count(range[0], range[1], range[2]);
        n->loops += count < 0 || count > ROUNDS_MOST;
        n->open += count < 0;
        if (count < 0 || count > CHOICES_MOST)
            block_walk(i->blocks[0], note_if, &n->choices);
    }
}

/* Do C compilers make no vectors across these loops? */
static bool
is_worth(const Nests *n)
{
    return n->loops >= LOOPS_LEAST || n->open || (n->loops && n->choices);
}

/* Makes the inside go abreast; where the loop reads what it changes, by columns. */
static bool
go_abreast(Compile *c, const Ir *ir, IrFunc *f, Task *t, const Nests *n)
{
    const Var *last = t->vars.items[task_last_index(t)];
    if (abreast_make(c, ir, f, t, t->inside, last))
        return true;
    if (t->columns || !n->open || !task_has_columns(t))
        return false;
    t->columns = true; /* which abreast_make asks for */
    const bool made = abreast_make(c, ir, f, t, t->inside, last);
    t->columns = made;
    t->simd = !made;
    return made;
}

static void
nests_tasks(Compile *c, const Ir *ir, IrFunc *f, const Tasks *tasks)
{
    for (int n = 0; n < tasks->count; n++) {
        Task *t = tasks->items[n];
        Nests nests = {0};
        nests_tasks(c, ir, f, &t->tasks);
        nests_tasks(c, ir, f, &t->orelse);
        if (!task_is_plain(t) || !(t->simd || t->columns) || t->stride || t->batches ||
            t->ahead_strips.count)
            continue;
        block_walk(t->body, look_at, &nests);
        if (t->columns ? !nests.loops : !is_worth(&nests) || nests.adds)
            continue;
        const bool whole = !t->inside;
        if (whole)
            t->inside = copy_of_block(c, f, t->body);
        if (!go_abreast(c, ir, f, t, &nests) && whole)
            t->inside = NULL;
    }
}

void
pass_nests(Compile *c, Ir *ir, IrFunc *f)
{
    if (!c->options.gpu) /* each iteration has a thread of its own */
        nests_tasks(c, ir, f, &f->tasks);
}
