/* Source files and positions in them. */
#include "config.h"

#include "base/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void
sources_init(Sources *s, Arena *a)
{
    *s = (Sources){.arena = a, .next_base = 1};
}

static void
find_lines(Arena *a, Source *f)
{
    const char *end = f->text + f->bytes;
    int count = 1;
    for (const char *s = f->text; (s = memchr(s, '\n', (size_t)(end - s))); s++)
        count++;
    f->line_from = ARENA_ARRAY(a, uint32_t, count);
    f->line_count = 1;
    for (const char *s = f->text; (s = memchr(s, '\n', (size_t)(end - s))); s++)
        f->line_from[f->line_count++] = (uint32_t)(s - f->text) + 1;
    for (const char *s = f->text; (s = memchr(s, '\r', (size_t)(end - s))); s++)
        f->lone_returns = f->lone_returns || s[1] != '\n';
}

/* Takes over `text` (arena memory with a NUL after its end). */
static Source *
add_source(Sources *s, const char *path, const char *text, size_t bytes)
{
    Source *f = ARENA_NEW(s->arena, Source);
    f->path = arena_strndup(s->arena, path, strlen(path));
    f->text = text;
    f->bytes = (uint32_t)bytes;
    f->base = s->next_base;
    s->next_base += f->bytes + 1;
    find_lines(s->arena, f);
    vec_push(s->arena, &s->files, f);
    return f;
}

Source *
source_add(Sources *s, const char *path, const char *text, size_t bytes)
{
    return add_source(s, path, arena_strndup(s->arena, text, bytes), bytes);
}

void
source_overlay(Sources *s, const char *path, const char *text, size_t bytes)
{
    vec_push(s->arena, &s->overlays, (Overlay){path, text, bytes});
}

/* The text that stands for a file, as a source; NULL when there is none. */
static Source *
read_overlay(Sources *s, const char *path)
{
    char *real = s->overlays.count ? realpath(path, NULL) : NULL;
    Source *f = NULL;
    for (int i = 0; i < s->overlays.count && !f; i++) {
        const Overlay *o = &s->overlays.items[i];
        if (strcmp(o->path, path) && (!real || strcmp(o->path, real)))
            continue;
        f = source_add(s, path, o->text, o->bytes);
        f->real = arena_strndup(s->arena, o->path, strlen(o->path));
    }
    free(real);
    return f;
}

Source *
source_read(Sources *s, const char *path)
{
    Source *overlay = read_overlay(s, path);
    if (overlay)
        return overlay;
    struct stat st;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    if (!fstat(fileno(file), &st) && S_ISDIR(st.st_mode)) {
        fclose(file);
        errno = EISDIR;
        return NULL;
    }
    size_t room = 65536, bytes = 0, n;
    char *text = malloc(room);
    while (text && (n = fread(text + bytes, 1, room - bytes, file)) > 0) {
        bytes += n;
        if (bytes + s->next_base > (size_t)1 << 30)
            break;
        if (bytes == room) {
            char *more = realloc(text, room *= 2);
            if (!more)
                free(text);
            text = more;
        }
    }
    bool failed = ferror(file) || !text;
    int error = errno;
    fclose(file);
    if (failed || bytes + s->next_base > (size_t)1 << 30) {
        free(text);
        errno = failed ? error : EFBIG;
        return NULL;
    }
    Source *f = add_source(s, path, arena_strndup(s->arena, text, bytes), bytes);
    free(text);
    char *real = realpath(path, NULL);
    if (real)
        f->real = arena_strndup(s->arena, real, strlen(real));
    free(real);
    return f;
}

const Source *
source_find(const Sources *s, uint32_t pos)
{
    int low = 0, high = s->files.count;
    while (low < high) {
        int mid = (low + high) / 2;
        const Source *f = s->files.items[mid];
        if (pos < f->base)
            high = mid;
        else if (pos > f->base + f->bytes)
            low = mid + 1;
        else
            return f;
    }
    return NULL;
}

void
source_position(const Source *f, uint32_t pos, int *line, int *column)
{
    uint32_t at = pos - f->base;
    int low = 0, high = f->line_count;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (f->line_from[mid] <= at)
            low = mid;
        else
            high = mid;
    }
    *line = low + 1;
    *column = (int)(at - f->line_from[low]) + 1;
}

const char *
source_line(const Source *f, int n, int *bytes)
{
    uint32_t from = f->line_from[n - 1], to = n < f->line_count ? f->line_from[n] : f->bytes;
    while (to > from && (f->text[to - 1] == '\n' || f->text[to - 1] == '\r'))
        to--;
    *bytes = (int)(to - from);
    return f->text + from;
}

int
span_line(const Sources *s, Span span)
{
    const Source *f = span.from ? source_find(s, span.from) : NULL;
    int line = 0, column;
    if (f)
        source_position(f, span.from, &line, &column);
    return line;
}

const char *
span_path(const Sources *s, Span span)
{
    const Source *f = span.from ? source_find(s, span.from) : NULL;
    return f && f->library ? f->library : f ? f->path : "";
}
