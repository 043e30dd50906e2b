/* SPDX-License-Identifier: MIT */
/* harness/measure/launch.h - from a pattern to launches, and from their output to right or wrong.
 *
 * The same for every device: which kernel, how much memory is filled, what every lane must read, what memory must
 * hold afterwards. The oracle is made from the addresses alone; no bank law takes part.
 */
#ifndef BC_MEASURE_LAUNCH_H
#define BC_MEASURE_LAUNCH_H

#include "harness/core/case.h"
#include "harness/core/observe.h"
#include "harness/device/device.h"
#include "kernels/bc_kernel.h"

/* A launch and the memory its buffers point into. The struct must not move once it is made. */
struct bc_case_launch {
	struct bc_launch launch;
	char kernel[48];
	struct bc_pattern pattern; /* offsets from the first byte of dynamic shared memory */
	uint32_t offsets[BC_LANES];
	uint32_t *lines, nlines; /* lines of shared memory that are filled and dumped, ascending; malloc'ed */
	uint32_t seed;
	uint64_t requests; /* executed by one launch: count * reps */
	uint32_t *out; /* what the lanes got, or the dump when they get nothing, malloc'ed; NULL in counted launches */
	size_t out_bytes;
	uint32_t *dump; /* of atomics, which do both: the dump, malloc'ed; else NULL */
	size_t dump_bytes;
	uint32_t *source; /* of copies: what the lanes copy, malloc'ed; else NULL */
	uint8_t poison;
	uint32_t info[2];  /* window base, dynamic shared size, as the kernel saw them */
	uint32_t *samples; /* clock launches: [nsamples][4][2], malloc'ed */
	uint32_t nsamples;
	struct bc_program program;	/* of a case that runs a kernel of its own */
	void *data[BC_PROGRAM_BUFFERS]; /* its buffers, filled before and read back after the launch; malloc'ed */
	uint32_t sms;			/* blocks of a launch on every SM; 0: it is none */
	/* Of a pattern's launch on every SM, all malloc'ed; out, dump and samples are there once a block then. */
	uint32_t *ids;	  /* [BC_SMS_WORDS(sms)] which SM each block is on */
	uint32_t *infos;  /* [sms][2] what info is for one block */
	uint32_t *differ; /* [3][sms] words of out, dump and infos that differ from block 0's */
	void *scratch;	  /* memory for the check, so that it can only fail for what the device did; malloc'ed */
};

/* Images that patterns are run from, NULL-terminated. */
extern const char *const bc_case_launch_images[];

/* The two seeds of the data launches: chosen so that no two neighbouring bytes, halves or words of 256 KB are equal
 * under both (harness/tests/measure/test_launch.c proves it). */
extern const uint32_t bc_seeds[2];

/**
 * bc_pattern_at - a case's pattern with offsets from the first byte of dynamic shared memory on @a
 *
 * Return: BC_EDATA when an address lies below the window (a case whose needs are met never does).
 */
enum bc_status bc_pattern_at(const struct bc_case *c, const struct bc_arch *a, struct bc_pattern *out,
			     struct bc_error *err);

/* A data launch (one repetition, output wanted). @seed_index: 0 or 1. Filled are the lines that are touched; where the
 * operation stores, all lines of the block, which has 4 KB more than the pattern needs where the architecture
 * allows, and what it does not store to must come back as it was: a store that is done a second time far from its
 * target is seen. */
enum bc_status bc_case_launch_data(const struct bc_pattern *p, const struct bc_arch *a, const char *label,
				   unsigned seed_index, struct bc_case_launch *out, struct bc_error *err);

/* A launch to be counted: nothing is filled and nothing comes back; @reps 0 is the baseline of the kernel and shape. */
enum bc_status bc_case_launch_count(const struct bc_pattern *p, const struct bc_arch *a, const char *label,
				    uint32_t reps, struct bc_case_launch *out, struct bc_error *err);

/* Repetitions a counted launch of @p makes: at least 8 requests. */
uint32_t bc_case_launch_reps(const struct bc_pattern *p);

/* A timed launch. @p->count must be 1 or BC_TIMED_ACCESSES. */
enum bc_status bc_case_launch_clock(const struct bc_pattern *p, const struct bc_arch *a, const char *label,
				    uint32_t nsamples, struct bc_case_launch *out, struct bc_error *err);

/**
 * bc_case_launch_check - compare every element that a data launch brought back
 * @detail: first difference: lane, request, offset, what was read and what was expected
 *
 * Return: true when all are right, lanes that are not active left the poison, and the window base is @a's.
 */
bool bc_case_launch_check(const struct bc_case_launch *r, const struct bc_arch *a, char *detail, size_t size);

/* Cycles of each timed section: one warp's for loads, first start to last end of four warps for stores. */
void bc_case_launch_samples(const struct bc_case_launch *r, uint32_t cycles[BC_SAMPLES_MAX]);

/**
 * bc_case_launch_program - the launch of a case whose rule has programs
 * @sms: multiprocessors of the device, at least 1: blocks of a program that runs on every SM
 *
 * All buffers come back. Return: BC_EDEVICE when the rule's program function fails or states more than there is room
 * for.
 */
enum bc_status bc_case_launch_program(const struct bc_case *c, const struct bc_arch *a, uint32_t sms,
				      unsigned seed_index, struct bc_case_launch *out, struct bc_error *err);

/**
 * bc_case_launch_sms - were the blocks of a launch on every SM each on one of its own?
 * @ids: [BC_SMS_WORDS(sms)] what came back
 *
 * Return: false, and why in @detail, when not all blocks were there or two of them on one SM.
 */
bool bc_case_launch_sms(const uint32_t *ids, uint32_t sms, char *detail, size_t size);

/* Compare what came back: inputs unchanged, then the rule's check. */
bool bc_case_launch_check_program(const struct bc_case_launch *r, const struct bc_case *c, const struct bc_arch *a,
				  char *detail, size_t size);

/**
 * bc_case_launch_spread - make a pattern's launch one of a block on every SM
 * @sms: multiprocessors that the device has
 *
 * Dynamic shared memory is raised until no two blocks fit on an SM. What the blocks wrote is compared on the device:
 * out, dump and infos of a block are there only when they differ from block 0's.
 */
enum bc_status bc_case_launch_spread(struct bc_case_launch *r, const struct bc_arch *a, uint32_t sms,
				     struct bc_error *err);

/* Did block @b of such a data launch write anything else than block 0 did? */
bool bc_case_launch_differs(const struct bc_case_launch *r, uint32_t b);

/* As bc_case_launch_check, of what block @b wrote: block 0, or one that differs. */
bool bc_case_launch_check_block(const struct bc_case_launch *r, uint32_t b, const struct bc_arch *a, char *detail,
				size_t size);

/* As bc_case_launch_samples, of block @b. */
void bc_case_launch_block_samples(const struct bc_case_launch *r, uint32_t b, uint32_t cycles[BC_SAMPLES_MAX]);

void bc_case_launch_release(struct bc_case_launch *r);

#endif
