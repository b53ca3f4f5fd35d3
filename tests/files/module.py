# A compiled program in Python: tests/scripts/python.sh runs this beside module.json and libmodule.so.
import gc
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


P = snl.load("module.json")
w = P(dt=0.25, n=7, name="saved", wind=(0, 0, 1))

# Zero-copy: the array is the field's memory, also where it is padded.
x = w.x.view()
assert x.shape == (5, 6) and x.dtype == np.float32 and (x == 0).all()
x[:] = np.arange(30).reshape(5, 6)
w.step(2.0)
assert x[4, 5] == 29.5 and w.x[4, 5] == 29.5 and (w.x.get() == x).all()
w.x.set(1.0)
assert (x == 1).all()
w.x[2, :] = 7
assert w.x.get()[2, 3] == 7 and np.asarray(w.x).ctypes.data == x.ctypes.data
w.show()
assert (np.load("saved.npy") == x).all()
os.remove("saved.npy")

# Column-major memory, sizes of run time.
w.number()
assert w.wide.shape == (7, 6) and (w.wide.view() == w.wide.get()).all() and w.wide.view()[6, 5] == 65
assert w.wide.view().strides[0] < w.wide.view().strides[1]

# Where the layout has no view, there are copies.
assert w.v.get().shape == (10, 3) and (w.v.get()[4] == (4, 0, -1)).all()
fails(snl.Error, "v", w.v.view)
assert np.asarray(w.v).shape == (10, 3)

# Structs, matrices, half precision, fields without index, families.
p = w.parts.view()
p["id"] = np.arange(7)
p["pos"][3] = (1, 2, 3)
assert w.parts.get()[3]["id"] == 3 and (w.parts.get()["pos"][3] == (1, 2, 3)).all()
w.m.set(np.arange(16).reshape(2, 2, 2, 2))
assert w.m.view()[1, 0, 1, 0] == 10
w.half.set([0.5, 1, 2])
assert w.half.dtype == np.float16 and list(w.half.get()) == [0.5, 1, 2]
w.one.view()[...] = 12
assert w.one.get() == 12 and w.one.shape == ()
w["r#1"].set([1, 2, 3, 4])
assert list(w["r#1"].get()) == [1, 2, 3, 4] and list(w["r#0"].get()) == [0] * 4

# Sparse fields: lists of cells.
w.s.set_cells([(-8, 0), (3, 4)], [5, 6])
coords, values = w.s.cells()
assert coords.tolist() == [[-8, 0], [3, 4]] and values.tolist() == [5, 6]
assert w.s.get()[0, 1] == 2 and w.s.get().shape == (16, 16)
fails(snl.Error, "s", w.s.view)
fails(snl.Error, "", w.s.set_cells, [(8, 0)], [1])
assert w.grown.shape == (7, 6) and w.grown.get().sum() == 0
w.grown.set_cells([(3, 5)], [7])
assert w.grown.get()[3, 5] == 7

# Arguments and results.
a = np.ones((3, 2), np.float32)
assert w.total(a, (0, 10)) == 33 and w.total(q=(0, 1), a=[[0, 1]]) == 2
v = np.ones((4, 3), np.float32)
w.scale(v, 2.5)
assert (v == 2.5).all()
b = w.make(3, {"pos": (1, 2, 3), "id": 4})
assert b["id"] == 7 and (b["pos"] == (1, 2, 4)).all()
body = {"pos": (1, 2, 3), "id": 4}
assert w.weight({"k": 5, "a": body, "on": True}) == 245 and w.weight((((0, 1, 0), 2), 3, 0)) == 123
assert w.count([(body, 1, 1), {"a": ((1, 2, 3), 7), "k": 0, "on": False}]) == 12 and w.count([]) == 0
w.parts.set(3)
assert w.parts.get()["pos"].sum() == 63 and w.parts.get()["id"][6] == 3
w.parts.set([body] * 6 + [((0, 0, 9), 8)])
assert list(w.parts.get()["id"]) == [4] * 6 + [8] and w.parts.get()["pos"][6, 2] == 9
w.parts.set(w.parts.get()[::-1])
assert w.parts.get()["id"][0] == 8
fails(TypeError, "member 'k' is uint8, not float64", w.weight, (body, 3.7, 0))
fails(TypeError, "member 'id' is int32, not float64", w.make, 1, {"pos": (1, 2, 3), "id": 0.5})
fails(OverflowError, "member 'k' is uint8, which has no place for", w.weight, (body, 256, 0))
fails(TypeError, "a struct of pos, id", w.make, 1, {"pos": (1, 2, 3)})
fails(TypeError, "a struct of pos, id", w.make, 1, {"pos": (1, 2, 3), "it": 0})
fails(TypeError, "a struct of pos, id", w.make, 1, ((1, 2, 3),))
fails(TypeError, "member 'id' is int32", w.parts.set, np.zeros(7, [("pos", "f4", 3), ("id", "f8")]))
fails(TypeError, "indices are int64, not float64", w.s.set_cells, [[0.9, 1.0]], [5])
w.s.set_cells([], [])
w.v.set_cells([], [])
assert w.sum([]) == 0 and w.sum([1, 2]) == 3 and w.total([], (0, 0)) == 0
assert w.halved(3) == 1.5 and (w.turned([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]).all()
assert w.checked(2) is True and w.checked(1) is False
fails(snl.Error, "i is 5", w.checked, 5)
assert w.checked(2) is True
assert w.total(np.ones((3, 2)), (0, 0)) == 3 and w.total(np.ones((2, 3), np.float32).T, (0, 0)) == 3
a.flags.writeable = False
assert w.total(a, (0, 0)) == 3
fails(TypeError, "argument 'a' is an array of float32, not complex128", w.total, np.ones((3, 2), complex), (0, 0))
fails(TypeError, "argument 'a' is written", w.scale, np.ones((4, 3)), 1)
fails(TypeError, "argument 'a' is written", w.scale, [[1, 2, 3]], 1)
fails(TypeError, "argument 'a'", w.scale, np.ones((4, 2), np.float32), 1)
fails(TypeError, "other arguments", w.step)
fails(TypeError, "no parameter 'dx'", P, dx=1)
fails(OverflowError, "'i' is int32", w.checked, 2**40)
fails(TypeError, "'i' is int32, not float64", w.checked, 1.5)
fails(TypeError, "'i' is int32", w.checked, "1")
fails(OverflowError, "int32", w.total, a, (2**40, 0))
fails(OverflowError, "'n' is int32", P, n=2**40)
fails(TypeError, "the value is", w.grown.set_cells, [(3, 5)], [1j])
fails(AttributeError, "nothing", lambda: w.nothing)
fails(OverflowError, "'i' is int32, which has no place for 18446744073709551616", w.checked, 2**64)
assert w.checked(np.array(2, object)) is True
fails(OverflowError, "indices are int64, which has no place for", w.s.set_cells, [[2**64, 1]], [5])

# A field is set by its name; what is no field is not made one.
w.x = np.arange(30).reshape(5, 6)
assert x[4, 5] == 29 and type(w.x) is snl.Field and w["x"] is w.x
w.x += np.ones(6)
w["x"] = w.x.get() * 2
assert x[4, 5] == 60 and x[0, 0] == 2
w.x = 2**64
assert (x == 2.0**64).all()
w.s = 4
assert w.s.get()[7, 7] == 4 and len(w.s.cells()[1]) == 256
w["r#1"] = [4, 3, 2, 1]
assert list(w["r#1"].get()) == [4, 3, 2, 1]
fails(ValueError, "", setattr, w, "x", np.ones(7))
fails(AttributeError, "parameter 'dt' is given when an instance is made: module(dt=...)", setattr, w, "dt", 0.5)
assert w.dt == 0.25 and w.name == "saved" and w.wind.tolist() == [0, 0, 1]
fails(AttributeError, "'step' is a function of module; only fields are set", setattr, w, "step", 1)
fails(AttributeError, "no field or function 'partz'; did you mean 'parts'?", setattr, w, "partz", 1)
w._mine = 3
assert w._mine == 3
w.x = 1

# Manual layouts.
fails(snl.Error, "lazy", w.z.get)
fails(snl.Error, "layout 'lazy' does not exist", lambda: w.z.shape)
w.create("lazy")
w.z.set(9)
assert w.z.view().tolist() == [9] * 7
w.destroy("lazy")

# A view keeps its instance alive; instances are apart from one another.
view = P().x.view()
gc.collect()
view[:] = 3
assert view.sum() == 90 and w.x[0, 0] == 1
w.set_threads(2)
w.set_seed(5)

# The module that snl.py writes, and programs built on the spot.
import module_module as made
assert made.module_module is not P and made.module_module(n=2).wide.shape == (2, 6)
assert "field  f32x3 v" in made.__doc__
if len(sys.argv) > 1:
    Q = snl.build(sys.argv[1], "-O1")
    assert Q(n=2).wide.shape == (2, 6)
    fails(snl.Error, "cannot read", snl.build, "missing.snl")
