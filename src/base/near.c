/* Edit distance of words. */
#include "config.h"

#include "base/near.h"

#include <string.h>

/* Insertions, deletions and replacements, cut off at 3 (Levenshtein). */
static int
distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b), row[33];
    if (n > 32 || m > 32 || n - m > 2 || m - n > 2)
        return 3;
    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

Nearest
nearest_to(const char *wanted)
{
    size_t n = strlen(wanted);
    return (Nearest){.wanted = wanted, .distance = n < 2 ? 1 : n < 4 ? 2 : 3};
}

void
nearest_try(Nearest *n, const char *known)
{
    int d = distance(n->wanted, known);
    if (d < n->distance) {
        n->distance = d;
        n->found = known;
    }
}
