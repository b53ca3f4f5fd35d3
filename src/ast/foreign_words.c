/* Words of other languages. */
#include "config.h"

#include "ast/foreign_words.h"

#include <stddef.h>
#include <string.h>

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
