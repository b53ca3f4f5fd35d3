"""Elementary functions of 1 M elements in Taichi. Argument: repeats."""
import sys

import numpy as np
import taichi as ti
from common import checksum, measure, start

N = 1 << 20
REPEATS = int(sys.argv[1])
start()
x = ti.field(ti.f32, N)
y = ti.field(ti.f32, N)
u = ti.field(ti.f64, N)
v = ti.field(ti.f64, N)


@ti.kernel
def begin():
    for i in x:
        x[i] = (i & 4095) * (1.0 / 512) + 0.125
    for i in u:
        u[i] = (i & 4095) * (1.0 / 512) + 0.125


@ti.kernel
def sin_f32():
    for i in x:
        y[i] = ti.sin(x[i])


@ti.kernel
def exp_f32():
    for i in x:
        y[i] = ti.exp(-x[i])


@ti.kernel
def log_f32():
    for i in x:
        y[i] = ti.log(x[i])


@ti.kernel
def pow_f32():
    for i in x:
        y[i] = x[i] ** 1.4


@ti.kernel
def atan2_f32():
    for i in x:
        y[i] = ti.atan2(x[i] - 4.0, 2.0 - x[i])


@ti.kernel
def tanh_f32():
    for i in x:
        y[i] = ti.tanh(x[i] - 4.0)


@ti.kernel
def rsqrt_f32():
    for i in x:
        y[i] = ti.rsqrt(x[i])


@ti.kernel
def sin_f64():
    for i in u:
        v[i] = ti.sin(u[i])


@ti.kernel
def exp_f64():
    for i in u:
        v[i] = ti.exp(-u[i])


@ti.kernel
def log_f64():
    for i in u:
        v[i] = ti.log(u[i])


@ti.kernel
def tanh_f64():
    for i in u:
        v[i] = ti.tanh(u[i] - 4.0)


begin()
for function in (sin_f32, exp_f32, log_f32, pow_f32, atan2_f32, tanh_f32, rsqrt_f32, sin_f64, exp_f64, log_f64, tanh_f64):
    name = function.__name__
    measure(function, REPEATS, name=name)
    checksum((y if name.endswith("f32") else v).to_numpy().astype(np.float64).sum(), name)
