#!/bin/sh
# Extern functions that a header has, in loops of every target. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH NVCC NVCCFLAGS
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
folder=$(fresh_folder scripts/extern)
mkdir "$folder/parts"
cat >"$folder/parts/weigh.h" <<'C'
SNL_BOTH static inline double weigh(double x, int32_t n) { return x * n + 0.5; }
SNL_BOTH static inline int32_t twice(int32_t n) { return 2 * n; }
C
cat >"$folder/loads.snl" <<'SNL'
extern func f64 weigh(f64 x, i32 n);
extern func i32 twice(i32 n);
field f64 x;
layout { pointer i[4] { dense i[64] { place x; } } }
func f64 both(i32 n) { return weigh(0.25, twice(n)); }
kernel f64 go() {
    f64 sum = 0.0;
    for i in 64..128 { x[i] = weigh(2.0, i); }
    for i in x { sum += x[i] + both(i); }
    return sum;
}
main { print("{} {}", go(), both(3)); }
SNL
# sums of 2i + 0.5 and i/2 + 0.5 from 64 to 127
want='15344.0 2.0'
runs() { # TARGET
    out=$(cd "$folder" && "$SNLC" run -q --target="$1" --include=parts/weigh.h loads.snl) && [ "$out" = "$want" ] || { echo "$out"; return 1; }
}
runs_again_when_it_changes() {
    runs c && sed -i 's/x \* n + 0.5/x * n/' "$folder/parts/weigh.h" && out=$(cd "$folder" && "$SNLC" run -q --include=parts/weigh.h loads.snl) || return
    sed -i 's/x \* n;/x * n + 0.5;/' "$folder/parts/weigh.h"
    [ "$out" = "15280.0 1.5" ] || { echo "$out"; return 1; }
}
is_missing() {
    (cd "$folder" && "$SNLC" build -q --include=parts/none.h -o none loads.snl) >"$folder/out" 2>"$folder/err"
    [ $? = 66 ] && grep -q "cannot read 'parts/none.h'" "$folder/err" && [ ! -e "$folder/none" ] || { cat "$folder/err"; return 1; }
}
is_named_as_given() { (cd "$folder" && "$SNLC" compile --include=parts/weigh.h -o - loads.snl | grep -q '^#include "parts/weigh.h"$'); }
on_a_gpu() {
    (cd "$folder" && "$SNLC" build -q --target=cuda --arch=sm_80 --include=parts/weigh.h -Xnvcc -Werror=all-warnings -o loads loads.snl)
}

plan 6
for t in 'runs c' 'runs cuda-sim' runs_again_when_it_changes is_missing is_named_as_given; do
    ($t) >"$folder/log" 2>&1
    result $? "$t" "$folder/log"
done
if command -v nvcc >/dev/null 2>&1; then
    (on_a_gpu) >"$folder/log" 2>&1
    result $? on_a_gpu "$folder/log"
else
    skip on_a_gpu "nvcc is missing"
fi
