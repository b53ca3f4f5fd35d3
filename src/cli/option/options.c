/* Parsing of the command line, driven by options.def and commands.def: help, words, and which
 * option each is; what it says is for option_values.c. */
#include "config.h"

#include "cli/option/option.h"
#include "cli/tool/toolchain.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "pass/pass.h"

int
cli_unknown_command(const Cli *cli, const char *name)
{
    Nearest near = nearest_to(name);
    for (int i = 0; i < CMD_COUNT; i++)
        nearest_try(&near, command_info((CommandId)i)->name);
    return cli_usage(cli, "there is no command '%s'%s", name, cli_did_you_mean(cli, &near, ""));
}

/* True when a command takes an option. */
static bool
option_applies(const OptionInfo *o, CommandId id)
{
    return o->commands[0] == '*' ||
           (command_info(id)->letter != ' ' && strchr(o->commands, command_info(id)->letter));
}

static void
print_options(CommandId id)
{
    puts("\nOptions:");
    for (int i = 0; i < OPT_COUNT; i++) {
        const OptionInfo *o = option_info((OptionId)i);
        if (!option_applies(o, id))
            continue;
        if (strlen(o->show) > 27)
            printf("  %s\n  %-27s  %s\n", o->show, "", o->help);
        else
            printf("  %-27s  %s\n", o->show, o->help);
    }
}

void
cli_print_help(CommandId id)
{
    if (id == CMD_COUNT) {
        puts("Usage: snlc [OPTION]... COMMAND [OPTION]... [FILE]...\n"
             "       snlc FILE.snl ...            the same as snlc compile FILE.snl ...\n"
             "\nTranslate programs in SNL, the structural node language, to C, and run them.\n"
             "\nCommands:");
        for (int i = 0; i < CMD_COUNT; i++) {
            const CommandInfo *command = command_info((CommandId)i);
            printf("  %-9s %s\n", command->name, command->summary);
        }
        puts("\n'snlc help COMMAND' shows the options of a command; each has a man page, "
             "snlc-COMMAND(1).\n"
             "The language is described in snl(5).");
        return;
    }
    printf("Usage: snlc %s [OPTION]... %s\n%c%s.\n", command_info(id)->name,
           command_info(id)->arguments, toupper((unsigned char)command_info(id)->summary[0]),
           command_info(id)->summary + 1);
    print_options(id);
}

/* The option of a letter; for -f also the argument decides. */
static OptionId
option_of_letter(int letter, const char *argument)
{
    if (letter == 'f' && argument && !strncmp(argument, "file-prefix-map=", 16))
        return OPT_PREFIX_MAP;
    for (int i = 0; i < OPT_COUNT; i++) {
        const char *s = option_info((OptionId)i)->show;
        if (s[0] == '-' && s[1] == letter)
            return (OptionId)i;
    }
    return OPT_COUNT;
}

static int
check_applies(const Cli *cli, OptionId id, const char *spelled)
{
    if (id < OPT_COUNT && option_applies(option_info(id), cli->command))
        return 0;
    return cli_usage(cli, "%s has no option '%s'", command_name(cli->command), spelled);
}

typedef enum { FROM_USER, FROM_ENVIRONMENT } Origin;

static const char short_options[] = ":o:I:D:O:f:gM:W:j:X:vq#";

/* Is it the second of two options with one name (--check, --prefix)? */
static bool
is_second(const OptionInfo *o)
{
    for (const OptionInfo *other = option_info(0); other < o; other++)
        if (other->long_name && !strcmp(other->long_name, o->long_name))
            return true;
    return false;
}

static int
option_argument(const OptionInfo *o)
{
    return strstr(o->show, "[=")  ? optional_argument
           : strchr(o->show, '=') ? required_argument
                                  : no_argument;
}

/* The long options of the command; those of all commands for the environment, which serves all. */
static struct option *
long_options(Cli *cli, Origin origin)
{
    struct option *list = ARENA_ARRAY(cli->arena, struct option, OPT_COUNT + 1);
    int n = 0;
    for (int i = 0; i < OPT_COUNT; i++) {
        const OptionInfo *o = option_info((OptionId)i);
        if (!o->long_name ||
            (origin == FROM_ENVIRONMENT ? is_second(o) : !option_applies(o, cli->command)))
            continue;
        list[n++] = (struct option){o->long_name, option_argument(o), NULL, 256 + i};
    }
    return list;
}

/* One option that getopt_long found; which is a letter, or 256 + OptionId. */
static int
set_option(Cli *cli, int which, int argc, char **argv)
{
    bool took = false;
    int status;
    if (which >= 256)
        status = option_set_long(cli, (OptionId)(which - 256), optarg);
    else
        status = option_set_short(cli, which, optarg, optind < argc ? argv[optind] : NULL, &took);
    optind += took;
    return status;
}

/* -Xcc ARG, -MF FILE, -MT TARGET. */
static bool
takes_next_word(int letter, const char *argument)
{
    return letter == 'X' ||
           (letter == 'M' && argument && strchr("FT", argument[0]) && !argument[1]);
}

/* Names of nothing are mistakes, of variables in scripts mostly; where that is the default, it is
 * taken. */
static bool
may_be_empty(OptionId id)
{
    return id == OPT_CC || id == OPT_NVCC || id == OPT_FILTER;
}

/* True for commands that run a program with the words after --. */
static bool
takes_program_args(CommandId id)
{
    return strstr(command_info(id)->arguments, "ARGS") != NULL;
}

/* A long option that the command does not have, or that is cut so short that it may be several. */
static int
complain_of_long(Cli *cli, const char *word)
{
    Text fitting;
    int count = 0;
    bool elsewhere = false;
    size_t n = strcspn(word, "=") - 2;
    Nearest near = nearest_to(arena_strndup(cli->arena, word + 2, n));
    text_init(&fitting, cli->arena);
    for (const OptionInfo *o = option_info(0); o < option_info(0) + OPT_COUNT; o++) {
        if (!o->long_name)
            continue;
        bool applies = option_applies(o, cli->command);
        bool fits = !strncmp(o->long_name, near.wanted, n);
        if (applies)
            nearest_try(&near, o->long_name);
        if (applies && fits)
            text_add(&fitting, "%s--%s", count++ ? ", " : "", o->long_name);
        elsewhere |= fits && !o->long_name[n];
    }
    if (count > 1)
        return cli_usage(cli, "option '%s' may be one of %s", word, fitting.data);
    const char *advice =
        takes_program_args(cli->command) ? "; options of the program stand after --" : "";
    if (elsewhere)
        return cli_usage(cli, "%s has no option '%.*s'%s", command_name(cli->command), (int)n + 2,
                         word, advice);
    return cli_usage(cli, "unknown option '%s'%s", word,
                     near.found ? cli_did_you_mean(cli, &near, "--") : advice);
}

/* argv[0] is the program. Options of other commands are errors, but in SNLC_FLAGS, which serves all
 * commands, they are skipped. */
static int
parse_options(Cli *cli, Origin origin, int argc, char **argv)
{
    const struct option *longs = long_options(cli, origin);
    optind = 0; /* GNU: start over, permuting */
    opterr = 0;
    for (;;) {
        int o = getopt_long(argc, argv, short_options, longs, NULL);
        if (o == -1)
            break;
        const char *word = argv[optind - 1];
        if (o == '?' && optopt >= 256)
            return cli_usage(cli, "option '--%s' takes no argument",
                             option_info((OptionId)(optopt - 256))->long_name);
        if (o == '?' && !optopt)
            return complain_of_long(cli, word);
        if (o == '?')
            return cli_usage(
                cli, "unknown option '-%c'%s", optopt,
                takes_program_args(cli->command) ? "; options of the program stand after --" : "");
        int which = o == ':' ? optopt : o;
        OptionId id = which >= 256 ? (OptionId)(which - 256) : option_of_letter(which, optarg);
        if (origin == FROM_ENVIRONMENT && id < OPT_COUNT &&
            !option_applies(option_info(id), cli->command)) {
            optind += optind < argc && takes_next_word(which, optarg);
            continue;
        }
        const char *spelled = which >= 256
                                  ? arena_printf(cli->arena, "--%s", option_info(id)->long_name)
                                  : arena_printf(cli->arena, "-%c", which);
        int status = check_applies(cli, id, spelled);
        if (!status && o == ':')
            status = cli_usage(cli, "option '%s' needs an argument", word);
        if (!status && optarg && !*optarg && !may_be_empty(id))
            status = cli_usage(cli, "option '%s' needs an argument, not ''", spelled);
        if (!status)
            status = set_option(cli, o, argc, argv);
        if (status)
            return status;
    }
    for (int i = optind; i < argc; i++)
        vec_push(cli->arena, &cli->files, (const char *)argv[i]);
    return 0;
}

/* Does the word after this option belong to it, in every command that has the option? */
static bool
takes_value(const char *word)
{
    const char *letter = strchr(short_options, word[1]);
    bool takes = false;
    if (word[1] != '-')
        return word[1] && letter && letter[1] == ':' &&
               (!word[2] || takes_next_word(word[1], word + 2));
    for (const OptionInfo *o = option_info(0); o < option_info(0) + OPT_COUNT; o++)
        if (o->long_name && !strncmp(o->long_name, word + 2, strlen(word + 2))) {
            takes = option_argument(o) == required_argument;
            if (!takes)
                break;
        }
    return takes;
}

/* Finds the command: the first word that names one and is no option or its value; else compile.
 * Returns its index or -1; *unknown is a word that looks like a command, but is none. */
static int
find_command(Cli *cli, const Strings *words, const char **unknown)
{
    for (int i = 0; i < words->count; i++) {
        const char *w = words->items[i];
        if (!strcmp(w, "--"))
            break;
        if (w[0] == '-') {
            i += takes_value(w);
            continue;
        }
        for (int k = 0; k < CMD_COUNT; k++)
            if (!strcmp(w, command_info((CommandId)k)->name)) {
                cli->command = (CommandId)k;
                return i;
            }
        if (strchr(w, '.') || strchr(w, '/'))
            break;
        *unknown = w;
        return -1;
    }
    cli->command = CMD_COMPILE;
    return -1;
}

static void
set_defaults(Cli *cli)
{
    Compile defaults;
    compile_init(&defaults);
    cli->options = defaults.options;
    compile_free(&defaults);
    cli->color = -1;
    cli->timeout = 300;
    cli->budget = 600;
    cli->warmup = -1;
    cli->arch = "native";
}

/* The folders of SNLC_PATH come after those of -I, the standard library after both. */
static void
add_import_path(Cli *cli)
{
    const char *path = getenv("SNLC_PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        if (n)
            vec_push(cli->arena, &cli->options.import_dirs,
                     (const char *)arena_strndup(cli->arena, path, n));
        path += n + (path[n] == ':');
    }
    cli->options.library = toolchain_runtime(cli).library;
}

/* Parses words, but for the one that names the command (its index, or -1). */
static int
parse_words(Cli *cli, Origin origin, const Strings *words, int command)
{
    int count = 1;
    char **list = ARENA_ARRAY(cli->arena, char *, words->count + 2);
    list[0] = arena_strndup(cli->arena, cli->program, strlen(cli->program));
    for (int i = 0; i < words->count; i++)
        if (i != command)
            list[count++] = arena_strndup(cli->arena, words->items[i], strlen(words->items[i]));
    return parse_options(cli, origin, count, list);
}

/* How to complain about what comes before it. */
static void
find_format(Cli *cli, const char *const *words, int count)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (!strcmp(words[i], "--diagnostics=json"))
            cli->diagnostics = DIAGS_JSON;
        else if (!strcmp(words[i], "--diagnostics=sarif"))
            cli->diagnostics = DIAGS_SARIF;
}

/* Programs import others beside them and outputs take their names, so all but fmt want a file; and
 * only text goes to standard output. */
static int
check_files(const Cli *cli)
{
    bool builds = cli->command == CMD_BUILD || cli->command == CMD_RUN ||
                  cli->command == CMD_TEST || cli->command == CMD_BENCH;
    if (builds && !cli->emit && !cli->print_ir && cli->output && !strcmp(cli->output, "-"))
        return cli_usage(cli, "what is built cannot go to standard output");
    for (int i = 0; i < cli->files.count; i++)
        if (!strcmp(cli->files.items[i], "-") && cli->command != CMD_FMT)
            return cli_usage(cli, "%s needs a file; only fmt reads standard input",
                             command_name(cli->command));
    return 0;
}

/* After --, everything is a file. For commands that run a program, what stands there is for the
 * program, but where no file came before the first word is it, behind which -- may stand again. */
static void
take_rest(Cli *cli)
{
    const Strings rest = cli->run_args;
    const bool runs = takes_program_args(cli->command);
    int count = runs ? rest.count && !cli->files.count : rest.count;
    for (int i = 0; i < count; i++) {
        vec_push(cli->arena, &cli->files, rest.items[i]);
        vec_push(cli->arena, &cli->words, rest.items[i]); /* for the cache */
    }
    count += runs && count && count < rest.count && !strcmp(rest.items[count], "--");
    cli->run_args = (Strings){0};
    for (int i = count; i < rest.count; i++)
        vec_push(cli->arena, &cli->run_args, rest.items[i]);
}

int
cli_parse(Cli *cli, int argc, char **argv)
{
    Strings words = {0}, flags = {0};
    cli->command = CMD_COUNT;
    set_defaults(cli);
    if (getenv("SNLC_FLAGS"))
        words_split(cli, getenv("SNLC_FLAGS"), &flags);
    find_format(cli, (const char *const *)argv, argc); /* response files may be missing */
    bool rest = false;
    for (int i = 1; i < argc; i++) {
        if (rest) {
            vec_push(cli->arena, &cli->run_args, (const char *)argv[i]);
            continue;
        }
        rest = !strcmp(argv[i], "--");
        int status = rest ? 0 : words_expand(cli, argv[i], &words, 0);
        if (status)
            return status;
    }
    const char *unknown = NULL;
    int at = find_command(cli, &words, &unknown);
    find_format(cli, words.items, words.count);
    if (unknown)
        return cli_unknown_command(cli, unknown);
    int status = parse_words(cli, FROM_ENVIRONMENT, &flags, -1);
    if (!status)
        status = parse_words(cli, FROM_USER, &words, at);
    if (status)
        return status;
    add_import_path(cli);
    for (int i = 0; i < flags.count; i++)
        vec_push(cli->arena, &words, flags.items[i]);
    cli->words = words;
    if (at < 0 && !cli->files.count && !cli->run_args.count)
        cli->command = CMD_COUNT; /* snlc alone, snlc --help, snlc --version */
    if (cli->command != CMD_COUNT)
        take_rest(cli);
    return cli->command == CMD_COUNT ? 0 : check_files(cli);
}
