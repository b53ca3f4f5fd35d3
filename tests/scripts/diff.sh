#!/bin/sh
# Random programs print the same in every way to run them, and under other layouts: see tests/diff/snlsmith.c. DIFF_COUNT says how
# many, DIFF_FIRST the first seed; this script takes the odd ones, diff-even.sh the rest. tcc compiles most of them, where there is
# one; the C compiler every fortieth; two of 120 run in the stand-in for CUDA too. What fails is made smaller and stays in
# tests/work/scripts/diff*. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_NUM_THREADS OMP_NUM_THREADS SNL_MEMORY_LIMIT
smith=$SNL_BUILD/tests/diff/snlsmith part=${DIFF_PART-1} groups=4
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
if ! [ -x "$smith" ]; then skip_all "tests/diff/snlsmith is not built"; fi
passes=$(sed -n 's/^PASS([A-Z_]*, *"\([a-z_]*\)", *[a-z_]*, *NO,.*/\1/p' "$SNL_SOURCE/src/pass/passes.def" | tr '\n' ',')
if [ -z "$passes" ]; then echo "Bail out! no pass in src/pass/passes.def"; exit 1; fi
folder=$(fresh_folder "scripts/diff$part")
cd "$folder" || exit 1

# A runtime for tcc: the library as a shared one, with the atomic operations that tcc lacks.
use_tcc() {
    command -v tcc >/dev/null 2>&1 && mkdir -p tcc/lib && cp -R "$SNLC_RUNTIME/include" tcc/ || return 1
    # tcc does not count the elements of an array with arrays inside.
    sed 's/type const\[\]/type const[64]/' "$SNLC_RUNTIME/include/snl/platform.h" >platform.h && mv platform.h tcc/include/snl/ || return 1
    # shellcheck disable=SC2046
    $TEST_CC -O1 -fPIC -c -o tcc/atomics.o "$SNL_SOURCE/tests/diff/tcc/tcc.c" &&
        $TEST_CC -shared -o tcc/lib/libsnlrt.so tcc/atomics.o -Wl,--whole-archive "$SNLC_RUNTIME/lib/libsnlrt.a" \
            -Wl,--no-whole-archive $("$SNLC" config --libs | sed 's/.*-lsnlrt//') || return 1
    fused=
    if "$TEST_CC" -march=native -dM -E - </dev/null 2>/dev/null | grep -q __FMA__; then fused=-D__FMA__; fi
    tcc="tcc $fused -include $SNL_SOURCE/tests/diff/tcc/tcc.h"
}

total=${DIFF_COUNT:-240} first=${DIFF_FIRST:-1} every=40
if use_tcc 2>tcc.log; then
    set -- --tcc="$tcc" --tcc-runtime="$folder/tcc"
else
    every=1 total=$((total / 20))
    echo "# no tcc: only $total programs"
    set --
fi
if "$SNLC" fmt --help >/dev/null 2>&1; then set -- "$@" --format; fi

case $CASE_MODES in *sim*) set -- "$@" --sim-every=120 ;; esac

programs=$((total / 2 / groups))
if [ "$programs" = 0 ]; then programs=1; fi
plan "$groups"
for group in $(seq 0 $((groups - 1))); do
    seed=$((first + part - 1 + 2 * programs * group))
    "$smith" --test --snlc="$SNLC" --folder="$folder" --passes="$passes" --first="$seed" --step=2 --count="$programs" \
        --cc-every="$every" --reduce "$@" >log 2>&1
    status=$?
    sed -n '$s/^/# /p' log
    result "$status" "every second program from seed $seed on" log
done
rm -rf tcc exe out want
