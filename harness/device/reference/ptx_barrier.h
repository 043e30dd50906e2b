/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_barrier.h - the sixteen barriers of a block. */
#ifndef BC_DEVICE_REFERENCE_PTX_BARRIER_H
#define BC_DEVICE_REFERENCE_PTX_BARRIER_H

#include "harness/device/reference/ptx_exec.h"

/* All live lanes of @w are at the barrier instruction @in. */
void bc_ptx_barrier_arrive(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in);
/* A warp of the block is done: barriers that wait for all of the block no longer wait for it. */
void bc_ptx_barrier_exit(struct bc_ptx_run *x, struct bc_ptx_block *b);
/* No warp of the block can run, and some are not done: fail at the barrier that one waits at. */
void bc_ptx_barrier_deadlock(struct bc_ptx_run *x, const struct bc_ptx_block *b);
/* After a barrier: the lanes of @w that waited go on. */
void bc_ptx_barrier_resume(struct bc_ptx_warp *w);

#endif
