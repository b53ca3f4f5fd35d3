#!/bin/sh
# Each pass that can be switched off has a case in tests/cases/ir that names it and prints something else without it, and whose marks
# fail then. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/passes)
cases=$SNL_SOURCE/tests/cases/ir
unset SNLC_FLAGS SNLC_PATH

names() { # REQUIRED
    sed -n "s/^PASS(\([a-z_]*\), *$1,.*/\1/p" "$SNL_SOURCE/src/pass/passes.def"
}

# The IR after a pass, and what the compiler says.
print_after() { # PASS FILE OPTION...
    stage=$1 file=$2
    shift 2
    # shellcheck disable=SC2046
    set -- $(sed -n 's|^//! options: *||p' "$file") "$@"
    "$SNLC" compile "$@" "--print-ir=$stage" "$file" && "$SNLC" compile "$@" -o "$folder/out" "$file" 2>&1
}

# True for a case whose marks do not hold without a pass. A whole dump needs no marks.
fails_without() { # PASS FILE
    if [ -e "${2%.snl}.ir" ]; then return 0; fi
    print_stages "$2" "-fno-$1" >"$folder/stages" && ! awk -f "$SNL_SOURCE/tests/ir-marks.awk" "$2" "$folder/stages" >>"$folder/marks"
}

does_something() { # PASS
    for file in $(grep -lE "^//! print-ir:(.* )?$1( |\$)" "$cases"/*/*.snl); do
        print_after "$1" "$file" >"$folder/with" || return
        print_after "$1" "$file" "-fno-$1" >"$folder/without" || return
        if ! cmp -s "$folder/with" "$folder/without" && fails_without "$1" "$file"; then return 0; fi
    done
    echo "no case in tests/cases/ir with \"print-ir: $1\" fails with -fno-$1" >"$folder/log"
    return 1
}

optional=$(names NO)
plan $(($(echo "$optional" | wc -w) + 2))
for pass in $optional; do
    : >"$folder/log"
    does_something "$pass"
    result $? "$pass: a case of printed IR" "$folder/log"
done

sed -n 's/^PASS(\([a-z_]*\),.*"\(.*\)")$/\1: \2/p' "$SNL_SOURCE/src/pass/passes.def" >"$folder/table"
awk '/^\.Sh/ { inside = $2 == "PASSES" } inside && name { gsub(/\\-/, "-"); print name ": " $0; name = "" }
    inside && /^\.It Cm/ { name = $3 }' "$SNL_SOURCE/man/snlc-compile.1" >"$folder/page"
test -s "$folder/table" && diff "$folder/table" "$folder/page" >"$folder/log"
result $? "snlc-compile(1) lists the passes, as their table has them" "$folder/log"

"$SNLC" compile --print-ir=order "$SNL_SOURCE/tests/scripts/orders.snl" 2>"$folder/log" |
    awk '/^kernel/ { name = $2 } / ordered / { print name }' >"$folder/ordered"
test "$(cat "$folder/ordered")" = "called
helped"
result $? "order: loops whose order can be told keep it" "$folder/ordered"
