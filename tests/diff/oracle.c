/* oracle.c - runs a program in one way and compares what it prints. */
#include "oracle.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inside.h"
#include "snlsmith.h"

enum { SECONDS_MAX = 60, TCC_SECONDS_MAX = 3 };

/* ---- files ---- */

char *
file_text(const char *path)
{
    FILE *in = fopen(path, "r");
    if (!in)
        return NULL;
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text) {
        used += fread(text + used, 1, room - used - 1, in);
        if (used + 1 < room)
            break;
        room *= 2;
        char *more = realloc(text, room);
        if (!more)
            free(text);
        text = more;
    }
    fclose(in);
    if (text)
        text[used] = '\0';
    return text;
}

bool
file_write(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    bool fine = fputs(text, out) != EOF;
    return fclose(out) == 0 && fine;
}

bool
program_write(const char *path, const char *text)
{
    const char *mark = strstr(text, PART_MARK);
    if (!mark)
        return file_write(path, text);
    char part[COMMAND_MAX], *first = strndup(text, (size_t)(mark - text));
    const char *name = mark + strlen(PART_MARK), *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    bool fine = first &&
                snprintf(part, sizeof part, "%.*s%.*s", folder, path, (int)strcspn(name, "\n"),
                         name) < (int)sizeof part &&
                file_write(path, first) && file_write(part, name + strcspn(name, "\n"));
    free(first);
    return fine;
}

static void
in_folder(const Tools *t, const char *name, char *path)
{
    if (snprintf(path, COMMAND_MAX, "%s/%s", t->folder, name) >= COMMAND_MAX)
        abort();
}

/* ---- commands ---- */

void
command_add(Command *c, const char *arg)
{
    if (c->count + 1 >= ARGS_MAX)
        abort();
    c->arg[c->count++] = arg;
    c->arg[c->count] = NULL;
}

void
command_words(Command *c, const char *text)
{
    char *save;
    snprintf(c->words, sizeof c->words, "%s", text);
    for (char *word = strtok_r(c->words, " ", &save); word; word = strtok_r(NULL, " ", &save))
        command_add(c, word);
}

int
command_settings(Command *c, const char *path, bool at_run_time)
{
    char *save, *copy = c->settings[at_run_time], *text = file_text(path),
                *with = text ? strstr(text, "\n" WITH_MARK) : NULL;
    int first = c->count;
    if (with)
        snprintf(copy, COMMAND_MAX, "%.*s", (int)strcspn(with + 1, "\n") - (int)strlen(WITH_MARK),
                 with + 1 + strlen(WITH_MARK));
    free(text);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        if ((word[1] == '-') == at_run_time)
            command_add(c, word);
    return c->count - first;
}

static void
redirect(const char *path, int to)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, to) < 0)
        _exit(126);
    close(file);
}

static int
run_child(const Tools *t, const char *out, const char *err, unsigned seconds, int (*work)(void *),
          void *with)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        return 126;
    if (child == 0) {
        struct rlimit limit = { seconds, seconds + 5 };
        setrlimit(RLIMIT_CPU, &limit);
        alarm(6 * seconds);
        if (chdir(t->folder) != 0)
            _exit(126);
        redirect(out, STDOUT_FILENO);
        redirect(err, STDERR_FILENO);
        setenv("OMP_WAIT_POLICY", "passive", 1); /* more threads than processors */
        status = work(with);
        fflush(NULL);
        _exit(status);
    }
    if (waitpid(child, &status, 0) < 0)
        return 126;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int
oracle_fork(const Tools *t, const char *out, const char *err, int (*work)(void *), void *with)
{
    return run_child(t, out, err, SECONDS_MAX, work, with);
}

typedef struct {
    const Tools *tools;
    const Command *command;
} Start;

static int
start(void *with)
{
    const Start *s = with;
    char **argv = (char **)(size_t)s->command->arg;
    if (s->command->with_tcc) {
        char library[COMMAND_MAX];
        setenv("SNLC_RUNTIME", s->tools->tcc_runtime, 1);
        snprintf(library, sizeof library, "%s/lib", s->tools->tcc_runtime);
        setenv("LD_LIBRARY_PATH", library, 1);
    }
    if (strcmp(argv[0], "snlc") == 0)
        return inside_run(s->command->count, argv);
    execvp(argv[0], argv);
    return 127;
}

int
oracle_run(const Tools *t, const Command *c, const char *out, const char *err)
{
    Start s = { .tools = t, .command = c };
    return run_child(t, out, err, c->seconds ? c->seconds : SECONDS_MAX, start, &s);
}

/* ---- verdicts ---- */

/* Takes what a message says, without names and numbers. */
static void
take_message(Verdict *v, const char *path)
{
    static const char *const marks[] = {"error: ", "warning: ", "WARNING: "};
    char *text = file_text(path);
    const char *from = NULL;
    for (size_t i = 0; text && !from && i < sizeof marks / sizeof *marks; i++)
        from = strstr(text, marks[i]);
    if (!from && text)
        from = text;
    size_t used = strlen(v->what);
    for (; from && *from && *from != '\n' && used + 2 < sizeof v->what; from++)
        if (!isdigit((unsigned char)*from))
            v->what[used++] = *from;
    v->what[used] = '\0';
    free(text);
}

static Verdict
failed(const char *what, const char *message)
{
    Verdict v = { .failed = true };
    snprintf(v.what, sizeof v.what, "%s", what);
    if (message)
        take_message(&v, message);
    return v;
}

/* What a command that `name` stands for ended with. */
static Verdict
verdict_of(const Tools *t, const char *name, int status)
{
    char start[WHAT_MAX], err[COMMAND_MAX];
    if (status == 0)
        return (Verdict){0};
    in_folder(t, "err", err);
    snprintf(start, sizeof start, "%s%s: ", name, status >= 128 ? " killed" : "");
    return failed(start, err);
}

bool
same_files(const char *a, const char *b)
{
    char *first = file_text(a), *second = file_text(b);
    bool same = first && second && strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

static bool
is_empty(const char *path)
{
    char *text = file_text(path);
    const bool empty = !text || !*text;
    free(text);
    return empty;
}

/* ---- ways ---- */

Verdict
oracle_interpret(const Tools *t, const char *path, const char *options, const char *out)
{
    Command c = {0};
    command_add(&c, "snlc");
    command_add(&c, "run");
    command_add(&c, "-q");
    command_add(&c, "--interpret");
    command_words(&c, options);
    command_settings(&c, path, false);
    command_add(&c, path);
    command_add(&c, "--");
    command_settings(&c, path, true);
    return verdict_of(t, "interpreter", oracle_run(t, &c, out, "err"));
}

/* Prints the syntax tree of a program into a file. */
static Verdict
print_tree(const Tools *t, const char *path, const char *out)
{
    Command c = {0};
    command_add(&c, "snlc");
    command_add(&c, "compile");
    command_add(&c, "-q");
    command_add(&c, "--emit=ast");
    command_add(&c, path);
    return verdict_of(t, "--emit=ast", oracle_run(t, &c, out, "err"));
}

static Verdict
format(const Tools *t, const char *path)
{
    Command c = {0};
    command_add(&c, "snlc");
    command_add(&c, "fmt");
    command_add(&c, path);
    return verdict_of(t, "fmt", oracle_run(t, &c, "out", "err"));
}

/* Writes a copy of a file, and formats that. */
static Verdict
format_copy(const Tools *t, const char *path, const char *copy)
{
    char *text = file_text(path);
    const bool written = text && file_write(copy, text);
    free(text);
    return written ? format(t, copy) : failed("no copy to format", NULL);
}

/* Formatting keeps the syntax tree, and formatted text as it is. */
static Verdict
try_format(const Tools *t, const char *path)
{
    char once[COMMAND_MAX], twice[COMMAND_MAX], before[COMMAND_MAX], after[COMMAND_MAX];
    in_folder(t, "once.snl", once);
    in_folder(t, "twice.snl", twice);
    in_folder(t, "before", before);
    in_folder(t, "after", after);
    Verdict v = format_copy(t, path, once);
    if (!v.failed)
        v = format_copy(t, once, twice);
    if (!v.failed && !same_files(once, twice))
        v = failed("fmt changes what it wrote", NULL);
    if (!v.failed)
        v = print_tree(t, path, "before");
    if (!v.failed)
        v = print_tree(t, once, "after");
    if (!v.failed && !same_files(before, after))
        v = failed("fmt changes the syntax tree", NULL);
    if (!v.failed && is_empty(before))
        v = failed("--emit=ast prints nothing", NULL);
    return v;
}

/* The extern functions are those of C. */
static void
add_natives(const Tools *t, Command *c, char *header)
{
    if (!t->header)
        return;
    snprintf(header, COMMAND_MAX + 20, "--include=%s", t->header);
    command_add(c, header);
    command_add(c, "-DNATIVE=1");
}

/* Runs the test blocks in one way; what it prints goes to `out`. */
static void
run_tests(const Tools *t, const char *path, Way way, const char *out)
{
    Command c = { .with_tcc = way == WAY_TCC };
    char cc[COMMAND_MAX], header[COMMAND_MAX + 20], cache[COMMAND_MAX];
    in_folder(t, "cache", cache);
    setenv("XDG_CACHE_HOME", cache, 1);
    command_add(&c, "snlc");
    command_add(&c, "test");
    command_add(&c, "--tap");
    command_add(&c, "--benchmarks");
    if (way == WAY_INTERPRET) {
        command_add(&c, "--interpret");
    } else {
        if (way == WAY_TCC) {
            snprintf(cc, sizeof cc, "--cc=%s", t->tcc);
            command_add(&c, cc);
        }
        add_natives(t, &c, header);
    }
    command_settings(&c, path, false);
    command_add(&c, path);
    oracle_run(t, &c, out, "err");
    Command clean = {0};
    command_add(&clean, "rm");
    command_add(&clean, "-rf");
    command_add(&clean, cache);
    oracle_run(t, &clean, "none", "none");
}

static Verdict
try_tests(const Tools *t, const char *path)
{
    char right[COMMAND_MAX], out[COMMAND_MAX];
    Command given = {0};
    if (command_settings(&given, path, true)) /* tests take none */
        return (Verdict){0};
    in_folder(t, "tests.want", right);
    in_folder(t, "out", out);
    run_tests(t, path, WAY_INTERPRET, "tests.want");
    if (t->tcc) {
        run_tests(t, path, WAY_TCC, "out");
        if (same_files(out, right))
            return (Verdict){0};
    }
    run_tests(t, path, WAY_CC, "out"); /* tcc has faults of its own */
    if (same_files(out, right))
        return (Verdict){0};
    return failed("tests print something else", NULL);
}

static Verdict
build(const Tools *t, const char *path, const Trial *trial, const char *exe)
{
    Command c = { .with_tcc = trial->way == WAY_TCC };
    char err[COMMAND_MAX], header[COMMAND_MAX + 20];
    in_folder(t, "err", err);
    command_add(&c, "snlc");
    command_add(&c, "build");
    command_add(&c, "-q");
    command_add(&c, "-o");
    command_add(&c, exe);
    char cc[COMMAND_MAX];
    if (trial->way == WAY_TCC) {
        snprintf(cc, sizeof cc, "--cc=%s", t->tcc);
        command_add(&c, cc);
    }
    command_words(&c, trial->options);
    add_natives(t, &c, header);
    command_settings(&c, path, false);
    command_add(&c, path);
    int status = oracle_run(t, &c, "out", "err");
    if (status)
        return failed(status >= 128 || status == 70 ? "snlc fails: " : "build: ", err);
    return (Verdict){0};
}

Verdict
oracle_try(const Tools *t, const char *path, const Trial *trial, const char *want)
{
    char exe[COMMAND_MAX], out[COMMAND_MAX], right[COMMAND_MAX];
    if (trial->way == WAY_FORMAT)
        return try_format(t, path);
    if (trial->way == WAY_TEST)
        return try_tests(t, path);
    in_folder(t, "out", out);
    in_folder(t, want, right);
    if (trial->way == WAY_INTERPRET) {
        Verdict v = oracle_interpret(t, path, trial->options, "out");
        return v.failed || same_files(out, right) ? v : failed("output differs", NULL);
    }
    in_folder(t, "exe", exe);
    Verdict built = build(t, path, trial, exe);
    if (built.failed)
        return built;
    for (int i = 0; i < 3 && trial->threads[i]; i++) {
        Command c = {.with_tcc = trial->way == WAY_TCC,
                     .seconds = trial->way == WAY_TCC ? TCC_SECONDS_MAX : 0};
        char threads[40];
        snprintf(threads, sizeof threads, "--threads=%d", trial->threads[i]);
        if (t->under && trial->way == WAY_CC)
            command_words(&c, t->under);
        command_add(&c, exe);
        command_add(&c, threads);
        command_settings(&c, path, true);
        const Verdict v = verdict_of(t, "program", oracle_run(t, &c, "out", "err"));
        if (v.failed)
            return v;
        if (!same_files(out, right))
            return failed("output differs", NULL);
    }
    return (Verdict){0};
}

void
trial_print(const Trial *trial, char *text, size_t room)
{
    static const char *const names[WAY_COUNT] = {"run --interpret", "build --cc=tcc", "build",
                                                 "fmt", "test"};
    int used = snprintf(text, room, "snlc %s%s%s", names[trial->way], trial->options[0] ? " " : "",
                        trial->options);
    for (int i = 0; i < 3 && trial->threads[i] && used > 0 && (size_t)used < room; i++)
        used += snprintf(text + used, room - (size_t)used, "%s%d", i ? "," : ", threads ",
                         trial->threads[i]);
}
