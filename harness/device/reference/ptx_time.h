/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_time.h - cycles of the instructions that a warp runs, when the launch has a timing.
 *
 * One instruction is issued per cycle and warp. It starts when its operands are there; shared accesses also wait for
 * the warp's path to shared memory and for that of the SM. Nothing else is in the way: what does not depend on
 * another instruction's result overlaps with it, as ptxas orders code. A read of the clock waits for all before it.
 */
#ifndef BC_DEVICE_REFERENCE_PTX_TIME_H
#define BC_DEVICE_REFERENCE_PTX_TIME_H

#include "harness/device/reference/ptx_exec.h"

/* Before an instruction is executed: what it will be served is not known yet. */
void bc_ptx_time_begin(struct bc_ptx_run *x);

/* After it: its start and end, from its operands and from what the counters of memory accesses noted in x->served. */
void bc_ptx_time_end(struct bc_ptx_run *x, struct bc_ptx_warp *w, const struct bc_ptx_insn *in);

/* A read of the clock: all before it is done. Return: the cycle, with the timing's noise. */
uint64_t bc_ptx_time_read(struct bc_ptx_run *x, struct bc_ptx_warp *w);

/* All that the warp issued is done: the cycle then. */
uint64_t bc_ptx_time_drain(struct bc_ptx_warp *w);

#endif
