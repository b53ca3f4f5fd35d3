/* The table of options. */
#include "config.h"

#include "cli/option/option.h"

static const OptionInfo option_table[] = {
#define OPTION(id, long_name, show, commands, values, help, set) \
    {long_name, show, commands, values, help},
#include "cli/option/options.def"
#undef OPTION
};

const OptionInfo *
option_info(OptionId id)
{
    return &option_table[id];
}
