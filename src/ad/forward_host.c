/* Forward mode of statements of host code: whole fields, layouts, files. Beside what goes into a
 * field that has an adjoint, its tangent goes into the adjoint. */
#include "config.h"

#include "ad/inside.h"

TStmt *
new_fill(Ad *ad, Field *field, TExpr *value, Span span)
{
    TStmt *st = new_stmt(ad, TS_FILL, span);
    st->field = field;
    st->value = value ? new_cast(ad, field->type, value) : new_zero(ad, field->type, span);
    return st;
}

static void
forward_fill(Forward *f, const TStmt *st)
{
    Dual d = forward_expr(f, st->value);
    if (st->field->adjoint)
        forward_emit(f, new_fill(f->ad, st->field->adjoint, d.tangent, st->span));
    forward_emit(f, new_fill(f->ad, st->field, d.value, st->span));
}

static void
emit_copy(Forward *f, Field *to, Field *from, Span span)
{
    TStmt *st = new_stmt(f->ad, TS_COPY, span);
    st->field = to;
    st->field2 = from;
    forward_emit(f, st);
}

static void
forward_copy_fields(Forward *f, const TStmt *st)
{
    Field *to = st->field->adjoint, *from = st->field2->adjoint;
    if (to && from)
        emit_copy(f, to, from, st->span);
    else if (to)
        forward_emit(f, new_fill(f->ad, to, NULL, st->span));
    emit_copy(f, st->field, st->field2, st->span);
}

static void
forward_file(Forward *f, const TStmt *st)
{
    TStmt *made = forward_copy(f, st);
    if (st->path)
        made->path = forward_value(f, st->path);
    forward_emit(f, made);
    for (int i = 0; st->kind == TS_LOAD && i < st->fields.count; i++)
        if (st->fields.items[i]->adjoint)
            forward_emit(f, new_fill(f->ad, st->fields.items[i]->adjoint, NULL, st->span));
}

void
forward_host(Forward *f, const TStmt *st)
{
    switch ((int)st->kind) {
    case TS_FILL: forward_fill(f, st); break;
    case TS_COPY: forward_copy_fields(f, st); break;
    default: forward_file(f, st); break;
    }
}
