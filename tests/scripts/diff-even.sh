#!/bin/sh
# Random programs with even seeds: see diff.sh.
DIFF_PART=2
. "${SNL_SOURCE:?run this through make check}/tests/scripts/diff.sh"
