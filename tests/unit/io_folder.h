/* io_folder.h - whole files for tests of formats, each test in a folder of its own. */
#ifndef IO_FOLDER_H
#define IO_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "suite.h"

/* Writes bytes into a file of the test's folder. */
static inline void
put_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, n, f), n);
    fclose(f);
}

/* Reads a whole file; the caller frees it. */
static inline unsigned char *
get_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    unsigned char *data = malloc(1 << 20);
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(data);
    *n = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

/* Every test works in a folder of its own. */
static inline void
enter_folder(void)
{
    char name[] = "/tmp/check_io_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(name));
    ck_assert_int_eq(chdir(name), 0);
}

static inline void
leave_folder(void)
{
    char name[256];
    ck_assert_ptr_nonnull(getcwd(name, sizeof name));
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", name);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(system(command), 0);
}

/* Writes a number of so many bytes, the lowest first; gives what comes behind it. */
static inline unsigned char *
put_number(unsigned char *p, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++)
        *p++ = (unsigned char)(value >> (8 * k));
    return p;
}

#endif
