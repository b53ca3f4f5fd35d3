#!/bin/sh
# What the commands write: names and places of outputs, depfiles, kinds of builds, the cache, reports. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_NUM_THREADS CFLAGS LDFLAGS LIBS
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "this build has no C target" ;; esac
folder=$(fresh_folder scripts/outputs)
cd "$folder" || exit 1
CC=$TEST_CC XDG_CACHE_HOME=$folder/cache
export CC XDG_CACHE_HOME

# Runs a command; its standard output and error are in out.txt and err.txt.
run() { # COMMAND...
    timeout 120 "$@" >out.txt 2>err.txt </dev/null
}

# A test is a function that prints what is wrong.
check() { # NAME FUNCTION
    "$2" >log 2>&1
    status=$?
    if [ "$status" != 0 ]; then { echo "status $status"; head -c 1500 err.txt; } >>log; fi
    [ "$status" = 0 ] && [ ! -s log ]
    result $? "$1" log
}

is_newer() { [ -n "$(find "$1" -newer "$2")" ]; }

mkdir src parts out
cat >src/wave.snl <<'PROGRAM'
import "../parts/shape.snl";
param i32 steps = 3;
kernel step() { for i in x { x[i] += 1.0; } }
kernel f32 first() { return x[0]; }
main { for s in 0..steps { step(); } print("{:.1f}", x[N - 1]); }
test "three steps" { step(); step(); step(); assert(first() == 3.0); }
PROGRAM
echo 'const N = 8; field f32 x[N];' >parts/shape.snl
echo 'field i32 y[4]; kernel k() { for i in y { y[i] = i; } }' >src/plain.snl
printf 'test "a < b" { assert(1 < 2); }\ntest "b & \\"c\\"" { assert(1 > 2, "<{}>", 5); }\n' >src/tests.snl
plan 86

# ---- compile ----

names() {
    run "$SNLC" compile src/plain.snl && [ -s plain.c ] && [ -s plain.h ] && rm plain.c plain.h
}
check "outputs go to the current folder" names

to_file() {
    run "$SNLC" compile -o out/other.c src/plain.snl && [ -s out/other.c ] && [ -s out/other.h ] && grep -q '"other.h"' out/other.c
}
check "-o FILE names the source, and the header with it" to_file

to_folder() {
    run "$SNLC" compile -o out src/plain.snl && [ -s out/plain.c ] && [ -s out/plain.h ]
}
check "-o FOLDER" to_folder

# A source of more than 1 MB goes to the file part by part, and what is there already is compared with it part by part.
long_source() {
    sh "$SNL_SOURCE/bench/big" 6000 >big.snl && run "$SNLC" compile -q -o out/big.c big.snl || return
    [ "$(wc -c <out/big.c)" -gt 2000000 ] || { echo "it is not long"; return 1; }
    run "$SNLC" compile -q -o - --header=out/to_stdout.h big.snl || return
    sed 's/"to_stdout.h"/"big.h"/; s|"-"$|"out/big.c"|' out.txt >whole.c
    cmp out/big.c whole.c || return
    touch -d 2001-01-01 out/big.c mark
    run "$SNLC" compile -q -o out/big.c big.snl && ! is_newer out/big.c mark || { echo "the same text is written again"; return 1; }
    for change in 'printf X | dd of=out/big.c bs=1 seek=5' 'printf X | dd of=out/big.c bs=1 seek=1500000' 'truncate -s 1200000 out/big.c' \
        'truncate -s 100 out/big.c' 'echo more >>out/big.c'; do
        case $change in *dd*) change="$change conv=notrunc" ;; esac
        sh -c "$change" 2>/dev/null
        run "$SNLC" compile -q -o out/big.c big.snl && cmp out/big.c whole.c || { echo "after $change"; return 1; }
    done
    rm -f big.snl whole.c mark
    [ -z "$(find out -name 'big.c.*')" ] || { echo "a temporary file is left"; return 1; }
}
check "a long source is written part by part, and only where it differs" long_source

header_name() {
    run "$SNLC" compile -o out/a.c --header=out/b.h src/plain.snl && [ -s out/b.h ] && [ ! -e out/a.h ] && grep -q '"b.h"' out/a.c
}
check "--header=FILE" header_name

header_fields() {
    printf 'param i32 n = 4; field f32 x, y, z; layout { @offset(-2, 0) pointer ij[2, 2] { dense ij[2, 2] { place x; } } }\nlayout { dense i[n] { place y; } } layout { @offset(8) dense i[8] { place z; } }\n' >src/fields.snl
    run "$SNLC" compile -o out src/fields.snl && grep -qxF '/* field f32 x[4, 4], first index -2, 0 */' out/fields.h &&
        grep -qxF '/* field f32 y[?] */' out/fields.h && grep -qxF '/* field f32 z[8], first index 8 */' out/fields.h
}
check "headers tell the extents and the first indices of fields" header_fields

to_stdout() {
    run "$SNLC" compile -o - --header=out/c.h src/plain.snl && grep -q '#include' out.txt && [ ! -e ./- ] && [ -s out/c.h ] || return 1
    (mkdir pipe && cd pipe && run "$SNLC" compile -o - ../src/plain.snl && [ ! -e plain.h ])
}
check "-o - is standard output" to_stdout

# Links of the system stay where they lead to a plain file.
device() {
    "$SNLC" compile -o /dev/fd/3 src/plain.snl 3>fd.c >out.txt 2>err.txt && grep -q '#include' fd.c && [ ! -e /dev/fd/3.h ]
}
check "-o /dev/fd/3" device

prefix() {
    run "$SNLC" compile -o out/p.c --prefix=ocean src/plain.snl && grep -q 'ocean_k(' out/p.h && ! grep -q 'plain_k' out/p.h
}
check "--prefix=ID" prefix

# A program may have any name, also one that emitted code uses for something else.
any_name() {
    cat >src/names.snl <<'PROGRAM'
field f32 x[2], y;
layout { pointer i[8] { dense i[8] { place y; } } }
kernel f32 k(f32[] a, i32 q) { f32 s = 0; for i in x { x[i] = a[i % q]; } for i in y { s += y[i]; } return s; }
main { f32 a[2]; print("{}", k(a, 2)); }
PROGRAM
    for name in a alone args chunk entries from in int k main memory none o out params q s self step to x; do
        run "$SNLC" compile -o out/names.c --prefix="$name" src/names.snl || echo "refused: $name"
        # shellcheck disable=SC2046
        $TEST_CC -w -fsyntax-only $("$SNLC" config --cflags) out/names.c || echo "C: $name"
        command -v "${CXX:-c++}" >/dev/null || continue
        run "$SNLC" compile --target=cuda-sim -o out/names.cc --prefix="$name" src/names.snl || echo "refused for a GPU: $name"
        # shellcheck disable=SC2046
        "${CXX:-c++}" -std=gnu++17 -w -fsyntax-only $("$SNLC" config --cflags) out/names.cc || echo "C++: $name"
    done
    for name in float4 dim3 int2 uchar1; do
        run "$SNLC" compile -o out/names.c --prefix="$name" src/names.snl && grep -q "struct ${name}_ " out/names.h || echo "of CUDA: $name"
    done
}
check "a program of any name" any_name

# Members, params and arguments stand in the header under their names, but for those that C++ or a header of C has.
names_in_header() {
    cat >src/members.snl <<'PROGRAM'
struct Wave { f32x2 complex; i32 char16_t, co_await, noreturn, LC_ALL, EDOM, SIGINT, PRId64, FE_TONEAREST, plain; }
param f32 CLOCKS_PER_SEC = 1.5;
field Wave w[4];
kernel i32 next(i32 char32_t) { return char32_t + w[1].char16_t + i32(CLOCKS_PER_SEC); }
PROGRAM
    run "$SNLC" compile -o out/members.c src/members.snl || return 1
    grep -q 'int32_t char16_t_;' out/members.h && grep -q 'int32_t plain;' out/members.h || return 1
    printf '#include <%s>\n' complex.h errno.h fenv.h inttypes.h locale.h signal.h stdnoreturn.h time.h >after.c
    echo '#include "members.h"' >>after.c
    # shellcheck disable=SC2046
    $TEST_CC -std=c11 -fsyntax-only -Iout $("$SNLC" config --cflags) after.c || return 1
    command -v "${CXX:-c++}" >/dev/null || return 0
    for standard in 11 17 20; do
        # shellcheck disable=SC2046
        echo '#include "members.h"' | "${CXX:-c++}" -x c++ "-std=c++$standard" -fsyntax-only -Iout $("$SNLC" config --cflags) - || return 1
    done
}
check "names of members that C++ or headers of C have" names_in_header

two_outputs() {
    for options in '-o a.c --header=a.c' '-o a.c --manifest=a.c' '-o a.c -MD -MF a.c' '--header=b --time-trace=b' '-o a.h'; do
        # shellcheck disable=SC2086
        run "$SNLC" compile $options src/plain.snl
        [ $? = 64 ] && grep -q "'[ab][.ch]*' cannot be " err.txt || echo "$options"
    done
    [ ! -e a.c ] && [ ! -e a.h ] && [ ! -e b ] && run "$SNLC" compile -o /dev/null --header=/dev/null src/plain.snl
}
check "one name for two outputs" two_outputs

# Beside a device nothing is written.
device() {
    mkdir device
    (
        cd device || exit 1
        mkfifo pipe.c
        cat pipe.c >read.c &
        run "$SNLC" compile -MD -o pipe.c ../src/plain.snl || echo "compile"
        wait
        grep -q '"plain.h"' read.c || echo "the pipe has no source"
        run "$SNLC" build --kind=static -MD -o /dev/null ../src/plain.snl || echo "build"
        set -- *
        [ "$*" = "err.txt null.d out.txt pipe.c plain.d read.c" ] || echo "files: $*"
        for f in /dev/plain.h /dev/null.h /dev/null.d; do [ ! -e "$f" ] || echo "made: $f"; done
    )
}
check "beside a device or pipe nothing is written" device

# Paths stand in comments of C and names of headers in #include, which some would end.
path_in_comments() {
    mkdir -p 'src/*'
    cp src/plain.snl 'src/*/plain.snl'
    # shellcheck disable=SC2046
    run "$SNLC" compile --no-line -o out/starred.c 'src/*/plain.snl' &&
        $TEST_CC -Wall -Werror -fsyntax-only $("$SNLC" config --cflags) out/starred.c
}
check "a folder whose name would end a comment" path_in_comments

names_for_include() {
    for name in 'a"b' 'a
b'; do
        cp src/plain.snl "src/$name.snl"
        run "$SNLC" compile -o out "src/$name.snl"
        [ $? = 64 ] && grep -q 'no #include can name the header' err.txt && [ ! -e "out/$name.c" ] || echo "compile: $name"
        run "$SNLC" build --kind=object -o out/quoted.o --header=out/quoted.h "src/$name.snl" || echo "build: $name"
        run "$SNLC" test "src/$name.snl" || echo "test: $name"
    done
}
check "names of which no header can be called" names_for_include

long_name() {
    long=$(printf 'l%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)
    long=$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long$long
    echo 'main { print("{}", 1); }' >"src/$long.snl"
    run "$SNLC" run "src/$long.snl" && [ "$(cat out.txt)" = 1 ]
}
check "run: a name nearly as long as names may be" long_name

long_outputs() {
    long=$long$(printf 'm%.0s' 1 2 3 4 5 6 7 8 9 10 11) # 251 letters
    echo 'field f32 x[4]; kernel set() { x[0] = 1.0; } main { set(); save("'"$long"'.npy", x); }' >src/saves.snl
    run "$SNLC" compile -o "out/$long.c" src/saves.snl && [ -s "out/$long.h" ] && run "$SNLC" build -o "out/$long" src/saves.snl &&
        (cd out && "./$long" && [ -s "$long.npy" ])
}
check "names of outputs as long as names may be" long_outputs

several() {
    run "$SNLC" compile -j3 -o out src/plain.snl src/wave.snl src/tests.snl && [ -s out/wave.c ] && [ -s out/tests.h ]
}
check "several files at a time" several

several_errors() {
    echo 'kernel k() { missing = 1; }' >src/bad.snl
    run "$SNLC" compile -j2 -o out src/bad.snl src/plain.snl
    [ $? = 1 ] && [ ! -e out/bad.c ]
}
check "one wrong file of several" several_errors

untouched() {
    run "$SNLC" compile -o out src/plain.snl || return 1
    touch -t 200001010000 out/plain.c out/plain.h
    run "$SNLC" compile -o out src/plain.snl || return 1
    ! is_newer out/plain.c src/plain.snl && ! is_newer out/plain.h src/plain.snl
}
check "outputs that did not change are left alone" untouched

untouched_builds() {
    for command in "build -o out/same" "build --kind=shared -o out/same.so" "build --kind=static -o out/same.a" "run -o out/same.run" "test --filter=three -o out/same.test"; do
        # shellcheck disable=SC2086
        run "$SNLC" $command src/wave.snl || return 1
        made=${command##* }
        touch -t 200001010000 "$made"
        # shellcheck disable=SC2086
        run "$SNLC" $command src/wave.snl && ! is_newer "$made" src/plain.snl || { echo "$command"; return 1; }
    done
    echo >>out/same
    run "$SNLC" build -o out/same src/wave.snl && is_newer out/same src/wave.snl && out/same >out.txt && chmod 600 out/same &&
        run "$SNLC" build -o out/same src/wave.snl && [ -x out/same ]
}
check "executables and libraries that did not change are left alone" untouched_builds

only_header() {
    touch -t 200001010000 out/plain.c out/plain.h
    echo 'field i32 y[4]; kernel k() { for i in y { y[i] = i + 1; } }' >src/plain.snl
    run "$SNLC" compile -o out src/plain.snl && [ "$(find out/plain.c -newermt 2001-01-01)" ] && [ ! "$(find out/plain.h -newermt 2001-01-01)" ]
}
check "a changed kernel leaves its header alone" only_header

no_temporaries() {
    left=$(find . -name '*.??????' -newer src/bad.snl ! -name '*.snl' ! -path './cache/*' | grep -v '\.txt$')
    echo "$left" | grep . && return 1
    return 0
}
check "no temporary files are left" no_temporaries

same_bytes() {
    run "$SNLC" compile -o out/same.c src/wave.snl && cp out/same.c out/same.h . || return 1
    rm out/same.c out/same.h
    TZ=Asia/Tokyo HOME=/nonexistent SOURCE_DATE_EPOCH=1 run "$SNLC" compile -o out/same.c src/wave.snl && cmp same.c out/same.c && cmp same.h out/same.h
}
check "the same input gives the same bytes" same_bytes

two_folders() {
    for f in here there/deeper; do
        mkdir -p "two/$f" && cp -R src parts "two/$f" || return 1
        (cd "two/$f/src" && run "$SNLC" build --save-temps --manifest=wave.json -MD -o wave wave.snl &&
            run "$SNLC" compile -ffile-prefix-map="$PWD/=" -o whole.c "$PWD/wave.snl") || { cat "two/$f/src/err.txt"; return 1; }
    done
    for f in wave wave.c wave.json wave.d whole.c whole.h; do cmp "two/here/src/$f" "two/there/deeper/src/$f" || return 1; done
}
check "the same bytes in two folders" two_folders

two_headers() {
    for p in A B; do run "$SNLC" compile --prefix=$p -o "headers/$p/wave.c" src/wave.snl || return 1; done
    printf '#include "headers/A/wave.h"\n#include "headers/B/wave.h"\nA *a; B *b;\n' >headers.c
    # shellcheck disable=SC2046
    $CC -fsyntax-only $("$SNLC" config --cflags) headers.c
}
mkdir -p headers/A headers/B
check "one C file can include two headers of one name" two_headers

line_directives() {
    run "$SNLC" compile -o out/l.c src/plain.snl && grep -q '^#line [0-9]* "src/plain.snl"' out/l.c || return 1
    run "$SNLC" compile -o out/l.c --no-line src/plain.snl && ! grep -q '^#line' out/l.c || return 1
    run "$SNLC" compile -o out/l.c -ffile-prefix-map=src/=/there/ src/plain.snl && grep -q '^#line [0-9]* "/there/plain.snl"' out/l.c || return 1
    # The C source is called as it was given, so that debuggers and gcov find it.
    grep -q '^#line [0-9]* "out/l.c"' out/l.c || return 1
    run "$SNLC" compile -o out/l.c -ffile-prefix-map=out/=/made/ src/plain.snl && grep -q '^#line [0-9]* "/made/l.c"' out/l.c
}
check "#line, --no-line, -ffile-prefix-map" line_directives

manifest() {
    run "$SNLC" compile -o out --manifest=out/m.json src/wave.snl && grep -q '"step"' out/m.json && grep -q '"x"' out/m.json
}
check "--manifest=FILE" manifest

# ---- several files ----

echo 'field f32 z[4]; kernel f32 two() { z[0] = 2.0; return z[0]; }' >src/second.snl

several_outputs() {
    mkdir several && run "$SNLC" build -j2 -o several src/wave.snl src/plain.snl || return 1
    test "$(ls several)" = "$(printf 'libplain.a\nplain.h\nwave')" && [ "$(several/wave)" = 3.0 ]
}
check "build: several files into a folder" several_outputs

several_in_one() {
    for kind in a so; do
        run "$SNLC" build -MD -o "out/both.$kind" src/plain.snl src/second.snl || return 1
        nm "out/both.$kind" | grep -q ' T plain_k$' && nm "out/both.$kind" | grep -q ' T second_two$' || { echo "no two programs in out/both.$kind"; return 1; }
        [ -s out/plain.h ] && [ -s out/second.h ] && tr -d '\\\n' <"out/both.$kind.d" |
            grep -qx "out/both.$kind out/plain.h out/second.h:   src/plain.snl   src/second.snl" || { cat "out/both.$kind.d"; return 1; }
    done
    echo '#include "plain.h"
#include "second.h"
int main(void) { second *s; float x; return second_create(NULL, &s) || second_two(s, &x) || x != 2; }' >both.c
    # shellcheck disable=SC2046
    $CC -Iout $("$SNLC" config --cflags) both.c out/both.a $("$SNLC" config --libs) -o both && ./both
}
check "build: several files in one library" several_in_one

several_refused() {
    for words in "build -o out/x" "build -o out/x.o" "build --prefix=a" "compile -o out/x.c" "compile -MF out/x.d"; do
        # shellcheck disable=SC2086
        run "$SNLC" $words src/plain.snl src/second.snl
        [ $? = 64 ] || { echo "$words"; return 1; }
    done
    cp src/plain.snl plain.snl
    run "$SNLC" compile -o out src/plain.snl plain.snl
    [ $? = 64 ] && grep -q 'same outputs' err.txt || return 1
    cp src/second.snl src/plai-n.snl && cp src/second.snl src/plai_n.snl
    for kind in a so; do
        run "$SNLC" build -o "out/clash.$kind" src/plai-n.snl src/plai_n.snl
        [ $? = 64 ] && grep -q 'same names in C' err.txt && [ ! -e "out/clash.$kind" ] || { cat err.txt; return 1; }
    done
}
check "several files: what does not go together" several_refused

stats() {
    run "$SNLC" compile -o out --stats --time-trace=out/t.json src/wave.snl && grep -q '[0-9]  [a-z]' err.txt && grep -q '"traceEvents"' out/t.json
}
check "--stats and --time-trace" stats

# ---- depfiles ----

depfile() {
    run "$SNLC" compile -o out/wave.c -MD src/wave.snl || return 1
    printf 'out/wave.c out/wave.h: \\\n  src/wave.snl \\\n  src/../parts/shape.snl\n' | diff - out/wave.d
}
check "-MD: every output is a target, every file read a source" depfile

depfile_of_build() {
    run "$SNLC" build -o out/plain.a --header=out/p.h --manifest=out/p.json --save-temps -MF out/b.d src/plain.snl || return 1
    test "$(tr -d '\\\n' <out/b.d)" = "out/plain.a out/p.h out/plain.c out/p.json:   src/plain.snl"
}
check "-MF alone; every output of build" depfile_of_build

depfile_options() {
    run "$SNLC" compile -o out/wave.c -MD -MF out/x.dep -MT one -MT 'two three' -MP src/wave.snl || return 1
    printf 'one two\\ three: \\\n  src/wave.snl \\\n  src/../parts/shape.snl\nsrc/../parts/shape.snl:\n' | diff - out/x.dep
}
check "-MF, -MT, -MP" depfile_options

depfile_escapes() {
    mkdir -p 'a b'
    echo 'const N = 8; field f32 x[N];' >'a b/$#.snl'
    printf 'import "a b/$#.snl"; kernel k() { x[0] = 1.0; }' >'odd name.snl'
    run "$SNLC" compile -o 'out/odd name.c' -MD -MF out/odd.d 'odd name.snl' || return 1
    printf 'out/odd\\ name.c out/odd\\ name.h: \\\n  odd\\ name.snl \\\n  a\\ b/$$\\#.snl\n' | diff - out/odd.d
}
check "names with blanks, dollars and hashes" depfile_escapes

depfile_make() {
    command -v make >/dev/null 2>&1 || return 0
    printf 'include out/wave.d\nout/wave.c:\n\t@echo again\n' >rules.mk
    touch -t 200001010000 src/wave.snl parts/shape.snl
    touch -t 200101010000 out/wave.c out/wave.h
    (unset MAKEFLAGS MAKELEVEL; make -s -f rules.mk out/wave.c >first.txt; touch parts/shape.snl; make -s -f rules.mk out/wave.c >second.txt)
    ! grep -q again first.txt && grep -q again second.txt
}
check "make takes the depfile" depfile_make

# What is built, unlike C source, depends on the headers of extern functions, and on what they include.
depfile_headers() {
    mkdir -p headers/deep && echo '#include "deep/b.h"' >headers/a.h && echo '#include <stdio.h>' >headers/deep/b.h
    for command in "build -o out/plain.a" "run -o out/w" "compile -o out/plain.c"; do
        # shellcheck disable=SC2086
        run "$SNLC" $command -MF out/d --include=headers/a.h src/wave.snl || return 1
        want="   src/wave.snl   src/../parts/shape.snl   headers/a.h   headers/deep/b.h"
        case $command in compile*) want="   src/wave.snl   src/../parts/shape.snl" ;; esac
        [ "$(tr -d '\\\n' <out/d | sed 's/.*://')" = "$want" ] || { echo "$command"; cat out/d; }
    done
}
check "build: headers are inputs" depfile_headers

# ---- build ----

build_executable() {
    run "$SNLC" build src/wave.snl && [ -x wave ] && [ "$(./wave)" = 3.0 ] && [ "$(./wave --steps=5)" = 5.0 ]
}
check "build makes an executable of a program with a main" build_executable

build_static() {
    run "$SNLC" build src/plain.snl && [ -s libplain.a ] && [ -s plain.h ] && ar t libplain.a | grep -q '\.o$'
}
check "build makes a library of one without" build_static

build_shared() {
    run "$SNLC" build -o out/libplain.so src/plain.snl && [ -s out/libplain.so ] && [ -s out/plain.h ]
}
check "a shared library by its name" build_shared

build_object() {
    run "$SNLC" build -o out/plain.o src/plain.snl && [ -s out/plain.o ]
}
check "an object by its name" build_object

build_kind() {
    run "$SNLC" build --kind=object -o out/thing src/plain.snl && [ -s out/thing ] && [ ! -x out/thing ]
}
check "--kind" build_kind

build_no_main() {
    run "$SNLC" build --kind=exe src/plain.snl
    [ $? = 1 ] && grep -q 'no main' err.txt
}
check "an executable without a main" build_no_main

use_library() {
    cat >use.c <<'PROGRAM'
#include <stdio.h>
#include "plain.h"
int main(void)
{
    plain *p;
    int32_t y[4];
    if (plain_create(NULL, &p) || plain_k(p) || plain_get_y(p, y, 4))
        return 1;
    printf("%d %d\n", y[0], y[3]);
    plain_destroy(p);
    return 0;
}
PROGRAM
    # shellcheck disable=SC2046
    $CC -I. $("$SNLC" config --cflags) -o use use.c libplain.a $("$SNLC" config --libs) && [ "$(./use)" = "1 4" ] || return 1
    # shellcheck disable=SC2046
    $CC -I. $("$SNLC" config --cflags) -o use_shared use.c out/libplain.so $("$SNLC" config --libs) && [ "$(./use_shared)" = "1 4" ]
}
check "a C program with a static and a shared library" use_library

# A library goes on with its own runtime where the process has another one.
own_runtime() {
    echo 'field f32 x; layout { pointer i[4] { dense i[4] { place x; } } } kernel f32 k() { x[5] = 2.0; return x[5]; }' >src/own.snl
    run "$SNLC" build -o out/libown.so src/own.snl && cp out/own.h . || return 1
    for f in $(nm -D --defined-only out/libown.so | awk '$2 == "T" && $3 ~ /^snl_/ { print $3 }'); do
        echo "void $f(void); void $f(void) { puts(\"$f is called\"); abort(); }"
    done >other.inc
    printf '#include <stdio.h>\n#include <stdlib.h>\n#include "other.inc"\ntypedef struct own own; int own_create(void *, own **), own_k(own *, float *); void own_destroy(own *);\nint main(void) { own *o; float f = 0; if (own_create(0, &o) || own_k(o, &f)) return 1; own_destroy(o); return f != 2; }\n' >own.c
    $CC -o own own.c out/libown.so && LD_LIBRARY_PATH=out ./own
}
check "a shared library uses its own runtime" own_runtime

save_temps() {
    run "$SNLC" build --save-temps -o out/w src/wave.snl && [ -s out/w.c ] && [ -s out/wave.h ] && [ -x out/w ] || return 1
    (mkdir kept && cd kept && run "$SNLC" run --save-temps ../src/wave.snl && [ -s wave.c ] && [ -s wave.h ])
}
check "--save-temps" save_temps

# What only C could call is not in an executable, unless something says that C may.
closed_program() {
    cat >src/closed.snl <<'END'
field f32 x;
layout { dense i[8] { place x; } }
kernel idle() { x[0] = 1.0; }
kernel used() { x[1] = 2.0; }
main { used(); print("{}\n", x[1]); }
END
    run "$SNLC" build -o out/closed src/closed.snl && [ "$(out/closed)" = 2.0 ] && ! nm out/closed | grep -q "closed_idle\|closed_get_x\|closed_set_seed" || return 1
    run "$SNLC" build -o out/open --header=out/open.h src/closed.snl && [ "$(out/open)" = 2.0 ] && nm out/open | grep -q "T closed_idle" &&
        nm out/open | grep -q "T closed_get_x" && grep -q "closed_get_x(" out/open.h
}
check "an executable has the C interface if its header is asked for" closed_program

# What -v and -### print is what a shell reads.
quoted_words() {
    mkdir "it's here" && run "$SNLC" build '-###' -o "it's here/a b" src/kept.snl || return 1
    eval "set -- $(tail -n 1 err.txt)" && while [ "$1" != -o ]; do shift; done && [ "$2" = "it's here/a b" ]
}

dry_run() {
    rm -f wave
    run "$SNLC" build '-###' -Xcc -DWORD=1 -Xlinker -s src/wave.snl && grep -q -- "-DWORD=1" err.txt && grep -q -- "-Wl,-s" err.txt && [ ! -e wave ] || return 1
    mkdir dry && run "$SNLC" build '-###' -MD --manifest=dry/m.json --save-temps -o dry/wave src/wave.snl && [ -z "$(ls dry)" ]
}
check "-### prints the commands and runs nothing" dry_run
echo 'main { print("{}", 1); }' >src/kept.snl
check "-### prints words as a shell reads them" quoted_words

# 200 loops in kernels, more than one run of the C compiler shall have, and what each of them gives.
write_large() { # FILE
    echo 'field f64 x[65536];'
    seq 200 | awk '{
        printf "kernel k%d() { for i in x { x[i] = x[i] * %d.0 + (x[i] - %d.5) * (f64(i) + %d.25); } }\n", $1, $1 % 3, $1, $1
        calls = calls sprintf("    k%d();\n    for i in 0..16 { x[i] = x[i] %% 1000.0; }\n", $1)
    } END { printf "main {\n%s    for i in 0..16 { print(\"{}\", x[i]); }\n}\n", calls }'
}
in_parts() {
    mkdir large && write_large >src/large.snl
    run "$SNLC" build '-###' src/large.snl && [ "$(grep -c -- '-DSNL_PART=[12] ' err.txt)" = 2 ] || return 1
    # what C compilers make of SNL_SIMD depends on it
    ! grep -q -- -fopenmp err.txt || ! grep -v -- -fopenmp err.txt || return 1
    for options in -j1 -O1 -g --save-temps; do
        run "$SNLC" build '-###' $options src/large.snl && ! grep SNL_PART err.txt || return 1
    done
    run "$SNLC" build -Xcc -O0 -Xcc -Wall -Xcc -Wextra -Xcc -Werror -o large/parts src/large.snl || return 1
    run "$SNLC" build -j1 -Xcc -O0 -o large/one src/large.snl && large/one >one.txt && large/parts | cmp - one.txt || return 1
    printf '#!/bin/sh\ncase "$*" in *SNL_PART=2*) exit 3 ;; esac\nexec %s "$@"\n' "$CC" >large/cc && chmod +x large/cc
    cp large/parts large/before
    run "$SNLC" build -q --cc="$folder/large/cc" -Xcc -O0 -o large/parts src/large.snl
    [ $? = 1 ] && [ "$(grep -c E0803 err.txt)" = 1 ] && grep -q 'status 3' err.txt && cmp large/parts large/before
}
check "a large program is compiled in parts" in_parts

# run, test and bench keep what they are asked for; a second time too, from the cache.
kept_program() {
    cat >src/kept.snl <<'END'
field f32 x;
layout { dense i[8] { place x; } }
kernel set() { x[1] = 2.0; }
main { set(); print("{}", x[1]); }
test "sets" { set(); assert(x[1] == 2.0); }
@check test "sets, checked" { set(); assert(x[1] == 2.0); }
benchmark "sets" { while (measure()) { set(); } }
END
    for command in run test 'bench -q --repeats=2'; do
        for turn in first second; do
            mkdir -p "kept/$turn"
            # shellcheck disable=SC2086
            run "$SNLC" $command -j 2 -o "kept/$turn/" --header=kept/h.h --manifest=kept/m.json -MF kept/d src/kept.snl || return 1
            [ "$command" != run ] || [ "$("kept/$turn/kept")" = 2.0 ] || return 1
            [ -x "kept/$turn/kept" ] && grep -q '"kernels"' kept/m.json && grep -q kept_set kept/h.h || return 1
            printf 'kept/%s/kept kept/h.h kept/m.json: \\\n  src/kept.snl\n' "$turn" | diff - kept/d || return 1
            rm -r kept
        done
    done
    run "$SNLC" run -MD -MT again src/kept.snl && printf 'again: \\\n  src/kept.snl\n' | diff - kept.d
}
check "run, test and bench keep -o, --header, --manifest and a depfile" kept_program

kept_fails() {
    for command in run test 'bench -q --repeats=2'; do
        # shellcheck disable=SC2086
        run "$SNLC" $command -o out/kept --header=nowhere/h.h src/kept.snl
        [ $? = 73 ] && [ ! -e out/kept ] || return 1
        # shellcheck disable=SC2086
        run "$SNLC" $command -o nowhere/kept src/kept.snl
        [ $? = 73 ] || return 1
        mkdir -p taken/kept
        # shellcheck disable=SC2086
        run "$SNLC" $command -o taken/ src/kept.snl
        [ $? = 73 ] && [ "$(ls taken)" = kept ] && [ -z "$(ls taken/kept)" ] || { ls -R taken; return 1; }
        # shellcheck disable=SC2086
        run "$SNLC" $command -### -o out/kept -MD --manifest=out/m src/kept.snl && grep -q -- -lsnlrt err.txt && [ ! -e out/kept ] && [ ! -e out/kept.d ] && [ ! -e out/m ] || return 1
    done
    for command in run test; do
        run "$SNLC" $command --interpret -MD src/kept.snl
        [ $? = 64 ] || return 1
    done
    run "$SNLC" test -o out/kept src/kept.snl src/plain.snl
    [ $? = 64 ] && run "$SNLC" test -o out src/kept.snl src/plain.snl && [ -x out/kept ] && [ -x out/plain ]
}
check "run, test and bench: what cannot be kept" kept_fails

# What is read is never written over, nor does a binary go to a terminal.
outputs_are_no_inputs() {
    cp src/wave.snl before.snl
    for command in compile build run test 'bench -q'; do
        for option in -o --header --manifest -MF; do
            # shellcheck disable=SC2086
            run "$SNLC" $command $option ./src/wave.snl src/wave.snl
            [ $? = 64 ] && cmp -s before.snl src/wave.snl || return 1
        done
    done
    for options in 'compile --time-trace' 'run --time-trace' 'test --junit' 'bench --json' 'bench --plot' 'tune --json'; do
        # shellcheck disable=SC2086
        run "$SNLC" $options=./src/wave.snl src/wave.snl
        [ $? = 64 ] && cmp -s before.snl src/wave.snl || return 1
    done
    run "$SNLC" compile -o parts/shape.snl src/wave.snl
    [ $? = 64 ] && grep -q "'parts/shape.snl' is read" err.txt || return 1
    for command in build run test 'bench -q'; do
        # shellcheck disable=SC2086
        run "$SNLC" $command -o - src/kept.snl
        [ $? = 64 ] && [ ! -e ./- ] || return 1
        # shellcheck disable=SC2086
        run "$SNLC" $command --emit=layout -o - src/kept.snl && grep -q dense out.txt && [ ! -e ./- ] || return 1
    done
}
check "an output is no input, and no executable goes to standard output" outputs_are_no_inputs

# Nor where it is the default name of an output.
defaults_are_no_inputs() {
    mkdir same && cd same || return 1
    echo 'import "same.d"; extern func f64 g(f64 x); field f32 x[4]; kernel f32 k() { return f32(g(1.0)); } main { print("{}", k()); } test "t" { k(); }' >same
    cp same same.c && cp same .snl && cp same same.snl && echo 'const A = 1;' >same.d && echo 'static inline double g(double x) { return x; }' >same.h
    mkdir ../same.copy && cp -R . ../same.copy
    is_as_before() {
        [ "$1" = 64 ] && grep -q 'is read, and cannot be an output' err.txt && rm -f err.txt out.txt && diff -r . ../same.copy || { shift; echo "$*"; head -n 3 err.txt; }
    }
    while read -r words; do
        # shellcheck disable=SC2086
        run "$SNLC" $words
        is_as_before $? "$words"
    done <<END
build same
build .snl
build --include=same.h -o same.a same.snl
build --include=same.h -MD same.snl
build --include=same.h --save-temps -o other same.snl
build --include=same.h --save-temps -o same same.c
compile -o . same.c
compile --include=same.h same.snl
compile --include=same.h --header=h -MD same.snl
run --include=same.h -o . same
run --include=same.h -MD same.snl
run --include=same.h --save-temps same.c
test --include=same.h --save-temps same.snl
END
    cd ..
}
check "nor is a default name one" defaults_are_no_inputs

# Outputs that would overwrite each other, however they are spelt, are refused before any is written.
outputs_are_several() {
    mkdir twofold twofold/sub && cd twofold || return 1
    cp ../src/wave.snl ../src/plain.snl . && sed -i 's|../parts|parts|' wave.snl && cp -R ../parts . && cp -R . ../twofold.copy
    while read -r words; do
        # shellcheck disable=SC2086
        run "$SNLC" $words
        [ $? = 64 ] && grep -q 'cannot be two outputs' err.txt && rm -f err.txt out.txt && diff -r . ../twofold.copy || { echo "$words"; head -n 3 err.txt; rm -rf ./*.[cdh]; }
    done <<END
compile -o y.c --header=y.c wave.snl
compile -o y.c --header=./y.c wave.snl
compile -o y.c --header=sub/../y.c wave.snl
compile -o y.h wave.snl
compile -MF wave.c wave.snl
compile -MF $PWD/wave.c wave.snl
compile -o . -MF wave.h wave.snl
compile --manifest=wave.h wave.snl
compile -MD --manifest=wave.d wave.snl
compile --time-trace=wave.c wave.snl
build -MF wave wave.snl
build -MD --manifest=./wave.d wave.snl
build --kind=static --manifest=wave.h wave.snl
build --save-temps --time-trace=wave.c wave.snl
build --save-temps -o wave.c wave.snl
build -o all.a -MF plain.h wave.snl plain.snl
run -o . --time-trace=wave wave.snl
END
    ln -s . here && run "$SNLC" compile -o y.c --header=here/y.c wave.snl
    [ $? = 64 ] && rm -f here && run "$SNLC" compile -o sub/y.c --header=y.c wave.snl && run "$SNLC" compile -o /dev/null --header=/dev/null wave.snl && cd ..
}
check "outputs that would overwrite each other are refused" outputs_are_several

# A file of the user's own stays, unless -o names it.
foreign_files() (
    mkdir by_hand && cd by_hand && cp ../src/plain.snl . || return 1
    for words in compile "compile -o ." "compile --target=cuda" "build --save-temps -o plain.a" "build --kind=static"; do
        for own in plain.c plain.cu plain.h; do
            rm -f plain.[chu]* libplain.a plain.a
            echo '/* by hand */' >$own
            # shellcheck disable=SC2086
            run "$SNLC" $words plain.snl
            status=$?
            grep -qx '/\* by hand \*/' $own || { echo "$words: $own"; return 1; }
            case $words:$own in
            compile*cuda:plain.c | compile:*.cu | compile*.:*.cu | build*:*.cu | "build --kind=static:plain.c") [ $status = 0 ] || { cat err.txt; return 1; } ;;
            *) [ $status = 73 ] && grep -q "'[./]*$own' is there and was not made by snlc" err.txt && [ "$(ls -- *.*[!t])" = "$(printf '%s\nplain.snl' $own)" ] || { echo "$words: $own"; cat err.txt; ls; return 1; } ;;
            esac
        done
    done
    rm -f plain.[chu]* && echo '/* by hand */' >plain.h && : >plain.c && run "$SNLC" compile --header=plain.h plain.snl && run "$SNLC" compile --no-line plain.snl || return 1
    echo '/* by hand */' >plain.c && echo '/* by hand */' >plain.h && run "$SNLC" compile -o plain.c plain.snl && grep -q '^/\* Made by snlc' plain.c && grep -q '^/\* Made by snlc' plain.h
)
check "a file that snlc did not make is replaced only where -o names it" foreign_files

# A link in the place of an output stays.
linked_outputs() (
    mkdir linked linked/to && cd linked && ln -s to/wave.c wave.c && ln -s to/wave wave && cp ../src/plain.snl . || return 1
    run "$SNLC" compile -o wave.c plain.snl && run "$SNLC" compile --no-line -o wave.c plain.snl && run "$SNLC" build --kind=object -o wave plain.snl || return 1
    [ -L wave.c ] && [ -L wave ] && [ -f to/wave.c ] && [ -s to/wave ] && [ "$(ls to)" = "$(printf 'wave\nwave.c')" ]
)
check "links in the place of outputs stay" linked_outputs

# Reports are documents that others read: bytes that are no UTF-8 are replaced, in titles, outputs, defaults and file names.
bytes_are_replaced() {
    name=$(printf 'bytes_\351.snl')
    printf '%s\n' 'param string s = "\xff\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80\xc3\xa9";' 'test "a\xfe" { print("caf\xe9 \xef\xbf\xbf \x01 \\ \""); assert(false, "x"); }' \
        'benchmark "b\xfe" { while (measure()) { } }' 'kernel k() { }' >"$name"
    run "$SNLC" test --interpret --junit=bytes.xml "$name"
    [ $? = 1 ] && run "$SNLC" bench --repeats=2 --json=bench.json --plot=bench.svg "$name" && run "$SNLC" compile -o - --manifest=manifest.json "$name" || return 1
    python3 - <<'PYTHON'
import json
import xml.dom.minidom as xml
text = xml.parse("bytes.xml").documentElement.toxml()
assert 'name="a\ufffd"' in text and "caf\ufffd \ufffd " in text and "bytes_\ufffd" in text, text
xml.parse("bench.svg")
bench = json.load(open("bench.json", encoding="utf-8"))
assert bench["file"] == "bytes_\ufffd.snl" and bench["benchmarks"][0]["name"] == "b\ufffd", bench
manifest = json.load(open("manifest.json", encoding="utf-8"))
assert manifest["source"] == "bytes_\ufffd.snl", manifest
assert manifest["params"][0]["default"] == "\ufffd" * 10 + "\u00e9", manifest
PYTHON
}
if command -v python3 >/dev/null 2>&1; then
    check "bytes that are no UTF-8 are replaced in reports" bytes_are_replaced
else
    skip "bytes that are no UTF-8 are replaced in reports" "python3 is missing"
fi

# compile takes the options of build for the tools, which do not run.
compile_takes_tools() {
    mkdir tools && run "$SNLC" compile -o tools src/plain.snl && mv tools/plain.c plain.before || return 1
    run env PATH=/nowhere "$SNLC" compile -o tools --cc=missing --nvcc=missing -Xcc -g -Xnvcc -g -Xlinker -s --arch=native --save-temps src/plain.snl || return 1
    cmp plain.before tools/plain.c && rm -r tools && mkdir tools && run "$SNLC" compile '-###' -MD -o tools src/plain.snl && [ -z "$(ls tools)" ]
}
check "compile takes options for the tools" compile_takes_tools

# Where the last of several outputs cannot be written, make must not take the others for new.
parts_of_outputs() {
    mkdir parted parted/plain.h parted/d
    run "$SNLC" build -o parted/plain.a src/plain.snl
    [ $? = 73 ] && [ ! -e parted/plain.a ] || return 1
    for command in "build -o parted/second.a" "compile -o parted/second.c"; do
        # shellcheck disable=SC2086
        run "$SNLC" $command -MF parted/d src/second.snl
        [ $? = 73 ] && [ "$(ls parted)" = "$(printf 'd\nplain.h')" ] || { ls parted; return 1; }
    done
}
check "some outputs cannot be written: there are none" parts_of_outputs

verbose() {
    run "$SNLC" build -v -O1 --arch=generic -o out/v src/wave.snl && grep -q -- "-O1" err.txt && ! grep -q -- "-march" err.txt
}
check "-v prints the commands, --arch=generic" verbose

# A compiler for another processor does not know the one of this machine; its name, or its options, tell that it is one.
crossing() {
    for cc in aarch64-linux-gnu-gcc 'riscv64-linux-gnu-gcc-12 -x' 'clang --target=aarch64-linux-gnu' 'zig cc -target aarch64-linux-musl'; do
        run "$SNLC" build '-###' --cc="$cc" -o out/v src/wave.snl && ! grep -q -- "-march" out.txt err.txt || { echo "$cc"; return 1; }
    done
    [ "$(uname -m)" = x86_64 ] || return 0
    for cc in gcc-12 x86_64-linux-gnu-gcc ccache; do
        run "$SNLC" build '-###' --cc="$cc" -o out/v src/wave.snl && cat out.txt err.txt | grep -q -- "-march=native" || { echo "$cc"; return 1; }
    done
}
check "a compiler for another processor gets no -march=native" crossing

failed_compiler() {
    echo old >out/kept
    run "$SNLC" build -Xcc -no-such-flag -o out/kept src/wave.snl
    [ $? != 0 ] && grep -qx old out/kept && grep -q 'no-such-flag' err.txt
}
check "a failing compiler leaves the old output" failed_compiler

# ---- run and the cache ----

run_program() {
    run "$SNLC" run src/wave.snl -- --steps=2 && [ "$(cat out.txt)" = 2.0 ]
}
check "run hands arguments to the program" run_program

# The second program is not taken for the first.
run_after_dashes() {
    echo 'param i32 n = 1; main { print("other {}", n); }' >-other.snl
    run "$SNLC" run -- src/wave.snl --steps=3 && [ "$(cat out.txt)" = 3.0 ] &&
        run "$SNLC" run -- -other.snl -- --n=2 && [ "$(cat out.txt)" = "other 2" ] &&
        run "$SNLC" run -- -other.snl && [ "$(cat out.txt)" = "other 1" ]
}
check "run: -- before the file ends the options" run_after_dashes

count_programs() { find cache -type f -perm -100 | wc -l; }

cached() {
    entries=$(count_programs)
    run env CC=/nonexistent/cc "$SNLC" run --cc="$CC" src/wave.snl && [ "$(count_programs)" = "$entries" ]
}
check "a second run builds nothing" cached

cache_changes() {
    run "$SNLC" run -O0 src/wave.snl && [ "$(count_programs)" -gt "$entries" ] || return 1
    entries=$(count_programs)
    run "$SNLC" run -D N=9 src/wave.snl && [ "$(count_programs)" -gt "$entries" ]
}
check "other options or constants build anew" cache_changes

# What is run again unchanged starts without a look at the program: the record of the first run says which executable it is.
recalled() {
    mkdir again && echo 'const N = 1;' >again/part.snl && printf 'import "part.snl";\nmain { print("{}", N); }\n' >again/main.snl
    run "$SNLC" run again/main.snl && [ "$(cat out.txt)" = 1 ] || return 1
    record=$(grep -l again/part.snl cache/snlc/run-*)
    printf '#include <stdio.h>\nint main(void) { return puts("recalled") < 0; }\n' >again/other.c && $CC -o again/other again/other.c || return 1
    sed -i "1s|.*|$PWD/again/other|" "$record"
    run "$SNLC" run again/main.snl && [ "$(cat out.txt)" = recalled ] || return 1
    run "$SNLC" run -O1 again/main.snl && [ "$(cat out.txt)" = 1 ] || return 1
    echo 'const N = 2;' >again/part.snl
    run "$SNLC" run again/main.snl && [ "$(cat out.txt)" = 2 ]
}
check "an unchanged program is started at once, a changed import is seen" recalled

recalled_warnings() {
    printf 'import "part.snl";\nhost f() { i32 x = 1; }\nmain { print("{}", N); }\n' >again/main.snl
    run "$SNLC" run again/main.snl && grep -q warning err.txt && run "$SNLC" run again/main.snl && grep -q warning err.txt
}
check "warnings are given each time" recalled_warnings

recalled_search() {
    mkdir again/far && mv again/part.snl again/far && printf 'import "part.snl";\nmain { print("{}", N); }\n' >again/main.snl
    run "$SNLC" run -I again/far again/main.snl && [ "$(cat out.txt)" = 2 ] && echo 'const N = 3;' >again/part.snl &&
        run "$SNLC" run -I again/far again/main.snl && [ "$(cat out.txt)" = 3 ]
}
check "an import that comes before another is seen" recalled_search

cache_broken() {
    for change in ': >"$1"' 'echo damaged >"$1"' 'rm -f "$1"'; do
        run "$SNLC" run src/wave.snl && find cache -type f -exec sh -c "$change" sh {} \;
        run "$SNLC" run src/wave.snl && [ "$(cat out.txt)" = 3.0 ] || { echo "after $change"; return 1; }
    done
}
check "a cache that was emptied or damaged" cache_broken

# What the C compiler reads besides the program counts for the cache as the program does.
foreign_inputs() {
    mkdir foreign foreign/inc foreign/there && cd foreign || return 1
    echo 'extern func i32 number(); main { print("{}", number()); }' >main.snl
    cp main.snl there
    make_number() { # OBJECT NUMBER
        echo "int number(void) { return $2; }" >number.c && $CC -c -o "$1" number.c
    }
    gives() { # NUMBER WORD...
        want=$1
        shift
        run "$SNLC" run -q "$@" main.snl && [ "$(cat out.txt)" = "$want" ] || { echo "not $want: $*"; cat out.txt; }
    }
    make_number number.o 1 && LIBS=number.o gives 1
    make_number number.o 2 && LIBS=number.o gives 2 && make_number there/number.o 3 && (cd there && LIBS=number.o gives 3)
    ar rc libnumber.a number.o && LDFLAGS=-L. LIBS=-lnumber gives 2 && make_number number.o 4 && ar rc libnumber.a number.o && LDFLAGS=-L. LIBS=-lnumber gives 4
    echo ' #  include "in.h"' >h.h && echo '#include <deep.h>' >in.h
    for n in 5 6; do
        echo "static inline int number(void) { return $n; }" >inc/deep.h && gives "$n" -Xcc -Iinc --include=h.h
    done
    for n in 7 8; do
        printf '#!/bin/sh\nexec %s -DNUMBER=%s "$@"\n' "$CC" "$n" >cc && chmod +x cc && echo 'static inline int number(void) { return NUMBER; }' >h.h
        gives "$n" --cc=./cc --include=h.h
    done
    cd ..
}
check "a changed object, library, header or compiler builds anew" foreign_inputs

status_of_program() {
    echo 'main { assert(1 > 2, "no"); }' >src/fails.snl
    run "$SNLC" run src/fails.snl
    [ $? = 1 ] && grep -q 'src/fails.snl:1: no' err.txt
}
check "run gives the status of the program" status_of_program

# ---- test reports ----

summary() {
    run "$SNLC" test src/tests.snl
    [ $? = 1 ] && [ "$(tail -n 1 out.txt)" = "1 passed, 1 failed" ] && grep -q '<5>' out.txt
}
check "the summary is the last line" summary

# A file with @check tests is compiled twice.
warned_once() {
    echo 'field i32 x[64]; kernel k() { for i in x { x[i / 2] *= 3; } } test "a" { } @check test "b" { }' >src/warned.snl
    run "$SNLC" test src/warned.snl && [ "$(grep -c 'W0503' err.txt)" = 1 ]
}
check "warnings are given once, also with @check tests" warned_once

# run, test and bench say what compile and build say of a compilation, also where the executable is there already.
measured_compilation() {
    echo 'kernel i32 f() { return 7; } main { print("{}", f()); } test "t" { f(); } benchmark "b" { while (measure()) { f(); } }' >src/seven.snl
    for command in run run test "bench --repeats=1"; do
        rm -f trace.json
        # shellcheck disable=SC2086
        run "$SNLC" $command --stats --no-line -ffile-prefix-map=src=here --time-trace=trace.json src/seven.snl &&
            grep -q ' codegen_statements$' err.txt && grep -q '"check"' trace.json || { echo "$command"; cat err.txt; return 1; }
    done
    for command in compile build test; do
        run "$SNLC" $command --time-trace=trace.json src/seven.snl src/plain.snl
        [ $? = 64 ] || { echo "$command of several files"; return 1; }
    done
}
check "--stats and --time-trace of run, test and bench" measured_compilation

tap() {
    run "$SNLC" test --tap src/tests.snl src/wave.snl
    [ $? = 1 ] && head -n 1 out.txt | grep -qx '1\.\.3' && [ "$(grep -c '^ok' out.txt)" = 2 ] && [ "$(grep -c '^not ok 2' out.txt)" = 1 ] || return 1
    echo 'test "t" { assert(missing); }' >src/wrong.snl
    run "$SNLC" test --tap src/wave.snl src/wrong.snl
    [ $? = 1 ] && head -n 1 out.txt | grep -qx '1\.\.2' && grep -qx 'not ok 2 - src/wrong.snl: the file has errors' out.txt
}
check "--tap" tap

tap_titles() {
    echo 'test "a # SKIP later" { assert(false); } test "b \\ # SKIP\nc" { }' >'src/#.snl'
    run "$SNLC" test --interpret --tap 'src/#.snl'
    [ $? = 1 ] && grep -qxF 'not ok 1 - src/\#.snl: a \# SKIP later' out.txt && grep -qxF 'ok 2 - src/\#.snl: b \\ \# SKIP c' out.txt
}
check "titles are no directives of --tap" tap_titles

tap_order() {
    echo 'kernel k() { print("first"); } test "t" { k(); assert(1 > 2, "second"); }' >src/order.snl
    for way in "" --interpret; do
        # shellcheck disable=SC2086
        "$SNLC" test $way --tap src/order.snl >out.txt 2>err.txt
        [ "$(sed -n 's/^# //p' out.txt)" = "first
src/order.snl:1: second" ] || { cat out.txt; return 1; }
    done
}
check "what a test prints stands before its error" tap_order

filter() {
    run "$SNLC" test --filter='a <' src/tests.snl && [ "$(tail -n 1 out.txt)" = "1 passed, 0 failed" ]
}
check "--filter" filter

junit() {
    echo 'test "t" { assert(missing); }' >src/wrong.snl
    run "$SNLC" test --junit=out/w.xml src/tests.snl src/wrong.snl
    grep -q 'tests="3" failures="1" errors="1"' out/w.xml && grep -q 'classname="src/wrong.snl" name="build"><error>' out/w.xml || { cat out/w.xml; return 1; }
    run "$SNLC" test --junit=out/j.xml src/tests.snl
    [ $? = 1 ] && grep -q 'tests="2" failures="1"' out/j.xml || return 1
    if [ -n "${XMLLINT-}" ]; then "$XMLLINT" --noout out/j.xml; fi
}
check "--junit" junit

time_out() {
    printf 'test "endless" { i32 n = 0; while (n == 0) { } }\ntest "quick" { }\n' >src/endless.snl
    run "$SNLC" test --timeout=1 src/endless.snl
    [ $? = 1 ] && grep -q 'ended after 1 second' out.txt && [ "$(tail -n 1 out.txt)" = "1 passed, 1 failed" ]
}
check "--timeout" time_out

has_debug() { objdump -h "$1" | grep -q debug_info; }

debug_information() {
    run "$SNLC" build -O0 -o bare src/wave.snl && ! has_debug bare && run "$SNLC" build -O0 -g -o full src/wave.snl && has_debug full
}
check "debug information, of the runtime too, is there with -g only" debug_information

same_debug() {
    for n in 1 2; do
        mkdir -p "debug/$n" && (cd debug/$n && run "$SNLC" build -g -ffile-prefix-map="$PWD=." -o wave ../../src/wave.snl &&
            run "$SNLC" build -g -ffile-prefix-map="$PWD=." -o wave.a ../../src/wave.snl) || return 1
    done
    cmp debug/1/wave debug/2/wave && cmp debug/1/wave.a debug/2/wave.a && run "$SNLC" build -g --save-temps -o debug/named src/wave.snl &&
        objdump --dwarf=rawline debug/named >lines.txt && grep -q 'named\.c' lines.txt && ! grep 'wave\.c$' lines.txt
}
check "two builds with -g have the same bytes, and name the source that is kept" same_debug

json_version() {
    run "$SNLC" version --json && grep -q '^{.*"version": "[0-9.]*".*}$' out.txt
}
check "version --json" json_version
