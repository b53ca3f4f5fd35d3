#!/bin/sh
# The compiler takes time in proportion to its input: instructions, counted by valgrind, for programs of one shape and eight times
# as much of it (bench/shapes). In `make check` a few shapes, with LINEAR_LONG=yes all of them, and larger. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/linear)
command -v valgrind >/dev/null 2>&1 || skip_all "valgrind is not installed"
unset SNLC_FLAGS SNLC_PATH

shapes="loops terms fields callers shared names sparse tuned trees" size=50
if [ "${LINEAR_LONG-}" = yes ]; then shapes=$(sh "$SNL_SOURCE/bench/shapes") size=400; fi

count() { # SHAPE N
    sh "$SNL_SOURCE/bench/shapes" "$1" "$2" >"$folder/$1.snl" &&
        valgrind --tool=callgrind "--callgrind-out-file=$folder/profile" "$SNLC" compile -q -o "$folder/out.c" "$folder/$1.snl" 2>&1 |
        awk '/: error: / { bad = 1 } /Collected : / { n += $NF } END { if (n && !bad) printf "%.0f\n", n }' # of the process and its copy
}

# shellcheck disable=SC2086
set -- $shapes
plan $#
for shape; do
    small=$(count "$shape" $size)
    large=$(count "$shape" $((8 * size)))
    echo "${small:-no} instructions for $size, ${large:-no} for $((8 * size)) of $shape" >"$folder/log"
    [ "${small:-0}" -gt 0 ] && [ "${large:-0}" -gt 0 ] && [ "$large" -le $((10 * small)) ]
    result $? "$shape: ${small:-no} instructions, and ${large:-no} for eight times as much" "$folder/log"
done
