/* Vectors of three or four f32 in registers (pass slp). Inside of the loop they are SnlQuad of
 * float4.h, in memory they are as in C.
 *     const SnlQuad u = snl_quad_mul(snl_quad_splat(w), snl_quad_load(y_cells[t1].y.v));
 *     snl_quad_update(alone, &y_cells[t1].y.v[0], u);
 */
#include "config.h"

#include "analysis/affine.h"
#include "emit/code/code.h"
#include "pass/vector/quads.h"

bool
float4_has(const Emit *e, const Type *t)
{
    return e->par.quads && quads_are(t);
}

const char *
float4_binary(Op op)
{
    switch (op) {
    case OP_ADD: return "snl_quad_add";
    case OP_SUB: return "snl_quad_sub";
    case OP_MUL: return "snl_quad_mul";
    case OP_DIV: return "snl_quad_div";
    default: return NULL;
    }
}

/* Does a float lie in the cell at this byte? */
static bool
has_float(const Node *n, int64_t byte)
{
    for (int k = 0; k < n->places.count; k++) {
        const Place *p = &n->places.items[k];
        for (int l = p->first_leaf; l < p->first_leaf + p->leaf_count; l++)
            if (p->field->leaves[l].cell_offset == byte &&
                type_leaf(p->field->type, l, NULL) == SCALAR_F32)
                return true;
    }
    return false;
}

/* May four floats be read from the place on? */
static bool
is_wide(const Inst *place)
{
    const Inst *base = affine_place_base((Inst *)place);
    int leaf = affine_place_leaf(place);
    if (place->type->rows == 4)
        return true;
    if (base->kind != INST_IN_CELL || leaf < 0)
        return false;
    const LeafPlace *at = &base->field->leaves[leaf];
    return at->node && has_float(at->node, at->cell_offset + 12);
}

const char *
float4_load(Emit *e, const Inst *place, const char *text)
{
    return arena_printf(e->c->arena, "snl_quad_load%s(%s.v)", is_wide(place) ? "" : "3", text);
}

void
float4_store(Emit *e, const Inst *place, const char *text, const char *value)
{
    text_line(e->out, "snl_quad_store%s(%s.v, %s);", place->type->rows == 4 ? "" : "3", text,
              value);
}

const char *
float4_read(const Emit *e, const Inst *place, const char *text)
{
    const Inst *root = inst_place_root(place);
    const Effects *did = e->par.task ? &e->par.task->effects : NULL;
    const Node *n = root->kind == INST_IN_CELL ? root->args.items[0]->node : NULL;
    if (!did || !quads_are(place->type) || !n || n->parent || n->kind != NODE_DENSE ||
        !is_wide(place) || !quads_are_aligned(place))
        return NULL;
    if (task_changes(e->par.task, root->field) || did->may_activate.count ||
        did->may_deactivate.count)
        return NULL;
    return arena_printf(e->c->arena, "snl_gpu_read_%d<snl_f32x%d>(%s.v)", place->type->rows,
                        place->type->rows, text);
}

void
float4_update(Emit *e, const Inst *sum)
{
    if (e->o->gpu) {
        /* as all containers at the top */
        const bool aligned = !affine_place_base(sum->args.items[0])->args.items[0]->node->parent;
        text_line(e->out, "snl_gpu_add_4<%s>(&%s, %s);", aligned ? "true" : "false",
                  place_text(e, sum->args.items[0]),
                  value_text(e, sum->args.items[1], PREC_ASSIGN));
        return;
    }
    text_line(e->out, "snl_quad_update%s(%s, &%s, %s);", sum->type->rows == 4 ? "" : "3",
              sum->plain           ? "true"
              : e->par.alone_known ? "alone"
                                   : "false",
              place_text(e, sum->args.items[0]),
              value_text(e, sum->args.items[1], PREC_ASSIGN));
}
