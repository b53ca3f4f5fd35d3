#!/bin/sh
# --check finds every planted bug of tests/planted and nothing in clean.snl, interpreted, compiled and in the stand-in for CUDA; checks
# of one kind find what is theirs without the others. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/planted)
cd "$folder" || exit 1
modes=$(for m in $CASE_MODES; do case $m in interpret | c2 | sim-O1) echo "$m" ;; esac; done)
if [ -z "$modes" ]; then skip_all "no plain mode in $CASE_MODES"; fi
plan $((4 * $(echo "$modes" | wc -l)))

# The files with planted bugs for a mode: GPU targets have no large local arrays.
files_for() { # MODE
    for name in bugs parts inouts loops large; do
        case $1-$name in sim*-large) ;; *) echo "$SNL_SOURCE/tests/planted/$name.snl" ;; esac
    done
}
# How many tests stand in files, or those whose names begin with the words.
count_tests() { # PATTERN FILE...
    pattern=$1
    shift
    cat "$@" | grep -cE "^(@fails.*)?test \"($pattern)"
}
# Runs the tests of a file in a mode with the checks; the log has what is said.
run_tests() { # FILE MODE CHECKS [OPTION...]
    file=$1 mode=$2 checks=$3
    shift 3
    # shellcheck disable=SC2086
    (use_mode "$mode" && timeout 300 "$snlc" test $how --check="$checks" "$@" "$file") >log 2>&1
}
# All tests of the files pass.
all_pass() { # MODE CHECKS FILE...
    in=$1 checked=$2
    shift 2
    for f; do
        run_tests "$f" "$in" "$checked" && tail -n 1 log | grep -q "^$(count_tests '' "$f") passed, 0 failed" || return 1
    done
}
# Those of one kind pass, whatever the others do: they may change what they reach.
bounds_pass() { # MODE FILE...
    in=$1 titles='index|node|division|shift|uninitialised'
    shift
    for f; do
        run_tests "$f" "$in" bounds
        if grep -E "^FAIL .*: ($titles): " log; then return 1; fi
        [ "$(sed -n '$s/ passed, .*//p' log)" -ge "$(count_tests "$titles" "$f")" ] || return 1
    done
}
races_pass() { # MODE FILE...
    in=$1
    shift
    for f; do
        [ "$(count_tests race "$f")" = 0 ] && continue # parts.snl, inouts.snl
        run_tests "$f" "$in" race --filter=race: && tail -n 1 log | grep -q "^$(count_tests race "$f") passed, 0 failed" || return 1
    done
}
# Nothing is found in clean.snl, where fewer checks leave more passes on.
stays_quiet() { # MODE
    for kinds in bounds,overflow,race bounds race; do
        all_pass "$1" "$kinds" "$SNL_SOURCE/tests/planted/clean.snl" || return 1
    done
}

for mode in $modes; do
    # shellcheck disable=SC2046
    set -- $(files_for "$mode")
    bugs=$(cat "$@" | grep -c '^@fails')
    all_pass "$mode" bounds,overflow,race "$@"
    result $? "$bugs planted bugs are found ($mode)" log
    bounds_pass "$mode" "$@"
    result $? "checks of bounds alone find theirs ($mode)" log
    races_pass "$mode" "$@"
    result $? "checks of races alone find theirs ($mode)" log
    stays_quiet "$mode"
    result $? "no bug is found where there is none ($mode)" log
done
