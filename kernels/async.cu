// SPDX-License-Identifier: MIT
// kernels/async.cu - cp.async as it is used: a pipeline of tiles, and a copy by many blocks.
//
// bc_async_pipe<n>: one block of 128 threads. Tiles of 2 KB come through n stages of shared memory: while one is read,
// n - 1 are on their way; the oldest group is waited for. A tile is read back to front, so by other threads than wrote
// it. bc_async_copy<bytes><cache>: blocks of 256 threads, each thread copies one element to shared memory and reads the
// one at the other end of the block. One LDGSTS a warp.
#include <cuda_pipeline.h>

#include "bc_kernel.h"

#define TILE (4 * BC_ASYNC_PIPE_THREADS)

template <int stages> __device__ __forceinline__ void pipe(const struct bc_async_params &p)
{
	__shared__ __align__(16) bc_u32 tile[stages][TILE];
	const bc_u32 tid = threadIdx.x;

	for (bc_u32 t = 0; t < p.tiles + stages - 1; t++) {
		if (t < p.tiles)
			__pipeline_memcpy_async(&tile[t % stages][4 * tid], &p.in[t * TILE + 4 * tid], 16);
		__pipeline_commit();
		if (t + 1 < stages)
			continue;
		__pipeline_wait_prior(stages - 1);
		__syncthreads();

		const bc_u32 done = t - (stages - 1);

		for (bc_u32 i = tid; i < TILE; i += BC_ASYNC_PIPE_THREADS)
			p.out[done * TILE + i] = tile[done % stages][TILE - 1 - i];
		__syncthreads();
	}
}

extern "C" __global__ void bc_async_pipe1(const struct bc_async_params p)
{
	pipe<1>(p);
}
extern "C" __global__ void bc_async_pipe2(const struct bc_async_params p)
{
	pipe<2>(p);
}
extern "C" __global__ void bc_async_pipe3(const struct bc_async_params p)
{
	pipe<3>(p);
}
extern "C" __global__ void bc_async_pipe4(const struct bc_async_params p)
{
	pipe<4>(p);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define BC_ASYNC_COPY(op, type, cache, bytes)                                               \
	extern "C" __global__ void bc_async_copy##op(const struct bc_async_params p)        \
	{                                                                                   \
		__shared__ __align__(16) type tile[BC_ASYNC_COPY_THREADS];                  \
		const bc_u32 tid = threadIdx.x, first = blockIdx.x * BC_ASYNC_COPY_THREADS; \
		const type *in = reinterpret_cast<const type *>(p.in);                      \
		type *out = reinterpret_cast<type *>(p.out);                                \
                                                                                            \
		asm volatile("cp.async." cache ".shared.global [%0], [%1], " bytes ";\n\t"  \
			     "cp.async.commit_group;\n\tcp.async.wait_group 0;"             \
			     :                                                              \
			     : "r"((bc_u32)__cvta_generic_to_shared(&tile[tid])),           \
			       "l"(__cvta_generic_to_global(&in[first + tid]))              \
			     : "memory");                                                   \
		__syncthreads();                                                            \
		out[first + tid] = tile[BC_ASYNC_COPY_THREADS - 1 - tid];                   \
	}
#else
#define BC_ASYNC_COPY(op, type, cache, bytes)                                      \
	extern "C" __global__ void bc_async_copy##op(const struct bc_async_params) \
	{                                                                          \
		__trap();                                                          \
	}
#endif

BC_ASYNC_COPY(4, uint1, "ca", "4")
BC_ASYNC_COPY(8, uint2, "ca", "8")
BC_ASYNC_COPY(16ca, uint4, "ca", "16")
BC_ASYNC_COPY(16cg, uint4, "cg", "16")
