#!/bin/sh
# Calls of the C library fail one after another, by tests/faults/shim.c: no command dies of it, no partial file is ever taken for a
# whole one, nothing is left behind, and what succeeds is right. FAULT_STEP tries every so many allocations only. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
case $CASE_MODES in *-san*) skip_all "sanitizers have an allocator of their own" ;; esac
folder=$(fresh_folder scripts/faults)
cd "$folder" || exit 1
. "$SNL_SOURCE/tests/faults/calls.sh"

cat >small.snl <<'PROGRAM'
// All kinds of nodes, files, text.
param i32 n = 3;
param i32 wide = 0; // iterations that are worth several threads
field f32 d[8, 8];
field f32 p, b, h;
field i32 l;
layout MAIN { top: pointer ij[4, 4] { bits: bitmasked ij[2, 2] { place p; } dense ij[2, 2] { place b; } } }
layout { far: hash i[4096] { dense i[4] { place h; } } }
layout { dense i[4] { list: dynamic j[256] { place l; } } }
kernel fill_all() {
    for i, j in d { d[i, j] = f32(i * j); }
    for i, j in 0..8, 0..8 { if (i > j) { p[i, j] = 1.0; b[j, i] = 2.0; } }
    for i in 0..40 { h[i * 100] = 3.0; }
    for i in 0..4 { for k in 0..20 { append(list[i], k); } }
    for i in 0..wide { d[0, 0] += f32(i - i); }
}
kernel f32 sum() { f32 s = 0; for i, j in p { s += p[i, j]; } for i in h { s += h[i]; } return s; }
kernel clear() { for i, j in top { deactivate(top[i, j]); } }
main {
    for s in 0..n {
        fill_all();
        print("{} {} {}", sum(), active(bits), length(list[2]));
        clear();
        fill_all();
        deactivate_all(far);
    }
    save("d.npy", d);
    save("tree.snlt", MAIN);
    load("tree.snlt", MAIN);
    load("d.npy", d);
    print("{:.1f} {}", d[7, 7], sum());
}
test "sum" { fill_all(); assert(sum() > 0.0); }
PROGRAM

no_leftovers() {
    for f in work/* work/.[!.]*; do
        case $f in work/small.snl | work/small.c | work/small.h | work/small | work/m.json | work/d.npy | work/tree.snlt | work/ugly.snl) ;;
        "work/*" | "work/.[!.]*") ;;
        *) echo "$f is left behind"; return 1 ;;
        esac
    done
}

# ---- snlc compile ----
mkdir work want && cp small.snl work/
"$SNLC" compile -q -o work --manifest=work/m.json work/small.snl || { echo "Bail out! compile"; exit 1; }
cp work/* want/
old='/* Made by snlc from something else. */'
prepare() { rm -rf work; mkdir work; echo "$old" >work/small.c; cp small.snl work/; }
# The old text of small.c, or the whole new one.
judge_compile() { # STATUS
    if [ "$1" = 0 ]; then
        same want/small.c work/small.c && same want/small.h work/small.h && same want/m.json work/m.json || return 1
    else
        [ "$(cat work/small.c 2>/dev/null)" = "$old" ] || [ ! -e work/small.c ] || same want/small.c work/small.c || return 1
        [ ! -e work/small.h ] || same want/small.h work/small.h || return 1
        [ ! -e work/m.json ] || same want/m.json work/m.json || return 1
    fi
    is_clean "$1" && no_leftovers
}
# A killed process may leave a temporary file, but never half of a product.
judge_killed() { # STATUS
    [ "$(cat work/small.c)" = "$old" ] || same want/small.c work/small.c || return 1
    [ ! -e work/small.h ] || same want/small.h work/small.h || return 1
    [ ! -e work/m.json ] || same want/m.json work/m.json
}
compile="$SNLC compile -q -o work --manifest=work/m.json work/small.snl"
for how in once on; do
    for call in malloc open write close rename read; do
        # shellcheck disable=SC2086
        try_calls compile snlc "$call" "$how" judge_compile $compile
    done
done
# shellcheck disable=SC2086
try_calls compile snlc write short judge_compile $compile
for how in kill term; do
    for call in open write close rename; do
        # shellcheck disable=SC2086
        try_calls compile snlc "$call" "$how" judge_killed $compile
    done
done

# ---- other commands ----
printf 'field i32   x[4] ;\nkernel k(){for i in x{x[i]=i;}}\n' >ugly.snl
cp ugly.snl pretty.snl && "$SNLC" fmt pretty.snl
prepare() { rm -rf work; mkdir work; cp ugly.snl small.snl work/; }
judge_fmt() { # STATUS
    same ugly.snl work/ugly.snl >why 2>&1 || same pretty.snl work/ugly.snl || return 1
    [ "$1" != 0 ] || same pretty.snl work/ugly.snl || return 1
    is_clean "$1" && no_leftovers
}
for call in malloc open write close rename read; do
    try_calls fmt snlc "$call" once judge_fmt "$SNLC" fmt work/ugly.snl
done
try_calls fmt snlc malloc on judge_fmt "$SNLC" fmt work/ugly.snl
try_calls fmt snlc write short judge_fmt "$SNLC" fmt work/ugly.snl

"$SNLC" run -q --interpret small.snl >interpreted || { echo "Bail out! interpret"; exit 1; }
judge_output() { # STATUS
    [ "$1" != 0 ] || same interpreted out || return 1
    is_clean "$1"
}
prepare() { rm -f d.npy tree.snlt; }
step=${FAULT_STEP:-7}
for how in once on; do
    try_calls "run --interpret" snlc malloc "$how" judge_output "$SNLC" run -q --interpret small.snl
done
step=${FAULT_STEP:-1}
for call in open write close read thread; do
    try_calls "run --interpret" snlc "$call" once judge_output "$SNLC" run -q --interpret small.snl
done
try_calls "run --interpret" snlc write short judge_output "$SNLC" run -q --interpret small.snl

# ---- processes ----
"$SNLC" build -q -o program small.snl || { echo "Bail out! build"; exit 1; }
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "%s" "$2"\n' "$folder/program" >cc && chmod +x cc
prepare() { rm -rf work cache; mkdir work; echo old >work/small; }
judge_build() { # STATUS
    if [ "$1" = 0 ]; then
        same program work/small || return 1
    else
        [ ! -e work/small ] || [ "$(cat work/small)" = old ] || { echo "something else is there"; return 1; }
    fi
    is_clean "$1" && no_leftovers
}
for call in fork open write rename; do
    try_calls build snlc "$call" once judge_build "$SNLC" build -q --cc="$folder/cc" -o work/small small.snl
done
# Parts of a large program, compiled at once.
seq 200 | awk 'BEGIN { print "field f64 x[65536];" }
    { printf "kernel k%d() { for i in x { x[i] = x[i] * %d.0 + (x[i] - %d.5) * (f64(i) + %d.25); } }\n", $1, $1, $1, $1
      calls = calls "k" $1 "(); " }
    END { print "main { " calls "}" }' >large.snl
"$SNLC" build -j4 '-###' large.snl 2>&1 | grep -q -- '-DSNL_PART=2 ' || { echo "Bail out! large.snl is compiled as one"; exit 1; }
in_parts="$SNLC build -q -j4 --cc=$folder/cc -o work/small large.snl"
for call in fork open write rename; do
    # shellcheck disable=SC2086
    try_calls "build in parts" snlc "$call" once judge_build $in_parts
done
mkdir tmp
TMPDIR=$folder/tmp # what was killed may leave files there
export TMPDIR
judge_killed_build() { [ "$(cat work/small)" = old ] || same program work/small; }
for how in kill term; do
    for call in open write rename; do
        # shellcheck disable=SC2086
        try_calls "build in parts" snlc "$call" "$how" judge_killed_build $in_parts
    done
done
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
judge_run() { # STATUS
    [ "$1" != 0 ] || same interpreted out || return 1
    is_clean "$1"
}
for call in fork exec open write rename; do
    try_calls run snlc "$call" once judge_run "$SNLC" run -q --cc="$folder/cc" small.snl
done
judge_test() { [ "$1" != 0 ] || grep -q '^1 passed' out || return 1; is_clean "$1"; }
for call in fork open thread; do
    try_calls test snlc "$call" once judge_test "$SNLC" test -q --interpret small.snl
done

# ---- programs ----
echo "old file" >old
prepare() { cp old d.npy; cp old tree.snlt; }
cp interpreted wanted
./program >/dev/null && cp d.npy want.npy && cp tree.snlt want.snlt
judge_program() { # STATUS
    [ "$1" != 0 ] || same wanted out || return 1
    for pair in npy:d.npy snlt:tree.snlt; do
        file=${pair#*:}
        same old "$file" >/dev/null || same "want.${pair%:*}" "$file" || return 1
    done
    for f in d.npy?* tree.snlt?* .d.npy* .tree*; do
        if [ -e "$f" ]; then echo "$f is left behind"; rm -f "$f"; return 1; fi
    done
    case $1 in 0 | 1 | 71) [ "$1" = 0 ] || [ -s err ] ;; *) echo "status $1"; return 1 ;; esac
}
for how in once on; do
    for call in malloc open write close rename read; do
        try_calls program program "$call" "$how" judge_program ./program
    done
done
try_calls program program write short judge_program ./program
judge_trace() { # STATUS
    [ "$1" != 0 ] || { same wanted out && [ "$(tail -c 3 trace.json)" = "}}" ]; } || return 1
    is_clean "$1"
}
for call in open close; do
    try_calls "program --trace" program "$call" once judge_trace ./program --trace=trace.json
done
# With several threads, where the order of calls differs from run to run.
SNL_NUM_THREADS=3 OMP_NUM_THREADS=3
for c in malloc-once malloc-on thread-once thread-on write-once; do
    try_calls "program with three threads" program "${c%%-*}" "${c#*-}" judge_program ./program --wide=100000
done
echo "# $count_hits faults"
echo "1..$count"
