#!/bin/sh
# --check finds every planted bug of tests/planted/bugs.snl and nothing in clean.snl, interpreted, compiled and in the stand-in for CUDA.
# Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/planted)
cd "$folder" || exit 1
modes=$(for m in $CASE_MODES; do case $m in interpret | c2 | sim-O1) echo "$m" ;; esac; done)
if [ -z "$modes" ]; then skip_all "no plain mode in $CASE_MODES"; fi
plan $((2 * $(echo "$modes" | wc -l)))
bugs=$(grep -c '^@fails' "$SNL_SOURCE/tests/planted/bugs.snl")

# Runs the tests of a file in a mode; all must pass, as many as given.
run_tests() { # FILE MODE COUNT
    # shellcheck disable=SC2086
    (use_mode "$2" && timeout 300 "$snlc" test $how --check=bounds,overflow,race "$SNL_SOURCE/tests/planted/$1") >log 2>&1 &&
        tail -n 1 log | grep -q "^$3 passed, 0 failed"
}

for mode in $modes; do
    run_tests bugs.snl "$mode" "$bugs"
    result $? "$bugs planted bugs are found ($mode)" log
    run_tests clean.snl "$mode" "$(grep -c '^test' "$SNL_SOURCE/tests/planted/clean.snl")"
    result $? "no bug is found where there is none ($mode)" log
done
