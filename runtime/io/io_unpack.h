/* io_unpack.h - unpacking of LZF, which h5py packs data sets of HDF5 by, and of blocks of LZ4, by
 * which VTK packs arrays. Both copy what came before, so many bytes back.
 *
 * Private to the library. Whatever the input is, nothing outside of it is read, and nothing outside
 * of the output is written.
 */
#ifndef SNL_IO_IO_UNPACK_H
#define SNL_IO_IO_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes that LZF data become; false where they are damaged. */
bool snl_lzf_size(const unsigned char *in, size_t n, size_t *bytes);

/* Unpacks LZF data; false where they are damaged, or do not become so many bytes. */
bool snl_lzf_unpack(const unsigned char *in, size_t n, unsigned char *out, size_t bytes);

/* Unpacks a block of LZ4; false where it is damaged, or does not become so many bytes. */
bool snl_lz4_unpack(const unsigned char *in, size_t n, unsigned char *out, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
