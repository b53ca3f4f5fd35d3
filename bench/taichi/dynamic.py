"""16 M values into lists, or out of them, in Taichi. Arguments: what to do, as in dynamic.snl; repeats.

One list is a single chunk: Taichi walks the chunks of a list at each access."""
import sys

import taichi as ti
from common import checksum, measure, start

N, LISTS = 1 << 24, 1 << 16
WORK, REPEATS = (int(a) for a in sys.argv[1:3])
start()
x = ti.field(ti.i32)
if WORK < 2:
    lists = ti.root.dynamic(ti.i, N, chunk_size=N)
else:
    lists = ti.root.dense(ti.i, LISTS).dynamic(ti.j, 1024, chunk_size=256)
lists.place(x)


@ti.kernel
def append_one():
    for p in range(N):
        x.append(p & 1023)


@ti.kernel
def append_in_order():
    for p in range(N):
        ti.append(lists, [p >> 8], p & 1023)


@ti.kernel
def append_hashed():
    for p in range(N):
        ti.append(lists, [(p * 40503 + (p >> 16) * 7919) & (LISTS - 1)], p & 1023)


@ti.kernel
def sum_one() -> ti.i64:
    s = ti.cast(0, ti.i64)
    for i in x:
        s += x[i]
    return s


@ti.kernel
def sum_many() -> ti.i64:
    s = ti.cast(0, ti.i64)
    for i, j in x:
        s += x[i, j]
    return s


def clear():
    ti.root.deactivate_all()


if WORK == 0:
    measure(append_one, REPEATS, before=clear, warm=1)
elif WORK == 1:
    append_one()
    measure(sum_one, REPEATS, warm=2)
elif WORK == 2:
    measure(append_in_order, REPEATS, before=clear, warm=2)
elif WORK == 3:
    measure(append_hashed, REPEATS, before=clear, warm=2)
else:
    append_hashed()
    measure(sum_many, REPEATS, warm=2)
checksum(sum_one() if WORK < 2 else sum_many())
