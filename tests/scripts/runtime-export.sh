#!/bin/sh
# The runtime that snlc runtime writes builds with C compilers alone, and programs print with it what they print otherwise. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT CFLAGS LDFLAGS LIBS
folder=$(fresh_folder scripts/runtime-export)
cd "$folder" || exit 1
need='-fno-fast-math -fwrapv -ffp-contract=off -fno-math-errno'

# Nodes of all kinds, sums, random numbers, prints of kernels, a file.
cat >all.snl <<'PROGRAM'
param i32 steps = 3;
field f32 x[40, 8]; field f64 y; field i32 h, l;
layout { pointer i[8] { bitmasked i[8] { place y; } } }
layout { hash ij[1 << 20, 1 << 20] { place h; } }
layout { dense i[4] { list: dynamic j[100] { place l; } } }
field f32 big;
layout { dense i[n] { place big; } }
param i32 n = 10;
kernel init() {
    for i, j in x { x[i, j] = sqrt(f32(i)) + random(); }
    for i in 0..64 { if (i % 3 == 0) { y[i] = f64(i); } }
    for i in 0..100 { h[i * 991, i] = i; append(list[i % 4], i); }
}
kernel f64 total() {
    f64 s = 0;
    for i, j in x { s += f64(x[i, j]); }
    for i in y { s += y[i]; }
    for i, j in h { s += f64(h[i, j]); }
    for i, j in l { s += f64(l[i, j]); }
    return s;
}
main {
    for s in 0..steps { init(); }
    fill(big, 2.0);
    print("{:.17g} {} {}", total(), length(list[1]), big[9]);
    save("x.npy", x);
    fill(x, 0.0);
    load("x.npy", x);
    print("{:.17g}", total());
}
PROGRAM
echo 'param string out = "a.vtu"; field f32 x[4]; main { fill(x, 1.0); save(out, x); load(out, x); print("{}", x[3]); }' >any.snl
echo 'field f32 x[4]; kernel add(f32 v) { for i in x { x[i] += v; } } kernel f32 sum() { f32 s = 0; for i in x { s += x[i]; } return s; }' >lib.snl
cat >lib_main.c <<'PROGRAM'
#include <stdio.h>
#include "lib.h"
int main(void)
{
    lib *l;
    float s = 0;
    if (lib_create(NULL, &l) || lib_add(l, 2.5f) || lib_sum(l, &s))
        return 1;
    printf("%g\n", s);
    lib_destroy(l);
    return 0;
}
PROGRAM
"$SNLC" compile -q --kind=exe all.snl && "$SNLC" compile -q --kind=exe any.snl && "$SNLC" compile -q lib.snl || exit 1
use_mode interpret
"$snlc" run -q $how all.snl >expected || exit 1

# A test is a function that prints what is wrong.
check() { # NAME FUNCTION [ARGUMENT...]
    name=$1
    shift
    "$@" >log 2>&1
    status=$?
    [ "$status" = 0 ] || echo "status $status" >>log
    [ ! -s log ]
    result $? "$name" log
}

# Builds all.c with one line of a compiler, which has nothing to complain of, and runs it.
build() { # FOLDER COMPILER FLAG...
    where=$1
    shift
    # shellcheck disable=SC2086
    "$@" -O1 $need -I"$where" -o program all.c "$where"/snl/*.c -lm -lpthread -ldl || return 1
    SNL_NUM_THREADS=2 ./program >output && diff expected output
}

exported() { # FOLDER FILE OPTION...
    where=$1 file=$2
    shift 2
    "$SNLC" runtime -q --export="$where" "$@" "$file"
}

one_source() {
    exported one all.snl --amalgamate && (cd one && find . -type f | sort) | diff - - <<'END'
./CMakeLists.txt
./snl/snl_api.h
./snl/snl_cpp.h
./snl/snlrt.c
./snl/snlrt.h
END
}

kinds() {
    grep -q '^#define SNL_WITHOUT_VTI' one/snl/snlrt.c && grep -q '^#define SNL_WITHOUT_NPZ' one/snl/snlrt.c || echo "unused kinds are there"
    ! grep -q '^#define SNL_WITHOUT_NPY' one/snl/snlrt.c || echo "npy is not there"
    ! grep -q 'snl_vti_save(const char \*path, int count.*{' one/snl/snlrt.c || echo "the source of .vti is there"
    ! grep -q 'cudaMalloc\|cudaStream_t' one/snl/snlrt.c || echo "CUDA is there"
    exported any any.snl --amalgamate && ! grep '^#define SNL_WITHOUT' any/snl/snlrt.c
}

unknown_names() {
    # shellcheck disable=SC2086
    $TEST_CC -std=gnu11 -O1 -Wall $need -Iany -o any.run any.c any/snl/snlrt.c -lm -lpthread -ldl && ./any.run >output && echo 1.0 | diff - output
}

# What was left out is an error of the program, no crash.
left_out() {
    # shellcheck disable=SC2086
    $TEST_CC -std=gnu11 -O1 $need -Ione -o any.run any.c one/snl/snlrt.c -lm -lpthread -ldl || return 1
    ! ./any.run >output 2>&1 && grep -q "no support for '.vtu' files" output || cat output
}

again() {
    exported two all.snl --amalgamate && diff -r one two -x CMakeLists.txt || return 1
    (mkdir -p elsewhere && cp all.snl elsewhere && cd elsewhere && exported two all.snl --amalgamate && diff -r ../two two)
}

library() {
    exported lib lib.snl --amalgamate && ! grep -q 'snl_main(int' lib/snl/snlrt.c || echo "it has the command line"
    # shellcheck disable=SC2086
    $TEST_CC -std=gnu11 -O1 -Wall $need -Ilib -o lib.run lib_main.c lib.c lib/snl/snlrt.c -lm -lpthread -ldl && ./lib.run | diff - - <<'END'
10
END
}

# The line that is printed builds the program.
line() {
    "$SNLC" runtime --export=line --amalgamate all.snl >line.txt || return 1
    sed "s/^cc/$TEST_CC/; s/NAME\.c/all.c -o program/" line.txt >line.sh && sh -e line.sh && ./program | diff expected -
}

files_go() {
    exported files any.snl && [ -e files/snl/io_vtu.c ] && exported files all.snl && [ ! -e files/snl/io_vtu.c ] || echo "the file stays"
    echo '/* mine */' >files/snl/mine.c
    ! "$SNLC" runtime -q --export=files all.snl 2>said || echo "a file of the user is compiled with it"
    grep -q 'mine.c' said && [ -s files/snl/mine.c ] && rm files/snl/mine.c
}

with_cmake() {
    mkdir -p project && cp all.c all.h project && cp -R one project/rt || return 1
    cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(run C)
add_subdirectory(rt)
add_executable(run all.c)
target_link_libraries(run PRIVATE snlrt)
CMAKE
    CC=$TEST_CC cmake -S project -B project/out >cmake.log 2>&1 && cmake --build project/out >>cmake.log 2>&1 || { tail -n 20 cmake.log; return 1; }
    project/out/run | diff expected -
}

no_main() {
    ! "$SNLC" compile --kind=exe lib.snl 2>said && grep -q 'has no main' said || cat said
    ! "$SNLC" compile --kind=static all.snl 2>said && grep -q 'must be exe' said || cat said
    "$SNLC" compile -q -o plain.c all.snl && ! grep -q '^main(' plain.c && grep -q '^main(' all.c
}

wrong() {
    "$SNLC" runtime >said 2>&1
    [ $? = 64 ] && grep -q 'needs --export' said || cat said
    "$SNLC" runtime --export=all.c all.snl >said 2>&1
    [ $? = 73 ] || cat said
    echo 'main { x(); }' >bad.snl
    "$SNLC" runtime --export=bad bad.snl >said 2>&1
    [ $? = 1 ] && [ ! -e bad ] || cat said
}

plan 17
check "one source and one header" one_source
check "no kinds of files that are not used, and no GPU" kinds
check "all kinds where a name is not known" unknown_names
check "a kind that was left out is an error of the program" left_out
check "the same bytes each time" again
check "a library has no command line" library
check "the line that is printed" line
exported many all.snl >/dev/null
for c in gcc clang; do
    if ! command -v $c >/dev/null; then for k in 1 2 3; do skip "$c" "$c is missing"; done; continue; fi
    check "$c, C11, one source" build one $c -std=c11 -Wall -Wextra -Werror
    check "$c, without OpenMP, many sources" build many $c -std=gnu11
    if echo 'int main(void) { return 0; }' >t.c && $c -fopenmp t.c -o t 2>/dev/null; then
        check "$c with OpenMP" build one $c -std=gnu11 -fopenmp
    else
        skip "$c with OpenMP" "it has none"
    fi
done
check "files that are needed no more go, those of others are refused" files_go
if command -v cmake >/dev/null; then check "CMake" with_cmake; else skip "CMake" "it is missing"; fi
check "compile --kind=exe" no_main
check "wrong calls" wrong
