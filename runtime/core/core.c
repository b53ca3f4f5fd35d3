/* core.c - the core of the runtime for the CPU. */
#include "core_cell.h"
#include "core_races.h"
