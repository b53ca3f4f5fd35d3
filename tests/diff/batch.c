/* batch.c - many programs that one run of tcc compiles. */
#include "batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of a file of the folder for one program. */
static void
numbered(const Batch *b, const char *name, int number, char *path)
{
    if (snprintf(path, COMMAND_MAX, "%s/%s.%d", b->tools->folder, name, number) >= COMMAND_MAX)
        abort();
}

typedef struct {
    char *argv[ARGS_MAX];
    int argc, number;
    const Words *words;
    char output[COMMAND_MAX];
} Emission;

static int
emit(void *with)
{
    Emission *e = with;
    return inside_emit(e->argc, e->argv, e->words, e->number, e->output);
}

bool
batch_add(Batch *b, const char *path, long seed, int variant, const Trial *trial)
{
    char options[sizeof trial->options], file[COMMAND_MAX], from[COMMAND_MAX], to[COMMAND_MAX],
        *save;
    static char first[][10] = { "snlc", "compile", "-q" }, native[] = "-DNATIVE=1";
    char header[COMMAND_MAX + 20];
    Emission e = { .argv = { first[0], first[1], first[2] }, .argc = 3, .number = b->count };
    snprintf(options, sizeof options, "%s", trial->options);
    snprintf(file, sizeof file, "%s", path);
    for (char *word = strtok_r(options, " ", &save); word && e.argc + 4 < ARGS_MAX;
         word = strtok_r(NULL, " ", &save))
        e.argv[e.argc++] = word;
    if (b->tools->header) {
        snprintf(header, sizeof header, "--include=%s", b->tools->header);
        e.argv[e.argc++] = header;
        e.argv[e.argc++] = native;
    }
    Command with = {0}, given = {0};
    int length = 0;
    command_settings(&with, path, false);
    for (int i = 0; i < with.count && e.argc + 2 < ARGS_MAX; i++)
        e.argv[e.argc++] = (char *)(size_t)with.arg[i];
    e.argv[e.argc++] = file;
    BatchItem *item = &b->item[b->count];
    *item = (BatchItem){.seed = seed, .variant = variant, .trial = *trial};
    command_settings(&given, path, true);
    for (int i = 0; i < given.count && length < (int)sizeof item->given; i++)
        length += snprintf(item->given + length, sizeof item->given - (size_t)length, " %s",
                           given.arg[i]);
    numbered(b, "part", b->count, e.output);
    snprintf(from, sizeof from, "%s/words", b->tools->tcc_runtime);
    if (!b->words)
        b->words = inside_words(from);
    e.words = b->words;
    if (!b->words || oracle_fork(b->tools, "out", "err", emit, &e) != 0)
        return false;
    snprintf(from, sizeof from, "%s/want", b->tools->folder);
    numbered(b, "want", b->count, to);
    if (rename(from, to) != 0)
        return false;
    b->count++;
    return true;
}

/* Writes the file that includes all programs. */
static bool
write_source(const Batch *b, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fputs("#include <snl/snlrt.h>\n", out);
    if (b->tools->header)
        fprintf(out, "#include \"%s\"\n", b->tools->header);
    for (int i = 0; i < b->count; i++)
        fprintf(out, "#include \"part.%d\"\n", i);
    fputs("static TccMain *const mains[] = {", out);
    for (int i = 0; i < b->count; i++)
        fprintf(out, "%smain__%d", i ? ", " : " ", i);
    fprintf(
        out,
        " };\nint\nmain(int argc, char **argv)\n{\n    return tcc_many(mains, argc, argv);\n}\n");
    return fclose(out) == 0;
}

static bool
compile(const Batch *b, const char *source, const char *exe)
{
    Command c = { .with_tcc = true };
    char include[COMMAND_MAX + 20], lib[COMMAND_MAX + 20];
    snprintf(include, sizeof include, "-I%s/include", b->tools->tcc_runtime);
    snprintf(lib, sizeof lib, "-L%s/lib", b->tools->tcc_runtime);
    command_words(&c, b->tools->tcc);
    command_add(&c, include);
    command_add(&c, "-o");
    command_add(&c, exe);
    command_add(&c, source);
    command_add(&c, lib);
    command_add(&c, "-lsnlrt");
    command_add(&c, "-lm");
    return oracle_run(b->tools, &c, "out", "err") == 0;
}

/* Runs all programs; each prints into a file of its own, and the last lines of `status` are their
 * exit statuses. */
static void
run_all(Batch *b, const char *exe)
{
    Command c = { .with_tcc = true };
    static char threads[BATCH_MAX][COMMAND_MAX + 12];
    char path[COMMAND_MAX], want[COMMAND_MAX];
    command_add(&c, exe);
    for (int i = 0; i < b->count; i++) {
        snprintf(threads[i], sizeof threads[i], "%d%s", b->item[i].trial.threads[0],
                 b->item[i].given);
        command_add(&c, threads[i]);
        numbered(b, "out", i, path);
        remove(path);
    }
    oracle_run(b->tools, &c, "status", "err");
    snprintf(path, sizeof path, "%s/status", b->tools->folder);
    char *text = file_text(path), *at = text;
    for (int i = 0; i < b->count && at && *at; i++) {
        bool fine = strtol(at, &at, 10) == 0;
        numbered(b, "out", i, path);
        numbered(b, "want", i, want);
        b->item[i].same = fine && same_files(path, want);
    }
    free(text);
}

bool
batch_run(Batch *b)
{
    char source[COMMAND_MAX], exe[COMMAND_MAX];
    snprintf(source, sizeof source, "%s/batch.c", b->tools->folder);
    snprintf(exe, sizeof exe, "%s/batch", b->tools->folder);
    bool built = b->count == 0 || (write_source(b, source) && compile(b, source, exe));
    if (built && b->count)
        run_all(b, exe);
    return built;
}
