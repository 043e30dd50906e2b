/* SPDX-License-Identifier: MIT */
#include "harness/measure/operation.h"

/* Operations from one to another, both included. */
static const struct {
	enum bc_op first, last;
	struct bc_operation is;
} operations[] = {
	{ BC_OP_LD8, BC_OP_LD128, { "pattern_ld", .returns = true } },
	{ BC_OP_ST8, BC_OP_ST128, { "pattern_st", .changes = true } },
	{ BC_OP_GLD32, BC_OP_GLD128, { "pattern_generic", .returns = true } },
	{ BC_OP_GST32, BC_OP_GST128, { "pattern_generic", .changes = true } },
	{ BC_OP_ATOM32, BC_OP_ADDF32, { "pattern_atom", .returns = true, .changes = true } },
	{ BC_OP_RED32, BC_OP_REDF32, { "pattern_atom", .changes = true } },
	{ BC_OP_LDSM1, BC_OP_LDSM4T, { "pattern_matrix", .returns = true } },
	{ BC_OP_STSM1, BC_OP_STSM4T, { "pattern_matrix", .changes = true } },
	{ BC_OP_CPA4, BC_OP_CPA16CGZ, { "pattern_async", .changes = true, .copies = true } },
};

const struct bc_operation *bc_operation_of(enum bc_op op)
{
	for (size_t i = 0; i < BC_ARRAY_LEN(operations); i++)
		if (op >= operations[i].first && op <= operations[i].last)
			return &operations[i].is;
	return NULL;
}

unsigned bc_operation_words(enum bc_op op)
{
	const struct bc_op_info *info = bc_op_info(op);

	return info->matrices ? info->matrices : info->bytes < 4 ? 1 : info->bytes / 4;
}
