/* gpu_graph.h - loops of host code that start the same loops again and again, as graphs of CUDA.
 *
 * Included by gpu.h. While such a loop runs, what it starts goes into a queue. The queue is flushed
 * at the end of each iteration, and where the CPU waits. If it holds the same as the time before,
 * byte for byte, a graph is made of it. As long as that stays so, the graph is started in its
 * place, with one call. Anything else is started launch by launch, as without a queue, so no loop
 * needs to be proved fit. An SnlGpu owns its queue and its graphs, one for each loop of the
 * program.
 */
#ifndef SNL_GPU_GPU_GRAPH_H
#define SNL_GPU_GPU_GRAPH_H

/* Zeroes the bytes between the members of *p, where the compiler can. */
#define SNL_CLEAR_PADDING(p) (void)(p)
#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
#undef SNL_CLEAR_PADDING
#define SNL_CLEAR_PADDING(p) __builtin_clear_padding(p)
#endif
#endif

/* The same for a kernel; one may have its own. */
template <typename Kernel>
static inline void snl_gpu_clear_padding(Kernel *kernel)
{
    SNL_CLEAR_PADDING(kernel);
}

/* Bytes of launches that a graph is made of at most, and graphs that are made for one loop: making
 * one costs more than starting what it holds. */
enum { SNL_GPU_QUEUE = 32 << 10, SNL_GPU_GRAPHS = 16 };

/* Launches one after another, each a head with a copy of its kernel behind it. */
typedef struct SnlGpuQueue {
    int64_t bytes;
    int64_t count;
    alignas(16) char data[SNL_GPU_QUEUE];
} SnlGpuQueue;

/* What a loop started the last time. */
typedef struct SnlGpuGraph {
    struct SnlGpuGraph *next;
    int loop;                   /* its number in the program */
    int made;                   /* graphs so far */
    void *graph;                /* of `last`, or NULL */
    SnlGpuQueue last;
} SnlGpuGraph;

static inline void snl_gpu_launch_failed(SnlInstance *rt, const char *trouble)
{
    (snl_fail)(rt, SNL_EDEVICE, NULL, 0, "GPU %d cannot run a loop: %s", rt->gpu->device, trouble);
}

/* Starts the launches one by one. */
static inline void snl_gpu_start_queue(SnlInstance *rt, SnlGpuQueue *q)
{
    const char *trouble =
        snl_gpu_each_launch(q->data, q->bytes, [rt](const SnlGpuLaunch *l, void *kernel) {
            return snl_gpu_launch(rt->gpu, l, kernel);
        });
    if (trouble)
        snl_gpu_launch_failed(rt, trouble);
}

static inline bool snl_gpu_same_queue(const SnlGpuQueue *a, const SnlGpuQueue *b)
{
    return a->bytes == b->bytes && memcmp(a->data, b->data, (size_t)a->bytes) == 0;
}

/* Starts the graph of the queue, which is made when the same comes for the second time; false where
 * there is none. */
static inline bool snl_gpu_replay(SnlInstance *rt, SnlGpuGraph *g, const SnlGpuQueue *q)
{
    SnlGpu *gpu = rt->gpu;
    const char *trouble;
    if (!g->graph && g->made < SNL_GPU_GRAPHS) {
        g->made++;
        g->graph = snl_gpu_graph_new(gpu->device, q->data, q->bytes);
    }
    if (!g->graph)
        return false;
    trouble = snl_gpu_graph_run(gpu, g->graph);
    if (trouble)
        snl_gpu_launch_failed(rt, trouble);
    gpu->graph_starts++;
    return true;
}

/* Starts what is in the queue. */
static inline void snl_gpu_flush(SnlInstance *rt)
{
    SnlGpuQueue *q = rt->gpu->queue;
    SnlGpuGraph *g = rt->gpu->repeating;
    if (!q || q->count == 0)
        return;
    if (g && q->count > 1 && snl_gpu_same_queue(q, &g->last)) {
        if (!snl_gpu_replay(rt, g, q))
            snl_gpu_start_queue(rt, q);
    } else {
        snl_gpu_start_queue(rt, q);
        if (g && q->count > 1) {
            snl_gpu_graph_free(rt->gpu->device, g->graph);
            g->graph = NULL;
            g->last.bytes = q->bytes;
            memcpy(g->last.data, q->data, (size_t)q->bytes);
        }
    }
    q->bytes = q->count = 0;
}

/* Puts a launch into the queue, where there is one and it has room; else false, and nothing waits
 * in it. */
static inline bool snl_gpu_put(SnlInstance *rt, const SnlGpuLaunch *l, const void *kernel)
{
    SnlGpuQueue *q = rt->gpu->queue;
    int64_t bytes = snl_gpu_step_bytes(l);
    char *to;
    if (!rt->gpu->repeating)
        return false;
    if (q->bytes + bytes > SNL_GPU_QUEUE) {
        snl_gpu_start_queue(rt, q);
        q->bytes = q->count = 0;
        return false;
    }
    to = q->data + q->bytes;
    memset(to, 0, (size_t)bytes);
    memcpy(to, l, sizeof *l);
    memcpy(to + sizeof *l, kernel, (size_t)l->bytes);
    q->bytes += bytes;
    q->count++;
    return true;
}

/* The record of a loop of the program; NULL without memory, and then nothing is queued. */
static inline SnlGpuGraph *snl_gpu_graph_of(SnlInstance *rt, int loop)
{
    SnlGpu *gpu = rt->gpu;
    SnlGpuGraph *g = gpu->graphs;
    while (g && g->loop != loop)
        g = g->next;
    if (g)
        return g;
    if (!gpu->queue)
        gpu->queue = (SnlGpuQueue *)snl_memory_get(rt, sizeof *gpu->queue);
    g = gpu->queue ? (SnlGpuGraph *)snl_memory_get(rt, sizeof *g) : NULL;
    if (g) {
        g->loop = loop;
        g->next = gpu->graphs;
        gpu->graphs = g;
    }
    return g;
}

/* A loop of host code, by its number in the program, while it runs: loops may be inside each
 * other. */
struct SnlGpuRepeat {
    SnlInstance *rt;
    SnlGpuGraph *outer;
    SnlGpuRepeat(SnlInstance *instance, int loop) : rt(instance), outer(instance->gpu->repeating)
    {
        snl_gpu_flush(rt);
        rt->gpu->repeating = snl_gpu_graph_of(rt, loop);
    }
    SnlGpuRepeat(const SnlGpuRepeat &) = delete;
    ~SnlGpuRepeat()
    {
        snl_gpu_flush(rt);
        rt->gpu->repeating = outer;
    }
    /* At the start of each iteration. */
    void next() const { snl_gpu_flush(rt); }
};

/* Releases queue and graphs. */
static inline void snl_gpu_graphs_free(SnlInstance *rt)
{
    SnlGpu *gpu = rt->gpu;
    while (gpu->graphs) {
        SnlGpuGraph *g = gpu->graphs;
        gpu->graphs = g->next;
        snl_gpu_graph_free(rt->gpu->device, g->graph);
        snl_memory_put(rt, g, sizeof *g);
    }
    snl_memory_put(rt, gpu->queue, sizeof *gpu->queue);
    gpu->queue = NULL;
}

#endif
