/* shapes_deactivation.c - kernels whose loops deactivate the cells they are at, after they have
 * read and changed them, and before they do so again. */
#include <stdio.h>

#include "shapes.h"

typedef struct {
    char value[NAME_MAX_], weight[NAME_MAX_], other[NAME_MAX_], top[NAME_MAX_], cell[NAME_MAX_];
    int rows, columns, times; /* cells of a block; blocks along each axis */
} Dropped;

static void
put_dropped_fields(Gen *g, Dropped *d)
{
    new_name(g, d->value, "x");
    new_name(g, d->weight, "x");
    new_name(g, d->other, "x");
    new_name(g, d->top, "node");
    new_name(g, d->cell, "node");
    d->rows = 1 + pick(g, 12);
    d->columns = 1 + pick(g, 12);
    d->times = 1 + pick(g, 4);
    put(g, "field i32 %s;\nfield f32x2 %s;\nfield i32 %s[%d, %d];\n", d->value, d->weight, d->other,
        d->rows * d->times, d->columns * d->times);
    put(g, "layout { %s: %s ij[%d, %d] { %s: %s ij[%d, %d] { place %s, %s; } } }\n", d->top,
        ANY_OF(g, "pointer", "dense", "hash", "bitmasked"), d->times, d->times, d->cell,
        ANY_OF(g, "bitmasked", "bitmasked", "pointer", "hash"), d->rows, d->columns, d->value,
        d->weight);
}

static void
put_cell_condition(Gen *g, const Dropped *d)
{
    const int of = 2 + pick(g, 6), is = pick(g, of);
    switch (pick(g, 4)) {
    case 0: put(g, "%s[i, j] %% %d == %d", d->value, of, is); break;
    case 1: put(g, "(i * %d + j) %% %d != %d", 1 + pick(g, 5), of, is); break;
    case 2: put(g, "%s[i, j].y > %d.0", d->weight, pick(g, 40)); break;
    default: put(g, "%s[i, j] %% %d < %d", d->other, of, is); break;
    }
}

/* Something that the iteration does to its own cell. */
static void
put_change(Gen *g, const Dropped *d)
{
    switch (pick(g, 5)) {
    case 0: put(g, "%s[i, j] += %d + j; ", d->value, pick(g, 9) - 4); break;
    case 1: put(g, "%s[i, j].x -= %s[i, j].y; ", d->weight, d->weight); break;
    case 2: put(g, "%s[i, j] = %s[i, j] ^ %d; ", d->value, d->value, pick(g, 32)); break;
    case 3: put(g, "%s[i, j] += %s[i, j] & 15; ", d->other, d->value); break;
    default: put(g, "s += %s[i, j] & 7; ", d->value); break;
    }
}

/* The cell is asked for or changed, active or not. */
static void
put_touch(Gen *g, const Dropped *d)
{
    switch (pick(g, 4)) {
    case 0: put(g, "s += is_active(%s[i, j]) ? 5 : 3; ", d->cell); break;
    case 1: put(g, "s += %s[i, j]; ", d->value); break;
    case 2: put(g, "activate(%s[i, j]); ", d->cell); break;
    default: put_change(g, d); break;
    }
}

static void
put_drops(Gen *g, const Dropped *d)
{
    put(g, "    for i, j in %s {\n        s += 1;\n        ",
        ONE_OF(g, d->cell, d->value, d->weight));
    for (int n = pick(g, 3); n > 0; n--)
        put_change(g, d);
    const bool again = chance(g, 20);
    if (again)
        put(g, "for k in 0..%d { ", 1 + pick(g, 2));
    put(g, "if (");
    put_cell_condition(g, d);
    put(g, ") { ");
    if (chance(g, 30))
        put_change(g, d);
    put(g, "deactivate(%s[i, j]); ", d->cell);
    const bool goes_on = chance(g, 30);
    if (goes_on)
        put(g, again ? "break; " : "continue; ");
    else if (chance(g, 15))
        put_touch(g, d);
    put(g, "} ");
    if (chance(g, 30)) {
        put(g, "else { ");
        put_change(g, d);
        put(g, "} ");
    }
    put(g, "%s", again ? "} " : "");
    if (chance(g, goes_on ? 60 : 25))
        put_touch(g, d);
    put(g, "\n    }\n");
}

void
put_deactivation_shape(Gen *g)
{
    Dropped d;
    put_dropped_fields(g, &d);
    open_kernel(g);
    const int high = d.rows * d.times, wide = d.columns * d.times;
    put(g, "    i64 s = 0;\n    deactivate_all(%s);\n", d.cell);
    put(g, "    for i, j in 0..%d, 0..%d { %s[i, j] = (i * %d + j) %% %d; }\n", high, wide, d.other,
        1 + pick(g, 9), 2 + pick(g, 60));
    put(g, "    for i, j in 0..%d, 0..%d { if ((i * %d + j * j) %% %d != 0) { ", high, wide,
        1 + pick(g, 9), 1 + pick(g, 7));
    put(g, "%s[i, j] = i * %d + j; %s[i, j] = f32x2(f32(i), f32(j)); } }\n", d.value,
        1 + pick(g, 9), d.weight);
    for (int n = 1 + pick(g, 3); n > 0; n--)
        put_drops(g, &d);
    put(g,
        "    for i, j in %s { s += i64(%s[i, j]) * (i + 1) + i64(%s[i, j].x) * (j + 1) + "
        "(is_active(%s[i, j]) ? 1 : 0); }\n",
        d.value, d.value, d.weight, d.cell);
    put(g, "    for i, j in 0..%d, 0..%d { s += %s[i, j] * (i + j) + %s[i, j]; }\n", high, wide,
        d.other, d.value);
    put(g, "    return s;\n}\n");
}
