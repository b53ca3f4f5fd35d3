#!/bin/sh
# snlc check --fix: every tests/cases/errors/*/fix_*.snl compiles when its fixes are made. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/fix)
mkdir "$folder/errors"
cd "$folder/errors" || exit 1
echo 'const FIXED = 1;' >fixed.snl

# The fixes of a file are made, once, and nothing is wrong with it then.
check_fixes() { # FILE
    cp "$1" mistake.snl
    "$SNLC" check --fix --color=never mistake.snl >out 2>log || return 1
    grep -q '^mistake.snl: [1-9][0-9]* fix' out || { echo "no fix was made"; return 1; } >>log
    cp mistake.snl fixed_once.snl
    "$SNLC" check --fix mistake.snl >out 2>>log && test ! -s out && cmp mistake.snl fixed_once.snl >>log 2>&1
}

set -- "$SNL_SOURCE"/tests/cases/errors/*/fix_*.snl
plan $(($# + 9))
for f; do
    check_fixes "$f"
    result $? "$(basename "$f")" log
done

cat >two.snl <<'SNL'
import "imported.snl";
field float x[4];
kernel f(double d) { x[0] = d; nothing(); }
SNL
echo 'func int g(int a) { return a; }' >imported.snl
cp imported.snl kept.snl
chmod 604 two.snl
"$SNLC" check --fix --color=never two.snl >out 2>log
test $? = 1 && test "$(cat out)" = "two.snl: 3 fixes" && cmp imported.snl kept.snl >>log && grep -q "f32(d)" two.snl &&
    ls -l two.snl | grep -q '^-rw----r--' && grep -q "'nothing' is not declared" log && grep -q "imported.snl:1:6: error" log
result $? "what cannot be fixed is reported, and files that are imported stay" log

cp two.snl again.snl
"$SNLC" check --fix -q two.snl >out 2>&1
cmp two.snl again.snl >>out 2>&1 && ! grep -q fixes out
result $? "a file without fixes is not touched" out

# The fix of the type and that of the value overlap in no place; those of nested casts do: one after the other.
echo 'field f32 x[4]; kernel f(f64 d, f64 e) { x[i32(d) + e] = 1.0; x[0 + d * e] = 1.0; }' >nested.snl
"$SNLC" check --fix --color=never nested.snl >out 2>log
test $? = 0 && "$SNLC" check nested.snl >>log 2>&1
result $? "fixes that show others are followed by those" log

echo 'field f32 x[8], y[4, 4]; kernel k() { for i in x { x[i] = y[i % 4, (i - 1) % 4]; } for I in y { y[I] = y[(I - 1) % 4]; } if (x[0] == 1 / 2) { x[0]; } }' >warned.snl
"$SNLC" check --fix --color=never warned.snl >out 2>log
test $? = 0 && test "$(cat out)" = "warned.snl: 2 fixes" && grep -q 'y\[i % 4, floormod(i - 1, 4)\]' warned.snl &&
    grep -q 'y\[floormod(I - 1, 4)\]' warned.snl && grep -q '1 / 2' warned.snl
result $? "fixes of warnings are made, but for those that could change what is meant" log

"$SNLC" check --fix missing.snl >out 2>log
test $? = 66 && test ! -s out && grep -q 'E0801' log
result $? "a file that cannot be read" log

echo 'field float x[4];' >read.snl
"$SNLC" check --diagnostics=json read.snl 2>&1 | grep -q '"fixes": \["f32"\], "edits": \[{"file": "read.snl", "line": 1, "column": 7, "end_line": 1, "end_column": 12, "text": "f32"}\]'
result $? "JSON diagnostics tell what to replace"

"$SNLC" check --diagnostics=sarif read.snl 2>&1 | grep -q '"replacements": \[{"deletedRegion": {"startLine": 1, "startColumn": 7, "endLine": 1, "endColumn": 12}, "insertedContent": {"text": "f32"}}\]'
result $? "SARIF diagnostics tell what to replace"

printf 'kernel f() {\n    i32 n = 3\n    n++;\n}\n' >shown.snl
"$SNLC" check --color=never shown.snl 2>&1 | sed -n 's/^  fix: //p' >out
printf "insert ';'\n +=  1\n" | sed '2d' >wanted
head -n 1 out | cmp - wanted >log 2>&1
result $? "an insertion is shown as one" out

# A round that breaks the syntax is taken back; no known fix does, so all there is to see is that it ends.
printf 'kernel f() { if (a = b) c }' >open.snl
"$SNLC" check --fix open.snl >out 2>&1
test $? = 1
result $? "fixing ends" out
