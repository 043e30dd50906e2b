// SPDX-License-Identifier: MIT
// kernels/matmul.cu - the tiled matrix product of the CUDA C++ Programming Guide, c = a b, and the naive one.
//
// Blocks of 16 x 16 threads, one element of c a thread, grid (ceil(n / 16), ceil(m / 16)), 8 warps a block. For each of
// ceil(k / 16) steps a warp executes
//   bc_matmul_<layout>: 2 global loads, 2 shared stores, 32 shared loads (the loop over the tile is not unrolled, so
//   that no two of them are merged into one wider load). Edges are filled with zeros, so that stores and loads of
//   shared memory are the same for every size;
//   bc_matmul_naive: 32 global loads (2 for each of k, when k is a multiple of 16), no shared memory.
// bc_matmul_layouts: the three tiled products one after another in one launch, to c[0], c[1] and c[2].
// (Not static: the name of an internal symbol would depend on the folder the file is compiled in.)
#include "bc_kernel.h"

#define TILE 16

template <unsigned KIND> __device__ __forceinline__ void tiled(const struct bc_matmul_params &p, float *c)
{
	constexpr unsigned pad = KIND == BC_LAYOUT_PADDED ? 1 : 0;
	const struct bc_layout layout = { KIND, TILE, KIND == BC_LAYOUT_XOR ? TILE - 1 : pad };
	__shared__ float as[TILE * (TILE + pad)];
	__shared__ float bs[TILE * (TILE + pad)];
	const unsigned tx = threadIdx.x, ty = threadIdx.y;
	const unsigned row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
	float sum = 0;

	for (unsigned first = 0; first < p.k; first += TILE) {
		as[bc_layout_index(ty, tx, layout)] = row < p.m && first + tx < p.k ? p.a[row * p.k + first + tx] : 0;
		bs[bc_layout_index(ty, tx, layout)] = first + ty < p.k && col < p.n ? p.b[(first + ty) * p.n + col] : 0;
		__syncthreads();
#pragma unroll 1
		for (unsigned i = 0; i < TILE; i++)
			sum += as[bc_layout_index(ty, i, layout)] * bs[bc_layout_index(i, tx, layout)];
		__syncthreads();
	}
	if (row < p.m && col < p.n)
		c[row * p.n + col] = sum;
}

extern "C" __global__ void bc_matmul_plain(const struct bc_matmul_params p)
{
	tiled<BC_LAYOUT_PLAIN>(p, p.c[0]);
}

extern "C" __global__ void bc_matmul_padded(const struct bc_matmul_params p)
{
	tiled<BC_LAYOUT_PADDED>(p, p.c[0]);
}

extern "C" __global__ void bc_matmul_xor(const struct bc_matmul_params p)
{
	tiled<BC_LAYOUT_XOR>(p, p.c[0]);
}

extern "C" __global__ void bc_matmul_layouts(const struct bc_matmul_params p)
{
	tiled<BC_LAYOUT_PLAIN>(p, p.c[BC_LAYOUT_PLAIN]);
	tiled<BC_LAYOUT_PADDED>(p, p.c[BC_LAYOUT_PADDED]);
	tiled<BC_LAYOUT_XOR>(p, p.c[BC_LAYOUT_XOR]);
}

extern "C" __global__ void bc_matmul_naive(const struct bc_matmul_params p)
{
	const unsigned row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;

	if (row >= p.m || col >= p.n)
		return;
	for (unsigned i = 0; i < p.k; i++)
		sum += p.a[row * p.k + i] * p.b[i * p.n + col];
	p.c[0][row * p.n + col] = sum;
}
