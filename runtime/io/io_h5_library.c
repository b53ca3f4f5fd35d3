/* io_h5_library.c - loading the HDF5 library; its errors and types. */
#include "io_h5.h"

#ifdef SNL_HAVE_HDF5

#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Finds a symbol; data and functions alike. */
static bool
find(SnlH5 *h, const char *name, void *address, size_t bytes)
{
    void *found = dlsym(h->library, name);
    if (!found)
        return snl_io_fail(h->error, "'%s': the HDF5 library '%s' has no %s", h->path,
                           SNL_HDF5_LIBRARY, name);
    memcpy(address, &found, bytes);
    return true;
}

static bool
load(SnlH5 *h)
{
    hid_t *id = NULL;
    h->library = dlopen(SNL_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!h->library)
        return snl_io_fail(h->error, "'%s': the HDF5 library cannot be loaded: %s", h->path,
                           dlerror());
#define X(name) if (!find(h, #name, &h->name, sizeof h->name)) return false;
    SNL_H5_FUNCTIONS(X)
#undef X
    /* At the end it would close files again, and crash if one could not be closed because the
     * disk was full.  Refused where the program has started the library by itself. */
    h->H5dont_atexit();
    if (h->H5open() < 0)
        return snl_io_fail(h->error, "'%s': the HDF5 library does not start", h->path);
#define X(name) if (!find(h, #name, &id, sizeof id)) return false; else h->name = *id;
    SNL_H5_IDS(X)
#undef X
    return true;
}

bool
snl_h5_begin(SnlH5 *h, const char *path, SnlIoError *error)
{
    memset(h, 0, sizeof *h);
    h->path = path;
    h->error = error;
    pthread_mutex_lock(&lock);
    if (!load(h)) {
        if (h->library)
            dlclose(h->library);
        pthread_mutex_unlock(&lock);
        return false;
    }
    h->H5Eget_auto2(H5E_DEFAULT, &h->handler, &h->handler_data);
    h->H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return true;
}

void
snl_h5_end(SnlH5 *h)
{
    h->H5Eclear2(H5E_DEFAULT);
    h->H5Eset_auto2(H5E_DEFAULT, h->handler, h->handler_data);
    /* the library stays: it does not end well when it is unloaded */
    pthread_mutex_unlock(&lock);
}

/* Takes the text of the error that came first. */
static herr_t
first_error(unsigned n, const H5E_error2_t *e, void *text)
{
    if (n == 0)
        snprintf((char *)text, SNL_IO_MESSAGE / 2, "%s", e->desc ? e->desc : "unknown error");
    return 0;
}

bool
snl_h5_fail(SnlH5 *h, const char *what)
{
    char text[SNL_IO_MESSAGE / 2] = "unknown error";
    h->H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_error, text);
    return snl_io_fail(h->error, "'%.*s': cannot %s: %s", SNL_IO_MESSAGE / 3, h->path, what, text);
}

hid_t
snl_h5_type(SnlH5 *h, int tag)
{
    signed char off = 0, on = 1;
    hid_t type;
    switch (tag) {
    case SNL_I8: return h->H5Tcopy(h->H5T_NATIVE_INT8_g);
    case SNL_I16: return h->H5Tcopy(h->H5T_NATIVE_INT16_g);
    case SNL_I32: return h->H5Tcopy(h->H5T_NATIVE_INT32_g);
    case SNL_I64: return h->H5Tcopy(h->H5T_NATIVE_INT64_g);
    case SNL_U8: return h->H5Tcopy(h->H5T_NATIVE_UINT8_g);
    case SNL_U16: return h->H5Tcopy(h->H5T_NATIVE_UINT16_g);
    case SNL_U32: return h->H5Tcopy(h->H5T_NATIVE_UINT32_g);
    case SNL_U64: return h->H5Tcopy(h->H5T_NATIVE_UINT64_g);
    case SNL_F32: return h->H5Tcopy(h->H5T_NATIVE_FLOAT_g);
    case SNL_F64: return h->H5Tcopy(h->H5T_NATIVE_DOUBLE_g);
    case SNL_F16:               /* sign, 5 bits of exponent, 10 of mantissa */
        type = h->H5Tcopy(h->H5T_NATIVE_FLOAT_g);
        h->H5Tset_fields(type, 15, 10, 5, 0, 10);
        h->H5Tset_size(type, 2);
        h->H5Tset_ebias(type, 15);
        return type;
    default:                    /* bool, in the way of h5py */
        type = h->H5Tenum_create(h->H5T_NATIVE_INT8_g);
        h->H5Tenum_insert(type, "FALSE", &off);
        h->H5Tenum_insert(type, "TRUE", &on);
        return type;
    }
}

int
snl_h5_tag(SnlH5 *h, hid_t type)
{
    size_t bytes = h->H5Tget_size(type);
    int power = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : -1;
    switch (h->H5Tget_class(type)) {
    case H5T_INTEGER:
        if (power >= 0)
            return (h->H5Tget_sign(type) == H5T_SGN_NONE ? SNL_U8 : SNL_I8) + power;
        break;
    case H5T_FLOAT:
        if (power >= 1)
            return SNL_F16 + power - 1;
        break;
    case H5T_ENUM:
        if (power == 0)
            return SNL_BOOL;
        break;
    default: break;
    }
    return SNL_SCALAR_COUNT;
}

#endif
