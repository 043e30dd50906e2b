/* SPDX-License-Identifier: MIT */
/* harness/compare/speed.h - the same case in two runs: as fast, slower, faster, or not to be told (docs/diff.md). */
#ifndef BC_COMPARE_SPEED_H
#define BC_COMPARE_SPEED_H

#include "harness/compare/rank.h"

#define BC_SPEED_TOLERANCE 0.01	 /* default: changes up to 1 % are no change */
#define BC_SPEED_ALPHA 0.01	 /* chance that one comparison calls any unchanged case SLOWER or FASTER */
#define BC_SPEED_SAME_ALPHA 0.05 /* SAME: chance that the interval of one case misses its change */
#define BC_SPEED_STEP_MIN 2   /* cycles, the least change that counts: both ends of a section are read to one cycle */
#define BC_SPEED_EXACT_MIN 10 /* samples, the fewest that a run records: so many equal ones count as no spread */

enum bc_speed { BC_SPEED_NONE = 0, BC_SPEED_SAME, BC_SPEED_SLOWER, BC_SPEED_FASTER, BC_SPEED_UNDECIDED, BC_NSPEEDS };

/* Why a case is UNDECIDED. */
enum bc_undecided {
	BC_DECIDED = 0,
	BC_FEW_SAMPLES,	 /* so few that even lists which do not overlap would not be significant among so many cases */
	BC_WIDE_SPREAD,	 /* the interval of the change reaches over the tolerance, and the change is not significant */
	BC_SMALL_CHANGE, /* significant, but not surely within the tolerance nor over it */
	BC_ZERO_SAMPLE,	 /* a section of 0 cycles: the clock did not run */
	BC_CLOCK_STEP,	 /* no spread, over the tolerance, but one cycle only: as far as the clock can tell */
};

/* One case. */
struct bc_speed_test {
	struct bc_samples old, now; /* in: at least one sample each */
	enum bc_speed speed;	    /* out, as all below */
	enum bc_undecided why;
	bool exact;	       /* no spread on either side: the change is known, no test is needed */
	double p;	       /* of the rank test, before the correction; 1 when exact */
	struct bc_shift shift; /* ratio of cycles now to old, with its 95 % interval; exact: that ratio, no width */
};

struct bc_speed_plan {
	double tolerance; /* 0.01: 1 % */
	double alpha;	  /* BC_SPEED_ALPHA */
	size_t tested;	  /* out: cases that took the rank test */
};

/**
 * bc_speed_judge - judge the clocks of all cases of one comparison, which are tested at once
 * @test: [n]
 *
 * No spread on either side (BC_SPEED_EXACT_MIN equal samples each): SAME within the tolerance, else SLOWER or FASTER;
 * one cycle alone is UNDECIDED, whatever it is of a short section. Otherwise SLOWER (FASTER) when the rank test is
 * significant by Holm's correction over all such cases, and the ratio is at least 1 + tolerance (at most its
 * reciprocal); SAME when the interval of the ratio lies between these; else UNDECIDED.
 *
 * Return: BC_ENOMEM. Pure otherwise; swapped lists give FASTER for SLOWER.
 */
enum bc_status bc_speed_judge(struct bc_speed_test *test, size_t n, struct bc_speed_plan *plan, struct bc_error *err);

/* "SAME" ...; "" of BC_SPEED_NONE. */
const char *bc_speed_name(enum bc_speed s);

/* The reason in words, "" of BC_DECIDED. */
const char *bc_undecided_text(enum bc_undecided why);

/* Samples of each side from which on a list may be significant among @tested cases. */
unsigned bc_speed_samples_needed(size_t tested, double alpha);

#endif
