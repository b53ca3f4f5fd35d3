/* Cuts of a loop: where its last index begins, and ends, to lie so far inside that comparisons have
 * one outcome. What bounds a value is a sum of what does not change while that index goes on: a cut
 * may be computed before the innermost loop runs. */
#ifndef SNL_PASS_CUTS_H
#define SNL_PASS_CUTS_H

#include "ir/ir.h"

enum { STEADY_TERMS_MOST = 4 };

/* Something that does not change, so many times: a pure instruction, exact as the program computes
 * it. */
typedef struct {
    const Inst *what;
    int64_t times;
} SteadyTerm;

typedef struct {
    int64_t number;
    int count;
    SteadyTerm terms[STEADY_TERMS_MOST];
} Steady;

/* `known`: times x index + something from low to high. */
typedef struct {
    bool known;
    bool exact;          /* the sum is the value; else it may have wrapped */
    int64_t times;
    Steady low, high;
} Range;

/* times x index <= at, or >= at. */
typedef struct {
    bool upper;
    int64_t times;
    Steady at;
} Cut;

typedef struct {
    Compile *c;
    bool is_wide;          /* the index has 64 bits */
    bool has_from, has_to; /* the bounds of the loop are numbers */
    int64_t from, to;
    int64_t low, high;     /* the index inside, as far as numbers say */
    bool has_low, has_high;
    VEC(const void *) ends; /* params and variables that the end of the loop is made of */
    VEC(Cut) list;          /* cuts at what is no number */
} Cuts;

/* Begins without any cut. */
void cuts_begin(Cuts *s, Compile *c, const Task *t, int last);
Range range_number(int64_t number);
/* What does not change. */
Range range_steady(const Inst *i);
/* The index itself, as a sequential loop's variable lies from `from` to before `to`. */
Range range_index(void);
Range range_between(const Range *from, const Range *to);
/* a + times b, b a sum if it is exact or not; unknown where that has too many terms. */
Range range_add(const Range *a, const Range *b, int64_t times);
Range range_times(const Range *a, int64_t times);
/* Sees to it that a value of a signed type has not wrapped. */
bool cuts_fit(Cuts *s, const Range *a, const Type *type);
/* 1: a <= b inside; 0: a > b; -1: neither is known. May cut the loop, near its ends, to know it. */
int cuts_compare(Cuts *s, const Range *a, const Range *b);
/* Do they differ inside? */
bool cuts_differ(Cuts *s, const Range *a, const Range *b);
/* Are there more iterations inside than outside, as far as numbers say? */
bool cuts_leave_most(const Cuts *s);
/* A block whose result is the first index inside, or the one after the last, i64; NULL: that of the
 * loop. */
Block *cuts_block(Compile *c, const Ir *ir, const Cuts *s, bool upper, Span span);

#endif
