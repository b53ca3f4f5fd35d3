/* mend.c - checksums of files that a fuzzer has changed, and files as it is handed them. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "mend.h"

/* ---- checksums ---- */

static uint64_t
get(const unsigned char *p, int bytes)
{
    uint64_t value = 0;
    for (int k = bytes - 1; k >= 0; k--)
        value = value << 8 | p[k];
    return value;
}

static void
put(unsigned char *p, int bytes, uint64_t value)
{
    for (int k = 0; k < bytes; k++)
        p[k] = (unsigned char)(value >> 8 * k);
}

/* Each chunk has the sum of its kind and data behind it. */
static void
mend_png(unsigned char *data, size_t bytes)
{
    enum { SIGNATURE_BYTES = 8, CHUNK_BYTES = 12 /* of a chunk without data */ };
    for (size_t at = SIGNATURE_BYTES; at + CHUNK_BYTES <= bytes;) {
        const unsigned char *p = data + at;
        size_t length = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
        if (length > bytes - at - CHUNK_BYTES)
            return;
        uLong sum = crc32(0, p + 4, (uInt)length + 4);
        for (int k = 0; k < 4; k++)
            data[at + 8 + length + (size_t)k] = (unsigned char)(sum >> (24 - 8 * k));
        at += length + CHUNK_BYTES;
    }
}

/* The file ends with the sum of what stands before. */
static void
mend_snlt(unsigned char *data, size_t bytes)
{
    if (bytes >= 4)
        put(data + bytes - 4, 4, crc32(0, data, (uInt)bytes - 4));
}

/* The sum of the bytes of a member as they are when they are unpacked. */
static uLong
sum_of_member(const unsigned char *from, size_t packed, bool is_packed)
{
    unsigned char part[4096];
    uLong sum = 0;
    z_stream stream = { .next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)packed };
    if (!is_packed)
        return crc32(0, from, (uInt)packed);
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return 0;
    for (int status = Z_OK; status == Z_OK && stream.total_out < MEND_BYTES_MAX;) {
        stream.next_out = part;
        stream.avail_out = sizeof part;
        status = inflate(&stream, Z_NO_FLUSH);
        sum = crc32(sum, part, (uInt)(sizeof part - stream.avail_out));
    }
    inflateEnd(&stream);
    return sum;
}

/* Each entry of the directory has the sum of its member. */
static void
mend_npz(unsigned char *data, size_t bytes)
{
    enum { CENTRAL_BYTES = 46, LOCAL_BYTES = 30 };
    for (size_t k = 0; k + CENTRAL_BYTES <= bytes; k++) {
        unsigned char *entry = data + k;
        if (memcmp(entry, "PK\1\2", 4) != 0)
            continue;
        const size_t packed = get(entry + 20, 4), at = get(entry + 42, 4);
        if (at > bytes || bytes - at < LOCAL_BYTES)
            continue;
        const size_t start = at + LOCAL_BYTES + get(data + at + 26, 2) + get(data + at + 28, 2);
        if (start <= bytes && packed <= bytes - start)
            put(entry + 16, 4, sum_of_member(data + start, packed, get(entry + 10, 2) != 0));
    }
}

/* Each grid says that it has none. Heads of the file begin as they do, but with a version. */
static void
mend_nvdb(unsigned char *data, size_t bytes)
{
    enum { MAJOR = 32 };
    for (unsigned char *at = data, *end = data + bytes; at && end - at >= 16;) {
        const bool is_head = get(at + 8, 4) >> 21 == MAJOR;
        if (memcmp(at, "NanoVDB", 7) == 0 && !is_head)
            memset(at + 8, 0xff, 8);
        at = memchr(at + 1, 'N', (size_t)(end - at) - 1);
    }
}

void
mend_checksums(const char *extension, unsigned char *data, size_t bytes)
{
    static const struct {
        const char *extension;
        void (*mend)(unsigned char *data, size_t bytes);
    } formats[] = {
        { "png", mend_png }, { "snlt", mend_snlt }, { "npz", mend_npz }, { "nvdb", mend_nvdb } };
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (strcmp(extension, formats[k].extension) == 0)
            formats[k].mend(data, bytes);
}

/* ---- large files ---- */

enum { WORD = 8, REPEATS = 128, WORDS_MOST = 128, REPEATS_MOST = (1 << 15) - 1 };

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How often the word before `at` comes again. */
static size_t
repeats(const unsigned char *data, size_t bytes, size_t at)
{
    size_t n = 0;
    while (at >= WORD && n < REPEATS_MOST && at + (n + 1) * WORD <= bytes
           && memcmp(data + at - WORD, data + at + n * WORD, WORD) == 0)
        n++;
    return n;
}

size_t
mend_from_file(unsigned char *to, const unsigned char *data, size_t bytes)
{
    size_t count = 0;
    for (size_t at = 0; at < bytes;) {
        const size_t again = repeats(data, bytes, at);
        size_t words = 0, n;
        if (again > 0) {
            to[count++] = (unsigned char)(REPEATS | again >> 8);
            to[count++] = (unsigned char)again;
            at += again * WORD;
            continue;
        }
        do
            words++;
        while (words < WORDS_MOST && at + words * WORD < bytes
               && repeats(data, bytes, at + words * WORD) == 0);
        n = least(words * WORD, bytes - at);
        to[count++] = (unsigned char)(words - 1);
        memcpy(to + count, data + at, n);
        count += n;
        at += n;
    }
    return count;
}

/* Writes the last word so often again; gives the bytes. */
static size_t
repeat(unsigned char *to, size_t count, size_t words)
{
    size_t left = count < WORD ? 0 : least(words * WORD, MEND_BYTES_MAX - count);
    const size_t bytes = left;
    for (size_t n, from = count - WORD; left > 0; left -= n, count += n) {
        n = least(left, count - from);
        memcpy(to + count, to + from, n);
    }
    return bytes;
}

size_t
mend_to_file(unsigned char *to, const unsigned char *data, size_t bytes)
{
    size_t count = 0;
    for (size_t at = 0; at < bytes;) {
        const unsigned head = data[at++];
        if (head & REPEATS) {
            const unsigned low = at < bytes ? data[at++] : 0;
            count += repeat(to, count, (head & ~REPEATS) << 8 | low);
        } else {
            const size_t n = least(least((head + 1) * WORD, bytes - at), MEND_BYTES_MAX - count);
            memcpy(to + count, data + at, n);
            count += n;
            at += n;
        }
    }
    return count;
}
