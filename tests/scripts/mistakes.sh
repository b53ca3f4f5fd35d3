#!/bin/sh
# One mistake is one error: each program of tests/files/mistakes.txt gets its code, once, and is repaired where that says so. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/mistakes)
cd "$folder" || exit 1
awk '/^== / { if (file) close(file); file = $2 "." $3 "." $4 ".snl"; print file >"names"; next } file { print >file }' "$SNL_SOURCE/tests/files/mistakes.txt"

# One error and nothing else that is wrong; its repair leaves none.
check_mistake() { # FILE CODE RESULT
    "$SNLC" check --color=never "$1" >log 2>&1
    [ $? = 1 ] && [ "$(sed -n 's/^.*: error: .*\[\(E[0-9]*\)\]$/\1/p' log)" = "$2" ] || return 1
    "$SNLC" check --fix --color=never "$1" >log 2>&1
    status=$?
    case $3 in
    fixed) [ "$status" = 0 ] ;;
    prints) [ "$status" = 0 ] && "$SNLC" run --interpret "$1" >out 2>>log && sed -n 's|^// ||p' "$1" | cmp - out >>log 2>&1 ;;
    told) [ "$status" = 1 ] ;;
    *) false ;;
    esac
}

plan $(($(wc -l <names) + 1))
while IFS= read -r file; do
    name=${file%%.*} rest=${file#*.}
    code=${rest%%.*} rest=${rest#*.}
    cp "$file" "$name.snl"
    check_mistake "$name.snl" "$code" "${rest%%.*}"
    result $? "$name: ${rest%%.*}" log
done <names
[ "$(wc -l <names)" -ge 150 ]
result $? "there are mistakes"
