#!/bin/sh
# The class for C++ that --hpp writes: it owns the object, throws, and shows fields where they lie; with g++ and clang++. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT CFLAGS LDFLAGS LIBS
folder=$(fresh_folder scripts/cpp)
cd "$folder" || exit 1

cat >shown.snl <<'PROGRAM'
struct Point { f32x3 at; i32 kind; }
param i32 n = 6;
@live param f32 g = 1.5;
// Rows of the picture.
@packed field f32 x[4, 3];
field Point p[5];
field f64 sum[];
field bool on[8];
field i32 sized, sparse, gone;
layout { dense i[n] { place sized; } }
layout { blocks: pointer i[8] { dense i[4] { place sparse; } } }
@manual layout extra { dense i[2] { place gone; } }
kernel init() { for i, j in x { x[i, j] = f32(10 * i + j); } for i in p { p[i] = Point(f32x3(f32(i)), i); } sum[] = 2.5; }
kernel delete(f32[] a, i32 handle) { for i in 0..extent(a, 0) { a[i] = g * f32(handle); } }
kernel Point last() { return p[4]; }
host f64 total(f64 more) { return sum[] + more; }
kernel fail() { assert(n == 0, "n is {}", n); }
kernel touch() { for i in 3..5 { sparse[i] = 7; } }
PROGRAM
cat >main.cc <<'PROGRAM'
#include "shown.hpp"
#include <cstdio>

static snl::shown made()
{
    snl::shown::params p = snl::shown::defaults();
    p.n = 7;
    return snl::shown(p);
}

int main()
{
    snl::shown s = made();
    s.init();
    auto x = s.view_x();
    x(2, 1) += 0.5f;
    std::printf("%g %g %zu %zu\n", double(x(2, 1)), double(s.get_x()[7]), x.extent(1), x.size());
    std::printf("%d %zu %g\n", s.last().kind, s.view_sized().extent(0), s.total(1.0));
    s.view_sum()() = 4;
    float a[3];
    s.set_g(2.0f);
    s.delete_(a, 3, 5);
    std::printf("%g %g %g\n", s.get_sum()[0], double(a[2]), double(s.get_g()));
    s.touch();
    snl::cells<int32_t> c = s.cells_sparse();
    std::printf("%zu %lld %d %zu\n", c.values.size(), static_cast<long long>(c.coords[3]), c.values[3], c.values.size());
    c.coords.assign(1, 20);
    c.values.assign(1, 9);
    s.set_cells_sparse(c);
    std::printf("%zu %d\n", s.cells_sparse().values.size(), s.get_sparse()[20]);
    s.create_extra();
    s.set_gone({3, 4});
    std::printf("%d\n", s.view_gone()(1));
    s.destroy_extra();
    s.view_on()(2) = true;
#if defined __cpp_exceptions
    try {
        s.view_gone();
    } catch (const snl::error &e) {
        std::printf("%d %s\n", e.status() == SNL_ENOTREE, e.what());
    }
    try {
        s.fail();
    } catch (const std::exception &e) {
        std::printf("%s\n", e.what());
    }
    try {
        s.view_sparse();
        std::printf("a view of what is sparse\n");
    } catch (const snl::error &) {
    }
    snl::shown::params bad = snl::shown::defaults();
    bad.n = -1;
    try {
        snl::shown none(bad);
        std::printf("it was made\n");
    } catch (const snl::error &e) {
        std::printf("%d\n", e.status() == SNL_EINVAL);
    }
#else
    std::printf("1 layout 'extra' of field 'gone' does not exist; it must be made by create first\nshown.snl:17: n is 7\n1\n");
#endif
    snl::shown other = std::move(s);
    other = snl::shown();
    std::printf("%zu %d\n", other.view_sized().extent(0), s.handle() != nullptr);
#if defined __cpp_lib_span
    other.init();
    if (other.view_x().span()[4] != 11.0f)
        std::printf("a wrong span\n");
#endif
    return 0;
}
PROGRAM
cat >expected <<'END'
21.5 21.5 3 12
4 7 3.5
4 10 2
8 3 7 8
12 9
4
1 layout 'extra' of field 'gone' does not exist; it must be made by create first
shown.snl:17: n is 7
1
6 0
END

# Two files of a program may include the header; nothing is defined twice.
echo '#include "shown.hpp"
int other() { return snl::shown().view_sized().size() == 6; }' >other.cc

include=$("$SNLC" config --cflags | tr ' ' '\n' | grep '^-I')
build() { # COMPILER FLAG...
    compiler=$1
    shift
    "$compiler" "$@" -Wall -Wextra -Wshadow -Werror "$include" -c main.cc -o main.o && "$compiler" "$@" -Wall -Werror "$include" -c other.cc -o other.o &&
        "$compiler" -o main main.o other.o shown.o $libs && ./main >output && diff expected output
}

written() {
    "$SNLC" compile -q --hpp=again.hpp -o again.c --prefix=shown --header=shown.h shown.snl && cmp again.hpp shown.hpp &&
        "$SNLC" build -q --kind=static -o libshown.a --hpp=lib.hpp shown.snl && grep -q 'class shown' lib.hpp &&
        grep -q 'Rows of the picture' shown.hpp || return 1
    ! "$SNLC" compile -q --hpp=shown.snl shown.snl 2>/dev/null && echo 'field f32 x[2];' >view.snl && "$SNLC" compile -q --hpp=view.hpp view.snl &&
        grep -q 'class view_ ' view.hpp
}

# A test is a function that prints what is wrong.
check() { # NAME FUNCTION [ARGUMENT...]
    name=$1
    shift
    "$@" >log 2>&1
    [ $? = 0 ] && [ ! -s log ]
    result $? "$name" log
}

libs=$("$SNLC" config --libs)
# shellcheck disable=SC2046
"$SNLC" compile -q --hpp=shown.hpp shown.snl && $TEST_CC -std=gnu11 -O1 $("$SNLC" config --cflags) -c shown.c || exit 1
plan 9
check "--hpp=FILE" written
for c in g++ clang++; do
    for flags in -std=c++17 -std=c++20 -std=c++2b "-std=c++17 -fno-exceptions"; do
        if ! command -v $c >/dev/null; then
            skip "$c $flags" "$c is missing"
        elif ! echo 'int main() {}' | $c $flags -x c++ -fsyntax-only - 2>/dev/null; then
            skip "$c $flags" "it does not know that"
        else
            check "$c $flags" build $c $flags
        fi
    done
done
