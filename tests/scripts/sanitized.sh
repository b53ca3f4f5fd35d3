#!/bin/sh
# The compiler under the address sanitizer and that of undefined behaviour: it compiles, formats and lays out all cases, samples and
# benchmarks; prints TAP. Each file has one target, level and kind of run-time check by turns, with ADDRESS_LONG=yes, which check-long sets, all of
# them. Programs are not run: see check-sanitize.
set -u
# Prints the reports of one command; what snlc says itself, and its status, are for other tests.
if [ "${1-}" = --one ]; then
    shift
    "$@" 2>&1 >/dev/null | grep -a -A 20 'runtime error:\|AddressSanitizer' | sed "s|^|$*: |"
    exit 0
fi

. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/sanitized)
unset SNLC_FLAGS SNLC_PATH
echo 'int main(void) { return 0; }' >"$folder/probe.c"
if ! "$TEST_CC" -fsanitize=address,undefined -o "$folder/probe" "$folder/probe.c" 2>"$folder/log" || ! "$folder/probe" 2>>"$folder/log"; then
    skip_all "$TEST_CC has no address sanitizer that runs here"
fi

ways='compile|compile --target=cuda-sim|compile --check -O0|compile --print-ir=all|compile --target=cuda -O3|fmt|layout'
plan 2
MAKEFLAGS='' make -s -j2 -C "$SNL_BUILD" tests/sanitize/compiler >"$folder/log" 2>&1
result $? "the compiler is built" "$folder/log"

{ find "$SNL_SOURCE/tests/cases" -name '*.snl' | sort; ls "$SNL_SOURCE"/samples/*.snl "$SNL_SOURCE"/bench/*.snl; } |
    awk -v ways="$ways" -v all="${ADDRESS_LONG-}" -v snlc="$SNL_BUILD/tests/sanitize/compiler" '
        BEGIN { count = split(ways, way, "|") }
        { for (n = all ? 1 : NR % count + 1; n <= (all ? count : NR % count + 1); n++) {
              output = way[n] ~ /^compile/ ? "-q -o -" : way[n] == "fmt" ? "--diff" : ""
              print snlc, way[n], output, $0 } }' >"$folder/commands"
ASAN_OPTIONS=detect_leaks=0 xargs -P 2 -L 1 sh "$0" --one <"$folder/commands" >"$folder/reports" 2>&1
[ -s "$folder/commands" ] && [ ! -s "$folder/reports" ]
result $? "$(wc -l <"$folder/commands") commands, none with a report" "$folder/reports"
