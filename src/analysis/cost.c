/* How much work a block is, to cut loops into chunks. */
#include "config.h"

#include "analysis/cost.h"

enum {
    CALL_WORK = 20,         /* of what C compilers call, or compute with many instructions */
    UNKNOWN_COUNT = 100000, /* iterations of loops whose bounds are not known: enough to be shared
                             * out */
    CALLS_DEEP = 8,         /* calls in calls that are looked into */
};

typedef struct {
    const Ir *ir;
    int64_t work;   /* so far: not gone on with when it is enough */
    int64_t times;  /* how often the block at hand runs */
    int visits;     /* the rest of the instructions that may be looked at */
    int deep;       /* calls around the block at hand */
    int deepest;    /* calls in calls, those that were too many among them */
    bool notes;     /* notes what is called */
} Work;

static void block_work_add(Work *w, const Block *b);

static int64_t
product(int64_t a, int64_t b)
{
    int64_t p;
    return __builtin_mul_overflow(a, b, &p) || p > WORK_ENOUGH ? WORK_ENOUGH : p;
}

int64_t
cost_trip_count(const Inst *from, const Inst *to, const Inst *step)
{
    if (from->kind != INST_CONST || to->kind != INST_CONST || step->kind != INST_CONST)
        return -1;
    __int128 a = from->value.leaves[0].i, b = to->value.leaves[0].i, s = step->value.leaves[0].i;
    if (!s || (s > 0 ? a >= b : a <= b))
        return 0;
    __int128 count = s > 0 ? (b - a + s - 1) / s : (a - b - s - 1) / -s;
    return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

/* Iterations of a loop in a body, all its variables taken together. */
static int64_t
loop_count(const Inst *loop)
{
    int64_t all = 1;
    int vars = loop->kind == INST_FOR ? loop->vars.count : 0;
    for (int v = 0; v < vars; v++) {
        Inst *const *range = &loop->args.items[3 * v];
        int64_t count = cost_trip_count(range[0], range[1], range[2]);
        all = product(all, count < 0 ? UNKNOWN_COUNT : count);
    }
    return vars ? all : UNKNOWN_COUNT;
}

/* Looks at the body of a function for all that call it. */
static void
note_work(const Ir *ir, IrFunc *f)
{
    Work w = {.ir = ir, .times = 1, .visits = CHUNK_WORK};
    block_work_add(&w, f->body);
    f->work = (FuncWork){w.work, w.work < WORK_ENOUGH ? CHUNK_WORK - w.visits : CHUNK_WORK + 1,
                         w.deepest, true};
}

/* The same as by its instructions one after another. */
static void
call_work_add(Work *w, const Func *callee)
{
    IrFunc *const f = callee->kind == FUNC_DEVICE ? ir_func(w->ir, callee) : NULL;
    if (!f)
        return;
    w->deep++;
    if (w->deep > w->deepest)
        w->deepest = w->deep;
    if (!f->work.known && w->notes && w->deep == 1)
        note_work(w->ir, f);
    if (f->work.known && w->deep + f->work.deepest <= CALLS_DEEP) {
        w->work = w->visits < f->work.visits
                      ? WORK_ENOUGH
                      : w->work + product(w->times, f->work.all);
        w->visits -= f->work.visits;
        if (w->deep + f->work.deepest > w->deepest)
            w->deepest = w->deep + f->work.deepest;
    } else if (w->deep <= CALLS_DEEP)
        block_work_add(w, f->body);
    w->deep--;
}

/* Is it the choice between the two bodies of a loop with Task.patch? */
static bool
chooses_patch(const Inst *i)
{
    return i->kind == INST_IF && i->args.items[0]->kind == INST_PATCH_AT;
}

static void
block_work_add(Work *w, const Block *b)
{
    for (int n = 0; b && n < b->insts.count && w->work < WORK_ENOUGH; n++) {
        const Inst *i = b->insts.items[n];
        const int64_t times = w->times;
        if (w->visits-- <= 0) {
            w->work = WORK_ENOUGH;
            return;
        }
        w->work += product(times, i->kind == INST_CALL || i->kind == INST_BUILTIN ? CALL_WORK : 1);
        if (i->kind == INST_CALL)
            call_work_add(w, i->func);
        if (i->kind == INST_FOR || i->kind == INST_WHILE || i->kind == INST_FOR_CELLS)
            w->times = product(times, loop_count(i));
        block_work_add(w, i->blocks[0]);
        if (!chooses_patch(i)) /* the same twice */
            block_work_add(w, i->blocks[1]);
        w->times = times;
    }
}

int
cost_operations(const Inst *i)
{
    const bool is_product = i->kind == INST_BINARY && i->op == OP_MATMUL;
    return i->type->leaf_count * (is_product ? i->args.items[1]->type->rows : 1);
}

int64_t
cost_of_block(const Ir *ir, const Block *b)
{
    Work w = {.ir = ir, .times = 1, .visits = CHUNK_WORK, .notes = true};
    block_work_add(&w, b);
    return w.work < WORK_ENOUGH ? w.work : WORK_ENOUGH;
}
