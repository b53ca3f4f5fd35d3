# Writes again what mutate.c saved, in the encodings that other programs use: packed.npz, text.vti, base64.vti, packed64.vti,
# appended64.vtu and packed.nvdb, for mutate.c to damage.
import base64
import re
import struct
import zipfile
import zlib

COUNTS = {"Float32": "f", "Float64": "d", "Int64": "q", "UInt8": "B"}


def packed_npz():
    with zipfile.ZipFile("dense.npz") as old, zipfile.ZipFile("packed.npz", "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))


def read_vtk(path):
    """The text before the arrays, and the bytes of each array by its offset."""
    text, _, rest = open(path, "rb").read().partition(b'<AppendedData encoding="raw">')
    start, arrays = rest.index(b"_") + 1, {}
    for offset in map(int, re.findall(rb'offset="(\d+)"', text)):
        at = start + offset
        blocks, = struct.unpack_from("<Q", rest, at)
        sizes = struct.unpack_from("<%dQ" % blocks, rest, at + 24)
        at, parts = at + 24 + 8 * blocks, []
        for size in sizes:
            parts.append(zlib.decompress(rest[at:at + size]))
            at += size
        arrays[offset] = b"".join(parts)
    return text.decode(), arrays


def as_text(data, kind):
    code = COUNTS[kind]
    return " ".join(map(str, struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data)))


def as_base64(data, kind):
    return base64.b64encode(struct.pack("<Q", len(data)) + data).decode()


def as_packed64(data, kind):
    block = zlib.compress(data)
    head = struct.pack("<4Q", 1, len(data), len(data), len(block))
    return (base64.b64encode(head) + base64.b64encode(block)).decode()


def inline(name, form, encode):
    text, arrays = read_vtk("dense.vti")
    if encode is not as_packed64:
        text = re.sub(' compressor="[^"]*"', "", text)

    def array(match):
        return '%sformat="%s">\n%s\n</DataArray>' % (match[1], form, encode(arrays[int(match[3])], match[2]))

    text = re.sub(r'(<DataArray type="(\w+)"[^>]*)format="appended" offset="(\d+)"/>', array, text)
    open(name, "w").write(text + "</VTKFile>\n")


def appended64():
    text, arrays = read_vtk("sparse.vtu")
    text, appended = re.sub(' compressor="[^"]*"', "", text), ""
    for offset, data in arrays.items():
        text = text.replace('offset="%d"/>' % offset, 'offset="new %d"/>' % len(appended))
        appended += as_base64(data, "")
    open("appended64.vtu", "w").write(text.replace('"new ', '"') + '<AppendedData encoding="base64">_' + appended +
                                      "</AppendedData>\n</VTKFile>\n")


def packed_nvdb():
    """One grid: head, 176 bytes of its entry, the name, the grid."""
    data = open("sparse.nvdb", "rb").read()
    bytes_at, name_at, codec_at = 16, 16 + 136, 16 + 168
    grid_bytes, = struct.unpack_from("<Q", data, bytes_at)
    name_bytes, = struct.unpack_from("<I", data, name_at)
    grid_at = 16 + 176 + name_bytes
    block = zlib.compress(data[grid_at:grid_at + grid_bytes])
    head = bytearray(data[:grid_at])
    struct.pack_into("<H", head, 14, 1)
    struct.pack_into("<Q", head, bytes_at + 8, 8 + len(block))
    struct.pack_into("<H", head, codec_at, 1)
    open("packed.nvdb", "wb").write(bytes(head) + struct.pack("<Q", len(block)) + block)


packed_npz()
inline("text.vti", "ascii", as_text)
inline("base64.vti", "binary", as_base64)
inline("packed64.vti", "binary", as_packed64)
appended64()
try:
    packed_nvdb()
except FileNotFoundError:
    pass
