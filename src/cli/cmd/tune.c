/* snlc tune: measures variants of the layouts marked @tune, one dimension after another, until none
 * gets faster. The plan and its order depend on the program alone. What is best so far is always in
 * the output, whole. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "cli/tool/bench.h"
#include "cli/tool/cache.h"
#include "cli/tool/output.h"
#include "cli/tool/tune.h"

enum { REPEATS = 10, WARMUP = 2, ROUNDS = 3, MEMORY_FACTOR = 4 };
/* A variant is better from this share of the time on; the rest may be chance. */
static const double BETTER = 0.99;
/* A variant is given up when its first runs take so many times as long as with the best one. */
static const double HOPELESS = 2;

typedef struct {
    const int *choice;
    const char *name, *text;
    const char *executable, *program;
    BenchResults results;    /* of each benchmark and number of threads */
    double ratio;            /* to the layouts as written; 0: not measured */
    const char *note;        /* why it was left out, or NULL */
} Variant;

typedef struct {
    Cli *cli;
    TunePlan plan;
    BenchThreads threads;
    VEC(const char *) titles; /* of the benchmarks that count */
    VEC(Variant *) variants;
    Variant *written, *best;
    double started;
    int64_t bytes;           /* of the layouts as written, 0: known at run time */
    int status;
} Tuner;

/* ---- one variant ---- */

static int64_t
layout_bytes(const Prog *p)
{
    int64_t sum = 0;
    for (int i = 0; i < p->layouts.count; i++)
        for (int k = 0; k < p->layouts.items[i]->tops.count; k++)
            sum += p->layouts.items[i]->tops.items[k]->container_bytes;
    return sum;
}

/* Builds the program with the layouts of a variant. */
static int
build_variant(Tuner *t, Variant *v)
{
    Cli *cli = t->cli;
    Cli own = *cli;
    Drive d;
    EmitOptions options = {.with_benchmarks = true};
    own.output = NULL; /* it is for the layouts that win */
    own.options.tuned = v->text;
    own.options.no_warnings = true;
    own.keeps_diags = t->written != NULL;
    int status = driver_check(&own, &d, cli->files.items[0], 0);
    if (!status) {
        int64_t bytes = layout_bytes(d.prog);
        v->program = arena_strndup(cli->arena, d.prog->name, strlen(d.prog->name));
        if (t->written && t->bytes && bytes / MEMORY_FACTOR > t->bytes)
            v->note = arena_printf(cli->arena, "not tried: %.1f times the memory",
                                   (double)bytes / (double)t->bytes);
        else
            status = cache_executable(&own, &d, &options, &v->executable);
        if (!t->written)
            t->bytes = bytes;
    }
    if (status == EXIT_ERRORS && diag_error_count(&d.c) && t->written) {
        v->note = arena_printf(cli->arena, "left out: with it the program has errors: %s",
                               driver_first_error(&d, cli->arena));
        status = 0;
    }
    return driver_end(&own, &d, status);
}

/* Never 0, which clocks may give for an empty loop. */
static double
median_of(const Tuner *t, const BenchResult *r)
{
    return fmax(bench_summary(t->cli->arena, &r->samples).median, 1e-9);
}

/* What the same benchmark took with the best layouts so far, for giving up early. */
static double
limit_of(const Tuner *t, int number)
{
    if (!t->best)
        return 0;
    return HOPELESS * median_of(t, &t->best->results.items[number]);
}

/* Runs each benchmark. What fails, or prints other things than with the layouts as written, is left
 * out. */
static int
run_variant(Tuner *t, Variant *v, BenchResults *out)
{
    Cli *cli = t->cli;
    BenchJob job = {.executable = v->executable,
                    .program = v->program,
                    .repeats = cli->repeats ? cli->repeats : REPEATS,
                    .warmup = cli->warmup >= 0 ? cli->warmup : WARMUP,
                    .timeout = cli->timeout};
    for (int i = 0; i < t->titles.count; i++)
        for (int k = 0;
             t->titles.items[i] && k < t->threads.count && !v->note && !bench_interrupted(); k++) {
            BenchResult r = {.title = t->titles.items[i]};
            job.number = i;
            job.threads = t->threads.items[k];
            job.limit = v == t->best || v == t->written ? 0 : limit_of(t, out->count);
            int status = bench_run(cli, &job, &r);
            if (status)
                return status;
            if (r.interrupted)
                return 0;
            if (r.failure)
                v->note = arena_printf(cli->arena, "left out: \"%s\" %s\n%s", r.title, r.failure,
                                       r.output);
            else if (r.samples.count < job.repeats && job.limit > 0)
                v->note =
                    arena_printf(cli->arena, "given up: more than %.0f times as slow", HOPELESS);
            else if (t->written && strcmp(r.output, t->written->results.items[out->count].output))
                v->note =
                    arena_printf(cli->arena, "left out: \"%s\" prints something else", r.title);
            else
                vec_push(cli->arena, out, r);
        }
    return 0;
}

/* Geometric mean of the ratios of medians. */
static double
ratio_of(const Tuner *t, const BenchResults *x, const BenchResults *y)
{
    double sum = 0;
    for (int i = 0; i < x->count; i++)
        sum += log(median_of(t, &x->items[i]) / median_of(t, &y->items[i]));
    return exp(sum / x->count);
}

static void
print_variant(const Tuner *t, const Variant *v)
{
    if (t->cli->options.quiet)
        return;
    if (v->note)
        printf("%4d  %9s  %s  (%s)\n", t->variants.count, "-", v->name, v->note);
    else
        printf("%4d  %9.3f  %s\n", t->variants.count, v->ratio, v->name);
    fflush(stdout);
}

/* ---- the output ---- */

/* The best layouts so far, with a line that says where they come from. */
static int
write_best(Tuner *t)
{
    Text out;
    const Variant *v = t->best;
    if (!t->cli->output)
        return 0;
    text_init(&out, t->cli->arena);
    text_line(&out, "// Layouts of %s, %s; written by snlc tune.",
              path_base(t->cli->files.items[0]), v->name);
    text_line(&out,
              "// Take this import out of the program and the layouts marked @tune are back.");
    text_raw(&out, v->text, strlen(v->text));
    return output_text(t->cli, t->cli->output, &out);
}

/* ---- the search ---- */

static Variant *
new_variant(Tuner *t, const int *choice)
{
    Arena *a = t->cli->arena;
    Variant *v = ARENA_NEW(a, Variant);
    Text text;
    int *own = ARENA_ARRAY(a, int, t->plan.dims.count + 1);
    memcpy(own, choice, sizeof *own * (size_t)t->plan.dims.count);
    text_init(&text, a);
    tune_text(&t->plan, own, NULL, &text);
    *v = (Variant){.choice = own, .name = tune_name(&t->plan, own), .text = text.data};
    return v;
}

/* The variant of the same text that was tried before, or NULL. */
static Variant *
find_variant(const Tuner *t, const Variant *v)
{
    for (int i = 0; i < t->variants.count; i++)
        if (!strcmp(t->variants.items[i]->text, v->text))
            return t->variants.items[i];
    return NULL;
}

static bool
is_over(const Tuner *t)
{
    return t->status || bench_interrupted() || bench_clock() - t->started > t->cli->budget;
}

/* Measures a choice, unless that was done before. */
static void
try_choice(Tuner *t, const int *choice)
{
    Variant *v = new_variant(t, choice);
    if (is_over(t) || find_variant(t, v))
        return;
    t->status = build_variant(t, v);
    if (!t->status && !v->note)
        t->status = run_variant(t, v, &v->results);
    if (bench_interrupted()) /* which ends a C compiler too */
        t->status = 0;
    if (t->status || bench_interrupted())
        return;
    vec_push(t->cli->arena, &t->variants, v);
    if (!v->note)
        v->ratio = t->written ? ratio_of(t, &v->results, &t->written->results) : 1;
    if (!t->written && !v->note)
        t->written = v;
    print_variant(t, v);
    if (!v->note && (!t->best || v->ratio < BETTER * t->best->ratio)) {
        t->best = v;
        t->status = write_best(t);
    }
}

/* The number of the option in another dimension that is called as option `o` of `d`; -1 where there
 * is none. */
static int
same_option(const TunePlan *p, int d, int o, int other)
{
    const TuneDim *from = &p->dims.items[d], *to = &p->dims.items[other];
    for (int i = 1; from->kind == to->kind && i < to->names.count; i++)
        if (!strcmp(from->names.items[o], to->names.items[i]))
            return i;
    return -1;
}

/* Is it an option of several layouts, and this the first of them? */
static bool
is_shared(const TunePlan *p, int d, int o)
{
    bool shared = false;
    for (int k = 0; k < p->dims.count && o > 0; k++) {
        if (k == d || same_option(p, d, o, k) < 0)
            continue;
        if (k < d)
            return false;
        shared = true;
    }
    return shared;
}

static bool
has_shared(const TunePlan *p)
{
    for (int d = 0; d < p->dims.count; d++)
        for (int o = 0; o < p->dims.items[d].names.count; o++)
            if (is_shared(p, d, o))
                return true;
    return false;
}

typedef enum { IN_ALL_LAYOUTS, IN_ONE_LAYOUT } Reach;

/* Each option, with the others as they are best. */
static void
try_options(Tuner *t, Reach reach, int *choice)
{
    const TunePlan *p = &t->plan;
    for (int d = 0; d < p->dims.count; d++)
        for (int o = 0; o < p->dims.items[d].names.count; o++) {
            if (reach == IN_ALL_LAYOUTS && !is_shared(p, d, o))
                continue;
            memcpy(choice, t->best->choice, sizeof *choice * (size_t)p->dims.count);
            choice[d] = o;
            for (int k = 0; k < p->dims.count && reach == IN_ALL_LAYOUTS; k++)
                if (k != d && same_option(p, d, o, k) >= 0)
                    choice[k] = same_option(p, d, o, k);
            try_choice(t, choice);
        }
}

/* Options that several layouts have in all of them at once, for a loop over fields of two layouts
 * suffers where only one of them changes; then each dimension in turn; until a round brings
 * nothing. */
static void
search_in_turn(Tuner *t)
{
    int *choice = ARENA_ARRAY(t->cli->arena, int, t->plan.dims.count + 1);
    const Variant *before = NULL;
    while (before != t->best && !is_over(t)) {
        before = t->best;
        try_options(t, IN_ALL_LAYOUTS, choice);
        try_options(t, IN_ONE_LAYOUT, choice);
    }
}

/* Every combination, the last dimension fastest. */
static void
search_all(Tuner *t)
{
    int count = t->plan.dims.count, *choice = ARENA_ARRAY(t->cli->arena, int, count + 1);
    for (int d = 0; d >= 0 && !is_over(t);) {
        try_choice(t, choice);
        for (d = count - 1; d >= 0 && choice[d] + 1 == t->plan.dims.items[d].names.count; d--)
            choice[d] = 0;
        if (d >= 0)
            choice[d]++;
    }
}

static double
keep_written(Tuner *t)
{
    t->best = t->written;
    t->status = write_best(t);
    return 1;
}

/* The best layouts and those that are written take turns; these stay unless the others are better
 * again. */
static double
confirm(Tuner *t)
{
    BenchResults results[2] = {0};
    Variant *pair[2] = {t->best, t->written};
    if (t->best == t->written || t->status || bench_interrupted())
        return t->best->ratio;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 2; i++) {
            BenchResults one = {0};
            t->status = run_variant(t, pair[i], &one);
            if (t->status || bench_interrupted())
                return t->best->ratio;
            if (pair[i]->note)
                return keep_written(t);
            for (int k = 0; k < one.count; k++) {
                if (!round)
                    vec_push(t->cli->arena, &results[i], one.items[k]);
                for (int s = 0; round && s < one.items[k].samples.count; s++)
                    vec_push(t->cli->arena, &results[i].items[k].samples,
                             one.items[k].samples.items[s]);
            }
        }
    double ratio = ratio_of(t, &results[0], &results[1]);
    if (ratio < BETTER)
        return ratio;
    return keep_written(t);
}

/* ---- reports ---- */

static void
print_plan(const Tuner *t)
{
    double all = 1;
    for (int i = 0; i < t->titles.count; i++)
        if (t->titles.items[i])
            printf("benchmark \"%s\"\n", t->titles.items[i]);
    for (int i = 0; i < t->plan.dims.count; i++) {
        const TuneDim *d = &t->plan.dims.items[i];
        printf("layout %s:", d->title);
        for (int k = 0; k < d->names.count; k++)
            printf("%s %s", k ? "," : "", d->names.items[k]);
        printf("\n");
        all *= d->names.count;
    }
    for (int i = 0; i < t->plan.remarks.count; i++)
        printf("%s\n", t->plan.remarks.items[i]);
    const char *how = t->cli->all ? ""
                      : has_shared(&t->plan)
                          ? "; what several lines have is tried in all of them, then one line at a "
                            "time, until none brings anything"
                          : "; one line is gone through at a time, until none brings anything";
    printf("%.0f combinations%s\n", all, how);
}

/* The layouts as written, and what each option of the plan makes of one. */
static void
print_variants(Tuner *t)
{
    int count = t->plan.dims.count, *choice = ARENA_ARRAY(t->cli->arena, int, count + 1);
    for (int d = -1; d < count; d++)
        for (int o = d < 0 ? 0 : 1; o < (d < 0 ? 1 : t->plan.dims.items[d].names.count); o++) {
            memset(choice, 0, sizeof *choice * (size_t)count);
            if (d >= 0)
                choice[d] = o;
            Text text;
            text_init(&text, t->cli->arena);
            tune_text(&t->plan, choice, d < 0 ? NULL : t->plan.dims.items[d].layout, &text);
            printf("\n// %s\n%s", tune_name(&t->plan, choice), text.data);
        }
}

static int
write_json(Tuner *t)
{
    Text out;
    text_init(&out, t->cli->arena);
    text_add(&out, "{\"snlc-tune\": 1, \"file\": ");
    text_json(&out, t->cli->files.items[0]);
    text_add(&out, ", \"best\": ");
    text_json(&out, t->best->name);
    text_add(&out, ",\n \"variants\": [\n");
    for (int i = 0; i < t->variants.count; i++) {
        const Variant *v = t->variants.items[i];
        text_add(&out, "  {\"name\": ");
        text_json(&out, v->name);
        if (v->note) {
            text_add(&out, ", \"note\": ");
            text_json(&out, v->note);
        } else
            text_add(&out, ", \"ratio\": %.4f", v->ratio);
        text_add(&out, ", \"layouts\": ");
        text_json(&out, v->text);
        text_add(&out, "}%s\n", i + 1 < t->variants.count ? "," : "");
    }
    text_add(&out, " ]}\n");
    return output_text(t->cli, t->cli->bench_json, &out);
}

static void
report(Tuner *t, double ratio)
{
    const char *word = bench_interrupted()                           ? "stopped; "
                       : bench_clock() - t->started > t->cli->budget ? "the time is up; "
                                                                     : "";
    printf("%sbest of %d: %s, %.3f of the time\n", word, t->variants.count, t->best->name, ratio);
    if (!t->cli->output)
        printf("\n%s", t->best->text);
    else if (!t->cli->options.quiet)
        printf("%s is written; the program takes it with import \"%s\";\n", t->cli->output,
               path_base(t->cli->output));
}

/* ---- the command ---- */

/* The benchmarks by number; NULL for those that do not count. */
static int
find_benchmarks(Tuner *t, const Prog *p)
{
    int count = 0;
    for (int i = 0; i < p->tests.count; i++) {
        const Func *f = p->tests.items[i];
        if (f->kind != FUNC_BENCHMARK)
            continue;
        bool wanted = bench_is_wanted(t->cli, f);
        vec_push(t->cli->arena, &t->titles, wanted ? f->title : NULL);
        count += wanted;
    }
    if (count)
        return 0;
    cli_error(t->cli, E0804, "'%s' has no benchmark%s%s to measure its layouts with",
              t->cli->files.items[0], t->cli->filter ? " whose name contains " : "",
              t->cli->filter ? t->cli->filter : "");
    return EXIT_ERRORS;
}

static int
prepare(Tuner *t, Drive *d)
{
    Cli *cli = t->cli;
    cli->options.keep_syntax = true;
    cli->options.tuned = "";
    int status = driver_check(cli, d, cli->files.items[0], 0);
    cli->options.keep_syntax = false;
    if (!status)
        status = find_benchmarks(t, d->prog);
    if (status)
        return status;
    tune_plan(cli, d, &t->plan);
    if (t->plan.dims.count)
        return 0;
    if (t->plan.remarks.count)
        cli_error(cli, E0804, "%s", t->plan.remarks.items[0]);
    else if (t->plan.layouts.count)
        cli_error(cli, E0804, "there is nothing to change in the layouts marked @tune in '%s'",
                  cli->files.items[0]);
    else
        cli_error(cli, E0804, "'%s' has no layout marked @tune", cli->files.items[0]);
    return EXIT_ERRORS;
}

static int
tune(Tuner *t)
{
    int *written = ARENA_ARRAY(t->cli->arena, int, t->plan.dims.count + 1);
    if (!t->cli->options.quiet || t->cli->plan)
        print_plan(t);
    if (t->cli->plan) {
        print_variants(t);
        return 0;
    }
    if (!t->cli->options.quiet)
        printf("\n%4s  %9s  %s\n", "", "time", "layouts");
    bench_catch_signals();
    t->started = bench_clock();
    try_choice(t, written);
    if (!t->status && !bench_interrupted() && !t->best) {
        cli_error(t->cli, E0804, "the layouts as written cannot be measured");
        return EXIT_ERRORS;
    }
    if (!t->best)
        return t->status;
    if (t->cli->all)
        search_all(t);
    else
        search_in_turn(t);
    double ratio = confirm(t);
    if (t->cli->bench_json && !t->status)
        t->status = write_json(t);
    if (!t->status)
        report(t, ratio);
    return t->status;
}

int
cmd_tune(Cli *cli)
{
    Tuner t = {.cli = cli};
    Drive d;
    int status = bench_read_threads(cli, &t.threads);
    if (status)
        return status;
    if (cli->files.count != 1)
        return cli_usage(cli, cli->files.count
                                  ? "tune takes one file; arguments of the program stand after --"
                                  : "tune needs a file");
    status = prepare(&t, &d);
    if (!status)
        status = tune(&t);
    status = driver_end(cli, &d, status);
    if (bench_interrupted())
        bench_raise();
    return status;
}
