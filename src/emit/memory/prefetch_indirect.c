/* Loops that fetch the lists to which they append, or the entries of hash cells that they reach
 * (pass prefetch), in C:
 *     for (int64_t strip = from; strip < to; strip += SNL_FETCHED) {
 *         const int64_t strip_end = to - strip < SNL_FETCHED ? to : strip + SNL_FETCHED;
 *         SnlDynamic *lists[SNL_FETCHED];
 *         int64_t count = 0;
 *         for (int64_t q = strip; q < strip_end; q++)
 *             lists[count++] = &list_s1[...].list_loops_cells;
 *         snl_dynamic_fetch_ends(lists, count, 64, 16, sizeof(list_cell));
 *         int64_t next = 0;
 *         for (int64_t q = strip; q < strip_end; q++)
 *             snl_dynamic_push(..., lists[next++], ...);
 *     }
 * If a thread has lists of its own, the first loop also notes in `mine` which iterations append to
 * these, and the second loop runs no others. For hash cells, the first loop notes entries, and the
 * second looks them up as before. If the tables are small, most strips skip the first loop:
 *         if (strip >= due) {
 *             ...
 *                 entries[count++] = snl_hash_fetch(container, keys, SNL_HASH_READ);
 *             due = strip + snl_hash_fetch_cells(entries, count, SNL_HASH_READ);
 *         }
 */
#include "config.h"

#include "emit/loop/parallel.h"

/* Names of C variables. */
struct Fetched {
    const char *found;      /* lists, or entries */
    const char *count;
    const char *mine;       /* iterations of the thread's own lists; NULL: all of the strip */
    const char *next;       /* number of the list that is appended to next */
    const char *due;        /* iteration that is to be fetched next, or NULL: all are */
};

/* What a loop does with the hash cells that it fetches, as the runtime calls it. */
static const char *
hash_use(const Inst *fetch)
{
    switch (fetch->access) {
    case ACCESS_READ: return "SNL_HASH_READ";
    case ACCESS_ACTIVATE: return "SNL_HASH_ADD";
    default: return "SNL_HASH_CHANGE";
    }
}

const char *
prefetch_indirect_list(Emit *e)
{
    return arena_printf(e->c->arena, e->par.fetched->mine ? "%s[%s]" : "%s[%s++]",
                        e->par.fetched->found, e->par.fetched->next);
}

void
prefetch_indirect_open_mine(Emit *e, const char *i)
{
    const struct Fetched *f = e->par.fetched;
    text_open(e->out, "for (int64_t %s = 0; %s < %s; %s++) {", f->next, f->next, f->count, f->next);
    text_line(e->out, "const int64_t %s = %s[%s];", i, f->mine, f->next);
}

bool
prefetch_indirect_has_mine(const Emit *e)
{
    return e->par.fetched && e->par.fetched->mine && !e->par.finding;
}

void
prefetch_indirect_note(Emit *e, const Inst *i)
{
    const struct Fetched *f = e->par.fetched;
    const Inst *list = i->args.items[0];
    if (i->node->kind == NODE_HASH) {
        text_line(e->out, "%s[%s++] = snl_hash_fetch(%s, %s, %s);", f->found, f->count,
                  place_container(e, list), place_hash_keys(e, i), hash_use(i));
        return;
    }
    if (!f->mine) {
        text_line(e->out, "%s[%s++] = %s;", f->found, f->count, place_container(e, list));
        return;
    }
    const char *number = name_new(e, "number");
    text_line(e->out, "const int64_t %s = %s;", number,
              value_index(e, list->args.items[0]->args.items[1], PREC_ASSIGN));
    text_line(e->out, "%s[%s] = %s;", f->found, f->count, place_container(e, list));
    text_line(e->out, "%s[%s] = %s;", f->mine, f->count, e->par.lane);
    text_line(e->out, "%s += %s >= from && %s < to;", f->count, number, number);
}

/* The loop that finds lists or entries; the other one accumulates, and may be of vectors. */
static void
find_all(LoopOut *k, const char *from, const char *to, LoopFn *iterations)
{
    Emit *e = k->e;
    const Nest nest = nest_copy(e, &k->nest);
    const ParState par = e->par;
    CellAt *cells = e->fn.cells;
    const bool fails = k->may_fail;
    e->par.finding = true;
    e->par.lanes = e->par.simd = false;
    k->may_fail = false;
    k->body = k->t->fetches;
    iterations(k, from, to);
    k->body = k->t->body;
    k->may_fail = fails;
    e->par = par;
    e->fn.cells = cells;
    k->nest = nest;
}

/* What the caches are asked for, and the array of it. */
static void
fetch_lists(LoopOut *k, const struct Fetched *f, const char *strip, const char *end,
            LoopFn *iterations)
{
    Emit *e = k->e;
    const Node *n = k->appends->node;
    text_line(e->out, "SnlDynamic *%s[SNL_FETCHED];", f->found);
    if (f->mine)
        text_line(e->out, "int64_t %s[SNL_FETCHED];", f->mine);
    text_line(e->out, "int64_t %s = 0;", f->count);
    find_all(k, strip, end, iterations);
    text_line(e->out, "snl_dynamic_fetch_ends(%s, %s, %lld, %lld, sizeof(%s));", f->found, f->count,
              (long long)n->sizes[0], (long long)n->chunk, type_cell(e, n));
    if (!f->mine)
        text_line(e->out, "int64_t %s = 0;", f->next);
}

static void
fetch_entries(LoopOut *k, const struct Fetched *f, const char *strip, const char *end,
              LoopFn *iterations)
{
    Emit *e = k->e;
    text_open(e->out, "if (%s >= %s) {", strip, f->due);
    text_line(e->out, "const SnlHashEntry *%s[SNL_HASH_FETCHED];", f->found);
    text_line(e->out, "int64_t %s = 0;", f->count);
    find_all(k, strip, end, iterations);
    text_line(e->out, "%s = %s + snl_hash_fetch_cells(%s, %s, %s);", f->due, strip, f->found,
              f->count, hash_use(task_fetch(k->t)));
    text_close(e->out, "}");
}

/* What a loop fetches: what notes it, and for how many iterations at a time. */
typedef struct {
    const char *found, *length;
    void (*fetch)(LoopOut *k, const struct Fetched *f, const char *strip, const char *end,
                  LoopFn *iterations);
} Kind;

static const Kind lists = {"lists", "SNL_FETCHED", fetch_lists},
                  entries = {"entries", "SNL_HASH_FETCHED", fetch_entries},
                  changed = {"entries", "SNL_HASH_FETCHED_TO_CHANGE", fetch_entries};

static const Kind *
kind_of(const LoopOut *k)
{
    const Inst *fetch = task_fetch(k->t);
    if (k->appends)
        return &lists;
    return fetch->access == ACCESS_READ || k->t->reductions.count ? &entries : &changed;
}

void
prefetch_indirect_strips(LoopOut *k, const char *from, const char *to, LoopFn *iterations)
{
    Emit *e = k->e;
    Arena *a = e->c->arena;
    const Kind *kind = kind_of(k);
    const char *length = kind->length;
    struct Fetched f = {.found = name_new(e, kind->found),
                        .count = name_new(e, "count"),
                        .mine = e->par.owning ? name_new(e, "mine") : NULL,
                        .next = k->appends ? name_new(e, "next") : NULL,
                        .due = k->appends ? NULL : name_new(e, "due")};
    const char *strip = name_new(e, "strip"), *end = name_new(e, arena_printf(a, "%s_end", strip));
    e->par.fetched = &f;
    if (f.due)
        text_line(e->out, "int64_t %s = %s;", f.due, from);
    text_open(e->out, "for (int64_t %s = %s; %s < %s; %s += %s) {", strip, from, strip, to, strip,
              length);
    text_line(e->out, "const int64_t %s = %s - %s < %s ? %s : %s + %s;", end, to, strip, length, to,
              strip, length);
    kind->fetch(k, &f, strip, end, iterations);
    iterations(k, strip, end);
    text_close(e->out, "}");
    e->par.fetched = NULL;
}
