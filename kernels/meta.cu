// SPDX-License-Identifier: MIT
// kernels/meta.cu - kernels that behave and kernels that do not, to test the harness itself. One warp.
//
// bc_meta_swap: one shared store, one shared load; with `flip` lane 5's result is wrong.
// bc_meta_illegal: reads far outside of any allocation. bc_meta_trap: executes a trap.
// bc_meta_spin: spins for `cycles`, then does what bc_meta_swap does: no device is left stuck.
#include "bc_kernel.h"

#define FAR (1ull << 42) // words beyond the input

extern __shared__ bc_u32 words[];

static __device__ __forceinline__ void swap(const struct bc_meta_params &p)
{
	volatile bc_u32 *w = words;
	const bc_u32 lane = threadIdx.x;

	w[lane] = p.in[lane];
	__syncwarp();
	p.out[lane] = w[lane ^ 1] ^ (lane == 5 ? p.flip : 0);
}

extern "C" __global__ void bc_meta_swap(const struct bc_meta_params p)
{
	swap(p);
}

extern "C" __global__ void bc_meta_illegal(const struct bc_meta_params p)
{
	const volatile bc_u32 *far = p.in + FAR;

	p.out[threadIdx.x] = far[threadIdx.x];
}

extern "C" __global__ void bc_meta_trap(const struct bc_meta_params p)
{
	if (p.cycles)
		asm volatile("trap;");
	swap(p);
}

extern "C" __global__ void bc_meta_spin(const struct bc_meta_params p)
{
	const long long start = clock64();

	while ((bc_u64)(clock64() - start) < p.cycles)
		;
	swap(p);
}
