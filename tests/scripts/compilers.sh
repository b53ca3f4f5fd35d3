#!/bin/sh
# What versions of C compilers get wrong: snlc, snlrt.h and snl.pc know which ones need options against it, and they help. The
# list of such mistakes is in doc/install.md. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH CFLAGS
folder=$(fresh_folder scripts/compilers)
cd "$folder" || exit 1
include=$SNLC_RUNTIME/include
plan 6

# ---- wide constants: gcc 12.1 and 12.2 for x86 ----

# A compiler of this name whose macros say what it is.
says() { # NAME MAJOR MINOR MACRO...
    {
        printf '#!/bin/sh\ncat <<END\n#define __GNUC__ %s\n#define __GNUC_MINOR__ %s\n' "$2" "$3"
        name=$1
        shift 3
        for m; do echo "#define $m 1"; done
        echo END
    } >new
    mv new "$name" && chmod +x "$name"
}

# Is it told to copy by 16 bytes?
is_told() { # COMMAND
    "$SNLC" config --cc="$1" --cflags >flags || return 1
    grep -q -e '-mmove-max=128 -mstore-max=128 -DSNL_NARROW_MOVES' flags
}

check_told() { # yes or no, MAJOR MINOR MACRO...
    wanted=$1
    shift
    says my-gcc "$@"
    if is_told ./my-gcc; then told=yes; else told=no; fi
    [ "$told" = "$wanted" ] || { echo "told: $told, it says: $*"; cat flags; }
    # nvcc hands what is behind -Xcompiler on
    "$SNLC" build --target=cuda --nvcc=./my-gcc -### -o x small.snl >flags 2>&1
    if grep -q -e '-Xcompiler=-mmove-max=128 -Xcompiler=-mstore-max=128 -Xcompiler=-DSNL_NARROW_MOVES' flags; then told=yes; else told=no; fi
    [ "$told" = "$wanted" ] || { echo "told by nvcc: $told, it says: $*"; cat flags; }
}
echo 'main { print("1"); }' >small.snl

{
    check_told yes 12 1 __x86_64__
    check_told yes 12 2 __x86_64__
    check_told yes 12 2 __i386__
    check_told no 12 2 __aarch64__
    check_told no 12 3 __x86_64__
    check_told no 11 4 __x86_64__
    check_told no 13 1 __x86_64__
    check_told no 4 2 __x86_64__ __clang__
    if is_told clang; then echo "clang is told"; fi
    if is_told tcc; then echo "tcc is told"; fi
} >log 2>&1
result "$(wc -c <log)" "gcc is asked for its version, and told where that is needed" log

printf "#!/bin/sh\necho nothing of use\n" >broken-gcc && chmod +x broken-gcc
{
    if is_told cc; then of_cc=yes; else of_cc=no; fi
    if is_told ./broken-gcc; then broken=yes; else broken=no; fi
    if is_told /nonexistent/gcc; then missing=yes; else missing=no; fi
    [ "$of_cc $of_cc" = "$broken $missing" ] || echo "of cc $of_cc, without an answer $broken, of none $missing"
} >log 2>&1
result "$(wc -c <log)" "a compiler that does not answer is taken for the default one" log

# True if the C compiler of the tests needs them.
case $(echo __GNUC__ __GNUC_MINOR__ __clang__ __x86_64__ | $TEST_CC -E -P -xc - 2>/dev/null) in
    "12 "[012]" __clang__ 1") wrong=yes ;;
    *) wrong=no ;;
esac
echo '#include <snl/snlrt.h>' >header.c

name="snlrt.h refuses a compiler that is not told"
if [ $wrong = no ]; then
    skip "$name" "$TEST_CC is right"
else
    # shellcheck disable=SC2046
    {
        if $TEST_CC -std=gnu11 -mavx2 -I"$include" -c header.c 2>err; then echo "it is taken"; fi
        grep -q 'error.*snlc config' err || cat err
        $TEST_CC -std=gnu11 -I"$include" -c header.c || echo "without vectors of 32 bytes"
        $TEST_CC -std=gnu11 -mavx2 $("$SNLC" config --cc="$TEST_CC" --cflags) -c header.c || echo "with its options"
    } >log 2>&1
    result "$(wc -c <log)" "$name" log
fi

# The words of snl.pc, as pkg-config would print them from the source tree.
name="snl.pc tells gcc, and clang does not mind"
sed -n 's/^Cflags://p' "$SNL_BUILD/runtime/snl.pc" |
    sed "s|\${includedir}|$include|; s|\${pcfiledir}/../snl|$SNL_SOURCE/runtime|" >words
{
    if [ $wrong = yes ] && ! grep -q narrow.specs words; then cat words; fi
    # shellcheck disable=SC2046
    for c in "$TEST_CC" clang; do
        command -v "${c%% *}" >/dev/null 2>&1 || continue
        case $(uname -m) in x86_64) avx=-mavx2 ;; *) avx= ;; esac
        $c -std=gnu11 $avx -Werror $(cat words) -c header.c || echo "$c"
    done
    if grep -q narrow.specs words; then
        # shellcheck disable=SC2046
        $TEST_CC -v $(cat words) -c header.c 2>&1 | grep 'cc1 ' | grep -q -e '-mmove-max=128 -mstore-max=128' || echo "cc1 gets no options"
    fi
} >log 2>&1
result "$(wc -c <log)" "$name" log

# Processors with vectors of 64 bytes, where they can run: there gcc copies by 32 and 64 bytes.
name="constants of 32 and 64 bytes"
if grep -q avx512vl /proc/cpuinfo 2>/dev/null; then
    for arch in skylake-avx512 native; do
        for level in -O1 -O2 -O3; do
            "$SNLC" test -q "$level" --arch=$arch "$SNL_SOURCE/tests/cases/numbers/wide_constants.snl" || echo "$level --arch=$arch"
        done
    done >log 2>&1
    grep -q -e 'FAIL' -e '--arch' log
    result $((1 - $?)) "$name" log
else
    skip "$name" "no processor with AVX-512"
fi

# ---- the list of them ----

# What the sources do against a compiler is in the list, with its flag or its macro.
for word in -mmove-max=128 --param=loop-invariant-max-bbs-in-loop=2 SNL_ROUNDED SNL_SIMD_INDEXED; do
    grep -q -e "$word" "$SNL_SOURCE/doc/install.md" || echo "$word is not in doc/install.md"
done >log
result "$(wc -c <log)" "mistakes of compilers are listed" log
