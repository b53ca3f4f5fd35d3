/* Activity of cells, whole trees and files. */
#include "config.h"

#include <string.h>

#include "emit/loop/loops.h"

/* Coordinates by axis letter, in the node's own cells from 0 on, as the run-time functions take
 * them. */
static const char *
coordinates(Emit *e, const Inst *i, int count, bool own_axis)
{
    const Node *n = i->node;
    const char *text = "";
    int at = 0, last = -1;
    for (int a = 0; a < AXIS_MAX; a++)
        if (n->path_axes & 1 << a)
            last = a;
    for (int a = 0; a <= last; a++) {
        const char *c = "0";
        bool own = n->kind == NODE_DYNAMIC && a == n->axes[0];
        if ((n->path_axes & 1 << a) && (own_axis || !own) && at < count) {
            const long long first = (long long)node_first(n, a);
            c = value_index(e, i->args.items[at++], first ? PREC_ADD : PREC_ASSIGN);
            if (first)
                c = arena_printf(e->c->arena, "%s - (%lld)", c, first);
        }
        text = arena_printf(e->c->arena, "%s%s%s", text, a ? ", " : "", c);
    }
    return arena_printf(e->c->arena, "SNL_COORDS(%s)", last < 0 ? "0" : text);
}

static const char *
cell_arguments(Emit *e, const Inst *i, bool own_axis)
{
    int count = i->kind == INST_APPEND ? i->arg_split : i->args.count;
    return arena_printf(e->c->arena, "%s, %d, %s", place_tree(e, i->node->layout), i->node->id - 1,
                        coordinates(e, i, count, own_axis));
}

/* The operands of an operation that names its container: "tree, 2, container, cell". */
static const char *
container_arguments(Emit *e, const Inst *i)
{
    const Node *n = i->node;
    const char *where = place_container(e, i->args.items[0]),
               *text = arena_printf(e->c->arena, "%s, %d, %s", place_tree(e, n->layout), n->id - 1,
                                    where);
    if (n->kind == NODE_HASH)
        return arena_printf(e->c->arena, "%s, %s", text, place_hash_keys(e, i));
    for (int k = 1; k < i->args.count && i->kind != INST_APPEND; k++)
        text = arena_printf(e->c->arena, "%s, %s", text,
                            value_index(e, i->args.items[k], PREC_ASSIGN));
    return text;
}

static const char *
is_active_text(Emit *e, const Inst *i)
{
    if (i->in_row && e->par.rows)
        return mask_rows_bit(e, i);
    if (!inst_has_container(i))
        return arena_printf(e->c->arena, "snl_cell_is_active(%s)", cell_arguments(e, i, true));
    if (i->node->kind == NODE_BITMASKED)
        return arena_printf(e->c->arena, "snl_mask_%s(%s, %s)",
                            i->relaxed || *place_still_verb(e, i->node) ? "bit" : "has",
                            place_mask(e, i->args.items[0]),
                            value_index(e, i->args.items[1], PREC_ASSIGN));
    return arena_printf(e->c->arena, "snl_%s_is_active%s(%s)", node_kind_name(i->node->kind),
                        i->node->kind == NODE_POINTER ? place_still_verb(e, i->node) : "",
                        container_arguments(e, i));
}

const char *
activity_value(Emit *e, const Inst *i)
{
    const char *type = scalar_info(i->type->scalar)->ctype;
    switch (i->kind) {
    case INST_IS_ACTIVE: return is_active_text(e, i);
    case INST_LENGTH:
        if (i->packed)
            return arena_printf(e->c->arena, "(%s)snl_line_length(%s, lined)", type,
                                container_arguments(e, i));
        if (inst_has_container(i))
            return arena_printf(e->c->arena, "(%s)snl_dynamic_length%s(%s)", type,
                                place_still_verb(e, i->node), container_arguments(e, i));
        return arena_printf(
            e->c->arena, "(%s)snl_dynamic_length(%s, %d, snl_container_at(%s, SNL_READ))", type,
            place_tree(e, i->node->layout), i->node->id - 1, cell_arguments(e, i, false));
    case INST_MEMORY:
        return arena_printf(e->c->arena, "snl_program_memory(self->trees, %d)", i->layout->id);
    case INST_ACTIVE:
        return arena_printf(e->c->arena, "(%s)snl_tree_active(%s, %d)", type,
                            place_tree(e, i->node->layout), i->node->id - 1);
    case INST_MEASURE:
        return arena_printf(e->c->arena, "snl_measure(&self->rt, %s)",
                            value_text(e, i->args.items[0], PREC_ASSIGN));
    case INST_TAKE: return "snl_tape_take_word(&self->rt)";
    default: return "snl_clock()";
    }
}

void
activity_collect(Emit *e, const Layout *l)
{
    text_line(e->out, e->o->gpu ? "snl_gpu_gc(&self->rt, %s);" : "snl_tree_gc(%s);",
              place_tree(e, l));
    e->fn.waited = false;
}

/* A node at the top of host code or of a kernel's serial part may be emptied while nothing else
 * runs: collect at once. */
static void
collect(Emit *e, const Inst *i)
{
    FuncKind k = e->fn.f->func->kind;
    if (k == FUNC_HOST || func_is_block(k))
        activity_collect(e, i->node->layout);
}

/* The appended values into their cell. */
static void
store_values(Emit *e, const Inst *i, const char *at)
{
    for (int v = 0; v < i->args.count - i->arg_split; v++) {
        const Place *run = &i->node->places.items[v];
        text_line(e->out, "%s = %s;", place_in_cell(e, at, run->field, run->first_leaf),
                  value_text(e, i->args.items[i->arg_split + v], PREC_ASSIGN));
    }
}

void
activity_place_error(Emit *e, Span span)
{
    text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, span));
    if (e->fn.leave == LEAVE_STATUS)
        stmt_check(e);
}

/* Goes on to the next iteration where the list is another thread's. */
static void
skip_others(Emit *e, const Inst *list)
{
    const char *number = name_new(e, "number");
    text_line(e->out, "const int64_t %s = %s;", number,
              value_index(e, list->args.items[0]->args.items[1], PREC_ASSIGN));
    text_line(e->out, "if (%s < from || %s >= to)", number, number);
    text_line(e->out, "    continue;    /* another thread's list */");
}

/* Whether no other threads append to the list. */
static const char *
is_alone(const Emit *e)
{
    const bool sequential = !e->par.loop && !e->fn.on_gpu && e->fn.f->func->kind != FUNC_DEVICE;
    return e->par.owning || sequential ? "true" : e->par.alone_known ? "alone" : "false";
}

/* An append that mostly goes to the list of the last one: whose it is and whether anything failed
 * is asked where it does not. */
static void
append_in_run(Emit *e, const Inst *i, const char *where)
{
    const Inst *list = i->args.items[0];
    const char *type = type_cell(e, i->node);
    text_line(e->out, "void *%s = snl_dynamic_follow(%s, sizeof(%s), &%s);", where,
              place_container(e, list), type, e->par.list_end);
    text_open(e->out, "if (!%s) {", where);
    if (e->par.owning)
        skip_others(e, list);
    stmt_check(e);
    text_line(e->out, "%s = snl_dynamic_lead(%s, %lld, sizeof(%s), %s, &%s);", where,
              container_arguments(e, i), (long long)i->node->chunk, type, is_alone(e),
              e->par.list_end);
    activity_place_error(e, i->span);
    text_close(e->out, "}");
    store_values(e, i, arena_printf(e->c->arena, "(*(%s *)%s)", type, where));
}

static void
emit_append(Emit *e, const Inst *i)
{
    const Node *n = i->node;
    Plan *p = inline_plan_of(e, i);
    if (i->placed && e->par.placed) {
        if (p->uses) {
            p->name = name_temp(e);
            text_line(e->out, "const %s = (%s)(%s);", type_decl(e, i->type, p->name),
                      type_c(e, i->type), e->par.placed_index);
        }
        store_values(e, i, e->par.placed);
        return;
    }
    const char *where = name_new(e, "where"), *call;
    if (e->par.list_end) {
        append_in_run(e, i, where);
        return;
    }
    if (e->par.owning && !e->par.fetched)
        skip_others(e, i->args.items[0]);
    text_line(e->out, "void *%s;", where);
    if (inst_has_container(i))
        call = arena_printf(e->c->arena, "snl_dynamic_push(%s, %lld, sizeof(%s), %s, &%s)",
                            container_arguments(e, i), (long long)n->chunk, type_cell(e, n),
                            is_alone(e), where);
    else
        call = arena_printf(
            e->c->arena, "snl_dynamic_append(%s, %d, snl_container_at(%s, SNL_ACTIVATE), &%s)",
            place_tree(e, n->layout), n->id - 1, cell_arguments(e, i, false), where);
    if (p->uses) {
        p->name = name_temp(e);
        text_line(e->out, "const %s = (%s)%s;", type_decl(e, i->type, p->name), type_c(e, i->type),
                  call);
    } else
        text_line(e->out, "%s;", call);
    store_values(e, i, arena_printf(e->c->arena, "(*(%s *)%s)", type_cell(e, n), where));
    activity_place_error(e, i->span);
}

void
activity_change(Emit *e, const Inst *i)
{
    const Node *n = i->node;
    if (i->in_row && e->par.rows) {
        mask_rows_set(e, i);
        return;
    }
    switch (i->kind) {
    case INST_ACTIVATE:
        text_line(e->out, "snl_cell_at(%s, SNL_ACTIVATE);", cell_arguments(e, i, true));
        activity_place_error(e, i->span);
        break;
    case INST_DEACTIVATE:
        if (inst_has_container(i) && n->kind == NODE_BITMASKED)
            text_line(e->out, "if (snl_mask_has(%s, %s))", place_mask(e, i->args.items[0]),
                      value_index(e, i->args.items[1], PREC_ASSIGN));
        if (inst_has_container(i))
            text_line(e->out,
                      n->kind == NODE_BITMASKED ? "    snl_%s_deactivate(%s);"
                                                : "snl_%s_deactivate(%s);",
                      node_kind_name(n->kind), container_arguments(e, i));
        else if (n->kind == NODE_DYNAMIC)
            text_line(e->out, "snl_list_empty(%s);", cell_arguments(e, i, false));
        else
            text_line(e->out, "snl_cell_deactivate(%s);", cell_arguments(e, i, true));
        collect(e, i);
        break;
    case INST_ACTIVATE_AS:
        text_line(e->out, "snl_tree_activate_as(%s, %d, %s, %d);", place_tree(e, n->layout),
                  n->id - 1, place_tree(e, i->like->layout), i->like->id - 1);
        text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, i->span));
        stmt_check(e);
        break;
    case INST_DEACTIVATE_ALL:
        if (e->o->gpu)
            text_line(e->out, "snl_gpu_deactivate_all(&self->rt, %s, %d);",
                      place_tree(e, n->layout), n->id - 1);
        else
            text_line(e->out, "snl_tree_deactivate_all(%s, %d);", place_tree(e, n->layout),
                      n->id - 1);
        e->fn.waited = false;
        collect(e, i);
        break;
    default: emit_append(e, i); break;
    }
}

/* ---- host code ---- */

/* The name of a layout as a C argument. */
static const char *
layout_argument(Emit *e, const Layout *l)
{
    return l->name ? value_string(e, l->name, strlen(l->name)) : "NULL";
}

/* A call that gives a status: leaves with the place of the statement when that is an error. */
static void
try_call(Emit *e, const Inst *i, const char *text)
{
    text_open(e->out, "if (%s) {", text);
    text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, i->span));
    text_line(e->out, "%s", stmt_leave(e));
    text_close(e->out, "}");
}

static const char *
field_desc(Emit *e, const Field *f)
{
    const char *name = name_field_desc(e, f);
    map_put(&e->made, intern_str(e->c->intern, name), e);
    return arena_printf(e->c->arena, "&%s", name);
}

static void
emit_save(Emit *e, const Inst *i, const char *path)
{
    const char *list = "";
    for (int k = 0; k < i->fields.count; k++)
        list = arena_printf(e->c->arena, "%s%s%s", list, k ? ", " : "",
                            field_desc(e, i->fields.items[k]));
    try_call(
        e, i,
        arena_printf(
            e->c->arena,
            "snl_field_save(&self->rt, self->trees, %s, %d, SNL_ARRAY(const SnlFieldDesc *, %s))",
            path, i->fields.count, list));
}

static void
emit_layout_inst(Emit *e, const Inst *i)
{
    int id = i->layout->id;
    const char *name = layout_argument(e, i->layout);
    switch (i->kind) {
    case INST_REQUIRE:
        text_open(e->out, "if (!self->trees[%d]) {", id);
        text_line(e->out, "snl_fail_no_tree(&self->rt, %s);", name);
        text_line(e->out, "snl_error_at(&self->rt, %s);", stmt_where(e, i->span));
        text_line(e->out, "%s", stmt_leave(e));
        text_close(e->out, "}");
        break;
    case INST_CREATE:
        try_call(e, i, arena_printf(e->c->arena, "%s(self, %d)", name_part(e, "create_tree"), id));
        break;
    case INST_DESTROY:
        try_call(e, i,
                 arena_printf(e->c->arena, "snl_program_destroy(&self->rt, self->trees, %d, %s)",
                              id, name));
        break;
    case INST_TRIM:
        text_line(e->out, "snl_tree_trim(self->trees[%d]);", id);
        break;
    case INST_SWAP:
        text_line(e->out, "snl_tree_swap(self->trees[%d], self->trees[%d]);", id, i->layout2->id);
        break;
    default: {
        const char *verb = i->kind == INST_SAVE ? "save" : "load";
        try_call(e, i,
                 arena_printf(e->c->arena, "snl_program_%s(&self->rt, self->trees, %d, %s)", verb,
                              id, value_text(e, i->args.items[0], PREC_ASSIGN)));
        break;
    }
    }
}

/* What derivatives need. */
static void
emit_tape(Emit *e, const Inst *i)
{
    if (i->field)
        try_call(e, i, arena_printf(e->c->arena, "snl_tape_%s(&self->rt, self->trees, %s, %d)",
                                    i->kind == INST_KEEP ? "keep" : "take",
                                    field_desc(e, i->field), i->index));
    else if (i->args.count)
        try_call(e, i, arena_printf(e->c->arena, "snl_tape_keep_word(&self->rt, %s)",
                                    value_text(e, i->args.items[0], PREC_ASSIGN)));
    else
        text_line(e->out, "snl_tape_clear(&self->rt);");
}

void
activity_host(Emit *e, const Inst *i)
{
    const bool has_path = i->kind != INST_KEEP && i->args.count;
    const char *path = has_path ? value_text(e, i->args.items[0], PREC_ASSIGN) : "";
    if (i->layout) {
        emit_layout_inst(e, i);
        return;
    }
    switch (i->kind) {
    case INST_FILL:
        try_call(e, i,
                 arena_printf(e->c->arena, "snl_field_fill(&self->rt, self->trees, %s, %s)",
                              field_desc(e, i->field), value_pointer(e, i->args.items[0])));
        break;
    case INST_COPY:
        try_call(e, i,
                 arena_printf(e->c->arena, "snl_field_copy(&self->rt, self->trees, %s, %s)",
                              field_desc(e, i->field), field_desc(e, i->field2)));
        break;
    case INST_KEEP: case INST_GIVE: emit_tape(e, i); break;
    case INST_SAVE: emit_save(e, i, path); break;
    case INST_LOADFILE:
        try_call(e, i,
                 arena_printf(e->c->arena, "snl_field_load(&self->rt, self->trees, %s, %s)", path,
                              field_desc(e, i->fields.items[0])));
        break;
    case INST_IMAGE:
        try_call(e, i,
                 arena_printf(e->c->arena,
                              "snl_field_image(&self->rt, self->trees, %s, %s, %s, %s)", path,
                              field_desc(e, i->fields.items[0]),
                              value_text(e, i->args.items[1], PREC_ASSIGN),
                              value_text(e, i->args.items[2], PREC_ASSIGN)));
        break;
    case INST_FORMAT: {
        Plan *p = inline_plan_of(e, i);
        p->name = name_temp(e);
        text_line(e->out, "SNL_TEXT(%s_text, %s, %s);", p->name,
                  value_string(e, i->string, i->string_bytes), value_print_args(e, &i->args));
        text_line(e->out, "const char *const %s = snl_text_chars(&%s_text);", p->name, p->name);
        break;
    }
    default: break;
    }
}
