#!/bin/sh
# With -ffast sums may have another order, but least and greatest numbers are what they are, and NaN and infinities stay; prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "the C target is not tested" ;; esac
folder=$(fresh_folder scripts/fast)
cd "$folder" || exit 1
cat >fast.snl <<'PROGRAM'
const N = 16;
field f64 x[N];
field f32 y[1000], least_of_all[];
@boundary(ambient) field f32x2 v[N];
field f32 p;
layout { pointer i[100] { dense i[16] { place p; } } }
kernel init() {
    for i in x { x[i] = f64(i) + 1.0; v[i] = f32x2(i, -i); }
    for i in y { y[i] = f32(i * 7 % 1000) + 1.0; }
    for i in 100..130 { p[i] = f32(i); }
    least_of_all = INF;
}
kernel f64 least() { f64 m = 1e20; for i in x { atomic_min(m, x[i]); } return m; }
kernel f64 greatest() { f64 m = -INF; for i in x { atomic_max(m, x[i]); } return m; }
kernel f32 least_f32() { f32 m = INF; for i in y { atomic_min(m, y[i]); } return m; }
kernel f32 greatest_of_cells() { f32 m = 0; for i in p { atomic_max(m, p[i]); } return m; }
kernel f64 greatest_root() { f64 m = 0; for i in 0..N { atomic_max(m, sqrt(x[i])); } return m; }
kernel f32x2 least_of_vectors() { f32x2 m = f32x2(1e9); for i in v { atomic_min(m, v[i]); } return m; }
kernel into_field() { for i in y { atomic_min(least_of_all, y[i]); } }
kernel unusual() { x[3] = NAN; x[5] = INF; x[6] = -INF; }
kernel i32x3 kinds() {
    i32 nans = 0;
    i32 infinities = 0;
    i32 equal = 0;
    for i in x {
        if (isnan(x[i])) { nans += 1; }
        if (isinf(x[i])) { infinities += 1; }
        if (x[i] == x[i]) { equal += 1; }
    }
    return i32x3(nans, infinities, equal);
}
test "least and greatest" {
    init();
    into_field();
    assert(least() == 1.0 && greatest() == 16.0 && least_f32() == 1.0 && greatest_of_cells() == 129.0);
    assert(greatest_root() == 4.0 && all(least_of_vectors() == f32x2(0, -15)) && least_of_all[] == 1.0);
}
test "what is no number" {
    init();
    unusual();
    assert(all(kinds() == i32x3(1, 2, 15)), "{}", kinds());
    assert(least() == -INF && greatest() == INF);
    assert(max(x[3], 2.0) == 2.0 && max(2.0, x[3]) == 2.0 && min(x[3], 2.0) == 2.0 && min(2.0, x[3]) == 2.0);
}
PROGRAM
plan 5
for level in -O0 -O1 -O2 -O3; do
    "$SNLC" test -q $level -ffast fast.snl >log 2>&1
    result $? "$level -ffast" log
done
case $CASE_MODES in
*sim*)
    "$SNLC" test -q --target=cuda-sim -ffast fast.snl >log 2>&1
    result $? "-ffast in the stand-in for CUDA" log
    ;;
*) skip "-ffast in the stand-in for CUDA" "it is not tested" ;;
esac
