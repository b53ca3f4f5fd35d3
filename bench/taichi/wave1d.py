"""The wave equation in one dimension in Taichi. Arguments: N, steps, 1 for one array of pairs, repeats."""
import sys

import numpy as np
import taichi as ti
from common import checksum, measure, start

N, STEPS, PAIRS, REPEATS = (int(a) for a in sys.argv[1:5])
start()
u = ti.field(ti.f32)
v = ti.field(ti.f32)
if PAIRS:
    ti.root.dense(ti.i, N).place(u, v)
else:
    ti.root.dense(ti.i, N).place(u)
    ti.root.dense(ti.i, N).place(v)


@ti.kernel
def begin():
    for i in u:
        t = (i % 1024) * (1.0 / 1024)
        u[i] = t * (1.0 - t)
        v[i] = u[i]


@ti.kernel
def step(a: ti.template(), b: ti.template()):
    for i in range(1, N - 1):
        b[i] = 2.0 * a[i] - b[i] + 0.25 * (a[i - 1] - 2.0 * a[i] + a[i + 1])


def run():
    for _ in range(STEPS // 2):
        step(u, v)
        step(v, u)


measure(run, REPEATS, begin)
checksum((u.to_numpy().astype(np.float64) ** 2).sum())
