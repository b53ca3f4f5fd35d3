#!/bin/sh
# What other programs read is well formed: layouts as JSON, SVG and dot, diagnostics as JSON and SARIF, reports. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/formats)
cases=$SNL_SOURCE/tests/cases
cd "$folder" || exit 1

# Readers: a checker of JSON, of XML, of dot; each may be missing.
json=
for tool in "python3 -m json.tool" jq; do
    # shellcheck disable=SC2086
    if echo '{}' | $tool >/dev/null 2>&1; then json=$tool; fi
done
xml=${XMLLINT:+$XMLLINT --noout}
dot=
if echo 'digraph { }' | dot -Tplain >/dev/null 2>&1; then dot="dot -Tplain -o /dev/null"; fi

# Every line of a file is a JSON value, or the whole file is one.
json_lines() { # FILE
    while IFS= read -r line; do
        # shellcheck disable=SC2086
        echo "$line" | $json >/dev/null || { echo "$line"; return 1; }
    done <"$1"
}
json_whole() { # FILE
    # shellcheck disable=SC2086
    $json <"$1" >/dev/null
}
xml_whole() { # FILE
    # shellcheck disable=SC2086
    $xml "$1"
}
dot_whole() { # FILE
    # shellcheck disable=SC2086
    $dot "$1"
}

# One kind of output of every case that the command takes.
check_all() { # NAME TOOL READER FORMAT
    if [ -z "$2" ]; then skip "$1" "nothing here reads it"; return; fi
    : >log
    for f in $(sh "$SNL_SOURCE/tests/list-cases" run | sed -n "/cases\/run\//!s|^|$SNL_SOURCE/|p"); do
        "$SNLC" layout --format="$4" "$f" >output 2>errors || { echo "$f: layout fails"; cat errors; }
        "$3" output || echo "$f: not well formed"
    done >log 2>&1
    test ! -s log
    result $? "$1" log
}

has_target() { case $CASE_MODES in *c[0-9]*) ;; *) return 1 ;; esac; }

plan 19
check_all "layouts as JSON" "$json" json_whole json
check_all "layouts as SVG" "$xml" xml_whole svg
check_all "layouts as dot" "$dot" dot_whole dot

# Names and texts with everything that needs an escape.
mkdir 'a "b" <c> & d'
odd='a "b" <c> & d/e.snl'
printf 'field f32 x[4]; kernel k() { x["a\\"b<&>"] = 1; }\n// \351\n' >"$odd"
"$SNLC" check --diagnostics=json "$odd" 2>odd.json
"$SNLC" check --diagnostics=sarif "$odd" 2>odd.sarif
for f in "$cases"/errors/*/*.snl; do "$SNLC" check --diagnostics=json "$f"; done >out.txt 2>all.json
if [ -z "$json" ]; then
    for n in "odd names in JSON" "odd names in SARIF" "all errors as JSON" "all errors as SARIF"; do skip "$n" "nothing here reads JSON"; done
else
    { test -s odd.json && json_lines odd.json; } >log 2>&1
    result $? "odd names in JSON" log
    { test -s odd.sarif && json_whole odd.sarif; } >log 2>&1
    result $? "odd names in SARIF" log
    # One reader for all lines: a list of them.
    { echo '['; sed '$!s/$/,/' all.json; echo ']'; } >list.json
    { [ "$(wc -l <all.json)" -gt 200 ] && [ ! -s out.txt ] && json_whole list.json; } >log 2>&1
    result $? "all errors as JSON" log
    for f in "$cases"/errors/*/*.snl; do
        "$SNLC" check --diagnostics=sarif "$f" 2>one.sarif
        json_whole one.sarif || echo "$f"
    done >log 2>&1
    test ! -s log
    result $? "all errors as SARIF" log
fi

# SARIF is one document, however many files there are; columns count characters.
cat >several.py <<'END'
import json, sys
run, = json.load(open("several.sarif"))["runs"]
codes = sorted({r["ruleId"] for r in run["results"]})
empty, = json.load(open("none.sarif"))["runs"]
usage, = json.load(open("usage.sarif"))["runs"]
column = json.load(open("column.sarif"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startColumn"]
said = [n["message"]["text"] for r in run["results"] for n in r["relatedLocations"]]
print(codes, empty, usage, column, said)
sys.exit(codes != ["E0201", "W0401", "W0601"] or empty["results"] != [] or usage["results"][0]["ruleId"] != "E0804" or column != 23
         or not any(t.startswith("fix: @packed") for t in said) or not any("16384 bytes" in t for t in said))
END
echo "field f32 p[18, 65], x[65536], y[65536]; field i32 at[65536]; kernel k() { for i in x { y[i] = x[at[i]]; } }" >padded.snl
echo "kernel k() { x = 1.0; }" >broken.snl
echo "main { }" >clean.snl
echo 'kernel k() { /* 中文 */ x = 1.0; }' >wide.snl
if [ "$json" ] && python3 -c 'import json' 2>/dev/null; then
    {
        "$SNLC" compile -j2 -Wperf --diagnostics=sarif padded.snl broken.snl 2>several.sarif
        "$SNLC" check --diagnostics=sarif clean.snl 2>none.sarif
        "$SNLC" check --bogus --diagnostics=sarif 2>usage.sarif
        "$SNLC" check --diagnostics=sarif wide.snl 2>column.sarif
        python3 several.py
    } >log 2>&1
    result $? "several files are one document of SARIF" log
else
    skip "several files are one document of SARIF" "nothing here reads JSON"
fi

# SARIF_SCHEMA may name the schema of the standard, sarif-schema-2.1.0.json; what we have is the part that is needed.
if python3 -c 'import jsonschema' 2>/dev/null; then
    for f in "$cases"/errors/*/*.snl "$odd"; do
        "$SNLC" check --diagnostics=sarif "$f" 2>one.sarif
        if [ -s one.sarif ]; then tr -d '\n' <one.sarif; echo; fi
    done >all.sarif
    python3 - "${SARIF_SCHEMA:-$SNL_SOURCE/tests/files/sarif.schema.json}" all.sarif >log 2>&1 <<'END'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
validator = jsonschema.validators.validator_for(schema)(schema)
count = 0
for line in open(sys.argv[2], encoding="utf-8"):
    count += 1
    for error in validator.iter_errors(json.loads(line)):
        print(list(error.absolute_path), error.message)
        sys.exit(1)
sys.exit(count < 100)
END
    result $? "all errors are as the schema of SARIF says" log
else
    skip "all errors are as the schema of SARIF says" "Python's jsonschema is missing"
fi

# The same errors in all three formats.
for f in "$cases"/errors/*/*.snl; do
    "$SNLC" check --color=never "$f" 2>&1 | sed -n 's/^[^ ]*:\([0-9]*\):\([0-9]*\): \(error\|warning\): .*\[\(.*\)\]$/\1 \2 \4/p' >text.list
    "$SNLC" check --diagnostics=json "$f" 2>&1 | sed -n 's/^{"file": "[^"]*", "line": \([0-9]*\), "column": \([0-9]*\),.* "code": "\([EW0-9]*\)", .*/\1 \2 \3/p' >json.list
    cmp text.list json.list || echo "$f"
done >log 2>&1
test ! -s log
result $? "text and JSON say the same" log

# Colour only where it is asked for.
"$SNLC" check --color=always "$odd" 2>colour.txt
"$SNLC" check "$odd" 2>plain.txt
escape=$(printf '\033')
grep -q "$escape\[" colour.txt && ! grep -q "$escape" plain.txt && sed "s/$escape\[[0-9;]*m//g" colour.txt | cmp - plain.txt
result $? "colour is only colour"

# An address that snlc layout gives is the one that the program prints.
cat >at.snl <<'PROGRAM'
field f32 a; field i64 b; field f32x3 v; field u8 c;
@packed layout { dense i[3] { place a, b; dense j[5] { place c; } } dense ij[4, 4] { place v; } }
main {
    print("{}", address(a[2]) - address(a[0]));
    print("{}", address(b[1]) - address(a[0]));
    print("{}", address(c[2, 3]) - address(a[0]));
    print("{}", address(v[2, 1].y) - address(v[0, 0].x));
}
PROGRAM
for e in 'a[2]' 'b[1]' 'c[2,3]' 'v[2,1].y'; do
    "$SNLC" layout --at "$e" at.snl | sed -n 's/.*byte \([0-9]*\) of the container.*/\1/p' | head -n 1
done >layout.txt 2>&1
"$SNLC" run --interpret at.snl >program.txt 2>&1
{ [ "$(wc -l <layout.txt)" = 4 ] && diff layout.txt program.txt; } >log 2>&1
result $? "snlc layout --at and address() agree" log

# The order in memory: the third element of a row lies after the first of the next in a column-major layout; padding is grey.
cat >order.snl <<'PROGRAM'
field f32 row, column, pair; field u8 small;
layout { dense ij[2, 3] { place row; } }
@packed layout { dense ji[3, 2] { place column; } }
layout { dense i[4] { place pair, small; } }
PROGRAM
"$SNLC" layout -Wno-W0401 --format=svg order.snl >order.svg 2>log &&
    grep -q '<polyline points="67.0,[0-9]* 89.0,[0-9]* 111.0,[0-9]* 67.0,[0-9]* 89.0,[0-9]* 111.0,[0-9]*"' order.svg &&
    grep -q '<polyline points="67.0,[0-9]* 67.0,[0-9]* 89.0,[0-9]* 89.0,[0-9]* 111.0,[0-9]* 111.0,[0-9]*"' order.svg &&
    [ "$(grep -c '<title>3 bytes of padding</title>' order.svg)" = 4 ] && grep -q '<title>row 1,2: f32, 4 bytes</title>' order.svg
result $? "the order in memory and padding in drawings" log

# Drawings fit any page: they have a box of view no larger than what is drawn, keep blanks, follow dark pages; blocks of 16 and 32 have lines.
cat >blocks.snl <<'PROGRAM'
field f32 x, y;
layout { dense ij[4, 4] { dense ij[16, 16] { place x; } } }
layout { dense ij[4, 4] { dense ij[32, 32] { place y; } } }
PROGRAM
"$SNLC" layout --format=svg blocks.snl >blocks.svg 2>log &&
    grep -q '<svg .*width="\([0-9]*\)" height="\([0-9]*\)" viewBox="0 0 \1 \2" xml:space="preserve"' blocks.svg &&
    grep -q 'white-space: pre' blocks.svg && grep -q 'prefers-color-scheme: dark' blocks.svg &&
    [ "$(sed -n 's/^<svg .*width="\([0-9]*\)".*/\1/p' blocks.svg)" -lt 900 ] &&
    [ "$(grep -c '<path d="M 56.0 [0-9]* h 352" stroke="#222"' blocks.svg)" = 6 ] &&
    [ "$(grep -c '<path d="M 232.0 [0-9]* v 352" stroke="#222"' blocks.svg)" = 2 ] &&
    grep -q '>of 128 x 128, a square is 2 x 2<' blocks.svg
result $? "drawings fit any page and show blocks of 16 and more" log

# Containers and cells in all, and which axis of storage an index is.
cat >counts.snl <<'PROGRAM'
param i32 n = 4;
field f32 b, p, q;
layout { dense j[32] { dense i[16] { place b; } } }
layout { pointer ik[3, 4] { dense k[8] { place p; } } }
layout { dense i[n] { dense j[2] { place q; } } }
PROGRAM
"$SNLC" layout --format=json counts.snl 2>log | sed -n 's/^ *"containers_in_all": \(.*\), "cells_in_all": \(.*\), "physical_index_position": {\(.*\)},/\1 \2 \3/p' >counts.txt
diff - counts.txt >>log <<'COUNTS'
1 32 "0": -1, "1": 0
32 512 "0": 1, "1": 0
1 16 "0": 0, "1": -1, "2": 1
16 128 "0": 0, "1": -1, "2": 1
1 null "0": 0
null null "0": 0, "1": 1
COUNTS
result $? "layouts as JSON count containers and cells, and map indices" log

# What is active in a saved layout.
cat >saved.snl <<'PROGRAM'
field f32 x, y;
param i32 n = 4;
field u8 z;
layout first { a: pointer i[8] { place y; } }
layout tree { b: pointer ij[4, 4] { bm: bitmasked ij[4, 4] { place x; } } }
layout last { c: bitmasked i[n] { place z; } }
main { x[0, 0] = 1.0; x[0, 3] = 1.0; x[15, 15] = 0.0; save("saved.snlt", tree); save("last.snlt", last); }
PROGRAM
if has_target; then
    "$SNLC" run -q saved.snl && "$SNLC" layout --active=saved.snlt saved.snl >active.svg 2>log &&
        grep -q '>S1pointer b: 2 of 16 cells are active; i down, j to the right<' active.svg &&
        grep -q '>S2bitmasked bm: 3 of 256 cells are active' active.svg && [ "$(grep -c 'fill-opacity' active.svg)" = 5 ] &&
        grep -q "<text.*>layout 'tree': " active.svg && { [ -z "$xml" ] || xml_whole active.svg; }
    result $? "active cells of a saved layout" log
    head -c 60 saved.snlt >short.snlt
    "$SNLC" layout --active=short.snlt saved.snl >out.txt 2>log
    [ $? = 66 ] && [ ! -s out.txt ] && grep -q "cannot load 'short.snlt': it ends too early, before offset 60" log
    result $? "a damaged layout is not drawn, and its own layout says so" log
    "$SNLC" layout --active=last.snlt saved.snl >out.txt 2>log
    [ $? = 66 ] && [ ! -s out.txt ] && grep -q "no sparse layout of constant sizes; those of layout 'last' are known at run time only" log
    result $? "nor one of sizes that are known at run time" log
else
    skip "active cells of a saved layout" "there is no compiled mode"
    skip "a damaged layout is not drawn" "there is no compiled mode"
    skip "nor one of sizes that are known at run time" "there is no compiled mode"
fi

# With --diagnostics=json there is nothing but JSON on standard error, whatever is asked for and whoever fails.
if [ "$json" ]; then
    printf 'param i32 n = 1; main { print("{}", n); } test "t" { assert(n > 0); } benchmark "b" { assert(n > 1, "no"); while (measure()) { } }\n' >all.snl
    XDG_CACHE_HOME=$folder/cache
    export XDG_CACHE_HOME
    for words in "build -v --stats" "build -###" "build -Xcc --nonsense" "build --cc=false" "run -v -O1" "run -Xcc --nonsense" "run --cc=/nonexistent/cc" \
        "test -v" "test -Xcc --nonsense" "bench -v" "check --nonsense" "compile -o no/such/x.c" "fmt --check" "check missing.snl" "check -"; do
        # shellcheck disable=SC2086
        "$SNLC" $words --diagnostics=json all.snl >out 2>err
        json_lines err || echo "$words"
        case $words in *nonsense | *false) [ -s err ] || echo "$words: nothing is said" ;; esac
    done >log 2>&1
    "$SNLC" build -Xcc --nonsense --diagnostics=json all.snl 2>&1 | grep -q '"message": ".*failed (status .*nonsense.*the command was' || echo "what the compiler said is lost" >>log
    "$SNLC" build -v --diagnostics=json all.snl | grep -q ' all.c\|/all.c' || echo "the command is lost" >>log
    test ! -s log
    result $? "nothing but JSON on standard error" log
else
    skip "nothing but JSON on standard error" "nothing here reads JSON"
fi
