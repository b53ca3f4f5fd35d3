/* files.c - what libFuzzer and AFL++ hand to the readers of files: each input is a file with the
 * extension FUZZ_EXTENSION, which every field and layout of files.snl tries to load. A load that
 * fails must change nothing. Built by tests/fuzz/run; with SNL_FUZZ_SEEDS the program writes files
 * to begin with into that folder, and ends. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "fuzz.h"
#include "mend.h"

#ifdef FUZZ_CHILD
#include "child.h"
#define TRY_BEGIN() child_begin(try_first)
#define TRY(try_input) in_child(try_input)
#else
#define TRY_BEGIN() (void)0
#define TRY(try_input) try_input()
#endif

enum { CELLS_MAX = 512, MEMORY_MAX = 1 << 28 };

typedef snl_status Function(files *program);

static Function *const loads[] = {files_load_a,         files_load_p,    files_load_g,
                                  files_load_w,         files_load_flag, files_load_x,
                                  files_load_v,         files_load_h,    files_load_tree,
                                  files_load_scattered, files_load_queue,
                                  files_load_at,        files_load_mass};
static Function *const saves[] = {files_save_a,         files_save_p,     files_save_g,
                                  files_save_w,         files_save_flag,  files_save_x,
                                  files_save_v,         files_save_h,     files_save_tree,
                                  files_save_scattered, files_save_queue, files_save_many,
                                  files_save_at};
enum { LOADS = sizeof loads / sizeof loads[0], SAVES = sizeof saves / sizeof saves[0] };

/* All that a load may change. The first CELLS_MAX cells stand for all. */
typedef struct {
    float a[20];
    snl_u8x3 p[20];
    uint16_t g[20];
    snl_f64x4 w[5];
    bool flag[3];
    snl_f32x3 at[8];
    double mass[8];
    int64_t active, count_x, count_v, count_h, count_bodies;
    int64_t at_x[CELLS_MAX][3], at_v[CELLS_MAX][3], at_h[CELLS_MAX];
    float x[CELLS_MAX];
    snl_f32x3 v[CELLS_MAX];
    int32_t h[CELLS_MAX];
    files_Body bodies[64];
} State;

static char folder[300], file[sizeof folder + 20];
static State *before, *after;

static void
remove_folder(void)
{
    unlink(file);
    rmdir(folder);
}

static void
expect(bool holds)
{
    if (!holds)
        abort();
}

static void
take_state(files *f, State *s)
{
    memset(s, 0, sizeof *s);
    expect(!files_active(f, &s->active) && !files_get_a(f, s->a, 20) && !files_get_p(f, s->p, 20) &&
           !files_get_g(f, s->g, 20));
    expect(!files_get_w(f, s->w, 5) && !files_get_flag(f, s->flag, 3) &&
           !files_get_at(f, s->at, 8) && !files_get_mass(f, s->mass, 8));
    expect(!files_cells_x(f, s->at_x[0], s->x, CELLS_MAX, &s->count_x) &&
           !files_cells_v(f, s->at_v[0], s->v, CELLS_MAX, &s->count_v));
    expect(!files_cells_h(f, s->at_h, s->h, CELLS_MAX, &s->count_h) &&
           !files_cells_bodies(f, NULL, s->bodies, 64, &s->count_bodies));
}

static files *
start(const char *path)
{
    files *f = NULL;
    files_params params = { .path = path };
    snl_options options = { .threads = 1, .memory_limit = MEMORY_MAX };
    expect(files_create_with(&params, &options, &f) == SNL_OK && files_start(f) == SNL_OK);
    return f;
}

/* Files of that extension are larger than inputs may be: see mend_to_file. */
static bool
is_large(void)
{
    return strcmp(FUZZ_EXTENSION, "nvdb") == 0;
}

/* Makes a file shorter in the way of mend.h. */
static void
shorten(const char *path)
{
    unsigned char *data = malloc(MEND_BYTES_MAX), *again = malloc(MEND_BYTES_MAX),
                  *less = malloc(MEND_BYTES_MAX / 8 * 9);
    expect(data && again && less);
    FILE *f = fopen(path, "rb");
    const size_t bytes = f ? fread(data, 1, MEND_BYTES_MAX, f) : 0;
    if (f)
        fclose(f);
    const size_t count = mend_from_file(less, data, bytes);
    expect(mend_to_file(again, less, count) == bytes && memcmp(data, again, bytes) == 0);
    f = fopen(path, "wb");
    expect(f && fwrite(less, 1, count, f) == count && fclose(f) == 0);
    free(data);
    free(again);
    free(less);
}

/* Files of each kind of field that the format takes, as seeds. */
static void
write_seeds(const char *to)
{
    char path[400];
    for (int i = 0; i < SAVES; i++) {
        snprintf(path, sizeof path, "%s/%d." FUZZ_EXTENSION, to, i);
        files *f = start(path);
        const snl_status status = saves[i](f);
        files_destroy(f);
        if (status == SNL_OK && is_large())
            shorten(path);
    }
}

#ifdef FUZZ_CHILD
/* Saves and loads one field. */
static void
try_first(void)
{
    files *f = start(file);
    files_save_a(f);
    files_load_a(f);
    files_destroy(f);
}
#endif

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    const char *seeds = getenv("SNL_FUZZ_SEEDS");
    if (seeds) {
        write_seeds(seeds);
        exit(0);
    }
    snprintf(folder, sizeof folder, "%s/snl-fuzz-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    before = malloc(sizeof *before);
    after = malloc(sizeof *after);
    expect(before && after && mkdtemp(folder) && atexit(remove_folder) == 0);
    snprintf(file, sizeof file, "%s/fuzz." FUZZ_EXTENSION, folder);
    TRY_BEGIN();
    return 0;
}

/* Writes the file; one input of eight keeps its checksums. */
static bool
write_file(const unsigned char *data, size_t bytes)
{
    static unsigned char written[MEND_BYTES_MAX];
    const bool mended = bytes % 8 != 7;
    FILE *out = fopen(file, "wb");
    if (!out)
        return false;
    if (is_large())
        bytes = mend_to_file(written, data, bytes);
    else
        memcpy(written, data, bytes);
    if (mended)
        mend_checksums(FUZZ_EXTENSION, written, bytes);
    bool good = fwrite(written, 1, bytes, out) == bytes;
    return fclose(out) == 0 && good;
}

/* Loads the file into everything. */
static void
try_file(void)
{
    files *f = start(file);
    take_state(f, before);
    for (int i = 0; i < LOADS; i++) {
        snl_status status = loads[i](f);
        expect((status == SNL_OK) == (files_message(f)[0] == '\0'));
        take_state(f, after);
        expect(status == SNL_OK || memcmp(before, after, sizeof *before) == 0);
        State *old = before;
        before = after;
        after = old;
    }
    files_destroy(f);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    if (bytes == 0 || bytes > FUZZ_BYTES_MAX || !write_file(data, bytes))
        return 0;
    fuzz_limit(FUZZ_SECONDS_MAX);
    TRY(try_file);
    fuzz_limit(0);
    return 0;
}
