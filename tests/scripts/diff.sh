#!/bin/sh
# Random programs print the same in every way to run them, and under other layouts: see tests/diff/snlsmith.c. DIFF_COUNT says how
# many, DIFF_FIRST the first seed; this script takes the odd ones, diff-even.sh the rest. tcc compiles most of them, where there is
# one; the C compiler every 80th; two of 400 run in the stand-in for CUDA too. What fails is made smaller and stays in
# tests/work/scripts/diff*. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
. "$SNL_SOURCE/tests/diff/tools.sh"
unset SNLC_FLAGS SNLC_PATH SNL_NUM_THREADS OMP_NUM_THREADS SNL_MEMORY_LIMIT
part=${DIFF_PART-1} groups=4
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
if ! [ -x "$SNL_BUILD/tests/diff/snlsmith" ]; then skip_all "tests/diff/snlsmith is not built"; fi
use_smith "$(fresh_folder "scripts/diff$part")"

total=${DIFF_COUNT:-800} first=${DIFF_FIRST:-1} every=80
if [ -z "$tcc" ]; then
    every=1 total=$((total / 60))
    echo "# no tcc: only $total programs"
fi
programs=$((total / 2 / groups))
if [ "$programs" = 0 ]; then programs=1; fi
plan "$groups"
for group in $(seq 0 $((groups - 1))); do
    seed=$((first + part - 1 + 2 * programs * group))
    smith --first="$seed" --step=2 --count="$programs" --cc-every="$every" >log 2>&1
    status=$?
    sed -n '$s/^/# /p' log
    result "$status" "every second program from seed $seed on" log
done
rm -rf tcc exe out want
