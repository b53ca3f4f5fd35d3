/* types.c - types of random programs. */
#include "snlsmith.h"

static const char *const names[] = {
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"
};

Type
scalar_type(Scalar s)
{
    return (Type){.scalar = s};
}

Type
vector_type(Scalar s, int n)
{
    return (Type){.scalar = s, .rows = n};
}

bool
same_type(Type a, Type b)
{
    return a.scalar == b.scalar && a.rows == b.rows && a.cols == b.cols && a.record == b.record;
}

bool
is_int(Scalar s)
{
    return s >= S_I8 && s <= S_U64;
}

bool
is_float(Scalar s)
{
    return s >= S_F16;
}

const char *
scalar_name(Scalar s)
{
    return names[s];
}

Scalar
any_integer(Gen *g)
{
    return chance(g, 50) ? S_I32 : (Scalar)(S_I8 + pick(g, 8));
}

Scalar
any_float(Gen *g)
{
    return chance(g, 60) ? S_F32 : (Scalar)(S_F16 + pick(g, 3));
}

Scalar
any_number(Gen *g)
{
    return chance(g, 50) ? any_integer(g) : any_float(g);
}

Type
any_type(Gen *g)
{
    int kind = pick(g, 100);
    if (kind < 5)
        return scalar_type(S_BOOL);
    if (kind < 60)
        return scalar_type(any_number(g));
    if (kind < 80)
        return vector_type(chance(g, 10) ? S_BOOL : any_number(g),
                           chance(g, 8) ? 5 + pick(g, 12) : 2 + pick(g, 3));
    if (kind < 90) {
        bool large = chance(g, 4);
        Type t = { .scalar = chance(g, 85) ? any_float(g) : any_number(g) };
        t.rows = 2 + pick(g, large ? 7 : 2 + chance(g, 20));
        t.cols = 2 + pick(g, large ? 7 : 2 + chance(g, 20));
        return t;
    }
    if (g->records)
        return (Type){.record = 1 + pick(g, g->records)};
    return scalar_type(S_I32);
}

void
put_type(Gen *g, Type t)
{
    if (t.record) {
        put(g, "S%d", t.record - 1);
        return;
    }
    put(g, "%s", names[t.scalar]);
    if (t.rows)
        put(g, "x%d", t.rows);
    if (t.cols)
        put(g, "x%d", t.cols);
}

bool
reaches(const Gen *g, Type from, Type want)
{
    if (same_type(from, want))
        return true;
    if (from.record) {
        const Record *r = &g->record[from.record - 1];
        for (int i = 0; i < r->count; i++)
            if (reaches(g, r->type[i], want))
                return true;
        return false;
    }
    if (want.record || from.scalar != want.scalar || !from.rows || want.cols)
        return false;
    return !want.rows || (!from.cols && want.rows <= 4);
}
