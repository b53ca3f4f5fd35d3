/* A C program that uses heat.snl. Everything of a simulation hangs off one object; each call
 * returns a status, and none of them prints, aborts or touches global state. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "heat.h"

static const double pi = 3.14159265358979323846;

/* Ends the program with the message of a call that failed. */
static void
must(snl_status status, const heat *rod)
{
    if (status != SNL_OK) {
        fprintf(stderr, "heat: %s\n", snl_message(rod));
        exit(1);
    }
}

/* The temperature after some steps differs from the exact factor by at most this. */
static double
error_of_mode(const heat_params *p, int steps)
{
    size_t cells = (size_t)p->cells;
    double *t = malloc(cells * sizeof *t), mean, error = 0;
    heat *rod = NULL;
    if (!t)
        exit(1);
    must(heat_create(p, &rod), rod);
    for (size_t i = 0; i < cells; i++)
        t[i] = 20 + cos(pi * ((double)i + 0.5) / (double)cells);
    must(heat_set_temperature(rod, t, cells), rod);
    must(heat_advance(rod, steps), rod);
    must(heat_get_temperature(rod, t, cells), rod);
    must(heat_mean(rod, &mean), rod);
    double h = p->length / (double)cells;
    double ratio = p->dt * 400.0 / 3.45e6 / (h * h);
    double factor = pow(1 - 2 * ratio * (1 - cos(pi / (double)cells)), steps);
    for (size_t i = 0; i < cells; i++)
        error = fmax(error, fabs(t[i] - 20 - factor * cos(pi * ((double)i + 0.5) / (double)cells)));
    printf("%zu cells, %d steps: mean %.4f, first cell %.4f\n", cells, steps, mean, t[0]);
    heat_destroy(rod);
    free(t);
    return error;
}

int
main(void)
{
    heat_params fine = heat_params_default(), bad = fine;
    fine.cells = 50;
    fine.dt = 0.5;
    double error = error_of_mode(&fine, 1000);
    printf("error below 1e-9: %s\n", error < 1e-9 ? "yes" : "no");

    /* A mistake is a status and a message; the object stays usable. */
    heat *rod = NULL;
    bad.dt = 100;
    must(heat_create(&bad, &rod), rod);
    snl_status status = heat_advance(rod, 1);
    printf("too long a step: %s: %s\n", status == SNL_OK ? "no error" : "an error",
           snl_message(rod));
    must(heat_step(rod), rod);
    heat_destroy(rod);
    return error < 1e-9 && status != SNL_OK ? 0 : 1;
}
