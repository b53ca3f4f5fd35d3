/* Vector width. Loops that compute much more than they load and store take the widest vectors of
 * the processor.
 *
 *   $0 = offloaded struct_for(S1dense) simd {        $0 = offloaded struct_for(S1dense) simd wide {
 *       $9 = builtin sin $8                    →         (the same)
 *
 * For processors with AVX-512, C compilers choose half the width, because the widest vectors lower
 * the frequency and memory feeds no more. If both arithmetic units work on the widest vectors, and
 * the numbers are in registers, that choice costs up to half of the speed. */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "analysis/cost.h"
#include "ir/inst_info.h"

enum { WORK_LEAST = 3 };   /* operations on floats for each number that is loaded or stored */
enum { ELEMENTARY = 20 };  /* operations that a function such as sin takes */
enum { ROUNDS = 16 };      /* of a sequential loop */

typedef struct {
    const Task *t;
    const Var *last;       /* the variable of the innermost loop; NULL: any of the task */
    const AffineFacts *indices;
    signed char *differs;  /* by number of an instruction; 0: not known yet, -1: no */
    int64_t work, moved, times;
} LoopWeight;

static bool differs(LoopWeight *w, const Inst *i);

static bool
variable_differs(LoopWeight *w, const Var *v)
{
    if (task_has_var(w->t, v))
        return !w->last || v == w->last;
    const Inst *value = affine_let(w->indices, v);
    return value ? differs(w, value) : v->kind == VAR_LOCAL;
}

/* Is a value or place another one in each iteration of the innermost loop? Then C compilers cannot
 * load it once for several. */
static bool
differs(LoopWeight *w, const Inst *i)
{
    signed char *known = &w->differs[i->id];
    if (*known)
        return *known > 0;
    bool found = i->kind == INST_LOOP_CELL || (i->kind == INST_VAR && variable_differs(w, i->var));
    for (int a = 0; a < i->args.count && !found; a++)
        found = differs(w, i->args.items[a]);
    *known = found ? 1 : -1;
    return found;
}

static int64_t
operations_of_builtin(const Inst *i)
{
    if (i->builtin <= BUILTIN_POW && i->builtin != BUILTIN_SQRT)
        return ELEMENTARY * (int64_t)i->type->leaf_count;
    int64_t count = 0;
    for (int a = 0; a < i->args.count; a++)
        count += i->args.items[a]->type->leaf_count;
    return count;
}

static int64_t
operations(const Inst *i)
{
    if (!i->type || !type_is_float(i->type))
        return 0;
    switch (i->kind) {
    case INST_BUILTIN: return operations_of_builtin(i);
    case INST_FMA: return 2 * cost_operations(i);
    case INST_UNARY:
    case INST_BINARY:
    case INST_CAST:
    case INST_SELECT: return cost_operations(i);
    default: return 0;
    }
}

/* Numbers that go from or to memory, rather than local variables and tables. */
static int64_t
moves(LoopWeight *w, const Inst *i)
{
    if (i->kind != INST_LOAD && i->kind != INST_STORE && i->kind != INST_ATOMIC)
        return 0;
    const Inst *place = i->args.items[0];
    const InstKind root = inst_place_root(place)->kind;
    if (root == INST_VAR || root == INST_TABLE || !differs(w, place))
        return 0;
    return place->type->leaf_count;
}

static void
weigh(LoopWeight *w, const Block *b)
{
    for (int n = 0; b && n < b->insts.count; n++) {
        const Inst *i = b->insts.items[n];
        const int64_t times = w->times;
        w->work += times * operations(i);
        w->moved += times * moves(w, i);
        if (inst_is_loop(i))
            w->times = times < WORK_ENOUGH ? times * ROUNDS : times;
        for (int k = 0; k < 2; k++)
            weigh(w, i->blocks[k]);
        w->times = times;
    }
}

static void
find_width(LoopWeight *w, Task *t)
{
    if (!t->simd && !t->words && !t->batches && !t->goes_abreast)
        return;
    const int last = task_last_index(t);
    w->t = t;
    w->last = last < 0 ? NULL : t->vars.items[last];
    w->work = w->moved = 0;
    weigh(w, t->body);
    t->wide = w->work > 0 && w->work >= WORK_LEAST * w->moved;
}

void
pass_width(Compile *c, Ir *ir, IrFunc *f)
{
    (void)ir;
    if (!f->tasks.count)
        return;
    LoopWeight w = {.times = 1, .indices = affine_new(c, f)};
    w.differs = ARENA_ARRAY(c->scratch, signed char, ir_number(f));
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        find_width(&w, loops.items[n]);
}
