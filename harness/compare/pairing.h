/* SPDX-License-Identifier: MIT */
/* harness/compare/pairing.h - which device of one run is which of the other, and what differs between the two. */
#ifndef BC_COMPARE_PAIRING_H
#define BC_COMPARE_PAIRING_H

#include "harness/compare/types.h"

/**
 * bc_pairing_make - find the partners
 * @pairs: malloc'ed; partners in the new run's order, then what is only old; differences and obstacles are filled
 *
 * Return: BC_EDATA naming both files when a device is twice on one side, BC_ENOMEM (then *pairs is released).
 */
enum bc_status bc_pairing_make(const struct bc_side *old, const struct bc_side *now, struct bc_pair_diff **pairs,
			       size_t *npairs, struct bc_error *err);
void bc_pairing_release(struct bc_pair_diff *pairs, size_t npairs);

#endif
