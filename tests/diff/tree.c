/* tree.c - fields and layouts of random programs. */
#include <stdio.h>
#include <string.h>

#include "generate.h"

enum { ITEMS_MAX = 16 };

/* What a place names: a field, or a part of one. */
typedef struct {
    int field;
    char part[16];
} Item;

/* The way from the top of a layout to a node. */
typedef struct {
    int axes;
    char letter[3];
    int full[3], done[3], offset[3];
    bool seen[3];
    bool sparse, moved;     /* moved: has an offset */
    bool alone;             /* the layout has one outermost node */
    bool list;              /* ends in a dynamic node */
    int level;
} Path;

/* Declarations that follow the layout, because only then it is known what they say. */
typedef struct {
    char text[2000];
    size_t used;
} Later;

static int
divisor(Gen *g, int n)
{
    int d = 1 + pick(g, n);
    while (n % d)
        d--;
    return d;
}

/* ---- fields ---- */

static int
add_field(Gen *g, Type t, const char *prefix)
{
    Field *f = &g->field[g->fields];
    *f = (Field){.type = t, .layout = -1, .list_axis = -1};
    new_name(g, f->name, prefix);
    return g->fields++;
}

/* Attributes, type and name, as far as the layout does not matter. */
static void
put_declaration(Gen *g, Field *f, bool modes)
{
    static const char *const mode[] = { "ambient", "clamp", "periodic", "mirror" };
    if (!f->type.record && f->type.scalar != S_BOOL && chance(g, 30)) {
        put(g, "@ambient(");
        if (f->type.rows && chance(g, 50))
            put(g, "%s", is_float(f->type.scalar) ? "2.5" : "7"); /* for all components */
        else
            put_literal(g, f->type);
        put(g, ") ");
    }
    if (modes && chance(g, 60)) {
        put(g, "@boundary(%s) ", mode[pick(g, 4)]);
        f->boundary = true;
    }
    put(g, "field ");
    put_type(g, f->type);
    put(g, " %s", f->name);
}

/* Places a field whose cells a path leads to. */
static void
set_shape(Gen *g, const Path *p, Field *f)
{
    f->layout = g->layouts;
    f->sparse = p->sparse;
    f->axes = 0;
    for (int a = 0; a < p->axes; a++)
        if (p->seen[a]) {
            f->size[f->axes] = p->done[a];
            f->lo[f->axes++] = p->offset[a];
        }
}

/* ---- nodes ---- */

static void
add_label(Gen *g, const Path *p, const char *name, const char *kind)
{
    Label *l = &g->label[g->labels++];
    *l = (Label){.layout = g->layouts, .dense = strcmp(kind, "dense") == 0};
    snprintf(l->name, sizeof l->name, "%s", name);
    for (int a = 0; a < p->axes; a++)
        if (p->seen[a]) {
            l->size[l->axes] = p->done[a];
            l->lo[l->axes++] = p->offset[a] / (p->full[a] / p->done[a]);
        }
}

static void
put_places(Gen *g, const Item *items, int count)
{
    for (int i = 0; i < count; i++) {
        bool first = i == 0 || chance(g, 20);
        if (first && i)
            put(g, ";");
        put(g, "%s%s%s", first ? " place " : ", ", g->field[items[i].field].name, items[i].part);
    }
    put(g, ";");
}

/* A dynamic node for all items, on an axis of its own. */
static void
put_list(Gen *g, const Path *p, const Item *items, int count)
{
    static const char letters[] = "ijklmnop";
    int size = 4 + pick(g, 30), at = 0;
    char letter, name[NAME_MAX_];
    bool used;
    do {
        letter = letters[pick(g, 8)];
        used = false;
        for (int a = 0; a < p->axes; a++)
            used |= p->letter[a] == letter;
    } while (used);
    for (int a = 0; a < p->axes; a++)
        at += p->letter[a] < letter;
    if (chance(g, 60))
        put(g, " @chunk(%d)", 1 << pick(g, 5));
    new_name(g, name, "node");
    put(g, " %s: dynamic %c[%d] {", name, letter, size);
    put_places(g, items, count);
    put(g, " }");
    add_label(g, p, name, "dynamic");
    Label *l = &g->label[g->labels - 1];
    l->list_size = size;
    l->fields = count;
    for (int i = 0; i < count; i++) {
        Field *f = &g->field[items[i].field];
        l->value[i] = f->type;
        set_shape(g, p, f);
        f->sparse = true;
        f->list_axis = at;
        memmove(f->size + at + 1, f->size + at, (size_t)(f->axes - at) * sizeof *f->size);
        memmove(f->lo + at + 1, f->lo + at, (size_t)(f->axes - at) * sizeof *f->lo);
        f->size[at] = size;
        f->lo[at] = 0;
        f->axes++;
    }
}

/* Sizes of the next node: the factor for each axis, 0 for axes it does not have. Returns whether the fields come next. */
static bool
choose_sizes(Gen *g, const Path *p, int *size)
{
    bool last = p->level == 2 || chance(g, 35), complete = true;
    int count = 0;
    for (int a = 0; a < p->axes; a++) {
        int rest = p->full[a] / p->done[a];
        int factor = last ? rest : divisor(g, rest);
        size[a] = factor > 1 || (last && !p->seen[a]) || (factor == rest && !p->seen[a] && chance(g, 50)) ? factor : 0;
        count += size[a] > 0;
    }
    if (!count) {
        int a = pick(g, p->axes);
        size[a] = p->full[a] / p->done[a];
    }
    for (int a = 0; a < p->axes; a++) {
        int done = p->done[a] * (size[a] ? size[a] : 1);
        complete = complete && done == p->full[a] && (p->seen[a] || size[a]);
    }
    return complete;
}

/* Offsets of the outermost node; its cells must start at multiples of their extent. */
static void
choose_offset(Gen *g, Path *p, const int *size)
{
    for (int a = 0; a < p->axes; a++) {
        int unit = p->alone ? p->full[a] / (size[a] ? size[a] : 1) : p->full[a];
        p->offset[a] = unit * (pick(g, 7) - 3);
    }
}

static void
put_offset(Gen *g, const Path *p)
{
    put(g, " @offset(");
    for (int a = 0; a < p->axes; a++)
        put(g, "%s%d", a ? ", " : "", p->offset[a]);
    put(g, ")");
}

/* "ij[4, 8]", with the letters in any order and sizes that may be params. */
static void
put_sizes(Gen *g, const Path *p, const int *size, Later *later)
{
    int order[3] = { 0, 1, 2 };
    for (int a = p->axes - 1; a > 0; a--) {
        int b = pick(g, a + 1), t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    bool params = p->level == 0 && p->alone && chance(g, 20);
    put(g, " ");
    for (int a = 0; a < p->axes; a++)
        if (size[order[a]])
            put(g, "%c", p->letter[order[a]]);
    const char *between = "[";
    for (int a = 0; a < p->axes; a++) {
        int s = size[order[a]];
        if (!s)
            continue;
        put(g, "%s", between);
        between = ", ";
        if (params && s > 1 && later->used < sizeof later->text - 100) {
            char name[NAME_MAX_];
            new_name(g, name, "P");
            later->used += (size_t)snprintf(later->text + later->used, sizeof later->text - later->used,
                                            "param i32 %s = %d;\n", name, s - 1);
            put(g, "%s + 1", name);
        } else {
            put(g, "%d", s);
        }
    }
    put(g, "]");
}

static void put_node(Gen *g, Path p, const Item *items, int count, Later *later);

/* What stands in the braces of a node. */
static void
put_inside(Gen *g, Path p, const Item *items, int count, bool complete, Later *later)
{
    if (!complete && !p.moved && !p.list && g->fields < FIELDS_MAX - 4 && chance(g, 20)) {
        Item coarse = { .field = add_field(g, any_type(g), "x") };
        put_places(g, &coarse, 1);
        set_shape(g, &p, &g->field[coarse.field]);
    }
    if (complete && p.list) {
        put_list(g, &p, items, count);
    } else if (complete) {
        put_places(g, items, count);
        for (int i = 0; i < count; i++) {
            bool sparse = g->field[items[i].field].sparse;
            set_shape(g, &p, &g->field[items[i].field]);
            g->field[items[i].field].sparse |= sparse;
        }
    } else {
        int part = count > 1 && !p.list && chance(g, 30) ? 1 + pick(g, count - 1) : count;
        put_node(g, p, items, part, later);
        if (part < count)
            put_node(g, p, items + part, count - part, later);
    }
}

static void
put_node(Gen *g, Path p, const Item *items, int count, Later *later)
{
    static const char *const kinds[] = { "dense", "dense", "dense", "bitmasked", "pointer", "pointer", "hash" };
    const char *kind = kinds[pick(g, p.level ? 6 : 7)];
    int size[3] = {0};
    bool complete = choose_sizes(g, &p, size), dense = strcmp(kind, "dense") == 0;
    if (p.level == 0 && p.moved) {
        if (p.alone)
            choose_offset(g, &p, size);
        put_offset(g, &p);
    }
    char name[NAME_MAX_];
    new_name(g, name, "node");
    bool labelled = (!dense || chance(g, 30)) && g->labels < LABELS_MAX - 4;
    if (labelled)
        put(g, " %s:", name);
    put(g, " %s", kind);
    put_sizes(g, &p, size, later);
    put(g, " {");
    for (int a = 0; a < p.axes; a++)
        if (size[a]) {
            p.done[a] *= size[a];
            p.seen[a] = true;
        }
    p.sparse |= !dense;
    if (labelled)
        add_label(g, &p, name, kind);
    p.level++;
    put_inside(g, p, items, count, complete, later);
    put(g, " }");
}

/* ---- layouts ---- */

/* A field, whole or in parts, at the end of the list. */
static int
add_items(Gen *g, Item *items, int count, int field, bool whole)
{
    Type t = g->field[field].type;
    int parts = t.record ? g->record[t.record - 1].count : t.rows && !t.cols ? t.rows : 0;
    if (whole || !parts || parts + count > ITEMS_MAX || chance(g, 60)) {
        items[count] = (Item){.field = field};
        return count + 1;
    }
    for (int i = 0; i < parts; i++) {
        Item *item = &items[count + i];
        *item = (Item){.field = field};
        if (t.record)
            snprintf(item->part, sizeof item->part, ".m%d", i);
        else
            snprintf(item->part, sizeof item->part, ".%c", "xyzw"[i]);
    }
    return count + parts;
}

static void
choose_axes(Gen *g, Path *p)
{
    static const int extents[2][3][8] = {
        { { 7, 12, 16, 24, 30, 36, 64, 1 }, { 4, 6, 8, 9, 12, 5, 10, 16 }, { 2, 3, 4, 6, 1, 4, 5, 8 } },
        { { 1000, 512, 1024, 2048, 720, 600, 1536, 900 }, { 32, 64, 48, 40, 60, 36, 24, 128 }, { 8, 16, 12, 10, 9, 6, 16, 8 } }
    };
    p->axes = chance(g, 20) ? 3 : chance(g, 60) ? 2 : 1;
    bool taken[8] = {0}, large = chance(g, 35);
    for (int a = 0; a < p->axes; a++) {
        int letter;
        do
            letter = pick(g, chance(g, 70) ? 3 : 8);
        while (taken[letter]);
        taken[letter] = true;
    }
    int n = 0;
    for (int letter = 0; letter < 8; letter++)
        if (taken[letter])
            p->letter[n++] = (char)('i' + letter);
    for (int a = 0; a < p->axes; a++) {
        p->full[a] = extents[large][p->axes - 1][pick(g, 8)];
        p->done[a] = 1;
    }
}

static void
put_layout(Gen *g)
{
    Path p = { .moved = chance(g, 25) };
    Item items[ITEMS_MAX];
    Later later = {0};
    int count = 0, first = g->fields;
    p.list = !p.moved && chance(g, 25);
    choose_axes(g, &p);
    for (int n = 1 + pick(g, 3); n > 0; n--)
        count = add_items(g, items, count, add_field(g, any_type(g), "x"), p.list);
    int part = count > 1 && !p.list && chance(g, 30) ? 1 + pick(g, count - 1) : count;
    p.alone = part == count;
    if (p.moved && !p.alone)
        choose_offset(g, &p, p.done);
    g->manual[g->layouts] = chance(g, 10);
    put(g, "%s%slayout L%d {", g->manual[g->layouts] ? "@manual " : "", chance(g, 30) ? "@packed " : "", g->layouts);
    if (p.list && chance(g, 15)) {
        p.axes = 0;
        put_list(g, &p, items, count);
    } else {
        put_node(g, p, items, part, &later);
        if (part < count)
            put_node(g, p, items + part, count - part, &later);
    }
    put(g, " }\n%s", later.text);
    for (int i = first; i < g->fields; i++) {
        Field *f = &g->field[i];
        put_declaration(g, f, f->list_axis < 0);
        put(g, ";\n");
    }
    g->layouts++;
}

/* "field f32x3 x[4, 5];", with a layout of its own. */
static void
put_short(Gen *g, bool frozen)
{
    Field *f = &g->field[add_field(g, any_type(g), frozen ? "k" : "x")];
    f->frozen = frozen;
    f->axes = chance(g, 10) ? 0 : 1 + pick(g, 3);
    for (int a = 0; a < f->axes; a++)
        f->size[a] = f->axes == 1 ? 1 + pick(g, 60) : f->axes == 2 ? 1 + pick(g, 14) : 1 + pick(g, 6);
    if (chance(g, 20) && f->axes)
        put(g, "@packed ");
    if (chance(g, 20) && f->type.rows && f->axes)
        put(g, "@soa ");
    put_declaration(g, f, f->axes > 0);
    put(g, "[");
    for (int a = 0; a < f->axes; a++)
        put(g, "%s%d", a ? ", " : "", f->size[a]);
    put(g, "];\n");
}

void
put_layouts(Gen *g)
{
    for (int n = 1 + pick(g, 2); n > 0; n--)
        put_short(g, true);
    for (int n = pick(g, 3); n > 0; n--)
        put_short(g, false);
    for (int n = 1 + pick(g, 3); n > 0; n--) {
        uint64_t state = g->state;
        put_layout(g);
        if (!chance(g, 20) || g->fields > FIELDS_MAX / 2 || g->labels > LABELS_MAX / 2)
            continue;
        g->state = state;
        put_layout(g);
        g->twin[g->layouts - 2] = g->layouts - 1;
        chance(g, 20);
    }
}
