# What all test scripts share: results in the Test Anything Protocol. Sourced, after `set -u`.
# Environment: SNLC (the command), SNL_SOURCE, SNL_BUILD (the two trees), CASE_MODES, SNL_FEATURES; see tests/local.mk.
LC_ALL=C
OMP_WAIT_POLICY=${OMP_WAIT_POLICY-passive} # threads that wait take no time from the tests beside them
# The OpenMP library of clang notes each process in /dev/shm by its number. Where one was killed as it did so, an empty note stays, and
# the next process of that number would end with "found unknown library already initialized".
KMP_DUPLICATE_LIB_OK=TRUE
export LC_ALL OMP_WAIT_POLICY KMP_DUPLICATE_LIB_OK
count=0
work=${SNL_BUILD:?run this through make check}/tests/work

plan() { echo "1..$1"; }

skip_all() { # REASON
    echo "1..0 # SKIP $1"
    exit 0
}

# Reports one result; for a failure also what the log says.
result() { # STATUS NAME [LOG]
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        if [ -n "${3-}" ]; then sed 's/^/#   /' "$3" | tail -n 60; fi
    fi
}

skip() { # NAME REASON
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

# True when the build has a library, png, zlib, hdf5, nanovdb, check, or the processor has avx2.
has_feature() { # NAME
    case " ${SNL_FEATURES-} " in *" $1:no "*) return 1 ;; esac
}

# Prints an empty folder of its own for NAME.
fresh_folder() {
    rm -rf "${work:?}/$1"
    mkdir -p "$work/$1"
    echo "$work/$1"
}

# Programs are linked by gold, where it is there, in a third of the time of the usual linker.
link_quickly() {
    if command -v ld.gold >/dev/null 2>&1; then
        LDFLAGS=-fuse-ld=gold
        export LDFLAGS
    fi
}

# Adds the option with which a header of all programs, NAME.h, is read first. It is compiled already; what was compiled before the runtime
# changed is thrown away, as compilers would take it.
read_first() { # NAME
    header=$SNL_BUILD/tests/$1.h
    if [ "$SNL_BUILD/stage/stamp" -nt "$header.gch" ]; then rm -f "$header.gch"; fi
    if [ -e "$header" ]; then how="$how -Xcc -include -Xcc $header"; fi
}

# Sets how, snlc and the environment for a mode: interpret, cTHREADS, sim (the stand-in for CUDA), cuda (a GPU), each with -OLEVEL, -check, -san or -clang (compiled by that), -v1 or -v3 (for processors of that level of x86-64) behind it; sim-OLEVEL-seedN: another order of lanes; -cross: by make check-cross;
# cTHREADS-tsan: under the thread sanitizer, where steps wait as SNL_STEP_SEED says. Commands run under $under.
use_mode() { # MODE
    snlc=$SNLC how='' under=''
    unset SNL_NUM_THREADS SNL_SIM_BLIND SNL_SIM_BLOCKS SNL_SIM_TRAP
    case $1 in
    interpret*) how=--interpret ;;
    c[0-9]*)
        threads=${1#c}
        SNL_NUM_THREADS=${threads%%-*}
        export SNL_NUM_THREADS
        link_quickly
        case $1 in *-*) ;; *) read_first c ;; esac ;;
    sim*)
        link_quickly
        how=--target=cuda-sim
        case $1 in
        *-seed[0-9]*) SNL_SIM_SEED=${1##*-seed} ;;
        *)
            SNL_SIM_BLIND=2 SNL_SIM_BLOCKS=2
            export SNL_SIM_BLIND
            how="$how ${SIM_CXX:+--cc=$SIM_CXX} -Xcc -O0 -Xcc -fno-wrapv -Xcc -fsanitize=alignment,signed-integer-overflow -Xcc -fsanitize-undefined-trap-on-error"
            read_first sim ;;
        esac
        SNL_SIM_SEED=${SNL_SIM_SEED-1} SNL_SIM_TRAP=yes SNL_NUM_THREADS=1
        export SNL_SIM_SEED SNL_SIM_BLOCKS SNL_SIM_TRAP SNL_NUM_THREADS
        echo "# SNL_SIM_SEED=$SNL_SIM_SEED" ;;
    cuda*) how=--target=cuda ;;
    *) echo "Bail out! unknown mode $1"; exit 1 ;;
    esac
    case $1 in
    *-O[0-3] | *-O[0-3]-seed*)
        level=${1##*-O}
        how="$how -O${level%%-*}" ;;
    *-check) how="$how --check" ;;
    *-clang) how="$how --cc=clang" ;;
    *-v1) how="$how --arch=generic -Xcc -DSNL_HAS_FMA" ;;
    *-v3) how="$how --arch=x86-64-v3" ;;
    *-tsan)
        SNLC_RUNTIME=$SNL_BUILD/tests/threads SNL_STEP_SEED=${SNL_STEP_SEED-1} TSAN_OPTIONS="suppressions=$SNL_SOURCE/tests/races/known.supp"
        export SNLC_RUNTIME SNL_STEP_SEED TSAN_OPTIONS
        how="-O1 -Xcc -g -Xcc -fsanitize=thread -Xcc -fno-openmp -Xcc -DSNL_TEST_THREADS"
        under="setarch -R stdbuf -oL" # the sanitizer writes what is buffered where a child ends, too, as that which reads .h5
        echo "# SNL_STEP_SEED=$SNL_STEP_SEED" ;;
    interpret-cross) snlc=$SNL_BUILD/tests/cross/$CROSS/snlc ;;
    *-cross)
        unset LDFLAGS
        SNLC_RUNTIME=$SNL_BUILD/tests/cross/$CROSS/stage
        export SNLC_RUNTIME
        how="$how --cc=$CROSS-gcc --arch=generic -Xcc -static" ;;
    interpret-san) snlc=$SNL_BUILD/tests/sanitize/snlc ;;
    *-san)
        snlc=$SNL_BUILD/tests/sanitize/snlc SNLC_RUNTIME=$SNL_BUILD/tests/sanitize
        export SNLC_RUNTIME
        how="$how -O1 -Xcc -g -Xcc -fsanitize=address,undefined -Xcc -fno-sanitize-recover=all" ;;
    esac
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
    export ASAN_OPTIONS UBSAN_OPTIONS
}

# The IR of a case of tests/cases/ir, after every stage that it asks for.
print_stages() { # FILE OPTION...
    printed_case=$1
    shift
    # shellcheck disable=SC2046
    set -- $(sed -n 's|^//! options: *||p' "$printed_case") "$@"
    for stage in $(sed -n 's|^//! print-ir: *||p' "$printed_case"); do
        echo "==== $stage"
        "$SNLC" compile "$@" "--print-ir=$stage" "$printed_case" || return
    done
}

# Compiles tests/unit/NAME.cpp for the stand-in for CUDA, or with GPU_UNITS for the GPU, and runs its tests. The stacks of lanes come
# and go: their memory is kept.
run_gpu_unit() { # NAME [FLAG...]
    folder=$(fresh_folder "scripts/$1") name=$1
    shift
    MALLOC_TRIM_THRESHOLD_=1000000000 MALLOC_MMAP_THRESHOLD_=1000000000
    export MALLOC_TRIM_THRESHOLD_ MALLOC_MMAP_THRESHOLD_
    compile="${CXX:-c++} -std=gnu++17 -g -Wall -Werror" threads=-fopenmp
    if [ -n "${GPU_UNITS-}" ]; then compile="${NVCC:-nvcc} -x cu -std=c++17 -arch=native" threads=-lgomp; fi
    if ! command -v "${compile%% *}" >/dev/null 2>&1 || ! has_feature check; then skip_all "a C++ compiler or Check is missing"; fi
    # shellcheck disable=SC2046,SC2086
    $compile -O1 -I "$SNL_BUILD/stage/include/snl" -I "$SNL_SOURCE/tests/unit" \
        -o "$folder/$name" "$SNL_SOURCE/tests/unit/$name.cpp" "$@" -L "$SNL_BUILD/stage/lib" -lsnlrt $("$SNLC" config --libs | sed 's/.*-lsnlrt//') $threads \
        ${CHECK_LIBS:-$(pkg-config --libs check)} >"$folder/log" 2>&1 || {
        plan 1
        result 1 "$name.cpp is compiled" "$folder/log"
        exit 0
    }
    exec "$SNL_SOURCE/tests/run-unit" "$folder/$name"
}
