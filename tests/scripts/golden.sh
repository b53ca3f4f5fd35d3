#!/bin/sh
# Compares what snlc prints for the cases in tests/cases/ir with the .ir file beside each. Prints TAP.
#
#   //! print-ir: STAGE...   what to print, each after a line "==== STAGE"
#   //! options: OPTION...   more of the command line
# With UPDATE_GOLDEN=1 (make update-golden) the .ir files are written anew.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/golden)
cases=$SNL_SOURCE/tests/cases/ir

# The value of a "//! KEY: VALUE" line.
setting() { # FILE KEY
    sed -n "s|^//! $2: *||p" "$1"
}

# Every stage asked for.
print_stages() { # FILE
    for stage in $(setting "$1" print-ir); do
        echo "==== $stage"
        # shellcheck disable=SC2046
        "$SNLC" compile $(setting "$1" options) "--print-ir=$stage" "$1" || return
    done
}

unset SNLC_FLAGS SNLC_PATH
echo 'kernel f() { }' >"$folder/empty.snl"
"$SNLC" compile --print-ir=all "$folder/empty.snl" >/dev/null 2>&1
if [ $? = 69 ]; then skip_all "this build has no IR"; fi

set -- "$cases"/*/*.snl
plan $#
for file; do
    name=${file#"$cases"/} name=${name%.snl}
    mkdir -p "$folder/${name%/*}"
    golden=$cases/$name.ir
    print_stages "$file" >"$folder/$name.ir" 2>"$folder/log"
    status=$?
    if [ "$status" = 0 ] && [ "${UPDATE_GOLDEN-}" = 1 ] && ! cmp -s "$folder/$name.ir" "$golden"; then
        cp "$folder/$name.ir" "$golden"
        echo "# wrote $golden"
    fi
    diff "$golden" "$folder/$name.ir" >>"$folder/log" 2>&1 || status=1
    result "$status" "$name" "$folder/log"
done
