# shellcheck shell=sh disable=SC2034
# What makes calls of the C library fail one after another: tests/faults/shim.c. Sourced after tests/lib.sh, in the folder of the test.

if ! $TEST_CC -O1 -shared -fPIC -o shim.so "$SNL_SOURCE/tests/faults/shim.c" -ldl 2>cc.log; then skip_all "the shim does not compile here"; fi
if ! [ "$(FAULT_PROGRAM=snlc FAULT_CALL=open FAULT_AT=1 FAULT_HIT=hit LD_PRELOAD="$PWD/shim.so" "$SNLC" version 2>&1 | wc -l)" -gt 0 ]; then
    skip_all "LD_PRELOAD does not work here"
fi
SNL_NUM_THREADS=1 OMP_NUM_THREADS=1
export SNL_NUM_THREADS OMP_NUM_THREADS
step=${FAULT_STEP:-1}

count_hits=0
# True while the call that was to fail came at all; sets failed to what the shim says of it.
was_hit() {
    if [ -e hit ]; then failed=$(sort -u hit) && rm -f hit && count_hits=$((count_hits + 1)); else return 1; fi
}
# An output that may not be whole, as far as the process can know, is no success, whatever has become of it.
judge_status() { # STATUS
    if [ "$failed" = output ]; then
        if [ "$1" = 0 ]; then echo "an output failed, and nobody noticed"; return 1; fi
        { grep -q 'cannot ' err && grep -q 'Input/output error\|No space left' err; } || { echo "no message says what failed"; return 1; }
    fi
    if grep ': Success$' err; then return 1; fi
}

# Runs a command again and again, each time another call fails, up to the last; `judge STATUS` says whether the outcome is fine. Of the
# calls for memory every one of $step.
try_calls() { # NAME PROGRAM CALL HOW JUDGE COMMAND...
    name=$1 program=$2 call=$3 how=$4 judge=$5
    shift 5
    at=1 wrong=0 by=1
    if [ "$call" = malloc ]; then by=$step; fi
    : >log
    while :; do
        prepare
        { # the shell says what was killed
            FAULT_PROGRAM=$program FAULT_CALL=$call FAULT_AT=$at FAULT_HOW=$how FAULT_HIT=$PWD/hit LD_PRELOAD=$PWD/shim.so \
                timeout 20 "$@" >out 2>err </dev/null
            got=$?
        } 2>killed
        was_hit || break
        if ! { judge_status "$got" && "$judge" "$got"; } >why 2>&1; then
            wrong=$((wrong + 1))
            { echo "call $at: status $got"; cat why; head -n 3 err; } >>log
            if [ "$wrong" -ge 5 ]; then echo "no further call was tried" >>log; break; fi
        fi
        at=$((at + by))
    done
    if [ "$at" = 1 ] && [ "$wrong" = 0 ]; then echo "no call was reached" >>log; wrong=1; fi
    result "$wrong" "$name: $call fails $how, $(((at - 1) / by)) times" log
}

# A status that says what happened: not a signal, not an internal error.
is_clean() { # STATUS
    if grep '^:0:' err; then echo "no file has that line"; return 1; fi
    case $1 in
    0 | 1 | 66 | 69 | 71 | 73 | 74) [ "$1" = 0 ] || [ -s err ] || { echo "no message"; return 1; } ;;
    *) echo "status $1"; return 1 ;;
    esac
}

same() { # WANT GOT
    cmp -s "$1" "$2" || { echo "$2 is not whole"; return 1; }
}
