/* shapes_counts.c - kernels that count what is active around cells of a mask, and choose by the
 * counts which cells of another one are active: by truth values and numbers of few bits, or a bit
 * too many. */
#include "shapes.h"

enum { NUMBERS = 3, TRUTHS = 2, DEPTH = 2, AWAY = 2 };

/* Masks of two trees, whose blocks have one shape, or nearly. */
typedef struct {
    char field[2][NAME_MAX_], label[2][NAME_MAX_], turn[NAME_MAX_], bump[NAME_MAX_];
    const char *type;  /* of the numbers n0, n1, ...; truth values are b0, b1, ... */
    int size[2], away; /* how far away are the rows that are read */
} Counts;

static void
put_counts_items(Gen *g, Counts *c)
{
    static const int rows[] = {8, 8, 16, 16, 32, 16, 4}, columns[] = {8, 16, 8, 16, 8, 4, 16};
    const int shape = pick(g, 7), times = 2 + pick(g, 2);
    *c = (Counts){.type = ONE_OF(g, "i32", "i32", "i32", "u8", "i64", "u32", "i16"),
                  .size = {rows[shape] * times, columns[shape] * times},
                  .away = 1 + pick(g, AWAY)};
    for (int m = 0; m < 2; m++) {
        g->shaping = true;
        const bool other = chance(g, 15);
        g->shaping = false;
        const int row = other ? 4 : rows[shape], column = other ? 4 : columns[shape];
        new_name(g, c->field[m], "x");
        new_name(g, c->label[m], "node");
        put(g, "field i8 %s;\nlayout { %s ij[%d, %d] { %s: %s ij[%d, %d] { place %s; } } }\n",
            c->field[m], ANY_OF(g, "dense", "dense", "dense", "dense", "pointer", "hash"),
            c->size[0] / row, c->size[1] / column, c->label[m],
            ANY_OF(g, "bitmasked", "bitmasked", "bitmasked", "bitmasked", "bitmasked", "bitmasked",
                   "bitmasked", "pointer"),
            row, column, c->field[m]);
    }
    new_name(g, c->turn, "turn");
    new_name(g, c->bump, "bump");
    put(g,
        "func %s %s(%s a, bool b) { %s s = a; if (b) { s += %d; } return s; }\nfunc %s %s(inout %s "
        "a, %s b) { let was = a; a = b; return %s; }\n",
        c->type, c->turn, c->type, c->type, 1 + pick(g, 3), c->type, c->bump, c->type, c->type,
        ONE_OF(g, "was", "a", "was + 1"));
}

static void
put_counts_active(Gen *g, const Counts *c)
{
    put(g, "is_active(%s[i", c->label[0]);
    for (int a = 0; a < 2; a++) {
        const int away = a && chance(g, 99) ? 1 : c->away, by = pick(g, 2 * away + 1) - away;
        if (by)
            put(g, " %c %d", by < 0 ? '-' : '+', by < 0 ? -by : by);
        put(g, a ? "])" : ", j");
    }
}

static void put_counts_truth(Gen *g, const Counts *c, int depth);

/* A number that is mostly from 0 to 15. */
static void
put_counts_number(Gen *g, const Counts *c, int depth)
{
    switch (depth > 0 ? pick(g, 10) : pick(g, 3)) {
    case 0: put(g, "n%d", pick(g, NUMBERS)); break;
    case 8:
        put(g, "%s(", c->turn);
        put_counts_number(g, c, depth - 1);
        put(g, ", ");
        put_counts_truth(g, c, depth - 1);
        put(g, ")");
        break;
    case 9:
        put(g, "%s(n%d, ", c->bump, pick(g, NUMBERS));
        put_counts_number(g, c, depth - 1);
        put(g, ")");
        break;
    case 1: put(g, "%s(%d)", c->type, chance(g, 93) ? pick(g, 5) : pick(g, 18)); break;
    case 2:
        put(g, "%s(", c->type);
        put_counts_active(g, c);
        put(g, ")");
        break;
    case 3: put(g, "%s(b%d)", c->type, pick(g, TRUTHS)); break;
    case 4:
        put(g, "(");
        put_counts_truth(g, c, depth - 1);
        put(g, " ? ");
        put_counts_number(g, c, depth - 1);
        put(g, " : ");
        put_counts_number(g, c, depth - 1);
        put(g, ")");
        break;
    case 5:
        put(g, "%s(u8(", c->type);
        put_counts_number(g, c, depth - 1);
        put(g, "))");
        break;
    default:
        put(g, "(");
        put_counts_number(g, c, depth - 1);
        put(g, chance(g, 97) ? " + " : " - ");
        put_counts_number(g, c, depth - 1);
        put(g, ")");
        break;
    }
}

static void
put_counts_truth(Gen *g, const Counts *c, int depth)
{
    switch (depth > 0 ? pick(g, 9) : pick(g, 2)) {
    case 0: put_counts_active(g, c); break;
    case 1: put(g, "b%d", pick(g, TRUTHS)); break;
    case 2:
        put(g, "!");
        put_counts_truth(g, c, 0);
        break;
    case 3:
    case 4:
        put(g, "(");
        put_counts_truth(g, c, depth - 1);
        put(g, " %s ", ONE_OF(g, "&&", "||", "==", "!=", "&", "|", "^"));
        put_counts_truth(g, c, depth - 1);
        put(g, ")");
        break;
    case 5:
        put(g, "(");
        put_counts_truth(g, c, depth - 1);
        put(g, " ? ");
        put_counts_truth(g, c, depth - 1);
        put(g, " : ");
        put_counts_truth(g, c, depth - 1);
        put(g, ")");
        break;
    case 6:
        put(g, "bool(");
        put_counts_number(g, c, depth - 1);
        put(g, ")");
        break;
    default:
        put(g, "(");
        put_counts_number(g, c, depth - 1);
        put(g, " %s ", ONE_OF(g, "<", "<=", ">", ">=", "==", "!="));
        put_counts_number(g, c, depth - 1);
        put(g, ")");
        break;
    }
}

static void
put_counts_statement(Gen *g, const Counts *c, int depth)
{
    switch (pick(g, depth > 0 ? 8 : 6)) {
    case 0:
    case 1:
        put(g, "n%d = ", pick(g, NUMBERS));
        put_counts_number(g, c, DEPTH);
        put(g, "; ");
        break;
    case 2:
    case 3:
        put(g, "n%d += ", pick(g, NUMBERS));
        put_counts_number(g, c, 1);
        put(g, "; ");
        break;
    case 4:
        put(g, "b%d = ", pick(g, TRUTHS));
        put_counts_truth(g, c, DEPTH);
        put(g, "; ");
        break;
    case 5: put(g, "%s(%s[i, j]); ", chance(g, 60) ? "activate" : "deactivate", c->label[1]); break;
    default:
        put(g, "if (");
        put_counts_truth(g, c, DEPTH);
        put(g, ") { ");
        put_counts_statement(g, c, depth - 1);
        if (chance(g, 50)) {
            put(g, "} else { ");
            put_counts_statement(g, c, depth - 1);
            put_counts_statement(g, c, depth - 1);
        }
        put(g, "} ");
        break;
    }
}

void
put_counts_shape(Gen *g)
{
    Counts c;
    put_counts_items(g, &c);
    open_kernel(g);
    const int each = 2 + pick(g, 5), edge = c.away;
    for (int m = 0; m < 2; m++)
        put(g,
            "    for i, j in 0..%d, 0..%d { if ((i * %d + j * j + i / 7) %% %d < %d) { "
            "activate(%s[i, j]); } else { deactivate(%s[i, j]); } }\n",
            c.size[0], c.size[1], 1 + pick(g, 9), each + 1, 1 + pick(g, each), c.label[m],
            c.label[m]);
    put(g, "    for i, j in %d..%d, %d..%d {\n        ", edge + pick(g, 3) * pick(g, 6),
        c.size[0] - edge, edge, c.size[1] - edge - pick(g, 2) * pick(g, 9));
    for (int n = 0; n < NUMBERS; n++)
        put(g, "%s n%d = %d; ", c.type, n, pick(g, 3));
    for (int n = 0; n < TRUTHS; n++)
        put(g, "bool b%d = %s; ", n, chance(g, 50) ? "true" : "false");
    for (int n = 2 + pick(g, 7); n > 0; n--) {
        put(g, "\n        ");
        put_counts_statement(g, &c, DEPTH);
    }
    put(g, "\n        if (");
    put_counts_truth(g, &c, DEPTH);
    put(g, ") { %s(%s[i, j]); }", chance(g, 70) ? "activate" : "deactivate", c.label[1]);
    if (chance(g, 40))
        put(g, " else { %s(%s[i, j]); }", chance(g, 70) ? "deactivate" : "activate", c.label[1]);
    put(g, "\n    }\n");
    put(g, "    i64 s = 0;\n    for i, j in %s { s += 1 + i * %d + j; }\n    return s;\n}\n",
        c.label[1], 1 + pick(g, 100));
}
