/* gpu_meet.h - sums at computed indices that meet in memory which the lanes of a block share.
 *
 * Included by gpu.h. For loops that add to fields which @block_local names (pass meet). The memory
 * is a table of lines of 16 bytes of the fields' memory: the first lane that adds to a line takes a
 * place for it, and others add there too; where both places that a line may have are taken by
 * others, a lane adds to the field itself. So any index is right, and those that are used often by
 * neighbouring iterations cost one addition to the field for a block of lanes, made when these are
 * through. No lane waits for another between the first barrier and the last.
 *
 *     line   0x7f40120  0  0x7f40121  ...      address / 16; 0: nobody's
 *     sum    a b c d    -  e f g h    ...      what was added to it: elements of one type
 */
#ifndef SNL_GPU_MEET_H
#define SNL_GPU_MEET_H

enum { SNL_GPU_LINE = 16 };     /* bytes */

template <typename T, int LINES>
struct SnlGpuMeet {
    enum { SUMS = SNL_GPU_LINE / sizeof(T) };
    typedef T Value;
    uint64_t line[LINES];
    T sum[LINES * SUMS];
};

/* The same value with the other sign; integers wrap. */
SNL_ON_GPU static inline float snl_gpu_negative(float x) { return -x; }
SNL_ON_GPU static inline double snl_gpu_negative(double x) { return -x; }
SNL_ON_GPU static inline uint32_t snl_gpu_negative(uint32_t x) { return 0 - x; }
SNL_ON_GPU static inline uint64_t snl_gpu_negative(uint64_t x) { return 0 - x; }
SNL_ON_GPU static inline int32_t snl_gpu_negative(int32_t x) { return (int32_t)(0 - (uint32_t)x); }
SNL_ON_GPU static inline int64_t snl_gpu_negative(int64_t x) { return (int64_t)(0 - (uint64_t)x); }

/* Empties the table; all lanes of the block come here. */
template <typename T, int LINES>
SNL_ON_GPU static inline void snl_gpu_meet_begin(SnlGpuMeet<T, LINES> *meet, int lanes)
{
    for (int k = snl_lane_thread(); k < LINES; k += lanes)
        meet->line[k] = 0;
    snl_gpu_sums_clear(meet->sum, LINES, SnlGpuMeet<T, LINES>::SUMS, lanes);
    snl_lane_barrier();
}

/* The line that has a place, which changes once: from none. nvcc would not see that an atomic load
 * is from shared memory. */
SNL_ON_GPU static inline uint64_t snl_gpu_line_at(const uint64_t *line)
{
#ifdef __CUDA_ARCH__
    return *(const volatile uint64_t *)line;
#else
    return SNL_LOAD_RELAXED(line);
#endif
}

/* The place that a line has or takes, or -1. Neighbouring lines get places far from each other. */
template <typename T, int LINES>
SNL_ON_GPU static inline int snl_gpu_meet_place(SnlGpuMeet<T, LINES> *meet, uint64_t line)
{
    static_assert((LINES & (LINES - 1)) == 0, "the hash is a part of a word");
    int at = (int)((uint32_t)line * 2654435769u >> 16 & (LINES - 1));
    for (int tries = 0; tries < 2; tries++, at ^= 1) {
        uint64_t has = snl_gpu_line_at(&meet->line[at]);
        if ((has == 0 && SNL_ANY_TRY(&meet->line[at], &has, &line)) || has == line)
            return at;
    }
    return -1;
}

/* Adds to an element of a field, which lies as its type asks for. */
template <typename T, int LINES>
SNL_ON_GPU static inline void
snl_gpu_meet_add(SnlGpuMeet<T, LINES> *meet, T *to, typename SnlGpuMeet<T, LINES>::Value x)
{
    enum { SUMS = SnlGpuMeet<T, LINES>::SUMS };
    const uint64_t element = (uint64_t)(uintptr_t)to / sizeof(T);
    const int at = snl_gpu_meet_place(meet, element / SUMS);
    if (at < 0)
        snl_gpu_add(to, x);
    else
        snl_gpu_add(&meet->sum[at * SUMS + (int)(element % SUMS)], x);
}

template <typename T, int LINES>
SNL_ON_GPU static inline void
snl_gpu_meet_sub(SnlGpuMeet<T, LINES> *meet, T *to, typename SnlGpuMeet<T, LINES>::Value x)
{
    snl_gpu_meet_add(meet, to, snl_gpu_negative(x));
}

/* Adds four floats at a multiple of 16 bytes. */
template <int LINES, typename Vector>
SNL_ON_GPU static inline void
snl_gpu_meet_whole(SnlGpuMeet<float, LINES> *meet, float *to, const Vector &x)
{
    const int at = snl_gpu_meet_place(meet, (uint64_t)(uintptr_t)to / SNL_GPU_LINE);
    if (at < 0)
        snl_gpu_add_whole(to, x);
    else
        snl_gpu_add_each(&meet->sum[at * 4], x);
}

/* The same where that is known, or may be so. */
template <bool ALIGNED, int LINES, typename Vector>
SNL_ON_GPU static inline void
snl_gpu_meet_add_4(SnlGpuMeet<float, LINES> *meet, float *to, const Vector &x)
{
    if (ALIGNED || ((uintptr_t)to & (SNL_GPU_LINE - 1)) == 0)
        snl_gpu_meet_whole(meet, to, x);
    else
        for (int k = 0; k < 4; k++)
            snl_gpu_meet_add(meet, to + k, x.v[k]);
}

/* Four floats of the table, as vectors have them. */
struct SnlGpuFour {
    float v[4];
};

/* Adds what was added to a line to the field it is of; what else lies there may be anything. */
SNL_ON_GPU static inline void snl_gpu_meet_give(float *to, const float *sum)
{
    bool all = true;
    for (int k = 0; k < 4; k++)
        all = all && !snl_gpu_is_neutral(sum[k]);
    if (all)
        snl_gpu_add_whole(to, SnlGpuFour{{sum[0], sum[1], sum[2], sum[3]}});
    else
        snl_gpu_sums_add(to, sum, 4);
}

template <typename T>
SNL_ON_GPU static inline void snl_gpu_meet_give(T *to, const T *sum)
{
    snl_gpu_sums_add(to, sum, SNL_GPU_LINE / sizeof(T));
}

/* Adds all that has met to the fields; all lanes of the block come here. */
template <typename T, int LINES>
SNL_ON_GPU static inline void snl_gpu_meet_end(SnlGpuMeet<T, LINES> *meet, int lanes)
{
    snl_lane_barrier();
    for (int k = snl_lane_thread(); k < LINES; k += lanes)
        if (meet->line[k])
            snl_gpu_meet_give((T *)(uintptr_t)(meet->line[k] * SNL_GPU_LINE),
                              &meet->sum[k * SnlGpuMeet<T, LINES>::SUMS]);
}

#endif
