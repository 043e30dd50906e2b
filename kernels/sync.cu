// SPDX-License-Identifier: MIT
// kernels/sync.cu - barriers of a block and of a warp, as people use them. One block each.
//
// bc_sync_reverse: one shared store and one shared load a warp. bc_sync_missing is the same without its barrier: a bug
// that the race check of the reference device must find; no case runs it.
// bc_sync_pipe: half of the warps produce, the others consume, through a buffer and two named barriers.
// bc_sync_warp: five exchanges inside each warp, ordered by __syncwarp alone.
// bc_sync_vote: __syncthreads_count, _and, _or of a predicate.
// bc_sync_cost: steps that exchange inside a warp, with a barrier of the block or of the warp in each, timed.
#include "bc_kernel.h"

extern __shared__ bc_u32 words[];

extern "C" __global__ void bc_sync_reverse(const struct bc_sync_params p)
{
	const bc_u32 t = threadIdx.x;

	words[t] = p.in[t];
	__syncthreads();
	p.out[t] = words[blockDim.x - 1 - t];
}

extern "C" __global__ void bc_sync_missing(const struct bc_sync_params p)
{
	const bc_u32 t = threadIdx.x;

	words[t] = p.in[t];
	p.out[t] = words[blockDim.x - 1 - t];
}

// Named barriers of @threads threads: arrive does not wait, sync does.
static __device__ __forceinline__ void arrive(bc_u32 barrier, bc_u32 threads)
{
	asm volatile("bar.arrive %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

static __device__ __forceinline__ void sync(bc_u32 barrier, bc_u32 threads)
{
	asm volatile("bar.sync %0, %1;" : : "r"(barrier), "r"(threads) : "memory");
}

// The buffer has two halves. Barriers 1 and 2: a half is full; 3 and 4: it is empty again.
extern "C" __global__ void bc_sync_pipe(const struct bc_sync_params p)
{
	const bc_u32 half = blockDim.x / 2, t = threadIdx.x % half;
	const bool producer = threadIdx.x < half;

#pragma unroll 1
	for (bc_u32 k = 0; k < p.steps; k++) {
		const bc_u32 side = k % 2;

		if (producer) {
			if (k >= 2)
				sync(3 + side, blockDim.x);
			words[side * half + t] = p.in[k * half + t];
			arrive(1 + side, blockDim.x);
		} else {
			sync(1 + side, blockDim.x);
			p.out[k * half + t] = words[side * half + half - 1 - t];
			if (k + 2 < p.steps)
				arrive(3 + side, blockDim.x);
		}
	}
}

extern "C" __global__ void bc_sync_warp(const struct bc_sync_params p)
{
	const bc_u32 t = threadIdx.x;
	bc_u32 sum = p.in[t];

#pragma unroll 1
	for (bc_u32 x = 16; x > 0; x /= 2) {
		words[t] = sum;
		__syncwarp();
		sum += words[t ^ x];
		__syncwarp();
	}
	p.out[t] = sum;
}

// @in: the predicate of each thread and step.
extern "C" __global__ void bc_sync_vote(const struct bc_sync_params p)
{
#pragma unroll 1
	for (bc_u32 k = 0; k < p.steps; k++) {
		const int predicate = p.in[k * blockDim.x + threadIdx.x] != 0;
		const bc_u32 count = __syncthreads_count(predicate);
		const bc_u32 all = __syncthreads_and(predicate);
		const bc_u32 any = __syncthreads_or(predicate);

		p.out[k * blockDim.x + threadIdx.x] = count | (all != 0) << 16 | (any != 0) << 17;
	}
}

static __device__ __forceinline__ bc_u32 now(void)
{
	bc_u32 t;

	asm volatile("mov.u32 %0, %%clock;" : "=r"(t) : : "memory");
	return t;
}

template <bool whole_block> static __device__ __forceinline__ bc_u32 exchange(bc_u32 value, bc_u32 steps)
{
#pragma unroll 1
	for (bc_u32 k = 0; k < steps; k++) {
		words[threadIdx.x] = value;
		if (whole_block)
			__syncthreads();
		else
			__syncwarp();
		value += words[threadIdx.x ^ 1];
		if (whole_block)
			__syncthreads();
		else
			__syncwarp();
	}
	return value;
}

// Each way once untimed, then timed; the block starts and ends together.
extern "C" __global__ void bc_sync_cost(const struct bc_sync_params p)
{
	bc_u32 block = 0, warp = 0, cycles[2] = { 0, 0 };

#pragma unroll 1
	for (bc_u32 run = 0; run < 2; run++) {
		__syncthreads();
		bc_u32 before = now();
		block = exchange<true>(p.in[threadIdx.x], p.steps);
		__syncthreads();
		cycles[0] = now() - before;
		__syncthreads();
		before = now();
		warp = exchange<false>(p.in[threadIdx.x], p.steps);
		__syncthreads();
		cycles[1] = now() - before;
	}
	p.out[threadIdx.x] = block;
	p.out[blockDim.x + threadIdx.x] = warp;
	if (threadIdx.x == 0) {
		p.cycles[0] = cycles[0];
		p.cycles[1] = cycles[1];
	}
}
