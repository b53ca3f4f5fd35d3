#!/bin/sh
# The language server: each session in tests/lsp is played by a scripted client; without jansson there is an error. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/lsp)
cd "$folder" || exit 1

if ! has_feature jansson; then
    plan 1
    "$SNLC" lsp </dev/null >out 2>log
    test $? = 69 && test ! -s out && grep -q 'without jansson.*E0803' log
    result $? "a build without jansson says so" log
    exit
fi

set -- "$SNL_SOURCE"/tests/lsp/*.session
plan $(($# + 7))
for session; do
    name=$(basename "$session" .session)
    mkdir "$name"
    echo 'const N = 8; const on_disk = 1.0;' >"$name/part.snl"
    "$SNL_BUILD/tests/lsp/client" "$session" "$folder/$name" "$SNLC" lsp >log 2>errors
    result $? "$name: $(sed -n '1s/^# //p' "$session")" log
    test -z "$(ls "$name" | grep -v '^part.snl$')" || echo "the server has written files" >>log
done

# Hover of a built-in function says what it does.
for word in $(sed -n 's/^BUILTIN([^"]*"\([a-z0-9_]*\)".*/\1/p; s/^SPECIAL("\([a-z0-9_]*\)".*/\1/p' "$SNL_SOURCE"/src/check/builtins.def "$SNL_SOURCE"/src/check/specials.def); do
    grep -q "^DOC(\"$word\", *\"[^\"]*[.?]\")$" "$SNL_SOURCE/src/lsp/built_in_docs.def" || echo "$word is not described"
done >log
test ! -s log
result $? "each built-in function is described" log

# Input that ends in the middle of something: an error that names the place, and status 1.
truncated() { # TEXT BYTE
    printf "$1" | "$SNLC" lsp >out 2>log
    test $? = 1 && grep -q "byte $2" out && grep -q '"code":-32700' out
}
truncated 'Content-Len' 0
result $? "a header that is cut off" out
truncated 'Content-Length: 100\r\n\r\n{"id": 1, "meth' 23
result $? "a message that is cut off" out
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "x" }' | "$SNLC" lsp >out 2>log
test $? = 1 && grep -q 'byte 0 does not end' out
result $? "a header without end" out
awk 'BEGIN { n = 200000; s = ""; printf "Content-Length: %d\r\n\r\n", 2 * n; for (i = 0; i < n; i++) printf "["; for (i = 0; i < n; i++) printf "]" }' |
    "$SNLC" lsp >out 2>log
test $? = 1 && grep -q '"code":-32700' out
result $? "JSON that is nested too deeply" out

# A session of one piece, cut off and changed in many places, everywhere with FILE_LONG=yes: the server ends by itself, with 0 or 1.
say() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
{
    say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
    say '{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:a","text":"field f32 x[4];\nkernel k() { x[0] = y; }\n"}}}'
    say '{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"untitled:a"},"position":{"line":0,"character":10}}}'
    say '{"jsonrpc":"2.0","id":3,"method":"shutdown"}'
    say '{"jsonrpc":"2.0","method":"exit"}'
} >whole
bytes=$(wc -c <whole)
step=9
if [ "${FILE_LONG-}" = yes ]; then step=1; fi
ends() { # STATUSES WHAT
    timeout 20 "$SNLC" lsp <input >out 2>log
    status=$?
    case " $1 " in *" $status "*) ;; *) echo "$2: status $status" >>found; return 1 ;; esac
}
cut_off() {
    at=0
    while [ $at -lt "$bytes" ]; do
        head -c $at whole >input
        statuses=1
        if grep -q shutdown input; then statuses="0 1"; fi
        ends "$statuses" "the first $at bytes" || return 1
        # Between two messages nothing is wrong but that the end is missing.
        grep -q '"code":-32700,"message":"[^"]*byte [0-9]' out || [ $at = 0 ] || tail -c 1 input | grep -q '[}]' || { echo "$at: no place" >>found; return 1; }
        at=$((at + step))
    done
}
: >found
cp whole input && ends 0 "the whole" && cut_off
result $? "a session that is cut off anywhere" found
: >found
awk -v step="$step" 'BEGIN { RS = "\001"; ORS = "" }
    { for (at = 1; at <= length($0); at += step) {
          c = substr($0, at, 1)
          print substr($0, 1, at - 1) (c ~ /[0-9]/ ? "9" : c ~ /["{}]/ ? "x" : "\"") substr($0, at + 1) >("changed" at); close("changed" at) } }' whole
for f in changed*; do
    mv "$f" input
    ends "0 1" "$f" || break
done
test ! -s found
result $? "a session that is changed anywhere" found
