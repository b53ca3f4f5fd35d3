/* snlc run: build in the cache and run; or interpret. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool/cache.h"
#include "interp/interp.h"

/* Replaces this process by the program. */
static int
start_program(Cli *cli, const char *path, const char *name)
{
    char **argv = ARENA_ARRAY(cli->arena, char *, cli->run_args.count + 2);
    argv[0] = arena_strndup(cli->arena, name, strlen(name));
    for (int i = 0; i < cli->run_args.count; i++)
        argv[i + 1] =
            arena_strndup(cli->arena, cli->run_args.items[i], strlen(cli->run_args.items[i]));
    cli_end_diags(cli);
    fflush(NULL);
    execv(path, argv);
    cli_error(cli, E0803, "cannot run '%s': %s", path, strerror(errno));
    return EXIT_IO;
}

static int
interpret(Cli *cli, Drive *d)
{
    char **argv = ARENA_ARRAY(cli->arena, char *, cli->run_args.count + 2);
    argv[0] = arena_strndup(cli->arena, d->prog->name, strlen(d->prog->name));
    cli_end_diags(cli);
    for (int i = 0; i < cli->run_args.count; i++)
        argv[i + 1] =
            arena_strndup(cli->arena, cli->run_args.items[i], strlen(cli->run_args.items[i]));
    return interp_main(&d->c, d->prog, cli->run_args.count + 1, argv);
}

int
cmd_run(Cli *cli)
{
    if (cli->files.count != 1)
        return cli_usage(cli, cli->files.count
                                  ? "run takes one file; arguments of the program stand after --"
                                  : "run needs a file");
    if (cli->interpret && cache_keeps(cli))
        return cli_usage(cli, "--interpret makes no files");
    const char *path = NULL, *name = NULL;
    bool measured = cli->stats || cli->time_trace; /* the compilation: there must be one */
    if (!cli->interpret && !measured && (path = cache_recall(cli, &name)))
        return start_program(cli, path, name);
    Drive d;
    int status = driver_check(cli, &d, cli->files.items[0], 0);
    if (!status && !d.prog->main) {
        cli_error(cli, E0804, "'%s' has no main to run; its tests are run by snlc test",
                  cli->files.items[0]);
        status = EXIT_ERRORS;
    }
    if (status)
        return driver_end(cli, &d, status);
    if (cli->interpret)
        return driver_end(cli, &d, interpret(cli, &d));
    name = arena_strndup(cli->arena, d.prog->name, strlen(d.prog->name));
    EmitOptions options = {.with_main = true};
    status = cache_executable(cli, &d, &options, &path);
    if (!status)
        status = cache_remember(cli, &d, path);
    status = driver_end(cli, &d, status);
    return status || cli->dry_run ? status : start_program(cli, path, name);
}
