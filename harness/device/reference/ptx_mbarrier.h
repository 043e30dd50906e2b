/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_mbarrier.h - mbarrier objects of a block's shared memory.
 *
 * An object is 8 bytes of shared memory, aligned to 8: pending and expected arrivals (20 bits each), pending bytes of
 * asynchronous copies (21 bits, signed), phase (3 bits, modulo 8). What a program may know of it is what the PTX ISA
 * says; the layout is ours. A table remembers what each valid object holds, so that one that was never initialised,
 * was overwritten, or is used after mbarrier.inval is told.
 */
#ifndef BC_DEVICE_REFERENCE_PTX_MBARRIER_H
#define BC_DEVICE_REFERENCE_PTX_MBARRIER_H

#include "harness/device/reference/ptx_exec.h"

#define BC_PTX_MBARRIER_COUNT_MAX ((1u << 20) - 1) /* of arrivals, and of bytes either way: PTX ISA */

/**
 * bc_ptx_mbarrier_complete_tx - @bytes of an asynchronous copy have arrived: complete-tx on the object at @addr
 * @s:    the shared memory that it is in
 * @addr: absolute shared address of that block
 * @lane: the copy's, for messages
 *
 * The phase completes when nothing is pending then. What is wrong (no object there, too many bytes) is a failure of
 * the launch at @in.
 */
void bc_ptx_mbarrier_complete_tx(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in,
				 struct bc_ptx_shared *s, uint32_t lane, uint64_t addr, uint32_t bytes);

/* Why a warp that asks again and again gets no answer: "; warp 3 waits for the mbarrier at 0x400, of which 1 of 2
 * arrivals and 0 bytes are pending"; "" when none does. */
void bc_ptx_mbarrier_stuck(const struct bc_ptx_block *b, char *buf, size_t size);

void bc_ptx_mbarriers_reset(struct bc_ptx_shared *s);	/* a new block: there is none */
void bc_ptx_mbarriers_release(struct bc_ptx_shared *s); /* free the table */

#endif
