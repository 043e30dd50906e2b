/* SPDX-License-Identifier: MIT */
/* harness/measure/patterns.h - patterns as they are: what they count and how long they take, by no bank law.
 *
 * For who wants to find the laws. Canaries and baselines are made here, and assume nothing of banks: a request of one
 * lane and one word takes one wavefront on every device, one of 32 lanes at least one.
 */
#ifndef BC_MEASURE_PATTERNS_H
#define BC_MEASURE_PATTERNS_H

#include "harness/core/case.h"
#include "harness/device/device.h"

#define BC_PATTERN_SAMPLES 9 /* timed sections of a pattern */

/* What one counted launch of a pattern moved, without what the same kernel counts with 0 repetitions. */
struct bc_pattern_count {
	bool has;
	bool wavefronts_counted;	/* false: the class has conflicts only (cp.async) */
	uint64_t requests;		/* that were made */
	uint64_t wavefronts, conflicts; /* of all of them */
};

struct bc_pattern_time {
	bool has;
	double cycles;	 /* median of the timed sections of BC_TIMED_ACCESSES requests */
	uint32_t spread; /* longest less shortest of them */
};

/* What a device shows of its shared memory, beside laws. 0: not to be had (base: always there). */
struct bc_window {
	uint32_t base;		 /* absolute shared address of the first byte of dynamic shared memory */
	uint32_t optin_bytes;	 /* most dynamic shared memory that a launch is given, in steps of 128 bytes */
	uint32_t static_bytes;	 /* the same without opt-in */
	uint32_t sm_bytes;	 /* shared memory of an SM, as the driver states */
	uint32_t reserved_bytes; /* taken from each block: what is left of an SM that holds two */
	uint32_t blocks;	 /* blocks of one warp and no shared memory that an SM holds */
};

struct bc_patterns;

/* @ops, @dev, @arch outlive it; of the architecture the opt-in size and the counters are used. */
enum bc_status bc_patterns_open(const struct bc_device_ops *ops, struct bc_device *dev, const struct bc_arch *arch,
				struct bc_patterns **out, struct bc_error *err);

/**
 * bc_patterns_count - count patterns of any operations, each alone
 * @p:      [n] offsets from the first byte of dynamic shared memory
 * @out:    [n]
 * @absent: filled with why some or all were not counted; "" when all were
 *
 * Return: BC_EDEVICE when the device is no longer alive, or a pattern is none that can be launched; BC_ENOMEM.
 */
enum bc_status bc_patterns_count(struct bc_patterns *t, const struct bc_pattern *p, size_t n,
				 struct bc_pattern_count *out, char *absent, size_t size, struct bc_error *err);

/* The same by clock; patterns of one request. Operations that cannot be timed have none. */
enum bc_status bc_patterns_time(struct bc_patterns *t, const struct bc_pattern *p, size_t n,
				struct bc_pattern_time *out, char *absent, size_t size, struct bc_error *err);

/* Limits are found by launches that are taken and refused. */
enum bc_status bc_patterns_window(struct bc_patterns *t, struct bc_window *out, struct bc_error *err);

void bc_patterns_close(struct bc_patterns *t); /* NULL is allowed; the device stays open */

#endif
