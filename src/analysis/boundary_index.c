/* Recognises indices that are kept inside of the extents of a field. */
#include "config.h"

#include "analysis/boundary_index.h"

/* Along an axis of a field; extent 0: it is known at run time only. */
typedef struct {
    const Field *field;
    int axis;
    int64_t first, extent;
} Along;

static bool
is_number(const Inst *i, int64_t n)
{
    return i->kind == INST_CONST && i->type->kind == TYPE_SCALAR && i->value.leaves[0].i == n;
}

static bool
is_extent(const Inst *i, const Along *f)
{
    if (f->extent > 0)
        return is_number(i, f->extent);
    while (i->kind == INST_CAST && scalar_info(i->type->scalar)->bytes >= 4)
        i = i->args.items[0];
    return i->kind == INST_EXTENT && i->field == f->field && i->axis == f->axis;
}

static bool
is_twice_extent(const Inst *i, const Along *f)
{
    if (f->extent > 0)
        return is_number(i, 2 * f->extent);
    return i->kind == INST_BINARY && i->op == OP_ADD && is_extent(i->args.items[0], f) &&
           is_extent(i->args.items[1], f);
}

/* x - n of the instruction, or NULL. */
static const Inst *
before_difference(const Inst *i, int64_t n)
{
    return i->kind == INST_BINARY && i->op == OP_SUB && is_number(i->args.items[1], n)
               ? i->args.items[0]
               : NULL;
}

/* The extent less one, or with `twice` twice the extent less one. */
static bool
is_end(const Inst *i, const Along *f, bool twice)
{
    if (f->extent > 0)
        return is_number(i, (twice ? 2 : 1) * f->extent - 1);
    const Inst *of = before_difference(i, 1);
    return of && (twice ? is_twice_extent : is_extent)(of, f);
}

/* The last index, which an i32 may hold: i32(min(extent - 1, i32.max)). */
static bool
is_last(const Inst *i, const Along *f)
{
    if (f->extent > 0)
        return is_number(i, f->first + f->extent - 1);
    while (i->kind == INST_CAST)
        i = i->args.items[0];
    if (i->kind == INST_BUILTIN && i->builtin == BUILTIN_MIN &&
        is_number(i->args.items[1], INT32_MAX))
        i = i->args.items[0];
    const Inst *end = before_difference(i, 1 - f->first);
    return end && is_extent(end, f);
}

/* n of max(n, first) and min(n, last), or NULL. */
static const Inst *
clamped(const Inst *i, const Along *f)
{
    if (i->kind != INST_BUILTIN || (i->builtin != BUILTIN_MAX && i->builtin != BUILTIN_MIN))
        return NULL;
    for (int a = 1; a >= 0; a--) {
        const Inst *limit = i->args.items[a];
        if (i->builtin == BUILTIN_MAX ? is_number(limit, f->first) : is_last(limit, f))
            return i->args.items[1 - a];
    }
    return NULL;
}

/* n of floormod(n, extent), n % extent, and n & (extent - 1), or NULL; % only where n is never
 * negative. */
static const Inst *
wrapped(const Inst *i, const Along *f, bool *signs)
{
    Inst *const *a = i->args.items;
    *signs = true;
    if (i->kind == INST_BUILTIN && i->builtin == BUILTIN_FLOORMOD)
        return is_extent(a[1], f) ? a[0] : NULL;
    if (i->kind != INST_BINARY)
        return NULL;
    if (i->op == OP_AND && f->extent > 0 && (f->extent & (f->extent - 1)) == 0)
        return is_end(a[1], f, false) ? a[0] : is_end(a[0], f, false) ? a[1] : NULL;
    *signs = false;
    return i->op == OP_MOD && is_extent(a[1], f) ? a[0] : NULL;
}

/* n where m = floormod(n, 2 extent), or n itself, is below extent, else 2 extent - 1 - m: what that
 * is made of, or NULL. */
static const Inst *
mirrored(const Inst *i, const Along *f)
{
    if (i->kind != INST_SELECT)
        return NULL;
    const Inst *test = i->args.items[0], *m = i->args.items[1], *back = i->args.items[2];
    if (test->kind != INST_BINARY || test->op != OP_LT || test->args.items[0] != m ||
        !is_extent(test->args.items[1], f))
        return NULL;
    if (back->kind != INST_BINARY || back->op != OP_SUB || back->args.items[1] != m ||
        !is_end(back->args.items[0], f, true))
        return NULL;
    if (m->kind != INST_BUILTIN || m->builtin != BUILTIN_FLOORMOD)
        return m;
    return is_twice_extent(m->args.items[1], f) ? m->args.items[0] : NULL;
}

static Affine
moved(Affine x, int64_t by)
{
    x.known = x.known && !__builtin_add_overflow(x.min, by, &x.min) &&
              !__builtin_add_overflow(x.max, by, &x.max);
    return x;
}

/* An index modulo the extent, with the least offset; one that is known at run time is no less than
 * a block. */
static Affine
wrapped_index(Affine n, int64_t first, int64_t extent, bool signs)
{
    n.known = n.known && n.min == n.max && n.min + first >= (signs ? -extent : 0) &&
              n.min + first <= extent;
    if (n.known && n.min + first > extent / 2)
        n = moved(n, -extent);
    if (n.known && n.min + first < -extent / 2)
        n = moved(n, extent);
    return moved(n, first);
}

Affine
boundary_index_unbounded(const AffineFacts *x, const Task *t, const Inst *i, const Field *field,
                         int axis, Boundary *mode)
{
    enum { OFFSET_MOST = 1 << 20 };
    const int64_t first = field->offsets[axis];
    const Along f = {field, axis, first, field->extents[axis]};
    const Inst *inner = affine_plain(x, i, NULL, true), *n = inner, *next;
    bool signs;
    *mode = BOUNDARY_NONE;
    while ((next = clamped(n, &f))) {
        *mode = BOUNDARY_CLAMP;
        n = affine_plain(x, next, NULL, true);
    }
    if (*mode)
        return affine_of(x, t, n);
    if (first)
        n = inner->kind == INST_BINARY && inner->op == OP_ADD &&
                    is_number(inner->args.items[1], first)
                ? inner->args.items[0]
                : NULL;
    if (!n)
        return affine_of(x, t, i);
    n = affine_plain(x, n, NULL, true);
    if ((next = wrapped(n, &f, &signs))) {
        *mode = BOUNDARY_PERIODIC;
        return wrapped_index(affine_of(x, t, next), first,
                             f.extent > 0 ? f.extent : OFFSET_MOST, signs);
    }
    if ((next = mirrored(n, &f))) {
        *mode = BOUNDARY_MIRROR;
        return moved(affine_of(x, t, next), first);
    }
    return affine_of(x, t, i);
}
