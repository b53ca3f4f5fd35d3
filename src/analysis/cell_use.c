/* What a program does to the cells of a node. One that uses them for their activity alone names
 * none of their fields. */
#include "config.h"

#include "analysis/cell_use.h"

#include "ir/inst_info.h"

typedef struct {
    const Node *node;
    bool written;
} Search;

static bool
lies_in(const Field *f, const Node *n)
{
    for (int leaf = 0; f && leaf < f->type->leaf_count; leaf++)
        if (f->leaves[leaf].node == n)
            return true;
    return false;
}

/* May an instruction change what the cells hold? Whoever names a field may. */
static bool
may_write(const Inst *i, const Node *n)
{
    if (lies_in(i->field, n))
        return true;
    switch (i->kind) {
    case INST_SWAP: return i->layout == n->layout || i->layout2 == n->layout;
    case INST_COPY: return lies_in(i->field2, n);
    case INST_LOADFILE:
        for (int k = 0; k < i->fields.count; k++)
            if (lies_in(i->fields.items[k], n))
                return true;
        return i->layout == n->layout;
    default: return false;
    }
}

static void
search_inst(Inst *i, void *arg)
{
    Search *s = arg;
    s->written = s->written || may_write(i, s->node);
}

static void
search_block(Block *b, void *arg)
{
    block_walk(b, search_inst, arg);
}

bool
cell_use_writes(const Ir *ir, const Node *n)
{
    Search s = {.node = n, .written = n->children.count > 0};
    for (int k = 0; k < ir->funcs.count && !s.written; k++)
        ir_walk_blocks(ir->funcs.items[k], search_block, &s);
    return s.written;
}
