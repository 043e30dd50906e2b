/* SPDX-License-Identifier: MIT */
/* harness/kernel/tally.h - what each memory instruction of a launch asked for, by the bank laws: hooks of the
 * interpreter that look and change nothing. */
#ifndef BC_KERNEL_TALLY_H
#define BC_KERNEL_TALLY_H

#include "harness/device/reference/ptx.h"

/* One shared or global operation of one line of PTX. */
struct bc_kernel_count {
	unsigned ptx_line;
	enum bc_ptx_kind kind;
	enum bc_ptx_space space;  /* shared or global */
	enum bc_op op;		  /* shared: its law; BC_OP_NONE: it has none, and wavefronts are not known */
	uint32_t bytes;		  /* of a lane */
	uint64_t requests, lanes; /* lanes: active ones, over all requests */
	/* shared: conflicts is what the counter of the class reads, ideal what is left without them */
	uint64_t wavefronts, ideal, conflicts;
	uint64_t sectors, ideal_sectors; /* global: of 32 bytes; ideal: if the lanes' bytes lay side by side */
	/* The request with the most conflicts (global: sectors above the ideal); the first of equals, by block and
	 * warp. */
	struct bc_kernel_worst {
		uint32_t lost, wavefronts, ideal;
		uint64_t block;
		uint32_t warp, mask;
		uint64_t addr[BC_LANES];
	} worst;
};

struct bc_kernel_tally;

/* @lines: lines of the PTX text; @workers: host threads that will run blocks. NULL: out of memory. */
struct bc_kernel_tally *bc_kernel_tally_create(size_t lines, unsigned workers, const struct bc_arch *arch);
void bc_kernel_tally_destroy(struct bc_kernel_tally *t); /* NULL is allowed */

/* The hooks of a launch; valid as long as the tally. */
const struct bc_ptx_hooks *bc_kernel_tally_hooks(struct bc_kernel_tally *t);

/**
 * bc_kernel_tally_take - the counts of all workers together, by line of PTX, then kind, space, operation
 * @out: malloc'ed
 *
 * Return: BC_ENOMEM, also when a worker had no memory for a line; BC_EDATA for a request that a law refuses.
 */
enum bc_status bc_kernel_tally_take(struct bc_kernel_tally *t, struct bc_kernel_count **out, size_t *n,
				    struct bc_error *err);

/* Add @more to @sum, which has the same operation. */
void bc_kernel_count_add(struct bc_kernel_count *sum, const struct bc_kernel_count *more);

#endif
