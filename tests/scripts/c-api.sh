#!/bin/sh
# The C interface: tests/c-api/main.c calls all of it, as C11 and as C++17, with threads, and with sanitizers that find leaks;
# errors_main.c goes on after every kind of run-time error.
# Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS SNL_MEMORY_LIMIT
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "the C target is not tested" ;; esac
folder=$(fresh_folder scripts/c-api)
cd "$folder" || exit 1
cp "$SNL_SOURCE"/tests/c-api/* .
flags="-Wall -Wextra -Werror -g $("$SNLC" config --cflags)"
libs="$("$SNLC" config --libs) -lpthread"
limit="timeout 300"

# Finds a C++ compiler that works here.
cxx=
for c in c++ g++ clang++; do
    if echo 'int main() { return 0; }' | "$c" -x c++ -std=c++17 -fsyntax-only - 2>log; then cxx=$c; break; fi
done

# Compiles lab.snl and main.c, or what else is named, into PROGRAM; FLAGS are for both.
make_program() { # PROGRAM FLAGS OPTIONS [SNL MAIN]
    snl=${4:-lab} main=${5:-main}
    # shellcheck disable=SC2086
    "$SNLC" compile -q $3 "$snl.snl" && "$TEST_CC" $flags $2 "$snl.c" -c -o "$1.o" &&
        "$TEST_CC" -std=c11 -D_POSIX_C_SOURCE=200809L -pedantic $flags $2 "$main.c" "$1.o" $libs -o "$1"
}

# Runs it, several times: threads meet differently. A limit of the sanitizer's allocator is no failure.
run_program() { # COMMAND...
    for n in 1 2 3; do
        $limit "$@" >output 2>&1 || { echo "exit status $? in run $n"; cat output; return 1; }
    done
    if [ "$(grep -v 'AddressSanitizer failed to allocate' output)" != "0 failures" ]; then cat output; return 1; fi
}

# True when a leak ends the program with an error.
finds_leaks() {
    echo '#include <stdlib.h>
int main(void) { void *volatile p = malloc(99); p = 0; return p != 0; }' >leak.c
    "$TEST_CC" -fsanitize=address,undefined leak.c -o leak >leak.log 2>&1 && ./leak >leak.log 2>&1
    grep -q LeakSanitizer leak.log
}

plan 10
make_program plain -O2 "" >log 2>&1 && run_program ./plain >>log 2>&1
result $? "C11" log
if [ -n "$cxx" ]; then
    # shellcheck disable=SC2086
    "$cxx" -std=c++17 -pedantic $flags -x c++ main.c -x none plain.o $libs -o plus >log 2>&1 && run_program ./plus >>log 2>&1
    result $? "C++17" log
else
    skip "C++17" "no C++ compiler"
fi
make_program slow -O0 "-O0" >log 2>&1 && run_program ./slow >>log 2>&1
result $? "without optimisation" log
make_program errors -O2 "" errors errors_main >log 2>&1 && run_program ./errors >>log 2>&1
result $? "after each run-time error" log
unset ASAN_OPTIONS
if finds_leaks; then
    make_program sane "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all" "--check" >log 2>&1 && run_program ./sane >>log 2>&1
    result $? "no leaks, with sanitizers" log
    make_program sane-errors "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all -DCHECKED" "--check=bounds,overflow,race" errors errors_main >log 2>&1 &&
        ASAN_OPTIONS=allocator_may_return_null=1 run_program ./sane-errors >>log 2>&1
    result $? "after each run-time error, with --check and sanitizers" log
else
    skip "no leaks, with sanitizers" "the C compiler has none that finds leaks"
    skip "after each run-time error, with --check and sanitizers" "the same"
fi
# Memory of threads that OpenMP keeps is no error.
if valgrind -q sh -c : >leak.log 2>&1; then
    $limit valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite ./slow >log 2>&1
    result $? "no leaks, with valgrind" log
else
    skip "no leaks, with valgrind" "no valgrind that works here"
fi

# ---- the stand-in for a GPU ----

# Makes program NAME of PROGRAM.snl for it and of MAIN.c, and runs it.
on_stand_in() { # NAME PROGRAM MAIN FLAGS
    # shellcheck disable=SC2086
    "$SNLC" build -q --target=cuda-sim -O1 --kind=object -o "$1-program.o" "$2.snl" &&
        "$TEST_CC" -std=c11 -D_POSIX_C_SOURCE=200809L $flags $4 -c "$3.c" -o "$1-main.o" &&
        "$cxx" "$1-main.o" "$1-program.o" $libs -o "$1" && run_program env SNL_SIM_TRAP=wait "./$1"
}
stand_in() { on_stand_in sim lab main -DSUM_BLOCKS=1; }
# Instances at once, each with a stream.
streams() { on_stand_in many streams streams_main ""; }
errors() { on_stand_in sim-errors errors errors_main ""; }
for t in stand_in streams errors; do
    if [ -n "$cxx" ]; then
        ($t) >log 2>&1
        result $? "$t" log
    else
        skip "$t" "no C++ compiler"
    fi
done
