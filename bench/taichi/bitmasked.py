"""Blocks of 16 x 16 bitmasked cells in Taichi. Arguments: percentage of active cells, or 0 for the game of life; repeats."""
import sys

import numpy as np
import taichi as ti
from common import checksum, measure, start

PERCENT, REPEATS = (int(a) for a in sys.argv[1:3])
N = 4096 if PERCENT else 2048
start()


@ti.func
def is_chosen(i, j, percent):
    h = (ti.cast(i, ti.u32) * ti.u32(73856093)) ^ (ti.cast(j, ti.u32) * ti.u32(19349663))
    h = (h ^ (h >> 13)) * ti.u32(1274126177)
    return (h >> 16) % ti.u32(100) < percent


def masks(*fields):
    node = ti.root.dense(ti.ij, N // 16).bitmasked(ti.ij, 16)
    node.place(*fields)
    return node


if PERCENT:
    x = ti.field(ti.f32)
    y = ti.field(ti.f32)
    masks(x, y)

    @ti.kernel
    def begin():
        for i, j in ti.ndrange(N, N):
            if is_chosen(i, j, ti.u32(PERCENT)):
                x[i, j] = ((i * 13 + j * 7) & 1023) * (1.0 / 1024)

    @ti.kernel
    def axpy():
        for i, j in x:
            y[i, j] = 0.5 * x[i, j] + y[i, j]

    begin()
    measure(axpy, REPEATS, warm=2)
    checksum(y.to_numpy().astype(np.float64).sum())
else:
    one = ti.field(ti.i8)
    two = ti.field(ti.i8)
    a = masks(one)
    b = masks(two)

    @ti.kernel
    def begin():
        for i, j in ti.ndrange(N, N):
            ti.deactivate(a, [i, j])
            ti.deactivate(b, [i, j])
        for i, j in ti.ndrange(N, N):
            if is_chosen(i, j, ti.u32(30)):
                ti.activate(a, [i, j])

    @ti.kernel
    def step(old: ti.template(), new: ti.template()):
        for i, j in ti.ndrange((1, N - 1), (1, N - 1)):
            count = 0
            for di, dj in ti.static(ti.ndrange((-1, 2), (-1, 2))):
                if ti.static(di != 0 or dj != 0):
                    count += ti.is_active(old, [i + di, j + dj])
            if count == 3 or (count == 2 and ti.is_active(old, [i, j])):
                ti.activate(new, [i, j])
            else:
                ti.deactivate(new, [i, j])

    @ti.kernel
    def alive() -> ti.i32:
        count = 0
        for i, j in one:
            count += 1
        return count

    def generations():
        for _ in range(5):
            step(a, b)
            step(b, a)

    measure(generations, REPEATS, before=begin, warm=2)
    checksum(alive())
