/* snlc: the subcommand table and nothing else. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef SNL_HAVE_JANSSON
#include <jansson.h>
#include <stdlib.h>
#endif

#include "cli/cli.h"
#include "cli/tool/crash.h"

typedef int (*CommandFunction)(Cli *);

static const CommandFunction command_functions[] = {
#define COMMAND(id, letter, name, function, arguments, summary) function,
#include "cli/option/commands.def"
#undef COMMAND
};

/* Runs what was asked for; everything it allocates hangs off the arena. */
static int
run(Cli *cli, int argc, char **argv)
{
    int status = cli_parse(cli, argc, argv);
    if (status)
        return status;
    if (cli->version)
        return cmd_version(cli);
    if (cli->help) {
        cli_print_help(cli->command);
        return EXIT_OK;
    }
    if (cli->command == CMD_COUNT)
        return cli_usage(cli, "no command and no file");
    return cli->emit || cli->print_ir ? dump_files(cli) : command_functions[cli->command](cli);
}

#ifdef SNL_HAVE_JANSSON
/* Memory for JSON: as that of arenas, never NULL. */
static void *
get_memory(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p && bytes)
        arena_out_of_memory();
    return p;
}
#endif

int
main(int argc, char **argv)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* long texts grow by moving pages, not bytes */
#endif
#ifdef SNL_HAVE_JANSSON
    json_set_alloc_funcs(get_memory, free);
#endif
    char stack[CRASH_STACK_BYTES];
    crash_catch(stack, argv);
    signal(SIGCHLD, SIG_DFL); /* a parent that ignores it hands that on, and nothing could be said
                               * of the C compiler's end */
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error like a full disk */
    Sarif sarif = {0};
    Cli cli = {.arena = arena_new(), .program = argc > 0 ? argv[0] : "snlc", .sarif = &sarif};
    int status = run(&cli, argc, argv);
    cli_end_diags(&cli);
    arena_free(cli.arena);
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "snlc: cannot write standard output\n");
        return status ? status : EXIT_IO;
    }
    return status;
}
