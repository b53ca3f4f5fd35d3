"""The Poisson equation by conjugate gradients with a multigrid preconditioner in Taichi. Arguments: grid (0 dense with a rim, 1 blocks
of 4^3 that hold all fields, 2 blocks of 8^3 with a field each), repeats."""
import math
import sys

import taichi as ti
from common import checksum, measure, start

GRID, REPEATS = int(sys.argv[1]), int(sys.argv[2])
N, LEVELS = 128, 4
FIRST = 1 if GRID == 0 else N // 2
start()
r = [ti.field(ti.f32) for _ in range(LEVELS)]
z = [ti.field(ti.f32) for _ in range(LEVELS)]
x, p, Ap = (ti.field(ti.f32) for _ in range(3))


def lay_out(fields, scale):
    if GRID == 0:
        for f in fields:
            ti.root.dense(ti.ijk, N // scale + 2).place(f)
        return
    size = 4 if GRID == 1 else 8
    block = ti.root.pointer(ti.ijk, 2 * N // (size * scale))
    if GRID == 1:
        block.dense(ti.ijk, size).place(*fields)
    else:
        for f in fields:
            block.dense(ti.ijk, size).place(f)


lay_out((x, p, Ap), 1)
for level in range(LEVELS):
    lay_out((r[level], z[level]), 1 << level)


@ti.func
def around(f, I):
    s = 0.0
    for d in ti.static(range(3)):
        step = ti.Vector.unit(3, d)
        s += f[I + step] + f[I - step]
    return s


@ti.kernel
def begin():
    for I in ti.grouped(ti.ndrange(N, N, N)):
        value = 5.0
        for d in ti.static(range(3)):
            value *= ti.cos(5 * math.pi * I[d] / N)
        at = I + FIRST
        r[0][at] = value
        z[0][at] = 0
        Ap[at] = 0
        p[at] = 0
        x[at] = 0


@ti.kernel
def product(a: ti.template(), b: ti.template()) -> ti.f32:
    s = 0.0
    for I in ti.grouped(a):
        s += a[I] * b[I]
    return s


@ti.func
def apply_at(I):
    Ap[I] = 6 * p[I] - around(p, I)


@ti.kernel
def multiply():
    if ti.static(GRID == 0):
        for I in ti.grouped(ti.ndrange((1, N + 1), (1, N + 1), (1, N + 1))):
            apply_at(I)
    else:
        for I in ti.grouped(Ap):
            apply_at(I)


@ti.kernel
def advance(alpha: ti.f32):
    for I in ti.grouped(x):
        x[I] += alpha * p[I]
    for I in ti.grouped(r[0]):
        r[0][I] -= alpha * Ap[I]


@ti.kernel
def search(beta: ti.f32):
    for I in ti.grouped(p):
        p[I] = z[0][I] + beta * p[I]


@ti.func
def smooth_at(level: ti.template(), parity, I):
    if I.sum() & 1 == parity:
        z[level][I] = (r[level][I] + around(z[level], I)) / 6


@ti.kernel
def smooth(level: ti.template(), phase: ti.template()):
    if ti.static(GRID == 0):
        for I in ti.grouped(ti.ndrange((1, (N >> level) + 1), (1, (N >> level) + 1), (1, (N >> level) + 1))):
            smooth_at(level, 1 - phase, I)
    else:
        for I in ti.grouped(r[level]):
            smooth_at(level, phase, I)


@ti.func
def coarse_of(I):
    return (I - 1) // 2 + 1 if ti.static(GRID == 0) else I // 2


@ti.func
def reduce_at(level: ti.template(), I):
    r[level + 1][coarse_of(I)] += 0.5 * (r[level][I] - (6 * z[level][I] - around(z[level], I)))


@ti.kernel
def reduce(level: ti.template()):
    if ti.static(GRID == 0):
        for I in ti.grouped(ti.ndrange((1, (N >> level) + 1), (1, (N >> level) + 1), (1, (N >> level) + 1))):
            reduce_at(level, I)
    else:
        for I in ti.grouped(r[level]):
            reduce_at(level, I)


@ti.kernel
def extend(level: ti.template()):
    if ti.static(GRID == 0):
        for I in ti.grouped(ti.ndrange((1, (N >> level) + 1), (1, (N >> level) + 1), (1, (N >> level) + 1))):
            z[level][I] = z[level + 1][coarse_of(I)]
    else:
        for I in ti.grouped(z[level]):
            z[level][I] = z[level + 1][coarse_of(I)]


def precondition():
    z[0].fill(0)
    for level in range(LEVELS - 1):
        for s in range(4 << level):
            smooth(level, s & 1)
        z[level + 1].fill(0)
        r[level + 1].fill(0)
        reduce(level)
    for s in range(100):
        smooth(LEVELS - 1, s & 1)
    for level in reversed(range(LEVELS - 1)):
        extend(level)
        for s in range(4 << level):
            smooth(level, 1 - (s & 1))


def solve():
    first = product(r[0], r[0])
    precondition()
    search(0.0)
    old = product(z[0], r[0])
    for _ in range(100):
        multiply()
        advance(old / product(p, Ap))
        if product(r[0], r[0]) < first * 1e-12:
            return
        precondition()
        new = product(z[0], r[0])
        search(new / old)
        old = new


@ti.kernel
def sum_of_squares() -> ti.f64:
    s = ti.cast(0.0, ti.f64)
    for I in ti.grouped(x):
        s += ti.cast(x[I], ti.f64) ** 2
    return s


measure(solve, REPEATS, before=begin)
checksum(sum_of_squares())
