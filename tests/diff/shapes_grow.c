/* shapes_grow.c - kernels whose loops change the masks that they go through: cells around become
 * active, others do not stay so. No cell may do both in one loop, for it would be left in one of
 * two states: what comes and what goes differ in whether the sum of their indices is even. */
#include <stdio.h>

#include "shapes.h"

enum { AXES_MOST = 3 };

/* A field in masks, and one of values in an array. */
typedef struct {
    char field[NAME_MAX_], value[NAME_MAX_], cell[NAME_MAX_];
    int axes, extent[AXES_MOST];        /* in cells of the mask */
    int row;                            /* elements in a cell, along the last axis */
    Scalar scalar;
} Grow;

/* "[4, 8]", or so many elements along the last axis. */
static void
put_sizes(Gen *g, const int *size, int axes, int row)
{
    for (int a = 0; a < axes; a++)
        put(g, "%s%d", a ? ", " : "[", a == axes - 1 ? size[a] * row : size[a]);
    put(g, "]");
}

/* The masks lie at the top or in blocks of any shape. */
static void
put_masks(Gen *g, const Grow *m)
{
    const char *letters = m->axes == 3 ? "ijk" : m->axes == 2 ? "ij" : "i";
    int blocks[AXES_MOST], mask[AXES_MOST];
    g->shaping = true;
    const char *kind = ONE_OF(g, "", "pointer", "pointer", "pointer", "hash", "dense", "bitmasked");
    for (int a = 0; a < m->axes; a++) {
        do
            mask[a] = 1 + pick(g, m->extent[a]);
        while (m->extent[a] % mask[a]);
        blocks[a] = m->extent[a] / mask[a];
    }
    put(g, chance(g, 50) ? "@packed layout {" : "layout {");
    g->shaping = false;
    if (*kind) {
        put(g, " %s %s", kind, letters);
        put_sizes(g, blocks, m->axes, 1);
        put(g, " {");
    }
    put(g, " %s: bitmasked %s", m->cell, letters);
    put_sizes(g, *kind ? mask : m->extent, m->axes, 1);
    put(g, " {");
    if (m->row > 1)
        put(g, " dense %c[%d] {", letters[m->axes - 1], m->row);
    put(g, " place %s; }%s%s }\n", m->field, m->row > 1 ? " }" : "", *kind ? " }" : "");
}

static void
put_grow_fields(Gen *g, Grow *m)
{
    static const Scalar scalars[] = {S_I32, S_I32, S_I64, S_U32};
    static const int extents[3][4] = {{256, 1024, 2048, 1536}, {16, 24, 40, 64}, {4, 8, 12, 16}};
    *m = (Grow){.axes = 1 + pick(g, 3), .row = chance(g, 75) ? 1 : 2 + pick(g, 3),
                .scalar = scalars[pick(g, 4)]};
    for (int a = 0; a < m->axes; a++)
        m->extent[a] = extents[m->axes - 1][pick(g, 4)];
    new_name(g, m->field, "x");
    new_name(g, m->value, "x");
    new_name(g, m->cell, "node");
    put(g, "field %s %s;\nfield i32 %s", scalar_name(m->scalar), m->field, m->value);
    put_sizes(g, m->extent, m->axes, m->row);
    put(g, ";\n");
    put_masks(g, m);
}

static const char *
names_of_axes(const Grow *m)
{
    return m->axes == 3 ? "i, j, k" : m->axes == 2 ? "i, j" : "i";
}

/* "i + 1, j", where that is there and the sum of the indices of its cell is even, or odd. */
static void
put_if_cell(Gen *g, const Grow *m, bool cells, int even, int *by)
{
    const int row = cells ? 1 : m->row;
    put(g, "        if (");
    for (int a = 0; a < m->axes; a++) {
        by[a] = chance(g, 65) ? pick(g, 5) - 2 : 0;
        put(g, "%c + %d >= 0 && %c + %d < %d && ", "ijk"[a], by[a], "ijk"[a], by[a],
            m->extent[a] * (a == m->axes - 1 ? row : 1));
    }
    put(g, "(");
    for (int a = 0; a < m->axes; a++)
        put(g, a == m->axes - 1 && row > 1 ? "%s(%c + %d) / %d" : "%s%c + %d", a ? " + " : "",
            "ijk"[a], by[a], row);
    put(g, ") %% 2 == %d", even);
    if (chance(g, 50))
        put(g, " && %s[%s] %% %d == 0",  m->value, names_of_axes(m), 2 + pick(g, 4));
    put(g, ") { ");
}

static void
put_cell_around(Gen *g, const Grow *m, const int *by)
{
    for (int a = 0; a < m->axes; a++)
        put(g, "%s%c + %d", a ? ", " : "", "ijk"[a], by[a]);
}

/* A loop over the elements, or the cells where `cells`, that changes which are active. */
static void
put_growing_loop(Gen *g, const Grow *m)
{
    const bool cells = m->row == 1 && chance(g, 40);
    const int comes = pick(g, 2);
    int by[AXES_MOST];
    put(g, "    for %s in %s {\n        s += 1 + i64(%s[%s]);\n", names_of_axes(m),
        cells ? m->cell : m->field, m->value, names_of_axes(m));
    if (chance(g, 20))
        put(g, "        if (%s[%s] %% 7 == 1) { continue; }\n", m->value, names_of_axes(m));
    for (int n = 1 + pick(g, 3); n > 0; n--) {
        put_if_cell(g, m, m->row == 1, comes, by);
        if (m->row == 1 && chance(g, 30)) {
            put(g, "activate(%s[", m->cell);
            put_cell_around(g, m, by);
            put(g, "]); }\n");
            continue;
        }
        put(g, "%s[", m->field);
        put_cell_around(g, m, by);
        put(g, "] += %s(%s[%s]); }\n", scalar_name(m->scalar), m->value, names_of_axes(m));
    }
    if (m->row == 1 && chance(g, 40)) {
        put_if_cell(g, m, true, 1 - comes, by);
        put(g, "deactivate(%s[", m->cell);
        put_cell_around(g, m, by);
        put(g, "]); }\n");
    }
    put(g, "    }\n");
}

void
put_grow_shape(Gen *g)
{
    static const char *const weighed[] = {"1 + i", "1 + i * 101 + j", "1 + i * 101 + j * 7 + k"};
    static const int shares[] = {2, 20, 60, 97};        /* of 97 cells that are active first */
    Grow m;
    put_grow_fields(g, &m);
    const char *names = names_of_axes(&m), *number = weighed[m.axes - 1],
               *type = scalar_name(m.scalar);
    open_kernel(g);
    put(g, "    i64 s = 0;\n    deactivate_all(%s);\n    for %s in %s {\n        let n = %s;\n",
        m.cell, names, m.value, number);
    put(g, "        %s[%s] = n * %d %% 23;\n", m.value, names, 1 + pick(g, 9));
    put(g, "        if (n * %d %% 97 < %d) { %s[%s] = %s(n %% 5); }\n    }\n", 1 + pick(g, 50),
        shares[pick(g, 4)], m.field, names, type);
    for (int loops = 1 + pick(g, 3); loops > 0; loops--)
        put_growing_loop(g, &m);
    put(g, "    for %s in %s { s += hash_%s(%s[%s]) * (%s); }\n    return s;\n}\n", names, m.field,
        type, m.field, names, number);
}
