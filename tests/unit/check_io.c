/* check_io.c - files of fields: what is written, what is read, and what is refused. */
#include "config.h"

#include <sys/stat.h>

#include "io_folder.h"
#include "program/snl_io.h"

/* An array that is no part of a field: name, type, number of axes, extents. */
#define ARRAY(name_, tag_, axes_, ...) \
    { .name = name_, .tag = tag_, .axes = axes_, .shape = { __VA_ARGS__ } }

static SnlIoError error;

/* True if a file was left whose name ends in .tmp. */
static bool
has_temporary(void)
{
    return system("ls | grep -q '[.]tmp$'") == 0;
}

START_TEST(npy_round_trip_of_every_type)
{
    for (int tag = 0; tag < SNL_SCALAR_COUNT; tag++) {
        unsigned char data[12 * 8], back[12 * 8] = { 0 };
        size_t bytes = 12 * (size_t)snl_scalar_bytes(tag);
        for (size_t k = 0; k < bytes; k++)
            data[k] = tag == SNL_BOOL ? k % 2 : (unsigned char)(17 * k + 3);
        SnlIoArray a = ARRAY("a", tag, 2, 4, 3), found;
        ck_assert(snl_npy_save("a.npy", &a, data, &error));
        ck_assert_msg(snl_npy_load("a.npy", &a, back, &error), "%s", error.text);
        ck_assert_mem_eq(data, back, bytes);
        ck_assert(snl_npy_probe("a.npy", &found, &error));
        ck_assert(found.tag == tag && found.axes == 2 && found.shape[0] == 4);
        struct stat info;
        ck_assert_int_eq(stat("a.npy", &info), 0);
        ck_assert_int_eq(info.st_size, 128 + (long)bytes);
    }
    ck_assert(!has_temporary());
}
END_TEST

START_TEST(npy_of_no_and_many_axes)
{
    int32_t seven = 7, back = 0, data[1024];
    SnlIoArray point = ARRAY("p", SNL_I32, 0, 0);
    SnlIoArray many = ARRAY("m", SNL_I32, 10, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2);
    ck_assert(snl_npy_save("p.npy", &point, &seven, &error));
    ck_assert(snl_npy_load("p.npy", &point, &back, &error));
    ck_assert_int_eq(back, 7);
    for (int k = 0; k < 1024; k++)
        data[k] = k;
    ck_assert(snl_npy_save("m.npy", &many, data, &error));
    memset(data, 0, sizeof data);
    ck_assert(snl_npy_load("m.npy", &many, data, &error));
    ck_assert_int_eq(data[1023], 1023);
}
END_TEST

/* A version 1.0 file with the given dictionary, its length set. */
static size_t
make_npy(unsigned char *out, const char *dictionary, const void *data, size_t bytes)
{
    size_t n = strlen(dictionary);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (unsigned char)n;
    out[9] = (unsigned char)(n >> 8);
    memcpy(out + 10, dictionary, n);
    memcpy(out + 10 + n, data, bytes);
    return 10 + n + bytes;
}

START_TEST(npy_written_by_others)
{
    unsigned char file[512];
    int16_t data[6] = { 1, 2, 3, 4, 5, 6 }, back[6];
    SnlIoArray a = ARRAY("a", SNL_I16, 2, 2, 3);
    size_t n = make_npy(file, "{\"shape\": (2, 3), 'fortran_order': True, 'descr': '<i2'}\n", data,
                        sizeof data);
    put_file("a.npy", file, n);
    ck_assert_msg(snl_npy_load("a.npy", &a, back, &error), "%s", error.text);
    ck_assert(back[0] == 1 && back[1] == 3 && back[2] == 5 && back[3] == 2 && back[5] == 6);
    unsigned char swapped[12] = { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 1, 6 };
    n = make_npy(file, "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 3), }   \n", swapped,
                 sizeof swapped);
    put_file("a.npy", file, n);
    ck_assert_msg(snl_npy_load("a.npy", &a, back, &error), "%s", error.text);
    ck_assert(back[0] == 1 && back[5] == 262);
    memmove(file + 12, file + 10, n - 10);
    file[6] = 2;
    file[10] = file[11] = 0;
    put_file("a.npy", file, n + 2);
    memset(back, 0, sizeof back);
    ck_assert_msg(snl_npy_load("a.npy", &a, back, &error), "%s", error.text);
    ck_assert_int_eq(back[5], 262);
    SnlIoArray b = ARRAY("b", SNL_BOOL, 1, 3);
    unsigned char flags[3] = { 0, 2, 255 };
    n = make_npy(file, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", flags, 3);
    put_file("b.npy", file, n);
    ck_assert(snl_npy_load("b.npy", &b, flags, &error));
    ck_assert(flags[0] == 0 && flags[1] == 1 && flags[2] == 1);
}
END_TEST

START_TEST(messages_of_npy)
{
    float x[16] = { 0 };
    SnlIoArray wide = ARRAY("wide", SNL_F32, 2, 4, 4), line = ARRAY("x", SNL_F32, 1, 16);
    SnlIoArray deep = ARRAY("deep", SNL_I64, 1, 16);
    ck_assert(!snl_npy_load("case_missing.npy", &wide, x, &error));
    ck_assert_str_eq(error.text, "cannot read 'case_missing.npy': No such file or directory");
    ck_assert(!snl_npy_save("case_no_folder/x.npy", &wide, x, &error));
    ck_assert_str_eq(error.text, "cannot write 'case_no_folder/x.npy': No such file or directory");
    ck_assert(snl_npy_save("case_shape.npy", &line, x, &error));
    ck_assert(!snl_npy_load("case_shape.npy", &wide, x, &error));
    ck_assert_str_eq(error.text,
                     "'case_shape.npy' has shape (16,) at offset 10, field wide needs (4, 4)");
    ck_assert(!snl_npy_load("case_shape.npy", &deep, x, &error));
    ck_assert_str_eq(error.text, "'case_shape.npy' holds f32 at offset 10, field deep needs i64");
    ck_assert(!snl_io_save("a.vti", 1, &wide, (const void *const[]){ x }, &error));
    ck_assert_str_eq(error.text,
                     "'a.vti': field wide has 0 indices; such a file takes 1 to 3");
    ck_assert(!snl_io_load("a.txt", &wide, x, &error));
    ck_assert(!snl_io_load("/tmp", &wide, x, &error));
    ck_assert(!snl_npy_load("/dev/null", &wide, x, &error));
    unsigned char file[512];
    size_t n = make_npy(
        file, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (16,)}", x, sizeof x);
    put_file("case_records.npy", file, n);
    ck_assert(!snl_npy_load("case_records.npy", &line, x, &error));
    ck_assert_str_eq(
        error.text, "'case_records.npy': elements that are records, which SNL lacks, at offset 20");
}
END_TEST

START_TEST(a_failed_save_leaves_the_old_file)
{
    float x[4] = { 1, 2, 3, 4 };
    SnlIoArray a = ARRAY("a", SNL_F32, 1, 4);
    ck_assert(snl_npy_save("a.npy", &a, x, &error));
    if (geteuid() != 0) {
        ck_assert_int_eq(chmod(".", 0555), 0);
        ck_assert(!snl_npy_save("a.npy", &a, x, &error));
        ck_assert_int_eq(chmod(".", 0755), 0);
        ck_assert(snl_npy_load("a.npy", &a, x, &error));
    }
    ck_assert_int_eq(mkdir("folder.npy", 0755), 0);
    ck_assert(!snl_npy_save("folder.npy", &a, x, &error));
    ck_assert(snl_npy_save("/dev/null", &a, x, &error));
    ck_assert_int_eq(symlink("a.npy", "link.npy"), 0);
    x[0] = 9;
    ck_assert(snl_npy_save("link.npy", &a, x, &error));
    x[0] = 0;
    ck_assert(snl_npy_load("a.npy", &a, x, &error) && x[0] == 9);
    ck_assert(!has_temporary());
}
END_TEST

/* Loads every cut and every changed byte of a file; none may crash or be taken for whole. */
static void
maul(const char *path, const SnlIoArray *a, void *data, size_t needed)
{
    size_t n;
    unsigned char *whole = get_file(path, &n);
    char mauled[64];
    snprintf(mauled, sizeof mauled, "mauled_%s", path);
    for (size_t cut = 0; cut < n; cut++) {
        put_file(mauled, whole, cut);
        bool loaded = snl_io_load(mauled, a, data, &error);
        ck_assert_msg(!loaded || cut >= needed, "cut at %zu", cut);
        ck_assert(loaded || strstr(error.text, mauled) != NULL);
    }
    for (size_t at = 0; at < n; at++) {
        static const unsigned char masks[] = { 0x01, 0x80, 0xff };
        for (int k = 0; k < 3; k++) {
            whole[at] ^= masks[k];
            put_file(mauled, whole, n);
            snl_io_load(mauled, a, data, &error);
            whole[at] ^= masks[k];
        }
    }
    free(whole);
}

START_TEST(mauled_npy)
{
    float x[16] = { 1, 2, 3 };
    SnlIoArray a = ARRAY("a", SNL_F32, 2, 4, 4);
    ck_assert(snl_npy_save("a.npy", &a, x, &error));
    maul("a.npy", &a, x, 192);
}
END_TEST

START_TEST(hostile_npy)
{
    static const char *const bad[] = {
        "", "{", "{}", "{'descr': '<f4'}", "{'descr': '<c16', 'fortran_order': False, 'shape': ()}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (4,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-4,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4}",
        "{'descr': '<f4aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'fortran_order': False, 'shape': (4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4,",
    };
    float x[4];
    SnlIoArray a = ARRAY("a", SNL_F32, 1, 4);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        unsigned char file[512];
        put_file("bad.npy", file, make_npy(file, bad[k], x, sizeof x));
        ck_assert_msg(!snl_npy_load("bad.npy", &a, x, &error), "%s", bad[k]);
        ck_assert(strstr(error.text, "'bad.npy'") != NULL);
    }
    unsigned char long_header[12] = "\x93NUMPY\x02\x00\xff\xff\xff\xff";
    put_file("bad.npy", long_header, 12);
    ck_assert(!snl_npy_load("bad.npy", &a, x, &error));
}
END_TEST

/* Of 2^61 elements of 8 bytes no file has them all, though the bytes are 0 in 64 bits. */
START_TEST(extents_whose_product_wraps)
{
    unsigned char file[512];
    const void *data;
    SnlIoMap map;
    double x = 1;
    SnlIoArray a = ARRAY("a", SNL_F64, 2, (int64_t)1 << 40, (int64_t)1 << 21);
    put_file("a.npy", file,
             make_npy(file, "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, "
                            "2097152)}", &x, sizeof x));
    ck_assert(!snl_io_map_array("a.npy", &a, &map, &data));
    ck_assert(!snl_io_check_size("a.npy", &a, &error));
    ck_assert_str_eq(error.text, "'a.npy': field a of shape (1099511627776, 2097152) is too large "
                                 "for such a file");
    a.index_axes = 2;
    ck_assert_int_eq(snl_io_elements(&a), (int64_t)1 << 61);
    a.shape[1] <<= 2;
    ck_assert_int_eq(snl_io_elements(&a), INT64_MAX);
    ck_assert_int_eq(snl_io_count(&a), INT64_MAX);
}
END_TEST

/* No format that holds several fields takes one twice, and none writes a file then. */
START_TEST(a_field_twice)
{
    static const char *const paths[] = { "t.npz", "t.h5", "t.vti", "t.vtu", "t.nvdb" };
    int64_t coords[2] = { 0, 1 };
    float x[2] = { 1, 2 };
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
        SnlIoArray a = ARRAY("x", SNL_F32, 1, 2), two[2];
        char text[80];
        a.index_axes = 1;
        if (snl_io_takes_cells(paths[k], &a)) {
            a.coords = coords;
            a.cells = 2;
        }
        two[0] = a;
        two[1] = a;
        ck_assert(!snl_io_save(paths[k], 2, two, (const void *const[]){ x, x }, &error));
        snprintf(text, sizeof text, "'%s': field x is given twice", paths[k]);
        ck_assert_str_eq(error.text, text);
        ck_assert_int_ne(access(paths[k], F_OK), 0);
    }
}
END_TEST

START_TEST(what_formats_take)
{
    SnlIoArray bytes = ARRAY("c", SNL_U8, 2, 4, 3), deep = ARRAY("d", SNL_F32, 4, 2, 2, 2, 2);
    bytes.index_axes = 1;
    deep.index_axes = 4;
    ck_assert(!snl_io_fits(SNL_FILE_NVDB, &bytes, &error));
    ck_assert_str_eq(error.text, "a .nvdb takes bool, i16, i32, i64, u32, f32, f64 and f32 or f64 "
                                 "vectors of 3 or 4; field c is u8x3");
    bytes.tag = SNL_F32;
    ck_assert(snl_io_fits(SNL_FILE_NVDB, &bytes, &error));
    ck_assert(!snl_io_fits(SNL_FILE_VTI, &deep, &error));
    ck_assert_str_eq(error.text, "field d has 4 indices; such a file takes 1 to 3");
    ck_assert(snl_io_fits(SNL_FILE_H5, &deep, &error));
}
END_TEST

START_TEST(npz_round_trip)
{
    float x[6] = { 1, 2, 3, 4, 5, 6 };
    double y[2] = { 0.5, -0.5 };
    SnlIoArray a[2] = { ARRAY("a", SNL_F32, 2, 2, 3), ARRAY("r#2", SNL_F64, 1, 2) };
    const void *data[2] = { x, y };
    ck_assert(snl_io_save("two.npz", 2, a, data, &error));
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    ck_assert_msg(snl_io_load("two.npz", &a[1], y, &error), "%s", error.text);
    ck_assert_msg(snl_io_load("two.npz", &a[0], x, &error), "%s", error.text);
    ck_assert(x[5] == 6 && y[1] == -0.5);
    a[0].name = "b";
    ck_assert(!snl_io_load("two.npz", &a[0], x, &error));
    ck_assert_str_eq(error.text,
                     "'two.npz' has no array 'b'; in its directory at offset 368 stand a, r#2");
    size_t n, m;
    unsigned char *first = get_file("two.npz", &n);
    a[0].name = "a";
    ck_assert(snl_io_save("two.npz", 2, a, (const void *const[]){ x, y }, &error));
    unsigned char *second = get_file("two.npz", &m);
    ck_assert(n == m);
    ck_assert_mem_eq(first, second, n);
    free(first);
    free(second);
}
END_TEST

START_TEST(mauled_npz)
{
    float x[16] = { 1, 2, 3 };
    SnlIoArray a = ARRAY("a", SNL_F32, 2, 4, 4);
    size_t n;
    ck_assert(snl_io_save("a.npz", 1, &a, (const void *const[]){ x }, &error));
    free(get_file("a.npz", &n));
    maul("a.npz", &a, x, n);
}
END_TEST

#ifdef SNL_HAVE_ZLIB
#include <zlib.h>

/* A zip archive with one deflated member "a.npy". */
static size_t
make_deflated(unsigned char *out, unsigned char *npy, size_t n)
{
    unsigned char *p = out, *end;
    z_stream z;
    memset(&z, 0, sizeof z);
    ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = npy;
    z.avail_in = (uInt)n;
    z.next_out = out + 35;
    z.avail_out = 2000;
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t packed = z.total_out;
    deflateEnd(&z);
    uint64_t common[] = { 20, 0, 8, 0, 33 };
    for (int central = 0; central < 2; central++) {
        unsigned char *start = p;
        p = put_number(p, central ? 0x02014b50 : 0x04034b50, 4);
        if (central)
            p = put_number(p, 20, 2);
        for (int k = 0; k < 5; k++)
            p = put_number(p, common[k], 2);
        p = put_number(p, crc32(0, npy, (uInt)n), 4);
        p = put_number(p, packed, 4);
        p = put_number(p, n, 4);
        p = put_number(p, 5, 2);
        p = put_number(p, 0, 2);
        if (central)
            p = put_number(put_number(p, 0, 8), 0, 8 - 2);
        memcpy(p, "a.npy", 5);
        p += 5;
        if (!central) {
            ck_assert_int_eq(p - start, 35);
            p += packed;
        }
    }
    end = p;
    p = put_number(p, 0x06054b50, 4);
    p = put_number(p, 0, 4);
    p = put_number(p, 1, 2);
    p = put_number(p, 1, 2);
    p = put_number(p, (uint64_t)(end - out) - 35 - packed, 4);
    p = put_number(p, 35 + packed, 4);
    p = put_number(p, 0, 2);
    return (size_t)(p - out);
}

START_TEST(deflated_npz)
{
    float x[64], back[64];
    SnlIoArray a = ARRAY("a", SNL_F32, 1, 64);
    unsigned char file[4096];
    size_t n;
    for (int k = 0; k < 64; k++)
        x[k] = (float)(k >> 2);
    ck_assert(snl_npy_save("a.npy", &a, x, &error));
    unsigned char *npy = get_file("a.npy", &n);
    n = make_deflated(file, npy, n);
    free(npy);
    put_file("a.npz", file, n);
    ck_assert_msg(snl_npz_load("a.npz", &a, back, &error), "%s", error.text);
    ck_assert_mem_eq(x, back, sizeof x);
    maul("a.npz", &a, back, n);
}
END_TEST
#endif

#ifdef SNL_HAVE_PNG
START_TEST(png_round_trip)
{
    static const int64_t channels[] = { 0, 1, 2, 3, 4 };
    for (int tag = SNL_U8; tag <= SNL_U16; tag++) {
        for (int k = 0; k < 5; k++) {
            unsigned char data[5 * 7 * 4 * 2], back[sizeof data] = { 0 };
            SnlIoArray a = ARRAY("a", tag, k ? 3 : 2, 5, 7, channels[k]);
            size_t bytes = (size_t)snl_io_count(&a) * (size_t)snl_scalar_bytes(tag);
            for (size_t b = 0; b < bytes; b++)
                data[b] = (unsigned char)(37 * b + b / 9);
            ck_assert_msg(snl_io_save("a.png", 1, &a, (const void *const[]){ data }, &error), "%s",
                          error.text);
            ck_assert_msg(snl_io_load("a.png", &a, back, &error), "%s", error.text);
            ck_assert_mem_eq(data, back, bytes);
        }
    }
    ck_assert(!has_temporary());
}
END_TEST

START_TEST(messages_of_png)
{
    unsigned char data[64] = { 0 };
    SnlIoArray grey = ARRAY("g", SNL_U8, 2, 4, 4), rgb = ARRAY("c", SNL_U8, 3, 4, 4, 3);
    SnlIoArray f = ARRAY("f", SNL_F32, 2, 4, 4), line = ARRAY("l", SNL_U8, 1, 16);
    SnlIoArray deep = ARRAY("d", SNL_U16, 2, 4, 4);
    ck_assert(snl_png_save("g.png", &grey, data, &error));
    ck_assert(!snl_png_load("g.png", &rgb, data, &error));
    ck_assert_str_eq(error.text,
                     "'g.png' has shape (4, 4, 1) at offset 16, field c needs (4, 4, 3)");
    ck_assert(!snl_png_load("g.png", &deep, data, &error));
    ck_assert_str_eq(error.text, "'g.png' holds u8 at offset 16, field d needs u16");
    ck_assert(!snl_png_save("f.png", &f, data, &error));
    ck_assert(!snl_png_save("l.png", &line, data, &error));
    ck_assert(!snl_png_load("missing.png", &grey, data, &error));
    ck_assert_str_eq(error.text, "cannot read 'missing.png': No such file or directory");
    put_file("no.png", "hello, this is no image", 20);
    ck_assert(!snl_png_load("no.png", &grey, data, &error));
    ck_assert(strstr(error.text, "no.png") != NULL);
}
END_TEST

START_TEST(mauled_png)
{
    unsigned char data[64] = { 1, 2, 3 };
    SnlIoArray grey = ARRAY("g", SNL_U8, 2, 8, 8);
    ck_assert(snl_png_save("g.png", &grey, data, &error));
    maul("g.png", &grey, data, 60);
}
END_TEST

START_TEST(images_of_numbers)
{
    float x[6] = { -1, 0, 0.5f, 1, 2, NAN };
    unsigned char grey[6], rgb[6];
    SnlIoArray a = ARRAY("a", SNL_F32, 2, 2, 3), g = ARRAY("g", SNL_U8, 2, 2, 3);
    ck_assert_msg(snl_image_save("a.png", &a, x, 0, 1, &error), "%s", error.text);
    ck_assert(snl_png_load("a.png", &g, grey, &error));
    ck_assert(grey[0] == 0 && grey[1] == 0 && grey[2] == 128 && grey[3] == 255 && grey[4] == 255);
    ck_assert_uint_eq(grey[5], 0);
    int32_t v[6] = { 0, 10, 20, 5, 15, 25 };
    SnlIoArray c = ARRAY("c", SNL_I32, 3, 1, 2, 3), r = ARRAY("r", SNL_U8, 3, 1, 2, 3);
    ck_assert(snl_image_save("c.png", &c, v, 20, 0, &error));
    ck_assert(snl_png_load("c.png", &r, rgb, &error));
    ck_assert(rgb[0] == 255 && rgb[1] == 128 && rgb[2] == 0 && rgb[5] == 0);
    ck_assert(!snl_image_save("c.jpg", &c, v, 0, 1, &error));
}
END_TEST
#endif

/* ---- arrays of .vti as others write them ---- */

/* Writes v.vti, of two cells, with an array v: attributes of the file, type and attributes of the
 * array, what stands in it, and what stands behind the image. */
static void
put_vti(const char *of_file, const char *type, const char *of_array, const char *array,
        const char *behind)
{
    char text[1024];
    int n = snprintf(text, sizeof text,
                     "<?xml version=\"1.0\"?><!-- <Piece> -->\n"
                     "<VTKFile type='ImageData' %s><ImageData WholeExtent=\"0 2 0 0 0 0\">\n"
                     "<Piece Extent=\"0 2 0 0 0 0\"><PointData/><FieldData>"
                     "<DataArray type=\"Int16\" Name=\"v\">7 8 9</DataArray></FieldData>"
                     "<CellData><DataArray type=\"%s\" Name=\"v\" "
                     "%s>%s</DataArray></CellData></Piece></ImageData>%s</VTKFile>\n",
                     of_file, type, of_array, array, behind);
    put_file("v.vti", text, (size_t)n);
}

/* Numbers of any type, as text: at the ends of their range, beyond, and too few or too many. */
START_TEST(text_in_vti)
{
    static const struct {
        int tag;
        const char *type, *text;
        int64_t first, second;      /* what is read */
        const char *message;        /* or what is wrong */
    } cases[] = {
        { SNL_I8, "Int8", "-128 127", -128, 127, NULL },
        { SNL_I8, "Int8", "1 128", 0, 0, "a number expected" },
        { SNL_I8, "Int8", "-129 1", 0, 0, "a number expected" },
        { SNL_U8, "UInt8", "\n0\t255\n", 0, 255, NULL },
        { SNL_U8, "UInt8", "256 0", 0, 0, "a number expected" },
        { SNL_U8, "UInt8", "0 -1", 0, 0, "a number expected" },
        { SNL_BOOL, "UInt8", "0 7", 0, 1, NULL },
        { SNL_I16, "Int16", "-32768 32767", -32768, 32767, NULL },
        { SNL_U16, "UInt16", "65535 65536", 0, 0, "a number expected" },
        { SNL_I32, "Int32", "-2147483648 2147483647", INT32_MIN, INT32_MAX, NULL },
        { SNL_U32, "UInt32", "4294967295 1", UINT32_MAX, 1, NULL },
        { SNL_I64, "Int64", "-9223372036854775808 9223372036854775807", INT64_MIN, INT64_MAX,
          NULL },
        { SNL_I64, "Int64", "0 9223372036854775808", 0, 0, "a number expected" },
        { SNL_U64, "UInt64", "18446744073709551615 1", -1, 1, NULL },
        { SNL_U64, "UInt64", "-1 1", 0, 0, "a number expected" },
        { SNL_U64, "UInt64", "1 18446744073709551616", 0, 0, "a number expected" },
        { SNL_I32, "Int32", "1", 0, 0, "a number expected" },
        { SNL_I32, "Int32", "1 2 3", 0, 0, "an array of another size" },
        { SNL_I32, "Int32", "1 2x", 0, 0, "a number expected" },
        { SNL_I32, "Int32", "1 2.5", 0, 0, "a number expected" },
        { SNL_F32, "Float32", "-2 1e3", -2, 1000, NULL },
        { SNL_F64, "Float64", "-2 1e3", -2, 1000, NULL },
        { SNL_F16, "Float32", "-2 2048", -2, 2048, NULL },
        { SNL_F64, "Float64", "1.5. 2", 0, 0, "a number expected" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SnlIoArray v = ARRAY("v", cases[k].tag, 1, 2);
        unsigned char data[16] = { 0 };
        v.index_axes = 1;
        put_vti("", cases[k].type, "", cases[k].text, "");
        if (cases[k].message) {
            ck_assert_msg(!snl_io_load("v.vti", &v, data, &error), "case %zu", k);
            ck_assert_msg(strstr(error.text, cases[k].message) != NULL, "%s", error.text);
            continue;
        }
        ck_assert_msg(snl_io_load("v.vti", &v, data, &error), "%s", error.text);
        for (int at = 0; at < 2; at++) {
            const int64_t wanted = at ? cases[k].second : cases[k].first;
            const unsigned char *found = data + at * snl_scalar_bytes(v.tag);
            switch (v.tag) {
            case SNL_F32: ck_assert(*(const float *)(const void *)found == (float)wanted); break;
            case SNL_F64: ck_assert(*(const double *)(const void *)found == (double)wanted); break;
            case SNL_F16:
                ck_assert(snl_f16_to_f32(*(const snl_f16 *)(const void *)found) == (float)wanted);
                break;
            default: ck_assert_mem_eq(found, &wanted, (size_t)snl_scalar_bytes(v.tag));
            }
        }
    }
}
END_TEST

/* 1 and -2.5 in the encodings that VTK has; or what is wrong. */
START_TEST(encodings_of_vti)
{
    static const char wide[] = "header_type=\"UInt64\"", big[] = "byte_order=\"BigEndian\"";
    static const char packed[] = "compressor=\"vtkZLibDataCompressor\"";
    static const char lz4[] = "compressor=\"vtkLZ4DataCompressor\"";
    static const char lzma[] = "compressor=\"vtkLZMADataCompressor\"";
    static const char base64[] = "format=\"binary\"", behind[] = "format='appended' offset='3'";
    static const struct {
        const char *of_file, *of_array, *array, *behind, *message;
    } cases[] = {
        { "", base64, "CAAAAAAAgD8AACDA", "", NULL },
        { "", base64, "\nCAAAA AAAgD8\nAACDA\n", "", NULL },
        { wide, base64, "CAAAAAAAAAAAAIA/AAAgwA==", "", NULL },
        { big, base64, "AAAACD+AAADAIAAA", "", NULL },
        { "", behind, "", "<AppendedData encoding=\"base64\"> _AAACAAAAAAAgD8AACDA</AppendedData>",
          NULL },
        { "", base64, "BAAAAAAAgD8=", "", "an array of another size" },
        { "", base64, "CAAAAAAAgD8=", "", "bad base64" },
        { "", base64, "CAAAAAAAgD8AACD", "", "bad base64" },
        { "", behind, "", "<AppendedData>_AAACAAAAAAAgD8=</AppendedData>", "bad base64" },
        { "", behind, "", "<AppendedData encoding='raw'>_AAA\x7f", "an array of another size" },
        { "", base64, "CAAAAAAAgD8A!CDA", "", "bad base64" },
        { "", base64, "CAAAAA=AgD8AACDA", "", "bad base64" },
        { "", behind, "", "", "an array lies outside of the file" },
        { "", behind, "", "<AppendedData>AAA</AppendedData>", "'_' expected before appended data" },
        { "compressor=\"vtkOtherCompressor\"", base64, "", "",
          "is compressed by 'vtkOtherCompressor'" },
#ifdef SNL_HAVE_LZMA
        { lzma, base64,
          "AQAAAAgAAAAAAAAAPAAAAA==/Td6WFoAAAFpIt42AgAhARYAAAB0L+WjAQAHAACAPwAAIMAA9AIDVgABHAhEYCrI"
          "kEKZDQEAAAAAAVla", "", NULL },
        { lzma, base64,
          "AgAAAAQAAAAAAAAAOAAAADgAAAA=/Td6WFoAAAFpIt42AgAhARYAAAB0L+WjAQADAACAPwBqaqGsAAEYBGvp8KWQ"
          "QpkNAQAAAAABWVr9N3pYWgAAAWki3jYCACEBFgAAAHQv5aMBAAMAACDAAA45pC8AARgEa+nwpZBCmQ0BAAAAAAFZ"
          "Wg==", "", NULL },
        { lzma, base64,     /* another checksum */
          "AQAAAAgAAAAAAAAAPAAAAA==/Td6WFoAAAFpIt42AgAhARYAAAB0L+WjAQAHAACAPwAAIMAA9AIDVwABHAhEYCrI"
          "kEKZDQEAAAAAAVla", "", "damaged compressed data" },
        { lzma, base64,     /* a block of 8 bytes where 4 are said */
          "AgAAAAQAAAAAAAAAPAAAADgAAAA=/Td6WFoAAAFpIt42AgAhARYAAAB0L+WjAQAHAACAPwAAIMAA9AIDVgABHAhE"
          "YCrIkEKZDQEAAAAAAVla/Td6WFoAAAFpIt42AgAhARYAAAB0L+WjAQADAACAPwBqaqGsAAEYBGvp8KWQQpkNAQAA"
          "AAABWVo=", "", "damaged compressed data" },
#else
        { lzma, base64, "AQAAAAgAAAAAAAAAPAAAAA==", "", "has no liblzma for the compressed array" },
#endif
        { lz4, base64, "AQAAAAgAAAAAAAAACQAAAA==gAAAgD8AACDA", "", NULL },
        { lz4, base64, "AgAAAAQAAAAAAAAABQAAAAUAAAA=QAAAgD9AAAAgwA==", "", NULL },
        { lz4, base64, "AgAAAAQAAAAAAAAABQAAAAUAAAA=QAAAgD9QAAAgwA==", "",
          "damaged compressed data" },
        { lz4, base64, "AQAAAAQAAAAAAAAABQAAAA==QAAAgD8=", "", "an array of another size" },
#ifdef SNL_HAVE_ZLIB
        { packed, base64,
          "AgAAAAQAAAAAAAAADAAAAAwAAAA=eNpjYGiwBwABQwDAeNpjYFA4AAABBADh", "", NULL },
        { "header_type=\"UInt64\" byte_order=\"BigEndian\" compressor=\"vtkZLibDataCompressor\"",
          base64, "AAAAAAAAAAEAAAAAAAAACAAAAAAAAAAIAAAAAAAAABA=eNqzb2BgOKDAwAAACOABoA==",
          "", NULL },
        { packed, base64,
          "AgAAAAQAAAAAAAAADAAAAAwAAAA=eNpjYGiwBwABQwDAeNpjYFA4AAABBADi", "",
          "damaged compressed data" },
        { packed, base64, "AQAAAAQAAAAAAAAADAAAAA==eNpjYGiwBwABQwDA", "",
          "an array of another size" },
        { packed, base64, "AQAAAAAAAAAAAAAADAAAAA==", "", "damaged sizes of an array" },
#endif
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SnlIoArray v = ARRAY("v", SNL_F32, 1, 2);
        float data[2] = { 0 };
        v.index_axes = 1;
        put_vti(cases[k].of_file, "Float32", cases[k].of_array, cases[k].array, cases[k].behind);
        if (snl_io_load("v.vti", &v, data, &error)) {
            ck_assert_msg(!cases[k].message, "case %zu", k);
            ck_assert(data[0] == 1 && data[1] == -2.5F);
        } else {
            ck_assert_msg(cases[k].message && strstr(error.text, cases[k].message), "%zu: %s", k,
                          error.text);
        }
    }
}
END_TEST

START_TEST(kinds_of_files)
{
    ck_assert_int_eq(snl_file_kind("a.npy"), SNL_FILE_NPY);
    ck_assert_int_eq(snl_file_kind("x.y/a.b.npz"), SNL_FILE_NPZ);
    ck_assert_int_eq(snl_file_kind("s.snlt"), SNL_FILE_SNLT);
    ck_assert_int_eq(snl_file_kind("s.vtu"), SNL_FILE_VTU);
    ck_assert_int_eq(snl_file_kind("s.nvdb"), SNL_FILE_NVDB);
    ck_assert_int_eq(snl_file_kind("x.npy/a"), SNL_FILE_OTHER);
    ck_assert_int_eq(snl_file_kind(""), SNL_FILE_OTHER);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("io");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 120);
    tcase_add_checked_fixture(group, enter_folder, leave_folder);
    tcase_add_test(group, npy_round_trip_of_every_type);
    tcase_add_test(group, npy_of_no_and_many_axes);
    tcase_add_test(group, npy_written_by_others);
    tcase_add_test(group, messages_of_npy);
    tcase_add_test(group, a_failed_save_leaves_the_old_file);
    tcase_add_test(group, mauled_npy);
    tcase_add_test(group, hostile_npy);
    tcase_add_test(group, extents_whose_product_wraps);
    tcase_add_test(group, a_field_twice);
    tcase_add_test(group, what_formats_take);
    tcase_add_test(group, npz_round_trip);
    tcase_add_test(group, mauled_npz);
    tcase_add_test(group, text_in_vti);
    tcase_add_test(group, encodings_of_vti);
    tcase_add_test(group, kinds_of_files);
#ifdef SNL_HAVE_ZLIB
    tcase_add_test(group, deflated_npz);
#endif
#ifdef SNL_HAVE_PNG
    tcase_add_test(group, png_round_trip);
    tcase_add_test(group, messages_of_png);
    tcase_add_test(group, mauled_png);
    tcase_add_test(group, images_of_numbers);
#endif
    suite_add_tcase(suite, group);
    return run_suite(suite);
}
