// SPDX-License-Identifier: MIT
// kernels/pattern.cuh - what the pattern kernels have in common on the device side.
#ifndef BC_KERNELS_PATTERN_CUH
#define BC_KERNELS_PATTERN_CUH

#include "bc_kernel.h"

extern __shared__ bc_u32 bc_shared[];

// Absolute shared address of the first byte of dynamic shared memory.
__device__ __forceinline__ bc_u32 bc_window(void)
{
	return (bc_u32)__cvta_generic_to_shared(bc_shared);
}

__device__ __forceinline__ bc_u32 bc_clock(void)
{
	bc_u32 now;

	asm volatile("mov.u32 %0, %%clock;" : "=r"(now) : : "memory");
	return now;
}

// @x, of which the compiler knows nothing: keeps it from folding a sum of steps into one operand.
__device__ __forceinline__ bc_u32 bc_opaque(bc_u32 x)
{
	asm volatile("" : "+r"(x));
	return x;
}

// The blocks of a launch on every SM: each says where it is, and goes on when all have.
__device__ __forceinline__ void bc_meet(bc_u32 *sms)
{
	if (threadIdx.x == 0) {
		volatile bc_u32 *there = sms;
		bc_u32 sm;

		asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
		sms[1 + blockIdx.x] = sm;
		__threadfence();
		atomicAdd(sms, 1u);
#pragma unroll 1
		while (*there < gridDim.x)
			;
	}
	__syncthreads();
}

// The parameters as this block has them; on every SM the blocks start together. @words: of a lane's result.
template <bc_u32 words> __device__ __forceinline__ struct bc_pattern_params bc_enter(struct bc_pattern_params p)
{
	if (p.sms) {
		const size_t block = blockIdx.x;

		if (p.results)
			p.results += block * p.count * 32 * words;
		if (p.dump)
			p.dump += block * p.nlines * BC_LINE_WORDS;
		if (p.info)
			p.info += block * 2;
		if (p.samples)
			p.samples += block * p.nsamples * 8;
		bc_meet(p.sms);
	}
	return p;
}

// Go on once @value is there: the comparison cannot issue before its operand, the trap not before the comparison, and
// nothing that follows before the trap. No value equals the constant, but the compiler must not know: of a byte, which
// is below 256, ptxas of 12.9 and newer drops the comparison, and with it the wait.
__device__ __forceinline__ void bc_wait(bc_u32 value)
{
	asm volatile("{\n\t.reg .pred p;\n\tsetp.eq.u32 p, %0, 0xfeedbeef;\n\t@p trap;\n\t}" : : "r"(value) : "memory");
}

// The clock once @value is there.
__device__ __forceinline__ bc_u32 bc_clock_after(bc_u32 value)
{
	bc_wait(value);
	return bc_clock();
}

// The word at shared address @addr, loaded by one lane alone: 1 wavefront by any law of banks. The others get 0.
// Shared memory serves the requests of a warp in their order, so what the warp stored before is done when it is there.
__device__ __forceinline__ bc_u32 bc_load_alone(bool mine, bc_u32 addr)
{
	bc_u32 value = 0;

	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\t@p ld.volatile.shared.u32 %0, [%2];\n\t}"
		     : "+r"(value)
		     : "r"((bc_u32)mine), "r"(addr)
		     : "memory");
	return value;
}

__device__ __forceinline__ void bc_report_window(const struct bc_pattern_params &p, bc_u32 base)
{
	if (p.info && threadIdx.x == 0) {
		bc_u32 size;

		asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
		p.info[0] = base;
		p.info[1] = size;
	}
}

// Words that name their own offset, in the lines of the list.
__device__ __forceinline__ void bc_fill(const struct bc_pattern_params &p)
{
	const bc_u32 lane = threadIdx.x % BC_LINE_WORDS;

#pragma unroll 1
	for (bc_u32 i = threadIdx.x / BC_LINE_WORDS; i < p.nlines; i += blockDim.x / BC_LINE_WORDS) {
		const bc_u32 word = p.lines[i] * BC_LINE_WORDS + lane;

		bc_shared[word] = bc_fill_word(word * 4, p.seed);
	}
}

__device__ __forceinline__ void bc_fill_zero(const struct bc_pattern_params &p)
{
	const bc_u32 lane = threadIdx.x % BC_LINE_WORDS;

#pragma unroll 1
	for (bc_u32 i = threadIdx.x / BC_LINE_WORDS; i < p.nlines; i += blockDim.x / BC_LINE_WORDS)
		bc_shared[p.lines[i] * BC_LINE_WORDS + lane] = 0;
}

// The lines as they are now, to global memory.
__device__ __forceinline__ void bc_dump(const struct bc_pattern_params &p)
{
	const bc_u32 lane = threadIdx.x % BC_LINE_WORDS;

	if (p.dump)
#pragma unroll 1
		for (bc_u32 i = threadIdx.x / BC_LINE_WORDS; i < p.nlines; i += blockDim.x / BC_LINE_WORDS)
			p.dump[i * BC_LINE_WORDS + lane] = bc_shared[p.lines[i] * BC_LINE_WORDS + lane];
}

#endif
