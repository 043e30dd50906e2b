// SPDX-License-Identifier: MIT
// kernels/shuffle.cu - exchanges between the lanes of a warp, with and without shared memory. One block of whole warps.
//
// bc_shuffle_lanes: `steps` exchanges by __shfl_*_sync; no access of shared memory at all.
// bc_shuffle_shared: the same exchanges through shared memory: one store and one load per warp and step.
// Both add what was received to what was there, so that a wrong exchange spoils all later ones.
#include "bc_kernel.h"

#define ALL 0xffffffffu

extern __shared__ bc_u32 words[];

static __device__ __forceinline__ bc_u32 by_lanes(const struct bc_shuffle_params &p, bc_u32 value)
{
	switch (p.kind) {
	case BC_SHUFFLE_XOR: return __shfl_xor_sync(ALL, value, p.by, p.width);
	case BC_SHUFFLE_UP: return __shfl_up_sync(ALL, value, p.by, p.width);
	case BC_SHUFFLE_DOWN: return __shfl_down_sync(ALL, value, p.by, p.width);
	case BC_SHUFFLE_INDEX: return __shfl_sync(ALL, value, p.by, p.width);
	default: return __shfl_sync(ALL, value, threadIdx.x + p.by, p.width);
	}
}

extern "C" __global__ void bc_shuffle_lanes(const struct bc_shuffle_params p)
{
	bc_u32 value = p.in[threadIdx.x];

#pragma unroll 1
	for (bc_u32 k = 0; k < p.steps; k++)
		value = 3 * value + by_lanes(p, value);
	p.out[threadIdx.x] = value;
}

extern "C" __global__ void bc_shuffle_shared(const struct bc_shuffle_params p)
{
	const bc_u32 lane = threadIdx.x % 32, warp = threadIdx.x - lane;
	const bc_u32 from = warp + bc_shuffle_source(p.kind, lane, p.by, p.width);
	bc_u32 value = p.in[threadIdx.x];

#pragma unroll 1
	for (bc_u32 k = 0; k < p.steps; k++) {
		words[threadIdx.x] = value;
		__syncwarp();
		value = 3 * value + words[from];
		__syncwarp();
	}
	p.out[threadIdx.x] = value;
}
