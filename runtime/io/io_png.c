/* io_png.c - .png files, through libpng: fields of u8 and u16, and images of any numbers. */
#include "io_stream.h"

#ifdef SNL_HAVE_PNG

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>

/* What the message of an error of libpng needs. */
typedef struct {
    const char *verb, *path;
    FILE *file;
    SnlIoError *error;
} Trouble;

static void
on_error(png_structp png, png_const_charp message)
{
    Trouble *t = (Trouble *)png_get_error_ptr(png);
    const int code = errno;
    if (ferror(t->file) && code)
        snl_io_fail_system(t->error, t->verb, t->path, code);
    else
        snl_io_fail(t->error, "cannot %s '%s': %s, before offset %lld", t->verb, t->path, message,
                (long long)ftello(t->file));
    png_longjmp(png, 1);
}

static void
on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* The rows of an image in memory. */
typedef struct {
    int64_t height, width;
    int channels, depth;        /* depth in bits: 8 or 16 */
    unsigned char *rows;
} Image;

enum { MOST_PIXELS = 1000000 }; /* of a row or column: more is against the limit of libpng */

/* False, with a message, where the array is no image of 1 to 4 channels. */
static bool
image_of(const char *path, const SnlIoArray *a, Image *image, SnlIoError *error)
{
    char shape[256];
    image->channels = a->axes == 3 && a->shape[2] <= 4 ? (int)a->shape[2] : a->axes == 2 ? 1 : 0;
    image->depth = a->tag == SNL_U16 ? 16 : 8;
    image->rows = NULL;
    image->height = a->shape[0];
    image->width = a->shape[1];
    const bool fits = image->height <= MOST_PIXELS && image->width <= MOST_PIXELS;
    if (image->channels >= 1 && image->height >= 1 && image->width >= 1 && fits)
        return true;
    snl_io_shape_text(shape, sizeof shape, a->axes, a->shape);
    if (image->channels >= 1 && !fits)
        return snl_io_fail(error, "'%s': field %s has shape %s; a .png has at most %d rows and "
                           "columns, the limit of libpng", path, a->name, shape, MOST_PIXELS);
    return snl_io_fail(error, "'%s': field %s of shape %s is no image; (height, width) with 1 to 4 "
                       "components is", path, a->name, shape);
}

/* False, with a message, unless the elements are those of a .png. */
static bool
check_type(const char *path, const SnlIoArray *a, SnlIoError *error)
{
    char type[64];
    if (a->tag == SNL_U8 || a->tag == SNL_U16)
        return true;
    snl_io_type_text(type, sizeof type, a);
    return snl_io_fail(error, "'%s': a .png holds u8 or u16, field %s is %s; image() converts",
                       path, a->name, type);
}

static int
color_of(int channels)
{
    static const int colors[] = { 0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                  PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA };
    return colors[channels];
}

/* Writes the image; nothing that must survive a longjmp changes after setjmp. */
static bool
write_image(FILE *f, const char *path, const Image *image, SnlIoError *error)
{
    Trouble trouble = { "write", path, f, error };
    size_t stride = (size_t)image->width * (size_t)(image->channels * image->depth / 8);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &trouble, on_error,
                                              on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        return snl_io_fail_memory(error, "writing", path);
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_init_io(png, f);
    png_set_user_limits(png, MOST_PIXELS, MOST_PIXELS);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, image->depth,
                 color_of(image->channels), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (image->depth == 16 && snl_io_little_endian())
        png_set_swap(png);
    for (int64_t y = 0; y < image->height; y++)
        png_write_row(png, image->rows + (size_t)y * stride);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

static bool
save_image(const char *path, const Image *image, SnlIoError *error)
{
    SnlIoWriter w;
    if (!snl_io_create(&w, path, error))
        return false;
    if (!write_image(w.file, path, image, error)) {
        snl_io_abandon(&w);
        return false;
    }
    return snl_io_finish(&w, error);
}

bool
snl_png_save(const char *path, const SnlIoArray *a, const void *data, SnlIoError *error)
{
    Image image;
    if (!check_type(path, a, error) || !image_of(path, a, &image, error))
        return false;
    image.rows = (unsigned char *)(uintptr_t)data;      /* only read */
    return save_image(path, &image, error);
}

/* ---- loading ---- */

enum { HEAD_AT = 16 };          /* the head of a file, behind the signature and a length with a
                                 * name */

/* Compares the head of the file with the array and sets the conversions to plain samples. */
static bool
accept_head(png_structp png, png_infop info, const char *path, const SnlIoArray *a,
            SnlIoError *error)
{
    SnlIoArray found;
    int depth, color;
    png_read_info(png, info);
    depth = png_get_bit_depth(png, info);
    color = png_get_color_type(png, info);
    if (color == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(png);
    if (color == PNG_COLOR_TYPE_GRAY && depth < 8)
        png_set_expand_gray_1_2_4_to_8(png);
    if (png_get_valid(png, info, PNG_INFO_tRNS))
        png_set_tRNS_to_alpha(png);
    if (depth == 16 && snl_io_little_endian())
        png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    memset(&found, 0, sizeof found);
    found.tag = depth == 16 ? SNL_U16 : SNL_U8;
    found.shape[0] = png_get_image_height(png, info);
    found.shape[1] = png_get_image_width(png, info);
    found.shape[2] = png_get_channels(png, info);
    found.axes = found.shape[2] == 1 && a->axes < 3 ? 2 : 3;
    return snl_io_check(path, &found, a, HEAD_AT, error);
}

/* Reads the file into data; *rows points to its lines. */
static bool
read_image(FILE *f, const char *path, const SnlIoArray *a, png_bytep *rows, SnlIoError *error)
{
    Trouble trouble = { "read", path, f, error };
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &trouble, on_error,
                                             on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        return snl_io_fail_memory(error, "reading", path);
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return false;
    }
    png_init_io(png, f);
    png_set_user_limits(png, MOST_PIXELS, MOST_PIXELS);
    if (!accept_head(png, info, path, a, error)) {
        png_destroy_read_struct(&png, &info, NULL);
        return false;
    }
    png_read_image(png, rows);
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return true;
}

bool
snl_png_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    SnlIoReader r;
    Image image;
    png_bytep *rows;
    size_t stride;
    bool good;
    if (!check_type(path, a, error) || !image_of(path, a, &image, error)
        || !snl_io_open(&r, path, error))
        return false;
    stride = (size_t)image.width * (size_t)(image.channels * image.depth / 8);
    rows = (png_bytep *)malloc((size_t)image.height * sizeof *rows);
    if (rows)
        for (int64_t y = 0; y < image.height; y++)
            rows[y] = (png_bytep)data + (size_t)y * stride;
    good = rows ? read_image(r.file, path, a, rows, error)
                : snl_io_fail_memory(error, "reading", path);
    free(rows);
    snl_io_close(&r);
    return good;
}

/* ---- images of numbers ---- */

/* Element number k as double. */
static double
number_at(int tag, const void *data, int64_t k)
{
    switch (tag) {
#define NUMBER_CASE(tag_, type) case SNL_##tag_: return (double)((const type *)data)[k]
    NUMBER_CASE(BOOL, bool);
    NUMBER_CASE(I8, int8_t);
    NUMBER_CASE(I16, int16_t);
    NUMBER_CASE(I32, int32_t);
    NUMBER_CASE(I64, int64_t);
    NUMBER_CASE(U8, uint8_t);
    NUMBER_CASE(U16, uint16_t);
    NUMBER_CASE(U32, uint32_t);
    NUMBER_CASE(U64, uint64_t);
    NUMBER_CASE(F32, float);
    NUMBER_CASE(F64, double);
#undef NUMBER_CASE
    case SNL_F16: return snl_f16_to_f64(((const snl_f16 *)data)[k]);
    default: return 0;
    }
}

bool
snl_image_save(const char *path, const SnlIoArray *a, const void *data, double lo, double hi,
               SnlIoError *error)
{
    Image image;
    int64_t count = snl_io_count(a);
    bool good;
    if (snl_file_kind(path) != SNL_FILE_PNG)
        return snl_io_fail(error, "'%s': image() writes .png files", path);
    if (!image_of(path, a, &image, error))
        return false;
    image.depth = 8;
    image.rows = (unsigned char *)malloc((size_t)count);
    if (!image.rows)
        return snl_io_fail_memory(error, "writing", path);
    for (int64_t k = 0; k < count; k++) {
        double part = (number_at(a->tag, data, k) - lo) / (hi - lo);
        double value = part > 0 ? (part < 1 ? part : 1) : 0;    /* a NaN is black */
        image.rows[k] = (unsigned char)(255 * value + 0.5);
    }
    good = save_image(path, &image, error);
    free(image.rows);
    return good;
}

#else

bool
snl_png_save(const char *path, const SnlIoArray *a, const void *data, SnlIoError *error)
{
    (void)a;
    (void)data;
    return snl_io_unsupported(path, error);
}

bool
snl_png_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    (void)a;
    (void)data;
    return snl_io_unsupported(path, error);
}

bool
snl_image_save(const char *path, const SnlIoArray *a, const void *data, double lo, double hi,
               SnlIoError *error)
{
    (void)a;
    (void)data;
    (void)lo;
    (void)hi;
    return snl_io_unsupported(path, error);
}

#endif
