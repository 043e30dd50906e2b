/* SPDX-License-Identifier: MIT */
/* harness/core/tensor_map.h - a tensor map: what cp.async.bulk.tensor is told of the tensor in global memory, of the
 * box that it copies, and of how the box lies in shared memory.
 *
 * Each device makes the 128 opaque bytes of it that a kernel takes (cuTensorMapEncodeTiled, on CUDA).
 */
#ifndef BC_CORE_TENSOR_MAP_H
#define BC_CORE_TENSOR_MAP_H

#include "harness/base/base.h"

#define BC_TENSOR_RANK_MAX 5
#define BC_TENSOR_MAP_BYTES 128
#define BC_TENSOR_MAP_ALIGN 64

/* With the numbers of CUtensorMapDataType. */
enum bc_tensor_type {
	BC_TENSOR_U8 = 0,
	BC_TENSOR_U16,
	BC_TENSOR_U32,
	BC_TENSOR_S32,
	BC_TENSOR_U64,
	BC_TENSOR_S64,
	BC_TENSOR_F16,
	BC_TENSOR_F32,
	BC_TENSOR_F64,
	BC_TENSOR_BF16,
	BC_TENSOR_NTYPES
};

/* With the numbers of CUtensorMapSwizzle. */
enum bc_tensor_swizzle {
	BC_TENSOR_PLAIN = 0,
	BC_TENSOR_32B,
	BC_TENSOR_64B,
	BC_TENSOR_128B,
	BC_TENSOR_128B_ATOM_32B,
	BC_TENSOR_128B_ATOM_32B_FLIP_8B,
	BC_TENSOR_128B_ATOM_64B,
	BC_TENSOR_NSWIZZLES
};

/* Dimension 0 is the innermost: its elements are neighbours. */
struct bc_tensor_map {
	size_t param_offset; /* where in the parameters its bytes go: a multiple of BC_TENSOR_MAP_ALIGN */
	size_t buffer;	     /* of the launch: the tensor starts in it ... */
	uint64_t offset;     /* ... at this byte */
	enum bc_tensor_type type;
	uint32_t rank;				 /* 1 to 5 */
	uint64_t dim[BC_TENSOR_RANK_MAX];	 /* elements */
	uint64_t stride[BC_TENSOR_RANK_MAX - 1]; /* bytes from one element of dimension i + 1 to the next */
	uint32_t box[BC_TENSOR_RANK_MAX];	 /* elements that the box spans */
	uint32_t step[BC_TENSOR_RANK_MAX]; /* every step-th of them is copied; that of dimension 0 is not looked at */
	enum bc_tensor_swizzle swizzle;
	bool fill_nan; /* elements outside the tensor are a NaN; false: 0 */
};

unsigned bc_tensor_type_bytes(enum bc_tensor_type t); /* 0: no such type */
bool bc_tensor_type_float(enum bc_tensor_type t);
const char *bc_tensor_swizzle_name(enum bc_tensor_swizzle s); /* "128B" */
uint32_t bc_tensor_span(enum bc_tensor_swizzle s);	      /* bytes within which it moves; 0: it moves nothing */

/**
 * bc_tensor_map_check - may a tensor map be made?
 * @address: of the tensor in global memory
 * @atoms:   does the chip have the swizzles 128B_ATOM_*?
 *
 * The requirements of cuTensorMapEncodeTiled (CUDA driver API, Tensor Map Object Management) with no interleave.
 * Return: BC_EUSAGE naming the first that is not met.
 */
enum bc_status bc_tensor_map_check(const struct bc_tensor_map *m, uint64_t address, bool atoms, struct bc_error *err);

#endif
