#!/bin/sh
# Compares what snlc prints for the cases in tests/cases/ir with their marks, or all of it with the .ir file beside one. Prints TAP.
#
#   //! print-ir: STAGE...   what to print, each after a line "==== STAGE"
#   //! options: OPTION...   more of the command line
#   //~ ir: TEXT             what the kernel above has in the last of these stages; see tests/ir-marks.awk
# With UPDATE_GOLDEN=1 (make update-golden) the .ir files are written anew.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/golden)
cases=$SNL_SOURCE/tests/cases/ir

unset SNLC_FLAGS SNLC_PATH
echo 'kernel f() { }' >"$folder/empty.snl"
"$SNLC" compile --print-ir=all "$folder/empty.snl" >/dev/null 2>&1
if [ $? = 69 ]; then skip_all "this build has no IR"; fi

# A mark that does not hold is told at its line. Of these one holds.
cat >"$folder/marked.snl" <<'SNL'
//! print-ir: lower
//~ ir: const 1
field i32 x[4];
kernel f() { x[3] = 5; x[3] = 7; }
//~ ir: const 7
//~ ir: const 5
//~ ir-not: const 7
//~ ir-times 1: const 7
//~ ir-times 2: const 7
//~ ir-none: const 2
//~ ir const 7
kernel g() { x[0] = 3; }
//~ ir: const 7
//~ ir-times 0: const 3
SNL
set -- "$cases"/*/*.snl
plan $(($# + 1))
print_stages "$folder/marked.snl" >"$folder/marked.ir"
awk -f "$SNL_SOURCE/tests/ir-marks.awk" "$folder/marked.snl" "$folder/marked.ir" >"$folder/log" 2>&1
test $? = 1 && test "$(sed 's/.*snl:\([0-9]*\): .*/\1/' "$folder/log" | tr '\n' ' ')" = "2 6 7 9 10 11 13 14 "
result $? "marks that do not hold" "$folder/log"
for file; do
    name=${file#"$cases"/} name=${name%.snl}
    mkdir -p "$folder/${name%/*}"
    golden=$cases/$name.ir printed=$folder/$name.ir
    print_stages "$file" >"$printed" 2>"$folder/log"
    status=$?
    if [ -e "$golden" ]; then
        if [ "$status" = 0 ] && [ "${UPDATE_GOLDEN-}" = 1 ] && ! cmp -s "$printed" "$golden"; then
            cp "$printed" "$golden"
            echo "# wrote $golden"
        fi
        diff "$golden" "$printed" >>"$folder/log" 2>&1 || status=1
    else
        awk -f "$SNL_SOURCE/tests/ir-marks.awk" "$file" "$printed" >>"$folder/log" 2>&1 || status=1
    fi
    result "$status" "$name" "$folder/log"
done
