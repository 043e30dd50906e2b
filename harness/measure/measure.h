/* SPDX-License-Identifier: MIT */
/* harness/measure/measure.h - cases on an open device to observations: data, counters, clock, model.
 *
 * Device-independent: canaries, baselines, repeated counts and the clock's calibration are made here for every device.
 */
#ifndef BC_MEASURE_MEASURE_H
#define BC_MEASURE_MEASURE_H

#include "harness/core/expect.h"
#include "harness/core/observe.h"
#include "harness/device/device.h"

struct bc_measure;

/* Most cases of one batch. */
#define BC_BATCH_MAX 128

struct bc_measure_options {
	bool counters;	    /* take the counters witness */
	bool clock;	    /* take the clock witness */
	unsigned pack;	    /* most cases counted in one range (pack.h); 0: as many as the device says are worth it */
	const uint32_t *sm; /* [nsm] the SMs that cases on every SM compare; not copied; none: all */
	size_t nsm;
	const char *kernels_dir; /* where the images' code listings are; not copied, outlives the measure; NULL: none */
};

/**
 * bc_measure_open - prepare to measure on an open device
 * @ops, @dev: the device; they outlive the measure
 * @arch:      its architecture
 * @expect:    what is expected: a case whose counts are not so is counted again, three times in all; NULL: none
 */
enum bc_status bc_measure_open(const struct bc_device_ops *ops, struct bc_device *dev, const struct bc_arch *arch,
			       const struct bc_expect *expect, const struct bc_measure_options *o,
			       struct bc_measure **out, struct bc_error *err);

/**
 * bc_measure_batch - observe @n cases (at most BC_BATCH_MAX) whose needs the architecture meets
 * @obs: [n] filled; a witness that could not be had has its reason
 *
 * Return: BC_EDEVICE when the device is no longer alive (then no observation is valid, and the batch is lost); a
 * failure that leaves it alive, as a launch that is refused, is in the observations (BC_TOOL_ERROR), not here.
 * BC_ENOMEM when the host lacks memory, BC_EUSAGE for more cases: no observation is valid then either.
 */
enum bc_status bc_measure_batch(struct bc_measure *m, const struct bc_case *const *cases, size_t n,
				struct bc_observation *obs, struct bc_error *err);

/* Is the device still good for a kernel? One warp reads a word of each bank. Return: BC_EDEVICE when it is not. */
enum bc_status bc_measure_check_health(struct bc_measure *m, struct bc_error *err);

/* Images that patterns are run from, NULL-terminated. */
extern const char *const *const bc_measure_images;

void bc_measure_close(struct bc_measure *m); /* NULL is allowed; the device stays open */

#endif
