/* tree.c - fields and layouts of random programs.
 *
 * Some choices decide what a program computes: which levels of a tree are sparse, how many cells
 * they have, what has a label. Others must not matter: the kind of a sparse node, the order of
 * axes, padding, what lies beside what, and everything about layouts whose cells are all active
 * (`Path.full`). These come from the random numbers of the shape, of which each variant of a
 * program has others.
 */
#include <stdio.h>
#include <string.h>

#include "snlsmith.h"

enum { ITEMS_MAX = 16, LAYOUT_AXES = AXES_MAX };

/* What a place names: a field, or a part of one. */
typedef struct {
    int field;
    char part[16];
} Item;

/* The way from the top of a layout to a node. */
typedef struct {
    int axes;
    char letter[LAYOUT_AXES];
    int full[LAYOUT_AXES], done[LAYOUT_AXES], offset[LAYOUT_AXES];
    bool seen[LAYOUT_AXES];
    bool active;            /* all cells are active after the start, and stay so */
    bool ordered;           /* the order of the cells in memory matters */
    bool sparse, moved;     /* moved: has an offset */
    bool alone;             /* the layout has one outermost node */
    bool list;              /* ends in a dynamic node */
    bool modes;             /* some field has a boundary mode */
    int wide;               /* the outermost node has so many times the cells that the program
                             * uses */
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

static void
shuffle(Gen *g, int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = pick(g, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

/* ---- fields ---- */

static int
add_field(Gen *g, Type t, const char *prefix)
{
    Field *f = &g->field[g->fields];
    *f = (Field){.type = t, .layout = -1, .list_axis = -1};
    new_name(g, f->name, prefix);
    memcpy(f->ident, f->name, sizeof f->ident);
    return g->fields++;
}

/* Attributes, type and name. */
static void
put_declaration(Gen *g, Field *f, bool modes)
{
    static const char *const mode[] = { "ambient", "clamp", "periodic", "mirror" };
    if ((f->type.record || f->type.scalar != S_BOOL) && chance(g, 30)) {
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
    f->sparse = f->sparse || p->sparse;
    f->ordered = p->ordered;
    f->wide = p->wide > 1;
    f->active = p->active;
    f->axes = 0;
    f->letters = 0;
    for (int a = 0; a < p->axes; a++)
        if (p->seen[a]) {
            f->size[f->axes] = p->done[a];
            f->lo[f->axes++] = p->offset[a];
            f->letters |= 1u << a;
        }
}

/* ---- nodes ---- */

static void
add_label(Gen *g, const Path *p, const char *name, bool dense)
{
    Label *l = &g->label[g->labels++];
    *l = (Label){.layout = g->layouts, .dense = dense, .ordered = p->ordered};
    snprintf(l->name, sizeof l->name, "%s", name);
    for (int a = 0; a < p->axes; a++)
        if (p->seen[a]) {
            l->letters |= 1u << a;
            l->size[l->axes] = p->done[a];
            l->lo[l->axes++] = p->offset[a] / (p->full[a] / p->done[a]);
        }
}

/* A field, whole or in parts, at the end of the list. */
static int
add_parts(Gen *g, Item *items, int count, int field)
{
    Type t = g->field[field].type;
    int parts = t.record ? g->record[t.record - 1].count : t.rows <= 4 && !t.cols ? t.rows : 0;
    if (!parts || parts + count > ITEMS_MAX || chance(g, 60)) {
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

/* Takes whole fields apart, and puts what there is in another order. */
static int
mix_items(Gen *g, const Item *from, int count, Item *to)
{
    Item parts[ITEMS_MAX];
    int order[ITEMS_MAX], n = 0;
    for (int i = 0; i < count; i++) {
        int rest = count - i - 1;
        if (from[i].part[0] || n + rest + 4 > ITEMS_MAX)
            parts[n++] = from[i];
        else
            n = add_parts(g, parts, n, from[i].field);
    }
    shuffle(g, order, n);
    for (int i = 0; i < n; i++)
        to[i] = parts[order[i]];
    return n;
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

/* A letter that no axis of the path has. */
static char
other_letter(Gen *g, const Path *p)
{
    bool used;
    char letter;
    do {
        letter = "ijklmnop"[pick(g, 8)];
        used = false;
        for (int a = 0; a < p->axes; a++)
            used |= p->letter[a] == letter;
    } while (used);
    return letter;
}

/* A dynamic node for all items, on an axis of its own. */
static void
put_list(Gen *g, const Path *p, const Item *items, int count)
{
    int size = 4 + pick(g, 30), at = 0, lists = 1;
    char letter = other_letter(g, p), name[NAME_MAX_];
    for (int a = 0; a < p->axes; a++) {
        at += p->letter[a] < letter;
        lists *= p->full[a];
    }
    if (lists > 500)
        size = 2 + size % 4; /* the interpreter goes through all of them */
    new_name(g, name, "node");
    g->shaping = true;
    if (chance(g, 60))
        put(g, " @chunk(%d)", 1 << pick(g, 5));
    g->shaping = false;
    put(g, " %s: dynamic %c[%d] {", name, letter, size);
    put_places(g, items, count);
    put(g, " }");
    add_label(g, p, name, false);
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

/* Sizes of the next node: the factor for each axis, 0 for axes it does not have. Returns whether
 * the fields come next. */
static bool
choose_sizes(Gen *g, const Path *p, int *size)
{
    bool last = p->level == 3 || chance(g, 40), complete = true;
    int count = 0;
    for (int a = 0; a < p->axes; a++) {
        int rest = p->full[a] / p->done[a];
        int factor = last ? rest : divisor(g, rest);
        size[a] =
            factor > 1 || (last && !p->seen[a]) || (factor == rest && !p->seen[a] && chance(g, 50))
                ? factor
                : 0;
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

/* "ij[4, 8]", with sizes that may be params. */
static void
put_sizes(Gen *g, const Path *p, const int *size, const int *order, Later *later)
{
    bool params = p->level == 0 && p->alone && p->wide == 1 && later && chance(g, 20);
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
            char value[12];
            size_t used = g->used;
            snprintf(value, sizeof value, "%d", s - 1);
            put_given(g, name, true, value, "1");
            later->used +=
                (size_t)snprintf(later->text + later->used, sizeof later->text - later->used,
                                 "param i32 %s = %s;\n", name, g->text + used);
            g->used = used;
            g->text[used] = '\0';
            put(g, "%s + 1", name);
        } else {
            put(g, "%d", p->level == 0 ? s * p->wide : s);
        }
    }
    put(g, "]");
}

static void
descend(Path *p, const int *size)
{
    for (int a = 0; a < p->axes; a++)
        if (size[a]) {
            p->done[a] *= size[a];
            p->seen[a] = true;
        }
    p->level++;
}

/* ---- nodes that only shape decides ---- */

/* A dynamic node may be the last one, with an axis that no other node has. */
static bool
may_be_list(const Path *p, const int *size)
{
    int axes = 0;
    for (int a = 0; a < p->axes; a++)
        if (size[a]) {
            axes++;
            if (p->seen[a])
                return false;
        }
    return axes == 1 && !p->modes && p->level > 0 && !p->moved;
}

/* The rest of a tree, in any way that gives the fields their extents: `active` says whether it may
 * be sparse. */
static void
put_free(Gen *g, Path p, const Item *items, int count, Later *later)
{
    static const char *const kinds[] = {"dense",     "dense",   "dense", "dense",
                                        "bitmasked", "pointer", "hash",  "dynamic"};
    int size[LAYOUT_AXES] = {0}, order[LAYOUT_AXES];
    bool complete = choose_sizes(g, &p, size);
    int kind = pick(g, p.active ? 8 : 1);
    if (kind == 7 && !(complete && may_be_list(&p, size)))
        kind = 5;
    shuffle(g, order, p.axes);
    if (p.level == 0 && p.moved)
        put_offset(g, &p);
    put(g, " %s", kinds[kind]);
    put_sizes(g, &p, size, order, kind == 7 ? NULL : later);
    put(g, " {");
    descend(&p, size);
    int part = count > 1 && chance(g, 40) ? 1 + pick(g, count - 1) : count;
    if (complete) {
        put_places(g, items, count);
    } else {
        put_free(g, p, items, part, later);
        if (part < count)
            put_free(g, p, items + part, count - part, later);
    }
    put(g, " }");
}

/* One or several such trees for these items. */
static void
put_free_trees(Gen *g, Path p, const Item *items, int count, Later *later)
{
    Item mixed[ITEMS_MAX];
    g->shaping = true;
    int n = mix_items(g, items, count, mixed),
        part = n > 1 && chance(g, 40) ? 1 + pick(g, n - 1) : n;
    p.alone = p.alone && part == n;
    put_free(g, p, mixed, part, later);
    if (part < n)
        put_free(g, p, mixed + part, n - part, later);
    g->shaping = false;
    for (int a = 0; a < p.axes; a++) {
        p.done[a] = p.full[a];
        p.seen[a] = true;
    }
    for (int i = 0; i < count; i++)
        set_shape(g, &p, &g->field[items[i].field]);
}

/* ---- nodes that the program knows ---- */

static void put_node(Gen *g, Path p, const Item *items, int count, Later *later);

/* A field that lies above the others. */
static void
put_coarse(Gen *g, const Path *p, Later *later)
{
    Item coarse = { .field = add_field(g, any_type(g), "x") };
    size_t used = g->used;
    put_declaration(g, &g->field[coarse.field], p->wide == 1);
    later->used += (size_t)snprintf(later->text + later->used, sizeof later->text - later->used,
                                    "%s;\n", g->text + used);
    g->used = used;
    g->text[used] = '\0';
    put_places(g, &coarse, 1);
    set_shape(g, p, &g->field[coarse.field]);
}

/* What stands in the braces of a node. */
static void
put_inside(Gen *g, Path p, const Item *items, int count, bool complete, Later *later)
{
    if (!complete && !p.moved && !p.list && g->fields < FIELDS_MAX - 6 && later->used < 1000 &&
        chance(g, 20))
        put_coarse(g, &p, later);
    if (complete && p.list) {
        put_list(g, &p, items, count);
    } else if (complete) {
        Item mixed[ITEMS_MAX];
        g->shaping = true;
        int n = mix_items(g, items, count, mixed);
        put_places(g, mixed, n);
        g->shaping = false;
        for (int i = 0; i < count; i++)
            set_shape(g, &p, &g->field[items[i].field]);
    } else if (!p.list && !p.ordered && chance(g, 40)) {
        put_free_trees(g, p, items, count, NULL);
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
    static const char *const kinds[] = { "bitmasked", "pointer", "hash" };
    bool dense = p.wide == 1 && chance(g, 40);
    int size[LAYOUT_AXES] = {0}, order[LAYOUT_AXES];
    bool complete = choose_sizes(g, &p, size);
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
    shuffle(g, order, p.axes);
    g->shaping = true;
    put(g, " %s", dense ? "dense" : p.level == 0 && p.wide > 1 ? "hash" : kinds[pick(g, 3)]);
    if (!p.ordered)
        shuffle(g, order, p.axes);
    put_sizes(g, &p, size, order, later);
    g->shaping = false;
    put(g, " {");
    p.sparse |= !dense;
    int level = p.level;
    descend(&p, size);
    if (labelled) {
        add_label(g, &p, name, dense);
        g->label[g->labels - 1].wide = p.wide > 1;
    }
    if (level == 0 && p.wide > 1)
        p.sparse = true;
    put_inside(g, p, items, count, complete, later);
    put(g, " }");
}

/* ---- layouts ---- */

/* Of one of four axes or more: few enough for all of them. */
static int
many_axes_extent(Gen *g, int axes)
{
    static const int four[] = { 4, 3, 2, 5, 4, 2, 6, 1 }, more[] = { 2, 3, 1, 2, 2, 4, 1, 2 };
    return axes == 4 ? four[pick(g, 8)] : axes < 7 ? more[pick(g, 8)] : 1 + chance(g, 70);
}

static void
choose_axes(Gen *g, Path *p)
{
    static const int extents[2][3][8] = {
        {{7, 12, 16, 24, 30, 36, 64, 1}, {4, 6, 8, 9, 12, 5, 10, 16}, {2, 3, 4, 6, 1, 4, 5, 8}},
        {{1000, 512, 1024, 2048, 720, 600, 1536, 900},
         {32, 64, 48, 40, 60, 36, 24, 56},
         {8, 16, 12, 10, 9, 6, 16, 8}}};
    p->axes = chance(g, 20) ? 3 : chance(g, 60) ? 2 : 1;
    if (chance(g, 7))
        p->axes = 4 + pick(g, p->list ? 4 : 5); /* a list has one more */
    bool taken[8] = {0}, large = chance(g, 5);
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
        p->full[a] =
            p->axes > 3 ? many_axes_extent(g, p->axes) : extents[large][p->axes - 1][pick(g, 8)];
        p->done[a] = 1;
    }
}

/* Constants that are added to all indices of the fields of a layout: their values are a matter of
 * shape. */
static void
put_shifts(Gen *g, Path *p, int first)
{
    char name[LAYOUT_AXES][NAME_MAX_];
    for (int a = 0; a < p->axes; a++) {
        new_name(g, name[a], "O");
        g->shaping = true;
        p->offset[a] = chance(g, 30) ? 0 : pick(g, 200) - 120;
        g->shaping = false;
        put(g, "const %s = %d;\n", name[a], p->offset[a]);
    }
    for (int i = first; i < g->fields; i++)
        for (int a = 0; a < p->axes; a++)
            memcpy(g->field[i].shift[a], name[a], sizeof name[a]);
    p->moved = true;
}

/* "@manual @packed layout L1 {" */
static void
open_layout(Gen *g, bool manual)
{
    static const char *const tunes[] = {"@tune ", "@tune(order, soa) ", "@tune(packed, block(4)) "};
    g->manual[g->layouts] = manual;
    g->shaping = true;
    bool packed = chance(g, 30);
    const char *tune = chance(g, 8) ? tunes[pick(g, 3)] : "";
    g->shaping = false;
    snprintf(g->layout_name[g->layouts], NAME_MAX_, "L%d", g->layouts);
    put(g, "%s%s%slayout %s {", tune, manual ? "@manual " : "", packed ? "@packed " : "",
        g->layout_name[g->layouts]);
}

/* Fields without axes that stand beside the outermost nodes of a layout. */
typedef struct {
    Item items[ITEMS_MAX];
    int count;
    bool last;          /* they come after the nodes */
} Top;

/* Declares a few of them, or none. */
static void
put_top_fields(Gen *g, Top *top)
{
    Item whole[2];
    int count = chance(g, 20) && g->fields < FIELDS_MAX - 8 ? 1 + pick(g, 2) : 0;
    for (int i = 0; i < count; i++) {
        whole[i] = (Item){.field = add_field(g, any_type(g), "x")};
        put_declaration(g, &g->field[whole[i].field], false);
        put(g, ";\n");
        set_shape(g, &(Path){.wide = 1}, &g->field[whole[i].field]);
    }
    g->shaping = true;
    top->count = mix_items(g, whole, count, top->items);
    top->last = chance(g, 50);
    g->shaping = false;
}

static void
put_top_places(Gen *g, const Top *top, bool last)
{
    g->shaping = true;
    if (top->count && top->last == last)
        put_places(g, top->items, top->count);
    g->shaping = false;
}

/* A layout all of whose cells are active: its nodes can be of any kind. */
static void
put_active_layout(Gen *g, Path p, const Item *items, int count, int first, const Top *top)
{
    Later later = {0};
    p.active = true;
    if (chance(g, 25))
        put_shifts(g, &p, first);
    open_layout(g, false);
    p.alone = true;
    Path outside = p;
    put_top_places(g, top, false);
    put_free_trees(g, p, items, count, &later);
    put_top_places(g, top, true);
    put(g, " }\n%s", later.text);
    for (int i = first; i < g->fields; i++)
        if (outside.moved)
            memset(g->field[i].lo, 0, sizeof g->field[i].lo);
}

static void
put_layout(Gen *g)
{
    Path p = { .wide = 1, .ordered = chance(g, 40) };
    Item items[ITEMS_MAX];
    Later later = {0};
    Top top;
    put_top_fields(g, &top);
    int count = 0, first = g->fields;
    bool active = chance(g, 35);
    p.moved = !active && chance(g, 25);
    p.list = !active && !p.moved && chance(g, 25);
    if (!active && !p.list && chance(g, 12))
        p.wide = 1 << (4 + pick(g, 10));
    choose_axes(g, &p);
    if (p.axes > 2 && p.wide > 64)
        p.wide = p.axes > 4 ? 16 : 64;
    for (int n = 1 + pick(g, 3); n > 0; n--) {
        items[count++] = (Item){.field = add_field(g, any_type(g), "x")};
        Field *f = &g->field[g->fields - 1];
        put_declaration(g, f, !p.list && p.wide == 1);
        p.modes |= f->boundary;
        put(g, ";\n");
    }
    if (active) {
        p.ordered = false;
        put_active_layout(g, p, items, count, first, &top);
        g->layouts++;
        return;
    }
    int part = count > 1 && !p.list && chance(g, 30) ? 1 + pick(g, count - 1) : count;
    p.alone = part == count;
    if (p.moved && !p.alone)
        choose_offset(g, &p, p.done);
    open_layout(g, chance(g, 10));
    put_top_places(g, &top, false);
    if (p.list && chance(g, 15)) {
        p.axes = 0;
        put_list(g, &p, items, count);
    } else {
        put_node(g, p, items, part, &later);
        if (part < count)
            put_node(g, p, items + part, count - part, &later);
    }
    put_top_places(g, &top, true);
    put(g, " }\n%s", later.text);
    g->layouts++;
}

/* "field f32x3 x[4, 5];", with a layout of its own; or the same with a layout of any kind. */
static void
put_short(Gen *g, bool frozen)
{
    Field *f = &g->field[add_field(g, any_type(g), frozen ? "k" : "x")];
    Path p = { .wide = 1, .letter = { 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p' }, .alone = true };
    f->frozen = frozen;
    p.axes = f->axes = chance(g, 10) ? 0 : chance(g, 5) ? 4 + pick(g, 5) : 1 + pick(g, 3);
    for (int a = 0; a < f->axes; a++) {
        f->size[a] = p.full[a] = f->axes == 1   ? 1 + pick(g, 60)
                                 : f->axes == 2 ? 1 + pick(g, 14)
                                 : f->axes == 3 ? 1 + pick(g, 6)
                                                : many_axes_extent(g, f->axes);
        p.done[a] = 1;
    }
    f->active = true;
    f->plain = f->axes == 1 && !f->type.rows && !f->type.record && chance(g, 40);
    g->shaping = true;
    bool free = f->axes && chance(g, 40) && !f->plain, packed = chance(g, 20),
         soa = chance(g, 20) && f->type.rows && f->axes;
    g->shaping = false;
    put(g, "%s%s", packed && f->axes && !free ? "@packed " : "", soa && !free ? "@soa " : "");
    put_declaration(g, f, f->axes > 0);
    int layout = f->layout;
    if (free) {
        Later later = {0};
        Item item = { .field = g->fields - 1 };
        p.active = true;
        p.modes = f->boundary;
        put(g, ";\n%slayout {", packed ? "@packed " : "");
        put_free_trees(g, p, &item, 1, &later);
        put(g, " }\n%s", later.text);
        f->layout = layout;
        return;
    }
    put(g, "[");
    for (int a = 0; a < f->axes; a++)
        put(g, "%s%d", a ? ", " : "", f->size[a]);
    put(g, "];\n");
}

/* Numbered fields and layouts, each level half as large as the one before. */
static void
put_family(Gen *g)
{
    static const char *const kinds[] = { "bitmasked", "pointer", "hash" };
    if (g->families == FAMILIES_MAX)
        return;
    int levels = 2 + pick(g, 2), axes = 1 + pick(g, 2), inner = 1 << pick(g, 3),
        size = inner << levels;
    char field[NAME_MAX_], label[NAME_MAX_], layout[NAME_MAX_] = "";
    bool sparse = chance(g, 60);
    Type t = any_type(g);
    new_name(g, field, "r");
    new_name(g, label, "b");
    if (chance(g, 50))
        new_name(g, layout, "level");
    Family *family = &g->family[g->families++];
    *family = (Family){.levels = levels, .axes = axes, .size = size};
    snprintf(family->name, sizeof family->name, "%s", field);
    put(g, "field ");
    put_type(g, t);
    g->shaping = true;
    put(g, " %s#%d;\nstatic for l in 0..%d { layout %s%s{ %s#l: %s", field, levels, levels, layout,
        layout[0] ? "#l " : "", label, sparse ? kinds[pick(g, 3)] : "dense");
    if (axes == 1)
        put(g, " i[%d >> l] { dense i[%d] {", size / inner, inner);
    else
        put(g, " %s[%d >> l, %d >> l] { dense ij[%d, %d] {", chance(g, 50) ? "ji" : "ij",
            size / inner, size / inner, inner, inner);
    put(g, " place %s#l; } } } }\n", field);
    g->shaping = false;
    for (int l = 0; l < levels; l++) {
        Field *f = &g->field[add_field(g, t, "r")];
        snprintf(f->name, sizeof f->name, "%.12s#%c", field, '0' + l);
        snprintf(f->ident, sizeof f->ident, "%.12s_%c", field, '0' + l);
        f->axes = axes;
        f->sparse = sparse;
        f->layout = g->layouts;
        Label *b = &g->label[g->labels++];
        *b = (Label){.layout = g->layouts++, .dense = !sparse, .axes = axes};
        snprintf(b->name, sizeof b->name, "%.12s#%c", label, '0' + l);
        if (layout[0])
            snprintf(g->layout_name[b->layout], NAME_MAX_, "%.12s#%c", layout, '0' + l);
        for (int a = 0; a < axes; a++) {
            f->size[a] = size >> l;
            b->size[a] = size / inner >> l;
        }
    }
}

void
put_layouts(Gen *g)
{
    for (int n = 1 + pick(g, 2); n > 0; n--)
        put_short(g, true);
    for (int n = pick(g, 3); n > 0; n--)
        put_short(g, false);
    for (int n = 1 + pick(g, 3); n > 0; n--) {
        if (chance(g, 15) && g->layouts < LAYOUTS_MAX - 6) {
            put_family(g);
            continue;
        }
        uint64_t state = g->state, shape = g->shape;
        put_layout(g);
        if (!chance(g, 20) || g->fields > FIELDS_MAX / 2 || g->labels > LABELS_MAX / 2)
            continue;
        g->state = state;
        g->shape = shape;
        put_layout(g);
        g->twin[g->layouts - 2] = g->layouts - 1;
        chance(g, 20);
    }
}
