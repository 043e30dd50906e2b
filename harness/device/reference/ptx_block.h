/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_block.h - blocks, from their start to their end. */
#ifndef BC_DEVICE_REFERENCE_PTX_BLOCK_H
#define BC_DEVICE_REFERENCE_PTX_BLOCK_H

#include "harness/device/reference/ptx_exec.h"

/* Run @nblocks (1, 2 that share memory, or all of a cooperative launch) blocks of the grid from number @first on. */
void bc_ptx_block_run(struct bc_ptx_run *x, uint64_t first, unsigned nblocks);

#endif
