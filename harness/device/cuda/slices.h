/* SPDX-License-Identifier: MIT */
/* harness/device/cuda/slices.h - buffers that each block of a launch has of its own, compared where they are.
 *
 * A buffer with `differ` is [blocks][bytes] in memory of the GPU alone; what travels is block 0's part, the number of
 * words of each block that differ from it, and the parts that do.
 */
#ifndef BC_DEVICE_CUDA_SLICES_H
#define BC_DEVICE_CUDA_SLICES_H

#include "harness/device/cuda/api.h"
#include "harness/device/device.h"

#define BC_CUDA_ALIGN 256u

size_t bc_cuda_align_up(size_t n);

/* Bytes of a buffer in the memory that travels, and in that which stays on the GPU; multiples of BC_CUDA_ALIGN. */
size_t bc_cuda_travelling(const struct bc_launch *l, const struct bc_buffer *b);
size_t bc_cuda_staying(const struct bc_launch *l, const struct bc_buffer *b);

/* Before the launch: what travels of a buffer is written to @staging: its contents, or poison and zeroes. */
void bc_cuda_fill(const struct bc_launch *l, const struct bc_buffer *b, unsigned char *staging);

/**
 * bc_cuda_compare - launch the comparison of a buffer with `differ`
 * @compare: bc_sms_compare
 * @travels, @stays: where the buffer's parts are on the GPU
 */
enum bc_status bc_cuda_compare(const struct bc_cuda_api *cu, CUfunction compare, const struct bc_launch *l,
			       const struct bc_buffer *b, CUdeviceptr travels, CUdeviceptr stays, struct bc_error *err);

/* After all launches: from @staging to the buffer's out and differ, and what differs from the GPU. */
enum bc_status bc_cuda_fetch(const struct bc_cuda_api *cu, const struct bc_launch *l, const struct bc_buffer *b,
			     const unsigned char *staging, CUdeviceptr stays, struct bc_error *err);

#endif
