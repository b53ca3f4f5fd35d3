/* --check=race: before each store of a parallel loop, a call notes the store, for each scalar,
 * vector or matrix. */
#include "config.h"

#include <string.h>

#include "emit/loop/loops.h"

/* The indices of the element, for the message. */
static const char *
element_text(Emit *e, const Inst *i)
{
    const char *text = "";
    if (i->args.count < 3)
        return "0, NULL";
    for (int k = 2; k < i->args.count; k++)
        text = arena_printf(e->c->arena, "%s%s%s", text, k > 2 ? ", " : "",
                            value_index(e, i->args.items[k], PREC_ASSIGN));
    return arena_printf(e->c->arena, "%d, SNL_ARRAY(int64_t, %s)", i->args.count - 2, text);
}

/* One call for a value, but for a struct one for each member. */
static void
note_store(Emit *e, const Inst *i, const Type *t, const char *to, const char *from)
{
    if (t->kind == TYPE_STRUCT) {
        for (int m = 0; m < t->member_count; m++) {
            const char *name = name_member(e, t, m);
            note_store(e, i, t->members[m].type, arena_printf(e->c->arena, "%s.%s", to, name),
                       arena_printf(e->c->arena, "%s.%s", from, name));
        }
        return;
    }
    text_line(e->out, "snl_check_store(&self->rt, %s, %s, %s, SNL_ARRAY(%s, %s), %s, %d, %s, %s);",
              stmt_where(e, i->span), e->fn.iteration_ref, place_address(e, to), type_c(e, t), from,
              scalar_tag(t->scalar), t->leaf_count, value_string(e, i->string, strlen(i->string)),
              element_text(e, i));
}

void
races_check(Emit *e, const Inst *i)
{
    const Inst *to = i->args.items[0], *v = i->args.items[1];
    const char *from = value_text(e, v, PREC_ASSIGN), *at = place_text(e, to);
    if (v->type->kind == TYPE_STRUCT) {
        const char *name = name_temp(e);
        text_line(e->out, "const %s = %s;", type_decl(e, v->type, name), from);
        from = name;
        at = at[0] == '*' ? arena_printf(e->c->arena, "(%s)", at) : at;
    }
    note_store(e, i, v->type, at, from);
}
