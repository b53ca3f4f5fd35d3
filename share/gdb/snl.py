"""Fields of SNL programs in gdb:

    (gdb) source PREFIX/share/snlc/gdb/snl.py
    (gdb) print x[3, 4]                 an element, also of a sparse field
    (gdb) print/x x[i, j + 1]           indices are expressions of C
    (gdb) print x                       the first elements
    (gdb) break heat.snl:12 if $snl("x[3, 4]") > 1.0
    (gdb) snl-step                      step to the next line of the program, also into loops of kernels

Memory is only read, nothing is called: core files do as well.  The program must be built with -g.  Of the generated C it
needs the instance, which functions have as `self`, and the descriptions of trees and fields, snl_desc_NAME (runtime/tree/tree.h,
runtime/field/field.h).
"""

import os
import re
import struct
import sys

import gdb
import gdb.printing

DENSE, BITMASKED, POINTER, DYNAMIC, HASH = range(5)
F16 = 9         # runtime/math/snl_scalar.h


def _bytes(address, count):
    return bytes(gdb.selected_inferior().read_memory(int(address), int(count)))


def _word(address):
    return struct.unpack("=Q", _bytes(address, 8))[0]


# ---- the program ----

def _instance():
    """`self` of the innermost frame that has one."""
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        frame = None
    while frame is not None:
        try:
            value = frame.read_var("self")
            if not value.is_optimized_out:
                target = value.type.strip_typedefs().target().strip_typedefs()
                if "trees" in [f.name for f in target.fields()]:
                    return value
        except (ValueError, RuntimeError, gdb.error):
            pass
        frame = frame.older()
    raise gdb.GdbError("no frame of this thread has the instance of an SNL program; is it running?")


def _description(name):
    """The SnlFieldDesc of a field, or None."""
    symbol = gdb.lookup_static_symbol("snl_desc_" + name.replace("#", "_"))
    if symbol is None:
        return None
    value = symbol.value()
    return value if value["name"].string() == name else None


def _element_type(instance, name, desc):
    """The C type of an element, from the function that gets them."""
    prefix = instance.type.strip_typedefs().target().strip_typedefs().tag
    symbol = gdb.lookup_global_symbol("%s_get_%s" % (prefix, name.replace("#", "_")))
    if symbol is not None:
        return symbol.type.fields()[1].type.target()
    raise gdb.GdbError("the type of field '%s' is not known; build the program with -g" % name)


# ---- trees ----

class _Tree:
    """A tree in memory; coordinates are by letter, from 0 on."""

    def __init__(self, instance, number):
        self.tree = instance["trees"][number]
        if int(self.tree) == 0:
            raise gdb.GdbError("the layout of this field does not exist now")
        self.nodes = self.tree["nodes"]

    def path(self, node):
        """Numbers of the nodes from the top down to this one."""
        nodes = []
        while node >= 0:
            nodes.insert(0, node)
            node = int(self.nodes[node]["desc"]["parent"])
        return nodes

    def extent(self, node, letter):
        return int(self.nodes[node]["extent"][letter])

    def cell(self, node, coord):
        """The address of a cell, and whether it is active."""
        path, below, indices = self.path(node), {}, []
        for n in reversed(path):
            desc = self.nodes[n]["desc"]
            here = []
            for a in range(int(desc["axis_count"])):
                letter, size = int(desc["axes"][a]), int(desc["sizes"][a])
                span = below.get(letter, 1)
                here.append(coord[letter] // span % size)
                below[letter] = span * size
            indices.insert(0, here)
        at = int(self.tree["root"][path[0]])
        for k, (n, index) in enumerate(zip(path, indices)):
            if k:
                at += int(self.nodes[n]["desc"]["container_offset"])
            at = self.lookup(n, at, index)
            if at is None:
                return int(self.nodes[node]["ambient"]), False
        return at, True

    def lookup(self, n, container, index):
        """The cell of a container, or None where it is not active."""
        node = self.nodes[n]
        desc = node["desc"]
        kind, linear = int(desc["kind"]), 0
        for a, i in enumerate(index):
            linear = linear * int(desc["stored"][a]) + i
        if kind == DENSE:
            return container + linear * int(desc["cell_bytes"])
        if kind == BITMASKED:
            mask = _word(container + int(node["mask_offset"]) + linear // 64 * 8)
            return container + linear * int(desc["cell_bytes"]) if mask >> linear % 64 & 1 else None
        if kind == POINTER:
            return _word(container + 8 * linear) or None
        if kind == DYNAMIC:
            block = _word(container)
            if not block or index[0] >= _word(block):
                return None
            chunk = int(desc["chunk"])
            cells = _word(block + 8 + index[0] // chunk * 8)
            return cells + index[0] % chunk * int(desc["cell_bytes"]) if cells else None
        return self.find(node, container, index)

    def find(self, node, container, index):
        """The cell of a hash container; its table is searched from end to end."""
        table = _word(container)
        if not table:
            return None
        value = gdb.Value(table).cast(gdb.lookup_type("SnlHashTable").pointer())
        capacity, entries = int(value["capacity"]), int(value["entries"])
        key = struct.pack("=%dq" % len(index), *index)
        for entry, in struct.iter_unpack("=Q", _bytes(entries, 8 * capacity)):
            element = entry & (1 << 48) - 1  # above that a part of the hash; 1: erased
            if element > 1 and _bytes(element, len(key)) == key:
                return element + int(node["key_bytes"])
        return None


class _Field:
    """A field of the program that is being debugged."""

    def __init__(self, name, desc):
        self.name, self.desc = name, desc
        self.instance = _instance()
        self.type = _element_type(self.instance, name, desc)
        self.axes = [int(desc["axes"][k]) for k in range(int(desc["axis_count"]))]
        self.offsets = [int(desc["offsets"][k]) for k in range(len(self.axes))]
        self.leaves = [desc["leaves"][k] for k in range(int(desc["leaf_count"]))]
        self.trees = {}

    def tree(self, number):
        if number not in self.trees:
            self.trees[number] = _Tree(self.instance, number)
        return self.trees[number]

    def extents(self):
        tree, node = self.tree(int(self.desc["node_tree"])), int(self.desc["node"])
        return [tree.extent(node, letter) for letter in self.axes]

    def element(self, index):
        """The element, and whether its cell is active."""
        if len(index) != len(self.axes):
            raise gdb.GdbError("field '%s' has %d indices, not %d" % (self.name, len(self.axes), len(index)))
        for i, first, extent in zip(index, self.offsets, self.extents() if index else []):
            if not first <= i < first + extent:
                raise gdb.GdbError("index %d of field '%s' is not in %d ... %d" % (i, self.name, first, first + extent - 1))
        coord = {letter: i - first for letter, i, first in zip(self.axes, index, self.offsets)}
        data, active, cells = bytearray(self.type.sizeof), True, {}
        for leaf in self.leaves:
            place = (int(leaf["tree"]), int(leaf["node"]))
            if place not in cells:
                tree = self.tree(place[0])
                cells[place] = (int(tree.tree["root_cell"]), True) if place[1] < 0 else tree.cell(place[1], coord)
            address, here = cells[place]
            size, at = _SIZES[int(leaf["tag"])], int(leaf["at"])
            data[at:at + size] = _bytes(address + int(leaf["offset"]), size)
            active = active and here
        if int(self.desc["tag"]) == F16 and self.type.sizeof == 2:     # C has these as integers
            return gdb.Value(_half(int.from_bytes(data, sys.byteorder))), active
        return gdb.Value(bytes(data), self.type), active


_SIZES = [1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8]


# ---- expressions ----

_ELEMENT = re.compile(r"^\s*([A-Za-z_]\w*(?:#\d+)?)\s*\[(.*)\]\s*((?:\.\w+|\[\s*\d+\s*\])*)\s*$", re.S)


def _split(text):
    """The parts between commas that are in no brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            return None
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return parts + [part] if part.strip() or parts else []


def _separate(text):
    """Commas in brackets are those of indices: w[1, 2] is w[1][2] of C, which would take a comma for an operator."""
    written, open_brackets, quote = "", [], None
    for c, before in zip(text, " " + text):
        if quote:
            quote = None if c == quote and before != "\\" else quote
        elif c in "\"'":
            quote = c
        elif c in "([{":
            open_brackets.append(c)
        elif c in ")]}" and open_brackets:
            open_brackets.pop()
        written += "][" if c == "," and not quote and open_brackets[-1:] == ["["] else c
    return written


def _shadowed(name):
    """True where the function has a variable of this name."""
    try:
        block = gdb.selected_frame().block()
    except (RuntimeError, gdb.error):
        return False
    while block is not None and not block.is_global and not block.is_static:
        if any(symbol.name == name for symbol in block):
            return True
        block = block.superblock
    return False


def _named(name):
    """The value of a param or a constant of the program, or None."""
    if _shadowed(name):
        return None
    symbol = gdb.lookup_static_symbol("snl_const_" + name)
    if symbol is not None:
        return symbol.value()
    try:
        params = _instance()["params"]
        return params[name] if name in [f.name for f in params.type.strip_typedefs().fields()] else None
    except gdb.error:
        return None


def _known_names(text):
    """The text with the values of params and constants in place of their names."""
    def value(found):
        known = _named(found.group(0))
        return found.group(0) if known is None else "(%s)" % known.format_string(symbols=False)
    return re.sub(r"(?<![\w.\"'$])[A-Za-z_]\w*(?!\w|\s*\()", value, text)


def _parse(text):
    """The field and the indices of `x[i, j]`, with the rest behind it; None where the text is not of a field."""
    found = _ELEMENT.match(text)
    if not found or _shadowed(found.group(1)):
        return None
    parts, desc = _split(found.group(2)), _description(found.group(1))
    if desc is None or parts is None:
        return None
    return _Field(found.group(1), desc), [int(gdb.parse_and_eval(_known_names(p))) for p in parts], found.group(3)


def _member(value, rest):
    """The value behind .member, .x of a vector, or [k]."""
    for name in re.findall(r"\.(\w+)|\[\s*(\d+)\s*\]", rest):
        fields = [f.name for f in value.type.strip_typedefs().fields()] if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT else []
        if fields == ["v"] and (name[1] or name[0] in ("x", "y", "z", "w")):
            value = value["v"][int(name[1]) if name[1] else "xyzw".index(name[0])]
        else:
            value = value[int(name[1])] if name[1] else value[name[0]]
    return value


class _SnlFunction(gdb.Function):
    """$snl("x[3, 4]"): the element of a field, for conditions and expressions."""

    def invoke(self, text):
        parsed = _parse(text.string())
        if parsed is None:
            raise gdb.GdbError("'%s' is no element of a field" % text.string())
        field, index, rest = parsed
        return _member(field.element(index)[0], rest)


def _print_all(field, options):
    """The first elements of a field, row by row."""
    extents = field.extents() if field.axes else []
    limit = gdb.parameter("print elements") or 200
    total = 1
    for n in extents:
        total *= n
    print("field %s %s[%s]" % (field.type.name or field.type, field.name, ", ".join(
        "%d..%d" % (o, o + n) if o else str(n) for o, n in zip(field.offsets, extents))))
    width = extents[-1] if extents else 1
    for start in range(0, min(total, limit), width):
        index, left = [], start
        for n in reversed(extents):
            index.insert(0, left % n)
            left //= n
        row = []
        for k in range(min(width, limit - start)):
            if index:
                index[-1] = k
            value, active = field.element([i + o for i, o in zip(index, field.offsets)])
            row.append(value.format_string(**options) if active else ".")
        label = "[%s]" % ", ".join([str(i + o) for i, o in zip(index[:-1], field.offsets)] + (["..."] if index else []))
        print("%s = {%s%s}" % (label, ", ".join(row), ", ..." if len(row) < width else ""))
    if total > limit:
        print("... %d elements more" % (total - limit))


class _Print(gdb.Command):
    """print, which also knows elements of SNL fields: print x[3, 4], print/x x[3, 4], print x.
All else goes to call, which prints as gdb's own print does."""

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        try:
            self._print(argument, from_tty)
        except gdb.error as error:
            raise gdb.GdbError(str(error)) from None

    def _print(self, argument, from_tty):
        text, options = argument.strip(), {}
        found = re.match(r"^/(\w)\s+(.*)$", text, re.S)
        if found and found.group(1) in "xduotacfszi":
            text, options = found.group(2), {"format": found.group(1)}
        parsed = _parse(text)
        if parsed is not None:
            field, index, rest = parsed
            value, active = field.element(index)
            value = _member(value, rest)
            gdb.set_convenience_variable("_", value)
            print("%s = %s%s" % (text, value.format_string(**options), "" if active else " (not active)"))
            return
        if re.match(r"^[A-Za-z_]\w*(#\d+)?$", text) and not _shadowed(text):
            desc = _description(text)
            if desc is not None:
                _print_all(_Field(text, desc), options)
                return
        known = _named(text) if re.match(r"^[A-Za-z_]\w*$", text) else None
        if known is not None:
            print("%s = %s" % (text, known.format_string(**options)))
            return
        gdb.execute("call " + (_known_names(_separate(argument)) or "$"), from_tty)


# ---- steps ----

# step does not enter functions of the runtime, but those that call loops of the program: snl_parallel_for_named.
gdb.execute("skip -rfu ^snl_([^p]|p[^a]|pa[^r])", to_string=True)


def _file(table):
    return os.path.normpath(table.fullname())


def _is_between():
    """Is the thread in the generated C, or in what runs loops of the program?"""
    table = gdb.selected_frame().find_sal().symtab
    program, runtime = gdb.lookup_static_symbol("snl_program"), gdb.lookup_global_symbol("snl_parallel_for_named")
    if table is None:
        return False
    return (program is not None and _file(table) == _file(program.symtab) or
            runtime is not None and os.path.dirname(_file(table)) == os.path.dirname(_file(runtime.symtab)))


class _Step(gdb.Command):
    """snl-step and snl-next: as step and next, up to a line of the program, past the C between its lines."""

    def __init__(self, word):
        super().__init__("snl-" + word, gdb.COMMAND_RUNNING)
        self.word = word
        self.stop = None

    def invoke(self, argument, from_tty):
        gdb.events.stop.connect(self._note)
        gdb.execute("set suppress-cli-notifications on")
        try:
            while True:
                self.stop = None
                gdb.execute(self.word, from_tty, True)
                if gdb.selected_thread() is None or type(self.stop) is not gdb.StopEvent or not _is_between():
                    break
        finally:
            gdb.execute("set suppress-cli-notifications off")
            gdb.events.stop.disconnect(self._note)
        if gdb.selected_thread() is not None:
            gdb.execute("frame", from_tty)

    def _note(self, event):
        self.stop = event


# ---- values ----

def _half(bits):
    return struct.unpack("=e", struct.pack("=H", bits))[0]


class _Half:
    """A number of f16, which C has as an integer."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return repr(_half(int(self.value)))


def _scalars(array):
    """What an array of arrays holds."""
    if array.type.strip_typedefs().code != gdb.TYPE_CODE_ARRAY:
        yield array
        return
    for k in range(array.type.strip_typedefs().range()[1] + 1):
        yield from _scalars(array[k])


class _Vector:
    """A vector or matrix of SNL as [1, 2, 3]."""

    def __init__(self, value):
        self.value = value
        shape = re.match(r"^snl_\w+?((?:x\d+)+)$", str(value.type.unqualified()))
        self.shape = [int(n) for n in shape.group(1)[1:].split("x")]

    def to_string(self):
        items, columns = list(_scalars(self.value["v"])), self.shape[-1]
        words = [i.format_string() for i in items]
        rows = ["[" + ", ".join(words[k:k + columns]) + "]" for k in range(0, len(words), columns)]
        return rows[0] if len(self.shape) == 1 else "[" + ", ".join(rows) + "]"


def _printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("snl")
    collection.add_printer("half", r"^snl_f16$", _Half)
    collection.add_printer("vector", r"^snl_(bool|[iuf]\d+)(x\d+)+$", _Vector)
    return collection


gdb.printing.register_pretty_printer(None, _printers(), replace=True)
_SnlFunction("snl")
for _name in ("print", "p"):
    _Print(_name)
for _name in ("step", "next"):
    _Step(_name)
