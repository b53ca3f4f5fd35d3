"""All pairs of 16,384 bodies in Taichi. Argument: repeats."""
import sys

import numpy as np
import taichi as ti
from common import checksum, measure, start

N, REPEATS = 16384, int(sys.argv[1])
start()
position = ti.Vector.field(3, ti.f32, N)
acceleration = ti.Vector.field(3, ti.f32, N)


@ti.kernel
def accelerate():
    for i in range(N):
        at = position[i]
        s = ti.Vector([0.0, 0.0, 0.0])
        for j in range(N):
            d = position[j] - at
            w = 1.0 / ti.sqrt(d.norm_sqr() + 1e-4)
            s += d * (w * w * w)
        acceleration[i] = s


steps = (0.8191725133961645, 0.6710436067037893, 0.5497004779019703)
k = np.arange(N, dtype=np.float64)
position.from_numpy(np.stack([np.modf(0.5 + k * s)[0] for s in steps], 1).astype(np.float32))
measure(accelerate, REPEATS)
checksum((acceleration.to_numpy().astype(np.float64) ** 2).sum())
