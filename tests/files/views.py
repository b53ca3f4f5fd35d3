# Params, components, activity and views that end: tests/scripts/python.sh runs this with the program.
import inspect
import os
import sys

import numpy as np
import snl


def fails(kind, text, call, *args, **named):
    try:
        call(*args, **named)
    except kind as e:
        assert text in str(e), "'%s' is not in '%s'" % (text, e)
    else:
        raise AssertionError("no " + text)


source = sys.argv[1]
P = snl.build(source, "-O1", "-Wno-W0401")
w = P(n=4, mode="water", name="b")

# Params are read, and those that are @live set.
assert w.n == 4 and w.mode == "water" and w.name == "b" and w.g == 2.0 and w.wind.tolist() == [0.5, 1.5]
assert set(w.params) == {"n", "mode", "g", "speed", "wind", "name"} and w.params["speed"] == "slow"
w.g, w.speed, w.wind = 3, "fast", (1, 2)
assert w.g == 3.0 and w.speed == "fast" and w.wind.tolist() == [1, 2]
assert w.add(1, 2, [1, 2]) == 35
fails(AttributeError, "given when an instance is made", setattr, w, "n", 5)
fails(ValueError, "one of slow, fast", setattr, w, "speed", "quick")
fails(ValueError, "one of sand, water", P, mode="mud")
fails(snl.Error, "words have the numbers 0 to 1", P, mode=7)
fails(TypeError, "", setattr, w, "g", "much")

# Signatures and comments.
assert str(inspect.signature(P.add)) == "(self, from_, self_, list)", inspect.signature(P.add)
assert "Adds." in P.add.__doc__ and "Places." in w.v.__doc__ and "pull" in P.__doc__

# Components of a field whose components lie apart.
w.number()
fails(snl.Error, "", w.v.view)
vx, vy, vz = w.v.components()
assert vx.shape == (4, 5) and vx[2, 3] == 2 and vy[2, 3] == 3 and (vz == 3).all()
w.v.component("z")[1, 1] = 9
assert w.v.get()[1, 1].tolist() == [1, 1, 9]
w.m.component(1, 0)[1] = 4
assert w.m.view()[1].tolist() == [[0, 0], [4, 0]]
fails(IndexError, "no such component", w.v.component, "w")
fails(IndexError, "no such component", w.v.component, 3)
fails(TypeError, "no components", w.x.component, 0)
fails(snl.Error, "", w.s.view)

# What is active, and memory.
assert w.active("cells") == 3 and w.active("bits") == 3 and w.active("s") == 3 and w.s.active() == 3
assert w.memory() > 0
fails(snl.Error, "no label", w.active, "nothing")

# DLPack.
assert np.from_dlpack(w.x).tolist() == [0, 1, 2, 3] and np.from_dlpack(w.x).ctypes.data == np.asarray(w.x).ctypes.data

# A view whose memory is another's, or nobody's, raises; what was copied stays.
x = w.x.view()
part, copied, doubled = x[1:3], x.copy(), x * 2
assert part.tolist() == [1, 2] and x.sum() == 6 and np.concatenate([x, x]).shape == (8,)
x += 1
part[...] = 7
assert w.x.get().tolist() == [1, 7, 7, 4] and (x[x > 4] == 7).all()
w.exchange()
for use in (lambda: x[0], lambda: x + 1, lambda: part.sum(), lambda: x.__setitem__(0, 1), lambda: np.concatenate([x]), lambda: str(part),
            lambda: x.tolist(), lambda: x.copy(), lambda: x.__dlpack__(), lambda: np.add(1, 1, out=x)):
    fails(snl.Error, "no longer good", use)
assert copied.tolist() == [0, 1, 2, 3] and doubled.tolist() == [0, 2, 4, 6] and w.x.view().tolist() == [0, -1, -2, -3]
w.create("lazy")
late = w.late.view()
late[:] = 5
w.destroy("lazy")
fails(snl.Error, "lazy", lambda: late[0])
w.create("lazy")
assert w.late.get().sum() == 0

# What is built stays in the cache until a source, or an option, changes.
cache = os.path.join(os.environ["XDG_CACHE_HOME"], "snlc", "python")


def built():
    return {name: os.stat(os.path.join(cache, name, "sources.json")).st_mtime_ns for name in os.listdir(cache)}


before = built()
assert len(before) == 1
assert snl.build(source, "-O1", "-Wno-W0401")(n=2).x.shape == (2,)
assert built() == before
snl.build(source, "-O0", "-Wno-W0401")
assert len(os.listdir(cache)) == 2
with open("imported.snl", "w") as f:
    f.write("const C = 1;\n")
with open("main.snl", "w") as f:
    f.write('import "imported.snl";\nkernel i32 get() { return C; }\n')
assert snl.build("main.snl")().get() == 1
with open("imported.snl", "w") as f:
    f.write("const C = 2;\n")
assert snl.build("main.snl")().get() == 2 and snl.build("main.snl", cache=False)().get() == 2
assert len(os.listdir(cache)) == 3, os.listdir(cache)
with open("broken.snl", "w") as f:
    f.write("kernel k() { y = 1; }\n")
fails(snl.Error, "E0201", snl.build, "broken.snl")
assert len(os.listdir(cache)) == 3
