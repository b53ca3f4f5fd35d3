/* snl_main.c - the command line of executables. */
#include "bench_timer.h"
#include "snl_main.h"

#include "../core/subnormals.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <signal.h>
#include <stdlib.h>

/* The command line of one run. */
typedef struct {
    const SnlProgram *program;
    void *params;
    SnlMainOptions options;
    const char *trace_file;
    const char *samples_file;   /* of a benchmark, or NULL */
    SnlMeasure measure;
    int test;                   /* -1: run main */
    bool tests;                 /* run those that standard input names */
    bool done;                  /* --help and the like: nothing is left to do */
    int status;
} CommandLine;

/* Reports a mistake in the command line; returns false. */
static bool
usage_error(CommandLine *line, const char *before, const char *what, const char *after)
{
    fflush(stdout);
    fprintf(stderr, "%s: %s%s%s\nTry '%s --help' for the options.\n", line->program->name, before,
            what, after, line->program->name);
    line->status = SNL_EXIT_USAGE;
    return false;
}

/* ---- values of parameters ---- */

static const char *
parse_bool(const char *text, bool *value)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0)
        *value = true;
    else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0)
        *value = false;
    else
        return "true or false is expected";
    return NULL;
}

static const char *
type_name(int tag)
{
    return tag == SNL_STRING ? "string" : snl_scalar_name(tag);
}

/* Reads digits, with 0x or 0b before and _ between them, as the language writes integers. */
static const char *
parse_magnitude(const char *text, uint64_t *value)
{
    unsigned base = 10;
    bool any = false;
    *value = 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X' || text[1] == 'b')) {
        base = text[1] == 'b' ? 2 : 16;
        text += 2;
    }
    for (; *text; text++) {
        unsigned digit = isdigit((unsigned char)*text) ? (unsigned)(*text - '0')
                         : isxdigit((unsigned char)*text)
                             ? (unsigned)(tolower((unsigned char)*text) - 'a' + 10)
                             : 99;
        if (*text == '_' && any)
            continue;
        if (digit >= base)
            return "an integer is expected";
        if (*value > (UINT64_MAX - digit) / base)
            return "the number is out of range";
        *value = *value * base + digit;
        any = true;
    }
    return any ? NULL : "an integer is expected";
}

/* Reads an integer of a type into its place. */
static const char *
parse_integer(int tag, const char *text, void *place)
{
    int bits = 8 * snl_scalar_bytes(tag);
    bool is_signed = snl_scalar_is_signed(tag);
    bool negative = *text == '-';
    uint64_t magnitude, most = UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));
    const char *wrong = parse_magnitude(text + (negative || *text == '+'), &magnitude);
    if (wrong)
        return wrong;
    if (negative && magnitude > (is_signed ? most + 1 : 0))
        return "the number is out of range";
    if (!negative && magnitude > most)
        return "the number is out of range";
    if (negative)
        magnitude = 0 - magnitude;
    switch (snl_scalar_bytes(tag)) {
    case 1: { uint8_t v = (uint8_t)magnitude; memcpy(place, &v, 1); break; }
    case 2: { uint16_t v = (uint16_t)magnitude; memcpy(place, &v, 2); break; }
    case 4: { uint32_t v = (uint32_t)magnitude; memcpy(place, &v, 4); break; }
    default: memcpy(place, &magnitude, 8); break;
    }
    return NULL;
}

/* Reads a float of a type into its place. */
static const char *
parse_float(int tag, const char *text, void *place)
{
    char *end;
    double d = strtod(text, &end);
    bool infinite = fabs(d) > DBL_MAX;
    if (end == text || *end || isspace((unsigned char)*text))
        return "a number is expected";
    if (infinite && !strpbrk(text, "iI"))
        return "the number is out of range";
    if (tag == SNL_F64) {
        memcpy(place, &d, sizeof d);
    } else if (tag == SNL_F32) {
        float f = strtof(text, NULL);           /* rounds once */
        if (!infinite && fabsf(f) > FLT_MAX)
            return "the number is out of range";
        memcpy(place, &f, sizeof f);
    } else {
        snl_f16 h = snl_f64_to_f16(d);
        if (!infinite && (h & 0x7fffu) == 0x7c00u)
            return "the number is out of range";
        memcpy(place, &h, sizeof h);
    }
    return NULL;
}

static const char *
parse_scalar(int tag, const char *text, void *place)
{
    if (tag == SNL_BOOL)
        return parse_bool(text, (bool *)place);
    if (snl_scalar_is_float(tag))
        return parse_float(tag, text, place);
    return parse_integer(tag, text, place);
}

/* Finds a word among those between bars; its place there is the value. */
static const char *
parse_word(const char *words, const char *text, void *place)
{
    const size_t bytes = strlen(text);
    int32_t number = 0;
    for (const char *w = words; bytes; w += strcspn(w, "|") + 1, number++) {
        const size_t n = strcspn(w, "|");
        if (n == bytes && memcmp(w, text, n) == 0) {
            memcpy(place, &number, sizeof number);
            return NULL;
        }
        if (!w[n])
            break;
    }
    return "one of its words is expected";
}

const char *
snl_param_parse(const SnlMainParam *param, const char *text, void *params)
{
    int count = param->rows == 0 ? 1 : param->cols == 0 ? param->rows : param->rows * param->cols;
    unsigned char values[256 * 8];
    size_t bytes = (size_t)snl_scalar_bytes(param->tag);
    if (param->words)
        return parse_word(param->words, text, (char *)params + param->offset);
    if (param->tag == SNL_STRING) {
        memcpy((char *)params + param->offset, &text, sizeof text);
        return NULL;
    }
    for (int k = 0; k < count; k++) {
        char part[128];
        size_t n = strcspn(text, ",");
        const char *wrong;
        if (n >= sizeof part)
            return "the number is too long";
        memcpy(part, text, n);
        part[n] = '\0';
        wrong = parse_scalar(param->tag, part, values + (size_t)k * bytes);
        if (wrong)
            return wrong;
        text += n;
        if (k + 1 < count && *text++ != ',')
            return "there are too few components";
    }
    if (*text)
        return "there are too many components";
    memcpy((char *)params + param->offset, values, (size_t)count * bytes);
    return NULL;
}

/* ---- options ---- */

/* HELP_AT: the column of what help says of an option. */
enum { TYPE_TEXT = 48, HELP_AT = 26, HELP_WIDTH = 80 };

/* The type of a parameter as the program writes it. */
static const char *
param_type(const SnlMainParam *p, char *text)
{
    if (p->words)
        return p->words;
    int n = snprintf(text, TYPE_TEXT, "%s", type_name(p->tag));
    if (p->cols)
        snprintf(text + n, TYPE_TEXT - (size_t)n, "x%dx%d", p->rows, p->cols);
    else if (p->rows)
        snprintf(text + n, TYPE_TEXT - (size_t)n, "x%d", p->rows);
    return text;
}

/* Prints a text behind column HELP_AT in words, so that lines have no more than HELP_WIDTH columns;
 * a blank follows. */
static void
print_wrapped(const char *text)
{
    int column = HELP_AT;
    while (*text) {
        const int n = (int)strcspn(text, " \n");
        if (column > HELP_AT && column + 1 + n > HELP_WIDTH) {
            printf("\n%*s", HELP_AT, "");
            column = HELP_AT;
        }
        column += printf("%s%.*s", column > HELP_AT ? " " : "", n, text);
        text += n;
        text += strspn(text, " \n");
    }
    printf(" ");
}

static void
print_help(const SnlProgram *p)
{
    printf("Usage: %s [OPTION]...\n", p->name);
    if (p->param_count)
        printf("\nParameters:\n");
    for (int k = 0; k < p->param_count; k++) {
        const SnlMainParam *a = &p->params[k];
        const char *quote = a->tag == SNL_STRING ? "\"" : "";
        char type[TYPE_TEXT];
        int n = printf("  --%s=%s", a->name, param_type(a, type));
        printf("%*s", n < 25 ? 26 - n : 1, "");
        if (a->doc)
            print_wrapped(a->doc);
        printf("(default %s%s%s)\n", quote, a->default_text ? a->default_text : "0", quote);
    }
    printf(
        "\nOptions:\n"
        "  --threads=N             run on N threads (SNL_NUM_THREADS); otherwise on as many as\n"
        "                          pay, at most OMP_NUM_THREADS\n"
        "  --seed=N                seed of the random numbers (default 0)\n"
        "  --memory-limit=BYTES    most memory for fields, with K, M, G or T (SNL_MEMORY_LIMIT)\n");
    if (p->gpu)
        printf("  --device=N              number of the GPU, from 0 on (SNL_DEVICE); of this\n"
               "                          SNL_DEVICE_MEMORY bytes are taken at most\n");
    printf("  --stats                 print times of kernels and memory of nodes at the end\n"
           "  --trace=FILE            write the run of kernels as a Chrome trace\n"
           "  --progress=auto|never   show progress bars on a terminal, or never\n");
    if (!p->gpu)
        printf("  --flush-subnormals      take floats below the least normal one for 0\n");
    printf("  --help                  print this and exit\n"
           "  --version               print the version and exit\n");
}

static void
list_tests(const SnlProgram *p)
{
    for (int k = 0; k < p->test_count; k++)
        printf("%d\t%s\n", k, p->tests[k].name);
}

/* Reads bytes with an optional K, M, G or T. */
static bool
parse_bytes(const char *text, uint64_t *bytes)
{
    static const char suffixes[] = "KMGT";
    char digits[32];
    size_t n = strlen(text);
    const char *suffix = n ? strchr(suffixes, toupper((unsigned char)text[n - 1])) : NULL;
    int shift = suffix && *suffix ? 10 * (int)(suffix - suffixes + 1) : 0;
    n -= shift ? 1 : 0;
    if (n == 0 || n >= sizeof digits)
        return false;
    memcpy(digits, text, n);
    digits[n] = '\0';
    if (parse_magnitude(digits, bytes) || *bytes > UINT64_MAX >> shift)
        return false;
    *bytes <<= shift;
    return true;
}

const char *
snl_main_memory_limit(uint64_t *bytes)
{
    const char *limit = getenv("SNL_MEMORY_LIMIT");
    return limit && *limit && !parse_bytes(limit, bytes) ? limit : NULL;
}

static bool
parse_threads(const char *text, int *threads)
{
    uint64_t n;
    if (parse_magnitude(text, &n) || n < 1 || n > SNL_THREADS_MOST)
        return false;
    *threads = (int)n;
    return true;
}

/* A number of threads that is none. */
static bool
threads_error(CommandLine *line, const char *before, const char *given, const char *after)
{
    char tail[64];
    snprintf(tail, sizeof tail, "'%s; it is a number from 1 to %d", after, SNL_THREADS_MOST);
    return usage_error(line, before, given, tail);
}

static bool
parse_device(const char *text, int *device)
{
    uint64_t n;
    if (parse_magnitude(text, &n) || n > 65535)
        return false;
    *device = (int)n;
    return true;
}

/* Takes the GPU that the environment names, for programs that use one. */
static bool
read_device(CommandLine *line)
{
    const char *device = getenv("SNL_DEVICE");
    if (line->program->gpu && device && *device && !parse_device(device, &line->options.device))
        return usage_error(line, "bad value '", device, "' of SNL_DEVICE");
    return true;
}

/* Takes what the environment says; OMP_NUM_THREADS is for OpenMP itself, as the most threads. */
static bool
read_environment(CommandLine *line)
{
    const char *threads = getenv("SNL_NUM_THREADS");
    const char *wrong_limit = snl_main_memory_limit(&line->options.memory_limit);
    if (threads && *threads && !parse_threads(threads, &line->options.threads))
        return threads_error(line, "bad value '", threads, " of SNL_NUM_THREADS");
    if (wrong_limit)
        return usage_error(line, "bad value '", wrong_limit, "' of SNL_MEMORY_LIMIT");
    return read_device(line);
}

/* The options that are not parameters; hidden ones serve snlc test and snlc bench. */
typedef enum {
    OPTION_THREADS,
    OPTION_SEED,
    OPTION_MEMORY_LIMIT,
    OPTION_STATS,
    OPTION_TRACE,
    OPTION_PROGRESS,
    OPTION_FLUSH_SUBNORMALS,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_DEVICE,
    OPTION_TEST,
    OPTION_TESTS,
    OPTION_LIST_TESTS,
    OPTION_MEASURE,
    OPTION_COUNT
} Option;

static const struct {
    const char *name;
    bool takes_value;
} option_table[OPTION_COUNT] = {
    { "threads", true }, { "seed", true }, { "memory-limit", true }, { "stats", false },
    { "trace", true }, { "progress", true },
    { "flush-subnormals", false }, { "help", false }, { "version", false },
    { "device", true }, { "snl-test", true }, { "snl-tests", false }, { "snl-list-tests", false },
    { "snl-measure", true },
};

/* Reads WARMUP,REPEATS,LIMIT,LEAST,PROFILE,FILE. */
static bool
parse_measure(CommandLine *line, const char *value)
{
    SnlMeasure *m = &line->measure;
    int profile, bytes = 0;
    if (sscanf(value, "%d,%d,%lf,%lf,%d,%n", &m->warmup, &m->repeats, &m->limit, &m->least,
               &profile, &bytes) != 5 ||
        !bytes || m->warmup < 0 || m->repeats < 1 || m->repeats > 1000000)
        return false;
    m->profile = profile != 0;
    line->samples_file = value + bytes;
    return true;
}

/* Applies an option; false where its value is bad. */
static bool
apply_option(CommandLine *line, Option option, const char *value)
{
    const SnlProgram *p = line->program;
    SnlMainOptions *o = &line->options;
    uint64_t number;
    switch (option) {
    case OPTION_THREADS: return parse_threads(value, &o->threads);
    case OPTION_SEED: return parse_magnitude(value, &o->seed) == NULL;
    case OPTION_MEMORY_LIMIT: return parse_bytes(value, &o->memory_limit);
    case OPTION_STATS: o->stats = true; return true;
    case OPTION_TRACE:
        o->trace = true;
        line->trace_file = value;
        return *value != '\0';
    case OPTION_PROGRESS:
        o->progress = strcmp(value, "never") != 0;
        return !o->progress || strcmp(value, "auto") == 0;
    case OPTION_FLUSH_SUBNORMALS:
        return snl_flush_subnormals();
    case OPTION_HELP:
        print_help(p);
        line->done = true;
        return true;
    case OPTION_VERSION:
        printf("%s\n", p->version ? p->version : p->name);
        line->done = true;
        return true;
    case OPTION_DEVICE: return parse_device(value, &o->device);
    case OPTION_TEST:
        if (parse_magnitude(value, &number) || number >= (uint64_t)p->test_count)
            return false;
        line->test = (int)number;
        return true;
    case OPTION_TESTS: return line->tests = true;
    case OPTION_LIST_TESTS:
        list_tests(p);
        line->done = true;
        return true;
    case OPTION_MEASURE: return parse_measure(line, value);
    case OPTION_COUNT: break;
    }
    return false;
}

static int
find_param(const SnlProgram *p, const char *name, size_t n)
{
    for (int k = 0; k < p->param_count; k++)
        if (strlen(p->params[k].name) == n && memcmp(p->params[k].name, name, n) == 0)
            return k;
    return -1;
}

static int
find_option(const SnlProgram *p, const char *name, size_t n)
{
    const Option absent = p->gpu ? OPTION_FLUSH_SUBNORMALS : OPTION_DEVICE;
    for (int k = 0; k < OPTION_COUNT; k++)
        if (k != (int)absent && strlen(option_table[k].name) == n &&
            memcmp(option_table[k].name, name, n) == 0)
            return k;
    return -1;
}

/* ---- words that are like others ---- */

enum { NEAR_LETTERS = 32 };

/* How many letters to insert, drop or change, or to exchange with the next one, make `b` of the
 * first n letters of `a`; 3 and more is far. */
static int
word_distance(const char *a, int n, const char *b)
{
    int of[NEAR_LETTERS + 1][NEAR_LETTERS + 1];
    const int m = (int)strlen(b);
    if (n > NEAR_LETTERS || m > NEAR_LETTERS || n - m > 2 || m - n > 2)
        return 3;
    for (int j = 0; j <= m; j++)
        of[0][j] = j;
    for (int i = 1; i <= n; i++) {
        of[i][0] = i;
        for (int j = 1; j <= m; j++) {
            int best = of[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (of[i - 1][j] + 1 < best)
                best = of[i - 1][j] + 1;
            if (of[i][j - 1] + 1 < best)
                best = of[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                of[i - 2][j - 2] + 1 < best)
                best = of[i - 2][j - 2] + 1;
            of[i][j] = best;
        }
    }
    return of[n][m];
}

/* The parameter or option that is most like the first n letters of `name`; NULL: none is near. */
static const char *
nearest_option(const SnlProgram *p, const char *name, size_t n)
{
    int least = n < 2 ? 1 : n < 5 ? 2 : 3; /* short words must be nearer */
    const char *found = NULL;
    for (int k = 0; k < p->param_count + OPTION_TEST && n <= NEAR_LETTERS; k++) {
        const char *known = k < p->param_count ? p->params[k].name
                                               : option_table[k - p->param_count].name;
        const int distance = word_distance(name, (int)n, known);
        if (distance < least && (p->gpu || k != p->param_count + OPTION_DEVICE)) {
            least = distance;
            found = known;
        }
    }
    return found;
}

/* Reports an option that there is not, of which n letters are its name. */
static bool
unknown_option(CommandLine *line, const char *word, size_t n)
{
    char tail[NEAR_LETTERS + 32] = "'";
    const char *near = nearest_option(line->program, word + 2, n);
    if (near)
        snprintf(tail, sizeof tail, "'; did you mean --%s?", near);
    return usage_error(line, "unknown option '", word, tail);
}

/* Sets a parameter; a mistake is reported. */
static bool
apply_param(CommandLine *line, const SnlMainParam *param, const char *value)
{
    char head[256], type[TYPE_TEXT];
    const char *wrong = snl_param_parse(param, value, line->params);
    if (!wrong)
        return true;
    snprintf(head, sizeof head, "bad value '%.60s' for --%.60s, %s: ", value, param->name,
             param_type(param, type));
    return usage_error(line, head, wrong, "");
}

/* Reads the argument at *at, and the next one where that is its value. */
static bool
read_argument(CommandLine *line, int argc, char **argv, int *at)
{
    const SnlProgram *p = line->program;
    const char *word = argv[*at];
    const char *name = word + 2;
    size_t n;
    const char *value;
    int param, option;
    if (word[0] != '-' || word[1] != '-')
        return usage_error(line, "unexpected argument '", word, "'");
    n = strcspn(name, "=");
    value = name[n] == '=' ? name + n + 1 : NULL;
    param = find_param(p, name, n);
    option = param >= 0 ? -1 : find_option(p, name, n);
    if (param < 0 && option < 0)
        return unknown_option(line, word, n);
    if (!value && param >= 0 && p->params[param].tag == SNL_BOOL && p->params[param].rows == 0) {
        bool ignored;
        value = *at + 1 < argc && !parse_bool(argv[*at + 1], &ignored) ? argv[++*at] : "true";
    } else if (!value && (param >= 0 || option_table[option].takes_value)) {
        if (*at + 1 >= argc)
            return usage_error(line, "option '", word, "' needs a value");
        value = argv[++*at];
    }
    if (param >= 0)
        return apply_param(line, &p->params[param], value);
    if (value && !option_table[option].takes_value)
        return usage_error(line, "option '", word, "' takes no value");
    if (apply_option(line, (Option)option, value) || line->done)
        return true;
    if (option == OPTION_THREADS)
        return threads_error(line, "bad value of option '", word, "");
    if (option == OPTION_FLUSH_SUBNORMALS)
        return usage_error(line, "option '", word, "': this processor has no such mode");
    return usage_error(line, "bad value of option '", word, "'");
}

static bool
read_command_line(CommandLine *line, int argc, char **argv)
{
    if (!read_environment(line))
        return false;
    for (int at = 1; at < argc; at++) {
        if (strcmp(argv[at], "--") == 0)
            return at + 1 == argc ||
                   usage_error(line, "unexpected argument '", argv[at + 1], "'");
        if (!read_argument(line, argc, argv, &at))
            return false;
        if (line->done)
            return true;
    }
    return true;
}

/* ---- the run ---- */

/* Prints the message of the last error. */
static void
report_error(const SnlProgram *p, const void *instance)
{
    const char *text = instance ? p->message(instance) : "";
    fflush(stdout);
    if (text && *text)
        fprintf(stderr, "%s\n", text);
    else
        fprintf(stderr, "%s: out of memory\n", p->name);
}

/* A test that must fail does so with a certain text. */
static int
judge_test(const SnlProgram *p, const SnlMainTest *t, int status, const void *instance)
{
    const char *text = instance ? p->message(instance) : NULL;
    if (!t->fails && status == 0)
        return 0;
    if (!t->fails) {
        report_error(p, instance);
        return SNL_EXIT_ERROR;
    }
    fflush(stdout);
    if (status != 0 && text && strstr(text, t->fails))
        return 0;
    fprintf(stderr, "expected a run-time error containing \"%s\"", t->fails);
    if (status != 0)
        fprintf(stderr, ", got: %s\n", text ? text : "out of memory");
    else
        fprintf(stderr, ", but the test ended well\n");
    return SNL_EXIT_ERROR;
}

/* Writes the statistics and the trace that were asked for. */
static int
write_reports(const CommandLine *line, void *instance)
{
    const SnlProgram *p = line->program;
    FILE *f;
    bool good;
    int result = 0;
    if (line->options.stats && p->write_stats) {
        fflush(stdout);
        clearerr(stderr);
        p->write_stats(instance, stderr);
        result = ferror(stderr) ? SNL_EXIT_IO : 0;  /* there is no place to say so */
    }
    if (!line->trace_file || !p->write_trace)
        return result;
    f = fopen(line->trace_file, "w");
    if (f) {
        p->write_trace(instance, f);
        good = ferror(f) == 0;
        if (fclose(f) == 0 && good)
            return result;
    }
    fprintf(stderr, "%s: cannot write '%s': %s\n", p->name, line->trace_file, strerror(errno));
    return SNL_EXIT_IO;
}

/* Makes ready what a benchmark fills in; returns 0 or an exit status. */
static int
begin_measure(CommandLine *line)
{
    SnlMeasure *m = &line->measure;
    m->samples = calloc((size_t)m->repeats, sizeof *m->samples);
    m->out = m->samples ? fopen(line->samples_file, "w") : NULL;
    line->options.measure = m;
    if (m->out)
        return 0;
    fprintf(stderr, "%s: cannot write '%s': %s\n", line->program->name, line->samples_file,
            m->samples ? strerror(errno) : "out of memory");
    return SNL_EXIT_IO;
}

/* Ends it; returns 0 or an exit status. */
static int
end_measure(CommandLine *line)
{
    SnlMeasure *m = &line->measure;
    bool good = !m->out || ferror(m->out) == 0;
    int code;
    good = (!m->out || fclose(m->out) == 0) && good;
    code = errno;
    free(m->samples);
    if (good)
        return 0;
    fprintf(stderr, "%s: cannot write '%s': %s\n", line->program->name, line->samples_file,
            strerror(code));
    return SNL_EXIT_IO;
}

/* Makes the instance, runs main or the test, and writes the reports. */
static int
run_program(const CommandLine *line)
{
    const SnlProgram *p = line->program;
    const SnlMainTest *test = line->test >= 0 ? &p->tests[line->test] : NULL;
    void *instance = NULL;
    int status = p->create(line->params, &line->options, &instance);
    int result, reports = 0;
    if (status == 0)
        status = test ? test->run(instance) : p->run(instance);
    if (test) {
        result = judge_test(p, test, status, instance);
    } else {
        result = status == SNL_EDEVICE ? SNL_EXIT_DEVICE
                 : !instance           ? SNL_EXIT_MEMORY
                 : status              ? SNL_EXIT_ERROR
                                       : 0;
        if (status)
            report_error(p, instance);
    }
    if (instance) {
        reports = write_reports(line, instance);
        p->destroy(instance);
    }
    return result ? result : reports;
}

/* Runs a benchmark. */
static void
measure_program(CommandLine *line)
{
    int ended;
    line->status = begin_measure(line);
    if (!line->status)
        line->status = run_program(line);
    ended = end_measure(line);
    line->status = line->status ? line->status : ended;
}

/* Runs the tests whose numbers stand on the lines of standard input; says after each how it ended.
 */
static int
run_tests(CommandLine *line)
{
    char number[32];
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);  /* what a test prints before it crashes is not lost */
    while (fgets(number, sizeof number, stdin)) {
        const long test = strtol(number, NULL, 10);
        int status = SNL_EXIT_USAGE;
        if (test >= 0 && test < line->program->test_count) {
            line->test = (int)test;
            status = run_program(line);
        }
        fflush(stderr);
        printf(SNL_TEST_ENDED "%d\n", status);
        fflush(stdout);
    }
    return 0;
}

int
snl_main(int argc, char **argv, const SnlProgram *p)
{
    CommandLine line;
    signal(SIGXFSZ, SIG_IGN);   /* a limit on the size of files is an error like a full disk */
    memset(&line, 0, sizeof line);
    line.program = p;
    line.test = -1;
    line.options.progress = true;
    line.params = calloc(1, p->params_bytes + 1);
    if (!line.params) {
        fprintf(stderr, "%s: out of memory\n", p->name);
        return SNL_EXIT_MEMORY;
    }
    if (p->params_start)
        memcpy(line.params, p->params_start, p->params_bytes);
    if (p->params_default)
        p->params_default(line.params);
    if (read_command_line(&line, argc, argv) && !line.done) {
        if (line.tests)
            line.status = run_tests(&line);
        else if (!p->run && line.test < 0)
            usage_error(&line, "the program has no main", "", "");
        else if (line.samples_file)
            measure_program(&line);
        else
            line.status = run_program(&line);
    }
    free(line.params);
    if ((fflush(stdout) != 0 || ferror(stdout)) && line.status == 0) {
        fprintf(stderr, "%s: cannot write standard output: %s\n", p->name, strerror(errno));
        return SNL_EXIT_IO;
    }
    return line.status;
}
