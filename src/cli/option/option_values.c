/* What options say: their values, and where these go. */
#include "config.h"

#include "cli/option/option.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "pass/pass.h"

/* "--name" of an option. */
static const char *
long_name_of(const Cli *cli, OptionId id)
{
    return arena_printf(cli->arena, "--%s", option_info(id)->long_name);
}

static int
parse_number(const Cli *cli, const char *option, const char *text, int lowest, int *out)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (errno || end == text || *end || v < lowest || v > 1000000)
        return cli_usage(cli, "%s needs a number of at least %d, not '%s'", option, lowest, text);
    *out = (int)v;
    return 0;
}

static int
add_check_kinds(Cli *cli, const char *text)
{
    if (!text) {
        cli->options.check |= CHECK_BOUNDS | CHECK_RACE;
        return 0;
    }
    static const struct { const char *name; unsigned bit;
    } kinds[] = {{"bounds", CHECK_BOUNDS},
                 {"overflow", CHECK_BOUNDS | CHECK_OVERFLOW | CHECK_RACE},
                 {"race", CHECK_RACE}};
    while (*text) {
        size_t n = strcspn(text, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strlen(kinds[i].name) == n && !strncmp(kinds[i].name, text, n))
                bit = kinds[i].bit;
        if (!bit)
            return cli_usage(cli, "--check knows bounds, overflow and race, not '%.*s'", (int)n,
                             text);
        cli->options.check |= bit;
        text += n + (text[n] == ',');
    }
    return 0;
}

/* What is said last of a name counts. */
static int
parse_define(Cli *cli, const char *text)
{
    const char *eq = strchr(text, '=');
    if (!eq || eq == text || !eq[1])
        return cli_usage(cli, "-D needs NAME=VALUE, not '%s'", text);
    const Define d = {arena_strndup(cli->arena, text, (size_t)(eq - text)), eq + 1, false};
    for (int i = 0; i < cli->options.defines.count; i++)
        if (!strcmp(cli->options.defines.items[i].name, d.name)) {
            cli->options.defines.items[i] = d;
            return 0;
        }
    vec_push(cli->arena, &cli->options.defines, d);
    return 0;
}

/* Takes a name out of a list: what is said last counts. */
static void
forget_name(const char **names, int *count, const char *name)
{
    int kept = 0;
    for (int i = 0; i < *count; i++)
        if (strcmp(names[i], name) != 0)
            names[kept++] = names[i];
    *count = kept;
}

static int
parse_f(Cli *cli, const char *text)
{
    if (!strncmp(text, "file-prefix-map=", 16)) {
        if (!strchr(text + 16, '='))
            return cli_usage(cli, "-ffile-prefix-map needs OLD=NEW");
        vec_push(cli->arena, &cli->options.prefix_maps, text + 16);
        return 0;
    }
    bool off = !strncmp(text, "no-", 3);
    const char *name = off ? text + 3 : text;
    if (!strcmp(name, "fma"))
        cli->options.no_fma = off;
    else if (!strcmp(name, "fast"))
        cli->options.fast = !off;
    else if (!pass_find(name)) {
        Nearest near = nearest_to(name);
        pass_names_try(&near);
        nearest_try(&near, "fma");
        nearest_try(&near, "fast");
        return cli_usage(cli, "-f%s: there is no pass '%s'%s", text, name,
                         near.found ? cli_did_you_mean(cli, &near, off ? "-fno-" : "-f")
                                    : "; snlc-compile(1) lists the passes");
    } else {
        const char *pass = pass_find(name);
        forget_name(cli->options.passes_off.items, &cli->options.passes_off.count, pass);
        if (off)
            vec_push(cli->arena, &cli->options.passes_off, pass);
    }
    return 0;
}

static int
parse_warning(Cli *cli, const char *text)
{
    Options *o = &cli->options;
    if (!strcmp(text, "error")) {
        o->werror = true;
        return 0;
    }
    if (!strcmp(text, "all") || !strcmp(text, "extra"))
        return 0;
    if (!strcmp(text, "perf") || !strcmp(text, "no-perf")) {
        o->perf = text[0] == 'p';
        return 0;
    }
    bool off = !strncmp(text, "no-", 3), error = !strncmp(text, "error=", 6);
    const char *name = off ? text + 3 : error ? text + 6 : text;
    if (name[0] != 'W' || diag_find(name) == DIAG_COUNT)
        return cli_usage(cli, "-W%s: there is no warning '%s' (see snlc explain --list)", text,
                         name);
    o->perf |= !off && diag_find(name) == W0601;
    forget_name(o->warnings_off.items, &o->warnings_off.count, name);
    if (off)
        vec_push(cli->arena, &o->warnings_off, name);
    if (error)
        vec_push(cli->arena, &o->warnings_error, name);
    return 0;
}

/* Finds a word among those of a row of options.def; *out is its place there. */
static int
parse_word_of(Cli *cli, OptionId id, const char *text, int *out)
{
    Strings words = {0};
    words_split(cli, option_info(id)->values, &words);
    Text t;
    text_init(&t, cli->arena);
    for (int i = 0; i < words.count; i++) {
        if (!strcmp(text, words.items[i])) {
            *out = i;
            return 0;
        }
        text_add(&t, "%s%s", i ? i + 1 < words.count ? ", " : " or " : "", words.items[i]);
    }
    return cli_usage(cli, "--%s must be %s, not '%s'", option_info(id)->long_name, t.data, text);
}

static int
set_diagnostics(Cli *cli, const char *value)
{
    int n = 0, status = parse_word_of(cli, OPT_DIAGNOSTICS, value, &n);
    cli->diagnostics = (DiagFormat)n;
    return status;
}

static int
set_color(Cli *cli, const char *value)
{
    int n = 0, status = parse_word_of(cli, OPT_COLOR, value, &n);
    cli->color = n == 2 ? -1 : n;
    return status;
}

static int
set_kind(Cli *cli, const char *value)
{
    int n = 0, status = parse_word_of(cli, OPT_KIND, value, &n);
    cli->kind = (OutputKind)n;
    return status;
}

static int
keep_main(Cli *cli, const char *value)
{
    int n = 0;
    cli->keeps_main = true;
    return parse_word_of(cli, OPT_COMPILE_KIND, value, &n);
}

static int
set_print_ir(Cli *cli, const char *value)
{
    cli->print_ir = true;
    cli->print_ir_stage = value;
    return 0;
}

static int
set_target(Cli *cli, const char *name)
{
    for (Target t = 0; t < TARGET_COUNT; t++)
        if (!strcmp(name, target_info(t)->name)) {
            cli->target = t;
            return 0;
        }
    return cli_usage(cli, "unknown target '%s'; snlc writes c, cuda and cuda-sim", name);
}

/* The options of one letter that are words: -MD, -MF FILE, -Xcc ARG. `argument` is the next word,
 * or NULL. */
static int
parse_m(Cli *cli, const char *text, const char *argument, bool *took)
{
    *took = false;
    if (!strcmp(text, "D") || !strcmp(text, "P")) {
        *(text[0] == 'D' ? &cli->depfile : &cli->depfile_phony) = true;
        return 0;
    }
    if (text[0] != 'F' && text[0] != 'T')
        return cli_usage(cli, "unknown option '-M%s'", text);
    const char *value = text[1] ? text + 1 : argument;
    if (!value || !*value)
        return cli_usage(cli, "-M%s needs a name", text);
    *took = !text[1];
    cli->depfile = true;
    if (text[0] == 'F')
        cli->depfile_name = value;
    else
        vec_push(cli->arena, &cli->depfile_targets, value);
    return 0;
}

/* The C compiler finds it from the folder of the generated source, which only compile lets the user
 * choose. */
static int
add_extern_header(Cli *cli, const char *path)
{
    char whole[PATH_MAX];
    vec_push(cli->arena, &cli->given_headers, path);
    if (cli->command != CMD_COMPILE) {
        if (!realpath(path, whole)) {
            cli_error(cli, E0801, "cannot read '%s': %s", path, strerror(errno));
            return EXIT_NOINPUT;
        }
        path = arena_strndup(cli->arena, whole, strlen(whole));
    }
    vec_push(cli->arena, &cli->extern_headers, path);
    return 0;
}

static int
parse_x(Cli *cli, const char *text, const char *argument, bool *took)
{
    Strings *list = !strcmp(text, "cc")       ? &cli->cc_args
                    : !strcmp(text, "nvcc")   ? &cli->nvcc_args
                    : !strcmp(text, "linker") ? &cli->linker_args
                                              : NULL;
    if (!list)
        return cli_usage(cli, "unknown option '-X%s'", text);
    if (!argument)
        return cli_usage(cli, "-X%s needs an argument", text);
    *took = true;
    vec_push(cli->arena, list, argument);
    return 0;
}

/* What rows of options.def do with the member of a Cli that they name. */
#define FLAG(member) cli->member = true; return 0
#define TEXT(member) cli->member = value; return 0
#define NUMBER(member, lowest) \
    return parse_number(cli, long_name_of(cli, id), value, lowest, &cli->member)
#define CALL(function) return function(cli, value)
#define SHORT break

int
option_set_long(Cli *cli, OptionId id, const char *value)
{
    switch (id) {
#define OPTION(id, long_name, show, commands, values, help, set) case OPT_##id: set;
#include "cli/option/options.def"
#undef OPTION
    case OPT_COUNT: break;
    }
    return 0;
}

int
option_set_short(Cli *cli, int letter, const char *value, const char *next, bool *took)
{
    *took = false;
    switch (letter) {
    case 'v': cli->verbose = true; return 0;
    case 'q': cli->options.quiet = true; return 0;
    case 'g': cli->debug = cli->options.debug = true; return 0;
    case 'o': cli->output = value; return 0;
    case 'I': vec_push(cli->arena, &cli->options.import_dirs, value); return 0;
    case 'D': return parse_define(cli, value);
    case 'f': return parse_f(cli, value);
    case 'W': return parse_warning(cli, value);
    case 'M': return parse_m(cli, value, next, took);
    case 'X': return parse_x(cli, value, next, took);
    case 'j': return parse_number(cli, "-j", value, 1, &cli->jobs);
    case '#': cli->dry_run = true; return 0;
    case 'O':
        if (value[0] < '0' || value[0] > '3' || value[1])
            return cli_usage(cli, "-O takes 0, 1, 2 or 3, not '%s'", value);
        cli->options.optimize = value[0] - '0';
        return 0;
    default: return EXIT_INTERNAL;
    }
}
