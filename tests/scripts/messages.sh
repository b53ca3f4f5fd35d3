#!/bin/sh
# Compares all that `snlc check` says about the programs in tests/cases/messages with the .txt file beside each. Prints TAP.
# With UPDATE_GOLDEN=1 (make update-golden) the .txt files are written anew; `//! options: OPTION...` is more of the command line.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/messages)
cases=$SNL_SOURCE/tests/cases/messages
unset SNLC_FLAGS SNLC_PATH
cd "$cases" || exit 1

set -- *.snl
plan $#
for file; do
    name=${file%.snl}
    # shellcheck disable=SC2046
    "$SNLC" check --color=never $(sed -n 's|^//! options: *||p' "$file") "$file" >"$folder/$name.txt" 2>&1
    echo "exit status $?" >>"$folder/$name.txt"
    if [ "${UPDATE_GOLDEN-}" = 1 ] && ! cmp -s "$folder/$name.txt" "$name.txt"; then
        cp "$folder/$name.txt" "$name.txt"
        echo "# wrote $name.txt"
    fi
    diff "$name.txt" "$folder/$name.txt" >"$folder/log" 2>&1
    result $? "$name" "$folder/log"
done
