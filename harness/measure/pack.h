/* SPDX-License-Identifier: MIT */
/* harness/measure/pack.h - several cases counted in one profiler range, and told apart again.
 *
 * On a GPU a range costs most of a millisecond whatever is in it: two round trips to the GPU's firmware, under a lock
 * that all GPUs of the host share (docs/counters.md has the figures). So patterns of one request whose counts are
 * expected to the integer share ranges: case k of a range, from 0, makes BC_PACK_BASE^k requests, and what is counted
 * is a number whose digits to that base are the cases' own counts of one request. The digits are read without regard to
 * what is expected, and stand when every one is as expected. If one is not, the cases are counted alone, and the range
 * must then be the sum of them: what it cannot be, some case of it did differently, and that is on its record.
 */
#ifndef BC_MEASURE_PACK_H
#define BC_MEASURE_PACK_H

#include "harness/core/observe.h"
#include "harness/device/device.h"

#define BC_PACK_BASE 72 /* above the 64 wavefronts of a cas by all lanes on one bank, the most that a law gives */

/* A case to be counted: pattern from the start of the window, or a case that runs a kernel of its own; and where its
 * counts go. */
struct bc_count_item {
	const struct bc_pattern *pattern; /* NULL: c has a program */
	const struct bc_case *c;
	enum bc_op counted_as; /* of a program: see program.h */
	struct bc_observation *obs;
	bool packable; /* it may share a range; then pattern->count is 1 and all that its class counts is ... */
	struct bc_count expected; /* ... expected to be this of one request, below BC_PACK_BASE; else ignored */
	bool below; /* it counted less than its baseline, alone: that one must turn out wrong, or it is broken */
};

/* What a class counts; the rest of a bc_count is 0. */
struct bc_count_source {
	bool requests, wavefronts, conflicts;
};

/* Cases that are counted together. */
struct bc_range {
	const struct bc_count_item *item[BC_PACK_MAX];
	unsigned n;	     /* 1: alone */
	size_t launch;	     /* the first of its launches in the session, one per case */
	bool unexpected;     /* read, and not as expected */
	bool below;	     /* unexpected: less than its baselines */
	struct bc_count raw; /* of an unexpected one: what was counted ... */
	struct bc_count sum; /* ... and that less its baselines, as bc_pack_check_sum wants it */
};

/* Requests that case @k (below BC_PACK_MAX) of a range of several makes. */
uint32_t bc_pack_weight(unsigned k);

/**
 * bc_pack_ranges - put @n cases into ranges of at most @pack (1 to BC_PACK_MAX)
 * @out: [n], of which *nranges are filled: those counted alone first, in their order
 *
 * The cases with the most wavefronts make one request, those with the fewest the most. Return: BC_ENOMEM, BC_EUSAGE for
 * another @pack.
 */
enum bc_status bc_pack_ranges(const struct bc_count_item *item, size_t n, unsigned pack, struct bc_range *out,
			      size_t *nranges, struct bc_error *err);

/* Read a range of several from the @sum that was counted: into its cases' observations when all digits are as expected;
 * else the range is marked unexpected, and no observation changes. */
void bc_pack_read(struct bc_range *r, struct bc_count_source by, const struct bc_count *sum);

/**
 * bc_pack_check_sum - compare the sum of an unexpected range with its cases' counts alone, the last count of each
 * observation
 *
 * When they do not add up to what the range read, the cases whose digits differ from their counts get those as one more
 * count, as of as many requests as were counted alone. A case that could not be counted alone (its session was void, or
 * counting became impossible) stands in the sum as it is expected; if its digits are others, they are its count, for
 * the range was read in a sound session. Nothing is done when a case is broken: that is said already.
 */
void bc_pack_check_sum(const struct bc_range *r, struct bc_count_source by);

#endif
