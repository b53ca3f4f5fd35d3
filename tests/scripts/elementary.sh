#!/bin/sh
# Elementary functions: their errors, zeros, infinities and NaNs against the C library, in vectors and number by number.
# FLOATS=all tries every f32 (some 40 minutes of a processor). Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/elementary)
source=$SNL_SOURCE/tests/elementary/errors.c

compile() { # NAME OPTIONS
    name=$1
    shift
    # shellcheck disable=SC2046
    ${CC:-cc} -std=gnu11 $("$SNLC" config --cflags) -I"$SNL_SOURCE/runtime" "$@" -o "$folder/$name" "$source" -lm >"$folder/$name.log" 2>&1
}

compile vectors -O3 -march=native
result $? "compiled for this processor" "$folder/vectors.log"
compile single -O1 -fno-tree-vectorize
result $? "compiled for any processor" "$folder/single.log"

step=16411
if [ "${FLOATS-}" = all ]; then step=1; fi
"$folder/vectors" $step >"$folder/vectors.out"
while IFS= read -r line; do
    case $line in
    ok*) result 0 "${line#* - }" ;;
    "not ok"*) result 1 "${line#* - }" "$folder/vectors.out" ;;
    esac
done <"$folder/vectors.out"

# The same bits in vectors as number by number, on a processor with fused multiply-adds or without.
if [ $step = 1 ]; then "$folder/vectors" 16411 >"$folder/vectors.out"; fi
"$folder/single" 16411 >"$folder/single.out"
grep '^# bits' "$folder/vectors.out" >"$folder/vectors.bits"
grep '^# bits' "$folder/single.out" >"$folder/single.bits"
test -s "$folder/vectors.bits" && cmp "$folder/vectors.bits" "$folder/single.bits" >"$folder/log" 2>&1
result $? "the same bits in vectors and number by number" "$folder/log"
plan $count
