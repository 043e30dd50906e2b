/* SPDX-License-Identifier: MIT */
/* harness/measure/witness.h - the witnesses of one batch: data (witness_data.c), counters (witness_counters.c), clock
 * (witness_clock.c). measure.c calls them; nobody else does.
 */
#ifndef BC_MEASURE_WITNESS_H
#define BC_MEASURE_WITNESS_H

#include "harness/core/expect.h"
#include "harness/core/observe.h"
#include "harness/device/device.h"
#include "harness/measure/clock.h"
#include "harness/measure/code.h"
#include "harness/measure/counter_session.h"
#include "harness/measure/launch.h"

#define BC_CLOCK_LINES_MAX 32

struct bc_calibration {
	struct bc_clock_line line;
	char again[BC_REASON_MAX]; /* why it was timed once more; "": it was not */
	unsigned batch;		   /* that it was timed in */
};

struct bc_measure {
	const struct bc_device_ops *ops;
	struct bc_device *dev;
	const struct bc_arch *arch;
	struct bc_geometry geometry;
	const struct bc_expect *expect;
	bool counters, clock; /* asked for */
	unsigned pack;
	const uint32_t *sm; /* [nsm] the SMs that are compared; none: all */
	size_t nsm;
	struct bc_counter_session *counting;
	struct bc_code *code; /* NULL: no folder of images was given */
	struct bc_calibration lines[BC_CLOCK_LINES_MAX];
	size_t nlines;
	unsigned batch; /* from 1 */
};

/* What is measured of a batch: a pattern with its offsets placed, or a case with a program. */
struct bc_witness_item {
	const struct bc_case *c;
	struct bc_pattern pattern;
	bool program, refused; /* refused: the launch must be refused, and nothing else is observed */
	enum bc_class cls;
	enum bc_op counted_as; /* program: which of the class's counters; see program.h */
	uint32_t shared_bytes; /* program: dynamic shared memory that must be granted, also where it depends on the
				  architecture */
	bool clocked;	       /* program: its own clock reads are taken from the data launches */
};

/* Why a case can have no clock on the device; "": it can. */
const char *bc_witness_no_clock(const struct bc_measure *m, const struct bc_case *c);

/* The case cannot be measured: the first reason stands. */
void bc_witness_tool_error(struct bc_observation *o, const char *why);

/**
 * bc_witness_run - run launches; when that fails on a device that is still usable, each alone
 * @obs: [n] obs[i] belongs to launch i and is told when that one fails; NULL: the failure is returned
 *
 * So one bad launch does not spoil the others. Return: BC_EDEVICE when the device is no longer usable; BC_ENOMEM.
 */
enum bc_status bc_witness_run(struct bc_measure *m, struct bc_case_launch *const *r, struct bc_observation *const *obs,
			      size_t n, struct bc_error *err);

/* Data: both seeds of every case in one run. */
enum bc_status bc_witness_data(struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *obs,
			       size_t n, struct bc_error *err);

/* Counters: one session per class; cases whose counts are not as expected again, three times in all. */
enum bc_status bc_witness_counters(struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *obs,
				   size_t n, struct bc_error *err);

/* Clock: outside the profiler. */
enum bc_status bc_witness_clock(struct bc_measure *m, const struct bc_witness_item *it, struct bc_observation *obs,
				size_t n, struct bc_error *err);

#endif
