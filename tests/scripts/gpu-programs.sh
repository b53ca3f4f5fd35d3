#!/bin/sh
# Programs for a GPU on the stand-in, as a whole: the same results in every order of blocks and lanes, with graphs and without; devices
# that are missing, too little memory. GPU_SEEDS is how many orders (3). Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_DEVICE SNL_DEVICE_MEMORY SNL_SIM_SEED SNL_SIM_TRAP SNL_MEMORY_LIMIT
folder=$(fresh_folder scripts/gpu-programs)
cd "$folder" || exit 1
if ! command -v "${CXX:-c++}" >/dev/null 2>&1; then skip_all "a C++ compiler is missing"; fi

cat >sums.snl <<'SNL'
field f32 x, y;
field f64 z;
field u32 n;
layout { blocks: pointer ij[16, 16] { dense ij[8, 8] { place x, y; } } }
layout { dense i[10000] { place z, n; } }
kernel act() {
    for i, j in 0..128, 0..128 { if ((i / 8 + j / 8) % 3 != 0) { x[i, j] = random() * 100.0; } }
    for i in z { z[i] = random_f64() - 0.5; n[i] = random_u32(); }
}
kernel f32 total() { f32 s = 0.0; for i, j in x { s += x[i, j]; } return s; }
kernel f64 wide() { f64 s = 0.0; for i in z { s += z[i] * 1.0e-3; } return s; }
kernel f32x2 both() { f32x2 s = f32x2(0.0, 1.0e9); for i, j in x { s += f32x2(x[i, j], y[i, j] - 0.25); } return s; }
kernel u32 mixed() { u32 s = 0; for i in n { s ^= n[i] * u32(i + 1); } return s; }
kernel step() { for i, j in x { y[i, j] = x[i, j] * 0.5; } for i, j in x { x[i, j] = y[i, j] + random(); } }
kernel halve() { for i, j in x { y[i, j] = x[i, j] * 0.5; } for i, j in x { x[i, j] = y[i, j] + y[i, j] * 0.75; } }
main {
    act();
    print("{} {} {} {} {}", total(), wide(), both(), mixed(), active(blocks));
    for k in 0..5 { step(); }
    for k in 0..5 { halve(); }
    for k in 0..5 { let t = total(); if (t < 0.0) { print("{}", t); } step(); }
    print("{} {}", total(), both());
}
SNL
# A random number of every kind is that of the CPU, and so is what is computed from it.
"$SNLC" run --interpret sums.snl >expected 2>log && "$SNLC" build -q --target=cuda-sim -O1 -o sums sums.snl >>log 2>&1
built=$?
plan 10

in_every_order() {
    for seed in $(seq "${GPU_SEEDS:-3}"); do
        SNL_SIM_SEED=$seed ./sums >out 2>err || return
        diff expected out || { echo "with SNL_SIM_SEED=$seed"; return 1; }
    done
}
without_graphs() {
    ./sums --stats >out 2>&1 && grep -q '^[1-9][0-9]* iterations of loops around kernels were started as graphs' out || { cat out; return 1; }
    "$SNLC" build -q --target=cuda-sim -O1 -fno-graphs -o plain sums.snl && ./plain --stats >out 2>&1 || return
    ! grep -q 'as graphs' out && head -n 2 out | diff expected -
}

# The message, the status, nothing on standard output, and no hang.
fails() { # STATUS MESSAGE COMMAND...
    status=$1 message=$2
    shift 2
    timeout 60 "$@" >out 2>err
    got=$?
    [ "$got" = "$status" ] && grep -q "$message" err && [ ! -s out ] || { echo "status $got"; cat out err; return 1; }
}
missing_device() { fails 69 "GPU 3 cannot be used: there is no device of that number" ./sums --device=3 && fails 69 "GPU 2 cannot be used" env SNL_DEVICE=2 ./sums; }
bad_device() { fails 64 "bad value 'x' of SNL_DEVICE" env SNL_DEVICE=x ./sums && fails 64 "bad value of option '--device=-1'" ./sums --device=-1; }
no_memory_to_begin_with() { fails 1 "out of memory: .* needs [0-9]* bytes, [0-9]* of the 100000 of the GPU are in use" env SNL_DEVICE_MEMORY=100000 ./sums; }
memory_runs_out() {
    fails 1 "out of memory: activating a cell of 'blocks' in .* needs [0-9]* bytes, [0-9]* of the 1450000 of the GPU are in use" env SNL_DEVICE_MEMORY=1450000 ./sums
}
limit_of_the_user() { fails 1 "activating a cell of 'blocks' in .* of the limit of 1450000 are in use" ./sums --memory-limit=1450000; }
layout_too_large() {
    printf 'param i64 n = 4;\nfield f64 x;\nlayout { dense i[n] { dense i[1000000000] { place x; } } }\nmain { print("{}", n); }\n' >large.snl
    "$SNLC" build -q --target=cuda-sim -O0 -o large large.snl && fails 1 "out of memory: the layout of field 'x' needs [0-9]* bytes" ./large --n=1000000000
}
# With SNL_SIM_TRAP the CPU cannot touch what loops may be using before it waits, as one does that calls a function of a field.
missing_wait() {
    printf 'field f32 x;\nlayout { dense i[8] { place x; } }\nkernel go() { for i in x { x[i] += 1.0; } }\n' >waits.snl
    cat >waits_main.c <<'C'
#include <stdio.h>
#include "waits.h"
int main(int argc, char **argv)
{
    waits *w;
    float *x;
    (void)argv;
    if (waits_create(NULL, &w) || waits_view_x(w, &x, NULL) || waits_go(w) || (argc > 1 && waits_view_x(w, &x, NULL)))
        return 1;
    printf("%g\n", (double)x[3]);
    waits_destroy(w);
    return 0;
}
C
    # shellcheck disable=SC2046
    "$SNLC" build -q --target=cuda-sim -O0 --kind=object -o waits.o waits.snl && "$TEST_CC" $("$SNLC" config --cflags) -c waits_main.c &&
        "${CXX:-c++}" -o waits waits_main.o waits.o $("$SNLC" config --libs) || return
    [ "$(./waits)" = 1 ] || return
    for trap in yes wait; do
        [ "$(SNL_SIM_TRAP=$trap ./waits wait)" = 1 ] || return
        (SNL_SIM_TRAP=$trap ./waits) >out 2>&1
        [ $? -gt 128 ] && ! grep -q 1 out || return
    done
}

# One process runs the tests of a program one after another; one that ends it fails alone.
tests_go_on() {
    cat >tests.snl <<'SNL'
field f32 x[8];
kernel set(i32 n) { for i in x { assert(i < n, "too far"); x[i] = 1.0; } }
test "sets" { set(8); print("a line"); }
test "fails" { set(3); }
test "is new" { assert(x[3] == 0.0); }
test "does not end" { i64 k = 1; while (k > 0) { k = k % 1000 + 1; } }
test "prints much" { for i in 0..40000 { print("line {} of the many that are printed here", i); } }
@fails("too far") test "has to fail" { set(2); }
test "is last" { set(8); assert(x[7] == 1.0); }
SNL
    "$SNLC" test --target=cuda-sim -O1 --timeout=2 --tap tests.snl >out 2>err
    [ $? = 1 ] && grep -v '^#' out >tap && diff - tap <<'TAP' && grep -q 'too far$' out && grep -q '^# ended after 2 seconds' out
1..7
ok 1 - tests.snl: sets
not ok 2 - tests.snl: fails
ok 3 - tests.snl: is new
not ok 4 - tests.snl: does not end
ok 5 - tests.snl: prints much
ok 6 - tests.snl: has to fail
ok 7 - tests.snl: is last
TAP
}

for t in tests_go_on missing_wait in_every_order without_graphs missing_device bad_device no_memory_to_begin_with memory_runs_out limit_of_the_user layout_too_large; do
    if [ "$built" = 0 ]; then ( $t ) >"$t.log" 2>&1; else cp log "$t.log"; false; fi
    result $? "$t" "$t.log"
done
