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
plan 9

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
    script -q -c "./bar" bar.txt >log 2>&1 </dev/null
    script -q -c "./bar --progress=never" never.txt >>log 2>&1 </dev/null
    script -q -c "\"$SNLC\" check wrong.snl" colour.txt >>log 2>&1 </dev/null
    script -q -c "NO_COLOR=1 \"$SNLC\" check wrong.snl" no-colour.txt >>log 2>&1 </dev/null
    { grep -q '100%  500/500  *[0-9]*/s' bar.txt && grep -q 's left' bar.txt && ! grep -q '%' never.txt && grep -q 1500 never.txt &&
        grep -q "$(printf '\033\\[')" colour.txt && ! grep -q "$(printf '\033\\[')" no-colour.txt; }
    result $? "a terminal has progress bars with rate and time left, and colour" log
else
    skip "a terminal has progress bars with rate and time left, and colour" "script is missing"
fi
