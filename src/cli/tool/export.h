/* The runtime as C sources that build without snlc: a folder of files, or one source and one
 * header. */
#ifndef SNL_CLI_TOOL_EXPORT_H
#define SNL_CLI_TOOL_EXPORT_H

#include "cli/cli.h"
#include "cli/tool/file_kinds.h"

/* What is written, and where. */
typedef struct {
    Cli *cli;
    const char *folder;   /* of the user */
    FileKinds kinds;      /* of files that the programs use */
    bool has_main;        /* a program is an executable */
    bool is_amalgamated;
} Export;

/* Writes the files. 0, or an exit status after a message. */
int export_write(const Export *e);
/* A line that compiles a program and the runtime. */
const char *export_line(const Export *e, const char *compiler);

#endif
