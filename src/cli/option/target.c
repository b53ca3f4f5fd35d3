/* The table of targets. */
#include "config.h"

#include "cli/cli.h"

const TargetInfo *
target_info(Target t)
{
    static const TargetInfo targets[] = {
#define TARGET(id, name, suffix, gpu) {name, suffix, gpu},
#include "cli/option/targets.def"
#undef TARGET
    };
    return &targets[t];
}
