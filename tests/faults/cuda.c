/* cuda.c - the functions of CUDA's runtime that find devices, get memory and start loops, without a
 * GPU. Loaded with LD_PRELOAD by tests/scripts/cuda.sh; all others are those of the runtime, which
 * say that there is no driver.
 *
 * FAKE_CUDA what is wrong: no-driver, old-driver, no-device, unshared (memory), other-arch, memory
 * (little is to be had), stream,
 *             launch, stop (after a launch); anything else: nothing, but no loop does anything
 * FAKE_FREE   bytes of the device that are free
 * FAKE_DEVICE what all memory and loops shall be of: calls fail where another device is meant
 *
 * Compiled by nvcc, which has the declarations.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
wrong(const char *what)
{
    const char *set = getenv("FAKE_CUDA");
    return set && strcmp(set, what) == 0;
}

static cudaError_t
fails(const char *what, cudaError_t error)
{
    return wrong(what) ? error : cudaSuccess;
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
        return cudaErrorInsufficientDriver;
    if (wrong("no-device"))
        return cudaErrorNoDevice;
    *count = 2;
    return cudaSuccess;
}

/* The device of the calling thread, and whether it uses one. */
static int current;
static bool is_used;

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
        return cudaErrorInvalidDevice;
    current = device;
    is_used = true;
    return cudaSuccess;
}

/* False where another device is meant than the program shall use. */
static bool
is_right_device(void)
{
    const char *set = getenv("FAKE_DEVICE");
    return !set || atoi(set) == current;
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

cudaError_t cudaGetLastError(void) { return cudaSuccess; }

/* ---- memory ---- */

cudaError_t
cudaMemGetInfo(size_t *left, size_t *all)
{
    const char *set = getenv("FAKE_FREE");
    *left = *all = set ? strtoull(set, NULL, 10) : (size_t)1 << 34;
    return cudaSuccess;
}

cudaError_t
cudaMallocManaged(void **block, size_t bytes, unsigned int flags)
{
    (void)flags;
    *block = !is_right_device() || (wrong("memory") && bytes > 1 << 16) ? NULL : malloc(bytes);
    return *block ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t
cudaMemAdvise(const void *block, size_t bytes, enum cudaMemoryAdvise advice,
              struct cudaMemLocation where)
{
    (void)block, (void)bytes, (void)advice, (void)where;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **block, size_t bytes) { return cudaMallocManaged(block, bytes, 0); }

cudaError_t
cudaMallocHost(void **block, size_t bytes)
{
    return cudaMallocManaged(block, bytes, 0);
}

cudaError_t
cudaFreeHost(void *block)
{
    free(block);
    return cudaSuccess;
}

cudaError_t
cudaFree(void *block)
{
    free(block);
    return cudaSuccess;
}

cudaError_t
cudaMemset(void *block, int value, size_t bytes)
{
    memset(block, value, bytes);
    return cudaSuccess;
}

cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

/* ---- streams, launches ---- */

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    (void)flags;
    *stream = NULL;
    return is_right_device() ? fails("stream", cudaErrorIllegalAddress)
                             : cudaErrorInvalidResourceHandle;
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return fails("stop", cudaErrorIllegalAddress);
}

cudaError_t
cudaLaunchKernel(const void *function, dim3 blocks, dim3 threads, void **args, size_t shared,
                 cudaStream_t stream)
{
    (void)function, (void)blocks, (void)threads, (void)args, (void)shared, (void)stream;
    return is_right_device() ? fails("launch", cudaErrorIllegalAddress)
                             : cudaErrorInvalidResourceHandle;
}
