#!/bin/sh
# Random programs print the same built one by one by gcc, as users build them: at -O2 and -O3 for this processor, with one pass off in
# turn; and functions of matrices and local arrays for other processors too. diff-built-clang.sh does it with clang. BUILT_COUNT says how
# many programs, BUILT_FIRST the first seed; `make programs-built` tries more. What fails is made smaller and stays in
# tests/work/scripts/diff-built*. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
. "$SNL_SOURCE/tests/diff/tools.sh"
unset SNLC_FLAGS SNLC_PATH SNL_NUM_THREADS OMP_NUM_THREADS SNL_MEMORY_LIMIT
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
if ! [ -x "$SNL_BUILD/tests/diff/snlsmith" ]; then skip_all "tests/diff/snlsmith is not built"; fi
BUILT_CC=${BUILT_CC:-gcc} BUILT_SEED=${BUILT_SEED:-1}
if ! command -v "$BUILT_CC" >/dev/null 2>&1; then skip_all "$BUILT_CC is missing"; fi
smith_folder=$(fresh_folder "scripts/diff-built-$BUILT_CC")
cd "$smith_folder" || exit 1
tcc='' formats='' sim='' v1='' v3=''
use_passes
programs=${BUILT_COUNT:-60} first=${BUILT_FIRST:-$BUILT_SEED}

try_built() { # NAME OPTION...
    name=$1
    shift
    build_randomly "$@" >log 2>&1
    status=$?
    sed -n '$s/^/# /p' log
    result "$status" "$name" log
}

plan 3
builds native "$BUILT_CC"
half=$((programs / 2))
try_built "programs from seed $first on, by $BUILT_CC" --first="$first" --count="$half"
try_built "programs from seed $((first + half)) on, by $BUILT_CC" --first="$((first + half))" --count="$half"
builds "$(archs)" "$BUILT_CC"
locals=40
try_built "functions of matrices and local arrays from seed $first on, by $BUILT_CC" --first="$first" --count=4
rm -rf exe out want
