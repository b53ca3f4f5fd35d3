/* mutate.c - loads damaged files of every format: nothing may crash, and what is refused may not
 * have changed a field and is reported with the file and the place in it.
 *
 *     mutate SEED COUNT [FILE]       COUNT mutants of each file, all made from SEED; then COUNT of
 *                                    its beginnings, which must be refused, and COUNT copies with
 *                                    one bit that differs
 *
 * FILE "encoded" stands for those that encode.py made of the others. Beginnings and bits are spread
 * over the file; with as many as it has bytes, it is every beginning, with as many as bits, every
 * bit. Every other mutant and copy of a .snlt gets the checksum that is right, so that it is read
 * further.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_stream.h"
#include "lab.h"

typedef struct {
    const char *file, *mutant;
    snl_status (*save)(lab *), (*load)(lab *); /* no save: the file is there */
    int share; /* of COUNT; each load of HDF5 is a process */
} Format;

static const Format formats[] = {
    {"dense.npy", "mutant.npy", lab_save_all, lab_load_npy, 1},
    {"dense.npz", "mutant.npz", lab_save_all, lab_load_npz, 1},
    {"dense.vti", "mutant.vti", lab_save_all, lab_load_vti, 1},
    {"sparse.vtu", "mutant.vtu", lab_save_all, lab_load_vtu, 1},
    {"points.vtp", "mutant.vtp", lab_save_all, lab_load_vtp, 1},
    {"points.ply", "mutant.ply", lab_save_all, lab_load_ply, 1},
    {"points.csv", "mutant.csv", lab_save_all, lab_load_csv, 1},
    {"many.snlt", "mutant.snlt", lab_save_all, lab_load_many, 1},
    {"tree.snlt", "mutant.snlt", lab_save_all, lab_load_tree, 1},
    {"grey.png", "mutant.png", lab_save_png, lab_load_png, 1},
    {"dense.h5", "mutant.h5", lab_save_h5, lab_load_dense_h5, 4},
    {"sparse.h5", "mutant.h5", lab_save_h5, lab_load_sparse_h5, 4},
    {"sparse.nvdb", "mutant.nvdb", lab_save_nvdb, lab_load_nvdb, 1},
    {"packed.npz", "mutant.npz", NULL, lab_load_npz, 1},
    {"text.vti", "mutant.vti", NULL, lab_load_vti, 1},
    {"base64.vti", "mutant.vti", NULL, lab_load_vti, 1},
    {"packed64.vti", "mutant.vti", NULL, lab_load_vti, 1},
    {"appended64.vtu", "mutant.vtu", NULL, lab_load_vtu, 1},
    {"lz4.vti", "mutant.vti", NULL, lab_load_vti, 1},
    {"lzma.vtu", "mutant.vtu", NULL, lab_load_vtu, 1},
    {"packed.nvdb", "mutant.nvdb", NULL, lab_load_nvdb, 1},
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
    static const unsigned char extremes[][8] = {{0},
                                                {255, 255, 255, 255, 255, 255, 255, 255},
                                                {255, 255, 255, 255, 255, 255, 255, 127},
                                                {1},
                                                {0, 0, 0, 128},
                                                {255, 255, 255, 127}};
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

/* Writes a mutant; a .snlt with the checksum that is right, if that is wanted, in its last
 * bytes. */
static void
write_mutant(const Format *f, unsigned char *data, size_t n, int mended)
{
    if (mended && n >= 4 && strstr(f->mutant, ".snlt")) {
        const uint32_t crc = snl_io_crc(0, data, n - 4);
        for (int k = 0; k < 4; k++)
            data[n - 4 + (size_t)k] = (unsigned char)(crc >> 8 * k);
    }
    write_file(f->mutant, data, n);
}

/* What of the program a load may change. */
typedef struct {
    float dense[30], sparse[16 * 16 * 8];
    uint8_t grey[63];
    float vector[16 * 16 * 8 * 3];
    double point[500];
    float places[18];
    double masses[6];
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
    lab_get_places(w, (void *)c->places, 6);
    lab_get_masses(w, c->masses, 6);
    lab_activity(w, &c->activity);
}

/* Whether a message says where in the file: "offset N", or "bytes N to M". */
static int
has_place(const char *text)
{
    unsigned long long from, to;
    for (const char *at = text; (at = strpbrk(at, "ob")); at++)
        if (sscanf(at, "offset %llu", &from) == 1 ||
            sscanf(at, "bytes %llu to %llu", &from, &to) == 2)
            return 1;
    return 0;
}

/* Loads one mutant; returns whether all is well. The message goes to text, "" when the file was
 * loaded. */
static int
check(lab *w, const Format *f, Content *before, Content *after, char text[1024])
{
    lab_start(w, 9);
    content_of(w, before);
    text[0] = '\0';
    if (f->load(w) == SNL_OK)
        return 1;
    snprintf(text, 1024, "%s", snl_message(w));
    if (!strstr(text, f->mutant)) {
        printf("the message does not name the file: %s\n", text);
        return 0;
    }
    if (!has_place(text)) {
        printf("the message does not say where in the file: %s\n", text);
        return 0;
    }
    content_of(w, after);
    if (memcmp(before, after, sizeof *before) == 0)
        return 1;
    printf("a refused file changed a field: %s\n", text);
    return 0;
}

/* Beginnings of a file: none is taken for the whole, but for one that lacks the last newline
 * only; those of a .csv, which says nowhere how long it is, are only looked at for what they
 * change. */
static int
check_beginnings(lab *w, const Format *f, const unsigned char *whole, size_t n, long count,
                 Content *at)
{
    size_t step = n / (size_t)count + 1;
    char text[1024];
    if (n > 0 && whole[n - 1] == '\n')
        n--;
    for (size_t k = 0; k < n; k += k < 64 && count > 30 ? 1 : step) {
        write_file(f->mutant, whole, k);
        if (!check(w, f, &at[0], &at[1], text))
            return 0;
        if (!text[0] && !strstr(f->mutant, ".csv")) {
            printf("%s: the first %zu of %zu bytes are loaded\n", f->file, k, n);
            return 0;
        }
    }
    return 1;
}

/* Copies with one bit that differs: loaded or refused, but never half. */
static int
check_bits(lab *w, const Format *f, const unsigned char *whole, unsigned char *mutant, size_t n,
           long count, Content *at)
{
    size_t step = 8 * n / (size_t)count + 1, done = 0;
    char text[1024];
    for (size_t k = 0; k < 8 * n; k += step) {
        memcpy(mutant, whole, n);
        mutant[k / 8] ^= (unsigned char)(1u << k % 8);
        write_mutant(f, mutant, n, done++ % 2);
        if (!check(w, f, &at[0], &at[1], text)) {
            printf("bit %zu of byte %zu\n", k % 8, k / 8);
            return 0;
        }
    }
    return 1;
}

static int
run(const Format *f, unsigned seed, long count)
{
    lab *w;
    Content *content = calloc(2, sizeof *content), *before = &content[0], *after = &content[1];
    long refused = 0, k = 0;
    int good = 1;
    size_t n;
    char text[1024];
    if (lab_create(NULL, &w) != SNL_OK || lab_start(w, 4) != SNL_OK)
        return 0;
    if (f->save && f->save(w) != SNL_OK) {
        printf("%s: left out: %s\n", f->file, snl_message(w));
        lab_destroy(w);
        return 1;
    }
    unsigned char *whole = read_file(f->file, &n);
    if (!whole) {
        printf("%s: left out: it is not there\n", f->file);
        lab_destroy(w);
        return !f->save;
    }
    unsigned char *mutant = malloc(n + 64);
    state = seed;
    count = count / f->share + 1;
    for (; k < count && good; k++) {
        memcpy(mutant, whole, n);
        write_mutant(f, mutant, mutate(mutant, n), k % 2);
        good = check(w, f, before, after, text);
        refused += text[0] != '\0';
    }
    good = good && check_beginnings(w, f, whole, n, count, content) &&
           check_bits(w, f, whole, mutant, n, count, content);
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
    free(content);
    return good;
}

int
main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 100;
    int good = 1;
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++)
        if (argc < 4 ? formats[k].save != NULL
                     : strcmp(argv[3], formats[k].save ? formats[k].file : "encoded") == 0)
            good &= run(&formats[k], seed, count);
    return good ? 0 : 1;
}
