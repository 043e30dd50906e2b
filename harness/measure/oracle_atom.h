/* SPDX-License-Identifier: MIT */
/* harness/measure/oracle_atom.h - the part of the oracle that is about atomics and reductions. */
#ifndef BC_MEASURE_ORACLE_ATOM_H
#define BC_MEASURE_ORACLE_ATOM_H

#include "harness/measure/operation.h"

bool bc_oracle_is_atomic(enum bc_op op);

/* The word that shared memory holds at @offset (multiple of 4) before the operation: floats where floats are added. */
uint32_t bc_oracle_fill(enum bc_op op, uint32_t offset, uint32_t seed);

/* Where byte @offset of the window is in the dump, in bytes; its line must be one of the list. */
size_t bc_oracle_place(const struct bc_operation_result *r, uint32_t offset);

/**
 * bc_oracle_apply - the value an atomic leaves
 * @state:   what memory holds
 * @operand: [2] what the lane brings: the operand; of compare-and-swap what it compares with, then the new value
 *
 * Values of 4-byte operations in the low 32 bits; floats as their bits.
 */
uint64_t bc_oracle_apply(enum bc_op op, uint64_t state, const uint64_t operand[2]);

/**
 * bc_oracle_check_atomics - final values of memory exact; values returned those of some order of the lanes
 *
 * The order is looked for step by step: of the lanes that returned what memory holds, first those that change nothing,
 * then any. That finds an order whenever no value comes back after it was left, which the operands see to.
 */
bool bc_oracle_check_atomics(const struct bc_operation_result *r, char *detail, size_t size);

#endif
