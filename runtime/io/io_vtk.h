/* io_vtk.h - what .vti and .vtu share: XML, and arrays of numbers appended raw or in base64.
 *
 * Private to the library.
 *
 *     <VTKFile type="ImageData" ...>            tags, which say where arrays lie
 *     <AppendedData encoding="raw"> _           arrays: sizes, then bytes, deflated in blocks
 *
 * A writer gathers its arrays first, because the tags before them say where each begins.  It owns
 * what it packed until it is finished; a file that is read is mapped, and nothing is owned but the
 * mapping.
 */
#ifndef SNL_IO_IO_VTK_H
#define SNL_IO_IO_VTK_H

#include "io_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SNL_VTK_ARRAYS = 256 };

/* ---- writing ---- */

typedef struct {
    const char *path;
    SnlIoError *error;
    int count;
    struct {
        char *name;
        int tag, components;
        unsigned char *packed;
        size_t bytes;
    } arrays[SNL_VTK_ARRAYS];
    SnlIoWriter out;
} SnlVtkWriter;

/* Begins a file, of which nothing is written yet. */
void snl_vtk_begin(SnlVtkWriter *w, const char *path, SnlIoError *error);

/* Packs an array of so many scalars; its tag is written later by snl_vtk_array. */
bool snl_vtk_add(SnlVtkWriter *w, const char *name, int tag, int64_t components, const void *data,
                 int64_t count);

/* Creates the file and writes the tag at its top. */
bool snl_vtk_open(SnlVtkWriter *w, const char *type);

/* Writes the tag of array k. */
void snl_vtk_array(SnlVtkWriter *w, int k);

/* Writes the arrays where `good`, and ends; the result is whether there is a file. */
bool snl_vtk_end(SnlVtkWriter *w, bool good);

/* ---- reading ---- */

/* A tag: its name and attributes are text of the file. */
typedef struct {
    const char *name, *attributes;
    size_t name_bytes, attribute_bytes;
    size_t at, after;           /* offsets of the tag and of what follows it */
    size_t data_at;             /* offset of its array, once that was read */
    bool closing, empty;        /* </name>; <name/>, which nothing follows inside of */
} SnlVtkTag;

/* What the arrays of a file are packed by. */
typedef enum { SNL_VTK_PLAIN, SNL_VTK_ZLIB, SNL_VTK_LZ4, SNL_VTK_LZMA } SnlVtkPacking;

typedef struct {
    SnlIoMap map;
    SnlIoError *error;
    size_t text_bytes;          /* of the tags; appended arrays lie behind */
    size_t appended;            /* offset of the first of these; 0: there are none */
    bool appended_base64, swapped;
    SnlVtkPacking packing;
    int size_bytes;             /* of the sizes before an array */
} SnlVtkFile;

/* Maps a file of that type and reads the tag at its top; it must be closed if this returns true. */
bool snl_vtk_map(SnlVtkFile *f, const char *path, const char *type, SnlIoError *error);

/* Ends reading. */
void snl_vtk_close(SnlVtkFile *f);

/* Finds the first tag of that name after offset `from`; false, without a message, if there is
 * none. */
bool snl_vtk_find(const SnlVtkFile *f, size_t from, const char *name, SnlVtkTag *tag);

/* Copies the value of an attribute; false, without a message, where the tag has none or it does
 * not fit. */
bool snl_vtk_attribute(const SnlVtkTag *tag, const char *name, char *value, size_t size);

/* The attribute as integers, as many as there must be. */
bool snl_vtk_integers(const SnlVtkFile *f, const SnlVtkTag *tag, const char *name, int64_t *values,
                      int count);

/* Finds the piece of the file, of which there must be one. */
bool snl_vtk_find_piece(const SnlVtkFile *f, SnlVtkTag *tag);

/* Finds the array of a field in the cells or points of a file. */
bool snl_vtk_find_array(const SnlVtkFile *f, const char *name, SnlVtkTag *tag, bool *of_points);

/* Compares the type and the components of an array with those of a field. */
bool snl_vtk_check(const SnlVtkFile *f, const SnlVtkTag *tag, const SnlIoArray *a,
                   const int64_t shape[3]);

/* Reads so many scalars of a type, as snl_vtk_add writes them. */
bool snl_vtk_read(const SnlVtkFile *f, SnlVtkTag *tag, int type, void *data, int64_t count);

#ifdef __cplusplus
}
#endif

#endif
