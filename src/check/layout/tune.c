/* @tune and @tuned: layouts that snlc tune may change, and what it has put in their place. */
#include "config.h"

#include <string.h>

#include "check/check.h"

/* Blocks that are tried where the program names none. */
static const int64_t default_blocks[] = {4, 8, 16};
enum { BLOCK_MAX = 1 << 20 };

/* ---- @tuned ---- */

static bool
is_replacement(const Checker *k, const Item *item)
{
    if (!find_attribute(&item->attrs, "tuned"))
        return false;
    return !k->tuned || source_find(&k->c->sources, item->span.from) == k->tuned;
}

/* Layouts by name, of which there may be many: those that may be replaced, and those that do. */
typedef struct {
    Map tune, replacements;
} Tuned;

static const char *
name_key(const Item *item)
{
    static const char unnamed[] = "";
    return item->name.text ? item->name.text : unnamed;
}

static Tuned
find_tuned(Checker *k)
{
    Tuned t;
    map_init(&t.tune, k->c->arena);
    map_init(&t.replacements, k->c->arena);
    for (int i = 0; i < k->layout_items.count; i++) {
        Item *item = k->layout_items.items[i];
        if (find_attribute(&item->attrs, "tune"))
            map_put(&t.tune, name_key(item), item);
        if (item->name.text && is_replacement(k, item))
            map_put(&t.replacements, name_key(item), item);
    }
    return t;
}

/* The values of @tuned are what must hold of the sizes it was made for. */
static void
check_replacement(Checker *k, const Tuned *t, Scope *s, const Item *item)
{
    const Attribute *a = find_attribute(&item->attrs, "tuned");
    if (!map_get(&t->tune, name_key(item)))
        diag(k->c, E0109, a->span, "there is no '@tune layout %s' that this one could replace",
             item->name.text ? item->name.text : "");
    for (int i = 0; i < a->args.count; i++) {
        bool holds;
        if (check_const_bool(k, s, a->args.items[i], &holds) && !holds)
            diag_fix(diag(k->c, E0602, a->args.items[i]->span,
                          "this layout was made for other sizes"),
                     "run snlc tune again");
    }
}

void
check_tuned(Checker *k)
{
    int kept = 0;
    const Tuned tuned = find_tuned(k);
    bool *stays = ARENA_ARRAY(k->c->arena, bool, k->layout_items.count + 1);
    for (int i = 0; i < k->layout_items.count; i++) {
        Item *item = k->layout_items.items[i];
        if (find_attribute(&item->attrs, "tuned"))
            stays[i] = is_replacement(k, item);
        else
            stays[i] = !find_attribute(&item->attrs, "tune") ||
                       !map_get(&tuned.replacements, name_key(item));
        if (stays[i] && find_attribute(&item->attrs, "tuned"))
            check_replacement(k, &tuned, k->layout_scopes.items[i], item);
    }
    for (int i = 0; i < k->layout_items.count; i++)
        if (stays[i]) {
            k->layout_items.items[kept] = k->layout_items.items[i];
            k->layout_scopes.items[kept++] = k->layout_scopes.items[i];
        }
    k->layout_items.count = k->layout_scopes.count = kept;
}

/* ---- @tune ---- */

/* Adds a size of blocks, each once. */
static void
add_block(Checker *k, Tune *t, int64_t size)
{
    for (int i = 0; i < t->blocks.count; i++)
        if (t->blocks.items[i] == size)
            return;
    vec_push(k->c->arena, &t->blocks, size);
}

static void
take_blocks(Checker *k, Scope *s, const Expr *e, Tune *t)
{
    for (int i = 0; i < e->args.count; i++) {
        const Expr *size = e->args.items[i];
        int64_t n;
        if (!check_const_int(k, s, size, &n))
            continue;
        if (n < 2 || n > BLOCK_MAX)
            diag(k->c, E0402, size->span, "a block has 2 to %d cells a side", BLOCK_MAX);
        else
            add_block(k, t, n);
    }
    for (size_t i = 0; !e->args.count && i < sizeof default_blocks / sizeof *default_blocks; i++)
        add_block(k, t, default_blocks[i]);
}

static void
take_word(Checker *k, Scope *s, const Expr *e, Tune *t)
{
    const Expr *name = e->kind == EXPR_CALL ? e->a : e;
    const char *word = name->kind == EXPR_NAME ? name->name.text : "";
    if (!strcmp(word, "block"))
        take_blocks(k, s, e, t);
    else if (e == name && !strcmp(word, "order"))
        t->order = true;
    else if (e == name && !strcmp(word, "soa"))
        t->soa = true;
    else if (e == name && !strcmp(word, "packed"))
        t->packed = true;
    else if (e->kind != EXPR_ERROR)
        diag(k->c, E0109, e->span, "@tune knows order, soa, packed and block(4, 8), not this");
}

const Tune *
check_tune(Checker *k, Scope *s, const Item *item)
{
    const Attribute *a = find_attribute(&item->attrs, "tune");
    if (!a)
        return NULL;
    Tune *t = ARENA_NEW(k->c->arena, Tune);
    t->item = item;
    if (!item->name.text || item->name.number)
        diag(k->c, E0109, a->span,
             "a @tune layout needs a name of its own, by which it is replaced");
    for (int i = 0; i < a->args.count; i++)
        take_word(k, s, a->args.items[i], t);
    if (!a->args.count) {
        t->order = t->soa = t->packed = true;
        for (size_t i = 0; i < sizeof default_blocks / sizeof *default_blocks; i++)
            add_block(k, t, default_blocks[i]);
    }
    return t;
}
