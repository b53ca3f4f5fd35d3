/* Blocks that come into the caches early (pass ahead), at the start of an iteration over the blocks of a list:
 *
 *     if (n + 2 < to) {
 *         const S1pointer *const ahead = (const S1pointer *)in->entries[n + 2].cell;
 *         snl_fetch(ahead->x_cells, sizeof ahead->x_cells);
 *     } */
#include "config.h"

#include "emit/inside.h"

void
emit_ahead(Emit *e, const Task *t, const char *n)
{
    if (!t->ahead.count)
        return;
    const char *cell = name_new(e, "ahead"), *type = cell_type(e, t->ahead.items[0]->parent);
    text_open(e->out, "if (%s + %d < to) {", n, t->ahead_by);
    text_line(e->out, "const %s *const %s = (const %s *)in->entries[%s + %d].cell;", type, cell, type, n, t->ahead_by);
    for (int i = 0; i < t->ahead.count; i++) {
        const char *member = child_member(e, t->ahead.items[i]);
        text_line(e->out, "snl_fetch(%s->%s, sizeof %s->%s);", cell, member, cell, member);
    }
    text_close(e->out, "}");
}
