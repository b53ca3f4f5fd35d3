/* snlrt.h - the run-time library of snlc; the only header that generated code includes. */
#ifndef SNLRT_H
#define SNLRT_H

/* A program knows infinities, NaNs, -0 and the order of its operations, but for one that snlc was
 * told to make fast. */
#if (defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__) ||     \
     defined __ASSOCIATIVE_MATH__ || defined __RECIPROCAL_MATH__) && !defined SNL_FAST
#error "compile this with -fno-fast-math behind other flags, or let snlc -ffast write it"
#endif

/* Bug 108599 of gcc; configure.ac says more. */
#if defined __GNUC__ && __GNUC__ == 12 && __GNUC_MINOR__ < 3 && defined __AVX__ && \
    !defined __clang__ && !defined SNL_NARROW_MOVES
#error "gcc 12.1 and 12.2 need the options that 'snlc config --cc=COMPILER --cflags' prints"
#endif

/* Where a value of the first iteration is a constant, gcc keeps it apart (partial redundancies) and
 * computes that of the next iteration at the end of each: then it makes no vectors of the loop. */
#if defined __GNUC__ && !defined __clang__ && !defined __CUDACC__
#pragma GCC optimize("no-tree-pre")
#endif

#include "core/platform.h"

#include "snl_api.h"
#include "math/snl_scalar.h"
#include "math/snl_math.h"
#include "math/snl_atomic.h"
#include "math/snl_linalg.h"
#include "math/snl_random.h"
#include "program/snl_format.h"
#include "program/snl_io.h"
#include "program/crash.h"
#include "program/snl_main.h"
#include "core/instance.h"
#include "core/parallel.h"
#include "loop/stream_store.h"
#include "loop/deferred_scatter.h"
#include "loop/float4.h"
#include "loop/row_shift.h"
#include "loop/mask_vector.h"
#include "loop/races.h"
#include "loop/block_cache.h"
#include "loop/privatize.h"
#include "tree/tree.h"
#include "loop/float_class.h"
#include "loop/packed_lists.h"
#include "loop/reorder.h"
#include "program/stats.h"
#include "program/bench_timer.h"
#include "program/program.h"
#include "field/field.h"
#include "field/tape.h"
#ifdef SNL_GPU
#include "gpu/gpu.h"
#endif

#endif
