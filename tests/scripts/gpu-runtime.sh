#!/bin/sh
# What the runtime does for programs for a GPU, on the stand-in. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
run_gpu_unit gpu_runtime
