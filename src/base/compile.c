/* The state of one compilation. */
#include "config.h"

#include "base/compile.h"

#include <string.h>

void
compile_init(Compile *c)
{
    memset(c, 0, sizeof *c);
    c->arena = arena_new();
    c->syntax = arena_new();
    c->bodies = arena_new();
    c->scratch = arena_new();
    c->intern = intern_new(c->arena);
    sources_init(&c->sources, c->arena);
    c->options.optimize = 2;
    map_init(&c->stats, c->arena);
    map_init(&c->lost, c->arena);
}

void
compile_free(Compile *c)
{
    arena_free(c->scratch);
    arena_free(c->bodies);
    arena_free(c->syntax);
    arena_free(c->arena);
}

void
stat_add(Compile *c, const char *name, double by)
{
    const char *key = intern_str(c->intern, name);
    double *counter = map_get(&c->stats, key);
    if (!counter) {
        counter = ARENA_NEW(c->arena, double);
        map_put(&c->stats, key, counter);
    }
    *counter += by;
}
