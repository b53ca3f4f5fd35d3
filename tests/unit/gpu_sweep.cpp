/* gpu_sweep.cpp - every allocation of a program for a GPU fails, on the stand-in, whose device gets its memory from the functions that
 * tests/scripts/gpu-sweep.sh has the linker replace by those here.
 */
#define SNL_GPU 1
#include "snlrt.h"

#include "gpu_batch.h"
#include "model_sweep.h"

/* ---- memory of the device ---- */

enum { POINTERS = 4096 };

/* Whose memory it is, or NULL; and what it gave, in so many places, some of them empty. */
static Sweep *device;
static void *out[POINTERS];
static int places;

/* Lets what is allocated as long as it is there be the runtime's. */
struct Watch {
    Sweep *sweep;
    Watch(Sweep *s) : sweep(s) { s->watched = true; }
    ~Watch() { sweep->watched = false; }
};

extern "C" {
void *__real_aligned_alloc(size_t align, size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset);
int __real_mprotect(void *at, size_t bytes, int access);
void __real_free(void *block);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset);
int __wrap_mprotect(void *at, size_t bytes, int access);
void __wrap_free(void *block);
}

static bool
is_watched()
{
    return device && device->watched;
}

static void *
note(void *block)
{
    int k = 0;
    while (k < places && out[k])
        k++;
    ck_assert_int_lt(k, POINTERS);
    places += k == places;
    out[k] = block;
    device->budget.blocks++;
    return block;
}

void *
__wrap_aligned_alloc(size_t align, size_t bytes)
{
    void *block;
    if (!is_watched())
        return __real_aligned_alloc(align, bytes);
    if (!budget_grants(&device->budget))
        return NULL;
    block = note(__real_aligned_alloc(align, bytes));
    return memset(block, 0xcd, bytes);
}

void *
__wrap_calloc(size_t count, size_t bytes)
{
    if (!is_watched())
        return __real_calloc(count, bytes);
    return budget_grants(&device->budget) ? note(__real_calloc(count, bytes)) : NULL;
}

void
__wrap_free(void *block)
{
    for (int k = 0; device && block && k < places; k++)
        if (out[k] == block) {
            out[k] = NULL;
            device->budget.blocks--;
        }
    __real_free(block);
}

/* Addresses for pools. */
void *
__wrap_mmap(void *at, size_t bytes, int access, int flags, int file, off_t offset)
{
    return !is_watched() || budget_grants(&device->budget) ? __real_mmap(at, bytes, access, flags, file, offset) : MAP_FAILED;
}

/* Memory for these. */
int
__wrap_mprotect(void *at, size_t bytes, int access)
{
    return !is_watched() || access == PROT_NONE || budget_grants(&device->budget) ? __real_mprotect(at, bytes, access) : -1;
}

/* ---- the two ways to get it ---- */

enum { OF_THE_DEVICE, OF_THE_CALLER, SIDES };

static void *
caller_alloc(void *, size_t bytes, size_t align)
{
    return aligned_alloc(align, bytes);
}

static void
caller_release(void *, void *block, size_t)
{
    free(block);
}

static bool
open_with(Sweep *s, SnlAllocator memory)
{
    const char *trouble = snl_gpu_memory(&memory, 0);
    device = s;
    const Watch watch(s);
    snl_instance_init(&s->rt, &memory, 1, 1, 0);
    return snl_gpu_open(&s->rt, 0, NULL, trouble) == SNL_OK;
}

static bool
open_device(Sweep *s)
{
    return open_with(s, SnlAllocator{});
}

static bool
open_caller(Sweep *s)
{
    return open_with(s, SnlAllocator{caller_alloc, caller_release, NULL});
}

static void
close_gpu(Sweep *s)
{
    snl_gpu_close(&s->rt);
    snl_instance_free(&s->rt);
    device = NULL;
}

/* ---- what lanes do ---- */

static void
run_batch(Sweep *s)
{
    const Watch watch(s);
    gpu_run_batch(&s->rt, s->tree, &s->batch, [] {});
    snl_gpu_wait(&s->rt);
}

static void
make_list(Sweep *s, int node)
{
    const Watch watch(s);
    snl_gpu_list(&s->rt, s->tree, node);
    snl_gpu_wait(&s->rt);
}

static void
collect(Sweep *s)
{
    const Watch watch(s);
    snl_gpu_gc(&s->rt, s->tree);
    snl_gpu_wait(&s->rt);
}

static void
deactivate_all(Sweep *s, int node)
{
    const Watch watch(s);
    snl_gpu_deactivate_all(&s->rt, s->tree, node);
    snl_gpu_wait(&s->rt);
}

static const SweepSide sides[SIDES] = {
    {open_device, close_gpu, run_batch, make_list, collect, deactivate_all},
    {open_caller, close_gpu, run_batch, make_list, collect, deactivate_all},
};

START_TEST(every_allocation_of_a_device)
{
    sweep_numbered(sides, SIDES, _i, 5);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("gpu sweep");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, every_allocation_of_a_device, 0, MODEL_LAYOUTS * SIDES * 2);
    suite_add_tcase(s, t);
    return run_suite(s);
}
