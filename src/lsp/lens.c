/* What can be run of a file, above the lines where it stands: main, tests, benchmarks.  The editor
 * has the commands snlc.run FILE, snlc.test FILE TITLE and snlc.bench FILE TITLE. */
#include "config.h"

#include "lsp/session.h"

static void
add_lens(const Source *f, const Item *item, const char *word, json_t *list)
{
    char command[16];
    json_t *arguments = json_array();
    snprintf(command, sizeof command, "snlc.%s", word);
    json_array_append_new(arguments, json_string(f->real));
    if (item->func != FUNC_MAIN)
        json_array_append_new(arguments, json_string(item->title));
    json_t *range = document_range_json(f, (Span){item->span.from, item->span.from});
    json_array_append_new(list, json_pack("{s:o, s:{s:s, s:s, s:o}}", "range", range, "command",
                                          "title", word, "command", command, "arguments",
                                          arguments));
}

static void
add_lenses(const Source *f, const Items *items, json_t *list)
{
    for (int i = 0; i < items->count; i++) {
        const Item *item = items->items[i];
        add_lenses(f, &item->items, list);
        add_lenses(f, &item->orelse, list);
        if (item->kind != ITEM_FUNC)
            continue;
        const char *word = item->func == FUNC_MAIN        ? "run"
                           : item->func == FUNC_TEST      ? "test"
                           : item->func == FUNC_BENCHMARK ? "bench"
                                                          : NULL;
        if (word)
            add_lens(f, item, word, list);
    }
}

json_t *
lens_list(Server *s, const json_t *params)
{
    const Source *f;
    const Document *d = outline_document(s, params, &f);
    if (!d)
        return NULL;
    const Module *m = outline_module(d->program, f);
    json_t *list = json_array();
    if (m && f->real)
        add_lenses(f, &m->items, list);
    return list;
}
