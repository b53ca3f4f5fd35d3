#!/bin/sh
# Trees that lanes of a GPU change, list and collect, on the stand-in, against a plain model. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
# The stacks of lanes come and go: their memory is kept.
MALLOC_TRIM_THRESHOLD_=1000000000 MALLOC_MMAP_THRESHOLD_=1000000000
export MALLOC_TRIM_THRESHOLD_ MALLOC_MMAP_THRESHOLD_
run_gpu_unit gpu_model
