#!/bin/sh
# --check finds every planted bug of tests/planted/bugs.snl, interpreted and compiled. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/planted)
cd "$folder" || exit 1
modes=$(for m in $CASE_MODES; do case $m in interpret | c2) echo "$m" ;; esac; done)
if [ -z "$modes" ]; then skip_all "no plain mode in $CASE_MODES"; fi
plan "$(echo "$modes" | wc -l)"
for mode in $modes; do
    # shellcheck disable=SC2086
    (use_mode "$mode" && timeout 300 "$snlc" test $how --check=bounds,overflow,race "$SNL_SOURCE/tests/planted/bugs.snl") >log 2>&1
    status=$?
    tail -n 1 log | grep -q '^60 passed, 0 failed' || status=1
    result "$status" "sixty planted bugs ($mode)" log
done
