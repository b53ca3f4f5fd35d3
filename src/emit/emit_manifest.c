/* The manifest: what the program offers, as JSON. */
#include "config.h"

#include "emit/inside.h"

void
emit_manifest(Compile *c, const Ir *ir, const EmitOptions *options, Text *out)
{
    (void)c, (void)ir, (void)options, (void)out;
}
