"""Small kernels in Taichi, called from Python. Arguments: what is timed, as in launch.snl; blocks; repeats."""
import sys
import time

import taichi as ti
from common import checksum, start

WORK = int(sys.argv[1])
BLOCKS = int(sys.argv[2])
REPEATS = int(sys.argv[-1])
LAUNCHES = 1000 if WORK == 5 else 5000 if WORK < 5 else 500 if BLOCKS > 64 else 20000
start()
a = ti.field(ti.i32, 16)
x = ti.field(ti.f32)
y = ti.field(ti.f32)
inner = ti.root.pointer(ti.ijk, 16).pointer(ti.ijk, 8)
inner.dense(ti.ijk, 4).place(x)
ti.root.dense(ti.l, BLOCKS).dense(ti.ijk, 4).place(y)


@ti.kernel
def nothing():
    pass


@ti.kernel
def one():
    a[0] = 1


@ti.kernel
def two(n: ti.i32, f: ti.f32):
    a[0] = n


@ti.kernel
def numbers():
    for i in range(64):
        a[i & 15] = 1


@ti.kernel
def dense16():
    for i in a:
        a[i] += 1


@ti.kernel
def ten():
    for i in a:
        a[i] += 1
    for i in a:
        a[i] += 2
    for i in a:
        a[i] += 3
    for i in a:
        a[i] += 4
    for i in a:
        a[i] += 5
    for i in a:
        a[i] += 6
    for i in a:
        a[i] += 7
    for i in a:
        a[i] += 8
    for i in a:
        a[i] += 9
    for i in a:
        a[i] += 10


@ti.kernel
def spread():
    for c in range(BLOCKS):
        h = (c * 2654435) & 0x3FFFF
        x[(h & 63) * 8, ((h >> 6) & 63) * 8, (h >> 12) * 8] = 1.0


@ti.kernel
def sparse():
    for i, j, k in x:
        x[i, j, k] += 1.0


@ti.kernel
def plain():
    for i, j, k, l in y:
        y[i, j, k, l] += 1.0


@ti.kernel
def total() -> ti.f64:
    s = ti.cast(0, ti.f64)
    for i in a:
        s += ti.cast(a[i], ti.f64)
    for i, j, k in x:
        s += ti.cast(x[i, j, k], ti.f64)
    for i, j, k, l in y:
        s += ti.cast(y[i, j, k, l], ti.f64)
    return s


run = [nothing, one, lambda: two(1, 2.0), numbers, dense16, ten, sparse, sparse, plain][WORK]
if WORK in (6, 7):
    spread()
for r in range(REPEATS + 1):
    ti.sync()
    begun = time.perf_counter()
    for _ in range(LAUNCHES):
        run()
    ti.sync()
    if r > 0:
        print(f"seconds {(time.perf_counter() - begun) / LAUNCHES:.12f}", flush=True)
checksum(total())
