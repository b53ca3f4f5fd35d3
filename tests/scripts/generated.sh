#!/bin/sh
# The generated C of every case and sample: no warnings as C and as C++, headers that other programs can use, the same bytes every time and no
# absolute path. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS
case $CASE_MODES in *c[0-9]*) ;; *) skip_all "the C target is not tested" ;; esac
folder=$(fresh_folder scripts/generated)
# What a program says of its own constants is no fault of the C.
found="-Wall -Wextra -Wno-type-limits -Wno-tautological-compare -Werror -I$SNLC_RUNTIME/include"
warnings="$found -fsyntax-only"
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
compilers=$TEST_CC
for c in gcc clang; do
    case " $compilers " in *" $c "*) ;; *) if command -v "$c" >/dev/null 2>&1; then compilers="$compilers $c"; fi ;; esac
done
cxx=
for c in c++ g++ clang++; do
    if [ -z "$cxx" ] && command -v "$c" >/dev/null 2>&1; then cxx=$c; fi
done
header_cxx=$cxx
case $cxx in *clang*) ;; *) if command -v clang++ >/dev/null 2>&1; then header_cxx="$cxx clang++"; fi ;; esac

# The headers of the runtime, which all programs include, are read once by each compiler.
precompile() { # COMPILER LANGUAGE STANDARD
    mkdir -p "$folder/$1"
    echo '#include <snl/snlrt.h>' >"$folder/$1/runtime.h"
    # shellcheck disable=SC2086
    "$1" "-std=$3" $found -x "$2" -o "$folder/$1/runtime.h.gch" "$folder/$1/runtime.h" || exit
}
for c in $compilers; do precompile "$c" c-header gnu11; done
if [ -n "$cxx" ]; then precompile "$cxx" c++-header gnu++17; fi

# In place of a C compiler: only warnings. What it is to make becomes a program that says of each test that it ended well, so that snlc goes on.
cat >"$folder/cc" <<'SCRIPT'
#!/bin/sh
output= source=
while [ $# -gt 0 ]; do
    case $1 in
    -o) output=$2; shift ;;
    *.c) source=$1 ;;
    esac
    shift
done
printf '#!/bin/sh\nwhile read -r test; do printf "\\036snl-test 0\\n"; done\n' >"$output"
chmod +x "$output"
if [ -z "$source" ]; then exit 0; fi # the parts of a large program are put together
for c in $COMPILERS; do
    # shellcheck disable=SC2086
    "$c" -std=gnu11 $WARNINGS -include "$FOLDER/$c/runtime.h" "$source" || { echo "$c found something in $source"; exit 1; }
done
if [ -n "$CXX" ]; then # the CUDA target is C++
    # shellcheck disable=SC2086
    "$CXX" -std=gnu++17 -x c++ $WARNINGS -Wno-missing-field-initializers -include "$FOLDER/$CXX/runtime.h" "$source" || { echo "$CXX found something in $source"; exit 1; }
fi
if grep -n "$PLACES" "$source"; then echo "$source names an absolute path"; exit 1; fi
SCRIPT
chmod +x "$folder/cc"
COMPILERS=$compilers CXX=$cxx FOLDER=$folder WARNINGS=$warnings PLACES=$SNL_SOURCE\\\|$SNL_BUILD
export COMPILERS CXX FOLDER WARNINGS PLACES

# A program with its main and one with its tests: both must be free of warnings.
check_programs() { # FILE
    if grep -q '^main' "$1"; then "$SNLC" build -q --cc="$folder/cc" -o "$folder/program" "$1" || return; fi
    if grep -Eq '^(@[a-z_]+(\(.*\))? *)*test ' "$1"; then "$SNLC" test -q --cc="$folder/cc" "$1" || return; fi
}

# What other programs include, as C and as C++.
check_header() { # HEADER
    # shellcheck disable=SC2086
    "$TEST_CC" -std=c11 -pedantic $warnings -x c "$1" || return
    for c in $header_cxx; do
        # shellcheck disable=SC2086
        "$c" -std=c++17 -pedantic $warnings -x c++ "$1" || return
    done
}

# Compiles twice, with these options; the texts must be the same and without warnings.
check_source() { # FOLDER FILE OPTION...
    once=$folder/$1 again=$folder/again file=$2
    shift 2
    mkdir -p "$once" "$again"
    for out in "$once" "$again"; do
        "$SNLC" compile -q "$@" -ffile-prefix-map="$out/=" -o "$out" "$file" || return
    done
    stem=$(basename "$file" .snl)
    for f in "$stem.c" "$stem.h"; do
        cmp "$once/$f" "$again/$f" || return
        if grep -n "$PLACES" "$once/$f"; then echo "$f names an absolute path"; return 1; fi
    done
    # shellcheck disable=SC2086
    "$TEST_CC" -std=gnu11 $warnings -include "$folder/$TEST_CC/runtime.h" "$once/$stem.c"
}

# Without #line, lines are broken where that is possible.
check_width() { # FILE
    if grep -n '^.\{131\}' "$1" | grep -v '/\*\|"'; then echo "$1 has long lines"; return 1; fi
}

check_file() { # FILE
    stem=$(basename "$1" .snl)
    check_source plain "$1" && check_header "$folder/plain/$stem.h" && check_source slow "$1" -O0 --no-line && check_width "$folder/slow/$stem.c" &&
        check_source check "$1" --check=bounds,overflow &&
        check_programs "$1"
}

cd "$SNL_SOURCE" || exit 1
# shellcheck disable=SC2046
set -- $(sh tests/list-cases run) tests/cases/ir/*/*.snl tests/c-api/*.snl samples/*.snl samples/*/*.snl
plan $(($# + 4))
for file; do
    if grep -qs "^import \"$(basename "$file")\"" "$(dirname "$file")"/*.snl; then
        skip "$file" "others import it"
        continue
    fi
    (cd "$SNL_SOURCE" && check_file "$file") >"$folder/log" 2>&1
    result $? "$file" "$folder/log"
done
check_source mapped "$SNL_SOURCE/samples/sph.snl" -g "-ffile-prefix-map=$SNL_SOURCE=." >"$folder/log" 2>&1
result $? "-ffile-prefix-map changes all paths" "$folder/log"

cat >"$folder/named.snl" <<'PROGRAM'
struct SA_RESTART { i32 CLOCK_REALTIME; i32 st_atime; }
param i32 n = 3;
param i32 EINVAL = 1;
field f32 x[4];
field SA_RESTART O_RDONLY[4];
kernel f32 k(f32 a) {
    for i in x { x[i] = a * f32(n); }
    return a;
}
kernel start(i32 R_OK) { for i in O_RDONLY { O_RDONLY[i] = SA_RESTART(R_OK, EINVAL); } }
kernel INVALID(i32 SIGUSR1) { for i in x { x[i] = f32(SIGUSR1); } }
main { print("{}", k(2)); }
PROGRAM

# The same behind other headers, in C alone: C++ has headers of its own for some.
headers=
for h in complex math stdlib stdatomic unistd errno signal time fcntl limits pthread semaphore threads sys/stat sys/wait sys/mman sys/resource; do headers="$headers -include $h.h"; done
check_behind_all() { # HEADER
    # shellcheck disable=SC2086
    "$TEST_CC" -std=gnu11 -D_GNU_SOURCE $warnings $headers -x c "$1"
}

# Names of programs that C, its headers or the emitted code have too.
check_names() {
    cd "$folder" || return
    for name in main class int params options out program self time index snl snl_x SNL _ _SIZE_T I LC_ALL FE va PATH_MAX timer sem 1d a-b result uint8_t; do
        cp named.snl "$name.snl"
        check_source names "$name.snl" && check_header "names/$name.h" && check_behind_all "names/$name.h" && "$SNLC" build -q --cc=./cc -o program "$name.snl" || return
    done
}
(check_names) >"$folder/log" 2>&1
result $? "any name of a program" "$folder/log"

# All macros without arguments that compilers know behind these headers and in what is generated.
macros() {
    # shellcheck disable=SC2086
    for c in $compilers; do
        "$c" -std=gnu11 -D_GNU_SOURCE "-I$SNLC_RUNTIME/include" $headers -dM -E -x c "$folder/$c/runtime.h" || return
    done
    if [ -n "$cxx" ]; then
        "$cxx" -std=gnu++17 -DSNL_GPU "-I$SNLC_RUNTIME/include" -dM -E -x c++ "$folder/$cxx/runtime.h" || return
    fi
}

# Writes a program that has each of the names on its input as a parameter, an argument, a member and a variable.
write_names() {
    awk '
    function put() {
        if (!count) return
        print "struct Many" k " { " members "}\nfield Many" k " cells" k "[2];"
        print "kernel put" k "(" substr(arguments, 3) ") { for i in cells" k " { " stores "} }"
        print "kernel i32 sum" k "() { i32 sum = 0; for i in cells" k " { " sums "} return sum; }"
        print "func i32 own" k "() { " variables "return 0" total "; }"
        calls = calls "sum += sum" k "() + own" k "(); "
        members = arguments = stores = sums = variables = total = ""
        count = 0
        k++
    }
    {
        print "param i32 " $1 " = 1;"
        members = members "i32 " $1 "; "
        arguments = arguments ", i32 " $1
        stores = stores "cells" k "[i]." $1 " = " $1 "; "
        sums = sums "sum += cells" k "[i]." $1 " + " $1 "; "
        variables = variables "var " $1 " = 3; " $1 " += 1; "
        total = total " + " $1
        if (++count == 100) put()
    }
    BEGIN { k = 0 }
    END { put(); print "main { i32 sum = 0; " calls "print(\"{}\", sum == 6 * " NR "); }" }'
}

check_macros() {
    cd "$folder" || return
    macros >known || return
    sed -n 's/^#define \([A-Za-z_][A-Za-z0-9_]*\)\( .*\)*$/\1/p' known | sort -u | grep -Evx 'true|false|bool|static_assert' >all-macros
    [ "$(wc -l <all-macros)" -gt 1000 ] || { echo "only $(wc -l <all-macros) macros"; return 1; }
    write_names <all-macros >macros.snl
    check_source macros macros.snl -O0 && check_behind_all macros/macros.h && [ "$("$SNLC" run -q -O0 macros.snl)" = true ] || return
    if [ -n "$cxx" ]; then [ "$("$SNLC" run -q -O0 --target=cuda-sim macros.snl)" = true ]; fi
}
(check_macros) >"$folder/log" 2>&1
result $? "macros as names" "$folder/log"

# clang takes 256 brackets in each other, if nobody tells it to take more.
deep_nests() {
    cd "$folder" || return
    awk 'function repeat(s, n) { while (n-- > 0) printf "%s", s }
         BEGIN { printf "main { i32 x = 1; "; repeat("if (x > 0) { ", 300); printf "x += 1; "; repeat("}", 300)
                 printf " print(\"{}\", x + "; repeat("abs(", 900); printf "x"; repeat(")", 900); print "); }" }' >deep.snl
    for c in $compilers; do
        [ "$("$SNLC" run -q --cc="$c" deep.snl)" = 4 ] || { echo "$c does not take it"; return 1; }
    done
}
(deep_nests) >"$folder/log" 2>&1
result $? "deep nests" "$folder/log"
