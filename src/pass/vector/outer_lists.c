/* Outer-loop vectorisation of loops over the cells of lists. A few iterations take each step of
 * their sequential loops together. C compilers vectorise the steps, although each iteration adds up
 * in its own order.
 *
 *     struct_for(S2dynamic) {                  struct_for(S2dynamic) abreast s.0 {
 *         declare $7 <- $6                         abreast all { store s.0 <- $6 }
 *         for i32 a.6 in $14..$20 {                for i32 a.6 in $14..$20 {
 *             $22 = load $21              →            $22 = load $21
 *             if $25 { store $27 <- $26 }              abreast all {
 *                                                          store s.0 <- select $25, $26, load s.0
 *                                                      }
 *         }                                        }
 *         store $30 <- $29                         abreast { store $30 <- $29 }
 *     }                                        }
 *
 * The sequential loops must run alike for all iterations, and the loop must not read what it writes
 * (outer_vector.h). */
#include "config.h"

#include "pass/pass.h"

#include "ir/inst_info.h"
#include "pass/vector/outer_vector.h"

/* The index of a list among the loop variables, which go by axis. */
static const Var *
index_of_list(const Task *t)
{
    return t->vars.items[node_axis_rank(t->node, t->node->axes[0])];
}

static void
look_at_list(Compile *c, const Ir *ir, IrFunc *f, Task *t)
{
    if (t->kind != TASK_STRUCT_FOR || !t->node || t->node->kind != NODE_DYNAMIC ||
        t->use_list || t->reductions.count || t->halos.count)
        return;
    outer_vector_make(c, ir, f, t, t->body, index_of_list(t));
}

void
pass_outer_lists(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        look_at_list(c, ir, f, loops.items[n]);
}
