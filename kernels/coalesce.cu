// SPDX-License-Identifier: MIT
// kernels/coalesce.cu - global loads and stores of 4, 8 and 16 bytes at a stride, by one warp.
//
// bc_coalesce_ld<bits>: `reps` global loads (one request each), then one global store of the sums.
// bc_coalesce_st<bits>: `reps` global stores, no global load. No shared memory. Each request touches its own elements,
// so that none can be merged with another.
#include "bc_kernel.h"

static __device__ __forceinline__ void add(bc_u32 *sum, bc_u32 value)
{
	*sum += value;
}

static __device__ __forceinline__ void add(uint2 *sum, uint2 value)
{
	sum->x += value.x;
	sum->y += value.y;
}

static __device__ __forceinline__ void add(uint4 *sum, uint4 value)
{
	sum->x += value.x;
	sum->y += value.y;
	sum->z += value.z;
	sum->w += value.w;
}

static __device__ __forceinline__ void name(bc_u32 *value, bc_u32 rep, bc_u32 lane)
{
	*value = bc_store_word(rep, lane, 0, 0);
}

static __device__ __forceinline__ void name(uint2 *value, bc_u32 rep, bc_u32 lane)
{
	value->x = bc_store_word(rep, lane, 0, 0);
	value->y = bc_store_word(rep, lane, 1, 0);
}

static __device__ __forceinline__ void name(uint4 *value, bc_u32 rep, bc_u32 lane)
{
	value->x = bc_store_word(rep, lane, 0, 0);
	value->y = bc_store_word(rep, lane, 1, 0);
	value->z = bc_store_word(rep, lane, 2, 0);
	value->w = bc_store_word(rep, lane, 3, 0);
}

template <typename element> static __device__ __forceinline__ void load(const struct bc_coalesce_params &p)
{
	const element *in = reinterpret_cast<const element *>(p.in);
	element *out = reinterpret_cast<element *>(p.out);
	const bc_u32 lane = threadIdx.x;
	element sum = {};

	if (lane >= p.lanes)
		return;
#pragma unroll 1
	for (bc_u32 rep = 0; rep < p.reps; rep++)
		add(&sum, in[p.first + lane * p.stride + rep * p.step]);
	out[lane] = sum;
}

template <typename element> static __device__ __forceinline__ void store(const struct bc_coalesce_params &p)
{
	element *in = reinterpret_cast<element *>(p.in);
	const bc_u32 lane = threadIdx.x;

	if (lane >= p.lanes)
		return;
#pragma unroll 1
	for (bc_u32 rep = 0; rep < p.reps; rep++) {
		element value;

		name(&value, rep, lane);
		in[p.first + lane * p.stride + rep * p.step] = value;
	}
}

#define BC_COALESCE(bits, element)                                                         \
	extern "C" __global__ void bc_coalesce_ld##bits(const struct bc_coalesce_params p) \
	{                                                                                  \
		load<element>(p);                                                          \
	}                                                                                  \
	extern "C" __global__ void bc_coalesce_st##bits(const struct bc_coalesce_params p) \
	{                                                                                  \
		store<element>(p);                                                         \
	}

BC_COALESCE(32, bc_u32)
BC_COALESCE(64, uint2)
BC_COALESCE(128, uint4)
