/* SPDX-License-Identifier: MIT */
/* harness/compare/describe.h - a comparison in words: the phrases that all its formats share. */
#ifndef BC_COMPARE_DESCRIBE_H
#define BC_COMPARE_DESCRIBE_H

#include "harness/base/out.h"
#include "harness/compare/compare.h"

/* The kind of a change, one word: "WORSE", "BETTER", "CHANGED", "UNDECIDED", "SAME". */
const char *bc_describe_kind(const struct bc_compared *c);

/* What the change is, for the type of a testcase: "ABSENT", "NEW", the new verdict, "REASON", "DATA", "COUNT",
 * "OUTCOME", the clock's word; "SAME". The first that applies. */
const char *bc_describe_type(const struct bc_compared *c);

/**
 * bc_describe_whole_suite - is the @i-th case the first of a suite that is in one of the runs only?
 *
 * Return: the cases of the suite when there are several, so that one line can tell of all; else 0.
 */
size_t bc_describe_whole_suite(const struct bc_pair_diff *p, size_t i);

/* "PASS -> FAIL: message; wavefronts 1 -> 2, expected 1..1; SLOWER by 3.1 % ..." in one line, not escaped. */
void bc_describe_change(struct bc_out *o, const struct bc_compared *c);

/* "SLOWER by 3.1 % (2.9 to 3.3 %), 912 -> 940 cycles". */
void bc_describe_speed(struct bc_out *o, const struct bc_speed_test *t);

/* The device of a pair: "sm_90 (NVIDIA H200, cuda:0) on host"; not escaped. */
void bc_describe_device(struct bc_out *o, const struct bc_read_device *d);

/* Why a pair cannot be compared (whole); "" when it can. */
const char *bc_describe_comparability(enum bc_comparability o);

/* "3369 cases are compared by their verdict alone: the old report is compact (--junit compact) ..."; nothing when all
 * values were there. */
void bc_describe_verdict_only(struct bc_out *o, const struct bc_pair_diff *p);

/* "driver, CUDA"; "" when nothing differs that a change may come from. */
void bc_describe_other_changes(struct bc_out *o, const struct bc_pair_diff *p);

/* The sums, and the method with its rates: lines without an indent. */
void bc_describe_sums(struct bc_out *o, const struct bc_diff *d);
void bc_describe_clocks(struct bc_out *o, const struct bc_diff *d);

#endif
