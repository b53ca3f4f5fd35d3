/* snlsmith - makes random programs and finds those that do not print the same in every way they can be run.
 *
 *   snlsmith SEED [VARIANT]      prints a program; its variants have other layouts and must print the same
 *   snlsmith --test [OPTION]...  makes programs, tries each in several ways, and makes those that fail smaller
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "oracle.h"
#include "snlsmith.h"

enum { PRINT_MAX = 3000, PASSES_MAX = 24, VARIANTS = 4 };

typedef struct {
    Tools tools;
    long first, count, step, seconds;
    long cc_every;          /* every so many programs the C compiler is used too */
    long sim_every;         /* and two of so many run in the stand-in for CUDA; 0: none */
    const char *pass[PASSES_MAX];
    int passes;
    bool reduces, thorough, blames_tcc; /* blames_tcc: its faults are failures too */
    long programs, runs, failures, faults_of_tcc;
} Campaign;

static void
say_failure(Campaign *c, long seed, int variant, const Trial *trial, const Verdict *v, const char *path)
{
    char way[200], kept[COMMAND_MAX];
    trial_print(trial, way, sizeof way);
    c->failures++;
    printf("seed %ld variant %d: %s: %s\n", seed, variant, way, v->what);
    fflush(stdout);
    char *text = file_text(path);
    if (snprintf(kept, sizeof kept, "%s/failed-%ld-%d.snl", c->tools.folder, seed, variant) >= (int)sizeof kept)
        abort();
    if (text && file_write(kept, text) && c->reduces) {
        reduce(&c->tools, kept, trial, v);
        char *small = file_text(kept);
        if (small && strlen(small) < PRINT_MAX)
            printf("%s", small);
        free(small);
    }
    printf("see %s\n", kept);
    fflush(stdout);
    free(text);
}

/* True if the C compiler has nothing against what tcc gets wrong. */
static bool
is_fault_of_tcc(Campaign *c, const char *path, const Trial *trial)
{
    static const char *const levels[] = { "-Xcc -O0", "-O3" };
    for (int i = 0; i < 2; i++) {
        Trial other = *trial;
        other.way = WAY_CC;
        int room = (int)sizeof other.options;
        if (snprintf(other.options, sizeof other.options, "%s %s", trial->options, levels[i]) >= room)
            return false;
        if (oracle_try(&c->tools, path, &other, "want").failed)
            return false;
    }
    c->faults_of_tcc++;
    return true;
}

/* Tries one way; false if it failed. */
static bool
try_way(Campaign *c, long seed, int variant, const char *path, const Trial *trial)
{
    Verdict v = oracle_try(&c->tools, path, trial, "want");
    bool built = strncmp(v.what, "build", 5) != 0 && strncmp(v.what, "snlc", 4) != 0;
    c->runs++;
    if (!v.failed || (built && trial->way == WAY_TCC && !c->blames_tcc && is_fault_of_tcc(c, path, trial)))
        return true;
    say_failure(c, seed, variant, trial, &v, path);
    return false;
}

/* The C compiler at one level of optimisation, in turn. */
static bool
try_compiler(Campaign *c, long seed, int variant, const char *path)
{
    static const Trial levels[] = {
        { .way = WAY_CC, .options = "-O3", .threads = { 2, 1, 4 } },
        { .way = WAY_CC, .options = "-O0", .threads = { 2 } },
        { .way = WAY_CC, .options = "-O2 --packed", .threads = { 2 } },
        { .way = WAY_CC, .options = "-O1", .threads = { 1 } }
    };
    return try_way(c, seed, variant, path, &levels[seed / c->cc_every % 4]);
}

/* The stand-in for CUDA, whose lanes take turns in an order of their own. */
static bool
try_sim(Campaign *c, long seed, int variant, const char *path)
{
    static const Trial levels[] = {
        { .way = WAY_CC, .options = "--target=cuda-sim -O1", .threads = { 1 } },
        { .way = WAY_CC, .options = "--target=cuda-sim -O0", .threads = { 1 } }
    };
    return try_way(c, seed, variant, path, &levels[seed % 2]);
}

/* One of the passes, none of them, or --check, in turn. */
static void
choose_options(const Campaign *c, long turn, bool strict, Trial *trial)
{
    long kind = turn % (c->passes + 2);
    if (kind < c->passes)
        snprintf(trial->options, sizeof trial->options, "-fno-%s", c->pass[kind]);
    else
        snprintf(trial->options, sizeof trial->options, "%s", strict && kind == c->passes ? "--check" : "-O0");
}

static bool
try_program(Campaign *c, long seed, int variant, bool strict, const char *path)
{
    static const int threads[] = { 2, 1, 2, 4 };
    static const Trial checked = { .way = WAY_INTERPRET, .options = "--check=bounds,race" }, formatted = { .way = WAY_FORMAT };
    long turn = seed / 2 + seed / 3;
    Trial trial = { .way = WAY_TCC, .threads = { threads[turn % 4] } };
    if (strict && variant == 0 && !try_way(c, seed, variant, path, &checked))
        return false;
    if (c->tools.has_format && turn % 4 == 0 && !try_way(c, seed, variant, path, &formatted))
        return false;
    if (seed % c->cc_every == 0 && variant == 0 && !try_compiler(c, seed, variant, path))
        return false;
    if (c->sim_every > 0 && seed % c->sim_every < 2 && !try_sim(c, seed, variant, path))
        return false;
    /* Each program is compiled in one of its two variants; both were interpreted. */
    if (!c->tools.tcc || (!c->thorough && (variant != 0) != (seed % 2 != 0)))
        return true;
    if ((c->thorough || turn % 2 == 0) && !try_way(c, seed, variant, path, &trial))
        return false;
    trial.threads[0] = threads[(turn + 1) % 4];
    choose_options(c, turn / 2, strict, &trial);
    return (!c->thorough && turn % 2 == 0) || try_way(c, seed, variant, path, &trial);
}

/* All variants of a program, each in several ways. */
static void
try_seed(Campaign *c, long seed)
{
    static const Trial interpreted = { .way = WAY_INTERPRET };
    char path[COMMAND_MAX];
    if (snprintf(path, sizeof path, "%s/program.snl", c->tools.folder) >= (int)sizeof path)
        abort();
    c->programs++;
    for (int n = 0; n < 2; n++) {
        int variant = n ? 1 + (int)(seed % (VARIANTS - 1)) : 0;
        char *text = program_text((uint64_t)seed, variant);
        bool written = file_write(path, text), strict = program_is_strict((uint64_t)seed);
        free(text);
        if (!written) {
            perror(path);
            exit(EXIT_FAILURE);
        }
        Verdict v = n ? oracle_try(&c->tools, path, &interpreted, "want") : oracle_interpret(&c->tools, path, "", "want");
        c->runs++;
        if (v.failed) {
            say_failure(c, seed, variant, &interpreted, &v, path);
            return;
        }
        if (!try_program(c, seed, variant, strict, path))
            return;
    }
}

/* Seconds that this process and those it started computed. */
static long
processor_seconds(void)
{
    struct rusage own, others;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    return (long)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + others.ru_utime.tv_sec + others.ru_stime.tv_sec);
}

/* ---- command line ---- */

static void
take_passes(Campaign *c, char *names)
{
    char *save;
    for (char *name = strtok_r(names, " ,", &save); name && c->passes < PASSES_MAX; name = strtok_r(NULL, " ,", &save))
        c->pass[c->passes++] = name;
}

static int
test(int argc, char **argv)
{
    static const struct option options[] = {
        { "test", no_argument, NULL, 't' }, { "first", required_argument, NULL, 'f' }, { "count", required_argument, NULL, 'n' },
        { "step", required_argument, NULL, 's' }, { "seconds", required_argument, NULL, 'S' }, { "folder", required_argument, NULL, 'd' },
        { "snlc", required_argument, NULL, 'c' }, { "tcc", required_argument, NULL, 'q' }, { "tcc-runtime", required_argument, NULL, 'r' },
        { "cc-every", required_argument, NULL, 'e' }, { "sim-every", required_argument, NULL, 'g' },
        { "passes", required_argument, NULL, 'p' }, { "format", no_argument, NULL, 'F' },
        { "reduce", no_argument, NULL, 'R' }, { "thorough", no_argument, NULL, 'T' }, { "blame-tcc", no_argument, NULL, 'B' }, { NULL, 0, NULL, 0 }
    };
    Campaign c = { .tools = { .snlc = "snlc", .folder = "." }, .first = 1, .count = 100, .step = 1, .cc_every = 20 };
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (o) {
        case 't': break;
        case 'f': c.first = atol(optarg); break;
        case 'n': c.count = atol(optarg); break;
        case 's': c.step = atol(optarg); break;
        case 'S': c.seconds = atol(optarg); break;
        case 'd': c.tools.folder = optarg; break;
        case 'c': c.tools.snlc = optarg; break;
        case 'q': c.tools.tcc = optarg; break;
        case 'r': c.tools.tcc_runtime = optarg; break;
        case 'e': c.cc_every = atol(optarg); break;
        case 'g': c.sim_every = atol(optarg); break;
        case 'p': take_passes(&c, optarg); break;
        case 'F': c.tools.has_format = true; break;
        case 'R': c.reduces = true; break;
        case 'T': c.thorough = true; break;
        case 'B': c.blames_tcc = true; break;
        default: return 2;
        }
    if (!c.passes || c.cc_every < 1 || c.step < 1 || (c.tools.tcc && !c.tools.tcc_runtime)) {
        fprintf(stderr, "snlsmith: --test needs --passes=NAME,..., and --tcc-runtime with --tcc\n");
        return 2;
    }
    mkdir(c.tools.folder, 0777);
    c.tools.folder = realpath(c.tools.folder, NULL);
    if (!c.tools.folder) {
        perror("snlsmith");
        return EXIT_FAILURE;
    }
    time_t start = time(NULL);
    for (long i = 0; i < c.count && (!c.seconds || time(NULL) - start < c.seconds); i++)
        try_seed(&c, c.first + i * c.step);
    printf("%ld programs, %ld runs, %ld failures, %ld faults of tcc, %ld processor seconds\n", c.programs, c.runs, c.failures, c.faults_of_tcc,
           processor_seconds());
    return c.failures > 0;
}

int
main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--test") == 0)
        return test(argc, argv);
    if (argc < 2 || argc > 3 || argv[1][0] == '-') {
        fprintf(stderr, "usage: %s SEED [VARIANT]\n       %s --test [OPTION]...\n", argv[0], argv[0]);
        return 2;
    }
    char *text = program_text(strtoull(argv[1], NULL, 0), argc > 2 ? atoi(argv[2]) : 0);
    int status = fputs(text, stdout) == EOF || fflush(stdout) == EOF;
    free(text);
    return status;
}
