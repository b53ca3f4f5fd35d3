/* shapes_particles.c - loops that read cells around places in no order, and write numbers of their
 * own that lie beside others. */
#include <stdio.h>

#include "shapes.h"

typedef struct {
    char at[NAME_MAX_], out[NAME_MAX_], more[NAME_MAX_], grid[NAME_MAX_];
    const char *type, *cell; /* of `out` and `more`, of `grid` */
    int count, reach;
} Places;

static void
put_places(Gen *g, Places *p)
{
    *p = (Places){.type = ONE_OF(g, "f32", "f32", "i32"),
                  .cell = ONE_OF(g, "f32", "f32x2"),
                  .count = chance(g, 60) ? 4096 + pick(g, 300) : 40 + pick(g, 200),
                  .reach = 2 + chance(g, 20)};
    new_name(g, p->at, "x");
    new_name(g, p->out, "x");
    new_name(g, p->more, "x");
    new_name(g, p->grid, "x");
    g->shaping = true;
    const int place = pick(g, 4), block = 4 << pick(g, 2);
    g->shaping = false;
    put(g, "field i32 %s;\nfield %s %s, %s;\n", p->at, p->type, p->out, p->more);
    put(g,
        place == 0   ? "layout { dense i[%d] { place %s, %s; } dense i[%1$d] { place %s; } }\n"
        : place == 1 ? "layout { dense i[%d] { place %s; } dense i[%1$d] { place %s, %s; } }\n"
        : place == 2 ? "layout { dense i[%d] { place %s, %s, %s; } }\n"
                     : "layout { dense i[%d] { place %s; } dense i[%1$d] { place %s; } dense "
                       "i[%1$d] { place %s; } }\n",
        p->count, p->at, p->out, p->more);
    put(g, "field %s %s;\nlayout { ", p->cell, p->grid);
    if (chance(g, 20))
        put(g, "dense ijk[128, 128, 128] { place %s; } }\n", p->grid);
    else
        put(g, "%s ijk[%d, %2$d, %2$d] { dense ijk[%d, %3$d, %3$d] { place %s; } } }\n",
            ANY_OF(g, "pointer", "pointer", "hash"), 256 / block, block, p->grid);
}

/* Sums of the cells around each place become the iteration's own numbers. */
static void
put_place_loop(Gen *g, const Places *p)
{
    const bool pairs = p->cell[3] == 'x', some = chance(g, 20);
    put(g, "    for p in %s {\n", p->at);
    if (some)
        put(g, "        if (p %% %d == 1) { continue; }\n", 3 + pick(g, 5));
    put(g, "        let a = %s[p];\n        let b = i32x3(a & 15, (a >> 4) & 15, (a >> 8) & 15);\n",
        p->at);
    put(g, "        %s s = %s;\n", p->cell, pairs ? "f32x2(0.0)" : "0.0");
    put(g,
        "        static for x in 0..%d { static for y in 0..%1$d { static for z in 0..%1$d { s += "
        "%s[b + i32x3(x, y, z)]%s; } } }\n",
        p->reach, p->grid, ONE_OF(g, "", " * f32(1 + x * y)"));
    put(g, "        %s[p] %s %s(s%s);\n", p->out, ONE_OF(g, "=", "=", "+="), p->type,
        pairs ? ".y" : "");
    if (chance(g, 30))
        put(g, "        %s[p] = %s(a);\n", p->more, p->type);
    if (chance(g, 30))
        put(g, "        %s[p] = (a * 5 + p) %% 4096;\n", p->at);
    put(g, "    }\n");
}

void
put_particles_shape(Gen *g)
{
    Places p;
    put_places(g, &p);
    open_kernel(g);
    const int left_out = 2 + pick(g, 4);
    put(g,
        "    for i, j, k in 0..20, 0..20, 0..20 { if ((i / 8 + j / 8 + k / 8) %% %d != 1) { %s[i, "
        "j, k] = %s((i * 3 + j * 5 + k * 7) %% %d); } }\n",
        left_out, p.grid, p.cell, 5 + pick(g, 9));
    put(g, "    for p in %s { %s[p] = p * %d %% 4096; %s[p] = 0; %s[p] = 1; }\n", p.at, p.at,
        7919 + 2 * pick(g, 90), p.out, p.more);
    for (int n = 1 + pick(g, 3); n > 0; n--)
        put_place_loop(g, &p);
    put(g,
        "    i64 s = 0;\n    for p in %s { s += (hash_%s(%s[p]) + 3 * hash_%s(%s[p]) + "
        "i64(%s[p])) * (1 + p); }\n    return s;\n}\n",
        p.out, p.type, p.out, p.type, p.more, p.at);
}
