/* gpu_scatter.h - sums that the lanes of a block add up in shared memory before they add them to an
 * array.
 *
 * Included by gpu.h. It serves loops that do nothing to an array but add to elements of it (pass
 * privatize), if the array is small against the additions of a block. Lanes that add to one element
 * then meet within their block alone. It also serves loops that add to cells around each cell, in a
 * copy of a block with its halo (pass stage). The copy is the neutral element everywhere: -0.0 for
 * floats, which leaves every number as it is.
 */
#ifndef SNL_GPU_GPU_SCATTER_H
#define SNL_GPU_GPU_SCATTER_H

SNL_ON_GPU static inline int32_t snl_gpu_neutral(const int32_t *) { return 0; }
SNL_ON_GPU static inline uint32_t snl_gpu_neutral(const uint32_t *) { return 0; }
SNL_ON_GPU static inline int64_t snl_gpu_neutral(const int64_t *) { return 0; }
SNL_ON_GPU static inline uint64_t snl_gpu_neutral(const uint64_t *) { return 0; }
SNL_ON_GPU static inline float snl_gpu_neutral(const float *) { return -0.0f; }
SNL_ON_GPU static inline double snl_gpu_neutral(const double *) { return -0.0; }

template <typename T>
SNL_ON_GPU static inline bool snl_gpu_is_neutral(T x)
{
    return x == 0;
}
SNL_ON_GPU static inline bool snl_gpu_is_neutral(float x) { return x == 0 && signbit(x); }
SNL_ON_GPU static inline bool snl_gpu_is_neutral(double x) { return x == 0 && signbit(x); }

SNL_ON_GPU static inline void snl_gpu_add(int32_t *to, int32_t x) { snl_atomic_add_i32(to, x); }
SNL_ON_GPU static inline void snl_gpu_add(uint32_t *to, uint32_t x) { snl_atomic_add_u32(to, x); }
SNL_ON_GPU static inline void snl_gpu_add(int64_t *to, int64_t x) { snl_atomic_add_i64(to, x); }
SNL_ON_GPU static inline void snl_gpu_add(uint64_t *to, uint64_t x) { snl_atomic_add_u64(to, x); }
SNL_ON_GPU static inline void snl_gpu_add(float *to, float x) { snl_atomic_add_f32(to, x); }
SNL_ON_GPU static inline void snl_gpu_add(double *to, double x) { snl_atomic_add_f64(to, x); }

/* Adds to an element of a field, which is in the memory of the device, where nvcc cannot find that
 * out: it would ask for each addition. */
#ifdef __CUDA_ARCH__
#define SNL_GPU_GIVE(T, ptx, constraint) \
    __device__ static inline void snl_gpu_give(T *to, T x) \
    { \
        asm volatile("red.relaxed.gpu.global.add." ptx " [%0], %1;" \
                     : \
                     : "l"(__cvta_generic_to_global(to)), constraint(x) \
                     : "memory"); \
    }
SNL_GPU_GIVE(int32_t, "s32", "r")
SNL_GPU_GIVE(uint32_t, "u32", "r")
SNL_GPU_GIVE(int64_t, "u64", "l")
SNL_GPU_GIVE(uint64_t, "u64", "l")
SNL_GPU_GIVE(float, "f32", "f")
SNL_GPU_GIVE(double, "f64", "d")
#else
template <typename T>
SNL_ON_GPU static inline void snl_gpu_give(T *to, T x)
{
    snl_gpu_add(to, x);
}
#endif

/* A GPU stops where four floats that are read or added as one are at no multiple of 16 bytes; so
 * does the stand-in. */
SNL_ON_GPU static inline void snl_gpu_must_be_whole(const float *place)
{
#ifdef __CUDA_ARCH__
    (void)place;
#else
    if ((uintptr_t)place & 15)
        __builtin_trap();
#endif
}

/* Adds four floats to those from the place on, one by one. */
template <typename Vector>
SNL_ON_GPU static inline void snl_gpu_add_each(float *to, const Vector &x)
{
    for (int k = 0; k < 4; k++)
        snl_atomic_add_f32(to + k, x.v[k]);
}

/* The same by one instruction where the GPU has it; only at a multiple of 16 bytes. */
template <typename Vector>
SNL_ON_GPU static inline void snl_gpu_add_whole(float *to, const Vector &x)
{
    snl_gpu_must_be_whole(to);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(to)), "f"(x.v[0]), "f"(x.v[1]), "f"(x.v[2]),
                   "f"(x.v[3])
                 : "memory");
#else
    for (int k = 0; k < 4; k++)
        snl_gpu_give(to + k, x.v[k]);
#endif
}

/* Adds four floats at a place that is known to be such a multiple, or may be one. */
template <bool ALIGNED, typename Vector>
SNL_ON_GPU static inline void snl_gpu_add_4(float *to, const Vector &x)
{
    if constexpr (ALIGNED)
        snl_gpu_add_whole(to, x);
    else if (((uintptr_t)to & 15) == 0)
        snl_gpu_add_whole(to, x);
    else
        snl_gpu_add_each(to, x);
}

/* Vectors of three or four floats that nothing changes meanwhile, of four that begin at a multiple
 * of 16 bytes. */
template <typename Vector>
SNL_ON_GPU static inline Vector snl_gpu_read_4(const float *from)
{
    snl_gpu_must_be_whole(from);
#ifdef __CUDA_ARCH__
    const float4 x = __ldg((const float4 *)(const void *)from);
    return Vector{{x.x, x.y, x.z, x.w}};
#else
    return Vector{{from[0], from[1], from[2], from[3]}};
#endif
}

template <typename Vector>
SNL_ON_GPU static inline Vector snl_gpu_read_3(const float *from)
{
    snl_gpu_must_be_whole(from);
#ifdef __CUDA_ARCH__
    const float4 x = __ldg((const float4 *)(const void *)from);
    return Vector{{x.x, x.y, x.z}};
#else
    return Vector{{from[0], from[1], from[2]}};
#endif
}

/* Sums of nothing: `count` of them, each of so many scalars, which lanes share out as they do
 * later: what a lane clears here, no other has still to add to the field. */
template <typename T>
SNL_ON_GPU static inline void snl_gpu_sums_clear(T *own, int count, int scalars, int lanes)
{
    for (int k = snl_lane_thread(); k < count; k += lanes)
        for (int part = 0; part < scalars; part++)
            own[k * scalars + part] = snl_gpu_neutral(own);
}

/* Adds sums that lie one after another to where they belong. */
template <typename T>
SNL_ON_GPU static inline void snl_gpu_sums_add(T *to, const T *own, int count)
{
    for (int k = 0; k < count; k++)
        if (!snl_gpu_is_neutral(own[k]))
            snl_gpu_give(to + k, own[k]);
}

/* Where the lanes of a block, which all come here, shall add to an array of so many scalars: in
 * their own copy, or in the array where the block has fewer additions than that has elements. */
template <typename T>
SNL_ON_GPU static inline void *
snl_gpu_apart(T *own, int count, void *array, int64_t additions, int lanes)
{
    if (additions < count)
        return array;
    snl_gpu_sums_clear(own, count, 1, lanes);
    snl_lane_barrier();
    return own;
}

/* Adds the copy to the array, if it is what the lanes used. */
template <typename T>
SNL_ON_GPU static inline void
snl_gpu_join(T *own, int count, const void *used, void *array, int lanes)
{
    if (used != own)
        return;
    snl_lane_barrier();
    for (int k = snl_lane_thread(); k < count; k += lanes)
        snl_gpu_sums_add((T *)array + k, own + k, 1);
}

#endif
