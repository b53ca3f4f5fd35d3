"""Streams of 64 M elements in Taichi. Argument: repeats."""
import sys

import numpy as np
import taichi as ti
from common import checksum, measure, start

N = 64 << 20
REPEATS = int(sys.argv[1])
start()
x = ti.field(ti.f32, N)
y = ti.field(ti.f32, N)
z = ti.field(ti.f64, N)


@ti.kernel
def begin():
    for i in x:
        x[i] = (i & 1023) * (1.0 / 1024)
        y[i] = 1.0
    for i in z:
        z[i] = (i & 1023) * (1.0 / 1024)


@ti.kernel
def saxpy(a: ti.f32):
    for i in x:
        y[i] = a * x[i] + y[i]


@ti.kernel
def sum_f32() -> ti.f32:
    s = 0.0
    for i in x:
        s += x[i]
    return s


@ti.kernel
def sum_f64_of_f32() -> ti.f64:
    s = ti.cast(0.0, ti.f64)
    for i in x:
        s += ti.cast(x[i], ti.f64)
    return s


@ti.kernel
def sum_f64() -> ti.f64:
    s = ti.cast(0.0, ti.f64)
    for i in z:
        s += z[i]
    return s


@ti.kernel
def fill():
    for i in x:
        x[i] = 1.5


@ti.kernel
def copy():
    for i in x:
        y[i] = x[i]


begin()
measure(lambda: saxpy(0.5), REPEATS, warm=2, name="saxpy")
checksum(y.to_numpy().astype(np.float64).sum(), "saxpy")
measure(sum_f32, REPEATS, warm=2, name="sum_f32")     # no checksum: its sums stop at 2^24
for run in (sum_f64_of_f32, sum_f64):
    measure(run, REPEATS, warm=2, name=run.__name__)
    checksum(run(), run.__name__)
measure(fill, REPEATS, warm=2, name="fill")
measure(copy, REPEATS, warm=2, name="copy")
checksum(y.to_numpy().astype(np.float64).sum(), "copy")
