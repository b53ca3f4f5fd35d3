#!/bin/sh
# Every variable of the environment that snlc(1) names has its effect; progress bars show on a terminal alone. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset CC CFLAGS NVCC NVCCFLAGS LDFLAGS LIBS SNLC_FLAGS SNLC_PATH NO_COLOR SOURCE_DATE_EPOCH
folder=$(fresh_folder scripts/environment)
cd "$folder" || exit 1
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
mkdir parts
echo 'const PART = 3;' >parts/part.snl
cat >bar.snl <<'END'
import "part.snl";
main { i32 n = 0; for s in progress(0..500) { n += PART; } print("{}", n); }
END
echo 'main { print("{}", 1 + true); }' >wrong.snl
sed '$s/$/ test "t" { }/' bar.snl >tested.snl
plan 20

# Commands that would be run hold all these words, in this order.
shows() { # TARGET WORD...
    "$SNLC" build "--target=$1" '-###' -I parts bar.snl 2>log || return 1
    shift
    words=$(cat log)
    for word; do
        case $words in *" $word "*) words=" ${words#*" $word "}" ;; *) echo "no '$word' there"; return 1 ;; esac
    done
}
(CC="mycc -DA" CFLAGS="-DB -DC" LDFLAGS=-Wl,-DD LIBS="-lE" && export CC CFLAGS LDFLAGS LIBS && shows c -DA -DB -DC -o -Wl,-DD -lsnlrt &&
    grep -q '^mycc ' log && grep -q ' -lE$' log) >>log 2>&1
result $? "CC, CFLAGS, LDFLAGS and LIBS" log
echo 'main { f32 x = NAN; print("{}", isnan(x)); }' >nan.snl
# shellcheck disable=SC2046
case $CASE_MODES in
*c[0-9]*)
    {
        ! CFLAGS=-ffast-math "$SNLC" build nan.snl && ! "$SNLC" build -Xcc -ffinite-math-only nan.snl && "$SNLC" build -ffast nan.snl &&
            "$SNLC" compile nan.snl && "$TEST_CC" -std=gnu11 -ffast-math $("$SNLC" config --cc="$TEST_CC" --cflags) -c nan.c
    } >log 2>&1
    result $? "-ffast-math is refused, or taken back" log
    ;;
*) skip "-ffast-math is refused, or taken back" "the C target is not tested" ;;
esac
(NVCC="mynvcc -DA" NVCCFLAGS="-DB" LIBS=-lE && export NVCC NVCCFLAGS LIBS && shows cuda -DA -DB -o -lsnlrt && grep -q '^mynvcc ' log && grep -q ' -lE$' log) >>log 2>&1
result $? "NVCC and NVCCFLAGS" log
(SNLC_FLAGS="-O1 -I parts" && export SNLC_FLAGS && "$SNLC" build '-###' bar.snl 2>log && grep -q ' -O1 ' log &&
    "$SNLC" build -O3 '-###' bar.snl 2>log && grep -q ' -O3 ' log) >>log 2>&1
result $? "SNLC_FLAGS, after which the command line counts" log
{ "$SNLC" check bar.snl; test $? != 0 && SNLC_PATH="$folder/none:$folder/parts" "$SNLC" check bar.snl; } >log 2>&1
result $? "SNLC_PATH" log
(SNLC_PATH=$folder/parts && export SNLC_PATH && "$SNLC" run bar.snl && ls cache/snlc && mkdir temporary && TMPDIR=$folder/temporary "$SNLC" build -o bar bar.snl &&
    rmdir temporary && ./bar | grep -qx 1500) >log 2>&1
result $? "XDG_CACHE_HOME has what run builds; TMPDIR is left empty" log
TMPDIR=$folder/nowhere "$SNLC" build -I parts -o none bar.snl >log 2>&1
test $? = 73 && grep -q "nowhere" log && test ! -e none
result $? "a TMPDIR that is not there" log
"$SNLC" check --color=always wrong.snl 2>coloured
NO_COLOR=1 "$SNLC" check wrong.snl 2>plain
"$SNLC" check wrong.snl 2>log
grep -q "$(printf '\033')" coloured && cmp plain log >>log && ! grep -q "$(printf '\033')" plain
result $? "colour where there is no terminal, and with NO_COLOR" log
./bar >out 2>log && test ! -s log && test "$(cat out)" = 1500
result $? "no progress bar without a terminal" log
if script -q -c true try.txt >log 2>&1 </dev/null; then
    TERM=xterm
    export TERM
    script -q -c "./bar" bar.txt >log 2>&1 </dev/null
    script -q -c "./bar --progress=never" never.txt >>log 2>&1 </dev/null
    script -q -c "\"$SNLC\" check wrong.snl" colour.txt >>log 2>&1 </dev/null
    script -q -c "NO_COLOR=1 \"$SNLC\" check wrong.snl" no-colour.txt >>log 2>&1 </dev/null
    script -q -c "TERM=dumb \"$SNLC\" check wrong.snl; TERM=dumb ./bar" dumb.txt >>log 2>&1 </dev/null
    { grep -q '100%  500/500  *[0-9]*/s' bar.txt && grep -q 's left' bar.txt && ! grep -q '%' never.txt && grep -q 1500 never.txt &&
        grep -q "$(printf '\033\\[')" colour.txt && ! grep -q "$(printf '\033\\[')" no-colour.txt; }
    result $? "a terminal has progress bars with rate and time left, and colour" log
    ! grep -q "$(printf '\033')" dumb.txt && ! grep -q '%' dumb.txt && grep -q 1500 dumb.txt && grep -q E03 dumb.txt
    result $? "one that is called dumb has neither" dumb.txt
    echo 'main { for s in progress(0..8) { f64 t = clock(); while (clock() - t < 0.12) { } if (s == 2) { for q in progress(0..1) { print("line {}", s); } } if (s == 5) { print("line {}", s); return; } } }' >above.snl
    { "$SNLC" build -q -o above above.snl && script -q -c "./above" above.txt </dev/null; } >log 2>&1
    tr '\r' '\n' <above.txt >above.lines
    cat -v above.lines >>log
    [ "$(grep -cx "$(printf '\033\[Kline [25]')" above.lines)" = 2 ] && grep -A4 'line 5$' above.lines | grep -q '5/8'
    result $? "lines stand above the bar, also of a loop that is left" log
else
    for n in "lines stand above the bar, also of a loop that is left" "a terminal has progress bars with rate and time left, and colour" "one that is called dumb has neither"; do skip "$n" "script is missing"; done
fi

# Without a home, or with one that cannot be had, the cache lies under TMPDIR, in a folder that nobody else can have made.
: >file
mkdir homeless
no_home() { # HOME TMPDIR
    (unset XDG_CACHE_HOME && HOME=$1 TMPDIR=$folder/$2 && export HOME TMPDIR && "$SNLC" run -I parts bar.snl)
}
{ test "$(no_home "$folder/file" homeless)" = 1500 && ls -ld homeless/snlc-cache-"$(id -u)" && ls -ld homeless/* | grep -q '^drwx------' &&
    test "$(no_home '' homeless)" = 1500; } >log 2>&1
result $? "the cache of a user without a home" log
mkdir shared && mkdir -m 777 shared/snlc-cache-"$(id -u)" && chmod 777 shared/snlc-cache-"$(id -u)"
no_home '' shared >log 2>&1
test $? = 73 && grep -q 'as the cache' log
result $? "a cache that others could have filled is refused" log

# Temporary files: no such folder, none at all, one that nothing can be written into, one that is full, and one that gets full.
without_temporary() { # STATUS MESSAGE TMPDIR OPTIONS...
    want=$1 message=$2 TMPDIR=$3
    shift 3
    (XDG_CACHE_HOME=$folder/none && export XDG_CACHE_HOME TMPDIR && exec "$SNLC" "$@" -I parts) >out 2>log
    status=$?
    [ "$status" = "$want" ] && grep -q "$message" log || { echo "$*: status $status"; cat log; }
}
for how in "build -o none.out bar.snl" "run bar.snl" "test tested.snl"; do
    # shellcheck disable=SC2086
    without_temporary 73 "/missing/snlc-.*: No such file" "$folder/missing" $how
    # shellcheck disable=SC2086
    without_temporary 73 "/file/snlc-.*: Not a directory" "$folder/file" $how
done >wrong
TMPDIR=$folder/missing "$SNLC" compile -I parts bar.snl >>wrong 2>&1
[ ! -s wrong ] && [ ! -e none.out ]
result $? "no folder of temporary files: status 73, and none is needed to compile" wrong
if unshare -m mount -t tmpfs tmpfs homeless 2>/dev/null; then
    cat >in-small <<'END'
mount -t tmpfs -o size=64k tmpfs small
for how in "build -o none.out bar.snl" "run bar.snl" "test tested.snl"; do
    head -c 65536 /dev/zero >small/fill
    without_temporary 74 "small/snlc-.*: No space left" "$folder/small" $how
    head -c 49152 /dev/zero >small/fill
    without_temporary 74 "almost no space is left in .*small" "$folder/small" $how
    [ "$(ls small)" = fill ] || ls small
done
mount -o remount,ro small
without_temporary 73 "small/snlc-.*: Read-only" "$folder/small" build -o none.out bar.snl
umount small
END
    mkdir small
    { sed -n '/^without_temporary()/,/^}/p' "$SNL_SOURCE/tests/scripts/environment.sh"; cat in-small; } >script
    folder=$folder SNLC=$SNLC unshare -m sh script >wrong 2>&1
    [ ! -s wrong ] && [ ! -e none.out ]
    result $? "a full folder of temporary files: status 74, nothing is left" wrong
else
    skip "a full folder of temporary files: status 74, nothing is left" "nothing can be mounted here"
fi

# What a signal leaves of a build: nothing, and no C compiler that runs on; also where the tests run under nohup.
mkdir signals && rm wrong
heard=$(env --default-signal=HUP,INT,QUIT echo --default-signal=HUP,INT,QUIT 2>/dev/null)
cat >slow <<'END'
#!/bin/sh
echo $$ >"$SLOW"
exec sleep 20
END
chmod 755 slow
# Shells let their children in the background ignore INT and QUIT.
for signal in TERM HUP PIPE XCPU ${heard:+INT QUIT}; do
    for how in "build -o slow.out" "build -j2 -o . bar.snl" run test; do
        rm -f started
        # shellcheck disable=SC2086
        env $heard -u XDG_CACHE_HOME HOME="$folder/signals" TMPDIR="$folder/signals" SLOW="$folder/started" \
            "$SNLC" $how --cc="$folder/slow" -I parts tested.snl >out 2>&1 &
        for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s started ] || sleep 0.1; done
        kill -s "$signal" $!
        wait $!
        status=$?
        {
            if [ "$status" -le 128 ]; then echo "$how: status $status after $signal"; fi
            if kill -0 "$(cat started)" 2>/dev/null; then echo "$how: the compiler goes on after $signal"; fi
            ls signals
        } >>wrong
    done
done >log 2>&1
test -f wrong && test ! -s wrong
result $? "a signal leaves nothing of a build, and no compiler that goes on" wrong

# A parent that ignores the end of its children, as some daemons do.
rm -f child
(trap '' CHLD && exec "$SNLC" build -I parts -o child bar.snl) >log 2>&1 && [ "$(./child)" = 1500 ]
result $? "a parent that ignores SIGCHLD" log

# A crash says how to report it. (The command waits for input while it is hit.)
mkfifo input
"$SNLC" fmt - <input >out 2>log &
hit=$!
exec 7>input
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    ps -o args= -p "$hit" | grep -q ' fmt -$' && break
    sleep 0.1
done
sleep 0.1
kill -s SEGV "$hit"
wait "$hit"
status=$?
exec 7>&-
if grep -q '__asan_init\|__tsan_init' "$SNLC"; then
    skip "a crash is an internal error, which says how to report it" "a sanitizer says more"
else
    [ "$status" = 70 ] && grep -q '^snlc: internal error: SIGSEGV; please report' log
    result $? "a crash is an internal error, which says how to report it" log
fi

cat >tiny.snl <<'END'
param f32 start = 1.5e-38;
field f32 x[1 << 18];
kernel halve() { for i in x { x[i] = start; } for i in x { x[i] *= 0.25; } }
kernel i32 left() { i32 n = 0; for i in x { if (x[i] != 0.0) { n += 1; } } return n; }
main { halve(); print("{}", left()); }
END
case $CASE_MODES in *c[0-9]*) ways="build interpret" ;; *) ways=interpret ;; esac
for way in $ways; do
    for threads in 1 2; do
        for option in "" --flush-subnormals; do
            if [ $way = build ]; then set --; else set -- --interpret; fi
            # shellcheck disable=SC2086
            "$SNLC" run "$@" tiny.snl -- --threads=$threads $option || echo fails
        done
    done
done >flushed 2>&1
{ printf '262144\n0\n%.0s' $ways $ways | cmp - flushed && "$SNLC" run --interpret tiny.snl -- --help | grep -q flush-subnormals &&
    ! "$SNLC" run --interpret tiny.snl -- --flush-subnormals=yes; } >log 2>&1
result $? "--flush-subnormals, on every thread, and not without" log
