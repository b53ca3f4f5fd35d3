/* io_absent.c - kinds of files that this build leaves out: SNL_WITHOUT_X stands for io_x*.c.
 *
 * They are refused where a program saves or loads one.  Libraries have all kinds; what
 * `snlc runtime --export` writes has those that the programs use. */
#include "../tree/tree.h"
#include "io_stream.h"

#ifdef SNL_WITHOUT_NPY

bool
snl_npy_save(const char *path, const SnlIoArray *a, const void *data, SnlIoError *error)
{
    (void)a;
    (void)data;
    return snl_io_unsupported(path, error);
}

bool
snl_npy_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    (void)a;
    (void)data;
    return snl_io_unsupported(path, error);
}

bool
snl_npy_map(const char *path, const SnlIoArray *a, SnlIoMap *m, const void **data)
{
    (void)path;
    (void)a;
    (void)m;
    (void)data;
    return false;
}

#endif

#ifdef SNL_WITHOUT_PNG

bool
snl_png_save(const char *path, const SnlIoArray *a, const void *data, SnlIoError *error)
{
    (void)a;
    (void)data;
    return snl_io_unsupported(path, error);
}

bool
snl_png_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    (void)a;
    (void)data;
    return snl_io_unsupported(path, error);
}

bool
snl_image_save(const char *path, const SnlIoArray *a, const void *data, double lo, double hi,
               SnlIoError *error)
{
    (void)a;
    (void)data;
    (void)lo;
    (void)hi;
    return snl_io_unsupported(path, error);
}

#endif

#ifdef SNL_WITHOUT_SNLT

bool
snl_tree_save(SnlTree *t, const char *path, SnlIoError *error)
{
    (void)t;
    return snl_io_unsupported(path, error);
}

bool
snl_tree_load(SnlTree *t, const char *path, SnlIoError *error)
{
    (void)t;
    return snl_io_unsupported(path, error);
}

#endif

/* What the kinds of files have that hold several arrays, or cells. */
#define SAVE_NONE(kind)                                                                        \
    bool snl_##kind##_save(const char *path, int count, const SnlIoArray *arrays,              \
                           const void *const *data, SnlIoError *error)                         \
    {                                                                                          \
        (void)count;                                                                           \
        (void)arrays;                                                                          \
        (void)data;                                                                            \
        return snl_io_unsupported(path, error);                                                \
    }
#define LOAD_NONE(kind)                                                                        \
    bool snl_##kind##_load(const char *path, const SnlIoArray *a, void *data,                  \
                           SnlIoError *error)                                                  \
    {                                                                                          \
        (void)a;                                                                               \
        (void)data;                                                                            \
        return snl_io_unsupported(path, error);                                                \
    }
#define CELLS_NONE(kind)                                                                       \
    bool snl_##kind##_find_cells(const char *path, const SnlIoArray *a, int64_t *cells,        \
                                 SnlIoError *error)                                            \
    {                                                                                          \
        (void)a;                                                                               \
        (void)cells;                                                                           \
        return snl_io_unsupported(path, error);                                                \
    }                                                                                          \
    bool snl_##kind##_load_cells(const char *path, const SnlIoArray *a, int64_t *coords,       \
                                 void *data, SnlIoError *error)                                \
    {                                                                                          \
        (void)a;                                                                               \
        (void)coords;                                                                          \
        (void)data;                                                                            \
        return snl_io_unsupported(path, error);                                                \
    }

#ifdef SNL_WITHOUT_NPZ
SAVE_NONE(npz)
LOAD_NONE(npz)

bool
snl_npz_map(const char *path, const SnlIoArray *a, SnlIoMap *m, const void **data)
{
    (void)path;
    (void)a;
    (void)m;
    (void)data;
    return false;
}
#endif

#ifdef SNL_WITHOUT_H5
SAVE_NONE(h5)
LOAD_NONE(h5)
CELLS_NONE(h5)
#endif

#ifdef SNL_WITHOUT_VTI
SAVE_NONE(vti)
LOAD_NONE(vti)
#endif

#ifdef SNL_WITHOUT_VTU
SAVE_NONE(vtu)
CELLS_NONE(vtu)
#endif

#ifdef SNL_WITHOUT_NVDB
SAVE_NONE(nvdb)
CELLS_NONE(nvdb)
#endif

#ifdef SNL_WITHOUT_VTP
SAVE_NONE(vtp)
CELLS_NONE(vtp)
#endif

#ifdef SNL_WITHOUT_PLY
SAVE_NONE(ply)
CELLS_NONE(ply)
#endif

#ifdef SNL_WITHOUT_CSV
SAVE_NONE(csv)
CELLS_NONE(csv)
#endif
