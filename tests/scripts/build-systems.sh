#!/bin/sh
# The C sample is built by CMake, Meson and autoconf with what `make install` gives them; changed imports are noticed. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC SNLC_FLAGS SNLC_PATH SNLC_RUNTIME SNL_MEMORY_LIMIT CFLAGS LDFLAGS LIBS MAKEFLAGS MAKELEVEL MFLAGS DESTDIR
folder=$(fresh_folder scripts/build-systems)
cd "$folder" || exit 1
make=${MAKE-make}
root=$folder/root
first="50 cells, 1000 steps: mean 20.0000, first cell 20.5640"
PATH=$root$SNL_BINDIR:$PATH
PKG_CONFIG_PATH=$root$SNL_LIBDIR/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root CC=$TEST_CC
export PATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR CC

# A folder with the sample, for the files of a build system.
fresh_project() { # NAME
    cp -R "$SNL_SOURCE/samples/c-program" "$1" && chmod -R u+w "$1" && rm "$1/Makefile" && cp "$SNL_SOURCE/samples/nbody.snl" "$1"
}

# What was made since the file `mark`, by name.
made_again() {
    find . -newer mark -type f \( -name '*.[choa]' -o -name rod -o -name nbody \) | sed 's|.*/||' | sort -u | tr '\n' ' '
}

# Builds again after a change: just what depends on it is made.
check_rebuild() { # WHAT IS MADE BUILD...
    wanted=$1
    shift
    "$@" || return 1
    for name in $(made_again); do
        case " $wanted " in *" $name "*) ;; *) echo "$name was made again"; return 1 ;; esac
    done
}

# Builds, runs, changes an imported file, builds again: the results must change.
check_program() { # PROGRAM BUILD...
    program=$1
    shift
    "$@" || return 1
    $program >output
    grep -qx "$first" output || { cat output; return 1; }
    touch mark
    sleep 1
    check_rebuild "" "$@" || return 1
    if grep -q 'nbody' CMakeLists.txt meson.build 2>/dev/null; then
        echo "// The same program." >>nbody.snl
        check_rebuild "" "$@" || return 1
        sed 's/steps = 500/steps = 400/' nbody.snl >changed && mv changed nbody.snl
        check_rebuild nbody "$@" || return 1
        [ "$(made_again)" = "nbody " ] || { echo "nbody was not made again"; return 1; }
        touch mark
        sleep 1
    fi
    echo "// longer" >>material.snl       # heat.c may get other numbers of lines
    check_rebuild "heat.c heat.h heat.c.o heat.o rod-heat.o rod_heat.o rod-heat.c.o meson-generated_heat.c.o libheat.a rod main.o main.c.o rod-main.o second.heat.c second.heat.h second.heat.c.o second.c.o" "$@" || return 1
    touch material.snl mark         # nothing changes: it is compiled once more, not each time
    "$@" && sleep 1 && touch mark && check_rebuild "" "$@" || return 1
    sed 's/= 400.0/= 200.0/' material.snl >changed && mv changed material.snl
    "$@" || return 1
    if $program >output; then echo "the change of material.snl was not noticed"; return 1; fi
}

check_nbody() { # PROGRAM
    $1 --steps=7 >output && grep -qx "32 bodies, 7 steps" output
}

# SNL is optimised whatever the build type, which is said, but where the option says otherwise.
check_cmake_optimized() { # GENERATOR
    for type in '' Debug; do
        cmake -G "$1" -S . -B "debug$type" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_BUILD_TYPE=$type -Dsnl_DIR="$root$SNL_LIBDIR/cmake/snl" >said || return 1
        grep -q 'heat: SNL is optimised in every build type' said && grep -q 'nbody: SNL is optimised' said || { echo "it is not said"; return 1; }
        grep -q -e '-O3 .*heat\.c' "debug$type/compile_commands.json" || { echo "heat.c is not optimised"; return 1; }
        ! grep -e '-O3.*main\.c' "debug$type/compile_commands.json" || return 1
    done
    cmake -G "$1" -S . -B as_said -DSNL_OPTIMIZE=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_BUILD_TYPE=Debug -Dsnl_DIR="$root$SNL_LIBDIR/cmake/snl" >said || return 1
    ! grep -e '-O3' as_said/compile_commands.json && ! grep 'is optimised' said || return 1
    grep -rq -e '-O0' as_said --include=*.make --include=*.ninja || { echo "nbody is optimised"; return 1; }
    cmake -G "$1" -S . -B release -DCMAKE_BUILD_TYPE=Release -Dsnl_DIR="$root$SNL_LIBDIR/cmake/snl" >said && ! grep 'is optimised' said
}

check_cmake() { # GENERATOR
    mkdir parts && mv material.snl parts && ln -s parts/material.snl . && cp heat.snl second.heat.snl || return 1
    printf '#include "second.heat.h"\nint main(void) { second *s; return second_create(0, &s); }\n' >second.c
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(rod C)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_C_FLAGS -ffast-math)
find_package(snl 0.1 REQUIRED)
snl_add_library(heat STATIC heat.snl OPTIONS --packed -I parts)
add_executable(rod main.c)
target_link_libraries(rod PRIVATE heat)
snl_add_executable(nbody nbody.snl OPTIONS -O1 -D BODIES=32 $<$<CONFIG:Debug>:--check>)
snl_add_library(second.heat SHARED second.heat.snl PREFIX second)
add_executable(second second.c)
target_link_libraries(second PRIVATE second.heat)
enable_testing()
add_test(NAME nbody COMMAND nbody --steps=2)
file(GENERATE OUTPUT shared CONTENT $<TARGET_FILE:second.heat>)
CMAKE
    mkdir 'a compiler' && printf '#!/bin/sh\nexec %s "$@"\n' "$CC" >'a compiler/cc' && chmod +x 'a compiler/cc' || return 1
    cmake -G "$1" -S . -B out -DCMAKE_C_COMPILER="$PWD/a compiler/cc" -DCMAKE_PREFIX_PATH="$root$SNL_PREFIX" -Dsnl_DIR="$root$SNL_LIBDIR/cmake/snl" || return 1
    check_program out/rod cmake --build out -j 4 && check_nbody out/nbody && out/second && (cd out && ctest) || return 1
    nm -D --defined-only "$(cat out/shared)" | grep -v ' [TW] \(second_\|snl_message\|snl_meta_\)' && { echo "the runtime can be seen"; return 1; }
    check_cmake_optimized "$1" || return 1
    sed 's/project(rod C)/project(rod CXX)/' CMakeLists.txt >changed && mv changed CMakeLists.txt
    ! cmake -G "$1" -S . -B other -Dsnl_DIR="$root$SNL_LIBDIR/cmake/snl" >said 2>&1 && grep 'needs the language C' said
}

check_meson() {
    mkdir snl && cp "$root$SNL_DATADIR/snlc/meson/meson.build" snl || return 1
    cat >meson.build <<'MESON'
project('rod', 'c')
subdir('snl')
heat = custom_target('heat', input: 'heat.snl', kwargs: snl_compile)
heat_library = static_library('heat', heat, dependencies: snl_dep, c_args: snl_args)
executable('rod', 'main.c', heat[1], link_with: heat_library, dependencies: snl_dep)
snl_build += {'command': snl_build['command'] + ['-D', 'BODIES=32']}
custom_target('nbody', input: 'nbody.snl', kwargs: snl_build, build_by_default: true)
MESON
    meson setup --default-library=both -Dbuildtype=debug out >said || { cat said; return 1; }
    grep -q 'SNL is optimised' said && grep -q -e '-O3.*heat\.c' out/compile_commands.json && ! grep -e '-O3.*main\.c' out/compile_commands.json || return 1
    ! grep -e '-fwrapv.*main\.c' out/compile_commands.json && grep -q -e '-fwrapv.*heat\.c' out/compile_commands.json && check_program out/rod meson compile -C out && check_nbody out/nbody
}

check_autoconf() {
    mkdir m4 && cp "$root$SNL_DATADIR/aclocal/snlc.m4" m4 || return 1
    cat >configure.ac <<'AC'
AC_INIT([rod], [1])
AC_CONFIG_MACRO_DIR([m4])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
SNL_PROG_SNLC
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
AC
    cat >Makefile.am <<'AM'
bin_PROGRAMS = rod
rod_SOURCES = main.c
nodist_rod_SOURCES = heat.c
rod_CFLAGS = $(SNL_CFLAGS)
rod_LDADD = $(SNL_LIBS)
BUILT_SOURCES = heat.c
CLEANFILES = heat.c heat.h heat.d
heat.c: heat.snl
	$(SNLC) compile $(SNLCFLAGS) -MD -MF heat.d -o $@ $(srcdir)/heat.snl && touch $@
-include heat.d
AM
    autoreconf -i && ./configure && check_program ./rod $make -j4
}

# Without snlc, configure says what is missing.
check_autoconf_without() {
    cd autoconf || return 1
    if ./configure SNLC=/nowhere/snlc >out 2>&1; then echo "configure needs no snlc"; return 1; fi
    grep -q 'snlc is missing or does not work' out || { tail -n 5 out; return 1; }
}

in_project() { # NAME FUNCTION ARGUMENT
    fresh_project "$1" && cd "$1" && "$2" "$3"
}

try() { # TOOL NAME FUNCTION [ARGUMENT]
    if ! command -v "$1" >/dev/null 2>&1; then skip "$2" "$1 is missing"; return; fi
    (in_project "$3" "check_$3" "${4-}") >log 2>&1
    result $? "$2" log
}

plan 6
$make -C "$SNL_BUILD" install DESTDIR="$root" >log 2>&1
result $? "make install" log
try cmake "CMake builds the sample with make" cmake "Unix Makefiles"
if command -v ninja >/dev/null 2>&1; then
    rm -rf cmake
    try cmake "CMake builds the sample with ninja" cmake Ninja
else
    skip "CMake builds the sample with ninja" "ninja is missing"
fi
if command -v pkg-config >/dev/null 2>&1; then
    try meson "Meson builds the sample" meson
else
    skip "Meson builds the sample" "pkg-config is missing"
fi
try autoreconf "autoconf builds the sample" autoconf
if [ -x autoconf/configure ]; then
    (check_autoconf_without) >log 2>&1
    result $? "configure reports a missing snlc" log
else
    skip "configure reports a missing snlc" "there is no configure"
fi
