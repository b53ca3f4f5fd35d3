#!/bin/sh
# snlc bench: what it runs, counts, prints and writes; never how long something took. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/bench)
cd "$folder" || exit 1
plan 14

cat >b.snl <<'END'
const N = 64;
param i32 start = 0;
field f32 a, b;
field i32 runs;
layout { dense ij[N, N] { place a, b; } }
layout { place runs; }
kernel init() { runs = start; for i, j in a { a[i, j] = f32(i * N + j); b[i, j] = 0; } }
kernel step() { runs += 1; for i, j in a { b[i, j] += a[i, j]; } }
kernel total() { for i, j in a { a[i, j] = b[i, j]; } }
benchmark "step, counted" {
    init();
    while (measure(N * N)) { step(); step(); total(); }
    print("runs {}", runs);
}
benchmark "other" { while (measure()) { step(); } }
test "a test" { step(); }
main { print("main"); }
END

"$SNLC" bench b.snl --repeats=5 --warmup=3 --threads=1,2 --json=b.json --plot=b.svg >out 2>err
status=$?
{ [ $status -eq 0 ] && [ "$(grep -c '^step, counted  *[12] ' out)" -eq 2 ] && [ "$(grep -c '^other  *[12] ' out)" -eq 2 ]; } 2>>err
result $? "a line for each benchmark and number of threads" out err
grep -q '^  step  *2  .*%$' out && grep -q '^  total  *1  .*%$' out
result $? "a line for each kernel with the calls of one run" out
{ [ "$(grep -c '"name": "step, counted", "threads": 2, "items": 4096, "bytes": [1-9]' b.json)" -eq 1 ] &&
    [ "$(sed -n 's/.*"seconds": \[\([-0-9., ]*\)\].*/\1/p' b.json | tr -cd ',\n' | sort -u)" = ,,,, ]; }
result $? "JSON has every sample" b.json
{ [ -z "$XMLLINT" ] || "$XMLLINT" --noout b.svg; } >log 2>&1 && [ "$(grep -c '<circle' b.svg)" -eq 20 ] && grep -q 'step, counted (2 threads)' b.svg
result $? "the plot is XML and has every sample" log b.svg

# 3 runs first, 5 measured, 1 for the kernels, each with two steps; params come after --.
"$SNLC" bench -v b.snl --filter=counted --repeats=5 --warmup=3 -- --start=1000 >out 2>err
grep -q '^runs 1018$' out && ! grep -q '^other' out
result $? "runs are counted, params are given, --filter chooses" out err

"$SNLC" test b.snl >out 2>&1 && grep -q '^1 passed, 0 failed' out && "$SNLC" test --benchmarks b.snl >out 2>&1 && grep -q '^3 passed, 0 failed' out &&
    "$SNLC" test --benchmarks --interpret b.snl >out 2>&1 && grep -q '^3 passed, 0 failed' out
result $? "snlc test runs benchmarks once when asked to" out

# Before and after with known samples: twice as fast, the same but for noise, in one file only.
samples() { # NAME FACTOR
    printf '{"name": "%s", "threads": 1, "items": 0, "bytes": 1, "seconds": [' "$1"
    awk -v f="$2" 'BEGIN { for (i = 0; i < 12; i++) printf "%s%.4f", i ? ", " : "", f * (1 + (i % 4) / 50) }'
    printf '], "kernels": []}'
}
file() { printf '{"snlc-bench": 1, "file": "b.snl", "benchmarks": [%s]}\n' "$1"; }
file "$(samples fast 2), $(samples even 1), $(samples slow 1), $(samples gone 1)" >before.json
file "$(samples even 1.03), $(samples slow 1.5), $(samples fast 1)" >after.json
if has_feature jansson; then
    "$SNLC" bench --compare before.json after.json >out 2>err
    grep -q '^fast .* 0\.500  0\.4[0-9]* to 0\.5[0-9]*  faster$' out && grep -q '^slow .* 1\.500  1\.4[0-9]* to 1\.5[0-9]*  slower$' out &&
        grep -q '^even .* 1\.030  .* to .*  the same$' out && ! grep -q gone out
    result $? "--compare tells what changed" out err
    # So many samples before and after, wholly apart: a difference is certain at one in a hundred from 5 and 5, 4 and 6, 3 and 9 on.
    : >log
    few() { awk -v n="$1" -v f="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s%.4f", i ? ", " : "", f * (1 + i / 1000) }'; }
    while read -r before after word; do
        file "{\"name\": \"few\", \"threads\": 1, \"seconds\": [$(few "$before" 1)]}" >few-before.json
        file "{\"name\": \"few\", \"threads\": 1, \"seconds\": [$(few "$after" 2)]}" >few-after.json
        "$SNLC" bench --compare few-before.json few-after.json >out 2>err
        grep -q "^few .* [12]\.[09][0-9]* to 2\.0[0-9]*  $word\$" out || { echo "$before and $after: not '$word'"; cat out err; } >>log
        "$SNLC" bench --compare few-before.json few-before.json >out 2>err
        grep -q 'the same$\|too few samples$' out || cat out err >>log
    done <<END
1 1 too few samples
4 4 too few samples
4 5 too few samples
4 6 slower
5 5 slower
3 8 too few samples
3 9 slower
20 20 slower
30 30 slower
END
    test ! -s log
    result $? "--compare with few samples" log
    : >err
    echo '{"snlc-bench": 1, "benchmarks": [{"name": "x", "seconds": ["1"]}]}' >bad.json
    printf '{"a": [1,\n' >cut.json
    file "$(samples alone 1)" >alone.json
    for pair in 66:none.json:none.json 1:bad.json:after.json 1:cut.json:after.json 1:alone.json:after.json 64:after.json:; do
        rest=${pair#*:}
        # shellcheck disable=SC2046
        "$SNLC" bench --compare $(echo "$rest" | tr ':' ' ') >out 2>log
        status=$?
        { [ $status -eq "${pair%%:*}" ] && [ -s log ] && [ ! -s out ]; } || { echo "$pair gives $status"; cat log; } >>err
    done
    test ! -s err && "$SNLC" bench --compare cut.json after.json 2>&1 | grep -q "'cut.json' is no JSON: line "
    result $? "--compare refuses files that are none" err
else
    "$SNLC" bench --compare before.json after.json >out 2>err
    test $? -eq 69
    result $? "--compare says that jansson is missing" err
    skip "--compare with few samples" "no jansson"
    skip "--compare refuses files that are none" "no jansson"
fi

# Two programs by turns; one lacks a benchmark. What the words say of times is in unit/check_bench.c.
cat >once.snl <<'END'
field f32 a[1 << 16];
kernel step() { for i in a { a[i] = sin(a[i] + f32(i)); } }
benchmark "work" { while (measure()) { step(); } }
benchmark "gone" { while (measure()) { step(); } }
END
sed 's/{ step(); }/{ step(); step(); step(); }/' once.snl | sed '/"gone"/d' >thrice.snl
"$SNLC" bench --compare once.snl thrice.snl --threads=1 >out 2>err &&
    grep -q '^benchmark  threads .* time ratio  interval$' out && grep -q '^work  .* [0-9]\.[0-9]*  [0-9.]* to [0-9.]*  [a-z ]*$' out && ! grep -q gone out
result $? "--compare of two programs by turns" out err

# Without --repeats, short runs are measured for long enough: 20 samples, each the mean of many runs.
"$SNLC" bench -v b.snl --filter=counted --threads=1 --json=long.json >out 2>err
{ [ "$(sed -n 's/^runs //p' out)" -gt 100 ] && [ "$(sed -n 's/.*"seconds": \[\([-0-9., ]*\)\].*/\1/p' long.json | tr -cd ',' | wc -c)" -eq 19 ]; } 2>>err
result $? "short runs are measured for a least time" out err

cat >bad.snl <<'END'
field i32 n;
layout { place n; }
benchmark "fails" { while (measure()) { n += 1; } assert(n == 0, "n is {}", n); }
benchmark "leaves" { while (measure()) { break; } }
benchmark "works" { while (measure()) { n += 1; } }
END
"$SNLC" bench bad.snl --repeats=3 >out 2>err
status=$?
{ [ $status -eq 1 ] && grep -q 'benchmark "fails" failed: ended with status 1' err && grep -q 'n is 6' err &&
    grep -q 'benchmark "leaves" failed: it ended before its loop did' err && grep -q '^works ' out && ! grep -q '^fails' out; }
result $? "a benchmark that fails is reported, the others are measured" out err

: >log
echo 'main { }' >none.snl
check() { # STATUS TEXT OPTION...
    want=$1 text=$2
    shift 2
    "$SNLC" bench "$@" >out 2>err
    status=$?
    { [ $status -eq "$want" ] && grep -q -e "$text" err; } || { echo "snlc bench $* gives $status"; cat err; } >>log
}
check 1 'has no benchmark' none.snl
check 1 'has no benchmark whose name contains xyz' b.snl --filter=xyz
check 64 'numbers from 1 to 65536' b.snl --threads=1,0
check 64 'numbers from 1 to 65536' b.snl --threads=1,100000
check 64 'numbers from 1 to 65536' b.snl --threads=two
check 64 'at least 1' b.snl --repeats=0
check 64 'bench needs a file'
check 64 'bench takes one file' b.snl none.snl
check 66 'cannot read' absent.snl
if has_feature jansson; then check 66 "cannot read 'absent.json': No such file" --compare absent.json absent.json; fi
check 73 'absent/b.json' b.snl --filter=other --repeats=1 --json=absent/b.json
test ! -s log
result $? "wrong use has its status and message" log

# Stopped in the second benchmark: the first is reported.
cat >long.snl <<'END'
param i32 rounds = 1000000000;
field i32 n;
layout { place n; }
kernel spin() { n += 1; }
benchmark "short" { while (measure()) { spin(); } }
benchmark "long" { print("started"); while (measure()) { for i in 0..rounds { spin(); } } }
END
"$SNLC" bench long.snl --filter=short --repeats=1 >log 2>&1
"$SNLC" bench long.snl --repeats=4 --json=long.json >out 2>err &
pid=$!
seconds=0
until ps -o args= --ppid $pid 2>/dev/null | grep -q 'snl-test=1' || [ $seconds -ge 60 ]; do
    sleep 0.2
    seconds=$((seconds + 1))
done
kill -TERM $pid
wait $pid
status=$?
{ [ $status -eq 143 ] && grep -q '^short ' out && grep -q '"short"' long.json && ! grep -q '"long"' long.json; }
result $? "a signal ends it, after a report of what was measured" out err
