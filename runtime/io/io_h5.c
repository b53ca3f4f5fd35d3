/* io_h5.c - .h5 files: dense fields as data sets, sparse ones as groups of their active cells.
 *
 *     /x            data set: all elements, row-major, components last
 *     /x/coords     of a sparse field: the indices of each active cell
 *     /x/places     where these lie, if the layout has units
 *     /x/values     and its element; shape, offset and ambient are attributes of the group
 *
 * Written in the newest form of the format, whose parts have checksums; so has the data.
 *
 * Damaged files crash the library in more than one way, or leave it unable to end.  So files are
 * read by a child process, which hands over what it has read in shared memory.  It gets no more
 * memory than reading takes, for a small file may hold chunks of many gigabytes.
 */
#include "io_h5.h"

#ifdef SNL_HAVE_HDF5

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20 };

/* Memory that the library may take to read: so many bytes, and copies of what is read. */
enum { LIBRARY_BYTES = 256 << 20, LIBRARY_COPIES = 4 };

/* ---- writing ---- */

/* How a data set is stored: in chunks, deflated, with checksums. */
static hid_t
storage_of(SnlH5 *h, int rank, const hsize_t *dims, size_t bytes)
{
    hid_t list = h->H5Pcreate(h->H5P_CLS_DATASET_CREATE_ID_g);
    hsize_t chunk[SNL_IO_AXES], count = bytes;
    h->H5Pset_obj_track_times(list, 0);
    for (int k = 0; k < rank; k++) {
        chunk[k] = dims[k];
        count *= dims[k];
    }
    if (rank == 0 || count == 0)
        return list;
    for (int k = 0; k < rank; k++)
        while (count > CHUNK_BYTES && chunk[k] > 1) {
            count = count / chunk[k] * ((chunk[k] + 1) / 2);
            chunk[k] = (chunk[k] + 1) / 2;
        }
    h->H5Pset_chunk(list, rank, chunk);
    if (h->H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        h->H5Pset_shuffle(list);
        h->H5Pset_deflate(list, 1);
    }
    h->H5Pset_fletcher32(list);
    return list;
}

static hid_t
space_of(SnlH5 *h, int rank, const hsize_t *dims)
{
    return rank == 0 ? h->H5Screate(H5S_SCALAR) : h->H5Screate_simple(rank, dims, NULL);
}

/* Writes one data set. */
static bool
write_set(SnlH5 *h, hid_t at, const char *name, int tag, int rank, const hsize_t *dims,
          const void *data)
{
    hid_t type = snl_h5_type(h, tag), space = space_of(h, rank, dims);
    hid_t list = storage_of(h, rank, dims, (size_t)snl_scalar_bytes(tag));
    hid_t set = h->H5Dcreate2(at, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bool good = set >= 0 && h->H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    if (!good)
        snl_h5_fail(h, "write a data set");
    if (set >= 0 && h->H5Dclose(set) < 0 && good)
        good = snl_h5_fail(h, "write a data set");
    h->H5Pclose(list);
    h->H5Sclose(space);
    h->H5Tclose(type);
    return good;
}

/* Writes an attribute of a few numbers. */
static bool
write_attribute(SnlH5 *h, hid_t at, const char *name, int tag, int rank, const hsize_t *dims,
                const void *data)
{
    hid_t type = snl_h5_type(h, tag), space = space_of(h, rank, dims);
    hid_t attribute = h->H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && h->H5Awrite(attribute, type, data) >= 0;
    if (!good)
        snl_h5_fail(h, "write an attribute");
    if (attribute >= 0)
        h->H5Aclose(attribute);
    h->H5Sclose(space);
    h->H5Tclose(type);
    return good;
}

/* Writes where the active cells lie in the units of the field, for the .xdmf. */
static bool
write_places(SnlH5 *h, hid_t group, const SnlIoArray *a)
{
    const int axes = a->index_axes;
    const hsize_t dims[2] = { (hsize_t)a->cells, (hsize_t)axes };
    double *places;
    bool good;
    if (!a->units || axes > 3)
        return true;
    places = (double *)malloc((size_t)a->cells * (size_t)axes * sizeof *places + 1);
    if (!places)
        return snl_io_fail_memory(h->error, "writing", h->path);
    for (int64_t n = 0; n < a->cells * axes; n++)
        places[n] = snl_io_place(a, (int)(n % axes), (double)a->coords[n]);
    good = write_set(h, group, "places", SNL_F64, 2, dims, places);
    free(places);
    return good;
}

/* Writes the group of a sparse field. */
static bool
write_cells(SnlH5 *h, hid_t file, const SnlIoArray *a, const void *data)
{
    static const unsigned char zeros[16 * 8] = { 0 };
    hid_t list = h->H5Pcreate(h->H5P_CLS_GROUP_CREATE_ID_g), group;
    hsize_t dims[SNL_IO_AXES] = { (hsize_t)a->cells, (hsize_t)a->index_axes };
    hsize_t axes = (hsize_t)a->index_axes;
    int parts = a->axes - a->index_axes;
    bool good;
    h->H5Pset_obj_track_times(list, 0);
    group = h->H5Gcreate2(file, a->name, H5P_DEFAULT, list, H5P_DEFAULT);
    h->H5Pclose(list);
    good = group >= 0 || snl_h5_fail(h, "write a group");
    good = good && write_set(h, group, "coords", SNL_I64, 2, dims, a->coords)
           && write_places(h, group, a);
    for (int k = 0; k < parts; k++)
        dims[k + 1] = (hsize_t)a->shape[a->index_axes + k];
    good = good && write_set(h, group, "values", a->tag, 1 + parts, dims, data)
           && write_attribute(h, group, "shape", SNL_I64, 1, &axes, a->shape)
           && write_attribute(h, group, "offset", SNL_I64, 1, &axes, a->offset)
           && write_attribute(h, group, "ambient", a->tag, parts, dims + 1,
                              a->ambient ? a->ambient : zeros);
    if (group >= 0)
        h->H5Oclose(group);
    return good;
}

static bool
write_field(SnlH5 *h, hid_t file, const SnlIoArray *a, const void *data)
{
    hsize_t dims[SNL_IO_AXES];
    if (a->coords)
        return write_cells(h, file, a, data);
    for (int k = 0; k < a->axes; k++)
        dims[k] = (hsize_t)a->shape[k];
    return write_set(h, file, a->name, a->tag, a->axes, dims, data);
}

/* Writes the fields into a file of that name, which exists. */
static bool
write_fields(SnlH5 *h, const char *name, int count, const SnlIoArray *arrays,
             const void *const *data)
{
    hid_t access = h->H5Pcreate(h->H5P_CLS_FILE_ACCESS_ID_g);
    hid_t create = h->H5Pcreate(h->H5P_CLS_FILE_CREATE_ID_g), file;
    bool good;
    h->H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    h->H5Pset_obj_track_times(create, 0);
    file = h->H5Fcreate(name, H5F_ACC_TRUNC, create, access);
    good = file >= 0 || snl_h5_fail(h, "create the file");
    for (int k = 0; k < count && good; k++)
        good = write_field(h, file, &arrays[k], data[k]);
    if (file >= 0 && h->H5Fclose(file) < 0 && good)
        good = snl_h5_fail(h, "close the file");
    h->H5Pclose(create);
    h->H5Pclose(access);
    return good;
}

bool
snl_h5_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
            SnlIoError *error)
{
    SnlIoWriter w;
    SnlH5 h;
    bool good;
    if (!snl_h5_begin(&h, path, error))
        return false;
    good = snl_io_create(&w, path, error);
    if (good) {
        const char *name = w.target ? snl_io_name(&w) : NULL;
        if (!w.target)
            good = snl_io_fail(error, "cannot write '%s': not a regular file", path);
        else if (!name)
            good = snl_io_fail_system(error, "write", path, errno);
        good = good && write_fields(&h, name, count, arrays, data);
        if (good)
            good = snl_io_finish(&w, error);
        else
            snl_io_abandon(&w);
    }
    snl_h5_end(&h);
    return good && snl_xdmf_save(path, count, arrays, error);
}

/* ---- reading ---- */

/* A data set that is open. */
typedef struct {
    hid_t set, type;
    SnlIoArray found;           /* its type and shape */
} Set;

static void
close_set(SnlH5 *h, Set *s)
{
    if (s->type >= 0)
        h->H5Tclose(s->type);
    if (s->set >= 0)
        h->H5Dclose(s->set);
}

/* Opens a data set and reads what it holds; must be closed in any case. */
static bool
open_set(SnlH5 *h, hid_t at, const char *name, Set *s)
{
    hsize_t dims[H5S_MAX_RANK] = { 0 };
    hid_t space;
    memset(s, 0, sizeof *s);
    s->type = -1;
    s->set = h->H5Dopen2(at, name, H5P_DEFAULT);
    if (s->set < 0 || (s->type = h->H5Dget_type(s->set)) < 0)
        return snl_h5_fail(h, "open a data set");
    space = h->H5Dget_space(s->set);
    s->found.axes = space < 0 ? -1 : h->H5Sget_simple_extent_ndims(space);
    if (s->found.axes >= 0 && s->found.axes <= SNL_IO_AXES)
        h->H5Sget_simple_extent_dims(space, dims, NULL);
    if (space >= 0)
        h->H5Sclose(space);
    if (s->found.axes < 0)
        return snl_h5_fail(h, "read the shape of a data set");
    if (s->found.axes > SNL_IO_AXES)
        return snl_io_fail(h->error, "'%s': '%s' has too many axes", h->path, name);
    for (int k = 0; k < s->found.axes; k++)
        s->found.shape[k] = (int64_t)dims[k];
    s->found.tag = snl_h5_tag(h, s->type);
    if (s->found.tag == SNL_SCALAR_COUNT)
        return snl_io_fail(h->error, "'%s': '%s' has a type that SNL lacks", h->path, name);
    return true;
}

/* Reads the elements. */
static bool
read_set(SnlH5 *h, const Set *s, int tag, void *data, int64_t count)
{
    /* another's bool may have other names for its values */
    hid_t type = tag == SNL_BOOL ? h->H5Tcopy(s->type) : snl_h5_type(h, tag);
    bool good = h->H5Dread(s->set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0
                || snl_h5_fail(h, "read a data set");
    h->H5Tclose(type);
    for (int64_t k = 0; good && tag == SNL_BOOL && k < count; k++)
        ((unsigned char *)data)[k] = ((unsigned char *)data)[k] != 0;
    return good;
}

/* Reads a dense field. */
static bool
read_field(SnlH5 *h, hid_t file, const SnlIoArray *a, void *data)
{
    Set s;
    bool good = open_set(h, file, a->name, &s)
                && snl_io_check(h->path, &s.found, a, SNL_IO_NOWHERE, h->error)
                && read_set(h, &s, a->tag, data, snl_io_count(a));
    close_set(h, &s);
    return good;
}

/* Opens the indices and the elements of a sparse field, and checks that they are that. */
static bool
open_cells(SnlH5 *h, hid_t group, const SnlIoArray *a, Set *coords, Set *values, int64_t *cells)
{
    SnlIoArray needed = *a, index;
    memset(values, 0, sizeof *values);
    values->set = values->type = -1;
    if (!open_set(h, group, "coords", coords) || !open_set(h, group, "values", values))
        return false;
    *cells = coords->found.axes > 0 ? coords->found.shape[0] : 0;
    memset(&index, 0, sizeof index);
    index.name = a->name;
    index.tag = SNL_I64;
    index.axes = 2;
    index.shape[0] = *cells;
    index.shape[1] = a->index_axes;
    needed.axes = 1 + a->axes - a->index_axes;
    needed.shape[0] = *cells;
    for (int k = 1; k < needed.axes; k++)
        needed.shape[k] = a->shape[a->index_axes + k - 1];
    if (!snl_io_check(h->path, &coords->found, &index, SNL_IO_NOWHERE, h->error)
        || !snl_io_check(h->path, &values->found, &needed, SNL_IO_NOWHERE, h->error))
        return false;
    /* deflated data are a thousandth at best */
    if (*cells < 0 || *cells > snl_io_elements(a)
        || *cells / 1100 > (int64_t)h->H5Dget_storage_size(coords->set))
        return snl_io_fail(h->error, "'%s': %lld cells cannot be", h->path, (long long)*cells);
    return true;
}

/* Counts the cells of a sparse field, or reads them where coords is not NULL. */
static bool
read_cells(SnlH5 *h, hid_t group, const SnlIoArray *a, int64_t *cells, int64_t *coords, void *data)
{
    Set index, values;
    bool good = open_cells(h, group, a, &index, &values, cells);
    if (good && coords) {
        good = *cells == a->cells
               || snl_io_fail(h->error, "'%s' was changed while it was read", h->path);
        good = good && read_set(h, &index, SNL_I64, coords, *cells * a->index_axes)
               && read_set(h, &values, a->tag, data, *cells * snl_io_components(a));
        for (int64_t k = 0; good && k < *cells; k++)
            good = snl_io_check_cell(h->path, a, coords + k * a->index_axes, SNL_IO_NOWHERE,
                                     h->error);
    }
    close_set(h, &values);
    close_set(h, &index);
    return good;
}

static hid_t
open_file(SnlH5 *h)
{
    hid_t file, access;
    if (!h->log)
        return h->H5Fopen(h->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    access = h->H5Pcreate(h->H5P_CLS_FILE_ACCESS_ID_g);
    h->H5Pset_fapl_log(access, h->log, H5FD_LOG_LOC_READ, 0);
    file = h->H5Fopen(h->path, H5F_ACC_RDONLY, access);
    h->H5Pclose(access);
    return file;
}

/* Opens the file and finds the field: the identifier of its object, or -1 with a message. */
static hid_t
open_object(SnlH5 *h, const char *name, hid_t *file)
{
    hid_t object = -1;
    htri_t found;
    *file = open_file(h);
    found = *file < 0 ? -1 : h->H5Lexists(*file, name, H5P_DEFAULT);
    if (found < 0) {
        snl_h5_fail(h, *file < 0 ? "read the file" : "look for a field");
    } else if (found == 0) {
        snl_io_fail(h->error, "'%s' has no field '%s'", h->path, name);
    } else {
        object = h->H5Oopen(*file, name, H5P_DEFAULT);
        if (object < 0)
            snl_h5_fail(h, "open a field");
    }
    return object;
}

/* What is to be read. */
typedef struct {
    const SnlIoArray *a;
    int64_t *cells;             /* NULL: all elements */
    int64_t *coords;
    void *data;
} Request;

static bool
answer(SnlH5 *h, const Request *r)
{
    hid_t file = -1, object = snl_h5_add_lzf(h) ? open_object(h, r->a->name, &file) : -1;
    bool good = object >= 0;
    if (good && h->H5Iget_type(object) != H5I_GROUP) {
        if (r->cells)
            *r->cells = -1;
        else
            good = read_field(h, file, r->a, r->data);
    } else if (good && r->cells && r->a->index_axes > 0) {
        good = read_cells(h, object, r->a, r->cells, r->coords, r->data);
    } else if (good) {
        good = snl_io_fail(h->error, "'%s' holds cells, not an array", h->path);
    }
    if (object >= 0)
        h->H5Oclose(object);
    if (file >= 0)
        h->H5Fclose(file);
    return good;
}

/* What the child process hands over; the indices of cells and the elements follow. */
typedef struct {
    SnlIoError error;
    int64_t cells;
    bool done, good;
} Shared;

/* Lets the process have so many bytes more than it has now, where the system says how many those
 * are. */
static void
limit_memory(uint64_t bytes)
{
    unsigned long long pages;
    struct rlimit limit;
    FILE *f = fopen("/proc/self/statm", "r");
    const bool known = f && fscanf(f, "%llu", &pages) == 1;
    if (f)
        fclose(f);
    if (!known || getrlimit(RLIMIT_AS, &limit) != 0)
        return;
    bytes += pages * (uint64_t)sysconf(_SC_PAGESIZE);
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= bytes)
        return;
    limit.rlim_cur = (rlim_t)bytes;
    setrlimit(RLIMIT_AS, &limit);
}

/* A crash ends this process, whatever the program does about its own, and leaves no dump. */
static void
die_of_crashes(void)
{
    static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    const struct rlimit none = { 0, 0 };
    for (size_t k = 0; k < sizeof crashes / sizeof crashes[0]; k++)
        signal(crashes[k], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
}

/* Reads in the child process; does not return. */
static void
read_in_child(SnlH5 *h, Request r, Shared *shared, size_t data_bytes, size_t coord_bytes)
{
    char *room = (char *)(shared + 1);
    die_of_crashes();
    limit_memory(LIBRARY_BYTES + LIBRARY_COPIES * ((uint64_t)data_bytes + coord_bytes));
    h->error = &shared->error;
    if (r.cells)
        r.cells = &shared->cells;
    if (r.coords)
        r.coords = (int64_t *)(void *)room;
    r.data = room + coord_bytes;
    shared->good = answer(h, &r);
    shared->done = true;
    _exit(0);
}

/* Reads by a child process. */
static bool
ask_child(SnlH5 *h, const Request *r, size_t data_bytes, size_t coord_bytes)
{
    size_t bytes = sizeof(Shared) + data_bytes + coord_bytes;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Shared *shared = (Shared *)pages;
    bool good;
    pid_t child;
    if (pages == MAP_FAILED)
        return snl_io_fail_memory(h->error, "reading", h->path);
    child = fork();
    if (child == 0)
        read_in_child(h, *r, shared, data_bytes, coord_bytes);
    if (child < 0) {
        good = snl_io_fail_system(h->error, "read", h->path, errno);
    } else {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
        good = shared->good;
        if (!shared->done)
            snl_io_fail(h->error,
                        "'%s' is damaged: the HDF5 library fails on it, in bytes 0 to %llu",
                        h->path, (unsigned long long)h->bytes);
        else if (!good)
            *h->error = shared->error;
    }
    if (good && r->cells)
        *r->cells = shared->cells;
    if (good && r->coords)
        memcpy(r->coords, shared + 1, coord_bytes);
    if (good && r->data)
        memcpy(r->data, (char *)(shared + 1) + coord_bytes, data_bytes);
    munmap(pages, bytes);
    return good;
}

/* The bytes that the library read last, of its log: lines such as " 48- 95 (48 bytes) (...)
 * Read". */
static bool
last_read(FILE *log, long long *from, long long *to)
{
    char line[512];
    long long a, b;
    bool found = false;
    rewind(log);
    while (fgets(line, sizeof line, log))
        if (strstr(line, "Read") && sscanf(line, " %lld- %lld", &a, &b) == 2) {
            *from = a;
            *to = b;
            found = true;
        }
    return found;
}

/* The library does not say where in the file it fails.  So another child process reads again, with
 * a log of what it reads, and the message gets what came last. */
static void
find_place(SnlH5 *h, const Request *r, size_t data_bytes, size_t coord_bytes)
{
    SnlIoError first = *h->error;
    long long from, to;
    char name[32];
    FILE *log = tmpfile();
    if (!log)
        return;
    snprintf(name, sizeof name, "/dev/fd/%d", fileno(log));
    h->log = name;
    ask_child(h, r, data_bytes, coord_bytes);
    h->log = NULL;
    *h->error = first;
    if (last_read(log, &from, &to))
        snl_io_fail(h->error, "%.*s, in bytes %lld to %lld or before", SNL_IO_MESSAGE - 80,
                    first.text, from, to);
    fclose(log);
}

/* Reads elements and indices of so many bytes. */
static bool
ask(const char *path, const Request *r, int64_t data_bytes, int64_t coord_bytes,
    SnlIoError *error)
{
    SnlIoReader reader;
    SnlH5 h;
    bool good;
    if (!snl_io_open(&reader, path, error))     /* for a message as other formats have */
        return false;
    snl_io_close(&reader);
    if (!snl_h5_begin(&h, path, error))
        return false;
    h.bytes = reader.left;
    good = ask_child(&h, r, (size_t)data_bytes, (size_t)coord_bytes);
    if (!good)
        find_place(&h, r, (size_t)data_bytes, (size_t)coord_bytes);
    snl_h5_end(&h);
    return good;
}

bool
snl_h5_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    Request r = { a, NULL, NULL, data };
    return ask(path, &r, snl_io_bytes(a), 0, error);
}

bool
snl_h5_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error)
{
    Request r = { a, cells, NULL, NULL };
    return ask(path, &r, 0, 0, error);
}

bool
snl_h5_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                  SnlIoError *error)
{
    int64_t cells;
    Request r = { a, &cells, coords, data };
    return a->cells == 0
           || ask(path, &r, a->cells * snl_io_components(a) * snl_scalar_bytes(a->tag),
                  a->cells * a->index_axes * (int64_t)sizeof *coords, error);
}

#else

bool
snl_h5_save(const char *path, int count, const SnlIoArray *arrays, const void *const *data,
            SnlIoError *error)
{
    (void)count;
    (void)arrays;
    (void)data;
    return snl_io_unsupported(path, error);
}

bool
snl_h5_load(const char *path, const SnlIoArray *a, void *data, SnlIoError *error)
{
    (void)a;
    (void)data;
    return snl_io_unsupported(path, error);
}

bool
snl_h5_find_cells(const char *path, const SnlIoArray *a, int64_t *cells, SnlIoError *error)
{
    (void)a;
    (void)cells;
    return snl_io_unsupported(path, error);
}

bool
snl_h5_load_cells(const char *path, const SnlIoArray *a, int64_t *coords, void *data,
                  SnlIoError *error)
{
    (void)coords;
    return snl_h5_load(path, a, data, error);
}

#endif
