/* mutate.c - loads damaged files of every format: nothing may crash, and what is refused may not have changed a field.
 *
 *     mutate SEED COUNT [FORMAT]     COUNT mutants of each file, all made from SEED
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab.h"

typedef struct {
    const char *file, *mutant;
    snl_status (*save)(lab *), (*load)(lab *);
} Format;

static const Format formats[] = {
    {"dense.npy", "mutant.npy", lab_save_all, lab_load_npy},
    {"dense.npz", "mutant.npz", lab_save_all, lab_load_npz},
    {"dense.vti", "mutant.vti", lab_save_all, lab_load_vti},
    {"sparse.vtu", "mutant.vtu", lab_save_all, lab_load_vtu},
    {"many.snlt", "mutant.snlt", lab_save_all, lab_load_many},
    {"tree.snlt", "mutant.snlt", lab_save_all, lab_load_tree},
    {"grey.png", "mutant.png", lab_save_png, lab_load_png},
    {"dense.h5", "mutant.h5", lab_save_h5, lab_load_dense_h5},
    {"sparse.h5", "mutant.h5", lab_save_h5, lab_load_sparse_h5},
    {"sparse.nvdb", "mutant.nvdb", lab_save_nvdb, lab_load_nvdb},
};

static unsigned state;

static unsigned
random_number(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return n ? (unsigned)((unsigned long long)(state >> 4) * n >> 28) : 0;
}

static unsigned char *
read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    unsigned char *data = malloc(*n + 64);
    *n = fread(data, 1, *n, f);
    fclose(f);
    return data;
}

static void
write_file(const char *path, const unsigned char *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    fwrite(data, 1, n, f);
    fclose(f);
}

/* Changes a few places; headers, which are at either end, more often than the rest. */
static size_t
mutate(unsigned char *data, size_t n)
{
    static const unsigned char extremes[][8] = {
        {0}, {255, 255, 255, 255, 255, 255, 255, 255}, {255, 255, 255, 255, 255, 255, 255, 127}, {1}, {0, 0, 0, 128}, {255, 255, 255, 127}};
    for (unsigned changes = 1 + random_number(3); changes > 0 && n > 8; changes--) {
        size_t room = n - 8, near = room < 2048 ? room : 2048, at;
        switch (random_number(4)) {
        case 0: at = n - 8 - random_number((unsigned)near); break;
        case 1: at = random_number((unsigned)room); break;
        default: at = random_number((unsigned)near); break;
        }
        switch (random_number(7)) {
        case 0: data[at] ^= (unsigned char)(1u << random_number(8)); break;
        case 1: data[at] = (unsigned char)random_number(256); break;
        case 2: memcpy(data + at, extremes[random_number(6)], 8); break;
        case 3: memcpy(data + at, extremes[random_number(6)], 4); break;
        case 4: memmove(data + at, data + random_number((unsigned)room), 8); break;
        case 5: data[at]++; break;
        default:
            if (random_number(4) == 0)
                n = at;
            else
                data[at] = (unsigned char)"0123456789\"'<>=/ ,()"[random_number(20)];
        }
    }
    return n;
}

/* What of the program a load may change. */
typedef struct {
    float dense[30], sparse[16 * 16 * 8];
    uint8_t grey[63];
    float vector[16 * 16 * 8 * 3];
    double point[500];
    int64_t activity;
} Content;

static void
content_of(lab *w, Content *c)
{
    lab_get_dense(w, c->dense, 30);
    lab_get_grey(w, c->grey, 63);
    lab_get_sparse(w, c->sparse, 16 * 16 * 8);
    lab_get_vector(w, (void *)c->vector, 16 * 16 * 8);
    lab_get_point(w, c->point, 500);
    lab_activity(w, &c->activity);
}

/* Loads one mutant; returns whether all is well. */
static int
check(lab *w, const Format *f, Content *before, Content *after, long *refused)
{
    lab_start(w, 9);
    content_of(w, before);
    if (f->load(w) == SNL_OK)
        return 1;
    ++*refused;
    char text[1024];
    snprintf(text, sizeof text, "%s", snl_message(w));
    if (!strstr(text, f->mutant)) {
        printf("the message does not name the file: %s\n", text);
        return 0;
    }
    content_of(w, after);
    if (memcmp(before, after, sizeof *before) == 0)
        return 1;
    printf("a refused file changed a field: %s\n", text);
    return 0;
}

static int
run(const Format *f, unsigned seed, long count)
{
    lab *w;
    Content *before = calloc(1, sizeof *before), *after = calloc(1, sizeof *after);
    long refused = 0, k = 0;
    int good = 1;
    size_t n;
    if (lab_create(NULL, &w) != SNL_OK || lab_start(w, 4) != SNL_OK)
        return 0;
    if (f->save(w) != SNL_OK) {
        printf("%s: left out: %s\n", f->file, snl_message(w));
        lab_destroy(w);
        return 1;
    }
    unsigned char *whole = read_file(f->file, &n), *mutant = malloc(n + 64);
    state = seed;
    for (; k < count && good; k++) {
        memcpy(mutant, whole, n);
        write_file(f->mutant, mutant, mutate(mutant, n));
        good = check(w, f, before, after, &refused);
    }
    write_file(f->mutant, whole, n);
    lab_start(w, 9);
    if (good && f->load(w) != SNL_OK) {
        printf("the whole file is refused: %s\n", snl_message(w));
        good = 0;
    }
    printf("%s: %ld mutants, %ld refused\n", f->file, k, refused);
    lab_destroy(w);
    free(whole);
    free(mutant);
    free(before);
    free(after);
    return good;
}

int
main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 100;
    int good = 1;
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++)
        if (argc < 4 || strcmp(argv[3], formats[k].file) == 0)
            good &= run(&formats[k], seed, count);
    return good ? 0 : 1;
}
