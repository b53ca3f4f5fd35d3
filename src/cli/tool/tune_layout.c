/* Variants of layouts as text. What changes is a *unit*: dense nodes without labels, one in the
 * other, the innermost of which holds only places. Everything else is written as it stands. */
#include "config.h"

#include "cli/tool/tune.h"

#include <string.h>

enum { LEVELS_MAX = 8 };

typedef struct {
    const char *letters;         /* in storage order */
    const char *text[AXIS_MAX];  /* sizes by letter */
    int64_t size[AXIS_MAX];      /* 0: known at run time */
} Level;

typedef struct {
    const char *offset;          /* attributes of the outermost node, as written */
    Level levels[LEVELS_MAX];
    int level_count;
    Strings places;
} Unit;

typedef struct {
    const TunePlan *plan;
    Arena *a;
    const char *order;           /* letters in the order wanted, or NULL */
    int64_t block;               /* -1: as written, 0: none */
    TuneSplit split;
    Strings *conditions;         /* what must hold of the sizes */
} Writer;

/* ---- reading what is written ---- */

static const char *
span_text(const Compile *c, Arena *a, Span at)
{
    const Source *s = source_find(&c->sources, at.from);
    return s ? arena_strndup(a, s->text + (at.from - s->base), at.to - at.from) : "";
}

static bool
is_dense_plain(const LayoutNode *n, bool inner)
{
    return !n->is_place && n->kind == NODE_DENSE && !n->label.text && (!inner || !n->attrs.count) &&
           n->sizes.count == (int)strlen(n->axes);
}

/* Are there only nodes of this sort below, one in the other, with places in the innermost one? */
static bool
is_unit(const LayoutNode *n)
{
    for (int depth = 0; depth < LEVELS_MAX && is_dense_plain(n, depth > 0); depth++) {
        bool places = n->children.count > 0;
        for (int i = 0; i < n->children.count; i++)
            places = places && n->children.items[i]->is_place;
        if (places)
            return true;
        if (n->children.count != 1)
            return false;
        n = n->children.items[0];
    }
    return false;
}

/* The sizes of a node in the order of its letters. */
static void
read_level(const Writer *w, const LayoutNode *n, const Node *node, Level *out)
{
    *out = (Level){.letters = n->axes};
    for (int i = 0; i < n->sizes.count; i++) {
        out->text[n->axes[i] - 'i'] = span_text(w->plan->c, w->a, n->sizes.items[i]->span);
        out->size[n->axes[i] - 'i'] = node->sizes[i];
    }
}

/* The components of a place, one text each, where it can be taken apart. */
static void
read_components(const Writer *w, const char *text, const Type *type, Strings *out)
{
    if (w->split == SPLIT_COMPONENTS && type->kind == TYPE_VECTOR && type->rows <= 4)
        for (int i = 0; i < type->rows; i++)
            vec_push(w->a, out, (const char *)arena_printf(w->a, "%s.%c", text, "xyzw"[i]));
    else if (w->split == SPLIT_COMPONENTS && type->kind == TYPE_STRUCT)
        for (int i = 0; i < type->member_count; i++)
            vec_push(w->a, out,
                     (const char *)arena_printf(w->a, "%s.%s", text, type->members[i].name));
    else
        vec_push(w->a, out, text);
}

static void
read_unit(const Writer *w, const LayoutNode *n, const Node *node, Unit *out)
{
    *out = (Unit){.offset = ""};
    if (n->attrs.count)
        out->offset = span_text(w->plan->c, w->a,
                                (Span){n->attrs.items[0].span.from, vec_last(&n->attrs).span.to});
    for (;;) {
        read_level(w, n, node, &out->levels[out->level_count++]);
        if (!node->children.count)
            break;
        n = n->children.items[0];
        node = node->children.items[0];
    }
    for (int i = 0, k = 0; i < n->children.count; i++)
        for (int j = 0; j < n->children.items[i]->places.count; j++, k++)
            read_components(
                w, span_text(w->plan->c, w->a, n->children.items[i]->places.items[j]->span),
                node->places.items[k].type, &out->places);
}

/* ---- changing it ---- */

static bool
is_number(const char *text)
{
    return !text[strspn(text, "0123456789")];
}

static const char *
number_text(Arena *a, int64_t n)
{
    return arena_printf(a, "%lld", (long long)n);
}

static const char *
factor_text(Arena *a, const char *text)
{
    return text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")]
               ? arena_printf(a, "(%s)", text)
               : text;
}

/* All cells along each axis as one level, with the letters of the innermost. */
static Level
whole_level(const Writer *w, const Unit *u)
{
    Level all = u->levels[u->level_count - 1];
    for (int k = u->level_count - 2; k >= 0; k--)
        for (int x = 0; x < AXIS_MAX; x++) {
            const Level *l = &u->levels[k];
            if (!l->text[x])
                continue;
            if (!all.text[x]) {
                all.letters = arena_printf(w->a, "%c%s", 'i' + x, all.letters);
                all.text[x] = l->text[x];
                all.size[x] = l->size[x];
                continue;
            }
            bool numbers = is_number(l->text[x]) && is_number(all.text[x]);
            all.size[x] *= l->size[x];
            all.text[x] = numbers ? number_text(w->a, all.size[x])
                                  : arena_printf(w->a, "%s * %s", factor_text(w->a, l->text[x]),
                                                 factor_text(w->a, all.text[x]));
        }
    return all;
}

/* Can the cells along each axis be grouped by `block`, with at least two groups? */
static bool
takes_blocks(const Level *all, int64_t block)
{
    for (int x = 0; x < AXIS_MAX; x++)
        if (all->text[x] && (all->size[x] < 2 * block || all->size[x] % block))
            return false;
    return true;
}

static void
add_condition(const Writer *w, const char *text)
{
    for (int i = 0; i < w->conditions->count; i++)
        if (!strcmp(w->conditions->items[i], text))
            return;
    vec_push(w->a, w->conditions, text);
}

/* Groups by `block` along each axis; *inner is within a group. */
static void
divide(const Writer *w, const Level *all, Level *outer, Level *inner)
{
    *outer = *inner = *all;
    for (int x = 0; x < AXIS_MAX; x++) {
        if (!all->text[x])
            continue;
        const char *text = factor_text(w->a, all->text[x]);
        outer->size[x] = all->size[x] / w->block;
        outer->text[x] = is_number(text)
                             ? number_text(w->a, outer->size[x])
                             : arena_printf(w->a, "%s / %lld", text, (long long)w->block);
        inner->size[x] = w->block;
        inner->text[x] = number_text(w->a, w->block);
        if (!is_number(text))
            add_condition(w, arena_printf(w->a, "%s %% %lld == 0", text, (long long)w->block));
    }
}

/* Puts the letters that the order names in that order; others stay where they are. */
static void
reorder(const Writer *w, Level *l)
{
    const char *next = w->order;
    char *letters = arena_strndup(w->a, l->letters, strlen(l->letters));
    for (char *p = letters; next && *p; p++) {
        if (!strchr(w->order, *p))
            continue;
        while (!strchr(l->letters, *next))
            next++;
        *p = *next++;
    }
    l->letters = letters;
}

static void
change_unit(const Writer *w, Unit *u)
{
    Level all = whole_level(w, u);
    if (w->block == 0) {
        u->levels[0] = all;
        u->level_count = 1;
    } else if (w->block > 0 && takes_blocks(&all, w->block)) {
        divide(w, &all, &u->levels[0], &u->levels[1]);
        u->level_count = 2;
    }
    for (int i = 0; i < u->level_count; i++)
        reorder(w, &u->levels[i]);
}

static bool
same_level(const Level *x, const Level *y)
{
    for (int i = 0; i < AXIS_MAX; i++)
        if (!x->text[i] != !y->text[i] || (x->text[i] && strcmp(x->text[i], y->text[i])))
            return false;
    return true;
}

/* Can the places of two units share cells? */
static bool
same_cells(const Unit *x, const Unit *y)
{
    if (x->level_count != y->level_count || strcmp(x->offset, y->offset))
        return false;
    for (int i = 0; i < x->level_count; i++)
        if (!same_level(&x->levels[i], &y->levels[i]))
            return false;
    return true;
}

/* ---- writing ---- */

static void
write_head(const Level *l, const char *before, Text *out)
{
    text_add(out, "%s%sdense %s[", before, *before ? " " : "", l->letters);
    for (const char *p = l->letters; *p; p++)
        text_add(out, "%s%s", p == l->letters ? "" : ", ", l->text[*p - 'i']);
    text_open(out, "] {");
}

static void
write_places(const Strings *places, int from, int to, Text *out)
{
    text_add(out, "place ");
    for (int i = from; i < to; i++)
        text_add(out, "%s%s", i > from ? ", " : "", places->items[i]);
    text_line(out, ";");
}

/* The levels of a unit from one on, around the places from..to. */
static void
write_levels(const Unit *u, int level, int from, int to, Text *out)
{
    for (int k = level; k < u->level_count; k++)
        write_head(&u->levels[k], k ? "" : u->offset, out);
    write_places(&u->places, from, to, out);
    for (int k = level; k < u->level_count; k++)
        text_close(out, "}");
}

static void
write_unit(const Writer *w, const Unit *u, Text *out)
{
    bool inside = w->split == SPLIT_AOSOA && u->level_count > 1;
    if (w->split == SPLIT_WRITTEN || w->split == SPLIT_AOS) {
        write_levels(u, 0, 0, u->places.count, out);
        return;
    }
    for (int k = 0; inside && k + 1 < u->level_count; k++)
        write_head(&u->levels[k], k ? "" : u->offset, out);
    for (int i = 0; i < u->places.count; i++)
        write_levels(u, inside ? u->level_count - 1 : 0, i, i + 1, out);
    for (int k = 0; inside && k + 1 < u->level_count; k++)
        text_close(out, "}");
}

/* Is it a sparse node whose cells are blocks: units of one level with the same axes as the node? */
static bool
holds_blocks(const Writer *w, const LayoutNode *n, const Node *node, Level *own, Level *cells)
{
    bool fits = !n->is_place && n->kind != NODE_DENSE && n->kind != NODE_DYNAMIC &&
                n->sizes.count == (int)strlen(n->axes) && n->children.count > 0;
    if (!fits || w->block <= 0)
        return false;
    read_level(w, n, node, own);
    for (int i = 0; i < n->children.count; i++) {
        Unit u;
        if (n->children.items[i]->is_place || !is_unit(n->children.items[i]))
            return false;
        read_unit(w, n->children.items[i], node->children.items[i], &u);
        Level all = whole_level(w, &u);
        if (i && !same_level(cells, &all))
            return false;
        *cells = all;
    }
    for (int x = 0; x < AXIS_MAX; x++)
        if (!own->text[x] != !cells->text[x] ||
            (own->text[x] && (!own->size[x] || !cells->size[x])))
            return false;
    return true;
}

/* A sparse node whose cells get another size: its own sizes change so that the extents stay. */
static bool
write_blocks(const Writer *w, const LayoutNode *n, const Node *node, Text *out)
{
    Level own, cells, outer, inner;
    if (!holds_blocks(w, n, node, &own, &cells))
        return false;
    Unit both = {.levels = {own, cells}, .level_count = 2};
    Level all = whole_level(w, &both);
    if (!takes_blocks(&all, w->block))
        return false;
    divide(w, &all, &outer, &inner);
    outer.letters = n->axes;
    if (n->attrs.count)
        text_add(out, "%s ",
                 span_text(w->plan->c, w->a,
                           (Span){n->attrs.items[0].span.from, vec_last(&n->attrs).span.to}));
    if (n->label.text)
        text_add(out, "%s: ", span_text(w->plan->c, w->a, n->label.span));
    text_add(out, "%s %s[", node_kind_name(n->kind), outer.letters);
    for (const char *p = outer.letters; *p; p++)
        text_add(out, "%s%s", p == outer.letters ? "" : ", ", outer.text[*p - 'i']);
    text_open(out, "] {");
    for (int i = 0; i < n->children.count; i++) {
        Unit u;
        read_unit(w, n->children.items[i], node->children.items[i], &u);
        inner.letters = u.levels[u.level_count - 1].letters;
        u.levels[0] = inner;
        u.level_count = 1;
        reorder(w, &u.levels[0]);
        write_unit(w, &u, out);
    }
    text_close(out, "}");
    return true;
}

static void write_nodes(const Writer *w, const LayoutNodes *list, Node *const *nodes, Text *out);

static void
write_node(const Writer *w, const LayoutNode *n, const Node *node, Text *out)
{
    if (n->is_place) {
        text_line(out, "%s", span_text(w->plan->c, w->a, n->span));
        return;
    }
    if (write_blocks(w, n, node, out))
        return;
    text_open(out, "%s {", span_text(w->plan->c, w->a, n->span));
    write_nodes(w, &n->children, node->children.items, out);
    text_close(out, "}");
}

/* Nodes beside each other; with SPLIT_AOS units of the same cells become one. */
static void
write_nodes(const Writer *w, const LayoutNodes *list, Node *const *nodes, Text *out)
{
    Unit *units = ARENA_ARRAY(w->a, Unit, list->count + 1);
    bool *written = ARENA_ARRAY(w->a, bool, list->count + 1);
    for (int i = 0, k = 0; i < list->count; i++)
        if (!list->items[i]->is_place && is_unit(list->items[i])) {
            read_unit(w, list->items[i], nodes[k++], &units[i]);
            change_unit(w, &units[i]);
        } else
            k += !list->items[i]->is_place;
    for (int i = 0, k = 0; i < list->count; i++) {
        const Node *node = list->items[i]->is_place ? NULL : nodes[k++];
        if (!units[i].level_count)
            write_node(w, list->items[i], node, out);
        for (int j = i + 1;
             w->split == SPLIT_AOS && units[i].level_count && !written[i] && j < list->count; j++)
            if (units[j].level_count && !written[j] && same_cells(&units[i], &units[j])) {
                for (int p = 0; p < units[j].places.count; p++)
                    vec_push(w->a, &units[i].places, units[j].places.items[p]);
                written[j] = true;
            }
        if (units[i].level_count && !written[i])
            write_unit(w, &units[i], out);
    }
}

/* ---- dimensions ---- */

/* Facts of a layout that decide what can differ. */
typedef struct {
    int units, places, levels, parts; /* of the largest unit; components in all */
    bool apart, odd, sparse;          /* units that could be one; sizes that are no powers of two;
                                       * blocks under sparse nodes */
    bool axes[AXIS_MAX];              /* of units with several */
} Facts;

static void
look_at(const Writer *w, const LayoutNodes *list, Node *const *nodes, Facts *f)
{
    Unit first = {0};
    for (int i = 0, k = 0; i < list->count; i++) {
        const LayoutNode *n = list->items[i];
        if (n->is_place)
            continue;
        const Node *node = nodes[k++];
        for (int s = 0; s < node->axis_count; s++)
            f->odd |= node->sizes[s] && (node->sizes[s] & (node->sizes[s] - 1));
        if (!is_unit(n)) {
            Level own, cells;
            f->sparse |= holds_blocks(w, n, node, &own, &cells);
            look_at(w, &n->children, node->children.items, f);
            continue;
        }
        Unit u;
        read_unit(w, n, node, &u);
        f->units++;
        f->levels = u.level_count > f->levels ? u.level_count : f->levels;
        f->places = u.places.count > f->places ? u.places.count : f->places;
        f->apart |= first.level_count && same_cells(&first, &u);
        first = first.level_count ? first : u;
        Level all = whole_level(w, &u);
        for (int x = 0; x < AXIS_MAX && all.letters[1]; x++)
            f->axes[x] |= all.text[x] != NULL;
        for (int x = 0; x < AXIS_MAX; x++)
            f->odd |= all.size[x] && (all.size[x] & (all.size[x] - 1));
    }
}

static void
add_option(Arena *a, TuneDim *d, const char *name, int64_t value)
{
    vec_push(a, &d->names, name);
    vec_push(a, &d->values, value);
}

static TuneDim
new_dim(Arena *a, const Layout *l, TuneKind kind, int64_t written)
{
    TuneDim d = {.layout = l, .kind = kind};
    add_option(a, &d, "as written", written);
    return d;
}

static void
keep_dim(TunePlan *p, const TuneDim *d)
{
    if (d->names.count > 1)
        vec_push(p->cli->arena, &p->dims, *d);
}

/* The letters in their n-th order; false behind the last one. */
static bool
permutation(const char *letters, int64_t n, char *out)
{
    char rest[AXIS_MAX + 1];
    int count = (int)strlen(letters);
    int64_t orders = 1;
    for (int i = 2; i <= count; i++)
        orders *= i;
    if (n >= orders)
        return false;
    strcpy(rest, letters);
    for (int i = 0; i < count; i++) {
        orders /= count - i;
        char *taken = rest + n / orders;
        n %= orders;
        out[i] = *taken;
        memmove(taken, taken + 1, strlen(taken));
    }
    out[count] = '\0';
    return true;
}

static const char *
axis_letters(Arena *a, const Facts *f)
{
    char letters[AXIS_MAX + 1];
    int n = 0;
    for (int x = 0; x < AXIS_MAX; x++)
        if (f->axes[x])
            letters[n++] = (char)('i' + x);
    return arena_strndup(a, letters, (size_t)n);
}

/* Letters of the axes that can change places, over all of a layout. */
static Facts
facts_of(const TunePlan *p, const Layout *l, TuneSplit split)
{
    Facts f = {0};
    Strings conditions = {0};
    Writer w = {
        .plan = p, .a = p->cli->arena, .block = 1, .split = split, .conditions = &conditions};
    look_at(&w, &l->tune->item->nodes, l->tops.items, &f);
    return f;
}

/* All orders of up to three axes, else the reverse of the natural one. */
static void
plan_order(TunePlan *p, const Layout *l, const Facts *f)
{
    Arena *a = p->cli->arena;
    TuneDim d = new_dim(a, l, TUNE_ORDER, -1);
    const char *letters = axis_letters(a, f);
    char order[AXIS_MAX + 1];
    int64_t last = 1;
    for (int i = 2; i <= (int)strlen(letters); i++)
        last *= i;
    for (int64_t n = 0; letters[0] && n < last; n++)
        if ((strlen(letters) <= 3 || n == 0 || n == last - 1) && permutation(letters, n, order))
            add_option(a, &d, arena_printf(a, "order %s", order), n);
    keep_dim(p, &d);
}

static void
plan_layout(TunePlan *p, const Layout *l, const char *title)
{
    int first = p->dims.count;
    Arena *a = p->cli->arena;
    const Tune *t = l->tune;
    Facts f = facts_of(p, l, SPLIT_WRITTEN), parts = facts_of(p, l, SPLIT_COMPONENTS);
    bool blocks = t->blocks.count > 0 && (f.units > 0 || f.sparse);
    TuneDim split = new_dim(a, l, TUNE_SPLIT, SPLIT_WRITTEN), block = new_dim(a, l, TUNE_BLOCK, -1),
            packed = new_dim(a, l, TUNE_PACKED, 0);
    if (t->soa && f.apart)
        add_option(a, &split, "aos", SPLIT_AOS);
    if (t->soa && f.places > 1)
        add_option(a, &split, "soa", SPLIT_SOA);
    if (t->soa && f.places > 1 && (f.levels > 1 || (blocks && f.units > 0)))
        add_option(a, &split, "soa in blocks", SPLIT_AOSOA);
    if (t->soa && parts.places > f.places)
        add_option(a, &split, "components apart", SPLIT_COMPONENTS);
    keep_dim(p, &split);
    if (t->order)
        plan_order(p, l, &f);
    if (blocks && f.levels > 1)
        add_option(a, &block, "no blocks", 0);
    for (int i = 0; blocks && i < t->blocks.count; i++)
        add_option(a, &block, arena_printf(a, "block %lld", (long long)t->blocks.items[i]),
                   t->blocks.items[i]);
    keep_dim(p, &block);
    if (t->packed && f.odd && !p->cli->options.packed)
        add_option(a, &packed, l->packed ? "padded" : "packed", 1);
    keep_dim(p, &packed);
    for (int i = first; i < p->dims.count; i++)
        p->dims.items[i].title = title;
}

/* ---- variants ---- */

static void
layout_text(const TunePlan *p, const int *choice, Layout *l, Text *out)
{
    Arena *a = p->cli->arena;
    Strings conditions = {0};
    Writer w = {.plan = p, .a = a, .block = -1, .conditions = &conditions};
    bool packed = l->packed && !p->cli->options.packed;
    char order[AXIS_MAX + 1];
    for (int i = 0; i < p->dims.count; i++) {
        const TuneDim *d = &p->dims.items[i];
        if (d->layout != layout_first_twin(l) || !choice[i])
            continue;
        Facts f = facts_of(p, l, SPLIT_WRITTEN);
        switch (d->kind) {
        case TUNE_SPLIT: w.split = (TuneSplit)d->values.items[choice[i]]; break;
        case TUNE_ORDER:
            w.order =
                permutation(axis_letters(a, &f), d->values.items[choice[i]], order) ? order : NULL;
            break;
        case TUNE_BLOCK: w.block = d->values.items[choice[i]]; break;
        case TUNE_PACKED: packed = !packed; break;
        case TUNE_KINDS: break;
        }
    }
    Text body;
    text_init(&body, a);
    body.indent = 1;
    write_nodes(&w, &l->tune->item->nodes, l->tops.items, &body);
    text_add(out, "@tuned");
    for (int i = 0; i < conditions.count; i++)
        text_add(out, "%s%s", i ? ", " : "(", conditions.items[i]);
    text_add(out, "%s%s%s layout %s {\n", conditions.count ? ")" : "", packed ? " @packed" : "",
             l->manual ? " @manual" : "", l->name);
    text_raw(out, body.data ? body.data : "", body.count);
    text_raw(out, "}\n", 2);
}

void
tune_text(const TunePlan *p, const int *choice, const Layout *alike, Text *out)
{
    for (int i = 0; i < p->layouts.count; i++) {
        if (alike && layout_first_twin(p->layouts.items[i]) != alike)
            continue;
        if (out->count)
            text_raw(out, "\n", 1);
        layout_text(p, choice, p->layouts.items[i], out);
    }
}

const char *
tune_name(const TunePlan *p, const int *choice)
{
    Text t;
    const Layout *last = NULL;
    text_init(&t, p->cli->arena);
    for (int i = 0; i < p->dims.count; i++) {
        const TuneDim *d = &p->dims.items[i];
        if (!choice[i])
            continue;
        if (d->layout != last)
            text_add(&t, "%s%s: ", last ? "; " : "", d->title);
        text_add(&t, "%s%s", d->layout == last ? ", " : "", d->names.items[choice[i]]);
        last = d->layout;
    }
    return t.count ? t.data : "as written";
}

/* ---- the plan ---- */

/* Takes out options that change nothing, but for those that another dimension may give a
 * meaning. */
static void
drop_idle(TunePlan *p, TuneDim *d, int number)
{
    Arena *a = p->cli->arena;
    int *choice = ARENA_ARRAY(a, int, p->dims.count), kept = 1;
    Text written, other;
    text_init(&written, a);
    text_init(&other, a);
    tune_text(p, choice, d->layout, &written);
    for (int i = 1; i < d->names.count; i++) {
        choice[number] = i;
        text_cut(&other, 0);
        tune_text(p, choice, d->layout, &other);
        if ((d->kind != TUNE_SPLIT || d->values.items[i] != SPLIT_AOSOA) &&
            !strcmp(written.data, other.data))
            continue;
        d->names.items[kept] = d->names.items[i];
        d->values.items[kept++] = d->values.items[i];
    }
    d->names.count = d->values.count = kept;
}

/* The names of a layout and of those that are swapped with it. Where one of these is not marked,
 * *unmarked is set. */
static const char *
title_of(const TunePlan *p, const Prog *prog, Layout *first, const Layout **unmarked)
{
    const char *title = NULL;
    for (int i = 0; i < prog->layouts.count; i++) {
        Layout *l = prog->layouts.items[i];
        if (layout_first_twin(l) != first)
            continue;
        if (!l->tune)
            *unmarked = l;
        title = title ? arena_printf(p->cli->arena, "%s, %s", title, l->name) : l->name;
    }
    return title;
}

void
tune_plan(Cli *cli, const Drive *d, TunePlan *out)
{
    *out = (TunePlan){.cli = cli, .c = &d->c};
    for (int i = 0; i < d->prog->layouts.count; i++) {
        Layout *l = d->prog->layouts.items[i];
        if (!l->tune)
            continue;
        const Layout *unmarked = NULL;
        const char *title = title_of(out, d->prog, layout_first_twin(l), &unmarked);
        vec_push(cli->arena, &out->layouts, l);
        if (unmarked) {
            const char *remark = arena_printf(
                cli->arena,
                "layout %s stays as written: it is swapped with %s, which is not marked @tune",
                l->name, unmarked->name);
            vec_push(cli->arena, &out->remarks, remark);
        } else if (layout_first_twin(l) == l)
            plan_layout(out, l, title);
    }
    int kept = 0;
    for (int i = 0; i < out->dims.count; i++)
        drop_idle(out, &out->dims.items[i], i);
    for (int i = 0; i < out->dims.count; i++)
        if (out->dims.items[i].names.count > 1)
            out->dims.items[kept++] = out->dims.items[i];
    out->dims.count = kept;
}
