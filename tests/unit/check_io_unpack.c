/* check_io_unpack.c - LZF and LZ4: what known streams become, and what is refused. Inputs and
 * outputs lie at the end of memory of their own, for sanitizers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/io_unpack.h"
#include "suite.h"

typedef bool Unpack(const unsigned char *in, size_t n, unsigned char *out, size_t bytes);

/* Streams and what they become: as text, in which nothing is 0. */
typedef struct {
    Unpack *unpack;
    const char *in;
    size_t n;
    const char *out;    /* NULL: they are damaged */
} Stream;

#define TEN "abcdefghij"
#define STREAM(unpack, in, out) { unpack, in, sizeof in - 1, out }

static const Stream streams[] = {
    STREAM(snl_lzf_unpack, "", ""),
    STREAM(snl_lzf_unpack, "\x02""abc", "abc"),
    STREAM(snl_lzf_unpack, "\x02""abc\x20\x02", "abcabc"),
    STREAM(snl_lzf_unpack, "\x00""a\xa0\x00", "aaaaaaaa"),              /* over itself */
    STREAM(snl_lzf_unpack, "\x09" TEN "\xe0\x01\x09", TEN TEN),         /* a long match */
    STREAM(snl_lzf_unpack, "\x09" TEN "\x20\x09\x00x", TEN "abcx"),
    STREAM(snl_lzf_unpack, "\x02""ab", NULL),
    STREAM(snl_lzf_unpack, "\x02""abc\x20", NULL),
    STREAM(snl_lzf_unpack, "\x02""abc\xe0\x01", NULL),
    STREAM(snl_lzf_unpack, "\x02""abc\x20\x03", NULL),                  /* before the first */
    STREAM(snl_lzf_unpack, "\x20\x00", NULL),
    STREAM(snl_lz4_unpack, "", ""),
    STREAM(snl_lz4_unpack, "\x30""abc", "abc"),
    STREAM(snl_lz4_unpack, "\x32""abc\x03\x00\x10x", "abcabcabcx"),
    STREAM(snl_lz4_unpack, "\x13""a\x01\x00\x10x", "aaaaaaaax"),        /* over itself */
    STREAM(snl_lz4_unpack, "\xf0\x05" TEN TEN, TEN TEN),
    STREAM(snl_lz4_unpack, "\xaf" TEN "\x0a\x00\x01\x10x", TEN TEN TEN "x"),
    STREAM(snl_lz4_unpack, "\x40""abc", NULL),
    STREAM(snl_lz4_unpack, "\xf0", NULL),
    STREAM(snl_lz4_unpack, "\xf0\xff", NULL),
    STREAM(snl_lz4_unpack, "\x30""abc\x03", NULL),
    STREAM(snl_lz4_unpack, "\x30""abc\x00\x00", NULL),                  /* no distance */
    STREAM(snl_lz4_unpack, "\x30""abc\x04\x00", NULL),
    STREAM(snl_lz4_unpack, "\x3f""abc\x03\x00", NULL),
};

static unsigned char *
copy_of(const char *in, size_t n)
{
    unsigned char *copy = malloc(n ? n : 1);
    memcpy(copy, in, n);
    return copy;
}

START_TEST(known_streams)
{
    const Stream *s = &streams[_i];
    const size_t bytes = s->out ? strlen(s->out) : 64;
    unsigned char *in = copy_of(s->in, s->n), *out = malloc(bytes ? bytes : 1);
    size_t found;
    ck_assert_int_eq(s->unpack(in, s->n, out, bytes), s->out != NULL);
    if (s->out) {
        ck_assert(!memcmp(out, s->out, bytes));
        ck_assert(!s->unpack(in, s->n, out, bytes + 1));
        ck_assert(bytes == 0 || !s->unpack(in, s->n, out, bytes - 1));
    }
    if (s->unpack == snl_lzf_unpack) {
        ck_assert_int_eq(snl_lzf_size(in, s->n, &found), s->out != NULL);
        ck_assert(!s->out || found == bytes);
    }
    free(out);
    free(in);
}
END_TEST

/* Whatever a byte of a stream becomes, the whole output or nothing comes of it. */
START_TEST(damaged_streams)
{
    const Stream *s = &streams[_i];
    const size_t bytes = s->out ? strlen(s->out) : 64;
    for (size_t at = 0; at < s->n; at++)
        for (int value = 0; value < 256; value++) {
            unsigned char *in = copy_of(s->in, s->n), *out = malloc(bytes ? bytes : 1);
            size_t found = 0;
            in[at] = (unsigned char)value;
            const bool good = s->unpack(in, s->n, out, bytes);
            if (s->unpack == snl_lzf_unpack && good)
                ck_assert(snl_lzf_size(in, s->n, &found) && found == bytes);
            free(out);
            free(in);
        }
}
END_TEST

int
main(void)
{
    enum { STREAMS = sizeof streams / sizeof *streams };
    Suite *suite = suite_create("unpack");
    TCase *group = tcase_create("all");
    tcase_add_loop_test(group, known_streams, 0, STREAMS);
    tcase_add_loop_test(group, damaged_streams, 0, STREAMS);
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
