#!/bin/sh
# Debugging with gdb: breakpoints and steps at lines of the .snl file, fields by share/gdb/snl.py. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
gdb -q -nx -batch -ex 'python print(1)' >/dev/null 2>&1 || skip_all "gdb with Python is missing"
folder=$(fresh_folder scripts/gdb)
cd "$folder" || exit 1
cp "$SNL_SOURCE/tests/files/debug.snl" .
OMP_NUM_THREADS=1
export OMP_NUM_THREADS

debug() { # COMMAND...
    for c; do set -- "$@" -ex "$c"; shift; done
    gdb -q -nx -batch -ex "source $SNL_SOURCE/share/gdb/snl.py" "$@" ./debug
}

plan 5
"$SNLC" build -q -Wno-W0401 -g -O0 -o debug debug.snl >log 2>&1 && debug 'break debug.snl:36' run >log 2>&1
if grep -q 'Operation not permitted\|ptrace:' log; then
    for t in "build" "lines" "fields" "whole fields" "errors"; do skip "$t" "gdb may not run programs here"; done
    exit 0
fi
grep -q 'debug.snl:36' log
result $? "a breakpoint at a line of the program" log

debug 'break debug.snl:36 if $snl("x[i, j]") == 12.0' run 'print x[i, j]' 'print x[1, 2] ' 'print t' 'next' 'backtrace 2' 'info breakpoints' >log 2>&1
grep -q '^36[[:space:]].*t += x\[i, j\];' log && grep -q '^x\[i, j\] = 12$' log && grep -q '= 31$' log &&
    grep -q '^#0 .*debug_total .*at .*debug.snl:35' log && grep -q '^#1 .*debug_main .*debug.snl:47' log
result $? "conditions, steps and the stack are those of the program" log

# What each of these prints, in order.
cat >wanted <<'END'
x[3,4] = 34
x[3, 1 + 1] = 32
parts[3].id = 0x3
parts[2] = {pos = [1, 2, 2], id = 2}
parts[2].pos.z = 2
v[3] = [3, 1, 2]
v[3].y = 1
m[1] = [[1, 1], [2, 3]]
half[1] = 0.5
r#1[2] = 102
s[-8,3] = 1.5
s[-8,2] = 2 (not active)
s[0,0] = 2 (not active)
h[77] = 5
h[78] = 0 (not active)
e[1,1] = 12
e[1,2] = 0 (not active)
e[0,0] = 0 (not active)
one[] = 3
blocks[7,3] = 73
wide[2, 3] = 23
$1 = 35
$2 = 3
$3 = 0xff
END
debug 'break debug.snl:47' run 'print x[3,4]' 'p x[3, 1 + 1]' 'p/x parts[3].id' 'p parts[2]' 'p parts[2].pos.z' 'p v[3]' 'p v[3].y' 'p m[1]' 'p half[1]' \
    'p r#1[2]' 'p s[-8,3]' 'p s[-8,2]' 'p s[0,0]' 'p h[77]' 'p h[78]' 'p e[1,1]' 'p e[1,2]' 'p e[0,0]' 'p one[]' 'p blocks[7,3]' \
    'p wide[2, 3]' 'p $snl("x[3,4]") + 1' 'p 1 + 2' 'p/x 255' >out 2>&1
sed -n '/^47/,$p' out | tail -n +2 | diff wanted - >log 2>&1
result $? "elements of all kinds of layouts" log

debug 'break debug.snl:47' run 'print x' 'print s' 'print one' >out 2>&1
grep -q '^field float x\[4, 5\]$' out && grep -qF '[3, ...] = {30, 31, 32, 33, 34}' out &&
    grep -qF '[-8, ...] = {., ., ., 1.5, .' out && grep -q '^\.\.\. 56 elements more$' out
result $? "whole fields" out

debug 'break debug.snl:47' run 'print x[4, 0]' 'print x[1]' 'print nothing[1, 2]' >out 2>&1
debug 'print x[0, 0]' >>out 2>&1
grep -q "index 4 of field 'x' is not in 0 ... 3" out && grep -q "field 'x' has 2 indices, not 1" out && grep -q 'No symbol "nothing"' out &&
    grep -q 'no frame is selected\|No frame\|has the instance' out
result $? "errors" out
