#!/bin/sh
# What executables report of a run: --stats prints calls and times of kernels and the memory of nodes, --trace writes every call.
# Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT
case " $CASE_MODES " in *" c"[0-9]*) ;; *) skip_all "no mode with a C compiler in $CASE_MODES" ;; esac
folder=$(fresh_folder scripts/reports)
cd "$folder" || exit 1
plan 25

cat >work.snl <<'END'
field f32 x, y;
field i32 item;
layout grid { dense i[64] { place x, y; } }
layout { b: pointer i[16] { dense i[4] { place item; } } }
field f32 u, w;
layout { bitmasked i[4] { place u, w; } }
param bool fail = false;
kernel step() { for i in x { x[i] = x[i] + 0.5; } }
kernel fill_items(i32 n) { for i in 0..n { item[i] = i; } }
kernel scale(field f32[] f, f32 by) { for i in f { f[i] = f[i] * by; } }
kernel i32 early(i32 n) {
    if (n > 3) { return 1; }
    return 0;
}
kernel stop() { for i in x { assert(x[i] < 0.0); } }
kernel never() { for i in x { x[i] = 0.0; } }
main {
    for i in 0..10 { step(); }
    fill_items(9);
    scale(x, 2.0);
    scale(y, 2.0);
    print("{}", early(4) + early(0));
    if (fail) { stop(); }
    if (x[0] < 0.0) { never(); }
}
END
"$SNLC" build work.snl -o work >log 2>&1
result $? "the program is built" log

# The line of a table that begins with NAME holds these words behind it.
has_row() { # FILE NAME WORD...
    file=$1 row=$(grep -F -e "$2 " "$1")
    what=$2
    shift 2
    for word; do
        case " $(echo "$row" | tr -s ' ') " in *" $word "*) ;; *) { echo "no '$word' behind '$what':"; cat "$file"; } >log; return 1 ;; esac
    done
}

./work >out.txt 2>err.txt
status=$?
[ "$status" = 0 ] && [ "$(cat out.txt)" = 1 ] && [ ! -s err.txt ]
result $? "nothing is reported unless it is asked for" err.txt

./work --stats --trace=calls.json >out.txt 2>stats.txt
status=$?
[ "$status" = 0 ] && [ "$(cat out.txt)" = 1 ]
result $? "reports change nothing else" stats.txt

has_row stats.txt "step" 10
result $? "ten calls of a kernel" log
has_row stats.txt "fill_items" 1 && has_row stats.txt "early" 2
result $? "calls that return early count" log
has_row stats.txt "scale(f = x)" 1 && has_row stats.txt "scale(f = y)" 1
result $? "instances of a generic kernel are told apart" log
! grep -q never stats.txt
result $? "kernels that were not called are left out" stats.txt
awk '/^kernel/ { on = 1; next } !NF { on = 0 }
     on && NF && $1 !~ /^\(/ { n = NF; sum += $(n - 4); if (last != "" && $(n - 4) > last) bad = 1; last = $(n - 4);
                               if ($(n - 1) + 0 > $(n - 2) + 0 || $(n - 2) + 0 > $n + 0) bad = 1 }
     $1 == "(all" { all = $3 }
     END { if (sum - all > 1e-4 || all - sum > 1e-4) bad = 1; exit bad }' stats.txt
result $? "times: sorted, least <= mean <= most, the sum is the sum" stats.txt

has_row stats.txt "layout 'grid'" 512 && has_row stats.txt "  S1dense" 64 512
result $? "a dense layout" log
has_row stats.txt "S1pointer b" 3 && has_row stats.txt "    S2dense" 12
result $? "active cells of sparse nodes" log
"$SNLC" layout work.snl | sed -n 's/^\(layout.*\)  (/\1 (/p' >titles.txt
printf "%s\n" "layout 'grid' (work.snl:3)" "layout 2 (work.snl:4)" "layout 3 (work.snl:6)" | diff - titles.txt >log &&
    sed -n 's/^\(layout.*)\).*/\1/p' stats.txt | diff titles.txt - >>log
result $? "layouts have the titles of snlc layout, and their places" log

# Every event on a line of its own; brackets pair up.
[ "$(grep -c '"cat": "kernel"' calls.json)" = 15 ] && [ "$(grep -c '"name": "step"' calls.json)" = 10 ]
result $? "an event for each call" calls.json
tr -d '\n' <calls.json | grep -q '^{"displayTimeUnit": "ms", "traceEvents": \[.*\], "otherData": {[^{}]*}}$' &&
    awk '/"cat": "kernel"/ { if (!match($0, /"ts": [0-9.]+/)) exit 1; ts = substr($0, RSTART + 6, RLENGTH - 6) + 0; if (ts < last) exit 1; last = ts }' calls.json
result $? "the form of a trace; events are in order" calls.json
if command -v python3 >/dev/null 2>&1; then
    python3 "$SNL_SOURCE/tests/files/trace.py" calls.json >log 2>&1
    result $? "the trace is JSON of the form that Chrome and Perfetto read" log
else
    skip "the trace is JSON of the form that Chrome and Perfetto read" "python3 is missing"
fi

./work --fail --stats --trace=failed.json >out.txt 2>stats.txt
status=$?
[ "$status" = 1 ] && has_row stats.txt "stop" 1 && grep -q '"name": "stop"' failed.json && grep -q 'work.snl:.*assertion' stats.txt
result $? "a run that fails is reported, too" stats.txt

./work --trace=no/such/folder.json >out.txt 2>err.txt
[ $? = 74 ] && grep -q 'no/such/folder.json' err.txt
result $? "a trace that cannot be written" err.txt

if [ -c /dev/full ]; then
    ./work --stats >out.txt 2>/dev/full
    status=$?
    ./work --stats >out.txt 2>&-
    [ $? = 74 ] && [ "$status" = 74 ]
    result $? "statistics that cannot be written" out.txt
else
    skip "statistics that cannot be written" "there is no /dev/full"
fi

cat >many.snl <<'END'
field f32 x[4];
kernel touch() { for i in x { x[i] += 1.0; } }
main { for i in 0..20000 { touch(); } }
END
"$SNLC" build many.snl -o many >log 2>&1 && ./many --trace=many.json --stats 2>stats.txt && has_row stats.txt "touch" 20000 &&
    [ "$(grep -c '"cat": "kernel"' many.json)" = 20000 ] && grep -q '"events not in the trace": 0' many.json
result $? "many calls" log

"$SNLC" run --interpret work.snl -- --fail --stats --trace=interpreted.json >out.txt 2>stats.txt
[ $? = 1 ] && has_row stats.txt "step" 10 && has_row stats.txt "stop" 1 && [ "$(grep -c '"cat": "kernel"' interpreted.json)" = 16 ] &&
    grep -q '"name": "step", .*{"path": "work.snl", "line": 8}' interpreted.json
result $? "the interpreter counts kernels, too" stats.txt

# What a kernel is made of lies inside of its call: loops under their names in the C source, lists of cells, collections.
cat >parts.snl <<'END'
layout t { b: pointer ij[64, 64] { dense ij[8, 8] { place x; } } }
field f32 x;
layout { list: dynamic i[4096] { place item; } }
field i32 item;
kernel begin(i32 n) { for i in 0..n { x[i * 8, i] = f32(i); } }
kernel push(i32 n) { for i in 0..n { append(list, i); } }
kernel f32 work() { f32 s = 0; for i, j in x { s += x[i, j]; } for i, j in b { deactivate(b[i, j]); } return s; }
main { for k in 0..6 { begin(10); push(9); print("{}", work()); } }
END
"$SNLC" build parts.snl -o parts >log 2>&1 && ./parts --stats --trace=parts.json >out.txt 2>stats.txt &&
    [ "$(grep -c '"cat": "gc"' parts.json)" = 6 ] && grep -q '"cat": "list", "name": "b".*{"cells": 10}' parts.json && grep -q '"name": "memory"' parts.json &&
    grep -q '"cat": "loop", "name": "for i in 0..n".*{"iterations": 10, "path": "parts.snl", "line": 5}' parts.json &&
    grep -q '"cat": "loop", "name": "for i in 0..n", .*{"iterations": 9, "path": "parts.snl", "line": 6}' parts.json &&
    grep -q '"cat": "kernel", "name": "work", .*{"path": "parts.snl", "line": 7}' parts.json && ! grep 'parts_.*_loop' parts.json
result $? "loops, lists, collections and memory in a trace" parts.json
if command -v python3 >/dev/null 2>&1; then
    python3 - parts.json >log 2>&1 <<'END'
import json, sys
events = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"]
calls = [e for e in events if e["cat"] == "kernel"]
for e in events:
    assert any(c["ts"] - 0.01 <= e["ts"] and e["ts"] + e["dur"] <= c["ts"] + c["dur"] + 0.01 for c in calls), e
END
    result $? "the trace is JSON, and what kernels do lies inside of their calls" log
else
    skip "the trace is JSON, and what kernels do lies inside of their calls" "python3 is missing"
fi

# Each thread has a track with its part of each loop, in the loop; one thread has the track of kernels.
cat >wide.snl <<'END'
field f32 x[1 << 20];
kernel f32 work() {
    f32 s = 0;
    for i in x { s += sin(f32(i)); }
    return s;
}
main { for k in 0..3 { print("{}", work() < 1.0); } }
END
"$SNLC" build wide.snl -o wide >log 2>&1 && ./wide --threads=3 --trace=wide.json >>log && ./wide --threads=1 --trace=narrow.json >>log &&
    grep -q '"tid": 2, "args": {"name": "thread 1"}' wide.json && grep -q '"tid": 3, "args": {"name": "thread 2"}' wide.json &&
    [ "$(grep -c '"cat": "thread", "name": "for i in x", .*"line": 4' wide.json)" = 9 ] && [ "$(grep -c thread_name narrow.json)" = 1 ] && ! grep -q '"cat": "thread"' narrow.json
result $? "a track for each thread" wide.json
if command -v python3 >/dev/null 2>&1; then
    python3 "$SNL_SOURCE/tests/files/trace.py" wide.json narrow.json >log 2>&1
    result $? "the tracks of threads have the form that Chrome and Perfetto read" log
else
    skip "the tracks of threads have the form that Chrome and Perfetto read" "python3 is missing"
fi

# What Chrome's viewer and Perfetto ask of a trace, of all of them; a trace that breaks a rule is found.
if command -v python3 >/dev/null 2>&1; then
    "$SNLC" compile -o work.c --time-trace=compile.json work.snl 2>log
    { python3 "$SNL_SOURCE/tests/files/trace.py" calls.json failed.json many.json interpreted.json parts.json compile.json; } >>log 2>&1
    result $? "all traces have the form that Chrome and Perfetto read" log
    broken=0
    for change in 's/"ph": "X"/"ph": "B"/' 's/"tid": 1, "ts"/"ts"/' 's/"dur": /"dur": -/' '/process_name/d' 's/"bytes": [0-9]*/"bytes": "many"/' \
        '/"cat": "kernel"/s/"ts": /"ts": 1/' 's/"thread_name"/"thread"/'; do
        sed "$change" parts.json >broken.json
        python3 "$SNL_SOURCE/tests/files/trace.py" broken.json >>broken.txt 2>&1 && echo "not found: $change" >>log && broken=1
    done
    result $broken "a trace that breaks a rule is found" log
else
    skip "all traces have the form that Chrome and Perfetto read" "python3 is missing"
    skip "a trace that breaks a rule is found" "python3 is missing"
fi
