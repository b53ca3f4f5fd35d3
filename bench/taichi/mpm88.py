"""MLS-MPM in two dimensions in Taichi. Arguments: cells a side, particles, time step, substeps a repeat, repeats."""
import sys

import numpy as np
import taichi as ti
from common import checksum, measure, start

N, PARTICLES = int(sys.argv[1]), int(sys.argv[2])
DT, STEPS, REPEATS, WALL = float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), 3
DX = 1 / N
VOLUME = (0.5 * DX) ** 2
MASS = VOLUME
STIFFNESS, GRAVITY = 400, 9.8
start()
x = ti.Vector.field(2, ti.f32, PARTICLES)
v = ti.Vector.field(2, ti.f32, PARTICLES)
C = ti.Matrix.field(2, 2, ti.f32, PARTICLES)
J = ti.field(ti.f32, PARTICLES)
grid_v = ti.Vector.field(2, ti.f32, (N, N))
grid_m = ti.field(ti.f32, (N, N))


@ti.func
def weights(fx):
    return [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]


@ti.kernel
def substep():
    for i, j in grid_m:
        grid_v[i, j] = [0, 0]
        grid_m[i, j] = 0
    for p in x:
        at = x[p] / DX
        base = int(at - 0.5)
        fx = at - base
        w = weights(fx)
        stress = -DT * 4 * STIFFNESS * VOLUME * (J[p] - 1) / DX**2
        affine = ti.Matrix([[stress, 0], [0, stress]]) + MASS * C[p]
        for i, j in ti.static(ti.ndrange(3, 3)):
            offset = ti.Vector([i, j])
            weight = w[i].x * w[j].y
            grid_v[base + offset] += weight * (MASS * v[p] + affine @ ((offset - fx) * DX))
            grid_m[base + offset] += weight * MASS
    for i, j in grid_m:
        if grid_m[i, j] > 0:
            grid_v[i, j] /= grid_m[i, j]
        grid_v[i, j].y -= DT * GRAVITY
        if i < WALL and grid_v[i, j].x < 0:
            grid_v[i, j].x = 0
        if i > N - WALL and grid_v[i, j].x > 0:
            grid_v[i, j].x = 0
        if j < WALL and grid_v[i, j].y < 0:
            grid_v[i, j].y = 0
        if j > N - WALL and grid_v[i, j].y > 0:
            grid_v[i, j].y = 0
    for p in x:
        at = x[p] / DX
        base = int(at - 0.5)
        fx = at - base
        w = weights(fx)
        new_v = ti.Vector.zero(ti.f32, 2)
        new_C = ti.Matrix.zero(ti.f32, 2, 2)
        for i, j in ti.static(ti.ndrange(3, 3)):
            offset = ti.Vector([i, j])
            weight = w[i].x * w[j].y
            u = grid_v[base + offset]
            new_v += weight * u
            new_C += 4 * weight / DX * u.outer_product(offset - fx)
        v[p] = new_v
        C[p] = new_C
        x[p] += DT * new_v
        J[p] *= 1 + DT * new_C.trace()


k = np.arange(PARTICLES, dtype=np.float64)
steps_of_sequence = (0.7548776662466927, 0.5698402909980532)
first = np.stack([np.modf(0.5 + k * s)[0] * 0.4 + 0.2 for s in steps_of_sequence], 1).astype(np.float32)
falling = np.zeros((PARTICLES, 2), np.float32)
falling[:, 1] = -1


def begin():
    x.from_numpy(first)
    v.from_numpy(falling)
    C.fill(0)
    J.fill(1)


def run():
    for _ in range(STEPS):
        substep()


measure(run, REPEATS, begin)
checksum(x.to_numpy().astype(np.float64).sum())
