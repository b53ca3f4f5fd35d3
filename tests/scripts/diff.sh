#!/bin/sh
# Random programs: the C target prints what the interpreter prints, with every pass, without each, for any number of threads.
# DIFF_SEEDS=FIRST-LAST says which programs of tests/diff/generate. What fails stays in tests/work/scripts/diff. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_NUM_THREADS OMP_NUM_THREADS SNL_MEMORY_LIMIT
generate=$SNL_BUILD/tests/diff/generate
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
if ! [ -x "$generate" ]; then skip_all "tests/diff/generate is not built"; fi
# Random programs compare what never differs, and small numbers with ~; gcc follows branches that no index ever takes.
warnings="-Xcc -Wall -Xcc -Wextra -Xcc -Wno-type-limits -Xcc -Wno-tautological-compare -Xcc -Wno-sign-compare -Xcc -Wno-array-bounds"
seeds=${DIFF_SEEDS:-1-6}
passes=$(sed -n 's/^PASS([A-Z_]*, *"\([a-z_]*\)", *[a-z_]*, *NO,.*/\1/p' "$SNL_SOURCE/src/pass/passes.def")
if [ -z "$passes" ]; then echo "Bail out! no pass in src/pass/passes.def"; exit 1; fi
cd "$(fresh_folder scripts/diff)" || exit 1

# Builds SEED with some options, and compares its output with that of the interpreter for each number of threads.
compare() { # SEED THREADS OPTION...
    seed=$1 numbers=$2
    shift 2
    if ! timeout 300 "$SNLC" build -q -o "$seed.exe" "$@" "$seed.snl" 2>"$seed.err" ||
        grep 'warning: .*\[-W' "$seed.err" >/dev/null; then
        echo "snlc build $*:"
        grep -v 'warning: .*\[W' "$seed.err"
        return 1
    fi
    for threads in $numbers; do
        timeout 120 "./$seed.exe" --threads="$threads" >"$seed.got" 2>"$seed.err"
        status=$?
        if [ "$status" != 0 ] || ! cmp -s "$seed.want" "$seed.got"; then
            echo "snlc build $*, then --threads=$threads: status $status, differences from --interpret:"
            diff "$seed.want" "$seed.got" | head -n 20
            cat "$seed.err"
            return 1
        fi
    done
}

check_seed() { # SEED
    "$generate" "$1" >"$1.snl" || return 1
    if ! timeout 120 "$SNLC" run -q --interpret "$1.snl" >"$1.want" 2>"$1.err"; then
        echo "snlc run --interpret failed:"
        grep -v 'warning: ' "$1.err"
        return 1
    fi
    # shellcheck disable=SC2086
    compare "$1" "1 2" -O2 $warnings || return 1
    compare "$1" 2 -O0 || return 1
    compare "$1" 2 -O1 --packed || return 1
    for pass in $passes; do
        compare "$1" 2 -O2 -Xcc -O0 "-fno-$pass" || return 1
    done
}

first=${seeds%-*} last=${seeds#*-}
plan $((last - first + 1))
for seed in $(seq "$first" "$last"); do
    check_seed "$seed" >"$seed.log" 2>&1
    status=$?
    result "$status" "program of seed $seed" "$seed.log"
    rm -f "$seed.exe" "$seed.got" "$seed.err"
    if [ "$status" = 0 ]; then rm -f "$seed.snl" "$seed.want" "$seed.log"; fi
done
