/* io_h5_lzf.c - the filter of HDF5 by which h5py packs data sets as LZF. Files that are written
 * have none. */
#include "io_h5.h"

#ifdef SNL_HAVE_HDF5

#include "io_unpack.h"

/* The number of the filter, and of the value of its that says how large a chunk is. */
enum { LZF_FILTER = 32000, CHUNK_VALUE = 2 };

/* What gives and takes memory of the library; the filter is called by that, which locks. */
static void *(*allocate)(size_t, hbool_t);
static herr_t (*release)(void *);

/* Unpacks a chunk; 0 where it is damaged. */
static size_t
unpack(unsigned flags, size_t count, const unsigned *values, size_t n, size_t *room, void **data)
{
    size_t bytes;
    unsigned char *out;
    const unsigned char *in = (const unsigned char *)*data;
    if (!(flags & H5Z_FLAG_REVERSE) || !snl_lzf_size(in, n, &bytes) || bytes == 0)
        return 0;
    if (count > CHUNK_VALUE && values[CHUNK_VALUE] != bytes)
        return 0;
    out = (unsigned char *)allocate(bytes, 0);
    if (!out)
        return 0;
    if (!snl_lzf_unpack(in, n, out, bytes)) {
        release(out);
        return 0;
    }
    release(*data);
    *data = out;
    *room = bytes;
    return bytes;
}

bool
snl_h5_add_lzf(SnlH5 *h)
{
    static const H5Z_class2_t filter = { H5Z_CLASS_T_VERS, LZF_FILTER, 0, 1, "lzf", NULL, NULL,
                                         unpack };
    allocate = h->H5allocate_memory;
    release = h->H5free_memory;
    return h->H5Zfilter_avail(LZF_FILTER) > 0 || h->H5Zregister(&filter) >= 0
           || snl_h5_fail(h, "register a filter");
}

#endif
