#!/bin/sh
# A pass that breaks, by a signal, an assertion, a full stack or broken IR, is left out: a warning says so, the output is right, and a
# file has what is to be reported. Where nothing can be left out, status 70 and a way round. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/broken-passes)
cd "$folder" || exit 1
broken=$SNL_BUILD/tests/faults/broken
if grep -q '__asan_init\|__tsan_init' "$broken"; then skip_all "a sanitizer says more of signals"; fi
mkdir tmp cache
TMPDIR=$folder/tmp XDG_CACHE_HOME=$folder/cache
export TMPDIR XDG_CACHE_HOME
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac

cat >part.snl <<'PROGRAM'
const N = 8; // of the part
PROGRAM
cat >sums.snl <<'PROGRAM'
import "part.snl";
field f64 x[N], y;
layout { pointer i[4] { dense i[4] { place y; } } }
kernel step() { for i in x { y[i] = f64(i); for k in 0..2 { x[i] += y[i] + y[i]; } } }
kernel f64 sum() { f64 s = 0; for i in x { s += x[i]; } return s; }
main { step(); print("sum {}", sum()); }
test "sum" { step(); assert(sum() == 112.0); }
PROGRAM

# Runs the compiler with what breaks; out, err and status have what comes of it.
breaks() { # WHAT=HOW ARGUMENT...
    what=$1
    shift
    rm -rf tmp/* cache/*
    BROKEN=$what "$broken" "$@" >out 2>err
    status=$?
    { echo "status $status"; cat out err; ls tmp; } >log
}
# The file that a report names is there, and has the program with what it imports, the command and what happened.
has_report() { # WORDS
    report=$(sed -n "s/.*with the file '\([^']*\)'.*/\1/p" err | head -n 1)
    [ -n "$report" ] && [ "$(find "$report" -perm 600)" = "$report" ] && grep -q "$1" "$report" && grep -q 'sum {}' "$report" &&
        grep -q 'of the part' "$report" && grep -q 'sums.snl' "$report" && grep -q '^snlc [0-9.]*: internal error' "$report" &&
        [ "$(echo tmp/*)" = "tmp/${report##*/}" ]
}
# The program ran without that pass, and a warning says so.
is_left_out() { # PASS WORDS
    [ "$status" = 0 ] && [ "$(cat out)" = "sum 112.0" ] && grep -q "^snlc: warning: pass $1 is left out, because it broke: .*$2.*\[W0802\]$" err &&
        grep -q -e "-fno-$1" err && has_report "$2"
}

plan 19
for way in signal:SIGSEGV assert:SIGABRT verifier:'broken IR after cse' stack:SIGSEGV; do
    breaks "cse=${way%%:*}" run sums.snl
    is_left_out cse "${way#*:}"
    result $? "run, a pass that breaks: ${way%%:*}" log
done
breaks cse=report run sums.snl
[ "$status" = 0 ] && [ "$(cat out)" = "sum 112.0" ] && grep -q 'W0802' err
result $? "a signal while the report is written changes nothing" log
breaks "cse=signal licm=verifier" run sums.snl
[ "$status" = 0 ] && [ "$(cat out)" = "sum 112.0" ] && grep -q 'pass cse is' err && grep -q 'pass licm is' err && [ "$(ls tmp | wc -l)" = 2 ]
result $? "two passes that break" log
BROKEN=cse=signal "$broken" run sums.snl >out 2>err && grep -q W0802 err
result $? "the warning comes again with the next run" err
breaks cse=signal run -fno-cse sums.snl
[ "$status" = 0 ] && [ "$(cat out)" = "sum 112.0" ] && [ ! -s err ] && [ "$(ls tmp)" = "" ]
result $? "nothing is said of a pass that is off" log

breaks cse=signal compile -o with.c sums.snl
same=$status
"$SNLC" compile -fno-cse -o without.c sums.snl && mv without.c other.c && [ "$same" = 0 ] && sed 's/without/with/g' other.c | cmp - with.c >>log 2>&1
result $? "compile writes what it writes with -fno-cse" log
breaks cse=signal test sums.snl
[ "$status" = 0 ] && tail -n 1 out | grep -q '^1 passed, 0 failed' && grep -q W0802 err
result $? "test" log
cp sums.snl other.snl
breaks cse=assert build --kind=static -o libboth.a sums.snl other.snl
[ "$status" = 0 ] && [ -s libboth.a ] && [ "$(grep -c W0802 err)" = 2 ] && [ "$(ls tmp | wc -l)" = 2 ]
result $? "a library of two files: nothing is left of the folder between" log
breaks cse=assert compile -j2 sums.snl other.snl -o tmp
[ "$status" = 0 ] && [ -s tmp/sums.c ] && [ -s tmp/other.c ] && [ "$(grep -c W0802 err)" = 2 ]
result $? "two files at a time" log
breaks cse=signal check --diagnostics=json -Wperf sums.snl
[ "$status" = 0 ] && grep -q '"W0802"' err && ! grep -v '^{' err
result $? "a diagnostic as any other" log

for option in -Werror -Werror=W0802; do
    breaks cse=signal run "$option" sums.snl
    [ "$status" = 70 ] && [ ! -s out ] && grep -q '^snlc: internal error: SIGSEGV in pass cse; ' err && grep -q -e '-fno-cse, and --interpret' err && has_report SIGSEGV
    result $? "$option: status 70, a report and a way round" log
done
breaks lower_access=verifier run sums.snl
[ "$status" = 70 ] && grep -q 'broken IR after lower_access: .* in pass lower_access; ' err && grep -q -e '-O0, and --interpret' err && has_report 'broken IR after lower_access'
result $? "a pass that cannot be left out" log
grep -q '^kernel step' "$(sed -n "s/.*with the file '\([^']*\)'.*/\1/p" err)"
result $? "the report of broken IR has it" log
breaks lowering=signal run sums.snl
[ "$status" = 70 ] && grep -q 'SIGSEGV in lowering; ' err && has_report SIGSEGV
result $? "before the passes" log
rm -rf tmp
breaks lower_access=signal run sums.snl
[ "$status" = 70 ] && grep -q 'with the program and the command that show it' err
result $? "no folder for the report" log
