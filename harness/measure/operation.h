/* SPDX-License-Identifier: MIT */
/* harness/measure/operation.h - what an operation is beside its bank law, and what one data launch of it left. */
#ifndef BC_MEASURE_OPERATION_H
#define BC_MEASURE_OPERATION_H

#include "harness/core/case.h"

struct bc_operation {
	const char *image; /* the kernel file that has bc_<op> */
	bool returns;	   /* each active lane gets words */
	bool changes;	   /* shared memory changes: its lines are dumped */
	bool copies;	   /* each lane's words come from global memory: the launch has a source */
};

/* Return: NULL when there is no kernel for @op. */
const struct bc_operation *bc_operation_of(enum bc_op op);

/* 32-bit words of a lane in one request: of what it gets, stores or copies; 1 to 4. */
unsigned bc_operation_words(enum bc_op op);

/* What one data launch was given and what it left. Nothing here is owned. */
struct bc_operation_result {
	const struct bc_pattern *pattern; /* offsets from the first byte of dynamic shared memory */
	uint32_t seed;
	uint8_t poison;
	const uint32_t *lines; /* lines of shared memory that were filled and dumped, ascending */
	uint32_t nlines;
	const uint32_t *out; /* what the lanes got, [count][32][words]; the dump when they get nothing */
	size_t out_bytes;
	const uint32_t *dump; /* of operations that do both: the dump; else NULL */
	void *scratch;	      /* bc_oracle_scratch_bytes */
};

#endif
