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
plan $(($# + 4))
for session; do
    name=$(basename "$session" .session)
    mkdir "$name"
    echo 'const N = 8; const on_disk = 1.0;' >"$name/part.snl"
    "$SNL_BUILD/tests/lsp/client" "$session" "$folder/$name" "$SNLC" lsp >log 2>errors
    result $? "$name: $(sed -n '1s/^# //p' "$session")" log
    test -z "$(ls "$name" | grep -v '^part.snl$')" || echo "the server has written files" >>log
done

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
