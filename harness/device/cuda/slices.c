/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/slices.h"

#include <string.h>

#include "kernels/bc_kernel.h"

#define COMPARE_THREADS 256u

size_t bc_cuda_align_up(size_t n)
{
	return (n + BC_CUDA_ALIGN - 1) / BC_CUDA_ALIGN * BC_CUDA_ALIGN;
}

static size_t blocks_of(const struct bc_launch *l)
{
	return (size_t)l->grid[0] * l->grid[1] * l->grid[2];
}

size_t bc_cuda_travelling(const struct bc_launch *l, const struct bc_buffer *b)
{
	if (!b->differ)
		return bc_cuda_align_up(bc_buffer_bytes(l, b));
	return bc_cuda_align_up(b->bytes) + bc_cuda_align_up(blocks_of(l) * sizeof(uint32_t));
}

size_t bc_cuda_staying(const struct bc_launch *l, const struct bc_buffer *b)
{
	return b->differ ? bc_cuda_align_up(bc_buffer_bytes(l, b)) : 0;
}

void bc_cuda_fill(const struct bc_launch *l, const struct bc_buffer *b, unsigned char *staging)
{
	if (b->differ)
		memset(staging, 0, bc_cuda_travelling(l, b));
	else if (b->init)
		memcpy(staging, b->init, b->bytes);
	else
		memset(staging, b->poison, bc_buffer_bytes(l, b));
}

enum bc_status bc_cuda_compare(const struct bc_cuda_api *cu, CUfunction compare, const struct bc_launch *l,
			       const struct bc_buffer *b, CUdeviceptr travels, CUdeviceptr stays, struct bc_error *err)
{
	struct bc_compare_params p = { .slices = stays,
				       .first = travels,
				       .differ = travels + bc_cuda_align_up(b->bytes),
				       .words = (bc_u32)(b->bytes / 4) };
	void *whole[] = { &p };

	return bc_cuda_check(
		cu->cuLaunchKernel(compare, (unsigned)blocks_of(l), 1, 1, COMPARE_THREADS, 1, 1, 0, NULL, whole, NULL),
		"cuLaunchKernel (bc_sms_compare)", l->label, err);
}

enum bc_status bc_cuda_fetch(const struct bc_cuda_api *cu, const struct bc_launch *l, const struct bc_buffer *b,
			     const unsigned char *staging, CUdeviceptr stays, struct bc_error *err)
{
	const size_t blocks = blocks_of(l);
	unsigned char *out = b->out;
	enum bc_status st = BC_OK;

	if (!out)
		return BC_OK;
	if (!b->differ) {
		memcpy(out, staging, bc_buffer_bytes(l, b));
		return BC_OK;
	}
	memcpy(out, staging, b->bytes);
	memcpy(b->differ, staging + bc_cuda_align_up(b->bytes), blocks * sizeof(uint32_t));
	for (size_t i = 1; !st && i < blocks; i++)
		if (b->differ[i])
			st = bc_cuda_check(cu->cuMemcpyDtoH(out + i * b->bytes, stays + i * b->bytes, b->bytes),
					   "cuMemcpyDtoH", l->label, err);
	return st;
}
