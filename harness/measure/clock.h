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

/* Which calibration a request belongs to: the operation, the non-empty groups that are left when the pair rule merged
 * what it merges, and whether it merged any (on an H200 a merged 8-byte load takes a cycle less than one of a group
 * that did not merge, with as many wavefronts; a 16-byte one two cycles less). */
struct bc_clock_key {
	enum bc_op op;
	unsigned groups;
	bool merged;
};

struct bc_clock_point {
	struct bc_pattern pattern; /* offsets from the first byte of dynamic shared memory */
	unsigned wavefronts;	   /* what the pattern takes by construction */
	double cycles;		   /* median of the timed sections; filled by the caller */
	uint32_t spread;	   /* longest less shortest of them; filled by the caller */
};

struct bc_clock_line {
	struct bc_clock_key key;
	struct bc_clock_point point[BC_CLOCK_POINTS]; /* wavefronts rise strictly */
	unsigned n;
};

/**
 * bc_clock_patterns - the known patterns of a key, with their wavefronts; cycles are 0
 *
 * Each group has n active lanes on n words of one bank and no others, so the wavefronts are groups * n whatever the
 * device does with lanes on one word, and none is merged by the pair rule. The patterns of a merged key have n pairs of
 * lanes in the first half of each group: a device without the pair rule takes as many wavefronts for them too, so its
 * own merged line is that of groups that do not merge, and its cases lie elsewhere. @a: an architecture whose arch.txt
 * gives a law has patterns of that law. Return: BC_EDEVICE when the
 * operation has no clock protocol.
 */
enum bc_status bc_clock_patterns(const struct bc_clock_key *key, const struct bc_arch *a, struct bc_clock_line *out,
				 struct bc_error *err);

enum bc_clock_shape {
	BC_CLOCK_RISES = 0, /* more wavefronts, more cycles: it can be read */
	BC_CLOCK_FLAT,	    /* somewhere not, and the samples there are all alike: the device is so */
	BC_CLOCK_UNSURE,    /* somewhere not, and they differ: throttled or shared, or fewer than two points */
};

/* @why: filled unless it rises. */
enum bc_clock_shape bc_clock_shape_of(const struct bc_clock_line *line, char *why, size_t size);

/**
 * bc_clock_wavefronts - place @cycles on a calibrated line
 *
 * Between points linear, beyond the ends along the nearest segment. A value within 0.2 of a whole number is that
 * number (the witness is sure); others are returned as they are.
 * Return: BC_EDEVICE when the line does not rise: it tells nothing.
 */
enum bc_status bc_clock_wavefronts(const struct bc_clock_line *line, double cycles, double *wavefronts,
				   struct bc_error *err);

#endif
