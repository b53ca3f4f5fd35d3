/* What could stand between the quotes of an import: files and folders beside the file, in the
 * folders of -I, and those of the standard library. */
#include "config.h"

#include "lsp/session.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of the protocol. */
enum { ITEM_FILE = 17, ITEM_FOLDER = 19 };

/* What of a path stands before the cursor, in the program; false where no import is written. */
static bool
path_before(const Source *f, uint32_t at, Span *path)
{
    const char *text = f->text, *end = text + (at - f->base), *line = end;
    while (line > text && line[-1] != '\n')
        line--;
    line += strspn(line, " \t");
    if (strncmp(line, "import", 6))
        return false;
    line += 6 + strspn(line + 6, " \t");
    if (line >= end || *line != '"' || memchr(line + 1, '"', (size_t)(end - line - 1)))
        return false;
    *path = (Span){f->base + (uint32_t)(line + 1 - text), at};
    return true;
}

typedef struct {
    const Source *file;
    Span last;      /* what is written of the last word of the path */
    Arena *arena;
    json_t *items;
} Finder;

static bool
is_offered(const Finder *k, const char *name)
{
    for (size_t i = 0; i < json_array_size(k->items); i++) {
        const json_t *label = json_object_get(json_array_get(k->items, i), "label");
        if (!strcmp(json_string_value(label), name))
            return true;
    }
    return false;
}

/* A file that is found in an earlier folder hides others of its name. */
static void
offer_entry(Finder *k, const char *name, bool folder)
{
    if (is_offered(k, name))
        return;
    json_t *edit =
        json_pack("{s:o, s:s}", "range", document_range_json(k->file, k->last), "newText",
                  folder ? arena_printf(k->arena, "%s/", name) : name);
    json_array_append_new(k->items,
                          json_pack("{s:s, s:i, s:o}", "label", name, "kind",
                                    folder ? ITEM_FOLDER : ITEM_FILE, "textEdit", edit));
}

static bool
is_folder(const char *folder, const struct dirent *entry, Arena *a)
{
    DIR *d = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK
                 ? opendir(arena_printf(a, "%s/%s", folder, entry->d_name))
                 : NULL;
    return d && closedir(d) == 0;
}

/* The programs and folders of a folder, by name. */
static void
offer_folder(Finder *k, const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        const size_t n = strlen(name);
        if (name[0] != '.' && n > 4 && !strcmp(name + n - 4, ".snl"))
            offer_entry(k, name, false);
        else if (name[0] != '.' && is_folder(folder, entries[i], k->arena))
            offer_entry(k, name, true);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

json_t *
import_paths(Server *s, const Document *d, const Source *f, uint32_t at)
{
    Span path;
    if (!f || !path_before(f, at, &path))
        return NULL;
    const Options *o = s->options;
    const char *text = f->text + (path.from - f->base);
    size_t n = path.to - path.from, folder = n;
    while (folder > 0 && text[folder - 1] != '/')
        folder--;
    const char *inner = arena_strndup(s->arena, text, folder), *slash = strrchr(d->path, '/');
    Finder k = {f, {path.from + (uint32_t)folder, path.to}, s->arena, json_array()};
    if (*inner == '/')
        offer_folder(&k, inner);
    else {
        if (slash && d->path[0] == '/')
            offer_folder(&k, arena_printf(s->arena, "%.*s/%s", (int)(slash - d->path), d->path,
                                          inner));
        for (int i = 0; i < o->import_dirs.count; i++)
            offer_folder(&k, arena_printf(s->arena, "%s/%s", o->import_dirs.items[i], inner));
        if (o->library && !folder)
            offer_entry(&k, "std", true);
        else if (o->library && !strncmp(inner, "std/", 4))
            offer_folder(&k, arena_printf(s->arena, "%s/%s", o->library, inner));
    }
    return k.items;
}
