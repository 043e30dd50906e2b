/* SPDX-License-Identifier: MIT */
/* harness/measure/baseline.h - what a kernel counts with 0 repetitions, which is subtracted from what it counts.
 *
 * A counted launch fills nothing, so its shape is always the same and one baseline serves all cases of a kernel. One
 * reading is enough until a case of the kernel is counted again: then more tell whether the first was sound.
 */
#ifndef BC_MEASURE_BASELINE_H
#define BC_MEASURE_BASELINE_H

#include "harness/core/observe.h"
#include "harness/core/op.h"

#define BC_BASELINE_READINGS 3 /* of which two must be alike */

/* By the operation, as each pattern kernel has one. Zero: none is known. */
struct bc_baselines {
	bool has[BC_NOPS];
	struct bc_count of[BC_NOPS];
};

bool bc_count_same(const struct bc_count *a, const struct bc_count *b);

/* @out: what more than half of the @n readings are; false: there is no such. */
bool bc_baseline_most(const struct bc_count *reading, size_t n, struct bc_count *out);

/* *count -= *baseline; false, and nothing is done, when the baseline is larger: the counts make no sense. */
bool bc_baseline_subtract(struct bc_count *count, const struct bc_count *baseline);

/* Counts of @o from which @was was subtracted, as if @is had been. One that would be below @is is left as it is. */
void bc_baseline_correct(struct bc_observation *o, const struct bc_count *was, const struct bc_count *is);

#endif
