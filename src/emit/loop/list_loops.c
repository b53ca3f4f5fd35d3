/* Sequential loops through lists: chunk by chunk, or through the array into which pass pack_lists
 * has copied the cells of all lists. A loop that only looks up lists (`collects_runs`) notes first
 * where their cells lie. Then one loop goes through all of these:
 *     SnlRuns runs;
 *     snl_runs_clear(&runs);
 *     for (int32_t a = ...) {
 *         for (int64_t begin = 0, part = snl_line_part(lined, length, 16); begin < length;
 *              begin += part) {
 *             ...
 *             snl_runs_add(&runs, cells, count * (int64_t)sizeof *cells);
 *             if (snl_runs_full(&runs)) { ...; snl_runs_clear(&runs); }
 *         }
 *     }
 *     for (int64_t run = 0; run <= runs.last; run++) {
 *         const list_cell *const to = (const list_cell *)runs.to[run];
 *         for (const list_cell *cell = runs.from[run]; cell < to; cell++) { ... }
 *     } */
#include "config.h"

#include <string.h>

#include "emit/loop/loops.h"

const char *
list_loops_length(Emit *e, const Node *n, bool packed, const char *where)
{
    const char *tree = place_tree(e, n->layout);
    if (packed)
        return arena_printf(e->c->arena, "snl_line_length(%s, %d, %s, lined)", tree, n->id - 1,
                            where);
    return arena_printf(e->c->arena, "snl_dynamic_length%s(%s, %d, %s)", place_still_verb(e, n),
                        tree, n->id - 1, where);
}

const char *
list_loops_next(Emit *e, const Node *n, bool packed, const char *length, const char *begin)
{
    if (packed)
        return arena_printf(e->c->arena, "%s = snl_line_next(lined, %s, %s, %lld)", begin, length,
                            begin, (long long)n->chunk);
    return arena_printf(e->c->arena, "%s += %lld", begin, (long long)n->chunk);
}

const char *
list_loops_cells(Emit *e, const Node *n, bool packed, const char *where, const char *begin)
{
    const char *type = type_cell(e, n), *tree = place_tree(e, n->layout);
    if (packed)
        return arena_printf(e->c->arena, "(%s *)snl_line_cells(%s, %d, %s, lined, %s, %lld)", type,
                            tree, n->id - 1, where, begin, (long long)n->chunk);
    const char *chunk = strcmp(begin, "0")
                            ? arena_printf(e->c->arena, "%s / %lld", begin, (long long)n->chunk)
                            : "0";
    return arena_printf(e->c->arena, "(%s *)snl_dynamic_chunk%s(%s, %d, %s, %s)", type,
                        place_still_verb(e, n), tree, n->id - 1, where, chunk);
}

const char *
list_loops_count(Emit *e, const Node *n, bool packed, const char *cells, const char *length,
                 const char *begin)
{
    return arena_printf(e->c->arena, "snl_%s_count(%s, %s%s, %s, %lld)",
                        packed ? "line" : "dynamic", cells, packed ? "lined, " : "", length, begin,
                        (long long)n->chunk);
}

/* Opens the loop over the parts of a list, if it may have several: *begin becomes the first cell of
 * each; then declares the cells of the part and their count. True if there is a loop. */
static bool
open_parts(Emit *e, const Inst *i, const char **begin, const char *cells, const char *count)
{
    const Node *n = i->args.items[3]->node;
    const char *type = type_cell(e, n), *length = value_text(e, i->args.items[1], PREC_COMPARE + 1);
    const char *where = place_container(e, i->args.items[3]);
    bool chunks = n->chunk < n->cell_count || !n->cell_count;
    *begin = chunks ? name_new(e, "begin") : "0";
    if (chunks)
        text_open(e->out, "for (int64_t %s = 0; %s < %s; %s) {", *begin, *begin, length,
                  list_loops_next(e, n, i->packed, length, *begin));
    text_line(e->out, "const %s *const %s = %s;", type, cells,
              list_loops_cells(e, n, i->packed, where, *begin));
    text_line(e->out, "const int64_t %s = %s;", count,
              list_loops_count(e, n, i->packed, cells, length, *begin));
    return chunks;
}

/* The body of the loop through a list, for a cell of this text. */
static void
emit_at_cell(Emit *e, const Inst *i, const char *text)
{
    CellAt here = {.outer = e->fn.cells,
                   .node = i->args.items[3]->node,
                   .var = i->vars.items[0],
                   .text = text};
    e->fn.cells = &here;
    stmt_write(e, i->blocks[0]);
    e->fn.cells = here.outer;
}

/* The loop through what lies in the runs. */
static void
through_runs(Emit *e, const ListRuns *r)
{
    ListRuns *const outer = e->fn.runs;
    CLoop loop;
    const char *run = name_new(e, "run"), *at = name_new(e, "cell"),
               *type = type_cell(e, r->walk->args.items[3]->node);
    e->fn.runs = NULL;
    loop_begin(e, &loop, true);
    text_open(e->out, "for (int64_t %s = 0; %s <= %s.last; %s++) {", run, run, r->name, run);
    text_open(e->out,
              "for (const %s *%s = (const %s *)%s.from[%s]; %s < (const %s *)%s.to[%s]; %s++) {",
              type, at, type, r->name, run, at, type, r->name, run, at);
    emit_at_cell(e, r->walk, arena_printf(e->c->arena, "(*%s)", at));
    text_close(e->out, "}");
    text_close(e->out, "}");
    loop_end(e, &loop);
    e->fn.runs = outer;
}

static void
note_run(Emit *e, const Inst *i)
{
    const char *begin, *cells = name_new(e, "cells"), *count = name_new(e, "count");
    ListRuns *r = e->fn.runs;
    bool parts = open_parts(e, i, &begin, cells, count);
    r->walk = i;
    text_line(e->out, "snl_runs_add(&%s, %s, %s * (int64_t)sizeof *%s);", r->name, cells, count,
              cells);
    text_open(e->out, "if (snl_runs_full(&%s)) {", r->name);
    through_runs(e, r);
    text_line(e->out, "snl_runs_clear(&%s);", r->name);
    text_close(e->out, "}");
    if (parts)
        text_close(e->out, "}");
}

void
list_loops_walk(Emit *e, const Inst *i)
{
    CLoop loop;
    if (e->fn.runs) {
        note_run(e, i);
        return;
    }
    const Node *n = i->args.items[3]->node;
    Var *v = i->vars.items[0];
    const char *begin, *cells = name_new(e, "cells"), *count = name_new(e, "count"),
                       *at = name_new(e, "n");
    loop_begin(e, &loop, n->chunk < n->cell_count || !n->cell_count);
    bool parts = open_parts(e, i, &begin, cells, count);
    text_open(e->out, "for (int64_t %s = 0; %s < %s; %s++) {", at, at, count, at);
    e->fn.wide[v->id] = true;
    e->fn.var_text[v->id] = name_new(e, v->name);
    declarations_maybe(e, e->fn.var_text[v->id],
               arena_printf(e->c->arena,
                            parts ? "const int64_t %s = %s + %s;" : "const int64_t %s = %.0s%s;",
                            e->fn.var_text[v->id], begin, at));
    emit_at_cell(e, i, arena_printf(e->c->arena, "%s[%s]", cells, at));
    text_close(e->out, "}");
    if (parts)
        text_close(e->out, "}");
    loop_end(e, &loop);
}

ListRuns *
list_loops_open_runs(Emit *e)
{
    ListRuns *r = ARENA_NEW(e->c->arena, ListRuns);
    r->name = name_new(e, "runs");
    text_line(e->out, "SnlRuns %s;", r->name);
    text_line(e->out, "snl_runs_clear(&%s);", r->name);
    e->fn.runs = r;
    return r;
}

void
list_loops_close_runs(Emit *e, ListRuns *r)
{
    e->fn.runs = NULL;
    through_runs(e, r);
}
