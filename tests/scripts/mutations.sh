#!/bin/sh
# Every case file, broken at random: errors, never a crash. The same files come out of the same seed. Prints TAP.
# MUTATIONS is the number of broken copies of each file, MUTATION_SEED the start.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/mutations)
cd "$folder" || exit 1
count_each=${MUTATIONS:-4}
ulimit -v 3000000 2>/dev/null
ulimit -t $((60 + count_each)) # seconds, of the shell too
seed=${MUTATION_SEED:-20261121}
case $CASE_MODES in *c[0-9]*) has_target=yes ;; *) has_target=no ;; esac

# Writes COUNT broken copies of FILE to m1.snl, m2.snl ...: words are deleted, doubled, exchanged, replaced by others, the
# file is cut off, lines are moved, characters are changed.
mutate() { # FILE COUNT SEED
    awk -v count="$2" -v seed="$3" '
    function random(n) { state = (state * 16807) % 2147483647; return state % n }
    # Splits the text into words, blanks and single characters.
    function split_words(text,    n) {
        n = 0
        while (text != "") {
            if (match(text, /^[A-Za-z0-9_]+/) || match(text, /^[ \t\n]+/)) { }
            else RLENGTH = 1
            word[++n] = substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 1)
        }
        return n
    }
    { text = text $0 "\n" }
    END {
        state = seed + 1
        others = split("( ) [ ] { } ; , . .. : = == + - * / @ # ? ! ~ & | < > << 0 1 -1 1e9 2.5 18446744073709551615 0x \" \047 \\ /* */ // " \
            "i32 u8 i64 f16 f64 f32x3 f32x2x2 bool auto typeof inout field layout place dense bitmasked pointer dynamic hash struct " \
            "func kernel host main test let var if else while for in static break continue return import const param create destroy " \
            "x y i j a b n true false node step progress min max abs append activate deactivate length is_active save print \200 $", other, " ")
        n = split_words(text)
        for (m = 1; m <= count; m++) {
            for (i = 1; i <= n; i++) now[i] = word[i]
            from = 1; to = n
            for (changes = 1 + random(3); changes > 0; changes--) {
                at = 1 + random(n)
                kind = random(9)
                if (kind == 0) now[at] = ""
                else if (kind == 1) now[at] = now[at] now[at]
                else if (kind == 2) { k = 1 + random(n); t = now[at]; now[at] = now[k]; now[k] = t }
                else if (kind == 3) now[at] = other[1 + random(others)]
                else if (kind == 4) now[at] = now[at] " " other[1 + random(others)] " "
                else if (kind == 5) now[at] = word[1 + random(n)]
                else if (kind == 6 && random(4) == 0) to = at
                else if (kind == 7) for (k = at; k < at + random(12) && k <= n; k++) now[k] = ""
                else { # a word of the same kind: the checker gets further than the parser would
                    for (k = 0; k < 50 && now[at] !~ /^[A-Za-z0-9]/; k++) at = 1 + random(n)
                    for (k = 0; k < 50; k++) { t = word[1 + random(n)]; if (t ~ /^[A-Za-z0-9]/) break }
                    now[at] = t
                }
            }
            name = "m" m ".snl"
            printf "" >name
            for (i = from; i <= to; i++) printf "%s", now[i] >name
            close(name)
        }
    }' "$1"
}

# A run that is killed by a signal, ends with 70 or more, hangs, or reports an error without a place is a failure.
bounded() { # COMMAND...
    "$@" >out.txt 2>err.txt </dev/null
    status=$?
}

fail() { # REASON FILE
    {
        echo "$1, status $status, for this file:"
        head -c 3000 "$2"
        echo "--- standard error:"
        head -c 2000 err.txt
    } >log
    return 1
}

check_mutant() { # FILE
    bounded "$SNLC" check --color=never "$1"
    case $status in
    0) ;;
    1) grep -q ':[0-9][0-9]*:[0-9][0-9]*: error: .*\[E[0-9]*\]$' err.txt || { fail "no located error" "$1"; return 1; } ;;
    *) fail "snlc check" "$1"; return 1 ;;
    esac
    if [ "$has_target" = no ]; then return 0; fi
    rm -f made.c made.h
    first=$status
    bounded "$SNLC" compile --color=never -q -o made.c "$1"
    if [ "$status" != "$first" ]; then fail "snlc compile (check gave $first)" "$1"; return 1; fi
    if [ "$first" = 1 ] && [ -f made.c ]; then fail "an output is left" "$1"; return 1; fi
}

# shellcheck disable=SC2046
set -- $(sh "$SNL_SOURCE/tests/list-cases" | sed 's|^tests/cases/||')
cd "$folder" || exit 1
plan $#
number=0
for f; do
    number=$((number + 1))
    mkdir -p "${f%.snl}"
    # Imports are looked for beside the file.
    cd "${f%.snl}" || exit 1
    ln -s "$SNL_SOURCE/tests/cases/$(dirname "$f")/parts" parts
    mutate "$SNL_SOURCE/tests/cases/$f" "$count_each" $((seed + number * 1000))
    failed=0
    : >log
    for m in m*.snl; do
        if ! check_mutant "$m"; then failed=1; break; fi
    done
    result $failed "$count_each broken copies of $f" log
    if [ "$failed" = 0 ]; then rm -f m*.snl; fi
    cd "$folder" || exit 1
done
