/* What generated code asks of the whole program; see program.h. */
#include "program.h"

extern const int32_t snl_no_bits;
const int32_t snl_no_bits = 0;

/* The copies of the strings, one after another. */
typedef struct {
    size_t bytes;               /* of all this */
    char text[];
} Texts;

void *
snl_texts_copy(SnlInstance *rt, void *params, int count, const SnlTextParam *list)
{
    size_t bytes = sizeof(Texts);
    Texts *texts;
    char *at;
    for (int i = 0; i < count; i++) {
        const char *s;
        memcpy(&s, (char *)params + list[i].offset, sizeof s);
        if (!s) {
            snl_fail(rt, SNL_EINVAL, NULL, 0, "param '%s' is NULL", list[i].name);
            return NULL;
        }
        bytes += strlen(s) + 1;
    }
    texts = snl_memory_get(rt, bytes);
    if (!texts) {
        snl_fail_memory(rt, "a string of the params", bytes);
        return NULL;
    }
    texts->bytes = bytes;
    at = texts->text;
    for (int i = 0; i < count; i++) {
        const char *s;
        size_t n;
        memcpy(&s, (char *)params + list[i].offset, sizeof s);
        n = strlen(s) + 1;
        memcpy(at, s, n);
        memcpy((char *)params + list[i].offset, &at, sizeof at);
        at += n;
    }
    return texts;
}

void
snl_texts_free(SnlInstance *rt, void *texts)
{
    if (texts)
        snl_memory_put(rt, texts, ((Texts *)texts)->bytes);
}

snl_status
snl_fail_no_tree(SnlInstance *rt, const char *name)
{
    if (name)
        return snl_fail(rt, SNL_ENOTREE, NULL, 0,
                        "layout '%s' does not exist; it must be made by create first", name);
    return snl_fail(rt, SNL_ENOTREE, NULL, 0,
                    "the layout does not exist; it must be made by create first");
}

bool
snl_fail_word(SnlInstance *rt, const char *name, int32_t value, int32_t count)
{
    if (value >= 0 && value < count)
        return false;
    snl_fail(rt, SNL_EINVAL, NULL, 0, "param '%s' is %d; its words have the numbers 0 to %d", name,
             (int)value, (int)count - 1);
    return true;
}

bool
snl_fail_size(SnlInstance *rt, const char *file, int line, const char *what, int64_t size,
              int64_t most)
{
    if (size < 1)
        snl_fail(rt, SNL_EINVAL, file, line,
                 "the size '%s' of a node must be positive, not %lld", what, (long long)size);
    else if (size > most)
        snl_fail(rt, SNL_EINVAL, file, line,
                 "the size '%s' is %lld, at most %lld where indices are i32; a param of type i64 "
                 "makes them i64",
                 what, (long long)size, (long long)most);
    return size < 1 || size > most;
}

snl_status
snl_program_create(SnlInstance *rt, SnlTree **trees, int number, const SnlTreeDesc *desc,
                   const int64_t *sizes)
{
    if (trees[number])
        return snl_fail(rt, SNL_EINVAL, NULL, 0, "layout '%s' exists already",
                        desc->name ? desc->name : "");
    return snl_tree_create(rt, desc, sizes, &trees[number]);
}

snl_status
snl_program_destroy(SnlInstance *rt, SnlTree **trees, int number, const char *name)
{
    if (!trees[number])
        return snl_fail_no_tree(rt, name);
    snl_tree_destroy(trees[number]);
    trees[number] = NULL;
    return SNL_OK;
}

snl_status
snl_program_save(SnlInstance *rt, SnlTree **trees, int number, const char *path)
{
    SnlIoError error;
    if (!snl_tree_save(trees[number], path, &error))
        return snl_io_failed(rt, &error);
    return SNL_OK;
}

snl_status
snl_program_load(SnlInstance *rt, SnlTree **trees, int number, const char *path)
{
    SnlIoError error;
    if (!snl_tree_load(trees[number], path, &error))
        return snl_io_failed(rt, &error);
    return SNL_OK;
}

int64_t
snl_program_memory(SnlTree *const *trees, int number)
{
    return trees[number] ? snl_tree_memory(trees[number]) : 0;
}

SnlText
snl_text_of(const char *format, int count, const SnlArg *args)
{
    SnlText text = SNL_TEXT_EMPTY;
    snl_format_text(&text, format, count, args);
    snl_text_end_in_zero(&text);
    return text;
}
