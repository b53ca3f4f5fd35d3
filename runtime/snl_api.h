/* snl_api.h - what the C interfaces of all SNL programs share; for C11 and C++17.
 *
 * The header of a compiled program includes nothing but this.  Strings and functions that are
 * handed over must live as long as the program that uses them.
 */
#ifndef SNL_API_H
#define SNL_API_H

#include <stddef.h>
#include <stdint.h>

/* What shared libraries of programs let others call; the rest of the runtime is hidden in them. */
#if defined __GNUC__
#define SNL_API __attribute__((visibility("default")))
#else
#define SNL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call returns; SNL_OK is 0. */
typedef enum snl_status {
    SNL_OK,                     /* done */
    SNL_ENOMEM,                 /* memory, or the memory limit, is exhausted */
    SNL_EINVAL,                 /* an argument or parameter cannot be used */
    SNL_EASSERT,                /* an assert failed */
    SNL_ERANGE,                 /* an index or value is out of range */
    SNL_EFULL,                  /* a dynamic list is full */
    SNL_ENOTREE,                /* the layout does not exist */
    SNL_EIO,                    /* a file cannot be read or written */
    SNL_EDEVICE                 /* the GPU is not there, or stopped */
} snl_status;

/* The 16 bits of a half precision number. */
typedef uint16_t snl_f16;

/* Where memory comes from; alloc NULL: from the system.  Both are called from any thread. */
typedef struct SnlAllocator {
    void *(*alloc)(void *ctx, size_t bytes, size_t align);      /* need not be zeroed */
    void (*release)(void *ctx, void *ptr, size_t bytes);
    void *ctx;
} SnlAllocator;

/* Takes the text of a print, one whole line in a call; one call at a time for an instance, from any
 * of its threads. NULL in place of one is standard output. */
typedef void (*SnlPrintSink)(void *context, const char *text, size_t bytes);

/* How a program is to run; all zero means the defaults. */
typedef struct snl_options {
    int threads;                /* 0: as many as there are processors */
    uint64_t seed;              /* of the random numbers */
    uint64_t memory_limit;      /* bytes; 0: none */
    SnlAllocator allocator;
    SnlPrintSink print;
    void *print_context;
    int device;                 /* number of the GPU */
    void *stream;               /* a CUstream of it for the program's loops; NULL: one of its own */
} snl_options;

/* "file:line: text" of the last error of an instance of a program, "" without one. */
SNL_API const char *snl_message(const void *program);

#ifdef __cplusplus
}
#endif

#endif
