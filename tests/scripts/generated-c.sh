#!/bin/sh
# The C that comes out: no warning from any compiler here, a header for C and C++, the same bytes for the same input.
# Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
folder=$(fresh_folder scripts/generated-c)
cflags=$("$SNLC" config --cflags)

compilers=
for cc in gcc clang; do
    if command -v "$cc" >/dev/null 2>&1; then compilers="$compilers $cc"; fi
done
plus=
for cxx in g++ clang++; do
    if echo 'int main() { return 0; }' | "$cxx" -x c++ -std=c++17 -fsyntax-only - 2>/dev/null; then plus="$plus $cxx"; fi
done

# Every compiler reads the source, and the header alone as C and C++.
check_warnings() { # NAME
    for cc in $compilers; do
        # shellcheck disable=SC2086
        "$cc" $cflags -O1 -Wall -Wextra -Werror -c -o /dev/null "$1.c" || return 1
        # shellcheck disable=SC2086
        echo "#include \"$1.h\"" | "$cc" $cflags -std=c11 -pedantic -Wall -Wextra -Werror -I. -fsyntax-only -x c - || return 1
    done
    for cxx in $plus; do
        # shellcheck disable=SC2086
        echo "#include \"$1.h\"" | "$cxx" ${cflags%% *} -std=c++17 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ - || return 1
    done
}

# A second run elsewhere, at another time of the year, gives the same; a third leaves the files alone.
check_same() { # FILE NAME
    (
        cd "$(dirname "$1")" || exit 1
        HOME=/nonexistent TZ=Asia/Tokyo LC_ALL=C.UTF-8 SOURCE_DATE_EPOCH=1 "$SNLC" compile -q -o "$folder/again/$2.c" "$(basename "$1")"
    ) || return 1
    cmp "$2.c" "again/$2.c" && cmp "$2.h" "again/$2.h" || return 1
    touch -t 200001010000 "again/$2.c" "again/$2.h"
    (cd "$(dirname "$1")" && "$SNLC" compile -q -o "$folder/again/$2.c" "$(basename "$1")") || return 1
    if [ -n "$(find "again/$2.c" "again/$2.h" -newer "$1")" ]; then
        echo "outputs that did not change were written"
        return 1
    fi
    if grep -n "$SNL_SOURCE\|$folder\|/tmp/\|/home/" "$2.c" "$2.h"; then
        echo "there is a path of this machine in the output"
        return 1
    fi
}

check_file() { # FILE NAME
    (cd "$(dirname "$1")" && "$SNLC" compile -q -o "$folder/$2.c" "$(basename "$1")") && check_same "$1" "$2" && check_warnings "$2"
}

cd "$folder" || exit 1
mkdir again
set -- "$SNL_SOURCE"/tests/cases/*.snl "$SNL_SOURCE"/tests/cases/run/*.snl "$SNL_SOURCE"/samples/*.snl
plan $#
for f; do
    name=$(basename "$f" .snl)
    check_file "$f" "$name" >log 2>&1
    result $? "$name" log
    rm -f "$name.c" "$name.h" "again/$name.c" "again/$name.h"
done
