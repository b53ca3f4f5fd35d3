/* io_stream.h - what the file formats share: complete-or-absent writing, bounded reading, messages.
 *
 * Private to the library.  An SnlIoWriter or SnlIoReader lives on the stack of the function that
 * saves or loads; it owns its open file until it is finished or closed.
 */
#ifndef SNL_IO_IO_STREAM_H
#define SNL_IO_IO_STREAM_H

#include <stdio.h>

#include "../program/snl_io.h"

#ifdef SNL_HAVE_ZLIB
#include <zlib.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SNL_IO_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define SNL_IO_PRINTF(at, first)
#endif

/* In place of an offset in a file. */
#define SNL_IO_NOWHERE UINT64_MAX

/* A file that is being written under another name. */
typedef struct {
    const char *path;           /* as the user gave it */
    char *target;               /* where it goes in the end; NULL: to a device or pipe */
    char *temporary;            /* NULL where it is written directly */
    bool unnamed;               /* it is no name in a folder, but one of /proc */
    FILE *file;
} SnlIoWriter;

/* A part of a file that is being read. */
typedef struct {
    const char *path;
    FILE *file;
    uint64_t at;                /* offset in the file of the next byte */
    uint64_t left;              /* bytes of the part that were not read */
    uint64_t start;             /* offset of the part */
    uint32_t crc;               /* of what was handed out, see snl_io_crc */
    bool deflated;
    SnlIoError *error;
#ifdef SNL_HAVE_ZLIB
    z_stream stream;
    unsigned char packed[16384];
#endif
} SnlIoReader;

/* Sets the message; returns false. */
bool snl_io_fail(SnlIoError *error, const char *format, ...) SNL_IO_PRINTF(2, 3);

/* "out of memory while VERB 'path'"; returns false. */
bool snl_io_fail_memory(SnlIoError *error, const char *verb, const char *path);

/* "'path': WHAT at offset AT", which is of the file; returns false. */
bool snl_io_fail_at(SnlIoError *error, const char *path, uint64_t at, const char *format, ...)
    SNL_IO_PRINTF(4, 5);

/* Adds a name of at most so many bytes to a list for a message, as far as that has room. */
void snl_io_list(char *list, size_t size, const char *name, size_t bytes);

/* "cannot read 'path': reason", the reason from errno; returns false. */
bool snl_io_fail_system(SnlIoError *error, const char *verb, const char *path, int code);

/* Bytes of all elements, at most INT64_MAX. */
int64_t snl_io_bytes(const SnlIoArray *a);

/* Writes the type of an element as SNL has it, "f32" or "u8x3". */
void snl_io_type_text(char *out, size_t size, const SnlIoArray *a);

/* Where an index along an axis lies in the units of the field. */
double snl_io_place(const SnlIoArray *a, int axis, double index);

/* The distance between two indices along an axis. */
double snl_io_spacing(const SnlIoArray *a, int axis);

/* Have two fields the same units? */
bool snl_io_same_units(const SnlIoArray *a, const SnlIoArray *b);

enum { SNL_IO_NUMBERS = 96 };

/* Writes three numbers so that the same are read, with blanks between them, whatever the locale. */
void snl_io_three(char out[SNL_IO_NUMBERS], double x, double y, double z);

/* Can a field say where points are: is it of vectors of 2 or 3 f32 or f64? */
bool snl_io_are_places(const SnlIoArray *a);

/* The number of the type of grid that NanoVDB has for an array, 0 where it has none. */
unsigned snl_nvdb_type(const SnlIoArray *a);

/* Writes the shape as "(4, 3)", "(16,)" or "()". */
void snl_io_shape_text(char *out, size_t size, int axes, const int64_t *shape);

/* False, with a message, unless type and shape of a file are those of the array; at: the offset
 * where the file says them, SNL_IO_NOWHERE where it is not known. */
bool snl_io_check(const char *path, const SnlIoArray *file, const SnlIoArray *a, uint64_t at,
                  SnlIoError *error);

/* Opens a file for writing; *w must be finished or abandoned if this returns true. */
bool snl_io_create(SnlIoWriter *w, const char *path, SnlIoError *error);

/* The name of what is written, for those who open it by that: beside the target, or the target.
 * NULL with errno set. */
const char *snl_io_name(SnlIoWriter *w);

/* Closes the file and gives it its name; after an error the old file is still there. */
bool snl_io_finish(SnlIoWriter *w, SnlIoError *error);

/* Removes what was written. */
void snl_io_abandon(SnlIoWriter *w);

/* Opens a regular file for reading; left is its size. */
bool snl_io_open(SnlIoReader *r, const char *path, SnlIoError *error);

/* Reads exactly n bytes, unpacking them where the part is deflated. */
bool snl_io_read(SnlIoReader *r, void *out, size_t n);

/* Goes to an offset of the file; the part that follows has so many bytes. */
bool snl_io_seek(SnlIoReader *r, uint64_t at, uint64_t left);

/* Where in the file a byte lies that was read as the last but n - 1: of what is packed, where the
 * part begins. */
uint64_t snl_io_offset(const SnlIoReader *r, uint64_t n);

/* Starts unpacking the part; false where the library has no zlib. */
bool snl_io_inflate(SnlIoReader *r);

/* Ends reading. */
void snl_io_close(SnlIoReader *r);

/* Maps a regular file; m must be unmapped if this returns true. */
bool snl_io_map(SnlIoMap *m, const char *path, SnlIoError *error);

/* True if this machine stores the lowest byte first. */
bool snl_io_little_endian(void);

/* Reverses the bytes of every element. */
void snl_io_swap(void *data, size_t count, size_t bytes);

/* The last extension of a path, with its point, or "". */
const char *snl_io_extension(const char *path);

/* "'path': this build of the runtime has no support for 'X' files"; returns false. */
bool snl_io_unsupported(const char *path, SnlIoError *error);

/* False, with a message, unless a file of that name can hold the fields, each of them once. */
bool snl_io_check_fields(const char *path, int count, const SnlIoArray *arrays, SnlIoError *error);

/* False, with a message, unless the indices of a cell are those of an element; at: as above. */
bool snl_io_check_cell(const char *path, const SnlIoArray *a, const int64_t *index, uint64_t at,
                       SnlIoError *error);

/* The CRC-32 of zip, continued from crc, which starts as 0. */
uint32_t snl_io_crc(uint32_t crc, const void *data, size_t n);

/* Bytes of the .npy header of an array, or of the text itself where out is not NULL. */
size_t snl_npy_header(const SnlIoArray *a, char *out);

/* Reads a .npy from where the reader stands, data too where data is not NULL; *found gets type
 * and shape, *plain whether the elements are stored as in memory. */
bool snl_npy_read(SnlIoReader *r, const SnlIoArray *a, void *data, SnlIoArray *found, bool *plain);

enum { SNL_NPY_HEADER_MAX = 512 };

/* What snl_io_map_array does, for each of the two formats. */
bool snl_npy_map(const char *path, const SnlIoArray *a, SnlIoMap *m, const void **data);
bool snl_npz_map(const char *path, const SnlIoArray *a, SnlIoMap *m, const void **data);

/* One file a format; what they do is in snl_io.h under the names without the format. */
bool snl_h5_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
                 SnlIoError *error);
bool snl_h5_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error);
bool snl_h5_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error);
bool snl_h5_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                       SnlIoError *error);
bool snl_vti_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
                  SnlIoError *error);
bool snl_vti_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error);
bool snl_vtu_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
                  SnlIoError *error);
bool snl_vtu_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error);
bool snl_vtu_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                        SnlIoError *error);
bool snl_nvdb_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
                   SnlIoError *error);
bool snl_nvdb_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error);
bool snl_nvdb_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                         SnlIoError *error);
bool snl_vtp_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
                  SnlIoError *error);
bool snl_vtp_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error);
bool snl_vtp_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                        SnlIoError *error);
bool snl_ply_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
                  SnlIoError *error);
bool snl_ply_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error);
bool snl_ply_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                        SnlIoError *error);
bool snl_csv_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
                  SnlIoError *error);
bool snl_csv_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error);
bool snl_csv_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                        SnlIoError *error);

#ifdef __cplusplus
}
#endif

#endif
