#!/bin/sh
# The runtime's tests of trees under the address sanitizer and that of undefined behaviour; prints TAP. `make check-address` is the same
# by hand. ADDRESS_LONG=yes runs those that take long, too, which check-long sets.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/address-sanitizer)
has_feature check || skip_all "built without Check"
echo 'int main(void) { return 0; }' >"$folder/probe.c"
if ! "$TEST_CC" -fsanitize=address,undefined -o "$folder/probe" "$folder/probe.c" 2>"$folder/log" ||
    ! ASAN_OPTIONS=detect_leaks=1 "$folder/probe" 2>>"$folder/log"; then
    skip_all "$TEST_CC has no address sanitizer that runs here"
fi
plan 1
MAKEFLAGS='' make -s -C "$SNL_BUILD" check-address ADDRESS_LONG="${ADDRESS_LONG-}" >"$folder/log" 2>&1
result $? "no wrong addresses, leaks or undefined behaviour in trees" "$folder/log"
