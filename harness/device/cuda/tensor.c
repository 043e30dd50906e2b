/* SPDX-License-Identifier: MIT */
#include "harness/device/cuda/tensor.h"

#include <string.h>

/* The numbers of core/tensor_map.h are the driver's. */
#define SAME(ours, theirs) _Static_assert((int)BC_TENSOR_##ours == (int)CU_TENSOR_MAP_##theirs, #theirs)
SAME(U8, DATA_TYPE_UINT8);
SAME(U16, DATA_TYPE_UINT16);
SAME(U32, DATA_TYPE_UINT32);
SAME(S32, DATA_TYPE_INT32);
SAME(U64, DATA_TYPE_UINT64);
SAME(S64, DATA_TYPE_INT64);
SAME(F16, DATA_TYPE_FLOAT16);
SAME(F32, DATA_TYPE_FLOAT32);
SAME(F64, DATA_TYPE_FLOAT64);
SAME(BF16, DATA_TYPE_BFLOAT16);
SAME(PLAIN, SWIZZLE_NONE);
SAME(32B, SWIZZLE_32B);
SAME(64B, SWIZZLE_64B);
SAME(128B, SWIZZLE_128B);
#if CUDA_VERSION >= 12080 /* that release named these; the numbers are theirs in all drivers that know them */
SAME(128B_ATOM_32B, SWIZZLE_128B_ATOM_32B);
SAME(128B_ATOM_32B_FLIP_8B, SWIZZLE_128B_ATOM_32B_FLIP_8B);
SAME(128B_ATOM_64B, SWIZZLE_128B_ATOM_64B);
#endif
_Static_assert(sizeof(CUtensorMap) == BC_TENSOR_MAP_BYTES, "CUtensorMap");
_Static_assert(_Alignof(CUtensorMap) >= BC_TENSOR_MAP_ALIGN, "CUtensorMap");

/* The driver wants a map at a multiple of 64 bytes, which the parameters of a launch need not be. */
static enum bc_status encode(const struct bc_cuda_api *cu, const struct bc_launch *l, const struct bc_tensor_map *m,
			     uint64_t address, unsigned char *out, struct bc_error *err)
{
	CUtensorMap map;
	cuuint64_t dim[BC_TENSOR_RANK_MAX], stride[BC_TENSOR_RANK_MAX - 1];
	cuuint32_t box[BC_TENSOR_RANK_MAX], step[BC_TENSOR_RANK_MAX];
	enum bc_status st;

	for (unsigned i = 0; i < BC_TENSOR_RANK_MAX; i++) {
		dim[i] = m->dim[i];
		box[i] = m->box[i];
		step[i] = m->step[i];
		if (i > 0)
			stride[i - 1] = m->stride[i - 1];
	}
	memset(&map, 0, sizeof(map));
	st = bc_cuda_check(cu->cuTensorMapEncodeTiled(&map, (CUtensorMapDataType)m->type, m->rank,
						      (void *)(uintptr_t)address, dim, stride, box, step,
						      CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)m->swizzle,
						      CU_TENSOR_MAP_L2_PROMOTION_NONE,
						      m->fill_nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
								  : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
			   "cuTensorMapEncodeTiled", l->label, err);
	if (!st)
		memcpy(out, &map, sizeof(map));
	return st;
}

enum bc_status bc_cuda_tensor_maps(const struct bc_cuda_api *cu, const struct bc_launch *l, const uint64_t *addresses,
				   unsigned char *params, struct bc_error *err)
{
	enum bc_status st = BC_OK;

	for (size_t i = 0; !st && i < l->nmaps; i++) {
		const struct bc_tensor_map *m = &l->maps[i];

		st = bc_launch_map_check(l, m, err);
		if (!st)
			st = encode(cu, l, m, addresses[m->buffer] + m->offset, params + m->param_offset, err);
	}
	return st;
}
