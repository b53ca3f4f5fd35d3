/* Finds what keeps C compilers from vectorising a loop, and what the author of the program can do
 * about it. */
#include "config.h"

#include "analysis/vector_legality.h"

#include "analysis/vector_ops.h"
#include "ir/inst_info.h"

void
vector_legality_break(LoopSurvey *k, const Inst *i, const Why *why)
{
    /* where nothing can be done about one reason, others do not matter */
    if (k->simple || !why->advice) {
        k->why = why;
        k->where = i->span;
    }
    k->simple = false;
}

/* Does the value follow from what all iterations share? The variable of a sequential loop does,
 * whose bounds are looked at where the loop is. */
static bool
is_uniform(LoopSurvey *k, const Inst *i)
{
    if (i->kind == INST_LOAD) {
        const Inst *place = i->args.items[0];
        if (place->kind != INST_VAR || task_has_var(k->t, place->var))
            return false;
        if (!loop_survey_is_local(k, place->var) || place->var->kind == VAR_INDEX)
            return true;
        const Inst *value = affine_let(loop_survey_affine(k), place->var);
        return value && is_uniform(k, value);
    }
    if (inst_info(i->kind)->effects != 'P')
        return false;
    for (int a = 0; a < i->args.count; a++)
        if (!is_uniform(k, i->args.items[a]))
            return false;
    return true;
}

/* Sequential loops have bounds that all iterations share. */
static bool
is_even(LoopSurvey *k, const Inst *loop)
{
    for (int a = 0; a < loop->args.count; a++)
        if (!is_uniform(k, loop->args.items[a]))
            return false;
    return true;
}

/* A store to what other iterations have too. */
static bool
is_shared(const LoopSurvey *k, const Inst *place)
{
    const Inst *root = inst_place_root(place);
    return root->kind == INST_ROOT_PLACE ||
           (root->kind == INST_VAR && !loop_survey_is_local(k, root->var) &&
            root->var->type->kind != TYPE_EXTERN);
}

/* A cell at half of the loop's indices, which several iterations have. */
static bool
is_halved(const Inst *place)
{
    place = inst_place_root(place);
    place = place->kind == INST_IN_CELL ? place->args.items[0] : place;
    for (int a = 0; place->kind == INST_WINDOW && a < AXIS_MAX; a++)
        if (place->window->window->shift[a])
            return true;
    return false;
}

/* What keeps a loop from being simple. */
static const Why inactive = {
    "it looks up a cell that may not be active",
    "loop over the cells of a field of that tree: each block is then looked up once"};
static const Why masked = {"it looks up neighbours of cells that have activity of their own",
                           "dense cells in the blocks: neighbours are then read from copies"};
static const Why activates = {"it activates cells", NULL};
static const Why indirect = {"an index follows from a value that is read or changes",
                             "index by loop variables, or keep what is used together in one cell"};
static const Why shared = {"it writes what all iterations share",
                           "add it up in a variable of the kernel, or write it after the loop"};
static const Why contended = {
    "several iterations may change this element",
    "loop over the elements that are changed, and read what each is made of"};
static const Why uneven = {"the bounds of this loop differ between iterations",
                           "give it constant bounds, and a condition inside"};
static const Why calls = {"it calls a function that does not become part of it",
                          "one with a single return at its end becomes part of the loop, if it "
                          "calls no other and draws no random numbers"};
static const Why endless = {
    "how often this loop runs differs between iterations",
    "a constant number of rounds that choose values (c ? a : b) can be vectorised"};
static const Why draws = {"it draws random numbers",
                          "draw them in a loop of its own, into a field"};
static const Why library = {"pow of f64 and % of floats are calls of the C library",
                            "exp(y * log(x)) for pow(x, y), x - trunc(x / y) * y for x % y, if the "
                            "last bits do not matter"};
static const Why fails = {"it may end with an error",
                          "check in a loop of its own, or leave it out with --no-assert"};
static const Why other = {"it does more than arithmetic", NULL};

/* Is it a look-up in the tree of the cells of a mask that the loop goes through? */
static bool
is_around_mask(const LoopSurvey *k, const Inst *i)
{
    const Node *n = k->t->kind == TASK_STRUCT_FOR ? k->t->node : NULL;
    return n && n->kind == NODE_BITMASKED && i->node->layout == n->layout;
}

/* May the function that is called change what other iterations reach? */
static bool
gives_reached(const LoopSurvey *k, const Inst *call)
{
    for (int a = 0; a < call->args.count; a++) {
        const Var *p = call->func->params.items[a];
        const Inst *root = inst_place_root(call->args.items[a]);
        if (p->mode == PARAM_INOUT && p->is_reached &&
            (root->kind != INST_VAR || !loop_survey_is_local(k, root->var)))
            return true;
    }
    return false;
}

/* What keeps an instruction from being one of a simple loop; NULL: nothing. */
static const Why *
reason(LoopSurvey *k, const Inst *i)
{
    switch (i->kind) {
    case INST_LOOKUP:
        if (i->access == ACCESS_KNOWN && i->args.items[1]->kind == INST_LOOP_NUMBER)
            return NULL; /* the same cell of another tree */
        if (i->node->kind != NODE_DENSE && i->access != ACCESS_ADDRESS)
            return i->access == ACCESS_ACTIVATE ? &activates
                   : is_around_mask(k, i)       ? &masked
                                                : &inactive;
        return loop_survey_has_plain_indices(k, i) || k->t->gathers ||
                       (k->t->batch.count && nodes_have(&k->t->scatter, i->node))
                   ? NULL
                   : &indirect;
    case INST_ELEM:
        return loop_survey_has_plain_indices(k, i) ? NULL : &indirect;
    case INST_STORE:
        return is_shared(k, i->args.items[0])   ? &shared
               : is_halved(i->args.items[0]) ? &contended
                                             : NULL;
    case INST_ATOMIC:
        if (k->t->batch.count && !i->plain)
            return NULL;
        return !i->plain || is_shared(k, i->args.items[0]) || is_halved(i->args.items[0])
                   ? &contended
                   : NULL;
    case INST_FOR:
        return is_even(k, i) ? NULL : &uneven;
    case INST_CALL:
        return !ir_is_arithmetic(k->ir, i->func) ? &calls
               : gives_reached(k, i)             ? &contended
                                                 : NULL;
    case INST_LOAD: case INST_REDUCE: case INST_LOOP_CELL: case INST_IF: case INST_LOGIC:
    case INST_COND: case INST_CONTINUE:
        return NULL;
    case INST_WHILE: case INST_BREAK:
        return &endless;
    case INST_ACTIVATE: case INST_APPEND: case INST_LOOKUP_HASH:
        return i->kind != INST_LOOKUP_HASH || i->access == ACCESS_ACTIVATE ? &activates : &inactive;
    case INST_WINDOW: /* its block is activated before */
        return NULL;
    case INST_RANDOM:
        return &draws;
    default:
        if (vector_ops_lack(i))
            return &library;
        return inst_may_fail(i) ? &fails : inst_info(i->kind)->effects == 'P' ? NULL : &other;
    }
}

static void
note_simple(Inst *i, void *arg)
{
    LoopSurvey *k = arg;
    const Why *why = reason(k, i);
    if (why)
        vector_legality_break(k, i, why);
}

bool
vector_legality_check(LoopSurvey *k)
{
    block_walk(k->t->body, note_simple, k);
    return k->simple;
}

void
vector_legality_report(const LoopSurvey *k)
{
    if (k->simple || !k->c->options.perf || !k->why->advice || k->t->tiny)
        return;
    Diag *d = diag(k->c, W0601, k->t->span, "this loop is not vectorised: %s", k->why->text);
    diag_note(d, k->where, "here");
    diag_fix(d, "%s", k->why->advice);
}
