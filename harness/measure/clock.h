/* SPDX-License-Identifier: MIT */
/* harness/measure/clock.h - the clock witness: cycles to wavefronts, through a calibration made on the device itself.
 *
 * Known patterns of the same operation with the same number of groups (1, 2, 3, 4, 8 ... ways in each) are timed;
 * a case's median is placed on the line through their medians. docs/clock.md has the protocol.
 */
#ifndef BC_MEASURE_CLOCK_H
#define BC_MEASURE_CLOCK_H

#include "harness/core/case.h"
#include "harness/core/observe.h"

#define BC_CLOCK_POINTS 8
#define BC_CLOCK_SAMPLES 32

/* Which calibration a request belongs to: the operation, its non-empty groups, whether the pair rule merged them. */
struct bc_clock_key {
	enum bc_op op;
	unsigned groups;
	bool merged;
};

struct bc_clock_point {
	struct bc_pattern pattern; /* offsets from the first byte of dynamic shared memory */
	unsigned wavefronts;	   /* what the pattern takes by construction */
	double cycles;		   /* median of the timed sections; filled by the caller */
};

struct bc_clock_line {
	struct bc_clock_key key;
	struct bc_clock_point point[BC_CLOCK_POINTS]; /* wavefronts rise strictly */
	unsigned n;
};

/**
 * bc_clock_patterns - the known patterns of a key, with their wavefronts; cycles are 0
 *
 * Every non-empty group of lanes gets the same number of ways: n lanes on n words of one bank, the others with the
 * first of them, so the wavefronts are groups * n without any law applied to addresses.
 * Return: BC_EDEVICE when the operation has no clock protocol.
 */
enum bc_status bc_clock_patterns(const struct bc_clock_key *key, struct bc_clock_line *out, struct bc_error *err);

/**
 * bc_clock_wavefronts - place @cycles on a calibrated line
 *
 * Between points linear, beyond the ends along the nearest segment. A value within 0.2 of a whole number is that
 * number (the witness is sure); others are returned as they are.
 * Return: BC_EDEVICE when the line does not rise (throttled or shared GPU): it tells nothing.
 */
enum bc_status bc_clock_wavefronts(const struct bc_clock_line *line, double cycles, double *wavefronts,
				   struct bc_error *err);

#endif
