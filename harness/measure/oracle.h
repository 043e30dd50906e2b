/* SPDX-License-Identifier: MIT */
/* harness/measure/oracle.h - what an operation must have done: every lane's result and every byte of memory.
 *
 * Made from the addresses and the formulas of kernels/bc_kernel.h alone; no bank law takes part. Where several lanes
 * meet in one place the order is the hardware's: of stores any one lane's value is right, whole; of atomics the values
 * returned must be those of some order of the lanes.
 */
#ifndef BC_MEASURE_ORACLE_H
#define BC_MEASURE_ORACLE_H

#include "harness/measure/launch.h"

/* What an operation is beside its bank law. */
struct bc_operation {
	const char *image; /* the kernel file that has bc_<op> */
	bool returns;	   /* each active lane gets words: they are in recipe.out */
	bool changes;	   /* shared memory changes: its lines are dumped */
	bool copies;	   /* each lane's words come from global memory: the launch has a source */
};

/* Return: NULL when there is no kernel for @op. */
const struct bc_operation *bc_operation_of(enum bc_op op);

/* 32-bit words of a lane in one request: of what it gets, stores or copies; 1 to 4. */
unsigned bc_oracle_words(enum bc_op op);

/**
 * bc_oracle_source - what the lanes copy
 * @source: [count][32][words] filled
 */
void bc_oracle_source(const struct bc_pattern *p, uint32_t seed, uint32_t *source);

/* Bytes of memory (recipe.room) that the check of @r, whose lines are known, needs. */
size_t bc_oracle_out_bytes(const struct bc_case_launch *r);

/* Compare all that a data launch brought back; see bc_case_launch_check. */
bool bc_oracle_check(const struct bc_case_launch *r, char *detail, size_t size);

#endif
