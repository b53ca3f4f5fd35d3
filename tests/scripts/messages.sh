#!/bin/sh
# Compares all that `snlc check` says about the programs in tests/cases/messages with the .txt file beside each. Prints TAP.
# With UPDATE_GOLDEN=1 (make update-golden) the .txt files are written anew; `//! options: OPTION...` is more of the command line.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/messages)
cases=$SNL_SOURCE/tests/cases/messages
unset SNLC_FLAGS SNLC_PATH
cd "$cases" || exit 1

set -- *.snl */*.snl
plan $#
for file; do
    name=${file%.snl} said=$folder/$(basename "$file" .snl).txt
    # shellcheck disable=SC2046
    (cd "$(dirname "$file")" && "$SNLC" check --color=never $(sed -n 's|^//! options: *||p' "${file##*/}") "${file##*/}") >"$said" 2>&1
    echo "exit status $?" >>"$said"
    if [ "${UPDATE_GOLDEN-}" = 1 ] && ! cmp -s "$said" "$name.txt"; then
        cp "$said" "$name.txt"
        echo "# wrote $name.txt"
    fi
    diff "$name.txt" "$said" >"$folder/log" 2>&1
    result $? "$name" "$folder/log"
done
