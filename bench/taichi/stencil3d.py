"""The 7-point stencil in Taichi. Arguments: dense, or a tree such as p64_d8 or p8_bm8_d8_soa, and repeats."""
import sys

import taichi as ti
from common import checksum, measure, start

TREE, REPEATS = sys.argv[1], int(sys.argv[2])
DENSE = TREE == "dense"
N = 256 if DENSE else 512
start()
x = ti.field(ti.f32)
y = ti.field(ti.f32)
if DENSE:
    ti.root.dense(ti.ijk, N).place(x)
    ti.root.dense(ti.ijk, N).place(y)
else:
    block = ti.root
    for part in TREE.removesuffix("_soa").split("_")[:-1]:
        kind = block.bitmasked if part.startswith("bm") else block.pointer
        block = kind(ti.ijk, int(part.lstrip("pbm")))
    if TREE.endswith("_soa"):
        block.dense(ti.ijk, 8).place(x)
        block.dense(ti.ijk, 8).place(y)
    else:
        block.dense(ti.ijk, 8).place(x, y)


@ti.func
def start_value(i, j, k):
    return ((i * 13 + j * 7 + k * 3) & 1023) * (1.0 / 1024)


@ti.kernel
def begin():
    for i, j, k in ti.ndrange(N, N, N):
        if ti.static(DENSE):
            x[i, j, k] = start_value(i, j, k)
        else:
            r2 = (i - 256) ** 2 + (j - 256) ** 2 + (k - 256) ** 2
            if r2 >= 158 * 158 and r2 <= 162 * 162:
                x[i, j, k] = start_value(i, j, k)


@ti.func
def around(a, i, j, k):
    return a[i - 1, j, k] + a[i + 1, j, k] + a[i, j - 1, k] + a[i, j + 1, k] + a[i, j, k - 1] + a[i, j, k + 1]


@ti.kernel
def sweep(a: ti.template(), b: ti.template()):
    for i, j, k in a:
        if ti.static(DENSE):
            if i > 0 and j > 0 and k > 0 and i < N - 1 and j < N - 1 and k < N - 1:
                b[i, j, k] = 0.4 * a[i, j, k] + 0.1 * around(a, i, j, k)
        else:
            b[i, j, k] = 0.4 * a[i, j, k] + 0.1 * around(a, i, j, k)


@ti.kernel
def sum_of_squares(a: ti.template()) -> ti.f64:
    s = ti.cast(0.0, ti.f64)
    for i, j, k in a:
        s += ti.cast(a[i, j, k], ti.f64) ** 2
    return s


begin()
measure(lambda: sweep(x, y), REPEATS, warm=2)
sweep(y, x)
checksum(sum_of_squares(x))
