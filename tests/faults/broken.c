/* broken.c - passes and an emitter that break, for scripts/broken-passes.sh: linked with snlc in
 * place of the true ones, which they call first.
 *
 * BROKEN   what breaks, and how: words such as cse=signal. signal: an address that is nobody's;
 *          assert; verifier: an instruction that stands twice; stack: endless calls; report: a
 *          signal, and another one while the report is written */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tool/crash.h"
#include "ir/inst_info.h"
#include "pass/pass.h"

/* How the thing of that name breaks; NULL: it does not. */
static const char *
how_breaks(const char *name)
{
    const char *at = getenv("BROKEN");
    const size_t bytes = strlen(name);
    while (at && (strncmp(at, name, bytes) || at[bytes] != '=')) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at ? at + bytes + 1 : NULL;
}

static bool
is_way(const char *how, const char *way)
{
    return how && !strncmp(how, way, strlen(way));
}

/* The compiler may not see that it is NULL. */
static char *volatile nowhere;

static int
call_for_ever(volatile char *up)
{
    volatile char room[4096];
    room[0] = up ? *up : 1;
    if (room == nowhere)
        return 0;
    return call_for_ever(room) + room[0];
}

static void
stand_twice(Block *b, void *arg)
{
    if (b->insts.count)
        block_add(arg, b, b->insts.items[0]);
}

/* `f`: what the verifier would refuse, or NULL. */
static void
break_as(const char *how, Compile *c, IrFunc *f)
{
    if (is_way(how, "report"))
        c->sources.files.items = (Source **)nowhere + 1;
    if (is_way(how, "signal") || is_way(how, "report"))
        *nowhere = 1;
    if (is_way(how, "stack"))
        call_for_ever(NULL);
    if (is_way(how, "verifier") && f)
        ir_walk_blocks(f, stand_twice, c);
    assert(!is_way(how, "assert"));
}

#define BREAKS(name)                                                 \
    void __real_pass_##name(Compile *c, Ir *ir, IrFunc *f);          \
    void __wrap_pass_##name(Compile *c, Ir *ir, IrFunc *f);          \
    void __wrap_pass_##name(Compile *c, Ir *ir, IrFunc *f)           \
    {                                                                \
        __real_pass_##name(c, ir, f);                                \
        break_as(how_breaks(#name), c, f);                           \
    }
BREAKS(cse)
BREAKS(licm)
BREAKS(lower_access)

Ir *__real_ir_lower(Compile *c, Prog *p);
Ir *__wrap_ir_lower(Compile *c, Prog *p);
Ir *
__wrap_ir_lower(Compile *c, Prog *p)
{
    Ir *ir = __real_ir_lower(c, p);
    break_as(how_breaks("lowering"), c, NULL);
    return ir;
}
