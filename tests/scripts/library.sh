#!/bin/sh
# The standard library as a part of programs: where it is found, whose names count, what of it is compiled and exported. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/library)
cd "$folder" || exit 1
plan 13
library=$SNL_SOURCE/share/snl/std

cat >sums.snl <<'EOF'
import "std/scan.snl";
import "std/sort.snl";
field i32 x[40], y[40], scan_work[8];
kernel ones() { for i in x { x[i] = 1; } }
host i32 sums() { ones(); return scan_inclusive(x, 40, y, scan_work); }
main { print("{} {}", sums(), y[9]); }
EOF
"$SNLC" run sums.snl >out 2>log && grep -qx '40 10' out && "$SNLC" run --interpret sums.snl >out 2>>log && grep -qx '40 10' out
result $? "a program that uses the library runs" log

# Of what is not called there is no code; nothing of the library has a name in C or in the manifest.
"$SNLC" compile --manifest=sums.json -MD -o sums.c sums.snl >log 2>&1
! grep -nE 'scan_(incl|excl|all)|sort_' sums.h >>log && ! grep -nE '"c_name": *"[^"]*(scan_incl|scan_all|sort_)' sums.json >>log &&
    ! grep -n 'sort_' sums.c >>log && grep -q scan_all sums.c
result $? "nothing of the library is exported, and what is not called is not compiled" log

tr ' ' '\n' <sums.d >words
grep -q 'std/scan\.snl$' words && grep -q 'std/sort\.snl$' words
result $? "the depfile lists the files of the library" words

# Errors at run time and lines of C name a file as imports do, wherever it is installed.
echo 'import "std/scan.snl"; field i32 a[4], b[4]; main { scan_inclusive(a, 9, b, b); }' >late.snl
for how in --interpret -O1; do
    "$SNLC" run $how late.snl 2>&1 >out | grep -q '^std/scan\.snl:[0-9]*: scan: n is 9, x has 4' || echo "$how: another message"
done >log 2>&1
"$SNLC" compile -o sums.c sums.snl && ! grep -n "$SNL_BUILD" sums.c >>log && test ! -s log && grep -q '^#line [0-9]* "std/scan\.snl"' sums.c
result $? "errors at run time and C name a file of the library as imports do" log

# An item of the program hides one of the library from the program alone.
cat >hides.snl <<'EOF'
import "std/scan.snl";
field i32 x[40], y[40], work[8];
const SCAN_LANES = 0;
func i32 scan_add(i32 a, i32 b) { return 100; }
host i32 scan_exclusive(i32 a) { return a + scan_add(1, 2); }
test "the program's own" { assert(scan_exclusive(5) == 105 && SCAN_LANES == 0); }
test "the library's own" {
    fill(x, 2);
    assert(scan_inclusive(x, 40, y, work) == 80 && scan_inclusive_with(x, 40, y, 0, scan_add, work) == 100);
}
EOF
"$SNLC" test -Werror hides.snl >log 2>&1 && "$SNLC" test --interpret hides.snl >>log 2>&1
result $? "items of the program hide those of the library, and change nothing in it" log
"$SNLC" compile -o hides.c hides.snl >log 2>&1 && grep -q 'hides_scan_exclusive(hides \*' hides.h
result $? "they are exported by their names" log

echo 'import "std/scan.snl"; import "own.snl"; const a = 1;' >two.snl
echo 'const a = 2;' >own.snl
"$SNLC" check two.snl >out 2>log
test $? = 1 && grep -q "'a' is declared twice" log
result $? "other files hide nothing" log

mkdir -p first/std
echo 'const N = 3;' >first/std/scan.snl
echo 'import "std/scan.snl"; main { print("{}", N); }' >path.snl
"$SNLC" run -I first path.snl >out 2>log && grep -qx 3 out && SNLC_PATH=first "$SNLC" run path.snl >out 2>log && grep -qx 3 out
result $? "the folders of -I and SNLC_PATH come before the library" log

echo 'import "std/no.snl"; import "std/../../../snl.snl"; import "scan.snl";' >missing.snl
"$SNLC" check missing.snl >out 2>log
test $? = 1 && test "$(grep -c 'E0110\]$' log)" = 3
result $? "a file that the library does not have" log

# An error in an instance names the call in the program.
echo 'import "std/scan.snl"; field bool b[4]; main { scan_inclusive(b, 4, b, b); }' >wrong.snl
"$SNLC" check wrong.snl >out 2>log
test $? = 1 && grep -q "^wrong.snl:1:.*in 'scan_inclusive' with x = b" log
result $? "an error in the library names the call" log

# Each file by itself: no errors or warnings, in canonical form, no names but those that begin with its word.
for file in "$library"/*.snl; do
    word=$(basename "$file" .snl)
    "$SNLC" check -Werror -I "$SNL_SOURCE/share/snl" "$file" || echo "$file is wrong"
    "$SNLC" fmt --check "$file" || echo "$file is not in canonical form"
    sed -n 's/^\(func\|kernel\|host\) \([^(]* \)*\([A-Za-z_0-9]*\)(.*/\3/p; s/^const \([A-Za-z0-9]* \)*\([A-Za-z_0-9]*\)\(\[.*\]\)* = .*/\2/p' "$file" |
        tr 'A-Z' 'a-z' | grep -v "^${word}_" | sed "s|^|$word.snl: |"
    grep -nE '^(main|test|benchmark|field|layout|param) ' "$file"
done >log 2>&1
test ! -s log
result $? "files of the library are right by themselves, and keep to their word" log

# What stands before the mark of what is inside has a comment, and so is in the manual.
for file in "$library"/*.snl; do
    awk -v name="$(basename "$file")" '
        /^\/\/ ---- inside ----/ { exit }
        /^(func|kernel|host) / && before !~ /^\/\// { print name ": " $0 }
        { before = $0 }' "$file"
done >log
test ! -s log
result $? "every public function has a comment" log
for file in "$library"/*.snl; do
    sed '/^\/\/ ---- inside ----/,$d' "$file" | sed -n 's/^\(func\|kernel\|host\) \([^(]* \)*\([A-Za-z_0-9]*\)(.*/\3/p'
done >public
while read -r name; do grep -q "^\.It .*[ \"]$name(" "$SNL_BUILD/man/snl-std.7" || echo "snl-std(7) does not have $name"; done <public >log
test ! -s log && test -s public
result $? "snl-std(7) has every public function" log
