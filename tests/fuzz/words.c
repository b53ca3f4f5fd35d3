/* words.c - changes words of programs that are right: what comes out mostly gets past the parser,
 * and often past the checker, to stages that bytes changed at random hardly reach.
 *
 *   words SECONDS SEED PREFIX FILE...   tries texts made of the files for so long; a text that ends
 *                                       its process is kept as PREFIX and a number
 * One to three words of a file become others of their kind, numbers at the ends of their types, or
 * nothing. Each text has a process of its own. Built by tests/fuzz/run. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "fuzz.h"

enum { CHANGES_MOST = 3, WORD_MOST = 64, TRIES = 8 };

typedef enum { WORD_BLANK, WORD_NAME, WORD_NUMBER, WORD_SIGN } WordKind;

typedef struct {
    const char *text;
    int bytes;
    WordKind kind;
} Word;

typedef struct {
    Word *items;
    int count, room;
} Words;

static const char *const numbers[] = {
    "0", "1", "2", "3", "7", "16", "33", "64", "65", "1000000", "2147483647", "4294967296",
    "-1", "0x7fffffffffffffff", "1e39", "0.0"
};

static uint64_t state;

/* Below n; xorshift64 of Marsaglia. */
static int
pick(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state >> 20) % (uint64_t)n);
}

static void *
must(void *memory)
{
    if (!memory) {
        perror("words");
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void
add_word(Words *list, Word w)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 256;
        list->items = must(realloc(list->items, (size_t)list->room * sizeof *list->items));
    }
    list->items[list->count++] = w;
}

static WordKind
kind_of(char c)
{
    return isspace((unsigned char)c)                ? WORD_BLANK
           : isdigit((unsigned char)c)              ? WORD_NUMBER
           : isalpha((unsigned char)c) || c == '_' ? WORD_NAME
                                                    : WORD_SIGN;
}

static void
split(Words *list, const char *text)
{
    while (*text) {
        const WordKind kind = kind_of(*text);
        const char *end = text + 1;
        while (*end && kind != WORD_SIGN &&
               (kind_of(*end) == kind || (kind != WORD_BLANK && kind_of(*end) == WORD_NUMBER) ||
                (kind == WORD_NUMBER && kind_of(*end) == WORD_NAME)))
            end++;
        add_word(list, (Word){text, (int)(end - text), kind});
        text = end;
    }
}

static char *
read_text(const char *path)
{
    FILE *f = must(fopen(path, "rb"));
    char *text = must(calloc(1, FUZZ_BYTES_MAX + 1));
    if (fread(text, 1, FUZZ_BYTES_MAX, f) == 0)
        text[0] = '\0';
    fclose(f);
    return text;
}

/* Another word in place of one: mostly of its kind, from any of the files. */
static Word
other_word(const Words *all, Word old)
{
    const int way = pick(10);
    Word found = old;
    if (way == 0)
        return (Word){"", 0, old.kind};
    if (old.kind == WORD_NUMBER && way < 7) {
        const char *number = numbers[pick((int)(sizeof numbers / sizeof numbers[0]))];
        return (Word){number, (int)strlen(number), WORD_NUMBER};
    }
    for (int n = 0; n < TRIES && (n == 0 || (way > 1 && found.kind != old.kind)); n++)
        found = all->items[pick(all->count)];
    return found.bytes <= WORD_MOST ? found : old;
}

/* Writes a file's words, some of them changed; gives the bytes. */
static size_t
make_text(const Words *file, const Words *all, char *out)
{
    int at[CHANGES_MOST];
    size_t bytes = 0;
    const int changes = 1 + pick(CHANGES_MOST);
    for (int n = 0; n < changes; n++)
        at[n] = pick(file->count);
    for (int w = 0; w < file->count; w++) {
        Word word = file->items[w];
        for (int n = 0; n < changes; n++)
            if (at[n] == w && word.kind != WORD_BLANK)
                word = other_word(all, word);
        if (bytes + (size_t)word.bytes > FUZZ_BYTES_MAX)
            break;
        memcpy(out + bytes, word.text, (size_t)word.bytes);
        bytes += (size_t)word.bytes;
    }
    return bytes;
}

/* False where the process did not end well. */
static bool
try_text(const char *text, size_t bytes)
{
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        unsetenv("SNL_FUZZ_TIME"); /* the parent counts */
        LLVMFuzzerTestOneInput((const unsigned char *)text, bytes);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("words");
        exit(EXIT_FAILURE);
    }
    fuzz_count_time();
    return status == 0;
}

static void
keep(const char *prefix, int number, const char *text, size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%d", prefix, number);
    FILE *f = must(fopen(path, "wb"));
    fwrite(text, 1, bytes, f);
    fclose(f);
    printf("SUMMARY: %s\n", path);
}

int
main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: %s SECONDS SEED PREFIX FILE...\n", argv[0]);
        return 64;
    }
    const int files = argc - 4;
    const time_t end = time(NULL) + atoi(argv[1]);
    Words all = {0}, *file = must(calloc((size_t)files, sizeof *file));
    char *text = must(malloc(FUZZ_BYTES_MAX));
    long inputs = 0;
    int finds = 0;
    state = 0x9e3779b97f4a7c15u ^ strtoull(argv[2], NULL, 10);
    for (int n = 0; n < files; n++) {
        const char *whole = read_text(argv[4 + n]);
        split(&file[n], whole);
        split(&all, whole);
    }
    while (all.count && time(NULL) < end) {
        const Words *from = &file[pick(files)];
        if (!from->count)
            continue;
        const size_t bytes = make_text(from, &all, text);
        inputs++;
        if (!try_text(text, bytes))
            keep(argv[3], ++finds, text, bytes);
    }
    printf("Done %ld runs, %d finds\n", inputs, finds);
    fflush(stdout);
    _exit(0); /* what was read is needed to the end */
}
