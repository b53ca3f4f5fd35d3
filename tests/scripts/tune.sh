#!/bin/sh
# snlc tune: the plan, the layouts it tries and writes, what it leaves out; never which one is fastest. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/tune)
cd "$folder" || exit 1
plan 12

cat >t.snl <<'END'
const N = 24;
struct Pair { f32 m, q; }
field f32 a, b;
field f32x3 v;
field i32 n;
field Pair p;
@tune(order, soa, packed, block(8)) layout grid { dense ij[N, 2 * N] { place a, b; } }
@tune(block(4, 5, 8, 16), soa) layout sparse { block: pointer ij[8, 8] { dense ij[8, 8] { place v; } dense ij[8, 8] { place n; } } }
@tune(soa) layout list { @offset(-8) dense i[16] { place p; } }
@boundary(clamp) field f32 rest[4];
kernel init() {
    for i, j in a { a[i, j] = f32(i * 100 + j); b[i, j] = 1.0; }
    for i in p { p[i].m = f32(i); p[i].q = 2.0; }
    v[9, 10] = f32x3(1, 2, 3);
    n[9, 10] = 7;
}
kernel step() { for i, j in a { b[i, j] += a[i, j]; } }
kernel sum() {
    f64 s = 0;
    for i, j in a { s += f64(b[i, j]) * f64(i - j); }
    for i in p { s += f64(p[i].m * p[i].q); }
    print("{} {} {}", s, v[9, 10], n[9, 10]);
}
benchmark "step" { init(); while (measure()) { step(); } sum(); }
test "sum" { init(); step(); sum(); }
main { init(); step(); sum(); print("{} {}", address(b[0, 0]) - address(a[0, 0]), active(block)); }
END

"$SNLC" tune t.snl --plan >plan 2>err
{ [ $? -eq 0 ] && cat >want <<'END'
benchmark "step"
layout grid: as written, soa, soa in blocks
layout grid: as written, order ji
layout grid: as written, block 8
layout grid: as written, packed
layout sparse: as written, aos, components apart
layout sparse: as written, block 4, block 16
layout list: as written, components apart
432 combinations; what several lines have is tried in all of them, then one line at a time, until none brings anything
END
} && sed '/^$/,$d' plan >got && diff want got >>err && [ ! -s err ]
result $? "the plan has what can differ, and nothing else" err

"$SNLC" tune t.snl --plan >again 2>&1 && cmp plan again >log
result $? "the plan is the same each time" log

# Each layout of the plan beside the program: it is taken, and computes the same.
"$SNLC" run t.snl >whole 2>err
head -n 1 whole >expected
awk '/^\/\/ / { n++ } n { print >("variant" n ".snl") }' plan
: >log
layouts=0
for f in variant*.snl; do
    layouts=$((layouts + 1))
    sed -i '${/^$/d}' "$f"
    { cat t.snl && echo "import \"$f\";"; } >with.snl
    "$SNLC" run --interpret with.snl >out 2>err && head -n 1 out | cmp - expected >>log 2>&1 || { echo "$f"; cat err "$f"; } >>log
    "$SNLC" fmt --check "$f" >>log 2>&1 || echo "$f is not in canonical form" >>log
done
[ $layouts -eq 11 ] || echo "$layouts layouts" >>log
test ! -s log
result $? "every layout of the plan is taken, computes the same, and is well formatted" log

{ cat t.snl && sed -n '/^\/\/ grid: soa$/,/^$/p' plan; } >with.snl
"$SNLC" run with.snl >out 2>err && [ "$(sed -n 2p out)" != "4 1" ] && [ "$(sed -n 2p whole)" = "4 1" ]
result $? "a tuned layout moves the fields" out

"$SNLC" tune t.snl --all --repeats=1 --warmup=0 --budget=1 -O0 --filter=step --json=t.json -o tuned.snl >out 2>err
{ [ $? -eq 0 ] && grep -q '^   1 *1.000  as written$' out && grep -q '^the time is up; best of [0-9]*: ' out && grep -q '"variants": \[' t.json &&
    { cat t.snl && echo 'import "tuned.snl";'; } >with.snl && "$SNLC" run with.snl 2>>err | head -n 1 | cmp - expected; }
result $? "the result is a file that the program imports, within the budget" out

# Layouts that swap exchanges change together; a variant that the program cannot have is left out; axes of other nodes stay.
cat >twins.snl <<'END'
const N = 8;
field f32 a, b, c, d, e;
@tune(soa) layout one { dense ij[N, N] { place a; } dense ij[N, N] { place b; } }
@tune(soa) layout two { dense ij[N, N] { place c; } dense ij[8, 8] { place d; } }
@tune(order) layout three { dense ij[16, 32] { place e; } dense k[4] { place f; } }
field f32 f;
kernel step() { for i, j in a { a[i, j] += 1.0; d[i, j] += a[i, j]; e[i, j] += 1.0; } }
benchmark "step" { while (measure()) { step(); swap(one, two); } }
END
sed 's/8, 8\] { place d/N, N] { place d/' twins.snl >twins2.snl
sed 's/@tune(soa) layout two/layout two/; s/@tune(order)//' twins.snl >unmarked.snl
{ "$SNLC" tune twins.snl -O0 --all --repeats=1 --warmup=0 --threads=1 >out && grep -q '^layout one, two: as written, aos$' out &&
    grep -q '^layout three: as written, order ji$' out && grep -q 'one, two: aos  (left out: with it the program has errors: .*one structure' out &&
    "$SNLC" tune twins2.snl -O0 --repeats=1 --warmup=0 --threads=1 >>out && grep -q '^   2 *[0-9.]*  one, two: aos' out &&
    ! "$SNLC" tune unmarked.snl && ! "$SNLC" tune unmarked.snl 2>&1 | grep -v 'layout one stays as written: it is swapped with two'; } >>out 2>err
status=$?
cat out >>err
result $status "layouts that are swapped change together" err

# What prints other things, or fails, is left out; what is hopeless is given up.
cat >odd.snl <<'END'
const N = 16;
field f32 a, b;
@tune(soa, block(4, 8)) layout x { dense ij[N, N] { place a, b; } }
kernel step() { for i, j in a { a[i, j] += 1.0; b[i, j] += 1.0; } }
benchmark "where" {
    while (measure()) { step(); }
    let apart = address(b[0, 0]) - address(a[0, 0]);
    assert(address(a[0, 4]) - address(a[0, 0]) != 128, "in blocks");
    print("{}", apart);
}
END
"$SNLC" tune odd.snl --repeats=2 --threads=1 --json=odd.json -o odd.tuned.snl >out 2>err
{ [ $? -eq 0 ] && grep -q 'x: soa  (left out: "where" prints something else)' out && grep -q 'x: block 4  (left out: "where" ended with status 1' out &&
    ! grep -q 'best of.*soa' out && grep -q '"note": "left out' odd.json; }
result $? "a variant that changes what is printed, or fails, is left out" out

: >log
check() { # STATUS TEXT OPTION...
    want=$1 text=$2
    shift 2
    "$SNLC" tune "$@" >out 2>err
    status=$?
    { [ $status -eq "$want" ] && grep -q -e "$text" err; } || { echo "snlc tune $* gives $status"; cat err; } >>log
}
echo 'field f32 x; layout l { dense i[4] { place x; } } benchmark "b" { while (measure()) { } }' >unmarked.snl
echo 'field f32 x; @tune(soa) layout l { dense i[4] { place x; } } benchmark "b" { while (measure()) { } }' >same.snl
echo 'field f32 x; @tune layout l { dense i[4] { place x; } }' >none.snl
echo 'field f32 x; @tune layout l { dense i[8] { place x; } } benchmark "b" { while (measure()) { } assert(false); }' >fails.snl
check 1 'has no layout marked @tune' unmarked.snl
check 1 'nothing to change' same.snl
check 1 'has no benchmark to measure' none.snl
check 1 'cannot be measured' fails.snl
check 64 'tune needs a file'
check 64 'tune takes one file' t.snl none.snl
check 64 'at least 1' t.snl --budget=0
check 66 'cannot read' absent.snl
check 73 'absent/x.snl' odd.snl --repeats=1 -o absent/x.snl
test ! -s log
result $? "wrong use has its status and message" log

# Made for other sizes: the program is refused, but can be tuned again.
{ cat t.snl && sed -n '/^\/\/ grid: block 8$/,/^$/p' plan; } >with.snl
"$SNLC" check with.snl >err 2>&1
one=$?
"$SNLC" check -D N=20 with.snl >>err 2>&1
two=$?
"$SNLC" tune --plan -D N=20 with.snl >out 2>>err
{ [ $one -eq 0 ] && [ $two -eq 1 ] && [ $? -eq 0 ] && grep -q 'E0602' err && grep -q 'run snlc tune again' err && grep -q '^layout grid: as written, soa' out; }
result $? "sizes that blocks do not divide are refused" err

# Stopped while a variant runs: the file is there, whole, and nothing else is left beside it.
cat >long.snl <<'END'
field f32 a, b;
@tune layout x { dense ij[16, 16] { place a, b; } }
kernel spin() { for i, j in a { a[i, j] += b[i, j]; } }
benchmark "long" { while (measure()) { spin(); for k in 0..(address(b[0, 0]) - address(a[0, 0]) == 4 ? 1 : 2000000000) { spin(); } } }
END
mkdir stop
"$SNLC" tune long.snl --threads=1 -o stop/tuned.snl >out 2>err &
pid=$!
tries=0
until grep -q '^   1 ' out && ps -o args= --ppid $pid 2>/dev/null | grep -q 'snl-test' || [ $tries -ge 200 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -INT $pid 2>/dev/null || kill -TERM $pid
sleep 0.2
kill -TERM $pid 2>/dev/null
wait $pid
status=$?
{ [ $status -gt 128 ] && grep -q '^stopped; best of 1: as written' out && [ "$(ls stop)" = tuned.snl ] &&
    { cat long.snl && echo 'import "stop/tuned.snl";'; } >with.snl && "$SNLC" check with.snl; } >>err 2>&1
result $? "a signal stops the search; the best so far is whole" err

"$SNLC" test with.snl >out 2>&1 && "$SNLC" layout t.snl --format=json >out 2>&1 && "$SNLC" compile t.snl -o t.c >>out 2>&1
result $? "the marks change nothing for other commands" out

# Two layouts that are good only where both change: by what the benchmark makes of addresses, not by luck.
cat >pair.snl <<'END'
field f32 x, y, work[1];
@tune(order) layout X { dense ij[8, 8] { place x; } }
@tune(order) layout Y { dense ij[8, 8] { place y; } }
kernel spin(i32 n) { @serial for i in 0..n { work[0] = work[0] * 0.5 + 1.0; } }
benchmark "pair" {
    let a = address(x[1, 0]) - address(x[0, 0]) == 4;
    let b = address(y[1, 0]) - address(y[0, 0]) == 4;
    let n = a && b ? 100000 : a == b ? 2000000 : 10000000;
    while (measure()) { spin(n); }
}
END
"$SNLC" tune -O1 --repeats=2 pair.snl -o both.snl >out 2>log &&
    grep -q '^4 combinations; what several lines have is tried in all of them' out && grep -q '^best of 4: X: order ji; Y: order ji, 0\.' out &&
    echo 'import "both.snl";' | cat - pair.snl >pair2.snl && "$SNLC" layout --at 'y[1,0]' pair2.snl >>out 2>>log
result $? "two layouts are changed together" out
