#!/bin/sh
# Every allocation of a program for a GPU fails, on the stand-in; FAULT_STEP=1 tries all of them, else some. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
unset GPU_UNITS
run_gpu_unit gpu_sweep -Wl,--wrap=aligned_alloc,--wrap=calloc,--wrap=free,--wrap=mmap,--wrap=mprotect
