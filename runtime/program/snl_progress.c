/* snl_progress.c - progress bars on standard error. */
#include "../core/instance.h"
#include "snl_main.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CELLS = 30 };

static double
seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Writes a duration as 9.5s, 4:05 or 3:04:05. */
static void
duration_text(char *out, size_t size, double seconds)
{
    long long s = seconds < 1e12 ? (long long)seconds : 0;
    if (seconds < 60)
        snprintf(out, size, "%.1fs", seconds);
    else if (s < 3600)
        snprintf(out, size, "%lld:%02lld", s / 60, s % 60);
    else
        snprintf(out, size, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

static void
draw(const SnlProgress *bar, double now)
{
    double elapsed = now - bar->started;
    double part = bar->total > 0 ? (double)bar->done / (double)bar->total : 1;
    double rate = elapsed > 0 ? (double)bar->done / elapsed : 0;
    double left = bar->done > 0 ? elapsed / (double)bar->done * (double)(bar->total - bar->done)
                                : 0;
    bool ended = bar->done >= bar->total;
    char cells[BAR_CELLS + 1], time[32];
    int full = (int)(part * BAR_CELLS);
    for (int k = 0; k < BAR_CELLS; k++)
        cells[k] = k < full ? '#' : '.';
    cells[BAR_CELLS] = '\0';
    duration_text(time, sizeof time, ended ? elapsed : left);
    fprintf(stderr, "\r[%s] %3.0f%%  %lld/%lld  %.*f/s  %s %s\033[K", cells, 100 * part,
            (long long)bar->done, (long long)bar->total, rate < 10 ? 2 : 0, rate, time,
            ended ? "in all" : "left");
    fflush(stderr);
}

void
snl_progress_begin(SnlProgress *bar, SnlInstance *rt, int64_t total)
{
    const char *term = getenv("TERM");
    memset(bar, 0, sizeof *bar);
    bar->total = total > 0 ? total : 0;
    bar->visible = rt && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    if (!bar->visible)
        return;
    bar->started = seconds_now();
    bar->rt = rt;
    bar->outer = rt->bar;
    rt->bar = bar;
}

void
snl_progress_step(SnlProgress *bar)
{
    double now;
    bar->done++;
    if (!bar->visible)
        return;
    now = seconds_now();
    if (now - bar->shown < 0.1)
        return;
    bar->shown = now;
    fflush(stdout);             /* what was printed before stands above the bar */
    draw(bar, now);
}

void
snl_progress_print(void *context, const char *line, size_t bytes)
{
    const SnlProgress *bar = (const SnlProgress *)context;
    bool drawn;
    while (bar->shown == 0 && bar->outer)       /* that of the loop around stands there still */
        bar = bar->outer;
    drawn = bar->shown > 0 && isatty(STDOUT_FILENO);
    flockfile(stderr);          /* threads print, too */
    if (drawn)
        fputs("\r\033[K", stderr);
    fwrite(line, 1, bytes, stdout);
    if (drawn) {
        fflush(stdout);
        draw(bar, seconds_now());
    }
    funlockfile(stderr);
}

void
snl_progress_end(SnlProgress *bar)
{
    if (!bar->visible)
        return;
    draw(bar, seconds_now());
    fputc('\n', stderr);
    bar->visible = false;
    bar->rt->bar = bar->outer;
}
