/* Differences of two texts by lines, in the unified format. */
#include "config.h"

#include "fmt/format.h"

#include <string.h>

enum { CONTEXT = 3, EDITS_MAX = 2000 };

typedef struct {
    const char *text;
    size_t bytes; /* with its newline, which the last may lack */
} Row;
typedef VEC(Row) Rows;

/* One line of the result: ' ' in both, '-' only in the first, '+' only in the second. */
typedef struct {
    char sign;
    Row row;
} Edit;

typedef struct {
    Arena *arena;
    Rows a, b;
    VEC(Edit) edits;
} Differ;

static Rows
split_rows(Arena *arena, const char *text)
{
    Rows rows = {0};
    while (*text) {
        size_t n = strcspn(text, "\n");
        n += text[n] == '\n';
        vec_push(arena, &rows, (Row){text, n});
        text += n;
    }
    return rows;
}

static bool
same_row(Row x, Row y)
{
    return x.bytes == y.bytes && !memcmp(x.text, y.text, x.bytes);
}

static void
push(Differ *d, char sign, Row row)
{
    vec_push(d->arena, &d->edits, (Edit){sign, row});
}

/* Everything of the first text goes, everything of the second comes. */
static void
replace_all(Differ *d, int a, int a_end, int b, int b_end)
{
    while (a < a_end)
        push(d, '-', d->a.items[a++]);
    while (b < b_end)
        push(d, '+', d->b.items[b++]);
}

/* Follows the furthest points, as they were before each edit, back from the end of both texts; the
 * steps come in reverse. */
static void
walk_back(Differ *d, int *const *seen, int edits, int n, int m, int a, int b)
{
    VEC(Edit) steps = {0};
    int x = n, y = m;
    for (int e = edits; e >= 0; e--) {
        const int *v = seen[e] + e + 1;
        int k = x - y, before = e == 0                                       ? k
                                : k == -e || (k != e && v[k - 1] < v[k + 1]) ? k + 1
                                                                             : k - 1;
        int from_x = e == 0 ? 0 : v[before], from_y = e == 0 ? 0 : from_x - before;
        while (x > from_x && y > from_y) {
            x--, y--;
            vec_push(d->arena, &steps, (Edit){' ', d->a.items[a + x]});
        }
        if (e == 0)
            break;
        if (x > from_x)
            vec_push(d->arena, &steps, (Edit){'-', d->a.items[a + from_x]});
        else
            vec_push(d->arena, &steps, (Edit){'+', d->b.items[b + from_y]});
        x = from_x;
        y = from_y;
    }
    for (int i = steps.count - 1; i >= 0; i--)
        push(d, steps.items[i].sign, steps.items[i].row);
}

/* The lines [a, a_end) against [b, b_end): the greedy algorithm of Myers (1986); too many
 * differences are not looked into. */
static void
compare(Differ *d, int a, int a_end, int b, int b_end)
{
    int n = a_end - a, m = b_end - b, most = n + m < EDITS_MAX ? n + m : EDITS_MAX,
        width = 2 * most + 3;
    int *v = ARENA_ARRAY(d->arena, int, width), *at = v + most + 1;
    VEC(int *) seen = {0};
    for (int e = 0; e <= most; e++) {
        int *copy = ARENA_ARRAY(d->arena, int, 2 * e + 3);
        memcpy(copy, at - e - 1, sizeof(int) * (size_t)(2 * e + 3));
        vec_push(d->arena, &seen, copy);
        for (int k = -e; k <= e; k += 2) {
            int x = k == -e || (k != e && at[k - 1] < at[k + 1]) ? at[k + 1] : at[k - 1] + 1,
                y = x - k;
            while (x < n && y < m && same_row(d->a.items[a + x], d->b.items[b + y]))
                x++, y++;
            at[k] = x;
            if (x < n || y < m)
                continue;
            walk_back(d, seen.items, e, n, m, a, b);
            return;
        }
    }
    replace_all(d, a, a_end, b, b_end);
}

/* One hunk: the edits [from, to), which start after `a` and `b` lines of the texts. */
static void
print_hunk(const Differ *d, int from, int to, int a, int b, Text *out)
{
    int a_count = 0, b_count = 0;
    for (int i = from; i < to; i++) {
        a_count += d->edits.items[i].sign != '+';
        b_count += d->edits.items[i].sign != '-';
    }
    text_add(out, "@@ -%d,%d +%d,%d @@", a + (a_count > 0), a_count, b + (b_count > 0), b_count);
    text_newline(out);
    for (int i = from; i < to; i++) {
        const Edit *e = &d->edits.items[i];
        text_raw(out, &e->sign, 1);
        text_raw(out, e->row.text, e->row.bytes);
        if (e->row.text[e->row.bytes - 1] != '\n')
            text_add(out, "\n\\ No newline at end of file\n");
    }
}

static void
print_hunks(const Differ *d, Text *out)
{
    int a = 0, b = 0, from = 0, last = -1; /* last: the last change of the hunk being found */
    for (int i = 0; i <= d->edits.count; i++) {
        bool change = i < d->edits.count && d->edits.items[i].sign != ' ';
        if (last >= 0 && (i == d->edits.count || i - last > 2 * CONTEXT) && !change) {
            int to = last + 1 + CONTEXT < d->edits.count ? last + 1 + CONTEXT : d->edits.count;
            print_hunk(d, from, to, a, b, out);
            for (; from < to; from++) {
                a += d->edits.items[from].sign != '+';
                b += d->edits.items[from].sign != '-';
            }
            last = -1;
        }
        if (!change)
            continue;
        if (last < 0)
            for (; from < i - CONTEXT; from++) /* what is before a hunk is in both */
                a++, b++;
        last = i;
    }
}

void
format_diff(Arena *arena, const char *name, const char *from, const char *to, Text *out)
{
    Differ d = {.arena = arena, .a = split_rows(arena, from), .b = split_rows(arena, to)};
    if (!strcmp(from, to))
        return;
    int head = 0, n = d.a.count, m = d.b.count;
    while (head < n && head < m && same_row(d.a.items[head], d.b.items[head]))
        push(&d, ' ', d.a.items[head++]);
    int tail = 0;
    while (tail < n - head && tail < m - head &&
           same_row(d.a.items[n - 1 - tail], d.b.items[m - 1 - tail]))
        tail++;
    compare(&d, head, n - tail, head, m - tail);
    for (int i = n - tail; i < n; i++)
        push(&d, ' ', d.a.items[i]);
    text_add(out, "--- %s", name);
    text_newline(out);
    text_add(out, "+++ %s", name);
    text_newline(out);
    print_hunks(&d, out);
}
