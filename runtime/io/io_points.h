/* io_points.h - what .vtp, .ply and .csv share: points, each with the elements of fields.
 *
 * Private to the library.  A file of points has no indices of cells: the first point is that of the
 * first index of a field with one index, and so on.  The first field that is saved is where the
 * points are; a .csv needs no such field.
 */
#ifndef SNL_IO_IO_POINTS_H
#define SNL_IO_IO_POINTS_H

#include "io_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* False, with a message, unless all fields have the same cells, of the kind that such a file
 * holds. */
bool snl_points_check(const char *path, int count, const SnlIoArray *arrays, SnlIoError *error);

/* False, with a message, unless a field has one index, which points of a file are given. */
bool snl_points_take(const char *path, const SnlIoArray *a, SnlIoError *error);

/* False, with a message, where the field has too few elements; at: where the file says how many. */
bool snl_points_have_room(const char *path, const SnlIoArray *a, int64_t points, uint64_t at,
                          SnlIoError *error);

/* The indices of a->cells points. */
void snl_points_number(const SnlIoArray *a, int64_t *coords);

/* A number of a type that .ply has. */
double snl_points_get(int tag, const void *value);

/* Stores a number as scalar `at` of an array; false where the type has no such number. */
bool snl_points_put(int tag, void *data, int64_t at, double value);

/* The name of one component of a field: "x" for a number, "x_y" for a vector, "x_01" for a
 * matrix. */
void snl_points_name(char *out, size_t size, const SnlIoArray *a, int64_t component);

#ifdef __cplusplus
}
#endif

#endif
