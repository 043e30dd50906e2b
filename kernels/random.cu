// SPDX-License-Identifier: MIT
// kernels/random.cu - loads of random words of shared memory.
//
// bc_random_ld32: one block. Copies BC_RANDOM_WORDS words to shared memory; then each warp loads reps times 32 words
// that a generator of each lane names. One LDS a warp and repetition; class ld is used by nothing else.
#include "bc_kernel.h"

extern __shared__ bc_u32 words[];

extern "C" __global__ void bc_random_ld32(const struct bc_random_params p)
{
	const volatile bc_u32 *shared = words;
	const bc_u32 tid = threadIdx.x, own = (tid & 31u) & p.own;
	bc_u32 x = bc_mix32(tid ^ p.seed), sum = 0;

	for (bc_u32 i = tid; i < BC_RANDOM_WORDS; i += blockDim.x)
		words[i] = p.in[i];
	__syncthreads();
#pragma unroll 4
	for (bc_u32 rep = 0; rep < p.reps; rep++) {
		x = x * BC_RANDOM_FACTOR + BC_RANDOM_TERM;
		sum = sum * 3 + shared[(x >> BC_RANDOM_SHIFT & p.keep) | own];
	}
	__syncthreads(); // no warp writes to global memory while another one loads
	p.out[tid] = sum;
}
