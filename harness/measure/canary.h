/* SPDX-License-Identifier: MIT */
/* harness/measure/canary.h - launches whose counts are known beforehand, from the written laws: they prove a counter
 * session. */
#ifndef BC_MEASURE_CANARY_H
#define BC_MEASURE_CANARY_H

#include "harness/core/case.h"

struct bc_canary {
	struct bc_pattern pattern;     /* from the start of the window */
	const struct bc_case *program; /* global memory, tensor copies: a case of its own instead; else NULL */
	unsigned wavefronts, conflicts, sectors; /* per request */
};

/**
 * bc_canary_get - a canary of an operation, or of a class of global memory or tensor copies (@op BC_OP_NONE)
 * @which: 0: as many conflicts (sectors) as there can be; 1: clean
 * @a:     its canaries follow a law that its arch.txt gives; with no such law they are the same for all
 */
void bc_canary_get(enum bc_op op, enum bc_class cls, unsigned which, const struct bc_arch *a, struct bc_canary *out);

#endif
