"""Particles in lists by cell, and their densities, in Taichi. Arguments: dense or sparse cells, repeats."""
import sys

import numpy as np
import taichi as ti
from common import checksum, measure, start

SPARSE, REPEATS = sys.argv[1] == "sparse", int(sys.argv[2])
N, G = 100000, 24
start()
position = ti.Vector.field(3, ti.f32, N)
density = ti.field(ti.f32, N)
member = ti.field(ti.i32)
cells = ti.root.pointer(ti.ijk, G // 4).dense(ti.ijk, 4) if SPARSE else ti.root.dense(ti.ijk, G)
lists = cells.dynamic(ti.l, 64, chunk_size=16)
lists.place(member)


@ti.kernel
def clear():
    for i, j, k in ti.ndrange(G, G, G):
        ti.deactivate(lists, [i, j, k])


@ti.kernel
def fill_lists():
    for q in range(N):
        c = int(position[q] * G)
        ti.append(lists, [c[0], c[1], c[2]], q)


@ti.kernel
def find_density():
    for q in range(N):
        at = position[q]
        c = int(at * G)
        s = 0.0
        for a, b, e in ti.static(ti.ndrange((-1, 2), (-1, 2), (-1, 2))):
            i, j, k = c[0] + a, c[1] + b, c[2] + e
            if i >= 0 and j >= 0 and k >= 0 and i < G and j < G and k < G:
                for n in range(ti.length(lists, [i, j, k])):
                    t = 1.0 - (position[member[i, j, k, n]] - at).norm_sqr() * (G * G)
                    if t > 0.0:
                        s += t * t * t
        density[q] = s


k = np.arange(N, dtype=np.float64)
steps = (0.8191725133961645, 0.6710436067037893, 0.5497004779019703)
position.from_numpy(np.stack([np.modf(0.5 + k * s)[0] for s in steps], 1).astype(np.float32))
measure(fill_lists, REPEATS, before=clear, name="bin")
measure(find_density, REPEATS, name="density")
checksum(density.to_numpy().astype(np.float64).sum(), "density")
