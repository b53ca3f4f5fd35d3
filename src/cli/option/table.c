/* The tables of options and commands. */
#include "config.h"

#include "cli/option/option.h"

static const OptionInfo option_table[] = {
#define OPTION(id, long_name, show, commands, values, help, set) \
    {long_name, show, commands, values, help},
#include "cli/option/options.def"
#undef OPTION
};

static const CommandInfo command_table[] = {
#define COMMAND(id, letter, name, function, arguments, summary) {name, arguments, summary, letter},
#include "cli/option/commands.def"
#undef COMMAND
};

const OptionInfo *
option_info(OptionId id)
{
    return &option_table[id];
}

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
