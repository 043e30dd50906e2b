// SPDX-License-Identifier: MIT
// kernels/sms.cu - what the blocks of a launch on every SM wrote, compared on the GPU.
//
// bc_sms_compare: one block a slice. Counts nothing of its own; reads and writes global memory only.
#include "bc_kernel.h"

extern "C" __global__ void bc_sms_compare(const struct bc_compare_params p)
{
	const bc_u32 *slice = p.slices + (size_t)blockIdx.x * p.words;
	bc_u32 differ = 0;

#pragma unroll 1
	for (bc_u32 i = threadIdx.x; i < p.words; i += blockDim.x) {
		const bc_u32 word = slice[i];

		if (blockIdx.x == 0)
			p.first[i] = word;
		differ += word != p.slices[i];
	}
	if (differ)
		atomicAdd(&p.differ[blockIdx.x], differ);
}
