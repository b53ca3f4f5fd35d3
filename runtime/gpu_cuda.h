/* gpu_cuda.h - what gpu.h needs of CUDA: memory that both sides see, streams, launches.
 *
 * Memory is managed: it lies where it was used last, pages appear when they are touched, and one
 * address serves both sides.  Functions that give text say what went wrong, or NULL.
 */
#ifndef SNL_GPU_CUDA_H
#define SNL_GPU_CUDA_H

#include <cuda_runtime.h>

/* NULL, or CUDA's text of the error. */
static inline const char *snl_gpu_trouble(cudaError_t error)
{
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

/* Makes the device the one that calls of this thread mean. */
static inline const char *snl_gpu_choose(int device)
{
    int count = 0;
    const char *trouble = snl_gpu_trouble(cudaGetDeviceCount(&count));
    if (trouble)
        return trouble;
    if (device < 0 || device >= count)
        return count ? "there is no device of that number" : "there is no device";
    return snl_gpu_trouble(cudaSetDevice(device));
}

/* Memory for both sides, not zeroed, or NULL. */
static inline void *snl_gpu_memory_get(int device, size_t bytes)
{
    void *block = NULL;
    if (cudaSetDevice(device) != cudaSuccess || cudaMallocManaged(&block, bytes) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    return block;
}

static inline void snl_gpu_memory_put(void *block) { cudaFree(block); }

static inline const char *snl_gpu_stream_new(void **stream)
{
    cudaStream_t made;
    const char *trouble = snl_gpu_trouble(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    if (!trouble)
        *stream = made;
    return trouble;
}

static inline void snl_gpu_stream_free(void *stream) { cudaStreamDestroy((cudaStream_t)stream); }

/* Waits for all that was started on the stream. */
static inline const char *snl_gpu_stream_wait(void *stream)
{
    return snl_gpu_trouble(cudaStreamSynchronize((cudaStream_t)stream));
}

/* A number that code on the GPU makes, for the CPU that does not wait: at most this. */
static inline int64_t snl_gpu_peek(const int64_t *number, int64_t most)
{
    (void)number;
    return most;
}

/* The lane's place, and what the lanes of a block or warp do together. */
__device__ static inline int64_t snl_lane_block(void) { return blockIdx.x; }
__device__ static inline int64_t snl_lane_blocks(void) { return gridDim.x; }
__device__ static inline int snl_lane_thread(void) { return (int)threadIdx.x; }
__device__ static inline int snl_lane_threads(void) { return (int)blockDim.x; }
__device__ static inline void snl_lane_barrier(void) { __syncthreads(); }

/* A number that nothing changes while the loop runs. */
#define SNL_READ(place) __ldg(&(place))

/* A variable that the lanes of a block share, in its fast memory. */
#define SNL_SHARED __shared__

template <typename Kernel>
__global__ void __launch_bounds__(Kernel::THREADS, 1) snl_gpu_start(Kernel kernel)
{
    kernel();
}

/* Starts kernel() on every lane of blocks of Kernel::THREADS; kernel is copied. */
template <typename Kernel>
static inline const char *snl_gpu_launch(uint64_t seed, int device, void *stream, int64_t blocks,
                                         const Kernel &kernel)
{
    (void)seed;
    cudaSetDevice(device);
    snl_gpu_start<<<(unsigned)blocks, Kernel::THREADS, 0, (cudaStream_t)stream>>>(kernel);
    return snl_gpu_trouble(cudaGetLastError());
}

#endif
