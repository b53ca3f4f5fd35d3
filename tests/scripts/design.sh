#!/bin/sh
# doc/design.md is true where a script can tell: every pass has its entry, every folder its section, every file and name that it
# mentions exists, and the pass that it adds compiles. So do files that comments of the sources mention. What its section 2 prints is tried by tests/run-page. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/design)
cd "$SNL_SOURCE" || exit 1
page=doc/design.md

# One line for each entry of a pass: "NAME" and the words in *italics*.
entries() {
    awk '/^\*\*[a-z_]+\*\*/ { name = $1; gsub(/\*/, "", name); words = "" }
        name { line = $0; while (match(line, /\*[A-Z][a-z]+:\*/)) { words = words " " substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH) } }
        name && /^$/ { print name words; name = "" }' "$page"
}

passes=$(sed -n 's/^PASS(\([a-z_]*\),.*/\1/p' src/pass/passes.def)
# shellcheck disable=SC2086
set -- $passes
plan $(($# + 6))

entries >"$folder/entries"
for pass; do
    grep -qxF "$pass *What:* *Where:* *Not:*" "$folder/entries"
    result $? "$pass: an entry with What, Where and Not"
done
cut -d ' ' -f 1 "$folder/entries" | while read -r name; do
    case " $* " in *" $name "*) ;; *) echo "there is no pass $name" ;; esac
done >"$folder/log"
test ! -s "$folder/log"
result $? "every entry is that of a pass" "$folder/log"

find grammar src runtime -type d ! -name '.*' | grep -v '^src$\|^runtime$' | while read -r f; do
    grep -qxF "### $f" "$page" || echo "$f has no section"
done >"$folder/log"
test ! -s "$folder/log"
result $? "every folder of grammar, src and runtime has a section" "$folder/log"

for f in "$page" doc/tried.md; do
    awk -v f="$f" '{ text = $0; gsub(/[^\001-\177]+/, "x", text) } length(text) > 100 { print f ":" FNR ": " length(text) " columns" }' "$f"
done >"$folder/log"
test ! -s "$folder/log"
result $? "no line has more than 100 columns" "$folder/log"

# Files such as pool.h, ir/ir.h and src/ir/ir.h; names such as `ir_verify`, `Task.body`, `SNL_WIDE`. Drawings and examples aside.
find grammar src runtime tests build-aux doc bench man share -type f | sed 's|^|/|' >"$folder/files"
cat grammar/*.[ly] grammar/*.[ch] src/*/*.* src/*/*/*.* runtime/*/*.* runtime/*.h tests/lib.sh tests/run-case tests/faults/*.[ch] \
    tests/local.mk configure.ac build-aux/html 2>/dev/null | grep -o '[A-Za-z_][A-Za-z_0-9]*' | sort -u >"$folder/words"
awk '/^```/ { code = !code } !code && !/^    /' "$page" >"$folder/prose"
{
    grep -o '[A-Za-z_0-9/-]*[A-Za-z_0-9]\.\([chly]\|def\|sh\|md\|txt\|awk\)\>' "$folder/prose" | sort -u | while read -r f; do
        case $f in */x.c | */x.h | *_x.[ch] | */NAME.* | NAME.* | snlc-x.* | *strength.*) continue ;; esac
        grep -q "/$f\$" "$folder/files" || echo "there is no file $f"
    done
    grep -o '`[A-Za-z_][A-Za-z_0-9.]*`' "$folder/prose" | tr -d '`' | tr . '\n' | sort -u | while read -r word; do
        grep -qxF "$word" "$folder/words" || echo "nothing is called $word"
    done
} >"$folder/log"
test ! -s "$folder/log"
result $? "files and names that it mentions exist" "$folder/log"

# The pass of section 7 stands in an indented block that opens as a file does.
awk '/^    \/\* Products of integers/ { inside = 1 } inside && /^[^ ]/ { exit } inside { print substr($0, 5) }' "$page" >"$folder/strength.c"
test -s "$folder/strength.c" && echo 'void pass_strength(Compile *c, Ir *ir, IrFunc *f);' >"$folder/row.h" &&
    "${TEST_CC:-cc}" -fsyntax-only -Wall -Wextra -Werror -I"$SNL_BUILD" -I"$SNL_BUILD/src" -Isrc -Iruntime -I. -include pass/pass.h \
        -include "$folder/row.h" "$folder/strength.c" >"$folder/log" 2>&1
result $? "the pass of section 7 compiles" "$folder/log"

# What comments name, but for files of others, made files and words of examples.
comments() {
    awk 'FNR == 1 { inside = 0 }
        {
            out = ""
            for (line = $0; line != "";) {
                at = index(line, inside ? "*/" : "/*")
                if (inside) out = out (at ? substr(line, 1, at - 1) : line) " "
                line = at ? substr(line, at + 2) : ""
                if (at) inside = !inside
            }
            while (match(out, /[A-Za-z_0-9\/-]*[A-Za-z_0-9]\.(c|h|l|def|sh)/)) {
                if (substr(out, RSTART + RLENGTH, 1) !~ /[A-Za-z_0-9(]/) print substr(out, RSTART, RLENGTH) " " FILENAME ":" FNR
                out = substr(out, RSTART + RLENGTH)
            }
        }' "$@"
}
find src grammar runtime -name '*.[chl]' -o -name '*.def' -o -name parse.y | grep -v '^grammar/parse\.[ch]$\|^grammar/scan\.c$\|/errors_text\.c$' |
    xargs -n 1000 sh -c 'echo "$@"' sh >"$folder/sources"
# shellcheck disable=SC2046
comments $(cat "$folder/sources") | sort -u | while read -r f where; do
    case $f in FILE.c | */PNanoVDB.h | PNanoVDB.h | [a-z].[ch] | complex.h | cuda.h | cuda_runtime.h | errors_text.c | */parse.h | snl/snlrt.h | snlrt.c | sysexits.h) continue ;; esac
    grep -q "/${f#/}\$" "$folder/files" || echo "$where: there is no file $f"
done >"$folder/log"
test ! -s "$folder/log"
result $? "files that comments mention exist" "$folder/log"
