#!/bin/sh
# Every diagnostic is documented, explained and provoked: tests/scripts/diagnostics.sh. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/diagnostics)
cd "$folder" || exit 1

codes=$(sed -n 's/^DIAG(\([EW][0-9]*\),.*/\1/p' "$SNL_SOURCE/src/base/diags.def")

same() { # FILE FILE LOG
    diff "$1" "$2" >"$3" 2>&1
}

check_stderr() { # WANTED-STATUS CODE COMMAND...
    want=$1 code=$2
    shift 2
    "$@" >out.txt 2>err.txt </dev/null
    status=$?
    if [ "$status" = "$want" ] && grep -q "\"code\": \"$code\"" err.txt; then echo "$code" >>raised.txt; return 0; fi
    {
        echo "$*"
        echo "exit status $status, expected $want and the code $code"
        head -c 2000 err.txt
    } >log
    return 1
}

# The programs under "Wrong:" and "Right:" in doc/errors.md; what stands in parentheses is no program.
split_examples() {
    awk '/^## / { code = $2; kind = "" }
        /^Wrong:/ { kind = "wrong" }
        /^Right:/ { kind = "right" }
        /^    / && !/^    \(/ && kind { print substr($0, 5) >(code "." kind ".snl") }' "$SNL_SOURCE/doc/errors.md"
}

# The wrong program gets its code, once, and no other; the right one gets none. `// snlc OPTIONS` in the first line is the command.
check_example() { # FILE LOG
    command=$(sed -n '1s|^// snlc ||p' "$1")
    case $command in compile*) command="$command -o example.c" ;; *) command=check ;; esac
    # shellcheck disable=SC2086
    "$SNLC" $command --color=never "$1" >"$2" 2>&1
    status=$?
    cat "$1" >>"$2"
    case $1 in
    *.wrong.snl) [ "$(sed -n 's/^.*: \(error\|warning\): .*\[\([EW][0-9]*\)\]$/\2/p' "$2")" = "${1%%.*}" ] ;;
    *) [ "$status" = 0 ] && cmp -s "$1" "$2" ;;
    esac
}

split_examples
set -- [EW]*.snl
plan $(($# + 43))

test "$(echo "$codes" | wc -l)" -ge 40 && test $# -ge 80
result $? "there are codes and examples"

echo "$codes" | sort >codes.txt
echo "$codes" | sort -u | same codes.txt - log
result $? "no code is used twice" log

sed -n 's/^## \([EW][0-9]*\)$/\1/p' "$SNL_SOURCE/doc/errors.md" | sort | same codes.txt - log
result $? "doc/errors.md has one section for each code" log

for c in $codes; do
    grep -rqw "$c" "$SNL_SOURCE/src" "$SNL_SOURCE/grammar" --include='*.c' --include='*.l' --include='*.y' || echo "nothing reports $c"
done >log
test ! -s log
result $? "every code is reported somewhere" log

"$SNLC" explain --list >list.txt && sed 's/ .*//' list.txt | sort | same codes.txt - log && ! grep -v '^[EW][0-9]\{4\}  \(error\|warning\)  *[a-zA-Z]' list.txt >>log
result $? "snlc explain --list lists every code" log

for c in $codes; do
    "$SNLC" explain "$c" >explained.txt || echo "explain $c fails"
    head -n 1 explained.txt | grep -q "^$c: ..*" || echo "explain $c does not begin with its title"
    # The text of the section follows, blank lines and all.
    sed -n "/^## $c\$/,/^## /p" "$SNL_SOURCE/doc/errors.md" | sed '1,2d; /^## /d' >section.txt
    tail -n +3 explained.txt | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >text.txt
    sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' section.txt | diff - text.txt || echo "explain $c differs from doc/errors.md"
done >log 2>&1
test ! -s log
result $? "snlc explain prints the section of every code" log

"$SNLC" explain e0403 >lower.txt && "$SNLC" explain E0403 | same lower.txt - log
result $? "snlc explain takes small letters" log

(for c in E403 0403 403; do "$SNLC" explain $c | cmp lower.txt - || exit 1; done) >log 2>&1
result $? "snlc explain takes E403 and 0403 for E0403" log

"$SNLC" explain E9999 >log 2>&1
test $? = 1 && grep -q E9999 log
result $? "snlc explain of an unknown code fails" log

# Codes that need more than a small file are provoked below.
for c in $codes; do
    case $c in E0106 | E0111 | E08* | W06* | W08*)
        grep -q "^ *result \$? \"$c: " "$SNL_SOURCE/tests/scripts/diagnostics.sh" || echo "nothing below provokes $c"
        continue ;;
    esac
    grep -rq "//~ $c" "$SNL_SOURCE/tests/cases/errors" || echo "no case in tests/cases/errors is marked $c"
done >log
test ! -s log
result $? "every code has a case" log

for f; do
    check_example "$f" log
    result $? "example $f" log
done

# What to write instead, for mistakes that everybody makes.
cat >fixes.snl <<'END'
field f32 temperature[8];
kernel a() { for i in temperature { temperture[i] = squrt(1.0); } }  // temperature sqrt
kernel b() { float x = 1.0; double y = 2.0; int n = 3; }             // f32 f64 i32
kernel c(f32[] v) { for i in v { v[i] = 1.0; } }                     // 0..extent(v, 0)
kernel d(f32[] v, i32 n) { for i in n { v[i] = 1.0; } }              // 0..n
kernel e(f64 v) { for i in temperature { temperature[i] = v; } }     // f32(v)
END
sed -n 's|^.*//||p' fixes.snl | sed 's/, 0)/,0)/' | tr ' ' '\n' | sed '/^$/d; s/,0/, 0/' >wanted.txt
"$SNLC" check --color=never fixes.snl 2>&1 | sed -n 's/^  fix: //p' | same wanted.txt - log
result $? "names and types that are nearly right, and casts, are shown" log

printf 'kernel a() {\n    if (true) {\nkernel b() { }\n' >open.snl
printf 'main {\n    kernel a() { }\n    i32 b(i32 n) { return n; }\n}\n' >nested.snl
"$SNLC" check --color=never open.snl nested.snl 2>&1 | sed -n 's/^.*error: //p' >messages
printf '%s\n' "'}' is missing before 'kernel' [E0105]" "'kernel' stands only outside of functions [E0105]" \
    'functions stand outside of functions [E0105]' | same - messages log
result $? "a function inside of a function, and one before which a brace is missing" log

echo 'kernel i32 cells(field i32[,] f) { i32 n = 0; for I in f { n += 1; } return n; } field i32 f[2, 2]; main { print("{}", cells(f)); }' >unused.snl
"$SNLC" check --color=never unused.snl >log 2>&1 && test ! -s log
result $? "a loop need not use its indices" log

printf 'const N = ' >deep.snl
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "("; printf "1"; for (i = 0; i < 100000; i++) printf ")"; print ";" }' >>deep.snl
check_stderr 1 E0106 "$SNLC" check --diagnostics=json deep.snl
result $? "E0106: nested too deeply" log

# Functions whose types depend on those of others, which wait for them.
awk 'BEGIN { for (i = 0; i < 300; i++) printf "func auto g%d(auto v) { return g%d(v) + v; }\n", i, i + 1
    print "func auto g300(auto v) { return v; }\nkernel i32 k() { return g0(1); }" }' >instances.snl
check_stderr 1 E0603 "$SNLC" check --diagnostics=json instances.snl && grep -q "needs more than 200 instances" err.txt
result $? "E0603: instances inside of each other" log
sed 's/return g0(1)/return g150(1)/' instances.snl >fewer.snl && "$SNLC" check fewer.snl >log 2>&1 && [ ! -s log ]
result $? "150 instances inside of each other" log
"$SNLC" check --color=never instances.snl 2>&1 | sed -n 's/.*note: //p' >notes.txt
printf "in 'g%d' with v: i32, called here\n" 199 198 197 196 195 194 193 0 | same - notes.txt log
result $? "of a long chain of callers the nearest and the first are told" log

echo 'field f32 x[4]; main { }' >fine.snl
if dd if=/dev/null of=large.snl bs=1 seek=1073741825 2>/dev/null; then
    check_stderr 66 E0111 "$SNLC" check --diagnostics=json large.snl
    result $? "E0111: a file of more than 1 GiB" log
    echo 'import "large.snl";' >imports_large.snl
    check_stderr 1 E0111 "$SNLC" check --diagnostics=json imports_large.snl
    result $? "E0111: an import of more than 1 GiB" log
else
    skip "E0111: a file of more than 1 GiB" "no sparse files here"
    skip "E0111: an import of more than 1 GiB" "no sparse files here"
    echo E0111 >>raised.txt
fi
rm -f large.snl

check_stderr 66 E0801 "$SNLC" check --diagnostics=json missing.snl
result $? "E0801: a missing file" log

check_stderr 73 E0802 "$SNLC" layout --diagnostics=json -o no/such/folder/x.txt fine.snl
result $? "E0802: an output that cannot be made" log

case $CASE_MODES in
*c[0-9]*)
    check_stderr 69 E0803 "$SNLC" build --diagnostics=json --cc=/nonexistent/cc fine.snl
    result $? "E0803: a compiler that is missing" log ;;
*)
    skip "E0803: a compiler that is missing" "this build has no C target"
    echo E0803 >>raised.txt ;;
esac

check_stderr 64 E0804 "$SNLC" check --diagnostics=json --no-such-option fine.snl
result $? "E0804: an unknown option" log

check_stderr 0 W0801 "$SNLC" check --diagnostics=json -D NOTHING=4 fine.snl
result $? "W0801: a definition of nothing" log

mkdir reports
echo 'field f32 x[8]; kernel k() { for i in x { x[i] = 1.0; } }' >broken.snl
check_stderr 0 W0802 env TMPDIR=reports BROKEN=cse=assert "$SNL_BUILD/tests/faults/broken" check --diagnostics=json -Wperf broken.snl
result $? "W0802: a pass that breaks" log

echo 'const A = 1; main { print("{}", A); }' >twice.snl
[ "$(SNLC_FLAGS='-D A=2' "$SNLC" run --interpret -Werror -D A=3 -D A=4 twice.snl 2>log)" = 4 ]
result $? "the last -D of a name counts, without a warning" log

check_stderr 1 E0105 "$SNLC" check --diagnostics=json -D 'A=5; const B=2' twice.snl && check_stderr 1 E0105 "$SNLC" check --diagnostics=json -D 'A=5;' twice.snl
result $? "E0105: -D of more than a value" log

check_stderr 1 W0801 "$SNLC" check --diagnostics=json -Werror -D NOTHING=4 fine.snl && check_stderr 1 W0801 "$SNLC" check --diagnostics=json -Werror=W0801 -D NOTHING=4 fine.snl
result $? "warnings can be made errors" log

"$SNLC" check -q -D NOTHING=4 fine.snl >log 2>&1 && [ ! -s log ] && check_stderr 1 W0801 "$SNLC" check -q --diagnostics=json -Werror -D NOTHING=4 fine.snl
result $? "-q tells errors only, and warnings that are errors" log

echo 'field f32 x[65536], y[65536]; field i32 at[65536]; kernel k() { for i in x { y[i] = x[at[i]]; } }' >slow.snl
check_stderr 0 W0601 "$SNLC" compile --diagnostics=json -Wperf -o slow.c slow.snl && check_stderr 1 W0601 "$SNLC" compile --diagnostics=json -Wperf -Werror -o slow.c slow.snl
result $? "W0601: a loop that is not vectorised" log
check_stderr 0 W0601 "$SNLC" check --diagnostics=json -Wperf slow.snl && check_stderr 1 W0601 "$SNLC" check --diagnostics=json -Wperf -Werror slow.snl
result $? "W0601 is one of the diagnostics of check" log
"$SNLC" compile -o slow.c slow.snl >log 2>&1 && [ ! -s log ]
result $? "W0601 is given when asked for" log
"$SNLC" compile -Wperf -o slow.c slow.snl >log 2>&1 && grep -q 'fix: ' log && sed 's/65536/64/g' slow.snl >short.snl && "$SNLC" compile -Wperf -Werror -o slow.c short.snl >>log 2>&1
result $? "W0601 comes with advice, and not for loops that are over in a moment" log
echo 'field f64 x[65536], y[65536]; kernel k() { for i in x { y[i] = pow(x[i], 1.5); } }' >library.snl
echo 'field f64 x[64], y[64]; kernel k() { for i in x { y[i] = exp(sin(x[i])) + tanh(x[i]); } }' >own.snl
check_stderr 0 W0601 "$SNLC" compile --diagnostics=json -Wperf -o library.c library.snl && "$SNLC" compile -Wperf -Werror -o own.c own.snl >log 2>&1
result $? "W0601: calls of the C library, of which there are next to none" log
cat >vector.snl <<'END'
field f32 x[64, 64, 64];
field i32 t[65536];
param i32 radius = 2;
field f32 t2;
layout { dense i[64] { list: dynamic j[1024] { place t2; } } }
kernel through_a_vector() { for i, j, k in 0..62, 0..62, 0..62 { let I = i32x3(i, j, k) + 1; x[I] = f32(i); } }
kernel bounds() { for i in t { i32 s = 0; for d in -radius..radius + 1 { s += d * i; } t[i] = s; } }
kernel appends() { for i in t { append(list[t[i] & 63], 1.0); } }
kernel triangle() { for i in t { i32 s = t[i]; for n in 0..64 { let end = 64 - n; for j in 0..end { s = s * 3 + j; } } t[i] = s; } }
END
"$SNLC" compile -Wperf -Werror -o own.c vector.snl >log 2>&1
result $? "W0601: not for indices made of vectors, bounds made of params or of other loops, and what nothing can be done about" log
echo 'field i32 t[65536]; kernel k() { for i in t { for n in 0..64 { let end = i - n; for j in 0..end { t[i] += j; } } } }' >uneven.snl
check_stderr 0 W0601 "$SNLC" compile --diagnostics=json -Wperf -o own.c uneven.snl
result $? "W0601: bounds that differ between iterations, through a local variable" log
echo 'field f32 x; layout { dense i[64] { dynamic j[4096] { place x; } } } kernel k() { for i, j in x { while (x[i, j] > 1.0) { x[i, j] *= 0.5; } } }' >list.snl
check_stderr 0 W0601 "$SNLC" compile --diagnostics=json -Wperf -o own.c list.snl
result $? "W0601: a loop over lists" log

echo 'field f32 x[64], y[64]; field i32 at[64]; kernel k() { @block_local(x, at) for i in y { y[i] = x[at[i]]; } }' >staged.snl
check_stderr 0 W0602 "$SNLC" compile --target=cuda --diagnostics=json -o staged.cu staged.snl &&
    "$SNLC" compile --target=cuda -o staged.cu staged.snl 2>&1 | grep -q "'x' is not: the loop does not read it at its own indices" && ! grep -q x_near staged.cu
result $? "W0602: @block_local of what cannot be staged" log
"$SNLC" compile -Werror -o staged.c staged.snl >log 2>&1 && [ ! -s log ]
result $? "W0602 is given for GPUs" log

cat >stale.snl <<'END'
field i32 x, y, n[8];
layout { b: pointer i[64] { dense i[4] { place x; } } }
layout { c: pointer i[64] { dense i[4] { place y; } } }
func renew(i32 t) { y[32 * t] = 1; }
func count(i32 t) { @serial for i in x { n[t] += 1; } }     // 5: called behind a change
func own(i32 t) { @serial for i in y { n[t] += 1; } renew(t); }     // 6: called in a loop
func twice(i32 t) { if (t > 0) { @serial for i in b { n[0] += 1; } x[t] = 1; twice(t - 1); } }  // 7: by itself
kernel direct() { for t in n { x[32 * t] = 1; @serial for i in x { n[t] += 1; } } }     // 8
kernel below() { for t in n { x[32 * t] = 1; @serial for i in b { n[t] += 1; } } }      // 9
kernel drops() { for t in n { deactivate(c[t]); @serial for i in y { n[t] += 1; } } }   // 10
kernel rounds() { for t in n { for r in 0..2 { @serial for i in x { n[t] += 1; } x[t] = r; } } }        // 11
kernel calls() { for t in n { x[t] = 1; count(t); for r in 0..2 { own(t); } twice(t); } }
END
lines_of() { sed -n 's/^stale.snl:\([0-9]*\):.*W0603.*/\1/p' | sort -n | tr '\n' ' '; }
[ "$("$SNLC" compile --target=cuda -o stale.cu stale.snl 2>&1 | lines_of)" = "5 6 7 8 9 10 11 " ] &&
    [ "$("$SNLC" compile -O0 --target=cuda -o stale.cu stale.snl 2>&1 | lines_of)" = "5 6 7 8 9 10 11 " ] &&
    check_stderr 0 W0603 "$SNLC" compile --target=cuda --diagnostics=json -o stale.cu stale.snl
result $? "W0603: loops over cells that do not see what their iterations change" log
cat >fresh.snl <<'END'
field i32 x, y, n[8];
layout { b: pointer i[64] { dense i[4] { place x; } } }
layout { c: pointer i[64] { dense i[4] { place y; } } }
func i32 count() { i32 sum = 0; @serial for i in x { sum += x[i]; } return sum; }
kernel before() { for t in n { @serial for i in x { n[t] += 1; } x[t] = 1; } }
kernel other() { for t in n { y[t] = 1; @serial for i in x { n[t] += 1; } } }
kernel mine() { for j in x { x[j] += 1; n[j & 7] = count(); } }
kernel apart() { for t in n { x[32 * t] = 1; } for t in n { n[t] = count(); } x[0] = count(); @serial for i in x { n[0] += 1; } }
END
"$SNLC" compile -Werror --target=cuda -o fresh.cu fresh.snl >log 2>&1 && "$SNLC" compile -O0 -Werror --target=cuda -o fresh.cu fresh.snl >>log 2>&1 &&
    "$SNLC" compile -Werror -o stale.c stale.snl >>log 2>&1 && [ ! -s log ]
result $? "W0603 is not given for other loops, nor for CPUs" log

echo 'field f32 x[4000]; kernel k(f32 a) { static for I in 0..4000 { x[I] = a + f32(I); } }' >large.snl
check_stderr 0 W0604 "$SNLC" compile --diagnostics=json -o large.c large.snl && "$SNLC" compile -Werror -fno-large -o large.c large.snl >>log 2>&1 &&
    "$SNLC" compile -Werror -O1 -o large.c large.snl >>log 2>&1 && "$SNLC" compile -Werror --target=cuda -o large.cu large.snl >>log 2>&1
result $? "W0604: a function that is too large" log

# A mark in a case, or a title above, only promises: what counts here is what was reported. What was skipped is in the list, too.
for file in $(sh "$SNL_SOURCE/tests/list-cases" errors); do
    "$SNLC" check --diagnostics=json "$SNL_SOURCE/$file" 2>&1 | sed -n 's/.*"code": "\([EW][0-9]*\)".*/\1/p'
done >>raised.txt
sort -u raised.txt | same codes.txt - log
result $? "every code was raised by a case, or above" log
