/* Split points of a loop: where its last index must begin and end so that comparisons have one
 * answer. The bounds of a value are sums of terms that do not change along that index. So a split
 * point can be computed before the innermost loop runs. */
#ifndef SNL_ANALYSIS_SPLIT_POINTS_H
#define SNL_ANALYSIS_SPLIT_POINTS_H

#include "ir/ir.h"

enum { INVARIANT_TERMS_MOST = 4 };

/* Something that does not change, so many times: a pure instruction, exact as the program computes
 * it. */
typedef struct {
    const Inst *what;
    int64_t times;
} InvariantTerm;

typedef struct {
    int64_t number;
    int count;
    InvariantTerm terms[INVARIANT_TERMS_MOST];
} InvariantSum;

/* `known`: times x index + something from low to high. */
typedef struct {
    bool known;
    bool exact;          /* the sum is the value; else it may have wrapped */
    int64_t times;
    InvariantSum low, high;
} SplitRange;

/* times x index <= at, or >= at. */
typedef struct {
    bool upper;
    int64_t times;
    InvariantSum at;
} SplitPoint;

typedef struct {
    Compile *c;
    bool is_wide;          /* the index has 64 bits */
    bool has_from, has_to; /* the bounds of the loop are numbers */
    int64_t from, to;
    int64_t low, high;     /* the index inside, as far as numbers say */
    bool has_low, has_high;
    VEC(const void *) ends; /* params and variables that the end of the loop is made of */
    VEC(SplitPoint) list;          /* cuts at what is no number */
} SplitPoints;

/* Begins without any cut. */
void split_points_begin(SplitPoints *s, Compile *c, const Task *t, int last);
SplitRange split_range_number(int64_t number);
/* What does not change. */
SplitRange split_range_invariant(const Inst *i);
/* The index itself, as a sequential loop's variable lies from `from` to before `to`. */
SplitRange split_range_index(void);
SplitRange split_range_between(const SplitRange *from, const SplitRange *to);
/* a + times b, b a sum if it is exact or not; unknown where that has too many terms. */
SplitRange split_range_add(const SplitRange *a, const SplitRange *b, int64_t times);
SplitRange split_range_times(const SplitRange *a, int64_t times);
/* Sees to it that a value of a signed type has not wrapped. */
bool split_points_fit(SplitPoints *s, const SplitRange *a, const Type *type);
/* 1: a <= b inside; 0: a > b; -1: neither is known. May cut the loop, near its ends, to know it. */
int split_points_compare(SplitPoints *s, const SplitRange *a, const SplitRange *b);
/* Do they differ inside? */
bool split_points_differ(SplitPoints *s, const SplitRange *a, const SplitRange *b);
/* Are there more iterations inside than outside, as far as numbers say? */
bool split_points_leave_most(const SplitPoints *s);
/* The least end of a loop that is computed with. */
#define SPLIT_END_LEAST (-((int64_t)1 << 61))
/* May a value be so large that sums of 64 bits with it wrap? */
bool split_points_may_wrap(const Inst *i);

#endif
