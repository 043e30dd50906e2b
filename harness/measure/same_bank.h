/* SPDX-License-Identifier: MIT */
/* harness/measure/same_bank.h - addresses that are known to conflict: for canaries and for the clock's known patterns.
 */
#ifndef BC_MEASURE_SAME_BANK_H
#define BC_MEASURE_SAME_BANK_H

#include "harness/core/arch.h"

#define BC_SAME_BANK_BYTES 256u

/**
 * bc_same_bank - offsets from the first byte of the window whose words share a bank, no two in one word
 * @out: [n] ascending, multiples of 16; an access of at most 16 bytes at each meets the same banks
 *
 * They are 256 bytes apart: one bank with 16, 32 or 64 banks of 4 or 8 bytes. An architecture whose arch.txt gives a
 * bank function has those that its function puts in one bank. Return: false when the window has no @n.
 */
bool bc_same_bank(const struct bc_arch *a, unsigned n, uint32_t *out);

/* The first offset from @from on, in steps of 16, whose 16 bytes share no bank with those at the window's start; false:
 * there is none. */
bool bc_other_bank(const struct bc_arch *a, uint32_t from, uint32_t *out);

#endif
