/* Programs for a GPU: the CPU goes on while loops run, and waits before it touches what they use. */
#include "config.h"

#include "emit/inside.h"
#include "ir/inst_info.h"

void
emit_gpu_wait(Emit *e, Text *out)
{
    if (e->o->gpu)
        text_line(out, "snl_gpu_wait(&self->rt);");
}

/* A function that only computes, or a kernel, which waits by itself. */
static bool
call_touches(Emit *e, const Inst *i)
{
    return i->func->kind == FUNC_EXTERN || (i->func->kind == FUNC_DEVICE && e->needs_self[i->func->id]);
}

/* Does the statement, with the expressions written in it, touch trees, print, or the like? */
static bool
touches(Emit *e, const Inst *i)
{
    switch (i->kind) {
    case INST_IN_CELL: case INST_ROOT_PLACE: case INST_ROOT: case INST_LOOKUP: case INST_LOOKUP_HASH: case INST_ACTIVATE: case INST_DEACTIVATE:
    case INST_DEACTIVATE_ALL: case INST_IS_ACTIVE: case INST_LENGTH: case INST_APPEND: case INST_ACTIVE: case INST_MEMORY: case INST_FILL: case INST_COPY:
    case INST_SAVE: case INST_LOADFILE: case INST_IMAGE: case INST_PRINT: case INST_REQUIRE: case INST_CREATE: case INST_DESTROY: case INST_TRIM:
    case INST_SWAP: case INST_CLOCK: case INST_FOR_CELLS: return true;
    case INST_CALL:
        if (call_touches(e, i))
            return true;
        break;
    default: break;
    }
    for (int a = 0; a < i->args.count; a++)
        if (touches(e, i->args.items[a]))
            return true;
    return false;
}

void
emit_gpu_wait_for(Emit *e, const Inst *i)
{
    if (!e->o->gpu || e->on_gpu || e->waited || !touches(e, i))
        return;
    emit_gpu_wait(e, e->out);
    e->waited = true;
}
