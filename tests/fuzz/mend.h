/* mend.h - what makes changed bytes of a file get past the first look of a reader. */
#ifndef SNL_FUZZ_MEND_H
#define SNL_FUZZ_MEND_H

#include <stddef.h>

/* The bytes that a file has at most. */
enum { MEND_BYTES_MAX = 1 << 22 };

/* Gives a file with that extension (png, snlt, npz, nvdb) the checksums that are right, or none. */
void mend_checksums(const char *extension, unsigned char *data, size_t bytes);

/* Large files that repeat their words of eight bytes, as a fuzzer is handed them: a byte below 128
 * comes before so many words and one; another one, with the byte behind it, says how often the last
 * word comes again. Gives the number of bytes in `to`, whose room is that of the text at worst and
 * an eighth of that more; to_file gives at most MEND_BYTES_MAX. */
size_t mend_from_file(unsigned char *to, const unsigned char *data, size_t bytes);
size_t mend_to_file(unsigned char *to, const unsigned char *data, size_t bytes);

#endif
