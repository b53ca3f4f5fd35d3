/* snlc runtime: the runtime as C sources that build without snlc. */
#include "config.h"

#include "cli/tool/export.h"
#include "cli/tool/driver.h"

/* Notes what a program needs of the runtime. */
static int
add_program(Cli *cli, Export *e, const char *file)
{
    Drive d;
    const int status = driver_check(cli, &d, file, 0);
    if (!status) {
        file_kinds_add(&e->kinds, d.prog);
        e->has_main |= d.prog->main != NULL;
    }
    return driver_end(cli, &d, status);
}

int
cmd_runtime(Cli *cli)
{
    if (!cli->export_folder)
        return cli_usage(cli, "runtime needs --export=DIR");
    Export e = {.cli = cli,
                .folder = cli->export_folder,
                .has_main = !cli->files.count,
                .is_amalgamated = cli->amalgamate};
    if (!cli->files.count)
        file_kinds_add_all(&e.kinds);
    int status = 0;
    for (int i = 0; i < cli->files.count; i++) {
        const int one = add_program(cli, &e, cli->files.items[i]);
        status = one > status ? one : status;
    }
    if (!status)
        status = export_write(&e);
    if (!status && !cli->options.quiet)
        printf("%s\n", export_line(&e, "cc"));
    return status;
}
