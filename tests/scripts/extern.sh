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
cat >"$folder/parts.snl" <<'SNL'
struct Part { f32x3 at; i32 id; }
extern func f32x2x2 turn(f32 a);
extern func i32 look(Part p, f32[] b);
extern func f64 erf(f64 x);
field f32 x[4];
kernel f32 k(f32[] b) { f32 s = 0; for i in x { s += turn(x[i])[1, 0] + f32(erf(f64(x[i]))); } return s + f32(look(Part(f32x3(1), 2), b)); }
SNL
cat >"$folder/parts-c.c" <<'C'
#include "parts.h"
#include <math.h>
snl_f32x2x2 turn(float a) { return (snl_f32x2x2){{a, -a, a, a}}; }
int32_t look(parts_Part p, float *b, int64_t n) { return p.id + (int32_t)p.at.v[0] + (n > 0 && b[0] > 0.0f); }
C
# Who writes them finds their types in the header, and prototypes unless another header has them.
header_declares() {
    cd "$folder" || return
    "$SNLC" compile -q parts.snl && ! grep -E '^(extern|double erf|typedef struct \{ float v)' parts.c || return
    flags="-Wall -Wextra -Wmissing-prototypes -Werror $("$SNLC" config --cflags) -fsyntax-only"
    # shellcheck disable=SC2086
    "$TEST_CC" -std=c11 $flags parts-c.c || return
    if command -v c++ >/dev/null 2>&1; then
        # shellcheck disable=SC2046
        c++ -x c++ -Wall -Wextra -Werror $("$SNLC" config --cflags) -fsyntax-only parts-c.c || return
    fi
    sed 's/int32_t look(/double look(/' parts-c.c >wrong.c
    # shellcheck disable=SC2086
    if "$TEST_CC" -std=c11 $flags wrong.c 2>/dev/null; then echo "another type is not found"; return 1; fi
    "$SNLC" compile -q --include=parts/weigh.h parts.snl && grep -q 'parts_Part;$' parts.h && ! grep 'look(' parts.h
}

# What the C made of the program has itself: its interface, variables that it needs. Temporaries keep off.
is_of_the_program() {
    cd "$folder" || return
    for name in own_create own_params self args param_p; do
        echo "extern func i32 $name(i32 a); param i32 p = 2; field i32 x; layout { dense i[8] { place x; } }" \
            "kernel k() { for i in x { x[i] = $name(p); } }" >own.snl
        "$SNLC" compile -q own.snl >err 2>&1
        [ $? = 1 ] && grep -q "own.snl:1:17: error: '$name' is a name of the C that is made of this program.*E0207" err || { cat err; return 1; }
        "$SNLC" compile -q --prefix=other -o other.c own.snl >err 2>&1
        case $?:$name in 0:own_* | 1:[!o]*) ;; *) cat err; return 1 ;; esac
    done
    echo 'extern func f64 t1(f64 a); extern func i32 it(i32 a); field f64 x[4]; param i32 it_ = 1;
kernel k(f64 t1_) { for i in x { x[i] += t1(x[i] * 2.0) + t1_ + f64(it(it_)); } }' >own.snl
    # shellcheck disable=SC2046
    "$SNLC" compile -q own.snl && "$TEST_CC" -std=c11 -Wall -Wextra -Werror -fopenmp $("$SNLC" config --cflags) -fsyntax-only own.c
}

plan 8
for t in 'runs c' 'runs cuda-sim' runs_again_when_it_changes is_missing is_named_as_given header_declares is_of_the_program; do
    ($t) >"$folder/log" 2>&1
    result $? "$t" "$folder/log"
done
if command -v nvcc >/dev/null 2>&1; then
    (on_a_gpu) >"$folder/log" 2>&1
    result $? on_a_gpu "$folder/log"
else
    skip on_a_gpu "nvcc is missing"
fi
