/* shapes_parts.c - kernels whose indices are local vectors, which are changed as a whole and by
 * their components. How far each component may be from where the loop is, or from a constant, is
 * kept beside the text, so that all that is read lies in the field. */
#include "shapes.h"

enum { AXES_MOST = 3, VECTORS = 4, SIZE = 24, EDGE = 6, FAR = 4 };

/* From what to what a component lies beside an index between EDGE and SIZE - EDGE - 1. */
typedef struct {
    int lo, hi;
} Part;

typedef struct {
    int axes, vectors;
    Part part[VECTORS][AXES_MOST]; /* of the vectors a0, a1, ... */
    char from[NAME_MAX_], to[NAME_MAX_], look[NAME_MAX_], move[NAME_MAX_];
    const char *type;
    bool grouped; /* the indices of the loop are one vector, I */
} Parts;

static const char *const components[] = { "x", "y", "z" };

static void
put_parts_layout(Gen *g, const char *field, int axes)
{
    g->shaping = true;
    const int block = 4 << pick(g, 2);
    const bool flat = chance(g, 40);
    g->shaping = false;
    const char *letters = axes == 2 ? ANY_OF(g, "ij", "ij", "ji") : ANY_OF(g, "ijk", "ijk", "kij"),
               *kind = ANY_OF(g, "dense", "dense", "pointer", "hash");
    put(g, axes == 2 ? "layout { %s %s[%d, %3$d] {" : "layout { %s %s[%d, %3$d, %3$d] {", kind,
        letters, flat ? SIZE : SIZE / block);
    if (!flat)
        put(g, axes == 2 ? " dense %s[%d, %2$d] {" : " dense %s[%d, %2$d, %2$d] {", letters, block);
    put(g, " place %s; }%s }\n", field, flat ? "" : " }");
}

static void
put_parts_items(Gen *g, Parts *p)
{
    *p = (Parts){ .axes = 2 + pick(g, 2), .grouped = chance(g, 50) };
    p->type = ONE_OF(g, "f32", "f32", "f64", "i32", "i16");
    new_name(g, p->from, "x");
    new_name(g, p->to, "x");
    new_name(g, p->look, "look");
    new_name(g, p->move, "move");
    put(g, "field %s %s, %s;\n", p->type, p->from, p->to);
    put_parts_layout(g, p->from, p->axes);
    put_parts_layout(g, p->to, p->axes);
    put(g, "func %s %s(i32x%d a) { return %s[a]; }\n", p->type, p->look, p->axes, p->from);
    put(g, "func %s(inout i32x%d a, i32 by) { a.%s += by; }\n", p->move, p->axes, components[0]);
}

/* Lets a component lie further away; false, and nothing is changed, where that is too far. */
static bool
moves(Part *part, int lo, int hi)
{
    if (part->lo + lo < -FAR || part->hi + hi > FAR)
        return false;
    part->lo += lo;
    part->hi += hi;
    return true;
}

/* The components of a vector, each -1, 0, or 1. */
static void
put_step(Gen *g, const Parts *p, Part *of)
{
    put(g, "i32x%d(", p->axes);
    for (int n = 0; n < p->axes; n++) {
        const int by = pick(g, 3) - 1;
        put(g, "%s%d", n ? ", " : "", moves(&of[n], by, by) ? by : 0);
    }
    put(g, ")");
}

/* Of the loop's indices and constants: "i32x2(j, 6)". */
static void
put_made(Gen *g, const Parts *p, int turn)
{
    static const char *const alone[] = { "i", "j", "k" },
                      *const grouped[] = { "I.x", "I[1]", "I.z" };
    put(g, "i32x%d(", p->axes);
    for (int n = 0; n < p->axes; n++) {
        put(g, n ? ", " : "");
        if (chance(g, 20))
            put(g, "%d", EDGE + pick(g, SIZE - 2 * EDGE));
        else
            put(g, "%s", (p->grouped ? grouped : alone)[(n + turn) % p->axes]);
    }
    put(g, ")");
}

/* A whole vector, and where its components are. */
static void
put_vector(Gen *g, const Parts *p, Part *to)
{
    const int kind = pick(g, p->vectors ? 4 : 2), turn = pick(g, p->axes),
              from = p->vectors ? pick(g, p->vectors) : 0;
    for (int n = 0; n < p->axes; n++)
        to[n] = kind < 2 ? (Part){ 0, 0 } : p->part[from][(n + (kind == 2 ? turn : 0)) % p->axes];
    if (kind == 0 && p->grouped) {
        put(g, "I");
    } else if (kind < 2) {
        put_made(g, p, turn);
    } else if (kind == 2) {
        put(g, "i32x%d(", p->axes);
        for (int n = 0; n < p->axes; n++)
            put(g, "%sa%d.%s", n ? ", " : "", from, components[(n + turn) % p->axes]);
        put(g, ")");
    } else {
        put(g, "a%d", from);
    }
    if (chance(g, 50)) {
        put(g, " + ");
        put_step(g, p, to);
    }
}

/* Changes a component: always, under a condition, or several times. */
static void
put_moved_part(Gen *g, Parts *p, int of)
{
    const int n = pick(g, p->axes), kind = pick(g, 8), by = kind == 1 ? 1 : 1 + pick(g, 2);
    Part *part = &p->part[of][n];
    if (kind == 0 && moves(part, 0, by))
        put(g, "if (t > 7) { a%d.%s += %d; }", of, components[n], by);
    else if (kind == 1 && moves(part, -2, 0))
        put(g, "for u in 0..2 { if (u < t) { a%d[%d] -= 1; } }", of, n);
    else if (kind == 2 && moves(&p->part[of][0], by, by))
        put(g, "%s(a%d, %d);", p->move, of, by);
    else if (kind == 3) {
        const int from = pick(g, p->vectors), other = pick(g, p->axes);
        *part = p->part[from][other];
        put(g, "a%d.%s = a%d[%d];", of, components[n], from, other);
    } else if (moves(part, -by, -by)) {
        put(g, "a%d[%d] -= %d;", of, n, by);
    }
    put(g, "\n");
}

static void
put_moved(Gen *g, Parts *p)
{
    const int of = pick(g, p->vectors), kind = pick(g, 4);
    Part part[AXES_MOST];
    put(g, "        ");
    if (kind == 0) {
        put(g, "a%d = ", of);
        put_vector(g, p, part);
        for (int n = 0; n < p->axes; n++)
            p->part[of][n] = part[n];
        put(g, ";\n");
    } else if (kind == 1) {
        put(g, "a%d += ", of);
        put_step(g, p, p->part[of]);
        put(g, ";\n");
    } else {
        put_moved_part(g, p, of);
    }
}

/* Adds elements to s: at a vector, beside it, along each axis, along one. */
static void
put_elements_at(Gen *g, const Parts *p)
{
    const int of = pick(g, p->vectors), kind = pick(g, 6);
    Part part[AXES_MOST];
    for (int n = 0; n < p->axes; n++)
        part[n] = p->part[of][n];
    put(g, "        ");
    if (kind == 0) {
        put(g,
            "static for d in 0..%d { i32x%d e = i32x%d(0); e[d] = %d; s += %s[a%d + e] - %s[a%d - "
            "e]; }\n",
            p->axes, p->axes, p->axes, 1 + pick(g, 2), p->from, of, p->from, of);
        return;
    }
    if (kind == 1) {
        put(g, "for u in 0..2 { let b = a%d + i32x%d(u); if (u < t) { s += %s[b]; } }\n", of,
            p->axes, p->from);
        return;
    }
    put(g, kind == 2 ? "s += %s(a%d + " : kind == 3 ? "s -= %s[a%d - a%2$d + a%2$d + "
                                                    : "s += %s[a%d + ",
        kind == 2 ? p->look : p->from, of);
    put_step(g, p, part);
    put(g, kind == 2 ? ");\n" : "];\n");
}

void
put_parts_shape(Gen *g)
{
    static const char *const ranges[] = { "6..18, 6..18", "6..18, 6..18, 6..18" };
    Parts p;
    put_parts_items(g, &p);
    const char *at = p.axes == 2 ? "i, j" : "i, j, k", *last = p.axes == 2 ? "j" : "k";
    open_kernel(g);
    put(g,
        "    for %s in 0..%d, 0..%d%s { if (i / 8 %% 3 != %d) { %s[%s] = %s((i * %d + %s * %d) %% "
        "19); } }\n",
        at, SIZE, SIZE, p.axes == 2 ? "" : ", 0..24", pick(g, 4), p.from, at, p.type,
        1 + pick(g, 9), last, 1 + pick(g, 9));
    put(g, "    for %s in %s {\n        %s s = 0;\n        let t = %s & 15;\n",
        p.grouped ? "I" : at, ranges[p.axes - 2], p.type, p.grouped ? "I.y" : "j");
    for (int n = 3 + pick(g, 6); n > 0; n--) {
        if (p.vectors < VECTORS && (!p.vectors || chance(g, 40))) {
            put(g, "        i32x%d a%d = ", p.axes, p.vectors);
            put_vector(g, &p, p.part[p.vectors]);
            put(g, ";\n");
            p.vectors++;
        } else if (chance(g, 50)) {
            put_moved(g, &p);
        }
        put_elements_at(g, &p);
    }
    put(g, "        %s[%s] = s;\n    }\n    i64 s = 0;\n", p.to, p.grouped ? "I" : at);
    put(g, "    for %s in %s { s += hash_%s(%s[%s]) * (1 + i + 3 * %s); }\n    return s;\n}\n", at,
        ranges[p.axes - 2], p.type, p.to, at, last);
}
