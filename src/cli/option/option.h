/* option.h - what the files of this folder share: the options by number. */
#ifndef SNL_CLI_OPTION_OPTION_H
#define SNL_CLI_OPTION_OPTION_H

#include "cli/cli.h"

typedef enum {
#define OPTION(id, long_name, show, commands, values, help, set) OPT_##id,
#include "cli/option/options.def"
#undef OPTION
    OPT_COUNT
} OptionId;

typedef struct {
    const char *long_name, *show, *commands, *values, *help;
} OptionInfo;

typedef struct {
    const char *name, *arguments, *summary;
    char letter;
} CommandInfo;

/* option_info.c: the row of an option; command.c: of a command. */
const OptionInfo *option_info(OptionId id);
const CommandInfo *command_info(CommandId id);

/* words.c */
/* Appends the words of a text: separated by white space, with '…', "…" and backslash as in gcc's
 * response files. */
void words_split(Cli *cli, const char *p, Strings *out);
/* Appends a word; for @FILE, the words in the file. Returns 0, or an exit status after a message.
 * `depth` counts the files around. */
int words_expand(Cli *cli, const char *word, Strings *out, int depth);

/* option_values.c */
/* Does what a long option says; value is NULL where it has none. Returns 0, or an exit status after
 * a message. */
int option_set_long(Cli *cli, OptionId id, const char *value);
/* The same for one letter. `next` is the word after; *took is set when it was used. */
int option_set_short(Cli *cli, int letter, const char *value, const char *next, bool *took);

#endif
