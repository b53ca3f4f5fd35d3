#!/bin/sh
# The runtime's tests with threads under the thread sanitizer; prints TAP. `make check-threads` is the same by hand.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/thread-sanitizer)
has_feature check || skip_all "built without Check"
command -v setarch >/dev/null || skip_all "no setarch, which runs a program at fixed addresses"
echo 'int main(void) { return 0; }' >"$folder/probe.c"
if ! "$TEST_CC" -fsanitize=thread -o "$folder/probe" "$folder/probe.c" 2>"$folder/log" || ! setarch -R "$folder/probe" 2>>"$folder/log"; then
    skip_all "$TEST_CC has no thread sanitizer that runs here"
fi
plan 1
MAKEFLAGS='' make -s -C "$SNL_BUILD" check-threads >"$folder/log" 2>&1
result $? "no races in pools, lists, nodes and collections" "$folder/log"
