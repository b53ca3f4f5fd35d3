#!/bin/sh
# .h5, .vti, .vtu and .nvdb: fields come back as they were saved, compiled and interpreted programs write the same bytes, other
# readers find what was saved, damaged files change nothing. Prints TAP.
# FILE_MUTANTS is the number of damaged copies of each file, FILE_SEED their start, FILE_LONG=yes compares with OpenVDB too.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS
folder=$(fresh_folder scripts/file-formats)
cd "$folder" || exit 1
files=$SNL_SOURCE/tests/files
case $CASE_MODES in *c[0-9]*) has_target=yes ;; *) has_target=no ;; esac
mkdir compiled interpreted
for e in h5 vtu nvdb; do sed "s/EXT/$e/g" "$files/cells.snl.in" >"cells_$e.snl"; done

# The library that a format needs.
library_of() { # EXTENSION
    case $1 in h5) echo hdf5 ;; nvdb) echo nanovdb ;; *) echo none ;; esac
}

# Runs the tests of a program; where the format is left out, all messages must say so.
try() { # EXTENSION FILE FOLDER OPTION...
    extension=$1 file=$2 where=$3
    shift 3
    if has_feature "$(library_of "$extension")"; then
        (cd "$where" && "$SNLC" test "$@" "../$file") >log 2>&1
    else
        (cd "$where" && "$SNLC" test "$@" --filter "dense fields" "../$file") >out 2>&1
        grep -q "this build of the runtime has no support for '.$extension' files" out || { cat out; return 1; }
    fi >log 2>&1
}

# Everything that one folder has, the other has too.
same_files() { # EXTENSION
    has_feature "$(library_of "$1")" || return 0
    [ -f "interpreted/d.$1" ] || return 1
    for f in interpreted/*."$1"; do cmp "$f" "compiled/${f#*/}" || return 1; done
}

plan 29
cp "$files/image.snl" cells_vti.snl
for e in h5 vti vtu nvdb; do
    try "$e" "cells_$e.snl" interpreted --interpret
    result $? ".$e files, interpreted" log
    if [ "$has_target" = yes ]; then
        try "$e" "cells_$e.snl" compiled
        result $? ".$e files, compiled" log
        same_files "$e" >log 2>&1
        result $? ".$e files are the same bytes" log
    else
        skip ".$e files, compiled" "there is no compiled mode"
        skip ".$e files are the same bytes" "there is no compiled mode"
    fi
done

# A dense field that is loaded from cells has its ambient value where the file has none.
ambient() { # EXTENSION FOLDER OPTION...
    extension=$1 where=$2
    shift 2
    cat >"$where/ambient.snl" <<END
const DENSE = 0;
@ambient(f32x3(-1.5, 2.5, 1)) field f32x3 v;
static if (DENSE == 1) { layout { dense i[8] { place v; } } } else { layout { bitmasked i[8] { place v; } } }
main {
    static if (DENSE == 1) { fill(v, f32x3(9)); load("ambient.$extension", v); }
    else { v[2] = f32x3(3, 4, 5); save("ambient.$extension", v); }
    print("{} {}", v[2], v[5]);
}
END
    for dense in 0 1; do (cd "$where" && "$SNLC" run -q "$@" -D DENSE=$dense ambient.snl); done >found 2>&1
    printf '%s\n' "[3.0, 4.0, 5.0] [-1.5, 2.5, 1.0]" "[3.0, 4.0, 5.0] [-1.5, 2.5, 1.0]" | diff - found
}
for e in h5 vtu nvdb; do
    name="a dense field loaded from the cells of a .$e is ambient elsewhere"
    if ! has_feature "$(library_of $e)"; then skip "$name" "its library is missing"; continue; fi
    { ambient $e interpreted --interpret && { [ "$has_target" = no ] || ambient $e compiled; }; } >log 2>&1
    result $? "$name" log
done

if [ -z "${XMLLINT-}" ] || ! has_feature hdf5; then
    skip "the .xdmf beside a .h5 is XML" "xmllint or hdf5 is missing"
else
    $XMLLINT --noout interpreted/*.xdmf >log 2>&1 && grep -q 'tree.h5:/x/values' interpreted/tree.xdmf
    result $? "the .xdmf beside a .h5 is XML" log
fi

# Readers in Python.
readers() {
    cp "$files/readers.py" interpreted && (cd interpreted && python3 readers.py) || return 1
    for f in interpreted/by_vtk_*.vti; do
        [ -f "$f" ] || return 0
        echo "field f32 d[5, 6, 7]; main { load(\"$f\", d); print(\"{}\", d[4, 5, 6] + d[1, 2, 3]); }" >read.snl
        [ "$("$SNLC" run --interpret -q -Wno-W0401 read.snl)" = 579.0 ] || { echo "$f"; return 1; }
    done
}
if ! python3 -c 'import sys' 2>/dev/null || ! has_feature hdf5; then
    skip "h5py and VTK read the files" "python3 or hdf5 is missing"
else
    readers >log 2>&1
    result $? "h5py and VTK read the files" log
fi

# The library of NanoVDB is C++.
cxx=${CXX:-c++}
vdb() {
    cat >expected <<'TEXT'
x 4 valid, checksum of all
-16 -16 -8 1
0 0 0 2.5
3 2 1 2.5
15 15 7 0
elsewhere 2.5
v 4 valid, checksum of all
-16 -16 -8 0,0,0
0 0 0 0,0,0
3 2 1 1,2,3
15 15 7 0,0,0
elsewhere 0,0,0
TEXT
    $cxx -std=c++17 -w "$files/read_vdb.cc" -o read_vdb && ./read_vdb interpreted/tree.nvdb >found && diff expected found || return 1
    ./read_vdb interpreted/d.nvdb | grep -qx '4 5 6 456' || { echo d; return 1; }
    ./read_vdb interpreted/flag.nvdb | grep -c ' 1$' | grep -qx 4 || { echo flag; return 1; }
    ./read_vdb interpreted/none.nvdb | grep -qx 'x 0 valid, checksum of heads' || { echo none; return 1; }
}
has_header() { echo "#include <$1>" | $cxx -std=c++17 -E -x c++ - >cxx.out 2>&1; }
if ! has_feature nanovdb || ! has_header nanovdb/util/IO.h; then
    skip "NanoVDB reads what was saved" "the C++ headers of NanoVDB are missing"
else
    vdb >log 2>&1
    result $? "NanoVDB reads what was saved" log
fi

# The checksum of the first grid stands behind the head of 16 bytes, two entries of 178, and the signature of the grid.
sums() {
    cat >sums.snl <<'END'
param string file = "";
@ambient(2.5) field f32 x;
layout { @offset(-16, -16, -8) pointer ijk[8, 8, 4] { bitmasked ijk[4, 4, 4] { place x; } } }
main { load(file, x); print("{}", x[-16, -16, -8]); }
END
    with_bytes 380 '' 1.0 && with_bytes 380 '\377\377\377\377\377\377\377\377' 1.0 && with_bytes 384 '\377\377\377\377' 1.0 &&
        with_bytes 380 '\0\0' "the heads of a grid differ from its checksum at offset 380" &&
        with_bytes 384 '\0\0' "the nodes of a grid differ from its checksum at offset 380" &&
        with_bytes 405 'Z' "the heads of a grid differ from its checksum at offset 380" &&
        with_bytes 20000 'Z' "the nodes of a grid differ from its checksum at offset 380"
}
with_bytes() { # OFFSET BYTES MESSAGE
    cp interpreted/tree.nvdb sums.nvdb
    # shellcheck disable=SC2059
    printf "$2" | dd of=sums.nvdb bs=1 seek="$1" conv=notrunc status=none
    "$SNLC" run --interpret -q sums.snl -- --file=sums.nvdb >out 2>&1
    grep -q "$3" out || { echo "bytes $2 at $1:"; cat out; return 1; }
}
name="checksums of .nvdb files are compared"
if has_feature nanovdb; then
    sums >log 2>&1
    result $? "$name" log
else
    skip "$name" "the headers of NanoVDB are missing"
fi

# Through OpenVDB, which has the same cells and values, and back; the program reads what comes back.
openvdb() {
    imath=$(pkg-config --libs Imath 2>/dev/null)
    # shellcheck disable=SC2086
    $cxx -std=c++17 -w -DWITH_OPENVDB -DNANOVDB_USE_OPENVDB "$files/read_vdb.cc" -lopenvdb -ltbb $imath -o read_openvdb &&
        ./read_openvdb interpreted/tree.nvdb back.nvdb >found && diff expected found || return 1
    mkdir -p again && mv back.nvdb again/tree.nvdb
    sed '/save("tree/d; /load("tree.nvdb", v)/d; s/ && all(v\[3, 2, 1.*;/);/' cells_nvdb.snl >again/again.snl
    (cd again && "$SNLC" test --interpret --filter "sparse fields" again.snl)
}
name="OpenVDB has the cells that were saved, and what it writes is loaded"
if [ "${FILE_LONG-}" != yes ]; then skip "$name" "only in make check-long"
elif [ ! -f expected ] || ! has_header openvdb/openvdb.h; then skip "$name" "NanoVDB or libopenvdb-dev is missing"
else
    openvdb >log 2>&1
    result $? "$name" log
fi

# What the HDF5 library refuses is reported with the place in the file, and changes no field.
damaged_h5() {
    cat >damaged.snl <<'END'
param string file = "";
field f32 x[16, 16];
main { fill(x, 2.0); save("whole.h5", x); if (extent(x, 0) == 16) { load(file, x); } }
END
    "$SNLC" run --interpret damaged.snl -- --file=whole.h5 || return 1
    size=$(wc -c <whole.h5)
    for at in 30 60 200; do
        { head -c $at whole.h5 && printf 'ZZ' && tail -c $((size - at - 2)) whole.h5; } >bad.h5
        if "$SNLC" run --interpret damaged.snl -- --file=bad.h5 2>err; then echo "byte $at: loaded"; return 1; fi
        grep -q "damaged.snl:3: 'bad.h5': cannot .*, in bytes [0-9]* to [0-9]* or before" err || { cat err; return 1; }
        from=$(sed -n 's/.*in bytes \([0-9]*\) to.*/\1/p' err)
        [ "$from" -le "$at" ] && [ $((at - from)) -le 512 ] || { echo "byte $at"; cat err; return 1; }
    done
}
if ! has_feature hdf5; then
    skip "a damaged .h5 is reported with the place" "hdf5 is missing"
else
    damaged_h5 >log 2>&1
    result $? "a damaged .h5 is reported with the place" log
fi

# What h5py compressed by lzf: files/lzf.h5 is of h5py 3.16, with x and the shuffled and checked s the same, and random r.
cat >lzf.snl <<'END'
param string file = "";
field f32 x[16, 40], s[16, 40];
field u32 r[8, 8];
kernel f32 sum() { f32 t = 0; for i, j in x { t += x[i, j]; } return t; }
kernel f32 difference() { f32 t = 0; for i, j in x { t += abs(x[i, j] - s[i, j]); } return t; }
main { fill(s, 1.0); load(file, x); load(file, s); load(file, r); print("{} {} {} {}", sum(), difference(), x[15, 39], r[3, 5]); }
END
lzf() { # HOW...
    [ "$("$SNLC" run -q "$@" lzf.snl -- --file="$files/lzf.h5")" = "14438.0 0.0 41.0 3964193122" ]
}
# First bytes of data that cannot be: a match before the first byte, and literals beyond the end.
lzf_damaged() {
    for byte in '\377' '\037'; do
        for at in 4016 4655; do # where chunks of x and s begin
            { head -c "$at" "$files/lzf.h5" && printf '%b' "$byte" && tail -c "+$((at + 2))" "$files/lzf.h5"; } >damaged.h5
            if "$SNLC" run -q --interpret lzf.snl -- --file=damaged.h5 >out 2>err; then echo "loaded with byte $at"; return 1; fi
            grep -q "lzf.snl:6: 'damaged.h5'" err || { cat err; return 1; }
        done
    done
}
if ! has_feature hdf5; then
    skip "h5py's lzf is read" "hdf5 is missing"
    skip "damaged lzf is refused" "hdf5 is missing"
else
    { lzf --interpret && { [ "$has_target" = no ] || lzf; }; } >log 2>&1
    result $? "h5py's lzf is read" log
    lzf_damaged >log 2>&1
    result $? "damaged lzf is refused" log
fi

# A small file may hold a chunk that takes much memory: it is not read.
bomb_h5() {
    # shellcheck disable=SC2046
    ${CC:-cc} -o bomb_h5 "$files/bomb_h5.c" $(pkg-config --cflags --libs hdf5) && ./bomb_h5 bomb.h5 && [ "$(wc -c <bomb.h5)" -lt 4000000 ] &&
        cat >bomb.snl <<'END' || return 1
param string file = "";
field f32 x[16, 16];
main { fill(x, 2.0); load(file, x); }
END
    if "$SNLC" run --interpret bomb.snl -- --file=bomb.h5 2>err; then echo "it was loaded"; return 1; fi
    grep -q "bomb.snl:3: 'bomb.h5'" err || { cat err; return 1; }
}
name="a .h5 with a chunk of 400 MB is refused"
if ! has_feature hdf5 || ! pkg-config --exists hdf5; then skip "$name" "hdf5 is missing"
else
    bomb_h5 >log 2>&1
    result $? "$name" log
fi

# Damaged files, with sanitizers.
mutants() {
    ${MAKE-make} -s -C "$SNL_BUILD" tests/sanitize/lib/libsnlrt.a || return 1
    "$SNLC" compile -q -o lab.c "$files/lab.snl" || return 1
    # shellcheck disable=SC2046
    $TEST_CC -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I. $("$SNLC" config --cflags) "-I$SNL_SOURCE/runtime" lab.c "$files/mutate.c" \
        "$SNL_BUILD/tests/sanitize/lib/libsnlrt.a" $("$SNLC" config --libs) -o mutate || return 1
    damage
}
# Each load of HDF5 forks, which takes as long as the process is large.
damage() { # [FILE]
    OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 ./mutate "${FILE_SEED:-20261121}" "${FILE_MUTANTS:-150}" "$@"
}
encoded() { python3 "$files/encode.py" && { has_feature lzma || rm lzma.vtu; } && damage encoded; }
name="damaged files are reported with the place and change nothing"
if [ "$has_target" = no ]; then
    skip "$name" "there is no compiled mode"
    skip "$name, in the encodings of others" "there is no compiled mode"
else
    mutants >log 2>&1
    result $? "$name" log
    if python3 -c 'import zlib' 2>/dev/null; then
        encoded >log 2>&1
        result $? "$name, in the encodings of others" log
    else
        skip "$name, in the encodings of others" "python3 is missing"
    fi
fi

# The grids that a file has, where the wanted one is not among them.
other_grids() {
    cat >others.snl <<'END'
field f32 x[4], y[4], z[4];
main { save("others.nvdb", x, y); load("others.nvdb", z); }
END
    ! "$SNLC" run --interpret -q others.snl >log 2>&1 && grep -q "'others.nvdb' has no grid 'z' .*; it has x, y$" log
}

# Coordinates in .nvdb are of 32 bits: those of the active cells, whatever the extent of the field.
far_voxels() {
    cat >voxels.snl <<'END'
const N = 1 << 22;
const FIRST = -(N / 2) * 2048i64;
field f32 x;
layout { @offset(FIRST, FIRST) hash ij[N, N] { pointer ij[256, 256] { v: bitmasked ij[8, 8] { place x; } } } }
main {
    x[-1, 2] = 1.0;
    x[2147483647, -2147483648] = 2.0;
    save("voxels.nvdb", x);
    deactivate_all(v);
    load("voxels.nvdb", x);
    print("{} {} {}", x[-1, 2], x[2147483647, -2147483648], active(v));
    x[1, -2147483649] = 3.0;
    save("voxels.nvdb", x);
}
END
    ! "$SNLC" run --interpret -q voxels.snl >log 2>&1 && grep -q "^1.0 2.0 2$" log &&
        grep -q "voxels.snl:13: .* index -2147483649 of field x along axis 1 does not fit into 32 bits$" log
}
if has_feature nanovdb; then
    other_grids
    result $? "a grid that a .nvdb file lacks: the message names those it has" log
    far_voxels
    result $? "cells of a .nvdb file in a field of more than 2^32 indices" log
else
    skip "a grid that a .nvdb file lacks" "nanovdb is missing"
    skip "cells of a .nvdb file in a field of more than 2^32 indices" "nanovdb is missing"
fi

# The corners of a .vtu file are numbered in all of the box around the cells.
far_cells() {
    cat >far.snl <<'END'
field f32 q;
layout { hash ijk[1 << 19, 1 << 19, 1 << 19] { dense ijk[4, 4, 4] { place q; } } }
main { q[0, 0, 0] = 1.0; q[2097148, 2097148, 2097148] = 2.0; save("far.vtu", q); }
END
    ! "$SNLC" run --interpret -q far.snl >log 2>&1 && grep -q "far.snl:3: 'far.vtu': .* too far apart .*; .h5 and .nvdb take them$" log
}
far_cells
result $? "cells that are too far apart for .vtu: the message names files that take them" log
