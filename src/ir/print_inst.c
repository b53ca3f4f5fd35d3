/* Instructions and blocks as text. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "ir/inst_info.h"
#include "ir/print.h"

/* ---- names ---- */

void
print_layout(Printer *p, const Layout *l)
{
    if (l->name)
        text_add(p->out, "%s", l->name);
    else
        text_add(p->out, "L%d", l->id);
}

void
print_node(Printer *p, const Layout *l, const Node *n)
{
    if (l && p->ir->prog->layouts.count > 1) {
        print_layout(p, l);
        text_add(p->out, ".");
    }
    text_add(p->out, "%s", n ? node_name(p->ir->prog->c, n) : "S0root");
}

void
print_var(Printer *p, const Var *v)
{
    text_add(p->out, "%s.%d", v->name, v->id);
}

void
print_typed_var(Printer *p, const Var *v)
{
    text_add(p->out, "%s%s ", v->kind == VAR_ARG && v->mode == PARAM_INOUT ? "inout " : "",
             v->type->name);
    print_var(p, v);
}

void
print_vars(Printer *p, Var *const *vars, int count)
{
    for (int i = 0; i < count; i++) {
        text_add(p->out, "%s", i ? ", " : "");
        print_typed_var(p, vars[i]);
    }
}

void
print_fields(Printer *p, Field *const *fields, int count)
{
    for (int i = 0; i < count; i++)
        text_add(p->out, "%s%s", i ? ", " : "", fields[i]->name);
}

void
print_cells(Printer *p, Var *const *vars, int count, const Field *f, const Node *n)
{
    print_vars(p, vars, count);
    text_add(p->out, "%sin ", count ? " " : "");
    if (f)
        text_add(p->out, "field %s", f->name);
    else
        print_node(p, n->layout, n);
}

/* Operands from number `first` up to, not including, `end`, between two brackets. */
static void
print_operands(Printer *p, const Inst *i, int first, int end, const char *brackets)
{
    if (first < end || (*brackets && brackets[1]))
        text_add(p->out, "%.1s", brackets);
    for (int k = first; k < end; k++)
        text_add(p->out, "%s$%d", k > first ? ", " : "", i->args.items[k]->id);
    text_add(p->out, "%s", *brackets ? brackets + 1 : "");
}

/* ---- instructions that read best in a form of their own ---- */

static void
print_part(Printer *p, const Inst *i)
{
    const Type *t = i->args.items[0]->type;
    text_add(p->out, " $%d", i->args.items[0]->id);
    if (t && t->kind == TYPE_STRUCT)
        text_add(p->out, ".%s", t->members[i->index].name);
    else if (t && t->cols)
        text_add(p->out, "[%d, %d]", i->index / t->cols, i->index % t->cols);
    else
        text_add(p->out, "[%d]", i->index);
}

static void
print_run(Printer *p, const Inst *i)
{
    text_add(p->out, " %s", i->field->name);
    if (i->leaf || i->type != i->field->type)
        text_add(p->out, " leaf %d", i->leaf);
}

/* x[-1, +0]: how far from the loop's own element. */
static void
print_halo_place(Printer *p, const Inst *i)
{
    const Node *n = i->halo->halo->node;
    const char *before = "[";
    print_run(p, i);
    for (int a = 0; a < AXIS_MAX; a++) {
        if (!(n->path_axes & 1 << a))
            continue;
        text_add(p->out, "%s%+lld", before, (long long)i->halo->offset[a]);
        before = ", ";
    }
    text_add(p->out, "]");
}

/* [2i+1, j>>1]: by the indices of the loop. */
static void
print_window(Printer *p, const Inst *i)
{
    const Window *w = i->window->window;
    const char *before = "[";
    if (i->field) {
        print_run(p, i);
    } else {
        text_add(p->out, " ");
        print_node(p, w->node->layout, w->node);
    }
    for (int a = 0; a < AXIS_MAX; a++) {
        if (!(w->node->path_axes & 1 << a))
            continue;
        const long long offset = (long long)i->window->offset[a];
        text_add(p->out, "%s%s", before, w->shift[a] && offset ? "(" : "");
        if (w->times[a] != 1)
            text_add(p->out, "%lld", (long long)w->times[a]);
        text_add(p->out, offset ? "%c%+lld" : "%c", AXIS_LETTERS[a], offset);
        if (w->shift[a])
            text_add(p->out, offset ? ")>>%d" : ">>%d", w->shift[a]);
        before = ", ";
    }
    text_add(p->out, "]");
}

static void
print_extent(Printer *p, const Inst *i)
{
    text_add(p->out, " ");
    if (i->field)
        text_add(p->out, "%s", i->field->name);
    else if (i->node)
        print_node(p, i->node->layout, i->node);
    else
        text_add(p->out, "$%d", i->args.items[0]->id);
    text_add(p->out, " axis %d", i->axis);
}

static const char *
access_name(Access a)
{
    static const char *const names[] = {"read", "activate", "known", "address"};
    return names[a];
}

/* A node, its container (first operand) or none, and indices. */
static void
print_cell(Printer *p, const Inst *i)
{
    bool in_container = i->kind == INST_LOOKUP || i->kind == INST_LOOKUP_HASH;
    text_add(p->out, " ");
    print_node(p, i->node->layout, i->node);
    if (i->field)
        text_add(p->out, " of %s", i->field->name);
    if (in_container)
        text_add(p->out, " $%d", i->args.items[0]->id);
    print_operands(p, i, in_container, i->args.count, "[]");
    if (i->kind == INST_CELL || in_container)
        text_add(p->out, " %s", access_name(i->access));
    if (i->opaque_stride)
        text_add(p->out, " opaque stride");
    if (i->relaxed)
        text_add(p->out, " relaxed");
}

static void
print_append(Printer *p, const Inst *i)
{
    text_add(p->out, " ");
    print_node(p, i->node->layout, i->node);
    print_operands(p, i, 0, i->arg_split, "[]");
    text_add(p->out, "%s%s <- ",
             i->placed  ? " placed"
             : i->owned ? " owned"
                        : "",
             i->in_runs ? " in runs" : "");
    print_operands(p, i, i->arg_split, i->args.count, "()");
}

static void
print_atomic(Printer *p, const Inst *i)
{
    text_add(p->out, " %s%s $%d <- ", i->joined ? "row " : "", atomic_name(i->atomic_op),
             i->args.items[0]->id);
    print_operands(p, i, 1, i->args.count, "");
}

static void
print_ranges(Printer *p, const Inst *i)
{
    int n = i->vars.count;
    for (int k = 0; k < n; k++) {
        text_add(p->out, "%s", k ? ", " : " ");
        print_typed_var(p, i->vars.items[k]);
        Inst *const *bounds = &i->args.items[3 * k];
        text_add(p->out, " in $%d..$%d step $%d", bounds[0]->id, bounds[1]->id, bounds[2]->id);
    }
    if (i->args.count > 3 * n)
        text_add(p->out, " cells of $%d", i->args.items[3 * n]->id);
    text_add(p->out, "%s%s%s", i->progress ? " progress" : "", i->packed ? " packed" : "",
             i->collects_runs ? " collects runs" : "");
}

static void
print_loop(Printer *p, const Inst *i)
{
    text_add(p->out, " ");
    print_typed_var(p, i->var);
    text_add(p->out, " in $%d..$%d%s%s", i->args.items[0]->id, i->args.items[1]->id,
             i->strips ? " strips" : "", i->vector ? " vector" : "");
}

static void
print_bound(Printer *p, const Inst *i)
{
    static const char *const words[] = {"from", "step", "count"};
    text_add(p->out, " %s of range %d", words[i->bound], i->index);
}

static void
print_quoted(Printer *p, const Inst *i)
{
    text_add(p->out, " ");
    string_print(i->string, i->string_bytes ? i->string_bytes : strlen(i->string), p->out);
}

/* What is written to or read from files: fields or a layout. */
static void
print_contents(Printer *p, const Inst *i)
{
    print_operands(p, i, 0, i->args.count, " ");
    text_add(p->out, ": ");
    if (i->layout)
        print_layout(p, i->layout);
    print_fields(p, i->fields.items, i->fields.count);
}

/* ---- every instruction ---- */

static void
print_limit(Printer *p, const char *when, const Limit *l)
{
    if (l->operand)
        text_add(p->out, "%s limit %d%s", when, l->operand - 1, l->gives_other ? " or other" : "");
    if (l->alone)
        text_add(p->out, " alone");
}

/* Operations on values; their names need no word before them. */
static void
print_operation(Printer *p, const Inst *i)
{
    const Insts *a = &i->args;
    switch (i->kind) {
    case INST_UNARY:
        text_add(p->out, "%s$%d", i->sign_flip ? "sign flip " : op_text(i->op), a->items[0]->id);
        break;
    case INST_CHECK_OVERFLOW:
    case INST_BINARY:
        if (a->count > 1)
            text_add(p->out, "$%d %s $%d", a->items[0]->id, op_text(i->op), a->items[1]->id);
        else
            text_add(p->out, "%s$%d", op_text(i->op), a->items[0]->id);
        break;
    case INST_LOGIC: text_add(p->out, "$%d %s", a->items[0]->id, op_text(i->op)); break;
    case INST_SELECT:
        text_add(p->out, "$%d ? $%d : $%d", a->items[0]->id, a->items[1]->id, a->items[2]->id);
        break;
    case INST_BUILTIN:
        text_add(p->out, i->row_invariant ? " row invariant %s" : " %s", builtin_name(i->builtin));
        print_operands(p, i, 0, a->count, "()");
        print_limit(p, "", &i->limit);
        print_limit(p, " fast", &i->fast_limit);
        break;
    default: assert(0);
    }
}

/* Instructions that name a thing of the program. */
static void
print_thing(Printer *p, const Inst *i)
{
    text_add(p->out, " ");
    switch (i->kind) {
    case INST_CONST: value_print(&i->value, p->out); break;
    case INST_PARAM: text_add(p->out, "%s", i->param->name); break;
    case INST_TABLE: text_add(p->out, "%s", i->table->name); break;
    case INST_VAR: print_var(p, i->var); break;
    case INST_RANDOM: text_add(p->out, "%s", builtin_name(i->builtin)); break;
    case INST_LOOP_NUMBER:
        print_node(p, i->node->layout, i->node);
        if (i->index)
            text_add(p->out, " %+d", i->index);
        break;
    case INST_LOOP_CELL:
        print_node(p, i->node->layout, i->node);
        if (i->var) {
            text_add(p->out, " of ");
            print_var(p, i->var);
        }
        break;
    case INST_ROOT:
    case INST_PATCH:
    case INST_FETCHED:
    case INST_ACTIVE:
    case INST_DEACTIVATE_ALL: print_node(p, i->node ? i->node->layout : NULL, i->node); break;
    case INST_ACTIVATE_AS:
        print_node(p, i->node->layout, i->node);
        text_add(p->out, " like ");
        print_node(p, i->like->layout, i->like);
        break;
    case INST_CHILD:
        print_node(p, i->node->layout, i->node);
        text_add(p->out, " in $%d", i->args.items[0]->id);
        break;
    case INST_CALL:
        text_add(p->out, "%s", i->func->unique);
        print_operands(p, i, 0, i->args.count, "()");
        break;
    case INST_FILL: text_add(p->out, "%s <- $%d", i->field->name, i->args.items[0]->id); break;
    case INST_COPY: text_add(p->out, "%s <- %s", i->field->name, i->field2->name); break;
    case INST_KEEP: case INST_GIVE:
        if (i->field)
            text_add(p->out, "%s, %d", i->field->name, i->index);
        else
            print_operands(p, i, 0, i->args.count, "()");
        break;
    case INST_SWAP:
        print_layout(p, i->layout);
        text_add(p->out, ", ");
        print_layout(p, i->layout2);
        break;
    case INST_FOR_CELLS: print_cells(p, i->vars.items, i->vars.count, i->field, i->node); break;
    default: print_layout(p, i->layout);
    }
}

static void
print_check(Printer *p, const Inst *i)
{
    const Insts *a = &i->args;
    switch (i->kind) {
    case INST_CHECK_INDEX:
        text_add(p->out, " $%d from $%d count $%d", a->items[0]->id, a->items[1]->id,
                 a->items[2]->id);
        print_quoted(p, i);
        text_add(p->out, " axis %d", i->axis);
        break;
    case INST_CHECK_RACE:
        text_add(p->out, " $%d <- $%d", a->items[0]->id, a->items[1]->id);
        print_quoted(p, i);
        if (a->count > 2)
            print_operands(p, i, 2, a->count, "[]");
        break;
    case INST_CHECK_SHIFT: text_add(p->out, " $%d width %d", a->items[0]->id, i->index); break;
    case INST_CHECK_CAST:
        text_add(p->out, " $%d to %s", a->items[0]->id, scalar_info(i->to)->name);
        break;
    case INST_CHECK_INIT:
        text_add(p->out, " $%d", a->items[0]->id);
        print_quoted(p, i);
        break;
    default: assert(0);
    }
}

/* What stands after the word of the instruction. */
static void
print_rest(Printer *p, const Inst *i)
{
    const Insts *a = &i->args;
    switch (i->kind) {
    case INST_UNARY:
    case INST_BINARY:
    case INST_LOGIC:
    case INST_SELECT:
    case INST_BUILTIN:
    case INST_CHECK_OVERFLOW: print_operation(p, i); break;
    case INST_CONST:
    case INST_PARAM:
    case INST_TABLE:
    case INST_VAR:
    case INST_RANDOM:
    case INST_LOOP_CELL:
    case INST_LOOP_NUMBER:
    case INST_ROOT:
    case INST_CHILD:
    case INST_FETCHED:
    case INST_PATCH:
    case INST_CALL:
    case INST_ACTIVATE_AS:
    case INST_ACTIVE:
    case INST_DEACTIVATE_ALL:
    case INST_FILL:
    case INST_COPY:
    case INST_KEEP:
    case INST_GIVE:
    case INST_SWAP:
    case INST_REQUIRE:
    case INST_MEMORY:
    case INST_CREATE:
    case INST_DESTROY:
    case INST_TRIM:
    case INST_FOR_CELLS: print_thing(p, i); break;
    case INST_CHECK_INDEX:
    case INST_CHECK_SHIFT:
    case INST_CHECK_CAST:
    case INST_CHECK_RACE:
    case INST_CHECK_INIT: print_check(p, i); break;
    case INST_EXTENT: print_extent(p, i); break;
    case INST_GET:
    case INST_MEMBER: print_part(p, i); break;
    case INST_GET_AT:
    case INST_ELEM:
        text_add(p->out, " $%d", a->items[0]->id);
        print_operands(p, i, 1, a->count, "[]");
        break;
    case INST_IN_CELL:
        text_add(p->out, " $%d", a->items[0]->id);
        print_run(p, i);
        break;
    case INST_ROOT_PLACE:
    case INST_STREAM: print_run(p, i); break;
    case INST_HALO: print_halo_place(p, i); break;
    case INST_WINDOW:
    case INST_WINDOW_COPY: print_window(p, i); break;
    case INST_STORE: text_add(p->out, " $%d <- $%d", a->items[0]->id, a->items[1]->id); break;
    case INST_ATOMIC:
    case INST_REDUCE: print_atomic(p, i); break;
    case INST_CELL:
    case INST_LOOKUP:
    case INST_LOOKUP_HASH:
    case INST_ACTIVATE:
    case INST_DEACTIVATE:
    case INST_IS_ACTIVE:
    case INST_LENGTH: print_cell(p, i); break;
    case INST_APPEND: print_append(p, i); break;
    case INST_FOR: print_ranges(p, i); break;
    case INST_LOOP: print_loop(p, i); break;
    case INST_INSIDE:
        text_add(p->out, " $%d..$%d of $%d..$%d%s", a->items[1]->id, a->items[2]->id,
                 a->items[0]->id, a->items[3]->id, i->vector ? " vector" : "");
        break;
    case INST_INDEX:
        text_add(p->out, " ");
        print_var(p, i->var);
        text_add(p->out, " is $%d from $%d", i->args.items[0]->id, i->args.items[1]->id);
        break;
    case INST_CHUNK: text_add(p->out, i->index ? " end" : " begin"); break;
    case INST_BOUND: print_bound(p, i); break;
    case INST_AT_CELL:
        text_add(p->out, " ");
        print_node(p, i->node->layout, i->node);
        print_operands(p, i, 0, 1, "[]");
        break;
    case INST_ITERATION:
        text_add(p->out, " $%d%s%s", a->items[0]->id, i->index & ITERATION_RANDOM ? " random" : "",
                 i->index & ITERATION_RACES ? " races" : "");
        break;
    case INST_STRING: print_quoted(p, i); break;
    case INST_SAME_TEXT: print_operands(p, i, 0, a->count, " "); break;
    case INST_PRINT:
    case INST_FORMAT:
        print_quoted(p, i);
        print_operands(p, i, 0, a->count, " ");
        break;
    case INST_ASSERT:
        text_add(p->out, " $%d", a->items[0]->id);
        print_quoted(p, i);
        break;
    case INST_SAVE:
    case INST_LOADFILE:
    case INST_IMAGE: print_contents(p, i); break;
    case INST_CAST:
    case INST_BITCAST:
    case INST_SPLAT:
    case INST_MAKE:
    case INST_FMA:
    case INST_COND:
    case INST_LOAD:
    case INST_ADDRESS:
    case INST_IF:
    case INST_WHILE:
    case INST_BREAK:
    case INST_CONTINUE:
    case INST_RETURN:
    case INST_CHECK_DIV:
    case INST_CHECK_STACK:
    case INST_CLOCK:
    case INST_TAKE:
    case INST_MEASURE:
    case INST_ABREAST:
    case INST_STOP: print_operands(p, i, 0, a->count, " "); break;
    case INST_KEY:
    case INST_PATCH_AT:
    case INST_PATCH_NOTE: print_operands(p, i, 0, a->count, " "); break;
    case INST_FETCH:
        print_operands(p, i, 0, a->count, " ");
        if (i->node->kind == NODE_HASH)
            text_add(p->out, " to %s", access_name(i->access));
        break;
    case INST_COUNT: break;
    }
}

/* The word; operators are their own. */
static const char *
inst_word(const Inst *i)
{
    switch (i->kind) {
    case INST_UNARY:
    case INST_BINARY:
    case INST_LOGIC: return "";
    case INST_CHECK_OVERFLOW: return "check overflow ";
    case INST_SELECT: return "select ";
    case INST_ABREAST: return i->speculative ? "abreast speculative" : "abreast";
    case INST_ATOMIC: return i->plain ? "plain" : "atomic";
    case INST_STORE: return i->defines ? "define" : "store";
    default: return inst_info(i->kind)->text;
    }
}

static void
print_asserted(Printer *p, const Inst *i)
{
    for (int k = 0; k < i->assert_args.count; k++)
        text_add(p->out, "%s$%d", k ? ", " : "yield ", i->assert_args.items[k]->id);
    if (i->assert_args.count)
        text_newline(p->out);
}

static void
print_inst(Printer *p, const Inst *i)
{
    char result = inst_info(i->kind)->result;
    if (i->type && result != '-' && i->type->kind != TYPE_VOID)
        text_add(p->out, "<%s> ", i->type->name);
    if (result != '-' && !(i->type && i->type->kind == TYPE_VOID))
        text_add(p->out, "$%d = ", i->id);
    text_add(p->out, "%s", inst_word(i));
    print_rest(p, i);
    if (!i->blocks[0] && !i->blocks[1]) {
        text_newline(p->out);
        return;
    }
    text_open(p->out, "%s {", i->graph ? " graph" : "");
    print_block(p, i->blocks[0]);
    if (i->kind == INST_ASSERT)
        print_asserted(p, i);
    if (i->blocks[1]) {
        text_close(p->out, i->kind == INST_WHILE ? "} do {" : "} else {");
        p->out->indent++;
        print_block(p, i->blocks[1]);
    }
    text_close(p->out, "}");
}

void
print_block(Printer *p, const Block *b)
{
    if (!b)
        return;
    for (int i = 0; i < b->insts.count; i++)
        print_inst(p, b->insts.items[i]);
    if (b->result)
        text_line(p->out, "yield $%d", b->result->id);
}
