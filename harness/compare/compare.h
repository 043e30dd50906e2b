/* SPDX-License-Identifier: MIT */
/* harness/compare/compare.h - two runs side by side: what differs between them, and what changed in each case.
 *
 * Pure: reports that were read (report/reader.h) go in, a record of the comparison comes out; print.h shows it. The
 * comparison looks both ways: swapped runs give the same record with old and new, worse and better swapped (but for
 * what is not symmetric by its meaning: a case that is new is no worse, one that vanished is).
 */
#ifndef BC_COMPARE_COMPARE_H
#define BC_COMPARE_COMPARE_H

#include "harness/compare/types.h"

/**
 * bc_compare - compare two runs
 * @tolerance: 0.01: clock changes up to 1 % are none
 * @out: zeroed; filled on success
 *
 * Devices of one architecture are partners when they have the same UUID; else the same name on one host; else the same
 * name; else when one of the architecture is left on either side.
 *
 * Return: BC_EDATA with path:line when a device is twice on one side, BC_ENOMEM.
 */
enum bc_status bc_compare(const struct bc_side *old, const struct bc_side *now, double tolerance, struct bc_diff *out,
			  struct bc_error *err);
void bc_diff_release(struct bc_diff *d);

/* 1 something is worse (@strict: or UNDECIDED), 2 something cannot be compared, else 0. */
int bc_diff_status(const struct bc_diff *d, bool strict);

/* Whether a case is to be shown. Moves within bounds and clocks that are SAME are not. */
bool bc_compared_changed(const struct bc_compared *c);

/* "PASS"; "ABSENT" of NULL. */
const char *bc_compared_verdict(const struct bc_read_case *c);

const char *bc_count_name(enum bc_count_of k); /* "wavefronts" */

#endif
