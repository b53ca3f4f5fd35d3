/* Names and versions of C compilers. */
#include "config.h"

#include "cli/tool/compiler.h"

#include <stdio.h>
#include <string.h>

#include "cli/tool/output.h"
#include "cli/tool/toolchain.h"

/* Does a word of a command name a program whose name has this part? */
static bool
names(const Strings *command, const char *part)
{
    for (int i = 0; i < command->count; i++)
        if (strstr(path_base(command->items[i]), part))
            return true;
    return false;
}

bool
compiler_is_clang(const Strings *command)
{
    return names(command, "clang");
}

/* Asks a compiler whether it is gcc 12.1 or 12.2 for x86; false if it tells neither. */
static bool
ask(Cli *cli, const Strings *command, bool *is_such)
{
    char line[200];
    int major, minor;
    FILE *in = popen(arena_printf(cli->arena,
                                  "echo __GNUC__ __GNUC_MINOR__ __clang__ __x86_64__ __i386__ | "
                                  "%s -E -P -xc - 2>/dev/null",
                                  command_text(cli->arena, command)),
                     "r");
    if (!in)
        return false;
    bool told = fgets(line, sizeof line, in) && sscanf(line, "%d %d", &major, &minor) == 2;
    *is_such = told && major == 12 && minor < 3 && strstr(line, "__clang__") &&
               !(strstr(line, "__x86_64__") && strstr(line, "__i386__"));
    return pclose(in) == 0 && told;
}

bool
compiler_gets_wide_constants_wrong(Cli *cli, const Strings *command)
{
    bool is_such;
    if (compiler_is_clang(command) || names(command, "tcc"))
        return false;
    if (strcmp(command_text(cli->arena, command), SNL_DEFAULT_CC) &&
        (names(command, "gcc") || names(command, "g++")) && ask(cli, command, &is_such))
        return is_such;
    return SNL_NARROW_MOVES_OF_DEFAULT;
}
