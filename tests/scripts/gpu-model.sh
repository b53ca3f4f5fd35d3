#!/bin/sh
# Trees that lanes of a GPU change, list and collect, on the stand-in, against a plain model. Prints TAP.
set -u
. "${SNL_SOURCE:?run this through make check}/tests/lib.sh"
folder=$(fresh_folder scripts/gpu-model)
if ! command -v "${CXX:-c++}" >/dev/null 2>&1 || ! has_feature check; then
    echo "1..0 # SKIP a C++ compiler or Check is missing"
    exit 0
fi
# shellcheck disable=SC2046
"${CXX:-c++}" -std=gnu++17 -O1 -g -Wall -Werror -I "$SNL_BUILD/stage/include/snl" -I "$SNL_SOURCE/tests/unit" \
    -o "$folder/gpu_model" "$SNL_SOURCE/tests/unit/gpu_model.cpp" -L "$SNL_BUILD/stage/lib" -lsnlrt -lpng -lz -lm -fopenmp \
    $(pkg-config --libs check) >"$folder/log" 2>&1 || {
    plan 1
    result 1 "gpu_model.cpp is compiled" "$folder/log"
    exit 0
}
exec "$SNL_SOURCE/tests/run-unit" "$folder/gpu_model"
