/* gpu_errors.h - errors and prints of code that runs on the GPU.
 *
 * A GPU can neither allocate memory nor format text. What is needed is copied into the SnlGpu of
 * the instance, and the CPU makes the text when it waits for the GPU. Included by instance.h;
 * snl_fail and its like are redirected to functions that work on both sides.
 */
#ifndef SNL_GPU_GPU_ERRORS_H
#define SNL_GPU_GPU_ERRORS_H

enum { SNL_GPU_NOTE = 4096, SNL_GPU_PRINT = 1 << 20 };

/* Head of a note; two strings follow, file and format, then an SnlArg for each value, then what
 * these point to: the CPU sees it at the same address. */
typedef struct {
    int bytes;                  /* of the whole */
    int status;                 /* of an error, -1: a print */
    int line;
    int count;                  /* values */
    int plain;                  /* the format is that of printf */
    int placed;                 /* file and line are known */
} SnlGpuNote;

/* What lanes tell the CPU. */
typedef struct SnlGpuNotes {
    int taken;                  /* by the lane that writes the error */
    int later_line;             /* of snl_error_at for an error without a place */
    int64_t lane;               /* that wrote it, counted from 1 in its loop; 0: none */
    char later_file[256];
    uint64_t printed, lost;     /* bytes of prints, prints that had no room */
    uint32_t stack_low;         /* where the stacks of lanes are nearly full; see gpu_stack.h */
    uint64_t error[SNL_GPU_NOTE / 8];
    uint64_t prints[SNL_GPU_PRINT / 8];
} SnlGpuNotes;

/* What the CPU knows of the GPU, in memory of its own: it writes here whenever it starts something,
 * and pages that both sides use wander. */
typedef struct SnlGpu {
    int device;
    void *stream;
    bool own_stream;
    bool busy;                  /* something was started since the last wait */
    const char *stopped;        /* why the device runs nothing any more, or NULL */
    struct SnlRangeMaker *ranges; /* where the device has them, or NULL; see address_space.h */
    int64_t version;            /* of what lists show: it changes when activity may change; see
                                 * gpu_tree.h */
    uint64_t seed;              /* of the stand-in */
    struct SnlSimTrap *trap;    /* there, or NULL; see sim_trap.h */
    uint64_t launch;            /* parallel loops started so far; see SnlInstance */
    struct SnlGpuBlock *scratch;        /* memory of the loops that run */
    struct SnlGpuBlock *read;   /* that of loops that have ended, for the CPU to read until it
                                 * starts the next */
    struct SnlGpuArray *arrays, *free_arrays;   /* copies of what is the CPU's, for loops that run
                                                 * and for later ones; see gpu_array.h */
    uint64_t array_bytes, free_array_bytes;
    bool copying;               /* such a copy is being made */
    char *results;              /* memory of the CPU that lanes write results of loops to, or
                                 * NULL */
    uint64_t results_used;      /* bytes, by the loops that run */
    struct SnlGpuQueue *queue;  /* launches that wait for their iteration to end, or NULL; see
                                 * gpu_graph.h */
    struct SnlGpuGraph *graphs; /* of loops of host code */
    struct SnlGpuGraph *repeating;      /* that of the loop that runs, or NULL */
    char file[256];             /* of the error, which keeps the address */
    int64_t graph_starts;       /* how often the launches of an iteration were started as a whole */
} SnlGpu;

/* A launch: what runs on each lane of blocks of lanes. Its kernel, which follows or is given with
 * it, is aligned as this. */
typedef struct {
    alignas(16) const void *code;
    int64_t blocks;
    int32_t threads;            /* of a block */
    int32_t bytes;              /* of the kernel */
} SnlGpuLaunch;

/* The bytes from one launch to the next, with the kernel that follows it. */
static inline int64_t snl_gpu_step_bytes(const SnlGpuLaunch *l)
{
    return (int64_t)(sizeof *l + (size_t)(l->bytes + 15) / 16 * 16);
}

/* Calls visit(launch, kernel) for launches that lie one after another with their kernels, until one
 * gives trouble; gives that. */
template <typename Visit>
static inline const char *snl_gpu_each_launch(const char *data, int64_t bytes, Visit visit)
{
    const char *trouble = NULL;
    for (int64_t at = 0; at < bytes && !trouble;) {
        const SnlGpuLaunch *l = (const SnlGpuLaunch *)(const void *)(data + at);
        trouble = visit(l, (void *)(uintptr_t)(l + 1));
        at += snl_gpu_step_bytes(l);
    }
    return trouble;
}

SNL_FN int snl_gpu_length(const char *s)
{
    int n = 0;
    while (s[n])
        n++;
    return n;
}

SNL_FN char *snl_gpu_copy(char *to, const void *from, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = ((const char *)from)[i];
    return to + (bytes + 7) / 8 * 8;
}

SNL_FN int snl_gpu_value_bytes(const SnlArg *a)
{
    if (a->tag == SNL_STRING)
        return snl_gpu_length((const char *)a->data) + 1;
    return snl_scalar_bytes(a->tag) * (a->rows ? a->rows : 1) * (a->cols ? a->cols : 1);
}

/* Bytes that the note takes. */
SNL_FN int snl_gpu_note_bytes(const char *file, const char *format, int count, const SnlArg *args)
{
    int bytes = (int)sizeof(SnlGpuNote);
    bytes += (snl_gpu_length(file) + 8) / 8 * 8 + (snl_gpu_length(format) + 8) / 8 * 8;
    for (int i = 0; i < count; i++)
        bytes += (int)sizeof *args + (snl_gpu_value_bytes(&args[i]) + 7) / 8 * 8;
    return bytes;
}

/* Writes the note where so many bytes are free. */
SNL_FN void snl_gpu_write(void *where, SnlGpuNote note, const char *file, const char *format,
                          const SnlArg *args)
{
    char *at = snl_gpu_copy((char *)where, &note, (int)sizeof note);
    SnlArg *own;
    at = snl_gpu_copy(at, file, snl_gpu_length(file) + 1);
    at = snl_gpu_copy(at, format, snl_gpu_length(format) + 1);
    own = (SnlArg *)(void *)at;
    at += note.count * (int)sizeof *own;
    for (int i = 0; i < note.count; i++) {
        own[i] = args[i];
        own[i].data = at;
        at = snl_gpu_copy(at, args[i].data, snl_gpu_value_bytes(&args[i]));
    }
}

/* The number of the calling lane in its loop, from 1 on; gpu.h. */
SNL_ON_GPU static inline int64_t snl_gpu_lane(void);

/* Notes the first error. Who fails after that, or asks, knows of it before it goes on. */
SNL_ON_GPU SNL_COLD static snl_status snl_gpu_fail(SnlInstance *rt, snl_status status,
                                                 const char *file, int line, const char *format,
                                                 int count, const SnlArg *args, bool plain)
{
    SnlGpuNotes *notes = rt->notes;
    SnlGpuNote note = {0, (int)status, line, count, plain, file != NULL};
    int none = SNL_OK;
    SNL_CAS(&rt->error.status, &none, (int)status);
    if (SNL_EXCHANGE(&notes->taken, 1))
        return status;
    SNL_STORE_RELAXED(&notes->lane, file ? 0 : snl_gpu_lane());
    note.bytes = snl_gpu_note_bytes(file ? file : "", format, count, args);
    if (note.bytes > SNL_GPU_NOTE) {
        note.count = count = 0;
        format = "an error whose values are too long to be told";
        note.bytes = snl_gpu_note_bytes(file ? file : "", format, count, args);
    }
    snl_gpu_write(notes->error, note, file ? file : "", format, args);
    return status;
}

/* The value as it goes through the ... of printf. */
SNL_FN SnlArg snl_gpu_arg(const int64_t *x) { return (SnlArg){SNL_I64, 0, 0, x}; }
SNL_FN SnlArg snl_gpu_arg(const double *x) { return (SnlArg){SNL_F64, 0, 0, x}; }
SNL_FN SnlArg snl_gpu_arg(const char *const *x) { return (SnlArg){SNL_STRING, 0, 0, *x}; }
SNL_FN int64_t snl_gpu_wide(int x) { return x; }
SNL_FN int64_t snl_gpu_wide(long x) { return x; }
SNL_FN int64_t snl_gpu_wide(long long x) { return x; }
SNL_FN int64_t snl_gpu_wide(unsigned long x) { return (int64_t)x; }
SNL_FN int64_t snl_gpu_wide(unsigned long long x) { return (int64_t)x; }
SNL_FN double snl_gpu_wide(double x) { return x; }
SNL_FN const char *snl_gpu_wide(const char *x) { return x; }

/* No part of its callers, which need no memory for the values then. */
template <typename... V>
SNL_ON_GPU SNL_COLD snl_status snl_gpu_fail_with(SnlInstance *rt, snl_status status,
                                                 const char *file, int line, const char *format,
                                                 V... values)
{
    SnlArg args[sizeof...(V) + 1] = {snl_gpu_arg(&values)...};
    return snl_gpu_fail(rt, status, file, line, format, (int)sizeof...(V), args, true);
}

/* snl_fail on either side; compilers, of some systems unasked, warn of formats that are no
 * constants here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
template <typename... V>
SNL_METHOD snl_status snl_both_fail(SnlInstance *rt, snl_status status, const char *file, int line,
                                    const char *format, V... values)
{
    return SNL_SPLIT(snl_gpu_fail_with(rt, status, file, line, format, snl_gpu_wide(values)...),
                     snl_fail(rt, status, file, line, format, values...));
}
#pragma GCC diagnostic pop

/* snl_fail_format on either side. */
SNL_FN snl_status snl_both_fail_format(SnlInstance *rt, snl_status status, const char *file,
                                       int line, const char *format, int count, const SnlArg *args)
{
    return SNL_SPLIT(snl_gpu_fail(rt, status, file, line, format, count, args, false),
                     snl_fail_format(rt, status, file, line, format, count, args));
}

/* Only by the lane whose error has no place yet: others may be at other lines. */
SNL_ON_GPU static inline void snl_gpu_error_place(SnlInstance *rt, const char *file, int line)
{
    SnlGpuNotes *notes = rt->notes;
    if (SNL_LOAD_RELAXED(&notes->lane) != snl_gpu_lane())
        return;
    SNL_STORE_RELAXED(&notes->lane, 0);
    if (snl_gpu_length(file) < (int)sizeof notes->later_file) {
        notes->later_line = line;
        snl_gpu_copy(notes->later_file, file, snl_gpu_length(file) + 1);
    }
}

/* snl_error_place on either side. */
SNL_FN void snl_both_error_place(SnlInstance *rt, const char *file, int line)
{
    SNL_SPLIT(snl_gpu_error_place(rt, file, line), snl_error_place(rt, file, line));
}

SNL_FN void snl_gpu_print(SnlInstance *rt, const char *format, int count, const SnlArg *args)
{
    SnlGpuNotes *notes = rt->notes;
    SnlGpuNote note = {snl_gpu_note_bytes("", format, count, args), -1, 0, count, false, false};
    uint64_t at = SNL_ADD(&notes->printed, (uint64_t)note.bytes);
    if (at + (uint64_t)note.bytes > SNL_GPU_PRINT)
        SNL_ADD(&notes->lost, (uint64_t)1);
    else
        snl_gpu_write(notes->prints + at / 8, note, "", format, args);
}

/* Prints a line on either side. */
SNL_FN void snl_both_print(SnlInstance *rt, const char *format, int count, const SnlArg *args)
{
    SNL_SPLIT(snl_gpu_print(rt, format, count, args), snl_print_line(rt, format, count, args));
}

#define snl_fail(rt, ...) snl_both_fail(rt, __VA_ARGS__)
#define snl_fail_format snl_both_fail_format
#define snl_error_place snl_both_error_place

#endif
