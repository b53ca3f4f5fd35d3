#!/bin/sh
# The CUDA target without a GPU: nvcc makes machine code of every fourth case, and of all samples and benchmarks, without warnings, of the
# benchmarks optimised; with CUDA_LONG=yes, which check-long sets, of all cases, each as users make it; the loops of the benchmarks keep
# all in registers; messages where nvcc or a GPU is missing. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset SNLC_FLAGS SNLC_PATH NVCC NVCCFLAGS
folder=$(fresh_folder scripts/cuda)

# ---- without nvcc ----
printf 'field f32 x;\nlayout { dense i[8] { place x; } }\nkernel go() { for i in x { x[i] = 1.0; } }\nmain { go(); print("{}", x[3]); }\n' \
    >"$folder/small.snl"
missing_nvcc() {
    cd "$folder" || return
    "$SNLC" build --target=cuda --nvcc=no-such-nvcc -o small small.snl >out 2>err
    [ $? = 69 ] && grep -q "cannot run 'no-such-nvcc'.*CUDA toolkit" err && [ ! -e small ] || { cat err; return 1; }
    "$SNLC" config --cuda-libs --nvcc=no-such-nvcc >out 2>err
    [ $? = 69 ] && grep -q "cannot find 'no-such-nvcc'.*CUDA toolkit" err && [ ! -s out ] || { cat err; return 1; }
}
compile_alone() {
    cd "$folder" || return
    PATH=/nowhere "$SNLC" compile --target=cuda small.snl && grep -q 'snl_gpu_for<small_go_loop1, SNL_EACH_LANE, 256, SNL_GPU_LANES_FREE>' small.cu && [ -e small.h ]
}
# Only programs whose loops call functions that call themselves have stacks made.
recursion_has_a_stack() {
    cd "$folder" || return
    printf 'field i32 x[9];\nfunc i32 f(i32 n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nkernel k() { for i in x { x[i] = f(i); } }\n' >recursion.snl
    "$SNLC" compile --target=cuda recursion.snl && grep -q 'snl_gpu_recurse(&self->rt)' recursion.cu && ! grep -q snl_gpu_recurse small.cu
}
# A lane has no place for large arrays; what runs on the CPU has.
large_arrays_are_refused() {
    cd "$folder" || return
    printf 'func i32 f(i32 n) { i32 w[70000]; w[n] = n; return w[n]; }\nfield i32 x[9];\nkernel k() { for i in x { x[i] = f(i); } }\n' >array.snl
    ! "$SNLC" compile --target=cuda array.snl 2>err && grep -q "array.snl:1:.*array 'w' takes 280000 bytes.*E0508" err || { cat err; return 1; }
    printf 'func i32 f(i32 n) { i32 w[65536]; w[n] = n; return w[n]; }\nfield i32 x[9];\nkernel k() { for i in x { x[i] = f(i); } }
        kernel i32 s() { i32 v[70000]; @serial for i in x { i32 w[70000]; w[i] = x[i]; v[i] = w[i]; } return v[5]; }\nmain { k(); print("{}", s()); }\n' >array.snl
    [ "$("$SNLC" run --target=cuda-sim array.snl)" = 5 ]
}
# Blocks of other trees, under hash nodes and of sizes that are known at run time have their halos in shared memory too.
halos_are_shared() {
    cd "$folder" || return
    for case in stencil/neighbours_in_tree_of_same_coordinates=3 stencil/neighbours_under_hash_nodes=4 \
        stencil/neighbours_in_blocks_of_run_time_sizes=6 boundary/ends_of_copied_blocks=14; do
        "$SNLC" compile -q --target=cuda -o halos.cu "$SNL_SOURCE/tests/cases/${case%=*}.snl" || return
        [ "$(grep -c 'SNL_SHARED(.*_near' halos.cu)" -ge "${case#*=}" ] || { echo "$case"; grep SNL_SHARED halos.cu; return 1; }
    done
}
# C would multiply the sizes of such arrays in 32 bits.
iterations_are_many() {
    cd "$folder" || return
    cat >many.snl <<'END'
field i8 x;
field f32 z;
layout { dense ij[65536, 65536] { place x; } }
layout { pointer i[4] { dense jk[65536, 65536] { place z; } } }
kernel array() { for i, j in x { x[i, j] += 1; } }
kernel below() { for i, j, k in z { z[i, j, k] += 1.0; } }
END
    "$SNLC" compile -q --target=cuda many.snl && ! grep -n '65536 [*] 65536' many.cu && grep -q 'iterations = 4294967296;' many.cu && grep -q 'n / (4294967296);' many.cu
}
unknown_target() {
    cd "$folder" || return
    "$SNLC" compile --target=metal small.snl >out 2>err
    [ $? = 64 ] && grep -q "unknown target 'metal'" err || { cat err; return 1; }
}

# The one command for a GPU says what is missing.
no_gpu_is_told() {
    NVCC=no-such-nvcc sh "$SNL_SOURCE/tests/gpu" >"$folder/gpu.out" 2>"$folder/gpu.err"
    [ $? = 69 ] && grep -q "no GPU is tested: .*cannot run 'no-such-nvcc'" "$folder/gpu.err" && [ ! -s "$folder/gpu.out" ] || { cat "$folder/gpu.err"; return 1; }
}

# It works where programs do.
gpu_is_tried() {
    GPU_TARGET=cuda-sim sh "$SNL_SOURCE/tests/gpu" >"$folder/gpu.out" 2>"$folder/gpu.err" && [ -s "$folder/gpu.out" ] || { cat "$folder/gpu.err"; return 1; }
}

# All that is to be run on one, tried on a case and a benchmark with what is taken to another machine; it fails where nothing is run.
check_gpu_is_tried() {
    sh "$SNL_SOURCE/tests/gpu-kit" "$folder/kit" >"$folder/gpu.out" 2>&1 || { cat "$folder/gpu.out"; return 1; }
    unset SNLC_RUNTIME SNL_FEATURES
    export SNL_BUILD="$folder/kit" SNLC="$folder/kit/snlc"
    GPU_TARGET=cuda-sim GPU_MODE=sim GPU_CASES=cases/numbers/shift_counts CASES=launch_empty PYTHON=no-such-python REPEATS=1 REPORT=$folder/report \
        sh "$SNL_SOURCE/tests/check-gpu" cases checks bench >"$folder/gpu.out" 2>&1 &&
        grep -q '^cases: 1 passed, 0 failed' "$folder/gpu.out" && grep -q '^check-gpu: passed: cases checks bench' "$folder/gpu.out" &&
        grep -q '^| launch_empty' "$folder/report/table.md" || { cat "$folder/gpu.out"; return 1; }
    ! GPU_TARGET=cuda-sim GPU_MODE=sim GPU_CASES=no-such-case sh "$SNL_SOURCE/tests/check-gpu" cases >"$folder/gpu.out" 2>&1 &&
        grep -q '^check-gpu: failed: cases' "$folder/gpu.out"
}

# ---- with nvcc ----
wrong_arch() {
    cd "$folder" || return
    rm -f wrong wrong.*
    is_wrong sm_999 "'nvcc' knows no such GPU" && is_wrong sm_60 'programs need a GPU of sm_70 or newer'
}
is_wrong() { # ARCH MESSAGE
    "$SNLC" build -q --target=cuda --arch="$1" -o wrong small.snl >out 2>err
    status=$?
    [ "$status" = 64 ] && grep -q "arch=$1: $2" err && [ ! -e wrong ] || { echo "status $status"; cat err; return 1; }
}
# Programs for GPUs of any kind, and for kinds that are neither the oldest nor the newest.
other_archs() {
    cd "$folder" || return
    "$SNLC" build -q --target=cuda --arch=generic -O1 -Xnvcc -Werror=all-warnings --kind=object -o generic.o small.snl || return
    for arch in $(nvcc --list-gpu-code | sed -n 's/^sm_\(75\|100\|120\)$/&/p'); do
        "$SNLC" build -q --target=cuda --arch="$arch" -O1 -Xnvcc -Werror=all-warnings --kind=object -o "$arch.o" small.snl || return
    done
}
# nvcc takes for granted that signed integers do not overflow: then nothing of this would be read.
integers_wrap() {
    cd "$folder" || return
    cat >wrap.snl <<'END'
field i32 a[1000];
field i64 c[1000];
field i32x2 v[1000];
kernel sum() { for i in a { let x = a[i]; a[i] = x + 5 > x ? 1 : 0; } }
kernel difference() { for i in c { let x = c[i]; c[i] = x - 1 < x ? 1 : 0; } }
kernel negative() { for i in a { let x = a[i]; a[i] = x < 0 && -x < 0 ? 1 : 0; } }
kernel magnitude() { for i in a { a[i] = abs(a[i]) < 0 ? 1 : 0; } }
kernel components() { for i in v { let x = v[i]; v[i] = i32x2(any(x * x < 0) ? 1 : 0); } }
END
    # shellcheck disable=SC2046
    "$SNLC" compile -q --target=cuda wrap.snl && nvcc $("$SNLC" config --cflags | tr ' ' '\n' | grep '^-I') -std=c++17 --expt-relaxed-constexpr \
        --diag-suppress=550 -arch=sm_80 -ptx -o wrap.ptx wrap.cu || return
    for kernel in sum difference negative magnitude components; do
        sed -n "/entry .*wrap_${kernel}_loop1/,/^}/p" wrap.ptx | grep -q 'ld\.global' || { echo "$kernel reads nothing"; return 1; }
    done
}
missing_gpu() {
    cd "$folder" || return
    "$SNLC" build -q --target=cuda --arch=sm_80 -o small small.snl || return
    CUDA_VISIBLE_DEVICES= ./small >out 2>err
    status=$?
    [ "$status" = 69 ] && grep -q "GPU 0 cannot be used: there is no d[re]" err || { echo "status $status"; cat err; return 1; }
}
# A C program with a library for a GPU, linked by the C compiler.
linked_by_cc() {
    cd "$folder" || return
    printf '#include <stdio.h>\n#include "small.h"\nint main(void) { small *s; return small_create(NULL, &s) == SNL_EDEVICE ? puts(small_message(s)) < 0 : 1; }\n' >lone.c
    # shellcheck disable=SC2046
    "$SNLC" build -q --target=cuda --arch=sm_80 -O0 -o libsmall.a small.snl && "$TEST_CC" $("$SNLC" config --cflags) -c lone.c &&
        "$TEST_CC" -o lone lone.o libsmall.a $("$SNLC" config --libs --cuda-libs) && CUDA_VISIBLE_DEVICES= ./lone >out && grep -q 'GPU 0 cannot be used' out
}

# A program with a runtime of CUDA that says what it is told to; see tests/faults/cuda.c.
fake_program() {
    cd "$folder" || return
    cat >faked.snl <<'SNL'
field f32 x, y;
layout { dense i[1000000] { place x; } }
layout { blocks: pointer i[16] { dense i[8] { place y; } } }
kernel go() { for i in x { x[i] += 1.0; } }
kernel act() { for i in 0..128 { y[i] = 2.0; } }
kernel f32 total(f32[] to) { f32 s = 0.0; for i in x { s += x[i]; to[i % 1] = 1.0; } return s; }
host repeat() { for k in 0..4 { go(); go(); } }
main { act(); for k in 0..3 { go(); go(); } print("{}", x[3]); save("faked.npy", x); }
SNL
    nvcc -shared -Xcompiler -fPIC -cudart=none -o fake.so "$SNL_SOURCE/tests/faults/cuda.c" &&
        "$SNLC" build -q --target=cuda --arch=sm_80 -O1 -Xnvcc -cudart=shared -o faked faked.snl && with_fake FAKE_CUDA= --help >out
}
with_fake() { # SETTING OPTION...
    setting=$1
    shift
    env LD_LIBRARY_PATH="$cuda_libraries" LD_PRELOAD=./fake.so "$setting" timeout 60 ./faked "$@"
}
# The message, the status, nothing printed and nothing written.
stops() { # STATUS MESSAGE SETTING OPTION...
    status=$1 message=$2
    shift 2
    cd "$folder" || return
    with_fake "$@" >out 2>err
    got=$?
    [ "$got" = "$status" ] && grep -q "^$message" err && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && [ "$(echo faked.npy*)" = 'faked.npy*' ] ||
        { echo "$1: status $got"; cat out err; return 1; }
}
no_driver() {
    stops 69 'GPU 0 cannot be used: there is no driver$' FAKE_CUDA=no-driver &&
        stops 69 'GPU 0 cannot be used: .*driver version is insufficient' FAKE_CUDA=old-driver
}
no_device() { stops 69 'GPU 0 cannot be used: there is no device$' FAKE_CUDA=no-device && stops 69 'GPU 5 cannot be used: there is no device of that number' FAKE_CUDA= --device=5; }
other_arch() { stops 69 'GPU 0 cannot be used: the program was built for others; --arch names' FAKE_CUDA=other-arch; }
memory_is_not_shared() { stops 69 'GPU 0 cannot be used: the CPU cannot use its memory' FAKE_CUDA=unshared; }
too_little_memory() {
    stops 1 'faked.snl:2: out of memory: the layout of field .x. needs [0-9]* bytes, [0-9]* of the 1300000 of the GPU are in use' FAKE_FREE=1300000 &&
        stops 1 'out of memory: .* needs [0-9]* bytes' FAKE_CUDA=memory
}
# A caller of device 1, which tells what it finds after that.
caller() {
    cat >caller.c <<'C'
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "faked.h"
static float x[1000000], y[128];
static int use(faked *f)
{
    float sum, to[1] = {0};
    return faked_act(f) || faked_go(f) || faked_repeat(f) || faked_total(f, to, 1, &sum) || faked_get_y(f, y, 128) || faked_get_x(f, x, 1000000);
}
static void *end(void *f)
{
    faked_destroy(f);
    return NULL;
}
static void tell(faked *f, int status) { printf("%s\n", status ? faked_message(f) : "well"); }
int main(int argc, char **argv)
{
    snl_options options = {.device = 1};
    cudaGraph_t graph;
    cudaStream_t stream;
    faked *f;
    pthread_t thread;
    int device = 7;
    if (strstr(argv[1], "uses") && cudaSetDevice(0))
        return 1;
    if (strstr(argv[1], "error") && cudaSetDevice(9) == cudaSuccess)
        return 2;
    if (strstr(argv[1], "stream")) {
        cudaSetDevice(1);
        cudaStreamCreateWithFlags(&stream, 0);
        options.stream = stream;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
        tell(f, faked_create_with(NULL, &options, &f));
        faked_destroy(f);
        cudaStreamEndCapture(stream, &graph);
        tell(f, faked_create_with(NULL, &options, &f) || use(f));
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
        tell(f, faked_go(f));
        tell(f, use(f));
        cudaStreamEndCapture(stream, &graph);
        tell(f, use(f));
    } else
        tell(f, faked_create_with(NULL, &options, &f) || use(f));
    if (strstr(argv[1], "thread"))
        return pthread_create(&thread, NULL, end, f) || pthread_join(thread, NULL);
    faked_destroy(f);
    cudaGetDevice(&device);
    printf("device %d, error %d\n", device, (int)cudaGetLastError());
    return argc != 2;
}
C
    # shellcheck disable=SC2046
    "$SNLC" build -q --target=cuda --arch=sm_80 -O1 --kind=object -o faked.o faked.snl && nvcc $("$SNLC" config --cflags | tr ' ' '\n' | grep '^-I') -c caller.c &&
        nvcc -cudart=shared -o caller caller.o faked.o $("$SNLC" config --libs | sed 's/-pthread\|-fopenmp//g') -lgomp
}
caller_sees() { # HOW WHAT [SETTING]
    env LD_LIBRARY_PATH="$cuda_libraries" LD_PRELOAD=./fake.so FAKE_DEVICE=1 "${3-FAKE_CUDA=}" timeout 60 ./caller "$1" 2>&1 | sed 's/[0-9]* bytes/N bytes/' >out
    [ "$(cat out)" = "$2" ] || { echo "$1:"; cat out; return 1; }
}
# The thread of a caller goes on with the device it had; all that the program does is for its own, whatever thread ends it.
device_of_the_caller() {
    cd "$folder" && caller || return
    caller_sees plain "well
device 1, error 0" && caller_sees uses "well
device 0, error 0" && caller_sees "uses thread" well
}
# Errors of CUDA stay with who made them.
errors_of_the_caller() {
    cd "$folder" || return
    caller_sees "uses error" "well
device 0, error 101" && caller_sees uses "out of memory: the GPU needs N bytes, 0 are in use
device 0, error 0" FAKE_CUDA=memory
}
# What is queued is the same again where it is so: nothing between the members of structs differs.
graphs_are_started() {
    cd "$folder" && with_fake FAKE_CUDA= --stats >out 2>&1 && grep -q '^2 iterations of loops around kernels were started as graphs' out || { cat out; return 1; }
}
captured_streams() {
    cd "$folder" || return
    caller_sees stream "the stream for GPU 1 cannot be used: it is being captured
well
the stream for GPU 1 cannot be used: it is being captured
faked.snl:5: the stream for GPU 1 cannot be used: it is being captured
well
device 1, error 0"
}
device_stops() {
    stops 69 'GPU 0 has no stream: an illegal' FAKE_CUDA=stream && stops 69 'faked.snl:5: GPU 0 cannot run a loop: an illegal' FAKE_CUDA=launch &&
        stops 69 'faked.snl:5: GPU 0 stopped: an illegal' FAKE_CUDA=stop
}

cases=$(sh "$SNL_SOURCE/tests/list-cases" run | sed "s|^|$SNL_SOURCE/|")
if [ -z "${CUDA_LONG-}" ]; then cases=$(echo "$cases" | awk 'NR % 4 == 1'); fi
# shellcheck disable=SC2086
cases=$(grep -L '^//! skip:.*cuda' $cases) # not those that a GPU cannot run
files=
if command -v nvcc >/dev/null 2>&1; then files="$cases $(ls "$SNL_SOURCE"/samples/*.snl "$SNL_SOURCE"/bench/*.snl)"; fi
# shellcheck disable=SC2086
plan $((26 + $(echo $files | wc -w)))
for t in missing_nvcc compile_alone recursion_has_a_stack large_arrays_are_refused halos_are_shared iterations_are_many unknown_target no_gpu_is_told gpu_is_tried check_gpu_is_tried; do
    ( $t ) >"$folder/$t.log" 2>&1
    result $? "$t" "$folder/$t.log"
done
faked="no_driver no_device other_arch memory_is_not_shared too_little_memory device_stops device_of_the_caller errors_of_the_caller captured_streams graphs_are_started"
if [ -z "$files" ]; then
    for t in missing_gpu wrong_arch other_archs linked_by_cc integers_wrap $faked registers_are_checked; do skip "$t" "nvcc is missing"; done
    exit 0
fi
for t in missing_gpu wrong_arch other_archs linked_by_cc integers_wrap; do
    ( $t ) >"$folder/$t.log" 2>&1
    result $? "$t" "$folder/$t.log"
done
cuda_libraries=$(dirname "$(readlink -f "$(command -v nvcc)")")/../lib64
( fake_program ) >"$folder/fake.log" 2>&1
fake=$?
for t in $faked; do
    if [ $fake = 0 ]; then ( $t ) >"$folder/$t.log" 2>&1; else cp "$folder/fake.log" "$folder/$t.log"; false; fi
    result $? "$t" "$folder/$t.log"
done
export folder
name_of() { # FILE
    case $1 in */bench/*) echo "bench-$(basename "$1" .snl)" ;; *) basename "$1" .snl ;; esac
}
# Machine code of each as users make it, for both generations of GPUs.
compile_each() { # FILE...
    for f; do echo "$(name_of "$f") $f"; done |
        xargs -P 2 -L 1 sh -c 'name=$1 how="-O1 --kind=object"
            case $name in bench-*) how="-O2 --kind=$(if grep -q "^main" "$2"; then echo exe; else echo object; fi) -Xnvcc -Xptxas=-v" ;; esac
            "$SNLC" build -q --target=cuda $how --arch=sm_80 -Xnvcc -gencode=arch=compute_90,code=sm_90 -Xnvcc -Werror=all-warnings \
                -o "$folder/$name.o" "$2" >"$folder/$name.log" 2>&1
            echo $? >"$folder/$name.status"' nvcc
}
# One file of many programs: the headers, and each program in a namespace of its own.
join() { # FOLDER NAME...
    cd "$1" || return
    shift
    echo '#define SNL_GPU'
    echo '#include <snl/snlrt.h>'
    for name; do echo "#include \"$name.h\""; done
    for name; do
        if [ $# != 1 ]; then echo "namespace of_$name {" | tr - _; fi
        echo "#include \"$name.cu\""
        if [ $# != 1 ]; then echo "}"; fi
        sed -n 's/^#define \(SNL_TYPE_[a-z0-9_]*\)$/#undef \1/p' "$name.cu"
    done
}
# Machine code of programs for both generations, as so many files, with these options of nvcc: most of its time goes into headers, steps
# over trees, optimising, and (without -rdc=true) functions made again for each kernel that calls them. A program that calls functions
# of C is alone: they are in no namespace. Neighbours go into different files: a kernel may have the C name of the
# program after it.
compile_joined() { # FILES OPTIONS FILE...
    files_of_all=$1 options=$2
    shift 2
    mkdir -p "$folder/joined"
    command=$("$SNLC" build -q -### --target=cuda -O0 --kind=object "$1" 2>&1 | sed -n 's/ -arch=[^ ]*//; s/ -c .*//p')
    for f; do
        name=$(name_of "$f")
        "$SNLC" compile -q --target=cuda -o "$folder/joined/$name.cu" "$f" >"$folder/$name.log" 2>&1
        status=$?
        echo "$status" >"$folder/$name.status"
        [ "$status" != 0 ] || echo "$(grep -c '^extern "C"' "$folder/joined/$name.cu") $name"
    done | awk -v files="$files_of_all" '$1 > 0 { print $2; next }
        { group = n++ % files; line[group] = line[group] " " $2 }
        END { for (group in line) print line[group] }' | cat -n | while read -r group names; do
        # shellcheck disable=SC2086
        ( join "$folder/joined" $names ) >"$folder/joined/all$files_of_all-$group.cu"
        echo "$group $names"
    done | command="$command $options -Werror=all-warnings" all=all$files_of_all xargs -P 2 -L 1 sh -c 'cd "$folder/joined" || exit
        group=$1
        shift
        { $command -c "$all-$group.cu" -o "$all-$group.o" && $command -dlink "$all-$group.o" -o "$all-$group.linked.o"; } >"$all-$group.log" 2>&1
        status=$?
        for name; do echo "$status" >"$folder/$name.status"; cp "$all-$group.log" "$folder/$name.log"; done' nvcc
}
if [ -n "${CUDA_LONG-}" ]; then
    # shellcheck disable=SC2086
    compile_each $files
else
    # Cases are read by nvcc once for both: what the runtime does only from sm_90 on is in the benchmarks.
    compile_joined 2 "-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -Xptxas=-v" "$SNL_SOURCE"/bench/*.snl
    # shellcheck disable=SC2086
    compile_joined 10 "-gencode=arch=compute_80,code=[sm_80,sm_90] -rdc=true -Xnvlink -suppress-stack-size-warning -Xcicc -O0 -Xptxas -O0" $cases "$SNL_SOURCE"/samples/*.snl
fi

# What ptxas says of a benchmark: its loops and the steps of the runtime over trees spill nothing, and only what tells of errors has
# memory of its own, and CUDA's cosf 32 bytes and its sin of doubles 40, for far arguments.
in_registers() { # LOG
    awk 'function tell() { if (held) { print "local memory in " held; bad = 1 } held = "" }
        /Compiling entry function/ { tell(); loop = $0 }
        /bytes spill/ && !/ 0 bytes spill stores, 0 bytes spill loads/ { print "spills in " loop; bad = 1 }
        /bytes stack frame/ && $1 > 40 { held = loop }
        /snl_gpu_fail_with/ { held = "" }
        END { tell(); exit bad }' "$1"
}
bad_log() { # LINE [FUNCTION]
    printf "ptxas info : Compiling entry function '%s'\n    %s\n" "${2-x}" "$1" >"$folder/bad.log"
    ! in_registers "$folder/bad.log" >"$folder/bad.out"
}
registers_are_checked() {
    bad_log '0 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads' && bad_log '64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' &&
        bad_log '64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' SnlGpuStep &&
        ! bad_log '0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads'
}
( registers_are_checked ) >"$folder/registers.log" 2>&1
result $? registers_are_checked "$folder/registers.log"
for f in $files; do
    name=$(name_of "$f")
    status=$(cat "$folder/$name.status")
    case $name in bench-*) in_registers "$folder/$name.log" >"$folder/$name.bad" || { status=1; mv "$folder/$name.bad" "$folder/$name.log"; } ;; esac
    result "$status" "nvcc: $name" "$folder/$name.log"
done
