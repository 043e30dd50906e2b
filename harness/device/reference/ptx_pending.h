/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_pending.h - bulk copies that were started and are not complete. Inside of the
 * interpreter.
 *
 * Each moves its bytes at the latest moment that the ISA allows: one that completes on an mbarrier when that is asked
 * whether its phase has ended, one of a bulk group when its thread waits for the group. What nobody waits for is never
 * moved, so that a missing wait is seen.
 */
#ifndef BC_DEVICE_REFERENCE_PTX_PENDING_H
#define BC_DEVICE_REFERENCE_PTX_PENDING_H

#include "harness/device/reference/ptx_exec.h"
#include "harness/device/reference/ptx_tensor_map.h"

struct bc_ptx_pending {
	void (*move)(struct bc_ptx_run *x, const struct bc_ptx_pending *p);
	struct bc_ptx_warp *w; /* whose lane @lane started it, at @in */
	const struct bc_ptx_insn *in;
	uint32_t lane;
	bool grouped; /* it is of bulk group @group of its thread; else of the mbarrier at shared address @barrier */
	uint32_t group;
	uint64_t barrier;
	uint64_t bytes;	   /* that are told to the mbarrier */
	uint64_t to, from; /* addresses of a copy without a tensor map */
	struct bc_ptx_tile tile;
};

/* A copy was started: it is noted. @p->group is filled in. */
void bc_ptx_pending_add(struct bc_ptx_run *x, struct bc_ptx_pending *p);

/* The mbarrier at @barrier, in the shared memory of @b, is asked: the copies that it waits for arrive, and @told is
 * called for each. */
typedef void bc_ptx_told_fn(struct bc_ptx_run *x, const struct bc_ptx_pending *p);
void bc_ptx_pending_arrive(struct bc_ptx_run *x, struct bc_ptx_block *b, uint64_t barrier, bc_ptx_told_fn *told);

#endif
