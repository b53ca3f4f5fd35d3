/* snl_io.h - files of fields: .npy, .npz, .png, .h5, .vti, .vtu, .nvdb, .vtp, .ply
 * and .csv.
 *
 * All functions work on memory owned by the caller: a dense row-major array, whose first axis is
 * outermost, or a list of active cells with their elements; components of vectors and matrices are
 * the last axes.  A file is written under a temporary name and renamed, so it is complete or not
 * there; only a file that is there, and may be written but not replaced, is written in place.  A
 * file that is damaged, or does not fit the array, is refused.  Every function returns false on
 * failure and leaves a message in *error; after a failed load the contents of data do not matter.
 *
 * Files whose libraries were missing when the runtime was built are refused with a message that
 * says so.
 */
#ifndef SNL_PROGRAM_SNL_IO_H
#define SNL_PROGRAM_SNL_IO_H

#include "../math/snl_scalar.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SNL_IO_AXES = 10,           /* 8 index axes and 2 of components */
    SNL_IO_MESSAGE = 512
};

/* What went wrong, for the user. */
typedef struct {
    char text[SNL_IO_MESSAGE];
    bool other_layout;          /* the file is that of another layout */
    bool no_memory;             /* the file may be fine, but memory ran out */
} SnlIoError;

/* The kinds of files, by extension. */
typedef enum {
    SNL_FILE_NPY, SNL_FILE_NPZ, SNL_FILE_PNG, SNL_FILE_SNLT,
    SNL_FILE_H5, SNL_FILE_VTI, SNL_FILE_VTU, SNL_FILE_NVDB,
    SNL_FILE_VTP, SNL_FILE_PLY, SNL_FILE_CSV, SNL_FILE_OTHER
} SnlFileKind;

/* An array: the name of its field, scalar type, and extents with those of components last.  What
 * follows the shape may be left 0 for .npy, .npz and .png. */
typedef struct {
    const char *name;
    int tag;
    int axes;
    int64_t shape[SNL_IO_AXES];
    int index_axes;             /* the first axes; the others are of components */
    int64_t offset[SNL_IO_AXES];    /* index of the first element */
    bool sparse;                /* elements may be inactive */
    const void *ambient;        /* the element that inactive ones read as; NULL: zeros */
    const int64_t *coords;      /* NULL: all elements; else data holds those with these indices, */
    int64_t cells;              /* index_axes for each, and these are so many */
    const double *units;        /* spacing along 3 axes, then the origin; NULL: 1 and 0 */
} SnlIoArray;

/* The kind of a file by the extension of its path. */
SnlFileKind snl_file_kind(const char *path);

/* Where a path leads through symbolic links, whether there is something or not; allocated by
 * malloc.  NULL with errno set where they lead nowhere. */
char *snl_io_follow(const char *path);

/* Number of scalars of the array, at most INT64_MAX. */
int64_t snl_io_count(const SnlIoArray *a);

/* Number of elements, at most INT64_MAX. */
int64_t snl_io_elements(const SnlIoArray *a);

/* Number of scalars of one element. */
int64_t snl_io_components(const SnlIoArray *a);

/* False, with a message that does not name the file, if no file of this kind can hold such a field:
 * for the type of its elements or the number of its indices. */
bool snl_io_fits(SnlFileKind kind, const SnlIoArray *a, SnlIoError *error);

/* False, with a message that does not name the file, if the first field of a file of this kind must
 * say where points are, and this one cannot. */
bool snl_io_fits_first(SnlFileKind kind, const SnlIoArray *a, SnlIoError *error);

/* False, with a message, if all elements are more than any file can hold. */
bool snl_io_check_size(const char *path, const SnlIoArray *a, SnlIoError *error);

/* True if a file of this kind takes the active cells of the array, not all elements. */
bool snl_io_takes_cells(const char *path, const SnlIoArray *a);

/* Saves arrays by extension; .npy and .png take one. */
bool snl_io_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
                 SnlIoError *error);

/* Loads one array by extension; from files of several, the one of its name. */
bool snl_io_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error);

/* A whole file in memory, to be read only. */
typedef struct {
    const char *path;
    const unsigned char *data;
    size_t bytes;
} SnlIoMap;

/* Maps a file in which the array lies as in memory, a .npy or a .npz without compression, and finds
 * it there; false, without a message, where it has to be loaded, or cannot be. */
bool snl_io_map_array(const char *path, const SnlIoArray *a, SnlIoMap *m, const void **data);

/* Ends that. */
void snl_io_unmap(SnlIoMap *m);

/* Counts the cells of the array in a file; -1: it holds all elements. */
bool snl_io_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error);

/* Loads a->cells cells, as snl_io_find_cells counted: their indices, which are all in range, and
 * elements. */
bool snl_io_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                       SnlIoError *error);

/* Saves one array as .npy, version 1.0, C order. */
bool snl_npy_save(const char *path, const SnlIoArray *a, const void *data, SnlIoError *error);

/* Loads a .npy of exactly the type and shape of *a. */
bool snl_npy_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error);

/* Reads type and shape of a .npy into *a, whose name is set to NULL. */
bool snl_npy_probe(const char *path, SnlIoArray *a, SnlIoError *error);

/* Saves arrays into one .npz, under their names, not compressed. */
bool snl_npz_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
                  SnlIoError *error);

/* Loads the array of that name from a .npz. */
bool snl_npz_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error);

/* Saves u8 or u16, [h, w] grey or [h, w, 2..4] grey-alpha, RGB, RGBA, as .png. */
bool snl_png_save(const char *path, const SnlIoArray *a, const void *data, SnlIoError *error);

/* Loads a .png of exactly the depth and shape of *a. */
bool snl_png_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error);

/* Saves numbers of any type, [h, w] grey, [h, w, 3] RGB or [h, w, 4] RGBA, as 8-bit .png: lo
 * becomes 0 and hi 255, what is outside the nearer of them. */
bool snl_image_save(const char *path, const SnlIoArray *a, const void *data, double lo, double hi,
                    SnlIoError *error);

#ifdef __cplusplus
}
#endif

#endif
