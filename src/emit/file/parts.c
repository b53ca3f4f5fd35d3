/* Parts of a program. C compilers take long over the functions of loops. Several may work on one
 * source at once, each on some of these functions. SNL_PART says which ones; without it that is all
 * of them.
 *
 *     #if SNL_IN_PART(SNL_PART_OF_step_loop1)
 *     SNL_PARTED void
 *     step_loop1(void *args, int64_t chunk, int64_t from, int64_t to) { ... }
 *     #else
 *     SNL_PARTED void step_loop1(void *args, int64_t chunk, int64_t from, int64_t to);
 *     #endif
 *
 * The first part has everything but the functions of loops. In the other parts nobody calls that,
 * and C compilers leave it out. */
#include "config.h"

#include <stdlib.h>

#include "emit/file/file.h"
#include "emit/loop/parallel.h"

/* Text for which another part is worth while: it reads all headers again, and processors that work
 * side by side may be slower. */
enum { PART_BYTES = 65536 };

bool
parts_has(const LoopOut *k)
{
    return k->e->o->parts > 1 && !k->t->tiny; /* tiny loops become part of their kernel */
}

void
parts_open(const LoopOut *k, Text *code)
{
    text_flush_left(code, "#if SNL_IN_PART(SNL_PART_OF_%s)", k->function);
}

static void
declare(const LoopOut *k, const char *suffix, Text *code)
{
    text_line(code, "SNL_PARTED void %s%s(void *args, int64_t chunk, int64_t from, int64_t to);",
              k->function, suffix);
}

void
parts_close(const LoopOut *k, Text *code)
{
    text_flush_left(code, "#else");
    if (k->placed)
        declare(k, "_placed", code);
    if (k->owned)
        declare(k, "_owned", code);
    if (k->t->order)
        declare(k, "_keys", code);
    if (reorder_has_version(k->t))
        declare(k, "_ordered", code);
    declare(k, "", code);
    text_flush_left(code, "#endif");
    text_newline(code);
}

void
parts_note(Emit *e, const char *function, size_t bytes)
{
    vec_push(e->arena, &e->parted, (Parted){function, bytes, e->parted.count});
}

static int
by_size(const void *a, const void *b)
{
    const Parted *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->number - y->number;
}

static int
lightest(const size_t *bytes, int parts)
{
    int least = 0;
    for (int p = 1; p < parts; p++)
        if (bytes[p] < bytes[least])
            least = p;
    return least;
}

int
parts_share(Emit *e, Text *out)
{
    size_t in_loops = 0, bytes[PARTS_MAX] = {0};
    for (int i = 0; i < e->parted.count; i++)
        in_loops += e->parted.items[i].bytes;
    int parts = 1;
    while (parts < e->o->parts && in_loops >= (size_t)parts * PART_BYTES)
        parts++;
    bytes[0] = e->code.count - in_loops;
    if (e->parted.count)
        qsort(e->parted.items, (size_t)e->parted.count, sizeof *e->parted.items, by_size);
    for (int i = 0; i < e->parted.count; i++) {
        Parted *loop = &e->parted.items[i];
        int part = lightest(bytes, parts);
        bytes[part] += loop->bytes;
        text_line(out, "#define SNL_PART_OF_%s %d", loop->function, part + 1);
    }
    if (e->parted.count)
        text_newline(out);
    return parts;
}
