/* SPDX-License-Identifier: MIT */
/* harness/measure/oracle.h - what an operation must have done: every lane's result and every byte of memory.
 *
 * Made from the addresses and the formulas of kernels/bc_kernel.h alone; no bank law takes part. Where several lanes
 * meet in one place the order is the hardware's: of stores any one lane's value is right, whole; of atomics the values
 * returned must be those of some order of the lanes.
 */
#ifndef BC_MEASURE_ORACLE_H
#define BC_MEASURE_ORACLE_H

#include "harness/measure/operation.h"

/**
 * bc_oracle_source - what the lanes copy
 * @source: [count][32][words] filled
 */
void bc_oracle_source(const struct bc_pattern *p, uint32_t seed, uint32_t *source);

/* Bytes of scratch memory that the check of @r needs. Reads the pattern, nlines and out_bytes alone. */
size_t bc_oracle_scratch_bytes(const struct bc_operation_result *r);

/**
 * bc_oracle_check - compare all that a data launch left with what the operation must have done
 * @detail: first difference: lane, request, offset, what was read and what was expected
 *
 * Return: true when all is right, and lanes that are not active left the poison.
 */
bool bc_oracle_check(const struct bc_operation_result *r, char *detail, size_t size);

#endif
