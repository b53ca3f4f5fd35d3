/* shapes_calls.c - kernels whose loops leave it to functions what to do with fields and nodes: what
 * a function changes, activates, deactivates or appends counts as if it stood in the loop. */
#include <stdio.h>

#include "shapes.h"

enum { CELLS = 256, BLOCKS = 16, ADDED = 32, LISTS = 8, LIST_ROOM = 1024 };

/* What an iteration may do with its own cell: one that is deactivated is not activated as well. */
typedef enum { MAKES, DROPS } Doing;

typedef struct {
    char value[NAME_MAX_], pair[NAME_MAX_], block[NAME_MAX_], cell[NAME_MAX_];
    char added[NAME_MAX_], low[NAME_MAX_], item[NAME_MAX_], list[NAME_MAX_], driver[NAME_MAX_];
    char set[NAME_MAX_], wake[NAME_MAX_], drop[NAME_MAX_], get[NAME_MAX_], add[NAME_MAX_],
        push[NAME_MAX_], deep[NAME_MAX_], any_set[NAME_MAX_], any_drop[NAME_MAX_];
    int appended;       /* elements that the lists may have by now */
} Called;

/* ---- fields and functions ---- */

static void
put_called_fields(Gen *g, Called *k)
{
    char *const names[] = {k->value, k->pair, k->added, k->low, k->item, k->driver};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        new_name(g, names[n], "x");
    new_name(g, k->block, "node");
    new_name(g, k->cell, "node");
    new_name(g, k->list, "node");
    put_sparse_blocks(g, k->block, BLOCKS, k->cell, CELLS / BLOCKS, k->value, k->pair);
    put(g, "field i32 %s, %s;\nfield f32 %s;\n", k->driver, k->added, k->low);
    put_any_layout(g, k->driver, CELLS);
    put_any_layout(g, k->added, ADDED);
    put_any_layout(g, k->low, ADDED);
    g->shaping = true;
    const int chunk = 1 << pick(g, 7);
    g->shaping = false;
    put(g, "field i32 %s;\nlayout { %s i[%d] { @chunk(%d) %s: dynamic j[%d] { place %s; } } }\n",
        k->item, ANY_OF(g, "dense", "pointer", "bitmasked", "hash"), LISTS, chunk, k->list,
        LIST_ROOM, k->item);
}

/* Functions that change the cell c of the iteration that calls them. */
static void
put_cell_functions(Gen *g, Called *k)
{
    put(g, "func %s(i32 c, i32 v) { %s%s[c] %s v; }\n", k->set,
        ONE_OF(g, "", "", "if (v % 3 == 0) { return; } "), k->value,
        ONE_OF(g, "=", "+=", "-=", "^="));
    put(g, "func bool %s(i32 c) { let was = is_active(%s[c]); %sactivate(%s[c]); return was; }\n",
        k->wake, k->cell, ONE_OF(g, "", "if (was) { return true; } "), k->cell);
    put(g, "func %s(i32 c) { ", k->drop);
    if (chance(g, 50))
        put(g, "if (%s[c] %% %d != 0) { ", k->value, 2 + pick(g, 3));
    else
        put(g, "{ ");
    put(g, "deactivate(%s[c]); } }\n", k->cell);
    put(g, "func i32 %s(i32 c) { ", k->get);
    if (chance(g, 40))
        put(g, "return %s[c]; }\n", k->value);
    else if (chance(g, 50))
        put(g, "return is_active(%s[c]) ? %s[c] : -1; }\n", k->cell, k->value);
    else
        put(g, "return %s[c] + i32(%s[c].y); }\n", k->value, k->pair);
    put(g, "func %s(field auto[] f, i32 c, auto v) { f[c] = v; }\n", k->any_set);
    put(g, "func %s(node b, i32 c) { %sdeactivate(b[c]); }\n", k->any_drop,
        ONE_OF(g, "", "if (c % 2 == 1) { return; } "));
}

/* Functions that add to what all iterations share, or append to a list of several. */
static void
put_shared_functions(Gen *g, Called *k)
{
    put(g, "func %s(i32 n, i32 v) { %s[n & %d] %s v;", k->add, k->added, ADDED - 1,
        ONE_OF(g, "+=", "-="));
    if (chance(g, 50))
        put(g, " %s(%s[(n + v) & %d], 0.5 * f32(v));", ONE_OF(g, "atomic_min", "atomic_max"),
            k->low, ADDED - 1);
    put(g, " }\n");
    put(g, "func %s(i32 n, i32 v) { %sappend(%s[n & %d], v); }\n", k->push,
        ONE_OF(g, "", "if (v % 5 == 1) { return; } "), k->list, LISTS - 1);
    put(g, "func %s(i32 c, i32 n) {\n    if (n <= 0) { %s(c, n + %d); return; }\n", k->deep,
        k->set, pick(g, 50));
    put(g, "    %s(c + n, n);\n    %s(c, n - 1);\n}\n", k->add, k->deep);
}

static void
put_functions(Gen *g, Called *k)
{
    char *const names[] = {k->set, k->wake, k->drop,    k->get,    k->add,
                           k->push, k->deep, k->any_set, k->any_drop};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        new_name(g, names[n], "call");
    put_cell_functions(g, k);
    put_shared_functions(g, k);
}

/* ---- loops ---- */

/* A small number. */
static void
put_number(Gen *g, const Called *k)
{
    switch (pick(g, 5)) {
    case 0: put(g, "i"); break;
    case 1: put(g, "%d - i * %d", pick(g, 90), 1 + pick(g, 3)); break;
    case 2: put(g, "%s[i]", k->driver); break;
    case 3: put(g, "%s(c) %% 1000", k->get); break;
    default: put(g, "%d", pick(g, 99) - 30);
    }
}

/* What only one kind of loop does with its cell. */
static void
put_doing(Gen *g, const Called *k, Doing doing)
{
    if (doing == DROPS) {
        if (chance(g, 50))
            put(g, "%s(c);", k->drop);
        else
            put(g, "%s(%s, c);", k->any_drop, k->cell);
        return;
    }
    switch (pick(g, 5)) {
    case 0: put(g, "if (%s(c)) { %s(i, 3); }", k->wake, k->add); return;
    case 1: put(g, "%s(c, %d);", k->deep, pick(g, 4)); return;
    case 2: put(g, "%s(%s, c, ", k->any_set, k->value); break;
    default: put(g, "%s(c, ", k->set);
    }
    put_number(g, k);
    put(g, ");");
}

/* A statement of iteration i, whose cell is c. */
static void
put_called_statement(Gen *g, Called *k, Doing doing)
{
    put(g, "        ");
    switch (pick(g, 8)) {
    case 0: put(g, "if (%s(c) %% %d == 1) { continue; }\n", k->get, 3 + pick(g, 4)); return;
    case 1: put(g, "%s[i] = (%s[i] + %s(c)) & 1023;\n", k->driver, k->driver, k->get); return;
    case 2: put(g, "%s(%s, i, i * %d %% 64);\n", k->any_set, k->driver, 1 + pick(g, 9)); return;
    case 3:
        put(g, "%s(i * %d, ", k->add, 1 + pick(g, 5));
        put_number(g, k);
        put(g, ");\n");
        return;
    case 4:
        put(g, "%s(i, c + %d);\n", k->push, pick(g, 9));
        k->appended += CELLS;
        return;
    case 5:
        put(g, "if (i %% %d == %d) { ", 2 + pick(g, 4), pick(g, 2));
        put_doing(g, k, doing);
        put(g, " }\n");
        return;
    default:
        put_doing(g, k, doing);
        put(g, "\n");
    }
}

/* A loop over the numbers, over a field of as many elements, or over cells that it may change. */
static void
put_called_loop(Gen *g, Called *k)
{
    const Doing doing = chance(g, 60) ? MAKES : DROPS;
    const char *what = ONE_OF(g, "0..256", k->driver, k->driver, k->cell, k->value);
    put(g, "    for i in %s {\n        let c = (i * %d + %d) %% %d;\n", what, 1 + 2 * pick(g, 50),
        pick(g, 99), CELLS);
    for (int n = 1 + pick(g, 4); n > 0; n--)
        put_called_statement(g, k, doing);
    put(g, "    }\n");
}

/* What stands between two loops: everything at once. */
static void
put_between(Gen *g, Called *k)
{
    if (k->appended > LIST_ROOM - 4 * CELLS) {
        put(g, "    for i, j in %s { s += %s[i, j] * (1 + i); }\n", k->list, k->item);
        put(g, "    deactivate_all(%s);\n", k->list);
        k->appended = 0;
    }
    if (chance(g, 15))
        put(g, "    deactivate_all(%s);\n", chance(g, 70) ? k->cell : k->block);
    if (chance(g, 40))
        put(g, "    for i in %s { s += %s[i] * (7 + i); %s[i].y += 1.0; }\n", k->cell, k->value,
            k->pair);
}

void
put_called_shape(Gen *g)
{
    Called k = {0};
    put_called_fields(g, &k);
    put_functions(g, &k);
    open_kernel(g);
    put(g, "    i64 s = 0;\n    deactivate_all(%s);\n", k.list);
    put(g, "    for i in 0..%d { %s[i] = i * %d %% 37; }\n", CELLS, k.driver, 1 + pick(g, 36));
    put(g, "    for i in 0..%d { %s[i] = 0; %s[i] = 0.0; }\n", ADDED, k.added, k.low);
    for (int n = 2 + pick(g, 4); n > 0; n--) {
        put_called_loop(g, &k);
        put_between(g, &k);
    }
    put(g, "    for i in 0..%d { s += %s[i] * (1 + i) + (is_active(%s[i]) ? i : 0) + %s[i]; }\n",
        CELLS, k.value, k.cell, k.driver);
    put(g, "    for i in 0..%d { s += %s[i] * (1 + i) + i64(%s[i] * 2.0) * (3 + i); }\n", ADDED,
        k.added, k.low);
    put(g, "    for b in %s { s += 1000 * b; }\n", k.block);
    put(g, "    for i, j in %s { s += %s[i, j] * (1 + i); }\n    return s;\n}\n", k.list, k.item);
}
