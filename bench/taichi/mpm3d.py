"""MLS-MPM in three dimensions in Taichi. Arguments: grid (0 dense, 1 blocks that are deactivated, 2 blocks that stay), repeats."""
import sys

import numpy as np
import taichi as ti
from common import checksum, measure, start

GRID, REPEATS = int(sys.argv[1]), int(sys.argv[2])
N, PARTICLES, STEPS, DT, WALL = 128, 1 << 20, 12, 8e-5, 3
DX = 1 / N
VOLUME = (0.5 * DX) ** 3
MASS = VOLUME
STIFFNESS, GRAVITY = 400, 9.8
start()
x = ti.Vector.field(3, ti.f32)
v = ti.Vector.field(3, ti.f32)
C = ti.Matrix.field(3, 3, ti.f32)
J = ti.field(ti.f32)
ti.root.dense(ti.i, PARTICLES).place(x, v, C, J)
grid_v = ti.Vector.field(3, ti.f32)
grid_m = ti.field(ti.f32)
if GRID == 0:
    ti.root.dense(ti.ijk, N).place(grid_v, grid_m)
else:
    block = ti.root.pointer(ti.ijk, N // 8)
    block.dense(ti.ijk, 8).place(grid_v, grid_m)


@ti.func
def weights(fx):
    return [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]


@ti.kernel
def clear():
    for I in ti.grouped(grid_m):
        grid_v[I] = ti.zero(grid_v[I])
        grid_m[I] = 0


@ti.kernel
def scatter():
    for p in x:
        at = x[p] / DX
        base = int(at - 0.5)
        fx = at - base
        w = weights(fx)
        stress = -DT * 4 * STIFFNESS * VOLUME * (J[p] - 1) / DX**2
        affine = ti.Matrix.identity(ti.f32, 3) * stress + MASS * C[p]
        for offset in ti.static(ti.grouped(ti.ndrange(3, 3, 3))):
            weight = w[offset[0]][0] * w[offset[1]][1] * w[offset[2]][2]
            grid_v[base + offset] += weight * (MASS * v[p] + affine @ ((offset - fx) * DX))
            grid_m[base + offset] += weight * MASS


@ti.kernel
def update():
    for I in ti.grouped(grid_m):
        if grid_m[I] > 0:
            grid_v[I] /= grid_m[I]
        grid_v[I][1] -= DT * GRAVITY
        at_wall = (I < WALL) & (grid_v[I] < 0) | (I > N - WALL) & (grid_v[I] > 0)
        grid_v[I] = ti.select(at_wall, 0, grid_v[I])


@ti.kernel
def gather():
    for p in x:
        at = x[p] / DX
        base = int(at - 0.5)
        fx = at - base
        w = weights(fx)
        new_v = ti.zero(v[p])
        new_C = ti.zero(C[p])
        for offset in ti.static(ti.grouped(ti.ndrange(3, 3, 3))):
            weight = w[offset[0]][0] * w[offset[1]][1] * w[offset[2]][2]
            u = grid_v[base + offset]
            new_v += weight * u
            new_C += 4 * weight / DX * u.outer_product(offset - fx)
        v[p] = new_v
        C[p] = new_C
        x[p] += DT * new_v
        J[p] *= 1 + DT * new_C.trace()


k = np.arange(PARTICLES, dtype=np.float64)
steps_of_sequence = (0.8191725133961645, 0.6710436067037893, 0.5497004779019703)
first = np.stack([np.modf(0.5 + k * s)[0] * 0.390625 + 0.2 for s in steps_of_sequence], 1).astype(np.float32)


def begin():
    x.from_numpy(first)
    v.fill(0)
    C.fill(0)
    J.fill(1)
    if GRID > 0:
        block.deactivate_all()


def run():
    for _ in range(STEPS):
        if GRID == 1:
            block.deactivate_all()
        else:
            clear()
        scatter()
        update()
        gather()


measure(run, REPEATS, before=begin)
checksum(x.to_numpy().astype(np.float64).sum())
