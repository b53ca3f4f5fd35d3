/* program.h - what generated code asks of the whole program: its trees by number, files.
 *
 * `trees` is the table of the program's trees, NULL for a layout that does not exist now.  What
 * fails is recorded in the instance without a place, which the caller adds with snl_error_at.
 */
#ifndef SNL_PROGRAM_PROGRAM_H
#define SNL_PROGRAM_PROGRAM_H

#include "../field/field.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An integer that a float was cast to. gcc makes one of a cast to an integer and back to a float,
 * which gives -0 for what lies between -1 and 0, unless it cannot know the integer's bits. */
#if defined __GNUC__ && !defined __clang__ && !defined __CUDACC__ && !defined __TINYC__
extern const int32_t snl_no_bits; /* 0 */
#define snl_whole(...) ((__VA_ARGS__) | snl_no_bits)
#else
#define snl_whole(...) (__VA_ARGS__)
#endif

/* What a program is made of, by number. */
typedef struct SnlProgramDesc {
    int layout_count;
    const SnlTreeDesc *const *layouts;
    int field_count;
    const SnlFieldDesc *const *fields;
} SnlProgramDesc;

/* Records that a layout does not exist; name may be NULL. */
snl_status snl_fail_no_tree(SnlInstance *rt, const char *name);

/* A string in the block of params of a program. */
typedef struct {
    const char *name;
    size_t offset;              /* of its const char * */
} SnlTextParam;

/* Copies the strings in params into memory of the instance and lets params point there; none may
 * be NULL.  Returns that memory, or NULL after an error. */
void *snl_texts_copy(SnlInstance *rt, void *params, int count, const SnlTextParam *list);

/* Releases the copies; NULL is ignored. */
void snl_texts_free(SnlInstance *rt, void *texts);

/* Records an error, and gives true, where the size of a node is not positive, or too large for the
 * type of its indices. */
bool snl_fail_word(SnlInstance *rt, const char *name, int32_t value, int32_t count);
bool snl_fail_size(SnlInstance *rt, const char *file, int line, const char *what, int64_t size,
                   int64_t most);

/* Makes a tree of the program; sizes as in snl_tree_create.  An error where it exists already. */
snl_status snl_program_create(SnlInstance *rt, SnlTree **trees, int number,
                              const SnlTreeDesc *desc, const int64_t *sizes);

/* Destroys a tree of the program; an error where it does not exist. */
snl_status snl_program_destroy(SnlInstance *rt, SnlTree **trees, int number, const char *name);

/* Saves a whole layout, loads it; it exists. */
snl_status snl_program_save(SnlInstance *rt, SnlTree **trees, int number, const char *path);
snl_status snl_program_load(SnlInstance *rt, SnlTree **trees, int number, const char *path);

/* Bytes of a tree; 0 where it does not exist. */
int64_t snl_program_memory(SnlTree *const *trees, int number);

/* Declares the text of format(); it is released where its scope is left. */
#define SNL_TEXT(name, format, ...) \
    SnlText name __attribute__((cleanup(snl_text_free))) = snl_text_of(format, __VA_ARGS__)
SnlText snl_text_of(const char *format, int count, const SnlArg *args);

#ifdef __cplusplus
}
#endif

#endif
