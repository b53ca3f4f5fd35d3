/* io_h5.h - the HDF5 library, loaded when a program saves or loads a .h5 file.
 *
 * Private to the library; empty where the header of HDF5 was missing when the runtime was built.
 * Programs are not linked with HDF5, so that those without such files neither need it nor pay for
 * loading it.  HDF5 keeps state of its own and is not made for threads: an SnlH5 holds a lock of
 * the process from snl_h5_begin to snl_h5_end.
 */
#ifndef SNL_IO_IO_H5_H
#define SNL_IO_IO_H5_H

#include "io_stream.h"

#ifdef SNL_HAVE_HDF5

#include <hdf5.h>

/* Constants of the header start the library first, which would have to be linked. */
#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK

#ifdef __cplusplus
extern "C" {
#endif

/* What is called, under the names that the macros of the header lead to. */
#define SNL_H5_FUNCTIONS(X)                                                                      \
    X(H5open)                                                                                    \
    X(H5dont_atexit) X(H5Eget_auto2) X(H5Eset_auto2) X(H5Ewalk2) X(H5Eclear2) X(H5Fcreate)       \
        X(H5Fopen) X(H5Fclose) X(H5Gcreate2) X(H5Oopen) X(H5Oclose) X(H5Iget_type) X(H5Lexists)  \
            X(H5Pcreate) X(H5Pclose) X(H5Pset_libver_bounds) X(H5Pset_chunk) X(H5Pset_deflate)   \
                X(H5Pset_shuffle) X(H5Pset_fletcher32) X(H5Pset_obj_track_times)                 \
                    X(H5Pset_fapl_log) X(H5Zfilter_avail) X(H5Screate) X(H5Screate_simple)       \
                        X(H5Sclose) X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_dims)   \
                            X(H5Dcreate2) X(H5Dopen2) X(H5Dclose) X(H5Dwrite) X(H5Dread)         \
                                X(H5Dget_space) X(H5Dget_type) X(H5Dget_storage_size)            \
                                    X(H5Acreate2) X(H5Aclose) X(H5Awrite) X(H5Tcopy) X(H5Tclose) \
                                        X(H5Tget_class) X(H5Tget_size) X(H5Tget_sign)            \
                                            X(H5Tset_fields) X(H5Tset_size) X(H5Tset_ebias)      \
                                                X(H5Tenum_create) X(H5Tenum_insert)              \
                                                    X(H5Zregister) X(H5allocate_memory)          \
                                                        X(H5free_memory)

/* Identifiers, which are variables of the library. */
#define SNL_H5_IDS(X)                                                                           \
    X(H5T_NATIVE_INT8_g) X(H5T_NATIVE_INT16_g) X(H5T_NATIVE_INT32_g) X(H5T_NATIVE_INT64_g)      \
    X(H5T_NATIVE_UINT8_g) X(H5T_NATIVE_UINT16_g) X(H5T_NATIVE_UINT32_g)                         \
    X(H5T_NATIVE_UINT64_g) X(H5T_NATIVE_FLOAT_g) X(H5T_NATIVE_DOUBLE_g)                         \
    X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_FILE_CREATE_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g)        \
    X(H5P_CLS_GROUP_CREATE_ID_g)

typedef struct {
    const char *path;
    SnlIoError *error;
    void *library;
    uint64_t bytes;             /* of a file that is read */
    const char *log;            /* file to which the library writes what it reads, or NULL */
    H5E_auto2_t handler;        /* of errors, before */
    void *handler_data;
#define X(name) __typeof__(&name) name;
    SNL_H5_FUNCTIONS(X)
#undef X
#define X(name) hid_t name;
    SNL_H5_IDS(X)
#undef X
} SnlH5;

/* Loads the library and takes the lock; must be ended if this returns true. */
bool snl_h5_begin(SnlH5 *h, const char *path, SnlIoError *error);

/* Gives the lock back. */
void snl_h5_end(SnlH5 *h);

/* Says what the library says has gone wrong; returns false. */
bool snl_h5_fail(SnlH5 *h, const char *what);

/* A new identifier of the type of a scalar. */
hid_t snl_h5_type(SnlH5 *h, int tag);

/* The scalar that elements of a data set are, or SNL_SCALAR_COUNT. */
int snl_h5_tag(SnlH5 *h, hid_t type);

/* Lets the library read what h5py packs as LZF. */
bool snl_h5_add_lzf(SnlH5 *h);

/* Writes the .xdmf beside a .h5, from which ParaView reads it. */
bool snl_xdmf_save(const char *path, int count, const SnlIoArray *arrays, SnlIoError *error);

#ifdef __cplusplus
}
#endif

#endif

#endif
