/* Outer-loop vectorisation of loops over ranges and arrays. Their sequential loops lie inside each
 * other, follow each other, or choose values by conditions. C compilers vectorise across one
 * sequential loop at most, and across none with conditions or of perhaps no rounds. A strip of
 * iterations goes through the sequential loops together (outer_vector.h), in the inside of pass
 * partition, or everywhere.
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
 * The last strip begins where it ends with the range, and does a few iterations again, because the
 * loop does not read what it writes. If it does, but each iteration only in its own column, as sums
 * along columns do, strips are longer and the last one is shorter. One sequential loop is enough
 * then, because C compilers do not vectorise across it.
 *
 * If iterations go along rows of their own, as sums of rows do, a strip adds up as many rows at
 * once as have their current lines in the first cache together. */
#include "config.h"

#include "pass/pass.h"

#include <stdlib.h>

#include "analysis/cost.h"
#include "analysis/iteration_alias.h"
#include "analysis/linear.h"
#include "ir/inst_info.h"
#include "pass/clone.h"
#include "pass/vector/outer_vector.h"

enum { LOOPS_LEAST = 2 };
enum { ROUNDS_MOST = 8, CHOICES_MOST = 16 }; /* C compilers unroll loops of so few rounds */
/* A first cache, at least: lines that lie a page apart share a set of eight. */
enum { LINE = 64, PAGE = 4096, CACHE = 8 * PAGE, STRIP = 32 /* SNL_STRIP */ };

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
        const int64_t count = cost_trip_count(range[0], range[1], range[2]);
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

/* ---- what neighbouring iterations reach far from each other ---- */

typedef struct {
    Compile *c;
    const Ir *ir;
    IrFunc *f;
    const AffineFacts *indices; /* of the function; NULL: not needed yet */
    const Task *task;
    Nodes apart;            /* reached so in sequential loops of the task */
    int64_t bytes;          /* of the cache for each iteration, with what it bars others from */
} Search;

/* Bytes between what an iteration and the next one reach; 0: that is not known, or not far. */
static int64_t
far_stride(const Search *k, const Inst *i)
{
    if (i->kind != INST_LOOKUP || i->node->kind != NODE_DENSE)
        return 0;
    const Linear number = linear_of(k->indices, k->task, i->args.items[1]);
    const Var *last = k->task->vars.items[task_last_index(k->task)];
    int64_t times = 0;
    for (int n = 0; n < number.count; n++)
        times += number.terms[n].var == last ? number.terms[n].times : 0;
    const int64_t stride = number.fits ? llabs(times) * i->node->cell_bytes : 0;
    return stride > LINE ? stride : 0;
}

/* Of what lies powers of two apart gcc would load all that is between. */
static void
mark_far(Inst *i, void *arg)
{
    const int64_t stride = far_stride(arg, i);
    i->opaque_stride = stride && !(stride & (stride - 1));
}

static void
note_apart(Inst *i, void *arg)
{
    Search *k = arg;
    const int64_t stride = far_stride(k, i);
    if (!stride || nodes_have(&k->apart, i->node))
        return;
    const int64_t twos = stride & -stride; /* the greatest power of two that divides it */
    k->bytes += twos < LINE ? LINE : twos < PAGE ? twos : PAGE;
    vec_push(k->c->scratch, &k->apart, i->node);
}

static void
note_loop(Inst *i, void *arg)
{
    if (i->kind == INST_FOR)
        block_walk(i->blocks[0], note_apart, arg);
}

/* Do the lines that a strip is at lie in the cache together? */
static bool
fits_in_cache(Search *k, const Task *t, Block *b)
{
    if (!k->indices)
        k->indices = affine_new(k->c, k->f);
    k->task = t;
    k->apart.count = 0;
    k->bytes = 0;
    block_walk(b, note_loop, k);
    block_walk(b, mark_far, k);
    return k->bytes * STRIP <= CACHE;
}

/* ---- which loops ---- */

/* Makes the inside go abreast; where the loop reads what it changes, by columns. */
static bool
go_abreast(const Search *k, Task *t, const Nests *n)
{
    const Var *last = t->vars.items[task_last_index(t)];
    if (outer_vector_make(k->c, k->ir, k->f, t, t->inside, last))
        return true;
    if (t->columns || !n->open || !iteration_alias_has_columns(t))
        return false;
    t->columns = true; /* which outer_vector_make asks for */
    const bool made = outer_vector_make(k->c, k->ir, k->f, t, t->inside, last);
    t->columns = made;
    t->simd = !made;
    return made;
}

static void
look_at_nest(Search *k, Task *t)
{
    Nests nests = {0};
    if (!task_is_plain(t) || t->reductions.count || !(t->simd || t->columns) || t->stride ||
        t->batches || t->ahead_strips.count)
        return;
    block_walk(t->body, look_at, &nests);
    if (t->columns ? !nests.loops : !is_worth(&nests) || nests.adds)
        return;
    const bool whole = !t->inside;
    if (!fits_in_cache(k, t, whole ? t->body : t->inside) && !t->columns)
        return;
    if (whole)
        t->inside = clone_block(k->c, k->f, t->body);
    if (!go_abreast(k, t, &nests) && whole)
        t->inside = NULL;
}

void
pass_outer(Compile *c, Ir *ir, IrFunc *f)
{
    Search k = {.c = c, .ir = ir, .f = f};
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_nest(&k, loops.items[n]);
}
