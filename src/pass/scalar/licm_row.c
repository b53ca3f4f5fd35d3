/* Loop-invariant code motion to the start of a row. A loop over several indices changes a field,
 * and reads an element of it that is the same for a whole row. It reads that element once, before
 * the innermost loop. C compilers cannot know that the row does not hold the element.
 *
 *     range_for(i32 i in 0..64, i32 j in 0..64) {      range_for(...) {
 *         $5 = load d[i, $3]                               $5 = load d[i, $3]
 *         $8 = load d[$3, j]                      →    } row {
 *         store d[i, j] <- min($2, $5 + $8)                $8 = load d[$3, j]
 *     }                                                    store d[i, j] <- min($2, $5 + $8)
 *                                                      }
 *
 * No order holds between iterations, so a store of another one may come later. A read after a store
 * of the same iteration sees that store, and stays.
 *
 * Under a condition such reads keep C compilers from vectorising even if the field does not change.
 * They leave too, but only read a cell that exists, because the condition may have asked for that.
 *
 *     if $9 { $12 = load d[i, $3] ... }        →       $12 = cond $11 { load d[i, $3] } else { 0 }
 */
#include "config.h"

#include "pass/pass.h"

#include "analysis/affine.h"
#include "ir/inst_info.h"
#include "pass/code_motion.h"

typedef struct {
    CodeMotion motion; /* to before the innermost loop */
    const Task *t;
    const Var *last; /* the variable of the innermost loop */
    bool *odd_vars;  /* by variable id: may change in the body, or is more than one value */
    Types *types;
    bool jumped; /* an iteration may have ended */
    bool ended;  /* what follows may see what was changed */
} Row;

static void
note_inside(Inst *i, void *arg)
{
    Row *r = arg;
    r->motion.inside[i->id] = true;
    for (int a = 0; i->kind != INST_LOAD && a < i->args.count; a++)
        if (i->args.items[a]->kind == INST_VAR)
            r->odd_vars[i->args.items[a]->var->id] = true;
    for (int v = 0; i->kind == INST_FOR && v < i->vars.count; v++)
        r->odd_vars[i->vars.items[v]->id] = true;
}

static bool
stays(const Inst *i, const void *arg)
{
    const Row *r = arg;
    if (i->kind == INST_VAR)
        return i->var != r->last && !r->odd_vars[i->var->id];
    return i->node->kind == NODE_DENSE;
}

/* A scalar of a field that the loop changes, too. */
static bool
reads_changed(const Row *r, const Inst *i)
{
    if (i->kind != INST_LOAD || i->type->kind != TYPE_SCALAR)
        return false;
    const Inst *base = inst_place_root(i->args.items[0]);
    return base->kind == INST_IN_CELL && task_changes(r->t, base->field);
}

/* A scalar in a cell of which it is known where its container ends. */
static bool
is_in_cells(const Inst *i)
{
    const Inst *place = i->kind == INST_LOAD ? i->args.items[0] : NULL;
    if (!place || i->type->kind != TYPE_SCALAR)
        return false;
    for (; place->kind == INST_ELEM || place->kind == INST_MEMBER; place = place->args.items[0])
        if (place->kind == INST_ELEM && affine_component(place) < 0)
            return false;
    if (place->kind != INST_IN_CELL)
        return false;
    for (place = place->args.items[0]; place->args.count; place = place->args.items[0])
        if (place->kind == INST_LOOKUP && !place->node->cell_count)
            return false;
    return true;
}

static Inst *
add_binary(Row *r, Op op, Inst *a, Inst *b, Scalar type)
{
    Inst *i = ir_binary(r->motion.c, op, type_scalar(r->types, type), a->span, a, b);
    code_motion_add(&r->motion, i);
    return i;
}

/* Does a container have a cell of this number? */
static Inst *
add_test(Row *r, const Inst *lookup)
{
    Compile *c = r->motion.c;
    const Type *u64 = type_scalar(r->types, SCALAR_U64);
    Inst *number = ir_new(c, INST_CAST, u64, lookup->span),
         *count = ir_integer(c, u64, lookup->span, lookup->node->cell_count);
    ir_arg(c, number, lookup->args.items[1]);
    code_motion_add(&r->motion, number);
    code_motion_add(&r->motion, count);
    return add_binary(r, OP_LT, number, count, SCALAR_BOOL);
}

/* Lets what is read under a condition leave the loop: it is read where there is such a cell. */
static void
take_guarded(Row *r, Inst *load)
{
    Compile *c = r->motion.c;
    Inst *place = load->args.items[0], *exists = NULL;
    code_motion_take(&r->motion, place);
    for (const Inst *i = place; i->args.count; i = i->args.items[0])
        if (i->kind == INST_LOOKUP) {
            Inst *test = add_test(r, i);
            exists = exists ? add_binary(r, OP_AND, exists, test, SCALAR_BOOL) : test;
        }
    code_motion_take(&r->motion, load);
    if (!exists)
        return;
    Inst *read = ARENA_NEW(c->arena, Inst);
    *read = *load;
    load->kind = INST_COND;
    load->args = (Insts){0};
    ir_arg(c, load, exists);
    Inst *const values[] = {read, ir_integer(c, load->type, load->span, 0)};
    for (int k = 0; k < 2; k++) {
        load->blocks[k] = ARENA_NEW(c->arena, Block);
        block_add(c, load->blocks[k], values[k]);
        load->blocks[k]->result = values[k];
    }
}

/* May what follows see what this changes? */
static bool
ends_reads(const Inst *i)
{
    if (i->kind == INST_STORE)
        return inst_place_root(i->args.items[0])->kind != INST_VAR;
    return inst_writes(i) || i->kind == INST_FOR || i->kind == INST_WHILE;
}

static void choose(Row *r, const Block *b, bool certain);

/* Lets a value leave; `certain`: it is computed in each iteration. */
static void
choose_inst(Row *r, Inst *i, bool certain)
{
    if (i->kind == INST_IF || i->kind == INST_LOGIC || i->kind == INST_COND) {
        bool ended = false;
        for (int k = 0; k < 2; k++)
            if (i->blocks[k]) {
                choose(r, i->blocks[k], false);
                ended |= r->ended;
            }
        r->ended = ended;
    } else if (i->kind == INST_CONTINUE)
        r->jumped = true;
    else if (ends_reads(i))
        r->ended = true;
    else if (certain ? reads_changed(r, i) : is_in_cells(i))
        if (code_motion_is_invariant(&r->motion, i->args.items[0]))
            certain ? code_motion_take(&r->motion, i) : take_guarded(r, i);
}

static void
choose(Row *r, const Block *b, bool certain)
{
    r->ended = false;
    for (int n = 0; n < b->insts.count && !r->ended; n++)
        choose_inst(r, b->insts.items[n], certain && !r->jumped);
}

static void
look_at_loop(Compile *c, const Ir *ir, IrFunc *f, Task *t)
{
    Row r = {.t = t, .types = ir->prog->types, .last = t->vars.items[task_last_index(t)]};
    r.motion = code_motion_new(c, ir_number(f) + 1, stays, &r);
    r.odd_vars = ARENA_ARRAY(c->scratch, bool, f->vars.count);
    block_walk(t->body, note_inside, &r);
    choose(&r, t->body, true);
    if (r.motion.out.count) {
        code_motion_drop(&r.motion, t->body);
        t->before = ARENA_NEW(c->arena, Block);
    }
    for (int n = 0; n < r.motion.out.count; n++)
        block_add(c, t->before, r.motion.out.items[n]);
    code_motion_free(&r.motion);
    arena_release(c->scratch, r.odd_vars, (size_t)f->vars.count);
}

/* Are there rows, each with a loop of its own? Loops over so few cells go through all by number. */
static bool
has_rows(const Task *t)
{
    enum { ROWS_LEAST = 4 };
    if (t->kind == TASK_RANGE_FOR)
        return t->vars.count > 1;
    int64_t rows = 1;
    for (int k = 0; k < t->node->axis_count - 1; k++)
        rows *= t->node->sizes[k] ? t->node->sizes[k] : ROWS_LEAST;
    return rows >= ROWS_LEAST;
}

static void
licm_row_in(Compile *c, const Ir *ir, IrFunc *f, Task *t)
{
    if (task_is_plain(t) && has_rows(t) && t->simd && !t->lanes && !t->inside && !t->batches)
        look_at_loop(c, ir, f, t);
}

void
pass_licm_row(Compile *c, Ir *ir, IrFunc *f)
{
    const Tasks loops = ir_loops(c, f);
    for (int n = 0; n < loops.count; n++)
        licm_row_in(c, ir, f, loops.items[n]);
}
