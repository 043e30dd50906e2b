// SPDX-License-Identifier: MIT
// kernels/reduction.cu - sums of a block by a tree in shared memory, and a histogram with the bins of a block in shared
// memory. One block each.
//
// bc_reduce_<kind>: the whole tree. Shared stores: one per warp to fill, one per active warp and step. Shared loads:
// two per active warp and step, one for the result. bc_reduce_<kind>_step: one step alone, whose results go out from
// registers: the loads are the step's and nothing else. bc_reduce_histogram: one atomic per warp and item of its
// threads (class atom); bins are zeroed with stores and read with loads.
#include "bc_kernel.h"

extern __shared__ bc_u32 partial[];

// Warps without a pair take no part in a step: a loop, so that they branch around it.
#define FOR_PAIRS(i, n) _Pragma("unroll 1") for (bc_u32 i = threadIdx.x; i < (n); i += blockDim.x)

static __device__ __forceinline__ bc_u32 add_strided(bc_u32 i, bc_u32 s)
{
	const bc_u32 index = 2 * s * i;

	return partial[index] += partial[index + s];
}

static __device__ __forceinline__ bc_u32 add_sequential(bc_u32 i, bc_u32 s)
{
	return partial[i] += partial[i + s];
}

static __device__ __forceinline__ void fill(const struct bc_reduce_params &p)
{
	partial[threadIdx.x] = p.in[threadIdx.x];
	__syncthreads();
}

static __device__ __forceinline__ void give(const struct bc_reduce_params &p)
{
	if (threadIdx.x == 0)
		p.out[0] = partial[0];
}

extern "C" __global__ void bc_reduce_strided(const struct bc_reduce_params p)
{
	fill(p);
	for (bc_u32 s = 1; s < blockDim.x; s *= 2) {
		FOR_PAIRS(i, blockDim.x / (2 * s))
		add_strided(i, s);
		__syncthreads();
	}
	give(p);
}

extern "C" __global__ void bc_reduce_strided_step(const struct bc_reduce_params p)
{
	fill(p);
	FOR_PAIRS(i, blockDim.x / (2 * p.step))
	p.out[i] = add_strided(i, p.step);
}

extern "C" __global__ void bc_reduce_modulo(const struct bc_reduce_params p)
{
	const bc_u32 tid = threadIdx.x;

	fill(p);
	for (bc_u32 s = 1; s < blockDim.x; s *= 2) {
		if (tid % (2 * s) == 0)
			partial[tid] += partial[tid + s];
		__syncthreads();
	}
	give(p);
}

extern "C" __global__ void bc_reduce_modulo_step(const struct bc_reduce_params p)
{
	const bc_u32 tid = threadIdx.x;

	fill(p);
	if (tid % (2 * p.step) == 0)
		p.out[tid / (2 * p.step)] = partial[tid] += partial[tid + p.step];
}

extern "C" __global__ void bc_reduce_sequential(const struct bc_reduce_params p)
{
	fill(p);
	for (bc_u32 s = blockDim.x / 2; s > 0; s /= 2) {
		FOR_PAIRS(i, s)
		add_sequential(i, s);
		__syncthreads();
	}
	give(p);
}

extern "C" __global__ void bc_reduce_sequential_step(const struct bc_reduce_params p)
{
	fill(p);
	FOR_PAIRS(i, p.step)
	p.out[i] = add_sequential(i, p.step);
}

// @step: bins; `in` names the bin of each item.
extern "C" __global__ void bc_reduce_histogram(const struct bc_reduce_params p)
{
	for (bc_u32 bin = threadIdx.x; bin < p.step; bin += blockDim.x)
		partial[bin] = 0;
	__syncthreads();
#pragma unroll 1
	for (bc_u32 i = threadIdx.x; i < p.items; i += blockDim.x)
		atomicAdd(&partial[p.in[i]], 1u);
	__syncthreads();
	for (bc_u32 bin = threadIdx.x; bin < p.step; bin += blockDim.x)
		p.out[bin] = partial[bin];
}
