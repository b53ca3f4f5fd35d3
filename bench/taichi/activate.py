"""Blocks of 8 x 8 x 8 under 64 x 64 x 64 pointers in Taichi. Arguments: what is timed, as in activate.snl; 1 for
scattered order; repeats."""
import sys

import taichi as ti
from common import checksum, measure, start

BLOCKS = 32768
WORK, HASHED, REPEATS = (int(a) for a in sys.argv[1:4])


def build():
    start()
    field = ti.field(ti.f32)
    node = ti.root.pointer(ti.ijk, 64)
    node.dense(ti.ijk, 8).place(field)

    @ti.kernel
    def touch_some(count: ti.i32):
        for b in range(count):
            c = b
            if ti.static(HASHED == 1):
                c = (b * 40503) & (BLOCKS - 1)
            field[(c >> 9) * 8 + 1, ((c >> 3) & 63) * 8 + 2, (c & 7) * 8 + 3] = c + 1

    @ti.kernel
    def write_all():
        for i, j, k in ti.ndrange(512, 512, 64):
            field[i, j, k] = i + j + k

    @ti.kernel
    def total() -> ti.f64:
        s = ti.cast(0, ti.f64)
        for i, j, k in field:
            s += ti.cast(field[i, j, k], ti.f64)
        return s

    touch_some(0)
    return node, touch_some, write_all, total


block, touch_some, write, total = build()


def touch():
    touch_some(BLOCKS)


def clear():
    block.deactivate_all()


def cycle():
    touch()
    clear()


def renew():
    global block, touch_some, write, total
    ti.sync()
    ti.reset()
    block, touch_some, write, total = build()
    total()


if WORK == 0:
    measure(lambda: touch_some(BLOCKS), REPEATS, before=renew, warm=0)
elif WORK == 1:
    touch()
    measure(touch, REPEATS, before=clear)
elif WORK == 2:
    touch()
    measure(touch, REPEATS)
elif WORK == 3:
    measure(clear, REPEATS, before=touch)
    touch()
elif WORK == 4:
    touch()
    clear()
    measure(cycle, REPEATS)
    touch()
else:
    touch()
    write()
    measure(write, REPEATS, before=clear if WORK == 5 else None)
checksum(total())
