# shellcheck shell=sh disable=SC2086
# What runs snlsmith: `use_smith FOLDER`, then `smith OPTION...` in that folder. Sourced after tests/lib.sh, whose variables it needs.

# A runtime for tcc, or another version of it that TCC names: the library as a shared one, with the atomic operations that tcc lacks.
use_tcc() {
    command -v "${TCC:=tcc}" >/dev/null 2>&1 && mkdir -p tcc/lib && cp -R "$SNLC_RUNTIME/include" tcc/ || return 1
    # tcc does not count the elements of an array with arrays inside.
    sed 's/type const\[\]/type const[64]/' "$SNLC_RUNTIME/include/snl/core/platform.h" >platform.h && mv platform.h tcc/include/snl/core/ || return 1
    # shellcheck disable=SC2046
    $TEST_CC -O1 -fPIC -I"$SNLC_RUNTIME/include" -c -o tcc/atomics.o "$SNL_SOURCE/tests/diff/tcc/tcc.c" &&
        $TEST_CC -shared -o tcc/lib/libsnlrt.so tcc/atomics.o -Wl,--whole-archive "$SNLC_RUNTIME/lib/libsnlrt.a" \
            -Wl,--no-whole-archive $("$SNLC" config --libs | sed 's/.*-lsnlrt//') || return 1
    # What programs share, when tcc compiles many at once; without the names of files.
    { echo auto break case char const continue default do double else enum extern float for goto if inline int long register restrict \
           return short signed sizeof static struct switch typedef union unsigned void volatile while
      printf '#include <snl/snlrt.h>\n#include "%s/tests/diff/extern.h"\n' "$SNL_SOURCE" | $TEST_CC -fopenmp -E -P -dD -I"$SNLC_RUNTIME/include" -; } |
        tr -c 'A-Za-z0-9_' '\n' | grep '^[A-Za-z_]' | sort -u >tcc/words
    tcc="$TCC -DSNL_HAS_FMA -include $SNL_SOURCE/tests/diff/tcc/tcc.h"
}

# Sets `passes`, a list of those that have an option.
use_passes() {
    passes=$(sed -n 's/^PASS(\([a-z_]*\), *NO,.*/\1/p' "$SNL_SOURCE/src/pass/passes.def" | tr '\n' ',')
    if [ -z "$passes" ]; then echo "Bail out! no pass in src/pass/passes.def"; exit 1; fi
}

# Goes to the folder and finds out what there is: sets tcc, empty where there is none, and what `smith` needs.
use_smith() { # FOLDER
    smith_folder=$1 tcc_folder=$1/tcc tcc='' formats='' sim='' v1='' v3=''
    use_passes
    cd "$smith_folder" || exit 1
    use_tcc 2>tcc.log || tcc=
    if "$SNLC" fmt --help >/dev/null 2>&1; then formats=--format; fi
    case $CASE_MODES in *sim*) sim=--sim-every=400 ;; esac
    if has_feature avx2; then v1='--arch=generic -Xcc -DSNL_HAS_FMA' v3=--arch=x86-64-v3; fi
}

smith() { # OPTION...
    "$SNL_BUILD/tests/diff/snlsmith" --test --folder="$smith_folder" --passes="$passes" --header="$SNL_SOURCE/tests/diff/extern.h" --reduce \
        ${tcc:+--tcc="$tcc" --tcc-runtime="$tcc_folder"} $formats $sim ${v1:+--processor="$v1"} ${v3:+--processor="$v3"} "$@"
}

# ---- one by one, as users build them ----

# The processors that gcc and clang make code for here.
archs() {
    echo native generic
    if has_feature avx2; then echo haswell; fi
    if grep -q avx512vl /proc/cpuinfo 2>/dev/null; then echo skylake-avx512; fi
}

# Sets `builds`, the ways for build_randomly: these compilers, where they are there, at -O2 and -O3, for these processors. What the
# generic processor lacks are fused multiply-adds, which the interpreter has.
builds() { # ARCHS COMPILERS
    builds=''
    for level in -O2 -O3; do
        for arch in $1; do
            case $arch in generic) more=" -Xcc -DSNL_HAS_FMA" ;; *) more='' ;; esac
            for c in $2; do
                if command -v $c >/dev/null 2>&1; then builds="$builds|--build=--cc=$c $level --arch=$arch$more"; fi
            done
        done
    done
}

build_randomly() { # OPTION...
    (
        IFS='|'
        set -f
        # shellcheck disable=SC2086
        set -- ${builds#|} "$@"
        unset IFS
        if [ "${locals:-0}" != 0 ]; then set -- --locals="$locals" "$@"; fi
        smith "$@"
    )
}

# Programs, functions, differences and seconds, and then how many programs each compiler had in each way, from what was printed.
built_figures() { # FUNCTIONS OF EACH
    for c in gcc clang; do echo "$c=$($c -dumpfullversion 2>/dev/null || $c -dumpversion 2>/dev/null)"; done >versions
    awk -v each="$1" 'NR == FNR { split($0, v, "="); version[v[1]] = v[2]; next }
        / built with / { n = $1; sub(/.* built with --cc=/, ""); sub(/ -Xcc.*/, ""); sub(/--arch=/, ""); c = $1
                         sub(/^[a-z]+/, c version[c]); gsub(/ /, ","); if (!($0 in built)) order[++ways] = $0; built[$0] += n }
        /^[0-9]+ programs, [0-9]+ runs/ { p += $1; f += $5; s += $(NF - 2) }
        END { printf "%d %d %d %d", p, p * each, f, s; for (i = 1; i <= ways; i++) printf " %s=%d", order[i], built[order[i]]; print "" }' versions -
}
