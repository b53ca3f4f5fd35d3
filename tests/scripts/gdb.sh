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

debug_program() { # PROGRAM COMMAND...
    program=$1
    shift
    for c; do set -- "$@" -ex "$c"; shift; done
    gdb -q -nx -batch -ex "source $SNL_SOURCE/share/gdb/snl.py" "$@" "./$program"
}
debug() { debug_program debug "$@"; }

plan 10
"$SNLC" build -q -Wno-W0401 -g -O0 -o debug debug.snl >log 2>&1 && debug 'break debug.snl:36' run >log 2>&1
if grep -q 'Operation not permitted\|ptrace:' log; then
    for t in "build" "lines" "fields" "whole fields" "errors" "first statements" "steps" "step" "locals" "sparse"; do skip "$t" "gdb may not run programs here"; done
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

cat >steps.snl <<'END'
struct Part { f16 a; f32x2 b; }
field f32 x[3];
func f32 twice(f32 a) {
    return a * 2.0;
}
kernel go(f32 s) {
    f32 total = 0;
    for i in x {
        x[i] = twice(f32(i)) * s;
        total += x[i];
    }
    x[0] = total;
}
host i32 count(i32 n) {
    i32 c = 0;
    while (c < n) { c += 1; }
    return c;
}
main {
    let n = count(5);
    go(f32(n));
    f16 h = f16(0.25);
    f16x2 v = f16x2(0.5, 1);
    Part part = Part(h, f32x2(1, 2));
    i32 w[3, 2];
    f16 hs[2];
    w[1, 1] = 7; w[2, 1] = 8; hs[1] = h;
    print("{} {} {} {} {}", x[0], h, v, part.a, hs[1] + f16(w[1, 1]));
}
END
"$SNLC" build -q -g -O0 -o steps steps.snl >log 2>&1
debug_program steps 'break steps.snl:4' 'break steps.snl:7' 'break steps.snl:15' 'break steps.snl:20' 'break steps.snl:6' run 'print $snl("x[1]")' \
    continue 'print self->trees[0] != 0' continue 'print $snl("x[1]")' >out 2>&1
grep '^Breakpoint [0-9]* at\|^\$\|^[0-9]' out | sed 's/at 0x[0-9a-f]*: file .*steps/at steps/' >log
diff - log >>out <<'END'
Breakpoint 1 at steps.snl, line 4.
Breakpoint 2 at steps.snl, line 7.
Breakpoint 3 at steps.snl, line 15.
Breakpoint 4 at steps.snl, line 20.
Breakpoint 5 at steps.snl, line 7.
20	    let n = count(5);
$1 = 0
15	    i32 c = 0;
$2 = 1
7	    f32 total = 0;
$3 = 0
END
result $? "a breakpoint at the first statement of a function stops there, where fields can be looked at" out

# From line to line: into functions and loops of kernels, past what is C, and past the runtime.
debug_program steps 'set args --threads=1' 'break steps.snl:21' run snl-step snl-step snl-step snl-step snl-step 'break steps.snl:12' 'delete 1' continue snl-next snl-step \
    >out 2>&1
grep '^[0-9]' out | sed 's/[^0-9].*//' | tr '\n' ' ' >log
[ "$(cat log)" = "21 7 9 4 10 9 12 12 22 " ]
result $? "snl-step and snl-next go to lines of the program" out
debug_program steps 'break steps.snl:28' run step 'info source' >out 2>&1
! grep -q 'runtime/' out
result $? "step does not enter the runtime" out

debug_program steps 'break steps.snl:28' run 'print h' 'print v' 'print part' 'print hs' 'print w[1,1]' 'print w[1, 1] + w[2, 1]' 'print w' 'print "a, [b, c]"' \
    'print nothing' 'print w[' >out 2>&1
sed -n '/^28/,$p' out | tail -n +2 >log
diff - log >>out <<'END'
$1 = 0.25
$2 = [0.5, 1.0]
$3 = {a = 0.25, b = [1, 2]}
$4 = {0.0, 0.25}
$5 = 7
$6 = 15
$7 = {{0, 0}, {0, 7}, {0, 8}}
$8 = "a, [b, c]"
No symbol "nothing" in current context.
A syntax error in expression, near `'.
END
result $? "local variables, and mistakes in one line" out

# Loops over sparse cells: their variables, also where nothing else reads them, params and constants; before the program runs, one line.
cat >sparse.snl <<'END'
param f32 dt = 0.5;
const N = 4;
field f32 x, y;
layout { pointer i[8] { dense i[N] { place x; } } }
layout { bitmasked ij[8, 8] { place y; } }
kernel start() { x[6] = 1.0; y[5, 3] = 2.0; }
kernel step(f32 k) {
    for i in x {
        let a = x[i] * k;
        if (a > 0.0) { x[i] = a * dt + f32(N); }
    }
    for i, j in y {
        let b = y[i, j] * dt;
        y[i, j] = b + f32(N);
    }
}
main { start(); step(2.0); }
END
"$SNLC" build -q -g -O0 -o sparse sparse.snl >log 2>&1
debug_program sparse 'set args --threads=1' 'print x[3]' 'break sparse.snl:9 if i == 6' 'break sparse.snl:14' run 'print i' 'print dt' 'print N' 'print dt * N' 'print x[i]' 'print x[N + 2]' \
    'print x[nothing]' continue 'print i' 'print j' 'print dt' 'print y[i, j]' >out 2>&1
grep '^[a-zA-Z]* *= \|^\$\|^[xy].*\] = \|^no frame\|^No symbol\|Python' out >log
diff - log >>out <<'END'
no frame of this thread has the instance of an SNL program; is it running?
$1 = 6
dt = 0.5
N = 4
$2 = 2
x[i] = 1
x[N + 2] = 1
No symbol "nothing" in current context.
$3 = 5
$4 = 3
dt = 0.5
y[i, j] = 2
END
result $? "variables of sparse loops, params and constants" out
