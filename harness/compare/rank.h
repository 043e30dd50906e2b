/* SPDX-License-Identifier: MIT */
/* harness/compare/rank.h - are two lists of cycles different, and by how much: rank statistics, and many tests at once.
 *
 * Nothing is assumed of the shape of the spread (cycles are whole numbers with many ties and a tail to one side). What
 * is assumed is that the samples of a list are independent. Pure: no state, no I/O.
 */
#ifndef BC_COMPARE_RANK_H
#define BC_COMPARE_RANK_H

#include "harness/base/base.h"
#include "harness/report/values.h"

/* The change from one list to another as a ratio: 1.03 is 3 % more cycles. */
struct bc_shift {
	double ratio;  /* Hodges-Lehmann: median of all ratios now/old of one sample each */
	double lo, hi; /* confidence interval of the ratio; 0 and infinity when there are too few samples for one */
};

/**
 * bc_rank_test - two-sided Mann-Whitney test
 * @p: chance that lists from one source differ in rank at least as much; 1 when one is empty
 *
 * Ties have their middle rank. Exact (the permutation distribution of these very ranks), but for lists of 10 samples
 * and more with p over 5 % by the normal approximation: then that one is given. The same when the lists are swapped.
 * Return: BC_ENOMEM.
 */
enum bc_status bc_rank_test(const struct bc_samples *old, const struct bc_samples *now, double *p,
			    struct bc_error *err);

/* The smallest p that bc_rank_test can give for lists of so many samples: that of lists that do not overlap. */
double bc_rank_smallest_p(unsigned nold, unsigned nnow);

/**
 * bc_rank_shift - estimate and confidence interval of the ratio now/old
 * @old, @now: at least one sample each, none of them 0
 * @alpha: the interval misses the ratio with at most this chance
 *
 * The interval is the set of ratios that a rank test at level @alpha does not refuse (between order statistics of the
 * ratios of all pairs). Swapped lists give the reciprocals.
 */
void bc_rank_shift(const struct bc_samples *old, const struct bc_samples *now, double alpha, struct bc_shift *out);

/**
 * bc_holm - which of many tests are significant (Holm's step-down of Bonferroni's correction)
 * @p: [n]
 * @alpha: the chance that any test whose hypothesis is true is called significant is at most this, whatever the
 *         tests have to do with each other
 * @significant: [n]
 *
 * Return: BC_ENOMEM.
 */
enum bc_status bc_holm(const double *p, size_t n, double alpha, bool *significant, struct bc_error *err);

void bc_samples_range(const struct bc_samples *s, uint32_t *min, uint32_t *max);

#endif
