# Writes again what mutate.c saved, in the encodings that other programs use: packed.npz, text.vti, base64.vti, packed64.vti,
# appended64.vtu, lz4.vti, lzma.vtu and packed.nvdb, for mutate.c to damage. Given names, it writes these .vti and .vtu files again
# beside them, packed by LZ4 and by LZMA, as seeds for fuzzing.
import base64
import lzma
import re
import struct
import sys
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


def lz4_part(literals, distance, length):
    """A sequence of LZ4: bytes as they are, and then so many from that far back; none where the distance is 0."""
    def more(n):
        return bytes([255] * ((n - 15) // 255) + [(n - 15) % 255]) if n >= 15 else b""

    matched = length - 4 if distance else 0
    part = bytes([min(len(literals), 15) << 4 | min(matched, 15)]) + more(len(literals)) + literals
    return part + struct.pack("<H", distance) + more(matched) if distance else part


def lz4_block(data):
    """Matches are the nearest of four bytes that came before, as long as they go; the last five bytes stay as they are."""
    out, at, start, seen = b"", 0, 0, {}
    while at + 12 < len(data):
        word = data[at:at + 4]
        found = seen.get(word, -1)
        seen[word] = at
        if 0 <= found and at - found < 65536:
            length = 4
            while at + length < len(data) - 5 and data[found + length] == data[at + length]:
                length += 1
            out += lz4_part(data[start:at], at - found, length)
            at = start = at + length
        else:
            at += 1
    return out + lz4_part(data[start:], 0, 0)


def lzma_block(data):
    return lzma.compress(data, check=lzma.CHECK_CRC32)


def repacked(source, name, compressor, pack, most):
    """The arrays of a file in blocks of so many bytes, packed in another way."""
    text, arrays = read_vtk(source)
    text, appended = re.sub(' compressor="[^"]*"', ' compressor="%s"' % compressor, text), b""
    for offset, data in arrays.items():
        blocks = [pack(data[at:at + most]) for at in range(0, len(data), most)]
        text = text.replace('offset="%d"/>' % offset, 'offset="new %d"/>' % len(appended))
        appended += struct.pack("<3Q", len(blocks), most, len(data) % most)
        appended += b"".join(struct.pack("<Q", len(block)) for block in blocks) + b"".join(blocks)
    open(name, "wb").write(text.replace('"new ', '"').encode() + b'<AppendedData encoding="raw">_' + appended +
                           b"</AppendedData>\n</VTKFile>\n")


def seeds_of(path):
    folder, _, name = path.rpartition("/")
    repacked(path, "%s/lz4-%s" % (folder, name), "vtkLZ4DataCompressor", lz4_block, 4096)
    repacked(path, "%s/lzma-%s" % (folder, name), "vtkLZMADataCompressor", lzma_block, 4096)


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


if len(sys.argv) > 1:
    for given in sys.argv[1:]:
        if b"<AppendedData" in open(given, "rb").read():
            seeds_of(given)
    sys.exit()
packed_npz()
inline("text.vti", "ascii", as_text)
inline("base64.vti", "binary", as_base64)
inline("packed64.vti", "binary", as_packed64)
appended64()
repacked("dense.vti", "lz4.vti", "vtkLZ4DataCompressor", lz4_block, 64)
repacked("sparse.vtu", "lzma.vtu", "vtkLZMADataCompressor", lzma_block, 256)
try:
    packed_nvdb()
except FileNotFoundError:
    pass
