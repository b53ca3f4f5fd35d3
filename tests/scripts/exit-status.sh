#!/bin/sh
# Exit statuses of the command, and what a failure leaves behind: nothing. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_NUM_THREADS
folder=$(fresh_folder scripts/exit-status)
cd "$folder" || exit 1
case $CASE_MODES in *c[0-9]*) has_target=yes ;; *) has_target=no ;; esac

# One command: its status, and that nothing is left beside the inputs. With TEXT, standard error must contain it.
check() { # NAME STATUS TEXT COMMAND...
    name=$1 want=$2 text=$3
    shift 3
    timeout 60 "$@" >out.txt 2>err.txt </dev/null
    status=$?
    {
        if [ "$status" != "$want" ]; then echo "exit status $status, not $want"; fi
        if [ -n "$text" ] && ! grep -qF -e "$text" err.txt; then echo "standard error does not contain: $text"; fi
        if [ "$want" -ge 64 ] && [ ! -s err.txt ]; then echo "no message on standard error"; fi
        if [ "$want" -ge 64 ] && [ "${2-}" != test ] && [ -s out.txt ]; then echo "there is text on standard output"; fi
    } >log
    left_over >>log
    if [ -s log ]; then { echo "$*"; head -c 1500 err.txt; } >>log; fi
    test ! -s log
    result $? "$want: $name" log
}

# Names of files that nobody made on purpose; removes them.
left_over() {
    for f in *; do
        case $f in
        fine.snl | absent.snl | broken.snl | syntax.snl | failing.snl | printing.snl | unreadable.snl | asserts.snl | table.snl | speed.snl | folder | locked | out.txt | err.txt | log | \
            args | nested*.args | old.* | bin) ;;
        *) echo "left behind: $f"; rm -rf "$f" ;;
        esac
    done
}

# The same, where the C target is needed.
check_target() { # NAME STATUS TEXT COMMAND...
    if [ "$has_target" = yes ]; then check "$@"; else skip "$2: $1" "this build has no C target"; fi
}

cat >fine.snl <<'PROGRAM'
param i32 n = 3;
field f32 x[4];
kernel k() { for i in x { x[i] = 1.0; } }
main { k(); print("done {}", n); }
test "ones" { k(); assert(x[3] == 1.0); }
PROGRAM
printf 'field f32 x[4];\nkernel k() { x[0] = missing; }\nmain { k(); }\n' >broken.snl
printf 'kernel k( { }\n' >syntax.snl
printf 'test "good" { }\ntest "bad" { assert(1 > 2); }\n' >failing.snl
printf 'main { for i in 0..100000 { print("line {}", i); } }\n' >printing.snl
echo 'extern func f64 absent(f64 x); main { print("{}", absent(1.0)); }' >absent.snl
printf 'main { assert(1 > 2); }\n' >asserts.snl
printf 'const i32 T[2] = { 1, 2 }; main { print("{}", T[0]); }\n' >table.snl
cp fine.snl unreadable.snl
chmod 000 unreadable.snl
mkdir folder locked bin
chmod 555 locked
plan 124

# 0 and 1: what the input says.
check "check of a good file" 0 "" "$SNLC" check fine.snl
check "run" 0 "" "$SNLC" run --interpret fine.snl
check "test" 0 "" "$SNLC" test --interpret fine.snl
check "layout" 0 "" "$SNLC" layout fine.snl
check "a file that begins with a dash" 66 "-x.snl" "$SNLC" check -- -x.snl
check "errors in the program" 1 "[E0201]" "$SNLC" check broken.snl
check "run of a wrong program" 1 "[E0201]" "$SNLC" run --interpret broken.snl
check "test of a wrong program" 1 "[E0201]" "$SNLC" test --interpret broken.snl
check "layout of a wrong program" 1 "[E0201]" "$SNLC" layout broken.snl
check "syntax errors" 1 "[E0105]" "$SNLC" check syntax.snl
check "the worst of several files" 66 "[E0201]" "$SNLC" check fine.snl broken.snl missing.snl fine.snl
check "no test of that name" 1 "no test has a name that contains 'two'" "$SNLC" test --interpret --filter=two fine.snl failing.snl
check "a failed test" 1 "" "$SNLC" test --interpret failing.snl
check "a failed assertion of the program" 1 "asserts.snl:1: " "$SNLC" run --interpret asserts.snl
check "run without a main" 1 "no main" "$SNLC" run --interpret failing.snl
check "explain of an unknown code" 1 "E9999" "$SNLC" explain E9999
check "an element that does not exist" 1 "" "$SNLC" layout --at 'x[9]' fine.snl
check "warnings do not fail" 0 "[W0801]" "$SNLC" check -D NOTHING=1 fine.snl
check "a table cannot be replaced" 0 "-D T: this is a table" "$SNLC" check -D T=1 table.snl
check "a warning that is switched on again" 0 "[W0801]" "$SNLC" check -Wno-W0801 -WW0801 -D NOTHING=1 fine.snl
check "a warning made an error that was off" 1 "[W0801]" "$SNLC" check -Wno-W0801 -Werror=W0801 -D NOTHING=1 fine.snl
check "warnings made errors" 1 "[W0801]" "$SNLC" check -Werror -D NOTHING=1 fine.snl

# 64: usage.
check "no arguments" 64 "no command" "$SNLC"
check "an unknown command" 64 "there is no command" "$SNLC" frobnicate
check "a command like another" 64 "there is no command 'biuld'; did you mean build?" "$SNLC" biuld fine.snl
check "help on a command like another" 64 "'chekc'; did you mean check?" "$SNLC" help chekc
check "an option like another" 64 "unknown option '--treads=2'; did you mean --threads?" "$SNLC" bench --treads=2 fine.snl
check "a command like two others" 64 "'tun'; did you mean run or tune?" "$SNLC" tun fine.snl
check "a command like another after options" 64 "'chekc'; did you mean check?" "$SNLC" --packed chekc fine.snl
check "an option like one that the command does not have" 64 "unknown option '--treads=2'; options of the program" "$SNLC" run --treads=2 fine.snl
echo 'param f32 speed = 1.0; main { print("{}", speed); }' >speed.snl
check "a param like another" 64 "unknown option '--sped=2'; did you mean --speed?" "$SNLC" run --interpret speed.snl -- --sped=2
check "an option of a program like another" 64 "unknown option '--treads=2'; did you mean --threads?" "$SNLC" run --interpret speed.snl -- --treads=2
check "an option of a program like no other" 64 "unknown option '--colour=2'" "$SNLC" run --interpret speed.snl -- --colour=2
check "a pass like another" 64 "there is no pass 'legalty'; did you mean -fno-legality?" "$SNLC" run --interpret -fno-legalty fine.snl
check "a pass like no other" 64 "there is no pass 'foo'; snlc-compile(1) lists the passes" "$SNLC" compile -ffoo fine.snl
check "an unknown long option" 64 "--frob" "$SNLC" check --frob fine.snl
check "an unknown short option" 64 "-Z" "$SNLC" check -Z fine.snl
check "an option of another command" 64 "interpret" "$SNLC" check --interpret fine.snl
check "an argument that is not wanted" 64 "packed" "$SNLC" check --packed=3 fine.snl
check "a missing argument" 64 "--color" "$SNLC" check fine.snl --color
check "a missing argument of a short option" 64 "-I" "$SNLC" check fine.snl -I
check "an empty argument" 64 "'--arch' needs an argument" "$SNLC" run --interpret --arch= fine.snl
check "an empty name" 64 "'-o' needs an argument" "$SNLC" layout -o "" fine.snl
check "an empty target" 64 "-MT needs a name" "$SNLC" test --interpret -MT "" fine.snl
check "a wrong word" 64 "sometimes" "$SNLC" check --color=sometimes fine.snl
check "a wrong format of diagnostics" 64 "xml" "$SNLC" check --diagnostics=xml fine.snl
check "a wrong level" 64 "-O" "$SNLC" run --interpret -O9 fine.snl
check_target "an unknown pass" 64 "nopass" "$SNLC" run --interpret -fnopass fine.snl
check "an unknown warning" 64 "W9999" "$SNLC" check -Wno-W9999 fine.snl
check "an error that is no warning" 64 "E0201" "$SNLC" check -Wno-E0201 fine.snl
check "-D without a value" 64 "NAME=VALUE" "$SNLC" check -D N fine.snl
check "-D without a name" 64 "NAME=VALUE" "$SNLC" check -D =4 fine.snl
check "a wrong kind of check" 64 "everything" "$SNLC" run --interpret --check=everything fine.snl
check "a number that is none" 64 "many" "$SNLC" test --interpret -j many fine.snl
check "a number too small" 64 "0" "$SNLC" test --interpret -j 0 fine.snl
check "a number too large" 64 "99999999999" "$SNLC" test --interpret --timeout=99999999999 fine.snl
check "too many threads" 64 "bad value of option '--threads=65537'; it is a number from 1 to 65536" "$SNLC" run --interpret fine.snl -- --threads=65537
check "too many threads in the environment" 64 "of SNL_NUM_THREADS; it is a number from 1 to 65536" env SNL_NUM_THREADS=65537 "$SNLC" run --interpret fine.snl
check "a wrong target" 64 "pascal" "$SNLC" compile --target=pascal fine.snl
check "a wrong kind of output" 64 "thing" "$SNLC" build --kind=thing fine.snl
check "a wrong layout format" 64 "xml" "$SNLC" layout --format=xml fine.snl
check "a wrong stage" 64 "soup" "$SNLC" compile --emit=soup fine.snl
check "no file for check" 64 "needs a file" "$SNLC" check
check "no file for compile" 64 "needs a file" "$SNLC" compile
check "no file for test" 64 "needs a file" "$SNLC" test
check "no file for run" 64 "needs a file" "$SNLC" run
check "no code for explain" 64 "needs a code" "$SNLC" explain
check "two files for run" 64 "one file" "$SNLC" run --interpret fine.snl broken.snl
check "two files for layout" 64 "one file" "$SNLC" layout fine.snl broken.snl
check "two files into one output" 64 "-o" "$SNLC" compile -o old.c fine.snl broken.snl
check "help on an unknown command" 64 "frobnicate" "$SNLC" help frobnicate
check "an argument the program does not know" 64 "--frob" "$SNLC" run --interpret fine.snl -- --frob=1
check "usage errors are JSON where that is asked for" 64 '"code": "E0804"' "$SNLC" check --diagnostics=json --frob fine.snl

# 66: input that cannot be read.
check "a missing file" 66 "missing.snl" "$SNLC" check missing.snl
check "a missing file for run" 66 "missing.snl" "$SNLC" run --interpret missing.snl
check "a missing file for test" 66 "missing.snl" "$SNLC" test --interpret missing.snl
check "a missing file for layout" 66 "missing.snl" "$SNLC" layout missing.snl
check "a missing file for --emit=ast" 66 "missing.snl" "$SNLC" compile --emit=ast missing.snl
check "a folder" 66 "folder" "$SNLC" check folder
check "a file in a file" 66 "fine.snl/x.snl" "$SNLC" check fine.snl/x.snl
check "an empty name" 66 "" "$SNLC" check ""
check "a missing response file" 66 "missing.args" "$SNLC" check @missing.args
check "a folder as a response file" 66 "'folder': " "$SNLC" check @folder fine.snl
check "a missing response file in JSON" 66 '"code": "E0801"' "$SNLC" check @missing.args --diagnostics=json
check "a missing response file in SARIF" 66 '"ruleId": "E0801"' "$SNLC" check --diagnostics=sarif @missing.args
if [ -r unreadable.snl ]; then
    skip "66: an unreadable file" "this user may read everything"
else
    check "an unreadable file" 66 "unreadable.snl" "$SNLC" check unreadable.snl
fi
echo '@nested.args' >nested.args
check "a response file that names itself" 66 "nested" "$SNLC" check @nested.args
echo '--color=never "fine.snl"' >args
check "a response file" 0 "" "$SNLC" check @args

# 71: out of memory.
if (ulimit -v 200000) 2>/dev/null; then
    check "out of memory" 71 "memory" sh -c 'ulimit -v 60000; exec "$@"' sh "$SNLC" run --interpret printing.snl
else
    skip "71: out of memory" "no limits here"
fi

# 73 and 74: output that cannot be written.
check "an output in no folder" 73 "no/such" "$SNLC" layout -o no/such/x.txt fine.snl
check "an output that is a folder" 73 "folder" "$SNLC" layout -o folder fine.snl
check "a report in no folder" 73 "no/such" sh -c '"$@" >/dev/null' sh "$SNLC" test --interpret --junit=no/such/x.xml fine.snl
if touch locked/x 2>/dev/null; then
    rm -f locked/x
    skip "73: a locked folder" "this user may write everywhere"
else
    check "a locked folder" 73 "locked/x.txt" "$SNLC" layout -o locked/x.txt fine.snl
fi
if [ -c /dev/full ]; then
    check "help on a full disk" 74 "write" sh -c '"$@" >/dev/full' sh "$SNLC" help
    check "a list on a full disk" 74 "write" sh -c '"$@" >/dev/full' sh "$SNLC" explain --list
    check "the version on a full disk" 74 "write" sh -c '"$@" >/dev/full' sh "$SNLC" version
    check "a layout on a full disk" 74 "write" sh -c '"$@" >/dev/full' sh "$SNLC" layout fine.snl
    check "an output that is full" 74 "/dev/full" "$SNLC" layout -o /dev/full fine.snl
    check "a test report on a full disk" 74 "write" sh -c '"$@" >/dev/full' sh "$SNLC" test --tap --interpret fine.snl
    check "a program on a full disk" 74 "write" sh -c '"$@" >/dev/full' sh "$SNLC" run --interpret printing.snl
    check_target "C on a full disk" 74 "/dev/full" "$SNLC" compile -o /dev/full --header=/dev/null fine.snl
    check_target "a header on a full disk" 74 "/dev/full" "$SNLC" compile -o /dev/null --header=/dev/full fine.snl
else
    for n in help list version layout output test program C header; do skip "74: $n on a full disk" "there is no /dev/full"; done
fi
check_target "a limit on the size of files" 74 "File too large" sh -c 'ulimit -f 1; exec "$@"' sh "$SNLC" compile -o new.c --header=new.h fine.snl
check "closed standard output" 74 "write" sh -c '"$@" >&-' sh "$SNLC" layout fine.snl
check "an output that nobody reads" 0 "" sh -c '"$@" | head -n 1 >/dev/null' sh "$SNLC" run --interpret printing.snl

# The C target: what it leaves, and the tools it needs.
echo kept >old.c
check_target "errors leave no output" 1 "[E0201]" "$SNLC" compile broken.snl
check_target "errors leave an old output" 1 "[E0201]" "$SNLC" compile -o old.c broken.snl
check_target "an output of C in no folder" 73 "no/such" "$SNLC" compile -o no/such/x.c fine.snl
check_target "a header in no folder" 73 "no/such" "$SNLC" compile -o old.c --header=no/such/x.h fine.snl
check_target "a manifest in no folder" 73 "no/such" "$SNLC" compile -o old.c --header=/dev/null --manifest=no/such/x.json fine.snl
grep -qx kept old.c
result $? "an old output is kept when something fails"
XDG_CACHE_HOME=$folder/bin/cache
export XDG_CACHE_HOME
check_target "a compiler that is missing" 69 "/nonexistent/cc" env CC=/nonexistent/cc "$SNLC" build -o bin/x fine.snl
check_target "a compiler that is missing, for run" 69 "/nonexistent/cc" env CC=/nonexistent/cc "$SNLC" run fine.snl
check_target "a compiler that is missing, for test" 69 "/nonexistent/cc" "$SNLC" test --cc=/nonexistent/cc fine.snl
check_target "no compiler on the path" 69 "cc" env -u CC PATH="$folder/bin" "$SNLC" build -o bin/x fine.snl
printf '%s\n' '#!/bin/sh' 'case " $* " in *" -E "*) exit 0 ;; esac' 'exit 1' >bin/fails
printf '%s\n' '#!/bin/sh' 'for word; do printf "<%s>\n" "$word"; done >bin/words' "exec $TEST_CC"' "$@"' >"bin/my cc"
chmod +x bin/fails "bin/my cc"
check_target "a compiler that fails" 70 "please report this" "$SNLC" build --cc=bin/fails -o bin/x fine.snl
check_target "a compiler that takes no options" 1 "refuses its options" "$SNLC" build --cc=false -o bin/x fine.snl
check_target "a processor that is unknown" 1 "refuses its options" "$SNLC" build --arch=nonsense -o bin/x fine.snl
check_target "a compiler in a folder with blanks" 0 "" env CC="'$folder/bin/my cc'" "$SNLC" build -o bin/x fine.snl
check_target "words of flags with quotes" 0 "" env CFLAGS="-DX='a b' -DY=\"c 'd\" -DZ=\\\"e\\\"" LDFLAGS='"-Wl,-rpath,a b"' "$SNLC" build --cc='"bin/my cc"' -o bin/x fine.snl
if [ "$has_target" = yes ]; then
    for word in '-DX=a b' "-DY=c 'd" '-DZ="e"' '-Wl,-rpath,a b'; do grep -qxF -e "<$word>" bin/words || echo "$word"; done >log
    test ! -s log
    result $? "they are words as in a shell" log
else
    skip "they are words as in a shell" "this build has no C target"
fi
check_target "a compiler that fails on what it was handed" 1 "false" "$SNLC" build --cc=false -Xcc -DX -o bin/x fine.snl
check_target "a compiler that fails on flags of the environment" 1 "nonsense" env CFLAGS=--nonsense "$SNLC" build -o bin/x fine.snl
check_target "a function that is nowhere" 1 "absent" "$SNLC" build -o bin/x absent.snl
