/* SPDX-License-Identifier: MIT */
#include "harness/core/tensor_map.h"

#define BOX_MAX 256u
#define STEP_MAX 8u
#define UNIT 16u /* bytes: of addresses, strides and rows of a box */

static const struct {
	unsigned bytes;
	bool is_float;
} types[BC_TENSOR_NTYPES] = {
	[BC_TENSOR_U8] = { 1, false },	[BC_TENSOR_U16] = { 2, false }, [BC_TENSOR_U32] = { 4, false },
	[BC_TENSOR_S32] = { 4, false }, [BC_TENSOR_U64] = { 8, false }, [BC_TENSOR_S64] = { 8, false },
	[BC_TENSOR_F16] = { 2, true },	[BC_TENSOR_F32] = { 4, true },	[BC_TENSOR_F64] = { 8, true },
	[BC_TENSOR_BF16] = { 2, true },
};

static const struct {
	const char *name;
	uint32_t span;
	bool atom;
} swizzles[BC_TENSOR_NSWIZZLES] = {
	[BC_TENSOR_PLAIN] = { "none", 0, false },
	[BC_TENSOR_32B] = { "32B", 32, false },
	[BC_TENSOR_64B] = { "64B", 64, false },
	[BC_TENSOR_128B] = { "128B", 128, false },
	[BC_TENSOR_128B_ATOM_32B] = { "128B_ATOM_32B", 128, true },
	[BC_TENSOR_128B_ATOM_32B_FLIP_8B] = { "128B_ATOM_32B_FLIP_8B", 128, true },
	[BC_TENSOR_128B_ATOM_64B] = { "128B_ATOM_64B", 128, true },
};

unsigned bc_tensor_type_bytes(enum bc_tensor_type t)
{
	return (unsigned)t < BC_TENSOR_NTYPES ? types[t].bytes : 0;
}

bool bc_tensor_type_float(enum bc_tensor_type t)
{
	return (unsigned)t < BC_TENSOR_NTYPES && types[t].is_float;
}

const char *bc_tensor_swizzle_name(enum bc_tensor_swizzle s)
{
	return (unsigned)s < BC_TENSOR_NSWIZZLES ? swizzles[s].name : "?";
}

uint32_t bc_tensor_span(enum bc_tensor_swizzle s)
{
	return (unsigned)s < BC_TENSOR_NSWIZZLES ? swizzles[s].span : 0;
}

static enum bc_status check_dimension(const struct bc_tensor_map *m, uint32_t i, struct bc_error *err)
{
	if (m->dim[i] == 0 || m->dim[i] > UINT64_C(1) << 32)
		return bc_fail(err, BC_EUSAGE, "tensor map: dimension %u has %llu elements, it can have 1 to 2^32", i,
			       (unsigned long long)m->dim[i]);
	if (m->box[i] == 0 || m->box[i] > BOX_MAX)
		return bc_fail(err, BC_EUSAGE, "tensor map: the box spans %u elements of dimension %u, it can 1 to %u",
			       m->box[i], i, BOX_MAX);
	if (m->step[i] == 0 || m->step[i] > STEP_MAX)
		return bc_fail(err, BC_EUSAGE, "tensor map: element stride %u in dimension %u, it can be 1 to %u",
			       m->step[i], i, STEP_MAX);
	if (i > 0 && (m->stride[i - 1] % UNIT || m->stride[i - 1] >= UINT64_C(1) << 40))
		return bc_fail(err, BC_EUSAGE,
			       "tensor map: a stride of %llu bytes in dimension %u: it is a multiple of %u below 2^40",
			       (unsigned long long)m->stride[i - 1], i, UNIT);
	return BC_OK;
}

enum bc_status bc_tensor_map_check(const struct bc_tensor_map *m, uint64_t address, bool atoms, struct bc_error *err)
{
	const uint32_t span = bc_tensor_span(m->swizzle);
	enum bc_status st = BC_OK;
	uint32_t row;

	if ((unsigned)m->type >= BC_TENSOR_NTYPES || (unsigned)m->swizzle >= BC_TENSOR_NSWIZZLES)
		return bc_fail(err, BC_EUSAGE, "tensor map: type %d or swizzle %d does not exist", (int)m->type,
			       (int)m->swizzle);
	if (m->rank < 1 || m->rank > BC_TENSOR_RANK_MAX)
		return bc_fail(err, BC_EUSAGE, "tensor map: rank %u, it can be 1 to %u", m->rank, BC_TENSOR_RANK_MAX);
	if (address % UNIT)
		return bc_fail(err, BC_EUSAGE, "tensor map: the tensor's address 0x%llx is no multiple of %u",
			       (unsigned long long)address, UNIT);
	for (uint32_t i = 0; !st && i < m->rank; i++)
		st = check_dimension(m, i, err);
	if (st)
		return st;
	row = m->box[0] * types[m->type].bytes;
	if (row % UNIT)
		return bc_fail(err, BC_EUSAGE, "tensor map: a row of the box has %u bytes, no multiple of %u", row,
			       UNIT);
	if (swizzles[m->swizzle].atom && !atoms)
		return bc_fail(err, BC_EUSAGE, "tensor map: the chip has no swizzle %s", swizzles[m->swizzle].name);
	if (span && row > span)
		return bc_fail(err, BC_EUSAGE,
			       "tensor map: a row of the box has %u bytes, swizzle %s allows %u: make the box narrower",
			       row, swizzles[m->swizzle].name, span);
	if (m->fill_nan && !types[m->type].is_float)
		return bc_fail(err, BC_EUSAGE, "tensor map: only floats can be filled with NaN");
	return BC_OK;
}
