"""The 5-point Laplacian in Taichi. Arguments: N, order (0 rows, 1 columns, 2 blocks), 1 for a range, repeats."""
import sys

import numpy as np
import taichi as ti
from common import checksum, measure, start

N, ORDER, RANGE, REPEATS = (int(a) for a in sys.argv[1:5])
start()
x = ti.field(ti.f32)
y = ti.field(ti.f32)
for f in (x, y):
    if ORDER == 0:
        ti.root.dense(ti.ij, N).place(f)
    elif ORDER == 1:
        ti.root.dense(ti.j, N).dense(ti.i, N).place(f)
    else:
        ti.root.dense(ti.ij, N // 16).dense(ti.ij, 16).place(f)


@ti.kernel
def begin():
    for i, j in x:
        x[i, j] = ((i * 13 + j * 7) & 1023) * (1.0 / 1024)


@ti.kernel
def by_cells():
    for i, j in x:
        if i > 0 and j > 0 and i < N - 1 and j < N - 1:
            y[i, j] = 4.0 * x[i, j] - x[i - 1, j] - x[i + 1, j] - x[i, j - 1] - x[i, j + 1]


@ti.kernel
def by_range():
    for i, j in ti.ndrange((1, N - 1), (1, N - 1)):
        y[i, j] = 4.0 * x[i, j] - x[i - 1, j] - x[i + 1, j] - x[i, j - 1] - x[i, j + 1]


begin()
measure(by_range if RANGE else by_cells, REPEATS, warm=2)
checksum((y.to_numpy().astype(np.float64) ** 2).sum())
