/* io_formats.c - the functions of each format, which the extension of a path chooses. */
#include "io_stream.h"

/* Refuses a path that no function for fields takes. */
static bool
refuse(const char *path, SnlFileKind kind, SnlIoError *error)
{
    if (kind == SNL_FILE_SNLT)
        return snl_io_fail(error, "'%s': a .snlt file holds a layout, not single fields", path);
    return snl_io_fail(error, "'%s': unknown kind of file; fields go to .npy, .npz, .png, .h5, "
                       ".vti, .vtu, .nvdb, .vtp, .ply and .csv", path);
}

bool
snl_io_takes_cells(const char *path, const SnlIoArray *a)
{
    SnlFileKind kind = snl_file_kind(path);
    switch (kind) {
    case SNL_FILE_VTU:
    case SNL_FILE_NVDB:
    case SNL_FILE_VTP:
    case SNL_FILE_PLY:
    case SNL_FILE_CSV: return true;
    case SNL_FILE_H5: return a->sparse;
    case SNL_FILE_NPY:
    case SNL_FILE_NPZ:
    case SNL_FILE_PNG:
    case SNL_FILE_VTI:
    case SNL_FILE_SNLT:
    case SNL_FILE_OTHER: break;
    }
    return false;
}

bool
snl_io_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
            SnlIoError *error)
{
    SnlFileKind kind = snl_file_kind(path);
    SnlIoError why;
    if (!snl_io_check_fields(path, count, arrays, error))
        return false;
    if (count > 0 && !snl_io_fits_first(kind, &arrays[0], &why))
        return snl_io_fail(error, "'%s': %.*s", path, SNL_IO_MESSAGE / 2, why.text);
    switch (kind) {
    case SNL_FILE_NPZ: return snl_npz_save(path, count, arrays, data, error);
    case SNL_FILE_H5: return snl_h5_save(path, count, arrays, data, error);
    case SNL_FILE_VTI: return snl_vti_save(path, count, arrays, data, error);
    case SNL_FILE_VTU: return snl_vtu_save(path, count, arrays, data, error);
    case SNL_FILE_NVDB: return snl_nvdb_save(path, count, arrays, data, error);
    case SNL_FILE_VTP: return snl_vtp_save(path, count, arrays, data, error);
    case SNL_FILE_PLY: return snl_ply_save(path, count, arrays, data, error);
    case SNL_FILE_CSV: return snl_csv_save(path, count, arrays, data, error);
    case SNL_FILE_SNLT:
    case SNL_FILE_OTHER: return refuse(path, kind, error);
    case SNL_FILE_NPY:
    case SNL_FILE_PNG: break;
    }
    if (count != 1)
        return snl_io_fail(error, "'%s' holds one field; several go to a .npz file", path);
    if (kind == SNL_FILE_PNG)
        return snl_png_save(path, &arrays[0], data[0], error);
    return snl_npy_save(path, &arrays[0], data[0], error);
}

bool
snl_io_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    SnlFileKind kind = snl_file_kind(path);
    if (!snl_io_check_fields(path, 1, a, error))
        return false;
    switch (kind) {
    case SNL_FILE_NPY: return snl_npy_load(path, a, data, error);
    case SNL_FILE_NPZ: return snl_npz_load(path, a, data, error);
    case SNL_FILE_PNG: return snl_png_load(path, a, data, error);
    case SNL_FILE_H5: return snl_h5_load(path, a, data, error);
    case SNL_FILE_VTI: return snl_vti_load(path, a, data, error);
    case SNL_FILE_VTU:
    case SNL_FILE_VTP:
    case SNL_FILE_PLY:
    case SNL_FILE_CSV:
    case SNL_FILE_NVDB: return snl_io_fail(error, "'%s' holds cells, not an array", path);
    case SNL_FILE_SNLT:
    case SNL_FILE_OTHER: break;
    }
    return refuse(path, kind, error);
}

bool
snl_io_map_array(const char *path, const SnlIoArray *a, SnlIoMap *m, const void **data)
{
    SnlFileKind kind = snl_file_kind(path);
    return kind == SNL_FILE_NPY ? snl_npy_map(path, a, m, data)
           : kind == SNL_FILE_NPZ && snl_npz_map(path, a, m, data);
}

bool
snl_io_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error)
{
    *cells = -1;
    if (!snl_io_check_fields(path, 1, a, error))
        return false;
    switch (snl_file_kind(path)) {
    case SNL_FILE_H5: return snl_h5_find_cells(path, a, cells, error);
    case SNL_FILE_VTU: return snl_vtu_find_cells(path, a, cells, error);
    case SNL_FILE_NVDB: return snl_nvdb_find_cells(path, a, cells, error);
    case SNL_FILE_VTP: return snl_vtp_find_cells(path, a, cells, error);
    case SNL_FILE_PLY: return snl_ply_find_cells(path, a, cells, error);
    case SNL_FILE_CSV: return snl_csv_find_cells(path, a, cells, error);
    case SNL_FILE_NPY:
    case SNL_FILE_NPZ:
    case SNL_FILE_PNG:
    case SNL_FILE_VTI:
    case SNL_FILE_SNLT:
    case SNL_FILE_OTHER: break;
    }
    return true;
}

bool
snl_io_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                  SnlIoError *error)
{
    switch (snl_file_kind(path)) {
    case SNL_FILE_H5: return snl_h5_load_cells(path, a, coords, data, error);
    case SNL_FILE_VTU: return snl_vtu_load_cells(path, a, coords, data, error);
    case SNL_FILE_NVDB: return snl_nvdb_load_cells(path, a, coords, data, error);
    case SNL_FILE_VTP: return snl_vtp_load_cells(path, a, coords, data, error);
    case SNL_FILE_PLY: return snl_ply_load_cells(path, a, coords, data, error);
    case SNL_FILE_CSV: return snl_csv_load_cells(path, a, coords, data, error);
    case SNL_FILE_NPY:
    case SNL_FILE_NPZ:
    case SNL_FILE_PNG:
    case SNL_FILE_VTI:
    case SNL_FILE_SNLT:
    case SNL_FILE_OTHER: break;
    }
    return snl_io_fail(error, "'%s' holds an array, not cells", path);
}
