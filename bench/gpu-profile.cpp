/* gpu-profile.cpp - where the time of a program for a GPU goes: sums up kernels, copies and calls
 * of CUDA, by CUPTI, which comes with the toolkit. A library that the driver loads:
 *
 *     g++ -O1 -shared -fPIC -I$CUDA/include -o gpu-profile.so bench/gpu-profile.cpp \
 *         -L$CUDA/lib64 -lcupti
 *     CUDA_INJECTION64_PATH=./gpu-profile.so PROFILE=profile.txt program
 *
 * A line for each, the most time first: microseconds in all, how often, each, the longest, name.
 */
#include <cupti.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Sum {
    long count = 0;
    double all = 0, most = 0; /* microseconds */
};

std::map<std::string, Sum> sums;
std::mutex lock;
uint64_t first, last; /* of all kernels, in nanoseconds */

enum { BUFFER_BYTES = 8 << 20 };

void add(const std::string &name, uint64_t start, uint64_t end)
{
    Sum &s = sums[name];
    const double time = 1e-3 * (double)(end - start);
    s.count++;
    s.all += time;
    s.most = std::max(s.most, time);
}

void add_call(const CUpti_ActivityAPI *call)
{
    const char *name = NULL;
    cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, call->cbid, &name);
    add(std::string("call ") + (name ? name : "?"), call->start, call->end);
}

void add_kernel(const CUpti_ActivityKernel9 *k)
{
    const std::string blocks = std::to_string(k->gridX), lanes = std::to_string(k->blockX);
    add("kernel <" + blocks + " x " + lanes + "> " + k->name, k->start, k->end);
    first = first ? first : k->start;
    last = k->end;
}

void CUPTIAPI give_buffer(uint8_t **buffer, size_t *bytes, size_t *records)
{
    *bytes = BUFFER_BYTES;
    *buffer = (uint8_t *)aligned_alloc(8, BUFFER_BYTES);
    *records = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t used)
{
    const std::lock_guard<std::mutex> held(lock);
    CUpti_Activity *a = NULL;
    while (cuptiActivityGetNextRecord(buffer, used, &a) == CUPTI_SUCCESS)
        switch (a->kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            add_kernel((const CUpti_ActivityKernel9 *)a);
            break;
        case CUPTI_ACTIVITY_KIND_RUNTIME: add_call((const CUpti_ActivityAPI *)a); break;
        case CUPTI_ACTIVITY_KIND_MEMCPY: {
            const auto *copy = (const CUpti_ActivityMemcpy5 *)a;
            add("copy of kind " + std::to_string(copy->copyKind), copy->start, copy->end);
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMSET: {
            const auto *set = (const CUpti_ActivityMemset4 *)a;
            add("memset", set->start, set->end);
            break;
        }
        default: break;
        }
    free(buffer);
}

void write_profile()
{
    const char *name = getenv("PROFILE");
    FILE *out = name ? fopen(name, "w") : stderr;
    cuptiActivityFlushAll(1);
    const std::lock_guard<std::mutex> held(lock);
    std::vector<std::pair<std::string, Sum>> all(sums.begin(), sums.end());
    std::sort(all.begin(), all.end(), [](auto &a, auto &b) { return a.second.all > b.second.all; });
    if (!out)
        return;
    fprintf(out, "%12.1f from the first kernel to the last\n", 1e-3 * (double)(last - first));
    for (const auto &[what, s] : all)
        fprintf(out, "%12.1f %8ld x %10.2f, most %10.1f  %s\n", s.all, s.count,
                s.all / (double)s.count, s.most, what.c_str());
    if (out != stderr)
        fclose(out);
}

} // namespace

/* The driver calls this before the program uses it. */
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void)
{
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME,
        CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
    if (cuptiActivityRegisterCallbacks(give_buffer, take_buffer) != CUPTI_SUCCESS)
        return 0;
    for (CUpti_ActivityKind kind : kinds)
        cuptiActivityEnable(kind);
    atexit(write_profile);
    return 1;
}
