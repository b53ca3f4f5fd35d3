#!/bin/sh
# Points in .vtp, .ply and .csv: compiled and interpreted programs write the same bytes, files of other programs are loaded, damaged
# ones are refused with the place. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
folder=$(fresh_folder scripts/points)
cd "$folder" || exit 1

cat >save.snl <<'PROGRAM'
field f32x3 pos; field f64 mass; field u8x3 color;
layout { list: dynamic i[100] { place pos, mass, color; } }
host make() { for i in 0..20 { append(list[], f32x3(f32(i), 0.1, -2), 0.1 * f64(i), u8x3(u8(i), 2, 3)); } }
main { make(); save("p.vtp", pos, mass, color); save("p.ply", pos, mass, color); save("p.csv", pos, mass, color); }
PROGRAM
cat >load.snl <<'PROGRAM'
param string path = "a.ply";
field f32x3 points; field f32 mass; field i32 kind;
layout { list: dynamic i[5] { place points, mass, kind; } }
main {
    load(path, points); load(path, mass); load(path, kind);
    print("{} {} {} {}", length(list[]), points[1], mass[1], kind[1]);
}
PROGRAM

# A test is a function that prints what is wrong.
check() { # NAME FUNCTION [ARGUMENT...]
    name=$1
    shift
    "$@" >log 2>&1
    status=$?
    [ "$status" = 0 ] || echo "status $status" >>log
    [ ! -s log ]
    result $? "$name" log
}

same_bytes() {
    mkdir -p built interpreted
    (cd built && "$SNLC" run -q ../save.snl) && (cd interpreted && "$SNLC" run -q --interpret ../save.snl) && diff -r built interpreted
}

header() {
    sed '/^end_header$/q' built/p.ply | tr -d '\0' | diff - - <<'END'
ply
format binary_little_endian 1.0
comment points of pos
element vertex 20
property float x
property float y
property float z
property double mass
property uchar red
property uchar green
property uchar blue
end_header
END
    sed -n 1,2p built/p.csv | diff - - <<'END'
pos.x,pos.y,pos.z,mass,color.x,color.y,color.z
0,0.100000001,-2,0,0,2,3
END
    grep -q '<Piece NumberOfPoints="20" NumberOfVerts="20"' built/p.vtp || echo "the tags of .vtp"
}

# Both ways to run, on a file that is there.
loads() { # FILE
    "$SNLC" run -q load.snl -- --path="$1" >built.out && "$SNLC" run -q --interpret load.snl -- --path="$1" >out && cmp built.out out || return 1
    echo "2 [4.0, 5.0, 6.0] 0.5 7" | diff - out
}

refused() { # FILE WORDS
    for how in "" --interpret; do
        # shellcheck disable=SC2086
        ! "$SNLC" run -q $how load.snl -- --path="$1" >out 2>&1 && grep -q "'$1'.*$2" out || cat out
    done
}

cat >text.ply <<'END'
ply
format ascii 1.0
comment made by hand
element vertex 2
property double x
property double y
property double z
property float mass
property int kind
property uchar other
element face 1
property list uchar int vertex_indices
end_header
1 2 3 0.25 -1 0
4 5 6 0.5 7 255
3 0 1 1
END
{
    printf 'ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty short kind\nproperty float x\nproperty float y\nproperty float z\n'
    printf 'property float mass\nend_header\n'
    printf '\0\1\77\200\0\0\100\0\0\0\100\100\0\0\76\200\0\0'
    printf '\0\7\100\200\0\0\100\240\0\0\100\300\0\0\77\0\0\0'
} >big.ply
printf '"kind", "mass",points.x,points.y,points.z\r\n-1,0.25,1,2,3\r\n\r\n7,.5,4e0,5,6' >text.csv
cat >text.vtp <<'END'
<VTKFile type="PolyData" version="0.1" byte_order="LittleEndian">
<PolyData><Piece NumberOfPoints="2" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="0">
<PointData><DataArray type="Float32" Name="mass" format="ascii">0.25 0.5</DataArray>
<DataArray type="Int32" Name="kind" format="ascii">-1 7</DataArray></PointData>
<Points><DataArray type="Float32" Name="Points" NumberOfComponents="3" format="ascii">1 2 3 4 5 6</DataArray></Points>
</Piece></PolyData></VTKFile>
END

damaged() {
    head -c 300 text.ply | sed 's/^4.*//' >cut.ply
    refused cut.ply "cut short.* at offset 2[0-9]*$"
    sed 's/0.25 -1/0.25 1.5/' text.ply >half.ply
    refused half.ply "1.5, which i32 has no place for, at offset"
    sed 's/^property int kind/property int sort/' text.ply >lacks.ply
    refused lacks.ply "no properties for field kind of type i32 in its header, which ends at offset"
    sed 's/vertex 2/vertex 6/; /^4 5 6/{p;p;p;p;}' text.ply >many.ply
    refused many.ply "6 points, but field points has 5 elements; at offset"
    sed 's/^4 5 6/4 5 x/' text.ply >word.ply
    refused word.ply "a bad number at offset"
    sed '4s/7,/7.5,/' text.csv >half.csv
    refused half.csv "'7.5', which is no i32, at offset"
    sed '4s/7,//' text.csv >short.csv
    refused short.csv "a line of 4 cells, not 5 as the first, at offset"
    sed '1s/mass/weight/' text.csv >lacks.csv
    refused lacks.csv "no column 'mass' in its first line, which ends at offset"
    sed 's/0.25 0.5/0.25/' text.vtp >short.vtp
    refused short.vtp "at offset"
    sed 's/"Points" N/"x" N/' text.vtp >lacks.vtp
    refused lacks.vtp "no array 'points' in its tags, which end at offset"
}

differ() {
    cat >two.snl <<'PROGRAM'
field f32x3 pos; field f32 mass;
layout { bitmasked i[8] { place pos; } }
layout { bitmasked i[8] { place mass; } }
main { pos[1] = f32x3(1); mass[2] = 1.0; save("two.vtp", pos, mass); }
PROGRAM
    for how in "" --interpret; do
        # shellcheck disable=SC2086
        ! "$SNLC" run -q $how two.snl >out 2>&1 && grep -q "two.snl:4: 'two.vtp': fields pos and mass differ in their active cells" out || cat out
    done
    cat >axes.snl <<'PROGRAM'
field f32x3 pos[3, 3];
main { save("axes.csv", pos); load("axes.csv", pos); }
PROGRAM
    ! "$SNLC" run -q --interpret axes.snl >out 2>&1 && grep -q "points are loaded into fields of 1 index; field pos has 2" out || cat out
}

# The .xdmf beside a .h5 shows lists as points.
lists() {
    cat >list.snl <<'PROGRAM'
field f32 mass; field f64x2 pos; field i32 alone;
layout { list: dynamic i[9] { place mass, pos; } }
layout { other: dynamic i[9] { place alone; } }
main { for i in 0..3 { append(list[], f32(i), f64x2(i, 2)); } append(other[], 1); save("list.h5", mass, pos, alone); }
PROGRAM
    for how in "" --interpret; do
        # shellcheck disable=SC2086
        "$SNLC" run -q $how list.snl && diff - list.xdmf <<'END'
<?xml version="1.0"?>
<Xdmf Version="3.0">
<Domain>
<Grid Name="pos" GridType="Uniform">
<Topology TopologyType="Polyvertex" NumberOfElements="3"/>
<Geometry GeometryType="XY">
<DataItem Format="HDF" NumberType="Float" Precision="8" Dimensions="3 2">list.h5:/pos/values</DataItem>
</Geometry>
<Attribute Name="mass" AttributeType="Scalar" Center="Node">
<DataItem Format="HDF" NumberType="Float" Precision="4" Dimensions="3">list.h5:/mass/values</DataItem>
</Attribute>
</Grid>
</Domain>
</Xdmf>
END
    done
}

# @spacing and @origin in files that have units.
units() {
    cat >units.snl <<'PROGRAM'
@spacing(0.1) @origin(-1, 2) layout g { dense ij[4, 3] { place x, v.p; } }
struct S { f32 p; }
field f32 x;
field S v;
@spacing(0.5, 2, 4) @origin(1) layout s { bitmasked ijk[4, 4, 4] { place y; } }
field f32 y;
main {
    y[1, 2, 3] = 1.0;
    save("g.vti", x, v.p);
    save("s.vtu", y);
    load("s.vtu", y);
    assert(y[1, 2, 3] == 1.0);
}
PROGRAM
    for how in "" --interpret; do
        # shellcheck disable=SC2086
        "$SNLC" run -q $how units.snl
        grep -q 'Origin="-1 2 0" Spacing="0.1 0.1 0.1">' g.vti || grep -a Origin g.vti
    done
    echo '@spacing(2) layout { dense i[4] { place x; } } layout { dense i[4] { place y; } } field f32 x, y; main { save("t.vti", x, y); }' >two.snl
    ! "$SNLC" run -q --interpret two.snl >out 2>&1 && grep -q "'t.vti': fields x and y differ in spacing or origin" out || cat out
}

plan 10
check "compiled and interpreted programs write the same bytes" same_bytes
check "names of properties and columns" header
check "a text .ply with faces" loads text.ply
check "a .ply whose highest byte comes first" loads big.ply
check "a .csv with quotes, blanks, an empty line and ends of lines of other systems" loads text.csv
check "a text .vtp" loads text.vtp
check "damaged files are refused, with the place" damaged
check "fields with other cells, and of several indices" differ
check "spacing and origin of a layout" units
echo 'field f32 x[1]; main { save("x.h5", x); }' >h5.snl
if "$SNLC" run --interpret -q h5.snl 2>/dev/null; then check "the .xdmf of a list" lists; else skip "the .xdmf of a list" "HDF5 is missing"; fi
