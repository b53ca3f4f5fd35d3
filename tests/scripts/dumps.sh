#!/bin/sh
# What snlc prints of the checked program, for every case: it names each kernel, ends, and is the same each time. So is the
# syntax tree of each. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/dumps)
cd "$folder" || exit 1

dump() { # FILE OPTION
    "$SNLC" compile -q "$2" "$1" >first 2>err || { echo "$1: $2: status $?"; head -n 3 err; return 1; }
    "$SNLC" compile -q "$2" "$1" >second 2>err
    cmp -s first second || { echo "$1: $2: not the same again"; return 1; }
    [ -s first ] || { echo "$1: $2: nothing"; return 1; }
}
# Kernels that are not generic, of the file itself.
names_kernels() { # FILE
    for k in $(sed -n 's/^kernel \([a-z0-9_]* \)\{0,1\}\([A-Za-z0-9_]*\)([^)]*).*/\2/p' "$1"); do
        grep -qw "$k" first || { grep -qE "kernel.* $k\(.*(field|node|auto)" "$1" || echo "$1: $k is not there"; }
    done
}

plan 2
for option in --print-ir=check --emit=ast; do
    : >log
    for f in $(cd "$SNL_SOURCE" && sh tests/list-cases run && ls samples/*.snl); do
        f=$SNL_SOURCE/$f
        if dump "$f" "$option" >>log; then names_kernels "$f" >>log; fi
    done
    [ ! -s log ]
    result $? "$option" log
done
