#!/bin/sh
# Instructions that compiled kernels take for an element, counted by valgrind: more than a quarter above what is written here
# means that a loop is no longer vectorised, or looks up more. Times are never tested. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"

# number in instructions.snl, name, elements, instructions for 1000 of them with gcc and vectors of 32 bytes
kernels="0 saxpy 65536 830
1 sum 65536 2340
2 wide_sum 65536 3020
3 laplace_rows 65536 4460
4 laplace_blocks 65536 4600
5 stencil_in_blocks 36864 2990
6 all_pairs 65536 2780
7 least 65536 1510
8 corner 65536 7230
9 unit 65536 880
10 masked 65536 1580
11 damped 65536 630
12 triangle 65536 255000
13 between 65536 10500
14 rounded 65536 1130"

command -v valgrind >/dev/null 2>&1 || skip_all "valgrind is not installed"
[ "$(uname -m)" = x86_64 ] || skip_all "counts are for x86-64"
case $("${CC:-cc}" --version 2>/dev/null) in
*Free\ Software*) ;;
*) skip_all "counts are for gcc" ;;
esac
grep -q '^flags.* avx2 .*' /proc/cpuinfo || skip_all "the processor has no AVX2"

folder=$(fresh_folder scripts/instructions)
SNL_NUM_THREADS=1
export SNL_NUM_THREADS
plan "$(echo "$kernels" | wc -l)"
"$SNLC" build -q --arch=x86-64-v3 -o "$folder/kernels" "$SNL_SOURCE/tests/scripts/instructions.snl" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; echo "Bail out! the kernels do not build"; exit 1; }

# Instructions of a run.
count_run() { # NUMBER REPEATS
    valgrind --tool=callgrind "--callgrind-out-file=$folder/out" "$folder/kernels" "--work=$1" "--repeats=$2" 2>&1 |
        sed -n 's/.*Collected : *//p'
}

echo "$kernels" >"$folder/table"
while read -r number name elements most; do
    few=$(count_run "$number" 1)
    many=$(count_run "$number" 5)
    echo "${few:-nothing} ${many:-nothing} instructions in 1 and 5 runs" >"$folder/log"
    took=$(((${many:-0} - ${few:-0}) / 4 * 1000 / elements))
    echo "$took instructions for 1000 elements; $most are known" >>"$folder/log"
    [ "$took" -gt 0 ] && [ $((took * 4)) -le $((most * 5)) ]
    result $? "$name: $took of $most" "$folder/log"
done <"$folder/table"
