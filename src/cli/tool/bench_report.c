/* What benchmarks measured, as a table, as JSON, as SVG. */
#include "config.h"

#include "cli/tool/bench.h"

#include <errno.h>
#include <string.h>

#include "base/svg.h"

#ifdef SNL_HAVE_JANSSON
#include <jansson.h>
#endif

enum { FORMAT_VERSION = 1 };

/* Shorter runs are mostly the clock and the call; see also the manual page. */
static const double SHORT_RUN = 20e-6;

/* ---- the table ---- */

const char *
bench_threads_text(Arena *a, int threads)
{
    return threads ? arena_printf(a, "%d", threads) : "auto";
}

static void
table_kernels(Arena *a, const BenchResult *r, int width, Text *out)
{
    double all = 0;
    for (int k = 0; k < r->kernels.count; k++)
        all += r->kernels.items[k].seconds;
    for (int k = 0; k < r->kernels.count; k++) {
        const BenchKernel *n = &r->kernels.items[k];
        text_line(out, "  %-*s  %7lld  %10s  %9.1f%%", width - 2, n->name, n->calls,
                  bench_time_text(a, n->seconds / (double)n->calls),
                  all > 0 ? 100 * n->seconds / all : 0);
    }
}

void
bench_table(Arena *a, const BenchResults *all, bool kernels, Text *out)
{
    int width = 9;
    bool any_short = false;
    for (int i = 0; i < all->count; i++) {
        const BenchResult *r = &all->items[i];
        width = (int)strlen(r->title) > width ? (int)strlen(r->title) : width;
        for (int k = 0; kernels && k < r->kernels.count; k++)
            width = (int)strlen(r->kernels.items[k].name) + 2 > width
                        ? (int)strlen(r->kernels.items[k].name) + 2
                        : width;
    }
    text_line(out, "%-*s  threads  %10s  %10s  spread  %10s  %10s", width, "benchmark", "median",
              "least", "items/s", "memory");
    for (int i = 0; i < all->count; i++) {
        const BenchResult *r = &all->items[i];
        BenchSummary s = bench_summary(a, &r->samples);
        text_line(out, "%-*s  %7s  %10s  %10s  %5.1f%%  %10s  %10s", width, r->title,
                  bench_threads_text(a, r->threads), bench_time_text(a, s.median),
                  bench_time_text(a, s.least), 100 * s.spread,
                  r->items > 0 ? bench_count_text(a, r->items / s.median) : "-",
                  arena_printf(a, "%sB", bench_count_text(a, (double)r->bytes)));
        if (kernels)
            table_kernels(a, r, width, out);
        any_short |= s.median < SHORT_RUN;
    }
    if (any_short)
        text_line(
            out,
            "A run of less than %s is mostly overhead: repeat what it does inside of the loop.",
            bench_time_text(a, SHORT_RUN));
}

/* ---- JSON ---- */

static void
json_result(const BenchResult *r, bool last, Text *out)
{
    text_add(out, "    {\"name\": ");
    text_json(out, r->title);
    text_add(out, ", \"threads\": %d, \"items\": %.17g, \"bytes\": %llu,\n     \"seconds\": [",
             r->threads, r->items, r->bytes);
    for (int k = 0; k < r->samples.count; k++)
        text_add(out, "%s%.9f", k ? ", " : "", r->samples.items[k]);
    text_add(out, "],\n     \"kernels\": [");
    for (int k = 0; k < r->kernels.count; k++) {
        text_add(out, "%s{\"name\": ", k ? ", " : "");
        text_json(out, r->kernels.items[k].name);
        text_add(out, ", \"calls\": %lld, \"seconds\": %.9f}", r->kernels.items[k].calls,
                 r->kernels.items[k].seconds);
    }
    text_add(out, "]}%s\n", last ? "" : ",");
}

void
bench_json(const char *file, const BenchResults *all, Text *out)
{
    text_add(out, "{\"snlc-bench\": %d, \"file\": ", FORMAT_VERSION);
    text_json(out, file);
    text_add(out, ",\n \"benchmarks\": [\n");
    for (int i = 0; i < all->count; i++)
        json_result(&all->items[i], i + 1 == all->count, out);
    text_add(out, " ]}\n");
}

#ifdef SNL_HAVE_JANSSON
/* One benchmark of a file; false when it is none. */
static bool
read_result(Arena *a, json_t *from, BenchResult *r)
{
    json_t *seconds = json_object_get(from, "seconds"), *value;
    const char *name = json_string_value(json_object_get(from, "name"));
    size_t k;
    if (!name || !json_is_array(seconds) || !json_array_size(seconds))
        return false;
    *r = (BenchResult){.title = arena_strndup(a, name, strlen(name))};
    r->threads = (int)json_integer_value(json_object_get(from, "threads"));
    json_array_foreach(seconds, k, value) {
        if (!json_is_number(value) || json_number_value(value) < 0)
            return false;
        vec_push(a, &r->samples, json_number_value(value));
    }
    return true;
}

int
bench_read(Cli *cli, const char *path, BenchResults *out)
{
    json_error_t error;
    errno = 0;
    json_t *root = json_load_file(path, 0, &error);
    if (!root && error.line < 1) {
        cli_error(cli, E0801, "cannot read '%s': %s", path, errno ? strerror(errno) : error.text);
        return EXIT_NOINPUT;
    }
    if (!root) {
        cli_error(cli, E0804, "'%s' is no JSON: line %d, byte %d: %s", path, error.line,
                  error.position, error.text);
        return EXIT_ERRORS;
    }
    json_t *list = json_object_get(root, "benchmarks"), *item;
    bool fine = json_integer_value(json_object_get(root, "snlc-bench")) == FORMAT_VERSION &&
                json_is_array(list);
    size_t k;
    json_array_foreach(list, k, item) {
        BenchResult r;
        fine = fine && read_result(cli->arena, item, &r);
        if (fine)
            vec_push(cli->arena, out, r);
    }
    json_decref(root);
    if (fine)
        return 0;
    cli_error(cli, E0804, "'%s' was not written by snlc bench --json", path);
    return EXIT_ERRORS;
}
#else
int
bench_read(Cli *cli, const char *path, BenchResults *out)
{
    (void)out;
    cli_error(cli, E0803, "this snlc was built without jansson, which reading '%s' needs", path);
    return EXIT_UNAVAILABLE;
}
#endif

/* ---- SVG ---- */

enum { LEFT = 20, LABELS = 240, BARS = 480, ROW = 34, BAR = 16, TOP = 50, TEXTS = 110 };

static void
svg_words(Text *out, double x, double y, const char *more, const char *text)
{
    text_add(out, "<text class=\"page\" x=\"%.1f\" y=\"%.1f\"%s>", x, y, more);
    text_xml(out, text);
    text_add(out, "</text>\n");
}

/* A bar to the median, a box between the quartiles, and a dot for each run. */
static void
svg_row(Arena *a, const BenchResult *r, double y, double scale, Text *out)
{
    BenchSummary s = bench_summary(a, &r->samples);
    double x = LEFT + LABELS;
    const char *label = r->threads ? arena_printf(a, "%s (%d thread%s)", r->title, r->threads,
                                                  r->threads == 1 ? "" : "s")
                                   : r->title;
    svg_words(out, LEFT, y + BAR - 3, "", label);
    text_add(out,
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
             "fill=\"#9ec5e8\"><title>median %s</title></rect>\n",
             x, y, s.median * scale, BAR, bench_time_text(a, s.median));
    text_add(out,
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"none\" "
             "stroke=\"#1f5a94\"/>\n",
             x + s.lower * scale, y + 3, (s.upper - s.lower) * scale + 0.5, BAR - 6);
    for (int k = 0; k < r->samples.count; k++)
        text_add(
            out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.6\" fill=\"#12395e\" fill-opacity=\"0.6\"/>\n",
            x + r->samples.items[k] * scale, y + BAR / 2.0);
    svg_words(out, LEFT + LABELS + BARS + 10, y + BAR - 3, "", bench_time_text(a, s.median));
}

void
bench_svg(Arena *a, const char *file, const BenchResults *all, Text *out)
{
    double most = 0;
    for (int i = 0; i < all->count; i++) {
        BenchSummary s = bench_summary(a, &all->items[i].samples);
        most = s.most > most ? s.most : most;
    }
    int height = TOP + all->count * ROW + 30;
    svg_begin(out, LEFT + LABELS + BARS + TEXTS, height);
    svg_words(out, LEFT, 25, " font-size=\"15\"", arena_printf(a, "%s: seconds of a run", file));
    for (int i = 0; i < all->count; i++)
        svg_row(a, &all->items[i], TOP + i * ROW, most > 0 ? BARS / most : 0, out);
    svg_words(out, LEFT, height - 12, "", "bar: median; box: quartiles; dots: runs");
    text_add(out, "</svg>\n");
}
