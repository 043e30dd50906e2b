// SPDX-License-Identifier: MIT
// kernels/swizzle.cu - whole tiles through shared memory at the places that bc_layout_index gives.
//
// bc_swizzle_b<bits>: one block of any size. The tile is stored by rows, each element at its index, and comes back
// twice: column by column through the index, and in the order of shared memory through bc_layout_row and
// bc_layout_col. Dynamic shared memory is the tile's own size and no more, and all of it is read. Class st: one store
// for each 32 elements, where every warp has as many. bc_swizzle_layouts: the same for the layouts plain, padded and
// xor one after another, in the same shared memory.
#include "bc_kernel.h"

extern __shared__ uint4 bc_tile[];

template <typename T> static __device__ __forceinline__ void bijective(const struct bc_swizzle_params &p)
{
	const bc_u32 n = p.layout.width;
	const T *in = (const T *)p.in;
	T *columns = (T *)p.columns, *raw = (T *)p.raw;
	T *tile = (T *)bc_tile;

	for (bc_u32 e = threadIdx.x; e < n * n; e += blockDim.x)
		tile[bc_layout_index(e / n, e % n, p.layout)] = in[e];
	__syncthreads();
	for (bc_u32 e = threadIdx.x; e < n * n; e += blockDim.x)
		columns[e] = tile[bc_layout_index(e % n, e / n, p.layout)];
	for (bc_u32 e = threadIdx.x; e < n * n; e += blockDim.x)
		raw[bc_layout_row(e, p.layout) * n + bc_layout_col(e, p.layout)] = tile[e];
}

#define BC_SWIZZLE(bits, type)                                                          \
	extern "C" __global__ void bc_swizzle_b##bits(const struct bc_swizzle_params p) \
	{                                                                               \
		bijective<type>(p);                                                     \
	}

BC_SWIZZLE(16, unsigned short)
BC_SWIZZLE(32, bc_u32)
BC_SWIZZLE(64, bc_u64)
BC_SWIZZLE(128, uint4)

static __device__ __forceinline__ void through(const bc_u32 *in, bc_u32 *out, struct bc_layout layout)
{
	const bc_u32 n = layout.width;
	bc_u32 *tile = (bc_u32 *)bc_tile;

	for (bc_u32 e = threadIdx.x; e < n * n; e += blockDim.x)
		tile[bc_layout_index(e / n, e % n, layout)] = in[e];
	__syncthreads();
	for (bc_u32 e = threadIdx.x; e < n * n; e += blockDim.x)
		out[e] = tile[bc_layout_index(e % n, e / n, layout)];
	__syncthreads();
}

extern "C" __global__ void bc_swizzle_layouts(const struct bc_layouts_params p)
{
	const struct bc_layout plain = { BC_LAYOUT_PLAIN, p.width, 0 };
	const struct bc_layout padded = { BC_LAYOUT_PADDED, p.width, 1 };
	const struct bc_layout xored = { BC_LAYOUT_XOR, p.width, p.width - 1 };

	through(p.in, p.out[BC_LAYOUT_PLAIN], plain);
	through(p.in, p.out[BC_LAYOUT_PADDED], padded);
	through(p.in, p.out[BC_LAYOUT_XOR], xored);
}
