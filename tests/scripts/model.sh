#!/bin/sh
# spin goes through every order of the steps of tests/model/*.pml: activation and appending without locks, tables that grow. MODEL_LONG=yes adds
# larger ones, which check-long runs. Models with a mistake must fail, so that the claims are not empty. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/model)
command -v spin >/dev/null 2>&1 || skip_all "spin is missing"
cd "$folder" || exit 1

# Says yes or no: does the model hold?
holds() { # MODEL [DEFINITION...]
    model=$1
    shift
    spin -a "$@" "$SNL_SOURCE/tests/model/$model.pml" >log 2>&1 && $TEST_CC -O2 -DSAFETY -DCOLLAPSE -DMEMLIM=4096 -w -o pan pan.c >>log 2>&1 &&
        timeout 600 ./pan -m1000000 >>log 2>&1 || { echo "?"; return; }
    if grep -q 'error: max search depth\|max memory\|out of memory' log; then echo "?"; return; fi
    case $(sed -n 's/.*errors: \([0-9]*\)$/\1/p' log) in 0) echo yes ;; [1-9]*) echo no ;; *) echo "?" ;; esac
}

# The models: what is expected, the model, its definitions.
cat >list <<'END'
yes pointer
yes append -DROOM=2
yes hash
yes append -DTHREADS=2 -DSTEPS=2 -DROOM=4
yes append -DTHREADS=2 -DSTEPS=2 -DROOM=3 -DMEMORY=1
no pointer -DBROKEN_PUBLISH
no pointer -DBROKEN_ORDER
no append -DBROKEN_LENGTH
no hash -DBROKEN_CHECK
no hash -DBROKEN_GROW
no hash -DBROKEN_HELP
END
if [ "${MODEL_LONG-}" = yes ]; then
    cat >>list <<'END'
yes pointer -DTHREADS=2 -DSTEPS=4
yes pointer -DTHREADS=3 -DSTEPS=1
yes pointer -DTHREADS=3 -DSTEPS=2
yes append
yes append -DROOM=4 -DMEMORY=1
yes append -DTHREADS=3 -DSTEPS=2 -DROOM=4
yes hash -DTHREADS=2 -DSTEPS=3
yes hash -DTHREADS=3 -DSTEPS=1
END
fi
plan "$(wc -l <list)"
while read -r expected model definitions; do
    # shellcheck disable=SC2086
    found=$(holds "$model" $definitions)
    [ "$found" = "$expected" ]
    result $? "$model $definitions: $found, after $(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' log) states" log
done <list
