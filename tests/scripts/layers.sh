#!/bin/sh
# The shape of the sources: which folder may include which, sizes of files, blanks, lists of files. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
cd "$SNL_SOURCE" || exit 1
log=$(fresh_folder scripts/layers)/log

# What a folder may include besides itself; "runtime" stands for the headers that compiler and runtime share.
may_include() { # FOLDER
    case $1 in
    base) echo "" ;;
    ast) echo "base" ;;
    grammar) echo "base ast" ;;
    fmt) echo "base ast grammar" ;;
    layout) echo "base ast grammar" ;;
    check) echo "base ast grammar layout runtime" ;;
    ad) echo "base ast grammar layout check runtime" ;;
    interp) echo "base ast grammar layout check runtime" ;;
    ir) echo "base ast grammar layout check runtime" ;;
    analysis) echo "base ast grammar layout check ir runtime" ;;
    pass) echo "base ast grammar layout check ir analysis runtime" ;;
    emit) echo "base ast grammar layout check ir analysis pass runtime" ;;
    lsp) echo "base ast grammar fmt layout check runtime" ;;
    cli) echo "base ast grammar lsp layout check fmt ad interp ir analysis pass emit runtime" ;;
    runtime) echo "" ;;
    *) echo "no such folder" ;;
    esac
}

# The folder that a quoted include names, or nothing for what is made by the build.
folder_of() { # NAME FOLDER
    case $1 in
    config.h) ;; # stands before all
    ../*) if [ "$2" = runtime ]; then echo runtime; else echo "what $1 means"; fi ;;
    *) if [ -f "runtime/$1" ]; then echo runtime; elif [ "$1" = "${1#*/}" ]; then echo "$2"; else echo "${1%%/*}"; fi ;;
    esac
}

check_includes() { # FOLDER PATH
    allowed=" $1 $(may_include "$1") "
    find "$2" -name '*.[chly]' -o -name '*.def' | sort | while read -r file; do
        sed -n 's/^#[ ]*include "\([^"]*\)".*/\1/p' "$file" | while read -r name; do
            to=$(folder_of "$name" "$1")
            case $allowed in
            *" ${to:-$1} "*) ;;
            *) echo "$file includes $name: $1 stands before $to" ;;
            esac
        done
    done
}

# Drops what the build makes.
written() { grep -v '^tests/work/\|^tests/cache/\|^grammar/\(parse\|scan\)\.[ch]$\|^src/cli/errors_text\.c$' | sort; }

# Files that people write.
sources() {
    find src grammar runtime tests doc man samples bench -type f \( -name '*.[chly]' -o -name '*.def' -o -name '*.sh' \
        -o -name '*.awk' -o -name '*.mk' -o -name '*.snl' \) 2>/dev/null | written
}

check_own_header() { # a .c file includes config.h first and then its own header; without it tests/unit would miss what the libraries give
    for f in $(find src -name '*.c' | written) $(grep -l SNL_HAVE_ tests/unit/*.c); do
        head=$(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$f" | head -n 1)
        [ "$head" = config.h ] || echo "$f: config.h must be the first include, not '$head'"
    done
}

check_comment() { # every source opens with what it is
    find src grammar runtime tests/unit -name '*.[chly]' -o -name '*.def' | written | while read -r f; do
        head -n 2 "$f" | grep -q '/\*\|%{\|%top\|^%' || echo "$f does not open with a comment"
    done
}

check_guards() {
    find src grammar runtime -name '*.h' | written | while read -r f; do
        grep -q '^#ifndef SNL\|A template: ' "$f" || echo "$f has no include guard and is no template"
    done
}

folders="base ast fmt layout check ad lsp interp ir analysis pass emit cli"
plan $((14 + 19))

for f in $folders; do
    check_includes "$f" "src/$f" >"$log"
    test ! -s "$log"
    result $? "src/$f includes only what stands before it" "$log"
done
check_includes grammar grammar >"$log"
test ! -s "$log"
result $? "grammar includes only what stands before it" "$log"

check_includes runtime runtime >"$log"
test ! -s "$log"
result $? "the runtime includes nothing of the compiler" "$log"

{ grep -rl '"interp/' src/ir src/analysis src/pass src/emit; grep -rl '"ir/\|"analysis/\|"pass/\|"emit/' src/interp; } >"$log"
test ! -s "$log"
result $? "the interpreter and the C target share nothing but the checked program" "$log"

# A module is a .c with its .h and .def.
modules() { # FOLDER
    for f in "$1"/*.[chly] "$1"/*.def; do
        if [ -f "$f" ]; then basename "${f%.*}"; fi
    done | sort -u | wc -l
}
find src runtime grammar -type d | sort | while read -r f; do
    if [ "$(modules "$f")" -gt 30 ]; then echo "$f has $(modules "$f") modules"; fi
done >"$log"
test ! -s "$log"
result $? "no folder has more than 30 modules" "$log"

find tests/cases -type d | sort | while read -r f; do
    cases=$(find "$f" -maxdepth 1 -name '*.snl' | wc -l)
    if [ "$cases" -gt 30 ]; then echo "$f has $cases cases"; fi
done >"$log"
test ! -s "$log"
result $? "no folder of tests/cases has more than 30 cases" "$log"

find tests/cases -name '*.snl' | sort | while read -r f; do
    sed -n '1{/^\/\/ [^ ]/!p;/^\/\/ Proves/p;}' "$f" | sed "s|^|$f does not open with its claim: |"
done >"$log"
test ! -s "$log"
result $? "a case opens with its claim" "$log"

grep -nE '\b(block_add|block_take|ir_(new|add|integer|binary|new_var|arg))\(' src/analysis/*.c >"$log"
test ! -s "$log"
result $? "analyses change nothing" "$log"

# Of another room a pass may use what stands in src/pass itself.
for room in src/pass/*/; do
    room=$(basename "$room")
    grep -rn '^#include "pass/.*/' "src/pass/$room" | grep -v "\"pass/$room/"
done >"$log"
test ! -s "$log"
result $? "a pass includes no pass of another room" "$log"

# Objects of the sources there are: a build has those of deleted ones too.
objects() { # FOLDER PREFIX
    find "$1" -name '*.c' | sort | while read -r f; do
        object=$SNL_BUILD/$(dirname "$f")/$2-$(basename "$f" .c).o
        if [ -f "$object" ]; then echo "${object#"$SNL_BUILD/"}"; fi
    done
}
circles_of() { # FOLDER PREFIX
    objects "$1" "$2" | (cd "$SNL_BUILD" && xargs nm -A -P) | LC_ALL=C awk -v under="$1" -f tests/circles.awk | sed "s|^|$1: |"
}
{ for f in src/*/; do circles_of "${f%/}" libsnlc_a; done; circles_of runtime libsnlrt_a; } 2>"$log" | sort >"$work/circles"
sed '/^#/d; /^$/d' tests/files/circles.txt | awk '/^ / { sub(/^ +/, " ") } /^[^ ]/ && NR > 1 { print "" } { printf "%s", $0 } END { print "" }' |
    sort >"$work/known-circles"
awk '/^[^ #]/ && before !~ /^#/ { print "no reason stands before: " $0 } { before = $0 }' tests/files/circles.txt >>"$log"
diff "$work/known-circles" "$work/circles" >>"$log"
test -s "$work/circles" && test ! -s "$log"
result $? "calls between the files of a folder go in circles only where tests/files/circles.txt has a reason" "$log"

for f in analysis check cli interp ir layout lsp pass; do objects "src/$f" libsnlc_a; done >"$work/named"
objects runtime libsnlrt_a >>"$work/named"
(cd "$SNL_BUILD" && xargs nm -A -P -g <"$work/named") 2>"$log" | LC_ALL=C awk -f tests/names.awk tests/files/names.txt - | sort >>"$log"
test -s "$work/named" && test ! -s "$log"
result $? "extern names begin with the word of their file, or with one of tests/files/names.txt" "$log"

sources | while read -r f; do
    lines=$(wc -l <"$f")
    if [ "$lines" -ge 1000 ]; then echo "$f has $lines lines"; fi
done >"$log"
test ! -s "$log"
result $? "no file has 1000 lines" "$log"

# As .clang-format has it. Tables (.def), and lines of .md, .mk and programs are data or prose.
find grammar src runtime tests bench -name '*.[ch]' | written | tr '\n' '\0' | LC_ALL=C.UTF-8 xargs -0 grep -nE '^.{101,}' /dev/null | head -n 20 >"$log"
test ! -s "$log"
result $? "no line has more than 100 columns" "$log"

# shellcheck disable=SC2046
grep -n '	' $(sources | grep '\.[chlydf]*$' | grep -v '\.mk$\|\.sh$\|\.snl$') /dev/null | head -n 20 >"$log"
test ! -s "$log"
result $? "no tabs in sources" "$log"

# shellcheck disable=SC2046
grep -n ' $' $(sources) /dev/null | head -n 20 >"$log"
test ! -s "$log"
result $? "no blanks at the end of a line" "$log"

{ check_own_header; check_comment; check_guards; } >"$log"
test ! -s "$log"
result $? "files open with a comment, config.h comes first, headers have guards" "$log"

grep -nE '\b(TODO|FIXME|XXX|HACK)\b' $(sources | grep -v layers.sh) /dev/null | head -n 20 >"$log"
test ! -s "$log"
result $? "nothing is left to do" "$log"

TMPDIR=$work sh build-aux/update-sources --check >"$log" 2>&1
result $? "the lists of files are up to date" "$log"

# What the tarball takes along, from make; in a checkout git knows what there is.
MAKEFLAGS='' make -s -C "$SNL_BUILD" --eval 'dist-files: ; @printf "%s\n" $(DISTFILES:$(srcdir)/%=%)' dist-files 2>"$log" | sort -u >"$work/dist-files"
{ git ls-files 2>/dev/null || sources; } | grep -v '^\.\|/\.' | sort | comm -23 - "$work/dist-files" | sed 's/$/ is not in the tarball/' >>"$log"
test -s "$work/dist-files" && test ! -s "$log"
result $? "the tarball has every file" "$log"

grep -o '\(scripts\|unit\|cases\|files\)/[a-zA-Z0-9_/.-]*\.[a-z]*\|run-page' tests/README.md | sort -u | while read -r f; do
    [ -e "tests/$f" ] || echo "there is no tests/$f"
done >"$log"
sed -n 's/^| .* | \([^|]*\) |$/\1/p' tests/README.md | grep -o '\(scripts\|unit\|cases\)/[a-zA-Z0-9_./-]*\|"[^"]*"' | while IFS= read -r word; do
    case $word in
    \"*) word=${word#?} && grep -qF -e "${word%?}" "tests/$file" || echo "tests/$file has no ${word%?}" ;;
    *) file=$word ;;
    esac
done >>"$log"
test ! -s "$log"
result $? "tests/README.md names tests that exist" "$log"

ls ./*.npy ./*.npz ./*.png ./*.snlt ./*.c ./*.h ./*.cu 2>/dev/null | grep -v '^\./config\.h$' >"$log"
test ! -s "$log"
result $? "no program left its files beside the sources" "$log"
