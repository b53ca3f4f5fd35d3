/* One compilation from file to text. */
#include "config.h"

#include "cli/tool/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ad/ad.h"
#include "base/diag_data.h"
#include "cli/tool/checkpoint.h"
#include "cli/tool/crash.h"
#include "cli/tool/output.h"
#include "cli/tool/signals.h"
#include "ir/ir.h"
#include "pass/pass.h"

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void
driver_stage(Drive *d, const char *name)
{
    double t = now();
    text_add(&d->trace,
             "%s\n  {\"name\": \"%s\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": %.3f, "
             "\"dur\": %.3f}",
             d->trace.count ? "," : "", name, (d->stage - d->started) * 1e6, (t - d->stage) * 1e6);
    d->stage = t;
}

/* True when diagnostics go to a terminal that wants colour. */
static bool
use_color(const Cli *cli)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return cli->color >= 0 ? cli->color
                           : isatty(STDERR_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

void
driver_print_diags(const Cli *cli, const Compile *c)
{
    if (!c->diags.count || cli->keeps_diags)
        return;
    diag_print_all(c, stderr, cli->diagnostics, use_color(cli), cli->sarif);
}

const char *
driver_first_error(const Drive *d, Arena *a)
{
    const Compile *c = &d->c;
    for (int i = 0; i < c->diags.count; i++)
        if (c->diags.items[i]->severity == DIAG_ERROR)
            return arena_strndup(a, c->diags.items[i]->text, strlen(c->diags.items[i]->text));
    return "errors";
}

static void
collect_inputs(Cli *cli, Drive *d)
{
    if (!d->prog)
        return;
    vec_push(cli->arena, &d->inputs, d->prog->source->path);
    for (int i = 0; i < d->prog->imports.count; i++)
        vec_push(cli->arena, &d->inputs, d->prog->imports.items[i]->path);
}

static const Table *
find_table(const Prog *prog, const char *name)
{
    for (int i = 0; i < prog->tables.count; i++)
        if (!strcmp(prog->tables.items[i]->name, name))
            return prog->tables.items[i];
    return NULL;
}

/* -D of a name that is no constant, or of a table. */
static void
warn_unused_define(Drive *d, const char *name, const char *file)
{
    const Table *table = find_table(d->prog, name);
    if (table) {
        Diag *w = diag(&d->c, W0801, table->span,
                       "-D %s: this is a table, which one value cannot replace", name);
        diag_fix(w, "a const as an element, as in { N, 2 }, and -D N=VALUE");
        return;
    }
    Diag *w =
        diag(&d->c, W0801, (Span){0, 0}, "-D %s: '%s' has no constant of that name", name, file);
    for (int i = 0; i < d->prog->params.count; i++)
        if (!strcmp(d->prog->params.items[i]->name, name))
            diag_note(w, (Span){0, 0}, "'%s' is a param, set by --%s=VALUE when the program runs",
                      name, name);
}

/* Is it one of the files, by whatever name? */
static bool
is_among(const struct stat *file, const Strings *files)
{
    struct stat other;
    for (int i = 0; i < files->count; i++)
        if (!stat(files->items[i], &other) && other.st_dev == file->st_dev &&
            other.st_ino == file->st_ino)
            return true;
    return false;
}

/* 0, or EXIT_USAGE after a message. */
static int
check_not_read(Cli *cli, const Drive *d, const char *path)
{
    struct stat output;
    if (stat(path, &output) || !S_ISREG(output.st_mode) ||
        (!is_among(&output, &d->inputs) && !is_among(&output, &cli->extern_headers)))
        return 0;
    return cli_usage(cli, "'%s' is read, and cannot be an output", path);
}

/* 0, or EXIT_USAGE after a message. What is there twice by one pointer is one output. */
static int
check_all(Cli *cli, const Drive *d, const Strings *outputs)
{
    for (int i = 0; i < outputs->count; i++) {
        const char *path = outputs->items[i];
        struct stat st;
        const bool is_file = stat(path, &st) ? strcmp(path, "-") != 0 : S_ISREG(st.st_mode);
        for (int k = 0; k < i && is_file; k++)
            if (outputs->items[k] != path && path_is_same(cli->arena, outputs->items[k], path))
                return cli_usage(cli, "'%s' cannot be two outputs", path);
        const int status = check_not_read(cli, d, path);
        if (status)
            return status;
    }
    return 0;
}

int
driver_check_outputs(Cli *cli, Drive *d, const char *const *more, size_t count)
{
    const char *const named[] = {cli->output,       cli->header,     cli->hpp,
                                 cli->manifest,     cli->depfile_name, cli->time_trace,
                                 cli->junit,        cli->bench_json, cli->plot};
    Strings outputs = {0};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (named[i])
            vec_push(cli->arena, &outputs, named[i]);
    for (size_t i = 0; i < count; i++)
        if (more[i])
            vec_push(cli->arena, &outputs, more[i]);
    const int status = check_all(cli, d, &outputs);
    if (status)
        text_cut(&d->trace, 0); /* which may be one of them */
    return status;
}

int
driver_check(Cli *cli, Drive *d, const char *file, unsigned check_kinds)
{
    memset(d, 0, sizeof *d);
    compile_init(&d->c);
    crash_watch(cli, &d->c);
    text_init(&d->trace, cli->arena);
    d->c.options = cli->options;
    d->c.options.no_warnings |= check_kinds != 0; /* the plain build has given them */
    d->c.options.check |= check_kinds;
    d->c.options.gpu = target_info(cli->target)->gpu;
    d->started = d->stage = now();
    errno = 0;
    d->prog = check_program(&d->c, file);
    for (int i = 0; d->prog && i < d->prog->funcs.count; i++)
        cli->has_foreign |= d->prog->funcs.items[i]->kind == FUNC_EXTERN;
    int error = errno;
    const char *stage = cli->print_ir ? cli->print_ir_stage : NULL;
    if (d->prog && !diag_error_count(&d->c) && !(stage && !strcmp(stage, "check")))
        ad_expand(&d->c, d->prog);
    driver_stage(d, "check");
    if (!d->prog) {
        cli_error(cli, error == EFBIG ? E0111 : E0801, "cannot read '%s': %s", file,
                  strerror(error ? error : EIO));
        return EXIT_NOINPUT;
    }
    collect_inputs(cli, d);
    int status = driver_check_outputs(cli, d, NULL, 0);
    if (status)
        return status;
    for (int i = 0; i < d->c.options.defines.count; i++)
        if (!d->c.options.defines.items[i].used && !diag_error_count(&d->c))
            warn_unused_define(d, d->c.options.defines.items[i].name, file);
    driver_print_diags(cli, &d->c);
    return diag_error_count(&d->c) ? EXIT_ERRORS : EXIT_OK;
}

/* True if no C but what is generated can call the program: then only what its main, tests and
 * benchmarks use is written. */
static bool
is_closed(const Cli *cli, const Prog *p, const EmitOptions *o)
{
    for (int i = 0; i < p->funcs.count; i++)
        if (p->funcs.items[i]->kind == FUNC_EXTERN)
            return false;
    return (o->with_main || o->with_tests || o->with_benchmarks) && !cli->header &&
           !cli->hpp && !cli->manifest && !cli->save_temps && !cli->debug &&
           cli->command != CMD_COMPILE;
}

/* What compiles fast need not be shared. */
static bool
can_be_parted(const Cli *cli, const EmitOptions *o)
{
    return o->closed && !o->gpu && cli->options.optimize >= 2;
}

/* The bytes that are made depend on options, but not on how many processors there are. */
static int
most_parts(const Cli *cli)
{
    return cli->jobs && cli->jobs < PARTS_MAX ? cli->jobs : PARTS_MAX;
}

/* In a copy of the process that broke: the passes run again, without that one. */
static void
leave_out(Cli *cli, Drive *d, const Broken *b)
{
    Compile *c = &d->c;
    const char *pass = arena_strndup(cli->arena, b->pass, strlen(b->pass));
    vec_push(c->arena, &c->options.passes_off, pass);
    Diag *w = diag(c, W0802, (Span){0, 0}, "pass %s is left out, because it broke: %s", pass,
                   b->error);
    if (b->report[0])
        diag_note(w, (Span){0, 0}, "please report this with the file '%s'", b->report);
    diag_fix(w, "until then, -fno-%s", pass);
    path_take_folder();
    d->said = true;
}

/* Runs the passes, again without one that breaks. */
static void
run_passes(Cli *cli, Drive *d, Ir *ir)
{
    Broken b;
    Text dump;
    const bool again = !diag_is_error(&d->c, W0802);
    text_init(&dump, cli->arena);
    while (again && checkpoint_set(&b))
        leave_out(cli, d, &b);
    passes_run(&d->c, ir, NULL, &dump);
    checkpoint_clear();
}

int
driver_emit(Cli *cli, Drive *d, const EmitOptions *options, Text *source, Text *header)
{
    if (strpbrk(options->header_name, "\"\n\r"))
        return cli_usage(cli, "no #include can name the header '%s'; %s gives it another name",
                         options->header_name,
                         cli->command == CMD_COMPILE ? "-o FILE or --header=FILE"
                                                     : "--header=FILE");
    EmitOptions emit = *options;
    emit.extern_headers = cli->extern_headers.items;
    emit.extern_header_count = cli->extern_headers.count;
    emit.gpu = d->c.options.gpu;
    emit.closed = is_closed(cli, d->prog, options);
    emit.parts = can_be_parted(cli, &emit) ? most_parts(cli) : 1;
    d->c.stage = (Stage){.name = "lowering"};
    Ir *ir = ir_lower(&d->c, d->prog);
    arena_hand_on(d->c.bodies, d->c.arena);
    driver_stage(d, "lower");
    d->said = d->c.diags.count > 0;
    d->c.diags.count = 0; /* what there was is printed */
    if (emit.gpu)
        ir_check_arrays(&d->c, ir);
    run_passes(cli, d, ir);
    if (cli->has_foreign)
        emit_check_names(&d->c, ir, &emit);
    driver_print_diags(cli, &d->c);
    if (diag_error_count(&d->c))
        return EXIT_ERRORS;
    driver_stage(d, "passes");
    d->c.stage = (Stage){.name = "emission"};
    d->parts = emit_files(&d->c, ir, &emit, header, source);
    d->c.stage = (Stage){0};
    driver_stage(d, "emit");
    if (cli->hpp && !cli->dry_run) {
        Text t;
        text_init(&t, cli->arena);
        emit_cpp(&d->c, ir, &emit, &t);
        const int status = output_text(cli, cli->hpp, &t);
        if (status)
            return status;
    }
    /* there is another build for the other tests */
    if (cli->manifest && !cli->dry_run && !options->check_tests_only) {
        Text t;
        text_init(&t, cli->arena);
        emit_manifest(&d->c, ir, &emit, &t);
        return output_text(cli, cli->manifest, &t);
    }
    return 0;
}

int
driver_end(Cli *cli, Drive *d, int status)
{
    if (cli->stats)
        for (int i = 0; i < d->c.stats.count; i++)
            fprintf(cli_side(cli), "%12.0f  %s\n", *(double *)d->c.stats.entries[i].value,
                    d->c.stats.entries[i].key);
    if (cli->time_trace && d->trace.count) {
        char *text = arena_printf(cli->arena, "{\"traceEvents\": [%s\n]}\n", d->trace.data);
        int wrote = output_write(cli, cli->time_trace, text, strlen(text));
        status = status ? status : wrote;
    }
    crash_watch(NULL, NULL);
    compile_free(&d->c);
    return status;
}

int
driver_check_names(Cli *cli)
{
    const Strings *files = &cli->files;
    if (files->count > 1 &&
        (cli->header || cli->hpp || cli->manifest || cli->prefix || cli->time_trace))
        return cli_usage(
            cli,
            "with several files, --header, --hpp, --manifest, --prefix and --time-trace cannot be "
            "given");
    for (int i = 0; i < files->count; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(path_with_suffix(cli->arena, path_base(files->items[i]), ""),
                        path_with_suffix(cli->arena, path_base(files->items[k]), "")))
                return cli_usage(cli, "'%s' and '%s' would have the same outputs", files->items[k],
                                 files->items[i]);
    return 0;
}

int
driver_check_several(Cli *cli)
{
    if (cli->files.count < 2)
        return 0;
    if (cli->output && !path_is_folder(cli->output))
        return cli_usage(cli, "with several files, -o must be a folder");
    if (cli->depfile_name)
        return cli_usage(cli, "with several files and outputs, -MF cannot be given");
    return driver_check_names(cli);
}

/* The work on one of the files, in a process of its own. */
static pid_t
fork_file(Cli *cli, int (*one)(Cli *, const char *), const char *file)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid)
        return pid;
    signals_release(cli);
    cli->jobs = 1;
    const int status = one(cli, file);
    _exit(fflush(stdout) ? EXIT_IO : status);
}

/* Up to -j files at a time. A signal ends them all. */
static int
files_in_parallel(Cli *cli, int (*one)(Cli *, const char *))
{
    int next = 0, running = 0, worst = 0;
    const int count = cli->files.count;
    pid_t *pids = ARENA_ARRAY(cli->arena, pid_t, count);
    signals_hold(cli);
    while (next < count || running) {
        if (signals_caught())
            next = count;
        if (next < count && running < cli->jobs) {
            const pid_t pid = fork_file(cli, one, cli->files.items[next++]);
            if (pid > 0)
                pids[running++] = pid;
            else
                worst = EXIT_IO;
            continue;
        }
        int status, i = 0;
        const pid_t ended = running ? signals_wait(cli, pids, running, &status) : 0;
        while (i < running && pids[i] != ended)
            i++;
        if (i == running)
            break;
        pids[i] = pids[--running];
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERNAL;
        worst = code > worst ? code : worst;
    }
    signals_release(cli); /* where a signal has come, this is the end */
    return worst;
}

int
driver_files(Cli *cli, int (*one)(Cli *cli, const char *file))
{
    int worst = driver_check_several(cli);
    /* which is one document */
    if (!worst && cli->jobs > 1 && cli->files.count > 1 && cli->diagnostics != DIAGS_SARIF)
        return files_in_parallel(cli, one);
    for (int i = 0; i < cli->files.count && worst != EXIT_USAGE; i++) {
        int status = one(cli, cli->files.items[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}
