/* limits.cu - what the memory of a GPU can do: prints "limit NAME RATE" in GB/s, the best of several runs, as limits.c does
 * for the CPU: copying from one half of an array to the other, and writing. */
#include <cstdio>

#include <cuda_runtime.h>

enum { REPEATS = 10 };

static bool
failed(cudaError_t error)
{
    if (error != cudaSuccess)
        fprintf(stderr, "limits: %s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}

/* Copies the second half to the first, or writes the first; false where that fails. */
static bool
move(char *memory, size_t half, bool copy)
{
    return !failed(copy ? cudaMemcpyAsync(memory, memory + half, half, cudaMemcpyDeviceToDevice) : cudaMemsetAsync(memory, 1, half));
}

static bool
measure(const char *name, char *memory, size_t half, bool copy)
{
    const double moved = 1e-9 * (double)half * (copy ? 2 : 1);
    double best = 0;
    cudaEvent_t begun, ended;
    if (failed(cudaEventCreate(&begun)) || failed(cudaEventCreate(&ended)))
        return false;
    for (int r = 0; r < REPEATS; r++) {
        float ms = 0;
        if (failed(cudaEventRecord(begun)) || !move(memory, half, copy) || failed(cudaEventRecord(ended))
            || failed(cudaEventSynchronize(ended)) || failed(cudaEventElapsedTime(&ms, begun, ended)))
            return false;
        if (ms > 0 && 1e3 * moved / ms > best)
            best = 1e3 * moved / ms;
    }
    printf("limit %s %.3f\n", name, best);
    return true;
}

int
main()
{
    size_t left = 0, all = 0;
    char *memory;
    if (failed(cudaMemGetInfo(&left, &all)))
        return 1;
    size_t half = left / 8 < (size_t)2 << 30 ? left / 8 : (size_t)2 << 30;
    if (failed(cudaMalloc(&memory, 2 * half)) || failed(cudaMemset(memory, 0, 2 * half)))
        return 1;
    return measure("copy", memory, half, true) && measure("write", memory, half, false) ? 0 : 1;
}
