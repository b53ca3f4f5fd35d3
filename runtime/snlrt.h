/* snlrt.h - the run-time library of snlc; the only header that generated code includes. */
#ifndef SNLRT_H
#define SNLRT_H

/* A program knows infinities, NaNs, -0 and the order of its operations, but for one that snlc was
 * told to make fast. */
#if (defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__) ||     \
     defined __ASSOCIATIVE_MATH__ || defined __RECIPROCAL_MATH__) && !defined SNL_FAST
#error "compile this with -fno-fast-math behind other flags, or let snlc -ffast write it"
#endif

#include "platform.h"

#include "snl_api.h"
#include "snl_scalar.h"
#include "snl_math.h"
#include "snl_atomic.h"
#include "snl_linalg.h"
#include "snl_random.h"
#include "snl_format.h"
#include "snl_io.h"
#include "snl_main.h"
#include "instance.h"
#include "parallel.h"
#include "stream.h"
#include "batch.h"
#include "quad.h"
#include "row.h"
#include "mask_word.h"
#include "races.h"
#include "patch.h"
#include "scatter.h"
#include "tree.h"
#include "usual.h"
#include "line.h"
#include "order.h"
#include "stats.h"
#include "measure.h"
#include "program.h"
#include "field.h"
#ifdef SNL_GPU
#include "gpu.h"
#endif

#endif
