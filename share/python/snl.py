"""Compiled SNL programs in Python, on ctypes and NumPy: snl_python(3).

    import snl
    wave = snl.build("wave.snl")            # or snl.load("wave.json", "libwave.so")
    w = wave(dt=5e-4)                       # an instance; params by their names
    w.init()                                # a kernel or host function
    print(w.energy())
    w.pos.view()[0] = 1.0                   # a NumPy array in the memory of the field

`python3 -m snl wave.json libwave.so` writes wave.py, after which `import wave` does the same.
"""

import ctypes
import difflib
import hashlib
import inspect
import json
import keyword
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

__all__ = ["Error", "Field", "Program", "View", "build", "load"]

_SCALARS = {
    "bool": (ctypes.c_bool, np.bool_),
    "i8": (ctypes.c_int8, np.int8), "i16": (ctypes.c_int16, np.int16),
    "i32": (ctypes.c_int32, np.int32), "i64": (ctypes.c_int64, np.int64),
    "u8": (ctypes.c_uint8, np.uint8), "u16": (ctypes.c_uint16, np.uint16),
    "u32": (ctypes.c_uint32, np.uint32), "u64": (ctypes.c_uint64, np.uint64),
    "f16": (ctypes.c_uint16, np.float16), "f32": (ctypes.c_float, np.float32),
    "f64": (ctypes.c_double, np.float64),
}


class Error(Exception):
    """What a call of a program reports: "file:line: text"."""


def _members(record, dtype, what):
    """The members of one struct, given as a dict or as a tuple."""
    if len(record) != len(dtype.names) or (isinstance(record, dict) and set(record) != set(dtype.names)):
        raise TypeError("%s a struct of %s, not %s" % (what, ", ".join(dtype.names), record))
    return [record[name] for name in dtype.names] if isinstance(record, dict) else record


def _structs(values, dtype, what):
    """An array of structs: of records, dicts or tuples, in lists as deep as it has axes; or of numbers, for all members."""
    if isinstance(values, (dict, tuple)):
        return _structs([values], dtype, what).reshape(())
    if isinstance(values, list) and not all(isinstance(v, (dict, tuple)) for v in values):
        return np.stack([_structs(v, dtype, what) for v in values])
    if isinstance(values, list):
        shape, members = (len(values),), [list(m) for m in zip(*[_members(v, dtype, what) for v in values])]
    else:
        array = np.asarray(values)
        if array.dtype == dtype:
            return array
        if array.dtype.names not in (None, dtype.names):
            raise TypeError("%s a struct of %s, not %s" % (what, ", ".join(dtype.names), array.dtype))
        shape, members = array.shape, [array[name] if array.dtype.names else array.reshape(
            array.shape + (1,) * len(dtype[name].shape)) for name in dtype.names]
    result = np.zeros(shape, dtype)
    for name, member in zip(dtype.names, members):
        result[name] = _converted(member, dtype[name].base, "member '%s' is" % name)
    return result


def _converted(values, dtype, what="the value is"):
    """An array of the type; numbers of another kind, and those that do not fit, are errors."""
    if dtype.names:
        return _structs(values, dtype, what)
    array = np.asarray(values)
    if not array.size:
        return array.astype(dtype)
    if array.dtype.kind == "O" and all(isinstance(v, int) for v in array.flat):  # NumPy's for what is beyond 64 bits
        if dtype.kind not in "biu":
            return array.astype(np.float64).astype(dtype)
        low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        if any(not low <= v <= high for v in array.flat):
            raise OverflowError("%s %s, which has no place for %s" % (what, dtype, values))
        return array.astype(dtype)
    if array.dtype.kind not in "biu" or dtype.kind not in "biu":
        if not np.can_cast(array.dtype, dtype, "same_kind"):
            raise TypeError("%s %s, not %s" % (what, dtype, array.dtype))
        return array.astype(dtype, copy=False)
    result = array.astype(dtype, copy=False)
    if not np.array_equal(result, array):
        raise OverflowError("%s %s, which has no place for %s" % (what, dtype, values))
    return result


class _Type:
    """A type of SNL: its ctypes type, and NumPy's type of an element with the shape of its components."""

    def __init__(self, ctype, dtype, shape=()):
        self.ctype, self.dtype, self.shape = ctype, np.dtype(dtype), shape
        self.element = np.dtype((self.dtype, shape)) if shape else self.dtype
        self.plain = not shape and self.dtype.names is None and self.dtype != np.float16

    def to_c(self, value, name):
        what = "'%s' is" % name
        if self.plain:
            return self.ctype(_converted(value, self.dtype, what).item())
        array = np.zeros((), self.element) if self.shape else np.zeros((), self.dtype)
        array[...] = _converted(value, self.dtype, what)
        return self.ctype.from_buffer_copy(array.tobytes())

    def from_c(self, value):
        if self.plain:
            return value.value
        array = np.frombuffer(bytes(value), self.dtype).reshape(self.shape)
        return array.copy() if self.shape else array[()]


class _Types:
    """The types of a program by their names."""

    def __init__(self, manifest):
        self.known = {}
        for struct in manifest["structs"]:
            members = [(m, self.find(m["type"])) for m in struct["members"]]
            ctype = type(struct["c_name"], (ctypes.Structure,),
                         {"_fields_": [(m["c_name"], t.ctype) for m, t in members]})
            dtype = np.dtype({"names": [m["name"] for m, t in members],
                              "formats": [t.element for m, t in members],
                              "offsets": [m["offset"] for m, t in members],
                              "itemsize": struct["bytes"]})
            self.known[struct["name"]] = _Type(ctype, dtype)

    def find(self, name):
        if name not in self.known:
            scalar, *shape = name.split("x")
            ctype, dtype = _SCALARS[scalar]
            if shape:
                shape = tuple(int(n) for n in shape)
                ctype = type(name, (ctypes.Structure,),
                             {"_fields_": [("v", ctype * int(np.prod(shape)))]})
            self.known[name] = _Type(ctype, dtype, tuple(shape))
        return self.known[name]


class _MetaField(ctypes.Structure):
    """snl_meta_field of snl_meta.h."""

    _fields_ = [("name", ctypes.c_char_p), ("scalar", ctypes.c_char_p),
                ("rows", ctypes.c_int), ("columns", ctypes.c_int), ("indices", ctypes.c_int),
                ("first", ctypes.c_int64 * 8), ("extent", ctypes.c_int64 * 8), ("element_bytes", ctypes.c_int64),
                ("layout", ctypes.c_int), ("node", ctypes.c_int)]


class View(np.ndarray):
    """An array in the memory of a field.  Once that is gone or elsewhere, as after destroy, swap and load, its use raises Error.
    numpy.asarray(v) is an array that does not look; copies are arrays of their own."""

    _look = None

    def __array_finalize__(self, other):
        self._look = getattr(other, "_look", None)

    def _check(self):
        if self._look is not None and not self.flags.owndata:
            self._look()

    def __getitem__(self, index):
        self._check()
        return super().__getitem__(index)

    def __setitem__(self, index, value):
        self._check()
        super().__setitem__(index, value)

    def __repr__(self):
        return repr(_plain(self))

    def __str__(self):
        return str(_plain(self))

    def tolist(self):
        return _plain(self).tolist()

    def copy(self, order="C"):
        return _plain(self).copy(order)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **named):
        if out is not None:
            named["out"] = tuple(_plain(a) for a in out)
        result = getattr(ufunc, method)(*[_plain(a) for a in inputs], **named)
        return out[0] if out is not None and len(out) == 1 else result

    def __array_function__(self, function, types, args, named):
        return function(*_all_plain(args), **_all_plain(named))

    def __dlpack__(self, **named):
        return _plain(self).__dlpack__(**named)


def _plain(array):
    """The array itself of a view, whose field is still there."""
    if isinstance(array, View):
        array._check()
        return array.view(np.ndarray)
    return array


def _all_plain(value):
    """The same in all arguments of a function of NumPy."""
    if isinstance(value, (list, tuple)):
        return type(value)(_all_plain(v) for v in value)
    if isinstance(value, dict):
        return {name: _all_plain(v) for name, v in value.items()}
    return _plain(value)


class Field:
    """A field of an instance. np.asarray(field) is a view where the layout allows one, else a copy."""

    def __init__(self, program, entry):
        self._program, self._entry = program, entry
        self._type = program._types.find(entry["type"])
        self.name, self.dtype = entry["name"], self._type.element
        self.offsets, self.sparse = tuple(entry["offsets"]), entry["sparse"]
        self.__doc__ = _documented("field %s %s" % (entry["type"], entry["name"]), entry)

    def _call(self, verb, *args):
        self._program._call("%s_%s" % (verb, self._entry["c_name"]), *args)

    def _count(self):
        count = ctypes.c_int64()
        self._call("cells", None, None, ctypes.c_int64(0), ctypes.byref(count))
        return count.value

    @property
    def shape(self):
        """Extents along the indices, without those of components."""
        extents = self._entry["extents"]
        if None not in extents:
            return tuple(extents)
        program, facts = self._program, self._facts()
        if 0 in facts.extent[:len(extents)]:
            raise Error("layout '%s' does not exist" % program._manifest["layouts"][facts.layout]["name"])
        return tuple(facts.extent[:len(extents)])

    def _empty(self, shape):
        return np.empty(tuple(shape) + self._type.shape, self._type.dtype)

    def _input(self, values, shape):
        array, shape = _converted(values, self._type.dtype), tuple(shape) + self._type.shape
        return np.ascontiguousarray(np.broadcast_to(array if array.size else array.reshape(shape), shape))

    def _strided(self, find, inner):
        """An array of the field's memory, of elements of shape `inner`; find gives the address and the strides."""
        shape, dtype = self.shape, self._type.dtype
        address, steps = find(len(shape))
        size = dtype.itemsize * int(np.prod(inner, dtype=np.int64)) + sum((n - 1) * s for n, s in zip(shape, steps))
        buffer = (ctypes.c_char * size).from_address(address)
        buffer._owner = self._program
        array = np.ndarray(shape + inner, dtype, buffer, 0, steps + np.empty(inner, dtype).strides)

        def look():
            if find(len(shape))[0] != address or self.shape != shape:
                raise Error("the view of field '%s' is no longer good: the layout has other memory now" % self.name)
        array = array.view(View)
        array._look = look
        return array

    def _find_whole(self, axes):
        address, strides = ctypes.c_void_p(), (ctypes.c_size_t * max(axes, 1))()
        self._call("view", ctypes.byref(address), strides)
        return address.value, tuple(strides[k] for k in range(axes))

    def view(self):
        """The field's own memory as an array; Error where the layout is not affine.
        Once the layout is destroyed, swapped or loaded its use raises; the instance lives as long as it."""
        return self._strided(self._find_whole, self._type.shape)

    def component(self, *index):
        """The memory of one component, by its name or numbers, also where components are placed apart: v.component("x")."""
        shape = self._type.shape
        if not shape:
            raise TypeError("field '%s' has no components" % self.name)
        if len(index) == 1 and isinstance(index[0], str) and len(shape) == 1:
            index = ("xyzw".find(index[0]) if len(index[0]) == 1 else -1,)
        if len(index) != len(shape) or not all(0 <= k < n for k, n in zip(index, shape)):
            raise IndexError("field '%s' has no such component" % self.name)
        program, number = self._program, int(np.ravel_multi_index(index, shape))
        field = program._manifest["fields"].index(self._entry)

        def find(axes):
            address, strides = ctypes.c_void_p(), (ctypes.c_size_t * max(axes, 1))()
            if program._library.snl_meta_view(program._handle, field, number, ctypes.byref(address), strides):
                raise Error("component %d of field '%s' does not lie at constant strides, or is not there" % (number, self.name))
            return address.value, tuple(strides[k] for k in range(axes))
        return self._strided(find, ())

    def components(self):
        """The views of all components of a vector."""
        return tuple(self.component(k) for k in range(self._type.shape[0] if len(self._type.shape) == 1 else 0))

    def active(self):
        """Number of active cells of the node that holds the field."""
        facts = self._facts()
        return self._program._library.snl_meta_active(self._program._handle, facts.layout, facts.node)

    def _facts(self):
        program, facts = self._program, _MetaField()
        number = program._manifest["fields"].index(self._entry)
        program._check(program._library.snl_meta_get_field(program._handle, number, ctypes.byref(facts)))
        return facts

    def __dlpack__(self, **named):
        return self.view().__dlpack__(**named)

    def __dlpack_device__(self):
        return (1, 0)

    def get(self):
        """A copy of all elements; inactive ones are ambient."""
        array = self._empty(self.shape)
        n = int(np.prod(self.shape, dtype=np.int64))
        self._call("get", array.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(n))
        return array

    def set(self, values):
        """Sets all elements, and so activates all cells; what NumPy broadcasts may be smaller."""
        shape = self.shape
        array = self._input(values, shape)
        n = int(np.prod(shape, dtype=np.int64))
        self._call("set", array.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(n))

    def cells(self):
        """The active cells: their indices, one row each, and their elements."""
        n = self._count()
        coords = np.empty((n, len(self.offsets)), np.int64)
        values = self._empty((n,))
        count = ctypes.c_int64()
        self._call("cells", coords.ctypes.data_as(ctypes.c_void_p), values.ctypes.data_as(ctypes.c_void_p),
                   ctypes.c_int64(n), ctypes.byref(count))
        return coords, values

    def set_cells(self, coords, values):
        """Sets elements by their indices, and activates their cells."""
        coords = np.ascontiguousarray(_converted(coords, np.dtype(np.int64), "indices are")).reshape(-1, len(self.offsets))
        array = self._input(values, (len(coords),))
        self._call("set_cells", coords.ctypes.data_as(ctypes.c_void_p), array.ctypes.data_as(ctypes.c_void_p),
                   ctypes.c_int64(len(coords)))

    def __array__(self, dtype=None, copy=None):
        try:
            array = self.view()
        except Error:
            array = self.get()
        array = _plain(array)
        return np.array(array, dtype) if copy or dtype not in (None, array.dtype) else array

    def __getitem__(self, index):
        try:
            array = self.view()
        except Error:
            array = self.get()
        return array[index]

    def __setitem__(self, index, value):
        self.view()[index] = value

    def __repr__(self):
        return "<field %s %s of %s>" % (self._entry["type"], self.name, self._program._manifest["program"])


def _python_name(entry):
    """What an argument is called in a signature."""
    return entry["name"] + "_" * (keyword.iskeyword(entry["name"]) or entry["name"] == "self")


def _documented(text, entry):
    """What something is, and the comment of the program."""
    return text + ("\n\n" + entry["doc"] if "doc" in entry else "")


def _class_doc(manifest):
    """What help(CLASS) says first: the params."""
    lines = ["The SNL program %s." % manifest["program"]]
    for p in manifest["params"]:
        lines.append("%s %s = %s%s" % (p["type"], p["name"], p["default"][0] if len(p["default"]) == 1 else p["default"],
                                       "".join("\n    " + line for line in p.get("doc", "").splitlines())))
    return "\n\n".join(lines[:1]) + ("\n\n" + "\n".join(lines[1:]) if lines[1:] else "")


def _argument(types, entry, value, keep):
    """The C arguments for one of SNL; arrays that must outlive the call go to `keep`."""
    if "dimensions" not in entry:
        return [types.find(entry["type"]).to_c(value, entry["name"])]
    element, dimensions = types.find(entry["type"].split("[")[0]), entry["dimensions"]
    rank, is_array = dimensions + len(element.shape), isinstance(value, np.ndarray)
    if entry["written"]:
        if not is_array or value.dtype != element.dtype or not value.flags.c_contiguous or not value.flags.writeable:
            raise TypeError("argument '%s' is written: it is a writable, contiguous array of %s" % (
                entry["name"], element.dtype))
    array = np.ascontiguousarray(value if entry["written"] else _converted(
        value, element.dtype, "argument '%s' is an array of" % entry["name"]))
    if array.shape == (0,) and not is_array:
        array = array.reshape((0,) * dimensions + element.shape)
    if array.ndim != rank or array.shape[dimensions:] != element.shape:
        raise TypeError("argument '%s' is an array of %d axes%s" % (
            entry["name"], dimensions, " of elements of shape %s" % (element.shape,) if element.shape else ""))
    keep.append(array)
    return [array.ctypes.data_as(ctypes.c_void_p)] + [ctypes.c_int64(n) for n in array.shape[:dimensions]]


def _method(entry):
    """The method of a kernel or host function."""
    def method(self, *args, **named):
        names = [a["name"] for a in entry["arguments"]]
        if len(args) + len(named) != len(names) or set(named) - set(names[len(args):]):
            raise TypeError("%s(%s) is called with other arguments" % (entry["name"], ", ".join(names)))
        args = list(args) + [named[name] for name in names[len(args):]]
        keep, words = [], []
        for a, value in zip(entry["arguments"], args):
            words += _argument(self._types, a, value, keep)
        if not entry["result"]:
            self._check(getattr(self._library, entry["c_name"])(self._handle, *words))
            return None
        kind = self._types.find(entry["result"]["type"])
        result = kind.ctype()
        self._check(getattr(self._library, entry["c_name"])(self._handle, *words, ctypes.byref(result)))
        return kind.from_c(result)
    method.__name__ = entry["name"]
    method.__signature__ = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in [
        "self"] + [_python_name(a) for a in entry["arguments"]]])
    method.__doc__ = _documented("%s: %s:%d" % (entry["prototype"], entry["file"], entry["line"]), entry)
    return method


class Program:
    """An instance of a program; load() and build() make a class of it for each."""

    def __init__(self, **params):
        values = self._function("params_default", self._Params)()
        unknown = set(params) - {p["name"] for p in self._manifest["params"]}
        if unknown:
            raise TypeError("%s has no parameter '%s'" % (self._manifest["program"], sorted(unknown)[0]))
        for p in self._manifest["params"]:
            if p["name"] in params:
                setattr(values, p["c_name"], self._param_to_c(p, params[p["name"]]))
        self._fields, self._handle, self._values = {}, ctypes.c_void_p(), values
        status = self._function("create", ctypes.c_int)(ctypes.byref(values), ctypes.byref(self._handle))
        self._check(status)

    def _param_to_c(self, entry, value):
        """A value of a param for C; words of an enum are strings."""
        if entry["type"] == "string":
            return os.fsencode(value)
        if "words" in entry and isinstance(value, str):
            if value not in entry["words"]:
                raise ValueError("parameter '%s' is one of %s, not '%s'" % (entry["name"], ", ".join(entry["words"]), value))
            value = entry["words"].index(value)
        return self._types.find(entry["type"]).to_c(value, entry["name"])

    def _param(self, entry):
        """The value of a param now."""
        if entry["type"] == "string":
            return os.fsdecode(getattr(self._values, entry["c_name"]))
        kind = self._types.find(entry["type"])
        value = kind.ctype()
        if "get" in entry:
            self._check(getattr(self._library, entry["get"])(self._handle, ctypes.byref(value)))
        else:
            ctypes.memmove(ctypes.byref(value), ctypes.addressof(self._values) + getattr(self._Params, entry["c_name"]).offset,
                           ctypes.sizeof(value))
        value = kind.from_c(value)
        return entry["words"][value] if "words" in entry else value

    def _set_param(self, entry, value):
        if "set" not in entry:
            raise AttributeError("parameter '%s' is given when an instance is made: %s(%s=...); those that are @live change" % (
                entry["name"], self._manifest["program"], entry["name"]))
        self._check(getattr(self._library, entry["set"])(self._handle, self._param_to_c(entry, value)))

    def _find_param(self, name):
        return next((p for p in self._manifest["params"] if p["name"] == name), None)

    @property
    def params(self):
        """The values of all params."""
        return {p["name"]: self._param(p) for p in self._manifest["params"]}

    def memory(self):
        """Bytes that the instance holds."""
        return self._library.snl_meta_bytes(self._handle)

    def active(self, name):
        """Number of active cells of a node, by its label or a field in it."""
        field = self._field(name)
        if field is not None:
            return field.active()
        for number in range(len(self._manifest["layouts"])):
            node = self._library.snl_meta_find_node(self._handle, number, name.encode())
            if node >= 0:
                return self._library.snl_meta_active(self._handle, number, node)
        raise Error("%s has no label or field '%s'" % (self._manifest["program"], name))

    @classmethod
    def _function(cls, name, result):
        function = getattr(cls._library, cls._manifest["prefix"] + "_" + name)
        function.restype = result
        return function

    def _check(self, status):
        if status:
            text = self._function("message", ctypes.c_char_p)(self._handle) if self._handle else b""
            raise Error(text.decode(errors="replace") or "status %d" % status)

    def _call(self, name, *args):
        self._check(self._function(name, ctypes.c_int)(self._handle, *args))

    def _field(self, name):
        """A field by its name, None where there is none."""
        if name not in self._fields:
            for entry in self._manifest["fields"]:
                if name in (entry["name"], entry["c_name"]):
                    self._fields[name] = Field(self, entry)
                    break
        return self._fields.get(name)

    def _unknown(self, name):
        """The error for a name that is no field."""
        program = self._manifest["program"]
        if hasattr(type(self), name):
            return AttributeError("'%s' is a function of %s; only fields are set" % (name, program))
        names = [n for n in dir(self) if not n.startswith("_")]
        near = [] if name.startswith("_") else difflib.get_close_matches(name, names, 1)
        return AttributeError("%s has no field or function '%s'%s" % (
            program, name, "; did you mean '%s'?" % near[0] if near else ""))

    def __getattr__(self, name):
        if name in ("_fields", "_handle", "_values"):  # before __init__ made them
            raise AttributeError(name)
        field, param = self._field(name), self._find_param(name)
        if field is None and param is None:
            raise self._unknown(name)
        return self._param(param) if field is None else field

    def __setattr__(self, name, value):
        """Sets all elements of a field, w.x = values is w.x.set(values), or a @live param."""
        is_own = name in ("_fields", "_handle", "_values")
        field, param = (None, None) if is_own else (self._field(name), self._find_param(name))
        if field is not None:
            field.set(value)
        elif param is not None:
            self._set_param(param, value)
        elif name.startswith("_"):
            super().__setattr__(name, value)
        else:
            raise self._unknown(name)

    def __getitem__(self, name):
        """A field by its name: w["r#2"]."""
        return getattr(self, name)

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def __dir__(self):
        return list(super().__dir__()) + [f["name"] for f in self._manifest["fields"] + self._manifest["params"]]

    def create(self, layout):
        """Makes the fields of a manual layout."""
        self._call("create_" + layout)

    def destroy(self, layout):
        """Frees the fields of a manual layout; views of them are no longer good."""
        self._call("destroy_" + layout)

    def set_threads(self, threads):
        """Number of threads of later calls."""
        self._function("set_threads", None)(self._handle, ctypes.c_int(threads))

    def set_seed(self, seed):
        """Seed of the random numbers that follow."""
        self._function("set_seed", None)(self._handle, ctypes.c_uint64(seed))

    def __del__(self):
        if getattr(self, "_handle", None):
            self._function("destroy", None)(self._handle)
            self._handle = None


def _find_library(manifest_path, prefix):
    folder = os.path.dirname(os.path.abspath(manifest_path))
    stem = os.path.splitext(os.path.basename(manifest_path))[0]
    for name in ("lib%s.so" % stem, "%s.so" % stem, "lib%s.so" % prefix):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise FileNotFoundError("there is no lib%s.so beside '%s'" % (stem, manifest_path))


def load(manifest, library=None):
    """The class of a program from its manifest and its shared library (lib*.so beside the manifest)."""
    with open(manifest, encoding="utf-8") as f:
        contents = json.load(f)
    if contents.get("manifest") != 1:
        raise Error("'%s' is no manifest of a version that is known" % manifest)
    types = _Types(contents)
    params = [(p["c_name"], ctypes.c_char_p if p["type"] == "string" else types.find(p["type"]).ctype)
              for p in contents["params"]] or [("unused", ctypes.c_char)]
    path = library or _find_library(manifest, contents["prefix"])
    parts = {"_manifest": contents, "_types": types, "_library": ctypes.CDLL(os.path.abspath(path)),
             "_Params": type("Params", (ctypes.Structure,), {"_fields_": params}),
             "__doc__": _class_doc(contents)}
    for entry in contents["kernels"] + contents["hosts"]:
        parts[entry["name"]] = _method(entry)
    parts["_library"].snl_meta_active.restype = ctypes.c_int64
    parts["_library"].snl_meta_bytes.restype = ctypes.c_uint64
    return type(contents["program"], (Program,), parts)


def _hash_of(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def _cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "snlc", "python")


def _sources_of(depfile):
    """The files that a depfile names behind its colon."""
    with open(depfile, encoding="utf-8") as f:
        text = f.read().replace("\\\n", " ").split(":", 1)[1].split("\n")[0]
    return [w.replace("\0", " ").replace("\\#", "#").replace("$$", "$") for w in text.replace("\\ ", "\0").split()]


def _fresh_library(folder):
    """The library in a folder, if all its sources are what they were when it was built; else None."""
    try:
        with open(os.path.join(folder, "sources.json"), encoding="utf-8") as f:
            built = json.load(f)
        if all(_hash_of(path) == known for path, known in built["sources"].items()):
            return os.path.join(folder, built["library"])
    except (OSError, ValueError, KeyError):
        pass
    return None


def _build_into(folder, source, options, snlc):
    manifest, library, depfile = (os.path.join(folder, "program" + suffix) for suffix in (".json", ".so", ".d"))
    done = subprocess.run([snlc, "build", "-q", "--kind=shared", *options, "--manifest=" + manifest, "-MD", "-MF", depfile,
                           "-MT", "program", "-o", library, source], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Error(done.stderr.strip() or "snlc ends with status %d" % done.returncode)
    if done.stderr:
        sys.stderr.write(done.stderr)
    sources = {os.path.abspath(path): _hash_of(path) for path in _sources_of(depfile)}
    # The system takes a library of one name for the one that is loaded already, so each version has its own.
    name = "program-%s.so" % hashlib.sha256(json.dumps(sources, sort_keys=True).encode()).hexdigest()[:16]
    os.rename(library, os.path.join(folder, name))
    with open(os.path.join(folder, "sources.json"), "w", encoding="utf-8") as f:
        json.dump({"library": name, "sources": sources}, f)


def _cache_key(source, options, snlc):
    """What a built program depends on besides its sources."""
    program = shutil.which(snlc) or snlc
    facts = os.stat(program) if os.path.exists(program) else None
    names = ("CC", "CFLAGS", "LDFLAGS", "LIBS", "SNLC_FLAGS", "SNLC_PATH", "SNLC_RUNTIME")
    key = [os.path.abspath(source), os.getcwd(), options, os.path.abspath(program), facts and [facts.st_mtime_ns, facts.st_size],
           {name: os.environ.get(name) for name in names}]
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:32]


def build(source, *options, snlc=None, cache=True):
    """Compiles a program, with options of snlc build, and loads it.  What was built stays in the user's cache, and is taken
    from there while the sources, the options and snlc are the same; cache=False builds anew and keeps nothing."""
    beside = os.path.join(os.path.dirname(sys.executable or ""), "snlc")  # of an environment that is not activated
    snlc = snlc or os.environ.get("SNLC") or shutil.which("snlc") or beside
    if not cache:
        with tempfile.TemporaryDirectory(prefix="snl") as folder:
            _build_into(folder, source, options, snlc)
            return load(os.path.join(folder, "program.json"), _fresh_library(folder))
    place = os.path.join(_cache_folder(), _cache_key(source, options, snlc))
    if not _fresh_library(place):
        os.makedirs(_cache_folder(), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_cache_folder()) as folder:
            made = os.path.join(folder, "made")
            os.mkdir(made)
            _build_into(made, source, options, snlc)
            if os.path.exists(place):  # who has loaded the old one keeps its files
                os.rename(place, os.path.join(folder, "old"))
            os.rename(made, place)
    return load(os.path.join(place, "program.json"), _fresh_library(place))


_MODULE = '''"""The SNL program {program}, made from {manifest} by snl.py.

{contents}
"""
import os
import snl

_folder = os.path.dirname(os.path.abspath(__file__))
{name} = snl.load(os.path.join(_folder, {manifest!r}), os.path.join(_folder, {library!r}))
'''


_HINTS = {"bool": "bool", "f16": "float", "f32": "float", "f64": "float", "string": "str"}


def _type_hint(name):
    if "[" in name or "x" in name:
        return "npt.ArrayLike"
    return _HINTS.get(name) or ("int" if name in _SCALARS else "Any")


def _param_hint(entry):
    return "Literal[%s]" % ", ".join(map(repr, entry["words"])) if "words" in entry else _type_hint(entry["type"])


def _stub_doc(entry):
    return ["        " + json.dumps(entry["doc"])] if "doc" in entry else []


def _stub(contents):
    """The text of NAME.pyi: what the program offers, with types, for editors and checkers."""
    params = "".join(", %s: %s = ..." % (p["name"], _param_hint(p)) for p in contents["params"])
    lines = ["from typing import Any, Literal", "import numpy.typing as npt", "import snl", "",
             "class %s(snl.Program):" % contents["prefix"], "    def __init__(self%s) -> None: ..." % (params and ", *" + params)]
    for p in contents["params"]:
        lines += ["    @property", "    def %s(self) -> %s:" % (p["name"], _param_hint(p)), *_stub_doc(p), "        ..."]
        if "set" in p:
            lines += ["    @%s.setter" % p["name"], "    def %s(self, value: %s) -> None: ..." % (p["name"], _param_hint(p))]
    for f in contents["fields"]:
        if f["name"].isidentifier():
            lines += ["    @property", "    def %s(self) -> snl.Field:" % f["name"], *_stub_doc(f), "        ...",
                      "    @%s.setter" % f["name"], "    def %s(self, values: npt.ArrayLike) -> None: ..." % f["name"]]
    for k in contents["kernels"] + contents["hosts"]:
        if k["c_name"] and k["name"].isidentifier() and not keyword.iskeyword(k["name"]):
            args = "".join(", %s: %s" % (_python_name(a), _type_hint(a["type"])) for a in k["arguments"])
            result = _type_hint(k["result"]["type"]).replace("npt.ArrayLike", "Any") if k["result"] else "None"
            lines += ["    def %s(self%s) -> %s:" % (k["name"], args, result), *_stub_doc(k), "        ..."]
    return "\n".join(lines) + "\n"


def _write_module(manifest, library=None):
    """Writes NAME.py and NAME.pyi beside a manifest."""
    with open(manifest, encoding="utf-8") as f:
        contents = json.load(f)
    library = library or _find_library(manifest, contents["prefix"])
    folder = os.path.dirname(os.path.abspath(manifest))
    lines = ["param  %s %s" % (p["type"], p["name"]) for p in contents["params"]]
    lines += ["field  %s %s" % (f["type"], f["name"]) for f in contents["fields"]]
    lines += ["call   %s(%s)" % (k["name"], ", ".join(a["type"] + " " + a["name"] for a in k["arguments"]))
              for k in contents["kernels"] + contents["hosts"]]
    text = _MODULE.format(program=contents["program"], name=contents["prefix"], contents="\n".join(lines),
                          manifest=os.path.basename(manifest),
                          library=os.path.relpath(os.path.abspath(library), folder))
    for suffix, written in ((".py", text), (".pyi", _stub(contents))):
        with open(os.path.join(folder, contents["prefix"] + suffix), "w", encoding="utf-8") as f:
            f.write(written)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit("usage: python3 -m snl MANIFEST [LIBRARY]")
    try:
        _write_module(*sys.argv[1:])
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit("snl: %s: %s" % (sys.argv[1], error if not isinstance(error, KeyError) else "no manifest of a program"))
