/* snlsmith - makes random programs and finds those that do not print the same in every way they can
 * be run.
 *
 * Its options are described below; `make programs FIRST=SEED COUNT=1` gives those that are needed.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "batch.h"
#include "snlsmith.h"
#include "tcc/tcc.h"

static const char usage[] =
    "usage: snlsmith SEED [VARIANT]\n"
    "       snlsmith --locals=NUMBER SEED\n"
    "       snlsmith --test --passes=NAME,... [OPTION]...\n"
    "\n"
    "Prints the program of a seed; its variants have other layouts and must print the same; a\n"
    "second file comes after \"//# NAME\". With --test it makes programs and tries each in\n"
    "several ways; the status is 1 where they do not print the same.\n"
    "\n"
    "  --passes=NAME,...   the passes of which now one and now several are left out\n"
    "  --first=SEED        of the first program (1)\n"
    "  --count=NUMBER      programs (100)\n"
    "  --step=NUMBER       between their seeds (1)\n"
    "  --seconds=NUMBER    begins none after that time\n"
    "  --folder=FOLDER     for files; two runs at once need one each (.)\n"
    "  --reduce            makes programs that fail smaller and keeps them in the folder\n"
    "  --header=FILE       what declares the extern functions\n"
    "  --tcc=PROGRAM       compiles most of them; needs --tcc-runtime=FOLDER with the runtime\n"
    "                      that it compiled\n"
    "  --blame-tcc         what tcc alone gets wrong is a failure too\n"
    "  --cc-every=NUMBER   every so many programs the C compiler is used, too (20)\n"
    "  --sim-every=NUMBER  and two of so many run in the stand-in for CUDA\n"
    "  --processor=OPTIONS of snlc for another processor; may come several times\n"
    "  --build=OPTIONS     of snlc; may come several times: each program is built with the C\n"
    "                      compiler in one of these ways in turn, and with one pass off in turn,\n"
    "                      and in no other way\n"
    "  --locals=NUMBER     programs are of so many functions of matrices and local arrays\n"
    "  --only=OPTIONS      all are tried in one way, with these options of snlc\n"
    "  --under=COMMAND     that runs the programs\n"
    "  --format            snlc fmt keeps their meaning\n"
    "  --thorough          each in all ways\n";

enum {
    PRINT_MAX = 3000,
    PASSES_MAX = 64,
    VARIANTS = 4,
    CHECKS = 4,
    PROCESSORS_MAX = 8,
    BUILDS_MAX = 32
};

typedef struct {
    Tools tools;
    long first, count, step, seconds;
    long cc_every;          /* every so many programs the C compiler is used too */
    long test_every;        /* their test blocks are run */
    long sim_every;         /* and two of so many run in the stand-in for CUDA; 0: none */
    const char *pass[PASSES_MAX];
    int passes;
    const char *processor[PROCESSORS_MAX]; /* options for others than this one */
    int processors;
    const char *build[BUILDS_MAX]; /* options of the ways in which programs are built in turn */
    long built[BUILDS_MAX];         /* programs in each */
    int builds;
    int locals;             /* functions of matrices and local arrays that make a program, or 0 */
    bool reduces, thorough, blames_tcc; /* blames_tcc: its faults are failures too */
    const char *only;       /* options of the one way in which programs are tried, or NULL */
    Batch batch;            /* programs that are still to be compiled by tcc */
    long programs, failures, faults_of_tcc;
    long runs[WAY_COUNT];
    double spent[WAY_COUNT];        /* that the processors computed */
    long checked, sims;     /* of these runs: with --check, in the stand-in for CUDA */
} Campaign;

/* Seconds that this process and those it started computed. */
static double
processor_seconds(void)
{
    struct rusage own, others;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    long micro = own.ru_utime.tv_usec + own.ru_stime.tv_usec + others.ru_utime.tv_usec +
                 others.ru_stime.tv_usec;
    return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + others.ru_utime.tv_sec +
                    others.ru_stime.tv_sec) +
           1e-6 * (double)micro;
}

/* Counts the time since `start` for a way. */
static void
add_seconds(Campaign *c, Way way, double start)
{
    c->spent[way] += processor_seconds() - start;
}

/* The program of a seed; the caller frees it. */
static char *
text_of(const Campaign *c, long seed, int variant)
{
    return c->locals ? locals_text((uint64_t)seed, c->locals)
                     : program_text((uint64_t)seed, variant);
}

/* Leaves out the options without which the trial fails in the same way, -Xcc with the one behind
 * it, which takes long where it has no end. */
static void
fewer_options(Campaign *c, const char *path, Trial *trial, const Verdict *v)
{
    for (char *word = trial->options; *word && !strstr(v->what, "killed");) {
        Trial other = *trial;
        size_t at = (size_t)(word - trial->options), before = strncmp(word, "-Xcc ", 5) ? 0 : 5,
               length = before + strcspn(word + before, " "),
               skip = length + (word[length] == ' ');
        memmove(other.options + at, word + skip, strlen(word + skip) + 1);
        if (at && !other.options[at])
            other.options[at - 1] = '\0';
        Verdict now = oracle_try(&c->tools, path, &other, "want");
        if (now.failed && strcmp(now.what, v->what) == 0)
            *trial = other;
        else
            word += skip;
    }
}

static void
say_failure(Campaign *c, long seed, int variant, const Trial *trial, const Verdict *v)
{
    char way[OPTIONS_MAX + 80], kept[COMMAND_MAX];
    trial_print(trial, way, sizeof way);
    c->failures++;
    printf("seed %ld variant %d: %s: %s\n", seed, variant, way, v->what);
    fflush(stdout);
    char *text = text_of(c, seed, variant), *import = strstr(text, "import ");
    if (strstr(text, PART_MARK) && import) /* as one file, if that fails too */
        memcpy(import, "//", 2);
    if (snprintf(kept, sizeof kept, "%s/failed-%ld-%d.snl", c->tools.folder, seed, variant) >=
        (int)sizeof kept)
        abort();
    if (file_write(kept, text) && c->reduces) {
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

/* True if the C compiler has nothing against what tcc gets wrong; -O3, which takes long, is asked
 * now and then. What is `left` of memory may be for the cleanup attribute, which tcc does not know:
 * so the sanitizer says whether it leaks. */
static bool
is_fault_of_tcc(Campaign *c, long seed, const char *path, const Trial *trial, bool left)
{
    const char *const levels[] = {left ? "-O1 -Xcc -fsanitize=address" : "-Xcc -O0", "-O3"};
    for (int i = 0; i < (seed % 8 ? 1 : 2); i++) {
        Trial other = *trial;
        other.way = WAY_CC;
        int room = (int)sizeof other.options;
        if (snprintf(other.options, sizeof other.options, "%s %s", trial->options, levels[i]) >=
            room)
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
    double start = processor_seconds();
    Verdict v = oracle_try(&c->tools, path, trial, "want");
    add_seconds(c, trial->way, start);
    bool built = strncmp(v.what, "build", 5) != 0 && strncmp(v.what, "snlc", 4) != 0;
    c->runs[trial->way]++;
    c->checked += strstr(trial->options, "--check") != NULL;
    if (!v.failed ||
        (built && trial->way == WAY_TCC && !c->blames_tcc &&
         is_fault_of_tcc(c, seed, path, trial, strstr(v.what, TCC_LEAK) != NULL)))
        return true;
    Trial fewer = *trial;
    fewer_options(c, path, &fewer, &v);
    say_failure(c, seed, variant, &fewer, &v);
    return false;
}

/* The C compiler at one level of optimisation, for one processor, in turn. */
static bool
try_compiler(Campaign *c, long seed, int variant, const char *path)
{
    static const Trial levels[] = {
        {.way = WAY_CC, .options = "-O3", .threads = {2, 1, 4}},
        {.way = WAY_CC, .options = "-O0", .threads = {2}},
        {.way = WAY_CC, .options = "-O2 --packed", .threads = {2}},
        {.way = WAY_CC,
         .options = "-O1 -Xcc -fsanitize=address,undefined -Xcc -fno-sanitize-recover=all",
         .threads = {1}}};
    long turn = seed / c->cc_every, processor = turn / 4 % (c->processors + 1);
    Trial trial = levels[turn % 4];
    if (processor > 0) {
        size_t used = strlen(trial.options);
        snprintf(trial.options + used, OPTIONS_MAX - used, " %s", c->processor[processor - 1]);
    }
    return try_way(c, seed, variant, path, &trial);
}

/* What nvcc takes for granted, and gcc is told to find out: signed integers do not overflow. */
#define NO_OVERFLOW \
    " -Xcc -fno-wrapv -Xcc -fsanitize=signed-integer-overflow" \
    " -Xcc -fsanitize-undefined-trap-on-error"

/* The stand-in for CUDA, whose lanes take turns in an order of their own. The C++ compiler takes a
 * third of the time where it does not optimise. */
static bool
try_sim(Campaign *c, long seed, int variant, const char *path)
{
    static const Trial levels[] = {
        { .way = WAY_CC,
          .options = "--target=cuda-sim -O1 -Xcc -O0" NO_OVERFLOW,
          .threads = { 1 } },
        { .way = WAY_CC, .options = "--target=cuda-sim -O0" NO_OVERFLOW, .threads = { 1 } }
    };
    c->sims++;
    return try_way(c, seed, variant, path, &levels[seed % 2]);
}

/* Some of the passes off, or only some of them on: two, a few, or about half. */
static void
choose_passes(const Campaign *c, long seed, Trial *trial)
{
    uint64_t bits = (uint64_t)seed * 0x9e3779b97f4a7c15u + 1;
    const char *prefix = seed % 3 ? "-fno-" : "-f";
    int most = seed % 2 ? 2 : seed % 5 ? 5 : c->passes, used = 0, chosen = 0, room = OPTIONS_MAX;
    if (seed % 3 == 0)
        used = snprintf(trial->options, (size_t)room, "-O0");
    for (int tries = 0; tries < 2 * most && chosen < most; tries++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        const char *pass = c->pass[(bits >> 33) % (uint64_t)c->passes];
        if (used + (int)(strlen(prefix) + strlen(pass)) + 2 > room)
            break;
        used += snprintf(trial->options + used, (size_t)(room - used), "%s%s%s", used ? " " : "",
                         prefix, pass);
        chosen++;
    }
}

/* --check, of overflow too where there is none: sums of random numbers may not fit. */
static const char *
choose_check(const Campaign *c, const char *path)
{
    static const char *const all = "--check=overflow";
    return oracle_interpret(&c->tools, path, all, "out").failed ? "--check" : all;
}

/* One of the passes off, all of them, some, or --check, in turn. */
static void
choose_options(const Campaign *c, long seed, long turn, const char *path, bool strict, Trial *trial)
{
    long kind = turn / 2 % (c->passes + 1 + CHECKS);
    if (turn % 2)
        choose_passes(c, seed, trial);
    else if (kind < c->passes)
        snprintf(trial->options, sizeof trial->options, "-fno-%s", c->pass[kind]);
    else
        snprintf(trial->options, sizeof trial->options, "%s",
                 strict && kind > c->passes ? choose_check(c, path) : "-O0");
}

static void
write_program(const Campaign *c, long seed, int variant, char *path)
{
    if (snprintf(path, COMMAND_MAX, "%s/program.snl", c->tools.folder) >= COMMAND_MAX)
        abort();
    char *text = text_of(c, seed, variant);
    bool written = program_write(path, text);
    free(text);
    if (!written) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

/* ---- many at once ---- */

/* What printed something else among many programs is tried alone. */
static void
try_alone(Campaign *c, const BatchItem *item, bool built)
{
    char path[COMMAND_MAX];
    long faults = c->faults_of_tcc;
    write_program(c, item->seed, 0, path);
    oracle_interpret(&c->tools, path, "", "want");
    write_program(c, item->seed, item->variant, path);
    Trial more = item->trial;
    /* what tcc writes over is not always the same */
    memcpy(more.threads, (int[]){ 2, 4, 1 }, 3 * sizeof(int));
    if (try_way(c, item->seed, item->variant, path, &item->trial) && built &&
        c->faults_of_tcc == faults && !is_fault_of_tcc(c, item->seed, path, &more, false)) {
        static const Verdict v = {.failed = true,
                                  .what = "output differs, but only among other programs"};
        bool reduces = c->reduces;
        c->reduces = false;
        say_failure(c, item->seed, item->variant, &item->trial, &v);
        c->reduces = reduces;
    }
}

static void
finish_batch(Campaign *c)
{
    Batch *b = &c->batch;
    double start = processor_seconds();
    bool built = batch_run(b);
    add_seconds(c, WAY_TCC, start);
    if (!built)
        printf("tcc does not take seeds %ld to %ld as one file\n", b->item[0].seed,
               b->item[b->count - 1].seed);
    for (int i = 0; i < b->count; i++) {
        c->runs[WAY_TCC]++;
        c->checked += strstr(b->item[i].trial.options, "--check") != NULL;
        if (!b->item[i].same)
            try_alone(c, &b->item[i], built);
    }
    b->count = 0;
}

/* tcc with all passes, with some, or with --check. */
static bool
try_tcc(Campaign *c, long seed, int variant, bool strict, const char *path)
{
    static const int threads[] = { 2, 1, 2, 4 };
    long turn = seed / 2 + seed / 3;
    Trial trial = { .way = WAY_TCC, .threads = { threads[turn % 4] } }, other = trial;
    other.threads[0] = threads[(turn + 1) % 4];
    choose_options(c, seed, turn / 2, path, strict, &other);
    if (c->thorough)
        return try_way(c, seed, variant, path, &trial) && try_way(c, seed, variant, path, &other);
    const Trial *chosen = turn % 2 == 0 ? &trial : &other;
    double start = processor_seconds();
    bool added = batch_add(&c->batch, path, seed, variant, chosen);
    add_seconds(c, WAY_TCC, start);
    if (!added)
        return try_way(c, seed, variant, path, chosen);
    if (c->batch.count == BATCH_MAX)
        finish_batch(c);
    return true;
}

/* The one way that was asked for. */
static bool
try_only(Campaign *c, long seed, int variant, const char *path)
{
    Trial trial = { .way = WAY_CC, .threads = { 4 } };
    snprintf(trial.options, sizeof trial.options, "%s", c->only);
    return try_way(c, seed, variant, path, &trial);
}

/* As users build it: by the C compiler that is next, with all passes, or all but one. */
static bool
try_build(Campaign *c, long seed, int variant, const char *path)
{
    static const int threads[] = {2, 1, 4};
    long at = seed % c->builds, turn = seed / c->builds % (2 * c->passes);
    Trial trial = {.way = WAY_CC, .threads = {threads[seed % 3]}};
    snprintf(trial.options, sizeof trial.options, "%s%s%s", c->build[at],
             turn % 2 ? " -fno-" : "", turn % 2 ? c->pass[turn / 2] : "");
    c->built[at]++;
    return try_way(c, seed, variant, path, &trial);
}

/* The ways for one of the two variants of a program; the first one was interpreted. */
static bool
try_variant(Campaign *c, long seed, int variant, const char *path)
{
    static const Trial interpreted = {.way = WAY_INTERPRET},
                       checked = {.way = WAY_INTERPRET, .options = "--check=bounds,race"},
                       formatted = {.way = WAY_FORMAT}, tests = {.way = WAY_TEST};
    bool strict = program_is_strict((uint64_t)seed), all = c->thorough;
    long turn = seed / 2 + seed / 3;
    if (c->builds)
        return variant == 0 || try_build(c, seed, variant, path);
    if (c->only)
        return variant == 0 || try_only(c, seed, variant, path);
    if (variant != 0 && (all || seed % 4 == 0) && !try_way(c, seed, variant, path, &interpreted))
        return false;
    if (strict && variant == 0 && (all || seed % 2 == 0) &&
        !try_way(c, seed, variant, path, &checked))
        return false;
    if (c->tools.has_format && variant == 0 && (all || turn % 8 == 0) &&
        !try_way(c, seed, variant, path, &formatted))
        return false;
    if (variant == 0 && !all)
        return true;
    if ((all || seed % c->test_every == 0) && !try_way(c, seed, variant, path, &tests))
        return false;
    if (seed % c->cc_every == 0 && !try_compiler(c, seed, variant, path))
        return false;
    if (c->sim_every > 0 && seed % c->sim_every < 2 && !try_sim(c, seed, variant, path))
        return false;
    return !c->tools.tcc || try_tcc(c, seed, variant, strict, path);
}

/* A program is interpreted in one variant, and compiled in another. */
static void
try_seed(Campaign *c, long seed)
{
    static const Trial interpreted = { .way = WAY_INTERPRET };
    char path[COMMAND_MAX];
    write_program(c, seed, 0, path);
    c->programs++;
    c->runs[WAY_INTERPRET]++;
    double start = processor_seconds();
    Verdict v = oracle_interpret(&c->tools, path, "", "want");
    add_seconds(c, WAY_INTERPRET, start);
    if (v.failed) {
        say_failure(c, seed, 0, &interpreted, &v);
        return;
    }
    int variant = 1 + (int)(seed % (VARIANTS - 1));
    if (try_variant(c, seed, 0, path)) {
        write_program(c, seed, variant, path);
        try_variant(c, seed, variant, path);
    }
}

/* ---- command line ---- */

static void
take_passes(Campaign *c, char *names)
{
    char *save;
    for (char *name = strtok_r(names, " ,", &save); name; name = strtok_r(NULL, " ,", &save)) {
        if (c->passes == PASSES_MAX) {
            fprintf(stderr, "snlsmith: more than %d passes\n", PASSES_MAX);
            exit(EXIT_FAILURE);
        }
        c->pass[c->passes++] = name;
    }
}

/* Keeps other runs out of a folder, whose files have fixed names, until this process ends; false
 * where one works there. */
static bool
claim(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_CLOEXEC);
    return fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);
}

/* What was tried, in two lines that tests/diff/campaign reads. */
static void
print_figures(const Campaign *c)
{
    long runs = 0;
    for (int i = 0; i < WAY_COUNT; i++)
        runs += c->runs[i];
    printf("%ld interpreted (%.0f s), %ld by tcc (%.0f s), %ld by the C compiler (%.0f s), %ld of "
           "them in the stand-in for CUDA, "
           "%ld formatted (%.0f s), %ld with --check, test blocks of %ld\n",
           c->runs[WAY_INTERPRET], c->spent[WAY_INTERPRET], c->runs[WAY_TCC], c->spent[WAY_TCC],
           c->runs[WAY_CC], c->spent[WAY_CC], c->sims, c->runs[WAY_FORMAT], c->spent[WAY_FORMAT],
           c->checked, c->runs[WAY_TEST]);
    for (int i = 0; i < c->builds; i++)
        printf("%ld built with %s\n", c->built[i], c->build[i]);
    printf("%ld programs, %ld runs, %ld failures, %ld faults of tcc, %.0f processor seconds\n",
           c->programs, runs, c->failures, c->faults_of_tcc, processor_seconds());
}

static int
test(int argc, char **argv)
{
    static const struct option options[] = {{"test", no_argument, NULL, 't'},
                                            {"first", required_argument, NULL, 'f'},
                                            {"count", required_argument, NULL, 'n'},
                                            {"step", required_argument, NULL, 's'},
                                            {"seconds", required_argument, NULL, 'S'},
                                            {"folder", required_argument, NULL, 'd'},
                                            {"tcc", required_argument, NULL, 'q'},
                                            {"tcc-runtime", required_argument, NULL, 'r'},
                                            {"header", required_argument, NULL, 'h'},
                                            {"cc-every", required_argument, NULL, 'e'},
                                            {"sim-every", required_argument, NULL, 'g'},
                                            {"passes", required_argument, NULL, 'p'},
                                            {"processor", required_argument, NULL, 'P'},
                                            {"build", required_argument, NULL, 'b'},
                                            {"locals", required_argument, NULL, 'l'},
                                            {"only", required_argument, NULL, 'o'},
                                            {"under", required_argument, NULL, 'u'},
                                            {"format", no_argument, NULL, 'F'},
                                            {"reduce", no_argument, NULL, 'R'},
                                            {"thorough", no_argument, NULL, 'T'},
                                            {"blame-tcc", no_argument, NULL, 'B'},
                                            {NULL, 0, NULL, 0}};
    Campaign c = {.tools = {.folder = "."},
                  .first = 1,
                  .count = 100,
                  .step = 1,
                  .cc_every = 20,
                  .test_every = 30};
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (o) {
        case 't': break;
        case 'f': c.first = atol(optarg); break;
        case 'n': c.count = atol(optarg); break;
        case 's': c.step = atol(optarg); break;
        case 'S': c.seconds = atol(optarg); break;
        case 'd': c.tools.folder = optarg; break;
        case 'q': c.tools.tcc = optarg; break;
        case 'r': c.tools.tcc_runtime = optarg; break;
        case 'h': c.tools.header = optarg; break;
        case 'e': c.cc_every = atol(optarg); break;
        case 'g': c.sim_every = atol(optarg); break;
        case 'p': take_passes(&c, optarg); break;
        case 'P':
            if (c.processors < PROCESSORS_MAX)
                c.processor[c.processors++] = optarg;
            break;
        case 'b':
            if (c.builds < BUILDS_MAX)
                c.build[c.builds++] = optarg;
            break;
        case 'l': c.locals = atoi(optarg); break;
        case 'o': c.only = optarg; break;
        case 'u': c.tools.under = optarg; break;
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
    if (!claim(c.tools.folder)) {
        fprintf(stderr, "snlsmith: another run works in %s; give this one its own --folder\n",
                c.tools.folder);
        return EXIT_FAILURE;
    }
    c.batch.tools = &c.tools;
    time_t start = time(NULL);
    for (long i = 0; i < c.count && (!c.seconds || time(NULL) - start < c.seconds); i++)
        try_seed(&c, c.first + i * c.step);
    finish_batch(&c);
    print_figures(&c);
    return c.failures > 0;
}

int
main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--test") == 0)
        return test(argc, argv);
    if (argc == 3 && strncmp(argv[1], "--locals=", 9) == 0) {
        char *functions = locals_text(strtoull(argv[2], NULL, 0), atoi(argv[1] + 9));
        int failed = fputs(functions, stdout) == EOF || fflush(stdout) == EOF;
        free(functions);
        return failed;
    }
    const bool asks = argc > 1 && strcmp(argv[1], "--help") == 0;
    if (asks || argc < 2 || argc > 3 || argv[1][0] == '-') {
        fputs(usage, asks ? stdout : stderr);
        return asks ? 0 : 2;
    }
    char *text = program_text(strtoull(argv[1], NULL, 0), argc > 2 ? atoi(argv[2]) : 0);
    int status = fputs(text, stdout) == EOF || fflush(stdout) == EOF;
    free(text);
    return status;
}
