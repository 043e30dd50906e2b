/* SPDX-License-Identifier: MIT */
/* harness/core/cells.h - what the march tests of every SM brought back, in words: SM, address, bank, bit. */
#ifndef BC_CORE_CELLS_H
#define BC_CORE_CELLS_H

#include "harness/core/arch.h"
#include "harness/core/program.h"

struct bc_cells_report; /* kernels/bc_kernel.h */

/* The bank of a word at an absolute shared address, by the architecture's law. */
unsigned bc_bank_of(const struct bc_arch *a, uint32_t address);

/**
 * bc_cells_check - was every word right, on every SM?
 * @sms:    [BC_SMS_WORDS(n)] n, and the SM of each block
 * @report: [n] of the blocks, in their order
 * @read:   words that each block must have read
 * @bad:    its text names the lowest SM with wrong words, the first of those words (address, bank, what was expected
 *	    and found, the bit where it is one) and how many SMs have some
 *
 * Return: false when @bad was filled: for a wrong word, and when a block saw another window or read too few words.
 */
bool bc_cells_check(const struct bc_arch *a, const uint32_t *sms, const struct bc_cells_report *report, uint32_t read,
		    struct bc_mismatch *bad);

/**
 * bc_cells_speed - the time that is farthest from the median of all banks of all SMs, as its ratio to the median
 * @cycles: [n][banks]
 * @out:    samples are the fewest, median and most cycles; the detail names SM and bank
 *
 * Return: false when there are no times, or the host lacks memory.
 */
bool bc_cells_speed(const struct bc_arch *a, const uint32_t *sms, const uint32_t *cycles, struct bc_clock_reading *out);

#endif
