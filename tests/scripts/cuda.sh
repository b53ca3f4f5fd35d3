#!/bin/sh
# The CUDA target without a GPU: nvcc makes machine code of every case and sample without warnings, for one
# generation of GPUs in turn and, with CUDA_LONG, for both;
# messages where nvcc or a GPU is missing. Prints TAP.
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
}
compile_alone() {
    cd "$folder" || return
    PATH=/nowhere "$SNLC" compile --target=cuda small.snl && grep -q 'snl_gpu_for<small_go_loop1, SNL_EACH_LANE, 256>' small.cu && [ -e small.h ]
}
unknown_target() {
    cd "$folder" || return
    "$SNLC" compile --target=metal small.snl >out 2>err
    [ $? = 64 ] && grep -q "unknown target 'metal'" err || { cat err; return 1; }
}

# ---- with nvcc ----
missing_gpu() {
    cd "$folder" || return
    "$SNLC" build -q --target=cuda --arch=sm_80 -o small small.snl || return
    CUDA_VISIBLE_DEVICES= ./small >out 2>err
    status=$?
    [ "$status" = 69 ] && grep -q "GPU 0 cannot be used" err || { echo "status $status"; cat err; return 1; }
}

if command -v nvcc >/dev/null 2>&1; then files=$(ls "$SNL_SOURCE"/tests/cases/*.snl "$SNL_SOURCE"/samples/*.snl); else files=; fi
# shellcheck disable=SC2086
plan $((4 + $(echo $files | wc -w)))
for t in missing_nvcc compile_alone unknown_target; do
    ( $t ) >"$folder/$t.log" 2>&1
    result $? "$t" "$folder/$t.log"
done
if [ -z "$files" ]; then
    skip missing_gpu "nvcc is missing"
    exit 0
fi
( missing_gpu ) >"$folder/missing_gpu.log" 2>&1
result $? missing_gpu "$folder/missing_gpu.log"
export folder
# mask_rows: its loops over rows of bits, unrolled, take nvcc a minute
for f in $files; do
    case $f in */mask_rows.snl) if [ -z "${CUDA_LONG-}" ]; then continue; fi ;; esac
    echo "$f"
done | awk '{ print (NR % 2 ? "--arch=sm_80" : "--arch=sm_90"), $0 }' |
    xargs -P 2 -L 1 sh -c 'name=$(basename "$2" .snl) more=
        if [ -n "${CUDA_LONG-}" ]; then set -- --arch=sm_80 "$2"; more="-Xnvcc -gencode=arch=compute_90,code=sm_90"; fi
        "$SNLC" build -q --target=cuda -O1 "$1" $more -Xnvcc -Werror=all-warnings \
            --kind=object -o "$folder/$name.o" "$2" >"$folder/$name.log" 2>&1
        echo $? >"$folder/$name.status"' nvcc
for f in $files; do
    name=$(basename "$f" .snl)
    if ! [ -e "$folder/$name.status" ]; then
        skip "nvcc: $name" "it takes long; CUDA_LONG=yes"
        continue
    fi
    result "$(cat "$folder/$name.status")" "nvcc: $name" "$folder/$name.log"
done
