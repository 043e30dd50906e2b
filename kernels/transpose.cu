// SPDX-License-Identifier: MIT
// kernels/transpose.cu - matrix transposition through a 32 x 32 tile of shared memory, out[x][y] = in[y][x].
//
// bc_transpose_<type>_<block>_<layout>: blocks of 32 x 8 or 32 x 32 threads, a block a tile, grid (ceil(width / 32),
// ceil(height / 32)). A whole tile takes 32 requests of each class: global loads (rows), shared stores (rows of the
// tile), shared loads (columns of the tile), global stores (rows of the result).
// bc_transpose_<type>_naive: 32 x 8 threads and no shared memory: rows are loaded, columns stored.
// (Not static: the name of an internal symbol would depend on the folder the file is compiled in.)
#include "bc_kernel.h"

#define TILE 32

template <typename T, unsigned ROWS, unsigned KIND>
__device__ __forceinline__ void transpose(const struct bc_transpose_params &p)
{
	constexpr unsigned pad = KIND == BC_LAYOUT_PADDED ? 1 : 0;
	const struct bc_layout layout = { KIND, TILE, KIND == BC_LAYOUT_XOR ? TILE - 1 : pad };
	__shared__ T tile[TILE * (TILE + pad)];
	const T *in = (const T *)p.in;
	T *out = (T *)p.out;
	unsigned x = blockIdx.x * TILE + threadIdx.x;
	unsigned y = blockIdx.y * TILE + threadIdx.y;

	for (unsigned j = 0; j < TILE; j += ROWS)
		if (x < p.width && y + j < p.height)
			tile[bc_layout_index(threadIdx.y + j, threadIdx.x, layout)] = in[(size_t)(y + j) * p.width + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (unsigned j = 0; j < TILE; j += ROWS)
		if (x < p.height && y + j < p.width)
			out[(size_t)(y + j) * p.height + x] =
				tile[bc_layout_index(threadIdx.x, threadIdx.y + j, layout)];
}

template <typename T> __device__ __forceinline__ void naive(const struct bc_transpose_params &p)
{
	const T *in = (const T *)p.in;
	T *out = (T *)p.out;
	const unsigned x = blockIdx.x * TILE + threadIdx.x;
	const unsigned y = blockIdx.y * TILE + threadIdx.y;

	for (unsigned j = 0; j < TILE; j += blockDim.y)
		if (x < p.width && y + j < p.height)
			out[(size_t)x * p.height + y + j] = in[(size_t)(y + j) * p.width + x];
}

#define BC_TRANSPOSE(name, type, rows, kind)                                               \
	extern "C" __global__ void bc_transpose_##name(const struct bc_transpose_params p) \
	{                                                                                  \
		transpose<type, rows, kind>(p);                                            \
	}

BC_TRANSPOSE(f32_32x8_plain, float, 8, BC_LAYOUT_PLAIN)
BC_TRANSPOSE(f32_32x8_padded, float, 8, BC_LAYOUT_PADDED)
BC_TRANSPOSE(f32_32x8_xor, float, 8, BC_LAYOUT_XOR)
BC_TRANSPOSE(f32_32x32_plain, float, 32, BC_LAYOUT_PLAIN)
BC_TRANSPOSE(f32_32x32_padded, float, 32, BC_LAYOUT_PADDED)
BC_TRANSPOSE(f32_32x32_xor, float, 32, BC_LAYOUT_XOR)
BC_TRANSPOSE(f64_32x8_plain, double, 8, BC_LAYOUT_PLAIN)
BC_TRANSPOSE(f64_32x8_padded, double, 8, BC_LAYOUT_PADDED)
BC_TRANSPOSE(f64_32x8_xor, double, 8, BC_LAYOUT_XOR)
BC_TRANSPOSE(f64_32x32_plain, double, 32, BC_LAYOUT_PLAIN)
BC_TRANSPOSE(f64_32x32_padded, double, 32, BC_LAYOUT_PADDED)
BC_TRANSPOSE(f64_32x32_xor, double, 32, BC_LAYOUT_XOR)

extern "C" __global__ void bc_transpose_f32_naive(const struct bc_transpose_params p)
{
	naive<float>(p);
}

extern "C" __global__ void bc_transpose_f64_naive(const struct bc_transpose_params p)
{
	naive<double>(p);
}
