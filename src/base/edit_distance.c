/* Edit distance of words. */
#include "config.h"

#include "base/edit_distance.h"

#include <limits.h>
#include <string.h>

enum { LETTERS_MAX = 32 };

/* Insertions, deletions, replacements and exchanges of neighbours, cut off at 3 (Damerau,
 * Levenshtein). */
static int
distance(const char *a, const char *b)
{
    /* the first i letters of a, j of b */
    int n = (int)strlen(a), m = (int)strlen(b), of[LETTERS_MAX + 1][LETTERS_MAX + 1];
    if (n > LETTERS_MAX || m > LETTERS_MAX || n - m > 2 || m - n > 2)
        return 3;
    for (int j = 0; j <= m; j++)
        of[0][j] = j;
    for (int i = 1; i <= n; i++) {
        of[i][0] = i;
        for (int j = 1; j <= m; j++) {
            int best = of[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (of[i - 1][j] + 1 < best)
                best = of[i - 1][j] + 1;
            if (of[i][j - 1] + 1 < best)
                best = of[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                of[i - 2][j - 2] + 1 < best)
                best = of[i - 2][j - 2] + 1;
            of[i][j] = best;
        }
    }
    return of[n][m];
}

Nearest
nearest_to(const char *wanted)
{
    size_t n = strlen(wanted);
    return (Nearest){.wanted = wanted, .distance = n < 2 ? 1 : n < 5 ? 2 : 3};
}

void
nearest_try(Nearest *n, const char *known)
{
    int d = distance(n->wanted, known);
    if (d < n->distance) {
        n->distance = d;
        n->found = known;
        n->other = NULL;
    } else if (d == n->distance && n->found && strcmp(known, n->found))
        n->other = known;
}

void
nearest_suggest(const Nearest *n, Diag *d, Span at)
{
    if (n->other)
        diag_fix(d, "%s or %s", n->found, n->other);
    else if (n->found)
        diag_edit(d, at, "%s", n->found);
}

/* Has each letter of one its place in the other: vle, vel? */
static bool
has_same_letters(const char *a, const char *b)
{
    int counts[UCHAR_MAX + 1] = {0};
    for (; *a && *b; a++, b++) {
        counts[(unsigned char)*a]++;
        counts[(unsigned char)*b]--;
    }
    for (int i = 0; i <= UCHAR_MAX; i++)
        if (counts[i])
            return false;
    return *a == *b;
}

void
nearest_suggest_name(const Nearest *n, Diag *d, Span at)
{
    int length = (int)strlen(n->wanted);
    bool is_guess = n->distance * 3 >= length && n->found &&
                    (length < 3 || !has_same_letters(n->wanted, n->found));
    if (is_guess && !n->other)
        diag_guess(d, at, "%s", n->found);
    else
        nearest_suggest(n, d, at);
}
