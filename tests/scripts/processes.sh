#!/bin/sh
# The processes of snlc test: what they printed before they crash or hang, ends that the program makes itself, processes that they leave
# behind, and signals to snlc. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH
folder=$(fresh_folder scripts/processes)
cd "$folder" || exit 1
plan 13

cat >hang.snl <<'END'
field i32 n[];
test "quick" { print("unseen"); }
test "hang" { print("reached step {}", 3); while (true) { n[] += 1; } }
test "last" { while (true) { n[] += 1; } }
END
case $CASE_MODES in *c[0-9]*) ways="compiled --interpret" ;; *) ways=--interpret ;; esac

# A test that hangs, for which snlc gets a signal, by itself or with its group as from a terminal: nothing goes on, reports are written.
signalled() { # WAY SIGNAL
    rm -f report.xml
    # shellcheck disable=SC2086
    setsid "$SNLC" test $way -j1 --junit=report.xml hang.snl >out 2>err &
    leader=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -n "$(ps -o pid= --ppid "$leader")" ] && break
        sleep 0.1
    done
    sleep 0.5
    tests=$(ps -o pid= --ppid "$leader")
    kill -s "$2" -- "$1$leader"
    wait "$leader"
    status=$?
    {
        [ "$status" -gt 128 ] || echo "$way: status $status after $2"
        [ -n "$tests" ] || echo "$way: no test was seen"
        for t in $tests; do if kill -0 "$t" 2>/dev/null; then echo "$way: the test goes on after $2"; fi; done
        [ "$(tail -n 1 out)" = "1 passed, 0 failed, 2 without a result: interrupted" ] || cat out
        grep -q 'tests="3" failures="0" errors="0" skipped="2"' report.xml && grep -q 'name="last".*><skipped message="interrupted"/>' report.xml || cat report.xml
    } >>log 2>&1
}
if command -v setsid >/dev/null 2>&1; then
    : >log
    for way in $ways; do
        [ "$way" = --interpret ] || way=
        # shellcheck disable=SC2086
        "$SNLC" test $way --filter=quick hang.snl >/dev/null 2>>log # what is compiled is in the cache then
        signalled "" TERM
        signalled - TERM
    done
    test ! -s log
    result $? "a signal ends the tests that run, after reports" log
else
    skip "a signal ends the tests that run, after reports" "no setsid"
fi

for way in $ways; do
    [ "$way" = --interpret ] || way=
    # shellcheck disable=SC2086
    "$SNLC" test $way --timeout=1 --filter=hang hang.snl >out 2>err
    [ $? = 1 ] && [ "$(sed -n 's/^ *\(reached\|ended\)/\1/p' out)" = "reached step 3
ended after 1 seconds" ]
    result $? "what a test printed before its time was up${way:+ ($way)}" out err
done
[ "$ways" = --interpret ] && skip "what a test printed before its time was up" "this build has no C target"

if [ "$ways" = --interpret ]; then
    while [ $count -lt 10 ]; do skip "extern functions" "this build has no C target"; done
    exit 0
fi
cat >parts.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int quit(int a) { exit(a); }
int quit_at_once(int a) { _exit(a); }
int crash(int a) { signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); return a; }
int leave_behind(int a) { if (fork() == 0) { sleep(8); _exit(0); } return a; }
int close_output(int a) { fflush(stdout); close(1); close(2); while (a) { } return a; }
END
cat >parts.snl <<'END'
extern func i32 quit(i32 a);
extern func i32 quit_at_once(i32 a);
extern func i32 crash(i32 a);
extern func i32 leave_behind(i32 a);
extern func i32 close_output(i32 a);
test "exit 0" { print("before"); print("{}", quit(0)); assert(false, "never"); }
test "_exit 0" { print("before"); print("{}", quit_at_once(0)); }
test "exit 3" { print("before"); print("{}", quit(3)); }
test "crash" { print("before"); print("{}", crash(1)); }
test "leaves a process behind" { assert(leave_behind(1) == 1); }
test "fails and leaves a process behind" { assert(leave_behind(1) == 2, "seen"); }
test "closes its output" { assert(close_output(1) == 1); }
END
${CC:-cc} -c parts.c >log 2>&1
test_one() { "$SNLC" test -q -Xlinker parts.o --timeout="$2" --filter="$1" parts.snl >out 2>err; }

ended() { # NAME TEXT
    test_one "$1" 20
    [ $? = 1 ] && [ "$(sed -n '2,3s/^ *//p' out)" = "before
$2" ]
    result $? "a test that ends the program fails: $1" out err
}
ended "exit 0" "ended the program with status 0"
ended "_exit 0" "ended the program with status 0"
ended "exit 3" "ended the program with status 3"
test_one crash 20
[ $? = 1 ] && [ "$(sed -n '2,3s/^ *//p' out | cut -c 1-19)" = "before
killed by signal 11" ]
result $? "what a test printed before it crashed" out err

# A program that crashes says the signal, the kernel and what to do; its status is that of the signal.
cat >crash.snl <<'END'
param i64 n = 1000000000000;
field f32 x[8];
kernel far() { for i in x { x[i + n] = 1.0; } }
kernel fine() { for i in x { x[i] = 1.0; } }
main { fine(); print("before"); if (n > 0) { far(); } else { x[n] = 2.0; } }
END
crashes() { # TEXT ARGUMENT...
    text=$1
    shift
    "$SNLC" run -q crash.snl "$@" >out 2>err
    [ $? = 139 ] && grep -q "^crash: crashed $text: SIGSEGV, .*; run again with --check, which says where$" err
}
(crashes "in kernel 'far'") 2>shell
result $? "a program that crashes names the signal and the kernel" out err
(crashes "in host code" -- --n=-1000000000000) 2>shell
result $? "a program that crashes in host code says so" out err
"$SNLC" run -q --check crash.snl >out 2>err
[ $? = 1 ] && grep -q '^crash.snl:3: index 1000000000000 is out of range' err
result $? "what --check then says" out err

# Eight seconds are what their children live.
started=$(date +%s)
test_one "leaves a process behind" 20
[ "$(tail -n 1 out)" = "1 passed, 1 failed" ] && grep -q 'parts.snl:11: seen' out && [ $(($(date +%s) - started)) -lt 6 ]
result $? "a process that a test leaves behind is not waited for" out err
test_one "closes its output" 1
[ $? = 1 ] && grep -q 'ended after 1 seconds' out
result $? "a test that closes its output has no more time" out err

# A program that ends before it has read what it is to do: no SIGPIPE ends snlc.
cat >cc <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\nexit 0\n' >"$2"
chmod +x "$2"
END
chmod +x cc
"$SNLC" test --cc=./cc -j2 hang.snl >out 2>err
[ $? = 1 ] && [ "$(grep -c 'ended the program with status 0' out)" = 3 ] && [ "$(tail -n 1 out)" = "0 passed, 3 failed" ]
result $? "programs that end at once" out err
