/* check_options.c - the command line: every kind of option, response files, SNLC_FLAGS, and what is
 * refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "suite.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

/* Parses words that are separated by blanks; a word may not hold blanks. */
static int
parse(Cli *cli, const char *line)
{
    static char words[100000];
    static char *argv[20000];
    int argc = 0;
    unsetenv("SNLC_PATH");
    *cli = (Cli){.arena = arena_new(), .program = "snlc"};
    snprintf(words, sizeof words, "snlc %s", line);
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    argv[argc] = NULL;
    return cli_parse(cli, argc, argv);
}

static const char *
joined(Cli *cli, const Strings *list)
{
    Text t;
    text_init(&t, cli->arena);
    for (int i = 0; i < list->count; i++)
        text_add(&t, "%s%s", i ? " " : "", list->items[i]);
    return t.data ? t.data : "";
}

static void
write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

static const struct {
    const char *line;
    CommandId command;
    const char *files, *run_args;
} commands_table[] = {
    {"check a.snl", CMD_CHECK, "a.snl", ""},
    {"compile a.snl b.snl", CMD_COMPILE, "a.snl b.snl", ""},
    {"a.snl", CMD_COMPILE, "a.snl", ""},
    {"./a", CMD_COMPILE, "./a", ""},
    {"a.snl b.snl -O1", CMD_COMPILE, "a.snl b.snl", ""},
    {"-O1 a.snl", CMD_COMPILE, "a.snl", ""},
    {"-v check a.snl", CMD_CHECK, "a.snl", ""},
    {"--packed check a.snl", CMD_CHECK, "a.snl", ""},
    {"--diagnostics json check a.snl", CMD_CHECK, "a.snl", ""},
    {"-I run -D N=1 -O 2 --color never build a.snl", CMD_BUILD, "a.snl", ""},
    {"-MF test -Xcc bench build a.snl", CMD_BUILD, "a.snl", ""},
    {"--json version", CMD_VERSION, "", ""},
    {"--prefix config", CMD_CONFIG, "", ""},
    {"-o run a.snl", CMD_COMPILE, "a.snl", ""},
    {"run a.snl -- --n=4 x", CMD_RUN, "a.snl", "--n=4 x"},
    {"run a.snl --", CMD_RUN, "a.snl", ""},
    {"run -- a.snl", CMD_RUN, "a.snl", ""},
    {"run -- -a.snl -- x -- y", CMD_RUN, "-a.snl", "x -- y"},
    {"run -- a.snl --n=4 x", CMD_RUN, "a.snl", "--n=4 x"},
    {"run a.snl -- -- x", CMD_RUN, "a.snl", "-- x"},
    {"run --", CMD_RUN, "", ""},
    {"check -- -a.snl --packed", CMD_CHECK, "-a.snl --packed", ""},
    {"check a.snl -- b.snl", CMD_CHECK, "a.snl b.snl", ""},
    {"check check", CMD_CHECK, "check", ""},
    {"test a.snl --tap b.snl", CMD_TEST, "a.snl b.snl", ""},
    {"build --ta=cuda a.snl", CMD_BUILD, "a.snl", ""}, /* --tap is of test */
    {"help check", CMD_HELP, "check", ""},
    {"", CMD_COUNT, "", ""},
    {"--help", CMD_COUNT, "", ""},
};

START_TEST(commands)
{
    Cli cli;
    ck_assert_int_eq(parse(&cli, commands_table[_i].line), 0);
    ck_assert_int_eq(cli.command, commands_table[_i].command);
    ck_assert_str_eq(joined(&cli, &cli.files), commands_table[_i].files);
    ck_assert_str_eq(joined(&cli, &cli.run_args), commands_table[_i].run_args);
}
END_TEST

START_TEST(long_options)
{
    Cli cli;
    ck_assert_int_eq(
        parse(&cli,
              "build --output=x --header h.h --manifest=m --prefix=p --target=c --kind=shared "
              "--stats --time-trace=t --no-line --packed --no-assert --check=overflow --cc=tcc "
              "--nvcc nv --arch=generic --save-temps --verbose --quiet --color=always "
              "--diagnostics=sarif --jobs=3 a.snl"),
        0);
    ck_assert_str_eq(cli.output, "x");
    ck_assert_str_eq(cli.header, "h.h");
    ck_assert_str_eq(cli.manifest, "m");
    ck_assert_str_eq(cli.prefix, "p");
    ck_assert_int_eq(cli.kind, KIND_SHARED);
    ck_assert(cli.stats && cli.save_temps && cli.verbose && cli.options.quiet);
    ck_assert_str_eq(cli.time_trace, "t");
    ck_assert(cli.options.no_line && cli.options.packed && cli.options.no_assert);
    ck_assert_uint_eq(cli.options.check, CHECK_BOUNDS | CHECK_OVERFLOW | CHECK_RACE);
    ck_assert_str_eq(cli.cc, "tcc");
    ck_assert_str_eq(cli.nvcc, "nv");
    ck_assert_str_eq(cli.arch, "generic");
    ck_assert_int_eq(cli.color, 1);
    ck_assert_int_eq(cli.diagnostics, DIAGS_SARIF);
    ck_assert_int_eq(cli.jobs, 3);
}
END_TEST

START_TEST(short_options)
{
    Cli cli;
    ck_assert_int_eq(
        parse(&cli,
              "build -vqg -ox -I one -Itwo -DN=4 -D M=(1+2) -O3 -fno-fma -ffast "
              "-ffile-prefix-map=a=b "
              "-Wno-W0401 -Werror=W0201 -Werror -MD -MFdep.d -MT t1 -MT t2 -MP -j2 -Xcc -g -Xcc -w "
              "-Xlinker -s -Xnvcc -q -### a.snl"),
        0);
    ck_assert(cli.verbose && cli.options.quiet && cli.debug && cli.dry_run);
    ck_assert_str_eq(cli.output, "x");
    ck_assert_int_eq(cli.options.import_dirs.count, 2);
    ck_assert_str_eq(cli.options.import_dirs.items[1], "two");
    ck_assert_int_eq(cli.options.defines.count, 2);
    ck_assert_str_eq(cli.options.defines.items[0].name, "N");
    ck_assert_str_eq(cli.options.defines.items[1].value, "(1+2)");
    ck_assert_int_eq(cli.options.optimize, 3);
    ck_assert(cli.options.no_fma && cli.options.fast && cli.options.werror);
    ck_assert_str_eq(cli.options.prefix_maps.items[0], "a=b");
    ck_assert_str_eq(cli.options.warnings_off.items[0], "W0401");
    ck_assert_str_eq(cli.options.warnings_error.items[0], "W0201");
    ck_assert(cli.depfile && cli.depfile_phony);
    ck_assert_str_eq(cli.depfile_name, "dep.d");
    ck_assert_str_eq(joined(&cli, &cli.depfile_targets), "t1 t2");
    ck_assert_int_eq(cli.jobs, 2);
    ck_assert_str_eq(joined(&cli, &cli.cc_args), "-g -w");
    ck_assert_str_eq(joined(&cli, &cli.linker_args), "-s");
    ck_assert_str_eq(joined(&cli, &cli.nvcc_args), "-q");
    ck_assert_str_eq(joined(&cli, &cli.files), "a.snl");
}
END_TEST

START_TEST(defaults)
{
    Cli cli;
    ck_assert_int_eq(parse(&cli, "build a.snl"), 0);
    ck_assert_int_eq(cli.options.optimize, 2);
    ck_assert_uint_eq(cli.options.check, 0);
    ck_assert(!cli.options.packed && !cli.options.no_fma && !cli.options.fast &&
              !cli.options.werror);
    ck_assert_int_eq(cli.color, -1);
    ck_assert_int_eq(cli.diagnostics, DIAGS_TEXT);
    ck_assert_str_eq(cli.arch, "native");
    ck_assert_int_eq(cli.target, TARGET_C);
    ck_assert_int_eq(cli.timeout, 300);
    ck_assert_ptr_null(cli.output);
}
END_TEST

static const struct {
    const char *kinds;
    unsigned bits;
} check_kinds_table[] = {{"", CHECK_BOUNDS | CHECK_RACE},
                         {"=bounds", CHECK_BOUNDS},
                         {"=race", CHECK_RACE},
                         {"=overflow", CHECK_BOUNDS | CHECK_OVERFLOW | CHECK_RACE},
                         {"=bounds,race", CHECK_BOUNDS | CHECK_RACE},
                         {"=race,overflow", CHECK_BOUNDS | CHECK_OVERFLOW | CHECK_RACE}};

START_TEST(check_kinds)
{
    Cli cli;
    char line[100];
    snprintf(line, sizeof line, "build --check%s a.snl", check_kinds_table[_i].kinds);
    ck_assert_int_eq(parse(&cli, line), 0);
    ck_assert_uint_eq(cli.options.check, check_kinds_table[_i].bits);
    ck_assert_str_eq(joined(&cli, &cli.files), "a.snl");
}
END_TEST

static const struct {
    const char *line;
    int status;
} refused_table[] = {
    {"frob", 64},
    {"frob a.snl", 64},
    {"-O1 frob a.snl", 64},
    {"check --frob", 64},
    {"check -", 64},
    {"compile a.snl -", 64},
    {"run -", 64},
    {"check -Z", 64},
    {"check --tap a", 64},
    {"check -O2 a", 64},
    {"check -o x a", 64},
    {"run --kind=exe a", 64},
    {"explain --json", 64},
    {"check --color", 64},
    {"check --color=", 64},
    {"check --color=red", 64},
    {"check -I", 64},
    {"check -D", 64},
    {"check -D N", 64},
    {"check -D =1", 64},
    {"check -DN=", 64},
    {"run -O4 a", 64},
    {"run -O a", 64},
    {"run -O22 a", 64},
    {"run -O-1 a", 64},
    {"test -j0 a", 64},
    {"test -j-1 a", 64},
    {"test -j1x a", 64},
    {"test -j a", 64},
    {"test --jobs= a", 64},
    {"test --timeout=0 a", 64},
    {"test --jobs=1000001 a", 64},
    {"run --check=all", 64},
    {"run --check=bounds,x", 64},
    {"check -Wno-nothing", 64},
    {"check -Wno-E0201", 64},
    {"check -Werror=", 64},
    {"check -Wfrob", 64},
    {"compile -MX a", 64},
    {"compile -MF", 64},
    {"build -Xfoo a", 64},
    {"build -Xcc", 64},
    {"build --kind=x a", 64},
    {"check --packed=1 a", 64},
    {"compile --he=f.h a", 64},
    {"run a --threads=1", 64},
    {"check --diff a", 64},
    {"check @missing", 66},
    {"check -ffile-prefix-map=a=b a", 64},
    {"build -ffile-prefix-map=a a", 64},
    {"layout --prefix=x a", 64},
    {"config --prefix=x", 64},
};

START_TEST(refused)
{
    Cli cli;
    int status = parse(&cli, refused_table[_i].line);
    ck_assert_msg(status == refused_table[_i].status, "snlc %s: %d", refused_table[_i].line,
                  status);
}
END_TEST

START_TEST(response_files)
{
    static const struct {
        const char *text, *files;
    } table[] = {{"a.snl b.snl", "a.snl b.snl"},
                 {"  a.snl\n\tb.snl\r\n", "a.snl b.snl"},
                 {"", "z.snl"},
                 {"'a b.snl' \"c d.snl\"", "a b.snl c d.snl"},
                 {"a\\ b.snl", "a b.snl"},
                 {"\"a\\\"b.snl\"", "a\"b.snl"},
                 {"'a\\b.snl'", "a\\b.snl"},
                 {"a'b'\"c\".snl", "abc.snl"},
                 {"@inner.args", "inner.snl"}};
    Cli cli;
    write_file("inner.args", "inner.snl");
    for (int i = 0; i < COUNT(table); i++) {
        write_file("outer.args", table[i].text);
        ck_assert_int_eq(parse(&cli, i == 2 ? "check @outer.args z.snl" : "check @outer.args"), 0);
        ck_assert_str_eq(joined(&cli, &cli.files), table[i].files);
    }
    write_file("outer.args", "check -DN=3 a.snl");
    ck_assert_int_eq(parse(&cli, "@outer.args"), 0);
    ck_assert_int_eq(cli.command, CMD_CHECK);
    ck_assert_str_eq(cli.options.defines.items[0].value, "3");
    write_file("outer.args", "@outer.args");
    ck_assert_int_eq(parse(&cli, "check @outer.args"), 66);
    ck_assert_int_eq(parse(&cli, "run a.snl -- @outer.args"), 0);
    ck_assert_str_eq(joined(&cli, &cli.run_args), "@outer.args");
}
END_TEST

START_TEST(large_response_files)
{
    Cli cli;
    FILE *f = fopen("large.args", "w");
    ck_assert_ptr_nonnull(f);
    for (int i = 0; i < 50000; i++)
        fprintf(f, "file%d.snl\n", i);
    fclose(f);
    ck_assert_int_eq(parse(&cli, "check @large.args"), 0);
    ck_assert_int_eq(cli.files.count, 50000);
    ck_assert_str_eq(cli.files.items[49999], "file49999.snl");
}
END_TEST

START_TEST(flags_of_the_environment)
{
    Cli cli;
    setenv("SNLC_FLAGS", "-O1 --packed -I 'a b'", 1);
    ck_assert_int_eq(parse(&cli, "run a.snl"), 0);
    ck_assert_int_eq(cli.options.optimize, 1);
    ck_assert(cli.options.packed);
    ck_assert_str_eq(cli.options.import_dirs.items[0], "a b");
    ck_assert_int_eq(parse(&cli, "run -O3 a.snl"), 0);
    ck_assert_int_eq(cli.options.optimize, 3);
    /* Options of other commands do not disturb. */
    ck_assert_int_eq(parse(&cli, "check a.snl"), 0);
    ck_assert(cli.options.packed);
    setenv("SNLC_FLAGS", "-MF x.d -Xcc word --save-temps", 1);
    ck_assert_int_eq(parse(&cli, "check a.snl"), 0);
    ck_assert_str_eq(joined(&cli, &cli.files), "a.snl");
    setenv("SNLC_FLAGS", "--frob", 1);
    ck_assert_int_eq(parse(&cli, "check a.snl"), 64);
    unsetenv("SNLC_FLAGS");
}
END_TEST

START_TEST(folders_of_the_environment)
{
    Cli cli = {.arena = arena_new(), .program = "snlc"};
    char *argv[] = {(char *)"snlc", (char *)"check", (char *)"-Ifirst", (char *)"a.snl", NULL};
    setenv("SNLC_PATH", "one::two:", 1);
    ck_assert_int_eq(cli_parse(&cli, 4, argv), 0);
    ck_assert_int_eq(cli.options.import_dirs.count, 3);
    /* Those of the command line are searched first. */
    ck_assert_str_eq(cli.options.import_dirs.items[0], "first");
    ck_assert_str_eq(cli.options.import_dirs.items[1], "one");
    ck_assert_str_eq(cli.options.import_dirs.items[2], "two");
}
END_TEST

START_TEST(the_last_one_counts)
{
    Cli cli;
    ck_assert_int_eq(parse(&cli, "run -O1 --color=always -O3 --color=never -fno-fma -ffma a.snl"),
                     0);
    ck_assert_int_eq(cli.options.optimize, 3);
    ck_assert_int_eq(cli.color, 0);
    ck_assert(!cli.options.no_fma);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("options");
    TCase *group = tcase_create("all");
    tcase_add_loop_test(group, commands, 0, COUNT(commands_table));
    tcase_add_test(group, long_options);
    tcase_add_test(group, short_options);
    tcase_add_test(group, defaults);
    tcase_add_loop_test(group, check_kinds, 0, COUNT(check_kinds_table));
    tcase_add_loop_test(group, refused, 0, COUNT(refused_table));
    tcase_add_test(group, response_files);
    tcase_add_test(group, large_response_files);
    tcase_add_test(group, flags_of_the_environment);
    tcase_add_test(group, folders_of_the_environment);
    tcase_add_test(group, the_last_one_counts);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
