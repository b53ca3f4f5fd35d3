/* shapes_index.c - kernels whose indices are computed: from small integers that wrap, from fields,
 * at distances that are known, as multiples. */
#include <stdio.h>

#include "shapes.h"

enum { TEXT_MAX = 400 };

/* ---- small integers ---- */

/* An index from 0 to 255 that is made of `of`, an i32. */
static void
make_index(Gen *g, char *text, const char *of, int depth)
{
    char inner[TEXT_MAX / 3];
    int a = 1 + pick(g, 250), b = 1 + pick(g, 90);
    if (depth > 0 && chance(g, 40)) {
        make_index(g, inner, of, depth - 1);
        of = inner;
    }
    switch (pick(g, g->strict ? 13 : 14)) {
    case 0: snprintf(text, TEXT_MAX, "i32(u8((%s) * %d + %d))", of, a, b); break;
    case 1: snprintf(text, TEXT_MAX, "i32(i8((%s) * %d - %d)) + 128", of, a, b); break;
    case 2: snprintf(text, TEXT_MAX, "i32(u16(%s) * %du16 + %du16) & 255", of, 250 + a, b); break;
    case 3: snprintf(text, TEXT_MAX, "((%s) * %d - %d) & 255", of, a, b); break;
    case 4: snprintf(text, TEXT_MAX, "i32((u32(%s) * 2654435769u32 + %du32) >> 24)", of, b); break;
    case 5: snprintf(text, TEXT_MAX, "i32(i64(%s) * %d %% 256)", of, a); break;
    case 6: snprintf(text, TEXT_MAX, "floormod(%d - (%s) * %d, 256)", b, of, a); break;
    case 7: snprintf(text, TEXT_MAX, "(i32(i16((%s) * %d)) >> 8) + 128", of, 100 * a); break;
    case 8: snprintf(text, TEXT_MAX, "i32(u8(%s) - %du8)", of, a); break;
    case 9: snprintf(text, TEXT_MAX, "i32(~u8(%s))", of); break;
    case 10:
        snprintf(text, TEXT_MAX, "i32(u8(%s) / %du8) + i32(u8(%s) %% 13u8)", of, 2 + b, of);
        break;
    case 11: snprintf(text, TEXT_MAX, "i32((u64(%s) * 0x9e3779b97f4a7c15u64) >> 56)", of); break;
    case 12: snprintf(text, TEXT_MAX, "i32(u8(%s) << %du8)", of, 1 + pick(g, 3)); break;
    default: snprintf(text, TEXT_MAX, "i32(-i8(%s)) + 128", of); break; /* overflows once */
    }
}

void
put_wrapped_shape(Gen *g)
{
    static const Scalar scalars[] = { S_F32, S_F32, S_I32, S_I64, S_F64, S_U8, S_I16 };
    Scalar s = scalars[pick(g, 7)];
    const char *type = scalar_name(s);
    char from[NAME_MAX_], to[NAME_MAX_], count[NAME_MAX_], index[4][TEXT_MAX];
    bool wide = chance(g, 25);
    new_name(g, from, "x");
    new_name(g, to, "x");
    new_name(g, count, "x");
    for (int n = 0; n < 4; n++)
        make_index(g, index[n], wide ? "i32(i)" : "i", 1);
    put(g, "field %s %s;\n", type, from);
    put_any_layout(g, from, 256);
    put(g, "field %s %s;\n", type, to);
    put_any_layout(g, to, 512);
    put(g, "field i32 %s;\n", count);
    put_any_layout(g, count, 256);
    open_kernel(g);
    put(g, "    for i in 0..256 { %s[i] = %s(i * %d %% 19); %s[i] = 0; }\n", from, type,
        1 + pick(g, 9), count);
    put(g, "    for i in 0%s..%d {\n", wide ? "i64" : "", 200 + pick(g, 313));
    put(g, "        %s[i] = %s[%s]", to, from, index[0]);
    put(g, " %s %s[%s];\n", ONE_OF(g, "+", "-", "*"), from, index[1]);
    if (chance(g, 60))
        put(g, "        %s[%s] %s= i32(%s[%s]) + 1;\n", count, index[2], ONE_OF(g, "+", "-", "^"),
            from, index[0]);
    if (chance(g, 30))
        put(g, "        if (i %% 3 == 1) { continue; }\n");
    put(g, "        %s[i] += %s[%s];\n    }\n    i64 s = 0;\n", to, from, index[3]);
    put(g,
        "    for i in 0..512 { s += hash_%s(%s[i]) * (1 + i); }\n    for i in 0..256 { s += %s[i] "
        "* (3 + i); }\n    return s;\n}\n",
        type, to, count);
}

/* ---- elements of one iteration ---- */

enum { GROUP = 4, GROUPS = 64 };

/* "x[a + 2]" with the name of one of three variables that have the same value. */
static void
put_own(Gen *g, const char *field, const char *part)
{
    static const char *const names[] = { "a", "b", "(a + b) / 2", "c" };
    const char *name = names[pick(g, 4)];
    if (chance(g, 30))
        put(g, "%s[%s - %d + %d]%s", field, name, pick(g, 3), 2 + pick(g, 2), part);
    else
        put(g, "%s[%s + %d]%s", field, name, pick(g, GROUP), part);
}

static void
put_own_statement(Gen *g, const char *field, const char *part, const char *type, int at)
{
    int kind = pick(g, 6);
    put(g, "        ");
    if (kind == 0) {
        put(g, "let t%d = ", at);
        put_own(g, field, part);
        put(g, ";\n        ");
    } else if (kind == 1) {
        put(g, "if (");
        put_own(g, field, part);
        put(g, " %s ", ONE_OF(g, "<", ">", "!="));
        put_own(g, field, part);
        put(g, ") { ");
    }
    put_own(g, field, part);
    put(g, " %s ", kind > 2 && chance(g, 40) ? ONE_OF(g, "+=", "-=") : "=");
    put_own(g, field, part);
    put(g, " %s ", ONE_OF(g, "+", "-"));
    if (chance(g, 60))
        put_own(g, field, part);
    else
        put(g, "%s(%d)", type, 1 + pick(g, 5));
    put(g, ";%s\n", kind == 1 ? " }" : "");
    if (kind == 0) {
        put(g, "        ");
        put_own(g, field, part);
        put(g, " += t%d;\n", at);
    }
}

/* Where the elements lie: a field, or an array that the kernel is given. */
typedef struct {
    char name[NAME_MAX_];
    const char *type, *part; /* of one number; which number of a vector, or nothing */
    int groups;
} Elements;

static void
put_elements_field(Gen *g, Elements *e)
{
    int rows = chance(g, 30) ? 2 + pick(g, 3) : 1;
    e->groups = GROUPS;
    e->part = rows == 1 ? "" : ONE_OF(g, ".x", ".y", "[1]");
    new_name(g, e->name, "x");
    if (rows == 1)
        put(g, "field %s %s;\n", e->type, e->name);
    else
        put(g, "field %sx%d %s;\n", e->type, rows, e->name);
    put_any_layout(g, e->name, GROUP * GROUPS);
}

/* Opens the kernel; a field is filled first. */
static void
open_group_kernel(Gen *g, const Elements *e, Scalar s, bool given)
{
    open_kernel(g);
    if (given) {
        Kernel *k = &g->kernel[g->kernels - 1];
        k->array_axes = 1;
        k->array_type = scalar_type(s);
        k->rows = GROUP * e->groups;
        g->used -= 4; /* ") {" and the end of the line */
        put(g, "%s[] %s) {\n", e->type, e->name);
    } else {
        put(g, "    for i in 0..%d { %s[i]%s = %s(i * %d %% 23); }\n", GROUP * e->groups, e->name,
            e->part, e->type, 1 + 2 * pick(g, 9));
    }
}

void
put_group_shape(Gen *g)
{
    static const Scalar scalars[] = { S_F32, S_F32, S_F32, S_I32, S_F64, S_U8, S_I64 };
    Scalar s = scalars[pick(g, 7)];
    bool given = chance(g, 25);
    Elements e = { .name = "arr", .type = scalar_name(s), .part = "", .groups = 16 };
    if (!given)
        put_elements_field(g, &e);
    char home[2][NAME_MAX_];
    const char *const home_type[2] = { ONE_OF(g, "i32", "u8", "i64"), "i32" };
    for (int n = 0; n < 2; n++) {
        new_name(g, home[n], "x");
        put(g, "field %s %s;\n", home_type[n], home[n]);
        put_any_layout(g, home[n], GROUPS);
    }
    open_group_kernel(g, &e, s, given);
    int odd = 1 + 2 * pick(g, 20), first = pick(g, GROUPS);
    for (int n = 0; n < 2; n++)
        put(g, "    for i in 0..%d { %s[i] = %s((i * %d + %d) %% %d); }\n", e.groups, home[n],
            home_type[n], odd, first, e.groups);
    put(g,
        "    for i in 0..%d {\n        let a = i32(%s[i]) * %d;\n        let b = %s[i] * %d;\n     "
        "   let c = (i * %d + %d) %% %d * %d;\n",
        e.groups, home[0], GROUP, home[1], GROUP, odd, first, e.groups, GROUP);
    for (int n = 0, count = 2 + pick(g, 5); n < count; n++)
        put_own_statement(g, e.name, e.part, e.type, n);
    put(g,
        "    }\n    i64 s = 0;\n    for i in 0..%d { s += hash_%s(%s[i]%s) * (1 + i); }\n    "
        "return s;\n}\n",
        GROUP * e.groups, e.type, e.name, e.part);
}

/* ---- distances ---- */

/* "x[at.x + 1, at.y]" or "x[at - 3 + BIG]": around an element that is looked up. */
static void
put_distant(Gen *g, const char *field, int axes, bool far)
{
    put(g, "%s[", field);
    for (int a = 0; a < axes; a++)
        put(g, "%s%s%s%s", a ? ", " : "",
            axes == 1 ? "at"
            : a       ? "at.y"
                      : "at.x",
            far ? " - 5000000000" : "", ONE_OF(g, "", "", " + 1", " - 1", " + 2", " - 2"));
    put(g, "]");
}

static void
put_distant_sum(Gen *g, const char *field, int axes, bool far)
{
    for (int n = 0, count = 2 + pick(g, 4); n < count; n++) {
        put(g, n ? chance(g, 60) ? " + " : " * " : "");
        put_distant(g, field, axes, far);
    }
}

void
put_distance_shape(Gen *g)
{
    char from[NAME_MAX_], at[NAME_MAX_], to[NAME_MAX_], sum[NAME_MAX_];
    int axes = 1 + pick(g, 2), size = axes == 1 ? 256 : 16, count = 40 + pick(g, 200);
    bool far = chance(g, 30), adds = chance(g, 50);
    const char *range = axes == 1 ? "[256]" : "[16, 16]",
               *scalar = far         ? "i64"
                         : axes == 1 ? ONE_OF(g, "i32", "i32", "i16", "i64")
                                     : "i32";
    new_name(g, from, "x");
    new_name(g, sum, "x");
    new_name(g, at, "x");
    new_name(g, to, "x");
    const char *packed = ANY_OF(g, "", "@packed ");
    g->shaping = true;
    bool together = chance(g, 50);
    g->shaping = false;
    put(g, "field f32 %s, %s;\n", from, sum);
    put(g,
        together ? "%slayout { dense %s%s { place %s, %s; } }\n"
                 : "%slayout { dense %s%s { place %s; } dense %2$s%3$s { place %5$s; } }\n",
        packed, axes == 1 ? "i" : ANY_OF(g, "ij", "ji"), range, from, sum);
    put(g,
        "field %s%s %s;\nfield f32 %s;\nlayout { dense i[%d] { place %s; } dense i[%d] { place %s; "
        "} }\n",
        scalar, axes == 1 ? "" : "x2", at, to, count, at, count, to);
    open_kernel(g);
    put(g, "    for %s in %s { %s[%s] = f32((%s) %% 11) * 0.5; %s[%s] = 0; }\n",
        axes == 1 ? "i" : "i, j", from, from, axes == 1 ? "i" : "i, j",
        axes == 1 ? "i" : "i + 3 * j", sum, axes == 1 ? "i" : "i, j");
    put(g, "    for p in %s { %s[p] = ", at, at);
    const char *big = far ? " + 5000000000" : "";
    int step = 1 + 2 * pick(g, 20), span = size - 4;
    if (axes == 1)
        put(g, "%s(2 + p * %d %% %d)%s", scalar, step, span, big);
    else
        put(g, "%sx2(%s(2 + p * %d %% %d)%s, %s(2 + p / 3 %% %d)%s)", scalar, scalar, step, span,
            big, scalar, span, big);
    put(g, "; }\n    for p in %s {\n        let at = %s[p];\n        %s[p] = ", at, at, to);
    put_distant_sum(g, from, axes, far);
    put(g, "%s;\n", ONE_OF(g, "", " + sqrt(f32(p))", " - 0.125 * f32(p)"));
    for (int n = adds ? 1 + pick(g, 4) : 0; n > 0; n--) {
        put(g, "        ");
        put_distant(g, sum, axes, far);
        put(g, " %s= f32(p %% %d)%s;\n", ONE_OF(g, "+", "+", "-"), 2 + pick(g, 9),
            ONE_OF(g, "", " * 2.0", " - 1.0"));
    }
    put(g,
        "    }\n    i64 s = 0;\n    for p in %s { s += hash_f32(%s[p]) * (1 + p); }\n    for %s in "
        "%s { s += hash_f32(%s[%s]) * (1 + i); }\n    return s;\n}\n",
        to, to, axes == 1 ? "i" : "i, j", sum, sum, axes == 1 ? "i" : "i, j");
}

/* ---- multiples ---- */

/* `times` x `start` is `first`, with what 32 bits keep of it. */
typedef struct {
    int times, start, first;
} Multiple;

static Multiple
any_multiple(Gen *g)
{
    static const Multiple wrapping[] = { { 3, 1431655766, 2 },
                                         { 5, 858993460, 4 },
                                         { 7, 1227133514, 6 } };
    static const int times[] = { 2, 2, 3, 3, 4, 5, 8, 70 };
    if (!g->strict && chance(g, 30))
        return wrapping[pick(g, 3)];
    const int start = chance(g, 50) ? 0 : pick(g, 20), by = times[pick(g, 8)];
    return (Multiple){ by, start, by * start };
}

/* A size at least as large that any layout may have. */
static int
whole_blocks(int size)
{
    return (size + 63) / 64 * 64;
}

/* "x[3 * k + 4]" or "x[90 - 3 * k]" */
static void
put_multiple(Gen *g, const char *field, const Multiple *m, int last, int away)
{
    char text[40];
    if (chance(g, 20))
        snprintf(text, sizeof text, "m");
    else
        snprintf(text, sizeof text, chance(g, 50) ? "%d * k" : "k * %d", m->times);
    if (last >= 0)
        put(g, "%s[%d - %s]", field, last + away, text);
    else if (away)
        put(g, "%s[%s + %d]", field, text, away);
    else
        put(g, "%s[%s]", field, text);
}

void
put_multiples_shape(Gen *g)
{
    const Multiple m = any_multiple(g);
    const char *type = ONE_OF(g, "f32", "f32", "f64", "i32", "u8", "i16", "i64");
    char from[NAME_MAX_], to[NAME_MAX_], set[NAME_MAX_], bound[NAME_MAX_];
    const int count = 8 + pick(g, 60), size = whole_blocks(m.first + m.times * (count + 1) + 8);
    const bool falls = m.start < 100 && chance(g, 25), steps = chance(g, 15);
    new_name(g, from, "x");
    new_name(g, to, "x");
    new_name(g, set, "x");
    new_name(g, bound, "x");
    put(g, "field %s %s, %s;\nfield i32 %s;\nfield i32 %s[2];\n", type, from, to, set, bound);
    put_any_layout(g, from, size);
    put_any_layout(g, to, whole_blocks(count));
    put_any_layout(g, set, size);
    open_kernel(g);
    put(g, "    for i in 0..%d { %s[i] = %s(i * %d %% 23); %s[i] = i; }\n", size, from, type,
        1 + pick(g, 9), set);
    put(g, "    for i in %s { %s[i] = %d + i * %d; }\n", bound, bound, m.start, count);
    put(g, "    let a = %s[0];\n    let b = %s[1];\n    for k in ", bound, bound);
    if (m.start)
        put(g, chance(g, 50) ? "a..b" : "%d..b", m.start);
    else
        put(g, "0..b");
    put(g, "%s {\n        let m = %d * k;\n", steps ? " step 2" : "", m.times);
    put(g, "        %s[k - a] = ", to);
    const int last = falls ? m.first + m.times * (count + 1) : -1;
    for (int n = 0, terms = 1 + pick(g, 4); n < terms; n++) {
        put(g, n ? " + " : "");
        put_multiple(g, from, &m, last, pick(g, 6));
    }
    put(g, ";\n");
    if (chance(g, 50)) {
        put(g, "        ");
        put_multiple(g, set, &m, last, pick(g, m.times < 6 ? m.times : 6));
        put(g, " %s= k - a;\n", ONE_OF(g, "", "+", "-"));
    }
    put(g, "    }\n    i64 s = 0;\n    for i in 0..%d { s += hash_%s(%s[i]) * (1 + i); }\n", count,
        type, to);
    put(g, "    for i in 0..%d { s += i64(%s[i]) * (3 + i); }\n    return s;\n}\n", size, set);
}
