/* Tasks as text: their heads, with what passes have found out about them, and their blocks. */
#include "config.h"

#include "ir/print.h"

#include <inttypes.h>
#include <stdlib.h>

/* Index k of the footprint: i, i-1, i-1..i+1. */
static void
print_index(Printer *p, const Task *t, const Footprint *f, int k)
{
    const char *name = t->vars.items[f->var[k]]->name;
    int64_t ends[2] = {f->offset_min[k], f->offset_max[k]};
    for (int e = 0; e < (ends[0] == ends[1] ? 1 : 2); e++)
        text_add(p->out, ends[e] ? "%s%s%+" PRId64 : "%s%s", e ? ".." : "", name, ends[e]);
}

static void
print_footprints(Printer *p, const Task *t, const char *what, const Footprint *list, int count)
{
    for (int i = 0; i < count; i++) {
        const Footprint *f = &list[i];
        text_add(p->out, "// %s %s", what, f->field->name);
        for (int k = 0; k < f->field->axis_count; k++) {
            text_add(p->out, "%s", k ? ", " : "[");
            if (f->own[k])
                print_index(p, t, f, k);
            else
                text_add(p->out, "*");
        }
        text_line(p->out, f->field->axis_count ? "]" : "%s", "");
    }
}

/* Nothing where there are none. */
static void
print_nodes(Printer *p, const char *before, const Nodes *nodes, const char *after)
{
    for (int i = 0; i < nodes->count; i++) {
        text_add(p->out, "%s", i ? ", " : before);
        print_node(p, nodes->items[i]->layout, nodes->items[i]);
    }
    if (nodes->count)
        text_add(p->out, "%s", after);
}

static void
print_effects(Printer *p, const Task *t)
{
    const Effects *e = &t->effects;
    print_footprints(p, t, "reads", e->reads.items, e->reads.count);
    print_footprints(p, t, "writes", e->writes.items, e->writes.count);
    print_footprints(p, t, "accumulates", e->accumulates.items, e->accumulates.count);
    print_nodes(p, "// may activate ", &e->may_activate, "\n");
    print_nodes(p, "// may deactivate ", &e->may_deactivate, "\n");
    print_nodes(p, "// goes through ", &e->walks, "\n");
    if (e->prints)
        text_line(p->out, "// prints");
    if (e->asserts)
        text_line(p->out, "// asserts");
    if (e->random)
        text_line(p->out, "// random");
}

/* halo(x by rows, i periodic): what stands for cells outside of the field along axis i. */
static void
print_halo(Printer *p, const Halo *h)
{
    text_add(p->out, " halo(%s%s", h->field->name,
             h->in_place  ? " by rows"
             : h->by_rows ? " by copied rows"
             : h->sums    ? " sums"
                          : "");
    for (int a = 0; a < AXIS_MAX; a++)
        if (h->beyond[a])
            text_add(p->out, ", %c %s", AXIS_LETTERS[a], layout_boundary_word(h->beyond[a]));
    text_add(p->out, ")");
}

/* windows(x copied, L1.S2dense activated, parts 4 x 4) */
static void
print_windows(Printer *p, const Task *t)
{
    for (int i = 0; i < t->windows.count; i++) {
        const Window *w = t->windows.items[i];
        text_add(p->out, i ? ", " : " windows(");
        if (w->field)
            text_add(p->out, "%s copied", w->field->name);
        else
            print_node(p, w->node->layout, w->node);
        text_add(p->out, w->activates ? " activated" : "");
    }
    for (int k = 0; t->node && t->windows.count && k < t->node->axis_count; k++)
        if (t->part[k])
            text_add(p->out, k ? " x %lld" : ", parts %lld", (long long)t->part[k]);
    text_add(p->out, t->windows.count ? ")" : "");
}

/* What passes have found out about the loop. */
static void
print_flags(Printer *p, const Task *t)
{
    text_add(p->out, "%s%s%s%s%s%s%s%s%s%s%s%s%s",
             t->planes ? " rows planes"
             : t->rows ? " rows"
                       : "",
             t->masks  ? " use_masks"
             : t->use_list ? " use_list"
                           : "",
             t->goes_abreast ? " abreast" : "",
             t->lanes ? " lanes" : "", t->adds_rows ? " adds rows" : "",
             t->quads ? " quads" : "", t->order ? " ordered" : "",
             t->gathers ? " gather" : "", t->simd ? " simd" : "", t->columns ? " columns" : "",
             t->wide ? " wide" : "", t->tiny ? " tiny" : "", t->large ? " large" : "");
    if (t->strip)
        text_add(p->out, " strips(%d)", t->strip);
    if (t->words && (t->words_first || t->words_last))
        text_add(p->out, " words(%d neighbours %lld %lld)", t->words, (long long)t->words_first,
                 (long long)t->words_last);
    else if (t->words)
        text_add(p->out, " words(%d)", t->words);
    for (int k = 0; k < t->fast_floats.count; k++) { /* asked for until pass minmax has decided */
        const FastFloats *s = &t->fast_floats.items[k];
        text_add(p->out, t->has_fast_floats ? " fast floats(" : " asks for fast floats(");
        print_node(p, s->node->layout, s->node);
        if (s->halo)
            text_add(p->out, " copy)");
        else
            text_add(p->out, " %lld..%lld)", (long long)s->low, (long long)s->high);
    }
    if (t->batches)
        text_add(p->out, t->batch.count ? " batch(%d)" : " batch", t->batch.count);
    if (t->packed) {
        text_add(p->out, t->packs_own ? " packed with own (" : " packed (");
        print_node(p, t->packed->layout, t->packed);
        text_add(p->out, ")");
    }
}

/* What is written past the caches, and what is asked for before it is needed. */
static void
print_streams(Printer *p, const Task *t)
{
    static const char *const weaves[] = {[WEAVE_NONE] = "",
                                         [WEAVE_ROWS] = " in pairs",
                                         [WEAVE_CELLS] = " in cells",
                                         [WEAVE_WHOLE] = " in whole cells"};
    if (t->stream)
        text_add(p->out, " stream(%s%s)", t->stream->name,
                 t->stream_by_size ? " if large" : weaves[t->weaves]);
    for (int i = 0; i < t->ahead.count; i++) {
        if (i)
            text_add(p->out, ", ");
        else
            text_add(p->out, " ahead %d%s%s (", t->ahead_by,
                     t->ahead_in_mask    ? " in mask"
                     : t->ahead_in_array ? " in array"
                                         : "",
                     t->ahead_by_rows ? " by rows" : "");
        print_node(p, t->ahead.items[i]->layout, t->ahead.items[i]);
    }
    if (t->ahead.count)
        text_add(p->out, t->ahead_around ? ") around(%d)" : ")",
                 __builtin_popcount(t->ahead_around));
    if (t->ahead_lists)
        text_add(p->out, " ahead lists");
    if (t->ahead_words)
        text_add(p->out, " ahead words");
    print_nodes(p, " ahead strips (", &t->ahead_strips, ")");
}

static void
print_bound(Printer *p, const Inst *i)
{
    if (i->kind == INST_CONST)
        value_print(&i->value, p->out);
    else
        text_add(p->out, "$%d", i->id);
}

/* Beyond all indices. */
static bool
is_no_bound(const Inst *i)
{
    return i->kind == INST_CONST && llabs(i->value.leaves[0].i) > (int64_t)1 << 60;
}

/* only(i 1..$3): cells elsewhere are left out; a bound that is beyond all is not written. */
static void
print_only(Printer *p, const Task *t)
{
    for (int k = 0; k < t->vars.count; k++) {
        text_add(p->out, "%s", k ? ", " : " only(");
        print_var(p, t->vars.items[k]);
        text_add(p->out, " ");
        if (!is_no_bound(t->from.items[k]))
            print_bound(p, t->from.items[k]);
        text_add(p->out, "..");
        if (!is_no_bound(t->to.items[k]))
            print_bound(p, t->to.items[k]);
    }
    text_add(p->out, ")");
}

/* patch(S2dense[10, 10] adds) */
static void
print_patch(Printer *p, const Patch *patch)
{
    text_add(p->out, " patch(");
    print_node(p, patch->node->layout, patch->node);
    for (int k = 0; k < patch->node->axis_count; k++)
        text_add(p->out, "%s%lld", k ? ", " : "[", (long long)patch->extent[k]);
    text_add(p->out, "]%s)", patch->adds ? " adds" : "");
}

/* Hints and reductions, then the effects as comments inside. */
static void
open_task(Printer *p, const Task *t)
{
    if (task_is_loop(t))
        text_add(p->out, " block_dim=%d", t->block_dim);
    print_flags(p, t);
    if (t->block_local.count) {
        text_add(p->out, " block_local(");
        print_fields(p, t->block_local.items, t->block_local.count);
        text_add(p->out, ")");
    }
    print_streams(p, t);
    print_nodes(p, " scatter(", &t->scatter, ")");
    if (t->patch)
        print_patch(p, t->patch);
    if (task_is_bounded(t))
        print_only(p, t);
    for (int i = 0; i < t->halos.count; i++)
        print_halo(p, t->halos.items[i]);
    print_windows(p, t);
    for (int i = 0; i < t->reductions.count; i++) {
        text_add(p->out, " reduce(%s ", atomic_name(t->reductions.items[i].op));
        print_var(p, t->reductions.items[i].var);
        text_add(p->out, ")");
    }
    text_open(p->out, " {");
    if (t->kind == TASK_STRUCT_FOR) {
        text_add(p->out, "// for ");
        print_cells(p, t->vars.items, t->vars.count, t->field, t->node);
        text_newline(p->out);
    }
    print_effects(p, t);
}

static bool
is_one(const Inst *i)
{
    return i->kind == INST_CONST && i->value.leaves[0].i == 1;
}

static void
print_range_head(Printer *p, const Task *t)
{
    text_add(p->out, "(");
    for (int i = 0; i < t->vars.count; i++) {
        text_add(p->out, "%s", i ? ", " : "");
        print_typed_var(p, t->vars.items[i]);
        text_add(p->out, " in ");
        print_bound(p, t->from.items[i]);
        text_add(p->out, "..");
        print_bound(p, t->to.items[i]);
        if (t->step.items[i] && !is_one(t->step.items[i])) {
            text_add(p->out, " step ");
            print_bound(p, t->step.items[i]);
        }
    }
    text_add(p->out, ")");
}

/* True when the setup does more than name the constants that the head shows. */
static bool
has_setup(const Task *t)
{
    for (int i = 0; t->setup && i < t->setup->insts.count; i++)
        if (t->setup->insts.items[i]->kind != INST_CONST)
            return true;
    return false;
}

/* After the word of the task, on its line. */
static void
print_task_head(Printer *p, const Task *t)
{
    switch (t->kind) {
    case TASK_CLEAR_LIST: case TASK_GC:
        text_add(p->out, " ");
        print_node(p, t->node->layout, t->node);
        break;
    case TASK_LISTGEN:
        text_add(p->out, " ");
        print_node(p, t->node->layout, t->node->parent);
        text_add(p->out, "->");
        print_node(p, t->node->layout, t->node);
        break;
    case TASK_RANGE_FOR: print_range_head(p, t); break;
    case TASK_STRUCT_FOR:
        text_add(p->out, "(");
        print_node(p, t->node ? t->node->layout : NULL, t->node);
        text_add(p->out, ")");
        break;
    case TASK_SERIAL: case TASK_IF: case TASK_COUNT: break;
    }
}

static void
print_task_if(Printer *p, const Task *t)
{
    text_open(p->out, " {");
    print_block(p, t->setup);
    text_close(p->out, "} then {");
    p->out->indent++;
    print_tasks(p, &t->tasks);
    if (t->orelse.count) {
        text_close(p->out, "} else {");
        p->out->indent++;
        print_tasks(p, &t->orelse);
    }
    text_close(p->out, "}");
}

/* Another block of a task. */
static void
print_section(Printer *p, const Block *b, const char *title)
{
    text_close(p->out, "} %s {", title);
    p->out->indent++;
    print_block(p, b);
}

/* A bound of the inside, in the head of it where it is a number. */
static const char *
inside_bound(Printer *p, const Block *b, const char *word)
{
    if (!b)
        return "";
    if (b->insts.count == 1 && b->result->kind == INST_CONST)
        return arena_printf(p->out->arena, "%lld", (long long)b->result->value.leaves[0].i);
    print_section(p, b, arena_printf(p->out->arena, "inside %s", word));
    return arena_printf(p->out->arena, "$%d", b->result->id);
}

static void
print_inside(Printer *p, const Task *t)
{
    const Stride *s = t->stride;
    const char *from = inside_bound(p, t->inside_from, "from"),
               *to = inside_bound(p, t->inside_to, "to"), *by = "";
    if (s) {
        by = arena_printf(p->out->arena, " stride %lld growth %lld%s", (long long)s->by,
                          (long long)s->growth, s->floors ? " floors" : "");
        print_section(p, s->sum, "inside sum");
        print_section(p, s->rest, "inside rest");
    }
    print_section(p, t->inside, arena_printf(p->out->arena, "inside %s..%s%s", from, to, by));
}

static void
print_task_body(Printer *p, const Task *t)
{
    open_task(p, t);
    if (has_setup(t)) {
        print_block(p, t->setup);
        text_close(p->out, "} do {");
        p->out->indent++;
    }
    if (t->code) {
        print_block(p, t->code);
        text_close(p->out, "}");
        return;
    }
    if (t->entry) {
        print_block(p, t->entry);
        text_close(p->out, "} entry {");
        p->out->indent++;
    }
    if (t->before) {
        print_block(p, t->before);
        text_close(p->out, "} row {");
        p->out->indent++;
    }
    print_block(p, t->body);
    if (t->inside)
        print_inside(p, t);
    if (t->fetches) {
        text_close(p->out, "} fetches {");
        p->out->indent++;
        print_block(p, t->fetches);
    }
    text_close(p->out, "}");
}

void
print_tasks(Printer *p, const Tasks *tasks)
{
    static const char *const words[] = {
#define TASK(name, text) text,
#include "ir/tasks.def"
#undef TASK
    };
    for (int i = 0; i < tasks->count; i++) {
        const Task *t = tasks->items[i];
        text_add(p->out, "$%d = offloaded %s", t->id, words[t->kind]);
        print_task_head(p, t);
        if (t->kind == TASK_IF)
            print_task_if(p, t);
        else if (t->body)
            print_task_body(p, t);
        else
            text_newline(p->out);
    }
}
