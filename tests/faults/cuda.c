/* cuda.c - the functions of CUDA's runtime that find devices, get memory and start loops, without a
 * GPU. Loaded with LD_PRELOAD by tests/scripts/cuda.sh; all others are those of the runtime, which
 * say that there is no driver.
 *
 * FAKE_CUDA what is wrong: no-driver, old-driver, no-device, unshared (memory), other-arch, memory
 * (little is to be had), stream,
 *             launch, stop (after a launch); anything else: nothing, but no loop does anything
 * FAKE_FREE   bytes of the device that are free
 * FAKE_DEVICE what all memory, streams and loops shall be of: calls fail where another device is
 * meant, and say so
 *
 * Calls that mean the stream of all, which waits for others, say so too. A stream that is captured
 * may be given nothing but launches and asynchronous copies, and says what it is given.
 *
 * Compiled by nvcc, which has the declarations.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
wrong(const char *what)
{
    const char *set = getenv("FAKE_CUDA");
    return set && strcmp(set, what) == 0;
}

/* The last error of a thread, which stays until it is asked for. */
static _Thread_local cudaError_t last;

static cudaError_t
result(cudaError_t error)
{
    if (error != cudaSuccess)
        last = error;
    return error;
}

static cudaError_t
fails(const char *what, cudaError_t error)
{
    return result(wrong(what) ? error : cudaSuccess);
}

cudaError_t
cudaGetLastError(void)
{
    const cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

/* ---- devices ---- */

cudaError_t
cudaDriverGetVersion(int *version)
{
    *version = wrong("no-driver") ? 0 : wrong("old-driver") ? 9000 : 99000;
    return cudaSuccess;
}

cudaError_t
cudaGetDeviceCount(int *count)
{
    *count = 0;
    if (wrong("no-driver") || wrong("old-driver"))
        return result(cudaErrorInsufficientDriver);
    if (wrong("no-device"))
        return result(cudaErrorNoDevice);
    *count = 2;
    return cudaSuccess;
}

/* The device of the calling thread, and whether it uses one. */
static _Thread_local int current;
static _Thread_local bool is_used;

cudaError_t
cudaGetDevice(int *device)
{
    *device = current;
    return cudaSuccess;
}

cudaError_t
cudaSetDevice(int device)
{
    if (device >= 2)
        return result(cudaErrorInvalidDevice);
    current = device;
    is_used = true;
    return cudaSuccess;
}

/* What a call gives that has to mean the device that the program shall use. */
static cudaError_t
for_device(const char *call)
{
    const char *set = getenv("FAKE_DEVICE");
    if (!set || atoi(set) == current)
        return cudaSuccess;
    fprintf(stderr, "%s means device %d\n", call, current);
    return result(cudaErrorInvalidResourceHandle);
}

static CUresult
get_context(CUcontext *context)
{
    *context = is_used ? (CUcontext)&current : NULL;
    return CUDA_SUCCESS;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned int version,
                                 unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *result)
{
    (void)version, (void)flags;
    *result = strcmp(name, "cuCtxGetCurrent") == 0 ? cudaDriverEntryPointSuccess
                                                   : cudaDriverEntryPointSymbolNotFound;
    *function = (void *)get_context;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    *value = attribute != cudaDevAttrConcurrentManagedAccess || !wrong("unshared");
    return cudaSuccess;
}

cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *about, const void *function)
{
    (void)function;
    memset(about, 0, sizeof *about);
    return fails("other-arch", cudaErrorNoKernelImageForDevice);
}

const char *
cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaErrorInsufficientDriver:
        return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    default: return "an error";
    }
}

/* ---- memory ---- */

cudaError_t
cudaMemGetInfo(size_t *left, size_t *all)
{
    const char *set = getenv("FAKE_FREE");
    *left = *all = set ? strtoull(set, NULL, 10) : (size_t)1 << 34;
    return cudaSuccess;
}

static cudaError_t
get_memory(const char *call, void **block, size_t bytes)
{
    *block = NULL;
    if (for_device(call) != cudaSuccess)
        return cudaErrorInvalidResourceHandle;
    if (!wrong("memory") || bytes <= 1 << 16)
        *block = malloc(bytes);
    return result(*block ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t
cudaMallocManaged(void **block, size_t bytes, unsigned int flags)
{
    (void)flags;
    return get_memory(__func__, block, bytes);
}

#if CUDART_VERSION >= 13000
typedef struct cudaMemLocation Location;
#else
typedef int Location;
#endif

#if CUDART_VERSION >= 13000
cudaError_t
cudaMemPrefetchAsync(const void *block, size_t bytes, Location where, unsigned flags,
                     cudaStream_t stream)
{
    (void)block, (void)bytes, (void)where, (void)flags, (void)stream;
    return cudaSuccess;
}
#else
cudaError_t
cudaMemPrefetchAsync(const void *block, size_t bytes, Location where, cudaStream_t stream)
{
    (void)block, (void)bytes, (void)where, (void)stream;
    return cudaSuccess;
}
#endif

cudaError_t
cudaMemAdvise(const void *block, size_t bytes, enum cudaMemoryAdvise advice, Location where)
{
    (void)block, (void)bytes, (void)advice, (void)where;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **block, size_t bytes) { return get_memory(__func__, block, bytes); }

cudaError_t
cudaMallocHost(void **block, size_t bytes)
{
    return get_memory(__func__, block, bytes);
}

cudaError_t
cudaFreeHost(void *block)
{
    free(block);
    return for_device(__func__);
}

cudaError_t
cudaFree(void *block)
{
    free(block);
    return for_device(__func__);
}

/* ---- streams ---- */

struct CUstream_st {
    bool captured;
};

/* What a call that waits, or launches (false), may do on a stream. */
static cudaError_t
on_stream(const char *call, cudaStream_t stream, bool waits)
{
    if (for_device(call) != cudaSuccess)
        return cudaErrorInvalidResourceHandle;
    if (!stream || stream == cudaStreamLegacy) {
        fprintf(stderr, "%s means the stream of all\n", call);
        return cudaSuccess;
    }
    if (stream->captured)
        fprintf(stderr, "%s is captured\n", call);
    return result(stream->captured && waits ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    (void)flags;
    if (for_device(__func__) != cudaSuccess)
        return cudaErrorInvalidResourceHandle;
    *stream = calloc(1, sizeof **stream);
    return fails("stream", cudaErrorIllegalAddress);
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    return for_device(__func__);
}

cudaError_t
cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    stream->captured = true;
    return cudaSuccess;
}

cudaError_t
cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    stream->captured = false;
    *graph = NULL;
    return cudaSuccess;
}

cudaError_t
cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    *status = stream->captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return for_device(__func__);
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    const cudaError_t error = on_stream(__func__, stream, true);
    return error != cudaSuccess ? error : fails("stop", cudaErrorIllegalAddress);
}

cudaError_t
cudaMemsetAsync(void *block, int value, size_t bytes, cudaStream_t stream)
{
    memset(block, value, bytes);
    return on_stream(__func__, stream, false);
}

cudaError_t
cudaMemset(void *block, int value, size_t bytes)
{
    memset(block, value, bytes);
    return on_stream(__func__, NULL, true);
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                cudaStream_t stream)
{
    (void)kind;
    memcpy(to, from, bytes);
    return on_stream(__func__, stream, false);
}

cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return on_stream(__func__, NULL, true);
}

/* ---- launches ---- */

cudaError_t
cudaLaunchKernel(const void *function, dim3 blocks, dim3 threads, void **args, size_t shared,
                 cudaStream_t stream)
{
    const cudaError_t error = on_stream(__func__, stream, false);
    (void)function, (void)blocks, (void)threads, (void)args, (void)shared;
    return error != cudaSuccess ? error : fails("launch", cudaErrorIllegalAddress);
}

/* A graph is nothing but a place of its own. */
cudaError_t
cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    (void)flags;
    *graph = malloc(1);
    return for_device(__func__);
}

cudaError_t
cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                       size_t count, const struct cudaKernelNodeParams *kernel)
{
    (void)before, (void)count, (void)kernel;
    *node = (cudaGraphNode_t)graph;
    return for_device(__func__);
}

cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long flags)
{
    (void)graph, (void)flags;
    *made = malloc(1);
    return for_device(__func__);
}

cudaError_t
cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    return for_device(__func__);
}

cudaError_t
cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
    (void)graph;
    return on_stream(__func__, stream, false);
}

cudaError_t
cudaGraphExecDestroy(cudaGraphExec_t graph)
{
    free(graph);
    return for_device(__func__);
}
