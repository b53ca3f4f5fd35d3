/* Words of other languages. */
#include "config.h"

#include "ast/elsewhere.h"

#include <stddef.h>
#include <string.h>

typedef struct {
    const char *word, *here;
} Row;

static const Row types[] = {
#define TYPE(word, here) {word, here},
#define WORD(word, here)
#include "ast/elsewhere.def"
#undef TYPE
#undef WORD
};

static const Row words[] = {
#define TYPE(word, here)
#define WORD(word, here) {word, here},
#include "ast/elsewhere.def"
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
type_elsewhere(const char *word)
{
    return find(types, sizeof types / sizeof *types, word);
}

const char *
word_elsewhere(const char *word)
{
    return find(words, sizeof words / sizeof *words, word);
}
