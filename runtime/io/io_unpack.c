/* io_unpack.c - unpacking of LZF and LZ4. */
#include "io_unpack.h"

#include <stdint.h>
#include <string.h>

/* What is packed, and what there is of the output. */
typedef struct {
    const unsigned char *in, *in_end;
    unsigned char *out;         /* NULL: its bytes are only counted */
    size_t at, bytes;
} Unpack;

static size_t
left_of(const Unpack *u)
{
    return (size_t)(u->in_end - u->in);
}

/* Takes bytes as they are. */
static bool
take_literals(Unpack *u, size_t n)
{
    if (n > left_of(u) || n > u->bytes - u->at)
        return false;
    if (u->out)
        memcpy(u->out + u->at, u->in, n);
    u->in += n;
    u->at += n;
    return true;
}

/* Takes bytes from so far back, which may be those that it writes. */
static bool
take_match(Unpack *u, size_t back, size_t n)
{
    if (back == 0 || back > u->at || n > u->bytes - u->at)
        return false;
    for (size_t k = 0; u->out && k < n; k++)
        u->out[u->at + k] = u->out[u->at + k - back];
    u->at += n;
    return true;
}

/* ---- LZF ---- */

/* A run of literals, or a match: three bits of its length, 13 of how far back it lies. */
static bool
lzf_piece(Unpack *u)
{
    const unsigned first = *u->in++;
    size_t n = first >> 5;
    if (first < 32)
        return take_literals(u, first + 1);
    if (left_of(u) < (n == 7 ? 2u : 1u))
        return false;
    if (n == 7)
        n += *u->in++;
    const size_t back = ((first & 31) << 8) + 1 + *u->in++;
    return take_match(u, back, n + 2);
}

static bool
lzf_all(Unpack *u)
{
    while (u->in < u->in_end)
        if (!lzf_piece(u))
            return false;
    return true;
}

bool
snl_lzf_size(const unsigned char *in, size_t n, size_t *bytes)
{
    Unpack u = { in, in + n, NULL, 0, SIZE_MAX };
    const bool good = lzf_all(&u);
    *bytes = u.at;
    return good;
}

bool
snl_lzf_unpack(const unsigned char *in, size_t n, unsigned char *out, size_t bytes)
{
    Unpack u = { in, in + n, out, 0, bytes };
    return lzf_all(&u) && u.at == bytes;
}

/* ---- LZ4 ---- */

/* A length of 15 and more goes on in bytes, the last of which is not 255. */
static bool
lz4_length(Unpack *u, size_t *n)
{
    unsigned more = 255;
    if (*n < 15)
        return true;
    while (more == 255) {
        if (u->in == u->in_end || *n > SIZE_MAX - 255)
            return false;
        *n += more = *u->in++;
    }
    return true;
}

/* Literals and a match; the last ones have none. */
static bool
lz4_sequence(Unpack *u)
{
    const unsigned token = *u->in++;
    size_t literals = token >> 4, n = token & 15;
    if (!lz4_length(u, &literals) || !take_literals(u, literals))
        return false;
    if (u->in == u->in_end)
        return true;
    if (left_of(u) < 2)
        return false;
    const size_t back = u->in[0] | (size_t)u->in[1] << 8;
    u->in += 2;
    return lz4_length(u, &n) && take_match(u, back, n + 4);
}

bool
snl_lz4_unpack(const unsigned char *in, size_t n, unsigned char *out, size_t bytes)
{
    Unpack u = { in, in + n, out, 0, bytes };
    while (u.in < u.in_end)
        if (!lz4_sequence(&u))
            return false;
    return u.at == bytes;
}
