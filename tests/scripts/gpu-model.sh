#!/bin/sh
# Trees that lanes of a GPU change, list and collect, on the stand-in, against a plain model. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
run_gpu_unit gpu_model
