/* Words of other languages. */
#include "config.h"

#include "ast/foreign_words.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

typedef struct {
    const char *word, *here;
} Row;

static const Row types[] = {
#define TYPE(word, here) {word, here},
#define WORD(word, here)
#include "ast/foreign_words.def"
#undef TYPE
#undef WORD
};

static const Row words[] = {
#define TYPE(word, here)
#define WORD(word, here) {word, here},
#include "ast/foreign_words.def"
#undef TYPE
#undef WORD
};

static const char *
find(const Row *rows, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].word, word))
            return rows[i].here;
    return NULL;
}

const char *
foreign_type(const char *word)
{
    return find(types, sizeof types / sizeof *types, word);
}

const char *
foreign_word(const char *word)
{
    return find(words, sizeof words / sizeof *words, word);
}

/* Length of the value that a brace of such a text holds, up to its format: names, members, calls
 * and sums; 0 for none. */
static size_t
value_in_braces(const char *at)
{
    int depth = 0;
    size_t n = 0;
    for (; at[n] && (depth || (at[n] != ':' && at[n] != '}')); n++) {
        if (strchr("{\\\"'!", at[n]))
            return 0;
        depth += (at[n] == '(' || at[n] == '[') - (at[n] == ')' || at[n] == ']');
    }
    return at[n] && strspn(at, "0123456789 ") < n ? n : 0;
}

const char *
format_elsewhere(Arena *a, const char *text)
{
    Text format, values;
    int found = 0;
    text_init(&format, a);
    text_init(&values, a);
    for (const char *s = text; *s; s++) {
        text_raw(&format, s, 1);
        if (*s != '{')
            continue;
        const size_t n = s[1] == '{' ? 0 : value_in_braces(s + 1);
        if (s[1] == '{')
            text_raw(&format, ++s, 1);
        else if (!n)
            return NULL;
        if (n) {
            text_add(&values, ", %.*s", (int)n, s + 1);
            s += n;
            found++;
        }
    }
    if (!found)
        return NULL;
    const char *end = text_end(&values);
    return arena_printf(a, "%s%s", text_end(&format), end);
}
