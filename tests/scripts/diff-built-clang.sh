#!/bin/sh
# Random programs built one by one by clang, with other seeds: see diff-built.sh.
BUILT_CC=clang BUILT_SEED=100001
. "${SNL_SOURCE:?run this through make check}/tests/scripts/diff-built.sh"
