/* After each kind of run-time error an instance still works, fails in the same way again, and gives
 * back all of its memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"

enum { WORK = 133 }; /* what `work` gives */

static int failures;
static size_t live; /* bytes that the instance has */

static void *
take(void *ctx, size_t bytes, size_t align)
{
    size_t room = (bytes + align - 1) / align * align;
    void *p = aligned_alloc(align, room);
    (void)ctx;
    if (p)
        __atomic_add_fetch(&live, bytes, __ATOMIC_RELAXED);
    return p;
}

static void
give(void *ctx, void *p, size_t bytes)
{
    (void)ctx;
    __atomic_sub_fetch(&live, bytes, __ATOMIC_RELAXED);
    free(p);
}

typedef snl_status Function(errors *program);

typedef struct {
    const char *name;
    Function *fail;
    snl_status status;
    const char *text; /* part of the message */
    uint64_t limit;   /* of memory */
} Error;

#define ROW(name, status, text) { #name, errors_##name, status, text, 0 }
static const Error all[] = {
    ROW(fail_assert, SNL_EASSERT, "i is 5"),
    ROW(fail_assert_sparse, SNL_EASSERT, "far away"),
    ROW(fail_assert_host, SNL_EASSERT, ""),
    ROW(fail_full, SNL_EFULL, "list"),
    ROW(fail_full_host, SNL_EFULL, "list"),
    ROW(fail_deep, SNL_ENOMEM, "too deep"),
    ROW(fail_deep_host, SNL_ENOMEM, "too deep"),
    ROW(fail_no_tree, SNL_ENOTREE, "spare"),
    ROW(fail_no_tree_host, SNL_ENOTREE, "spare"),
    ROW(fail_destroy, SNL_ENOTREE, "spare"),
    ROW(fail_swap, SNL_ENOTREE, "spare"),
    ROW(fail_twice, SNL_EINVAL, "spare"),
    ROW(fail_size, SNL_EINVAL, "must be positive"),
    ROW(fail_huge, SNL_ENOMEM, "huge"),
    ROW(fail_load, SNL_EIO, "missing.npy"),
    ROW(fail_save, SNL_EIO, "no_folder"),
    ROW(fail_kind, SNL_EIO, "unknown"),
    ROW(fail_tree, SNL_EIO, "missing.snlt"),
    {"fail_memory", errors_fail_memory, SNL_ENOMEM, "memory", 6000000},
    {"fail_load_memory", errors_fail_load_memory, SNL_ENOMEM, "out of memory", 6000000},
#ifdef CHECKED
    ROW(fail_index, SNL_ERANGE, "index"),
    ROW(fail_index_host, SNL_ERANGE, "index"),
    ROW(fail_local, SNL_ERANGE, "index"),
    ROW(fail_division, SNL_ERANGE, "division by zero"),
    ROW(fail_shift, SNL_ERANGE, "33"),
    ROW(fail_cast, SNL_ERANGE, "i32"),
    ROW(fail_race, SNL_EINVAL, "data race"),
    ROW(fail_uninitialised, SNL_EINVAL, "uninitialised"),
    ROW(fail_overflow, SNL_ERANGE, "overflow"),
#endif
};

static void
expect(bool holds, const Error *e, const char *what, const char *message)
{
    if (holds)
        return;
    failures++;
    fprintf(stderr, "%s: %s; the message is '%s'\n", e->name, what, message);
}

static errors *
fresh(const Error *e, int threads)
{
    snl_options options = {
        .threads = threads, .memory_limit = e->limit, .allocator = {take, give, NULL}};
    errors *f = NULL;
    if (errors_create_with(NULL, &options, &f) != SNL_OK) {
        fprintf(stderr, "%s: no instance\n", e->name);
        exit(1);
    }
    return f;
}

static void
try_error(const Error *e, int threads)
{
    int64_t sum = 0;
    errors *f = fresh(e, threads);
    for (int round = 0; round < 3; round++) {
        snl_status status = e->fail(f);
        expect(status == e->status, e, "another status", errors_message(f));
        expect(strstr(errors_message(f), e->text) &&
                   (e->limit || strstr(errors_message(f), "errors.snl:")),
               e, "another message", errors_message(f));
        expect(errors_work(f, &sum) == SNL_OK && sum == WORK, e, "does not work after it",
               errors_message(f));
        expect(errors_message(f)[0] == '\0', e, "the message stays", errors_message(f));
    }
    errors_destroy(f);
    expect(live == 0, e, "keeps memory", "");
    f = fresh(e, threads);
    e->fail(f);
    errors_destroy(f);
    expect(live == 0, e, "keeps memory when it is freed at once", "");
}

int
main(void)
{
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (int threads = 1; threads <= 2; threads++)
            try_error(&all[i], threads);
    printf("%d failures\n", failures);
    return failures > 0;
}
