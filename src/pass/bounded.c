/* Indices that are kept inside of the extents of a field. */
#include "config.h"

#include "pass/bounded.h"

/* The other operand, if one of two is that constant; of % and of - only the second may be. */
static const Inst *
other_than(const Inst *i, int64_t constant, bool either)
{
    for (int a = 1; a >= (either ? 0 : 1); a--) {
        const Inst *c = i->args.items[a];
        if (c->kind == INST_CONST && c->type->kind == TYPE_SCALAR &&
            c->value.leaves[0].i == constant)
            return i->args.items[1 - a];
    }
    return NULL;
}

/* n of max(n, 0) and min(n, extent - 1), or NULL. */
static const Inst *
clamped(const Inst *i, int64_t extent)
{
    if (i->kind != INST_BUILTIN || (i->builtin != BUILTIN_MAX && i->builtin != BUILTIN_MIN))
        return NULL;
    return other_than(i, i->builtin == BUILTIN_MAX ? 0 : extent - 1, true);
}

/* n of floormod(n, extent), n % extent, and n & (extent - 1), or NULL; % only where n is never
 * negative. */
static const Inst *
wrapped(const Inst *i, int64_t extent, bool *signs)
{
    *signs = true;
    if (i->kind == INST_BUILTIN && i->builtin == BUILTIN_FLOORMOD)
        return other_than(i, extent, false);
    if (i->kind != INST_BINARY)
        return NULL;
    if (i->op == OP_AND && (extent & (extent - 1)) == 0)
        return other_than(i, extent - 1, true);
    *signs = false;
    return i->op == OP_MOD ? other_than(i, extent, false) : NULL;
}

/* n where m = floormod(n, 2 extent), or n itself, is below extent, else 2 extent - 1 - m: what that
 * is made of, or NULL. */
static const Inst *
mirrored(const Inst *i, int64_t extent)
{
    if (i->kind != INST_SELECT)
        return NULL;
    const Inst *test = i->args.items[0], *m = i->args.items[1], *back = i->args.items[2];
    if (test->kind != INST_BINARY || test->op != OP_LT || test->args.items[0] != m ||
        other_than(test, extent, false) != m)
        return NULL;
    if (back->kind != INST_BINARY || back->op != OP_SUB || back->args.items[1] != m ||
        back->args.items[0]->kind != INST_CONST ||
        back->args.items[0]->value.leaves[0].i != 2 * extent - 1)
        return NULL;
    return m->kind == INST_BUILTIN && m->builtin == BUILTIN_FLOORMOD
               ? other_than(m, 2 * extent, false)
               : m;
}

static Index
moved(Index x, int64_t by)
{
    x.known = x.known && !__builtin_add_overflow(x.min, by, &x.min) &&
              !__builtin_add_overflow(x.max, by, &x.max);
    return x;
}

/* An index modulo the extent, with the least offset. */
static Index
wrapped_index(Index n, int64_t first, int64_t extent, bool signs)
{
    n.known = n.known && n.min == n.max && n.min + first >= (signs ? -extent : 0) &&
              n.min + first <= extent;
    if (n.known && n.min + first > extent / 2)
        n = moved(n, -extent);
    if (n.known && n.min + first < -extent / 2)
        n = moved(n, extent);
    return moved(n, first);
}

Index
index_unbounded(const Indices *x, const Task *t, const Inst *i, int64_t first, int64_t extent,
                Boundary *mode)
{
    const Inst *inner = indices_plain(x, i, NULL, true), *n = inner, *next;
    bool signs;
    *mode = BOUNDARY_NONE;
    if (first)
        n = inner->kind == INST_BINARY && inner->op == OP_ADD ? other_than(inner, first, false)
                                                              : NULL;
    if (extent < 1 || !n)
        return indices_of(x, t, i);
    n = indices_plain(x, n, NULL, true);
    if ((next = wrapped(n, extent, &signs))) {
        *mode = BOUNDARY_PERIODIC;
        return wrapped_index(indices_of(x, t, next), first, extent, signs);
    }
    if ((next = mirrored(n, extent))) {
        *mode = BOUNDARY_MIRROR;
        return moved(indices_of(x, t, next), first);
    }
    while ((next = clamped(n, extent))) {
        *mode = BOUNDARY_CLAMP;
        n = indices_plain(x, next, NULL, true);
    }
    return *mode ? moved(indices_of(x, t, n), first) : indices_of(x, t, i);
}
