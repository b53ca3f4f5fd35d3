/* Files the compiler writes: to a temporary file that is renamed, so a reader never sees half of
 * one; untouched when the bytes are the same. */
#ifndef SNL_CLI_TOOL_OUTPUT_H
#define SNL_CLI_TOOL_OUTPUT_H

#include "cli/tool/path.h"

/* Writes `bytes` bytes to `path` ("-": standard output). Returns 0, EXIT_CANTCREAT or EXIT_IO after
 * a message; nothing is left then. */
int output_write(Cli *cli, const char *path, const char *data, size_t bytes);
/* A file that is written while its text is being made. */
typedef struct {
    Cli *cli;
    const char *path;
    int old;         /* the file that is there, or -1; */
    size_t same;     /* so many bytes of it are the text */
    char *temporary; /* with another text; NULL: nothing is written yet */
    int fd, error;   /* error: errno of the first failure */
} Output;
/* Lets what there is of a long text go to the file `path`; texts for others than plain files stay
 * whole. */
void output_start(Output *o, Cli *cli, const char *path, Text *t);
/* The rest of the text: the file is there then, or as it was. Returns like output_write. */
int output_end(Output *o, const Text *rest);
/* Ends without a file. */
void output_drop(Output *o);
/* Removes outputs after a failure; what is no plain file stays. */
void output_remove_all(const Strings *paths);
/* The same for a text buffer. */
int output_text(Cli *cli, const char *path, const Text *t);
/* Puts the file `from` at `to` in one step (copied first where they lie on different file systems);
 * a file that is there and the same stays untouched. 0, or an exit status after a message. */
int output_move(Cli *cli, const char *from, const char *to);
/* Puts a copy of the file `from` at `to`, as output_move puts the file. */
int output_copy(Cli *cli, const char *from, const char *to);
/* True for standard output ("-") and for devices and pipes: nothing goes beside them. */
bool output_is_stream(const char *path);
/* 0 unless the file is there and another than snlc writes: who did not name it gets a message and
 * EXIT_CANTCREAT. */
int output_spare(Cli *cli, const char *path);
/* Where -o says that the output called `name` goes: the file that -o names, or `name` in its folder
 * or, without -o, here. */
const char *output_place(Cli *cli, const char *name);
/* Writes the depfile of -MD: outputs depend on the sources read. */
int output_depfile(Cli *cli, const Strings *outputs, const Strings *inputs,
                   const char *default_name);

#endif
