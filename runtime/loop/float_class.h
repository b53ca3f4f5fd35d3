/* float_class.h - usual floats: those that are no NaN and no -0. Of such, min and max are one
 * comparison each, so loops that take many of them have a version for that, which runs where all
 * elements that it may read are usual (pass version_floats).
 *
 * Elements are asked for in bands: so many slices of an array, which the first cache holds until
 * the loop has gone over them. A slice is what lies at one index along the outermost axis. */
#ifndef SNL_LOOP_FLOAT_CLASS_H
#define SNL_LOOP_FLOAT_CLASS_H

#include "../tree/tree.h"

enum { SNL_USUAL_BYTES = 1 << 14, SNL_USUAL_RUN = 1 << 10 };

/* Bytes of a slice of the container of a node at the top. */
SNL_FN int64_t snl_slice_bytes(const SnlNodeDesc *n)
{
    int64_t bytes = n->cell_bytes;
    for (int k = 1; k < n->axis_count; k++)
        bytes *= n->stored[k];
    return bytes;
}

/* Slices of a band. */
SNL_FN int64_t snl_usual_band(const SnlNodeDesc *n)
{
    return snl_larger(1, SNL_USUAL_BYTES / snl_larger(1, snl_slice_bytes(n)));
}

/* Are all elements of an array usual? Shifted to the left by one, infinities are the largest
 * numbers, but for NaN; as an integer with a sign, -0 is the least of all. */
#define SNL_USUAL(S, T, I, U, LEAST, MOST, INFINITE)                                     \
    SNL_FN bool snl_usual_##S(const void *array, int64_t count)                          \
    {                                                                                    \
        const char *const bytes = (const char *)array;                                   \
        for (int64_t begin = 0; begin < count; begin += SNL_USUAL_RUN) {                 \
            const int64_t end =                                                          \
                begin + SNL_USUAL_RUN < count ? begin + SNL_USUAL_RUN : count;           \
            I least = MOST;                                                              \
            U most = 0;                                                                  \
            for (int64_t k = begin; k < end; k++) {                                      \
                U bits;                                                                  \
                memcpy(&bits, bytes + k * (int64_t)sizeof bits, sizeof bits);            \
                const I number = (I)bits;                                                \
                const U size = bits + bits;                                              \
                least = number < least ? number : least;                                 \
                most = size > most ? size : most;                                        \
            }                                                                            \
            if (least == LEAST || most > INFINITE)                                       \
                return false;                                                            \
        }                                                                                \
        return true;                                                                     \
    }                                                                                    \
    /* Those of the slices `from` to before `to`; the nearest for those beyond the ends. */ \
    SNL_FN bool snl_usual_slices_##S(const SnlNodeDesc *n, const void *cells, int64_t from, \
                                     int64_t to)                                         \
    {                                                                                    \
        const int64_t bytes = snl_slice_bytes(n);                                        \
        from = snl_larger(0, snl_smaller(from, n->sizes[0] - 1));                        \
        to = snl_larger(from + 1, snl_smaller(to, n->sizes[0]));                         \
        return snl_usual_##S((const char *)cells + from * bytes,                         \
                             (to - from) * (bytes / (int64_t)sizeof(T)));                \
    }

SNL_USUAL(f32, float, int32_t, uint32_t, INT32_MIN, INT32_MAX, 0xff000000u)
SNL_USUAL(f64, double, int64_t, uint64_t, INT64_MIN, INT64_MAX, 0xffe0000000000000u)
#undef SNL_USUAL

#endif
