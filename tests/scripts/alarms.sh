#!/bin/sh
# Under --check, interpreted, no case is an error but the tests that say so (//! alarm); samples.sh does the same with samples. The other
# modes with --check are those of make check-long. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
case " $CASE_MODES " in *" interpret-check "*) skip_all "the cases themselves are run so" ;; esac
folder=$(fresh_folder scripts/alarms)
CASE_MODES=interpret-check
export CASE_MODES
plan 1
for file in $(sh "$SNL_SOURCE/tests/list-cases" run); do
    file=$SNL_SOURCE/$file
    sh "$SNL_SOURCE/tests/run-case" "$file" >"$folder/log" 2>&1 || echo "$file: status $?" >>"$folder/wrong"
    if grep -q '^ok' "$folder/log"; then echo "$file" >>"$folder/right"; fi
    if grep -q '^not ok\|^Bail' "$folder/log"; then cat "$folder/log" >>"$folder/wrong"; fi
done
checked=$(wc -l <"$folder/right")
[ "$checked" -gt 200 ] && ! [ -s "$folder/wrong" ]
result $? "no false alarm in $checked cases" "$folder/wrong"
