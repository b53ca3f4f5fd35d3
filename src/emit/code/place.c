/* Places, cells and containers as C lvalues. What a function keeps in variables at its start. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "emit/loop/loops.h"

/* ---- what belongs to the instance ---- */

const char *
place_tree(Emit *e, const Layout *l)
{
    return e->fn.cached ? type_tree_name(e, l)
                        : arena_printf(e->c->arena, "self->trees[%d]", l->id);
}

const char *
place_launch_number(Emit *e)
{
    return e->o->gpu ? "self->rt.gpu->launch" : "self->rt.launch";
}

/* Type of the elements of a container: its cells, or the slots of a pointer node. */
static const char *
element_type(Emit *e, const Node *n)
{
    switch (n->kind) {
    case NODE_DENSE: case NODE_BITMASKED: return type_cell(e, n);
    case NODE_POINTER: return "void *";
    case NODE_DYNAMIC: return "SnlDynamic";
    default: return "SnlHash";
    }
}

const char *
place_top_container(Emit *e, const Node *n)
{
    if (e->par.tops && !nodes_have(e->par.tops, n))
        vec_push(e->c->arena, e->par.tops, (Node *)(uintptr_t)n);
    return arena_printf(e->c->arena, e->par.tops ? "in->top_%d_%d" : "self->trees[%d]->root[%d]",
                        n->layout->id, n->id - 1);
}

static const char *
top_expression(Emit *e, const Node *n)
{
    const char *type = element_type(e, n);
    return arena_printf(e->c->arena, "(%s%s*)%s", type, strchr(type, '*') ? "" : " ",
                        place_top_container(e, n));
}

const char *
place_top(Emit *e, const Node *n)
{
    return e->fn.cached ? type_top_name(e, n)
                        : arena_printf(e->c->arena, "(%s)", top_expression(e, n));
}

static const char *
size_name(Emit *e, const Node *n, int k)
{
    return arena_printf(e->c->arena, "%s_size%d", type_top_name(e, n), k);
}

static const char *
size_expression(Emit *e, const Node *n, int k)
{
    return arena_printf(e->c->arena, "self->trees[%d]->nodes[%d].desc.sizes[%d]", n->layout->id,
                        n->id - 1, k);
}

const char *
place_size(Emit *e, const Node *n, int k)
{
    return e->fn.cached ? size_name(e, n, k) : size_expression(e, n, k);
}

static const char *
extent_name(Emit *e, const Field *f, int k)
{
    return arena_printf(e->c->arena, "%s_extent%d", name_field(e, f), k);
}

static const char *
extent_expression(Emit *e, const Field *f, int k)
{
    const Node *n = f->node;
    return arena_printf(e->c->arena, "snl_tree_extent(self->trees[%d], %d, %d)", n->layout->id,
                        n->id - 1, f->axes[k]);
}

const char *
place_extent(Emit *e, const Field *f, int k)
{
    return e->fn.cached ? extent_name(e, f, k) : extent_expression(e, f, k);
}

static const char *
param_name(Emit *e, const Param *p)
{
    return arena_printf(e->c->arena, "param_%s", name_param(e, p));
}

static const char *
param_expression(Emit *e, const Param *p)
{
    return arena_printf(e->c->arena, "self->params.%s", name_param(e, p));
}

const char *
place_param(Emit *e, const Param *p)
{
    return e->fn.cached ? param_name(e, p) : param_expression(e, p);
}

static const char *
root_name(Emit *e, const Layout *l)
{
    return arena_printf(e->c->arena, "%s_root", type_tree_name(e, l));
}

static const char *
root_expression(Emit *e, const Layout *l)
{
    return arena_printf(e->c->arena, "(%s *)self->trees[%d]->root_cell", type_root(e, l), l->id);
}

const char *
place_root_cell(Emit *e, const Layout *l)
{
    return e->fn.cached ? root_name(e, l)
                        : arena_printf(e->c->arena, "(%s)", root_expression(e, l));
}

void
place_names(Emit *e)
{
    for (int i = 0; i < e->p->layouts.count; i++) {
        const Layout *l = e->p->layouts.items[i];
        name_keep(e, type_tree_name(e, l));
        name_keep(e, root_name(e, l));
        for (int n = 0; n < l->nodes.count; n++) {
            const Node *top = l->nodes.items[n];
            if (top->parent)
                continue;
            name_keep(e, type_top_name(e, top));
            for (int k = 0; k < top->axis_count; k++)
                if (!top->sizes[k])
                    name_keep(e, size_name(e, top, k));
        }
    }
    for (int i = 0; i < e->p->params.count; i++)
        name_keep(e, param_name(e, e->p->params.items[i]));
    for (int i = 0; i < e->p->fields.count; i++)
        for (int k = 0; k < e->p->fields.items[i]->axis_count; k++)
            if (!e->p->fields.items[i]->extents[k])
                name_keep(e, extent_name(e, e->p->fields.items[i], k));
}

/* ---- cells ---- */

/* "cell.member", or "pointer->member" for "(*pointer)". */
static const char *
member(Emit *e, const char *lvalue, const char *name)
{
    size_t n = strlen(lvalue);
    if (!strncmp(lvalue, "(*", 2) && strcspn(lvalue + 2, "()") == n - 3)
        return arena_printf(e->c->arena, "%.*s->%s", (int)n - 3, lvalue + 2, name);
    return arena_printf(e->c->arena, "%s.%s", lvalue, name);
}

const char *
place_in_cell(Emit *e, const char *at, const Field *f, int leaf)
{
    return member(e, at, type_place_member(e, f, leaf));
}

const char *
place_cell_at_hand(Emit *e, const Node *n)
{
    for (const CellAt *at = e->fn.cells; at; at = at->outer) {
        size_t length = strlen(at->text);
        if (at->node == n && !at->var && !strncmp(at->text, "(*", 2) &&
            strcspn(at->text + 2, "()") == length - 3)
            return arena_printf(e->c->arena, "%.*s", (int)length - 3, at->text + 2);
    }
    return NULL;
}

const char *
place_container(Emit *e, const Inst *i)
{
    if (i->kind == INST_ROOT)
        return place_top(e, i->node);
    if (i->kind == INST_PATCH)
        return e->par.patch_cells;
    if (i->kind == INST_FETCHED)
        return prefetch_indirect_list(e);
    const char *text = member(e, place_cell(e, i->args.items[0]), type_child_member(e, i->node));
    return i->node->kind == NODE_DYNAMIC || i->node->kind == NODE_HASH
               ? arena_printf(e->c->arena, "&%s", text)
               : text;
}

const char *
place_cell(Emit *e, const Inst *i)
{
    if (defer_scatter_cell(e) && (i->kind == INST_LOOP_CELL || i->kind == INST_LOOKUP))
        return defer_scatter_cell(e);
    if (i->kind == INST_LOOP_CELL) {
        for (const CellAt *at = e->fn.cells; at; at = at->outer)
            if (at->node == i->node && at->var == i->var)
                return at->text;
        return "/* no such cell */ 0";
    }
    if (i->kind == INST_WINDOW)
        return stage_scaled_cell(e, i->window);
    if (i->kind == INST_LOOKUP && i->node->kind == NODE_DENSE) {
        const char *cells = place_container(e, i->args.items[0]);
        const char *more = i->opaque_stride ? outer_vector_more(e) : "";
        return arena_printf(e->c->arena, "%s[%s%s]", cells,
                            value_index(e, i->args.items[1], *more ? PREC_ADD : PREC_ANY), more);
    }
    return arena_printf(e->c->arena, "(*%s)", inline_plan_of(e, i)->name);
}

const char *
place_hash_keys(Emit *e, const Inst *i)
{
    const char *keys = "";
    for (int k = 1; k < i->args.count; k++)
        keys = arena_printf(e->c->arena, "%s%s%s", keys, k > 1 ? ", " : "",
                            value_index(e, i->args.items[k], PREC_ASSIGN));
    return arena_printf(e->c->arena, "SNL_ARRAY(int64_t, %s), %d", keys, i->node->axis_count);
}

const char *
place_mask(Emit *e, const Inst *i)
{
    if (i->kind == INST_CHILD)
        return member(e, place_cell(e, i->args.items[0]),
                      arena_printf(e->c->arena, "snl_mask%d", i->node->id));
    return arena_printf(e->c->arena, "snl_bitmasked_mask(%s, %d, %s)",
                        place_tree(e, i->node->layout), i->node->id - 1, place_container(e, i));
}

int
place_copies(const Emit *e, const Node *n)
{
    for (int s = 0; e->par.scatter && s < e->par.scatter->scatter.count; s++)
        if (e->par.scatter->scatter.items[s] == n)
            return s;
    return -1;
}

/* The last argument of a look-up that begins with the cells it found before, which are in a
 * variable of its own; or nothing. */
static const char *
found_before(Emit *e)
{
    if (!e->par.keeps_cells)
        return "";
    const char *name = name_new(e, arena_printf(e->c->arena, "near%d", ++e->temp_count));
    declarations_add(e, name, arena_printf(e->c->arena, "SnlHashNear %s = {0};", name));
    return arena_printf(e->c->arena, ", &%s", name);
}

const char *
place_still_verb(const Emit *e, const Node *n)
{
    return e->o->gpu && e->par.task && task_leaves(e->par.task, n) ? "_still" : "";
}

const char *
place_look_up(Emit *e, const Inst *i)
{
    const Node *n = i->node;
    const bool activates = i->access == ACCESS_ACTIVATE;
    const char *verb = activates ? "activate" : "lookup",
               *still = activates ? "" : place_still_verb(e, n),
               *where = place_container(e, i->args.items[0]);
    if (i->kind == INST_LOOKUP_HASH) {
        const char *before = found_before(e);
        return arena_printf(e->c->arena, "snl_hash_%s%s%s(%s, %d, %s, %s%s)", verb, still,
                            *before ? "_near" : "", place_tree(e, n->layout), n->id - 1, where,
                            place_hash_keys(e, i), before);
    }
    const char *number = value_index(e, i->args.items[1], PREC_ASSIGN);
    if (i->access == ACCESS_KNOWN && n->kind == NODE_POINTER)
        return arena_printf(e->c->arena, "%s[%s]", where, number);
    if ((i->access == ACCESS_KNOWN || i->access == ACCESS_ADDRESS) && n->kind == NODE_BITMASKED)
        return arena_printf(e->c->arena, "&%s[%s]", where, number);
    if (n->kind == NODE_POINTER && place_copies(e, n) >= 0)
        return arena_printf(e->c->arena, "snl_scatter_cell(in->apart, %d, %s, %d, %s, %s)",
                            place_copies(e, n), place_tree(e, n->layout), n->id - 1, where, number);
    if (n->kind == NODE_DYNAMIC)
        return arena_printf(e->c->arena, "snl_dynamic_%s%s(%s, %d, %s, %lld, sizeof(%s), %s)",
                            activates ? "put" : "get", still, place_tree(e, n->layout), n->id - 1,
                            where, (long long)n->chunk, type_cell(e, n), number);
    return arena_printf(e->c->arena, "snl_%s_%s%s(%s, %d, %s, %s)", node_kind_name(n->kind), verb,
                        still, place_tree(e, n->layout), n->id - 1, where, number);
}

/* ---- places ---- */

static const char *
element(Emit *e, const Inst *i)
{
    const Inst *base = i->args.items[0];
    const Type *t = base->type;
    const char *text = place_text(e, base);
    if (text[0] == '*')
        text = arena_printf(e->c->arena, "(%s)", text);
    if (t->kind == TYPE_VECTOR || t->kind == TYPE_MATRIX) {
        const char *row = value_index(e, i->args.items[1], t->cols ? PREC_MUL : PREC_ANY);
        if (!t->cols)
            return arena_printf(e->c->arena, "%s.v[%s]", text, row);
        const Inst *r = i->args.items[1], *c = i->args.items[2];
        if (r->kind == INST_CONST && c->kind == INST_CONST)
            return arena_printf(e->c->arena, "%s.v[%lld]", text,
                                (long long)(r->value.leaves[0].i * t->cols + c->value.leaves[0].i));
        return arena_printf(e->c->arena, "%s.v[%s * %d + %s]", text, row, t->cols,
                            value_index(e, c, PREC_MUL));
    }
    if (t->kind == TYPE_ARRAY) {
        for (int k = 1; k < i->args.count; k++)
            text = arena_printf(e->c->arena, "%s[%s]", text,
                                value_index(e, i->args.items[k], PREC_ANY));
        return text;
    }
    const char *at = value_index(e, i->args.items[1], i->args.count > 2 ? PREC_MUL : PREC_ANY);
    for (int k = 2; k < i->args.count; k++) {
        at = arena_printf(e->c->arena, "%s * %s_n%d + %s", at, e->fn.var_text[base->var->id], k - 1,
                          value_index(e, i->args.items[k], PREC_MUL));
        if (k + 1 < i->args.count)
            at = arena_printf(e->c->arena, "(%s)", at);
    }
    return arena_printf(e->c->arena, "%s[%s]", text, at);
}

/* A table's element: tables are static arrays of the source. */
static const char *
table(Emit *e, const Inst *i)
{
    const char *name = table_name(e, i->table);
    map_put(&e->made, name, e);
    if (e->o->gpu && e->fn.on_gpu)
        return arena_printf(e->c->arena, "SNL_ON_SIDE(%s)", name);
    return name;
}

/* The run that the place starts in holds more than it asks for: names the part. */
static const char *
part_of_run(Emit *e, const char *text, const Field *f, int leaf, const Type *want)
{
    const Place *run = layout_place(f, leaf);
    const Type *t = run ? run->type : want;
    int inside = run ? leaf - run->first_leaf : 0;
    while (t != want && t->leaf_count >= want->leaf_count) {
        if (t->kind != TYPE_STRUCT)
            return arena_printf(e->c->arena, "%s.v[%d]", text, inside);
        int m = 0;
        while (m + 1 < t->member_count && t->members[m + 1].leaf <= inside)
            m++;
        text = arena_printf(e->c->arena, "%s.%s", text, name_member(e, t, m));
        inside -= t->members[m].leaf;
        t = t->members[m].type;
    }
    assert(t == want);
    return text;
}

const char *
place_number(Emit *e, const Node *n, int k, const char *number, const char *digit)
{
    if (!k)
        return digit;
    const char *size = n->stored[k] ? arena_printf(e->c->arena, "%lld", (long long)n->stored[k])
                                    : place_size(e, n, k);
    return arena_printf(e->c->arena, k > 1 ? "(%s) * %s + %s" : "%s * %s + %s", number, size,
                        digit);
}

const char *
place_part_in_cell(Emit *e, const char *at, const Field *f, int leaf, const Type *type)
{
    return part_of_run(e, place_in_cell(e, at, f, leaf), f, leaf, type);
}

/* The element of the loop's own indices of the field that it does not stream now. */
static const char *
direct_place(Emit *e, const Field *f)
{
    const Task *t = e->par.direct;
    const Node *n = f->leaves[0].node;
    const Var *last = t->vars.items[node_axis_rank(n, n->axes[n->axis_count - 1])];
    return place_part_in_cell(e, loop_cell_at_index(e, t, n, e->fn.var_text[last->id]), f, 0,
                              f->type);
}

const char *
place_address(Emit *e, const char *lvalue)
{
    const char *end = strchr(lvalue, ')');
    if (lvalue[0] == '(' && lvalue[1] == '*' && end && !end[1])
        return arena_strndup(e->c->arena, lvalue + 2, (size_t)(end - lvalue - 2));
    return arena_printf(e->c->arena, "&%s", lvalue);
}

const char *
place_text(Emit *e, const Inst *i)
{
    const char *own = e->par.word ? mask_vector_place(e, i) : defer_scatter_own(e, i);
    if (own)
        return own;
    switch (i->kind) {
    case INST_VAR: return e->fn.var_text[i->var->id];
    case INST_TABLE: return table(e, i);
    case INST_ELEM: return element(e, i);
    case INST_MEMBER: {
        const char *text = place_text(e, i->args.items[0]);
        if (text[0] == '*')
            text = arena_printf(e->c->arena, "(%s)", text);
        return arena_printf(e->c->arena, "%s.%s", text,
                            name_member(e, i->args.items[0]->type, i->index));
    }
    case INST_IN_CELL:
        return place_part_in_cell(e, place_cell(e, i->args.items[0]), i->field, i->leaf, i->type);
    case INST_HALO: return stage_halo_place(e, i->halo);
    case INST_WINDOW_COPY: return stage_scaled_copied(e, i->window);
    case INST_STREAM:
        return e->par.order    ? reorder_own(e, i->field)
               : e->par.direct ? direct_place(e, i->field)
                               : arena_printf(e->c->arena, "%s[%s]", e->par.strip, e->par.lane);
    case INST_ROOT_PLACE: {
        const char *text = arena_printf(e->c->arena, "%s->%s",
                                        place_root_cell(e, i->field->leaves[i->leaf].layout),
                                        type_place_member(e, i->field, i->leaf));
        return part_of_run(e, text, i->field, i->leaf, i->type);
    }
    default: return "/* no place */ 0";
    }
}

/* ---- variables at the start of a function ---- */

typedef struct {
    Emit *e;
    bool may_alias;
} Cache;

static void
cache_tree(Cache *k, const Layout *l)
{
    const char *name = type_tree_name(k->e, l);
    if (!declarations_has(k->e, name))
        declarations_add(
            k->e, name,
            arena_printf(k->e->c->arena, "SnlTree *const %s = self->trees[%d];", name, l->id));
}

static void
cache_top(Cache *k, const Node *n)
{
    const char *name = type_top_name(k->e, n);
    if (declarations_has(k->e, name))
        return;
    const char *type = element_type(k->e, n);
    const char *qualifier =
                   n->kind == NODE_DENSE && !k->may_alias ? "SNL_RESTRICT const " : "const ",
               *from = top_expression(k->e, n);
    if (place_copies(k->e, n) >= 0)
        from = arena_printf(
            k->e->c->arena,
            strchr(type, '*') ? "(%s*)snl_scatter_array(in->apart, %d, self->trees[%d]->root[%d])"
                              : "(%s *)snl_scatter_array(in->apart, %d, self->trees[%d]->root[%d])",
            type, place_copies(k->e, n), n->layout->id, n->id - 1);
    declarations_add(k->e, name,
                 arena_printf(k->e->c->arena, "%s%s*%s%s = %s;", type, strchr(type, '*') ? "" : " ",
                              qualifier, name, from));
}

static void
cache_int64(Cache *k, const char *name, const char *text)
{
    declarations_add(k->e, name,
                     arena_printf(k->e->c->arena, "const int64_t %s = %s;", name, text));
}

/* What a loop over cells from the top of a tree needs. */
static void
cache_loop_top(Cache *k, const Node *loop)
{
    const Node *top = node_top(loop);
    if (!top)
        return;
    cache_top(k, top);
    for (int a = 0; a < top->axis_count; a++)
        if (!top->sizes[a])
            cache_int64(k, size_name(k->e, top, a), size_expression(k->e, top, a));
}

static void
cache_inst(Inst *i, void *arg)
{
    Cache *k = arg;
    Emit *e = k->e;
    switch (i->kind) {
    case INST_ROOT: cache_top(k, i->node); break;
    case INST_LOOKUP: case INST_LOOKUP_HASH:
        if (i->node->kind == NODE_HASH || i->node->kind == NODE_DYNAMIC ||
            (i->node->kind != NODE_DENSE && i->access != ACCESS_KNOWN &&
             i->access != ACCESS_ADDRESS))
            cache_tree(k, i->node->layout);
        break;
    case INST_ACTIVATE: case INST_DEACTIVATE: case INST_DEACTIVATE_ALL: case INST_IS_ACTIVE:
    case INST_LENGTH: case INST_APPEND:
    case INST_ACTIVE:
        if (i->in_row)
            cache_top(k, i->node->parent);
        cache_tree(k, i->node->layout);
        break;
    case INST_ROOT_PLACE: {
        const Layout *l = i->field->leaves[i->leaf].layout;
        const char *name = root_name(e, l);
        declarations_add(e, name,
                     arena_printf(e->c->arena, "%s *const %s = %s;", type_root(e, l), name,
                                  root_expression(e, l)));
        break;
    }
    case INST_PARAM: {
        const char *name = param_name(e, i->param),
                   *shape = i->param->text ? "%sconst %s = %s;" : "const %s %s = %s;";
        declarations_add(e, name,
                     arena_printf(e->c->arena, shape, type_c(e, i->param->type), name,
                                  param_expression(e, i->param)));
        break;
    }
    case INST_EXTENT:
        if (i->node)
            cache_int64(k, size_name(e, i->node, i->axis), size_expression(e, i->node, i->axis));
        else if (i->field)
            cache_int64(k, extent_name(e, i->field, i->axis),
                        extent_expression(e, i->field, i->axis));
        break;
    case INST_FOR_CELLS:
        if (i->node && !node_is_sparse(i->node))
            cache_loop_top(k, i->node);
        if (i->node && node_is_sparse(i->node))
            cache_tree(k, i->node->layout);
        break;
    default: break;
    }
}

static void
find_alias(Inst *i, void *arg)
{
    bool *may = arg;
    if (i->kind == INST_CALL || i->kind == INST_FOR_CELLS || i->kind == INST_ACTIVATE ||
        i->kind == INST_DEACTIVATE || i->kind == INST_APPEND)
        *may = true;
}

/* What a block may deactivate. */
typedef struct {
    Emit *e;
    bool any;
} Deactivation;

static void
find_deactivation(Inst *i, void *arg)
{
    Deactivation *d = arg;
    if (i->kind == INST_DEACTIVATE || i->kind == INST_DEACTIVATE_ALL ||
        (i->kind == INST_CALL && (i->func->kind != FUNC_DEVICE || d->e->needs_self[i->func->id])))
        d->any = true;
}

bool
place_cells_stay(Emit *e, Block *b)
{
    Deactivation d = {.e = e};
    block_walk(b, find_deactivation, &d);
    return !d.any;
}

void
place_cache_path(Emit *e, const Node *n)
{
    Cache k = {.e = e, .may_alias = true};
    cache_tree(&k, n->layout);
    cache_loop_top(&k, n);
}

void
place_cache_begin(Emit *e, Block *const *blocks, int count, const Node *loop, const Node *listed)
{
    Cache k = {.e = e};
    for (int i = 0; i < count; i++)
        block_walk(blocks[i], find_alias, &k.may_alias);
    k.may_alias =
        k.may_alias || (listed && listed->kind != NODE_POINTER && listed->kind != NODE_HASH);
    if (loop && !listed)
        cache_loop_top(&k, loop);
    for (const Node *n = loop; n && n != listed; n = n->parent)
        if (n->kind == NODE_BITMASKED || n->kind == NODE_DYNAMIC)
            cache_tree(&k, n->layout);
    for (int i = 0; i < count; i++)
        block_walk(blocks[i], cache_inst, &k);
    e->fn.cached = true;
}
