#!/bin/sh
# Programs that call a compiled program: loaded and unloaded as a plugin, in parallel regions of their own, where no thread can be made, with a
# function for prints (tests/c-api/host_main.c, plugin_main.c). Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS SNL_MEMORY_LIMIT
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "the C target is not tested" ;; esac
folder=$(fresh_folder scripts/hosts)
cd "$folder" || exit 1
cp "$SNL_SOURCE"/tests/c-api/host* "$SNL_SOURCE"/tests/c-api/plugin_main.c .
flags="-std=gnu11 -Wall -Wextra -Werror $("$SNLC" config --cflags)"
libs=$("$SNLC" config --libs)

plan 8
# shellcheck disable=SC2086
{
    "$SNLC" compile -q host.snl && "$TEST_CC" $flags host.c host_main.c $libs -o host &&
        "$SNLC" build -q --kind=shared -o libhost.so host.snl && "$TEST_CC" $flags plugin_main.c -o plugin -ldl
} >log 2>&1
result $? "hosts are built" log
# A locale that has a comma where C has a point, in the folder comma; localedef warns of what it lacks, and ends with 1 then.
comma_locale() {
    {
        printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n' >comma.source
        echo '<code_set_name> ASCII'
        echo CHARMAP
        i=0
        while [ $i -lt 128 ]; do printf '<U%04X> \\x%02x c\n' $i $i && i=$((i + 1)); done
        echo END CHARMAP
    } >ascii.map
    localedef -c -i ./comma.source -f ./ascii.map ./comma >/dev/null 2>&1
    test -f comma/LC_NUMERIC
}
text_vti() {
    cat <<'END'
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian">
<ImageData WholeExtent="0 3 0 0 0 0" Origin="0 0 0" Spacing="1 1 1"><Piece Extent="0 3 0 0 0 0"><CellData>
<DataArray type="Float64" Name="v" format="ascii"> 0.25 -1.5 1e3 </DataArray>
</CellData></Piece></ImageData></VTKFile>
END
}
if command -v localedef >/dev/null; then
    comma_locale && text_vti >text.vti && LOCPATH=$folder timeout 60 ./host locale >log 2>&1
    result $? "locale" log
else
    skip "locale" "localedef is missing"
fi
if has_feature hdf5; then
    timeout 60 ./host crash >log 2>&1
    result $? "crash" log
else
    skip "crash" "there is no HDF5"
fi
for t in team limit print fork; do
    timeout 60 ./host "$t" >log 2>&1
    result $? "$t" log
done
timeout 60 ./plugin ./libhost.so >log 2>&1
result $? "plugin" log
