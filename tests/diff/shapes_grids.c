/* shapes_grids.c - kernels between a fine grid and a coarse one, whose loops reach the other at
 * half or twice of their own indices. */
#include <stdio.h>

#include "shapes.h"

enum { AXES = 3 };

/* Two fields of i32 on each grid, which has so many cells along each axis. */
typedef struct {
    char fine[2][NAME_MAX_], coarse[2][NAME_MAX_];
    int axes, fine_size, coarse_size, factor;
} Grids;

static const char *const letters[] = {"", "i", "i, j", "i, j, k"}, *const names[] = {"", "i", "ij",
                                                                                     "ijk"};

static void
put_sizes(Gen *g, int axes, int size)
{
    for (int a = 0; a < axes; a++)
        put(g, "%s%d", a ? ", " : "[", size);
    put(g, "]");
}

/* A tree of blocks with these fields, apart or together. */
static void
put_tree(Gen *g, const Grids *q, const char (*fields)[NAME_MAX_], int size, int block)
{
    /* which cells are active shall not depend on the tree */
    const bool dense = chance(g, 25), packed = block == 3 || block == 6 || block == 12;
    const char *kind = ANY_OF(g, "pointer", "pointer", "hash", "bitmasked");
    g->shaping = true;
    const bool apart = chance(g, 40);
    g->shaping = false;
    kind = dense ? "dense" : kind;
    put(g, "%slayout { %s %s", packed ? "@packed " : "", kind, names[q->axes]);
    put_sizes(g, q->axes, size / block);
    put(g, " {");
    for (int part = 0; part < (apart ? 2 : 1); part++) {
        put(g, " dense %s", names[q->axes]);
        put_sizes(g, q->axes, block);
        put(g, apart ? " { place %s; }" : " { place %s, %s; }", fields[part], fields[1]);
    }
    put(g, " } }\n");
}

static void
put_grids(Gen *g, Grids *q)
{
    static const int sizes[] = {0, 96, 48, 24};
    *q = (Grids){.axes = 1 + pick(g, AXES), .factor = chance(g, 85) ? 2 : 4};
    q->fine_size = sizes[q->axes];
    q->coarse_size = q->fine_size / q->factor + (chance(g, 30) ? 12 : 0);
    if (q->coarse_size % 12) /* blocks of all sizes fit */
        q->coarse_size += 12 - q->coarse_size % 12;
    for (int n = 0; n < 2; n++) {
        new_name(g, q->fine[n], "x");
        new_name(g, q->coarse[n], "x");
        put(g, "%sfield i32 %s, %s;\n", chance(g, 30) ? "@ambient(3) " : "", q->fine[n],
            q->coarse[n]);
    }
    const int fine = (int[]){2, 4, 8, 8, 6, 3}[pick(g, 6)],
              coarse = (int[]){2, 4, 4, 4, 6, 3, 12}[pick(g, 7)];
    put_tree(g, q, (const char(*)[NAME_MAX_])q->fine, q->fine_size, fine);
    put_tree(g, q, (const char(*)[NAME_MAX_])q->coarse, q->coarse_size, coarse);
}

/* Indices of an element of the other grid, and for which of the loop's own it is one. */
typedef struct {
    char text[AXES][32];
    int from[AXES], to[AXES];
} Reached;

/* n / by, rounded down. */
static int
floor_div(int n, int by)
{
    return n / by - (n % by < 0);
}

/* `near`: cells that belong to the loop's own one. */
static void
find_reached(Gen *g, const Grids *q, bool halves, bool near, Reached *r)
{
    const int size = halves ? q->fine_size : q->coarse_size,
              other = halves ? q->coarse_size : q->fine_size, f = q->factor;
    for (int a = 0; a < q->axes; a++) {
        const char i = "ijk"[a];
        int offset = near ? (halves ? 0 : pick(g, f)) : pick(g, 4) - 1;
        if (halves && offset < 0)
            snprintf(r->text[a], sizeof r->text[a], "(%c - 1) >> %d", i, f / 2);
        else if (halves)
            snprintf(r->text[a], sizeof r->text[a], "(%c + %d) %s %d", i, offset,
                     chance(g, 50) ? "/" : ">>", f);
        else
            snprintf(r->text[a], sizeof r->text[a], "%d * %c + %d", f, i, offset);
        if (halves && offset >= 0) /* >> takes the exponent */
            for (char *t = r->text[a]; *t; t++)
                if (t[0] == '>' && t[1] == '>')
                    t[3] = (char)('0' + f / 2);
        r->from[a] = 0;
        r->to[a] = size;
        while (r->from[a] < size &&
               (halves ? floor_div(r->from[a] + offset, f) : f * r->from[a] + offset) < 0)
            r->from[a]++;
        while (r->to[a] > 0 && (halves ? floor_div(r->to[a] - 1 + offset, f)
                                       : f * (r->to[a] - 1) + offset) >= other)
            r->to[a]--;
    }
}

static void
put_reached(Gen *g, const Grids *q, const char *field, const Reached *r)
{
    put(g, "%s", field);
    for (int a = 0; a < q->axes; a++)
        put(g, "%s%s", a ? ", " : "[", r->text[a]);
    put(g, "]");
}

/* The condition for such an element, where there are others. */
static bool
put_condition(Gen *g, const Grids *q, const Reached *r, int size, const char *before)
{
    bool any = false;
    for (int a = 0; a < q->axes; a++) {
        const char i = "ijk"[a];
        if (r->from[a])
            put(g, "%s%c >= %d", any ? " && " : before, i, r->from[a]);
        any |= r->from[a] > 0;
        if (r->to[a] < size)
            put(g, "%s%c < %d", any ? " && " : before, i, r->to[a]);
        any |= r->to[a] < size;
    }
    return any;
}

/* A term that is read from the other grid, or a number. */
static void
put_term(Gen *g, const Grids *q, bool halves, const char *field)
{
    Reached r;
    find_reached(g, q, halves, chance(g, 40), &r);
    const bool asks = put_condition(g, q, &r, halves ? q->fine_size : q->coarse_size, "(");
    put(g, asks ? " ? " : "");
    put_reached(g, q, field, &r);
    put(g, asks ? " : %d)" : "", 1 + pick(g, 9));
}

/* A loop over one grid, which changes it, or the other one. */
static void
put_loop(Gen *g, const Grids *q)
{
    const bool halves = chance(g, 50), changes_own = chance(g, 60), bounded = chance(g, 30),
               is_set = !halves && chance(g, 50);
    const char(*own)[NAME_MAX_] = halves ? q->fine : q->coarse,
          (*other)[NAME_MAX_] = halves ? q->coarse : q->fine;
    const int size = halves ? q->fine_size : q->coarse_size;
    Reached to;
    put(g, "    for %s in %s {\n", letters[q->axes], own[0]);
    if (bounded)
        put(g, "        if (i >= %d && %c < %d) {\n", pick(g, 4), "ijk"[pick(g, q->axes)],
            size - pick(g, 5));
    for (int n = 1 + pick(g, 2); n > 0; n--) {
        find_reached(g, q, halves, is_set || chance(g, 70), &to);
        put(g, "        ");
        if (changes_own) {
            put(g, "%s[%s] %s ", own[0], letters[q->axes], ONE_OF(g, "=", "+=", "-="));
        } else {
            if (put_condition(g, q, &to, size, "if ("))
                put(g, ") ");
            else if (chance(g, 25))
                put(g, "if (%s[%s] %% 3 == 1) ", own[1], letters[q->axes]);
            put(g, "{ ");
            put_reached(g, q, other[0], &to);
            put(g, is_set ? " = " : " += ");
        }
        put(g, "%d * %s[%s]", 1 + pick(g, 4), own[1], letters[q->axes]);
        for (int m = 1 + pick(g, 3); m > 0; m--) {
            put(g, " %s ", ONE_OF(g, "+", "-", "^"));
            put_term(g, q, halves, changes_own ? other[pick(g, 2)] : other[1]);
        }
        put(g, changes_own ? ";\n" : "; }\n");
        if (is_set && !changes_own)
            break;
    }
    put(g, bounded ? "        }\n    }\n" : "    }\n");
}

static void
put_fill(Gen *g, const Grids *q, const char *field, int size)
{
    put(g, "    for %s in ", letters[q->axes]);
    for (int a = 0; a < q->axes; a++)
        put(g, "%s0..%d", a ? ", " : "", size);
    put(g, " { if ((i / %d", 2 + pick(g, 9));
    for (int a = 1; a < q->axes; a++)
        put(g, " + %c / %d", "ijk"[a], 2 + pick(g, 9));
    put(g, ") %% %d != 1) { %s[%s] = i * %d", 2 + pick(g, 5), field, letters[q->axes],
        1 + pick(g, 50));
    for (int a = 1; a < q->axes; a++)
        put(g, " + %d * %c", 1 + pick(g, 50), "ijk"[a]);
    put(g, "; } }\n");
}

void
put_grids_shape(Gen *g)
{
    Grids q;
    put_grids(g, &q);
    open_kernel(g);
    for (int n = 0; n < 2; n++) {
        put_fill(g, &q, q.fine[n], q.fine_size);
        put_fill(g, &q, q.coarse[n], q.coarse_size);
    }
    for (int loops = 1 + pick(g, 4); loops > 0; loops--)
        put_loop(g, &q);
    put(g, "    i64 s = 0;\n");
    for (int n = 0; n < 4; n++) {
        const char *field = n < 2 ? q.fine[n] : q.coarse[n - 2];
        put(g, "    for %s in %s { s += %s[%s] * (%d + i", letters[q.axes], field, field,
            letters[q.axes], 1 + n);
        for (int a = 1; a < q.axes; a++)
            put(g, " + %d * %c", 1 + 2 * a, "ijk"[a]);
        put(g, "); }\n");
    }
    put(g, "    return s;\n}\n");
}
