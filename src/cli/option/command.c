/* The table of commands. */
#include "config.h"

#include "cli/option/option.h"

static const CommandInfo command_table[] = {
#define COMMAND(id, letter, name, function, arguments, summary) {name, arguments, summary, letter},
#include "cli/option/commands.def"
#undef COMMAND
};

const CommandInfo *
command_info(CommandId id)
{
    return &command_table[id];
}

const char *
command_name(CommandId id)
{
    return command_table[id].name;
}
