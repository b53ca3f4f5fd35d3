/* snlrt.h - the run-time library of snlc; the only header that generated code includes. */
#ifndef SNLRT_H
#define SNLRT_H

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
