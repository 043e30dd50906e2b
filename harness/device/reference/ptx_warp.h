/* SPDX-License-Identifier: MIT */
/* harness/device/reference/ptx_warp.h - one warp's turn. */
#ifndef BC_DEVICE_REFERENCE_PTX_WARP_H
#define BC_DEVICE_REFERENCE_PTX_WARP_H

#include "harness/device/reference/ptx_exec.h"

void bc_ptx_warp_start(struct bc_ptx_run *x, struct bc_ptx_warp *w);
/* Run until the warp waits, ends, fails, or its turn is over. Return: true when it made progress. */
bool bc_ptx_warp_run(struct bc_ptx_run *x, struct bc_ptx_warp *w);

#endif
