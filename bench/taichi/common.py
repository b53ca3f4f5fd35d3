"""What the Taichi programs share: start, and the lines bench/run reads. OMP_NUM_THREADS says how many threads."""
import os
import time

import taichi as ti


def start():
    threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count()))
    if os.environ.get("BENCH_TARGET") == "cuda":
        ti.init(arch=ti.cuda, offline_cache=False, log_level=ti.ERROR)
        return
    ti.init(arch=ti.cpu, offline_cache=False, cpu_max_num_threads=threads, log_level=ti.ERROR)


def measure(run, repeats, before=None, warm=1, name=""):
    for r in range(-warm, repeats):
        if before:
            before()
        ti.sync()
        begun = time.perf_counter()
        run()
        ti.sync()
        if r >= 0:
            print(f"seconds {time.perf_counter() - begun:.9f} {name}", flush=True)


def checksum(value, name=""):
    print(f"checksum {float(value):.9e} {name}", flush=True)
