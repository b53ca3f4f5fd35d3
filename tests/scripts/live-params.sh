#!/bin/sh
# @live params are set between calls, and from the prints of host functions; enums in C refuse what is no word. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH SNL_MEMORY_LIMIT CFLAGS LDFLAGS LIBS
folder=$(fresh_folder scripts/live-params)
cd "$folder" || exit 1

cat >live.snl <<'PROGRAM'
param enum mode = sand | water;
@live param enum speed = slow | fast;
@live param f32 g = 1.0;
@live param f64x2 wind = f64x2(0.0);
field f32 x[1000];
field f64 sum[];
kernel step() { for i in x { x[i] += g * (speed == fast ? 2.0 : 1.0) + f32(wind.x + wind.y); } }
kernel f32 first() { return x[0]; }
host f64 run(i32 n) {
    f64 s = 0;
    for i in 0..n {
        step();
        step();
        if (g > 2.5) { s += f64(g) * 100.0; }
        s += f64(g);
        print("{}", i);
    }
    return s;
}
// Has the names of functions of params.
kernel set_g() { for i in x { x[i] = 0; } }
kernel mode_sand() { set_g(); }
PROGRAM
sed -i 's/^kernel mode_sand() .*/kernel mode_sand() { for i in x { x[i] = 1; } }/' live.snl
cat >main.c <<'PROGRAM'
#include <stdio.h>
#include <string.h>
#include "live.h"

static void faster(void *context, const char *text, size_t bytes)
{
    float g = 0;
    live *l = *(live **)context;
    (void)text;
    (void)bytes;
    if (live_get_g(l, &g) || live_set_g_(l, g + 1.0f))
        printf("in the print\n");
}

int main(void)
{
    live *l = NULL, *other = NULL;
    snl_options options;
    memset(&options, 0, sizeof options);
    options.print = faster;
    options.print_context = &l;
    live_params p = live_params_default();
    double s = 0;
    float first = 0, g = 0;
    p.mode = 2;
    printf("%d", live_create(&p, &other) == SNL_EINVAL);
    printf(" %s\n", live_message(other));
    live_destroy(other);
    p.mode = live_mode_water;
    if (live_create_with(&p, &options, &l) || live_create(NULL, &other))
        return 1;
    if (live_set_g_(l, 2.0f) || live_step(l) || live_first(l, &first))
        return 1;
    printf("%g", (double)first);
    if (live_set_speed(l, live_speed_fast) || live_step(l) || live_first(l, &first))
        return 1;
    printf(" %g", (double)first);
    snl_f64x2 wind = {{0.25, 0.5}};
    if (live_set_wind(l, wind) || live_step(l) || live_first(l, &first))
        return 1;
    printf(" %g", (double)first);
    printf(" %d", live_set_speed(l, 2) == SNL_EINVAL);
    printf(" %s\n", live_message(l));
    wind.v[0] = wind.v[1] = 0;
    if (live_set_wind(l, wind) || live_set_speed(l, live_speed_slow) || live_set_g(l) || live_run(l, 4, &s) || live_first(l, &first) ||
        live_get_g(l, &g))
        return 1;
    printf("%g %g %g\n", s, (double)first, (double)g);
    if (live_step(other) || live_first(other, &first))
        return 1;
    printf("%g\n", (double)first);
    live_destroy(l);
    live_destroy(other);
    return 0;
}
PROGRAM
cat >expected <<'END'
1 param 'mode' is 2; its words have the numbers 0 to 1
2 6 10.75 1 param 'speed' is 2; its words have the numbers 0 to 1
1214 28 6
1
END

# Sums of run: g is 2, 3, 4, 5, of which the last three count a hundred times more; x grows by twice of each.
c() { # OPTION...
    "$SNLC" compile -q "$@" live.snl && $TEST_CC -std=gnu11 -Wall -Wextra -Werror -Wno-unused-function $("$SNLC" config --cflags) -O1 -o main main.c live.c $("$SNLC" config --libs) &&
        SNL_NUM_THREADS=2 ./main | diff expected -
}

sim() { # OPTION...
    "$SNLC" compile -q --target=cuda-sim "$@" -o live.cc live.snl && "${CXX:-c++}" -std=gnu++17 $("$SNLC" config --cflags) -O1 -c -o live.o live.cc &&
        $TEST_CC -std=gnu11 $("$SNLC" config --cflags) -c main.c && "${CXX:-c++}" -o main main.o live.o $("$SNLC" config --libs) && ./main | diff expected -
}

# A test is a function that prints what is wrong.
check() { # NAME FUNCTION [ARGUMENT...]
    name=$1
    shift
    "$@" >log 2>&1
    [ $? = 0 ] && [ ! -s log ]
    result $? "$name" log
}

plan 4
check "C" c
check "C, no passes" c -O0
check "the stand-in for a GPU" sim
check "the stand-in for a GPU, no passes" sim -O0
