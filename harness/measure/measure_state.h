/* SPDX-License-Identifier: MIT */
/* harness/measure/measure_state.h - what measure.c and measure_counters.c share; nobody else's. */
#ifndef BC_MEASURE_MEASURE_STATE_H
#define BC_MEASURE_MEASURE_STATE_H

#include "harness/measure/clock.h"
#include "harness/measure/code.h"
#include "harness/measure/counter_session.h"
#include "harness/measure/measure.h"

#define BC_CLOCK_LINES_MAX 32

struct bc_measure {
	const struct bc_device_ops *ops;
	struct bc_device *dev;
	const struct bc_arch *arch;
	struct bc_geometry geometry;
	const struct bc_expect *expect;
	struct bc_measure_options o;
	struct bc_counter_session *counting;
	struct bc_code *code;				/* NULL: no folder of images was given */
	struct bc_clock_line lines[BC_CLOCK_LINES_MAX]; /* calibrated ones */
	size_t nlines;
};

/* What is measured of a batch: a pattern with its offsets placed, or a case with a program. */
struct bc_measure_item {
	const struct bc_case *c;
	struct bc_pattern pattern;
	bool program, refused; /* refused: the launch must be refused, and nothing else is observed */
	enum bc_class cls;
	uint32_t shared_bytes; /* program: dynamic shared memory that must be granted, also where it depends on the
				  architecture */
	bool clocked;	       /* program: its own clock reads are taken from the data launches */
};

/* The counters witness of @n cases: one session a class; cases whose counts are not as expected again, three times in
 * all. */
enum bc_status bc_witness_counters(struct bc_measure *m, const struct bc_measure_item *it, struct bc_observation *obs,
				   size_t n, struct bc_error *err);

#endif
