#!/bin/sh
# The commands that faults.sh leaves out, and those that start processes, while calls of the C library fail one after another: no command
# dies of it or waits for ever, no partial file is ever taken for a whole one, nothing is left behind, and what succeeds is right.
# FAULT_STEP says every how many allocations one fails; check-long sets 1. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
case $CASE_MODES in *-san*) skip_all "sanitizers have an allocator of their own" ;; esac
folder=$(fresh_folder scripts/faults-commands)
cd "$folder" || exit 1
. "$SNL_SOURCE/tests/faults/calls.sh"
step=${FAULT_STEP:-5}
mkdir tmp
TMPDIR=$folder/tmp
export TMPDIR

cat >small.snl <<'PROGRAM'
import "part.snl";
field f32 a[N], b[N];
@tune(soa) layout grid { top: pointer i[4] { dense i[16] { place p, q; } } }
field f32 p, q;
kernel step() { for i in a { b[i] += a[i]; } for i in 0..64 { p[i] = f32(i); q[i] += p[i]; } }
kernel f32 sum() { f32 s = 0; for i in p { s += q[i]; } return s; }
main { step(); print("{}", sum()); }
benchmark "step" { step(); while (measure()) { step(); } print("{}", p[3]); }
test "step" { step(); assert(sum() == 2016.0); }
test "other" { step(); assert(p[5] == 5.0); }
PROGRAM
echo 'const N = 8;' >part.snl
printf 'field f32 x[4];\nkernel k() { for i in x { x[i] = 1 + y; } }\nmain { k(); print("%%d", x[0]) }\n' >wrong.snl

# What lies in the folder of the products, and what snlc leaves elsewhere.
no_leftovers() {
    for f in work/* work/.[!.]* tmp/* tmp/.[!.]*; do
        case $f in "work/*" | "work/.[!.]*" | "tmp/*" | "tmp/.[!.]*" | work/small.snl | work/part.snl | work/wrong.snl | work/product) ;;
        *) echo "$f is left behind"; rm -rf "$f"; return 1 ;;
        esac
    done
}
prepare() { rm -rf work && mkdir work && cp small.snl part.snl wrong.snl work/ && echo old >work/product; }

# The same output as without a fault, or a status that says what happened; in the product the old text or the whole new one.
judge_product() { # STATUS
    for f in work/product want; do # a tree may do with less
        sed 's/: [0-9]* bytes</: some bytes</' "$f" >tidy && cp tidy "$f"
    done
    same old work/product >/dev/null || same want work/product || return 1
    if [ "$1" = "$good" ]; then
        { same wanted out && same want work/product && same wanted.err err; } || { [ "$good" != 0 ] && grep -q 'E08\|E0110\|[Oo]ut of memory' err; } || return 1
    else
        is_clean "$1" || return 1
    fi
    no_leftovers
}
echo old >old
# Tries a command that prints something and, where {} stands among its words, writes work/product.
try_command() { # NAME CALLS COMMAND...
    title=$1 calls=$2
    shift 2
    prepare
    "$@" >wanted 2>wanted.err </dev/null
    good=$?
    cp work/product want
    for c in $calls; do
        try_calls "$title" snlc "${c%%-*}" "${c#*-}" judge_product "$@"
    done
}
all_calls="malloc-once malloc-on open-once write-once write-short close-once read-once rename-once"

# ---- commands that read a program ----
try_command check "malloc-once malloc-on open-once read-once close-once" "$SNLC" check work/wrong.snl
try_command "check in JSON" "malloc-once malloc-on" "$SNLC" check --diagnostics=sarif work/wrong.snl work/small.snl
try_command layout "malloc-once malloc-on open-once read-once" "$SNLC" layout work/small.snl
try_command "layout in SVG" "$all_calls" "$SNLC" layout --format=svg -o work/product work/small.snl
sed 's/print("{}", sum())/save("tree.snlt", grid)/' small.snl >saver.snl && "$SNLC" run -q --interpret saver.snl || { echo "Bail out! save"; exit 1; }
try_command "layout of active cells" "$all_calls" "$SNLC" layout --format=svg --active=tree.snlt -o work/product work/small.snl
try_command explain "malloc-once malloc-on" "$SNLC" explain E0301

judge_killed() { same old work/product >/dev/null || same broken.snl work/product; }
# Repairs: the file is as it was, or repaired. (It is the product.)
printf 'field f32 x[4];\nkernel k() { for i in x { x[i] = 1.0f; } }\nmain { k(); printf("a"); }\n' >old
prepare() { rm -rf work && mkdir work && cp old work/product; }
cp old broken.snl && "$SNLC" check -q --fix broken.snl 2>log
if cmp -s old broken.snl; then result 1 "check --fix repairs something" log; fi
judge_fix() { # STATUS
    same old work/product >/dev/null || same broken.snl work/product || return 1
    [ "$1" != 0 ] || same broken.snl work/product || return 1
    is_clean "$1" && no_leftovers
}
for c in $all_calls; do
    try_calls "check --fix" snlc "${c%%-*}" "${c#*-}" judge_fix "$SNLC" check -q --fix work/product
done
for call in open write close rename; do
    try_calls "check --fix" snlc "$call" kill judge_killed "$SNLC" check -q --fix work/product
done

# ---- the language server ----
if has_feature jansson; then
    say() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
    file="{\"textDocument\":{\"uri\":\"file://$folder/small.snl\"}"
    {
        say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
        say '{"jsonrpc":"2.0","method":"initialized","params":{}}'
        say "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file://$folder/small.snl\",\"text\":\"import \\\"part.snl\\\"; field f32 a[N];\\nkernel k() { a[0] = c; }\\n\"}}}"
        say "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"textDocument/hover\",\"params\":$file,\"position\":{\"line\":0,\"character\":29}}}"
        say "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"textDocument/completion\",\"params\":$file,\"position\":{\"line\":1,\"character\":13}}}"
        say "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"textDocument/definition\",\"params\":$file,\"position\":{\"line\":0,\"character\":31}}}"
        say "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"textDocument/formatting\",\"params\":$file,\"options\":{\"tabSize\":4,\"insertSpaces\":true}}}"
        say '{"jsonrpc":"2.0","id":6,"method":"shutdown"}'
        say '{"jsonrpc":"2.0","method":"exit"}'
    } >session
    cat >serve <<END
#!/bin/sh
exec "$SNLC" lsp <"$folder/session"
END
    chmod +x serve
    ./serve >wanted 2>log || result 1 "the session is played" log
    # Answers are whole, but for the last one of a server that ends with an error.
    judge_answers() { # STATUS
        if [ "$1" = 0 ]; then
            for id in 1 2 3 4 5 6; do grep -q "\"id\":$id[,}]" out || { echo "no answer to $id"; return 1; }; done
        fi
        is_clean "$1" && no_leftovers
    }
    prepare() { :; }
    step=${FAULT_STEP:-7} # it has 2,000 allocations
    for c in malloc-once malloc-on open-once read-once close-once; do
        try_calls lsp snlc "${c%%-*}" "${c#*-}" judge_answers ./serve
    done
    step=${FAULT_STEP:-5}
fi

# ---- commands that start processes ----
# Compiles each text once.
mkdir compiled
cat >cc <<END
#!/bin/sh
for word; do
    case \$word in *.c) source=\$word ;; esac
    if [ "\${before-}" = -o ]; then product=\$word; fi
    before=\$word
done
if [ -z "\${product-}" ]; then exec $TEST_CC "\$@"; fi
kept=$folder/compiled/\$(cksum <"\$source" | tr ' ' -)
[ -e "\$kept" ] || { $TEST_CC "\$@" && cp "\$product" "\$kept.new" && mv "\$kept.new" "\$kept"; } && cp "\$kept" "\$product"
END
chmod +x cc
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
echo old >old
prepare() { rm -rf work cache tmp && mkdir work tmp && cp small.snl part.snl work/ && cp old work/product; }
# A program holds the name of its file, for messages.
prepare
"$SNLC" build -q --cc="$folder/cc" -o program work/small.snl || { echo "Bail out! build"; exit 1; }

judge_build() { # STATUS
    same old work/product >/dev/null || same program work/product || return 1
    [ "$1" != 0 ] || same program work/product || return 1
    is_clean "$1" && no_leftovers
}
for c in malloc-once malloc-on close-once write-short read-once; do
    try_calls build snlc "${c%%-*}" "${c#*-}" judge_build "$SNLC" build -q --cc="$folder/cc" -o work/product work/small.snl
done

./program >wanted
judge_run() { # STATUS
    [ "$1" != 0 ] || same wanted out || return 1
    is_clean "$1" && no_leftovers
}
for c in malloc-once malloc-on close-once write-short read-once; do
    try_calls run snlc "${c%%-*}" "${c#*-}" judge_run "$SNLC" run -q --cc="$folder/cc" work/small.snl
done
prepare
"$SNLC" run -q --cc="$folder/cc" -o work/product work/small.snl >log 2>&1 || result 1 "run -o" log
cp work/product kept
judge_kept() { # STATUS
    [ ! -e work/product ] || same old work/product >/dev/null || same kept work/product || return 1
    [ "$1" != 0 ] || same kept work/product || return 1
    judge_run "$1"
}
for c in open-once close-once write-once read-once rename-once; do
    try_calls "run -o" snlc "${c%%-*}" "${c#*-}" judge_kept "$SNLC" run -q --cc="$folder/cc" -o work/product work/small.snl
done

# What a program says to bench goes through a file.
judge_measured() { # STATUS
    [ "$1" != 0 ] || { same wanted out && [ -e work/product ]; } || return 1
    is_clean "$1" && no_leftovers
}
for c in malloc-once malloc-on open-once close-once; do
    try_calls "a program that is measured" program "${c%%-*}" "${c#*-}" judge_measured ./program --snl-measure=0,1,1,0,0,work/product
done

# Tests, two at a time: whatever fails, none counts as passed that did not.
judge_test() { # STATUS
    [ "$1" != 0 ] || grep -q '^2 passed, 0 failed' out || return 1
    is_clean "$1" || { [ "$1" = 1 ] && grep -q '[1-9] failed' out; } || return 1
    no_leftovers
}
for c in malloc-once malloc-on fork-once exec-once exec-on open-once close-once read-once; do
    try_calls test snlc "${c%%-*}" "${c#*-}" judge_test "$SNLC" test -q -j2 --cc="$folder/cc" work/small.snl
done
for c in malloc-once malloc-on fork-once read-once; do
    try_calls "test --interpret" snlc "${c%%-*}" "${c#*-}" judge_test "$SNLC" test -q -j2 --interpret work/small.snl
done
judge_junit() { # STATUS
    same old work/product >/dev/null || [ "$(tail -n 1 work/product)" = "</testsuite>" ] || { echo "the product is not whole"; return 1; }
    [ "$1" != 0 ] || ! same old work/product >/dev/null || return 1
    judge_test "$1"
}
for c in malloc-once malloc-on open-once write-once write-short close-once rename-once; do
    try_calls "test --junit" snlc "${c%%-*}" "${c#*-}" judge_junit "$SNLC" test -q --interpret --junit=work/product work/small.snl
done

# Benchmarks: what was measured is written as a whole, or not at all.
judge_bench() { # STATUS
    same old work/product >/dev/null || [ "$(tail -n 1 work/product)" = ' ]}' ] || { echo "the product is not whole"; return 1; }
    [ "$1" != 0 ] || { grep -q step out && ! same old work/product >/dev/null; } || return 1
    is_clean "$1" && no_leftovers
}
bench="$SNLC bench --repeats=1 --warmup=0 --cc=$folder/cc --json=work/product work/small.snl"
for c in malloc-once malloc-on fork-once exec-once open-once write-once write-short close-once read-once rename-once; do
    # shellcheck disable=SC2086
    try_calls bench snlc "${c%%-*}" "${c#*-}" judge_bench $bench
done

cp work/product measured.json
prepare() { rm -rf work && mkdir work && cp old work/product; }
try_command "bench --compare" "malloc-once malloc-on open-once read-once" "$SNLC" bench --compare measured.json measured.json
prepare() { rm -rf work cache tmp && mkdir work tmp && cp small.snl part.snl work/ && cp old work/product; }

# Tuning: the layout that was found is written as a whole, or not at all.
judge_tune() { # STATUS
    same old work/product >/dev/null || [ "$(tail -n 1 work/product)" = "$last" ] || { echo "the product is not whole"; return 1; }
    [ "$1" != 0 ] || ! same old work/product >/dev/null || return 1
    is_clean "$1" && no_leftovers
}
tune="$SNLC tune --repeats=1 --warmup=0 --cc=$folder/cc -o work/product work/small.snl"
prepare
$tune >out 2>log || result 1 "tune" log
last=$(tail -n 1 work/product)
for c in malloc-once malloc-on fork-once exec-once open-once write-once write-short close-once read-once rename-once; do
    # shellcheck disable=SC2086
    try_calls tune snlc "${c%%-*}" "${c#*-}" judge_tune $tune
done

echo "# $count_hits faults"
echo "1..$count"
